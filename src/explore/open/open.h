/* open.h - explorers of open models: which algorithms there are. */
#ifndef FY_EXPLORE_OPEN_H
#define FY_EXPLORE_OPEN_H

#include "explore/open/seen.h"

/* The algorithm of this name for open models; NULL: it needs to know more. */
const fy_explorer_ops *fy_open_algorithm(const char *name);

/* What an explorer of an open model has seen. */
const fy_seen *fy_open_seen(const foray_explorer *explorer);

#endif
