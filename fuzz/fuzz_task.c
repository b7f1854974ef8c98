/* Formulas: what is accepted has an automaton or is refused as too large, and on every word exactly
 * one of a formula and its negation holds. */
#include "fuzz.h"
#include "task/automaton.h"

enum { LETTERS = 5, HORIZON = 12 };

/* Of the first atoms, which are those that there are most often. */
static const uint64_t letter[LETTERS] = {0, 1, 2, 5, ~(uint64_t)0};

static foray_status make(foray_context *ctx, fy_arena *arena, const char *text, fy_automaton *out)
{
    fy_formula formula;
    foray_status status = fy_formula_parse(ctx, text, HORIZON, &formula);
    fuzz_explained(ctx, status);
    if (status == FORAY_OK) {
        status = fy_automaton_create(arena, &formula, LETTERS, letter, out);
        fuzz_explained(ctx, status);
        fy_formula_release(&formula);
    }
    return status;
}

static void compare(const fy_automaton *one, const fy_automaton *other)
{
    enum { WORDS = 200 };
    assert(other->states <= FY_AUTOMATON_STATES && one->states <= FY_AUTOMATON_STATES);
    for (int word = 0; word < WORDS; word++) {
        int32_t a = 0, b = 0;
        for (int t = 0; t <= HORIZON; t++) {
            bool was = t > 0 && one->decided[a], accepted = one->accepts[a];
            int32_t read =
                (int32_t)(fy_random_bits(7, FY_STREAM_TEST, (uint64_t)word, (uint32_t)t, 0) %
                          LETTERS);
            a = fy_automaton_read(one, a, read);
            b = fy_automaton_read(other, b, read);
            assert(a >= 0 && a < one->states && b >= 0 && b < other->states);
            assert(one->accepts[a] != other->accepts[b]);
            assert(!was || one->accepts[a] == accepted);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    foray_context *ctx = foray_context_create();
    fy_arena arena = {.ctx = ctx};
    fy_automaton one, other;
    char *text = malloc(size + 5);
    assert(text != NULL);
    memcpy(text + 2, data, size);
    text[size + 2] = 0;
    if (make(ctx, &arena, text + 2, &one) == FORAY_OK) {
        text[0] = '!';
        text[1] = '(';
        size_t end = strlen(text);
        text[end] = ')';
        text[end + 1] = 0;
        if (make(ctx, &arena, text, &other) == FORAY_OK)
            compare(&one, &other);
    }
    free(text);
    fy_arena_release(&arena);
    foray_context_destroy(ctx);
    return 0;
}
