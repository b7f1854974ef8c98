/* backup.h - one step of the recursion, compiled once for every level (base/level.h). */
#ifndef FY_BACKUP_H
#define FY_BACKUP_H

#include "base/level.h"
#include "plan/plan.h"

/* Everything one step needs, so that the inner loops read nothing else. */
typedef struct fy_backup {
    const fy_kernel *kernel;
    int64_t pairs, actions, lanes, batch; /* batch: states taken together */
    int64_t alike;                        /* columns of all sets, or 0 */
    bool centred, clip_first;
    const int32_t *generator_set, *succ;
    const int64_t *succ_start, *gen_start;
    const double *p;
    const double *columns; /* p and R of shared sets, or NULL: see fy_kernel */
    const double *spread;  /* the same for many rewards, or NULL */
    const void *factor;    /* R in double or single precision */
    const double *reward;
    double scale, cap, sign, limit, zeta;
    const double *next_value; /* V_{h+1} */
    double *value;            /* V_h */
    const double *next_plain; /* V^_{h+1}: of the policy sought, without bonus; NULL: not asked */
    double *plain;            /* V^_h */
    const int32_t *follow;
    int32_t *policy;
    double *q, *squares; /* of the pairs of a batch, and a free line before q */
} fy_backup;

/* The states from..to-1 of one step: V_h and pi_h from V_{h+1}. */
typedef void fy_backup_states(const fy_backup *step, int64_t from, int64_t to);

/* One reward or FY_LANES of them, R in double or single precision. `spread` says how often every
 * number of p and R is written in fy_kernel's table of that name; 0: there is none. */
struct fy_backups {
    fy_backup_states *one_double, *one_single, *many_double, *many_single;
    int spread;
};

const fy_backups *fy_backups_of(int level);

#define FY_BACKUPS(level) extern const fy_backups fy_backups_##level;
FY_LEVEL_LIST(FY_BACKUPS)
#undef FY_BACKUPS

#endif
