/* lsvi.h - least-squares value iteration in linear MDPs, without histories: what the
 * explorers that have features phi(s,a) share.
 *
 *   Lambda_h = lambda I + sum_i phi_i phi_i'              over the visits i of step h
 *   w_h      = Lambda_h^-1 sum_i phi_i V_{h+1}(s'_i)
 *            = Lambda_h^-1 sum_{s'} V_{h+1}(s') m_h(s'),   m_h(s') = sum_{i: s'_i = s'} phi_i
 *
 * V changes with every plan, so a sum over past visits would have to be formed again; the
 * vectors m_h(s') are all that these sums ever need of the past. An episode costs the same
 * however many came before it. Everything is kept by block (phi.h): m_h(s') has a part in
 * a block only if some pair of the block can be followed by s'. */
#ifndef FY_LSVI_H
#define FY_LSVI_H

#include "explore/explorer.h"
#include "explore/linear/phi.h"
#include "learn/ridge.h"

typedef struct fy_lsvi {
    const foray_model *model;
    const foray_settings *settings;
    fy_phi *phi;
    fy_ridge *ridge; /* Lambda_t in block t * phi->blocks + g; its targets are not used */

    /* Block g can be followed by reach[reach_start[g]..], each with a vector of d_g numbers. */
    int64_t *reach_start; /* [blocks+1] */
    int32_t *reach;
    int32_t *slot;      /* [transitions] which entry of reach the j-th successor of a pair is */
    int64_t *at_sum;    /* [blocks+1] where the vectors of a block start, within a step */
    double *sum;        /* [horizon][at_sum[blocks]]: m_t(s') */
    double *weight;     /* [most d_g] w of one block */
    double *whitened;   /* rows of phi, laid out as phi->value */
    double *next, *now; /* [states] each: values of a recursion under way */
    double *q;          /* [pairs] w'phi, which the algorithm makes Q of */
    double *tie;        /* [pairs] what decides between equal Q */
    double *norm;       /* [pairs] ||phi||_{Lambda^-1} */
    double *plain; /* [states] values without bonus of the same policy, where ties go by them */
} fy_lsvi;

/* Makes explorer->self a state of `size` bytes that begins with an fy_lsvi, and is 0 behind it.
 * Every Lambda_h starts as lambda I, by the setting, or I. */
foray_status fy_lsvi_create(foray_explorer *explorer, size_t size);

double fy_lsvi_lambda(const fy_lsvi *lsvi);

/* Lambda_t += phi phi',  m_t(s_j) += phi */
void fy_lsvi_observe(fy_lsvi *lsvi, int64_t t, int64_t pair, int64_t j);

/* A recursion: begin; then for t = H-1 .. 0 expect, make Q and tie of q, maximise.
 *
 * begin: the values after the last step are 0. */
void fy_lsvi_begin(fy_lsvi *lsvi);

/* lsvi->q[pair] = <w_t, phi(pair)> for the values of step t+1. */
void fy_lsvi_expect(fy_lsvi *lsvi, int64_t t);

/* V_t(s) = max_a Q(s,a), and who attains it ([states]): among equals the one of the larger
 * tie, if so set, then the lower index. */
void fy_lsvi_maximise(fy_lsvi *lsvi, int32_t *action);

/* V_t(s) = Q(s, action[s]). */
void fy_lsvi_follow(fy_lsvi *lsvi, const int32_t *action);

/* For pessimistic plans, whose Q are all 0 where little is known: expect_plain sets lsvi->tie[pair]
 * = reward + <w_t, phi(pair)> for the values without bonus of step t+1, before fy_lsvi_expect is
 * called for the others; maximise_plain breaks ties by it, and keeps the values of both. */
void fy_lsvi_expect_plain(fy_lsvi *lsvi, int64_t t, const double *reward);
void fy_lsvi_maximise_plain(fy_lsvi *lsvi, int64_t t, int32_t *action);

/* E_mu of the values of the last step maximised. */
double fy_lsvi_mean(const fy_lsvi *lsvi);

/* lsvi->norm[pair] = ||phi(pair)||_{Lambda_t^-1}. */
void fy_lsvi_measure(fy_lsvi *lsvi, int64_t t);

/* c_h: what values of step t are clipped at. */
double fy_lsvi_cap(const fy_lsvi *lsvi, int64_t t);

/* Lambda and m. */
void fy_lsvi_write(const fy_lsvi *lsvi, fy_writer *writer);
void fy_lsvi_read(fy_lsvi *lsvi, fy_reader *reader);

/* An entry for the ops tables. */
void fy_lsvi_describe(foray_explorer *explorer, foray_explorer_facts *facts);

/* Plans for one reward in one mode: fills actions ([horizon][states]), or follows them, and returns
 * E_mu V_1. */
typedef double (*fy_lsvi_plan_fn)(foray_explorer *explorer, const foray_reward *reward,
                                  foray_mode mode, bool follow, int32_t *actions);

/* Policies for all rewards: actions of `mode`, the values of all three modes, what the policy is
 * expected to earn, and no bound: an infinite gap, low and high unknown (NaN), not certified. On
 * failure nothing is handed out. */
foray_status fy_lsvi_plan(foray_explorer *explorer, fy_lsvi_plan_fn plan, int64_t count,
                          const foray_reward *const *rewards, foray_mode mode,
                          foray_policy **policies);

#endif
