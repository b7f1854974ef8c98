#include "learn/ridge.h"
#include "base/maths.h"
#include "learn/dense.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A dense block of this dimension takes 4 GiB for each of its two matrices. */
enum { MAX_DIM = 32768 };

/* Where row i of a packed lower triangle starts. */
static inline int64_t row_at(int64_t i)
{
    return i * (i + 1) / 2;
}

static inline int64_t block_dim(const fy_ridge *ridge, int64_t block)
{
    return ridge->at_vector[block + 1] - ridge->at_vector[block];
}

static inline double *block_factor(const fy_ridge *ridge, int64_t block)
{
    return ridge->factor + ridge->at_matrix[block];
}

/* -------------------------------------------------------------- initialise */

/* Turns the dimensions in at_vector[1..] into places. */
static void lay_out_ridge(fy_ridge *ridge)
{
    for (int64_t g = 0; g < ridge->blocks; g++) {
        ridge->at_matrix[g + 1] = ridge->at_matrix[g] + row_at(ridge->at_vector[g + 1]);
        ridge->at_vector[g + 1] += ridge->at_vector[g];
    }
}

/* Sigma = lambda I,  L = sqrt(lambda) I,  b = 0 */
static void start(fy_ridge *ridge, const double *lambda)
{
    for (int64_t g = 0; g < ridge->blocks; g++) {
        ridge->lambda[g] = lambda[g];
        ridge->growth[g] = 1;
        for (int64_t i = 0; i < block_dim(ridge, g); i++) {
            ridge->sigma[ridge->at_matrix[g] + row_at(i) + i] = lambda[g];
            ridge->factor[ridge->at_matrix[g] + row_at(i) + i] = sqrt(lambda[g]);
        }
    }
    ridge->max_growth = 1;
}

static bool allocate_ridge(fy_arena *arena, fy_ridge *ridge, int64_t max_dim)
{
    int64_t blocks = ridge->blocks;
    lay_out_ridge(ridge);
    return FY_NEW(arena, ridge->factor, ridge->at_matrix[blocks]) &&
           FY_NEW(arena, ridge->sigma, ridge->at_matrix[blocks]) &&
           FY_NEW(arena, ridge->target, ridge->at_vector[blocks]) &&
           FY_NEW(arena, ridge->lambda, blocks) && FY_NEW(arena, ridge->growth, blocks) &&
           FY_NEW(arena, ridge->updates, blocks) && FY_NEW(arena, ridge->scratch, 3 * max_dim);
}

static foray_status check_dim(foray_context *ctx, int64_t dim)
{
    if (dim <= MAX_DIM)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_USAGE,
                   "a block of %" PRId64
                   " unknowns is too large for a dense regression (at most %d): "
                   "turn centring and blocks on, or give the model fewer features",
                   dim, (int)MAX_DIM);
}

/* The dimensions already lie in at_vector[1..]. */
static foray_status complete(fy_arena *arena, fy_ridge *ridge, const double *lambda,
                             int64_t refactor_every, fy_ridge **out)
{
    int64_t max_dim = 0;
    for (int64_t g = 1; g <= ridge->blocks; g++)
        max_dim = ridge->at_vector[g] > max_dim ? ridge->at_vector[g] : max_dim;
    foray_status status = check_dim(arena->ctx, max_dim);
    if (status == FORAY_OK && !allocate_ridge(arena, ridge, max_dim))
        status = FORAY_ERROR_MEMORY;
    if (status != FORAY_OK)
        return status;
    ridge->refactor_every = refactor_every;
    start(ridge, lambda);
    *out = ridge;
    return FORAY_OK;
}

static fy_ridge *create_empty(fy_arena *arena, int64_t blocks)
{
    fy_ridge *ridge = fy_arena_alloc(arena, 1, sizeof *ridge);
    if (ridge && (!FY_NEW(arena, ridge->at_matrix, blocks + 1) ||
                  !FY_NEW(arena, ridge->at_vector, blocks + 1)))
        return NULL;
#define WHITEN(level) fy_whiten_##level,
    static fy_whiten *const whiten_of_level[FY_LEVELS] = {FY_LEVEL_LIST(WHITEN)};
#undef WHITEN
    if (ridge) {
        ridge->blocks = blocks;
        ridge->whiten = whiten_of_level[arena->ctx->level];
    }
    return ridge;
}

foray_status fy_ridge_create_blocks(fy_arena *arena, int64_t blocks, const int64_t *dim,
                                    const double *lambda, int64_t refactor_every, fy_ridge **out)
{
    fy_ridge *ridge = create_empty(arena, blocks);
    if (!ridge)
        return FORAY_ERROR_MEMORY;
    memcpy(ridge->at_vector + 1, dim, (size_t)blocks * sizeof *dim);
    return complete(arena, ridge, lambda, refactor_every, out);
}

foray_status fy_ridge_create(fy_arena *arena, const fy_basis *basis, const double *lambda,
                             int64_t refactor_every, fy_ridge **out)
{
    fy_ridge *ridge = create_empty(arena, basis->blocks);
    if (!ridge)
        return FORAY_ERROR_MEMORY;
    ridge->basis = basis;
    for (int64_t g = 0; g < basis->blocks; g++)
        ridge->at_vector[g + 1] = basis->block[g].dim;
    return complete(arena, ridge, lambda, refactor_every, out);
}

foray_status fy_ridge_keep_spread(fy_arena *arena, fy_ridge *ridge)
{
    return FY_NEW(arena, ridge->spread, ridge->blocks) ? FORAY_OK : FORAY_ERROR_MEMORY;
}

/* --------------------------------------------------------- rank-one update */

/* The rotation that takes (l, x) to (sqrt(l^2 + x^2), 0); returns how much it
 * raises the determinant of Sigma: (l^2 + x^2) / l^2. */
static inline double make_rotation(double *l, double x, double *c, double *s)
{
    double before = *l, squared = before * before + x * x;
    *l = sqrt(squared);
    double inverse = 1 / *l;
    *c = before * inverse;
    *s = x * inverse;
    return squared / (before * before);
}

/* (l, x) <- (c l + s x, c x - s l) */
static inline void apply_rotation(double *l, double *x, double c, double s)
{
    double before = *l;
    *l = c * before + s * *x;
    *x = c * *x - s * before;
}

/* Sigma += w x x',  b += w y x */
static inline __attribute__((always_inline)) void
accumulate(const int64_t d, double *sigma, double *target, const double *x, double y, double weight)
{
    for (int64_t i = 0; i < d; i++) {
        double wx = weight * x[i];
        double *row = sigma + row_at(i);
        target[i] += wx * y;
        for (int64_t k = 0; k <= i; k++)
            row[k] += wx * x[k];
    }
}

/* L L' + w x x' for a dimension the compiler knows, so that everything stays in
 * registers. Returns the growth of the determinant. */
static inline __attribute__((always_inline)) double update_small(const int d, double *factor,
                                                                 const double *vector, double root)
{
    double growth = 1, x[3];
    for (int i = 0; i < d; i++)
        x[i] = root * vector[i];
    for (int k = 0; k < d; k++) {
        double c, s;
        growth *= make_rotation(factor + row_at(k) + k, x[k], &c, &s);
        for (int i = k + 1; i < d; i++)
            apply_rotation(factor + row_at(i) + k, x + i, c, s);
    }
    return growth;
}

/* Rotations from..k-1 applied to `count` rows from row i on, side by side: each
 * row is one chain of dependent operations, so several at once fill the machine. */
static inline __attribute__((always_inline)) void rotate_rows(const int count, int64_t i,
                                                              int64_t from, double *factor,
                                                              double *x, const double *c,
                                                              const double *s)
{
    double carry[4], *row[4];
    for (int q = 0; q < count; q++) {
        carry[q] = x[i + q];
        row[q] = factor + row_at(i + q);
    }
    for (int64_t k = from; k < i; k++)
        for (int q = 0; q < count; q++)
            apply_rotation(row[q] + k, carry + q, c[k], s[k]);
    for (int q = 0; q < count; q++)
        x[i + q] = carry[q];
}

/* L L' + x x' for any dimension, row by row (Givens, as LINPACK's dchud). x is
 * used up; leading zeros of x leave their rows and columns as they are. */
static double update_large(int64_t d, double *factor, double *x, double *c, double *s)
{
    double growth = 1;
    int64_t from = 0;
    while (from < d && x[from] == 0)
        from++;
    for (int64_t i = from; i < d;) {
        int64_t count = i + 4 <= d ? 4 : 1;
        if (count == 4)
            rotate_rows(4, i, from, factor, x, c, s);
        else
            rotate_rows(1, i, from, factor, x, c, s);
        for (int64_t end = i + count, first = i; i < end; i++) {
            double *row = factor + row_at(i);
            for (int64_t k = first; k < i; k++)
                apply_rotation(row + k, x + i, c[k], s[k]);
            growth *= make_rotation(row + i, x[i], c + i, s + i);
        }
    }
    return growth;
}

static double update_any(const fy_ridge *ridge, int64_t d, double *factor, const double *x,
                         double root)
{
    double *scaled = ridge->scratch;
    for (int64_t i = 0; i < d; i++)
        scaled[i] = root * x[i];
    return update_large(d, factor, scaled, scaled + d, scaled + 2 * d);
}

static void refactor(fy_ridge *ridge, int64_t block);

/* Sigma, b and L of a block; returns the growth of det Sigma. */
static inline double update_block(fy_ridge *ridge, int64_t block, const double *x, double y,
                                  double weight)
{
    int64_t d = block_dim(ridge, block);
    double *sigma = ridge->sigma + ridge->at_matrix[block], *factor = block_factor(ridge, block);
    double *target = ridge->target + ridge->at_vector[block], before = *sigma;
    double root = weight == 1 ? 1 : sqrt(weight);
    switch (d) {
    case 1:
        accumulate(1, sigma, target, x, y, weight);
        *factor = sqrt(*sigma);
        return *sigma / before;
    case 2:
        accumulate(2, sigma, target, x, y, weight);
        return update_small(2, factor, x, root);
    case 3:
        accumulate(3, sigma, target, x, y, weight);
        return update_small(3, factor, x, root);
    default:
        accumulate(d, sigma, target, x, y, weight);
        return update_any(ridge, d, factor, x, root);
    }
}

void fy_ridge_update(fy_ridge *ridge, int64_t block, const double *x, double y, double weight)
{
    if (block_dim(ridge, block) == 0)
        return;
    ridge->growth[block] *= update_block(ridge, block, x, y, weight);
    if (ridge->growth[block] > ridge->max_growth)
        ridge->max_growth = ridge->growth[block];
    if (++ridge->updates[block] >= ridge->refactor_every && block_dim(ridge, block) > 1)
        refactor(ridge, block);
}

/* ---------------------------------------------------------- factorisation */

/* ||L L' - Sigma||_max / ||Sigma||_max */
static double factor_error(int64_t d, const double *factor, const double *sigma)
{
    double error = 0, size = 0;
    for (int64_t i = 0; i < d; i++)
        for (int64_t k = 0; k <= i; k++) {
            double entry = sigma[row_at(i) + k];
            double product = fy_dot(factor + row_at(i), factor + row_at(k), k + 1);
            error = fmax(error, fabs(product - entry));
            size = fmax(size, fabs(entry));
        }
    return error / size;
}

/* Row i of L from the rows above it and Sigma. False, and `row` is no use, where
 * the pivot drowns in the rounding of Sigma. */
static bool factor_row(int64_t i, const double *factor, const double *sigma, double *row)
{
    const double *entry = sigma + row_at(i);
    for (int64_t k = 0; k < i; k++) {
        const double *above = factor + row_at(k);
        row[k] = (entry[k] - fy_dot(row, above, k)) / above[k];
    }
    double pivot = entry[i] - fy_dot(row, row, i);
    if (!(pivot > 1e-14 * (double)(i + 1) * entry[i]))
        return false;
    row[i] = sqrt(pivot);
    return true;
}

/* A fresh L from Sigma. Where Sigma's rounding hides a small pivot (lambda far
 * below the rest) the updated row knows more than Sigma does, and stays. */
static void refactor(fy_ridge *ridge, int64_t block)
{
    int64_t d = block_dim(ridge, block);
    double *factor = block_factor(ridge, block), *row = ridge->scratch;
    const double *sigma = ridge->sigma + ridge->at_matrix[block];
    ridge->worst_error = fmax(ridge->worst_error, factor_error(d, factor, sigma));
    for (int64_t i = 0; i < d; i++)
        if (factor_row(i, factor, sigma, row))
            memcpy(factor + row_at(i), row, (size_t)(i + 1) * sizeof *row);
    ridge->updates[block] = 0;
    ridge->refactored++;
}

/* ------------------------------------------------------------------ solves */

/* L y = x: y_i = (x_i - sum_{k<i} L_ik y_k) / L_ii */
static void solve_lower(int64_t d, const double *factor, const double *x, double *y)
{
    for (int64_t i = 0; i < d; i++) {
        const double *row = factor + row_at(i);
        y[i] = (x[i] - fy_dot(row, y, i)) / row[i];
    }
}

/* L' z = y, in place: z_i = y_i / L_ii, then y_k -= L_ik z_i for k < i */
static void solve_upper(int64_t d, const double *factor, double *z)
{
    for (int64_t i = d - 1; i >= 0; i--) {
        const double *row = factor + row_at(i);
        z[i] /= row[i];
        for (int64_t k = 0; k < i; k++)
            z[k] -= row[k] * z[i];
    }
}

void fy_ridge_solve_for(const fy_ridge *ridge, int64_t block, const double *x, double *z)
{
    int64_t d = block_dim(ridge, block);
    const double *factor = block_factor(ridge, block);
    solve_lower(d, factor, x, z);
    solve_upper(d, factor, z);
}

void fy_ridge_solve(const fy_ridge *ridge, int64_t block, double *z)
{
    fy_ridge_solve_for(ridge, block, ridge->target + ridge->at_vector[block], z);
}

void fy_ridge_colour(const fy_ridge *ridge, int64_t block, const double *x, double *out)
{
    int64_t d = block_dim(ridge, block);
    memmove(out, x, (size_t)d * sizeof *out);
    solve_upper(d, block_factor(ridge, block), out);
}

void fy_ridge_whiten(const fy_ridge *ridge, int64_t block, const double *x, double *out)
{
    solve_lower(block_dim(ridge, block), block_factor(ridge, block), x, out);
}

void fy_ridge_whiten_many(const fy_ridge *ridge, int64_t block, int64_t count, double *x)
{
    ridge->whiten(block_dim(ridge, block), block_factor(ridge, block), count, x);
}

double fy_ridge_norm(const fy_ridge *ridge, int64_t block, const double *x)
{
    int64_t d = block_dim(ridge, block);
    const double *L = block_factor(ridge, block);
    double square = 0;
    for (int64_t j = 0; j < d; j++) {
        double entry = 0; /* (L' x)_j */
        for (int64_t i = j; i < d; i++)
            entry += L[row_at(i) + j] * x[i];
        square += entry * entry;
    }
    return sqrt(square);
}

double fy_ridge_distance(const fy_ridge *ridge, const double *z, const double *radius,
                         const double *theta, double *work)
{
    const fy_basis *basis = ridge->basis;
    double worst = 0;
    for (int64_t g = 0; g < basis->blocks; g++) {
        if (basis->block[g].dim == 0)
            continue;
        fy_basis_coordinates(basis, g, theta, work);
        for (int32_t i = 0; i < basis->block[g].dim; i++)
            work[i] -= z[ridge->at_vector[g] + i];
        double distance = fy_ridge_norm(ridge, g, work);
        if (distance > worst * radius[g]) /* a radius of 0 is missed by any distance */
            worst = distance / radius[g];
    }
    return worst;
}

/* log det Sigma = 2 sum_i log L_ii */
double fy_ridge_log_det(const fy_ridge *ridge, int64_t block)
{
    double total = 0;
    for (int64_t i = 0; i < block_dim(ridge, block); i++)
        total += fy_log(block_factor(ridge, block)[row_at(i) + i]);
    return 2 * total;
}

/* ---------------------------------------------------------------- keeping */

void fy_ridge_mark(fy_ridge *ridge)
{
    for (int64_t g = 0; g < ridge->blocks; g++)
        ridge->growth[g] = 1;
    ridge->max_growth = 1;
}

void fy_ridge_copy(fy_ridge *to, const fy_ridge *from)
{
    size_t matrices = (size_t)from->at_matrix[from->blocks];
    size_t vectors = (size_t)from->at_vector[from->blocks], blocks = (size_t)from->blocks;
    memcpy(to->factor, from->factor, matrices * sizeof *to->factor);
    memcpy(to->sigma, from->sigma, matrices * sizeof *to->sigma);
    memcpy(to->target, from->target, vectors * sizeof *to->target);
    memcpy(to->lambda, from->lambda, blocks * sizeof *to->lambda);
    memcpy(to->growth, from->growth, blocks * sizeof *to->growth);
    memcpy(to->updates, from->updates, blocks * sizeof *to->updates);
    if (from->spread)
        memcpy(to->spread, from->spread, blocks * sizeof *to->spread);
    to->max_growth = from->max_growth;
    to->refactored = from->refactored;
    to->worst_error = from->worst_error;
}

void fy_ridge_copy_blocks(fy_ridge *to, const fy_ridge *ridge, int64_t from)
{
    size_t matrices = (size_t)to->at_matrix[to->blocks];
    memcpy(to->factor, ridge->factor + ridge->at_matrix[from], matrices * sizeof *to->factor);
    memcpy(to->sigma, ridge->sigma + ridge->at_matrix[from], matrices * sizeof *to->sigma);
}

void fy_ridge_write(const fy_ridge *ridge, fy_writer *writer)
{
    size_t matrices = (size_t)ridge->at_matrix[ridge->blocks], blocks = (size_t)ridge->blocks;
    fy_write_doubles(writer, ridge->factor, matrices);
    fy_write_doubles(writer, ridge->sigma, matrices);
    fy_write_doubles(writer, ridge->target, (size_t)ridge->at_vector[blocks]);
    fy_write_doubles(writer, ridge->growth, blocks);
    fy_write_u64s(writer, (const uint64_t *)ridge->updates, blocks);
    fy_write_double(writer, ridge->max_growth);
    fy_write_u64(writer, (uint64_t)ridge->refactored);
    fy_write_double(writer, ridge->worst_error);
    fy_write_doubles(writer, ridge->spread, ridge->spread ? blocks : 0);
}

void fy_ridge_read(fy_ridge *ridge, fy_reader *reader)
{
    size_t matrices = (size_t)ridge->at_matrix[ridge->blocks], blocks = (size_t)ridge->blocks;
    fy_read_doubles(reader, ridge->factor, matrices);
    fy_read_doubles(reader, ridge->sigma, matrices);
    fy_read_doubles(reader, ridge->target, (size_t)ridge->at_vector[blocks]);
    fy_read_doubles(reader, ridge->growth, blocks);
    fy_read_u64s(reader, (uint64_t *)ridge->updates, blocks);
    ridge->max_growth = fy_read_double(reader);
    ridge->refactored = (int64_t)fy_read_u64(reader);
    ridge->worst_error = fy_read_double(reader);
    fy_read_doubles(reader, ridge->spread, ridge->spread ? blocks : 0);
}
