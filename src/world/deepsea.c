/* deepsea.c - a treasure that only diving right all the way finds.
 *
 * Story       A diver sinks one row a step, to the left or to the right, and a current may keep
 * them from going right. In the last corner there is a treasure. Random dives find it once in
 *             2^size times: the world of bsuite that shows whether an algorithm explores.
 * States      The cells (row, col) with col <= row < size, row by row, then the seabed and the
 *             treasure, which are never left.
 * Actions     left, right. Left at the edge goes straight down.
 * Outcomes    of right: moved, carried (straight down); left is certain.
 * Laws        One for all cells: d = 3 with the certain one; with shared=0 one for each cell.
 * Theta       moved: success. bsuite's deterministic variant is 1 and its stochastic one
 *             1 - 1/size.
 *
 *     S                size=4. The last row leads to the seabed, but for T, from where right
 *     . .              leads to the treasure: the best policy gets there with probability
 *     . . .            success^size.
 *     . . . T */
#include <inttypes.h>
#include <stdlib.h>

#include "world/world.h"

enum { SIZE, SUCCESS, SHARED, HORIZON };

static const foray_parameter parameters[] = {
    FY_INTEGER("size", "10", 2, 1000, "rows of the sea"),
    FY_REAL("success", "0.9", 0, 1, "probability that a move to the right succeeds"),
    FY_INTEGER("shared", "1", 0, 1, "1: one law of the current; 0: one for each cell"),
    FY_INTEGER("horizon", "0", 0, 1e6, "steps per episode; 0: as many as rows"),
};

enum { LEFT, RIGHT, ACTIONS };
enum { MOVED, CARRIED, OUTCOMES };

/* 0 + 1 + ... + row cells lie above a row. */
static int64_t cell(int64_t row, int64_t col)
{
    return row * (row + 1) / 2 + col;
}

static void add_cell(foray_builder *builder, int64_t size, int64_t row, int64_t col, bool shared)
{
    int64_t state = cell(row, col), seabed = cell(size, 0), treasure = seabed + 1;
    int64_t left = cell(row + 1, col > 0 ? col - 1 : 0);
    int64_t next[OUTCOMES] = {cell(row + 1, col + 1), cell(row + 1, col)};
    char name[64];
    if (row == size - 1) {
        left = next[CARRIED] = seabed;
        next[MOVED] = col == row ? treasure : seabed;
    }
    fy_format(name, sizeof name, "(%" PRId64 ",%" PRId64 ")", row, col);
    fy_world_cell(builder, state, row, col, name);
    foray_builder_outcomes(builder, state, LEFT, 0, &left);
    foray_builder_outcomes(builder, state, RIGHT, shared ? 1 : 1 + state, next);
}

static foray_status deepsea_fill(foray_context *ctx, const double *value, foray_builder **builder)
{
    static const char *const names[ACTIONS] = {"left", "right"};
    static const double certain = 1;
    int64_t size = (int64_t)value[SIZE], cells = cell(size, 0);
    int64_t laws = value[SHARED] == 1 ? 1 : cells, *outcomes;
    int64_t horizon = value[HORIZON] > 0 ? (int64_t)value[HORIZON] : size;
    if (!FY_ALLOC(ctx, outcomes, laws + 1))
        return FORAY_ERROR_MEMORY;
    for (int64_t law = 0; law <= laws; law++)
        outcomes[law] = law == 0 ? 1 : OUTCOMES;
    foray_status status =
        foray_builder_create_classes(ctx, cells + 2, ACTIONS, horizon, laws + 1, outcomes, builder);
    free(outcomes);
    if (status != FORAY_OK)
        return status;
    foray_builder_grid(*builder, size + 1, size);
    for (int64_t row = 0; row < size; row++)
        for (int64_t col = 0; col <= row; col++)
            add_cell(*builder, size, row, col, laws == 1);
    for (int64_t end = cells; end < cells + 2; end++) {
        fy_world_cell(*builder, end, size, end == cells ? 0 : size - 1,
                      end == cells ? "seabed" : "treasure");
        for (int64_t action = 0; action < ACTIONS; action++)
            foray_builder_outcomes(*builder, end, action, 0, &end);
    }
    foray_builder_law(*builder, 0, &certain);
    for (int64_t law = 1; law <= laws; law++)
        foray_builder_law(*builder, law,
                          (const double[OUTCOMES]){value[SUCCESS], 1 - value[SUCCESS]});
    fy_world_actions(*builder, ACTIONS, names);
    return FORAY_OK;
}

static foray_status deepsea_build(foray_context *ctx, const double *value, foray_builder **builder)
{
    foray_status status = fy_world_check_size(ctx, "deepsea", 2 * value[SIZE] * value[SIZE]);
    return status == FORAY_OK ? deepsea_fill(ctx, value, builder) : status;
}

const fy_world_kind fy_world_deepsea = {"deepsea",
                                        "a treasure that only diving right all the way finds",
                                        parameters, FY_COUNT(parameters), deepsea_build};
