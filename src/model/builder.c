/* builder.c - models by hand: creating a builder, and what it can be told. What it is told about
 * one pair is put into order, and lists that come again and again are kept once. */
#include "model/builder.h"

#include <inttypes.h>
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
    builder->ctx = builder->arena.ctx = ctx;
    builder->kind = kind;
    builder->states = states;
    builder->actions = actions;
    builder->horizon = horizon;
    builder->dim = dim;
    builder->norm_bound = norm_bound;
    builder->pair = -1;
    builder->batches.pairs = builder->pair_batches.pairs = states * actions;
    builder->name = fy_arena_text(&builder->arena, "");
    bool has_theta = kind != FY_TABULAR;
    if (!builder->name || (has_theta && !FY_NEW(&builder->arena, builder->theta, dim))) {
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
            return fy_fail(ctx, FORAY_ERROR_INPUT, "class %" PRId64 ": %" PRId64 " outcomes", c,
                           outcomes[c]);
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
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%" PRId64 " classes, but at least one is needed",
                       classes);
    foray_status status = count_outcomes(ctx, classes, outcomes, &dim);
    if (status != FORAY_OK)
        return status;
    foray_builder *builder;
    status = create(ctx, FY_CLASSES, states, actions, horizon, dim, sqrt((double)dim), &builder);
    if (status != FORAY_OK)
        return status;
    builder->classes = classes;
    if (!FY_NEW(&builder->arena, builder->class_start, classes + 1) ||
        !FY_NEW(&builder->arena, builder->law_given, classes)) {
        foray_builder_destroy(builder);
        return FORAY_ERROR_MEMORY;
    }
    for (int64_t c = 0; c < classes; c++)
        builder->class_start[c + 1] = builder->class_start[c] + outcomes[c];
    *out = builder;
    return FORAY_OK;
}

void foray_builder_destroy(foray_builder *builder)
{
    if (!builder)
        return;
    fy_pair_buffer_free(&builder->buffer);
    fy_sets_free(&builder->lists);
    fy_batches_free(&builder->batches);
    fy_batches_free(&builder->pair_batches);
    fy_arena_release(&builder->arena);
    free(builder);
}

/* ---------------------------------------------------------- errors that stick */

bool fy_builder_holds(foray_builder *builder, foray_status status)
{
    if (status != FORAY_OK && builder->failure == FORAY_OK) {
        builder->failure = status;
        memcpy(builder->message, builder->ctx->message, sizeof builder->message);
    }
    return builder->failure == FORAY_OK;
}

/* For calls that belong to one kind of builder. */
static bool is_kind(foray_builder *builder, enum fy_kind kind, const char *call)
{
    static const char *const names[] = {"given features", "a mixture of simulators",
                                        "outcome classes", "a tabular model"};
    if (builder->failure != FORAY_OK || builder->kind == kind)
        return builder->failure == FORAY_OK;
    return fy_builder_fail(builder, FORAY_ERROR_USAGE, "%s is for %s, this builder for %s", call,
                           names[kind], names[builder->kind]);
}

static bool is_index(foray_builder *builder, const char *what, int64_t index, int64_t count)
{
    if (builder->failure != FORAY_OK || (index >= 0 && index < count))
        return builder->failure == FORAY_OK;
    return fy_builder_fail(builder, FORAY_ERROR_INPUT, "%s %" PRId64 ", but there are %" PRId64,
                           what, index, count);
}

static bool is_pair(foray_builder *builder, int64_t state, int64_t action)
{
    return is_index(builder, "state", state, builder->states) &&
           is_index(builder, "action", action, builder->actions);
}

static bool is_next(foray_builder *builder, int64_t state, int64_t action, int64_t next)
{
    if (next >= 0 && next < builder->states)
        return true;
    return fy_builder_fail(builder, FORAY_ERROR_INPUT,
                           FY_AT_PAIR ": successor %" PRId64 ", but there are %" PRId64, state,
                           action, next, builder->states);
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

/* ------------------------------------------------------------------ the buffer */

bool fy_pair_buffer_reserve(foray_context *ctx, fy_pair_buffer *buffer, int64_t entries)
{
    if (buffer->called && entries <= buffer->room)
        return true;
    int64_t room = entries > 2 * buffer->room ? entries : 2 * buffer->room;
    void *grown;
    buffer->arena.ctx = ctx;
#define GROW(array)                                                                                \
    ((grown = fy_arena_resize(&buffer->arena, (array), (size_t)room, sizeof *(array))) != NULL &&  \
     ((array) = grown, true))
    if (!GROW(buffer->called) || !GROW(buffer->entry) || !GROW(buffer->feature) ||
        !GROW(buffer->generator) || !GROW(buffer->succ))
        return false;
#undef GROW
    buffer->room = room;
    return true;
}

void fy_pair_buffer_free(fy_pair_buffer *buffer)
{
    fy_arena_release(&buffer->arena);
}

/* Room for `more` entries about a pair, and one of them. The entries of a call stand together;
 * counting calls is up to the caller. */
static bool reserve_entries(foray_builder *builder, int64_t pair, int64_t more)
{
    if (pair != builder->pair && !fy_builder_holds(builder, fy_builder_flush(builder)))
        return false;
    builder->pair = pair;
    return fy_builder_holds(
        builder, fy_pair_buffer_reserve(builder->ctx, &builder->buffer, builder->buffered + more)
                     ? FORAY_OK
                     : FORAY_ERROR_MEMORY);
}

static void tell(foray_builder *builder, int64_t next, int64_t coordinate, double value)
{
    builder->buffer.called[builder->buffered++] = (fy_call_entry){
        .entry = {.next = (int32_t)next, .coordinate = (int32_t)coordinate, .value = value},
        .call = builder->calls};
    builder->entries++;
}

/* ------------------------------------------------------------------- doubles */

static int compare_called(const void *left, const void *right)
{
    const fy_call_entry *a = left, *b = right;
    if (a->entry.next != b->entry.next)
        return a->entry.next < b->entry.next ? -1 : 1;
    if (a->entry.coordinate != b->entry.coordinate)
        return a->entry.coordinate < b->entry.coordinate ? -1 : 1;
    return (a->call > b->call) - (a->call < b->call);
}

/* Two entries of one pair with one successor: did somebody say something twice? */
static foray_status check_double(const foray_builder *builder, int64_t pair,
                                 const fy_call_entry *first, const fy_call_entry *second)
{
    const fy_entry *entry = &first->entry;
    bool same_coordinate = entry->coordinate == second->entry.coordinate;
    if (builder->kind == FY_MIXTURE && same_coordinate)
        return fy_fail(builder->ctx, FORAY_ERROR_INPUT,
                       FY_AT_PAIR ", simulator %d: successor %d is given twice",
                       FY_PAIR(builder, pair), entry->coordinate, entry->next);
    bool feature_twice = builder->kind == FY_FEATURES && first->call != second->call;
    if (feature_twice || builder->kind == FY_TABULAR)
        return fy_fail(builder->ctx, FORAY_ERROR_INPUT, FY_AT_PAIR ": successor %d is given twice",
                       FY_PAIR(builder, pair), entry->next);
    if (builder->kind == FY_FEATURES && same_coordinate)
        return fy_fail(builder->ctx, FORAY_ERROR_INPUT,
                       FY_AT_PAIR ", successor %d: feature coordinate %d is given twice",
                       FY_PAIR(builder, pair), entry->next, entry->coordinate);
    return FORAY_OK;
}

foray_status fy_call_entries_sort(const foray_builder *builder, int64_t pair, fy_call_entry *called,
                                  int64_t count)
{
    fy_sort_items(called, count, sizeof *called, compare_called);
    for (int64_t k = 1; k < count; k++) {
        if (builder->kind == FY_CLASSES && called[k].call != called[0].call)
            return fy_fail(builder->ctx, FORAY_ERROR_INPUT,
                           FY_AT_PAIR ": its outcomes are given twice", FY_PAIR(builder, pair));
        foray_status status = called[k].entry.next == called[k - 1].entry.next
                                  ? check_double(builder, pair, &called[k - 1], &called[k])
                                  : FORAY_OK;
        if (status != FORAY_OK)
            return status;
    }
    return FORAY_OK;
}

/* --------------------------------------------------------------------- lists */

/* Entries with one successor are its feature vector: the generators, by feature vector, and
 * their successors. Returns how many. */
static int64_t lay_out_generators(fy_pair_buffer *buffer, int64_t count)
{
    int64_t generators = 0, features = 0;
    for (int64_t k = 0; k < count; k++) {
        const fy_entry *entry = &buffer->called[k].entry;
        if (k == 0 || entry->next != buffer->called[k - 1].entry.next) {
            buffer->generator[generators] =
                (fy_generator){.feature = buffer->feature + features, .position = k};
            generators++;
        }
        if (entry->coordinate >= 0) {
            buffer->feature[features++] = (fy_feature){entry->coordinate, entry->value};
            buffer->generator[generators - 1].count++;
        }
    }
    fy_sort_generators(buffer->generator, generators);
    for (int64_t j = 0; j < generators; j++)
        buffer->succ[j] = buffer->called[buffer->generator[j].position].entry.next;
    return generators;
}

/* The list of a pair's feature vectors, if it is kept: one that is new is kept as long as all
 * lists take little memory against what was said. A table has a list of its own for each pair. */
static foray_status find_list(foray_builder *builder, int64_t count, int32_t *list,
                              int64_t *successors)
{
    const int64_t little = 1 << 20;
    *list = -1;
    if (builder->kind == FY_TABULAR)
        return FORAY_OK;
    foray_status status = fy_sets_reserve(builder->ctx, &builder->lists, count, count);
    if (status != FORAY_OK)
        return status;
    int64_t said = (int64_t)(builder->batches.chunks.words * sizeof(int32_t));
    bool keep = fy_sets_bytes(&builder->lists) < little + said / 8;
    *successors = lay_out_generators(&builder->buffer, count);
    *list = fy_sets_find(&builder->lists, builder->buffer.generator, *successors, keep);
    if (*list < 0 && keep)
        *list = (int32_t)(builder->lists.count - 1);
    return FORAY_OK;
}

foray_status fy_builder_flush(foray_builder *builder)
{
    fy_pair_buffer *buffer = &builder->buffer;
    int64_t count = builder->buffered, successors = 0;
    int32_t list;
    if (count == 0)
        return FORAY_OK;
    builder->buffered = 0;
    foray_status status = fy_call_entries_sort(builder, builder->pair, buffer->called, count);
    if (status == FORAY_OK)
        status = find_list(builder, count, &list, &successors);
    if (status != FORAY_OK)
        return status;
    if (list >= 0)
        return fy_batches_add(builder->ctx, &builder->batches, builder->pair, list, successors,
                              buffer->succ);
    for (int64_t k = 0; k < count; k++)
        buffer->entry[k] = buffer->called[k].entry;
    return fy_batches_add(builder->ctx, &builder->batches, builder->pair, -1, count, buffer->entry);
}

/* ---------------------------------------------------------- given features */

void foray_builder_feature(foray_builder *builder, int64_t state, int64_t action, int64_t next,
                           int64_t count, const int64_t *coordinate, const double *value)
{
    if (!is_kind(builder, FY_FEATURES, "foray_builder_feature") ||
        !is_pair(builder, state, action) || !is_next(builder, state, action, next))
        return;
    if (count < 0) {
        fy_builder_fail(builder, FORAY_ERROR_USAGE, "%" PRId64 " features", count);
        return;
    }
    fy_model_parts sizes = {.actions = builder->actions, .dim = builder->dim};
    int64_t pair = state * builder->actions + action;
    for (int64_t k = 0; k < count; k++) {
        foray_status status =
            fy_parts_check_feature(builder->ctx, &sizes, pair, next, coordinate[k], value[k]);
        if (!fy_builder_holds(builder, status))
            return;
    }
    if (!reserve_entries(builder, pair, count > 0 ? count : 1))
        return;
    for (int64_t k = 0; k < count; k++)
        tell(builder, next, coordinate[k], value[k]);
    if (count == 0)
        tell(builder, next, -1, 0);
    builder->calls++;
}

void foray_builder_theta(foray_builder *builder, const double *theta)
{
    bool holds = is_kind(builder, FY_FEATURES, "foray_builder_theta");
    for (int64_t i = 0; i < builder->dim && holds; i++)
        if (!(fabs(theta[i]) <= FY_MODEL_LARGEST))
            holds = fy_builder_fail(builder, FORAY_ERROR_INPUT,
                                    "theta[%" PRId64 "]: %g is not a usable number", i, theta[i]);
    if (!holds)
        return;
    memcpy(builder->theta, theta, (size_t)builder->dim * sizeof *theta);
    builder->theta_given = true;
}

/* ----------------------------------------------------------------- mixture */

void foray_builder_simulator(foray_builder *builder, int64_t simulator, int64_t state,
                             int64_t action, int64_t next, double probability)
{
    if (!is_kind(builder, FY_MIXTURE, "foray_builder_simulator") ||
        !is_index(builder, "simulator", simulator, builder->dim) ||
        !is_pair(builder, state, action) || !is_next(builder, state, action, next))
        return;
    if (check_probability(builder->ctx, probability) != FORAY_OK)
        fy_builder_fail_within(builder, FORAY_ERROR_INPUT, FY_AT_PAIR ", simulator %" PRId64, state,
                               action, simulator);
    else if (reserve_entries(builder, state * builder->actions + action, 1)) {
        tell(builder, next, simulator, probability);
        builder->calls++;
    }
}

/* theta = sqrt(d) w. */
void foray_builder_weights(foray_builder *builder, const double *weight)
{
    if (!is_kind(builder, FY_MIXTURE, "foray_builder_weights"))
        return;
    if (check_law(builder->ctx, weight, builder->dim) != FORAY_OK) {
        fy_builder_fail_within(builder, FORAY_ERROR_INPUT, "weights");
        return;
    }
    for (int64_t i = 0; i < builder->dim; i++)
        builder->theta[i] = sqrt((double)builder->dim) * weight[i];
    builder->theta_given = true;
}

/* --------------------------------------------------------- outcome classes */

/* phi = 1/sqrt(q) at each of the q outcomes. */
void foray_builder_outcomes(foray_builder *builder, int64_t state, int64_t action,
                            int64_t class_index, const int64_t *next)
{
    if (!is_kind(builder, FY_CLASSES, "foray_builder_outcomes") ||
        !is_pair(builder, state, action) ||
        !is_index(builder, "class", class_index, builder->classes))
        return;
    int64_t start = builder->class_start[class_index];
    int64_t count = builder->class_start[class_index + 1] - start;
    for (int64_t o = 0; o < count; o++)
        if (!is_next(builder, state, action, next[o]))
            return;
    if (!reserve_entries(builder, state * builder->actions + action, count))
        return;
    for (int64_t o = 0; o < count; o++)
        tell(builder, next[o], start + o, 1 / sqrt((double)count));
    builder->calls++;
}

/* theta = sqrt(q) law. */
void foray_builder_law(foray_builder *builder, int64_t class_index, const double *probability)
{
    if (!is_kind(builder, FY_CLASSES, "foray_builder_law") ||
        !is_index(builder, "class", class_index, builder->classes))
        return;
    int64_t start = builder->class_start[class_index];
    int64_t count = builder->class_start[class_index + 1] - start;
    if (check_law(builder->ctx, probability, count) != FORAY_OK) {
        fy_builder_fail_within(builder, FORAY_ERROR_INPUT, "class %" PRId64, class_index);
        return;
    }
    for (int64_t o = 0; o < count; o++)
        builder->theta[start + o] = sqrt((double)count) * probability[o];
    builder->law_given[class_index] = true;
    builder->theta_given = true;
}

/* ----------------------------------------------------------------- tabular */

void foray_builder_transition(foray_builder *builder, int64_t state, int64_t action, int64_t next,
                              double probability)
{
    if (!is_kind(builder, FY_TABULAR, "foray_builder_transition") ||
        !is_pair(builder, state, action) || !is_next(builder, state, action, next))
        return;
    if (check_probability(builder->ctx, probability) != FORAY_OK)
        fy_builder_fail_within(builder, FORAY_ERROR_INPUT, FY_AT_PAIR ", successor %" PRId64, state,
                               action, next);
    else if (reserve_entries(builder, state * builder->actions + action, 1)) {
        tell(builder, next, -1, probability);
        builder->calls++;
    }
}

/* -------------------------------------------------------------- every kind */

void foray_builder_forget_theta(foray_builder *builder)
{
    builder->theta_forgotten = true;
}

/* Every action everywhere, until a state says otherwise. */
static bool reserve_available(foray_builder *builder)
{
    int64_t pairs = builder->states * builder->actions;
    if (builder->available)
        return true;
    if (!FY_NEW(&builder->arena, builder->available, pairs))
        return fy_builder_holds(builder, FORAY_ERROR_MEMORY);
    memset(builder->available, true, (size_t)pairs * sizeof *builder->available);
    return true;
}

void foray_builder_available(foray_builder *builder, int64_t state, int64_t count,
                             const int64_t *action)
{
    if (!is_index(builder, "state", state, builder->states))
        return;
    for (int64_t i = 0; i < count; i++)
        if (!is_index(builder, "action", action[i], builder->actions))
            return;
    if (count < 1) {
        fy_builder_fail(builder, FORAY_ERROR_INPUT, "available: state %" PRId64 " has no action",
                        state);
        return;
    }
    if (!reserve_available(builder))
        return;
    bool *of_state = builder->available + state * builder->actions;
    memset(of_state, false, (size_t)builder->actions * sizeof *of_state);
    for (int64_t i = 0; i < count; i++)
        of_state[action[i]] = true;
}

void foray_builder_feature_error(foray_builder *builder, double error, double delta)
{
    if (!fy_builder_holds(builder, fy_parts_check_error(builder->ctx, error)) ||
        !fy_builder_holds(builder, fy_parts_check_delta(builder->ctx, delta)))
        return;
    builder->feature_error = error;
    builder->feature_delta = delta;
}

void foray_builder_initial(foray_builder *builder, int64_t state, double probability)
{
    foray_context *ctx = builder->ctx;
    if (builder->failure != FORAY_OK)
        return;
    if (state < 0 || state >= builder->states) {
        fy_builder_fail(builder, FORAY_ERROR_INPUT,
                        "initial: state %" PRId64 ", but there are %" PRId64, state,
                        builder->states);
        return;
    }
    if (check_probability(ctx, probability) != FORAY_OK) {
        fy_builder_fail_within(builder, FORAY_ERROR_INPUT, "initial");
        return;
    }
    /* Two arrays of one length: either may have grown alone when memory ran out. */
    int64_t room = builder->initial_room, same = room, wanted = builder->initials + 1;
    int32_t *states =
        fy_arena_grow(&builder->arena, builder->initial_state, &room, wanted, sizeof *states);
    builder->initial_state = states ? states : builder->initial_state;
    double *chances = fy_arena_grow(&builder->arena, builder->initial_probability, &same, wanted,
                                    sizeof *chances);
    builder->initial_probability = chances ? chances : builder->initial_probability;
    if (!states || !chances) {
        fy_builder_holds(builder, FORAY_ERROR_MEMORY);
        return;
    }
    builder->initial_room = room;
    builder->initial_state[builder->initials] = (int32_t)state;
    builder->initial_probability[builder->initials++] = probability;
}

static void replace_text(foray_builder *builder, char **text, const char *by)
{
    char *copy = fy_arena_text(&builder->arena, by);
    if (!fy_builder_holds(builder, copy ? FORAY_OK : FORAY_ERROR_MEMORY))
        return;
    fy_arena_free(*text);
    *text = copy;
}

void foray_builder_name(foray_builder *builder, const char *name)
{
    replace_text(builder, &builder->name, name);
}

/* One of `count` names, for which there is room once the first is given. */
static void set_name(foray_builder *builder, const char *what, char ***names, int64_t count,
                     int64_t index, const char *name)
{
    if (!is_index(builder, what, index, count))
        return;
    if (!*names && !FY_NEW(&builder->arena, *names, count))
        fy_builder_holds(builder, FORAY_ERROR_MEMORY);
    else
        replace_text(builder, &(*names)[index], name);
}

void foray_builder_state_name(foray_builder *builder, int64_t state, const char *name)
{
    set_name(builder, "state", &builder->state_names, builder->states, state, name);
}

void foray_builder_action_name(foray_builder *builder, int64_t action, const char *name)
{
    set_name(builder, "action", &builder->action_names, builder->actions, action, name);
}

void foray_builder_grid(foray_builder *builder, int64_t rows, int64_t cols)
{
    if (!fy_builder_holds(builder, fy_parts_check_grid(builder->ctx, rows, cols)))
        return;
    int32_t *row, *col;
    if (!FY_NEW(&builder->arena, row, builder->states) ||
        !FY_NEW(&builder->arena, col, builder->states)) {
        fy_builder_holds(builder, FORAY_ERROR_MEMORY);
        return;
    }
    for (int64_t state = 0; state < builder->states; state++)
        row[state] = col[state] = -1;
    fy_arena_free(builder->cell_row);
    fy_arena_free(builder->cell_col);
    builder->cell_row = row;
    builder->cell_col = col;
    builder->grid_rows = rows;
    builder->grid_cols = cols;
}

void foray_builder_cell(foray_builder *builder, int64_t state, int64_t row, int64_t col)
{
    if (!is_index(builder, "state", state, builder->states))
        return;
    if (!builder->cell_row)
        fy_builder_fail(builder, FORAY_ERROR_USAGE, "foray_builder_cell before foray_builder_grid");
    else if (is_index(builder, "row", row, builder->grid_rows) &&
             is_index(builder, "column", col, builder->grid_cols)) {
        builder->cell_row[state] = (int32_t)row;
        builder->cell_col[state] = (int32_t)col;
    }
}
