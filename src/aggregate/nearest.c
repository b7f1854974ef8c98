/* nearest.c - the nearest of many points, by a k-d tree (Bentley 1975).
 *
 * The tree is an order of the points: the middle one of a range splits it along the
 * dimension in which the range is widest, the smaller ones lie before it. A search walks the
 * side of the split that holds `at`, and the other one only if the plane between them is
 * nearer than the worst point found so far. */
#include "aggregate/clusters.h"

#include <stdlib.h>
#include <string.h>

struct fy_tree {
    int64_t n, count;
    double *point;  /* [count][n] in the order of the tree */
    int32_t *index; /* [count] which point it was */
    uint8_t *axis;  /* [count] along which the point splits its range */
};

/* -------------------------------------------------------------------- building */

static void swap_points(fy_tree *tree, int64_t a, int64_t b)
{
    for (int64_t i = 0; i < tree->n; i++) {
        double value = tree->point[a * tree->n + i];
        tree->point[a * tree->n + i] = tree->point[b * tree->n + i];
        tree->point[b * tree->n + i] = value;
    }
    int32_t index = tree->index[a];
    tree->index[a] = tree->index[b];
    tree->index[b] = index;
}

static int64_t widest_axis(const fy_tree *tree, int64_t first, int64_t end)
{
    int64_t widest = 0;
    double max = -1;
    for (int64_t i = 0; i < tree->n; i++) {
        double low = tree->point[first * tree->n + i], high = low;
        for (int64_t k = first + 1; k < end; k++) {
            double value = tree->point[k * tree->n + i];
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        if (high - low > max) {
            max = high - low;
            widest = i;
        }
    }
    return widest;
}

/* Quickselect: afterwards no point before `middle` is larger along the axis than it, and no
 * point behind it smaller. */
static void select_middle(fy_tree *tree, int64_t first, int64_t end, int64_t middle, int64_t axis)
{
    int64_t low = first, high = end - 1;
    while (low < high) {
        double pivot = tree->point[(low + (high - low) / 2) * tree->n + axis];
        int64_t i = low, j = high;
        while (i <= j) {
            while (tree->point[i * tree->n + axis] < pivot)
                i++;
            while (tree->point[j * tree->n + axis] > pivot)
                j--;
            if (i <= j)
                swap_points(tree, i++, j--);
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

static void split(fy_tree *tree, int64_t first, int64_t end)
{
    while (end - first > 1) {
        int64_t middle = first + (end - first) / 2;
        int64_t axis = widest_axis(tree, first, end);
        select_middle(tree, first, end, middle, axis);
        tree->axis[middle] = (uint8_t)axis;
        split(tree, first, middle);
        first = middle + 1;
    }
}

foray_status fy_tree_create(foray_context *ctx, int64_t n, int64_t count, const double *point,
                            fy_tree **out)
{
    fy_tree *tree;
    if (!FY_ALLOC(ctx, tree, 1))
        return FORAY_ERROR_MEMORY;
    tree->n = n;
    tree->count = count;
    if (!FY_ALLOC(ctx, tree->point, count * n) || !FY_ALLOC(ctx, tree->index, count) ||
        !FY_ALLOC(ctx, tree->axis, count)) {
        fy_tree_destroy(tree);
        return FORAY_ERROR_MEMORY;
    }
    memcpy(tree->point, point, (size_t)(count * n) * sizeof *point);
    for (int64_t k = 0; k < count; k++)
        tree->index[k] = (int32_t)k;
    split(tree, 0, count);
    *out = tree;
    return FORAY_OK;
}

void fy_tree_destroy(fy_tree *tree)
{
    if (!tree)
        return;
    free(tree->point);
    free(tree->index);
    free(tree->axis);
    free(tree);
}

/* -------------------------------------------------------------------- searching */

typedef struct search {
    const fy_tree *tree;
    const double *at;
    int64_t wanted, found;
    fy_near *near; /* sorted */
} search;

static bool nearer(fy_near a, fy_near b)
{
    return a.distance2 < b.distance2 || (a.distance2 == b.distance2 && a.index < b.index);
}

/* Insertion into the sorted list; what falls off its end is forgotten. */
static void consider(search *s, int64_t k)
{
    const double *point = s->tree->point + k * s->tree->n;
    fy_near item = {0, s->tree->index[k]};
    for (int64_t i = 0; i < s->tree->n; i++)
        item.distance2 += (point[i] - s->at[i]) * (point[i] - s->at[i]);
    int64_t place = s->found;
    if (place == s->wanted) {
        if (!nearer(item, s->near[place - 1]))
            return;
        place--;
    } else {
        s->found++;
    }
    for (; place > 0 && nearer(item, s->near[place - 1]); place--)
        s->near[place] = s->near[place - 1];
    s->near[place] = item;
}

static void look_in_tree(search *s, int64_t first, int64_t end)
{
    while (first < end) {
        int64_t middle = first + (end - first) / 2;
        consider(s, middle);
        int64_t axis = s->tree->axis[middle];
        double across = s->at[axis] - s->tree->point[middle * s->tree->n + axis];
        bool left = across < 0;
        look_in_tree(s, left ? first : middle + 1, left ? middle : end);
        if (s->found == s->wanted && across * across > s->near[s->wanted - 1].distance2)
            return;
        first = left ? middle + 1 : first;
        end = left ? end : middle;
    }
}

void fy_tree_nearest(const fy_tree *tree, const double *at, int64_t wanted, fy_near *out)
{
    search s = {.tree = tree, .at = at, .wanted = wanted, .near = out};
    look_in_tree(&s, 0, tree->count);
}
