/* share.c - what several built-in worlds have in common: maps and names, zones,
 * probability vectors. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/maths.h"
#include "world/world.h"

foray_status fy_world_check_size(foray_context *ctx, const char *world, double numbers)
{
    char what[160];
    fy_format(what, sizeof what, "%s: a model of %.3g numbers, which these parameters make,", world,
              numbers);
    return fy_memory_need(ctx, FY_WORLD_BYTES * numbers, what, "ask for fewer states or features");
}

/* ------------------------------------------------------- names and layouts */

const int fy_direction_row[FY_DIRECTIONS] = {-1, 0, 1, 0};
const int fy_direction_col[FY_DIRECTIONS] = {0, 1, 0, -1};
const char *const fy_direction_name[FY_DIRECTIONS] = {"up", "right", "down", "left"};

void fy_world_cell(foray_builder *builder, int64_t state, int64_t row, int64_t col,
                   const char *name)
{
    foray_builder_cell(builder, state, row, col);
    foray_builder_state_name(builder, state, name);
}

void fy_world_line(foray_builder *builder, int64_t states, const char *prefix)
{
    foray_builder_grid(builder, 1, states);
    for (int64_t s = 0; s < states; s++) {
        char name[64];
        fy_format(name, sizeof name, "%s%" PRId64, prefix, s);
        fy_world_cell(builder, s, 0, s, name);
    }
}

void fy_world_actions(foray_builder *builder, int64_t count, const char *const *name)
{
    for (int64_t a = 0; a < count; a++)
        foray_builder_action_name(builder, a, name[a]);
}

foray_status fy_world_classes(foray_context *ctx, int64_t states, int64_t actions, int64_t horizon,
                              int64_t classes, int64_t outcomes, foray_builder **builder)
{
    int64_t *each;
    if (!FY_ALLOC(ctx, each, classes))
        return FORAY_ERROR_MEMORY;
    for (int64_t c = 0; c < classes; c++)
        each[c] = outcomes;
    foray_status status =
        foray_builder_create_classes(ctx, states, actions, horizon, classes, each, builder);
    free(each);
    return status;
}

/* -------------------------------------------------------------------- zones */

int64_t fy_zone_of(int64_t place, int64_t length, int64_t zones)
{
    return place * zones / length;
}

double fy_zone_success(double success, double spread, int64_t zone, int64_t zones)
{
    if (zones == 1)
        return success;
    return success + spread * (2.0 * (double)zone / (double)(zones - 1) - 1.0);
}

foray_status fy_zone_check(foray_context *ctx, const char *world, double success, double spread)
{
    if (success - spread >= 0 && success + spread <= 1)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_USAGE,
                   "%s: success=%g and spread=%g give probabilities from %g to %g, but they must "
                   "lie between 0 and 1",
                   world, success, spread, success - spread, success + spread);
}

/* ------------------------------------------------------ probability vectors */

double fy_world_random(double seed, uint64_t which, uint32_t i, uint32_t j)
{
    return fy_unit(fy_random_bits((uint64_t)seed, FY_STREAM_MODEL, which, i, j));
}

/* Independent exponentials divided by their sum. */
void fy_random_simplex(double seed, uint64_t which, int64_t n, double *out)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        out[i] = -fy_log1p(-fy_world_random(seed, which, (uint32_t)i, 0));
        sum += out[i];
    }
    for (int64_t i = 0; i < n; i++)
        out[i] = sum > 0 ? out[i] / sum : 1.0 / (double)n;
}

/* P(N >= max) = 1 - P(N < max), from what has been filled in so far. */
static void close_tail(int64_t max, double *out)
{
    double sum = 0;
    for (int64_t k = 0; k < max; k++)
        sum += out[k];
    out[max] = fmax(0, 1 - sum);
}

/* P(N = k) = mean^k e^-mean / k! */
void fy_poisson(double mean, int64_t max, double *out)
{
    for (int64_t k = 0; k < max; k++)
        out[k] = k ? out[k - 1] * mean / (double)k : fy_exp(-mean);
    close_tail(max, out);
}

/* P(N = k) = p (1-p)^k with p = 1/(1 + mean) */
void fy_geometric(double mean, int64_t max, double *out)
{
    for (int64_t k = 0; k < max; k++)
        out[k] = k ? out[k - 1] * mean / (1 + mean) : 1 / (1 + mean);
    close_tail(max, out);
}
