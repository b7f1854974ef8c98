/* test_plan.c - PLAN against a dense transcription of Algorithm 1, against all policies of tiny
 * models, and the properties that must hold of it. */
#include "support_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_plan.h"
#include "reward/reward.h"
#include "model/model.h"

/* ------------------------------------------------------ against the oracle */

/* Every sign, clip and rule for ties; the last, for pessimistic plans, is the value without bonus.
 */
static scene_manner manner_of(int i)
{
    if (i < 12)
        return (scene_manner){i % 3 - 1, i / 3 % 2, i / 6, false};
    return (scene_manner){-1, i % 2, i / 2 % 2, true};
}

static void compare_with_oracle(scene *s, const foray_reward *reward, double tolerance)
{
    int32_t *fast = scene_policy_room(s->model), *slow = scene_policy_room(s->model);
    for (int i = 0; i < 12 + 4; i++) {
        scene_manner how = manner_of(i);
        oracle_plan_task task = {.model = s->model,
                                 .basis = s->basis,
                                 .ridge = s->ridge,
                                 .z = s->z,
                                 .radius = s->radius,
                                 .reward = reward,
                                 .sign = how.sign,
                                 .clip = how.clip,
                                 .ties = how.ties,
                                 .plain = how.plain};
        double expected = oracle_plan(&task, slow);
        assert_float_equal(scene_plan_as(s, reward, how, NULL, fast), expected, tolerance);
        scene_same_policy(s->model, fast, slow);
        task.follow = fast;
        task.sign = -1;
        expected = oracle_plan(&task, NULL);
        assert_float_equal(scene_plan(s, reward, -1, how.clip, how.ties, fast, NULL), expected,
                           tolerance);
    }
    free(fast);
    free(slow);
}

static void all_modes_clips_and_ties_match_the_oracle(void **state)
{
    for (int i = 0; i < SUPPORT_KINDS * 4 * 2; i++) {
        int kind = i / 8;
        scene s;
        foray_model *model =
            support_model(*state, kind, i % 2 ? scene_wide : scene_small, 100 + (uint64_t)i);
        scene_open(&s, *state, model, i / 4 % 2, i / 2 % 2, FY_FACTOR_AUTO, (uint64_t)i);
        foray_reward *reward = scene_reward(&s, i % 3 != 0);
        compare_with_oracle(&s, reward, 1e-10);
        foray_reward_destroy(reward);
        scene_close(&s);
    }
}

/* Estimated features: zeta times the span of V beside each bonus. */
static void feature_errors_match_the_oracle(void **state)
{
    for (int i = 0; i < SUPPORT_KINDS * 2; i++) {
        scene s;
        foray_model *model =
            support_model(*state, i / 2, i % 2 ? scene_wide : scene_small, 300 + (uint64_t)i);
        model->feature_error = 0.02 * (i + 1);
        scene_open(&s, *state, model, i % 2, i % 2, FY_FACTOR_AUTO, (uint64_t)i);
        foray_reward *reward = scene_reward(&s, true);
        compare_with_oracle(&s, reward, 1e-10);
        foray_reward_destroy(reward);
        scene_close(&s);
    }
}

/* Bonuses so large that everything is clipped: what remains is the tie rule. */
static void saturated_plans_match_the_oracle(void **state)
{
    for (int i = 0; i < 8; i++) {
        scene s;
        foray_model *model =
            support_model(*state, i % SUPPORT_KINDS, scene_small, 200 + (uint64_t)i);
        scene_open(&s, *state, model, i / 4, i / 4, FY_FACTOR_AUTO, (uint64_t)i);
        for (int64_t g = 0; g < s.basis->blocks; g++)
            s.radius[g] = 50;
        scene_estimate(&s);
        foray_reward *reward = scene_reward(&s, true);
        compare_with_oracle(&s, reward, 1e-9);
        foray_reward_destroy(reward);
        scene_close(&s);
    }
}

/* ------------------------------------------------------- single precision */

/* radius ||psi'_V|| from the kernel, through a plan of one step with V on top: a value
 * of 0 reward at step H-2 is <p, V> +- bonus. Here directly from R. */
static double bonus_of(const fy_kernel *kernel, int64_t set, const double *v)
{
    int64_t columns = fy_kernel_columns(kernel, set), at = fy_kernel_factor_at(kernel, set);
    double squares = 0;
    for (int64_t i = 0; i < fy_kernel_rows(kernel, set); i++) {
        double row = 0;
        for (int64_t j = i; j < columns; j++, at++)
            row += (kernel->single ? kernel->single[at] : kernel->factor[at]) * v[j];
        squares += row * row;
    }
    return sqrt(squares);
}

/* Directions in which bonuses nearly cancel are the ones that rounding could hurt. */
static void single_precision_never_shrinks_a_bonus(void **state)
{
    const support_sizes sizes = {
        .states = 9, .actions = 4, .horizon = 3, .successors = 5, .dim = 9};
    for (int i = 0; i < 40; i++) {
        scene s;
        fy_kernel *rounded;
        foray_model *model = support_model(*state, SUPPORT_MIXTURE, sizes, 300 + (uint64_t)i);
        scene_open(&s, *state, model, true, true, FY_FACTOR_DOUBLE, (uint64_t)i);
        scene_learn(&s, 1 << (i % 12));
        scene_estimate(&s);
        support_ok(*state,
                   fy_kernel_create(support_arena(*state), s.basis, FY_FACTOR_SINGLE, &rounded));
        assert_non_null(rounded->single);
        fy_kernel_estimate(rounded, s.ridge, s.z, s.radius);
        for (int64_t trial = 0; trial < 20 * model->generator_sets; trial++) {
            double v[16];
            int64_t set = trial % model->generator_sets;
            for (int64_t j = 0; j < fy_kernel_columns(rounded, set); j++)
                v[j] = 2 * support_uniform(&s.random) - 1;
            double exact = bonus_of(s.kernel, set, v), single = bonus_of(rounded, set, v);
            assert_true(single >= exact * (1 - 1e-13));
            assert_true(single <= exact + 2e-3 * s.radius[0] * 4);
        }
        scene_close(&s);
    }
}

static void single_precision_plans_stay_close(void **state)
{
    scene s;
    foray_model *model = support_model(*state, SUPPORT_TABULAR, scene_small, 7);
    scene_open(&s, *state, model, true, true, FY_FACTOR_DOUBLE, 7);
    foray_reward *reward = scene_reward(&s, true);
    double up = scene_plan(&s, reward, 1, 0, 0, NULL, NULL);
    double low = scene_plan(&s, reward, -1, 0, 0, NULL, NULL);
    support_ok(*state,
               fy_kernel_create(support_arena(*state), s.basis, FY_FACTOR_SINGLE, &s.kernel));
    assert_non_null(s.kernel->single);
    scene_estimate(&s);
    double single_up = scene_plan(&s, reward, 1, 0, 0, NULL, NULL);
    double single_low = scene_plan(&s, reward, -1, 0, 0, NULL, NULL);
    assert_true(single_up >= up && single_up < up + 1e-4);
    assert_true(single_low <= low && single_low > low - 1e-4);
    foray_reward_destroy(reward);
    scene_close(&s);
}

/* ------------------------------------------------------- over all policies */

static void known_models_give_the_best_of_all_policies(void **state)
{
    const support_sizes tiny = {.states = 3, .actions = 2, .horizon = 3, .successors = 3, .dim = 2};
    for (int i = 0; i < 3 * SUPPORT_KINDS; i++) {
        scene s;
        double value, optimal;
        foray_model *model = support_model(*state, i % SUPPORT_KINDS, tiny, 400 + (uint64_t)i);
        scene_open(&s, *state, model, i % 2, true, FY_FACTOR_AUTO, (uint64_t)i);
        foray_reward *reward = scene_reward(&s, i % 2);
        foray_policy policy = {.states = 3, .actions = 2, .horizon = 3};
        policy.action = scene_policy_room(model);
        for (int j = 0; j < 9; j++)
            policy.action[j] = (int32_t)support_below(&s.random, 2);
        support_ok(*state, foray_evaluate(*state, model, reward, &policy, &value, &optimal));
        assert_float_equal(optimal, oracle_best_policy(model, reward), 1e-12);
        assert_float_equal(value, oracle_policy_value(model, reward, policy.action), 1e-12);
        fy_kernel_exact(s.kernel, model->theta);
        assert_float_equal(scene_plan(&s, reward, 0, FORAY_CLIP_HORIZON, 0, NULL, policy.action),
                           optimal, 1e-12);
        assert_float_equal(oracle_policy_value(model, reward, policy.action), optimal, 1e-12);
        free(policy.action);
        foray_reward_destroy(reward);
        scene_close(&s);
    }
}

static void evaluation_refuses_what_does_not_fit(void **state)
{
    foray_context *ctx = *state;
    double value = 3, optimal = 4;
    foray_model *model = support_model(ctx, SUPPORT_TABULAR, scene_small, 1);
    foray_model *other = support_model(ctx, SUPPORT_TABULAR, scene_wide, 1);
    int32_t *action = scene_policy_room(model);
    foray_policy policy = {.states = 7, .actions = 3, .horizon = 3, .action = action};
    foray_reward *reward, *foreign;
    support_ok(ctx, foray_reward_create(ctx, model, "r", 0, 1, 0.5, &reward));
    support_ok(ctx, foray_reward_create(ctx, other, "r", 0, 1, 0.5, &foreign));
    assert_int_equal(foray_evaluate(ctx, model, reward, &policy, &value, &optimal),
                     FORAY_ERROR_INPUT);
    policy.horizon = 5;
    action[8] = 3;
    assert_int_equal(foray_evaluate(ctx, model, reward, &policy, &value, &optimal),
                     FORAY_ERROR_INPUT);
    assert_non_null(strstr(foray_message(ctx), "action 3 in state 1 at step 1"));
    action[8] = 2;
    assert_int_equal(foray_evaluate(ctx, model, foreign, NULL, &value, &optimal),
                     FORAY_ERROR_INPUT);
    assert_true(value == 3 && optimal == 4);
    support_ok(ctx, foray_evaluate(ctx, model, reward, NULL, &value, &optimal));
    assert_true(value == 3);
    assert_float_equal(optimal, 2.5, 1e-12);
    free(action);
    foray_reward_destroy(reward);
    foray_reward_destroy(foreign);
    foray_model_destroy(model);
    foray_model_destroy(other);
}

/* --------------------------------------------------------------- properties */

static void reward_zero_is_worth_zero(void **state)
{
    for (int kind = 0; kind < SUPPORT_KINDS; kind++) {
        scene s;
        foray_reward *reward;
        foray_model *model = support_model(*state, kind, scene_small, 700);
        scene_open(&s, *state, model, kind % 2, kind % 2, FY_FACTOR_AUTO, 1);
        support_ok(*state, foray_reward_create(*state, model, "zero", 0, 1, 0, &reward));
        for (int sign = -1; sign <= 1; sign++)
            assert_true(scene_plan(&s, reward, sign, 0, 0, NULL, NULL) == 0);
        foray_reward_destroy(reward);
        scene_close(&s);
    }
}

/* In a known model a constant, even one that depends on the step, shifts values by its sum. */
static void constants_shift_values_by_their_sum(void **state)
{
    foray_context *ctx = *state;
    for (int kind = 0; kind < SUPPORT_KINDS; kind++) {
        foray_model *model = support_model(ctx, kind, scene_small, 800 + (uint64_t)kind);
        foray_reward *low, *high;
        support_random random = {.seed = 3};
        double sum = 0, value[2], unused;
        support_ok(ctx, foray_reward_create(ctx, model, "low", 0, 1, 0, &low));
        support_ok(ctx, foray_reward_create(ctx, model, "high", 0, 1, 0, &high));
        for (int64_t t = 0; t < model->horizon; t++) {
            double constant = 0.5 * support_uniform(&random);
            sum += constant;
            for (int64_t pair = 0; pair < model->pairs; pair++) {
                double value_here = 0.5 * support_uniform(&random);
                int64_t s = pair / model->actions, a = pair % model->actions;
                support_ok(ctx, foray_reward_set(ctx, low, t, s, a, value_here));
                support_ok(ctx, foray_reward_set(ctx, high, t, s, a, value_here + constant));
            }
        }
        support_ok(ctx, foray_evaluate(ctx, model, low, NULL, &unused, &value[0]));
        support_ok(ctx, foray_evaluate(ctx, model, high, NULL, &unused, &value[1]));
        assert_float_equal(value[1], value[0] + sum, 1e-12);
        foray_reward_destroy(low);
        foray_reward_destroy(high);
        foray_model_destroy(model);
    }
}

/* r = min(cap, scale(h) table) is what the exploration reward is made of. */
static void scale_and_cap_are_part_of_the_reward(void **state)
{
    scene s;
    foray_model *model = support_model(*state, SUPPORT_MIXTURE, scene_small, 900);
    scene_open(&s, *state, model, true, true, FY_FACTOR_AUTO, 4);
    foray_reward *plain = scene_reward(&s, false), *explicit_one;
    support_ok(*state, foray_reward_create(*state, model, "explicit", 0, 1, 0, &explicit_one));
    double scale[5], value[14], expected, found;
    const double *table[5];
    for (int64_t t = 0; t < 5; t++) {
        scale[t] = 0.5 * (double)(t + 1);
        table[t] = fy_reward_table(plain, t);
        for (int64_t pair = 0; pair < model->pairs; pair++)
            support_ok(*state, foray_reward_set(*state, explicit_one, t, pair / 3, pair % 3,
                                                fmin(0.7, scale[t] * table[t][pair])));
    }
    fy_plan_task task = {.kernel = s.kernel,
                         .reward = {.table = table, .scale = scale, .cap = 0.7},
                         .lanes = 1,
                         .sign = 1,
                         .layers = 2,
                         .value = value};
    fy_plan(&task, &found);
    expected = scene_plan(&s, explicit_one, 1, 0, 0, NULL, NULL);
    assert_true(found == expected);
    foray_reward_destroy(plain);
    foray_reward_destroy(explicit_one);
    scene_close(&s);
}

/* With horizon+1 layers every V_t is kept. */
static void all_layers_are_kept_on_request(void **state)
{
    scene s;
    foray_model *model = support_model(*state, SUPPORT_CLASSES, scene_small, 901);
    scene_open(&s, *state, model, true, true, FY_FACTOR_AUTO, 5);
    foray_reward *reward = scene_reward(&s, false);
    double value[6 * 7], mean;
    const double *table[5];
    for (int64_t t = 0; t < 5; t++)
        table[t] = fy_reward_table(reward, t);
    fy_plan_task task = {.kernel = s.kernel,
                         .reward = {.table = table, .cap = INFINITY},
                         .lanes = 1,
                         .sign = 1,
                         .layers = 6,
                         .value = value};
    fy_plan(&task, &mean);
    assert_true(mean == scene_plan(&s, reward, 1, 0, 0, NULL, NULL));
    for (int64_t i = 0; i < 7; i++)
        assert_true(value[5 * 7 + i] == 0);
    for (int64_t i = 0; i < 7; i++) {
        double best = 0;
        for (int64_t a = 0; a < 3; a++)
            best = fmax(best, table[0][i * 3 + a]);
        assert_true(value[4 * 7 + i] == best);
    }
    foray_reward_destroy(reward);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_modes_clips_and_ties_match_the_oracle),
        cmocka_unit_test(feature_errors_match_the_oracle),
        cmocka_unit_test(saturated_plans_match_the_oracle),
        cmocka_unit_test(single_precision_never_shrinks_a_bonus),
        cmocka_unit_test(single_precision_plans_stay_close),
        cmocka_unit_test(known_models_give_the_best_of_all_policies),
        cmocka_unit_test(evaluation_refuses_what_does_not_fit),
        cmocka_unit_test(reward_zero_is_worth_zero),
        cmocka_unit_test(constants_shift_values_by_their_sum),
        cmocka_unit_test(scale_and_cap_are_part_of_the_reward),
        cmocka_unit_test(all_layers_are_kept_on_request),
    };
    return cmocka_run_group_tests(tests, support_set_up, support_tear_down);
}
