/* absorbing.c - what ends an episode becomes an absorbing state.
 *
 * `done` belongs to a transition: it says that nothing is earned after it, whatever rows the
 * table has for the state that it leads to. So
 *
 *   a state entered only by transitions that are done   becomes absorbing and earns 0
 *   one that reachable states enter otherwise as well   gets a twin, absorbing, for the former
 *   outcomes of one pair that lead to one state with    lead to twins of it, which go on as it
 *   different rewards                                   does: rewards are those of (s,a,s')  */
#include "import/import.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct ending {
    fy_arena arena;
    fy_transitions *table;
    bool *reached;        /* [given] */
    bool *has_rows;       /* [given] */
    bool *ends, *goes_on; /* [given] entered by transitions that are done, or not */
    bool *absorbing;      /* [given] */
    int32_t *end_twin;    /* [given] its absorbing twin; -1: none */
    fy_words twin;        /* "state/rank": twins by reward, numbered after the absorbing ones */
    int64_t end_twins;
} ending;

/* --------------------------------------------------------------------------- reaching */

/* Which states follow each by what can happen and is not done: 4 bytes a row. */
typedef struct graph {
    int64_t *start; /* [given + 1] */
    int32_t *next;
} graph;

static void read_graph(ending *e, graph *g)
{
    const fy_transitions *table = e->table;
    int64_t edges = 0, state = 0;
    for (int64_t i = 0; i < table->rows.count; i++) {
        const fy_transition *row = &table->rows.row[i];
        while (state < row->state)
            g->start[++state] = edges;
        e->has_rows[row->state] = true;
        if (!(row->probability > 0))
            continue;
        if (row->done)
            e->ends[row->next] = true;
        else
            g->next[edges++] = row->next;
    }
    while (state < table->given)
        g->start[++state] = edges;
}

/* Breadth first from where episodes begin; nothing follows what is done. */
static void walk_graph(ending *e, const graph *g, int32_t *queue)
{
    const fy_transitions *table = e->table;
    int64_t count = 0;
    for (int64_t s = 0; s < table->given; s++)
        if (table->initial[s] > 0) {
            e->reached[s] = e->goes_on[s] = true;
            queue[count++] = (int32_t)s;
        }
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = g->start[queue[i]]; k < g->start[queue[i] + 1]; k++) {
            int32_t next = g->next[k];
            e->goes_on[next] = true;
            if (!e->reached[next])
                queue[count++] = next;
            e->reached[next] = true;
        }
}

static foray_status find_reached(ending *e)
{
    const fy_transitions *table = e->table;
    int32_t *queue = NULL;
    graph g = {0};
    bool complete = FY_NEW(&e->arena, g.start, table->given + 1) &&
                    FY_NEW(&e->arena, g.next, table->rows.count) &&
                    FY_NEW(&e->arena, queue, table->given);
    if (complete) {
        read_graph(e, &g);
        walk_graph(e, &g, queue);
    }
    fy_arena_free(g.start);
    fy_arena_free(g.next);
    fy_arena_free(queue);
    return complete ? FORAY_OK : FORAY_ERROR_MEMORY;
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

static foray_status add_absorbing(ending *e, int64_t state)
{
    foray_status status = FORAY_OK;
    for (int64_t a = 0; a < e->table->actions && status == FORAY_OK; a++) {
        fy_transition row = {.state = (int32_t)state,
                             .action = (int32_t)a,
                             .next = (int32_t)state,
                             .probability = 1};
        status = fy_row_list_add(&e->table->rows, &row);
    }
    return status;
}

/* The state that row k of a pair leads to: of those before it that lead to the same one with
 * other rewards there are `rank` different, and each has a twin. */
static foray_status choose_target(ending *e, const fy_transition *pair, int64_t k, int32_t *out)
{
    const fy_transition *row = pair + k;
    int64_t rank = 0;
    char key[64];
    for (int64_t i = 0; i < k; i++) {
        const fy_transition *other = pair + i;
        if (other->untwinned != row->untwinned)
            continue;
        if (other->reward == row->reward) {
            *out = other->next;
            return FORAY_OK;
        }
        bool new = true;
        for (int64_t j = 0; j < i; j++)
            new = new && !(pair[j].untwinned == row->untwinned && pair[j].reward == other->reward);
        rank += new;
    }
    *out = row->untwinned;
    if (rank == 0 || !e->table->has_reward)
        return FORAY_OK;
    int32_t number;
    fy_format(key, sizeof key, "%" PRId32 "/%" PRId64, row->untwinned, rank);
    foray_status status = fy_words_number(&e->twin, key, &number);
    *out = (int32_t)(e->table->given + e->end_twins + number);
    return status;
}

/* Every row leads to where it is meant to; absorbing states lose theirs. */
static foray_status choose_targets(ending *e)
{
    fy_row_list *rows = &e->table->rows;
    fy_row_group pair = {0};
    int64_t kept = 0;
    foray_status status = FORAY_OK;
    while (status == FORAY_OK && fy_row_list_next_pair(rows, &pair)) {
        if (e->absorbing[pair.row->state])
            continue;
        for (int64_t k = 0; k < pair.count && status == FORAY_OK; k++) {
            fy_transition *row = &pair.row[k];
            row->untwinned =
                row->done && e->end_twin[row->next] >= 0 ? e->end_twin[row->next] : row->next;
            status = choose_target(e, pair.row, k, &row->next);
        }
        memmove(rows->row + kept, pair.row, (size_t)pair.count * sizeof *pair.row);
        kept += pair.count;
    }
    rows->count = kept;
    return status;
}

/* Absorbing states stay where they are; another without rows is an error. */
static foray_status add_rowless(ending *e)
{
    const fy_transitions *table = e->table;
    char name[FY_STATE_NAME];
    foray_status status = FORAY_OK;
    for (int64_t s = 0; s < table->given && status == FORAY_OK; s++) {
        if (e->absorbing[s])
            status = add_absorbing(e, s);
        else if (!e->has_rows[s])
            status = fy_fail(table->ctx, FORAY_ERROR_INPUT,
                             "%s: state %s has no row%s: a state that goes on needs an action",
                             table->path, fy_transitions_name(table, s, name),
                             e->reached[s] ? "" : " (nothing leads there)");
    }
    return status;
}

/* ------------------------------------------------------------------------------ twins */

/* A twin by reward, and what it is a twin of: a state of the file, or an absorbing twin. */
typedef struct twin {
    int32_t of, state;
} twin;

static int compare_twins(const void *a, const void *b)
{
    const twin *x = a, *y = b;
    if (x->of != y->of)
        return x->of < y->of ? -1 : 1;
    return (x->state > y->state) - (x->state < y->state);
}

/* Twins by reward go on as what they are twins of. */
static foray_status copy_rows(ending *e, const twin *list, int64_t count)
{
    fy_row_list *rows = &e->table->rows;
    fy_row_list copies = {.ctx = rows->ctx};
    fy_row_group group = {0};
    int64_t k = 0, given = e->table->given;
    foray_status status = FORAY_OK;
    fy_row_list_sort(rows);
    while (k < count && status == FORAY_OK && fy_row_list_next_state(rows, &group))
        for (; k < count && list[k].of == group.row->state && status == FORAY_OK; k++)
            for (int64_t i = 0; i < group.count && status == FORAY_OK; i++) {
                fy_transition row = group.row[i];
                row.state = list[k].state;
                if (list[k].of >= given || e->absorbing[list[k].of])
                    row.next = row.state;
                status = fy_row_list_add(&copies, &row);
            }
    for (int64_t i = 0; i < copies.count && status == FORAY_OK; i++)
        status = fy_row_list_add(rows, &copies.row[i]);
    fy_row_list_free(&copies);
    return status;
}

static foray_status add_reward_twins(ending *e)
{
    fy_transitions *table = e->table;
    twin *list;
    int64_t count = e->twin.count;
    if (count == 0)
        return FORAY_OK;
    if (!FY_ALLOC(table->ctx, list, count))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        int64_t of = 0, place = e->end_twins + i;
        for (const char *digit = fy_words_at(&e->twin, i); *digit != '/'; digit++)
            of = 10 * of + (*digit - '0');
        table->twin_of[place] =
            (int32_t)(of < table->given ? of : table->twin_of[of - table->given]);
        list[i] = (twin){(int32_t)of, (int32_t)(table->given + place)};
    }
    qsort(list, (size_t)count, sizeof *list, compare_twins);
    foray_status status = copy_rows(e, list, count);
    free(list);
    return status;
}

static foray_status add_twins(ending *e)
{
    fy_transitions *table = e->table;
    table->twins = e->end_twins + e->twin.count;
    table->states = table->given + table->twins;
    if (!FY_NEW(&table->arena, table->twin_of, table->twins))
        return FORAY_ERROR_MEMORY;
    foray_status status = FORAY_OK;
    for (int64_t s = 0; s < table->given && status == FORAY_OK; s++)
        if (e->end_twin[s] >= 0) {
            table->twin_of[e->end_twin[s] - table->given] = (int32_t)s;
            status = add_absorbing(e, e->end_twin[s]);
        }
    return status == FORAY_OK ? add_reward_twins(e) : status;
}

foray_status fy_transitions_absorb(fy_transitions *table)
{
    foray_context *ctx = table->ctx;
    ending e = {.arena.ctx = ctx, .table = table, .twin = {.text = {.ctx = ctx}}};
    foray_status status = FORAY_ERROR_MEMORY;
    if (FY_NEW(&e.arena, e.reached, table->given) && FY_NEW(&e.arena, e.has_rows, table->given) &&
        FY_NEW(&e.arena, e.ends, table->given) && FY_NEW(&e.arena, e.goes_on, table->given) &&
        FY_NEW(&e.arena, e.absorbing, table->given) && FY_NEW(&e.arena, e.end_twin, table->given))
        status = find_reached(&e);
    if (status == FORAY_OK) {
        choose_ends(&e);
        status = choose_targets(&e);
    }
    if (status == FORAY_OK)
        status = add_rowless(&e);
    if (status == FORAY_OK)
        status = add_twins(&e);
    fy_row_list_sort(&table->rows);
    fy_arena_release(&e.arena);
    fy_words_free(&e.twin);
    return status;
}
