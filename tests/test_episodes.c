/* test_episodes.c - recorded episodes through the C interface: the same certificates as the
 * explorer that saw them happen, episodes of any length, reading files in pieces, memory that runs
 * out. */
#include "base/csv.h"
#include "data/episodes.h"
#include "support.h"
#include "support_run.h"
#include "export/export.h"
#include "explore/explorer.h"
#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void record_settings(run_bench *bench)
{
    snprintf(bench->settings.algorithm, sizeof bench->settings.algorithm, "recorded");
}

/* ------------------------------------------------------------------------- explorers */

/* The counts, and so the certificates, of an explorer are those of one that is told what happened;
 * in the same order of steps, cut into episodes in whatever way. */
static void test_learn(void **state)
{
    run_bench *bench = *state;
    int64_t horizon = foray_model_horizon(bench->model), piece = 1;
    foray_explorer *explorer, *told;
    foray_world *world;
    assert_ok(bench, foray_explorer_create(bench->ctx, bench->model, &bench->settings, &explorer));
    record_settings(bench);
    assert_ok(bench, foray_explorer_create(bench->ctx, bench->model, &bench->settings, &told));
    assert_ok(bench, foray_world_from_model(bench->ctx, bench->model, &world));
    int32_t *states = calloc((size_t)horizon + 1, sizeof *states),
            *actions = calloc((size_t)horizon, sizeof *actions);
    for (int episode = 0; episode < 3000; episode++) {
        assert_ok(bench, foray_explorer_play(explorer, world, states, actions));
        for (int64_t t = 0; t < horizon; t += piece) {
            piece = 1 + (piece + t) % horizon;
            int64_t steps = piece < horizon - t ? piece : horizon - t;
            assert_ok(bench, fy_explorer_learn(told, steps, states + t, actions + t, false));
        }
    }
    assert_true(told->episodes > explorer->episodes);
    foray_certificate one, other;
    assert_ok(bench, foray_explorer_certify_by(explorer, FORAY_RADIUS_LIKELIHOOD));
    assert_ok(bench, foray_explorer_certify_by(told, FORAY_RADIUS_LIKELIHOOD));
    assert_ok(bench, foray_explorer_bound(explorer, FORAY_KIND_PAIR, &one));
    assert_ok(bench, foray_explorer_bound(told, FORAY_KIND_PAIR, &other));
    assert_true(one.gap == other.gap && one.gap < (double)horizon);
    free(states);
    free(actions);
    foray_world_destroy(world);
    foray_explorer_destroy(explorer);
    foray_explorer_destroy(told);
}

/* Nothing is learnt from an episode that is not possible, or not in turn. */
static void test_refused(void **state)
{
    run_bench *bench = *state;
    int64_t action, horizon = foray_model_horizon(bench->model);
    foray_explorer *explorer;
    const int32_t *next;
    assert_ok(bench, foray_explorer_create(bench->ctx, bench->model, &bench->settings, &explorer));
    assert_fails(bench, FORAY_ERROR_USAGE,
                 fy_explorer_learn(explorer, 1, (int32_t[]){0, 0}, (int32_t[]){0}, false));
    run_assert_message(bench, "only the algorithm recorded");
    foray_explorer_destroy(explorer);

    record_settings(bench);
    assert_ok(bench, foray_explorer_create(bench->ctx, bench->model, &bench->settings, &explorer));
    (void)foray_model_successors(bench->model, 0, 0, &next);
    int32_t states[3] = {0, next[0], next[0]}, actions[2] = {0, 0};
    assert_fails(bench, FORAY_ERROR_USAGE, fy_explorer_learn(explorer, 0, states, actions, false));
    assert_fails(bench, FORAY_ERROR_USAGE,
                 fy_explorer_learn(explorer, horizon + 1, states, actions, false));
    states[2] = (int32_t)foray_model_states(bench->model); /* possible, then not */
    assert_fails(bench, FORAY_ERROR_WORLD, fy_explorer_learn(explorer, 2, states, actions, false));
    states[2] = (int32_t)foray_model_states(bench->model) - 1;
    assert_fails(bench, FORAY_ERROR_WORLD, fy_explorer_learn(explorer, 2, states, actions, false));
    run_assert_message(bench, "which the model rules out");
    actions[1] = -1;
    assert_fails(bench, FORAY_ERROR_WORLD, fy_explorer_learn(explorer, 2, states, actions, false));
    assert_true(explorer->episodes == 0 && explorer->seen[0] == 0);
    assert_ok(bench, foray_explorer_begin(explorer));
    assert_fails(bench, FORAY_ERROR_USAGE, foray_explorer_act(explorer, 0, &action));
    run_assert_message(bench, "chooses no actions");
    foray_explorer_destroy(explorer);
}

/* ------------------------------------------------------------------------------- runs */

static bool write_episode(void *user, int64_t episode, const int32_t *states,
                          const int32_t *actions)
{
    for (int64_t t = 0; t < (episode % 3 ? 4 : 7); t++) /* longer and shorter ones */
        fprintf(user, "%d,%d,%d,%d,%d\n", (int)episode, (int)t, (int)states[t], (int)actions[t],
                (int)states[t + 1]);
    return true;
}

static const char *make_data(run_bench *bench)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/data.csv", bench->directory);
    run_make(bench, bench->other);
    foray_run *run = run_reopen(bench, bench->other, FORAY_RUN_READ);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("episode,step,state,action,next\n", file);
    assert_ok(bench, foray_run_episodes(run, 0, write_episode, file));
    assert_int_equal(fclose(file), 0);
    assert_ok(bench, foray_run_close(run));
    record_settings(bench);
    return path;
}

/* A run that was learnt, opened again, and verified: the same episodes and the same state. */
static void test_run(void **state)
{
    run_bench *bench = *state;
    const char *data = make_data(bench);
    foray_run *run = run_create(bench, bench->path);
    assert_ok(bench, foray_run_learn_file(run, data, NULL, NULL));
    assert_ok(bench, foray_run_learn(run, 1, (int32_t[]){0, 0}, (int32_t[]){0}));
    assert_ok(bench, foray_run_save(run));
    run_digest before, after;
    assert_ok(bench, run_take_digest(run, &before));
    assert_int_equal(before.episodes, bench->settings.episodes + 1);
    assert_ok(bench, foray_run_close(run));
    run_digest_file(bench, bench->path, &after);
    run_assert_same(&before, &after);
    run = run_reopen(bench, bench->path, FORAY_RUN_READ);
    assert_ok(bench, foray_run_verify(run));
    assert_fails(bench, FORAY_ERROR_USAGE, foray_run_learn_file(run, data, NULL, NULL));
    assert_ok(bench, foray_run_close(run));
}

static bool stop_at_once(void *user, const foray_progress *progress)
{
    (void)progress;
    ++*(int *)user;
    return false;
}

/* What is told, and what is refused. */
static void test_run_refused(void **state)
{
    run_bench *bench = *state;
    const char *data = make_data(bench);
    int told = 0;
    foray_run *run = run_reopen(bench, bench->other, FORAY_RUN_WRITE);
    assert_fails(bench, FORAY_ERROR_USAGE, foray_run_learn_file(run, data, NULL, NULL));
    run_assert_message(bench, "recorded episodes cannot be added");
    assert_ok(bench, foray_run_close(run));
    run = run_create(bench, bench->path);
    assert_ok(bench, foray_run_learn_file(run, data, stop_at_once, &told));
    assert_int_equal(told, 1); /* at the end: too few episodes to be asked on the way */
    foray_world *world;
    assert_ok(bench, foray_world_from_model(bench->ctx, bench->model, &world));
    assert_fails(bench, FORAY_ERROR_USAGE, foray_run_explore(run, 1, &world, NULL, NULL));
    run_assert_message(bench, "cannot go on exploring");
    foray_world_destroy(world);
    assert_ok(bench, foray_run_close(run));
}

/* Somebody else adds an episode once the others are being learnt. */
static bool append_one(void *user, const foray_progress *progress)
{
    FILE *file = progress->episodes < progress->budget ? fopen(*(const char **)user, "a") : NULL;
    if (file) {
        fputs("late,0,0,0,0\n", file);
        assert_int_equal(fclose(file), 0);
        *(const char **)user = "/"; /* once */
    }
    return true;
}

/* Guarantees rest on the number of episodes, which is counted first. */
static void test_run_of_changing_file(void **state)
{
    run_bench *bench = *state;
    const char *data = make_data(bench), *path = data;
    FILE *file = fopen(data, "w");
    assert_non_null(file);
    fputs("episode,step,state,action,next\n", file);
    for (int i = 0; i < 300000; i++)
        fprintf(file, "%d,0,0,0,0\n", i);
    assert_int_equal(fclose(file), 0);
    foray_run *run = run_create(bench, bench->path);
    foray_status status = foray_run_learn_file(run, data, append_one, &path);
    bool changed = path != data; /* unless all were learnt within a tenth of a second */
    assert_int_equal(status, changed ? FORAY_ERROR_INPUT : FORAY_OK);
    if (changed)
        run_assert_message(bench, "changed while it was read: there were 300000 episodes");
    assert_ok(bench, foray_run_close(run));
}

/* ------------------------------------------------------------------------------- files */

static foray_status count(void *user, const fy_recorded_episode *episode)
{
    (void)episode;
    ++*(int64_t *)user;
    return FORAY_OK;
}

static foray_status first_only(void *user, const fy_recorded_episode *episode)
{
    snprintf(user, FY_LABEL_BYTES, "%s", episode->episode);
    assert_int_equal(episode->line, 2);
    return FORAY_INTERRUPTED;
}

/* Every allocation of reading fails in turn: an error, a message, nothing leaked. */
static void test_memory(void **state)
{
    run_bench *bench = *state;
    const char *data = make_data(bench);
    int64_t episodes = 0;
    char label[FY_LABEL_BYTES];
    assert_ok(bench, fy_data_read(bench->ctx, bench->model, data, count, &episodes));
    assert_int_equal(episodes, bench->settings.episodes);
    assert_int_equal(fy_data_read(bench->ctx, bench->model, data, first_only, label),
                     FORAY_INTERRUPTED);
    assert_string_equal(label, "0");
    for (int64_t allowed = 0;; allowed++) {
        bench->ctx->allocations_left = allowed;
        foray_status status = fy_data_read(bench->ctx, bench->model, data, count, &episodes);
        bench->ctx->allocations_left = -1;
        if (status == FORAY_OK)
            break;
        assert_int_equal(status, FORAY_ERROR_MEMORY);
        assert_true(foray_message(bench->ctx)[0] != 0 && allowed < 100);
    }
}

/* Records that lie across the pieces a file is read in, and one that is too long. */
static void test_csv(void **state)
{
    run_bench *bench = *state;
    static const char *const columns[] = {"a", "b", NULL};
    fy_csv *csv;
    bool more = true;
    FILE *file = fopen(bench->path, "w");
    assert_non_null(file);
    fputs("\xEF\xBB\xBF\"b\",a\n", file); /* a byte order mark */
    for (int i = 0; i < 30000; i++)
        fprintf(file, "\"%d \"\"x\"\"\n\",%d%s", i, i, i % 2 ? "\r\n" : "\n");
    assert_int_equal(fclose(file), 0);
    assert_ok(bench, fy_csv_open(bench->ctx, bench->path, columns, 2, NULL, &csv));
    for (int i = 0; i < 30000; i++) {
        char expected[32];
        assert_ok(bench, fy_csv_next(csv, &more));
        assert_true(more && strtol(fy_csv_cell(csv, 0), NULL, 10) == i &&
                    fy_csv_line(csv) == 2 + 2 * i);
        snprintf(expected, sizeof expected, "%d \"x\"\n", i);
        assert_string_equal(fy_csv_cell(csv, 1), expected);
    }
    assert_ok(bench, fy_csv_next(csv, &more));
    assert_false(more);
    fy_csv_close(csv);

    file = fopen(bench->path, "w");
    fputs("a\n", file);
    for (int i = 0; i < 1 << 21; i++)
        fputc('x', file);
    assert_int_equal(fclose(file), 0);
    assert_ok(bench, fy_csv_open(bench->ctx, bench->path, columns, 1, NULL, &csv));
    assert_null(fy_csv_cell(csv, 1));
    assert_fails(bench, FORAY_ERROR_INPUT, fy_csv_next(csv, &more));
    run_assert_message(bench, ":2: longer than a megabyte");
    fy_csv_close(csv);
}

/* By number, by name, and neither of equal names; digits win, and then names. */
static void test_names(void **state)
{
    run_bench *bench = *state;
    char north[] = "north", ten[] = "1e1", south[] = "south", zero[] = "0";
    char *const name[] = {north, ten, NULL, north, south, zero};
    fy_names names;
    assert_ok(bench, fy_names_create(bench->ctx, "state", 6, name, &names));
    assert_int_equal(fy_names_find(&names, "north"), FY_NAMES_SEVERAL);
    assert_int_equal(fy_names_find(&names, "south"), 4);
    assert_int_equal(fy_names_find(&names, "5"), 5);
    assert_int_equal(fy_names_find(&names, "0"), 0);
    assert_int_equal(fy_names_find(&names, "6"), -1);
    assert_int_equal(fy_names_find(&names, "-1"), -1);
    assert_int_equal(fy_names_find(&names, "1e1"), 1);
    assert_int_equal(fy_names_find(&names, "3.0"), 3);
    assert_int_equal(fy_names_find(&names, "2e1"), -1);
    assert_int_equal(fy_names_find(&names, "99999999999999999999"), -1);
    assert_int_equal(fy_names_find(&names, ""), -1);
    assert_int_equal(fy_names_find(&names, "North"), -1);
    fy_names_destroy(&names);
    assert_ok(bench, fy_names_create(bench->ctx, "state", 6, NULL, &names));
    assert_int_equal(fy_names_find(&names, "3"), 3);
    assert_int_equal(fy_names_find(&names, "north"), -1);
    fy_names_destroy(&names);
}

/* ---------------------------------------------------------------------------- policies */

/* A policy that was printed is read again, action for action; and every allocation fails in turn.
 */
static void test_policy(void **state)
{
    run_bench *bench = *state;
    foray_policy *policy, *read = NULL;
    support_random random = {.seed = 1};
    char *text;
    size_t size;
    assert_ok(bench, foray_policy_create(bench->ctx, bench->model, FORAY_GIVEN, &policy));
    int64_t places = policy->horizon * policy->states;
    for (int64_t i = 0; i < places; i++)
        policy->action[i] = (int32_t)support_below(&random, policy->actions);
    assert_ok(bench, fy_policy_print_csv(bench->ctx, policy, &text, &size));
    FILE *file = fopen(bench->path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    for (int64_t allowed = 0; !read; allowed++) {
        bench->ctx->allocations_left = allowed;
        foray_status status = fy_policy_load_csv(bench->ctx, bench->model, bench->path, &read);
        bench->ctx->allocations_left = -1;
        assert_true(status == FORAY_OK ? read != NULL : status == FORAY_ERROR_MEMORY && !read);
        assert_true(allowed < 100);
    }
    assert_int_equal(read->mode, FORAY_GIVEN);
    assert_memory_equal(read->action, policy->action, (size_t)places * sizeof *read->action);
    foray_free(text);
    foray_policy_destroy(read);
    foray_policy_destroy(policy);
}

/* ------------------------------------------------------------------------------- drift */

/* Writes `episodes` random episodes in the world of a model. */
static void write_random(run_bench *bench, const foray_model *model, int64_t seed, int64_t episodes,
                         const char *path)
{
    int64_t horizon = foray_model_horizon(model);
    foray_settings settings = bench->settings;
    foray_explorer *explorer;
    foray_world *world;
    snprintf(settings.algorithm, sizeof settings.algorithm, "random");
    settings.seed = seed;
    assert_ok(bench, foray_explorer_create(bench->ctx, model, &settings, &explorer));
    assert_ok(bench, foray_world_from_model(bench->ctx, model, &world));
    int32_t *states = calloc((size_t)horizon + 1, sizeof *states),
            *actions = calloc((size_t)horizon, sizeof *actions);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("episode,step,state,action,next\n", file);
    for (int64_t k = 0; k < episodes; k++) {
        assert_ok(bench, foray_explorer_play(explorer, world, states, actions));
        for (int64_t t = 0; t < horizon; t++)
            fprintf(file, "day %d,%d,%d,%d,%d\n", (int)k, (int)t, (int)states[t], (int)actions[t],
                    (int)states[t + 1]);
    }
    assert_int_equal(fclose(file), 0);
    free(states);
    free(actions);
    foray_world_destroy(world);
    foray_explorer_destroy(explorer);
}

static const char *const before_drift = "chain:states=7,zones=2,horizon=10";

/* How many of the runs are refuted by data of another world. */
static int64_t refuted_by(run_bench *bench, const char *spec, int64_t runs, double delta)
{
    int64_t refuted = 0;
    char path[128];
    foray_model *other;
    snprintf(path, sizeof path, "%s/later.csv", bench->directory);
    assert_ok(bench, foray_model_builtin(bench->ctx, spec, &other));
    for (int64_t seed = 0; seed < runs; seed++) {
        fy_drift *drift;
        bench->settings.seed = seed;
        run_make(bench, bench->path);
        foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_READ);
        write_random(bench, other, 1000 + seed, 120, path);
        assert_ok(bench, fy_run_check_data(run, path, delta, &drift));
        assert_int_equal(drift->episodes, 120);
        assert_int_equal(drift->transitions, 1200);
        refuted += drift->refuted >= 0;
        if (drift->refuted >= 0) {
            assert_true(drift->law[drift->refuted].apart > 0);
            assert_true(strncmp(drift->episode, "day ", 4) == 0);
            assert_int_equal(drift->line, 2 + 10 * strtol(drift->episode + 4, NULL, 10));
        }
        fy_drift_destroy(drift);
        assert_ok(bench, foray_run_close(run));
        remove(bench->path);
    }
    foray_model_destroy(other);
    return refuted;
}

/* At delta 1/2 a world that stays as it is may be refuted in half of the runs (in 40 of them 20,
 * and 12 for 4 standard deviations; none is, as the sets are wide), one that has changed always is.
 */
static void test_drift(void **state)
{
    run_bench *bench = *state;
    foray_model_destroy(bench->model);
    assert_ok(bench, foray_model_builtin(bench->ctx, before_drift, &bench->model));
    bench->settings.episodes = 300;
    assert_int_equal(refuted_by(bench, before_drift, 40, 0.5), 0);
    assert_int_equal(refuted_by(bench, "chain:states=7,zones=2,horizon=10,success=0.6", 12, 0.1),
                     12);
}

static void test_drift_refused(void **state)
{
    run_bench *bench = *state;
    fy_drift *drift;
    char path[128];
    snprintf(path, sizeof path, "%s/later.csv", bench->directory);
    run_make(bench, bench->path);
    foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_READ);
    write_random(bench, bench->model, 5, 20, path);
    assert_fails(bench, FORAY_ERROR_USAGE, fy_run_check_data(run, path, 0, &drift));
    assert_fails(bench, FORAY_ERROR_IO, fy_run_check_data(run, "missing.csv", 0.1, &drift));
    for (int64_t allowed = 0;; allowed++) {
        bench->ctx->allocations_left = allowed;
        foray_status status = fy_run_check_data(run, path, 0.1, &drift);
        bench->ctx->allocations_left = -1;
        if (status == FORAY_OK)
            break;
        assert_int_equal(status, FORAY_ERROR_MEMORY);
        assert_true(foray_message(bench->ctx)[0] != 0 && allowed < 200);
    }
    fy_drift_destroy(drift);
    assert_ok(bench, foray_run_close(run));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN_TEST(test_learn),
        RUN_TEST(test_refused),
        RUN_TEST(test_run),
        RUN_TEST(test_run_refused),
        RUN_TEST(test_memory),
        RUN_TEST(test_csv),
        RUN_TEST(test_names),
        RUN_TEST(test_policy),
        RUN_TEST(test_drift),
        RUN_TEST(test_drift_refused),
        RUN_TEST(test_run_of_changing_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
