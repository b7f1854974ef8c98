/* reality.h - a comparison in a system, whose truth is not known. */
#ifndef FY_REALITY_H
#define FY_REALITY_H

#include "compare/compare.h"

/* What is known of a run, a row for each reward: after how many episodes, what the plan earned in
 * reality on average, and what is promised. */
enum { FY_R_episodes, FY_R_return, FY_R_certificate, FY_R_COUNT };

typedef struct fy_reality {
    fy_compare compare; /* first: what fy_compare_find_run and others see of it */
    const foray_reality *is;
    double *value; /* [rollouts] returns of the plan under way */
} fy_reality;

/* terms.c: what the rows depend on, as fy_compare_terms. */
foray_status fy_reality_terms(const fy_compare *compare, const foray_reality *reality,
                              fy_writer *text);

/* earnings.c: rollouts.csv, summary.csv, summary.txt, verdict.txt */
foray_status fy_reality_write_results(const fy_reality *reality);

#endif
