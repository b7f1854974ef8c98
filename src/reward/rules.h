/* rules.h - rewards r(s,a,s') of open models, where anything can follow: no table holds all
 * of it, so what was said about next states is kept as it was said.
 *
 *   r(s,a,s') = what the last rule says that is about (s,a,s'); without any, pair(s,a)
 *
 * A rule is about a state, an action and a next state, each of which may be every one. Where a rule
 * about every next state is the last, pair(s,a) has its value: who sets a pair does both. */
#ifndef FY_REWARD_RULES_H
#define FY_REWARD_RULES_H

#include "base/base.h"

typedef struct fy_reward_rule {
    int32_t state, action, next; /* -1: every; state FY_RULE_GONE: a later one is about the same */
    double value;                /* in the reward's own unit */
} fy_reward_rule;

enum { FY_RULE_GONE = -2 };

typedef struct fy_reward_rules {
    int64_t count, room;
    fy_reward_rule *rule; /* [count] in the order in which they were said */
    int64_t slots;        /* a power of two, at least twice `room` */
    int32_t *slot;        /* [slots] a hash table of rules by what they are about; -1: free */
    uint32_t forms;       /* bit f: there is a rule of that form, of the eight that there are */
    int64_t ahead;        /* rules about one next state; with none, there are no rules */
} fy_reward_rules;

foray_status fy_reward_rules_add(foray_context *ctx, fy_reward_rules *rules, fy_reward_rule rule);
void fy_reward_rules_clear(fy_reward_rules *rules);
foray_status fy_reward_rules_copy(foray_context *ctx, const fy_reward_rules *from,
                                  fy_reward_rules *to);
uint64_t fy_reward_rules_hash(const fy_reward_rules *rules, uint64_t hash);

/* The last rule about (s,a,s') if it is about this next state and no other; NULL: pair(s,a). */
const fy_reward_rule *fy_reward_rules_find(const fy_reward_rules *rules, int64_t state,
                                           int64_t action, int64_t next);

#endif
