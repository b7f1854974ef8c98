/* reward.h - how a reward lies in memory.
 *
 * One table per group of steps that have the same one; a table is copied when one step of its
 * group is to become different. A table has two parts, which are added:
 *
 *     r_h(s,a,s_j) = pair(s,a) + next(s,a,j)         next: NULL where nothing depends on s'
 *
 * of which one is 0 for every (s,a): what does not depend on s' is in `pair`, exactly. In
 * unstructured models, where anything can follow, there are `rules` instead of `next`.
 *
 * All planning is for rewards in [0,1] and to be maximised. Others are brought to that unit,
 *
 *     r = base + slope r',   r' in [0,1],   base = lo, slope = hi - lo (lo <= r <= hi)
 *                                           base = hi, slope = lo - hi (to be minimised)
 *
 * and results back from it (fy_reward_unit). With a discount g, step t counts g^t.
 *
 * A reward may instead *stop*: an episode is over where `fixed` has a number, and worth that, and
 * `ending` if it ends elsewhere: the probability of getting to a state, or of never going
 * there. Or it is a task. */
#ifndef FY_REWARD_H
#define FY_REWARD_H

#include "base/index.h"
#include "model/model.h"
#include "task/task.h"

/* Rewards r(s,a,s') of unstructured models, where anything can follow: no table holds all
 * of it, so what was said about next states is kept as it was said.
 *
 *   r(s,a,s') = what the last rule says that is about (s,a,s'); without any, pair(s,a)
 *
 * A rule is about a state, an action and a next state, each of which may be every one. Where a rule
 * about every next state is the last, pair(s,a) has its value: who sets a pair does both. */
typedef struct fy_reward_rule {
    int32_t state, action, next; /* -1: every; state FY_RULE_GONE: a later one is about the same */
    double value;                /* in the reward's own unit */
} fy_reward_rule;

enum { FY_RULE_GONE = -2 };

typedef struct fy_reward_rules {
    int64_t count, room;
    fy_reward_rule *rule; /* [count] in the order in which they were said */
    fy_index index;       /* of rules by what they are about */
    uint32_t forms;       /* bit f: there is a rule of that form, of the eight that there are */
    int64_t ahead;        /* rules about one next state; with none, there are no rules */
} fy_reward_rules;

/* The last rule about (s,a,s') if it is about this next state and no other; NULL: pair(s,a). */
const fy_reward_rule *fy_reward_rules_find(const fy_reward_rules *rules, int64_t state,
                                           int64_t action, int64_t next);

/* In the place of a rule about the same. */
foray_status fy_reward_rules_add(foray_context *ctx, fy_reward_rules *rules, fy_reward_rule rule);
void fy_reward_rules_clear(fy_reward_rules *rules);
foray_status fy_reward_rules_copy(foray_context *ctx, const fy_reward_rules *from,
                                  fy_reward_rules *to);
uint64_t fy_reward_rules_hash(const fy_reward_rules *rules, uint64_t hash);

/* As given, and in the unit of planning; the latter is NULL where they are the same. */
typedef struct fy_reward_part {
    double *pair; /* [states*actions] */
    double *next; /* [transitions], laid out as model->succ, or NULL */
    double *unit_pair, *unit_next;
    double *next_room, *unit_next_room; /* memory of `next`, which comes and goes */
    int64_t ahead;         /* pairs whose values are in `next`; with none, there is no `next` */
    fy_reward_rules rules; /* of unstructured models */
} fy_reward_part;

struct foray_reward {
    fy_arena arena;
    char *name;
    const foray_model *model;   /* read only where next states matter */
    const foray_model *partial; /* the same where some states lack actions, else NULL */
    int64_t states, actions, horizon, transitions;
    int64_t tables;
    fy_reward_part *table;  /* [tables], room for [horizon] */
    int32_t *table_of_step; /* [horizon] */
    int32_t *steps_of;      /* [tables], room for [horizon]: how many steps share a table */
    double fallback;
    double low, high; /* all values lie between */
    bool minimise;
    double discount;
    double *fixed; /* [states] NaN: the episode goes on; NULL: it always does */
    double ending;
    /* Of what a world itself pays (run/own.c). It is at least this reward and at most `above`, of
     * the same range, whose owner this is; NULL: it is this one. One unknown for each pair or
     * transition where the two differ, in every step the same. */
    foray_reward *above;
    double spent;                 /* the share of delta that goes into the two */
    double total_low, total_high; /* what an episode pays in all; both 0: nobody says so */
    double *endings; /* [states] instead, where it depends on the last state; else NULL */
    fy_task *task;   /* the probability of satisfying a formula: it needs a memory, and is planned
                      * for in a product; NULL: it is none */
};

/* r'_h(s,a), as far as it does not depend on s'. */
static inline const double *fy_reward_table(const foray_reward *reward, int64_t step)
{
    const fy_reward_part *part = &reward->table[reward->table_of_step[step]];
    return part->unit_pair ? part->unit_pair : part->pair;
}

/* The rest of r'_h(s,a,s'), laid out as model->succ; NULL: there is none. */
static inline const double *fy_reward_next(const foray_reward *reward, int64_t step)
{
    const fy_reward_part *part = &reward->table[reward->table_of_step[step]];
    return part->unit_next ? part->unit_next : part->next;
}

/* What unstructured models have instead. */
static inline const fy_reward_rules *fy_reward_rules_of(const foray_reward *reward, int64_t step)
{
    return &reward->table[reward->table_of_step[step]].rules;
}

/* r' = (r - base) / slope; exact at both ends of the range. */
double fy_reward_to_unit(const foray_reward *reward, double value);

/* Does anything depend on what follows? */
bool fy_reward_looks_ahead(const foray_reward *reward);
/* Is it r_h(s,a) in every step, undiscounted, to the end: what every algorithm can plan for? */
bool fy_reward_is_plain(const foray_reward *reward);

/* From results of planning to the reward's own unit: V = offset + slope V'. */
typedef struct fy_reward_unit {
    double offset, slope;
    double max; /* of V': what a gap can be at most */
    bool own;   /* false: offset 0, slope 1 */
} fy_reward_unit;
fy_reward_unit fy_reward_unit_of(const foray_reward *reward);
double fy_reward_value(const fy_reward_unit *unit, double value);

/* Planning tells values apart that differ by 1e-12 of the range and more. *out: a copy with a range
 * of its values alone, for what is known, of which nothing is bounded; NULL: there is no need. */
foray_status fy_reward_narrow(foray_context *ctx, const foray_reward *reward, foray_reward **out);

foray_status fy_reward_copy(foray_context *ctx, const foray_reward *reward, foray_reward **out);

/* Adds to r_h(s,a,s'), -1: all, and looks at no range: fy_reward_set_range does, when all is said.
 */
foray_status fy_reward_add(foray_context *ctx, foray_reward *reward, int64_t step, int64_t state,
                           int64_t action, int64_t next, double value);
/* Another range, in which all values lie: FORAY_ERROR_INPUT names one that does not. */
foray_status fy_reward_set_range(foray_context *ctx, foray_reward *reward, double low, double high);

/* r = sum_i weight_i r_i, of rewards of one model, each with the discount that it has; to be
 * maximised, whatever they are. Its range is what theirs imply. */
foray_status fy_reward_sum(foray_context *ctx, const char *name, int64_t count,
                           const foray_reward *const *terms, const double *weight,
                           foray_reward **out);

/* foray_reward_create_task, with labels as models have them (may be NULL). */
foray_status fy_reward_create_task(foray_context *ctx, const foray_model *model, const char *name,
                                   const char *formula, const fy_labels *labels,
                                   foray_reward **out);

/* What a reward for the whole is for a part of it (reach.c). */
foray_status fy_reward_within(foray_context *ctx, const foray_reward *reward,
                              const foray_model *part, foray_reward **out);

/* What has to be remembered of an episode for a task, or for a reward about reaching and avoiding
 * states that must not stop the episode. What is not the reward's is in the arena. */
foray_status fy_reward_reader(fy_arena *arena, const foray_reward *reward, fy_task_reader *out);
/* A task, or one about reaching and avoiding states, in a product in which this reader has read for
 * it. Alone it stops where it is decided. Beside others it goes on, and is paid with the last step:
 *
 *     r_H((s,q),a,(s',q')) = 1 if q' accepts, all else 0                                        */
foray_status fy_reward_in_product(foray_context *ctx, const foray_reward *reward,
                                  const foray_model *product, int64_t reader, bool beside,
                                  foray_reward **out);

/* Of what planning sees, and of nothing else. */
uint64_t fy_reward_hash(const foray_reward *reward);

/* FORAY_ERROR_INPUT if the reward was made for a model of another shape. */
foray_status fy_reward_check_shape(foray_context *ctx, const foray_reward *reward,
                                   const foray_model *model);
/* The same, and FORAY_ERROR_USAGE if it is a task, which the caller does not know. */
foray_status fy_reward_check(foray_context *ctx, const foray_reward *reward,
                             const foray_model *model);

#endif
