/* policy.h - policies as results, and what their files have in common. */
#ifndef FY_POLICY_H
#define FY_POLICY_H

#include "model/model.h"
#include "reward/reward.h"
#include "task/product.h"

/* In the order of the public enums, ended by NULL. */
extern const char *const fy_mode_names[],
    *const fy_radius_names[], *const fy_status_names[], *const fy_bound_names[],
                                                            *const fy_optimality_names[];

/* How many states the policy has actions for, and which. */
static inline int64_t fy_policy_covered(const foray_policy *policy)
{
    return policy->state ? policy->covered : policy->states;
}
static inline int64_t fy_policy_state(const foray_policy *policy, int64_t k)
{
    return policy->state ? policy->state[k] : k;
}

/* What it does, as a policy of which nothing else is known. */
foray_status fy_policy_copy(foray_context *ctx, const foray_policy *policy, foray_policy **out);

/* The states that policies for a part of a model cover, those where a step can begin:
 * fy_begun(part) of the whole, ascending. */
void fy_policy_cover(const foray_model *part, int32_t *state);
/* A policy for a part becomes one for the whole, which covers these. */
foray_status fy_policy_spread(foray_context *ctx, const foray_model *part, foray_policy *policy);
/* One for the whole loses what it says of other states. */
foray_status fy_policy_keep_part(foray_context *ctx, const foray_model *part, foray_policy *policy);
/* And one for the whole a new one for the part. FORAY_ERROR_INPUT if it has no action in a state
 * where a step can begin. In a product, `reader` has read for the policy, if that has a memory. */
foray_status fy_policy_within(foray_context *ctx, const foray_policy *policy,
                              const foray_model *part, int64_t reader, foray_policy **out);
/* What reads for a policy with a memory. */
static inline fy_task_reader fy_policy_reader(const foray_policy *policy)
{
    const foray_policy_memory *memory = policy->memory;
    return (fy_task_reader){memory->states, memory->letters, memory->letter, memory->next};
}
/* How many states the model has that a policy is for. */
static inline int64_t fy_policy_model_states(const foray_policy *policy)
{
    return policy->memory ? policy->states / policy->memory->states : policy->states;
}
/* Which of them is meant by what the policy calls a state. */
static inline int64_t fy_policy_model_state(const foray_policy *policy, int64_t state)
{
    return policy->memory ? state / policy->memory->states : state;
}
/* A memory of this size, of which nothing is filled in. */
foray_status fy_policy_make_memory(foray_context *ctx, foray_policy *policy, int64_t model_states,
                                   int64_t states, int64_t letters);
/* Takes the first action there is wherever no episode can be, for those who look at every state. */
foray_status fy_policy_fill(foray_context *ctx, const foray_model *model, foray_policy *policy);
/* As many steps and the same states? */
bool fy_policy_same_cover(const foray_policy *a, const foray_policy *b);

/* A policy of no shape, of which nothing is known: NaN for its values, and no certificate. */
foray_status fy_policy_create_unknown(foray_context *ctx, foray_policy **out);
/* A policy of this shape, all actions 0 and everything else too. */
foray_status fy_policy_create(foray_context *ctx, int64_t states, int64_t actions, int64_t horizon,
                              foray_policy **out);
/* The arena of a policy that the library made, for all that it points to. */
fy_arena *fy_policy_arena(foray_context *ctx, foray_policy *policy);
/* What is said beside it: made, with nothing known, if there is none yet (NULL: out of memory). */
foray_policy_about *fy_policy_about(foray_context *ctx, foray_policy *policy);
/* A copy of a text in the policy's arena; NULL: not known. */
foray_status fy_policy_copy_text(foray_context *ctx, foray_policy *policy, char **text,
                                 const char *value);
/* From the unit of planning to the reward's own: value, interval and certificate. */
void fy_policy_convert(foray_policy *policy, const foray_reward *reward);

/* foray_policy_parse; one of more than `max` actions is too large. */
foray_status fy_policy_parse(foray_context *ctx, const char *text, size_t size, const char *where,
                             int64_t max, foray_policy **out);

/* `count` policies of the model's shape, all actions 0; on failure all are NULL. */
foray_status fy_policies_create(foray_context *ctx, const foray_model *model, foray_mode mode,
                                int64_t count, foray_policy **policies);
/* Releases them, and leaves NULL. */
void fy_policies_destroy(int64_t count, foray_policy **policies);

/* With what probability a certificate may fail: that of its sets, and that of estimated features
 * being worse than the model says. */
double fy_certificate_delta(const foray_model *model, double delta);

/* The largest gap that is as good as 0, of the largest possible return; is this one? */
double fy_certificate_rounding(double max);
bool fy_certificate_small(double gap, double max);
/* What a gap proves by its size, its bound and its status. Nothing else decides what is optimal. */
foray_optimality fy_certificate_optimality(const foray_certificate *certificate, bool small);
/* Sets optimal and vacuous; `max`: the largest possible return. A gap of 0 that does not count its
 * rounding errors becomes as large as they are. */
void fy_certificate_classify(foray_certificate *certificate, double max);
/* Takes the proof away: the status is one that proves nothing. */
void fy_certificate_degrade(foray_certificate *certificate, foray_proof_status status);
/* Is it a proof? */
bool fy_certificate_proves(const foray_certificate *certificate);

/* FORAY_ERROR_INPUT if the policy has another shape than the model, or an action it has not. */
foray_status fy_policy_check(foray_context *ctx, const foray_policy *policy,
                             const foray_model *model);
/* The same, and FORAY_ERROR_USAGE if it is a mixture or draws its actions, which `what` ("this",
 * "reasons") does not know. */
foray_status fy_policy_check_plain(foray_context *ctx, const foray_policy *policy,
                                   const foray_model *model, const char *what);

/* Mixtures, and policies that draw their actions. */
static inline int64_t fy_policy_parts(const foray_policy *policy)
{
    return policy->odds ? policy->parts : 1;
}
static inline bool fy_policy_is_plain(const foray_policy *policy)
{
    return !policy->odds && !policy->chance;
}
/* The odds of a part. */
static inline double fy_policy_odds(const foray_policy *policy, int64_t part)
{
    return policy->odds ? policy->odds[part] : 1;
}
/* Its actions or, where it draws them, its laws of actions. */
const int32_t *fy_policy_actions(const foray_policy *policy, int64_t part);
const double *fy_policy_chances(const foray_policy *policy, int64_t part);
/* Room for so many parts, and for laws of actions; nothing of it is filled in. */
foray_status fy_policy_make_parts(foray_context *ctx, foray_policy *policy, int64_t parts,
                                  bool odds, bool draws);
/* Divides a law by its sum; false: it is none. */
bool fy_policy_normalise(double *law, int64_t count);
/* The likeliest actions, from laws of actions. */
void fy_policy_find_likeliest(foray_policy *policy);

/* Keeps the reasons in the policy, for its file: at most `max` places and laws. */
foray_status fy_policy_keep_doubt(foray_context *ctx, foray_policy *policy,
                                  const foray_doubt *doubt, int64_t max);

#endif
