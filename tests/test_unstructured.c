/* test_unstructured.c - models of which nothing is known but their sizes: what they hold, what they
 * refuse, whether the sets of laws and expectations over them are right, against a prior made up
 * step by step and laws drawn at random, and whether certificates are true, against known worlds.
 */
#include "explore/unstructured/laws.h"
#include "explore/unstructured/unstructured.h"
#include "oracle_truth.h"
#include "support.h"
#include "world/world.h"
#include "system/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static foray_model *model_of(foray_context *ctx, const char *spec)
{
    foray_model *model;
    support_ok(ctx, foray_model_builtin(ctx, spec, &model));
    return model;
}

static foray_settings inverse_count(foray_context *ctx, int64_t seed)
{
    foray_settings settings;
    foray_settings_default(&settings);
    support_ok(ctx, foray_settings_set(ctx, &settings, "algorithm", "inverse-count"));
    settings.seed = seed;
    return settings;
}

/* ---------------------------------------------------------------------- the model */

static void anything_can_follow(void **state)
{
    (void)state;
    static const char *const names[] = {"left", "right", "up"};
    foray_context *ctx = foray_context_create();
    foray_model *model, *again;
    const int32_t *next;
    const double *probability;
    char *text;
    size_t size;
    support_ok(
        ctx, fy_model_of_sizes(ctx, "unstructured:states=5,actions=3,horizon=7", 3, names, &model));
    assert_true(foray_model_is_unstructured(model));
    assert_null(foray_model_theta(model));
    assert_int_equal(foray_model_unknowns(model), (5 * 3 + 1) * 4);
    assert_int_equal(foray_model_initial(model, &next, &probability), 0);
    for (int64_t s = 0; s < 5; s++)
        assert_int_equal(fy_model_find(model, 7, s), s);
    for (int format = 0; format < 2; format++) { /* both are JSON: there is nothing to compact */
        support_ok(ctx, foray_model_print(ctx, model, (foray_model_format)format, &text, &size));
        support_ok(ctx, foray_model_parse(ctx, text, size, "a model", &again));
        assert_true(foray_model_equal(model, again));
        assert_string_equal(foray_model_action_name(again, 2), "up");
        foray_model_destroy(again);
        free(text);
    }
    again = model_of(ctx, "unstructured:states=5,actions=3,horizon=7,initial=2");
    assert_false(foray_model_equal(model, again));
    assert_int_equal(foray_model_unknowns(again), 5 * 3 * 4);
    assert_int_equal(foray_model_initial(again, &next, &probability), 1);
    assert_int_equal(next[0], 2);
    foray_model_destroy(again);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

#define OPEN4 "unstructured:states=4,actions=2,horizon=3,initial="

/* First states in the text: unknown, one, several alike, several with probabilities; and as a file
 * says the same. */
static void first_states_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t count;
        int32_t state[3];
        double probability[3];
    } all[] = {
        {"unknown", 0, {0}, {0}},
        {"2", 1, {2}, {1}},
        {"0+1+3", 3, {0, 1, 3}, {1 / 3.0, 1 / 3.0, 1 / 3.0}},
        {"1:0.25+3:0.75", 2, {1, 3}, {0.25, 0.75}},
        {"1:1", 1, {1}, {1}},
    };
    foray_context *ctx = foray_context_create();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char spec[100], *text;
        const int32_t *first;
        const double *probability;
        foray_model *again;
        size_t size;
        snprintf(spec, sizeof spec, OPEN4 "%s", all[i].text);
        foray_model *model = model_of(ctx, spec);
        assert_int_equal(foray_model_initial(model, &first, &probability), all[i].count);
        for (int64_t k = 0; k < all[i].count; k++) {
            assert_int_equal(first[k], all[i].state[k]);
            assert_true(probability[k] == all[i].probability[k]);
        }
        support_ok(ctx, foray_model_print(ctx, model, FORAY_MODEL_JSON, &text, &size));
        support_ok(ctx, foray_model_parse(ctx, text, size, "model", &again));
        assert_true(foray_model_equal(model, again));
        foray_free(text);
        foray_model_destroy(again);
        foray_model_destroy(model);
    }
    foray_context_destroy(ctx);
}

static void bad_sizes_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *message;
    } bad[] = {
        {"unstructured", "needs its sizes"},
        {"unstructured:states=4,actions=2", "needs its sizes"},
        {"unstructured:states=4,actions=2,horizon=3,initial=4", "states are 0 to 3"},
        {"unstructured:states=100000000,actions=2,horizon=3", "200000000 pairs"},
        {"unstructured:states=4,doors=2", "doors"},
        {OPEN4 "unkown", "did you mean initial=unknown?"},
        {OPEN4 "", "must be a state"},
        {OPEN4 "-1", "must be a state"},
        {OPEN4 "1+", "several as 3+7"},
        {OPEN4 "1:0.5+2", "several with their probabilities"},
        {OPEN4 "1:x", "must be a state"},
        {OPEN4 "1+7", "states are 0 to 3"},
    };
    static const struct {
        const char *spec, *message;
    } wrong[] = {
        {OPEN4 "2+1", "states must ascend"},
        {OPEN4 "1:0.5+2:0.25", "sum to 0.75"},
        {OPEN4 "1:0+2:1", "probabilities above 0"},
    };
#define HEAD "{\"format\":\"foray-model\",\"version\":1,\"kind\":\"unstructured\",\"name\":\"x\","
    static const struct {
        const char *text, *message;
    } files[] = {
        {HEAD "\"states\":3,\"actions\":2,\"horizon\":4}", "initial"},
        {HEAD "\"states\":3,\"actions\":2,\"horizon\":4,\"initial\":null,\"dim\":3}",
         "dim: an unstructured"},
        {HEAD "\"states\":3,\"actions\":2,\"horizon\":4,\"initial\":[[7,1]]}", "state"},
        {HEAD "\"states\":3,\"actions\":2,\"horizon\":4,\"initial\":[[0,0.4]]}", "sum to 0.4"},
        {HEAD "\"states\":3,\"actions\":2,\"horizon\":0,\"initial\":null}", "horizon"},
        {HEAD "\"states\":3,\"actions\":2,\"horizon\":1,\"initial\":null,\"absorbing\":[2,1]}",
         "absorbing[1]: states must ascend"},
        {HEAD "\"states\":3,\"actions\":2,\"horizon\":1,\"initial\":null,\"absorbing\":[3]}",
         "absorbing[0]"},
        {HEAD "\"states\":3,\"actions\":2,\"horizon\":1,\"initial\":null,\"action_names\":[\"a\"]}",
         "action_names"},
    };
    foray_context *ctx = foray_context_create();
    foray_model *model;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        support_refused(ctx, foray_model_builtin(ctx, bad[i].spec, &model), FORAY_ERROR_USAGE,
                        bad[i].message);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(foray_model_builtin(ctx, wrong[i].spec, &model), FORAY_ERROR_INPUT);
        assert_non_null(strstr(foray_message(ctx), wrong[i].message));
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        support_refused(
            ctx, foray_model_parse(ctx, files[i].text, strlen(files[i].text), "file", &model),
            FORAY_ERROR_INPUT, files[i].message);
    }
    foray_context_destroy(ctx);
}

/* All others refuse, by name; and inverse-count refuses a model of which something is known. */
static void others_refuse(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = model_of(ctx, "unstructured:states=5,actions=3,horizon=7");
    const char *name;
    int64_t taken = 0;
    for (int64_t i = 0; foray_algorithm_describe(i, &name, NULL); i++) {
        foray_explorer *explorer = NULL;
        foray_settings settings = support_settings(name, 10, 1);
        foray_status status = foray_explorer_create(ctx, model, &settings, &explorer);
        taken += status == FORAY_OK;
        if (status != FORAY_OK) {
            assert_int_equal(status, FORAY_ERROR_USAGE);
            assert_ptr_equal(strstr(foray_message(ctx), name), foray_message(ctx));
        }
        foray_explorer_destroy(explorer);
    }
    assert_int_equal(taken, 2); /* inverse-count and random */
    foray_model_destroy(model);
    foray_settings settings = inverse_count(ctx, 1);
    foray_explorer *explorer = NULL;
    model = model_of(ctx, "riverswim:states=4,horizon=5");
    support_refused(ctx, foray_explorer_create(ctx, model, &settings, &explorer), FORAY_ERROR_USAGE,
                    "inverse-count is for worlds of which nothing is known");
    assert_null(explorer);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* --------------------------------------------------------------------------- laws */

enum { S = 50, TRIES = 400 };

static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

/* A law with counts N of `seen` successors, as an explorer of one state and action would have. */
static void count(fy_seen *seen, const int *N, int successors)
{
    for (int i = 0; i < successors; i++)
        for (int k = 0; k < N[i]; k++)
            fy_seen_follow(seen, 0, 0, i);
}

/* x = log(G/delta) + log likelihood at q - log of the prior's, which is a product of what it
 * expected: (N_i + 1/S)/(n + 1) of a successor seen N_i times among n. */
static double width_by_steps(const int *N, int successors, double G, double delta)
{
    double x = log(G / delta), n = 0, total = 0;
    for (int i = 0; i < successors; i++)
        total += N[i];
    for (int i = 0; i < successors; i++)
        for (int k = 0; k < N[i]; k++, n++)
            x += log(N[i] / total) - log((k + 1.0 / S) / (n + 1));
    return x / total;
}

/* A law over the successors and "elsewhere" on the border of the set, in a random direction. */
static bool law_on_border(const double *q, int successors, double e, uint64_t *seed, double *p)
{
    double to[8], sum = 0, low = 0, high = 1;
    for (int i = 0; i <= successors; i++) {
        double u = draw(seed);
        sum += to[i] = u * u * u;
    }
    for (int round = 0; round < 60; round++) {
        double t = (low + high) / 2, divergence = 0;
        for (int i = 0; i <= successors; i++)
            p[i] = (1 - t) * (i < successors ? q[i] : 0) + t * to[i] / sum;
        for (int i = 0; i < successors; i++)
            divergence += q[i] * log(q[i] / p[i]);
        if (divergence <= e)
            low = t;
        else
            high = t;
    }
    return low > 0;
}

/* No law of the set exceeds the bounds, and some come close. */
static void bounds_contain_all_laws(void **state)
{
    (void)state;
    static const struct {
        int N[3], successors;
        double tight; /* of the way from the mean to the bound that some law of those tried gets */
    } rows[] = {{{5}, 1, 0.9},
                {{400}, 1, 0.9},
                {{3, 2}, 2, 0.7},
                {{90, 10}, 2, 0.7},
                {{3000, 2000, 1000}, 3, 0.4},
                {{1, 1, 1}, 3, 0.5},
                {{9999, 1}, 2, 0.3}};
    foray_context *ctx = foray_context_create();
    foray_model *model = model_of(ctx, "unstructured:states=50,actions=1,horizon=3");
    foray_settings settings = inverse_count(ctx, 1);
    foray_explorer *explorer;
    support_ok(ctx, foray_explorer_create(ctx, model, &settings, &explorer));
    uint64_t seed = 1;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        int m = rows[r].successors;
        double q[3], total = 0, best = 0, p[8];
        fy_seen *seen;
        fy_laws laws;
        support_ok(ctx, fy_seen_create(ctx, 1, &seen));
        count(seen, rows[r].N, m);
        fy_arena arena = {.ctx = ctx};
        support_ok(ctx, fy_laws_create(explorer, &arena, seen, &laws));
        for (int i = 0; i < m; i++)
            total += rows[r].N[i];
        for (int i = 0; i < m; i++)
            q[i] = rows[r].N[i] / total;
        double e = width_by_steps(rows[r].N, m, S + 1, settings.delta);
        assert_true(fabs(laws.width[1] / e - 1) < 1e-9 && laws.width[1] >= e * (1 - 1e-15));
        for (int k = 0; k < TRIES; k++) {
            double value[S], lo = -2, hi = 3, mean = 0, of = 0;
            for (int i = 0; i < S; i++)
                value[i] = k % 4 == 0 ? 0.5 : lo + (hi - lo) * draw(&seed);
            for (int i = 0; i < m; i++)
                mean += q[i] * value[i];
            const fy_law_target target = {.value = value, .lo = lo, .hi = hi};
            double high = fy_laws_high(&laws, 1, &target);
            double low = fy_laws_low(&laws, 1, &target);
            assert_true(low <= mean && mean <= high && lo <= low && high <= hi);
            for (int j = 0; j < 50 && law_on_border(q, m, e, &seed, p); j++) {
                of = p[m] * (j % 2 ? hi : lo);
                for (int i = 0; i < m; i++)
                    of += p[i] * value[i];
                assert_true(of <= high && of >= low);
                best = fmax(best, j % 2 ? (of - mean) / (high - mean) : 0);
            }
        }
        if (!(best >= rows[r].tight))
            fail_msg("row %zu: the nearest law got %.3f of the way", r, best);
        fy_arena_release(&arena);
        fy_seen_destroy(seen);
    }
    foray_explorer_destroy(explorer);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* ------------------------------------------------------------------- certificates */

static support_bench bench_of(const char *truth, const char *open)
{
    support_bench b = {.ctx = foray_context_create()};
    b.truth = model_of(b.ctx, truth);
    b.unstructured = model_of(b.ctx, open);
    support_ok(b.ctx, foray_world_from_model(b.ctx, b.truth, &b.world));
    return b;
}

/* goal:s, reach:s, and goal:s at a discount. */
static foray_reward *reward_of(const support_bench *b, int kind, int64_t s)
{
    const int64_t there = s;
    foray_reward *reward;
    if (kind == 1) {
        support_ok(b->ctx, foray_reward_create_reach(b->ctx, b->unstructured, "reach", 1, &there, 0,
                                                     NULL, &reward));
        return reward;
    }
    reward = truth_goal(b->ctx, b->unstructured, s);
    if (kind == 2)
        support_ok(b->ctx, foray_reward_set_discount(b->ctx, reward, 0.7));
    return reward;
}

/* Of all goals: is a plan's loss in truth above its certificate, or its value outside? */
static bool some_certificate_fails(const support_bench *b, const foray_settings *settings)
{
    foray_explorer *explorer;
    bool failed = false;
    support_ok(b->ctx, foray_explorer_create(b->ctx, b->unstructured, settings, &explorer));
    assert_true(truth_play(explorer, b->world, settings->episodes));
    for (int64_t i = 0; i < 3 * foray_model_states(b->unstructured); i++) {
        foray_reward *reward = reward_of(b, (int)(i % 3), i / 3);
        const foray_reward *const rewards[] = {reward};
        foray_policy *policy;
        double value, optimal;
        foray_mode mode = (foray_mode)(i % FORAY_MODES);
        support_ok(b->ctx, foray_explorer_plan(explorer, 1, rewards, mode, &policy));
        support_ok(b->ctx, foray_evaluate(b->ctx, b->truth, reward, policy, &value, &optimal));
        assert_true(settings->radius_scale < 1 || policy->certificate.status == FORAY_CERTIFIED);
        failed |= optimal - value > policy->certificate.gap + 1e-9 || value < policy->low - 1e-9 ||
                  value > policy->high + 1e-9;
        double gap = policy->certificate.gap;
        support_ok(b->ctx, foray_explorer_certify(explorer, reward, policy));
        assert_true(policy->certificate.gap == gap);
        foray_policy_destroy(policy);
        foray_reward_destroy(reward);
    }
    foray_explorer_destroy(explorer);
    return failed;
}

/* At delta = 1/2 at most half of the runs may fail; with hardly any radius nearly all do. */
static void certificates_hold(void **state)
{
    (void)state;
    enum { RUNS = 40 };
    support_bench b =
        bench_of("chain:states=9,zones=3,horizon=5", "unstructured:states=9,actions=2,horizon=5");
    int64_t failed = 0, control = 0;
    for (int64_t seed = 0; seed < RUNS; seed++) {
        foray_settings settings = inverse_count(b.ctx, seed);
        settings.episodes = 300;
        settings.delta = 0.5;
        failed += some_certificate_fails(&b, &settings);
        settings.radius_scale = 0.01;
        control += some_certificate_fails(&b, &settings);
    }
    assert_true(failed <= truth_max_failures(RUNS, 0.5));
    assert_true(control > truth_max_failures(RUNS, 0.5));
    support_bench_clear(&b);
}

/* -------------------------------------------------------------------- the explorer */

/* Saved and loaded at any time it goes on as if nothing had happened; after an absorbing state was
 * announced, too. */
static void saving_changes_nothing(void **state)
{
    (void)state;
    support_bench b = bench_of("deepsea:size=5", "unstructured:states=17,actions=2,horizon=5");
    foray_settings settings = inverse_count(b.ctx, 3);
    for (int64_t k = 0; k < 40; k += 13) {
        foray_explorer *one, *other;
        uint8_t *data, *again;
        size_t size, other_size;
        support_ok(b.ctx, foray_explorer_create(b.ctx, b.unstructured, &settings, &one));
        support_ok(b.ctx, foray_explorer_create(b.ctx, b.unstructured, &settings, &other));
        assert_true(truth_play(one, b.world, k));
        assert_true(truth_play(other, b.world, 50 - k)); /* forgotten when the state is loaded */
        support_ok(b.ctx, foray_explorer_save(one, &data, &size));
        support_ok(b.ctx, foray_explorer_load(other, data, size));
        free(data);
        assert_true(truth_play(one, b.world, 20) && truth_play(other, b.world, 20));
        support_ok(b.ctx, foray_explorer_save(one, &data, &size));
        support_ok(b.ctx, foray_explorer_save(other, &again, &other_size));
        assert_true(size == other_size && memcmp(data, again, size) == 0);
        for (size_t cut = 0; cut < size; cut += 1 + size / 50) {
            foray_explorer *damaged;
            support_ok(b.ctx, foray_explorer_create(b.ctx, b.unstructured, &settings, &damaged));
            assert_int_equal(foray_explorer_load(damaged, data, cut), FORAY_ERROR_RUN);
            foray_explorer_destroy(damaged);
        }
        free(data);
        free(again);
        foray_explorer_destroy(one);
        foray_explorer_destroy(other);
    }
    support_bench_clear(&b);
}

/* An absorbing state is known to be one, and must stay one. */
static void ends_are_known(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = model_of(ctx, "unstructured:states=1000,actions=2,horizon=4,initial=0");
    foray_settings settings = inverse_count(ctx, 1);
    foray_explorer *explorer;
    support_ok(ctx, foray_explorer_create(ctx, model, &settings, &explorer));
    for (int k = 0; k < 3000; k++) {
        int64_t action;
        support_ok(ctx, foray_explorer_begin(explorer));
        support_ok(ctx, foray_explorer_act(explorer, 0, &action));
        support_ok(ctx, foray_explorer_observe(explorer, 0, action, 7));
        support_ok(ctx, foray_explorer_done(explorer, 7));
        support_ok(ctx, foray_explorer_end(explorer));
    }
    foray_reward *reward = truth_goal(ctx, model, 7);
    const foray_reward *const rewards[] = {reward};
    foray_policy *policy;
    support_ok(ctx, foray_explorer_plan(explorer, 1, rewards, FORAY_PLUGIN, &policy));
    assert_true(policy->expected == 3 && policy->low > 2.95 && policy->certificate.gap < 0.05);
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    support_ok(ctx, foray_explorer_begin(explorer));
    assert_int_equal(foray_explorer_observe(explorer, 7, 0, 8), FORAY_ERROR_WORLD);
    assert_non_null(strstr(foray_message(ctx), "state 7 was left"));
    support_ok(ctx, foray_explorer_observe(explorer, 0, 0, 7));
    assert_int_equal(foray_explorer_done(explorer, 0), FORAY_ERROR_WORLD);
    foray_explorer_destroy(explorer);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* A file may say what is absorbing and where states are on a map. What is said is known from the
 * beginning, and need not be learnt. */
static void files_may_say_more(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "\"states\":9,\"actions\":2,\"horizon\":4,\"initial\":[[0,0.5],[3,0.5]],"
             "\"absorbing\":[2,8],\"layout\":{\"kind\":\"grid\",\"rows\":3,\"cols\":3,"
             "\"cell\":[[0,0,0],[4,1,1]]}}";
    foray_context *ctx = foray_context_create();
    foray_model *model, *again, *other = model_of(ctx, "unstructured:states=9,actions=2,horizon=4");
    char *print;
    size_t size;
    int64_t row, col, rows, cols;
    support_ok(ctx, foray_model_parse(ctx, text, strlen(text), "file", &model));
    support_ok(ctx, foray_model_print(ctx, model, FORAY_MODEL_JSON, &print, &size));
    support_ok(ctx, foray_model_parse(ctx, print, size, "again", &again));
    free(print);
    assert_true(foray_model_equal(model, again) && !foray_model_equal(model, other));
    assert_true(foray_model_grid(again, &rows, &cols) && rows == 3 && cols == 3);
    assert_true(foray_model_cell(again, 4, &row, &col) && row == 1 && col == 1);
    assert_false(foray_model_cell(again, 1, &row, &col));
    foray_settings settings = inverse_count(ctx, 1);
    foray_explorer *explorer;
    support_ok(ctx, foray_explorer_create(ctx, again, &settings, &explorer));
    assert_true(fy_seen_is_absorbing(fy_unstructured_seen(explorer), 2));
    support_ok(ctx, foray_explorer_begin(explorer));
    assert_int_equal(foray_explorer_observe(explorer, 2, 0, 1), FORAY_ERROR_WORLD);
    foray_reward *reward = truth_goal(ctx, again, 2);
    const foray_reward *const rewards[] = {reward};
    foray_policy *policy;
    support_ok(ctx, foray_explorer_observe(explorer, 0, 0, 2));
    foray_explorer_destroy(explorer);
    support_ok(ctx, foray_explorer_create(ctx, again, &settings, &explorer));
    support_ok(ctx, foray_explorer_plan(explorer, 1, rewards, FORAY_PLUGIN, &policy));
    assert_true(policy->low == 0 && policy->certificate.vacuous);
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    foray_explorer_destroy(explorer);
    foray_model_destroy(model);
    foray_model_destroy(again);
    foray_model_destroy(other);
    foray_context_destroy(ctx);
}

/* Each allocation fails in turn: an error, and nothing leaks. */
static void memory_may_run_out(void **state)
{
    (void)state;
    support_bench b = bench_of("deepsea:size=4", "unstructured:states=12,actions=2,horizon=4");
    foray_settings settings = inverse_count(b.ctx, 1);
    foray_reward *reward = truth_goal(b.ctx, b.unstructured, 3);
    bool whole = false;
    for (int64_t allowed = 0; !whole && allowed < 500; allowed++) {
        foray_explorer *explorer = NULL;
        foray_policy *policy = NULL;
        const foray_reward *const rewards[] = {reward};
        foray_certificate bound;
        b.ctx->allocations_left = allowed;
        foray_status status = foray_explorer_create(b.ctx, b.unstructured, &settings, &explorer);
        for (int k = 0; k < 5 && status == FORAY_OK; k++)
            status = foray_explorer_play(explorer, b.world, NULL, NULL);
        if (status == FORAY_OK)
            status = foray_explorer_plan(explorer, 1, rewards, FORAY_PLUGIN, &policy);
        if (status == FORAY_OK)
            status = foray_explorer_bound(explorer, FORAY_KIND_PAIR, &bound);
        b.ctx->allocations_left = -1;
        whole = status == FORAY_OK;
        assert_true(whole || status == FORAY_ERROR_MEMORY);
        foray_policy_destroy(policy);
        foray_explorer_destroy(explorer);
    }
    assert_true(whole);
    foray_reward_destroy(reward);
    support_bench_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anything_can_follow),     cmocka_unit_test(first_states_are_read),
        cmocka_unit_test(bad_sizes_are_refused),   cmocka_unit_test(others_refuse),
        cmocka_unit_test(bounds_contain_all_laws), cmocka_unit_test(certificates_hold),
        cmocka_unit_test(saving_changes_nothing),  cmocka_unit_test(ends_are_known),
        cmocka_unit_test(files_may_say_more),      cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
