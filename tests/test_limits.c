/* test_limits.c - plans within limits: equal to linear programs over occupation measures where
 * theta is known, and attacked by laws of the set where it is not; claims that are wrong are found
 * to be.
 */
#include "support_tradeoff.h"
#include "tradeoff/limits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits about what random policies have: some are slack, some bind, some cannot be kept. */
static void draw_bounds(trade_scene *it, trade_law law, double *bound)
{
    int32_t action[TRADE_STEPS * TRADE_STATES];
    for (int64_t i = 1; i < it->count; i++) {
        double weight[TRADE_REWARDS] = {0}, u;
        for (int64_t k = 0; k < it->model->horizon * it->model->states; k++)
            action[k] = (int32_t)support_below(&it->random, it->model->actions);
        weight[i] = it->weigher->sign[i];
        u = it->weigher->sign[i] * trade_value(it, law, i, action);
        double part = 1.2 * support_uniform(&it->random);
        bound[i - 1] = u + part * (trade_best(it, law, weight) - u);
    }
}

/* u_i of a mixture under a law. */
static double value_of(const trade_scene *it, trade_law law, const fy_limits *found, int64_t i)
{
    double sum = 0;
    for (int64_t k = 0; k < found->mixture.count; k++)
        sum += found->mixture.share[k] *
               trade_value(it, law, i, found->policy[found->mixture.which[k]].action);
    return it->weigher->sign[i] * sum;
}

static const double signs[4][TRADE_REWARDS] = {
    {1, 1, 1, 1}, {1, -1, 1, -1}, {-1, 1, -1, 1}, {1, 1, -1, -1}};

/* ------------------------------------------------------------------------- known */

static void test_known(void **state)
{
    (void)state;
    int64_t kept = 0, impossible = 0, undecided = 0;
    for (uint64_t seed = 0; seed < 1500; seed++) {
        trade_scene *it = trade_make(seed, 2 + (int64_t)(seed % 3), 0, signs[seed / 3 % 4]);
        double bound[TRADE_REWARDS], best;
        fy_limits found;
        trade_law law;
        trade_law_of(it, it->model->theta, law);
        draw_bounds(it, law, bound);
        support_ok(it->ctx, fy_limits_find(support_arena(it->ctx), it->weigher, bound, &found));
        bool feasible = trade_exact(it, law, bound, &best);
        if (found.outcome == FORAY_LIMITS_KEPT) {
            double value = value_of(it, law, &found, 0);
            kept++;
            assert_true(feasible);
            assert_true(fabs(value - best) < 1e-6 && found.loss < 1e-6);
            assert_true(best - value <= found.loss + 1e-8);
            assert_true(found.mixture.count <= it->count + 1);
            for (int64_t i = 1; i < it->count; i++)
                assert_true(value_of(it, law, &found, i) >= bound[i - 1] - 1e-9);
        }
        impossible += found.outcome == FORAY_LIMITS_IMPOSSIBLE;
        undecided += found.outcome == FORAY_LIMITS_UNDECIDED;
        assert_true(found.outcome != FORAY_LIMITS_IMPOSSIBLE || !feasible);
        trade_free(it);
    }
    print_message("kept %d impossible %d undecided %d\n", (int)kept, (int)impossible,
                  (int)undecided);
    assert_true(kept > 500 && impossible > 100 && undecided == 0);
}

/* --------------------------------------------------------------------------- attack */

typedef struct score {
    int64_t checks, violations, kept, impossible, undecided;
    int64_t no_slack, by_estimate; /* controls */
    double tightest;
} score;

/* What the wrong versions would say. */
typedef struct wrongs {
    double no_slack;  /* sum mu_k D(pi_k; r_lam) alone, of u_0 */
    bool by_estimate; /* the limits are kept under the centre */
} wrongs;

static wrongs claim_wrongly(trade_scene *it, const fy_limits *found, const double *bound)
{
    wrongs wrong = {.by_estimate = true};
    double weight[TRADE_REWARDS];
    weight[0] = 1 / it->weigher->scale[0];
    for (int64_t i = 1; i < it->count; i++)
        weight[i] = found->lambda[i - 1] / it->weigher->scale[i];
    support_ok(it->ctx, fy_weigher_set(it->weigher, weight));
    for (int64_t k = 0; k < found->mixture.count; k++)
        wrong.no_slack +=
            found->mixture.share[k] * it->weigher->scale[0] *
            fy_weigher_loss(it->weigher, found->policy[found->mixture.which[k]].action);
    for (int64_t i = 1; i < it->count; i++) {
        double sum = 0;
        for (int64_t k = 0; k < found->mixture.count; k++)
            sum += found->mixture.share[k] * found->policy[found->mixture.which[k]].value[i];
        wrong.by_estimate &= sum >= bound[i - 1] - 1e-9;
    }
    return wrong;
}

static void check_law(trade_scene *it, const fy_limits *found, const double *bound,
                      const wrongs *wrong, const double *theta, score *to)
{
    static const double off = 1e-6; /* of linear programs */
    double best;
    trade_law law;
    trade_law_of(it, theta, law);
    bool feasible = trade_exact(it, law, bound, &best), within = true;
    to->checks++;
    if (found->outcome == FORAY_LIMITS_IMPOSSIBLE) {
        to->violations += feasible;
        return;
    }
    for (int64_t i = 0; i < it->count; i++) {
        double u = value_of(it, law, found, i);
        to->checks += 2;
        to->violations += u < found->low[i] - 1e-9 || u > found->high[i] + 1e-9;
        within &= i == 0 || u >= bound[i - 1] - 1e-9;
    }
    to->by_estimate += wrong->by_estimate && !within;
    if (found->outcome != FORAY_LIMITS_KEPT)
        return;
    to->violations += !within;
    if (!feasible) {
        to->violations++; /* the mixture is within the limits */
        return;
    }
    double loss = best - value_of(it, law, found, 0);
    to->checks++;
    to->violations += loss > found->loss + off;
    to->no_slack += loss > wrong->no_slack + off;
    if (found->loss > 1e-3)
        to->tightest = fmax(to->tightest, loss / found->loss);
}

/* Laws that climb: what the mixture loses, or how far it is below a limit, or what the limits
 * leave. */
static double aim(trade_scene *it, const fy_limits *found, const double *bound, int which,
                  const double *theta)
{
    double best;
    trade_law law;
    trade_law_of(it, theta, law);
    if (which == 0 && found->outcome == FORAY_LIMITS_KEPT)
        return trade_exact(it, law, bound, &best) ? best - value_of(it, law, found, 0) : 0;
    if (found->outcome == FORAY_LIMITS_IMPOSSIBLE) {
        double weight[TRADE_REWARDS] = {0};
        for (int64_t i = 1; i < it->count; i++)
            weight[i] = found->lambda[i - 1] * it->weigher->sign[i] / it->weigher->scale[i];
        return trade_best(it, law, weight);
    }
    int64_t i = 1 + which % (it->count - 1);
    return bound[i - 1] - value_of(it, law, found, i);
}

static void climb(trade_scene *it, const fy_limits *found, const double *bound, int64_t tries,
                  score *to)
{
    const wrongs wrong = claim_wrongly(it, found, bound);
    double theta[TRADE_THETA], other[TRADE_THETA];
    for (int which = 0; which < 2; which++) {
        double most = -INFINITY;
        support_law_centre(it->certifier, theta);
        for (int64_t i = 0; i < tries; i++) {
            support_law_move(it->certifier, &it->random, theta, other);
            if (!support_law_inside(it->certifier, other))
                continue;
            check_law(it, found, bound, &wrong, other, to);
            double value = aim(it, found, bound, which, other);
            if (value > most) {
                most = value;
                memcpy(theta, other, sizeof theta);
            }
        }
    }
}

static score attack(uint64_t from, uint64_t seeds, int64_t tries)
{
    score sum = {0};
    for (uint64_t seed = from; seed < from + seeds; seed++) {
        trade_scene *it = trade_make(seed, 2 + (int64_t)(seed % 3), 1, signs[seed / 3 % 4]);
        double theta[TRADE_THETA], bound[TRADE_REWARDS];
        trade_law centre;
        fy_limits found;
        support_law_centre(it->certifier, theta);
        trade_law_of(it, theta, centre);
        draw_bounds(it, centre, bound);
        support_ok(it->ctx, fy_limits_find(support_arena(it->ctx), it->weigher, bound, &found));
        sum.kept += found.outcome == FORAY_LIMITS_KEPT;
        sum.impossible += found.outcome == FORAY_LIMITS_IMPOSSIBLE;
        sum.undecided += found.outcome == FORAY_LIMITS_UNDECIDED;
        climb(it, &found, bound, tries, &sum);
        trade_free(it);
    }
    print_message("checks %lld violations %lld, kept %d impossible %d undecided %d, tightest %.4f; "
                  "controls: no slack %lld, by the estimate %lld\n",
                  (long long)sum.checks, (long long)sum.violations, (int)sum.kept,
                  (int)sum.impossible, (int)sum.undecided, sum.tightest, (long long)sum.no_slack,
                  (long long)sum.by_estimate);
    return sum;
}

static void test_laws(void **state)
{
    (void)state;
    const char *more = getenv("FORAY_ATTACK");
    score sum = attack(0, more ? strtoull(more, NULL, 10) : 300, 40);
    assert_int_equal(sum.violations, 0);
    assert_true(sum.kept > 50 && sum.impossible > 5 && sum.undecided > 20);
    assert_true(sum.tightest > 0.6 && sum.no_slack > 20 && sum.by_estimate > 20);
}

/* Every allocation fails in turn. */
static void test_memory(void **state)
{
    (void)state;
    trade_scene *it = trade_make(11, 3, 1, signs[0]);
    double bound[2] = {-100, -100}; /* anything is within */
    foray_status status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        fy_arena arena = {.ctx = it->ctx};
        fy_limits found;
        it->ctx->allocations_left = left;
        status = fy_limits_find(&arena, it->weigher, bound, &found);
        assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
        assert_true(status != FORAY_OK || found.outcome == FORAY_LIMITS_KEPT);
        fy_arena_release(&arena);
    }
    it->ctx->allocations_left = -1;
    trade_free(it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known), cmocka_unit_test(test_laws),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
