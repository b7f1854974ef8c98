/* plan.h - plans and certificates on what was seen of an unstructured model. */
#ifndef FY_UNSTRUCTURED_PLAN_H
#define FY_UNSTRUCTURED_PLAN_H

#include "explore/unstructured/doubt.h"

/* Plans for one reward, or, where `given`, values the policy as it is. The policy gets its values,
 * interval and certificate; in states that were never seen it takes action 0. `notes`, if not NULL,
 * receive where the certificate comes from. */
foray_status fy_unstructured_plan(const foray_explorer *explorer, const fy_laws *laws,
                                  const foray_reward *reward, foray_mode mode, bool given,
                                  foray_policy *policy, fy_unstructured_notes *notes);

/* A gap of at most `max`, as counts certify it. */
foray_certificate fy_unstructured_certificate(const foray_explorer *explorer, double gap,
                                              double max);

/* The bound of plug-in plans for all rewards of a kind. */
foray_status fy_unstructured_bound(const foray_explorer *explorer, const fy_laws *laws,
                                   foray_reward_kind kind, foray_certificate *out);

#endif
