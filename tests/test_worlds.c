/* test_worlds.c - the built-in worlds: their specs, their probabilities against the
 * story each one tells, published optimal values, maps and names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

static int set_up(void **state)
{
    *state = foray_context_create();
    return *state == NULL;
}

static int tear_down(void **state)
{
    foray_context_destroy(*state);
    return 0;
}

static foray_model *model_of(foray_context *ctx, const char *spec)
{
    foray_model *model = NULL;
    if (foray_world_model(ctx, spec, &model) != FORAY_OK)
        fail_msg("%s: %s", spec, foray_message(ctx));
    return model;
}

/* P(next|s,a), 0 for a state that is no successor. */
static double chance(const foray_model *model, int64_t s, int64_t a, int64_t next)
{
    const int32_t *successor;
    int64_t n = foray_model_successors(model, s, a, &successor);
    double sum = 0;
    for (int64_t j = 0; j < n; j++) {
        if (successor[j] == next)
            sum += foray_model_probability(model, foray_model_theta(model), s, a, j);
    }
    return sum;
}

static int64_t start_of(const foray_model *model)
{
    const int32_t *start;
    const double *probability;
    assert_int_equal(foray_model_initial(model, &start, &probability), 1);
    assert_true(probability[0] == 1);
    return start[0];
}

static void assert_close(double x, double y)
{
    if (!(fabs(x - y) <= 1e-12))
        fail_msg("%.17g is not %.17g", x, y);
}

/* --------------------------------------------- what all worlds have in common */

static const char *const specs[] = {
    "chain",
    "chain:laws=1,outcomes=4",
    "chain:states=2,zones=1,outcomes=3,success=1,spread=0",
    "chain:states=40,zones=40,horizon=1",
    "riverswim",
    "riverswim:states=3",
    "riverswim:states=20,horizon=7",
    "grid",
    "grid:rows=2,cols=2",
    "grid:rows=3,cols=8,zones=4,slips=1",
    "grid:rows=21,cols=21,slips=1",
    "rooms",
    "rooms:rows=1,cols=1,size=1",
    "rooms:rows=2,cols=4,size=2,start=1,seed=9",
    "rooms:rows=1,cols=15,size=5",
    "mixture",
    "mixture:states=5,actions=1,successors=5,dim=1",
    "mixture:states=50,actions=3,successors=7,dim=10,seed=123456789",
    "hard",
    "hard:dim=2,actions=2,eps=0.001,member=1",
    "hypercube",
    "hypercube:dim=2,episodes=3,horizon=2,member=1",
    "hypercube:dim=9,episodes=192,member=200",
    "trapdoor",
    "trapdoor:knobs=1,base=0.5,gap=0.5,horizon=1",
    "trapdoor:knobs=10,base=0.2,gap=0.02,horizon=3",
    "hard:dim=64,actions=100,member=99,horizon=3,eps=0.5",
    "inventory",
    "inventory:capacity=1,order=1,dim=2",
    "inventory:capacity=40,order=40,demand=100,dim=5",
    "queue",
    "queue:capacity=1,rates=1",
    "queue:capacity=8,rates=5,load=20,arrivals=4,services=2",
};
enum { SPECS = sizeof specs / sizeof *specs };

static void every_world_is_valid(void **state)
{
    foray_context *ctx = *state;
    for (int i = 0; i < SPECS; i++) {
        foray_model *model = model_of(ctx, specs[i]);
        foray_model_facts facts;
        if (foray_model_check(ctx, model, &facts) != FORAY_OK)
            fail_msg("%s: %s", specs[i], foray_message(ctx));
        assert_true(facts.psi_norm <= 1 + 1e-9);
        assert_true(facts.theta_norm <= foray_model_norm_bound(model) * (1 + 1e-9));
        assert_true(facts.worst_sum <= 1e-9 && facts.least_probability >= -1e-9);
        assert_string_equal(foray_model_name(model), specs[i]);
        foray_model_destroy(model);
    }
}

/* Every state and action has a name, no two states share one or a cell. */
static void every_world_has_names_and_a_map(void **state)
{
    foray_context *ctx = *state;
    for (int i = 0; i < SPECS; i++) {
        foray_model *model = model_of(ctx, specs[i]);
        int64_t rows, cols, row, col;
        assert_true(foray_model_grid(model, &rows, &cols));
        char *taken = calloc((size_t)(rows * cols), 1);
        for (int64_t s = 0; s < foray_model_states(model); s++) {
            assert_true(foray_model_cell(model, s, &row, &col));
            assert_true(row >= 0 && row < rows && col >= 0 && col < cols);
            assert_int_equal(taken[row * cols + col]++, 0);
            assert_non_null(foray_model_state_name(model, s));
            if (s > 0)
                assert_string_not_equal(foray_model_state_name(model, s),
                                        foray_model_state_name(model, s - 1));
        }
        for (int64_t a = 0; a < foray_model_actions(model); a++)
            assert_true(strlen(foray_model_action_name(model, a)) > 0);
        free(taken);
        foray_model_destroy(model);
    }
}

/* From the start, every state of a map can be reached by some actions. */
static void every_place_can_be_reached(void **state)
{
    foray_context *ctx = *state;
    for (int i = 0; i < SPECS; i++) {
        foray_model *model = model_of(ctx, specs[i]);
        int64_t states = foray_model_states(model), actions = foray_model_actions(model), found = 1;
        int64_t *queue = calloc((size_t)states, sizeof *queue);
        bool *seen = calloc((size_t)states, sizeof *seen);
        queue[0] = start_of(model);
        seen[queue[0]] = true;
        for (int64_t at = 0; at < found; at++) {
            for (int64_t next = 0; next < states; next++) {
                bool possible = false;
                for (int64_t a = 0; !seen[next] && a < actions; a++)
                    possible = possible || chance(model, queue[at], a, next) > 0;
                if (!seen[next] && possible) {
                    seen[next] = true;
                    queue[found++] = next;
                }
            }
        }
        /* Random successors may leave a state out; every other world is connected. */
        if (strncmp(specs[i], "mixture", 7) != 0)
            assert_int_equal(found, states);
        free(queue);
        free(seen);
        foray_model_destroy(model);
    }
}

static void sizes_are_the_documented_ones(void **state)
{
    static const struct {
        const char *spec;
        int64_t states, actions, horizon, dim, blocks, unknowns;
    } sizes[] = {
        {"chain", 31, 2, 20, 24, 12, 12},
        {"chain:laws=1,outcomes=4", 31, 2, 20, 24, 6, 18},
        {"riverswim", 6, 2, 24, 8, 4, 4},
        {"riverswim:states=10,horizon=5", 10, 2, 5, 8, 4, 4},
        {"grid", 49, 4, 20, 4, 1, 3},
        {"grid:zones=7", 49, 4, 20, 28, 7, 21},
        {"rooms", 93, 4, 30, 36, 9, 27},
        {"rooms:rows=3,cols=5,size=5", 397, 4, 30, 60, 15, 45},
        {"rooms:rows=1,cols=15,size=5", 389, 4, 30, 60, 15, 45},
        {"mixture", 20, 4, 20, 6, 1, 5},
        {"hard", 3, 8, 10, 8, 1, 7},
        {"hypercube", 3, 16, 10, 5, 1, 4},
        {"inventory", 21, 9, 20, 4, 1, 3},
        {"queue", 13, 6, 20, 6, 1, 5},
    };
    foray_context *ctx = *state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        foray_model *model = model_of(ctx, sizes[i].spec);
        foray_model_facts facts;
        assert_int_equal(foray_model_check(ctx, model, &facts), FORAY_OK);
        assert_int_equal(foray_model_states(model), sizes[i].states);
        assert_int_equal(foray_model_actions(model), sizes[i].actions);
        assert_int_equal(foray_model_horizon(model), sizes[i].horizon);
        assert_int_equal(foray_model_dim(model), sizes[i].dim);
        assert_int_equal(facts.blocks, sizes[i].blocks);
        assert_int_equal(facts.unknowns, sizes[i].unknowns);
        foray_model_destroy(model);
    }
}

static bool same_theta(const foray_model *one, const foray_model *other)
{
    size_t size = (size_t)foray_model_dim(one) * sizeof(double);
    return memcmp(foray_model_theta(one), foray_model_theta(other), size) == 0;
}

static void seeds_make_worlds(void **state)
{
    static const char *const names[] = {"rooms", "mixture", "inventory", "queue"};
    foray_context *ctx = *state;
    for (int i = 0; i < 4; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s:seed=1", names[i]);
        foray_model *plain = model_of(ctx, names[i]), *first = model_of(ctx, text);
        snprintf(text, sizeof text, "%s:seed=2", names[i]);
        foray_model *second = model_of(ctx, text);
        assert_true(same_theta(plain, first));
        assert_false(same_theta(plain, second));
        foray_model_destroy(plain);
        foray_model_destroy(first);
        foray_model_destroy(second);
    }
}

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
    double answer = value[start_of(model)];
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
    assert_int_equal(foray_reward_create(ctx, model, "published", 0, &table), FORAY_OK);
    for (int64_t s = 0; s < foray_model_states(model); s++)
        for (int64_t a = 0; a < foray_model_actions(model); a++)
            assert_int_equal(foray_reward_set(ctx, table, -1, s, a, reward(model, s, a)), FORAY_OK);
    assert_int_equal(foray_evaluate_discounted(ctx, model, table, discount, NULL, NULL, &optimal),
                     FORAY_OK);
    foray_reward_destroy(table);
    return optimal;
}

/* 1 for staying in the last state. */
static double stay_at_the_end(const foray_model *model, int64_t s, int64_t a)
{
    int64_t last = foray_model_states(model) - 1;
    return s == last ? chance(model, s, a, last) : 0;
}

/* 1 for entering cell (16,16) of 21 x 21. */
static double enter_the_goal(const foray_model *model, int64_t s, int64_t a)
{
    return chance(model, s, a, 16 * 21 + 16);
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
        foray_model *model = model_of(ctx, published[i].spec);
        double value = best_value(model, published[i].discount, published[i].reward);
        if (!(fabs(value - published[i].value) <= published[i].digit))
            fail_msg("%s: %.12g, published %.12g", published[i].spec, value, published[i].value);
        double ours = evaluated(ctx, model, published[i].discount, published[i].reward);
        assert_true(fabs(ours - value) <= 1e-12 * value);
        foray_model_destroy(model);
    }
}

/* ---------------------------------------------------------- world by world */

/* 1000 episodes of the POWERS experiments: by hand, H - (1 - (1-p)^H)/p an episode. */
static void trapdoor_returns_are_the_published_ones(void **state)
{
    foray_context *ctx = *state;
    foray_model *model = model_of(ctx, "trapdoor");
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
                    value[s] += chance(model, s, a, next) * older[next] / 16;
        }
    }
    assert_true(fabs(1000 * value[0] - 7169.718) < 5e-4);
    foray_reward *reward;
    double optimal;
    assert_int_equal(foray_reward_create(ctx, model, "treasure", 0, &reward), FORAY_OK);
    assert_int_equal(foray_reward_set(ctx, reward, -1, 21, -1, 1), FORAY_OK);
    assert_int_equal(foray_evaluate(ctx, model, reward, NULL, NULL, &optimal), FORAY_OK);
    assert_true(fabs(1000 * optimal - 10573.832) < 5e-4);
    for (int64_t a = 0; a < 16; a++)
        assert_true(fabs(chance(model, 3, a, 21) -
                         (0.05 + 0.01 * (2 * __builtin_popcount((unsigned)a) - 4))) < 1e-12);
    foray_reward_destroy(reward);
    foray_model_destroy(model);
}

static void chain_slips_as_told(void **state)
{
    foray_context *ctx = *state;
    foray_model *model = model_of(ctx, "chain");
    assert_int_equal(start_of(model), 15);
    for (int64_t s = 0; s < 31; s++) {
        /* zones 0..5: success 0.85, 0.87, ..., 0.95 */
        int64_t zone = s * 6 / 31;
        double success = 0.85 + 0.02 * (double)zone;
        int64_t left = s > 0 ? s - 1 : 0, right = s < 30 ? s + 1 : 30;
        assert_close(chance(model, s, 0, left), success);
        assert_close(chance(model, s, 0, right), 1 - success);
        assert_close(chance(model, s, 1, right), success);
        assert_close(chance(model, s, 1, left), 1 - success);
    }
    foray_model_destroy(model);
    model = model_of(ctx, "chain:states=9,zones=1,laws=1,outcomes=4,success=0.7,spread=0");
    assert_close(chance(model, 4, 1, 5), 0.7);
    assert_close(chance(model, 4, 1, 3), 0.1);
    assert_close(chance(model, 4, 1, 4), 0.1);
    assert_close(chance(model, 4, 1, 6), 0.1);
    assert_close(chance(model, 8, 1, 8), 0.9);
    assert_close(chance(model, 1, 0, 0), 0.8);
    foray_model_destroy(model);
}

static void riverswim_flows_as_told(void **state)
{
    foray_context *ctx = *state;
    foray_model *model = model_of(ctx, "riverswim:states=4");
    assert_int_equal(start_of(model), 0);
    assert_close(chance(model, 0, 0, 0), 1);
    assert_close(chance(model, 3, 0, 2), 1);
    assert_close(chance(model, 0, 1, 0), 0.3);
    assert_close(chance(model, 0, 1, 1), 0.7);
    assert_close(chance(model, 2, 1, 1), 0.1);
    assert_close(chance(model, 2, 1, 2), 0.6);
    assert_close(chance(model, 2, 1, 3), 0.3);
    assert_close(chance(model, 3, 1, 2), 0.1);
    assert_close(chance(model, 3, 1, 3), 0.9);
    foray_model_destroy(model);
}

static void grid_slips_as_told(void **state)
{
    foray_context *ctx = *state;
    foray_model *model = model_of(ctx, "grid:rows=3,cols=4,success=0.7,spread=0");
    assert_int_equal(start_of(model), 1 * 4 + 2);
    assert_string_equal(foray_model_state_name(model, 6), "(1,2)");
    /* up from (1,1), in the open */
    assert_close(chance(model, 5, 0, 1), 0.7);
    assert_close(chance(model, 5, 0, 6), 0.1);
    assert_close(chance(model, 5, 0, 9), 0.1);
    assert_close(chance(model, 5, 0, 4), 0.1);
    /* left in the corner (2,0): slips up or right, or slides down into the wall */
    assert_close(chance(model, 8, 3, 8), 0.8);
    assert_close(chance(model, 8, 3, 4), 0.1);
    assert_close(chance(model, 8, 3, 9), 0.1);
    foray_model_destroy(model);
    model = model_of(ctx, "grid:rows=3,cols=4,success=0.7,spread=0,slips=1");
    assert_close(chance(model, 8, 3, 8), 0.7);
    assert_close(chance(model, 8, 3, 4), 0.15);
    assert_close(chance(model, 8, 3, 9), 0.15);
    assert_close(chance(model, 8, 0, 4), 0.7);
    assert_close(chance(model, 8, 0, 9), 0.3);
    assert_close(chance(model, 8, 0, 8), 0);
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
    foray_model *model = model_of(ctx, "rooms:rows=2,cols=2,size=2");
    int64_t rows, cols;
    assert_true(foray_model_grid(model, &rows, &cols));
    assert_int_equal(rows, 5);
    assert_int_equal(cols, 5);
    for (int64_t row = 0; row < 5; row++) {
        for (int64_t col = 0; col < 5; col++)
            assert_int_equal(state_at(model, row, col) >= 0, map[row][col] == '.');
    }
    assert_string_equal(foray_model_state_name(model, state_at(model, 1, 2)), "door (1,2)");
    assert_int_equal(start_of(model), state_at(model, 0, 0));
    foray_model_destroy(model);
    model = model_of(ctx, "rooms:start=1");
    assert_int_equal(start_of(model), state_at(model, 5, 5));
    foray_model_destroy(model);
}

/* In the open, the four outcomes of room (0,0) are four different states. The same
 * law holds, turned, in its corner. */
static void rooms_slip_by_room(void **state)
{
    foray_context *ctx = *state;
    foray_model *model = model_of(ctx, "rooms");
    int64_t centre = state_at(model, 1, 1), corner = state_at(model, 0, 0);
    enum { UP, RIGHT, DOWN, LEFT };
    double moved = chance(model, centre, UP, state_at(model, 0, 1));
    double left = chance(model, centre, UP, state_at(model, 1, 0));
    double right = chance(model, centre, UP, state_at(model, 1, 2));
    double stayed = chance(model, centre, UP, centre);
    assert_close(moved + left + right + stayed, 1);
    assert_true(moved >= 0.7 && moved <= 0.9);
    assert_true(left <= 3 * right && right <= 3 * stayed && stayed <= 3 * left);
    assert_close(chance(model, corner, RIGHT, state_at(model, 0, 1)), moved);
    assert_close(chance(model, corner, RIGHT, state_at(model, 1, 0)), right);
    assert_close(chance(model, corner, RIGHT, corner), left + stayed);
    int64_t other = state_at(model, 1, 5);
    assert_true(chance(model, other, UP, state_at(model, 0, 5)) != moved);
    foray_model_destroy(model);
}

static void mixture_has_distinct_successors(void **state)
{
    foray_context *ctx = *state;
    foray_model *model = model_of(ctx, "mixture:states=9,actions=3,successors=6,dim=3");
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
    foray_model *model = model_of(ctx, "hard:dim=10,actions=20,member=7,eps=0.9,horizon=5");
    double alpha = 2 * sqrt(2) * 0.9 / 4;
    const char *x = foray_model_action_name(model, 7);
    assert_int_equal(strlen(x), 9);
    for (int64_t a = 0; a < 20; a++) {
        const char *signs = foray_model_action_name(model, a);
        double product = (double)inner_product(x, signs);
        double good = 0.5 + alpha * product / (sqrt(2) * 10);
        assert_close(chance(model, 0, a, 1), good);
        assert_close(chance(model, 0, a, 2), 1 - good);
        assert_close(chance(model, 1, a, 1), 1);
        assert_close(chance(model, 2, a, 2), 1);
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
    foray_model *model = model_of(ctx, "inventory:capacity=6,order=3,demand=4,dim=3");
    assert_int_equal(start_of(model), CAPACITY);
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
            assert_close(chance(model, stock, order, s), evening[s]);
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
    foray_model *model = model_of(ctx, "queue:capacity=4,rates=2,load=2,arrivals=2,services=2");
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
            assert_close(chance(model, waiting, pair % 4, s), after[s]);
    }
    /* theta is an outer product */
    assert_close(weight(model, 0) * weight(model, 3), weight(model, 1) * weight(model, 2));
    assert_string_equal(foray_model_action_name(model, 0), "refuse, 1 at the counter");
    assert_string_equal(foray_model_action_name(model, 3), "admit, 2 at the counter");
    foray_model_destroy(model);
}

/* -------------------------------------------------------------------- specs */

static void bad_specs_are_explained(void **state)
{
    static const char *const bad[][2] = {
        {"", "no built-in world is called \"\""},
        {"swamp", "there are chain, riverswim, grid, rooms, mixture, hard, hypercube, trapdoor, "
                  "inventory, queue"},
        {"Chain", "no built-in world is called \"Chain\""},
        {"chain ", "no built-in world is called \"chain \""},
        {"chain:", "chain: \"\" should read key=value"},
        {"chain:zones", "chain: \"zones\" should read key=value"},
        {"chain:zones=2,", "chain: \"\" should read key=value"},
        {"chain:zones=2,,states=9", "chain: \"\" should read key=value"},
        {"chain:zone=2", "chain: no parameter is called \"zone\"; there are states, zones, laws"},
        {"chain:=2", "no parameter is called \"\""},
        {"chain:zones=2,zones=2", "chain: zones is given twice"},
        {"rooms:rows=0", "rooms: rows=0, but it must be a whole number from 1 to 64"},
        {"rooms:rows=65", "rooms: rows=65, but"},
        {"rooms:rows=2.5", "rooms: rows=2.5, but"},
        {"rooms:rows=-1", "rooms: rows=-1, but"},
        {"rooms:rows=", "rooms: rows=, but"},
        {"rooms:rows=3x", "rooms: rows=3x, but"},
        {"rooms:rows= 3", "rooms: rows= 3, but"},
        {"rooms:rows=nan", "rooms: rows=nan, but"},
        {"rooms:rows=inf", "rooms: rows=inf, but"},
        {"rooms:rows=1e999", "rooms: rows=1e999, but"},
        {"chain:success=1.5", "chain: success=1.5, but it must be a number from 0 to 1"},
        {"chain:success=0.99,spread=0.1", "chain: success=0.99 and spread=0.1 give probabilities"},
        {"grid:success=0.01,spread=0.1", "grid: success=0.01 and spread=0.1 give probabilities"},
        {"rooms:success=1", "rooms: success=1 and spread=0.1 give probabilities"},
        {"chain:horizon=0", "chain: horizon=0, but"},
        {"chain:states=5,zones=6", "chain: zones=6, but there are only states=5"},
        {"grid:zones=8", "grid: zones=8, but there are only cols=7"},
        {"riverswim:states=2", "riverswim: states=2, but it must be a whole number from 3 to"},
        {"mixture:states=3", "mixture: successors=4, but there are only states=3"},
        {"mixture:states=10000000,actions=10000,successors=10000,dim=10000", "numbers"},
        {"hard:horizon=1", "hard: horizon=1, but it must be a whole number from 2 to"},
        {"hypercube:dim=3,member=4", "hypercube: member=4, but with dim=3 there are 4 actions"},
        {"hypercube:dim=9,episodes=191", "they must be at least 192"},
        {"trapdoor:gap=0.02", "trapdoor: base=0.05 and gap=0.02, but with knobs=4"},
        {"hard:member=8", "hard: member=8, but it must be below actions=8"},
        {"hard:eps=3", "hard: eps=3, but at dim=8 and horizon=10"},
        {"hard:dim=2,actions=3", "hard: actions=3, but the packing has room for 2 at dim=2"},
        {"inventory:order=21", "inventory: order=21, but it must be 1 to capacity=20"},
        {"inventory:capacity=10000,order=10000", "numbers"},
        {"queue:capacity=10000,rates=100", "numbers"},
        {"grid:rows=4096,cols=4096", "numbers"},
        {"rooms:rows=64,cols=64,size=64", "rooms: these parameters make a model of"},
    };
    foray_context *ctx = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        foray_model *model = NULL;
        assert_int_equal(foray_world_model(ctx, bad[i][0], &model), FORAY_ERROR_USAGE);
        assert_null(model);
        if (!strstr(foray_message(ctx), bad[i][1]))
            fail_msg("%s: \"%s\" does not say \"%s\"", bad[i][0], foray_message(ctx), bad[i][1]);
    }
}

static void long_specs_are_refused(void **state)
{
    foray_context *ctx = *state;
    char *spec = calloc(1, 100001);
    memset(spec, 'x', 100000);
    foray_model *model = NULL;
    assert_int_equal(foray_world_model(ctx, spec, &model), FORAY_ERROR_USAGE);
    memcpy(spec, "chain:states=", 13);
    memset(spec + 13, '1', 4000 - 13);
    spec[4000] = 0;
    assert_int_equal(foray_world_model(ctx, spec, &model), FORAY_ERROR_USAGE);
    free(spec);
}

/* The table holds together: defaults in range, horizon everywhere, help for all,
 * and a spec that spells out every default makes the default world. */
static void the_table_describes_the_worlds(void **state)
{
    foray_context *ctx = *state;
    foray_world_info info;
    int64_t count = 0;
    for (; foray_world_describe(count, &info); count++) {
        char spec[512];
        bool horizon = false;
        int at = snprintf(spec, sizeof spec, "%s", info.name);
        assert_true(info.parameters >= 2 && info.parameters <= 16);
        for (int64_t i = 0; i < info.parameters; i++) {
            const foray_world_parameter *parameter = &info.parameter[i];
            assert_true(parameter->least <= parameter->fallback);
            assert_true(parameter->fallback <= parameter->most);
            assert_true(strlen(parameter->help) > 5);
            horizon = horizon || strcmp(parameter->name, "horizon") == 0;
            at += snprintf(spec + at, sizeof spec - (size_t)at, "%c%s=%.17g", i ? ',' : ':',
                           parameter->name, parameter->fallback);
        }
        assert_true(horizon && strlen(info.summary) > 20);
        foray_model *model = model_of(ctx, spec), *plain = model_of(ctx, info.name);
        assert_int_equal(foray_model_states(model), foray_model_states(plain));
        assert_int_equal(foray_model_dim(model), foray_model_dim(plain));
        assert_true(same_theta(model, plain));
        foray_model_destroy(model);
        foray_model_destroy(plain);
    }
    assert_int_equal(count, 10);
    assert_false(foray_world_describe(-1, &info));
}

/* Every allocation of every world fails once, on small specs. */
static void failed_allocations_leave_nothing_behind(void **state)
{
    static const char *const small[] = {
        "chain:states=3,zones=2",     "riverswim:states=3",         "grid:rows=2,cols=2",
        "rooms:rows=1,cols=2,size=1", "mixture:states=4,actions=1", "hard:dim=4,actions=2",
        "hypercube:dim=3,horizon=2",  "trapdoor:horizon=2,knobs=2", "inventory:capacity=2,order=1",
        "queue:capacity=2,rates=1"};
    foray_context *ctx = *state;
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        foray_model *model = NULL;
        int64_t failures = 0;
        for (;; failures++) {
            ctx->allocations_left = failures;
            foray_status status = foray_world_model(ctx, small[i], &model);
            if (status == FORAY_OK)
                break;
            assert_int_equal(status, FORAY_ERROR_MEMORY);
            assert_null(model);
        }
        assert_true(failures > 5);
        ctx->allocations_left = -1;
        foray_model_destroy(model);
    }
}

#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(every_world_is_valid),
        WITH_CONTEXT(every_world_has_names_and_a_map),
        WITH_CONTEXT(every_place_can_be_reached),
        WITH_CONTEXT(sizes_are_the_documented_ones),
        WITH_CONTEXT(seeds_make_worlds),
        WITH_CONTEXT(optimal_values_are_the_published_ones),
        WITH_CONTEXT(trapdoor_returns_are_the_published_ones),
        WITH_CONTEXT(chain_slips_as_told),
        WITH_CONTEXT(riverswim_flows_as_told),
        WITH_CONTEXT(grid_slips_as_told),
        WITH_CONTEXT(rooms_have_walls_and_doors),
        WITH_CONTEXT(rooms_slip_by_room),
        WITH_CONTEXT(mixture_has_distinct_successors),
        WITH_CONTEXT(hard_class_is_the_paper_s),
        WITH_CONTEXT(inventory_sells_as_told),
        WITH_CONTEXT(queue_moves_as_told),
        WITH_CONTEXT(bad_specs_are_explained),
        WITH_CONTEXT(long_specs_are_refused),
        WITH_CONTEXT(the_table_describes_the_worlds),
        WITH_CONTEXT(failed_allocations_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
