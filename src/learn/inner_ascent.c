/* ascent: for generator sets too large for both others. From several starts
 *
 *     f_j <- [<w_j, y> > 0],  y = sum_j f_j w_j,   until it stops, then the best single
 *     change of an f_j, as long as one helps
 *
 * gives a lower bound of the maximum; the smallest of several bounds above says how far
 * it can be off. Everything happens along the principal axes of the generators: if m_i is
 * the maximum of |<axis_i, y>|, attained by an f that is one of the starts, then
 * max_i m_i <= maximum <= sqrt(sum_i m_i^2), so that the ratio is never above sqrt(d). */
#include "learn/inner_methods.h"

#include <math.h>
#include <string.h>

/* Starts from the longest axes, and from single generators: all, or evenly spaced ones. */
enum { MOST_AXES = 4, MOST_SINGLES = 16 };
/* Above this many generators their n^2 products are left out of the bounds. */
enum { MOST_PRODUCTS = 512 };

typedef struct climb {
    int64_t n, m, width; /* generators, axes, axes padded */
    const double *w;     /* [n][width] along the axes */
    bool centred;        /* sum_j w_j = 0 */
    const double *axis;  /* [m][n] the same, transposed */
    double *extent;      /* [m] max_f |<axis_i, y>| */
    double *squared;     /* [n] ||w_j||^2 */
    double *y, *t;       /* [width], [n]: t_j = <w_j, y> */
    double *f, *best;    /* [n] of zeros and ones */
    double best_squared;
} climb;

int64_t fy_ascent_room(const fy_basis *basis)
{
    int64_t n = basis->most_generators, d = basis->most_dim, width = fy_padded(d);
    int64_t m = n < d ? n : d;
    return m * width + n * fy_padded(m) + m * n + m + 4 * n + 2 * width;
}

/* -------------------------------------------------------------- lower bound */

/* y = sum_j f_j w_j; returns ||y||^2 */
static double place(climb *c)
{
    memset(c->y, 0, (size_t)c->width * sizeof *c->y);
    for (int64_t j = 0; j < c->n; j++)
        if (c->f[j] != 0)
            fy_add_scaled(c->y, 1, c->w + j * c->width, c->width);
    return fy_dot(c->y, c->y, c->width);
}

static void project(climb *c)
{
    for (int64_t j = 0; j < c->n; j++)
        c->t[j] = fy_dot(c->w + j * c->width, c->y, c->width);
}

/* f_j <- [t_j > 0]; did any change? By <y', y> = sum_j f'_j t_j >= sum_j f_j t_j = ||y||^2 the
 * new y is no shorter. */
static bool follow_signs(climb *c)
{
    bool changed = false;
    for (int64_t j = 0; j < c->n; j++) {
        double f = c->t[j] > 0;
        changed |= f != c->f[j];
        c->f[j] = f;
    }
    return changed;
}

/* Changes the f_j that raises ||y||^2 most, by ||w_j||^2 +- 2 t_j; false if none does. */
static bool change_best(climb *c, double squared)
{
    int64_t best = -1;
    double max = 1e-12 * squared;
    for (int64_t j = 0; j < c->n; j++) {
        double gain = c->squared[j] + (c->f[j] != 0 ? -2 : 2) * c->t[j];
        if (gain > max) {
            max = gain;
            best = j;
        }
    }
    if (best >= 0)
        c->f[best] = 1 - c->f[best];
    return best >= 0;
}

/* Climbs from c->f as long as either kind of step raises ||y||^2. */
static void ascend(climb *c)
{
    double before, squared = place(c);
    do {
        before = squared;
        project(c);
        bool moved = follow_signs(c);
        if (moved)
            squared = place(c);
        if (fy_exceeds(squared, before))
            continue;
        if (moved)
            project(c);
        if (change_best(c, squared))
            squared = place(c);
    } while (fy_exceeds(squared, before));
    if (fy_exceeds(squared, c->best_squared)) {
        c->best_squared = squared;
        memcpy(c->best, c->f, (size_t)c->n * sizeof *c->f);
    }
}

/* f_j <- [axis_j > 0], or < 0: what reaches furthest to that end of axis i. */
static void ascend_from_axis(climb *c, int64_t i, bool far_end)
{
    const double *axis = c->axis + i * c->n;
    for (int64_t j = 0; j < c->n; j++)
        c->f[j] = far_end ? axis[j] < 0 : axis[j] > 0;
    ascend(c);
}

/* The longest axis that comes after `last`, by extent and then by index; -1: none. */
static int64_t next_axis(const climb *c, int64_t last, double extent)
{
    int64_t next = -1;
    for (int64_t i = 0; i < c->m; i++) {
        bool later = c->extent[i] < extent || (c->extent[i] == extent && i > last);
        if (later && (next < 0 || c->extent[i] > c->extent[next]))
            next = i;
    }
    return next;
}

static void climb_from_axes(climb *c)
{
    int64_t i = next_axis(c, -1, INFINITY);
    for (int64_t k = 0; k < MOST_AXES && i >= 0; k++) {
        ascend_from_axis(c, i, false);
        if (!c->centred)
            ascend_from_axis(c, i, true);
        i = next_axis(c, i, c->extent[i]);
    }
}

static void climb_from_singles(climb *c)
{
    int64_t singles = c->n < MOST_SINGLES ? c->n : MOST_SINGLES;
    for (int64_t i = 0; i < singles; i++) {
        memset(c->f, 0, (size_t)c->n * sizeof *c->f);
        c->f[i * c->n / singles] = 1;
        ascend(c);
    }
}

/* Starts: the last maximiser, all ones, the ends of axes, single generators. When
 * centred, all ones give 0, and the ends of an axis opposite points. */
static void climb_from_everywhere(climb *c, const uint64_t *last)
{
    for (int64_t j = 0; j < c->n; j++)
        c->f[j] = fy_inner_bit(last, j);
    ascend(c);
    for (int64_t j = 0; j < c->n; j++)
        c->f[j] = 1;
    if (!c->centred)
        ascend(c);
    climb_from_axes(c);
    climb_from_singles(c);
}

/* ------------------------------------------------------------- upper bounds */

/* With f = (1 + s)/2 the point is y = (y_1 + sum_j s_j w_j)/2, where y_1 belongs to f = 1, and
 * is 0 when centred. Every bound below first bounds ||sum_j s_j w_j|| over signs s. */

/* ||y_1|| */
static double length_of_all(climb *c)
{
    for (int64_t j = 0; j < c->n; j++)
        c->f[j] = 1;
    return sqrt(place(c));
}

/* sum_j ||w_j|| */
static double sum_of_norms(const climb *c)
{
    double sum = 0;
    for (int64_t j = 0; j < c->n; j++)
        sum += sqrt(c->squared[j]);
    return sum;
}

/* sqrt(n lambda), lambda the largest eigenvalue of A A' for the axes A: at most the
 * largest row sum of |A A'|, which is nearly diagonal. */
static double spectral(const climb *c)
{
    double largest = 0;
    for (int64_t i = 0; i < c->m; i++) {
        double sum = 0;
        for (int64_t k = 0; k < c->m; k++)
            sum += fabs(fy_dot(c->axis + i * c->n, c->axis + k * c->n, c->n));
        largest = fmax(largest, sum);
    }
    return sqrt((double)c->n * largest);
}

/* max_f |<axis_i, y>|: the larger of the sums of positive and of negative entries */
static void find_extents(climb *c)
{
    for (int64_t i = 0; i < c->m; i++) {
        double positive = 0, negative = 0;
        for (int64_t j = 0; j < c->n; j++) {
            positive += fmax(c->axis[i * c->n + j], 0);
            negative -= fmin(c->axis[i * c->n + j], 0);
        }
        c->extent[i] = fmax(positive, negative);
    }
}

/* sqrt(sum_i m_i^2): y lies in the box of the extents */
static double box(const climb *c)
{
    return sqrt(fy_dot(c->extent, c->extent, c->m));
}

/* From the products G_jk = <w_j, w_k>, the smaller of
 *     ||y||^2 = sum_jk f_j f_k G_jk <= sum_jk max(0, G_jk)
 *     4 ||y||^2 = 1'G1 + 2 1'Gs + s'Gs <= 1'G1 + sum_j 2 |(G1)_j| + sum_jk |G_jk| */
static double products(const climb *c)
{
    double positive = 0, total = 0, rows = 0, absolute = 0;
    for (int64_t j = 0; j < c->n; j++) {
        double row = 0;
        for (int64_t k = 0; k < c->n; k++) {
            double g = fy_dot(c->w + j * c->width, c->w + k * c->width, c->width);
            positive += fmax(g, 0);
            absolute += fabs(g);
            row += g;
        }
        total += row;
        rows += fabs(row);
    }
    return sqrt(fmin(positive, (total + 2 * rows + absolute) / 4));
}

static double upper_bound(climb *c)
{
    double signs = fmin(sum_of_norms(c), spectral(c));
    double bound = fmin((length_of_all(c) + signs) / 2, box(c));
    return c->n <= MOST_PRODUCTS ? fmin(bound, products(c)) : bound;
}

/* -------------------------------------------------------------------- solve */

/* Few axes are found to the last digit; many, roughly: every bound holds along any
 * orthonormal axes. */
static int64_t sweeps_for(int64_t m)
{
    return m <= 32 ? 8 : 3;
}

/* Turns coordinates [n][width] into principal axes [m][n], and back into coordinates. */
static void find_axes(int64_t n, int64_t m, int64_t width, double *w, double *axis)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            axis[i * n + j] = w[j * width + i];
    fy_orthogonalise(m, n, n, sweeps_for(m), axis);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            w[j * width + i] = axis[i * n + j];
}

void fy_ascent_solve(fy_inner_task *task)
{
    int64_t n = task->n, max = n < task->d ? n : task->d, width = fy_padded(max);
    double *room = task->room, *y = fy_take(&room, task->width);
    double *basis = fy_take(&room, max * task->width), *w = fy_take(&room, n * width);
    double *axis = fy_take(&room, max * n);
    int64_t m = fy_reduce(n, task->d, task->w, basis, w);
    find_axes(n, m, width, w, axis);
    climb c = {.n = n, .m = m, .width = width, .w = w, .axis = axis};
    c.centred = task->inner->basis->centred;
    c.extent = fy_take(&room, m);
    c.squared = fy_take(&room, n);
    c.y = fy_take(&room, width);
    c.t = fy_take(&room, n);
    c.f = fy_take(&room, n);
    c.best = fy_take(&room, n);
    memset(c.best, 0, (size_t)n * sizeof *c.best);
    for (int64_t j = 0; j < n; j++)
        c.squared[j] = fy_dot(w + j * width, w + j * width, width);
    find_extents(&c);
    climb_from_everywhere(&c, task->bits);
    for (int64_t j = 0; j < n; j++)
        fy_inner_set_bit(task->bits, j, c.best[j] != 0);
    task->value = fy_inner_value(task, y);
    task->upper = fmax(task->value, upper_bound(&c));
}
