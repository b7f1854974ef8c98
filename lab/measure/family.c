/* family.c - the families of rewards that explorers are measured with. */
#include "measure/measure.h"

#include <inttypes.h>
#include <stdlib.h>

/* How likely a pair is to have a reward in a sparse one. */
static const double sparse_density = 0.05;

static const char *const names[FY_FAMILIES] = {"goals", "dense", "sparse", "timed"};

/* ------------------------------------------------------------------ one reward */

/* The random numbers of a family: numbers of one reward, step and index. Kinds must
 * not share them, or the sparse reward would be a thinned dense one. */
typedef struct source {
    uint64_t seed;
    fy_family_kind kind;
    int64_t index;
} source;

static double uniform(const source *from, int64_t step, int64_t item)
{
    uint64_t which = (uint64_t)from->index * FY_FAMILIES + (uint64_t)from->kind;
    return fy_unit(
        fy_random_bits(from->seed, FY_STREAM_REWARD, which, (uint32_t)step, (uint32_t)item));
}

/* r(s,a) is
 *   goals    1 in the goal
 *   dense    u(0,s,a) for all steps alike
 *   timed    u(t+1,s,a) for step t
 *   sparse   u(0,s,a) for one pair for certain, so that no reward is 0 everywhere, and for others
 *            with the density; steps 1 and 2 of the stream say which. */
static foray_status fill_reward(foray_context *ctx, const foray_model *model, const source *from,
                                int64_t goal, foray_reward *reward)
{
    foray_status status = FORAY_OK;
    if (from->kind == FY_GOALS)
        return foray_reward_set(ctx, reward, -1, goal, -1, 1.0);
    bool timed = from->kind == FY_TIMED, sparse = from->kind == FY_SPARSE;
    int64_t first = timed ? 0 : -1, end = timed ? model->horizon : 0;
    int64_t certain = sparse ? (int64_t)(uniform(from, 2, 0) * (double)model->available) : 0;
    for (int64_t t = first; t < end; t++)
        for (int64_t k = 0; k < model->available && status == FORAY_OK; k++) {
            int64_t p = fy_existing(model, k);
            if (!sparse || k == certain || uniform(from, 1, k) < sparse_density)
                status = foray_reward_set(ctx, reward, t, p / model->actions, p % model->actions,
                                          uniform(from, t + 1, k));
        }
    return status;
}

static foray_status add_reward(foray_context *ctx, const foray_model *model, const source *from,
                               int64_t goal, fy_family *family)
{
    char name[64];
    foray_reward *reward = NULL;
    fy_format(name, sizeof name, "%s:%" PRId64, from->kind == FY_GOALS ? "goal" : names[from->kind],
              from->kind == FY_GOALS ? goal : from->index);
    foray_status status = foray_reward_create(ctx, model, name, 0, 1, 0.0, &reward);
    if (status != FORAY_OK)
        return status;
    family->reward[family->count++] = reward;
    return fill_reward(ctx, model, from, goal, reward);
}

/* ------------------------------------------------------------------- the family */

/* The first `count` places of `goal` become a random choice of states, in random
 * order: Fisher and Yates's shuffle, stopped early. All states stay in order. */
static void choose_goals(const foray_model *model, uint64_t seed, int64_t count, int32_t *goal)
{
    for (int64_t s = 0; s < model->states; s++)
        goal[s] = (int32_t)s;
    if (count == model->states)
        return;
    for (int64_t i = 0; i < count; i++) {
        source from = {seed, FY_GOALS, i};
        int64_t other = i + (int64_t)(uniform(&from, 0, 0) * (double)(model->states - i));
        int32_t swap = goal[i];
        goal[i] = goal[other];
        goal[other] = swap;
    }
}

/* All rewards and their best values. */
static foray_status fill_family(foray_context *ctx, const foray_model *model, int64_t count,
                                uint64_t seed, fy_family *family)
{
    int32_t *goal = NULL;
    fy_truth *truth = NULL;
    if (!FY_ALLOC(ctx, family->reward, count) || !FY_ALLOC(ctx, family->optimal, count) ||
        !FY_ALLOC(ctx, goal, model->states))
        return FORAY_ERROR_MEMORY;
    choose_goals(model, seed, count < model->states ? count : model->states, goal);
    foray_status status = fy_truth_create(ctx, model, &truth);
    for (int64_t i = 0; i < count && status == FORAY_OK; i++) {
        source from = {seed, family->kind, i};
        status = add_reward(ctx, model, &from, goal[i % model->states], family);
        if (status == FORAY_OK)
            family->optimal[i] = fy_truth_best(truth, family->reward[i], NULL);
        if (status == FORAY_OK && fy_was_stopped(ctx))
            status = FORAY_INTERRUPTED;
    }
    fy_truth_destroy(truth);
    free(goal);
    return status;
}

foray_status fy_family_create(foray_context *ctx, const foray_model *model, fy_family_kind kind,
                              int64_t count, uint64_t seed, fy_family **out)
{
    if ((unsigned)kind >= FY_FAMILIES)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "there is no reward family %d", kind);
    bool every = kind == FY_GOALS && (count == 0 || count > model->states);
    if (every)
        count = model->states;
    if (count < 1)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "a family of %" PRId64 " rewards: there must be at least 1", count);
    fy_family *family = fy_alloc(ctx, 1, sizeof *family);
    if (!family)
        return FORAY_ERROR_MEMORY;
    family->kind = kind;
    foray_status status = fill_family(ctx, model, count, seed, family);
    if (status == FORAY_OK)
        *out = family;
    else
        fy_family_destroy(family);
    return status;
}

void fy_family_destroy(fy_family *family)
{
    if (!family)
        return;
    for (int64_t i = 0; i < family->count; i++)
        foray_reward_destroy(family->reward[i]);
    free(family->reward);
    free(family->optimal);
    free(family);
}

/* ------------------------------------------------------------------ all families */

foray_status fy_families_create(foray_context *ctx, const foray_model *model, int64_t goals,
                                int64_t rewards, uint64_t seed, fy_family *family[FY_FAMILIES])
{
    foray_status status = FORAY_OK;
    for (int f = 0; f < FY_FAMILIES && status == FORAY_OK; f++)
        status = fy_family_create(ctx, model, f, f == FY_GOALS ? goals : rewards, seed, &family[f]);
    return status;
}

void fy_families_destroy(fy_family *family[FY_FAMILIES])
{
    for (int f = 0; f < FY_FAMILIES; f++)
        fy_family_destroy(family[f]);
}
