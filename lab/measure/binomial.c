/* binomial.c - what a count of successes says about a probability (Clopper and Pearson
 * 1934). The interval is exact: whatever the probability p of a success, it contains p
 * with at least the stated probability, for any number of trials, however small.
 *
 *   low:   P(X >= successes | p = low)  = (1 - confidence)/2,   0 if there was none
 *   high:  P(X <= successes | p = high) = (1 - confidence)/2,   1 if all were
 *
 * Both tails are regularised incomplete beta functions: with s successes of n,
 *   P(X >= s | p) = I_p(s, n-s+1). */
#include "measure/measure.h"
#include "base/maths.h"

#include <float.h>
#include <math.h>

/* The continued fraction of I_x(a,b) at its m-th pair of terms:
 *   even  m (b-m) x / ((a+2m-1)(a+2m)),    odd  -(a+m)(a+b+m) x / ((a+2m)(a+2m+1)) */
static double even_term(double x, double a, double b, double m)
{
    return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
}

static double odd_term(double x, double a, double b, double m)
{
    return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
}

/* The fraction 1/(1+ e1/(1+ e2/(1+ ...))) as Lentz evaluates it: by the ratios of
 * successive numerators and denominators, kept off 0. */
typedef struct lentz {
    double up, down, value;
} lentz;

static double off_zero(double x)
{
    const double tiny = 1e-290;
    return fabs(x) < tiny ? tiny : x;
}

/* Takes one more term; true if it no longer changes anything. */
static bool take_term(lentz *l, double term)
{
    l->down = 1 / off_zero(1 + term * l->down);
    l->up = off_zero(1 + term / l->up);
    l->value *= l->up * l->down;
    return fabs(l->up * l->down - 1) < DBL_EPSILON;
}

static double continued_fraction(double x, double a, double b)
{
    enum { MOST = 100000 }; /* O(sqrt(max(a,b))) are enough */
    double first = 1 / off_zero(1 + odd_term(x, a, b, 0));
    lentz l = {.up = 1, .down = first, .value = first};
    for (int m = 1; m < MOST; m++) {
        take_term(&l, even_term(x, a, b, m));
        if (take_term(&l, odd_term(x, a, b, m)))
            break;
    }
    return l.value;
}

/* I_x(a,b) = x^a (1-x)^b / (a B(a,b)) times the fraction, which converges fast where x is
 * below the mean; above it I_x(a,b) = 1 - I_{1-x}(b,a). */
double fy_incomplete_beta(double x, double a, double b)
{
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    double front =
        fy_exp(fy_lgamma(a + b) - fy_lgamma(a) - fy_lgamma(b) + a * fy_log(x) + b * fy_log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * continued_fraction(x, a, b) / a;
    return 1 - front * continued_fraction(1 - x, b, a) / b;
}

/* The p at which I_p(a,b), which grows with p, is `tail`. */
static double solve_for(double tail, double a, double b)
{
    enum { HALVINGS = 1100 }; /* from 1 to less than the smallest number there is */
    double below = 0, above = 1;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (below + above);
        if (middle == below || middle == above)
            break;
        if (fy_incomplete_beta(middle, a, b) < tail)
            below = middle;
        else
            above = middle;
    }
    return 0.5 * (below + above);
}

fy_interval fy_binomial_interval(int64_t trials, int64_t successes, double confidence)
{
    double n = (double)trials, s = (double)successes, tail = 0.5 * (1 - confidence);
    return (fy_interval){
        .low = successes == 0 ? 0 : solve_for(tail, s, n - s + 1),
        .high = successes == trials ? 1 : solve_for(1 - tail, s + 1, n - s),
    };
}
