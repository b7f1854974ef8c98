/* umb.c - a model in the unified Markov binary format (github.com/pmc-tools/umb), version 1.
 *
 * States, choices (the pairs (s,a) that exist) and branches (their transitions) in the model's own
 * order; actions are named. What the format does not know, or what not all of its readers read,
 * stands among the parameters of index.json, where every reader leaves it alone: the horizon, the
 * initial law (all its states are "initial"), names of states. */
#include "export/export.h"
#include "base/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct sizes {
    int64_t choices, branches;
} sizes;

static sizes count_all(const fy_export *e)
{
    sizes n = {0};
    for (int64_t pair = 0; pair < e->model->pairs; pair++)
        if (fy_export_has(e, pair)) {
            n.choices++;
            n.branches += e->model->succ_start[pair + 1] - e->model->succ_start[pair];
        }
    return n;
}

static bool has_state_names(const fy_export *e)
{
    for (int64_t s = 0; e->model->state_names && s < e->model->states; s++)
        if (e->model->state_names[s])
            return true;
    return false;
}

/* ------------------------------------------------------------------------------ index */

/* What only we read again. */
static void print_parameters(const fy_export *e, fy_writer *out)
{
    const foray_model *model = e->model;
    bool names = has_state_names(e);
    fy_print(out, "{\"horizon\":%" PRId64 ",\"initial\":[", model->horizon);
    for (int64_t i = 0; i < model->initials; i++) {
        fy_print(out, "%s[%" PRId32 ",", i > 0 ? "," : "", model->initial_state[i]);
        fy_document_put_real(out, model->initial_probability[i]);
        fy_print(out, "]");
    }
    fy_print(out, "]");
    if (!e->probability) {
        fy_print(out, ",\"delta\":");
        fy_document_put_real(out, e->what->delta);
    }
    for (int64_t s = 0; names && s < model->states; s++) {
        fy_print(out, "%s", s > 0 ? "," : ",\n\"state-names\":[");
        fy_json_put_text(out, model->state_names[s] ? model->state_names[s] : "");
    }
    fy_print(out, "%s", names ? "]}" : "}");
}

static void print_about(const fy_export *e, fy_writer *out)
{
    fy_print(out, "{\n\"format-version\":1,\"format-revision\":0,\n\"model-data\":{\"name\":");
    fy_json_put_text(out, e->model->name);
    if (e->what->about) {
        fy_print(out, ",\"description\":");
        fy_json_put_text(out, e->what->about);
    }
    fy_print(out, "},\n\"file-data\":{\"tool\":\"Foray\",\"tool-version\":\"%s\",\n\"parameters\":",
             foray_version());
    print_parameters(e, out);
    fy_print(out, "},\n");
}

static void print_index(const fy_export *e, fy_writer *out)
{
    sizes n = count_all(e);
    print_about(e, out);
    fy_print(out,
             "\"transition-system\":{\"time\":\"discrete\",\"#players\":1,\"#states\":%" PRId64
             ",\"#initial-states\":%" PRId64 ",\"#choices\":%" PRId64
             ",\n\"#choice-actions\":%" PRId64 ",\"#branches\":%" PRId64
             ",\"#branch-actions\":0,\"#observations\":0,\n\"branch-probability-type\":",
             e->model->states, e->model->initials, n.choices, e->model->actions, n.branches);
    fy_print(out, e->probability ? "{\"type\":\"double\",\"size\":64}},\n"
                                 : "{\"type\":\"double-interval\",\"size\":128}},\n");
    fy_export_index_rewards(e, out);
    /* JSON has no comma behind the last. */
    while (out->size > 0 && (out->data[out->size - 1] == '\n' || out->data[out->size - 1] == ','))
        out->size--;
    fy_print(out, "\n}\n");
}

/* ------------------------------------------------------------------------------ arrays */

static void add_choices(const fy_export *e, fy_writer *tar)
{
    const foray_model *model = e->model;
    fy_writer states = {.ctx = e->ctx}, choices = {.ctx = e->ctx};
    uint64_t choice = 0, branch = 0;
    fy_write_u64(&states, 0);
    fy_write_u64(&choices, 0);
    for (int64_t pair = 0; pair < model->pairs; pair++) {
        if (fy_export_has(e, pair)) {
            choice++;
            branch += (uint64_t)(model->succ_start[pair + 1] - model->succ_start[pair]);
            fy_write_u64(&choices, branch);
        }
        if ((pair + 1) % model->actions == 0)
            fy_write_u64(&states, choice);
    }
    fy_tar_add_writer(tar, "state-to-choices.bin", &states);
    fy_tar_add_writer(tar, "choice-to-branches.bin", &choices);
}

static void add_branches(const fy_export *e, fy_writer *tar)
{
    const foray_model *model = e->model;
    fy_writer targets = {.ctx = e->ctx}, values = {.ctx = e->ctx};
    for (int64_t pair = 0; pair < model->pairs; pair++)
        for (int64_t j = model->succ_start[pair];
             fy_export_has(e, pair) && j < model->succ_start[pair + 1]; j++) {
            fy_write_u64(&targets, (uint64_t)model->succ[j]);
            fy_write_double(&values, e->probability ? e->probability[j] : e->low[j]);
            if (!e->probability)
                fy_write_double(&values, e->high[j]);
        }
    fy_tar_add_writer(tar, "branch-to-target.bin", &targets);
    fy_tar_add_writer(tar, "branch-to-probability.bin", &values);
}

/* Bit s of a number of 64-bit words. */
static void add_bits(fy_writer *tar, const char *name, const bool *holds, int64_t states)
{
    fy_writer out = {.ctx = tar->ctx};
    for (int64_t s = 0; s < states; s += 64) {
        uint64_t word = 0;
        for (int64_t i = s; i < states && i < s + 64; i++)
            word |= (uint64_t)holds[i] << (i - s);
        fy_write_u64(&out, word);
    }
    fy_tar_add_writer(tar, name, &out);
}

static void add_initial(const fy_export *e, fy_writer *tar)
{
    bool *holds;
    if (!FY_ALLOC(e->ctx, holds, e->model->states)) {
        tar->failed = true;
        return;
    }
    for (int64_t i = 0; i < e->model->initials; i++)
        holds[e->model->initial_state[i]] = true;
    add_bits(tar, "state-is-initial.bin", holds, e->model->states);
    free(holds);
}

/* Texts end to end, and where each begins; one without a name is its number. */
static void add_texts(const fy_export *e, fy_writer *tar, const char *folder, char *const *names,
                      int64_t count)
{
    char path[100], number[24];
    fy_writer at = {.ctx = e->ctx}, text = {.ctx = e->ctx};
    fy_write_u64(&at, 0);
    for (int64_t i = 0; i < count; i++) {
        fy_format(number, sizeof number, "%" PRId64, i);
        const char *name = names && names[i] ? names[i] : number;
        fy_write_bytes(&text, name, strlen(name));
        fy_write_u64(&at, text.size);
    }
    fy_format(path, sizeof path, "%s/string-mapping.bin", folder);
    fy_tar_add_writer(tar, path, &at);
    fy_format(path, sizeof path, "%s/strings.bin", folder);
    fy_tar_add_writer(tar, path, &text);
}

static void add_names(const fy_export *e, fy_writer *tar)
{
    fy_writer values = {.ctx = e->ctx};
    for (int64_t pair = 0; pair < e->model->pairs; pair++) {
        int32_t action = (int32_t)(pair % e->model->actions);
        if (fy_export_has(e, pair))
            fy_write_i32s(&values, &action, 1);
    }
    fy_tar_add_writer(tar, "actions/choices/values.bin", &values);
    if (e->model->action_names)
        add_texts(e, tar, "actions/choices", e->model->action_names, e->model->actions);
}

foray_status fy_export_umb(const fy_export *e, fy_writer *out)
{
    fy_writer index = {.ctx = e->ctx};
    foray_status status = fy_export_check_rewards(e);
    if (status != FORAY_OK)
        return status;
    print_index(e, &index);
    fy_tar_add_writer(out, "index.json", &index);
    add_choices(e, out);
    add_branches(e, out);
    add_initial(e, out);
    add_names(e, out);
    fy_export_rewards(e, out);
    fy_tar_end(out);
    return out->failed ? FORAY_ERROR_MEMORY : FORAY_OK;
}
