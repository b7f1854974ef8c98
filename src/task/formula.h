/* formula.h - linear temporal logic on finite traces: what an episode s_0..s_H satisfies.
 *
 * A formula is kept in negation normal form, every subformula once: negations stand before atoms
 * only, because each operator has a dual (X and N, F and G, U and R; f W g is g R (f | g)). */
#ifndef FY_FORMULA_H
#define FY_FORMULA_H

#include "base/index.h"

/* More than anybody writes; a formula comes from outside. */
enum {
    FY_FORMULA_BYTES = 1 << 16,
    FY_FORMULA_ATOMS = 64, /* different ones: a set of them is a word */
    FY_FORMULA_NESTED = 200,
    FY_FORMULA_NODES = 4096, /* operators and atoms, with the duals that ! and -> need */
};

/* Negative k of FINALLY and GLOBALLY: without a bound. */
typedef enum fy_operator {
    FY_TRUE,
    FY_FALSE,
    FY_ATOM,     /* k: which one */
    FY_NOT_ATOM, /* the same */
    FY_AND,
    FY_OR,
    FY_NEXT,      /* X f: there is a next state, and f holds from it on */
    FY_WEAK_NEXT, /* N f: there is none, or f holds from it on */
    FY_FINALLY,   /* F f, F<=k f */
    FY_GLOBALLY,  /* G f, G<=k f */
    FY_UNTIL,     /* f U g */
    FY_RELEASE,   /* f R g: g holds up to and with the first f, or to the end */
} fy_operator;

typedef struct fy_node {
    fy_operator kind;
    int32_t left, right; /* nodes; -1: none. Unary operators have `left` */
    int32_t k;
} fy_node;

/* An atom as it is written: a label, "the name of a state" or of a label, the number of a state. */
typedef enum fy_atom_kind { FY_ATOM_LABEL, FY_ATOM_NAME, FY_ATOM_NUMBER } fy_atom_kind;
typedef struct fy_atom {
    fy_atom_kind kind;
    const char *text; /* without its quotes */
    int64_t number;
} fy_atom;

typedef struct fy_formula {
    fy_arena arena;
    int64_t nodes, node_room, max_nodes;
    fy_node *node;
    int32_t *dual; /* -1: not needed yet */
    int64_t dual_room;
    fy_index index; /* of nodes */
    int64_t atoms;
    fy_atom atom[FY_FORMULA_ATOMS];
    int32_t root;
} fy_formula;

/* Reads a formula of traces of `horizon` steps, where a bound of that and more is none. Unary
 * operators bind tightest, then U R W (to the right), then &, then |, then -> (to the right).
 * FORAY_ERROR_INPUT names the column. */
foray_status fy_formula_parse(foray_context *ctx, const char *text, int64_t horizon,
                              fy_formula *out);
void fy_formula_release(fy_formula *formula);

/* The node of this kind, made if there is none; -1: no memory, or more than max_nodes. */
int32_t fy_formula_node(fy_formula *formula, fy_operator kind, int32_t left, int32_t right,
                        int32_t k);

#endif
