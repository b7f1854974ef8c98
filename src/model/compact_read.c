/* compact_read.c - reading the compact form of models. The sizes in the header must add
 * up to the size of the file before anything is allocated; arrays are read where they stay. */
#include "model/adopt.h"
#include "model/compact.h"
#include "model/parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The arrays of the parts of a model; released at the end. */
typedef struct content {
    foray_context *ctx;
    fy_reader reader;
    fy_compact_header h;
    double norm_bound, feature_error, feature_delta;
    bool nonnegative;
    int64_t pairs;
    fy_model_arrays a;
    bool *available; /* [pairs], or NULL: every pair exists */
    int32_t *initial_state;
    double *initial_probability;
    char *name;
    int64_t *pair_start;
    int32_t *pair_index;
    double *pair_value;
} content;

/* How many bytes the header promises; false: more than there can be. */
static bool expected_size(const fy_compact_header *h, uint64_t pairs, uint64_t cells, size_t *out)
{
    const struct {
        uint64_t count, size;
    } parts[] = {
        {1, FY_MODEL_MAGIC_SIZE + sizeof(double) + CRC_SIZE},
        {fy_header_fields(h->version), sizeof(uint64_t)},
        {h->version >= VERSION_FEATURE_ERROR, sizeof(double)},
        {h->version >= VERSION_FEATURE_DELTA, sizeof(double) + sizeof(uint64_t)},
        {pairs, 4},
        {h->transitions, 4},
        {h->generator_sets, 4},
        {h->generators, 4},
        {h->features, 12},
        {h->has_theta ? h->dim : 0, 8},
        {h->initials, 12},
        {cells, 8},
        {h->name, 1},
        {h->state_names, 1},
        {h->action_names, 1},
        {h->pair_dim ? pairs : 0, 4},
        {h->pair_features, 12},
    };
    *out = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t bytes;
        if (!fy_size_mul(parts[i].count, parts[i].size, &bytes) || !fy_size_add(*out, bytes, out))
            return false;
    }
    return true;
}

/* The version comes first, and says how many fields follow it. */
static foray_status read_fields(content *c)
{
    uint64_t field[HEADER_FIELDS] = {0};
    uint8_t start[FY_MODEL_MAGIC_SIZE];
    fy_read_into(&c->reader, start, sizeof start);
    if (c->reader.failed || !fy_model_is_compact(start, sizeof start))
        return fy_fail(c->ctx, FORAY_ERROR_INPUT, "not a compact model");
    field[0] = fy_read_u64(&c->reader);
    bool known = field[0] >= VERSION_PLAIN && field[0] <= VERSION_LATEST;
    if (!c->reader.failed && !known)
        return fy_fail(c->ctx, FORAY_ERROR_INPUT,
                       "compact format version %" PRIu64 ", but only %d to %d can be read",
                       field[0], VERSION_PLAIN, VERSION_LATEST);
    fy_read_u64s(&c->reader, field + 1, fy_header_fields(field[0]) - 1);
    c->norm_bound = fy_read_double(&c->reader);
    if (field[0] >= VERSION_FEATURE_ERROR)
        c->feature_error = fy_read_double(&c->reader);
    c->nonnegative = field[0] == VERSION_NONNEGATIVE;
    if (field[0] >= VERSION_FEATURE_DELTA) {
        c->feature_delta = fy_read_double(&c->reader);
        uint64_t nonnegative = fy_read_u64(&c->reader);
        c->nonnegative = nonnegative == 1;
        if (nonnegative > 1)
            return fy_fail(c->ctx, FORAY_ERROR_INPUT,
                           "whether theta >= 0 is %" PRIu64 ", but it must be 0 or 1", nonnegative);
    }
    if (c->reader.failed)
        return fy_fail(c->ctx, FORAY_ERROR_INPUT, "the file ends in the middle of its header");
    memcpy(&c->h, field, sizeof field);
    return FORAY_OK;
}

static foray_status read_header(content *c)
{
    foray_status status = read_fields(c);
    if (status != FORAY_OK)
        return status;
    status = fy_model_check_sizes(c->ctx, (int64_t)c->h.states, (int64_t)c->h.actions,
                                  (int64_t)c->h.horizon, (int64_t)c->h.dim, c->norm_bound);
    if (status == FORAY_OK && c->h.has_theta > 1)
        status = fy_fail(c->ctx, FORAY_ERROR_INPUT, "the mark for theta must be 0 or 1");
    if (status == FORAY_OK && c->h.pair_dim == 0 && c->h.pair_features > 0)
        status = fy_fail(c->ctx, FORAY_ERROR_INPUT, "features phi(s,a) without a dimension");
    if (status == FORAY_OK && (c->h.grid_rows || c->h.grid_cols))
        status = fy_parts_check_grid(c->ctx, (int64_t)c->h.grid_rows, (int64_t)c->h.grid_cols);
    return status;
}

static uint32_t sum_memory(fy_reader *all)
{
    size_t size = all->size - CRC_SIZE;
    return fy_crc32c(0, fy_read_bytes(all, size), size);
}

/* Once through everything, piece by piece. */
static uint32_t sum_pieces(fy_reader *all)
{
    uint8_t piece[65536];
    uint32_t crc = 0;
    while (!all->failed && all->at < all->size - CRC_SIZE) {
        size_t left = all->size - CRC_SIZE - all->at,
               size = left < sizeof piece ? left : sizeof piece;
        if (fy_read_into(all, piece, size))
            crc = fy_crc32c(crc, piece, size);
    }
    return crc;
}

/* From the start; where reading goes on stays as it is. */
static bool sum_is_right(const fy_reader *reader)
{
    fy_reader all = *reader;
    all.at = 0;
    uint32_t found = all.fetch ? sum_pieces(&all) : sum_memory(&all), crc;
    int32_t word = 0;
    fy_read_i32s(&all, &word, 1);
    memcpy(&crc, &word, sizeof crc);
    return !all.failed && crc == found;
}

static foray_status check_size(content *c)
{
    size_t expected;
    uint64_t cells = c->h.grid_rows ? c->h.states : 0;
    c->pairs = (int64_t)(c->h.states * c->h.actions);
    if (!expected_size(&c->h, (uint64_t)c->pairs, cells, &expected) || expected != c->reader.size)
        return fy_fail(c->ctx, FORAY_ERROR_INPUT,
                       "%zu bytes, which is not what the header says: the file was cut short or is "
                       "damaged",
                       c->reader.size);
    if (!sum_is_right(&c->reader))
        return fy_fail(c->ctx, FORAY_ERROR_INPUT, "the checksum is wrong: the file is damaged");
    return FORAY_OK;
}

static bool allocate_content(content *c)
{
    foray_context *ctx = c->ctx;
    const fy_compact_header *h = &c->h;
    fy_model_arrays *a = &c->a;
    bool allocated =
        FY_ALLOC(ctx, a->generator_set, c->pairs) && FY_ALLOC(ctx, a->succ, h->transitions) &&
        FY_ALLOC(ctx, a->succ_start, c->pairs + 1) &&
        FY_ALLOC(ctx, a->gen_start, h->generator_sets + 1) &&
        FY_ALLOC(ctx, a->feat_start, h->generators + 1) &&
        FY_ALLOC(ctx, a->feat_index, h->features) && FY_ALLOC(ctx, a->feat_value, h->features) &&
        FY_ALLOC(ctx, c->initial_state, h->initials) &&
        FY_ALLOC(ctx, c->initial_probability, h->initials) && FY_ALLOC(ctx, c->name, h->name + 1);
    if (allocated && h->version >= VERSION_AVAILABLE)
        allocated = FY_ALLOC(ctx, c->available, c->pairs);
    if (allocated && h->has_theta)
        allocated = FY_ALLOC(ctx, a->theta, h->dim);
    if (allocated && h->grid_rows)
        allocated = FY_ALLOC(ctx, a->cell_row, h->states) && FY_ALLOC(ctx, a->cell_col, h->states);
    if (allocated && h->pair_dim)
        allocated = FY_ALLOC(ctx, c->pair_start, c->pairs + 1) &&
                    FY_ALLOC(ctx, c->pair_index, h->pair_features) &&
                    FY_ALLOC(ctx, c->pair_value, h->pair_features);
    return allocated;
}

/* Counts that are none may be negative, and must add up to what the header says. */
static foray_status read_counts(content *c, const char *what, uint64_t count, uint64_t total,
                                int64_t *start)
{
    int32_t piece[1024];
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = i % FY_COUNT(piece), left = count - i;
        if (at == 0)
            fy_read_i32s(&c->reader, piece, left < sizeof piece / 4 ? left : sizeof piece / 4);
        if (c->reader.failed)
            return FORAY_OK; /* whoever reads the rest notices */
        if (piece[at] < 0)
            return fy_fail(c->ctx, FORAY_ERROR_INPUT, "%s %" PRIu64 ": a size of %d", what, i,
                           piece[at]);
        start[i + 1] = start[i] + piece[at];
    }
    if ((uint64_t)start[count] != total)
        return fy_fail(c->ctx, FORAY_ERROR_INPUT, "sizes of %ss do not add up to %" PRIu64, what,
                       total);
    return FORAY_OK;
}

/* Each pair has as many successors as its set has generators. */
static foray_status place_successors(content *c)
{
    for (int64_t pair = 0; pair < c->pairs; pair++) {
        int32_t list = c->a.generator_set[pair];
        if (c->available)
            c->available[pair] = list != -1;
        if (c->available && list == -1) {
            c->a.succ_start[pair + 1] = c->a.succ_start[pair];
            continue;
        }
        if (list < 0 || (uint64_t)list >= c->h.generator_sets)
            return fy_fail(c->ctx, FORAY_ERROR_INPUT,
                           FY_AT_PAIR ": generator set %d, but there are %" PRIu64,
                           (pair / (int64_t)c->h.actions), (pair % (int64_t)c->h.actions), list,
                           c->h.generator_sets);
        c->a.succ_start[pair + 1] =
            c->a.succ_start[pair] + c->a.gen_start[list + 1] - c->a.gen_start[list];
    }
    if ((uint64_t)c->a.succ_start[c->pairs] != c->h.transitions)
        return fy_fail(c->ctx, FORAY_ERROR_INPUT, "successors do not add up to %" PRIu64,
                       c->h.transitions);
    return FORAY_OK;
}

static foray_status read_names(content *c, const char *key, uint64_t count, uint64_t size,
                               char ***out)
{
    size_t start = c->reader.at;
    if (size == 0)
        return FORAY_OK;
    if (!FY_ALLOC(c->ctx, *out, count))
        return FORAY_ERROR_MEMORY;
    for (uint64_t i = 0; i < count; i++) {
        int32_t length = -1;
        fy_read_i32s(&c->reader, &length, 1);
        if (length == -1)
            continue;
        if (length < -1 || (size_t)length > size)
            return fy_fail(c->ctx, FORAY_ERROR_INPUT, "%s[%" PRIu64 "]: not a text", key, i);
        if (!((*out)[i] = fy_alloc(c->ctx, (size_t)length + 1, 1)))
            return FORAY_ERROR_MEMORY;
        if (!fy_read_into(&c->reader, (*out)[i], (size_t)length) ||
            memchr((*out)[i], 0, (size_t)length))
            return fy_fail(c->ctx, FORAY_ERROR_INPUT, "%s[%" PRIu64 "]: not a text", key, i);
    }
    if (c->reader.failed || c->reader.at - start != size)
        return fy_fail(c->ctx, FORAY_ERROR_INPUT, "%s: not the size the header says", key);
    return FORAY_OK;
}

static foray_status read_pair_features(content *c)
{
    if (c->h.pair_dim == 0)
        return FORAY_OK;
    foray_status status =
        read_counts(c, "phi of pair", (uint64_t)c->pairs, c->h.pair_features, c->pair_start);
    if (status != FORAY_OK)
        return status;
    fy_read_i32s(&c->reader, c->pair_index, c->h.pair_features);
    fy_read_doubles(&c->reader, c->pair_value, c->h.pair_features);
    return FORAY_OK;
}

static foray_status read_arrays(content *c)
{
    const fy_compact_header *h = &c->h;
    fy_read_i32s(&c->reader, c->a.generator_set, (size_t)c->pairs);
    fy_read_i32s(&c->reader, c->a.succ, h->transitions);
    foray_status status =
        read_counts(c, "generator set", h->generator_sets, h->generators, c->a.gen_start);
    if (status == FORAY_OK)
        status = read_counts(c, "generator", h->generators, h->features, c->a.feat_start);
    if (status == FORAY_OK)
        status = place_successors(c);
    if (status != FORAY_OK)
        return status;
    fy_read_i32s(&c->reader, c->a.feat_index, h->features);
    fy_read_doubles(&c->reader, c->a.feat_value, h->features);
    fy_read_doubles(&c->reader, c->a.theta, h->has_theta ? h->dim : 0);
    fy_read_i32s(&c->reader, c->initial_state, h->initials);
    fy_read_doubles(&c->reader, c->initial_probability, h->initials);
    fy_read_i32s(&c->reader, c->a.cell_row, h->grid_rows ? h->states : 0);
    fy_read_i32s(&c->reader, c->a.cell_col, h->grid_rows ? h->states : 0);
    if (!fy_read_into(&c->reader, c->name, h->name) || strlen(c->name) != h->name)
        return fy_fail(c->ctx, FORAY_ERROR_INPUT, "name: not a text");
    status = read_names(c, "state_names", h->states, h->state_names, &c->a.state_names);
    if (status == FORAY_OK)
        status = read_names(c, "action_names", h->actions, h->action_names, &c->a.action_names);
    if (status == FORAY_OK)
        status = read_pair_features(c);
    return status;
}

static foray_status assemble(content *c, foray_model **out)
{
    fy_model_parts parts = {
        .name = c->name,
        .states = (int64_t)c->h.states,
        .actions = (int64_t)c->h.actions,
        .horizon = (int64_t)c->h.horizon,
        .dim = (int64_t)c->h.dim,
        .norm_bound = c->norm_bound,
        .feature_error = c->feature_error,
        .feature_delta = c->feature_delta,
        .nonnegative = c->nonnegative,
        .available = c->available,
        .succ_start = c->a.succ_start,
        .succ = c->a.succ,
        .lists = (int64_t)c->h.generator_sets,
        .list_of_pair = c->a.generator_set,
        .gen_start = c->a.gen_start,
        .feat_start = c->a.feat_start,
        .feat_index = c->a.feat_index,
        .feat_value = c->a.feat_value,
        .theta = c->a.theta,
        .pair_dim = (int64_t)c->h.pair_dim,
        .pair_start = c->pair_start,
        .pair_index = c->pair_index,
        .pair_value = c->pair_value,
        .initials = (int64_t)c->h.initials,
        .initial_state = c->initial_state,
        .initial_probability = c->initial_probability,
        .state_names = c->a.state_names,
        .action_names = c->a.action_names,
        .grid_rows = (int64_t)c->h.grid_rows,
        .grid_cols = (int64_t)c->h.grid_cols,
        .cell_row = c->a.cell_row,
        .cell_col = c->a.cell_col,
    };
    return fy_model_adopt(c->ctx, &parts, &c->a, out);
}

static void free_content(content *c)
{
    for (uint64_t i = 0; c->a.state_names && i < c->h.states; i++)
        free(c->a.state_names[i]);
    for (uint64_t i = 0; c->a.action_names && i < c->h.actions; i++)
        free(c->a.action_names[i]);
    free(c->a.state_names);
    free(c->a.action_names);
    free(c->a.generator_set);
    free(c->available);
    free(c->a.succ);
    free(c->a.succ_start);
    free(c->a.gen_start);
    free(c->a.feat_start);
    free(c->a.feat_index);
    free(c->a.feat_value);
    free(c->a.theta);
    free(c->pair_start);
    free(c->pair_index);
    free(c->pair_value);
    free(c->initial_state);
    free(c->initial_probability);
    free(c->a.cell_row);
    free(c->a.cell_col);
    free(c->name);
}

static foray_status read_model(content *c, const char *where, foray_model **out)
{
    foray_status status = read_header(c);
    if (status == FORAY_OK)
        status = check_size(c);
    if (status == FORAY_OK && !allocate_content(c))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status = read_arrays(c);
    if (status == FORAY_OK && c->reader.failed)
        status = fy_fail(c->ctx, FORAY_ERROR_IO, "the file changed while it was read");
    if (status == FORAY_OK)
        status = assemble(c, out);
    free_content(c);
    return status == FORAY_OK ? status : fy_fail_within(c->ctx, status, "%s", where);
}

foray_status fy_model_parse_compact(foray_context *ctx, const void *data, size_t size,
                                    const char *where, foray_model **out)
{
    content c = {.ctx = ctx, .reader = {.data = data, .size = size}};
    return read_model(&c, where, out);
}

foray_status fy_model_fetch_compact(foray_context *ctx,
                                    bool (*fetch)(void *source, size_t at, void *to, size_t size),
                                    void *source, size_t size, const char *where, foray_model **out)
{
    content c = {.ctx = ctx, .reader = {.fetch = fetch, .source = source, .size = size}};
    return read_model(&c, where, out);
}

/* A file, and where reading it would go on. */
typedef struct place {
    FILE *file;
    size_t at;
} place;

static bool fetch_from_file(void *source, size_t at, void *to, size_t size)
{
    place *p = source;
    if (p->at != at && fseeko(p->file, (off_t)at, SEEK_SET) != 0)
        return false;
    bool whole = fread(to, 1, size, p->file) == size;
    p->at = at + size;
    return whole;
}

foray_status fy_model_load_compact(foray_context *ctx, const char *path, foray_model **out)
{
    struct stat facts;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &facts) != 0) {
        if (file)
            fclose(file);
        return fy_fail(ctx, FORAY_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
    }
    place start = {.file = file};
    foray_status status =
        fy_model_fetch_compact(ctx, fetch_from_file, &start, (size_t)facts.st_size, path, out);
    fclose(file);
    return status;
}
