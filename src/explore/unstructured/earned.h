/* earned.h - what the pairs and transitions that were seen of an unstructured model earn in a step.
 *
 * Where a reward is r(s,a) this is its table. Where it depends on what follows, r(s,a,s_i) is found
 * once for every successor seen, with the range of r(s,a,.) over *all* states, because any state
 * may follow. The range is that of the function, in whatever way it was said. */
#ifndef FY_EARNED_H
#define FY_EARNED_H

#include "explore/unstructured/laws.h"
#include "reward/reward.h"

typedef struct fy_span {
    double min, max; /* of r(s,a,s') over next states about which something is said, */
    int64_t said;    /* and how many these are */
} fy_span;

typedef struct fy_step_reward {
    const fy_laws *laws;
    const foray_reward *reward;
    const double *pair;           /* [states*actions] r of this step; NULL: nothing is earned */
    const fy_reward_rules *rules; /* the step's; NULL: it does not depend on what follows */
    double *ahead;                /* [entries] r(s,a,s_i) */
    double *min, *max;            /* [laws] of r(s,a,.) */
    fy_span *every, *here;        /* [actions] of a state that no rule names, and of one */
    int32_t *order;               /* rules: those about every state, then those about each */
    int32_t *first;               /* [states+2] where these begin in it */
} fy_step_reward;

foray_status fy_step_reward_create(foray_context *ctx, const fy_laws *laws,
                                   const foray_reward *reward, fy_step_reward *out);
void fy_step_reward_destroy(fy_step_reward *earned);
/* Goes to step t. */
void fy_step_reward_at(fy_step_reward *earned, int64_t t);
/* The least and the most that any (s,a,s') earns in step t. */
void fy_step_reward_range(fy_step_reward *earned, int64_t t, double *min, double *max);

/* r(s,a) of the step, where it does not depend on what follows. */
double fy_step_reward_pair(const fy_step_reward *earned, int64_t state, int64_t action);
/* Does r(s,a,s') depend on s'? If not it is r(s,a), with the same numbers in whatever way it was
 * said. */
bool fy_step_reward_varies(const fy_step_reward *earned, int64_t law);
double fy_step_reward_alike(const fy_step_reward *earned, int64_t state, int64_t action,
                            int64_t law);
/* r(s,a,s) of an absorbing state. */
double fy_step_reward_staying(const fy_step_reward *earned, int64_t state, int64_t action);

#endif
