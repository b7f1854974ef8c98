/* oracle_tabular.c - see oracle_tabular.h. */
#include "oracle_tabular.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t at(const tabular_oracle *o, int64_t t, int64_t s, int64_t a)
{
    return (size_t)((t * o->model->states + s) * o->model->actions + a);
}

tabular_oracle tabular_create(const foray_model *model, const foray_settings *settings)
{
    tabular_oracle o = {.model = model, .settings = *settings};
    size_t S = (size_t)model->states, SA = (size_t)model->pairs, H = (size_t)model->horizon;
    o.express = strcmp(settings->algorithm, "rf-express") == 0;
    o.n = calloc(H * SA * S, sizeof *o.n);
    o.raw = calloc(H * SA, sizeof *o.raw);
    o.E = calloc((H + 1) * SA, sizeof *o.E);
    if (o.n == NULL || o.raw == NULL || o.E == NULL)
        abort();
    return o;
}

void tabular_destroy(tabular_oracle *o)
{
    free(o->n);
    free(o->raw);
    free(o->E);
}

void tabular_count(tabular_oracle *o, int64_t t, int64_t s, int64_t a, int64_t next)
{
    for (int64_t h = 0; h < o->model->horizon; h++)
        if (h == t || support_own(&o->settings, "pooled") == FY_POOLED_ON)
            o->n[at(o, h, s, a) * (size_t)o->model->states + (size_t)next]++;
}

double tabular_visits(const tabular_oracle *o, int64_t t, int64_t s, int64_t a)
{
    double visits = 0;
    for (int64_t next = 0; next < o->model->states; next++)
        visits += o->n[at(o, t, s, a) * (size_t)o->model->states + (size_t)next];
    return visits;
}

/* Never visited: uniform over what the model allows. */
double tabular_probability(const tabular_oracle *o, int64_t t, int64_t s, int64_t a, int64_t next)
{
    const int32_t *successor;
    int64_t allowed = foray_model_successors(o->model, s, a, &successor);
    double visits = tabular_visits(o, t, s, a);
    if (visits > 0)
        return o->n[at(o, t, s, a) * (size_t)o->model->states + (size_t)next] / visits;
    for (int64_t j = 0; j < allowed; j++)
        if (successor[j] == next)
            return 1.0 / (double)allowed;
    return 0;
}

/* The bonus and, in front of the sum, 1 or 1 + 1/H: section 9, letter by letter. */
static double bonus(const tabular_oracle *o, int64_t t, double n)
{
    double S = (double)o->model->states, A = (double)o->model->actions;
    double H = (double)o->model->horizon, h = (double)(t + 1), delta = o->settings.delta;
    double steps = support_own(&o->settings, "pooled") == FY_POOLED_ON ? 1 : H;
    if (o->express)
        return 15 * H * H * (log(3 * S * A * steps / delta) + S * log(8 * M_E * (n + 1))) / n;
    double b = log(2 * S * A * steps / delta);
    if (S > 1)
        b += (S - 1) * log(M_E * (1 + n / (S - 1)));
    return (H - h) * sqrt(2 * b / n);
}

static double bound(const tabular_oracle *o, int64_t t, int64_t s, int64_t a)
{
    double H = (double)o->model->horizon, n = tabular_visits(o, t, s, a), sum = 0;
    if (n == 0)
        return !o->express && t + 1 == o->model->horizon ? 0 : INFINITY;
    for (int64_t next = 0; next < o->model->states; next++)
        sum += tabular_probability(o, t, s, a, next) * tabular_largest(o, t + 1, next);
    return o->settings.radius_scale * bonus(o, t, n) + (o->express ? 1 + 1 / H : 1) * sum;
}

void tabular_recompute(tabular_oracle *o)
{
    double H = (double)o->model->horizon;
    for (int64_t t = o->model->horizon - 1; t >= 0; t--)
        for (int64_t s = 0; s < o->model->states; s++)
            for (int64_t a = 0; a < o->model->actions; a++) {
                bool remaining = !o->express && o->settings.clip == FORAY_CLIP_REMAINING;
                double clip = remaining ? H - (double)t : H;
                o->raw[at(o, t, s, a)] = bound(o, t, s, a);
                o->E[at(o, t, s, a)] = fmin(clip, o->raw[at(o, t, s, a)]);
            }
}

double tabular_largest(const tabular_oracle *o, int64_t t, int64_t s)
{
    double largest = 0;
    for (int64_t a = 0; a < o->model->actions; a++)
        largest = fmax(largest, o->E[at(o, t, s, a)]);
    return largest;
}

double tabular_mean(const tabular_oracle *o)
{
    double mean = 0;
    for (int64_t i = 0; i < o->model->initials; i++)
        mean +=
            o->model->initial_probability[i] * tabular_largest(o, 0, o->model->initial_state[i]);
    return mean;
}

double tabular_error(const tabular_oracle *o)
{
    double mean = tabular_mean(o);
    return o->express ? 3 * M_E * sqrt(mean) + mean : mean;
}

/* Should x be taken rather than y? Values that were not clipped are told apart only where
 * they differ by more than rounding. */
static bool beats(const tabular_oracle *o, size_t x, size_t y)
{
    bool clipped = o->raw[x] > o->E[x] && o->raw[y] > o->E[y];
    bool unknown = isinf(o->raw[x]) && isinf(o->raw[y]);
    if (o->E[x] != o->E[y] || !clipped)
        return o->E[x] > o->E[y] + 1e-9;
    if (o->settings.ties == FORAY_TIES_LOWEST || unknown)
        return x < y;
    return o->raw[x] > o->raw[y] * (1 + 1e-9);
}

bool tabular_is_greedy(const tabular_oracle *o, int64_t t, int64_t s, int64_t a)
{
    for (int64_t other = 0; other < o->model->actions; other++)
        if (beats(o, at(o, t, s, other), at(o, t, s, a)))
            return false;
    return true;
}

double tabular_value(const tabular_oracle *o, const double *r, const int32_t *policy,
                     bool empirical)
{
    int64_t S = o->model->states;
    double *V = calloc((size_t)((o->model->horizon + 1) * S), sizeof *V), mean = 0;
    for (int64_t t = o->model->horizon - 1; t >= 0; t--)
        for (int64_t s = 0; s < S; s++) {
            int64_t a = policy[t * S + s];
            const int32_t *next;
            int64_t count = foray_model_successors(o->model, s, a, &next);
            V[t * S + s] = r[at(o, t, s, a)];
            for (int64_t j = 0; j < count; j++)
                V[t * S + s] +=
                    V[(t + 1) * S + next[j]] *
                    (empirical ? tabular_probability(o, t, s, a, next[j])
                               : foray_model_probability(o->model, o->model->theta, s, a, j));
        }
    for (int64_t i = 0; i < o->model->initials; i++)
        mean += o->model->initial_probability[i] * V[o->model->initial_state[i]];
    free(V);
    return mean;
}

/* ---------------------------------------------------------------------- stages */

foray_settings tabular_settings(int algorithm)
{
    static const char *const names[TABULAR_ALGORITHMS] = {"rf-ucrl", "rf-express"};
    foray_settings settings;
    foray_settings_default(&settings);
    snprintf(settings.algorithm, sizeof settings.algorithm, "%s", names[algorithm]);
    return settings;
}

tabular_stage tabular_set_stage(foray_context *ctx, foray_model *model,
                                const foray_settings *settings)
{
    tabular_stage s = {.ctx = ctx, .model = model};
    support_ok(ctx, foray_world_from_model(ctx, model, &s.world));
    support_ok(ctx, support_create(ctx, model, settings, &s.explorer));
    s.errors = s.explorer->self;
    s.oracle = tabular_create(model, settings);
    return s;
}

tabular_stage tabular_set_world(const char *spec, const foray_settings *settings)
{
    foray_context *ctx = foray_context_create();
    foray_model *model;
    support_ok(ctx, foray_model_builtin(ctx, spec, &model));
    return tabular_set_stage(ctx, model, settings);
}

void tabular_clear(tabular_stage *s)
{
    tabular_destroy(&s->oracle);
    foray_explorer_destroy(s->explorer);
    foray_world_destroy(s->world);
    foray_model_destroy(s->model);
    foray_context_destroy(s->ctx);
}

void tabular_play(tabular_stage *s, bool watch)
{
    foray_draw draw = {.seed = (uint64_t)s->explorer->settings.seed,
                       .episode = (uint64_t)s->explorer->episodes};
    int64_t state, action, next, horizon = s->model->horizon;
    support_ok(s->ctx, foray_explorer_begin(s->explorer));
    support_ok(s->ctx, foray_world_reset(s->world, &draw, &state));
    for (int64_t t = 0; t < horizon; t++, state = next) {
        draw.step = (uint32_t)t + 1;
        support_ok(s->ctx, foray_explorer_act(s->explorer, state, &action));
        if (watch)
            assert_true(tabular_is_greedy(&s->oracle, t, state, action));
        support_ok(s->ctx, foray_world_step(s->world, &draw, state, action, &next));
        support_ok(s->ctx, foray_explorer_observe(s->explorer, state, action, next));
        tabular_count(&s->oracle, t, state, action, next);
    }
    support_ok(s->ctx, foray_explorer_end(s->explorer));
}
