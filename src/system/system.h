/* system.h - how a system lies in memory, and where built-in and outside ones come from.
 *
 * A built-in system is one file that ends with an fy_system_kind, and one row of the table
 * in builtin.c. Everything that asks a system goes through fy_system_ask, which checks
 * questions and answers. */
#ifndef FY_SYSTEM_H
#define FY_SYSTEM_H

#include "base/base.h"

struct foray_system {
    foray_context *ctx;
    fy_arena arena;
    foray_system_spec spec; /* its texts and arrays are the system's own */
    foray_system_ops ops;
    void *self;
    double *weight; /* [simulators], or NULL: not known */
    char *text;     /* what foray_system_open was given; NULL: nothing tells what it is */
};

/* foray_system_step, _reset and _reward with messages to a context of the caller's, so that
 * several threads may ask for steps at once where the system allows it. */
foray_status fy_system_ask(const foray_system *system, foray_context *ctx, int64_t count,
                           const foray_system_query *query, const double *state, double *next);
foray_status fy_system_start(const foray_system *system, foray_context *ctx, const foray_draw *draw,
                             double *state);
foray_status fy_system_value(const foray_system *system, foray_context *ctx, int64_t index,
                             const double *state, int64_t action, double *value);

/* Did answer k of the last step lead to an absorbing state? */
static inline bool fy_system_ended(const foray_system *system, int64_t k)
{
    return system->ops.ended && system->ops.ended(system->self, k);
}

/* Most dimensions of a state vector. */
enum { FY_MAX_DIMENSIONS = 64 };

/* Answers that one call may ask for: whoever wants more has mistyped something, or will
 * not live to see it. */
#define FY_MAX_DRAWS ((int64_t)1 << 36)

/* ----------------------------------------------------------- where they come from */

typedef struct fy_system_kind {
    const char *name;
    const char *summary;
    const foray_parameter *parameter;
    int64_t parameters;
    /* Creates the system (foray_system_create). `value` holds the parameters in the order
     * of the table, each within its range; how they fit together is for `open` to check. */
    foray_status (*open)(foray_context *ctx, const double *value, foray_system **out);
} fy_system_kind;

/* Built-in system `index`, its parameters included; false past the end. */
bool fy_system_builtin(int64_t index, foray_world_info *info);

/* NAME[:key=value,...] of the table. */
bool fy_system_is_builtin(const char *text);
foray_status fy_system_open_builtin(foray_context *ctx, const char *text, foray_system **out);

/* Keeps the text that a system was opened by. Where memory is exhausted, destroys the system. */
foray_status fy_system_keep_text(foray_context *ctx, foray_system *system, const char *text);

/* ------------------------------------------------------ Monte Carlo
 *
 * How far means over draws may be from what they estimate. */

/* N/2 pairs of random probability vectors; w_j, w'_j have one law, which may differ from pair
 * to pair, and all are independent. How much the two of a pair differ:
 *   T = sum_y sqrt( sum_j (w_j(y) - w'_j(y))^2 ),   Q = sum_j ( sum_y |w_j(y) - w'_j(y)| / 2 )^2 */
typedef struct fy_scatter {
    double T, Q;
} fy_scatter;

/* With p^ the mean of all N vectors and p that of their expectations, a bound on
 *   sup_f |sum_y (p^(y) - p(y)) f(y)|   over all f into [0,1],
 * which fails with probability at most FY_MEAN_EVENTS exp(-L). See docs/systems.md. */
enum { FY_MEAN_EVENTS = 4 };
double fy_mean_error(fy_scatter scatter, double N, double L);

/* About how many draws bring that down to `accuracy`, if N of them scattered like this. */
double fy_mean_draws(fy_scatter scatter, double N, double L, double accuracy);

/* How many draws it takes for `means` means of numbers in [0, range] to have errors of at most
 * `accuracy` with probability 1 - delta, all at once (Hoeffding):
 *   N = ceil( range^2 log(2 means/delta) / (2 accuracy^2) ). */
int64_t fy_monte_carlo_draws(double range, double accuracy, double delta, double means);

/* A value function V into [0, range], chosen without looking at the draws. */
typedef struct fy_value {
    double (*at)(void *user, const double *state); /* V(s) */
    void *user;
    double range;
} fy_value;

/* psi_V,i(s,a) = E[V(s') | simulator i], i < d, each within `accuracy` with probability
 * 1 - delta together; all simulators see the same random numbers. *draws (may be NULL)
 * receives N. */
foray_status fy_system_psi(foray_system *system, const foray_draw *draw, const double *state,
                           int64_t action, const fy_value *value, double accuracy, double delta,
                           double *psi, int64_t *draws);

#endif
