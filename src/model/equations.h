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

#endif
