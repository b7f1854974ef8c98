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
 * often, or there are 1.12 times as many episodes.
 *
 * Rewards that are not known. Where the world pays something that has to be seen (rewards =
 * function: of (s,a,s'); random: drawn for each (s,a)), r becomes (r + b)/2 with
 *
 *     b(s,a) = sum_j p_j [ (s,a,s_j) was not seen yet ],  or  min{ 1, sqrt(2 log(2 pairs/delta) /
 * n) }
 *
 * for the part of its range in which the reward of (s,a), or its mean, may still lie; and there is
 * a new plan at once, in the middle of the episode, when a reward is seen for the first time. */
#include "base/maths.h"
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
    double *base;       /* [pairs] r of the last plan without b */
    bool found;         /* b has changed since then */
} scout;

enum { REWARDS };
enum { REWARDS_KNOWN, REWARDS_FUNCTION, REWARDS_RANDOM };
static const foray_parameter parameters[] = {
    FY_CHOICE("rewards", "known", "known|function|random",
              "what the world pays: known, or explored, too; a function of (s,a,s'), or random"),
};

/* At once, if no more transitions than this are looked at for it. */
enum { AT_ONCE = 1 << 24 };

/* --------------------------------------------------------------- initialise */

static foray_status scout_create(foray_explorer *explorer)
{
    fy_certifier *sets;
    foray_status status = fy_learner_create(explorer, sizeof(scout), 1, FY_KEEPS_ACTIONS);
    int64_t blocks = explorer->model->basis->blocks;
    scout *self = explorer->self;
    if (status == FORAY_OK && (!FY_NEW(&explorer->arena, self->limit, blocks) ||
                               !FY_NEW(&explorer->arena, self->visits, blocks) ||
                               !FY_NEW(&explorer->arena, self->share, blocks) ||
                               !FY_NEW(&explorer->arena, self->base, explorer->model->pairs)))
        status = FORAY_ERROR_MEMORY;
    explorer->replans_within = explorer->own[REWARDS].integer != REWARDS_KNOWN;
    /* So that episodes need no memory. */
    return status == FORAY_OK ? fy_explorer_sets(explorer, &sets) : status;
}

/* ------------------------------------------------------------------ episodes */

/* r(s,a) = min{ 1, kappa^2 }, or min{ 1, 2 beta_g m } where there is no kappa. */
static void scout_reward(fy_learner *learner, fy_certifier *sets)
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

/* Does everything in a state lead back to it? What happens after an end pays nothing. */
static bool is_end(const foray_model *model, int64_t state)
{
    for (int64_t pair = state * model->actions; pair < (state + 1) * model->actions; pair++)
        for (int64_t k = model->succ_start[pair]; k < model->succ_start[pair + 1]; k++)
            if (model->succ[k] != state)
                return false;
    return true;
}

/* b of a pair. */
static double unseen(const foray_explorer *explorer, const fy_confidence *set, int64_t pair)
{
    const foray_model *model = explorer->model;
    const double *p = set->p + model->gen_start[model->generator_set[pair]];
    int64_t from = model->succ_start[pair], n = 0;
    double missing = 0;
    for (int64_t k = from; k < model->succ_start[pair + 1]; k++) {
        n += explorer->seen[k];
        missing += explorer->seen[k] == 0 ? p[k - from] : 0;
    }
    if (explorer->own[REWARDS].integer == REWARDS_FUNCTION)
        return fmin(fmax(missing, 0), 1);
    double nats = fy_log(2 * (double)model->pairs / explorer->settings.delta);
    return n > 0 ? fmin(1, sqrt(2 * nats / (double)n)) : 1;
}

/* pi = PLAN of r, or of (r + b)/2; returns what it is worth. */
static double follow(foray_explorer *explorer, fy_certifier *sets)
{
    scout *self = explorer->self;
    fy_learner *learner = &self->learner;
    const foray_model *model = explorer->model;
    bool looks = explorer->replans_within && sets;
    for (int64_t pair = 0; pair < model->pairs && looks; pair++) {
        bool pays = pair / model->actions < fy_begun(model) && fy_available(model, pair) &&
                    !is_end(model, pair / model->actions);
        double b = pays ? unseen(explorer, sets->inside, pair) : 0;
        learner->bonus[pair] = (self->base[pair] + b) / 2;
    }
    self->found = false;
    return fy_learner_follow(explorer, sets ? sets->inside->kernel : learner->kernel,
                             (fy_plan_reward){.table = learner->table, .cap = INFINITY}, 0,
                             FORAY_CLIP_REMAINING);
}

static void keep_base(foray_explorer *explorer)
{
    scout *self = explorer->self;
    memcpy(self->base, self->learner.bonus, (size_t)explorer->model->pairs * sizeof *self->base);
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
        keep_base(explorer);
        self->steered = follow(explorer, sets) > 0;
        explorer->plans -= !self->steered;
        watch(explorer);
    }
    if (!self->steered) {
        scout_reward(learner, sets);
        keep_base(explorer);
        follow(explorer, sets);
    }
}

/* Was the reward of what just happened seen for the first time, or twice as often as before? */
static bool is_news(const foray_explorer *explorer, int64_t pair, int64_t j)
{
    const foray_model *model = explorer->model;
    int64_t n = 0;
    if (explorer->own[REWARDS].integer == REWARDS_FUNCTION)
        return explorer->seen[model->succ_start[pair] + j] == 1;
    for (int64_t k = model->succ_start[pair]; k < model->succ_start[pair + 1]; k++)
        n += explorer->seen[k];
    return (n & (n - 1)) == 0;
}

/* The sets are those of the last plan, in the middle of an episode. */
static void look_elsewhere(foray_explorer *explorer)
{
    const foray_model *model = explorer->model;
    scout *self = explorer->self;
    self->found = true;
    if (model->horizon <= AT_ONCE / model->succ_start[model->pairs] &&
        explorer->step + 1 < model->horizon && !explorer->aggregated)
        follow(explorer, explorer->certifier);
}

static void scout_observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j)
{
    scout *self = explorer->self;
    const foray_model *model = explorer->model;
    int64_t g = model->basis->block_of_generator_set[model->generator_set[pair]];
    fy_learner_observe(explorer, t, pair, j);
    self->grown |= ++self->visits[g] >= self->limit[g];
    if (explorer->replans_within && is_news(explorer, pair, j))
        look_elsewhere(explorer);
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
    explorer->stale |= self->found;
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
    .parameter = parameters,
    .parameters = FY_COUNT(parameters),
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
