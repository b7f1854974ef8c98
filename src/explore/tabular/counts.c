/* counts.c - counting, planning on the empirical model, and what counts certify (counts.h). */
#include "explore/tabular/counts.h"
#include "base/maths.h"
#include "base/threads.h"
#include "plan/plan.h"
#include "policy/policy.h"
#include "reward/reward.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------- initialise */

foray_status fy_counts_create(fy_arena *arena, const foray_model *model, bool pooled,
                              fy_counts **out)
{
    fy_counts *counts = fy_arena_alloc(arena, 1, sizeof *counts);
    if (!counts)
        return FORAY_ERROR_MEMORY;
    counts->model = model;
    counts->layers = pooled ? 1 : model->horizon;
    counts->transitions = model->succ_start[model->pairs];
    size_t visits, followed;
    bool fits = fy_size_mul((size_t)counts->layers, (size_t)model->pairs, &visits) &&
                fy_size_mul((size_t)counts->layers, (size_t)counts->transitions, &followed);
    if (!fits)
        fy_message_set(arena->ctx, "counts of %" PRId64 " steps for %" PRId64 " pairs are too many",
                       counts->layers, model->pairs);
    if (!fits || !FY_NEW(arena, counts->visits, visits) ||
        !FY_NEW(arena, counts->followed, followed))
        return FORAY_ERROR_MEMORY;
    *out = counts;
    return FORAY_OK;
}

/* ------------------------------------------------------------------ counting */

void fy_counts_add(fy_counts *counts, int64_t t, int64_t pair, int64_t j)
{
    const foray_model *model = counts->model;
    int64_t layer = fy_counts_layer(counts, t);
    counts->visits[layer * model->pairs + pair]++;
    counts->followed[layer * counts->transitions + model->succ_start[pair] + j]++;
}

/* sum_j p^_t(j|s,a) V(s_j), for a value of every state. */
double fy_counts_expect(const fy_counts *counts, int64_t t, int64_t pair, const double *value)
{
    const foray_model *model = counts->model;
    const int32_t *next = model->succ + model->succ_start[pair];
    const double *followed = fy_counts_followed(counts, t, pair);
    int64_t n = model->succ_start[pair + 1] - model->succ_start[pair];
    double visits = fy_counts_visits(counts, t, pair), sum = 0.0;
    for (int64_t j = 0; j < n; j++)
        sum += (visits > 0.0 ? followed[j] : 1.0) * value[next[j]];
    return sum / (visits > 0.0 ? visits : (double)n);
}

/* The variance from differences to the mean: nearly constant values do not cancel. */
fy_moments fy_counts_moments(const fy_counts *counts, int64_t t, int64_t pair, const double *value)
{
    const foray_model *model = counts->model;
    const int32_t *next = model->succ + model->succ_start[pair];
    const double *followed = fy_counts_followed(counts, t, pair);
    int64_t n = model->succ_start[pair + 1] - model->succ_start[pair];
    double visits = fy_counts_visits(counts, t, pair), sum = 0.0;
    double mean = fy_counts_expect(counts, t, pair, value);
    for (int64_t j = 0; j < n; j++) {
        double off = value[next[j]] - mean;
        sum += (visits > 0.0 ? followed[j] : 1.0) * off * off;
    }
    return (fy_moments){mean, sum / (visits > 0.0 ? visits : (double)n)};
}

/* ------------------------------------------------------------- save and load */

/* n(s,a) is the sum of n(s,a,j): only the latter are written. */
void fy_counts_write(const fy_counts *counts, fy_writer *writer)
{
    fy_write_doubles(writer, counts->followed, (size_t)(counts->layers * counts->transitions));
}

void fy_counts_read(fy_counts *counts, fy_reader *reader)
{
    const foray_model *model = counts->model;
    int64_t total = counts->layers * counts->transitions;
    fy_read_doubles(reader, counts->followed, (size_t)total);
    for (int64_t i = 0; i < total && !reader->failed; i++) {
        double number = counts->followed[i];
        reader->failed = !(number >= 0.0 && number <= 0x1p53 && number == floor(number));
    }
    for (int64_t t = 0; t < counts->layers && !reader->failed; t++)
        for (int64_t pair = 0; pair < model->pairs; pair++) {
            const double *followed = fy_counts_followed(counts, t, pair);
            double visits = 0.0;
            for (int64_t j = 0; j < model->succ_start[pair + 1] - model->succ_start[pair]; j++)
                visits += followed[j];
            counts->visits[t * model->pairs + pair] = visits;
        }
}

foray_certificate fy_counts_certificate(const foray_explorer *explorer, double gap)
{
    const foray_settings *settings = &explorer->settings;
    bool bounded = isfinite(gap);
    foray_certificate certificate = {.gap = gap,
                                     .delta =
                                         fy_certificate_delta(explorer->model, settings->delta),
                                     .radius = bounded ? FORAY_RADIUS_COUNTS : FORAY_RADIUS_NONE,
                                     .bound = bounded ? FORAY_BOUND_COUNTS : FORAY_BOUND_NONE,
                                     .status = !bounded                        ? FORAY_UNCERTIFIED
                                               : settings->radius_scale >= 1.0 ? FORAY_CERTIFIED
                                                                               : FORAY_HEURISTIC};
    fy_certificate_classify(&certificate, (double)explorer->model->horizon);
    return certificate;
}

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

double fy_unstructured_pairs(const foray_model *model)
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

/* w = b(n)/n of the certified rule for every pair and layer. */
static void certify_weights(const foray_explorer *explorer, const fy_counts *counts, double *weight)
{
    double laws = fy_unstructured_pairs(counts->model) * (double)counts->layers,
           delta = explorer->settings.delta;
    int64_t pairs = counts->model->pairs;
    for (int64_t at = 0; at < counts->layers * pairs; at++)
        weight[at] = weight_of(counts, at % pairs, laws, delta, counts->visits[at]);
}

/* --------------------------------------------------------------- the recursion */

/* One backward induction: the rule, its sign (0: without bonus, on the empirical model itself),
 * whether it follows a policy or seeks one. */
typedef struct induction {
    foray_context *ctx; /* whether to stop */
    const fy_counts *counts;
    const fy_bonus_rule *rule;
    const foray_reward *reward;
    const double *left; /* [horizon+1] C; NULL: values are not clipped */
    int sign;
    bool follow;
    int32_t *policy; /* [horizon][states]; followed, or filled in unless NULL */
    double *value;   /* [2][states] */
    double *plain;   /* [2][states]: ties go to the larger value without bonus; NULL: not */
} induction;

static double q_value(const induction *job, int sign, int64_t t, int64_t pair, const double *next)
{
    const fy_counts *counts = job->counts;
    int64_t at = fy_counts_layer(counts, t) * counts->model->pairs + pair;
    double range = job->left ? job->left[t + 1] : INFINITY, bonus = 0.0;
    fy_moments after = {.mean = 0.0};
    if (sign == 0) {
        after.mean = fy_counts_expect(counts, t, pair, next);
    } else {
        after = fy_counts_moments(counts, t, pair, next);
        bonus = fy_bonus(job->rule, job->rule->weight[at], after.variance, range, sign);
    }
    return fy_reward_table(job->reward, t)[pair] + fmin(range, fmax(0.0, after.mean + bonus));
}

/* The values of one step, and those without bonus of the same policy where ties go by them: where
 * little is known all pessimistic values are 0 (see plan/plan.c). */
typedef struct step_values {
    double *value, *plain;
} step_values;

static void back_up(const induction *job, int64_t t, int64_t s, step_values next, step_values now)
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
static double induce(const induction *job)
{
    const foray_model *model = job->counts->model;
    int64_t states = model->states;
    step_values now = {job->value, job->plain}, next = {job->value + states, NULL};
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
    return fy_initial_mean(model, next.value);
}

/* ------------------------------------------------------- the empirical model alone */

/* Calls `one` for every reward, several at a time, with a new policy to fill in and `room` doubles
 * to work with. On failure nothing is handed out. */
typedef void plan_one_fn(const foray_explorer *explorer, const void *how,
                         const foray_reward *reward, double *work, foray_policy *policy);

typedef struct several_plans {
    const foray_explorer *explorer;
    plan_one_fn *one;
    const void *how;
    const foray_reward *const *rewards;
    double *work; /* `room` doubles for each thread */
    int64_t room;
    foray_policy **policies;
} several_plans;

static void plan_piece(void *job, int64_t i, int thread)
{
    const several_plans *s = job;
    s->one(s->explorer, s->how, s->rewards[i], s->work + thread * s->room, s->policies[i]);
}

/* Rewards share nothing but the counts: threads take them as they come. */
static foray_status plan_each(foray_explorer *explorer, plan_one_fn *one, const void *how,
                              int64_t room, int64_t count, const foray_reward *const *rewards,
                              foray_mode mode, foray_policy **policies)
{
    foray_context *ctx = explorer->ctx;
    double *work = fy_alloc(ctx, (size_t)ctx->threads * (size_t)room, sizeof *work);
    foray_status status =
        work ? fy_policies_create(ctx, explorer->model, mode, count, policies) : FORAY_ERROR_MEMORY;
    several_plans several = {explorer, one, how, rewards, work, room, policies};
    if (status == FORAY_OK)
        fy_share(ctx, ctx->threads, count, plan_piece, &several);
    free(work);
    return status;
}

/* The three values and the certificate from V^(mu) and its error. */
static void fill_policy(const foray_explorer *explorer, double plugin, double error,
                        foray_policy *policy)
{
    double max = (double)explorer->model->horizon;
    double *value = policy->value;
    value[FORAY_PLUGIN] = plugin;
    value[FORAY_OPTIMISTIC] = fmin(max, plugin + error);
    value[FORAY_PESSIMISTIC] = fmax(0.0, plugin - error);
    policy->expected = plugin;
    policy->low = value[FORAY_PESSIMISTIC];
    policy->high = value[FORAY_OPTIMISTIC];
    double gap = fmax(0.0, value[FORAY_OPTIMISTIC] - value[FORAY_PESSIMISTIC]);
    policy->certificate = fy_counts_certificate(explorer, isfinite(error) ? gap : INFINITY);
}

/* What planning on the empirical model goes by. */
typedef struct empirical {
    const fy_counts *counts;
    double error;
} empirical;

static void plan_one(const foray_explorer *explorer, const void *how, const foray_reward *reward,
                     double *work, foray_policy *policy)
{
    const empirical *by = how;
    double value = induce(&(induction){.ctx = explorer->ctx,
                                       .counts = by->counts,
                                       .reward = reward,
                                       .policy = policy->action,
                                       .value = work});
    fill_policy(explorer, value, by->error, policy);
}

foray_status fy_counts_plan(foray_explorer *explorer, const fy_counts *counts, double error,
                            int64_t count, const foray_reward *const *rewards, foray_mode mode,
                            foray_policy **policies)
{
    empirical how = {counts, error};
    return plan_each(explorer, plan_one, &how, 2 * explorer->model->states, count, rewards, mode,
                     policies);
}

/* ----------------------------------------------------- planning with certificates */

typedef struct bonus_method {
    const fy_counts *counts;
    const fy_bonus_rule *rule, *certified;
    foray_mode choice;
} bonus_method;

static int sign_of(foray_mode mode)
{
    return mode == FORAY_OPTIMISTIC ? 1 : mode == FORAY_PLUGIN ? 0 : -1;
}

/* work: [4][states] values, [horizon+1] what is left. */
static void certify_one(const foray_explorer *explorer, const void *how, const foray_reward *reward,
                        double *work, foray_policy *policy)
{
    const bonus_method *by = how;
    int64_t states = explorer->model->states;
    double *left = work + 4 * states;
    fy_reward_left(reward, left);
    induction job = {.ctx = explorer->ctx,
                     .counts = by->counts,
                     .rule = by->rule,
                     .reward = reward,
                     .left = left,
                     .sign = sign_of(by->choice),
                     .policy = policy->action,
                     .value = work,
                     .plain = by->choice == FORAY_PESSIMISTIC ? work + 2 * states : NULL};
    induce(&job);
    job.rule = by->certified;
    job.plain = NULL;
    job.policy = NULL;
    for (int mode = 0; mode < FORAY_PESSIMISTIC; mode++) {
        job.sign = sign_of(mode);
        policy->value[mode] = induce(&job);
    }
    double own[FORAY_MODES];
    job.follow = true;
    job.policy = policy->action;
    for (int mode = 0; mode < FORAY_MODES; mode++) {
        job.sign = sign_of(mode);
        own[mode] = induce(&job);
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
    certify_weights(explorer, counts, weight);
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
    bonus_method how = {counts, rule ? rule : &certified, &certified, choice};
    int64_t room = 4 * explorer->model->states + explorer->model->horizon + 1;
    foray_status status =
        plan_each(explorer, certify_one, &how, room, count, rewards, mode, policies);
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
    double *now = work, *next = work + model->states;
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
    double mean = fy_initial_mean(model, next);
    return fy_counts_certificate(explorer, fmin((double)model->horizon, 2.0 * mean));
}
