/* drift_open.h - drift.c for open models. */
#ifndef FY_DRIFT_OPEN_H
#define FY_DRIFT_OPEN_H

#include "run/run.h"

/* foray_run_check_data, of a run whose model is open. */
foray_status fy_run_check_open(foray_run *run, const char *path, double delta, foray_drift **out);

#endif
