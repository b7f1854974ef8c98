/* support_plan.c - kernels from made-up data, and plans with them. */
#include "support_plan.h"

#include <math.h>
#include <stdlib.h>

#include "reward/reward.h"

const support_sizes scene_small = {
    .states = 7, .actions = 3, .horizon = 5, .successors = 4, .dim = 3};
const support_sizes scene_wide = {
    .states = 14, .actions = 2, .horizon = 3, .successors = 12, .dim = 5};

void scene_learn(scene *s, int64_t updates)
{
    const foray_model *model = s->model;
    double *f = calloc((size_t)s->basis->max_generators, sizeof *f);
    double *x = calloc((size_t)s->basis->max_dim + 1, sizeof *x);
    double *scratch = calloc((size_t)s->basis->max_coords, sizeof *scratch);
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

void scene_estimate(scene *s)
{
    for (int64_t g = 0; g < s->basis->blocks; g++)
        fy_ridge_solve(s->ridge, g, s->z + s->ridge->at_vector[g]);
    fy_kernel_estimate(s->kernel, s->ridge, s->z, s->radius);
}

void scene_open(scene *s, foray_context *ctx, foray_model *model, bool centred, bool blocked,
                int precision, uint64_t seed)
{
    *s = (scene){.ctx = ctx, .model = model, .random = {.seed = seed}};
    support_ok(ctx, fy_basis_create(ctx, model, centred, blocked, &s->basis));
    s->z = calloc((size_t)s->basis->unknowns + 1, sizeof *s->z);
    s->radius = calloc((size_t)s->basis->blocks, sizeof *s->radius);
    for (int64_t g = 0; g < s->basis->blocks; g++)
        s->radius[g] = 1;
    support_ok(ctx, fy_ridge_create(support_arena(ctx), s->basis, s->radius, 100, &s->ridge));
    for (int64_t g = 0; g < s->basis->blocks; g++)
        s->radius[g] = 0.05 + 0.2 * support_uniform(&s->random);
    support_ok(ctx, fy_kernel_create(support_arena(ctx), s->basis, precision, &s->kernel));
    scene_learn(s, 40);
    scene_estimate(s);
}

void scene_close(scene *s)
{
    fy_basis_destroy(s->basis);
    foray_model_destroy(s->model);
    free(s->z);
    free(s->radius);
}

foray_reward *scene_reward(scene *s, bool changing)
{
    foray_reward *reward;
    const foray_model *model = s->model;
    support_ok(s->ctx, foray_reward_create(s->ctx, model, "random", 0, 1, 0, &reward));
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

double scene_plan_as(const scene *s, const foray_reward *reward, scene_manner how,
                     const int32_t *follow, int32_t *policy)
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

double scene_plan(const scene *s, const foray_reward *reward, int sign, int clip, int ties,
                  const int32_t *follow, int32_t *policy)
{
    return scene_plan_as(s, reward, (scene_manner){sign, clip, ties, false}, follow, policy);
}

int32_t *scene_policy_room(const foray_model *model)
{
    return calloc((size_t)(model->horizon * model->states), sizeof(int32_t));
}

void scene_same_policy(const foray_model *model, const int32_t *x, const int32_t *y)
{
    for (int64_t i = 0; i < model->horizon * model->states; i++)
        assert_int_equal(x[i], y[i]);
}
