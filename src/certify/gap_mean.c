/* gap_mean.c - see gap_mean.h. */
#include "certify/gap_mean.h"

#include <math.h>
#include <string.h>

/* -------------------------------------------------------------------- memory */

int64_t fy_gap_mean_columns(const fy_gap_pass *gap)
{
    return gap->unknowns > 0 ? gap->unknowns : 1;
}

bool fy_gap_mean_allocate(fy_arena *arena, const fy_gap_pass *gap, fy_gap_mean *mean)
{
    const foray_model *model = gap->model;
    const fy_basis *basis = gap->set->basis;
    int64_t A = model->actions, n = A * basis->max_generators;
    size_t rows, numbers, steps;
    n = n < model->states ? n : model->states;
    mean->stride = A * basis->max_dim < basis->unknowns ? A * basis->max_dim : basis->unknowns;
    rows = (size_t)mean->stride + 1;
    return fy_size_mul(rows, (size_t)fy_gap_mean_columns(gap), &numbers) &&
           fy_size_mul(rows, (size_t)n, &steps) && FY_NEW(arena, mean->pair, A) &&
           FY_NEW(arena, mean->weight, A) && FY_NEW(arena, mean->block, A) &&
           FY_NEW(arena, mean->row, A + 1) && FY_NEW(arena, mean->J, fy_gap_mean_columns(gap)) &&
           FY_NEW(arena, mean->Psi, numbers) && FY_NEW(arena, mean->next, n) &&
           FY_NEW(arena, mean->p, n) && FY_NEW(arena, mean->x, steps);
}

/* ---------------------------------------------------------------- its actions */

static void clear_mean(const fy_gap_pass *gap, fy_gap_mean *mean)
{
    mean->support = mean->blocks = mean->count = mean->row[0] = 0;
    mean->V = mean->off = mean->A = mean->F = mean->E_max = mean->error = mean->upper_E = 0;
    memset(mean->J, 0, (size_t)fy_gap_mean_columns(gap) * sizeof *mean->J);
}

/* Where the rows of an action's block begin: made, as zeros, if there are none yet. */
static int64_t find_rows(const fy_gap_pass *gap, const fy_gap_action *c, fy_gap_mean *mean)
{
    size_t columns = (size_t)fy_gap_mean_columns(gap);
    int64_t k = 0;
    while (k < mean->blocks && mean->block[k] != c->block)
        k++;
    if (k < mean->blocks)
        return mean->row[k];
    mean->block[mean->blocks++] = c->block;
    mean->row[mean->blocks] = mean->row[k] + c->d;
    memset(mean->Psi + (size_t)mean->row[k] * columns, 0,
           (size_t)c->d * columns * sizeof *mean->Psi);
    for (int64_t i = 0; i < mean->count; i++)
        memset(mean->x + i * mean->stride + mean->row[k], 0, (size_t)c->d * sizeof *mean->x);
    return mean->row[k];
}

/* P and x of the successors; gap->in_joint says where in the list a state is. */
static void add_law(fy_gap_pass *gap, const fy_gap_action *c, double weight, int64_t row,
                    fy_gap_mean *mean)
{
    for (int64_t j = 0; j < c->n; j++) {
        int32_t *at = &gap->in_joint[c->next[j]];
        if (*at < 0) {
            *at = (int32_t)mean->count;
            mean->next[mean->count] = c->next[j];
            mean->p[mean->count] = 0;
            memset(mean->x + mean->count * mean->stride, 0,
                   (size_t)mean->row[mean->blocks] * sizeof *mean->x);
            mean->count++;
        }
        mean->p[*at] += weight * c->p[j];
        for (int64_t i = 0; i < c->d; i++)
            mean->x[*at * mean->stride + row + i] += weight * c->x[j * c->d + i];
    }
}

/* J and Psi; without J what is first order stands in for Psi. */
static void add_vectors(fy_gap_pass *gap, fy_gap_action *c, double weight, int64_t row,
                        fy_gap_mean *mean)
{
    int64_t U = gap->unknowns;
    if (U == 0) {
        fy_gap_target_norm(c, gap->sum);
        for (int64_t i = 0; i < c->d; i++)
            mean->Psi[row + i] += weight * gap->sum[i];
        return;
    }
    fy_gap_find_J(gap, c);
    for (int64_t i = 0; i < U; i++)
        mean->J[i] += weight * c->J[i];
    for (int64_t i = 0; i < c->d * U; i++)
        mean->Psi[row * U + i] += weight * c->Psi[i];
}

static void add_action(fy_gap_pass *gap, int64_t t, const double *V, int64_t pair, double weight,
                       fy_gap_mean *mean)
{
    fy_gap_action *c = &gap->other;
    fy_gap_sum_up(gap, t, V, pair, c);
    mean->pair[mean->support] = pair;
    mean->weight[mean->support++] = weight;
    mean->V += weight * c->Q;
    mean->off += weight * c->off;
    mean->A += weight * c->A;
    mean->F += weight * c->F;
    mean->E_max = fmax(mean->E_max, c->E_max);
    mean->error += weight * c->error;
    mean->upper_E += weight * fy_gap_upper_mean(gap, c, gap->after.E);
    int64_t row = find_rows(gap, c, mean);
    add_law(gap, c, weight, row, mean);
    add_vectors(gap, c, weight, row, mean);
    if (weight != 1) /* several are added up, and their weights need not add up to 1 exactly */
        mean->off += FY_UNIT * (double)(gap->model->actions + 4) * weight * fabs(c->Q);
}

static void end_mean(fy_gap_pass *gap, const fy_gap_mean *mean)
{
    for (int64_t i = 0; i < mean->count; i++)
        gap->in_joint[mean->next[i]] = -1;
}

void fy_gap_mean_of_action(fy_gap_pass *gap, int64_t t, const double *V, int64_t pair,
                           fy_gap_mean *mean)
{
    clear_mean(gap, mean);
    add_action(gap, t, V, pair, 1, mean);
    end_mean(gap, mean);
}

void fy_gap_mean_of(fy_gap_pass *gap, int64_t t, const double *V, int64_t s,
                    const fy_choices *choices, fy_gap_mean *mean)
{
    int64_t A = gap->model->actions, at = t * gap->model->states + s;
    if (!choices->chance) {
        fy_gap_mean_of_action(gap, t, V, s * A + choices->action[at], mean);
        return;
    }
    clear_mean(gap, mean);
    for (int64_t a = 0; a < A; a++)
        if (choices->chance[at * A + a] > 0)
            add_action(gap, t, V, s * A + a, choices->chance[at * A + a], mean);
    end_mean(gap, mean);
}

/* --------------------------------------------------------------------- norms */

/* Rows of Psi, as many as a block has. */
static double rows_norm(const fy_gap_pass *gap, const double *Psi, int64_t rows)
{
    double square = 0;
    if (gap->unknowns > 0)
        return fy_gap_block_norm(gap, Psi, rows);
    for (int64_t i = 0; i < rows; i++)
        square += Psi[i] * Psi[i];
    return sqrt(square);
}

static double psi_norm(const fy_gap_pass *gap, const fy_gap_mean *mean)
{
    int64_t columns = fy_gap_mean_columns(gap);
    double total = 0;
    for (int64_t k = 0; k < mean->blocks; k++)
        total +=
            rows_norm(gap, mean->Psi + mean->row[k] * columns, mean->row[k + 1] - mean->row[k]);
    return total;
}

/* P f + ||sum_s' x(s') (f(s') - f(first))||_B: one theta for all actions. */
static double joint_mean(const fy_gap_pass *gap, const fy_gap_mean *mean, const double *f)
{
    double total = 0, first = f[mean->next[0]], max = first, min = first;
    for (int64_t i = 0; i < mean->count; i++) {
        total += mean->p[i] * f[mean->next[i]];
        max = fmax(max, f[mean->next[i]]);
        min = fmin(min, f[mean->next[i]]);
    }
    for (int64_t k = 0; k < mean->blocks; k++) {
        double square = 0;
        for (int64_t r = mean->row[k]; r < mean->row[k + 1]; r++) {
            double sum = 0;
            for (int64_t i = 1; i < mean->count; i++)
                sum += mean->x[i * mean->stride + r] * (f[mean->next[i]] - first);
            square += sum * sum;
        }
        total += sqrt(square);
    }
    return total + gap->zeta * (max - min) + FY_UNDERFLOW;
}

double fy_gap_mean_E(fy_gap_pass *gap, const fy_gap_mean *mean)
{
    double follows = mean->upper_E;
    if (mean->support > 1 && follows > 0)
        follows = fmin(follows, joint_mean(gap, mean, gap->after.E));
    return psi_norm(gap, mean) + mean->error + follows;
}

double fy_gap_mean_upper(fy_gap_pass *gap, const fy_gap_mean *mean, const double *f)
{
    double total = 0;
    for (int64_t k = 0; k < mean->support; k++) {
        fy_gap_turn_to(gap, mean->pair[k], &gap->ahead);
        total += mean->weight[k] * fy_gap_upper_mean(gap, &gap->ahead, f);
    }
    return total;
}

/* ------------------------------------------------------------- two of them apart */

/* Where a block's rows begin; -1: it has none. */
static int64_t rows_of(const fy_gap_mean *mean, int64_t block)
{
    for (int64_t k = 0; k < mean->blocks; k++)
        if (mean->block[k] == block)
            return mean->row[k];
    return -1;
}

double fy_gap_mean_apart(fy_gap_pass *gap, const fy_gap_mean *a, const fy_gap_mean *b)
{
    int64_t columns = fy_gap_mean_columns(gap);
    double total = 0, *difference = gap->unknowns > 0 ? gap->mine.Psi : gap->sum_mine;
    for (int64_t k = 0; k < a->blocks; k++) {
        int64_t rows = a->row[k + 1] - a->row[k], other = rows_of(b, a->block[k]);
        const double *Psi = a->Psi + a->row[k] * columns;
        for (int64_t i = 0; i < rows * columns && other >= 0; i++)
            difference[i] = Psi[i] - b->Psi[other * columns + i];
        total += rows_norm(gap, other >= 0 ? difference : Psi, rows);
    }
    for (int64_t k = 0; k < b->blocks; k++)
        if (rows_of(a, b->block[k]) < 0)
            total += rows_norm(gap, b->Psi + b->row[k] * columns, b->row[k + 1] - b->row[k]);
    return total;
}

/* ||x_a - x_b||_B of a successor of both, or of one (the other place is -1). */
static double x_apart(const fy_gap_mean *a, int64_t i, const fy_gap_mean *b, int64_t j)
{
    const double *one = i >= 0 ? a->x + i * a->stride : NULL;
    const double *other = j >= 0 ? b->x + j * b->stride : NULL;
    double total = 0;
    for (int64_t k = 0; k < a->blocks && one; k++) {
        int64_t from = a->row[k], row = other ? rows_of(b, a->block[k]) : -1;
        double square = 0;
        for (int64_t r = 0; r < a->row[k + 1] - from; r++) {
            double d = one[from + r] - (row >= 0 ? other[row + r] : 0);
            square += d * d;
        }
        total += sqrt(square);
    }
    for (int64_t k = 0; k < b->blocks && other; k++) {
        double square = 0;
        if (one && rows_of(a, b->block[k]) >= 0)
            continue;
        for (int64_t r = b->row[k]; r < b->row[k + 1]; r++)
            square += other[r] * other[r];
        total += sqrt(square);
    }
    return total;
}

double fy_gap_mean_spill(fy_gap_pass *gap, const fy_gap_mean *a, const fy_gap_mean *b,
                         const double *f)
{
    double total = 0;
    for (int64_t j = 0; j < b->count; j++)
        gap->in_joint[b->next[j]] = (int32_t)j;
    for (int64_t i = 0; i < a->count; i++) {
        int32_t s = a->next[i], j = gap->in_joint[s];
        double apart = fabs(a->p[i] - (j >= 0 ? b->p[j] : 0));
        if (f[s] > 0)
            total += (apart + x_apart(a, i, b, j)) * f[s];
        gap->in_joint[s] = -1;
    }
    for (int64_t j = 0; j < b->count; j++) {
        int32_t s = b->next[j];
        if (gap->in_joint[s] >= 0 && f[s] > 0)
            total += (fabs(b->p[j]) + x_apart(a, -1, b, j)) * f[s];
        gap->in_joint[s] = -1;
    }
    return total;
}

double fy_gap_mean_rounding(const fy_gap_pass *gap, const fy_gap_mean *a, const fy_gap_mean *b,
                            double left)
{
    double n = (double)(a->count + a->support + b->count + b->support);
    double d = (double)gap->set->basis->max_dim;
    double sizes = sqrt(gap->blocks) * (a->A + b->A) + a->F + b->F + 2 * fmax(a->E_max, b->E_max);
    return a->off + b->off + (sizes > 0 ? FY_UNDERFLOW : 0) +
           FY_UNIT * (4 * (d + 1) * gap->set->kappa_factor + 4 * (n + 4) * left) * sizes;
}
