/* gap.c - the gap certificate (gap.h): one backward pass, with a vector of all unknowns per state
 * where memory allows it, and otherwise with what is known of each state alone.
 *
 * The sections: memory; norms; one action (Qhat, J, Psi, E); the third order; two actions apart
 * (U); where a certificate comes from; one state; the pass. */
#include "certify/gap.h"
#include "model/model.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What one rounding does to a number, relative to its size. */
#define UNIT (DBL_EPSILON / 2)

/* The squares of what is below 1e-162 are 0, and norms lack them: more than all of that together,
 * and less than the last digit of anything else. */
#define UNDERFLOW 1e-140

/* What the recursion keeps of one step: all of it about pi. */
typedef struct layer {
    double *J;     /* [states][unknowns] */
    double *J_sum; /* [states] ||J||_B */
    double *E, *D; /* [states] */
    double *A, *F; /* [states] sizes of what J and E were summed from, and */
    double *off;   /* [states] a bound on the rounding error of Vhat */
    double *above; /* [states] what pi earns at most, whatever the laws from here on */
    double *K;     /* [states][unknowns][unknowns] of the third order, */
    double *rest;  /* [states] what it leaves out, and */
    double *G;     /* [states] the sizes of what that was summed from */
} layer;

/* One action in one state, as far as it has been worked out. */
typedef struct gap_action {
    int64_t pair, set, block, n, d;
    const int32_t *next; /* [n] */
    const double *p, *x, *norm;
    double Q;                  /* r + sum p_j V_j */
    double first;              /* ||sum x_j V_j|| */
    double error;              /* B: what the error of features adds */
    double A, F, off;          /* as in layer */
    double spill;              /* sum (p_j + ||x_j||) E_j */
    double E_most;             /* max E_j */
    double J_most;             /* >= ||J||_B */
    double Psi_most;           /* >= ||Psi||_* */
    double reward;             /* of the pair */
    double *target;            /* [n] r_j + V_j */
    const double *ahead;       /* [n] the reward of what follows, unscaled; NULL: none */
    double given;              /* the reward of the pair, and of what follows, as it was given: */
    const double *given_ahead; /* in the unit of planning different ones may round to the same */
    double *J;                 /* [unknowns] */
    double *Psi;               /* [d][unknowns] */
    double *K, *T;             /* [unknowns][unknowns], [d][unknowns][unknowns] */
    double G;                  /* as in layer */
} gap_action;

/* At most so many unknowns for the third order. */
enum { MOST_THIRD = 12 };

struct fy_gap_pass {
    const fy_confidence *set;
    const foray_model *model;
    int64_t unknowns;                    /* 0: too many, J and Psi are left out */
    bool third;                          /* few enough for the third order */
    double blocks;                       /* with something unknown */
    int64_t parts, part[MOST_THIRD + 1]; /* the same, and where their unknowns begin */
    double zeta;                         /* error of the model's features */
    layer now, after;
    double *optimistic, *pessimistic, *value; /* [horizon+1][states] */
    gap_action mine, other;                   /* pi(s), and another action */
    gap_action ahead;                         /* one whose bounds are asked for, without J */
    int32_t *earliest;      /* [states] the first step at which a state can be reached at all */
    int32_t *in_joint;      /* [states] where a successor is in the union, or -1 */
    int32_t *joint;         /* [2 n] the union of two lists of successors */
    double *dp, *dx;        /* [2 n], [2 n][d] */
    double *sum, *sum_mine; /* [d] */
    double *mean;           /* [unknowns] */
    double *follows;        /* [n] f of the successors */
    fy_gap_doubt *doubt;    /* being explained, or NULL */
    const foray_reward *reward;
    fy_layout layout; /* of the reward */
    double rounded;   /* roundings in bringing the reward to the unit of planning */
};

/* Beyond this T, [d][unknowns][unknowns], costs too much time, or K too much memory: MiB for two
 * steps. */
enum { MOST_PRODUCT = 30, MOST_MEMORY = 256 };

static bool third_fits(const fy_confidence *set)
{
    int64_t U = set->basis->unknowns, d = set->basis->max_dim;
    double numbers = 2 * (double)set->basis->model->states * (double)(U * U);
    return U <= MOST_THIRD && U * d <= MOST_PRODUCT &&
           numbers * sizeof(double) <= (double)MOST_MEMORY * 0x1p20;
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

/* How often a long loop asks whether it should stop. */
enum { STATES_PER_QUESTION = 64 };

/* ---------------------------------------------------------------- memory */

static bool allocate_layer(fy_arena *arena, layer *l, int64_t states, int64_t unknowns, bool third)
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

static bool allocate_action(fy_arena *arena, gap_action *c, int64_t n, int64_t d, int64_t unknowns,
                            int64_t squares)
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
    int64_t n = set->basis->max_generators, values = (model->horizon + 1) * model->states;
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
    if (!allocate_layer(arena, &gap->now, model->states, unknowns, gap->third) ||
        !allocate_layer(arena, &gap->after, model->states, unknowns, gap->third) ||
        !allocate_action(arena, &gap->mine, n, d, unknowns, squares) ||
        !allocate_action(arena, &gap->other, n, d, unknowns, squares) ||
        !FY_NEW(arena, gap->ahead.target, n) || !FY_NEW(arena, gap->optimistic, values) ||
        !FY_NEW(arena, gap->pessimistic, values) || !FY_NEW(arena, gap->value, values) ||
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
static double block_norm(const fy_gap_pass *gap, const double *v, int64_t rows)
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
static double spread_norm(const gap_action *c, const double *f, double *sum)
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
static double target_norm(const gap_action *c, double *sum)
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
static double upper_mean(const fy_gap_pass *gap, const gap_action *c, const double *f)
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
    upper += c->d > 0 ? UNDERFLOW : 0;
    return fmin(max, fmin(upper, fy_confidence_mean(gap->set, c->set, gap->follows)));
}

/* ------------------------------------------------------------- one action */

/* max_{j,k} ||J_{h+1}(s_j) - J_{h+1}(s_k)||_B, or a little more. */
static double J_spread(const fy_gap_pass *gap, const gap_action *c)
{
    const double *J = gap->after.J, *J0 = J + c->next[0] * gap->unknowns;
    double max = 0;
    for (int64_t j = 1; j < c->n && gap->unknowns > 0; j++) {
        for (int64_t i = 0; i < gap->unknowns; i++)
            gap->mean[i] = J[c->next[j] * gap->unknowns + i] - J0[i];
        max = fmax(max, block_norm(gap, gap->mean, 1));
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
    return (gap->rounded + (scale ? (double)(t + 2) : 0)) * UNIT * scaled + DBL_MIN;
}

/* The reward of a pair, and r + V of what follows; returns how far rounding can have moved their
 * sum. */
static double find_targets(const fy_gap_pass *gap, int64_t t, const double *V, gap_action *c)
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
                                    (follows != 0 ? UNIT * fabs(c->target[j]) : 0));
    }
    return reward_rounding(gap, t, unit) + worst;
}

/* The law of a pair. */
static void turn_to(const fy_gap_pass *gap, int64_t pair, gap_action *c)
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

static double bound_ahead(fy_gap_pass *gap, int64_t t, const double *V, int64_t pair, double sign)
{
    gap_action *c = &gap->ahead;
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
static void sum_up_action(const fy_gap_pass *gap, int64_t t, const double *V, int64_t pair,
                          gap_action *c)
{
    const fy_confidence *set = gap->set;
    const layer *after = &gap->after;
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
    double terms = (double)(c->n + set->basis->max_coords + 8);
    c->off = UNIT * (terms * size + (exact ? 0 : 2 * fabs(c->Q))) * (1 + 1e-9) +
             (carried + inexact) * (1 + 1e-9) + (exact ? 0 : DBL_MIN);
    c->first = target_norm(c, gap->sum);
    c->J_most += c->first;
    c->error = gap->zeta > 0 ? gap->zeta * (max - min + J_spread(gap, c)) : 0;
}

/* J = sum_j x_j T_j + sum_j p_j J_j and Psi = sum_j x_j (J_j - J_0)', which is the same. */
static void find_J(const fy_gap_pass *gap, gap_action *c)
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
static bool same_action(const gap_action *a, const gap_action *b)
{
    size_t row = (size_t)a->n * sizeof *a->given_ahead;
    return a->set == b->set && a->given == b->given &&
           memcmp(a->next, b->next, (size_t)a->n * sizeof *a->next) == 0 &&
           (!a->given_ahead || memcmp(a->given_ahead, b->given_ahead, row) == 0);
}

/* sum_s' (|dp(s')| + ||dx(s')||) f(s'). In different blocks norms are added. */
static double difference_spill(fy_gap_pass *gap, const gap_action *a, const gap_action *b,
                               const double *f)
{
    int64_t count = 0, d = a->d;
    bool same_block = a->block == b->block;
    const gap_action *both[2] = {a, b};
    for (int side = 0; side < 2; side++) {
        const gap_action *c = both[side];
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
static double rounding(const fy_gap_pass *gap, const gap_action *a, const gap_action *b,
                       double left)
{
    double n = (double)(a->n > b->n ? a->n : b->n), d = (double)(a->d > b->d ? a->d : b->d);
    double sizes = sqrt(gap->blocks) * (a->A + b->A) + a->F + b->F + 2 * fmax(a->E_most, b->E_most);
    return a->off + b->off + (sizes > 0 ? UNDERFLOW : 0) +
           UNIT * (4 * (d + 1) * gap->set->kappa_factor + 4 * (n + 4) * left) * sizes;
}

/* Without J: ||sum_j x_j T_j - sum_i x_i T_i||, added up where the blocks differ. */
static double first_difference(fy_gap_pass *gap)
{
    const gap_action *mine = &gap->mine, *other = &gap->other;
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
    gap_action *mine = &gap->mine, *other = &gap->other;
    double spill = difference_spill(gap, other, mine, gap->after.E);
    if (other->block != mine->block)
        return spill + block_norm(gap, other->Psi, other->d) + mine->Psi_most;
    for (int64_t i = 0; i < gap->unknowns * other->d; i++)
        other->Psi[i] -= mine->Psi[i];
    return spill + block_norm(gap, other->Psi, other->d);
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
static double third_rounding(const fy_gap_pass *gap, const gap_action *c, double left)
{
    double n = (double)c->n, d = (double)c->d, max = 0;
    for (int64_t j = 0; j < c->n; j++)
        max = fmax(max, gap->after.rest[c->next[j]]);
    double sizes = sqrt(gap->blocks) * c->A + c->F + c->G + max;
    return UNIT * (12 * (d + 1) * gap->set->kappa_factor + 12 * (n + 4) * left) * sizes;
}

/* -------------------------------------------------------------------- one action */

/* K = Psi + sum_j p_j K_j, made symmetric, and T_r = sum_j x_jr (K_j - K_0), which is sum x_jr K_j.
 */
static void find_K(const fy_gap_pass *gap, gap_action *c)
{
    int64_t U = gap->unknowns, at = gap->set->ridge->at_vector[c->block];
    const layer *after = &gap->after;
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
    const gap_action *mine = &gap->mine;
    layer *now = &gap->now;
    int64_t size = gap->unknowns * gap->unknowns;
    memcpy(now->K + s * size, mine->K, (size_t)size * sizeof *now->K);
    now->G[s] = mine->G;
    now->rest[s] = pair_norm(gap, mine->T, mine->d) + upper_mean(gap, mine, gap->after.rest);
    return pair_norm(gap, mine->K, 1) + now->rest[s] + third_rounding(gap, mine, left);
}

/* ----------------------------------------------------------------- two actions apart */

/* ||dK|| + ||dT|| + sum_s' (|dp(s')| + ||dx(s')||) rest(s'); K and T of `other` become
 * differences. */
static double third_difference(fy_gap_pass *gap, double left)
{
    gap_action *mine = &gap->mine, *other = &gap->other;
    int64_t size = gap->unknowns * gap->unknowns;
    double total = third_rounding(gap, mine, left) + third_rounding(gap, other, left) +
                   difference_spill(gap, other, mine, gap->after.rest);
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
static double advantage(fy_gap_pass *gap, double error, double left, double enough)
{
    gap_action *mine = &gap->mine, *other = &gap->other;
    double base = other->Q - mine->Q + error + upper_mean(gap, other, gap->after.D);
    base += other->error + mine->error + 2 * gap->zeta * (other->E_most + mine->E_most);
    double easy = base + other->J_most + mine->J_most + other->Psi_most + mine->Psi_most +
                  other->spill + mine->spill;
    if (easy <= enough)
        return easy;
    if (gap->unknowns == 0)
        return base + difference_spill(gap, other, mine, gap->after.E) + first_difference(gap);
    find_J(gap, other);
    if (gap->third)
        find_K(gap, other);
    for (int64_t i = 0; i < gap->unknowns; i++)
        other->J[i] -= mine->J[i];
    double first = base + block_norm(gap, other->J, 1), second = second_difference(gap);
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
        return;
    }
    memset(part, 0, (size_t)gap->set->basis->blocks * sizeof *part);
    part[gap->mine.block] += gap->mine.first;
    part[gap->other.block] += gap->other.first;
}

/* Where pi's own action does: the law of what follows. */
static void explain_following(fy_gap_pass *gap)
{
    memset(gap->doubt->part, 0, (size_t)gap->set->basis->blocks * sizeof *gap->doubt->part);
    gap->doubt->part[gap->mine.block] = 1;
}

/* First D_h(s) - sum_j p_j D_{h+1}(s_j), of the action that attains D; once these have been
 * weighed, each law's part of it. */
static void note_doubt(fy_gap_pass *gap, int64_t t, int64_t s, int64_t best)
{
    const foray_model *model = gap->model;
    fy_gap_doubt *doubt = gap->doubt;
    int64_t pair = s * model->actions + best, at = t * model->states + s;
    int64_t blocks = gap->set->basis->blocks;
    const double *p = gap->set->p + model->gen_start[model->generator_set[pair]];
    const int32_t *next = model->succ + model->succ_start[pair];
    double expected = 0;
    if (doubt->weighed) {
        double total = 0;
        for (int64_t g = 0; g < blocks && doubt->share[at] > 0; g++)
            total += doubt->part[g];
        for (int64_t g = 0; g < blocks && total > 0; g++)
            doubt->law[g] += doubt->share[at] * doubt->part[g] / total;
        return;
    }
    for (int64_t j = 0; j < model->succ_start[pair + 1] - model->succ_start[pair]; j++)
        expected += p[j] * gap->after.D[next[j]];
    doubt->choice[at] = (int32_t)best;
    doubt->share[at] = fmax(0, gap->now.D[s] - expected);
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
static void end_state(fy_gap_pass *gap, int64_t t, int64_t s, const int32_t *action)
{
    int64_t at = t * gap->model->states + s;
    layer *now = &gap->now;
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
                bound_ahead(gap, t, gap->after.above, pair, 1));
}

/* Q_bar(s,a) - V_low(s): what another action can gain, whatever the laws of the two. */
static double value_difference(fy_gap_pass *gap, int64_t t, int64_t s, int64_t a)
{
    const foray_model *model = gap->model;
    return bound_ahead(gap, t, gap->optimistic + (t + 1) * model->states, s * model->actions + a,
                       1) -
           gap->pessimistic[t * model->states + s];
}

/* V_bar - V_low of a state, and what rounding may have taken from it: `widest` where there are
 * several actions, and what the only one has where there are not. */
static double highest_gap(const fy_gap_pass *gap, int64_t t, int64_t s, double widest)
{
    int64_t at = t * gap->model->states + s;
    double apart = gap->optimistic[at] - gap->pessimistic[at];
    if (widest == 0)
        widest = rounding(gap, &gap->mine, &gap->mine, (double)(gap->model->horizon - t));
    return fmax(0, apart + 2 * widest) + (apart > 0 ? UNDERFLOW : 0);
}

static void certify_state(fy_gap_pass *gap, int64_t t, int64_t s, const int32_t *action)
{
    const foray_model *model = gap->model;
    const double *V = gap->value + (t + 1) * model->states;
    layer *now = &gap->now;
    gap_action *mine = &gap->mine, *other = &gap->other;
    double left = (double)(model->horizon - t);

    /* pi(s): V, J, E. */
    sum_up_action(gap, t, V, s * model->actions + action[t * model->states + s], mine);
    if (gap->unknowns > 0) {
        find_J(gap, mine);
        mine->J_most = block_norm(gap, mine->J, 1);
        mine->Psi_most = block_norm(gap, mine->Psi, mine->d);
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
    now->E[s] = fmin(left_out + mine->error + upper_mean(gap, mine, gap->after.E), max);
    if (gap->third) {
        find_K(gap, mine);
        now->E[s] = fmin(now->E[s], third_error(gap, s, left));
    }

    /* D: the best of going on as pi does and of every other action. */
    double D = upper_mean(gap, mine, gap->after.D), widest = 0;
    int64_t best = action[t * model->states + s];
    if (gap->doubt != NULL)
        explain_following(gap);
    for (int64_t a = 0; a < model->actions; a++) {
        if (a == action[t * model->states + s] || !fy_available(model, s * model->actions + a))
            continue;
        sum_up_action(gap, t, V, s * model->actions + a, other);
        double error = rounding(gap, mine, other, left);
        widest = fmax(widest, error);
        if (gap->zeta == 0 && same_action(mine, other))
            continue;
        double candidate = advantage(gap, error, left, D);
        if (candidate > D)
            candidate = fmin(candidate, value_difference(gap, t, s, a) + 2 * error);
        if (candidate > D) {
            D = candidate;
            best = a;
            if (gap->doubt != NULL && gap->doubt->weighed)
                explain_choice(gap);
        }
    }
    now->D[s] = fmin(D, highest_gap(gap, t, s, widest));
    if (gap->doubt != NULL)
        note_doubt(gap, t, s, best);
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
                best = fmax(best, bound_ahead(gap, t, high + S, s * A + a, 1));
        high[s] = fmin(high[s], best);
        low[s] = fmax(low[s], bound_ahead(gap, t, low + S, s * A + action[t * S + s], -1));
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

static void clear_layer(const fy_gap_pass *gap, layer *l)
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
    double width = block_norm(gap, gap->mean, 1) + E + UNDERFLOW;
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
        fy_tell_step(ctx, model->horizon - 1 - t, model->horizon);
        if (gap->set->direct)
            sharpen_values(gap, t, action);
        for (int64_t s = 0; s < model->states; s++)
            if (s % STATES_PER_QUESTION == 0 && fy_stopped(ctx))
                break;
            else if (gap->earliest[s] > t)
                skip_state(gap, t, s, action);
            else if (fixed && !isnan(fixed[s]))
                end_state(gap, t, s, action);
            else
                certify_state(gap, t, s, action);
        layer swap = gap->now;
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
