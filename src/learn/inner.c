#include "learn/inner_methods.h"
#include "base/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *fy_inner_name(int method)
{
    static const char *const name[] = {"auto", "exact", "l1", "ascent"};
    return name[method];
}

/* ------------------------------------------------------------------ create */

/* Without a budget: an hour for a solve, a terabyte for lists. */
static const fy_walks_limits unlimited = {.visits = (int64_t)1 << 40, .bytes = (int64_t)1 << 40};

static foray_status choose_exact(fy_arena *arena, fy_inner *inner, fy_walks_limits limits)
{
    foray_status status = fy_walks_create(arena, inner->basis, limits, &inner->walks);
    if (status != FORAY_OK)
        return status;
    inner->method = FORAY_INNER_EXACT;
    inner->vertices = inner->walks->vertices;
    return FORAY_OK;
}

static foray_status choose_auto(fy_arena *arena, fy_inner *inner, int64_t memory)
{
    fy_walks_limits budget = {.visits = memory << 17, .bytes = memory << 20};
    foray_status status = choose_exact(arena, inner, budget);
    if (status != FORAY_ERROR_USAGE)
        return status;
    arena->ctx->message[0] = 0; /* an answer, not a failure */
    inner->method = FORAY_INNER_ASCENT;
    return FORAY_OK;
}

static foray_status choose_l1(fy_arena *arena, fy_inner *inner)
{
    if (inner->basis->most_dim > FY_L1_MOST_DIM)
        return fy_fail(arena->ctx, FORAY_ERROR_USAGE,
                       "inner maximisation l1 looks at 2^d sign vectors: a block of %d unknowns is "
                       "too large (at most %d), use exact or ascent",
                       (int)inner->basis->most_dim, (int)FY_L1_MOST_DIM);
    inner->method = FORAY_INNER_L1;
    return FORAY_OK;
}

static foray_status choose_method(fy_arena *arena, fy_inner *inner, int method, int64_t memory)
{
    switch (method) {
    case FORAY_INNER_AUTO:
        return choose_auto(arena, inner, memory);
    case FORAY_INNER_EXACT:
        return choose_exact(arena, inner, unlimited);
    case FORAY_INNER_L1:
        return choose_l1(arena, inner);
    default:
        inner->method = FORAY_INNER_ASCENT;
        return FORAY_OK;
    }
}

static int64_t map_size(const fy_basis *basis)
{
    return basis->most_coords * fy_padded(basis->most_dim);
}

/* Room of a thread: the map of its block, the whitened generators, the method's own. */
static int64_t scratch_size(const fy_inner *inner)
{
    const fy_basis *basis = inner->basis;
    int64_t d = basis->most_dim, size = basis->most_generators * fy_padded(d);
    switch (inner->method) {
    case FORAY_INNER_EXACT:
        size += fy_exact_room(basis, inner->walks);
        break;
    case FORAY_INNER_L1:
        size += fy_l1_room(basis) + 3 * d * d;
        break;
    default:
        size += fy_ascent_room(basis);
    }
    if (basis->blocks > 1)
        size += map_size(basis);
    return fy_padded(size) + FY_WIDTH; /* threads write to different cache lines */
}

/* Sets in the order of their blocks, by counting; `start` is room for blocks+1 numbers. */
static void order_by_block(fy_inner *inner, int64_t *start)
{
    const fy_basis *basis = inner->basis;
    int64_t sets = basis->model->generator_sets;
    for (int64_t set = 0; set < sets; set++)
        start[basis->block_of_generator_set[set] + 1]++;
    for (int64_t g = 0; g < basis->blocks; g++)
        start[g + 1] += start[g];
    for (int64_t set = 0; set < sets; set++)
        inner->order[start[basis->block_of_generator_set[set]]++] = (int32_t)set;
}

static bool allocate_inner(fy_arena *arena, fy_inner *inner)
{
    const foray_model *model = inner->basis->model;
    int64_t sets = model->generator_sets, *start;
    if (!FY_NEW(arena, inner->value, sets) || !FY_NEW(arena, inner->upper, sets) ||
        !FY_NEW(arena, inner->order, sets) || !FY_NEW(arena, inner->at_bits, sets + 1) ||
        !FY_ALLOC(arena->ctx, start, inner->basis->blocks + 1))
        return false;
    order_by_block(inner, start);
    free(start);
    for (int64_t set = 0; set < sets; set++)
        inner->at_bits[set + 1] =
            inner->at_bits[set] + (fy_generator_set_size(model, set) + 63) / 64;
    inner->scratch_size = scratch_size(inner);
    if (inner->basis->blocks == 1 && !FY_NEW(arena, inner->map, map_size(inner->basis)))
        return false;
    return FY_NEW(arena, inner->bits, inner->at_bits[sets]) &&
           FY_NEW(arena, inner->scratch, inner->threads * inner->scratch_size);
}

foray_status fy_inner_create(fy_arena *arena, const fy_basis *basis, int method, int64_t memory,
                             fy_inner **out)
{
    fy_inner *inner = fy_arena_alloc(arena, 1, sizeof *inner);
    if (!inner)
        return FORAY_ERROR_MEMORY;
    inner->basis = basis;
    inner->ctx = arena->ctx;
    inner->threads = arena->ctx->threads > 1 ? arena->ctx->threads : 1;
    inner->ratio = 1;
    foray_status status = choose_method(arena, inner, method, memory);
    if (status == FORAY_OK && !allocate_inner(arena, inner))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        *out = inner;
    return status;
}

/* --------------------------------------------------------------- whitening */

/* Everything a set needs of Sigma is one map from features to whitened vectors,
 *
 *     w_j = T phi_j,   T = L^-1 N'   (l1: Sigma^{-1/2} N')
 *
 * made once per block and solve. Row c of the map is the image of coordinate c. */

/* Rows of `d` numbers, one behind the other, become rows padded with zeros. */
static void pad_rows(int64_t count, int64_t d, double *rows)
{
    int64_t width = fy_padded(d);
    for (int64_t c = count - 1; c >= 0; c--) {
        memmove(rows + c * width, rows + c * d, (size_t)d * sizeof *rows);
        memset(rows + c * width + d, 0, (size_t)(width - d) * sizeof *rows);
    }
}

/* Rows first..last-1 of N, or of the identity, one behind the other. */
static void copy_basis(const fy_block *block, int64_t first, int64_t last, double *rows)
{
    int64_t d = block->dim;
    if (block->basis) {
        memcpy(rows, block->basis + first * d, (size_t)((last - first) * d) * sizeof *rows);
        return;
    }
    memset(rows, 0, (size_t)((last - first) * d) * sizeof *rows);
    for (int64_t c = first; c < last; c++)
        rows[(c - first) * d + c] = 1;
}

/* x <- Sigma^{-1/2} x for `count` vectors; room holds 3 d^2 numbers. */
static void apply_root(const fy_ridge *ridge, int64_t block, int64_t count, double *x, double *room)
{
    int64_t d = ridge->basis->block[block].dim;
    double *root = room, *row = room + d * d;
    fy_l1_root(ridge, block, root, room + d * d);
    for (int64_t c = 0; c < count; c++) {
        memcpy(row, x + c * d, (size_t)d * sizeof *row);
        for (int64_t i = 0; i < d; i++)
            x[c * d + i] = fy_dot(root + i * d, row, d);
    }
}

/* Rows first..last-1 of the map of a block. */
static void make_map(const fy_inner *inner, const fy_ridge *ridge, int64_t block, int64_t first,
                     int64_t last, double *map, double *room)
{
    const fy_block *b = inner->basis->block + block;
    double *rows = map + first * fy_padded(b->dim);
    copy_basis(b, first, last, rows);
    if (inner->method == FORAY_INNER_L1)
        apply_root(ridge, block, last - first, rows, room);
    else
        fy_ridge_whiten_many(ridge, block, last - first, rows);
    pad_rows(last - first, b->dim, rows);
}

/* w = sum_c phi(c) T_c for one generator, eight numbers at a time. */
static void whiten_generator(const fy_basis *basis, int64_t generator, const double *map,
                             int64_t width, double *w)
{
    const foray_model *model = basis->model;
    int64_t first = model->feat_start[generator], last = model->feat_start[generator + 1];
    for (int64_t at = 0; at < width; at += FY_WIDTH) {
        fy_eight sum = {0};
        for (int64_t i = first; i < last; i++) {
            int64_t c = basis->local_of_coord[model->feat_index[i]];
            const double *row = map + c * width + at;
            FY_UNROLL for (int64_t k = 0; k < FY_PARTS; k++) sum.part[k] +=
                model->feat_value[i] * fy_register_load(row + k * FY_REGISTER);
        }
        memcpy(w + at, &sum, sizeof sum);
    }
}

/* ------------------------------------------------------------------- solve */

/* A thread at work: the map it has, of which block, and the rest of its room. */
typedef struct worker {
    int64_t block;
    double *map, *w, *room;
} worker;

static worker start_worker(const fy_inner *inner, int thread)
{
    const fy_basis *basis = inner->basis;
    double *room = inner->scratch + thread * inner->scratch_size;
    worker at_work = {.block = -1};
    at_work.map = inner->map ? inner->map : fy_take(&room, map_size(basis));
    at_work.w = fy_take(&room, basis->most_generators * fy_padded(basis->most_dim));
    at_work.room = room;
    return at_work;
}

double fy_inner_value(const fy_inner_task *task, double *y)
{
    memset(y, 0, (size_t)task->width * sizeof *y);
    for (int64_t j = 0; j < task->n; j++)
        if (fy_inner_bit(task->bits, j))
            fy_add_scaled(y, 1, task->w + j * task->width, task->width);
    return sqrt(fy_dot(y, y, task->width));
}

static void run_method(fy_inner_task *task)
{
    switch (task->inner->method) {
    case FORAY_INNER_EXACT:
        fy_exact_solve(task);
        break;
    case FORAY_INNER_L1:
        fy_l1_solve(task);
        break;
    default:
        fy_ascent_solve(task);
    }
}

static void solve_set(fy_inner *inner, const fy_ridge *ridge, worker *at_work,
                      int64_t generator_set)
{
    const fy_basis *basis = inner->basis;
    int64_t block = basis->block_of_generator_set[generator_set];
    const fy_block *b = basis->block + block;
    fy_inner_task task = {.inner = inner,
                          .generator_set = generator_set,
                          .n = fy_generator_set_size(basis->model, generator_set),
                          .d = b->dim,
                          .width = fy_padded(b->dim),
                          .w = at_work->w,
                          .room = at_work->room,
                          .bits = inner->bits + inner->at_bits[generator_set]};
    /* Nothing unknown: value, upper and bits are 0, as they were created. */
    if (b->dim == 0 || fy_stopped(inner->ctx))
        return;
    if (!inner->map && at_work->block != block) {
        make_map(inner, ridge, block, 0, b->coords, at_work->map, at_work->room);
        at_work->block = block;
    }
    for (int64_t j = 0; j < task.n; j++)
        whiten_generator(basis, basis->model->gen_start[generator_set] + j, at_work->map,
                         task.width, at_work->w + j * task.width);
    run_method(&task);
    inner->value[generator_set] = task.value;
    inner->upper[generator_set] = task.upper;
}

/* max upper/value over the sets where there is anything to maximise */
static double worst_ratio(const fy_inner *inner)
{
    double worst = 1;
    for (int64_t set = 0; set < inner->basis->model->generator_sets; set++)
        if (inner->upper[set] > 0)
            worst = fmax(worst, inner->upper[set] / inner->value[set]);
    return worst;
}

/* So many coordinates of a map, or generator sets, are one piece of work. */
enum { MAP_ROWS = 8, SETS = 32 };

static void map_piece(fy_inner *inner, const fy_ridge *ridge, worker *at_work, int64_t from)
{
    int64_t coords = inner->basis->block[0].coords;
    make_map(inner, ridge, 0, from, from + MAP_ROWS < coords ? from + MAP_ROWS : coords, inner->map,
             at_work->room);
}

static void solve_together(fy_inner *inner, const fy_ridge *ridge, int64_t coords, int64_t sets)
{
#pragma omp parallel num_threads(inner->threads)
    {
        worker at_work = start_worker(inner, fy_thread());
#pragma omp for schedule(static)
        for (int64_t c = 0; c < coords; c += MAP_ROWS)
            map_piece(inner, ridge, &at_work, c);
#pragma omp for schedule(dynamic, SETS)
        for (int64_t i = 0; i < sets; i++)
            solve_set(inner, ridge, &at_work, inner->order[i]);
    }
}

/* The same without a team of threads, which would be allocated. */
static void solve_alone(fy_inner *inner, const fy_ridge *ridge, int64_t coords, int64_t sets)
{
    worker at_work = start_worker(inner, 0);
    for (int64_t c = 0; c < coords; c += MAP_ROWS)
        map_piece(inner, ridge, &at_work, c);
    for (int64_t i = 0; i < sets; i++)
        solve_set(inner, ridge, &at_work, inner->order[i]);
}

/* Threads on a busy machine may be milliseconds in coming: what one thread does in
 * less, some hundred nanoseconds for a vertex, it does alone. */
static bool worth_threads(const fy_inner *inner, int64_t sets)
{
    enum { VERTICES = 1 << 12 };
    return sets > SETS && (inner->method != FORAY_INNER_EXACT || inner->vertices > VERTICES);
}

void fy_inner_solve(fy_inner *inner, const fy_ridge *ridge)
{
    int64_t sets = inner->basis->model->generator_sets;
    int64_t coords = inner->map ? inner->basis->block[0].coords : 0;
    if (inner->threads > 1 && worth_threads(inner, sets))
        solve_together(inner, ridge, coords, sets);
    else
        solve_alone(inner, ridge, coords, sets);
    inner->ratio = worst_ratio(inner);
}
