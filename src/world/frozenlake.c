/* frozenlake.c - crossing thin ice to the far corner.
 *
 * Story       The FrozenLake of Gymnasium. Somebody walks over a frozen lake to the corner
 *             opposite and slips: of three steps one goes where it was meant to, one to the left
 *             and one to the right. Whoever breaks in or arrives stays there.
 * States      The cells, row by row, as Gymnasium numbers them.
 * Actions     left, down, right, up, in Gymnasium's order.
 * Outcomes    moved, slipped left, slipped right (at right angles to the step that was meant). A
 *             step off the map stays.
 * Laws        One for the whole lake: d = 3; with shared=0 one for each cell and action, as if
 *             nothing were known but which cells are next to which.
 * Theta       moved: success; each slip: half of the rest.
 *
 *     S...    size=4. S: start, O: hole, G: goal, the last state. With rewards that count
 *     .O.O    arrivals (reach:15) the best policy arrives within 30 steps with probability
 *     ...O    0.3479, within 100 steps with 0.7442.
 *     O..G */
#include <inttypes.h>
#include <string.h>

#include "world/world.h"

enum { SIZE, SUCCESS, SHARED, HORIZON };

static const foray_parameter parameters[] = {
    FY_INTEGER("size", "4", 4, 8, "4 or 8: cells along each side of the lake"),
    FY_REAL("success", "0.3333333333333333", 0, 1, "probability of moving as intended"),
    FY_INTEGER("shared", "1", 0, 1, "1: one law of slipping; 0: one for each cell and action"),
    FY_HORIZON("30"),
};

enum { MOVED, SLIPPED_LEFT, SLIPPED_RIGHT, OUTCOMES };

static const char four[] = "S..."
                           ".O.O"
                           "...O"
                           "O..G";
static const char eight[] = "S......."
                            "........"
                            "...O...."
                            ".....O.."
                            "...O...."
                            ".OO...O."
                            ".O..O.O."
                            "...O...G";

/* Gymnasium's actions, as directions of a map. */
static const int direction_of[FY_DIRECTIONS] = {FY_LEFT, FY_DOWN, FY_RIGHT, FY_UP};

static int64_t step_on_lake(int64_t size, int64_t state, int direction)
{
    int64_t row = state / size + fy_direction_row[direction];
    int64_t col = state % size + fy_direction_col[direction];
    return row < 0 || row >= size || col < 0 || col >= size ? state : row * size + col;
}

static void add_cell(foray_builder *builder, const char *map, int64_t size, int64_t state,
                     bool shared)
{
    static const struct {
        char mark;
        const char *name;
    } kinds[] = {{'S', "start "}, {'O', "hole "}, {'G', "goal "}, {'.', ""}};
    char name[64];
    int kind = 0;
    while (kinds[kind].mark != map[state])
        kind++;
    fy_format(name, sizeof name, "%s(%" PRId64 ",%" PRId64 ")", kinds[kind].name, state / size,
              state % size);
    fy_world_cell(builder, state, state / size, state % size, name);
    bool ends = map[state] == 'O' || map[state] == 'G';
    for (int64_t action = 0; action < FY_DIRECTIONS; action++) {
        int64_t next[OUTCOMES] = {state, state, state};
        int meant = direction_of[action];
        if (!ends) {
            next[MOVED] = step_on_lake(size, state, meant);
            next[SLIPPED_LEFT] = step_on_lake(size, state, (meant + 3) % FY_DIRECTIONS);
            next[SLIPPED_RIGHT] = step_on_lake(size, state, (meant + 1) % FY_DIRECTIONS);
        }
        foray_builder_outcomes(builder, state, action, shared ? 0 : state * FY_DIRECTIONS + action,
                               next);
    }
}

static foray_status frozenlake_build(foray_context *ctx, const double *value,
                                     foray_builder **builder)
{
    int64_t size = (int64_t)value[SIZE], states = size * size;
    bool shared = value[SHARED] == 1;
    int64_t laws = shared ? 1 : states * FY_DIRECTIONS;
    const char *map = size == 4 ? four : eight;
    const char *name[FY_DIRECTIONS];
    if (size != 4 && size != 8)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "frozenlake: size is 4 or 8");
    foray_status status = fy_world_classes(ctx, states, FY_DIRECTIONS, (int64_t)value[HORIZON],
                                           laws, OUTCOMES, builder);
    if (status != FORAY_OK)
        return status;
    foray_builder_grid(*builder, size, size);
    for (int64_t state = 0; state < states; state++)
        add_cell(*builder, map, size, state, shared);
    double slip = (1 - value[SUCCESS]) / 2;
    for (int64_t law = 0; law < laws; law++)
        foray_builder_law(*builder, law, (const double[OUTCOMES]){value[SUCCESS], slip, slip});
    for (int a = 0; a < FY_DIRECTIONS; a++)
        name[a] = fy_direction_name[direction_of[a]];
    foray_builder_initial(*builder, 0, 1);
    fy_world_actions(*builder, FY_DIRECTIONS, name);
    return FORAY_OK;
}

const fy_world_kind fy_world_frozenlake = {"frozenlake",
                                           "thin ice: the FrozenLake of Gymnasium, 4x4 or 8x8",
                                           parameters, FY_COUNT(parameters), frozenlake_build};
