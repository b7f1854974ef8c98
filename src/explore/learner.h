/* learner.h - what the explorers of linear mixture models share: the value-
 * targeted regression (Sigma, b), the inner maximisation that chooses its
 * targets, the kernel made from both, and planning for rewards. The explorers
 * differ in how they choose actions. */
#ifndef FY_LEARNER_H
#define FY_LEARNER_H

#include "explore/explorer.h"
#include "learn/inner.h"
#include "learn/radius.h"
#include "plan/plan.h"

typedef struct fy_learner {
    foray_context *ctx;
    const foray_model *model;
    const foray_settings *settings;
    double budget_delta; /* the share of delta this regression may use */
    double hoeffding;    /* 3 or 12: the constant of the theorem's radius */
    fy_form *own_form;   /* NULL where the model's own form serves */
    const fy_form *form;
    bool scaled_targets; /* targets f in [0,1]; the theorem's are (H-h) f */

    fy_ridge *ridge;   /* Sigma, b */
    fy_inner *inner;   /* m(s,a) for Sigma of the last fy_learner_maximise */
    uint64_t *target;  /* maximisers of the last exploration plan, laid out as inner->bits */
    double *z;         /* [unknowns] of the last fy_learner_estimate */
    double *radius;    /* [blocks] the same */
    fy_kernel *kernel; /* the same */

    double *bonus;        /* [pairs] radius_g m(s,a) */
    const double **table; /* [horizon] all pointing to bonus */
    double *scale;        /* [horizon] */
    double *f, *x, *scratch;
} fy_learner;

foray_status fy_learner_create(foray_context *ctx, const foray_model *model,
                               const foray_settings *settings, double delta, double hoeffding,
                               fy_learner **out);
void fy_learner_destroy(fy_learner *learner);

/* z = Sigma^-1 b, the radii, and the kernel from both. */
void fy_learner_estimate(fy_learner *learner);

/* m(s,a) for Sigma as it is; with new_targets its maximisers become the targets. */
void fy_learner_maximise(fy_learner *learner, bool new_targets);

/* The exploration reward r_h(s,a) = min{1, (2 radius_g/H)(H-h) m(s,a)}, after both of these. */
fy_plan_reward fy_learner_reward(fy_learner *learner);

/* Sigma += x x', b += x y with the target u = (H-h) f (or f) of the pair. */
void fy_learner_observe(fy_learner *learner, int64_t t, int64_t pair, int64_t j);

/* Planning for rewards, and the bound for all of them, from the data so far. */
foray_status fy_learner_plan(fy_learner *learner, int64_t count, const foray_reward *const *rewards,
                             int mode, foray_policy **policies);
foray_status fy_learner_bound(fy_learner *learner, foray_certificate *out);

foray_status fy_learner_theta(fy_learner *learner, double *theta, double *half_width);
void fy_learner_describe(const fy_learner *learner, foray_explorer_facts *facts);
void fy_learner_write(const fy_learner *learner, fy_writer *writer);
void fy_learner_read(fy_learner *learner, fy_reader *reader);

#endif
