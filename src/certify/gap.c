/* gap.c - the gap certificate (gap.h): one backward pass, with a vector of all unknowns per state
 * where memory allows it, and otherwise with what is known of each state alone.
 *
 * The sections: two actions apart (U); the third order; where a certificate comes from; one state;
 * the pass. One action is in gap_action.c. */
#include "certify/gap_paid.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------- two actions apart */

double fy_gap_spill(fy_gap_pass *gap, const fy_gap_action *a, const fy_gap_action *b,
                    const double *f)
{
    int64_t count = 0, d = a->d;
    bool same_block = a->block == b->block;
    const fy_gap_action *both[2] = {a, b};
    for (int side = 0; side < 2; side++) {
        const fy_gap_action *c = both[side];
        double sign = side == 0 ? 1 : -1;
        for (int64_t j = 0; j < c->n; j++) {
            int32_t *at = &gap->in_joint[c->next[j]];
            if (*at < 0) {
                *at = (int32_t)count;
                gap->joint[count] = c->next[j];
                gap->dp[count] = 0;
                memset(gap->dx + count * d, 0, (size_t)d * sizeof *gap->dx);
                count++;
            }
            gap->dp[*at] += sign * c->p[j];
            for (int64_t i = 0; i < d && same_block; i++)
                gap->dx[*at * d + i] += sign * c->x[j * d + i];
        }
    }
    double total = 0;
    for (int64_t q = 0; q < count; q++) {
        double square = 0;
        for (int64_t i = 0; i < d && same_block; i++)
            square += gap->dx[q * d + i] * gap->dx[q * d + i];
        total += (fabs(gap->dp[q]) + sqrt(square)) * f[gap->joint[q]];
        gap->in_joint[gap->joint[q]] = -1;
    }
    for (int side = 0; side < 2 && !same_block; side++)
        for (int64_t j = 0; j < both[side]->n; j++)
            total += both[side]->norm[j] * f[both[side]->next[j]];
    return total;
}

/* Without J: ||sum_j x_j T_j - sum_i x_i T_i||, added up where the blocks differ. */
static double first_difference(fy_gap_pass *gap)
{
    const fy_gap_action *mine = &gap->mine, *other = &gap->other;
    double square = 0;
    if (mine->block != other->block)
        return mine->first + other->first;
    fy_gap_target_norm(other, gap->sum);
    fy_gap_target_norm(mine, gap->sum_mine);
    for (int64_t i = 0; i < mine->d; i++)
        square += (gap->sum[i] - gap->sum_mine[i]) * (gap->sum[i] - gap->sum_mine[i]);
    return sqrt(square);
}

/* ||dPsi||_* + sum_s' (|dp(s')| + ||dx(s')||) E(s'); Psi of `other` becomes the difference. */
static double second_difference(fy_gap_pass *gap)
{
    fy_gap_action *mine = &gap->mine, *other = &gap->other;
    double spill = fy_gap_spill(gap, other, mine, gap->after.E);
    if (other->block != mine->block)
        return spill + fy_gap_block_norm(gap, other->Psi, other->d) + mine->Psi_max;
    for (int64_t i = 0; i < gap->unknowns * other->d; i++)
        other->Psi[i] -= mine->Psi[i];
    return spill + fy_gap_block_norm(gap, other->Psi, other->d);
}

/* The third order, where unknowns are few: what the second bounds by norms step by step, E and
 * dPsi, is here kept as a matrix K for each state, so that it cancels between two actions as J
 * does. */

/* ------------------------------------------------------------------------- norms */

/* sup y'Ky <= sum over pairs of blocks of ||K_gh||, and the same for `rows` such matrices that are
 * multiplied by y once more. */
static double pair_norm(const fy_gap_pass *gap, const double *K, int64_t rows)
{
    int64_t U = gap->unknowns;
    double total = 0;
    if (gap->parts == U && rows <= 1) { /* every block has one unknown */
        for (int64_t i = 0; i < rows * U * U; i++)
            total += fabs(K[i]);
        return total;
    }
    for (int64_t g = 0; g < gap->parts; g++)
        for (int64_t h = 0; h < gap->parts; h++) {
            double square = 0;
            for (int64_t r = 0; r < rows; r++)
                for (int64_t i = gap->part[g]; i < gap->part[g + 1]; i++)
                    for (int64_t j = gap->part[h]; j < gap->part[h + 1]; j++)
                        square += K[(r * U + i) * U + j] * K[(r * U + i) * U + j];
            total += sqrt(square);
        }
    return total;
}

/* How far rounding can move the sums of one action: as in rounding, for products of three
 * x instead of one or two. */
static double third_rounding(const fy_gap_pass *gap, const fy_gap_action *c, double left)
{
    double n = (double)c->n, d = (double)c->d, max = 0;
    for (int64_t j = 0; j < c->n; j++)
        max = fmax(max, gap->after.rest[c->next[j]]);
    double sizes = sqrt(gap->blocks) * c->A + c->F + c->G + max;
    return FY_UNIT * (12 * (d + 1) * gap->set->kappa_factor + 12 * (n + 4) * left) * sizes;
}

/* -------------------------------------------------------------------- one action */

/* K = Psi + sum_j p_j K_j, made symmetric, and T_r = sum_j x_jr (K_j - K_0), which is sum x_jr K_j.
 */
static void find_K(const fy_gap_pass *gap, fy_gap_action *c)
{
    int64_t U = gap->unknowns, at = gap->set->ridge->at_vector[c->block];
    const fy_gap_layer *after = &gap->after;
    const double *K0 = after->K + c->next[0] * U * U;
    memset(c->K, 0, (size_t)(U * U) * sizeof *c->K);
    memset(c->T, 0, (size_t)(c->d * U * U) * sizeof *c->T);
    c->G = 0;
    for (int64_t j = 0; j < c->n; j++) {
        int32_t next = c->next[j];
        const double *K = after->K + next * U * U;
        for (int64_t i = 0; i < U * U; i++)
            c->K[i] += c->p[j] * K[i];
        for (int64_t r = 0; r < c->d && j > 0; r++)
            for (int64_t i = 0; i < U * U; i++)
                c->T[r * U * U + i] += c->x[j * c->d + r] * (K[i] - K0[i]);
        c->G += c->norm[j] * (after->F[next] + after->rest[next]) + fabs(c->p[j]) * after->G[next];
    }
    for (int64_t r = 0; r < c->d; r++)
        for (int64_t i = 0; i < U; i++) {
            double half = c->Psi[r * U + i] / 2;
            c->K[(at + r) * U + i] += half;
            c->K[i * U + at + r] += half;
        }
}

/* rest = ||T|| + sup P_theta rest;  |V^pi_theta - Vhat - <y, J>| <= ||K|| + rest. */
static double third_error(fy_gap_pass *gap, int64_t s, double left)
{
    const fy_gap_action *mine = &gap->mine;
    fy_gap_layer *now = &gap->now;
    int64_t size = gap->unknowns * gap->unknowns;
    memcpy(now->K + s * size, mine->K, (size_t)size * sizeof *now->K);
    now->G[s] = mine->G;
    now->rest[s] = pair_norm(gap, mine->T, mine->d) + fy_gap_upper_mean(gap, mine, gap->after.rest);
    return pair_norm(gap, mine->K, 1) + now->rest[s] + third_rounding(gap, mine, left);
}

/* ----------------------------------------------------------------- two actions apart */

/* ||dK|| + ||dT|| + sum_s' (|dp(s')| + ||dx(s')||) rest(s'); K and T of `other` become
 * differences. */
static double third_difference(fy_gap_pass *gap, double left)
{
    fy_gap_action *mine = &gap->mine, *other = &gap->other;
    int64_t size = gap->unknowns * gap->unknowns;
    double total = third_rounding(gap, mine, left) + third_rounding(gap, other, left) +
                   fy_gap_spill(gap, other, mine, gap->after.rest);
    for (int64_t i = 0; i < size; i++)
        other->K[i] -= mine->K[i];
    total += pair_norm(gap, other->K, 1);
    if (other->block != mine->block)
        return total + pair_norm(gap, other->T, other->d) + pair_norm(gap, mine->T, mine->d);
    for (int64_t i = 0; i < size * other->d; i++)
        other->T[i] -= mine->T[i];
    return total + pair_norm(gap, other->T, other->d);
}
/* U_h(s,a) + sup P D_{h+1}(s,a), or anything that is at most `enough` where that is clear
 * without vectors. */
static double advantage(fy_gap_pass *gap, int64_t t, double error, double left, double enough)
{
    fy_gap_action *mine = &gap->mine, *other = &gap->other;
    double base = other->Q - mine->Q + error + fy_gap_upper_mean(gap, other, gap->after.D);
    base += other->error + mine->error + 2 * gap->zeta * (other->E_max + mine->E_max);
    double paid = gap->paid ? fy_paid_apart(gap, t, left) : 0;
    double easy = base + other->J_max + mine->J_max + other->Psi_max + mine->Psi_max +
                  other->spill + mine->spill + paid;
    if (easy <= enough)
        return easy;
    base += gap->paid ? fmin(paid, fy_paid_apart_by_columns(gap)) : 0;
    if (gap->unknowns == 0)
        return base + fy_gap_spill(gap, other, mine, gap->after.E) + first_difference(gap);
    fy_gap_find_J(gap, other);
    if (gap->third)
        find_K(gap, other);
    for (int64_t i = 0; i < gap->unknowns; i++)
        other->J[i] -= mine->J[i];
    double first = base + fy_gap_block_norm(gap, other->J, 1), second = second_difference(gap);
    if (!gap->third || first + second <= enough)
        return first + second;
    return first + fmin(second, third_difference(gap, left));
}
/* ------------------------------------------------------------ during the pass */

/* The norm of each block of v, for the explanation of one choice. */
static void note_parts(const fy_gap_pass *gap, const double *v, double *part)
{
    const int64_t *at = gap->set->ridge->at_vector;
    for (int64_t g = 0; g < gap->set->basis->blocks; g++) {
        double square = 0;
        for (int64_t i = at[g]; i < at[g + 1]; i++)
            square += v[i] * v[i];
        part[g] = sqrt(square);
    }
}

/* Where another action attains D: the laws in dJ, which `advantage` left in other->J. */
static void explain_choice(fy_gap_pass *gap)
{
    double *part = gap->doubt->part;
    if (gap->unknowns > 0) {
        note_parts(gap, gap->other.J, part);
        gap->doubt->parts = -1;
        return;
    }
    int64_t mine = gap->mine.block, other = gap->other.block;
    part[mine] = part[other] = 0;
    part[mine] += gap->mine.first;
    part[other] += gap->other.first;
    gap->doubt->parts = mine == other ? 1 : 2;
    gap->doubt->of[0] = mine;
    gap->doubt->of[1] = other;
}

/* Where pi's own action does: the law of what follows. */
static void explain_following(fy_gap_pass *gap)
{
    gap->doubt->parts = 1;
    gap->doubt->of[0] = gap->mine.block;
    gap->doubt->part[gap->mine.block] = 1;
}

/* Each law's part of a doubt: of all of them, or of the few that have one. */
static void share_out(fy_gap_doubt *doubt, int64_t blocks, double share)
{
    double total = 0;
    int64_t parts = doubt->parts < 0 ? blocks : doubt->parts;
    for (int64_t i = 0; i < parts; i++)
        total += doubt->part[doubt->parts < 0 ? i : doubt->of[i]];
    for (int64_t i = 0; i < parts && total > 0; i++) {
        int64_t g = doubt->parts < 0 ? i : doubt->of[i];
        doubt->law[g] += share * doubt->part[g] / total;
    }
}

/* First D_h(s) - sum_j p_j D_{h+1}(s_j), of the action that attains D; once these have been
 * weighed, each law's part of it. */
static void note_doubt(fy_gap_pass *gap, int64_t t, int64_t s, int64_t best)
{
    const foray_model *model = gap->model;
    fy_gap_doubt *doubt = gap->doubt;
    int64_t pair = s * model->actions + best, at = t * model->states + s;
    const double *p = gap->set->p + model->gen_start[model->generator_set[pair]];
    const int32_t *next = model->succ + model->succ_start[pair];
    double expected = 0;
    if (doubt->weighed) {
        if (doubt->share[at] > 0)
            share_out(doubt, gap->set->basis->blocks, doubt->share[at]);
        return;
    }
    for (int64_t j = 0; j < model->succ_start[pair + 1] - model->succ_start[pair]; j++)
        expected += p[j] * gap->after.D[next[j]];
    doubt->choice[at] = (int32_t)best;
    doubt->share[at] = fmax(0, gap->now.D[s] - expected);
}

/* First the choice that attains D, which was `free` before V_bar - V_low bounded it; in the second
 * pass, what it rests on. */
static void note_path(fy_gap_pass *gap, int64_t t, int64_t s, int64_t best, double free)
{
    fy_gap_path *path = gap->path;
    int64_t at = t * gap->model->states + s;
    double D = gap->now.D[s];
    if (!path->weighed) {
        bool ranges = D < free || gap->unknowns == 0;
        path->choice[at] = (int32_t)best;
        path->way[at] = !(D > 0) ? FY_WAY_NONE : ranges ? FY_WAY_RANGE : FY_WAY_CHOICE;
    } else if (path->way[at] == FY_WAY_CHOICE && path->weight[at] > 0) {
        fy_steer_add_state(gap, path->weight[at], s * gap->model->actions + best != gap->mine.pair,
                           free);
    }
}

/* -------------------------------------------------------------- one state */

/* Nobody gets here by then: nothing reads what the layer has of it. */
static void skip_state(fy_gap_pass *gap, int64_t t, int64_t s, const int32_t *action)
{
    int64_t at = t * gap->model->states + s;
    if (gap->path)
        gap->path->way[at] = FY_WAY_NONE;
    if (gap->doubt == NULL)
        return;
    gap->doubt->choice[at] = action[at];
    gap->doubt->share[at] = 0;
}

/* An episode that is over: nothing is in doubt. */
static void end_state(fy_gap_pass *gap, int64_t t, int64_t s, const int32_t *action)
{
    int64_t at = t * gap->model->states + s;
    fy_gap_end_state(gap, t, s);
    if (gap->path)
        gap->path->way[at] = FY_WAY_NONE;
    if (gap->doubt == NULL)
        return;
    gap->doubt->choice[at] = action[at];
    gap->doubt->share[at] = 0;
}

/* sup_theta V^pi_theta(s) <= r + sup P_theta V_bar^pi, and never more than is left to earn. */
static double max_value(fy_gap_pass *gap, int64_t t, int64_t pair)
{
    return fmin(fy_gap_max_left(gap, t), fy_gap_bound_ahead(gap, t, gap->after.above, pair, 1));
}

/* What pi(s) leads to: V, J, E. */
static void follow_policy(fy_gap_pass *gap, int64_t t, int64_t s, int64_t action)
{
    fy_gap_layer *now = &gap->now;
    fy_gap_action *mine = &gap->mine;
    fy_gap_sum_up(gap, t, fy_gap_at(gap, gap->value, t + 1), s * gap->model->actions + action,
                  mine);
    if (gap->unknowns > 0) {
        fy_gap_find_J(gap, mine);
        mine->J_max = fy_gap_block_norm(gap, mine->J, 1);
        mine->Psi_max = fy_gap_block_norm(gap, mine->Psi, mine->d);
        memcpy(now->J + s * gap->unknowns, mine->J, (size_t)gap->unknowns * sizeof *mine->J);
    }
    if (gap->paid)
        fy_paid_follow(gap, t, s);
    fy_gap_at(gap, gap->value, t)[s] = mine->Q;
    now->above[s] = max_value(gap, t, mine->pair);
    /* E bounds what J leaves out; without J that is all of V^pi_theta - Vhat. */
    double left_out = gap->unknowns > 0 ? mine->Psi_max : mine->first;
    double in_J = gap->unknowns > 0 ? mine->J_max : 0;
    now->J_sum[s] = in_J;
    now->A[s] = mine->A;
    now->F[s] = mine->F;
    now->off[s] = mine->off;
    double max = gap->set->laws ? fy_gap_max_error(gap, t) + in_J : INFINITY;
    now->E[s] = fmin(left_out + mine->error + fy_gap_upper_mean(gap, mine, gap->after.E), max);
    if (gap->third) {
        find_K(gap, mine);
        now->E[s] = fmin(now->E[s], third_error(gap, s, (double)(gap->model->horizon - t)));
    }
}

/* D: the best of going on as pi does and of every other action. */
static void certify_state(fy_gap_pass *gap, int64_t t, int64_t s, const int32_t *action)
{
    const foray_model *model = gap->model;
    const double *V = fy_gap_at(gap, gap->value, t + 1);
    fy_gap_action *mine = &gap->mine, *other = &gap->other;
    int64_t best = action[t * model->states + s];
    double left = (double)(model->horizon - t), widest = 0;
    follow_policy(gap, t, s, best);
    double D = fy_gap_upper_mean(gap, mine, gap->after.D);
    bool again = gap->path && gap->path->weighed;
    if (gap->doubt != NULL)
        explain_following(gap);
    for (int64_t a = 0; a < model->actions; a++) {
        if (a == action[t * model->states + s] || !fy_available(model, s * model->actions + a) ||
            (again && a != gap->path->choice[t * model->states + s]))
            continue;
        fy_gap_sum_up(gap, t, V, s * model->actions + a, other);
        double error = fy_gap_rounding(gap, mine, other, left);
        widest = fmax(widest, error);
        if (gap->zeta == 0 && fy_gap_same(mine, other))
            continue;
        double candidate = advantage(gap, t, error, left, D);
        if (candidate > D)
            candidate = fmin(candidate, fy_gap_value_difference(gap, t, s, a) + 2 * error);
        if (candidate > D) {
            D = candidate;
            best = a;
            if (gap->doubt != NULL && gap->doubt->weighed)
                explain_choice(gap);
        }
    }
    gap->now.D[s] = fmin(D, fy_gap_highest(gap, t, s, widest));
    if (gap->path != NULL)
        note_path(gap, t, s, best, D);
    if (gap->doubt != NULL)
        note_doubt(gap, t, s, best);
}

/* ---------------------------------------------------------------- the pass */

/* V_bar of the best policy and V_low of this one are planned beside the pass, each step just before
 * the pass needs it. Where the reward is not known they belong to two rewards: all that is known
 * of them here is the range, and sharpen_values does the rest. */
typedef struct bounds {
    fy_plan_task best, own;
} bounds;

static bounds begin_bounds(fy_gap_pass *gap, const int32_t *action)
{
    bounds b = {0};
    int64_t H = gap->model->horizon;
    size_t layer = (size_t)gap->model->states * sizeof *gap->lowest;
    if (gap->paid) {
        memset(fy_gap_at(gap, gap->optimistic, H), 0, layer);
        memset(fy_gap_at(gap, gap->pessimistic, H), 0, layer);
        return b;
    }
    b.best = fy_gap_begin_best(gap);
    b.own = b.best;
    b.own.sign = -1;
    b.own.follow = action;
    b.own.value = gap->lowest;
    fy_plan_begin(&b.own);
    memcpy(fy_gap_at(gap, gap->pessimistic, H), fy_gap_at(gap, gap->lowest, H), layer);
    return b;
}

static void step_bounds(fy_gap_pass *gap, const bounds *b, int64_t t)
{
    size_t layer = (size_t)gap->model->states * sizeof *gap->lowest;
    if (gap->paid) {
        fy_progress_step(gap->set->kernel->ctx, gap->model->horizon - 1 - t, gap->model->horizon);
        memset(fy_gap_at(gap, gap->pessimistic, t), 0, layer);
        for (int64_t s = 0; s < gap->model->states; s++)
            fy_gap_at(gap, gap->optimistic, t)[s] = fy_gap_max_left(gap, t);
        return;
    }
    fy_gap_step_best(gap, &b->best, t);
    fy_plan_step(&b->own, t);
    memcpy(fy_gap_at(gap, gap->pessimistic, t), fy_gap_at(gap, gap->lowest, t), layer);
}

/* V_bar_t and V_low_t from those of the step after, where the likelihood of laws by itself bounds
 * means more sharply than the ellipsoid. */
static void sharpen_values(fy_gap_pass *gap, int64_t t, const int32_t *action)
{
    const foray_model *model = gap->model;
    int64_t S = model->states, A = model->actions;
    const double *fixed = gap->layout.reward.fixed;
    double *low = fy_gap_at(gap, gap->pessimistic, t);
    const double *after = fy_gap_at(gap, gap->pessimistic, t + 1);
    for (int64_t s = 0; s < S; s++) {
        if (gap->earliest[s] > t || (fixed && !isnan(fixed[s])))
            continue;
        fy_gap_sharpen_best(gap, t, s);
        low[s] = fmax(low[s], fy_gap_bound_ahead(gap, t, after, s * A + action[t * S + s], -1));
    }
}

/* What w flows along needs all steps once more. */
static void keep_bounds(const fy_gap_pass *gap, int64_t t)
{
    size_t layer = (size_t)gap->model->states * sizeof *gap->path->high;
    int64_t at = t * gap->model->states;
    memcpy(gap->path->high + at, fy_gap_at(gap, gap->optimistic, t), layer);
    memcpy(gap->path->low + at, fy_gap_at(gap, gap->pessimistic, t), layer);
}

/* The states of step t, from what is known of the step after. */
static void certify_step(fy_gap_pass *gap, int64_t t, const int32_t *action)
{
    const double *fixed = gap->layout.reward.fixed;
    for (int64_t s = 0; s < gap->model->states; s++)
        if (s % FY_STATES_PER_QUESTION == 0 && fy_stopped(gap->set->kernel->ctx))
            break;
        else if (gap->earliest[s] > t)
            skip_state(gap, t, s, action);
        else if (fixed && !isnan(fixed[s]))
            end_state(gap, t, s, action);
        else
            certify_state(gap, t, s, action);
}

fy_gap_result fy_gap_certify(fy_gap_pass *gap, const foray_reward *reward, const int32_t *action)
{
    const foray_model *model = gap->model;
    fy_gap_result out = {0};
    fy_gap_begin(gap, reward);
    const bounds planned = begin_bounds(gap, action);
    bool kept = gap->path && !gap->path->weighed;
    foray_context *ctx = gap->set->kernel->ctx;
    if (kept)
        keep_bounds(gap, model->horizon);
    for (int64_t t = model->horizon - 1; t >= 0 && !fy_stopped(ctx); t--) {
        step_bounds(gap, &planned, t);
        if (gap->set->direct || gap->paid)
            sharpen_values(gap, t, action);
        if (kept)
            keep_bounds(gap, t);
        certify_step(gap, t, action);
        fy_gap_next_step(gap);
    }
    out.low = fy_initial_mean(model, gap->pessimistic);
    out.values = fy_initial_mean(model, gap->optimistic) - out.low;
    fy_gap_sum_initial(gap, &out);
    if (gap->paid)
        out.gap = fmin(out.gap, fy_gap_max_left(gap, 0));
    return out;
}

/* ---------------------------------------------------------------- after it */

/* From mu forwards, weighing each state's doubt by its occupancy under the choices. */
static void weigh_doubt(fy_gap_pass *gap, fy_gap_doubt *doubt)
{
    const foray_model *model = gap->model;
    int64_t S = model->states;
    const double *fixed = gap->layout.reward.fixed;
    double *now = gap->now.D, *after = gap->now.E; /* no longer needed */
    memset(now, 0, (size_t)S * sizeof *now);
    for (int64_t i = 0; i < model->initials; i++)
        now[model->initial_state[i]] = model->initial_probability[i];
    for (int64_t t = 0; t < model->horizon; t++) {
        memset(after, 0, (size_t)S * sizeof *after);
        for (int64_t s = 0; s < S; s++) {
            int64_t at = t * S + s, pair = s * model->actions + doubt->choice[at];
            const double *p = gap->set->p + model->gen_start[model->generator_set[pair]];
            if (fixed && !isnan(fixed[s]))
                continue;
            for (int64_t j = model->succ_start[pair]; j < model->succ_start[pair + 1]; j++)
                after[model->succ[j]] += now[s] * p[j - model->succ_start[pair]];
            doubt->share[at] *= now[s];
        }
        double *swap = now;
        now = after;
        after = swap;
    }
}

fy_gap_result fy_gap_explain(fy_gap_pass *gap, const foray_reward *reward, const int32_t *action,
                             fy_gap_doubt *doubt)
{
    gap->doubt = doubt;
    doubt->weighed = false;
    memset(doubt->law, 0, (size_t)gap->set->basis->blocks * sizeof *doubt->law);
    fy_gap_result result = fy_gap_certify(gap, reward, action);
    weigh_doubt(gap, doubt);
    doubt->weighed = true;
    fy_gap_certify(gap, reward, action);
    gap->doubt = NULL;
    return result;
}
