/* kinds.c - policies that draw: mixtures, of which one part is drawn for each episode, and laws of
 * actions, from which every action is. */
#include "policy/policy.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* --------------------------------------------------------------------- laws */

/* What a law's sum may be away from 1: as it is given, and as it is kept. */
static const double given = 1e-9, kept = 1e-12;

static double sum_of(const double *law, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += law[i] >= 0 ? law[i] : NAN;
    return sum;
}

bool fy_policy_is_law(const double *law, int64_t count)
{
    return fabs(sum_of(law, count) - 1) <= kept;
}

bool fy_policy_normalise(double *law, int64_t count)
{
    double sum = sum_of(law, count);
    if (!(fabs(sum - 1) <= given))
        return false;
    for (int64_t i = 0; i < count; i++)
        law[i] = law[i] / sum + 0.0; /* -0 becomes 0 */
    return true;
}

void fy_policy_find_likeliest(foray_policy *policy)
{
    int64_t cells = fy_policy_parts(policy) * policy->horizon * fy_policy_covered(policy);
    for (int64_t i = 0; i < cells; i++) {
        const double *law = policy->chance + i * policy->actions;
        int64_t best = 0;
        for (int64_t a = 1; a < policy->actions; a++)
            best = law[a] > law[best] ? a : best;
        policy->action[i] = (int32_t)best;
    }
}

/* --------------------------------------------------------------------- parts */

const int32_t *fy_policy_actions(const foray_policy *policy, int64_t part)
{
    return policy->action + part * policy->horizon * fy_policy_covered(policy);
}

const double *fy_policy_chances(const foray_policy *policy, int64_t part)
{
    if (!policy->chance)
        return NULL;
    return policy->chance + part * policy->horizon * fy_policy_covered(policy) * policy->actions;
}

foray_status fy_policy_make_parts(foray_context *ctx, foray_policy *policy, int64_t parts,
                                  bool odds, bool draws)
{
    fy_arena *arena = fy_policy_arena(ctx, policy);
    size_t cells, laws;
    if (!fy_size_mul((size_t)fy_policy_covered(policy), (size_t)policy->horizon, &cells) ||
        !fy_size_mul(cells, (size_t)parts, &cells) ||
        !fy_size_mul(cells, draws ? (size_t)policy->actions : 0, &laws))
        return fy_fail(ctx, FORAY_ERROR_MEMORY,
                       "%" PRId64 " policies for %" PRId64 " states and %" PRId64
                       " steps are too large",
                       parts, policy->states, policy->horizon);
    if (!FY_NEW(arena, policy->action, cells) || (draws && !FY_NEW(arena, policy->chance, laws)) ||
        (odds && !FY_NEW(arena, policy->odds, parts)))
        return FORAY_ERROR_MEMORY;
    policy->parts = parts;
    return FORAY_OK;
}

/* ------------------------------------------------------------------- creation */

static foray_status create_shape(foray_context *ctx, int64_t states, int64_t actions,
                                 int64_t horizon, foray_policy **out)
{
    foray_status status = fy_policy_create_unknown(ctx, out);
    if (status != FORAY_OK)
        return status;
    (*out)->mode = FORAY_GIVEN;
    (*out)->states = states;
    (*out)->actions = actions;
    (*out)->horizon = horizon;
    return FORAY_OK;
}

foray_status foray_policy_create_drawing(foray_context *ctx, const foray_model *model,
                                         const double *chance, foray_policy **out)
{
    foray_policy *policy = NULL;
    int64_t S = model->states, A = model->actions, cells = model->horizon * S;
    foray_status status = create_shape(ctx, S, A, model->horizon, &policy);
    if (status != FORAY_OK)
        return status;
    status = fy_policy_make_parts(ctx, policy, 1, false, true);
    if (status == FORAY_OK)
        memcpy(policy->chance, chance, (size_t)(cells * A) * sizeof *chance);
    for (int64_t i = 0; i < cells && status == FORAY_OK; i++)
        if (!fy_policy_normalise(policy->chance + i * A, A))
            status = fy_fail(ctx, FORAY_ERROR_INPUT,
                             "the probabilities in state %" PRId64 " at step %" PRId64
                             " do not sum to 1",
                             i % S, i / S);
    if (status == FORAY_OK) {
        fy_policy_find_likeliest(policy);
        status = fy_policy_check(ctx, policy, model);
    }
    if (status == FORAY_OK)
        *out = policy;
    else
        foray_policy_destroy(policy);
    return status;
}

/* The parts of one policy, from `at` on; those that do not draw have laws, too, if others do. */
static void take_parts(const foray_policy *from, double odds, int64_t at, foray_policy *to)
{
    int64_t cells = from->horizon * fy_policy_covered(from), A = from->actions;
    for (int64_t k = 0; k < fy_policy_parts(from); k++, at++) {
        const double *chance = fy_policy_chances(from, k);
        const int32_t *action = fy_policy_actions(from, k);
        memcpy(to->action + at * cells, action, (size_t)cells * sizeof *action);
        to->odds[at] = odds * fy_policy_odds(from, k);
        if (chance)
            memcpy(to->chance + at * cells * A, chance, (size_t)(cells * A) * sizeof *chance);
        for (int64_t i = 0; i < cells && to->chance && !chance; i++)
            to->chance[(at * cells + i) * A + action[i]] = 1;
    }
}

static bool same_shape(const foray_policy *a, const foray_policy *b)
{
    return a->states == b->states && a->actions == b->actions && fy_policy_same_cover(a, b);
}

foray_status foray_policy_mix(foray_context *ctx, int64_t count,
                              const foray_policy *const *policies, const double *odds,
                              foray_policy **out)
{
    foray_policy *mixture = NULL;
    int64_t parts = 0;
    bool draws = false;
    if (count < 1)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "a mixture needs at least one policy");
    for (int64_t i = 0; i < count; i++) {
        if (!same_shape(policies[i], policies[0]))
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "policies[%" PRId64 "] is for another number of states, actions or "
                           "steps than the first",
                           i);
        parts += fy_policy_parts(policies[i]);
        draws |= policies[i]->chance != NULL;
    }
    foray_status status = create_shape(ctx, policies[0]->states, policies[0]->actions,
                                       policies[0]->horizon, &mixture);
    if (status != FORAY_OK)
        return status;
    status = fy_policy_take_cover(ctx, policies[0], mixture);
    if (status == FORAY_OK)
        status = fy_policy_make_parts(ctx, mixture, parts, true, draws);
    for (int64_t i = 0, at = 0; i < count && status == FORAY_OK; i++) {
        take_parts(policies[i], odds[i], at, mixture);
        at += fy_policy_parts(policies[i]);
    }
    if (status == FORAY_OK && !fy_policy_normalise(mixture->odds, parts))
        status = fy_fail(ctx, FORAY_ERROR_INPUT, "the odds do not sum to 1");
    if (status == FORAY_OK)
        *out = mixture;
    else
        foray_policy_destroy(mixture);
    return status;
}

/* --------------------------------------------------------------------- drawing */

/* The i with law[0] + .. + law[i-1] <= u < law[0] + .. + law[i], and a weight above 0. */
static int64_t draw_from(const double *law, int64_t count, double u)
{
    int64_t last = 0;
    for (int64_t i = 0; i < count; i++) {
        if (law[i] > 0 && u < law[i])
            return i;
        u -= law[i];
        last = law[i] > 0 ? i : last;
    }
    return last;
}

int64_t foray_policy_part(const foray_policy *policy, const foray_draw *draw)
{
    if (!policy->odds)
        return 0;
    double u = fy_unit(fy_random_bits(draw->seed, FY_STREAM_POLICY, draw->episode, 0, 0));
    return draw_from(policy->odds, policy->parts, u);
}

int64_t foray_policy_draw(const foray_policy *policy, const foray_draw *draw, int64_t state)
{
    int64_t part = foray_policy_part(policy, draw), place = fy_policy_find(policy, state);
    int64_t at = (part * policy->horizon + draw->step) * fy_policy_covered(policy) + place;
    if (place < 0)
        return -1;
    if (!policy->chance)
        return policy->action[at];
    double u = fy_unit(fy_random_bits(draw->seed, FY_STREAM_POLICY, draw->episode, draw->step, 1));
    return draw_from(policy->chance + at * policy->actions, policy->actions, u);
}
