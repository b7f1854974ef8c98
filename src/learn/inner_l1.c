/* l1: the paper's surrogate max_f ||Sigma^{-1/2} psi'_f||_1. The paper calls it a linear
 * program; it maximises a convex function and is none. But for fixed signs x
 *
 *     max_f <x, sum_j f_j w_j> = sum_j max(0, <x, w_j>),   w_j = Sigma^{-1/2} g_j
 *
 * so that all 2^d sign vectors give the optimum. As ||.||_2 <= ||.||_1 <= sqrt(d) ||.||_2
 * it bounds the maximum of the 2-norm from above, and its f is within sqrt(d) of it. */
#include "learn/inner_methods.h"

#include <math.h>
#include <string.h>

int64_t fy_l1_room(const fy_basis *basis)
{
    return (2 * (int64_t)basis->most_dim + 1) * basis->most_generators + fy_padded(basis->most_dim);
}

/* Sigma = L L' and Q'L with orthogonal rows give Sigma = Q Lambda Q', where Lambda_i is
 * the squared norm of row i; the rotations that make them so turn I into Q'. */
void fy_l1_root(const fy_ridge *ridge, int64_t block, double *root, double *room)
{
    int64_t d = ridge->basis->block[block].dim;
    const double *factor = ridge->factor + ridge->at_matrix[block];
    memset(room, 0, (size_t)(2 * d * d) * sizeof *room);
    for (int64_t i = 0; i < d; i++) {
        memcpy(room + 2 * d * i, factor + i * (i + 1) / 2, (size_t)(i + 1) * sizeof *room);
        room[2 * d * i + d + i] = 1;
    }
    fy_orthogonalise(d, d, 2 * d, 60, room);
    memset(root, 0, (size_t)(d * d) * sizeof *root);
    for (int64_t k = 0; k < d; k++) {
        const double *row = room + 2 * d * k, *q = row + d;
        double scale = 1 / sqrt(fy_dot(row, row, d));
        for (int64_t i = 0; i < d; i++)
            for (int64_t j = 0; j < d; j++)
                root[i * d + j] += scale * q[i] * q[j];
    }
}

/* t_j = <x, w_j>, x_i = +1 where bit i of `signs` is set, else -1 */
static void project(const fy_inner_task *task, uint64_t signs, double *t)
{
    for (int64_t j = 0; j < task->n; j++) {
        const double *w = task->w + j * task->width;
        t[j] = 0;
        for (int64_t i = 0; i < task->d; i++)
            t[j] += signs >> i & 1 ? w[i] : -w[i];
    }
}

/* sum_j max(0, t_j) */
static double positive_sum(int64_t n, const double *t)
{
    double sum[4] = {0, 0, 0, 0};
    int64_t j = 0;
    for (; j + 4 <= n; j += 4)
        for (int lane = 0; lane < 4; lane++)
            sum[lane] += t[j + lane] > 0 ? t[j + lane] : 0;
    for (; j < n; j++)
        sum[0] += t[j] > 0 ? t[j] : 0;
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* column[i][j] = 2 w_ji: what setting bit i adds to t_j */
static void form_columns(const fy_inner_task *task, int64_t count, double *column)
{
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < task->n; j++)
            column[i * task->n + j] = 2 * task->w[j * task->width + i];
}

/* All sign vectors of `count` coordinates in the order of binary numbers, starting from
 * t in the last level. The vector whose lowest set bit is i comes from the one without
 * that bit, whose t is in the level of its own lowest bit: one addition per generator,
 * and no sum is longer than `count` terms. */
static uint64_t walk_signs(int64_t n, int64_t count, const double *column, double *level)
{
    uint64_t best_signs = 0, last = ((uint64_t)1 << count) - 1;
    double best = positive_sum(n, level + count * n);
    for (uint64_t v = 1; v <= last; v++) {
        int64_t i = __builtin_ctzll(v);
        uint64_t above = v & (v - 1);
        const double *from = level + (above ? __builtin_ctzll(above) : count) * n;
        const double *change = column + i * n;
        double *to = level + i * n;
        for (int64_t j = 0; j < n; j++)
            to[j] = from[j] + change[j];
        double value = positive_sum(n, to);
        if (fy_exceeds(value, best)) {
            best = value;
            best_signs = v;
        }
    }
    return best_signs;
}

void fy_l1_solve(fy_inner_task *task)
{
    /* Centred: sum_j t_j = 0, so that -x is as good as x, and the last sign stays -1. */
    int64_t n = task->n, count = task->inner->basis->centred ? task->d - 1 : task->d;
    double *room = task->room, *y = fy_take(&room, task->width);
    double *column = fy_take(&room, count * n), *level = fy_take(&room, (count + 1) * n);
    form_columns(task, count, column);
    project(task, 0, level + count * n);
    uint64_t signs = walk_signs(n, count, column, level);
    project(task, signs, level);
    for (int64_t j = 0; j < n; j++)
        fy_inner_set_bit(task->bits, j, level[j] > 0);
    task->upper = positive_sum(n, level);
    task->value = fy_inner_value(task, y);
}
