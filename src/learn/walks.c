#include "learn/walks.h"
#include "learn/arrangement.h"
#include "learn/dense.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is under construction, with room for the largest generator set. */
typedef struct builder {
    foray_context *ctx;
    fy_arena scratch;
    const fy_basis *basis;
    fy_walks_limits limits;
    fy_walks *walks; /* whose lists grow */
    int64_t walk_room, side_room, sides;
    fy_flips flips;
    double visits, bytes; /* against the limits; these may be beyond all integers */
    int64_t *slot;        /* finds walks by what they depend on */
    uint64_t mask;
    double *generator; /* [n][d_g] of the set at hand */
    double *direction; /* [n][d_g] merged, of norm 1 */
    double *other;     /* [n][d_g] of a set compared with it */
    int32_t *side;     /* [n] */
} builder;

/* What a look at one generator set finds. */
typedef struct shape {
    int64_t generator_set, generators, dim, groups, rank;
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
static double feature_size(const foray_model *model, int64_t generator_set)
{
    double size = 0;
    for (int64_t j = model->gen_start[generator_set]; j < model->gen_start[generator_set + 1];
         j++) {
        int64_t at = model->feat_start[j], count = model->feat_start[j + 1] - at;
        size = fmax(size, fy_dot(model->feat_value + at, model->feat_value + at, count));
    }
    return sqrt(size);
}

/* Merges the generators that are not zero; returns the number of groups. */
static int64_t merge_generators(builder *b, const shape *set)
{
    int64_t d = set->dim, kept = 0;
    double floor = negligible * feature_size(b->basis->model, set->generator_set);
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

static shape look_at(builder *b, int64_t generator_set)
{
    const fy_basis *basis = b->basis;
    shape set = {.generator_set = generator_set,
                 .generators = fy_generator_set_size(basis->model, generator_set),
                 .dim = basis->block[basis->block_of_generator_set[generator_set]].dim};
    fy_basis_generators(basis, generator_set, b->generator);
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
        walk->vertices != set->vertices ||
        memcmp(b->walks->side + walk->at_side, b->side, n * sizeof *b->side) != 0)
        return false;
    if (!set->listed)
        return true;
    if (b->basis->block[b->basis->block_of_generator_set[walk->generator_set]].dim != set->dim)
        return false;
    fy_basis_generators(b->basis, walk->generator_set, b->other);
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

/* ----------------------------------------------------------------- budget */

static foray_status refuse(const builder *b, int64_t generator_set, const char *what, double much,
                           double limit)
{
    const foray_model *model = b->basis->model;
    int64_t pair = model->generator_set_pair[generator_set];
    return fy_fail(b->ctx, FORAY_ERROR_USAGE,
                   "exact inner maximisation: at state %" PRId64 ", action %" PRId64 " (%" PRId64
                   " successors in %d "
                   "dimensions) %s reaches %.3g, more than %.3g: use ascent",
                   (pair / model->actions), (pair % model->actions),
                   fy_generator_set_size(model, generator_set),
                   (int)b->basis->block[b->basis->block_of_generator_set[generator_set]].dim, what,
                   much, limit);
}

/* Counts the points that a set has to visit. */
static foray_status add_visits(builder *b, int64_t generator_set, int64_t visits)
{
    b->visits += (double)visits;
    if (b->visits > (double)b->limits.visits)
        return refuse(b, generator_set, "the number of vertices", b->visits,
                      (double)b->limits.visits);
    return FORAY_OK;
}

/* Before anything is enumerated: may the set be added? A list counts with what it takes
 * while it is made, its signs, witnesses and tables, which is also a measure of the time:
 * some microseconds for each hundred bytes. */
static foray_status check_limits(builder *b, const shape *set, bool is_new)
{
    foray_status status = add_visits(b, set->generator_set, set->visits);
    if (status != FORAY_OK)
        return status;
    if (!is_new || !set->listed)
        return FORAY_OK;
    if (set->groups > FY_FLIP_GROUP)
        return refuse(b, set->generator_set, "the number of different directions",
                      (double)set->groups, FY_FLIP_GROUP);
    b->bytes += (double)set->vertices * (8.0 * (double)set->rank + (double)set->groups / 8 + 64);
    if (b->bytes > (double)b->limits.bytes)
        return refuse(b, set->generator_set, "the memory for vertex lists", b->bytes,
                      (double)b->limits.bytes);
    return FORAY_OK;
}

/* ------------------------------------------------------------------ build */

static bool make_room_for_walk(builder *b, int64_t generators)
{
    fy_walks *walks = b->walks;
    fy_walk *walk = fy_grow(b->ctx, walks->walk, &b->walk_room, walks->count + 1, sizeof *walk);
    if (!walk)
        return false;
    walks->walk = walk;
    int64_t sides = b->sides + generators;
    int32_t *side = fy_grow(b->ctx, walks->side, &b->side_room, sides, sizeof *side);
    if (!side)
        return false;
    walks->side = side;
    return true;
}

static foray_status add_walk(builder *b, const shape *set)
{
    fy_walks *walks = b->walks;
    if (!make_room_for_walk(b, set->generators))
        return FORAY_ERROR_MEMORY;
    memcpy(walks->side + b->sides, b->side, (size_t)set->generators * sizeof *b->side);
    walks->walk[walks->count++] = (fy_walk){.generators = (int32_t)set->generators,
                                            .groups = (int32_t)set->groups,
                                            .listed = set->listed,
                                            .at_side = b->sides,
                                            .vertices = set->vertices,
                                            .visits = set->visits,
                                            .generator_set = set->generator_set};
    b->sides += set->generators;
    if (set->groups > walks->most_groups)
        walks->most_groups = (int32_t)set->groups;
    return FORAY_OK;
}

/* First all sets find the walk they share, or get one; lists are still empty. */
static foray_status add_set(builder *b, int64_t generator_set)
{
    shape set = look_at(b, generator_set);
    int64_t *slot = find_slot(b, &set);
    foray_status status = check_limits(b, &set, *slot < 0);
    if (status != FORAY_OK)
        return status;
    if (*slot < 0) {
        if (add_walk(b, &set))
            return FORAY_ERROR_MEMORY;
        *slot = b->walks->count - 1;
    }
    b->walks->walk_of[generator_set] = (int32_t)*slot;
    return FORAY_OK;
}

/* Then lists are made. Directions too nearly dependent for that are left to a tree. */
static foray_status fill_walk(builder *b, fy_walk *walk)
{
    shape set = look_at(b, walk->generator_set);
    fy_directions directions = {.count = set.groups,
                                .dim = set.dim,
                                .rank = set.rank,
                                .row = b->direction,
                                .basis = b->other};
    bool half = b->walks->half;
    walk->at_flip = b->flips.count;
    foray_status status = fy_flips_add(b->ctx, &b->flips, &directions, half, &walk->visits);
    if (status == FORAY_OK) {
        walk->flips = b->flips.count - walk->at_flip;
        walk->vertices = half ? 2 * walk->visits : walk->visits;
    }
    if (status != FORAY_ERROR_USAGE)
        return status;
    walk->listed = false;
    walk->visits = subsets(set.groups - half);
    return FORAY_OK;
}

static foray_status fill_walks(builder *b)
{
    fy_walks *walks = b->walks;
    foray_status status = FORAY_OK;
    for (int64_t i = 0; status == FORAY_OK && i < walks->count; i++)
        if (walks->walk[i].listed)
            status = fill_walk(b, walks->walk + i);
    b->visits = 0;
    for (int64_t set = 0; status == FORAY_OK && set < b->basis->model->generator_sets; set++) {
        const fy_walk *walk = walks->walk + walks->walk_of[set];
        status = add_visits(b, set, walk->visits);
        walks->vertices += walk->vertices;
    }
    walks->visits = (int64_t)b->visits;
    walks->bytes = b->flips.count * (int64_t)sizeof *walks->flip;
    return status;
}

static bool prepare(builder *b)
{
    const fy_basis *basis = b->basis;
    int64_t max = basis->most_generators * (basis->most_dim > 0 ? basis->most_dim : 1);
    uint64_t size = 16;
    while (size < 2 * (uint64_t)basis->model->generator_sets)
        size *= 2;
    b->mask = size - 1;
    b->walks->half = basis->centred;
    if (!FY_NEW(&b->scratch, b->slot, size) || !FY_NEW(&b->scratch, b->generator, max) ||
        !FY_NEW(&b->scratch, b->direction, max) || !FY_NEW(&b->scratch, b->other, max) ||
        !FY_NEW(&b->scratch, b->side, basis->most_generators) ||
        !FY_NEW(&b->scratch, b->walks->walk_of, basis->model->generator_sets))
        return false;
    for (uint64_t i = 0; i < size; i++)
        b->slot[i] = -1;
    return true;
}

/* What has grown, at its final size. */
static bool move_to_arena(fy_arena *arena, const builder *b, fy_walks *to)
{
    size_t walks = (size_t)to->count, sides = (size_t)b->sides, flips = (size_t)b->flips.count;
    size_t sets = (size_t)b->basis->model->generator_sets;
    const fy_walks *from = b->walks;
    if (!FY_NEW(arena, to->walk, walks) || !FY_NEW(arena, to->walk_of, sets) ||
        !FY_NEW(arena, to->side, sides) || !FY_NEW(arena, to->flip, flips))
        return false;
    memcpy(to->walk, from->walk, walks * sizeof *to->walk);
    memcpy(to->walk_of, from->walk_of, sets * sizeof *to->walk_of);
    memcpy(to->side, from->side, sides * sizeof *to->side);
    if (flips > 0)
        memcpy(to->flip, b->flips.flip, flips * sizeof *to->flip);
    return true;
}

foray_status fy_walks_create(fy_arena *arena, const fy_basis *basis, fy_walks_limits limits,
                             fy_walks **out)
{
    fy_walks growing = {0}, *walks;
    builder b = {.ctx = arena->ctx,
                 .scratch = {.ctx = arena->ctx},
                 .basis = basis,
                 .limits = limits,
                 .walks = &growing};
    foray_status status = prepare(&b) ? FORAY_OK : FORAY_ERROR_MEMORY;
    for (int64_t set = 0; status == FORAY_OK && set < basis->model->generator_sets; set++)
        status = add_set(&b, set);
    if (status == FORAY_OK)
        status = fill_walks(&b);
    if (status == FORAY_OK && !FY_NEW(arena, walks, 1))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK) {
        *walks = growing;
        status = move_to_arena(arena, &b, walks) ? FORAY_OK : FORAY_ERROR_MEMORY;
    }
    fy_arena_release(&b.scratch);
    free(growing.walk);
    free(growing.side);
    free(b.flips.flip);
    if (status == FORAY_OK)
        *out = walks;
    return status;
}
