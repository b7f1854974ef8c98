/* plan.h - PLAN (Algorithm 1 of the paper): backward induction with bonuses.
 *
 *   Q_h(s,a) = [ r_h(s,a) + <psi_V, theta> + sign radius_g ||psi'_V||_{Sigma^-1} ]_[0, c_h]
 *   V_h(s)   = max_a Q_h(s,a),     V = V_{h+1} on the right
 *
 * Everything that does not depend on V is formed once per plan, for every
 * generator set: the *kernel* p (so that <psi_V, theta> = sum_j p_j V_j) and a
 * triangular *bonus factor* R with ||R v|| = radius_g ||psi'_V||_{Sigma^-1}.
 * When centred, both act on differences v_j = V_j - V_0, j = 1..n-1: bonuses of
 * nearly constant V come out small without cancellation. */
#ifndef FY_PLAN_H
#define FY_PLAN_H

#include "learn/ridge.h"

typedef struct fy_kernel {
    const fy_form *form;
    int threads;
    int32_t *columns;   /* [gensets] c: n-1 when centred, else n */
    int32_t *rows;      /* [gensets] of R: min(c, d_g) */
    int64_t *at_p;      /* [gensets+1] */
    int64_t *at_factor; /* [gensets+1] */
    double *p;          /* c numbers per set */
    double *factor;     /* R, row i holds columns i..c-1 */
    double *scratch;    /* per thread */
    int64_t scratch_size;
} fy_kernel;

/* With with_bonus = false there is no room for R: for known models. */
foray_status fy_kernel_create(foray_context *ctx, const fy_form *form, bool with_bonus,
                              fy_kernel **out);
void fy_kernel_destroy(fy_kernel *kernel);

/* From an estimate: z of every block (at ridge->at_vector), Sigma, radius [blocks]. */
void fy_kernel_estimate(fy_kernel *kernel, const fy_ridge *ridge, const double *z,
                        const double *radius);
/* From the true parameter: p only. */
void fy_kernel_exact(fy_kernel *kernel, const double *theta);

/* Rewards planned together lie side by side: lane l of item i at [i * lanes + l]. */
enum { FY_LANES = 8 };

/* r_h(s,a) = min(cap, scale(h) * table(h)[pair]). */
typedef struct fy_plan_reward {
    const double *const *table; /* [horizon] pointers to [pairs][lanes]; may repeat */
    const double *scale;        /* [horizon], or NULL: 1 */
    double cap;                 /* INFINITY: none */
} fy_plan_reward;

typedef struct fy_plan_task {
    const fy_kernel *kernel;
    fy_plan_reward reward;
    int lanes;             /* 1 or FY_LANES */
    int sign;              /* +1 optimistic, 0 plug-in, -1 pessimistic */
    int clip, ties;        /* FORAY_CLIP_..., FORAY_TIES_... */
    const int32_t *follow; /* [horizon][states][lanes]: value this policy; NULL: maximise */
    int64_t layers;        /* of `value`: 2, or horizon+1 to keep all */
    double *value;         /* [layers][states][lanes]: V_t lies in layer t % layers */
    int32_t *policy;       /* out: [horizon][states][lanes], or NULL */
} fy_plan_task;

/* Runs the recursion; mean[l] receives E_mu V_0 of lane l. Allocates nothing. */
void fy_plan(const fy_plan_task *task, double *mean);

/* E_mu of one layer of values. */
void fy_plan_mean(const foray_model *model, const double *value, int lanes, double *mean);

#endif
