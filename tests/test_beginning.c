/* test_beginning.c - where episodes begin refutes a stated law that is wrong, and hardly ever one
 * that is true. */
#include <math.h>
#include <string.h>

#include "certify/refutation.h"
#include "explore/explorer.h"
#include "support.h"

/* Two states between which a coin decides; episodes begin in the second with probability `second`.
 */
static foray_model *coin(foray_context *ctx, double second)
{
    foray_builder *b;
    foray_model *model;
    static const double weight[] = {0.5, 0.5};
    support_ok(ctx, foray_builder_create_mixture(ctx, 2, 1, 2, 2, &b));
    for (int64_t s = 0; s < 2; s++)
        for (int64_t i = 0; i < 2; i++)
            foray_builder_simulator(b, i, s, 0, i, 1);
    foray_builder_weights(b, weight);
    if (second < 1)
        foray_builder_initial(b, 0, 1 - second);
    if (second > 0)
        foray_builder_initial(b, 1, second);
    support_ok(ctx, foray_builder_finish(b, &model));
    foray_builder_destroy(b);
    return model;
}

static foray_explorer *explore(foray_context *ctx, const foray_model *model, const char *algorithm)
{
    foray_explorer *explorer;
    foray_settings settings = support_settings(algorithm, 100000, 1);
    support_ok(ctx, foray_explorer_create(ctx, model, &settings, &explorer));
    return explorer;
}

static void play(foray_context *ctx, foray_explorer *explorer, const foray_model *truth, int64_t k)
{
    foray_world *world;
    support_ok(ctx, foray_world_from_model(ctx, truth, &world));
    for (int64_t i = 0; i < k; i++)
        support_ok(ctx, foray_explorer_play(explorer, world, NULL, NULL));
    foray_world_destroy(world);
}

static foray_proof_status status_of(foray_context *ctx, foray_explorer *explorer)
{
    foray_reward *reward;
    foray_policy *policy;
    support_ok(ctx, foray_reward_create(ctx, explorer->model, "ones", 0, 1, 1, &reward));
    const foray_reward *const rewards[] = {reward};
    support_ok(ctx, foray_explorer_plan(explorer, 1, rewards, FORAY_PLUGIN, &policy));
    foray_proof_status status = policy->certificate.status;
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    return status;
}

/* ----------------------------------------------------------------- wrong and right */

static void the_wrong_law_is_refuted(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *stated = coin(ctx, 0.1), *truth = coin(ctx, 0.9);
    static const char *const algorithms[] = {"ucrl-rfe", "random", "rf-ucrl"};
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        foray_refutation found;
        char text[400];
        foray_explorer *right = explore(ctx, stated, algorithms[i]);
        foray_explorer *wrong = explore(ctx, stated, algorithms[i]);
        play(ctx, right, stated, 200);
        play(ctx, wrong, truth, 200);
        assert_int_equal(status_of(ctx, right), FORAY_CERTIFIED);
        assert_int_equal(status_of(ctx, wrong), FORAY_REFUTED);
        support_ok(ctx, foray_explorer_refutation(wrong, &found));
        assert_true(found.refuted && found.episodes < 20 && found.evidence >= found.limit);
        assert_true(found.state >= 0 && found.action == -1 && found.half_width == 0);
        foray_refutation_print(stated, &found, text, sizeof text);
        assert_non_null(strstr(text, "of them began in state"));

        /* Where the mistake lies in no transition, none was found before: the control. */
        foray_explorer *recorded = explore(ctx, stated, "recorded");
        const int32_t states[] = {1, 1, 0}, actions[] = {0, 0};
        for (int64_t k = 0; k < 200; k++)
            support_ok(ctx, fy_explorer_learn(recorded, 1 + k % 2, states, actions, false));
        support_ok(ctx, foray_explorer_refutation(recorded, &found));
        assert_false(found.refuted);
        foray_explorer_destroy(recorded);
        foray_explorer_destroy(right);
        foray_explorer_destroy(wrong);
    }
    foray_model_destroy(stated);
    foray_model_destroy(truth);
    foray_context_destroy(ctx);
}

/* A single first state leaves nothing to count. */
static void beginning_elsewhere_refutes_at_once(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *stated = coin(ctx, 0);
    foray_explorer *explorer = explore(ctx, stated, "random"), *again;
    foray_refutation found;
    char text[400];
    int64_t action;
    support_ok(ctx, foray_explorer_begin(explorer));
    for (int64_t t = 0; t < 2; t++) {
        support_ok(ctx, foray_explorer_act(explorer, 1, &action));
        support_ok(ctx, foray_explorer_observe(explorer, 1, action, 1));
    }
    support_ok(ctx, foray_explorer_end(explorer));
    support_ok(ctx, foray_explorer_refutation(explorer, &found));
    assert_true(found.refuted && found.episodes == 1 && found.state == 1 && isinf(found.evidence));
    foray_refutation_print(NULL, &found, text, sizeof text);
    assert_non_null(strstr(text, "one began in state 1, where none begins"));

    uint8_t *data;
    size_t size;
    support_ok(ctx, foray_explorer_save(explorer, &data, &size));
    again = explore(ctx, stated, "random");
    support_ok(ctx, foray_explorer_load(again, data, size));
    support_ok(ctx, foray_explorer_refutation(again, &found));
    assert_true(found.refuted && found.episodes == 1);
    foray_free(data);
    foray_explorer_destroy(again);
    foray_explorer_destroy(explorer);
    foray_model_destroy(stated);
    foray_context_destroy(ctx);
}

/* ---------------------------------------------------------------------- coverage */

/* In how many of 2,000 runs of 300 episodes the law that is stated as 0.3 is ever 20 times less
 * probable than one of its own. If it is true, in at most 100 on average. */
static int64_t alarms(foray_context *ctx, const foray_model *stated, double truth)
{
    support_random random = {.seed = 7, .count = 0};
    int64_t count = 0;
    for (int64_t run = 0; run < 2000; run++) {
        foray_explorer *explorer = explore(ctx, stated, "random");
        double max = 0;
        for (int64_t k = 0; k < 300; k++) {
            explorer->first = support_uniform(&random) < truth;
            explorer->episodes++;
            fy_refuter_note_beginning(&explorer->refuter, explorer->episodes, explorer->first);
            max = fmax(max, explorer->refuter.otherwise);
        }
        count += max >= log(20);
        foray_explorer_destroy(explorer);
    }
    return count;
}

static void a_true_law_is_seldom_refuted(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *stated = coin(ctx, 0.3);
    assert_true(alarms(ctx, stated, 0.3) <= 100);
    assert_true(alarms(ctx, stated, 0.4) >= 1000); /* the control */
    foray_model_destroy(stated);
    foray_context_destroy(ctx);
}

/* The product of predictions is what the prior gives to all of them together. */
static void evidence_is_as_defined(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *stated = coin(ctx, 0.3);
    foray_explorer *explorer = explore(ctx, stated, "random");
    for (int64_t k = 0; k < 50; k++) {
        explorer->first = k % 3 == 0;
        explorer->episodes++;
        fy_refuter_note_beginning(&explorer->refuter, explorer->episodes, explorer->first);
    }
    double x = 33, y = 17;
    double expected = lgamma(x + 0.5) + lgamma(y + 0.5) - 2 * lgamma(0.5) - lgamma(x + y + 1) -
                      x * log(0.7) - y * log(0.3);
    assert_int_equal(explorer->refuter.began[0], 33);
    assert_true(fabs(explorer->refuter.otherwise - expected) < 1e-9);
    foray_explorer_destroy(explorer);
    foray_model_destroy(stated);
    foray_context_destroy(ctx);
}

/* ------------------------------------------------------------------- saved states */

static void counts_are_saved(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *stated = coin(ctx, 0.3);
    foray_explorer *explorer = explore(ctx, stated, "random"), *again;
    uint8_t *data;
    size_t size;
    play(ctx, explorer, stated, 20);
    support_ok(ctx, foray_explorer_save(explorer, &data, &size));
    again = explore(ctx, stated, "random");
    support_ok(ctx, foray_explorer_load(again, data, size));
    assert_memory_equal(again->refuter.began, explorer->refuter.began,
                        2 * sizeof *again->refuter.began);
    assert_true(again->refuter.otherwise == explorer->refuter.otherwise &&
                again->refuter.beginnings == 20);
    assert_int_equal(foray_explorer_load(again, data, size - 32), FORAY_ERROR_RUN);
    assert_int_equal(foray_explorer_load(again, data, size - 8), FORAY_ERROR_RUN);
    foray_free(data);
    foray_explorer_destroy(again);
    foray_explorer_destroy(explorer);
    foray_model_destroy(stated);
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_wrong_law_is_refuted),
        cmocka_unit_test(beginning_elsewhere_refutes_at_once),
        cmocka_unit_test(a_true_law_is_seldom_refuted),
        cmocka_unit_test(evidence_is_as_defined),
        cmocka_unit_test(counts_are_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
