/* francis.c - FRANCIS: Zanette, Lazaric, Kochenderfer, Brunskill, "Provably Efficient
 * Reward-Agnostic Navigation with Linear Value Iteration" (2020).
 *
 *   for phase p = 1..H, with Sigma_p = lambda I
 *     for the episodes of the phase
 *       xi ~ N(0, Sigma^-1), Sigma being Sigma_p as it was at the start of the epoch
 *       V_p(s) = max_a <phi(s,a), xi>;  for h = p-1..1, on the data of phase h:
 *         w_h = Sigma_h^-1 sum phi V_{h+1}(s'),  V_h(s) = max_a w_h'phi(s,a)
 *       play the maximisers up to step p;  Sigma_p += phi_p phi_p'
 *       a new epoch starts when det Sigma_p has doubled
 *   Planning for a reward r: Q_h = [r_h + w_h'phi]_[0, c_h] by least squares on all phases.
 *
 * Deviations
 *   - The paper scales xi by a constant sigma. Nothing is clipped while exploring, so that
 *     sigma multiplies every value and changes no action: it is left out.
 *   - Episodes of this library have H steps. Actions after step p are uniformly random,
 *     and what follows them is not used.
 *   - The paper ends a phase after a number of episodes that is polynomial in d, H and 1/eps,
 *     with constants left open: francis_phase sets it; by default the H phases share the
 *     budget. Episodes beyond the last phase start over with phase 1 and keep all data.
 *   - An epoch ends when the determinant of some block has grown by 1 + replan_growth: with
 *     one block and the default that is the doubling of the paper. With replan every,
 *     each episode is an epoch.
 * The guarantee needs a constant of the world (how well every direction can be reached) that
 * nobody knows beforehand, so nothing is certified. */
#include "explore/linear/lsvi.h"

#include <math.h>

#include "base/maths.h"
#include "learn/dense.h"
#include "reward/reward.h"

enum { PHASE = FY_PHI_PARAMETERS };
static const foray_parameter parameters[] = {
    FY_PHI_ROWS,
    FY_INTEGER("francis_phase", "0", 0, FY_UNBOUNDED,
               "episodes of a phase; 0: the budget shared equally by H phases"),
};

typedef struct francis {
    fy_lsvi lsvi;
    int32_t *action; /* [horizon][states], up to step p */
    fy_ridge *epoch; /* Sigma_p at the start of the epoch */
    int64_t phase;   /* p, from 0; -1 before the first episode */
    double *xi;      /* at epoch->at_vector */
    int64_t length;  /* episodes of a phase */
} francis;

/* --------------------------------------------------------------- initialise */

static foray_status create_epoch(foray_explorer *explorer)
{
    francis *self = explorer->self;
    const fy_phi *phi = self->lsvi.phi;
    double *lambdas;
    if (!FY_NEW(&explorer->arena, lambdas, phi->blocks))
        return FORAY_ERROR_MEMORY;
    for (int64_t g = 0; g < phi->blocks; g++)
        lambdas[g] = fy_lsvi_lambda(&self->lsvi);
    foray_status status = fy_ridge_create_blocks(&explorer->arena, phi->blocks, phi->block_dim,
                                                 lambdas, INT64_MAX, &self->epoch);
    if (status == FORAY_OK &&
        !FY_NEW(&explorer->arena, self->xi, self->epoch->at_vector[phi->blocks]))
        status = FORAY_ERROR_MEMORY;
    return status;
}

static int64_t phase_length(const foray_explorer *explorer)
{
    const foray_settings *settings = &explorer->settings;
    int64_t horizon = explorer->model->horizon;
    if (explorer->own[PHASE].integer > 0)
        return explorer->own[PHASE].integer;
    return settings->episodes / horizon + (settings->episodes % horizon != 0);
}

static foray_status francis_create(foray_explorer *explorer)
{
    foray_status status = fy_lsvi_create(explorer, sizeof(francis));
    if (status != FORAY_OK)
        return status;
    francis *self = explorer->self;
    self->phase = -1;
    self->length = phase_length(explorer);
    if (!FY_NEW(&explorer->arena, self->action, fy_policy_entries(explorer->model)))
        return FORAY_ERROR_MEMORY;
    return create_epoch(explorer);
}

/* ------------------------------------------------------------------ episodes */

/* Random numbers of an episode: actions have steps 0..H-1, xi the step H. */
static uint64_t random_bits(const foray_explorer *explorer, int64_t step, int64_t index)
{
    return fy_random_bits((uint64_t)explorer->settings.seed, FY_STREAM_EXPLORER,
                          (uint64_t)explorer->episodes, (uint32_t)step, (uint32_t)index);
}

/* Standard normal numbers, two at a time (Box and Muller). */
static void draw_normal(const foray_explorer *explorer, int64_t count, double *x)
{
    const double two_pi = 6.283185307179586476925;
    int64_t H = explorer->model->horizon;
    for (int64_t i = 0; i < count; i += 2) {
        double radius = sqrt(-2.0 * fy_log(1.0 - fy_unit(random_bits(explorer, H, i))));
        double angle = two_pi * fy_unit(random_bits(explorer, H, i + 1));
        x[i] = radius * fy_cos(angle);
        if (i + 1 < count)
            x[i + 1] = radius * fy_sin(angle);
    }
}

/* xi ~ N(0, Sigma^-1), block by block. */
static void draw_direction(foray_explorer *explorer)
{
    francis *self = explorer->self;
    const fy_ridge *epoch = self->epoch;
    draw_normal(explorer, epoch->at_vector[epoch->blocks], self->xi);
    for (int64_t g = 0; g < epoch->blocks; g++) {
        double *xi = self->xi + epoch->at_vector[g];
        fy_ridge_colour(epoch, g, xi, xi);
    }
}

/* Least-squares value iteration from step p, where Q_p(s,a) = <phi(s,a), xi>, back to the first;
 * ties go to the lower index. The actions of later steps are not used. */
static void navigate(foray_explorer *explorer)
{
    francis *self = explorer->self;
    fy_lsvi *lsvi = &self->lsvi;
    const fy_phi *phi = lsvi->phi;
    int64_t states = lsvi->model->states;
    for (int64_t pair = 0; pair < lsvi->model->pairs; pair++) {
        int64_t g = phi->block_of_pair[pair];
        const double *xi = self->xi + self->epoch->at_vector[g];
        lsvi->tie[pair] = 0.0;
        lsvi->q[pair] = fy_dot(xi, fy_phi_of(phi, pair), phi->block_dim[g]);
    }
    fy_lsvi_maximise(lsvi, self->action + self->phase * states);
    for (int64_t t = self->phase - 1; t >= 0; t--) {
        fy_lsvi_expect(lsvi, t);
        fy_lsvi_maximise(lsvi, self->action + t * states);
    }
}

/* Has det Sigma_p doubled since the epoch began? */
static bool epoch_is_over(const foray_explorer *explorer)
{
    const francis *self = explorer->self;
    return explorer->settings.replan == FORAY_REPLAN_EVERY ||
           self->lsvi.ridge->max_growth >= 1.0 + explorer->settings.replan_growth;
}

/* A new direction, hence a new plan, in every episode (or every so many of them). */
static void francis_begin_episode(foray_explorer *explorer)
{
    francis *self = explorer->self;
    explorer->stale = true;
    if (!fy_explorer_plan_due(explorer))
        return;
    int64_t phase = explorer->episodes / self->length % explorer->model->horizon;
    if (phase != self->phase || epoch_is_over(explorer)) {
        self->phase = phase;
        fy_ridge_copy_blocks(self->epoch, self->lsvi.ridge, phase * self->lsvi.phi->blocks);
        fy_ridge_mark(self->lsvi.ridge);
    }
    draw_direction(explorer);
    navigate(explorer);
    fy_explorer_planned(explorer);
}

static int64_t francis_act(foray_explorer *explorer, int64_t t, int64_t state)
{
    const francis *self = explorer->self;
    if (t <= self->phase)
        return self->action[t * explorer->model->states + state];
    return fy_random_action(explorer, t, state);
}

static void francis_observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j)
{
    francis *self = explorer->self;
    if (t == self->phase)
        fy_lsvi_observe(&self->lsvi, t, pair, j);
}

/* ------------------------------------------------------------------ planning */

/* The same in every mode: there is no bonus to add or to take away. */
static double francis_plan_reward(foray_explorer *explorer, const foray_reward *reward,
                                  foray_mode mode, bool follow, int32_t *actions)
{
    (void)mode;
    francis *self = explorer->self;
    fy_lsvi *lsvi = &self->lsvi;
    fy_lsvi_begin(lsvi);
    for (int64_t t = explorer->model->horizon - 1; t >= 0; t--) {
        const double *r = fy_reward_table(reward, t);
        double cap = fy_lsvi_cap(lsvi, t);
        fy_lsvi_expect(lsvi, t);
        for (int64_t pair = 0; pair < explorer->model->pairs; pair++) {
            lsvi->tie[pair] = r[pair] + lsvi->q[pair];
            lsvi->q[pair] = fmin(fmax(lsvi->tie[pair], 0.0), cap);
        }
        if (follow)
            fy_lsvi_follow(lsvi, actions + t * explorer->model->states);
        else
            fy_lsvi_maximise(lsvi, actions + t * explorer->model->states);
    }
    return fy_lsvi_mean(lsvi);
}

static foray_status francis_plan(foray_explorer *explorer, int64_t count,
                                 const foray_reward *const *rewards, foray_mode mode,
                                 foray_policy **policies)
{
    return fy_lsvi_plan(explorer, francis_plan_reward, count, rewards, mode, policies);
}

static bool francis_needs_budget(const foray_explorer *explorer)
{
    return explorer->own[PHASE].integer == 0;
}

/* ------------------------------------------------------------- save and load */

/* Actions of the last plan: up to its step p. */
static int64_t planned_entries(const foray_explorer *explorer)
{
    const francis *self = explorer->self;
    return (self->phase + 1) * explorer->model->states;
}

/* The next episode makes a plan of its own, unless plans are to last. */
static void francis_save(foray_explorer *explorer, fy_writer *writer)
{
    const francis *self = explorer->self;
    fy_write_u64(writer, (uint64_t)(self->phase + 1));
    if (explorer->settings.plan_every > 1)
        fy_write_i32s(writer, self->action, (size_t)planned_entries(explorer));
    fy_ridge_write(self->epoch, writer);
    fy_lsvi_write(&self->lsvi, writer);
}

static void francis_load(foray_explorer *explorer, fy_reader *reader)
{
    francis *self = explorer->self;
    self->phase = (int64_t)fy_read_u64(reader) - 1;
    if (self->phase < -1 || self->phase >= explorer->model->horizon) {
        self->phase = -1;
        reader->failed = true;
    }
    if (explorer->settings.plan_every > 1)
        fy_read_actions(reader, explorer->model, self->action, planned_entries(explorer));
    fy_ridge_read(self->epoch, reader);
    fy_lsvi_read(&self->lsvi, reader);
}

const fy_explorer_ops fy_francis = {
    .name = "francis",
    .summary = "FRANCIS (Zanette et al. 2020): random directions phase by phase, linear MDP",
    .parameter = parameters,
    .parameters = FY_COUNT(parameters),
    .create = francis_create,
    .begin_episode = francis_begin_episode,
    .act = francis_act,
    .observe = francis_observe,
    .plan = francis_plan,
    .save = francis_save,
    .load = francis_load,
    .needs_budget = francis_needs_budget,
    .describe = fy_lsvi_describe,
};
