/* policy.h - policies as results and as JSON text. */
#ifndef FY_POLICY_H
#define FY_POLICY_H

#include "model/model.h"

/* `count` policies of the model's shape, all actions 0; on failure all are NULL. */
foray_status fy_policies_create(foray_context *ctx, const foray_model *model, foray_mode mode,
                                int64_t count, foray_policy **policies);
/* Releases them, and leaves NULL. */
void fy_policies_destroy(int64_t count, foray_policy **policies);

/* With what probability a certificate may fail: that of its sets, and that of estimated features
 * being worse than the model says. */
double fy_certificate_delta(const foray_model *model, double delta);

/* Sets optimal and vacuous from the gap: 0 and all that rewards allow, up to rounding. */
void fy_certificate_judge(foray_certificate *certificate, double most);

/* FORAY_ERROR_INPUT if the policy has another shape than the model, or an action it has not. */
foray_status fy_policy_check(foray_context *ctx, const foray_policy *policy,
                             const foray_model *model);

/* The values of a policy at every step if `theta` is true: value[t][state] for t = 0..horizon. */
foray_status fy_evaluate_steps(foray_context *ctx, const foray_model *model, const double *theta,
                               const foray_reward *reward, const foray_policy *policy,
                               double *value);

#endif
