/* test_verify_plans.c - stored plans are made again when a run is verified: every plan that Foray
 * stores is found sound, and every number of a plan that is changed, with checksums that fit, is
 * found out. */
#include "support.h"
#include "support_run.h"
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------- sound plans */

/* Plans for two rewards together, if the algorithm can make them so. */
static int64_t plan_in_each_mode(run_bench *bench, foray_run *run)
{
    foray_reward *one = run_goal_reward(bench->ctx, bench->model), *other;
    assert_ok(bench, foray_reward_create(bench->ctx, bench->model, "start", 0, 1, 0.25, &other));
    assert_ok(bench, foray_reward_set(bench->ctx, other, -1, 0, -1, 1.0));
    const foray_reward *const rewards[] = {one, other};
    int64_t made = 0;
    for (int mode = 0; mode < FORAY_MODES; mode++) {
        foray_policy *policies[2];
        foray_status status = foray_run_plan(run, 2, rewards, mode, policies);
        if (status == FORAY_ERROR_USAGE)
            continue;
        run_assert_status(bench->ctx, status, FORAY_OK, "foray_run_plan", __LINE__);
        foray_policy_destroy(policies[0]);
        foray_policy_destroy(policies[1]);
        made += 2;
    }
    foray_reward_destroy(one);
    foray_reward_destroy(other);
    return made;
}

/* Certificates of each kind that the run has. */
static int64_t plan_in_each_way(run_bench *bench, foray_run *run)
{
    foray_explorer *explorer = foray_run_explorer(run);
    int64_t made = plan_in_each_mode(bench, run);
    if (fy_run_certify_by_refit(run) == FORAY_OK)
        made += plan_in_each_mode(bench, run);
    if (foray_explorer_certify_by(explorer, foray_run_settings(run)->radius) == FORAY_OK)
        made += plan_in_each_mode(bench, run);
    (void)foray_explorer_certify_by(explorer, FORAY_RADIUS_LIKELIHOOD);
    return made;
}

static void expect_verified(run_bench *bench, foray_status expected)
{
    foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_READ);
    foray_status status = foray_run_verify(run);
    if (status != expected)
        fail_msg("%s: %d: %s", bench->settings.algorithm, status, foray_message(bench->ctx));
    foray_run_close(run);
}

/* Between parts of the exploration and at its end, in one process and in another. */
static void test_every_algorithm(void **state)
{
    run_bench *bench = *state;
    const char *name;
    int64_t made = 0;
    for (int64_t i = 0; (name = support_algorithm(i)); i++) {
        if (strcmp(name, "recorded") == 0)
            continue;
        snprintf(bench->settings.algorithm, sizeof bench->settings.algorithm, "%s", name);
        bench->settings.episodes = 70;
        foray_run *run = run_create(bench, bench->path);
        made += plan_in_each_mode(bench, run);
        assert_ok(bench, run_finish(bench, run));
        made += plan_in_each_way(bench, run);
        if (foray_run_extend(run, 90) == FORAY_OK)
            assert_ok(bench, run_finish(bench, run));
        made += plan_in_each_mode(bench, run);
        assert_ok(bench, foray_run_close(run));
        run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
        made += plan_in_each_way(bench, run);
        assert_ok(bench, foray_run_close(run));
        expect_verified(bench, FORAY_OK);
        unlink(bench->path);
    }
    assert_true(made > 200);
}

/* How often what was known of the world's own reward is kept. */
static int64_t own_numbers(run_bench *bench)
{
    int64_t count = 0;
    foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_READ);
    assert_ok(bench,
              fy_store_number(run->store, "SELECT count(DISTINCT id) FROM piece WHERE kind = 'own'",
                              &count));
    assert_ok(bench, foray_run_close(run));
    return count;
}

/* What the world itself pays: its plans are made again from what was known of it then. */
static void test_own_reward(void **state)
{
    run_bench *bench = *state;
    foray_own_value seen[] = {{0, 0, 0, 0.5, 0.5, 0}, {6, 1, -1, 1, 1, 9}};
    foray_own own = {.low = 0, .high = 1, .count = 1, .value = seen};
    foray_policy *policy;
    bench->settings.episodes = 70;
    foray_run *run = run_create(bench, bench->path);
    assert_ok(bench, run_finish(bench, run));
    assert_ok(bench, foray_run_keep_own(run, &own));
    assert_ok(bench, foray_run_own_plan(run, FORAY_PLUGIN, true, &policy));
    foray_policy_destroy(policy);
    plan_in_each_mode(bench, run);
    assert_ok(bench, foray_run_close(run));
    expect_verified(bench, FORAY_OK);
    own.count = 2;
    run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
    assert_ok(bench, foray_run_keep_own(run, &own));
    assert_ok(bench, foray_run_close(run));
    expect_verified(bench, FORAY_OK);
    assert_int_equal(own_numbers(bench), 2);
    run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
    assert_ok(bench, foray_run_keep_own(run, &own));
    assert_ok(bench, foray_run_own_plan(run, FORAY_PLUGIN, true, &policy));
    foray_policy_destroy(policy);
    assert_ok(bench, foray_run_close(run));
    expect_verified(bench, FORAY_OK);
    /* What no plan rests on is gone: numbers 1 and 3 are there, 2 is not. */
    assert_int_equal(own_numbers(bench), 2);
}

/* ------------------------------------------------------------------ forged plans */

typedef struct plan_row {
    int64_t episodes, radius, status, reward_bytes, policy_bytes;
    char reward[32], mode[32];
    double value[FORAY_MODES], expected, low, high, gap, delta;
    int64_t bound, own;
} plan_row;

static const char columns[] = "id, episodes, reward, mode, optimistic, plugin, pessimistic,"
                              " expected, low, high, gap, delta, radius, bound, status, own,"
                              " reward_bytes, policy_bytes, crc";

static void read_plan(fy_store *store, plan_row *plan)
{
    char sql[256];
    fy_row row;
    snprintf(sql, sizeof sql, "SELECT %s FROM plan WHERE id = 0", columns);
    fy_row_prepare(&row, store, "plans", sql);
    assert_true(fy_row_next(&row));
    (void)fy_row_int(&row);
    plan->episodes = fy_row_int(&row);
    snprintf(plan->reward, sizeof plan->reward, "%s", fy_row_text(&row));
    snprintf(plan->mode, sizeof plan->mode, "%s", fy_row_text(&row));
    for (int i = 0; i < FORAY_MODES; i++)
        plan->value[i] = fy_row_real(&row);
    plan->expected = fy_row_real(&row);
    plan->low = fy_row_real(&row);
    plan->high = fy_row_real(&row);
    plan->gap = fy_row_real(&row);
    plan->delta = fy_row_real(&row);
    plan->radius = fy_row_int(&row);
    plan->bound = fy_row_int(&row);
    plan->status = fy_row_int(&row);
    plan->own = fy_row_int(&row);
    plan->reward_bytes = fy_row_int(&row);
    plan->policy_bytes = fy_row_int(&row);
    assert_true(fy_row_intact(&row));
    assert_int_equal(fy_row_end(&row), FORAY_OK);
    fy_store_finalize_cached(store); /* whose text is on our stack */
}

static void write_plan(fy_store *store, const plan_row *plan)
{
    char sql[300];
    fy_row row;
    snprintf(sql, sizeof sql,
             "REPLACE INTO plan(%s) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,"
             " ?14, ?15, ?16, ?17, ?18, ?19)",
             columns);
    fy_row_prepare(&row, store, "plans", sql);
    fy_row_put_int(&row, 0);
    fy_row_put_int(&row, plan->episodes);
    fy_row_put_text(&row, plan->reward);
    fy_row_put_text(&row, plan->mode);
    for (int i = 0; i < FORAY_MODES; i++)
        fy_row_put_real(&row, plan->value[i]);
    fy_row_put_real(&row, plan->expected);
    fy_row_put_real(&row, plan->low);
    fy_row_put_real(&row, plan->high);
    fy_row_put_real(&row, plan->gap);
    fy_row_put_real(&row, plan->delta);
    fy_row_put_int(&row, plan->radius);
    fy_row_put_int(&row, plan->bound);
    fy_row_put_int(&row, plan->status);
    fy_row_put_int(&row, plan->own);
    fy_row_put_int(&row, plan->reward_bytes);
    fy_row_put_int(&row, plan->policy_bytes);
    assert_int_equal(fy_row_insert(&row), FORAY_OK);
    fy_store_finalize_cached(store);
}

static void forge(fy_store *store, int what)
{
    static const uint8_t zeros[56] = {0};
    plan_row plan;
    read_plan(store, &plan);
    switch (what) {
    case 1:
        plan.gap = 0;
        break;
    case 2:
        for (int i = 0; i < FORAY_MODES; i++)
            plan.value[i] = 7.9;
        break;
    case 3:
        plan.delta = 1e-9;
        break;
    case 4:
        plan.radius = FORAY_RADIUS_REFIT;
        break;
    case 5:
        plan.status = FORAY_HEURISTIC;
        break;
    case 6:
        plan.episodes -= 1;
        break;
    case 7:
        strcpy(plan.mode, "optimistic");
        break;
    case 8:
        plan.expected = plan.low = plan.high = 7.9;
        break;
    case 9:
        assert_int_equal(plan.policy_bytes, sizeof zeros);
        assert_int_equal(fy_store_put_pieces(store, "policy", 0, zeros, sizeof zeros), FORAY_OK);
        break;
    case 10:
        plan.own = 1;
        break;
    default:
        break;
    }
    write_plan(store, &plan);
}

static void test_forged(void **state)
{
    run_bench *bench = *state;
    bench->settings.episodes = 8; /* so that nothing is proved yet */
    foray_run *run = run_create(bench, bench->other);
    foray_reward *reward = run_goal_reward(bench->ctx, bench->model);
    const foray_reward *const rewards[] = {reward};
    foray_policy *policy;
    assert_ok(bench, run_finish(bench, run));
    assert_ok(bench, foray_run_plan(run, 1, rewards, FORAY_PLUGIN, &policy));
    assert_true(policy->certificate.gap > 0);
    assert_ok(bench, foray_run_close(run));
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    for (int what = 0; what <= 10; what++) {
        fy_store *store;
        unlink(bench->path);
        run_copy_file(bench->other, bench->path);
        assert_ok(bench, fy_store_open(bench->ctx, bench->path, true, &store));
        forge(store, what);
        assert_ok(bench, fy_store_close(store));
        expect_verified(bench, what == 0 ? FORAY_OK : FORAY_ERROR_RUN);
        if (what > 0)
            run_assert_message(bench, what == 10 ? "plan 0 contains impossible values"
                                                 : "plan 0 is not what");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN_TEST(test_every_algorithm),
        RUN_TEST(test_own_reward),
        RUN_TEST(test_forged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
