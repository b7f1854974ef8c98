/* test_plants.c - the built-in systems: their physics, rewards, and random numbers. */
#include "support.h"

#include "system/plant.h"
#include "system/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846, gravity = 9.81;
static const char *const names[] = {"pendulum:noise=1", "mountaincar:noise=1", "tank:noise=1"};
enum { PLANTS = 3 };

static foray_context *ctx;

static int set_up(void **state)
{
    (void)state;
    ctx = foray_context_create();
    return ctx ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    foray_context_destroy(ctx);
    return 0;
}

static foray_system *open_system(const char *text)
{
    foray_system *system = NULL;
    support_ok(ctx, foray_system_open(ctx, text, &system));
    return system;
}

/* ------------------------------------------------------------------- physics */

/* m l^2 w^2/2 + m g l cos x */
static double pendulum_energy(const double *constant, const double *state)
{
    double inertia = constant[0] * constant[1] * constant[1];
    return 0.5 * inertia * state[1] * state[1] +
           constant[0] * gravity * constant[1] * cos(state[0]);
}

static void a_free_pendulum_keeps_its_energy(void **unused)
{
    (void)unused;
    const double constant[] = {1.1, 0.95, 0};
    double state[] = {2.0, 1.5}, before = pendulum_energy(constant, state);
    for (int t = 0; t < 400; t++)
        fy_plant_flow(&fy_plant_pendulum, constant, 0, state, state);
    /* Runge-Kutta loses some energy in a minute: less than 3 percent of what lifts it. */
    assert_true(fabs(pendulum_energy(constant, state) - before) < 0.3 * constant[0]);
}

static void damping_takes_energy_away(void **unused)
{
    (void)unused;
    const double constant[] = {1, 1, 0.2};
    double state[] = {1.0, 0.0}, energy = pendulum_energy(constant, state);
    for (int t = 0; t < 100; t++) {
        fy_plant_flow(&fy_plant_pendulum, constant, 0, state, state);
        assert_true(pendulum_energy(constant, state) < energy + 1e-3);
        energy = fmin(energy, pendulum_energy(constant, state));
    }
    assert_true(energy < -0.9 * gravity);
}

/* v^2/2 + (s/3) sin 3x */
static double car_energy(double slope, const double *state)
{
    return 0.5 * state[1] * state[1] + slope / 3 * sin(3 * state[0]);
}

static void a_car_that_rolls_keeps_its_energy(void **unused)
{
    (void)unused;
    const double constant[] = {0.12, 0.25};
    double state[] = {0.2, 0.0}, before = car_energy(constant[1], state);
    for (int t = 0; t < 200; t++)
        fy_plant_flow(&fy_plant_mountaincar, constant, 0, state, state);
    assert_true(fabs(car_energy(constant[1], state) - before) < 1e-3);
}

/* Where all forces cancel nothing moves. */
static void rest_is_rest(void **unused)
{
    (void)unused;
    const double rod[] = {1, 1, 0.1}, car[] = {0.1, 0.25}, valve[] = {0.001, 0.0005};
    double pump = 0.001, h2 = pump * pump / (valve[1] * valve[1]) / (2 * gravity),
           h1 = h2 + pump * pump / (valve[0] * valve[0]) / (2 * gravity);
    const struct {
        const fy_plant_kind *kind;
        const double *constant;
        double control, state[2];
    } rest[] = {
        {&fy_plant_pendulum, rod, 0, {0, 0}},
        {&fy_plant_pendulum, rod, 0, {-pi, 0}},
        {&fy_plant_pendulum, rod, 5, {-asin(5 / gravity), 0}},
        {&fy_plant_mountaincar, car, 0, {-pi / 6, 0}},
        {&fy_plant_mountaincar, car, 1, {-acos(0.4) / 3, 0}},
        {&fy_plant_tank, valve, pump, {h1, h2}},
        {&fy_plant_tank, valve, 0, {0, 0}},
    };
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        double next[2];
        fy_plant_flow(rest[i].kind, rest[i].constant, rest[i].control, rest[i].state, next);
        assert_true(fabs(next[0] - rest[i].state[0]) < 1e-12);
        assert_true(fabs(next[1] - rest[i].state[1]) < 1e-12);
    }
}

/* What is pumped in is in the tanks if nothing gets out: A (h1 + h2) grows by u t. */
static void water_is_neither_made_nor_lost(void **unused)
{
    (void)unused;
    const double valve[] = {0.001, 0};
    double state[] = {0.3, 0.1}, before = state[0] + state[1];
    fy_plant_flow(&fy_plant_tank, valve, 0.002, state, state);
    double pumped = 0.002 * fy_plant_tank.seconds / 0.05;
    assert_true(fabs(state[0] + state[1] - before - pumped) < 1e-12);
    /* With an outlet it is less, and levels that start apart come together. */
    const double leak[] = {0.001, 0.0006};
    double leaking[] = {0.3, 0.1};
    fy_plant_flow(&fy_plant_tank, leak, 0, leaking, leaking);
    assert_true(leaking[0] + leaking[1] < 0.4 && leaking[0] - leaking[1] < 0.2);
    double over[] = {0.99, 0.99};
    fy_plant_flow(&fy_plant_tank, valve, 0.004, over, over);
    assert_true(over[0] <= 1 && over[1] <= 1);
}

/* Walls and speed limits are met between substeps, which is another matter; and angles may
 * end on both sides of hanging down. */
static bool at_limit(const fy_plant_kind *kind, const double *state)
{
    double margin = 0.03 * (kind->high[0] - kind->low[0]);
    bool too_fast = kind != &fy_plant_tank && fabs(state[1]) > 0.8 * kind->high[1];
    return too_fast || state[0] <= kind->low[0] + margin || state[0] >= kind->high[0] - margin;
}

/* The worst error of a step against a hundred times as many substeps. */
static double worst_error(const fy_plant_kind *kind, const double *constant)
{
    fy_plant_kind fine = *kind;
    support_random random = {.seed = 5};
    double worst = 0;
    fine.substeps *= 100;
    for (int k = 0; k < 300; k++) {
        double state[2], coarse_next[2], fine_next[2];
        for (int i = 0; i < 2; i++)
            state[i] = kind->low[i] + (kind->high[i] - kind->low[i]) * support_uniform(&random);
        double control = kind->control[support_below(&random, kind->actions)];
        fy_plant_flow(kind, constant, control, state, coarse_next);
        fy_plant_flow(&fine, constant, control, state, fine_next);
        if (!at_limit(kind, state) && !at_limit(kind, fine_next))
            worst = fmax(worst, fabs(coarse_next[0] - fine_next[0]));
    }
    return worst;
}

static void substeps_are_fine_enough(void **unused)
{
    (void)unused;
    const double rod[] = {0.8, 0.9, 0.05}, car[] = {0.15, 0.3}, valve[] = {0.0016, 0.0008};
    assert_true(worst_error(&fy_plant_pendulum, rod) < 1e-4);
    assert_true(worst_error(&fy_plant_mountaincar, car) < 2e-4);
    assert_true(worst_error(&fy_plant_tank, valve) < 5e-3);
}

static void walls_hold(void **unused)
{
    (void)unused;
    double turned[] = {pi + 0.5, 9}, car[] = {0.7, 0.3};
    fy_plant_pendulum.confine(turned);
    assert_true(fabs(turned[0] - (0.5 - pi)) < 1e-12 && turned[1] == 8);
    fy_plant_mountaincar.confine(car);
    assert_true(car[0] == fy_plant_mountaincar.high[0] && car[1] == 0);
}

/* ------------------------------------------------------------------- members */

static void members_are_all_combinations(void **unused)
{
    (void)unused;
    const double value[] = {1, 1, 40, 2, 3, 1};
    double first[3], last[3];
    assert_int_equal(fy_plant_members(&fy_plant_pendulum, value), 6);
    fy_plant_constants(&fy_plant_pendulum, value, 0, first);
    fy_plant_constants(&fy_plant_pendulum, value, 5, last);
    assert_true(first[0] == 0.8 && first[1] == 0.9 && fabs(first[2] - 0.15) < 1e-12);
    assert_true(last[0] == 1.2 && last[1] == 1.1 && last[2] == first[2]);
    for (int64_t i = 0; i < 6; i++)
        for (int64_t j = 0; j < i; j++) {
            fy_plant_constants(&fy_plant_pendulum, value, i, first);
            fy_plant_constants(&fy_plant_pendulum, value, j, last);
            assert_true(first[0] != last[0] || first[1] != last[1] || first[2] != last[2]);
        }
}

/* Reality is a mixture: each member is drawn about as often as its weight says. Of 20,000
 * draws a share lies off by 0.02 with probability below 2 exp(-16) (Hoeffding). */
static void reality_draws_members_by_weight(void **unused)
{
    (void)unused;
    foray_system *system = open_system("tank:seed=3");
    const double *weight = system->weight;
    const double state[] = {0.6, 0.3};
    double follows[4][2];
    int64_t drawn[4] = {0};
    enum { DRAWS = 20000 };
    for (int64_t i = 0; i < 4; i++) {
        foray_system_query query = {.simulator = i, .action = 1};
        support_ok(ctx, foray_system_step(system, 1, &query, state, follows[i]));
    }
    for (int64_t k = 0; k < DRAWS; k++) {
        double next[2];
        foray_system_query query = {
            .draw = {.seed = 9, .episode = (uint64_t)k}, .simulator = FORAY_REALITY, .action = 1};
        support_ok(ctx, foray_system_step(system, 1, &query, state, next));
        for (int64_t i = 0; i < 4; i++)
            drawn[i] += next[0] == follows[i][0] && next[1] == follows[i][1];
    }
    assert_int_equal(drawn[0] + drawn[1] + drawn[2] + drawn[3], DRAWS);
    for (int64_t i = 0; i < 4; i++)
        assert_true(fabs((double)drawn[i] / DRAWS - weight[i]) < 0.02);
    foray_system_destroy(system);
}

/* --------------------------------------------------------------- random numbers */

/* A batch is the same questions one by one; the same draw has the same answer; simulators
 * that differ in nothing answer alike; the kick is bounded. */
static void steps_depend_on_the_draw_alone(void **unused)
{
    (void)unused;
    enum { COUNT = 50 };
    for (int plant = 0; plant < PLANTS; plant++) {
        foray_system *system = open_system(names[plant]);
        const foray_system_spec *spec = foray_system_describe(system);
        foray_system_query query[COUNT];
        double state[COUNT][2], next[COUNT][2], again[2];
        support_random random = {.seed = 1};
        for (int k = 0; k < COUNT; k++) {
            query[k] = (foray_system_query){
                .draw = {.seed = 4, .episode = (uint64_t)k, .step = (uint32_t)k + 1},
                .simulator = support_below(&random, spec->simulators + 1) - 1,
                .action = support_below(&random, spec->actions)};
            for (int i = 0; i < 2; i++)
                state[k][i] =
                    spec->low[i] + (spec->high[i] - spec->low[i]) * support_uniform(&random);
        }
        support_ok(ctx, foray_system_step(system, COUNT, query, state[0], next[0]));
        for (int k = COUNT - 1; k >= 0; k--) {
            support_ok(ctx, foray_system_step(system, 1, &query[k], state[k], again));
            assert_memory_equal(again, next[k], sizeof again);
        }
        foray_system_destroy(system);
    }
}

static void episodes_start_where_they_should(void **unused)
{
    (void)unused;
    foray_system *system = open_system("pendulum");
    for (uint64_t e = 0; e < 200; e++) {
        const foray_draw draw = {.seed = 1, .episode = e};
        double state[2];
        support_ok(ctx, foray_system_reset(system, &draw, state));
        assert_true(fabs(state[0]) >= pi - 0.1 - 1e-12 && fabs(state[1]) <= 0.1);
    }
    foray_system_destroy(system);
}

/* --------------------------------------------------------------------- rewards */

/* foray_system_reward refuses what lies outside of [0,1]. */
static void rewards_lie_between_0_and_1(void **unused)
{
    (void)unused;
    for (int plant = 0; plant < PLANTS; plant++) {
        foray_system *system = open_system(names[plant]);
        const foray_system_spec *spec = foray_system_describe(system);
        support_random random = {.seed = 2};
        assert_true(spec->rewards >= 4);
        for (int64_t r = 0; r < spec->rewards; r++) {
            double min = 1, max = 0;
            for (int k = 0; k < 2000; k++) {
                double state[2], value;
                for (int i = 0; i < 2; i++)
                    state[i] =
                        spec->low[i] + (spec->high[i] - spec->low[i]) * support_uniform(&random);
                support_ok(ctx, fy_system_value(system, system->ctx, r, state,
                                                support_below(&random, spec->actions), &value));
                min = fmin(min, value);
                max = fmax(max, value);
            }
            /* Something is to be gained, and something to be lost. */
            assert_true(min < 0.1 && max > 0.9);
        }
        foray_system_destroy(system);
    }
}

static void bad_parameters_are_refused(void **unused)
{
    (void)unused;
    foray_system *system = NULL;
    const char *const bad[] = {"pendulum:masses=0",      "pendulum:mass=1", "tank:noise=-1",
                               "mountaincar:slopes=2.5", "pendulum:",       "tanks"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(foray_system_open(ctx, bad[i], &system), FORAY_ERROR_USAGE);
        assert_null(system);
    }
    system = open_system("pendulum:masses=4,lengths=4,dampings=4");
    assert_int_equal(foray_system_describe(system)->simulators, 64);
    foray_system_destroy(system);
}

static void every_allocation_may_fail(void **unused)
{
    (void)unused;
    for (int plant = 0; plant < PLANTS; plant++) {
        foray_status status = FORAY_ERROR_MEMORY;
        for (int64_t room = 0; status == FORAY_ERROR_MEMORY; room++) {
            foray_system *system = NULL;
            ctx->allocations_left = room;
            status = foray_system_open(ctx, names[plant], &system);
            assert_true((status == FORAY_OK) == (system != NULL));
            assert_true(room < 100);
            foray_system_destroy(system);
        }
        ctx->allocations_left = -1;
        assert_int_equal(status, FORAY_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_pendulum_keeps_its_energy),
        cmocka_unit_test(damping_takes_energy_away),
        cmocka_unit_test(a_car_that_rolls_keeps_its_energy),
        cmocka_unit_test(rest_is_rest),
        cmocka_unit_test(water_is_neither_made_nor_lost),
        cmocka_unit_test(substeps_are_fine_enough),
        cmocka_unit_test(walls_hold),
        cmocka_unit_test(members_are_all_combinations),
        cmocka_unit_test(reality_draws_members_by_weight),
        cmocka_unit_test(steps_depend_on_the_draw_alone),
        cmocka_unit_test(episodes_start_where_they_should),
        cmocka_unit_test(rewards_lie_between_0_and_1),
        cmocka_unit_test(bad_parameters_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
