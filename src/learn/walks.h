/* walks.h - where to look for the maximum of a convex function over the zonotope of
 * a generator set: a plan of visits for every set, made once.
 *
 * Parallel generators are merged into *groups* (in a vertex they have the same f,
 * opposite ones the opposite f), so that a vertex is a subset of the groups:
 *
 *     psi_f = o + sum_{k in subset} h_k,   h_k = sum of the generators one way
 *                                                - sum of those the other way,
 *     o = the sum of all that point the other way
 *
 * tree    all subsets are visited: nothing is stored, and the sets that share a way
 *         of merging share the walk. For h_k that are independent, or nearly so, these
 *         are the vertices (all but two of the subsets when the h_k sum to 0).
 * listed  only the vertices are visited: stored as the flips of groups that lead from
 *         one to the next, mostly one each. Sets with equal generators share a list.
 *
 * Centred generators sum to 0, so the zonotope is symmetric: psi_{1-f} = -psi_f, and
 * half of the vertices are enough. */
#ifndef FY_WALKS_H
#define FY_WALKS_H

#include "model/basis.h"

/* A flip is a group and, in the last one before a visit, this mark. */
enum { FY_FLIP_VISIT = 0x8000, FY_FLIP_GROUP = 0x7fff };

typedef struct fy_walk {
    int32_t generators, groups;
    bool listed;
    int64_t at_side;       /* first entry in `side` */
    int64_t at_flip;       /* listed: first entry in `flip` */
    int64_t flips;         /* listed: how many */
    int64_t vertices;      /* of the whole zonotope; of a tree: at most so many */
    int64_t visits;        /* points looked at */
    int64_t generator_set; /* the first set that walks here */
} fy_walk;

typedef struct fy_walks {
    bool half;          /* symmetric: the last group of a tree, the first of a list, is out */
    int64_t count;      /* different walks */
    fy_walk *walk;      /* [count] */
    int32_t *walk_of;   /* [generator_sets] */
    int32_t *side;      /* per generator: 0: zero; k+1: in group k; -(k+1): in it the other way */
    uint16_t *flip;     /* lists, starting from the empty subset, which is visited as well */
    int64_t vertices;   /* summed over all sets */
    int64_t visits;     /* the same */
    int64_t bytes;      /* of the lists */
    int32_t max_groups; /* in any walk */
} fy_walks;

/* How much a solve may look at, and how much the lists may take. */
typedef struct fy_walks_limits {
    int64_t visits, bytes;
} fy_walks_limits;

/* FORAY_ERROR_USAGE, saying at which (s,a), before enumerating what exceeds the limits. */
foray_status fy_walks_create(fy_arena *arena, const fy_basis *basis, fy_walks_limits limits,
                             fy_walks **out);

/* ------------------------------------------------------------------ for tests alone
 *
 * The cells of a central arrangement of hyperplanes: the vertices of the zonotope
 * { sum_k f_k h_k : f in [0,1] } are its points that maximise some <u, .>: f_k = [<h_k, u> > 0]. So
 * they are the cells into which the hyperplanes { u : <h_k, u> = 0 } cut space, one sign per k for
 * each. */
typedef struct fy_cells {
    int64_t vectors, dim;
    int64_t words; /* of 64 signs, per cell */
    int64_t count, capacity;
    uint64_t *sign;  /* [count][words]: bit k is set where <h_k, u> > 0 */
    double *witness; /* [count][dim]: such a u, of norm 1 */
} fy_cells;

/* The cells with <h_0, u> > 0; the others are their opposites. `vector` holds
 * `count` >= 1 rows of `dim` numbers, of norm 1, no two parallel, of the given rank.
 * FORAY_ERROR_USAGE, without a message, if rounding finds more cells than there can be:
 * some vectors are nearly, but not quite, dependent. After a failure `cells` is empty. */
foray_status fy_cells_find(foray_context *ctx, int64_t count, int64_t dim, int64_t rank,
                           const double *vector, fy_cells *cells);
void fy_cells_free(fy_cells *cells);

/* min(2^count, 2 sum_{i<rank} C(count-1, i)): how many cells there are at most,
 * and in general position exactly; INT64_MAX if that is not representable. */
int64_t fy_cells_bound(int64_t count, int64_t rank);

/* Two directions nearer than this, as unit vectors, count as parallel. */
#define FY_PARALLEL 1e-9

/* Scales rows to norm 1; merges parallel and opposite ones: side[j] = k+1 if row j points
 * the way of merged row k, -(k+1) if the other way. Merged rows are put first; returns
 * how many there are. No row may be zero. */
int64_t fy_merge_parallel(int64_t count, int64_t dim, double *row, int32_t *side);

#endif
