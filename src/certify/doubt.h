/* doubt.h - why a certificate is not 0, whether more data can help, and how much. */
#ifndef FY_DOUBT_H
#define FY_DOUBT_H

#include "certify/certifier.h"

/* What more visits of which laws make the certificate of a policy, a state and a step at a time.
 * seen: [transitions] counts, from which the certifier's sets are. target: how small it should
 * become; 0: half of what it is. */
foray_status fy_doubt_explain(fy_certifier *certifier, const int64_t *seen,
                              const foray_reward *reward, const foray_policy *policy, double target,
                              foray_doubt **out);

/* Which laws are behind the width of an interval, Vhat +- (||J||_B + E), in proportion to the norms
 * of their parts of J; `width` and what it should become, and J, are in one unit. */
foray_status fy_doubt_of_width(fy_certifier *certifier, const int64_t *seen, const double *J,
                               double width, double target, foray_doubt **out);

/* Why a certificate is not 0, in the unit of planning and in no order. `more` of a law: below so
 * many visits it says nothing. The arrays are from fy_alloc. */
typedef struct fy_reasons {
    double gap;
    double twice; /* the same if all laws had been seen twice as often, and as they were */
    int64_t places, laws;
    foray_doubt_place *place;
    foray_doubt_law *law;
} fy_reasons;

/* The same from reasons that an algorithm found itself, whose arrays are taken over. */
foray_status fy_doubt_from_reasons(foray_context *ctx, const foray_reward *reward, double target,
                                   fy_reasons *found, foray_doubt **out);

/* One of the best policies under theta; *out stays as it is if the policy is one. */
foray_status fy_tie_best(foray_context *ctx, const foray_model *model, const foray_reward *reward,
                         const foray_policy *policy, foray_policy **out);

/* A place of the doubt where another action is exactly as good as that of the policy, which is best
 * under theta: no data will tell the two apart. */
foray_status fy_tie_find(foray_context *ctx, const foray_model *model, const foray_reward *reward,
                         const foray_policy *policy, const foray_doubt *about, bool *found,
                         foray_doubt_place *out);

#endif
