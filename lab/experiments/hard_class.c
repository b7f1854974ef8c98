/* hard_class.c - bounds, members and trials of the two hard classes. */
#include "experiments/hard_class.h"
#include "base/maths.h"
#include "base/base.h"

#include <inttypes.h>
#include <math.h>

static const char *const names[] = {"packing", "hypercube"};

const char *fy_hard_class_name(int kind)
{
    return names[kind];
}

/* -------------------------------------------------------------------------- bounds */

/* ((d-1)/16 - 3)(1-delta) - log 2: what the members still have to tell, in nats. */
static double information(double dim, double delta)
{
    return ((dim - 1) / 16 - 3) * (1 - delta) - M_LN2;
}

/* K >= (H-1)^2/(128 eps^2) (((d-1)/16 - 3)(1-delta) - log 2) */
static double packing_bound(const fy_hard_class *hard)
{
    double steps = (double)(hard->horizon - 1) / hard->eps;
    return steps * steps / 128 * information((double)hard->dim, hard->delta);
}

/* K >= (H-1)^2 (d-1)^2 (1-4 delta)^2/(768 eps^2), for eps <= (H-1)(1-4 delta)/48: then
 * K >= 3 (d-1)^2, and probabilities stay where the proof needs them. */
static double hypercube_bound(const fy_hard_class *hard)
{
    double max = fy_hard_class_max_eps(hard);
    if (!(max > 0) || hard->eps > max * (1 + 1e-12))
        return NAN;
    double side = (double)(hard->horizon - 1) * (double)(hard->dim - 1) * (1 - 4 * hard->delta);
    return side * side / (768 * hard->eps * hard->eps);
}

double fy_hard_class_bound(const fy_hard_class *hard)
{
    return hard->kind == FY_HARD_PACKING ? packing_bound(hard) : hypercube_bound(hard);
}

int64_t fy_hard_class_min_dim(double delta)
{
    int64_t dim = 2;
    while (information((double)dim, delta) <= 0)
        dim++;
    return dim;
}

double fy_hard_class_max_eps(const fy_hard_class *hard)
{
    double d = (double)hard->dim, steps = (double)(hard->horizon - 1);
    if (hard->kind == FY_HARD_PACKING)
        return steps * d / (4 * (d - 1));
    return steps * (1 - 4 * hard->delta) / 48;
}

/* -------------------------------------------------------------------------- worlds */

/* The theorem's packing has at least exp((d-1)/16) members. */
int64_t fy_hard_class_members(const fy_hard_class *hard)
{
    double n = (double)(hard->dim - 1);
    if (hard->kind == FY_HARD_PACKING)
        return (int64_t)fmax(2, ceil(fy_exp(n / 16)));
    return (int64_t)ldexp(1, (int)n);
}

/* The world is made for floor(episodes) that are not enough. */
foray_status fy_hard_class_model(foray_context *ctx, const fy_hard_class *hard, int64_t member,
                                 foray_model **out)
{
    char spec[256], last[64];
    if (hard->kind == FY_HARD_PACKING) {
        char eps[FY_NUMBER_BYTES];
        fy_format(last, sizeof last, "actions=%" PRId64 ",eps=%s", fy_hard_class_members(hard),
                  fy_number_text(hard->eps, eps));
    } else {
        fy_format(last, sizeof last, "episodes=%.0f",
                  floor(fy_hard_class_bound(hard) * (1 + 1e-9)));
    }
    fy_format(spec, sizeof spec, "%s:dim=%" PRId64 ",horizon=%" PRId64 ",member=%" PRId64 ",%s",
              hard->kind == FY_HARD_PACKING ? "hard" : "hypercube", hard->dim, hard->horizon,
              member, last);
    return foray_model_builtin(ctx, spec, out);
}

/* -------------------------------------------------------------------------- trials */

/* The three states are those of both worlds: start, good, bad. */
enum { START, GOOD };

/* An explorer after all its episodes. Algorithms that see the reward are given it: the bounds
 * hold for them as well. */
static foray_status explore_class(foray_context *ctx, const foray_model *model,
                                  const foray_settings *settings, const foray_reward *reward,
                                  foray_explorer **out)
{
    foray_explorer *explorer = NULL;
    foray_world *world = NULL;
    foray_status status = foray_explorer_create(ctx, model, settings, &explorer);
    if (status == FORAY_OK) /* plans as the algorithm makes them */
        status = foray_explorer_certify_by(explorer, settings->radius);
    if (status == FORAY_OK && foray_algorithm_needs_reward(settings->algorithm))
        status = foray_explorer_give_reward(explorer, reward);
    if (status == FORAY_OK)
        status = foray_world_from_model(ctx, model, &world);
    for (int64_t k = 0; k < settings->episodes && status == FORAY_OK; k++)
        status = foray_explorer_play(explorer, world, NULL, NULL);
    foray_world_destroy(world);
    if (status == FORAY_OK)
        *out = explorer;
    else
        foray_explorer_destroy(explorer);
    return status;
}

foray_status fy_hard_class_trial(foray_context *ctx, const fy_hard_class *hard, int64_t member,
                                 const foray_settings *settings, foray_mode mode,
                                 fy_hard_class_outcome *out)
{
    foray_model *model = NULL;
    foray_reward *reward = NULL;
    foray_explorer *explorer = NULL;
    foray_policy *policy = NULL;
    double value, optimal;
    /* The world and the reward 1 in `good`, then exploring, then the plan for that reward. */
    foray_status status = fy_hard_class_model(ctx, hard, member, &model);
    if (status == FORAY_OK)
        status = foray_reward_create(ctx, model, "good", 0, 1, 0, &reward);
    if (status == FORAY_OK)
        status = foray_reward_set(ctx, reward, -1, GOOD, -1, 1);
    if (status == FORAY_OK)
        status = explore_class(ctx, model, settings, reward, &explorer);
    if (status == FORAY_OK)
        status =
            foray_explorer_plan(explorer, 1, (const foray_reward *const *)&reward, mode, &policy);
    if (status == FORAY_OK)
        status = foray_evaluate(ctx, model, reward, policy, &value, &optimal);
    if (status == FORAY_OK) {
        double gap = fy_gap(model, optimal, value);
        *out = (fy_hard_class_outcome){gap, gap <= hard->eps,
                                       foray_policy_action(policy, 0, START) == member};
    }
    foray_policy_destroy(policy);
    foray_explorer_destroy(explorer);
    foray_reward_destroy(reward);
    foray_model_destroy(model);
    return status;
}
