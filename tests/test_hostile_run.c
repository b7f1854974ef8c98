/* test_hostile_run.c - exploring in a program that fails in the middle of an episode: the run ends
 * within the time limit with FORAY_ERROR_WORLD, every episode that had ended is saved, and the
 * run goes on with a program that works, to the same result as if nothing had happened. */
#include "support.h"
#include "support_run.h"
#include "aggregate/clusters.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The world fails at its 41st step: ten episodes of four steps, and one that never ends. */
enum { EPISODES = 60, HORIZON = 4, ENDED = 10, FATAL_STEP = ENDED * HORIZON + 1 };
enum { WATCHDOG_SECONDS = 300 };

static const char good_world[] = "exec:exec ./hostile_world good";

/* A program, and its states as clusters. */
typedef struct place {
    foray_system *system;
    foray_clusters *clusters;
} place;

static void place_open(run_bench *bench, const char *text, place *out)
{
    assert_ok(bench, foray_system_open(bench->ctx, text, &out->system));
    assert_ok(bench, fy_clusters_states(bench->ctx, out->system, &out->clusters));
}

static void place_close(place *here)
{
    foray_clusters_destroy(here->clusters);
    foray_system_destroy(here->system);
}

/* The model of the working program takes the place of the bench's own. */
static int setup(void **state)
{
    static run_bench bench;
    run_bench_open(&bench, "riverswim:states=3");
    foray_model_destroy(bench.model);
    place here;
    foray_aggregation aggregation;
    foray_aggregation_default(&aggregation);
    place_open(&bench, good_world, &here);
    assert_ok(&bench, foray_aggregate(bench.ctx, here.system, here.clusters, &aggregation, NULL,
                                      NULL, NULL, &bench.model));
    place_close(&here);
    bench.settings.episodes = EPISODES;
    *state = &bench;
    return 0;
}

/* Explores an open run in the program that `text` names. */
static foray_status explore_in(run_bench *bench, foray_run *run, const char *text)
{
    place here;
    foray_world *world;
    place_open(bench, text, &here);
    assert_ok(bench, foray_world_from_system(bench->ctx, here.system, here.clusters, bench->model,
                                             NULL, FORAY_CONTINUE_REAL, &world));
    foray_status status = foray_run_explore(run, 1, &world, NULL, NULL);
    foray_world_destroy(world);
    place_close(&here);
    return status;
}

static void fail_and_resume(run_bench *bench, const char *mode, const char *cause,
                            const run_digest *whole)
{
    char text[512];
    run_digest resumed;
    const char *limit = strcmp(cause, "did not answer within 0.4 s") == 0 ? "0.4" : "100";
    snprintf(text, sizeof text, "exec:[timeout=%s,grace=0.2]exec ./hostile_world %s %d %s/lock",
             limit, mode, FATAL_STEP, bench->directory);
    foray_run *run = run_create(bench, bench->path);
    assert_fails(bench, FORAY_ERROR_WORLD, explore_in(bench, run, text));
    run_assert_message(bench, cause);
    foray_run_close(run);
    run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
    assert_int_equal(foray_run_saved(run), ENDED);
    assert_ok(bench, explore_in(bench, run, good_world));
    assert_ok(bench, foray_run_verify(run));
    assert_ok(bench, run_take_digest(run, &resumed));
    run_assert_same(whole, &resumed);
    foray_run_close(run);
    unlink(bench->path);
}

static void test_fail_and_resume(void **state)
{
    static const struct {
        const char *mode, *cause;
    } rows[] = {
        {"hang", "did not answer within 0.4 s"},
        {"dribble", "did not answer within 0.4 s"},
        {"exit", "the program ended (exit status 7)"},
        {"killed", "the program ended (signal 9: Killed)"},
        {"grandchild", "the program ended (exit status 0)"},
        {"noise", "does not speak the world protocol"},
        {"flood", "sequence number"},
        {"cut", "the program ended (exit status 0)"},
        {"error", "the program says: the ring"},
        {"close-out", "closed descriptor 4"},
        {"range", "is 99"},
        {"nan", "is nan"},
    };
    run_bench *bench = *state;
    run_digest whole;
    foray_run *run = run_create(bench, bench->other);
    assert_ok(bench, explore_in(bench, run, good_world));
    assert_ok(bench, run_take_digest(run, &whole));
    foray_run_close(run);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fail_and_resume(bench, rows[i].mode, rows[i].cause, &whole);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_fail_and_resume, setup, run_bench_teardown),
    };
    (void)count;
    support_go_home(arguments[0]);
    alarm(WATCHDOG_SECONDS);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
