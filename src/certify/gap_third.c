/* gap_third.c - the gap certificate to the third order (gap.h), where unknowns are few: what the
 * second order bounds by norms step by step, E and dPsi, is here kept as a matrix K for each state,
 * so that it cancels between two actions as J does. */
#include "certify/gap_pass.h"

#include <math.h>
#include <string.h>

/* Beyond this T, [d][unknowns][unknowns], costs too much time, or K too much memory: MiB for two
 * steps. */
enum { MOST_PRODUCT = 30, MOST_MEMORY = 256 };

bool fy_gap_third_fits(const fy_confidence *set)
{
    int64_t U = set->basis->unknowns, d = set->basis->most_dim;
    double numbers = 2 * (double)set->basis->model->states * (double)(U * U);
    return U <= FY_GAP_THIRD && U * d <= MOST_PRODUCT &&
           numbers * sizeof(double) <= (double)MOST_MEMORY * 0x1p20;
}

void fy_gap_third_prepare(fy_gap_pass *gap)
{
    const int64_t *at = gap->set->ridge->at_vector;
    gap->parts = 0;
    for (int64_t g = 0; g < gap->set->basis->blocks && gap->third; g++)
        if (at[g + 1] > at[g])
            gap->part[gap->parts++] = at[g];
    gap->part[gap->parts] = gap->unknowns;
}

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

/* How far rounding can move the sums of one action: as in fy_gap_rounding, for products of three
 * x instead of one or two. */
static double rounding(const fy_gap_pass *gap, const fy_gap_choice *c, double left)
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
void fy_gap_third_work_out(const fy_gap_pass *gap, fy_gap_choice *c)
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
double fy_gap_third_state(fy_gap_pass *gap, int64_t s, double left)
{
    const fy_gap_choice *mine = &gap->mine;
    fy_gap_layer *now = &gap->now;
    int64_t size = gap->unknowns * gap->unknowns;
    memcpy(now->K + s * size, mine->K, (size_t)size * sizeof *now->K);
    now->G[s] = mine->G;
    now->rest[s] = pair_norm(gap, mine->T, mine->d) + fy_gap_upper_mean(gap, mine, gap->after.rest);
    return pair_norm(gap, mine->K, 1) + now->rest[s] + rounding(gap, mine, left);
}

/* ----------------------------------------------------------------- two actions apart */

/* ||dK|| + ||dT|| + sum_s' (|dp(s')| + ||dx(s')||) rest(s'); K and T of `other` become
 * differences. */
double fy_gap_third_difference(fy_gap_pass *gap, double left)
{
    fy_gap_choice *mine = &gap->mine, *other = &gap->other;
    int64_t size = gap->unknowns * gap->unknowns;
    double total = rounding(gap, mine, left) + rounding(gap, other, left) +
                   fy_gap_difference_spill(gap, other, mine, gap->after.rest);
    for (int64_t i = 0; i < size; i++)
        other->K[i] -= mine->K[i];
    total += pair_norm(gap, other->K, 1);
    if (other->block != mine->block)
        return total + pair_norm(gap, other->T, other->d) + pair_norm(gap, mine->T, mine->d);
    for (int64_t i = 0; i < size * other->d; i++)
        other->T[i] -= mine->T[i];
    return total + pair_norm(gap, other->T, other->d);
}
