/* coverage.h - one run in a world whose truth is known, watched: did the confidence sets
 * contain the truth, and were the certificates at least the true gaps? */
#ifndef FY_COVERAGE_H
#define FY_COVERAGE_H

#include "measure/measure.h"

/* Shares of what was allowed, each the largest met: up to 1 everything held. */
typedef struct fy_coverage_outcome {
    double set;  /* ||z - z*||_Sigma / radius, over all episodes and blocks; NaN: no sets */
    double all;  /* worst gap / bound for all rewards, over all checkpoints; NaN: no bound */
    double each; /* gap / certificate, over checkpoints, rewards and modes of planning */
    /* At the end. */
    double bound, gap;        /* for all rewards, and the worst gap that was found */
    double certificate, loss; /* of pessimistic plans, and their gaps: means over rewards */
} fy_coverage_outcome;

/* Plays settings->episodes episodes. Sets are looked at before the first and after each;
 * the rest at 1, 4, 16, ... and at the end. `certificates` is what these rest on: the settings'
 * radius, or the likelihood, whose sets are looked at with the rest. The bound for all rewards is
 * about optimistic plans, that from likelihoods about plug-in plans; the adversary of the search
 * climbs for `rounds` rounds to a reward for which these are bad. */
foray_status fy_coverage_run(foray_context *ctx, const foray_model *model,
                             const foray_settings *settings, foray_radius certificates,
                             fy_worst_search *search, int64_t rounds, fy_coverage_outcome *out);

/* Did everything hold that there is? */
static inline bool fy_coverage_holds(const fy_coverage_outcome *found)
{
    return !(found->set > 1.0) && !(found->all > 1.0) && found->each <= 1.0;
}

#endif
