/* ablation_effects.c - what a choice changes, paired by seed.
 *
 *   for each seed s:  x_s = log( measure with the choice / measure without )
 *   ratio = exp( interquartile mean of x_s ), with the bootstrap interval of the latter
 *
 * So that ratios are finite: gaps below 0.0001 H count as that, and a target that was not
 * reached counts as reached after twice the episodes, the least that it can have taken. */
#include "experiments/ablation.h"
#include "base/maths.h"

#include <math.h>
#include <stdlib.h>

#define MEASURE_HEADING(name, heading, words) heading,
#define MEASURE_WORDS(name, heading, words) words,
static const char *const headings[] = {FY_AB_MEASURES(MEASURE_HEADING)};
static const char *const words_of[] = {FY_AB_MEASURES(MEASURE_WORDS)};
#undef MEASURE_HEADING
#undef MEASURE_WORDS

const char *fy_ab_measure_heading(int measure)
{
    return headings[measure];
}

const char *fy_ab_measure_words(int measure)
{
    return words_of[measure];
}

static const fy_rows *rows_of(const fy_lab *lab, int64_t world, int64_t choice, int64_t seed)
{
    for (int64_t c = 0; c < lab->cells; c++) {
        const int64_t *at = lab->cell[c].at;
        if (at[FY_AB_AT_WORLD] == world && at[FY_AB_AT_CHOICE] == choice &&
            at[FY_AB_AT_SEED] == seed)
            return &lab->rows[c];
    }
    return NULL;
}

/* The first checkpoint from which on the worst gap is at most the target. */
static double episodes_to_target(const fy_lab *lab, const fy_rows *rows)
{
    int64_t first = rows->count;
    double target = fy_lab_real(lab, FY_AB_TARGET) * fy_rows_at(rows, 0)[FY_AB_C_HORIZON];
    while (first > 0 && fy_rows_at(rows, first - 1)[FY_AB_C_WORST] <= target)
        first--;
    return first < rows->count ? fy_rows_at(rows, first)[FY_AB_C_EPISODES]
                               : 2 * fy_rows_at(rows, rows->count - 1)[FY_AB_C_EPISODES];
}

static double value_of(const fy_lab *lab, const fy_rows *rows, int measure)
{
    static const int column[] = {[FY_AB_M_worst] = FY_AB_C_WORST,
                                 [FY_AB_M_mean] = FY_AB_C_MEAN,
                                 [FY_AB_M_certificate] = FY_AB_C_CERTIFICATE,
                                 [FY_AB_M_bound] = FY_AB_C_BOUND,
                                 [FY_AB_M_plans] = FY_AB_C_PLANS,
                                 [FY_AB_M_seconds] = FY_AB_C_SECONDS};
    if (measure == FY_AB_M_target)
        return episodes_to_target(lab, rows);
    return fy_rows_at(rows, rows->count - 1)[column[measure]];
}

/* The least that a number counts as in a ratio. */
static double floor_of(const fy_rows *rows, int measure)
{
    bool gap = measure == FY_AB_M_worst || measure == FY_AB_M_mean;
    return gap ? 1e-4 * fy_rows_at(rows, 0)[FY_AB_C_HORIZON] : 1e-9;
}

static void pair_up(const fy_lab *lab, int64_t world, int64_t choice, int measure, double *value,
                    double *log_ratio)
{
    for (int64_t s = 0; s < fy_lab_whole(lab, FY_AB_SEEDS); s++) {
        const fy_rows *rows = rows_of(lab, world, choice, s), *base = rows_of(lab, world, 0, s);
        double least = floor_of(base, measure);
        value[s] = value_of(lab, rows, measure);
        log_ratio[s] = fy_log(fmax(value[s], least) / fmax(value_of(lab, base, measure), least));
    }
}

/* Resampling fewer than this shows nothing of what other seeds would do. */
enum { LEAST_SEEDS = 5 };

static foray_status summarise(const fy_lab *lab, const double *value, foray_summary *out)
{
    enum { RESAMPLES = 2000 };
    return foray_summarise(lab->ctx, fy_lab_whole(lab, FY_AB_SEEDS), value, RESAMPLES, 0.95,
                           (uint64_t)fy_lab_whole(lab, FY_AB_SEED), out);
}

foray_status fy_ab_effect_of(const fy_lab *lab, int64_t world, int64_t choice, int measure,
                             fy_ab_effect *out)
{
    double *value = NULL, *log_ratio = NULL;
    int64_t seeds = fy_lab_whole(lab, FY_AB_SEEDS);
    foray_status status = FORAY_ERROR_MEMORY;
    foray_summary of_value, of_ratio;
    if (FY_ALLOC(lab->ctx, value, seeds) && FY_ALLOC(lab->ctx, log_ratio, seeds)) {
        pair_up(lab, world, choice, measure, value, log_ratio);
        status = summarise(lab, value, &of_value);
        if (status == FORAY_OK)
            status = summarise(lab, log_ratio, &of_ratio);
    }
    if (status == FORAY_OK)
        *out = (fy_ab_effect){.value = of_value.iqm,
                              .ratio = fy_exp(of_ratio.iqm),
                              .low = fy_exp(of_ratio.low),
                              .high = fy_exp(of_ratio.high),
                              .told = seeds >= LEAST_SEEDS && of_ratio.low * of_ratio.high > 0};
    free(value);
    free(log_ratio);
    return status;
}
