/* reward.h - how a reward lies in memory: one table [states][actions] per group
 * of steps that have the same one. A table is copied when one step of its group
 * is to become different. */
#ifndef FY_REWARD_H
#define FY_REWARD_H

#include "model/model.h"

struct foray_reward {
    char *name;
    int64_t states, actions, horizon;
    int64_t tables;
    double **table;         /* [tables], room for [horizon]; each [states*actions] */
    int32_t *table_of_step; /* [horizon] */
    int32_t *steps_of;      /* [tables], room for [horizon]: how many steps share a table */
    double fallback;
};

/* The table of a step. */
static inline const double *fy_reward_table(const foray_reward *reward, int64_t step)
{
    return reward->table[reward->table_of_step[step]];
}

foray_status fy_reward_copy(foray_context *ctx, const foray_reward *reward, foray_reward **out);

/* Of r_t(s,a) for all t, s and a, and of nothing else. */
uint64_t fy_reward_hash(const foray_reward *reward);

/* FORAY_ERROR_INPUT if the reward was made for a model of another shape. */
foray_status fy_reward_check(foray_context *ctx, const foray_reward *reward,
                             const foray_model *model);

#endif
