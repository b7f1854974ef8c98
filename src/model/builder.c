/* builder.c - models by hand: creating a builder, and what it can be told. */
#include "model/builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- creation */

static foray_status create(foray_context *ctx, enum fy_kind kind, int64_t states, int64_t actions,
                           int64_t horizon, int64_t dim, double norm_bound, foray_builder **out)
{
    foray_status status = fy_model_check_sizes(ctx, states, actions, horizon, dim, norm_bound);
    if (status != FORAY_OK)
        return status;
    foray_builder *builder;
    if (!FY_ALLOC(ctx, builder, 1))
        return FORAY_ERROR_MEMORY;
    builder->ctx = ctx;
    builder->kind = kind;
    builder->states = states;
    builder->actions = actions;
    builder->horizon = horizon;
    builder->dim = dim;
    builder->norm_bound = norm_bound;
    builder->name = fy_text(ctx, "");
    bool has_theta = kind != FY_TABULAR;
    if (!builder->name || (has_theta && !FY_ALLOC(ctx, builder->theta, dim))) {
        foray_builder_destroy(builder);
        return FORAY_ERROR_MEMORY;
    }
    *out = builder;
    return FORAY_OK;
}

foray_status foray_builder_create(foray_context *ctx, int64_t states, int64_t actions,
                                  int64_t horizon, int64_t dim, double norm_bound,
                                  foray_builder **out)
{
    return create(ctx, FY_FEATURES, states, actions, horizon, dim, norm_bound, out);
}

foray_status foray_builder_create_mixture(foray_context *ctx, int64_t states, int64_t actions,
                                          int64_t horizon, int64_t dim, foray_builder **out)
{
    double norm_bound = dim > 0 ? sqrt((double)dim) : 1;
    return create(ctx, FY_MIXTURE, states, actions, horizon, dim, norm_bound, out);
}

/* The dimension of a tabular model is known at the end; until then it is 1. */
foray_status foray_builder_create_tabular(foray_context *ctx, int64_t states, int64_t actions,
                                          int64_t horizon, foray_builder **out)
{
    return create(ctx, FY_TABULAR, states, actions, horizon, 1, 1, out);
}

static foray_status count_outcomes(foray_context *ctx, int64_t classes, const int64_t *outcomes,
                                   int64_t *dim)
{
    *dim = 0;
    for (int64_t c = 0; c < classes; c++) {
        if (outcomes[c] < 1 || outcomes[c] > INT32_MAX - *dim)
            return fy_fail(ctx, FORAY_ERROR_INPUT, "class %lld: %lld outcomes", (long long)c,
                           (long long)outcomes[c]);
        *dim += outcomes[c];
    }
    return FORAY_OK;
}

foray_status foray_builder_create_classes(foray_context *ctx, int64_t states, int64_t actions,
                                          int64_t horizon, int64_t classes, const int64_t *outcomes,
                                          foray_builder **out)
{
    int64_t dim;
    if (classes < 1)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%lld classes: there must be one at least",
                       (long long)classes);
    foray_status status = count_outcomes(ctx, classes, outcomes, &dim);
    if (status != FORAY_OK)
        return status;
    foray_builder *builder;
    status = create(ctx, FY_CLASSES, states, actions, horizon, dim, sqrt((double)dim), &builder);
    if (status != FORAY_OK)
        return status;
    builder->classes = classes;
    if (!FY_ALLOC(ctx, builder->class_start, classes + 1) ||
        !FY_ALLOC(ctx, builder->law_given, classes)) {
        foray_builder_destroy(builder);
        return FORAY_ERROR_MEMORY;
    }
    for (int64_t c = 0; c < classes; c++)
        builder->class_start[c + 1] = builder->class_start[c] + outcomes[c];
    *out = builder;
    return FORAY_OK;
}

static void destroy_names(char **names, int64_t count)
{
    for (int64_t i = 0; names && i < count; i++)
        free(names[i]);
    free(names);
}

void foray_builder_destroy(foray_builder *builder)
{
    if (!builder)
        return;
    destroy_names(builder->state_names, builder->states);
    destroy_names(builder->action_names, builder->actions);
    free(builder->name);
    free(builder->entry);
    free(builder->theta);
    free(builder->class_start);
    free(builder->law_given);
    free(builder->pair_entry);
    free(builder->pair_given);
    free(builder->initial_state);
    free(builder->initial_probability);
    free(builder->cell_row);
    free(builder->cell_col);
    free(builder);
}

/* ------------------------------------------------------------ shared checks */

static foray_status check_kind(foray_builder *builder, enum fy_kind kind, const char *call)
{
    static const char *const names[] = {"given features", "a mixture of simulators",
                                        "outcome classes", "a tabular model"};
    if (builder->kind == kind)
        return FORAY_OK;
    return fy_fail(builder->ctx, FORAY_ERROR_USAGE, "%s is for %s, this builder for %s", call,
                   names[kind], names[builder->kind]);
}

static foray_status check_index(foray_context *ctx, const char *what, int64_t index, int64_t count)
{
    if (index >= 0 && index < count)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "%s %lld, but there are %lld", what, (long long)index,
                   (long long)count);
}

static foray_status check_pair(foray_builder *builder, int64_t state, int64_t action)
{
    foray_status status = check_index(builder->ctx, "state", state, builder->states);
    return status == FORAY_OK ? check_index(builder->ctx, "action", action, builder->actions)
                              : status;
}

static foray_status check_next(foray_builder *builder, int64_t state, int64_t action, int64_t next)
{
    foray_status status = check_index(builder->ctx, "successor", next, builder->states);
    return status == FORAY_OK ? status
                              : fy_fail_within(builder->ctx, status, FY_AT_PAIR, (long long)state,
                                               (long long)action);
}

static foray_status check_transition(foray_builder *builder, int64_t state, int64_t action,
                                     int64_t next)
{
    foray_status status = check_pair(builder, state, action);
    return status == FORAY_OK ? check_next(builder, state, action, next) : status;
}

static foray_status check_probability(foray_context *ctx, double probability)
{
    if (probability >= 0 && probability <= 1)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "%g is not a probability", probability);
}

static foray_status check_law(foray_context *ctx, const double *probability, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        foray_status status = check_probability(ctx, probability[i]);
        if (status != FORAY_OK)
            return status;
        sum += probability[i];
    }
    if (fabs(sum - 1) <= FY_MODEL_TOLERANCE)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "the probabilities sum to %.12g, not to 1", sum);
}

static bool reserve_entries(foray_builder *builder, int64_t more)
{
    fy_entry *entry = fy_grow(builder->ctx, builder->entry, &builder->entry_room,
                              builder->entries + more, sizeof *entry);
    if (entry)
        builder->entry = entry;
    return entry != NULL;
}

static void add_entry(foray_builder *builder, int64_t pair, int64_t next, int64_t coordinate,
                      double value)
{
    builder->entry[builder->entries++] = (fy_entry){.pair = pair,
                                                    .call = builder->calls,
                                                    .next = (int32_t)next,
                                                    .coordinate = (int32_t)coordinate,
                                                    .value = value};
}

/* ---------------------------------------------------------- given features */

static foray_status check_features(foray_builder *builder, int64_t pair, int64_t next,
                                   int64_t count, const int64_t *coordinate, const double *value)
{
    fy_model_parts sizes = {.actions = builder->actions, .dim = builder->dim};
    foray_status status = FORAY_OK;
    if (count < 0)
        status = fy_fail(builder->ctx, FORAY_ERROR_USAGE, "%lld features", (long long)count);
    for (int64_t k = 0; k < count && status == FORAY_OK; k++)
        status = fy_parts_check_feature(builder->ctx, &sizes, pair, next, coordinate[k], value[k]);
    return status;
}

foray_status foray_builder_feature(foray_builder *builder, int64_t state, int64_t action,
                                   int64_t next, int64_t count, const int64_t *coordinate,
                                   const double *value)
{
    foray_status status = check_kind(builder, FY_FEATURES, "foray_builder_feature");
    if (status == FORAY_OK)
        status = check_transition(builder, state, action, next);
    int64_t pair = state * builder->actions + action;
    if (status == FORAY_OK)
        status = check_features(builder, pair, next, count, coordinate, value);
    if (status != FORAY_OK)
        return status;
    if (!reserve_entries(builder, count > 0 ? count : 1))
        return FORAY_ERROR_MEMORY;
    for (int64_t k = 0; k < count; k++)
        add_entry(builder, pair, next, coordinate[k], value[k]);
    if (count == 0)
        add_entry(builder, pair, next, -1, 0);
    builder->calls++;
    return FORAY_OK;
}

foray_status foray_builder_theta(foray_builder *builder, const double *theta)
{
    foray_status status = check_kind(builder, FY_FEATURES, "foray_builder_theta");
    for (int64_t i = 0; i < builder->dim && status == FORAY_OK; i++)
        if (!(fabs(theta[i]) <= FY_MODEL_LARGEST))
            status = fy_fail(builder->ctx, FORAY_ERROR_INPUT,
                             "theta[%lld]: %g is not a usable number", (long long)i, theta[i]);
    if (status != FORAY_OK)
        return status;
    memcpy(builder->theta, theta, (size_t)builder->dim * sizeof *theta);
    builder->theta_given = true;
    return FORAY_OK;
}

/* ----------------------------------------------------------------- mixture */

foray_status foray_builder_simulator(foray_builder *builder, int64_t simulator, int64_t state,
                                     int64_t action, int64_t next, double probability)
{
    foray_status status = check_kind(builder, FY_MIXTURE, "foray_builder_simulator");
    if (status == FORAY_OK)
        status = check_index(builder->ctx, "simulator", simulator, builder->dim);
    if (status == FORAY_OK)
        status = check_transition(builder, state, action, next);
    if (status == FORAY_OK && check_probability(builder->ctx, probability) != FORAY_OK)
        status = fy_fail_within(builder->ctx, FORAY_ERROR_INPUT, FY_AT_PAIR ", simulator %lld",
                                (long long)state, (long long)action, (long long)simulator);
    if (status != FORAY_OK)
        return status;
    if (!reserve_entries(builder, 1))
        return FORAY_ERROR_MEMORY;
    add_entry(builder, state * builder->actions + action, next, simulator, probability);
    builder->calls++;
    return FORAY_OK;
}

foray_status foray_builder_weights(foray_builder *builder, const double *weight)
{
    foray_status status = check_kind(builder, FY_MIXTURE, "foray_builder_weights");
    if (status == FORAY_OK && check_law(builder->ctx, weight, builder->dim) != FORAY_OK)
        status = fy_fail_within(builder->ctx, FORAY_ERROR_INPUT, "weights");
    if (status != FORAY_OK)
        return status;
    for (int64_t i = 0; i < builder->dim; i++)
        builder->theta[i] = sqrt((double)builder->dim) * weight[i];
    builder->theta_given = true;
    return FORAY_OK;
}

/* --------------------------------------------------------- outcome classes */

foray_status foray_builder_outcomes(foray_builder *builder, int64_t state, int64_t action,
                                    int64_t class_index, const int64_t *next)
{
    foray_status status = check_kind(builder, FY_CLASSES, "foray_builder_outcomes");
    if (status == FORAY_OK)
        status = check_pair(builder, state, action);
    if (status == FORAY_OK)
        status = check_index(builder->ctx, "class", class_index, builder->classes);
    if (status != FORAY_OK)
        return status;
    int64_t start = builder->class_start[class_index];
    int64_t count = builder->class_start[class_index + 1] - start;
    for (int64_t o = 0; o < count && status == FORAY_OK; o++)
        status = check_next(builder, state, action, next[o]);
    if (status != FORAY_OK)
        return status;
    if (!reserve_entries(builder, count))
        return FORAY_ERROR_MEMORY;
    for (int64_t o = 0; o < count; o++)
        add_entry(builder, state * builder->actions + action, next[o], start + o,
                  1 / sqrt((double)count));
    builder->calls++;
    return FORAY_OK;
}

foray_status foray_builder_law(foray_builder *builder, int64_t class_index,
                               const double *probability)
{
    foray_status status = check_kind(builder, FY_CLASSES, "foray_builder_law");
    if (status == FORAY_OK)
        status = check_index(builder->ctx, "class", class_index, builder->classes);
    if (status != FORAY_OK)
        return status;
    int64_t start = builder->class_start[class_index];
    int64_t count = builder->class_start[class_index + 1] - start;
    if (check_law(builder->ctx, probability, count) != FORAY_OK)
        return fy_fail_within(builder->ctx, FORAY_ERROR_INPUT, "class %lld",
                              (long long)class_index);
    for (int64_t o = 0; o < count; o++)
        builder->theta[start + o] = sqrt((double)count) * probability[o];
    builder->law_given[class_index] = true;
    builder->theta_given = true;
    return FORAY_OK;
}

/* ----------------------------------------------------------------- tabular */

foray_status foray_builder_transition(foray_builder *builder, int64_t state, int64_t action,
                                      int64_t next, double probability)
{
    foray_status status = check_kind(builder, FY_TABULAR, "foray_builder_transition");
    if (status == FORAY_OK)
        status = check_transition(builder, state, action, next);
    if (status == FORAY_OK && check_probability(builder->ctx, probability) != FORAY_OK)
        status = fy_fail_within(builder->ctx, FORAY_ERROR_INPUT, FY_AT_PAIR ", successor %lld",
                                (long long)state, (long long)action, (long long)next);
    if (status != FORAY_OK)
        return status;
    if (!reserve_entries(builder, 1))
        return FORAY_ERROR_MEMORY;
    add_entry(builder, state * builder->actions + action, next, -1, probability);
    builder->calls++;
    return FORAY_OK;
}

/* -------------------------------------------------------------- every kind */

foray_status foray_builder_forget_theta(foray_builder *builder)
{
    builder->theta_forgotten = true;
    return FORAY_OK;
}

foray_status foray_builder_feature_error(foray_builder *builder, double error)
{
    foray_status status = fy_parts_check_error(builder->ctx, error);
    if (status == FORAY_OK)
        builder->feature_error = error;
    return status;
}

static bool reserve_initial(foray_builder *builder)
{
    foray_context *ctx = builder->ctx;
    int64_t room = builder->initial_room, same = room, wanted = builder->initials + 1;
    int32_t *state = fy_grow(ctx, builder->initial_state, &room, wanted, sizeof *state);
    if (!state)
        return false;
    builder->initial_state = state;
    double *chance = fy_grow(ctx, builder->initial_probability, &same, wanted, sizeof *chance);
    if (!chance)
        return false;
    builder->initial_probability = chance;
    builder->initial_room = room;
    return true;
}

foray_status foray_builder_initial(foray_builder *builder, int64_t state, double probability)
{
    foray_status status = check_index(builder->ctx, "state", state, builder->states);
    if (status == FORAY_OK)
        status = check_probability(builder->ctx, probability);
    if (status != FORAY_OK)
        return fy_fail_within(builder->ctx, status, "initial");
    if (!reserve_initial(builder))
        return FORAY_ERROR_MEMORY;
    builder->initial_state[builder->initials] = (int32_t)state;
    builder->initial_probability[builder->initials++] = probability;
    return FORAY_OK;
}

static foray_status replace_text(foray_context *ctx, char **text, const char *by)
{
    char *copy = fy_text(ctx, by);
    if (!copy)
        return FORAY_ERROR_MEMORY;
    free(*text);
    *text = copy;
    return FORAY_OK;
}

foray_status foray_builder_name(foray_builder *builder, const char *name)
{
    return replace_text(builder->ctx, &builder->name, name);
}

foray_status foray_builder_state_name(foray_builder *builder, int64_t state, const char *name)
{
    foray_status status = check_index(builder->ctx, "state", state, builder->states);
    if (status != FORAY_OK)
        return status;
    if (!builder->state_names && !FY_ALLOC(builder->ctx, builder->state_names, builder->states))
        return FORAY_ERROR_MEMORY;
    return replace_text(builder->ctx, &builder->state_names[state], name);
}

foray_status foray_builder_action_name(foray_builder *builder, int64_t action, const char *name)
{
    foray_status status = check_index(builder->ctx, "action", action, builder->actions);
    if (status != FORAY_OK)
        return status;
    if (!builder->action_names && !FY_ALLOC(builder->ctx, builder->action_names, builder->actions))
        return FORAY_ERROR_MEMORY;
    return replace_text(builder->ctx, &builder->action_names[action], name);
}

foray_status foray_builder_grid(foray_builder *builder, int64_t rows, int64_t cols)
{
    foray_status status = fy_parts_check_grid(builder->ctx, rows, cols);
    if (status != FORAY_OK)
        return status;
    int32_t *row, *col;
    if (!FY_ALLOC(builder->ctx, row, builder->states))
        return FORAY_ERROR_MEMORY;
    if (!FY_ALLOC(builder->ctx, col, builder->states)) {
        free(row);
        return FORAY_ERROR_MEMORY;
    }
    for (int64_t state = 0; state < builder->states; state++)
        row[state] = col[state] = -1;
    free(builder->cell_row);
    free(builder->cell_col);
    builder->cell_row = row;
    builder->cell_col = col;
    builder->grid_rows = rows;
    builder->grid_cols = cols;
    return FORAY_OK;
}

foray_status foray_builder_cell(foray_builder *builder, int64_t state, int64_t row, int64_t col)
{
    if (!builder->cell_row)
        return fy_fail(builder->ctx, FORAY_ERROR_USAGE,
                       "foray_builder_cell before foray_builder_grid");
    foray_status status = check_index(builder->ctx, "state", state, builder->states);
    if (status == FORAY_OK)
        status = check_index(builder->ctx, "row", row, builder->grid_rows);
    if (status == FORAY_OK)
        status = check_index(builder->ctx, "column", col, builder->grid_cols);
    if (status != FORAY_OK)
        return status;
    builder->cell_row[state] = (int32_t)row;
    builder->cell_col[state] = (int32_t)col;
    return FORAY_OK;
}
