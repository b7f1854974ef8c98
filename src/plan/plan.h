/* plan.h - PLAN (Algorithm 1 of the paper): backward induction with bonuses.
 *
 *   Q_h(s,a) = [ r_h(s,a) + <psi_V, theta> + sign radius_g ||psi'_V||_{Sigma^-1} ]_[0, c_h]
 *   V_h(s)   = max_a Q_h(s,a),     V = V_{h+1} on the right
 *
 * Where features are estimates with error zeta, sign zeta (max V - min V) over the successors of
 * (s,a) is added to Q_h before it is clipped.
 *
 * Everything that does not depend on V is formed once per plan, for every
 * generator set: the *kernel* p (so that <psi_V, theta> = sum_j p_j V_j) and a
 * triangular *bonus factor* R with ||R v|| = radius_g ||psi'_V||_{Sigma^-1}.
 * When centred, both act on differences v_j = V_j - V_0, j = 1..n-1: bonuses of
 * nearly constant V come out small without cancellation. */
#ifndef FY_PLAN_H
#define FY_PLAN_H

#include "learn/ridge.h"

/* How the bonus factors are kept. Single precision halves their memory, and
 * rounds so that no bonus ever shrinks: ||R v|| >= radius_g ||psi'_V||, larger by a
 * few parts in a million. AUTO takes it once the factors outgrow the caches. */
enum { FY_FACTOR_NONE, FY_FACTOR_AUTO, FY_FACTOR_DOUBLE, FY_FACTOR_SINGLE };

typedef struct fy_backups fy_backups;

typedef struct fy_kernel {
    const fy_basis *basis;
    const fy_backups *backups; /* of the level that the context had; see backup.h */
    int threads;
    foray_context *ctx; /* whether to stop */
    double zeta;        /* error of the model's features */
    double *p;          /* c numbers per set, at fy_kernel_at: c = n-1 when centred, else n */
    double *factor;     /* R, min(c, d_g) rows, row i holds columns i..c-1; NULL: see next */
    float *single;      /* the same in single precision; both NULL: no bonus */
    double *columns;    /* p and R once more, where sets are few: see kernel.c */
    double *spread;     /* and for many rewards, where their level wants it */
    int64_t alike;      /* c where all sets have the same, and square R; else 0 */
    int64_t stride;     /* numbers in R where all sets have the same, else 0 */
    int64_t *at_factor; /* [generator_sets+1] where R of a set starts; NULL: stride says it */
    double *scratch;    /* per thread, for forming the kernel and for planning */
    int64_t scratch_size;
} fy_kernel;

/* precision: FY_FACTOR_...; with NONE there is no room for R: for known models. */
foray_status fy_kernel_create(fy_arena *arena, const fy_basis *basis, int precision,
                              fy_kernel **out);

/* From an estimate: z of every block (at ridge->at_vector), Sigma, radius [blocks]. */
void fy_kernel_estimate(fy_kernel *kernel, const fy_ridge *ridge, const double *z,
                        const double *radius);
/* From the true parameter: p only. */
void fy_kernel_exact(fy_kernel *kernel, const double *theta);

/* c: how many successors of a set appear in p and R; the first does not when centred. */
static inline int64_t fy_kernel_columns(const fy_kernel *kernel, int64_t generator_set)
{
    return fy_generator_set_size(kernel->basis->model, generator_set) - kernel->basis->centred;
}

/* Where p of a set starts: there are c numbers for each set before it. */
static inline int64_t fy_kernel_at(const fy_kernel *kernel, int64_t generator_set)
{
    return kernel->basis->model->gen_start[generator_set] -
           (kernel->basis->centred ? generator_set : 0);
}

/* Where R of a set starts, and with generator_set + 1 where it ends. */
static inline int64_t fy_kernel_factor_at(const fy_kernel *kernel, int64_t generator_set)
{
    return kernel->at_factor ? kernel->at_factor[generator_set] : generator_set * kernel->stride;
}

/* Rows of R. */
static inline int64_t fy_kernel_rows(const fy_kernel *kernel, int64_t generator_set)
{
    int64_t columns = fy_kernel_columns(kernel, generator_set);
    int64_t dim = kernel->basis->block[kernel->basis->block_of_generator_set[generator_set]].dim;
    return columns < dim ? columns : dim;
}

/* The first number at or after `memory` that starts a cache line: FY_LANES doubles fill one,
 * and must not straddle two. At most FY_LINE - 1 numbers are skipped. */
enum { FY_LINE = 64 / sizeof(double) };
static inline double *fy_line_start(double *memory)
{
    size_t past = (uintptr_t)memory / sizeof(double) % FY_LINE;
    return memory + (FY_LINE - past) % FY_LINE;
}

/* Rewards planned together lie side by side: lane l of item i at [i * lanes + l].
 * A lane gives the same bits whatever the others hold, and the same as alone. */
enum { FY_LANES = 8 };

/* States that are planned as a batch: so that two numbers per pair stay in the nearest cache.
 * With one lane, FY_LANES states are maximised at a time. */
static inline int64_t fy_kernel_batch(const fy_kernel *kernel, int lanes)
{
    enum { NUMBERS_NEARBY = 1024 };
    int64_t batch = NUMBERS_NEARBY / (kernel->basis->model->actions * lanes);
    int64_t together = FY_LANES / lanes;
    return batch > together ? batch / together * together : together;
}

/* r_h(s,a) = min(cap, scale(h) * table(h)[pair]).
 *
 * The rest is for one lane. Where a reward looks ahead, scale(h) * next(h)[j] + V_{h+1}(s_j) takes
 * the place of V_{h+1}(s_j). Where it stops, V_h(s) = fixed(s) for every h, and V_{H+1} =
 * ending. layout.h makes all of it from a reward. */
typedef struct fy_plan_reward {
    const double *const *table; /* [horizon] pointers to [pairs][lanes]; may repeat */
    const double *scale;        /* [horizon], or NULL: 1 */
    double cap;                 /* INFINITY: none */
    const double *const *next;  /* [horizon] pointers to [transitions] or NULL; NULL: none */
    double *target;             /* [transitions] room for r + V, where there is `next` */
    double *target_plain;       /* [transitions] the same where ties go by values without bonus */
    const int32_t *place;       /* [transitions] 0, 1, 2, ... */
    const double *limit;        /* [horizon] c_h in the place of H-h+1, or NULL */
    const double *fixed;        /* [states] NaN: not fixed; NULL: none is */
    const double *ending;       /* [states], or NULL: 0 */
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
    double *plain;         /* [2][states][lanes]: ties go to the larger value without bonus; see
                              plan.c. NULL: they do not */
    int32_t *policy;       /* out: [horizon][states][lanes], or NULL */
    bool stepwise;         /* `follow` and `policy` are [states][lanes], of the step at hand */
} fy_plan_task;

/* Runs the recursion; mean[l] receives E_mu V_0 of lane l. Allocates nothing. */
void fy_plan(const fy_plan_task *task, double *mean);

/* The same a step at a time: V_{H+1}; V_h from V_{h+1}, t = H-1, ..., 0; and E_mu V_0: for whoever
 * keeps no more of a plan than the step at hand. */
void fy_plan_begin(const fy_plan_task *task);
void fy_plan_step(const fy_plan_task *task, int64_t t);
void fy_plan_end(const fy_plan_task *task, double *mean);

/* The values of step t. */
static inline double *fy_plan_values(const fy_plan_task *task, int64_t t)
{
    int64_t layer = task->kernel->basis->model->states * task->lanes;
    return task->value + t % task->layers * layer;
}

/* E_mu of one layer of values. */
double fy_initial_mean(const foray_model *model, const double *value);

/* The values of a policy at every step if `theta` is true: value[t][state] for t = 0..horizon. */
foray_status fy_evaluate_steps(foray_context *ctx, const foray_model *model, const double *theta,
                               const foray_reward *reward, const foray_policy *policy,
                               double *value);

#endif
