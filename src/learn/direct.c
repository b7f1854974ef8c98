/* direct.c - see direct.h.
 *
 * The bound is convex in eta. It is least where its derivative is 0, which says
 *
 *   h = log(eta sum_i q_i/(eta - v_i)) - y = 0
 *
 * and h falls from plus infinity (or from eta = C on) to -e: Newton's method in u = log(eta - C)
 * finds the root in a few steps, each of which is a bound. */
#include "learn/direct.h"
#include "base/maths.h"

#include <float.h>
#include <math.h>

/* Beyond so many times the range a larger eta changes nothing but the rounding. */
static const double LARGEST = 1e4, SMALLEST = 1e-9;

typedef struct point {
    double bound; /* eta (1 - exp(-y)), rounded up */
    double step;  /* Newton's in u; 0: none */
} point;

/* What never happened has q = 0 and does not matter. */
static point look_at_eta(int64_t count, const double *q, const double *v, double range, double e,
                         double eta)
{
    double y = e, first = 0, second = 0;
    for (int64_t i = 0; i < count; i++) {
        double left = eta - v[i];
        if (q[i] == 0)
            continue;
        if (!(left > 0))
            return (point){eta, 0};
        y -= q[i] * fy_log(left / eta);
        first += q[i] / left;
        second += q[i] / (left * left);
    }
    double h = fy_log(eta * first) - y, slope = (eta - range) * (first - second / first);
    return (point){eta * (1 - fy_exp(-y)) + eta * (double)(count + 16) * DBL_EPSILON,
                   slope < 0 ? -h / slope : 0};
}

/* eta - C to begin with. To second order the best eta is mean + sqrt(Var/(2e)). Where that is below
 * C, the set lets the most valuable outcome grow from q to about p = q + sqrt(2qe) + 2e, and eta -
 * C is about C q (1-p)/p. */
static double first_guess(int64_t count, const double *q, const double *v, double range, double e)
{
    double mean = 0, square = 0, top = 0;
    for (int64_t i = 0; i < count; i++) {
        mean += q[i] * v[i];
        square += q[i] * v[i] * v[i];
        top += v[i] >= range ? q[i] : 0;
    }
    double variance = fmax(square - mean * mean, 0);
    double p = fmin(0.9, top + sqrt(2 * top * e) + 2 * e);
    double tau = top > 0 ? range * top * (1 - p) / p : range * 1e-3;
    return fmax(tau, mean + sqrt(variance / (2 * e)) - range);
}

double fy_direct_mean(int64_t count, const double *q, const double *v, double range, double e)
{
    enum { STEPS = 5 };
    static const double near_enough = 0.1, longest = 3;
    if (!(range > 0) || !isfinite(e))
        return range;
    double min = fmin(range, look_at_eta(count, q, v, range, e, range).bound);
    double tau = first_guess(count, q, v, range, e);
    for (int i = 0; i < STEPS; i++) {
        tau = fmin(fmax(tau, SMALLEST * range), LARGEST * range);
        point at = look_at_eta(count, q, v, range, e, range + tau);
        min = fmin(min, at.bound);
        if (!(fabs(at.step) > near_enough))
            break;
        tau *= fy_exp(fmin(fmax(at.step, -longest), longest));
    }
    return min;
}
