/* test_euler.c - EULER against a dense textbook version, its values against the truth; and
 * the certificates that counts give, whoever collected them. */
#include "oracle_truth.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/euler.h"
#include "plan/reward.h"

/* cmocka's own comparison is in single precision. */
#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

enum { MOST_S = 6, MOST_A = 3, MOST_H = 6 };

/* EULER and the certified recursions as a textbook would write them: dense, everything anew. */
typedef struct dense {
    int S, A, H;
    double n[MOST_H][MOST_S][MOST_A][MOST_S];
    double up[MOST_H + 1][MOST_S], low[MOST_H + 1][MOST_S];
    double raw[MOST_H][MOST_S][MOST_A], Q[MOST_H][MOST_S][MOST_A];
    double left[MOST_H + 1];
} dense;

typedef struct stage {
    foray_context *ctx;
    foray_model *model;
    foray_world *world;
    foray_reward *reward;
    foray_explorer *explorer;
    fy_euler *euler;
    dense *o;
} stage;

static foray_settings settings_for(int64_t seed)
{
    foray_settings settings;
    foray_settings_default(&settings);
    snprintf(settings.algorithm, sizeof settings.algorithm, "euler");
    settings.seed = seed;
    return settings;
}

static foray_model *small_model(foray_context *ctx, uint64_t seed)
{
    support_sizes sizes = {.states = 4, .actions = 3, .horizon = 4, .successors = 3};
    return support_model(ctx, SUPPORT_TABULAR, sizes, seed);
}

static stage set_stage(foray_context *ctx, foray_model *model, foray_reward *reward,
                       const foray_settings *settings)
{
    stage s = {.ctx = ctx, .model = model, .reward = reward};
    support_ok(ctx, foray_world_from_model(ctx, model, &s.world));
    support_ok(ctx, foray_explorer_create(ctx, model, settings, &s.explorer));
    support_ok(ctx, foray_explorer_give_reward(s.explorer, reward));
    s.euler = s.explorer->self;
    s.o = calloc(1, sizeof *s.o);
    s.o->S = (int)model->states;
    s.o->A = (int)model->actions;
    s.o->H = (int)model->horizon;
    for (int t = s.o->H - 1; t >= 0; t--) {
        double most = 0;
        for (int x = 0; x < s.o->S * s.o->A; x++)
            most = fmax(most, foray_reward_at(reward, t, x / s.o->A, x % s.o->A));
        s.o->left[t] = most + s.o->left[t + 1];
    }
    return s;
}

static stage set_random(uint64_t seed, const foray_settings *settings)
{
    foray_context *ctx = foray_context_create();
    foray_model *model = small_model(ctx, seed);
    return set_stage(ctx, model, truth_random_reward(ctx, model, seed), settings);
}

static stage set_goal(const char *spec, int64_t goal, const foray_settings *settings)
{
    foray_context *ctx = foray_context_create();
    foray_model *model;
    support_ok(ctx, foray_world_model(ctx, spec, &model));
    return set_stage(ctx, model, truth_goal(ctx, model, goal), settings);
}

static void clear(stage *s)
{
    free(s->o);
    foray_explorer_destroy(s->explorer);
    foray_reward_destroy(s->reward);
    foray_world_destroy(s->world);
    foray_model_destroy(s->model);
    foray_context_destroy(s->ctx);
}

/* ------------------------------------------------------------------- the oracle */

static int successors(const stage *s, int state, int action, const int32_t **next)
{
    return (int)foray_model_successors(s->model, state, action, next);
}

static double visits(const stage *s, int t, int state, int action)
{
    double n = 0;
    for (int next = 0; next < s->o->S; next++)
        n += s->o->n[t][state][action][next];
    return n;
}

/* p^(next|s,a): never visited, uniform over what the model allows. */
static double law(const stage *s, int t, int state, int action, int next)
{
    const int32_t *allowed;
    int count = successors(s, state, action, &allowed);
    double n = visits(s, t, state, action);
    if (n > 0)
        return s->o->n[t][state][action][next] / n;
    for (int j = 0; j < count; j++)
        if (allowed[j] == next)
            return 1.0 / count;
    return 0;
}

static double mean(const stage *s, int t, int state, int action, const double *value)
{
    double sum = 0;
    for (int next = 0; next < s->o->S; next++)
        sum += law(s, t, state, action, next) * value[next];
    return sum;
}

static double variance(const stage *s, int t, int state, int action, const double *value)
{
    double m = mean(s, t, state, action, value), sum = 0;
    for (int next = 0; next < s->o->S; next++)
        sum += law(s, t, state, action, next) * pow(value[next] - m, 2);
    return sum;
}

static double open_pairs(const stage *s)
{
    const int32_t *next;
    double open = 0;
    for (int x = 0; x < s->o->S * s->o->A; x++)
        open += successors(s, x / s->o->A, x % s->o->A, &next) > 1;
    return open;
}

/* b(V): sqrt(2 Var L/(n-1)) + 7 C L/(3 (n-1)) + sqrt(2L/(n-1)) ||V_up - V_low||. */
static double bonus(const stage *s, int t, int state, int action, const double *value)
{
    const foray_settings *settings = &s->explorer->settings;
    const int32_t *next;
    double n = visits(s, t, state, action), apart[MOST_S], C = s->o->left[t + 1];
    if (C == 0 || successors(s, state, action, &next) == 1)
        return 0;
    if (n < 2)
        return INFINITY;
    for (int x = 0; x < s->o->S; x++)
        apart[x] = pow(s->o->up[t + 1][x] - s->o->low[t + 1][x], 2);
    double L = log(4 * open_pairs(s) * s->o->H * n * (n + 1) / settings->delta);
    return settings->radius_scale *
           (sqrt(2 * variance(s, t, state, action, value) * L / (n - 1)) +
            7 * C * L / (3 * (n - 1)) +
            sqrt(2 * L / (n - 1)) * sqrt(mean(s, t, state, action, apart)));
}

static void recompute(stage *s)
{
    dense *o = s->o;
    for (int t = o->H - 1; t >= 0; t--)
        for (int x = 0; x < o->S; x++) {
            int best = 0;
            for (int a = 0; a < o->A; a++) {
                double r = foray_reward_at(s->reward, t, x, a);
                double after = mean(s, t, x, a, o->up[t + 1]) + bonus(s, t, x, a, o->up[t + 1]);
                o->raw[t][x][a] = r + after;
                o->Q[t][x][a] = r + fmin(o->left[t + 1], after);
            }
            best = s->euler->route.action[t * o->S + x]; /* checked by is_greedy */
            double r = foray_reward_at(s->reward, t, x, best);
            o->up[t][x] = o->Q[t][x][best];
            o->low[t][x] = r + fmax(0, mean(s, t, x, best, o->low[t + 1]) -
                                           bonus(s, t, x, best, o->low[t + 1]));
        }
}

/* Greedy by the rule for ties in force, up to rounding. */
static bool is_greedy(const stage *s, int t, int x, int a)
{
    const double *Q = s->o->Q[t][x], *raw = s->o->raw[t][x];
    bool by_raw = s->explorer->settings.ties == FORAY_TIES_UNCLIPPED;
    for (int b = 0; b < s->o->A; b++) {
        if (Q[b] > Q[a] + 1e-9)
            return false;
        bool clipped = Q[b] == Q[a] && raw[b] > Q[b] && raw[a] > Q[a];
        if (clipped && by_raw && raw[b] > raw[a] * (1 + 1e-9))
            return false;
        if (clipped && (!by_raw || (isinf(raw[a]) && isinf(raw[b]))) && b < a)
            return false;
    }
    return true;
}

static void count(stage *s, int t, int state, int action, int next)
{
    for (int h = 0; h < s->o->H; h++)
        if (h == t || s->explorer->settings.pooled == FORAY_POOLED_ON)
            s->o->n[h][state][action][next]++;
}

/* One episode, which the oracle counts once it has ended; with `watch` it agrees to the plan. */
static double play(stage *s, bool watch)
{
    foray_draw draw = {.seed = (uint64_t)s->explorer->settings.seed,
                       .episode = (uint64_t)s->explorer->episodes};
    int64_t path[MOST_H + 1], taken[MOST_H];
    double total = 0;
    support_ok(s->ctx, foray_explorer_begin(s->explorer));
    if (watch)
        recompute(s);
    support_ok(s->ctx, foray_world_reset(s->world, &draw, &path[0]));
    for (int t = 0; t < s->o->H; t++) {
        draw.step = (uint32_t)t + 1;
        support_ok(s->ctx, foray_explorer_act(s->explorer, path[t], &taken[t]));
        if (watch)
            assert_true(is_greedy(s, t, (int)path[t], (int)taken[t]));
        total += foray_reward_at(s->reward, t, path[t], taken[t]);
        support_ok(s->ctx, foray_world_step(s->world, &draw, path[t], taken[t], &path[t + 1]));
        support_ok(s->ctx, foray_explorer_observe(s->explorer, path[t], taken[t], path[t + 1]));
    }
    support_ok(s->ctx, foray_explorer_end(s->explorer));
    for (int t = 0; t < s->o->H; t++)
        count(s, t, (int)path[t], (int)taken[t], (int)path[t + 1]);
    return total;
}

/* ------------------------------------------------------------------- textbook */

static void assert_same_values(stage *s)
{
    recompute(s);
    for (int t = 0; t < s->o->H; t++)
        for (int x = 0; x < s->o->S; x++) {
            assert_true(is_greedy(s, t, x, s->euler->route.action[t * s->o->S + x]));
            assert_near(s->euler->upper[t * s->o->S + x], s->o->up[t][x], 1e-9);
            assert_near(s->euler->lower[t * s->o->S + x], s->o->low[t][x], 1e-9);
        }
}

static void follows(stage *s, int64_t episodes)
{
    for (int64_t k = 0; k < episodes; k++) {
        play(s, true);
        assert_same_values(s);
    }
    clear(s);
}

/* Every value and every action, pooled or not, with both rules for ties, with the radius as
 * it is, where nearly all is clipped, and with one where little is. */
static void follows_the_textbook(void **state)
{
    (void)state;
    for (int combination = 0; combination < 8; combination++) {
        foray_settings settings = settings_for(combination);
        settings.pooled = combination & 1;
        settings.ties = combination >> 1 & 1;
        settings.radius_scale = combination >> 2 ? 0.02 : 1.0;
        stage s = set_random((uint64_t)combination, &settings);
        follows(&s, 150);
        s = set_goal("chain:states=5,zones=1,horizon=5", 4, &settings);
        follows(&s, 150);
    }
}

/* A reward that ends early leaves nothing to plan for; a reward of nothing, nothing at all. */
static void rewards_that_end_early(void **state)
{
    (void)state;
    foray_settings settings = settings_for(1);
    for (int64_t last = -1; last < 3; last++) {
        foray_context *ctx = foray_context_create();
        foray_model *model = small_model(ctx, 3);
        foray_reward *reward;
        support_ok(ctx, foray_reward_create(ctx, model, "early", 0.0, &reward));
        if (last >= 0)
            support_ok(ctx, foray_reward_set(ctx, reward, last, 2, -1, 0.5));
        stage s = set_stage(ctx, model, reward, &settings);
        play(&s, true);
        assert_int_equal(s.euler->steps, last + 1);
        assert_same_values(&s);
        follows(&s, 60);
    }
}

/* Doubling with growth 0 plans in every episode: the same episodes. Otherwise seldom. */
static void doubling(void **state)
{
    (void)state;
    foray_settings settings = settings_for(5);
    settings.radius_scale = 0.05;
    stage every = set_random(5, &settings);
    settings.replan = FORAY_REPLAN_DOUBLING;
    stage seldom = set_random(5, &settings);
    settings.replan_growth = 0.0;
    stage full = set_random(5, &settings);
    for (int k = 0; k < 300; k++) {
        play(&every, false);
        play(&full, false);
        play(&seldom, false);
    }
    assert_memory_equal(every.o->n, full.o->n, sizeof every.o->n);
    assert_int_equal(every.explorer->plans, 301);
    assert_in_range(seldom.explorer->plans, 5, 200);
    clear(&every);
    clear(&seldom);
    clear(&full);
}

/* ---------------------------------------------------------------- bounds and truth */

/* V*, in the true model. */
static void best_values(const stage *s, double value[MOST_H + 1][MOST_S])
{
    memset(value[s->o->H], 0, sizeof value[0]);
    for (int t = s->o->H - 1; t >= 0; t--)
        for (int x = 0; x < s->o->S; x++) {
            value[t][x] = 0;
            for (int a = 0; a < s->o->A; a++) {
                const int32_t *next;
                int n = successors(s, x, a, &next);
                double q = foray_reward_at(s->reward, t, x, a);
                for (int j = 0; j < n; j++)
                    q += foray_model_probability(s->model, s->model->theta, x, a, j) *
                         value[t + 1][next[j]];
                value[t][x] = fmax(value[t][x], q);
            }
        }
}

static bool is_wrong(int64_t seed, double scale, int pooled)
{
    foray_settings settings = settings_for(seed);
    settings.radius_scale = scale;
    settings.pooled = pooled;
    stage s = set_random((uint64_t)seed, &settings);
    double value[MOST_H + 1][MOST_S];
    bool wrong = false;
    best_values(&s, value);
    for (int k = 1; k <= 200; k++) {
        play(&s, false);
        for (int t = 0; t < s.o->H; t++)
            for (int x = 0; x < s.o->S; x++)
                wrong |= s.euler->upper[t * s.o->S + x] < value[t][x] - 1e-9 ||
                         s.euler->lower[t * s.o->S + x] > value[t][x] + 1e-9;
    }
    clear(&s);
    return wrong;
}

/* With probability 1 - delta, V_low <= V* <= V_up everywhere after every episode; and values
 * that are far too bold are noticed. */
static void values_hold(void **state)
{
    (void)state;
    enum { RUNS = 60 };
    for (int pooled = 0; pooled < 2; pooled++) {
        int64_t wrong = 0, caught = 0;
        for (int64_t seed = 1; seed <= RUNS; seed++) {
            wrong += is_wrong(seed, 1.0, pooled);
            caught += is_wrong(seed, 0.01, pooled);
        }
        assert_true(wrong <= truth_most_failures(RUNS, settings_for(1).delta));
        assert_true(caught > RUNS / 2);
    }
}

/* It earns: nearly the best return, on a chain where random actions hardly ever do. */
static void learns_to_earn(void **state)
{
    (void)state;
    foray_settings settings = settings_for(2);
    settings.radius_scale = 0.1;
    stage s = set_goal("chain:states=5,zones=1,horizon=6", 4, &settings);
    double value, optimal, earned = 0;
    foray_policy *policy;
    for (int k = 0; k < 3000; k++)
        play(&s, false);
    for (int k = 0; k < 2000; k++)
        earned += play(&s, false) / 2000;
    const foray_reward *const rewards[] = {s.reward};
    support_ok(s.ctx, foray_explorer_plan(s.explorer, 1, rewards, FORAY_PLUGIN, &policy));
    support_ok(s.ctx, foray_evaluate(s.ctx, s.model, s.reward, policy, &value, &optimal));
    assert_near(earned, optimal, 0.1 * optimal);
    assert_true(value >= 0.99 * optimal);
    foray_policy_destroy(policy);
    clear(&s);
}

/* ----------------------------------------------------------------- certificates */

/* sqrt(4 Var b/n) + (sqrt 8 + 2/3) C b/n. */
static double certified_bonus(const stage *s, int t, int x, int a, const double *value)
{
    const int32_t *next;
    double layers = s->explorer->settings.pooled == FORAY_POOLED_ON ? 1 : s->o->H;
    double n = visits(s, t, x, a), C = s->o->left[t + 1], m = successors(s, x, a, &next);
    if (C == 0 || m == 1)
        return 0;
    if (n == 0)
        return INFINITY;
    double b = log(open_pairs(s) * layers / s->explorer->settings.delta) +
               (m - 1) * log(M_E * (1 + n / (m - 1)));
    return s->explorer->settings.radius_scale *
           (sqrt(4 * variance(s, t, x, a, value) * b / n) + (sqrt(8) + 2.0 / 3.0) * C * b / n);
}

/* The recursion with a sign, maximised or for a policy, from mu. */
static double induct(const stage *s, int sign, const int32_t *follow)
{
    double V[MOST_H + 1][MOST_S] = {{0}}, sum = 0;
    for (int t = s->o->H - 1; t >= 0; t--)
        for (int x = 0; x < s->o->S; x++)
            for (int a = 0; a < s->o->A; a++) {
                double after = mean(s, t, x, a, V[t + 1]);
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
        foray_settings settings = settings_for(4);
        settings.pooled = pooled;
        settings.radius_scale = 0.1;
        stage s = set_random(4, &settings);
        const foray_reward *const rewards[] = {s.reward};
        for (int k = 0; k < 60; k++) {
            static const int signs[] = {1, 0, -1};
            foray_policy *policy;
            int mode = k % FORAY_MODES;
            support_ok(s.ctx, foray_explorer_plan(s.explorer, 1, rewards, mode, &policy));
            for (int m = 0; m < FORAY_MODES; m++)
                assert_near(policy->value[m], induct(&s, signs[m], NULL), 1e-9);
            assert_near(induct(&s, signs[mode], policy->action), policy->value[mode], 1e-9);
            assert_near(policy->certificate.gap,
                        induct(&s, 1, NULL) - induct(&s, -1, policy->action), 1e-9);
            foray_policy_destroy(policy);
            play(&s, false);
        }
        clear(&s);
    }
}

/* E_h(s,a) of the bound for all rewards, dense. */
static double bound_of(const stage *s)
{
    double E[MOST_H + 1][MOST_S] = {{0}}, sum = 0;
    for (int t = s->o->H - 2; t >= 0; t--)
        for (int x = 0; x < s->o->S; x++)
            for (int a = 0; a < s->o->A; a++) {
                const int32_t *next;
                double n = visits(s, t, x, a), m = successors(s, x, a, &next);
                double range = s->o->H - t - 1, w = m > 1 ? INFINITY : 0;
                if (n > 0 && m > 1)
                    w = (log(open_pairs(s) * s->o->H / s->explorer->settings.delta) +
                         (m - 1) * log(M_E * (1 + n / (m - 1)))) /
                        n;
                double e = s->explorer->settings.radius_scale * range * sqrt(2 * w) +
                           mean(s, t, x, a, E[t + 1]);
                E[t][x] = fmax(E[t][x], fmin(range, e));
            }
    for (int64_t i = 0; i < s->model->initials; i++)
        sum += s->model->initial_probability[i] * E[0][s->model->initial_state[i]];
    return fmin(s->o->H, 2 * sum);
}

static void bound_follows_the_textbook(void **state)
{
    (void)state;
    foray_settings settings = settings_for(6);
    settings.radius_scale = 0.05;
    stage s = set_random(6, &settings);
    double *work = calloc((size_t)fy_certify_room(s.euler->counts), sizeof *work);
    for (int k = 0; k < 100; k++) {
        foray_certificate bound = fy_certify_all(s.explorer, s.euler->counts, work);
        assert_near(bound.gap, bound_of(&s), 1e-9);
        assert_false(bound.certified);
        play(&s, false);
    }
    free(work);
    clear(&s);
}

/* Is some plan's claim false, for rewards EULER does not explore for as well? */
static bool is_overclaimed(int64_t seed, double scale)
{
    foray_settings settings = settings_for(seed);
    settings.radius_scale = scale;
    stage s = set_random((uint64_t)seed, &settings);
    bool wrong = false;
    for (int k = 1; k <= 256; k++) {
        play(&s, false);
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
                     optimal < policy[i]->value[FORAY_PESSIMISTIC] - 1e-9;
            foray_policy_destroy(policy[i]);
        }
        foray_reward_destroy(other);
    }
    clear(&s);
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
    assert_true(wrong <= truth_most_failures(RUNS, settings_for(1).delta));
    assert_true(caught > RUNS / 2);
}

/* Every allocation of a plan fails in turn. */
static void survives_failed_allocations(void **state)
{
    (void)state;
    foray_settings settings = settings_for(1);
    stage s = set_random(1, &settings);
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
    clear(&s);
}

/* Plans made after more visits than there were are damage. */
static void refuses_damaged_plans(void **state)
{
    (void)state;
    foray_settings settings = settings_for(1);
    stage s = set_random(1, &settings);
    double wrong = 1e6;
    uint8_t *data;
    size_t size;
    play(&s, false);
    support_ok(s.ctx, foray_explorer_save(s.explorer, &data, &size));
    memcpy(data + size - sizeof wrong, &wrong, sizeof wrong);
    assert_int_equal(foray_explorer_load(s.explorer, data, size), FORAY_ERROR_RUN);
    free(data);
    clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_textbook),
        cmocka_unit_test(rewards_that_end_early),
        cmocka_unit_test(doubling),
        cmocka_unit_test(values_hold),
        cmocka_unit_test(learns_to_earn),
        cmocka_unit_test(plans_follow_the_textbook),
        cmocka_unit_test(bound_follows_the_textbook),
        cmocka_unit_test(certificates_hold),
        cmocka_unit_test(survives_failed_allocations),
        cmocka_unit_test(refuses_damaged_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
