/* lowerbound_rates.c - success rates with their intervals. */
#include "experiments/lowerbound.h"

#include <math.h>

int64_t fy_lb_rates_count(const fy_lab *lab, int kind)
{
    int multiples = fy_lb_multiples(kind);
    int64_t count = 0;
    for (int64_t i = 0; i < fy_lab_count(lab, multiples); i++)
        count += fy_lb_episodes(lab, kind, fy_lab_number(lab, multiples, i)) >= 1;
    return count;
}

/* The rows of one cell, which are those of one member, at one multiple. */
static void count_cell(const fy_rows *rows, double multiple, int64_t *trials, int64_t *successes,
                       int64_t *found)
{
    for (int64_t r = 0; r < rows->count; r++) {
        const double *row = fy_rows_at(rows, r);
        if (row[FY_LB_C_MULTIPLE] != multiple)
            continue;
        (*trials)++;
        *successes += row[FY_LB_C_SUCCESS] != 0;
        *found += row[FY_LB_C_FOUND] != 0;
    }
}

static bool is_of(const fy_lab_cell *cell, int kind, int64_t algorithm)
{
    return cell->at[FY_LB_AT_CLASS] == kind && cell->at[FY_LB_AT_ALGORITHM] == algorithm;
}

static int64_t members_of(const fy_lab *lab, int kind, int64_t algorithm)
{
    int64_t members = 0;
    for (int64_t c = 0; c < lab->cells; c++)
        members += is_of(&lab->cell[c], kind, algorithm);
    return members;
}

/* The least of m rates lies within the least of m lower limits and the least of m upper
 * ones, if each interval holds with a probability of 1 - (1 - confidence)/m. */
static void take_member(fy_lb_rate *rate, int64_t members, int64_t trials, int64_t successes)
{
    double confidence = 1 - (1 - fy_lb_confidence) / (double)members;
    fy_interval interval = fy_binomial_interval(trials, successes, confidence);
    rate->worst = fmin(rate->worst, (double)successes / (double)trials);
    rate->of_worst.low = fmin(rate->of_worst.low, interval.low);
    rate->of_worst.high = fmin(rate->of_worst.high, interval.high);
}

static void fill_rate(const fy_lab *lab, int kind, int64_t algorithm, fy_lb_rate *rate)
{
    int64_t members = members_of(lab, kind, algorithm);
    rate->worst = rate->of_worst.low = rate->of_worst.high = 1;
    for (int64_t c = 0; c < lab->cells; c++) {
        int64_t trials = 0, successes = 0;
        if (!is_of(&lab->cell[c], kind, algorithm))
            continue;
        count_cell(&lab->rows[c], rate->multiple, &trials, &successes, &rate->found);
        rate->trials += trials;
        rate->successes += successes;
        take_member(rate, members, trials, successes);
    }
    rate->mean = (double)rate->successes / (double)rate->trials;
    rate->interval = fy_binomial_interval(rate->trials, rate->successes, fy_lb_confidence);
}

fy_lb_rate *fy_lb_rates_create(const fy_lab *lab, int kind, int64_t algorithm)
{
    fy_lb_rate *rates;
    int multiples = fy_lb_multiples(kind);
    if (!FY_ALLOC(lab->ctx, rates, fy_lb_rates_count(lab, kind)))
        return NULL;
    for (int64_t i = 0, n = 0; i < fy_lab_count(lab, multiples); i++) {
        double multiple = fy_lab_number(lab, multiples, i);
        double episodes = fy_lb_episodes(lab, kind, multiple);
        if (episodes < 1)
            continue;
        rates[n].multiple = multiple;
        rates[n].episodes = episodes;
        fill_rate(lab, kind, algorithm, &rates[n++]);
    }
    return rates;
}

int64_t fy_lb_reached(const fy_lab *lab, int64_t count, const fy_lb_rate *rate)
{
    double wanted = 1 - fy_lab_real(lab, FY_LB_DELTA);
    int64_t first = count;
    while (first > 0 && rate[first - 1].mean >= wanted - 1e-12)
        first--;
    return first < count ? first : -1;
}
