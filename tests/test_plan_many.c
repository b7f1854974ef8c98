/* test_plan_many.c - plans for many rewards at once: the same bits as one by one, on any number of
 * threads and at every level of the processor. */
#include "support_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/level.h"
#include "plan/many.h"
#include "model/model.h"

enum { REWARDS = 19 };

static void destroy_all(foray_reward **rewards, foray_policy **policies, int count)
{
    for (int i = 0; i < count; i++) {
        foray_reward_destroy(rewards[i]);
        foray_policy_destroy(policies[i]);
    }
}

/* Groups of eight, a group of three and one alone all give what planning alone gives, to
 * the last bit, with the certificate of the oracle. */
static void rewards_together_equal_rewards_alone(void **state)
{
    foray_context *ctx = *state;
    const int counts[] = {1, 2, 8, 9, REWARDS};
    for (int i = 0; i < 5 * SUPPORT_KINDS; i++) {
        scene s;
        foray_reward *rewards[REWARDS];
        foray_policy *policies[REWARDS];
        int count = counts[i % 5], mode = i % 3;
        foray_model *model =
            support_model(ctx, i / 5, i % 2 ? scene_wide : scene_small, 500 + (uint64_t)i);
        model->feature_error = i % 3 * 0.02;
        scene_open(&s, ctx, model, i % 4 != 0, i % 4 != 0, 1 + i % 3, (uint64_t)i);
        for (int r = 0; r < count; r++)
            rewards[r] = scene_reward(&s, r % 3 == 1);
        support_ok(ctx, fy_plan_rewards(ctx,
                                        &(fy_plan_order){.kernel = s.kernel,
                                                         .clip = i / 2 % 2,
                                                         .ties = i / 3 % 2,
                                                         .mode = mode,
                                                         .interval = true},
                                        count, (const foray_reward *const *)rewards, policies));
        int32_t *policy = scene_policy_room(model);
        for (int r = 0; r < count; r++) {
            for (int m = 0; m < FORAY_MODES; m++) {
                double alone = scene_plan(&s, rewards[r], 1 - m, i / 2 % 2, i / 3 % 2, NULL,
                                          m == mode ? policy : NULL);
                assert_true(policies[r]->value[m] == alone);
            }
            scene_same_policy(model, policies[r]->action, policy);
            assert_int_equal(policies[r]->mode, mode);
            double low = scene_plan(&s, rewards[r], -1, i / 2 % 2, i / 3 % 2, policy, NULL);
            assert_true(policies[r]->certificate.gap ==
                        fmax(0, policies[r]->value[FORAY_OPTIMISTIC] - low));
        }
        free(policy);
        destroy_all(rewards, policies, count);
        scene_close(&s);
    }
}

static void threads_do_not_change_a_bit(void **state)
{
    foray_context *ctx = *state;
    const support_sizes large = {
        .states = 1500, .actions = 3, .horizon = 6, .successors = 5, .dim = 6};
    for (int kind = 0; kind < SUPPORT_KINDS; kind++) {
        scene s[2];
        double value[2][3];
        foray_policy *policies[2][9];
        for (int i = 0; i < 2; i++) {
            foray_reward *rewards[9];
            foray_context_set_threads(ctx, i + 1);
            foray_model *model = support_model(ctx, kind, large, 600 + (uint64_t)kind);
            scene_open(&s[i], ctx, model, true, true, FY_FACTOR_AUTO, 1);
            for (int r = 0; r < 9; r++)
                rewards[r] = scene_reward(&s[i], false);
            support_ok(ctx, fy_plan_rewards(ctx,
                                            &(fy_plan_order){.kernel = s[i].kernel,
                                                             .mode = FORAY_OPTIMISTIC,
                                                             .interval = true},
                                            9, (const foray_reward *const *)rewards, policies[i]));
            for (int sign = -1; sign <= 1; sign++)
                value[i][sign + 1] = scene_plan(&s[i], rewards[0], sign, 0, 0, NULL, NULL);
            for (int r = 0; r < 9; r++)
                foray_reward_destroy(rewards[r]);
        }
        assert_memory_equal(value[0], value[1], sizeof value[0]);
        for (int r = 0; r < 9; r++) {
            assert_memory_equal(policies[0][r]->value, policies[1][r]->value,
                                sizeof policies[0][r]->value);
            scene_same_policy(s[0].model, policies[0][r]->action, policies[1][r]->action);
            foray_policy_destroy(policies[0][r]);
            foray_policy_destroy(policies[1][r]);
        }
        scene_close(&s[0]);
        scene_close(&s[1]);
    }
    foray_context_set_threads(ctx, 1);
}

/* Kernel, whitening included, and plans of 11 rewards (8 lanes and 3) at one level: what
 * comes out, one number behind the other. */
static fy_writer plan_at_level(foray_context *ctx, int level, int i)
{
    fy_writer out = {.ctx = ctx};
    scene s;
    foray_reward *rewards[11];
    foray_policy *policies[11];
    support_ok(ctx, fy_level_set(ctx, fy_level_name(level)));
    foray_model *model =
        support_model(ctx, i % SUPPORT_KINDS, i % 8 < 4 ? scene_small : scene_wide, 77);
    model->feature_error = i % 3 * 0.02;
    scene_open(&s, ctx, model, i % 2, i % 5 < 3, i % 7 < 3 ? FY_FACTOR_SINGLE : FY_FACTOR_DOUBLE,
               (uint64_t)i);
    for (int r = 0; r < 11; r++)
        rewards[r] = scene_reward(&s, r % 2);
    fy_write_doubles(&out, s.kernel->p, (size_t)fy_kernel_at(s.kernel, model->generator_sets));
    for (int mode = 0; mode < FORAY_MODES; mode++) {
        support_ok(ctx, fy_plan_rewards(ctx,
                                        &(fy_plan_order){.kernel = s.kernel,
                                                         .clip = i / 2 % 2,
                                                         .ties = i / 3 % 2,
                                                         .mode = mode,
                                                         .interval = true},
                                        11, (const foray_reward *const *)rewards, policies));
        for (int r = 0; r < 11; r++) {
            fy_write_doubles(&out, policies[r]->value, FORAY_MODES);
            fy_write_double(&out, policies[r]->certificate.gap);
            fy_write_i32s(&out, policies[r]->action, (size_t)(model->horizon * model->states));
            foray_policy_destroy(policies[r]);
        }
    }
    for (int r = 0; r < 11; r++) {
        fy_write_double(&out, scene_plan(&s, rewards[r], r % 3 - 1, 0, 0, NULL, NULL));
        foray_reward_destroy(rewards[r]);
    }
    scene_close(&s);
    assert_false(out.failed);
    return out;
}

static void levels_do_not_change_a_bit(void **state)
{
    foray_context *ctx = *state;
    for (int i = 0; i < 40; i++) {
        fy_writer baseline = plan_at_level(ctx, 0, i);
        for (int level = 1; level < FY_LEVELS && fy_level_present(level); level++) {
            fy_writer found = plan_at_level(ctx, level, i);
            assert_int_equal(found.size, baseline.size);
            assert_memory_equal(found.data, baseline.data, baseline.size);
            free(found.data);
        }
        free(baseline.data);
    }
    ctx->level = fy_level_highest();
}

/* Two classes of `successors` outcomes each, for all pairs in turn. */
static foray_model *shared_sets(foray_context *ctx, support_sizes sizes)
{
    const int64_t outcomes[2] = {sizes.successors, sizes.successors};
    int64_t next[9];
    foray_builder *builder;
    foray_model *model;
    support_ok(ctx, foray_builder_create_classes(ctx, sizes.states, sizes.actions, sizes.horizon, 2,
                                                 outcomes, &builder));
    for (int64_t pair = 0; pair < sizes.states * sizes.actions; pair++) {
        for (int64_t j = 0; j < sizes.successors; j++)
            next[j] = (pair * 7 + j * 5) % sizes.states;
        foray_builder_outcomes(builder, pair / sizes.actions, pair % sizes.actions, pair % 3 % 2,
                               next);
    }
    foray_builder_forget_theta(builder);
    foray_builder_initial(builder, 0, 1);
    support_ok(ctx, foray_builder_finish(builder, &model));
    foray_builder_destroy(builder);
    return model;
}

/* Where many pairs share few sets, the kernel keeps columns that one reward is planned with, but
 * not many, nor the policies that are followed: all must agree, at every level. */
static void columns_of_shared_sets_change_no_bit(void **state)
{
    foray_context *ctx = *state;
    for (int successors = 2; successors <= 9; successors++)
        for (int level = 0; level < FY_LEVELS && fy_level_present(level); level++) {
            const support_sizes sizes = {
                .states = 53, .actions = 2, .horizon = 6, .successors = successors, .dim = 2};
            scene s;
            ctx->level = level;
            scene_open(&s, ctx, shared_sets(ctx, sizes), true, true, FY_FACTOR_DOUBLE, 5);
            assert_int_equal(s.kernel->columns != NULL, successors <= FY_LANES);
            s.kernel->zeta = successors % 2 * 0.02;
            foray_reward *rewards[2] = {scene_reward(&s, true), scene_reward(&s, false)};
            foray_policy *policies[2];
            int32_t *policy = scene_policy_room(s.model);
            for (int mode = 0; mode < FORAY_MODES; mode++) {
                support_ok(ctx, fy_plan_rewards(ctx,
                                                &(fy_plan_order){.kernel = s.kernel,
                                                                 .clip = 0,
                                                                 .ties = mode % 2,
                                                                 .mode = mode,
                                                                 .interval = true},
                                                2, (const foray_reward *const *)rewards, policies));
                for (int r = 0; r < 2; r++) {
                    double alone = scene_plan(&s, rewards[r], 1 - mode, 0, mode % 2, NULL, policy);
                    assert_true(policies[r]->value[mode] == alone);
                    scene_same_policy(s.model, policies[r]->action, policy);
                    assert_true(scene_plan(&s, rewards[r], 1 - mode, 0, 0, policy, NULL) == alone);
                    foray_policy_destroy(policies[r]);
                }
            }
            foray_reward_destroy(rewards[0]);
            foray_reward_destroy(rewards[1]);
            free(policy);
            scene_close(&s);
        }
    ctx->level = fy_level_highest();
}

static void levels_are_known_by_name(void **state)
{
    foray_context *ctx = *state;
    assert_string_equal(fy_level_name(0), "baseline");
    assert_null(fy_level_name(FY_LEVELS));
    assert_true(fy_level_present(0));
    assert_int_equal(fy_level_set(ctx, "avx1024"), FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(ctx), "avx1024"));
    assert_int_equal(ctx->level, fy_level_highest());
}

static void every_allocation_may_fail(void **state)
{
    foray_context *ctx = *state;
    scene s;
    foray_reward *rewards[3];
    foray_policy *policies[3] = {NULL, NULL, NULL};
    double value, optimal = -1;
    foray_model *model = support_model(ctx, SUPPORT_CLASSES, scene_small, 9);
    scene_open(&s, ctx, model, true, true, FY_FACTOR_AUTO, 9);
    for (int r = 0; r < 3; r++)
        rewards[r] = scene_reward(&s, r == 1);
    foray_status status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        ctx->allocations_left = left;
        status = fy_plan_rewards(
            ctx, &(fy_plan_order){.kernel = s.kernel, .mode = FORAY_PLUGIN, .interval = true}, 3,
            (const foray_reward *const *)rewards, policies);
        assert_true(status == FORAY_OK || (status == FORAY_ERROR_MEMORY && !policies[0]));
    }
    status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        fy_kernel *kernel = NULL;
        ctx->allocations_left = left;
        status = fy_kernel_create(support_arena(ctx), s.basis, FY_FACTOR_SINGLE, &kernel);
        assert_true(status == FORAY_OK || (status == FORAY_ERROR_MEMORY && !kernel));
    }
    status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        ctx->allocations_left = left;
        status = foray_evaluate(ctx, model, rewards[0], policies[0], &value, &optimal);
        assert_true(status == FORAY_OK || (status == FORAY_ERROR_MEMORY && optimal == -1));
    }
    ctx->allocations_left = -1;
    destroy_all(rewards, policies, 3);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rewards_together_equal_rewards_alone),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(levels_do_not_change_a_bit),
        cmocka_unit_test(columns_of_shared_sets_change_no_bit),
        cmocka_unit_test(levels_are_known_by_name),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, support_set_up, support_tear_down);
}
