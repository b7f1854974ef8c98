/* support_run.c - what the tests of runs share. */
#include "support_run.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------- bench */

/* In memory where there is such a place: the tests cut no power, and waiting for
 * a disk is most of what they would do. */
static void make_directory(run_bench *bench)
{
    strcpy(bench->directory, "/dev/shm/foray_run_XXXXXX");
    if (mkdtemp(bench->directory) != NULL)
        return;
    strcpy(bench->directory, "foray_run_XXXXXX");
    assert_non_null(mkdtemp(bench->directory));
}

void run_bench_open(run_bench *bench, const char *spec)
{
    *bench = (run_bench){0};
    make_directory(bench);
    snprintf(bench->path, sizeof bench->path, "%s/one.foray", bench->directory);
    snprintf(bench->other, sizeof bench->other, "%s/other.foray", bench->directory);
    bench->ctx = foray_context_create();
    assert_non_null(bench->ctx);
    assert_ok(bench, foray_model_builtin(bench->ctx, spec, &bench->model));
    foray_settings_default(&bench->settings);
    bench->settings.episodes = 300;
    bench->settings.seed = 7;
}

void run_bench_close(run_bench *bench)
{
    DIR *directory = opendir(bench->directory);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", bench->directory, entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(path);
    }
    closedir(directory);
    rmdir(bench->directory);
    foray_model_destroy(bench->model);
    foray_context_destroy(bench->ctx);
}

int run_bench_setup(void **state)
{
    static run_bench bench;
    run_bench_open(&bench, "chain:states=7,zones=2,horizon=8");
    *state = &bench;
    return 0;
}

int run_bench_teardown(void **state)
{
    run_bench_close(*state);
    return 0;
}

void run_assert_status(const foray_context *ctx, foray_status found, foray_status expected,
                       const char *call, int line)
{
    if (found != expected)
        fail_msg("line %d: %s gave %d (%s), not %d", line, call, found, foray_message(ctx),
                 expected);
    if (expected < 0)
        assert_true(strlen(foray_message(ctx)) > 10);
}

void run_assert_message(const run_bench *bench, const char *part)
{
    if (strstr(foray_message(bench->ctx), part) == NULL)
        fail_msg("'%s' is not in the message '%s'", part, foray_message(bench->ctx));
}

/* ------------------------------------------------------------------- world */

static foray_status reset(void *self, const foray_draw *draw, int64_t *state)
{
    run_world *world = self;
    if (world->before_episode != NULL)
        world->before_episode(world->user, (int64_t)draw->episode);
    if ((int64_t)draw->episode == world->fail_episode && world->fail_step == 0) {
        *state = world->answer;
        return world->fail_status;
    }
    return foray_world_reset(world->inside, draw, state);
}

static foray_status step(void *self, const foray_draw *draw, int64_t state, int64_t action,
                         int64_t *next)
{
    run_world *world = self;
    if ((int64_t)draw->episode == world->fail_episode && world->fail_step == draw->step) {
        *next = world->answer;
        return world->fail_status;
    }
    return foray_world_step(world->inside, draw, state, action, next);
}

void run_world_open(run_bench *bench, run_world *world)
{
    static const foray_world_ops ops = {.size = sizeof ops, .reset = reset, .step = step};
    *world = (run_world){.fail_episode = -1, .fail_status = FORAY_ERROR_WORLD};
    assert_ok(bench, foray_world_from_model(bench->ctx, bench->model, &world->inside));
    assert_ok(bench, foray_world_create(bench->ctx, &ops, world, &world->world));
}

void run_world_close(run_world *world)
{
    foray_world_destroy(world->world);
    foray_world_destroy(world->inside);
}

foray_status run_finish(run_bench *bench, foray_run *run)
{
    foray_world *world;
    foray_status status = foray_world_from_model(bench->ctx, bench->model, &world);
    if (status != FORAY_OK)
        return status;
    status = foray_run_explore(run, 1, &world, NULL, NULL);
    foray_world_destroy(world);
    return status;
}

foray_run *run_create(run_bench *bench, const char *path)
{
    foray_run *run;
    assert_ok(bench, foray_run_create(bench->ctx, path, FORAY_RUN_NEW, bench->model, "test:world",
                                      &bench->settings, &run));
    if (foray_algorithm_needs_reward(bench->settings.algorithm)) {
        foray_reward *reward = run_goal_reward(bench->ctx, bench->model);
        assert_ok(bench, foray_run_give_reward(run, reward));
        foray_reward_destroy(reward);
    }
    return run;
}

foray_run *run_reopen(run_bench *bench, const char *path, foray_run_access how)
{
    foray_run *run;
    assert_ok(bench, foray_run_open(bench->ctx, path, how, &run));
    return run;
}

void run_make(run_bench *bench, const char *path)
{
    foray_run *run = run_create(bench, path);
    foray_status status = run_finish(bench, run);
    if (status < 0)
        fail_msg("%s", foray_message(bench->ctx));
    foray_run_close(run);
}

/* ------------------------------------------------------------------ digest */

typedef struct digest_walk {
    const fy_codec *codec;
    run_digest *out;
    int64_t next;
} digest_walk;

static bool add_episode(void *user, int64_t episode, const int32_t *states, const int32_t *actions)
{
    digest_walk *walk = user;
    assert_int_equal(episode, walk->next++);
    size_t kept = (size_t)walk->codec->episode_states, steps = (size_t)walk->codec->horizon;
    uint64_t hash = fy_hash(states, kept * sizeof *states, walk->out->history);
    walk->out->history = fy_hash(actions, steps * sizeof *actions, hash);
    return true;
}

static bool add_point(void *user, int64_t episodes, int64_t plans, double bound)
{
    digest_walk *walk = user;
    struct {
        int64_t episodes, plans;
        double bound;
    } point = {episodes, plans, isnan(bound) ? -1.0 : bound};
    walk->out->trace = fy_hash(&point, sizeof point, walk->out->trace);
    return true;
}

static uint64_t hash_policy(const foray_policy *policy, uint64_t hash)
{
    size_t count = (size_t)(policy->horizon * policy->states);
    hash = fy_hash(policy->action, count * sizeof *policy->action, hash);
    hash = fy_hash(policy->value, sizeof policy->value, hash);
    double more[] = {policy->certificate.gap,
                     policy->certificate.delta,
                     policy->certificate.radius,
                     policy->certificate.status == FORAY_CERTIFIED,
                     policy->mode,
                     (double)policy->actions};
    return fy_hash(more, sizeof more, hash);
}

static bool add_plan(void *user, int64_t id, int64_t episodes, const char *reward_name,
                     const char *reward_json, const foray_policy *policy)
{
    digest_walk *walk = user;
    int64_t numbers[] = {id, episodes};
    uint64_t hash = fy_hash(numbers, sizeof numbers, walk->out->plans);
    hash = fy_hash(reward_name, strlen(reward_name), hash);
    hash = fy_hash(reward_json, strlen(reward_json), hash);
    walk->out->plans = hash_policy(policy, hash);
    return true;
}

foray_reward *run_goal_reward(foray_context *ctx, const foray_model *model)
{
    foray_reward *reward;
    assert_int_equal(foray_reward_create(ctx, model, "goal", 0, 1, 0.0, &reward), FORAY_OK);
    assert_int_equal(foray_reward_set(ctx, reward, -1, foray_model_states(model) - 1, -1, 1.0),
                     FORAY_OK);
    return reward;
}

static foray_status digest_explorer(foray_run *run, run_digest *out)
{
    foray_explorer *explorer = foray_run_explorer(run);
    uint8_t *data;
    size_t size;
    foray_status status = foray_explorer_save(explorer, &data, &size);
    if (status != FORAY_OK)
        return status;
    out->explorer = fy_hash(data, size, 0);
    free(data);
    double theta[64] = {0};
    size_t dim = (size_t)foray_model_dim(foray_run_model(run));
    assert_true(dim <= 64);
    if (explorer->ops->estimate != NULL)
        status = foray_explorer_estimate(explorer, theta, NULL);
    out->estimate = fy_hash(theta, dim * sizeof *theta, 0);
    foray_certificate certificate = {.gap = -1.0};
    if (status == FORAY_OK && explorer->ops->bound != NULL)
        status = foray_explorer_bound(explorer, FORAY_KIND_PAIR, &certificate);
    out->bound = certificate.gap;
    return status;
}

static foray_status digest_policy(foray_run *run, run_digest *out)
{
    foray_reward *reward = run_goal_reward(run->ctx, foray_run_model(run));
    const foray_reward *rewards[] = {reward};
    foray_policy *policy;
    foray_status status =
        foray_explorer_plan(foray_run_explorer(run), 1, rewards, FORAY_PESSIMISTIC, &policy);
    foray_reward_destroy(reward);
    if (status != FORAY_OK)
        return status;
    out->policy = hash_policy(policy, 0);
    out->value = policy->value[FORAY_PLUGIN];
    foray_policy_destroy(policy);
    return FORAY_OK;
}

foray_status run_take_digest(foray_run *run, run_digest *out)
{
    *out = (run_digest){.episodes = foray_run_saved(run)};
    digest_walk walk = {.codec = &run->codec, .out = out};
    foray_status status = foray_run_episodes(run, 0, add_episode, &walk);
    if (status == FORAY_OK)
        status = foray_run_trace(run, add_point, &walk);
    if (status == FORAY_OK)
        status = foray_run_plans(run, add_plan, &walk);
    if (status == FORAY_OK)
        status = digest_explorer(run, out);
    if (status == FORAY_OK)
        status = digest_policy(run, out);
    if (status == FORAY_OK)
        assert_int_equal(walk.next, out->episodes);
    return status;
}

void run_digest_file(run_bench *bench, const char *path, run_digest *out)
{
    foray_run *run = run_reopen(bench, path, FORAY_RUN_READ);
    assert_ok(bench, run_take_digest(run, out));
    foray_run_close(run);
}

bool run_same(const run_digest *a, const run_digest *b)
{
    return a->episodes == b->episodes && a->history == b->history && a->explorer == b->explorer &&
           a->estimate == b->estimate && a->trace == b->trace && a->policy == b->policy &&
           a->plans == b->plans && a->bound == b->bound && a->value == b->value;
}

void run_assert_same(const run_digest *a, const run_digest *b)
{
    assert_int_equal(a->episodes, b->episodes);
    assert_int_equal(a->history, b->history);
    assert_int_equal(a->estimate, b->estimate);
    assert_int_equal(a->explorer, b->explorer);
    assert_int_equal(a->trace, b->trace);
    assert_int_equal(a->plans, b->plans);
    assert_true(run_same(a, b));
}

/* ------------------------------------------------------------------- files */

void run_sql(const char *path, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

void run_copy_file(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_non_null(in);
    assert_non_null(out);
    char buffer[8192];
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, in)) > 0;)
        assert_int_equal(fwrite(buffer, 1, got, out), got);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

long run_file_size(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    return size;
}
