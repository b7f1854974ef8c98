/* test_prism.c - PRISM's explicit files: the most and the least that can be earned, and the
 * probability of getting to a label, against recursions over the lines that were written. */
#include "base/base.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STATES = 6, CHOICES = 3, OUTCOMES = 4, PATHS = 8 };

typedef struct raw_choice {
    int action, outcomes, next[OUTCOMES];
    double probability[OUTCOMES], reward[OUTCOMES];
} raw_choice;

typedef struct raw_model {
    int states, choices[STATES];
    raw_choice choice[STATES][CHOICES];
    double reward[STATES];
    bool goal[STATES];
} raw_model;

static char *directory;
static char path[PATHS][600];
static int64_t paths;

/* Files are handed over in the order in which they are written. */
static void begin_files(void)
{
    paths = 0;
}

static FILE *open_file(const char *name)
{
    snprintf(path[paths], sizeof path[paths], "%s/%s", directory, name);
    FILE *file = fopen(path[paths++], "w");
    assert_non_null(file);
    return file;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = open_file(name);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static foray_status import_files(foray_context *ctx, const char *initial, int64_t horizon,
                                 foray_model **model, foray_import_rewards *rewards)
{
    const char *list[PATHS];
    for (int64_t i = 0; i < paths; i++)
        list[i] = path[i];
    foray_import_options options = {.size = sizeof options, .horizon = horizon, .initial = initial};
    return foray_model_import(ctx, list, paths, &options, model, rewards, NULL);
}

/* --------------------------------------------------------------------------- drawing */

static void draw_model(support_random *random, bool chain, raw_model *m)
{
    *m = (raw_model){.states = 2 + (int)support_below(random, STATES - 1)};
    int max = chain ? 1 : 1 + (int)support_below(random, CHOICES);
    for (int s = 0; s < m->states; s++) {
        m->choices[s] = 1 + (int)support_below(random, max); /* not all actions everywhere */
        m->reward[s] = (double)support_below(random, 3) - 1;
        m->goal[s] = s > 0 && support_uniform(random) < 0.3;
        int shift = (int)support_below(random, max);
        for (int c = 0; c < m->choices[s]; c++) {
            raw_choice *choice = &m->choice[s][c];
            choice->action = (c + shift) % max;
            choice->outcomes = 1 + (int)support_below(random, OUTCOMES);
            if (choice->outcomes > m->states)
                choice->outcomes = m->states;
            support_law(random, choice->outcomes, false, choice->probability);
            int first = (int)support_below(random, m->states);
            for (int i = 0; i < choice->outcomes; i++) {
                choice->next[i] = (first + i) % m->states;
                choice->reward[i] = (double)support_below(random, 3);
            }
        }
    }
    m->goal[m->states - 1] = true;
}

/* V_t(s) = opt_c r(s) + sum p (r(s,c,s') + V_{t+1}(s')); `reach`: 1 in goals, no rewards. */
static double value_of(const raw_model *m, int64_t horizon, bool min, bool reach)
{
    double value[STATES], before[STATES];
    for (int s = 0; s < m->states; s++)
        value[s] = reach && m->goal[s] ? 1 : 0;
    for (int64_t t = 0; t < horizon; t++) {
        memcpy(before, value, sizeof value);
        for (int s = 0; s < m->states; s++) {
            double best = min ? INFINITY : -INFINITY;
            for (int c = 0; c < m->choices[s]; c++) {
                const raw_choice *choice = &m->choice[s][c];
                double q = reach ? 0 : m->reward[s];
                for (int i = 0; i < choice->outcomes; i++)
                    q += choice->probability[i] *
                         (before[choice->next[i]] + (reach ? 0 : choice->reward[i]));
                best = min ? fmin(best, q) : fmax(best, q);
            }
            value[s] = reach && m->goal[s] ? 1 : best;
        }
    }
    return value[0];
}

/* --------------------------------------------------------------------------- writing */

static int count_transitions(const raw_model *m, int *choices)
{
    int count = 0;
    *choices = 0;
    for (int s = 0; s < m->states; s++)
        for (int c = 0; c < m->choices[s]; c++, ++*choices)
            count += m->choice[s][c].outcomes;
    return count;
}

static void print_rows(FILE *file, const raw_model *m, bool chain, bool named, bool rewards)
{
    static const char *const word[] = {"left", "right", ""}; /* the last has no word */
    for (int s = 0; s < m->states; s++)
        for (int c = 0; c < m->choices[s]; c++) {
            const raw_choice *choice = &m->choice[s][c];
            for (int i = 0; i < choice->outcomes; i++) {
                fprintf(file, "%d ", s);
                if (!chain)
                    fprintf(file, "%d ", c);
                fprintf(file, "%d %.17g %s\n", choice->next[i],
                        rewards ? choice->reward[i] : choice->probability[i],
                        named && !rewards ? word[choice->action] : "");
            }
        }
}

static void print_sizes(FILE *file, const raw_model *m, bool chain)
{
    int choices, transitions = count_transitions(m, &choices);
    if (chain)
        fprintf(file, "%d %d\n", m->states, transitions);
    else
        fprintf(file, "%d %d %d\n", m->states, choices, transitions);
}

/* Rewards first, so that nothing depends on the order; `old`: as PRISM did before it wrote names
 * into files. */
static void write_model(const raw_model *m, bool chain, bool named, bool old)
{
    begin_files();
    FILE *file = open_file(old ? "m1.trew" : "rewards");
    fputs(old ? "" : "# Reward structure \"gold\"\n# Transition rewards\n", file);
    print_sizes(file, m, chain);
    print_rows(file, m, chain, named, true);
    fclose(file);
    file = open_file(old ? "m1.srew" : "more");
    fputs(old ? "" : "# Reward structure \"gold\"\n# State rewards\n", file);
    fprintf(file, "%d %d\n", m->states, m->states);
    for (int s = 0; s < m->states; s++)
        fprintf(file, "%d %g\n", s, m->reward[s]);
    fclose(file);
    file = open_file("labels");
    fputs("0=\"init\" 1=\"deadlock\" 2=\"goal\"\n0: 0\n", file);
    for (int s = 0; s < m->states; s++)
        if (m->goal[s])
            fprintf(file, "%d: 2\n", s);
    fclose(file);
    file = open_file("m.tra");
    print_sizes(file, m, chain);
    print_rows(file, m, chain, named, false);
    fclose(file);
    file = open_file("states");
    fputs("(x,b)\n", file);
    for (int s = 0; s < m->states; s++)
        fprintf(file, "%d:(%d,%s)\n", s, s / 2, s % 2 ? "true" : "false");
    fclose(file);
}

/* --------------------------------------------------------------------------- comparing */

static double optimal(foray_context *ctx, const foray_model *model, const char *text, bool min)
{
    foray_reward *reward;
    foray_policy *policy;
    double value, best;
    support_ok(ctx, foray_reward_parse(ctx, model, text, strlen(text), "r", &reward));
    support_ok(ctx, foray_reward_set_minimise(ctx, reward, min));
    support_ok(ctx, foray_plan_known(ctx, model, reward, &policy));
    support_ok(ctx, foray_evaluate(ctx, model, reward, policy, &value, &best));
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    return best;
}

static void values_are_those_of_the_files(void **state)
{
    foray_context *ctx = *state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        support_random random = {seed, 12};
        raw_model m;
        foray_model *model;
        foray_import_rewards rewards;
        bool chain = seed % 4 == 0, named = seed % 3 > 0, old = seed % 5 == 0;
        int64_t horizon = 1 + support_below(&random, 7);
        draw_model(&random, chain, &m);
        write_model(&m, chain, named, old);
        support_ok(ctx, import_files(ctx, NULL, horizon, &model, &rewards));
        support_ok(ctx, foray_model_check(ctx, model, NULL));
        assert_int_equal(rewards.count, 2);
        assert_string_equal(rewards.name[0], old ? "1" : "gold");
        assert_string_equal(rewards.name[1], "goal");
        assert_string_equal(foray_model_state_name(model, 1), "(0,true)");
        for (int min = 0; min < 2; min++)
            for (int reach = 0; reach < 2; reach++) {
                double found = optimal(ctx, model, rewards.text[reach], min == 1);
                double expected = value_of(&m, horizon, min == 1, reach == 1);
                if (!(fabs(found - expected) <= 1e-9))
                    fail_msg("seed %d, %s %s: %.12g, expected %.12g", (int)seed,
                             min ? "least" : "most", reach ? "goal" : "gold", found, expected);
            }
        foray_model_destroy(model);
        foray_import_rewards_clear(&rewards);
    }
}

/* Words are actions where they tell choices apart, whatever their order; otherwise numbers are. */
static void words_are_actions(void **state)
{
    foray_context *ctx = *state;
    foray_model *model;
    begin_files();
    write_file("m.tra", "2 4 4\n0 0 0 1 stay\n0 1 1 1 go\n1 0 0 1/1 go\n1 1 1 1 stay\n");
    support_ok(ctx, import_files(ctx, "0", 3, &model, NULL));
    assert_int_equal(foray_model_actions(model), 2);
    assert_string_equal(foray_model_action_name(model, 0), "stay");
    const int32_t *next;
    assert_int_equal(foray_model_successors(model, 1, 0, &next), 1);
    assert_int_equal(next[0], 1);
    foray_model_destroy(model);
    begin_files();
    write_file("m.tra", "2 4 4\n0 0 0 1 go\n0 1 1 1 go\n1 0 0 1 go\n1 1 1 1 go\n");
    support_ok(ctx, import_files(ctx, "1", 3, &model, NULL));
    assert_int_equal(foray_model_actions(model), 2);
    assert_null(foray_model_action_name(model, 0));
    foray_model_destroy(model);
}

/* A state that nothing leaves stays where it is, as in PRISM, and earns what it earns. */
static void deadlocks_stay(void **state)
{
    foray_context *ctx = *state;
    foray_model *model;
    foray_import_rewards rewards;
    begin_files();
    write_file("m.tra", "2 1\n0 1 1\n");
    write_file("m.srew", "2 1\n1 3\n");
    support_ok(ctx, import_files(ctx, "0", 5, &model, &rewards));
    assert_int_equal(rewards.count, 1);
    assert_string_equal(rewards.name[0], "own");
    assert_true(optimal(ctx, model, rewards.text[0], false) == 12);
    foray_model_destroy(model);
    foray_import_rewards_clear(&rewards);
    begin_files();
    write_file("m.tra", "1 0 0\n"); /* no choices, and so no words for them */
    support_ok(ctx, import_files(ctx, "0", 5, &model, NULL));
    assert_int_equal(foray_model_actions(model), 1);
    foray_model_destroy(model);
}

static void bad_files_are_named_by_line(void **state)
{
    foray_context *ctx = *state;
    static const char good[] = "2 2 3\n0 0 0 0.5\n0 0 1 0.5\n1 0 1 1\n";
    static const struct {
        const char *name, *text, *message;
    } bad[] = {
        {"m.tra", "", "m.tra: empty"},
        {"m.tra", "2 2 1 2\n0 0 0 1\n", "m.tra:1: four sizes: this is a POMDP"},
        {"m.tra", "2 x 3\n0 0 0 1\n", "m.tra:1: a size of the header: 'x'"},
        {"m.tra", "2\n0 0 0 1\n", "m.tra:1: a header says"},
        {"m.tra", "900000000 2 3\n0 0 0 1\n", "m.tra:1: 900000000 states, but 3 transitions"},
        {"m.tra", "2 9 3\n0 0 0 1\n", "m.tra:1: 9 choices, but 3 transitions"},
        {"m.tra", "430877115 0 1430877115",
         "m.tra:1: 1430877115 transitions, but the file has 22 bytes"},
        {"m.tra", "2 2 2\n0 0 0 [0.2,0.3]\n", "m.tra:2: '[0.2,0.3]' is an interval"},
        {"m.tra", "2 2 2\n0 0 0 1.5\n", "m.tra:2: probability: 1.5 is not between 0 and 1"},
        {"m.tra", "2 2 2\n0 0 0 1/0\n", "is not between 0 and 1"},
        {"m.tra", "2 2 2\n0 0 0 x\n", "m.tra:2: probability: 'x' is not a number"},
        {"m.tra", "2 2 2\n0 0 0\n", "m.tra:2: the probability is missing"},
        {"m.tra", "2 2 2\n# x\n0 0 2 1\n", "m.tra:3: next: 2 is larger than 1"},
        {"m.tra", "2 2 2\n0 0 -1 1\n", "m.tra:2: next: '-1' is not an integer"},
        {"m.tra", "2 2 2\n0 0 0 1 a b\n", "m.tra:2: unexpected 'b' at the end of the line"},
        {"m.tra", "2 2 2\n0 0 0 1\n", "says 2 transitions, but there are 1"},
        {"m.tra", "2 2 2\n0 0 0 1\n1 0 1 1\n1 0 1 1\n", "m.tra:4: more transitions than the 2"},
        {"m.tra", "2 2 2\n0 0 0 1\n0 0 1 1\n",
         "says 2 choices, but the transitions are those of 1"},
        {"m.tra", "2 2 2\n0 1 0 1\n0 1 1 1\n", "state 0 has no transition for choice 0"},
        {"m.tra", "2 2 3\n0 0 0 0.5 a\n0 0 1 0.5 b\n1 0 1 1 a\n",
         "m.tra:3: choice 0 of state 0 has the actions a and b"},
        {"m.tra", "2 2 3\n0 0 0 0.5\n0 0 1 0.4\n1 0 1 1\n", "sum to 0.9"},
        {"m.sta", "0:(0)\n1:(1)\n", "m.sta: the names of variables"},
        {"m.sta", "(x)\n0:(0)\n", "m.sta: 1 states, but the transitions have 2"},
        {"m.sta", "(x)\n0:(0)\n1:(0)\n", "m.sta:3: states 0 and 1 have the same values"},
        {"m.sta", "(x)\n0:(0)\n2:(1)\n", "m.sta:3: '2' where state 1 is expected"},
        {"m.sta", "(x)\n0:(0)\n1:(1)\n2:(2)\n", "m.sta:4: more states than the 2"},
        {"m.sta", "(x)\n0 (0)\n", "m.sta:2: a state looks like"},
        {"m.lab", "0=init\n", "m.lab:1: '0=init': a label looks like"},
        {"m.lab", "0=\"a\" 2=\"b\"\n", "m.lab:1: label '2' where 1 is expected"},
        {"m.lab", "0=\"a\" 1=\"a\"\n", "m.lab:1: two labels are called 'a'"},
        {"m.lab", "0=\"a\"\n0 0\n", "m.lab:2: a line looks like"},
        {"m.lab", "0=\"a\"\n7: 0\n", "m.lab:2: state: 7 is larger than 1"},
        {"m.lab", "0=\"a\"\n0: 1\n", "m.lab:2: label: 1 is larger than 0"},
        {"m.srew", "3 1\n0 1\n", "m.srew:1: 3 states and 2 choices, but"},
        {"m.srew", "2 2\n0 1\n", "m.srew: 2 entries are announced, but there are 1"},
        {"m.srew", "2 1\n0 one\n", "m.srew:2: reward: 'one' is not a number"},
        {"m.srew", "2 1\n0 inf\n", "m.srew:2: reward: 'inf' is out of range"},
        {"m.trew", "2 3 1\n0 0 1 1\n", "m.trew:1: 2 states and 3 choices"},
        {"m.trew", "2 2 1\n1 0 0 1\n", "m.trew:2: no transition leads from state 1 by choice 0"},
        {"m.trew", "2 2 1\n1 1 0 1\n", "m.trew:2: no transition leads from state 1 by choice 1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        foray_model *model;
        begin_files();
        if (strcmp(bad[i].name, "m.tra") != 0)
            write_file("m.tra", good);
        write_file(bad[i].name, bad[i].text);
        support_refused(ctx, import_files(ctx, "0", 4, &model, NULL), FORAY_ERROR_INPUT,
                        bad[i].message);
    }
}

static void files_must_belong_together(void **state)
{
    foray_context *ctx = *state;
    foray_model *model;
    foray_import_rewards rewards;
    begin_files();
    write_file("m.srew", "2 1\n0 1\n");
    assert_int_equal(import_files(ctx, "0", 4, &model, NULL), FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(ctx), "goes with a file of transitions"));
    write_file("m.tra", "2 2 2\n0 0 1 1\n1 0 1 1\n");
    write_file("n.tra", "2 2 2\n0 0 1 1\n1 0 1 1\n");
    assert_int_equal(import_files(ctx, "0", 4, &model, NULL), FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(ctx), "are both files of transitions"));
    paths--;
    support_ok(ctx, import_files(ctx, "0", 4, &model, &rewards));
    foray_model_destroy(model);
    foray_import_rewards_clear(&rewards);
    assert_int_equal(import_files(ctx, NULL, 4, &model, NULL), FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(ctx), "--initial"));
    write_file("m.lab", "0=\"init\"\n0: 0\n1: 0\n");
    assert_int_equal(import_files(ctx, NULL, 4, &model, NULL), FORAY_ERROR_INPUT);
    assert_non_null(strstr(foray_message(ctx), "there are 2 initial states"));
    write_file("again", "# State rewards\n2 0\n");
    assert_int_equal(import_files(ctx, "1", 4, &model, NULL), FORAY_ERROR_INPUT);
    assert_non_null(strstr(foray_message(ctx), "the state rewards of own were given before"));
}

static foray_status import_and_forget(foray_context *ctx)
{
    foray_model *model = NULL;
    foray_import_rewards rewards = {0};
    foray_status status = import_files(ctx, NULL, 4, &model, &rewards);
    foray_model_destroy(model);
    foray_import_rewards_clear(&rewards);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    raw_model m;
    support_random random = {3, 12};
    draw_model(&random, false, &m);
    write_model(&m, false, true, false);
    support_every_allocation(import_and_forget);
}

static int set_up(void **state)
{
    directory = support_directory();
    return support_set_up(state);
}

static int tear_down(void **state)
{
    support_remove(directory);
    return support_tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_the_files),
        cmocka_unit_test(words_are_actions),
        cmocka_unit_test(deadlocks_stay),
        cmocka_unit_test(bad_files_are_named_by_line),
        cmocka_unit_test(files_must_belong_together),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
