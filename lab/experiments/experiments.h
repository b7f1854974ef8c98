/* experiments.h - the experiments of the lab, one of them or all. */
#ifndef FY_EXPERIMENTS_H
#define FY_EXPERIMENTS_H

#include "work/lab.h"

/* foray_lab_run, which hands every experiment to `show` (may be NULL), in their order, once all
 * are written; not those of a shard. */
foray_status fy_lab_run(foray_context *ctx, const char *experiment,
                        const foray_lab_options *options, const char *directory,
                        foray_work_fn progress, void *user, fy_lab_show_fn show, void *show_user);

/* The same with "all", for any experiments. */
foray_status fy_lab_run_all(foray_context *ctx, const fy_lab_experiment *const *experiment,
                            int64_t count, const foray_lab_options *options, const char *directory,
                            foray_work_fn progress, void *user, fy_lab_show_fn show,
                            void *show_user);

/* The table. */
extern const fy_lab_experiment *const fy_lab_experiments[];
extern const int64_t fy_lab_experiments_count;

#endif
