/* maths.h - the functions of libm that round, in one portable implementation.
 *
 * Every C library rounds log, exp and their like in its own way, and glibc in different ways on
 * different processors, so that the same seed would explore differently from machine to machine.
 * These use nothing but + - * / on doubles and on their bits, with contraction off (see
 * CMakeLists.txt), and give the same bits wherever doubles are those of IEEE 754 and are rounded
 * to nearest. The library calls nothing else of libm but sqrt, fma and what is exact (floor,
 * fabs, ldexp and so on); tests/test_libm.sh looks for the rest in the objects.
 *
 * Errors, in units of the last place of the exact result (the best there is: 0.5), the worst that
 * were found against MPFR: log, log10 and log1p 0.5001, exp 0.51, pow 0.54, sin and cos 0.503,
 * lgamma 0.72 (close to 1; elsewhere 0.60). tests/test_maths.c asks for less than 1.
 *
 * Zeros, infinities, subnormal numbers and NaN are treated as Annex F of the C standard says, but
 * for lgamma below 0. A NaN is always the same one. No function sets errno. */
#ifndef FY_MATHS_H
#define FY_MATHS_H

double fy_log(double x);
double fy_log10(double x);
double fy_log1p(double x); /* log(1 + x) */
double fy_exp(double x);
double fy_pow(double x, double y);
double fy_sin(double x); /* in radians, of any size */
double fy_cos(double x);

/* log Gamma(x) for x > 0, and infinity at 0. NaN for x < 0, which nobody here asks for. */
double fy_lgamma(double x);

#endif
