/* test_scout.c - exploring by likelihood sets: Scout, and UCRL-RFE with --radius likelihood,
 * against dense textbook versions of their plans, and what their exploring is worth. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/mixture/learner.h"

/* The algorithm's default radius, or likelihood for "NAME by likelihood". */
static support_stage set_up(const char *world, const char *algorithm, int64_t seed, bool every)
{
    support_stage s = {.ctx = foray_context_create()};
    foray_settings settings;
    foray_settings_default(&settings);
    sscanf(algorithm, "%63s", settings.algorithm);
    settings.seed = seed;
    settings.replan = every ? FORAY_REPLAN_EVERY : FORAY_REPLAN_AUTO;
    if (strchr(algorithm, ' '))
        settings.radius = FORAY_RADIUS_LIKELIHOOD;
    support_ok(s.ctx, foray_model_builtin(s.ctx, world, &s.model));
    support_ok(s.ctx, foray_world_from_model(s.ctx, s.model, &s.world));
    support_ok(s.ctx, foray_explorer_create(s.ctx, s.model, &settings, &s.explorer));
    return s;
}

/* ------------------------------------------------------------------------- the oracle */

/* The largest eigenvalue of sum_j x_j x_j'/p_j by many powers of it. */
static double kappa2_by_powers(const fy_confidence *set, int64_t i)
{
    const foray_model *model = set->basis->model;
    int64_t n = fy_generator_set_size(model, i);
    int64_t d = set->basis->block[set->basis->block_of_generator_set[i]].dim;
    const double *p = set->p + model->gen_start[i], *x = set->x + set->at_x[i];
    double v[16], w[16], norm = 0;
    assert_true(d <= 16);
    for (int64_t k = 0; k < d; k++)
        v[k] = 1 + 0.1 * (double)k;
    for (int round = 0; round < 400; round++) {
        memset(w, 0, sizeof w);
        for (int64_t j = 0; j < n; j++) {
            double dot = 0;
            for (int64_t k = 0; k < d; k++)
                dot += x[j * d + k] * v[k];
            for (int64_t k = 0; k < d && dot != 0; k++)
                w[k] += x[j * d + k] * dot / p[j];
        }
        norm = 0;
        for (int64_t k = 0; k < d; k++)
            norm += w[k] * w[k];
        norm = sqrt(norm);
        for (int64_t k = 0; k < d && norm > 0; k++)
            v[k] = w[k] / norm;
    }
    return norm;
}

/* 2 beta max_f ||psi_f|| over all f of zeros and ones. */
static double regression_by_all_f(const fy_learner *learner, int64_t i)
{
    const fy_basis *basis = learner->basis;
    int64_t n = fy_generator_set_size(basis->model, i), g = basis->block_of_generator_set[i];
    int64_t d = basis->block[g].dim;
    double rows[256], max = 0;
    assert_true(n * d <= 256 && n < 16);
    fy_basis_generators(basis, i, rows);
    for (int64_t bits = 0; bits < 1 << n; bits++) {
        double psi[16] = {0}, square = 0;
        for (int64_t j = 0; j < n; j++)
            for (int64_t k = 0; k < d && bits >> j & 1; k++)
                psi[k] += rows[j * d + k];
        fy_ridge_whiten(learner->ridge, g, psi, psi);
        for (int64_t k = 0; k < d; k++)
            square += psi[k] * psi[k];
        max = fmax(max, square);
    }
    return 2 * learner->radius[g] * sqrt(max);
}

/* ||sum_j x_j f_j||: beta times the norm of psi_f. */
static double norm_of(const fy_confidence *set, int64_t i, const double *f)
{
    const foray_model *model = set->basis->model;
    int64_t n = fy_generator_set_size(model, i);
    int64_t d = set->basis->block[set->basis->block_of_generator_set[i]].dim;
    double square = 0;
    for (int64_t k = 0; k < d; k++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++)
            sum += set->x[set->at_x[i] + j * d + k] * (f[j] - f[0]);
        square += sum * sum;
    }
    return sqrt(square);
}

/* beta m(s,a): the largest of these for f of zeros and ones. */
static double widest_by_all_f(const fy_confidence *set, int64_t i)
{
    int64_t n = fy_generator_set_size(set->basis->model, i);
    double max = 0, f[16] = {0};
    assert_true(n <= 16);
    for (int64_t bits = 0; bits < 1 << n; bits++) {
        for (int64_t j = 0; j < n; j++)
            f[j] = (double)(bits >> j & 1);
        max = fmax(max, norm_of(set, i, f));
    }
    return max;
}

/* Who explores, and by what. */
enum { SCOUT, SCOUT_BY_REGRESSION, UCRL_RFE };

/* Q_h(s,a), V being what follows: of Scout min{1, kappa^2} + P V, of UCRL-RFE
 * min{1, 2 beta m (H-h)/H} + P V + beta ||psi_V||, at most the steps that remain. */
static double dense_value(const support_stage *s, const fy_certifier *sets, int who, int64_t t,
                          int64_t pair, const double *V)
{
    const foray_model *model = s->explorer->model;
    int64_t i = model->generator_set[pair], n = fy_generator_set_size(model, i);
    const fy_confidence *set = who == UCRL_RFE ? sets->set : sets->inside;
    double q = 0, f[16] = {0}, H = (double)model->horizon;
    for (int64_t j = 0; j < n; j++) {
        f[j] = V[model->succ[model->succ_start[pair] + j]];
        q += set->p[model->gen_start[i] + j] * f[j];
    }
    if (who == SCOUT)
        return q + fmin(1, kappa2_by_powers(set, i));
    if (who == SCOUT_BY_REGRESSION)
        return q + fmin(1, regression_by_all_f(fy_learner_of(s->explorer), i));
    double left = H - (double)(t + 1);
    q += fmin(1, 2 / H * left * widest_by_all_f(set, i)) + norm_of(set, i, f);
    return fmax(0, fmin(q, left + 1));
}

/* Of all (s,a), [horizon][pairs]. */
static double *dense_values(support_stage *s, int who)
{
    const foray_model *model = s->explorer->model;
    fy_certifier *sets;
    support_ok(s->ctx, fy_explorer_sets(s->explorer, &sets));
    double *Q = calloc((size_t)(model->horizon * model->pairs), sizeof *Q);
    double *V = calloc((size_t)((model->horizon + 1) * model->states), sizeof *V);
    assert_true(Q && V);
    for (int64_t t = model->horizon - 1; t >= 0; t--)
        for (int64_t pair = 0; pair < model->pairs; pair++) {
            double *now = V + t * model->states + pair / model->actions;
            double q = dense_value(s, sets, who, t, pair, V + (t + 1) * model->states);
            Q[t * model->pairs + pair] = q;
            *now = fmax(*now, q);
        }
    free(V);
    return Q;
}

/* In every step of some episodes, the action is one of the best of the textbook's. */
static void check_episodes(support_stage *s, int64_t episodes, int who)
{
    const foray_model *model = s->explorer->model; /* whose numbers those of Q are */
    for (int64_t k = 0; k < episodes; k++) {
        int64_t state, next, action;
        foray_draw draw = {.seed = 1, .episode = (uint64_t)k};
        support_ok(s->ctx, foray_world_reset(s->world, &draw, &state));
        support_ok(s->ctx, foray_explorer_begin(s->explorer));
        double *Q = dense_values(s, who);
        for (int64_t t = 0; t < model->horizon; t++) {
            const double *q = Q + t * model->pairs + fy_inside(model, state) * model->actions;
            double best = 0;
            support_ok(s->ctx, foray_explorer_act(s->explorer, state, &action));
            for (int64_t a = 0; a < model->actions; a++)
                best = fmax(best, q[a]);
            assert_true(q[action] >= best * (1 - 1e-9));
            draw.step = (uint32_t)(t + 1);
            support_ok(s->ctx, foray_world_step(s->world, &draw, state, action, &next));
            support_ok(s->ctx, foray_explorer_observe(s->explorer, state, action, next));
            state = next;
        }
        support_ok(s->ctx, foray_explorer_end(s->explorer));
        free(Q);
    }
}

static const char *const worlds[] = {
    "chain:states=7,zones=2,outcomes=3,horizon=6", "riverswim:states=4,horizon=8",
    "mixture:states=6,actions=3,successors=4,dim=4,horizon=5", "frozenlake:shared=0,horizon=5"};

static void plans_follow_the_textbook(void **state)
{
    (void)state;
    for (size_t w = 0; w < sizeof worlds / sizeof *worlds; w++) {
        support_stage s = set_up(worlds[w], "scout", 1, true);
        check_episodes(&s, 60, SCOUT);
        support_stage_clear(&s);
    }
}

/* UCRL-RFE with the ellipsoids of the likelihood in the place of the regression's. */
static void ucrl_rfe_explores_by_likelihood_too(void **state)
{
    (void)state;
    for (size_t w = 0; w < sizeof worlds / sizeof *worlds; w++) {
        support_stage s = set_up(worlds[w], "ucrl-rfe by likelihood", 1, true);
        check_episodes(&s, 60, UCRL_RFE);
        support_stage_clear(&s);
    }
}

/* Given features have no likelihood: the regression speaks for them. */
static void laws_without_a_likelihood_are_sought_too(void **state)
{
    (void)state;
    support_stage s = set_up("trapdoor:horizon=6,knobs=2", "scout", 1, true);
    check_episodes(&s, 60, SCOUT_BY_REGRESSION);
    support_stage_clear(&s);
}

/* And UCRL-RFE explores as with `sharp`, which certificates name. */
static void regressions_take_its_place(void **state)
{
    (void)state;
    static const char *const trapdoor = "trapdoor:horizon=6,knobs=2";
    support_stage sharp = set_up(trapdoor, "ucrl-rfe", 1, false);
    support_stage likelihood = set_up(trapdoor, "ucrl-rfe by likelihood", 1, false);
    int32_t states[2][7], actions[2][6];
    for (int64_t k = 0; k < 200; k++) {
        support_ok(sharp.ctx,
                   foray_explorer_play(sharp.explorer, sharp.world, states[0], actions[0]));
        support_ok(likelihood.ctx, foray_explorer_play(likelihood.explorer, likelihood.world,
                                                       states[1], actions[1]));
        assert_memory_equal(states[0], states[1], sizeof states[0]);
        assert_memory_equal(actions[0], actions[1], sizeof actions[0]);
    }
    foray_certificate bound;
    support_ok(likelihood.ctx, foray_explorer_bound(likelihood.explorer, FORAY_KIND_PAIR, &bound));
    assert_int_equal(bound.radius, FORAY_RADIUS_SHARP);
    support_stage_clear(&sharp);
    support_stage_clear(&likelihood);
}

static void others_refuse(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_settings settings;
    foray_settings_default(&settings);
    settings.radius = FORAY_RADIUS_LIKELIHOOD;
    support_ok(ctx, foray_settings_check(ctx, &settings));
    settings.blocks = FORAY_OFF;
    assert_int_equal(foray_settings_check(ctx, &settings), FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(ctx), "with centring and blocks"));
    settings.blocks = FORAY_AUTO;
    snprintf(settings.algorithm, sizeof settings.algorithm, "rf-ucrl");
    assert_int_equal(foray_settings_check(ctx, &settings), FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(ctx), "rf-ucrl cannot explore with likelihood"));
    foray_context_destroy(ctx);
}

/* ------------------------------------------------------------------ what it is worth */

/* The mean certificate of the plug-in plans of all goals, after so many episodes. */
static double mean_certificate(const char *world, const char *algorithm, int64_t episodes)
{
    support_stage s = set_up(world, algorithm, 1, false);
    double sum = 0;
    for (int64_t k = 0; k < episodes; k++)
        support_ok(s.ctx, foray_explorer_play(s.explorer, s.world, NULL, NULL));
    for (int64_t g = 0; g < s.model->states; g++) {
        foray_reward *goal;
        foray_policy *policy;
        support_ok(s.ctx, foray_reward_create(s.ctx, s.model, "goal", 0, 1, 0, &goal));
        support_ok(s.ctx, foray_reward_set(s.ctx, goal, -1, g, -1, 1));
        support_ok(s.ctx, foray_explorer_plan(s.explorer, 1, (const foray_reward *const[]){goal},
                                              FORAY_PLUGIN, &policy));
        sum += policy->certificate.gap / (double)s.model->states;
        foray_policy_destroy(policy);
        foray_reward_destroy(goal);
    }
    support_stage_clear(&s);
    return sum;
}

/* Where laws are not shared and far states are hard to reach, walking there is worth it. */
static void certificates_shrink_faster_than_others(void **state)
{
    (void)state;
    static const char *const others[] = {"ucrl-rfe", "rf-ucrl", "random"};
    static const char *const lake = "frozenlake:shared=0,horizon=20";
    double scout = mean_certificate(lake, "scout", 4096);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_true(scout < 0.95 * mean_certificate(lake, others[i], 4096));
    static const char *const river = "riverswim:states=8,horizon=16";
    assert_true(mean_certificate(river, "scout", 1024) <
                0.5 * mean_certificate(river, "random", 1024));
}

/* Most episodes need no new plan. */
static void plans_are_few(void **state)
{
    (void)state;
    support_stage s = set_up("chain:states=7,zones=2,horizon=6", "scout", 1, false);
    for (int64_t k = 0; k < 4096; k++)
        support_ok(s.ctx, foray_explorer_play(s.explorer, s.world, NULL, NULL));
    foray_explorer_facts facts;
    support_ok(s.ctx, foray_explorer_describe(s.explorer, &facts));
    assert_true(facts.plans > 4 && facts.plans < 100);
    support_stage_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_follow_the_textbook),
        cmocka_unit_test(ucrl_rfe_explores_by_likelihood_too),
        cmocka_unit_test(regressions_take_its_place),
        cmocka_unit_test(others_refuse),
        cmocka_unit_test(laws_without_a_likelihood_are_sought_too),
        cmocka_unit_test(certificates_shrink_faster_than_others),
        cmocka_unit_test(plans_are_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
