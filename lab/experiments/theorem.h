/* theorem.h - what the files of the experiment `theorem` share. */
#ifndef FY_THEOREM_H
#define FY_THEOREM_H

#include "experiments/lab.h"
#include "experiments/theorem_bound.h"

/* Parameters. */
enum {
    FY_THEOREM_VARIANTS,
    FY_THEOREM_WORLDS,
    FY_THEOREM_EPS,
    FY_THEOREM_DELTA,
    FY_THEOREM_EVERY_BUDGET,
    FY_THEOREM_DOUBLING_BUDGET,
    FY_THEOREM_OTHERS,
    FY_THEOREM_REWARDS,
    FY_THEOREM_ROUNDS,
    FY_THEOREM_SEEDS,
    FY_THEOREM_SEED,
    FY_THEOREM_PARAMETERS
};

/* Columns; a row is a checkpoint of a run. */
enum {
    FY_THEOREM_C_VARIANT,
    FY_THEOREM_C_WORLD,
    FY_THEOREM_C_EPS,
    FY_THEOREM_C_SEED,
    FY_THEOREM_C_PROMISED,
    FY_THEOREM_C_EPISODE,
    FY_THEOREM_C_GAP,
    FY_THEOREM_C_BOUND,
    FY_THEOREM_C_EXPLORATION,
    FY_THEOREM_C_DISTANCE,
    FY_THEOREM_C_INFORMATION,
    FY_THEOREM_C_BONUS,
    FY_THEOREM_C_PLANS,
    FY_THEOREM_COLUMNS
};

/* What a cell's axes mean. The seeds of a run lie side by side. */
enum { FY_THEOREM_AT_VARIANT, FY_THEOREM_AT_WORLD, FY_THEOREM_AT_EPS, FY_THEOREM_AT_SEED };

/* The algorithm as printed, and the changes that its proof allows or asks for. */
typedef struct fy_theorem_variant {
    const char *name, *algorithm;
    int clip, replan;
    const char *about;
} fy_theorem_variant;

/* Variant `index`; NULL past the end. */
const fy_theorem_variant *fy_theorem_variant_at(int64_t index);

/* What K depends on, in a world of the list `parameter`. */
foray_status fy_theorem_world_terms(foray_context *ctx, const fy_lab *lab, int parameter,
                                    int64_t world, fy_theorem_terms *out);

foray_status fy_theorem_show(fy_lab *lab, fy_content *content);

#endif
