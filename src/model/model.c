/* model.c - looking at a finished model, and files. */
#include "base/document.h"
#include "model/model.h"
#include "model/basis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---------------------------------------------------------------- release */

static void destroy_names(char **names, int64_t count)
{
    for (int64_t i = 0; names && i < count; i++)
        free(names[i]);
    free(names);
}

void foray_model_destroy(foray_model *model)
{
    if (!model)
        return;
    fy_basis_destroy(model->basis);
    destroy_names(model->state_names, model->states);
    destroy_names(model->action_names, model->actions);
    free(model->name);
    free(model->generator_set);
    free(model->succ_start);
    free(model->succ);
    free(model->gen_start);
    free(model->feat_start);
    free(model->feat_index);
    free(model->feat_value);
    free(model->generator_set_pair);
    free(model->theta);
    free(model->stand_in);
    free(model->existing);
    free(model->pair_start);
    free(model->pair_index);
    free(model->pair_value);
    free(model->initial_state);
    free(model->initial_probability);
    free(model->cell_row);
    free(model->cell_col);
    free(model->absorbing);
    free(model);
}

/* -------------------------------------------------------------- accessors */

bool foray_model_is_open(const foray_model *model)
{
    return model->open;
}

const char *foray_model_name(const foray_model *model)
{
    return model->name;
}

int64_t foray_model_states(const foray_model *model)
{
    return model->states;
}

int64_t foray_model_actions(const foray_model *model)
{
    return model->actions;
}

int64_t foray_model_horizon(const foray_model *model)
{
    return model->horizon;
}

int64_t foray_model_dim(const foray_model *model)
{
    return model->dim;
}

double foray_model_norm_bound(const foray_model *model)
{
    return model->norm_bound;
}

double foray_model_feature_error(const foray_model *model)
{
    return model->feature_error;
}

double foray_model_feature_delta(const foray_model *model)
{
    return model->feature_delta;
}

const double *foray_model_theta(const foray_model *model)
{
    return model->theta;
}

int64_t foray_model_unknowns(const foray_model *model)
{
    if (model->open) /* every law over all states */
        return (model->pairs + (model->initials == 0)) * (model->states - 1);
    return model->basis ? model->basis->unknowns : -1;
}

bool foray_model_available(const foray_model *model, int64_t state, int64_t action)
{
    return fy_available(model, state * model->actions + action);
}

int64_t fy_actions_of(const foray_model *model, int64_t state)
{
    int64_t count = 0;
    for (int64_t a = 0; model->stand_in && a < model->actions; a++)
        count += fy_available(model, state * model->actions + a);
    return model->stand_in ? count : model->actions;
}

int64_t fy_nth_action(const foray_model *model, int64_t state, int64_t k)
{
    int64_t a = model->stand_in ? fy_first_action(model, state) : k;
    for (; model->stand_in && k > 0; k--)
        do
            a++;
        while (!fy_available(model, state * model->actions + a));
    return a;
}

int64_t foray_model_successors(const foray_model *model, int64_t state, int64_t action,
                               const int32_t **next)
{
    int64_t pair = state * model->actions + action;
    if (!fy_available(model, pair))
        return 0;
    *next = model->succ + model->succ_start[pair];
    return model->succ_start[pair + 1] - model->succ_start[pair];
}

double fy_generator_probability(const foray_model *model, const double *theta, int64_t gen)
{
    double p = 0;
    for (int64_t k = model->feat_start[gen]; k < model->feat_start[gen + 1]; k++)
        p += model->feat_value[k] * theta[model->feat_index[k]];
    return p;
}

double foray_model_probability(const foray_model *model, const double *theta, int64_t state,
                               int64_t action, int64_t j)
{
    int64_t generator_set = model->generator_set[state * model->actions + action];
    return fy_generator_probability(model, theta, model->gen_start[generator_set] + j);
}

void fy_generator_set_probabilities(const foray_model *model, const double *theta,
                                    int64_t generator_set, double *out)
{
    for (int64_t gen = model->gen_start[generator_set]; gen < model->gen_start[generator_set + 1];
         gen++)
        *out++ = fy_generator_probability(model, theta, gen);
}

int64_t fy_model_find(const foray_model *model, int64_t pair, int64_t next)
{
    if (model->open)
        return next;
    const int32_t *succ = model->succ + model->succ_start[pair];
    int64_t n = model->succ_start[pair + 1] - model->succ_start[pair];
    for (int64_t j = 0; j < n; j++)
        if (succ[j] == next)
            return j;
    return -1;
}

/* Initial states ascend: half of those left are out of the question at each look. */
int64_t fy_model_find_initial(const foray_model *model, int64_t state)
{
    int64_t low = 0, high = model->initials;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (model->initial_state[middle] < state)
            low = middle + 1;
        else
            high = middle;
    }
    return low < model->initials && model->initial_state[low] == state ? low : -1;
}

bool fy_model_may_start(const foray_model *model, int64_t state)
{
    if (model->open && model->initials == 0)
        return state >= 0 && state < model->states;
    return fy_model_find_initial(model, state) >= 0;
}

int64_t foray_model_initial(const foray_model *model, const int32_t **state,
                            const double **probability)
{
    *state = model->initial_state;
    *probability = model->initial_probability;
    return model->initials;
}

const char *foray_model_state_name(const foray_model *model, int64_t state)
{
    return model->state_names ? model->state_names[state] : NULL;
}

const char *foray_model_action_name(const foray_model *model, int64_t action)
{
    return model->action_names ? model->action_names[action] : NULL;
}

bool foray_model_grid(const foray_model *model, int64_t *rows, int64_t *cols)
{
    if (!model->cell_row)
        return false;
    *rows = model->grid_rows;
    *cols = model->grid_cols;
    return true;
}

bool foray_model_cell(const foray_model *model, int64_t state, int64_t *row, int64_t *col)
{
    if (!model->cell_row || model->cell_row[state] < 0)
        return false;
    *row = model->cell_row[state];
    *col = model->cell_col[state];
    return true;
}

/* ------------------------------------------------------------------ files */

/* Does a regular file begin like a compact model? Pipes are not touched: what was
 * read from them could not be read again. */
static bool file_is_compact(const char *path)
{
    struct stat facts;
    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode))
        return false;
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    uint8_t start[FY_MODEL_MAGIC_SIZE];
    bool compact = fread(start, 1, sizeof start, file) == sizeof start &&
                   fy_model_is_compact(start, sizeof start);
    fclose(file);
    return compact;
}

foray_status foray_model_parse(foray_context *ctx, const void *data, size_t size, const char *where,
                               foray_model **out)
{
    const char *kind = fy_kind_of(data, size);
    if (kind && strcmp(kind, "a model") != 0)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: this is %s, but a model is expected", where,
                       kind);
    return fy_model_is_compact(data, size) ? fy_model_parse_compact(ctx, data, size, where, out)
                                           : fy_model_parse_json(ctx, data, size, where, out);
}

foray_status foray_model_load(foray_context *ctx, const char *path, foray_model **out)
{
    uint8_t *data;
    size_t size;
    if (file_is_compact(path))
        return fy_model_load_compact(ctx, path, out);
    foray_status status = fy_file_expect(ctx, path, "a model");
    if (status != FORAY_OK)
        return status;
    status = fy_file_read(ctx, path, FY_DOCUMENT_LIMIT, &data, &size);
    if (status == FORAY_ERROR_INPUT)
        return fy_fail(ctx, status,
                       "%s: more than %zu MiB of what should be JSON; store large models in the "
                       "compact format (foray model convert)",
                       path, FY_DOCUMENT_LIMIT >> 20);
    if (status != FORAY_OK)
        return status;
    status = foray_model_parse(ctx, data, size, path, out);
    free(data);
    return status;
}

/* What cannot be read back is not written. */
foray_status foray_model_print(foray_context *ctx, const foray_model *model,
                               foray_model_format format, char **out, size_t *size)
{
    char *text;
    size_t length;
    if (format != FORAY_MODEL_JSON && format != FORAY_MODEL_COMPACT)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%d is not a format of models", (int)format);
    foray_status status = format == FORAY_MODEL_JSON || model->open
                              ? fy_model_print_json(ctx, model, &text, &length)
                              : fy_model_print_compact(ctx, model, &text, &length);
    if (status != FORAY_OK)
        return status;
    if (format == FORAY_MODEL_JSON && length > FY_DOCUMENT_LIMIT) {
        free(text);
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "this model takes %zu MiB as JSON, more than the %zu MiB that are read "
                       "back; use the compact format",
                       length >> 20, FY_DOCUMENT_LIMIT >> 20);
    }
    *out = text;
    if (size != NULL)
        *size = length;
    return FORAY_OK;
}

static void send_to_file(void *file, const void *data, size_t size)
{
    foray_file_add(file, data, size);
}

foray_status foray_model_write(foray_context *ctx, const foray_model *model,
                               foray_model_format format, foray_file *file)
{
    char *text;
    size_t size;
    if (format == FORAY_MODEL_COMPACT && !model->open) {
        fy_writer writer = {.ctx = ctx, .send = send_to_file, .sink = file};
        fy_model_write_compact(model, &writer);
        fy_writer_flush(&writer);
        free(writer.data);
        return writer.failed ? FORAY_ERROR_MEMORY : FORAY_OK;
    }
    foray_status status = foray_model_print(ctx, model, format, &text, &size);
    if (status == FORAY_OK) {
        foray_file_add(file, text, size);
        free(text);
    }
    return status;
}

foray_status foray_model_save(foray_context *ctx, const foray_model *model,
                              foray_model_format format, const char *path)
{
    foray_file *file;
    foray_status status = foray_file_create(ctx, path, true, &file);
    if (status != FORAY_OK)
        return status;
    status = foray_model_write(ctx, model, format, file);
    if (status == FORAY_OK)
        return foray_file_finish(file);
    foray_file_abandon(file);
    return fy_fail_within(ctx, status, "%s", path);
}
