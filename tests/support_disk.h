/* support_disk.h - a shim between SQLite and the system that counts operations and makes the
 * n-th of them fail, or all from the n-th on, or kills the process at it. */
#ifndef FORAY_SUPPORT_DISK_H
#define FORAY_SUPPORT_DISK_H

#include <stdbool.h>
#include <stdint.h>

enum { DISK_WRITES = 1, DISK_READS = 2 };

/* What the n-th operation meets. */
typedef enum disk_fate { DISK_FAILS_ONCE, DISK_FAILS_FROM_NOW_ON, DISK_KILLS } disk_fate;

/* Puts the shim in front of every database opened from now on. */
void disk_install(void);
/* From now on operations of these kinds count, from 1; the n-th meets its fate. */
void disk_arm(int kinds, int64_t n, disk_fate fate);
void disk_disarm(void);
/* Has an operation met its fate since the shim was armed? */
bool disk_failed(void);

#endif
