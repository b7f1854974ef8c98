/* errors.h - upper bounds on errors, and acting greedily in them: what RF-UCRL and
 * RF-Express share.
 *
 *   E_h(s,a) = min{ c_h, range_h w(n_h(s,a)) + growth sum_j p^_h(j|s,a) max_b E_{h+1}(s_j,b) }
 *   pi_h(s)  = argmax_a E_h(s,a)
 *   never visited: w is beyond any clip, so that E_h = c_h wherever range_h > 0
 *
 * The algorithms differ in the width w, the range, the growth and the clip c_h.
 *
 * After an episode only those E_h(s,a) can differ whose counts changed, or one of
 * whose successors has another max_b E_{h+1}. Only these are recomputed, from the
 * last step to the first, with the very operations of the full recursion: the
 * result is the same to the last bit. */
#ifndef FY_ERRORS_H
#define FY_ERRORS_H

#include "explore/tabular/counts.h"

typedef struct fy_errors {
    foray_context *ctx;
    const foray_model *model;
    const foray_settings *settings;
    fy_counts *counts;

    /* The rule; the algorithm fills it in before fy_errors_start. */
    double (*width)(const foray_explorer *explorer, double visits); /* w(n), n >= 1 */
    double (*error)(double mean); /* of any value, from sum_s mu(s) max_a E_1(s,a) */
    double growth;
    double *range, *cap; /* [horizon] */

    /* Functions of the counts, laid out as counts->visits. */
    double *bonus; /* w(n) */
    double *share; /* growth / n, or 0 */

    double *raw;     /* [horizon][pairs] E before clipping */
    double *value;   /* [horizon+1][states] max_b E; the last layer is 0 */
    int32_t *action; /* pi: explorer->followed */
    double *scratch; /* [2][states] */

    /* Unless there is a plan in every episode: visits as they were at the last plan, laid out as
     * counts->visits. */
    double *planned;

    /* Who may lead to a state: transitions into it, and the pairs they start from. */
    int64_t *into_start; /* [states+1] */
    int64_t *into;       /* [transitions] */
    int32_t *into_pair;  /* [transitions] */

    int32_t *visited;                /* [horizon] pairs of the episode under way */
    int32_t *pair_list, *state_list; /* [pairs], [states]: what to recompute */
    int64_t pairs_listed, states_listed;
    bool *pair_is_listed, *state_is_listed;
    int32_t *changed; /* [states]: whose max_b E changed at the last step looked at */
    int64_t changes;
} fy_errors;

/* Makes explorer->self an fy_errors. */
foray_status fy_errors_create(foray_explorer *explorer);

/* The first plan, once the rule has been filled in. */
void fy_errors_start(foray_explorer *explorer);

/* sum_s mu(s) max_a E_1(s,a) for the counts as they are now. */
double fy_errors_mean(const foray_explorer *explorer);

/* The full recursion, whatever has changed: the tables are the same as without it. */
void fy_errors_sweep(fy_errors *errors);

/* Entries for the ops tables. */
void fy_errors_observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j);
void fy_errors_end_episode(foray_explorer *explorer);
/* The best policy of the empirical model, which is within twice the error of the best one: so is
 * the bound for all rewards. */
foray_status fy_errors_plan(foray_explorer *explorer, int64_t count,
                            const foray_reward *const *rewards, foray_mode mode,
                            foray_policy **policies);
foray_status fy_errors_bound(foray_explorer *explorer, foray_certificate *out);
void fy_errors_save(foray_explorer *explorer, fy_writer *writer);
void fy_errors_load(foray_explorer *explorer, fy_reader *reader);

/* All of them: algorithms differ in what they fill in after fy_errors_create. */
#define FY_ERRORS_OPS                                                                              \
    .follows = true, .plans_every_episode = true, .observe = fy_errors_observe,                    \
    .end_episode = fy_errors_end_episode, .plan = fy_errors_plan, .save = fy_errors_save,          \
    .load = fy_errors_load, .needs_budget = fy_never_needs_budget, .bound = fy_errors_bound

#endif
