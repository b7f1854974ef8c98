/* oracle_umb.h - another reader of UMB files, and robust values of what they say. */
#ifndef FY_ORACLE_UMB_H
#define FY_ORACLE_UMB_H

#include "foray/foray.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct umb_file {
    const char *data;
    size_t size;
    int64_t states, choices, branches;
    const uint64_t *first_choice, *first_branch, *target; /* little-endian machines only */
    const double *interval;                               /* low and high of each branch */
    const double *reward;                                 /* of choices, "r0"; or NULL: */
    const double *branch_reward;                          /* of branches; or NULL: */
    const uint64_t *reach, *avoid;                        /* labels "l0" and "l1"; or NULL */
} umb_file;

/* A member of a tar file; NULL: it is not there. */
const void *umb_member(const char *data, size_t size, const char *name, size_t *length);

/* An interval model with one reward, of choices or of branches, or labels: the first is of states
 * to reach (unless its name is "avoid"), the second of states to avoid. False: something is
 * missing. */
bool umb_open(const char *data, size_t size, umb_file *out);

/* The most that a policy can earn from state s in `horizon` steps if nature, who chooses a law
 * within the intervals in every step, is kind or not; out[states]. `shrink` moves every bound
 * towards the middle of its interval: 0 leaves it, 1 makes it a point. With labels: the largest
 * probability of reaching the ones before the others, or of never reaching the others. */
void umb_robust_values(const umb_file *file, int64_t horizon, bool kind, double shrink,
                       double *out);

/* Is the truth, a mean over the model's first states, between the two natures? *width: how far they
 * are apart. */
bool umb_contains(const umb_file *file, const foray_model *model, double truth, double shrink,
                  double *width);

#endif
