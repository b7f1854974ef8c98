/* PLAN against a dense transcription of Algorithm 1, against all policies of tiny models,
 * and the properties that must hold of it. */
#include "oracle_plan.h"
#include "base/level.h"
#include "plan/many.h"
#include "plan/reward.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A model, what was learnt of it, and the kernel made from that. */
typedef struct scene {
    foray_context *ctx;
    foray_model *model;
    fy_basis *basis;
    fy_ridge *ridge;
    fy_kernel *kernel;
    double *z, *radius;
    support_random random;
} scene;

static const support_sizes small = {
    .states = 7, .actions = 3, .horizon = 5, .successors = 4, .dim = 3};
/* More successors than unknowns, and more columns than are unrolled. */
static const support_sizes wide = {
    .states = 14, .actions = 2, .horizon = 3, .successors = 12, .dim = 5};

/* Sigma and b from made-up data: x = psi'_f for random f, in every block. */
static void learn(scene *s, int64_t updates)
{
    const foray_model *model = s->model;
    double *f = calloc((size_t)s->basis->most_generators, sizeof *f);
    double *x = calloc((size_t)s->basis->most_dim + 1, sizeof *x);
    double *scratch = calloc((size_t)s->basis->most_coords, sizeof *scratch);
    for (int64_t i = 0; i < updates; i++) {
        int64_t set = support_below(&s->random, model->generator_sets);
        for (int64_t j = 0; j < fy_generator_set_size(model, set); j++)
            f[j] = support_uniform(&s->random);
        fy_basis_psi(s->basis, set, f, x, scratch);
        fy_ridge_update(s->ridge, s->basis->block_of_generator_set[set], x,
                        support_uniform(&s->random), 1);
    }
    free(f);
    free(x);
    free(scratch);
}

static void estimate(scene *s)
{
    for (int64_t g = 0; g < s->basis->blocks; g++)
        fy_ridge_solve(s->ridge, g, s->z + s->ridge->at_vector[g]);
    fy_kernel_estimate(s->kernel, s->ridge, s->z, s->radius);
}

/* Takes over the model. */
static void open_scene(scene *s, foray_context *ctx, foray_model *model, bool centred, bool blocked,
                       int precision, uint64_t seed)
{
    *s = (scene){.ctx = ctx, .model = model, .random = {.seed = seed}};
    support_ok(ctx, fy_basis_create(ctx, model, centred, blocked, &s->basis));
    s->z = calloc((size_t)s->basis->unknowns + 1, sizeof *s->z);
    s->radius = calloc((size_t)s->basis->blocks, sizeof *s->radius);
    for (int64_t g = 0; g < s->basis->blocks; g++)
        s->radius[g] = 1;
    support_ok(ctx, fy_ridge_create(ctx, s->basis, s->radius, 100, &s->ridge));
    for (int64_t g = 0; g < s->basis->blocks; g++)
        s->radius[g] = 0.05 + 0.2 * support_uniform(&s->random);
    support_ok(ctx, fy_kernel_create(ctx, s->basis, precision, &s->kernel));
    learn(s, 40);
    estimate(s);
}

static void close_scene(scene *s)
{
    fy_kernel_destroy(s->kernel);
    fy_ridge_destroy(s->ridge);
    fy_basis_destroy(s->basis);
    foray_model_destroy(s->model);
    free(s->z);
    free(s->radius);
}

/* Random values; with `changing`, some steps have their own. */
static foray_reward *random_reward(scene *s, bool changing)
{
    foray_reward *reward;
    const foray_model *model = s->model;
    support_ok(s->ctx, foray_reward_create(s->ctx, model, "random", 0, &reward));
    for (int64_t pair = 0; pair < model->pairs; pair++)
        support_ok(s->ctx, foray_reward_set(s->ctx, reward, -1, pair / model->actions,
                                            pair % model->actions, support_uniform(&s->random)));
    for (int i = 0; i < 6 && changing; i++)
        support_ok(s->ctx,
                   foray_reward_set(s->ctx, reward, support_below(&s->random, model->horizon),
                                    support_below(&s->random, model->states), -1,
                                    support_uniform(&s->random)));
    return reward;
}

/* How a plan of one reward is to be made. */
typedef struct manner {
    int sign, clip, ties;
    bool plain; /* ties go to the larger value without bonus */
} manner;

/* Plans for one reward with fy_plan itself. */
static double plan_so(const scene *s, const foray_reward *reward, manner how, const int32_t *follow,
                      int32_t *policy)
{
    const foray_model *model = s->model;
    double mean, *value = calloc((size_t)(4 * model->states), sizeof *value);
    const double **table = calloc((size_t)model->horizon, sizeof *table);
    for (int64_t t = 0; t < model->horizon; t++)
        table[t] = fy_reward_table(reward, t);
    fy_plan_task task = {.kernel = s->kernel,
                         .reward = {.table = table, .cap = INFINITY},
                         .lanes = 1,
                         .sign = how.sign,
                         .clip = how.clip,
                         .ties = how.ties,
                         .follow = follow,
                         .layers = 2,
                         .value = value,
                         .plain = how.plain ? value + 2 * model->states : NULL,
                         .policy = policy};
    fy_plan(&task, &mean);
    free(value);
    free(table);
    return mean;
}

static double plan_one(const scene *s, const foray_reward *reward, int sign, int clip, int ties,
                       const int32_t *follow, int32_t *policy)
{
    return plan_so(s, reward, (manner){sign, clip, ties, false}, follow, policy);
}

static int32_t *policy_room(const foray_model *model)
{
    return calloc((size_t)(model->horizon * model->states), sizeof(int32_t));
}

static void assert_same_policy(const foray_model *model, const int32_t *x, const int32_t *y)
{
    for (int64_t i = 0; i < model->horizon * model->states; i++)
        assert_int_equal(x[i], y[i]);
}

/* ------------------------------------------------------ against the oracle */

/* Every sign, clip and rule for ties; the last, for pessimistic plans, is the value without bonus.
 */
static manner manner_of(int i)
{
    if (i < 12)
        return (manner){i % 3 - 1, i / 3 % 2, i / 6, false};
    return (manner){-1, i % 2, i / 2 % 2, true};
}

static void compare_with_oracle(scene *s, const foray_reward *reward, double tolerance)
{
    int32_t *fast = policy_room(s->model), *slow = policy_room(s->model);
    for (int i = 0; i < 12 + 4; i++) {
        manner how = manner_of(i);
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
        assert_float_equal(plan_so(s, reward, how, NULL, fast), expected, tolerance);
        assert_same_policy(s->model, fast, slow);
        task.follow = fast;
        task.sign = -1;
        expected = oracle_plan(&task, NULL);
        assert_float_equal(plan_one(s, reward, -1, how.clip, how.ties, fast, NULL), expected,
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
        foray_model *model = support_model(*state, kind, i % 2 ? wide : small, 100 + (uint64_t)i);
        open_scene(&s, *state, model, i / 4 % 2, i / 2 % 2, FY_FACTOR_AUTO, (uint64_t)i);
        foray_reward *reward = random_reward(&s, i % 3 != 0);
        compare_with_oracle(&s, reward, 1e-10);
        foray_reward_destroy(reward);
        close_scene(&s);
    }
}

/* Estimated features: zeta times the span of V beside each bonus. */
static void feature_errors_match_the_oracle(void **state)
{
    for (int i = 0; i < SUPPORT_KINDS * 2; i++) {
        scene s;
        foray_model *model = support_model(*state, i / 2, i % 2 ? wide : small, 300 + (uint64_t)i);
        model->feature_error = 0.02 * (i + 1);
        open_scene(&s, *state, model, i % 2, i % 2, FY_FACTOR_AUTO, (uint64_t)i);
        foray_reward *reward = random_reward(&s, true);
        compare_with_oracle(&s, reward, 1e-10);
        foray_reward_destroy(reward);
        close_scene(&s);
    }
}

/* Bonuses so large that everything is clipped: what remains is the tie rule. */
static void saturated_plans_match_the_oracle(void **state)
{
    for (int i = 0; i < 8; i++) {
        scene s;
        foray_model *model = support_model(*state, i % SUPPORT_KINDS, small, 200 + (uint64_t)i);
        open_scene(&s, *state, model, i / 4, i / 4, FY_FACTOR_AUTO, (uint64_t)i);
        for (int64_t g = 0; g < s.basis->blocks; g++)
            s.radius[g] = 50;
        estimate(&s);
        foray_reward *reward = random_reward(&s, true);
        compare_with_oracle(&s, reward, 1e-9);
        foray_reward_destroy(reward);
        close_scene(&s);
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
        open_scene(&s, *state, model, true, true, FY_FACTOR_DOUBLE, (uint64_t)i);
        learn(&s, 1 << (i % 12));
        estimate(&s);
        support_ok(*state, fy_kernel_create(*state, s.basis, FY_FACTOR_SINGLE, &rounded));
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
        fy_kernel_destroy(rounded);
        close_scene(&s);
    }
}

static void single_precision_plans_stay_close(void **state)
{
    scene s;
    foray_model *model = support_model(*state, SUPPORT_TABULAR, small, 7);
    open_scene(&s, *state, model, true, true, FY_FACTOR_DOUBLE, 7);
    foray_reward *reward = random_reward(&s, true);
    double up = plan_one(&s, reward, 1, 0, 0, NULL, NULL);
    double low = plan_one(&s, reward, -1, 0, 0, NULL, NULL);
    fy_kernel_destroy(s.kernel);
    support_ok(*state, fy_kernel_create(*state, s.basis, FY_FACTOR_SINGLE, &s.kernel));
    assert_non_null(s.kernel->single);
    estimate(&s);
    double single_up = plan_one(&s, reward, 1, 0, 0, NULL, NULL);
    double single_low = plan_one(&s, reward, -1, 0, 0, NULL, NULL);
    assert_true(single_up >= up && single_up < up + 1e-4);
    assert_true(single_low <= low && single_low > low - 1e-4);
    foray_reward_destroy(reward);
    close_scene(&s);
}

/* ------------------------------------------------------- over all policies */

static void known_models_give_the_best_of_all_policies(void **state)
{
    const support_sizes tiny = {.states = 3, .actions = 2, .horizon = 3, .successors = 3, .dim = 2};
    for (int i = 0; i < 3 * SUPPORT_KINDS; i++) {
        scene s;
        double value, optimal;
        foray_model *model = support_model(*state, i % SUPPORT_KINDS, tiny, 400 + (uint64_t)i);
        open_scene(&s, *state, model, i % 2, true, FY_FACTOR_AUTO, (uint64_t)i);
        foray_reward *reward = random_reward(&s, i % 2);
        foray_policy policy = {.states = 3, .actions = 2, .horizon = 3};
        policy.action = policy_room(model);
        for (int j = 0; j < 9; j++)
            policy.action[j] = (int32_t)support_below(&s.random, 2);
        support_ok(*state, foray_evaluate(*state, model, reward, &policy, &value, &optimal));
        assert_float_equal(optimal, oracle_best_policy(model, reward), 1e-12);
        assert_float_equal(value, oracle_policy_value(model, reward, policy.action), 1e-12);
        fy_kernel_exact(s.kernel, model->theta);
        assert_float_equal(plan_one(&s, reward, 0, FORAY_CLIP_HORIZON, 0, NULL, policy.action),
                           optimal, 1e-12);
        assert_float_equal(oracle_policy_value(model, reward, policy.action), optimal, 1e-12);
        free(policy.action);
        foray_reward_destroy(reward);
        close_scene(&s);
    }
}

static void evaluation_refuses_what_does_not_fit(void **state)
{
    foray_context *ctx = *state;
    double value = 3, optimal = 4;
    foray_model *model = support_model(ctx, SUPPORT_TABULAR, small, 1);
    foray_model *other = support_model(ctx, SUPPORT_TABULAR, wide, 1);
    int32_t *action = policy_room(model);
    foray_policy policy = {.states = 7, .actions = 3, .horizon = 3, .action = action};
    foray_reward *reward, *foreign;
    support_ok(ctx, foray_reward_create(ctx, model, "r", 0.5, &reward));
    support_ok(ctx, foray_reward_create(ctx, other, "r", 0.5, &foreign));
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

/* ------------------------------------------------------------- many rewards */

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
        foray_model *model = support_model(ctx, i / 5, i % 2 ? wide : small, 500 + (uint64_t)i);
        model->feature_error = i % 3 * 0.02;
        open_scene(&s, ctx, model, i % 4 != 0, i % 4 != 0, 1 + i % 3, (uint64_t)i);
        for (int r = 0; r < count; r++)
            rewards[r] = random_reward(&s, r % 3 == 1);
        support_ok(ctx, fy_plan_rewards(ctx,
                                        &(fy_plan_order){.kernel = s.kernel,
                                                         .clip = i / 2 % 2,
                                                         .ties = i / 3 % 2,
                                                         .mode = mode,
                                                         .interval = true},
                                        count, (const foray_reward *const *)rewards, policies));
        int32_t *policy = policy_room(model);
        for (int r = 0; r < count; r++) {
            for (int m = 0; m < FORAY_MODES; m++) {
                double alone = plan_one(&s, rewards[r], 1 - m, i / 2 % 2, i / 3 % 2, NULL,
                                        m == mode ? policy : NULL);
                assert_true(policies[r]->value[m] == alone);
            }
            assert_same_policy(model, policies[r]->action, policy);
            assert_int_equal(policies[r]->mode, mode);
            double low = plan_one(&s, rewards[r], -1, i / 2 % 2, i / 3 % 2, policy, NULL);
            assert_true(policies[r]->certificate.gap ==
                        fmax(0, policies[r]->value[FORAY_OPTIMISTIC] - low));
        }
        free(policy);
        destroy_all(rewards, policies, count);
        close_scene(&s);
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
            open_scene(&s[i], ctx, model, true, true, FY_FACTOR_AUTO, 1);
            for (int r = 0; r < 9; r++)
                rewards[r] = random_reward(&s[i], false);
            support_ok(ctx, fy_plan_rewards(ctx,
                                            &(fy_plan_order){.kernel = s[i].kernel,
                                                             .mode = FORAY_OPTIMISTIC,
                                                             .interval = true},
                                            9, (const foray_reward *const *)rewards, policies[i]));
            for (int sign = -1; sign <= 1; sign++)
                value[i][sign + 1] = plan_one(&s[i], rewards[0], sign, 0, 0, NULL, NULL);
            for (int r = 0; r < 9; r++)
                foray_reward_destroy(rewards[r]);
        }
        assert_memory_equal(value[0], value[1], sizeof value[0]);
        for (int r = 0; r < 9; r++) {
            assert_memory_equal(policies[0][r]->value, policies[1][r]->value,
                                sizeof policies[0][r]->value);
            assert_same_policy(s[0].model, policies[0][r]->action, policies[1][r]->action);
            foray_policy_destroy(policies[0][r]);
            foray_policy_destroy(policies[1][r]);
        }
        close_scene(&s[0]);
        close_scene(&s[1]);
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
    support_ok(ctx, foray_context_set_level(ctx, fy_level_name(level)));
    foray_model *model = support_model(ctx, i % SUPPORT_KINDS, i % 8 < 4 ? small : wide, 77);
    model->feature_error = i % 3 * 0.02;
    open_scene(&s, ctx, model, i % 2, i % 5 < 3, i % 7 < 3 ? FY_FACTOR_SINGLE : FY_FACTOR_DOUBLE,
               (uint64_t)i);
    for (int r = 0; r < 11; r++)
        rewards[r] = random_reward(&s, r % 2);
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
        fy_write_double(&out, plan_one(&s, rewards[r], r % 3 - 1, 0, 0, NULL, NULL));
        foray_reward_destroy(rewards[r]);
    }
    close_scene(&s);
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
            open_scene(&s, ctx, shared_sets(ctx, sizes), true, true, FY_FACTOR_DOUBLE, 5);
            assert_int_equal(s.kernel->columns != NULL, successors <= FY_LANES);
            s.kernel->zeta = successors % 2 * 0.02;
            foray_reward *rewards[2] = {random_reward(&s, true), random_reward(&s, false)};
            foray_policy *policies[2];
            int32_t *policy = policy_room(s.model);
            for (int mode = 0; mode < FORAY_MODES; mode++) {
                support_ok(ctx, fy_plan_rewards(ctx,
                                                &(fy_plan_order){.kernel = s.kernel,
                                                                 .clip = 0,
                                                                 .ties = mode % 2,
                                                                 .mode = mode,
                                                                 .interval = true},
                                                2, (const foray_reward *const *)rewards, policies));
                for (int r = 0; r < 2; r++) {
                    double alone = plan_one(&s, rewards[r], 1 - mode, 0, mode % 2, NULL, policy);
                    assert_true(policies[r]->value[mode] == alone);
                    assert_same_policy(s.model, policies[r]->action, policy);
                    assert_true(plan_one(&s, rewards[r], 1 - mode, 0, 0, policy, NULL) == alone);
                    foray_policy_destroy(policies[r]);
                }
            }
            foray_reward_destroy(rewards[0]);
            foray_reward_destroy(rewards[1]);
            free(policy);
            close_scene(&s);
        }
    ctx->level = fy_level_highest();
}

static void levels_are_known_by_name(void **state)
{
    foray_context *ctx = *state;
    assert_string_equal(fy_level_name(0), "baseline");
    assert_null(fy_level_name(FY_LEVELS));
    assert_true(fy_level_present(0));
    assert_int_equal(foray_context_set_level(ctx, "avx1024"), FORAY_ERROR_USAGE);
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
    foray_model *model = support_model(ctx, SUPPORT_CLASSES, small, 9);
    open_scene(&s, ctx, model, true, true, FY_FACTOR_AUTO, 9);
    for (int r = 0; r < 3; r++)
        rewards[r] = random_reward(&s, r == 1);
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
        status = fy_kernel_create(ctx, s.basis, FY_FACTOR_SINGLE, &kernel);
        assert_true(status == FORAY_OK || (status == FORAY_ERROR_MEMORY && !kernel));
        fy_kernel_destroy(kernel);
    }
    status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        ctx->allocations_left = left;
        status = foray_evaluate(ctx, model, rewards[0], policies[0], &value, &optimal);
        assert_true(status == FORAY_OK || (status == FORAY_ERROR_MEMORY && optimal == -1));
    }
    ctx->allocations_left = -1;
    destroy_all(rewards, policies, 3);
    close_scene(&s);
}

/* --------------------------------------------------------------- properties */

static void reward_zero_is_worth_zero(void **state)
{
    for (int kind = 0; kind < SUPPORT_KINDS; kind++) {
        scene s;
        foray_reward *reward;
        foray_model *model = support_model(*state, kind, small, 700);
        open_scene(&s, *state, model, kind % 2, kind % 2, FY_FACTOR_AUTO, 1);
        support_ok(*state, foray_reward_create(*state, model, "zero", 0, &reward));
        for (int sign = -1; sign <= 1; sign++)
            assert_true(plan_one(&s, reward, sign, 0, 0, NULL, NULL) == 0);
        foray_reward_destroy(reward);
        close_scene(&s);
    }
}

/* In a known model a constant, even one that depends on the step, shifts values by its sum. */
static void constants_shift_values_by_their_sum(void **state)
{
    foray_context *ctx = *state;
    for (int kind = 0; kind < SUPPORT_KINDS; kind++) {
        foray_model *model = support_model(ctx, kind, small, 800 + (uint64_t)kind);
        foray_reward *low, *high;
        support_random random = {.seed = 3};
        double sum = 0, value[2], unused;
        support_ok(ctx, foray_reward_create(ctx, model, "low", 0, &low));
        support_ok(ctx, foray_reward_create(ctx, model, "high", 0, &high));
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
    foray_model *model = support_model(*state, SUPPORT_MIXTURE, small, 900);
    open_scene(&s, *state, model, true, true, FY_FACTOR_AUTO, 4);
    foray_reward *plain = random_reward(&s, false), *explicit_one;
    support_ok(*state, foray_reward_create(*state, model, "explicit", 0, &explicit_one));
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
    expected = plan_one(&s, explicit_one, 1, 0, 0, NULL, NULL);
    assert_true(found == expected);
    foray_reward_destroy(plain);
    foray_reward_destroy(explicit_one);
    close_scene(&s);
}

/* With horizon+1 layers every V_t is kept. */
static void all_layers_are_kept_on_request(void **state)
{
    scene s;
    foray_model *model = support_model(*state, SUPPORT_CLASSES, small, 901);
    open_scene(&s, *state, model, true, true, FY_FACTOR_AUTO, 5);
    foray_reward *reward = random_reward(&s, false);
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
    assert_true(mean == plan_one(&s, reward, 1, 0, 0, NULL, NULL));
    for (int64_t i = 0; i < 7; i++)
        assert_true(value[5 * 7 + i] == 0);
    for (int64_t i = 0; i < 7; i++) {
        double best = 0;
        for (int64_t a = 0; a < 3; a++)
            best = fmax(best, table[0][i * 3 + a]);
        assert_true(value[4 * 7 + i] == best);
    }
    foray_reward_destroy(reward);
    close_scene(&s);
}

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
        cmocka_unit_test(rewards_together_equal_rewards_alone),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(levels_do_not_change_a_bit),
        cmocka_unit_test(columns_of_shared_sets_change_no_bit),
        cmocka_unit_test(levels_are_known_by_name),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(reward_zero_is_worth_zero),
        cmocka_unit_test(constants_shift_values_by_their_sum),
        cmocka_unit_test(scale_and_cap_are_part_of_the_reward),
        cmocka_unit_test(all_layers_are_kept_on_request),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
