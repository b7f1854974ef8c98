/* Rewards whose entries add, and weighted sums of rewards: against arrays in which the same is
 * done number by number, and against the values of the parts; and everything that is refused. */
#include "oracle_reward.h"
#include "policy/policy.h"
#include "reward/reward.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static foray_context *ctx;

#define HEAD "{\"format\":\"foray-reward\",\"version\":1,"

static foray_model *small_model(uint64_t seed, int64_t horizon)
{
    static const int kinds[] = {SUPPORT_MIXTURE, SUPPORT_CLASSES, SUPPORT_TABULAR};
    support_sizes sizes = {.states = 2 + (int64_t)(seed % 2),
                           .actions = 2,
                           .horizon = horizon,
                           .successors = 3,
                           .dim = 3};
    return support_model(ctx, kinds[seed % 3], sizes, seed);
}

static foray_reward *parse(const foray_model *model, const char *text)
{
    foray_reward *reward = NULL;
    support_ok(ctx, foray_reward_parse(ctx, model, text, strlen(text), "r.json", &reward));
    return reward;
}

/* An index, or null for -1. */
static int put_index(char *to, int64_t index)
{
    return index < 0 ? sprintf(to, "null,") : sprintf(to, "%d,", (int)index);
}

/* ----------------------------------------------------------------------- adding */

/* Halves and quarters: all sums are exact, whatever their order. */
static void entries_add_up(void **state)
{
    (void)state;
    static const double values[] = {0.25, -0.5, 2, 0};
    for (uint64_t seed = 0; seed < 120; seed++) {
        foray_model *model = small_model(seed, 3);
        support_random random = {seed, 9};
        double expected[54];
        char text[4096];
        int size = sprintf(text,
                           HEAD "\"mode\":\"add\",\"range\":[-100,100],\"default\":0.5,"
                                "\"optimise\":\"%s\",\"entries\":[[0,0,0,0]",
                           seed % 2 ? "min" : "max");
        for (int i = 0; i < 54; i++)
            expected[i] = 0.5;
        for (int call = 0; call < 30; call++) {
            int64_t t = support_below(&random, 4) - 1;
            int64_t s = support_below(&random, model->states + 1) - 1;
            int64_t a = support_below(&random, 3) - 1;
            int64_t next = support_below(&random, model->states + 1) - 1;
            double value = values[support_below(&random, 4)];
            bool follows = next < 0;
            for (int64_t pair = 0; pair < model->pairs && next >= 0; pair++)
                follows |= (s < 0 || s == pair / 2) && (a < 0 || a == pair % 2) &&
                           fy_model_find(model, pair, next) >= 0;
            if (!follows)
                continue;
            size += sprintf(text + size, ",[");
            size += put_index(text + size, t);
            size += put_index(text + size, s);
            size += put_index(text + size, a);
            size += put_index(text + size, next);
            size += sprintf(text + size, "%g]", value);
            for (int i = 0; i < 54; i++)
                if ((t < 0 || t == i / 18) && (s < 0 || s == i / 6 % 3) &&
                    (a < 0 || a == i / 3 % 2) && (next < 0 || next == i % 3))
                    expected[i] += value;
        }
        sprintf(text + size, "]}");
        foray_reward *reward = parse(model, text);
        for (int i = 0; i < 54; i++) {
            int64_t t = i / 18, s = i / 6 % 3, a = i / 3 % 2, next = i % 3, pair = s * 2 + a;
            int64_t j = s < model->states ? fy_model_find(model, pair, next) : -1;
            if (j < 0)
                continue;
            const double *ahead = fy_reward_next(reward, t);
            double unit =
                fy_reward_table(reward, t)[pair] + (ahead ? ahead[model->succ_start[pair] + j] : 0);
            assert_true(foray_reward_next_at(reward, t, s, a, next) == expected[i]);
            assert_true(fabs(unit - (seed % 2 ? 100 - expected[i] : expected[i] + 100) / 200) <
                        1e-15);
        }
        foray_reward_destroy(reward);
        foray_model_destroy(model);
    }
}

/* On the way there, sums may be anything. */
static void only_the_end_must_be_in_the_range(void **state)
{
    (void)state;
    foray_model *model = small_model(2, 3);
    foray_reward *reward =
        parse(model, HEAD "\"mode\":\"add\",\"entries\":[[null,0,null,7],[null,0,null,-6.5]]}");
    assert_true(foray_reward_at(reward, 1, 0, 1) == 0.5 && foray_reward_at(reward, 1, 1, 1) == 0);
    assert_null(reward->table[0].unit_pair);
    foray_reward_destroy(reward);
    foray_model_destroy(model);
}

/* ------------------------------------------------------------------------- sums */

/* Any policy's value for the sum is the sum of its values; and the text of a sum reads back. */
static void sums_are_worth_what_their_terms_are(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        enum { TERMS = 3 };
        static const int forms[] = {ORACLE_PLAIN, ORACLE_RANGE,    ORACLE_NEXT,
                                    ORACLE_MIN,   ORACLE_DISCOUNT, ORACLE_ALL};
        foray_model *model = small_model(seed, 1 + (int64_t)(seed % 4));
        support_random random = {seed, 5};
        foray_reward *term[TERMS], *sum, *again;
        oracle_reward oracle[TERMS];
        double weight[TERMS], value, best, expected = 0;
        foray_policy *policy;
        char *text, *second;
        for (int i = 0; i < TERMS; i++) {
            int form = forms[support_below(&random, seed % 2 ? 6 : 4)];
            oracle[i] = oracle_reward_random(model, form, false, &random);
            term[i] = oracle_reward_build(ctx, &oracle[i]);
            weight[i] = 4 * support_uniform(&random) - 2;
        }
        support_ok(
            ctx, fy_reward_sum(ctx, "sum", TERMS, (const foray_reward *const *)term, weight, &sum));
        support_ok(ctx, foray_plan_known(ctx, model, sum, &policy));
        support_ok(ctx, fy_policy_fill(ctx, model, policy));
        for (int64_t i = 0; i < model->horizon * model->states && seed % 3 > 0; i++)
            policy->action[i] = (int32_t)support_below(&random, 2);
        for (int i = 0; i < TERMS; i++) {
            oracle_reward_values(&oracle[i], model->theta, policy->action, &value, &best);
            expected += weight[i] * value;
        }
        support_ok(ctx, foray_evaluate(ctx, model, sum, policy, &value, &best));
        assert_true(fabs(value - expected) < 1e-9 && best >= value - 1e-9);
        for (int64_t t = 0; t < model->horizon; t++)
            for (int64_t pair = 0; pair < model->pairs; pair++)
                for (int64_t i = model->succ_start[pair]; i < model->succ_start[pair + 1]; i++) {
                    double r = foray_reward_next_at(sum, t, pair / 2, pair % 2, model->succ[i]);
                    assert_true(r >= sum->low && r <= sum->high);
                }
        support_ok(ctx, foray_reward_print(ctx, sum, &text, NULL));
        again = parse(model, text);
        support_ok(ctx, foray_reward_print(ctx, again, &second, NULL));
        assert_string_equal(text, second);
        free(text);
        free(second);
        for (int i = 0; i < TERMS; i++) {
            foray_reward_destroy(term[i]);
            oracle_reward_free(&oracle[i]);
        }
        foray_reward_destroy(sum);
        foray_reward_destroy(again);
        foray_policy_destroy(policy);
        foray_model_destroy(model);
    }
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static void files_lie_next_to_each_other(void **state)
{
    (void)state;
    char *folder = support_directory(), path[4096];
    foray_model *model = small_model(2, 3);
    foray_reward *reward = NULL;
    write_file(folder, "cost.json",
               HEAD "\"range\":[0,4],\"optimise\":\"min\",\"entries\":[[null,1,null,4]]}");
    write_file(folder, "all.json",
               HEAD "\"name\":\"all\",\"sum\":[[-1,\"cost.json\"],"
                    "[2,{\"entries\":[[null,null,1,0.5]]}]]}");
    write_file(folder, "bad.json", HEAD "\"sum\":[[1,\"cost.json\"],\n[1,\"worse.json\"]]}");
    write_file(folder, "worse.json", HEAD "\n\"entries\":[[0,0,0,\n7]]}");
    write_file(folder, "loop.json", HEAD "\"sum\":[[1,\"loop.json\"]]}");
    write_file(folder, "wide.json",
               HEAD "\"sum\":[[1,\"many.json\"],[1,\"many.json\"],[1,\"many.json\"]]}");
    FILE *many = fopen(strcat(strcpy(path, folder), "/many.json"), "w");
    fputs(HEAD "\"sum\":[[1,\"cost.json\"]", many);
    for (int i = 0; i < 30; i++)
        fputs(",[1,\"cost.json\"]", many);
    fputs("]}", many);
    fclose(many);

    support_ok(ctx,
               foray_reward_load(ctx, model, strcat(strcpy(path, folder), "/all.json"), &reward));
    assert_true(foray_reward_at(reward, 0, 1, 1) == -3 && foray_reward_at(reward, 2, 0, 0) == 0 &&
                foray_reward_at(reward, 2, 1, 0) == -4 && reward->low == -4 && reward->high == 2);
    assert_string_equal(foray_reward_name(reward), "all");
    foray_reward_destroy(reward);
    static const char *const bad[][2] = {
        {"/bad.json", "bad.json:2: sum[1]: "},
        {"/bad.json", "worse.json:2: entries[0]: value 7 is not between 0 and 1"},
        {"/loop.json", "does one contain itself?"},
        {"/wide.json", "more than 64 rewards"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        support_refused(
            ctx, foray_reward_load(ctx, model, strcat(strcpy(path, folder), bad[i][0]), &reward),
            FORAY_ERROR_INPUT, bad[i][1]);
    foray_model_destroy(model);
    support_remove(folder);
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {HEAD "\"mode\":\"plus\",\"entries\":[]}", "r.json: mode"},
        {HEAD "\"mode\":\"add\",\"entries\":[[null,0,0,0.7],[0,0,null,0.7]]}", "add up to 1.39999"},
        {HEAD "\"mode\":\"add\",\n\"entries\":[[0,0,0,1e300]]}", "r.json:2: entries[0]: value 1"},
        {HEAD "\"mode\":\"add\",\"entries\":[[0,9,0,1]]}", "state 9, but the model has 2"},
        {HEAD "\"mode\":\"add\",\"entries\":[[0,0,0,7,1]]}", "next state 7, but the model"},
        {HEAD "\"reach\":[0],\"mode\":\"add\"}", "mode: not together with reach"},
        {HEAD "\"sum\":[]}", "sum: a list of rewards is expected"},
        {HEAD "\"sum\":[[1]]}", "sum[0]: [weight, file or reward] is expected"},
        {HEAD "\"sum\":[[\"x\",{}]]}", "sum[0]: [weight, file or reward] is expected"},
        {HEAD "\"sum\":[[1,\"other.json\"]]}", "only reward files can name other files"},
        {HEAD "\"sum\":[[1,{\"entries\":[]}],\n[1,{\"entries\":[[0,0,0,2]]}]]}",
         "r.json:2: sum[1]: entries[0]: value 2 is not"},
        {HEAD "\"sum\":[[1,{\"wish\":[]}]]}", "sum[0]: "},
        {HEAD "\"sum\":[[1e300,{\"entries\":[]}]]}", "is too large"},
        {HEAD "\"sum\":[[1,{\"entries\":[]}]],\"entries\":[]}", "entries: not together with sum"},
        {HEAD "\"sum\":[[1,{\"entries\":[[0,0,0,1]]}]],\"range\":[0,0.5]}",
         "add up to 1, which is not between 0 and 0.5"},
        {HEAD "\"sum\":[[1,{\"reach\":[0]}]]}", "about reaching or avoiding"},
        {HEAD "\"sum\":[[1,{\"sum\":[[1,{\"sum\":[[1,{\"sum\":[[1,{\"sum\":[[1,{\"sum\":[[1,{"
              "\"sum\":[[1,{\"sum\":[[1,{\"sum\":[[1,{}]]}]]}]]}]]}]]}]]}]]}]]}]]}",
         "more than 8 within each other"},
    };
    foray_model *model = small_model(2, 3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        foray_reward *reward = NULL;
        support_refused(
            ctx,
            foray_reward_parse(ctx, model, cases[i][0], strlen(cases[i][0]), "r.json", &reward),
            FORAY_ERROR_INPUT, cases[i][1]);
        assert_null(reward);
    }
    foray_model_destroy(model);
}

static foray_status read_and_sum(foray_context *failing)
{
    static const char text[] =
        HEAD "\"sum\":[[2,{\"mode\":\"add\",\"entries\":[[0,0,null,1],[null,1,0,0.5]]}],"
             "[-1,{\"discount\":0.5,\"entries\":[[null,null,null,0,1]]}]],\"optimise\":\"min\"}";
    foray_model *model = NULL;
    foray_reward *reward = NULL;
    foray_status status = foray_model_builtin(failing, "riverswim:horizon=3", &model);
    if (status == FORAY_OK)
        status = foray_reward_parse(failing, model, text, sizeof text - 1, "r.json", &reward);
    foray_reward_destroy(reward);
    foray_model_destroy(model);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    support_every_allocation(read_and_sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_add_up),
        cmocka_unit_test(only_the_end_must_be_in_the_range),
        cmocka_unit_test(sums_are_worth_what_their_terms_are),
        cmocka_unit_test(files_lie_next_to_each_other),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(every_allocation_may_fail),
    };
    ctx = foray_context_create();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    foray_context_destroy(ctx);
    return failed;
}
