/* test_intervals.c - what a run exports as an interval model: the truth lies between what a robust
 * verifier finds with an unkind and with a kind nature, for every reward that is asked.
 *
 * Robust values come from another reader of the file and a slow value iteration (oracle_umb). Each
 * run may fail with probability delta; over all runs the failures must not exceed what a binomial
 * variable exceeds with probability 1e-6. The control, intervals nine tenths of which are cut
 * away, fails far more often. */
#include "oracle_truth.h"
#include "oracle_umb.h"
#include "support.h"
#include "export/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 100, STATES = 5, ACTIONS = 2, HORIZON = 5, EPISODES = 60 };
static const double DELTA = 0.1;

typedef struct counts {
    int64_t outside, control;
    double width;
} counts;

static foray_explorer *explore(foray_context *ctx, const foray_model *model, uint64_t seed)
{
    foray_settings settings;
    foray_explorer *explorer;
    foray_world *world;
    foray_settings_default(&settings);
    settings.seed = seed;
    settings.delta = DELTA;
    support_ok(ctx, foray_explorer_create(ctx, model, &settings, &explorer));
    support_ok(ctx, foray_world_from_model(ctx, model, &world));
    for (int i = 0; i < EPISODES; i++)
        support_ok(ctx, foray_explorer_play(explorer, world, NULL, NULL));
    foray_world_destroy(world);
    return explorer;
}

/* The run as a file, with one reward. */
static char *export_run(foray_context *ctx, foray_explorer *explorer, const foray_model *model,
                        const foray_reward *reward, size_t *size)
{
    foray_model_facts facts;
    foray_certificate about;
    char *data;
    support_ok(ctx, foray_model_check(ctx, model, &facts));
    double *low = calloc((size_t)facts.transitions, sizeof *low);
    double *high = calloc((size_t)facts.transitions, sizeof *high);
    support_ok(ctx, foray_explorer_intervals(explorer, low, high, &about));
    assert_int_equal(about.status, FORAY_CERTIFIED);
    assert_true(about.delta == DELTA);
    fy_export_options what = {.low = low,
                              .high = high,
                              .delta = about.delta,
                              .about = "test",
                              .rewards = 1,
                              .reward = &reward};
    support_ok(ctx, fy_model_export(ctx, model, &what, "umb", &data, size));
    free(low);
    free(high);
    return data;
}

static void try_seed(foray_context *ctx, int kind, uint64_t seed, counts *n)
{
    support_sizes sizes = {
        .states = STATES, .actions = ACTIONS, .horizon = HORIZON, .successors = 3, .dim = 3};
    foray_model *model = support_model(ctx, kind, sizes, seed);
    foray_explorer *explorer = explore(ctx, model, seed);
    bool all = true, control = true;
    double width;
    for (int64_t goal = 0; goal < 3; goal++) {
        foray_reward *reward = truth_goal(ctx, model, goal);
        umb_file file;
        size_t size;
        char *data = export_run(ctx, explorer, model, reward, &size);
        double truth = support_optimal(ctx, model, reward);
        assert_true(umb_open(data, size, &file));
        assert_int_equal(file.states, STATES);
        control = control && umb_contains(&file, model, truth, 0.9, &width);
        all = all && umb_contains(&file, model, truth, 0, &width);
        n->width += width / 3;
        foray_free(data);
        foray_reward_destroy(reward);
    }
    n->outside += !all;
    n->control += !control;
    foray_explorer_destroy(explorer);
    foray_model_destroy(model);
}

static void true_values_lie_between(void **state)
{
    (void)state;
    static const int kinds[] = {SUPPORT_CLASSES, SUPPORT_TABULAR, SUPPORT_MIXTURE};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        foray_context *ctx = foray_context_create();
        counts n = {0};
        for (uint64_t seed = 0; seed < SEEDS; seed++)
            try_seed(ctx, kinds[k], seed, &n);
        if (n.outside > truth_max_failures(SEEDS, DELTA))
            fail_msg("kind %d: %d of %d runs are wrong", kinds[k], (int)n.outside, SEEDS);
        assert_true(n.control > truth_max_failures(SEEDS, DELTA));
        assert_true(n.width / SEEDS < 0.8 * HORIZON); /* they say something */
        foray_context_destroy(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(true_values_lie_between)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
