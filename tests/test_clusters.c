/* Clusters: memberships against brute force, points against the density they stand for. */
#include "support_system.h"

#include "aggregate/clusters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    foray_context *ctx;
    support_line line;
    foray_system *system;
} fixture;

static fixture open_line(int64_t dimensions)
{
    fixture f = {.ctx = foray_context_create()};
    f.line = (support_line){.dimensions = dimensions};
    f.system = support_line_system(f.ctx, &f.line, 3);
    return f;
}

static void close_line(fixture *f)
{
    foray_system_destroy(f->system);
    foray_context_destroy(f->ctx);
}

static void random_state(support_random *random, int64_t n, double *state)
{
    for (int64_t i = 0; i < n; i++)
        state[i] = support_uniform(random);
}

/* Ascending, positive, sum one. */
static int64_t sound_members(const foray_clusters *clusters, const double *state, int32_t *cluster,
                             double *weight)
{
    int64_t count = foray_clusters_of(clusters, state, cluster, weight);
    double sum = 0;
    assert_true(count >= 1 && count <= foray_clusters_max(clusters));
    for (int64_t k = 0; k < count; k++) {
        assert_true(weight[k] > 0);
        assert_true(cluster[k] >= 0 && cluster[k] < foray_clusters_count(clusters));
        assert_true(k == 0 || cluster[k] > cluster[k - 1]);
        sum += weight[k];
    }
    assert_true(fabs(sum - 1) < 1e-14);
    return count;
}

/* --------------------------------------------------------------------------- grid */

/* sum_x P(x|s) centre(x) = s, so that every linear function is interpolated exactly. */
static void grids_interpolate_linear_functions(void **unused)
{
    (void)unused;
    const int64_t points[] = {7, 2, 5, 3};
    support_random random = {11, 0};
    for (int64_t n = 1; n <= 4; n++) {
        fixture f = open_line(n);
        foray_clusters *clusters = NULL;
        support_ok(f.ctx, fy_grid_of_system(f.ctx, f.system, points, &clusters));
        assert_int_equal(foray_clusters_max(clusters), 1 << n);
        for (int k = 0; k < 200; k++) {
            int32_t cluster[16];
            double weight[16], state[4], centre[4], mean[4] = {0};
            random_state(&random, n, state);
            for (int64_t i = 0; i < n && k % 3 == 0; i++)
                state[i] = k % 2 ? 1 : floor(state[i] * 2);
            int64_t count = sound_members(clusters, state, cluster, weight);
            assert_true(k % 3 != 0 || count == 1);
            for (int64_t j = 0; j < count; j++) {
                foray_clusters_centre(clusters, cluster[j], centre);
                for (int64_t i = 0; i < n; i++)
                    mean[i] += weight[j] * centre[i];
            }
            for (int64_t i = 0; i < n; i++)
                assert_true(fabs(mean[i] - state[i]) < 1e-14);
        }
        foray_clusters_destroy(clusters);
        close_line(&f);
    }
}

/* Every centre is its own cluster, and the product of hats of width 1 is what a state
 * belongs to it by. */
static void grid_weights_are_products_of_hats(void **unused)
{
    (void)unused;
    const int64_t points[] = {4, 6};
    fixture f = open_line(2);
    foray_clusters *clusters = NULL;
    support_ok(f.ctx, fy_grid_of_system(f.ctx, f.system, points, &clusters));
    support_random random = {3, 0};
    double state[2], centre[2], weight[4], dense[24];
    int32_t cluster[4];
    for (int k = 0; k < 100; k++) {
        random_state(&random, 2, state);
        memset(dense, 0, sizeof dense);
        int64_t count = foray_clusters_of(clusters, state, cluster, weight);
        for (int64_t j = 0; j < count; j++)
            dense[cluster[j]] = weight[j];
        for (int64_t x = 0; x < 24; x++) {
            foray_clusters_centre(clusters, x, centre);
            double p = fmax(0, 1 - 3 * fabs(state[0] - centre[0])) *
                       fmax(0, 1 - 5 * fabs(state[1] - centre[1]));
            assert_true(fabs(p - dense[x]) < 1e-14);
        }
    }
    foray_clusters_destroy(clusters);
    close_line(&f);
}

/* The distribution function of 1 - |t| on [-1,1], or of what the border leaves of it. */
static double hat_below(double t, bool left_end, bool right_end)
{
    double rising = (1 + t) * (1 + t) / 2, falling = 1 - (1 - t) * (1 - t) / 2;
    if (left_end)
        return 2 * (falling - 0.5);
    if (right_end)
        return 2 * rising;
    return t < 0 ? rising : falling;
}

/* An even spread of 512 points leaves no share of a cluster off by more than a hundredth. */
static void grid_points_have_the_density_of_the_weights(void **unused)
{
    (void)unused;
    const int64_t points[] = {5, 3};
    enum { COUNT = 2 * FY_POINTS };
    static double point[COUNT][2];
    fixture f = open_line(2);
    foray_clusters *clusters = NULL;
    support_ok(f.ctx, fy_grid_of_system(f.ctx, f.system, points, &clusters));
    for (int64_t x = 0; x < 15; x++) {
        for (int64_t first = 0; first < COUNT; first += FY_POINTS)
            clusters->kind->points(clusters, &(fy_points){x, 77, first, FY_POINTS, NULL},
                                   point[first]);
        for (int i = 0; i < 2; i++) {
            int64_t index = i ? x % 3 : x / 3, last = points[i] - 1;
            double centre[2];
            foray_clusters_centre(clusters, x, centre);
            for (double t = -0.9; t < 1; t += 0.3) {
                if ((index == 0 && t < 0) || (index == last && t > 0))
                    continue;
                int below = 0;
                for (int k = 0; k < COUNT; k++)
                    below += (point[k][i] - centre[i]) * (double)last <= t;
                double share = hat_below(t, index == 0, index == last);
                assert_true(fabs((double)below / COUNT - share) < 0.01);
            }
        }
    }
    foray_clusters_destroy(clusters);
    close_line(&f);
}

/* ------------------------------------------------------------------------- radial */

typedef struct oracle {
    double distance2;
    int32_t index;
} oracle;

static int compare_oracles(const void *left, const void *right)
{
    const oracle *a = left, *b = right;
    if (a->distance2 != b->distance2)
        return a->distance2 < b->distance2 ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* All distances, sorted; weights by the formula. */
static void brute_force(int64_t n, int64_t count, const double *centre, double width,
                        int64_t nearest, const double *state, double *dense)
{
    oracle *all = calloc((size_t)count, sizeof *all);
    double sum = 0;
    assert_non_null(all);
    for (int64_t k = 0; k < count; k++) {
        all[k].index = (int32_t)k;
        for (int64_t i = 0; i < n; i++) {
            double apart = centre[k * n + i] - state[i];
            all[k].distance2 += apart * apart;
        }
    }
    qsort(all, (size_t)count, sizeof *all, compare_oracles);
    for (int64_t k = 0; k < count; k++)
        dense[k] = 0;
    for (int64_t k = 0; k < nearest; k++)
        sum += exp(-all[k].distance2 / (2 * width * width));
    for (int64_t k = 0; k < nearest; k++)
        dense[all[k].index] = exp(-all[k].distance2 / (2 * width * width)) / sum;
    free(all);
}

static void compare_radial(const foray_clusters *clusters, int64_t n, int64_t count,
                           const double *centre, double width, int64_t nearest, uint64_t seed)
{
    support_random random = {seed, 0};
    double *expected = calloc((size_t)count, sizeof *expected);
    assert_non_null(expected);
    for (int k = 0; k < 50; k++) {
        int32_t cluster[FY_MAX_MEMBERSHIPS];
        double weight[FY_MAX_MEMBERSHIPS], state[8];
        random_state(&random, n, state);
        /* Lattice points and places between them: many distances are equal. */
        for (int64_t i = 0; i < n && k % 2; i++)
            state[i] = floor(state[i] * 8) / 8;
        brute_force(n, count, centre, width, nearest, state, expected);
        int64_t members = sound_members(clusters, state, cluster, weight);
        for (int64_t j = 0; j < members; j++) {
            assert_true(fabs(weight[j] - expected[cluster[j]]) < 1e-12);
            expected[cluster[j]] = 0;
        }
        for (int64_t x = 0; x < count; x++)
            assert_true(expected[x] < 1e-12);
    }
    free(expected);
}

static void radial_weights_agree_with_brute_force(void **unused)
{
    (void)unused;
    static const struct {
        int64_t n, count, nearest;
        bool lattice;
    } cases[] = {{1, 1, 1, false}, {1, 40, 5, true},   {2, 300, 8, false},
                 {2, 81, 9, true}, {3, 500, 1, false}, {6, 200, 64, false}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int64_t n = cases[c].n, count = cases[c].count;
        fixture f = open_line(n);
        double *centre = calloc((size_t)(count * n), sizeof *centre);
        support_random random = {21 + c, 0};
        assert_non_null(centre);
        for (int64_t k = 0; k < count * n; k++)
            centre[k] =
                cases[c].lattice ? (double)support_below(&random, 5) / 4 : support_uniform(&random);
        foray_clusters *clusters = NULL;
        support_ok(f.ctx, fy_radial_of_system(f.ctx, f.system, count, centre, 0.2, cases[c].nearest,
                                              &clusters));
        compare_radial(clusters, n, count, centre, 0.2, cases[c].nearest, 5 + c);
        foray_clusters_destroy(clusters);
        free(centre);
        close_line(&f);
    }
}

/* The centres of one's own choosing are kept; those that are chosen leave no large hole: in
 * two dimensions 400 of them have one within 0.05 of every state. */
static void default_centres_are_spread_evenly(void **unused)
{
    (void)unused;
    fixture f = open_line(2);
    foray_clusters *clusters = NULL;
    support_ok(f.ctx, foray_clusters_parse(f.ctx, f.system, "radial:400", &clusters));
    assert_int_equal(foray_clusters_max(clusters), 8);
    support_random random = {4, 0};
    for (int k = 0; k < 300; k++) {
        double state[2], centre[2], min = 1;
        random_state(&random, 2, state);
        for (int64_t x = 0; x < 400; x++) {
            foray_clusters_centre(clusters, x, centre);
            min = fmin(min, hypot(centre[0] - state[0], centre[1] - state[1]));
        }
        assert_true(min < 0.05);
    }
    foray_clusters_destroy(clusters);
    close_line(&f);
}

/* The mean of s over cluster x by a fine grid: int s P(x|s) ds / int P(x|s) ds. */
static void integrate(const foray_clusters *clusters, int32_t x, double *mean)
{
    enum { CELLS = 200 };
    double sum = 0;
    mean[0] = mean[1] = 0;
    for (int i = 0; i < CELLS; i++)
        for (int j = 0; j < CELLS; j++) {
            int32_t cluster[FY_MAX_MEMBERSHIPS];
            double weight[FY_MAX_MEMBERSHIPS];
            const double state[] = {(i + 0.5) / CELLS, (j + 0.5) / CELLS};
            int64_t count = foray_clusters_of(clusters, state, cluster, weight);
            for (int64_t k = 0; k < count; k++)
                if (cluster[k] == x) {
                    sum += weight[k];
                    mean[0] += weight[k] * state[0];
                    mean[1] += weight[k] * state[1];
                }
        }
    mean[0] /= sum;
    mean[1] /= sum;
}

/* Deviations within a cluster are about 0.1: means of 1024 points err by 0.003. */
static void radial_points_have_the_density_of_the_weights(void **unused)
{
    (void)unused;
    enum { COUNT = 4 * FY_POINTS };
    static double point[COUNT][2];
    fixture f = open_line(2);
    foray_clusters *clusters = NULL;
    support_ok(f.ctx, foray_clusters_parse(f.ctx, f.system, "radial:20,nearest=6", &clusters));
    double *room = calloc((size_t)clusters->room, sizeof *room);
    assert_non_null(room);
    double farthest = 0;
    for (int32_t x = 0; x < 20; x++) {
        double expected[2], centre[2], mean[2] = {0};
        integrate(clusters, x, expected);
        foray_clusters_centre(clusters, x, centre);
        for (int64_t first = 0; first < COUNT; first += FY_POINTS)
            clusters->kind->points(clusters, &(fy_points){x, 5, first, FY_POINTS, room},
                                   point[first]);
        for (int k = 0; k < COUNT; k++)
            for (int i = 0; i < 2; i++) {
                assert_true(point[k][i] >= 0 && point[k][i] <= 1);
                mean[i] += point[k][i] / COUNT;
            }
        assert_true(hypot(mean[0] - expected[0], mean[1] - expected[1]) < 0.015);
        farthest = fmax(farthest, hypot(centre[0] - expected[0], centre[1] - expected[1]));
    }
    /* Points at the centre would not do. */
    assert_true(farthest > 0.03);
    free(room);
    foray_clusters_destroy(clusters);
    close_line(&f);
}

/* ------------------------------------------------------------- texts and refusals */

static void texts_name_clusters(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *words;
    } bad[] = {
        {"", "should read"},
        {"grid", "should read"},
        {"grid:", "should read"},
        {"grid:5", "1 dimensions, but line has 2"},
        {"grid:5x", "should read"},
        {"grid:5x5y", "should read"},
        {"grid:5x-5", "should read"},
        {"grid:2x2x2x2x2", "should read"},
        {"grid:5x1", "dimension 1 of the grid has 1 points"},
        {"grid:100000x100000", "dimension 1 of the grid has 100000 points"},
        {"states", "is not finite"},
        {"radial:", "should read"},
        {"radial:x", "should read"},
        {"radial:0", "0 radial clusters"},
        {"radial:5;", "should read"},
        {"radial:50,width=2", "width=2, but it must be"},
        {"radial:50,nearest=65", "nearest=65, but it must be"},
        {"radial:5,nearest=6", "nearest is 6"},
        {"radial:50,w=1", "no parameter is called \"w\""},
        {"radial:99999999999999999999", "should read"},
        {"radial:9999999999", "radial clusters: there must be"},
    };
    fixture f = open_line(2);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        foray_clusters *clusters = NULL;
        support_refused(f.ctx, foray_clusters_parse(f.ctx, f.system, bad[i].text, &clusters),
                        FORAY_ERROR_USAGE, bad[i].words);
    }
    foray_clusters *clusters = NULL;
    support_ok(f.ctx, foray_clusters_parse(f.ctx, f.system, "grid:5x7", &clusters));
    assert_int_equal(foray_clusters_count(clusters), 35);
    foray_clusters_destroy(clusters);
    support_ok(f.ctx, foray_clusters_parse(f.ctx, f.system, "radial:3", &clusters));
    assert_int_equal(foray_clusters_max(clusters), 3);
    foray_clusters_destroy(clusters);
    foray_clusters_destroy(NULL);
    close_line(&f);
}

static void clusters_are_refused_where_they_make_no_sense(void **unused)
{
    (void)unused;
    const double outside[] = {0.5, 1.5}, twice[] = {0.5, 0.5, 0.5, 0.5};
    const int64_t points[] = {2, 2, 2, 2, 2};
    foray_clusters *clusters = NULL;
    fixture f = open_line(2), g = open_line(5);
    assert_int_equal(fy_radial_of_system(f.ctx, f.system, 1, outside, 0.1, 1, &clusters),
                     FORAY_ERROR_USAGE);
    assert_int_equal(fy_radial_of_system(f.ctx, f.system, 2, twice, 0, 1, &clusters),
                     FORAY_ERROR_USAGE);
    assert_int_equal(fy_grid_of_system(g.ctx, g.system, points, &clusters), FORAY_ERROR_USAGE);
    support_finite *finite = support_finite_random(4, 0, 1);
    foray_system *system = support_finite_system(f.ctx, finite, 3);
    assert_int_equal(foray_clusters_parse(f.ctx, system, "grid:4", &clusters), FORAY_ERROR_USAGE);
    assert_int_equal(foray_clusters_parse(f.ctx, system, "radial:4", &clusters), FORAY_ERROR_USAGE);
    support_ok(f.ctx, foray_clusters_parse(f.ctx, system, "states", &clusters));
    assert_int_equal(foray_clusters_count(clusters), 4);
    double state = 3, weight;
    int32_t cluster;
    assert_int_equal(sound_members(clusters, &state, &cluster, &weight), 1);
    assert_int_equal(cluster, 3);
    foray_clusters_destroy(clusters);
    foray_system_destroy(system);
    free(finite);
    close_line(&f);
    close_line(&g);
}

static void failed_allocations_leave_nothing_behind(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"grid:5x7", "radial:30"};
    fixture f = open_line(2);
    for (int i = 0; i < 2; i++) {
        foray_clusters *clusters = NULL;
        int64_t failures = 0;
        for (;; failures++) {
            f.ctx->allocations_left = failures;
            if (foray_clusters_parse(f.ctx, f.system, texts[i], &clusters) == FORAY_OK)
                break;
            assert_null(clusters);
        }
        assert_true(failures >= 4);
        f.ctx->allocations_left = -1;
        foray_clusters_destroy(clusters);
    }
    close_line(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_interpolate_linear_functions),
        cmocka_unit_test(grid_weights_are_products_of_hats),
        cmocka_unit_test(grid_points_have_the_density_of_the_weights),
        cmocka_unit_test(radial_weights_agree_with_brute_force),
        cmocka_unit_test(default_centres_are_spread_evenly),
        cmocka_unit_test(radial_points_have_the_density_of_the_weights),
        cmocka_unit_test(texts_name_clusters),
        cmocka_unit_test(clusters_are_refused_where_they_make_no_sense),
        cmocka_unit_test(failed_allocations_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
