/* taxi.c - fetch a passenger, and take them where they want to go.
 *
 * Story       The Taxi of Gymnasium. A passenger waits at one of four places and wants to get to
 *             another; the taxi picks them up and drops them off.
 * States      ((row * 5 + col) * 5 + passenger) * 4 + destination, as Gymnasium numbers them:
 *             places R, G, Y, B are 0 to 3, and a passenger at 4 is in the taxi. Where passenger
 * and destination are the same they have arrived, and nothing happens any more. Actions     south,
 * north, east, west, pick up, drop off. A step into a wall stays. Picking up and dropping off work
 * where they can, and otherwise do nothing. Outcomes    of driving: moved, slipped left, slipped
 * right (at right angles to the step that was meant); the other actions have one. Laws        One
 * of driving: d = 4 with the certain one. Theta       moved: success; each slip: half of the rest.
 * 1 is Gymnasium's Taxi-v4. Start       Every taxi, passenger and destination, if these two differ:
 * 300 states.
 *
 *     R . | . . G
 *     . . | . . .      A step costs 1, a vain pick up or drop off 10, and an arrival earns 20:
 *     . . . . . .      the best return of 200 steps is 7.93.
 *     . | . . | .
 *     Y | . . B .  */
#include <inttypes.h>

#include "world/world.h"

enum { SUCCESS, HORIZON };

static const foray_parameter parameters[] = {
    FY_REAL("success", "1", 0, 1, "probability of driving as intended"),
    FY_HORIZON("200"),
};

enum { SIDE = 5, PLACES = 4, IN_TAXI = 4, PASSENGERS = 5, STATES = 500, BEGINNINGS = 300 };
enum { PICK_UP = FY_DIRECTIONS, DROP_OFF, ACTIONS };
enum { MOVED, SLIPPED_LEFT, SLIPPED_RIGHT, OUTCOMES };

static const int place_row[PLACES] = {0, 0, 4, 4}, place_col[PLACES] = {0, 4, 0, 3};
static const int direction_of[FY_DIRECTIONS] = {FY_DOWN, FY_UP, FY_RIGHT, FY_LEFT};
static const char *const action_names[ACTIONS] = {"south", "north",   "east",
                                                  "west",  "pick up", "drop off"};
static const char place_name[] = "RGYB";

typedef struct ride {
    int64_t row, col, passenger, destination;
} ride;

static ride ride_of(int64_t state)
{
    return (ride){state / 100, state / 20 % SIDE, state / PLACES % PASSENGERS, state % PLACES};
}

static int64_t state_of(ride r)
{
    return ((r.row * SIDE + r.col) * PASSENGERS + r.passenger) * PLACES + r.destination;
}

/* Is there a wall on the right of a cell? */
static bool is_walled(int64_t row, int64_t col)
{
    return (col == 1 && row < 2) || ((col == 0 || col == 2) && row > 2);
}

static int64_t drive(ride r, int direction)
{
    int64_t row = r.row + fy_direction_row[direction], col = r.col + fy_direction_col[direction];
    bool wall = row < 0 || row >= SIDE || col < 0 || col >= SIDE;
    wall = wall || (direction == FY_RIGHT && is_walled(r.row, r.col)) ||
           (direction == FY_LEFT && is_walled(row, col));
    if (!wall) {
        r.row = row;
        r.col = col;
    }
    return state_of(r);
}

/* The place where the taxi is; -1: at none. */
static int64_t place_of(ride r)
{
    for (int64_t p = 0; p < PLACES; p++)
        if (place_row[p] == r.row && place_col[p] == r.col)
            return p;
    return -1;
}

static int64_t serve(ride r, int64_t action)
{
    int64_t here = place_of(r);
    if (action == PICK_UP && here >= 0 && r.passenger == here)
        r.passenger = IN_TAXI;
    else if (action == DROP_OFF && here >= 0 && r.passenger == IN_TAXI)
        r.passenger = here;
    return state_of(r);
}

/* A map for each passenger and destination, side by side. */
static void name_state(foray_builder *builder, int64_t state)
{
    ride r = ride_of(state);
    char name[64], passenger[16] = "taxi";
    if (r.passenger != IN_TAXI)
        fy_format(passenger, sizeof passenger, "%c", place_name[r.passenger]);
    fy_format(name, sizeof name, "(%" PRId64 ",%" PRId64 ") %s to %c", r.row, r.col, passenger,
              place_name[r.destination]);
    fy_world_cell(builder, state, r.destination * (SIDE + 1) + r.row,
                  r.passenger * (SIDE + 1) + r.col, name);
}

static void add_state(foray_builder *builder, int64_t state)
{
    ride r = ride_of(state);
    bool arrived = r.passenger == r.destination;
    name_state(builder, state);
    for (int64_t action = 0; action < ACTIONS; action++) {
        int64_t next[OUTCOMES] = {state, state, state};
        bool drives = action < FY_DIRECTIONS;
        int meant = drives ? direction_of[action] : 0;
        if (!arrived && drives) {
            next[MOVED] = drive(r, meant);
            next[SLIPPED_LEFT] = drive(r, (meant + 3) % FY_DIRECTIONS);
            next[SLIPPED_RIGHT] = drive(r, (meant + 1) % FY_DIRECTIONS);
        } else if (!arrived) {
            next[0] = serve(r, action);
        }
        foray_builder_outcomes(builder, state, action, drives ? 0 : 1, next);
    }
    if (!arrived && r.passenger != IN_TAXI)
        foray_builder_initial(builder, state, 1.0 / BEGINNINGS);
}

static foray_status taxi_build(foray_context *ctx, const double *value, foray_builder **builder)
{
    static const int64_t outcomes[] = {OUTCOMES, 1};
    static const double certain = 1;
    double slip = (1 - value[SUCCESS]) / 2;
    foray_status status = foray_builder_create_classes(
        ctx, STATES, ACTIONS, (int64_t)value[HORIZON], 2, outcomes, builder);
    if (status != FORAY_OK)
        return status;
    foray_builder_grid(*builder, PLACES * (SIDE + 1) - 1, PASSENGERS * (SIDE + 1) - 1);
    for (int64_t state = 0; state < STATES; state++)
        add_state(*builder, state);
    foray_builder_law(*builder, 0, (const double[OUTCOMES]){value[SUCCESS], slip, slip});
    foray_builder_law(*builder, 1, &certain);
    fy_world_actions(*builder, ACTIONS, action_names);
    return FORAY_OK;
}

const fy_world_kind fy_world_taxi = {"taxi", "fetch and carry a passenger: the Taxi of Gymnasium",
                                     parameters, FY_COUNT(parameters), taxi_build};
