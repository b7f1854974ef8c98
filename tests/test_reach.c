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

static void check_part(foray_context *ctx, const char *text)
{
    foray_model *whole = world_of(ctx, text), *part;
    int32_t *number;
    assert_int_equal(fy_model_reachable(ctx, whole, &part, &number), FORAY_OK);
    assert_true(foray_model_states(part) <= foray_model_states(whole));
    for (int64_t i = 0; i < foray_model_states(part); i++)
        assert_true(best_at(ctx, part, i) == best_at(ctx, whole, number[i]));
    foray_model_facts facts;
    assert_int_equal(foray_model_check(ctx, part, &facts), FORAY_OK);
    free(number);
    foray_model_destroy(part);
    foray_model_destroy(whole);
}

static void test_values(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    check_part(ctx, "rooms:rows=4,cols=4,horizon=5");
    check_part(ctx, "chain:states=50,horizon=6");
    check_part(ctx, "inventory");
    check_part(ctx, "taxi:horizon=4");
    foray_context_destroy(ctx);
}

/* Along a chain one cell a step: the start, and as many as there are steps, on either side. */
static void test_size(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *whole = world_of(ctx, "riverswim:states=30,horizon=7"), *part;
    int32_t *number;
    assert_int_equal(fy_model_reachable(ctx, whole, &part, &number), FORAY_OK);
    assert_int_equal(foray_model_states(part), 8);
    for (int64_t i = 0; i < 8; i++)
        assert_int_equal(number[i], i);
    free(number);
    foray_model_destroy(part);
    foray_model_destroy(whole);
    foray_context_destroy(ctx);
}

static void test_memory(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *whole = world_of(ctx, "rooms:rows=2,cols=2,horizon=3"), *part = NULL;
    int32_t *number = NULL;
    foray_status status = FORAY_ERROR_MEMORY;
    int64_t fails = 0;
    for (; status != FORAY_OK && fails < 1000; fails++) {
        ctx->allocations_left = fails;
        status = fy_model_reachable(ctx, whole, &part, &number);
        assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
        assert_true(status == FORAY_OK || (!part && !number));
    }
    ctx->allocations_left = -1;
    assert_true(fails > 20 && part);
    free(number);
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
