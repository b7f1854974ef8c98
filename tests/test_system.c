/* Systems: what is refused, what is moved to the border, and what the messages say; psi by
 * Monte Carlo. */
#include "support_system.h"

#include "system/system.h"
#include "world/world.h"
#include "outside/outside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int setup(void **state)
{
    *state = foray_context_create();
    return *state == NULL;
}

static int teardown(void **state)
{
    foray_context_destroy(*state);
    return 0;
}

static const double low[] = {0}, high[] = {2};
static const char *const names[] = {"height"};
static const char *const rewards[] = {"gold"};

static foray_system_spec hostile_spec(bool finite)
{
    return (foray_system_spec){.size = sizeof(foray_system_spec),
                               .name = "hostile",
                               .states = finite ? 3 : 0,
                               .dimensions = 1,
                               .actions = 2,
                               .horizon = 5,
                               .simulators = 1,
                               .low = low,
                               .high = high,
                               .dimension_name = names,
                               .rewards = 1,
                               .reward_name = rewards};
}

static foray_system *hostile_system(foray_context *ctx, support_hostile *self, bool finite)
{
    foray_system_spec spec = hostile_spec(finite);
    foray_system *system = NULL;
    support_ok(ctx, foray_system_create(ctx, &spec, &support_hostile_ops, self, &system));
    return system;
}

static void expect_words(foray_context *ctx, const char *words)
{
    if (!strstr(foray_message(ctx), words))
        fail_msg("\"%s\" does not say \"%s\"", foray_message(ctx), words);
}

/* ----------------------------------------------------------------------- creation */

static void refuse(foray_context *ctx, const foray_system_spec *spec, const foray_system_ops *ops,
                   const char *words)
{
    support_hostile self = {0};
    foray_system *system = NULL;
    assert_int_equal(foray_system_create(ctx, spec, ops, &self, &system), FORAY_ERROR_USAGE);
    assert_null(system);
    assert_int_equal(self.destroyed, 0);
    expect_words(ctx, words);
}

#define REFUSE_SPEC(field, value, words)                                                           \
    do {                                                                                           \
        foray_system_spec spec = hostile_spec(false);                                              \
        spec.field = (value);                                                                      \
        refuse(ctx, &spec, &support_hostile_ops, words);                                           \
    } while (0)

static void bad_specs_are_refused(void **state)
{
    foray_context *ctx = *state;
    static const double nan_high[] = {NAN}, low_high[] = {-1}, huge_low[] = {-1.5e308};
    static const char *const no_names[] = {NULL};
    REFUSE_SPEC(size, 8, "foray_system_spec.size is 8");
    REFUSE_SPEC(name, NULL, "name is NULL");
    REFUSE_SPEC(states, -1, "states is -1");
    REFUSE_SPEC(dimensions, 0, "dimensions is 0");
    REFUSE_SPEC(dimensions, 65, "dimensions is 65, but it must be 1 to 64");
    REFUSE_SPEC(actions, 0, "actions is 0");
    REFUSE_SPEC(horizon, 0, "horizon is 0");
    REFUSE_SPEC(simulators, -1, "simulators is -1");
    REFUSE_SPEC(rewards, -2, "rewards is -2");
    REFUSE_SPEC(low, NULL, "low is required");
    REFUSE_SPEC(high, NULL, "high is required");
    REFUSE_SPEC(high, nan_high, "dimension 0 of the box goes from 0 to nan");
    REFUSE_SPEC(high, low_high, "dimension 0 of the box goes from 0 to -1");
    REFUSE_SPEC(reward_name, NULL, "reward_name is NULL");
    REFUSE_SPEC(reward_name, no_names, "reward_name[0] is NULL");
    REFUSE_SPEC(dimension_name, no_names, "dimension_name[0] is NULL");
    foray_system_spec wide = hostile_spec(false);
    static const double huge_high[] = {1.5e308};
    wide.low = huge_low;
    wide.high = huge_high;
    refuse(ctx, &wide, &support_hostile_ops, "dimension 0");
    foray_system_spec flat = hostile_spec(true);
    flat.dimensions = 2;
    refuse(ctx, &flat, &support_hostile_ops, "dimensions is 2, but it must be 1 to 1");
}

static void bad_tables_are_refused(void **state)
{
    foray_context *ctx = *state;
    foray_system_spec spec = hostile_spec(false);
    foray_system_ops ops = support_hostile_ops;
    ops.step = NULL;
    refuse(ctx, &spec, &ops, "step is required");
    ops = support_hostile_ops;
    ops.reset = NULL;
    refuse(ctx, &spec, &ops, "reset is required");
    ops = support_hostile_ops;
    ops.reward = NULL;
    refuse(ctx, &spec, &ops, "reward is NULL");
    ops = support_hostile_ops;
    ops.size = 3;
    refuse(ctx, &spec, &ops, "foray_system_ops.size is 3");
    /* A caller from before rewards, threads and the rest were in the table. */
    ops = support_hostile_ops;
    ops.size = offsetof(foray_system_ops, weights);
    refuse(ctx, &spec, &ops, "reward is NULL");
}

static bool lying_weights(void *self, double *weight)
{
    weight[0] = *(double *)self;
    return true;
}

static void weights_must_be_weights(void **state)
{
    foray_context *ctx = *state;
    foray_system_spec spec = hostile_spec(false);
    foray_system_ops ops = support_hostile_ops;
    ops.weights = lying_weights;
    ops.destroy = NULL;
    for (int i = 0; i < 3; i++) {
        double weight = i == 0 ? NAN : i == 1 ? 0.5 : -1;
        foray_system *system = NULL;
        assert_int_equal(foray_system_create(ctx, &spec, &ops, &weight, &system),
                         FORAY_ERROR_WORLD);
        expect_words(ctx, i == 1 ? "sum to 0.5" : "the weight of simulator 0 is");
    }
}

static void everything_is_copied(void **state)
{
    foray_context *ctx = *state;
    support_hostile self = {0};
    char name[] = "fickle", action[] = "go";
    const char *action_names[] = {action, action};
    foray_system_spec spec = hostile_spec(false);
    spec.name = name;
    spec.action_name = action_names;
    foray_system *system = NULL;
    support_ok(ctx, foray_system_create(ctx, &spec, &support_hostile_ops, &self, &system));
    memset(name, 'x', sizeof name - 1);
    memset(action, 'x', sizeof action - 1);
    const foray_system_spec *kept = foray_system_describe(system);
    assert_string_equal(kept->name, "fickle");
    assert_string_equal(kept->action_name[1], "go");
    assert_string_equal(kept->reward_name[0], "gold");
    assert_true(kept->high[0] == 2 && kept->size == sizeof *kept);
    assert_null(system->weight);
    foray_system_destroy(system);
    assert_int_equal(self.destroyed, 1);
    foray_system_destroy(NULL);
}

static void failed_allocations_leave_nothing_behind(void **state)
{
    foray_context *ctx = *state;
    support_hostile self = {0};
    foray_system_spec spec = hostile_spec(false);
    foray_system *system = NULL;
    int64_t failures = 0;
    for (;; failures++) {
        ctx->allocations_left = failures;
        if (foray_system_create(ctx, &spec, &support_hostile_ops, &self, &system) == FORAY_OK)
            break;
        assert_null(system);
    }
    assert_true(failures >= 5);
    assert_int_equal(self.destroyed, 0);
    ctx->allocations_left = -1;
    foray_system_destroy(system);
}

/* ------------------------------------------------------------------------ answers */

static foray_status ask(foray_system *system, double from, double *next)
{
    foray_system_query query = {{1, 12, 34}, 0, 1};
    return foray_system_step(system, 1, &query, &from, next);
}

static void hostile_answers_are_refused(void **state)
{
    foray_context *ctx = *state;
    static const struct {
        int how;
        bool finite;
        const char *words;
    } cases[] = {
        {SUPPORT_NAN, false, "episode 12, draw 34, coordinate 0 (height) of the answer is nan"},
        {SUPPORT_INFINITE, false, "coordinate 0 (height) of the answer is -inf"},
        {SUPPORT_SILENT, false, "coordinate 0 (height) of the answer is nan"},
        {SUPPORT_FAILS, false, "hostile failed in episode 12, draw 34: the plug is pulled"},
        {SUPPORT_OUTSIDE, true, "of the answer is 7, which is none of its states, 0 to 2"},
        {SUPPORT_FRACTION, true, "of the answer is 0.5, which is none of its states, 0 to 2"},
        {SUPPORT_NAN, true, "of the answer is nan, which is none of its states, 0 to 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        support_hostile self = {.reset = cases[i].how, .step = cases[i].how};
        foray_system *system = hostile_system(ctx, &self, cases[i].finite);
        foray_draw draw = {1, 12, 34};
        double next;
        assert_int_equal(ask(system, 1, &next), FORAY_ERROR_WORLD);
        expect_words(ctx, cases[i].words);
        assert_int_equal(foray_system_reset(system, &draw, &next), FORAY_ERROR_WORLD);
        expect_words(ctx, cases[i].words);
        foray_system_destroy(system);
    }
}

static void answers_outside_are_moved_to_the_border(void **state)
{
    foray_context *ctx = *state;
    support_hostile self = {.reset = SUPPORT_OUTSIDE, .step = SUPPORT_OUTSIDE};
    foray_system *system = hostile_system(ctx, &self, false);
    foray_draw draw = {1, 0, 0};
    double next = 0;
    support_ok(ctx, ask(system, 1, &next));
    assert_true(next == 2);
    next = 0;
    support_ok(ctx, foray_system_reset(system, &draw, &next));
    assert_true(next == 2);
    foray_system_destroy(system);
}

static void bad_questions_are_refused(void **state)
{
    foray_context *ctx = *state;
    support_hostile self = {0};
    foray_system *system = hostile_system(ctx, &self, false);
    double next, value, from = 1;
    assert_int_equal(ask(system, 2.5, &next), FORAY_ERROR_USAGE);
    expect_words(ctx, "coordinate 0 of a state is 2.5");
    assert_int_equal(ask(system, NAN, &next), FORAY_ERROR_USAGE);
    foray_system_query query = {{1, 0, 1}, 1, 0};
    assert_int_equal(foray_system_step(system, 1, &query, &from, &next), FORAY_ERROR_USAGE);
    expect_words(ctx, "simulator 1, but hostile has 1");
    query = (foray_system_query){{1, 0, 1}, FORAY_REALITY, 2};
    assert_int_equal(foray_system_step(system, 1, &query, &from, &next), FORAY_ERROR_USAGE);
    expect_words(ctx, "action 2, but hostile has 2");
    assert_int_equal(fy_system_value(system, system->ctx, 1, &from, 0, &value), FORAY_ERROR_USAGE);
    assert_int_equal(fy_system_value(system, system->ctx, 0, &from, -1, &value), FORAY_ERROR_USAGE);
    foray_system_destroy(system);
}

static void rewards_lie_between_0_and_1(void **state)
{
    foray_context *ctx = *state;
    const double bad[] = {-0.1, 1.1, NAN};
    support_hostile self = {.reward = 0.25};
    foray_system *system = hostile_system(ctx, &self, false);
    double from = 1, value = 5;
    support_ok(ctx, fy_system_value(system, system->ctx, 0, &from, 1, &value));
    assert_true(value == 0.25);
    for (int i = 0; i < 3; i++) {
        self.reward = bad[i];
        assert_int_equal(fy_system_value(system, system->ctx, 0, &from, 1, &value),
                         FORAY_ERROR_WORLD);
        expect_words(ctx, "reward gold is");
        assert_true(value == 0.25);
    }
    foray_system_destroy(system);
}

/* ---------------------------------------------------------------------- from text */

static void built_in_systems_open(void **state)
{
    foray_context *ctx = *state;
    foray_world_info info;
    int64_t count = 0;
    for (; fy_system_builtin(count, &info); count++) {
        foray_system *system = NULL;
        assert_true(fy_system_names(info.name));
        assert_true(info.parameters <= FY_MAX_PARAMETERS);
        support_ok(ctx, foray_system_open(ctx, info.name, &system));
        assert_string_equal(system->text, info.name);
        foray_system_destroy(system);
    }
    assert_true(count >= 3);
    foray_system *none = NULL;
    assert_false(fy_system_builtin(-1, &info));
    assert_false(fy_system_names("chain"));
    assert_true(fy_system_names("exec:true") && fy_system_names("plugin:x.so"));
    assert_int_equal(foray_system_open(ctx, "nosuch:a=1", &none), FORAY_ERROR_USAGE);
    expect_words(ctx, "no built-in system is called \"nosuch\"; there are ");
}

/* ---------------------------------------------------------------------------- psi */

static double third_state(void *user, const double *at)
{
    return at[0] == 2 ? *(double *)user : 0;
}

/* Each of 60 estimates may be off by more than the accuracy with probability 0.1: that more
 * than 20 are has probability below 1e-6. That none is off by a tenth of it is impossible. */
static void psi_is_as_near_as_asked_for(void **state)
{
    foray_context *ctx = *state;
    support_finite *finite = support_finite_random(4, 0, 5);
    foray_system *system = support_finite_system(ctx, finite, 3);
    double from = 1, range = 4, psi[SUPPORT_SIMULATORS];
    const fy_value value = {third_state, &range, range};
    int off = 0, off_by_a_tenth = 0;
    int64_t draws = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        foray_draw draw = {seed, 3, 7};
        support_ok(ctx, fy_system_psi(system, &draw, &from, 1, &value, 0.4, 0.1, psi, &draws));
        double worst = 0;
        for (int i = 0; i < SUPPORT_SIMULATORS; i++)
            worst = fmax(worst, fabs(psi[i] - range * finite->law[i][1][1][2]));
        off += worst > 0.4;
        off_by_a_tenth += worst > 0.04;
    }
    assert_int_equal(draws, (int64_t)ceil(16 * log(2 * 3 / 0.1) / (2 * 0.16)));
    assert_true(off <= 20);
    assert_true(off_by_a_tenth > 0);
    foray_system_destroy(system);
    free(finite);
}

/* Simulators with the same law give the same number, to the last bit. */
static void simulators_see_the_same_random_numbers(void **state)
{
    foray_context *ctx = *state;
    support_finite *finite = support_finite_random(4, 0, 6);
    memcpy(finite->law[1], finite->law[0], sizeof finite->law[0]);
    foray_system *system = support_finite_system(ctx, finite, 3);
    double from = 0, one = 1, psi[SUPPORT_SIMULATORS], other[SUPPORT_SIMULATORS];
    foray_draw draw = {8, 3, 7}, another = {8, 3, 8};
    const fy_value value = {third_state, &one, 1};
    support_ok(ctx, fy_system_psi(system, &draw, &from, 0, &value, 0.02, 0.1, psi, NULL));
    assert_true(psi[0] == psi[1] && psi[0] != psi[2]);
    support_ok(ctx, fy_system_psi(system, &another, &from, 0, &value, 0.02, 0.1, other, NULL));
    assert_true(psi[0] != other[0]);
    foray_system_destroy(system);
    free(finite);
}

static void bad_estimates_are_refused(void **state)
{
    foray_context *ctx = *state;
    support_finite *finite = support_finite_random(4, 0, 6);
    foray_system *system = support_finite_system(ctx, finite, 3);
    double from = 0, five = 5, psi[SUPPORT_SIMULATORS];
    foray_draw draw = {8, 3, 7};
#define PSI(range, accuracy, delta)                                                                \
    fy_system_psi(system, &draw, &from, 0, &(fy_value){third_state, &five, range}, accuracy,       \
                  delta, psi, NULL)
    assert_int_equal(PSI(4, 0.1, 0.1), FORAY_ERROR_USAGE);
    expect_words(ctx, "a value of 5");
    assert_int_equal(PSI(5, 0, 0.1), FORAY_ERROR_USAGE);
    assert_int_equal(PSI(5, 0.1, 1), FORAY_ERROR_USAGE);
    assert_int_equal(PSI(NAN, 0.1, 0.5), FORAY_ERROR_USAGE);
    assert_int_equal(PSI(5, 1e-9, 0.5), FORAY_ERROR_USAGE);
    expect_words(ctx, "too many");
    for (int64_t k = 0; k < 4; k++) {
        ctx->allocations_left = k;
        assert_int_equal(PSI(5, 0.5, 0.1), FORAY_ERROR_MEMORY);
    }
    ctx->allocations_left = -1;
    support_ok(ctx, PSI(5, 0.5, 0.1));
#undef PSI
    assert_int_equal(fy_monte_carlo_draws(1, 1e-300, 0.1, 1), INT64_MAX);
    assert_int_equal(fy_monte_carlo_draws(1, 10, 0.1, 1), 1);
    foray_system_destroy(system);
    free(finite);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bad_specs_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_tables_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(weights_must_be_weights, setup, teardown),
        cmocka_unit_test_setup_teardown(everything_is_copied, setup, teardown),
        cmocka_unit_test_setup_teardown(failed_allocations_leave_nothing_behind, setup, teardown),
        cmocka_unit_test_setup_teardown(hostile_answers_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(answers_outside_are_moved_to_the_border, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_questions_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(rewards_lie_between_0_and_1, setup, teardown),
        cmocka_unit_test_setup_teardown(built_in_systems_open, setup, teardown),
        cmocka_unit_test_setup_teardown(psi_is_as_near_as_asked_for, setup, teardown),
        cmocka_unit_test_setup_teardown(simulators_see_the_same_random_numbers, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_estimates_are_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
