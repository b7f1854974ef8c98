/* json_write.c - a model as JSON text (docs/formats.md), written directly: a tree
 * in memory would be many times the size of the model. */
#include "model/model.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(fy_writer *writer, const char *text)
{
    fy_write_bytes(writer, text, strlen(text));
}

static void put_integer(fy_writer *writer, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    put(writer, text);
}

/* 15 digits where they read back exactly, 17 where not. The sign of -0 needs a
 * fraction, and some locales write another decimal point. */
static void put_number(fy_writer *writer, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", value);
    if (strtod(text, NULL) != value)
        snprintf(text, sizeof text, "%.17g", value);
    if (value == 0 && signbit(value))
        snprintf(text, sizeof text, "-0.0");
    for (char *at = text; *at; at++)
        if (!strchr("0123456789+-e", *at))
            *at = '.';
    put(writer, text);
}

static void put_text(fy_writer *writer, const char *text)
{
    put(writer, "\"");
    for (const char *at = text; *at; at++) {
        char escape[8] = {*at, 0};
        if ((unsigned char)*at < 0x20)
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)*at);
        else if (*at == '"' || *at == '\\')
            snprintf(escape, sizeof escape, "\\%c", *at);
        put(writer, escape);
    }
    put(writer, "\"");
}

/* "[", ",\n " and so on between the items of a list. */
static void put_separator(fy_writer *writer, bool *first, const char *separator)
{
    if (!*first)
        put(writer, separator);
    *first = false;
}

static void put_sizes(fy_writer *writer, const foray_model *model)
{
    const struct {
        const char *key;
        int64_t value;
    } sizes[] = {{"states", model->states},
                 {"actions", model->actions},
                 {"horizon", model->horizon},
                 {"dim", model->dim}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        put(writer, ",\n\"");
        put(writer, sizes[i].key);
        put(writer, "\":");
        put_integer(writer, sizes[i].value);
    }
    put(writer, ",\n\"norm_bound\":");
    put_number(writer, model->norm_bound);
}

static void put_initial(fy_writer *writer, const foray_model *model)
{
    put(writer, ",\n\"initial\":[");
    bool first = true;
    for (int64_t i = 0; i < model->initials; i++) {
        put_separator(writer, &first, ",");
        put(writer, "[");
        put_integer(writer, model->initial_state[i]);
        put(writer, ",");
        put_number(writer, model->initial_probability[i]);
        put(writer, "]");
    }
    put(writer, "]");
}

/* [s,a,next,[[i,value],...]] */
static void put_feature(fy_writer *writer, const foray_model *model, int64_t pair, int64_t j)
{
    int64_t gen = model->gen_start[model->genset[pair]] + j;
    put(writer, "[");
    put_integer(writer, pair / model->actions);
    put(writer, ",");
    put_integer(writer, pair % model->actions);
    put(writer, ",");
    put_integer(writer, model->succ[model->succ_start[pair] + j]);
    put(writer, ",[");
    bool first = true;
    for (int64_t k = model->feat_start[gen]; k < model->feat_start[gen + 1]; k++) {
        put_separator(writer, &first, ",");
        put(writer, "[");
        put_integer(writer, model->feat_index[k]);
        put(writer, ",");
        put_number(writer, model->feat_value[k]);
        put(writer, "]");
    }
    put(writer, "]]");
}

static void put_features(fy_writer *writer, const foray_model *model)
{
    put(writer, ",\n\"features\":[\n");
    bool first = true;
    for (int64_t pair = 0; pair < model->pairs; pair++)
        for (int64_t j = 0; j < model->succ_start[pair + 1] - model->succ_start[pair]; j++) {
            put_separator(writer, &first, ",\n");
            put_feature(writer, model, pair, j);
        }
    put(writer, "]");
}

static void put_theta(fy_writer *writer, const foray_model *model)
{
    put(writer, ",\n\"theta\":[");
    bool first = true;
    for (int64_t i = 0; i < model->dim; i++) {
        put_separator(writer, &first, ",");
        put_number(writer, model->theta[i]);
    }
    put(writer, "]");
}

static void put_names(fy_writer *writer, const char *key, char *const *names, int64_t count)
{
    put(writer, ",\n");
    put_text(writer, key);
    put(writer, ":[");
    bool first = true;
    for (int64_t i = 0; i < count; i++) {
        put_separator(writer, &first, ",");
        if (names[i])
            put_text(writer, names[i]);
        else
            put(writer, "null");
    }
    put(writer, "]");
}

static void put_layout(fy_writer *writer, const foray_model *model)
{
    put(writer, ",\n\"layout\":{\"kind\":\"grid\",\"rows\":");
    put_integer(writer, model->grid_rows);
    put(writer, ",\"cols\":");
    put_integer(writer, model->grid_cols);
    put(writer, ",\"cell\":[");
    bool first = true;
    for (int64_t state = 0; state < model->states; state++) {
        if (model->cell_row[state] < 0)
            continue;
        put_separator(writer, &first, ",");
        put(writer, "[");
        put_integer(writer, state);
        put(writer, ",");
        put_integer(writer, model->cell_row[state]);
        put(writer, ",");
        put_integer(writer, model->cell_col[state]);
        put(writer, "]");
    }
    put(writer, "]}");
}

foray_status fy_model_print_json(foray_context *ctx, const foray_model *model, char **out)
{
    fy_writer writer = {.ctx = ctx};
    put(&writer, "{\"format\":\"foray-model\",\"version\":1,\n\"name\":");
    put_text(&writer, model->name);
    put_sizes(&writer, model);
    put_initial(&writer, model);
    put_features(&writer, model);
    if (model->theta)
        put_theta(&writer, model);
    if (model->state_names)
        put_names(&writer, "state_names", model->state_names, model->states);
    if (model->action_names)
        put_names(&writer, "action_names", model->action_names, model->actions);
    if (model->cell_row)
        put_layout(&writer, model);
    put(&writer, "}\n");
    fy_write_bytes(&writer, "", 1);
    if (writer.failed) {
        free(writer.data);
        return FORAY_ERROR_MEMORY;
    }
    *out = (char *)writer.data;
    return FORAY_OK;
}
