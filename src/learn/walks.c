/* walks.c - the vertices of a zonotope as the cells of an arrangement of hyperplanes, lists of them
 * as flips from one to the next, and the walks of all generator sets. */
#include "base/index.h"
#include "learn/walks.h"
#include "learn/dense.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ======================================================================================== cells */

/* A table that finds cells by their signs. */
typedef struct cell_table {
    const fy_cells *cells;
    fy_index index; /* of cells, by their signs */
} cell_table;

/* Deletion and restriction. Adding hyperplane k to an arrangement cuts exactly those
 * cells whose signs also occur in the arrangement *restricted* to that hyperplane: the
 * one of the vectors projected onto it, a problem of one dimension less. All other
 * cells lie on one side, and any point in them tells which. So every cell is found
 * once, at a cost of O(count * dim), with a witness that is at least half as far from
 * every hyperplane as the one it came from. */

static inline uint64_t *sign_of(const fy_cells *cells, int64_t i)
{
    return cells->sign + i * cells->words;
}

static inline double *witness_of(const fy_cells *cells, int64_t i)
{
    return cells->witness + i * cells->dim;
}

static inline bool sign_bit(const uint64_t *sign, int64_t k)
{
    return sign[k / 64] >> (k % 64) & 1;
}

static inline void set_sign_bit(uint64_t *sign, int64_t k, bool positive)
{
    uint64_t bit = (uint64_t)1 << (k % 64);
    sign[k / 64] = positive ? sign[k / 64] | bit : sign[k / 64] & ~bit;
}

/* ------------------------------------------------------------------ bounds */

/* a + b, saturating. */
static int64_t add_capped(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

int64_t fy_cells_bound(int64_t count, int64_t rank)
{
    if (count == 0 || rank == 0)
        return 1;
    /* C(count-1, i) = C(count-1, i-1) (count-i) / i, in an order that stays whole */
    int64_t total = 0, choose = 1;
    for (int64_t i = 0; i < rank && i < count; i++) {
        if (i > 0) {
            __int128 next = (__int128)choose * (count - i) / i;
            choose = next > INT64_MAX ? INT64_MAX : (int64_t)next;
        }
        total = add_capped(total, choose);
        if (total == INT64_MAX)
            return INT64_MAX;
    }
    return add_capped(total, total);
}

/* ------------------------------------------------------------------- lists */

void fy_cells_free(fy_cells *cells)
{
    free(cells->sign);
    free(cells->witness);
    *cells = (fy_cells){0};
}

static foray_status reserve(foray_context *ctx, fy_cells *cells, int64_t more)
{
    int64_t needed = cells->count + more, room = cells->capacity ? cells->capacity : 16;
    if (needed <= cells->capacity)
        return FORAY_OK;
    while (room < needed)
        room *= 2;
    uint64_t *sign = fy_resize(ctx, cells->sign, (size_t)room, (size_t)cells->words * sizeof *sign);
    if (!sign)
        return FORAY_ERROR_MEMORY;
    cells->sign = sign;
    double *witness =
        fy_resize(ctx, cells->witness, (size_t)room, (size_t)cells->dim * sizeof *witness);
    if (!witness)
        return FORAY_ERROR_MEMORY;
    cells->witness = witness;
    cells->capacity = room;
    return FORAY_OK;
}

/* Room for it has been reserved. */
static void append(fy_cells *cells, const uint64_t *sign, const double *witness)
{
    memcpy(sign_of(cells, cells->count), sign, (size_t)cells->words * sizeof *sign);
    memcpy(witness_of(cells, cells->count), witness, (size_t)cells->dim * sizeof *witness);
    cells->count++;
}

/* Puts the opposite of every cell behind them. */
static foray_status double_cells(foray_context *ctx, fy_cells *cells)
{
    int64_t count = cells->count;
    if (reserve(ctx, cells, count))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        append(cells, sign_of(cells, i), witness_of(cells, i));
        for (int64_t k = 0; k < cells->vectors; k++)
            set_sign_bit(sign_of(cells, count + i), k, !sign_bit(sign_of(cells, i), k));
        for (int64_t k = 0; k < cells->dim; k++)
            witness_of(cells, count + i)[k] *= -1;
    }
    return FORAY_OK;
}

/* ------------------------------------------------------------------ lookup */

static uint64_t hash_sign(const fy_cells *cells, const uint64_t *sign)
{
    return fy_hash(sign, (size_t)cells->words * sizeof *sign, 0);
}

static foray_status create_table(foray_context *ctx, const fy_cells *cells, cell_table *table)
{
    *table = (cell_table){.cells = cells};
    if (!fy_index_create(ctx, &table->index, cells->count))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < cells->count; i++)
        fy_index_add(&table->index, hash_sign(cells, sign_of(cells, i)), i);
    return FORAY_OK;
}

static void free_table(cell_table *table)
{
    fy_index_free(&table->index);
}

static int64_t find_cell(const cell_table *table, const uint64_t *sign)
{
    const fy_cells *cells = table->cells;
    uint64_t at = fy_index_start(hash_sign(cells, sign));
    int64_t cell;
    for (; (cell = fy_index_at(&table->index, at)) >= 0; at++)
        if (memcmp(sign_of(cells, cell), sign, (size_t)cells->words * sizeof *sign) == 0)
            break;
    return cell;
}

/* ----------------------------------------------------------------- merging */

static void normalise(int64_t dim, double *x)
{
    double norm = sqrt(fy_dot(x, x, dim));
    for (int64_t i = 0; i < dim; i++)
        x[i] /= norm;
}

/* +1: the same direction, -1: the opposite one, 0: neither. Both have norm 1. */
static int compare_directions(int64_t dim, const double *a, const double *b)
{
    double way = fy_dot(a, b, dim) > 0 ? 1 : -1, distance = 0;
    for (int64_t i = 0; i < dim; i++)
        distance += (a[i] - way * b[i]) * (a[i] - way * b[i]);
    return distance <= FY_PARALLEL * FY_PARALLEL ? (int)way : 0;
}

int64_t fy_merge_parallel(int64_t count, int64_t dim, double *row, int32_t *side)
{
    int64_t merged = 0;
    for (int64_t j = 0; j < count; j++) {
        double *x = row + j * dim;
        int64_t k = 0;
        int way = 0;
        normalise(dim, x);
        while (k < merged && (way = compare_directions(dim, row + k * dim, x)) == 0)
            k++;
        side[j] = (int32_t)(way < 0 ? -(k + 1) : k + 1);
        if (k == merged)
            memmove(row + dim * merged++, x, (size_t)dim * sizeof *x);
    }
    return merged;
}

/* ---------------------------------------------------- deletion, restriction */

/* out_j = h_j - <h_j, h_k> h_k for j < k */
static void project(int64_t k, int64_t dim, const double *vector, double *out)
{
    const double *normal = vector + k * dim;
    for (int64_t j = 0; j < k; j++) {
        double along = fy_dot(vector + j * dim, normal, dim);
        for (int64_t i = 0; i < dim; i++)
            out[j * dim + i] = vector[j * dim + i] - along * normal[i];
    }
}

/* Signs of merged vectors as signs of those they were merged from. */
static void expand_signs(const uint64_t *merged, int64_t count, const int32_t *side, uint64_t *sign)
{
    for (int64_t j = 0; j < count; j++) {
        bool positive = sign_bit(merged, labs(side[j]) - 1);
        set_sign_bit(sign, j, side[j] > 0 ? positive : !positive);
    }
}

/* How far u, on hyperplane k, may move along its normal and keep half its distance
 * from the hyperplanes before it. */
static double safe_step(int64_t k, int64_t dim, const double *vector, const double *u)
{
    double step = 1;
    for (int64_t j = 0; j < k; j++) {
        double margin = fabs(fy_dot(vector + j * dim, u, dim));
        double slope = fabs(fy_dot(vector + j * dim, vector + k * dim, dim));
        if (2 * step * slope > margin)
            step = margin / (2 * slope);
    }
    return step;
}

/* out = u + step h, of norm 1 */
static void move_witness(int64_t dim, const double *u, double step, const double *h, double *out)
{
    for (int64_t i = 0; i < dim; i++)
        out[i] = u[i] + step * h[i];
    normalise(dim, out);
}

/* The cells of `cells` (signs of h_0..h_{k-1}) that hyperplane k cuts: those of `wall`,
 * whose signs are of the same vectors. Each becomes two. */
static foray_status split(foray_context *ctx, fy_cells *cells, const fy_cells *wall, int64_t k,
                          const double *vector)
{
    cell_table table;
    if (reserve(ctx, cells, 2 * wall->count) || create_table(ctx, wall, &table))
        return FORAY_ERROR_MEMORY;
    int64_t dim = cells->dim, kept = 0;
    const double *normal = vector + k * dim;
    for (int64_t i = 0; i < cells->count; i++) {
        if (find_cell(&table, sign_of(cells, i)) >= 0)
            continue;
        set_sign_bit(sign_of(cells, i), k, fy_dot(witness_of(cells, i), normal, dim) > 0);
        memmove(sign_of(cells, kept), sign_of(cells, i), (size_t)cells->words * sizeof(uint64_t));
        memmove(witness_of(cells, kept), witness_of(cells, i), (size_t)dim * sizeof(double));
        kept++;
    }
    free_table(&table);
    cells->count = kept;
    for (int64_t i = 0; i < wall->count; i++) {
        const double *u = witness_of(wall, i);
        double step = safe_step(k, dim, vector, u);
        for (int side = 0; side < 2; side++) {
            append(cells, sign_of(wall, i), u);
            set_sign_bit(sign_of(cells, cells->count - 1), k, side);
            move_witness(dim, u, side ? step : -step, normal, witness_of(cells, cells->count - 1));
        }
    }
    return FORAY_OK;
}

/* The cells of the arrangement restricted to hyperplane k, as signs of h_0..h_{k-1}
 * laid out like those of `like`. `row` and `side` are room for k rows and sides. */
static foray_status restricted(foray_context *ctx, const fy_cells *like, int64_t k, int64_t rank,
                               const double *vector, double *row, int32_t *side, fy_cells *wall)
{
    fy_cells merged;
    project(k, like->dim, vector, row);
    int64_t count = fy_merge_parallel(k, like->dim, row, side);
    foray_status status = fy_cells_find(ctx, count, like->dim, rank - 1, row, &merged);
    if (status != FORAY_OK)
        return status;
    *wall = (fy_cells){.vectors = k, .dim = like->dim, .words = like->words};
    status = reserve(ctx, wall, merged.count);
    for (int64_t i = 0; status == FORAY_OK && i < merged.count; i++) {
        memset(sign_of(wall, i), 0, (size_t)wall->words * sizeof(uint64_t));
        expand_signs(sign_of(&merged, i), k, side, sign_of(wall, i));
        memcpy(witness_of(wall, i), witness_of(&merged, i), (size_t)wall->dim * sizeof(double));
        wall->count++;
    }
    fy_cells_free(&merged);
    if (status != FORAY_OK)
        fy_cells_free(wall);
    return status;
}

static foray_status add_hyperplane(foray_context *ctx, fy_cells *cells, int64_t k, int64_t rank,
                                   const double *vector)
{
    double *row = NULL;
    int32_t *side = NULL;
    fy_cells wall = {0};
    foray_status status = FORAY_ERROR_MEMORY;
    if (FY_ALLOC(ctx, row, k * cells->dim) && FY_ALLOC(ctx, side, k))
        status = restricted(ctx, cells, k, rank, vector, row, side, &wall);
    if (status == FORAY_OK)
        status = split(ctx, cells, &wall, k, vector);
    if (status == FORAY_OK && cells->count > fy_cells_bound(k + 1, rank) / 2)
        status = FORAY_ERROR_USAGE;
    fy_cells_free(&wall);
    free(row);
    free(side);
    return status;
}

foray_status fy_cells_find(foray_context *ctx, int64_t count, int64_t dim, int64_t rank,
                           const double *vector, fy_cells *cells)
{
    *cells = (fy_cells){.vectors = count, .dim = dim, .words = (count + 63) / 64};
    foray_status status = reserve(ctx, cells, 1);
    if (status == FORAY_OK) {
        memset(cells->sign, 0, (size_t)cells->words * sizeof *cells->sign);
        set_sign_bit(cells->sign, 0, true);
        memcpy(cells->witness, vector, (size_t)dim * sizeof *vector);
        cells->count = 1;
    }
    for (int64_t k = 1; status == FORAY_OK && k < count; k++)
        status = add_hyperplane(ctx, cells, k, rank, vector);
    if (status != FORAY_OK)
        fy_cells_free(cells);
    return status;
}

/* =============================================================================== lists of flips */

typedef struct flip_list {
    uint16_t *flip;
    int64_t count, room;
} flip_list;

/* Directions of norm 1, no two parallel, and an orthonormal basis of their span. */
typedef struct direction_set {
    int64_t count, dim, rank;
    const double *row;   /* [count][dim] */
    const double *basis; /* [rank][dim] */
} direction_set;

/* Dimensions smaller than this, relative to the largest, are rounding. */
static const double flat = 1e-10;

/* ------------------------------------------------------------- directions */

/* Which subsets are vertices does not change under a linear map. So take the coordinates
 * in which the directions are spread evenly, sum_k c_k c_k' = I, however near to each
 * other they were: with C the coordinates along the basis, C -> (C C')^{-1/2} C up to a
 * rotation. Dimensions that are rounding are left out; returns how many remain. */
static int64_t spread(const direction_set *h, double *column)
{
    int64_t d = h->dim, groups = h->count, kept = 0;
    double largest = 0;
    for (int64_t i = 0; i < h->rank; i++)
        for (int64_t k = 0; k < groups; k++)
            column[i * groups + k] = fy_dot(h->basis + i * d, h->row + k * d, d);
    fy_orthogonalise(h->rank, groups, groups, 60, column);
    for (int64_t i = 0; i < h->rank; i++)
        largest = fmax(largest, fy_dot(column + i * groups, column + i * groups, groups));
    for (int64_t i = 0; i < h->rank; i++) {
        double size = fy_dot(column + i * groups, column + i * groups, groups);
        if (size <= flat * flat * largest)
            continue;
        for (int64_t k = 0; k < groups; k++)
            column[kept * groups + k] = column[i * groups + k] / sqrt(size);
        kept++;
    }
    return kept;
}

/* Columns to rows of norm 1. */
static void turn(int64_t groups, int64_t rank, const double *column, double *row)
{
    for (int64_t k = 0; k < groups; k++) {
        for (int64_t i = 0; i < rank; i++)
            row[k * rank + i] = column[i * groups + k];
        double norm = sqrt(fy_dot(row + k * rank, row + k * rank, rank));
        for (int64_t i = 0; i < rank; i++)
            row[k * rank + i] /= norm;
    }
}

static foray_status find_cells(foray_context *ctx, const direction_set *h, fy_cells *cells)
{
    double *column = NULL, *row = NULL;
    foray_status status = FORAY_ERROR_MEMORY;
    if (FY_ALLOC(ctx, column, h->count * h->rank) && FY_ALLOC(ctx, row, h->count * h->rank)) {
        int64_t rank = spread(h, column);
        turn(h->count, rank, column, row);
        status = fy_cells_find(ctx, h->count, rank, rank, row, cells);
    }
    free(column);
    free(row);
    return status;
}

/* ------------------------------------------------------------------- tour */

/* The order of a walk through all cells: depth first along single flips, where the
 * table of cells has them; from a dead end straight to the next cell not yet met. */
typedef struct tour {
    foray_context *ctx;
    flip_list *flips;
    const fy_cells *cells;
    cell_table table;
    uint64_t *sign;     /* [words] of the neighbour tried */
    uint64_t *here;     /* [words] where the list of flips has come to */
    int64_t *path;      /* [count] cells on the way down */
    int32_t *next_flip; /* [count] which neighbour of a cell to try next */
    bool *met;          /* [count] */
} tour;

static bool push(tour *t, uint16_t flip)
{
    flip_list *flips = t->flips;
    uint16_t *list = fy_grow(t->ctx, flips->flip, &flips->room, flips->count + 1, sizeof *list);
    if (!list)
        return false;
    flips->flip = list;
    flips->flip[flips->count++] = flip;
    return true;
}

/* Adds the flips that lead from where the list is to `cell`. */
static bool go_to(tour *t, int64_t cell)
{
    const uint64_t *sign = t->cells->sign + cell * t->cells->words;
    int64_t before = t->flips->count;
    for (int64_t w = 0; w < t->cells->words; w++) {
        for (uint64_t rest = t->here[w] ^ sign[w]; rest; rest &= rest - 1)
            if (!push(t, (uint16_t)(64 * w + __builtin_ctzll(rest))))
                return false;
        t->here[w] = sign[w];
    }
    /* No flips: this is the empty subset, visited at the start of every walk. */
    if (t->flips->count > before)
        t->flips->flip[t->flips->count - 1] |= FY_FLIP_VISIT;
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
        int64_t found = find_cell(&t->table, t->sign);
        if (found >= 0 && !t->met[found])
            return found;
        t->sign[k / 64] ^= (uint64_t)1 << (k % 64);
    }
    return -1;
}

static bool descend(tour *t, int64_t root)
{
    int64_t depth = 0;
    t->path[depth++] = root;
    if (!go_to(t, root))
        return false;
    while (depth > 0) {
        int64_t next = next_neighbour(t, t->path[depth - 1]);
        if (next < 0) {
            depth--;
            continue;
        }
        if (!go_to(t, next))
            return false;
        t->path[depth++] = next;
    }
    return true;
}

static foray_status visit_all(foray_context *ctx, const fy_cells *cells, flip_list *flips)
{
    tour t = {.ctx = ctx, .flips = flips, .cells = cells};
    bool done = create_table(ctx, cells, &t.table) == FORAY_OK &&
                FY_ALLOC(ctx, t.sign, cells->words) && FY_ALLOC(ctx, t.here, cells->words) &&
                FY_ALLOC(ctx, t.path, cells->count) && FY_ALLOC(ctx, t.next_flip, cells->count) &&
                FY_ALLOC(ctx, t.met, cells->count);
    for (int64_t i = 0; done && i < cells->count; i++)
        if (!t.met[i])
            done = descend(&t, i);
    free_table(&t.table);
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

/* Appends a list of the vertices of the zonotope of these directions, starting from the
 * empty subset; with `half` only those without the first one, the others being opposite.
 * *visits receives their number. FORAY_ERROR_USAGE, without a message, where directions
 * are so nearly dependent that rounding hides which are. After a failure the list may
 * have grown. */
static foray_status add_flips(foray_context *ctx, flip_list *flips, const direction_set *directions,
                              bool half, int64_t *visits)
{
    fy_cells cells;
    foray_status status = find_cells(ctx, directions, &cells);
    if (status != FORAY_OK)
        return status;
    if (half)
        leave_out_first(&cells);
    else
        status = double_cells(ctx, &cells);
    if (status == FORAY_OK)
        status = visit_all(ctx, &cells, flips);
    if (status == FORAY_OK)
        *visits = cells.count;
    fy_cells_free(&cells);
    return status;
}

/* ======================================================================================== walks */

/* What is under construction, with room for the largest generator set. */
typedef struct builder {
    foray_context *ctx;
    fy_arena scratch;
    const fy_basis *basis;
    fy_walks_limits limits;
    fy_walks *walks; /* whose lists grow */
    int64_t walk_room, side_room, sides;
    flip_list flips;
    double visits, bytes; /* against the limits; these may be beyond all integers */
    fy_index index;       /* finds walks by what they depend on */
    double *generator;    /* [n][d_g] of the set at hand */
    double *direction;    /* [n][d_g] merged, of norm 1 */
    double *other;        /* [n][d_g] of a set compared with it */
    int32_t *side;        /* [n] */
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

/* The walk of a set, or -1; *at: its place in the index, or where it goes. */
static int64_t find_walk(builder *b, const shape *set, uint64_t *at)
{
    int64_t walk;
    for (*at = fy_index_start(set->hash); (walk = fy_index_at(&b->index, *at)) >= 0; ++*at)
        if (serves(b, b->walks->walk + walk, set))
            break;
    return walk;
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
    if (set->groups > walks->max_groups)
        walks->max_groups = (int32_t)set->groups;
    return FORAY_OK;
}

/* First all sets find the walk they share, or get one; lists are still empty. */
static foray_status add_set(builder *b, int64_t generator_set)
{
    shape set = look_at(b, generator_set);
    uint64_t at;
    int64_t walk = find_walk(b, &set, &at);
    foray_status status = check_limits(b, &set, walk < 0);
    if (status != FORAY_OK)
        return status;
    if (walk < 0) {
        if (add_walk(b, &set))
            return FORAY_ERROR_MEMORY;
        walk = b->walks->count - 1;
        fy_index_put(&b->index, at, walk);
    }
    b->walks->walk_of[generator_set] = (int32_t)walk;
    return FORAY_OK;
}

/* Then lists are made. Directions too nearly dependent for that are left to a tree. */
static foray_status fill_walk(builder *b, fy_walk *walk)
{
    shape set = look_at(b, walk->generator_set);
    direction_set directions = {.count = set.groups,
                                .dim = set.dim,
                                .rank = set.rank,
                                .row = b->direction,
                                .basis = b->other};
    bool half = b->walks->half;
    walk->at_flip = b->flips.count;
    foray_status status = add_flips(b->ctx, &b->flips, &directions, half, &walk->visits);
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
    int64_t max = basis->max_generators * (basis->max_dim > 0 ? basis->max_dim : 1);
    b->walks->half = basis->centred;
    return fy_index_create(b->ctx, &b->index, basis->model->generator_sets) &&
           FY_NEW(&b->scratch, b->generator, max) && FY_NEW(&b->scratch, b->direction, max) &&
           FY_NEW(&b->scratch, b->other, max) &&
           FY_NEW(&b->scratch, b->side, basis->max_generators) &&
           FY_NEW(&b->scratch, b->walks->walk_of, basis->model->generator_sets);
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
    fy_index_free(&b.index);
    fy_arena_release(&b.scratch);
    free(growing.walk);
    free(growing.side);
    free(b.flips.flip);
    if (status == FORAY_OK)
        *out = walks;
    return status;
}
