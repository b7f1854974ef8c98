/* border.c - where an explorer meets the rest: inside, states have the numbers of the part of the
 * model that episodes get to (model/reach.c), nearest first; outside, those of the whole model. */
#include "explore/explorer.h"
#include "policy/policy.h"
#include "reward/reward.h"

foray_status fy_border_reward(foray_explorer *explorer, const foray_reward *reward,
                              foray_reward **made)
{
    *made = NULL;
    int64_t reader = fy_explorer_reader_of(explorer, reward);
    foray_status status = reader < 0
                              ? fy_reward_check(explorer->ctx, reward, explorer->whole)
                              : fy_reward_check_shape(explorer->ctx, reward, explorer->whole);
    if (status != FORAY_OK || !explorer->part)
        return status;
    return reader < 0 ? fy_reward_within(explorer->ctx, reward, explorer->part, made)
                      : fy_reward_in_product(explorer->ctx, reward, explorer->part, reader,
                                             explorer->beside, made);
}

foray_status fy_border_policy(foray_explorer *explorer, const foray_policy *policy,
                              foray_policy **made)
{
    *made = NULL;
    foray_status status = fy_policy_check(explorer->ctx, policy, explorer->whole);
    return status == FORAY_OK && (explorer->part || policy->state)
               ? fy_policy_within(explorer->ctx, policy, explorer->model,
                                  fy_explorer_reader_of(explorer, policy), made)
               : status;
}

foray_status fy_border_policies_out(foray_explorer *explorer, int64_t count,
                                    foray_policy *const *policies)
{
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < count && status == FORAY_OK && explorer->part; i++)
        status = fy_policy_spread(explorer->ctx, explorer->part, policies[i]);
    return status;
}

void fy_border_doubt_out(const foray_explorer *explorer, foray_doubt *doubt)
{
    const foray_model *part = explorer->part;
    for (int64_t i = 0; part && i < doubt->places; i++) {
        foray_doubt_place *place = (foray_doubt_place *)&doubt->place[i];
        int64_t here = place->state;
        place->state = fy_outside(part, here);
        if (part->memory) /* as the policy calls it */
            place->state = place->state * part->memory->states + part->remembers[here];
    }
    for (int64_t i = 0; part && i < doubt->laws; i++) {
        foray_doubt_law *law = (foray_doubt_law *)&doubt->law[i];
        law->state = fy_outside(part, law->state);
    }
}

void fy_border_refutation_out(const foray_explorer *explorer, foray_refutation *refutation)
{
    if (explorer->part && refutation->state >= 0)
        refutation->state = fy_outside(explorer->part, refutation->state);
    if (explorer->part && refutation->next >= 0)
        refutation->next = fy_outside(explorer->part, refutation->next);
}

int64_t fy_explorer_seen(const foray_explorer *explorer, int64_t pair, int64_t j)
{
    const foray_model *model = explorer->model;
    int64_t state = fy_inside(model, pair / model->actions);
    bool begun = state >= 0 && state < fy_begun(model);
    return begun ? explorer
                       ->seen[model->succ_start[state * model->actions + pair % model->actions] + j]
                 : 0;
}
