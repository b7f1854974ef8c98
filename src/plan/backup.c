/* backup.c - backup.inc for one reward and many, and for both precisions of R; all of it once
 * for every level. */
#include "plan/lanes.h"

#include <float.h>

/* Sets of at most this many columns have their loops unrolled. */
enum { FY_SMALL = 8 };
#define FY_SMALL_CASES(CASE) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8)

/* Pairs between asking for a reward, p or R and using it. For values, lanes.h says it. */
enum { FY_FAR = 32 };

/* What rounding may do to a Q, relative to its size (and to 1). */
static const double FY_ROUNDING = 1e-12;

#define LANE(x) one_##x
#define FACTOR double
#define BACKUP(x) backup_one_double_##x
#include "plan/backup.inc"
#undef FACTOR
#undef BACKUP
#define FACTOR float
#define BACKUP(x) backup_one_single_##x
#include "plan/backup.inc"
#undef FACTOR
#undef BACKUP
#undef LANE

#define LANE(x) many_##x
#define FACTOR double
#define BACKUP(x) backup_many_double_##x
#include "plan/backup.inc"
#undef FACTOR
#undef BACKUP
#define FACTOR float
#define BACKUP(x) backup_many_single_##x
#include "plan/backup.inc"
#undef FACTOR
#undef BACKUP
#undef LANE

const fy_backups FY_AT_LEVEL(fy_backups) = {.one_double = backup_one_double_states,
                                            .one_single = backup_one_single_states,
                                            .many_double = backup_many_double_states,
                                            .many_single = backup_many_single_states};
