/* radius.h - how wide the confidence ellipsoids are: ||z - z*||_Sigma <= radius_g
 * for every block, with probability 1 - delta. One function per formula. */
#ifndef FY_RADIUS_H
#define FY_RADIUS_H

#include "learn/ridge.h"

/* lambda_g = B_g^-2 unless set; out: [blocks]. */
void fy_radius_lambda(const fy_basis *basis, const foray_settings *settings, double *out);

/* sharp and selfnormalised, for all k at once:
 *   (1/2) sqrt(2 log(m/delta) + log det Sigma_g - d_g log lambda_g) + sqrt(lambda_g) B_g */
void fy_radius_selfnormalised(const fy_ridge *ridge, double delta, double scale, double *out);

/* theorem, UCRL-RFE:  H sqrt(d log(c (1 + K H^3 B^2)/delta)) + 1, c = 3 (RFE) or 12 (RFE+), for
 * lambda = B^-2: settings with another are refused. */
double fy_radius_hoeffding(double H, double d, double K, double B, double delta, double c);

/* UCRL-RFE+ and UCRL-VTR+, from the Bernstein inequality for vector martingales (Zhou, Gu,
 * Szepesvari 2021): for data x with ||x|| <= L and noise within R and of variance sigma^2, at t
 * data
 *
 *   ||theta - theta*||_Sigma <= 8 sigma sqrt(d log(1 + t L^2/(d lambda)) log(4 t^2/delta))
 *                               + 4 R log(4 t^2/delta) + sqrt(lambda) B
 *
 * With t = K H, L2 = log(48 K^2 H^2/delta), that is delta/12 for each event, and for Sigma^, whose
 * data are weighted by 1/nu <= d/H^2: L^2 = d, R = sqrt d, sigma = 1 (hat) or sqrt d (check);
 * for Sigma~, on V^2: L = R = sigma = H^2.
 *
 *   hat    8 sqrt(d L1 L2) + 4 sqrt(d) L2 + sqrt(lambda) B        L1 = log(1 + K H/lambda)
 *   check  8 d sqrt(L1 L2) + 4 sqrt(d) L2 + sqrt(lambda) B
 *   tilde  8 H^2 sqrt(d L3 L2) + 4 H^2 L2 + sqrt(lambda) B        L3 = log(1 + K H^5/(d lambda))
 *
 * The paper has lambda = B^-2, and prints L1 in the place of L3, which is too small. */
typedef struct fy_bernstein {
    double hat, check, tilde;
} fy_bernstein;
fy_bernstein fy_radius_bernstein(double H, double d, double K, double lambda, double B,
                                 double delta);

/* Where features are estimates with error zeta, the mean of a datum is off by up to zeta range,
 * which moves z by no more than zeta sqrt(sum w range^2) in the norm of Sigma:
 *   out[g] += zeta sqrt(spread_g)          (nothing where no spread is kept) */
void fy_radius_widen(const fy_ridge *ridge, double zeta, double *out);

#endif
