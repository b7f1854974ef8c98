/* open.h - models of which nothing is known but their sizes, by name. */
#ifndef FY_OPEN_H
#define FY_OPEN_H

#include "world/spec.h"

/* "open" and its parameters, as a table of one row. */
bool fy_open_describe(int64_t index, foray_world_info *info);

#endif
