/* gap_choice.c - one action of the gap certificate, and two apart: Qhat, J, Psi, E and U of gap.h.
 */
#include "certify/gap_pass.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- norms */

/* ||v||_B of a vector of all unknowns, or ||Psi||_* of `rows` of them. */
double fy_gap_norm(const fy_gap_pass *gap, const double *v, int64_t rows)
{
    const int64_t *at = gap->set->ridge->at_vector;
    double total = 0;
    for (int64_t g = 0; g < gap->set->basis->blocks && gap->unknowns > 0; g++) {
        double square = 0;
        for (int64_t r = 0; r < rows; r++)
            for (int64_t i = at[g]; i < at[g + 1]; i++)
                square += v[r * gap->unknowns + i] * v[r * gap->unknowns + i];
        total += sqrt(square);
    }
    return total;
}

/* ||sum_j x_j (f_j - f_0)||, f over states. */
static double spread_norm(const fy_gap_choice *c, const double *f, double *sum)
{
    double square = 0;
    for (int64_t i = 0; i < c->d; i++)
        sum[i] = 0;
    for (int64_t j = 1; j < c->n; j++)
        for (int64_t i = 0; i < c->d; i++)
            sum[i] += c->x[j * c->d + i] * (f[c->next[j]] - f[c->next[0]]);
    for (int64_t i = 0; i < c->d; i++)
        square += sum[i] * sum[i];
    return sqrt(square);
}

/* ||sum_j x_j (T_j - T_0)||, T = r + V of what follows. */
static double target_norm(const fy_gap_choice *c, double *sum)
{
    double square = 0;
    for (int64_t i = 0; i < c->d; i++)
        sum[i] = 0;
    for (int64_t j = 1; j < c->n; j++)
        for (int64_t i = 0; i < c->d; i++)
            sum[i] += c->x[j * c->d + i] * (c->target[j] - c->target[0]);
    for (int64_t i = 0; i < c->d; i++)
        square += sum[i] * sum[i];
    return sqrt(square);
}

/* sup_theta P_theta f <= min(max f, sum_j p_j f_j + ||sum_j x_j f_j|| + zeta (max f - min f)),
 * f >= 0, over the successors; and what the law's likelihood says by itself. */
double fy_gap_upper_mean(const fy_gap_pass *gap, const fy_gap_choice *c, const double *f)
{
    double max = 0, min = INFINITY, mean = 0;
    for (int64_t j = 0; j < c->n; j++) {
        max = fmax(max, f[c->next[j]]);
        min = fmin(min, f[c->next[j]]);
        mean += c->p[j] * f[c->next[j]];
        gap->follows[j] = f[c->next[j]];
    }
    if (max == 0)
        return 0;
    double upper = mean + spread_norm(c, f, gap->sum) + gap->zeta * (max - min);
    upper += c->d > 0 ? FY_GAP_UNDERFLOW : 0;
    return fmin(max, fmin(upper, fy_confidence_mean(gap->set, c->set, gap->follows)));
}

/* ------------------------------------------------------------- one action */

/* max_{j,k} ||J_{h+1}(s_j) - J_{h+1}(s_k)||_B, or a little more. */
static double J_spread(const fy_gap_pass *gap, const fy_gap_choice *c)
{
    const double *J = gap->after.J, *J0 = J + c->next[0] * gap->unknowns;
    double max = 0;
    for (int64_t j = 1; j < c->n && gap->unknowns > 0; j++) {
        for (int64_t i = 0; i < gap->unknowns; i++)
            gap->mean[i] = J[c->next[j] * gap->unknowns + i] - J0[i];
        max = fmax(max, fy_gap_norm(gap, gap->mean, 1));
    }
    return 2 * max;
}

/* What bringing a reward to the unit of planning, and discounting it, may have rounded: relative to
 * its size, or where it is as good as 0 the least that is normal. Both ends of the range are
 * exact. */
static double reward_rounding(const fy_gap_pass *gap, int64_t t, double unit)
{
    const double *scale = gap->layout.reward.scale;
    bool exact = unit == 0 || (unit == 1 && (!scale || scale[t] == 1));
    exact |= t > 0 && gap->reward->discount == 0; /* 0, and not what is too small for a number */
    if (exact || (gap->rounded == 0 && !scale))
        return 0;
    double scaled = scale ? scale[t] * unit : unit;
    return (gap->rounded + (scale ? (double)(t + 2) : 0)) * FY_UNIT * scaled + DBL_MIN;
}

/* The reward of a pair, and r + V of what follows; returns how far rounding can have moved their
 * sum. */
static double find_targets(const fy_gap_pass *gap, int64_t t, const double *V, fy_gap_choice *c)
{
    const fy_plan_reward *reward = &gap->layout.reward;
    const fy_reward_part *given = &gap->reward->table[gap->reward->table_of_step[t]];
    const double *next = reward->next ? reward->next[t] : NULL;
    double scale = reward->scale ? reward->scale[t] : 1, worst = 0;
    double unit = reward->table[t][c->pair];
    c->reward = scale * unit;
    c->given = given->pair[c->pair];
    c->ahead = next ? next + gap->model->succ_start[c->pair] : NULL;
    c->given_ahead = next ? given->next + gap->model->succ_start[c->pair] : NULL;
    for (int64_t j = 0; j < c->n; j++) {
        double follows = V[c->next[j]], own = c->ahead ? scale * c->ahead[j] : 0;
        c->target[j] = c->ahead ? own + follows : follows;
        if (c->ahead && c->ahead[j] > 0)
            worst = fmax(worst, reward_rounding(gap, t, c->ahead[j]) +
                                    (follows != 0 ? FY_UNIT * fabs(c->target[j]) : 0));
    }
    return reward_rounding(gap, t, unit) + worst;
}

/* The law of a pair. */
static void turn_to(const fy_gap_pass *gap, int64_t pair, fy_gap_choice *c)
{
    const fy_confidence *set = gap->set;
    const foray_model *model = gap->model;
    c->pair = pair;
    c->set = model->generator_set[pair];
    c->block = set->basis->block_of_generator_set[c->set];
    c->n = fy_generator_set_size(model, c->set);
    c->d = set->basis->block[c->block].dim;
    c->next = model->succ + model->succ_start[pair];
    c->p = set->p + model->gen_start[c->set];
    c->norm = set->norm + model->gen_start[c->set];
    c->x = set->x + set->at_x[c->set];
}

double fy_gap_look_ahead(fy_gap_pass *gap, int64_t t, const double *V, int64_t pair, double sign)
{
    fy_gap_choice *c = &gap->ahead;
    double mean = 0, max = -INFINITY, min = INFINITY;
    turn_to(gap, pair, c);
    find_targets(gap, t, V, c);
    for (int64_t j = 0; j < c->n; j++) {
        c->target[j] *= sign;
        mean += c->p[j] * (c->target[j] - c->target[0]);
        max = fmax(max, c->target[j]);
        min = fmin(min, c->target[j]);
    }
    double upper = c->target[0] + mean + target_norm(c, gap->sum) + gap->zeta * (max - min);
    upper = fmin(fmin(upper, max), fy_confidence_mean(gap->set, c->set, c->target));
    return c->reward + sign * upper;
}

/* Everything about (s,a) at step t that costs no vector of all unknowns. */
void fy_gap_look_at(const fy_gap_pass *gap, int64_t t, const double *V, int64_t pair,
                    fy_gap_choice *c)
{
    const fy_confidence *set = gap->set;
    const fy_gap_layer *after = &gap->after;
    turn_to(gap, pair, c);
    double inexact = find_targets(gap, t, V, c);
    double root = sqrt(gap->blocks), rest = 0, size = 0, carried = 0;
    double max = -INFINITY, min = INFINITY;
    c->A = c->F = c->spill = c->E_most = c->J_most = c->Psi_most = 0;
    for (int64_t j = 0; j < c->n; j++) {
        int32_t next = c->next[j];
        double p = fabs(c->p[j]), x = c->norm[j]; /* estimates of a regression may be negative */
        rest += c->p[j] * (c->target[j] - c->target[0]);
        size += p * fabs(c->target[j] - c->target[0]);
        carried += p * after->off[next];
        max = fmax(max, c->target[j]);
        min = fmin(min, c->target[j]);
        c->A += x * fabs(c->target[j]) + p * after->A[next];
        c->F += x * (root * after->A[next] + after->E[next]) + p * after->F[next];
        c->spill += (p + x) * after->E[next];
        c->E_most = fmax(c->E_most, after->E[next]);
        c->J_most += p * after->J_sum[next];
        c->Psi_most += x * after->J_sum[next];
    }
    c->Q = c->reward + c->target[0] + rest;
    /* Sums of which only one part is not 0 are exact: equal actions stay equal. */
    bool exact = size == 0 && (c->reward == 0 || c->target[0] == 0);
    double terms = (double)(c->n + set->basis->most_coords + 8);
    c->off = FY_UNIT * (terms * size + (exact ? 0 : 2 * fabs(c->Q))) * (1 + 1e-9) +
             (carried + inexact) * (1 + 1e-9) + (exact ? 0 : DBL_MIN);
    c->first = target_norm(c, gap->sum);
    c->J_most += c->first;
    c->error = gap->zeta > 0 ? gap->zeta * (max - min + J_spread(gap, c)) : 0;
}

/* J = sum_j x_j T_j + sum_j p_j J_j and Psi = sum_j x_j (J_j - J_0)', which is the same. */
void fy_gap_work_out(const fy_gap_pass *gap, fy_gap_choice *c)
{
    int64_t U = gap->unknowns, at = gap->set->ridge->at_vector[c->block];
    const double *J0 = gap->after.J + c->next[0] * U;
    memset(c->J, 0, (size_t)U * sizeof *c->J);
    memset(c->Psi, 0, (size_t)(U * c->d) * sizeof *c->Psi);
    for (int64_t j = 0; j < c->n; j++) {
        const double *J = gap->after.J + c->next[j] * U;
        double p = c->p[j];
        for (int64_t i = 0; i < U; i++)
            c->J[i] += p * J[i];
        for (int64_t r = 0; r < c->d && j > 0; r++) {
            double x = c->x[j * c->d + r], *row = c->Psi + r * U;
            for (int64_t i = 0; i < U; i++)
                row[i] += x * (J[i] - J0[i]);
        }
    }
    target_norm(c, gap->sum);
    for (int64_t r = 0; r < c->d; r++)
        c->J[at + r] += gap->sum[r];
}

/* ------------------------------------------------------- two actions apart */

/* The same successors with the same features: whatever theta, the same law; and the same
 * rewards, as they were given. */
bool fy_gap_same_action(const fy_gap_choice *a, const fy_gap_choice *b)
{
    size_t row = (size_t)a->n * sizeof *a->given_ahead;
    return a->set == b->set && a->given == b->given &&
           memcmp(a->next, b->next, (size_t)a->n * sizeof *a->next) == 0 &&
           (!a->given_ahead || memcmp(a->given_ahead, b->given_ahead, row) == 0);
}

/* sum_s' (|dp(s')| + ||dx(s')||) f(s'). In different blocks norms are added. */
double fy_gap_difference_spill(fy_gap_pass *gap, const fy_gap_choice *a, const fy_gap_choice *b,
                               const double *f)
{
    int64_t count = 0, d = a->d;
    bool same_block = a->block == b->block;
    const fy_gap_choice *both[2] = {a, b};
    for (int side = 0; side < 2; side++) {
        const fy_gap_choice *c = both[side];
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

/* How wrong rounding can make U: a bound on the sizes of all that was summed. */
double fy_gap_rounding(const fy_gap_pass *gap, const fy_gap_choice *a, const fy_gap_choice *b,
                       double left)
{
    double n = (double)(a->n > b->n ? a->n : b->n), d = (double)(a->d > b->d ? a->d : b->d);
    double sizes = sqrt(gap->blocks) * (a->A + b->A) + a->F + b->F + 2 * fmax(a->E_most, b->E_most);
    return a->off + b->off + (sizes > 0 ? FY_GAP_UNDERFLOW : 0) +
           FY_UNIT * (4 * (d + 1) * gap->set->kappa_factor + 4 * (n + 4) * left) * sizes;
}

/* Without J: ||sum_j x_j T_j - sum_i x_i T_i||, added up where the blocks differ. */
static double first_difference(fy_gap_pass *gap)
{
    const fy_gap_choice *mine = &gap->mine, *other = &gap->other;
    double square = 0;
    if (mine->block != other->block)
        return mine->first + other->first;
    target_norm(other, gap->sum);
    target_norm(mine, gap->sum_mine);
    for (int64_t i = 0; i < mine->d; i++)
        square += (gap->sum[i] - gap->sum_mine[i]) * (gap->sum[i] - gap->sum_mine[i]);
    return sqrt(square);
}

/* ||dPsi||_* + sum_s' (|dp(s')| + ||dx(s')||) E(s'); Psi of `other` becomes the difference. */
static double second_difference(fy_gap_pass *gap)
{
    fy_gap_choice *mine = &gap->mine, *other = &gap->other;
    double spill = fy_gap_difference_spill(gap, other, mine, gap->after.E);
    if (other->block != mine->block)
        return spill + fy_gap_norm(gap, other->Psi, other->d) + mine->Psi_most;
    for (int64_t i = 0; i < gap->unknowns * other->d; i++)
        other->Psi[i] -= mine->Psi[i];
    return spill + fy_gap_norm(gap, other->Psi, other->d);
}

/* U_h(s,a) + sup P D_{h+1}(s,a), or anything that is at most `enough` where that is clear
 * without vectors. */
double fy_gap_advantage(fy_gap_pass *gap, double error, double left, double enough)
{
    fy_gap_choice *mine = &gap->mine, *other = &gap->other;
    double base = other->Q - mine->Q + error + fy_gap_upper_mean(gap, other, gap->after.D);
    base += other->error + mine->error + 2 * gap->zeta * (other->E_most + mine->E_most);
    double easy = base + other->J_most + mine->J_most + other->Psi_most + mine->Psi_most +
                  other->spill + mine->spill;
    if (easy <= enough)
        return easy;
    if (gap->unknowns == 0)
        return base + fy_gap_difference_spill(gap, other, mine, gap->after.E) +
               first_difference(gap);
    fy_gap_work_out(gap, other);
    if (gap->third)
        fy_gap_third_work_out(gap, other);
    for (int64_t i = 0; i < gap->unknowns; i++)
        other->J[i] -= mine->J[i];
    double first = base + fy_gap_norm(gap, other->J, 1), second = second_difference(gap);
    if (!gap->third || first + second <= enough)
        return first + second;
    return first + fmin(second, fy_gap_third_difference(gap, left));
}
