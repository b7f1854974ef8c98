/* whiten.h - L y = x for many x at once, compiled once for every level (base/level.h). */
#ifndef FY_WHITEN_H
#define FY_WHITEN_H

#include "base/level.h"

/* x <- L^-1 x for `count` vectors of d numbers each; L packed lower, row by row. */
typedef void fy_whiten(int64_t d, const double *factor, int64_t count, double *x);

#define FY_WHITEN(level) fy_whiten fy_whiten_##level;
FY_LEVEL_LIST(FY_WHITEN)
#undef FY_WHITEN

#endif
