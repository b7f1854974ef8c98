/* oracle_inner.h - models that are nothing but generator sets, and slow ways to the inner
 * maxima over them: all f in {0,1}^n, all sign vectors, and programs for GLPK. */
#ifndef FY_ORACLE_INNER_H
#define FY_ORACLE_INNER_H

#include "learn/inner.h"
#include "support.h"

enum { INNER_MAX_SETS = 2048, INNER_MAX_N = 100, INNER_MAX_D = 32, INNER_MAX_FEATURES = 1 << 18 };

/* A model that is nothing but generator sets, given as dense rows, and its basis: block g
 * takes dims[g] coordinates, already in the coordinates of the regression. */
typedef struct inner_test_bed {
    foray_context *ctx;
    foray_model model;
    fy_basis basis;
    fy_block block[4];
    int32_t coordinate[4 * INNER_MAX_D], block_of_coord[4 * INNER_MAX_D],
        local_of_coord[4 * INNER_MAX_D];
    int32_t block_of_generator_set[INNER_MAX_SETS], generator_set_pair[INNER_MAX_SETS];
    int64_t gen_start[INNER_MAX_SETS + 1], feat_start[INNER_MAX_FEATURES / 4];
    int32_t feat_index[INNER_MAX_FEATURES];
    double feat_value[INNER_MAX_FEATURES];
    fy_ridge *ridge;
    uint64_t draws;
} inner_test_bed;

/* The one that all functions below are about. */
extern inner_test_bed inner_bed;

double inner_draw(void); /* in [-1,1) */
int inner_draw_below(int count);

void inner_begin(bool centred, int blocks, const int32_t *dims);
void inner_add_set(int block, int n, const double *rows);
/* Sigma from some random vectors, badly scaled on purpose. */
void inner_make_ridge(void);
fy_inner *inner_solve(int method, int threads);
void inner_end(void);

void inner_assert_near(double a, double b, double relative);

/* Kinds of generator sets. PLANAR: everything a combination of the first two. */
enum {
    INNER_GENERAL,
    INNER_PARALLEL,
    INNER_DEFICIENT,
    INNER_ZEROS,
    INNER_REPEATED,
    INNER_INTEGER,
    INNER_KINDS,
    INNER_PLANAR
};

void inner_draw_rows(int kind, int n, int d, double *rows);
/* Makes rows sum to zero exactly enough: centres the last one. */
void inner_centre_rows(int n, int d, double *rows);
void inner_add_random_sets(bool centred, int count, int max_n);

/* ||sum_j f_j g_j||_{Sigma^-1}, the plain way. */
double inner_norm_of(int64_t set, const double *f);
double inner_norm_of_bits(const fy_inner *inner, int64_t set);
double inner_brute_force(int64_t set);
/* max over all sign vectors x of sum_j max(0, <x, w_j>) */
double inner_l1_by_signs(int64_t set);
/* The same as a mixed-integer program. */
double inner_l1_by_glpk(int64_t set);
/* Is there a u with s_k <h_k, u> >= 1 for all k? Then these signs are a cell. */
bool inner_is_cell(int count, int d, const double *h, uint64_t signs);

#endif
