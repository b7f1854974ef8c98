/* ends.c - what ends an episode becomes an absorbing state.
 *
 * `done` belongs to a transition: it says that nothing is earned after it, whatever rows the
 * table has for the state that it leads to. So
 *
 *   a state entered only by transitions that are done   becomes absorbing and earns 0
 *   one that reachable states enter otherwise as well   gets a twin, absorbing, for the former
 *   outcomes of one pair that lead to one state with    lead to twins of it, which go on as it
 *   different rewards                                   does: rewards are those of (s,a,s')  */
#include "import/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct ending {
    fy_transitions *table;
    bool *reached;        /* [given] */
    bool *ends, *goes_on; /* [given] entered by transitions that are done, or not */
    bool *absorbing;      /* [given] */
    int32_t *end_twin;    /* [given] its absorbing twin; -1: none */
    fy_words twin;        /* "state/rank": twins by reward, numbered after the absorbing ones */
    int64_t end_twins;
    fy_transition *row; /* the rows to be */
    int64_t rows, room;
} ending;

/* --------------------------------------------------------------------------- reaching */

/* Breadth first from where episodes begin; nothing follows what is done. */
static foray_status find_reached(ending *e)
{
    const fy_transitions *table = e->table;
    int32_t *queue;
    if (!FY_ALLOC(table->ctx, queue, table->given))
        return FORAY_ERROR_MEMORY;
    int64_t count = 0;
    for (int64_t s = 0; s < table->given; s++)
        if (table->initial[s] > 0) {
            e->reached[s] = e->goes_on[s] = true;
            queue[count++] = (int32_t)s;
        }
    for (int64_t i = 0; i < count; i++) {
        int64_t first = table->start[queue[i] * table->actions];
        int64_t end = table->start[(queue[i] + 1) * table->actions];
        for (int64_t k = first; k < end; k++) {
            const fy_transition *row = &table->row[k];
            if (row->done || !(row->probability > 0))
                continue;
            e->goes_on[row->next] = true;
            if (!e->reached[row->next])
                queue[count++] = row->next;
            e->reached[row->next] = true;
        }
    }
    for (int64_t k = 0; k < table->rows; k++)
        if (table->row[k].done && table->row[k].probability > 0)
            e->ends[table->row[k].next] = true;
    free(queue);
    return FORAY_OK;
}

static void choose_ends(ending *e)
{
    fy_transitions *table = e->table;
    for (int64_t s = 0; s < table->given; s++) {
        e->end_twin[s] = -1;
        e->absorbing[s] = e->ends[s] && !e->goes_on[s];
        if (e->ends[s] && e->goes_on[s])
            e->end_twin[s] = (int32_t)(table->given + e->end_twins++);
        table->ends += e->ends[s];
    }
}

/* ------------------------------------------------------------------------------ rows */

static foray_status add_row(ending *e, fy_transition row)
{
    fy_transition *room = fy_grow(e->table->ctx, e->row, &e->room, e->rows + 1, sizeof *room);
    if (!room)
        return FORAY_ERROR_MEMORY;
    e->row = room;
    e->row[e->rows++] = row;
    return FORAY_OK;
}

static foray_status add_absorbing(ending *e, int64_t state)
{
    foray_status status = FORAY_OK;
    for (int64_t a = 0; a < e->table->actions && status == FORAY_OK; a++)
        status = add_row(e, (fy_transition){.state = (int32_t)state,
                                            .action = (int32_t)a,
                                            .next = (int32_t)state,
                                            .probability = 1});
    return status;
}

/* The state that a row leads to: of rows [first, k) of its pair that lead to the same one with
 * other rewards there are `rank` different, and each has a twin. */
static foray_status choose_target(ending *e, int64_t first, int64_t k, int32_t *out)
{
    const fy_transition *row = e->row + k;
    int64_t rank = 0;
    char key[64];
    for (int64_t i = first; i < k; i++) {
        const fy_transition *other = e->row + i;
        if (other->meant != row->meant)
            continue;
        if (other->reward == row->reward) {
            *out = other->next;
            return FORAY_OK;
        }
        bool new = true;
        for (int64_t j = first; j < i; j++)
            new = new && !(e->row[j].meant == row->meant && e->row[j].reward == other->reward);
        rank += new;
    }
    *out = row->meant;
    if (rank == 0 || !e->table->has_reward)
        return FORAY_OK;
    int32_t number;
    fy_format(key, sizeof key, "%" PRId32 "/%" PRId64, row->meant, rank);
    foray_status status = fy_words_number(&e->twin, key, &number);
    *out = (int32_t)(e->table->given + e->end_twins + number);
    return status;
}

/* The rows of a pair of the file, with their targets; none where the state lacks the action. */
static foray_status add_pair(ending *e, int64_t state, int64_t action)
{
    const fy_transitions *table = e->table;
    int64_t pair = state * table->actions + action, first = e->rows;
    foray_status status = FORAY_OK;
    for (int64_t k = table->start[pair]; k < table->start[pair + 1] && status == FORAY_OK; k++) {
        fy_transition row = table->row[k];
        row.meant = row.done && e->end_twin[row.next] >= 0 ? e->end_twin[row.next] : row.next;
        status = add_row(e, row);
        if (status == FORAY_OK)
            status = choose_target(e, first, e->rows - 1, &e->row[e->rows - 1].next);
    }
    return status;
}

/* A state of the file that episodes do not end in. */
static foray_status add_state(ending *e, int64_t state)
{
    const fy_transitions *table = e->table;
    const int64_t *start = table->start + state * table->actions;
    foray_status status = FORAY_OK;
    if (start[0] == start[table->actions]) {
        char name[FY_STATE_NAME];
        return fy_fail(table->ctx, FORAY_ERROR_INPUT,
                       "%s: state %s has no row%s: a state that goes on needs an action",
                       table->path, fy_transitions_name(table, state, name),
                       e->reached[state] ? "" : " (nothing leads there)");
    }
    for (int64_t a = 0; a < table->actions && status == FORAY_OK; a++)
        status = add_pair(e, state, a);
    return status;
}

static foray_status add_given(ending *e)
{
    foray_status status = FORAY_OK;
    for (int64_t s = 0; s < e->table->given && status == FORAY_OK; s++)
        status = e->absorbing[s] ? add_absorbing(e, s) : add_state(e, s);
    return status;
}

/* ------------------------------------------------------------------------------ twins */

/* A twin by reward goes on as what it is a twin of. `begin` is where the rows of given states
 * start, [given + 1]. */
static foray_status add_copy(ending *e, int64_t twin, int64_t of, const int64_t *begin)
{
    foray_status status = FORAY_OK;
    if (of >= e->table->given || e->absorbing[of])
        return add_absorbing(e, twin);
    for (int64_t k = begin[of]; k < begin[of + 1] && status == FORAY_OK; k++) {
        fy_transition row = e->row[k];
        row.state = (int32_t)twin;
        status = add_row(e, row);
    }
    return status;
}

static foray_status add_twins(ending *e)
{
    fy_transitions *table = e->table;
    int64_t *begin;
    table->twins = e->end_twins + e->twin.count;
    table->states = table->given + table->twins;
    if (!FY_ALLOC(table->ctx, begin, table->given + 1) ||
        !FY_ALLOC(table->ctx, table->twin_of, table->twins)) {
        free(begin);
        return FORAY_ERROR_MEMORY;
    }
    for (int64_t k = 0; k < e->rows; k++)
        begin[e->row[k].state + 1]++;
    for (int64_t s = 0; s < table->given; s++)
        begin[s + 1] += begin[s];
    foray_status status = FORAY_OK;
    for (int64_t s = 0; s < table->given && status == FORAY_OK; s++)
        if (e->end_twin[s] >= 0) {
            table->twin_of[e->end_twin[s] - table->given] = (int32_t)s;
            status = add_absorbing(e, e->end_twin[s]);
        }
    for (int64_t i = 0; i < e->twin.count && status == FORAY_OK; i++) {
        int64_t of = 0, place = e->end_twins + i;
        for (const char *digit = fy_words_at(&e->twin, i); *digit != '/'; digit++)
            of = 10 * of + (*digit - '0');
        table->twin_of[place] =
            (int32_t)(of < table->given ? of : table->twin_of[of - table->given]);
        status = add_copy(e, table->given + place, of, begin);
    }
    free(begin);
    return status;
}

foray_status fy_transitions_end(fy_transitions *table)
{
    ending e = {.table = table, .twin = {.text = {.ctx = table->ctx}}};
    foray_context *ctx = table->ctx;
    foray_status status = FORAY_ERROR_MEMORY;
    if (FY_ALLOC(ctx, e.reached, table->given) && FY_ALLOC(ctx, e.ends, table->given) &&
        FY_ALLOC(ctx, e.goes_on, table->given) && FY_ALLOC(ctx, e.absorbing, table->given) &&
        FY_ALLOC(ctx, e.end_twin, table->given))
        status = find_reached(&e);
    if (status == FORAY_OK) {
        choose_ends(&e);
        status = add_given(&e);
    }
    if (status == FORAY_OK)
        status = add_twins(&e);
    if (status == FORAY_OK) {
        free(table->row);
        table->row = e.row;
        table->rows = e.rows;
        e.row = NULL;
    }
    free(e.reached);
    free(e.ends);
    free(e.goes_on);
    free(e.absorbing);
    free(e.end_twin);
    free(e.row);
    fy_words_free(&e.twin);
    return status;
}
