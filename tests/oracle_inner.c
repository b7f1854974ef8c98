/* oracle_inner.c - see oracle_inner.h. */
#include "oracle_dense.h"
#include "oracle_inner.h"

#include <glpk.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "learn/dense.h"

inner_test_bed inner_bed;

double inner_draw(void)
{
    return 2 * fy_unit(fy_random_bits(11, FY_STREAM_TEST, 0, 0, (uint32_t)inner_bed.draws++)) - 1;
}

int inner_draw_below(int count)
{
    return (int)(fy_random_bits(12, FY_STREAM_TEST, 0, 0, (uint32_t)inner_bed.draws++) %
                 (unsigned)count);
}

void inner_begin(bool centred, int blocks, const int32_t *dims)
{
    uint64_t draws = inner_bed.draws;
    memset(&inner_bed, 0, sizeof inner_bed);
    inner_bed.draws = draws;
    inner_bed.ctx = foray_context_create();
    inner_bed.model = (foray_model){.actions = 1,
                                    .generator_set_pair = inner_bed.generator_set_pair,
                                    .gen_start = inner_bed.gen_start};
    inner_bed.model.feat_start = inner_bed.feat_start;
    inner_bed.model.feat_index = inner_bed.feat_index;
    inner_bed.model.feat_value = inner_bed.feat_value;
    inner_bed.basis = (fy_basis){
        .model = &inner_bed.model, .centred = centred, .blocks = blocks, .block = inner_bed.block};
    inner_bed.basis.block_of_coord = inner_bed.block_of_coord;
    inner_bed.basis.local_of_coord = inner_bed.local_of_coord;
    inner_bed.basis.block_of_generator_set = inner_bed.block_of_generator_set;
    for (int g = 0, c = 0; g < blocks; g++) {
        inner_bed.block[g] =
            (fy_block){.coords = dims[g], .dim = dims[g], .coord = inner_bed.coordinate + c};
        inner_bed.basis.max_dim = inner_bed.basis.max_coords =
            dims[g] > inner_bed.basis.max_dim ? dims[g] : inner_bed.basis.max_dim;
        for (int i = 0; i < dims[g]; i++, c++) {
            inner_bed.coordinate[c] = c;
            inner_bed.block_of_coord[c] = g;
            inner_bed.local_of_coord[c] = i;
        }
    }
}

void inner_add_set(int block, int n, const double *rows)
{
    int64_t set = inner_bed.model.generator_sets++, d = inner_bed.block[block].dim;
    int64_t at = inner_bed.gen_start[set], feat = inner_bed.feat_start[at];
    inner_bed.block_of_generator_set[set] = block;
    inner_bed.generator_set_pair[set] = (int32_t)set;
    for (int j = 0; j < n; j++) {
        for (int64_t i = 0; i < d; i++)
            if (rows[j * d + i] != 0) {
                inner_bed.feat_index[feat] = inner_bed.block[block].coord[i];
                inner_bed.feat_value[feat++] = rows[j * d + i];
            }
        inner_bed.feat_start[++at] = feat;
    }
    inner_bed.gen_start[set + 1] = at;
    inner_bed.basis.max_generators =
        n > inner_bed.basis.max_generators ? n : inner_bed.basis.max_generators;
}

/* Sigma from some random vectors, badly scaled on purpose. */
void inner_make_ridge(void)
{
    double lambda[4] = {1, 0.5, 2, 0.1}, x[INNER_MAX_D];
    assert_int_equal(fy_ridge_create(support_arena(inner_bed.ctx), &inner_bed.basis, lambda, 1000,
                                     &inner_bed.ridge),
                     FORAY_OK);
    for (int g = 0; g < inner_bed.basis.blocks; g++)
        for (int k = 0; k < inner_bed.block[g].dim + 3; k++) {
            double size = pow(10, inner_draw());
            for (int i = 0; i < inner_bed.block[g].dim; i++)
                x[i] = size * inner_draw();
            fy_ridge_update(inner_bed.ridge, g, x, 0, 1);
        }
}

fy_inner *inner_solve(int method, int threads)
{
    fy_inner *inner = NULL;
    inner_bed.ctx->threads = threads;
    assert_int_equal(
        fy_inner_create(support_arena(inner_bed.ctx), &inner_bed.basis, method, 256, &inner),
        FORAY_OK);
    fy_inner_solve(inner, inner_bed.ridge);
    return inner;
}

void inner_end(void)
{
    foray_context_destroy(inner_bed.ctx);
}

void inner_assert_near(double a, double b, double relative)
{
    if (!(fabs(a - b) <= relative * fmax(fabs(a), fabs(b)) + 1e-14))
        fail_msg("%.17g and %.17g differ by more than %g", a, b, relative);
}

/* ---------------------------------------------------- kinds of generator set */

void inner_draw_rows(int kind, int n, int d, double *rows)
{
    for (int i = 0; i < n * d; i++)
        rows[i] = kind == INNER_INTEGER ? inner_draw_below(3) - 1 : inner_draw();
    for (int j = 1; j < n; j++) {
        int other = inner_draw_below(j);
        double scale = inner_draw() > 0 ? 2 * inner_draw() : kind == INNER_REPEATED ? 1 : -1;
        for (int i = 0; i < d; i++) {
            double *x = rows + j * d + i;
            if (kind == INNER_PARALLEL && other % 2)
                *x = scale * rows[other * d + i];
            else if (kind == INNER_REPEATED && other % 2 == 0)
                *x = rows[other * d + i];
            else if (kind == INNER_ZEROS && other % 3 == 0)
                *x = 0;
            else if (kind == INNER_DEFICIENT && i >= (d + 1) / 2)
                *x = rows[j * d + i - (d + 1) / 2] * rows[i];
        }
    }
    if (kind == INNER_DEFICIENT)
        for (int i = (d + 1) / 2; i < d; i++)
            rows[i] = 0;
    /* INNER_PLANAR: everything a combination of the first two. */
    for (int j = 2; kind == INNER_PLANAR && j < n; j++) {
        double a = inner_draw(), b = inner_draw();
        for (int i = 0; i < d; i++)
            rows[j * d + i] = a * rows[i] + b * rows[d + i];
    }
}

/* Makes rows sum to zero exactly enough: centres the last one. */
void inner_centre_rows(int n, int d, double *rows)
{
    for (int i = 0; i < d; i++) {
        rows[(n - 1) * d + i] = 0;
        for (int j = 0; j < n - 1; j++)
            rows[(n - 1) * d + i] -= rows[j * d + i];
    }
}

void inner_add_random_sets(bool centred, int count, int max_n)
{
    double rows[INNER_MAX_N * INNER_MAX_D];
    for (int k = 0; k < count; k++) {
        int block = inner_draw_below((int)inner_bed.basis.blocks), d = inner_bed.block[block].dim;
        int n = 1 + inner_draw_below(max_n);
        inner_draw_rows(k % INNER_KINDS, n, d, rows);
        if (centred)
            inner_centre_rows(n, d, rows);
        inner_add_set(block, n, rows);
    }
}

/* ------------------------------------------------------------------ oracles */

/* ||sum_j f_j g_j||_{Sigma^-1}, the plain way. */
double inner_norm_of(int64_t set, const double *f)
{
    double g[INNER_MAX_N * INNER_MAX_D], psi[INNER_MAX_D] = {0};
    int64_t block = inner_bed.block_of_generator_set[set], d = inner_bed.block[block].dim;
    fy_basis_generators(&inner_bed.basis, set, g);
    for (int64_t j = 0; j < fy_generator_set_size(&inner_bed.model, set); j++)
        for (int64_t i = 0; i < d; i++)
            psi[i] += f[j] * g[j * d + i];
    fy_ridge_whiten(inner_bed.ridge, block, psi, psi);
    return sqrt(fy_dot(psi, psi, d));
}

double inner_norm_of_bits(const fy_inner *inner, int64_t set)
{
    double f[INNER_MAX_N];
    for (int64_t j = 0; j < fy_generator_set_size(&inner_bed.model, set); j++)
        f[j] = fy_inner_bit(inner->bits + inner->at_bits[set], j);
    return inner_norm_of(set, f);
}

double inner_brute_force(int64_t set)
{
    int64_t n = fy_generator_set_size(&inner_bed.model, set);
    double best = 0, f[INNER_MAX_N];
    for (int64_t v = 0; v < (int64_t)1 << n; v++) {
        for (int64_t j = 0; j < n; j++)
            f[j] = (double)(v >> j & 1);
        best = fmax(best, inner_norm_of(set, f));
    }
    return best;
}

/* Sigma^{-1/2} by the iteration of Denman and Beavers: Y <- (Y + Z^-1)/2, Z <- (Z + Y^-1)/2
 * from Y = Sigma, Z = I. */
static void inverse_root(int64_t block, double *out)
{
    long double y[INNER_MAX_D * INNER_MAX_D], z[INNER_MAX_D * INNER_MAX_D],
        yi[INNER_MAX_D * INNER_MAX_D], zi[INNER_MAX_D * INNER_MAX_D];
    int d = inner_bed.block[block].dim;
    const double *sigma = inner_bed.ridge->sigma + inner_bed.ridge->at_matrix[block];
    for (int i = 0; i < d; i++)
        for (int k = 0; k < d; k++) {
            y[i * d + k] = i > k ? sigma[i * (i + 1) / 2 + k] : sigma[k * (k + 1) / 2 + i];
            z[i * d + k] = i == k;
        }
    for (int step = 0; step < 60; step++) {
        oracle_invert_long(d, y, yi);
        oracle_invert_long(d, z, zi);
        for (int i = 0; i < d * d; i++) {
            y[i] = (y[i] + zi[i]) / 2;
            z[i] = (z[i] + yi[i]) / 2;
        }
    }
    for (int i = 0; i < d * d; i++)
        out[i] = (double)z[i];
}

/* w_j = Sigma^{-1/2} g_j */
static void root_generators(int64_t set, double *w)
{
    double g[INNER_MAX_N * INNER_MAX_D], root[INNER_MAX_D * INNER_MAX_D];
    int64_t block = inner_bed.block_of_generator_set[set], d = inner_bed.block[block].dim;
    fy_basis_generators(&inner_bed.basis, set, g);
    inverse_root(block, root);
    for (int64_t j = 0; j < fy_generator_set_size(&inner_bed.model, set); j++)
        for (int64_t i = 0; i < d; i++) {
            w[j * d + i] = 0;
            for (int64_t k = 0; k < d; k++)
                w[j * d + i] += root[i * d + k] * g[j * d + k];
        }
}

/* max over all sign vectors x of sum_j max(0, <x, w_j>) */
double inner_l1_by_signs(int64_t set)
{
    double w[INNER_MAX_N * INNER_MAX_D], best = 0;
    int64_t n = fy_generator_set_size(&inner_bed.model, set),
            d = inner_bed.block[inner_bed.block_of_generator_set[set]].dim;
    root_generators(set, w);
    for (int64_t x = 0; x < (int64_t)1 << d; x++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++) {
            double s = 0;
            for (int64_t i = 0; i < d; i++)
                s += x >> i & 1 ? w[j * d + i] : -w[j * d + i];
            sum += fmax(s, 0);
        }
        best = fmax(best, sum);
    }
    return best;
}

/* The same as a mixed-integer program: maximise sum_i p_i + q_i where
 * sum_j f_j w_ji = p_i - q_i,  p_i <= M b_i,  q_i <= M (1 - b_i),  b_i in {0,1}. */
double inner_l1_by_glpk(int64_t set)
{
    double w[INNER_MAX_N * INNER_MAX_D], big = 1;
    int n = (int)fy_generator_set_size(&inner_bed.model, set),
        d = inner_bed.block[inner_bed.block_of_generator_set[set]].dim;
    root_generators(set, w);
    for (int i = 0; i < n * d; i++)
        big += fabs(w[i]);
    glp_prob *lp = glp_create_prob();
    glp_set_obj_dir(lp, GLP_MAX);
    glp_add_cols(lp, n + 3 * d); /* f, p, q, b */
    glp_add_rows(lp, 3 * d);
    for (int j = 1; j <= n; j++)
        glp_set_col_bnds(lp, j, GLP_DB, 0, 1);
    for (int i = 1; i <= d; i++) {
        int p = n + i, q = n + d + i, b = n + 2 * d + i, index[INNER_MAX_N + 3];
        double value[INNER_MAX_N + 3];
        glp_set_col_bnds(lp, p, GLP_LO, 0, 0);
        glp_set_col_bnds(lp, q, GLP_LO, 0, 0);
        glp_set_obj_coef(lp, p, 1);
        glp_set_obj_coef(lp, q, 1);
        glp_set_col_kind(lp, b, GLP_BV);
        for (int j = 1; j <= n; j++) {
            index[j] = j;
            value[j] = w[(j - 1) * d + i - 1];
        }
        index[n + 1] = p;
        value[n + 1] = -1;
        index[n + 2] = q;
        value[n + 2] = 1;
        glp_set_mat_row(lp, 3 * i - 2, n + 2, index, value);
        glp_set_row_bnds(lp, 3 * i - 2, GLP_FX, 0, 0);
        glp_set_mat_row(lp, 3 * i - 1, 2, (int[]){0, p, b}, (double[]){0, 1, -big});
        glp_set_row_bnds(lp, 3 * i - 1, GLP_UP, 0, 0);
        glp_set_mat_row(lp, 3 * i, 2, (int[]){0, q, b}, (double[]){0, 1, big});
        glp_set_row_bnds(lp, 3 * i, GLP_UP, 0, big);
    }
    glp_iocp options;
    glp_init_iocp(&options);
    options.presolve = GLP_ON;
    assert_int_equal(glp_intopt(lp, &options), 0);
    assert_int_equal(glp_mip_status(lp), GLP_OPT);
    double best = glp_mip_obj_val(lp);
    glp_delete_prob(lp);
    return best;
}

/* Is there a u with s_k <h_k, u> >= 1 for all k? Then these signs are a cell. */
bool inner_is_cell(int count, int d, const double *h, uint64_t signs)
{
    glp_prob *lp = glp_create_prob();
    glp_smcp options;
    glp_add_cols(lp, d);
    glp_add_rows(lp, count);
    for (int i = 1; i <= d; i++)
        glp_set_col_bnds(lp, i, GLP_FR, 0, 0);
    for (int k = 1; k <= count; k++) {
        int index[INNER_MAX_D + 1];
        double value[INNER_MAX_D + 1];
        for (int i = 1; i <= d; i++) {
            index[i] = i;
            value[i] = (signs >> (k - 1) & 1 ? 1 : -1) * h[(k - 1) * d + i - 1];
        }
        glp_set_mat_row(lp, k, d, index, value);
        glp_set_row_bnds(lp, k, GLP_LO, 1, 0);
    }
    glp_init_smcp(&options);
    options.presolve = GLP_ON;
    int failed = glp_simplex(lp, &options);
    bool feasible = failed == 0 && glp_get_status(lp) == GLP_OPT;
    glp_delete_prob(lp);
    return feasible;
}
