/* oracle_euler.c - see oracle_euler.h. */
#include "oracle_euler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_truth.h"
#include "reward/reward.h"

foray_settings euler_settings_for(int64_t seed)
{
    foray_settings settings;
    foray_settings_default(&settings);
    snprintf(settings.algorithm, sizeof settings.algorithm, "euler");
    settings.seed = seed;
    return settings;
}

foray_model *euler_small_model(foray_context *ctx, uint64_t seed)
{
    support_sizes sizes = {.states = 4, .actions = 3, .horizon = 4, .successors = 3};
    return support_model(ctx, SUPPORT_TABULAR, sizes, seed);
}

euler_stage euler_set_stage(foray_context *ctx, foray_model *model, foray_reward *reward,
                            const foray_settings *settings)
{
    euler_stage s = {.ctx = ctx, .model = model, .reward = reward};
    support_ok(ctx, foray_world_from_model(ctx, model, &s.world));
    support_ok(ctx, support_create(ctx, model, settings, &s.explorer));
    support_ok(ctx, foray_explorer_give_reward(s.explorer, reward));
    s.euler = s.explorer->self;
    s.o = calloc(1, sizeof *s.o);
    s.o->S = (int)model->states;
    s.o->A = (int)model->actions;
    s.o->H = (int)model->horizon;
    for (int t = s.o->H - 1; t >= 0; t--) {
        double max = 0;
        for (int x = 0; x < s.o->S * s.o->A; x++)
            max = fmax(max, foray_reward_at(reward, t, x / s.o->A, x % s.o->A));
        s.o->left[t] = max + s.o->left[t + 1];
    }
    return s;
}

euler_stage euler_set_random(uint64_t seed, const foray_settings *settings)
{
    foray_context *ctx = foray_context_create();
    foray_model *model = euler_small_model(ctx, seed);
    return euler_set_stage(ctx, model, truth_random_reward(ctx, model, seed), settings);
}

euler_stage euler_set_goal(const char *spec, int64_t goal, const foray_settings *settings)
{
    foray_context *ctx = foray_context_create();
    foray_model *model;
    support_ok(ctx, foray_model_builtin(ctx, spec, &model));
    return euler_set_stage(ctx, model, truth_goal(ctx, model, goal), settings);
}

void euler_clear(euler_stage *s)
{
    free(s->o);
    foray_explorer_destroy(s->explorer);
    foray_reward_destroy(s->reward);
    foray_world_destroy(s->world);
    foray_model_destroy(s->model);
    foray_context_destroy(s->ctx);
}

/* ------------------------------------------------------------------- the oracle */

int euler_successors(const euler_stage *s, int state, int action, const int32_t **next)
{
    return (int)foray_model_successors(s->model, state, action, next);
}

double euler_visits(const euler_stage *s, int t, int state, int action)
{
    double n = 0;
    for (int next = 0; next < s->o->S; next++)
        n += s->o->n[t][state][action][next];
    return n;
}

/* p^(next|s,a): never visited, uniform over what the model allows. */
static double law(const euler_stage *s, int t, int state, int action, int next)
{
    const int32_t *allowed;
    int count = euler_successors(s, state, action, &allowed);
    double n = euler_visits(s, t, state, action);
    if (n > 0)
        return s->o->n[t][state][action][next] / n;
    for (int j = 0; j < count; j++)
        if (allowed[j] == next)
            return 1.0 / count;
    return 0;
}

double euler_mean(const euler_stage *s, int t, int state, int action, const double *value)
{
    double sum = 0;
    for (int next = 0; next < s->o->S; next++)
        sum += law(s, t, state, action, next) * value[next];
    return sum;
}

double euler_variance(const euler_stage *s, int t, int state, int action, const double *value)
{
    double m = euler_mean(s, t, state, action, value), sum = 0;
    for (int next = 0; next < s->o->S; next++)
        sum += law(s, t, state, action, next) * pow(value[next] - m, 2);
    return sum;
}

double euler_open_pairs(const euler_stage *s)
{
    const int32_t *next;
    double open = 0;
    for (int x = 0; x < s->o->S * s->o->A; x++)
        open += euler_successors(s, x / s->o->A, x % s->o->A, &next) > 1;
    return open;
}

/* b(V): sqrt(2 Var L/(n-1)) + 7 C L/(3 (n-1)) + sqrt(2L/(n-1)) ||V_up - V_low||. */
static double bonus(const euler_stage *s, int t, int state, int action, const double *value)
{
    const foray_settings *settings = &s->explorer->settings;
    const int32_t *next;
    double n = euler_visits(s, t, state, action), apart[EULER_MAX_S], C = s->o->left[t + 1];
    if (C == 0 || euler_successors(s, state, action, &next) == 1)
        return 0;
    if (n < 2)
        return INFINITY;
    for (int x = 0; x < s->o->S; x++)
        apart[x] = pow(s->o->up[t + 1][x] - s->o->low[t + 1][x], 2);
    double L = log(4 * euler_open_pairs(s) * s->o->H * n * (n + 1) / settings->delta);
    return settings->radius_scale *
           (sqrt(2 * euler_variance(s, t, state, action, value) * L / (n - 1)) +
            7 * C * L / (3 * (n - 1)) +
            sqrt(2 * L / (n - 1)) * sqrt(euler_mean(s, t, state, action, apart)));
}

void euler_recompute(euler_stage *s)
{
    euler_dense *o = s->o;
    for (int t = o->H - 1; t >= 0; t--)
        for (int x = 0; x < o->S; x++) {
            int best = 0;
            for (int a = 0; a < o->A; a++) {
                double r = foray_reward_at(s->reward, t, x, a);
                double after =
                    euler_mean(s, t, x, a, o->up[t + 1]) + bonus(s, t, x, a, o->up[t + 1]);
                o->raw[t][x][a] = r + after;
                o->Q[t][x][a] = r + fmin(o->left[t + 1], after);
            }
            best = s->euler->action[t * o->S + x]; /* checked by is_greedy */
            double r = foray_reward_at(s->reward, t, x, best);
            o->up[t][x] = o->Q[t][x][best];
            o->low[t][x] = r + fmax(0, euler_mean(s, t, x, best, o->low[t + 1]) -
                                           bonus(s, t, x, best, o->low[t + 1]));
        }
}

/* Greedy by the rule for ties in force, up to rounding. */
bool euler_is_greedy(const euler_stage *s, int t, int x, int a)
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

static void count(euler_stage *s, int t, int state, int action, int next)
{
    for (int h = 0; h < s->o->H; h++)
        if (h == t || support_own(&s->explorer->settings, "pooled") == FY_POOLED_ON)
            s->o->n[h][state][action][next]++;
}

/* One episode, which the oracle counts once it has ended; with `watch` it agrees to the plan. */
double euler_play(euler_stage *s, bool watch)
{
    foray_draw draw = {.seed = (uint64_t)s->explorer->settings.seed,
                       .episode = (uint64_t)s->explorer->episodes};
    int64_t path[EULER_MAX_H + 1], taken[EULER_MAX_H];
    double total = 0;
    support_ok(s->ctx, foray_explorer_begin(s->explorer));
    if (watch)
        euler_recompute(s);
    support_ok(s->ctx, foray_world_reset(s->world, &draw, &path[0]));
    for (int t = 0; t < s->o->H; t++) {
        draw.step = (uint32_t)t + 1;
        support_ok(s->ctx, foray_explorer_act(s->explorer, path[t], &taken[t]));
        if (watch)
            assert_true(euler_is_greedy(s, t, (int)path[t], (int)taken[t]));
        total += foray_reward_at(s->reward, t, path[t], taken[t]);
        support_ok(s->ctx, foray_world_step(s->world, &draw, path[t], taken[t], &path[t + 1]));
        support_ok(s->ctx, foray_explorer_observe(s->explorer, path[t], taken[t], path[t + 1]));
    }
    support_ok(s->ctx, foray_explorer_end(s->explorer));
    for (int t = 0; t < s->o->H; t++)
        count(s, t, (int)path[t], (int)taken[t], (int)path[t + 1]);
    return total;
}
