/* test_theorem_bound.c - the theorem with its constants: each step of the proof is measured on
 * runs, and the number of episodes is the least one. */
#include "experiments/theorem.h"
#include "support.h"

#include <math.h>
#include <string.h>

static const char *const worlds[] = {
    "chain:states=3,zones=1,laws=1,horizon=2",
    "mixture:states=4,actions=2,successors=3,dim=2,horizon=3",
    "riverswim:states=3,horizon=4",
};
enum { WORLDS = sizeof worlds / sizeof *worlds };

/* The formula once more, in one piece, as docs/mathematics.md has it. */
static double formula(double H, double d, double B, double delta, double K)
{
    double beta = H * sqrt(d * log(3 * (1 + K * H * H * H * B * B) / delta)) + 1, squares = 0;
    double azuma = 0;
    for (double h = 1; h <= H; h++) {
        squares += (H - h) * (H - h);
        azuma += (H - h + 1) * (H - h + 1) / 2;
    }
    double D = d * log(1 + K * B * B * squares / d);
    return H / K *
           (4 * beta * (1 + 1 / H) * sqrt(K * (H - 1) * D) + D * H * (H + 1) / (2 * log(2)) +
            sqrt(K * azuma * log(3 / delta)));
}

static void gap_is_the_formula(void **state)
{
    (void)state;
    for (double H = 2; H <= 20; H++)
        for (double K = 10; K < 1e12; K *= 7) {
            fy_theorem_terms terms = {H, 3, 1.5, 0.1};
            double expected = formula(H, 3, 1.5, 0.1, K);
            assert_true(fabs(fy_theorem_bound_after(&terms, K, K).gap / expected - 1) < 1e-9);
        }
}

/* The least K: one episode fewer is not enough. */
static void episodes_are_the_least(void **state)
{
    (void)state;
    for (double H = 2; H <= 4; H++)
        for (double eps = 2; eps > 0.05; eps /= 2) {
            fy_theorem_terms terms = {H, 2, sqrt(2), 0.1};
            double K = fy_theorem_episodes(&terms, eps);
            assert_true(K == floor(K));
            assert_true(fy_theorem_bound_after(&terms, K, K).gap <= eps);
            assert_true(fy_theorem_bound_after(&terms, K - 1, K - 1).gap > eps);
            double plus = fy_theorem_plus_episodes(&terms, eps);
            assert_true(fy_theorem_plus_bound(&terms, plus) <= eps);
            assert_true(fy_theorem_plus_bound(&terms, plus - 1) > eps);
            assert_true(plus > 100 * K); /* its constants are large */
        }
}

/* Without the logarithms the exponents are those of the theorem: K grows like eps^-2 and,
 * since D and beta^2 are each proportional to d, like d^2; at large H like H^5. */
static void exponents_are_those_of_the_theorem(void **state)
{
    (void)state;
    fy_theorem_terms one = {50, 10, 1, 0.1}, wide = {50, 20, 1, 0.1}, longer = {100, 10, 1, 0.1};
    double K = fy_theorem_episodes(&one, 0.1);
    double in_eps = log2(fy_theorem_episodes(&one, 0.05) / K);
    double in_d = log2(fy_theorem_episodes(&wide, 0.1) / K);
    double in_H = log2(fy_theorem_episodes(&longer, 0.1) / K);
    assert_true(in_eps > 2 && in_eps < 2.2);
    assert_true(in_d > 2 && in_d < 2.2);
    assert_true(in_H > 5 && in_H < 5.6);
}

/* ------------------------------------------------------------------------- measured */

typedef struct record {
    const fy_theorem_terms *terms;
    double K, last_information, last_bonus;
    int64_t notes, covered;
} record;

/* Every step of the proof, on runs in which the confidence set held. */
static foray_status hold_proof(void *user, const fy_theorem_point *point)
{
    record *r = user;
    fy_theorem_bound promise = fy_theorem_bound_after(r->terms, r->K, (double)point->episode);
    r->notes++;
    assert_true(point->information <= promise.information);
    assert_true(point->information >= r->last_information); /* Sigma grows */
    if (!isnan(point->bonus)) {
        assert_true(point->bonus <= promise.bonus);
        assert_true(point->bonus > r->last_bonus);
        r->last_bonus = point->bonus;
    }
    if (point->distance <= 1) {
        r->covered++;
        assert_true(point->gap <= point->exploration + 1e-9);
        assert_true(point->exploration <= promise.gap);
        assert_true(point->gap <= point->bound + 1e-9);
    }
    r->last_information = point->information;
    return FORAY_OK;
}

static bool go_on(void *user, int64_t episode)
{
    (void)user;
    return episode < 5000;
}

static foray_settings literal(const char *algorithm, int64_t episodes)
{
    foray_settings settings;
    foray_settings_default(&settings);
    foray_settings_literal(&settings);
    memcpy(settings.algorithm, algorithm, strlen(algorithm) + 1);
    settings.clip = FORAY_CLIP_REMAINING; /* (1) and (3) of the proof need it */
    settings.episodes = episodes;
    return settings;
}

static void proof_holds_on_runs(void **state)
{
    (void)state;
    for (size_t w = 0; w < WORLDS; w++)
        for (int replan = FORAY_REPLAN_DOUBLING; replan <= FORAY_REPLAN_EVERY; replan++) {
            foray_context *ctx = foray_context_create();
            foray_model *model;
            fy_worst_search *search;
            foray_settings settings = literal("ucrl-rfe", 3000);
            settings.replan = replan;
            support_ok(ctx, foray_model_builtin(ctx, worlds[w], &model));
            support_ok(ctx, fy_worst_search_create(ctx, model, 4, 1, &search));
            fy_theorem_terms terms = fy_theorem_terms_of(model, settings.delta);
            record r = {.terms = &terms, .K = 3000};
            fy_theorem_listener listener = {hold_proof, go_on, &r};
            support_ok(ctx, fy_theorem_run(ctx, model, &settings, search, 2, &listener));
            assert_int_equal(r.notes, 15); /* 1, 2, 3, 6, 10, ..., 1778, 3000 */
            assert_true(r.covered > 0);
            fy_worst_search_destroy(search);
            foray_model_destroy(model);
            foray_context_destroy(ctx);
        }
}

static foray_status count(void *user, const fy_theorem_point *point)
{
    *(int64_t *)user = point->episode;
    return FORAY_OK;
}

/* It stops where it is told to, and cleans up after any allocation that fails. */
static void runs_stop_and_fail(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model;
    fy_worst_search *search;
    int64_t last = 0;
    fy_theorem_listener listener = {count, go_on, &last};
    support_ok(ctx, foray_model_builtin(ctx, worlds[0], &model));
    support_ok(ctx, fy_worst_search_create(ctx, model, 2, 1, &search));
    foray_settings settings = literal("ucrl-rfe+", 20000);
    assert_int_equal(fy_theorem_run(ctx, model, &settings, search, 1, &listener),
                     FORAY_INTERRUPTED);
    assert_int_equal(last, 5623);
    settings.episodes = 3;
    foray_status status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status == FORAY_ERROR_MEMORY; left++) {
        ctx->allocations_left = left;
        status = fy_theorem_run(ctx, model, &settings, search, 1, &listener);
    }
    ctx->allocations_left = -1;
    assert_int_equal(status, FORAY_OK);
    fy_worst_search_destroy(search);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gap_is_the_formula),
        cmocka_unit_test(episodes_are_the_least),
        cmocka_unit_test(exponents_are_those_of_the_theorem),
        cmocka_unit_test(proof_holds_on_runs),
        cmocka_unit_test(runs_stop_and_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
