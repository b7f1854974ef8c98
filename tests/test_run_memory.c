/* test_run_memory.c - runs when memory fails, and how little of it they ask for. */
#include "support.h"
#include "support_run.h"

#include <malloc.h>
#include <stdio.h>

/* ------------------------------------------------------------------ memory */

/* Every allocation fails in turn: an error, no leak, and the file is fine. */
static void test_allocations_that_fail(void **state)
{
    run_bench *bench = *state;
    bench->settings.episodes = 20;
    foray_run *run = NULL;
    foray_status status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        bench->ctx->allocations_left = left;
        status = foray_run_create(bench->ctx, bench->path, FORAY_RUN_REPLACE, bench->model, "",
                                  &bench->settings, &run);
        bench->ctx->allocations_left = -1;
        assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
    }
    foray_world *world;
    assert_ok(bench, foray_world_from_model(bench->ctx, bench->model, &world));
    status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        bench->ctx->allocations_left = left;
        status = foray_run_explore(run, 1, &world, NULL, NULL);
        bench->ctx->allocations_left = -1;
        assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
    }
    foray_world_destroy(world);
    assert_int_equal(foray_run_saved(run), 20);
    foray_reward *reward = run_goal_reward(bench->ctx, bench->model);
    const foray_reward *rewards[] = {reward, reward};
    foray_policy *policy[2] = {NULL, NULL};
    status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        bench->ctx->allocations_left = left;
        status = foray_run_plan(run, 2, rewards, FORAY_PLUGIN, policy);
        bench->ctx->allocations_left = -1;
        assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
    }
    foray_policy_destroy(policy[0]);
    foray_policy_destroy(policy[1]);
    foray_reward_destroy(reward);
    status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        bench->ctx->allocations_left = left;
        status = foray_run_verify(run);
        bench->ctx->allocations_left = -1;
        assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
    }
    foray_run_close(run);
}

static void test_allocations_that_fail_on_opening(void **state)
{
    run_bench *bench = *state;
    run_make(bench, bench->path);
    foray_status status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        foray_run *run;
        bench->ctx->allocations_left = left;
        status = foray_run_open(bench->ctx, bench->path, FORAY_RUN_WRITE, &run);
        bench->ctx->allocations_left = -1;
        assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
        if (status == FORAY_OK)
            foray_run_close(run);
    }
}

typedef struct heap_watch {
    foray_run *run;
    int64_t saved, asked, episodes;
    size_t heap;
} heap_watch;

/* Between two episodes without a transaction nothing may have been allocated,
 * by us (counted) or by anyone else (the heap in use stays as it is). */
static void watch_heap(void *user, int64_t episode)
{
    heap_watch *watch = user;
    foray_run *run = watch->run;
    int64_t asked = run->ctx->allocations;
    size_t heap = mallinfo2().uordblks;
    bool quiet = watch->saved == run->store->head.episodes && episode > 10;
    if (quiet) {
        assert_int_equal(asked, watch->asked);
        assert_int_equal(heap, watch->heap);
        watch->episodes++;
    }
    watch->saved = run->store->head.episodes;
    watch->asked = asked;
    watch->heap = heap;
}

static void test_loop_allocates_nothing(void **state)
{
    run_bench *bench = *state;
    const char *name;
    bench->settings.episodes = 3000;
    for (int64_t i = 0; (name = support_algorithm(i)); i++) {
        snprintf(bench->settings.algorithm, sizeof bench->settings.algorithm, "%s", name);
        run_world world;
        run_world_open(bench, &world);
        heap_watch watch = {.run = run_create(bench, bench->path)};
        world.before_episode = watch_heap;
        world.user = &watch;
        /* Bounds are part of the loop, where the algorithm has one. */
        bool bounded = foray_run_set_until(watch.run, 1e-9) == FORAY_OK;
        assert_int_equal(foray_run_explore(watch.run, 1, &world.world, NULL, NULL),
                         bounded ? FORAY_TARGET_MISSED : FORAY_OK);
        assert_true(watch.episodes > 2000);
        foray_run_close(watch.run);
        run_world_close(&world);
        remove(bench->path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN_TEST(test_allocations_that_fail),
        RUN_TEST(test_allocations_that_fail_on_opening),
        RUN_TEST(test_loop_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
