/* worst_law.h - the law of a confidence set under which a policy loses most.
 *
 *     max over theta in C of  V*_theta - V^pi_theta
 *
 * No certificate that rests on C can be smaller than this, so what a search finds shows how much
 * of a certificate is the set's and how much is lost in bounding. The search climbs
 * V^rho_theta - V^pi_theta from the centre of the set by its gradient, first with a rival rho
 * (the policy that the certificate fears, and that of the optimistic plan), then with the best
 * policy of the law at hand. Every step
 * moves weight from one generator of a law to another, as far as the simplex and the
 * ellipsoid allow or part of the way. */
#ifndef FY_WORST_LAW_H
#define FY_WORST_LAW_H

#include "certify/certifier.h"
#include "measure/measure.h"

typedef struct fy_worst_law fy_worst_law;

/* For models whose theta is known (it is not looked at) and whose blocks are all mixtures. */
foray_status fy_worst_law_create(foray_context *ctx, const foray_model *model, fy_worst_law **out);
void fy_worst_law_destroy(fy_worst_law *law);

/* The most that the policy, action[horizon][states], is found to lose under laws of the
 * certifier's set, after at most so many steps. */
double fy_worst_law_search(fy_worst_law *law, const fy_certifier *certifier,
                           const foray_reward *reward, const int32_t *action, int64_t steps);

/* The law at which its last climb ended, [dim]. */
const double *fy_worst_law_theta(const fy_worst_law *law);

#endif
