/* gap_action.c - memory of a pass, norms, and one action: see gap_pass.h. */
#include "certify/gap_paid.h"

#include <math.h>
#include <string.h>

/* Beyond this T, [d][unknowns][unknowns], costs too much time, or K too much memory: MiB for two
 * steps. */
enum { MAX_PRODUCT = 30, MAX_MEMORY = 256 };

static bool third_fits(const fy_confidence *set)
{
    int64_t U = set->basis->unknowns, d = set->basis->max_dim;
    double numbers = 2 * (double)set->basis->model->states * (double)(U * U);
    return U <= FY_MAX_THIRD && U * d <= MAX_PRODUCT &&
           numbers * sizeof(double) <= (double)MAX_MEMORY * 0x1p20;
}

static void find_parts(fy_gap_pass *gap)
{
    const int64_t *at = gap->set->ridge->at_vector;
    gap->parts = 0;
    for (int64_t g = 0; g < gap->set->basis->blocks && gap->third; g++)
        if (at[g + 1] > at[g])
            gap->part[gap->parts++] = at[g];
    gap->part[gap->parts] = gap->unknowns;
}

/* ---------------------------------------------------------------- memory */

bool fy_gap_allocate_layer(fy_arena *arena, fy_gap_layer *l, int64_t states, int64_t unknowns,
                           bool third)
{
    size_t cells, squares;
    if (!fy_size_mul((size_t)states, (size_t)unknowns, &cells) ||
        !fy_size_mul(cells, third ? (size_t)unknowns : 0, &squares))
        return false;
    return FY_NEW(arena, l->J, cells) && FY_NEW(arena, l->K, squares) &&
           FY_NEW(arena, l->rest, states) && FY_NEW(arena, l->G, states) &&
           FY_NEW(arena, l->J_sum, states) && FY_NEW(arena, l->E, states) &&
           FY_NEW(arena, l->D, states) && FY_NEW(arena, l->A, states) &&
           FY_NEW(arena, l->F, states) && FY_NEW(arena, l->off, states) &&
           FY_NEW(arena, l->above, states);
}

bool fy_gap_allocate_action(fy_arena *arena, fy_gap_action *c, int64_t n, int64_t d,
                            int64_t unknowns, int64_t squares)
{
    return FY_NEW(arena, c->J, unknowns) && FY_NEW(arena, c->Psi, unknowns * d) &&
           FY_NEW(arena, c->K, squares) && FY_NEW(arena, c->T, squares * d) &&
           FY_NEW(arena, c->target, n);
}

bool fy_gap_fits(const fy_confidence *set, int64_t memory)
{
    /* Two layers of J, and Psi of two actions. */
    double unknowns = (double)set->basis->unknowns, d = (double)set->basis->max_dim;
    const foray_model *model = set->basis->model;
    double numbers = unknowns * (2 * (double)model->states + 2 * d + 3);
    /* Psi of every step, transition and unknown; 2e10 take about ten seconds. */
    double work = (double)model->horizon * (double)model->succ_start[model->pairs] * unknowns * d;
    return work <= 2e10 && numbers * sizeof(double) <= (double)memory * 0x1p20;
}

int64_t fy_gap_unknowns(const fy_gap_pass *gap)
{
    return gap->unknowns;
}

bool fy_gap_use_third(fy_gap_pass *gap, bool wanted)
{
    bool was = gap->third;
    gap->third = wanted;
    return was;
}

foray_status fy_gap_create(fy_arena *arena, const fy_confidence *set, bool joint, fy_gap_pass **out)
{
    const foray_model *model = set->basis->model;
    int64_t unknowns = joint ? set->basis->unknowns : 0, d = set->basis->max_dim;
    int64_t n = set->basis->max_generators, values = 2 * model->states;
    fy_gap_pass *gap;
    if (!FY_NEW(arena, gap, 1))
        return FORAY_ERROR_MEMORY;
    gap->set = set;
    gap->model = model;
    gap->unknowns = unknowns;
    gap->zeta = model->feature_error;
    gap->third = joint && gap->zeta == 0 && unknowns > 0 && third_fits(set);
    find_parts(gap);
    int64_t squares = gap->third ? unknowns * unknowns : 0;
    for (int64_t g = 0; g < set->basis->blocks; g++)
        gap->blocks += set->basis->block[g].dim > 0;
    if (!fy_gap_allocate_layer(arena, &gap->now, model->states, unknowns, gap->third) ||
        !fy_gap_allocate_layer(arena, &gap->after, model->states, unknowns, gap->third) ||
        !fy_gap_allocate_action(arena, &gap->mine, n, d, unknowns, squares) ||
        !fy_gap_allocate_action(arena, &gap->other, n, d, unknowns, squares) ||
        !FY_NEW(arena, gap->ahead.target, n) || !FY_NEW(arena, gap->optimistic, values) ||
        !FY_NEW(arena, gap->pessimistic, values) || !FY_NEW(arena, gap->value, values) ||
        !FY_NEW(arena, gap->highest, values) || !FY_NEW(arena, gap->lowest, values) ||
        !FY_NEW(arena, gap->in_joint, model->states) ||
        !FY_NEW(arena, gap->earliest, model->states) || !FY_NEW(arena, gap->joint, 2 * n) ||
        !FY_NEW(arena, gap->dp, 2 * n) || !FY_NEW(arena, gap->dx, 2 * n * d) ||
        !FY_NEW(arena, gap->sum, d) || !FY_NEW(arena, gap->sum_mine, d) ||
        !FY_NEW(arena, gap->mean, unknowns) || !FY_NEW(arena, gap->follows, n) ||
        fy_layout_create(arena, model, true, &gap->layout) != FORAY_OK)
        return FORAY_ERROR_MEMORY;
    /* The certificate is about episodes that begin in mu: a state matters at step t only if some
     * actions can lead there by then. On a map of thousands of cells and with few steps that is a
     * small part of it. */
    fy_model_earliest(model, gap->earliest, gap->in_joint);
    for (int64_t s = 0; s < model->states; s++)
        gap->in_joint[s] = -1;
    *out = gap;
    return FORAY_OK;
}

/* ---------------------------------------------------------------- norms */

/* ||v||_B of a vector of all unknowns, or ||Psi||_* of `rows` of them. */
double fy_gap_block_norm(const fy_gap_pass *gap, const double *v, int64_t rows)
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

/* ||sum_j x_j (T_j - T_0)||, T = r + V of what follows. */
double fy_gap_target_norm(const fy_gap_action *c, double *sum)
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

/* ||sum_j x_j (f_j - f_0)||, f over the successors. */
static double follows_norm(const fy_gap_action *c, const double *f, double *sum)
{
    double square = 0;
    for (int64_t i = 0; i < c->d; i++)
        sum[i] = 0;
    for (int64_t j = 1; j < c->n; j++)
        for (int64_t i = 0; i < c->d; i++)
            sum[i] += c->x[j * c->d + i] * (f[j] - f[0]);
    for (int64_t i = 0; i < c->d; i++)
        square += sum[i] * sum[i];
    return sqrt(square);
}

/* sup_theta P_theta f <= min(max f, sum_j p_j f_j + ||sum_j x_j f_j|| + zeta (max f - min f)),
 * f >= 0, over the successors; and what the law's likelihood says by itself. */
double fy_gap_upper_of(const fy_gap_pass *gap, const fy_gap_action *c, const double *f)
{
    double max = 0, min = INFINITY, mean = 0;
    for (int64_t j = 0; j < c->n; j++) {
        max = fmax(max, f[j]);
        min = fmin(min, f[j]);
        mean += c->p[j] * f[j];
    }
    if (max == 0)
        return 0;
    double upper = mean + follows_norm(c, f, gap->sum) + gap->zeta * (max - min);
    upper += c->d > 0 ? FY_UNDERFLOW : 0;
    return fmin(max, fmin(upper, fy_confidence_mean(gap->set, c->set, f)));
}

double fy_gap_upper_mean(const fy_gap_pass *gap, const fy_gap_action *c, const double *f)
{
    for (int64_t j = 0; j < c->n; j++)
        gap->follows[j] = f[c->next[j]];
    return fy_gap_upper_of(gap, c, gap->follows);
}

/* ------------------------------------------------------------- one action */

/* max_{j,k} ||J_{h+1}(s_j) - J_{h+1}(s_k)||_B, or a little more. */
static double J_spread(const fy_gap_pass *gap, const fy_gap_action *c)
{
    const double *J = gap->after.J, *J0 = J + c->next[0] * gap->unknowns;
    double max = 0;
    for (int64_t j = 1; j < c->n && gap->unknowns > 0; j++) {
        for (int64_t i = 0; i < gap->unknowns; i++)
            gap->mean[i] = J[c->next[j] * gap->unknowns + i] - J0[i];
        max = fmax(max, fy_gap_block_norm(gap, gap->mean, 1));
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
static double find_targets(const fy_gap_pass *gap, int64_t t, const double *V, fy_gap_action *c)
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

/* The same in the middle of what the reward may be (sign 0), or at the top (1) or the bottom (-1)
 * of it. */
static double find_targets_between(const fy_gap_pass *gap, int64_t t, const double *V,
                                   fy_gap_action *c, double sign)
{
    fy_paid_bounds at;
    double off = fy_paid_bounds_of(gap->paid, t, c, sign, &at), widest = 0;
    const double *scale = gap->layout.reward.scale;
    double times = scale ? scale[t] : 1;
    c->reward = times * at.pair;
    c->given = at.pair;
    c->ahead = c->given_ahead = at.next;
    c->doubtful = at.doubtful;
    for (int64_t j = 0; j < c->n; j++) {
        c->target[j] = times * at.next[j] + V[c->next[j]];
        widest = fmax(widest, at.next[j] != 0 ? fabs(c->target[j]) : 0);
    }
    return off + FY_UNIT * widest;
}

/* The law of a pair. */
void fy_gap_turn_to(const fy_gap_pass *gap, int64_t pair, fy_gap_action *c)
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

/* sup P_theta T (sign 1), or inf, of what stands in an action's targets. */
static double bound_targets(const fy_gap_pass *gap, fy_gap_action *c, double sign)
{
    double mean = 0, max = -INFINITY, min = INFINITY;
    for (int64_t j = 0; j < c->n; j++) {
        c->target[j] *= sign;
        mean += c->p[j] * (c->target[j] - c->target[0]);
        max = fmax(max, c->target[j]);
        min = fmin(min, c->target[j]);
    }
    double upper = c->target[0] + mean + fy_gap_target_norm(c, gap->sum) + gap->zeta * (max - min);
    return sign * fmin(fmin(upper, max), fy_confidence_mean(gap->set, c->set, c->target));
}

double fy_gap_bound_ahead(fy_gap_pass *gap, int64_t t, const double *V, int64_t pair, double sign)
{
    fy_gap_action *c = &gap->ahead;
    fy_gap_turn_to(gap, pair, c);
    if (!gap->paid) {
        find_targets(gap, t, V, c);
        return c->reward + bound_targets(gap, c, sign);
    }
    double off = find_targets_between(gap, t, V, c, sign);
    double cap = fy_paid_cap(gap->paid, t, pair, sign);
    double bound = c->reward + bound_targets(gap, c, sign) + sign * off;
    if (isinf(cap))
        return bound;
    /* Where sup P is not monotone, cutting can raise it: the better of both. */
    if (fy_paid_cuts_inside(gap->paid, c)) {
        find_targets_between(gap, t, V, c, sign);
        for (int64_t j = 0; j < c->n; j++)
            c->target[j] = sign > 0 ? fmin(c->target[j], cap - c->reward)
                                    : fmax(c->target[j], cap - c->reward);
        double cut = c->reward + bound_targets(gap, c, sign) + sign * off;
        bound = sign > 0 ? fmin(bound, cut) : fmax(bound, cut);
    }
    return sign > 0 ? fmin(bound, cap) : fmax(bound, cap);
}

/* Everything about (s,a) at step t that costs no vector of all unknowns. */
void fy_gap_sum_up(const fy_gap_pass *gap, int64_t t, const double *V, int64_t pair,
                   fy_gap_action *c)
{
    const fy_confidence *set = gap->set;
    const fy_gap_layer *after = &gap->after;
    fy_gap_turn_to(gap, pair, c);
    double inexact = gap->paid ? find_targets_between(gap, t, V, c, 0) : find_targets(gap, t, V, c);
    double root = sqrt(gap->blocks), rest = 0, size = 0, carried = 0;
    double max = -INFINITY, min = INFINITY;
    c->A = c->F = c->spill = c->E_max = c->J_max = c->Psi_max = 0;
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
        c->E_max = fmax(c->E_max, after->E[next]);
        c->J_max += p * after->J_sum[next];
        c->Psi_max += x * after->J_sum[next];
    }
    c->Q = c->reward + c->target[0] + rest;
    /* Sums of which only one part is not 0 are exact: equal actions stay equal. */
    bool exact = size == 0 && (c->reward == 0 || c->target[0] == 0);
    double terms = (double)(c->n + set->basis->max_coords + 8);
    c->off = FY_UNIT * (terms * size + (exact ? 0 : 2 * fabs(c->Q))) * (1 + 1e-9) +
             (carried + inexact) * (1 + 1e-9) + (exact ? 0 : DBL_MIN);
    c->first = fy_gap_target_norm(c, gap->sum);
    c->J_max += c->first;
    c->error = gap->zeta > 0 ? gap->zeta * (max - min + J_spread(gap, c)) : 0;
}

/* J = sum_j x_j T_j + sum_j p_j J_j and Psi = sum_j x_j (J_j - J_0)', which is the same. */
void fy_gap_find_J(const fy_gap_pass *gap, fy_gap_action *c)
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
    fy_gap_target_norm(c, gap->sum);
    for (int64_t r = 0; r < c->d; r++)
        c->J[at + r] += gap->sum[r];
}

/* ------------------------------------------------------- two actions apart */

/* The same successors with the same features: whatever theta, the same law; and the same
 * rewards, as they were given. */
bool fy_gap_same(const fy_gap_action *a, const fy_gap_action *b)
{
    size_t row = (size_t)a->n * sizeof *a->given_ahead;
    return !a->doubtful && !b->doubtful && a->set == b->set && a->given == b->given &&
           memcmp(a->next, b->next, (size_t)a->n * sizeof *a->next) == 0 &&
           (!a->given_ahead || memcmp(a->given_ahead, b->given_ahead, row) == 0);
}

/* How wrong rounding can make U: a bound on the sizes of all that was summed. */
double fy_gap_rounding(const fy_gap_pass *gap, const fy_gap_action *a, const fy_gap_action *b,
                       double left)
{
    double n = (double)(a->n > b->n ? a->n : b->n), d = (double)(a->d > b->d ? a->d : b->d);
    double sizes = sqrt(gap->blocks) * (a->A + b->A) + a->F + b->F + 2 * fmax(a->E_max, b->E_max);
    return a->off + b->off + (sizes > 0 ? FY_UNDERFLOW : 0) +
           FY_UNIT * (4 * (d + 1) * gap->set->kappa_factor + 4 * (n + 4) * left) * sizes;
}

/* --------------------------------------------------------------- the reward */

/* How far a policy's value can be from its estimate at most: all that is still to come, and this
 * step's reward where it depends on what follows. */
double fy_gap_max_error(const fy_gap_pass *gap, int64_t t)
{
    const fy_plan_reward *reward = &gap->layout.reward;
    bool now = reward->next || reward->fixed || gap->paid;
    int64_t H = gap->model->horizon, from = now ? t : t + 1;
    if (reward->limit)
        return from < H ? reward->limit[from] : 0;
    return (double)(H - from);
}

double fy_gap_max_left(const fy_gap_pass *gap, int64_t t)
{
    const double *limit = gap->layout.reward.limit;
    return limit ? limit[t] : (double)(gap->model->horizon - t);
}

void fy_gap_set_reward(fy_gap_pass *gap, const foray_reward *reward)
{
    fy_layout_set(&gap->layout, reward);
    gap->reward = reward;
    gap->rounded = fy_reward_unit_of(reward).own ? 3 : 0;
}

void fy_gap_clear_layer(const fy_gap_pass *gap, fy_gap_layer *l)
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

/* --------------------------------------------------- what no difference exceeds */

double fy_gap_value_difference(fy_gap_pass *gap, int64_t t, int64_t s, int64_t a)
{
    const foray_model *model = gap->model;
    return fy_gap_bound_ahead(gap, t, fy_gap_at(gap, gap->optimistic, t + 1),
                              s * model->actions + a, 1) -
           fy_gap_at(gap, gap->pessimistic, t)[s];
}

/* V_bar - V_low of a state, and what rounding may have taken from it: `widest` where there are
 * several actions, and what the only one has where there are not. */
double fy_gap_highest(const fy_gap_pass *gap, int64_t t, int64_t s, double widest)
{
    double apart = fy_gap_at(gap, gap->optimistic, t)[s] - fy_gap_at(gap, gap->pessimistic, t)[s];
    if (widest == 0)
        widest = fy_gap_rounding(gap, &gap->mine, &gap->mine, (double)(gap->model->horizon - t));
    return fmax(0, apart + 2 * widest) + (apart > 0 ? FY_UNDERFLOW : 0);
}

/* --------------------------------------------------------------- begin and end */

void fy_gap_begin(fy_gap_pass *gap, const foray_reward *reward)
{
    const foray_model *model = gap->model;
    fy_gap_set_reward(gap, reward);
    const double *ending = gap->layout.reward.ending;
    fy_gap_clear_layer(gap, &gap->after);
    for (int64_t s = 0; s < model->states; s++)
        fy_gap_at(gap, gap->value, model->horizon)[s] = gap->after.above[s] =
            ending ? ending[s] : 0;
}

fy_plan_task fy_gap_begin_best(fy_gap_pass *gap)
{
    int64_t H = gap->model->horizon;
    size_t layer = (size_t)gap->model->states * sizeof *gap->highest;
    fy_plan_task task = {.kernel = gap->set->kernel,
                         .reward = gap->layout.reward,
                         .lanes = 1,
                         .sign = +1,
                         .clip = FORAY_CLIP_REMAINING,
                         .ties = FORAY_TIES_LOWEST,
                         .layers = 2,
                         .value = gap->highest};
    fy_plan_begin(&task);
    memcpy(fy_gap_at(gap, gap->optimistic, H), fy_gap_at(gap, gap->highest, H), layer);
    return task;
}

/* A copy is sharpened: what is planned does not depend on that. */
void fy_gap_step_best(fy_gap_pass *gap, const fy_plan_task *task, int64_t t)
{
    size_t layer = (size_t)gap->model->states * sizeof *gap->highest;
    fy_plan_step(task, t);
    memcpy(fy_gap_at(gap, gap->optimistic, t), fy_gap_at(gap, gap->highest, t), layer);
}

void fy_gap_sharpen_best(fy_gap_pass *gap, int64_t t, int64_t s)
{
    const foray_model *model = gap->model;
    double best = -INFINITY, *high = fy_gap_at(gap, gap->optimistic, t);
    const double *after = fy_gap_at(gap, gap->optimistic, t + 1);
    for (int64_t a = 0; a < model->actions; a++)
        if (fy_available(model, s * model->actions + a))
            best = fmax(best, fy_gap_bound_ahead(gap, t, after, s * model->actions + a, 1));
    high[s] = fmin(high[s], best);
}

void fy_gap_end_state(fy_gap_pass *gap, int64_t t, int64_t s)
{
    fy_gap_layer *now = &gap->now;
    fy_gap_at(gap, gap->value, t)[s] = now->above[s] = gap->layout.reward.fixed[s];
    memset(now->J + s * gap->unknowns, 0, (size_t)gap->unknowns * sizeof *now->J);
    int64_t squares = gap->third ? gap->unknowns * gap->unknowns : 0;
    memset(now->K + s * squares, 0, (size_t)squares * sizeof *now->K);
    now->J_sum[s] = now->E[s] = now->D[s] = now->A[s] = now->F[s] = now->off[s] = 0;
    now->rest[s] = now->G[s] = 0;
}

void fy_gap_next_step(fy_gap_pass *gap)
{
    fy_gap_layer swap = gap->now;
    gap->now = gap->after;
    gap->after = swap;
    if (gap->paid)
        fy_paid_next_step(gap->paid);
}

/* Means over the initial states; the policy's value lies within ||J(mu)||_B + E(mu) of Vhat(mu). */
void fy_gap_sum_initial(fy_gap_pass *gap, fy_gap_result *out)
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
    double width = fy_gap_block_norm(gap, gap->mean, 1) + E + FY_UNDERFLOW;
    width += gap->paid ? fy_paid_width(gap) : 0;
    out->low = fmax(out->low, out->value - width);
    const double *limit = gap->layout.reward.limit;
    out->high = fmin(limit ? limit[0] : (double)model->horizon, out->value + width);
    out->high = fmin(out->high, fmax(out->value, fy_initial_mean(model, gap->after.above)));
    out->low = fmin(out->low, out->high); /* where nothing is unknown, rounding may exchange them */
}
