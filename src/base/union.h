/* union.h - union-find: which of the numbers 0, ..., n-1 belong together, as pairs are joined.
 *
 *   parent[i] <= i,   root(i) = the smallest number that belongs together with i
 *
 * The caller lets each number begin as its own component: parent[i] = i. Roots do not depend on
 * the order in which pairs are joined. */
#ifndef FY_UNION_H
#define FY_UNION_H

#include "base/base.h"

/* root(i); the path to it is halved on the way. */
int32_t fy_union_root(int32_t *parent, int32_t i);
/* i and j belong together from now on, and with them all that belongs with either. */
void fy_union_join(int32_t *parent, int32_t i, int32_t j);

#endif
