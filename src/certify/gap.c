/* gap.c - the gap certificate: one backward pass, with a vector of all unknowns per state where
 * memory allows it, and otherwise with what is known of each state alone. */
#include "certify/gap_pass.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How often a long loop asks whether it should stop. */
enum { STATES_PER_QUESTION = 64 };

/* ---------------------------------------------------------------- memory */

static bool allocate_layer(foray_context *ctx, fy_gap_layer *l, int64_t states, int64_t unknowns,
                           bool third)
{
    size_t cells, squares;
    if (!fy_size_mul((size_t)states, (size_t)unknowns, &cells) ||
        !fy_size_mul(cells, third ? (size_t)unknowns : 0, &squares))
        return false;
    return FY_ALLOC(ctx, l->J, cells) && FY_ALLOC(ctx, l->K, squares) &&
           FY_ALLOC(ctx, l->rest, states) && FY_ALLOC(ctx, l->G, states) &&
           FY_ALLOC(ctx, l->J_sum, states) && FY_ALLOC(ctx, l->E, states) &&
           FY_ALLOC(ctx, l->D, states) && FY_ALLOC(ctx, l->A, states) &&
           FY_ALLOC(ctx, l->F, states) && FY_ALLOC(ctx, l->off, states) &&
           FY_ALLOC(ctx, l->above, states);
}

static void free_layer(fy_gap_layer *l)
{
    free(l->J);
    free(l->J_sum);
    free(l->E);
    free(l->D);
    free(l->A);
    free(l->F);
    free(l->off);
    free(l->above);
    free(l->K);
    free(l->rest);
    free(l->G);
}

bool fy_gap_fits(const fy_confidence *set, int64_t memory)
{
    /* Two layers of J, and Psi of two actions. */
    double unknowns = (double)set->basis->unknowns, d = (double)set->basis->most_dim;
    const foray_model *model = set->basis->model;
    double numbers = unknowns * (2 * (double)model->states + 2 * d + 3);
    /* Psi of every step, transition and unknown; 2e10 take about ten seconds. */
    double work = (double)model->horizon * (double)model->succ_start[model->pairs] * unknowns * d;
    return work <= 2e10 && numbers * sizeof(double) <= (double)memory * 0x1p20;
}

foray_status fy_gap_create(foray_context *ctx, const fy_confidence *set, bool joint,
                           fy_gap_pass **out)
{
    const foray_model *model = set->basis->model;
    int64_t unknowns = joint ? set->basis->unknowns : 0, d = set->basis->most_dim;
    int64_t n = set->basis->most_generators, values = (model->horizon + 1) * model->states;
    fy_gap_pass *gap;
    if (!FY_ALLOC(ctx, gap, 1))
        return FORAY_ERROR_MEMORY;
    gap->set = set;
    gap->model = model;
    gap->unknowns = unknowns;
    gap->zeta = model->feature_error;
    gap->third = joint && gap->zeta == 0 && unknowns > 0 && fy_gap_third_fits(set);
    fy_gap_third_prepare(gap);
    int64_t squares = gap->third ? unknowns * unknowns : 0;
    for (int64_t g = 0; g < set->basis->blocks; g++)
        gap->blocks += set->basis->block[g].dim > 0;
    if (!allocate_layer(ctx, &gap->now, model->states, unknowns, gap->third) ||
        !allocate_layer(ctx, &gap->after, model->states, unknowns, gap->third) ||
        !FY_ALLOC(ctx, gap->optimistic, values) || !FY_ALLOC(ctx, gap->pessimistic, values) ||
        !FY_ALLOC(ctx, gap->value, values) || !FY_ALLOC(ctx, gap->mine.J, unknowns) ||
        !FY_ALLOC(ctx, gap->mine.Psi, unknowns * d) || !FY_ALLOC(ctx, gap->other.J, unknowns) ||
        !FY_ALLOC(ctx, gap->other.Psi, unknowns * d) || !FY_ALLOC(ctx, gap->mine.K, squares) ||
        !FY_ALLOC(ctx, gap->mine.T, squares * d) || !FY_ALLOC(ctx, gap->other.K, squares) ||
        !FY_ALLOC(ctx, gap->other.T, squares * d) || !FY_ALLOC(ctx, gap->in_joint, model->states) ||
        !FY_ALLOC(ctx, gap->earliest, model->states) || !FY_ALLOC(ctx, gap->joint, 2 * n) ||
        !FY_ALLOC(ctx, gap->dp, 2 * n) || !FY_ALLOC(ctx, gap->dx, 2 * n * d) ||
        !FY_ALLOC(ctx, gap->sum, d) || !FY_ALLOC(ctx, gap->sum_mine, d) ||
        !FY_ALLOC(ctx, gap->mean, unknowns) || !FY_ALLOC(ctx, gap->mine.target, n) ||
        !FY_ALLOC(ctx, gap->other.target, n) || !FY_ALLOC(ctx, gap->ahead.target, n) ||
        !FY_ALLOC(ctx, gap->follows, n) ||
        fy_layout_create(ctx, model, true, &gap->layout) != FORAY_OK) {
        fy_gap_destroy(gap);
        return FORAY_ERROR_MEMORY;
    }
    /* The certificate is about episodes that begin in mu: a state matters at step t only if some
     * actions can lead there by then. On a map of thousands of cells and with few steps that is a
     * small part of it. */
    fy_model_earliest(model, gap->earliest, gap->in_joint);
    for (int64_t s = 0; s < model->states; s++)
        gap->in_joint[s] = -1;
    *out = gap;
    return FORAY_OK;
}

void fy_gap_destroy(fy_gap_pass *gap)
{
    if (gap == NULL)
        return;
    free_layer(&gap->now);
    free_layer(&gap->after);
    free(gap->optimistic);
    free(gap->pessimistic);
    free(gap->value);
    free(gap->mine.J);
    free(gap->mine.Psi);
    free(gap->other.J);
    free(gap->other.Psi);
    free(gap->mine.K);
    free(gap->mine.T);
    free(gap->other.K);
    free(gap->other.T);
    free(gap->earliest);
    free(gap->in_joint);
    free(gap->joint);
    free(gap->dp);
    free(gap->dx);
    free(gap->sum);
    free(gap->sum_mine);
    free(gap->mean);
    free(gap->mine.target);
    free(gap->other.target);
    free(gap->ahead.target);
    free(gap->follows);
    fy_layout_destroy(&gap->layout);
    free(gap);
}

/* -------------------------------------------------------------- one state */

/* Nobody gets here by then: nothing reads what the layer has of it. */
static void skip_state(fy_gap_pass *gap, int64_t t, int64_t s, const int32_t *action)
{
    int64_t at = t * gap->model->states + s;
    if (gap->doubt == NULL)
        return;
    gap->doubt->choice[at] = action[at];
    gap->doubt->share[at] = 0;
}

/* An episode that is over: nothing is in doubt. */
static void settle_state(fy_gap_pass *gap, int64_t t, int64_t s, const int32_t *action)
{
    int64_t at = t * gap->model->states + s;
    fy_gap_layer *now = &gap->now;
    gap->value[at] = now->above[s] = gap->layout.reward.fixed[s];
    memset(now->J + s * gap->unknowns, 0, (size_t)gap->unknowns * sizeof *now->J);
    int64_t squares = gap->third ? gap->unknowns * gap->unknowns : 0;
    memset(now->K + s * squares, 0, (size_t)squares * sizeof *now->K);
    now->J_sum[s] = now->E[s] = now->D[s] = now->A[s] = now->F[s] = now->off[s] = 0;
    now->rest[s] = now->G[s] = 0;
    if (gap->doubt == NULL)
        return;
    gap->doubt->choice[at] = action[at];
    gap->doubt->share[at] = 0;
}

/* How far a policy's value can be from its estimate at most: all that is still to come, and this
 * step's reward where it depends on what follows. */
static double most_error(const fy_gap_pass *gap, int64_t t)
{
    const fy_plan_reward *reward = &gap->layout.reward;
    int64_t H = gap->model->horizon, from = reward->next || reward->fixed ? t : t + 1;
    if (reward->limit)
        return from < H ? reward->limit[from] : 0;
    return (double)(H - from);
}

/* sup_theta V^pi_theta(s) <= r + sup P_theta V_bar^pi, and never more than is left to earn. */
static double most_value(fy_gap_pass *gap, int64_t t, int64_t pair)
{
    const double *limit = gap->layout.reward.limit;
    return fmin(limit ? limit[t] : (double)(gap->model->horizon - t),
                fy_gap_look_ahead(gap, t, gap->after.above, pair, 1));
}

/* Q_bar(s,a) - V_low(s): what another action can gain, whatever the laws of the two. */
static double value_difference(fy_gap_pass *gap, int64_t t, int64_t s, int64_t a)
{
    const foray_model *model = gap->model;
    return fy_gap_look_ahead(gap, t, gap->optimistic + (t + 1) * model->states,
                             s * model->actions + a, 1) -
           gap->pessimistic[t * model->states + s];
}

/* V_bar - V_low of a state, and what rounding may have taken from it: `widest` where there are
 * several actions, and what the only one has where there are not. */
static double highest_gap(const fy_gap_pass *gap, int64_t t, int64_t s, double widest)
{
    int64_t at = t * gap->model->states + s;
    double apart = gap->optimistic[at] - gap->pessimistic[at];
    if (widest == 0)
        widest = fy_gap_rounding(gap, &gap->mine, &gap->mine, (double)(gap->model->horizon - t));
    return fmax(0, apart + 2 * widest) + (apart > 0 ? FY_GAP_UNDERFLOW : 0);
}

static void certify_state(fy_gap_pass *gap, int64_t t, int64_t s, const int32_t *action)
{
    const foray_model *model = gap->model;
    const double *V = gap->value + (t + 1) * model->states;
    fy_gap_layer *now = &gap->now;
    fy_gap_choice *mine = &gap->mine, *other = &gap->other;
    double left = (double)(model->horizon - t);

    /* pi(s): V, J, E. */
    fy_gap_look_at(gap, t, V, s * model->actions + action[t * model->states + s], mine);
    if (gap->unknowns > 0) {
        fy_gap_work_out(gap, mine);
        mine->J_most = fy_gap_norm(gap, mine->J, 1);
        mine->Psi_most = fy_gap_norm(gap, mine->Psi, mine->d);
        memcpy(now->J + s * gap->unknowns, mine->J, (size_t)gap->unknowns * sizeof *mine->J);
    }
    gap->value[t * model->states + s] = mine->Q;
    now->above[s] = most_value(gap, t, mine->pair);
    /* E bounds what J leaves out; without J that is all of V^pi_theta - Vhat. */
    double left_out = gap->unknowns > 0 ? mine->Psi_most : mine->first;
    double in_J = gap->unknowns > 0 ? mine->J_most : 0;
    now->J_sum[s] = in_J;
    now->A[s] = mine->A;
    now->F[s] = mine->F;
    now->off[s] = mine->off;
    double max = gap->set->laws ? most_error(gap, t) + in_J : INFINITY;
    now->E[s] = fmin(left_out + mine->error + fy_gap_upper_mean(gap, mine, gap->after.E), max);
    if (gap->third) {
        fy_gap_third_work_out(gap, mine);
        now->E[s] = fmin(now->E[s], fy_gap_third_state(gap, s, left));
    }

    /* D: the best of going on as pi does and of every other action. */
    double D = fy_gap_upper_mean(gap, mine, gap->after.D), widest = 0;
    int64_t best = action[t * model->states + s];
    if (gap->doubt != NULL)
        fy_gap_explain_following(gap);
    for (int64_t a = 0; a < model->actions; a++) {
        if (a == action[t * model->states + s] || !fy_available(model, s * model->actions + a))
            continue;
        fy_gap_look_at(gap, t, V, s * model->actions + a, other);
        double error = fy_gap_rounding(gap, mine, other, left);
        widest = fmax(widest, error);
        if (gap->zeta == 0 && fy_gap_same_action(mine, other))
            continue;
        double candidate = fy_gap_advantage(gap, error, left, D);
        if (candidate > D)
            candidate = fmin(candidate, value_difference(gap, t, s, a) + 2 * error);
        if (candidate > D) {
            D = candidate;
            best = a;
            if (gap->doubt != NULL && gap->doubt->weighed)
                fy_gap_explain_choice(gap);
        }
    }
    now->D[s] = fmin(D, highest_gap(gap, t, s, widest));
    if (gap->doubt != NULL)
        fy_gap_note_doubt(gap, t, s, best);
}

/* ---------------------------------------------------------------- the pass */

/* V_bar of the best policy and V_low of this one, at every step. */
static void bound_values(fy_gap_pass *gap, const int32_t *action, double *high, double *low)
{
    const foray_model *model = gap->model;
    fy_plan_task task = {.kernel = gap->set->kernel,
                         .reward = gap->layout.reward,
                         .lanes = 1,
                         .sign = +1,
                         .clip = FORAY_CLIP_REMAINING,
                         .ties = FORAY_TIES_LOWEST,
                         .layers = model->horizon + 1,
                         .value = gap->optimistic};
    fy_plan(&task, high);
    task.sign = -1;
    task.follow = action;
    task.value = gap->pessimistic;
    fy_plan(&task, low);
}

/* V_bar_t and V_low_t from those of the step after, where the likelihood of laws by itself bounds
 * means more sharply than the ellipsoid. */
static void sharpen_values(fy_gap_pass *gap, int64_t t, const int32_t *action)
{
    const foray_model *model = gap->model;
    int64_t S = model->states, A = model->actions;
    const double *fixed = gap->layout.reward.fixed;
    for (int64_t s = 0; s < S; s++) {
        double best = -INFINITY, *high = gap->optimistic + t * S, *low = gap->pessimistic + t * S;
        if (gap->earliest[s] > t || (fixed && !isnan(fixed[s])))
            continue;
        for (int64_t a = 0; a < A; a++)
            if (fy_available(model, s * A + a))
                best = fmax(best, fy_gap_look_ahead(gap, t, high + S, s * A + a, 1));
        high[s] = fmin(high[s], best);
        low[s] = fmax(low[s], fy_gap_look_ahead(gap, t, low + S, s * A + action[t * S + s], -1));
    }
}

/* E_mu of a function of the first state. */
static double at_first(const foray_model *model, const double *value)
{
    double mean = 0;
    for (int64_t i = 0; i < model->initials; i++)
        mean += model->initial_probability[i] * value[model->initial_state[i]];
    return mean;
}

static void clear_layer(const fy_gap_pass *gap, fy_gap_layer *l)
{
    size_t states = (size_t)gap->model->states;
    memset(l->J, 0, states * (size_t)gap->unknowns * sizeof *l->J);
    memset(l->K, 0,
           states * (size_t)(gap->third ? gap->unknowns * gap->unknowns : 0) * sizeof *l->K);
    memset(l->rest, 0, states * sizeof *l->rest);
    memset(l->G, 0, states * sizeof *l->G);
    memset(l->J_sum, 0, states * sizeof *l->J_sum);
    memset(l->E, 0, states * sizeof *l->E);
    memset(l->D, 0, states * sizeof *l->D);
    memset(l->A, 0, states * sizeof *l->A);
    memset(l->F, 0, states * sizeof *l->F);
    memset(l->off, 0, states * sizeof *l->off);
}

/* Means over the initial states; the policy's value lies within ||J(mu)||_B + E(mu) of Vhat(mu). */
static void sum_up(fy_gap_pass *gap, fy_gap_result *out)
{
    const foray_model *model = gap->model;
    double E = 0;
    memset(gap->mean, 0, (size_t)gap->unknowns * sizeof *gap->mean);
    for (int64_t i = 0; i < model->initials; i++) {
        int32_t s = model->initial_state[i];
        double mu = model->initial_probability[i];
        out->gap += mu * gap->after.D[s];
        out->value += mu * gap->value[s];
        E += mu * gap->after.E[s];
        for (int64_t k = 0; k < gap->unknowns; k++)
            gap->mean[k] += mu * gap->after.J[s * gap->unknowns + k];
    }
    double width = fy_gap_norm(gap, gap->mean, 1) + E + FY_GAP_UNDERFLOW;
    out->low = fmax(out->low, out->value - width);
    const double *limit = gap->layout.reward.limit;
    out->high = fmin(limit ? limit[0] : (double)model->horizon, out->value + width);
    out->high = fmin(out->high, fmax(out->value, at_first(model, gap->after.above)));
    out->low = fmin(out->low, out->high); /* where nothing is unknown, rounding may exchange them */
}

fy_gap_result fy_gap_certify(fy_gap_pass *gap, const foray_reward *reward, const int32_t *action)
{
    const foray_model *model = gap->model;
    fy_gap_result out = {0};
    double high;
    fy_layout_set(&gap->layout, reward);
    gap->reward = reward;
    gap->rounded = fy_reward_unit_of(reward).own ? 3 : 0;
    const double *ending = gap->layout.reward.ending, *fixed = gap->layout.reward.fixed;
    bound_values(gap, action, &high, &out.low);
    clear_layer(gap, &gap->after);
    for (int64_t s = 0; s < model->states; s++)
        gap->value[model->horizon * model->states + s] = gap->after.above[s] =
            ending ? ending[s] : 0;
    foray_context *ctx = gap->set->kernel->ctx;
    for (int64_t t = model->horizon - 1; t >= 0 && !fy_stopped(ctx); t--) {
        if (gap->set->direct)
            sharpen_values(gap, t, action);
        for (int64_t s = 0; s < model->states; s++)
            if (s % STATES_PER_QUESTION == 0 && fy_stopped(ctx))
                break;
            else if (gap->earliest[s] > t)
                skip_state(gap, t, s, action);
            else if (fixed && !isnan(fixed[s]))
                settle_state(gap, t, s, action);
            else
                certify_state(gap, t, s, action);
        fy_gap_layer swap = gap->now;
        gap->now = gap->after;
        gap->after = swap;
    }
    if (gap->set->direct) {
        high = at_first(model, gap->optimistic);
        out.low = at_first(model, gap->pessimistic);
    }
    out.values = high - out.low;
    sum_up(gap, &out);
    return out;
}
