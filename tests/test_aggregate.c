/* Aggregating: features against closed forms and known laws, the bound on their errors as a
 * statistic, and that threads make no difference. */
#include "support_system.h"

#include "system/system.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int setup(void **state)
{
    *state = foray_context_create();
    return *state == NULL;
}

static int teardown(void **state)
{
    foray_context_destroy(*state);
    return 0;
}

static foray_clusters *make_clusters(foray_context *ctx, foray_system *system, const char *text)
{
    foray_clusters *clusters = NULL;
    support_ok(ctx, foray_clusters_parse(ctx, system, text, &clusters));
    return clusters;
}

static foray_aggregation request(int64_t draws, uint64_t seed)
{
    foray_aggregation aggregation;
    foray_aggregation_default(&aggregation);
    aggregation.draws = draws;
    aggregation.seed = seed;
    return aggregation;
}

/* P_i(next|s,a) in the model: the features are divided by sqrt(d). */
static double simulator_law(const foray_model *model, int64_t i, int64_t s, int64_t a, int64_t next)
{
    double theta[SUPPORT_SIMULATORS] = {0};
    const int32_t *succ;
    int64_t count = foray_model_successors(model, s, a, &succ);
    theta[i] = sqrt(SUPPORT_SIMULATORS);
    for (int64_t j = 0; j < count; j++)
        if (succ[j] == next)
            return foray_model_probability(model, theta, s, a, j);
    return 0;
}

/* --------------------------------------------------------------------- closed form */

/* The cubic B-spline: a hat, smeared by a hat. */
static double spline(double t)
{
    t = fabs(t);
    if (t < 1)
        return 2.0 / 3 - t * t + t * t * t / 2;
    return t < 2 ? (2 - t) * (2 - t) * (2 - t) / 6 : 0;
}

/* Away from the border, a shift by c cells makes phi(y|x) = B(y - x - c). */
static void shifts_on_a_grid_are_splines(void **state)
{
    foray_context *ctx = *state;
    support_line line = {.dimensions = 1, .shift = {0, 0.05, 0.13}, .start = 0.55};
    foray_system *system = support_line_system(ctx, &line, 3);
    foray_clusters *clusters = make_clusters(ctx, system, "grid:11");
    foray_aggregation aggregation = request(20000, 1);
    foray_aggregation_facts facts;
    foray_model *model = NULL;
    support_ok(ctx,
               foray_aggregate(ctx, system, clusters, &aggregation, NULL, NULL, &facts, &model));
    assert_int_equal(facts.draws, 20000);
    assert_true(facts.feature_error == 0 && model->feature_error == 0);
    support_ok(ctx, foray_model_check(ctx, model, NULL));
    for (int64_t i = 0; i < SUPPORT_SIMULATORS; i++)
        for (int64_t a = 0; a < 2; a++)
            for (int64_t y = 0; y < 11; y++) {
                double cells = 10 * line.shift[i] * (a ? -1 : 1);
                double p = simulator_law(model, i, 5, a, y);
                assert_true(fabs(p - spline((double)(y - 5) - cells)) < 5e-4);
            }
    /* Half of every episode starts at 0.5 and half at 0.6; the map is a line. */
    const int32_t *start;
    const double *chance;
    int64_t rows, cols, row, col;
    assert_int_equal(foray_model_initial(model, &start, &chance), 2);
    assert_true(start[0] == 5 && fabs(chance[0] - 0.5) < 1e-9);
    assert_true(foray_model_grid(model, &rows, &cols) && rows == 1 && cols == 11);
    assert_true(foray_model_cell(model, 7, &row, &col) && row == 0 && col == 7);
    assert_string_equal(foray_model_state_name(model, 7), "s0=0.7");
    assert_true(fabs(foray_model_theta(model)[0] - sqrt(3) / 3) < 1e-15);
    foray_model_destroy(model);
    foray_clusters_destroy(clusters);
    foray_system_destroy(system);
}

/* ------------------------------------------------------------------ known laws */

/* The largest total variation distance between a law of the model and the true one. */
static double true_error(const support_finite *finite, const foray_model *model)
{
    double worst = 0;
    for (int64_t i = 0; i < SUPPORT_SIMULATORS; i++)
        for (int64_t s = 0; s < finite->states; s++)
            for (int64_t a = 0; a < SUPPORT_ACTIONS; a++) {
                double distance = 0;
                for (int64_t next = 0; next < finite->states; next++)
                    distance +=
                        fabs(simulator_law(model, i, s, a, next) - finite->law[i][s][a][next]) / 2;
                worst = fmax(worst, distance);
            }
    return worst;
}

/* How many of `seeds` models have an error above `share` of their bound. */
static int count_failures(foray_context *ctx, double stay, int64_t draws, int seeds, double share)
{
    int failures = 0;
    support_finite *finite = support_finite_random(5, stay, 3);
    foray_system *system = support_finite_system(ctx, finite, 3);
    foray_clusters *clusters = make_clusters(ctx, system, "states");
    for (int seed = 0; seed < seeds; seed++) {
        foray_aggregation aggregation = request(draws, (uint64_t)seed);
        aggregation.delta = 0.5;
        foray_model *model = NULL;
        support_ok(ctx,
                   foray_aggregate(ctx, system, clusters, &aggregation, NULL, NULL, NULL, &model));
        double bound = model->feature_error;
        assert_true(bound > 0 && bound < 1);
        failures += true_error(finite, model) > share * bound;
        foray_model_destroy(model);
    }
    foray_clusters_destroy(clusters);
    foray_system_destroy(system);
    free(finite);
    return failures;
}

/* With delta = 1/2, more than 40 failures among 50 would have probability below 1e-5 if the
 * bound held. A bound that is far too small fails nearly always, so that the test can. */
static void finite_systems_are_recovered_within_the_bound(void **state)
{
    foray_context *ctx = *state;
    assert_true(count_failures(ctx, 0, 2000, 50, 1) <= 40);
    assert_true(count_failures(ctx, 0, 2000, 20, 0.1) >= 19);
    assert_true(count_failures(ctx, 0.999, 2000, 50, 1) <= 40);
    assert_true(count_failures(ctx, 0.999, 2000, 20, 0.01) >= 19);
}

/* Pairs of random vectors whose mean is known: w puts all on one of `n` places, chance `p` of
 * a place that differs from the first. The supremum is half the sum of absolute errors. */
static bool bound_fails(uint64_t seed, int64_t pairs, int n, double p, double L, double *bound)
{
    support_random random = {seed, 0};
    double mean[8] = {0}, square[8] = {0}, Q = 0, N = 2 * (double)pairs;
    for (int64_t j = 0; j < pairs; j++) {
        int place[2];
        for (int k = 0; k < 2; k++) {
            bool moved = support_uniform(&random) < p;
            place[k] = moved ? 1 + (int)support_below(&random, n - 1) : 0;
            mean[place[k]] += 1 / N;
        }
        if (place[0] != place[1]) {
            square[place[0]]++;
            square[place[1]]++;
            Q++;
        }
    }
    double T = 0, distance = 0;
    for (int y = 0; y < n; y++) {
        T += sqrt(square[y]);
        distance += fabs(mean[y] - (y ? p / (n - 1) : 1 - p)) / 2;
    }
    *bound = fy_mean_error((fy_scatter){T, Q}, N, L);
    return distance > *bound;
}

/* 4 exp(-L) = 1/4: of 400 a true bound fails in more than 150 with probability below 1e-8. */
static void the_bound_holds_for_much_and_for_little_chance(void **unused)
{
    (void)unused;
    const double chances[] = {0.9, 0.1, 0.001};
    double before = 2;
    for (int c = 0; c < 3; c++) {
        int failures = 0;
        double bound = 0;
        for (uint64_t seed = 0; seed < 400; seed++)
            failures += bound_fails(seed, 2000, 6, chances[c], log(16), &bound);
        assert_true(failures <= 150);
        assert_true(bound < before);
        before = bound;
    }
    /* Without chance it shrinks like 1/N, with it like 1/sqrt(N). */
    assert_true(fy_mean_error((fy_scatter){0, 0}, 1e6, 10) < 2e-4);
    assert_true(fy_mean_error((fy_scatter){4000, 2e5}, 1e6, 10) > 5e-3);
    assert_true(fy_mean_error((fy_scatter){4000, 2e5}, 1e6, 10) < 2e-2);
    assert_true(fy_mean_error((fy_scatter){1, 1}, 2, 10) == 1);
}

static void accuracy_is_reached(void **state)
{
    foray_context *ctx = *state;
    support_finite *finite = support_finite_random(4, 0.9, 3);
    foray_system *system = support_finite_system(ctx, finite, 3);
    foray_clusters *clusters = make_clusters(ctx, system, "states");
    foray_aggregation aggregation = request(10, 1);
    int64_t before = 0;
    for (double accuracy = 0.2; accuracy > 0.04; accuracy /= 2) {
        foray_aggregation_facts facts;
        foray_model *model = NULL;
        aggregation.accuracy = accuracy;
        support_ok(
            ctx, foray_aggregate(ctx, system, clusters, &aggregation, NULL, NULL, &facts, &model));
        assert_true(facts.feature_error <= accuracy && facts.feature_error > accuracy / 2);
        assert_true(true_error(finite, model) < accuracy);
        assert_true(facts.draws > before);
        before = facts.draws;
        foray_model_destroy(model);
    }
    aggregation.accuracy = 1e-7;
    foray_model *none = NULL;
    assert_int_equal(foray_aggregate(ctx, system, clusters, &aggregation, NULL, NULL, NULL, &none),
                     FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(ctx), "too many"));
    foray_clusters_destroy(clusters);
    foray_system_destroy(system);
    free(finite);
}

/* -------------------------------------------------------------------- same bytes */

static uint8_t *bytes_of(foray_context *ctx, foray_system *system, const char *text,
                         const foray_aggregation *aggregation, foray_aggregation_facts *facts,
                         size_t *size)
{
    foray_clusters *clusters = make_clusters(ctx, system, text);
    foray_model *model = NULL;
    uint8_t *data = NULL;
    support_ok(ctx, foray_aggregate(ctx, system, clusters, aggregation, NULL, NULL, facts, &model));
    data = support_compact(ctx, model, size);
    foray_model_destroy(model);
    foray_clusters_destroy(clusters);
    return data;
}

static void threads_make_no_difference(void **state)
{
    foray_context *ctx = *state;
    static const char *const texts[] = {"grid:9x13", "radial:150,nearest=5"};
    support_line line = {
        .dimensions = 2, .shift = {0, 0.05, 0.13}, .noise = 0.2, .start = 0.5, .threads = true};
    foray_system *system = support_line_system(ctx, &line, 3);
    foray_aggregation aggregation = request(300, 9);
    for (int i = 0; i < 2; i++) {
        size_t size[3];
        uint8_t *data[3];
        for (int t = 0; t < 3; t++) {
            foray_context_set_threads(ctx, t + 1);
            data[t] = bytes_of(ctx, system, texts[i], &aggregation, NULL, &size[t]);
            assert_int_equal(size[t], size[0]);
            assert_memory_equal(data[t], data[0], size[0]);
        }
        for (int t = 0; t < 3; t++)
            free(data[t]);
        aggregation.seed++;
    }
    foray_system_destroy(system);
}

/* ---------------------------------------------------------- refusals and failures */

static bool stop(void *user, double done)
{
    assert_true(done >= 0 && done <= 1);
    return --*(int *)user > 0;
}

static void progress_may_stop_it(void **state)
{
    foray_context *ctx = *state;
    support_line line = {.dimensions = 2, .shift = {0, 0.05, 0.13}};
    foray_system *system = support_line_system(ctx, &line, 3);
    foray_clusters *clusters = make_clusters(ctx, system, "grid:20x20");
    foray_aggregation aggregation = request(5, 1);
    foray_model *model = NULL;
    const int when[] = {3, 4096 + 3}; /* among the resets, and among the clusters */
    for (int k = 0; k < 2; k++) {
        int calls = when[k];
        assert_int_equal(
            foray_aggregate(ctx, system, clusters, &aggregation, stop, &calls, NULL, &model),
            FORAY_INTERRUPTED);
        assert_true(calls == 0 && model == NULL);
    }
    foray_clusters_destroy(clusters);
    foray_system_destroy(system);
}

static void bad_requests_are_refused(void **state)
{
    foray_context *ctx = *state;
    support_line line = {.dimensions = 1}, wide = {.dimensions = 2};
    foray_system *system = support_line_system(ctx, &line, 3);
    foray_system *other = support_line_system(ctx, &wide, 3);
    foray_clusters *clusters = make_clusters(ctx, system, "grid:5");
    foray_clusters *foreign = make_clusters(ctx, other, "grid:5x5");
    foray_model *model = NULL;
    foray_aggregation bad[5];
    for (int i = 0; i < 5; i++)
        bad[i] = request(10, 1);
    bad[0].draws = 0;
    bad[1].delta = 0;
    bad[2].delta = 1;
    bad[3].accuracy = NAN;
    bad[4].draws = INT64_MAX;
    for (int i = 0; i < 5; i++)
        assert_int_equal(foray_aggregate(ctx, system, clusters, &bad[i], NULL, NULL, NULL, &model),
                         FORAY_ERROR_USAGE);
    foray_aggregation good = request(10, 1);
    assert_int_equal(foray_aggregate(ctx, system, foreign, &good, NULL, NULL, NULL, &model),
                     FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(ctx), "do not cover the box"));
    foray_clusters_destroy(clusters);
    foray_clusters_destroy(foreign);
    foray_system_destroy(system);
    foray_system_destroy(other);
}

static void failing_systems_are_named_with_cluster_and_action(void **state)
{
    foray_context *ctx = *state;
    foray_aggregation aggregation = request(10, 1);
    for (int threads = 1; threads <= 2; threads++) {
        support_hostile self = {.step = SUPPORT_NAN, .good_left = 35};
        foray_system *system = support_hostile_system(ctx, &self);
        foray_model *model = NULL;
        foray_clusters *clusters = make_clusters(ctx, system, "grid:9");
        foray_context_set_threads(ctx, threads);
        assert_int_equal(
            foray_aggregate(ctx, system, clusters, &aggregation, NULL, NULL, NULL, &model),
            FORAY_ERROR_WORLD);
        assert_non_null(strstr(foray_message(ctx), "cluster 3, action 0: hostile: "));
        self.reset = SUPPORT_FAILS;
        assert_int_equal(
            foray_aggregate(ctx, system, clusters, &aggregation, NULL, NULL, NULL, &model),
            FORAY_ERROR_WORLD);
        assert_non_null(strstr(foray_message(ctx), "the plug is pulled"));
        foray_clusters_destroy(clusters);
        foray_system_destroy(system);
    }
}

static void failed_allocations_leave_nothing_behind(void **state)
{
    foray_context *ctx = *state;
    foray_system *system = NULL;
    support_ok(ctx, foray_system_open(ctx, "tank", &system));
    foray_clusters *clusters = make_clusters(ctx, system, "grid:3x3");
    foray_aggregation aggregation = request(4, 1);
    foray_model *model = NULL;
    int64_t failures = 0;
    for (;; failures++) {
        ctx->allocations_left = failures;
        foray_status status =
            foray_aggregate(ctx, system, clusters, &aggregation, NULL, NULL, NULL, &model);
        if (status == FORAY_OK)
            break;
        assert_int_equal(status, FORAY_ERROR_MEMORY);
        assert_null(model);
    }
    assert_true(failures > 30);
    ctx->allocations_left = -1;
    foray_model_destroy(model);
    foray_clusters_destroy(clusters);
    foray_system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(shifts_on_a_grid_are_splines, setup, teardown),
        cmocka_unit_test_setup_teardown(finite_systems_are_recovered_within_the_bound, setup,
                                        teardown),
        cmocka_unit_test(the_bound_holds_for_much_and_for_little_chance),
        cmocka_unit_test_setup_teardown(accuracy_is_reached, setup, teardown),
        cmocka_unit_test_setup_teardown(threads_make_no_difference, setup, teardown),
        cmocka_unit_test_setup_teardown(progress_may_stop_it, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_requests_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(failing_systems_are_named_with_cluster_and_action, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(failed_allocations_leave_nothing_behind, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
