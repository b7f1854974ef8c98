/* test_stop.c - asked to stop in the middle of a bound, a plan or an episode: the answer comes at
 * once, episodes that had ended are saved, and the run continues to the same bits. */
#include "support_run.h"

#include <stdio.h>
#include <string.h>

/* Says stop when it is asked for the `at`-th time. */
typedef struct asked {
    int64_t count, at;
} asked;

static bool stop_at(void *user)
{
    asked *a = user;
    return ++a->count >= a->at;
}

/* Explores with so many questions; true: it was stopped. The world is asked no more afterwards. */
static bool explore_until(run_bench *bench, foray_run *run, int64_t at, int64_t *questions)
{
    asked a = {.at = at};
    foray_context_set_stop(bench->ctx, stop_at, &a);
    foray_status status = run_finish(bench, run);
    foray_context_set_stop(bench->ctx, NULL, NULL);
    assert_true(status == FORAY_OK || status == FORAY_INTERRUPTED);
    if (status == FORAY_INTERRUPTED)
        assert_int_equal(a.count, at); /* once it is said, nobody asks again */
    *questions = a.count;
    return status == FORAY_INTERRUPTED;
}

static const char *const algorithms[] = {"ucrl-rfe",   "ucrl-rfe+",     "random", "rf-ucrl",
                                         "rf-express", "rf-rl-explore", "euler",  "sstp"};

static void stopped_anywhere_a_run_continues_to_the_same_bits(void **state)
{
    run_bench *bench = *state;
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        run_digest whole, parts;
        int64_t questions = 0, all = 0;
        assert_ok(bench,
                  foray_settings_set(bench->ctx, &bench->settings, "algorithm", algorithms[i]));
        foray_run *run = run_create(bench, bench->path);
        assert_false(explore_until(bench, run, INT64_MAX, &all));
        foray_run_close(run);
        run_digest_file(bench, bench->path, &whole);
        remove(bench->path);
        for (int64_t at = 1; at <= all; at += 1 + all / 9) {
            run = run_create(bench, bench->path);
            assert_true(explore_until(bench, run, at, &questions));
            foray_run_close(run);
            run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
            assert_ok(bench, run_finish(bench, run));
            assert_ok(bench, foray_run_verify(run));
            foray_run_close(run);
            run_digest_file(bench, bench->path, &parts);
            run_assert_same(&whole, &parts);
            remove(bench->path);
        }
        assert_true(all > 10); /* else nothing was shown */
    }
}

/* Bounds and plans ask, and say so if they were stopped; nothing is handed out then. */
static void bounds_and_plans_stop(void **state)
{
    run_bench *bench = *state;
    foray_certificate bound;
    foray_policy *policy;
    run_make(bench, bench->path);
    foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_READ);
    foray_explorer *explorer = foray_run_explorer(run);
    foray_reward *reward = run_goal_reward(bench->ctx, bench->model);
    const foray_reward *const rewards[] = {reward};
    asked a = {.at = 1};
    foray_context_set_stop(bench->ctx, stop_at, &a);
    assert_int_equal(foray_explorer_bound(explorer, FORAY_KIND_PAIR, &bound), FORAY_INTERRUPTED);
    foray_context_set_stop(bench->ctx, stop_at, &a);
    assert_int_equal(foray_explorer_plan(explorer, 1, rewards, FORAY_PLUGIN, &policy),
                     FORAY_INTERRUPTED);
    a = (asked){.at = INT64_MAX};
    foray_context_set_stop(bench->ctx, stop_at, &a);
    assert_ok(bench, foray_explorer_bound(explorer, FORAY_KIND_PAIR, &bound));
    assert_ok(bench, foray_explorer_plan(explorer, 1, rewards, FORAY_PLUGIN, &policy));
    assert_true(a.count > bench->settings.episodes / 100);
    foray_context_set_stop(bench->ctx, NULL, NULL);
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    foray_run_close(run);
}

/* The same for bounds and plans that rest on counts alone, and for gap certificates: from the
 * first question to the last, whoever is stopped says so, and later answers are not spoilt. */
static void counts_and_gaps_stop(void **state)
{
    run_bench *bench = *state;
    static const char *const tabular[] = {"rf-ucrl", "rf-express", "rf-rl-explore"};
    int64_t asked_for_bounds = 0;
    for (size_t i = 0; i < sizeof tabular / sizeof *tabular; i++) {
        foray_certificate whole, bound;
        foray_policy *policy;
        assert_ok(bench, foray_settings_set(bench->ctx, &bench->settings, "algorithm", tabular[i]));
        run_make(bench, bench->path);
        foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_READ);
        foray_explorer *explorer = foray_run_explorer(run);
        foray_reward *reward = run_goal_reward(bench->ctx, bench->model);
        const foray_reward *const rewards[] = {reward};
        for (int by = 0; by < 2; by++) {
            foray_radius radius = by == 0 ? bench->settings.radius : FORAY_RADIUS_LIKELIHOOD;
            assert_ok(bench, foray_explorer_certify_by(explorer, radius));
            asked a = {.at = 1};
            foray_context_set_stop(bench->ctx, stop_at, &a);
            /* Some have no bound, and some bounds are at hand, and ask nobody. */
            foray_status stopped = foray_explorer_bound(explorer, FORAY_KIND_PAIR, &bound);
            bool bounded = stopped != FORAY_ERROR_USAGE;
            if (bounded)
                assert_int_equal(stopped, a.count > 0 ? FORAY_INTERRUPTED : FORAY_OK);
            asked_for_bounds += a.count;
            a = (asked){.at = 1};
            foray_context_set_stop(bench->ctx, stop_at, &a);
            assert_int_equal(foray_explorer_plan(explorer, 1, rewards, FORAY_PLUGIN, &policy),
                             FORAY_INTERRUPTED);
            foray_context_set_stop(bench->ctx, NULL, NULL);
            if (bounded)
                assert_ok(bench, foray_explorer_bound(explorer, FORAY_KIND_PAIR, &whole));
            assert_ok(bench, foray_explorer_plan(explorer, 1, rewards, FORAY_PLUGIN, &policy));
            for (int64_t at = 1; by == 1; at++) {
                a = (asked){.at = at};
                foray_context_set_stop(bench->ctx, stop_at, &a);
                foray_status status = foray_explorer_certify(explorer, reward, policy);
                foray_context_set_stop(bench->ctx, NULL, NULL);
                assert_int_equal(status, a.count >= at ? FORAY_INTERRUPTED : FORAY_OK);
                if (status == FORAY_OK) {
                    assert_true(at > bench->model->horizon); /* the gap asks at every step */
                    break;
                }
            }
            if (bounded) {
                assert_ok(bench, foray_explorer_bound(explorer, FORAY_KIND_PAIR, &bound));
                assert_true(bound.gap == whole.gap);
            }
            foray_policy_destroy(policy);
        }
        foray_reward_destroy(reward);
        foray_run_close(run);
        remove(bench->path);
    }
    assert_true(asked_for_bounds > 3); /* more than those of likelihoods */
}

/* Episodes begin anywhere along it, so that all of it counts. */
static foray_model *wide_river(run_bench *bench, int64_t states, int64_t steps)
{
    foray_builder *builder;
    foray_model *model;
    assert_ok(bench, foray_builder_create_tabular(bench->ctx, states, 2, steps, &builder));
    for (int64_t s = 0; s < states; s++) {
        foray_builder_initial(builder, s, 1 / (double)states);
        for (int64_t a = 0; a < 2; a++) {
            foray_builder_transition(builder, s, a, s, a == 0 ? 0.5 : 0.25);
            foray_builder_transition(builder, s, a, (s + 1) % states, a == 0 ? 0.5 : 0.75);
        }
    }
    assert_ok(bench, foray_builder_finish(builder, &model));
    foray_builder_destroy(builder);
    return model;
}

/* Plans made within an episode ask at least once in 256 states of every step, however large the
 * model: in a step of 5,000 states that is 20 times. */
static void sweeps_ask_at_every_step(void **state)
{
    run_bench *bench = *state;
    static const char *const tabular[] = {"rf-ucrl", "rf-express", "rf-rl-explore", "euler",
                                          "sstp"};
    enum { STATES = 5000, STEPS = 4 };
    foray_model *model;
    foray_world *world;
    int32_t states[STEPS + 1], actions[STEPS];
    model = wide_river(bench, STATES, STEPS);
    assert_ok(bench, foray_world_from_model(bench->ctx, model, &world));
    for (size_t i = 0; i < sizeof tabular / sizeof *tabular; i++) {
        foray_explorer *explorer;
        foray_reward *reward = run_goal_reward(bench->ctx, model);
        asked a = {.at = INT64_MAX};
        assert_ok(bench, foray_settings_set(bench->ctx, &bench->settings, "algorithm", tabular[i]));
        bench->settings.replan = FORAY_REPLAN_EVERY;
        foray_context_set_stop(bench->ctx, stop_at, &a);
        assert_ok(bench, foray_explorer_create(bench->ctx, model, &bench->settings, &explorer));
        if (foray_algorithm_needs_reward(tabular[i]))
            assert_ok(bench, foray_explorer_give_reward(explorer, reward));
        assert_ok(bench, foray_explorer_play(explorer, world, states, actions));
        /* The first goal of rf-rl-explore is one of the first step. */
        int64_t steps = strcmp(tabular[i], "rf-rl-explore") == 0 ? 1 : STEPS;
        assert_true(a.count >= steps * STATES / 256);
        foray_explorer_destroy(explorer);
        /* The first plan may be made at once, and says that it was stopped. */
        a = (asked){.at = 3};
        foray_context_set_stop(bench->ctx, stop_at, &a);
        foray_status status = foray_explorer_create(bench->ctx, model, &bench->settings, &explorer);
        assert_int_equal(status, a.count >= 3 ? FORAY_INTERRUPTED : FORAY_OK);
        if (status == FORAY_OK)
            foray_explorer_destroy(explorer);
        foray_context_set_stop(bench->ctx, NULL, NULL);
        foray_reward_destroy(reward);
    }
    foray_world_destroy(world);
    foray_model_destroy(model);
}

/* A fit of likelihoods asks in every round, and a test of the model that was stopped says
 * nothing: the next one says what it would have said. */
static void likelihoods_stop(void **state)
{
    run_bench *bench = *state;
    foray_refutation whole, later;
    run_make(bench, bench->path);
    foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_READ);
    foray_explorer *explorer = foray_run_explorer(run);
    for (int64_t at = 1;; at++) {
        asked a = {.at = at};
        foray_context_set_stop(bench->ctx, stop_at, &a);
        foray_status status = foray_explorer_refutation(explorer, &whole);
        foray_context_set_stop(bench->ctx, NULL, NULL);
        assert_int_equal(status, a.count >= at ? FORAY_INTERRUPTED : FORAY_OK);
        if (status == FORAY_OK) {
            assert_true(at > 5); /* two blocks, several rounds */
            break;
        }
    }
    foray_run_close(run);
    run = run_reopen(bench, bench->path, FORAY_RUN_READ);
    assert_ok(bench, foray_explorer_refutation(foray_run_explorer(run), &later));
    assert_true(whole.evidence == later.evidence && whole.limit == later.limit);
    foray_run_close(run);
}

/* The flag for callers in other languages. */
static void a_flag_stops(void **state)
{
    run_bench *bench = *state;
    foray_certificate bound;
    int flag = 0;
    run_make(bench, bench->path);
    foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_READ);
    foray_context_set_stop(bench->ctx, foray_context_stop_flag, &flag);
    assert_ok(bench, foray_explorer_bound(foray_run_explorer(run), FORAY_KIND_PAIR, &bound));
    foray_run_close(run);
    run = run_reopen(bench, bench->path, FORAY_RUN_READ);
    flag = 1;
    assert_int_equal(foray_explorer_bound(foray_run_explorer(run), FORAY_KIND_PAIR, &bound),
                     FORAY_INTERRUPTED);
    foray_context_set_stop(bench->ctx, NULL, NULL);
    foray_run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN_TEST(stopped_anywhere_a_run_continues_to_the_same_bits),
        RUN_TEST(bounds_and_plans_stop),
        RUN_TEST(a_flag_stops),
        RUN_TEST(counts_and_gaps_stop),
        RUN_TEST(sweeps_ask_at_every_step),
        RUN_TEST(likelihoods_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
