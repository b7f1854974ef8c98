/* lowerbound.h - what the files of the experiment `lowerbound` share.
 *
 *   lowerbound.c           parameters, cells, trials
 *   hard_class.c           the two classes of worlds: bounds, members, a trial
 *   lowerbound_rates.c     success rates with their intervals, from the rows
 *   lowerbound_results.c   tables, charts, findings */
#ifndef FY_LOWERBOUND_H
#define FY_LOWERBOUND_H

#include "experiments/hard_class.h"
#include "experiments/lab.h"

enum {
    FY_LB_ALGORITHMS,
    FY_LB_HORIZON,
    FY_LB_DELTA,
    FY_LB_DIM,
    FY_LB_EPS,
    FY_LB_MULTIPLES,
    FY_LB_CUBE_DIM,
    FY_LB_CUBE_EPS,
    FY_LB_CUBE_MULTIPLES,
    FY_LB_MEMBERS,
    FY_LB_SEEDS,
    FY_LB_SEED,
    FY_LB_MODE,
    FY_LB_PARAMETERS
};

enum {
    FY_LB_C_CLASS,
    FY_LB_C_ALGORITHM,
    FY_LB_C_MEMBER,
    FY_LB_C_SEED,
    FY_LB_C_MULTIPLE,
    FY_LB_C_EPISODES,
    FY_LB_C_GAP,
    FY_LB_C_SUCCESS,
    FY_LB_C_FOUND,
    FY_LB_COLUMNS
};

/* What a cell's `at` holds: a class, the index of an algorithm, the index among the members. */
enum { FY_LB_AT_CLASS, FY_LB_AT_ALGORITHM, FY_LB_AT_MEMBER };

/* A class with the parameters that are asked for. */
fy_hard_class fy_lb_hard(const fy_lab *lab, int kind);
/* Its list of multiples: a parameter. */
int fy_lb_multiples(int kind);
/* Episodes at a multiple of the bound; below 1: there is nothing to try. */
double fy_lb_episodes(const fy_lab *lab, int kind, double multiple);

/* ---------------------------------------------------------------------------- rates */

static const double fy_lb_confidence = 0.95;

/* How often one algorithm succeeded at one multiple. */
typedef struct fy_lb_rate {
    double multiple, episodes;
    int64_t trials, successes, found;
    double mean;          /* over all trials */
    fy_interval interval; /* of that: Clopper and Pearson */
    double worst;         /* of the members, each over its seeds */
    fy_interval of_worst; /* holds for the true worst with all members at once */
} fy_lb_rate;

/* The rates of all algorithms in a class, at each multiple that gives at least an episode. */
typedef struct fy_lb_rates {
    int kind;
    int64_t algorithms, count;
    fy_lb_rate *rate; /* [algorithms][count]; released with free() */
} fy_lb_rates;

foray_status fy_lb_rates_create(const fy_lab *lab, int kind, fy_lb_rates *out);

static inline const fy_lb_rate *fy_lb_rate_at(const fy_lb_rates *rates, int64_t algorithm,
                                              int64_t i)
{
    return &rates->rate[algorithm * rates->count + i];
}

/* The index of the first rate of an algorithm from which on all are at least 1 - delta; -1: there
 * is none. */
int64_t fy_lb_reached(const fy_lab *lab, const fy_lb_rates *rates, int64_t algorithm);

foray_status fy_lb_show(fy_lab *lab, fy_content *content);

#endif
