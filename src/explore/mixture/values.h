/* values.h - the regressions on V and V^2 that UCRL-RFE+ and UCRL-VTR+ share, with the plan
 * whose values they regress on.
 *
 *   pi, V = PLAN(theta^, Sigma^, r, beta^)
 *   at each step, with x = psi_{V_{h+1}}, y = psi_{V_{h+1}^2} at (s_h,a_h):
 *     var = clip(<y, theta~>, 0, H^2) - clip(<x, theta^>, 0, H)^2
 *     E   = min{H^2, beta~ ||y||_{Sigma~^-1}} + min{H^2, 2 H beta_check ||x||_{Sigma^^-1}}
 *     nu  = max{alpha, var + E},   alpha = H^2/d
 *     Sigma^ += x x'/nu,   b^ += x V_{h+1}(s_{h+1})/nu
 *     Sigma~ += y y',      b~ += y V_{h+1}(s_{h+1})^2
 *
 * Where features are estimates with error zeta, each radius grows by zeta sqrt(sum w range^2) over
 * the updates of its regression (fy_radius_widen), with w = 1/nu and range = max V - min V
 * over the successors for Sigma^ and its radii, 1 and max V^2 - min V^2 for Sigma~; and in
 * E the two expectations are off by zeta times these ranges more.
 *
 * In centred block form d_g, delta/m and B_g take the place of d, delta and B. The matrices
 * in var and E are those of the last plan. The algorithms differ in the reward r. */
#ifndef FY_VALUES_H
#define FY_VALUES_H

#include "explore/mixture/learner.h"

/* The parameters of both algorithms, which come first. */
enum { FY_VALUES_HAT, FY_VALUES_CHECK, FY_VALUES_TILDE, FY_VALUES_PARAMETERS };
#define FY_VALUES_ROWS                                                                             \
    FY_REAL("radius_scale_hat", "1", 0, 1e6, "multiplies the radius beta^"),                       \
        FY_REAL("radius_scale_check", "1", 0, 1e6, "multiplies the radius beta_check"),            \
        FY_REAL("radius_scale_tilde", "1", 0, 1e6, "multiplies the radius beta~")

/* One of the regressions: the running one, and it as it was at the last plan. */
typedef struct fy_value_regression {
    fy_ridge *now, *at_plan;
    double *z;     /* at_plan's estimate */
    bool borrowed; /* `now` belongs to someone else */
} fy_value_regression;

/* The state of both algorithms begins with this. */
typedef struct fy_values {
    fy_learner learner;
    fy_value_regression hat, tilde;
    double *radius_hat, *radius_check, *radius_tilde; /* [blocks] for exact features */
    double *radius;                                   /* [blocks] beta^ of the last plan */
    double *v, *v2, *x, *y, *white;                   /* of one pair */
} fy_values;

/* What the regressions know about [P (V - PV)^2](s,a). */
typedef struct fy_variance {
    double estimate, error; /* var and E */
} fy_variance;

/* Completes a state that already has its learner, which keeps V; `hat` is its ridge where that is
 * to be Sigma^, and NULL where Sigma^ is a regression of its own. `scale` multiplies all radii. */
foray_status fy_values_create(foray_explorer *explorer, fy_ridge *hat, double scale);

/* theta^, Sigma^ and Sigma~ as they are now, then pi, V = PLAN(theta^, Sigma^, r, beta^). */
void fy_values_plan(foray_explorer *explorer, fy_plan_reward reward);

/* var and E of a pair at step t, as the last plan sees them. */
fy_variance fy_values_variance(foray_explorer *explorer, int64_t t, int64_t pair);

/* Entries for the ops tables. The radii are stated for a number of episodes fixed beforehand. */
/* Updates (Sigma^, b^) and (Sigma~, b~). */
void fy_values_observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j);
/* Stale once either has grown enough. */
void fy_values_end_episode(foray_explorer *explorer);
void fy_values_save(foray_explorer *explorer, fy_writer *writer);
void fy_values_load(foray_explorer *explorer, fy_reader *reader);

#endif
