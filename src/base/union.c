/* union.c - union-find with halved paths, in which the smaller root wins. */
#include "base/union.h"

int32_t fy_union_root(int32_t *parent, int32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* parent[max(root(i), root(j))] = min(root(i), root(j)) */
void fy_union_join(int32_t *parent, int32_t i, int32_t j)
{
    i = fy_union_root(parent, i);
    j = fy_union_root(parent, j);
    if (i < j)
        parent[j] = i;
    else
        parent[i] = j;
}
