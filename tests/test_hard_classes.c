/* test_hard_classes.c - the two hard classes: bounds, packings, worlds, trials. */
#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "experiments/lowerbound.h"

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.17g is not %.17g", value, expected);
}

/* -------------------------------------------------------------------------- bounds */

/* Worked out by hand, with log 2 = 0.69314718055994530942. */
static void packing_bounds_are_those_worked_out_by_hand(void **state)
{
    static const struct {
        int64_t dim, horizon;
        double eps, delta, bound;
    } cases[] = {
        /* (1/2)^-2/128 (13 * 1/2 - log 2) = (6.5 - log 2)/32 */
        {257, 2, 0.5, 0.5, 0.18146415060750171},
        /* 81/(128/100) (1 * 0.9 - log 2) */
        {65, 10, 0.1, 0.1, 13.089904980190964},
        /* 9/(128 * 0.050625) (1.9375 * 0.9 - log 2) */
        {80, 4, 0.225, 0.1, 1.4591705825556316},
        /* (0 - log 2)/128 */
        {49, 2, 1, 0.1, -0.0054152123481245728},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fy_hard_class hard = {FY_HARD_PACKING, cases[i].dim, cases[i].horizon, cases[i].eps,
                              cases[i].delta};
        assert_near(fy_hard_class_bound(&hard), cases[i].bound);
    }
}

/* The theorem is stated from d = 50 on; where it says something is another matter. */
static void packing_bounds_are_vacuous_below_61_to_72(void **state)
{
    (void)state;
    assert_int_equal(fy_hard_class_min_dim(1e-9), 61);
    assert_int_equal(fy_hard_class_min_dim(0.5), 72);
    for (double delta = 0.01; delta < 0.5; delta += 0.01) {
        int64_t min = fy_hard_class_min_dim(delta);
        fy_hard_class at = {FY_HARD_PACKING, min, 10, 0.1, delta}, below = at;
        below.dim--;
        assert_true(min >= 61 && min <= 72);
        assert_true(fy_hard_class_bound(&at) > 0 && fy_hard_class_bound(&below) <= 0);
    }
}

/* log C(n,k) p^k (1-p)^(n-k) */
static double log_binomial(int64_t n, int64_t k, double p)
{
    return lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1) +
           (double)k * log(p) + (double)(n - k) * log1p(-p);
}

/* With d = 2 the two actions show the same coin from its two sides, so that nothing
 * beats the likelihood ratio of K throws of one of them: it is right with probability
 * (1/2) sum_k max{P(k | 1/6 + D), P(k | 1/6 - D)}. */
static double best_success(int64_t throws, double advantage)
{
    double sum = 0;
    for (int64_t k = 0; k <= throws; k++)
        sum += 0.5 * exp(fmax(log_binomial(throws, k, 1.0 / 6 + advantage),
                              log_binomial(throws, k, 1.0 / 6 - advantage)));
    return sum;
}

/* The bound must hold for the best algorithm there is, which is known at d = 2. It is
 * not far off: a hundred times as many episodes are enough. */
static void hypercube_bounds_hold_for_the_best_strategy(void **state)
{
    (void)state;
    for (double delta = 0.02; delta < 0.24; delta += 0.02)
        for (int64_t episodes = 3; episodes < 4000; episodes = 2 * episodes + 1) {
            double advantage = sqrt(1.0 / 6 / (double)episodes) / (4 * sqrt(2));
            double eps = 9 * (1 - 4 * delta) / 2 * advantage;
            fy_hard_class hard = {FY_HARD_HYPERCUBE, 2, 10, eps, delta};
            assert_near(fy_hard_class_bound(&hard), (double)episodes);
            /* one sign is wrong: the gap is 2 (H-1) D > eps */
            assert_true(eps < 18 * advantage);
            assert_true(best_success(episodes, advantage) < 1 - delta);
            if (delta > 0.09)
                assert_true(best_success(100 * episodes, advantage) > 1 - delta);
        }
}

static void hypercube_bounds_end_where_the_theorem_does(void **state)
{
    (void)state;
    fy_hard_class hard = {FY_HARD_HYPERCUBE, 9, 4, 0, 0.1};
    hard.eps = fy_hard_class_max_eps(&hard);
    assert_near(hard.eps, 0.0375);
    assert_near(fy_hard_class_bound(&hard), 192);
    hard.eps *= 1.001;
    assert_true(isnan(fy_hard_class_bound(&hard)));
    hard.delta = 0.25;
    assert_true(isnan(fy_hard_class_bound(&hard)));
}

/* -------------------------------------------------------------------------- worlds */

static foray_model *model_of(foray_context *ctx, const fy_hard_class *hard, int64_t member)
{
    foray_model *model = NULL;
    if (fy_hard_class_model(ctx, hard, member, &model) != FORAY_OK)
        fail_msg("%s", foray_message(ctx));
    return model;
}

static int64_t inner_product(const char *one, const char *other)
{
    int64_t sum = 0;
    for (; *one; one++, other++)
        sum += *one == *other ? 1 : -1;
    return sum;
}

/* Enough members for the theorem, any two of them far enough apart. */
static void members_are_a_packing(void **state)
{
    static const int64_t dims[] = {61, 72, 80, 96};
    foray_context *ctx = *state;
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
        fy_hard_class hard = {FY_HARD_PACKING, dims[i], 4, 0.225, 0.1};
        foray_model *model = model_of(ctx, &hard, 0);
        int64_t members = foray_model_actions(model);
        assert_true((double)members >= exp((double)(dims[i] - 1) / 16));
        assert_int_equal(members, fy_hard_class_members(&hard));
        for (int64_t a = 0; a < members; a++)
            for (int64_t b = 0; b < a; b++)
                assert_true(2 * inner_product(foray_model_action_name(model, a),
                                              foray_model_action_name(model, b)) <=
                            dims[i] - 1);
        foray_model_destroy(model);
    }
}

/* P(good|start,a) of the `j`-th successor that is `good`. */
static double chance_of_good(const foray_model *model, int64_t action)
{
    const int32_t *next;
    int64_t count = foray_model_successors(model, 0, action, &next);
    for (int64_t j = 0; j < count; j++)
        if (strcmp(foray_model_state_name(model, next[j]), "good") == 0)
            return foray_model_probability(model, foray_model_theta(model), 0, action, j);
    fail_msg("good cannot follow");
    return NAN;
}

/* (H-1) (P(good|x) - P(good|a)) >= eps (d-1)/d for a != x: a little less than eps, so that
 * the printed alpha is short of what the proof asks by a factor d/(d-1). */
static void wrong_actions_of_packings_lose_nearly_eps(void **state)
{
    foray_context *ctx = *state;
    fy_hard_class hard = {FY_HARD_PACKING, 80, 4, 0.225, 0.1};
    foray_model *model = model_of(ctx, &hard, 17);
    double best = chance_of_good(model, 17);
    for (int64_t a = 0; a < foray_model_actions(model); a++)
        if (a != 17)
            assert_true(3 * (best - chance_of_good(model, a)) >= 0.225 * 79 / 80 - 1e-12);
    foray_model_destroy(model);
}

/* P(good|start,a) = 1/6 + D <x,a> */
static void hypercube_is_as_documented(void **state)
{
    foray_context *ctx = *state;
    fy_hard_class hard = {FY_HARD_HYPERCUBE, 6, 4, 0.02, 0.1};
    double episodes = floor(fy_hard_class_bound(&hard));
    double advantage = sqrt(1.0 / 6 / episodes) / (4 * sqrt(2));
    foray_model *model = model_of(ctx, &hard, 21);
    assert_int_equal(foray_model_actions(model), 32);
    for (int64_t a = 0; a < 32; a++) {
        int64_t product =
            inner_product(foray_model_action_name(model, 21), foray_model_action_name(model, a));
        assert_true(fabs(chance_of_good(model, a) - 1.0 / 6 - advantage * (double)product) < 1e-14);
    }
    assert_int_equal(foray_model_check(ctx, model, NULL), FORAY_OK);
    foray_model_destroy(model);
}

/* -------------------------------------------------------------------------- trials */

static fy_hard_class_outcome try(foray_context *ctx, const fy_hard_class *hard, int64_t member,
                                 const foray_settings *settings)
{
    fy_hard_class_outcome outcome = {0};
    if (fy_hard_class_trial(ctx, hard, member, settings, FORAY_PLUGIN, &outcome) != FORAY_OK)
        fail_msg("%s", foray_message(ctx));
    return outcome;
}

/* Gaps are 2 (H-1) D times the number of wrong signs; success is a gap of at most eps. */
static void gaps_count_wrong_signs(void **state)
{
    foray_context *ctx = *state;
    fy_hard_class hard = {FY_HARD_HYPERCUBE, 9, 4, 0.0375, 0.1};
    double sign = 6 * sqrt(1.0 / 6 / 192) / (4 * sqrt(2));
    for (int64_t seed = 0; seed < 10; seed++) {
        foray_settings settings = support_settings("ucrl-rfe", 400, seed);
        fy_hard_class_outcome outcome = try(ctx, &hard, 11 * seed, &settings);
        double wrong = outcome.gap / sign;
        assert_true(fabs(wrong - rint(wrong)) < 1e-9);
        assert_true(outcome.found == (rint(wrong) == 0));
        assert_true(outcome.success == (outcome.gap <= 0.0375));
    }
}

/* Half the bound is hopeless, five hundred times the bound is plenty: sixteen trials all
 * succeed there but for a chance of 6e-4 (each sign is right by 4.3 standard deviations). */
static void success_needs_more_than_the_bound(void **state)
{
    foray_context *ctx = *state;
    fy_hard_class hard = {FY_HARD_HYPERCUBE, 5, 4, 0.0375, 0.1};
    int early = 0, late = 0;
    for (int64_t seed = 0; seed < 16; seed++) {
        foray_settings few = support_settings("ucrl-rfe", 24, seed);
        foray_settings many = support_settings("ucrl-rfe", 24000, seed);
        early += try(ctx, &hard, seed, &few).success;
        late += try(ctx, &hard, seed, &many).success;
    }
    assert_true(early <= 8);
    assert_int_equal(late, 16);
}

/* Algorithms that see the reward are given it; those that query any pair are played too. */
static void every_algorithm_can_be_tried(void **state)
{
    foray_context *ctx = *state;
    const char *name;
    fy_hard_class hard = {FY_HARD_HYPERCUBE, 3, 3, 0.02, 0.1};
    for (int64_t i = 0; (name = support_algorithm(i)); i++) {
        foray_settings settings = support_settings(name, 50, 1);
        fy_hard_class_outcome one = try(ctx, &hard, 2, &settings),
                              two = try(ctx, &hard, 2, &settings);
        assert_true(one.gap == two.gap && one.gap >= 0);
    }
}

static void failed_allocations_leave_nothing_behind(void **state)
{
    foray_context *ctx = *state;
    fy_hard_class hard = {FY_HARD_HYPERCUBE, 3, 3, 0.02, 0.1};
    foray_settings settings = support_settings("ucrl-rfe", 3, 1);
    fy_hard_class_outcome outcome;
    foray_status status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        ctx->allocations_left = left;
        status = fy_hard_class_trial(ctx, &hard, 1, &settings, FORAY_PLUGIN, &outcome);
        assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
    }
    ctx->allocations_left = -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packing_bounds_are_those_worked_out_by_hand),
        cmocka_unit_test(packing_bounds_are_vacuous_below_61_to_72),
        cmocka_unit_test(hypercube_bounds_hold_for_the_best_strategy),
        cmocka_unit_test(hypercube_bounds_end_where_the_theorem_does),
        support_test(members_are_a_packing),
        support_test(wrong_actions_of_packings_lose_nearly_eps),
        support_test(hypercube_is_as_documented),
        support_test(gaps_count_wrong_signs),
        support_test(success_needs_more_than_the_bound),
        support_test(every_algorithm_can_be_tried),
        support_test(failed_allocations_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
