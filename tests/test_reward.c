/* Rewards and policies: what they hold, how they are written and read, and every kind of
 * text that is refused. */
#include "policy/policy.h"
#include "reward/reward.h"
#include "support.h"
#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static foray_context *ctx;
static foray_model *model; /* 4 states, 3 actions, horizon 5 */

static const support_sizes sizes = {
    .states = 4, .actions = 3, .horizon = 5, .successors = 3, .dim = 2};

static foray_reward *make(double fallback)
{
    foray_reward *reward;
    support_ok(ctx,
               foray_reward_create(ctx, model, "made \"here\" \xc3\xa9", 0, 1, fallback, &reward));
    return reward;
}

static foray_reward *parse(const char *text)
{
    foray_reward *reward = NULL;
    support_ok(ctx, foray_reward_parse(ctx, model, text, strlen(text), "r.json", &reward));
    return reward;
}

static void assert_same_reward(const foray_reward *x, const foray_reward *y)
{
    assert_string_equal(foray_reward_name(x), foray_reward_name(y));
    assert_true(x->fallback == y->fallback);
    for (int64_t t = 0; t < sizes.horizon; t++)
        for (int64_t s = 0; s < sizes.states; s++)
            for (int64_t a = 0; a < sizes.actions; a++)
                assert_true(foray_reward_at(x, t, s, a) == foray_reward_at(y, t, s, a));
}

/* ------------------------------------------------------------- in memory */

/* Against a plain array that every call is applied to. */
static void later_calls_win(void **state)
{
    (void)state;
    support_random random = {.seed = 5};
    for (int round = 0; round < 50; round++) {
        double expected[5][4][3];
        foray_reward *reward = make(0.25);
        for (int i = 0; i < 5 * 4 * 3; i++)
            (&expected[0][0][0])[i] = 0.25;
        for (int call = 0; call < 12; call++) {
            int64_t at[3] = {support_below(&random, 6) - 1, support_below(&random, 5) - 1,
                             support_below(&random, 4) - 1};
            double value = support_uniform(&random);
            support_ok(ctx, foray_reward_set(ctx, reward, at[0], at[1], at[2], value));
            for (int64_t t = 0; t < 5; t++)
                for (int64_t s = 0; s < 4; s++)
                    for (int64_t a = 0; a < 3; a++)
                        if ((at[0] < 0 || at[0] == t) && (at[1] < 0 || at[1] == s) &&
                            (at[2] < 0 || at[2] == a))
                            expected[t][s][a] = value;
        }
        for (int i = 0; i < 5 * 4 * 3; i++)
            assert_true(foray_reward_at(reward, i / 12, i / 3 % 4, i % 3) ==
                        (&expected[0][0][0])[i]);
        foray_reward_destroy(reward);
    }
}

static void steps_share_tables_until_they_differ(void **state)
{
    (void)state;
    foray_reward *reward = make(0);
    support_ok(ctx, foray_reward_set(ctx, reward, -1, 1, 1, 0.5));
    assert_int_equal(reward->tables, 1);
    support_ok(ctx, foray_reward_set(ctx, reward, 2, 1, 1, 0.75));
    support_ok(ctx, foray_reward_set(ctx, reward, 2, 1, 2, 0.75));
    assert_int_equal(reward->tables, 2);
    foray_reward_destroy(reward);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    const double bad[] = {-1e-300, 1.0000000000000002, NAN, INFINITY, -INFINITY};
    foray_reward *reward = make(0.5), *other = NULL;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(foray_reward_set(ctx, reward, -1, -1, -1, bad[i]), FORAY_ERROR_INPUT);
        assert_int_equal(foray_reward_create(ctx, model, "x", 0, 1, bad[i], &other),
                         FORAY_ERROR_INPUT);
    }
    assert_int_equal(foray_reward_set(ctx, reward, 5, 0, 0, 0), FORAY_ERROR_INPUT);
    assert_string_equal(foray_message(ctx), "step 5, but the model has 5 steps");
    assert_int_equal(foray_reward_set(ctx, reward, 0, -2, 0, 0), FORAY_ERROR_INPUT);
    assert_int_equal(foray_reward_set(ctx, reward, 0, 0, INT64_MAX, 0), FORAY_ERROR_INPUT);
    assert_int_equal(foray_reward_create(ctx, model, "\xff\xfe", 0, 1, 0, &other),
                     FORAY_ERROR_INPUT);
    assert_null(other);
    for (int i = 0; i < 5 * 4 * 3; i++)
        assert_true(foray_reward_at(reward, i / 12, i / 3 % 4, i % 3) == 0.5);
    foray_reward_destroy(reward);
}

/* --------------------------------------------------------------- as text */

static void rewards_read_back_exactly(void **state)
{
    (void)state;
    support_random random = {.seed = 6};
    for (int round = 0; round < 100; round++) {
        char *text, *again;
        foray_reward *reward = make(round % 3 ? 0 : support_uniform(&random));
        for (int call = 0; call < round % 20; call++)
            support_ok(ctx,
                       foray_reward_set(ctx, reward, support_below(&random, 6) - 1,
                                        support_below(&random, 5) - 1,
                                        support_below(&random, 4) - 1, support_uniform(&random)));
        support_ok(ctx, foray_reward_print(ctx, reward, &text, NULL));
        foray_reward *copy = parse(text);
        assert_same_reward(reward, copy);
        support_ok(ctx, foray_reward_print(ctx, copy, &again, NULL));
        assert_string_equal(text, again);
        free(text);
        free(again);
        foray_reward_destroy(reward);
        foray_reward_destroy(copy);
    }
}

/* A goal in one state is one entry, not one for every step and action. */
static void text_is_compact(void **state)
{
    (void)state;
    char *text;
    foray_reward *reward;
    support_ok(ctx, foray_reward_create(ctx, model, "goal", 0, 1, 0, &reward));
    support_ok(ctx, foray_reward_set(ctx, reward, -1, 2, -1, 1));
    support_ok(ctx, foray_reward_set(ctx, reward, 4, 3, 1, 0.5));
    support_ok(ctx, foray_reward_print(ctx, reward, &text, NULL));
    assert_string_equal(text, "{\"format\":\"foray-reward\",\"version\":1,\"name\":\"goal\","
                              "\"default\":0,\"entries\":[[null,2,null,1],[4,3,1,0.5]]}\n");
    free(text);
    foray_reward_destroy(reward);
}

#define HEAD "{\"format\":\"foray-reward\",\"version\":1,"

static void entries_are_applied_in_order(void **state)
{
    (void)state;
    foray_reward *reward = parse(HEAD "\"name\":\"n\",\"default\":0.125,\"entries\":"
                                      "[[null,1,null,0.5],[null,1,2,1],[3,1,2,0]]}");
    assert_true(foray_reward_at(reward, 0, 0, 0) == 0.125);
    assert_true(foray_reward_at(reward, 2, 1, 2) == 1);
    assert_true(foray_reward_at(reward, 3, 1, 2) == 0);
    assert_true(foray_reward_at(reward, 3, 1, 1) == 0.5);
    foray_reward_destroy(reward);
    reward = parse(HEAD "\"default\":-0.0,\"entries\":[[null,1,null,-1e-400]]}");
    assert_false(signbit(foray_reward_at(reward, 0, 0, 0)) ||
                 signbit(foray_reward_at(reward, 0, 1, 0)));
    foray_reward_destroy(reward);
    reward = parse(HEAD "\"entries\":[]}");
    assert_string_equal(foray_reward_name(reward), "");
    assert_true(foray_reward_at(reward, 0, 0, 0) == 0);
    foray_reward_destroy(reward);
}

static void bad_rewards_are_refused_with_their_cause(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "r.json:1:"},
        {"[]", "r.json: an object"},
        {"{}", "r.json: format"},
        {"{\"format\":\"foray-model\",\"version\":1}", "r.json: format"},
        {"{\"format\":\"foray-reward\",\"version\":3}", "r.json: version"},
        {"{\"format\":\"foray-reward\",\"version\":1.0}", "r.json: version"},
        {HEAD "\n\n\"entries\":[],}", "r.json:3:"},
        {HEAD "\"entries\":[],\"entries\":[]}", "duplicate"},
        {HEAD "\"entries\":[],\"horizon\":3}", "unknown key \"horizon\""},
        {HEAD "\"default\":0}", "r.json: entries"},
        {HEAD "\"entries\":{}}", "r.json: entries"},
        {HEAD "\"name\":3,\"entries\":[]}", "r.json: name"},
        {HEAD "\"default\":\"0\",\"entries\":[]}", "r.json: default"},
        {HEAD "\"default\":1.5,\"entries\":[]}", "r.json: default: value 1.5"},
        {HEAD "\"entries\":[3]}", "r.json:1: entries[0]"},
        {HEAD "\"entries\":[[null,null,null]]}", "r.json:1: entries[0]"},
        {HEAD "\"entries\":[[null,null,null,1,1,1]]}", "r.json:1: entries[0]"},
        {HEAD "\"entries\":[[0,0,0,1],[0,0,3,1]]}",
         "r.json:1: entries[1]: action 3, but the model has 3 actions"},
        {HEAD "\"entries\":[[5,0,0,1]]}", "entries[0]: step 5, but the model has 5 steps"},
        {HEAD "\"entries\":[[0,4,0,1]]}", "entries[0]: state 4, but the model has 4 states"},
        {HEAD "\"entries\":[[-1,0,0,1]]}", "entries[0]: step -1"},
        {HEAD "\"entries\":[[0.0,0,0,1]]}", "entries[0]: step"},
        {HEAD "\"entries\":[[0,true,0,1]]}", "entries[0]: state"},
        {HEAD "\"entries\":[[0,0,\"0\",1]]}", "entries[0]: action"},
        {HEAD "\"entries\":[[0,0,0,null]]}", "entries[0]: value"},
        {HEAD "\"entries\":[[0,0,0,2]]}", "entries[0]: value 2 is not between 0 and 1"},
        {HEAD "\"entries\":[[0,0,0,-0.5]]}", "entries[0]: value -0.5"},
        {HEAD "\"entries\":[[0,0,0,NaN]]}", "r.json:1:"},
        {HEAD "\"entries\":[[0,0,0,1e999]]}", "r.json:1:"},
        {HEAD "\"entries\":[[99999999999999999999,0,0,1]]}", "r.json:1:"},
        {HEAD "\"name\":\"\xff\",\"entries\":[]}", "r.json:1:"},
        {HEAD "\"entries\":[]} trailing", "r.json:1:"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        foray_reward *reward = NULL;
        foray_status status =
            foray_reward_parse(ctx, model, cases[i][0], strlen(cases[i][0]), "r.json", &reward);
        support_refused(ctx, status, FORAY_ERROR_INPUT, cases[i][1]);
        assert_null(reward);
    }
}

static void truncated_rewards_are_refused(void **state)
{
    (void)state;
    const char *text =
        HEAD "\"name\":\"n\",\"default\":0.5,\"entries\":[[null,1,2,0.25],[3,0,0,1]]}";
    for (size_t size = 0; size < strlen(text); size++) {
        foray_reward *reward = NULL;
        assert_int_equal(foray_reward_parse(ctx, model, text, size, "r", &reward),
                         FORAY_ERROR_INPUT);
        assert_null(reward);
    }
}

/* Every byte replaced by others: refused or read, never anything else. */
static void damaged_rewards_do_no_harm(void **state)
{
    (void)state;
    const char *good = HEAD "\"default\":0.5,\"entries\":[[null,1,2,0.25],[3,0,0,1]]}";
    size_t size = strlen(good);
    char *text = malloc(size + 1);
    for (size_t at = 0; at < size; at++) {
        for (int byte = 0; byte < 256; byte += 5) {
            foray_reward *reward = NULL;
            memcpy(text, good, size + 1);
            text[at] = (char)byte;
            foray_status status = foray_reward_parse(ctx, model, text, size, "r", &reward);
            assert_true(status == FORAY_OK || (status == FORAY_ERROR_INPUT && !reward));
            foray_reward_destroy(reward);
        }
    }
    free(text);
}

static void reward_files_are_read(void **state)
{
    (void)state;
    char *directory = support_directory(), path[512], *text;
    foray_reward *reward = make(0.5), *copy = NULL;
    snprintf(path, sizeof path, "%s/reward.json", directory);
    assert_int_equal(foray_reward_load(ctx, model, path, &copy), FORAY_ERROR_IO);
    assert_non_null(strstr(foray_message(ctx), path));
    support_ok(ctx, foray_reward_print(ctx, reward, &text, NULL));
    support_ok(ctx, fy_file_write(ctx, path, true, text, strlen(text)));
    support_ok(ctx, foray_reward_load(ctx, model, path, &copy));
    assert_same_reward(reward, copy);
    free(text);
    foray_reward_destroy(reward);
    foray_reward_destroy(copy);
    support_remove(directory);
}

/* -------------------------------------------------------------- policies */

static foray_policy *make_policy(uint64_t seed)
{
    foray_policy *policy;
    support_random random = {.seed = seed};
    support_ok(ctx, foray_policy_create(ctx, model, (int)(seed % FORAY_MODES), &policy));
    for (int64_t i = 0; i < 5 * 4; i++)
        policy->action[i] = (int32_t)support_below(&random, 3);
    for (int m = 0; m < FORAY_MODES; m++)
        policy->value[m] = 5 * support_uniform(&random);
    policy->certificate =
        (foray_certificate){.gap = support_uniform(&random),
                            .delta = support_uniform(&random),
                            .radius = (int)(seed % 3),
                            .status = seed % 2 ? FORAY_CERTIFIED : FORAY_HEURISTIC};
    return policy;
}

static void policies_read_back_exactly(void **state)
{
    (void)state;
    char *directory = support_directory(), path[512];
    snprintf(path, sizeof path, "%s/policy.json", directory);
    for (uint64_t seed = 0; seed < 6; seed++) {
        foray_policy *policy = make_policy(seed), *copy;
        support_ok(ctx, foray_policy_save(ctx, policy, path));
        support_ok(ctx, foray_policy_load(ctx, path, &copy));
        assert_true(copy->states == 4 && copy->actions == 3 && copy->horizon == 5);
        assert_int_equal(copy->mode, policy->mode);
        assert_memory_equal(copy->action, policy->action, 20 * sizeof *copy->action);
        assert_memory_equal(copy->value, policy->value, sizeof copy->value);
        assert_true(copy->certificate.gap == policy->certificate.gap);
        assert_true(copy->certificate.delta == policy->certificate.delta);
        assert_int_equal(copy->certificate.radius, policy->certificate.radius);
        assert_int_equal(copy->certificate.status, policy->certificate.status);
        foray_policy_destroy(policy);
        foray_policy_destroy(copy);
    }
    support_remove(directory);
}

#define SIZES "{\"format\":\"foray-policy\",\"version\":1,\"states\":2,\"actions\":2,\"horizon\":1,"
#define MODE "\"mode\":\"plugin\","
#define ACTION "\"action\":[[0,[0,1]]],"
#define OWN "\"value\":{\"policy\":0.5,\"low\":0,\"high\":1,"
#define VALUE OWN "\"optimistic\":1,\"plugin\":0.5,\"pessimistic\":0},"
#define REST "\"bound\":\"gap\",\"optimal\":\"no\",\"vacuous\":false}}"
#define CERTIFICATE                                                                                \
    "\"certificate\":{\"gap\":1,\"delta\":0.1,\"radius\":\"sharp\",\"status\":\"certified\"," REST

static void bad_policies_are_refused_with_their_cause(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"{\"format\":\"foray-reward\",\"version\":1}", "p.json: format"},
        {"{\"format\":\"foray-policy\",\"version\":1,\"states\":0}", "p.json:1: states"},
        {"{\"format\":\"foray-policy\",\"version\":1,\"states\":4294967298}", "p.json:1: states"},
        {"{\"format\":\"foray-policy\",\"version\":1,\"states\":2,\"actions\":-1}",
         "p.json:1: actions"},
        {"{\"format\":\"foray-policy\",\"version\":1,\"states\":2147483647,\"actions\":2,"
         "\"horizon\":2147483647," MODE VALUE "\"action\":[[0,[0]]]," CERTIFICATE,
         "action[0]: a list of 2147483647 actions"},
        {SIZES MODE ACTION VALUE "\"extra\":1," CERTIFICATE, "unknown key \"extra\""},
        {SIZES "\"mode\":\"bold\"," ACTION VALUE CERTIFICATE, "mode: \"bold\""},
        {SIZES MODE "\"action\":[[0,[0,2]]]," VALUE CERTIFICATE, "action[0]: state 1: action 2"},
        {SIZES MODE "\"action\":[[0,[0,-1]]]," VALUE CERTIFICATE, "action[0]: state 1: action -1"},
        {SIZES MODE "\"action\":[[0,[0,1.0]]]," VALUE CERTIFICATE, "action[0]: state 1"},
        {SIZES MODE "\"action\":[[0,[0]]]," VALUE CERTIFICATE, "action[0]: a list of 2"},
        {SIZES MODE "\"action\":[[0,[0,1]],[1,[0,1]]]," VALUE CERTIFICATE,
         "action[1]: steps must ascend"},
        {SIZES MODE VALUE CERTIFICATE, "p.json:1: action"},
        {SIZES MODE ACTION OWN "\"optimistic\":1,\"plugin\":1}," CERTIFICATE, "pessimistic"},
        {SIZES MODE ACTION OWN
         "\"optimistic\":1,\"plugin\":1,\"pessimistic\":1,\"x\":1}," CERTIFICATE,
         "unknown key \"x\""},
        {SIZES MODE ACTION VALUE "\"certificate\":{\"gap\":-1,\"delta\":0.1,\"radius\":\"sharp\","
                                 "\"status\":\"certified\"}}",
         "gap: -1"},
        {SIZES MODE ACTION VALUE "\"certificate\":{\"gap\":1,\"delta\":2,\"radius\":\"sharp\","
                                 "\"status\":\"certified\"}}",
         "delta: 2"},
        {SIZES MODE ACTION VALUE "\"certificate\":{\"gap\":1,\"delta\":0.1,\"radius\":\"blunt\","
                                 "\"status\":\"certified\"}}",
         "radius: \"blunt\""},
        {SIZES MODE ACTION VALUE "\"certificate\":{\"gap\":1,\"delta\":0.1,\"radius\":\"sharp\","
                                 "\"status\":\"hopeful\"}}",
         "status: \"hopeful\""},
        {SIZES MODE ACTION VALUE "\"certificate\":[]}", "certificate: an object"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        foray_policy *policy = NULL;
        assert_int_equal(
            foray_policy_parse(ctx, cases[i][0], strlen(cases[i][0]), "p.json", &policy),
            FORAY_ERROR_INPUT);
        assert_null(policy);
        if (strncmp(foray_message(ctx), "p.json", 6) != 0 ||
            !strstr(foray_message(ctx), cases[i][1]))
            fail_msg("\"%s\" does not say \"%s\"", foray_message(ctx), cases[i][1]);
    }
}

static void truncated_and_damaged_policies_do_no_harm(void **state)
{
    (void)state;
    const char *good = SIZES MODE ACTION VALUE CERTIFICATE;
    size_t size = strlen(good);
    char *text = malloc(size + 1);
    foray_policy *policy = NULL;
    for (size_t end = 0; end < size; end++)
        assert_int_equal(foray_policy_parse(ctx, good, end, "p", &policy), FORAY_ERROR_INPUT);
    assert_null(policy);
    for (size_t at = 0; at < size; at++) {
        for (int byte = 0; byte < 256; byte += 7) {
            policy = NULL;
            memcpy(text, good, size + 1);
            text[at] = (char)byte;
            foray_status status = foray_policy_parse(ctx, text, size, "p", &policy);
            assert_true(status == FORAY_OK || (status == FORAY_ERROR_INPUT && !policy));
            foray_policy_destroy(policy);
        }
    }
    free(text);
}

static void policies_that_cannot_be_read_back_are_not_written(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    foray_policy *policy = make_policy(1);
    policy->value[1] = INFINITY;
    assert_int_equal(foray_policy_print(ctx, policy, &text, &size), FORAY_ERROR_INPUT);
    policy->value[1] = 0;
    policy->mode = 4;
    assert_int_equal(foray_policy_print(ctx, policy, &text, &size), FORAY_ERROR_INPUT);
    policy->mode = 2;
    policy->certificate.radius = 7;
    assert_int_equal(foray_policy_print(ctx, policy, &text, &size), FORAY_ERROR_INPUT);
    assert_null(text);
    foray_policy_destroy(policy);
}

static void modes_have_names(void **state)
{
    (void)state;
    assert_string_equal(foray_mode_name(FORAY_OPTIMISTIC), "optimistic");
    assert_string_equal(foray_mode_name(FORAY_PLUGIN), "plugin");
    assert_string_equal(foray_mode_name(FORAY_PESSIMISTIC), "pessimistic");
    assert_string_equal(foray_mode_name(FORAY_GIVEN), "given");
    assert_null(foray_mode_name(FORAY_GIVEN + 1));
    assert_null(foray_mode_name(-1));
}

/* ------------------------------------------------------------------ memory */

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const char *reward_text = HEAD "\"entries\":[[1,1,1,1],[2,1,1,0.5]]}";
    const char *policy_text = SIZES MODE ACTION VALUE CERTIFICATE;
    foray_status status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        foray_reward *reward = NULL;
        foray_policy *policy = NULL;
        char *text = NULL, *policy_again = NULL;
        size_t size;
        ctx->allocations_left = left;
        status = foray_reward_parse(ctx, model, reward_text, strlen(reward_text), "r", &reward);
        if (status == FORAY_OK)
            status = foray_reward_print(ctx, reward, &text, NULL);
        if (status == FORAY_OK)
            status = foray_policy_parse(ctx, policy_text, strlen(policy_text), "p", &policy);
        if (status == FORAY_OK)
            status = foray_policy_print(ctx, policy, &policy_again, &size);
        assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
        foray_reward_destroy(reward);
        foray_policy_destroy(policy);
        free(text);
        free(policy_again);
    }
    ctx->allocations_left = -1;
}

static int set_up(void **state)
{
    (void)state;
    ctx = foray_context_create();
    model = support_model(ctx, SUPPORT_MIXTURE, sizes, 1);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    foray_model_destroy(model);
    foray_context_destroy(ctx);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_calls_win),
        cmocka_unit_test(steps_share_tables_until_they_differ),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(rewards_read_back_exactly),
        cmocka_unit_test(text_is_compact),
        cmocka_unit_test(entries_are_applied_in_order),
        cmocka_unit_test(bad_rewards_are_refused_with_their_cause),
        cmocka_unit_test(truncated_rewards_are_refused),
        cmocka_unit_test(damaged_rewards_do_no_harm),
        cmocka_unit_test(reward_files_are_read),
        cmocka_unit_test(policies_read_back_exactly),
        cmocka_unit_test(bad_policies_are_refused_with_their_cause),
        cmocka_unit_test(truncated_and_damaged_policies_do_no_harm),
        cmocka_unit_test(policies_that_cannot_be_read_back_are_not_written),
        cmocka_unit_test(modes_have_names),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
