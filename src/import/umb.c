/* umb.c - states, choices and branches of a UMB file, its rewards and its labels.
 *
 * A state has choices, a choice is a law: its branches lead to states with probabilities. Rewards
 * of states, choices and branches add up; labels are "atomic propositions". Branches of a choice
 * that lead to one state with different rewards become twins (ends.c). */
#include "import/umb.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------ index */

fy_json fy_umb_parameters(const fy_umb *umb)
{
    fy_json file = fy_json_member(umb->index, "file-data"), tool = fy_json_member(file, "tool");
    bool ours = fy_json_kind_of(tool) == FY_JSON_TEXT && strcmp(fy_json_text(tool), "Foray") == 0;
    return ours ? fy_json_member(file, "parameters") : (fy_json){0};
}

static foray_status read_size(fy_umb *umb, const char *key, int64_t *out)
{
    foray_status status = fy_document_integer(umb->ctx, umb->system, key, 0, INT32_MAX - 1, out);
    return status == FORAY_OK
               ? status
               : fy_fail_within(umb->ctx, status, "%s: index.json: transition-system",
                                umb->archive.path);
}

/* Discrete time, at most one player, everything observed, with probabilities. */
static foray_status check_system(const fy_umb *umb)
{
    fy_json time = fy_json_member(umb->system, "time");
    fy_json players = fy_json_member(umb->system, "#players");
    fy_json observations = fy_json_member(umb->system, "#observations");
    const char *cause = NULL;
    if (fy_json_kind_of(time) != FY_JSON_TEXT || strcmp(fy_json_text(time), "discrete") != 0)
        cause = "its time is not discrete, and Foray's models go step by step";
    else if (fy_json_kind_of(players) != FY_JSON_INTEGER || fy_json_integer(players) < 0 ||
             fy_json_integer(players) > 1)
        cause = "this is a game of several players";
    else if (fy_json_kind_of(observations) == FY_JSON_INTEGER && fy_json_integer(observations) != 0)
        cause = "this is a POMDP, and Foray's models are observed";
    else if (fy_json_kind_of(fy_json_member(umb->system, "branch-probability-type")) ==
             FY_JSON_ABSENT)
        cause = "it has no probabilities";
    return cause ? fy_fail(umb->ctx, FORAY_ERROR_INPUT, "%s: %s", umb->archive.path, cause)
                 : FORAY_OK;
}

static foray_status read_index(fy_umb *umb)
{
    const fy_member *index = fy_archive_find(&umb->archive, "index.json");
    if (!index)
        return fy_fail(umb->ctx, FORAY_ERROR_INPUT, "%s: no index.json: this is not a UMB file",
                       umb->archive.path);
    if (index->size > FY_DOCUMENT_LIMIT)
        return fy_fail(umb->ctx, FORAY_ERROR_INPUT, "%s: index.json is too large",
                       umb->archive.path);
    foray_status status =
        fy_json_parse(umb->ctx, (const char *)index->data, index->size, "index.json", &umb->tree);
    if (status != FORAY_OK)
        return fy_fail_within(umb->ctx, status, "%s", umb->archive.path);
    umb->index = fy_json_root(&umb->tree);
    umb->system = fy_json_member(umb->index, "transition-system");
    fy_json version = fy_json_member(umb->index, "format-version");
    if (fy_json_kind_of(version) != FY_JSON_INTEGER || fy_json_integer(version) > 1)
        return fy_fail(umb->ctx, FORAY_ERROR_INPUT,
                       "%s: index.json: format-version 0 or 1 is expected", umb->archive.path);
    status = check_system(umb);
    if (status == FORAY_OK)
        status = read_size(umb, "#states", &umb->states);
    if (status == FORAY_OK)
        status = read_size(umb, "#choices", &umb->choices);
    if (status == FORAY_OK)
        status = read_size(umb, "#branches", &umb->branches);
    if (status == FORAY_OK)
        status = read_size(umb, "#choice-actions", &umb->choice_actions);
    if (status == FORAY_OK && umb->states < 1)
        status = fy_fail(umb->ctx, FORAY_ERROR_INPUT, "%s: no states", umb->archive.path);
    return status;
}

/* ---------------------------------------------------------------------------- choices */

/* Words for actions that have none: the number of the word is the action's. */
static foray_status number_actions(fy_umb *umb)
{
    char word[32];
    int32_t number;
    foray_status status = FORAY_OK;
    umb->unnamed_actions = true;
    for (int64_t a = 0; a < umb->choice_actions && status == FORAY_OK; a++) {
        fy_format(word, sizeof word, "%" PRId64, a);
        status = fy_words_number(&umb->prism->table->action_words, word, &number);
    }
    return status;
}

/* The word of each choice: its action's text, or number; "[]" without an action. */
static foray_status read_actions(fy_umb *umb)
{
    fy_prism *prism = umb->prism;
    const fy_member *values;
    fy_umb_texts texts = {0};
    char word[201];
    foray_status status =
        fy_umb_member(umb, "actions/choices/values.bin", umb->choices, 4, &values);
    if (status == FORAY_OK && umb->choice_actions > 0)
        status = fy_umb_texts_open(umb, "actions/choices", umb->choice_actions, &texts);
    if (status == FORAY_OK && !texts.start && umb->choice_actions <= umb->choices)
        status = number_actions(umb);
    for (int64_t c = 0; c < umb->choices && status == FORAY_OK; c++) {
        const uint8_t *at = values ? values->data + 4 * c : (const uint8_t *)"\0\0\0\0";
        int64_t action = at[0] | at[1] << 8 | at[2] << 16 | (int64_t)at[3] << 24;
        if (umb->choice_actions > 0 && action >= umb->choice_actions)
            status = fy_fail(umb->ctx, FORAY_ERROR_INPUT,
                             "%s: choice %" PRId64 " has action %" PRId64 " of %" PRId64,
                             umb->archive.path, c, action, umb->choice_actions);
        else if (texts.start)
            status = fy_umb_text(umb, &texts, action, word);
        else if (umb->choice_actions > 0)
            fy_format(word, sizeof word, "%" PRId64, action);
        else
            word[0] = 0;
        if (status == FORAY_OK)
            status = fy_words_number(&prism->table->action_words, *word ? word : "[]",
                                     &prism->choice_label[c]);
    }
    free(texts.start);
    return status;
}

static foray_status read_choices(fy_umb *umb)
{
    fy_prism *prism = umb->prism;
    foray_status status =
        fy_umb_rows(umb, "state-to-choices.bin", umb->states, umb->choices, &prism->first_choice);
    if (status == FORAY_OK)
        status = fy_umb_rows(umb, "choice-to-branches.bin", umb->choices, umb->branches,
                             &umb->first_branch);
    if (status != FORAY_OK)
        return status;
    for (int64_t c = 0; c < umb->choices; c++)
        if (umb->first_branch[c] == umb->first_branch[c + 1])
            return fy_fail(umb->ctx, FORAY_ERROR_INPUT, "%s: choice %" PRId64 " has no branch",
                           umb->archive.path, c);
    prism->chooses = true;
    prism->choices = umb->choices;
    if (!FY_ALLOC(umb->ctx, prism->choice_label, umb->choices) ||
        !FY_ALLOC(umb->ctx, prism->choice_action, umb->choices))
        return FORAY_ERROR_MEMORY;
    return read_actions(umb);
}

/* ------------------------------------------------------------------------- annotations */

/* "annotations/rewards/r1/choices/values.bin". */
static void name_member(char out[200], const char *group, const char *id, const char *entity)
{
    fy_format(out, 200, "annotations/%.20s/%.90s/%s/values.bin", group, id, entity);
}

static bool applies_to(fy_json annotation, const char *entity)
{
    fy_json list = fy_json_member(annotation, "applies-to");
    for (fy_json item = fy_json_first(list); fy_json_kind_of(item) != FY_JSON_ABSENT;
         item = fy_json_next(list, item))
        if (fy_json_kind_of(item) == FY_JSON_TEXT && strcmp(fy_json_text(item), entity) == 0)
            return true;
    return false;
}

/* A label: a set of states as bits. */
static foray_status read_label(fy_umb *umb, const char *name, const char *member)
{
    const fy_member *bits;
    fy_label *label = fy_transitions_label(umb->prism->table, name);
    if (!label)
        return FORAY_ERROR_MEMORY;
    foray_status status = fy_umb_member(umb, member, fy_umb_words(umb->states), 8, &bits);
    for (int64_t s = 0; s < umb->states && status == FORAY_OK; s++)
        if (fy_umb_bit(bits, s))
            status = fy_label_add(umb->ctx, label, s);
    return status;
}

static foray_status read_ap(fy_umb *umb, const char *id, const char *name, fy_json annotation)
{
    char member[200];
    /* A label of choices or branches says nothing about where one is; "init" was read before. */
    if (!applies_to(annotation, "states") || strcmp(name, "init") == 0)
        return FORAY_OK;
    name_member(member, "aps", id, "states");
    return read_label(umb, name, member);
}

/* Adds the rewards of choices and branches: by the branch, whose number is the row's line. */
static foray_status add_rewards(fy_umb *umb, const char *id, const char *entity, fy_umb_type type,
                                bool of_choices, fy_structure *structure)
{
    char member[200];
    double *value;
    int64_t count = of_choices ? umb->choices : umb->branches;
    if (!FY_ALLOC(umb->ctx, value, count))
        return FORAY_ERROR_MEMORY;
    name_member(member, "rewards", id, entity);
    foray_status status = fy_umb_reals(umb, member, type, count, value);
    if (status == FORAY_OK && !structure->row &&
        !FY_ALLOC(umb->ctx, structure->row, umb->branches + 1))
        status = FORAY_ERROR_MEMORY;
    for (int64_t c = 0; c < umb->choices && status == FORAY_OK; c++)
        for (int64_t b = umb->first_branch[c]; b < umb->first_branch[c + 1]; b++)
            structure->row[b + 1] += value[of_choices ? c : b];
    free(value);
    return status;
}

static foray_status read_reward(fy_umb *umb, const char *id, const char *name, fy_json annotation)
{
    char what[120];
    fy_umb_type type;
    fy_format(what, sizeof what, "reward %.100s", name);
    foray_status status = fy_umb_real_type(umb, fy_json_member(annotation, "type"), what, &type);
    if (status != FORAY_OK)
        return status;
    if (fy_json_kind_of(fy_json_member(annotation, "probability-type")) != FY_JSON_ABSENT)
        return fy_fail(umb->ctx, FORAY_ERROR_INPUT, "%s: %s is random, which is not read",
                       umb->archive.path, what);
    fy_structure *structure = fy_transitions_structure(umb->prism->table, name);
    if (!structure)
        return FORAY_ERROR_MEMORY;
    if (applies_to(annotation, "states")) {
        char member[200];
        name_member(member, "rewards", id, "states");
        status = FY_ALLOC(umb->ctx, structure->state, umb->states)
                     ? fy_umb_reals(umb, member, type, umb->states, structure->state)
                     : FORAY_ERROR_MEMORY;
    }
    if (status == FORAY_OK && applies_to(annotation, "choices"))
        status = add_rewards(umb, id, "choices", type, true, structure);
    if (status == FORAY_OK && applies_to(annotation, "branches"))
        status = add_rewards(umb, id, "branches", type, false, structure);
    return status;
}

/* The annotations of a group, by their aliases. */
static foray_status read_group(fy_umb *umb, const char *group)
{
    bool rewards = strcmp(group, "rewards") == 0;
    fy_json all = fy_json_member(fy_json_member(umb->index, "annotations"), group);
    if (fy_json_kind_of(all) != FY_JSON_OBJECT)
        return FORAY_OK;
    foray_status status = FORAY_OK;
    const fy_transitions *table = umb->prism->table;
    for (fy_json key = fy_json_first(all), next; fy_json_kind_of(key) != FY_JSON_ABSENT;
         key = fy_json_next(all, next)) {
        next = fy_json_next(all, key);
        fy_json alias = fy_json_member(next, "alias");
        const char *id = fy_json_text(key);
        const char *name = fy_json_kind_of(alias) == FY_JSON_TEXT ? fy_json_text(alias) : id;
        int64_t before = rewards ? table->structures : table->labels;
        if (strlen(name) > 200 || strlen(id) > 90)
            return fy_fail(umb->ctx, FORAY_ERROR_INPUT, "%s: a name in %s is too long",
                           umb->archive.path, group);
        status = rewards ? read_reward(umb, id, name, next) : read_ap(umb, id, name, next);
        if (status != FORAY_OK)
            return status;
        if (rewards && table->structures == before)
            return fy_fail(umb->ctx, FORAY_ERROR_INPUT, "%s: two rewards are called '%.100s'",
                           umb->archive.path, name);
    }
    return status;
}

/* What files of our own say among their parameters: [[state, probability], ...]. */
static foray_status read_initial_law(fy_umb *umb)
{
    fy_transitions *table = umb->prism->table;
    fy_json list = fy_json_member(fy_umb_parameters(umb), "initial");
    if (fy_json_kind_of(list) != FY_JSON_ARRAY)
        return FORAY_OK;
    if (!FY_ALLOC(umb->ctx, table->begins, umb->states))
        return FORAY_ERROR_MEMORY;
    for (fy_json item = fy_json_first(list); fy_json_kind_of(item) != FY_JSON_ABSENT;
         item = fy_json_next(list, item)) {
        fy_json state = fy_json_item(item, 0), probability = fy_json_item(item, 1);
        if (fy_json_kind_of(state) != FY_JSON_INTEGER || !fy_json_is_number(probability) ||
            fy_json_integer(state) < 0 || fy_json_integer(state) >= umb->states)
            return fy_fail(umb->ctx, FORAY_ERROR_INPUT,
                           "%s: index.json: file-data: parameters: initial: not a list of "
                           "[state, probability]",
                           umb->archive.path);
        table->begins[fy_json_integer(state)] += fy_json_real(probability);
    }
    return FORAY_OK;
}

/* ------------------------------------------------------------------------------- rows */

/* Branches of a choice that lead to one state earn the same, or get a number each. */
static void number_reward(const fy_transitions *table, fy_transition *choice, int64_t k)
{
    fy_transition *row = choice + k;
    for (int64_t j = k - 1; j >= 0; j--) {
        const fy_transition *other = choice + j;
        bool same = other->next == row->next;
        for (int64_t i = 0; i < table->structures && same; i++) {
            const double *value = table->structure[i].row;
            same = !value || value[row->line] == value[other->line];
        }
        if (same) {
            row->reward = other->reward;
            return;
        }
        if (other->next == row->next && other->reward >= row->reward)
            row->reward = other->reward + 1;
    }
}

/* Each branch is a row; its "line" is its number, from 1. The choice, counted within its state,
 * stands for the action until fy_prism_choose_actions has seen all of them. */
static foray_status read_choice(fy_umb *umb, int64_t state, int64_t choice, const fy_member *target,
                                const double *probability)
{
    fy_transitions *table = umb->prism->table;
    int64_t first = table->rows.count;
    for (int64_t b = umb->first_branch[choice]; b < umb->first_branch[choice + 1]; b++) {
        uint64_t next = fy_umb_u64(target->data, b);
        if (next >= (uint64_t)umb->states || !(probability[b] >= 0 && probability[b] <= 1))
            return fy_fail(umb->ctx, FORAY_ERROR_INPUT,
                           "%s: branch %" PRId64 " leads to state %" PRIu64
                           " with probability %.9g",
                           umb->archive.path, b, next, probability[b]);
        fy_transition row = {.state = (int32_t)state,
                             .action = (int32_t)(choice - umb->prism->first_choice[state]),
                             .next = (int32_t)next,
                             .probability = probability[b],
                             .line = b + 1};
        foray_status status = fy_row_list_add(&table->rows, &row);
        if (status != FORAY_OK)
            return status;
        number_reward(table, table->rows.row + first, table->rows.count - 1 - first);
    }
    return FORAY_OK;
}

static foray_status read_choices_of_all(fy_umb *umb, const fy_member *target,
                                        const double *probability)
{
    const int64_t *first = umb->prism->first_choice;
    foray_status status = FORAY_OK;
    for (int64_t s = 0; s < umb->states && status == FORAY_OK; s++)
        for (int64_t c = first[s]; c < first[s + 1] && status == FORAY_OK; c++)
            status = read_choice(umb, s, c, target, probability);
    return status;
}

static foray_status read_branches(fy_umb *umb)
{
    fy_transitions *table = umb->prism->table;
    const fy_member *target = NULL;
    double *probability = NULL;
    fy_umb_type type;
    for (int64_t i = 0; i < table->structures; i++)
        table->has_reward = table->has_reward || table->structure[i].row != NULL;
    table->lines = umb->branches;
    foray_status status = fy_umb_real_type(
        umb, fy_json_member(umb->system, "branch-probability-type"), "branch probabilities", &type);
    if (status == FORAY_OK)
        status = fy_umb_member(umb, "branch-to-target.bin", umb->branches, 8, &target);
    if (status == FORAY_OK && !target && umb->branches > 0)
        status = fy_fail(umb->ctx, FORAY_ERROR_INPUT, "%s: branch-to-target.bin is not there",
                         umb->archive.path);
    if (status == FORAY_OK && !FY_ALLOC(umb->ctx, probability, umb->branches))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status = fy_umb_reals(umb, "branch-to-probability.bin", type, umb->branches, probability);
    if (status == FORAY_OK && target)
        status = read_choices_of_all(umb, target, probability);
    free(probability);
    return status;
}

/* -------------------------------------------------------------------------------- all */

static foray_status read_model(fy_umb *umb, const char *path)
{
    foray_status status = fy_archive_read(umb->ctx, path, &umb->archive);
    if (status == FORAY_OK)
        status = read_index(umb);
    if (status == FORAY_OK) {
        umb->prism->table->given = umb->prism->table->states = umb->states;
        umb->prism->table->numbered_states = true;
        status = read_choices(umb);
    }
    if (status == FORAY_OK && fy_archive_find(&umb->archive, "state-is-initial.bin"))
        status = read_label(umb, "init", "state-is-initial.bin");
    if (status == FORAY_OK)
        status = read_group(umb, "rewards");
    if (status == FORAY_OK)
        status = read_group(umb, "aps");
    if (status == FORAY_OK)
        status = read_initial_law(umb);
    if (status == FORAY_OK)
        status = fy_umb_names(umb);
    if (status == FORAY_OK)
        status = read_branches(umb);
    if (status == FORAY_OK)
        status = fy_prism_choose_actions(umb->prism);
    umb->prism->table->numbered_actions |= umb->unnamed_actions;
    return status;
}

foray_status fy_umb_read(fy_transitions *out)
{
    fy_prism prism = {.ctx = out->ctx, .table = out};
    fy_umb umb = {.ctx = out->ctx, .prism = &prism};
    foray_status status = read_model(&umb, out->path);
    fy_json_free(&umb.tree);
    fy_archive_free(&umb.archive);
    free(umb.first_branch);
    free(prism.first_choice);
    free(prism.choice_label);
    free(prism.choice_action);
    return status;
}
