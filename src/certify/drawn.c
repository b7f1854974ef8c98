/* drawn.c - see drawn.h. */
#include "certify/drawn.h"

#include <math.h>
#include <string.h>

struct fy_drawn_pass {
    fy_gap_pass *gap;
    fy_gap_mean mine, other; /* pi(.|s), and one action */
};

foray_status fy_drawn_create(fy_arena *arena, fy_gap_pass *gap, fy_drawn_pass **out)
{
    fy_drawn_pass *drawn;
    if (!FY_NEW(arena, drawn, 1) || !fy_gap_mean_allocate(arena, gap, &drawn->mine) ||
        !fy_gap_mean_allocate(arena, gap, &drawn->other))
        return FORAY_ERROR_MEMORY;
    drawn->gap = gap;
    *out = drawn;
    return FORAY_OK;
}

/* ------------------------------------------------------------------ one state */

/* sum_a pi [r + inf P V_low], the same with sup, and never more or less than can be. */
static double mean_bound(const fy_drawn_pass *drawn, int64_t t, const double *V, double sign)
{
    fy_gap_pass *gap = drawn->gap;
    double total = 0, left = fy_gap_max_left(gap, t);
    for (int64_t k = 0; k < drawn->mine.support; k++)
        total += drawn->mine.weight[k] * fy_gap_bound_ahead(gap, t, V, drawn->mine.pair[k], sign);
    double off = drawn->mine.support > 1 ? 4 * FY_UNIT * (double)gap->model->actions * left : 0;
    return sign > 0 ? fmin(left, total + off) : fmax(0, total - off);
}

/* What follows reads of a state: J, E and the sizes of what they were summed from. */
static void keep_state(fy_drawn_pass *drawn, int64_t t, int64_t s)
{
    fy_gap_pass *gap = drawn->gap;
    fy_gap_layer *now = &gap->now;
    const fy_gap_mean *mine = &drawn->mine;
    int64_t U = gap->unknowns;
    memcpy(now->J + s * U, mine->J, (size_t)U * sizeof *now->J);
    fy_gap_at(gap, gap->value, t)[s] = mine->V;
    now->J_sum[s] = fy_gap_block_norm(gap, mine->J, 1);
    now->A[s] = mine->A;
    now->F[s] = mine->F;
    now->off[s] = mine->off;
    double max = gap->set->laws ? fy_gap_max_error(gap, t) + now->J_sum[s] : INFINITY;
    now->E[s] = fmin(fy_gap_mean_E(gap, mine), max);
    now->above[s] = mean_bound(drawn, t, gap->after.above, 1);
    fy_gap_at(gap, gap->pessimistic, t)[s] =
        mean_bound(drawn, t, fy_gap_at(gap, gap->pessimistic, t + 1), -1);
}

/* Is all that pi(.|s) mixes the same as this action? */
static bool mixes_only(fy_drawn_pass *drawn, int64_t t, const double *V, int64_t pair)
{
    fy_gap_pass *gap = drawn->gap;
    for (int64_t k = 0; k < drawn->mine.support; k++) {
        if (drawn->mine.pair[k] == pair)
            continue;
        fy_gap_sum_up(gap, t, V, drawn->mine.pair[k], &gap->mine);
        fy_gap_sum_up(gap, t, V, pair, &gap->other);
        if (gap->zeta > 0 || !fy_gap_same(&gap->mine, &gap->other))
            return false;
    }
    return true;
}

/* U; drawn->other is the action. */
static double advantage(fy_drawn_pass *drawn, double error)
{
    fy_gap_pass *gap = drawn->gap;
    const fy_gap_mean *mine = &drawn->mine, *other = &drawn->other;
    for (int64_t i = 0; i < gap->unknowns; i++)
        gap->mean[i] = other->J[i] - mine->J[i];
    return other->V - mine->V + error + fy_gap_block_norm(gap, gap->mean, 1) +
           fy_gap_mean_apart(gap, other, mine) + fy_gap_mean_spill(gap, other, mine, gap->after.E) +
           mine->error + other->error + 2 * gap->zeta * (mine->E_max + other->E_max);
}

static void certify_state(fy_drawn_pass *drawn, int64_t t, int64_t s, const fy_choices *choices)
{
    fy_gap_pass *gap = drawn->gap;
    const foray_model *model = gap->model;
    const double *V = fy_gap_at(gap, gap->value, t + 1);
    double left = (double)(model->horizon - t), D = 0, widest = 0;
    fy_gap_mean_of(gap, t, V, s, choices, &drawn->mine);
    keep_state(drawn, t, s);
    for (int64_t a = 0; a < model->actions; a++) {
        int64_t pair = s * model->actions + a;
        if (!fy_available(model, pair))
            continue;
        fy_gap_mean_of_action(gap, t, V, pair, &drawn->other);
        double error = fy_gap_mean_rounding(gap, &drawn->mine, &drawn->other, left);
        double follows = fy_gap_mean_upper(gap, &drawn->other, gap->after.D);
        widest = fmax(widest, error);
        double candidate = follows;
        if (!mixes_only(drawn, t, V, pair)) {
            candidate = advantage(drawn, error) + follows;
            candidate = fmin(candidate, fy_gap_value_difference(gap, t, s, a) + 2 * error);
        }
        D = fmax(D, candidate);
    }
    gap->now.D[s] = fmin(D, fy_gap_highest(gap, t, s, widest));
}

/* ------------------------------------------------------------------- the pass */

static void pass_state(fy_drawn_pass *drawn, int64_t t, int64_t s, const fy_choices *choices)
{
    fy_gap_pass *gap = drawn->gap;
    const double *fixed = gap->layout.reward.fixed;
    if (gap->earliest[s] > t)
        return;
    if (fixed && !isnan(fixed[s])) {
        fy_gap_end_state(gap, t, s);
        fy_gap_at(gap, gap->pessimistic, t)[s] = fixed[s];
        return;
    }
    if (gap->set->direct)
        fy_gap_sharpen_best(gap, t, s);
    certify_state(drawn, t, s, choices);
}

fy_gap_result fy_drawn_certify(fy_drawn_pass *drawn, const foray_reward *reward,
                               const fy_choices *choices)
{
    fy_gap_pass *gap = drawn->gap;
    const foray_model *model = gap->model;
    int64_t S = model->states, H = model->horizon;
    foray_context *ctx = gap->set->kernel->ctx;
    fy_gap_result out = {0};
    fy_gap_begin(gap, reward);
    const fy_plan_task best = fy_gap_begin_best(gap);
    memcpy(fy_gap_at(gap, gap->pessimistic, H), fy_gap_at(gap, gap->value, H),
           (size_t)S * sizeof *gap->value);
    for (int64_t t = H - 1; t >= 0 && !fy_stopped(ctx); t--) {
        fy_gap_step_best(gap, &best, t);
        for (int64_t s = 0; s < S && !(s % FY_STATES_PER_QUESTION == 0 && fy_stopped(ctx)); s++)
            pass_state(drawn, t, s, choices);
        fy_gap_next_step(gap);
    }
    out.low = fy_initial_mean(model, gap->pessimistic);
    out.values = fy_initial_mean(model, gap->optimistic) - out.low;
    fy_gap_sum_initial(gap, &out);
    return out;
}
