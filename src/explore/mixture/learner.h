/* learner.h - what the explorers of linear mixture models share: the value-
 * targeted regression (Sigma, b), the inner maximisation that chooses its
 * targets, and planning from both. The explorers differ in how they act.
 *
 * The state of each begins with an fy_learner, so that explorer->self is one. */
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
    int events;               /* that share delta: 1 in UCRL-RFE, 4 in UCRL-RFE+ */
    const double *own_radius; /* [blocks] of an algorithm with radii of its own; NULL: settings */
    double min_scale;         /* of the radii that certificates rest on; below 1: heuristic */

    fy_basis *own_basis; /* NULL where the model's own basis serves */
    const fy_basis *basis;
    fy_ridge *ridge;  /* Sigma, b */
    double *z;        /* [unknowns] and */
    double *radius;   /* [blocks]: of the last fy_learner_estimate */
    fy_inner *inner;  /* m(s,a) of the last fy_learner_maximise */
    uint64_t *target; /* maximisers of the last exploration plan, laid out as inner->bits */
    fy_kernel *kernel;

    double *bonus;        /* [pairs] radius_g m(s,a) */
    const double **table; /* [horizon] all pointing to bonus */
    double *scale;        /* [horizon] */
    double *value;        /* [2][states] for recursions that keep no table */
    double *V;            /* [horizon+1][states] of the exploration plan, or NULL: not kept */
    double *f, *x, *scratch;

    /* Regressors of the targets, made when first used: <psi_f, theta_0> and psi'_f of
     * a set lie at at_memo[set]. Absent where they would not be small. */
    int64_t *at_memo;  /* [generator_sets], or NULL */
    int64_t *memo_age; /* [generator_sets] the `age` a row was made for */
    double *memo;
    int64_t age; /* how often the targets have changed, plus one */
    bool root;   /* the exploration reward has the square root that the paper prints */
} fy_learner;

/* The parameter of the algorithms that explore with this reward. */
enum { FY_LEARNER_NORM, FY_LEARNER_ROOT };
#define FY_LEARNER_NORM_ROW                                                                        \
    FY_CHOICE("explore_norm", "norm", "norm|root",                                                 \
              "the norm in the exploration reward, as the proof has it, or its square root, as "   \
              "the paper prints it")

/* What an algorithm keeps of its exploration plan: nothing, as it follows none; pi in
 * explorer->followed; that, and V in the learner. */
typedef enum fy_keeps { FY_KEEPS_NOTHING, FY_KEEPS_ACTIONS, FY_KEEPS_VALUES } fy_keeps;

/* Entries of V. */
static inline int64_t fy_learner_values(const foray_model *model)
{
    return (model->horizon + 1) * model->states;
}

/* Makes explorer->self a state of `size` bytes that begins with a learner, and is 0 behind it.
 * events: how many confidence sets share delta; for the theorem's radius the constant 3
 * becomes 3 * events (the 12 of UCRL-RFE+). */
foray_status fy_learner_create(foray_explorer *explorer, size_t size, int events, fy_keeps keeps);

/* The learner of an explorer, or NULL where that is none of linear mixture models. */
fy_learner *fy_learner_of(const foray_explorer *explorer);

/* z = Sigma^-1 b and the radii, for the data so far. */
void fy_learner_estimate(fy_learner *learner);

/* The largest of ||z_g - z*_g||_Sigma / radius_g over the blocks, for the true theta* and the
 * data so far: at most 1 exactly when every confidence set contains its truth. */
double fy_learner_distance(fy_learner *learner, const double *theta);

/* m(s,a) for Sigma as it is; with new_targets its maximisers become the targets. */
void fy_learner_maximise(fy_learner *learner, bool new_targets);

/* The exploration reward r_h(s,a) = min{1, (2 radius_g/H)(H-h) m(s,a)}, after both; with `root`
 * min{1, (2 radius_g/H) sqrt((H-h) m(s,a))}. */
fy_plan_reward fy_learner_reward(fy_learner *learner);

/* pi, V = PLAN(kernel, r) with sign +1 (optimistic) or 0, to be followed until the next one;
 * returns V(mu). */
double fy_learner_follow(foray_explorer *explorer, const fy_kernel *kernel, fy_plan_reward reward,
                         int sign, int clip);

/* What observing does to the regression, with u = V at the successors: unscaled with the theorem's
 * radius, else shifted and divided by how much V varies among them, so that u lies in [0,1]. */
void fy_learner_observe_value(fy_learner *learner, const double *value, int64_t pair, int64_t j);

/* max u - min u. */
double fy_learner_span(const double *u, int64_t n);

/* Has some block's determinant grown enough for a new plan when the episode under way ends, and
 * does the plan pay? */
bool fy_learner_wants_plan(const foray_explorer *explorer, const fy_ridge *ridge);

/* Does a plan pay that looks at every transition `work` times per step? */
bool fy_learner_plan_pays(const foray_explorer *explorer, double work);

/* Targets with Sigma and b. pi and V follow from what was written before the plan. */
void fy_learner_save_regression(const fy_learner *learner, fy_writer *writer);
void fy_learner_load_regression(fy_learner *learner, fy_reader *reader);

/* Entries for the ops tables. */
void fy_learner_destroy(foray_explorer *explorer);
/* Sigma += psi_u psi_u',  b += psi_u u(s')  with u the pair's target. */
void fy_learner_observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j);
/* Stale once some block's determinant has grown enough. */
void fy_learner_end_episode(foray_explorer *explorer);
void fy_learner_save(foray_explorer *explorer, fy_writer *writer);
void fy_learner_load(foray_explorer *explorer, fy_reader *reader);
foray_status fy_learner_plan(foray_explorer *explorer, int64_t count,
                             const foray_reward *const *rewards, foray_mode mode,
                             foray_policy **policies);
foray_status fy_learner_bound(foray_explorer *explorer, foray_certificate *out);
foray_status fy_learner_theta(foray_explorer *explorer, double *theta, double *half_width);
void fy_learner_describe(foray_explorer *explorer, foray_explorer_facts *facts);
bool fy_learner_regression(foray_explorer *explorer, fy_regression_set *out);
bool fy_learner_needs_budget(const foray_explorer *explorer);

/* All that the tables of these algorithms have in common: what is planned, bounded and told. */
#define FY_LEARNER_OPS                                                                             \
    .destroy = fy_learner_destroy, .plan = fy_learner_plan, .plans_on_sets = true,                 \
    .regression = fy_learner_regression, .bound = fy_learner_bound, .estimate = fy_learner_theta,  \
    .describe = fy_learner_describe

/* And with the regression of UCRL-RFE: its targets, its radii, what it saves. */
#define FY_LEARNER_RFE_OPS                                                                         \
    FY_LEARNER_OPS, .end_episode = fy_learner_end_episode, .save = fy_learner_save,                \
                    .load = fy_learner_load, .needs_budget = fy_learner_needs_budget

/* Explorers that act without regard to what they have learnt, and learn from what they see exactly
 * as UCRL-RFE does: same targets, same regression, same certificates. The references `random`,
 * `generative` and `recorded` are such; they add who chooses and what is observed. */
foray_status fy_passive_create(foray_explorer *explorer);
/* New targets, where it is time. */
void fy_passive_begin_episode(foray_explorer *explorer);
#define FY_PASSIVE_OPS                                                                             \
    FY_LEARNER_RFE_OPS, .create = fy_passive_create, .begin_episode = fy_passive_begin_episode

#endif
