/* test_formats.c - models as JSON and in the compact form: what is written reads
 * back bit for bit, and whatever else is read ends in a message, never in a crash. */
#include "support.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const support_sizes sizes = {
    .states = 7, .actions = 2, .horizon = 6, .successors = 4, .dim = 3};

/* A small model with everything a file can hold. */
static foray_model *full_model(foray_context *ctx)
{
    foray_builder *b;
    foray_model *model;
    const int64_t index[] = {0, 1}, second = 1;
    const double both[] = {0.1, 1.0 / 3}, rest = 1 - 1.0 / 3, theta[] = {-0.0, 1, 1e-300};
    support_ok(ctx, foray_builder_create(ctx, 3, 2, 4, 3, 1.7320508075688772, &b));
    for (int64_t pair = 0; pair < 6; pair++) {
        foray_builder_feature(b, pair / 2, pair % 2, 0, 2, index, both);
        foray_builder_feature(b, pair / 2, pair % 2, 2, 1, &second, &rest);
        if (pair == 3)
            foray_builder_feature(b, 1, 1, 1, 0, NULL, NULL);
    }
    foray_builder_theta(b, theta);
    foray_builder_name(b, "all \"there\" is: \\ \t\xe2\x82\xac");
    foray_builder_feature_error(b, 0.1, 0);
    foray_builder_initial(b, 2, 0.1);
    foray_builder_initial(b, 0, 0.9);
    foray_builder_state_name(b, 1, "middle");
    foray_builder_state_name(b, 2, "");
    foray_builder_action_name(b, 0, "left");
    foray_builder_grid(b, 2, 2);
    foray_builder_cell(b, 2, 1, 0);
    support_ok(ctx, foray_builder_finish(b, &model));
    foray_builder_destroy(b);
    return model;
}

static foray_status parse_json(foray_context *ctx, const char *text, size_t size, foray_model **out)
{
    /* A copy of the exact size, so that a sanitizer sees reading beyond it. */
    uint8_t *copy = malloc(size + 1);
    memcpy(copy, text, size);
    uint8_t *exact = realloc(copy, size ? size : 1);
    foray_status status = fy_model_parse_json(ctx, exact, size, "m.json", out);
    free(exact);
    return status;
}

static foray_status parse_compact(foray_context *ctx, const uint8_t *data, size_t size,
                                  foray_model **out)
{
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, data, size);
    foray_status status = fy_model_parse_compact(ctx, copy, size, "m.fmodel", out);
    free(copy);
    return status;
}

/* -------------------------------------------------------------- round trips */

static void check_round_trip(foray_context *ctx, const foray_model *model)
{
    foray_model *again;
    char *text;
    support_ok(ctx, fy_model_print_json(ctx, model, &text, NULL));
    support_ok(ctx, parse_json(ctx, text, strlen(text), &again));
    support_same_model(model, again);
    foray_model_destroy(again);
    free(text);
    uint8_t *data;
    size_t size;
    data = support_compact(ctx, model, &size);
    assert_true(fy_model_is_compact(data, size));
    support_ok(ctx, parse_compact(ctx, data, size, &again));
    support_same_model(model, again);
    foray_model_destroy(again);
    free(data);
}

static void models_read_back_bit_for_bit(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *full = full_model(ctx);
    check_round_trip(ctx, full);
    foray_model_destroy(full);
    for (int kind = 0; kind < SUPPORT_KINDS; kind++)
        for (uint64_t seed = 1; seed <= 10; seed++) {
            foray_model *model = support_model(ctx, kind, sizes, seed);
            check_round_trip(ctx, model);
            foray_model_destroy(model);
        }
    foray_context_destroy(ctx);
}

static void files_read_back(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *full = full_model(ctx), *again;
    char *directory = support_directory(), path[4200];
    snprintf(path, sizeof path, "%s/model", directory);
    for (int format = FORAY_MODEL_JSON; format <= FORAY_MODEL_COMPACT; format++) {
        support_ok(ctx, foray_model_save(ctx, full, format, path));
        support_ok(ctx, foray_model_load(ctx, path, &again));
        support_same_model(full, again);
        foray_model_destroy(again);
    }
    assert_int_equal(foray_model_save(ctx, full, 7, path), FORAY_ERROR_USAGE);
    assert_int_equal(foray_model_save(ctx, full, FORAY_MODEL_JSON, "/nowhere/m.json"),
                     FORAY_ERROR_IO);
    assert_int_equal(foray_model_load(ctx, "/nowhere/m.json", &again), FORAY_ERROR_IO);
    assert_non_null(strstr(foray_message(ctx), "/nowhere/m.json"));
    foray_model_destroy(full);
    support_remove(directory);
    foray_context_destroy(ctx);
}

/* The example of docs/formats.md is a valid model. */
static void example_is_valid(void **state)
{
    (void)state;
    const char *text =
        "{\"format\":\"foray-model\",\"version\":1,\n"
        " \"name\":\"two doors\",\n"
        " \"states\":2,\"actions\":2,\"horizon\":3,\"dim\":3,\"norm_bound\":1.7320508075688772,\n"
        " \"initial\":[[0,1]],\n"
        " \"features\":[\n"
        "  [0,0,0,[[0,1]]],\n"
        "  [0,1,0,[[1,0.7071067811865475]]],\n"
        "  [0,1,1,[[2,0.7071067811865475]]],\n"
        "  [1,0,1,[[0,1]]],\n"
        "  [1,1,1,[[0,1]]]],\n"
        " \"theta\":[1,0.28284271247461906,1.1313708498984762],\n"
        " \"state_names\":[\"outside\",\"inside\"],\n"
        " \"action_names\":[\"wait\",\"push\"],\n"
        " \"layout\":{\"kind\":\"grid\",\"rows\":1,\"cols\":2,\"cell\":[[0,0,0],[1,0,1]]}}\n";
    foray_context *ctx = foray_context_create();
    foray_model *model;
    support_ok(ctx, parse_json(ctx, text, strlen(text), &model));
    support_ok(ctx, foray_model_check(ctx, model, NULL));
    assert_int_equal(model->basis->blocks, 2);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* A gigabyte of zeros (a sparse file) is refused without being read as a whole. */
static void garbage_is_refused(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = NULL;
    char *directory = support_directory(), path[4200];
    snprintf(path, sizeof path, "%s/garbage", directory);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), (off_t)1 << 30), 0);
    fclose(file);
    assert_int_equal(foray_model_load(ctx, path, &model), FORAY_ERROR_INPUT);
    assert_non_null(strstr(foray_message(ctx), path));
    assert_non_null(strstr(foray_message(ctx), "compact format"));
    assert_null(model);
    support_remove(directory);
    foray_context_destroy(ctx);
}

/* Numbers are written with a point whatever the locale writes. */
static void locales_do_not_matter(void **state)
{
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8"))
        skip(); /* no such locale on this machine */
    foray_context *ctx = foray_context_create();
    foray_model *full = full_model(ctx);
    check_round_trip(ctx, full);
    foray_model_destroy(full);
    foray_context_destroy(ctx);
    setlocale(LC_NUMERIC, "C");
}

/* ------------------------------------------------------------------ damage */

static void truncation_at_every_byte(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *full = full_model(ctx), *model = NULL;
    char *text;
    support_ok(ctx, fy_model_print_json(ctx, full, &text, NULL));
    size_t end = strlen(text) - 1; /* the last byte is an end of line, which may be missing */
    for (size_t size = 0; size < end; size++)
        assert_int_equal(parse_json(ctx, text, size, &model), FORAY_ERROR_INPUT);
    free(text);
    uint8_t *data;
    size_t length;
    data = support_compact(ctx, full, &length);
    for (size_t size = 0; size < length; size++)
        assert_int_equal(parse_compact(ctx, data, size, &model), FORAY_ERROR_INPUT);
    assert_null(model);
    free(data);
    foray_model_destroy(full);
    foray_context_destroy(ctx);
}

/* Every flipped bit is found by the checksum; without it (made right again here),
 * nothing worse than a message or another model happens. */
static void set_checksum(uint8_t *data, size_t size)
{
    uint32_t crc = fy_crc32c(0, data, size - 4);
    for (int i = 0; i < 4; i++)
        data[size - 4 + (size_t)i] = (uint8_t)(crc >> (8 * i));
}

/* Files and memory hold the same bytes, and each is read by either way. */
static void memory_and_files_agree(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *full = full_model(ctx), *again = NULL;
    char path[] = "/tmp/foray-XXXXXX", *data;
    size_t size, found;
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    for (foray_model_format format = FORAY_MODEL_JSON; format <= FORAY_MODEL_COMPACT; format++) {
        uint8_t *bytes;
        support_ok(ctx, foray_model_print(ctx, full, format, &data, &size));
        assert_int_equal(data[size], 0);
        support_ok(ctx, foray_model_parse(ctx, data, size, "memory", &again));
        support_same_model(full, again);
        foray_model_destroy(again);
        support_ok(ctx, foray_model_save(ctx, full, format, path));
        support_ok(ctx, fy_file_read(ctx, path, 1 << 20, &bytes, &found));
        assert_int_equal(found, size);
        assert_memory_equal(bytes, data, size);
        free(bytes);
        foray_free(data);
    }
    again = NULL;
    support_ok(ctx, foray_model_print(ctx, full, FORAY_MODEL_JSON, &data, NULL));
    assert_int_equal(foray_model_parse(ctx, data, 10, "half", &again), FORAY_ERROR_INPUT);
    assert_non_null(strstr(foray_message(ctx), "half"));
    assert_int_equal(foray_model_parse(ctx, "SQLite format 3", 16, "run", &again),
                     FORAY_ERROR_INPUT);
    assert_string_equal(foray_message(ctx), "run: this is a run, but a model is expected");
    assert_int_equal(foray_model_print(ctx, full, (foray_model_format)2, &data, NULL),
                     FORAY_ERROR_USAGE);
    assert_null(again);
    foray_free(data);
    foray_free(NULL);
    remove(path);
    foray_model_destroy(full);
    foray_context_destroy(ctx);
}

static void flipped_bits_are_found(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *full = full_model(ctx), *model = NULL;
    uint8_t *data;
    size_t size, survivors = 0;
    data = support_compact(ctx, full, &size);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        uint8_t mask = (uint8_t)(1 << bit % 8), last[4];
        memcpy(last, data + size - 4, 4);
        data[bit / 8] ^= mask;
        assert_int_equal(parse_compact(ctx, data, size, &model), FORAY_ERROR_INPUT);
        set_checksum(data, size);
        foray_status status = parse_compact(ctx, data, size, &model);
        assert_true(status == FORAY_OK || status == FORAY_ERROR_INPUT);
        if (status == FORAY_OK) {
            foray_model_check(ctx, model, NULL);
            foray_model_destroy(model);
            model = NULL;
            survivors++;
        } else {
            assert_non_null(strstr(foray_message(ctx), "m.fmodel: "));
        }
        data[bit / 8] ^= mask;
        memcpy(data + size - 4, last, 4);
    }
    assert_true(survivors > 50); /* low bits of numbers, letters of names */
    free(data);
    foray_model_destroy(full);
    foray_context_destroy(ctx);
}

/* What is not version 1, whatever else it says, and an error that is no number are refused. */
static void one_version_is_read(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *full = full_model(ctx), *none = NULL;
    uint8_t *data;
    size_t size;
    data = support_compact(ctx, full, &size);
    assert_int_equal(data[8], 1);
    size_t at = 8 + 20 * 8 + 8; /* behind magic, header and norm_bound */
    memset(data + at, 0xff, 8);
    set_checksum(data, size);
    assert_int_equal(parse_compact(ctx, data, size, &none), FORAY_ERROR_INPUT);
    assert_non_null(strstr(foray_message(ctx), "feature_error: "));
    data[8] = 2;
    assert_int_equal(parse_compact(ctx, data, size, &none), FORAY_ERROR_INPUT);
    assert_string_equal(foray_message(ctx), "m.fmodel: version 2, but this Foray reads version 1");
    free(data);
    foray_model_destroy(full);
    foray_context_destroy(ctx);
}

/* That weights are not negative is written where the features do not show it, and only there. */
static void signs_are_kept(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    int64_t tellers = 0;
    for (int i = 0; i < 10 * SUPPORT_KINDS; i++) {
        int kind = i % SUPPORT_KINDS;
        foray_model *model = support_model(ctx, kind, sizes, (uint64_t)i), *again;
        char *text;
        size_t size;
        bool told = model->nonnegative;
        assert_true(!told || kind == SUPPORT_MIXTURE);
        tellers += told;
        support_ok(ctx, fy_model_print_json(ctx, model, &text, &size));
        assert_true((strstr(text, "\"nonnegative\":true") != NULL) == told);
        support_ok(ctx, fy_model_parse_json(ctx, (uint8_t *)text, size, "text", &again));
        assert_true(foray_model_equal(model, again));
        free(text);
        foray_model_destroy(model);
        foray_model_destroy(again);
    }
    assert_true(tellers > 0);
    foray_context_destroy(ctx);
}

/* Sizes whose products overflow: set 8-byte header fields to extreme values. */
static void overflowing_sizes_are_refused(void **state)
{
    (void)state;
    const uint64_t extreme[] = {0,          INT32_MAX,  (uint64_t)INT32_MAX - 1, 1ull << 32,
                                1ull << 61, 1ull << 62, UINT64_MAX / 12 + 1,     UINT64_MAX};
    foray_context *ctx = foray_context_create();
    foray_model *full = full_model(ctx), *model = NULL;
    uint8_t *data, saved[8];
    size_t size;
    data = support_compact(ctx, full, &size);
    for (size_t field = 1; field <= 16; field++)
        for (size_t i = 0; i < sizeof extreme / sizeof *extreme; i++) {
            bool free_choice = field == 4 || field == 12 || field == 13; /* horizon, map */
            memcpy(saved, data + 8 * field, 8);
            for (int byte = 0; byte < 8; byte++)
                data[8 * field + (size_t)byte] = (uint8_t)(extreme[i] >> (8 * byte));
            set_checksum(data, size);
            foray_status status = parse_compact(ctx, data, size, &model);
            if (!free_choice)
                assert_int_equal(status, FORAY_ERROR_INPUT);
            if (status == FORAY_OK)
                foray_model_destroy(model);
            model = NULL;
            memcpy(data + 8 * field, saved, 8);
        }
    free(data);
    foray_model_destroy(full);
    foray_context_destroy(ctx);
}

/* Much data goes another way through the checksum than the same data in small pieces. */
static void checksums_agree_for_all_sizes(void **state)
{
    (void)state;
    enum { SIZE = 20000, PIECE = 777 };
    uint8_t *data = malloc(SIZE);
    for (size_t i = 0; i < SIZE; i++)
        data[i] = (uint8_t)fy_random_bits(5, FY_STREAM_TEST, i, 0, 0);
    for (size_t size = SIZE - 20; size <= SIZE; size++) {
        uint32_t crc = 0;
        for (size_t at = 0; at < size; at += PIECE)
            crc = fy_crc32c(crc, data + at, size - at < PIECE ? size - at : PIECE);
        assert_int_equal(crc, fy_crc32c(0, data, size));
    }
    free(data);
}

/* Random bytes behind a good beginning: replaced, inserted, dropped. */
static void mangled_json_is_survived(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *full = full_model(ctx);
    char *text;
    support_ok(ctx, fy_model_print_json(ctx, full, &text, NULL));
    size_t size = strlen(text);
    char *mangled = malloc(size + 1);
    support_random random = {.seed = 77};
    const char letters[] = "0123456789[]{},:\"-e.anult\\ \xff";
    for (int round = 0; round < 4000; round++) {
        memcpy(mangled, text, size + 1);
        for (int64_t change = support_below(&random, 3); change >= 0; change--)
            mangled[support_below(&random, (int64_t)size)] =
                letters[support_below(&random, (int64_t)sizeof letters - 1)];
        foray_model *model = NULL;
        foray_status status = parse_json(ctx, mangled, size, &model);
        assert_true(status == FORAY_OK || status == FORAY_ERROR_INPUT);
        if (status == FORAY_OK)
            foray_model_check(ctx, model, NULL);
        foray_model_destroy(model);
    }
    free(mangled);
    free(text);
    foray_model_destroy(full);
    foray_context_destroy(ctx);
}

/* ---------------------------------------------------------------- messages */

#define HEAD "{\"format\":\"foray-model\",\"version\":1,\"name\":\"x\",\"states\":2,\"actions\":1,"
#define SIZES HEAD "\"horizon\":3,\"dim\":1,\"norm_bound\":1,"
#define START SIZES "\"initial\":[[0,1]],"
#define GOOD START "\"features\":[[0,0,1,[[0,1]]],[1,0,0,[[0,1]]]]"

static const struct {
    const char *text, *message;
} cases[] = {
    {"", "m.json:1:1: "},
    {"{\"format\":\n  nonsense}", "m.json:2:"},
    {"[]", "m.json: "},
    {"{}", "m.json: format"},
    {"{\"format\":\"foray-model\"}", "m.json: version: an integer is expected"},
    {"{\"format\":\"foray-model\",\"version\":3}",
     "m.json: version 3, but this Foray reads version 1"},
    {GOOD ",\"thetta\":[1]}", "thetta"},
    {GOOD ",\"name\":\"y\"}", "duplicate"},
    {HEAD "\"horizon\":0,\"dim\":1,\"norm_bound\":1}", "horizon: 0"},
    {HEAD "\"horizon\":3,\"dim\":1.5,\"norm_bound\":1}", "dim: "},
    {HEAD "\"horizon\":3,\"dim\":1}", "norm_bound: "},
    {HEAD "\"horizon\":3,\"dim\":1,\"norm_bound\":0,\"initial\":[],\"features\":[]}",
     "norm_bound: 0"},
    {HEAD "\"horizon\":99999999999,\"dim\":1,\"norm_bound\":1}", "horizon: 99999999999"},
    {SIZES "\"features\":[[0,0,1,[[0,1]]],[1,0,0,[[0,1]]]]}", "initial: "},
    {START "\"features\":[]}", "features: 0 entries"},
    {START "\"features\":[[0,0,1,[[0,1]]],[2,0,0,[[0,1]]]]}",
     "m.json: features[1]: state 2, but the model has 2 states"},
    {START "\"features\":[[0,0,1,[[0,1]]],[1,7,0,[[0,1]]]]}", "features[1]: action 7"},
    {START "\"features\":[[0,0,1,[[0,1]]],[1,0,-1,[[0,1]]]]}", "features[1]: next state -1"},
    {START "\"features\":[[0,0,1,[[3,1]]],[1,0,0,[[0,1]]]]}", "features[0][3][0]: coordinate 3"},
    {START "\"features\":[[0,0,1,[[0,\"1\"]]],[1,0,0,[[0,1]]]]}", "features[0][3][0]"},
    {START "\"features\":[[0,0,1,[[0,1]]],[0,0,0,[[0,1]]]]}", "state 1, action 0"},
    {START "\"features\":[[0,0,1,[[0,1]]],[0,0,1,[[0,1]]],[1,0,0,[[0,1]]]]}",
     "state 0, action 0: successor 1 is given twice"},
    {START "\"features\":[[0,0,1,[[0,1],[0,2]]],[1,0,0,[[0,1]]]]}", "coordinate 0"},
    {START "\"features\":[[0,0,1,[[0,1e999]]],[1,0,0,[[0,1]]]]}", "m.json:1:"},
    {START "\"features\":[[0,0,1,[[0,1e200]]],[1,0,0,[[0,1]]]]}", "state 0, action 0"},
    {SIZES "\"initial\":[[0,0.5]],\"features\":[[0,0,1,[[0,1]]],[1,0,0,[[0,1]]]]}",
     "initial: the probabilities sum to 0.5"},
    {SIZES "\"initial\":[[0,2],[1,-1]],\"features\":[[0,0,1,[[0,1]]],[1,0,0,[[0,1]]]]}",
     "initial[0]: state 0"},
    {SIZES "\"initial\":[[5,1]],\"features\":[[0,0,1,[[0,1]]],[1,0,0,[[0,1]]]]}",
     "initial[0]: state 5, but the model has 2 states"},
    {GOOD ",\"feature_error\":-0.5}", "feature_error: -0.5"},
    {GOOD ",\"feature_error\":1e101}", "feature_error: 1e+101"},
    {GOOD ",\"feature_error\":null}", "feature_error: "},
    {GOOD ",\"theta\":[1,2]}", "theta: must be an array of 1"},
    {GOOD ",\"theta\":[\"x\"]}", "theta: item 0"},
    {GOOD ",\"state_names\":[\"a\"]}", "state_names: must be an array of 2"},
    {GOOD ",\"action_names\":[7]}", "action_names[0]"},
    {GOOD ",\"layout\":{\"kind\":\"hex\",\"rows\":1,\"cols\":1,\"cell\":[]}}", "layout: kind"},
    {GOOD ",\"layout\":{\"kind\":\"grid\",\"rows\":1,\"cols\":1,\"cell\":[[0,0,4]]}}",
     "layout.cell[0]: column 4"},
    {GOOD ",\"layout\":{\"kind\":\"grid\",\"rows\":1,\"cols\":1,\"cell\":[[0,0,0],[0,0,0]]}}",
     "layout.cell[1]: state 0 is given twice"},
    {GOOD ",\"layout\":{\"kind\":\"grid\",\"rows\":1,\"cols\":1,\"cell\":[],\"x\":1}}", "\"x\""},
    {HEAD "\"horizon\":3,\"dim\":2000000000,\"norm_bound\":1,\"initial\":[[0,1]],"
          "\"features\":[[0,0,1,[[0,1]]],[1,0,0,[[0,1]]]]}",
     "dim: 2000000000"},
};

static void messages_name_key_and_cause(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = NULL;
    support_ok(ctx, parse_json(ctx, GOOD "}", strlen(GOOD "}"), &model));
    foray_model_destroy(model);
    model = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        foray_status status = parse_json(ctx, cases[i].text, strlen(cases[i].text), &model);
        if (status != FORAY_ERROR_INPUT || !strstr(foray_message(ctx), cases[i].message) ||
            !strstr(foray_message(ctx), "m.json"))
            fail_msg("case %zu: %d \"%s\" lacks \"%s\"", i, status, foray_message(ctx),
                     cases[i].message);
    }
    assert_null(model);
    foray_context_destroy(ctx);
}

/* ------------------------------------------------------------------- order */

#define TWINS SIZES "\"initial\":[[0,1]],\"features\":"

/* Entries in any order give one model; equal vectors are told apart by their successors. */
static void order_of_entries_does_not_matter(void **state)
{
    (void)state;
    static const char *const texts[] = {
        TWINS "[[0,0,0,[[0,0.5]]],[0,0,1,[[0,0.5]]],[1,0,0,[[0,0.5]]],[1,0,1,[[0,0.5]]]]}",
        TWINS "[[1,0,1,[[0,0.5]]],[0,0,1,[[0,0.5]]],[1,0,0,[[0,0.5]]],[0,0,0,[[0,0.5]]]]}",
    };
    foray_context *ctx = foray_context_create();
    foray_model *model[2];
    for (int i = 0; i < 2; i++)
        support_ok(ctx, parse_json(ctx, texts[i], strlen(texts[i]), &model[i]));
    support_same_model(model[0], model[1]);
    assert_int_equal(model[0]->generator_sets, 1);
    foray_model_destroy(model[0]);
    foray_model_destroy(model[1]);
    foray_context_destroy(ctx);
}

/* ------------------------------------------------------------------ memory */

static void every_allocation_may_fail(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *full = full_model(ctx);
    char *directory = support_directory(), path[4200];
    snprintf(path, sizeof path, "%s/model", directory);
    for (int format = FORAY_MODEL_JSON; format <= FORAY_MODEL_COMPACT; format++) {
        foray_status status = FORAY_ERROR_MEMORY;
        int64_t allowed = 0;
        for (; status == FORAY_ERROR_MEMORY; allowed++) {
            ctx->allocations_left = allowed;
            status = foray_model_save(ctx, full, format, path);
            assert_true(status == FORAY_OK || access(path, F_OK) != 0);
        }
        assert_int_equal(status, FORAY_OK);
        assert_true(allowed > 1);
        foray_model *again = NULL;
        status = FORAY_ERROR_MEMORY;
        for (allowed = 0; status == FORAY_ERROR_MEMORY; allowed++) {
            ctx->allocations_left = allowed;
            status = foray_model_load(ctx, path, &again);
            assert_true(status == FORAY_OK || again == NULL);
        }
        ctx->allocations_left = -1;
        assert_int_equal(status, FORAY_OK);
        assert_true(allowed > 40);
        support_same_model(full, again);
        foray_model_destroy(again);
        assert_int_equal(unlink(path), 0);
    }
    support_remove(directory);
    foray_model_destroy(full);
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_read_back_bit_for_bit),
        cmocka_unit_test(files_read_back),
        cmocka_unit_test(example_is_valid),
        cmocka_unit_test(garbage_is_refused),
        cmocka_unit_test(locales_do_not_matter),
        cmocka_unit_test(truncation_at_every_byte),
        cmocka_unit_test(memory_and_files_agree),
        cmocka_unit_test(flipped_bits_are_found),
        cmocka_unit_test(one_version_is_read),
        cmocka_unit_test(signs_are_kept),
        cmocka_unit_test(overflowing_sizes_are_refused),
        cmocka_unit_test(checksums_agree_for_all_sizes),
        cmocka_unit_test(mangled_json_is_survived),
        cmocka_unit_test(messages_name_key_and_cause),
        cmocka_unit_test(order_of_entries_does_not_matter),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
