/* scout.c - Scout: goes where certificates are widest. An algorithm of Foray's own.
 *
 *   for k = 1..K
 *     p, x, kappa^2 of the likelihood sets of all counts so far (certify/all_rewards.h)
 *     r(s,a) = min{ 1, kappa^2(s,a) }
 *     pi, W = PLAN(p, r) without bonus:   W_h(s) = max_a [ r(s,a) + sum_j p_j W_{h+1}(s_j) ]
 *     play pi for one episode, count what follows
 *   for any reward: the best policy under p, with its certificate
 *
 * For all policies and rewards |V^pi_theta - Vhat^pi| <= (H-h)/2 sqrt(w_h) + y_h, and W is the w_h
 * of that bound, in which (s,a) counts for no more than 1: beyond, nothing is known about its law,
 * whatever the number. So the policy that maximises W attains the bound, and its episodes lower it
 * where it is attained. Nothing has to be added for optimism: a law that was never seen has
 * the largest reward there is.
 *
 * The last step counts like all others: what follows it matters to rewards r(s,a,s').
 *
 * A new plan is made when some block's determinant has doubled. Laws without a likelihood (features
 * that are not mixtures, or are estimates; a system seen through clusters) have no kappa. What
 * bounds values then is the recursion step by step, Z_h, which adds up beta_g m(s,a) of the
 * regression, and so their reward is r(s,a) = min{ 1, 2 beta_g m(s,a) }. For these the regression
 * of UCRL-RFE is kept, with the same targets.
 *
 * Steering. Where rewards were named that it is for, r is where *their* certificates are decided
 * (explore/steering.c) for as long as one of them is not met:
 *
 *     r(s,a) = rho(s,a) / max rho,   or as above where rho earns nothing
 *
 * and a new plan is made when a law with more than 1% of the shares has been seen 1.25 times as
 * often, or there are 1.12 times as many episodes. */
#include "explore/mixture/learner.h"

#include <math.h>
#include <string.h>

typedef struct scout {
    fy_learner learner; /* first: explorer->self is one */
    bool steered;       /* the plan that is followed is for targets; then, */
    int64_t due;        /* after so many episodes there is another one, */
    int64_t *limit;     /* [blocks] and once a law was seen so often, */
    bool grown;         /* which some law was */
    int64_t *visits;    /* [blocks] */
    double *share;      /* [blocks] */
} scout;

/* --------------------------------------------------------------- initialise */

static foray_status scout_create(foray_explorer *explorer)
{
    fy_certifier *sets;
    foray_status status = fy_learner_create(explorer, sizeof(scout), 1, FY_KEEPS_ACTIONS);
    int64_t blocks = explorer->model->basis->blocks;
    scout *self = explorer->self;
    if (status == FORAY_OK && (!FY_NEW(&explorer->arena, self->limit, blocks) ||
                               !FY_NEW(&explorer->arena, self->visits, blocks) ||
                               !FY_NEW(&explorer->arena, self->share, blocks)))
        status = FORAY_ERROR_MEMORY;
    /* So that episodes need no memory. */
    return status == FORAY_OK ? fy_explorer_sets(explorer, &sets) : status;
}

/* ------------------------------------------------------------------ episodes */

/* r(s,a) = min{ 1, kappa^2 }, or min{ 1, 2 beta_g m } where there is no kappa. */
static fy_plan_reward scout_reward(fy_learner *learner, fy_certifier *sets)
{
    const foray_model *model = learner->model;
    const double *kappa2 = sets ? fy_all_rewards_kappa2(sets->all) : NULL;
    for (int64_t pair = 0; pair < model->pairs; pair++) {
        int32_t set = model->generator_set[pair];
        int32_t g = learner->basis->block_of_generator_set[set];
        bool known =
            sets && fy_certifier_has_likelihood(sets, model->basis->block_of_generator_set[set]);
        double widest = 2.0 * learner->radius[g] * learner->inner->upper[set];
        learner->bonus[pair] = fmin(1.0, known ? kappa2[set] : widest);
    }
    return (fy_plan_reward){.table = learner->table, .cap = INFINITY};
}

/* Until when the plan for targets lasts. */
static void watch(foray_explorer *explorer)
{
    static const double smallest_share = 0.01, growth = 1.25, longer = 1.12;
    scout *self = explorer->self;
    int64_t blocks = explorer->model->basis->blocks;
    double sum = 0, k = (double)explorer->episodes;
    for (int64_t g = 0; g < blocks; g++)
        sum += self->share[g];
    for (int64_t g = 0; g < blocks; g++) {
        double limit = fmax(ceil(growth * (double)self->visits[g]), 1);
        self->limit[g] = self->share[g] > smallest_share * sum ? (int64_t)limit : INT64_MAX;
    }
    self->due = (int64_t)fmax(floor(longer * k), k + 1);
    self->grown = false;
}

/* The sets, r from them, pi = PLAN(...). */
static void scout_begin_episode(foray_explorer *explorer)
{
    fy_learner *learner = explorer->self;
    scout *self = explorer->self;
    fy_certifier *sets = NULL;
    if (!fy_explorer_plan_due(explorer))
        return;
    fy_learner_estimate(learner);
    fy_learner_maximise(learner, true);
    /* Cannot fail: it was made when the explorer was. */
    (void)fy_explorer_sets(explorer, &sets);
    if (!sets)
        fy_kernel_estimate(learner->kernel, learner->ridge, learner->z, learner->radius);
    fy_ridge_mark(learner->ridge);
    self->steered = sets && fy_explorer_steer(explorer, learner->bonus, self->share);
    if (self->steered) {
        fy_plan_reward rho = {.table = learner->table, .cap = INFINITY};
        double worth =
            fy_learner_follow(explorer, sets->inside->kernel, rho, 0, FORAY_CLIP_REMAINING);
        self->steered = worth > 0;
        explorer->plans -= !self->steered;
        watch(explorer);
    }
    if (!self->steered)
        fy_learner_follow(explorer, sets ? sets->inside->kernel : learner->kernel,
                          scout_reward(learner, sets), 0, FORAY_CLIP_REMAINING);
}

static void scout_observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j)
{
    scout *self = explorer->self;
    const foray_model *model = explorer->model;
    int64_t g = model->basis->block_of_generator_set[model->generator_set[pair]];
    fy_learner_observe(explorer, t, pair, j);
    self->grown |= ++self->visits[g] >= self->limit[g];
}

/* Plans for targets look at every unknown of each transition, for up to 8 of them: those that laws
 * ask for are made as long as they pay (fy_learner_plan_pays). */
static void scout_end_episode(foray_explorer *explorer)
{
    const scout *self = explorer->self;
    int64_t targets = explorer->targets < 8 ? explorer->targets : 8;
    double work = 1 + 2 * (double)(targets * explorer->model->basis->unknowns);
    if (!self->steered)
        fy_learner_end_episode(explorer);
    else
        explorer->stale = explorer->settings.replan == FORAY_REPLAN_EVERY ||
                          explorer->episodes + 1 >= self->due ||
                          (self->grown && fy_learner_plan_pays(explorer, work));
}

/* ------------------------------------------------------------- save and load */

static void scout_save(foray_explorer *explorer, fy_writer *writer)
{
    const scout *self = explorer->self;
    size_t blocks = (size_t)explorer->model->basis->blocks;
    fy_learner_save(explorer, writer);
    fy_write_u64(writer, (uint64_t)self->steered + 2 * (uint64_t)self->grown);
    fy_write_u64(writer, (uint64_t)self->due);
    fy_write_u64s(writer, (const uint64_t *)self->limit, self->steered ? blocks : 0);
}

static void scout_load(foray_explorer *explorer, fy_reader *reader)
{
    scout *self = explorer->self;
    const foray_model *model = explorer->model;
    size_t blocks = (size_t)model->basis->blocks;
    fy_learner_load(explorer, reader);
    uint64_t flags = fy_read_u64(reader);
    reader->failed |= flags > 3;
    self->steered = flags & 1;
    self->grown = flags & 2;
    self->due = (int64_t)fy_read_u64(reader);
    fy_read_u64s(reader, (uint64_t *)self->limit, self->steered ? blocks : 0);
    memset(self->visits, 0, blocks * sizeof *self->visits);
    for (int64_t pair = 0; pair < model->pairs; pair++)
        for (int64_t j = model->succ_start[pair]; j < model->succ_start[pair + 1]; j++)
            self->visits[model->basis->block_of_generator_set[model->generator_set[pair]]] +=
                explorer->seen[j];
}

const fy_explorer_ops fy_scout = {
    .name = "scout",
    .summary = "Foray's own: goes where certificates are widest, linear mixture models",
    .create = scout_create,
    .begin_episode = scout_begin_episode,
    .end_episode = scout_end_episode,
    .follows = true,
    .remakes = true,
    .steers = true,
    .observe = scout_observe,
    .explores_on_sets = true,
    .save = scout_save,
    .load = scout_load,
    .needs_budget = fy_learner_needs_budget,
    FY_LEARNER_OPS,
};
