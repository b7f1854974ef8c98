/* oracle_task.h - formulas over words as the definition has them, and random ones. */
#ifndef FY_TESTS_ORACLE_TASK_H
#define FY_TESTS_ORACLE_TASK_H

#include "support.h"

/* A formula as it is written, with what is made from other operators too. */
typedef enum oracle_kind {
    T, /* true */
    E, /* false */
    A, /* an atom */
    NOT,
    X,
    N,
    F,
    G,
    F_K,
    G_K,
    AND,
    OR,
    IMPLIES,
    U,
    R,
    W,
    KINDS
} oracle_kind;

typedef struct oracle_tree {
    oracle_kind kind;
    int atom;
    int64_t k;
    int left, right;
} oracle_tree;

/* Atoms are called a and "b". */
enum { TREES = 64, ATOMS = 2, LETTERS = 1 << ATOMS };

/* Does word[i..end-1], which is not empty, satisfy it? Letters are sets of atoms, as bits. */
bool oracle_holds(const oracle_tree *all, int at, const int *word, int i, int end);

/* A random formula of at most so many operators within each other; returns its root. */
int oracle_grow(support_random *random, oracle_tree *all, int *count, int depth);

/* As text, behind what is there, with as few brackets as the grammar allows. `within`: how tightly
 * what is around it binds; 0: nothing is. */
void oracle_write(const oracle_tree *all, int at, int within, char *text);

#endif
