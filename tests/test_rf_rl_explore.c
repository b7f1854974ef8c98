/* test_rf_rl_explore.c - RF-RL-Explore: which targets, how the budget is split, that EULER
 * inside is EULER, that the mixture is the mixture, and what it finds. */
#include "oracle_truth.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "explore/tabular/rf_rl_explore.h"

/* Choices of the parameter explore_data. */
enum { DATA_SAMPLED, DATA_ALL };

static support_stage set_stage(const char *spec, const foray_settings *settings)
{
    support_stage s = {.ctx = foray_context_create()};
    support_ok(s.ctx, foray_model_builtin(s.ctx, spec, &s.model));
    support_ok(s.ctx, foray_world_from_model(s.ctx, s.model, &s.world));
    support_ok(s.ctx, support_create(s.ctx, s.model, settings, &s.explorer));
    return s;
}

/* The states and actions of one episode. */
enum { MAX_H = 12 };
typedef struct episode {
    int64_t state[MAX_H + 1], action[MAX_H];
} episode;

static episode play(support_stage *s)
{
    foray_draw draw = {.seed = (uint64_t)s->explorer->settings.seed,
                       .episode = (uint64_t)s->explorer->episodes};
    episode e = {{0}, {0}};
    support_ok(s->ctx, foray_explorer_begin(s->explorer));
    support_ok(s->ctx, foray_world_reset(s->world, &draw, &e.state[0]));
    for (int64_t t = 0; t < s->model->horizon; t++) {
        draw.step = (uint32_t)t + 1;
        support_ok(s->ctx, foray_explorer_act(s->explorer, e.state[t], &e.action[t]));
        support_ok(s->ctx,
                   foray_world_step(s->world, &draw, e.state[t], e.action[t], &e.state[t + 1]));
        support_ok(s->ctx,
                   foray_explorer_observe(s->explorer, e.state[t], e.action[t], e.state[t + 1]));
    }
    support_ok(s->ctx, foray_explorer_end(s->explorer));
    return e;
}

/* -------------------------------------------------------------------- targets */

/* Can s be reached in exactly t steps? By trying every successor. */
static bool reachable(const foray_model *model, int64_t t, int64_t s)
{
    const int32_t *state, *next;
    const double *probability;
    if (t == 0) {
        for (int64_t i = 0; i < foray_model_initial(model, &state, &probability); i++)
            if (state[i] == s)
                return true;
        return false;
    }
    for (int64_t x = 0; x < model->states; x++)
        for (int64_t a = 0; a < model->actions; a++) {
            int64_t n = foray_model_successors(model, x, a, &next);
            for (int64_t j = 0; j < n; j++)
                if (next[j] == s && reachable(model, t - 1, x))
                    return true;
        }
    return false;
}

/* Every (s,h) that can be reached is a target for N_0 episodes, give or take one, and no
 * other is. The budget is used up to the last episode. */
static void check_targets(const char *spec, int64_t episodes, double share)
{
    foray_settings settings = support_settings("rf-rl-explore", episodes, 3);
    support_set_number(&settings, "explore_share", share);
    support_stage s = set_stage(spec, &settings);
    int64_t entries = s.model->horizon * s.model->states, targets = 0, samples = 0;
    int64_t *runs = calloc((size_t)entries, sizeof *runs),
            policies = (int64_t)(share * (double)episodes);
    for (int64_t k = 0; k < episodes; k++) {
        play(&s);
        fy_mixing now = fy_rf_rl_explore_now(s.explorer);
        runs[now.step * s.model->states + fy_outside(s.explorer->model, now.state)] +=
            !now.sampling;
        samples += now.sampling;
    }
    for (int64_t i = 0; i < entries; i++)
        targets += reachable(s.model, i / s.model->states, i % s.model->states);
    assert_int_equal(fy_rf_rl_explore_now(s.explorer).goals, targets);
    assert_int_equal(samples, episodes - policies);
    assert_int_equal(fy_rf_rl_explore_now(s.explorer).made, policies);
    for (int64_t i = 0; i < entries; i++) {
        bool target = reachable(s.model, i / s.model->states, i % s.model->states);
        assert_true(target ? llabs(runs[i] * targets - policies) < 2 * targets : runs[i] == 0);
    }
    free(runs);
    support_stage_clear(&s);
}

static void splits_the_budget(void **state)
{
    (void)state;
    check_targets("chain:states=5,zones=1,horizon=5", 1000, 0.5);
    check_targets("chain:states=5,zones=1,horizon=5", 777, 0.2);
    check_targets("rooms:rows=1,cols=2,size=2,horizon=4", 500, 0.9);
    check_targets("chain:states=5,zones=1,horizon=5", 20, 0.5); /* fewer than targets */
}

/* Budgets of next to nothing still work, and so do episodes beyond the budget. */
static void tiny_budgets(void **state)
{
    (void)state;
    for (int64_t episodes = 1; episodes < 5; episodes++) {
        foray_settings settings = support_settings("rf-rl-explore", episodes, 1);
        support_stage s = set_stage("chain:states=5,zones=1,horizon=5", &settings);
        for (int64_t k = 0; k < 10; k++)
            play(&s);
        fy_mixing now = fy_rf_rl_explore_now(s.explorer);
        assert_int_equal(now.policies, episodes < 2 ? 1 : episodes / 2);
        assert_int_equal(now.policies + now.samples, episodes);
        assert_true(now.sampling);
        support_stage_clear(&s);
    }
}

static void refuses_bad_settings(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_settings settings = support_settings("rf-rl-explore", 100, 1);
    assert_int_equal(foray_settings_set(ctx, &settings, "explore-share", "1.5"), FORAY_ERROR_USAGE);
    assert_int_equal(foray_settings_set(ctx, &settings, "explore-share", "0"), FORAY_ERROR_USAGE);
    assert_int_equal(foray_settings_set(ctx, &settings, "explore-data", "none"), FORAY_ERROR_USAGE);
    support_ok(ctx, foray_settings_set(ctx, &settings, "explore-data", "all"));
    assert_int_equal((int)support_own(&settings, "explore_data"), DATA_ALL);
    foray_context_destroy(ctx);
}

/* A state saved under another split, even one that rounds to the same, or with other data, is
 * refused. */
static void refuses_another_split(void **state)
{
    (void)state;
    static const char *const changed[][2] = {{"explore-share", "0.25"},
                                             {"explore-share", "0.5000001"},
                                             {"explore-data", "all"},
                                             {"episodes", "101"}};
    foray_settings settings = support_settings("rf-rl-explore", 100, 1);
    support_stage s = set_stage("chain:states=5,zones=1,horizon=5", &settings);
    uint8_t *data;
    size_t size;
    play(&s);
    support_ok(s.ctx, foray_explorer_save(s.explorer, &data, &size));
    support_ok(s.ctx, foray_explorer_load(s.explorer, data, size));
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++) {
        foray_settings others = settings;
        support_ok(s.ctx, foray_settings_set(s.ctx, &others, changed[i][0], changed[i][1]));
        support_stage other = set_stage("chain:states=5,zones=1,horizon=5", &others);
        assert_int_equal(foray_explorer_load(other.explorer, data, size), FORAY_ERROR_RUN);
        play(&other);
        support_stage_clear(&other);
    }
    free(data);
    support_stage_clear(&s);
}

/* ------------------------------------------------------------- EULER is inside */

/* EULER on its own, told to reach a state at a step. */
static foray_explorer *separate_euler(support_stage *s, int64_t step, int64_t state)
{
    foray_settings settings = s->explorer->settings;
    foray_explorer *euler;
    foray_reward *reward;
    snprintf(settings.algorithm, sizeof settings.algorithm, "euler");
    support_ok(s->ctx, support_create(s->ctx, s->model, &settings, &euler));
    support_ok(s->ctx, foray_reward_create(s->ctx, s->model, "target", 0, 1, 0.0, &reward));
    support_ok(s->ctx, foray_reward_set(s->ctx, reward, step, state, -1, 1.0));
    support_ok(s->ctx, foray_explorer_give_reward(euler, reward));
    foray_reward_destroy(reward);
    return euler;
}

/* The policy it would play now, for all steps and states. */
static void policy_of(support_stage *s, foray_explorer *euler, int64_t *policy)
{
    for (int64_t t = 0; t < s->model->horizon; t++)
        for (int64_t x = 0; x < s->model->states; x++) {
            euler->step = t;
            support_ok(s->ctx, foray_explorer_act(euler, x, &policy[t * s->model->states + x]));
        }
    euler->step = 0;
}

/* Tells EULER an episode; after the target's step it need not know. */
static void tell(support_stage *s, foray_explorer *euler, const episode *e)
{
    for (int64_t t = 0; t < s->model->horizon; t++)
        support_ok(s->ctx,
                   foray_explorer_observe(euler, e->state[t], e->action[t], e->state[t + 1]));
    support_ok(s->ctx, foray_explorer_end(euler));
}

/* Does an episode play the policy, as far as it must? */
static void assert_plays(const support_stage *s, fy_mixing now, const episode *e,
                         const int64_t *policy)
{
    for (int64_t t = 0; t <= now.step; t++) {
        bool uniform = now.sampling && t == now.step && e->state[t] == now.state;
        if (!uniform)
            assert_int_equal(e->action[t], policy[t * s->model->states + e->state[t]]);
    }
}

/* Every episode is that of EULER on its own for the target, or plays its last policy again. */
static void check_euler(const char *spec, int pooled, int replan)
{
    foray_settings settings = support_settings("rf-rl-explore", 2000, 5);
    settings.radius_scale = 0.1;
    support_set_number(&settings, "pooled", pooled);
    settings.replan = replan;
    support_stage s = set_stage(spec, &settings);
    foray_explorer *euler = NULL;
    int64_t policy[64], step = -1, target = -1, sampled = 0;
    for (int64_t k = 0; k < settings.episodes; k++) {
        episode e = play(&s);
        fy_mixing now = fy_rf_rl_explore_now(s.explorer);
        if (euler == NULL || now.step != step || now.state != target) {
            foray_explorer_destroy(euler);
            euler = separate_euler(&s, step = now.step, target = now.state);
        }
        if (!now.sampling) {
            support_ok(s.ctx, foray_explorer_begin(euler));
            policy_of(&s, euler, policy);
            tell(&s, euler, &e);
        }
        assert_plays(&s, now, &e, policy);
        sampled += now.sampling;
    }
    assert_int_equal(sampled, 1000);
    foray_explorer_destroy(euler);
    support_stage_clear(&s);
}

static void euler_is_inside(void **state)
{
    (void)state;
    check_euler("chain:states=5,zones=1,horizon=5", FY_POOLED_OFF, FORAY_REPLAN_EVERY);
    check_euler("riverswim:states=4,horizon=6", FY_POOLED_OFF, FORAY_REPLAN_EVERY);
    check_euler("riverswim:states=4,horizon=6", FY_POOLED_ON, FORAY_REPLAN_EVERY);
}

/* ------------------------------------------------------------------ the mixture */

/* How often a policy is drawn: as balls fall into cells. Over seeds, mean and variance of the
 * first, a middle and the last policy's draws are those of the binomial distribution. */
static void draws_uniformly(void **state)
{
    (void)state;
    enum { SEEDS = 400, EPISODES = 60, POLICIES = 20 };
    double sum[POLICIES] = {0}, square[POLICIES] = {0}, n = EPISODES - POLICIES;
    for (int64_t seed = 0; seed < SEEDS; seed++) {
        foray_settings settings = support_settings("rf-rl-explore", EPISODES, seed);
        support_set_number(&settings, "explore_share", 1.0 / 3.0 + 1e-9);
        support_stage s = set_stage("chain:states=3,zones=1,horizon=2", &settings);
        double draws[POLICIES] = {0};
        for (int64_t k = 0; k < EPISODES; k++) {
            play(&s);
            fy_mixing now = fy_rf_rl_explore_now(s.explorer);
            draws[now.made - 1] += now.sampling;
        }
        for (int i = 0; i < POLICIES; i++) {
            sum[i] += draws[i] / SEEDS;
            square[i] += draws[i] * draws[i] / SEEDS;
        }
        support_stage_clear(&s);
    }
    double p = 1.0 / POLICIES, mean = n * p, variance = n * p * (1 - p);
    for (int i = 0; i < POLICIES; i++) {
        assert_true(fabs(sum[i] - mean) < 5 * sqrt(variance / SEEDS));
        assert_true(fabs(square[i] - sum[i] * sum[i] - variance) < 0.5 * variance);
    }
}

/* Sampled episodes that reach their target take each action there equally often; plans are
 * made from sampled episodes, or from all. */
static void samples_every_action(void **state)
{
    (void)state;
    for (int data = 0; data < 2; data++) {
        foray_settings settings = support_settings("rf-rl-explore", 4000, 2);
        support_set_number(&settings, "explore_data", data);
        support_stage s = set_stage("chain:states=4,zones=1,horizon=4", &settings);
        double taken[2] = {0}, counted = 0;
        for (int64_t k = 0; k < settings.episodes; k++) {
            episode e = play(&s);
            fy_mixing now = fy_rf_rl_explore_now(s.explorer);
            if (now.sampling && e.state[now.step] == now.state)
                taken[e.action[now.step]]++;
        }
        const fy_counts *counts = fy_rf_rl_explore_now(s.explorer).counts;
        for (int64_t i = 0; i < counts->layers * s.model->pairs; i++)
            counted += counts->visits[i];
        assert_true(counted == 4.0 * (data == DATA_ALL ? 4000 : 2000));
        assert_true(taken[0] + taken[1] > 1000);
        assert_true(fabs(taken[0] - taken[1]) < 5 * sqrt(taken[0] + taken[1]));
        support_stage_clear(&s);
    }
}

/* ------------------------------------------------------------------ what it finds */

/* The largest loss of plans for reaching each state. */
static double worst_loss(support_stage *s)
{
    double worst = 0, value, optimal;
    for (int64_t goal = 0; goal < s->model->states; goal++) {
        foray_reward *reward = truth_goal(s->ctx, s->model, goal);
        const foray_reward *const rewards[] = {reward};
        foray_policy *policy;
        support_ok(s->ctx, foray_explorer_plan(s->explorer, 1, rewards, FORAY_PLUGIN, &policy));
        support_ok(s->ctx, foray_evaluate(s->ctx, s->model, reward, policy, &value, &optimal));
        worst = fmax(worst, optimal - value);
        foray_policy_destroy(policy);
        foray_reward_destroy(reward);
    }
    return worst;
}

/* Near-optimal for every goal after its budget, and a bound for all rewards that holds and
 * falls below the trivial one. */
static void plans_for_every_goal(void **state)
{
    (void)state;
    foray_settings settings = support_settings("rf-rl-explore", 60000, 4);
    support_set_number(&settings, "pooled", FY_POOLED_ON);
    support_set_number(&settings, "explore_data", DATA_ALL);
    support_stage s = set_stage("chain:states=4,zones=1,horizon=4", &settings);
    foray_certificate bound;
    for (int64_t k = 0; k < settings.episodes; k++)
        play(&s);
    support_ok(s.ctx, foray_explorer_bound(s.explorer, FORAY_KIND_PAIR, &bound));
    assert_true(bound.status == FORAY_CERTIFIED && bound.gap < 1.0);
    assert_true(worst_loss(&s) <= fmin(bound.gap, 0.01));
    support_stage_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_the_budget),    cmocka_unit_test(tiny_budgets),
        cmocka_unit_test(refuses_bad_settings), cmocka_unit_test(refuses_another_split),
        cmocka_unit_test(euler_is_inside),      cmocka_unit_test(draws_uniformly),
        cmocka_unit_test(samples_every_action), cmocka_unit_test(plans_for_every_goal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
