/* lowerbound_rates.c - success rates with their intervals. */
#include "experiments/lowerbound.h"

#include <math.h>

static bool is_of(const fy_lab_cell *cell, int kind, int64_t algorithm)
{
    return cell->at[FY_LB_AT_CLASS] == kind && cell->at[FY_LB_AT_ALGORITHM] == algorithm;
}

/* The rate at rate->multiple, over all members, each of which is a cell. The least of m rates lies
 * within the least of m lower limits and the least of m upper ones, if each interval holds with a
 * probability of 1 - (1 - confidence)/m. */
static void count_rate(const fy_lab *lab, int kind, int64_t algorithm, fy_lb_rate *rate)
{
    int64_t members = 0;
    for (int64_t c = 0; c < lab->cells; c++)
        members += is_of(&lab->cell[c], kind, algorithm);
    double confidence = 1 - (1 - fy_lb_confidence) / (double)members;
    rate->worst = rate->of_worst.low = rate->of_worst.high = 1;
    for (int64_t c = 0; c < lab->cells; c++) {
        int64_t trials = 0, successes = 0;
        if (!is_of(&lab->cell[c], kind, algorithm))
            continue;
        for (int64_t r = 0; r < lab->rows[c].count; r++) {
            const double *row = fy_rows_at(&lab->rows[c], r);
            if (row[FY_LB_C_MULTIPLE] != rate->multiple)
                continue;
            trials++;
            successes += row[FY_LB_C_SUCCESS] != 0;
            rate->found += row[FY_LB_C_FOUND] != 0;
        }
        fy_interval interval = fy_binomial_interval(trials, successes, confidence);
        rate->worst = fmin(rate->worst, (double)successes / (double)trials);
        rate->of_worst.low = fmin(rate->of_worst.low, interval.low);
        rate->of_worst.high = fmin(rate->of_worst.high, interval.high);
        rate->trials += trials;
        rate->successes += successes;
    }
    rate->mean = (double)rate->successes / (double)rate->trials;
    rate->interval = fy_binomial_interval(rate->trials, rate->successes, fy_lb_confidence);
}

foray_status fy_lb_rates_create(const fy_lab *lab, int kind, fy_lb_rates *out)
{
    int multiples = fy_lb_multiples(kind);
    int64_t all = fy_lab_count(lab, multiples);
    fy_lb_rates rates = {.kind = kind, .algorithms = fy_lab_count(lab, FY_LB_ALGORITHMS)};
    for (int64_t i = 0; i < all; i++)
        rates.count += fy_lb_episodes(lab, kind, fy_lab_number(lab, multiples, i)) >= 1;
    if (!FY_ALLOC(lab->ctx, rates.rate, rates.algorithms * rates.count))
        return FORAY_ERROR_MEMORY;
    fy_lb_rate *rate = rates.rate;
    for (int64_t a = 0; a < rates.algorithms; a++)
        for (int64_t i = 0; i < all; i++) {
            double multiple = fy_lab_number(lab, multiples, i);
            double episodes = fy_lb_episodes(lab, kind, multiple);
            if (episodes < 1)
                continue;
            rate->multiple = multiple;
            rate->episodes = episodes;
            count_rate(lab, kind, a, rate++);
        }
    *out = rates;
    return FORAY_OK;
}

int64_t fy_lb_reached(const fy_lab *lab, const fy_lb_rates *rates, int64_t algorithm)
{
    const double wanted = 1 - fy_lab_real(lab, FY_LB_DELTA), rounding = 1e-12;
    int64_t first = rates->count;
    while (first > 0 && fy_lb_rate_at(rates, algorithm, first - 1)->mean >= wanted - rounding)
        first--;
    return first < rates->count ? first : -1;
}
