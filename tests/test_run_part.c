/* test_run_part.c - a run keeps what episodes get to of its model, and nobody can tell: the same
 * episodes, plans and states of explorers, bit for bit, whether it was closed in between or not.
 * What is left out is named, and what was left out wrongly is refused. */
#include "support_run.h"

#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "world/world.h"

/* The second has laws that no episode meets, and of the last one half the states have names. */
static const char *const worlds[] = {"chain:states=50,zones=1,horizon=6",
                                     "grid:rows=40,cols=40,zones=9,horizon=6", "taxi:horizon=4"};
enum { WORLDS = sizeof worlds / sizeof *worlds };

/* Explores up to episode k; closed: as a run that was opened for it. */
static void explore_to(run_bench *bench, foray_run **run, int64_t k, bool closed)
{
    foray_world *world;
    if (closed) {
        foray_run_close(*run);
        *run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
    }
    assert_ok(bench, foray_world_from_model(bench->ctx, bench->model, &world));
    assert_ok(bench, foray_run_extend(*run, k));
    assert_ok(bench, foray_run_explore(*run, 1, &world, NULL, NULL));
    foray_world_destroy(world);
}

static void state_of(run_bench *bench, foray_run *run, uint8_t **data, size_t *size)
{
    assert_ok(bench, foray_explorer_save(run->explorer, data, size));
}

static foray_policy *plan(run_bench *bench, foray_run *run)
{
    foray_policy *policy;
    foray_reward *reward;
    assert_ok(bench, foray_reward_create(bench->ctx, foray_run_model(run), "r", 0, 1, 0, &reward));
    assert_ok(bench, foray_reward_set(bench->ctx, reward, -1, 2, -1, 1));
    assert_ok(bench, foray_reward_set(bench->ctx, reward, 3, -1, 1, 0.5));
    const foray_reward *const rewards[] = {reward};
    assert_ok(bench, foray_run_plan(run, 1, rewards, FORAY_PLUGIN, &policy));
    foray_reward_destroy(reward);
    return policy;
}

static void use_world(run_bench *bench, const char *spec)
{
    foray_model_destroy(bench->model);
    assert_ok(bench, foray_model_builtin(bench->ctx, spec, &bench->model));
    bench->settings.episodes = 20;
}

static void test_nobody_can_tell(void **state)
{
    run_bench *bench = *state;
    static const char *const algorithms[] = {"ucrl-rfe", "scout", "rf-express"};
    for (int w = 0; w < WORLDS; w++)
        for (int a = 0; a < 3; a++) {
            uint8_t *data[2];
            size_t size[2];
            foray_policy *policy[2];
            use_world(bench, worlds[w]);
            strcpy(bench->settings.algorithm, algorithms[a]);
            for (int closed = 0; closed < 2; closed++) {
                foray_run *run = run_create(bench, bench->path);
                explore_to(bench, &run, 20, closed);
                explore_to(bench, &run, 33, closed);
                policy[closed] = plan(bench, run);
                explore_to(bench, &run, 60, closed);
                state_of(bench, run, &data[closed], &size[closed]);
                assert_int_equal(run->model->pruned, closed);
                assert_ok(bench, foray_run_verify(run));
                bool same;
                assert_ok(bench,
                          fy_model_same_episodes(bench->ctx, bench->model, run->model, &same));
                assert_true(same);
                foray_run_close(run);
                assert_int_equal(remove(bench->path), 0);
            }
            assert_true(size[0] == size[1] && memcmp(data[0], data[1], size[0]) == 0);
            assert_memory_equal(policy[0]->value, policy[1]->value, sizeof policy[0]->value);
            assert_memory_equal(policy[0]->action, policy[1]->action,
                                (size_t)(policy[0]->horizon * policy[0]->covered) *
                                    sizeof *policy[0]->action);
            assert_true(policy[0]->certificate.gap == policy[1]->certificate.gap);
            for (int i = 0; i < 2; i++) {
                free(data[i]);
                foray_policy_destroy(policy[i]);
            }
        }
}

/* States that nobody meets take next to nothing of a file. */
static void test_size(void **state)
{
    run_bench *bench = *state;
    long size[2];
    static const char *const specs[] = {"grid:rows=30,cols=30,zones=1,horizon=6",
                                        "grid:rows=300,cols=300,zones=1,horizon=6"};
    for (int i = 0; i < 2; i++) {
        use_world(bench, specs[i]);
        run_make(bench, bench->path);
        size[i] = run_file_size(bench->path);
        assert_int_equal(remove(bench->path), 0);
    }
    assert_true(size[1] < 3 * size[0]); /* the map is kept; it is a hundred times as large */
}

/* Recorded data, and queries, may be about anything. */
static void test_what_does_not_walk_keeps_all(void **state)
{
    run_bench *bench = *state;
    static const char *const algorithms[] = {"generative", "recorded"};
    for (int a = 0; a < 2; a++) {
        use_world(bench, worlds[1]);
        strcpy(bench->settings.algorithm, algorithms[a]);
        foray_run *run = run_create(bench, bench->path);
        foray_run_close(run);
        run = run_reopen(bench, bench->path, FORAY_RUN_READ);
        assert_true(!run->model->pruned && foray_model_equal(run->model, bench->model));
        foray_run_close(run);
        assert_int_equal(remove(bench->path), 0);
    }
}

/* A world that does not obey the model may get anywhere: the file then has all of it, unless it was
 * closed before that showed. */
static void test_aggregated_worlds(void **state)
{
    run_bench *bench = *state;
    foray_world *world;
    use_world(bench, worlds[1]);
    assert_ok(bench, foray_world_from_model(bench->ctx, bench->model, &world));
    fy_world_mark_aggregated(world);
    foray_run *run = run_create(bench, bench->path);
    assert_ok(bench, foray_run_explore(run, 1, &world, NULL, NULL));
    foray_run_close(run);
    run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
    assert_true(!run->model->pruned && foray_model_equal(run->model, bench->model));
    assert_ok(bench, foray_run_extend(run, 30));
    assert_ok(bench, foray_run_explore(run, 1, &world, NULL, NULL));
    assert_ok(bench, foray_run_verify(run));
    foray_run_close(run);
    assert_int_equal(remove(bench->path), 0);
    run = run_create(bench, bench->path);
    foray_run_close(run);
    run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
    assert_fails(bench, FORAY_ERROR_USAGE, foray_run_explore(run, 1, &world, NULL, NULL));
    run_assert_message(bench, "create the run again, with this world");
    foray_run_close(run);
    foray_world_destroy(world);
}

/* Another law, another first state, another world: those differ. */
static void test_other_models_differ(void **state)
{
    run_bench *bench = *state;
    static const char *const others[] = {"grid:rows=40,cols=40,zones=9,horizon=7",
                                         "grid:rows=40,cols=40,zones=9,horizon=6,success=0.7",
                                         "grid:rows=40,cols=41,zones=9,horizon=6"};
    use_world(bench, worlds[1]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        foray_model *other;
        bool same = true;
        assert_ok(bench, foray_model_builtin(bench->ctx, others[i], &other));
        assert_ok(bench, fy_model_same_episodes(bench->ctx, bench->model, other, &same));
        assert_false(same);
        foray_model_destroy(other);
    }
}

/* A state without an action is believed where no step begins, and nowhere else. */
static void test_states_that_stay(void **state)
{
    run_bench *bench = *state;
    use_world(bench, worlds[0]);
    foray_model *part, *read;
    assert_ok(bench, fy_model_reachable(bench->ctx, bench->model, &part));
    for (int64_t cut = 0; cut < 2; cut++) {
        char *data;
        size_t size;
        fy_writer writer = {.ctx = bench->ctx};
        int64_t begun = part->by_step[part->horizon - 1];
        /* The last of the states that a step begins in is left out as well. */
        part->by_step[part->horizon - 1] -= cut;
        fy_model_write_compact(bench->model, part, &writer);
        part->by_step[part->horizon - 1] = begun;
        assert_ok(bench, fy_writer_take(&writer, "a model", &data, &size));
        foray_status status = foray_model_parse(bench->ctx, data, size, "m", &read);
        free(data);
        if (cut) {
            assert_int_equal(status, FORAY_ERROR_INPUT);
            run_assert_message(bench, "has no action");
            break;
        }
        assert_int_equal(status, FORAY_OK);
        for (int64_t s = 0; s < read->states; s++) {
            const int32_t *next;
            bool reached = part->index[s] >= 0 && part->index[s] < begun;
            int64_t n = foray_model_successors(read, s, 0, &next);
            for (int64_t j = 0; j < n && !reached; j++)
                assert_int_equal(next[j], s);
        }
        foray_model_destroy(read);
    }
    foray_model_destroy(part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN_TEST(test_nobody_can_tell),
        RUN_TEST(test_size),
        RUN_TEST(test_what_does_not_walk_keeps_all),
        RUN_TEST(test_aggregated_worlds),
        RUN_TEST(test_other_models_differ),
        RUN_TEST(test_states_that_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
