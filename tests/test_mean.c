/* test_mean.c - bounds of means by betting on counts: widths that were computed elsewhere, how
 * often they fail at delta 0.5 whatever the law and whenever one looks, and controls that fail
 * more. */
#include "learn/mean.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 16, DRAWS = 1000 };

typedef struct law {
    const char *name;
    int values;
    double value[MOST_VALUES], probability[MOST_VALUES];
} law;

static const law laws[] = {
    {"one in twenty", 2, {0, 1}, {0.95, 0.05}},
    {"a coin", 2, {0, 1}, {0.5, 0.5}},
    {"five values", 5, {0, 0.25, 0.5, 0.75, 1}, {0.2, 0.2, 0.2, 0.2, 0.2}},
    {"in the middle", 3, {0.45, 0.5, 0.55}, {0.3, 0.4, 0.3}},
    {"rarely much", 3, {0, 0.1, 1}, {0.6, 0.39, 0.01}},
    {"always nothing", 1, {0}, {1}},
};

static double mean_of(const law *l)
{
    double mean = 0;
    for (int i = 0; i < l->values; i++)
        mean += l->probability[i] * l->value[i];
    return mean;
}

static void draw(const law *l, support_random *random, fy_drawn_value *seen)
{
    double u = support_uniform(random);
    int i = 0;
    while (i < l->values - 1 && (u -= l->probability[i]) >= 0)
        i++;
    seen[i].count++;
}

static void begin(const law *l, fy_drawn_value *seen)
{
    for (int i = 0; i < l->values; i++)
        seen[i] = (fy_drawn_value){l->value[i], l->value[i], 0};
}

/* log K(m) of one bet, for controls. */
static double bet(const law *l, const fy_drawn_value *seen, double size, double m)
{
    double sum = 0;
    for (int i = 0; i < l->values; i++)
        sum += (double)seen[i].count * log(1 - size + size * seen[i].low / m);
    return sum;
}

/* The mean is refuted by the bet that was best in hindsight, from below or from above. */
static bool hindsight_fails(const law *l, const fy_drawn_value *seen, double share)
{
    law mirror = *l;
    fy_drawn_value other[MOST_VALUES];
    double best = 0, m = mean_of(l);
    for (int i = 0; i < l->values; i++)
        other[i] = (fy_drawn_value){1 - seen[i].low, 1 - seen[i].low, seen[i].count};
    for (double size = 0.999; size > 0.005 && m > 0; size *= 0.9) {
        best = fmax(best, bet(l, seen, size, m));
        best = fmax(best, bet(&mirror, other, size, 1 - m));
    }
    return best >= log(2 / share);
}

static bool hoeffding_fails(const law *l, const fy_drawn_value *seen, double share)
{
    double n = 0, sum = 0;
    for (int i = 0; i < l->values; i++) {
        n += (double)seen[i].count;
        sum += (double)seen[i].count * seen[i].low;
    }
    return fabs(sum / n - mean_of(l)) > sqrt(log(2 / share) / (2 * n));
}

static bool bounds_fail(const law *l, const fy_drawn_value *seen, double share)
{
    double low = 0, high = 1, mean = mean_of(l);
    fy_mean_bounds(l->values, seen, share, &low, &high);
    return mean < low - 1e-12 || mean > high + 1e-12;
}

typedef bool failing(const law *l, const fy_drawn_value *seen, double share);

/* How many of so many runs fail at some time; looked at after 1, 2, 3, 4, 5, 6, 8, 10, ... draws.
 */
static int64_t failed_runs(const law *l, failing *fails, int64_t runs)
{
    int64_t failed = 0;
    for (int64_t run = 0; run < runs; run++) {
        support_random random = {(uint64_t)run, 11};
        fy_drawn_value seen[MOST_VALUES];
        bool bad = false;
        begin(l, seen);
        for (int n = 1, next = 1; n <= DRAWS && !bad; n++) {
            draw(l, &random, seen);
            if (n < next)
                continue;
            bad = fails(l, seen, 0.5);
            next = n < 6 ? n + 1 : n * 5 / 4;
        }
        failed += bad;
    }
    return failed;
}

static int64_t runs_wanted(int64_t usual)
{
    const char *more = getenv("FORAY_ATTACK");
    return more ? usual * strtoll(more, NULL, 10) : usual;
}

/* Of runs that fail with probability 0.5 at most, more than half and five deviations do not by
 * chance but once in 10^6. */
static void test_coverage(void **state)
{
    (void)state;
    int64_t runs = runs_wanted(200);
    double most = 0.5 * (double)runs + 5 * sqrt(0.25 * (double)runs);
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        int64_t failed = failed_runs(&laws[i], bounds_fail, runs);
        print_message("%-16s %d of %d\n", laws[i].name, (int)failed, (int)runs);
        assert_true((double)failed <= most);
        assert_true((double)failed <= 0.25 * (double)runs); /* as measured: far fewer */
    }
}

static void test_controls(void **state)
{
    (void)state;
    int64_t hindsight = failed_runs(&laws[1], hindsight_fails, 400);
    int64_t fixed = failed_runs(&laws[1], hoeffding_fails, 400);
    print_message("the best bet in hindsight %d of 400, Hoeffding at all times %d\n",
                  (int)hindsight, (int)fixed);
    assert_true(hindsight > 140 && fixed > 220);
}

/* Widths at share 0.1/100, of as many ones and zeros as are expected. */
static void test_widths(void **state)
{
    (void)state;
    static const struct {
        int64_t ones, zeros;
        double most;
    } rows[] = {
        {50, 50, 0.45}, {500, 500, 0.15}, {5000, 5000, 0.048}, {0, 100, 0.11}, {0, 10000, 0.0012}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const fy_drawn_value seen[] = {{0, 0, rows[i].zeros}, {1, 1, rows[i].ones}};
        double low = 0, high = 1;
        fy_mean_bounds(2, seen, 0.001, &low, &high);
        double mean = (double)rows[i].ones / (double)(rows[i].ones + rows[i].zeros);
        print_message("%d %d: %.5f\n", (int)rows[i].ones, (int)rows[i].zeros, high - low);
        assert_true(high - low < rows[i].most && high - low > rows[i].most * 0.8);
        assert_true(low <= mean && mean <= high);
    }
}

/* Another range, rounded numbers, nothing at all, numbers of which one end is all there is. */
static void test_forms(void **state)
{
    (void)state;
    const fy_drawn_value seen[] = {{0, 0, 70}, {1, 1, 30}}, scaled[] = {{-3, -3, 70}, {7, 7, 30}};
    const fy_drawn_value coarse[] = {{-3.1, -2.9, 70}, {6.9, 7, 30}};
    double low = 0, high = 1, other_low = -3, other_high = 7, wide_low = -3.1, wide_high = 7;
    fy_mean_bounds(2, seen, 0.01, &low, &high);
    fy_mean_bounds(2, scaled, 0.01, &other_low, &other_high);
    fy_mean_bounds(2, coarse, 0.01, &wide_low, &wide_high);
    assert_true(fabs(other_low - (-3 + 10 * low)) < 1e-9 &&
                fabs(other_high - (-3 + 10 * high)) < 1e-9);
    assert_true(wide_low < other_low && wide_high > other_high);
    double nothing_low = -1, nothing_high = 2;
    fy_mean_bounds(0, NULL, 0.01, &nothing_low, &nothing_high);
    assert_true(nothing_low == -1 && nothing_high == 2);
    const fy_drawn_value least[] = {{-3, -3, 1000}};
    double at_low = -3, at_high = 7;
    fy_mean_bounds(1, least, 0.01, &at_low, &at_high);
    assert_true(at_low == -3 && at_high < -2.8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_controls),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
