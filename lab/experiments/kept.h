/* kept.h - one run of UCRL-RFE with the constants of the theorem, measured against what the
 * theorem promises. */
#ifndef FY_KEPT_H
#define FY_KEPT_H

#include "experiments/promise.h"
#include "measure/measure.h"

/* After some episodes. */
typedef struct fy_kept {
    int64_t episode, plans;
    double gap;         /* the worst gap that was found, of optimistic plans */
    double bound;       /* the certificate for all rewards */
    double target;      /* H V*_1(r): what the proof bounds the gap by, in the true model */
    double distance;    /* ||theta - theta*||_Sigma / beta now */
    double information; /* log det Sigma/det(lambda I) */
    double bonus;       /* sum of min{H-h+1, 2 beta (1 + 1/H) w} over all steps; NaN if plans
                         * are not made in every episode */
} fy_kept;

/* Who hears of a run. */
typedef struct fy_kept_listener {
    foray_status (*note)(void *user, const fy_kept *kept); /* at every checkpoint */
    bool (*tell)(void *user, int64_t episode); /* every now and then; false: stop the run */
    void *user;
} fy_kept_listener;

/* Plays settings->episodes episodes of an algorithm with a learner. FORAY_INTERRUPTED: told
 * to stop. */
foray_status fy_kept_run(foray_context *ctx, const foray_model *model,
                         const foray_settings *settings, fy_judge *judge, int64_t rounds,
                         const fy_kept_listener *listener);

#endif
