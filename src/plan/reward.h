/* reward.h - how a reward lies in memory: one table [states][actions] per group
 * of steps that have the same one. */
#ifndef FY_REWARD_H
#define FY_REWARD_H

#include "model/model.h"

struct foray_reward {
    char *name;
    int64_t states, actions, horizon;
    int64_t tables;
    double **table;         /* [tables] each [states*actions] */
    int32_t *table_of_step; /* [horizon] */
    double fallback;
};

#endif
