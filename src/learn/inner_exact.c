/* exact: the maximum of a convex function over a zonotope is at a vertex, and where the
 * vertices are does not depend on Sigma: walks.h knows. */
#include "learn/inner_methods.h"

#include <math.h>
#include <string.h>

/* A tree's subsets are counted in one word; far more than anyone waits for. */
enum { MOST_TREE = 62 };

int64_t fy_exact_room(const fy_basis *basis, const fy_walks *walks)
{
    int64_t groups = walks->most_groups, width = fy_padded(basis->most_dim);
    int64_t tree = groups < MOST_TREE ? groups : MOST_TREE;
    return 3 * (groups + 1) * width + groups + 2 * width + 2 * (tree + 1) * (tree + 1);
}

/* h_k = sum of the generators of group k one way - sum of those the other way,
 * o = the sum of all the other way, in the row behind them */
static void merge_groups(const fy_inner_task *task, const fy_walk *walk, double *h)
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
static void groups_to_bits(const fy_inner_task *task, const fy_walk *walk, const double *in)
{
    const int32_t *side = task->inner->walks->side + walk->at_side;
    for (int64_t j = 0; j < task->n; j++)
        fy_inner_set_bit(task->bits, j,
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
        const double *from = level + parent * stride, *products = gram + j * stride;
        double *to = level + j * stride;
        for (int64_t i = 0; i < j; i++)
            to[i] = from[i] + products[i];
        /* The square itself lies where the level's own product would. */
        to[j] = from[parent] + 2 * from[j] + products[j];
        if (fy_exceeds(to[j], best)) {
            best = to[j];
            best_subset = v;
        }
    }
    return best_subset;
}

static void solve_tree(const fy_inner_task *task, const fy_walk *walk, const double *h,
                       double *room)
{
    int64_t groups = walk->groups, free_groups = groups;
    if (task->inner->walks->half && groups > 0)
        free_groups--;
    double *gram = fy_take(&room, (free_groups + 1) * (free_groups + 1));
    double *level = fy_take(&room, (free_groups + 1) * (free_groups + 1));
    double *in = fy_take(&room, groups);
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
        if (fy_exceeds(squared, best)) {
            best = squared;
            best_at = i + 1;
        }
    }
    return best_at;
}

static void solve_list(const fy_inner_task *task, const fy_walk *walk, const double *h,
                       double *room)
{
    const uint16_t *flip = task->inner->walks->flip + walk->at_flip;
    int64_t groups = walk->groups, width = task->width;
    if (fy_padded(groups + 1) < width) {
        /* Fewer groups than dimensions: shorter rows with the same products. */
        double *basis = fy_take(&room, (groups + 1) * width);
        double *reduced = fy_take(&room, (groups + 1) * fy_padded(groups + 1));
        fy_reduce(groups + 1, task->d, h, basis, reduced);
        width = fy_padded(groups + 1);
        h = reduced;
    }
    double *in = fy_take(&room, groups), *y = fy_take(&room, width);
    int64_t best_at = walk_list(groups, width, h, walk->flips, flip, in, y);
    memset(in, 0, (size_t)groups * sizeof *in);
    for (int64_t i = 0; i < best_at; i++)
        in[flip[i] & FY_FLIP_GROUP] = 1 - in[flip[i] & FY_FLIP_GROUP];
    groups_to_bits(task, walk, in);
}

/* ------------------------------------------------------------------- solve */

void fy_exact_solve(fy_inner_task *task)
{
    const fy_walks *walks = task->inner->walks;
    const fy_walk *walk = walks->walk + walks->walk_of[task->generator_set];
    double *room = task->room, *y = fy_take(&room, task->width);
    double *h = fy_take(&room, (walk->groups + 1) * task->width);
    merge_groups(task, walk, h);
    if (walk->listed)
        solve_list(task, walk, h, room);
    else
        solve_tree(task, walk, h, room);
    task->value = fy_inner_value(task, y);
    task->upper = task->value;
}
