/* clusters_grid.c - a grid of points over the box, with multilinear interpolation.
 *
 * In each dimension a state lies between two points, t = j + w with 0 <= w <= 1, and belongs
 * to them by 1 - w and w; over the dimensions these multiply. So linear functions are
 * interpolated exactly, and P(x|s) is a product of hats of width one around x. Clusters are
 * counted with the last dimension fastest. */
#include "aggregate/clusters.h"
#include "system/system.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { MAX_GRID_DIMENSIONS = 4 };

typedef struct grid {
    int64_t points[MAX_GRID_DIMENSIONS];
    double step[MAX_GRID_DIMENSIONS]; /* of the sequence that spreads points */
} grid;

/* ------------------------------------------------------------------ memberships */

/* Dimension by dimension: what belongs to cluster c by p belongs to 2 clusters one
 * dimension further. In this order they come out ascending. */
static int64_t grid_of(const foray_clusters *clusters, const double *state, int32_t *cluster,
                       double *weight)
{
    const grid *g = clusters->self;
    int64_t count = 1;
    cluster[0] = 0;
    weight[0] = 1;
    for (int64_t i = 0; i < clusters->dimensions; i++) {
        int64_t last = g->points[i] - 1;
        double low = clusters->low[i], high = clusters->high[i];
        double t = fmin(fmax((state[i] - low) / (high - low), 0), 1) * (double)last;
        int64_t j = t < (double)last ? (int64_t)t : last - 1;
        double w = t - (double)j;
        bool lower = w < 1;
        bool upper = w > 0;
        int64_t wide = lower && upper ? 2 : 1;
        for (int64_t c = count - 1; c >= 0; c--) {
            int32_t at = (int32_t)(cluster[c] * g->points[i] + j);
            double p = weight[c];
            cluster[wide * c] = lower ? at : at + 1;
            weight[wide * c] = lower ? p * (1 - w) : p;
            if (wide == 2) {
                cluster[2 * c + 1] = at + 1;
                weight[2 * c + 1] = p * w;
            }
        }
        count *= wide;
    }
    return count;
}

/* Where point j + t of dimension i lies; rounding must not lead out of the box. */
static double coordinate(const foray_clusters *clusters, int64_t i, double t)
{
    const grid *g = clusters->self;
    double low = clusters->low[i], high = clusters->high[i];
    return fmin(fmax(low + (high - low) * (t / (double)(g->points[i] - 1)), low), high);
}

static void indices(const foray_clusters *clusters, int64_t cluster, int64_t *index)
{
    const grid *g = clusters->self;
    for (int64_t i = clusters->dimensions; i-- > 0;) {
        index[i] = cluster % g->points[i];
        cluster /= g->points[i];
    }
}

static void grid_centre(const foray_clusters *clusters, int64_t cluster, double *state)
{
    int64_t index[MAX_GRID_DIMENSIONS];
    indices(clusters, cluster, index);
    for (int64_t i = 0; i < clusters->dimensions; i++)
        state[i] = coordinate(clusters, i, (double)index[i]);
}

/* ------------------------------------------------------------- points of a cluster */

/* Inverts the distribution function of the hat 1 - |t|, cut where the box ends. */
static double hat(double u, bool left_end, bool right_end)
{
    if (left_end)
        return 1 - sqrt(1 - u);
    if (right_end)
        return sqrt(u) - 1;
    return u < 0.5 ? sqrt(2 * u) - 1 : 1 - sqrt(2 * (1 - u));
}

/* A shift of its own for each cluster and dimension, and the same sequence for all. */
static void grid_points(const foray_clusters *clusters, const fy_points *wanted, double *point)
{
    const grid *g = clusters->self;
    int64_t n = clusters->dimensions, index[MAX_GRID_DIMENSIONS];
    indices(clusters, wanted->cluster, index);
    for (int64_t i = 0; i < n; i++) {
        double shift = fy_unit(fy_random_bits(wanted->seed, FY_STREAM_SYSTEM,
                                              (uint64_t)wanted->cluster, (uint32_t)i, 0));
        bool left_end = index[i] == 0, right_end = index[i] == g->points[i] - 1;
        for (int64_t k = 0; k < wanted->count; k++) {
            double u = fy_spread(shift, g->step[i], wanted->first + k);
            double t = (double)index[i] + hat(u, left_end, right_end);
            point[k * n + i] = coordinate(clusters, i, t);
        }
    }
}

/* ------------------------------------------------------------------------ the map */

/* The first dimension goes to the right, the second upwards. */
static void grid_cell(const foray_clusters *clusters, int64_t cluster, int64_t *row, int64_t *col)
{
    int64_t index[MAX_GRID_DIMENSIONS] = {0};
    indices(clusters, cluster, index);
    *row = clusters->dimensions == 2 ? clusters->rows - 1 - index[1] : 0;
    *col = index[0];
}

/* A point's hat ends at its neighbours. */
static void grid_extent(const foray_clusters *clusters, int64_t cluster, double *low, double *high)
{
    int64_t index[MAX_GRID_DIMENSIONS];
    indices(clusters, cluster, index);
    for (int64_t i = 0; i < clusters->dimensions; i++) {
        low[i] = coordinate(clusters, i, (double)index[i] - 1);
        high[i] = coordinate(clusters, i, (double)index[i] + 1);
    }
}

static foray_status grid_describe(fy_arena *arena, const foray_clusters *clusters,
                                  foray_policy_clusters *out)
{
    const grid *g = clusters->self;
    if (!FY_NEW(arena, out->cells, clusters->dimensions))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < clusters->dimensions; i++)
        out->cells[i] = g->points[i];
    return FORAY_OK;
}

static const fy_clusters_kind grid_kind = {.of = grid_of,
                                           .centre = grid_centre,
                                           .points = grid_points,
                                           .cell = grid_cell,
                                           .destroy = free,
                                           .describe = grid_describe,
                                           .extent = grid_extent};

/* ----------------------------------------------------------------------- creation */

static foray_status check_points(foray_context *ctx, const foray_system_spec *spec,
                                 const int64_t *points, int64_t *count)
{
    if (spec->states > 0)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "%s is finite: its clusters are its states, not a grid", spec->name);
    if (spec->dimensions > MAX_GRID_DIMENSIONS)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "%s has %" PRId64 " dimensions, but a grid may have at most %d: use radial "
                       "clusters",
                       spec->name, spec->dimensions, MAX_GRID_DIMENSIONS);
    *count = 1;
    for (int64_t i = 0; i < spec->dimensions; i++) {
        if (points[i] < 2 || points[i] > INT32_MAX / 2 / *count)
            return fy_fail(ctx, FORAY_ERROR_USAGE,
                           "dimension %" PRId64 " of the grid has %" PRId64
                           " points: at least 2 are needed, and "
                           "at most %d in all",
                           i, points[i], INT32_MAX / 2);
        *count *= points[i];
    }
    return FORAY_OK;
}

foray_status fy_clusters_grid(foray_context *ctx, const foray_system_spec *spec,
                              const int64_t *points, foray_clusters **out)
{
    int64_t count = 0;
    foray_status status = check_points(ctx, spec, points, &count);
    if (status != FORAY_OK)
        return status;
    grid *g;
    if (!FY_ALLOC(ctx, g, 1))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < spec->dimensions; i++)
        g->points[i] = points[i];
    fy_spread_steps(spec->dimensions, g->step);
    foray_clusters *clusters = NULL;
    status = fy_clusters_create(ctx, spec, &grid_kind, g, &clusters);
    if (status != FORAY_OK)
        return status;
    clusters->count = count;
    clusters->max = (int64_t)1 << spec->dimensions;
    bool map = spec->dimensions <= 2;
    clusters->cols = map ? points[0] : 0;
    clusters->rows = !map ? 0 : spec->dimensions == 2 ? points[1] : 1;
    *out = clusters;
    return FORAY_OK;
}

foray_status fy_grid_of_system(foray_context *ctx, const foray_system *system,
                               const int64_t *points, foray_clusters **out)
{
    return fy_clusters_grid(ctx, foray_system_describe(system), points, out);
}
