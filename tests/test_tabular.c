/* test_tabular.c - RF-UCRL and RF-Express against a dense textbook version, and their
 * bounds against the truth. */
#include "oracle_tabular.h"
#include "oracle_truth.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tabular_stage set_random(uint64_t seed, const foray_settings *settings)
{
    foray_context *ctx = foray_context_create();
    support_sizes sizes = {.states = 4, .actions = 3, .horizon = 4, .successors = 3};
    return tabular_set_stage(ctx, support_model(ctx, SUPPORT_TABULAR, sizes, seed), settings);
}

/* ------------------------------------------------------------------- textbook */

static void assert_same_tables(tabular_stage *s)
{
    for (int64_t t = 0; t < s->model->horizon; t++)
        for (int64_t state = 0; state < s->model->states; state++)
            assert_near(s->errors->value[t * s->model->states + state],
                        tabular_largest(&s->oracle, t, state), 1e-9);
    assert_near(fy_errors_mean(s->explorer), tabular_mean(&s->oracle), 1e-9);
}

static void follows(tabular_stage *s, int64_t episodes)
{
    for (int64_t k = 0; k < episodes; k++) {
        tabular_recompute(&s->oracle);
        assert_same_tables(s);
        tabular_play(s, true);
    }
    tabular_clear(s);
}

/* Every table and every action of every episode, for all combinations of the settings, with
 * the radius of the paper, where nearly all is clipped, and with one where little is. */
static void follows_the_textbook(void **state)
{
    (void)state;
    static const double scales[] = {1.0, 0.01};
    for (int combination = 0; combination < 32; combination++) {
        foray_settings settings = tabular_settings(combination & 1);
        support_set_number(&settings, "pooled", combination >> 1 & 1);
        settings.clip = combination >> 2 & 1;
        settings.ties = combination >> 3 & 1;
        settings.radius_scale = scales[combination >> 4];
        settings.seed = combination;
        tabular_stage s = set_random((uint64_t)combination, &settings);
        follows(&s, 150);
        s = tabular_set_world("chain:states=5,zones=1,horizon=5", &settings);
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
                foray_builder_transition(builder, s, a, next, 1.0 / (double)states);
    foray_builder_initial(builder, 0, 1.0);
    support_ok(ctx, foray_builder_finish(builder, &model));
    foray_builder_destroy(builder);
    return model;
}

/* One state, one step: the smallest there is. */
static void follows_the_textbook_when_tiny(void **state)
{
    (void)state;
    for (int algorithm = 0; algorithm < TABULAR_ALGORITHMS; algorithm++)
        for (int64_t size = 0; size < 4; size++) {
            foray_settings settings = tabular_settings(algorithm);
            foray_context *ctx = foray_context_create();
            tabular_stage s =
                tabular_set_stage(ctx, tiny_model(ctx, 1 + size % 2, 1 + size / 2), &settings);
            follows(&s, 50);
        }
}

/* ------------------------------------------------------------- what is renewed */

/* Bit for bit: E_h(s,a), its maxima, the policy. */
static void assert_sweep_changes_nothing(tabular_stage *s)
{
    const foray_model *model = s->model;
    size_t raw = (size_t)(model->horizon * model->pairs) * sizeof(double);
    size_t value = (size_t)(model->horizon * model->states) * sizeof(double);
    size_t policy = (size_t)(model->horizon * model->states) * sizeof(int32_t);
    uint8_t *before = malloc(raw + value + policy);
    memcpy(before, s->errors->raw, raw);
    memcpy(before + raw, s->errors->value, value);
    memcpy(before + raw + value, s->errors->action, policy);
    fy_errors_sweep(s->errors);
    assert_memory_equal(before, s->errors->raw, raw);
    assert_memory_equal(before + raw, s->errors->value, value);
    assert_memory_equal(before + raw + value, s->errors->action, policy);
    free(before);
}

static void renewing_is_the_full_recursion(void **state)
{
    (void)state;
    static const char *const worlds[] = {
        "rooms:rows=1,cols=2,size=2,horizon=6", "grid:rows=3,cols=3,horizon=6",
        "riverswim:states=5,horizon=12", "mixture:states=7,actions=2,successors=5,dim=4,horizon=6"};
    for (int combination = 0; combination < 16; combination++) {
        foray_settings settings = tabular_settings(combination & 1);
        support_set_number(&settings, "pooled", combination >> 1 & 1);
        settings.radius_scale = combination & 1 ? 1e-6 : 0.02;
        tabular_stage s = tabular_set_world(worlds[combination >> 2], &settings);
        int64_t moved = 0;
        for (int64_t k = 0; k < 500; k++) {
            double before = fy_errors_mean(s.explorer);
            tabular_play(&s, false);
            assert_sweep_changes_nothing(&s);
            moved += fy_errors_mean(s.explorer) != before;
        }
        assert_true(moved > 100); /* changes did reach the first step */
        tabular_clear(&s);
    }
}

/* Doubling with growth 0 plans in full in every episode: the same episodes. */
static void doubling_can_be_every_episode(void **state)
{
    (void)state;
    for (int algorithm = 0; algorithm < TABULAR_ALGORITHMS; algorithm++) {
        foray_settings settings = tabular_settings(algorithm);
        settings.radius_scale = algorithm == 0 ? 0.02 : 1e-4;
        tabular_stage every = tabular_set_world("chain:states=9,zones=1,horizon=8", &settings);
        settings.replan = FORAY_REPLAN_DOUBLING;
        settings.replan_growth = 0.0;
        tabular_stage full = tabular_set_world("chain:states=9,zones=1,horizon=8", &settings);
        size_t bytes = (size_t)(every.errors->counts->layers * every.errors->counts->transitions) *
                       sizeof(double);
        for (int64_t k = 0; k < 300; k++) {
            tabular_play(&every, false);
            tabular_play(&full, false);
            assert_memory_equal(every.errors->counts->followed, full.errors->counts->followed,
                                bytes);
            assert_true(fy_errors_mean(every.explorer) == fy_errors_mean(full.explorer));
        }
        tabular_clear(&every);
        tabular_clear(&full);
    }
}

/* Doubling: few plans, a bound that is up to date all the same, and a state that saves
 * what the counts do not tell. */
static void doubling_plans_seldom(void **state)
{
    (void)state;
    foray_settings settings = tabular_settings(0);
    settings.replan = FORAY_REPLAN_DOUBLING;
    settings.radius_scale = 0.05;
    tabular_stage s = tabular_set_world("chain:states=5,zones=1,horizon=5", &settings);
    tabular_stage again = tabular_set_world("chain:states=5,zones=1,horizon=5", &settings);
    uint8_t *data;
    size_t size;
    for (int64_t k = 0; k < 2000; k++)
        tabular_play(&s, false);
    tabular_recompute(&s.oracle);
    assert_near(fy_errors_mean(s.explorer), tabular_mean(&s.oracle), 1e-9);
    assert_in_range(s.explorer->plans, 10, 400);
    support_ok(s.ctx, foray_explorer_save(s.explorer, &data, &size));
    support_ok(again.ctx, foray_explorer_load(again.explorer, data, size));
    assert_memory_equal(s.errors->action, again.errors->action,
                        (size_t)(s.model->horizon * s.model->states) * sizeof(int32_t));
    free(data);
    tabular_clear(&s);
    tabular_clear(&again);
}

/* Saved, loaded elsewhere and continued: the same bytes as without the break. What was
 * saved with other options is refused. */
static void resumes_with_every_option(void **state)
{
    (void)state;
    static const int replans[] = {FORAY_REPLAN_EVERY, FORAY_REPLAN_DOUBLING};
    const char world[] = "chain:states=5,zones=1,horizon=5";
    for (int combination = 0; combination < 8; combination++) {
        foray_settings settings = tabular_settings(combination & 1);
        settings.radius_scale = combination & 1 ? 1e-6 : 0.02;
        support_set_number(&settings, "pooled", combination >> 1 & 1);
        settings.replan = replans[combination >> 2];
        tabular_stage first = tabular_set_world(world, &settings),
                      second = tabular_set_world(world, &settings);
        support_set_number(&settings, "pooled", !support_own(&settings, "pooled"));
        tabular_stage pooled = tabular_set_world(world, &settings);
        support_set_number(&settings, "pooled", !support_own(&settings, "pooled"));
        settings.replan = replans[1 - (combination >> 2)];
        tabular_stage planned = tabular_set_world(world, &settings);
        uint8_t *data, *other;
        size_t size, other_size;
        assert_true(truth_play(first.explorer, first.world, 77));
        support_ok(first.ctx, foray_explorer_save(first.explorer, &data, &size));
        support_ok(second.ctx, foray_explorer_load(second.explorer, data, size));
        assert_int_equal(foray_explorer_load(pooled.explorer, data, size), FORAY_ERROR_RUN);
        assert_int_equal(foray_explorer_load(planned.explorer, data, size), FORAY_ERROR_RUN);
        free(data);
        assert_true(truth_play(first.explorer, first.world, 77));
        assert_true(truth_play(second.explorer, second.world, 77));
        support_ok(first.ctx, foray_explorer_save(first.explorer, &data, &size));
        support_ok(second.ctx, foray_explorer_save(second.explorer, &other, &other_size));
        assert_int_equal(size, other_size);
        assert_memory_equal(data, other, size);
        free(data);
        free(other);
        tabular_clear(&first);
        tabular_clear(&second);
        tabular_clear(&pooled);
        tabular_clear(&planned);
    }
}

/* --------------------------------------------------------------- bound and truth */

/* The largest |V^^pi(mu) - V^pi(mu)| over random policies and rewards of 0 and 1. */
static double true_error(const tabular_stage *s, support_random *random)
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
static bool laws_are_covered(const tabular_stage *s)
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
    foray_settings settings = tabular_settings(algorithm);
    settings.seed = seed;
    settings.radius_scale = scale;
    foray_context *ctx = foray_context_create();
    support_sizes sizes = {.states = 3, .actions = 2, .horizon = 3, .successors = 3};
    tabular_stage s = tabular_set_stage(
        ctx, support_model(ctx, SUPPORT_TABULAR, sizes, (uint64_t)seed), &settings);
    support_random random = {.seed = (uint64_t)seed};
    bool wrong = false;
    for (int64_t k = 1; k <= 256; k++) {
        tabular_play(&s, false);
        if ((k & (k - 1)) != 0)
            continue;
        tabular_recompute(&s.oracle);
        wrong |= true_error(&s, &random) > tabular_error(&s.oracle) + 1e-12;
        if (algorithm == 0)
            wrong |= !laws_are_covered(&s);
    }
    tabular_clear(&s);
    return wrong;
}

/* With probability 1 - delta all claims of a run are true; and claims that are far too
 * bold are noticed, so that the first half means something. */
static void bounds_hold(void **state)
{
    (void)state;
    enum { RUNS = 100 };
    static const double bold[] = {0.05, 1e-9};
    for (int algorithm = 0; algorithm < TABULAR_ALGORITHMS; algorithm++) {
        int64_t wrong = 0, caught = 0;
        for (int64_t seed = 1; seed <= RUNS; seed++) {
            wrong += is_wrong(algorithm, seed, 1.0);
            caught += is_wrong(algorithm, seed, bold[algorithm]);
        }
        assert_true(wrong <= truth_max_failures(RUNS, tabular_settings(algorithm).delta));
        assert_true(caught > RUNS / 2);
    }
}

/* ------------------------------------------------------------------ stopping rule */

/* The paper's rule, from the oracle, is met in the same episode as bound <= eps. */
static void stops_as_the_paper_says(void **state)
{
    (void)state;
    for (int algorithm = 0; algorithm < TABULAR_ALGORITHMS; algorithm++) {
        double eps = 1.0;
        foray_settings settings = tabular_settings(algorithm);
        settings.radius_scale = algorithm == 0 ? 0.3 : 1e-4;
        tabular_stage s = tabular_set_world("chain:states=3,zones=1,horizon=3", &settings);
        int64_t k = 0;
        for (bool met = false; !met; k++) {
            foray_certificate bound;
            tabular_recompute(&s.oracle);
            met = tabular_error(&s.oracle) <= eps / 2;
            support_ok(s.ctx, foray_explorer_bound(s.explorer, FORAY_KIND_PAIR, &bound));
            assert_int_equal(bound.gap <= eps, met);
            assert_true(k < 5000);
            if (!met)
                tabular_play(&s, false);
        }
        assert_true(k > 20);
        tabular_clear(&s);
    }
}

/* A run with that target ends at the first look after the rule is met. */
static void runs_stop_at_their_target(void **state)
{
    (void)state;
    foray_settings settings = tabular_settings(0);
    settings.until = 2.0;
    settings.episodes = 1000000;
    char *directory = support_directory(), path[4096];
    snprintf(path, sizeof path, "%s/target.foray", directory);
    tabular_stage s = tabular_set_world("chain:states=3,zones=1,horizon=3", &settings);
    foray_run *run;
    support_ok(s.ctx, foray_run_create(s.ctx, path, FORAY_RUN_NEW, s.model, "", &settings, &run));
    support_ok(s.ctx, foray_run_explore(run, 1, &s.world, NULL, NULL));
    support_ok(s.ctx, foray_explorer_certify_by(s.explorer, FORAY_RADIUS_LIKELIHOOD));
    foray_certificate bound = {.gap = INFINITY};
    int64_t first = 0;
    for (; bound.gap > settings.until; first++) {
        assert_true(truth_play(s.explorer, s.world, 1));
        support_ok(s.ctx, foray_explorer_bound(s.explorer, FORAY_KIND_PAIR, &bound));
    }
    assert_in_range(foray_run_saved(run), first, first + first / 9 + 1);
    support_ok(s.ctx, foray_explorer_bound(foray_run_explorer(run), FORAY_KIND_PAIR, &bound));
    assert_true(bound.gap <= settings.until && bound.status == FORAY_CERTIFIED);
    foray_run_close(run);
    support_remove(directory);
    tabular_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_textbook),
        cmocka_unit_test(follows_the_textbook_when_tiny),
        cmocka_unit_test(renewing_is_the_full_recursion),
        cmocka_unit_test(doubling_can_be_every_episode),
        cmocka_unit_test(doubling_plans_seldom),
        cmocka_unit_test(resumes_with_every_option),
        cmocka_unit_test(bounds_hold),
        cmocka_unit_test(stops_as_the_paper_says),
        cmocka_unit_test(runs_stop_at_their_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
