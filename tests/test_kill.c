/* test_kill.c - killed at any moment, a run loses nothing that was acknowledged
 * and ends, resumed, as if it had not been killed. */
#include "support.h"
#include "support_run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EPISODES = 20000 };

/* What the child says is saved, written to the pipe as it is told. */
static bool acknowledge(void *user, const foray_progress *progress)
{
    int fd = *(int *)user;
    return write(fd, &progress->saved, sizeof progress->saved) == sizeof progress->saved;
}

/* The child: opens the run and explores. Commits, and with them checkpoints,
 * follow each other so closely that most kills hit one. */
static void explore_until_killed(run_bench *bench, int fd)
{
    foray_context *ctx = foray_context_create();
    foray_run *run;
    foray_world *world;
    if (ctx == NULL || foray_run_open(ctx, bench->path, FORAY_RUN_WRITE, &run) != FORAY_OK ||
        foray_world_from_model(ctx, foray_run_model(run), &world) != FORAY_OK) {
        fprintf(stderr, "%s\n", foray_message(ctx));
        _exit(2);
    }
    run->commit_gap = 0.0;
    run->checkpoint_gap = 0.0;
    run->checkpoint_share = 1e9;
    _exit(foray_run_explore(run, 1, &world, acknowledge, &fd) == FORAY_OK ? 0 : 1);
}

static void pause_for(double seconds)
{
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

/* Lets a child explore for a moment (after its first save, if `settled`), kills
 * it, and returns what it acknowledged last; *ended: it was done before. */
static int64_t one_life(run_bench *bench, double seconds, bool settled, bool *ended)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        explore_until_killed(bench, ends[1]);
    }
    close(ends[1]);
    int64_t saved = 0, value;
    if (settled && read(ends[0], &value, sizeof value) == sizeof value)
        saved = value;
    pause_for(seconds);
    kill(child, SIGKILL);
    while (read(ends[0], &value, sizeof value) == sizeof value) {
        assert_true(value >= saved);
        saved = value;
    }
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    *ended = WIFEXITED(status);
    if (*ended)
        assert_int_equal(WEXITSTATUS(status), 0);
    return saved;
}

/* Opened by someone else after the kill: all that was acknowledged is there. */
static int64_t look_after(run_bench *bench, int64_t acknowledged)
{
    foray_run *run;
    assert_ok(bench, foray_run_open(bench->ctx, bench->path, FORAY_RUN_READ, &run));
    int64_t saved = foray_run_saved(run);
    assert_true(saved >= acknowledged);
    assert_int_equal(foray_run_explorer(run)->episodes, saved);
    foray_run_close(run);
    return saved;
}

static void kill_again_and_again(run_bench *bench, const char *algorithm, uint64_t seed)
{
    snprintf(bench->settings.algorithm, sizeof bench->settings.algorithm, "%s", algorithm);
    bench->settings.episodes = EPISODES;
    run_make(bench, bench->other);
    foray_run *run = run_create(bench, bench->path);
    foray_run_close(run);
    bool ended = false;
    int64_t before = 0;
    for (uint32_t life = 0; !ended && life < 12; life++) {
        double seconds = 0.03 * fy_unit(fy_random_bits(seed, FY_STREAM_TEST, life, 0, 0));
        int64_t acknowledged = one_life(bench, seconds, life % 4 != 0, &ended);
        int64_t saved = look_after(bench, acknowledged);
        assert_true(saved >= before);
        before = saved;
    }
    assert_ok(bench, foray_run_open(bench->ctx, bench->path, FORAY_RUN_WRITE, &run));
    assert_ok(bench, run_finish(bench, run));
    assert_ok(bench, foray_run_verify(run));
    run_digest killed, whole;
    assert_ok(bench, run_take_digest(run, &killed));
    foray_run_close(run);
    assert_ok(bench, foray_run_open(bench->ctx, bench->other, FORAY_RUN_READ, &run));
    assert_ok(bench, run_take_digest(run, &whole));
    foray_run_close(run);
    run_assert_same(&whole, &killed);
    remove(bench->path);
    remove(bench->other);
}

static void test_killed(void **state)
{
    const char *name;
    for (int64_t i = 0; (name = support_algorithm(i)); i++)
        kill_again_and_again(*state, name, (uint64_t)i);
}

/* Killed while a run is being created or replaced: the old one, the new one, or
 * (when there was none) nothing; always something that opens. */
static void create_until_killed(run_bench *bench)
{
    foray_context *ctx = foray_context_create();
    for (;;) {
        foray_run *run;
        if (foray_run_create(ctx, bench->path, FORAY_RUN_REPLACE, bench->model, "test",
                             &bench->settings, &run) != FORAY_OK)
            _exit(2);
        foray_run_close(run);
    }
}

static void test_killed_while_replacing(void **state)
{
    run_bench *bench = *state;
    for (uint32_t life = 0; life < 10; life++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            create_until_killed(bench);
        pause_for(0.03 * fy_unit(fy_random_bits(99, FY_STREAM_TEST, life, 0, 0)) + 0.002);
        kill(child, SIGKILL);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        foray_run *run;
        if (access(bench->path, F_OK) != 0)
            continue;
        assert_ok(bench, foray_run_open(bench->ctx, bench->path, FORAY_RUN_WRITE, &run));
        assert_int_equal(foray_run_saved(run), 0);
        assert_ok(bench, foray_run_verify(run));
        foray_run_close(run);
    }
}

/* Another process cannot write a run while one does; once it dies, it can. */
static void test_lock_dies_with_its_process(void **state)
{
    run_bench *bench = *state;
    run_make(bench, bench->path);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        foray_run *run;
        char ready = foray_run_open(bench->ctx, bench->path, FORAY_RUN_WRITE, &run) == FORAY_OK;
        if (write(ends[1], &ready, 1) == 1)
            pause();
        _exit(1);
    }
    char ready = 0;
    assert_int_equal(read(ends[0], &ready, 1), 1);
    assert_true(ready);
    foray_run *run;
    assert_fails(bench, FORAY_ERROR_IO,
                 foray_run_open(bench->ctx, bench->path, FORAY_RUN_WRITE, &run));
    char holder[32];
    snprintf(holder, sizeof holder, "(%ld)", (long)child);
    run_assert_message(bench, holder);
    assert_ok(bench, foray_run_open(bench->ctx, bench->path, FORAY_RUN_READ, &run));
    foray_run_close(run);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(ends[0]);
    close(ends[1]);
    assert_ok(bench, foray_run_open(bench->ctx, bench->path, FORAY_RUN_WRITE, &run));
    foray_run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN_TEST(test_killed),
        RUN_TEST(test_killed_while_replacing),
        RUN_TEST(test_lock_dies_with_its_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
