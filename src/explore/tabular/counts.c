/* counts.c - counting, and planning on the empirical model. */
#include "explore/tabular/counts.h"
#include "base/threads.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"
#include "policy/policy.h"
#include "reward/reward.h"

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
        fy_say(arena->ctx, "counts of %" PRId64 " steps for %" PRId64 " pairs are too many",
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

/* ------------------------------------------------------------------ planning */

/* Q_h(s,a) = r_h(s,a) + sum_j p^_h(j|s,a) V_{h+1}(s_j);  V_h(s) = max_a Q_h(s,a). */
static void plan_state(const fy_counts *counts, const foray_reward *reward, int64_t t, int64_t s,
                       const double *next, double *value, int32_t *action)
{
    const double *r = fy_reward_table(reward, t);
    int64_t actions = counts->model->actions, first = fy_first_action(counts->model, s);
    for (int64_t a = first; a < actions; a++) {
        int64_t pair = s * actions + a;
        if (!fy_available(counts->model, pair))
            continue;
        double q = r[pair] + fy_counts_expect(counts, t, pair, next);
        if (a == first || q > *value) {
            *value = q;
            *action = (int32_t)a;
        }
    }
}

/* The recursion from the last step to the first; value: [2][states]. Gives V^(mu). */
static double plan_reward(foray_context *ctx, const fy_counts *counts, const foray_reward *reward,
                          double *value, int32_t *action)
{
    const foray_model *model = counts->model;
    int64_t states = model->states;
    double *now = value, *next = value + states, mean;
    memset(next, 0, (size_t)states * sizeof *next);
    for (int64_t t = model->horizon - 1; t >= 0; t--) {
        for (int64_t s = 0; s < states && !fy_stopped_at(ctx, s); s++)
            plan_state(counts, reward, t, s, next, now + s, action + t * states + s);
        double *swap = now;
        now = next;
        next = swap;
    }
    fy_plan_mean(model, next, 1, &mean);
    return mean;
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
    fy_certificate_judge(&certificate, (double)explorer->model->horizon);
    return certificate;
}

/* The three values and the certificate from V^(mu) and its error. */
static void judge(const foray_explorer *explorer, double plugin, double error, foray_policy *policy)
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
    double value = plan_reward(explorer->ctx, by->counts, reward, work, policy->action);
    judge(explorer, value, by->error, policy);
}

foray_status fy_counts_plan(foray_explorer *explorer, const fy_counts *counts, double error,
                            int64_t count, const foray_reward *const *rewards, foray_mode mode,
                            foray_policy **policies)
{
    empirical how = {counts, error};
    return fy_counts_plan_each(explorer, plan_one, &how, 2 * explorer->model->states, count,
                               rewards, mode, policies);
}

/* Rewards share nothing but the counts: threads take them as they come. */
foray_status fy_counts_plan_each(foray_explorer *explorer, fy_plan_one *one, const void *how,
                                 int64_t room, int64_t count, const foray_reward *const *rewards,
                                 foray_mode mode, foray_policy **policies)
{
    foray_context *ctx = explorer->ctx;
    double *work = fy_alloc(ctx, (size_t)ctx->threads * (size_t)room, sizeof *work);
    foray_status status =
        work ? fy_policies_create(ctx, explorer->model, mode, count, policies) : FORAY_ERROR_MEMORY;
#pragma omp parallel for num_threads(ctx->threads) schedule(dynamic) if (count > 1)
    for (int64_t i = 0; i < (status == FORAY_OK ? count : 0); i++)
        one(explorer, how, rewards[i], work + fy_thread() * room, policies[i]);
    free(work);
    return status;
}
