/* clusters_radial.c - centres in any number of dimensions, with radial memberships.
 *
 * In coordinates u scaled by the box to [0,1]^n, a state belongs to its m nearest centres c_x,
 *
 *   P(x|s) = g_x(s) / sum_{y among the m nearest} g_y(s),   g_x(s) = exp(-|u - c_x|^2/(2 w^2)).
 *
 * Points of a cluster by sampling with importance resampling (Rubin 1987): candidates from
 * the normal law around the centre that is proportional to g_x in the box, drawn again with
 * probability proportional to P(x|s) / g_x(s). */
#include "aggregate/clusters.h"
#include "base/maths.h"
#include "system/system.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------- k-d tree
 *
 * The nearest of many points (Bentley 1975). The tree is an order of the points: the middle one of
 * a range splits it along the dimension in which the range is widest, the smaller ones lie before
 * it. A search walks the side of the split that holds `at`, and the other one only if the plane
 * between them is nearer than the worst point found so far. */

typedef struct point_tree {
    fy_arena arena;
    int64_t n, count;
    double *point;  /* [count][n] in the order of the tree */
    int32_t *index; /* [count] which point it was */
    uint8_t *axis;  /* [count] along which the point splits its range */
} point_tree;

/* A point and its squared distance; nearer first, of equal ones the lower index. */
typedef struct neighbour {
    double distance2;
    int32_t index;
} neighbour;

/* -------------------------------------------------------------------- building */

static void swap_points(point_tree *tree, int64_t a, int64_t b)
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

static int64_t widest_axis(const point_tree *tree, int64_t first, int64_t end)
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
static void select_middle(point_tree *tree, int64_t first, int64_t end, int64_t middle,
                          int64_t axis)
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

static void split(point_tree *tree, int64_t first, int64_t end)
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

static void tree_destroy(point_tree *tree)
{
    if (tree)
        fy_arena_release(&tree->arena);
    free(tree);
}

static foray_status tree_create(foray_context *ctx, int64_t n, int64_t count, const double *point,
                                point_tree **out)
{
    point_tree *tree;
    if (!FY_ALLOC(ctx, tree, 1))
        return FORAY_ERROR_MEMORY;
    tree->arena.ctx = ctx;
    tree->n = n;
    tree->count = count;
    if (!FY_NEW(&tree->arena, tree->point, count * n) ||
        !FY_NEW(&tree->arena, tree->index, count) || !FY_NEW(&tree->arena, tree->axis, count)) {
        tree_destroy(tree);
        return FORAY_ERROR_MEMORY;
    }
    memcpy(tree->point, point, (size_t)(count * n) * sizeof *point);
    for (int64_t k = 0; k < count; k++)
        tree->index[k] = (int32_t)k;
    split(tree, 0, count);
    *out = tree;
    return FORAY_OK;
}

/* -------------------------------------------------------------------- searching */

typedef struct search {
    const point_tree *tree;
    const double *at;
    int64_t wanted, found;
    neighbour *near; /* sorted */
} search;

static bool nearer(neighbour a, neighbour b)
{
    return a.distance2 < b.distance2 || (a.distance2 == b.distance2 && a.index < b.index);
}

/* Insertion into the sorted list; what falls off its end is forgotten. */
static void consider(search *s, int64_t k)
{
    const double *point = s->tree->point + k * s->tree->n;
    neighbour item = {0, s->tree->index[k]};
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

/* The `wanted` points nearest to `at`, in order; wanted is at most `count`. */
static void tree_nearest(const point_tree *tree, const double *at, int64_t wanted, neighbour *out)
{
    search s = {.tree = tree, .at = at, .wanted = wanted, .near = out};
    look_in_tree(&s, 0, tree->count);
}

/* --------------------------------------------------------------------------- clusters */

/* Centres in any number of dimensions, with radial memberships.
 *
 * In coordinates u scaled by the box to [0,1]^n, a state belongs to its m nearest centres c_x,
 *
 *   P(x|s) = g_x(s) / sum_{y among the m nearest} g_y(s),   g_x(s) = exp(-|u - c_x|^2/(2 w^2)).
 *
 * Points of a cluster by sampling with importance resampling (Rubin 1987): candidates from
 * the normal law around the centre that is proportional to g_x in the box, drawn again with
 * probability proportional to P(x|s) / g_x(s). */

typedef struct radial {
    int64_t nearest;
    double width;
    double *centre; /* [count][n] scaled to [0,1]^n */
    point_tree *tree;
} radial;

static void radial_destroy(void *self)
{
    radial *r = self;
    if (!r)
        return;
    free(r->centre);
    tree_destroy(r->tree);
    free(r);
}

static double to_unit(const foray_clusters *clusters, int64_t i, double value)
{
    return (value - clusters->low[i]) / (clusters->high[i] - clusters->low[i]);
}

/* Rounding must not lead out of the box. */
static double from_unit(const foray_clusters *clusters, int64_t i, double u)
{
    double low = clusters->low[i], high = clusters->high[i];
    return fmin(fmax(low + (high - low) * u, low), high);
}

/* ------------------------------------------------------------------ memberships */

static void sort_memberships(int64_t count, int32_t *cluster, double *weight)
{
    for (int64_t k = 1; k < count; k++) {
        int32_t c = cluster[k];
        double w = weight[k];
        int64_t place = k;
        for (; place > 0 && cluster[place - 1] > c; place--) {
            cluster[place] = cluster[place - 1];
            weight[place] = weight[place - 1];
        }
        cluster[place] = c;
        weight[place] = w;
    }
}

/* g relative to the nearest centre, which has the largest: no underflow of all of them. */
static int64_t weigh(const radial *r, const double *u, int32_t *cluster, double *weight)
{
    neighbour near[FY_MAX_MEMBERSHIPS];
    tree_nearest(r->tree, u, r->nearest, near);
    double sum = 0;
    int64_t count = 0;
    for (int64_t k = 0; k < r->nearest; k++) {
        double beyond = near[k].distance2 - near[0].distance2;
        double g = fy_exp(-beyond / (2 * r->width * r->width));
        if (g <= 0)
            continue;
        cluster[count] = near[k].index;
        weight[count++] = g;
        sum += g;
    }
    for (int64_t k = 0; k < count; k++)
        weight[k] /= sum;
    sort_memberships(count, cluster, weight);
    return count;
}

static int64_t radial_of(const foray_clusters *clusters, const double *state, int32_t *cluster,
                         double *weight)
{
    double u[FY_MAX_DIMENSIONS];
    for (int64_t i = 0; i < clusters->dimensions; i++)
        u[i] = to_unit(clusters, i, state[i]);
    return weigh(clusters->self, u, cluster, weight);
}

static void radial_centre(const foray_clusters *clusters, int64_t cluster, double *state)
{
    const radial *r = clusters->self;
    const double *u = r->centre + cluster * clusters->dimensions;
    for (int64_t i = 0; i < clusters->dimensions; i++)
        state[i] = from_unit(clusters, i, u[i]);
}

/* ------------------------------------------------------------- points of a cluster */

/* Candidates for each point that is asked for. */
enum { CANDIDATES = 4 };

typedef struct source {
    uint64_t seed, cluster;
    uint32_t candidate, used;
} source;

static double uniform(source *from)
{
    return fy_unit(
        fy_random_bits(from->seed, FY_STREAM_SYSTEM, from->cluster, from->candidate, from->used++));
}

/* Normal around c with deviation w, given that it lies in [0,1]: as c does, and w <= 1, one
 * try in three succeeds at least. */
static double truncated_normal(source *from, double c, double w)
{
    enum { TRIES = 64 };
    for (int k = 0; k < TRIES; k++) {
        double radius = sqrt(-2 * fy_log1p(-uniform(from)));
        double u = c + w * radius * fy_cos(2 * M_PI * uniform(from));
        if (u >= 0 && u <= 1)
            return u;
    }
    return c;
}

/* P(x|u) / g_x(u); 0 where the centre is not among the nearest. */
static double importance(const radial *r, int64_t n, int64_t x, const double *u)
{
    int32_t cluster[FY_MAX_MEMBERSHIPS];
    double weight[FY_MAX_MEMBERSHIPS];
    const double *c = r->centre + x * n;
    double distance2 = 0;
    for (int64_t i = 0; i < n; i++)
        distance2 += (u[i] - c[i]) * (u[i] - c[i]);
    int64_t count = weigh(r, u, cluster, weight);
    for (int64_t k = 0; k < count; k++)
        if (cluster[k] == x)
            return weight[k] * fy_exp(distance2 / (2 * r->width * r->width));
    return 0;
}

/* Systematic resampling: point k is the first candidate up to which more than a share of
 * (k + 1/2) / count of all importance has been met. */
static void resample(int64_t candidates, const double *met, int64_t count, int64_t *chosen)
{
    int64_t j = 0;
    for (int64_t k = 0; k < count; k++) {
        double share = ((double)k + 0.5) / (double)count * met[candidates - 1];
        while (j < candidates - 1 && met[j] <= share)
            j++;
        chosen[k] = j;
    }
}

static void radial_points(const foray_clusters *clusters, const fy_points *wanted, double *point)
{
    const radial *r = clusters->self;
    int64_t n = clusters->dimensions, x = wanted->cluster, candidates = CANDIDATES * wanted->count;
    double *u = wanted->room, *met = u + candidates * n, sum = 0;
    const double *c = r->centre + x * n;
    for (int64_t j = 0; j < candidates; j++) {
        uint32_t candidate = (uint32_t)(CANDIDATES * wanted->first + j);
        source from = {wanted->seed, (uint64_t)x, candidate, 0};
        for (int64_t i = 0; i < n; i++)
            u[j * n + i] = truncated_normal(&from, c[i], r->width);
        met[j] = sum += importance(r, n, x, u + j * n);
    }
    int64_t chosen[FY_POINTS];
    resample(candidates, met, wanted->count, chosen);
    for (int64_t k = 0; k < wanted->count; k++)
        for (int64_t i = 0; i < n; i++)
            point[k * n + i] = from_unit(clusters, i, u[chosen[k] * n + i]);
}

/* ----------------------------------------------------------------------- creation */

static foray_status radial_describe(fy_arena *arena, const foray_clusters *clusters,
                                    foray_policy_clusters *out)
{
    const radial *r = clusters->self;
    if (!FY_NEW(arena, out->centre, clusters->count * clusters->dimensions))
        return FORAY_ERROR_MEMORY;
    for (int64_t x = 0; x < clusters->count; x++)
        radial_centre(clusters, x, out->centre + x * clusters->dimensions);
    out->width = r->width;
    out->nearest = r->nearest;
    return FORAY_OK;
}

static const fy_clusters_kind radial_kind = {.of = radial_of,
                                             .centre = radial_centre,
                                             .points = radial_points,
                                             .destroy = radial_destroy,
                                             .describe = radial_describe};

static foray_status check_sizes(foray_context *ctx, const foray_system_spec *spec, int64_t count,
                                double width, int64_t nearest)
{
    if (spec->states > 0)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "%s is finite: its clusters are its states, not radial ones", spec->name);
    if (count < 1 || count >= INT32_MAX)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%" PRId64 " radial clusters: there must be 1 to %d",
                       count, INT32_MAX - 1);
    if (nearest < 1 || nearest > count || nearest > FY_MAX_MEMBERSHIPS)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "radial clusters: nearest is %" PRId64
                       ", but it must be 1 to %d, and there are "
                       "%" PRId64 " of them",
                       nearest, FY_MAX_MEMBERSHIPS, count);
    if (!(width >= 0 && width <= 1))
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "radial clusters: width is %g, but it must be 0 to 1 (the box is 1 wide)",
                       width);
    return FORAY_OK;
}

/* Given centres must lie in the box; without any, a sequence spreads them. */
static foray_status place_centres(foray_context *ctx, const foray_system_spec *spec, int64_t count,
                                  const double *centre, double *out)
{
    int64_t n = spec->dimensions;
    double step[FY_MAX_DIMENSIONS];
    fy_spread_steps(n, step);
    for (int64_t k = 0; k < count; k++)
        for (int64_t i = 0; i < n; i++) {
            double value = centre ? centre[k * n + i] : 0;
            if (centre && !(value >= spec->low[i] && value <= spec->high[i]))
                return fy_fail(ctx, FORAY_ERROR_USAGE,
                               "coordinate %" PRId64 " of centre %" PRId64
                               " is %g, which lies outside the box",
                               i, k, value);
            out[k * n + i] = centre ? (value - spec->low[i]) / (spec->high[i] - spec->low[i])
                                    : fy_spread(0.5, step[i], k);
        }
    return FORAY_OK;
}

/* The mean distance to the nearest other centre; that of the only one: half the box. */
static double mean_gap(const radial *r, int64_t n, int64_t count)
{
    double sum = 0;
    if (count < 2)
        return 0.5;
    for (int64_t k = 0; k < count; k++) {
        neighbour near[2] = {0};
        tree_nearest(r->tree, r->centre + k * n, 2, near);
        sum += sqrt(near[1].distance2);
    }
    return fmin(sum / (double)count, 1);
}

static foray_status fill_radial(foray_context *ctx, const foray_system_spec *spec, int64_t count,
                                const double *centre, double width, radial *r)
{
    int64_t n = spec->dimensions;
    if (!FY_ALLOC(ctx, r->centre, count * n))
        return FORAY_ERROR_MEMORY;
    foray_status status = place_centres(ctx, spec, count, centre, r->centre);
    if (status == FORAY_OK)
        status = tree_create(ctx, n, count, r->centre, &r->tree);
    if (status != FORAY_OK)
        return status;
    r->width = width > 0 ? width : mean_gap(r, n, count);
    if (r->width > 0)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_USAGE,
                   "radial clusters: every centre is given twice, so the width is undetermined");
}

foray_status fy_clusters_radial(foray_context *ctx, const foray_system_spec *spec, int64_t count,
                                const double *centre, double width, int64_t nearest,
                                foray_clusters **out)
{
    foray_status status = check_sizes(ctx, spec, count, width, nearest);
    if (status != FORAY_OK)
        return status;
    radial *r;
    if (!FY_ALLOC(ctx, r, 1))
        return FORAY_ERROR_MEMORY;
    r->nearest = nearest;
    status = fill_radial(ctx, spec, count, centre, width, r);
    if (status != FORAY_OK) {
        radial_destroy(r);
        return status;
    }
    foray_clusters *clusters = NULL;
    status = fy_clusters_create(ctx, spec, &radial_kind, r, &clusters);
    if (status != FORAY_OK)
        return status;
    clusters->count = count;
    clusters->max = nearest;
    clusters->room = (int64_t)CANDIDATES * FY_POINTS * (spec->dimensions + 1);
    *out = clusters;
    return FORAY_OK;
}

foray_status fy_radial_of_system(foray_context *ctx, const foray_system *system, int64_t count,
                                 const double *centre, double width, int64_t nearest,
                                 foray_clusters **out)
{
    return fy_clusters_radial(ctx, foray_system_describe(system), count, centre, width, nearest,
                              out);
}
