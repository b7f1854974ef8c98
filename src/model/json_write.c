/* json_write.c - a model as JSON text (docs/formats.md), written directly: a tree
 * in memory would be many times the size of the model. */
#include "base/document.h"
#include "model/model.h"

#include <inttypes.h>
#include <stdlib.h>

/* Nothing before the first item of a list, a comma before each other one. */
static const char *comma(bool *first)
{
    bool was_first = *first;
    *first = false;
    return was_first ? "" : ",";
}

static void put_sizes(fy_writer *writer, const foray_model *model)
{
    fy_print(writer, ",\n\"states\":%" PRId64 ",\"actions\":%" PRId64, model->states,
             model->actions);
    fy_print(writer, ",\"horizon\":%" PRId64 ",\"dim\":%" PRId64 ",\"norm_bound\":", model->horizon,
             model->dim);
    fy_document_put_real(writer, model->norm_bound);
    if (model->feature_error > 0) {
        fy_print(writer, ",\"feature_error\":");
        fy_document_put_real(writer, model->feature_error);
    }
    if (model->feature_delta > 0) {
        fy_print(writer, ",\"feature_delta\":");
        fy_document_put_real(writer, model->feature_delta);
    }
    if (model->nonnegative)
        fy_print(writer, ",\"nonnegative\":true");
}

static void put_initial(fy_writer *writer, const foray_model *model)
{
    bool first = true;
    fy_print(writer, ",\n\"initial\":[");
    for (int64_t i = 0; i < model->initials; i++) {
        fy_print(writer, "%s[%d,", comma(&first), model->initial_state[i]);
        fy_document_put_real(writer, model->initial_probability[i]);
        fy_print(writer, "]");
    }
    fy_print(writer, "]");
}

/* [[s,[a,...]],...] of the states that lack an action. */
static void put_available(fy_writer *writer, const foray_model *model)
{
    bool first = true;
    fy_print(writer, ",\n\"available\":[");
    for (int64_t s = 0; s < model->states; s++) {
        bool first_action = true;
        if (fy_actions_of(model, s) == model->actions)
            continue;
        fy_print(writer, "%s[%" PRId64 ",[", comma(&first), s);
        for (int64_t a = 0; a < model->actions; a++)
            if (fy_available(model, s * model->actions + a))
                fy_print(writer, "%s%" PRId64, comma(&first_action), a);
        fy_print(writer, "]]");
    }
    fy_print(writer, "]");
}

/* [s,a,next,[[i,value],...]] */
static void put_feature(fy_writer *writer, const foray_model *model, int64_t pair, int64_t j)
{
    bool first = true;
    int64_t gen = model->gen_start[model->generator_set[pair]] + j;
    fy_print(writer, "[%" PRId64 ",%" PRId64 ",%d,[", (pair / model->actions),
             (pair % model->actions), model->succ[model->succ_start[pair] + j]);
    for (int64_t k = model->feat_start[gen]; k < model->feat_start[gen + 1]; k++) {
        fy_print(writer, "%s[%d,", comma(&first), model->feat_index[k]);
        fy_document_put_real(writer, model->feat_value[k]);
        fy_print(writer, "]");
    }
    fy_print(writer, "]]");
}

static void put_features(fy_writer *writer, const foray_model *model)
{
    bool first = true;
    fy_print(writer, ",\n\"features\":[");
    for (int64_t k = 0; k < model->available; k++) {
        int64_t pair = fy_existing(model, k);
        for (int64_t j = 0; j < model->succ_start[pair + 1] - model->succ_start[pair]; j++) {
            fy_print(writer, "%s\n", comma(&first));
            put_feature(writer, model, pair, j);
        }
    }
    fy_print(writer, "]");
}

static void put_theta(fy_writer *writer, const foray_model *model)
{
    bool first = true;
    fy_print(writer, ",\n\"theta\":[");
    for (int64_t i = 0; i < model->dim; i++) {
        fy_print(writer, "%s", comma(&first));
        fy_document_put_real(writer, model->theta[i]);
    }
    fy_print(writer, "]");
}

/* {"dim":d,"entries":[[s,a,[[i,value],...]],...]} */
static void put_pair_features(fy_writer *writer, const foray_model *model)
{
    bool first = true;
    fy_print(writer, ",\n\"pair_features\":{\"dim\":%" PRId64 ",\"entries\":[", model->pair_dim);
    for (int64_t i = 0; i < model->available; i++) {
        int64_t pair = fy_existing(model, i);
        bool first_value = true;
        fy_print(writer, "%s\n[%" PRId64 ",%" PRId64 ",[", comma(&first), (pair / model->actions),
                 (pair % model->actions));
        for (int64_t k = model->pair_start[pair]; k < model->pair_start[pair + 1]; k++) {
            fy_print(writer, "%s[%d,", comma(&first_value), model->pair_index[k]);
            fy_document_put_real(writer, model->pair_value[k]);
            fy_print(writer, "]");
        }
        fy_print(writer, "]]");
    }
    fy_print(writer, "]}");
}

static void put_names(fy_writer *writer, const char *key, char *const *names, int64_t count)
{
    bool first = true;
    fy_print(writer, ",\n\"%s\":[", key);
    for (int64_t i = 0; i < count; i++) {
        fy_print(writer, "%s%s", comma(&first), names[i] ? "" : "null");
        if (names[i])
            fy_json_put_text(writer, names[i]);
    }
    fy_print(writer, "]");
}

static void put_layout(fy_writer *writer, const foray_model *model)
{
    bool first = true;
    fy_print(writer,
             ",\n\"layout\":{\"kind\":\"grid\",\"rows\":%" PRId64 ",\"cols\":%" PRId64
             ",\"cell\":[",
             model->grid_rows, model->grid_cols);
    for (int64_t state = 0; state < model->states; state++)
        if (model->cell_row[state] >= 0)
            fy_print(writer, "%s[%" PRId64 ",%d,%d]", comma(&first), state, model->cell_row[state],
                     model->cell_col[state]);
    fy_print(writer, "]}");
}

/* What the states and actions are called, and where the states lie on a map. */
static void put_labels(fy_writer *writer, const foray_model *model)
{
    if (model->state_names)
        put_names(writer, "state_names", model->state_names, model->states);
    if (model->action_names)
        put_names(writer, "action_names", model->action_names, model->actions);
    if (model->cell_row)
        put_layout(writer, model);
}

/* All that there is of an open model, behind its name. */
static void put_open(fy_writer *writer, const foray_model *model)
{
    fy_print(writer, ",\n\"states\":%" PRId64 ",\"actions\":%" PRId64 ",\"horizon\":%" PRId64,
             model->states, model->actions, model->horizon);
    if (model->initials > 0)
        put_initial(writer, model);
    else
        fy_print(writer, ",\n\"initial\":null");
    for (int64_t i = 0; i < model->absorbings; i++)
        fy_print(writer, "%s%" PRId32 "%s", i > 0 ? "," : ",\n\"absorbing\":[", model->absorbing[i],
                 i + 1 < model->absorbings ? "" : "]");
}

static void put_closed(fy_writer *writer, const foray_model *model)
{
    put_sizes(writer, model);
    put_initial(writer, model);
    if (model->stand_in)
        put_available(writer, model);
    put_features(writer, model);
    if (model->theta)
        put_theta(writer, model);
    if (model->pair_dim > 0)
        put_pair_features(writer, model);
}

foray_status fy_model_print_json(foray_context *ctx, const foray_model *model, char **out,
                                 size_t *size)
{
    fy_writer writer = {.ctx = ctx};
    fy_print(&writer, "{\"format\":\"foray-model\",\"version\":%d,\n%s\"name\":",
             model->open || model->stand_in ? 2 : 1, model->open ? "\"kind\":\"open\"," : "");
    fy_json_put_text(&writer, model->name);
    (model->open ? put_open : put_closed)(&writer, model);
    put_labels(&writer, model);
    fy_print(&writer, "}\n");
    return fy_writer_take(&writer, "a model as JSON", out, size);
}
