/* ties.c - what more data cannot help: actions that are exactly as good as the policy's.
 *
 * Where Q_h(s,a) = Q_h(s,pi_h(s)) under the true theta, in a state that the policy gets to, every
 * set that holds this theta and a neighbourhood of it has laws under which `a` is better: the
 * certificate shrinks with the set and never becomes 0. That is about policies that are best under
 * this theta. While a policy still loses something, a best one is looked at in its place, since
 * that is where more data lead: if it has a tie, every best policy has one, at the first place
 * where the two differ. Ties under every law of the set add nothing to a certificate, and are not
 * meant. */
#include "explore/explorer.h"
#include "policy/policy.h"
#include "reward/reward.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
    const foray_model *model;
    const foray_reward *reward;
    const foray_policy *policy;
    const foray_doubt *doubt;
    foray_policy *other;  /* the policy, with other actions in places of one step */
    double *value;        /* [horizon+1][states] of the policy */
    double *changed;      /* the same, of the other one */
    double *reached;      /* [states] probability of being there, at the step under way */
    double *reached_next; /* the same one step later */
} search;

static const double rounding = 1e-9;

/* d_{t+1}(s') = sum_s d_t(s) P(s'|s,pi_t(s)) */
static void walk(search *s, int64_t t)
{
    const foray_model *model = s->model;
    const int32_t *next;
    memset(s->reached_next, 0, (size_t)model->states * sizeof *s->reached_next);
    for (int64_t state = 0; state < model->states; state++) {
        int64_t action = s->policy->action[t * model->states + state];
        if (s->reached[state] <= 0)
            continue;
        int64_t count = foray_model_successors(model, state, action, &next);
        for (int64_t j = 0; j < count; j++)
            s->reached_next[next[j]] +=
                s->reached[state] * foray_model_probability(model, model->theta, state, action, j);
    }
    double *swap = s->reached;
    s->reached = s->reached_next;
    s->reached_next = swap;
}

/* Takes the other actions in the places of step t; true if there are any. */
static bool change(search *s, int64_t t)
{
    int64_t states = s->model->states;
    bool any = false;
    memcpy(s->other->action, s->policy->action,
           (size_t)(s->model->horizon * states) * sizeof *s->other->action);
    for (int64_t i = 0; i < s->doubt->places; i++) {
        const foray_doubt_place *place = &s->doubt->place[i];
        int32_t *action = &s->other->action[t * states + place->state];
        if (place->step != t || *action == place->action || s->reached[place->state] <= rounding)
            continue;
        *action = (int32_t)place->action;
        any = true;
    }
    return any;
}

/* The first place of step t where both are worth the same; later steps are those of the policy, so
 * that V'_t(s) = Q_t(s,a). */
static const foray_doubt_place *find_tie(const search *s, int64_t t)
{
    int64_t states = s->model->states;
    double max = fy_reward_unit_of(s->reward).max;
    for (int64_t i = 0; i < s->doubt->places; i++) {
        const foray_doubt_place *place = &s->doubt->place[i];
        int64_t at = t * states + place->state;
        if (place->step == t && s->other->action[at] != s->policy->action[at] &&
            fabs(s->changed[at] - s->value[at]) <= rounding * max)
            return place;
    }
    return NULL;
}

static foray_status look_for_tie(foray_context *ctx, search *s, const foray_doubt_place **out)
{
    const foray_model *model = s->model;
    const int32_t *first;
    const double *probability;
    int64_t count = foray_model_initial(model, &first, &probability);
    for (int64_t i = 0; i < count; i++)
        s->reached[first[i]] += probability[i];
    foray_status status =
        fy_evaluate_steps(ctx, model, model->theta, s->reward, s->policy, s->value);
    for (int64_t t = 0; t < model->horizon && status == FORAY_OK && !*out; t++) {
        if (change(s, t)) {
            status = fy_evaluate_steps(ctx, model, model->theta, s->reward, s->other, s->changed);
            if (status == FORAY_OK)
                *out = find_tie(s, t);
        }
        walk(s, t);
    }
    return status;
}

static void destroy(search *s)
{
    foray_policy_destroy(s->other);
    free(s->value);
    free(s->changed);
    free(s->reached);
    free(s->reached_next);
}

/* One of the best policies under theta: *out stays NULL if the policy is one. */
static foray_status find_best(foray_context *ctx, const foray_model *model,
                              const foray_reward *reward, const foray_policy *policy,
                              foray_policy **out)
{
    double own, best;
    fy_reward_unit unit = fy_reward_unit_of(reward);
    foray_status status = foray_evaluate(ctx, model, reward, policy, &own, &best);
    if (status != FORAY_OK || fabs(best - own) <= rounding * fabs(unit.slope) * unit.max)
        return status;
    return foray_plan_known(ctx, model, reward, out);
}

foray_status foray_explorer_find_tie(foray_explorer *explorer, const foray_reward *reward,
                                     const foray_policy *policy, bool *found,
                                     foray_doubt_place *out)
{
    const foray_model *model = explorer->model;
    foray_doubt *doubt;
    foray_policy *best = NULL;
    const foray_doubt_place *tie = NULL;
    if (!model->theta)
        return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                       "theta is not known, so it is not known which actions tie exactly");
    foray_status status = find_best(explorer->ctx, model, reward, policy, &best);
    if (best)
        policy = best;
    if (status == FORAY_OK)
        status = foray_explorer_explain(explorer, reward, policy, 0, &doubt);
    if (status != FORAY_OK) {
        foray_policy_destroy(best);
        return status;
    }
    search s = {.model = model, .reward = reward, .policy = policy, .doubt = doubt};
    int64_t values = (model->horizon + 1) * model->states;
    status = foray_policy_create(explorer->ctx, model, policy->mode, &s.other);
    if (status == FORAY_OK &&
        !(FY_ALLOC(explorer->ctx, s.value, values) && FY_ALLOC(explorer->ctx, s.changed, values) &&
          FY_ALLOC(explorer->ctx, s.reached, model->states) &&
          FY_ALLOC(explorer->ctx, s.reached_next, model->states)))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status = look_for_tie(explorer->ctx, &s, &tie);
    if (status == FORAY_OK) {
        *found = tie != NULL;
        if (tie)
            *out = *tie;
    }
    destroy(&s);
    foray_doubt_destroy(doubt);
    foray_policy_destroy(best);
    return status;
}
