/* compact.c - writing the compact form of models. */
#include "model/compact.h"

#include <string.h>

/* A byte above 127, the name, and an end of line that transfers as text would damage. */
static const uint8_t magic[FY_MODEL_MAGIC_SIZE] = {0x89, 'F', 'O', 'R', 'A', 'Y', 'M', '\n'};

bool fy_model_is_compact(const uint8_t *data, size_t size)
{
    return size >= sizeof magic && memcmp(data, magic, sizeof magic) == 0;
}

/* Names: the length as a 32-bit number, -1 for none, and the bytes, one after another. */
static uint64_t names_size(char *const *names, int64_t count)
{
    uint64_t size = 0;
    for (int64_t i = 0; names && i < count; i++)
        size += sizeof(int32_t) + (names[i] ? strlen(names[i]) : 0);
    return size;
}

static void write_names(fy_writer *writer, char *const *names, int64_t count)
{
    for (int64_t i = 0; names && i < count; i++) {
        int32_t length = names[i] ? (int32_t)strlen(names[i]) : -1;
        fy_write_i32s(writer, &length, 1);
        if (names[i])
            fy_write_bytes(writer, names[i], (size_t)length);
    }
}

/* Differences of an array of offsets, which are counts. */
static void write_counts(fy_writer *writer, const int64_t *start, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        int32_t difference = (int32_t)(start[i + 1] - start[i]);
        fy_write_i32s(writer, &difference, 1);
    }
}

/* Successors, or features phi(s,a), of the pairs that exist. */
static uint64_t count_existing(const foray_model *model, const int64_t *start)
{
    uint64_t count = 0;
    for (int64_t k = 0; k < model->available; k++) {
        int64_t pair = fy_existing(model, k);
        count += (uint64_t)(start[pair + 1] - start[pair]);
    }
    return count;
}

/* The generator set of every pair, then the successors. */
static void write_pairs(fy_writer *writer, const foray_model *model)
{
    const int32_t none = -1;
    for (int64_t pair = 0; pair < model->pairs; pair++)
        fy_write_i32s(writer, fy_available(model, pair) ? &model->generator_set[pair] : &none, 1);
    for (int64_t k = 0; k < model->available; k++) {
        int64_t pair = fy_existing(model, k), start = model->succ_start[pair];
        fy_write_i32s(writer, model->succ + start, (size_t)(model->succ_start[pair + 1] - start));
    }
}

/* How many features phi(s,a) each pair has, then their coordinates, then their values. */
static void write_pair_features(fy_writer *writer, const foray_model *model)
{
    const int64_t *start = model->pair_start;
    for (int64_t pair = 0; pair < model->pairs; pair++) {
        int32_t count = fy_available(model, pair) ? (int32_t)(start[pair + 1] - start[pair]) : 0;
        fy_write_i32s(writer, &count, 1);
    }
    for (int64_t k = 0; k < model->available; k++) {
        int64_t pair = fy_existing(model, k);
        fy_write_i32s(writer, model->pair_index + start[pair],
                      (size_t)(start[pair + 1] - start[pair]));
    }
    for (int64_t k = 0; k < model->available; k++) {
        int64_t pair = fy_existing(model, k);
        fy_write_doubles(writer, model->pair_value + start[pair],
                         (size_t)(start[pair + 1] - start[pair]));
    }
}

static uint64_t version_for(const foray_model *model)
{
    if (model->stand_in)
        return VERSION_AVAILABLE;
    if (model->feature_delta > 0)
        return VERSION_FEATURE_DELTA;
    if (model->nonnegative)
        return VERSION_NONNEGATIVE;
    if (model->feature_error > 0)
        return VERSION_FEATURE_ERROR;
    return model->pair_dim > 0 ? VERSION_PAIR_FEATURES : VERSION_PLAIN;
}

static fy_compact_header make_header(const foray_model *model)
{
    int64_t generators = model->gen_start[model->generator_sets];
    return (fy_compact_header){
        .version = version_for(model),
        .states = (uint64_t)model->states,
        .actions = (uint64_t)model->actions,
        .horizon = (uint64_t)model->horizon,
        .dim = (uint64_t)model->dim,
        .transitions = count_existing(model, model->succ_start),
        .generator_sets = (uint64_t)model->generator_sets,
        .generators = (uint64_t)generators,
        .features = (uint64_t)model->feat_start[generators],
        .initials = (uint64_t)model->initials,
        .has_theta = model->theta != NULL,
        .grid_rows = (uint64_t)model->grid_rows,
        .grid_cols = (uint64_t)model->grid_cols,
        .name = strlen(model->name),
        .state_names = names_size(model->state_names, model->states),
        .action_names = names_size(model->action_names, model->actions),
        .pair_dim = (uint64_t)model->pair_dim,
        .pair_features = model->pair_dim > 0 ? count_existing(model, model->pair_start) : 0,
    };
}

static void write_content(fy_writer *writer, const foray_model *model, const fy_compact_header *h)
{
    fy_write_bytes(writer, magic, sizeof magic);
    uint64_t field[HEADER_FIELDS];
    memcpy(field, h, sizeof field);
    fy_write_u64s(writer, field, fy_header_fields(h->version));
    fy_write_double(writer, model->norm_bound);
    if (h->version >= VERSION_FEATURE_ERROR)
        fy_write_double(writer, model->feature_error);
    if (h->version >= VERSION_FEATURE_DELTA) {
        fy_write_double(writer, model->feature_delta);
        fy_write_u64(writer, model->nonnegative);
    }
    write_pairs(writer, model);
    write_counts(writer, model->gen_start, model->generator_sets);
    write_counts(writer, model->feat_start, (int64_t)h->generators);
    fy_write_i32s(writer, model->feat_index, h->features);
    fy_write_doubles(writer, model->feat_value, h->features);
    fy_write_doubles(writer, model->theta, model->theta ? (size_t)model->dim : 0);
    fy_write_i32s(writer, model->initial_state, h->initials);
    fy_write_doubles(writer, model->initial_probability, h->initials);
    size_t cells = model->cell_row ? (size_t)model->states : 0;
    fy_write_i32s(writer, model->cell_row, cells);
    fy_write_i32s(writer, model->cell_col, cells);
    fy_write_bytes(writer, model->name, h->name);
    write_names(writer, model->state_names, model->states);
    write_names(writer, model->action_names, model->actions);
    if (model->pair_dim > 0)
        write_pair_features(writer, model);
}

void fy_model_write_compact(const foray_model *model, fy_writer *writer)
{
    fy_compact_header h = make_header(model);
    write_content(writer, model, &h);
    if (!writer->failed) {
        uint32_t crc = fy_crc32c(writer->crc, writer->data, writer->size);
        int32_t word;
        memcpy(&word, &crc, sizeof word);
        fy_write_i32s(writer, &word, 1);
    }
}

foray_status fy_model_print_compact(foray_context *ctx, const foray_model *model, char **out,
                                    size_t *size)
{
    fy_writer writer = {.ctx = ctx};
    fy_model_write_compact(model, &writer);
    return fy_writer_take(&writer, "a compact model", out, size);
}
