/* oracle_reward.c - see oracle_reward.h. */
#include "oracle_reward.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *at(const oracle_reward *reward, int64_t t, int64_t s, int64_t a, int64_t next)
{
    int64_t S = reward->model->states, A = reward->model->actions;
    return &reward->r[((t * S + s) * A + a) * S + next];
}

/* ----------------------------------------------------------------- random ones */

static void fill(oracle_reward *reward, bool ahead, bool steps, bool coarse, support_random *random)
{
    const foray_model *model = reward->model;
    double range = reward->high - reward->low;
    for (int64_t t = 0; t < model->horizon; t++)
        for (int64_t s = 0; s < model->states; s++)
            for (int64_t a = 0; a < model->actions; a++)
                for (int64_t next = 0; next < model->states; next++) {
                    double u = support_uniform(random);
                    double value = reward->low + range * (coarse ? u < 0.4 : u);
                    value = fmin(value, reward->high);
                    if (!ahead && next > 0)
                        value = *at(reward, t, s, a, 0);
                    if (!steps && t > 0)
                        value = *at(reward, 0, s, a, next);
                    *at(reward, t, s, a, next) = value;
                }
}

oracle_reward oracle_reward_random(const foray_model *model, int form, bool coarse,
                                   support_random *random)
{
    size_t S = (size_t)model->states, cells = (size_t)(model->horizon * model->pairs) * S;
    oracle_reward reward = {.model = model,
                            .high = 1,
                            .discount = 1,
                            .r = calloc(cells, sizeof(double)),
                            .reach = calloc(S, sizeof(bool)),
                            .avoid = calloc(S, sizeof(bool))};
    bool reach = form == ORACLE_REACH || form == ORACLE_REACH_AVOID || form == ORACLE_MIN_REACH;
    bool avoid = form == ORACLE_AVOID || form == ORACLE_REACH_AVOID;
    if (form == ORACLE_RANGE || form == ORACLE_MIN || form == ORACLE_ALL) {
        reward.low = -7 + 10 * support_uniform(random);
        reward.high = reward.low + 0.1 + 20 * support_uniform(random);
    }
    if (form == ORACLE_DISCOUNT || form == ORACLE_ALL)
        reward.discount = support_uniform(random);
    reward.minimise = form == ORACLE_MIN || form == ORACLE_MIN_REACH || form == ORACLE_ALL;
    reward.stops = reach || avoid;
    reward.to_reach = reach;
    if (reach)
        reward.reach[support_below(random, model->states)] = true;
    if (avoid)
        reward.avoid[support_below(random, model->states)] = true;
    if (!reward.stops)
        fill(&reward, form == ORACLE_NEXT || form == ORACLE_ALL, support_uniform(random) < 0.5,
             coarse, random);
    return reward;
}

static foray_reward *build_stops(foray_context *ctx, const oracle_reward *from)
{
    int64_t reach[64], avoid[64], reaches = 0, avoids = 0;
    foray_reward *reward;
    for (int64_t s = 0; s < from->model->states; s++) {
        if (from->reach[s])
            reach[reaches++] = s;
        if (from->avoid[s])
            avoid[avoids++] = s;
    }
    support_ok(ctx, foray_reward_create_reach(ctx, from->model, "stops", reaches, reach, avoids,
                                              avoid, &reward));
    return reward;
}

foray_reward *oracle_reward_build(foray_context *ctx, const oracle_reward *from)
{
    const foray_model *model = from->model;
    foray_reward *reward;
    if (from->stops) {
        reward = build_stops(ctx, from);
        support_ok(ctx, foray_reward_set_minimise(ctx, reward, from->minimise));
        return reward;
    }
    support_ok(ctx,
               foray_reward_create(ctx, model, "r", from->low, from->high, from->high, &reward));
    /* Sometimes the direction is said first, sometimes last: it must not matter. */
    if (from->low > 0)
        support_ok(ctx, foray_reward_set_minimise(ctx, reward, from->minimise));
    for (int64_t t = 0; t < model->horizon; t++)
        for (int64_t s = 0; s < model->states; s++)
            for (int64_t a = 0; a < model->actions; a++) {
                const int32_t *next;
                int64_t n = foray_model_successors(model, s, a, &next);
                for (int64_t j = 0; j < n; j++)
                    support_ok(ctx, foray_reward_set_next(ctx, reward, t, s, a, next[j],
                                                          *at(from, t, s, a, next[j])));
            }
    support_ok(ctx, foray_reward_set_discount(ctx, reward, from->discount));
    support_ok(ctx, foray_reward_set_minimise(ctx, reward, from->minimise));
    return reward;
}

void oracle_reward_free(oracle_reward *reward)
{
    free(reward->r);
    free(reward->reach);
    free(reward->avoid);
}

/* ---------------------------------------------------------- backward induction */

/* Is the episode decided in this state? *value: how. */
static bool decided(const oracle_reward *reward, int64_t s, double *value)
{
    *value = reward->reach[s] ? 1 : 0;
    return reward->stops && (reward->reach[s] || reward->avoid[s]);
}

static double one_action(const oracle_reward *reward, const double *theta, int64_t t, int64_t s,
                         int64_t a, const double *after)
{
    const int32_t *next;
    int64_t n = foray_model_successors(reward->model, s, a, &next);
    double q = 0;
    for (int64_t j = 0; j < n; j++)
        q += foray_model_probability(reward->model, theta, s, a, j) *
             (*at(reward, t, s, a, next[j]) + reward->discount * after[next[j]]);
    return q;
}

/* With actions NULL, the best. */
static double induct(const oracle_reward *reward, const double *theta, const int32_t *action)
{
    const foray_model *model = reward->model;
    double after[64], now[64], mean = 0;
    for (int64_t s = 0; s < model->states; s++)
        if (!decided(reward, s, &after[s]))
            after[s] = reward->stops && !reward->to_reach ? 1 : 0;
    for (int64_t t = model->horizon - 1; t >= 0; t--) {
        for (int64_t s = 0; s < model->states; s++) {
            if (decided(reward, s, &now[s]))
                continue;
            if (action) {
                now[s] = one_action(reward, theta, t, s, action[t * model->states + s], after);
                continue;
            }
            now[s] = reward->minimise ? INFINITY : -INFINITY;
            for (int64_t a = 0; a < model->actions; a++) {
                double q = one_action(reward, theta, t, s, a, after);
                now[s] = reward->minimise ? fmin(now[s], q) : fmax(now[s], q);
            }
        }
        memcpy(after, now, sizeof after);
    }
    for (int64_t i = 0; i < model->initials; i++)
        mean += model->initial_probability[i] * after[model->initial_state[i]];
    return mean;
}

void oracle_reward_values(const oracle_reward *reward, const double *theta, const int32_t *action,
                          double *value, double *best)
{
    *value = induct(reward, theta, action);
    *best = induct(reward, theta, NULL);
}

/* ----------------------------------------------------------------- enumeration */

/* The path so far: its probability, its discounted sum, whether a set was met and when. */
typedef struct path {
    int64_t t, s;
    double probability, sum, weight;
    bool reached, avoided; /* one of them first, never both */
} path;

static void note(const oracle_reward *reward, path *p)
{
    if (!p->reached && !p->avoided) {
        p->reached = reward->reach[p->s];
        p->avoided = !p->reached && reward->avoid[p->s];
    }
}

static double worth(const oracle_reward *reward, path p, const double *theta, const int32_t *action)
{
    const foray_model *model = reward->model;
    note(reward, &p);
    if (p.t == model->horizon) {
        if (reward->stops)
            return p.probability * (reward->to_reach ? p.reached : !p.avoided);
        return p.probability * p.sum;
    }
    int64_t a = action[p.t * model->states + p.s];
    const int32_t *next;
    int64_t n = foray_model_successors(model, p.s, a, &next);
    double total = 0;
    for (int64_t j = 0; j < n; j++) {
        path q = p;
        q.t++;
        q.s = next[j];
        q.probability *= foray_model_probability(model, theta, p.s, a, j);
        q.sum += p.weight * *at(reward, p.t, p.s, a, next[j]);
        q.weight *= reward->discount;
        total += worth(reward, q, theta, action);
    }
    return total;
}

static double by_paths(const oracle_reward *reward, const double *theta, const int32_t *action)
{
    double total = 0;
    for (int64_t i = 0; i < reward->model->initials; i++)
        total += worth(reward,
                       (path){.s = reward->model->initial_state[i],
                              .probability = reward->model->initial_probability[i],
                              .weight = 1},
                       theta, action);
    return total;
}

void oracle_reward_paths(const oracle_reward *reward, const double *theta, const int32_t *action,
                         double *value, double *best)
{
    const foray_model *model = reward->model;
    int64_t entries = model->horizon * model->states, i = 0;
    int32_t *all = calloc((size_t)entries, sizeof *all);
    *value = by_paths(reward, theta, action);
    *best = reward->minimise ? INFINITY : -INFINITY;
    do {
        double v = by_paths(reward, theta, all);
        *best = reward->minimise ? fmin(*best, v) : fmax(*best, v);
        for (i = 0; i < entries && ++all[i] == model->actions; i++)
            all[i] = 0;
    } while (i < entries);
    free(all);
}
