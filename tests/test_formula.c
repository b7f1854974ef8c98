/* test_formula.c - formulas by progression against the definition, over all words; what is refused.
 */
#include "oracle_task.h"

#include "task/automaton.h"

#include <stdio.h>
#include <stdlib.h>

enum { LONGEST = 5 };

/* -------------------------------------------------------------------------- tests */

static bool accepts(const fy_automaton *automaton, const int64_t *place, const int *word, int size)
{
    int32_t q = 0;
    for (int i = 0; i < size; i++)
        q = fy_automaton_read(automaton, q, place[word[i]]);
    return automaton->accepts[q];
}

/* Each letter with the bits that the formula's own atoms have: it meets them in its own order. */
static void spell(const fy_formula *formula, uint64_t *letter)
{
    for (int word = 0; word < LETTERS; word++) {
        letter[word] = 0;
        for (int64_t i = 0; i < formula->atoms; i++) {
            int atom = strcmp(formula->atom[i].text, "a") == 0 ? 0 : 1;
            letter[word] |= (uint64_t)(word >> atom & 1) << i;
        }
    }
}

static int64_t compare_words(const oracle_tree *all, int root, const fy_automaton *automaton,
                             const int64_t *place)
{
    int64_t words = 0;
    for (int size = 1; size <= LONGEST; size++)
        for (int code = 0; code < 1 << (ATOMS * size); code++, words++) {
            int word[LONGEST];
            for (int i = 0; i < size; i++)
                word[i] = code >> (ATOMS * i) & (LETTERS - 1);
            if (accepts(automaton, place, word, size) != oracle_holds(all, root, word, 0, size))
                return -1;
        }
    return words;
}

static void automata_accept_what_the_definition_says(void **state)
{
    enum { FORMULAS = 3000 };
    foray_context *ctx = *state;
    support_random random = {.seed = 29};
    int64_t most = 0, refused = 0;
    for (int trial = 0; trial < FORMULAS; trial++) {
        oracle_tree all[TREES];
        char text[4096] = "";
        int count = 0, root = oracle_grow(&random, all, &count, 1 + (int)support_below(&random, 4));
        fy_formula formula;
        fy_automaton automaton;
        fy_arena arena = {.ctx = ctx};
        uint64_t letter[LETTERS];
        const int64_t place[LETTERS] = {0, 1, 2, 3};
        oracle_write(all, root, 0, text);
        support_ok(ctx, fy_formula_parse(ctx, text, 1000, &formula));
        spell(&formula, letter);
        foray_status status = fy_automaton_create(&arena, &formula, LETTERS, letter, &automaton);
        refused += status != FORAY_OK;
        if (status == FORAY_OK && compare_words(all, root, &automaton, place) < 0)
            fail_msg("%s", text);
        if (status == FORAY_OK)
            most = automaton.states > most ? automaton.states : most;
        fy_formula_release(&formula);
        fy_arena_release(&arena);
    }
    assert_int_equal(refused, 0);
    assert_true(most > 8);
}

/* The oracle is not asleep: one that takes N for X is caught. */
static void a_wrong_definition_is_noticed(void **state)
{
    foray_context *ctx = *state;
    oracle_tree all[] = {{.kind = N, .left = 1, .right = -1}, {.kind = A, .left = -1, .right = -1}};
    const uint64_t letter[] = {0, 1, 2, 3};
    const int64_t place[] = {0, 1, 2, 3};
    fy_formula formula;
    fy_automaton automaton;
    support_ok(ctx, fy_formula_parse(ctx, "X a", 10, &formula));
    support_ok(ctx, fy_automaton_create(support_arena(ctx), &formula, 4, letter, &automaton));
    assert_int_equal(compare_words(all, 0, &automaton, place), -1);
    all[0].kind = X;
    assert_true(compare_words(all, 0, &automaton, place) > 0);
    fy_formula_release(&formula);
}

static int64_t count_states(foray_context *ctx, const char *text, int64_t horizon)
{
    const uint64_t letter[] = {0, 1, 2, 3};
    fy_formula formula;
    fy_automaton automaton;
    fy_arena arena = {.ctx = ctx};
    support_ok(ctx, fy_formula_parse(ctx, text, horizon, &formula));
    support_ok(ctx, fy_automaton_create(&arena, &formula, 4, letter, &automaton));
    int64_t states = automaton.states;
    fy_formula_release(&formula);
    fy_arena_release(&arena);
    return states;
}

/* The automaton is the smallest one: hand-made ones have as many states. */
static void automata_are_as_small_as_they_can_be(void **state)
{
    foray_context *ctx = *state;
    assert_int_equal(count_states(ctx, "true", 9), 1);
    assert_int_equal(count_states(ctx, "F a", 9), 2);
    assert_int_equal(count_states(ctx, "!F a", 9), 2);
    assert_int_equal(count_states(ctx, "G a", 9), 2);
    assert_int_equal(count_states(ctx, "F a & G !b", 9), 3);
    assert_int_equal(count_states(ctx, "F (a & F b)", 9), 3);
    assert_int_equal(count_states(ctx, "F a | !F a", 9), 1);
    assert_int_equal(count_states(ctx, "F<=5 a", 9), 8); /* six that wait, and true and false */
    assert_int_equal(count_states(ctx, "F<=9 a", 9), 2); /* as far as the trace goes */
    assert_int_equal(count_states(ctx, "(F a) U (G b)", 9), 3);
}

static void refused(foray_context *ctx, const char *text, const char *message)
{
    fy_formula formula;
    assert_int_equal(fy_formula_parse(ctx, text, 10, &formula), FORAY_ERROR_INPUT);
    if (!strstr(foray_message(ctx), message))
        fail_msg("%s: %s", text, foray_message(ctx));
}

static void mistakes_are_named_with_their_column(void **state)
{
    foray_context *ctx = *state;
    refused(ctx, "", "column 1: a formula is expected");
    refused(ctx, "F goal &", "column 9: the formula ends");
    refused(ctx, "F goal hole", "column 8: 'hole' where the formula should end");
    refused(ctx, "(F goal", "column 1: this bracket is not closed");
    refused(ctx, "F goal)", "column 7: ')'");
    refused(ctx, "F<= goal", "column 5: a number of steps");
    refused(ctx, "F \"goal", "column 3: this name has no closing quote");
    refused(ctx, "F 3rooms", "column 3: '3rooms'");
    refused(ctx, "a = b", "column 3: nothing in a formula begins with '='");
    refused(ctx, "a & & b", "column 5: '&' where a state");
    refused(ctx, "F 99999999999999999999", "column 3: '99999999999999999999' is too large");
    refused(ctx, "a U", "column 4: the formula ends");
}

/* Neither depth nor length can overflow anything. */
static void formulas_without_end_are_refused(void **state)
{
    static const char *const pieces[] = {"!", "(", "X ", "a U ", "a -> ", "a & X ", "F<=9(a|"};
    foray_context *ctx = *state;
    fy_formula formula;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        char text[FY_FORMULA_BYTES + 64] = "";
        size_t size = strlen(pieces[i]), used = 0;
        for (; used + size < FY_FORMULA_BYTES - 8; used += size)
            memcpy(text + used, pieces[i], size + 1);
        strcpy(text + used, "a");
        refused(ctx, text, "more than");
        memset(text, 'a', FY_FORMULA_BYTES);
        refused(ctx, text, "fewer than");
    }
    char many[8192] = "0";
    for (int i = 1; i <= FY_FORMULA_ATOMS; i++)
        sprintf(many + strlen(many), " | %d", i);
    refused(ctx, many, "more than 64 different");
    strcpy(many, "F a");
    for (int i = 0; i < 1000; i++)
        strcat(many, " | a");
    support_ok(ctx, fy_formula_parse(ctx, many, 10, &formula));
    fy_formula_release(&formula);
}

/* Which would need more states than there may be. */
static void automata_without_end_are_refused(void **state)
{
    static const char *const texts[] = {
        "F<=9000 (a & X b)", "G (a -> X X X X X X X X X X X X b)",
        "F<=30 a & (F<=30 (b & F<=30 (a & F<=30 b)) | G<=25 F<=17 (a & X X b))",
        "(F a & F (a & X b) & F (b & X X a)) U (G (a | X b) | F (b & X X X a & F (a & X a)))"};
    const uint64_t letter[] = {0, 1, 2, 3};
    foray_context *ctx = *state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fy_formula formula;
        fy_automaton automaton;
        fy_arena arena = {.ctx = ctx};
        support_ok(ctx, fy_formula_parse(ctx, texts[i], 100000, &formula));
        foray_status status = fy_automaton_create(&arena, &formula, 4, letter, &automaton);
        if (status != FORAY_OK) {
            assert_int_equal(status, FORAY_ERROR_INPUT);
            assert_non_null(strstr(foray_message(ctx), "becomes too large"));
        } else
            assert_true(i > 1);
        fy_formula_release(&formula);
        fy_arena_release(&arena);
    }
}

/* Every allocation in turn. */
static void nothing_is_lost_without_memory(void **state)
{
    foray_context *ctx = *state;
    const uint64_t letter[] = {0, 1, 2, 3};
    foray_status status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status == FORAY_ERROR_MEMORY; left++) {
        fy_formula formula;
        fy_automaton automaton;
        fy_arena arena = {.ctx = ctx};
        ctx->allocations_left = left;
        status = fy_formula_parse(ctx, "F<=4 (a & X !b) -> G (a R b)", 10, &formula);
        if (status == FORAY_OK) {
            status = fy_automaton_create(&arena, &formula, 4, letter, &automaton);
            fy_formula_release(&formula);
        }
        ctx->allocations_left = -1;
        fy_arena_release(&arena);
    }
    assert_int_equal(status, FORAY_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        support_test(automata_accept_what_the_definition_says),
        support_test(a_wrong_definition_is_noticed),
        support_test(automata_are_as_small_as_they_can_be),
        support_test(mistakes_are_named_with_their_column),
        support_test(formulas_without_end_are_refused),
        support_test(automata_without_end_are_refused),
        support_test(nothing_is_lost_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
