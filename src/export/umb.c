/* umb.c - a model in the unified Markov binary format (github.com/pmc-tools/umb), version 1: a tar
 * file of index.json and arrays. */
#include "export/export.h"
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512 };

void fy_tar_add(fy_writer *tar, const char *name, const void *data, size_t size)
{
    static const uint8_t zeros[BLOCK];
    char header[BLOCK] = {0};
    unsigned sum = 0;
    fy_format(header, 100, "%s", name);
    fy_format(header + 100, 8, "0000644");
    fy_format(header + 108, 8, "0000000");
    fy_format(header + 116, 8, "0000000");
    fy_format(header + 124, 12, "%011" PRIo64, (uint64_t)size);
    fy_format(header + 136, 12, "00000000000");
    memset(header + 148, ' ', 8); /* what the sum is counted as */
    header[156] = '0';
    fy_format(header + 257, 6, "ustar");
    header[263] = header[264] = '0'; /* its version */
    for (int i = 0; i < BLOCK; i++)
        sum += (unsigned char)header[i];
    fy_format(header + 148, 8, "%06o", sum);
    fy_write_bytes(tar, header, BLOCK);
    fy_write_bytes(tar, data, size);
    fy_write_bytes(tar, zeros, (BLOCK - size % BLOCK) % BLOCK);
}

/* Adds what `content` holds, and empties it. */
static void add_member(fy_writer *tar, const char *name, fy_writer *content)
{
    if (content->failed)
        tar->failed = true;
    else
        fy_tar_add(tar, name, content->data, content->size);
    free(content->data);
    *content = (fy_writer){.ctx = content->ctx};
}

void fy_tar_end(fy_writer *tar)
{
    static const uint8_t zeros[2 * BLOCK];
    fy_write_bytes(tar, zeros, sizeof zeros);
}

/* ----------------------------------------------------------------- rewards and labels */

/* Rewards of a UMB file: values of branches where they depend on what follows,
 * otherwise of choices; and labels ("aps") of rewards that are the probability of reaching or
 * avoiding states. */

/* A set of states as a label: those that end an episode well, or those that end it badly. */
typedef struct set {
    const foray_reward *reward;
    double worth; /* 1: to be reached; 0: to be avoided */
} set;

static int64_t list_sets(const foray_reward *reward, set out[2])
{
    int64_t count = 0;
    for (int worth = 1; worth >= 0; worth--)
        for (int64_t s = 0; s < reward->states; s++)
            if (reward->fixed[s] == worth) {
                out[count++] = (set){reward, worth};
                break;
            }
    return count;
}

static foray_status check_rewards(const fy_export *e)
{
    for (int64_t i = 0; i < e->what->rewards; i++) {
        const foray_reward *reward = e->what->reward[i];
        foray_status status = fy_reward_check(e->ctx, reward, e->model);
        if (status != FORAY_OK)
            return status;
        if (!reward->fixed && reward->tables > 1)
            return fy_fail(e->ctx, FORAY_ERROR_USAGE,
                           "the reward %s depends on the step, which a UMB file cannot express",
                           reward->name);
    }
    return FORAY_OK;
}

/* "r3":{"alias":NAME,...} */
static void print_annotation(fy_writer *out, const char *comma, const char *letter, int64_t number,
                             const char *name, const char *suffix, const char *rest)
{
    char alias[FORAY_NAME_MAX + 16];
    fy_format(alias, sizeof alias, "%s%s", name, suffix);
    fy_print(out, "%s\n\"%s%" PRId64 "\":{\"alias\":", comma, letter, number);
    fy_json_put_text(out, alias);
    fy_print(out, "%s}", rest);
}

static void print_rewards(const fy_export *e, fy_writer *out)
{
    const char *comma = "";
    for (int64_t i = 0; i < e->what->rewards; i++) {
        const foray_reward *reward = e->what->reward[i];
        if (reward->fixed)
            continue;
        print_annotation(
            out, comma, "r", i, reward->name, "",
            fy_reward_looks_ahead(reward)
                ? ",\"applies-to\":[\"branches\"],\"type\":{\"type\":\"double\",\"size\":64}"
                : ",\"applies-to\":[\"choices\"],\"type\":{\"type\":\"double\",\"size\":64}");
        comma = ",";
    }
}

static void print_labels(const fy_export *e, fy_writer *out)
{
    const char *comma = "";
    set sets[2];
    for (int64_t i = 0; i < e->what->rewards; i++) {
        int64_t count = e->what->reward[i]->fixed ? list_sets(e->what->reward[i], sets) : 0;
        for (int64_t k = 0; k < count; k++) {
            print_annotation(
                out, comma, "l", 2 * i + k, sets[k].reward->name, k == 0 ? "" : " avoid",
                ",\"applies-to\":[\"states\"],\"type\":{\"type\":\"bool\",\"size\":1}");
            comma = ",";
        }
    }
}

static void index_rewards(const fy_export *e, fy_writer *index)
{
    fy_print(index, "\"annotations\":{\"rewards\":{");
    print_rewards(e, index);
    fy_print(index, "},\"aps\":{");
    print_labels(e, index);
    fy_print(index, "}");
    fy_print(index, "},\n");
}

static void add_values(const fy_export *e, const foray_reward *reward, int64_t number,
                       fy_writer *tar)
{
    const foray_model *model = e->model;
    fy_writer out = {.ctx = e->ctx};
    char path[100];
    bool ahead = fy_reward_looks_ahead(reward);
    for (int64_t pair = 0; pair < model->pairs; pair++) {
        int64_t state = pair / model->actions, action = pair % model->actions;
        if (!fy_export_has(e, pair))
            continue;
        if (!ahead)
            fy_write_double(&out, foray_reward_at(reward, 0, state, action));
        for (int64_t j = model->succ_start[pair]; ahead && j < model->succ_start[pair + 1]; j++)
            fy_write_double(&out, foray_reward_next_at(reward, 0, state, action, model->succ[j]));
    }
    fy_format(path, sizeof path, "annotations/rewards/r%" PRId64 "/%s/values.bin", number,
              ahead ? "branches" : "choices");
    add_member(tar, path, &out);
}

static void add_label(const fy_export *e, const set *which, int64_t number, fy_writer *tar)
{
    fy_writer out = {.ctx = e->ctx};
    char path[100];
    for (int64_t s = 0; s < e->model->states; s += 64) {
        uint64_t word = 0;
        for (int64_t i = s; i < e->model->states && i < s + 64; i++)
            word |= (uint64_t)(which->reward->fixed[i] == which->worth) << (i - s);
        fy_write_u64(&out, word);
    }
    fy_format(path, sizeof path, "annotations/aps/l%" PRId64 "/states/values.bin", number);
    add_member(tar, path, &out);
}

static void add_rewards(const fy_export *e, fy_writer *tar)
{
    set sets[2];
    for (int64_t i = 0; i < e->what->rewards; i++) {
        const foray_reward *reward = e->what->reward[i];
        int64_t count = reward->fixed ? list_sets(reward, sets) : 0;
        for (int64_t k = 0; k < count; k++)
            add_label(e, &sets[k], 2 * i + k, tar);
        if (!reward->fixed)
            add_values(e, reward, i, tar);
    }
}

/* -------------------------------------------------------------------------- the model */

/* A model in the unified Markov binary format (github.com/pmc-tools/umb), version 1.
 *
 * States, choices (the pairs (s,a) that exist) and branches (their transitions) in the model's own
 * order; actions are named. What the format does not know, or what not all of its readers read,
 * stands among the parameters of index.json, where every reader leaves it alone: the horizon, the
 * initial law (all its states are "initial"), names of states. */

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
    index_rewards(e, out);
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
    add_member(tar, "state-to-choices.bin", &states);
    add_member(tar, "choice-to-branches.bin", &choices);
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
    add_member(tar, "branch-to-target.bin", &targets);
    add_member(tar, "branch-to-probability.bin", &values);
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
    add_member(tar, name, &out);
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
    add_member(tar, path, &at);
    fy_format(path, sizeof path, "%s/strings.bin", folder);
    add_member(tar, path, &text);
}

static void add_names(const fy_export *e, fy_writer *tar)
{
    fy_writer values = {.ctx = e->ctx};
    for (int64_t pair = 0; pair < e->model->pairs; pair++) {
        int32_t action = (int32_t)(pair % e->model->actions);
        if (fy_export_has(e, pair))
            fy_write_i32s(&values, &action, 1);
    }
    add_member(tar, "actions/choices/values.bin", &values);
    if (e->model->action_names)
        add_texts(e, tar, "actions/choices", e->model->action_names, e->model->actions);
}

foray_status fy_export_umb(const fy_export *e, fy_writer *out)
{
    fy_writer index = {.ctx = e->ctx};
    foray_status status = check_rewards(e);
    if (status != FORAY_OK)
        return status;
    print_index(e, &index);
    add_member(out, "index.json", &index);
    add_choices(e, out);
    add_branches(e, out);
    add_initial(e, out);
    add_names(e, out);
    add_rewards(e, out);
    fy_tar_end(out);
    return out->failed ? FORAY_ERROR_MEMORY : FORAY_OK;
}
