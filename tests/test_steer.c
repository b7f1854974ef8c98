/* test_steer.c - exploring for named rewards: what steers is how fast certificates fall, measured
 * by letting them; what is saved; and that nothing starves. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explore/explorer.h"
#include "policy/policy.h"
#include "run/run.h"

static support_stage set_up(const char *world, const char *algorithm, int64_t seed)
{
    support_stage s = {.ctx = foray_context_create()};
    foray_settings settings = support_settings(algorithm, 1000000, seed);
    support_ok(s.ctx, foray_model_builtin(s.ctx, world, &s.model));
    support_ok(s.ctx, foray_world_from_model(s.ctx, s.model, &s.world));
    support_ok(s.ctx, foray_explorer_create(s.ctx, s.model, &settings, &s.explorer));
    return s;
}

/* 1 in these states, by every action; -1: no state. */
static foray_reward *goal(const support_stage *s, int64_t state, int64_t other)
{
    foray_reward *reward;
    support_ok(s->ctx, foray_reward_create(s->ctx, s->model, "goal", 0, 1, 0, &reward));
    support_ok(s->ctx, foray_reward_set(s->ctx, reward, -1, state, -1, 1));
    if (other >= 0)
        support_ok(s->ctx, foray_reward_set(s->ctx, reward, -1, other, -1, 1));
    return reward;
}

static void play(support_stage *s, int64_t episodes)
{
    for (int64_t k = 0; k < episodes; k++)
        support_ok(s->ctx, foray_explorer_play(s->explorer, s->world, NULL, NULL));
}

static double certificate(support_stage *s, const foray_reward *reward)
{
    foray_policy *policy;
    support_ok(s->ctx, foray_explorer_plan(s->explorer, 1, &reward, FORAY_PLUGIN, &policy));
    double gap = policy->certificate.gap;
    foray_policy_destroy(policy);
    return gap;
}

/* ------------------------------------------------------------------- the derivative */

/* D of a policy if the laws of generator set i had been seen a little more: the ellipsoid has
 * step phi_j phi_j'/p_j added, and its centre and radius stay. */
static double certificate_with(fy_certifier *sets, const foray_reward *reward,
                               const int32_t *action, int64_t i, double step)
{
    fy_confidence *set = sets->set;
    const foray_model *model = sets->model;
    int64_t n = fy_generator_set_size(model, i), g = set->basis->block_of_generator_set[i];
    int64_t d = set->basis->block[g].dim;
    double rows[64];
    assert_true(n * d <= 64);
    fy_basis_generators(set->basis, i, rows);
    for (int64_t j = 0; j < n; j++)
        fy_ridge_update(set->ridge, g, rows + j * d, 0,
                        step / sets->inside->p[model->gen_start[i] + j]);
    fy_confidence_complete(set);
    return fy_gap_certify(sets->gap, reward, action).gap;
}

/* To first order, all (s,a) have the same ratio of what D falls by, and what steers:
 * -dD/dstep = rho/(2 beta^2). The second order of D, which the rule divides among the same
 * directions, is what the tolerance is for. */
static void compare_with_derivative(const char *world, int64_t state, int64_t episodes)
{
    support_stage s = set_up(world, "ucrl-rfe", 1);
    play(&s, episodes);
    foray_reward *reward = goal(&s, state, -1);
    foray_policy *policy;
    fy_certifier *sets;
    fy_steer *steer;
    const foray_reward *const rewards[] = {reward};
    support_ok(s.ctx, foray_explorer_plan(s.explorer, 1, rewards, FORAY_PLUGIN, &policy));
    support_ok(s.ctx, fy_explorer_sets(s.explorer, &sets));
    support_ok(s.ctx, fy_steer_create(support_arena(s.ctx), sets, &steer));
    fy_steer_begin(steer);
    double D = fy_steer_add(steer, reward, FORAY_TIES_UNCLIPPED, 0);
    assert_true(D == fy_certifier_policy(sets, reward, policy->action).gap && D > 0);

    int64_t count = s.model->generator_sets;
    double *rho = calloc((size_t)s.model->pairs, sizeof *rho), worst = 0, first = 0, apart = 0;
    int64_t compared = 0;
    assert_true(fy_steer_reward(steer, rho));
    for (int64_t i = 0; i < count; i++) {
        int64_t pair = 0;
        while (s.model->generator_set[pair] != i)
            pair++;
        double radius = sets->set->radius[sets->set->basis->block_of_generator_set[i]];
        double step = 1e-3, after = certificate_with(sets, reward, policy->action, i, step);
        double fell = (D - after) / step * radius * radius;
        sets = NULL;
        s.explorer->certifier_after = -1; /* estimate again */
        support_ok(s.ctx, fy_explorer_sets(s.explorer, &sets));
        if (rho[pair] < 0.04)
            continue;
        double ratio = fell / rho[pair];
        first = compared++ == 0 ? ratio : first;
        worst = fmax(worst, fabs(log(ratio / first)));
        apart = fmax(apart, fabs(log(fell / (first * rho[0]))));
    }
    assert_true(compared > 3);
    assert_true(worst < log(1.25));
    assert_true(apart > log(1.25) || count < 12); /* not because all are equal */
    free(rho);
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    support_stage_clear(&s);
}

static void what_steers_is_the_derivative(void **state)
{
    (void)state;
    compare_with_derivative("mixture:states=8,actions=3,successors=4,dim=4,horizon=8", 3, 3000);
    compare_with_derivative("grid:rows=3,cols=3,zones=3,horizon=6", 8, 20000);
    compare_with_derivative("queue:capacity=6,horizon=8", 3, 3000);
    compare_with_derivative("inventory:capacity=8,order=3,dim=3,horizon=8", 4, 30);
}

/* --------------------------------------------------------------------- many targets */

/* Episodes until the certificate of the last target is 0; -1: more than `most`. */
static int64_t episodes_until(const char *world, int64_t seed, int64_t count,
                              const int64_t goals[][2], int64_t most)
{
    support_stage s = set_up(world, "scout", seed);
    foray_reward *rewards[16];
    int64_t k = 0, next = 1;
    for (int64_t i = 0; i < count; i++)
        rewards[i] = goal(&s, goals[i][0], goals[i][1]);
    support_ok(s.ctx,
               fy_explorer_set_targets(s.explorer, count, (const foray_reward *const *)rewards, 0));
    double gap = 1;
    for (; k < most && gap > 0; next += 1 + next / 20) {
        play(&s, next - k);
        k = next;
        gap = certificate(&s, rewards[count - 1]);
    }
    for (int64_t i = 0; i < count; i++)
        foray_reward_destroy(rewards[i]);
    support_stage_clear(&s);
    return gap > 0 ? -1 : k;
}

/* A tie, and a far goal that is not met for a long time: beside them a goal that can be met takes a
 * few more episodes than alone. */
static void nothing_starves(void **state)
{
    (void)state;
    static const char chain[] = "chain:states=9,zones=3,spread=0,horizon=8";
    static const int64_t ends[][2] = {{0, 8}, {0, -1}}, rooms[][2] = {{92, -1}, {0, -1}};
    int64_t alone = 0, beside = 0;
    for (int64_t seed = 1; seed <= 5; seed++) {
        alone += episodes_until(chain, seed, 1, ends + 1, 100000);
        beside += episodes_until(chain, seed, 2, ends, 100000);
    }
    assert_true(beside >= 5 && beside < 2 * alone);
    alone = episodes_until("rooms", 1, 1, rooms + 1, 20000);
    beside = episodes_until("rooms", 1, 2, rooms, 20000);
    assert_true(alone > 0 && beside > 0 && (double)beside < 1.5 * (double)alone);
}

/* -------------------------------------------------------------------- what is saved */

/* An explorer that was saved and loaded goes on as if nothing had happened, plans included. */
static void saving_changes_nothing(void **state)
{
    (void)state;
    support_stage a = set_up("chain:states=9,zones=3,horizon=8", "scout", 3);
    support_stage b = set_up("chain:states=9,zones=3,horizon=8", "scout", 3);
    foray_reward *const rewards[] = {goal(&a, 7, -1), goal(&a, 2, -1)};
    const foray_reward *const *targets = (const foray_reward *const *)rewards;
    support_ok(a.ctx, fy_explorer_set_targets(a.explorer, 2, targets, 1e-3));
    support_ok(b.ctx, fy_explorer_set_targets(b.explorer, 2, targets, 1e-3));
    for (int round = 0; round < 12; round++) {
        uint8_t *data;
        size_t size;
        play(&a, 1 + round * round);
        support_ok(a.ctx, foray_explorer_save(a.explorer, &data, &size));
        support_ok(b.ctx, foray_explorer_load(b.explorer, data, size));
        free(data);
        play(&a, 5);
        play(&b, 5);
        support_same_state(a.explorer, b.explorer);
    }
    /* Without targets it explores as ever; an explorer of another kind takes no notice. */
    support_stage c = set_up("chain:states=9,zones=3,horizon=8", "ucrl-rfe", 3);
    support_stage d = set_up("chain:states=9,zones=3,horizon=8", "ucrl-rfe", 3);
    support_ok(c.ctx, fy_explorer_set_targets(c.explorer, 2, targets, 1e-3));
    play(&c, 50);
    play(&d, 50);
    support_same_state(c.explorer, d.explorer);
    for (int i = 0; i < 2; i++)
        foray_reward_destroy(rewards[i]);
    support_stage_clear(&a);
    support_stage_clear(&b);
    support_stage_clear(&c);
    support_stage_clear(&d);
}

/* Where the vectors of all unknowns do not fit, ranges alone steer, and to the same places. */
static void it_steers_without_vectors(void **state)
{
    (void)state;
    support_stage s = set_up("chain:states=31,zones=6", "ucrl-rfe", 1);
    play(&s, 300);
    fy_certifier *wide, *sets;
    fy_steer *steer;
    foray_reward *reward = goal(&s, 25, -1);
    const foray_model *model = s.explorer->model;
    double *rho = calloc((size_t)model->pairs, sizeof *rho);
    double *share = calloc((size_t)model->basis->blocks, sizeof *share);
    support_ok(s.ctx, fy_explorer_sets(s.explorer, &sets));
    support_ok(s.ctx, fy_certifier_create(support_arena(s.ctx), model, 0, &wide));
    fy_certifier_estimate(wide, s.explorer->seen, 0.1, 1, NULL);
    assert_true(!wide->joint);
    support_ok(s.ctx, fy_steer_create(support_arena(s.ctx), wide, &steer));
    fy_steer_begin(steer);
    double D = fy_steer_add(steer, reward, FORAY_TIES_UNCLIPPED, 0), left = 0, right = 0;
    assert_true(D > 0 && D > certificate(&s, reward));
    assert_true(fy_steer_reward(steer, rho));
    fy_steer_shares(steer, share);
    for (int64_t pair = 0; pair < model->pairs; pair++)
        *(pair / model->actions < 15 ? &left : &right) += rho[pair];
    assert_true(right > 10 * left); /* the goal lies there */
    foray_reward_destroy(reward);
    free(rho);
    free(share);
    support_stage_clear(&s);
}

/* --------------------------------------------------------------------- the next data */

static const char next_path[] = "test_steer.foray";

/* Episodes of a policy in the world, or random ones (NULL), as data of a run. */
static void collect(support_stage *s, foray_run *run, const foray_policy *policy, int64_t from,
                    int64_t episodes)
{
    int64_t H = s->model->horizon, state, next;
    int32_t states[64], actions[64];
    for (int64_t k = from; k < from + episodes; k++) {
        foray_draw draw = {.seed = 5, .episode = (uint64_t)k};
        support_ok(s->ctx, foray_world_reset(s->world, &draw, &state));
        for (int64_t t = 0; t < H; t++) {
            states[t] = (int32_t)state;
            actions[t] = policy ? foray_policy_action(policy, t, state)
                                : (int32_t)foray_draw_action(&draw, s->model, t, state);
            draw.step = (uint32_t)t + 1;
            support_ok(s->ctx, foray_world_step(s->world, &draw, state, actions[t], &next));
            state = next;
        }
        states[H] = (int32_t)state;
        support_ok(s->ctx, foray_run_learn(run, H, states, actions));
    }
}

/* Certificates after 200 random episodes and as many more, of the policy that was found or random,
 * beside what was foreseen; with the model or without. */
static void compare_next(const char *world, const foray_model *known, int64_t state)
{
    support_stage s = set_up(world, "scout", 1);
    foray_settings settings = support_settings("recorded", 1000000, 1);
    foray_reward *reward = goal(&s, state, -1);
    double became[2] = {0};
    fy_next next = {0};
    for (int random = 0; random < 2; random++) {
        foray_run *run;
        foray_policy *policy;
        foray_reward *asked;
        fy_next kept = {0};
        support_ok(s.ctx, foray_run_create(s.ctx, next_path, FORAY_RUN_REPLACE,
                                           known ? known : s.model, "w", &settings, &run));
        collect(&s, run, NULL, 0, 200);
        support_ok(s.ctx, foray_run_save(run));
        support_ok(s.ctx, fy_run_next(run, reward, 200, &policy, &next));
        support_ok(s.ctx, fy_run_keep_next(run, reward, &next));
        support_ok(s.ctx, fy_run_asked(run, &asked, &kept));
        assert_true(asked && kept.gap == next.gap && kept.points == next.points);
        assert_true(next.after == 200 && next.points == 2 && next.episodes[1] == 200);
        collect(&s, run, random ? NULL : policy, 200, 200);
        support_ok(s.ctx, fy_run_gap(run, reward, &became[random]));
        foray_reward_destroy(asked);
        foray_policy_destroy(policy);
        support_ok(s.ctx, foray_run_close(run));
    }
    assert_true(next.gap > 0 && became[0] < 0.8 * became[1]);
    assert_true(next.foreseen[1] < next.gap && became[0] < next.gap);
    assert_true(became[0] < 2.5 * next.foreseen[1] + 0.01 * next.gap &&
                next.foreseen[1] < 2.5 * became[0] + 0.01 * next.gap);
    foray_reward_destroy(reward);
    support_stage_clear(&s);
}

static void the_next_data_are_worth_it(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *unknown;
    support_ok(ctx,
               foray_model_builtin(ctx, "unstructured:states=4,actions=2,horizon=8", &unknown));
    compare_next("rooms:rows=2,cols=2", NULL, 5);
    compare_next("riverswim:states=4,horizon=8", unknown, 3);
    foray_model_destroy(unknown);
    foray_context_destroy(ctx);
    remove(next_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_steers_is_the_derivative),
        cmocka_unit_test(nothing_starves),
        cmocka_unit_test(saving_changes_nothing),
        cmocka_unit_test(it_steers_without_vectors),
        cmocka_unit_test(the_next_data_are_worth_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
