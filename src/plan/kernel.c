/* kernel.c - what a plan needs of the estimate, formed once for every generator set:
 *
 *   p_j = p_0(j) + <phi'_j, z_g>
 *   R   with R'R = W'W,   W = radius_g L_g^-1 [ phi'_1 ... phi'_c ],   Sigma_g = L_g L_g'
 *
 * so that ||R v|| = radius_g ||sum_j v_j phi'_j||_{Sigma^-1}: R is the triangle of
 * W = Q R, c(c+1)/2 numbers instead of c d_g.
 *
 * Why differences suffice when centred: sum_j phi'_j = 0, so
 * psi'_V = sum_{j>=1} (V_j - V_0) phi'_j, and p sums to one, so
 * <p, V> = V_0 + sum_{j>=1} p_j (V_j - V_0). */
#include "base/threads.h"
#include "plan/backup.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* ---------------------------------------------------------------- creation */

/* Factors larger than this would come from main memory at every step of every plan. */
enum { FACTOR_BYTES_IN_CACHE = 16 << 20 };

/* Entries of a trapezoid of `rows` rows, the first with `columns` of them. */
static int64_t trapezoid(int64_t rows, int64_t columns)
{
    return rows * columns - rows * (rows - 1) / 2;
}

static int64_t factor_size(const fy_kernel *kernel, int64_t set)
{
    return trapezoid(fy_kernel_rows(kernel, set), fy_kernel_columns(kernel, set));
}

/* Numbers in every R, or 0 where sets differ. */
static int64_t common_size(const fy_kernel *kernel)
{
    int64_t size = factor_size(kernel, 0);
    for (int64_t set = 1; set < kernel->basis->model->generator_sets; set++)
        if (factor_size(kernel, set) != size)
            return 0;
    return size;
}

/* c of all sets, if all have the same and none has fewer rows. */
static int64_t common_columns(const fy_kernel *kernel, bool bonus)
{
    int64_t columns = fy_kernel_columns(kernel, 0);
    for (int64_t set = 0; set < kernel->basis->model->generator_sets; set++)
        if (fy_kernel_columns(kernel, set) != columns ||
            (bonus && fy_kernel_rows(kernel, set) != columns))
            return 0;
    return columns;
}

/* Single precision needs square factors (see round_up), and pays for large ones. */
static bool choose_single(const fy_kernel *kernel, int precision)
{
    int64_t generator_sets = kernel->basis->model->generator_sets;
    if (precision == FY_FACTOR_DOUBLE)
        return false;
    for (int64_t set = 0; set < generator_sets; set++)
        if (fy_kernel_rows(kernel, set) != fy_kernel_columns(kernel, set))
            return false;
    return precision == FY_FACTOR_SINGLE || fy_kernel_factor_at(kernel, generator_sets) >
                                                FACTOR_BYTES_IN_CACHE / (int64_t)sizeof(double);
}

/* Where every R starts; not stored where all have the same size. */
static foray_status place_factors(fy_arena *arena, fy_kernel *kernel)
{
    int64_t generator_sets = kernel->basis->model->generator_sets, *at;
    if ((kernel->stride = common_size(kernel)) > 0)
        return FORAY_OK;
    if (!FY_NEW(arena, kernel->at_factor, generator_sets + 1))
        return FORAY_ERROR_MEMORY;
    at = kernel->at_factor;
    for (int64_t set = 0; set < generator_sets; set++)
        if (__builtin_add_overflow(at[set], factor_size(kernel, set), &at[set + 1]))
            return fy_fail(arena->ctx, FORAY_ERROR_MEMORY,
                           "the bonus factors are too large for memory");
    return FORAY_OK;
}

static foray_status allocate_factor(fy_arena *arena, fy_kernel *kernel, int precision)
{
    foray_status status = place_factors(arena, kernel);
    if (status < 0)
        return status;
    int64_t size = fy_kernel_factor_at(kernel, kernel->basis->model->generator_sets);
    bool done = choose_single(kernel, precision) ? FY_NEW(arena, kernel->single, size)
                                                 : FY_NEW(arena, kernel->factor, size);
    return done ? FORAY_OK : FORAY_ERROR_MEMORY;
}

/* Where few sets serve many pairs, p and R of a set are also kept as columns of FY_LANES numbers,
 * (R_0j, ..., R_{c-1,j}, p_j, 0, ...) for j = 0..c-1: for one reward, backup.c then multiplies all
 * rows at once. For many rewards every number of p and then of R may be spread over a register.
 * Both stay in the nearest cache, or at least take few bytes for each pair. */
static foray_status allocate_columns(fy_arena *arena, fy_kernel *kernel)
{
    enum { PAIRS_PER_SET = 16 };
    const foray_model *model = kernel->basis->model;
    int64_t sets = model->generator_sets, columns = kernel->alike;
    int64_t numbers = columns + trapezoid(columns, columns), times = kernel->backups->spread;
    if (!kernel->factor || !kernel->basis->centred || columns == 0 || columns >= FY_LANES ||
        model->pairs / PAIRS_PER_SET < sets)
        return FORAY_OK;
    bool done = FY_NEW(arena, kernel->columns, sets * columns * FY_LANES) &&
                (times == 0 || FY_NEW(arena, kernel->spread, sets * numbers * times));
    return done ? FORAY_OK : FORAY_ERROR_MEMORY;
}

/* To form a set: n generators of d_g numbers, and n columns of d_g + n for round_up. */
static bool forming_size(const fy_kernel *kernel, size_t *out)
{
    size_t n = (size_t)kernel->basis->max_generators, dim = (size_t)kernel->basis->max_dim;
    return fy_size_mul(n, kernel->single ? 2 * dim + n : dim + 1, out);
}

/* To plan a batch: two numbers for each pair, in every lane. */
static size_t planning_size(const fy_kernel *kernel, int lanes)
{
    return (size_t)(2 * fy_kernel_batch(kernel, lanes) * kernel->basis->model->actions * lanes);
}

/* Threads stay on cache lines of their own. */
static foray_status allocate_scratch(fy_arena *arena, fy_kernel *kernel)
{
    size_t one = planning_size(kernel, 1), many = planning_size(kernel, FY_LANES), size, all;
    if (!forming_size(kernel, &size))
        return fy_fail(arena->ctx, FORAY_ERROR_MEMORY,
                       "the generator sets are too large for memory");
    size = size > one ? size : one;
    size = (size > many ? size : many) / FY_LINE * FY_LINE + 3 * (size_t)FY_LINE;
    kernel->scratch_size = (int64_t)size;
    if (!fy_size_mul(size, (size_t)kernel->threads, &all) || !FY_NEW(arena, kernel->scratch, all))
        return FORAY_ERROR_MEMORY;
    return FORAY_OK;
}

foray_status fy_kernel_create(fy_arena *arena, const fy_basis *basis, int precision,
                              fy_kernel **out)
{
    const foray_model *model = basis->model;
    foray_context *ctx = arena->ctx;
    foray_status status = FORAY_OK;
    fy_kernel *kernel;
    if (!FY_NEW(arena, kernel, 1))
        return FORAY_ERROR_MEMORY;
    kernel->basis = basis;
    kernel->backups = fy_backups_of(ctx->level);
    kernel->ctx = ctx;
    kernel->threads = ctx->threads;
    kernel->zeta = model->feature_error;
    kernel->alike = common_columns(kernel, precision != FY_FACTOR_NONE);
    if (!FY_NEW(arena, kernel->p, fy_kernel_at(kernel, model->generator_sets)))
        return FORAY_ERROR_MEMORY;
    if (precision != FY_FACTOR_NONE)
        status = allocate_factor(arena, kernel, precision);
    if (status == FORAY_OK)
        status = allocate_columns(arena, kernel);
    if (status == FORAY_OK)
        status = allocate_scratch(arena, kernel);
    if (status == FORAY_OK)
        *out = kernel;
    return status;
}

/* ----------------------------------------------------- triangles (W = Q R) */

static double dot(int64_t count, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += x[i] * y[i];
    return sum;
}

/* The reflection I - tau u u', u = (1, x[1..]), that maps x to (beta, 0, ..., 0):
 * x becomes (beta, u[1..]). */
static double reflector(int64_t count, double *x)
{
    double tail = dot(count - 1, x + 1, x + 1);
    if (tail == 0)
        return 0;
    double beta = -copysign(sqrt(x[0] * x[0] + tail), x[0]);
    double scale = 1 / (x[0] - beta), tau = (beta - x[0]) / beta;
    for (int64_t i = 1; i < count; i++)
        x[i] *= scale;
    x[0] = beta;
    return tau;
}

/* y <- (I - tau u u') y with u = (1, reflected[1..]). */
static void reflect(int64_t count, double tau, const double *reflected, double *y)
{
    double along = tau * (y[0] + dot(count - 1, reflected + 1, y + 1));
    y[0] -= along;
    for (int64_t i = 1; i < count; i++)
        y[i] -= along * reflected[i];
}

/* Householder: afterwards R(i,j) lies at w[j * length + i], i <= j. Column j of W is at
 * w + j * length. Unlike Gram-Schmidt, it keeps all of W when columns are dependent. */
static void triangularise(int64_t length, int64_t rows, int64_t columns, double *w)
{
    for (int64_t i = 0; i < rows; i++) {
        double *pivot = w + i * length + i;
        double tau = reflector(length - i, pivot);
        for (int64_t j = i + 1; j < columns && tau != 0; j++)
            reflect(length - i, tau, pivot, w + j * length + i);
    }
}

static void store_double(int64_t length, int64_t rows, int64_t columns, double radius,
                         const double *w, double *factor)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = i; j < columns; j++)
            *factor++ = radius * w[j * length + i];
}

/* Rounding R to single precision must not make a bonus smaller. With u the rounding unit,
 * D the diagonal of W'W and eps = 3 c u, the triangle S of
 *
 *     S'S = W'W + eps D,   that is of W with the rows of sqrt(eps D) below it,
 *
 * rounded to S + E, |E| <= u |S|, has ||E v|| <= u sqrt((1+eps) c) ||D^(1/2) v||, and
 * ||W v|| <= sqrt(c) ||D^(1/2) v||, whence ||(S + E) v|| >= ||W v|| for every v. */
static void round_up(int64_t dim, int64_t columns, const double *w, double *stacked)
{
    double eps = 3.0 * (double)columns * (FLT_EPSILON / 2);
    int64_t length = dim + columns;
    for (int64_t j = 0; j < columns; j++) {
        double *column = stacked + j * length;
        for (int64_t i = 0; i < length; i++)
            column[i] = i < dim ? w[j * dim + i] : 0;
        column[dim + j] = sqrt(eps * dot(dim, column, column));
    }
}

static void store_single(int64_t length, int64_t columns, double radius, const double *w,
                         float *factor)
{
    for (int64_t i = 0; i < columns; i++)
        for (int64_t j = i; j < columns; j++)
            *factor++ = (float)(radius * w[j * length + i]);
}

/* -------------------------------------------------------------- estimation */

/* R of one set from its generators, which are overwritten. */
static void form_factor(fy_kernel *kernel, const fy_ridge *ridge, int64_t set, double radius,
                        double *generators)
{
    const fy_basis *basis = kernel->basis;
    int64_t block = basis->block_of_generator_set[set], dim = basis->block[block].dim;
    int64_t rows = fy_kernel_rows(kernel, set), columns = fy_kernel_columns(kernel, set);
    double *w = generators + (basis->centred ? dim : 0);
    fy_ridge_whiten_many(ridge, block, columns, w);
    if (kernel->single) {
        double *stacked = generators + basis->max_generators * basis->max_dim;
        round_up(dim, columns, w, stacked);
        triangularise(dim + columns, columns, columns, stacked);
        store_single(dim + columns, columns, radius, stacked,
                     kernel->single + fy_kernel_factor_at(kernel, set));
    } else {
        triangularise(dim, rows, columns, w);
        store_double(dim, rows, columns, radius, w,
                     kernel->factor + fy_kernel_factor_at(kernel, set));
    }
}

/* p_j = p_0(j) + <phi'_j, z_g>. */
static void form_p(fy_kernel *kernel, int64_t set, const double *z, const double *generators)
{
    const fy_basis *basis = kernel->basis;
    int64_t dim = basis->block[basis->block_of_generator_set[set]].dim, skip = basis->centred;
    const double *p0 = basis->p0 + basis->model->gen_start[set];
    double *p = kernel->p + fy_kernel_at(kernel, set);
    for (int64_t j = 0; j < fy_kernel_columns(kernel, set); j++)
        p[j] = p0[j + skip] + dot(dim, generators + (j + skip) * dim, z);
}

/* From p and R, which are there. */
static void form_columns(fy_kernel *kernel, int64_t set)
{
    int64_t count = kernel->alike;
    const double *p = kernel->p + fy_kernel_at(kernel, set);
    const double *factor = kernel->factor + fy_kernel_factor_at(kernel, set);
    double *column = kernel->columns + set * count * FY_LANES;
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = i; j < count; j++)
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): columns and R come together */
            column[j * FY_LANES + i] = *factor++;
    for (int64_t j = 0; j < count; j++)
        column[j * FY_LANES + count] = p[j];
}

/* The same. */
static void form_spread(fy_kernel *kernel, int64_t set)
{
    int64_t columns = kernel->alike, times = kernel->backups->spread;
    int64_t entries = trapezoid(columns, columns);
    const double *p = kernel->p + fy_kernel_at(kernel, set);
    const double *factor = kernel->factor + fy_kernel_factor_at(kernel, set);
    double *spread = kernel->spread + set * (columns + entries) * times;
    for (int64_t i = 0; i < columns + entries; i++)
        for (int64_t k = 0; k < times; k++)
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): as above */
            *spread++ = i < columns ? p[i] : factor[i - columns];
}

/* Few sets are not worth waking threads for. */
enum { SETS_PER_PIECE = 64, SETS_WORTH_THREADS = 512 };

static void estimate_set(fy_kernel *kernel, const fy_ridge *ridge, const double *z,
                         const double *radius, int64_t set, double *generators)
{
    const fy_basis *basis = kernel->basis;
    int64_t block = basis->block_of_generator_set[set];
    if (set % SETS_PER_PIECE == 0 && fy_stopped(kernel->ctx))
        return;
    fy_basis_generators(basis, set, generators);
    form_p(kernel, set, z + ridge->at_vector[block], generators);
    if ((kernel->factor || kernel->single) && basis->block[block].dim > 0)
        form_factor(kernel, ridge, set, radius[block], generators);
    if (kernel->columns)
        form_columns(kernel, set);
    if (kernel->spread)
        form_spread(kernel, set);
}

typedef struct estimation {
    fy_kernel *kernel;
    const fy_ridge *ridge;
    const double *z, *radius;
} estimation;

static void estimate_piece(void *job, int64_t piece, int thread)
{
    const estimation *e = job;
    fy_kernel *kernel = e->kernel;
    int64_t sets = kernel->basis->model->generator_sets, from = piece * SETS_PER_PIECE;
    for (int64_t set = from; set < from + SETS_PER_PIECE && set < sets; set++)
        estimate_set(kernel, e->ridge, e->z, e->radius, set,
                     kernel->scratch + thread * kernel->scratch_size);
}

void fy_kernel_estimate(fy_kernel *kernel, const fy_ridge *ridge, const double *z,
                        const double *radius)
{
    int64_t sets = kernel->basis->model->generator_sets;
    estimation e = {kernel, ridge, z, radius};
    fy_share(kernel->ctx, sets < SETS_WORTH_THREADS ? 1 : kernel->threads,
             (sets + SETS_PER_PIECE - 1) / SETS_PER_PIECE, estimate_piece, &e);
}

void fy_kernel_exact(fy_kernel *kernel, const double *theta)
{
    const fy_basis *basis = kernel->basis;
    for (int64_t set = 0; set < basis->model->generator_sets; set++) {
        double *p = kernel->p + fy_kernel_at(kernel, set);
        fy_generator_set_probabilities(basis->model, theta, set, kernel->scratch);
        for (int64_t j = 0; j < fy_kernel_columns(kernel, set); j++)
            p[j] = kernel->scratch[j + basis->centred];
    }
}
