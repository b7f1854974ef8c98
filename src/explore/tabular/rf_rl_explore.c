/* rf_rl_explore.c - RF-RL-Explore: learn to reach every state, then sample from all that
 * was learnt.
 *
 * Jin, Krishnamurthy, Simchowitz, Yu (2020), "Reward-free exploration for reinforcement
 * learning":
 *
 *   for every (s,h)
 *     run EULER for N_0 episodes on the reward 1[s_h = s]: policies pi_1 .. pi_N0
 *     in each of them, replace pi_h(.|s) by the uniform distribution; add them to Psi
 *   for N episodes: draw pi uniformly from Psi, play it, count
 *   for any reward: the best policy of the empirical model
 *
 * Psi is never stored: N_0 policies for each of SH goals, SH numbers each, would be
 * far larger than everything else. How often each policy will be drawn does not
 * depend on what happens, so that its draws may as well be played while it is there, right
 * after the episode EULER used it for. The draws of N episodes among P policies are the
 * cells that N uniform numbers fall into, and their order statistics
 *
 *   u_(1) ~ 1 - U^(1/N),   u_(i+1) = 1 - (1 - u_(i)) U^(1/(N-i))
 *
 * come in the order of the policies, one at a time. The data have the law the paper's have.
 *
 * Deviations:
 *   - the paper derives N_0 and N from eps and delta with constants that make both
 *     astronomic; here the budget K is split: share * K episodes for EULER, spread over
 *     the goals as evenly as can be, the rest are sampled (--explore-share);
 *   - goals the model's support rules out are skipped;
 *   - after step h, where EULER has nothing to gain, actions are uniformly random ("any
 *     argmax");
 *   - EULER's constants and clips: see euler.c. Every goal starts from nothing, as in the
 *     paper, whose analysis runs EULER for each by itself;
 *   - plans use the sampled episodes, as in the paper; --explore-data all uses every one.
 *
 * The paper promises a gap for its N_0 and N, and certifies nothing. Certificates come
 * from the counts alone (counts.h). */
#include "explore/tabular/rf_rl_explore.h"

#include <math.h>
#include <string.h>

#include "base/maths.h"
#include "explore/tabular/euler.h"

enum { SHARE = FY_COUNTS_PARAMETERS, DATA };
static const foray_parameter parameters[] = {
    FY_COUNTS_ROWS,
    FY_REAL("explore_share", "0.5", 0.001, 0.999,
            "the share of the episodes in which EULER learns to reach each state"),
    FY_CHOICE("explore_data", "sampled", "sampled|all",
              "plan from the episodes drawn from the mixture, or from all"),
};
enum { DATA_SAMPLED, DATA_ALL };

typedef struct mixture {
    fy_euler euler;
    fy_counts *counts; /* that plans are made from */
    int64_t goals;
    int64_t *goal;     /* [goals] t * states + s */
    double *nothing;   /* [pairs] a reward of 0 */
    double *indicator; /* [pairs] 1 in the goal's state */
    double *work;      /* for bounds */
    int64_t aimed;     /* which goal EULER runs for; -1: none yet */

    int64_t policies, samples; /* share * K, and the rest of K */
    int64_t made;              /* policies so far; all other episodes were drawn from them */
    double next_draw;          /* in [0,1]: where the next draw falls among the policies */
    bool sampling;             /* the episode under way */
} mixture;

/* --------------------------------------------------------------- initialise */

/* Which (s,h) the support lets happen; reached: [2][states]. Gives how many, and lists them
 * where there is room. */
static int64_t find_goals(const foray_model *model, bool *reached, int64_t *goal)
{
    int64_t states = model->states, found = 0;
    bool *now = reached, *next = reached + states;
    memset(now, 0, (size_t)states * sizeof *now);
    for (int64_t i = 0; i < model->initials; i++)
        now[model->initial_state[i]] = true;
    for (int64_t t = 0; t < model->horizon; t++) {
        memset(next, 0, (size_t)states * sizeof *next);
        for (int64_t s = 0; s < states; s++) {
            if (!now[s])
                continue;
            if (goal)
                goal[found] = t * states + s;
            found++;
            int64_t first = s * model->actions;
            for (int64_t i = model->succ_start[first];
                 i < model->succ_start[first + model->actions]; i++)
                next[model->succ[i]] = true;
        }
        bool *swap = now;
        now = next;
        next = swap;
    }
    return found;
}

static foray_status create_goals(fy_arena *arena, const foray_model *model, mixture *self)
{
    bool *reached;
    if (!FY_NEW(arena, reached, 2 * (size_t)model->states))
        return FORAY_ERROR_MEMORY;
    self->goals = find_goals(model, reached, NULL);
    if (!FY_NEW(arena, self->goal, self->goals))
        return FORAY_ERROR_MEMORY;
    find_goals(model, reached, self->goal);
    return FORAY_OK;
}

/* Uniform in (0,1], different in every episode. */
static double random_unit(const foray_explorer *explorer, int64_t episode)
{
    uint64_t bits = fy_random_bits((uint64_t)explorer->settings.seed, FY_STREAM_EXPLORER,
                                   (uint64_t)episode, 0, 1);
    return 1.0 - fy_unit(bits);
}

/* share * K policies, at least one; the first draw. */
static void split(foray_explorer *explorer)
{
    mixture *self = explorer->self;
    int64_t budget = explorer->settings.episodes;
    int64_t policies = (int64_t)(explorer->own[SHARE].real * (double)budget);
    self->policies = policies < 1 ? 1 : policies > budget ? budget : policies;
    self->samples = budget - self->policies;
    self->next_draw =
        1.0 - fy_pow(random_unit(explorer, 0), 1.0 / fmax(1.0, (double)self->samples));
    self->aimed = -1;
}

static foray_status rf_rl_explore_create(foray_explorer *explorer)
{
    fy_arena *arena = &explorer->arena;
    const foray_model *model = explorer->model;
    mixture *self;
    if (!FY_NEW(arena, self, 1))
        return FORAY_ERROR_MEMORY;
    explorer->self = self;
    bool pooled = fy_counts_pooled(explorer);
    foray_status status = create_goals(arena, model, self);
    if (status == FORAY_OK)
        status = fy_euler_create(arena, model, &explorer->settings, pooled, &self->euler);
    if (status == FORAY_OK)
        status = fy_counts_create(arena, model, pooled, &self->counts);
    if (status != FORAY_OK)
        return status;
    if (!FY_NEW(arena, self->nothing, model->pairs) ||
        !FY_NEW(arena, self->indicator, model->pairs) ||
        !FY_NEW(arena, self->work, fy_certify_room(self->counts)))
        return FORAY_ERROR_MEMORY;
    split(explorer);
    return FORAY_OK;
}

/* ------------------------------------------------------------------ episodes */

/* The goal that policy number i is for: each gets N_0 = policies/goals of them, up to
 * one; with fewer policies than goals, every so manieth goal gets one. */
static int64_t goal_of(const mixture *self, int64_t i)
{
    double at = (double)i * (double)self->goals / (double)self->policies;
    return at < (double)self->goals ? (int64_t)at : self->goals - 1;
}

/* EULER's reward: r_h(s,.) = 1, all else 0. */
static void aim(foray_explorer *explorer, int64_t which)
{
    mixture *self = explorer->self;
    const foray_model *model = explorer->model;
    int64_t step = self->goal[which] / model->states, s = self->goal[which] % model->states;
    memset(self->indicator, 0, (size_t)model->pairs * sizeof *self->indicator);
    for (int64_t a = 0; a < model->actions; a++)
        self->indicator[s * model->actions + a] = 1.0;
    for (int64_t t = 0; t < model->horizon; t++) {
        self->euler.reward[t] = t == step ? self->indicator : self->nothing;
        self->euler.left[t] = t <= step ? 1.0 : 0.0;
    }
    self->euler.steps = step + 1;
    self->aimed = which;
}

/* The next policy of EULER, from the episodes it had for this goal. */
static void make_policy(foray_explorer *explorer)
{
    mixture *self = explorer->self;
    int64_t which = goal_of(self, self->made++);
    if (which != self->aimed) {
        aim(explorer, which);
        fy_euler_start(&self->euler);
        fy_explorer_planned(explorer);
    } else if (fy_explorer_plan_due(explorer)) {
        fy_euler_plan(&self->euler);
        fy_explorer_planned(explorer);
    }
}

/* Does the next draw fall on the policy there is? Past the budget all do. */
static bool is_drawn(const foray_explorer *explorer)
{
    const mixture *self = explorer->self;
    if (self->made == self->policies)
        return true;
    return self->made > 0 && explorer->episodes - self->made < self->samples &&
           self->next_draw * (double)self->policies < (double)self->made;
}

static void rf_rl_explore_begin_episode(foray_explorer *explorer)
{
    mixture *self = explorer->self;
    self->sampling = is_drawn(explorer);
    if (!self->sampling) {
        make_policy(explorer);
        return;
    }
    int64_t drawn = explorer->episodes - self->made + 1;
    double left = fmax(1.0, (double)(self->samples - drawn));
    self->next_draw = 1.0 - (1.0 - self->next_draw) *
                                fy_pow(random_unit(explorer, explorer->episodes), 1.0 / left);
}

static int64_t rf_rl_explore_act(foray_explorer *explorer, int64_t t, int64_t state)
{
    const mixture *self = explorer->self;
    int64_t at = t * explorer->model->states + state, goal = self->goal[self->aimed];
    if (t < self->euler.steps && !(self->sampling && at == goal))
        return self->euler.action[at];
    return fy_random_action(explorer, t, state);
}

static void rf_rl_explore_observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j)
{
    mixture *self = explorer->self;
    bool pooled = self->euler.counts->layers == 1;
    if (!self->sampling && (pooled || t < self->euler.steps))
        explorer->stale |= fy_euler_observe(&self->euler, t, pair, j);
    if (self->sampling || explorer->own[DATA].integer == DATA_ALL)
        fy_counts_add(self->counts, t, pair, j);
}

/* ------------------------------------------------------ plans and certificates */

static foray_status rf_rl_explore_plan(foray_explorer *explorer, int64_t count,
                                       const foray_reward *const *rewards, foray_mode mode,
                                       foray_policy **policies)
{
    const mixture *self = explorer->self;
    return fy_certify_plan(explorer, self->counts, NULL, FORAY_PLUGIN, count, rewards, mode,
                           policies);
}

static foray_status rf_rl_explore_bound(foray_explorer *explorer, foray_certificate *out)
{
    const mixture *self = explorer->self;
    *out = fy_certify_all(explorer, self->counts, self->work);
    return FORAY_OK;
}

fy_mixing fy_rf_rl_explore_now(const foray_explorer *explorer)
{
    const mixture *self = explorer->self;
    int64_t states = explorer->model->states;
    bool aimed = self->aimed >= 0;
    return (fy_mixing){self->goals,
                       self->policies,
                       self->samples,
                       self->made,
                       explorer->episodes + (explorer->step >= 0) - self->made,
                       self->sampling,
                       aimed ? self->goal[self->aimed] / states : -1,
                       aimed ? self->goal[self->aimed] % states : -1,
                       self->counts};
}

/* ------------------------------------------------------------- save and load */

static void rf_rl_explore_save(foray_explorer *explorer, fy_writer *writer)
{
    const mixture *self = explorer->self;
    fy_write_u64(writer, (uint64_t)self->policies);
    fy_write_u64(writer, (uint64_t)self->samples);
    fy_write_u64(writer, (uint64_t)self->made);
    fy_write_double(writer, self->next_draw);
    fy_write_u64(writer, self->sampling);
    fy_counts_write(self->counts, writer);
    fy_euler_write(&self->euler, writer);
}

/* The reader fails where the budget was split in another way. */
static void rf_rl_explore_load(foray_explorer *explorer, fy_reader *reader)
{
    mixture *self = explorer->self;
    if (fy_read_u64(reader) != (uint64_t)self->policies ||
        fy_read_u64(reader) != (uint64_t)self->samples)
        reader->failed = true;
    self->made = (int64_t)fy_read_u64(reader);
    self->next_draw = fy_read_double(reader);
    self->sampling = fy_read_u64(reader) != 0;
    fy_counts_read(self->counts, reader);
    if (self->made < 0 || self->made > self->policies || self->made > explorer->episodes ||
        !(self->next_draw >= 0.0 && self->next_draw <= 1.0))
        reader->failed = true;
    if (reader->failed) {
        self->made = 0;
        return;
    }
    if (self->made > 0)
        aim(explorer, goal_of(self, self->made - 1));
    fy_euler_read(&self->euler, reader);
}

const fy_explorer_ops fy_rf_rl_explore = {
    .name = "rf-rl-explore",
    .summary = "RF-RL-Explore (Jin et al. 2020): EULER to every state, then their mixture, tabular",
    .parameter = parameters,
    .parameters = FY_COUNT(parameters),
    .create = rf_rl_explore_create,
    .begin_episode = rf_rl_explore_begin_episode,
    .act = rf_rl_explore_act,
    .observe = rf_rl_explore_observe,
    .plan = rf_rl_explore_plan,
    .save = rf_rl_explore_save,
    .load = rf_rl_explore_load,
    .needs_budget = fy_always_needs_budget, /* how it is split depends on it */
    .bound = rf_rl_explore_bound,
    .bound_plan = FORAY_PLUGIN,
};
