/* test_maths.c - the portable mathematical functions against MPFR: some 680,000 arguments from
 * every range of exponents and from where each function is difficult, none of them off by 1 unit
 * in the last place (ulp). `test_maths` prints the worst of each area. */
#include "base/maths.h"
#include "support.h"

#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ------------------------------------------------------------ the measure of an error */

/* How far `found` is from an exact value, in ulps of the latter; infinity counts as 2^1024,
 * which is where doubles end. */
static double ulps(mpfr_srcptr exact, double found)
{
    if (mpfr_nan_p(exact) || isnan(found))
        return mpfr_nan_p(exact) && isnan(found) ? 0 : HUGE_VAL;
    if (mpfr_zero_p(exact) || mpfr_inf_p(exact))
        return found == mpfr_get_d(exact, MPFR_RNDN) ? 0 : HUGE_VAL;
    mpfr_exp_t exponent = mpfr_get_exp(exact);
    if (exponent > 1024 && isinf(found))
        return mpfr_sgn(exact) == (found > 0 ? 1 : -1) ? 0 : HUGE_VAL;
    mpfr_t error;
    mpfr_init2(error, 200);
    mpfr_set_d(error, isinf(found) ? copysign(0x1p1023, found) : found, MPFR_RNDN);
    if (isinf(found))
        mpfr_mul_2ui(error, error, 1, MPFR_RNDN);
    mpfr_sub(error, error, exact, MPFR_RNDN);
    mpfr_mul_2si(error, error, exponent < -1021 ? 1074 : 53 - exponent, MPFR_RNDN);
    double result = fabs(mpfr_get_d(error, MPFR_RNDN));
    mpfr_clear(error);
    return result;
}

typedef int reference(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t round);

static int reference_lgamma(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t round)
{
    int sign;
    return mpfr_lgamma(out, &sign, x, round);
}

typedef struct kind {
    const char *name;
    double (*ours)(double);
    reference *exact;
} kind;

static const kind LOG = {"log", fy_log, mpfr_log}, LOG10 = {"log10", fy_log10, mpfr_log10},
                  LOG1P = {"log1p", fy_log1p, mpfr_log1p}, EXP = {"exp", fy_exp, mpfr_exp},
                  SIN = {"sin", fy_sin, mpfr_sin}, COS = {"cos", fy_cos, mpfr_cos},
                  LGAMMA = {"lgamma", fy_lgamma, reference_lgamma};

/* The worst error among the arguments of an area. */
typedef struct worst {
    int64_t count;
    double error, x, y;
} worst;

static double error_of(const kind *k, double x)
{
    mpfr_t in, out;
    mpfr_inits2(53, in, (mpfr_ptr)0);
    mpfr_init2(out, 120);
    mpfr_set_d(in, x, MPFR_RNDN);
    k->exact(out, in, MPFR_RNDN);
    double error = ulps(out, k->ours(x));
    mpfr_clears(in, out, (mpfr_ptr)0);
    return error;
}

static double error_of_pow(double x, double y)
{
    mpfr_t base, exponent, out;
    mpfr_inits2(53, base, exponent, (mpfr_ptr)0);
    mpfr_init2(out, 120);
    mpfr_set_d(base, x, MPFR_RNDN);
    mpfr_set_d(exponent, y, MPFR_RNDN);
    mpfr_pow(out, base, exponent, MPFR_RNDN);
    double error = ulps(out, fy_pow(x, y));
    mpfr_clears(base, exponent, out, (mpfr_ptr)0);
    return error;
}

static void meet(worst *w, double error, double x, double y)
{
    w->count++;
    if (!(error <= w->error))
        *w = (worst){w->count, error, x, y};
}

static void check_worst(const char *name, const char *area, const worst *w)
{
    print_message("%-7s %-28s %7lld arguments, worst %.4f ulp at %a", name, area,
                  (long long)w->count, w->error, w->x);
    print_message(w->y != 0 ? ", %a\n" : "\n", w->y);
    assert_true(w->count > 0 && w->error < 1);
}

/* ------------------------------------------------------------------------ arguments */

static support_random from = {.seed = 9};

static double between(double low, double high)
{
    return low + (high - low) * support_uniform(&from);
}

static double either_sign(double x)
{
    return support_uniform(&from) < 0.5 ? x : -x;
}

/* Any number of a given exponent, subnormal ones included. */
static double with_exponent(int exponent)
{
    return ldexp(1 + support_uniform(&from), exponent);
}

/* centre + sign 2^e u for the exponents in between, `each` of them; one-sided if sign is not 0. */
static void test_exponents(const kind *k, const char *area, double centre, int sign, int low,
                           int high, int each)
{
    worst w = {0};
    for (int exponent = low; exponent <= high; exponent++)
        for (int i = 0; i < each; i++) {
            double d = with_exponent(exponent), x = centre + (sign ? sign * d : either_sign(d));
            meet(&w, error_of(k, x), x, 0);
        }
    check_worst(k->name, area, &w);
}

static void test_interval(const kind *k, const char *area, double low, double high, int count)
{
    worst w = {0};
    for (int i = 0; i < count; i++) {
        double x = between(low, high);
        meet(&w, error_of(k, x), x, 0);
    }
    check_worst(k->name, area, &w);
}

/* The doubles around some x, on both sides. */
static void test_around(const kind *k, worst *w, double x)
{
    double below = x, above = x;
    for (int i = 0; i < 4; i++) {
        meet(w, error_of(k, below), below, 0);
        meet(w, error_of(k, above), above, 0);
        below = nextafter(below, -HUGE_VAL);
        above = nextafter(above, HUGE_VAL);
    }
}

/* ------------------------------------------------------------------------ the functions */

static void logarithms(void **state)
{
    (void)state;
    const kind *both[] = {&LOG, &LOG10};
    for (int i = 0; i < 2; i++) {
        test_exponents(both[i], "all exponents", 0, 1, -1074, 1023, 10);
        test_exponents(both[i], "towards 1", 1, 0, -53, -2, 400);
        test_interval(both[i], "1/2 to 2", 0.5, 2, 20000);
        worst w = {0};
        for (int j = -128; j <= 256; j++) /* where the table goes to its next row */
            test_around(both[i], &w, 1 + j / 256.0);
        check_worst(both[i]->name, "changes of the table's row", &w);
    }
    for (int i = 0; i <= 22; i++)
        assert_true(fy_log10(fy_pow(10, i)) == i);
}

static void log1p_everywhere(void **state)
{
    (void)state;
    test_exponents(&LOG1P, "all exponents above 0", 0, 1, -1074, 1023, 10);
    test_exponents(&LOG1P, "towards 0", 0, 0, -60, -2, 400);
    test_exponents(&LOG1P, "towards -1", -1, 1, -52, -2, 100);
    test_interval(&LOG1P, "-1 to 1", -1, 1, 20000);
}

static void exponentials(void **state)
{
    (void)state;
    test_exponents(&EXP, "all exponents", 0, 0, -1074, 9, 10);
    test_exponents(&EXP, "towards 0", 0, 0, -60, 2, 400);
    test_interval(&EXP, "everything finite", -745.2, 709.8, 40000);
    test_interval(&EXP, "subnormal results", -745.2, -708.3, 20000);
    worst w = {0};
    const double ends[] = {0x1.62e42fefa39efp9, -0x1.6232bdd7abcd2p9, -0x1.74910d52d3051p9};
    for (size_t i = 0; i < COUNT(ends); i++)
        test_around(&EXP, &w, ends[i]);
    check_worst("exp", "largest and smallest results", &w);
}

/* Hardest where the result is nearly 0: multiples of pi/2, and the double that is nearest to one
 * of all (Muller 2006, "Elementary functions"), off by 2^-61. */
static void sines(void **state)
{
    (void)state;
    const kind *both[] = {&SIN, &COS};
    for (int i = 0; i < 2; i++) {
        test_exponents(both[i], "all exponents", 0, 0, -1074, 1023, 10);
        test_exponents(both[i], "towards 0", 0, 0, -30, 0, 400);
        test_interval(both[i], "-10 to 10", -10, 10, 20000);
        test_interval(both[i], "-1e6 to 1e6", -1e6, 1e6, 20000);
        worst w = {0};
        for (int j = 1; j < 2000; j++)
            test_around(both[i], &w, either_sign(M_PI_2 * floor(exp(between(0, 15)))));
        check_worst(both[i]->name, "multiples of pi/2", &w);
        w = (worst){0};
        for (int j = 0; j <= 101; j++) /* where the table goes to its next row */
            test_around(both[i], &w, j / 128.0);
        test_around(both[i], &w, 0.785);
        test_around(both[i], &w, 0x1p20);
        test_around(both[i], &w, 0x1.6ac5b262ca1ffp849);
        check_worst(both[i]->name, "changes of the method", &w);
    }
}

static void log_gamma(void **state)
{
    (void)state;
    test_exponents(&LGAMMA, "all exponents", 0, 1, -1074, 1014, 2);
    test_exponents(&LGAMMA, "towards 1", 1, 0, -53, -5, 100);
    test_exponents(&LGAMMA, "towards 2", 2, 0, -52, -5, 100);
    test_interval(&LGAMMA, "1 - 1/16 to 1 + 1/16", 0.9375, 1.0625, 5000);
    test_interval(&LGAMMA, "0 to 3.1", 0, 3.1, 10000);
    test_interval(&LGAMMA, "3 to 10", 3, 10, 5000);
    test_interval(&LGAMMA, "10 to 1e6", 10, 1e6, 5000);
    worst w = {0};
    for (int j = 1; j <= 50; j++)
        test_around(&LGAMMA, &w, j / 16.0);
    test_around(&LGAMMA, &w, 0x1.754d9278b51a7p1014);
    check_worst("lgamma", "changes of the method", &w);
}

/* ---------------------------------------------------------------------------------- pow */

/* x of all exponents, or towards 1, and y such that x^y is between exp(low) and exp(high). */
static void test_powers(const char *area, bool near_one, double low, double high, int count)
{
    worst w = {0};
    for (int i = 0; i < count; i++) {
        int exponent =
            near_one ? -1 - (int)support_below(&from, 50) : (int)support_below(&from, 2098) - 1074;
        double d = with_exponent(exponent);
        double x = near_one ? 1 + either_sign(d / 2) : d, y = between(low, high) / log(x);
        if (isfinite(y))
            meet(&w, error_of_pow(x, y), x, y);
    }
    check_worst("pow", area, &w);
}

static void powers(void **state)
{
    (void)state;
    test_powers("all bases", false, -745.2, 709.8, 40000);
    test_powers("bases towards 1", true, -745.2, 709.8, 40000);
    test_powers("subnormal results", false, -745.2, -708.3, 10000);
    test_powers("largest results", false, 709, 709.79, 10000);
    test_powers("results near 1", false, -1e-3, 1e-3, 10000);
    worst w = {0}, tiny = {0}, near = {0};
    for (int i = 0; i < 20000; i++) {
        double x = either_sign(with_exponent((int)support_below(&from, 21) - 10));
        double y = (double)support_below(&from, 201) - 100;
        meet(&w, error_of_pow(x, y), x, y);
        y = either_sign(with_exponent((int)support_below(&from, 140) - 70));
        meet(&tiny, error_of_pow(fabs(x), y), fabs(x), y);
        x = between(0.99, 1.01), y = between(-745.2, 709.8) / log(x);
        meet(&near, error_of_pow(x, y), x, y);
    }
    check_worst("pow", "integer exponents", &w);
    check_worst("pow", "all exponents", &tiny);
    check_worst("pow", "bases near 1", &near);
}

/* What is a double comes out exactly. */
static void exact_powers(void **state)
{
    (void)state;
    double ten = 1;
    for (int n = 0; n <= 22; n++, ten *= 10)
        assert_true(fy_pow(10, n) == ten);
    for (int n = -1074; n <= 1023; n++)
        assert_true(fy_pow(2, n) == ldexp(1, n) && fy_pow(0.5, -n) == ldexp(1, n));
    for (int i = 0; i < 10000; i++) {
        double x = either_sign(with_exponent((int)support_below(&from, 2098) - 1074));
        double root = floor(between(0, 1 << 26));
        assert_true(fy_pow(x, 1) == x);
        assert_true(fy_pow(-root, 2) == root * root && fy_pow(root * root, 0.5) == root);
    }
}

/* ------------------------------------------------------------------------------ specials */

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

/* Annex F of the C standard, and lgamma as maths.h says. */
static void specials(void **state)
{
    (void)state;
    const double inf = INFINITY, min = 0x1p-1074;
    const struct {
        double (*f)(double);
        double x, value;
    } one[] = {
        {fy_log, 0, -inf},      {fy_log, -0.0, -inf},   {fy_log, 1, 0},
        {fy_log, -1, NAN},      {fy_log, -inf, NAN},    {fy_log, inf, inf},
        {fy_log, NAN, NAN},     {fy_log, -min, NAN},    {fy_log10, 0, -inf},
        {fy_log10, -0.0, -inf}, {fy_log10, 1, 0},       {fy_log10, -1, NAN},
        {fy_log10, inf, inf},   {fy_log10, NAN, NAN},   {fy_log1p, 0, 0},
        {fy_log1p, -0.0, -0.0}, {fy_log1p, -1, -inf},   {fy_log1p, -1.5, NAN},
        {fy_log1p, -inf, NAN},  {fy_log1p, inf, inf},   {fy_log1p, NAN, NAN},
        {fy_log1p, min, min},   {fy_log1p, -min, -min}, {fy_exp, 0, 1},
        {fy_exp, -0.0, 1},      {fy_exp, inf, inf},     {fy_exp, -inf, 0},
        {fy_exp, NAN, NAN},     {fy_exp, DBL_MAX, inf}, {fy_exp, -DBL_MAX, 0},
        {fy_exp, min, 1},       {fy_sin, 0, 0},         {fy_sin, -0.0, -0.0},
        {fy_sin, inf, NAN},     {fy_sin, -inf, NAN},    {fy_sin, NAN, NAN},
        {fy_sin, min, min},     {fy_sin, -min, -min},   {fy_cos, 0, 1},
        {fy_cos, -0.0, 1},      {fy_cos, inf, NAN},     {fy_cos, -inf, NAN},
        {fy_cos, NAN, NAN},     {fy_cos, -min, 1},      {fy_lgamma, 0, inf},
        {fy_lgamma, -0.0, inf}, {fy_lgamma, 1, 0},      {fy_lgamma, 2, 0},
        {fy_lgamma, -1, NAN},   {fy_lgamma, -0.5, NAN}, {fy_lgamma, -inf, NAN},
        {fy_lgamma, inf, inf},  {fy_lgamma, NAN, NAN},  {fy_lgamma, DBL_MAX, inf},
        {fy_lgamma, -min, NAN},
    };
    for (size_t i = 0; i < COUNT(one); i++)
        if (!same(one[i].f(one[i].x), one[i].value))
            fail_msg("row %zu: f(%g) = %g, not %g", i, one[i].x, one[i].f(one[i].x), one[i].value);
}

/* Annex F leaves nothing open for pow, and MPFR follows it. */
static void special_powers(void **state)
{
    (void)state;
    const double value[] = {0,         0x1p-1074,
                            0x1p-1022, 1e-300,
                            0.5,       0.9999999999999999,
                            1,         1.0000000000000002,
                            1.5,       2,
                            3,         4,
                            1023,      1e9,
                            1e15,      0x1p52,
                            0x1.8p52,  1e16,
                            0x1p53,    0x1p65,
                            1e300,     DBL_MAX,
                            INFINITY,  NAN,
                            7.5,       1 - 0x1p-53};
    mpfr_t base, exponent, out;
    mpfr_inits2(53, base, exponent, out, (mpfr_ptr)0);
    for (size_t i = 0; i < 4 * COUNT(value) * COUNT(value); i++) {
        double x = value[i / 4 % COUNT(value)], y = value[i / 4 / COUNT(value)];
        x = i & 1 ? -x : x;
        y = i & 2 ? -y : y;
        mpfr_set_d(base, x, MPFR_RNDN);
        mpfr_set_d(exponent, y, MPFR_RNDN);
        mpfr_pow(out, base, exponent, MPFR_RNDN);
        double found = fy_pow(x, y), wanted = mpfr_get_d(out, MPFR_RNDN);
        bool regular = isfinite(wanted) && wanted != 0;
        if (regular ? !(error_of_pow(x, y) < 1) : !same(found, wanted))
            fail_msg("pow(%a, %a) = %a, not %a", x, y, found, wanted);
    }
    mpfr_clears(base, exponent, out, (mpfr_ptr)0);
}

/* A NaN has one form, whatever the processor makes of 0/0. */
static void one_nan(void **state)
{
    (void)state;
    const double found[] = {fy_log(-1),    fy_log10(-NAN),  fy_log1p(-2),
                            fy_exp(-NAN),  fy_sin(NAN),     fy_cos(-HUGE_VAL),
                            fy_lgamma(-1), fy_pow(-2, 0.5), fy_pow(-NAN, 2)};
    for (size_t i = 0; i < COUNT(found); i++)
        assert_true(isnan(found[i]) && !signbit(found[i]));
}

/* ------------------------------------------------------------------- the same everywhere */

/* What every machine and every compiler must give, bit for bit. */
static void same_bits(void **state)
{
    (void)state;
    uint64_t hash = 0;
    support_random source = {.seed = 10};
    for (int i = 0; i < 20000; i++) {
        double u = support_uniform(&source), x = ldexp(1 + u, i % 200 - 100), t = 1400 * u - 700;
        const double value[] = {fy_log(x),    fy_log10(x),      fy_log1p(x),
                                fy_exp(t),    fy_sin(t),        fy_cos(x),
                                fy_lgamma(x), fy_lgamma(4 * u), fy_pow(x, 8 * u - 4)};
        hash = fy_hash(value, sizeof value, hash);
    }
    if (hash != 0x3bbcf59c09b352db)
        fail_msg("the hash of the results is 0x%016llx", (unsigned long long)hash);
}

/* The measure sees an error of one ulp, and of less. */
static void measure_is_strict(void **state)
{
    (void)state;
    mpfr_t third;
    mpfr_init2(third, 120);
    mpfr_set_ui(third, 1, MPFR_RNDN);
    mpfr_div_ui(third, third, 3, MPFR_RNDN);
    double nearest = 1.0 / 3;
    assert_true(ulps(third, nearest) > 0.3 && ulps(third, nearest) < 0.5);
    assert_true(ulps(third, nextafter(nearest, 0)) > 1);
    assert_true(ulps(third, nextafter(nearest, 1)) > 0.5);
    mpfr_mul_2si(third, third, -1072, MPFR_RNDN); /* 4/3 of the least double */
    assert_true(fabs(ulps(third, 0x1p-1074) - 1.0 / 3) < 1e-9);
    mpfr_mul_2si(third, third, 1072 + 1025, MPFR_RNDN); /* 2/3 of 2^1024 */
    assert_true(ulps(third, INFINITY) > 1e9 && ulps(third, -INFINITY) > 1e9);
    mpfr_mul_2si(third, third, 1, MPFR_RNDN);
    assert_true(ulps(third, INFINITY) == 0 && ulps(third, -INFINITY) > 1e9);
    assert_true(ulps(third, DBL_MAX) > 1 && ulps(third, NAN) > 1);
    mpfr_clear(third);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measure_is_strict),
        cmocka_unit_test(logarithms),
        cmocka_unit_test(log1p_everywhere),
        cmocka_unit_test(exponentials),
        cmocka_unit_test(powers),
        cmocka_unit_test(exact_powers),
        cmocka_unit_test(sines),
        cmocka_unit_test(log_gamma),
        cmocka_unit_test(specials),
        cmocka_unit_test(special_powers),
        cmocka_unit_test(one_nan),
        cmocka_unit_test(same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
