/* reward_print.c - writing the format "foray-reward". */
#include "base/document.h"
#include "plan/reward.h"

#include <inttypes.h>

/* Entries are made from the tables, so that a reward is printed the same way however it
 * came about. The list is kept short: entries for every step where all steps agree, and
 * for every action where all actions do. */

/* An index, or null for every. */
static void put_index(fy_writer *writer, int64_t index)
{
    if (index < 0)
        fy_print(writer, "null,");
    else
        fy_print(writer, "%" PRId64 ",", index);
}

/* The list of entries as far as it has been printed. */
typedef struct listing {
    fy_writer *writer;
    const foray_reward *reward;
    bool any; /* there is an entry already */
} listing;

/* next -2: the entry is about none. */
static void put_entry(listing *list, int64_t step, int64_t state, int64_t action, int64_t next,
                      double value)
{
    fy_print(list->writer, "%s[", list->any ? "," : "");
    put_index(list->writer, step);
    put_index(list->writer, state);
    put_index(list->writer, action);
    if (next >= -1)
        put_index(list->writer, next);
    fy_document_put_real(list->writer, value);
    fy_print(list->writer, "]");
    list->any = true;
}

/* Do the values of a pair depend on what follows? */
static bool looks_ahead(const foray_reward *reward, const fy_reward_part *part, int64_t pair)
{
    const int64_t *start = reward->model->succ_start;
    for (int64_t i = part->next ? start[pair] : 0; part->next && i < start[pair + 1]; i++)
        if (part->next[i] != 0)
            return true;
    return false;
}

/* Has a pair the values that it has in `base` (NULL: the default)? */
static bool same_values(const foray_reward *reward, const fy_reward_part *part,
                        const fy_reward_part *base, int64_t pair)
{
    bool ahead = looks_ahead(reward, part, pair);
    if (!base || part->pair[pair] != base->pair[pair])
        return !base && !ahead && part->pair[pair] == reward->fallback;
    if (!ahead && !looks_ahead(reward, base, pair))
        return true;
    const int64_t *start = reward->model->succ_start;
    for (int64_t i = start[pair]; i < start[pair + 1]; i++)
        if ((part->next ? part->next[i] : 0) != (base->next ? base->next[i] : 0))
            return false;
    return true;
}

static void put_pair(listing *list, int64_t step, const fy_reward_part *part, int64_t pair)
{
    const foray_model *model = list->reward->model;
    int64_t state = pair / list->reward->actions, action = pair % list->reward->actions;
    if (!looks_ahead(list->reward, part, pair)) {
        put_entry(list, step, state, action, -2, part->pair[pair]);
        return;
    }
    for (int64_t i = model->succ_start[pair]; i < model->succ_start[pair + 1]; i++)
        put_entry(list, step, state, action, model->succ[i], part->next[i]);
}

/* The entries that turn a state's values in `base` (NULL: the default) into those of `part`. */
static void put_state(listing *list, int64_t step, int64_t state, const fy_reward_part *part,
                      const fy_reward_part *base)
{
    const foray_reward *reward = list->reward;
    int64_t different = 0, equal = 0, first = state * reward->actions;
    for (int64_t pair = first; pair < first + reward->actions; pair++) {
        different += !same_values(reward, part, base, pair);
        equal += part->pair[pair] == part->pair[first] && !looks_ahead(reward, part, pair);
    }
    if (different > 0 && equal == reward->actions) {
        put_entry(list, step, state, -1, -2, part->pair[first]);
        return;
    }
    for (int64_t pair = first; pair < first + reward->actions; pair++)
        if (!same_values(reward, part, base, pair) &&
            !(reward->partial && !fy_available(reward->partial, pair)))
            put_pair(list, step, part, pair);
}

static int64_t most_shared(const foray_reward *reward)
{
    int64_t most = 0;
    for (int64_t i = 1; i < reward->tables; i++)
        if (reward->steps_of[i] > reward->steps_of[most])
            most = i;
    return most;
}

/* What turns `base` (NULL: the default) into `part`; rules in their order, after all pairs. */
static void put_table(listing *list, int64_t step, const fy_reward_part *part,
                      const fy_reward_part *base)
{
    const fy_reward_rules *rules = &part->rules;
    for (int64_t s = 0; s < list->reward->states; s++)
        put_state(list, step, s, part, base);
    bool ahead = false; /* before the first about one next state, the pairs have said it */
    for (int64_t i = 0; i < rules->count; i++) {
        const fy_reward_rule *rule = &rules->rule[i];
        bool said = rule->state == FY_RULE_GONE || (rule->next < 0 && !ahead);
        ahead |= !said;
        if (!said)
            put_entry(list, step, rule->state, rule->action, rule->next, rule->value);
    }
}

/* The table of most steps for every step, then what the other steps change of it. */
static void put_entries(fy_writer *writer, const foray_reward *reward)
{
    listing list = {.writer = writer, .reward = reward};
    const fy_reward_part *common = &reward->table[most_shared(reward)];
    put_table(&list, -1, common, NULL);
    for (int64_t t = 0; t < reward->horizon; t++) {
        const fy_reward_part *part = &reward->table[reward->table_of_step[t]];
        bool whole = part->rules.ahead > 0 || common->rules.ahead > 0;
        if (part == common)
            continue;
        if (whole) /* rules for every step hold in this one, too, unless all of it is set */
            put_entry(&list, t, -1, -1, -2, reward->fallback);
        put_table(&list, t, part, whole ? NULL : common);
    }
}

/* ,"reach":[s,...] of the states with this value, if there are any. */
static void put_states(fy_writer *writer, const foray_reward *reward, const char *key, double value)
{
    int64_t count = 0;
    for (int64_t s = 0; s < reward->states; s++)
        if (reward->fixed[s] == value) {
            if (count++ == 0)
                fy_print(writer, ",\"%s\":[%" PRId64, key, s);
            else
                fy_print(writer, ",%" PRId64, s);
        }
    if (count > 0)
        fy_print(writer, "]");
}

/* What is left out where it is as usual. */
static void put_form(fy_writer *writer, const foray_reward *reward)
{
    if (reward->low != 0 || reward->high != 1) {
        fy_print(writer, ",\"range\":[");
        fy_document_put_real(writer, reward->low);
        fy_print(writer, ",");
        fy_document_put_real(writer, reward->high);
        fy_print(writer, "]");
    }
    if (reward->discount != 1) {
        fy_print(writer, ",\"discount\":");
        fy_document_put_real(writer, reward->discount);
    }
    if (reward->minimise)
        fy_print(writer, ",\"optimise\":\"min\"");
}

static void put_reward(fy_writer *writer, const foray_reward *reward)
{
    fy_print(writer, "{\"format\":\"foray-reward\",\"version\":1,\"name\":");
    fy_json_put_text(writer, reward->name);
    put_form(writer, reward);
    if (reward->fixed) {
        put_states(writer, reward, "reach", reward->minimise ? 0 : 1);
        put_states(writer, reward, "avoid", reward->minimise ? 1 : 0);
        fy_print(writer, "}\n");
        return;
    }
    fy_print(writer, ",\"default\":");
    fy_document_put_real(writer, reward->fallback);
    fy_print(writer, ",\"entries\":[");
    put_entries(writer, reward);
    fy_print(writer, "]}\n");
}

foray_status foray_reward_print(foray_context *ctx, const foray_reward *reward, char **out,
                                size_t *size)
{
    fy_writer writer = {.ctx = ctx};
    put_reward(&writer, reward);
    return fy_writer_take(&writer, "a reward", out, size);
}
