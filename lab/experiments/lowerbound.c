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

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define EIGHTH_TO_512 "0.125,0.25,0.5,1,2,4,8,16,32,64,128,256,512"

static const foray_lab_parameter parameters[] = {
    [FY_LB_ALGORITHMS] = FY_LAB_ALGORITHMS("algorithms",
                                           "ucrl-rfe,ucrl-rfe+,ucrl-vtr,random,rf-ucrl,rf-express,"
                                           "rf-rl-explore,sstp",
                                           "ucrl-rfe,ucrl-rfe+,ucrl-vtr,ucrl-vtr+,random,rf-ucrl,"
                                           "rf-express,rf-rl-explore,sstp",
                                           "the algorithms"),
    [FY_LB_HORIZON] = FY_LAB_WHOLE("horizon", "4", "4", 2, 1e6, "H, the steps of an episode"),
    [FY_LB_DELTA] = FY_LAB_REAL("delta", "0.1", "0.1", 1e-6, 0.999,
                                "an algorithm may fail with this probability"),
    [FY_LB_DIM] = FY_LAB_WHOLE("dim", "80", "80", 2, 128, "packing: d"),
    [FY_LB_EPS] =
        FY_LAB_REAL("eps", "0.225", "0.225", 1e-6, 1e6, "packing: the accuracy that is asked for"),
    [FY_LB_MULTIPLES] = FY_LAB_REALS("multiples", "1,4,16,64,256,1024,4096,16384",
                                     "1,2,4,8,16,32,64,128,256,512,1024,2048,4096,8192,16384", 1e-6,
                                     1e9, "packing: episodes as multiples of the bound, ascending"),
    [FY_LB_CUBE_DIM] = FY_LAB_WHOLE("cube_dim", "7", "9", 2, 13, "hypercube: d"),
    [FY_LB_CUBE_EPS] = FY_LAB_REAL("cube_eps", "0.0375", "0.0375", 1e-6, 1e6,
                                   "hypercube: the accuracy that is asked for"),
    [FY_LB_CUBE_MULTIPLES] =
        FY_LAB_REALS("cube_multiples", EIGHTH_TO_512, EIGHTH_TO_512 ",1024", 1e-6, 1e9,
                     "hypercube: episodes as multiples of the bound, ascending"),
    [FY_LB_MEMBERS] = FY_LAB_WHOLE("members", "4", "4", 1, 4096,
                                   "members of each class to be tried, drawn at random"),
    [FY_LB_SEEDS] = FY_LAB_SEEDS("8", "8"),
    [FY_LB_SEED] = FY_LAB_SEED,
    [FY_LB_MODE] = FY_LAB_CHOICE("mode", "plugin", "plugin", "optimistic|plugin|pessimistic",
                                 "how policies are planned for the reward"),
};

static const char *const class_names[] = {"packing", "hypercube"};

static const fy_lab_column row_columns[] = {
    [FY_LB_C_CLASS] = {.name = "class", .help = "the hard class", .word = class_names},
    [FY_LB_C_ALGORITHM] = {.name = "algorithm",
                           .help = "the algorithm",
                           .words = 1 + FY_LB_ALGORITHMS},
    [FY_LB_C_MEMBER] = {.name = "member", .help = "the member of the class that is true"},
    [FY_LB_C_SEED] = {.name = "seed", .help = "of the run"},
    [FY_LB_C_MULTIPLE] = {.name = "multiple", .help = "episodes, as a multiple of the bound"},
    [FY_LB_C_EPISODES] = {.name = "episodes", .help = "that were explored"},
    [FY_LB_C_GAP] = {.name = "gap", .help = "of the policy planned for the reward 1 in `good`"},
    [FY_LB_C_SUCCESS] = {.name = "success", .help = "1: the gap is at most eps"},
    [FY_LB_C_FOUND] = {.name = "found", .help = "1: the best action was found"},
};

/* ------------------------------------------------------------------------- the classes */

fy_hard_class fy_lb_hard(const fy_lab *lab, int kind)
{
    bool packing = kind == FY_HARD_PACKING;
    return (fy_hard_class){.kind = kind,
                           .dim = fy_lab_whole(lab, packing ? FY_LB_DIM : FY_LB_CUBE_DIM),
                           .horizon = fy_lab_whole(lab, FY_LB_HORIZON),
                           .eps = fy_lab_real(lab, packing ? FY_LB_EPS : FY_LB_CUBE_EPS),
                           .delta = fy_lab_real(lab, FY_LB_DELTA)};
}

int fy_lb_multiples(int kind)
{
    return kind == FY_HARD_PACKING ? FY_LB_MULTIPLES : FY_LB_CUBE_MULTIPLES;
}

/* floor(multiple K_0); the bound K_0 may be a whole number that rounding made a little smaller. */
double fy_lb_episodes(const fy_lab *lab, int kind, double multiple)
{
    fy_hard_class hard = fy_lb_hard(lab, kind);
    return floor(multiple * fy_hard_class_bound(&hard) * (1 + 1e-9));
}

/* --------------------------------------------------------------------------- the cells */

static uint64_t key_of(const fy_lab *lab, int64_t member)
{
    uint64_t seed = (uint64_t)fy_lab_whole(lab, FY_LB_SEED);
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
    int multiples = fy_lb_multiples(hard->kind);
    int64_t all = fy_hard_class_members(hard), members = fy_lab_whole(lab, FY_LB_MEMBERS);
    members = members < all ? members : all;
    double episodes = 0, d = (double)hard->dim;
    for (int64_t i = 0; i < fy_lab_count(lab, multiples); i++)
        episodes += fy_lb_episodes(lab, hard->kind, fy_lab_number(lab, multiples, i));
    double seconds = 1e-9 * episodes * (double)hard->horizon * (d * d + 5 * (double)all) *
                     fy_lab_real(lab, FY_LB_SEEDS);
    foray_status status = FORAY_OK;
    for (int64_t a = 0; a < fy_lab_count(lab, FY_LB_ALGORITHMS); a++)
        for (int64_t m = 0; m < members && status == FORAY_OK; m++) {
            const int64_t at[FY_LAB_AXES] = {hard->kind, a, member_of(lab, all, m)};
            status = fy_lab_add_cell(lab, seconds, at, "%s-%s-member-%" PRId64,
                                     fy_hard_class_name(hard->kind),
                                     fy_lab_word(lab, FY_LB_ALGORITHMS, a), at[FY_LB_AT_MEMBER]);
        }
    return status;
}

/* A world that cannot be made should say so before anything is measured. */
static foray_status check_class(const fy_lab *lab, const fy_hard_class *hard)
{
    foray_model *model;
    double most = fy_hard_class_most_eps(hard);
    if (hard->eps > most * (1 + 1e-12))
        return fy_fail(lab->ctx, FORAY_ERROR_USAGE,
                       "lowerbound: %s \"%.15g\" is more than %.15g, all that the class has room "
                       "for at this d, H and delta",
                       hard->kind == FY_HARD_PACKING ? "eps" : "cube_eps", hard->eps, most);
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
        int multiples = fy_lb_multiples(kind);
        for (int64_t i = 1; i < fy_lab_count(lab, multiples); i++)
            if (fy_lab_number(lab, multiples, i) <= fy_lab_number(lab, multiples, i - 1))
                return fy_fail(lab->ctx, FORAY_ERROR_USAGE, "lowerbound: %s \"%s\" must ascend",
                               parameters[multiples].is.name, lab->value[multiples].text);
        fy_hard_class hard = fy_lb_hard(lab, kind);
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
    fy_hard_class hard = fy_lb_hard(lab, (int)at[FY_LB_AT_CLASS]);
    int64_t member = at[FY_LB_AT_MEMBER];
    fy_hard_class_outcome outcome;
    int mode = 0;
    while (strcmp(foray_mode_name(mode), fy_lab_word(lab, FY_LB_MODE, 0)) != 0)
        mode++;
    foray_settings settings;
    foray_settings_default(&settings);
    settings.episodes = (int64_t)fy_lb_episodes(lab, hard.kind, multiple);
    settings.seed = seed;
    settings.delta = hard.delta;
    foray_status status = foray_settings_set(
        ctx, &settings, "algorithm", fy_lab_word(lab, FY_LB_ALGORITHMS, at[FY_LB_AT_ALGORITHM]));
    if (status == FORAY_OK)
        status = fy_hard_class_trial(ctx, &hard, member, &settings, mode, &outcome);
    if (status != FORAY_OK)
        return status;
    const double row[FY_LB_COLUMNS] = {
        [FY_LB_C_CLASS] = hard.kind,       [FY_LB_C_ALGORITHM] = (double)at[FY_LB_AT_ALGORITHM],
        [FY_LB_C_MEMBER] = (double)member, [FY_LB_C_SEED] = (double)seed,
        [FY_LB_C_MULTIPLE] = multiple,     [FY_LB_C_EPISODES] = (double)settings.episodes,
        [FY_LB_C_GAP] = outcome.gap,       [FY_LB_C_SUCCESS] = outcome.success,
        [FY_LB_C_FOUND] = outcome.found,
    };
    return fy_rows_add(ctx, rows, row);
}

static foray_status make_lowerbound_cell(foray_context *ctx, fy_lab *lab, int64_t cell,
                                         fy_rows *rows)
{
    const int64_t *at = lab->cell[cell].at;
    int kind = (int)at[FY_LB_AT_CLASS], multiples = fy_lb_multiples(kind);
    int64_t seeds = fy_lab_whole(lab, FY_LB_SEEDS), first = fy_lab_whole(lab, FY_LB_SEED);
    int64_t each = fy_lab_count(lab, multiples);
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < seeds * each && status == FORAY_OK; i++) {
        double multiple = fy_lab_number(lab, multiples, i % each);
        if (!fy_lab_progress(lab, cell, (double)(i - i % each) / (double)(seeds * each)))
            status = FORAY_INTERRUPTED;
        else if (fy_lb_episodes(lab, kind, multiple) >= 1)
            status = add_trial(ctx, lab, at, first + i / each, multiple, rows);
    }
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
    .parameters = FY_LB_PARAMETERS,
    .column = row_columns,
    .columns = FY_LB_COLUMNS,
    .plan = plan_lowerbound,
    .cell = make_lowerbound_cell,
    .show = fy_lb_show,
};
