/* clock.c - what time limits, rates and saving now and then are measured by. */
#include <time.h>

#include "base/base.h"

double fy_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
