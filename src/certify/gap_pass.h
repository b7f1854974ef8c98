/* gap_pass.h - what certificates have in common: a backward pass over the states that keeps a
 * vector of all unknowns for each of them, and all about one action in one state (gap.h has the
 * mathematics). */
#ifndef FY_GAP_PASS_H
#define FY_GAP_PASS_H

#include "certify/gap.h"
#include "model/model.h"

#include <float.h>

/* What one rounding does to a number, relative to its size. */
#define FY_UNIT (DBL_EPSILON / 2)

/* The squares of what is below 1e-162 are 0, and norms lack them: more than all of that together,
 * and less than the last digit of anything else. */
#define FY_UNDERFLOW 1e-140

/* What the recursion keeps of one step: all of it about pi. */
typedef struct fy_gap_layer {
    double *J;     /* [states][unknowns] */
    double *J_sum; /* [states] ||J||_B */
    double *E, *D; /* [states] */
    double *A, *F; /* [states] sizes of what J and E were summed from, and */
    double *off;   /* [states] a bound on the rounding error of Vhat */
    double *above; /* [states] what pi earns at most, whatever the laws from here on */
    double *K;     /* [states][unknowns][unknowns] of the third order, */
    double *rest;  /* [states] what it leaves out, and */
    double *G;     /* [states] the sizes of what that was summed from */
} fy_gap_layer;

/* One action in one state, as far as it has been worked out. */
typedef struct fy_gap_action {
    int64_t pair, set, block, n, d;
    const int32_t *next; /* [n] */
    const double *p, *x, *norm;
    double Q;                  /* r + sum p_j V_j */
    double first;              /* ||sum x_j V_j|| */
    double error;              /* B: what the error of features adds */
    double A, F, off;          /* as in layer */
    double spill;              /* sum (p_j + ||x_j||) E_j */
    double E_max;              /* max E_j */
    double J_max;              /* >= ||J||_B */
    double Psi_max;            /* >= ||Psi||_* */
    double reward;             /* of the pair */
    double *target;            /* [n] r_j + V_j */
    const double *ahead;       /* [n] the reward of what follows, unscaled; NULL: none */
    double given;              /* the reward of the pair, and of what follows, as it was given: */
    const double *given_ahead; /* in the unit of planning different ones may round to the same */
    double *J;                 /* [unknowns] */
    double *Psi;               /* [d][unknowns] */
    double *K, *T;             /* [unknowns][unknowns], [d][unknowns][unknowns] */
    double G;                  /* as in layer */
    bool doubtful;             /* what it earns is not known */
} fy_gap_action;

typedef struct fy_gap_paid fy_gap_paid;

/* At most so many unknowns for the third order. */
enum { FY_MAX_THIRD = 12 };

/* What D is in a state, of the choices that attain it: nothing, what they are better by and what
 * follows, or V_bar - V_low. */
typedef enum fy_gap_way { FY_WAY_NONE, FY_WAY_CHOICE, FY_WAY_RANGE } fy_gap_way;

/* For steer.h: the choices that attain D, written by one pass; then, `weighed`, a second looks at
 * these alone, and hands over those that are reached. */
typedef struct fy_gap_path {
    int32_t *choice;    /* [horizon][states] */
    uint8_t *way;       /* [horizon][states] an fy_gap_way */
    double *weight;     /* [horizon][states] how often they get there */
    double *high, *low; /* [horizon+1][states] V_bar and V_low of the first pass */
    bool weighed;
    struct fy_steer *steer;
} fy_gap_path;
/* The state whose `mine` and, if another action attains D, `other` were worked out just now. */
void fy_steer_add_state(fy_gap_pass *gap, double weight, bool other, double D);

struct fy_gap_pass {
    const fy_confidence *set;
    const foray_model *model;
    int64_t unknowns;                      /* 0: too many, J and Psi are left out */
    bool third;                            /* few enough for the third order */
    double blocks;                         /* with something unknown */
    int64_t parts, part[FY_MAX_THIRD + 1]; /* the same, and where their unknowns begin */
    double zeta;                           /* error of the model's features */
    fy_gap_layer now, after;
    double *optimistic, *pessimistic, *value; /* [2][states] of this step and the one after */
    double *highest, *lowest;  /* [2][states] the first two as they are planned, see gap.c */
    fy_gap_action mine, other; /* pi(s), and another action */
    fy_gap_action ahead;       /* one whose bounds are asked for, without J */
    int32_t *earliest;         /* [states] the first step at which a state can be reached at all */
    int32_t *in_joint;         /* [states] where a successor is in the union, or -1 */
    int32_t *joint;            /* [2 n] the union of two lists of successors */
    double *dp, *dx;           /* [2 n], [2 n][d] */
    double *sum, *sum_mine;    /* [d] */
    double *mean;              /* [unknowns] */
    double *follows;           /* [n] f of the successors */
    fy_gap_doubt *doubt;       /* being explained, or NULL */
    fy_gap_path *path;         /* being followed, or NULL */
    const foray_reward *reward;
    fy_layout layout;  /* of the reward */
    double rounded;    /* roundings in bringing the reward to the unit of planning */
    fy_gap_paid *paid; /* gap_paid.h: the reward is not known; NULL: it is */
};

/* How often a long loop asks whether it should stop. */
enum { FY_STATES_PER_QUESTION = 64 };

/* Room for a layer; for an action with n successors in a block of d unknowns. */
bool fy_gap_allocate_layer(fy_arena *arena, fy_gap_layer *l, int64_t states, int64_t unknowns,
                           bool third);
bool fy_gap_allocate_action(fy_arena *arena, fy_gap_action *c, int64_t n, int64_t d,
                            int64_t unknowns, int64_t squares);
void fy_gap_clear_layer(const fy_gap_pass *gap, fy_gap_layer *l);

/* ||v||_B of a vector of all unknowns, or ||Psi||_* of `rows` of them. */
double fy_gap_block_norm(const fy_gap_pass *gap, const double *v, int64_t rows);
/* ||sum_j x_j (T_j - T_0)||, T = r + V of what follows; the vector is left in `sum`. */
double fy_gap_target_norm(const fy_gap_action *c, double *sum);
/* sup_theta P_theta f over the successors of an action, f >= 0 over states; or over them. */
double fy_gap_upper_mean(const fy_gap_pass *gap, const fy_gap_action *c, const double *f);
double fy_gap_upper_of(const fy_gap_pass *gap, const fy_gap_action *c, const double *f);
/* sum_s' (|dp(s')| + ||dx(s')||) f(s') of two actions. In different blocks norms are added. */
double fy_gap_spill(fy_gap_pass *gap, const fy_gap_action *a, const fy_gap_action *b,
                    const double *f);

/* The reward that the pass is about from here on. */
void fy_gap_set_reward(fy_gap_pass *gap, const foray_reward *reward);
/* The law of a pair. */
void fy_gap_turn_to(const fy_gap_pass *gap, int64_t pair, fy_gap_action *c);
/* Everything about (s,a) at step t that costs no vector of all unknowns; V are values of the step
 * after, whose layer is `after`. */
void fy_gap_sum_up(const fy_gap_pass *gap, int64_t t, const double *V, int64_t pair,
                   fy_gap_action *c);
/* J and Psi of an action that was summed up. */
void fy_gap_find_J(const fy_gap_pass *gap, fy_gap_action *c);
/* r + sup_theta P_theta V (sign 1), or inf (sign -1). */
double fy_gap_bound_ahead(fy_gap_pass *gap, int64_t t, const double *V, int64_t pair, double sign);

/* The same law whatever theta, and the same rewards. */
bool fy_gap_same(const fy_gap_action *a, const fy_gap_action *b);
/* How wrong rounding can make the difference of two actions. */
double fy_gap_rounding(const fy_gap_pass *gap, const fy_gap_action *a, const fy_gap_action *b,
                       double left);

/* How far a policy's value can be from its estimate at most. */
double fy_gap_max_error(const fy_gap_pass *gap, int64_t t);
/* How much is left to earn. */
double fy_gap_max_left(const fy_gap_pass *gap, int64_t t);

/* Q_bar(s,a) - V_low(s): what an action can gain at most, whatever the laws. */
double fy_gap_value_difference(fy_gap_pass *gap, int64_t t, int64_t s, int64_t a);
/* V_bar - V_low of a state, and what rounding may have taken from it: `widest` where there are
 * several actions, and what the only one, `mine`, has where there are not. */
double fy_gap_highest(const fy_gap_pass *gap, int64_t t, int64_t s, double widest);

/* A pass for a reward: its last layer. */
void fy_gap_begin(fy_gap_pass *gap, const foray_reward *reward);
/* A number of states at step t, of this step or the one after. */
static inline double *fy_gap_at(const fy_gap_pass *gap, double *values, int64_t t)
{
    return values + t % 2 * gap->model->states;
}
/* How V_bar of the best policy is planned; its last step, and that of a step. */
fy_plan_task fy_gap_begin_best(fy_gap_pass *gap);
void fy_gap_step_best(fy_gap_pass *gap, const fy_plan_task *task, int64_t t);
/* V_bar_t(s) from that of the step after, where likelihoods by themselves say more. */
void fy_gap_sharpen_best(fy_gap_pass *gap, int64_t t, int64_t s);
/* Where the reward says that an episode is over nothing is in doubt. */
void fy_gap_end_state(fy_gap_pass *gap, int64_t t, int64_t s);
/* The layer of this step is that of the next one from here on. */
void fy_gap_next_step(fy_gap_pass *gap);
/* Means over the initial states: D, Vhat, and |V - Vhat| <= ||J(mu)||_B + E(mu), which narrow low
 * and high. */
void fy_gap_sum_initial(fy_gap_pass *gap, fy_gap_result *out);

#endif
