/* laws.c - which pairs share a law, and the model of a table.
 *
 * A law is a probability vector over outcomes. Pairs that are said to share one must have
 * equally many rows; outcome i of each is its i-th row, or the row with the same word in the
 * column `outcome`. What such a word or place leads to differs from pair to pair, and is known;
 * how probable it is, is not, and is the same for all. Pairs with laws of their own have one
 * outcome for each state that can follow. */
#include "import/table.h"
#include "model/builder.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum sharing { BY_PAIR, BY_ACTION, BY_ALL, BY_COLUMN } sharing;

typedef struct lawyer {
    const fy_transitions *table;
    sharing by;
    int64_t pairs;
    int64_t *start;   /* [pairs+1] the rows of each pair */
    fy_words classes; /* laws, by what makes pairs share them */
    int32_t *law_of;  /* [pairs] */
    int64_t room;
    int64_t *first;    /* [laws] the first pair that has it */
    int64_t *outcomes; /* [laws] */
    /* Of the pair at hand. */
    int64_t most;
    int64_t *order, *next; /* [most] its rows in the order of outcomes, and what follows each */
    double *probability;   /* [most] */
} lawyer;

/* -------------------------------------------------------------------------- outcomes */

/* Of a pair with a law of its own: rows that lead to one state are one outcome, and what has
 * probability 0 is none. */
static int64_t list_successors(lawyer *l, const fy_transition *row, int64_t rows)
{
    int64_t count = 0;
    for (int64_t i = 0; i < rows; i++) {
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

/* The outcomes of a pair: next[] and probability[]; how many. */
static int64_t list_outcomes(lawyer *l, int64_t pair)
{
    const fy_transition *row = l->table->row + l->start[pair];
    int64_t rows = l->start[pair + 1] - l->start[pair];
    if (l->by == BY_PAIR)
        return list_successors(l, row, rows);
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

/* "Law 3 with outcomes 0, 4, 7": pairs with equal texts share a law. Certain pairs all do. */
static foray_status name_class(lawyer *l, int64_t pair, int64_t count, int32_t *law)
{
    const fy_transition *row = l->table->row + l->start[pair];
    fy_writer text = {.ctx = l->table->ctx};
    int64_t key = l->by == BY_PAIR     ? pair
                  : l->by == BY_ACTION ? pair % l->table->actions
                  : l->by == BY_COLUMN ? row->law
                                       : 0;
    if (count == 1)
        fy_print(&text, "certain");
    else
        fy_print(&text, "%" PRId64 "/%" PRId64, key, count);
    for (int64_t i = 0; i < count && count > 1 && l->by != BY_PAIR && l->table->has_outcome; i++)
        fy_print(&text, ",%" PRId32, row[l->order[i]].outcome);
    fy_write_bytes(&text, "", 1);
    foray_status status = text.failed ? FORAY_ERROR_MEMORY
                                      : fy_words_number(&l->classes, (const char *)text.data, law);
    free(text.data);
    return status;
}

/* ------------------------------------------------------------------------------ checks */

static foray_status check_pair(const lawyer *l, int64_t pair, int64_t count)
{
    const fy_transitions *table = l->table;
    const fy_transition *row = table->row + l->start[pair];
    double sum = 0;
    char name[FY_STATE_NAME];
    for (int64_t i = 0; i < count; i++)
        sum += l->probability[i];
    if (!(fabs(sum - 1) <= 1e-9))
        return fy_fail(table->ctx, FORAY_ERROR_INPUT,
                       "%s:%" PRId64 ": state %s, action %" PRId64
                       ": the probabilities sum to %.12g, not to 1",
                       table->path, row->line, fy_transitions_name(table, row->state, name),
                       pair % table->actions, sum);
    for (int64_t i = 1; i < count && l->by != BY_PAIR && table->has_outcome; i++)
        if (row[l->order[i]].outcome == row[l->order[i - 1]].outcome)
            return fy_fail(table->ctx, FORAY_ERROR_INPUT,
                           "%s:%" PRId64 ": state %s, action %" PRId64
                           ": the outcome '%s' is there twice",
                           table->path, row[l->order[i]].line,
                           fy_transitions_name(table, row->state, name), pair % table->actions,
                           fy_words_at(&table->outcome_words, row[l->order[i]].outcome));
    for (int64_t i = 1; l->by == BY_COLUMN && i < l->start[pair + 1] - l->start[pair]; i++)
        if (row[i].law != row->law)
            return fy_fail(table->ctx, FORAY_ERROR_INPUT,
                           "%s:%" PRId64 ": state %s, action %" PRId64
                           ": one pair cannot have two laws, '%s' and '%s'",
                           table->path, row[i].line, fy_transitions_name(table, row->state, name),
                           pair % table->actions, fy_words_at(&table->law_words, row->law),
                           fy_words_at(&table->law_words, row[i].law));
    return FORAY_OK;
}

/* The law's first pair must have the same probabilities, whose copy is `first`. */
static foray_status check_shared(lawyer *l, int64_t law, int64_t pair, int64_t count)
{
    const fy_transitions *table = l->table;
    char here[FY_STATE_NAME], there[FY_STATE_NAME];
    double *mine;
    if (!FY_ALLOC(table->ctx, mine, count))
        return FORAY_ERROR_MEMORY;
    memcpy(mine, l->probability, (size_t)count * sizeof *mine);
    list_outcomes(l, l->first[law]);
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < count && status == FORAY_OK; i++)
        if (!(fabs(mine[i] - l->probability[i]) <= 1e-9))
            status = fy_fail(
                table->ctx, FORAY_ERROR_INPUT,
                "%s: state %s, action %" PRId64 " and state %s, action %" PRId64
                " cannot share a law: outcome %" PRId64 " has probability %.9g here, %.9g there",
                table->path, fy_transitions_name(table, l->first[law] / table->actions, there),
                l->first[law] % table->actions,
                fy_transitions_name(table, pair / table->actions, here), pair % table->actions, i,
                l->probability[i], mine[i]);
    free(mine);
    return status;
}

/* ------------------------------------------------------------------------------ laws */

static foray_status assign_law(lawyer *l, int64_t pair)
{
    int64_t count = list_outcomes(l, pair), before = l->classes.count;
    int32_t law;
    foray_status status = check_pair(l, pair, count);
    if (status == FORAY_OK)
        status = name_class(l, pair, count, &law);
    if (status != FORAY_OK)
        return status;
    l->law_of[pair] = law;
    if (law < before)
        return check_shared(l, law, pair, count);
    int64_t room = l->room, same = room;
    int64_t *first = fy_grow(l->table->ctx, l->first, &room, law + 1, sizeof *first);
    l->first = first ? first : l->first;
    int64_t *outcomes = fy_grow(l->table->ctx, l->outcomes, &same, law + 1, sizeof *outcomes);
    l->outcomes = outcomes ? outcomes : l->outcomes;
    if (!first || !outcomes)
        return FORAY_ERROR_MEMORY;
    l->room = room;
    l->first[law] = pair;
    l->outcomes[law] = count;
    return FORAY_OK;
}

static foray_status open_lawyer(lawyer *l, const fy_transitions *table, const char *laws)
{
    static const char *const word[] = {"pair", "action", "all", "column"};
    *l = (lawyer){.table = table, .classes = {.text = {.ctx = table->ctx}}};
    while (strcmp(word[l->by], laws) != 0)
        l->by++;
    l->pairs = table->states * table->actions;
    if (!FY_ALLOC(table->ctx, l->start, l->pairs + 1) || !FY_ALLOC(table->ctx, l->law_of, l->pairs))
        return FORAY_ERROR_MEMORY;
    for (int64_t k = 0; k < table->rows; k++)
        l->start[table->row[k].state * table->actions + table->row[k].action + 1]++;
    for (int64_t pair = 0; pair < l->pairs; pair++) {
        l->most = l->start[pair + 1] > l->most ? l->start[pair + 1] : l->most;
        l->start[pair + 1] += l->start[pair];
    }
    return FY_ALLOC(table->ctx, l->order, l->most) && FY_ALLOC(table->ctx, l->next, l->most) &&
                   FY_ALLOC(table->ctx, l->probability, l->most)
               ? FORAY_OK
               : FORAY_ERROR_MEMORY;
}

static void close_lawyer(lawyer *l)
{
    free(l->start);
    fy_words_free(&l->classes);
    free(l->law_of);
    free(l->first);
    free(l->outcomes);
    free(l->order);
    free(l->next);
    free(l->probability);
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
static bool is_missing(const lawyer *l, int64_t pair)
{
    return l->start[pair] == l->start[pair + 1];
}

/* Which actions each state has, where they are not all. */
static void name_actions(const lawyer *l, foray_builder *builder)
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

static void fill_model(lawyer *l, foray_builder *builder)
{
    const fy_transitions *table = l->table;
    name_actions(l, builder);
    for (int64_t pair = 0; pair < l->pairs; pair++) {
        if (is_missing(l, pair))
            continue;
        list_outcomes(l, pair);
        if (l->first[l->law_of[pair]] == pair)
            foray_builder_law(builder, l->law_of[pair], l->probability);
        foray_builder_outcomes(builder, pair / table->actions, pair % table->actions,
                               l->law_of[pair], l->next);
    }
    for (int64_t s = 0; s < table->given; s++)
        if (table->initial[s] > 0)
            foray_builder_initial(builder, s, table->initial[s]);
    name_states(table, builder);
}

foray_status fy_transitions_model(const fy_transitions *table, const char *laws, int64_t horizon,
                                  const char *name, bool forget_theta, foray_model **out)
{
    lawyer l;
    foray_builder *builder = NULL;
    foray_status status = open_lawyer(&l, table, laws);
    for (int64_t pair = 0; pair < l.pairs && status == FORAY_OK; pair++)
        status = is_missing(&l, pair) ? FORAY_OK : assign_law(&l, pair);
    if (status == FORAY_OK)
        status = foray_builder_create_classes(table->ctx, table->states, table->actions, horizon,
                                              l.classes.count, l.outcomes, &builder);
    if (status == FORAY_OK) {
        foray_builder_name(builder, name);
        fill_model(&l, builder);
        if (forget_theta)
            foray_builder_forget_theta(builder);
        status = foray_builder_finish(builder, out);
    }
    foray_builder_destroy(builder);
    close_lawyer(&l);
    return status;
}
