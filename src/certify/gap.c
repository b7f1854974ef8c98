/* gap.c - the gap certificate: one backward pass, with a vector of all unknowns per state where
 * memory allows it, and otherwise with what is known of each state alone. */
#include "certify/gap.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double unit = DBL_EPSILON / 2;

/* What the recursion keeps of one step: all of it about pi. */
typedef struct layer {
    double *J;     /* [states][unknowns] */
    double *J_sum; /* [states] ||J||_B */
    double *E, *D; /* [states] */
    double *A, *F; /* [states] sizes of what J and E were summed from, and */
    double *off;   /* [states] a bound on the rounding error of Vhat */
} layer;

/* One action in one state, as far as it has been worked out. */
typedef struct choice {
    int64_t pair, set, block, n, d;
    const int32_t *next; /* [n] */
    const double *p, *x, *norm;
    double Q;            /* r + sum p_j V_j */
    double first;        /* ||sum x_j V_j|| */
    double error;        /* B: what the error of features adds */
    double A, F, off;    /* as in layer */
    double spill;        /* sum (p_j + ||x_j||) E_j */
    double E_most;       /* max E_j */
    double J_most;       /* >= ||J||_B */
    double Psi_most;     /* >= ||Psi||_* */
    double reward;       /* of the pair */
    double *target;      /* [n] r_j + V_j */
    const double *ahead; /* [n] the reward of what follows, unscaled; NULL: none */
    double *J;           /* [unknowns] */
    double *Psi;         /* [d][unknowns] */
} choice;

struct fy_gap_pass {
    const fy_confidence *set;
    const foray_model *model;
    int64_t unknowns; /* 0: too many, J and Psi are left out */
    double blocks;    /* with something unknown */
    double zeta;      /* error of the model's features */
    layer now, after;
    double *optimistic, *pessimistic, *value; /* [horizon+1][states] */
    choice mine, other;                       /* pi(s), and another action */
    int32_t *in_joint;      /* [states] where a successor is in the union, or -1 */
    int32_t *joint;         /* [2 n] the union of two lists of successors */
    double *dp, *dx;        /* [2 n], [2 n][d] */
    double *sum, *sum_mine; /* [d] */
    double *mean;           /* [unknowns] */
    fy_gap_doubt *doubt;    /* being explained, or NULL */
    fy_layout layout;       /* of the reward */
    double rounded;         /* roundings in bringing the reward to the unit of planning */
};

/* ---------------------------------------------------------------- memory */

static bool allocate_layer(foray_context *ctx, layer *l, int64_t states, int64_t unknowns)
{
    size_t cells;
    return fy_size_mul((size_t)states, (size_t)unknowns, &cells) && FY_ALLOC(ctx, l->J, cells) &&
           FY_ALLOC(ctx, l->J_sum, states) && FY_ALLOC(ctx, l->E, states) &&
           FY_ALLOC(ctx, l->D, states) && FY_ALLOC(ctx, l->A, states) &&
           FY_ALLOC(ctx, l->F, states) && FY_ALLOC(ctx, l->off, states);
}

static void free_layer(layer *l)
{
    free(l->J);
    free(l->J_sum);
    free(l->E);
    free(l->D);
    free(l->A);
    free(l->F);
    free(l->off);
}

bool fy_gap_fits(const fy_confidence *set, int64_t memory)
{
    /* Two layers of J, and Psi of two actions. */
    double unknowns = (double)set->basis->unknowns, d = (double)set->basis->most_dim;
    double numbers = unknowns * (2 * (double)set->basis->model->states + 2 * d + 3);
    return numbers * sizeof(double) <= (double)memory * 0x1p20;
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
    for (int64_t g = 0; g < set->basis->blocks; g++)
        gap->blocks += set->basis->block[g].dim > 0;
    if (!allocate_layer(ctx, &gap->now, model->states, unknowns) ||
        !allocate_layer(ctx, &gap->after, model->states, unknowns) ||
        !FY_ALLOC(ctx, gap->optimistic, values) || !FY_ALLOC(ctx, gap->pessimistic, values) ||
        !FY_ALLOC(ctx, gap->value, values) || !FY_ALLOC(ctx, gap->mine.J, unknowns) ||
        !FY_ALLOC(ctx, gap->mine.Psi, unknowns * d) || !FY_ALLOC(ctx, gap->other.J, unknowns) ||
        !FY_ALLOC(ctx, gap->other.Psi, unknowns * d) ||
        !FY_ALLOC(ctx, gap->in_joint, model->states) || !FY_ALLOC(ctx, gap->joint, 2 * n) ||
        !FY_ALLOC(ctx, gap->dp, 2 * n) || !FY_ALLOC(ctx, gap->dx, 2 * n * d) ||
        !FY_ALLOC(ctx, gap->sum, d) || !FY_ALLOC(ctx, gap->sum_mine, d) ||
        !FY_ALLOC(ctx, gap->mean, unknowns) || !FY_ALLOC(ctx, gap->mine.target, n) ||
        !FY_ALLOC(ctx, gap->other.target, n) ||
        fy_layout_create(ctx, model, true, &gap->layout) != FORAY_OK) {
        fy_gap_destroy(gap);
        return FORAY_ERROR_MEMORY;
    }
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
    free(gap->in_joint);
    free(gap->joint);
    free(gap->dp);
    free(gap->dx);
    free(gap->sum);
    free(gap->sum_mine);
    free(gap->mean);
    free(gap->mine.target);
    free(gap->other.target);
    fy_layout_destroy(&gap->layout);
    free(gap);
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

/* ||sum_j x_j (f_j - f_0)||, f over states. */
static double spread_norm(const choice *c, const double *f, double *sum)
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
static double target_norm(const choice *c, double *sum)
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
 * f >= 0, over the successors. */
static double upper_mean(const fy_gap_pass *gap, const choice *c, const double *f)
{
    double most = 0, least = INFINITY, mean = 0;
    for (int64_t j = 0; j < c->n; j++) {
        most = fmax(most, f[c->next[j]]);
        least = fmin(least, f[c->next[j]]);
        mean += c->p[j] * f[c->next[j]];
    }
    if (most == 0)
        return 0;
    return fmin(most, mean + spread_norm(c, f, gap->sum) + gap->zeta * (most - least));
}

/* ------------------------------------------------------------- one action */

/* max_{j,k} ||J_{h+1}(s_j) - J_{h+1}(s_k)||_B, or a little more. */
static double J_spread(const fy_gap_pass *gap, const choice *c)
{
    const double *J = gap->after.J, *J0 = J + c->next[0] * gap->unknowns;
    double most = 0;
    for (int64_t j = 1; j < c->n && gap->unknowns > 0; j++) {
        for (int64_t i = 0; i < gap->unknowns; i++)
            gap->mean[i] = J[c->next[j] * gap->unknowns + i] - J0[i];
        most = fmax(most, block_norm(gap, gap->mean, 1));
    }
    return 2 * most;
}

/* What bringing a reward to the unit of planning, and discounting it, may have rounded. */
static double reward_rounding(const fy_gap_pass *gap, int64_t t, double scaled)
{
    const double *scale = gap->layout.reward.scale;
    bool exact = scaled == 0 || (scaled == 1 && (!scale || scale[t] == 1));
    return exact ? 0 : (gap->rounded + (scale ? (double)(t + 2) : 0)) * unit * scaled;
}

/* The reward of a pair, and r + V of what follows; returns how far rounding can have moved their
 * sum. */
static double find_targets(const fy_gap_pass *gap, int64_t t, const double *V, choice *c)
{
    const fy_plan_reward *reward = &gap->layout.reward;
    const double *next = reward->next ? reward->next[t] : NULL;
    double scale = reward->scale ? reward->scale[t] : 1, worst = 0;
    c->reward = scale * reward->table[t][c->pair];
    c->ahead = next ? next + gap->model->succ_start[c->pair] : NULL;
    for (int64_t j = 0; j < c->n; j++) {
        double follows = V[c->next[j]], own = c->ahead ? scale * c->ahead[j] : 0;
        c->target[j] = c->ahead ? own + follows : follows;
        if (own > 0)
            worst = fmax(worst, reward_rounding(gap, t, own) +
                                    (follows != 0 ? unit * fabs(c->target[j]) : 0));
    }
    return reward_rounding(gap, t, c->reward) + worst;
}

/* Everything about (s,a) at step t that costs no vector of all unknowns. */
static void look_at(const fy_gap_pass *gap, int64_t t, const double *V, int64_t pair, choice *c)
{
    const fy_confidence *set = gap->set;
    const foray_model *model = gap->model;
    const layer *after = &gap->after;
    c->pair = pair;
    c->set = model->generator_set[pair];
    c->block = set->basis->block_of_generator_set[c->set];
    c->n = fy_generator_set_size(model, c->set);
    c->d = set->basis->block[c->block].dim;
    c->next = model->succ + model->succ_start[pair];
    c->p = set->p + model->gen_start[c->set];
    c->norm = set->norm + model->gen_start[c->set];
    c->x = set->x + set->at_x[c->set];
    double inexact = find_targets(gap, t, V, c);
    double root = sqrt(gap->blocks), rest = 0, size = 0, carried = 0;
    double most = -INFINITY, least = INFINITY;
    c->A = c->F = c->spill = c->E_most = c->J_most = c->Psi_most = 0;
    for (int64_t j = 0; j < c->n; j++) {
        int32_t next = c->next[j];
        double p = fabs(c->p[j]), x = c->norm[j]; /* estimates of a regression may be negative */
        rest += c->p[j] * (c->target[j] - c->target[0]);
        size += p * fabs(c->target[j] - c->target[0]);
        carried += p * after->off[next];
        most = fmax(most, c->target[j]);
        least = fmin(least, c->target[j]);
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
    c->off = unit * (terms * size + (exact ? 0 : 2 * fabs(c->Q))) * (1 + 1e-9) +
             (carried + inexact) * (1 + 1e-9);
    c->first = target_norm(c, gap->sum);
    c->J_most += c->first;
    c->error = gap->zeta > 0 ? gap->zeta * (most - least + J_spread(gap, c)) : 0;
}

/* J = sum_j x_j T_j + sum_j p_j J_j and Psi = sum_j x_j (J_j - J_0)', which is the same. */
static void work_out(const fy_gap_pass *gap, choice *c)
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
 * rewards. */
static bool same_action(const choice *a, const choice *b)
{
    return a->set == b->set && a->reward == b->reward &&
           memcmp(a->next, b->next, (size_t)a->n * sizeof *a->next) == 0 &&
           (!a->ahead || memcmp(a->ahead, b->ahead, (size_t)a->n * sizeof *a->ahead) == 0);
}

/* sum_s' (|dp(s')| + ||dx(s')||) E(s'). In different blocks norms are added. */
static double difference_spill(fy_gap_pass *gap, const choice *a, const choice *b)
{
    int64_t count = 0, d = a->d;
    bool same_block = a->block == b->block;
    const choice *both[2] = {a, b};
    for (int side = 0; side < 2; side++) {
        const choice *c = both[side];
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
        total += (fabs(gap->dp[q]) + sqrt(square)) * gap->after.E[gap->joint[q]];
        gap->in_joint[gap->joint[q]] = -1;
    }
    for (int side = 0; side < 2 && !same_block; side++)
        for (int64_t j = 0; j < both[side]->n; j++)
            total += both[side]->norm[j] * gap->after.E[both[side]->next[j]];
    return total;
}

/* How wrong rounding can make U: a bound on the sizes of all that was summed. */
static double rounding(const fy_gap_pass *gap, const choice *a, const choice *b, double left)
{
    double n = (double)(a->n > b->n ? a->n : b->n), d = (double)(a->d > b->d ? a->d : b->d);
    double sizes = sqrt(gap->blocks) * (a->A + b->A) + a->F + b->F + 2 * fmax(a->E_most, b->E_most);
    return a->off + b->off +
           unit * (4 * (d + 1) * gap->set->kappa_factor + 4 * (n + 4) * left) * sizes;
}

/* Without J: ||sum_j x_j T_j - sum_i x_i T_i||, added up where the blocks differ. */
static double first_difference(fy_gap_pass *gap)
{
    const choice *mine = &gap->mine, *other = &gap->other;
    double square = 0;
    if (mine->block != other->block)
        return mine->first + other->first;
    target_norm(other, gap->sum);
    target_norm(mine, gap->sum_mine);
    for (int64_t i = 0; i < mine->d; i++)
        square += (gap->sum[i] - gap->sum_mine[i]) * (gap->sum[i] - gap->sum_mine[i]);
    return sqrt(square);
}

/* U_h(s,a) + sup P D_{h+1}(s,a), or anything that is at most `enough` where that is clear
 * without vectors. */
static double advantage(fy_gap_pass *gap, double error, double enough)
{
    choice *mine = &gap->mine, *other = &gap->other;
    double base = other->Q - mine->Q + error + upper_mean(gap, other, gap->after.D);
    base += other->error + mine->error + 2 * gap->zeta * (other->E_most + mine->E_most);
    double easy = base + other->J_most + mine->J_most + other->Psi_most + mine->Psi_most +
                  other->spill + mine->spill;
    if (easy <= enough)
        return easy;
    double total = base + difference_spill(gap, other, mine);
    if (gap->unknowns == 0)
        return total + first_difference(gap);
    work_out(gap, other);
    int64_t U = gap->unknowns;
    for (int64_t i = 0; i < U; i++)
        other->J[i] -= mine->J[i];
    total += block_norm(gap, other->J, 1);
    if (other->block != mine->block)
        return total + block_norm(gap, other->Psi, other->d) + mine->Psi_most;
    for (int64_t i = 0; i < U * other->d; i++)
        other->Psi[i] -= mine->Psi[i];
    return total + block_norm(gap, other->Psi, other->d);
}

/* ----------------------------------------------------------- explanations */

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

/* An episode that is over: nothing is in doubt. */
static void settle_state(fy_gap_pass *gap, int64_t t, int64_t s, const int32_t *action)
{
    int64_t at = t * gap->model->states + s;
    layer *now = &gap->now;
    gap->value[at] = gap->layout.reward.fixed[s];
    memset(now->J + s * gap->unknowns, 0, (size_t)gap->unknowns * sizeof *now->J);
    now->J_sum[s] = now->E[s] = now->D[s] = now->A[s] = now->F[s] = now->off[s] = 0;
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

static void certify_state(fy_gap_pass *gap, int64_t t, int64_t s, const int32_t *action)
{
    const foray_model *model = gap->model;
    const double *V = gap->value + (t + 1) * model->states;
    layer *now = &gap->now;
    choice *mine = &gap->mine, *other = &gap->other;
    double left = (double)(model->horizon - t);

    /* pi(s): V, J, E. */
    look_at(gap, t, V, s * model->actions + action[t * model->states + s], mine);
    if (gap->unknowns > 0) {
        work_out(gap, mine);
        mine->J_most = block_norm(gap, mine->J, 1);
        mine->Psi_most = block_norm(gap, mine->Psi, mine->d);
        memcpy(now->J + s * gap->unknowns, mine->J, (size_t)gap->unknowns * sizeof *mine->J);
    }
    gap->value[t * model->states + s] = mine->Q;
    /* E bounds what J leaves out; without J that is all of V^pi_theta - Vhat. */
    double left_out = gap->unknowns > 0 ? mine->Psi_most : mine->first;
    double in_J = gap->unknowns > 0 ? mine->J_most : 0;
    now->J_sum[s] = in_J;
    now->A[s] = mine->A;
    now->F[s] = mine->F;
    now->off[s] = mine->off;
    double most = gap->set->laws ? most_error(gap, t) + in_J : INFINITY;
    now->E[s] = fmin(left_out + mine->error + upper_mean(gap, mine, gap->after.E), most);

    /* D: the best of going on as pi does and of every other action. */
    double D = upper_mean(gap, mine, gap->after.D), widest = 0;
    int64_t best = action[t * model->states + s];
    if (gap->doubt != NULL)
        explain_following(gap);
    for (int64_t a = 0; a < model->actions; a++) {
        if (a == action[t * model->states + s])
            continue;
        look_at(gap, t, V, s * model->actions + a, other);
        double error = rounding(gap, mine, other, left);
        widest = fmax(widest, error);
        if (gap->zeta == 0 && same_action(mine, other))
            continue;
        double candidate = advantage(gap, error, D);
        if (candidate > D) {
            D = candidate;
            best = a;
            if (gap->doubt != NULL && gap->doubt->weighed)
                explain_choice(gap);
        }
    }
    int64_t at = t * model->states + s;
    double ceiling = fmax(0, gap->optimistic[at] - gap->pessimistic[at] + 2 * widest);
    now->D[s] = fmin(D, ceiling);
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

static void clear_layer(const fy_gap_pass *gap, layer *l)
{
    size_t states = (size_t)gap->model->states;
    memset(l->J, 0, states * (size_t)gap->unknowns * sizeof *l->J);
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
    double width = block_norm(gap, gap->mean, 1) + E;
    out->low = fmax(out->low, out->value - width);
    const double *limit = gap->layout.reward.limit;
    out->high = fmin(limit ? limit[0] : (double)model->horizon, out->value + width);
}

fy_gap_result fy_gap_certify(fy_gap_pass *gap, const foray_reward *reward, const int32_t *action)
{
    const foray_model *model = gap->model;
    fy_gap_result out = {0};
    double high;
    fy_layout_set(&gap->layout, reward);
    gap->rounded = fy_reward_unit_of(reward).own ? 3 : 0;
    const double *ending = gap->layout.reward.ending, *fixed = gap->layout.reward.fixed;
    bound_values(gap, action, &high, &out.low);
    out.values = high - out.low;
    clear_layer(gap, &gap->after);
    for (int64_t s = 0; s < model->states; s++)
        gap->value[model->horizon * model->states + s] = ending ? ending[s] : 0;
    for (int64_t t = model->horizon - 1; t >= 0; t--) {
        for (int64_t s = 0; s < model->states; s++)
            if (fixed && !isnan(fixed[s]))
                settle_state(gap, t, s, action);
            else
                certify_state(gap, t, s, action);
        layer swap = gap->now;
        gap->now = gap->after;
        gap->after = swap;
    }
    sum_up(gap, &out);
    out.gap = fmin(out.gap, fmax(0, out.values));
    return out;
}

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
