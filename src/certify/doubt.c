/* doubt.c - why a certificate is not 0: places and laws in the order of their shares; and what more
 * data cannot help. */
#include "certify/doubt.h"
#include "base/maths.h"
#include "plan/plan.h"
#include "policy/policy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static foray_status list_places(foray_context *ctx, const foray_model *model,
                                const fy_gap_doubt *found, doubt *out)
{
    int64_t count = 0, entries = model->horizon * model->states;
    for (int64_t i = 0; i < entries; i++)
        count += found->share[i] > 0;
    if (!FY_ALLOC(ctx, out->place, count))
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

/* The same where a certificate falls like visits^-power: of unstructured models between
 * 1/sqrt(visits) and 1/visits, which is how fast it gets unlikely that something else can follow.
 * Before law->more visits it does not fall. */
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
static foray_status list_laws(foray_context *ctx, const foray_model *model, const int64_t *seen,
                              const fy_gap_doubt *found, double target, doubt *out)
{
    const fy_basis *basis = model->basis;
    if (!FY_ALLOC(ctx, out->law, basis->blocks))
        return FORAY_ERROR_MEMORY;
    for (int64_t g = 0; g < basis->blocks; g++)
        out->law[g] = (foray_doubt_law){.block = g, .share = found->law[g]};
    for (int64_t pair = fy_begun(model) * model->actions - 1; pair >= 0; pair--) {
        if (!fy_available(model, pair))
            continue;
        foray_doubt_law *law = &out->law[basis->block_of_generator_set[model->generator_set[pair]]];
        law->state = pair / model->actions;
        law->action = pair % model->actions;
        law->pairs++;
        for (int64_t j = model->succ_start[pair]; j < model->succ_start[pair + 1]; j++)
            law->visits += seen[j];
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
    for (int64_t i = 0; i < model->horizon * model->states; i++)
        found->share[i] *= slope;
    for (int64_t g = 0; g < model->basis->blocks; g++)
        found->law[g] *= slope;
}

static foray_status explain(fy_certifier *certifier, const int64_t *seen,
                            const foray_reward *reward, const foray_policy *policy, double target,
                            doubt *out)
{
    foray_context *ctx = certifier->ctx;
    const foray_model *model = certifier->model;
    int64_t entries = model->horizon * model->states, blocks = model->basis->blocks;
    fy_arena scratch = {.ctx = ctx};
    fy_gap_doubt found = {0};
    foray_status status = FORAY_ERROR_MEMORY;
    if (FY_NEW(&scratch, found.choice, entries) && FY_NEW(&scratch, found.share, entries) &&
        FY_NEW(&scratch, found.law, blocks) && FY_NEW(&scratch, found.part, blocks)) {
        double slope = fabs(fy_reward_unit_of(reward).slope);
        out->shown.gap = fy_gap_explain(certifier->gap, reward, policy->action, &found).gap * slope;
        to_unit(model, slope, &found);
        status = list_places(ctx, model, &found, out);
    }
    if (status == FORAY_OK)
        status = list_laws(ctx, model, seen, &found, target, out);
    fy_arena_release(&scratch);
    return status;
}

foray_status fy_doubt_explain(fy_certifier *certifier, const int64_t *seen,
                              const foray_reward *reward, const foray_policy *policy, double target,
                              foray_doubt **out)
{
    doubt *it;
    if (!FY_ALLOC(certifier->ctx, it, 1))
        return FORAY_ERROR_MEMORY;
    foray_status status = explain(certifier, seen, reward, policy, target, it);
    if (status == FORAY_OK)
        *out = &it->shown;
    else
        foray_doubt_destroy(&it->shown);
    return status;
}

/* ||J_g|| of every block, as shares of the width. */
static void share_width(const fy_certifier *certifier, const double *J, double width, double *share)
{
    const fy_confidence *set = certifier->set;
    double sum = 0;
    for (int64_t g = 0; g < set->basis->blocks; g++) {
        double square = 0;
        for (int64_t i = set->ridge->at_vector[g]; i < set->ridge->at_vector[g + 1]; i++)
            square += J[i] * J[i];
        sum += share[g] = sqrt(square);
    }
    for (int64_t g = 0; g < set->basis->blocks && sum > 0; g++)
        share[g] *= width / sum;
}

foray_status fy_doubt_of_width(fy_certifier *certifier, const int64_t *seen, const double *J,
                               double width, double target, foray_doubt **out)
{
    fy_arena scratch = {.ctx = certifier->ctx};
    fy_gap_doubt found = {0};
    doubt *it;
    if (!FY_ALLOC(certifier->ctx, it, 1))
        return FORAY_ERROR_MEMORY;
    it->shown.gap = width;
    foray_status status = FORAY_ERROR_MEMORY;
    if (FY_NEW(&scratch, found.law, certifier->model->basis->blocks)) {
        if (fy_gap_unknowns(certifier->gap) > 0)
            share_width(certifier, J, width, found.law);
        status = list_laws(certifier->ctx, certifier->model, seen, &found, target, it);
    }
    fy_arena_release(&scratch);
    if (status == FORAY_OK)
        *out = &it->shown;
    else
        foray_doubt_destroy(&it->shown);
    return status;
}

foray_status fy_doubt_from_reasons(foray_context *ctx, const foray_reward *reward, double target,
                                   fy_reasons *found, foray_doubt **out)
{
    double slope = fabs(fy_reward_unit_of(reward).slope);
    doubt *it;
    if (!FY_ALLOC(ctx, it, 1)) {
        free(found->place);
        free(found->law);
        return FORAY_ERROR_MEMORY;
    }
    *it = (doubt){.place = found->place, .law = found->law};
    it->shown =
        (foray_doubt){found->gap * slope, found->places, found->laws, found->place, found->law};
    for (int64_t i = 0; i < found->places; i++)
        found->place[i].share *= slope;
    for (int64_t i = 0; i < found->laws; i++) {
        foray_doubt_law *law = &found->law[i];
        law->share *= slope;
        law->more = more_by_power(found, slope, target, law);
    }
    if (found->places > 0)
        qsort(found->place, (size_t)found->places, sizeof *found->place, compare_places);
    if (found->laws > 0)
        qsort(found->law, (size_t)found->laws, sizeof *found->law, compare_laws);
    *out = &it->shown;
    return FORAY_OK;
}

/* ------------------------------------------------------------------------- ties */

/* What more data cannot help: actions that are exactly as good as the policy's.
 *
 * Where Q_h(s,a) = Q_h(s,pi_h(s)) under the true theta, in a state that the policy gets to, every
 * set that holds this theta and a neighbourhood of it has laws under which `a` is better: the
 * certificate shrinks with the set and never becomes 0. That is about policies that are best under
 * this theta. While a policy still loses something, a best one is looked at in its place, since
 * that is where more data lead: if it has a tie, every best policy has one, at the first place
 * where the two differ. Ties under every law of the set add nothing to a certificate, and are not
 * meant. */

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

foray_status fy_tie_best(foray_context *ctx, const foray_model *model, const foray_reward *reward,
                         const foray_policy *policy, foray_policy **out)
{
    double own, best;
    fy_reward_unit unit = fy_reward_unit_of(reward);
    foray_status status = foray_evaluate(ctx, model, reward, policy, &own, &best);
    if (status != FORAY_OK || fabs(best - own) <= rounding * fabs(unit.slope) * unit.max)
        return status;
    return foray_plan_known(ctx, model, reward, out);
}

foray_status fy_tie_find(foray_context *ctx, const foray_model *model, const foray_reward *reward,
                         const foray_policy *policy, const foray_doubt *about, bool *found,
                         foray_doubt_place *out)
{
    const foray_doubt_place *tie = NULL;
    fy_arena scratch = {.ctx = ctx};
    search s = {.model = model, .reward = reward, .policy = policy, .doubt = about};
    int64_t values = (model->horizon + 1) * model->states;
    foray_status status = foray_policy_create(ctx, model, policy->mode, &s.other);
    if (status == FORAY_OK &&
        !(FY_NEW(&scratch, s.value, values) && FY_NEW(&scratch, s.changed, values) &&
          FY_NEW(&scratch, s.reached, model->states) &&
          FY_NEW(&scratch, s.reached_next, model->states)))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status = look_for_tie(ctx, &s, &tie);
    if (status == FORAY_OK) {
        *found = tie != NULL;
        if (tie)
            *out = *tie;
    }
    foray_policy_destroy(s.other);
    fy_arena_release(&scratch);
    return status;
}
