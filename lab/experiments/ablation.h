/* ablation.h - what the files of the experiment `ablation` share.
 *
 *   ablation.c          parameters, cells: one run with one choice changed
 *   ablation_choices.c  the choices
 *   ablation_effects.c  what a choice changes, paired by seed
 *   ablation_results.c  tables, forest plots, findings */
#ifndef FY_ABLATION_H
#define FY_ABLATION_H

#include "experiments/lab.h"
#include "measure/measure.h"

enum {
    FY_AB_WORLDS,
    FY_AB_BASE,
    FY_AB_EPISODES,
    FY_AB_TARGET,
    FY_AB_GOALS,
    FY_AB_REWARDS,
    FY_AB_SEEDS,
    FY_AB_SEED,
    FY_AB_PARAMETERS
};

enum {
    FY_AB_C_WORLD,
    FY_AB_C_CHOICE,
    FY_AB_C_SEED,
    FY_AB_C_HORIZON,
    FY_AB_C_EPISODES,
    FY_AB_C_WORST,
    FY_AB_C_MEAN,
    FY_AB_C_CERTIFICATE,
    FY_AB_C_BOUND,
    FY_AB_C_PLANS,
    FY_AB_C_SECONDS,
    FY_AB_COLUMNS
};

/* What a cell's `at` holds: indices of a world, of a choice and of a seed. */
enum { FY_AB_AT_WORLD, FY_AB_AT_CHOICE, FY_AB_AT_SEED };

/* Choices, by their number; number 0 changes nothing. */
int64_t fy_ab_choices(void);
/* "radius=theorem", and what it is in words. */
extern const char *const fy_ab_choice_names[];
extern const char *const fy_ab_choice_words[];
/* Does the choice differ from the base that is asked for? True of number 0. */
bool fy_ab_choice_applies(const fy_lab *lab, int64_t choice);
/* About how much longer it takes than most. */
double fy_ab_choice_weight(const fy_lab *lab, int64_t choice);
/* How policies are planned: FORAY_PLUGIN, unless that is the choice. */
int fy_ab_choice_mode(int64_t choice);
/* The settings of a run with the i-th seed. */
foray_status fy_ab_settings(foray_context *ctx, const fy_lab *lab, int64_t choice, int64_t i,
                            foray_settings *out);

/* -------------------------------------------------------------------------- effects */

/* What is compared: X(name, heading, words). */
#define FY_AB_MEASURES(X)                                                                          \
    X(worst, "worst gap", "largest gap over all rewards")                                          \
    X(mean, "mean gap", "mean gap over all rewards")                                               \
    X(certificate, "certificate", "mean certificate of the planned policies")                      \
    X(bound, "bound", "certificate for all rewards at once")                                       \
    X(target, "episodes to target", "episodes until the worst gap stays below the target")         \
    X(plans, "plans", "plans made while exploring")                                                \
    X(seconds, "seconds", "processor seconds of exploring")
#define FY_AB_MEASURE_NAME(name, heading, words) FY_AB_M_##name,
enum { FY_AB_MEASURES(FY_AB_MEASURE_NAME) FY_AB_M_COUNT };
#undef FY_AB_MEASURE_NAME
/* All but the last come out the same every time. */
enum { FY_AB_M_STEADY = FY_AB_M_seconds };

const char *fy_ab_measure_heading(int measure);
const char *fy_ab_measure_words(int measure);

/* A choice in a world over all seeds: the interquartile mean, and the ratio to the base,
 * whose logarithm is summarised over pairs of runs with the same seed. */
typedef struct fy_ab_effect {
    double value;
    double ratio, low, high;
    bool told; /* the ratio's interval is all on one side of 1, and made of seeds enough */
} fy_ab_effect;

foray_status fy_ab_effect_of(const fy_lab *lab, int64_t world, int64_t choice, int measure,
                             fy_ab_effect *out);

foray_status fy_ab_show(fy_lab *lab, fy_content *content);

#endif
