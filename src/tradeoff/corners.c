/* corners.c - see corners.h. Every vertex is where m of the planes z = w.v_k and w_i = 0 meet;
 * with a policy come those that lie on its plane and are above no other: brute force over all
 * (m-1)-subsets of the others. */
#include "tradeoff/corners.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ROWS = FORAY_MAX_REWARDS + 1 };

/* What is tight and what counts as inside, relative to the largest value; what is too flat an angle
 * for a corner, and which corners are one. */
static const double tight = 1e-7, inside = 1e-10, flat = 1e-11, same = 1e-11;

void fy_corners_begin(fy_corners *corners, fy_arena *arena, int64_t m)
{
    *corners = (fy_corners){.arena = arena, .m = m};
}

double fy_corners_value(const fy_corners *corners, const double *w, int64_t policy)
{
    double sum = 0;
    for (int64_t i = 0; i < corners->m; i++)
        sum += w[i] * corners->value[policy * corners->m + i];
    return sum;
}

bool fy_corners_tight(const fy_corners *corners, const fy_corner *corner, int64_t policy)
{
    return fy_corners_value(corners, corner->w, policy) >= corner->z - tight * corners->size;
}

/* ------------------------------------------------------------- one linear system */

typedef struct equations {
    int64_t n;
    double a[ROWS][ROWS], inverse[ROWS][ROWS];
} equations;

static void subtract_row(equations *e, int64_t row, int64_t from, double times)
{
    for (int64_t j = 0; j < e->n; j++) {
        e->a[row][j] -= times * e->a[from][j];
        e->inverse[row][j] -= times * e->inverse[from][j];
    }
}

static void swap_rows(equations *e, int64_t r, int64_t s)
{
    double row[ROWS];
    memcpy(row, e->a[r], sizeof row);
    memcpy(e->a[r], e->a[s], sizeof row);
    memcpy(e->a[s], row, sizeof row);
    memcpy(row, e->inverse[r], sizeof row);
    memcpy(e->inverse[r], e->inverse[s], sizeof row);
    memcpy(e->inverse[s], row, sizeof row);
}

/* Gauss-Jordan with the largest pivot of a column; false: it is flat. */
static bool invert(equations *e)
{
    for (int64_t i = 0; i < e->n; i++)
        for (int64_t j = 0; j < e->n; j++)
            e->inverse[i][j] = i == j;
    for (int64_t c = 0; c < e->n; c++) {
        int64_t best = c;
        for (int64_t r = c + 1; r < e->n; r++)
            best = fabs(e->a[r][c]) > fabs(e->a[best][c]) ? r : best;
        if (!(fabs(e->a[best][c]) > flat))
            return false;
        swap_rows(e, c, best);
        double pivot = e->a[c][c];
        for (int64_t j = 0; j < e->n; j++) {
            e->a[c][j] /= pivot;
            e->inverse[c][j] /= pivot;
        }
        for (int64_t r = 0; r < e->n; r++)
            if (r != c && e->a[r][c] != 0)
                subtract_row(e, r, c, e->a[r][c]);
    }
    return true;
}

/* -------------------------------------------------------------------- one vertex */

/* The plane of policy k, or, past the policies, w_i = 0; unknowns are w_1..w_m and z, in units of
 * the largest value. */
static void plane(const fy_corners *corners, int64_t which, double row[ROWS])
{
    int64_t m = corners->m;
    memset(row, 0, ROWS * sizeof *row);
    if (which >= corners->policies) {
        row[which - corners->policies] = 1;
        return;
    }
    for (int64_t i = 0; i < m; i++)
        row[i] = corners->value[which * m + i] / corners->size;
    row[m] = -1;
}

/* What is left of A x - b, b = (1, 0, .., 0). */
static double residual(double a[ROWS][ROWS], const double *x, int64_t n)
{
    double worst = 0;
    for (int64_t r = 0; r < n; r++) {
        double sum = r == 0 ? -1 : 0, size = 0;
        for (int64_t j = 0; j < n; j++) {
            sum += a[r][j] * x[j];
            size += fabs(a[r][j] * x[j]);
        }
        worst = fmax(worst, fabs(sum) + (double)(n + 2) * DBL_EPSILON * (size + 1));
    }
    return worst;
}

/* |x - x'| <= ||A^-1|| |A x - b| */
static double error_of(const equations *e, double left)
{
    double norm = 0;
    for (int64_t i = 0; i < e->n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < e->n; j++)
            sum += fabs(e->inverse[i][j]);
        norm = fmax(norm, sum);
    }
    return 2 * norm * left;
}

/* Where these m planes meet on sum_i w_i = 1; false where they do not, or outside of the simplex.
 */
static bool meet(const fy_corners *corners, const int64_t *planes, fy_corner *out)
{
    int64_t m = corners->m;
    equations e = {.n = m + 1};
    double a[ROWS][ROWS], x[ROWS] = {0};
    for (int64_t i = 0; i < m; i++)
        e.a[0][i] = 1;
    for (int64_t r = 0; r < m; r++)
        plane(corners, planes[r], e.a[r + 1]);
    memcpy(a, e.a, sizeof a);
    if (!invert(&e))
        return false;
    for (int64_t i = 0; i <= m; i++)
        x[i] = e.inverse[i][0];
    double off = error_of(&e, residual(a, x, m + 1)), sum = 0;
    *out = (fy_corner){0};
    for (int64_t r = 0; r < m; r++) { /* an edge of the simplex is exactly there */
        double *edge = planes[r] < corners->policies ? NULL : &x[planes[r] - corners->policies];
        off = edge ? fmax(off, fabs(*edge)) : off;
        if (edge)
            *edge = 0;
    }
    for (int64_t i = 0; i < m; i++) {
        if (!(x[i] >= -inside))
            return false;
        sum += out->w[i] = fmax(x[i], 0);
    }
    /* What is divided by the sum, and was cut off, moves by no more than it was off. */
    for (int64_t i = 0; i < m; i++) {
        off = fmax(off, fabs(out->w[i] - x[i]));
        out->w[i] /= sum;
    }
    out->off = (double)m * (2 * off + fabs(sum - 1));
    return true;
}

/* z of a corner: the best of all policies. */
static double height(const fy_corners *corners, const double *w)
{
    double z = -INFINITY;
    for (int64_t k = 0; k < corners->policies; k++)
        z = fmax(z, fy_corners_value(corners, w, k));
    return z;
}

/* One that is as good as the same stands for both. */
static bool is_there(fy_corners *corners, const fy_corner *corner)
{
    for (int64_t c = 0; c < corners->count; c++) {
        fy_corner *old = &corners->corner[c];
        double apart = 0;
        for (int64_t i = 0; i < corners->m; i++)
            apart += fabs(old->w[i] - corner->w[i]);
        if (apart > same)
            continue;
        old->off = fmax(old->off, corner->off + apart);
        return true;
    }
    return false;
}

static foray_status add_vertex(fy_corners *corners, const int64_t *planes, int64_t newest)
{
    fy_corner corner;
    if (!meet(corners, planes, &corner))
        return FORAY_OK;
    corner.z = height(corners, corner.w);
    if (fy_corners_value(corners, corner.w, newest) < corner.z - inside * corners->size ||
        is_there(corners, &corner))
        return FORAY_OK;
    fy_corner *grown = fy_arena_grow(corners->arena, corners->corner, &corners->corner_room,
                                     corners->count + 1, sizeof *grown);
    if (!grown)
        return FORAY_ERROR_MEMORY;
    corner.id = corners->ids++;
    corners->corner = grown;
    corners->corner[corners->count++] = corner;
    return FORAY_OK;
}

/* ------------------------------------------------------------------- one policy more */

static void drop_below(fy_corners *corners, int64_t newest)
{
    int64_t kept = 0;
    for (int64_t c = 0; c < corners->count; c++) {
        fy_corner *corner = &corners->corner[c];
        if (fy_corners_value(corners, corner->w, newest) <= corner->z + inside * corners->size)
            corners->corner[kept++] = *corner;
    }
    corners->count = kept;
}

/* All vertices on the newest plane: it and every (m-1)-subset of the others. */
static foray_status add_vertices(fy_corners *corners, int64_t newest)
{
    int64_t m = corners->m, others = corners->policies - 1 + m, left = m - 1;
    int64_t pick[FORAY_MAX_REWARDS] = {0}, planes[FORAY_MAX_REWARDS] = {0};
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < left; i++)
        pick[i] = i;
    while (status == FORAY_OK) {
        planes[0] = newest;
        for (int64_t i = 0; i < left; i++)
            planes[i + 1] = pick[i] < newest ? pick[i] : pick[i] + 1;
        status = add_vertex(corners, planes, newest);
        int64_t i = left - 1;
        while (i >= 0 && pick[i] == others - left + i)
            i--;
        if (i < 0)
            break;
        pick[i]++;
        for (int64_t j = i + 1; j < left; j++)
            pick[j] = pick[j - 1] + 1;
    }
    return status;
}

foray_status fy_corners_add(fy_corners *corners, const double *value)
{
    int64_t m = corners->m;
    double *grown = fy_arena_grow(corners->arena, corners->value, &corners->value_room,
                                  (corners->policies + 1) * m, sizeof *grown);
    if (!grown)
        return FORAY_ERROR_MEMORY;
    corners->value = grown;
    memcpy(grown + corners->policies * m, value, (size_t)m * sizeof *value);
    for (int64_t i = 0; i < m; i++)
        corners->size = fmax(corners->size, fmax(fabs(value[i]), DBL_MIN));
    int64_t newest = corners->policies++;
    drop_below(corners, newest);
    return add_vertices(corners, newest);
}
