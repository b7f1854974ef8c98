/* compact.c - the compact form of models (docs/formats.md): little-endian arrays behind a header of
 * sizes, generator sets written once, a CRC-32C at the end. Reading, the sizes in the header must
 * add up to the size of the file before anything is allocated; arrays are read where they stay. */
#include "model/assemble.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { COMPACT_VERSION = 1, CRC_SIZE = 4 };

/* The header after the magic: unsigned 64-bit numbers in this order, then norm_bound,
 * feature_error and feature_delta. The generator set of a pair is -1 where the action is not
 * available in the state: such a pair has nothing, neither successors nor phi(s,a). */
typedef struct compact_header {
    uint64_t version, states, actions, horizon, dim;
    uint64_t transitions; /* successors over all pairs */
    uint64_t generator_sets, generators, features;
    uint64_t initials;
    uint64_t has_theta; /* 0 or 1 */
    uint64_t grid_rows, grid_cols;
    uint64_t name;                      /* bytes */
    uint64_t state_names, action_names; /* bytes; 0: no names */
    uint64_t pair_dim, pair_features;   /* of phi(s,a); 0, 0: none */
    uint64_t nonnegative, aggregated;   /* 0 or 1 */
} compact_header;

enum { HEADER_FIELDS = sizeof(compact_header) / sizeof(uint64_t) };

/* Arrays as the model will have them; see model.h. */
typedef struct model_arrays {
    int32_t *generator_set;
    int64_t *succ_start;
    int32_t *succ;
    int64_t *gen_start, *feat_start;
    int32_t *feat_index;
    double *feat_value, *theta;
    int32_t *cell_row, *cell_col;
    char **state_names, **action_names;
} model_arrays;

/* ----------------------------------------------------------------- writing */

/* A byte above 127, the name, and an end of line that transfers as text would damage. */
static const uint8_t magic[FY_MODEL_MAGIC_SIZE] = {0x89, 'F', 'O', 'R', 'A', 'Y', 'M', '\n'};

bool fy_model_is_compact(const uint8_t *data, size_t size)
{
    return size >= sizeof magic && memcmp(data, magic, sizeof magic) == 0;
}

/* Differences of an array of offsets, which are counts. */
static void write_counts(fy_writer *writer, const int64_t *start, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        int32_t difference = (int32_t)(start[i + 1] - start[i]);
        fy_write_i32s(writer, &difference, 1);
    }
}

/* What is written: a model, or only what episodes get to in it. Then a state where no step begins
 * has no action, and what nobody meets of theta is 0. */
typedef struct writing {
    fy_writer *to;
    const foray_model *whole; /* sizes, names, the map */
    const foray_model *laws;  /* all about pairs: the same, or its part */
    int64_t begun;            /* states of `laws` where steps begin come before this one */
} writing;

/* The number of a state in `laws`; -1: no episode gets there. What is written may itself be a part
 * of something. */
static int64_t state_inside(const writing *w, int64_t state)
{
    return w->laws == w->whole ? state : fy_inside(w->laws, state);
}

/* The pair of `laws` that a pair of the whole is there; -1: it does not exist. */
static int64_t pair_inside(const writing *w, int64_t pair)
{
    int64_t A = w->whole->actions, state = state_inside(w, pair / A);
    int64_t there = state * A + pair % A;
    return state >= 0 && state < w->begun && fy_available(w->laws, there) ? there : -1;
}

/* Successors, or features phi(s,a), of the pairs that exist. */
static uint64_t count_existing(const writing *w, const int64_t *start)
{
    uint64_t count = 0;
    for (int64_t k = 0; k < w->laws->available; k++) {
        int64_t pair = fy_existing(w->laws, k);
        if (pair < w->begun * w->whole->actions)
            count += (uint64_t)(start[pair + 1] - start[pair]);
    }
    return count;
}

static void write_successors(const writing *w, int64_t pair)
{
    const foray_model *laws = w->laws;
    int64_t start = laws->succ_start[pair], end = laws->succ_start[pair + 1];
    if (laws == w->whole) {
        fy_write_i32s(w->to, laws->succ + start, (size_t)(end - start));
        return;
    }
    for (int64_t j = start; j < end; j++)
        fy_write_i32s(w->to, &laws->number[laws->succ[j]], 1);
}

/* The generator set of every pair, then the successors. */
static void write_pairs(const writing *w)
{
    const int32_t none = -1;
    for (int64_t pair = 0; pair < w->whole->pairs; pair++) {
        int64_t there = pair_inside(w, pair);
        fy_write_i32s(w->to, there >= 0 ? &w->laws->generator_set[there] : &none, 1);
    }
    for (int64_t pair = 0; pair < w->whole->pairs; pair++) {
        int64_t there = pair_inside(w, pair);
        if (there >= 0)
            write_successors(w, there);
    }
}

/* How many features phi(s,a) each pair has, then their coordinates, then their values. */
static void write_pair_features(const writing *w)
{
    const foray_model *laws = w->laws;
    const int64_t *start = laws->pair_start;
    for (int64_t pair = 0; pair < w->whole->pairs; pair++) {
        int64_t there = pair_inside(w, pair);
        int32_t count = there >= 0 ? (int32_t)(start[there + 1] - start[there]) : 0;
        fy_write_i32s(w->to, &count, 1);
    }
    for (int64_t pair = 0; pair < w->whole->pairs; pair++) {
        int64_t there = pair_inside(w, pair);
        if (there >= 0)
            fy_write_i32s(w->to, laws->pair_index + start[there],
                          (size_t)(start[there + 1] - start[there]));
    }
    for (int64_t pair = 0; pair < w->whole->pairs; pair++) {
        int64_t there = pair_inside(w, pair);
        if (there >= 0)
            fy_write_doubles(w->to, laws->pair_value + start[there],
                             (size_t)(start[there + 1] - start[there]));
    }
}

/* theta where a law that is written has a feature, elsewhere 0. */
static void write_theta(const writing *w, int64_t features)
{
    const foray_model *laws = w->laws;
    bool *met;
    if (!w->whole->theta || w->laws == w->whole) {
        fy_write_doubles(w->to, w->whole->theta, w->whole->theta ? (size_t)w->whole->dim : 0);
        return;
    }
    if (!FY_ALLOC(w->to->ctx, met, w->whole->dim)) {
        w->to->failed = true;
        return;
    }
    for (int64_t k = 0; k < features; k++)
        met[laws->feat_index[k]] = true;
    for (int64_t i = 0; i < w->whole->dim; i++)
        fy_write_double(w->to, met[i] ? w->whole->theta[i] : 0.0);
    free(met);
}

/* Names: the length as a 32-bit number, -1 for none, and the bytes, one after another. */
static uint64_t names_size(char *const *names, int64_t count)
{
    uint64_t size = 0;
    for (int64_t i = 0; names && i < count; i++)
        size += sizeof(int32_t) + (names[i] ? strlen(names[i]) : 0);
    return size;
}

static void write_name(fy_writer *writer, const char *name)
{
    int32_t length = name ? (int32_t)strlen(name) : -1;
    fy_write_i32s(writer, &length, 1);
    if (name)
        fy_write_bytes(writer, name, (size_t)length);
}

static void write_names(fy_writer *writer, char *const *names, int64_t count)
{
    for (int64_t i = 0; names && i < count; i++)
        write_name(writer, names[i]);
}

/* Those of states that no episode gets to are left out. */
static uint64_t state_names_size(const writing *w)
{
    const foray_model *laws = w->laws;
    if (laws == w->whole || !laws->state_names)
        return names_size(w->whole->state_names, w->whole->states);
    uint64_t gone = (uint64_t)(w->whole->states - laws->states) * sizeof(int32_t);
    return names_size(laws->state_names, laws->states) + gone;
}

static void write_state_names(const writing *w)
{
    char *const *names = w->whole->state_names;
    for (int64_t s = 0; names && s < w->whole->states; s++)
        write_name(w->to, state_inside(w, s) >= 0 ? names[s] : NULL);
}

static compact_header make_header(const writing *w)
{
    const foray_model *model = w->whole, *laws = w->laws;
    int64_t generators = laws->gen_start[laws->generator_sets];
    return (compact_header){
        .version = COMPACT_VERSION,
        .states = (uint64_t)model->states,
        .actions = (uint64_t)model->actions,
        .horizon = (uint64_t)model->horizon,
        .dim = (uint64_t)model->dim,
        .transitions = count_existing(w, laws->succ_start),
        .generator_sets = (uint64_t)laws->generator_sets,
        .generators = (uint64_t)generators,
        .features = (uint64_t)laws->feat_start[generators],
        .initials = (uint64_t)model->initials,
        .has_theta = model->theta != NULL,
        .grid_rows = (uint64_t)model->grid_rows,
        .grid_cols = (uint64_t)model->grid_cols,
        .name = strlen(model->name),
        .state_names = state_names_size(w),
        .action_names = names_size(model->action_names, model->actions),
        .pair_dim = (uint64_t)model->pair_dim,
        .pair_features = model->pair_dim > 0 ? count_existing(w, laws->pair_start) : 0,
        .nonnegative = model->nonnegative,
        .aggregated = model->aggregated,
    };
}

static void write_content(const writing *w, const compact_header *h)
{
    fy_writer *writer = w->to;
    const foray_model *model = w->whole, *laws = w->laws;
    fy_write_bytes(writer, magic, sizeof magic);
    uint64_t field[HEADER_FIELDS];
    memcpy(field, h, sizeof field);
    fy_write_u64s(writer, field, HEADER_FIELDS);
    fy_write_double(writer, model->norm_bound);
    fy_write_double(writer, model->feature_error);
    fy_write_double(writer, model->feature_delta);
    write_pairs(w);
    write_counts(writer, laws->gen_start, laws->generator_sets);
    write_counts(writer, laws->feat_start, (int64_t)h->generators);
    fy_write_i32s(writer, laws->feat_index, h->features);
    fy_write_doubles(writer, laws->feat_value, h->features);
    write_theta(w, (int64_t)h->features);
    fy_write_i32s(writer, model->initial_state, h->initials);
    fy_write_doubles(writer, model->initial_probability, h->initials);
    size_t cells = model->cell_row ? (size_t)model->states : 0;
    fy_write_i32s(writer, model->cell_row, cells);
    fy_write_i32s(writer, model->cell_col, cells);
    fy_write_bytes(writer, model->name, h->name);
    write_state_names(w);
    write_names(writer, model->action_names, model->actions);
    if (model->pair_dim > 0)
        write_pair_features(w);
}

/* Where every law has very many successors, states that stay would take more than those that go. */
static bool has_short_law(const foray_model *model)
{
    int64_t set = 0;
    while (set < model->generator_sets && fy_generator_set_size(model, set) > FY_STAY_MOST)
        set++;
    return set < model->generator_sets;
}

void fy_model_write_compact(const foray_model *model, const foray_model *part, fy_writer *writer)
{
    part = part && has_short_law(part) ? part : NULL;
    writing w = {.to = writer, .whole = model, .laws = part ? part : model};
    w.begun = part ? fy_begun(part) : model->states;
    compact_header h = make_header(&w);
    write_content(&w, &h);
    if (!writer->failed) {
        uint32_t crc = fy_crc32c(writer->crc, writer->data, writer->size);
        int32_t word;
        memcpy(&word, &crc, sizeof word);
        fy_write_i32s(writer, &word, 1);
    }
}

/* What is sent, as one number. */
static void hash_bytes(void *sink, const void *data, size_t size)
{
    uint64_t *hash = sink;
    *hash = fy_hash(data, size, *hash + size);
}

/* Laws and first states as episodes meet them, without names and map. */
static foray_status hash_met(foray_context *ctx, const foray_model *model, uint64_t *hash)
{
    foray_model *part, plain = *model, plain_part;
    char nothing[] = "";
    foray_status status = fy_model_reachable(ctx, model, &part);
    if (status != FORAY_OK)
        return status;
    fy_writer writer = {.ctx = ctx, .send = hash_bytes, .sink = hash};
    plain.name = nothing;
    plain.state_names = plain.action_names = NULL;
    plain.cell_row = plain.cell_col = NULL;
    plain.grid_rows = plain.grid_cols = 0;
    if (part) {
        plain_part = *part;
        plain_part.state_names = NULL;
    }
    *hash = 0;
    fy_model_write_compact(&plain, part ? &plain_part : NULL, &writer);
    fy_writer_flush(&writer);
    free(writer.data);
    foray_model_destroy(part);
    return writer.failed ? FORAY_ERROR_MEMORY : FORAY_OK;
}

foray_status fy_model_same_episodes(foray_context *ctx, const foray_model *one,
                                    const foray_model *other, bool *same)
{
    uint64_t a = 0, b = 0;
    *same = foray_model_equal(one, other);
    if (*same || one->unstructured || other->unstructured)
        return FORAY_OK;
    foray_status status = hash_met(ctx, one, &a);
    if (status == FORAY_OK)
        status = hash_met(ctx, other, &b);
    *same = status == FORAY_OK && a == b;
    return status;
}

foray_status fy_model_print_compact(foray_context *ctx, const foray_model *model, char **out,
                                    size_t *size)
{
    fy_writer writer = {.ctx = ctx};
    fy_model_write_compact(model, NULL, &writer);
    return fy_writer_take(&writer, "a compact model", out, size);
}

/* ----------------------------------------------------------------- reading */

/* The arrays of the parts of a model; released at the end. */
typedef struct content {
    foray_context *ctx;
    fy_arena arena;
    fy_reader reader;
    compact_header h;
    double norm_bound, feature_error, feature_delta;
    int64_t pairs;
    model_arrays a;
    bool *available; /* [pairs], or NULL: every pair exists */
    bool stays;      /* there are states without an action */
    int32_t *initial_state;
    double *initial_probability;
    char *name;
    int64_t *pair_start;
    int32_t *pair_index;
    double *pair_value;
} content;

/* How many bytes the header promises; false: more than there can be. */
static bool expected_size(const compact_header *h, uint64_t pairs, uint64_t cells, size_t *out)
{
    const struct {
        uint64_t count, size;
    } parts[] = {
        {1, FY_MODEL_MAGIC_SIZE + sizeof *h + 3 * sizeof(double) + CRC_SIZE},
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

static foray_status read_fields(content *c)
{
    uint64_t field[HEADER_FIELDS];
    uint8_t start[FY_MODEL_MAGIC_SIZE];
    fy_read_into(&c->reader, start, sizeof start);
    if (c->reader.failed || !fy_model_is_compact(start, sizeof start))
        return fy_fail(c->ctx, FORAY_ERROR_INPUT, "not a compact model");
    field[0] = fy_read_u64(&c->reader);
    if (!c->reader.failed && field[0] != COMPACT_VERSION)
        return fy_fail(c->ctx, FORAY_ERROR_INPUT,
                       "version %" PRIu64 ", but this Foray reads version %d", field[0],
                       COMPACT_VERSION);
    fy_read_u64s(&c->reader, field + 1, HEADER_FIELDS - 1);
    c->norm_bound = fy_read_double(&c->reader);
    c->feature_error = fy_read_double(&c->reader);
    c->feature_delta = fy_read_double(&c->reader);
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
    if (status == FORAY_OK && c->h.nonnegative > 1)
        status =
            fy_fail(c->ctx, FORAY_ERROR_INPUT,
                    "whether theta >= 0 is %" PRIu64 ", but it must be 0 or 1", c->h.nonnegative);
    if (status == FORAY_OK && c->h.aggregated > 1)
        status = fy_fail(c->ctx, FORAY_ERROR_INPUT,
                         "whether states are clusters is %" PRIu64 ", but it must be 0 or 1",
                         c->h.aggregated);
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

/* What is read, where each pair's begins, and what the basis keeps for each generator. */
static double memory_of(const compact_header *h, double pairs)
{
    return (4 + 8) * pairs + 4 * (double)h->transitions + (4 + 8) * (double)h->generator_sets +
           (8 + 8) * (double)h->generators + 12 * (double)h->features;
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
    foray_status status = fy_memory_need(c->ctx, memory_of(&c->h, (double)c->pairs), "the model",
                                         "fewer states would do with less");
    if (status == FORAY_OK && !sum_is_right(&c->reader))
        status = fy_fail(c->ctx, FORAY_ERROR_INPUT, "the checksum is wrong: the file is damaged");
    return status;
}

static bool allocate_content(content *c)
{
    fy_arena *arena = &c->arena;
    const compact_header *h = &c->h;
    model_arrays *a = &c->a;
    bool allocated =
        FY_NEW(arena, a->generator_set, c->pairs) && FY_NEW(arena, a->succ, h->transitions) &&
        FY_NEW(arena, a->succ_start, c->pairs + 1) &&
        FY_NEW(arena, a->gen_start, h->generator_sets + 1) &&
        FY_NEW(arena, a->feat_start, h->generators + 1) &&
        FY_NEW(arena, a->feat_index, h->features) && FY_NEW(arena, a->feat_value, h->features) &&
        FY_NEW(arena, c->initial_state, h->initials) &&
        FY_NEW(arena, c->initial_probability, h->initials) && FY_NEW(arena, c->name, h->name + 1);
    if (allocated && h->has_theta)
        allocated = FY_NEW(arena, a->theta, h->dim);
    if (allocated && h->grid_rows)
        allocated = FY_NEW(arena, a->cell_row, h->states) && FY_NEW(arena, a->cell_col, h->states);
    if (allocated && h->pair_dim)
        allocated = FY_NEW(arena, c->pair_start, c->pairs + 1) &&
                    FY_NEW(arena, c->pair_index, h->pair_features) &&
                    FY_NEW(arena, c->pair_value, h->pair_features);
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

/* Which pairs have a set; nothing is noted where all have one. States without any action have all:
 * there it is made up that every action stays. */
static foray_status find_available(content *c)
{
    int64_t pair = 0, A = (int64_t)c->h.actions;
    while (pair < c->pairs && c->a.generator_set[pair] != -1)
        pair++;
    if (pair == c->pairs)
        return FORAY_OK;
    if (!FY_NEW(&c->arena, c->available, c->pairs))
        return FORAY_ERROR_MEMORY;
    for (int64_t first = 0; first < c->pairs; first += A) {
        int64_t count = 0;
        for (pair = first; pair < first + A; pair++)
            count += c->available[pair] = c->a.generator_set[pair] != -1;
        c->stays |= count == 0;
        for (pair = first; pair < first + A && count == 0; pair++)
            c->available[pair] = true;
    }
    return FORAY_OK;
}

/* Each pair has as many successors as its set has generators. */
static foray_status place_successors(content *c)
{
    for (int64_t pair = 0; pair < c->pairs; pair++) {
        int32_t list = c->a.generator_set[pair];
        if (list == -1) {
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
    if (!FY_NEW(&c->arena, *out, count))
        return FORAY_ERROR_MEMORY;
    for (uint64_t i = 0; i < count; i++) {
        int32_t length = -1;
        fy_read_i32s(&c->reader, &length, 1);
        if (length == -1)
            continue;
        if (length < -1 || (size_t)length > size)
            return fy_fail(c->ctx, FORAY_ERROR_INPUT, "%s[%" PRIu64 "]: not a text", key, i);
        if (!((*out)[i] = fy_arena_alloc(&c->arena, (size_t)length + 1, 1)))
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
    const compact_header *h = &c->h;
    fy_read_i32s(&c->reader, c->a.generator_set, (size_t)c->pairs);
    fy_read_i32s(&c->reader, c->a.succ, h->transitions);
    foray_status status =
        read_counts(c, "generator set", h->generator_sets, h->generators, c->a.gen_start);
    if (status == FORAY_OK)
        status = read_counts(c, "generator", h->generators, h->features, c->a.feat_start);
    if (status == FORAY_OK)
        status = find_available(c);
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

/* ----------------------------------------- parts in the order of a model
 *
 * Files hold models in that order. What is read from them needs no second copy. */

/* Features of each generator ascend, and none is 0. */
static bool features_in_order(const fy_model_parts *parts)
{
    for (int64_t gen = 0; gen < parts->gen_start[parts->lists]; gen++)
        for (int64_t k = parts->feat_start[gen]; k < parts->feat_start[gen + 1]; k++) {
            int32_t index = parts->feat_index[k];
            double value = parts->feat_value[k];
            bool ascending = k == parts->feat_start[gen] || index > parts->feat_index[k - 1];
            if (!ascending || index < 0 || index >= parts->dim || value == 0 ||
                !(fabs(value) <= FY_MODEL_LARGEST))
                return false;
        }
    return true;
}

/* Generators of each list ascend: -1, 0 or 1 as words in a dictionary. */
static int compare(const fy_model_parts *parts, int64_t a, int64_t b)
{
    int64_t x = parts->feat_start[a], x_end = parts->feat_start[a + 1];
    int64_t y = parts->feat_start[b], y_end = parts->feat_start[b + 1];
    for (; x < x_end && y < y_end; x++, y++) {
        if (parts->feat_index[x] != parts->feat_index[y])
            return parts->feat_index[x] < parts->feat_index[y] ? -1 : 1;
        if (parts->feat_value[x] != parts->feat_value[y])
            return parts->feat_value[x] < parts->feat_value[y] ? -1 : 1;
    }
    return (x < x_end) - (y < y_end);
}

static bool generators_in_order(const fy_model_parts *parts)
{
    for (int64_t list = 0; list < parts->lists; list++)
        for (int64_t gen = parts->gen_start[list] + 1; gen < parts->gen_start[list + 1]; gen++)
            if (compare(parts, gen - 1, gen) > 0)
                return false;
    return true;
}

/* Lists are numbered as pairs meet them; first: [lists] those pairs. */
static bool lists_in_order(const fy_model_parts *parts, int32_t *first)
{
    int64_t met = 0;
    for (int64_t pair = 0; pair < parts->states * parts->actions; pair++) {
        if (parts->list_of_pair[pair] > met)
            return false;
        if (parts->list_of_pair[pair] == met)
            first[met++] = (int32_t)pair;
    }
    return met == parts->lists;
}

/* Each once, and those of equal generators ascending. seen: [states], zero. */
static bool pair_in_order(const fy_model_parts *parts, int64_t pair, int32_t *seen)
{
    int64_t start = parts->succ_start[pair], n = parts->succ_start[pair + 1] - start;
    int64_t first = parts->gen_start[parts->list_of_pair[pair]];
    for (int64_t j = 0; j < n; j++) {
        int32_t next = parts->succ[start + j];
        if (next < 0 || next >= parts->states || seen[next] == pair + 1)
            return false;
        seen[next] = (int32_t)pair + 1;
        if (j > 0 && next < parts->succ[start + j - 1] &&
            compare(parts, first + j - 1, first + j) == 0)
            return false;
    }
    return n > 0;
}

static bool pairs_in_order(const fy_model_parts *parts, int32_t *seen)
{
    for (int64_t pair = 0; pair < parts->states * parts->actions; pair++)
        if (!pair_in_order(parts, pair, seen))
            return false;
    return true;
}

static foray_status is_finished(foray_context *ctx, const fy_model_parts *parts, int32_t *first,
                                bool *out)
{
    int32_t *seen;
    *out = false;
    if (parts->available) /* pairs that stand in for others have to be made */
        return FORAY_OK;
    if (!lists_in_order(parts, first) || !features_in_order(parts) || !generators_in_order(parts))
        return FORAY_OK;
    if (!FY_ALLOC(ctx, seen, parts->states))
        return FORAY_ERROR_MEMORY;
    bool ordered = pairs_in_order(parts, seen);
    free(seen);
    return ordered ? fy_sets_distinct(ctx, parts, out) : FORAY_OK;
}

#define MOVE(member)                                                                               \
    (fy_arena_move(&model->arena, arrays->member), model->member = arrays->member,                 \
     arrays->member = NULL)

static void move_names(foray_model *model, char **names, int64_t count)
{
    for (int64_t i = 0; names && i < count; i++)
        fy_arena_move(&model->arena, names[i]);
}

static foray_status adopt(foray_context *ctx, const fy_model_parts *parts, model_arrays *arrays,
                          foray_model *model)
{
    fy_model_parts others = *parts;
    others.theta = NULL;
    others.cell_row = others.cell_col = NULL;
    others.state_names = others.action_names = NULL;
    foray_status status = fy_parts_copy(ctx, &others, model);
    if (status != FORAY_OK)
        return status;
    model->generator_sets = parts->lists;
    model->grid_rows = parts->cell_row ? parts->grid_rows : 0;
    model->grid_cols = parts->cell_row ? parts->grid_cols : 0;
    MOVE(generator_set);
    MOVE(succ_start);
    MOVE(succ);
    MOVE(gen_start);
    MOVE(feat_start);
    MOVE(feat_index);
    MOVE(feat_value);
    MOVE(theta);
    MOVE(cell_row);
    MOVE(cell_col);
    move_names(model, arrays->state_names, model->states);
    move_names(model, arrays->action_names, model->actions);
    MOVE(state_names);
    MOVE(action_names);
    return fy_model_complete(ctx, model);
}

/* first: [lists] the first pair that has each. */
static foray_status adopt_finished(foray_context *ctx, const fy_model_parts *parts,
                                   model_arrays *arrays, int32_t *first, foray_model **out)
{
    foray_model *model = fy_model_new(ctx);
    if (!model)
        return FORAY_ERROR_MEMORY;
    fy_arena_move(&model->arena, first);
    model->generator_set_pair = first;
    foray_status status = adopt(ctx, parts, arrays, model);
    if (status == FORAY_OK)
        *out = model;
    else
        foray_model_destroy(model);
    return status;
}

/* As fy_model_assemble, for parts whose pairs have lists. Where they are in the order of a finished
 * model, the arrays they point to, which are of an arena, become the model's, and are NULL
 * afterwards. */
static foray_status assemble_arrays(foray_context *ctx, const fy_model_parts *given,
                                    model_arrays *arrays, foray_model **out)
{
    fy_model_parts parts = *given;
    parts.features = parts.feat_start[parts.gen_start[parts.lists]];
    fy_arena arena = {.ctx = ctx};
    int32_t *first;
    bool finished = false;
    foray_status status = fy_parts_check(ctx, &parts);
    if (status != FORAY_OK)
        return status;
    status = FY_NEW(&arena, first, parts.lists) ? is_finished(ctx, &parts, first, &finished)
                                                : FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status = finished ? adopt_finished(ctx, &parts, arrays, first, out)
                          : fy_model_assemble(ctx, &parts, out);
    fy_arena_release(&arena);
    return status;
}

/* --------------------------------------------------------------------- the whole */

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
        .nonnegative = c->h.nonnegative,
        .aggregated = c->h.aggregated,
        .available = c->available,
        .stays = c->stays,
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
    return assemble_arrays(c->ctx, &parts, &c->a, out);
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
    fy_arena_release(&c->arena);
    return status == FORAY_OK ? status : fy_fail_within(c->ctx, status, "%s", where);
}

foray_status fy_model_parse_compact(foray_context *ctx, const void *data, size_t size,
                                    const char *where, foray_model **out)
{
    content c = {.ctx = ctx, .arena.ctx = ctx, .reader = {.data = data, .size = size}};
    return read_model(&c, where, out);
}

foray_status fy_model_fetch_compact(foray_context *ctx,
                                    bool (*fetch)(void *source, size_t at, void *to, size_t size),
                                    void *source, size_t size, const char *where, foray_model **out)
{
    content c = {
        .ctx = ctx, .arena.ctx = ctx, .reader = {.fetch = fetch, .source = source, .size = size}};
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
