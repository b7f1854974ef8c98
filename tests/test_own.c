/* test_own.c - a world's own reward that was seen in part: kept in the run, planned for with unseen
 * transitions low, certified with them high. */
#include "oracle_truth.h"
#include "support_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EPISODES = 120 };

/* r(s,a,s') of the world: between -2 and 3, and the same whenever it is asked. */
static double paid(uint64_t world, int64_t s, int64_t a, int64_t next)
{
    const foray_draw draw = {.seed = world, .episode = (uint64_t)s, .step = (uint32_t)a};
    return -2 + 5 * foray_draw_uniform(&draw, (uint32_t)next);
}

/* What the episodes of the run showed, up to the `max`-th transition. */
typedef struct notes {
    const foray_model *model;
    uint64_t world;
    int64_t max;
    foray_own own;
} notes;

static bool note(void *user, int64_t k, const int32_t *states, const int32_t *actions)
{
    notes *n = user;
    (void)k;
    for (int64_t t = 0; t < foray_model_horizon(n->model) && n->own.count < n->max; t++) {
        double value = paid(n->world, states[t], actions[t], states[t + 1]);
        n->own.value[n->own.count++] =
            (foray_own_value){states[t], actions[t], states[t + 1], value, value, 0};
    }
    return n->own.count < n->max;
}

static foray_run *explored(run_bench *bench, uint64_t world, int64_t max, notes *n)
{
    bench->settings.episodes = EPISODES;
    bench->settings.seed = (int64_t)world;
    foray_run *run = run_create(bench, bench->path);
    assert_ok(bench, run_finish(bench, run));
    *n = (notes){.model = foray_run_model(run), .world = world, .max = max};
    n->own = (foray_own){
        .low = -2, .high = 3, .value = calloc((size_t)max + 1, sizeof(foray_own_value))};
    if (max > 0)
        assert_ok(bench, foray_run_episodes(run, 0, note, n));
    return run;
}

/* The reward itself, which nobody but this test knows. */
static foray_reward *whole_reward(run_bench *bench, uint64_t world)
{
    foray_reward *reward;
    const foray_model *model = bench->model;
    assert_ok(bench, foray_reward_create(bench->ctx, model, "paid", -2, 3, 0, &reward));
    for (int64_t s = 0; s < foray_model_states(model); s++)
        for (int64_t a = 0; a < foray_model_actions(model); a++) {
            const int32_t *next;
            int64_t count = foray_model_successors(model, s, a, &next);
            for (int64_t j = 0; j < count; j++)
                assert_ok(bench, foray_reward_set_next(bench->ctx, reward, -1, s, a, next[j],
                                                       paid(world, s, a, next[j])));
        }
    return reward;
}

/* However little was seen, the certificate is at least the loss, and value and bounds are right. */
static void test_certificates_hold(void **state)
{
    static const int64_t seen[] = {0, 3, 20, 100000};
    run_bench *bench = *state;
    int64_t failures = 0, runs = 0;
    for (uint64_t world = 1; world <= 8; world++)
        for (size_t i = 0; i < sizeof seen / sizeof *seen; i++, runs++) {
            notes n;
            foray_policy *policy;
            double value, best;
            foray_run *run = explored(bench, world, seen[i], &n);
            foray_reward *reward = whole_reward(bench, world);
            assert_ok(bench, foray_run_keep_own(run, &n.own));
            assert_ok(bench, foray_run_own_plan(run, FORAY_PLUGIN, false, &policy));
            assert_int_equal(policy->certificate.status, FORAY_CERTIFIED);
            assert_ok(bench,
                      foray_evaluate(bench->ctx, bench->model, reward, policy, &value, &best));
            failures += best - value > policy->certificate.gap + 1e-12;
            failures += value < policy->low || value > policy->high;
            assert_true(seen[i] > 0 || policy->certificate.vacuous);
            foray_policy_destroy(policy);
            foray_reward_destroy(reward);
            free(n.own.value);
            foray_run_close(run);
            remove(bench->path);
        }
    assert_true(failures <= truth_max_failures(runs, bench->settings.delta));
}

/* Where everything was seen it is the certificate of the reward itself. */
static void test_everything_seen(void **state)
{
    run_bench *bench = *state;
    notes n;
    foray_run *run = explored(bench, 5, 0, &n);
    foray_reward *reward = whole_reward(bench, 5);
    free(n.own.value);
    foray_model_facts facts;
    assert_ok(bench, foray_model_check(bench->ctx, bench->model, &facts));
    n.own.value = calloc((size_t)facts.transitions, sizeof *n.own.value);
    for (int64_t s = 0; s < foray_model_states(bench->model); s++)
        for (int64_t a = 0; a < foray_model_actions(bench->model); a++) {
            const int32_t *next;
            int64_t count = foray_model_successors(bench->model, s, a, &next);
            for (int64_t j = 0; j < count; j++) {
                double value = paid(5, s, a, next[j]);
                n.own.value[n.own.count++] = (foray_own_value){s, a, next[j], value, value, 0};
            }
        }
    const foray_reward *rewards[] = {reward};
    foray_policy *policy, *plain;
    assert_ok(bench, foray_run_keep_own(run, &n.own));
    assert_ok(bench, foray_run_own_plan(run, FORAY_PLUGIN, false, &policy));
    assert_ok(bench,
              foray_explorer_plan(foray_run_explorer(run), 1, rewards, FORAY_PLUGIN, &plain));
    assert_memory_equal(policy->action, plain->action,
                        (size_t)(plain->horizon * plain->states) * sizeof *plain->action);
    assert_true(fabs(policy->certificate.gap - plain->certificate.gap) < 1e-9);
    foray_policy_destroy(policy);
    foray_policy_destroy(plain);
    foray_reward_destroy(reward);
    free(n.own.value);
    foray_run_close(run);
}

/* It is in the file, and the last that was kept counts. */
static void test_kept(void **state)
{
    run_bench *bench = *state;
    notes n;
    foray_policy *before, *after;
    foray_run *run = explored(bench, 3, 60, &n);
    foray_own kept;
    assert_false(foray_run_own(run, &kept));
    assert_fails(bench, FORAY_ERROR_USAGE, foray_run_own_plan(run, FORAY_PLUGIN, true, &before));
    run_assert_message(bench, "no reward of the world's own");
    for (int64_t max = 20; max <= 60; max += 20) {
        n.own.count = max;
        assert_ok(bench, foray_run_keep_own(run, &n.own));
    }
    assert_ok(bench, foray_run_own_plan(run, FORAY_PLUGIN, true, &before));
    assert_ok(bench, foray_run_close(run));
    run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
    assert_true(foray_run_own(run, &kept));
    assert_int_equal(kept.count, 60);
    assert_memory_equal(kept.value, n.own.value, 60 * sizeof *n.own.value);
    assert_ok(bench, foray_run_own_plan(run, FORAY_PLUGIN, false, &after));
    assert_true(before->certificate.gap == after->certificate.gap);
    assert_true(before->expected == after->expected && before->high == after->high);
    assert_ok(bench, foray_run_verify(run));
    foray_policy_destroy(before);
    foray_policy_destroy(after);
    free(n.own.value);
    assert_ok(bench, foray_run_close(run));
}

/* Where nobody gave the range, nothing is proved, and the file says so. */
static void test_guessed(void **state)
{
    run_bench *bench = *state;
    notes n;
    foray_policy *policy;
    foray_run *run = explored(bench, 3, 60, &n);
    foray_own kept;
    n.own.guessed = true;
    assert_ok(bench, foray_run_keep_own(run, &n.own));
    assert_ok(bench, foray_run_close(run));
    run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
    assert_true(foray_run_own(run, &kept) && kept.guessed);
    assert_ok(bench, foray_run_own_plan(run, FORAY_PLUGIN, true, &policy));
    assert_int_equal(policy->certificate.status, FORAY_ESTIMATE);
    assert_ok(bench, foray_run_verify(run));
    foray_policy_destroy(policy);
    free(n.own.value);
    assert_ok(bench, foray_run_close(run));
}

static void test_refused(void **state)
{
    run_bench *bench = *state;
    notes n;
    foray_run *run = explored(bench, 3, 5, &n);
    n.own.value[2].high = 3.5;
    assert_fails(bench, FORAY_ERROR_INPUT, foray_run_keep_own(run, &n.own));
    run_assert_message(bench, "not between -2 and 3");
    n.own.value[2].high = NAN;
    assert_fails(bench, FORAY_ERROR_INPUT, foray_run_keep_own(run, &n.own));
    n.own.value[2].low = n.own.value[2].high = 0;
    n.own.value[2].state = 1000;
    assert_fails(bench, FORAY_ERROR_INPUT, foray_run_keep_own(run, &n.own));
    run_assert_message(bench, "the model rules that out");
    n.own.high = n.own.low;
    assert_fails(bench, FORAY_ERROR_INPUT, foray_run_keep_own(run, &n.own));
    foray_own kept;
    assert_false(foray_run_own(run, &kept));
    free(n.own.value);
    foray_run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN_TEST(test_certificates_hold), RUN_TEST(test_everything_seen), RUN_TEST(test_kept),
        RUN_TEST(test_guessed),           RUN_TEST(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
