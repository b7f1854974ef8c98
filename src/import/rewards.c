/* rewards.c - what imported models come with, as reward files.
 *
 * A structure gives r(s,a,s') = (what s earns) + (what the transition earns), in its own unit;
 * written as r(s) or r(s,a) where nothing more is said, because what does not depend on s' is not
 * uncertain. A label gives the probability of getting there. */
#include "base/json.h"
#include "import/import.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a row earns; `structure` NULL: the reward of the table itself. */
static double earned(const fy_transitions *table, const fy_structure *structure,
                     const fy_transition *row)
{
    if (!structure)
        return row->reward;
    int64_t state =
        row->state < table->given ? row->state : table->twin_of[row->state - table->given];
    return (structure->state ? structure->state[state] : 0) +
           (structure->row ? structure->row[row->line] : 0);
}

typedef struct printing {
    fy_transitions *table;
    const fy_structure *structure;
    bool by_pair;
    double usual, low, high; /* what most rows earn, which need not be written; the range */
    int64_t votes;
    fy_row_group group; /* the rows of the state at hand */
    fy_writer text;
    bool any;
} printing;

/* Calls `visit` for the rows of each state. */
static void each_state(printing *p, void visit(printing *p))
{
    p->group = (fy_row_group){0};
    while (fy_row_list_next_state(&p->table->rows, &p->group))
        visit(p);
}

/* By the votes of Boyer and Moore: if most rows earn one thing, this is it. */
static void count_rewards(printing *p)
{
    for (int64_t i = 0; i < p->group.count; i++) {
        double reward = earned(p->table, p->structure, &p->group.row[i]);
        if (p->votes == 0)
            p->usual = reward;
        p->votes += reward == p->usual ? 1 : -1;
        p->low = reward < p->low ? reward : p->low;
        p->high = reward > p->high ? reward : p->high;
    }
}

/* Rows that can happen; where pairs share laws, what has probability 0 might. */
static bool counts(const printing *p, const fy_transition *row)
{
    return !p->by_pair || row->probability > 0;
}

/* Do rows [first, end) earn the same? *out: what. */
static bool all_earn(const printing *p, int64_t first, int64_t end, double *out)
{
    bool any = false;
    for (int64_t i = first; i < end; i++) {
        if (!counts(p, &p->group.row[i]))
            continue;
        double reward = earned(p->table, p->structure, &p->group.row[i]);
        if (any && reward != *out)
            return false;
        *out = reward;
        any = true;
    }
    return any;
}

/* [null,s,a,value], with null for a negative action; next >= 0: [null,s,a,next,value]. */
static void print_entry(printing *p, int64_t state, int64_t action, int64_t next, double value)
{
    if (value == p->usual)
        return;
    fy_print(&p->text, "%s\n[null,%" PRId64 ",", p->any ? "," : "", state);
    if (action < 0)
        fy_print(&p->text, "null,");
    else
        fy_print(&p->text, "%" PRId64 ",", action);
    if (next >= 0)
        fy_print(&p->text, "%" PRId64 ",", next);
    fy_document_put_real(&p->text, value);
    fy_print(&p->text, "]");
    p->any = true;
}

/* The entries of a state. */
static void print_state(printing *p)
{
    const fy_transition *row = p->group.row;
    int64_t end = p->group.count;
    double value = 0;
    if (all_earn(p, 0, end, &value)) {
        print_entry(p, row->state, -1, -1, value);
        return;
    }
    for (int64_t i = 0, j; i < end; i = j) {
        for (j = i; j < end && row[j].action == row[i].action;)
            j++;
        if (all_earn(p, i, j, &value)) {
            print_entry(p, row[i].state, row[i].action, -1, value);
            continue;
        }
        for (int64_t k = i; k < j; k++)
            if (counts(p, &row[k]))
                print_entry(p, row[k].state, row[k].action, row[k].next,
                            earned(p->table, p->structure, &row[k]));
    }
}

static void print_text(printing *p, const char *name)
{
    fy_print(&p->text, "{\"format\":\"foray-reward\",\"version\":1,\"name\":");
    fy_json_put_text(&p->text, name);
    fy_print(&p->text, ",\"range\":[");
    fy_document_put_real(&p->text, p->low);
    fy_print(&p->text, ",");
    fy_document_put_real(&p->text, p->high);
    fy_print(&p->text, "],\"default\":");
    fy_document_put_real(&p->text, p->usual);
    fy_print(&p->text, ",\"entries\":[");
    each_state(p, print_state);
    fy_print(&p->text, "]}\n");
}

static foray_status print_structure(fy_transitions *table, const fy_structure *structure,
                                    const char *name, bool by_pair, char **out)
{
    printing p = {
        .table = table, .structure = structure, .by_pair = by_pair, .text = {.ctx = table->ctx}};
    each_state(&p, count_rewards);
    if (p.low == p.high) /* a reward that is always 0 */
        p.high = 1;
    print_text(&p, name);
    return fy_writer_take(&p.text, "the reward", out, NULL);
}

/* {"reach":[...]}: the states of the label, and the twins of these. */
static foray_status print_label(const fy_transitions *table, const fy_label *label, char **out)
{
    fy_writer text = {.ctx = table->ctx};
    bool *holds;
    const char *comma = "";
    if (!FY_ALLOC(table->ctx, holds, table->given))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < label->count; i++)
        holds[label->state[i]] = true;
    fy_print(&text, "{\"format\":\"foray-reward\",\"version\":1,\"name\":");
    fy_json_put_text(&text, label->name);
    fy_print(&text, ",\"reach\":[");
    for (int64_t s = 0; s < table->states; s++)
        if (holds[s < table->given ? s : table->twin_of[s - table->given]]) {
            fy_print(&text, "%s%" PRId64, comma, s);
            comma = ",";
        }
    fy_print(&text, "]}\n");
    free(holds);
    return fy_writer_take(&text, "the reward", out, NULL);
}

/* ------------------------------------------------------------------------------- all */

/* A name that can be part of a file's, and that none before it has: letters, digits, '_', '-';
 * for the second of a name, "name-2". */
static foray_status add_name(foray_context *ctx, foray_import_rewards *all, const char *name)
{
    size_t length = strlen(name);
    char *own = fy_alloc(ctx, length + 32, 1);
    if (!own)
        return FORAY_ERROR_MEMORY;
    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '_' || c == '-';
        own[i] = plain ? c : '_';
    }
    for (int64_t copy = 1, i = 0; i < all->count; i++)
        if (strcmp(all->name[i], own) == 0) {
            fy_format(own + length, 32, "-%" PRId64, ++copy);
            i = -1; /* the new name may be taken as well */
        }
    all->name[all->count] = own;
    return FORAY_OK;
}

static foray_status add_reward(foray_context *ctx, foray_import_rewards *all, const char *name,
                               char *text)
{
    foray_status status = add_name(ctx, all, name);
    if (status == FORAY_OK)
        all->text[all->count++] = text;
    else
        free(text);
    return status;
}

/* Where episodes begin is part of the model, and deadlocks are an artefact of its making. */
static bool is_wanted(const fy_label *label)
{
    return label->count > 0 && strcmp(label->name, "init") != 0 &&
           strcmp(label->name, "deadlock") != 0;
}

void foray_import_rewards_clear(foray_import_rewards *rewards)
{
    for (int64_t i = 0; i < rewards->count; i++) {
        free(rewards->name[i]);
        free(rewards->text[i]);
    }
    free(rewards->name);
    free(rewards->text);
    *rewards = (foray_import_rewards){0};
}

foray_status fy_transitions_rewards(fy_transitions *table, bool by_pair, foray_import_rewards *out)
{
    foray_import_rewards all = {0};
    foray_context *ctx = table->ctx;
    int64_t max = table->structures + table->labels + 1;
    char *text;
    foray_status status = FORAY_OK;
    if (!FY_ALLOC(ctx, all.name, max) || !FY_ALLOC(ctx, all.text, max))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK && table->structures == 0 && table->has_reward) {
        status = print_structure(table, NULL, "own", by_pair, &text);
        if (status == FORAY_OK)
            status = add_reward(ctx, &all, "own", text);
    }
    for (int64_t i = 0; i < table->structures && status == FORAY_OK; i++) {
        const fy_structure *structure = &table->structure[i];
        status = print_structure(table, structure, structure->name, by_pair, &text);
        if (status == FORAY_OK)
            status = add_reward(ctx, &all, structure->name, text);
    }
    for (int64_t i = 0; i < table->labels && status == FORAY_OK; i++) {
        if (!is_wanted(&table->label[i]))
            continue;
        status = print_label(table, &table->label[i], &text);
        if (status == FORAY_OK)
            status = add_reward(ctx, &all, table->label[i].name, text);
    }
    if (status == FORAY_OK)
        *out = all;
    else
        foray_import_rewards_clear(&all);
    return status;
}
