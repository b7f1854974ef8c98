/* test_unstructured_next.c - rewards r(s,a,s') where anything can follow: kept against a table of
 * all of it, and plans and certificates for them against the exact values of random worlds. */
#include "explore/unstructured/laws.h"
#include "explore/unstructured/unstructured.h"
#include "oracle_truth.h"
#include "reward/reward.h"
#include "support.h"
#include "system/system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { S = 4, A = 2, H = 3, VALUES = H * S * A * S };

static foray_model *open_of(foray_context *ctx, int64_t states, int64_t actions, int64_t horizon)
{
    char spec[100];
    foray_model *model;
    snprintf(spec, sizeof spec, "unstructured:states=%d,actions=%d,horizon=%d", (int)states,
             (int)actions, (int)horizon);
    support_ok(ctx, foray_model_builtin(ctx, spec, &model));
    return model;
}

/* ------------------------------------------------------------------------ keeping */

/* -1 or an index. */
static int64_t some(support_random *random, int64_t count)
{
    return support_below(random, 3) == 0 ? -1 : support_below(random, count);
}

/* Every value that a call is about, in a table. */
static void set_all(double *table, int64_t t, int64_t s, int64_t a, int64_t next, double value)
{
    for (int64_t i = 0; i < VALUES; i++) {
        int64_t at[] = {i / (S * A * S), i / (A * S) % S, i / S % A, i % S};
        if ((t < 0 || t == at[0]) && (s < 0 || s == at[1]) && (a < 0 || a == at[2]) &&
            (next < 0 || next == at[3]))
            table[i] = value;
    }
}

static void assert_values(const foray_reward *reward, const double *table)
{
    for (int64_t i = 0; i < VALUES; i++)
        assert_true(foray_reward_next_at(reward, i / (S * A * S), i / (A * S) % S, i / S % A,
                                         i % S) == table[i]);
}

/* Later calls win, in copies and files, too; and what is printed is printed the same again. */
static void last_words_count(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = open_of(ctx, S, A, H);
    for (uint64_t seed = 1; seed <= 300; seed++) {
        support_random random = {.seed = seed};
        double table[VALUES];
        foray_reward *reward, *copy, *again;
        char *text, *more;
        size_t size, length;
        support_ok(ctx, foray_reward_create(ctx, model, "r", -2, 5, 1, &reward));
        set_all(table, -1, -1, -1, -1, 1);
        for (int64_t k = support_below(&random, 30); k >= 0; k--) {
            int64_t t = some(&random, H), s = some(&random, S), a = some(&random, A);
            int64_t next = some(&random, S);
            double value = -2 + (double)support_below(&random, 8);
            support_ok(ctx, foray_reward_set_next(ctx, reward, t, s, a, next, value));
            set_all(table, t, s, a, next, value);
        }
        assert_values(reward, table);
        support_ok(ctx, fy_reward_copy(ctx, reward, &copy));
        assert_values(copy, table);
        assert_true(fy_reward_hash(copy) == fy_reward_hash(reward));
        support_ok(ctx, foray_reward_print(ctx, reward, &text, &size));
        support_ok(ctx, foray_reward_parse(ctx, model, text, size, "r", &again));
        assert_values(again, table);
        support_ok(ctx, foray_reward_print(ctx, again, &more, &length));
        assert_string_equal(text, more);
        free(text);
        free(more);
        foray_reward_destroy(reward);
        foray_reward_destroy(copy);
        foray_reward_destroy(again);
    }
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* ------------------------------------------------------------------- certificates */

static support_bench bench_of(uint64_t seed)
{
    support_bench b = {.ctx = foray_context_create()};
    const support_sizes sizes = {
        .states = 5, .actions = 2, .horizon = 4, .successors = 3, .sharp = seed % 2 == 0};
    b.truth = support_model(b.ctx, SUPPORT_TABULAR, sizes, seed);
    b.unstructured = open_of(b.ctx, 5, 2, 4);
    support_ok(b.ctx, foray_world_from_model(b.ctx, b.truth, &b.world));
    return b;
}

/* The same reward twice: of the unstructured model, and of the true one, where fewer things can
 * follow. */
typedef struct twins {
    foray_reward *unstructured, *truth;
} twins;

static twins twins_of(const support_bench *b, int kind, support_random *random)
{
    twins r;
    double low = kind % 2 ? -3 : 0, high = kind % 2 ? 2 : 1;
    support_ok(b->ctx,
               foray_reward_create(b->ctx, b->unstructured, "r", low, high, low, &r.unstructured));
    support_ok(b->ctx, foray_reward_create(b->ctx, b->truth, "r", low, high, low, &r.truth));
    for (int64_t k = 0; k < (kind % 3 == 0 ? 60 : 3); k++) {
        int64_t t = kind % 4 == 0 ? support_below(random, 4) : -1, s = some(random, 5);
        int64_t a = some(random, 2), next = some(random, 5);
        double value = low + (high - low) * support_uniform(random);
        support_ok(b->ctx, foray_reward_set_next(b->ctx, r.unstructured, t, s, a, next, value));
        foray_status status = foray_reward_set_next(b->ctx, r.truth, t, s, a, next, value);
        if (status != FORAY_OK) /* nothing that it is about can follow */
            assert_non_null(strstr(foray_message(b->ctx), "cannot follow"));
    }
    double discount = kind % 5 == 0 ? 0.8 : 1;
    support_ok(b->ctx, foray_reward_set_discount(b->ctx, r.unstructured, discount));
    support_ok(b->ctx, foray_reward_set_discount(b->ctx, r.truth, discount));
    support_ok(b->ctx, foray_reward_set_minimise(b->ctx, r.unstructured, kind % 7 == 0));
    support_ok(b->ctx, foray_reward_set_minimise(b->ctx, r.truth, kind % 7 == 0));
    return r;
}

typedef struct tally {
    int64_t failed, certificates, tight;
} tally;

/* One reward after a run: is a loss in truth above its certificate, or a value outside? */
static bool fails(const support_bench *b, foray_explorer *explorer, int kind,
                  support_random *random, tally *count)
{
    twins r = twins_of(b, kind, random);
    const foray_reward *const rewards[] = {r.unstructured};
    foray_policy *policy;
    double value, optimal;
    support_ok(b->ctx, foray_explorer_plan(explorer, 1, rewards, (foray_mode)(kind % FORAY_MODES),
                                           &policy));
    support_ok(b->ctx, foray_evaluate(b->ctx, b->truth, r.truth, policy, &value, &optimal));
    double gap = policy->certificate.gap, loss = fabs(optimal - value);
    bool failed = loss > gap + 1e-9 || value < policy->low - 1e-9 || value > policy->high + 1e-9;
    count->certificates++;
    count->tight += !policy->certificate.vacuous;
    support_ok(b->ctx, foray_explorer_certify(explorer, r.unstructured, policy));
    assert_true(policy->certificate.gap == gap);
    for (int64_t i = 0; i < 4 * 5; i++) /* and of a policy that nobody planned */
        policy->action[i] = (int32_t)support_below(random, 2);
    support_ok(b->ctx, foray_explorer_certify(explorer, r.unstructured, policy));
    support_ok(b->ctx, foray_evaluate(b->ctx, b->truth, r.truth, policy, &value, &optimal));
    failed |= fabs(optimal - value) > policy->certificate.gap + 1e-9 ||
              value < policy->low - 1e-9 || value > policy->high + 1e-9;
    foray_policy_destroy(policy);
    foray_reward_destroy(r.unstructured);
    foray_reward_destroy(r.truth);
    return failed;
}

static void play_run(uint64_t seed, double scale, tally *count)
{
    support_bench b = bench_of(seed);
    support_random random = {.seed = seed};
    foray_settings settings;
    foray_explorer *explorer;
    bool failed = false;
    foray_settings_default(&settings);
    support_ok(b.ctx, foray_settings_set(b.ctx, &settings, "algorithm", "random"));
    settings.seed = (int64_t)seed;
    settings.delta = 0.5;
    settings.radius_scale = scale;
    support_ok(b.ctx, foray_explorer_create(b.ctx, b.unstructured, &settings, &explorer));
    assert_true(truth_play(explorer, b.world, 20 + (int64_t)(seed % 3) * 600));
    for (int kind = 0; kind < 12; kind++)
        failed |= fails(&b, explorer, kind, &random, count);
    count->failed += failed;
    foray_explorer_destroy(explorer);
    support_bench_clear(&b);
}

/* At delta = 1/2 at most half of the runs may fail; with hardly any radius nearly all do. */
static void certificates_hold(void **state)
{
    (void)state;
    enum { RUNS = 60 };
    tally proper = {0}, control = {0};
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        play_run(seed, 1, &proper);
        play_run(seed, 0.01, &control);
    }
    print_message("[   FIGURES] %d runs, %d certificates (%d say something): %d runs fail, of the "
                  "control %d\n",
                  RUNS, (int)proper.certificates, (int)proper.tight, (int)proper.failed,
                  (int)control.failed);
    assert_true(proper.failed <= truth_max_failures(RUNS, 0.5));
    assert_true(proper.tight > proper.certificates / 2);
    assert_true(control.failed > truth_max_failures(RUNS, 0.5));
}

/* The function itself, each value said once. */
static foray_reward *spelt_out(const support_bench *b, const foray_reward *reward)
{
    foray_reward_facts facts;
    foray_reward *made;
    foray_reward_describe(reward, &facts);
    support_ok(b->ctx, foray_reward_create(b->ctx, b->unstructured, "r", facts.low, facts.high,
                                           facts.low, &made));
    for (int64_t i = 0; i < 4 * 5 * 2 * 5; i++) {
        int64_t t = i / 50, s = i / 10 % 5, a = i / 5 % 2, next = i % 5;
        double value = foray_reward_next_at(reward, t, s, a, next);
        support_ok(b->ctx, foray_reward_set_next(b->ctx, made, t, s, a, next, value));
    }
    support_ok(b->ctx, foray_reward_set_discount(b->ctx, made, facts.discount));
    support_ok(b->ctx, foray_reward_set_minimise(b->ctx, made, facts.minimise));
    return made;
}

/* Rules of which later ones overrule others give the bits of the function that they say. */
static void ways_to_say_it_are_one(void **state)
{
    (void)state;
    support_bench b = bench_of(7);
    support_random random = {.seed = 7};
    foray_settings settings;
    foray_explorer *explorer;
    foray_settings_default(&settings);
    support_ok(b.ctx, foray_settings_set(b.ctx, &settings, "algorithm", "random"));
    support_ok(b.ctx, foray_explorer_create(b.ctx, b.unstructured, &settings, &explorer));
    assert_true(truth_play(explorer, b.world, 300));
    for (int kind = 0; kind < 300; kind++) {
        twins r = twins_of(&b, kind, &random);
        foray_reward *spelt = spelt_out(&b, r.unstructured);
        const foray_reward *const rewards[] = {r.unstructured, spelt};
        foray_policy *policy[2];
        support_ok(b.ctx, foray_explorer_plan(explorer, 2, rewards,
                                              (foray_mode)(kind % FORAY_MODES), policy));
        assert_memory_equal(policy[0]->action, policy[1]->action, 4 * 5 * sizeof(int32_t));
        assert_true(policy[0]->expected == policy[1]->expected);
        assert_true(policy[0]->low == policy[1]->low && policy[0]->high == policy[1]->high);
        assert_true(policy[0]->certificate.gap == policy[1]->certificate.gap);
        foray_policy_destroy(policy[0]);
        foray_policy_destroy(policy[1]);
        foray_reward_destroy(spelt);
        foray_reward_destroy(r.unstructured);
        foray_reward_destroy(r.truth);
    }
    foray_explorer_destroy(explorer);
    support_bench_clear(&b);
}

/* --------------------------------------------------------------------- what follows */

/* What a state that never followed would earn counts low in plans and high in certificates. */
static void elsewhere_counts(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model;
    support_ok(ctx, foray_model_builtin(ctx, "unstructured:states=3,actions=2,horizon=1,initial=0",
                                        &model));
    foray_settings settings;
    foray_explorer *explorer;
    foray_reward *reward;
    foray_policy *policy;
    foray_settings_default(&settings);
    support_ok(ctx, foray_settings_set(ctx, &settings, "algorithm", "random"));
    support_ok(ctx, foray_explorer_create(ctx, model, &settings, &explorer));
    for (int k = 0; k < 500; k++) { /* both actions lead to state 1, always */
        support_ok(ctx, foray_explorer_begin(explorer));
        support_ok(ctx, foray_explorer_observe(explorer, 0, k % 2, 1));
        support_ok(ctx, foray_explorer_end(explorer));
    }
    /* Each earns 0.5 there; going to state 2, if it can be, earns 1 with action 1 alone. */
    support_ok(ctx, foray_reward_create(ctx, model, "r", 0, 1, 0.5, &reward));
    support_ok(ctx, foray_reward_set_next(ctx, reward, -1, -1, 1, 2, 1));
    const foray_reward *const rewards[] = {reward};
    support_ok(ctx, foray_explorer_plan(explorer, 1, rewards, FORAY_PLUGIN, &policy));
    fy_laws laws;
    fy_arena arena = {.ctx = ctx};
    support_ok(ctx, fy_laws_create(explorer, &arena, fy_unstructured_seen(explorer), &laws));
    double elsewhere = 1 - exp(-laws.width[1]); /* at most: docs/mathematics.md */
    assert_int_equal(policy->action[0], 0);
    assert_true(policy->expected == 0.5);
    assert_true(fabs(policy->low - 0.5) < 1e-12 && fabs(policy->high - 0.5) < 1e-12);
    assert_true(fabs(policy->certificate.gap - 0.5 * elsewhere) < 1e-9);
    fy_arena_release(&arena);
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    foray_explorer_destroy(explorer);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* Bounds for all rewards of a kind: r(s,a,s') cost more than r(s,a), and none less than 0. */
static void kinds_are_bounded(void **state)
{
    (void)state;
    support_bench b = bench_of(3);
    foray_settings settings;
    foray_explorer *explorer;
    foray_certificate pair, next, reach;
    foray_settings_default(&settings);
    support_ok(b.ctx, foray_settings_set(b.ctx, &settings, "algorithm", "random"));
    support_ok(b.ctx, foray_explorer_create(b.ctx, b.unstructured, &settings, &explorer));
    assert_true(truth_play(explorer, b.world, 20000));
    support_ok(b.ctx, foray_explorer_bound(explorer, FORAY_KIND_PAIR, &pair));
    support_ok(b.ctx, foray_explorer_bound(explorer, FORAY_KIND_NEXT, &next));
    support_ok(b.ctx, foray_explorer_bound(explorer, FORAY_KIND_REACH, &reach));
    assert_true(pair.gap > 0 && pair.gap < next.gap && next.gap < 4);
    assert_true(reach.gap > 0 && reach.gap <= 1);
    foray_explorer_destroy(explorer);
    support_bench_clear(&b);
}

/* Each allocation fails in turn: an error, and nothing leaks. */
static void memory_may_run_out(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = open_of(ctx, S, A, H);
    bool whole = false;
    for (int64_t allowed = 0; !whole && allowed < 200; allowed++) {
        foray_reward *reward = NULL, *copy = NULL;
        ctx->allocations_left = allowed;
        foray_status status = foray_reward_create(ctx, model, "r", 0, 1, 0, &reward);
        for (int64_t i = 0; i < 40 && status == FORAY_OK; i++)
            status = foray_reward_set_next(ctx, reward, i % H - 1, i % S, -1, i / S % S, 0.5);
        if (status == FORAY_OK)
            status = foray_reward_set(ctx, reward, -1, 2, -1, 0.25);
        if (status == FORAY_OK)
            status = fy_reward_copy(ctx, reward, &copy);
        ctx->allocations_left = -1;
        whole = status == FORAY_OK;
        assert_true(whole || status == FORAY_ERROR_MEMORY);
        foray_reward_destroy(reward);
        foray_reward_destroy(copy);
    }
    assert_true(whole);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_words_count),       cmocka_unit_test(certificates_hold),
        cmocka_unit_test(ways_to_say_it_are_one), cmocka_unit_test(elsewhere_counts),
        cmocka_unit_test(kinds_are_bounded),      cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
