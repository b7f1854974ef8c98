/* earned.c - see earned.h. */
#include "explore/unstructured/earned.h"

#include <math.h>
#include <stdlib.h>

static int64_t max_rules(const foray_reward *reward)
{
    int64_t max = 0;
    for (int64_t i = 0; i < reward->tables; i++)
        if (reward->table[i].rules.count > max)
            max = reward->table[i].rules.count;
    return max;
}

foray_status fy_step_reward_create(foray_context *ctx, const fy_laws *laws,
                                   const foray_reward *reward, fy_step_reward *out)
{
    fy_step_reward earned = {.laws = laws, .reward = reward};
    int64_t seen = fy_seen_laws(laws->seen);
    if (fy_reward_looks_ahead(reward) &&
        (!FY_ALLOC(ctx, earned.ahead, laws->seen->entries) || !FY_ALLOC(ctx, earned.min, seen) ||
         !FY_ALLOC(ctx, earned.max, seen) || !FY_ALLOC(ctx, earned.every, reward->actions) ||
         !FY_ALLOC(ctx, earned.here, reward->actions) ||
         !FY_ALLOC(ctx, earned.order, max_rules(reward)) ||
         !FY_ALLOC(ctx, earned.first, reward->states + 2))) {
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
    free(earned->every);
    free(earned->here);
    free(earned->order);
    free(earned->first);
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

/* ---------------------------------------------------------------- ranges over all states */

static void widen(fy_span *span, double value)
{
    span->min = fmin(span->min, value);
    span->max = fmax(span->max, value);
}

static void clear_spans(fy_span *span, int64_t actions)
{
    for (int64_t a = 0; a < actions; a++)
        span[a] = (fy_span){.min = INFINITY, .max = -INFINITY};
}

/* The rules by their states, each group in the order in which they were said. */
static void sort_rules(fy_step_reward *earned, const fy_reward_rules *rules)
{
    int32_t *first = earned->first;
    int64_t groups = earned->reward->states + 1;
    for (int64_t g = 0; g <= groups; g++)
        first[g] = 0;
    for (int64_t i = 0; i < rules->count; i++)
        if (rules->rule[i].state != FY_RULE_GONE)
            first[rules->rule[i].state + 1]++;
    for (int64_t g = 1; g <= groups; g++) /* where each ends */
        first[g] += first[g - 1];
    for (int64_t i = rules->count - 1; i >= 0; i--)
        if (rules->rule[i].state != FY_RULE_GONE)
            earned->order[--first[rules->rule[i].state + 1]] = (int32_t)i;
}

/* What the rules of a group say about a state, unless a later one says something else. */
static void take_group(const fy_step_reward *earned, const fy_reward_rules *rules, int64_t group,
                       int64_t state, fy_span *span)
{
    for (int64_t i = earned->first[group]; i < earned->first[group + 1]; i++) {
        const fy_reward_rule *rule = &rules->rule[earned->order[i]];
        int64_t a = rule->action < 0 ? 0 : rule->action;
        int64_t end = rule->action < 0 ? earned->reward->actions : a + 1;
        for (; rule->next >= 0 && a < end; a++)
            if (fy_reward_rules_find(rules, state, a, rule->next) == rule) {
                widen(&span[a], fy_reward_to_unit(earned->reward, rule->value));
                span[a].said++;
            }
    }
}

/* Before spans_of: what is the same in all states that no rule names. */
static void take_rules(fy_step_reward *earned, const fy_reward_rules *rules)
{
    sort_rules(earned, rules);
    clear_spans(earned->every, earned->reward->actions);
    take_group(earned, rules, 0, -1, earned->every);
}

/* [actions] of a state, until the next one is asked for. */
static const fy_span *spans_of(const fy_step_reward *earned, const fy_reward_rules *rules,
                               int64_t state)
{
    if (earned->first[state + 1] == earned->first[state + 2])
        return earned->every;
    clear_spans(earned->here, earned->reward->actions);
    take_group(earned, rules, 0, state, earned->here);
    take_group(earned, rules, state + 1, state, earned->here);
    return earned->here;
}

/* Where nothing is said about a next state, what belongs to the pair counts. */
static fy_span with_pair(const fy_step_reward *earned, fy_span span, double pair)
{
    if (span.said < earned->reward->states)
        widen(&span, pair);
    return span;
}

/* r(s,a,s_i) of the successors seen, and the range of all. */
static void fill_state(fy_step_reward *earned, int64_t place)
{
    const fy_laws *laws = earned->laws;
    int64_t state = laws->seen->state[place];
    const fy_span *span = spans_of(earned, earned->rules, state);
    for (int64_t a = 0; a < laws->seen->actions; a++) {
        int64_t law = fy_seen_law(laws->seen, place, a);
        fy_span all = with_pair(earned, span[a], fy_step_reward_pair(earned, state, a));
        earned->min[law] = all.min;
        earned->max[law] = all.max;
        for (int64_t i = laws->start[law]; i < laws->start[law + 1]; i++)
            earned->ahead[i] = following(earned, state, a, laws->seen->state[laws->next[i]]);
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
    if (!earned->rules || same)
        return;
    take_rules(earned, rules);
    for (int64_t i = 0; i < earned->laws->seen->states; i++)
        fill_state(earned, i);
}

void fy_step_reward_range(fy_step_reward *earned, int64_t t, double *min, double *max)
{
    const foray_reward *reward = earned->reward;
    const double *pair = fy_reward_table(reward, t);
    const fy_reward_rules *rules = fy_reward_rules_of(reward, t);
    int64_t A = reward->actions;
    fy_span all = {.min = INFINITY, .max = -INFINITY};
    if (rules->ahead > 0)
        take_rules(earned, rules);
    for (int64_t s = 0; s < reward->states; s++) {
        const fy_span *span = rules->ahead > 0 ? spans_of(earned, rules, s) : NULL;
        for (int64_t a = 0; a < A && !span; a++)
            widen(&all, pair[s * A + a]);
        for (int64_t a = 0; a < A && span; a++) {
            fy_span one = with_pair(earned, span[a], pair[s * A + a]);
            widen(&all, one.min);
            widen(&all, one.max);
        }
    }
    *min = all.min;
    *max = all.max;
}
