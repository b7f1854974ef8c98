/* sstp.c - SSTP: staged sampling, truncated planning.
 *
 * Zhang, Du, Ji (2021), "Near optimal reward-free reinforcement learning":
 *
 *   levels i = 0, 1, ..: K/levels episodes each, N_i = N_0/2^i, L_i
 *     a pair is settled once n(s,a) >= N_i;  u(s,a) = 1[not settled]
 *     act optimistically for E min{L_i, sum_h u(s_h,a_h)}, in the MDP whose states are (s,r), r
 *     being how many visits would still count:
 *       Q_h(s,r,a) = u(s,a) + min{ C, sum_j p^_j V(s_j, r - u(s,a)) + b },   V_h(s,0) = 0
 *       b = sqrt(c1 Var_p^(V) w) + c2 C w,   w = log(4 X H K/delta)/n,   C = min{H-h, r - u}
 *   for any reward: the best policy under Q_h = r_h + min{ C, sum_j p^_j V + b },
 *     C being what the reward can still give
 *
 * n is counted over all steps and levels: the algorithm is made for laws that are the
 * same at every step. X is the number of pairs with more than one successor; a
 * pair with one has a known law, and no bonus; for one never visited w is infinite.
 *
 * The public description leaves N_0, L_i, the number of levels, c1, c2 and the logarithm open up
 * to constants: they are settings (sstp_...). Deviations:
 *   - N_0 is given in units of an even spread: sstp_target (K/levels) H/(SA);
 *   - counts of earlier levels count for later ones, so that what was settled stays so;
 *   - ties prefer an unsettled pair, then the larger value before clipping; --ties lowest is
 *     "any argmax";
 *   - with r = 0, or nothing unsettled, actions are uniformly random: nothing is to gain;
 *   - a new plan is made when a level begins, a pair is settled, or a count has
 *     grown by the factor 1 + replan_growth; --replan every: in every episode;
 *   - plans clip values at C, where the paper truncates softly;
 *   - rewards are in [0,1] at each step and not 1 in total: C takes the place of 1.
 *
 * With the constants open nothing is guaranteed by the plan's own bonus; certificates come
 * from the counts alone (counts.h). */
#include "explore/tabular/sstp.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/maths.h"
#include "explore/tabular/counts.h"

enum { LEVELS, TARGET, TRUNCATION, GROWTH, VARIANCE, RANGE };
static const foray_parameter parameters[] = {
    FY_INTEGER("sstp_levels", "8", 1, 60, "levels, each with the same number of episodes"),
    FY_REAL("sstp_target", "0.5", 1e-9, 1e9,
            "visits that settle a pair at the first level, as a share of an even spread"),
    FY_INTEGER("sstp_truncation", "1", 1, 1 << 20,
               "visits to unsettled pairs that count in an episode of the first level"),
    FY_REAL("sstp_truncation_growth", "2", 1, 1e6, "the factor of that from level to level"),
    FY_REAL("sstp_variance", "2", 0, 1e6, "c1 of the bonus sqrt(c1 Var log/n) + c2 log/n"),
    FY_REAL("sstp_range", "2.5", 0, 1e6, "c2 of that bonus"),
};

typedef struct staged {
    fy_counts *counts;   /* pooled over steps */
    int64_t max;         /* the largest L_i */
    int64_t level;       /* of the last plan; -1: none yet */
    double *weight;      /* [pairs] w */
    double *planned;     /* [pairs] n at the last plan */
    bool *unsettled;     /* [pairs] at the last plan */
    int64_t wanted;      /* how many are */
    double target;       /* N_i */
    int64_t truncation;  /* L_i */
    double *value;       /* [2][most+1][states] */
    const double *first; /* V_1, in `value` */
    int32_t *policy;     /* [horizon][L_i][states], r = 1..L_i */
    int64_t remaining;   /* r, in the episode under way */
} staged;

/* --------------------------------------------------------------- the schedule */

/* floor(k levels / K), for k from 0 to K-1. */
static int64_t level_at(const foray_explorer *explorer, int64_t episode)
{
    double levels = explorer->own[LEVELS].real;
    double at = (double)episode * levels / (double)explorer->settings.episodes;
    return (int64_t)fmin(at, levels - 1);
}

/* N_i = N_0/2^i, at least 1. */
static double target_of(const foray_explorer *explorer, int64_t level)
{
    double steps = (double)explorer->settings.episodes * (double)explorer->model->horizon;
    double even = steps / explorer->own[LEVELS].real / (double)explorer->model->available;
    return fmax(1.0, ldexp(explorer->own[TARGET].real * even, -(int)level));
}

/* L_i = L_0 growth^i, at most H. */
static int64_t truncation_of(const foray_explorer *explorer, int64_t level)
{
    const foray_parameter_value *own = explorer->own;
    double grown = own[TRUNCATION].real * fy_pow(own[GROWTH].real, (double)level);
    return (int64_t)fmin(grown, (double)explorer->model->horizon);
}

/* --------------------------------------------------------------- initialise */

static foray_status create_tables(fy_arena *arena, const foray_model *model, staged *self)
{
    size_t values, actions, rows = (size_t)self->max + 1;
    if (!fy_size_mul(2 * rows, (size_t)model->states, &values) ||
        !fy_size_mul(rows * (size_t)model->horizon, (size_t)model->states, &actions))
        return fy_fail(arena->ctx, FORAY_ERROR_MEMORY,
                       "policies with %" PRId64 " counts are too large", self->max);
    bool complete = FY_NEW(arena, self->weight, model->pairs) &&
                    FY_NEW(arena, self->planned, model->pairs) &&
                    FY_NEW(arena, self->unsettled, model->pairs) &&
                    FY_NEW(arena, self->value, values) && FY_NEW(arena, self->policy, actions);
    return complete ? FORAY_OK : FORAY_ERROR_MEMORY;
}

static foray_status sstp_create(foray_explorer *explorer)
{
    staged *self;
    if (!FY_NEW(&explorer->arena, self, 1))
        return FORAY_ERROR_MEMORY;
    explorer->self = self;
    self->level = -1;
    self->max = truncation_of(explorer, explorer->own[LEVELS].integer - 1);
    foray_status status = fy_counts_create(&explorer->arena, explorer->model, true, &self->counts);
    if (status == FORAY_OK)
        status = create_tables(&explorer->arena, explorer->model, self);
    self->first = self->value;
    return status;
}

/* ------------------------------------------------------- the truncated recursion */

static fy_bonus_rule rule_of(const foray_explorer *explorer, const double *weight)
{
    return (fy_bonus_rule){explorer->own[VARIANCE].real, explorer->own[RANGE].real,
                           explorer->settings.radius_scale, weight};
}

/* w = log(4 X H K/delta)/n for every pair. */
static void weigh(const foray_explorer *explorer, double *weight)
{
    const staged *self = explorer->self;
    const foray_model *model = explorer->model;
    double steps = (double)explorer->settings.episodes * (double)model->horizon;
    double L =
        fy_log(4.0 * fmax(1.0, fy_unstructured_pairs(model)) * steps / explorer->settings.delta);
    for (int64_t pair = 0; pair < model->pairs; pair++) {
        bool known = model->succ_start[pair + 1] - model->succ_start[pair] == 1;
        double n = self->counts->visits[pair];
        weight[pair] = known ? 0.0 : n > 0.0 ? L / n : INFINITY;
    }
}

/* sum_j p^_j V(s_j, left) + b, before clipping at C; next: [rows][states]. */
static double future(const foray_explorer *explorer, const fy_bonus_rule *rule, int64_t pair,
                     double C, const double *next)
{
    const staged *self = explorer->self;
    if (C <= 0.0)
        return 0.0;
    fy_moments after = fy_counts_moments(self->counts, 0, pair, next);
    return after.mean + fy_bonus(rule, rule->weight[pair], after.variance, C, 1);
}

/* max_a Q_h(s,r,a). Ties, if so set, go to an unsettled pair rather than to the hope for one,
 * then to the larger value before clipping; then to the lower index. */
static double best(const foray_explorer *explorer, const fy_bonus_rule *rule, int64_t t, int64_t r,
                   int64_t s, const double *next, int32_t *action)
{
    const staged *self = explorer->self;
    const foray_model *model = explorer->model;
    bool by_raw = explorer->settings.ties == FORAY_TIES_UNCLIPPED;
    double top = -1.0, top_u = 0.0, top_raw = 0.0;
    for (int32_t a = 0; a < model->actions; a++) {
        int64_t pair = s * model->actions + a, left = r - self->unsettled[pair];
        if (!fy_available(model, pair))
            continue;
        double u = self->unsettled[pair], C = fmin((double)(model->horizon - 1 - t), (double)left);
        double after = future(explorer, rule, pair, C, next + left * model->states);
        double clipped = u + fmin(C, after), raw = u + after;
        bool surer = u > top_u || (u == top_u && raw > top_raw);
        if (clipped > top || (by_raw && clipped == top && surer)) {
            top = clipped;
            top_u = u;
            top_raw = raw;
            *action = a;
        }
    }
    return top;
}

/* From the last step to the first, for r = 1..L_i. */
static void induct(foray_explorer *explorer)
{
    staged *self = explorer->self;
    const foray_model *model = explorer->model;
    int64_t states = model->states, L = self->truncation, table = (self->max + 1) * states;
    fy_bonus_rule rule = rule_of(explorer, self->weight);
    double *now = self->value, *next = self->value + table;
    memset(self->value, 0, 2 * (size_t)table * sizeof *self->value);
    for (int64_t t = model->horizon - 1; t >= 0; t--) {
        for (int64_t r = 1; r <= L; r++)
            for (int64_t s = 0; s < states && !fy_stopped_at(explorer->ctx, s); s++)
                now[r * states + s] = best(explorer, &rule, t, r, s, next,
                                           self->policy + (t * L + r - 1) * states + s);
        double *swap = now;
        now = next;
        next = swap;
    }
    self->first = next;
}

/* N_i, L_i, and which pairs had fewer than N_i visits at the last plan. */
static void enter_level(foray_explorer *explorer, int64_t level)
{
    staged *self = explorer->self;
    self->level = level;
    self->target = target_of(explorer, level);
    self->truncation = truncation_of(explorer, level);
    self->wanted = 0;
    for (int64_t pair = 0; pair < explorer->model->pairs; pair++) {
        self->unsettled[pair] =
            fy_available(explorer->model, pair) && self->planned[pair] < self->target;
        self->wanted += self->unsettled[pair];
    }
}

static void plan_level(foray_explorer *explorer, int64_t level)
{
    staged *self = explorer->self;
    memcpy(self->planned, self->counts->visits,
           (size_t)explorer->model->pairs * sizeof *self->planned);
    enter_level(explorer, level);
    weigh(explorer, self->weight);
    induct(explorer);
    fy_explorer_planned(explorer);
}

/* ------------------------------------------------------------------ episodes */

static void sstp_begin_episode(foray_explorer *explorer)
{
    staged *self = explorer->self;
    int64_t level = level_at(explorer, explorer->episodes);
    bool every = explorer->settings.replan == FORAY_REPLAN_EVERY;
    explorer->stale |= every || level != self->level;
    if (fy_explorer_plan_due(explorer))
        plan_level(explorer, level);
    self->remaining = self->truncation;
}

static int64_t sstp_act(foray_explorer *explorer, int64_t t, int64_t state)
{
    const staged *self = explorer->self;
    if (self->remaining > 0 && self->wanted > 0)
        return self->policy[(t * self->truncation + self->remaining - 1) * explorer->model->states +
                            state];
    return fy_random_action(explorer, t, state);
}

static void sstp_observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j)
{
    staged *self = explorer->self;
    fy_counts_add(self->counts, t, pair, j);
    double n = self->counts->visits[pair], growth = 1.0 + explorer->settings.replan_growth;
    bool settled = self->unsettled[pair] && n >= self->target;
    explorer->stale |= settled || n >= growth * self->planned[pair];
    if (self->unsettled[pair] && self->remaining > 0)
        self->remaining--;
}

/* ------------------------------------------------------ plans and certificates */

static foray_status sstp_plan(foray_explorer *explorer, int64_t count,
                              const foray_reward *const *rewards, foray_mode mode,
                              foray_policy **policies)
{
    const staged *self = explorer->self;
    double *weight = fy_alloc(explorer->ctx, (size_t)explorer->model->pairs, sizeof *weight);
    if (!weight)
        return FORAY_ERROR_MEMORY;
    weigh(explorer, weight);
    fy_bonus_rule rule = rule_of(explorer, weight);
    foray_status status =
        fy_certify_plan(explorer, self->counts, &rule, mode, count, rewards, mode, policies);
    free(weight);
    return status;
}

fy_stage fy_sstp_now(const foray_explorer *explorer)
{
    const staged *self = explorer->self;
    return (fy_stage){self->level,     self->target, self->truncation, self->remaining,
                      self->unsettled, self->first,  self->counts};
}

/* ------------------------------------------------------------- save and load */

/* Counts, and the last plan: its level, the visits it was made for, its policy. */
static void sstp_save(foray_explorer *explorer, fy_writer *writer)
{
    const staged *self = explorer->self;
    const foray_model *model = explorer->model;
    fy_counts_write(self->counts, writer);
    fy_write_u64(writer, (uint64_t)(self->level + 1));
    if (self->level < 0)
        return;
    fy_write_doubles(writer, self->planned, (size_t)model->pairs);
    fy_write_i32s(writer, self->policy,
                  (size_t)(model->horizon * self->truncation * model->states));
}

static void read_plan(foray_explorer *explorer, int64_t level, fy_reader *reader)
{
    staged *self = explorer->self;
    const foray_model *model = explorer->model;
    int64_t entries = model->horizon * truncation_of(explorer, level) * model->states;
    fy_read_doubles(reader, self->planned, (size_t)model->pairs);
    fy_read_actions(reader, model, self->policy, entries);
    for (int64_t i = 0; i < model->pairs && !reader->failed; i++)
        reader->failed = !(self->planned[i] >= 0.0 && self->planned[i] <= self->counts->visits[i]);
    enter_level(explorer, level);
}

static void sstp_load(foray_explorer *explorer, fy_reader *reader)
{
    staged *self = explorer->self;
    fy_counts_read(self->counts, reader);
    uint64_t levels = fy_read_u64(reader);
    if (levels > (uint64_t)explorer->own[LEVELS].integer)
        reader->failed = true;
    self->level = -1;
    if (!reader->failed && levels > 0)
        read_plan(explorer, (int64_t)levels - 1, reader);
}

const fy_explorer_ops fy_sstp = {
    .name = "sstp",
    .summary = "SSTP (Zhang, Du, Ji 2021): staged sampling, truncated planning, tabular, pooled",
    .parameter = parameters,
    .parameters = FY_COUNT(parameters),
    .create = sstp_create,
    .begin_episode = sstp_begin_episode,
    .act = sstp_act,
    .observe = sstp_observe,
    .plan = sstp_plan,
    .save = sstp_save,
    .load = sstp_load,
    .needs_budget = fy_always_needs_budget, /* for levels, targets, the logarithm */
};
