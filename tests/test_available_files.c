/* test_available_files.c - models whose states lack actions, as files: what comes back, what is not
 * a model, and what is refused about actions that a state lacks. */
#include "support_twins.h"

#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "reward/reward.h"
#include "model/model.h"
#include "explore/explorer.h"

static void files(void **state)
{
    (void)state;
    for (int kind = 0; kind < SUPPORT_KINDS; kind++)
        for (foray_model_format format = FORAY_MODEL_JSON; format <= FORAY_MODEL_COMPACT;
             format++) {
            twins t = twins_make(kind, (uint64_t)kind, 0);
            foray_model *again;
            char *text;
            size_t size;
            support_ok(t.ctx, foray_model_print(t.ctx, t.wide, format, &text, &size));
            support_ok(t.ctx, foray_model_parse(t.ctx, text, size, "file", &again));
            assert_true(foray_model_equal(t.wide, again));
            support_same_model(t.wide, again);
            free(text);
            foray_model_destroy(again);
            twins_drop(&t);
        }
}

/* phi(s,a) is given for the pairs that exist, and comes back. */
static void pair_features(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    for (foray_model_format format = FORAY_MODEL_JSON; format <= FORAY_MODEL_COMPACT; format++) {
        foray_builder *b;
        foray_model *model, *again;
        int64_t zero = 0, one = 1, second[] = {1};
        double half = 0.5, whole = 1;
        char *text;
        size_t size;
        support_ok(ctx, foray_builder_create_tabular(ctx, 2, 2, 3, &b));
        foray_builder_available(b, 1, 1, second);
        foray_builder_transition(b, 0, 0, 1, 1);
        foray_builder_transition(b, 0, 1, 0, 1);
        foray_builder_transition(b, 1, 1, 0, 1);
        foray_builder_pair_features(b, 2);
        foray_builder_pair_feature(b, 0, 0, 1, &zero, &whole);
        foray_builder_pair_feature(b, 0, 1, 1, &one, &half);
        foray_builder_pair_feature(b, 1, 1, 1, &one, &whole);
        support_ok(ctx, foray_builder_finish(b, &model));
        foray_builder_destroy(b);
        support_ok(ctx, foray_model_print(ctx, model, format, &text, &size));
        support_ok(ctx, foray_model_parse(ctx, text, size, "file", &again));
        assert_true(foray_model_equal(model, again));
        const int32_t *coordinate;
        const double *value;
        assert_int_equal(fy_model_pair_feature(again, 1, 0, &coordinate, &value), 0);
        assert_int_equal(fy_model_pair_feature(again, 1, 1, &coordinate, &value), 1);
        assert_true(*coordinate == 1 && *value == 1);
        free(text);
        foray_model_destroy(model);
        foray_model_destroy(again);
    }
    foray_context_destroy(ctx);
}

#define HEAD                                                                                       \
    "{\"format\":\"foray-model\",\"version\":1,\"name\":\"m\",\"states\":2,\"actions\":2,"         \
    "\"horizon\":2,\"dim\":1,\"norm_bound\":1,\"initial\":[[0,1]],\"theta\":[1],"
#define ROWS(rest) "\"features\":[[0,0,1,[[0,1]]],[0,1,0,[[0,1]]]" rest "]}"

static void bad_files(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {HEAD "\"available\":[[1,[]]]," ROWS(""), "available: state 1 has no action"},
        {HEAD "\"available\":[[1,[2]]]," ROWS(""), "available[0]: action 2, but the model has 2"},
        {HEAD "\"available\":[[2,[0]]]," ROWS(""), "available[0]: state 2, but the model has 2"},
        {HEAD "\"available\":[[1,[0,0]]]," ROWS(""), "available[0]: action 0 is given twice"},
        {HEAD "\"available\":[[1,[0]],[1,[1]]]," ROWS(""), "available[1]: state 1 is given twice"},
        {HEAD "\"available\":[[1,0]]," ROWS(""), "available[0]: the actions must be an array"},
        {HEAD "\"available\":7," ROWS(""), "available: an array is expected"},
        {HEAD "\"available\":[[1,[0]]]," ROWS(",[1,1,0,[[0,1]]]"),
         "state 1, action 1: a successor, but the action is not available there"},
        {HEAD "\"available\":[[1,[0]]]," ROWS(""), "state 1, action 0: no successor is given"},
        {HEAD ROWS(""), "features: 2 entries, but each of 2 states and 2 actions needs one"},
    };
    foray_context *ctx = foray_context_create();
    foray_model *model;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        support_refused(ctx,
                        foray_model_parse(ctx, bad[i].text, strlen(bad[i].text), "m.json", &model),
                        FORAY_ERROR_INPUT, bad[i].message);
    }
    const char *good = HEAD "\"available\":[[1,[1]]]," ROWS(",[1,1,1,[[0,1]]]");
    support_ok(ctx, foray_model_parse(ctx, good, strlen(good), "m.json", &model));
    assert_false(foray_model_available(model, 1, 0));
    assert_true(foray_model_available(model, 1, 1));
    assert_int_equal(model->available, 3);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* ------------------------------------------------------------- what is refused */

static void refused(void **state)
{
    (void)state;
    twins t = twins_make(SUPPORT_TABULAR, 2, 0);
    int64_t s = 0, a = 0;
    while (foray_model_available(t.wide, s, a))
        a++;
    foray_reward *reward = twins_reward(&t, true, TWINS_PLAIN), *again;
    assert_int_equal(foray_reward_set(t.ctx, reward, -1, s, a, 0.5), FORAY_ERROR_INPUT);
    assert_non_null(strstr(foray_message(t.ctx), "is not available in state 0"));

    /* Printed without them, and read back the same. */
    for (int form = TWINS_PLAIN; form <= TWINS_AVOID; form++) {
        foray_reward *one = twins_reward(&t, true, form);
        char *text;
        size_t size;
        support_ok(t.ctx, foray_reward_print(t.ctx, one, &text, &size));
        support_ok(t.ctx, foray_reward_parse(t.ctx, t.wide, text, size, "r.json", &again));
        assert_true(fy_reward_hash(one) == fy_reward_hash(again));
        free(text);
        foray_reward_destroy(one);
        foray_reward_destroy(again);
    }

    foray_world *world;
    foray_draw draw = {0};
    int64_t next;
    support_ok(t.ctx, foray_world_from_model(t.ctx, t.wide, &world));
    assert_int_equal(foray_world_step(world, &draw, s, a, &next), FORAY_ERROR_USAGE);
    foray_world_destroy(world);

    foray_policy *policy;
    double value, optimal;
    support_ok(t.ctx, fy_policies_create(t.ctx, t.wide, FORAY_PLUGIN, 1, &policy));
    for (int64_t i = 0; i < policy->horizon * policy->states; i++)
        policy->action[i] = fy_first_action(t.wide, i % policy->states);
    support_ok(t.ctx, foray_evaluate(t.ctx, t.wide, reward, policy, &value, &optimal));
    policy->action[s] = (int32_t)a;
    assert_int_equal(foray_evaluate(t.ctx, t.wide, reward, policy, &value, &optimal),
                     FORAY_ERROR_INPUT);
    assert_non_null(strstr(foray_message(t.ctx), "that state does not have it"));
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);

    foray_settings settings = support_settings("recorded", 60, 3);
    foray_explorer *explorer;
    int32_t states[] = {(int32_t)s, 0}, actions[] = {(int32_t)a};
    support_ok(t.ctx, foray_explorer_create(t.ctx, t.wide, &settings, &explorer));
    assert_int_equal(fy_explorer_learn(explorer, 1, states, actions, false), FORAY_ERROR_WORLD);
    assert_non_null(strstr(foray_message(t.ctx), "is not available in state 0"));
    foray_explorer_destroy(explorer);
    twins_drop(&t);
}

/* A duplicate that was written down is an action, and not the same as one that is missing. */
static void no_duplicate(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *models[2];
    int64_t second = 1;
    for (int i = 0; i < 2; i++) {
        foray_builder *b;
        int64_t outcomes = 1, next[] = {0};
        support_ok(ctx, foray_builder_create_classes(ctx, 1, 2, 2, 1, &outcomes, &b));
        if (i == 0)
            foray_builder_available(b, 0, 1, &second);
        for (int64_t a = i == 0; a < 2; a++)
            foray_builder_outcomes(b, 0, a, 0, next);
        support_ok(ctx, foray_builder_finish(b, &models[i]));
        foray_builder_destroy(b);
    }
    assert_false(foray_model_equal(models[0], models[1]));
    foray_model_facts facts;
    support_ok(ctx, foray_model_check(ctx, models[0], &facts));
    assert_int_equal(facts.pairs, 1);
    assert_int_equal(facts.transitions, 1);
    foray_model_destroy(models[0]);
    foray_model_destroy(models[1]);
    foray_context_destroy(ctx);
}

static void memory(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    const char *text = HEAD "\"available\":[[1,[1]]]," ROWS(",[1,1,1,[[0,1]]]");
    foray_model *model = NULL;
    for (int64_t allowed = 0; !model; allowed++) {
        ctx->allocations_left = allowed;
        foray_status status = foray_model_parse(ctx, text, strlen(text), "m.json", &model);
        assert_int_equal(status, model ? FORAY_OK : FORAY_ERROR_MEMORY);
    }
    ctx->allocations_left = -1;
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files),   cmocka_unit_test(pair_features), cmocka_unit_test(bad_files),
        cmocka_unit_test(refused), cmocka_unit_test(no_duplicate),  cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
