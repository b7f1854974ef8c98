/* test_ahead.c - episodes played ahead by several threads: the bits of the sequential run, for
 * every algorithm, however often it plans, however it is interrupted, and whoever goes on. */
#include "support.h"
#include "support_run.h"
#include "explore/explorer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 8 };

/* Copies of the bench's world, each with a context of its own. */
typedef struct crew {
    int64_t count;
    run_bench bench[MAX];
    run_world world[MAX];
    foray_world *worlds[MAX];
} crew;

static void crew_open(run_bench *bench, int64_t count, crew *all)
{
    all->count = count;
    for (int64_t i = 0; i < count; i++) {
        all->bench[i] = *bench;
        all->bench[i].ctx = foray_context_create();
        run_world_open(&all->bench[i], &all->world[i]);
        all->worlds[i] = all->world[i].world;
    }
}

static void crew_close(crew *all)
{
    for (int64_t i = 0; i < all->count; i++) {
        run_world_close(&all->world[i]);
        foray_context_destroy(all->bench[i].ctx);
    }
}

/* From where the run is to its end, or to a world that fails. */
static foray_status explore(run_bench *bench, foray_run *run, int64_t workers, int64_t fail_episode,
                            int64_t fail_step)
{
    crew all;
    crew_open(bench, workers, &all);
    for (int64_t i = 0; i < workers; i++) {
        all.world[i].fail_episode = fail_episode;
        all.world[i].fail_step = fail_step;
    }
    foray_status status = foray_run_explore(run, workers, all.worlds, NULL, NULL);
    crew_close(&all);
    return status;
}

static void digest_of(run_bench *bench, int64_t workers, run_digest *out)
{
    foray_run *run = run_create(bench, bench->path);
    assert_ok(bench, explore(bench, run, workers, -1, 0));
    foray_run_close(run);
    run_digest_file(bench, bench->path, out);
    remove(bench->path);
}

static void choose(run_bench *bench, const char *algorithm, int64_t plan_every)
{
    snprintf(bench->settings.algorithm, sizeof bench->settings.algorithm, "%s", algorithm);
    bench->settings.plan_every = plan_every;
}

/* ------------------------------------------------------------------- the same bits */

static void test_any_number_of_workers(void **state)
{
    static const int64_t workers[] = {2, 5, 8}, every[] = {1, 16};
    run_bench *bench = *state;
    const char *name;
    for (int64_t i = 0; (name = support_algorithm(i)); i++)
        for (int64_t e = 0; e < 2; e++) {
            run_digest alone, together;
            choose(bench, name, every[e]);
            digest_of(bench, 1, &alone);
            for (int64_t w = 0; w < 3; w++) {
                digest_of(bench, workers[w], &together);
                run_assert_same(&alone, &together);
            }
        }
}

/* Otherwise the test above would show nothing. */
static void test_plan_every_matters(void **state)
{
    run_bench *bench = *state;
    run_digest often, seldom;
    choose(bench, "rf-express", 1);
    digest_of(bench, 2, &often);
    choose(bench, "rf-express", 16);
    digest_of(bench, 2, &seldom);
    assert_false(run_same(&often, &seldom));
}

/* Breaks off at an episode, goes on with another number of workers. */
static void break_and_go_on(run_bench *bench, const run_digest *whole, const int64_t at[4])
{
    run_digest broken;
    foray_run *run = run_create(bench, bench->path);
    assert_fails(bench, FORAY_ERROR_WORLD, explore(bench, run, at[2], at[0], at[1]));
    run_assert_message(bench, "episode");
    assert_int_equal(foray_run_saved(run), at[0]);
    foray_run_close(run);
    run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
    assert_ok(bench, explore(bench, run, at[3], -1, 0));
    foray_run_close(run);
    run_digest_file(bench, bench->path, &broken);
    run_assert_same(whole, &broken);
    remove(bench->path);
}

/* Every algorithm, in the midst of a plan that lasts: what it saves is all that it needs. */
static void test_broken_off(void **state)
{
    static const int64_t at[][4] = {{0, 0, 8, 1},  {5, 3, 2, 5},   {6, 0, 5, 1},
                                    {64, 8, 8, 2}, {133, 1, 1, 8}, {299, 8, 3, 3}};
    run_bench *bench = *state;
    const char *name;
    for (int64_t i = 0; (name = support_algorithm(i)); i++) {
        run_digest whole;
        choose(bench, name, 7);
        digest_of(bench, 1, &whole);
        for (size_t k = 0; k < sizeof at / sizeof *at; k++)
            break_and_go_on(bench, &whole, at[k]);
    }
}

/* -------------------------------------------------------------------- how often */

/* Plans are made after every so many episodes alone; without a reason there is none. */
static void test_when_it_plans(void **state)
{
    run_bench *bench = *state;
    const char *name;
    foray_world *world;
    assert_ok(bench, foray_world_from_model(bench->ctx, bench->model, &world));
    for (int64_t i = 0; (name = support_algorithm(i)); i++) {
        /* Its policies are for other goals in turn, whatever they rest on. */
        if (strcmp(name, "rf-rl-explore") == 0)
            continue;
        foray_explorer *explorer;
        choose(bench, name, 10);
        assert_ok(bench,
                  foray_explorer_create(bench->ctx, bench->model, &bench->settings, &explorer));
        if (foray_algorithm_needs_reward(name)) {
            foray_reward *reward = run_goal_reward(bench->ctx, bench->model);
            assert_ok(bench, foray_explorer_give_reward(explorer, reward));
            foray_reward_destroy(reward);
        }
        int64_t many = 0;
        for (int64_t k = 0; k < 95; k++) {
            int64_t before = explorer->plans;
            assert_ok(bench, foray_explorer_play(explorer, world, NULL, NULL));
            /* At the beginning of episode 10n, or at the end of the one before. */
            if (explorer->plans != before)
                assert_true(k % 10 == 0 || k % 10 == 9);
            many += explorer->plans != before;
        }
        assert_true(many > 0);
        foray_explorer_destroy(explorer);
    }
    foray_world_destroy(world);
}

/* Which can be played ahead: a table until the next plan, or actions that nothing changes. */
static void test_who_can(void **state)
{
    static const struct {
        const char *name;
        int64_t every;
        fy_ahead_kind expected;
    } row[] = {
        {"ucrl-rfe", 1, FY_AHEAD_PLAYS},    {"random", 1, FY_AHEAD_PLAYS},
        {"rf-express", 1, FY_AHEAD_PLANS},  {"rf-express", 16, FY_AHEAD_PLAYS},
        {"wang", 1, FY_AHEAD_PLANS},        {"euler", 2, FY_AHEAD_PLAYS},
        {"francis", 16, FY_AHEAD_STEPWISE}, {"sstp", 16, FY_AHEAD_STEPWISE},
    };
    run_bench *bench = *state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        foray_explorer *explorer;
        choose(bench, row[i].name, row[i].every);
        assert_ok(bench,
                  foray_explorer_create(bench->ctx, bench->model, &bench->settings, &explorer));
        assert_int_equal(fy_explorer_ahead(explorer), row[i].expected);
        foray_explorer_destroy(explorer);
    }
}

/* -------------------------------------------------------------- what goes wrong */

/* A world that says nonsense ends the run with the words of the sequential one. */
static void test_nonsense(void **state)
{
    static const int64_t answer[] = {-3, 1000000, 5};
    run_bench *bench = *state;
    for (size_t i = 0; i < sizeof answer / sizeof *answer; i++) {
        char said[sizeof bench->ctx->message] = "";
        for (int64_t workers = 1; workers <= 5; workers += 4) {
            crew all;
            crew_open(bench, workers, &all);
            for (int64_t w = 0; w < workers; w++) {
                all.world[w].fail_episode = 20;
                all.world[w].fail_step = 1;
                all.world[w].fail_status = FORAY_OK;
                all.world[w].answer = answer[i];
            }
            foray_run *run = run_create(bench, bench->path);
            assert_fails(bench, FORAY_ERROR_WORLD,
                         foray_run_explore(run, workers, all.worlds, NULL, NULL));
            assert_int_equal(foray_run_saved(run), 20);
            if (workers > 1)
                assert_string_equal(foray_message(bench->ctx), said);
            snprintf(said, sizeof said, "%s", foray_message(bench->ctx));
            foray_run_close(run);
            crew_close(&all);
            remove(bench->path);
        }
    }
}

static bool stop_soon(void *user, const foray_progress *progress)
{
    int64_t *calls = user;
    (void)progress;
    return ++*calls < 3;
}

/* Stopped from outside, as by a signal: everything saved, threads gone. */
static void test_stopped(void **state)
{
    run_bench *bench = *state;
    run_digest whole, stopped;
    digest_of(bench, 1, &whole);
    crew all;
    int64_t calls = 0;
    crew_open(bench, 4, &all);
    foray_run *run = run_create(bench, bench->path);
    foray_status status = foray_run_explore(run, 4, all.worlds, stop_soon, &calls);
    assert_true(status == FORAY_OK || status == FORAY_INTERRUPTED);
    assert_ok(bench, foray_run_explore(run, 3, all.worlds, NULL, NULL));
    foray_run_close(run);
    crew_close(&all);
    run_digest_file(bench, bench->path, &stopped);
    run_assert_same(&whole, &stopped);
}

/* Every allocation of the start fails in turn. */
static void test_out_of_memory(void **state)
{
    run_bench *bench = *state;
    run_digest whole, later;
    digest_of(bench, 1, &whole);
    crew all;
    crew_open(bench, 2, &all);
    foray_run *run = run_create(bench, bench->path);
    foray_status status = FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < 200 && status == FORAY_ERROR_MEMORY; i++) {
        bench->ctx->allocations_left = i;
        status = foray_run_explore(run, 2, all.worlds, NULL, NULL);
        bench->ctx->allocations_left = -1;
    }
    assert_fails(bench, FORAY_ERROR_USAGE, foray_run_explore(run, 0, all.worlds, NULL, NULL));
    foray_run_close(run);
    crew_close(&all);
    run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
    assert_ok(bench, explore(bench, run, 2, -1, 0));
    foray_run_close(run);
    run_digest_file(bench, bench->path, &later);
    run_assert_same(&whole, &later);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN_TEST(test_any_number_of_workers),
        RUN_TEST(test_plan_every_matters),
        RUN_TEST(test_broken_off),
        RUN_TEST(test_when_it_plans),
        RUN_TEST(test_who_can),
        RUN_TEST(test_nonsense),
        RUN_TEST(test_stopped),
        RUN_TEST(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
