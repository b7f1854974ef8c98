/* lowerbound.c - how often algorithms succeed where theory says they must fail.
 *
 *   for each hard class, algorithm, member x of the class and seed
 *     for each multiple c of the bound K_0
 *       explore the world of x for c K_0 episodes, from the beginning
 *       plan for the reward 1 in `good`;  success: gap <= eps
 *
 * Every number of episodes has a run of its own, because algorithms may split their budget
 * or take radii that depend on it. */
#include "experiments/lowerbound.h"
#include "base/base.h"
#include "base/maths.h"
#include "work/lab.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ===================================================== the two classes */

static const char *const names[] = {"packing", "hypercube"};

/* "packing", "hypercube" */
static const char *class_name(int kind)
{
    return names[kind];
}

/* -------------------------------------------------------------------------- bounds */

/* ((d-1)/16 - 3)(1-delta) - log 2: what the members still have to tell, in nats. */
static double information(double dim, double delta)
{
    return ((dim - 1) / 16 - 3) * (1 - delta) - M_LN2;
}

/* K >= (H-1)^2/(128 eps^2) (((d-1)/16 - 3)(1-delta) - log 2) */
static double packing_bound(const fy_hard_class *hard)
{
    double steps = (double)(hard->horizon - 1) / hard->eps;
    return steps * steps / 128 * information((double)hard->dim, hard->delta);
}

/* K >= (H-1)^2 (d-1)^2 (1-4 delta)^2/(768 eps^2), for eps <= (H-1)(1-4 delta)/48: then
 * K >= 3 (d-1)^2, and probabilities stay where the proof needs them. */
static double hypercube_bound(const fy_hard_class *hard)
{
    double max = fy_hard_class_max_eps(hard);
    if (!(max > 0) || hard->eps > max * (1 + 1e-12))
        return NAN;
    double side = (double)(hard->horizon - 1) * (double)(hard->dim - 1) * (1 - 4 * hard->delta);
    return side * side / (768 * hard->eps * hard->eps);
}

double fy_hard_class_bound(const fy_hard_class *hard)
{
    return hard->kind == FY_HARD_PACKING ? packing_bound(hard) : hypercube_bound(hard);
}

int64_t fy_hard_class_min_dim(double delta)
{
    int64_t dim = 2;
    while (information((double)dim, delta) <= 0)
        dim++;
    return dim;
}

double fy_hard_class_max_eps(const fy_hard_class *hard)
{
    double d = (double)hard->dim, steps = (double)(hard->horizon - 1);
    if (hard->kind == FY_HARD_PACKING)
        return steps * d / (4 * (d - 1));
    return steps * (1 - 4 * hard->delta) / 48;
}

/* -------------------------------------------------------------------------- worlds */

/* The theorem's packing has at least exp((d-1)/16) members. */
int64_t fy_hard_class_members(const fy_hard_class *hard)
{
    double n = (double)(hard->dim - 1);
    if (hard->kind == FY_HARD_PACKING)
        return (int64_t)fmax(2, ceil(fy_exp(n / 16)));
    return (int64_t)ldexp(1, (int)n);
}

/* The world is made for floor(episodes) that are not enough. */
foray_status fy_hard_class_model(foray_context *ctx, const fy_hard_class *hard, int64_t member,
                                 foray_model **out)
{
    char spec[256], last[64];
    if (hard->kind == FY_HARD_PACKING) {
        char eps[FY_NUMBER_BYTES];
        fy_format(last, sizeof last, "actions=%" PRId64 ",eps=%s", fy_hard_class_members(hard),
                  fy_number_text(hard->eps, eps));
    } else {
        fy_format(last, sizeof last, "episodes=%.0f",
                  floor(fy_hard_class_bound(hard) * (1 + 1e-9)));
    }
    fy_format(spec, sizeof spec, "%s:dim=%" PRId64 ",horizon=%" PRId64 ",member=%" PRId64 ",%s",
              hard->kind == FY_HARD_PACKING ? "hard" : "hypercube", hard->dim, hard->horizon,
              member, last);
    return foray_model_builtin(ctx, spec, out);
}

/* -------------------------------------------------------------------------- trials */

/* The three states are those of both worlds: start, good, bad. */
enum { START, GOOD };

/* An explorer after all its episodes. Algorithms that see the reward are given it: the bounds
 * hold for them as well. */
static foray_status explore_class(foray_context *ctx, const foray_model *model,
                                  const foray_settings *settings, const foray_reward *reward,
                                  foray_explorer **out)
{
    foray_explorer *explorer = NULL;
    foray_world *world = NULL;
    foray_status status = foray_explorer_create(ctx, model, settings, &explorer);
    if (status == FORAY_OK) /* plans as the algorithm makes them */
        status = foray_explorer_certify_by(explorer, settings->radius);
    if (status == FORAY_OK && foray_algorithm_needs_reward(settings->algorithm))
        status = foray_explorer_give_reward(explorer, reward);
    if (status == FORAY_OK)
        status = foray_world_from_model(ctx, model, &world);
    for (int64_t k = 0; k < settings->episodes && status == FORAY_OK; k++)
        status = foray_explorer_play(explorer, world, NULL, NULL);
    foray_world_destroy(world);
    if (status == FORAY_OK)
        *out = explorer;
    else
        foray_explorer_destroy(explorer);
    return status;
}

foray_status fy_hard_class_trial(foray_context *ctx, const fy_hard_class *hard, int64_t member,
                                 const foray_settings *settings, foray_mode mode,
                                 fy_hard_class_outcome *out)
{
    foray_model *model = NULL;
    foray_reward *reward = NULL;
    foray_explorer *explorer = NULL;
    foray_policy *policy = NULL;
    double value, optimal;
    /* The world and the reward 1 in `good`, then exploring, then the plan for that reward. */
    foray_status status = fy_hard_class_model(ctx, hard, member, &model);
    if (status == FORAY_OK)
        status = foray_reward_create(ctx, model, "good", 0, 1, 0, &reward);
    if (status == FORAY_OK)
        status = foray_reward_set(ctx, reward, -1, GOOD, -1, 1);
    if (status == FORAY_OK)
        status = explore_class(ctx, model, settings, reward, &explorer);
    if (status == FORAY_OK)
        status =
            foray_explorer_plan(explorer, 1, (const foray_reward *const *)&reward, mode, &policy);
    if (status == FORAY_OK)
        status = foray_evaluate(ctx, model, reward, policy, &value, &optimal);
    if (status == FORAY_OK) {
        double gap = fy_gap(model, optimal, value);
        *out = (fy_hard_class_outcome){gap, gap <= hard->eps,
                                       foray_policy_action(policy, 0, START) == member};
    }
    foray_policy_destroy(policy);
    foray_explorer_destroy(explorer);
    foray_reward_destroy(reward);
    foray_model_destroy(model);
    return status;
}

/* ===================================================== the experiment */

enum {
    ALGORITHMS,
    HORIZON,
    DELTA,
    DIM,
    EPS,
    MULTIPLES,
    CUBE_DIM,
    CUBE_EPS,
    CUBE_MULTIPLES,
    MEMBERS,
    SEEDS,
    SEED,
    MODE,
    PARAMETERS
};

enum {
    C_CLASS,
    C_ALGORITHM,
    C_MEMBER,
    C_SEED,
    C_MULTIPLE,
    C_EPISODES,
    C_GAP,
    C_SUCCESS,
    C_FOUND,
    COLUMNS
};

/* What a cell's `at` holds: a class, the index of an algorithm, the index among the members. */
enum { AT_CLASS, AT_ALGORITHM, AT_MEMBER };

/* ---------------------------------------------------------------------------- rates */

static const double rate_confidence = 0.95;

/* How often one algorithm succeeded at one multiple. */
typedef struct success_rate {
    double multiple, episodes;
    int64_t trials, successes, found;
    double mean;          /* over all trials */
    fy_interval interval; /* of that: Clopper and Pearson */
    double worst;         /* of the members, each over its seeds */
    fy_interval of_worst; /* holds for the true worst with all members at once */
} success_rate;

/* The rates of all algorithms in a class, at each multiple that gives at least an episode. */
typedef struct success_rates {
    int kind;
    int64_t algorithms, count;
    success_rate *rate; /* [algorithms][count]; released with free() */
} success_rates;

static inline const success_rate *rate_at(const success_rates *rates, int64_t algorithm, int64_t i)
{
    return &rates->rate[algorithm * rates->count + i];
}

#define EIGHTH_TO_512 "0.125,0.25,0.5,1,2,4,8,16,32,64,128,256,512"

static const foray_lab_parameter parameters[] = {
    [ALGORITHMS] = FY_LAB_ALGORITHMS("algorithms",
                                     "ucrl-rfe,ucrl-rfe+,ucrl-vtr,random,rf-ucrl,rf-express,"
                                     "rf-rl-explore,sstp",
                                     "ucrl-rfe,ucrl-rfe+,ucrl-vtr,ucrl-vtr+,random,rf-ucrl,"
                                     "rf-express,rf-rl-explore,sstp",
                                     "the algorithms"),
    [HORIZON] = FY_LAB_INTEGER("horizon", "4", "4", 2, 1e6, "H, the steps of an episode"),
    [DELTA] = FY_LAB_REAL("delta", "0.1", "0.1", 1e-6, 0.999,
                          "an algorithm may fail with this probability"),
    [DIM] = FY_LAB_INTEGER("dim", "80", "80", 2, 128, "packing: d"),
    [EPS] =
        FY_LAB_REAL("eps", "0.225", "0.225", 1e-6, 1e6, "packing: the accuracy that is asked for"),
    [MULTIPLES] = FY_LAB_REALS("multiples", "1,4,16,64,256,1024,4096,16384",
                               "1,2,4,8,16,32,64,128,256,512,1024,2048,4096,8192,16384", 1e-6, 1e9,
                               "packing: episodes as multiples of the bound, ascending"),
    [CUBE_DIM] = FY_LAB_INTEGER("cube_dim", "7", "9", 2, 13, "hypercube: d"),
    [CUBE_EPS] = FY_LAB_REAL("cube_eps", "0.0375", "0.0375", 1e-6, 1e6,
                             "hypercube: the accuracy that is asked for"),
    [CUBE_MULTIPLES] =
        FY_LAB_REALS("cube_multiples", EIGHTH_TO_512, EIGHTH_TO_512 ",1024", 1e-6, 1e9,
                     "hypercube: episodes as multiples of the bound, ascending"),
    [MEMBERS] = FY_LAB_INTEGER("members", "4", "4", 1, 4096,
                               "members of each class to be tried, drawn at random"),
    [SEEDS] = FY_LAB_SEEDS("8", "8"),
    [SEED] = FY_LAB_SEED,
    [MODE] = FY_LAB_CHOICE("mode", "plugin", "plugin", "optimistic|plugin|pessimistic",
                           "how policies are planned for the reward"),
};

static const char *const class_names[] = {"packing", "hypercube"};

static const fy_lab_column row_columns[] = {
    [C_CLASS] = {.name = "class", .help = "the hard class", .word = class_names},
    [C_ALGORITHM] = {.name = "algorithm", .help = "the algorithm", .words = 1 + ALGORITHMS},
    [C_MEMBER] = {.name = "member", .help = "the member of the class that is true"},
    [C_SEED] = {.name = "seed", .help = "of the run"},
    [C_MULTIPLE] = {.name = "multiple", .help = "episodes, as a multiple of the bound"},
    [C_EPISODES] = {.name = "episodes", .help = "that were explored"},
    [C_GAP] = {.name = "gap", .help = "of the policy planned for the reward 1 in `good`"},
    [C_SUCCESS] = {.name = "success", .help = "1: the gap is at most eps"},
    [C_FOUND] = {.name = "found", .help = "1: the best action was found"},
};

/* ------------------------------------------------------------------------- the classes */

/* A class with the parameters that are asked for. */
static fy_hard_class hard_class_of(const fy_lab *lab, int kind)
{
    bool packing = kind == FY_HARD_PACKING;
    return (fy_hard_class){.kind = kind,
                           .dim = fy_lab_integer(lab, packing ? DIM : CUBE_DIM),
                           .horizon = fy_lab_integer(lab, HORIZON),
                           .eps = fy_lab_real(lab, packing ? EPS : CUBE_EPS),
                           .delta = fy_lab_real(lab, DELTA)};
}

/* Its list of multiples: a parameter. */
static int multiples_of(int kind)
{
    return kind == FY_HARD_PACKING ? MULTIPLES : CUBE_MULTIPLES;
}

/* floor(multiple K_0); the bound K_0 may be an integer that rounding made a little smaller. */
static double episodes_at(const fy_lab *lab, int kind, double multiple)
{
    fy_hard_class hard = hard_class_of(lab, kind);
    return floor(multiple * fy_hard_class_bound(&hard) * (1 + 1e-9));
}

/* --------------------------------------------------------------------------- the cells */

static uint64_t key_of(const fy_lab *lab, int64_t member)
{
    uint64_t seed = (uint64_t)fy_lab_integer(lab, SEED);
    return fy_random_bits(seed, FY_STREAM_MODEL, (uint64_t)member, 0, 0);
}

/* The i-th of the members in the order of random numbers of their own. */
static int64_t member_of(const fy_lab *lab, int64_t all, int64_t i)
{
    int64_t last = -1;
    for (int64_t j = 0; j <= i; j++) {
        int64_t next = -1;
        for (int64_t m = 0; m < all; m++)
            if ((last < 0 || key_of(lab, m) > key_of(lab, last)) &&
                (next < 0 || key_of(lab, m) < key_of(lab, next)))
                next = m;
        last = next;
    }
    return last;
}

/* A cell for each algorithm and member. Seconds, roughly: an episode costs d^2 operations, or
 * looks at every action. */
static foray_status add_class(fy_lab *lab, const fy_hard_class *hard)
{
    int multiples = multiples_of(hard->kind);
    int64_t all = fy_hard_class_members(hard), members = fy_lab_integer(lab, MEMBERS);
    members = members < all ? members : all;
    double episodes = 0, d = (double)hard->dim;
    for (int64_t i = 0; i < fy_lab_count(lab, multiples); i++)
        episodes += episodes_at(lab, hard->kind, fy_lab_number(lab, multiples, i));
    double seconds = 1e-9 * episodes * (double)hard->horizon * (d * d + 5 * (double)all) *
                     fy_lab_real(lab, SEEDS);
    foray_status status = FORAY_OK;
    for (int64_t a = 0; a < fy_lab_count(lab, ALGORITHMS); a++)
        for (int64_t m = 0; m < members && status == FORAY_OK; m++) {
            const int64_t at[FY_LAB_AXES] = {hard->kind, a, member_of(lab, all, m)};
            status =
                fy_lab_add_cell(lab, seconds, at, "%s-%s-member-%" PRId64, class_name(hard->kind),
                                fy_lab_word(lab, ALGORITHMS, a), at[AT_MEMBER]);
        }
    return status;
}

/* A world that cannot be made should say so before anything is measured. */
static foray_status check_class(const fy_lab *lab, const fy_hard_class *hard)
{
    foray_model *model;
    double max = fy_hard_class_max_eps(hard);
    if (hard->eps > max * (1 + 1e-12))
        return fy_fail(lab->ctx, FORAY_ERROR_USAGE,
                       "lowerbound: %s \"%.15g\" is more than %.15g, all that the class has room "
                       "for at this d, H and delta",
                       hard->kind == FY_HARD_PACKING ? "eps" : "cube_eps", hard->eps, max);
    foray_status status = fy_hard_class_model(lab->ctx, hard, 0, &model);
    if (status == FORAY_OK)
        foray_model_destroy(model);
    return status;
}

/* A class about which the theorem says nothing has no cells. */
static foray_status plan_lowerbound(fy_lab *lab)
{
    foray_status status = FORAY_OK;
    for (int kind = 0; kind < FY_HARD_CLASSES && status == FORAY_OK; kind++) {
        int multiples = multiples_of(kind);
        for (int64_t i = 1; i < fy_lab_count(lab, multiples); i++)
            if (fy_lab_number(lab, multiples, i) <= fy_lab_number(lab, multiples, i - 1))
                return fy_fail(lab->ctx, FORAY_ERROR_USAGE, "lowerbound: %s \"%s\" must ascend",
                               parameters[multiples].is.name, lab->value[multiples].text);
        fy_hard_class hard = hard_class_of(lab, kind);
        if (!(fy_hard_class_bound(&hard) > 0))
            continue;
        status = check_class(lab, &hard);
        if (status == FORAY_OK)
            status = add_class(lab, &hard);
    }
    return status;
}

/* One run of a length of its own, and the row of what it came to. */
static foray_status add_trial(foray_context *ctx, const fy_lab *lab, const int64_t *at,
                              int64_t seed, double multiple, fy_rows *rows)
{
    fy_hard_class hard = hard_class_of(lab, (int)at[AT_CLASS]);
    int64_t member = at[AT_MEMBER];
    fy_hard_class_outcome outcome;
    int mode = 0;
    while (strcmp(foray_mode_name(mode), fy_lab_word(lab, MODE, 0)) != 0)
        mode++;
    foray_settings settings;
    foray_settings_default(&settings);
    settings.episodes = (int64_t)episodes_at(lab, hard.kind, multiple);
    settings.seed = seed;
    settings.delta = hard.delta;
    foray_status status = foray_settings_set(ctx, &settings, "algorithm",
                                             fy_lab_word(lab, ALGORITHMS, at[AT_ALGORITHM]));
    if (status == FORAY_OK)
        status = fy_hard_class_trial(ctx, &hard, member, &settings, mode, &outcome);
    if (status != FORAY_OK)
        return status;
    const double row[COLUMNS] = {
        [C_CLASS] = hard.kind,       [C_ALGORITHM] = (double)at[AT_ALGORITHM],
        [C_MEMBER] = (double)member, [C_SEED] = (double)seed,
        [C_MULTIPLE] = multiple,     [C_EPISODES] = (double)settings.episodes,
        [C_GAP] = outcome.gap,       [C_SUCCESS] = outcome.success,
        [C_FOUND] = outcome.found,
    };
    return fy_rows_add(ctx, rows, row);
}

static foray_status make_lowerbound_cell(foray_context *ctx, fy_lab *lab, int64_t cell,
                                         fy_rows *rows)
{
    const int64_t *at = lab->cell[cell].at;
    int kind = (int)at[AT_CLASS], multiples = multiples_of(kind);
    int64_t seeds = fy_lab_integer(lab, SEEDS), first = fy_lab_integer(lab, SEED);
    int64_t each = fy_lab_count(lab, multiples);
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < seeds * each && status == FORAY_OK; i++) {
        double multiple = fy_lab_number(lab, multiples, i % each);
        if (!fy_lab_progress(lab, cell, (double)(i - i % each) / (double)(seeds * each)))
            status = FORAY_INTERRUPTED;
        else if (episodes_at(lab, kind, multiple) >= 1)
            status = add_trial(ctx, lab, at, first + i / each, multiple, rows);
    }
    return status;
}

/* -------------------------------------------------------------------- success rates */

static bool is_of(const fy_lab_cell *cell, int kind, int64_t algorithm)
{
    return cell->at[AT_CLASS] == kind && cell->at[AT_ALGORITHM] == algorithm;
}

/* The rate at rate->multiple, over all members, each of which is a cell. The least of m rates lies
 * within the least of m lower limits and the least of m upper ones, if each interval holds with a
 * probability of 1 - (1 - confidence)/m. */
static void count_rate(const fy_lab *lab, int kind, int64_t algorithm, success_rate *rate)
{
    int64_t members = 0;
    for (int64_t c = 0; c < lab->cells; c++)
        members += is_of(&lab->cell[c], kind, algorithm);
    double confidence = 1 - (1 - rate_confidence) / (double)members;
    rate->worst = rate->of_worst.low = rate->of_worst.high = 1;
    for (int64_t c = 0; c < lab->cells; c++) {
        int64_t trials = 0, successes = 0;
        if (!is_of(&lab->cell[c], kind, algorithm))
            continue;
        for (int64_t r = 0; r < lab->rows[c].count; r++) {
            const double *row = fy_rows_at(&lab->rows[c], r);
            if (row[C_MULTIPLE] != rate->multiple)
                continue;
            trials++;
            successes += row[C_SUCCESS] != 0;
            rate->found += row[C_FOUND] != 0;
        }
        fy_interval interval = fy_binomial_interval(trials, successes, confidence);
        rate->worst = fmin(rate->worst, (double)successes / (double)trials);
        rate->of_worst.low = fmin(rate->of_worst.low, interval.low);
        rate->of_worst.high = fmin(rate->of_worst.high, interval.high);
        rate->trials += trials;
        rate->successes += successes;
    }
    rate->mean = (double)rate->successes / (double)rate->trials;
    rate->interval = fy_binomial_interval(rate->trials, rate->successes, rate_confidence);
}

static foray_status create_rates(const fy_lab *lab, int kind, success_rates *out)
{
    int multiples = multiples_of(kind);
    int64_t all = fy_lab_count(lab, multiples);
    success_rates rates = {.kind = kind, .algorithms = fy_lab_count(lab, ALGORITHMS)};
    for (int64_t i = 0; i < all; i++)
        rates.count += episodes_at(lab, kind, fy_lab_number(lab, multiples, i)) >= 1;
    if (!FY_ALLOC(lab->ctx, rates.rate, rates.algorithms * rates.count))
        return FORAY_ERROR_MEMORY;
    success_rate *rate = rates.rate;
    for (int64_t a = 0; a < rates.algorithms; a++)
        for (int64_t i = 0; i < all; i++) {
            double multiple = fy_lab_number(lab, multiples, i);
            double episodes = episodes_at(lab, kind, multiple);
            if (episodes < 1)
                continue;
            rate->multiple = multiple;
            rate->episodes = episodes;
            count_rate(lab, kind, a, rate++);
        }
    *out = rates;
    return FORAY_OK;
}

/* The index of the first rate of an algorithm from which on all are at least 1 - delta; -1: there
 * is none. */
static int64_t first_reached(const fy_lab *lab, const success_rates *rates, int64_t algorithm)
{
    const double wanted = 1 - fy_lab_real(lab, DELTA), rounding = 1e-12;
    int64_t first = rates->count;
    while (first > 0 && rate_at(rates, algorithm, first - 1)->mean >= wanted - rounding)
        first--;
    return first < rates->count ? first : -1;
}

/* -------------------------------------------------------------------------- results */

static double bound_or_nothing(const fy_hard_class *hard)
{
    double bound = fy_hard_class_bound(hard);
    return bound > 0 ? bound : NAN;
}

/* -------------------------------------------------------------------------- the bounds */

enum { POINTS = 33 };

/* Both bounds over d = 2 .. 512 at the eps that is asked of the hypercube, or over two decades of
 * eps below the largest that packings have room for, at their d. What they do not say is not
 * drawn. */
static void draw_bounds(const fy_lab *lab, bool over_dim, fy_content *content)
{
    fy_hard_class hard = hard_class_of(lab, over_dim ? FY_HARD_HYPERCUBE : FY_HARD_PACKING);
    double max = fy_hard_class_max_eps(&hard);
    char note[160];
    if (over_dim)
        fy_format(note, sizeof note, "H = %" PRId64 ", eps = %.4g, delta = %.4g", hard.horizon,
                  hard.eps, hard.delta);
    else
        fy_format(note, sizeof note, "H = %" PRId64 ", d = %" PRId64 ", delta = %.4g", hard.horizon,
                  hard.dim, hard.delta);
    fy_content_chart(
        content, &(fy_chart){.id = over_dim ? "bounds-dim" : "bounds-eps",
                             .title = over_dim ? "The bounds over d" : "The bounds over eps",
                             .note = note,
                             .x = {.label = over_dim ? "d" : "eps", .kind = FY_AXIS_LOG},
                             .y = {.label = "episodes that are not enough", .kind = FY_AXIS_LOG}});
    for (hard.kind = 0; hard.kind < FY_HARD_CLASSES; hard.kind++) {
        fy_content_series(content, class_name(hard.kind));
        for (int i = 0; i < POINTS; i++) {
            if (over_dim)
                hard.dim = (int64_t)rint(2 * fy_pow(2, 8.0 * i / (POINTS - 1)));
            else
                hard.eps = max * fy_pow(10, -2.0 * i / (POINTS - 1));
            fy_content_point(content, (fy_series_point){over_dim ? (double)hard.dim : hard.eps,
                                                        bound_or_nothing(&hard), NAN, NAN});
        }
    }
}

/* A bound as a number of episodes, or a word for what it is not. */
static void add_bound(fy_table *table, const fy_hard_class *hard)
{
    double bound = fy_hard_class_bound(hard);
    if (bound > 0)
        fy_table_exact(table, bound);
    else
        fy_table_cell(table, "%s", "vacuous");
}

static void show_bounds(const fy_lab *lab, fy_content *content)
{
    static const char *const heading[] = {"d", "packing", "hypercube", "ratio"};
    static const int64_t dims[] = {2,  5,  10, 20,  40,  50,  60,  61,  64,
                                   68, 72, 80, 100, 150, 200, 300, 500, 1000};
    fy_content_heading(content, "What the bounds say");
    fy_content_paragraph(
        content,
        "Packing: K ≥ (H−1)²/(128 eps²) · (((d−1)/16 − 3)(1−delta) − log 2). "
        "Hypercube: K ≥ (H−1)²(d−1)²(1−4 delta)²/(768 eps²), for eps ≤ (H−1)(1−4 delta)/48. "
        "The first grows like d, the second like d².");
    draw_bounds(lab, true, content);
    draw_bounds(lab, false, content);

    fy_table table = fy_table_begin(lab->ctx, 4, heading);
    fy_hard_class packing = hard_class_of(lab, FY_HARD_HYPERCUBE), cube = packing;
    packing.kind = FY_HARD_PACKING;
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
        packing.dim = cube.dim = dims[i];
        fy_table_integer(&table, dims[i]);
        add_bound(&table, &packing);
        add_bound(&table, &cube);
        fy_table_exact(&table, bound_or_nothing(&cube) / bound_or_nothing(&packing));
    }
    fy_content_paragraph(content,
                         "Episodes that are not enough, at H = %" PRId64
                         ", eps = %.4g and delta = %.4g. “vacuous”: "
                         "the formula is negative, or eps outside the theorem's range.",
                         cube.horizon, cube.eps, cube.delta);
    fy_content_table(content, FY_TABLE_READ, "bounds", NULL, &table);
}

static void show_min_dims(const fy_lab *lab, fy_content *content)
{
    static const char *const heading[] = {"delta", "least d"};
    static const double deltas[] = {1e-6, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.49};
    fy_table table = fy_table_begin(lab->ctx, 2, heading);
    for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
        fy_table_exact(&table, deltas[i]);
        fy_table_integer(&table, fy_hard_class_min_dim(deltas[i]));
    }
    fy_content_paragraph(content, "The least d at which the bound for packings says anything at "
                                  "all, whatever H and eps are:");
    fy_content_table(content, FY_TABLE_READ, "least-dim", NULL, &table);
}

/* --------------------------------------------------------------------------- findings */

static void find_bounds(fy_lab *lab)
{
    fy_hard_class packing = hard_class_of(lab, FY_HARD_PACKING);
    fy_hard_class cube = hard_class_of(lab, FY_HARD_HYPERCUBE);
    double bound = fy_hard_class_bound(&packing);
    int64_t min = fy_hard_class_min_dim(packing.delta);
    if (bound > 0)
        fy_lab_find(lab,
                    "packing: at delta = %.4g the bound is vacuous below d = %" PRId64
                    "; at d = %" PRId64 ", H = %" PRId64 ", eps = %.4g it is %.4g episodes%s.",
                    packing.delta, min, packing.dim, packing.horizon, packing.eps, bound,
                    bound < 1 ? ", less than one" : "");
    else
        fy_lab_find(lab,
                    "packing: at delta = %.4g the bound is vacuous below d = %" PRId64
                    ", and so at d = %" PRId64 ": nothing to measure.",
                    packing.delta, min, packing.dim);
    if (fy_hard_class_bound(&cube) > 0)
        fy_lab_find(lab,
                    "hypercube: the bound says something at every d; at d = %" PRId64
                    ", H = %" PRId64 ", eps = %.4g it is %.4g episodes.",
                    cube.dim, cube.horizon, cube.eps, fy_hard_class_bound(&cube));
    else
        fy_lab_find(lab,
                    "hypercube: eps = %.4g is outside the theorem's range: nothing to measure.",
                    cube.eps);
}

/* The highest rate of any algorithm up to the bound, where the theorem allows less than
 * 1 - delta. */
static void find_within(fy_lab *lab, const success_rates *r)
{
    const char *algorithm = "";
    const success_rate *best = NULL;
    for (int64_t a = 0; a < r->algorithms; a++)
        for (int64_t i = 0; i < r->count && rate_at(r, a, i)->multiple <= 1; i++)
            if (!best || rate_at(r, a, i)->mean > best->mean) {
                best = rate_at(r, a, i);
                algorithm = fy_lab_word(lab, ALGORITHMS, a);
            }
    if (!best)
        return;
    fy_hard_class hard = hard_class_of(lab, r->kind);
    double allowed = 1 - fy_lab_real(lab, DELTA);
    fy_lab_find(
        lab,
        "In the %s, up to the bound of %.4g episodes nobody succeeds more often than in a share of "
        "%.3g [%.3g, %.3g] (%s, %.0f episode%s); the theorem allows less than %.3g, %s.",
        class_name(r->kind), fy_hard_class_bound(&hard), best->mean, best->interval.low,
        best->interval.high, algorithm, best->episodes, best->episodes == 1 ? "" : "s", allowed,
        best->interval.low > allowed ? "WHICH IS CONTRADICTED" : "and nothing here contradicts it");
}

/* Who first reaches 1 - delta, and who does not. */
static void find_reached(fy_lab *lab, const success_rates *r)
{
    int64_t first = -1, at = 0, missing = 0;
    for (int64_t a = 0; a < r->algorithms; a++) {
        int64_t reached = first_reached(lab, r, a);
        missing += reached < 0;
        if (reached >= 0 && (first < 0 || reached < at)) {
            first = a;
            at = reached;
        }
    }
    const success_rate *last = rate_at(r, 0, r->count - 1);
    const success_rate *rate = first < 0 ? last : rate_at(r, first, at);
    char multiple[FY_NUMBER_SIZE], episodes[FY_NUMBER_SIZE], max[FY_NUMBER_SIZE];
    fy_number(rate->multiple, multiple);
    fy_number(rate->episodes, episodes);
    fy_number(last->multiple, max);
    if (first < 0)
        fy_lab_find(lab,
                    "In the %s, no algorithm succeeds with a rate of 1 - delta within %s times the "
                    "bound, %s episodes.",
                    class_name(r->kind), multiple, episodes);
    else
        fy_lab_find(lab,
                    "In the %s, %s is the first to succeed with a rate of 1 - delta, from %s times "
                    "the bound on (%s episodes); %" PRId64 " of %" PRId64
                    " algorithms do not within %s times the bound.",
                    class_name(r->kind), fy_lab_word(lab, ALGORITHMS, first), multiple, episodes,
                    missing, r->algorithms, max);
}

/* ---------------------------------------------------------------------- success rates */

static void draw_rates(const fy_lab *lab, const success_rates *r, fy_content *content)
{
    const double wanted = 1 - fy_lab_real(lab, DELTA), at_bound = 1;
    char id[32], title[64];
    fy_format(id, sizeof id, "success-%s", class_name(r->kind));
    fy_format(title, sizeof title, "How often the gap is at most eps: %s", class_name(r->kind));
    fy_content_chart(
        content,
        &(fy_chart){.id = id,
                    .title = title,
                    .note = "over all members and seeds; dashed: the bound, and the rate 1 − delta",
                    .x = {.label = "episodes, as a multiple of the bound", .kind = FY_AXIS_LOG},
                    .y = {.label = "success rate", .kind = FY_AXIS_LINEAR, .from_zero = true},
                    .across = &wanted,
                    .up = &at_bound});
    for (int64_t a = 0; a < r->algorithms; a++) {
        fy_content_series(content, fy_lab_word(lab, ALGORITHMS, a));
        for (int64_t i = 0; i < r->count; i++) {
            const success_rate *rate = rate_at(r, a, i);
            fy_content_point(content, (fy_series_point){rate->multiple, rate->mean, NAN, NAN});
        }
    }
}

static void show_rates(const fy_lab *lab, const success_rates *r, fy_content *content)
{
    static const char *const heading[] = {"algorithm", "multiple",   "episodes", "trials",
                                          "rate",      "low",        "high",     "worst member",
                                          "worst low", "worst high", "found"};
    char name[32];
    fy_table table = fy_table_begin(lab->ctx, 11, heading);
    for (int64_t a = 0; a < r->algorithms; a++)
        for (int64_t i = 0; i < r->count; i++) {
            const success_rate *rate = rate_at(r, a, i);
            fy_table_cell(&table, "%s", fy_lab_word(lab, ALGORITHMS, a));
            fy_table_exact(&table, rate->multiple);
            fy_table_exact(&table, rate->episodes);
            fy_table_integer(&table, rate->trials);
            fy_table_number(&table, rate->mean);
            fy_table_number(&table, rate->interval.low);
            fy_table_number(&table, rate->interval.high);
            fy_table_number(&table, rate->worst);
            fy_table_number(&table, rate->of_worst.low);
            fy_table_number(&table, rate->of_worst.high);
            fy_table_number(&table, (double)rate->found / (double)rate->trials);
        }
    fy_format(name, sizeof name, "rates-%s", class_name(r->kind));
    fy_content_table(content, FY_TABLE_BEHIND, name, NULL, &table);
}

/* For each algorithm the rate at exactly the bound, if that is among the multiples, and what it
 * takes to reach 1 - delta. */
static void add_summary(const fy_lab *lab, const success_rates *r, fy_table *table)
{
    for (int64_t a = 0; a < r->algorithms; a++) {
        const success_rate *rate = NULL;
        int64_t reached = first_reached(lab, r, a);
        const success_rate *enough = reached < 0 ? NULL : rate_at(r, a, reached);
        for (int64_t i = 0; i < r->count; i++)
            if (rate_at(r, a, i)->multiple == 1)
                rate = rate_at(r, a, i);
        fy_table_cell(table, "%s", class_name(r->kind));
        fy_table_cell(table, "%s", fy_lab_word(lab, ALGORITHMS, a));
        fy_table_exact(table, rate ? rate->mean : NAN);
        fy_table_exact(table, rate ? rate->interval.low : NAN);
        fy_table_exact(table, rate ? rate->interval.high : NAN);
        fy_table_exact(table, rate ? rate->worst : NAN);
        fy_table_exact(table, enough ? enough->multiple : INFINITY);
        fy_table_exact(table, enough ? enough->episodes : INFINITY);
        fy_table_exact(table, rate_at(r, a, r->count - 1)->mean);
    }
}

static foray_status show_class(fy_lab *lab, int kind, fy_table *summary, fy_content *content)
{
    fy_hard_class hard = hard_class_of(lab, kind);
    double bound = fy_hard_class_bound(&hard);
    char says[160] = "the bound is vacuous here, so there is nothing to measure.";
    if (bound > 0) {
        char number[FY_NUMBER_SIZE];
        fy_format(says, sizeof says, "up to %s episodes are not enough.%s",
                  fy_number(bound, number),
                  bound < 1 ? " That is less than one episode: true, but empty." : "");
    }
    fy_content_heading(content, "Success rates: the %s", class_name(kind));
    fy_content_paragraph(content,
                         "d = %" PRId64 ", %" PRId64 " members and as many actions, H = %" PRId64
                         ", eps = %.4g: %s",
                         hard.dim, fy_hard_class_members(&hard), hard.horizon, hard.eps, says);
    if (!(bound > 0))
        return FORAY_OK;
    success_rates rates;
    foray_status status = create_rates(lab, kind, &rates);
    if (status == FORAY_OK && rates.count > 0) {
        draw_rates(lab, &rates, content);
        show_rates(lab, &rates, content);
        add_summary(lab, &rates, summary);
        find_within(lab, &rates);
        find_reached(lab, &rates);
    }
    if (status == FORAY_OK)
        free(rates.rate);
    return status;
}

static foray_status show_lowerbound(fy_lab *lab, fy_content *content)
{
    static const char *const heading[] = {
        "class",           "algorithm",       "rate at the bound", "low", "high", "worst member",
        "multiple needed", "episodes needed", "rate at the end"};
    fy_table summary = fy_table_begin(lab->ctx, 9, heading);
    foray_status status = FORAY_OK;
    for (int kind = FY_HARD_CLASSES - 1; kind >= 0 && status == FORAY_OK; kind--)
        status = show_class(lab, kind, &summary, content);
    fy_lab_details(lab);
    find_bounds(lab);
    fy_content_heading(content, "Summary");
    fy_content_paragraph(content, "Success rates with exactly the bound's episodes, 95%% "
                                  "Clopper-Pearson intervals, and the least multiple from which "
                                  "on the rate is at least 1 − delta.");
    fy_content_table(content, FY_TABLE_READ, "summary", NULL, &summary);
    show_bounds(lab, content);
    show_min_dims(lab, content);
    return status;
}

const fy_lab_experiment fy_lab_lowerbound = {
    .name = "lowerbound",
    .summary = "how often algorithms succeed where theory says they must fail",
    .question =
        "Two classes of worlds look alike whatever is true in them, and no algorithm can learn "
        "them quickly: up to a number of episodes, the bound, each must fail with a probability "
        "of more than delta on some member of the class. Here members are drawn at random, every "
        "algorithm explores them for fractions and multiples of the bound, and succeeds when the "
        "policy it then plans for the reward 1 in the good state has a gap of at most eps.",
    .description =
        "Evaluates two lower bounds (K episodes are not enough for accuracy eps) and says\n"
        "where they are vacuous. Then runs algorithms on random members of the two hard\n"
        "classes behind them, for fractions and multiples of K, and counts how often they\n"
        "succeed, with exact intervals.",
    .example = "--quick --algorithms ucrl-rfe,random --members 2 --seeds 2 --multiples 1,16 "
               "--cube-multiples 1,64 -o hard",
    .parameter = parameters,
    .parameters = PARAMETERS,
    .column = row_columns,
    .columns = COLUMNS,
    .plan = plan_lowerbound,
    .cell = make_lowerbound_cell,
    .show = show_lowerbound,
};
