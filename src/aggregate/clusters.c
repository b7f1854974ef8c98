/* clusters.c - what all clusters can be asked, a finite system's own states, and clusters
 * from text. */
#include "aggregate/clusters.h"
#include "system/system.h"
#include "base/parameter.h"
#include "base/maths.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------- every kind */

foray_status fy_clusters_create(foray_context *ctx, const foray_system_spec *spec,
                                const fy_clusters_kind *kind, void *self, foray_clusters **out)
{
    foray_clusters *clusters;
    if (!FY_ALLOC(ctx, clusters, 1)) {
        if (kind->destroy)
            kind->destroy(self);
        return FORAY_ERROR_MEMORY;
    }
    clusters->kind = kind;
    clusters->self = self;
    clusters->dimensions = spec->dimensions;
    if (!FY_ALLOC(ctx, clusters->low, spec->dimensions) ||
        !FY_ALLOC(ctx, clusters->high, spec->dimensions)) {
        foray_clusters_destroy(clusters);
        return FORAY_ERROR_MEMORY;
    }
    memcpy(clusters->low, spec->low, (size_t)spec->dimensions * sizeof *spec->low);
    memcpy(clusters->high, spec->high, (size_t)spec->dimensions * sizeof *spec->high);
    *out = clusters;
    return FORAY_OK;
}

void fy_clusters_extent(const foray_clusters *clusters, int64_t cluster, double *low, double *high)
{
    for (int64_t i = 0; i < clusters->dimensions; i++) {
        low[i] = clusters->low[i];
        high[i] = clusters->high[i];
    }
    if (clusters->kind->extent)
        clusters->kind->extent(clusters, cluster, low, high);
}

void foray_clusters_destroy(foray_clusters *clusters)
{
    if (!clusters)
        return;
    if (clusters->kind->destroy)
        clusters->kind->destroy(clusters->self);
    free(clusters->low);
    free(clusters->high);
    free(clusters);
}

int64_t foray_clusters_count(const foray_clusters *clusters)
{
    return clusters->count;
}

int64_t foray_clusters_max(const foray_clusters *clusters)
{
    return clusters->max;
}

int64_t foray_clusters_of(const foray_clusters *clusters, const double *state, int32_t *cluster,
                          double *weight)
{
    return clusters->kind->of(clusters, state, cluster, weight);
}

void foray_clusters_centre(const foray_clusters *clusters, int64_t cluster, double *state)
{
    clusters->kind->centre(clusters, cluster, state);
}

foray_status fy_clusters_check(foray_context *ctx, const foray_clusters *clusters,
                               const foray_system *system)
{
    const foray_system_spec *spec = foray_system_describe(system);
    bool same = clusters->dimensions == spec->dimensions;
    for (int64_t i = 0; same && i < spec->dimensions; i++)
        same = clusters->low[i] == spec->low[i] && clusters->high[i] == spec->high[i];
    return same ? FORAY_OK
                : fy_fail(ctx, FORAY_ERROR_USAGE, "these clusters do not cover the box of %s",
                          spec->name);
}

foray_status fy_clusters_check_model(foray_context *ctx, const foray_clusters *clusters,
                                     const foray_system *system, const foray_model *model)
{
    const foray_system_spec *spec = foray_system_describe(system);
    foray_status status = fy_clusters_check(ctx, clusters, system);
    if (status != FORAY_OK)
        return status;
    if (foray_model_states(model) == clusters->count && foray_model_actions(model) == spec->actions)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_USAGE,
                   "%s has %" PRId64 " states and %" PRId64 " actions, but there are %" PRId64
                   " clusters and %s has "
                   "%" PRId64 " actions",
                   foray_model_name(model), foray_model_states(model), foray_model_actions(model),
                   clusters->count, spec->name, spec->actions);
}

/* ------------------------------------------------------- the states themselves */

static int64_t states_of(const foray_clusters *clusters, const double *state, int32_t *cluster,
                         double *weight)
{
    cluster[0] = (int32_t)fmin(fmax(state[0], 0), clusters->high[0]);
    weight[0] = 1;
    return 1;
}

static void states_centre(const foray_clusters *clusters, int64_t cluster, double *state)
{
    (void)clusters;
    state[0] = (double)cluster;
}

static void states_points(const foray_clusters *clusters, const fy_points *wanted, double *point)
{
    (void)clusters;
    for (int64_t k = 0; k < wanted->count; k++)
        point[k] = (double)wanted->cluster;
}

static void states_cell(const foray_clusters *clusters, int64_t cluster, int64_t *row, int64_t *col)
{
    (void)clusters;
    *row = 0;
    *col = cluster;
}

static void states_extent(const foray_clusters *clusters, int64_t cluster, double *low,
                          double *high)
{
    (void)clusters;
    low[0] = high[0] = (double)cluster;
}

static const fy_clusters_kind states_kind = {.of = states_of,
                                             .centre = states_centre,
                                             .points = states_points,
                                             .cell = states_cell,
                                             .exact = true,
                                             .extent = states_extent};

foray_status fy_clusters_states(foray_context *ctx, const foray_system *system,
                                foray_clusters **out)
{
    const foray_system_spec *spec = foray_system_describe(system);
    if (spec->states == 0)
        return fy_fail(
            ctx, FORAY_ERROR_USAGE,
            "%s is not finite: its states cannot all be clusters; use a grid or radial clusters",
            spec->name);
    foray_clusters *clusters = NULL;
    foray_status status = fy_clusters_create(ctx, spec, &states_kind, NULL, &clusters);
    if (status != FORAY_OK)
        return status;
    clusters->count = clusters->cols = spec->states;
    clusters->max = clusters->rows = 1;
    *out = clusters;
    return FORAY_OK;
}

/* --------------------------------------------------------------------- from text */

enum { MAX_GRID_DIMENSIONS = 4 };

static foray_status bad_text(foray_context *ctx, const char *text)
{
    return fy_fail(ctx, FORAY_ERROR_USAGE,
                   "clusters \"%s\": should read grid:21x31, radial:500, "
                   "radial:500,width=0.1,nearest=8 or states",
                   text);
}

/* How many there shall be. */
static bool read_count(const char *text, size_t length, int64_t *out)
{
    return fy_integer_read(text, length, out) && *out >= 0;
}

/* "21x31" */
static foray_status parse_grid(foray_context *ctx, const foray_system *system, const char *text,
                               const char *sizes, foray_clusters **out)
{
    int64_t points[MAX_GRID_DIMENSIONS];
    int64_t n = 0, dimensions = foray_system_describe(system)->dimensions;
    for (const char *at = sizes;; at++) {
        size_t length = strcspn(at, "x");
        if (n == MAX_GRID_DIMENSIONS || !read_count(at, length, &points[n++]))
            return bad_text(ctx, text);
        at += length;
        if (*at == 0)
            break;
    }
    if (n != dimensions)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "clusters \"%s\": %" PRId64 " dimensions, but %s has %" PRId64, text, n,
                       foray_system_describe(system)->name, dimensions);
    return fy_grid_of_system(ctx, system, points, out);
}

/* "500" or "500,width=0.1,nearest=8" */
static foray_status parse_radial(foray_context *ctx, const foray_system *system, const char *text,
                                 const char *rest, foray_clusters **out)
{
    enum { WIDTH, NEAREST, PARAMETERS };
    static const foray_parameter parameter[PARAMETERS] = {
        FY_REAL("width", "0", 0, 1, "width of the kernel; 0: the mean distance between centres"),
        FY_INTEGER("nearest", "8", 1, FY_MAX_MEMBERSHIPS, "number of nearest centres that count"),
    };
    foray_parameter_value value[PARAMETERS];
    int64_t count;
    size_t length = strcspn(rest, ",");
    if (!read_count(rest, length, &count))
        return bad_text(ctx, text);
    rest = rest[length] ? rest + length + 1 : NULL;
    foray_status status = fy_parameters_read(ctx, "radial", parameter, PARAMETERS, rest,
                                             rest ? strlen(rest) : 0, value);
    if (status != FORAY_OK)
        return status;
    /* Fewer centres than count by default: all of them count. */
    int64_t nearest = value[NEAREST].integer;
    if (count > 0 && count < nearest && !(rest && strstr(rest, "nearest=")))
        nearest = count;
    return fy_radial_of_system(ctx, system, count, NULL, value[WIDTH].real, nearest, out);
}

foray_status foray_clusters_parse(foray_context *ctx, const foray_system *system, const char *text,
                                  foray_clusters **out)
{
    if (strcmp(text, "states") == 0)
        return fy_clusters_states(ctx, system, out);
    if (strncmp(text, "grid:", 5) == 0)
        return parse_grid(ctx, system, text, text + 5, out);
    if (strncmp(text, "radial:", 7) == 0)
        return parse_radial(ctx, system, text, text + 7, out);
    return bad_text(ctx, text);
}

/* -------------------------------------------------------------- points, evenly spread */

/* Low-discrepancy points by an additive recurrence: u_k = frac(u_0 + k step). Any
 * number of them covers the cube evenly, and each costs one multiplication. */

/* g = (1 + g)^(1/(n+1)) converges from above at once. */
void fy_spread_steps(int64_t n, double *step)
{
    double g = 2;
    for (int i = 0; i < 64; i++)
        g = fy_pow(1 + g, 1 / (double)(n + 1));
    for (int64_t j = 0; j < n; j++)
        step[j] = fy_pow(g, -(double)(j + 1));
}

double fy_spread(double start, double step, int64_t k)
{
    double u = start + (double)k * step;
    return u - floor(u);
}
