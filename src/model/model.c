/* model.c - looking at a finished model, comparing two, models of which nothing is known, and
 * files. */
#include "base/json.h"
#include "model/model.h"
#include "model/basis.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---------------------------------------------------------------- release */

/* Constant but for this number, which threads may change at the same time. */
foray_model *foray_model_share(const foray_model *model)
{
    foray_model *shared = (foray_model *)model;
    __atomic_add_fetch(&shared->shares, 1, __ATOMIC_RELAXED);
    return shared;
}

void foray_model_destroy(foray_model *model)
{
    if (!model || __atomic_fetch_sub(&model->shares, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    fy_basis_destroy(model->basis);
    fy_arena_release(&model->arena);
    free(model);
}

/* -------------------------------------------------------------- accessors */

bool foray_model_is_unstructured(const foray_model *model)
{
    return model->unstructured;
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

const double *foray_model_theta(const foray_model *model)
{
    return model->theta;
}

int64_t foray_model_unknowns(const foray_model *model)
{
    if (model->unstructured) /* every law over all states */
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
    if (model->unstructured)
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
    if (model->unstructured && model->initials == 0)
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

/* ------------------------------------------------------------------- equal */

/* A model is laid out in one canonical order, so that equal models have equal arrays. */
static bool same_array(const void *one, const void *other, int64_t count, size_t size)
{
    if (!one || !other)
        return one == other;
    return memcmp(one, other, (size_t)count * size) == 0;
}

static bool same_sizes(const foray_model *a, const foray_model *b)
{
    return a->unstructured == b->unstructured && a->states == b->states &&
           a->actions == b->actions && a->horizon == b->horizon && a->dim == b->dim &&
           a->generator_sets == b->generator_sets && a->initials == b->initials &&
           a->feature_error == b->feature_error && a->feature_delta == b->feature_delta &&
           a->nonnegative == b->nonnegative && a->aggregated == b->aggregated &&
           same_array(&a->norm_bound, &b->norm_bound, 1, sizeof a->norm_bound);
}

static bool same_initial(const foray_model *a, const foray_model *b)
{
    return a->absorbings == b->absorbings &&
           same_array(a->absorbing, b->absorbing, a->absorbings, sizeof *a->absorbing) &&
           same_array(a->initial_state, b->initial_state, a->initials, sizeof *a->initial_state) &&
           same_array(a->initial_probability, b->initial_probability, a->initials,
                      sizeof *a->initial_probability);
}

/* The arrays that say how long the others are come first. */
static bool same_successors(const foray_model *a, const foray_model *b)
{
    return same_array(a->stand_in, b->stand_in, a->pairs, sizeof *a->stand_in) &&
           same_array(a->succ_start, b->succ_start, a->pairs + 1, sizeof *a->succ_start) &&
           same_array(a->succ, b->succ, a->succ_start[a->pairs], sizeof *a->succ) &&
           same_array(a->generator_set, b->generator_set, a->pairs, sizeof *a->generator_set);
}

static bool same_features(const foray_model *a, const foray_model *b)
{
    if (!same_array(a->gen_start, b->gen_start, a->generator_sets + 1, sizeof *a->gen_start))
        return false;
    int64_t generators = a->gen_start[a->generator_sets];
    if (!same_array(a->feat_start, b->feat_start, generators + 1, sizeof *a->feat_start))
        return false;
    int64_t features = a->feat_start[generators];
    return same_array(a->feat_index, b->feat_index, features, sizeof *a->feat_index) &&
           same_array(a->feat_value, b->feat_value, features, sizeof *a->feat_value) &&
           same_array(a->theta, b->theta, a->dim, sizeof *a->theta);
}

static bool same_pair_features(const foray_model *a, const foray_model *b)
{
    if (a->pair_dim != b->pair_dim || a->pair_dim == 0)
        return a->pair_dim == b->pair_dim;
    if (!same_array(a->pair_start, b->pair_start, a->pairs + 1, sizeof *a->pair_start))
        return false;
    int64_t count = a->pair_start[a->pairs];
    return same_array(a->pair_index, b->pair_index, count, sizeof *a->pair_index) &&
           same_array(a->pair_value, b->pair_value, count, sizeof *a->pair_value);
}

bool foray_model_equal(const foray_model *one, const foray_model *other)
{
    return same_sizes(one, other) && same_initial(one, other) && same_successors(one, other) &&
           same_features(one, other) && same_pair_features(one, other);
}

/* ------------------------------------------------------------- unstructured models */

static foray_status check_parts(foray_context *ctx, const fy_unstructured_parts *parts)
{
    double sum = 0, pairs = (double)parts->states * (double)parts->actions;
    if (parts->states < 1 || parts->actions < 1 || parts->horizon < 1)
        return fy_fail(
            ctx, FORAY_ERROR_USAGE,
            "an unstructured model needs its sizes: unstructured:states=S,actions=A,horizon=H");
    if (pairs > FY_UNSTRUCTURED_PAIRS)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "unstructured: %" PRId64 " states and %" PRId64
                       " actions are %.0f pairs, and at most %d are allowed",
                       parts->states, parts->actions, pairs, FY_UNSTRUCTURED_PAIRS);
    for (int64_t i = 0; i < parts->initials; i++) {
        int32_t state = parts->initial_state[i];
        double p = parts->initial_probability[i];
        if (state < 0 || state >= parts->states)
            return fy_fail(ctx, FORAY_ERROR_USAGE,
                           "unstructured: initial=%" PRId32 ", but states are 0 to %" PRId64, state,
                           parts->states - 1);
        if ((i > 0 && state <= parts->initial_state[i - 1]) || !(p > 0))
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "initial: states must ascend and have probabilities above 0");
        sum += p;
    }
    if (parts->initials > 0 && !(fabs(sum - 1) < 1e-9))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "initial: probabilities sum to %.12g, not to 1",
                       sum);
    return FORAY_OK;
}

/* Names as all others are: at most 255 bytes of text. */
static foray_status check_names(foray_context *ctx, const fy_unstructured_parts *parts)
{
    foray_status status = fy_name_check(ctx, parts->name);
    for (int64_t i = 0; parts->state_names && i < parts->states && status == FORAY_OK; i++)
        if (parts->state_names[i])
            status = fy_name_check(ctx, parts->state_names[i]);
    for (int64_t i = 0; parts->action_names && i < parts->actions && status == FORAY_OK; i++)
        if (parts->action_names[i])
            status = fy_name_check(ctx, parts->action_names[i]);
    return status;
}

/* NULL where there is nothing to copy. */
static bool copy_numbers(fy_arena *arena, const int32_t *from, int64_t count, int32_t **out)
{
    if (!from || count == 0)
        return true;
    if (!FY_NEW(arena, *out, count))
        return false;
    memcpy(*out, from, (size_t)count * sizeof **out);
    return true;
}

static bool copy_names(fy_arena *arena, const char *const *from, int64_t count, char ***out)
{
    if (!from)
        return true;
    if (!FY_NEW(arena, *out, count))
        return false;
    for (int64_t i = 0; i < count; i++)
        if (from[i] && !((*out)[i] = fy_arena_text(arena, from[i])))
            return false;
    return true;
}

/* Arrays of no successors, generators and features, for whoever looks at them. */
static bool fill_model(const fy_unstructured_parts *parts, foray_model *model)
{
    fy_arena *arena = &model->arena;
    bool filled = (model->name = fy_arena_text(arena, parts->name)) != NULL &&
                  FY_NEW(arena, model->succ_start, model->pairs + 1) &&
                  FY_NEW(arena, model->generator_set, model->pairs) &&
                  FY_NEW(arena, model->gen_start, 1) && FY_NEW(arena, model->feat_start, 1) &&
                  FY_NEW(arena, model->initial_state, parts->initials) &&
                  FY_NEW(arena, model->initial_probability, parts->initials) &&
                  copy_names(arena, parts->state_names, model->states, &model->state_names) &&
                  copy_names(arena, parts->action_names, model->actions, &model->action_names) &&
                  copy_numbers(arena, parts->absorbing, parts->absorbings, &model->absorbing) &&
                  copy_numbers(arena, parts->cell_row, model->states, &model->cell_row) &&
                  copy_numbers(arena, parts->cell_col, model->states, &model->cell_col);
    for (int64_t i = 0; filled && i < parts->initials; i++) {
        model->initial_state[i] = parts->initial_state[i];
        model->initial_probability[i] = parts->initial_probability[i];
    }
    return filled;
}

foray_status fy_model_unstructured(foray_context *ctx, const fy_unstructured_parts *parts,
                                   foray_model **out)
{
    foray_status status = check_parts(ctx, parts);
    if (status == FORAY_OK)
        status = check_names(ctx, parts);
    foray_model *model;
    if (status != FORAY_OK)
        return status;
    if (!FY_ALLOC(ctx, model, 1))
        return FORAY_ERROR_MEMORY;
    *model = (foray_model){.arena.ctx = ctx,
                           .unstructured = true,
                           .states = parts->states,
                           .actions = parts->actions,
                           .horizon = parts->horizon,
                           .pairs = parts->states * parts->actions,
                           .available = parts->states * parts->actions,
                           .initials = parts->initials,
                           .absorbings = parts->absorbings,
                           .grid_rows = parts->rows,
                           .grid_cols = parts->cols};
    if (!fill_model(parts, model)) {
        foray_model_destroy(model);
        return FORAY_ERROR_MEMORY;
    }
    *out = model;
    return FORAY_OK;
}

foray_status fy_model_need_features(foray_context *ctx, const foray_model *model, const char *what)
{
    if (!model->unstructured)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_USAGE,
                   "%s needs a model of what can follow what, but nothing is known about this one "
                   "except its sizes",
                   what);
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
    foray_status status = format == FORAY_MODEL_JSON || model->unstructured
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
    fy_file_add(file, data, size);
}

foray_status fy_model_write(foray_context *ctx, const foray_model *model, foray_model_format format,
                            fy_file *file)
{
    char *text;
    size_t size;
    if (format == FORAY_MODEL_COMPACT && !model->unstructured) {
        fy_writer writer = {.ctx = ctx, .send = send_to_file, .sink = file};
        fy_model_write_compact(model, NULL, &writer);
        fy_writer_flush(&writer);
        free(writer.data);
        return writer.failed ? FORAY_ERROR_MEMORY : FORAY_OK;
    }
    foray_status status = foray_model_print(ctx, model, format, &text, &size);
    if (status == FORAY_OK) {
        fy_file_add(file, text, size);
        free(text);
    }
    return status;
}

foray_status foray_model_save(foray_context *ctx, const foray_model *model,
                              foray_model_format format, const char *path)
{
    fy_file *file;
    foray_status status = fy_file_create(ctx, path, true, &file);
    if (status != FORAY_OK)
        return status;
    status = fy_model_write(ctx, model, format, file);
    if (status == FORAY_OK)
        return fy_file_finish(file);
    fy_file_abandon(file);
    return fy_fail_within(ctx, status, "%s", path);
}
