/* test_reach.c - the part of a model that episodes get to: its size against a count by hand, and
 * the best values of the whole in it, for worlds with maps, names, missing actions and none. */
#include "support.h"

#include <stdlib.h>

#include "model/model.h"

static foray_model *world_of(foray_context *ctx, const char *text)
{
    foray_model *model;
    assert_int_equal(foray_model_builtin(ctx, text, &model), FORAY_OK);
    return model;
}

/* The best value of "1 at every step in this state". */
static double best_at(foray_context *ctx, const foray_model *model, int64_t state)
{
    foray_reward *reward;
    double optimal;
    assert_int_equal(foray_reward_create(ctx, model, "here", 0, 1, 0, &reward), FORAY_OK);
    assert_int_equal(foray_reward_set(ctx, reward, -1, state, -1, 1), FORAY_OK);
    assert_int_equal(foray_evaluate(ctx, model, reward, NULL, NULL, &optimal), FORAY_OK);
    foray_reward_destroy(reward);
    return optimal;
}

/* What episodes get to, if that is not all. */
static foray_model *part_of(foray_context *ctx, const foray_model *whole)
{
    foray_model *part = NULL;
    support_ok(ctx, fy_model_reachable(ctx, whole, &part));
    return part;
}

static void check_part(foray_context *ctx, const char *text)
{
    foray_model *whole = world_of(ctx, text), *part = part_of(ctx, whole);
    assert_true(part && foray_model_states(part) < foray_model_states(whole));
    int64_t h = 0;
    for (int64_t i = 0; i < foray_model_states(part); i++) {
        assert_true(best_at(ctx, part, i) == best_at(ctx, whole, part->number[i]));
        assert_int_equal(part->index[part->number[i]], i);
        while (i >= part->by_step[h])
            h++;
        /* Nearer than h it cannot be: then a reward for being there at step h - 1 would pay. */
        assert_true(h <= foray_model_horizon(whole));
    }
    assert_int_equal(part->by_step[foray_model_horizon(whole)], foray_model_states(part));
    foray_model_facts facts;
    support_ok(ctx, foray_model_check(ctx, part, &facts));
    foray_model_destroy(part);
    foray_model_destroy(whole);
}

static void test_values(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    check_part(ctx, "rooms:rows=4,cols=4,horizon=5");
    check_part(ctx, "chain:states=50,horizon=6");
    check_part(ctx, "taxi:horizon=4");
    foray_model *whole = world_of(ctx, "inventory");
    assert_null(part_of(ctx, whole));
    foray_model_destroy(whole);
    foray_context_destroy(ctx);
}

/* Along a chain one cell a step: the start, and as many as there are steps. */
static void test_size(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *whole = world_of(ctx, "riverswim:states=30,horizon=7"),
                *part = part_of(ctx, whole);
    assert_int_equal(foray_model_states(part), 8);
    for (int64_t i = 0; i < 8; i++) {
        assert_int_equal(part->number[i], i);
        assert_int_equal(part->by_step[i], i + 1);
    }
    foray_model_destroy(part);
    foray_model_destroy(whole);
    foray_context_destroy(ctx);
}

static void test_memory(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *whole = world_of(ctx, "rooms:rows=2,cols=2,horizon=3"), *part = NULL;
    foray_status status = FORAY_ERROR_MEMORY;
    int64_t fails = 0;
    for (; status != FORAY_OK && fails < 1000; fails++) {
        ctx->allocations_left = fails;
        status = fy_model_reachable(ctx, whole, &part);
        assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
        assert_true(status == FORAY_OK || !part);
    }
    ctx->allocations_left = -1;
    assert_true(fails > 20 && part);
    foray_model_destroy(part);
    foray_model_destroy(whole);
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_size),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
