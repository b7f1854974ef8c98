/* theorem_run.h - one run of UCRL-RFE with the constants of the theorem, measured against what
 * the theorem promises. */
#ifndef FY_THEOREM_RUN_H
#define FY_THEOREM_RUN_H

#include "experiments/theorem_bound.h"
#include "measure/measure.h"

/* What was measured after some episodes. */
typedef struct fy_theorem_point {
    int64_t episode, plans;
    double gap;         /* the worst gap that was found, of optimistic plans */
    double bound;       /* the certificate for all rewards */
    double exploration; /* H V*_1(r), r the exploration reward: in the true model the proof
                         * bounds the gap by it */
    double distance;    /* ||theta - theta*||_Sigma / beta now */
    double information; /* log det Sigma/det(lambda I) */
    double bonus;       /* sum of min{H-h+1, 2 beta (1 + 1/H) w} over all steps; NaN if plans
                         * are not made in every episode */
} fy_theorem_point;

/* Who hears of a run. */
typedef struct fy_theorem_listener {
    foray_status (*take)(void *user, const fy_theorem_point *point); /* at every checkpoint */
    bool (*progress)(void *user, int64_t episode); /* every now and then; false: stop the run */
    void *user;
} fy_theorem_listener;

/* Plays settings->episodes episodes of an algorithm with a learner. FORAY_INTERRUPTED: told
 * to stop. */
foray_status fy_theorem_run(foray_context *ctx, const foray_model *model,
                            const foray_settings *settings, fy_worst_search *search, int64_t rounds,
                            const fy_theorem_listener *listener);

#endif
