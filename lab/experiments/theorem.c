/* theorem.c - runs at the constants of the paper's theorem, to the K that it asks for.
 *
 *   for each variant of the algorithm, world and eps for which K(eps) is within the budget,
 *   and each seed
 *     play K(eps) episodes with the paper's constants, and at 10^(i/4) episodes measure the
 *     worst gap, the certificate, and the quantities that the proof bounds
 *
 * K(eps) is the paper's with its constants worked out (theorem.h). */
#include "experiments/theorem.h"
#include "base/maths.h"
#include "compare/trial.h"
#include "explore/mixture/learner.h"
#include "learn/radius.h"
#include "measure/measure.h"
#include "model/model.h"
#include "work/lab.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------- the theorem */

/* On the event that theta* is in every confidence set (probability 1 - delta/3), with
 * w_{k,h} = ||psi_u||_{Sigma_k^-1} for the maximiser u in [0, H-h] of step h:
 *
 *   (1)  gap of any plan after K episodes  <=  H V*_1(r_{K+1})           r: exploration reward
 *   (2)  V*_1(r_{K+1})  <=  1/K sum_k V*_1(r_k)  <=  1/K sum_k V_{k,1}   r_k falls with k; optimism
 *   (3)  V_{k,h}  <=  min{H-h+1, 2 beta (1 + 1/H) w_{k,h}} + P V_{k,h+1}
 *   (4)  sum_{k,h} of the bonuses in (3)  <=  4 beta (1 + 1/H) sqrt(K (H-1) D) + D/log 2 H(H+1)/2
 *   (5)  sum_{k,h} P V_{k,h+1} - V_{k,h+1}(s_{h+1})  <=  sqrt(K H(H+1)(2H+1)/12 log(3/delta))
 *
 * where D bounds log det Sigma_{K+1}/det(lambda I). In (4), w <= sqrt 2 ||psi_u|| in the norm
 * of Sigma as it was when the step was taken, but in at most D/log 2 episodes in which the
 * determinant doubles; then Cauchy-Schwarz and the elliptical potential. (5) is Azuma-Hoeffding,
 * the first state included. Replanning when the determinant has doubled, rather than in every
 * episode, changes nothing in (4): the factor sqrt 2 is already in it. */

fy_theorem_terms fy_theorem_terms_of(const foray_model *model, double delta)
{
    return (fy_theorem_terms){.horizon = (double)foray_model_horizon(model),
                              .dim = (double)foray_model_dim(model),
                              .norm_bound = model->norm_bound,
                              .delta = delta};
}

/* D = d log(1 + k B^2 sum_h (H-h)^2 / d):  the trace of Sigma, spread evenly. */
static double max_information(const fy_theorem_terms *terms, double k)
{
    double H = terms->horizon, d = terms->dim, B = terms->norm_bound;
    double squares = (H - 1) * H * (2 * H - 1) / 6;
    return d * fy_log1p(k * B * B * squares / d);
}

fy_theorem_bound fy_theorem_bound_after(const fy_theorem_terms *terms, double K, double k)
{
    double H = terms->horizon, D = max_information(terms, k);
    fy_theorem_bound p = {.information = D};
    p.radius = fy_radius_hoeffding(H, terms->dim, K, terms->norm_bound, terms->delta, 3);
    p.bonus = 4 * p.radius * (1 + 1 / H) * sqrt(k * (H - 1) * D) + D / fy_log(2) * H * (H + 1) / 2;
    p.chance = sqrt(k * H * (H + 1) * (2 * H + 1) / 12 * fy_log(3 / terms->delta));
    p.gap = H / k * (p.bonus + p.chance);
    return p;
}

/* The least whole K at which `gap`, falling with K, is at most eps. */
static double min_episodes(double (*gap)(const fy_theorem_terms *, double),
                           const fy_theorem_terms *terms, double eps)
{
    double enough = 1;
    while (gap(terms, enough) > eps)
        enough *= 2;
    double few = floor(enough / 2);
    while (enough - few > 1) {
        double middle = floor(0.5 * (few + enough));
        if (middle == few || middle == enough)
            break; /* beyond 2^53 not every integer is a double */
        if (gap(terms, middle) > eps)
            few = middle;
        else
            enough = middle;
    }
    return enough;
}

static double promised_gap(const fy_theorem_terms *terms, double K)
{
    return fy_theorem_bound_after(terms, K, K).gap;
}

double fy_theorem_episodes(const fy_theorem_terms *terms, double eps)
{
    return min_episodes(promised_gap, terms, eps);
}

/*   H/K 4 beta^ sqrt(sum nu  d L1),   sum nu >= K (H-1) alpha,   alpha = H^2/d
 * bounds the sum of 2 beta^ ||psi_V||_{Sigma^^-1}, the bonuses that its plans explore with. */
double fy_theorem_plus_bound(const fy_theorem_terms *terms, double K)
{
    double H = terms->horizon, d = terms->dim, B = terms->norm_bound;
    double hat = fy_radius_bernstein(H, d, K, 1 / (B * B), B, terms->delta).hat;
    double alpha = H * H / d, L1 = fy_log1p(K * H * B * B);
    return H / K * 4 * hat * sqrt(K * (H - 1) * alpha * d * L1);
}

double fy_theorem_plus_episodes(const fy_theorem_terms *terms, double eps)
{
    return min_episodes(fy_theorem_plus_bound, terms, eps);
}

/* ---------------------------------------------------------------------- a run
 *
 *   for k = 1, ..., K
 *     play an episode in a world that adds up the bonuses of the steps taken
 *     at k = 10^(i/4) and at K: worst gap, certificate, and what the proof bounds */

typedef struct theorem_run {
    foray_context *ctx;
    const foray_model *model;
    const foray_settings *settings;
    fy_worst_search *search;
    int64_t rounds;
    foray_explorer *explorer;
    foray_world *inside; /* the model's own */
    foray_world *world;  /* the same, adding up bonuses */
    double bonus;
} theorem_run;

/* ---------------------------------------------------- a world that adds up bonuses */

static foray_status reset_world(void *self, const foray_draw *draw, int64_t *state)
{
    const theorem_run *r = self;
    return foray_world_reset(r->inside, draw, state);
}

/* bonus += min{H-h+1, 2 beta (1 + 1/H) w_{k,h}},  w = (H-h) m(s,a) for Sigma at the episode's
 * start, where m is the largest norm of a feature under Sigma^-1. */
static foray_status step_world(void *self, const foray_draw *draw, int64_t state, int64_t action,
                               int64_t *next)
{
    theorem_run *r = self;
    const fy_learner *learner = fy_learner_of(r->explorer);
    int64_t pair = state * r->model->actions + action;
    double H = (double)r->model->horizon, left = H - (double)draw->step;
    double w = left * learner->inner->upper[r->model->generator_set[pair]];
    r->bonus += fmin(left + 1, 2 * learner->radius[0] * (1 + 1 / H) * w);
    return foray_world_step(r->inside, draw, state, action, next);
}

/* ----------------------------------------------------------------------- measuring */

/* H V*_1(r) with the exploration reward r of Sigma as it is, in the true model. */
static double exploration_value(const theorem_run *r)
{
    fy_learner *learner = fy_learner_of(r->explorer);
    double value;
    fy_learner_estimate(learner);
    fy_learner_maximise(learner, false);
    fy_plan(&(fy_plan_task){.kernel = r->search->truth->exact.kernel,
                            .reward = fy_learner_reward(learner),
                            .lanes = 1,
                            .clip = FORAY_CLIP_REMAINING,
                            .ties = FORAY_TIES_LOWEST,
                            .layers = 2,
                            .value = r->search->truth->exact.value},
            &value);
    return (double)r->model->horizon * value;
}

static foray_status measure_point(const theorem_run *r, fy_theorem_point *point)
{
    fy_learner *learner = fy_learner_of(r->explorer);
    foray_certificate bound;
    foray_status status = fy_worst_search_run(r->ctx, r->search, r->explorer, FORAY_OPTIMISTIC,
                                              r->rounds, &point->gap, NULL);
    if (status == FORAY_OK)
        status = foray_explorer_bound(r->explorer, FORAY_KIND_PAIR, &bound);
    if (status != FORAY_OK)
        return status;
    point->episode = r->explorer->episodes;
    point->plans = r->explorer->plans;
    point->bound = bound.gap;
    point->exploration = exploration_value(r);
    point->distance = fy_learner_distance(learner, r->model->theta);
    /* log det Sigma - d log lambda */
    point->information = fy_ridge_log_det(learner->ridge, 0) -
                         (double)r->model->dim * fy_log(learner->ridge->lambda[0]);
    /* Between two plans the maximisation behind the bound replaces that of the last plan. */
    point->bonus = r->settings->replan == FORAY_REPLAN_EVERY ? r->bonus : NAN;
    return FORAY_OK;
}

/* -------------------------------------------------------------------------- a run */

static foray_status play_until(theorem_run *r, int64_t until, const fy_theorem_listener *listener)
{
    enum { BETWEEN_CALLS = 4096 };
    foray_status status = FORAY_OK;
    for (int64_t k = r->explorer->episodes; k < until && status == FORAY_OK; k++) {
        status = foray_explorer_play(r->explorer, r->world, NULL, NULL);
        if (status == FORAY_OK && k % BETWEEN_CALLS == 0 && !listener->progress(listener->user, k))
            status = FORAY_INTERRUPTED;
    }
    return status;
}

foray_status fy_theorem_run(foray_context *ctx, const foray_model *model,
                            const foray_settings *settings, fy_worst_search *search, int64_t rounds,
                            const fy_theorem_listener *listener)
{
    const foray_world_ops adding = {
        .size = sizeof adding, .reset = reset_world, .step = step_world};
    theorem_run r = {
        .ctx = ctx, .model = model, .settings = settings, .search = search, .rounds = rounds};
    foray_status status = foray_explorer_create(ctx, model, settings, &r.explorer);
    if (status == FORAY_OK) /* the theorem is about this radius */
        status = foray_explorer_certify_by(r.explorer, settings->radius);
    if (status == FORAY_OK)
        status = foray_world_from_model(ctx, model, &r.inside);
    if (status == FORAY_OK)
        status = foray_world_create(ctx, &adding, &r, &r.world);
    for (int64_t k = 0; k < settings->episodes && status == FORAY_OK;) {
        fy_theorem_point point;
        k = fy_next_checkpoint(k, settings->episodes, FY_TRIAL_PER_DECADE);
        status = play_until(&r, k, listener);
        if (status == FORAY_OK)
            status = measure_point(&r, &point);
        if (status == FORAY_OK)
            status = listener->take(listener->user, &point);
    }
    foray_explorer_destroy(r.explorer);
    foray_world_destroy(r.world);
    foray_world_destroy(r.inside);
    return status;
}

/* ===================================================== the experiment */

/* Parameters. */
enum {
    VARIANTS,
    WORLDS,
    EPS,
    DELTA,
    EVERY_BUDGET,
    DOUBLING_BUDGET,
    OTHERS,
    REWARDS,
    ROUNDS,
    SEEDS,
    SEED,
    PARAMETERS
};

/* Columns; a row is a checkpoint of a run. */
enum {
    C_VARIANT,
    C_WORLD,
    C_EPS,
    C_SEED,
    C_PROMISED,
    C_EPISODE,
    C_GAP,
    C_BOUND,
    C_EXPLORATION,
    C_DISTANCE,
    C_INFORMATION,
    C_BONUS,
    C_PLANS,
    COLUMNS
};

/* What a cell's axes mean. The seeds of a run lie side by side. */
enum { AT_VARIANT, AT_WORLD, AT_EPS, AT_SEED };

/* The algorithm as printed, and the changes that its proof allows or asks for. */
typedef struct theorem_variant {
    const char *name, *algorithm;
    int clip, replan;
    const char *about;
} theorem_variant;

static const theorem_variant variants[] = {
    {"printed", "ucrl-rfe", FORAY_CLIP_HORIZON, FORAY_REPLAN_EVERY,
     "UCRL-RFE as printed: values clipped at H, a new plan in every episode"},
    {"proof", "ucrl-rfe", FORAY_CLIP_REMAINING, FORAY_REPLAN_EVERY,
     "the same with values clipped at the steps that remain, as the proof needs it"},
    {"doubling", "ucrl-rfe", FORAY_CLIP_REMAINING, FORAY_REPLAN_DOUBLING,
     "the same with a new plan only when the determinant of Sigma has doubled, for which the "
     "proof gives the same K"},
    {"plus", "ucrl-rfe+", FORAY_CLIP_HORIZON, FORAY_REPLAN_EVERY,
     "UCRL-RFE+ as printed, for as many episodes as UCRL-RFE needs: its own K is out of reach"},
};
enum { VARIANT_COUNT = sizeof variants / sizeof *variants };

/* Variant `index`; NULL past the end. */
static const theorem_variant *variant_at(int64_t index)
{
    return index >= 0 && index < VARIANT_COUNT ? &variants[index] : NULL;
}

static const foray_lab_parameter parameters[PARAMETERS] = {
    [VARIANTS] = FY_LAB_CHOICES("variants", "printed,proof,doubling,plus",
                                "printed,proof,doubling,plus", "printed|proof|doubling|plus",
                                "the algorithm as printed, and with what its proof allows"),
    [WORLDS] = FY_LAB_WORLDS("worlds",
                             "chain:states=3,zones=1,laws=1,horizon=2 "
                             "chain:states=3,zones=1,laws=1,horizon=3",
                             "chain:states=3,zones=1,laws=1,horizon=2 "
                             "chain:states=3,zones=1,laws=1,horizon=3 "
                             "mixture:states=3,actions=2,successors=3,dim=2,horizon=2",
                             "worlds to play in, small enough"),
    [EPS] = FY_LAB_REALS("eps", "0.5,0.25,0.1", "1,0.5,0.25,0.1", 1e-6, 1e6, "accuracies"),
    [DELTA] = FY_LAB_REAL("delta", "0.1", "0.1", 1e-9, 0.999, "the share of runs that may fail"),
    [EVERY_BUDGET] = FY_LAB_INTEGER("every_budget", "4000000", "4000000", 1, 1e12,
                                    "largest number of episodes of a run that plans in every one"),
    [DOUBLING_BUDGET] = FY_LAB_INTEGER("doubling_budget", "40000000", "40000000", 1, 1e12,
                                       "largest number of episodes of a run that plans rarely"),
    [OTHERS] =
        FY_LAB_WORLDS("others", "chain riverswim rooms inventory",
                      "chain riverswim rooms inventory", "worlds for which only K is computed"),
    [REWARDS] = FY_LAB_INTEGER("rewards", "8", "8", 1, 1e6,
                               "rewards of each kind: goals, dense, sparse, timed"),
    [ROUNDS] = FY_LAB_INTEGER("rounds", "4", "4", 0, 1e6, "rounds of the adversary"),
    [SEEDS] = FY_LAB_SEEDS("8", "20"),
    [SEED] = FY_LAB_SEED,
};

static const char *const variant_words[VARIANT_COUNT + 1] = {"printed", "proof", "doubling", "plus",
                                                             NULL};

static const fy_lab_column measures[COLUMNS] = {
    [C_VARIANT] = {.name = "variant",
                   .help = "the variant of the algorithm",
                   .word = variant_words},
    [C_WORLD] = {.name = "world", .help = "the world", .words = 1 + WORLDS},
    [C_EPS] = {.name = "eps", .help = "the accuracy promised after K episodes"},
    [C_SEED] = {.name = "seed", .help = "the seed"},
    [C_PROMISED] = {.name = "promised", .help = "K(eps) of UCRL-RFE"},
    [C_EPISODE] = {.name = "episode", .help = "episodes so far"},
    [C_GAP] = {.name = "gap", .help = "the worst gap found, of optimistic plans"},
    [C_BOUND] = {.name = "bound", .help = "the certificate for all rewards"},
    [C_EXPLORATION] = {.name = "target",
                       .help = "H V*(r), r the exploration reward: what the proof bounds "
                               "the gap by"},
    [C_DISTANCE] = {.name = "distance",
                    .help = "distance of the estimate from theta*, over the radius"},
    [C_INFORMATION] = {.name = "information", .help = "log det Sigma / det(lambda I)"},
    [C_BONUS] = {.name = "bonus",
                 .help = "sum of all exploration bonuses; empty: not measured when "
                         "plans are seldom made"},
    [C_PLANS] = {.name = "plans", .help = "exploration plans made so far"},
};

/* ----------------------------------------------------------------------------- plan */

/* What K depends on, in a world of the list `parameter`. */
static foray_status world_terms(foray_context *ctx, const fy_lab *lab, int parameter, int64_t world,
                                fy_theorem_terms *out)
{
    foray_model *model;
    foray_status status = foray_model_builtin(ctx, fy_lab_word(lab, parameter, world), &model);
    if (status != FORAY_OK)
        return status;
    *out = fy_theorem_terms_of(model, fy_lab_real(lab, DELTA));
    foray_model_destroy(model);
    return FORAY_OK;
}

/* The runs of one promise, if it can be put to the test within the budget. A step costs 0.05
 * microseconds, a plan some 0.2 for each step of a tiny world. */
static foray_status add_promise(fy_lab *lab, int64_t variant, int64_t world, int64_t e)
{
    fy_theorem_terms terms;
    foray_status status = world_terms(lab->ctx, lab, WORLDS, world, &terms);
    if (status != FORAY_OK)
        return status;
    bool every = variants[variant].replan == FORAY_REPLAN_EVERY;
    double budget = fy_lab_real(lab, every ? EVERY_BUDGET : DOUBLING_BUDGET);
    double eps = fy_lab_number(lab, EPS, e), K = fy_theorem_episodes(&terms, eps);
    if (K > budget || eps >= terms.horizon)
        return FORAY_OK;
    for (int64_t s = 0; s < fy_lab_integer(lab, SEEDS) && status == FORAY_OK; s++) {
        const int64_t at[FY_LAB_AXES] = {
            [AT_VARIANT] = variant, [AT_WORLD] = world, [AT_EPS] = e, [AT_SEED] = s};
        status = fy_lab_add_cell(lab, terms.horizon * K * (every ? 2.5e-7 : 5e-8), at,
                                 "%s-world%" PRId64 "-eps%g-seed%" PRId64, variants[variant].name,
                                 world + 1, eps, fy_lab_integer(lab, SEED) + s);
    }
    return status;
}

static foray_status plan_theorem(fy_lab *lab)
{
    fy_theorem_terms terms;
    foray_status status = FORAY_OK;
    /* Worlds that no cell needs; better refused before the runs than after. */
    for (int64_t w = 0; w < fy_lab_count(lab, OTHERS) && status == FORAY_OK; w++)
        status = world_terms(lab->ctx, lab, OTHERS, w, &terms);
    for (int64_t v = 0; v < fy_lab_count(lab, VARIANTS); v++) {
        int64_t variant = 0;
        while (strcmp(variants[variant].name, fy_lab_word(lab, VARIANTS, v)) != 0)
            variant++;
        for (int64_t w = 0; w < fy_lab_count(lab, WORLDS); w++)
            for (int64_t e = 0; e < fy_lab_count(lab, EPS) && status == FORAY_OK; e++)
                status = add_promise(lab, variant, w, e);
    }
    if (status == FORAY_OK && lab->cells == 0)
        return fy_fail(lab->ctx, FORAY_ERROR_USAGE,
                       "theorem: no eps is below the horizon and within the budgets");
    return status;
}

/* ----------------------------------------------------------------------------- cells */

/* Where a run's rows go, and who hears how far it is. */
typedef struct receiver {
    foray_context *ctx;
    fy_lab *lab;
    int64_t cell;
    const foray_settings *settings;
    fy_rows *rows;
} receiver;

static foray_status add_point(void *user, const fy_theorem_point *point)
{
    const receiver *to = user;
    const int64_t *at = to->lab->cell[to->cell].at;
    const double row[COLUMNS] = {
        [C_VARIANT] = (double)at[AT_VARIANT],
        [C_WORLD] = (double)at[AT_WORLD],
        [C_EPS] = fy_lab_number(to->lab, EPS, at[AT_EPS]),
        [C_SEED] = (double)to->settings->seed,
        [C_PROMISED] = (double)to->settings->episodes,
        [C_EPISODE] = (double)point->episode,
        [C_GAP] = point->gap,
        [C_BOUND] = point->bound,
        [C_EXPLORATION] = point->exploration,
        [C_DISTANCE] = point->distance,
        [C_INFORMATION] = point->information,
        [C_BONUS] = point->bonus,
        [C_PLANS] = (double)point->plans,
    };
    return fy_rows_add(to->ctx, to->rows, row);
}

static bool pass_progress(void *user, int64_t episode)
{
    const receiver *to = user;
    return fy_lab_progress(to->lab, to->cell, (double)episode / (double)to->settings->episodes);
}

/* The paper to the letter, but for what the variant changes. */
static foray_settings settings_of(const fy_lab *lab, const int64_t *at, double K)
{
    const theorem_variant *variant = &variants[at[AT_VARIANT]];
    foray_settings settings;
    foray_settings_default(&settings);
    foray_settings_literal(&settings);
    fy_format(settings.algorithm, sizeof settings.algorithm, "%s", variant->algorithm);
    settings.clip = variant->clip;
    settings.replan = variant->replan;
    settings.delta = fy_lab_real(lab, DELTA);
    settings.episodes = (int64_t)K;
    settings.seed = fy_lab_integer(lab, SEED) + at[AT_SEED];
    return settings;
}

static foray_status make_theorem_cell(foray_context *ctx, fy_lab *lab, int64_t index, fy_rows *rows)
{
    const int64_t *at = lab->cell[index].at;
    foray_model *model = NULL;
    fy_worst_search *search = NULL;
    foray_status status = foray_model_builtin(ctx, fy_lab_word(lab, WORLDS, at[AT_WORLD]), &model);
    if (status == FORAY_OK)
        status = fy_worst_search_create(ctx, model, fy_lab_integer(lab, REWARDS),
                                        (uint64_t)fy_lab_integer(lab, SEED), &search);
    if (status == FORAY_OK) {
        fy_theorem_terms terms = fy_theorem_terms_of(model, fy_lab_real(lab, DELTA));
        double eps = fy_lab_number(lab, EPS, at[AT_EPS]);
        foray_settings settings = settings_of(lab, at, fy_theorem_episodes(&terms, eps));
        receiver to = {ctx, lab, index, &settings, rows};
        status = fy_theorem_run(ctx, model, &settings, search, fy_lab_integer(lab, ROUNDS),
                                &(fy_theorem_listener){add_point, pass_progress, &to});
    }
    fy_worst_search_destroy(search);
    foray_model_destroy(model);
    return status;
}

/* -------------------------------------------------------------------------- results */

/* The runs of one promise: a variant, a world, an eps. */
typedef struct promise {
    const fy_lab *lab;
    int64_t first, runs, points; /* cells, and checkpoints of each */
    const int64_t *at;
    const char *variant, *world;
    fy_theorem_terms terms;
    double eps, K;
    double *work; /* [runs] */
} promise;

static const double *row_of(const promise *p, int64_t run, int64_t point)
{
    return fy_rows_at(&p->lab->rows[p->first + run], point);
}

static foray_status look_up(const fy_lab *lab, int64_t first, double *work, promise *out)
{
    const int64_t *at = lab->cell[first].at;
    *out = (promise){.lab = lab,
                     .first = first,
                     .runs = fy_lab_integer(lab, SEEDS),
                     .points = lab->rows[first].count,
                     .at = at,
                     .variant = variant_at(at[AT_VARIANT])->name,
                     .world = fy_lab_word(lab, WORLDS, at[AT_WORLD]),
                     .eps = fy_lab_number(lab, EPS, at[AT_EPS])};
    out->work = work;
    out->K = row_of(out, 0, 0)[C_PROMISED];
    return world_terms(lab->ctx, lab, WORLDS, at[AT_WORLD], &out->terms);
}

/* UCRL-RFE+ is measured after the K of UCRL-RFE, which promises nothing about it. */
static bool is_plus(const promise *p)
{
    return strcmp(p->variant, "plus") == 0;
}

/* Is it the last, and with a falling list of eps the hardest, of its variant and world? */
static bool is_smallest(const promise *p)
{
    int64_t next = p->first + p->runs;
    if (next >= p->lab->cells)
        return true;
    const int64_t *at = p->lab->cell[next].at;
    return at[AT_VARIANT] != p->at[AT_VARIANT] || at[AT_WORLD] != p->at[AT_WORLD];
}

/* "printed, chain, H 2, d 2" */
static void describe(const promise *p, char out[128])
{
    fy_format(out, 128, "%s, %.*s, H %g, d %g", p->variant, (int)strcspn(p->world, ":"), p->world,
              p->terms.horizon, p->terms.dim);
}

/* ----------------------------------------------------------------------- several runs */

/* Smallest, median and largest of the numbers in p->work. */
typedef struct spread {
    double min, median, max;
} spread;

static spread spread_of_work(const promise *p)
{
    fy_sort(p->runs, p->work);
    return (spread){p->work[0], fy_median(p->runs, p->work), p->work[p->runs - 1]};
}

static spread spread_at(const promise *p, int64_t point, int column)
{
    for (int64_t i = 0; i < p->runs; i++)
        p->work[i] = row_of(p, i, point)[column];
    return spread_of_work(p);
}

static spread spread_at_end(const promise *p, int column)
{
    return spread_at(p, p->points - 1, column);
}

/* min { k : column <= eps at k and at every later checkpoint }, of each run; infinite: not even
 * at the end. */
static spread reached(const promise *p, int column)
{
    for (int64_t i = 0; i < p->runs; i++) {
        p->work[i] = INFINITY;
        for (int64_t k = p->points - 1; k >= 0 && row_of(p, i, k)[column] <= p->eps; k--)
            p->work[i] = row_of(p, i, k)[C_EPISODE];
    }
    return spread_of_work(p);
}

/* The runs whose gap at K is at most eps. */
static int64_t count_kept(const promise *p)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < p->runs; i++)
        kept += row_of(p, i, p->points - 1)[C_GAP] <= p->eps;
    return kept;
}

/* The furthest that the estimate was from theta*, over all runs and checkpoints. */
static double max_distance(const promise *p)
{
    double max = 0.0;
    for (int64_t i = 0; i < p->runs; i++)
        for (int64_t k = 0; k < p->points; k++)
            max = fmax(max, row_of(p, i, k)[C_DISTANCE]);
    return max;
}

/* --------------------------------------------------------------------------- findings */

/* All promises together: how many were kept, and how much of each bound was used. */
static foray_status find_whole(fy_lab *lab, double *work)
{
    int64_t promises = 0, runs = 0, kept = 0, each = fy_lab_integer(lab, SEEDS);
    double slack = INFINITY, distance = 0.0, information = 0.0, bonus = 0.0;
    for (int64_t first = 0; first < lab->cells; first += each) {
        promise p;
        foray_status status = look_up(lab, first, work, &p);
        if (status != FORAY_OK)
            return status;
        if (is_plus(&p))
            continue;
        fy_theorem_bound promised = fy_theorem_bound_after(&p.terms, p.K, p.K);
        promises++;
        runs += p.runs;
        kept += count_kept(&p);
        slack = fmin(slack, p.eps / spread_at_end(&p, C_EXPLORATION).max);
        distance = fmax(distance, max_distance(&p));
        information =
            fmax(information, spread_at_end(&p, C_INFORMATION).max / promised.information);
        bonus = fmax(bonus, spread_at_end(&p, C_BONUS).max / promised.bonus);
    }
    if (promises == 0)
        return FORAY_OK;
    fy_interval share = fy_binomial_interval(runs, kept, 0.95);
    fy_lab_find(lab,
                "Of %" PRId64 " runs of UCRL-RFE to the full K(eps), for %" PRId64
                " promises, %" PRId64 " had a worst gap of at most eps at the end (exact 95%% "
                "interval of the share: %.3g to %.3g; promised is %g).",
                runs, promises, kept, share.low, share.high, 1.0 - fy_lab_real(lab, DELTA));
    fy_lab_find(lab,
                "Where the constants go: what the proof bounds by eps is at least %.3g times "
                "smaller when measured; bonuses sum to at most %.2g%% of their bound; the log "
                "determinant comes to %.3g%% of its own; the estimate is never further from "
                "theta* than %.2g%% of the radius.",
                slack, 100.0 * bonus, 100.0 * information, 100.0 * distance);
    return FORAY_OK;
}

static void find_promise(fy_lab *lab, const promise *p)
{
    char what[128], asked[FY_NUMBER_SIZE], K[FY_NUMBER_SIZE], gap[FY_NUMBER_SIZE];
    char bound[FY_NUMBER_SIZE], first[FY_NUMBER_SIZE], known[FY_NUMBER_SIZE];
    bool plus = is_plus(p);
    double theirs = plus ? fy_theorem_plus_episodes(&p->terms, p->eps) : p->K;
    describe(p, what);
    fy_lab_find(lab,
                "%s: eps %g is promised after %s%s episodes. After %s the worst gap of %" PRId64
                " runs was %s and the certificate %s; the gap had stayed below eps from episode "
                "%s on in the slowest run, the certificate from %s on.",
                what, p->eps, plus ? "no less than " : "", fy_number(theirs, asked),
                fy_number(p->K, K), p->runs, fy_number(spread_at_end(p, C_GAP).max, gap),
                fy_number(spread_at_end(p, C_BOUND).max, bound),
                fy_number(reached(p, C_GAP).max, first), fy_number(reached(p, C_BOUND).max, known));
}

/* ----------------------------------------------------------------- charts and summary */

static void draw_promise(const promise *p, int64_t index, fy_content *content)
{
    static const struct {
        const char *name;
        int column;
    } line[] = {{"worst gap", C_GAP}, {"certificate", C_BOUND}, {"H V*(r)", C_EXPLORATION}};
    char id[32], what[128], title[160];
    describe(p, what);
    fy_format(id, sizeof id, "promise%" PRId64, index);
    fy_format(title, sizeof title, "%s, eps %g", what, p->eps);
    fy_content_chart(content, &(fy_chart){.id = id,
                                          .title = title,
                                          .note = "medians over the runs; bands: all runs",
                                          .x = {.label = "episodes", .kind = FY_AXIS_LOG},
                                          .y = {.label = "gap", .kind = FY_AXIS_LOG}});
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        fy_content_series(content, line[i].name);
        for (int64_t k = 0; k < p->points; k++) {
            spread s = spread_at(p, k, line[i].column);
            fy_content_point(content,
                             (fy_series_point){row_of(p, 0, k)[C_EPISODE], s.median, s.min, s.max});
        }
    }
    if (is_plus(p))
        return;
    fy_content_series(content, "promised");
    for (int64_t k = 0; k < p->points; k++) {
        double episode = row_of(p, 0, k)[C_EPISODE];
        double gap = fy_theorem_bound_after(&p->terms, p->K, episode).gap;
        fy_content_point(content, (fy_series_point){episode, gap, NAN, NAN});
    }
    fy_content_series(content, "eps");
    for (int64_t k = 0; k<p->points; k += p->points> 1 ? p->points - 1 : 1)
        fy_content_point(content, (fy_series_point){row_of(p, 0, k)[C_EPISODE], p->eps, NAN, NAN});
}

static const char *const summary_heading[] = {
    "variant",       "world",       "eps",         "K",
    "runs",          "kept",        "kept_low",    "kept_high",
    "gap_most",      "bound",       "target",      "gap_reached",
    "bound_reached", "distance",    "information", "information_bound",
    "bonus",         "bonus_bound", "plans"};
enum { SUMMARY = sizeof summary_heading / sizeof *summary_heading };

static void add_summary(const promise *p, fy_table *table)
{
    int64_t kept = count_kept(p);
    fy_interval share = fy_binomial_interval(p->runs, kept, 0.95);
    fy_theorem_bound promised = fy_theorem_bound_after(&p->terms, p->K, p->K);
    fy_table_cell(table, "%s", p->variant);
    fy_table_cell(table, "%s", p->world);
    const double numbers[SUMMARY - 2] = {
        p->eps,
        p->K,
        (double)p->runs,
        (double)kept,
        share.low,
        share.high,
        spread_at_end(p, C_GAP).max,
        spread_at_end(p, C_BOUND).median,
        spread_at_end(p, C_EXPLORATION).median,
        reached(p, C_GAP).max,
        reached(p, C_BOUND).max,
        max_distance(p),
        spread_at_end(p, C_INFORMATION).median,
        promised.information,
        spread_at_end(p, C_BONUS).median,
        promised.bonus,
        spread_at_end(p, C_PLANS).median,
    };
    for (int i = 0; i < SUMMARY - 2; i++)
        fy_table_exact(table, numbers[i]);
}

/* Every promise in turn: a row of the summary; of the smallest eps a finding and a chart. */
static foray_status show_promises(fy_lab *lab, double *work, fy_content *content)
{
    foray_status status = find_whole(lab, work);
    fy_lab_details(lab);
    int64_t charts = 0, runs = fy_lab_integer(lab, SEEDS);
    fy_table table = fy_table_begin(lab->ctx, SUMMARY, summary_heading);
    fy_content_heading(content, "Measured and promised");
    fy_content_paragraph(content,
                         "The smallest eps of each variant and world. “promised” is what the proof "
                         "gives after k episodes with the radius for K; it meets eps at K, where "
                         "the runs end. A gap of 0 is drawn at the bottom.");
    for (int64_t first = 0; first < lab->cells && status == FORAY_OK; first += runs) {
        promise p;
        status = look_up(lab, first, work, &p);
        if (status != FORAY_OK)
            break;
        add_summary(&p, &table);
        if (!is_smallest(&p))
            continue;
        find_promise(lab, &p);
        draw_promise(&p, ++charts, content);
    }
    fy_content_heading(content, "All promises that were put to the test");
    fy_content_table(content, FY_TABLE_READ, "summary", NULL, &table);
    return status;
}

/* ------------------------------------------------------------- what the theorems ask for */

/* K for the worlds of a parameter and every eps; the worlds that nobody played are findings. */
static foray_status add_asked(fy_lab *lab, int parameter, fy_table *table)
{
    for (int64_t w = 0; w < fy_lab_count(lab, parameter); w++) {
        const char *world = fy_lab_word(lab, parameter, w);
        fy_theorem_terms terms;
        foray_status status = world_terms(lab->ctx, lab, parameter, w, &terms);
        if (status != FORAY_OK)
            return status;
        for (int64_t e = 0; e < fy_lab_count(lab, EPS); e++) {
            double eps = fy_lab_number(lab, EPS, e);
            double K = fy_theorem_episodes(&terms, eps),
                   plus = fy_theorem_plus_episodes(&terms, eps);
            double beta = fy_theorem_bound_after(&terms, K, K).radius;
            const double numbers[] = {terms.horizon, terms.dim, terms.norm_bound, eps, K,
                                      beta,          plus};
            fy_table_cell(table, "%s", world);
            for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
                fy_table_exact(table, numbers[i]);
            if (parameter == OTHERS && e == 0)
                fy_lab_find(lab,
                            "In %s (H %g, d %g) the theorem asks for %.2g episodes to promise a "
                            "gap of %g out of %g; that of UCRL-RFE+ for at least %.2g.",
                            world, terms.horizon, terms.dim, K, eps, terms.horizon, plus);
        }
    }
    return FORAY_OK;
}

static foray_status show_asked(fy_lab *lab, fy_content *content)
{
    static const char *const heading[] = {"world", "H", "d",    "B",
                                          "eps",   "K", "beta", "K_plus_at_least"};
    fy_table table = fy_table_begin(lab->ctx, sizeof heading / sizeof *heading, heading);
    foray_status status = add_asked(lab, WORLDS, &table);
    if (status == FORAY_OK)
        status = add_asked(lab, OTHERS, &table);
    fy_content_heading(content, "What the theorems ask for");
    fy_content_paragraph(content, "K of UCRL-RFE, its radius, and a lower bound on K of UCRL-RFE+: "
                                  "what its largest term alone needs.");
    fy_content_table(content, FY_TABLE_READ, "promises", NULL, &table);
    return status;
}

static foray_status show_theorem(fy_lab *lab, fy_content *content)
{
    const theorem_variant *variant;
    char every[FY_NUMBER_SIZE], doubling[FY_NUMBER_SIZE];
    double *work;
    if (!FY_ALLOC(lab->ctx, work, fy_lab_integer(lab, SEEDS)))
        return FORAY_ERROR_MEMORY;
    foray_status status = show_promises(lab, work, content);
    free(work);
    fy_content_heading(content, "The variants");
    for (int64_t v = 0; (variant = variant_at(v)); v++)
        fy_content_term(content, variant->name, variant->about);
    fy_content_paragraph(content,
                         "Runs that plan in every episode have up to %s episodes, the others up to "
                         "%s; promises beyond that were not put to the test.",
                         fy_number(fy_lab_real(lab, EVERY_BUDGET), every),
                         fy_number(fy_lab_real(lab, DOUBLING_BUDGET), doubling));
    return status == FORAY_OK ? show_asked(lab, content) : status;
}

const fy_lab_experiment fy_lab_theorem = {
    .name = "theorem",
    .summary = "full runs at the paper's own constants, to the paper's own K",
    .question =
        "Theorem: after K(eps) episodes of UCRL-RFE, with probability at least 1 - delta, the "
        "optimistic plan for every reward has a gap of at most eps. The paper gives "
        "K = O~(H^5 d^2/eps^2) and hides the constant; its proof has one, and with it K(eps) is a "
        "number: the least K with H/K (4 beta (1 + 1/H) sqrt(K (H-1) D) + D/(log 2) H(H+1)/2 "
        "+ "
        "sqrt(K H(H+1)(2H+1)/12 log(3/delta))) <= eps, where beta = H sqrt(d log(3 (1 + K H^3 "
        "B^2)/delta)) + 1 is the paper's radius, lambda = B^-2, and D = d log(1 + K B^2 "
        "sum_h (H-h)^2/d). Here exactly K(eps) episodes are played, in worlds and for accuracies "
        "for which K is within reach, with this radius, no centring and no blocks; the gap is the "
        "worst that goal states, random rewards and an adversary find.",
    .description =
        "Computes K(eps) of the paper's theorem with all its constants, explores for that\n"
        "many episodes in worlds where that is feasible, with the paper's radius and none of\n"
        "this library's improvements, and measures what was promised: the worst gap against\n"
        "eps, and each step of the proof. Reports K for larger worlds.",
    .example = "--quick --eps 1 --variants doubling --seeds 2 -o promise",
    .parameter = parameters,
    .parameters = PARAMETERS,
    .column = measures,
    .columns = COLUMNS,
    .plan = plan_theorem,
    .cell = make_theorem_cell,
    .show = show_theorem,
};
