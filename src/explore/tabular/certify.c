/* certify.c - see certify.h. */
#include "explore/tabular/certify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/maths.h"
#include "plan/plan.h"
#include "reward/reward.h"

/* --------------------------------------------------------------------- bonuses */

double fy_bonus(const fy_bonus_rule *rule, double weight, double variance, double range, int sign)
{
    if (sign == 0 || range <= 0.0)
        return 0.0;
    if (isinf(weight))
        return sign * INFINITY;
    double bonus = sqrt(rule->variance * variance * weight) + rule->range * range * weight;
    return sign * rule->scale * bonus;
}

void fy_reward_left(const foray_reward *reward, double *left)
{
    left[reward->horizon] = 0.0;
    for (int64_t t = reward->horizon - 1; t >= 0; t--) {
        const double *r = fy_reward_table(reward, t);
        double max = 0.0;
        for (int64_t pair = 0; pair < reward->states * reward->actions; pair++)
            max = fmax(max, r[pair]);
        left[t] = max + left[t + 1];
    }
}

double fy_open_pairs(const foray_model *model)
{
    int64_t open = 0;
    for (int64_t pair = 0; pair < model->pairs; pair++)
        open +=
            fy_available(model, pair) && model->succ_start[pair + 1] - model->succ_start[pair] > 1;
    return (double)open;
}

/* b(n)/n. */
static double weight_of(const fy_counts *counts, int64_t pair, double laws, double delta, double n)
{
    const foray_model *model = counts->model;
    double others = (double)(model->succ_start[pair + 1] - model->succ_start[pair] - 1);
    if (others == 0.0)
        return 0.0;
    if (n == 0.0)
        return INFINITY;
    return (fy_log(laws / delta) + others * (1.0 + fy_log1p(n / others))) / n;
}

void fy_certify_weights(const foray_explorer *explorer, const fy_counts *counts, double *weight)
{
    double laws = fy_open_pairs(counts->model) * (double)counts->layers,
           delta = explorer->settings.delta;
    int64_t pairs = counts->model->pairs;
    for (int64_t at = 0; at < counts->layers * pairs; at++)
        weight[at] = weight_of(counts, at % pairs, laws, delta, counts->visits[at]);
}

/* --------------------------------------------------------------- the recursion */

/* One backward induction: the rule, its sign, whether it follows a policy or seeks one. */
typedef struct task {
    foray_context *ctx; /* whether to stop */
    const fy_counts *counts;
    const fy_bonus_rule *rule;
    const foray_reward *reward;
    const double *left; /* [horizon+1] */
    int sign;
    bool follow;
    int32_t *policy; /* [horizon][states]; followed, or filled in unless NULL */
    double *value;   /* [2][states] */
    double *plain;   /* [2][states]: ties go to the larger value without bonus; NULL: not */
} task;

static double q_value(const task *job, int sign, int64_t t, int64_t pair, const double *next)
{
    const fy_counts *counts = job->counts;
    int64_t at = fy_counts_layer(counts, t) * counts->model->pairs + pair;
    double range = job->left[t + 1];
    fy_moments after = fy_counts_moments(counts, t, pair, next);
    double bonus = fy_bonus(job->rule, job->rule->weight[at], after.variance, range, sign);
    return fy_reward_table(job->reward, t)[pair] + fmin(range, fmax(0.0, after.mean + bonus));
}

/* The values of one step, and those without bonus of the same policy where ties go by them: where
 * little is known all pessimistic values are 0 (see plan/plan.c). */
typedef struct step_values {
    double *value, *plain;
} step_values;

static void back_up(const task *job, int64_t t, int64_t s, step_values next, step_values now)
{
    int64_t states = job->counts->model->states, actions = job->counts->model->actions;
    int64_t first = s * actions;
    int32_t lowest = fy_first_action(job->counts->model, s);
    int32_t best = job->follow ? job->policy[t * states + s] : lowest;
    now.value[s] = q_value(job, job->sign, t, first + best, next.value);
    if (job->plain)
        now.plain[s] = q_value(job, 0, t, first + best, next.plain);
    for (int32_t a = lowest + 1; a < actions && !job->follow; a++) {
        if (!fy_available(job->counts->model, first + a))
            continue;
        double q = q_value(job, job->sign, t, first + a, next.value);
        double plain = job->plain ? q_value(job, 0, t, first + a, next.plain) : 0.0;
        if (q < now.value[s] || (q == now.value[s] && !(job->plain && plain > now.plain[s])))
            continue;
        now.value[s] = q;
        if (job->plain)
            now.plain[s] = plain;
        best = a;
    }
    if (job->policy)
        job->policy[t * states + s] = best;
}

/* From the last step to the first; gives the mean over mu. */
static double induct(const task *job)
{
    const foray_model *model = job->counts->model;
    int64_t states = model->states;
    step_values now = {job->value, job->plain}, next = {job->value + states, NULL};
    double mean;
    memset(next.value, 0, (size_t)states * sizeof *next.value);
    if (job->plain) {
        next.plain = job->plain + states;
        memset(next.plain, 0, (size_t)states * sizeof *next.plain);
    }
    for (int64_t t = model->horizon - 1; t >= 0; t--) {
        for (int64_t s = 0; s < states && !fy_stopped_at(job->ctx, s); s++)
            back_up(job, t, s, next, now);
        step_values swap = now;
        now = next;
        next = swap;
    }
    fy_plan_mean(model, next.value, 1, &mean);
    return mean;
}

/* -------------------------------------------------------------------- planning */

typedef struct method {
    const fy_counts *counts;
    const fy_bonus_rule *rule, *certified;
    foray_mode choice;
} method;

static int sign_of(foray_mode mode)
{
    return mode == FORAY_OPTIMISTIC ? 1 : mode == FORAY_PLUGIN ? 0 : -1;
}

/* work: [4][states] values, [horizon+1] what is left. */
static void plan_one(const foray_explorer *explorer, const void *how, const foray_reward *reward,
                     double *work, foray_policy *policy)
{
    const method *by = how;
    int64_t states = explorer->model->states;
    double *left = work + 4 * states;
    fy_reward_left(reward, left);
    task job = {.ctx = explorer->ctx,
                .counts = by->counts,
                .rule = by->rule,
                .reward = reward,
                .left = left,
                .sign = sign_of(by->choice),
                .policy = policy->action,
                .value = work,
                .plain = by->choice == FORAY_PESSIMISTIC ? work + 2 * states : NULL};
    induct(&job);
    job.rule = by->certified;
    job.plain = NULL;
    job.policy = NULL;
    for (int mode = 0; mode < FORAY_PESSIMISTIC; mode++) {
        job.sign = sign_of(mode);
        policy->value[mode] = induct(&job);
    }
    double own[FORAY_MODES];
    job.follow = true;
    job.policy = policy->action;
    for (int mode = 0; mode < FORAY_MODES; mode++) {
        job.sign = sign_of(mode);
        own[mode] = induct(&job);
    }
    policy->expected = own[FORAY_PLUGIN];
    policy->low = own[FORAY_PESSIMISTIC];
    policy->high = fmin(own[FORAY_OPTIMISTIC], policy->value[FORAY_OPTIMISTIC]);
    policy->value[FORAY_PESSIMISTIC] = policy->low;
    double gap = policy->value[FORAY_OPTIMISTIC] - policy->low;
    policy->certificate = fy_counts_certificate(explorer, fmax(0.0, gap));
}

/* The certified rule; its weights are written to `weight`. */
static fy_bonus_rule certified_rule(const foray_explorer *explorer, const fy_counts *counts,
                                    double *weight)
{
    fy_certify_weights(explorer, counts, weight);
    return (fy_bonus_rule){4.0, sqrt(8.0) + 2.0 / 3.0, explorer->settings.radius_scale, weight};
}

foray_status fy_certify_plan(foray_explorer *explorer, const fy_counts *counts,
                             const fy_bonus_rule *rule, foray_mode choice, int64_t count,
                             const foray_reward *const *rewards, foray_mode mode,
                             foray_policy **policies)
{
    double *weight;
    if (!FY_ALLOC(explorer->ctx, weight, counts->layers * counts->model->pairs))
        return FORAY_ERROR_MEMORY;
    fy_bonus_rule certified = certified_rule(explorer, counts, weight);
    method how = {counts, rule ? rule : &certified, &certified, choice};
    int64_t room = 4 * explorer->model->states + explorer->model->horizon + 1;
    foray_status status =
        fy_counts_plan_each(explorer, plan_one, &how, room, count, rewards, mode, policies);
    free(weight);
    return status;
}

/* ----------------------------------------------------------------- all rewards */

/* max_a min{H-h, (H-h) sqrt(2 w) + sum_j p^_j E_{h+1}(s_j)}: the reward is known, so that
 * only the H-h steps after this one can be wrong. Known laws have w = 0. */
static double largest_error(const fy_counts *counts, const fy_bonus_rule *rule, int64_t t,
                            int64_t s, const double *next)
{
    const foray_model *model = counts->model;
    double range = (double)(model->horizon - 1 - t), largest = 0.0;
    int64_t layer = fy_counts_layer(counts, t) * model->pairs;
    if (range == 0.0)
        return 0.0;
    for (int64_t pair = s * model->actions; pair < (s + 1) * model->actions; pair++) {
        if (!fy_available(model, pair))
            continue;
        double width = rule->scale * range * sqrt(2.0 * rule->weight[layer + pair]);
        double error = fmin(range, width + fy_counts_expect(counts, t, pair, next));
        largest = fmax(largest, error);
    }
    return largest;
}

int64_t fy_certify_room(const fy_counts *counts)
{
    return 2 * counts->model->states + counts->layers * counts->model->pairs;
}

foray_certificate fy_certify_all(foray_explorer *explorer, const fy_counts *counts, double *work)
{
    const foray_model *model = explorer->model;
    double *now = work, *next = work + model->states, mean;
    fy_bonus_rule rule = certified_rule(explorer, counts, work + 2 * model->states);
    for (int64_t s = 0; s < model->states; s++)
        next[s] = 0.0;
    for (int64_t t = model->horizon - 1; t >= 0; t--) {
        for (int64_t s = 0; s < model->states && !fy_stopped_at(explorer->ctx, s); s++)
            now[s] = largest_error(counts, &rule, t, s, next);
        double *swap = now;
        now = next;
        next = swap;
    }
    fy_plan_mean(model, next, 1, &mean);
    return fy_counts_certificate(explorer, fmin((double)model->horizon, 2.0 * mean));
}
