/* support_laws.h - laws inside the confidence set of a certifier, for adversaries. */
#ifndef SUPPORT_LAWS_H
#define SUPPORT_LAWS_H

#include "certify/certifier.h"
#include "support.h"

/* Is theta in every block's ellipsoid, likely enough where that is known directly, and are its
 * weights a law? */
bool support_law_inside(const fy_certifier *certifier, const double *theta);

/* The centre of the set, with no weight below 0. */
void support_law_centre(const fy_certifier *certifier, double *theta);

/* One block's weights a random step towards a random law. */
void support_law_move(const fy_certifier *certifier, support_random *random, const double *from,
                      double *to);

#endif
