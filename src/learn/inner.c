/* inner.c - the three ways to maximise ||psi'_f||_{Sigma^-1} over f, each for one generator set
 * whose generators have been whitened: psi'_f becomes sum_j f_j w_j, with the Euclidean norm. Then
 * what all sets have in common. */
#include "learn/inner.h"
#include "base/threads.h"
#include "learn/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct inner_task {
    const fy_inner *inner;
    int64_t generator_set, n, d;
    int64_t width;   /* of a row: d padded */
    const double *w; /* [n][width] */
    double *room;    /* as much as the method's fy_..._room said */
    uint64_t *bits;  /* in: the last maximiser; out: the new one */
    double value;    /* out: ||psi'_f|| of the maximiser */
    double upper;    /* out: upper bound of the maximum */
} inner_task;

/* Larger by more than rounding: of maximisers that tie, the first one met is kept,
 * whatever the compiler made of the sums. */
static inline bool exceeds(double squared, double best)
{
    return squared > best * (1 + 1e-12);
}

/* The next `count` numbers of a thread's room. */
static inline double *take(double **room, int64_t count)
{
    double *taken = *room;
    *room += count;
    return taken;
}

static inline void set_bit(uint64_t *bits, int64_t j, bool on)
{
    uint64_t bit = (uint64_t)1 << (j % 64);
    bits[j / 64] = on ? bits[j / 64] | bit : bits[j / 64] & ~bit;
}

/* l1 walks 2^d_g sign vectors: blocks may not be larger than this. */
enum { L1_MAX_DIM = 24 };

static double value_of_bits(const inner_task *task, double *y)
{
    memset(y, 0, (size_t)task->width * sizeof *y);
    for (int64_t j = 0; j < task->n; j++)
        if (fy_inner_bit(task->bits, j))
            fy_add_scaled(y, 1, task->w + j * task->width, task->width);
    return sqrt(fy_dot(y, y, task->width));
}

/* ======================================================================================== exact */

/* exact: the maximum of a convex function over a zonotope is at a vertex, and where the
 * vertices are does not depend on Sigma: walks.h knows. */

/* A tree's subsets are counted in one word; far more than anyone waits for. */
enum { MAX_TREE = 62 };

static int64_t exact_room(const fy_basis *basis, const fy_walks *walks)
{
    int64_t groups = walks->max_groups, width = fy_padded(basis->max_dim);
    int64_t tree = groups < MAX_TREE ? groups : MAX_TREE;
    return 3 * (groups + 1) * width + groups + 2 * width + 2 * (tree + 1) * (tree + 1);
}

/* h_k = sum of the generators of group k one way - sum of those the other way,
 * o = the sum of all the other way, in the row behind them */
static void merge_groups(const inner_task *task, const fy_walk *walk, double *h)
{
    const int32_t *side = task->inner->walks->side + walk->at_side;
    int64_t width = task->width;
    double *offset = h + walk->groups * width;
    memset(h, 0, (size_t)((walk->groups + 1) * width) * sizeof *h);
    for (int64_t j = 0; j < task->n; j++) {
        const double *w = task->w + j * width;
        if (side[j] > 0) {
            fy_add_scaled(h + (side[j] - 1) * width, 1, w, width);
        } else if (side[j] < 0) {
            fy_add_scaled(h + (-side[j] - 1) * width, -1, w, width);
            fy_add_scaled(offset, 1, w, width);
        }
    }
}

/* f_j = [group of j is in], or its opposite */
static void groups_to_bits(const inner_task *task, const fy_walk *walk, const double *in)
{
    const int32_t *side = task->inner->walks->side + walk->at_side;
    for (int64_t j = 0; j < task->n; j++)
        set_bit(task->bits, j,
                side[j] > 0   ? in[side[j] - 1] != 0
                : side[j] < 0 ? in[-side[j] - 1] == 0
                              : false);
}

/* -------------------------------------------------------------------- tree */

/* gram[k][i] = <h_k, h_i> for i <= k < count; the last row is that of the offset. */
static void form_gram(int64_t count, int64_t width, const double *h, const double *offset,
                      double *gram)
{
    for (int64_t k = 0; k <= count; k++) {
        const double *row = k < count ? h + k * width : offset;
        for (int64_t i = 0; i <= k; i++)
            gram[k * (count + 1) + i] = fy_dot(row, i < count ? h + i * width : offset, width);
    }
}

/* All subsets v of `count` groups, in the order of v as a binary number. With y the
 * point of a subset whose groups are all above j, adding j gives
 *
 *     ||y + h_j||^2 = ||y||^2 + 2 <h_j, y> + ||h_j||^2,   <h_i, y + h_j> = <h_i, y> + <h_i, h_j>
 *
 * and only i < j is needed later: level j keeps these sums for the subset whose lowest
 * group is j. On average that is one sum per subset, none longer than `count` terms. */
static uint64_t walk_tree(foray_context *ctx, int64_t count, const double *gram, double *level)
{
    const uint64_t often = (1 << 18) - 1;
    int64_t stride = count + 1;
    double *root = level + count * stride, best;
    uint64_t best_subset = 0, last = ((uint64_t)1 << count) - 1;
    memcpy(root, gram + count * stride, (size_t)stride * sizeof *root);
    best = root[count];
    for (uint64_t v = 1; v <= last; v++) {
        if ((v & often) == 0 && fy_stopped(ctx))
            break;
        int64_t j = __builtin_ctzll(v);
        uint64_t above = v & (v - 1);
        int64_t parent = above ? __builtin_ctzll(above) : count;
        const double *from = level + parent * stride, *row = gram + j * stride;
        double *to = level + j * stride;
        for (int64_t i = 0; i < j; i++)
            to[i] = from[i] + row[i];
        /* The square itself lies where the level's own product would. */
        to[j] = from[parent] + 2 * from[j] + row[j];
        if (exceeds(to[j], best)) {
            best = to[j];
            best_subset = v;
        }
    }
    return best_subset;
}

static void solve_tree(const inner_task *task, const fy_walk *walk, const double *h, double *room)
{
    int64_t groups = walk->groups, free_groups = groups;
    if (task->inner->walks->half && groups > 0)
        free_groups--;
    double *gram = take(&room, (free_groups + 1) * (free_groups + 1));
    double *level = take(&room, (free_groups + 1) * (free_groups + 1));
    double *in = take(&room, groups);
    form_gram(free_groups, task->width, h, h + groups * task->width, gram);
    uint64_t subset = walk_tree(task->inner->ctx, free_groups, gram, level);
    for (int64_t k = 0; k < groups; k++)
        in[k] = (double)(k < free_groups ? subset >> k & 1 : 0);
    groups_to_bits(task, walk, in);
}

/* -------------------------------------------------------------------- list */

/* y = o + sum of the groups that are in; the offset lies behind the groups. */
static void place(int64_t groups, int64_t width, const double *h, const double *in, double *y)
{
    memcpy(y, h + groups * width, (size_t)width * sizeof *y);
    for (int64_t k = 0; k < groups; k++)
        if (in[k] != 0)
            fy_add_scaled(y, 1, h + k * width, width);
}

/* After so many flips y is recomputed, so that rounding does not build up. */
enum { FRESH_EVERY = 4096 };

/* Follows the flips; returns how many of them lead to the best vertex. */
static int64_t walk_list(int64_t groups, int64_t width, const double *h, int64_t flips,
                         const uint16_t *flip, double *in, double *y)
{
    int64_t best_at = 0;
    memset(in, 0, (size_t)groups * sizeof *in);
    place(groups, width, h, in, y);
    double best = fy_dot(y, y, width);
    for (int64_t i = 0; i < flips; i++) {
        int64_t k = flip[i] & FY_FLIP_GROUP;
        double step = 1 - 2 * in[k];
        in[k] += step;
        if (i % FRESH_EVERY == 0)
            place(groups, width, h, in, y);
        else
            fy_add_scaled(y, step, h + k * width, width);
        if (!(flip[i] & FY_FLIP_VISIT))
            continue;
        double squared = fy_dot(y, y, width);
        if (exceeds(squared, best)) {
            best = squared;
            best_at = i + 1;
        }
    }
    return best_at;
}

static void solve_list(const inner_task *task, const fy_walk *walk, const double *h, double *room)
{
    const uint16_t *flip = task->inner->walks->flip + walk->at_flip;
    int64_t groups = walk->groups, width = task->width;
    if (fy_padded(groups + 1) < width) {
        /* Fewer groups than dimensions: shorter rows with the same products. */
        double *basis = take(&room, (groups + 1) * width);
        double *reduced = take(&room, (groups + 1) * fy_padded(groups + 1));
        fy_reduce(groups + 1, task->d, h, basis, reduced);
        width = fy_padded(groups + 1);
        h = reduced;
    }
    double *in = take(&room, groups), *y = take(&room, width);
    int64_t best_at = walk_list(groups, width, h, walk->flips, flip, in, y);
    memset(in, 0, (size_t)groups * sizeof *in);
    for (int64_t i = 0; i < best_at; i++)
        in[flip[i] & FY_FLIP_GROUP] = 1 - in[flip[i] & FY_FLIP_GROUP];
    groups_to_bits(task, walk, in);
}

/* ------------------------------------------------------------------- solve */

static void exact_solve(inner_task *task)
{
    const fy_walks *walks = task->inner->walks;
    const fy_walk *walk = walks->walk + walks->walk_of[task->generator_set];
    double *room = task->room, *y = take(&room, task->width);
    double *h = take(&room, (walk->groups + 1) * task->width);
    merge_groups(task, walk, h);
    if (walk->listed)
        solve_list(task, walk, h, room);
    else
        solve_tree(task, walk, h, room);
    task->value = value_of_bits(task, y);
    task->upper = task->value;
}

/* =========================================================================================== l1 */

/* l1: the paper's surrogate max_f ||Sigma^{-1/2} psi'_f||_1. The paper calls it a linear
 * program; it maximises a convex function and is none. But for fixed signs x
 *
 *     max_f <x, sum_j f_j w_j> = sum_j max(0, <x, w_j>),   w_j = Sigma^{-1/2} g_j
 *
 * so that all 2^d sign vectors give the optimum. As ||.||_2 <= ||.||_1 <= sqrt(d) ||.||_2
 * it bounds the maximum of the 2-norm from above, and its f is within sqrt(d) of it. */

static int64_t l1_room(const fy_basis *basis)
{
    return (2 * (int64_t)basis->max_dim + 1) * basis->max_generators + fy_padded(basis->max_dim);
}

/* Sigma = L L' and Q'L with orthogonal rows give Sigma = Q Lambda Q', where Lambda_i is
 * the squared norm of row i; the rotations that make them so turn I into Q'. */
static void l1_root(const fy_ridge *ridge, int64_t block, double *root, double *room)
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
static void project(const inner_task *task, uint64_t signs, double *t)
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
static void form_columns(const inner_task *task, int64_t count, double *column)
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
        if (exceeds(value, best)) {
            best = value;
            best_signs = v;
        }
    }
    return best_signs;
}

static void l1_solve(inner_task *task)
{
    /* Centred: sum_j t_j = 0, so that -x is as good as x, and the last sign stays -1. */
    int64_t n = task->n, count = task->inner->basis->centred ? task->d - 1 : task->d;
    double *room = task->room, *y = take(&room, task->width);
    double *column = take(&room, count * n), *level = take(&room, (count + 1) * n);
    form_columns(task, count, column);
    project(task, 0, level + count * n);
    uint64_t signs = walk_signs(n, count, column, level);
    project(task, signs, level);
    for (int64_t j = 0; j < n; j++)
        set_bit(task->bits, j, level[j] > 0);
    task->upper = positive_sum(n, level);
    task->value = value_of_bits(task, y);
}

/* ======================================================================================= ascent */

/* ascent: for generator sets too large for both others. From several starts
 *
 *     f_j <- [<w_j, y> > 0],  y = sum_j f_j w_j,   until it stops, then the best single
 *     change of an f_j, as long as one helps
 *
 * gives a lower bound of the maximum; the smallest of several bounds above says how far
 * it can be off. Everything happens along the principal axes of the generators: if m_i is
 * the maximum of |<axis_i, y>|, attained by an f that is one of the starts, then
 * max_i m_i <= maximum <= sqrt(sum_i m_i^2), so that the ratio is never above sqrt(d). */

/* Starts from the longest axes, and from single generators: all, or evenly spaced ones. */
enum { MAX_AXES = 4, MAX_SINGLES = 16 };
/* Above this many generators their n^2 products are left out of the bounds. */
enum { MAX_PRODUCTS = 512 };

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

static int64_t ascent_room(const fy_basis *basis)
{
    int64_t n = basis->max_generators, d = basis->max_dim, width = fy_padded(d);
    int64_t m = n < d ? n : d;
    return m * width + n * fy_padded(m) + m * n + m + 4 * n + 2 * width;
}

/* -------------------------------------------------------------- lower bound */

/* y = sum_j f_j w_j; returns ||y||^2 */
static double place_starts(climb *c)
{
    memset(c->y, 0, (size_t)c->width * sizeof *c->y);
    for (int64_t j = 0; j < c->n; j++)
        if (c->f[j] != 0)
            fy_add_scaled(c->y, 1, c->w + j * c->width, c->width);
    return fy_dot(c->y, c->y, c->width);
}

static void project_on_axes(climb *c)
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
    double before, squared = place_starts(c);
    do {
        before = squared;
        project_on_axes(c);
        bool moved = follow_signs(c);
        if (moved)
            squared = place_starts(c);
        if (exceeds(squared, before))
            continue;
        if (moved)
            project_on_axes(c);
        if (change_best(c, squared))
            squared = place_starts(c);
    } while (exceeds(squared, before));
    if (exceeds(squared, c->best_squared)) {
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
    for (int64_t k = 0; k < MAX_AXES && i >= 0; k++) {
        ascend_from_axis(c, i, false);
        if (!c->centred)
            ascend_from_axis(c, i, true);
        i = next_axis(c, i, c->extent[i]);
    }
}

static void climb_from_singles(climb *c)
{
    int64_t singles = c->n < MAX_SINGLES ? c->n : MAX_SINGLES;
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
    return sqrt(place_starts(c));
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
    return c->n <= MAX_PRODUCTS ? fmin(bound, products(c)) : bound;
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

static void ascent_solve(inner_task *task)
{
    int64_t n = task->n, max = n < task->d ? n : task->d, width = fy_padded(max);
    double *room = task->room, *y = take(&room, task->width);
    double *basis = take(&room, max * task->width), *w = take(&room, n * width);
    double *axis = take(&room, max * n);
    int64_t m = fy_reduce(n, task->d, task->w, basis, w);
    find_axes(n, m, width, w, axis);
    climb c = {.n = n, .m = m, .width = width, .w = w, .axis = axis};
    c.centred = task->inner->basis->centred;
    c.extent = take(&room, m);
    c.squared = take(&room, n);
    c.y = take(&room, width);
    c.t = take(&room, n);
    c.f = take(&room, n);
    c.best = take(&room, n);
    memset(c.best, 0, (size_t)n * sizeof *c.best);
    for (int64_t j = 0; j < n; j++)
        c.squared[j] = fy_dot(w + j * width, w + j * width, width);
    find_extents(&c);
    climb_from_everywhere(&c, task->bits);
    for (int64_t j = 0; j < n; j++)
        set_bit(task->bits, j, c.best[j] != 0);
    task->value = value_of_bits(task, y);
    task->upper = fmax(task->value, upper_bound(&c));
}

/* ===================================================================================== all sets */

const char *fy_inner_name(int method)
{
    static const char *const name[] = {"auto", "exact", "l1", "ascent"};
    return name[method];
}

/* ------------------------------------------------------------------ create */

/* Without a budget: an hour for a solve, a terabyte for lists. */
static const fy_walks_limits unlimited = {.visits = (int64_t)1 << 40, .bytes = (int64_t)1 << 40};

static foray_status choose_exact(fy_arena *arena, fy_inner *inner, fy_walks_limits limits)
{
    foray_status status = fy_walks_create(arena, inner->basis, limits, &inner->walks);
    if (status != FORAY_OK)
        return status;
    inner->method = FORAY_INNER_EXACT;
    inner->vertices = inner->walks->vertices;
    return FORAY_OK;
}

static foray_status choose_auto(fy_arena *arena, fy_inner *inner, int64_t memory)
{
    fy_walks_limits budget = {.visits = memory << 17, .bytes = memory << 20};
    foray_status status = choose_exact(arena, inner, budget);
    if (status != FORAY_ERROR_USAGE)
        return status;
    arena->ctx->message[0] = 0; /* an answer, not a failure */
    inner->method = FORAY_INNER_ASCENT;
    return FORAY_OK;
}

static foray_status choose_l1(fy_arena *arena, fy_inner *inner)
{
    if (inner->basis->max_dim > L1_MAX_DIM)
        return fy_fail(arena->ctx, FORAY_ERROR_USAGE,
                       "inner maximisation l1 looks at 2^d sign vectors: a block of %d unknowns is "
                       "too large (at most %d), use exact or ascent",
                       (int)inner->basis->max_dim, (int)L1_MAX_DIM);
    inner->method = FORAY_INNER_L1;
    return FORAY_OK;
}

static foray_status choose_method(fy_arena *arena, fy_inner *inner, int method, int64_t memory)
{
    switch (method) {
    case FORAY_INNER_AUTO:
        return choose_auto(arena, inner, memory);
    case FORAY_INNER_EXACT:
        return choose_exact(arena, inner, unlimited);
    case FORAY_INNER_L1:
        return choose_l1(arena, inner);
    default:
        inner->method = FORAY_INNER_ASCENT;
        return FORAY_OK;
    }
}

static int64_t map_size(const fy_basis *basis)
{
    return basis->max_coords * fy_padded(basis->max_dim);
}

/* Room of a thread: the map of its block, the whitened generators, the method's own. */
static int64_t scratch_size(const fy_inner *inner)
{
    const fy_basis *basis = inner->basis;
    int64_t d = basis->max_dim, size = basis->max_generators * fy_padded(d);
    switch (inner->method) {
    case FORAY_INNER_EXACT:
        size += exact_room(basis, inner->walks);
        break;
    case FORAY_INNER_L1:
        size += l1_room(basis) + 3 * d * d;
        break;
    default:
        size += ascent_room(basis);
    }
    if (basis->blocks > 1)
        size += map_size(basis);
    return fy_padded(size) + FY_WIDTH; /* threads write to different cache lines */
}

/* Sets in the order of their blocks, by counting; `start` is room for blocks+1 numbers. */
static void order_by_block(fy_inner *inner, int64_t *start)
{
    const fy_basis *basis = inner->basis;
    int64_t sets = basis->model->generator_sets;
    for (int64_t set = 0; set < sets; set++)
        start[basis->block_of_generator_set[set] + 1]++;
    for (int64_t g = 0; g < basis->blocks; g++)
        start[g + 1] += start[g];
    for (int64_t set = 0; set < sets; set++)
        inner->order[start[basis->block_of_generator_set[set]]++] = (int32_t)set;
}

static bool allocate_inner(fy_arena *arena, fy_inner *inner)
{
    const foray_model *model = inner->basis->model;
    int64_t sets = model->generator_sets, *start;
    if (!FY_NEW(arena, inner->value, sets) || !FY_NEW(arena, inner->upper, sets) ||
        !FY_NEW(arena, inner->order, sets) || !FY_NEW(arena, inner->mapped, inner->threads) ||
        !FY_NEW(arena, inner->at_bits, sets + 1) ||
        !FY_ALLOC(arena->ctx, start, inner->basis->blocks + 1))
        return false;
    order_by_block(inner, start);
    free(start);
    for (int64_t set = 0; set < sets; set++)
        inner->at_bits[set + 1] =
            inner->at_bits[set] + (fy_generator_set_size(model, set) + 63) / 64;
    inner->scratch_size = scratch_size(inner);
    if (inner->basis->blocks == 1 && !FY_NEW(arena, inner->map, map_size(inner->basis)))
        return false;
    return FY_NEW(arena, inner->bits, inner->at_bits[sets]) &&
           FY_NEW(arena, inner->scratch, inner->threads * inner->scratch_size);
}

foray_status fy_inner_create(fy_arena *arena, const fy_basis *basis, int method, int64_t memory,
                             fy_inner **out)
{
    fy_inner *inner = fy_arena_alloc(arena, 1, sizeof *inner);
    if (!inner)
        return FORAY_ERROR_MEMORY;
    inner->basis = basis;
    inner->ctx = arena->ctx;
    inner->threads = arena->ctx->threads > 1 ? arena->ctx->threads : 1;
    inner->ratio = 1;
    foray_status status = choose_method(arena, inner, method, memory);
    if (status == FORAY_OK && !allocate_inner(arena, inner))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        *out = inner;
    return status;
}

/* --------------------------------------------------------------- whitening */

/* Everything a set needs of Sigma is one map from features to whitened vectors,
 *
 *     w_j = T phi_j,   T = L^-1 N'   (l1: Sigma^{-1/2} N')
 *
 * made once per block and solve. Row c of the map is the image of coordinate c. */

/* Rows of `d` numbers, one behind the other, become rows padded with zeros. */
static void pad_rows(int64_t count, int64_t d, double *rows)
{
    int64_t width = fy_padded(d);
    for (int64_t c = count - 1; c >= 0; c--) {
        memmove(rows + c * width, rows + c * d, (size_t)d * sizeof *rows);
        memset(rows + c * width + d, 0, (size_t)(width - d) * sizeof *rows);
    }
}

/* Rows first..last-1 of N, or of the identity, one behind the other. */
static void copy_basis(const fy_block *block, int64_t first, int64_t last, double *rows)
{
    int64_t d = block->dim;
    if (block->basis) {
        memcpy(rows, block->basis + first * d, (size_t)((last - first) * d) * sizeof *rows);
        return;
    }
    memset(rows, 0, (size_t)((last - first) * d) * sizeof *rows);
    for (int64_t c = first; c < last; c++)
        rows[(c - first) * d + c] = 1;
}

/* x <- Sigma^{-1/2} x for `count` vectors; room holds 3 d^2 numbers. */
static void apply_root(const fy_ridge *ridge, int64_t block, int64_t count, double *x, double *room)
{
    int64_t d = ridge->basis->block[block].dim;
    double *root = room, *row = room + d * d;
    l1_root(ridge, block, root, room + d * d);
    for (int64_t c = 0; c < count; c++) {
        memcpy(row, x + c * d, (size_t)d * sizeof *row);
        for (int64_t i = 0; i < d; i++)
            x[c * d + i] = fy_dot(root + i * d, row, d);
    }
}

/* Rows first..last-1 of the map of a block. */
static void make_map(const fy_inner *inner, const fy_ridge *ridge, int64_t block, int64_t first,
                     int64_t last, double *map, double *room)
{
    const fy_block *b = inner->basis->block + block;
    double *rows = map + first * fy_padded(b->dim);
    copy_basis(b, first, last, rows);
    if (inner->method == FORAY_INNER_L1)
        apply_root(ridge, block, last - first, rows, room);
    else
        fy_ridge_whiten_many(ridge, block, last - first, rows);
    pad_rows(last - first, b->dim, rows);
}

/* w = sum_c phi(c) T_c for one generator, eight numbers at a time. */
static void whiten_generator(const fy_basis *basis, int64_t generator, const double *map,
                             int64_t width, double *w)
{
    const foray_model *model = basis->model;
    int64_t first = model->feat_start[generator], last = model->feat_start[generator + 1];
    for (int64_t at = 0; at < width; at += FY_WIDTH) {
        fy_eight sum = {0};
        for (int64_t i = first; i < last; i++) {
            int64_t c = basis->local_of_coord[model->feat_index[i]];
            const double *row = map + c * width + at;
            FY_UNROLL for (int64_t k = 0; k < FY_PARTS; k++) sum.part[k] +=
                model->feat_value[i] * fy_register_load(row + k * FY_REGISTER);
        }
        memcpy(w + at, &sum, sizeof sum);
    }
}

/* ------------------------------------------------------------------- solve */

/* A thread's room: its map, which of single blocks is everybody's, and the rest. */
typedef struct workplace {
    double *map, *w, *room;
} workplace;

static workplace workplace_of(const fy_inner *inner, int thread)
{
    const fy_basis *basis = inner->basis;
    double *room = inner->scratch + thread * inner->scratch_size;
    workplace at = {0};
    at.map = inner->map ? inner->map : take(&room, map_size(basis));
    at.w = take(&room, basis->max_generators * fy_padded(basis->max_dim));
    at.room = room;
    return at;
}

static void run_method(inner_task *task)
{
    switch (task->inner->method) {
    case FORAY_INNER_EXACT:
        exact_solve(task);
        break;
    case FORAY_INNER_L1:
        l1_solve(task);
        break;
    default:
        ascent_solve(task);
    }
}

/* `mapped`: the block that the thread's map is of. */
static void solve_set(fy_inner *inner, const fy_ridge *ridge, const workplace *at, int64_t *mapped,
                      int64_t generator_set)
{
    const fy_basis *basis = inner->basis;
    int64_t block = basis->block_of_generator_set[generator_set];
    const fy_block *b = basis->block + block;
    inner_task task = {.inner = inner,
                       .generator_set = generator_set,
                       .n = fy_generator_set_size(basis->model, generator_set),
                       .d = b->dim,
                       .width = fy_padded(b->dim),
                       .w = at->w,
                       .room = at->room,
                       .bits = inner->bits + inner->at_bits[generator_set]};
    /* Nothing unknown: value, upper and bits are 0, as they were created. */
    if (b->dim == 0 || fy_stopped(inner->ctx))
        return;
    if (!inner->map && *mapped != block) {
        make_map(inner, ridge, block, 0, b->coords, at->map, at->room);
        *mapped = block;
    }
    for (int64_t j = 0; j < task.n; j++)
        whiten_generator(basis, basis->model->gen_start[generator_set] + j, at->map, task.width,
                         at->w + j * task.width);
    run_method(&task);
    inner->value[generator_set] = task.value;
    inner->upper[generator_set] = task.upper;
}

/* max upper/value over the sets where there is anything to maximise */
static double worst_ratio(const fy_inner *inner)
{
    double worst = 1;
    for (int64_t set = 0; set < inner->basis->model->generator_sets; set++)
        if (inner->upper[set] > 0)
            worst = fmax(worst, inner->upper[set] / inner->value[set]);
    return worst;
}

/* So many coordinates of a map, or generator sets, are one piece of work. */
enum { MAP_ROWS = 8, SETS = 32 };

typedef struct solution {
    fy_inner *inner;
    const fy_ridge *ridge;
} solution;

static void map_piece(void *job, int64_t piece, int thread)
{
    const solution *s = job;
    workplace at = workplace_of(s->inner, thread);
    int64_t coords = s->inner->basis->block[0].coords, from = piece * MAP_ROWS;
    make_map(s->inner, s->ridge, 0, from, from + MAP_ROWS < coords ? from + MAP_ROWS : coords,
             s->inner->map, at.room);
}

static void solve_piece(void *job, int64_t piece, int thread)
{
    const solution *s = job;
    workplace at = workplace_of(s->inner, thread);
    int64_t sets = s->inner->basis->model->generator_sets, from = piece * SETS;
    for (int64_t i = from; i < from + SETS && i < sets; i++)
        solve_set(s->inner, s->ridge, &at, s->inner->mapped + thread, s->inner->order[i]);
}

/* Threads on a busy machine may be milliseconds in coming: what one thread does in
 * less, some hundred nanoseconds for a vertex, it does alone. */
static bool worth_threads(const fy_inner *inner, int64_t sets)
{
    enum { VERTICES = 1 << 12 };
    return sets > SETS && (inner->method != FORAY_INNER_EXACT || inner->vertices > VERTICES);
}

void fy_inner_solve(fy_inner *inner, const fy_ridge *ridge)
{
    int64_t sets = inner->basis->model->generator_sets;
    int64_t coords = inner->map ? inner->basis->block[0].coords : 0;
    int threads = worth_threads(inner, sets) ? inner->threads : 1;
    solution s = {inner, ridge};
    for (int i = 0; i < inner->threads; i++)
        inner->mapped[i] = -1;
    fy_share(inner->ctx, threads, (coords + MAP_ROWS - 1) / MAP_ROWS, map_piece, &s);
    fy_share(inner->ctx, threads, (sets + SETS - 1) / SETS, solve_piece, &s);
    inner->ratio = worst_ratio(inner);
}
