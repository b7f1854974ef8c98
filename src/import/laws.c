/* laws.c - which pairs share a law, and the model of a table.
 *
 * A law is a probability vector over outcomes. Pairs that are said to share one must have
 * equally many rows; outcome i of each is its i-th row, or the row with the same word in the
 * column `outcome`. What such a word or place leads to differs from pair to pair, and is known;
 * how probable it is, is not, and is the same for all. Pairs with laws of their own have one
 * outcome for each state that can follow.
 *
 * The rows are read twice: once to find the laws, once to tell the builder. Laws are numbered as
 * pairs meet them, so that in the second reading the first pair of each law is known by its
 * number. */
#include "import/import.h"
#include "model/builder.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum sharing { BY_PAIR, BY_ACTION, BY_ALL, BY_COLUMN } sharing;

/* What pairs that share a law have in common. */
typedef struct shared {
    int32_t law;
    int64_t first; /* the first pair that has it */
    int64_t at;    /* where its probabilities are kept */
} shared;

typedef struct law_finder {
    fy_arena arena;
    fy_transitions *table;
    sharing by;
    int64_t pairs;
    int32_t *law_of;  /* [pairs]; -1: the state does not have the action */
    fy_words classes; /* laws that may be met again, by what makes pairs share them */
    int64_t shared_room, kept, kept_room;
    shared *shared; /* [classes] */
    double *keep;   /* [kept] their probabilities */
    int64_t laws, law_room;
    int64_t *outcomes; /* [laws] */
    /* Of the pair at hand. */
    fy_row_group group;
    int64_t order_room, next_room, probability_room;
    int64_t *order, *next; /* its rows in the order of outcomes, and what follows each */
    double *probability;
} law_finder;

/* -------------------------------------------------------------------------- outcomes */

/* Of a pair with a law of its own: rows that lead to one state are one outcome, and what has
 * probability 0 is none. */
static int64_t list_successors(law_finder *l)
{
    const fy_transition *row = l->group.row;
    int64_t count = 0;
    for (int64_t i = 0; i < l->group.count; i++) {
        int64_t j = 0;
        while (j < count && l->next[j] != row[i].next)
            j++;
        if (j == count && !(row[i].probability > 0))
            continue;
        if (j == count) {
            l->next[count] = row[i].next;
            l->probability[count++] = 0;
        }
        l->probability[j] += row[i].probability;
    }
    return count;
}

/* The outcomes of the pair at hand: next[] and probability[]; how many. */
static int64_t list_outcomes(law_finder *l)
{
    const fy_transition *row = l->group.row;
    int64_t rows = l->group.count;
    if (l->by == BY_PAIR)
        return list_successors(l);
    /* By the words of the column, sorted; without one all words are 0 and the lines decide. */
    for (int64_t i = 0; i < rows; i++) {
        int64_t j = i;
        for (; j > 0 && row[l->order[j - 1]].outcome > row[i].outcome; j--)
            l->order[j] = l->order[j - 1];
        l->order[j] = i;
    }
    for (int64_t i = 0; i < rows; i++) {
        l->next[i] = row[l->order[i]].next;
        l->probability[i] = row[l->order[i]].probability;
    }
    return rows;
}

/* Room for the outcomes of the pair at hand. */
static foray_status make_room(law_finder *l)
{
    int64_t rows = l->group.count;
    void *grown;
#define GROW(array, room)                                                                          \
    ((grown = fy_arena_grow(&l->arena, (array), &(room), rows, sizeof *(array))) != NULL &&        \
     ((array) = grown, true))
    return GROW(l->order, l->order_room) && GROW(l->next, l->next_room) &&
                   GROW(l->probability, l->probability_room)
               ? FORAY_OK
               : FORAY_ERROR_MEMORY;
#undef GROW
}

static int64_t pair_at_hand(const law_finder *l)
{
    return l->group.row->state * l->table->actions + l->group.row->action;
}

/* "Law 3 with outcomes 0, 4, 7": pairs with equal texts share a law. Certain pairs all do. */
static foray_status name_class(law_finder *l, int64_t count, int32_t *number)
{
    const fy_transition *row = l->group.row;
    fy_writer text = {.ctx = l->table->ctx};
    int64_t key = l->by == BY_ACTION ? row->action : l->by == BY_COLUMN ? row->law : 0;
    if (count == 1)
        fy_print(&text, "certain");
    else
        fy_print(&text, "%" PRId64 "/%" PRId64, key, count);
    for (int64_t i = 0; i < count && count > 1 && l->table->has_outcome; i++)
        fy_print(&text, ",%" PRId32, row[l->order[i]].outcome);
    fy_write_bytes(&text, "", 1);
    foray_status status = text.failed
                              ? FORAY_ERROR_MEMORY
                              : fy_words_number(&l->classes, (const char *)text.data, number);
    free(text.data);
    return status;
}

/* ------------------------------------------------------------------------------ checks */

static foray_status check_pair(const law_finder *l, int64_t count)
{
    const fy_transitions *table = l->table;
    const fy_transition *row = l->group.row;
    double sum = 0;
    char name[FY_STATE_NAME];
    for (int64_t i = 0; i < count; i++)
        sum += l->probability[i];
    if (!(fabs(sum - 1) <= 1e-9))
        return fy_fail(table->ctx, FORAY_ERROR_INPUT,
                       "%s:%" PRId64 ": state %s, action %" PRId32
                       ": the probabilities sum to %.12g, not to 1",
                       table->path, row->line, fy_transitions_name(table, row->state, name),
                       row->action, sum);
    for (int64_t i = 1; i < count && l->by != BY_PAIR && table->has_outcome; i++)
        if (row[l->order[i]].outcome == row[l->order[i - 1]].outcome)
            return fy_fail(
                table->ctx, FORAY_ERROR_INPUT,
                "%s:%" PRId64 ": state %s, action %" PRId32 ": the outcome '%s' is there twice",
                table->path, row[l->order[i]].line, fy_transitions_name(table, row->state, name),
                row->action, fy_words_at(&table->outcome_words, row[l->order[i]].outcome));
    for (int64_t i = 1; l->by == BY_COLUMN && i < l->group.count; i++)
        if (row[i].law != row->law)
            return fy_fail(table->ctx, FORAY_ERROR_INPUT,
                           "%s:%" PRId64 ": state %s, action %" PRId32
                           ": one pair cannot have two laws, '%s' and '%s'",
                           table->path, row[i].line, fy_transitions_name(table, row->state, name),
                           row->action, fy_words_at(&table->law_words, row->law),
                           fy_words_at(&table->law_words, row[i].law));
    return FORAY_OK;
}

/* The first pair with this law must have the same probabilities. */
static foray_status check_shared(const law_finder *l, const shared *law, int64_t count)
{
    const fy_transitions *table = l->table;
    const fy_transition *row = l->group.row;
    const double *theirs = l->keep + law->at;
    char here[FY_STATE_NAME], there[FY_STATE_NAME];
    for (int64_t i = 0; i < count; i++)
        if (!(fabs(l->probability[i] - theirs[i]) <= 1e-9))
            return fy_fail(
                table->ctx, FORAY_ERROR_INPUT,
                "%s: state %s, action %" PRId64 " and state %s, action %" PRId32
                " cannot share a law: outcome %" PRId64 " has probability %.9g here, %.9g there",
                table->path, fy_transitions_name(table, law->first / table->actions, there),
                law->first % table->actions, fy_transitions_name(table, row->state, here),
                row->action, i, theirs[i], l->probability[i]);
    return FORAY_OK;
}

/* ------------------------------------------------------------------------------ laws */

static foray_status add_law(law_finder *l, int64_t count)
{
    int64_t *outcomes =
        fy_arena_grow(&l->arena, l->outcomes, &l->law_room, l->laws + 1, sizeof *outcomes);
    if (!outcomes)
        return FORAY_ERROR_MEMORY;
    l->outcomes = outcomes;
    l->law_of[pair_at_hand(l)] = (int32_t)l->laws;
    outcomes[l->laws++] = count;
    return FORAY_OK;
}

/* Keeps the law of the pair at hand, the first of its class. */
static foray_status add_shared(law_finder *l, int64_t count)
{
    shared *list =
        fy_arena_grow(&l->arena, l->shared, &l->shared_room, l->classes.count, sizeof *list);
    l->shared = list ? list : l->shared;
    double *keep = fy_arena_grow(&l->arena, l->keep, &l->kept_room, l->kept + count, sizeof *keep);
    l->keep = keep ? keep : l->keep;
    if (!list || !keep)
        return FORAY_ERROR_MEMORY;
    list[l->classes.count - 1] = (shared){(int32_t)l->laws, pair_at_hand(l), l->kept};
    memcpy(keep + l->kept, l->probability, (size_t)count * sizeof *keep);
    l->kept += count;
    return add_law(l, count);
}

static foray_status assign_law(law_finder *l)
{
    int64_t count = list_outcomes(l), before = l->classes.count;
    int32_t number;
    foray_status status = check_pair(l, count);
    if (status == FORAY_OK && l->by == BY_PAIR && count > 1)
        return add_law(l, count);
    if (status == FORAY_OK)
        status = name_class(l, count, &number);
    if (status != FORAY_OK)
        return status;
    if (number == before)
        return add_shared(l, count);
    l->law_of[pair_at_hand(l)] = l->shared[number].law;
    return check_shared(l, &l->shared[number], count);
}

static foray_status find_laws(law_finder *l)
{
    foray_status status = FORAY_OK;
    l->group = (fy_row_group){0};
    while (status == FORAY_OK && fy_row_list_next_pair(&l->table->rows, &l->group)) {
        status = make_room(l);
        if (status == FORAY_OK)
            status = assign_law(l);
    }
    return status;
}

static foray_status begin_laws(law_finder *l, fy_transitions *table, const char *laws)
{
    static const char *const word[] = {"pair", "action", "all", "column"};
    *l = (law_finder){
        .arena.ctx = table->ctx, .table = table, .classes = {.text = {.ctx = table->ctx}}};
    while (strcmp(word[l->by], laws) != 0)
        l->by++;
    l->pairs = table->states * table->actions;
    if (!FY_NEW(&l->arena, l->law_of, l->pairs))
        return FORAY_ERROR_MEMORY;
    for (int64_t pair = 0; pair < l->pairs; pair++)
        l->law_of[pair] = -1;
    return FORAY_OK;
}

/* What is not needed once the builder was told everything. */
static void end_laws(law_finder *l)
{
    fy_words_free(&l->classes);
    fy_arena_release(&l->arena);
    *l = (law_finder){0};
}

/* ----------------------------------------------------------------------------- model */

/* Names, where there are any: twins are called after what they are twins of. */
static void name_states(const fy_transitions *table, foray_builder *builder)
{
    char name[FY_STATE_NAME], twin[FY_STATE_NAME + 32];
    for (int64_t s = 0; s < table->states; s++) {
        fy_transitions_name(table, s, name);
        if (s >= table->given) {
            fy_format(twin, sizeof twin, "%s, twin %" PRId64, name, s - table->given + 1);
            foray_builder_state_name(builder, s, twin);
        } else if (!table->numbered_states) {
            foray_builder_state_name(builder, s, name);
        }
    }
    for (int64_t a = 0; a < table->actions && !table->numbered_actions; a++)
        foray_builder_action_name(builder, a, fy_words_at(&table->action_words, a));
}

/* The state does not have this action. */
static bool is_missing(const law_finder *l, int64_t pair)
{
    return l->law_of[pair] < 0;
}

/* Which actions each state has, where they are not all. */
static void name_actions(const law_finder *l, foray_builder *builder)
{
    int64_t A = l->table->actions, *action = NULL;
    for (int64_t s = 0; s < l->table->states; s++) {
        int64_t count = 0;
        for (int64_t a = 0; a < A; a++)
            count += !is_missing(l, s * A + a);
        if (count == A)
            continue;
        if (!action && !FY_ALLOC(l->table->ctx, action, A)) {
            fy_builder_holds(builder, FORAY_ERROR_MEMORY);
            return;
        }
        count = 0;
        for (int64_t a = 0; a < A; a++)
            if (!is_missing(l, s * A + a))
                action[count++] = a;
        foray_builder_available(builder, s, count, action);
    }
    free(action);
}

/* All pairs, each law with the first of its pairs. */
static void tell_pairs(law_finder *l, foray_builder *builder)
{
    int64_t laws = 0;
    l->group = (fy_row_group){0};
    while (fy_row_list_next_pair(&l->table->rows, &l->group)) {
        const fy_transition *row = l->group.row;
        int32_t law = l->law_of[pair_at_hand(l)];
        list_outcomes(l);
        if (law == laws) {
            /* Rows that lead to one state may sum to a little more than 1, by rounding. */
            for (int64_t i = 0; i < l->outcomes[law]; i++)
                l->probability[i] = fmin(l->probability[i], 1);
            foray_builder_law(builder, law, l->probability);
            laws++;
        }
        foray_builder_outcomes(builder, row->state, row->action, law, l->next);
    }
}

static void fill_model(law_finder *l, foray_builder *builder)
{
    const fy_transitions *table = l->table;
    name_actions(l, builder);
    tell_pairs(l, builder);
    for (int64_t s = 0; s < table->given; s++)
        if (table->initial[s] > 0)
            foray_builder_initial(builder, s, table->initial[s]);
    name_states(table, builder);
}

foray_status fy_transitions_model(fy_transitions *table, const char *laws, int64_t horizon,
                                  const char *name, bool forget_theta, foray_model **out)
{
    law_finder l;
    foray_builder *builder = NULL;
    foray_status status = begin_laws(&l, table, laws);
    if (status == FORAY_OK)
        status = find_laws(&l);
    if (status == FORAY_OK)
        status = foray_builder_create_classes(table->ctx, table->states, table->actions, horizon,
                                              l.laws, l.outcomes, &builder);
    if (status == FORAY_OK) {
        foray_builder_name(builder, name);
        fill_model(&l, builder);
        if (forget_theta)
            foray_builder_forget_theta(builder);
    }
    end_laws(&l);
    if (status == FORAY_OK)
        status = foray_builder_finish(builder, out);
    foray_builder_destroy(builder);
    return status;
}
