/* centre.h - the solution of the equations of one block:
 *
 *     theta_0  of minimum norm with <w, theta_0> = 1 for every equation w
 *     N        an orthonormal basis of the complement of their span
 *
 * by Householder's QR factorisation with column pivoting of the matrix whose
 * columns are the equations. It is written out rather than LAPACK's: blocks are
 * small, and sums must not depend on the number of threads. */
#ifndef FY_CENTRE_H
#define FY_CENTRE_H

#include "model/equations.h"

/* Blocks with more coordinates than this have no place in a dense matrix. */
enum { FY_CENTRE_MOST_COORDS = 4096 };

typedef struct fy_centre {
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
