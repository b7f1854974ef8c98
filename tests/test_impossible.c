/* test_impossible.c - run files whose checksums are right and whose contents cannot be: plans,
 * traces and checkpoints that somebody made up or took from another run. */
#include "support_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ----------------------------------------------------------------- stored plans */

typedef struct plan_row {
    int64_t episodes;
    const char *reward, *mode;
    double value[FORAY_MODES], expected, low, high, gap, delta;
    int64_t radius, bound, status;
} plan_row;

/* Replaces what plan 0 says about itself, under a checksum that is right. */
static void put_plan_row_with(foray_run *run, const plan_row *said, int64_t reward_bytes)
{
    fy_row row;
    int64_t policy_bytes;
    assert_int_equal(
        fy_store_number(run->store, "SELECT policy_bytes FROM plan WHERE id = 0", &policy_bytes),
        FORAY_OK);
    fy_row_prepare(&row, run->store, "plans",
                   "REPLACE INTO plan(id, episodes, reward, mode, optimistic, plugin, pessimistic,"
                   " expected, low, high, gap, delta, radius, bound, status, own, reward_bytes,"
                   " policy_bytes, crc) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,"
                   " ?13, ?14, ?15, ?16, ?17, ?18, ?19)");
    fy_row_put_int(&row, 0);
    fy_row_put_int(&row, said->episodes);
    fy_row_put_text(&row, said->reward);
    fy_row_put_text(&row, said->mode);
    for (int mode = 0; mode < FORAY_MODES; mode++)
        fy_row_put_real(&row, said->value[mode]);
    fy_row_put_real(&row, said->expected);
    fy_row_put_real(&row, said->low);
    fy_row_put_real(&row, said->high);
    fy_row_put_real(&row, said->gap);
    fy_row_put_real(&row, said->delta);
    fy_row_put_int(&row, said->radius);
    fy_row_put_int(&row, said->bound);
    fy_row_put_int(&row, said->status);
    fy_row_put_int(&row, 0);
    fy_row_put_int(&row, reward_bytes);
    fy_row_put_int(&row, policy_bytes);
    assert_int_equal(fy_row_insert(&row), FORAY_OK);
}

static void put_plan_row(foray_run *run, const plan_row *said)
{
    int64_t reward_bytes;
    assert_int_equal(
        fy_store_number(run->store, "SELECT reward_bytes FROM plan WHERE id = 0", &reward_bytes),
        FORAY_OK);
    put_plan_row_with(run, said, reward_bytes);
}

static bool count_plan(void *user, int64_t id, int64_t episodes, const char *reward_name,
                       const char *reward_json, const foray_policy *policy)
{
    (void)id, (void)episodes, (void)reward_name, (void)reward_json, (void)policy;
    ++*(int64_t *)user;
    return true;
}

/* A run with one plan, and what that says. */
static foray_run *run_with_plan(run_bench *bench, plan_row *said)
{
    foray_policy *policy;
    run_make(bench, bench->path);
    foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
    foray_reward *reward = run_goal_reward(bench->ctx, bench->model);
    const foray_reward *const rewards[] = {reward};
    assert_ok(bench, foray_run_plan(run, 1, rewards, FORAY_PLUGIN, &policy));
    *said = (plan_row){.episodes = foray_run_saved(run),
                       .reward = "goal",
                       .mode = "plugin",
                       .gap = policy->certificate.gap,
                       .delta = policy->certificate.delta,
                       .expected = policy->expected,
                       .low = policy->low,
                       .high = policy->high,
                       .radius = policy->certificate.radius,
                       .bound = policy->certificate.bound,
                       .status = policy->certificate.status};
    memcpy(said->value, policy->value, sizeof said->value);
    static char name[FORAY_NAME_MAX + 1];
    snprintf(name, sizeof name, "%s", foray_reward_name(reward));
    said->reward = name;
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    return run;
}

/* The same for what the policy is worth. */
static void put_value_row(foray_run *run, plan_row said, double expected, double low, double high,
                          int64_t bound)
{
    said.expected = expected;
    said.low = low;
    said.high = high;
    said.bound = bound;
    put_plan_row(run, &said);
}

static void values_that_cannot_be_are_refused(void **state)
{
    run_bench *bench = *state;
    plan_row said;
    foray_run *run = run_with_plan(bench, &said);
    int64_t plans = 0;
    put_value_row(run, said, 1, 0.5, 2, FORAY_BOUND_GAP);
    assert_ok(bench, foray_run_plans(run, count_plan, &plans));
    put_value_row(run, said, 1, NAN, NAN, FORAY_BOUND_NONE);
    assert_ok(bench, foray_run_plans(run, count_plan, &plans));
    assert_int_equal(plans, 2);
    for (int lie = 0; lie < 4; lie++) {
        put_value_row(run, said, lie == 0 ? INFINITY : 1, lie == 1 ? 3 : 0.5, 2,
                      lie == 2   ? -1
                      : lie == 3 ? 77
                                 : FORAY_BOUND_GAP);
        assert_fails(bench, FORAY_ERROR_RUN, foray_run_verify(run));
        run_assert_message(bench, "plan 0");
    }
    foray_run_close(run);
}

/* A row that promises more than the file has is damage, not a lack of memory. */
static void sizes_that_cannot_be_are_refused(void **state)
{
    run_bench *bench = *state;
    static const int64_t sizes[] = {INT64_C(1) << 20, INT64_C(1) << 45, INT64_MAX};
    plan_row said;
    int64_t plans = 0;
    foray_run *run = run_with_plan(bench, &said);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        put_plan_row_with(run, &said, sizes[i]);
        assert_fails(bench, FORAY_ERROR_RUN, foray_run_plans(run, count_plan, &plans));
        run_assert_message(bench, "its reward is larger than the file");
    }
    assert_int_equal(plans, 0);
    assert_ok(bench, fy_store_put_meta(run->store, "targets", "2000000000"));
    foray_run_close(run);
    assert_fails(bench, FORAY_ERROR_RUN,
                 foray_run_open(bench->ctx, bench->path, FORAY_RUN_READ, &run));
    run_assert_message(bench, "the number of its targets is impossible");
}

/* A target that is no reward is a damaged run, not a wrong file that was given. */
static void targets_that_cannot_be_are_refused(void **state)
{
    run_bench *bench = *state;
    foray_run *run = run_create(bench, bench->path);
    assert_ok(bench, fy_store_put_meta(run->store, "targets", "1"));
    assert_ok(bench, fy_store_put_meta(run->store, "target_0", "{\"format\":\"foray-reward\"}"));
    foray_run_close(run);
    assert_fails(bench, FORAY_ERROR_RUN,
                 foray_run_open(bench->ctx, bench->path, FORAY_RUN_READ, &run));
}

static void plans_that_cannot_be_are_refused(void **state)
{
    run_bench *bench = *state;
    plan_row right;
    foray_run *run = run_with_plan(bench, &right);
    put_plan_row(run, &right);
    assert_ok(bench, foray_run_verify(run));
    for (int lie = 0; lie < 12; lie++) {
        plan_row said = right;
        switch (lie) {
        case 0:
            said.episodes = -1;
            break;
        case 1:
            said.episodes = foray_run_saved(run) + 1;
            break;
        case 2:
            said.reward = "another";
            break;
        case 3:
            said.value[FORAY_OPTIMISTIC] = 1e6;
            break;
        case 4:
            said.value[FORAY_PLUGIN] = -1;
            break;
        case 5:
            said.value[FORAY_PESSIMISTIC] = NAN;
            break;
        case 6:
            said.gap = -0.5;
            break;
        case 7:
            said.gap = NAN;
            break;
        case 8:
            said.delta = 2;
            break;
        case 9:
            said.radius = 77;
            break;
        case 10:
            said.status = 1000000;
            break;
        case 11:
            said.status = -1;
            break;
        }
        put_plan_row(run, &said);
        assert_fails(bench, FORAY_ERROR_RUN, foray_run_verify(run));
        run_assert_message(bench, "plan 0");
    }
    put_plan_row(run, &right);
    assert_ok(bench, foray_run_verify(run));
    foray_run_close(run);
}

/* ------------------------------------------------------------------------ trace */

static void replace_point(foray_run *run, int64_t episodes, int64_t plans, double bound)
{
    fy_row row;
    int64_t last;
    assert_int_equal(fy_store_number(run->store, "SELECT max(episodes) FROM trace", &last),
                     FORAY_OK);
    fy_row_prepare(&row, run->store, "trace", "DELETE FROM trace WHERE episodes = ?1");
    fy_row_bind_int(&row, 1, last);
    fy_row_next(&row);
    assert_int_equal(fy_row_end(&row), FORAY_OK);
    fy_row_prepare(&row, run->store, "trace",
                   "INSERT INTO trace(episodes, plans, bound, crc) VALUES(?1, ?2, ?3, ?4)");
    fy_row_put_int(&row, episodes);
    fy_row_put_int(&row, plans);
    fy_row_put_real(&row, bound);
    assert_int_equal(fy_row_insert(&row), FORAY_OK);
}

static bool keep_last(void *user, int64_t episodes, int64_t plans, double bound)
{
    *(fy_point *)user = (fy_point){episodes, plans, bound};
    return true;
}

static void traces_that_cannot_be_are_refused(void **state)
{
    run_bench *bench = *state;
    fy_point right;
    run_make(bench, bench->path);
    foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
    assert_ok(bench, foray_run_trace(run, keep_last, &right));
    int64_t after = foray_run_saved(run);
    const fy_point lies[] = {{after + 1, right.plans, right.bound}, /* behind the last episode */
                             {right.episodes, -1, right.bound},
                             {right.episodes, right.plans, -2},
                             {right.episodes, right.plans + 1, right.bound},
                             {right.episodes, right.plans, right.bound / 2}};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        replace_point(run, lies[i].episodes, lies[i].plans, lies[i].bound);
        assert_fails(bench, FORAY_ERROR_RUN, foray_run_verify(run));
        run_assert_message(bench, "trace");
        replace_point(run, right.episodes, right.plans, right.bound);
    }
    assert_ok(bench, foray_run_verify(run));
    foray_run_close(run);
}

/* ------------------------------------------------------------------ checkpoints */

/* Puts the checkpoints of one run into another. */
static void transplant(const char *from, const char *to)
{
    char sql[512];
    snprintf(sql, sizeof sql,
             "ATTACH '%s' AS other;"
             "DELETE FROM main.checkpoint; DELETE FROM main.piece WHERE kind='checkpoint';"
             "INSERT INTO main.checkpoint SELECT * FROM other.checkpoint;"
             "INSERT INTO main.piece SELECT * FROM other.piece WHERE kind='checkpoint'",
             from);
    run_sql(to, sql);
}

static void checkpoints_of_another_seed_are_not_used(void **state)
{
    run_bench *bench = *state;
    run_digest mine, theirs, after;
    bench->settings.seed = 1;
    run_make(bench, bench->path);
    run_digest_file(bench, bench->path, &mine);
    bench->settings.seed = 2;
    run_make(bench, bench->other);
    run_digest_file(bench, bench->other, &theirs);
    assert_true(mine.bound != theirs.bound);
    transplant(bench->other, bench->path);
    run_digest_file(bench, bench->path, &after);
    assert_true(after.bound == mine.bound);
    assert_true(after.explorer == mine.explorer);
    foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_READ);
    assert_fails(bench, FORAY_ERROR_RUN, foray_run_verify(run));
    run_assert_message(bench, "checkpoint");
    foray_run_close(run);
}

/* It would be in the way of nobody today, and be believed once there are so many episodes. */
static void checkpoints_of_episodes_to_come_are_refused(void **state)
{
    run_bench *bench = *state;
    foray_run *run;
    run_make(bench, bench->path);
    run_sql(bench->path, "UPDATE piece SET id = id + 1 WHERE kind = 'checkpoint'"
                         " AND id = (SELECT max(episodes) FROM checkpoint);"
                         "UPDATE checkpoint SET episodes = episodes + 1"
                         " WHERE episodes = (SELECT max(episodes) FROM checkpoint)");
    assert_fails(bench, FORAY_ERROR_RUN,
                 foray_run_open(bench->ctx, bench->path, FORAY_RUN_READ, &run));
    run_assert_message(bench, "1 checkpoints of episodes that are not in it");
}

/* ------------------------------------------------------------------- leftovers */

/* A process that was killed while it made a run leaves an unfinished file: the next that writes
 * the run removes it, whether it makes it anew or goes on. Other runs' are in use, perhaps. */
static void unfinished_files_are_removed(void **state)
{
    run_bench *bench = *state;
    char *mine, *theirs;
    assert_ok(bench, fy_create_unfinished(bench->ctx, bench->other, &theirs));
    for (int again = 0; again < 2; again++) {
        assert_ok(bench, fy_create_unfinished(bench->ctx, bench->path, &mine));
        assert_int_equal(access(mine, F_OK), 0);
        if (again == 0)
            run_make(bench, bench->path);
        else
            foray_run_close(run_reopen(bench, bench->path, FORAY_RUN_WRITE));
        assert_int_equal(access(mine, F_OK), -1);
        free(mine);
    }
    assert_int_equal(access(theirs, F_OK), 0);
    free(theirs);
}

/* What somebody put where earlier versions made their new runs, or under such a name as today's
 * have, is neither written to nor removed. */
static void links_are_not_followed(void **state)
{
    run_bench *bench = *state;
    char old[128], *name;
    snprintf(old, sizeof old, "%s-new", bench->path);
    assert_ok(bench, fy_create_unfinished(bench->ctx, bench->path, &name));
    unlink(name);
    run_make(bench, bench->other);
    long size = run_file_size(bench->other);
    assert_int_equal(symlink(bench->other, old), 0);
    assert_int_equal(symlink(bench->other, name), 0);
    run_make(bench, bench->path);
    assert_int_equal(run_file_size(bench->other), size);
    assert_int_equal(access(old, F_OK), 0);
    assert_int_equal(access(name, F_OK), 0);
    free(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN_TEST(sizes_that_cannot_be_are_refused),
        RUN_TEST(targets_that_cannot_be_are_refused),
        RUN_TEST(plans_that_cannot_be_are_refused),
        RUN_TEST(values_that_cannot_be_are_refused),
        RUN_TEST(traces_that_cannot_be_are_refused),
        RUN_TEST(checkpoints_of_another_seed_are_not_used),
        RUN_TEST(checkpoints_of_episodes_to_come_are_refused),
        RUN_TEST(unfinished_files_are_removed),
        RUN_TEST(links_are_not_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
