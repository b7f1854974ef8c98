/* test_tabular.c - counts, RF-UCRL and RF-Express against a dense textbook version, and
 * their bounds against the truth. */
#include "oracle_tabular.h"
#include "oracle_truth.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/errors.h"
#include "plan/policy.h"

static const char *const algorithms[] = {"rf-ucrl", "rf-express"};
enum { ALGORITHMS = 2 };

/* cmocka's own comparison is in single precision. */
#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static foray_settings settings_for(int algorithm)
{
    foray_settings settings;
    foray_settings_default(&settings);
    snprintf(settings.algorithm, sizeof settings.algorithm, "%s", algorithms[algorithm]);
    return settings;
}

/* An explorer, its world, and the oracle that is told the same. */
typedef struct stage {
    foray_context *ctx;
    foray_model *model;
    foray_world *world;
    foray_explorer *explorer;
    fy_errors *errors;
    tabular_oracle oracle;
} stage;

static stage set_stage(foray_context *ctx, foray_model *model, const foray_settings *settings)
{
    stage s = {.ctx = ctx, .model = model};
    support_ok(ctx, foray_world_from_model(ctx, model, &s.world));
    support_ok(ctx, foray_explorer_create(ctx, model, settings, &s.explorer));
    s.errors = s.explorer->self;
    s.oracle = tabular_create(model, settings);
    return s;
}

static stage set_world(const char *spec, const foray_settings *settings)
{
    foray_context *ctx = foray_context_create();
    foray_model *model;
    support_ok(ctx, foray_world_model(ctx, spec, &model));
    return set_stage(ctx, model, settings);
}

static stage set_random(uint64_t seed, const foray_settings *settings)
{
    foray_context *ctx = foray_context_create();
    support_sizes sizes = {.states = 4, .actions = 3, .horizon = 4, .successors = 3};
    return set_stage(ctx, support_model(ctx, SUPPORT_TABULAR, sizes, seed), settings);
}

static void clear(stage *s)
{
    tabular_destroy(&s->oracle);
    foray_explorer_destroy(s->explorer);
    foray_world_destroy(s->world);
    foray_model_destroy(s->model);
    foray_context_destroy(s->ctx);
}

/* One episode, which the oracle counts too; with `watch` it must agree to every action. */
static void play(stage *s, bool watch)
{
    foray_draw draw = {.seed = (uint64_t)s->explorer->settings.seed,
                       .episode = (uint64_t)s->explorer->episodes};
    int64_t state, action, next, horizon = s->model->horizon;
    int64_t *path = calloc((size_t)(3 * horizon), sizeof *path);
    support_ok(s->ctx, foray_explorer_begin(s->explorer));
    support_ok(s->ctx, foray_world_reset(s->world, &draw, &state));
    for (int64_t t = 0; t < horizon; t++, state = next) {
        draw.step = (uint32_t)t + 1;
        support_ok(s->ctx, foray_explorer_act(s->explorer, state, &action));
        if (watch)
            assert_true(tabular_is_greedy(&s->oracle, t, state, action));
        support_ok(s->ctx, foray_world_step(s->world, &draw, state, action, &next));
        support_ok(s->ctx, foray_explorer_observe(s->explorer, state, action, next));
        memcpy(path + 3 * t, (int64_t[]){state, action, next}, 3 * sizeof *path);
    }
    support_ok(s->ctx, foray_explorer_end(s->explorer));
    for (int64_t t = 0; t < horizon; t++)
        tabular_count(&s->oracle, t, path[3 * t], path[3 * t + 1], path[3 * t + 2]);
    free(path);
}

/* ------------------------------------------------------------------- textbook */

static void assert_same_tables(stage *s)
{
    for (int64_t t = 0; t < s->model->horizon; t++)
        for (int64_t state = 0; state < s->model->states; state++)
            assert_near(s->errors->value[t * s->model->states + state],
                        tabular_largest(&s->oracle, t, state), 1e-9);
    assert_near(fy_errors_mean(s->explorer), tabular_mean(&s->oracle), 1e-9);
}

static void follows(stage *s, int64_t episodes)
{
    for (int64_t k = 0; k < episodes; k++) {
        tabular_recompute(&s->oracle);
        assert_same_tables(s);
        play(s, true);
    }
    clear(s);
}

/* Every table and every action of every episode, for all combinations of the settings, with
 * the radius of the paper, where nearly all is clipped, and with one where little is. */
static void follows_the_textbook(void **state)
{
    (void)state;
    static const double scales[] = {1.0, 0.01};
    for (int combination = 0; combination < 32; combination++) {
        foray_settings settings = settings_for(combination & 1);
        settings.pooled = combination >> 1 & 1;
        settings.clip = combination >> 2 & 1;
        settings.ties = combination >> 3 & 1;
        settings.radius_scale = scales[combination >> 4];
        settings.seed = combination;
        stage s = set_random((uint64_t)combination, &settings);
        follows(&s, 150);
        s = set_world("chain:states=5,zones=1,horizon=5", &settings);
        follows(&s, 150);
    }
}

/* A model of one or two states that follow each other at random. */
static foray_model *tiny_model(foray_context *ctx, int64_t states, int64_t horizon)
{
    foray_builder *builder;
    foray_model *model;
    support_ok(ctx, foray_builder_create_tabular(ctx, states, 2, horizon, &builder));
    for (int64_t s = 0; s < states; s++)
        for (int64_t a = 0; a < 2; a++)
            for (int64_t next = 0; next < states; next++)
                support_ok(ctx,
                           foray_builder_transition(builder, s, a, next, 1.0 / (double)states));
    support_ok(ctx, foray_builder_initial(builder, 0, 1.0));
    support_ok(ctx, foray_builder_finish(builder, &model));
    foray_builder_destroy(builder);
    return model;
}

/* One state, one step: the smallest there is. */
static void follows_the_textbook_when_tiny(void **state)
{
    (void)state;
    for (int algorithm = 0; algorithm < ALGORITHMS; algorithm++)
        for (int64_t size = 0; size < 4; size++) {
            foray_settings settings = settings_for(algorithm);
            foray_context *ctx = foray_context_create();
            stage s = set_stage(ctx, tiny_model(ctx, 1 + size % 2, 1 + size / 2), &settings);
            follows(&s, 50);
        }
}

/* ------------------------------------------------------------- what is renewed */

/* Bit for bit: E_h(s,a), its maxima, the policy. */
static void assert_sweep_changes_nothing(stage *s)
{
    const foray_model *model = s->model;
    size_t raw = (size_t)(model->horizon * model->pairs) * sizeof(double);
    size_t value = (size_t)(model->horizon * model->states) * sizeof(double);
    size_t policy = (size_t)(model->horizon * model->states) * sizeof(int32_t);
    uint8_t *before = malloc(raw + value + policy);
    memcpy(before, s->errors->raw, raw);
    memcpy(before + raw, s->errors->value, value);
    memcpy(before + raw + value, s->errors->policy, policy);
    fy_errors_sweep(s->errors);
    assert_memory_equal(before, s->errors->raw, raw);
    assert_memory_equal(before + raw, s->errors->value, value);
    assert_memory_equal(before + raw + value, s->errors->policy, policy);
    free(before);
}

static void renewing_is_the_full_recursion(void **state)
{
    (void)state;
    static const char *const worlds[] = {
        "rooms:rows=1,cols=2,size=2,horizon=6", "grid:rows=3,cols=3,horizon=6",
        "riverswim:states=5,horizon=12", "mixture:states=7,actions=2,successors=5,dim=4,horizon=6"};
    for (int combination = 0; combination < 16; combination++) {
        foray_settings settings = settings_for(combination & 1);
        settings.pooled = combination >> 1 & 1;
        settings.radius_scale = combination & 1 ? 1e-6 : 0.02;
        stage s = set_world(worlds[combination >> 2], &settings);
        int64_t moved = 0;
        for (int64_t k = 0; k < 500; k++) {
            double before = fy_errors_mean(s.explorer);
            play(&s, false);
            assert_sweep_changes_nothing(&s);
            moved += fy_errors_mean(s.explorer) != before;
        }
        assert_true(moved > 100); /* changes did reach the first step */
        clear(&s);
    }
}

/* Doubling with growth 0 plans in full in every episode: the same episodes. */
static void doubling_can_be_every_episode(void **state)
{
    (void)state;
    for (int algorithm = 0; algorithm < ALGORITHMS; algorithm++) {
        foray_settings settings = settings_for(algorithm);
        settings.radius_scale = algorithm == 0 ? 0.02 : 1e-4;
        stage every = set_world("chain:states=9,zones=1,horizon=8", &settings);
        settings.replan = FORAY_REPLAN_DOUBLING;
        settings.replan_growth = 0.0;
        stage full = set_world("chain:states=9,zones=1,horizon=8", &settings);
        size_t bytes = (size_t)(every.errors->counts->layers * every.errors->counts->transitions) *
                       sizeof(double);
        for (int64_t k = 0; k < 300; k++) {
            play(&every, false);
            play(&full, false);
            assert_memory_equal(every.errors->counts->followed, full.errors->counts->followed,
                                bytes);
            assert_true(fy_errors_mean(every.explorer) == fy_errors_mean(full.explorer));
        }
        clear(&every);
        clear(&full);
    }
}

/* Doubling: few plans, a bound that is up to date all the same, and a state that saves
 * what the counts do not tell. */
static void doubling_plans_seldom(void **state)
{
    (void)state;
    foray_settings settings = settings_for(0);
    settings.replan = FORAY_REPLAN_DOUBLING;
    settings.radius_scale = 0.05;
    stage s = set_world("chain:states=5,zones=1,horizon=5", &settings);
    stage again = set_world("chain:states=5,zones=1,horizon=5", &settings);
    uint8_t *data;
    size_t size;
    for (int64_t k = 0; k < 2000; k++)
        play(&s, false);
    tabular_recompute(&s.oracle);
    assert_near(fy_errors_mean(s.explorer), tabular_mean(&s.oracle), 1e-9);
    assert_in_range(s.explorer->plans, 10, 400);
    support_ok(s.ctx, foray_explorer_save(s.explorer, &data, &size));
    support_ok(again.ctx, foray_explorer_load(again.explorer, data, size));
    assert_memory_equal(s.errors->policy, again.errors->policy,
                        (size_t)(s.model->horizon * s.model->states) * sizeof(int32_t));
    free(data);
    clear(&s);
    clear(&again);
}

/* --------------------------------------------------------------------- counts */

/* The same transitions, counted by step, pooled, and by hand. */
static void counts_by_step_and_pooled(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    support_sizes sizes = {.states = 5, .actions = 2, .horizon = 3, .successors = 4};
    foray_model *model = support_model(ctx, SUPPORT_TABULAR, sizes, 5);
    support_random random = {.seed = 5};
    fy_counts *counts[2];
    double hand[3][10][4] = {0}, value[5];
    support_ok(ctx, fy_counts_create(ctx, model, false, &counts[0]));
    support_ok(ctx, fy_counts_create(ctx, model, true, &counts[1]));
    for (int64_t i = 0; i < 200; i++) {
        int64_t t = support_below(&random, 3), pair = support_below(&random, 9);
        int64_t j = support_below(&random, model->succ_start[pair + 1] - model->succ_start[pair]);
        hand[t][pair][j]++;
        fy_counts_add(counts[0], t, pair, j);
        fy_counts_add(counts[1], t, pair, j);
    }
    for (int s = 0; s < 5; s++)
        value[s] = support_uniform(&random);
    for (int pooled = 0; pooled < 2; pooled++)
        for (int64_t t = 0; t < 3; t++)
            for (int64_t pair = 0; pair < 10; pair++) {
                double visits = 0, sum = 0, plain = 0;
                int64_t first = model->succ_start[pair], n = model->succ_start[pair + 1] - first;
                for (int64_t j = 0; j < n; j++) {
                    double f = pooled ? hand[0][pair][j] + hand[1][pair][j] + hand[2][pair][j]
                                      : hand[t][pair][j];
                    assert_true(fy_counts_followed(counts[pooled], t, pair)[j] == f);
                    visits += f;
                    sum += f * value[model->succ[first + j]];
                    plain += value[model->succ[first + j]];
                }
                assert_true(fy_counts_visits(counts[pooled], t, pair) == visits);
                assert_near(fy_counts_expect(counts[pooled], t, pair, value),
                            visits > 0 ? sum / visits : plain / (double)n, 1e-12);
            }
    assert_true(fy_counts_visits(counts[1], 0, 9) == 0); /* the rule for unvisited pairs */
    fy_counts_destroy(counts[0]);
    fy_counts_destroy(counts[1]);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* Numbers that no counting gives are damage. */
static void refuses_numbers_that_are_no_counts(void **state)
{
    (void)state;
    static const double wrong[] = {-1, 0.5, NAN, INFINITY, 1e17};
    foray_settings settings = settings_for(0);
    stage s = set_world("chain:states=3,zones=1,horizon=2", &settings);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint8_t *data;
        size_t size;
        support_ok(s.ctx, foray_explorer_save(s.explorer, &data, &size));
        memcpy(data + size - sizeof wrong[i], &wrong[i], sizeof wrong[i]);
        assert_int_equal(foray_explorer_load(s.explorer, data, size), FORAY_ERROR_RUN);
        free(data);
    }
    clear(&s);
}

/* ------------------------------------------------------------------- planning */

/* The best of all policies of a tiny model, each evaluated by itself. */
static double best_of_all(const tabular_oracle *oracle, const double *r)
{
    const foray_model *model = oracle->model;
    int32_t policy[8] = {0};
    int64_t entries = model->horizon * model->states;
    double best = 0;
    for (int64_t number = 0; number < (int64_t)1 << entries; number++) {
        for (int64_t i = 0; i < entries; i++)
            policy[i] = (int32_t)(number >> i & 1);
        best = fmax(best, tabular_value(oracle, r, policy, true));
    }
    return best;
}

static double *table_of(const foray_reward *reward, const foray_model *model)
{
    double *r = calloc((size_t)(model->horizon * model->pairs), sizeof *r);
    for (int64_t t = 0; t < model->horizon; t++)
        for (int64_t pair = 0; pair < model->pairs; pair++)
            r[t * model->pairs + pair] =
                foray_reward_at(reward, t, pair / model->actions, pair % model->actions);
    return r;
}

/* The plan is the best policy of the empirical model; its values and its certificate follow
 * from the error as documented, in every mode. */
static void check_plan(stage *s, uint64_t seed, int mode)
{
    foray_reward *reward = truth_random_reward(s->ctx, s->model, seed);
    const foray_reward *const rewards[] = {reward};
    foray_policy *policy;
    double *r = table_of(reward, s->model), H = (double)s->model->horizon;
    support_ok(s->ctx, foray_explorer_plan(s->explorer, 1, rewards, mode, &policy));
    double best = best_of_all(&s->oracle, r), error = tabular_error(&s->oracle);
    assert_near(policy->value[FORAY_PLUGIN], best, 1e-12);
    assert_near(tabular_value(&s->oracle, r, policy->action, true), best, 1e-12);
    assert_near(policy->value[FORAY_OPTIMISTIC], fmin(H, best + error), 1e-9);
    assert_near(policy->value[FORAY_PESSIMISTIC], fmax(0, best - error), 1e-9);
    assert_near(policy->certificate.gap, fmin(H, best + error) - fmax(0, best - error), 1e-9);
    assert_int_equal(policy->certificate.radius, FORAY_RADIUS_COUNTS);
    assert_int_equal(policy->mode, mode);
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    free(r);
}

static void plans_on_the_empirical_model(void **state)
{
    (void)state;
    for (int combination = 0; combination < 4; combination++) {
        foray_settings settings = settings_for(combination & 1);
        settings.pooled = combination >> 1;
        settings.radius_scale = combination & 1 ? 1e-4 : 0.1;
        foray_context *ctx = foray_context_create();
        support_sizes sizes = {.states = 3, .actions = 2, .horizon = 2, .successors = 3};
        stage s = set_stage(ctx, support_model(ctx, SUPPORT_TABULAR, sizes, 8), &settings);
        for (uint64_t k = 0; k < 40; k++) {
            tabular_recompute(&s.oracle);
            check_plan(&s, k, (int)(k % FORAY_MODES));
            play(&s, false);
        }
        clear(&s);
    }
}

/* No bound: an infinite gap that is not certified, null in JSON, and read back. */
static void plans_without_a_bound(void **state)
{
    (void)state;
    foray_settings settings = settings_for(0);
    stage s = set_world("chain:states=3,zones=1,horizon=2", &settings);
    foray_reward *reward = truth_goal(s.ctx, s.model, 0);
    const foray_reward *const rewards[] = {reward};
    foray_policy *policy, *back;
    char *text;
    size_t size;
    support_ok(s.ctx, fy_counts_plan(s.explorer, s.errors->counts, INFINITY, 1, rewards,
                                     FORAY_PLUGIN, &policy));
    assert_true(isinf(policy->certificate.gap) && !policy->certificate.certified);
    assert_true(policy->value[FORAY_OPTIMISTIC] == 2 && policy->value[FORAY_PESSIMISTIC] == 0);
    support_ok(s.ctx, fy_policy_print(s.ctx, policy, &text, &size));
    assert_non_null(strstr(text, "\"gap\":null"));
    assert_non_null(strstr(text, "\"radius\":\"none\",\"status\":\"heuristic\""));
    support_ok(s.ctx, fy_policy_parse(s.ctx, text, size, "text", &back));
    assert_true(isinf(back->certificate.gap) && back->certificate.radius == FORAY_RADIUS_NONE);
    free(text);
    foray_policy_destroy(policy);
    foray_policy_destroy(back);
    foray_reward_destroy(reward);
    clear(&s);
}

/* Every allocation of a plan fails in turn: nothing is handed out, nothing leaks. */
static void planning_survives_failed_allocations(void **state)
{
    (void)state;
    foray_settings settings = settings_for(0);
    stage s = set_world("chain:states=3,zones=1,horizon=2", &settings);
    foray_reward *reward = truth_goal(s.ctx, s.model, 0);
    const foray_reward *const rewards[] = {reward, reward, reward};
    foray_policy *policies[3] = {NULL, NULL, NULL};
    foray_status status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        s.ctx->allocations_left = left;
        status = foray_explorer_plan(s.explorer, 3, rewards, FORAY_PLUGIN, policies);
        assert_true(status == FORAY_OK || (left < 20 && policies[0] == NULL));
    }
    s.ctx->allocations_left = -1;
    for (int i = 0; i < 3; i++)
        foray_policy_destroy(policies[i]);
    foray_reward_destroy(reward);
    clear(&s);
}

/* --------------------------------------------------------------- bound and truth */

/* The largest |V^^pi(mu) - V^pi(mu)| over random policies and rewards of 0 and 1. */
static double true_error(const stage *s, support_random *random)
{
    int64_t entries = s->model->horizon * s->model->states;
    double *r = calloc((size_t)(entries * s->model->actions), sizeof *r), worst = 0;
    int32_t *policy = calloc((size_t)entries, sizeof *policy);
    for (int trial = 0; trial < 20; trial++) {
        for (int64_t i = 0; i < entries; i++)
            policy[i] = (int32_t)support_below(random, s->model->actions);
        for (int64_t i = 0; i < entries * s->model->actions; i++)
            r[i] = (double)support_below(random, 2);
        worst = fmax(worst, fabs(tabular_value(&s->oracle, r, policy, true) -
                                 tabular_value(&s->oracle, r, policy, false)));
    }
    free(r);
    free(policy);
    return worst;
}

/* n KL(p^, p) <= b(n) for every pair and step: what RF-UCRL's bound stands on. The
 * threshold is found from the width: w^2 n / 2 = b(n). */
static bool laws_are_covered(const stage *s)
{
    for (int64_t t = 0; t < s->model->horizon; t++)
        for (int64_t pair = 0; pair < s->model->pairs; pair++) {
            int64_t state = pair / s->model->actions, action = pair % s->model->actions;
            double n = tabular_visits(&s->oracle, t, state, action), kl = 0;
            const int32_t *next;
            int64_t count = foray_model_successors(s->model, state, action, &next);
            for (int64_t j = 0; j < count; j++) {
                double q = tabular_probability(&s->oracle, t, state, action, next[j]);
                double p = foray_model_probability(s->model, s->model->theta, state, action, j);
                kl += q > 0 ? q * log(q / p) : 0;
            }
            double width = s->errors->width(s->explorer, n);
            if (n > 0 && n * kl > n * width * width / 2)
                return false;
        }
    return true;
}

/* One run: was any claim false after any of the episodes looked at? */
static bool is_wrong(int algorithm, int64_t seed, double scale)
{
    foray_settings settings = settings_for(algorithm);
    settings.seed = seed;
    settings.radius_scale = scale;
    foray_context *ctx = foray_context_create();
    support_sizes sizes = {.states = 3, .actions = 2, .horizon = 3, .successors = 3};
    stage s = set_stage(ctx, support_model(ctx, SUPPORT_TABULAR, sizes, (uint64_t)seed), &settings);
    support_random random = {.seed = (uint64_t)seed};
    bool wrong = false;
    for (int64_t k = 1; k <= 256; k++) {
        play(&s, false);
        if ((k & (k - 1)) != 0)
            continue;
        tabular_recompute(&s.oracle);
        wrong |= true_error(&s, &random) > tabular_error(&s.oracle) + 1e-12;
        if (algorithm == 0)
            wrong |= !laws_are_covered(&s);
    }
    clear(&s);
    return wrong;
}

/* With probability 1 - delta all claims of a run are true; and claims that are far too
 * bold are noticed, so that the first half means something. */
static void bounds_hold(void **state)
{
    (void)state;
    enum { RUNS = 100 };
    static const double bold[] = {0.05, 1e-9};
    for (int algorithm = 0; algorithm < ALGORITHMS; algorithm++) {
        int64_t wrong = 0, caught = 0;
        for (int64_t seed = 1; seed <= RUNS; seed++) {
            wrong += is_wrong(algorithm, seed, 1.0);
            caught += is_wrong(algorithm, seed, bold[algorithm]);
        }
        assert_true(wrong <= truth_most_failures(RUNS, settings_for(algorithm).delta));
        assert_true(caught > RUNS / 2);
    }
}

/* ------------------------------------------------------------------ stopping rule */

/* The paper's rule, from the oracle, is met in the same episode as bound <= eps. */
static void stops_as_the_paper_says(void **state)
{
    (void)state;
    for (int algorithm = 0; algorithm < ALGORITHMS; algorithm++) {
        double eps = 1.0;
        foray_settings settings = settings_for(algorithm);
        settings.radius_scale = algorithm == 0 ? 0.3 : 1e-4;
        stage s = set_world("chain:states=3,zones=1,horizon=3", &settings);
        int64_t k = 0;
        for (bool met = false; !met; k++) {
            foray_certificate bound;
            tabular_recompute(&s.oracle);
            met = tabular_error(&s.oracle) <= eps / 2;
            support_ok(s.ctx, foray_explorer_bound(s.explorer, &bound));
            assert_int_equal(bound.gap <= eps, met);
            assert_true(k < 5000);
            if (!met)
                play(&s, false);
        }
        assert_true(k > 20);
        clear(&s);
    }
}

/* A run with that target ends at the first look after the rule is met. */
static void runs_stop_at_their_target(void **state)
{
    (void)state;
    foray_settings settings = settings_for(0);
    settings.until = 2.0;
    settings.episodes = 1000000;
    char *directory = support_directory(), path[4096];
    snprintf(path, sizeof path, "%s/target.foray", directory);
    stage s = set_world("chain:states=3,zones=1,horizon=3", &settings);
    foray_run *run;
    support_ok(s.ctx, foray_run_create(s.ctx, path, FORAY_RUN_NEW, s.model, "", &settings, &run));
    support_ok(s.ctx, foray_run_explore(run, s.world, NULL, NULL));
    foray_certificate bound = {.gap = INFINITY};
    int64_t first = 0;
    for (; bound.gap > settings.until; first++) {
        assert_true(truth_play(s.explorer, s.world, 1));
        support_ok(s.ctx, foray_explorer_bound(s.explorer, &bound));
    }
    assert_in_range(foray_run_saved(run), first, first + first / 9 + 1);
    support_ok(s.ctx, foray_explorer_bound(foray_run_explorer(run), &bound));
    assert_true(bound.gap <= settings.until && bound.certified);
    foray_run_close(run);
    support_remove(directory);
    clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_textbook),
        cmocka_unit_test(follows_the_textbook_when_tiny),
        cmocka_unit_test(renewing_is_the_full_recursion),
        cmocka_unit_test(doubling_can_be_every_episode),
        cmocka_unit_test(doubling_plans_seldom),
        cmocka_unit_test(counts_by_step_and_pooled),
        cmocka_unit_test(refuses_numbers_that_are_no_counts),
        cmocka_unit_test(plans_on_the_empirical_model),
        cmocka_unit_test(plans_without_a_bound),
        cmocka_unit_test(planning_survives_failed_allocations),
        cmocka_unit_test(bounds_hold),
        cmocka_unit_test(stops_as_the_paper_says),
        cmocka_unit_test(runs_stop_at_their_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
