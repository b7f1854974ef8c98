/* oracle_worth.h - what policies are worth under every law of a set, and how far apart, as the page
 * says it: dense matrices over all states and all unknowns, nothing saved. */
#ifndef FY_TESTS_ORACLE_WORTH_H
#define FY_TESTS_ORACLE_WORTH_H

#include "certify/confidence.h"

enum { ORACLE_STATES = 8, ORACLE_ACTIONS = 4, ORACLE_STEPS = 8, ORACLE_UNKNOWNS = 96 };

/* What a control gets wrong. */
typedef enum oracle_mistake {
    ORACLE_RIGHT,
    ORACLE_NO_U,     /* U = 0 wherever pi(a|s) > 0 */
    ORACLE_NO_BOUND, /* the clip of a reward in [0,1], whatever the reward */
} oracle_mistake;

typedef struct oracle_worth {
    double value, E;           /* at mu */
    double J[ORACLE_UNKNOWNS]; /* at mu */
    double loss;               /* D(mu), without V_bar - V_low */
} oracle_worth;

/* chance: [horizon][states][actions]; reward: [horizon][states][actions], the policy's values. */
void oracle_worth_of(const fy_confidence *set, const double *reward, const double *chance,
                     oracle_mistake mistake, oracle_worth *out);
/* R of two policies: the smallest of E_a + E_b, F(a,b), F(b,a). */
double oracle_remainder(const fy_confidence *set, const double *reward, const double *a,
                        const double *b);
/* ||v||_B. */
double oracle_norm(const fy_confidence *set, const double *v);

/* V^pi_theta(mu); with chance NULL, V*_theta(mu). */
double oracle_value(const foray_model *model, const double *theta, const double *reward,
                    const double *chance);

#endif
