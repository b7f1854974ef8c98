/* oracle_truth.c - see oracle_truth.h. */
#include "oracle_truth.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

static foray_status give_reward(foray_explorer *explorer)
{
    int64_t room = explorer->ctx->allocations_left;
    explorer->ctx->allocations_left = -1;
    foray_reward *reward = truth_random_reward(explorer->ctx, explorer->model, 99);
    explorer->ctx->allocations_left = room;
    foray_status status = foray_explorer_give_reward(explorer, reward);
    foray_reward_destroy(reward);
    return status;
}

foray_status truth_create(foray_context *ctx, const foray_model *model,
                          const foray_settings *settings, foray_explorer **out)
{
    foray_explorer *explorer = NULL;
    foray_status status = support_create(ctx, model, settings, &explorer);
    if (status == FORAY_OK && foray_algorithm_needs_reward(settings->algorithm))
        status = give_reward(explorer);
    if (status == FORAY_OK)
        *out = explorer;
    else
        foray_explorer_destroy(explorer);
    return status;
}

static bool play_one(foray_explorer *explorer, foray_world *world)
{
    foray_draw draw = {.seed = (uint64_t)explorer->settings.seed,
                       .episode = (uint64_t)explorer->episodes};
    int64_t state, action, next;
    if (foray_explorer_begin(explorer) != FORAY_OK ||
        foray_world_reset(world, &draw, &state) != FORAY_OK)
        return false;
    for (int64_t t = 0; t < explorer->model->horizon; t++) {
        draw.step = (uint32_t)t + 1;
        if (foray_explorer_query(explorer, &state) != FORAY_OK ||
            foray_explorer_act(explorer, state, &action) != FORAY_OK ||
            foray_world_step(world, &draw, state, action, &next) != FORAY_OK ||
            foray_explorer_observe(explorer, state, action, next) != FORAY_OK)
            return false;
        state = next;
    }
    return foray_explorer_end(explorer) == FORAY_OK;
}

bool truth_play(foray_explorer *explorer, foray_world *world, int64_t episodes)
{
    for (int64_t k = 0; k < episodes; k++)
        if (!play_one(explorer, world))
            return false;
    return true;
}

/* sqrt(x' Sigma x) with Sigma packed. */
static double energy(int32_t d, const double *sigma, const double *x)
{
    double sum = 0;
    for (int32_t i = 0; i < d; i++)
        for (int32_t j = 0; j < d; j++)
            sum += x[i] * x[j] * (i >= j ? sigma[i * (i + 1) / 2 + j] : sigma[j * (j + 1) / 2 + i]);
    return sqrt(fmax(sum, 0));
}

double truth_distance(foray_explorer *explorer)
{
    fy_learner *learner = fy_learner_of(explorer);
    const fy_ridge *ridge = learner->ridge;
    double worst = 0;
    fy_learner_estimate(learner);
    double *z = calloc((size_t)learner->basis->max_dim + 1, sizeof *z);
    for (int64_t g = 0; g < ridge->blocks; g++) {
        int32_t d = learner->basis->block[g].dim;
        if (d == 0)
            continue;
        fy_basis_coordinates(learner->basis, g, explorer->model->theta, z);
        for (int32_t i = 0; i < d; i++)
            z[i] -= learner->z[ridge->at_vector[g] + i];
        double distance = energy(d, ridge->sigma + ridge->at_matrix[g], z);
        worst = fmax(worst, distance / learner->radius[g]);
    }
    free(z);
    return worst;
}

foray_reward *truth_goal(foray_context *ctx, const foray_model *model, int64_t state)
{
    foray_reward *reward;
    if (foray_reward_create(ctx, model, "goal", 0, 1, 0.0, &reward) != FORAY_OK ||
        foray_reward_set(ctx, reward, -1, state, -1, 1.0) != FORAY_OK)
        abort();
    return reward;
}

foray_reward *truth_random_reward(foray_context *ctx, const foray_model *model, uint64_t seed)
{
    foray_reward *reward;
    if (foray_reward_create(ctx, model, "random", 0, 1, 0.0, &reward) != FORAY_OK)
        abort();
    for (int64_t t = 0; t < model->horizon; t++)
        for (int64_t pair = 0; pair < model->pairs; pair++) {
            double value =
                fy_unit(fy_random_bits(seed, FY_STREAM_TEST, (uint64_t)pair, (uint32_t)t, 0));
            if (foray_reward_set(ctx, reward, t, pair / model->actions, pair % model->actions,
                                 value) != FORAY_OK)
                abort();
        }
    return reward;
}

/* The upper tail of the binomial distribution, summed term by term. */
int64_t truth_max_failures(int64_t runs, double p)
{
    double tail = 0;
    for (int64_t k = runs; k >= 0; k--) {
        tail +=
            exp(lgamma((double)runs + 1) - lgamma((double)k + 1) - lgamma((double)(runs - k) + 1) +
                (double)k * log(p) + (double)(runs - k) * log1p(-p));
        if (tail >= 1e-6)
            return k;
    }
    return 0;
}
