/* Policy files: complete by themselves, read as a stream, refused by line and cause. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "aggregate/clusters.h"

static foray_context *ctx;
static foray_model *model;

/* ------------------------------------------------------------------ round trips */

static void assert_same_text(const char *one, const char *other)
{
    if (strcmp(one, other) != 0)
        fail_msg("%s\n\nbecame\n\n%s", one, other);
}

/* Printed, read and printed again: the same text. The caller owns what was read. */
static foray_policy *round_trip(const foray_policy *policy)
{
    char *text, *again;
    size_t size;
    foray_policy *read;
    support_ok(ctx, foray_policy_print(ctx, policy, &text, &size));
    support_ok(ctx, foray_policy_parse(ctx, text, size, "p", &read));
    support_ok(ctx, foray_policy_print(ctx, read, &again, NULL));
    assert_same_text(text, again);
    free(text);
    free(again);
    return read;
}

static void assert_same(const foray_policy *one, const foray_policy *other)
{
    size_t entries = (size_t)(one->horizon * one->states);
    assert_true(one->states == other->states && one->actions == other->actions &&
                one->horizon == other->horizon && one->mode == other->mode);
    assert_memory_equal(one->action, other->action, entries * sizeof *one->action);
    assert_memory_equal(one->value, other->value, sizeof one->value);
    assert_true(one->expected == other->expected && one->low == other->low &&
                one->high == other->high);
    assert_true(one->certificate.gap == other->certificate.gap &&
                one->certificate.delta == other->certificate.delta &&
                one->certificate.radius == other->certificate.radius &&
                one->certificate.bound == other->certificate.bound &&
                one->certificate.status == other->certificate.status &&
                one->certificate.optimal == other->certificate.optimal &&
                one->certificate.vacuous == other->certificate.vacuous);
}

/* Plans with all that is known about them. */
static void plans_read_back_to_the_last_bit(void **state)
{
    (void)state;
    for (int64_t goal = 0; goal < 4; goal++) {
        foray_reward *reward;
        foray_policy *policy;
        const foray_doubt_place place[] = {{1, 2, 1, 1.0 / 3}, {0, 0, 0, 5e-324}};
        const foray_doubt_law law[] = {{.block = 3, .pairs = 2, .visits = 7, .more = INFINITY}};
        const foray_doubt doubt = {1, 2, 1, place, law};
        support_ok(ctx,
                   foray_reward_create(ctx, model, "a \"name\"\n\xc3\xa9", 0, 1, 0.25, &reward));
        support_ok(ctx, foray_reward_set(ctx, reward, -1, goal, -1, 0.1));
        support_ok(ctx, foray_plan_known(ctx, model, reward, &policy));
        support_ok(ctx, foray_policy_complete(ctx, policy, model, reward));
        support_ok(ctx, fy_policy_keep_doubt(ctx, policy, &doubt, 100));
        support_ok(ctx, fy_policy_keep_doubt(ctx, policy, &doubt, 100));
        foray_policy *read = round_trip(policy);
        assert_same(policy, read);
        assert_string_equal(read->about->reward, policy->about->reward);
        assert_string_equal(read->about->model, foray_model_name(model));
        assert_true(read->about->places == 2 && read->about->laws == 1);
        assert_true(read->about->place[1].share == 5e-324 && isinf(read->about->law[0].more));
        assert_string_equal(read->about->law[0].name, "3: (s=0, a=0) of 2");
        /* The reward is one that its model understands. */
        foray_reward *again;
        support_ok(ctx, foray_reward_parse(ctx, model, read->about->reward,
                                           strlen(read->about->reward), "its reward", &again));
        assert_string_equal(foray_reward_name(again), foray_reward_name(reward));
        foray_reward_destroy(again);
        foray_policy_destroy(read);
        foray_policy_destroy(policy);
        foray_reward_destroy(reward);
    }
}

/* Nothing is known about a policy from elsewhere, and nothing is written. */
static void given_policies_have_neither_value_nor_certificate(void **state)
{
    (void)state;
    foray_policy *policy;
    char *text;
    assert_int_equal(foray_policy_create(ctx, model, (foray_mode)7, &policy), FORAY_ERROR_USAGE);
    support_ok(ctx, foray_policy_create(ctx, model, FORAY_GIVEN, &policy));
    support_ok(ctx, foray_policy_print(ctx, policy, &text, NULL));
    assert_null(strstr(text, "value"));
    assert_null(strstr(text, "certificate"));
    foray_policy *read = round_trip(policy);
    assert_true(read->mode == FORAY_GIVEN && isnan(read->expected) && isnan(read->value[1]));
    assert_true(isinf(read->certificate.gap) && read->certificate.radius == FORAY_RADIUS_NONE);
    foray_policy_destroy(read);
    foray_policy_destroy(policy);
    free(text);
}

/* Rows that repeat are written once, and hold until the next. */
static void rows_hold_until_the_next(void **state)
{
    (void)state;
    support_random random = {.seed = 5};
    for (int round = 0; round < 50; round++) {
        foray_policy *policy;
        char *text;
        int64_t rows = 1, found = 0;
        support_ok(ctx, foray_policy_create(ctx, model, FORAY_PLUGIN, &policy));
        for (int64_t t = 0; t < policy->horizon; t++) {
            int32_t *row = policy->action + t * policy->states;
            if (t > 0)
                memcpy(row, row - policy->states, (size_t)policy->states * sizeof *row);
            if (t > 0 && support_below(&random, 2) == 0) {
                int64_t s = support_below(&random, policy->states);
                row[s] = (int32_t)((row[s] + 1) % policy->actions);
                rows++;
            }
        }
        support_ok(ctx, foray_policy_print(ctx, policy, &text, NULL));
        for (const char *at = strstr(text, "\"action\":"); *at != '\n'; at++)
            found += *at == '[' && at[1] != '[';
        for (const char *at = strstr(text, "\n["); at; at = strstr(at + 1, "\n["))
            found++;
        assert_true(found >= rows);
        foray_policy *read = round_trip(policy);
        assert_same(policy, read);
        foray_policy_destroy(read);
        foray_policy_destroy(policy);
        free(text);
    }
}

/* ---------------------------------------------------------------------- any order */

/* Keys may come in any order, the actions before the sizes too, with spaces anywhere. */
static void keys_come_in_any_order(void **state)
{
    (void)state;
    const char *text =
        " {\"from\":{\"seed\":3},\"action\" : [ [ 0 ,\n [ 1 , 0 ] ] , [2,[0,0]]\t]\n,"
        "\"mode\":\"given\",\"horizon\":4,\"actions\":2,\"states\":2,"
        "\"state_names\":[null,\"action\"],\"version\":1,\"format\":\"foray-policy\"}";
    const int32_t expected[] = {1, 0, 1, 0, 0, 0, 0, 0};
    foray_policy *policy;
    support_ok(ctx, foray_policy_parse(ctx, text, strlen(text), "p", &policy));
    assert_memory_equal(policy->action, expected, sizeof expected);
    assert_true(policy->about->seed == 3 && policy->about->episodes == -1);
    assert_null(policy->about->state_name[0]);
    assert_string_equal(policy->about->state_name[1], "action");
    foray_policy_destroy(policy);
}

/* More than the 64 MiB that other documents may have. */
static void large_files_are_read(void **state)
{
    (void)state;
    enum { STATES = 1 << 20, ROWS = 36 };
    char *directory = support_directory(), path[512];
    snprintf(path, sizeof path, "%s/large.json", directory);
    FILE *file = fopen(path, "w");
    fprintf(file,
            "{\"format\":\"foray-policy\",\"version\":1,\"states\":%d,\"actions\":9,"
            "\"horizon\":%d,\"mode\":\"given\",\"action\":[",
            STATES, ROWS);
    char *row = malloc(2 * STATES);
    for (int t = 0; t < ROWS; t++) {
        for (int s = 0; s < STATES; s++) {
            row[2 * s] = (char)('0' + (s + t) % 9);
            row[2 * s + 1] = ',';
        }
        fprintf(file, "%s[%d,[%.*s]]", t > 0 ? ",\n" : "", t, 2 * STATES - 1, row);
    }
    fprintf(file, "]}");
    assert_true(ftell(file) > 64L << 20);
    fclose(file);
    free(row);
    foray_policy *policy;
    support_ok(ctx, foray_policy_load(ctx, path, &policy));
    assert_int_equal(policy->action[35 * (int64_t)STATES + 12345], (12345 + 35) % 9);
    foray_policy_destroy(policy);
    support_remove(directory);
}

/* --------------------------------------------------------------------- hostile files */

#define SIZES                                                                                      \
    "{\"format\":\"foray-policy\",\"version\":1,\n\"states\":4,\"actions\":2,\"horizon\":3,\n"
#define MODE "\"mode\":\"plugin\",\n"
#define GIVEN "\"mode\":\"given\",\n"
#define ACTION "\"action\":[[0,[0,1,0,1]],\n[2,[1,1,1,1]]]"
#define VALUE                                                                                      \
    ",\n\"value\":{\"policy\":1,\"low\":0,\"high\":null,\"optimistic\":1,\"plugin\":1,"            \
    "\"pessimistic\":1}"
#define SAYING(said, more)                                                                         \
    ",\n\"certificate\":{\"gap\":0,\"delta\":0.1,\"radius\":\"likelihood\",\"bound\":\"gap\","     \
    "\"status\":\"certified\",\"optimal\":" said ",\"vacuous\":false" more "}"

#define CERTIFICATE(more) SAYING("\"proved\"", more)

static const char *const good[] = {
    SIZES GIVEN ACTION "}",
    SIZES MODE ACTION VALUE CERTIFICATE("") "}",
    SIZES MODE ACTION VALUE SAYING("\"no\"", "") "}",
    SIZES MODE ACTION VALUE CERTIFICATE(",\"doubt\":[[1,1,1,0.5]],\"laws\":[{\"name\":\"x\","
                                        "\"visits\":1,\"share\":1,\"more\":null}]") "}",
    SIZES GIVEN ACTION
    ",\"clusters\":{\"kind\":\"grid\",\"low\":[0,0],\"high\":[1,2],\"cells\":[2,2]}}",
    SIZES GIVEN ACTION ",\"clusters\":{\"kind\":\"radial\",\"low\":[0],\"high\":[1],\"width\":0.5,"
                       "\"nearest\":2,\"centres\":[[0],[0.25],[0.5],[1]]}}",
};

static const char *const bad[][2] = {
    {"", "p.json:1:1: the text ends too early"},
    {"[]", "p.json: an object"},
    {SIZES GIVEN "\"action\":[[0,[0,1,0,1]],\n[2,[1,1,1,2]]]}",
     "p.json:5: action[1]: state 3: action 2, but there are 2"},
    {SIZES GIVEN "\"action\":[[0,[0,1,0,1]],\n[2,[1,1,1,99999999999]]]}",
     "p.json:5: action[1]: state 3: there is no such action"},
    {SIZES GIVEN "\"action\":[[0,[0,1,0,1]],\n[2,[1,1,1,0.5]]]}",
     "p.json:5: action[1]: state 3: an integer"},
    {SIZES GIVEN "\"action\":[[0,[0,1,0,1]],\n[2,[1,1,01,0]]]}",
     "p.json:5: action[1]: state 2: an integer"},
    {SIZES GIVEN "\"action\":[[0,[0,1,0,1]],\n[2,[1,1,1]]]}", "p.json:5: action[1]: a list of 4"},
    {SIZES GIVEN "\"action\":[[0,[0,1,0,1]],\n[3,[1,1,1,1]]]}",
     "p.json:5: action[1]: steps must ascend"},
    {SIZES GIVEN "\"action\":[[0,[0,1,0,1]],\n[0,[1,1,1,1]]]}",
     "p.json:5: action[1]: steps must ascend"},
    {SIZES GIVEN "\"action\":[[1,[0,1,0,1]]]}", "p.json:4: action[0]: the first row"},
    {SIZES GIVEN "\"action\":[[-1,[0,1,0,1]]]}", "p.json:4: action[0]: the first row"},
    {"{\"format\":\"foray-policy\",\"version\":2}",
     "p.json: version 2, but this Foray reads version 1"},
    {SIZES GIVEN "\"action\":[[0,1,0,1],[1,1,1,1],[1,1,1,1]]}",
     "p.json:4: action[0]: [step, [actions]]"},
    {SIZES GIVEN "\"action\":[[0,1,0,1]]}", "p.json:4: action[0]: [step, [actions]]"},
    {SIZES GIVEN "\"action\":[[0,[0,1,0,1]}", "p.json:4: action[0]: [step, [actions]]"},
    {SIZES GIVEN "\"action\":[[0,[0,1,0,1]]", "the text ends too early"},
    {SIZES GIVEN "\"action\":[[0,[0,1,0,1", "p.json:4: action[0]: the text ends too early"},
    {SIZES GIVEN "\"action\":[]}", "p.json:4: action: a list"},
    {SIZES GIVEN "\"action\":null}", "p.json:4: action: a list"},
    {SIZES GIVEN "\"acti\\u006fn\":[[0,[0,1,0,1]]]}", "action: a list"},
    {SIZES GIVEN ACTION ",\n" ACTION "}", "p.json:6:"},
    {SIZES MODE ACTION "}", "p.json:1: value: an object"},
    {SIZES MODE ACTION VALUE "}", "p.json:1: certificate: an object"},
    {SIZES MODE ACTION VALUE CERTIFICATE(",\"optimal\":1") "}", "p.json:7:"},
    {SIZES MODE ACTION VALUE SAYING("\"certainly\"", "") "}", "p.json:7: optimal"},
    {SIZES MODE ACTION VALUE SAYING("true", "") "}", "p.json:7: optimal: a text is expected"},
    {SIZES MODE ACTION VALUE SAYING("\"rounding\"", "") "}",
     "p.json:7: optimal: \"rounding\", but the rest of it says \"proved\""},
    {SIZES MODE ACTION VALUE CERTIFICATE(",\"doubt\":[[3,1,1,0.5]]") "}", "p.json:7: doubt"},
    {SIZES MODE ACTION VALUE CERTIFICATE(",\"laws\":[{\"visits\":1}]") "}", "p.json:7: name"},
    {SIZES GIVEN ACTION ",\n\"odds\":[]}", "p.json:6: odds: a list of numbers"},
    {SIZES GIVEN ACTION ",\n\"odds\":[0.5,0.4]}", "p.json:6: odds: they do not sum to 1"},
    {SIZES GIVEN ACTION ",\n\"odds\":[0.5,0.5]}", "odds for 2 parts, but not as many begin"},
    {SIZES GIVEN ACTION ",\n\"odds\":[1.5,-0.5]}", "p.json:6: odds: they do not sum to 1"},
    {SIZES GIVEN ACTION ",\n\"chance\":[]}", "chance: a policy has either actions or"},
    {SIZES GIVEN "\"chance\":[]}", "chance: a list of [step, [a law"},
    {SIZES GIVEN "\"chance\":[[0,[0,1,2,0]]]}", "chance[0]: state 2: action 2"},
    {SIZES GIVEN "\"chance\":[[0,[0,1,[],0]]]}", "chance[0]: state 2: the probabilities do not"},
    {SIZES GIVEN "\"chance\":[[0,[0,1,[[1,1],[1,0]],0]]]}", "chance[0]: state 2: [action, p"},
    {SIZES GIVEN "\"chance\":[[1,[0,1,0,0]]]}", "chance[0]: the first row must begin at step 0"},
    {SIZES GIVEN "\"chance\":[[0,[0,1,0,0]],[9,[0,1,0,0]]]}", "chance[1]: steps must ascend"},
    {SIZES GIVEN ACTION ",\n\"reward\":{}}", "p.json:6: reward: an object of the format"},
    {SIZES GIVEN ACTION ",\n\"state_names\":[\"a\"]}", "p.json:6: state_names: a list of 4"},
    {SIZES GIVEN ACTION ",\n\"state_names\":[\"a\",1,\"b\",\"c\"]}", "p.json:6: state_names[1]"},
    {SIZES GIVEN ACTION ",\n\"from\":{\"seed\":-1}}", "p.json:6: seed: -1"},
    {SIZES GIVEN ACTION ",\n\"from\":{\"author\":1}}", "unknown key \"author\""},
    {SIZES GIVEN ACTION ",\n\"extra\":1}", "unknown key \"extra\""},
    {SIZES GIVEN ACTION ",\n\"clusters\":{\"kind\":\"cloud\"}}", "p.json:6: kind: \"cloud\""},
    {SIZES GIVEN ACTION
     ",\n\"clusters\":{\"kind\":\"grid\",\"low\":[0],\"high\":[1],\"cells\":[5]}}",
     "p.json:6: clusters: cells[0]"},
    {SIZES GIVEN ACTION
     ",\n\"clusters\":{\"kind\":\"grid\",\"low\":[0],\"high\":[1],\"cells\":[3]}}",
     "p.json:6: clusters: cells: a grid of 3 points"},
    {SIZES GIVEN ACTION
     ",\n\"clusters\":{\"kind\":\"grid\",\"low\":[1],\"high\":[1],\"cells\":[4]}}",
     "p.json:6: clusters: high[0]"},
    {SIZES GIVEN ACTION ",\n\"clusters\":{\"kind\":\"radial\",\"low\":[0],\"high\":[1],\"width\":0,"
                        "\"nearest\":2,\"centres\":[[0],[0.25],[0.5],[1]]}}",
     "p.json:6: clusters: width"},
    {SIZES GIVEN ACTION ",\n\"clusters\":{\"kind\":\"radial\",\"low\":[0],\"high\":[1],\"width\":1,"
                        "\"nearest\":2,\"centres\":[[0],[0.25,1],[0.5],[1]]}}",
     "p.json:6: clusters: centres: a list of 1"},
};

static void bad_files_are_refused_by_line_and_cause(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        foray_policy *policy = NULL;
        foray_status status =
            foray_policy_parse(ctx, bad[i][0], strlen(bad[i][0]), "p.json", &policy);
        if (status != FORAY_ERROR_INPUT || policy)
            fail_msg("accepted: %s", bad[i][0]);
        if (strncmp(foray_message(ctx), "p.json", 6) != 0 || !strstr(foray_message(ctx), bad[i][1]))
            fail_msg("\"%s\" does not say \"%s\"", foray_message(ctx), bad[i][1]);
    }
}

/* Cut off anywhere, or with any byte changed: an error, or a policy. */
static void damaged_files_do_no_harm(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        size_t size = strlen(good[i]);
        char *text = malloc(size + 1);
        foray_policy *policy = NULL;
        support_ok(ctx, foray_policy_parse(ctx, good[i], size, "p", &policy));
        foray_policy_destroy(round_trip(policy));
        foray_policy_destroy(policy);
        policy = NULL;
        for (size_t end = 0; end < size; end++)
            assert_int_equal(foray_policy_parse(ctx, good[i], end, "p", &policy),
                             FORAY_ERROR_INPUT);
        for (size_t at = 0; at < 11 * size; at++) {
            static const char bytes[] = "\0\"\\[]{},:09";
            memcpy(text, good[i], size + 1);
            text[at % size] = bytes[at / size];
            policy = NULL;
            foray_status status = foray_policy_parse(ctx, text, size, "p", &policy);
            assert_true((status == FORAY_OK) == (policy != NULL));
            assert_true(status == FORAY_OK || status == FORAY_ERROR_INPUT);
            foray_policy_destroy(policy);
        }
        free(text);
    }
}

/* ------------------------------------------------------------------ policies that draw */

enum { LAWS = 512 };

static foray_policy *draws(double most)
{
    double chance[LAWS];
    foray_policy *policy;
    for (int64_t i = 0; i < LAWS; i += 2) { /* for any number of steps; a state never draws */
        chance[i] = i / 2 % foray_model_states(model) == 3 ? 1 : most;
        chance[i + 1] = 1 - chance[i];
    }
    support_ok(ctx, foray_policy_create_drawing(ctx, model, chance, &policy));
    return policy;
}

/* Both kinds, and a mixture of policies of which one draws its actions. */
static void policies_that_draw_read_back(void **state)
{
    (void)state;
    foray_policy *drawing = draws(0.3), *fixed, *mixture, *both, *read;
    support_ok(ctx, foray_policy_create(ctx, model, FORAY_GIVEN, &fixed));
    fixed->action[5] = 1;
    const foray_policy *two[] = {drawing, fixed}, *again[] = {fixed, NULL};
    support_ok(ctx, foray_policy_mix(ctx, 2, two, (const double[]){0.25, 0.75}, &mixture));
    again[1] = mixture;
    support_ok(ctx, foray_policy_mix(ctx, 2, again, (const double[]){0.5, 0.5}, &both));
    assert_true(both->parts == 3 && both->odds[1] == 0.125 && both->odds[2] == 0.375);
    assert_true(drawing->action[0] == 1 && drawing->action[3] == 0);
    foray_policy *all[] = {drawing, fixed, mixture, both};
    for (int i = 0; i < 4; i++) {
        size_t cells = (size_t)(fy_policy_parts(all[i]) * fixed->horizon * fixed->states);
        read = round_trip(all[i]);
        support_ok(ctx, fy_policy_check(ctx, read, model));
        assert_memory_equal(read->action, all[i]->action, cells * sizeof *read->action);
        assert_true(!read->chance == !all[i]->chance && !read->odds == !all[i]->odds);
        if (read->chance)
            assert_memory_equal(read->chance, all[i]->chance, 2 * cells * sizeof *read->chance);
        foray_policy_destroy(read);
    }
    support_refused(ctx, fy_policy_check_plain(ctx, mixture, model, "this"), FORAY_ERROR_USAGE,
                    "is a mixture, and this knows only");
    support_refused(ctx, foray_policy_mix(ctx, 2, two, (const double[]){0.5, 0.6}, &read),
                    FORAY_ERROR_INPUT, "the odds do not sum to 1");
    const double wrong[LAWS] = {0.5, 0.4};
    support_refused(ctx, foray_policy_create_drawing(ctx, model, wrong, &read), FORAY_ERROR_INPUT,
                    "in state 0 at step 0 do not sum to 1");
    for (int i = 0; i < 4; i++)
        foray_policy_destroy(all[i]);
}

/* Drawn as often as said: within five standard deviations, which the seed decides once and for all.
 * The part of an episode stays, and what is drawn depends on nothing but the draw. */
static void draws_are_as_probable_as_said(void **state)
{
    (void)state;
    enum { EPISODES = 20000 };
    foray_policy *drawing = draws(0.3), *fixed, *mixture;
    int64_t first = 0, second = 0, part = 0;
    support_ok(ctx, foray_policy_create(ctx, model, FORAY_GIVEN, &fixed));
    const foray_policy *two[] = {drawing, fixed};
    support_ok(ctx, foray_policy_mix(ctx, 2, two, (const double[]){0.2, 0.8}, &mixture));
    for (uint64_t e = 0; e < EPISODES; e++) {
        foray_draw draw = {.seed = 7, .episode = e}, later = {.seed = 7, .episode = e, .step = 1};
        first += foray_policy_draw(drawing, &draw, 0);
        second += foray_policy_draw(drawing, &draw, 0) && foray_policy_draw(drawing, &later, 0);
        part += foray_policy_part(mixture, &draw);
        assert_true(foray_policy_part(mixture, &draw) == foray_policy_part(mixture, &later));
        assert_true(foray_policy_draw(drawing, &draw, 3) == 0);
        assert_true(foray_policy_part(mixture, &draw) == 0 ||
                    foray_policy_draw(mixture, &draw, 0) == 0);
    }
    assert_true(fabs((double)first - 0.7 * EPISODES) < 5 * sqrt(0.21 * EPISODES));
    assert_true(fabs((double)second - 0.49 * EPISODES) < 5 * sqrt(0.25 * EPISODES));
    assert_true(fabs((double)part - 0.8 * EPISODES) < 5 * sqrt(0.16 * EPISODES));
    foray_policy_destroy(drawing);
    foray_policy_destroy(fixed);
    foray_policy_destroy(mixture);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        foray_status status = FORAY_ERROR_MEMORY;
        for (int64_t left = 0; status != FORAY_OK; left++) {
            foray_policy *policy = NULL;
            foray_clusters *clusters = NULL;
            char *text = NULL;
            ctx->allocations_left = left;
            status = foray_policy_parse(ctx, good[i], strlen(good[i]), "p", &policy);
            if (status == FORAY_OK)
                status = foray_policy_print(ctx, policy, &text, NULL);
            if (status == FORAY_OK && policy->about && policy->about->clusters)
                status = fy_policy_clusters_open(ctx, policy, &clusters);
            assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
            foray_clusters_destroy(clusters);
            foray_policy_destroy(policy);
            free(text);
        }
    }
    ctx->allocations_left = -1;
}

/* ------------------------------------------------------------------------- clusters */

/* A policy that keeps its clusters does in real states what it did with those of the system. */
static void clusters_are_kept(void **state)
{
    (void)state;
    static const char *const seen[] = {"grid:4x5", "radial:20", "radial:20,width=0.3,nearest=3"};
    foray_system *system;
    support_random random = {.seed = 3};
    support_ok(ctx, foray_system_open(ctx, "pendulum", &system));
    const foray_system_spec *spec = foray_system_describe(system);
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        foray_clusters *clusters, *again;
        foray_policy *policy;
        support_ok(ctx, foray_clusters_parse(ctx, system, seen[i], &clusters));
        support_ok(ctx, fy_policy_create(ctx, 20, 3, 2, &policy));
        for (int64_t k = 0; k < 40; k++)
            policy->action[k] = (int32_t)support_below(&random, 3);
        support_ok(ctx, foray_policy_keep_clusters(ctx, policy, clusters));
        foray_policy *read = round_trip(policy);
        support_ok(ctx, fy_policy_clusters_open(ctx, read, &again));
        for (int64_t k = 0; k < 2000; k++) {
            double at[2];
            for (int d = 0; d < 2; d++)
                at[d] = spec->low[d] + support_uniform(&random) * (spec->high[d] - spec->low[d]);
            assert_int_equal(foray_policy_act(policy, clusters, k % 2, at),
                             foray_policy_act(read, again, k % 2, at));
        }
        foray_policy_destroy(read);
        foray_policy_destroy(policy);
        foray_clusters_destroy(clusters);
        foray_clusters_destroy(again);
    }
    foray_system_destroy(system);
}

static int set_up(void **state)
{
    (void)state;
    ctx = foray_context_create();
    return foray_model_builtin(ctx, "riverswim", &model) == FORAY_OK ? 0 : -1;
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
        cmocka_unit_test(plans_read_back_to_the_last_bit),
        cmocka_unit_test(given_policies_have_neither_value_nor_certificate),
        cmocka_unit_test(rows_hold_until_the_next),
        cmocka_unit_test(keys_come_in_any_order),
        cmocka_unit_test(large_files_are_read),
        cmocka_unit_test(bad_files_are_refused_by_line_and_cause),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test(policies_that_draw_read_back),
        cmocka_unit_test(draws_are_as_probable_as_said),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(clusters_are_kept),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
