/* confidence.h - a confidence set as certificates use it: an ellipsoid for every block, with its
 * centre as probabilities, and how far the set lets each probability move.
 *
 *     P_theta(s_j|s,a) = p_j + <x_j, y_g>,   x_j = beta_g L_g^-1 phi'_j,   ||y_g|| <= 1,
 *     M_g = L_g L_g',   sum_j x_j = 0
 *
 * with one y for all states, actions and steps: that is what makes a certificate sharper than
 * the sum of its parts.
 *
 * Laws whose outcomes are counted one by one (tabular models, classes whose outcomes lead to
 * different states) are also known directly: KL(N/n || P_theta) <= width. That is the same event
 * without an ellipsoid around it, sharper for the mean of one function where n is small. */
#ifndef FY_CONFIDENCE_H
#define FY_CONFIDENCE_H

#include "plan/plan.h"

typedef struct fy_confidence {
    const fy_basis *basis; /* centred, in blocks */
    fy_ridge *ridge;       /* M_g */
    double *z, *radius;    /* centre, beta_g */
    fy_kernel *kernel;     /* for PLAN with this set */
    double *p;             /* [generators] */
    double *x;             /* n rows of d_g numbers for every generator set, */
    int64_t *at_x;         /* [generator_sets+1] where they start */
    double *norm;          /* [generators] ||x_j|| */
    double *work;          /* [4 max_dim] */
    double *often;         /* [generators] N_j/n, where the law is known directly, */
    double *width;         /* [generator_sets] and how well; INFINITY: it is not */
    double *lifted;        /* [max_generators] */
    bool direct;           /* some law is */
    bool laws;             /* no p_j is negative: every centre is a probability law */
    double kappa_factor;   /* at least the largest || |L^-1| |L| ||_2: how rounding grows in x */
} fy_confidence;

/* Room for a set of a model's own basis. */
foray_status fy_confidence_create(fy_arena *arena, const fy_basis *basis, fy_confidence **out);

/* After ridge, z and radius have been filled in: everything that follows from them. */
void fy_confidence_complete(fy_confidence *set);

/* sup P_theta v over the laws of generator set i that are in its likelihood set, v being the values
 * of its successors, rounded up; INFINITY where the law is not known directly. */
double fy_confidence_mean(const fy_confidence *set, int64_t i, const double *v);

/* KL(N/n || P_theta) of generator set i, at most its width where theta is in the set; 0 where the
 * law is not known directly. */
double fy_confidence_divergence(const fy_confidence *set, int64_t i, const double *theta);

/* The largest ||z(theta) - z||_M / beta of a block, and sqrt(KL(N/n || P_theta)/width) of a law
 * that is known directly: at most 1 where theta is in the set. */
double fy_confidence_distance(const fy_confidence *set, const double *theta);

#endif
