/* equations.h - what is known of theta beforehand: <psi_1(s,a), theta> = 1 for
 * every (s,a), where psi_1 = sum_{s'} phi(s'|s,a). Each different equation is
 * kept once, with the block it speaks about. */
#ifndef FY_EQUATIONS_H
#define FY_EQUATIONS_H

#include "model/basis.h"

/* One equation: <value, theta[coord[index]]> = 1, with indices within its block. */
typedef struct fy_equation {
    int32_t block; /* counted from the first that was asked for */
    int32_t count;
    int32_t *index; /* ascending */
    double *value;
} fy_equation;

typedef struct fy_equations {
    fy_arena arena;
    int64_t count;
    fy_equation *equation; /* by block, in lexicographic order within a block */
    int64_t *start;        /* [blocks+1] first equation of each block asked for */
    int32_t *index;        /* storage */
    double *value;
    /* Of equations put together one block after the other: how many blocks and entries, and how
     * many of each, and of equations, fit. */
    int64_t blocks, entries, room, entry_room, block_room;
} fy_equations;

/* Collects the equations of `blocks` blocks from `first` on; the basis knows its blocks. */
foray_status fy_equations_create(foray_context *ctx, const fy_basis *basis, int64_t first,
                                 int64_t blocks, fy_equations *out);
void fy_equations_destroy(fy_equations *equations);

/* Adds a block of other equations to those of the blocks that were added before. */
foray_status fy_equations_add(foray_context *ctx, fy_equations *to, const fy_equations *from,
                              int64_t block);

/* Do two blocks have the same equations, bit for bit? And a hash that tells most of them apart. */
bool fy_equations_equal(const fy_equations *one, int64_t a, const fy_equations *other, int64_t b);
uint64_t fy_equations_hash(const fy_equations *equations, int64_t block);

/* The solution of the equations of one block:
 *
 *     theta_0  of minimum norm with <w, theta_0> = 1 for every equation w
 *     N        an orthonormal basis of the complement of their span
 *
 * by Householder's QR factorisation with column pivoting of the matrix whose
 * columns are the equations. It is written out rather than LAPACK's: blocks are
 * small, and sums must not depend on the number of threads. */

/* Blocks with more coordinates than this have no place in a dense matrix. */
enum { FY_CENTRE_MAX_COORDS = 4096 };

typedef struct fy_centre {
    fy_arena arena;
    int32_t coords;
    int32_t rank;      /* of the equations so far; coords - rank unknowns are left */
    int64_t columns;   /* in the matrix at hand */
    double *column;    /* [room][coords]: reflectors below R once factorised */
    double *right;     /* [room] right-hand side of each column */
    double *beta;      /* [most_coords] of the reflectors */
    double *solution;  /* [most_coords] theta_0 */
    double *workspace; /* [most_coords] */
    int64_t *source;   /* [room] equation behind each column */
} fy_centre;

/* Room for blocks of up to `most_coords` coordinates. */
foray_status fy_centre_create(foray_context *ctx, int32_t most_coords, fy_centre *out);
void fy_centre_destroy(fy_centre *centre);

/* Factorises the equations of a block and sets `rank` and `solution`. */
void fy_centre_solve(fy_centre *centre, const fy_equations *equations, int64_t block,
                     int32_t coords);

/* N, [coords][coords - rank], of the equations just solved. */
void fy_centre_basis(fy_centre *centre, double *basis);

#endif
