/* rollout.c - how well a policy over clusters does in the real system.
 *
 *   for e = 0, 1, ...   s_0 from the system
 *     for t = 0 .. H-1   a_t = the policy's action at s_t,  G_e += r(s_t, a_t),  s_{t+1} from
 *                        the system
 *
 * A reward of the model's clusters, of any form, is earned by the clusters of s_0, ..., s_H: a real
 * state counts as the one that it belongs to most.
 *
 * Episodes are independent, so that many of them walk side by side and every step asks the
 * system one question with all of them in it: programs over pipes are slow to answer, but
 * not slower to answer many. Where the system remembers they walk one after the other. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/clusters.h"
#include "base/maths.h"
#include "policy/policy.h"
#include "reward/reward.h"
#include "system/system.h"

enum { BATCH = FORAY_MAX_ENDS };

/* A run counts its episodes from 0 and never comes near this. */
static const uint64_t first_episode = (uint64_t)1 << 62;

typedef struct walk {
    foray_system *system;
    const foray_clusters *clusters;
    const foray_policy *policy;
    int64_t index;              /* of the system's own reward, or */
    const foray_reward *reward; /* NULL: that of the system */
    int64_t dimensions, horizon;
    uint64_t seed;
    double *state, *next;      /* [BATCH][dimensions] */
    foray_system_query *query; /* [BATCH] */
    int64_t memory[BATCH];     /* of the policy, where it has one */
    int32_t read[BATCH];       /* what a task has read so far: a state of its automaton */
    bool over[BATCH];          /* the episode is decided: it got where it should or must not */
    bool ended[BATCH];         /* its state is absorbing: nothing else follows */
    int64_t live[BATCH];       /* the others, and what is asked about them */
    foray_system_query *asked; /* [BATCH] */
    double *from, *to;         /* [BATCH][dimensions] */
} walk;

/* ----------------------------------------------------------- rewards of clusters */

/* The cluster that a state belongs to most; of equal ones the lowest. */
static int64_t heaviest(const foray_clusters *clusters, const double *state)
{
    fy_members members;
    fy_members_find(clusters, state, &members);
    int64_t best = 0;
    for (int64_t k = 1; k < members.count; k++)
        if (members.weight[k] > members.weight[best])
            best = k;
    return members.cluster[best];
}

/* A probability is decided in some states, and in all others only at the end. */
static void decide_end(walk *w, int64_t i, const double *state, bool last, double *total)
{
    const foray_reward *reward = w->reward;
    double value = reward->fixed[heaviest(w->clusters, state)];
    if (w->over[i] || (isnan(value) && !last))
        return;
    value = isnan(value) ? reward->ending : value;
    total[i] = reward->minimise ? 1 - value : value;
    w->over[i] = true;
}

/* What a task has read says at the end whether it was satisfied. */
static void read_on(walk *w, int64_t i, const double *state, bool last, double *total)
{
    const fy_task *task = w->reward->task;
    int32_t letter = task->letter[heaviest(w->clusters, state)];
    w->read[i] = fy_automaton_read(&task->automaton, w->read[i], letter);
    if (last)
        total[i] = task->automaton.accepts[w->read[i]];
}

/* g^t r_t(s, a, s') of the step that was just taken; what the model rules out has no r(s,a,s'), and
 * stays within the range. */
static void earn(walk *w, int64_t i, int64_t t, double weight, double *total)
{
    const foray_reward *reward = w->reward;
    const double *state = w->state + i * w->dimensions, *next = w->next + i * w->dimensions;
    if (reward->fixed) {
        decide_end(w, i, next, t + 1 == w->horizon, total);
        return;
    }
    if (reward->task) {
        read_on(w, i, next, t + 1 == w->horizon, total);
        return;
    }
    double value = foray_reward_next_at(reward, t, heaviest(w->clusters, state), w->query[i].action,
                                        heaviest(w->clusters, next));
    total[i] += weight * fmin(fmax(value, reward->low), reward->high);
}

/* ----------------------------------------------------------------------- walking */

static foray_status start(walk *w, int64_t first, int64_t count, double *total)
{
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < count && status == FORAY_OK; i++) {
        foray_draw draw = {.seed = w->seed, .episode = first_episode + (uint64_t)(first + i)};
        w->query[i] = (foray_system_query){.draw = draw, .simulator = FORAY_REALITY};
        total[i] = 0;
        w->over[i] = w->ended[i] = false;
        w->memory[i] = w->read[i] = 0;
        status = foray_system_reset(w->system, &draw, w->state + i * w->dimensions);
        if (status == FORAY_OK && w->reward && w->reward->fixed)
            decide_end(w, i, w->state + i * w->dimensions, false, total);
        if (status == FORAY_OK && w->reward && w->reward->task)
            read_on(w, i, w->state + i * w->dimensions, false, total);
    }
    return status;
}

/* a_t and r(s_t, a_t) of one episode. */
static foray_status decide(walk *w, int64_t i, int64_t t, double *total)
{
    const double *state = w->state + i * w->dimensions;
    double reward = 0;
    foray_draw draw = w->query[i].draw;
    draw.step = (uint32_t)t;
    if (w->policy->memory) {
        int64_t here = heaviest(w->clusters, state);
        here = foray_policy_read(w->policy, &w->memory[i], here);
        w->query[i].action = foray_policy_draw(w->policy, &draw, here);
        if (w->query[i].action < 0)
            return fy_fail(w->system->ctx, FORAY_ERROR_INPUT,
                           "the policy says nothing about where an episode came in step %" PRId64,
                           t);
    } else
        w->query[i].action = fy_policy_draw_in(w->policy, w->clusters, &draw, state);
    w->query[i].draw.step = (uint32_t)t + 1;
    if (w->reward)
        return FORAY_OK;
    foray_status status =
        fy_system_value(w->system, w->system->ctx, w->index, state, w->query[i].action, &reward);
    total[i] += reward;
    return status;
}

/* What follows all of them; nothing but itself follows a state that is absorbing. */
static foray_status follow(walk *w, int64_t count)
{
    int64_t n = w->dimensions, m = 0;
    size_t size = (size_t)n * sizeof *w->state;
    for (int64_t i = 0; i < count; i++) {
        memcpy(w->next + i * n, w->state + i * n, size);
        if (w->ended[i])
            continue;
        w->asked[m] = w->query[i];
        memcpy(w->from + m * n, w->state + i * n, size);
        w->live[m++] = i;
    }
    foray_status status = foray_system_step(w->system, m, w->asked, w->from, w->to);
    for (int64_t k = 0; k < m && status == FORAY_OK; k++) {
        memcpy(w->next + w->live[k] * n, w->to + k * n, size);
        w->ended[w->live[k]] = fy_system_ended(w->system, k);
    }
    return status;
}

/* `count` episodes side by side. Where the last step leads earns nothing any more, but for rewards
 * of clusters. */
static foray_status walk_batch(walk *w, int64_t first, int64_t count, double *total)
{
    double weight = 1;
    foray_status status = start(w, first, count, total);
    for (int64_t t = 0; t < w->horizon && status == FORAY_OK; t++) {
        for (int64_t i = 0; i < count && status == FORAY_OK; i++)
            status = decide(w, i, t, total);
        if (status == FORAY_OK && (w->reward || t + 1 < w->horizon)) {
            status = follow(w, count);
            for (int64_t i = 0; w->reward && i < count && status == FORAY_OK; i++)
                earn(w, i, t, weight, total);
            weight *= w->reward ? w->reward->discount : 1;
            memcpy(w->state, w->next, (size_t)(count * w->dimensions) * sizeof *w->state);
        }
    }
    return status;
}

/* ------------------------------------------------------------------------ public */

static foray_status check(foray_context *ctx, const foray_system_spec *spec,
                          const foray_clusters *clusters, const foray_policy *policy, int64_t index,
                          const foray_reward *reward, int64_t episodes)
{
    if (reward && (reward->states != fy_policy_model_states(policy) ||
                   reward->actions != policy->actions || reward->horizon != policy->horizon))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "the reward is for a model of another shape");
    if (!reward && (index < 0 || index >= spec->rewards))
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "%s: reward %" PRId64 ", but the system has %" PRId64, spec->name, index,
                       spec->rewards);
    if (episodes < 1)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%" PRId64 " episodes, but at least 1 is needed",
                       episodes);
    if (fy_policy_model_states(policy) != foray_clusters_count(clusters) ||
        policy->actions != spec->actions || policy->horizon != spec->horizon)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "the policy is for %" PRId64 " clusters, %" PRId64
                       " actions and horizon %" PRId64 ", but %s has %" PRId64 ", %" PRId64
                       " and %" PRId64,
                       fy_policy_model_states(policy), policy->actions, policy->horizon, spec->name,
                       foray_clusters_count(clusters), spec->actions, spec->horizon);
    return FORAY_OK;
}

foray_status foray_rollout(foray_context *ctx, foray_system *system, const foray_clusters *clusters,
                           const foray_policy *policy, int64_t index, const foray_reward *reward,
                           int64_t first, int64_t episodes, uint64_t seed, double *out)
{
    const foray_system_spec *spec = foray_system_describe(system);
    walk w = {.system = system,
              .clusters = clusters,
              .policy = policy,
              .index = index,
              .reward = reward,
              .dimensions = spec->dimensions,
              .horizon = spec->horizon,
              .seed = seed};
    foray_status status = check(ctx, spec, clusters, policy, index, reward, episodes);
    if (status != FORAY_OK)
        return status;
    status = FORAY_ERROR_MEMORY;
    double *total = NULL;
    fy_arena arena = {.ctx = ctx};
    if (FY_NEW(&arena, w.state, BATCH * spec->dimensions) &&
        FY_NEW(&arena, w.next, BATCH * spec->dimensions) && FY_NEW(&arena, w.query, BATCH) &&
        FY_NEW(&arena, w.asked, BATCH) && FY_NEW(&arena, w.from, BATCH * spec->dimensions) &&
        FY_NEW(&arena, w.to, BATCH * spec->dimensions) && FY_NEW(&arena, total, episodes))
        status = FORAY_OK;
    int64_t max = system->ops.sequential ? 1 : BATCH;
    for (int64_t e = 0; e < episodes && status == FORAY_OK; e += max)
        status = fy_stopped(ctx) ? FORAY_INTERRUPTED
                                 : walk_batch(&w, first + e,
                                              episodes - e < max ? episodes - e : max, total + e);
    if (status == FORAY_OK)
        memcpy(out, total, (size_t)episodes * sizeof *out);
    fy_arena_release(&arena);
    return status;
}

/* ---------------------------------------------------------------------- interval */

/* mean and V = sum (x - mean)^2 / (n-1) */
static void moments(int64_t count, const double *value, double *mean, double *variance)
{
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < count; i++)
        sum += value[i];
    *mean = sum / (double)count;
    for (int64_t i = 0; i < count; i++)
        squares += (value[i] - *mean) * (value[i] - *mean);
    *variance = squares / (double)(count - 1);
}

/* With probability 1 - delta each side: |mean - E x| <= sqrt(2 V L/n) + 7 R L/(3 (n-1)),
 * L = log(2/delta), R = max - min; delta is half of 1 - confidence. */
foray_status foray_mean_interval(foray_context *ctx, int64_t count, const double *value, double min,
                                 double max, double confidence, foray_return *out)
{
    if (count < 2 || !(min <= max) || !(confidence > 0 && confidence < 1))
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "no interval of confidence %g from %" PRId64 " numbers between %g and %g",
                       confidence, count, min, max);
    double mean, variance, n = (double)count, log_term = fy_log(4 / (1 - confidence));
    moments(count, value, &mean, &variance);
    double width = sqrt(2 * variance * log_term / n) + 7 * (max - min) * log_term / (3 * (n - 1));
    *out = (foray_return){.mean = mean,
                          .low = fmax(mean - width, min),
                          .high = fmin(mean + width, max),
                          .deviation = sqrt(variance),
                          .episodes = count};
    return FORAY_OK;
}
