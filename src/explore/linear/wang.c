/* wang.c - Wang, Du, Yang, Salakhutdinov, "On Reward-Free Reinforcement Learning with Linear
 * Function Approximation" (2020).
 *
 *   for k = 1..K, for h = H..1, with Lambda_h = I + sum phi phi' over the past of step h
 *     u_h(s,a) = min{ beta ||phi(s,a)||_{Lambda_h^-1}, H },   r_h = u_h / H
 *     w_h = Lambda_h^-1 sum phi V_{h+1}(s')
 *     Q_h = [ w_h'phi + r_h + u_h ]_[0, c_h],   V_h = max_a Q_h,   pi_h = argmax_a Q_h
 *   and plays pi. Planning for a reward r is the same recursion with r in the place of r_h.
 *   beta = c d H sqrt(log(d H / (delta eps)))
 *
 * Deviations
 *   - As in the paper there is a plan in every episode. With replan doubling a new one waits
 *     until the determinant of some block of some Lambda_h has grown by 1 + replan_growth.
 *   - c_h = H-h+1 by default, H as in the paper with clip horizon; and values are not
 *     below 0, which the paper does not ask for. Both keep optimism.
 *   - Among actions of equal Q the one with the larger Q before any clipping is taken, that
 *     of u_h included: with the paper's beta every u_h is H for long, and the lowest index
 *     would be played over and over.
 *   - Planning without bonus (plugin) and with -u_h (pessimistic) are offered as well.
 * The constant c of the paper is only said to exist, so nothing is certified. */
#include "explore/linear/lsvi.h"

#include <math.h>

#include "base/maths.h"
#include "reward/reward.h"

enum { CONSTANT = FY_PHI_PARAMETERS, EPS };
static const foray_parameter parameters[] = {
    FY_PHI_ROWS,
    FY_REAL("wang_c", "1", 0, 1e6, "the constant c of beta = c d H sqrt(log(d H/(delta eps)))"),
    FY_REAL("wang_eps", "0.1", 1e-12, 1e6, "the accuracy eps that beta is made for"),
};

typedef struct wang {
    fy_lsvi lsvi;
    double beta;
} wang;

/* --------------------------------------------------------------- initialise */

/* beta = c d H sqrt(log(d H / (delta eps))); a logarithm below 1 (eps beyond d H) counts as 1. */
static double make_beta(const foray_explorer *explorer, double d)
{
    const foray_settings *settings = &explorer->settings;
    double H = (double)explorer->model->horizon;
    double logarithm = fy_log(d * H / (settings->delta * explorer->own[EPS].real));
    return settings->radius_scale * explorer->own[CONSTANT].real * d * H *
           sqrt(fmax(1.0, logarithm));
}

static foray_status wang_create(foray_explorer *explorer)
{
    foray_status status = fy_lsvi_create(explorer, sizeof(wang));
    wang *self = explorer->self;
    if (status != FORAY_OK)
        return status;
    self->beta = make_beta(explorer, (double)self->lsvi.phi->dim);
    int64_t entries = fy_policy_entries(explorer->model);
    bool complete = FY_NEW(&explorer->arena, explorer->followed, entries);
    return complete ? FORAY_OK : FORAY_ERROR_MEMORY;
}

/* ------------------------------------------------------------- the recursion */

/* Q_h = [w'phi + r + sign u]; reward: [pairs], or NULL for r = u/H. */
static void add_bonus(wang *self, int64_t t, const double *reward, double sign)
{
    fy_lsvi *lsvi = &self->lsvi;
    double H = (double)lsvi->model->horizon, cap = fy_lsvi_cap(lsvi, t);
    for (int64_t pair = 0; pair < lsvi->model->pairs; pair++) {
        double width = self->beta * lsvi->norm[pair], u = fmin(width, H);
        double r = reward ? reward[pair] : u / H;
        double r_raw = reward ? reward[pair] : width / H;
        lsvi->tie[pair] = lsvi->q[pair] + r_raw + sign * width;
        lsvi->q[pair] = fmin(fmax(lsvi->q[pair] + r + sign * u, 0.0), cap);
    }
}

/* The recursion for a reward, or for the exploration reward (NULL); gives E_mu V_1. */
static double iterate(wang *self, const foray_reward *reward, double sign, int32_t *policy)
{
    fy_lsvi *lsvi = &self->lsvi;
    fy_lsvi_begin(lsvi);
    for (int64_t t = lsvi->model->horizon - 1; t >= 0; t--) {
        fy_lsvi_expect(lsvi, t);
        fy_lsvi_measure(lsvi, t);
        add_bonus(self, t, reward ? fy_reward_table(reward, t) : NULL, sign);
        fy_lsvi_maximise(lsvi, policy + t * lsvi->model->states);
    }
    return fy_lsvi_mean(lsvi);
}

/* With -u: where little is known all Q are 0, and the value without bonus decides. */
static double iterate_pessimistic(wang *self, const foray_reward *reward, int32_t *policy)
{
    fy_lsvi *lsvi = &self->lsvi;
    double H = (double)lsvi->model->horizon;
    fy_lsvi_begin(lsvi);
    for (int64_t t = lsvi->model->horizon - 1; t >= 0; t--) {
        const double *r = fy_reward_table(reward, t);
        fy_lsvi_expect_plain(lsvi, t, r);
        fy_lsvi_expect(lsvi, t);
        fy_lsvi_measure(lsvi, t);
        for (int64_t pair = 0; pair < lsvi->model->pairs; pair++) {
            double u = fmin(self->beta * lsvi->norm[pair], H);
            lsvi->q[pair] = fmin(fmax(lsvi->q[pair] + r[pair] - u, 0.0), fy_lsvi_cap(lsvi, t));
        }
        fy_lsvi_maximise_plain(lsvi, t, policy + t * lsvi->model->states);
    }
    return fy_lsvi_mean(lsvi);
}

/* What a policy earns, without bonus. */
static double evaluate(wang *self, const foray_reward *reward, const int32_t *policy)
{
    fy_lsvi *lsvi = &self->lsvi;
    fy_lsvi_begin(lsvi);
    for (int64_t t = lsvi->model->horizon - 1; t >= 0; t--) {
        fy_lsvi_expect(lsvi, t);
        add_bonus(self, t, fy_reward_table(reward, t), 0.0);
        fy_lsvi_follow(lsvi, policy + t * lsvi->model->states);
    }
    return fy_lsvi_mean(lsvi);
}

/* ------------------------------------------------------------------ episodes */

static void wang_begin_episode(foray_explorer *explorer)
{
    wang *self = explorer->self;
    if (!fy_explorer_plan_due(explorer))
        return;
    iterate(self, NULL, 1.0, explorer->followed);
    fy_ridge_mark(self->lsvi.ridge);
    fy_explorer_planned(explorer);
}

static void wang_observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j)
{
    wang *self = explorer->self;
    fy_lsvi_observe(&self->lsvi, t, pair, j);
}

static void wang_end_episode(foray_explorer *explorer)
{
    const wang *self = explorer->self;
    explorer->stale = fy_explorer_replans_always(explorer) ||
                      self->lsvi.ridge->max_growth >= 1.0 + explorer->settings.replan_growth;
}

/* ------------------------------------------------------------------ planning */

static double wang_plan_reward(foray_explorer *explorer, const foray_reward *reward,
                               foray_mode mode, bool follow, int32_t *actions)
{
    if (follow)
        return evaluate(explorer->self, reward, actions);
    if (mode == FORAY_PESSIMISTIC)
        return iterate_pessimistic(explorer->self, reward, actions);
    return iterate(explorer->self, reward, mode == FORAY_OPTIMISTIC ? 1.0 : 0.0, actions);
}

static foray_status wang_plan(foray_explorer *explorer, int64_t count,
                              const foray_reward *const *rewards, foray_mode mode,
                              foray_policy **policies)
{
    return fy_lsvi_plan(explorer, wang_plan_reward, count, rewards, mode, policies);
}

/* ------------------------------------------------------------- save and load */

static void wang_save(foray_explorer *explorer, fy_writer *writer)
{
    const wang *self = explorer->self;
    fy_write_i32s(writer, explorer->followed, (size_t)fy_policy_entries(explorer->model));
    fy_lsvi_write(&self->lsvi, writer);
}

static void wang_load(foray_explorer *explorer, fy_reader *reader)
{
    wang *self = explorer->self;
    fy_read_actions(reader, explorer->model, explorer->followed,
                    fy_policy_entries(explorer->model));
    fy_lsvi_read(&self->lsvi, reader);
}

const fy_explorer_ops fy_wang = {
    .name = "wang",
    .plans_every_episode = true,
    .summary = "Wang et al. 2020: optimistic least squares with features of (s,a), linear MDP",
    .parameter = parameters,
    .parameters = FY_COUNT(parameters),
    .create = wang_create,
    .begin_episode = wang_begin_episode,
    .follows = true,
    .observe = wang_observe,
    .end_episode = wang_end_episode,
    .plan = wang_plan,
    .save = wang_save,
    .load = wang_load,
    .needs_budget = fy_never_needs_budget,
    .describe = fy_lsvi_describe,
};
