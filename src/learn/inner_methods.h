/* inner_methods.h - the three ways to maximise ||psi'_f||_{Sigma^-1} over f, each for
 * one generator set whose generators have been whitened: psi'_f becomes
 * sum_j f_j w_j, with the Euclidean norm. */
#ifndef FY_INNER_METHODS_H
#define FY_INNER_METHODS_H

#include "learn/dense.h"
#include "learn/inner.h"

typedef struct fy_inner_task {
    const fy_inner *inner;
    int64_t generator_set, n, d;
    int64_t width;   /* of a row: d padded */
    const double *w; /* [n][width] */
    double *room;    /* as much as the method's fy_..._room said */
    uint64_t *bits;  /* in: the last maximiser; out: the new one */
    double value;    /* out: ||psi'_f|| of the maximiser */
    double upper;    /* out: upper bound of the maximum */
} fy_inner_task;

/* Larger by more than rounding: of maximisers that tie, the first one met is kept,
 * whatever the compiler made of the sums. */
static inline bool fy_exceeds(double squared, double best)
{
    return squared > best * (1 + 1e-12);
}

/* The next `count` numbers of a thread's room. */
static inline double *fy_take(double **room, int64_t count)
{
    double *taken = *room;
    *room += count;
    return taken;
}

static inline void fy_inner_set_bit(uint64_t *bits, int64_t j, bool on)
{
    uint64_t bit = (uint64_t)1 << (j % 64);
    bits[j / 64] = on ? bits[j / 64] | bit : bits[j / 64] & ~bit;
}

/* ||sum_j f_j w_j|| of the bits, from scratch; y is room for a row. */
double fy_inner_value(const fy_inner_task *task, double *y);

/* How many numbers of room a task needs at most. */
int64_t fy_exact_room(const fy_basis *basis, const fy_walks *walks);
int64_t fy_l1_room(const fy_basis *basis);
int64_t fy_ascent_room(const fy_basis *basis);

void fy_exact_solve(fy_inner_task *task);
void fy_l1_solve(fy_inner_task *task);
void fy_ascent_solve(fy_inner_task *task);

/* l1 walks 2^d_g sign vectors: blocks may not be larger than this. */
enum { FY_L1_MOST_DIM = 24 };

/* Sigma^{-1/2} of a block, symmetric, d rows of d numbers; room holds 2 d^2 more. */
void fy_l1_root(const fy_ridge *ridge, int64_t block, double *root, double *room);

#endif
