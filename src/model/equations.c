/* equations.c - the different rows psi_1 of a model, block by block. */
#include "base/index.h"
#include "model/equations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows that differ by rounding only are one equation: sums of the same numbers in
 * another order. They are told apart by their values rounded to 40 bits. */
static uint64_t rounded_bits(double value)
{
    const uint64_t unit = 1u << 12;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return value == 0 ? 0 : (bits + unit / 2) & ~(unit - 1);
}

static uint64_t hash_rounded(const fy_equation *row)
{
    uint64_t hash = (uint64_t)row->block;
    for (int32_t k = 0; k < row->count; k++) {
        uint64_t key[2] = {(uint64_t)row->index[k], rounded_bits(row->value[k])};
        hash = fy_hash(key, sizeof key, hash);
    }
    return hash;
}

static bool equal_rounded(const fy_equation *a, const fy_equation *b)
{
    if (a->block != b->block || a->count != b->count)
        return false;
    for (int32_t k = 0; k < a->count; k++)
        if (a->index[k] != b->index[k] || rounded_bits(a->value[k]) != rounded_bits(b->value[k]))
            return false;
    return true;
}

/* By block, then as words in a dictionary: an order that does not depend on the
 * order of the pairs, so that equal blocks are solved alike to the last bit. */
static int compare_equations(const void *left, const void *right)
{
    const fy_equation *a = left, *b = right;
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    for (int32_t k = 0; k < a->count && k < b->count; k++) {
        if (a->index[k] != b->index[k])
            return a->index[k] < b->index[k] ? -1 : 1;
        if (a->value[k] != b->value[k])
            return a->value[k] < b->value[k] ? -1 : 1;
    }
    return (a->count > b->count) - (a->count < b->count);
}

static int compare_indices(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

/* What is needed only while collecting. */
typedef struct collector {
    fy_arena arena;
    const fy_basis *basis;
    int64_t first, blocks; /* the blocks asked for */
    fy_equations *out;
    int64_t used;     /* of the storage */
    fy_equation last; /* whose numbers were stored last: blocks of one form come in rows */
    double *sum;      /* [max_coords] psi_1, all zero between rows */
    bool *touched;    /* [max_coords] the same */
    fy_index index;   /* of equations, up to rounding */
} collector;

static bool ascending(const int32_t *index, int32_t count)
{
    for (int32_t k = 1; k < count; k++)
        if (index[k - 1] > index[k])
            return false;
    return true;
}

static int64_t block_of(const collector *c, int64_t generator_set)
{
    return c->basis->block_of_generator_set[generator_set];
}

/* psi_1 = sum_j phi_j of one generator set, into the storage. */
static fy_equation sum_generators(collector *c, int64_t generator_set)
{
    const foray_model *model = c->basis->model;
    int64_t first = model->feat_start[model->gen_start[generator_set]];
    int64_t end = model->feat_start[model->gen_start[generator_set + 1]];
    fy_equation row = {.block = (int32_t)(block_of(c, generator_set) - c->first),
                       .index = c->out->index + c->used,
                       .value = c->out->value + c->used};
    for (int64_t k = first; k < end; k++) {
        int32_t i = c->basis->local_of_coord[model->feat_index[k]];
        if (!c->touched[i])
            row.index[row.count++] = i;
        c->touched[i] = true;
        c->sum[i] += model->feat_value[k];
    }
    if (!ascending(row.index, row.count))
        qsort(row.index, (size_t)row.count, sizeof *row.index, compare_indices);
    for (int32_t k = 0; k < row.count; k++) {
        row.value[k] = c->sum[row.index[k]];
        c->sum[row.index[k]] = 0;
        c->touched[row.index[k]] = false;
    }
    return row;
}

/* A row whose numbers are those of the last one, bit for bit, needs no room of its own. */
static void store_row(collector *c, fy_equation *row)
{
    size_t count = (size_t)row->count;
    if (c->last.count == row->count && row->count > 0 &&
        memcmp(c->last.index, row->index, count * sizeof *row->index) == 0 &&
        memcmp(c->last.value, row->value, count * sizeof *row->value) == 0) {
        row->index = c->last.index;
        row->value = c->last.value;
        return;
    }
    c->last = *row;
    c->used += row->count;
}

/* Keeps a row, or, of rows that differ by rounding, the first in the dictionary. */
static void keep_row(collector *c, fy_equation row)
{
    uint64_t at = fy_index_start(hash_rounded(&row));
    for (int64_t e; (e = fy_index_at(&c->index, at)) >= 0; at++) {
        fy_equation *old = &c->out->equation[e];
        if (!equal_rounded(old, &row))
            continue;
        if (compare_equations(&row, old) < 0) {
            store_row(c, &row); /* others may have the numbers of the old one */
            *old = row;
        }
        return;
    }
    store_row(c, &row);
    fy_index_put(&c->index, at, c->out->count);
    c->out->equation[c->out->count++] = row;
}

static bool in_order(const fy_equations *equations)
{
    for (int64_t e = 1; e < equations->count; e++)
        if (compare_equations(&equations->equation[e - 1], &equations->equation[e]) > 0)
            return false;
    return true;
}

static void group_by_block(fy_equations *equations, int64_t blocks)
{
    if (!in_order(equations))
        qsort(equations->equation, (size_t)equations->count, sizeof *equations->equation,
              compare_equations);
    for (int64_t e = 0; e < equations->count; e++)
        equations->start[equations->equation[e].block + 1]++;
    for (int64_t block = 0; block < blocks; block++)
        equations->start[block + 1] += equations->start[block];
}

static bool is_asked_for(const collector *c, int64_t generator_set)
{
    int64_t block = block_of(c, generator_set);
    return block >= c->first && block < c->first + c->blocks;
}

static bool allocate_collector(collector *c)
{
    const fy_basis *basis = c->basis;
    const foray_model *model = basis->model;
    int64_t sets = 0, features = 0;
    for (int64_t set = 0; set < model->generator_sets; set++)
        if (is_asked_for(c, set)) {
            sets++;
            features += model->feat_start[model->gen_start[set + 1]] -
                        model->feat_start[model->gen_start[set]];
        }
    return FY_NEW(&c->out->arena, c->out->equation, sets) &&
           FY_NEW(&c->out->arena, c->out->start, c->blocks + 1) &&
           FY_NEW(&c->out->arena, c->out->index, features) &&
           FY_NEW(&c->out->arena, c->out->value, features) &&
           FY_NEW(&c->arena, c->sum, basis->max_coords) &&
           FY_NEW(&c->arena, c->touched, basis->max_coords) &&
           fy_index_create(c->arena.ctx, &c->index, sets);
}

foray_status fy_equations_create(foray_context *ctx, const fy_basis *basis, int64_t first,
                                 int64_t blocks, fy_equations *out)
{
    collector c = {.arena.ctx = ctx, .basis = basis, .first = first, .blocks = blocks, .out = out};
    *out = (fy_equations){.arena.ctx = ctx};
    bool allocated = allocate_collector(&c);
    for (int64_t set = 0; allocated && set < basis->model->generator_sets; set++)
        if (is_asked_for(&c, set))
            keep_row(&c, sum_generators(&c, set));
    fy_index_free(&c.index);
    fy_arena_release(&c.arena);
    if (!allocated) {
        fy_equations_destroy(out);
        return FORAY_ERROR_MEMORY;
    }
    group_by_block(out, blocks);
    return FORAY_OK;
}

/* Makes room by half as much again; FALSE: there is none. */
static bool grow(fy_arena *arena, void **array, size_t size, int64_t needed, int64_t *room)
{
    if (needed <= *room)
        return true;
    int64_t more = needed + *room / 2;
    void *grown = fy_arena_resize(arena, *array, (size_t)more, size);
    if (!grown)
        return false;
    *array = grown;
    *room = more;
    return true;
}

static bool grow_equations(fy_equations *to, int64_t rows, int64_t entries)
{
    fy_arena *arena = &to->arena;
    int64_t index_room = to->entry_room;
    const int32_t *before = to->index;
    if (!grow(arena, (void **)&to->equation, sizeof *to->equation, to->count + rows, &to->room) ||
        !grow(arena, (void **)&to->start, sizeof *to->start, to->blocks + 2, &to->block_room) ||
        !grow(arena, (void **)&to->index, sizeof *to->index, to->entries + entries, &index_room) ||
        !grow(arena, (void **)&to->value, sizeof *to->value, to->entries + entries,
              &to->entry_room))
        return false;
    /* Storage may have moved: the numbers of equations lie one behind the other. */
    for (int64_t e = 0, at = 0; before != to->index && e < to->count;
         at += to->equation[e++].count) {
        to->equation[e].index = to->index + at;
        to->equation[e].value = to->value + at;
    }
    return true;
}

foray_status fy_equations_add(foray_context *ctx, fy_equations *to, const fy_equations *from,
                              int64_t block)
{
    const fy_equation *row = from->equation + from->start[block];
    int64_t rows = from->start[block + 1] - from->start[block], entries = 0;
    for (int64_t e = 0; e < rows; e++)
        entries += row[e].count;
    to->arena.ctx = ctx;
    if (!grow_equations(to, rows, entries))
        return FORAY_ERROR_MEMORY;
    to->start[to->blocks++] = to->count;
    for (int64_t e = 0; e < rows; e++) {
        size_t count = (size_t)row[e].count;
        fy_equation *own = &to->equation[to->count++];
        *own = (fy_equation){.block = (int32_t)to->blocks - 1,
                             .count = row[e].count,
                             .index = to->index + to->entries,
                             .value = to->value + to->entries};
        memcpy(own->index, row[e].index, count * sizeof *row->index);
        memcpy(own->value, row[e].value, count * sizeof *row->value);
        to->entries += row[e].count;
    }
    to->start[to->blocks] = to->count;
    return FORAY_OK;
}

void fy_equations_destroy(fy_equations *equations)
{
    fy_arena_release(&equations->arena);
}

bool fy_equations_equal(const fy_equations *one, int64_t a, const fy_equations *other, int64_t b)
{
    const fy_equation *x = one->equation + one->start[a];
    const fy_equation *y = other->equation + other->start[b];
    int64_t count = one->start[a + 1] - one->start[a];
    if (count != other->start[b + 1] - other->start[b])
        return false;
    for (int64_t e = 0; e < count; e++) {
        if (x[e].count != y[e].count)
            return false;
        size_t entries = (size_t)x[e].count;
        if (memcmp(x[e].index, y[e].index, entries * sizeof *x->index) != 0 ||
            memcmp(x[e].value, y[e].value, entries * sizeof *x->value) != 0)
            return false;
    }
    return true;
}

uint64_t fy_equations_hash(const fy_equations *equations, int64_t block)
{
    uint64_t hash = 0;
    for (int64_t e = equations->start[block]; e < equations->start[block + 1]; e++) {
        const fy_equation *row = &equations->equation[e];
        size_t entries = (size_t)row->count;
        hash = fy_hash(row->index, entries * sizeof *row->index, hash);
        hash = fy_hash(row->value, entries * sizeof *row->value, hash);
    }
    return hash;
}
