/* test_import.c - transition tables: the best return of the model and its reward against backward
 * induction over the rows of the table itself, where `done` ends the episode. */
#include "base/base.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 4096, MAX_STATES = 64, MAX_ACTIONS = 4 };

typedef struct raw_row {
    int state, action, next, done;
    double probability, reward;
} raw_row;

typedef struct raw_table {
    int states, actions, rows;
    raw_row row[MAX_ROWS];
} raw_table;

static char path[512];

static void write_file(const char *name, const char *text)
{
    char full[600];
    snprintf(full, sizeof full, "%s/%s", path, name);
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static const char *in_directory(const char *name)
{
    static char full[600];
    snprintf(full, sizeof full, "%s/%s", path, name);
    return full;
}

static foray_status import_table(foray_context *ctx, const foray_import_options *options,
                                 foray_model **model, foray_import_rewards *rewards,
                                 foray_import_facts *facts)
{
    const char *file = in_directory("t.csv");
    return foray_model_import(ctx, &file, 1, options, model, rewards, facts);
}

/* V_t(s) = max_a sum over rows of p (r + V_{t+1}(next) unless done), from state 0. */
static double best_return(const raw_table *table, int64_t horizon)
{
    double value[MAX_STATES] = {0}, q[MAX_STATES][MAX_ACTIONS];
    for (int64_t t = 0; t < horizon; t++) {
        bool has[MAX_STATES][MAX_ACTIONS] = {{false}};
        memset(q, 0, sizeof q);
        for (int i = 0; i < table->rows; i++) {
            const raw_row *row = &table->row[i];
            has[row->state][row->action] = true;
            q[row->state][row->action] +=
                row->probability * (row->reward + (row->done ? 0 : value[row->next]));
        }
        for (int s = 0; s < table->states; s++) {
            value[s] = -INFINITY;
            for (int a = 0; a < table->actions; a++)
                value[s] = has[s][a] ? fmax(value[s], q[s][a]) : value[s];
        }
    }
    return value[0];
}

/* A table with ends, ends that are also entered otherwise, and outcomes of one pair that lead to
 * one state with different rewards. */
static void draw_table(support_random *random, raw_table *table)
{
    *table = (raw_table){.states = 2 + (int)support_below(random, 6),
                         .actions = 1 + (int)support_below(random, 3)};
    for (int s = 0; s < table->states; s++)
        for (int a = 0; a < table->actions; a++) {
            int count = 1 + (int)support_below(random, 4);
            double law[4];
            if (a > 0 && (s + a) % 3 == 0 && support_uniform(random) < 0.5)
                continue; /* an action that the state does not have */
            support_law(random, count, false, law);
            for (int i = 0; i < count; i++)
                table->row[table->rows++] =
                    (raw_row){.state = s,
                              .action = a,
                              .next = (int)support_below(random, table->states),
                              .done = support_uniform(random) < 0.2,
                              .probability = law[i],
                              .reward = (double)(support_below(random, 5) - 2)};
        }
}

static void write_table(const raw_table *table, bool header)
{
    static char text[MAX_ROWS * 80];
    size_t used = (size_t)snprintf(
        text, sizeof text, "%s", header ? "next,action,state,done,probability,reward\n" : "# x\n");
    for (int i = 0; i < table->rows; i++) {
        const raw_row *r = &table->row[i];
        used += header ? (size_t)snprintf(text + used, sizeof text - used, "%d,%d,%d,%d,%.17g,%g\n",
                                          r->next, r->action, r->state, r->done, r->probability,
                                          r->reward)
                       : (size_t)snprintf(text + used, sizeof text - used, "%d,%d,%d,%.17g,%g,%d\n",
                                          r->state, r->action, r->next, r->probability, r->reward,
                                          r->done);
    }
    write_file("t.csv", text);
}

static double imported_return(foray_context *ctx, int64_t horizon, foray_import_facts *facts)
{
    foray_import_options options = {.size = sizeof options, .horizon = horizon, .initial = "0"};
    foray_model *model;
    foray_policy *policy;
    foray_reward *reward;
    foray_import_rewards rewards;
    double value, optimal;
    support_ok(ctx, import_table(ctx, &options, &model, &rewards, facts));
    support_ok(ctx, foray_model_check(ctx, model, NULL));
    support_ok(ctx, foray_reward_parse(ctx, model, rewards.text[0], strlen(rewards.text[0]),
                                       rewards.name[0], &reward));
    support_ok(ctx, foray_policy_create(ctx, model, FORAY_PLUGIN, &policy));
    support_ok(ctx, foray_evaluate(ctx, model, reward, policy, &value, &optimal));
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    foray_model_destroy(model);
    foray_import_rewards_clear(&rewards);
    return optimal;
}

static void best_returns_are_those_of_the_table(void **state)
{
    foray_context *ctx = *state;
    int64_t ends = 0, twins = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        support_random random = {seed, 7};
        raw_table table;
        foray_import_facts facts;
        int64_t horizon = 1 + support_below(&random, 7);
        draw_table(&random, &table);
        write_table(&table, seed % 2 == 0);
        double expected = best_return(&table, horizon);
        double found = imported_return(ctx, horizon, &facts);
        assert_true(fabs(found - expected) <= 1e-9);
        ends += facts.ends;
        twins += facts.twins;
    }
    assert_true(ends > 100 && twins > 100);
}

/* Laws in common: as many unknowns as the laws have, whatever the number of pairs. */
static void laws_can_be_shared(void **state)
{
    foray_context *ctx = *state;
    static const struct {
        const char *laws;
        int64_t unknowns; /* -1: refused */
    } cases[] = {{"pair", 3}, {"column:zone", 2}, {"all", -1}, {"action", -1}, {"some", -2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        foray_import_options options = {
            .size = sizeof options, .horizon = 4, .initial = "a", .laws = cases[i].laws};
        bool zones = strcmp(cases[i].laws, "column:zone") == 0; /* else an unknown column */
        const char *north = zones ? ",north\n" : "\n", *south = zones ? ",south\n" : "\n";
        char text[512];
        snprintf(text, sizeof text,
                 "state,action,next,probability,outcome%s"
                 "a,go,b,0.75,moved%sa,go,a,0.25,slipped%sb,go,b,0.25,slipped%s"
                 "b,go,c,0.75,moved%sc,go,c,0.5,moved%sc,go,a,0.5,slipped%s",
                 zones ? ",zone\n" : "\n", north, north, north, north, south, south);
        write_file("t.csv", text);
        foray_model *model;
        foray_model_facts facts;
        foray_status status = import_table(ctx, &options, &model, NULL, NULL);
        if (cases[i].unknowns < 0) {
            assert_int_equal(status,
                             cases[i].unknowns == -1 ? FORAY_ERROR_INPUT : FORAY_ERROR_USAGE);
            assert_non_null(strstr(foray_message(ctx), cases[i].unknowns == -1
                                                           ? "cannot share a law"
                                                           : "laws are shared by"));
            continue;
        }
        support_ok(ctx, status);
        support_ok(ctx, foray_model_check(ctx, model, &facts));
        assert_int_equal(facts.unknowns, cases[i].unknowns);
        assert_string_equal(foray_model_state_name(model, 2), "c");
        assert_string_equal(foray_model_action_name(model, 0), "go");
        foray_model_destroy(model);
    }
}

/* Three rows that lead to one state, and sum to 1 and a rounding error: a law like any other, also
 * for the certain pairs that share it. */
static void sums_may_be_rounded_up(void **state)
{
    foray_context *ctx = *state;
    foray_import_options options = {.size = sizeof options, .horizon = 2, .initial = "0"};
    foray_model *model;
    foray_model_facts facts;
    write_file("t.csv", "0,0,1,0.003311258278145696,0,0\n0,0,1,0.9933774834437088,0,0\n"
                        "0,0,1,0.003311258278145696,0,0\n1,0,1,1,0,0\n");
    support_ok(ctx, import_table(ctx, &options, &model, NULL, NULL));
    support_ok(ctx, foray_model_check(ctx, model, &facts));
    assert_int_equal(facts.unknowns, 0);
    assert_true(foray_model_theta(model)[0] == 1);
    foray_model_destroy(model);
}

static void bad_tables_are_named_by_line(void **state)
{
    foray_context *ctx = *state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "empty"},
        {"state,action,next\n0,0,0\n", "no column probability"},
        {"state,s,action,next,probability\n0,0,0,0,1\n", "say the same"},
        {"state,action,next,probability,colour\n0,0,0,1,red\n",
         "'colour' is not one of the columns"},
        {"idoutcome,idstatefrom,idaction,idstateto,probability,reward\n0,0,0,0,1,0\n", "robust"},
        {"0,0,0,1.5,0,0\n", "t.csv:1: probability: '1.5' is not between 0 and 1"},
        {"0,0,0,nan,0,0\n", "t.csv:1"},
        {"0,0,0,1,0,0\n0,0,0,x,0,0\n", "t.csv:2: probability: 'x' is not a number"},
        {"0,0,0,0.5,0,0\n", "sum to 0.5"},
        {"0,0,0,1,0,2\n", "'2' is neither 0 nor 1"},
        {"0,0,1,1,0,0\n", "state 1 has no row: a state that goes on needs an action"},
        {"0,0,0,1,0,0\n2,0,2,1,0,0\n", "state 1 has no row (nothing leads there)"},
        {"0,0,900000000,1,0,0\n", "only 1 rows"},
        {"0,0,0,1,0,0,7\n", "more numbers than columns"},
        {"state,action,next,probability\n,0,0,1\n", "empty"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        foray_import_options options = {.size = sizeof options, .horizon = 4, .initial = "0"};
        foray_model *model;
        write_file("t.csv", bad[i].text);
        support_refused(ctx, import_table(ctx, &options, &model, NULL, NULL), FORAY_ERROR_INPUT,
                        bad[i].message);
    }
}

static void beginnings_are_found(void **state)
{
    foray_context *ctx = *state;
    foray_import_options options = {.size = sizeof options, .horizon = 4};
    foray_model *model;
    write_file("t.csv", "0,0,1,1,0,0\n1,0,0,1,0,0\n");
    assert_int_equal(import_table(ctx, &options, &model, NULL, NULL), FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(ctx), "--initial"));
    write_file("t.isd.txt", "0.25\n0.75\n");
    support_ok(ctx, import_table(ctx, &options, &model, NULL, NULL));
    const int32_t *begins;
    const double *p;
    assert_int_equal(foray_model_initial(model, &begins, &p), 2);
    assert_true(begins[0] == 0 && p[0] == 0.25 && p[1] == 0.75);
    foray_model_destroy(model);
    static const char *const bad[] = {"0.5\n0.25\n", "0.5\nx\n", "0.5\n0.25\n0.25\n", "2\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_file("t.isd.txt", bad[i]);
        assert_int_equal(import_table(ctx, &options, &model, NULL, NULL), FORAY_ERROR_INPUT);
    }
    assert_int_equal(remove(in_directory("t.isd.txt")), 0);
    options.initial = "nowhere"; /* neither a state nor a file */
    assert_int_equal(import_table(ctx, &options, &model, NULL, NULL), FORAY_ERROR_IO);
}

static foray_status import_and_forget(foray_context *ctx)
{
    foray_import_options options = {.size = sizeof options, .horizon = 4, .initial = "a"};
    foray_model *model = NULL;
    foray_import_rewards rewards = {0};
    foray_status status = import_table(ctx, &options, &model, &rewards, NULL);
    foray_model_destroy(model);
    foray_import_rewards_clear(&rewards);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    write_file("t.csv", "state,action,next,probability,reward,done\n"
                        "a,x,a,0.5,1,0\na,x,b,0.25,0,0\na,x,b,0.25,2,1\n"
                        "b,x,b,0.5,1,0\nb,x,a,0.5,1,0\n");
    support_every_allocation(import_and_forget);
}

static int set_up(void **state)
{
    char *directory = support_directory();
    snprintf(path, sizeof path, "%s", directory);
    free(directory);
    return support_set_up(state);
}

static int tear_down(void **state)
{
    support_remove(strdup(path));
    return support_tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best_returns_are_those_of_the_table),
        cmocka_unit_test(laws_can_be_shared),
        cmocka_unit_test(sums_may_be_rounded_up),
        cmocka_unit_test(bad_tables_are_named_by_line),
        cmocka_unit_test(beginnings_are_found),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
