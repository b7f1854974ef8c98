/* policy.h - policies as results, and what their files have in common. */
#ifndef FY_POLICY_H
#define FY_POLICY_H

#include "model/model.h"

/* In the order of the public enums, ended by NULL. */
extern const char *const fy_mode_names[],
    *const fy_radius_names[], *const fy_status_names[], *const fy_bound_names[],
                                                            *const fy_optimality_names[];

/* A policy of this shape, all actions 0 and everything else too. */
foray_status fy_policy_create(foray_context *ctx, int64_t states, int64_t actions, int64_t horizon,
                              foray_policy **out);
/* Its values become NaN, and its certificate none. */
void fy_policy_forget(foray_policy *policy);
/* What is said beside it: made, with nothing known, if there is none yet (NULL: out of memory). */
foray_policy_about *fy_policy_about(foray_context *ctx, foray_policy *policy);
void fy_policy_about_destroy(foray_policy *policy);
/* Replaces a text of it by a copy; NULL: not known. */
foray_status fy_policy_tell(foray_context *ctx, char **text, const char *value);
void fy_policy_clusters_destroy(foray_policy_clusters *clusters);

/* `count` policies of the model's shape, all actions 0; on failure all are NULL. */
foray_status fy_policies_create(foray_context *ctx, const foray_model *model, foray_mode mode,
                                int64_t count, foray_policy **policies);
/* Releases them, and leaves NULL. */
void fy_policies_destroy(int64_t count, foray_policy **policies);

/* With what probability a certificate may fail: that of its sets, and that of estimated features
 * being worse than the model says. */
double fy_certificate_delta(const foray_model *model, double delta);

/* Is a gap as good as 0, of the largest possible return? */
bool fy_certificate_small(double gap, double most);
/* What a gap proves by its size, its bound and its status. Nothing else decides what is optimal. */
foray_optimality fy_certificate_optimality(const foray_certificate *certificate, bool small);
/* Sets optimal and vacuous; `most`: the largest possible return. A gap of 0 that does not count its
 * rounding errors becomes as large as they are. */
void fy_certificate_judge(foray_certificate *certificate, double most);
/* Takes the proof away: the status is one that proves nothing. */
void fy_certificate_degrade(foray_certificate *certificate, foray_proof_status status);
/* Is it a proof? */
bool fy_certificate_proves(const foray_certificate *certificate);

/* FORAY_ERROR_INPUT if the policy has another shape than the model, or an action it has not. */
foray_status fy_policy_check(foray_context *ctx, const foray_policy *policy,
                             const foray_model *model);

/* The values of a policy at every step if `theta` is true: value[t][state] for t = 0..horizon. */
foray_status fy_evaluate_steps(foray_context *ctx, const foray_model *model, const double *theta,
                               const foray_reward *reward, const foray_policy *policy,
                               double *value);

#endif
