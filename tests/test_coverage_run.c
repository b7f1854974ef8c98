/* test_coverage_run.c - watched runs: what is found against sets and certificates looked at by
 * other means, and a radius so small that it must be seen to fail. */
#include "experiments/coverage.h"
#include "oracle_truth.h"
#include "support.h"
#include "system/system.h"

#include <math.h>
#include <string.h>

typedef struct bench {
    foray_context *ctx;
    foray_model *model;
    fy_worst_search *search;
    foray_settings settings;
} bench;

static void open_bench(bench *b, const char *world)
{
    b->ctx = foray_context_create();
    support_ok(b->ctx, foray_model_builtin(b->ctx, world, &b->model));
    support_ok(b->ctx, fy_worst_search_create(b->ctx, b->model, 4, 1, &b->search));
    foray_settings_default(&b->settings);
    b->settings.episodes = 64;
    b->settings.delta = 0.2;
}

static void close_bench(bench *b)
{
    fy_worst_search_destroy(b->search);
    foray_model_destroy(b->model);
    foray_context_destroy(b->ctx);
}

static fy_coverage_outcome watch(bench *b, const char *algorithm, int radius, double scale,
                                 int64_t seed)
{
    fy_coverage_outcome found;
    memcpy(b->settings.algorithm, algorithm, strlen(algorithm) + 1);
    b->settings.radius = radius;
    b->settings.radius_scale = scale;
    b->settings.seed = seed;
    support_ok(b->ctx, fy_coverage_run(b->ctx, b->model, &b->settings, b->settings.radius,
                                       b->search, 1, &found));
    return found;
}

/* The largest distance of all episodes, by the tests' own play and distance; the bound and
 * the worst gap at the end, by an explorer of their own. */
static void finds_what_others_find(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, "chain:states=7,zones=2,horizon=5");
    for (int radius = FORAY_RADIUS_SHARP; radius <= FORAY_RADIUS_THEOREM; radius++) {
        fy_coverage_outcome found = watch(&b, "ucrl-rfe", radius, 1, 7);
        foray_explorer *explorer;
        foray_world *world;
        foray_certificate bound;
        double gap;
        support_ok(b.ctx, support_create(b.ctx, b.model, &b.settings, &explorer));
        support_ok(b.ctx, foray_world_from_model(b.ctx, b.model, &world));
        double worst = truth_distance(explorer);
        for (int64_t k = 0; k < b.settings.episodes; k++) {
            assert_true(truth_play(explorer, world, 1));
            worst = fmax(worst, truth_distance(explorer));
        }
        support_ok(b.ctx, foray_explorer_bound(explorer, FORAY_KIND_PAIR, &bound));
        support_ok(b.ctx,
                   fy_worst_search_run(b.ctx, b.search, explorer, FORAY_OPTIMISTIC, 1, &gap, NULL));
        assert_true(fabs(found.set - worst) < 1e-9);
        assert_true(found.bound == bound.gap && found.gap == gap);
        assert_true(found.all >= gap / bound.gap - 1e-12);
        assert_true(found.each >= found.loss / found.certificate - 1e-12);
        foray_world_destroy(world);
        foray_explorer_destroy(explorer);
    }
    close_bench(&b);
}

/* Proper radii hold; radii of a tenth are missed, and so are certificates made of them:
 * whoever looks for failures finds them. */
static void failures_are_seen(void **state)
{
    (void)state;
    enum { RUNS = 40 };
    bench b;
    int64_t held = 0, missed = 0, sets = 0;
    open_bench(&b, "chain:states=7,zones=2,horizon=5");
    for (int64_t seed = 0; seed < RUNS; seed++) {
        fy_coverage_outcome good = watch(&b, "ucrl-rfe", FORAY_RADIUS_SHARP, 1, seed);
        fy_coverage_outcome bad = watch(&b, "ucrl-rfe", FORAY_RADIUS_SHARP, 0.1, seed);
        held += fy_coverage_holds(&good);
        sets += bad.set > 1;
        missed += bad.each > 1;
        assert_false(bad.set > 1 && fy_coverage_holds(&bad));
        if (good.set <= 1) /* on the event nothing may fail */
            assert_true(good.all <= 1 && good.each <= 1);
    }
    assert_true(RUNS - held <= truth_max_failures(RUNS, b.settings.delta));
    assert_true(sets > truth_max_failures(RUNS, b.settings.delta));
    assert_true(missed > truth_max_failures(RUNS, b.settings.delta));
    close_bench(&b);
}

/* Algorithms without sets, and without a bound for all rewards. */
static void what_is_missing_is_nan(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, "riverswim:states=4,horizon=6");
    fy_coverage_outcome counts = watch(&b, "rf-ucrl", FORAY_RADIUS_SHARP, 1, 1);
    assert_true(isnan(counts.set) && counts.all <= 1 && counts.each <= 1);
    fy_coverage_outcome sstp = watch(&b, "sstp", FORAY_RADIUS_SHARP, 1, 1);
    assert_true(isnan(sstp.set) && isnan(sstp.all) && isnan(sstp.bound) && sstp.each <= 1);
    assert_true(fy_coverage_holds(&counts) && fy_coverage_holds(&sstp));
    close_bench(&b);
}

/* The adversary finds at least the worst of every family. */
static void search_is_severe(void **state)
{
    (void)state;
    bench b;
    foray_explorer *explorer;
    foray_world *world;
    foray_reward *worst;
    double gap, value, optimal;
    open_bench(&b, "riverswim:states=4,horizon=6");
    support_ok(b.ctx, support_create(b.ctx, b.model, &b.settings, &explorer));
    support_ok(b.ctx, foray_world_from_model(b.ctx, b.model, &world));
    assert_true(truth_play(explorer, world, 20));
    support_ok(b.ctx,
               fy_worst_search_run(b.ctx, b.search, explorer, FORAY_PLUGIN, 3, &gap, &worst));
    fy_explorer_planner planner = {explorer, FORAY_PLUGIN};
    for (int f = 0; f < FY_FAMILIES; f++) {
        fy_gaps gaps;
        support_ok(b.ctx, fy_measure(b.ctx, b.search->truth, b.search->family[f],
                                     fy_plan_with_explorer, &planner, NULL, &gaps));
        assert_true(gaps.worst <= gap);
    }
    foray_policy *policy;
    const foray_reward *const rewards[] = {worst};
    support_ok(b.ctx, foray_explorer_plan(explorer, 1, rewards, FORAY_PLUGIN, &policy));
    support_ok(b.ctx, foray_evaluate(b.ctx, b.model, worst, policy, &value, &optimal));
    assert_true(fabs(optimal - value - gap) < 1e-12 && gap > 0.01);
    foray_policy_destroy(policy);
    foray_reward_destroy(worst);
    foray_world_destroy(world);
    foray_explorer_destroy(explorer);
    close_bench(&b);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, "chain:states=3,zones=1,horizon=2");
    foray_status status = FORAY_ERROR_MEMORY;
    b.settings.episodes = 2;
    for (int64_t left = 0; status == FORAY_ERROR_MEMORY; left++) {
        fy_worst_search *search = NULL;
        fy_coverage_outcome found;
        b.ctx->allocations_left = left;
        status = fy_worst_search_create(b.ctx, b.model, 2, 1, &search);
        if (status == FORAY_OK)
            status =
                fy_coverage_run(b.ctx, b.model, &b.settings, b.settings.radius, search, 1, &found);
        fy_worst_search_destroy(search);
    }
    b.ctx->allocations_left = -1;
    assert_int_equal(status, FORAY_OK);
    close_bench(&b);
}

/* Certificates from likelihoods: held as they are, seen to fail at a fifth of the radius. */
static void likelihoods_are_watched(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, "chain:states=7,zones=2,horizon=5");
    memcpy(b.settings.algorithm, "ucrl-rfe", sizeof "ucrl-rfe");
    int64_t held[2] = {0};
    for (int scaled = 0; scaled < 2; scaled++)
        for (int64_t seed = 0; seed < 10; seed++) {
            fy_coverage_outcome found;
            b.settings.radius_scale = scaled ? 0.2 : 1;
            b.settings.seed = seed;
            support_ok(b.ctx, fy_coverage_run(b.ctx, b.model, &b.settings, FORAY_RADIUS_LIKELIHOOD,
                                              b.search, 1, &found));
            assert_true(found.set > 0 && found.all > 0 && found.bound > 0);
            held[scaled] += fy_coverage_holds(&found);
        }
    assert_int_equal(held[0], 10);
    assert_int_equal(held[1], 0);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_others_find),    cmocka_unit_test(failures_are_seen),
        cmocka_unit_test(what_is_missing_is_nan),    cmocka_unit_test(search_is_severe),
        cmocka_unit_test(every_allocation_may_fail), cmocka_unit_test(likelihoods_are_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
