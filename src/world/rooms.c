/* rooms.c - rooms joined by doors, each with its own slippery floor.
 *
 * Story       A robot crosses a building. How far it can trust its wheels depends
 *             on the room it is in.
 * States      The open cells of the map, row by row: `rows` x `cols` rooms of
 *             `size` x `size` cells, one row or column of wall between neighbours,
 *             and in the middle of each such wall a door, which is a cell too.
 * Actions     up, right, down, left.
 * Outcomes    moved, slipped left, slipped right (a step at right angles to the one
 *             that was meant), stayed. A step into a wall stays.
 * Laws        One per room; a door belongs to the room on its left or above it.
 * Theta       The outcome probabilities of every room: d = 4 * rows * cols. "moved"
 *             is uniform in success -+ spread; the others share the rest at
 *             random, none more than three times another.
 * Seed        Another seed is another set of laws.
 *
 *     #######
 *     #  #  #
 *     #     #      rooms:rows=2,cols=2,size=2: 16 cells of rooms and
 *     ## ## #      4 doors make 20 states, and d = 16. The outer wall
 *     #  #  #      is not part of the map.
 *     #     #
 *     ####### */
#include <inttypes.h>
#include <stdlib.h>

#include "world/world.h"

enum { ROWS, COLS, SIZE, SUCCESS, SPREAD, START, SEED, HORIZON };

static const foray_parameter parameters[] = {
    FY_INTEGER("rows", "3", 1, 64, "rows of rooms"),
    FY_INTEGER("cols", "3", 1, 64, "columns of rooms"),
    FY_INTEGER("size", "3", 1, 64, "cells along each side of a room"),
    FY_REAL("success", "0.8", 0, 1, "probability of moving as intended, on average over rooms"),
    FY_REAL("spread", "0.1", 0, 0.5, "how far a room may differ from that"),
    FY_INTEGER("start", "0", 0, 1, "0: the top left corner; 1: the middle of the middle room"),
    FY_INTEGER("seed", "1", 0, FY_MAX_SEED, "seed of the rooms' laws"),
    FY_HORIZON("30"),
};

enum { MOVED, SLIPPED_LEFT, SLIPPED_RIGHT, STAYED, OUTCOMES };

typedef struct room_map {
    int64_t pitch;      /* cells from one room to the next: size and a wall */
    int64_t rows, cols; /* cells */
    int64_t states;
    int64_t *state; /* [rows * cols], -1: wall */
    bool one_law;   /* for all rooms */
} room_map;

/* ----------------------------------------------------------------- the map */

/* Walls lie in every pitch-th row and column; a door is where the other
 * coordinate is in the middle of a room. */
static bool is_door(const room_map *map, int64_t row, int64_t col)
{
    int64_t wall = map->pitch - 1, middle = wall / 2;
    int64_t y = row % map->pitch, x = col % map->pitch;
    return (y == wall && x == middle) || (y == middle && x == wall);
}

static bool is_open(const room_map *map, int64_t row, int64_t col)
{
    int64_t wall = map->pitch - 1;
    return (row % map->pitch != wall && col % map->pitch != wall) || is_door(map, row, col);
}

static void draw_map(room_map *map)
{
    for (int64_t cell = 0; cell < map->rows * map->cols; cell++)
        map->state[cell] = is_open(map, cell / map->cols, cell % map->cols) ? map->states++ : -1;
}

/* The state one step away, or `state` itself if a wall is in the way. */
static int64_t step_in_rooms(const room_map *map, int64_t row, int64_t col, int direction)
{
    int64_t to_row = row + fy_direction_row[direction], to_col = col + fy_direction_col[direction];
    int64_t state = map->state[row * map->cols + col];
    if (to_row < 0 || to_row >= map->rows || to_col < 0 || to_col >= map->cols)
        return state;
    int64_t to = map->state[to_row * map->cols + to_col];
    return to >= 0 ? to : state;
}

static int64_t start_state(const room_map *map, const double *value)
{
    int64_t middle = (map->pitch - 1) / 2;
    int64_t row = (int64_t)value[ROWS] / 2 * map->pitch + middle;
    int64_t col = (int64_t)value[COLS] / 2 * map->pitch + middle;
    return value[START] == 0 ? map->state[0] : map->state[row * map->cols + col];
}

/* --------------------------------------------------------------- the model */

static void add_cell(foray_builder *builder, const room_map *map, int64_t row, int64_t col)
{
    int64_t across = (map->cols + 1) / map->pitch;
    int64_t room = map->one_law ? 0 : row / map->pitch * across + col / map->pitch;
    int64_t state = map->state[row * map->cols + col];
    char name[64];
    fy_format(name, sizeof name, "%s(%" PRId64 ",%" PRId64 ")",
              is_door(map, row, col) ? "door " : "", row, col);
    fy_world_cell(builder, state, row, col, name);
    for (int meant = 0; meant < FY_DIRECTIONS; meant++) {
        int64_t next[OUTCOMES];
        next[MOVED] = step_in_rooms(map, row, col, meant);
        next[SLIPPED_LEFT] = step_in_rooms(map, row, col, (meant + 3) % FY_DIRECTIONS);
        next[SLIPPED_RIGHT] = step_in_rooms(map, row, col, (meant + 1) % FY_DIRECTIONS);
        next[STAYED] = state;
        foray_builder_outcomes(builder, state, meant, room, next);
    }
}

/* theta: "moved" uniform in success -+ spread; the others share the rest, each with a weight
 * uniform in 1/2 to 3/2. */
static void add_law(foray_builder *builder, const double *value, int64_t room)
{
    double p[OUTCOMES], sum = 0;
    for (uint32_t o = 0; o < OUTCOMES; o++)
        p[o] = fy_world_random(value[SEED], (uint64_t)room, o, 0);
    p[MOVED] = value[SUCCESS] + value[SPREAD] * (2 * p[MOVED] - 1);
    for (int o = SLIPPED_LEFT; o < OUTCOMES; o++)
        sum += 0.5 + p[o];
    for (int o = SLIPPED_LEFT; o < OUTCOMES; o++)
        p[o] = (1 - p[MOVED]) * (0.5 + p[o]) / sum;
    foray_builder_law(builder, room, p);
}

/* Room for the map of so many rooms, and a builder with all of it but laws and start. */
static foray_status fill_rooms(foray_context *ctx, int64_t rows, int64_t cols, int64_t horizon,
                               room_map *map, foray_builder **builder)
{
    map->rows = rows * map->pitch - 1;
    map->cols = cols * map->pitch - 1;
    if (!FY_ALLOC(ctx, map->state, map->rows * map->cols))
        return FORAY_ERROR_MEMORY;
    draw_map(map);
    foray_status status = fy_world_classes(ctx, map->states, FY_DIRECTIONS, horizon,
                                           map->one_law ? 1 : rows * cols, OUTCOMES, builder);
    if (status != FORAY_OK)
        return status;
    foray_builder_grid(*builder, map->rows, map->cols);
    for (int64_t cell = 0; cell < map->rows * map->cols; cell++)
        if (map->state[cell] >= 0)
            add_cell(*builder, map, cell / map->cols, cell % map->cols);
    fy_world_actions(*builder, FY_DIRECTIONS, fy_direction_name);
    return FORAY_OK;
}

static foray_status rooms_build(foray_context *ctx, const double *value, foray_builder **builder)
{
    room_map map = {.pitch = (int64_t)value[SIZE] + 1};
    double cells = value[ROWS] * (double)map.pitch * value[COLS] * (double)map.pitch;
    foray_status status = fy_zone_check(ctx, "rooms", value[SUCCESS], value[SPREAD]);
    if (status == FORAY_OK)
        status = fy_world_check_size(ctx, "rooms", cells * FY_DIRECTIONS * OUTCOMES);
    if (status == FORAY_OK)
        status = fill_rooms(ctx, (int64_t)value[ROWS], (int64_t)value[COLS],
                            (int64_t)value[HORIZON], &map, builder);
    if (status == FORAY_OK) {
        for (int64_t room = 0; room < (int64_t)(value[ROWS] * value[COLS]); room++)
            add_law(*builder, value, room);
        foray_builder_initial(*builder, start_state(&map, value), 1);
    }
    free(map.state);
    return status;
}

const fy_world_kind fy_world_rooms = {"rooms",
                                      "rooms joined by doors, each with an unknown law of slipping",
                                      parameters, FY_COUNT(parameters), rooms_build};

/* ----------------------------------------------------------------- six rooms
 *
 * Two rows of three rooms of 5 x 5 cells: the map on which algorithms are compared that explore
 * without a reward, or for one that is far away. One law for all rooms: d = 4. Theta: moved has
 * success, and the other outcomes share the rest equally. */
enum { SIX_SUCCESS, SIX_SHARED, SIX_HORIZON };

static const foray_parameter six_parameters[] = {
    FY_REAL("success", "0.95", 0, 1, "probability of moving as intended"),
    FY_INTEGER("shared", "1", 0, 1, "1: one law for all rooms; 0: one for each"),
    FY_HORIZON("40"),
};

static foray_status sixrooms_build(foray_context *ctx, const double *value, foray_builder **builder)
{
    enum { SIX_ROWS = 2, SIX_COLS = 3, SIX_SIZE = 5 };
    room_map map = {.pitch = SIX_SIZE + 1, .one_law = value[SIX_SHARED] == 1};
    foray_status status =
        fill_rooms(ctx, SIX_ROWS, SIX_COLS, (int64_t)value[SIX_HORIZON], &map, builder);
    double rest = (1 - value[SIX_SUCCESS]) / (OUTCOMES - 1);
    if (status == FORAY_OK) {
        for (int64_t law = 0; law < (map.one_law ? 1 : SIX_ROWS * SIX_COLS); law++)
            foray_builder_law(*builder, law,
                              (const double[OUTCOMES]){value[SIX_SUCCESS], rest, rest, rest});
        foray_builder_initial(*builder, 0, 1);
    }
    free(map.state);
    return status;
}

const fy_world_kind fy_world_sixrooms = {"sixrooms",
                                         "six rooms of 5 x 5 cells, entered in a corner",
                                         six_parameters, FY_COUNT(six_parameters), sixrooms_build};
