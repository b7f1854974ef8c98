/* test_umb.c - models as UMB files: what is written and read again gives the same values, as it is
 * or compressed; files of others, put together here, are read as the format says; bad ones are
 * named by member and cause. */
#include "export/export.h"
#include "oracle_truth.h"
#include "support.h"

#include <lzma.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static char *directory, path[600];

static void write_bytes(const void *data, size_t size)
{
    snprintf(path, sizeof path, "%s/m.umb", directory);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static foray_status import_file(foray_context *ctx, int64_t horizon, foray_model **model,
                                foray_import_rewards *rewards)
{
    const char *list = path;
    foray_import_options options = {.size = sizeof options, .horizon = horizon};
    return foray_model_import(ctx, &list, 1, &options, model, rewards, NULL);
}

/* ------------------------------------------------------------------------- round trips */

enum { REWARDS = 4 };

/* r(s,a), r(s,a,s'), reaching, and reaching while avoiding, which becomes two labels. */
static void draw_rewards(foray_context *ctx, const foray_model *model, uint64_t seed,
                         foray_reward *out[REWARDS])
{
    support_random random = {seed, 5};
    int64_t reach[] = {2}, avoid[] = {1};
    support_ok(ctx, foray_reward_create(ctx, model, "pairs", -2, 3, 0, &out[0]));
    support_ok(ctx, foray_reward_create(ctx, model, "what follows", -2, 3, 1, &out[1]));
    for (int64_t s = 0; s < foray_model_states(model); s++)
        for (int64_t a = 0; a < foray_model_actions(model); a++) {
            const int32_t *next;
            support_ok(ctx,
                       foray_reward_set(ctx, out[0], -1, s, a, 5 * support_uniform(&random) - 2));
            foray_model_successors(model, s, a, &next);
            support_ok(ctx, foray_reward_set_next(ctx, out[1], -1, s, a, next[0],
                                                  5 * support_uniform(&random) - 2));
        }
    support_ok(ctx, foray_reward_create_reach(ctx, model, "there", 1, reach, 0, NULL, &out[2]));
    support_ok(ctx, foray_reward_create_reach(ctx, model, "safely", 1, reach, 1, avoid, &out[3]));
}

static int64_t find_reward(const foray_import_rewards *rewards, const char *name)
{
    for (int64_t i = 0; i < rewards->count; i++)
        if (strcmp(rewards->name[i], name) == 0)
            return i;
    fail_msg("no reward %s", name);
    return -1;
}

static void same_values(foray_context *ctx, const foray_model *model, const foray_reward *reward,
                        const foray_model *read, const foray_import_rewards *rewards,
                        const char *name)
{
    foray_reward *other;
    const char *text = rewards->text[find_reward(rewards, name)];
    support_ok(ctx, foray_reward_parse(ctx, read, text, strlen(text), name, &other));
    double before = support_optimal(ctx, model, reward), after = support_optimal(ctx, read, other);
    if (!(fabs(before - after) <= 1e-9))
        fail_msg("%s: %.12g, but %.12g again", name, before, after);
    foray_reward_destroy(other);
}

static void values_come_back(void **state)
{
    foray_context *ctx = *state;
    static const char *const name[REWARDS] = {"pairs", "what_follows", "there", "safely_avoid"};
    support_sizes sizes = {.states = 5, .actions = 2, .horizon = 6, .successors = 3, .dim = 3};
    for (uint64_t seed = 0; seed < 40; seed++) {
        foray_model *model = support_model(ctx, (int)(seed % SUPPORT_KINDS), sizes, seed), *read;
        foray_reward *reward[REWARDS];
        foray_import_rewards rewards;
        char *data;
        size_t size;
        draw_rewards(ctx, model, seed, reward);
        fy_export_options what = {.rewards = REWARDS,
                                  .reward = (const foray_reward *const *)reward};
        support_ok(ctx, fy_model_export(ctx, model, &what, "umb", &data, &size));
        write_bytes(data, size);
        support_ok(ctx, import_file(ctx, 6, &read, &rewards));
        support_ok(ctx, foray_model_check(ctx, read, NULL));
        assert_int_equal(rewards.count, REWARDS + 1);
        for (int i = 0; i + 1 < REWARDS; i++)
            same_values(ctx, model, reward[i], read, &rewards, name[i]);
        find_reward(&rewards, name[REWARDS - 1]);
        foray_free(data);
        foray_import_rewards_clear(&rewards);
        foray_model_destroy(read);
        for (int i = 0; i < REWARDS; i++)
            foray_reward_destroy(reward[i]);
        foray_model_destroy(model);
    }
}

/* A reward that depends on the step cannot be said. */
static void steps_are_refused(void **state)
{
    foray_context *ctx = *state;
    support_sizes sizes = {.states = 3, .actions = 2, .horizon = 4, .successors = 2, .dim = 2};
    foray_model *model = support_model(ctx, SUPPORT_TABULAR, sizes, 1);
    foray_reward *reward = truth_random_reward(ctx, model, 1);
    const foray_reward *list = reward;
    fy_export_options what = {.rewards = 1, .reward = &list};
    char *data;
    size_t size;
    assert_int_equal(fy_model_export(ctx, model, &what, "umb", &data, &size), FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(ctx), "depends on the step"));
    assert_int_equal(fy_model_export(ctx, model, &what, "dot", &data, &size), FORAY_ERROR_USAGE);
    foray_reward_destroy(reward);
    foray_model_destroy(model);
}

/* ---------------------------------------------------------------------- files of others */

/* Four states, choices that not all states have, a state without choices, two branches that lead
 * to one state with different rewards, rationals, bit-packed variables: x in 2 bits counted from
 * -1, and a flag. */
static const char own_index[] =
    "{\"format-version\":1,\"format-revision\":0,\"transition-system\":{\"time\":\"discrete\","
    "\"#players\":1,\"#states\":4,\"#initial-states\":1,\"#choices\":4,\"#choice-actions\":3,"
    "\"#branches\":6,\"#branch-actions\":0,\"#observations\":0,"
    "\"branch-probability-type\":{\"type\":\"rational\",\"size\":128}},"
    "\"annotations\":{\"aps\":{\"g\":{\"alias\":\"goal!\",\"applies-to\":[\"states\"],"
    "\"type\":{\"type\":\"bool\"}}},\"rewards\":{\"r\":{\"applies-to\":[\"states\",\"branches\"],"
    "\"type\":{\"type\":\"double\"}}}},\"valuations\":{\"states\":{\"unique\":true,\"classes\":["
    "{\"variables\":[{\"name\":\"x\",\"type\":{\"type\":\"uint\",\"size\":2},\"offset\":-1},"
    "{\"name\":\"b\",\"type\":{\"type\":\"bool\",\"size\":1}},{\"padding\":5}]}]}}}";

typedef struct arrays {
    uint64_t choices[5], branches[5], target[6], fraction[12], initial[1], goal[1], texts[4];
    uint32_t action[4];
    double state_reward[4], reward[6];
    uint8_t names[4];
} arrays;

static const arrays own_arrays = {
    .choices = {0, 2, 3, 4, 4},
    .branches = {0, 3, 4, 5, 6},
    .target = {1, 1, 2, 3, 0, 2},
    .fraction = {1, 4, 1, 4, 1, 2, 1, 1, 1, 1, 1, 1},
    .initial = {1},
    .goal = {8},
    .texts = {0, 0, 2, 6},
    .action = {1, 2, 1, 2},
    .state_reward = {0, 1, 0, 0.5},
    .reward = {8, 0, 2, 0, 0, 0},
    .names = {0, 1, 2, 7},
};

static void put_file(fy_writer *tar, const char *index, const arrays *a, const char *without)
{
    const struct {
        const char *name;
        const void *data;
        size_t size;
    } member[] = {
        {"index.json", index, strlen(index)},
        {"state-to-choices.bin", a->choices, sizeof a->choices},
        {"choice-to-branches.bin", a->branches, sizeof a->branches},
        {"branch-to-target.bin", a->target, sizeof a->target},
        {"branch-to-probability.bin", a->fraction, sizeof a->fraction},
        {"./state-is-initial.bin", a->initial, sizeof a->initial},
        {"actions/choices/values.bin", a->action, sizeof a->action},
        {"actions/choices/string-mapping.bin", a->texts, sizeof a->texts},
        {"actions/choices/strings.bin", "gostay", 6},
        {"annotations/aps/g/states/values.bin", a->goal, sizeof a->goal},
        {"annotations/rewards/r/states/values.bin", a->state_reward, sizeof a->state_reward},
        {"annotations/rewards/r/branches/values.bin", a->reward, sizeof a->reward},
        {"valuations/states/valuations.bin", a->names, sizeof a->names},
    };
    for (size_t i = 0; i < sizeof member / sizeof *member; i++)
        if (!without || strcmp(member[i].name, without) != 0)
            fy_tar_add(tar, member[i].name, member[i].data, member[i].size);
    fy_tar_end(tar);
}

/* By hand: from 0 "go" earns 8/4 + 0/4 + 2/2 = 3 in the mean and leads to 1 or 2 with 1/2 each;
 * 1 earns 1 and leads to 0; 2 stays; "stay" leads to 3, which earns 1/2 for ever. */
static void check_own(foray_context *ctx)
{
    foray_model *model;
    foray_import_rewards rewards;
    foray_reward *reward;
    support_ok(ctx, import_file(ctx, 3, &model, &rewards));
    support_ok(ctx, foray_model_check(ctx, model, NULL));
    assert_int_equal(foray_model_states(model), 5); /* one is a twin */
    assert_string_equal(foray_model_state_name(model, 0), "(-1,false)");
    assert_string_equal(foray_model_state_name(model, 3), "(2,true)");
    assert_string_equal(foray_model_action_name(model, 0), "go");
    assert_true(foray_model_available(model, 0, 1) && !foray_model_available(model, 1, 1));
    assert_int_equal(rewards.count, 2);
    assert_string_equal(rewards.name[1], "goal_");
    static const double expected[] = {5, 1}; /* 3 + 1/2 (1 + 3) = 5, against 1/2 * 2 */
    for (int i = 0; i < 2; i++) {
        support_ok(ctx, foray_reward_parse(ctx, model, rewards.text[i], strlen(rewards.text[i]),
                                           "r", &reward));
        assert_true(fabs(support_optimal(ctx, model, reward) - expected[i]) <= 1e-12);
        foray_reward_destroy(reward);
    }
    foray_model_destroy(model);
    foray_import_rewards_clear(&rewards);
}

static void files_of_others_are_read(void **state)
{
    foray_context *ctx = *state;
    fy_writer tar = {.ctx = ctx};
    put_file(&tar, own_index, &own_arrays, NULL);
    assert_false(tar.failed);
    write_bytes(tar.data, tar.size);
    check_own(ctx);
    snprintf(path, sizeof path, "%s/m.umb", directory);
    gzFile packed = gzopen(path, "wb");
    assert_int_equal(gzwrite(packed, tar.data, (unsigned)tar.size), tar.size);
    assert_int_equal(gzclose(packed), Z_OK);
    check_own(ctx);
    uint8_t out[1 << 16];
    size_t size = 0;
    assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, tar.data, tar.size, out,
                                             &size, sizeof out),
                     LZMA_OK);
    write_bytes(out, size);
    check_own(ctx);
    foray_model *model;
    write_bytes(out, size / 2);
    assert_int_equal(import_file(ctx, 3, &model, NULL), FORAY_ERROR_INPUT);
    assert_non_null(strstr(foray_message(ctx), "not all of it can be unpacked"));
    free(tar.data);
}

/* The content of a gzip file with an end of a member at every `step` bytes. */
static void write_members(const fy_writer *tar, unsigned step)
{
    snprintf(path, sizeof path, "%s/m.umb", directory);
    remove(path);
    for (size_t at = 0; at < tar->size; at += step) {
        unsigned size = tar->size - at < step ? (unsigned)(tar->size - at) : step;
        gzFile packed = gzopen(path, "ab");
        assert_int_equal(gzwrite(packed, tar->data + at, size), size);
        assert_int_equal(gzclose(packed), Z_OK);
    }
}

static void add_to_file(const char *bytes, size_t size)
{
    FILE *file = fopen(path, "ab");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* What follows the first member of a gzip file, or the end of a tar file, is read or refused. */
static void nothing_that_follows_is_ignored(void **state)
{
    foray_context *ctx = *state;
    foray_model *model;
    fy_writer tar = {.ctx = ctx};
    put_file(&tar, own_index, &own_arrays, NULL);
    for (unsigned step = 100; step < 2 * tar.size; step *= 7) {
        write_members(&tar, step);
        check_own(ctx);
        add_to_file("more", 4);
        assert_int_equal(import_file(ctx, 3, &model, NULL), FORAY_ERROR_INPUT);
        assert_non_null(strstr(foray_message(ctx), "not all of it can be unpacked"));
    }
    char padding[1000] = {0};
    write_bytes(tar.data, tar.size);
    add_to_file(padding, sizeof padding);
    check_own(ctx);
    add_to_file("m", 1);
    assert_int_equal(import_file(ctx, 3, &model, NULL), FORAY_ERROR_INPUT);
    assert_non_null(strstr(foray_message(ctx), "something follows the end of the tar file"));
    put_file(&tar, own_index, &own_arrays, NULL);
    write_members(&tar, (unsigned)tar.size / 2);
    assert_int_equal(import_file(ctx, 3, &model, NULL), FORAY_ERROR_INPUT);
    assert_non_null(strstr(foray_message(ctx), "something follows the end of the tar file"));
    free(tar.data);
}

/* 100 MiB of nothing in a small file: no more than 64 of them are unpacked, however they were
 * packed. */
static void small_files_do_not_grow(void **state)
{
    enum { SIZE = 100 << 20 };
    foray_context *ctx = *state;
    foray_model *model;
    uint8_t *nothing = calloc(SIZE, 1), *out = malloc(SIZE / 100);
    size_t size = 0;
    assert_true(nothing && out);
    snprintf(path, sizeof path, "%s/m.umb", directory);
    gzFile packed = gzopen(path, "wb");
    assert_int_equal(gzwrite(packed, nothing, SIZE), SIZE);
    assert_int_equal(gzclose(packed), Z_OK);
    assert_int_equal(import_file(ctx, 3, &model, NULL), FORAY_ERROR_INPUT);
    assert_non_null(strstr(foray_message(ctx), "more than the 64 MiB allowed here"));
    assert_int_equal(
        lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, NULL, nothing, SIZE, out, &size, SIZE / 100),
        LZMA_OK);
    write_bytes(out, size);
    assert_int_equal(import_file(ctx, 3, &model, NULL), FORAY_ERROR_INPUT);
    assert_non_null(strstr(foray_message(ctx), "more than the 64 MiB allowed here"));
    free(nothing);
    free(out);
}

/* 10 kB, compressed, of JSON that is deeply or widely nothing would take 600 MB. */
static void large_indices_are_refused(void **state)
{
    enum { SIZE = (4 << 20) + 2 };
    foray_context *ctx = *state;
    foray_model *model;
    fy_writer tar = {.ctx = ctx};
    char *index = malloc(SIZE);
    assert_non_null(index);
    memset(index, '[', SIZE - 1);
    index[SIZE - 1] = 0;
    put_file(&tar, index, &own_arrays, NULL);
    write_bytes(tar.data, tar.size);
    assert_int_equal(import_file(ctx, 3, &model, NULL), FORAY_ERROR_INPUT);
    assert_non_null(strstr(foray_message(ctx), "index.json: larger than the 4 MiB allowed here"));
    free(tar.data);
    free(index);
}

/* `from` in the index becomes `to`. */
static void edit_index(char *out, size_t size, const char *from, const char *to)
{
    const char *at = strstr(own_index, from);
    assert_non_null(at);
    snprintf(out, size, "%.*s%s%s", (int)(at - own_index), own_index, to, at + strlen(from));
}

static void expect_refused(foray_context *ctx, const char *index, const arrays *a,
                           const char *without, const char *message)
{
    foray_model *model;
    fy_writer tar = {.ctx = ctx};
    put_file(&tar, index, a, without);
    write_bytes(tar.data, tar.size);
    free(tar.data);
    foray_status status = import_file(ctx, 3, &model, NULL);
    if (status == FORAY_OK)
        fail_msg("accepted; expected \"%s\"", message);
    support_refused(ctx, status, FORAY_ERROR_INPUT, message);
}

static void bad_indices_are_named(void **state)
{
    foray_context *ctx = *state;
    static const struct {
        const char *from, *to, *message;
    } bad[] = {
        {"\"discrete\"", "\"stochastic\"", "its time is not discrete"},
        {"\"#players\":1", "\"#players\":2", "a game of several players"},
        {"\"#observations\":0", "\"#observations\":3", "this is a POMDP"},
        {"\"rational\",\"size\":128", "\"double-interval\"",
         "branch probabilities of type double-interval: an interval model"},
        {"\"rational\",\"size\":128", "\"rational-interval\",\"size\":256", "an interval model"},
        {"\"rational\",\"size\":128", "\"rational\",\"size\":256", "256 bits"},
        {"\"rational\",\"size\":128", "\"double\"", "branch-to-probability.bin: 96 bytes"},
        {"{\"type\":\"double\"}", "{\"type\":\"double-interval\"}", "reward r of type"},
        {"\"branch-probability-type\"", "\"exit-rate-type\"", "it has no probabilities"},
        {"\"format-version\":1", "\"format-version\":2", "format-version 0 or 1"},
        {"\"#states\":4", "\"#states\":0", "no states"},
        {"\"#states\":4", "\"#states\":3", "state-to-choices.bin: 40 bytes"},
        {"\"#states\":4", "\"#states\":-4", "transition-system"},
        {"\"#states\":4", "\"states\":4", "#states"},
        {"\"#branches\":6", "\"#branches\":5", "not an ascending list from 0 to 5"},
        {"\"#choices\":4", "\"#choices\":5", "not an ascending list"},
        {"\"#choice-actions\":3", "\"#choice-actions\":2", "string-mapping.bin: 32 bytes"},
        {"{\"format-version\"", "{{\"format-version\"", "index.json"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char index[sizeof own_index + 64];
        edit_index(index, sizeof index, bad[i].from, bad[i].to);
        expect_refused(ctx, index, &own_arrays, NULL, bad[i].message);
    }
}

static void bad_arrays_are_named(void **state)
{
    foray_context *ctx = *state;
    arrays a = own_arrays;
    a.target[2] = 4;
    expect_refused(ctx, own_index, &a, NULL, "branch 2 leads to state 4");
    a = own_arrays;
    a.fraction[1] = 0;
    expect_refused(ctx, own_index, &a, NULL, "branch-to-probability.bin: item 0");
    a = own_arrays;
    a.fraction[0] = 5;
    expect_refused(ctx, own_index, &a, NULL, "branch 0 leads to state 1 with probability 1.25");
    a = own_arrays;
    a.fraction[0] = 0;
    expect_refused(ctx, own_index, &a, NULL, "sum to 0.75");
    a = own_arrays;
    a.choices[1] = 3;
    a.choices[2] = 2;
    expect_refused(ctx, own_index, &a, NULL, "state-to-choices.bin: not an ascending list");
    a = own_arrays;
    a.branches[1] = 0;
    expect_refused(ctx, own_index, &a, NULL, "choice 0 has no branch");
    a = own_arrays;
    a.action[3] = 3;
    expect_refused(ctx, own_index, &a, NULL, "choice 3 has action 3 of 3");
    a = own_arrays;
    a.initial[0] = 3;
    expect_refused(ctx, own_index, &a, NULL, "there are 2 initial states");
    expect_refused(ctx, own_index, &own_arrays, "index.json", "no index.json");
    expect_refused(ctx, own_index, &own_arrays, "branch-to-target.bin",
                   "branch-to-target.bin is not there");
    expect_refused(ctx, own_index, &own_arrays, "choice-to-branches.bin", "do not have one each");
    expect_refused(ctx, own_index, &own_arrays, "actions/choices/strings.bin", "only one is there");
}

/* Every byte of headers, and a file that ends early. */
static void damage_is_noticed(void **state)
{
    foray_context *ctx = *state;
    fy_writer tar = {.ctx = ctx};
    foray_model *model;
    put_file(&tar, own_index, &own_arrays, NULL);
    tar.data[3] ^= 1;
    write_bytes(tar.data, tar.size);
    assert_int_equal(import_file(ctx, 3, &model, NULL), FORAY_ERROR_INPUT);
    assert_non_null(strstr(foray_message(ctx), "no header of a tar file at byte 0"));
    tar.data[3] ^= 1;
    for (size_t size = 512; size < 4096; size += 100) {
        write_bytes(tar.data, size);
        assert_int_equal(import_file(ctx, 3, &model, NULL), FORAY_ERROR_INPUT);
    }
    free(tar.data);
}

static foray_status import_and_export(foray_context *ctx)
{
    foray_model *model = NULL;
    foray_import_rewards rewards = {0};
    fy_export_options what = {0};
    char *data = NULL;
    size_t size;
    foray_status status = import_file(ctx, 4, &model, &rewards);
    if (status == FORAY_OK)
        status = fy_model_export(ctx, model, &what, "umb", &data, &size);
    foray_model_destroy(model);
    foray_free(data);
    foray_import_rewards_clear(&rewards);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    foray_context *whole = *state;
    fy_writer tar = {.ctx = whole};
    put_file(&tar, own_index, &own_arrays, NULL);
    write_bytes(tar.data, tar.size);
    free(tar.data);
    support_every_allocation(import_and_export);
}

static int set_up(void **state)
{
    directory = support_directory();
    return support_set_up(state);
}

static int tear_down(void **state)
{
    support_remove(directory);
    return support_tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_back),
        cmocka_unit_test(steps_are_refused),
        cmocka_unit_test(files_of_others_are_read),
        cmocka_unit_test(small_files_do_not_grow),
        cmocka_unit_test(nothing_that_follows_is_ignored),
        cmocka_unit_test(large_indices_are_refused),
        cmocka_unit_test(bad_indices_are_named),
        cmocka_unit_test(bad_arrays_are_named),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
