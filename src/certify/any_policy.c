/* any_policy.c - certificates of mixtures and of policies that draw their actions, and differences
 * of any two (docs/mathematics.md, "Several rewards"). */
#include "certify/certifier.h"

#include <math.h>
#include <string.h>

/* Beside a part that draws its actions, one that does not has laws, too, of one action each. */
static fy_choices choices_of(const foray_policy *policy, int64_t part)
{
    const int32_t *action = fy_policy_actions(policy, part);
    const double *chance = fy_policy_chances(policy, part);
    bool draws = false;
    for (int64_t i = 0; chance && i < policy->horizon * policy->states && !draws; i++)
        draws = chance[i * policy->actions + action[i]] != 1;
    return (fy_choices){action, draws ? chance : NULL};
}

foray_status fy_certifier_need_differences(fy_arena *arena, fy_certifier *certifier)
{
    if (certifier->difference)
        return FORAY_OK;
    return fy_difference_create(arena, certifier->gap, &certifier->difference);
}

/* -------------------------------------------------------------- one policy */

static fy_gap_result certify_part(fy_certifier *certifier, const foray_reward *reward,
                                  const foray_policy *policy, int64_t part)
{
    const fy_choices choices = choices_of(policy, part);
    return choices.chance ? fy_drawn_certify(certifier->drawn, reward, &choices)
                          : fy_gap_certify(certifier->gap, reward, choices.action);
}

/* |V^mu - sum odds Vhat_k| <= ||sum odds J_k||_B + sum odds E_k */
static double width_of(fy_certifier *certifier, const foray_reward *reward,
                       const foray_policy *policy, fy_worth *worth, double *sum)
{
    int64_t U = fy_gap_unknowns(certifier->gap);
    double E = 0;
    memset(sum, 0, (size_t)U * sizeof *sum);
    for (int64_t k = 0; k < fy_policy_parts(policy); k++) {
        const fy_choices choices = choices_of(policy, k);
        double odds = fy_policy_odds(policy, k);
        if (odds == 0)
            continue;
        fy_worth_of(certifier->difference, reward, &choices, worth);
        E += odds * worth->E;
        for (int64_t i = 0; i < U; i++)
            sum[i] += odds * worth->J[i];
    }
    return fy_difference_norm(certifier->difference, sum) + E;
}

static foray_status narrow(fy_arena *arena, fy_certifier *certifier, const foray_reward *reward,
                           const foray_policy *policy, fy_gap_result *out)
{
    fy_arena own = {.ctx = arena->ctx};
    fy_worth worth;
    double *sum;
    foray_status status = fy_certifier_need_differences(arena, certifier);
    if (status == FORAY_OK && (!FY_NEW(&own, worth.J, fy_gap_unknowns(certifier->gap)) ||
                               !FY_NEW(&own, sum, fy_gap_unknowns(certifier->gap))))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK) {
        double width = width_of(certifier, reward, policy, &worth, sum);
        out->low = fmax(out->low, out->value - width);
        out->high = fmin(out->high, out->value + width);
    }
    fy_arena_release(&own);
    return status;
}

foray_status fy_certifier_any_policy(fy_arena *arena, fy_certifier *certifier,
                                     const foray_reward *reward, const foray_policy *policy,
                                     fy_gap_result *out)
{
    fy_gap_result sum = {0};
    foray_status status = FORAY_OK;
    if (policy->chance && !certifier->drawn)
        status = fy_drawn_create(arena, certifier->gap, &certifier->drawn);
    for (int64_t k = 0; k < fy_policy_parts(policy) && status == FORAY_OK; k++) {
        double odds = fy_policy_odds(policy, k);
        if (odds == 0)
            continue;
        fy_gap_result part = certify_part(certifier, reward, policy, k);
        sum.gap += odds * part.gap;
        sum.value += odds * part.value;
        sum.low += odds * part.low;
        sum.high += odds * part.high;
        sum.values += odds * part.values;
    }
    if (status == FORAY_OK && policy->odds)
        status = narrow(arena, certifier, reward, policy, &sum);
    if (status == FORAY_OK)
        *out = sum;
    return status;
}

/* ----------------------------------------------------------------- two policies */

/* Two policies, and how much of the odds of their parts is not yet paired. */
typedef struct pairing {
    fy_certifier *certifier;
    const foray_reward *reward;
    const foray_policy *a, *b;
    double *left_a, *left_b; /* [parts] */
    fy_worth worth_a, worth_b;
    double *J; /* sum of odds of a J_a less those of b J_b */
    double value, R;
} pairing;

static bool same_part(const foray_policy *a, int64_t k, const foray_policy *b, int64_t l)
{
    size_t cells = (size_t)(a->horizon * a->states), laws = cells * (size_t)a->actions;
    const double *of_a = fy_policy_chances(a, k), *of_b = fy_policy_chances(b, l);
    if (!of_a != !of_b)
        return false;
    if (of_a)
        return memcmp(of_a, of_b, laws * sizeof *of_a) == 0;
    return memcmp(fy_policy_actions(a, k), fy_policy_actions(b, l), cells * sizeof *a->action) == 0;
}

/* Any coupling of the two is valid: V^mu - V^nu = sum_kl c_kl (V_k - V_l). */
static void add_pair(pairing *p, int64_t k, int64_t l, double odds)
{
    const fy_choices a = choices_of(p->a, k), b = choices_of(p->b, l);
    p->left_a[k] -= odds;
    p->left_b[l] -= odds;
    if (same_part(p->a, k, p->b, l))
        return;
    p->R += odds *
            fy_worth_of_two(p->certifier->difference, p->reward, &a, &b, &p->worth_a, &p->worth_b);
    p->value += odds * (p->worth_a.value - p->worth_b.value);
    for (int64_t i = 0; i < fy_gap_unknowns(p->certifier->gap); i++)
        p->J[i] += odds * (p->worth_a.J[i] - p->worth_b.J[i]);
}

static void add_pairs(pairing *p)
{
    int64_t K = fy_policy_parts(p->a), L = fy_policy_parts(p->b);
    for (int64_t k = 0; k < K; k++)
        p->left_a[k] = fy_policy_odds(p->a, k);
    for (int64_t l = 0; l < L; l++)
        p->left_b[l] = fy_policy_odds(p->b, l);
    for (int64_t k = 0; k < K; k++) /* what both have cancels */
        for (int64_t l = 0; l < L; l++)
            if (p->left_a[k] > 0 && p->left_b[l] > 0 && same_part(p->a, k, p->b, l))
                add_pair(p, k, l, fmin(p->left_a[k], p->left_b[l]));
    for (int64_t k = 0, l = 0; k < K && l < L;) {
        double odds = fmin(p->left_a[k], p->left_b[l]);
        if (odds > 0)
            add_pair(p, k, l, odds);
        k += !(p->left_a[k] > 0);
        l += l < L && !(p->left_b[l] > 0);
    }
    /* Odds sum to 1 up to rounding: what is left over is worth no more than this. */
    double left = 1e-12 * (double)(K + L);
    p->R += p->value != 0 || p->R > 0 ? left * (double)p->a->horizon : 0;
}

foray_status fy_certifier_difference(fy_arena *arena, fy_certifier *certifier,
                                     const foray_reward *reward, const foray_policy *a,
                                     const foray_policy *b, double *value, double *width)
{
    fy_arena own = {.ctx = arena->ctx};
    pairing p = {.certifier = certifier, .reward = reward, .a = a, .b = b};
    int64_t U = fy_gap_unknowns(certifier->gap);
    foray_status status = fy_certifier_need_differences(arena, certifier);
    if (status == FORAY_OK &&
        (!FY_NEW(&own, p.left_a, fy_policy_parts(a)) ||
         !FY_NEW(&own, p.left_b, fy_policy_parts(b)) || !FY_NEW(&own, p.worth_a.J, U) ||
         !FY_NEW(&own, p.worth_b.J, U) || !FY_NEW(&own, p.J, U)))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK) {
        add_pairs(&p);
        *value = p.value;
        *width = fy_difference_norm(certifier->difference, p.J) + p.R;
    }
    fy_arena_release(&own);
    return status;
}
