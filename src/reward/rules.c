/* rules.c - what rewards of unstructured models say about next states. */
#include "base/base.h"
#include "reward/reward.h"

#include <stdlib.h>

enum { FIRST_ROOM = 16, FORMS = 8 };

/* Which of the three are named. */
static int form_of(fy_reward_rule rule)
{
    return (rule.state >= 0) | (rule.action >= 0) << 1 | (rule.next >= 0) << 2;
}

static bool same_subject(fy_reward_rule a, fy_reward_rule b)
{
    return a.state == b.state && a.action == b.action && a.next == b.next;
}

static uint64_t hash_rule(fy_reward_rule rule)
{
    const int32_t about[] = {rule.state, rule.action, rule.next};
    return fy_hash(about, sizeof about, 0);
}

/* The rule about the same, or -1; *at: its place in the index, or where it goes. */
static int64_t find_rule(const fy_reward_rules *rules, fy_reward_rule rule, uint64_t *at)
{
    int64_t found;
    for (*at = fy_index_start(hash_rule(rule)); (found = fy_index_at(&rules->index, *at)) >= 0;
         ++*at)
        if (same_subject(rules->rule[found], rule))
            break;
    return found;
}

/* Twice the room. Those that are gone go, and the others keep their order. */
static foray_status grow(foray_context *ctx, fy_reward_rules *rules)
{
    int64_t room = rules->room > 0 ? 2 * rules->room : FIRST_ROOM, kept = 0;
    void *grown = fy_resize(ctx, rules->rule, (size_t)room, sizeof *rules->rule);
    if (!grown)
        return FORAY_ERROR_MEMORY;
    rules->rule = grown;
    if (!fy_index_create(ctx, &rules->index, room))
        return FORAY_ERROR_MEMORY;
    rules->room = room;
    for (int64_t i = 0; i < rules->count; i++) {
        if (rules->rule[i].state == FY_RULE_GONE)
            continue;
        rules->rule[kept] = rules->rule[i];
        fy_index_add(&rules->index, hash_rule(rules->rule[kept]), kept);
        kept++;
    }
    rules->count = kept;
    return FORAY_OK;
}

foray_status fy_reward_rules_add(foray_context *ctx, fy_reward_rules *rules, fy_reward_rule rule)
{
    foray_status status = FORAY_OK;
    if (rules->count == rules->room && rules->room > INT32_MAX / 4)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "there are too many values of next states");
    if (rules->count == rules->room && (status = grow(ctx, rules)) < 0)
        return status;
    uint64_t at;
    int64_t old = find_rule(rules, rule, &at);
    if (old >= 0) { /* its place in the index stays: what it is about is the same */
        fy_reward_rule *before = &rules->rule[old];
        if (old == rules->count - 1) {
            before->value = rule.value;
            return FORAY_OK;
        }
        rules->ahead -= before->next >= 0;
        before->state = FY_RULE_GONE;
    }
    fy_index_put(&rules->index, at, rules->count);
    rules->rule[rules->count++] = rule;
    rules->ahead += rule.next >= 0;
    rules->forms |= 1u << form_of(rule);
    return FORAY_OK;
}

void fy_reward_rules_clear(fy_reward_rules *rules)
{
    free(rules->rule);
    fy_index_free(&rules->index);
    *rules = (fy_reward_rules){0};
}

foray_status fy_reward_rules_copy(foray_context *ctx, const fy_reward_rules *from,
                                  fy_reward_rules *to)
{
    foray_status status = FORAY_OK;
    *to = (fy_reward_rules){0};
    for (int64_t i = 0; i < from->count && status == FORAY_OK; i++)
        if (from->rule[i].state != FY_RULE_GONE)
            status = fy_reward_rules_add(ctx, to, from->rule[i]);
    if (status != FORAY_OK)
        fy_reward_rules_clear(to);
    return status;
}

/* The next one that is not gone; NULL: none. */
static const fy_reward_rule *following(const fy_reward_rules *rules, int64_t *at)
{
    while (*at < rules->count && rules->rule[*at].state == FY_RULE_GONE)
        (*at)++;
    return *at < rules->count ? &rules->rule[(*at)++] : NULL;
}

uint64_t fy_reward_rules_hash(const fy_reward_rules *rules, uint64_t hash)
{
    int64_t i = 0;
    for (const fy_reward_rule *rule; (rule = following(rules, &i));) {
        const int32_t about[] = {rule->state, rule->action, rule->next};
        hash = fy_hash(about, sizeof about, hash);
        hash = fy_hash(&rule->value, sizeof rule->value, hash);
    }
    return hash;
}

const fy_reward_rule *fy_reward_rules_find(const fy_reward_rules *rules, int64_t state,
                                           int64_t action, int64_t next)
{
    int64_t last = -1;
    uint64_t at;
    for (int form = 0; form < FORMS; form++) {
        if (!(rules->forms & 1u << form))
            continue;
        const fy_reward_rule wanted = {.state = form & 1 ? (int32_t)state : -1,
                                       .action = form & 2 ? (int32_t)action : -1,
                                       .next = form & 4 ? (int32_t)next : -1};
        int64_t found = find_rule(rules, wanted, &at);
        last = found > last ? found : last;
    }
    return last >= 0 && rules->rule[last].next >= 0 ? &rules->rule[last] : NULL;
}
