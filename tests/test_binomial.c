/* test_binomial.c - exact intervals of probabilities, against binomial sums. */
#include "measure/measure.h"
#include "support.h"

#include <math.h>

/* P(X = k) of n trials. */
static double term(int64_t n, int64_t k, double p)
{
    if (p <= 0 || p >= 1)
        return (p <= 0 ? k == 0 : k == n) ? 1 : 0;
    return exp(lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1) +
               (double)k * log(p) + (double)(n - k) * log1p(-p));
}

/* P(from <= X <= to), term by term. */
static double sum(int64_t n, int64_t from, int64_t to, double p)
{
    double total = 0;
    for (int64_t k = from; k <= to; k++)
        total += term(n, k, p);
    return total;
}

static void beta_is_a_tail(void **state)
{
    (void)state;
    static const double p[] = {1e-9, 0.001, 0.1, 0.37, 0.5, 0.9, 0.9999};
    for (int64_t n = 1; n <= 40; n += 3)
        for (int64_t s = 1; s <= n; s++)
            for (size_t i = 0; i < sizeof p / sizeof *p; i++) {
                double expected = sum(n, s, n, p[i]);
                double found = fy_incomplete_beta(p[i], (double)s, (double)(n - s + 1));
                assert_true(fabs(found - expected) <= 1e-12);
            }
    assert_true(fy_incomplete_beta(0, 2, 3) == 0 && fy_incomplete_beta(1, 2, 3) == 1);
    assert_true(fabs(fy_incomplete_beta(0.25, 1, 1) - 0.25) < 1e-15);
    assert_true(fabs(fy_incomplete_beta(0.25, 0.5, 0.5) - 1.0 / 3) < 1e-14); /* arcsine law */
}

/* Both ends are where the tails have the probability they should. */
static void ends_have_their_tails(void **state)
{
    (void)state;
    static const int64_t trials[] = {1, 2, 7, 20, 100, 1000};
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
        for (int64_t n = trials[i], s = 0; s <= n; s += n > 50 ? n / 50 : 1) {
            fy_interval at = fy_binomial_interval(n, s, 0.95);
            assert_true(at.low < at.high && at.low >= 0 && at.high <= 1);
            if (s > 0)
                assert_true(fabs(sum(n, s, n, at.low) - 0.025) < 1e-9);
            else
                assert_true(at.low == 0);
            if (s < n)
                assert_true(fabs(sum(n, 0, s, at.high) - 0.025) < 1e-9);
            else
                assert_true(at.high == 1);
        }
}

/* Values that tables print, and the closed form without a success. */
static void known_values(void **state)
{
    (void)state;
    fy_interval at = fy_binomial_interval(10, 3, 0.95);
    assert_true(fabs(at.low - 0.06673951) < 1e-8 && fabs(at.high - 0.65245285) < 1e-8);
    at = fy_binomial_interval(100, 10, 0.95);
    assert_true(fabs(at.low - 0.0490046) < 1e-6 && fabs(at.high - 0.1762226) < 1e-6);
    for (int64_t n = 1; n < 3000; n *= 3) {
        at = fy_binomial_interval(n, 0, 0.9);
        assert_true(fabs(at.high - (1 - pow(0.05, 1 / (double)n))) < 1e-14);
    }
}

/* The definition: whatever p, the intervals of all outcomes that miss it have together at
 * most the probability 1 - confidence. Tails of equal size give each at most half. */
static void intervals_cover(void **state)
{
    (void)state;
    enum { N = 30 };
    for (double p = 0.01; p < 1; p += 0.01) {
        double below = 0, above = 0;
        for (int64_t s = 0; s <= N; s++) {
            fy_interval at = fy_binomial_interval(N, s, 0.9);
            below += at.high < p ? term(N, s, p) : 0;
            above += at.low > p ? term(N, s, p) : 0;
        }
        assert_true(below <= 0.05 + 1e-9 && above <= 0.05 + 1e-9);
        assert_true(below + above > 0.001); /* they are not just all of [0,1] */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beta_is_a_tail),
        cmocka_unit_test(ends_have_their_tails),
        cmocka_unit_test(known_values),
        cmocka_unit_test(intervals_cover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
