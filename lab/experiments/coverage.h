/* coverage.h - what the files of the experiment `coverage` share. */
#ifndef FY_COVERAGE_H
#define FY_COVERAGE_H

#include "experiments/lab.h"

/* Parameters. */
enum {
    FY_COVERAGE_RULES,
    FY_COVERAGE_WORLDS,
    FY_COVERAGE_DELTAS,
    FY_COVERAGE_CONTROL_RULES,
    FY_COVERAGE_CONTROL_SCALES,
    FY_COVERAGE_CONTROL_DELTA,
    FY_COVERAGE_EPISODES,
    FY_COVERAGE_REWARDS,
    FY_COVERAGE_ROUNDS,
    FY_COVERAGE_SEEDS,
    FY_COVERAGE_SEED,
    FY_COVERAGE_PARAMETERS
};

/* Columns; a row sums up the runs of one rule in one world. */
enum {
    FY_COVERAGE_C_RULE,
    FY_COVERAGE_C_WORLD,
    FY_COVERAGE_C_DELTA,
    FY_COVERAGE_C_SCALE,
    FY_COVERAGE_C_RUNS,
    FY_COVERAGE_C_HELD, /* how often: everything, */
    FY_COVERAGE_C_SETS, /* and its parts */
    FY_COVERAGE_C_ALL,
    FY_COVERAGE_C_EACH,
    FY_COVERAGE_C_SET_MEDIAN, /* shares of what was allowed */
    FY_COVERAGE_C_SET_MOST,
    FY_COVERAGE_C_ALL_MEDIAN,
    FY_COVERAGE_C_ALL_MOST,
    FY_COVERAGE_C_EACH_MEDIAN,
    FY_COVERAGE_C_EACH_MOST,
    FY_COVERAGE_C_BOUND, /* medians at the end */
    FY_COVERAGE_C_GAP,
    FY_COVERAGE_C_CERTIFICATE,
    FY_COVERAGE_C_LOSS,
    FY_COVERAGE_COLUMNS
};

/* What confidence rests on: an algorithm, its radius, and the radius of certificates. */
typedef struct fy_coverage_rule {
    const char *name, *algorithm;
    foray_radius radius, certificates;
    const char *about;
} fy_coverage_rule;

/* Rule `index`; NULL past the end. */
const fy_coverage_rule *fy_coverage_rule_at(int64_t index);

foray_status fy_coverage_show(fy_lab *lab, fy_content *content);

#endif
