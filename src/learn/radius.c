#include "learn/radius.h"
#include "base/maths.h"

#include <math.h>

void fy_radius_lambda(const fy_basis *basis, const foray_settings *settings, double *out)
{
    for (int64_t g = 0; g < basis->blocks; g++) {
        double bound = basis->block[g].norm_bound;
        /* B_g = 0: z*_g is known to be 0, any lambda is right, and 1 is finite. */
        out[g] = settings->lambda > 0 ? settings->lambda : bound > 0 ? 1 / (bound * bound) : 1;
    }
}

/* m: only blocks with something unknown take a share of delta. */
static double uncertain_blocks(const fy_basis *basis)
{
    int64_t m = 0;
    for (int64_t g = 0; g < basis->blocks; g++)
        m += basis->block[g].dim > 0;
    return (double)m;
}

void fy_radius_selfnormalised(const fy_ridge *ridge, double delta, double scale, double *out)
{
    double m = uncertain_blocks(ridge->basis);
    for (int64_t g = 0; g < ridge->blocks; g++) {
        double d = ridge->basis->block[g].dim, lambda = ridge->lambda[g];
        double information = fy_ridge_log_det(ridge, g) - d * fy_log(lambda);
        double width = 2 * fy_log(m / delta) + fmax(information, 0); /* below 0 only by rounding */
        double bias = sqrt(lambda) * ridge->basis->block[g].norm_bound;
        out[g] = d > 0 ? scale * (sqrt(width) / 2 + bias) : 0;
    }
}

double fy_radius_hoeffding(double H, double d, double K, double B, double delta, double c)
{
    return H * sqrt(d * fy_log(c * (1 + K * H * H * H * B * B) / delta)) + 1;
}

/* log(1 + x/y); where x/y is beyond all numbers the 1 does not count. */
static double log_one_plus(double x, double y)
{
    return isfinite(x / y) ? fy_log1p(x / y) : fy_log(x) - fy_log(y);
}

fy_bernstein fy_radius_bernstein(double H, double d, double K, double lambda, double B,
                                 double delta)
{
    if (d == 0) /* nothing is unknown */
        return (fy_bernstein){0};
    double L1 = log_one_plus(K * H, lambda), L2 = fy_log(48 * K * K * H * H / delta);
    double L3 = log_one_plus(K * H * H * H * H * H, d * lambda), bias = sqrt(lambda) * B;
    return (fy_bernstein){
        .hat = 8 * sqrt(d * L1 * L2) + 4 * sqrt(d) * L2 + bias,
        .check = 8 * d * sqrt(L1 * L2) + 4 * sqrt(d) * L2 + bias,
        .tilde = 8 * H * H * sqrt(d * L3 * L2) + 4 * H * H * L2 + bias,
    };
}

void fy_radius_widen(const fy_ridge *ridge, double zeta, double *out)
{
    for (int64_t g = 0; ridge->spread && g < ridge->blocks; g++)
        out[g] += zeta * sqrt(ridge->spread[g]);
}
