#include "learn/whiten.h"
#include "learn/dense.h"

/* Where row i of a packed lower triangle starts. */
static inline int64_t row_at(int64_t i)
{
    return i * (i + 1) / 2;
}

/* L y = x for one vector, in place: y_i = (x_i - sum_{k<i} L_ik y_k) / L_ii */
static void solve_one(int64_t d, const double *factor, double *x)
{
    for (int64_t i = 0; i < d; i++) {
        const double *row = factor + row_at(i);
        x[i] = (x[i] - fy_dot(row, x, i)) / row[i];
    }
}

/* Up to here a whole right-hand side of some vectors lies on the stack. */
enum { TILE_DIM = 256 };

/* Rows from here on are summed in four parts: one sum alone would wait for itself. */
enum { LONG_ROW = 16 };

/* sum -= row_0 y_0 + ... + row_{count-1} y_{count-1} */
static inline void subtract_row(int64_t count, const double *row, const fy_register *y,
                                fy_register *sum)
{
    fy_register part[4] = {*sum, {0}, {0}, {0}};
    int64_t k = 0;
    if (count >= LONG_ROW) {
        for (; k + 4 <= count; k += 4)
            for (int q = 0; q < 4; q++)
                part[q] -= row[k + q] * y[k + q];
        part[0] += (part[1] + part[2]) + part[3];
    }
    for (; k < count; k++)
        part[0] -= row[k] * y[k];
    *sum = part[0];
}

/* L y = x for as many vectors as a register has lanes, side by side in those of y. */
static void solve_tile(int64_t d, const double *factor, int64_t count, double *x)
{
    fy_register y[TILE_DIM];
    for (int64_t i = 0; i < d; i++) {
        const double *row = factor + row_at(i);
        fy_register sum = {0};
        for (int64_t lane = 0; lane < count; lane++)
            sum[lane] = x[lane * d + i];
        subtract_row(i, row, y, &sum);
        y[i] = sum * (1 / row[i]);
    }
    for (int64_t lane = 0; lane < count; lane++)
        for (int64_t i = 0; i < d; i++)
            x[lane * d + i] = y[i][lane];
}

/* L y = x for four long vectors that share the loads of each row. */
static void solve_four(int64_t d, const double *factor, double *x)
{
    for (int64_t i = 0; i < d; i++) {
        const double *row = factor + row_at(i);
        int64_t whole = i & ~(int64_t)(FY_WIDTH - 1);
        fy_eight sum[4] = {0};
        for (int64_t k = 0; k < whole; k += FY_WIDTH) {
            for (int q = 0; q < 4; q++)
                FY_UNROLL for (int64_t p = 0; p < FY_PARTS; p++) sum[q].part[p] +=
                    fy_register_load(row + k + p * FY_REGISTER) *
                    fy_register_load(x + q * d + k + p * FY_REGISTER);
        }
        for (int q = 0; q < 4; q++) {
            double *y = x + q * d;
            double rest = fy_dot(row + whole, y + whole, i - whole);
            y[i] = (y[i] - (fy_eight_sum(&sum[q]) + rest)) / row[i];
        }
    }
}

void FY_AT_LEVEL(fy_whiten)(int64_t d, const double *factor, int64_t count, double *x)
{
    int64_t at = 0;
    if (d <= TILE_DIM) {
        for (; at < count; at += FY_REGISTER)
            solve_tile(d, factor, count - at < FY_REGISTER ? count - at : FY_REGISTER, x + at * d);
        return;
    }
    for (; at + 4 <= count; at += 4)
        solve_four(d, factor, x + at * d);
    for (; at < count; at++)
        solve_one(d, factor, x + at * d);
}
