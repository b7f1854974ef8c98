/* oracle_reward.h - rewards of every form, described densely, with their values by definition:
 * slow, in the reward's own unit, and without anything of src/plan or src/reward. */
#ifndef FY_ORACLE_REWARD_H
#define FY_ORACLE_REWARD_H

#include "support.h"

enum {
    ORACLE_PLAIN,
    ORACLE_RANGE,
    ORACLE_NEXT,
    ORACLE_DISCOUNT,
    ORACLE_REACH,
    ORACLE_AVOID,
    ORACLE_REACH_AVOID,
    ORACLE_MIN,
    ORACLE_MIN_REACH,
    ORACLE_ALL, /* range, next, discount and min together */
    ORACLE_FORMS
};

typedef struct oracle_reward {
    const foray_model *model;
    double low, high, discount;
    bool minimise, stops;
    double *r;     /* [horizon][states][actions][states] */
    bool *reach;   /* [states] */
    bool *avoid;   /* [states] */
    bool to_reach; /* some state is to be reached */
} oracle_reward;

/* A random one, and the same through the public functions. coarse: values at the ends of the
 * range alone, so that there are ties. */
oracle_reward oracle_reward_random(const foray_model *model, int form, bool coarse,
                                   support_random *random);
foray_reward *oracle_reward_build(foray_context *ctx, const oracle_reward *reward);
void oracle_reward_free(oracle_reward *reward);

/* E_mu of the values under theta: of the actions [horizon][states], and the best. */
void oracle_reward_values(const oracle_reward *reward, const double *theta, const int32_t *action,
                          double *value, double *best);
/* Of one policy by all paths there are; best by all policies there are. */
void oracle_reward_paths(const oracle_reward *reward, const double *theta, const int32_t *action,
                         double *value, double *best);

#endif
