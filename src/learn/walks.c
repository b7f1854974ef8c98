#include "learn/walks.h"
#include "learn/arrangement.h"
#include "learn/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is under construction, with room for the largest generator set. */
typedef struct builder {
    foray_context *ctx;
    const fy_form *form;
    fy_walks_limits limits;
    fy_walks *walks;
    int64_t walk_room, side_room, flip_room, sides, flips;
    int64_t *slot; /* finds walks by what they depend on */
    uint64_t mask;
    double *generator; /* [n][d_g] of the set at hand */
    double *direction; /* [n][d_g] merged, of norm 1 */
    double *other;     /* [n][d_g] of a set compared with it */
    int32_t *side;     /* [n] */
} builder;

/* What a look at one generator set finds. */
typedef struct shape {
    int64_t genset, generators, dim, groups, rank;
    bool listed;
    int64_t vertices, visits;
    uint64_t hash;
} shape;

/* Generators smaller than this, relative to the features, are rounding. */
static const double negligible = 1e-13;
/* A group's distance from the span of others, relative to its norm, that means dependence. */
static const double dependent = 1e-10;

/* -------------------------------------------------- the shape of a zonotope */

/* The largest ||phi_j|| of a set, before centring. */
static double feature_size(const foray_model *model, int64_t genset)
{
    double size = 0;
    for (int64_t j = model->gen_start[genset]; j < model->gen_start[genset + 1]; j++) {
        int64_t at = model->feat_start[j], count = model->feat_start[j + 1] - at;
        size = fmax(size, fy_dot(model->feat_value + at, model->feat_value + at, count));
    }
    return sqrt(size);
}

/* Merges the generators that are not zero; returns the number of groups. */
static int64_t merge_generators(builder *b, const shape *set)
{
    int64_t d = set->dim, kept = 0;
    double floor = negligible * feature_size(b->form->model, set->genset);
    for (int64_t j = 0; j < set->generators; j++) {
        const double *g = b->generator + j * d;
        if (sqrt(fy_dot(g, g, d)) > floor)
            memcpy(b->direction + d * kept++, g, (size_t)d * sizeof *g);
    }
    int64_t groups = fy_merge_parallel(kept, d, b->direction, b->side);
    /* Spread the sides out again, from the back, with 0 for those left out. */
    for (int64_t j = set->generators - 1; j >= 0; j--) {
        const double *g = b->generator + j * d;
        b->side[j] = sqrt(fy_dot(g, g, d)) > floor ? b->side[--kept] : 0;
    }
    return groups;
}

/* x -= sum_k <q_k, x> q_k over `count` orthonormal rows, twice for accuracy; returns ||x||. */
static double orthogonal_part(int64_t count, int64_t dim, const double *q, double *x)
{
    for (int pass = 0; pass < 2; pass++)
        for (int64_t k = 0; k < count; k++) {
            double along = fy_dot(q + k * dim, x, dim);
            for (int64_t i = 0; i < dim; i++)
                x[i] -= along * q[k * dim + i];
        }
    return sqrt(fy_dot(x, x, dim));
}

/* The rank of the directions, and in `other` an orthonormal basis of their span. */
static int64_t find_rank(builder *b, const shape *set)
{
    int64_t d = set->dim, rank = 0;
    for (int64_t k = 0; k < set->groups && rank < d; k++) {
        double *x = b->other + rank * d;
        memcpy(x, b->direction + k * d, (size_t)d * sizeof *x);
        double norm = orthogonal_part(rank, d, b->other, x);
        for (int64_t i = 0; i < d; i++)
            x[i] /= norm > 0 ? norm : 1;
        rank += norm > dependent;
    }
    return rank;
}

/* 2^count, INT64_MAX if that is not representable. */
static int64_t subsets(int64_t count)
{
    return count < 63 ? (int64_t)1 << count : INT64_MAX;
}

/* Tree or list? A visit costs about two operations in a tree, some 2 d in a list, which
 * must also be enumerated, stored and read: it has to be the shorter by as much. */
static void choose_walk(const builder *b, shape *set)
{
    int64_t all = subsets(set->groups);
    set->vertices = fy_cells_bound(set->groups, set->rank);
    int64_t width = set->dim < set->groups ? set->dim : set->groups;
    set->listed = (double)all > (double)set->vertices * (2 + (double)width / 2);
    set->visits = set->listed ? set->vertices : all;
    if (b->walks->half && set->groups > 0)
        set->visits /= 2;
}

static shape look_at(builder *b, int64_t genset)
{
    const fy_form *form = b->form;
    shape set = {.genset = genset,
                 .generators = fy_genset_size(form->model, genset),
                 .dim = form->block[form->block_of_genset[genset]].dim};
    fy_form_generators(form, genset, b->generator);
    set.groups = merge_generators(b, &set);
    set.rank = find_rank(b, &set);
    choose_walk(b, &set);
    size_t n = (size_t)set.generators, d = (size_t)set.dim;
    set.hash = fy_hash(b->side, n * sizeof *b->side, (uint64_t)set.listed);
    if (set.listed)
        set.hash = fy_hash(b->generator, n * d * sizeof *b->generator, set.hash);
    return set;
}

/* ----------------------------------------------------------------- sharing */

/* Does a walk made for another set serve this one? */
static bool serves(builder *b, const fy_walk *walk, const shape *set)
{
    size_t n = (size_t)set->generators, d = (size_t)set->dim;
    if (walk->generators != set->generators || walk->listed != set->listed ||
        memcmp(b->walks->side + walk->at_side, b->side, n * sizeof *b->side) != 0)
        return false;
    if (!set->listed)
        return true;
    if (b->form->block[b->form->block_of_genset[walk->genset]].dim != set->dim)
        return false;
    fy_form_generators(b->form, walk->genset, b->other);
    return memcmp(b->generator, b->other, n * d * sizeof *b->other) == 0;
}

/* Where the walk of a set stands in the table, or would. */
static int64_t *find_slot(builder *b, const shape *set)
{
    uint64_t at = (set->hash ^ set->hash >> 32) & b->mask;
    while (b->slot[at] >= 0 && !serves(b, b->walks->walk + b->slot[at], set))
        at = (at + 1) & b->mask;
    return b->slot + at;
}

/* ----------------------------------------------------------- lists of flips */

/* Directions in coordinates of their span: out[k][i] = <q_i, direction_k>. */
static void reduce_directions(builder *b, const shape *set, double *out)
{
    for (int64_t k = 0; k < set->groups; k++)
        for (int64_t i = 0; i < set->rank; i++)
            out[k * set->rank + i] =
                fy_dot(b->other + i * set->dim, b->direction + k * set->dim, set->dim);
}

/* The order of a walk through all cells: depth first along single flips, where the
 * table of cells has them; from a dead end straight to the next cell not yet met. */
typedef struct tour {
    const fy_cells *cells;
    fy_cell_table table;
    uint64_t *sign;     /* [words] of the neighbour tried */
    uint64_t *here;     /* [words] where the list of flips has come to */
    int64_t *path;      /* [count] cells on the way down */
    int32_t *next_flip; /* [count] which neighbour of a cell to try next */
    bool *met;          /* [count] */
} tour;

static bool push_flip(builder *b, uint16_t flip)
{
    if (b->flips == b->flip_room) {
        int64_t room = b->flip_room ? 2 * b->flip_room : 1024;
        uint16_t *more = fy_resize(b->ctx, b->walks->flip, (size_t)room, sizeof *more);
        if (!more)
            return false;
        b->walks->flip = more;
        b->flip_room = room;
    }
    b->walks->flip[b->flips++] = flip;
    return true;
}

/* Adds the flips that lead from where the list is to `cell`. */
static bool go_to(builder *b, tour *t, int64_t cell)
{
    const uint64_t *sign = t->cells->sign + cell * t->cells->words;
    int64_t before = b->flips;
    for (int64_t w = 0; w < t->cells->words; w++) {
        for (uint64_t rest = t->here[w] ^ sign[w]; rest; rest &= rest - 1)
            if (!push_flip(b, (uint16_t)(64 * w + __builtin_ctzll(rest))))
                return false;
        t->here[w] = sign[w];
    }
    /* No flips: this is the empty subset, visited at the start of every walk. */
    if (b->flips > before)
        b->walks->flip[b->flips - 1] |= FY_FLIP_VISIT;
    t->met[cell] = true;
    return true;
}

/* A neighbour of `cell` not met yet, or -1. */
static int64_t next_neighbour(tour *t, int64_t cell)
{
    int64_t words = t->cells->words;
    memcpy(t->sign, t->cells->sign + cell * words, (size_t)words * sizeof *t->sign);
    while (t->next_flip[cell] < t->cells->vectors) {
        int32_t k = t->next_flip[cell]++;
        t->sign[k / 64] ^= (uint64_t)1 << (k % 64);
        int64_t found = fy_cell_table_find(&t->table, t->sign);
        if (found >= 0 && !t->met[found])
            return found;
        t->sign[k / 64] ^= (uint64_t)1 << (k % 64);
    }
    return -1;
}

static bool descend(builder *b, tour *t, int64_t root)
{
    int64_t depth = 0;
    t->path[depth++] = root;
    if (!go_to(b, t, root))
        return false;
    while (depth > 0) {
        int64_t next = next_neighbour(t, t->path[depth - 1]);
        if (next < 0) {
            depth--;
            continue;
        }
        if (!go_to(b, t, next))
            return false;
        t->path[depth++] = next;
    }
    return true;
}

static foray_status list_flips(builder *b, const fy_cells *cells)
{
    tour t = {.cells = cells};
    bool done = fy_cell_table_create(b->ctx, cells, &t.table) == FORAY_OK &&
                FY_ALLOC(b->ctx, t.sign, cells->words) && FY_ALLOC(b->ctx, t.here, cells->words) &&
                FY_ALLOC(b->ctx, t.path, cells->count) &&
                FY_ALLOC(b->ctx, t.next_flip, cells->count) &&
                FY_ALLOC(b->ctx, t.met, cells->count);
    for (int64_t i = 0; done && i < cells->count; i++)
        if (!t.met[i])
            done = descend(b, &t, i);
    fy_cell_table_free(&t.table);
    free(t.sign);
    free(t.here);
    free(t.path);
    free(t.next_flip);
    free(t.met);
    return done ? FORAY_OK : FORAY_ERROR_MEMORY;
}

/* Turns cells round, so that the first group is out in all of them. */
static void leave_out_first(fy_cells *cells)
{
    for (int64_t i = 0; i < cells->count; i++)
        for (int64_t k = 0; k < cells->vectors; k++)
            cells->sign[i * cells->words + k / 64] ^= (uint64_t)1 << (k % 64);
}

/* Enumerates the vertices of a set and lists them. */
static foray_status make_list(builder *b, shape *set)
{
    fy_cells cells;
    double *reduced;
    if (!FY_ALLOC(b->ctx, reduced, set->groups * set->rank))
        return FORAY_ERROR_MEMORY;
    find_rank(b, set);
    reduce_directions(b, set, reduced);
    foray_status status = fy_cells_find(b->ctx, set->groups, set->rank, reduced, &cells);
    free(reduced);
    if (status)
        return status;
    set->vertices = 2 * cells.count;
    if (b->walks->half)
        leave_out_first(&cells);
    else
        status = fy_cells_double(b->ctx, &cells);
    set->visits = cells.count;
    if (status == FORAY_OK)
        status = list_flips(b, &cells);
    fy_cells_free(&cells);
    return status;
}

/* ----------------------------------------------------------------- budget */

static foray_status refuse(const builder *b, const shape *set, const char *what, double much,
                           double limit)
{
    int64_t pair = b->form->model->genset_pair[set->genset], actions = b->form->model->actions;
    return fy_fail(b->ctx, FORAY_ERROR_USAGE,
                   "exact inner maximisation: at state %lld, action %lld (%lld successors in %lld "
                   "dimensions) %s reaches %.3g, more than %.3g: use ascent",
                   (long long)(pair / actions), (long long)(pair % actions),
                   (long long)set->generators, (long long)set->rank, what, much, limit);
}

/* Before anything is enumerated: what the set would add, in the worst case. */
static foray_status check_limits(const builder *b, const shape *set, bool is_new)
{
    double visits = (double)b->walks->visits + (double)set->visits;
    if (visits > (double)b->limits.visits)
        return refuse(b, set, "the number of vertices", visits, (double)b->limits.visits);
    if (!is_new || !set->listed)
        return FORAY_OK;
    if (set->groups > FY_FLIP_GROUP)
        return refuse(b, set, "the number of different directions", (double)set->groups,
                      FY_FLIP_GROUP);
    /* A list takes about 2 flips per vertex; while it is made, also signs and witnesses. */
    double flips = 2.0 * (double)set->visits * sizeof(uint16_t);
    int64_t per_vertex = 8 * set->rank + set->groups / 8 + 40;
    double cells = (double)set->vertices * (double)per_vertex;
    double bytes = (double)b->walks->bytes + flips + cells;
    if (bytes > (double)b->limits.bytes)
        return refuse(b, set, "the memory for vertex lists", bytes, (double)b->limits.bytes);
    return FORAY_OK;
}

/* ------------------------------------------------------------------ build */

static bool make_room(builder *b, int64_t generators)
{
    fy_walks *walks = b->walks;
    if (walks->count == b->walk_room) {
        int64_t room = b->walk_room ? 2 * b->walk_room : 64;
        fy_walk *more = fy_resize(b->ctx, walks->walk, (size_t)room, sizeof *more);
        if (!more)
            return false;
        walks->walk = more;
        b->walk_room = room;
    }
    if (b->sides + generators > b->side_room) {
        int64_t room = 2 * (b->sides + generators);
        int32_t *more = fy_resize(b->ctx, walks->side, (size_t)room, sizeof *more);
        if (!more)
            return false;
        walks->side = more;
        b->side_room = room;
    }
    return true;
}

static foray_status add_walk(builder *b, shape *set)
{
    int64_t at_flip = b->flips;
    if (!make_room(b, set->generators))
        return FORAY_ERROR_MEMORY;
    if (set->listed && make_list(b, set))
        return FORAY_ERROR_MEMORY;
    fy_walks *walks = b->walks;
    memcpy(walks->side + b->sides, b->side, (size_t)set->generators * sizeof *b->side);
    walks->walk[walks->count++] = (fy_walk){.generators = (int32_t)set->generators,
                                            .groups = (int32_t)set->groups,
                                            .listed = set->listed,
                                            .at_side = b->sides,
                                            .at_flip = at_flip,
                                            .flips = b->flips - at_flip,
                                            .vertices = set->vertices,
                                            .visits = set->visits,
                                            .genset = set->genset};
    b->sides += set->generators;
    walks->bytes = b->flips * (int64_t)sizeof *walks->flip;
    if (set->groups > walks->most_groups)
        walks->most_groups = (int32_t)set->groups;
    return FORAY_OK;
}

static foray_status add_set(builder *b, int64_t genset)
{
    shape set = look_at(b, genset);
    int64_t *slot = find_slot(b, &set);
    foray_status status = check_limits(b, &set, *slot < 0);
    if (status)
        return status;
    if (*slot < 0) {
        if (add_walk(b, &set))
            return FORAY_ERROR_MEMORY;
        *slot = b->walks->count - 1;
    }
    const fy_walk *walk = b->walks->walk + *slot;
    b->walks->walk_of[genset] = (int32_t)*slot;
    b->walks->vertices += walk->listed ? walk->vertices : set.vertices;
    b->walks->visits += walk->visits;
    return FORAY_OK;
}

static bool prepare(builder *b)
{
    const fy_form *form = b->form;
    int64_t most = form->most_generators * (form->most_dim > 0 ? form->most_dim : 1);
    uint64_t size = 16;
    while (size < 2 * (uint64_t)form->model->gensets)
        size *= 2;
    b->mask = size - 1;
    if (!FY_ALLOC(b->ctx, b->slot, size) || !FY_ALLOC(b->ctx, b->generator, most) ||
        !FY_ALLOC(b->ctx, b->direction, most) || !FY_ALLOC(b->ctx, b->other, most) ||
        !FY_ALLOC(b->ctx, b->side, form->most_generators) || !FY_ALLOC(b->ctx, b->walks, 1))
        return false;
    for (uint64_t i = 0; i < size; i++)
        b->slot[i] = -1;
    b->walks->half = form->centred;
    return FY_ALLOC(b->ctx, b->walks->walk_of, form->model->gensets);
}

foray_status fy_walks_create(foray_context *ctx, const fy_form *form, fy_walks_limits limits,
                             fy_walks **out)
{
    builder b = {.ctx = ctx, .form = form, .limits = limits};
    foray_status status = prepare(&b) ? FORAY_OK : FORAY_ERROR_MEMORY;
    for (int64_t set = 0; status == FORAY_OK && set < form->model->gensets; set++)
        status = add_set(&b, set);
    free(b.slot);
    free(b.generator);
    free(b.direction);
    free(b.other);
    free(b.side);
    if (status == FORAY_OK)
        *out = b.walks;
    else
        fy_walks_destroy(b.walks);
    return status;
}

void fy_walks_destroy(fy_walks *walks)
{
    if (!walks)
        return;
    free(walks->walk);
    free(walks->walk_of);
    free(walks->side);
    free(walks->flip);
    free(walks);
}
