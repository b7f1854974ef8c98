/* The three inner maximisers against brute force over all f in {0,1}^n, over all sign
 * vectors, and against GLPK. */
#include "learn/arrangement.h"
#include "learn/dense.h"
#include "learn/inner_methods.h"

#include <glpk.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_SETS = 2048, MOST_N = 100, MOST_D = 32, MOST_FEATURES = 1 << 18 };

/* ----------------------------------------------------------------- fixture */

/* A model that is nothing but generator sets, given as dense rows, and its form: block g
 * takes dims[g] coordinates, already in the coordinates of the regression. */
typedef struct fixture {
    foray_context *ctx;
    foray_model model;
    fy_form form;
    fy_block block[4];
    int32_t coordinate[4 * MOST_D], block_of_coord[4 * MOST_D], local_of_coord[4 * MOST_D];
    int32_t block_of_genset[MOST_SETS], genset_pair[MOST_SETS];
    int64_t gen_start[MOST_SETS + 1], feat_start[MOST_FEATURES / 4];
    int32_t feat_index[MOST_FEATURES];
    double feat_value[MOST_FEATURES];
    fy_ridge *ridge;
    uint64_t draws;
} fixture;

static fixture t;

static double draw(void)
{
    return 2 * fy_unit(fy_random_bits(11, FY_STREAM_TEST, 0, 0, (uint32_t)t.draws++)) - 1;
}

static int draw_below(int count)
{
    return (int)(fy_random_bits(12, FY_STREAM_TEST, 0, 0, (uint32_t)t.draws++) % (unsigned)count);
}

static void begin(bool centred, int blocks, const int32_t *dims)
{
    uint64_t draws = t.draws;
    memset(&t, 0, sizeof t);
    t.draws = draws;
    t.ctx = foray_context_create();
    t.model = (foray_model){.actions = 1, .genset_pair = t.genset_pair, .gen_start = t.gen_start};
    t.model.feat_start = t.feat_start;
    t.model.feat_index = t.feat_index;
    t.model.feat_value = t.feat_value;
    t.form = (fy_form){.model = &t.model, .centred = centred, .blocks = blocks, .block = t.block};
    t.form.block_of_coord = t.block_of_coord;
    t.form.local_of_coord = t.local_of_coord;
    t.form.block_of_genset = t.block_of_genset;
    for (int g = 0, c = 0; g < blocks; g++) {
        t.block[g] = (fy_block){.coords = dims[g], .dim = dims[g], .coord = t.coordinate + c};
        t.form.most_dim = t.form.most_coords =
            dims[g] > t.form.most_dim ? dims[g] : t.form.most_dim;
        for (int i = 0; i < dims[g]; i++, c++) {
            t.coordinate[c] = c;
            t.block_of_coord[c] = g;
            t.local_of_coord[c] = i;
        }
    }
}

static void add_set(int block, int n, const double *rows)
{
    int64_t set = t.model.gensets++, d = t.block[block].dim;
    int64_t at = t.gen_start[set], feat = t.feat_start[at];
    t.block_of_genset[set] = block;
    t.genset_pair[set] = (int32_t)set;
    for (int j = 0; j < n; j++) {
        for (int64_t i = 0; i < d; i++)
            if (rows[j * d + i] != 0) {
                t.feat_index[feat] = t.block[block].coord[i];
                t.feat_value[feat++] = rows[j * d + i];
            }
        t.feat_start[++at] = feat;
    }
    t.gen_start[set + 1] = at;
    t.form.most_generators = n > t.form.most_generators ? n : t.form.most_generators;
}

/* Sigma from some random vectors, badly scaled on purpose. */
static void make_ridge(void)
{
    double lambda[4] = {1, 0.5, 2, 0.1}, x[MOST_D];
    assert_int_equal(fy_ridge_create(t.ctx, &t.form, lambda, 1000, &t.ridge), FORAY_OK);
    for (int g = 0; g < t.form.blocks; g++)
        for (int k = 0; k < t.block[g].dim + 3; k++) {
            double size = pow(10, draw());
            for (int i = 0; i < t.block[g].dim; i++)
                x[i] = size * draw();
            fy_ridge_update(t.ridge, g, x, 0, 1);
        }
}

static fy_inner *solve(int method, int threads)
{
    fy_inner *inner = NULL;
    t.ctx->threads = threads;
    assert_int_equal(fy_inner_create(t.ctx, &t.form, method, 256, &inner), FORAY_OK);
    fy_inner_solve(inner, t.ridge);
    return inner;
}

static void end(void)
{
    fy_ridge_destroy(t.ridge);
    foray_context_destroy(t.ctx);
}

static void assert_near(double a, double b, double relative)
{
    if (!(fabs(a - b) <= relative * fmax(fabs(a), fabs(b)) + 1e-14))
        fail_msg("%.17g and %.17g differ by more than %g", a, b, relative);
}

/* ---------------------------------------------------- kinds of generator set */

enum { GENERAL, PARALLEL, DEFICIENT, ZEROS, REPEATED, INTEGER, KINDS, PLANAR };

static void draw_rows(int kind, int n, int d, double *rows)
{
    for (int i = 0; i < n * d; i++)
        rows[i] = kind == INTEGER ? draw_below(3) - 1 : draw();
    for (int j = 1; j < n; j++) {
        int other = draw_below(j);
        double scale = draw() > 0 ? 2 * draw() : kind == REPEATED ? 1 : -1;
        for (int i = 0; i < d; i++) {
            double *x = rows + j * d + i;
            if (kind == PARALLEL && other % 2)
                *x = scale * rows[other * d + i];
            else if (kind == REPEATED && other % 2 == 0)
                *x = rows[other * d + i];
            else if (kind == ZEROS && other % 3 == 0)
                *x = 0;
            else if (kind == DEFICIENT && i >= (d + 1) / 2)
                *x = rows[j * d + i - (d + 1) / 2] * rows[i];
        }
    }
    if (kind == DEFICIENT)
        for (int i = (d + 1) / 2; i < d; i++)
            rows[i] = 0;
    /* PLANAR: everything a combination of the first two. */
    for (int j = 2; kind == PLANAR && j < n; j++) {
        double a = draw(), b = draw();
        for (int i = 0; i < d; i++)
            rows[j * d + i] = a * rows[i] + b * rows[d + i];
    }
}

/* Makes rows sum to zero exactly enough: centres the last one. */
static void centre_rows(int n, int d, double *rows)
{
    for (int i = 0; i < d; i++) {
        rows[(n - 1) * d + i] = 0;
        for (int j = 0; j < n - 1; j++)
            rows[(n - 1) * d + i] -= rows[j * d + i];
    }
}

static void add_random_sets(bool centred, int count, int most_n)
{
    double rows[MOST_N * MOST_D];
    for (int k = 0; k < count; k++) {
        int block = draw_below((int)t.form.blocks), d = t.block[block].dim;
        int n = 1 + draw_below(most_n);
        draw_rows(k % KINDS, n, d, rows);
        if (centred)
            centre_rows(n, d, rows);
        add_set(block, n, rows);
    }
}

/* ------------------------------------------------------------------ oracles */

/* ||sum_j f_j g_j||_{Sigma^-1}, the plain way. */
static double norm_of(int64_t set, const double *f)
{
    double g[MOST_N * MOST_D], psi[MOST_D] = {0};
    int64_t block = t.block_of_genset[set], d = t.block[block].dim;
    fy_form_generators(&t.form, set, g);
    for (int64_t j = 0; j < fy_genset_size(&t.model, set); j++)
        for (int64_t i = 0; i < d; i++)
            psi[i] += f[j] * g[j * d + i];
    fy_ridge_whiten(t.ridge, block, psi, psi);
    return sqrt(fy_dot(psi, psi, d));
}

static double norm_of_bits(const fy_inner *inner, int64_t set)
{
    double f[MOST_N];
    for (int64_t j = 0; j < fy_genset_size(&t.model, set); j++)
        f[j] = fy_inner_bit(inner->bits + inner->at_bits[set], j);
    return norm_of(set, f);
}

static double brute_force(int64_t set)
{
    int64_t n = fy_genset_size(&t.model, set);
    double best = 0, f[MOST_N];
    for (int64_t v = 0; v < (int64_t)1 << n; v++) {
        for (int64_t j = 0; j < n; j++)
            f[j] = (double)(v >> j & 1);
        best = fmax(best, norm_of(set, f));
    }
    return best;
}

/* Sigma^{-1/2} by the iteration of Denman and Beavers: Y <- (Y + Z^-1)/2, Z <- (Z + Y^-1)/2
 * from Y = Sigma, Z = I. */
static void invert(int d, const long double *a, long double *out)
{
    long double m[MOST_D * MOST_D];
    memcpy(m, a, (size_t)(d * d) * sizeof *m);
    for (int i = 0; i < d * d; i++)
        out[i] = i / d == i % d;
    for (int k = 0; k < d; k++) {
        long double pivot = m[k * d + k];
        for (int i = 0; i < d; i++) {
            m[k * d + i] /= pivot;
            out[k * d + i] /= pivot;
        }
        for (int r = 0; r < d; r++) {
            long double s = m[r * d + k];
            for (int i = 0; i < d && r != k; i++) {
                m[r * d + i] -= s * m[k * d + i];
                out[r * d + i] -= s * out[k * d + i];
            }
        }
    }
}

static void inverse_root(int64_t block, double *out)
{
    long double y[MOST_D * MOST_D], z[MOST_D * MOST_D], yi[MOST_D * MOST_D], zi[MOST_D * MOST_D];
    int d = t.block[block].dim;
    const double *sigma = t.ridge->sigma + t.ridge->at_matrix[block];
    for (int i = 0; i < d; i++)
        for (int k = 0; k < d; k++) {
            y[i * d + k] = i > k ? sigma[i * (i + 1) / 2 + k] : sigma[k * (k + 1) / 2 + i];
            z[i * d + k] = i == k;
        }
    for (int step = 0; step < 60; step++) {
        invert(d, y, yi);
        invert(d, z, zi);
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
    double g[MOST_N * MOST_D], root[MOST_D * MOST_D];
    int64_t block = t.block_of_genset[set], d = t.block[block].dim;
    fy_form_generators(&t.form, set, g);
    inverse_root(block, root);
    for (int64_t j = 0; j < fy_genset_size(&t.model, set); j++)
        for (int64_t i = 0; i < d; i++) {
            w[j * d + i] = 0;
            for (int64_t k = 0; k < d; k++)
                w[j * d + i] += root[i * d + k] * g[j * d + k];
        }
}

/* max over all sign vectors x of sum_j max(0, <x, w_j>) */
static double l1_by_signs(int64_t set)
{
    double w[MOST_N * MOST_D], best = 0;
    int64_t n = fy_genset_size(&t.model, set), d = t.block[t.block_of_genset[set]].dim;
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
static double l1_by_glpk(int64_t set)
{
    double w[MOST_N * MOST_D], big = 1;
    int n = (int)fy_genset_size(&t.model, set), d = t.block[t.block_of_genset[set]].dim;
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
        int p = n + i, q = n + d + i, b = n + 2 * d + i, index[MOST_N + 3];
        double value[MOST_N + 3];
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
static bool is_cell(int count, int d, const double *h, uint64_t signs)
{
    glp_prob *lp = glp_create_prob();
    glp_smcp options;
    glp_add_cols(lp, d);
    glp_add_rows(lp, count);
    for (int i = 1; i <= d; i++)
        glp_set_col_bnds(lp, i, GLP_FR, 0, 0);
    for (int k = 1; k <= count; k++) {
        int index[MOST_D + 1];
        double value[MOST_D + 1];
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

/* -------------------------------------------------------------------- exact */

static void check_exact(bool centred, int blocks, const int32_t *dims, int count, int most_n)
{
    begin(centred, blocks, dims);
    add_random_sets(centred, count, most_n);
    make_ridge();
    fy_inner *inner = solve(FORAY_INNER_EXACT, 1);
    for (int64_t set = 0; set < t.model.gensets; set++) {
        assert_near(inner->value[set], brute_force(set), 1e-10);
        assert_near(inner->value[set], norm_of_bits(inner, set), 1e-10);
        assert_true(inner->upper[set] == inner->value[set]);
    }
    assert_true(inner->ratio == 1);
    fy_inner_destroy(inner);
    end();
}

static void exact_is_brute_force(void **state)
{
    (void)state;
    check_exact(false, 3, (int32_t[]){1, 3, 7}, 120, 8);
    check_exact(true, 3, (int32_t[]){1, 3, 7}, 120, 8);
    check_exact(false, 1, (int32_t[]){16}, 30, 5);
    check_exact(true, 1, (int32_t[]){16}, 30, 6);
}

/* Many generators in few dimensions: lists. */
static void exact_lists_are_brute_force(void **state)
{
    (void)state;
    check_exact(false, 2, (int32_t[]){2, 3}, 36, 12);
    check_exact(true, 2, (int32_t[]){2, 3}, 36, 12);
}

/* Few directions in many dimensions: lists with shortened rows. */
static void exact_lists_of_low_rank_are_brute_force(void **state)
{
    (void)state;
    double rows[MOST_N * MOST_D];
    for (int centred = 0; centred < 2; centred++) {
        begin(centred, 1, (int32_t[]){24});
        for (int k = 0; k < 8; k++) {
            draw_rows(PLANAR, 6 + k % 5, 24, rows);
            if (centred)
                centre_rows(6 + k % 5, 24, rows);
            add_set(0, 6 + k % 5, rows);
        }
        make_ridge();
        fy_inner *inner = solve(FORAY_INNER_EXACT, 1);
        for (int64_t set = 0; set < t.model.gensets; set++) {
            assert_true(inner->walks->walk[inner->walks->walk_of[set]].listed);
            assert_near(inner->value[set], brute_force(set), 1e-10);
        }
        fy_inner_destroy(inner);
        end();
    }
}

/* Directions that all but lie in a plane, at distances down to rounding: whatever is
 * decided about their rank, the maximum is right, and no list grows beyond its bound. */
static void nearly_dependent_directions_are_brute_force(void **state)
{
    (void)state;
    double rows[MOST_N * MOST_D];
    for (int centred = 0; centred < 2; centred++) {
        begin(centred, 1, (int32_t[]){4});
        for (int k = 0; k < 24; k++) {
            int n = 9 + k % 3;
            draw_rows(k % 2 ? PLANAR : GENERAL, n, 4, rows);
            for (int i = 0; i < 4 * n; i++)
                rows[i] = k % 2 ? rows[i] + draw() * pow(10, -4 - k / 2)
                                : rows[i] * pow(10, -(i % 4) * (1 + k / 6));
            if (centred)
                centre_rows(n, 4, rows);
            add_set(0, n, rows);
        }
        make_ridge();
        fy_inner *inner = solve(FORAY_INNER_EXACT, 1);
        for (int64_t set = 0; set < t.model.gensets; set++) {
            const fy_walk *walk = inner->walks->walk + inner->walks->walk_of[set];
            assert_near(inner->value[set], brute_force(set), 1e-9);
            assert_true(walk->vertices <= fy_cells_bound(walk->groups, 4));
        }
        fy_inner_destroy(inner);
        end();
    }
}

/* Every list visits different vertices, and as many as it says. */
static void lists_visit_every_vertex_once(void **state)
{
    (void)state;
    for (int centred = 0; centred < 2; centred++) {
        double rows[MOST_N * MOST_D];
        int lists = 0;
        begin(centred, 1, (int32_t[]){3});
        for (int k = 0; k < 24; k++) {
            int n = 9 + draw_below(6);
            draw_rows(k % KINDS, n, 3, rows);
            if (centred)
                centre_rows(n, 3, rows);
            add_set(0, n, rows);
        }
        fy_walks *walks;
        fy_walks_limits limits = {.visits = 1 << 20, .bytes = 1 << 24};
        assert_int_equal(fy_walks_create(t.ctx, &t.form, limits, &walks), FORAY_OK);
        for (int64_t i = 0; i < walks->count; i++) {
            const fy_walk *walk = walks->walk + i;
            static bool met[1 << 15];
            uint64_t here = 0;
            int64_t different = 1;
            memset(met, 0, sizeof met);
            assert_true(walk->vertices <= fy_cells_bound(walk->groups, 3));
            lists += walk->listed;
            for (int64_t k = 0; walk->listed && k < walk->flips; k++) {
                uint16_t flip = walks->flip[walk->at_flip + k];
                here ^= (uint64_t)1 << (flip & FY_FLIP_GROUP);
                if (flip & FY_FLIP_VISIT) {
                    assert_false(met[here]);
                    met[here] = true;
                    different++;
                }
            }
            if (walk->listed) {
                /* The start is visited too, and may be a vertex itself. */
                assert_in_range(different, walk->visits, walk->visits + 1);
                assert_int_equal(walk->visits * (centred ? 2 : 1), walk->vertices);
                assert_true(walk->flips < 2 * walk->visits + walk->groups);
            }
        }
        assert_true(lists > 10);
        fy_walks_destroy(walks);
        end();
    }
}

/* In general position there are 2 sum_{i<d} C(n-1,i) cells; degenerate ones match a
 * linear program for each of the 2^n sign vectors. */
static void cells_are_counted_right(void **state)
{
    (void)state;
    double h[MOST_N * MOST_D];
    int32_t side[MOST_N];
    foray_context *ctx = foray_context_create();
    for (int d = 1; d <= 5; d++)
        for (int n = 1; n <= 12; n++) {
            fy_cells cells;
            draw_rows(GENERAL, n, d, h);
            int64_t merged = fy_merge_parallel(n, d, h, side);
            assert_int_equal(merged, d == 1 ? 1 : n);
            assert_int_equal(fy_cells_find(ctx, merged, d, d, h, &cells), FORAY_OK);
            assert_int_equal(2 * cells.count, fy_cells_bound(merged, d));
            fy_cells_free(&cells);
        }
    fy_cells none;
    draw_rows(GENERAL, 6, 3, h);
    fy_merge_parallel(6, 3, h, side);
    assert_int_equal(fy_cells_find(ctx, 6, 3, 2, h, &none), FORAY_ERROR_USAGE);
    assert_null(none.sign);
    glp_term_out(GLP_OFF);
    for (int k = 0; k < 40; k++) {
        int d = 2 + k % 3, n = 0, wanted = 3 + draw_below(5);
        while (n < wanted) {
            bool zero = true;
            draw_rows(INTEGER, 1, d, h + n * d);
            for (int i = 0; i < d; i++)
                zero &= h[n * d + i] == 0;
            n += !zero;
        }
        fy_cells cells;
        n = (int)fy_merge_parallel(n, d, h, side);
        assert_int_equal(fy_cells_find(ctx, n, d, d, h, &cells), FORAY_OK);
        int64_t count = 0;
        for (uint64_t s = 0; s < (uint64_t)1 << n; s++)
            count += is_cell(n, d, h, s);
        assert_int_equal(2 * cells.count, count);
        assert_true(count <= fy_cells_bound(n, d));
        for (int64_t i = 0; i < cells.count; i++)
            assert_true(is_cell(n, d, h, cells.sign[i]));
        fy_cells_free(&cells);
    }
    glp_free_env();
    foray_context_destroy(ctx);
}

static void bounds_do_not_overflow(void **state)
{
    (void)state;
    assert_int_equal(fy_cells_bound(0, 0), 1);
    assert_int_equal(fy_cells_bound(5, 5), 32);
    assert_int_equal(fy_cells_bound(5, 4), 30);
    assert_int_equal(fy_cells_bound(20, 3), 2 * (1 + 19 + 171));
    assert_int_equal(fy_cells_bound(62, 62), (int64_t)1 << 62);
    assert_int_equal(fy_cells_bound(63, 63), INT64_MAX);
    assert_int_equal(fy_cells_bound(1000, 500), INT64_MAX);
    assert_int_equal(fy_cells_bound(INT32_MAX, INT32_MAX), INT64_MAX);
}

/* More than 64 groups, so that signs take more than one word. */
static void long_lists_agree_with_ascent_bounds(void **state)
{
    (void)state;
    static double rows[100 * 2];
    begin(true, 1, (int32_t[]){2});
    for (int j = 0; j < 100; j++) {
        rows[2 * j] = cos(0.0314 * j) * (j % 3 + 1);
        rows[2 * j + 1] = sin(0.0314 * j) * (j % 3 + 1);
    }
    centre_rows(100, 2, rows);
    add_set(0, 100, rows);
    make_ridge();
    fy_inner *exact = solve(FORAY_INNER_EXACT, 1), *ascent = solve(FORAY_INNER_ASCENT, 1);
    assert_true(exact->walks->walk[0].listed);
    assert_int_equal(exact->vertices, 200);
    assert_true(ascent->value[0] <= exact->value[0] * (1 + 1e-12));
    assert_true(exact->value[0] <= ascent->upper[0] * (1 + 1e-12));
    fy_inner_destroy(exact);
    fy_inner_destroy(ascent);
    end();
}

/* Sets with the same generators share a list; others in general position share trees. */
static void equal_sets_share_walks(void **state)
{
    (void)state;
    double a[12 * 2], b[12 * 2], c[3 * 2];
    begin(false, 2, (int32_t[]){2, 2});
    draw_rows(GENERAL, 12, 2, a);
    draw_rows(GENERAL, 12, 2, b);
    for (int k = 0; k < 5; k++) {
        add_set(k % 2, 12, a);
        add_set(k % 2, 12, b);
        draw_rows(GENERAL, 3, 2, c);
        add_set(k % 2, 3, c);
    }
    make_ridge();
    fy_inner *inner = solve(FORAY_INNER_EXACT, 1);
    assert_int_equal(inner->walks->count, 3);
    assert_int_equal(inner->vertices, 10 * 24 + 5 * 6);
    fy_inner_destroy(inner);
    end();
}

/* ----------------------------------------------------------------------- l1 */

static void l1_is_brute_force_and_glpk(void **state)
{
    (void)state;
    glp_term_out(GLP_OFF);
    for (int centred = 0; centred < 2; centred++) {
        begin(centred, 3, (int32_t[]){1, 3, 5});
        add_random_sets(centred, 48, 7);
        make_ridge();
        fy_inner *l1 = solve(FORAY_INNER_L1, 1), *exact = solve(FORAY_INNER_EXACT, 1);
        for (int64_t set = 0; set < t.model.gensets; set++) {
            double d = t.block[t.block_of_genset[set]].dim, l2 = exact->value[set];
            assert_near(l1->upper[set], l1_by_signs(set), 1e-9);
            assert_near(l1->upper[set], l1_by_glpk(set), 1e-6);
            assert_near(l1->value[set], norm_of_bits(l1, set), 1e-9);
            /* l2 <= l1 <= sqrt(d) l2, and the f of l1 is within sqrt(d) of the best */
            assert_true(l2 <= l1->upper[set] * (1 + 1e-9) + 1e-14);
            assert_true(l1->upper[set] <= sqrt(d) * l2 * (1 + 1e-9) + 1e-14);
            assert_true(l1->value[set] <= l2 * (1 + 1e-9) + 1e-14);
            assert_true(l1->value[set] * sqrt(d) >= l2 * (1 - 1e-9) - 1e-14);
        }
        fy_inner_destroy(l1);
        fy_inner_destroy(exact);
        end();
    }
    glp_free_env();
}

/* ------------------------------------------------------------------- ascent */

static void ascent_brackets_the_maximum(void **state)
{
    (void)state;
    for (int centred = 0; centred < 2; centred++) {
        begin(centred, 4, (int32_t[]){1, 2, 6, 16});
        add_random_sets(centred, 600, 11);
        make_ridge();
        fy_inner *ascent = solve(FORAY_INNER_ASCENT, 1), *exact = solve(FORAY_INNER_EXACT, 1);
        int attained = 0;
        double worst = 1;
        for (int64_t set = 0; set < t.model.gensets; set++) {
            double d = t.block[t.block_of_genset[set]].dim, best = exact->value[set];
            double value = ascent->value[set], upper = ascent->upper[set];
            assert_near(value, norm_of_bits(ascent, set), 1e-9);
            assert_true(value <= best * (1 + 1e-9) + 1e-14);
            assert_true(best <= upper * (1 + 1e-9) + 1e-14);
            assert_true(upper <= sqrt(d) * value * (1 + 1e-9) + 1e-14);
            attained += value >= best * (1 - 1e-9);
            if (upper > 0)
                worst = fmax(worst, upper / value);
        }
        assert_true(ascent->ratio == worst);
        assert_true(attained > 590);
        fy_inner_destroy(ascent);
        fy_inner_destroy(exact);
        end();
    }
}

/* --------------------------------------------------------- choice and limits */

static void auto_chooses_by_budget(void **state)
{
    (void)state;
    static double rows[40 * 32];
    fy_inner *inner = NULL;
    begin(true, 1, (int32_t[]){32});
    draw_rows(GENERAL, 20, 32, rows);
    centre_rows(20, 32, rows);
    add_set(0, 20, rows);
    assert_int_equal(fy_inner_create(t.ctx, &t.form, FORAY_INNER_AUTO, 256, &inner), FORAY_OK);
    assert_string_equal(fy_inner_name(inner->method), "exact");
    assert_int_equal(inner->vertices, (1 << 20) - 2);
    fy_inner_destroy(inner);
    assert_int_equal(fy_inner_create(t.ctx, &t.form, FORAY_INNER_AUTO, 1, &inner), FORAY_OK);
    assert_string_equal(fy_inner_name(inner->method), "ascent");
    assert_string_equal(foray_message(t.ctx), "");
    fy_inner_destroy(inner);
    inner = NULL;
    draw_rows(GENERAL, 40, 32, rows);
    add_set(0, 40, rows);
    assert_int_equal(fy_inner_create(t.ctx, &t.form, FORAY_INNER_AUTO, 1 << 20, &inner), FORAY_OK);
    assert_int_equal(inner->method, FORAY_INNER_ASCENT);
    fy_inner_destroy(inner);
    inner = NULL;
    t.form.centred = false;
    assert_int_equal(fy_inner_create(t.ctx, &t.form, FORAY_INNER_EXACT, 1, &inner),
                     FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(t.ctx), "state 1, action 0 (40 successors"));
    assert_int_equal(fy_inner_create(t.ctx, &t.form, FORAY_INNER_L1, 256, &inner),
                     FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(t.ctx), "32"));
    assert_null(inner);
    end();
}

/* A block whose equations fix everything, and sets without a direction. */
static void nothing_unknown_gives_zero(void **state)
{
    (void)state;
    for (int method = FORAY_INNER_EXACT; method <= FORAY_INNER_ASCENT; method++) {
        double zero[4] = {0}, one[4] = {1, 0, 0, 1};
        begin(false, 3, (int32_t[]){0, 2, 0});
        add_set(0, 3, zero);
        add_set(1, 2, zero);
        add_set(1, 2, one);
        make_ridge();
        fy_inner *inner = solve(method, 1);
        for (int set = 0; set < 2; set++) {
            assert_true(inner->value[set] == 0 && inner->upper[set] == 0);
            assert_int_equal(inner->bits[inner->at_bits[set]], 0);
        }
        assert_true(inner->value[2] > 0);
        assert_true(inner->ratio >= 1 && inner->ratio <= sqrt(2) * (1 + 1e-9));
        fy_inner_destroy(inner);
        end();
    }
}

/* ------------------------------------------------------- threads and failures */

static void check_threads(int method, int blocks, const int32_t *dims)
{
    begin(true, blocks, dims);
    add_random_sets(true, 400, 7);
    make_ridge();
    fy_inner *one = solve(method, 1), *two = solve(method, 2);
    size_t sets = (size_t)t.model.gensets;
    if (method == FORAY_INNER_EXACT) /* less is not worth a second thread */
        assert_true(one->vertices > 4096);
    for (int again = 0; again < 2; again++) {
        assert_memory_equal(one->value, two->value, sets * sizeof *one->value);
        assert_memory_equal(one->upper, two->upper, sets * sizeof *one->upper);
        assert_memory_equal(one->bits, two->bits, (size_t)one->at_bits[sets] * sizeof *one->bits);
        assert_true(one->ratio == two->ratio);
        fy_inner_solve(one, t.ridge);
        fy_inner_solve(two, t.ridge);
    }
    fy_inner_destroy(one);
    fy_inner_destroy(two);
    end();
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    for (int method = FORAY_INNER_EXACT; method <= FORAY_INNER_ASCENT; method++) {
        check_threads(method, 1, (int32_t[]){9});
        check_threads(method, 3, (int32_t[]){2, 3, 8});
    }
}

static void create_survives_every_failed_allocation(void **state)
{
    (void)state;
    double rows[12 * 3];
    begin(false, 2, (int32_t[]){3, 3});
    draw_rows(GENERAL, 12, 3, rows);
    add_set(0, 12, rows);
    add_random_sets(false, 8, 6);
    for (int method = FORAY_INNER_AUTO; method <= FORAY_INNER_ASCENT; method++) {
        foray_status status = FORAY_ERROR_MEMORY;
        fy_inner *inner = NULL;
        int64_t failures = 0;
        for (; status == FORAY_ERROR_MEMORY; failures++) {
            assert_null(inner);
            t.ctx->allocations_left = failures;
            status = fy_inner_create(t.ctx, &t.form, method, 256, &inner);
        }
        assert_int_equal(status, FORAY_OK);
        assert_true(failures > 5);
        t.ctx->allocations_left = -1;
        fy_inner_destroy(inner);
    }
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_is_brute_force),
        cmocka_unit_test(exact_lists_are_brute_force),
        cmocka_unit_test(exact_lists_of_low_rank_are_brute_force),
        cmocka_unit_test(nearly_dependent_directions_are_brute_force),
        cmocka_unit_test(lists_visit_every_vertex_once),
        cmocka_unit_test(cells_are_counted_right),
        cmocka_unit_test(bounds_do_not_overflow),
        cmocka_unit_test(long_lists_agree_with_ascent_bounds),
        cmocka_unit_test(equal_sets_share_walks),
        cmocka_unit_test(l1_is_brute_force_and_glpk),
        cmocka_unit_test(ascent_brackets_the_maximum),
        cmocka_unit_test(auto_chooses_by_budget),
        cmocka_unit_test(nothing_unknown_gives_zero),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(create_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
