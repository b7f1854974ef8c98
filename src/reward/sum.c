/* sum.c - weighted sums of rewards.
 *
 *   r_h(s,a,s') = sum_i w_i r_i,h(s,a,s')        lo = sum_i min(w_i lo_i, w_i hi_i), hi likewise
 *
 * A discount that all terms have is that of the sum. Where they differ, plans depend on the step
 * anyway, so g_i^t r_i,h without a discount is exact; its values lie between those of t = 0 and of
 * the last step. */
#include "base/base.h"
#include "reward/reward.h"

#include <math.h>
#include <string.h>

typedef struct summing {
    int64_t count;
    const foray_reward *const *term;
    const double *weight;
    bool discounts; /* each term has its own */
    foray_reward *sum;
} summing;

/* w_i g_i^t */
static double weight_of(const summing *of, int64_t i, int64_t t)
{
    double weight = of->weight[i];
    for (int64_t k = 0; of->discounts && k < t; k++)
        weight *= of->term[i]->discount;
    return weight;
}

/* What the terms' values at a transition of step t are together; -1: those of the pair. */
static double add_up(const summing *of, const double *weight, int64_t t, int64_t pair,
                     int64_t transition)
{
    double value = 0;
    for (int64_t i = 0; i < of->count; i++) {
        const fy_reward_part *part = &of->term[i]->table[of->term[i]->table_of_step[t]];
        double next = transition >= 0 && part->next ? part->next[transition] : 0;
        value += weight[i] * (part->pair[pair] + next);
    }
    return value;
}

static bool looks_ahead_at(const summing *of, int64_t t)
{
    for (int64_t i = 0; i < of->count; i++)
        if (of->term[i]->table[of->term[i]->table_of_step[t]].next)
            return true;
    return false;
}

/* Values that are the same for all successors belong to the pair. */
static void fill_pair(const summing *of, const double *weight, int64_t t, int64_t pair,
                      fy_reward_part *part)
{
    const int64_t *start = of->sum->model->succ_start;
    double first = add_up(of, weight, t, pair, part->next ? start[pair] : -1);
    bool ahead = false;
    for (int64_t j = start[pair]; part->next && j < start[pair + 1]; j++) {
        part->next[j] = add_up(of, weight, t, pair, j);
        ahead |= part->next[j] != first;
    }
    part->pair[pair] = ahead ? 0 : first;
    part->ahead += ahead;
    for (int64_t j = start[pair]; part->next && !ahead && j < start[pair + 1]; j++)
        part->next[j] = 0;
}

static foray_status fill_step(foray_context *ctx, const summing *of, double *weight, int64_t t)
{
    foray_reward *sum = of->sum;
    fy_reward_part *part = &sum->table[sum->tables];
    *part = (fy_reward_part){0};
    if (!FY_NEW(&sum->arena, part->pair, sum->states * sum->actions) ||
        (looks_ahead_at(of, t) && !FY_NEW(&sum->arena, part->next, sum->transitions)))
        return FORAY_ERROR_MEMORY;
    part->next_room = part->next;
    for (int64_t i = 0; i < of->count; i++)
        weight[i] = weight_of(of, i, t);
    for (int64_t pair = 0; pair < sum->states * sum->actions; pair++)
        fill_pair(of, weight, t, pair, part);
    if (part->ahead == 0)
        part->next = NULL;
    return fy_was_stopped(ctx) ? FORAY_INTERRUPTED : FORAY_OK;
}

/* An earlier step in which all terms have the same tables and weights, or -1. */
static int64_t same_step(const summing *of, int64_t t)
{
    for (int64_t u = 0; u < t && !of->discounts; u++) {
        bool same = true;
        for (int64_t i = 0; i < of->count && same; i++)
            same = of->term[i]->table_of_step[u] == of->term[i]->table_of_step[t];
        if (same)
            return u;
    }
    return -1;
}

static foray_status fill_steps(foray_context *ctx, const summing *of)
{
    foray_reward *sum = of->sum;
    double *weight;
    foray_status status = FORAY_OK;
    if (!FY_NEW(&sum->arena, weight, of->count))
        return FORAY_ERROR_MEMORY;
    sum->tables = 0; /* the one of nothing but the default goes */
    for (int64_t t = 0; t < sum->horizon && status == FORAY_OK; t++) {
        int64_t like = same_step(of, t);
        int32_t table = like < 0 ? (int32_t)sum->tables : sum->table_of_step[like];
        if (like < 0) {
            status = fill_step(ctx, of, weight, t);
            sum->steps_of[sum->tables++] = 0;
        }
        sum->table_of_step[t] = table;
        sum->steps_of[table]++;
    }
    return status;
}

/* Between what the terms could be worth at most and least, in the first step and in the last. */
static void find_range(const summing *of, double *low, double *high)
{
    *low = *high = 0;
    for (int64_t i = 0; i < of->count; i++) {
        const foray_reward *term = of->term[i];
        double lo = INFINITY, hi = -INFINITY;
        for (int64_t t = 0; t<term->horizon; t += term->horizon> 1 ? term->horizon - 1 : 1) {
            double weight = weight_of(of, i, t);
            lo = fmin(lo, fmin(weight * term->low, weight * term->high));
            hi = fmax(hi, fmax(weight * term->low, weight * term->high));
        }
        *low += lo;
        *high += hi;
    }
    if (!(*high > *low)) /* a range is wider than 0 */
        *high = *low + fmax(1, fabs(*low));
}

static foray_status check_terms(foray_context *ctx, int64_t count, const foray_reward *const *terms,
                                const double *weight)
{
    for (int64_t i = 0; i < count; i++) {
        if (!(fabs(weight[i]) <= 1e100))
            return fy_fail(ctx, FORAY_ERROR_INPUT, "weight %g is too large", weight[i]);
        if (terms[i]->fixed || terms[i]->task)
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "reward \"%s\" is %s, and no sum has such a term", terms[i]->name,
                           terms[i]->task ? "a task" : "about reaching or avoiding states");
        if (terms[i]->model->unstructured && fy_reward_looks_ahead(terms[i]))
            return fy_fail(
                ctx, FORAY_ERROR_INPUT,
                "reward \"%s\" depends on what follows, and no sum in an unstructured model has "
                "such a term",
                terms[i]->name);
    }
    return FORAY_OK;
}

foray_status fy_reward_sum(foray_context *ctx, const char *name, int64_t count,
                           const foray_reward *const *terms, const double *weight,
                           foray_reward **out)
{
    summing of = {.count = count, .term = terms, .weight = weight};
    double low, high;
    foray_status status = check_terms(ctx, count, terms, weight);
    for (int64_t i = 1; i < count && status == FORAY_OK; i++) {
        of.discounts |= terms[i]->discount != terms[0]->discount;
        status = fy_reward_check(ctx, terms[i], terms[0]->model);
    }
    if (status == FORAY_OK)
        status = foray_reward_create(ctx, terms[0]->model, name, 0, 1, 0, &of.sum);
    if (status != FORAY_OK)
        return status;
    find_range(&of, &low, &high);
    of.sum->discount = of.discounts ? 1 : terms[0]->discount;
    status = fill_steps(ctx, &of);
    if (status == FORAY_OK)
        status = fy_reward_set_range(ctx, of.sum, low, high);
    if (status == FORAY_OK)
        *out = of.sum;
    else
        foray_reward_destroy(of.sum);
    return status;
}
