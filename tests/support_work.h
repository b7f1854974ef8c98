/* support_work.h - looks on while the lab works in parts, and stops it. */
#ifndef FY_TESTS_SUPPORT_WORK_H
#define FY_TESTS_SUPPORT_WORK_H

#include "support.h"

#include <foray/lab.h>

/* Says stop once so many of the parts have ended. */
typedef struct support_watch {
    int64_t parts, stop_after;
    foray_work_progress last;
} support_watch;

/* To be called with a support_watch: fails the test where progress goes back or beyond the end. */
bool support_look(void *watch, const foray_work_progress *now);

#endif
