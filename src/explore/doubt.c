/* doubt.c - why a certificate is not 0: places and laws in the order of their shares. */
#include "base/maths.h"
#include "explore/explorer.h"
#include "policy/policy.h"
#include "reward/reward.h"

#include <math.h>
#include <stdlib.h>

typedef struct doubt {
    foray_doubt shown; /* first: what the caller holds */
    foray_doubt_place *place;
    foray_doubt_law *law;
} doubt;

void foray_doubt_destroy(foray_doubt *shown)
{
    doubt *it = (doubt *)shown;
    if (!it)
        return;
    free(it->place);
    free(it->law);
    free(it);
}

/* Larger shares first; equal ones in the order of steps and states, or of blocks. */
static int compare_places(const void *one, const void *other)
{
    const foray_doubt_place *a = one, *b = other;
    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    return a->state < b->state ? -1 : a->state > b->state;
}

static int compare_laws(const void *one, const void *other)
{
    const foray_doubt_law *a = one, *b = other;
    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    if (a->state != b->state)
        return a->state < b->state ? -1 : 1;
    return a->action < b->action ? -1 : a->action > b->action;
}

static foray_status list_places(foray_explorer *explorer, const fy_gap_doubt *found, doubt *out)
{
    const foray_model *model = explorer->model;
    int64_t count = 0, entries = fy_policy_entries(model);
    for (int64_t i = 0; i < entries; i++)
        count += found->share[i] > 0;
    if (!FY_ALLOC(explorer->ctx, out->place, count))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < entries; i++)
        if (found->share[i] > 0)
            out->place[out->shown.places++] = (foray_doubt_place){
                i / model->states, i % model->states, found->choice[i], found->share[i]};
    if (count > 0)
        qsort(out->place, (size_t)count, sizeof *out->place, compare_places);
    out->shown.place = out->place;
    return FORAY_OK;
}

/* What is not known about a law shrinks like 1/sqrt(visits): a certificate of `gap` falls to
 * `target` after about visits ((gap/target)^2 - 1) more. */
static double more_visits(double gap, double target, int64_t visits)
{
    double below = target > 0 ? target : gap / 2;
    double n = (double)(visits > 0 ? visits : 1);
    return gap > below ? ceil(n * (gap * gap / (below * below) - 1)) : 0;
}

/* The same where a certificate falls like visits^-power: of open models between 1/sqrt(visits) and
 * 1/visits, which is how fast it gets unlikely that something else can follow. Before law->more
 * visits it does not fall. */
static double more_by_power(const fy_reasons *found, double slope, double target,
                            const foray_doubt_law *law)
{
    double gap = found->gap * slope, below = target > 0 ? target : gap / 2;
    double power = found->twice > 0 ? fy_log(found->gap / found->twice) / fy_log(2) : 1;
    double n = (double)law->visits, from = fmax(n, law->more);
    double times = fy_exp(fy_log(gap / below) / fmin(fmax(power, 0.5), 1));
    return gap > below ? ceil(from * times - n) : 0;
}

/* Pairs and visits of every block; only blocks with a share are kept. */
static foray_status list_laws(foray_explorer *explorer, const fy_gap_doubt *found, double target,
                              doubt *out)
{
    const foray_model *model = explorer->model;
    const fy_basis *basis = model->basis;
    if (!FY_ALLOC(explorer->ctx, out->law, basis->blocks))
        return FORAY_ERROR_MEMORY;
    for (int64_t g = 0; g < basis->blocks; g++)
        out->law[g] = (foray_doubt_law){.block = g, .share = found->law[g]};
    for (int64_t pair = model->pairs - 1; pair >= 0; pair--) {
        if (!fy_available(model, pair))
            continue;
        foray_doubt_law *law = &out->law[basis->block_of_generator_set[model->generator_set[pair]]];
        law->state = pair / model->actions;
        law->action = pair % model->actions;
        law->pairs++;
        for (int64_t j = model->succ_start[pair]; j < model->succ_start[pair + 1]; j++)
            law->visits += explorer->seen[j];
    }
    for (int64_t g = 0; g < basis->blocks; g++)
        out->law[g].more = more_visits(out->shown.gap, target, out->law[g].visits);
    qsort(out->law, (size_t)basis->blocks, sizeof *out->law, compare_laws);
    while (out->shown.laws < basis->blocks && out->law[out->shown.laws].share > 0)
        out->shown.laws++;
    out->shown.law = out->law;
    return FORAY_OK;
}

/* Shares in the reward's own unit, as the certificate is. */
static void to_unit(const foray_model *model, double slope, fy_gap_doubt *found)
{
    for (int64_t i = 0; i < fy_policy_entries(model); i++)
        found->share[i] *= slope;
    for (int64_t g = 0; g < model->basis->blocks; g++)
        found->law[g] *= slope;
}

static foray_status explain(foray_explorer *explorer, fy_certifier *sets,
                            const foray_reward *reward, const foray_policy *policy, double target,
                            doubt *out)
{
    const foray_model *model = explorer->model;
    fy_gap_doubt found = {0};
    foray_status status = FORAY_ERROR_MEMORY;
    if (FY_ALLOC(explorer->ctx, found.choice, fy_policy_entries(model)) &&
        FY_ALLOC(explorer->ctx, found.share, fy_policy_entries(model)) &&
        FY_ALLOC(explorer->ctx, found.law, model->basis->blocks) &&
        FY_ALLOC(explorer->ctx, found.part, model->basis->blocks)) {
        out->shown.gap = fy_gap_explain(sets->gap, reward, policy->action, &found).gap;
        double slope = fabs(fy_reward_unit_of(reward).slope);
        out->shown.gap *= slope;
        to_unit(model, slope, &found);
        status = list_places(explorer, &found, out);
    }
    if (status == FORAY_OK)
        status = list_laws(explorer, &found, target, out);
    free(found.choice);
    free(found.share);
    free(found.law);
    free(found.part);
    return status;
}

/* Reasons that an algorithm found itself, in their order and in the reward's own unit. */
static foray_status take_reasons(foray_explorer *explorer, const foray_reward *reward,
                                 const foray_policy *policy, double target, doubt *out)
{
    fy_reasons found = {0};
    foray_status status = explorer->ops->explain(explorer, reward, policy, &found);
    double slope = fabs(fy_reward_unit_of(reward).slope);
    out->place = found.place;
    out->law = found.law;
    if (status != FORAY_OK)
        return status;
    out->shown = (foray_doubt){found.gap * slope, found.places, found.laws, out->place, out->law};
    for (int64_t i = 0; i < found.places; i++)
        found.place[i].share *= slope;
    for (int64_t i = 0; i < found.laws; i++) {
        foray_doubt_law *law = &found.law[i];
        law->share *= slope;
        law->more = more_by_power(&found, slope, target, law);
    }
    if (found.places > 0)
        qsort(found.place, (size_t)found.places, sizeof *found.place, compare_places);
    if (found.laws > 0)
        qsort(found.law, (size_t)found.laws, sizeof *found.law, compare_laws);
    return FORAY_OK;
}

foray_status foray_explorer_explain(foray_explorer *explorer, const foray_reward *reward,
                                    const foray_policy *policy, double target, foray_doubt **out)
{
    fy_certifier *sets = NULL;
    foray_status status =
        explorer->ops->explain ? FORAY_OK : fy_explorer_need_sets(explorer, &sets);
    if (status == FORAY_OK)
        status = fy_reward_check(explorer->ctx, reward, explorer->model);
    if (status == FORAY_OK)
        status = fy_policy_check(explorer->ctx, policy, explorer->model);
    if (status != FORAY_OK)
        return status;
    doubt *it;
    if (!FY_ALLOC(explorer->ctx, it, 1))
        return FORAY_ERROR_MEMORY;
    status = explorer->ops->explain ? take_reasons(explorer, reward, policy, target, it)
                                    : explain(explorer, sets, reward, policy, target, it);
    if (status == FORAY_OK)
        *out = &it->shown;
    else
        foray_doubt_destroy(&it->shown);
    return status;
}
