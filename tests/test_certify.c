/* test_certify.c - the certificates that counts give, whoever collected them. */
#include "oracle_euler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_truth.h"
#include "reward/reward.h"

/* ----------------------------------------------------------------- certificates */

/* sqrt(4 Var b/n) + (sqrt 8 + 2/3) C b/n. */
static double certified_bonus(const euler_stage *s, int t, int x, int a, const double *value)
{
    const int32_t *next;
    double layers = support_own(&s->explorer->settings, "pooled") == FY_POOLED_ON ? 1 : s->o->H;
    double n = euler_visits(s, t, x, a), C = s->o->left[t + 1],
           m = euler_successors(s, x, a, &next);
    if (C == 0 || m == 1)
        return 0;
    if (n == 0)
        return INFINITY;
    double b = log(euler_open_pairs(s) * layers / s->explorer->settings.delta) +
               (m - 1) * log(M_E * (1 + n / (m - 1)));
    return s->explorer->settings.radius_scale *
           (sqrt(4 * euler_variance(s, t, x, a, value) * b / n) +
            (sqrt(8) + 2.0 / 3.0) * C * b / n);
}

/* The recursion with a sign, maximised or for a policy, from mu. */
static double induct(const euler_stage *s, int sign, const int32_t *follow)
{
    double V[EULER_MAX_H + 1][EULER_MAX_S] = {{0}}, sum = 0;
    for (int t = s->o->H - 1; t >= 0; t--)
        for (int x = 0; x < s->o->S; x++)
            for (int a = 0; a < s->o->A; a++) {
                double after = euler_mean(s, t, x, a, V[t + 1]);
                if (sign != 0)
                    after += sign * certified_bonus(s, t, x, a, V[t + 1]);
                double q =
                    foray_reward_at(s->reward, t, x, a) + fmin(s->o->left[t + 1], fmax(0, after));
                if (follow == NULL ? q > V[t][x] : follow[t * s->o->S + x] == a)
                    V[t][x] = q;
            }
    for (int64_t i = 0; i < s->model->initials; i++)
        sum += s->model->initial_probability[i] * V[0][s->model->initial_state[i]];
    return sum;
}

/* Values, policies and gaps of plans in every mode. */
static void plans_follow_the_textbook(void **state)
{
    (void)state;
    for (int pooled = 0; pooled < 2; pooled++) {
        foray_settings settings = euler_settings_for(4);
        support_set_number(&settings, "pooled", pooled);
        settings.radius_scale = 0.1;
        euler_stage s = euler_set_random(4, &settings);
        const foray_reward *const rewards[] = {s.reward};
        for (int k = 0; k < 60; k++) {
            static const int signs[] = {1, 0, -1};
            foray_policy *policy;
            int mode = k % FORAY_MODES;
            support_ok(s.ctx, foray_explorer_plan(s.explorer, 1, rewards, mode, &policy));
            for (int m = 0; m < FORAY_PESSIMISTIC; m++)
                assert_near(policy->value[m], induct(&s, signs[m], NULL), 1e-9);
            assert_near(policy->value[FORAY_PESSIMISTIC], induct(&s, -1, policy->action), 1e-9);
            assert_near(policy->low, induct(&s, -1, policy->action), 1e-9);
            assert_near(policy->expected, induct(&s, 0, policy->action), 1e-9);
            assert_near(policy->high, fmin(induct(&s, 1, NULL), induct(&s, 1, policy->action)),
                        1e-9);
            if (mode == FORAY_PESSIMISTIC)
                assert_near(policy->low, induct(&s, -1, NULL), 1e-9);
            assert_near(induct(&s, signs[mode], policy->action), policy->value[mode], 1e-9);
            assert_near(policy->certificate.gap,
                        induct(&s, 1, NULL) - induct(&s, -1, policy->action), 1e-9);
            foray_policy_destroy(policy);
            euler_play(&s, false);
        }
        euler_clear(&s);
    }
}

/* E_h(s,a) of the bound for all rewards, dense. */
static double bound_of(const euler_stage *s)
{
    double E[EULER_MAX_H + 1][EULER_MAX_S] = {{0}}, sum = 0;
    for (int t = s->o->H - 2; t >= 0; t--)
        for (int x = 0; x < s->o->S; x++)
            for (int a = 0; a < s->o->A; a++) {
                const int32_t *next;
                double n = euler_visits(s, t, x, a), m = euler_successors(s, x, a, &next);
                double range = s->o->H - t - 1, w = m > 1 ? INFINITY : 0;
                if (n > 0 && m > 1)
                    w = (log(euler_open_pairs(s) * s->o->H / s->explorer->settings.delta) +
                         (m - 1) * log(M_E * (1 + n / (m - 1)))) /
                        n;
                double e = s->explorer->settings.radius_scale * range * sqrt(2 * w) +
                           euler_mean(s, t, x, a, E[t + 1]);
                E[t][x] = fmax(E[t][x], fmin(range, e));
            }
    for (int64_t i = 0; i < s->model->initials; i++)
        sum += s->model->initial_probability[i] * E[0][s->model->initial_state[i]];
    return fmin(s->o->H, 2 * sum);
}

static void bound_follows_the_textbook(void **state)
{
    (void)state;
    foray_settings settings = euler_settings_for(6);
    settings.radius_scale = 0.05;
    euler_stage s = euler_set_random(6, &settings);
    double *work = calloc((size_t)fy_certify_room(s.euler->counts), sizeof *work);
    for (int k = 0; k < 100; k++) {
        foray_certificate bound = fy_certify_all(s.explorer, s.euler->counts, work);
        assert_near(bound.gap, bound_of(&s), 1e-9);
        assert_true(bound.status != FORAY_CERTIFIED);
        euler_play(&s, false);
    }
    free(work);
    euler_clear(&s);
}

/* Is some plan's claim false, for rewards EULER does not explore for as well? */
static bool is_overclaimed(int64_t seed, double scale)
{
    foray_settings settings = euler_settings_for(seed);
    settings.radius_scale = scale;
    euler_stage s = euler_set_random((uint64_t)seed, &settings);
    bool wrong = false;
    for (int k = 1; k <= 256; k++) {
        euler_play(&s, false);
        if ((k & (k - 1)) != 0)
            continue;
        foray_reward *other = truth_random_reward(s.ctx, s.model, (uint64_t)(seed + k));
        const foray_reward *const rewards[] = {s.reward, other};
        foray_policy *policy[2];
        support_ok(s.ctx, foray_explorer_plan(s.explorer, 2, rewards, k % FORAY_MODES, policy));
        for (int i = 0; i < 2; i++) {
            double value, optimal;
            support_ok(s.ctx,
                       foray_evaluate(s.ctx, s.model, rewards[i], policy[i], &value, &optimal));
            wrong |= optimal - value > policy[i]->certificate.gap + 1e-9 ||
                     optimal > policy[i]->value[FORAY_OPTIMISTIC] + 1e-9 ||
                     value < policy[i]->value[FORAY_PESSIMISTIC] - 1e-9 ||
                     value < policy[i]->low - 1e-9 || value > policy[i]->high + 1e-9;
            foray_policy_destroy(policy[i]);
        }
        foray_reward_destroy(other);
    }
    euler_clear(&s);
    return wrong;
}

static void certificates_hold(void **state)
{
    (void)state;
    enum { RUNS = 60 };
    int64_t wrong = 0, caught = 0;
    for (int64_t seed = 1; seed <= RUNS; seed++) {
        wrong += is_overclaimed(seed, 1.0);
        caught += is_overclaimed(seed, 1e-4);
    }
    assert_true(wrong <= truth_max_failures(RUNS, euler_settings_for(1).delta));
    assert_true(caught > RUNS / 2);
}

/* Every allocation of a plan fails in turn. */
static void survives_failed_allocations(void **state)
{
    (void)state;
    foray_settings settings = euler_settings_for(1);
    euler_stage s = euler_set_random(1, &settings);
    const foray_reward *const rewards[] = {s.reward};
    foray_policy *policy = NULL;
    foray_status status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        s.ctx->allocations_left = left;
        status = foray_explorer_plan(s.explorer, 1, rewards, FORAY_PLUGIN, &policy);
        assert_true(status == FORAY_OK || (left < 20 && policy == NULL));
    }
    s.ctx->allocations_left = -1;
    foray_policy_destroy(policy);
    euler_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_follow_the_textbook),
        cmocka_unit_test(bound_follows_the_textbook),
        cmocka_unit_test(certificates_hold),
        cmocka_unit_test(survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
