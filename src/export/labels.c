/* labels.c - rewards of a UMB file: values of branches where they depend on what follows,
 * otherwise of choices; and labels ("aps") of rewards that are the probability of reaching or
 * avoiding states. */
#include "base/json.h"
#include "export/export.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

foray_status fy_export_check_rewards(const fy_export *e)
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

void fy_export_index_rewards(const fy_export *e, fy_writer *index)
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
    fy_tar_add_writer(tar, path, &out);
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
    fy_tar_add_writer(tar, path, &out);
}

void fy_export_rewards(const fy_export *e, fy_writer *tar)
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
