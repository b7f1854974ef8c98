/* test_worlds.c - the built-in worlds, one by one: their probabilities against the story each
 * one tells, and published optimal values. */
#include "support_worlds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------- published values */

typedef double (*reward_fn)(const foray_model *model, int64_t s, int64_t a);

/* Textbook backward induction with a discount: V*(start). */
static double best_value(const foray_model *model, double discount, reward_fn reward)
{
    int64_t states = foray_model_states(model), actions = foray_model_actions(model);
    double *value = calloc((size_t)states, sizeof *value), *older = calloc((size_t)states, 8);
    for (int64_t t = foray_model_horizon(model); t-- > 0;) {
        memcpy(older, value, (size_t)states * sizeof *value);
        for (int64_t s = 0; s < states; s++) {
            double best = -INFINITY;
            for (int64_t a = 0; a < actions; a++) {
                const int32_t *next;
                int64_t n = foray_model_successors(model, s, a, &next);
                double q = reward(model, s, a);
                for (int64_t j = 0; j < n; j++)
                    q += discount * older[next[j]] *
                         foray_model_probability(model, foray_model_theta(model), s, a, j);
                best = fmax(best, q);
            }
            value[s] = best;
        }
    }
    double answer = value[world_start_of(model)];
    free(value);
    free(older);
    return answer;
}

/* The library's value for the same reward. */
static double evaluated(foray_context *ctx, const foray_model *model, double discount,
                        reward_fn reward)
{
    foray_reward *table;
    double optimal;
    assert_int_equal(foray_reward_create(ctx, model, "published", 0, 1, 0, &table), FORAY_OK);
    for (int64_t s = 0; s < foray_model_states(model); s++)
        for (int64_t a = 0; a < foray_model_actions(model); a++)
            assert_int_equal(foray_reward_set(ctx, table, -1, s, a, reward(model, s, a)), FORAY_OK);
    assert_int_equal(foray_reward_set_discount(ctx, table, discount), FORAY_OK);
    assert_int_equal(foray_evaluate(ctx, model, table, NULL, NULL, &optimal), FORAY_OK);
    foray_reward_destroy(table);
    return optimal;
}

/* 1 for staying in the last state. */
static double stay_at_the_end(const foray_model *model, int64_t s, int64_t a)
{
    int64_t last = foray_model_states(model) - 1;
    return s == last ? world_chance(model, s, a, last) : 0;
}

/* 1 for entering cell (16,16) of 21 x 21. */
static double enter_the_goal(const foray_model *model, int64_t s, int64_t a)
{
    return world_chance(model, s, a, 16 * 21 + 16);
}

/* 0.005 for left in the first state, 1 for right in the last. */
static double swim(const foray_model *model, int64_t s, int64_t a)
{
    if (s == 0 && a == 0)
        return 0.005;
    return s == foray_model_states(model) - 1 && a == 1 ? 1 : 0;
}

/* RF-UCRL's chain and grid (discount 0.99, H = 20) and UCRL-VTR's river: the
 * optimal values that go with these papers' own definitions. */
static void optimal_values_are_the_published_ones(void **state)
{
    static const struct {
        const char *spec;
        double discount;
        reward_fn reward;
        double value, digit;
    } published[] = {
        {"chain:zones=1,laws=1,spread=0,success=0.95", 0.99, stay_at_the_end, 2.6494571923, 1e-10},
        {"chain:zones=6,laws=2,spread=0,success=0.95", 0.99, stay_at_the_end, 2.6494571923, 1e-10},
        {"grid:rows=21,cols=21,slips=1", 0.99, enter_the_goal, 3.7482298487, 1e-10},
        {"riverswim:states=3", 1, swim, 5.7199, 1e-4},
        {"riverswim:states=4", 1, swim, 5.6509, 1e-4},
        {"riverswim:states=5", 1, swim, 5.5851, 1e-4},
    };
    foray_context *ctx = *state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        foray_model *model = world_model_of(ctx, published[i].spec);
        double value = best_value(model, published[i].discount, published[i].reward);
        if (!(fabs(value - published[i].value) <= published[i].digit))
            fail_msg("%s: %.12g, published %.12g", published[i].spec, value, published[i].value);
        double ours = evaluated(ctx, model, published[i].discount, published[i].reward);
        assert_true(fabs(ours - value) <= 1e-12 * value);
        foray_model_destroy(model);
    }
}

/* ---------------------------------------------------------- world by world */

/* The best probability of reaching the last state within the horizon, by backward induction. */
static double arrival(const foray_model *model)
{
    enum { MAX = 64 };
    double value[MAX] = {0}, now[MAX];
    int64_t states = foray_model_states(model);
    value[states - 1] = 1;
    for (int64_t t = 0; t < foray_model_horizon(model); t++) {
        for (int64_t s = 0; s < states; s++) {
            now[s] = 0;
            for (int64_t a = 0; a < foray_model_actions(model); a++) {
                const int32_t *next;
                double sum = 0;
                int64_t n = foray_model_successors(model, s, a, &next);
                for (int64_t j = 0; j < n; j++)
                    sum += foray_model_probability(model, model->theta, s, a, j) * value[next[j]];
                now[s] = fmax(now[s], sum);
            }
        }
        memcpy(value, now, sizeof value);
    }
    return value[0];
}

/* Optimal returns of Gymnasium's tables, with laws shared or not. */
static void frozenlake_is_gymnasiums(void **state)
{
    foray_context *ctx = *state;
    static const struct {
        const char *spec;
        double value;
    } known[] = {{"frozenlake", 0.347872703235486},
                 {"frozenlake:shared=0", 0.347872703235486},
                 {"frozenlake:horizon=100", 0.7441902878292689},
                 {"frozenlake:size=8,horizon=200", 0.9132201502016288}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        foray_model *model = world_model_of(ctx, known[i].spec);
        assert_true(fabs(arrival(model) - known[i].value) < 1e-12);
        foray_model_destroy(model);
    }
    foray_model *model;
    assert_int_equal(foray_model_builtin(ctx, "frozenlake:size=5", &model), FORAY_ERROR_USAGE);
    model = world_model_of(ctx, "frozenlake:shared=0");
    assert_int_equal(model->dim, 16 * 4 * 3);
    foray_model_destroy(model);
}

/* ------------------------------------------------------------- the classics */

/* The best return for a reward r(s,a,s'), by the planner for known models. */
static double best_return(foray_context *ctx, const foray_model *model, foray_reward *reward)
{
    double value, optimal;
    assert_int_equal(foray_evaluate(ctx, model, reward, NULL, &value, &optimal), FORAY_OK);
    foray_reward_destroy(reward);
    return optimal;
}

/* A step costs 1, a fall 100, and at the goal nothing does. */
static void cliffwalking_is_gymnasiums(void **state)
{
    foray_context *ctx = *state;
    static const struct {
        const char *spec;
        double value;
    } known[] = {{"cliffwalking", -13},
                 {"cliffwalking:shared=0", -13},
                 {"cliffwalking:success=0.3333333333333333", -63.01337329181028}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        foray_model *model = world_model_of(ctx, known[i].spec);
        foray_reward *reward;
        assert_int_equal(foray_reward_create(ctx, model, "cliff", -100, 0, -1, &reward), FORAY_OK);
        for (int64_t cliff = 37; cliff < 47; cliff++)
            assert_int_equal(foray_reward_set_next(ctx, reward, -1, -1, -1, cliff, -100), FORAY_OK);
        assert_int_equal(foray_reward_set(ctx, reward, -1, 47, -1, 0), FORAY_OK);
        double value = best_return(ctx, model, reward);
        if (!(fabs(value - known[i].value) < 1e-9))
            fail_msg("%s: %.17g, not %.17g", known[i].spec, value, known[i].value);
        foray_model_destroy(model);
    }
}

/* A step costs 1, a vain pick up or drop off 10, an arrival earns 20. */
static void taxi_is_gymnasiums(void **state)
{
    foray_context *ctx = *state;
    static const int64_t place[] = {0, 4, 20, 23}; /* R, G, Y, B as cells */
    foray_model *model = world_model_of(ctx, "taxi");
    foray_reward *reward;
    assert_int_equal(foray_reward_create(ctx, model, "taxi", -10, 20, -1, &reward), FORAY_OK);
    for (int64_t s = 0; s < 500; s++) {
        int64_t cell = s / 20, passenger = s / 4 % 5, destination = s % 4;
        bool here = false;
        for (int64_t p = 0; p < 4; p++)
            here = here || place[p] == cell;
        bool up = passenger < 4 && place[passenger] == cell, off = passenger == 4 && here;
        bool arrives = off && place[destination] == cell, over = passenger == destination;
        assert_int_equal(foray_reward_set(ctx, reward, -1, s, 4, up ? -1 : -10), FORAY_OK);
        assert_int_equal(foray_reward_set(ctx, reward, -1, s, 5,
                                          arrives ? 20
                                          : off   ? -1
                                                  : -10),
                         FORAY_OK);
        if (over)
            assert_int_equal(foray_reward_set(ctx, reward, -1, s, -1, 0), FORAY_OK);
    }
    double value = best_return(ctx, model, reward);
    if (!(fabs(value - 7.93) < 1e-9))
        fail_msg("%.17g", value);
    foray_model_destroy(model);
}

/* The treasure is found with probability success^size, and never by the other policies; moving
 * right costs 0.01/size in bsuite, and the treasure is worth 1. */
static void deepsea_is_as_deep_as_its_size(void **state)
{
    foray_context *ctx = *state;
    for (int64_t size = 2; size <= 12; size += 5) {
        char spec[64];
        snprintf(spec, sizeof spec, "deepsea:size=%d,success=0.75,shared=%d", (int)size,
                 (int)(size % 2));
        foray_model *model = world_model_of(ctx, spec);
        foray_reward *reward;
        int64_t treasure = foray_model_states(model) - 1;
        assert_int_equal(foray_model_horizon(model), size);
        assert_int_equal(
            foray_reward_create_reach(ctx, model, "treasure", 1, &treasure, 0, NULL, &reward),
            FORAY_OK);
        assert_true(fabs(best_return(ctx, model, reward) - pow(0.75, (double)size)) < 1e-12);
        foray_model_destroy(model);
    }
    foray_model *model = world_model_of(ctx, "deepsea:success=1");
    foray_reward *reward;
    int64_t treasure = foray_model_states(model) - 1, last = treasure - 2;
    assert_int_equal(foray_reward_create(ctx, model, "bsuite", -1, 1, 0, &reward), FORAY_OK);
    for (int64_t s = 0; s <= last; s++)
        assert_int_equal(foray_reward_set(ctx, reward, -1, s, 1, -0.001), FORAY_OK);
    assert_int_equal(foray_reward_set(ctx, reward, -1, last, 1, 0.999), FORAY_OK);
    assert_true(fabs(best_return(ctx, model, reward) - 0.99) < 1e-12);
    foray_model_destroy(model);
}

/* 6 rooms of 25 cells and 7 doors; the far corner is 26 steps away. */
static void sixrooms_has_its_map(void **state)
{
    foray_context *ctx = *state;
    for (int64_t horizon = 25; horizon <= 26; horizon++) {
        char spec[64];
        snprintf(spec, sizeof spec, "sixrooms:success=1,horizon=%d", (int)horizon);
        foray_model *model = world_model_of(ctx, spec);
        foray_reward *reward;
        int64_t corner = foray_model_states(model) - 1;
        assert_int_equal(corner, 6 * 25 + 7 - 1);
        assert_int_equal(
            foray_reward_create_reach(ctx, model, "corner", 1, &corner, 0, NULL, &reward),
            FORAY_OK);
        assert_true(best_return(ctx, model, reward) == (horizon == 26));
        foray_model_destroy(model);
    }
    foray_model *model = world_model_of(ctx, "sixrooms:shared=0");
    assert_int_equal(model->dim, 6 * 4);
    foray_model_destroy(model);
}

/* 1000 episodes of the POWERS experiments: by hand, H - (1 - (1-p)^H)/p an episode. */
static void trapdoor_returns_are_the_published_ones(void **state)
{
    foray_context *ctx = *state;
    foray_model *model = world_model_of(ctx, "trapdoor");
    assert_int_equal(foray_model_states(model), 22);
    assert_int_equal(foray_model_actions(model), 16);
    assert_int_equal(foray_model_dim(model), 5);
    double value[22] = {0}, older[22];
    for (int t = 0; t < 20; t++) { /* uniformly random actions */
        memcpy(older, value, sizeof value);
        for (int64_t s = 0; s < 22; s++) {
            value[s] = s == 21;
            for (int64_t a = 0; a < 16; a++)
                for (int64_t next = 0; next < 22; next++)
                    value[s] += world_chance(model, s, a, next) * older[next] / 16;
        }
    }
    assert_true(fabs(1000 * value[0] - 7169.718) < 5e-4);
    foray_reward *reward;
    double optimal;
    assert_int_equal(foray_reward_create(ctx, model, "treasure", 0, 1, 0, &reward), FORAY_OK);
    assert_int_equal(foray_reward_set(ctx, reward, -1, 21, -1, 1), FORAY_OK);
    assert_int_equal(foray_evaluate(ctx, model, reward, NULL, NULL, &optimal), FORAY_OK);
    assert_true(fabs(1000 * optimal - 10573.832) < 5e-4);
    for (int64_t a = 0; a < 16; a++)
        assert_true(fabs(world_chance(model, 3, a, 21) -
                         (0.05 + 0.01 * (2 * __builtin_popcount((unsigned)a) - 4))) < 1e-12);
    foray_reward_destroy(reward);
    foray_model_destroy(model);
}

static void chain_slips_as_told(void **state)
{
    foray_context *ctx = *state;
    foray_model *model = world_model_of(ctx, "chain");
    assert_int_equal(world_start_of(model), 15);
    for (int64_t s = 0; s < 31; s++) {
        /* zones 0..5: success 0.85, 0.87, ..., 0.95 */
        int64_t zone = s * 6 / 31;
        double success = 0.85 + 0.02 * (double)zone;
        int64_t left = s > 0 ? s - 1 : 0, right = s < 30 ? s + 1 : 30;
        world_assert_close(world_chance(model, s, 0, left), success);
        world_assert_close(world_chance(model, s, 0, right), 1 - success);
        world_assert_close(world_chance(model, s, 1, right), success);
        world_assert_close(world_chance(model, s, 1, left), 1 - success);
    }
    foray_model_destroy(model);
    model = world_model_of(ctx, "chain:states=9,zones=1,laws=1,outcomes=4,success=0.7,spread=0");
    world_assert_close(world_chance(model, 4, 1, 5), 0.7);
    world_assert_close(world_chance(model, 4, 1, 3), 0.1);
    world_assert_close(world_chance(model, 4, 1, 4), 0.1);
    world_assert_close(world_chance(model, 4, 1, 6), 0.1);
    world_assert_close(world_chance(model, 8, 1, 8), 0.9);
    world_assert_close(world_chance(model, 1, 0, 0), 0.8);
    foray_model_destroy(model);
}

static void riverswim_flows_as_told(void **state)
{
    foray_context *ctx = *state;
    foray_model *model = world_model_of(ctx, "riverswim:states=4");
    assert_int_equal(world_start_of(model), 0);
    world_assert_close(world_chance(model, 0, 0, 0), 1);
    world_assert_close(world_chance(model, 3, 0, 2), 1);
    world_assert_close(world_chance(model, 0, 1, 0), 0.3);
    world_assert_close(world_chance(model, 0, 1, 1), 0.7);
    world_assert_close(world_chance(model, 2, 1, 1), 0.1);
    world_assert_close(world_chance(model, 2, 1, 2), 0.6);
    world_assert_close(world_chance(model, 2, 1, 3), 0.3);
    world_assert_close(world_chance(model, 3, 1, 2), 0.1);
    world_assert_close(world_chance(model, 3, 1, 3), 0.9);
    foray_model_destroy(model);
}

static void grid_slips_as_told(void **state)
{
    foray_context *ctx = *state;
    foray_model *model = world_model_of(ctx, "grid:rows=3,cols=4,success=0.7,spread=0");
    assert_int_equal(world_start_of(model), 1 * 4 + 2);
    assert_string_equal(foray_model_state_name(model, 6), "(1,2)");
    /* up from (1,1), in the open */
    world_assert_close(world_chance(model, 5, 0, 1), 0.7);
    world_assert_close(world_chance(model, 5, 0, 6), 0.1);
    world_assert_close(world_chance(model, 5, 0, 9), 0.1);
    world_assert_close(world_chance(model, 5, 0, 4), 0.1);
    /* left in the corner (2,0): slips up or right, or slides down into the wall */
    world_assert_close(world_chance(model, 8, 3, 8), 0.8);
    world_assert_close(world_chance(model, 8, 3, 4), 0.1);
    world_assert_close(world_chance(model, 8, 3, 9), 0.1);
    foray_model_destroy(model);
    model = world_model_of(ctx, "grid:rows=3,cols=4,success=0.7,spread=0,slips=1");
    world_assert_close(world_chance(model, 8, 3, 8), 0.7);
    world_assert_close(world_chance(model, 8, 3, 4), 0.15);
    world_assert_close(world_chance(model, 8, 3, 9), 0.15);
    world_assert_close(world_chance(model, 8, 0, 4), 0.7);
    world_assert_close(world_chance(model, 8, 0, 9), 0.3);
    world_assert_close(world_chance(model, 8, 0, 8), 0);
    foray_model_destroy(model);
}

/* The state at (row, col), -1 for a wall. */
static int64_t state_at(const foray_model *model, int64_t row, int64_t col)
{
    int64_t y, x;
    for (int64_t s = 0; s < foray_model_states(model); s++) {
        if (foray_model_cell(model, s, &y, &x) && y == row && x == col)
            return s;
    }
    return -1;
}

/* The map of rooms:rows=2,cols=2,size=2, as in the head of rooms.c. */
static void rooms_have_walls_and_doors(void **state)
{
    static const char *const map[] = {"..#..", ".....", "#.##.", "..#..", "....."};
    foray_context *ctx = *state;
    foray_model *model = world_model_of(ctx, "rooms:rows=2,cols=2,size=2");
    int64_t rows, cols;
    assert_true(foray_model_grid(model, &rows, &cols));
    assert_int_equal(rows, 5);
    assert_int_equal(cols, 5);
    for (int64_t row = 0; row < 5; row++) {
        for (int64_t col = 0; col < 5; col++)
            assert_int_equal(state_at(model, row, col) >= 0, map[row][col] == '.');
    }
    assert_string_equal(foray_model_state_name(model, state_at(model, 1, 2)), "door (1,2)");
    assert_int_equal(world_start_of(model), state_at(model, 0, 0));
    foray_model_destroy(model);
    model = world_model_of(ctx, "rooms:start=1");
    assert_int_equal(world_start_of(model), state_at(model, 5, 5));
    foray_model_destroy(model);
}

/* In the open, the four outcomes of room (0,0) are four different states. The same
 * law holds, turned, in its corner. */
static void rooms_slip_by_room(void **state)
{
    foray_context *ctx = *state;
    foray_model *model = world_model_of(ctx, "rooms");
    int64_t centre = state_at(model, 1, 1), corner = state_at(model, 0, 0);
    enum { UP, RIGHT, DOWN, LEFT };
    double moved = world_chance(model, centre, UP, state_at(model, 0, 1));
    double left = world_chance(model, centre, UP, state_at(model, 1, 0));
    double right = world_chance(model, centre, UP, state_at(model, 1, 2));
    double stayed = world_chance(model, centre, UP, centre);
    world_assert_close(moved + left + right + stayed, 1);
    assert_true(moved >= 0.7 && moved <= 0.9);
    assert_true(left <= 3 * right && right <= 3 * stayed && stayed <= 3 * left);
    world_assert_close(world_chance(model, corner, RIGHT, state_at(model, 0, 1)), moved);
    world_assert_close(world_chance(model, corner, RIGHT, state_at(model, 1, 0)), right);
    world_assert_close(world_chance(model, corner, RIGHT, corner), left + stayed);
    int64_t other = state_at(model, 1, 5);
    assert_true(world_chance(model, other, UP, state_at(model, 0, 5)) != moved);
    foray_model_destroy(model);
}

static void mixture_has_distinct_successors(void **state)
{
    foray_context *ctx = *state;
    foray_model *model = world_model_of(ctx, "mixture:states=9,actions=3,successors=6,dim=3");
    int64_t reached[9] = {0};
    for (int64_t pair = 0; pair < 27; pair++) {
        const int32_t *next;
        assert_int_equal(foray_model_successors(model, pair / 3, pair % 3, &next), 6);
        for (int i = 0; i < 6; i++) {
            reached[next[i]]++;
            for (int j = 0; j < i; j++)
                assert_int_not_equal(next[i], next[j]);
        }
    }
    /* Each state is a successor of 18 of the 27 pairs on average; below 6 or above 27
     * would be a broken draw (Hoeffding: with probability below 1e-4 in all, fixed seed). */
    for (int s = 0; s < 9; s++)
        assert_true(reached[s] >= 6);
    foray_model_destroy(model);
}

/* The signs of an action, from its name. */
static int64_t inner_product(const char *x, const char *y)
{
    int64_t sum = 0;
    for (; *x; x++, y++)
        sum += *x == *y ? 1 : -1;
    return sum;
}

static void hard_class_is_the_paper_s(void **state)
{
    foray_context *ctx = *state;
    foray_model *model = world_model_of(ctx, "hard:dim=10,actions=20,member=7,eps=0.9,horizon=5");
    double alpha = 2 * sqrt(2) * 0.9 / 4;
    const char *x = foray_model_action_name(model, 7);
    assert_int_equal(strlen(x), 9);
    for (int64_t a = 0; a < 20; a++) {
        const char *signs = foray_model_action_name(model, a);
        double product = (double)inner_product(x, signs);
        double good = 0.5 + alpha * product / (sqrt(2) * 10);
        world_assert_close(world_chance(model, 0, a, 1), good);
        world_assert_close(world_chance(model, 0, a, 2), 1 - good);
        world_assert_close(world_chance(model, 1, a, 1), 1);
        world_assert_close(world_chance(model, 2, a, 2), 1);
        for (int64_t b = 0; b < a; b++)
            assert_true(2 * inner_product(signs, foray_model_action_name(model, b)) <= 9);
    }
    foray_model_destroy(model);
}

/* The weights of the simulators, from theta: each coordinate over sqrt(d). */
static double weight(const foray_model *model, int64_t i)
{
    return foray_model_theta(model)[i] / sqrt((double)foray_model_dim(model));
}

static double poisson(double mean, int64_t k)
{
    return exp((double)k * log(mean) - mean - lgamma((double)k + 1));
}

/* P(sold) summed over far more demands than matter. */
static void inventory_sells_as_told(void **state)
{
    enum { CAPACITY = 6, ORDERS = 4, PAIRS = (CAPACITY + 1) * ORDERS, DEMANDS = 2000 };
    foray_context *ctx = *state;
    foray_model *model = world_model_of(ctx, "inventory:capacity=6,order=3,demand=4,dim=3");
    assert_int_equal(world_start_of(model), CAPACITY);
    for (int64_t pair = 0; pair < PAIRS; pair++) {
        int64_t stock = pair / ORDERS, order = pair % ORDERS;
        int64_t morning = stock + order < CAPACITY ? stock + order : CAPACITY;
        double evening[CAPACITY + 1] = {0};
        for (int64_t demand = 0; demand < DEMANDS; demand++) {
            double calm = weight(model, 0) * poisson(2, demand);
            double bursts = weight(model, 1) * 0.2 * pow(0.8, (double)demand);
            double busy = weight(model, 2) * poisson(6, demand);
            evening[demand < morning ? morning - demand : 0] += calm + bursts + busy;
        }
        for (int64_t s = 0; s <= CAPACITY; s++)
            world_assert_close(world_chance(model, stock, order, s), evening[s]);
    }
    foray_model_destroy(model);
}

/* Binomial coefficients small enough to write down: clerks 1 and 2. */
static double served(int64_t clerks, double q, int64_t n)
{
    if (clerks == 1)
        return n == 0 ? 1 - q : n == 1 ? q : 0;
    return n == 0 ? (1 - q) * (1 - q) : n == 1 ? 2 * q * (1 - q) : n == 2 ? q * q : 0;
}

static void queue_moves_as_told(void **state)
{
    enum { CAPACITY = 4, PAIRS = (CAPACITY + 1) * 4, NEWCOMERS = 200 };
    foray_context *ctx = *state;
    foray_model *model =
        world_model_of(ctx, "queue:capacity=4,rates=2,load=2,arrivals=2,services=2");
    for (int64_t pair = 0; pair < PAIRS; pair++) {
        int64_t waiting = pair / 4, admit = pair % 4 / 2, clerks = 1 + pair % 2;
        double after[CAPACITY + 1] = {0};
        for (int64_t i = 0; i < 4; i++) {
            double mean = i / 2 ? 3 : 1, q = i % 2 ? 0.9 : 0.3;
            for (int64_t n = 0; n <= clerks; n++) {
                for (int64_t m = 0; m < NEWCOMERS; m++) {
                    int64_t left = waiting > n ? waiting - n : 0, full = left + admit * m;
                    after[full < CAPACITY ? full : CAPACITY] +=
                        weight(model, i) * served(clerks, q, n) * poisson(mean, m);
                }
            }
        }
        for (int64_t s = 0; s <= CAPACITY; s++)
            world_assert_close(world_chance(model, waiting, pair % 4, s), after[s]);
    }
    /* theta is an outer product */
    world_assert_close(weight(model, 0) * weight(model, 3), weight(model, 1) * weight(model, 2));
    assert_string_equal(foray_model_action_name(model, 0), "refuse, 1 at the counter");
    assert_string_equal(foray_model_action_name(model, 3), "admit, 2 at the counter");
    foray_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        support_test(optimal_values_are_the_published_ones),
        support_test(frozenlake_is_gymnasiums),
        support_test(cliffwalking_is_gymnasiums),
        support_test(taxi_is_gymnasiums),
        support_test(deepsea_is_as_deep_as_its_size),
        support_test(sixrooms_has_its_map),
        support_test(trapdoor_returns_are_the_published_ones),
        support_test(chain_slips_as_told),
        support_test(riverswim_flows_as_told),
        support_test(grid_slips_as_told),
        support_test(rooms_have_walls_and_doors),
        support_test(rooms_slip_by_room),
        support_test(mixture_has_distinct_successors),
        support_test(hard_class_is_the_paper_s),
        support_test(inventory_sells_as_told),
        support_test(queue_moves_as_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
