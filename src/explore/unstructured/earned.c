/* earned.c - see earned.h. */
#include "explore/unstructured/earned.h"

#include <math.h>
#include <stdlib.h>

foray_status fy_step_reward_create(foray_context *ctx, const fy_laws *laws,
                                   const foray_reward *reward, fy_step_reward *out)
{
    fy_step_reward earned = {.laws = laws, .reward = reward};
    int64_t ranges = fy_seen_laws(laws->seen) + laws->seen->actions;
    if (fy_reward_looks_ahead(reward) &&
        (!FY_ALLOC(ctx, earned.ahead, laws->seen->entries) || !FY_ALLOC(ctx, earned.min, ranges) ||
         !FY_ALLOC(ctx, earned.max, ranges) ||
         !FY_ALLOC(ctx, earned.said, (reward->states + 1) * (reward->actions + 1)))) {
        fy_step_reward_destroy(&earned);
        return FORAY_ERROR_MEMORY;
    }
    *out = earned;
    return FORAY_OK;
}

void fy_step_reward_destroy(fy_step_reward *earned)
{
    free(earned->ahead);
    free(earned->min);
    free(earned->max);
    free(earned->said);
    *earned = (fy_step_reward){0};
}

double fy_step_reward_pair(const fy_step_reward *earned, int64_t state, int64_t action)
{
    return earned->pair ? earned->pair[state * earned->reward->actions + action] : 0;
}

double fy_step_reward_alike(const fy_step_reward *earned, int64_t state, int64_t action,
                            int64_t law)
{
    return earned->rules ? earned->min[law] : fy_step_reward_pair(earned, state, action);
}

bool fy_step_reward_varies(const fy_step_reward *earned, int64_t law)
{
    return earned->rules && earned->min[law] < earned->max[law];
}

static double following(const fy_step_reward *earned, int64_t state, int64_t action, int64_t next)
{
    const fy_reward_rule *rule = fy_reward_rules_find(earned->rules, state, action, next);
    return rule ? fy_reward_to_unit(earned->reward, rule->value)
                : fy_step_reward_pair(earned, state, action);
}

double fy_step_reward_staying(const fy_step_reward *earned, int64_t state, int64_t action)
{
    return earned->rules ? following(earned, state, action, state)
                         : fy_step_reward_pair(earned, state, action);
}

static int32_t *said_of(const fy_step_reward *earned, int64_t state, int64_t action)
{
    return &earned->said[(state + 1) * (earned->reward->actions + 1) + action + 1];
}

/* Of how many next states something is said about (s,a). A rule about all of them brings back what
 * belongs to the pair, so that nothing can be said by counting. */
static void count_said(fy_step_reward *earned, const fy_reward_rules *rules)
{
    bool counts = true;
    int64_t room = (earned->reward->states + 1) * (earned->reward->actions + 1);
    for (int64_t i = 0; i < room; i++)
        earned->said[i] = 0;
    for (int64_t i = 0; i < rules->count && counts; i++) {
        const fy_reward_rule *rule = &rules->rule[i];
        counts = rule->state == FY_RULE_GONE || rule->next >= 0;
        if (counts && rule->state != FY_RULE_GONE)
            ++*said_of(earned, rule->state, rule->action);
    }
    for (int64_t i = 0; i < room && !counts; i++)
        earned->said[i] = 0;
}

/* Is something said about every next state, so that what belongs to the pair counts nowhere? */
static bool is_overruled(const fy_step_reward *earned, int64_t state, int64_t action)
{
    int64_t S = earned->reward->states;
    return *said_of(earned, state, action) == S || *said_of(earned, state, -1) == S ||
           *said_of(earned, -1, action) == S || *said_of(earned, -1, -1) == S;
}

/* r(s,a,s_i) of the successors seen; the range begins with what no rule changes. */
static void fill_pair(fy_step_reward *earned, int64_t place, int64_t action)
{
    const fy_laws *laws = earned->laws;
    int64_t law = fy_seen_law(laws->seen, place, action), state = laws->seen->state[place];
    bool overruled = is_overruled(earned, state, action);
    earned->min[law] = overruled ? INFINITY : fy_step_reward_pair(earned, state, action);
    earned->max[law] = overruled ? -INFINITY : fy_step_reward_pair(earned, state, action);
    for (int64_t i = laws->start[law]; i < laws->start[law + 1]; i++)
        earned->ahead[i] = following(earned, state, action, laws->seen->state[laws->next[i]]);
}

static void widen(fy_step_reward *earned, int64_t at, double value)
{
    earned->min[at] = fmin(earned->min[at], value);
    earned->max[at] = fmax(earned->max[at], value);
}

/* A rule about one state widens that one's ranges. Those about every state are put together by
 * their actions, behind the laws. */
static void widen_by(fy_step_reward *earned, const fy_reward_rule *rule)
{
    const fy_seen *seen = earned->laws->seen;
    double value = fy_reward_to_unit(earned->reward, rule->value);
    int64_t place = rule->state < 0 ? -1 : fy_seen_find(seen, rule->state);
    int64_t first = rule->action < 0 ? 0 : rule->action;
    int64_t end = rule->action < 0 ? seen->actions : first + 1;
    for (int64_t a = first; a < end; a++) {
        if (rule->state < 0)
            widen(earned, fy_seen_laws(seen) + a, value);
        else if (place >= 0)
            widen(earned, fy_seen_law(seen, place, a), value);
    }
}

static void fill_earned(fy_step_reward *earned)
{
    const fy_seen *seen = earned->laws->seen;
    int64_t every = fy_seen_laws(seen);
    count_said(earned, earned->rules);
    for (int64_t a = 0; a < seen->actions; a++) {
        earned->min[every + a] = INFINITY;
        earned->max[every + a] = -INFINITY;
    }
    for (int64_t i = 0; i < seen->states; i++)
        for (int64_t a = 0; a < seen->actions; a++)
            fill_pair(earned, i, a);
    for (int64_t i = 0; i < earned->rules->count; i++)
        if (earned->rules->rule[i].state != FY_RULE_GONE && earned->rules->rule[i].next >= 0)
            widen_by(earned, &earned->rules->rule[i]);
    for (int64_t i = 0; i < seen->states; i++)
        for (int64_t a = 0; a < seen->actions; a++) {
            int64_t law = fy_seen_law(seen, i, a);
            earned->min[law] = fmin(earned->min[law], earned->min[every + a]);
            earned->max[law] = fmax(earned->max[law], earned->max[every + a]);
        }
}

void fy_step_reward_at(fy_step_reward *earned, int64_t t)
{
    const foray_reward *reward = earned->reward;
    const fy_reward_rules *rules = fy_reward_rules_of(reward, t);
    const double *pair = reward->fixed ? NULL : fy_reward_table(reward, t);
    bool same = pair == earned->pair && earned->rules == rules;
    earned->pair = pair;
    earned->rules = rules->ahead > 0 ? rules : NULL;
    if (earned->rules && !same)
        fill_earned(earned);
}

void fy_step_reward_range(fy_step_reward *earned, int64_t t, double *min, double *max)
{
    const foray_reward *reward = earned->reward;
    const double *pair = fy_reward_table(reward, t);
    const fy_reward_rules *rules = fy_reward_rules_of(reward, t);
    int64_t A = reward->actions;
    if (rules->ahead > 0)
        count_said(earned, rules);
    *min = INFINITY;
    *max = -INFINITY;
    for (int64_t i = 0; i < reward->states * A; i++) {
        bool overruled = rules->ahead > 0 && is_overruled(earned, i / A, i % A);
        *min = overruled ? *min : fmin(*min, pair[i]);
        *max = overruled ? *max : fmax(*max, pair[i]);
    }
    for (int64_t i = 0; i < rules->count; i++) {
        const fy_reward_rule *rule = &rules->rule[i];
        if (rule->state == FY_RULE_GONE || rule->next < 0)
            continue;
        *min = fmin(*min, fy_reward_to_unit(reward, rule->value));
        *max = fmax(*max, fy_reward_to_unit(reward, rule->value));
    }
}
