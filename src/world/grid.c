/* grid.c - an open field on slippery ground.
 *
 * Story       A robot in the middle of a walled field steps up, right, down or
 *             left. Now and then it slips and goes another way.
 * States      The cells, row by row; the start is the middle (rows/2, cols/2).
 * Actions     up, right, down, left. A step into the wall stays in place.
 * Outcomes    as meant, or a slip in one of the other directions.
 *             slips=0: all three other directions; a slip into the wall stays.
 *             slips=1: only those that do not lead into the wall, so that cells
 *             beside a wall have laws with fewer outcomes.
 * Laws        The columns are cut into `zones` strips of nearly equal width; cells
 *             of a strip with equally many slips share a law.
 * Theta       The outcome probabilities of every law: d = 4 * zones with slips=0.
 *             "as meant" has success -+ spread, evenly from the first strip to
 *             the last; the slips share the rest equally.
 *
 * The grid of Kaufmann et al. 2021 is grid:rows=21,cols=21,slips=1. */
#include <inttypes.h>
#include <stdlib.h>

#include "world/world.h"

enum { ROWS, COLS, ZONES, SLIPS, SUCCESS, SPREAD, HORIZON };

static const foray_parameter parameters[] = {
    FY_INTEGER("rows", "7", 2, 4096, "height of the field"),
    FY_INTEGER("cols", "7", 2, 4096, "width of the field"),
    FY_INTEGER("zones", "1", 1, 4096,
               "strips of columns with laws of their own, at most one per column"),
    FY_INTEGER("slips", "0", 0, 1, "0: slips go all three other ways; 1: never into the wall"),
    FY_REAL("success", "0.95", 0, 1, "probability of moving as intended, in the middle strip"),
    FY_REAL("spread", "0.02", 0, 0.5, "how far the outer strips differ from that"),
    FY_HORIZON("20"),
};

/* Which law belongs to (strip, number of slips); numbered as they come up, since
 * not every strip has a corner. */
typedef struct law_table {
    int64_t count;
    int64_t *of;       /* [zones * 4] at strip * 4 + slips, -1: does not occur */
    int64_t *outcomes; /* [count] 1 + slips */
} law_table;

/* One step in a direction: false if the wall stops it. */
static bool step_on_grid(const double *value, int64_t cell, int direction, int64_t *next)
{
    int64_t rows = (int64_t)value[ROWS], cols = (int64_t)value[COLS];
    int64_t row = cell / cols + fy_direction_row[direction];
    int64_t col = cell % cols + fy_direction_col[direction];
    bool open = row >= 0 && row < rows && col >= 0 && col < cols;
    *next = open ? row * cols + col : cell;
    return open;
}

/* Where the outcomes of (cell, direction) lead: next[0] as meant, next[1..] the
 * slips; returns how many slips there are. */
static int64_t outcomes_of(const double *value, int64_t cell, int direction, int64_t *next)
{
    int64_t slips = 0;
    step_on_grid(value, cell, direction, &next[0]);
    for (int turn = 1; turn < FY_DIRECTIONS; turn++) {
        bool open = step_on_grid(value, cell, (direction + turn) % FY_DIRECTIONS, &next[1 + slips]);
        slips += open || value[SLIPS] == 0;
    }
    return slips;
}

static int64_t law_key(const double *value, int64_t cell, int64_t slips)
{
    int64_t cols = (int64_t)value[COLS];
    return fy_zone_of(cell % cols, cols, (int64_t)value[ZONES]) * FY_DIRECTIONS + slips;
}

/* Numbers the laws in the order in which the cells ask for them. */
static void find_laws(const double *value, law_table *laws)
{
    int64_t cells = (int64_t)(value[ROWS] * value[COLS]), next[FY_DIRECTIONS];
    for (int64_t key = 0; key < (int64_t)value[ZONES] * FY_DIRECTIONS; key++)
        laws->of[key] = -1;
    for (int64_t cell = 0; cell < cells; cell++) {
        for (int direction = 0; direction < FY_DIRECTIONS; direction++) {
            int64_t slips = outcomes_of(value, cell, direction, next);
            int64_t key = law_key(value, cell, slips);
            if (laws->of[key] >= 0)
                continue;
            laws->outcomes[laws->count] = 1 + slips;
            laws->of[key] = laws->count++;
        }
    }
}

/* theta: success as meant, the rest shared equally by the slips. */
static void add_laws(foray_builder *builder, const double *value, const law_table *laws)
{
    int64_t zones = (int64_t)value[ZONES];
    for (int64_t key = 0; key < zones * FY_DIRECTIONS; key++) {
        int64_t slips = key % FY_DIRECTIONS;
        double p[FY_DIRECTIONS];
        p[0] = fy_zone_success(value[SUCCESS], value[SPREAD], key / FY_DIRECTIONS, zones);
        for (int64_t o = 1; o <= slips; o++)
            p[o] = (1 - p[0]) / (double)slips;
        if (laws->of[key] >= 0)
            foray_builder_law(builder, laws->of[key], p);
    }
}

static void add_cell(foray_builder *builder, const double *value, const law_table *laws,
                     int64_t cell)
{
    int64_t row = cell / (int64_t)value[COLS], col = cell % (int64_t)value[COLS];
    char name[64];
    fy_format(name, sizeof name, "(%" PRId64 ",%" PRId64 ")", row, col);
    fy_world_cell(builder, cell, row, col, name);
    for (int direction = 0; direction < FY_DIRECTIONS; direction++) {
        int64_t next[FY_DIRECTIONS];
        int64_t slips = outcomes_of(value, cell, direction, next);
        int64_t law = laws->of[law_key(value, cell, slips)];
        foray_builder_outcomes(builder, cell, direction, law, next);
    }
}

static foray_status grid_fill(foray_context *ctx, const double *value, law_table *laws,
                              foray_builder **builder)
{
    int64_t rows = (int64_t)value[ROWS], cols = (int64_t)value[COLS];
    find_laws(value, laws);
    foray_status status =
        foray_builder_create_classes(ctx, rows * cols, FY_DIRECTIONS, (int64_t)value[HORIZON],
                                     laws->count, laws->outcomes, builder);
    if (status != FORAY_OK)
        return status;
    foray_builder_grid(*builder, rows, cols);
    for (int64_t cell = 0; cell < rows * cols; cell++)
        add_cell(*builder, value, laws, cell);
    add_laws(*builder, value, laws);
    foray_builder_initial(*builder, rows / 2 * cols + cols / 2, 1);
    fy_world_actions(*builder, FY_DIRECTIONS, fy_direction_name);
    return FORAY_OK;
}

static foray_status grid_build(foray_context *ctx, const double *value, foray_builder **builder)
{
    double numbers = value[ROWS] * value[COLS] * FY_DIRECTIONS * FY_DIRECTIONS;
    if (value[ZONES] > value[COLS])
        return fy_fail(ctx, FORAY_ERROR_USAGE, "grid: zones=%g, but there are only cols=%g",
                       value[ZONES], value[COLS]);
    foray_status status = fy_zone_check(ctx, "grid", value[SUCCESS], value[SPREAD]);
    if (status == FORAY_OK)
        status = fy_world_check_size(ctx, "grid", numbers);
    if (status != FORAY_OK)
        return status;
    law_table laws = {0, NULL, NULL};
    double keys = value[ZONES] * FY_DIRECTIONS;
    status = FORAY_ERROR_MEMORY;
    if (FY_ALLOC(ctx, laws.of, keys) && FY_ALLOC(ctx, laws.outcomes, keys))
        status = grid_fill(ctx, value, &laws, builder);
    free(laws.of);
    free(laws.outcomes);
    return status;
}

const fy_world_kind fy_world_grid = {"grid",
                                     "a walled field on slippery ground, entered in the middle",
                                     parameters, FY_COUNT(parameters), grid_build};
