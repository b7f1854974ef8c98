/* phi.h - features phi(s,a) of linear MDPs: P(s'|s,a) = <phi(s,a), mu(s')>, ||phi|| <= 1.
 *
 * Where they come from, by the parameter pair_features:
 *   given    the model's own (docs/formats.md)
 *   onehot   one coordinate for each pair, d = S A: every tabular world is a linear MDP
 *   lowrank  P = Phi M by the singular value decomposition of the true P. It takes
 *            theta to know P, so it is for experiments, and never chosen by auto
 *   auto     given, or else onehot
 *
 * Two coordinates belong together when some phi(s,a) has both. The connected components
 * are *blocks*: every phi lies in one of them, and Lambda = I + sum phi phi' is block
 * diagonal. Nothing is approximated, and one-hot features cost what counting costs. */
#ifndef FY_PHI_H
#define FY_PHI_H

#include "base/parameter.h"
#include "model/model.h"

typedef struct fy_phi {
    int64_t dim; /* d, as the source says it */
    int64_t blocks;
    int64_t *block_dim;     /* [blocks] */
    int32_t *block_of_pair; /* [pairs] */
    /* Rows: phi of the pairs of block 0, then of block 1, ...; each dense within its block. */
    int64_t *first_row; /* [blocks+1] */
    int32_t *row_pair;  /* [pairs] whose phi a row is */
    int64_t *at_block;  /* [blocks+1] where the rows of a block start in value */
    int64_t *at_pair;   /* [pairs] where the row of a pair starts in value */
    double *value;
} fy_phi;

/* The parameters of algorithms for linear MDPs, first in their tables. */
enum { FY_PHI_SOURCE, FY_PHI_TOLERANCE, FY_PHI_PARAMETERS };
#define FY_PHI_ROWS                                                                                \
    FY_CHOICE("pair_features", "auto", "auto|given|onehot|lowrank",                                \
              "where phi(s,a) comes from; auto: the model if it has them, else one-hot"),          \
        FY_REAL("rank_tolerance", "1e-10", 0, 1,                                                   \
                "lowrank: singular values up to this share of the largest are left out")
enum { FY_FEATURES_AUTO, FY_FEATURES_GIVEN, FY_FEATURES_ONEHOT, FY_FEATURES_LOWRANK };

foray_status fy_phi_create(fy_arena *arena, const foray_model *model, int64_t source,
                           double tolerance, fy_phi **out);

/* phi of a pair, d_g numbers of its block. */
static inline const double *fy_phi_of(const fy_phi *phi, int64_t pair)
{
    return phi->value + phi->at_pair[pair];
}

/* Features as they come from a source: sparse rows, coordinates ascending. */
typedef struct fy_phi_rows {
    int64_t dim;
    int64_t *start; /* [pairs+1] */
    int32_t *index;
    double *value;
} fy_phi_rows;

/* P = Phi M of a model whose theta is known, of the least rank for which no singular value
 * above `tolerance` times the largest is left out; max ||phi|| = 1. */
foray_status fy_phi_factorise(fy_arena *arena, const foray_model *model, double tolerance,
                              fy_phi_rows *rows);

#endif
