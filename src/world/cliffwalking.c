/* cliffwalking.c - along the edge of a cliff, or the long way round.
 *
 * Story       The CliffWalking of Gymnasium. Somebody walks from the lower left corner to the lower
 *             right one, between which there is a cliff. Whoever falls is back at the start.
 * States      The cells, row by row, as Gymnasium numbers them. A cell of the cliff is where one
 *             has just fallen: it is left as the start is. So a reward can tell a fall from a
 *             step back to the start, which Gymnasium's own state cannot.
 * Actions     up, right, down, left, in Gymnasium's order.
 * Outcomes    moved, slipped left, slipped right (at right angles to the step that was meant). A
 *             step off the map stays. The goal is never left.
 * Laws        One for all cells: d = 3; with shared=0 one for each cell and action.
 * Theta       moved: success; each slip: half of the rest. 1 is Gymnasium's CliffWalking-v1, and a
 *             third its slippery variant.
 *
 *     ............
 *     ............     S: start, state 36. O: the cliff, 37 to 46. G: the goal, state 47.
 *     ............     A step costs 1 and a fall 100: the best return of 100 steps is -13,
 *     SOOOOOOOOOOG     and -63.01337329181028 with success = 1/3. */
#include <inttypes.h>

#include "world/world.h"

enum { SUCCESS, SHARED, HORIZON };

static const foray_parameter parameters[] = {
    FY_REAL("success", "1", 0, 1, "probability of moving as intended"),
    FY_INTEGER("shared", "1", 0, 1, "1: one law of slipping; 0: one for each cell and action"),
    FY_HORIZON("100"),
};

enum { MOVED, SLIPPED_LEFT, SLIPPED_RIGHT, OUTCOMES };
enum { ROWS = 4, COLS = 12, STATES = ROWS * COLS, START = STATES - COLS, GOAL = STATES - 1 };

static int64_t step_by_cliff(int64_t state, int direction)
{
    int64_t row = state / COLS + fy_direction_row[direction];
    int64_t col = state % COLS + fy_direction_col[direction];
    return row < 0 || row >= ROWS || col < 0 || col >= COLS ? state : row * COLS + col;
}

static void add_cell(foray_builder *builder, int64_t state, bool shared)
{
    bool fallen = state > START && state < GOAL;
    int64_t from = fallen ? START : state;
    char name[64];
    fy_format(name, sizeof name, "%s(%" PRId64 ",%" PRId64 ")",
              fallen           ? "cliff "
              : state == START ? "start "
              : state == GOAL  ? "goal "
                               : "",
              state / COLS, state % COLS);
    fy_world_cell(builder, state, state / COLS, state % COLS, name);
    for (int meant = 0; meant < FY_DIRECTIONS; meant++) {
        int64_t next[OUTCOMES] = {GOAL, GOAL, GOAL};
        if (state != GOAL) {
            next[MOVED] = step_by_cliff(from, meant);
            next[SLIPPED_LEFT] = step_by_cliff(from, (meant + 3) % FY_DIRECTIONS);
            next[SLIPPED_RIGHT] = step_by_cliff(from, (meant + 1) % FY_DIRECTIONS);
        }
        foray_builder_outcomes(builder, state, meant, shared ? 0 : state * FY_DIRECTIONS + meant,
                               next);
    }
}

static foray_status cliffwalking_build(foray_context *ctx, const double *value,
                                       foray_builder **builder)
{
    bool shared = value[SHARED] == 1;
    int64_t laws = shared ? 1 : STATES * FY_DIRECTIONS;
    double slip = (1 - value[SUCCESS]) / 2;
    foray_status status = fy_world_classes(ctx, STATES, FY_DIRECTIONS, (int64_t)value[HORIZON],
                                           laws, OUTCOMES, builder);
    if (status != FORAY_OK)
        return status;
    foray_builder_grid(*builder, ROWS, COLS);
    for (int64_t state = 0; state < STATES; state++)
        add_cell(*builder, state, shared);
    for (int64_t law = 0; law < laws; law++)
        foray_builder_law(*builder, law, (const double[OUTCOMES]){value[SUCCESS], slip, slip});
    foray_builder_initial(*builder, START, 1);
    fy_world_actions(*builder, FY_DIRECTIONS, fy_direction_name);
    return FORAY_OK;
}

const fy_world_kind fy_world_cliffwalking = {
    "cliffwalking", "along the edge of a cliff: the CliffWalking of Gymnasium", parameters,
    FY_COUNT(parameters), cliffwalking_build};
