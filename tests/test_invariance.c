/* Names do not matter: a model with its states, actions and feature coordinates relabelled,
 * its features scaled by c and theta by 1/c, taught the same things, plans the same way. */
#include "learn/radius.h"
#include "plan/many.h"
#include "support.h"
#include "model/model.h"

#include <stdlib.h>

enum { STATES = 6, ACTIONS = 3, HORIZON = 4, UPDATES = 60, REWARDS = 3 };

/* Where states, actions and coordinates go, and c. */
typedef struct renaming {
    int64_t state[STATES], action[ACTIONS], *coordinate;
    double scale;
} renaming;

/* Without random numbers everything stays where it is. */
static void shuffle(support_random *random, int64_t count, int64_t *out)
{
    for (int64_t i = 0; i < count; i++)
        out[i] = i;
    for (int64_t i = count - 1; i > 0 && random; i--) {
        int64_t j = support_below(random, i + 1), swap = out[i];
        out[i] = out[j];
        out[j] = swap;
    }
}

static void make_renaming(support_random *random, int64_t dim, double scale, renaming *name)
{
    name->coordinate = calloc((size_t)dim, sizeof *name->coordinate);
    name->scale = scale;
    shuffle(random, STATES, name->state);
    shuffle(random, ACTIONS, name->action);
    shuffle(random, dim, name->coordinate);
}

static void copy_pair(foray_builder *builder, const foray_model *model, int64_t pair,
                      const renaming *name)
{
    int64_t set = model->generator_set[pair];
    int64_t *index = calloc((size_t)model->dim, sizeof *index);
    double *value = calloc((size_t)model->dim, sizeof *value);
    for (int64_t j = 0; j < fy_generator_set_size(model, set); j++) {
        int64_t at = model->feat_start[model->gen_start[set] + j];
        int64_t count = model->feat_start[model->gen_start[set] + j + 1] - at;
        for (int64_t k = 0; k < count; k++) {
            index[k] = name->coordinate[model->feat_index[at + k]];
            value[k] = name->scale * model->feat_value[at + k];
        }
        foray_builder_feature(builder, name->state[pair / ACTIONS], name->action[pair % ACTIONS],
                              name->state[model->succ[model->succ_start[pair] + j]], count, index,
                              value);
    }
    free(index);
    free(value);
}

static foray_model *rename_model(foray_context *ctx, const foray_model *model, const renaming *name)
{
    foray_builder *builder;
    foray_model *renamed;
    double *theta = calloc((size_t)model->dim, sizeof *theta);
    support_ok(ctx, foray_builder_create(ctx, STATES, ACTIONS, HORIZON, model->dim,
                                         model->norm_bound / name->scale, &builder));
    for (int64_t pair = 0; pair < model->pairs; pair++)
        copy_pair(builder, model, pair, name);
    for (int64_t i = 0; i < model->dim; i++)
        theta[name->coordinate[i]] = model->theta[i] / name->scale;
    foray_builder_theta(builder, theta);
    for (int64_t i = 0; i < model->initials; i++)
        foray_builder_initial(builder, name->state[model->initial_state[i]],
                              model->initial_probability[i]);
    support_ok(ctx, foray_builder_finish(builder, &renamed));
    foray_builder_destroy(builder);
    free(theta);
    return renamed;
}

/* One observation: f over states at (s,a), followed by the state that is successor `next`. */
static void observe(fy_ridge *ridge, int64_t s, int64_t a, const double *f, int64_t next)
{
    const fy_basis *basis = ridge->basis;
    const foray_model *model = basis->model;
    int64_t pair = s * ACTIONS + a, set = model->generator_set[pair];
    double values[STATES], *x = calloc((size_t)basis->max_dim + 1, sizeof *x);
    double *scratch = calloc((size_t)basis->max_coords, sizeof *scratch);
    for (int64_t j = 0; j < fy_generator_set_size(model, set); j++)
        values[j] = f[model->succ[model->succ_start[pair] + j]];
    fy_basis_psi(basis, set, values, x, scratch);
    fy_ridge_update(ridge, basis->block_of_generator_set[set], x,
                    f[next] - fy_basis_offset(basis, set, values), 1);
    free(x);
    free(scratch);
}

/* The same observations for every name: they are drawn in the names of `original`. */
static void teach(fy_ridge *ridge, const foray_model *original, const renaming *name)
{
    support_random random = {.seed = 77};
    for (int i = 0; i < UPDATES; i++) {
        double f[STATES];
        const int32_t *next;
        int64_t s = support_below(&random, STATES), a = support_below(&random, ACTIONS);
        int64_t count = foray_model_successors(original, s, a, &next);
        int64_t followed = next[support_below(&random, count)];
        for (int64_t k = 0; k < STATES; k++)
            f[name->state[k]] = support_uniform(&random);
        observe(ridge, name->state[s], name->action[a], f, name->state[followed]);
    }
}

static foray_reward *make_reward(foray_context *ctx, const foray_model *model, const renaming *name,
                                 uint64_t seed)
{
    support_random random = {.seed = seed};
    foray_reward *reward;
    support_ok(ctx, foray_reward_create(ctx, model, "r", 0, 1, 0, &reward));
    for (int64_t t = 0; t < HORIZON; t++)
        for (int64_t s = 0; s < STATES; s++)
            for (int64_t a = 0; a < ACTIONS; a++)
                support_ok(ctx, foray_reward_set(ctx, reward, t, name->state[s], name->action[a],
                                                 support_uniform(&random)));
    return reward;
}

/* Learns and plans under the given names. */
static void plan(foray_context *ctx, const foray_model *model, const foray_model *original,
                 const renaming *name, bool centred, foray_mode mode, foray_policy **policies)
{
    fy_basis *basis;
    fy_ridge *ridge;
    fy_kernel *kernel;
    foray_settings settings;
    foray_reward *rewards[REWARDS];
    foray_settings_default(&settings);
    support_ok(ctx, fy_basis_create(ctx, model, centred, centred, &basis));
    double *lambda = calloc((size_t)basis->blocks, sizeof *lambda);
    double *radius = calloc((size_t)basis->blocks, sizeof *radius);
    double *z = calloc((size_t)basis->unknowns + 1, sizeof *z);
    fy_radius_lambda(basis, &settings, lambda);
    support_ok(ctx, fy_ridge_create(support_arena(ctx), basis, lambda, 1000, &ridge));
    teach(ridge, original, name);
    fy_radius_selfnormalised(ridge, 0.1, 0.2, radius);
    for (int64_t g = 0; g < basis->blocks; g++)
        fy_ridge_solve(ridge, g, z + ridge->at_vector[g]);
    support_ok(ctx, fy_kernel_create(support_arena(ctx), basis, FY_FACTOR_AUTO, &kernel));
    fy_kernel_estimate(kernel, ridge, z, radius);
    for (int i = 0; i < REWARDS; i++)
        rewards[i] = make_reward(ctx, model, name, (uint64_t)i);
    support_ok(ctx, fy_plan_rewards(ctx,
                                    &(fy_plan_order){.kernel = kernel,
                                                     .clip = FORAY_CLIP_REMAINING,
                                                     .ties = FORAY_TIES_UNCLIPPED,
                                                     .mode = mode,
                                                     .interval = true},
                                    REWARDS, (const foray_reward *const *)rewards, policies));
    for (int i = 0; i < REWARDS; i++)
        foray_reward_destroy(rewards[i]);
    fy_basis_destroy(basis);
    free(lambda);
    free(radius);
    free(z);
}

static void assert_same_plan(const foray_policy *x, const foray_policy *y, const renaming *name)
{
    for (int m = 0; m < FORAY_MODES; m++)
        assert_float_equal(x->value[m], y->value[m], 1e-9);
    assert_float_equal(x->certificate.gap, y->certificate.gap, 1e-9);
    for (int64_t t = 0; t < HORIZON; t++)
        for (int64_t s = 0; s < STATES; s++)
            assert_int_equal(name->action[x->action[t * STATES + s]],
                             y->action[t * STATES + name->state[s]]);
}

static void names_and_scales_do_not_matter(void **state)
{
    foray_context *ctx = *state;
    const support_sizes sizes = {
        .states = STATES, .actions = ACTIONS, .horizon = HORIZON, .successors = 4, .dim = 3};
    for (int i = 0; i < 6 * SUPPORT_KINDS; i++) {
        foray_model *model = support_model(ctx, i % SUPPORT_KINDS, sizes, 40 + (uint64_t)i);
        support_random random = {.seed = (uint64_t)i};
        renaming none, name;
        foray_policy *before[REWARDS], *after[REWARDS];
        make_renaming(NULL, model->dim, 1, &none);
        make_renaming(&random, model->dim, i % 2 ? 0.25 : 1, &name);
        foray_model *original = rename_model(ctx, model, &none);
        foray_model *renamed = rename_model(ctx, model, &name);
        bool centred = i / SUPPORT_KINDS % 2;
        plan(ctx, original, original, &none, centred, i % 3, before);
        plan(ctx, renamed, original, &name, centred, i % 3, after);
        for (int r = 0; r < REWARDS; r++) {
            assert_true(before[r]->value[FORAY_OPTIMISTIC] > before[r]->value[FORAY_PESSIMISTIC]);
            assert_same_plan(before[r], after[r], &name);
            foray_policy_destroy(before[r]);
            foray_policy_destroy(after[r]);
        }
        foray_model_destroy(model);
        foray_model_destroy(original);
        foray_model_destroy(renamed);
        free(none.coordinate);
        free(name.coordinate);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_scales_do_not_matter),
    };
    return cmocka_run_group_tests(tests, support_set_up, support_tear_down);
}
