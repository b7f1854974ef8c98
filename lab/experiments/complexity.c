/* complexity.c - how many episodes an accuracy takes.
 *
 *   for each algorithm, horizon H, number of zones (which makes d) and seed
 *     explore the chain, and at 10^(i/8) episodes measure
 *       gap     the worst gap over goals, random rewards and the adversary
 *       bound   the certificate for all rewards
 *
 * K(eps) and how it grows is worked out from all rows, in complexity_results.c. */
#include "experiments/complexity.h"
#include "base/maths.h"
#include "algorithms/algorithms.h"
#include "compare/trial.h"

#include <inttypes.h>
#include <stdlib.h>

static const foray_lab_parameter parameters[] = {
    [FY_COMPLEXITY_ALGORITHMS] = FY_LAB_ALGORITHMS("algorithms",
                                                   "ucrl-rfe,ucrl-rfe+,rf-ucrl,rf-express,random,"
                                                   "generative",
                                                   "ucrl-rfe,ucrl-rfe+,rf-ucrl,rf-express,random,"
                                                   "generative",
                                                   "the algorithms"),
    [FY_COMPLEXITY_EPS] = FY_LAB_REALS("eps", "0.3,0.1,0.03,0.01", "0.3,0.1,0.03,0.01,0.003", 1e-9,
                                       1e6, "accuracies for the actual gap"),
    [FY_COMPLEXITY_CERTIFIED] = FY_LAB_REALS("certified_eps", "8,4,2", "8,4,2,1,0.5", 1e-9, 1e6,
                                             "accuracies for the certificate"),
    [FY_COMPLEXITY_HORIZONS] =
        FY_LAB_WHOLES("horizons", "10,15,22", "10,14,20,28,40", 1, 1e6, "horizons H"),
    [FY_COMPLEXITY_ZONES] = FY_LAB_WHOLES("zones", "2,4,8", "1,2,4,8,16", 1, 1e6,
                                          "zones of the chain, each with 4 coordinates of theta"),
    [FY_COMPLEXITY_STATES] = FY_LAB_WHOLE("states", "17", "17", 2, 1e6, "states of the chain"),
    [FY_COMPLEXITY_EPISODES] = FY_LAB_WHOLE("episodes", "300000", "500000", 1, 1e12,
                                            "episodes of each run; K(eps) beyond is not known"),
    [FY_COMPLEXITY_DELTA] = FY_LAB_REAL("delta", "0.1", "0.1", 1e-9, 0.999,
                                        "the share of seeds that may fail; also that of the "
                                        "confidence sets"),
    [FY_COMPLEXITY_RADIUS] =
        FY_LAB_CHOICE("radius", "sharp", "sharp", "sharp|selfnormalised|theorem",
                      "confidence radius of the algorithms that have one"),
    [FY_COMPLEXITY_REWARDS] = FY_LAB_WHOLE("rewards", "8", "32", 1, 1e6,
                                           "rewards in each random family: dense, sparse, timed"),
    [FY_COMPLEXITY_ROUNDS] = FY_LAB_WHOLE("rounds", "2", "4", 0, 1e6, "rounds of the adversary"),
    [FY_COMPLEXITY_SEEDS] = FY_LAB_SEEDS("5", "5"),
    [FY_COMPLEXITY_SEED] = FY_LAB_SEED,
};

static const fy_lab_column measures[FY_COMPLEXITY_COLUMNS] = {
    [FY_COMPLEXITY_C_ALGORITHM] = {.name = "algorithm",
                                   .help = "the algorithm",
                                   .words = 1 + FY_COMPLEXITY_ALGORITHMS},
    [FY_COMPLEXITY_C_HORIZON] = {.name = "horizon", .help = "H"},
    [FY_COMPLEXITY_C_ZONES] = {.name = "zones", .help = "zones of the chain"},
    [FY_COMPLEXITY_C_DIM] = {.name = "dim", .help = "d, the dimension of theta"},
    [FY_COMPLEXITY_C_SEED] = {.name = "seed", .help = "the seed"},
    [FY_COMPLEXITY_C_EPISODE] = {.name = "episode", .help = "episodes so far"},
    [FY_COMPLEXITY_C_GAP] = {.name = "gap", .help = "the worst gap over all rewards"},
    [FY_COMPLEXITY_C_BOUND] = {.name = "bound",
                               .help = "the certificate for all rewards; inf: there is none"},
};

enum { PER_DECADE = 8 }; /* checkpoints */

/* ---------------------------------------------------------------------------- plan */

static foray_status check_parameters(const fy_lab *lab)
{
    int64_t states = fy_lab_whole(lab, FY_COMPLEXITY_STATES);
    for (int64_t a = 0; a < fy_lab_count(lab, FY_COMPLEXITY_ALGORITHMS); a++)
        if (foray_algorithm_needs_reward(fy_lab_word(lab, FY_COMPLEXITY_ALGORITHMS, a)))
            return fy_fail(lab->ctx, FORAY_ERROR_USAGE,
                           "complexity: %s explores for one reward, and there is none",
                           fy_lab_word(lab, FY_COMPLEXITY_ALGORITHMS, a));
    for (int64_t z = 0; z < fy_lab_count(lab, FY_COMPLEXITY_ZONES); z++)
        if (fy_lab_number(lab, FY_COMPLEXITY_ZONES, z) > (double)states)
            return fy_fail(lab->ctx, FORAY_ERROR_USAGE,
                           "complexity: %g zones, but there are only %" PRId64 " states",
                           fy_lab_number(lab, FY_COMPLEXITY_ZONES, z), states);
    return FORAY_OK;
}

/* One run of an algorithm on a chain. About a microsecond for ten steps, and measuring at some
 * 8 checkpoints in a decade. */
static foray_status add_run(fy_lab *lab, int64_t a, int64_t h, int64_t z, int64_t s)
{
    const int64_t at[FY_LAB_AXES] = {
        [FY_AT_ALGORITHM] = a, [FY_AT_HORIZON] = h, [FY_AT_ZONE] = z, [FY_AT_SEED] = s};
    double horizon = fy_lab_number(lab, FY_COMPLEXITY_HORIZONS, h);
    double episodes = fy_lab_real(lab, FY_COMPLEXITY_EPISODES);
    double states = fy_lab_real(lab, FY_COMPLEXITY_STATES);
    double plans =
        fy_lab_real(lab, FY_COMPLEXITY_REWARDS) + 4.0 * fy_lab_real(lab, FY_COMPLEXITY_ROUNDS);
    double sweeps = PER_DECADE * fy_log10(10.0 * episodes) * plans;
    return fy_lab_add_cell(
        lab, 1e-7 * horizon * (episodes + states * sweeps), at, "%s-H%.0f-zones%.0f-seed%" PRId64,
        fy_lab_word(lab, FY_COMPLEXITY_ALGORITHMS, a), horizon,
        fy_lab_number(lab, FY_COMPLEXITY_ZONES, z), fy_lab_whole(lab, FY_COMPLEXITY_SEED) + s);
}

static foray_status plan_complexity(fy_lab *lab)
{
    foray_status status = check_parameters(lab);
    for (int64_t a = 0; a < fy_lab_count(lab, FY_COMPLEXITY_ALGORITHMS); a++)
        for (int64_t h = 0; h < fy_lab_count(lab, FY_COMPLEXITY_HORIZONS); h++)
            for (int64_t z = 0; z < fy_lab_count(lab, FY_COMPLEXITY_ZONES); z++)
                for (int64_t s = 0; s < fy_lab_whole(lab, FY_COMPLEXITY_SEEDS); s++)
                    if (status == FORAY_OK)
                        status = add_run(lab, a, h, z, s);
    return status;
}

/* ---------------------------------------------------------------------------- cells */

typedef struct listener {
    fy_lab *lab;
    int64_t cell;
} listener;

static bool pass_progress(void *user, double done)
{
    listener *l = user;
    return fy_lab_progress(l->lab, l->cell, done);
}

/* Of what a trial measures, the gap and the bound. */
static foray_status add_rows(foray_context *ctx, const fy_trial *trial, const int64_t *at,
                             const fy_lab *lab, const fy_rows *measured, fy_rows *rows)
{
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < measured->count && status == FORAY_OK; i++) {
        const double *from = fy_rows_at(measured, i);
        double row[FY_COMPLEXITY_COLUMNS] = {
            [FY_COMPLEXITY_C_ALGORITHM] = (double)at[FY_AT_ALGORITHM],
            [FY_COMPLEXITY_C_HORIZON] = (double)trial->model->horizon,
            [FY_COMPLEXITY_C_ZONES] = fy_lab_number(lab, FY_COMPLEXITY_ZONES, at[FY_AT_ZONE]),
            [FY_COMPLEXITY_C_DIM] = (double)trial->model->dim,
            [FY_COMPLEXITY_C_SEED] = (double)trial->settings.seed,
            [FY_COMPLEXITY_C_EPISODE] = from[FY_M_episode],
            [FY_COMPLEXITY_C_GAP] = from[FY_M_worst],
            [FY_COMPLEXITY_C_BOUND] = from[FY_M_bound],
        };
        status = fy_rows_add(ctx, rows, row);
    }
    return status;
}

/* The settings and the chain of a cell; of its rewards, the same for all seeds and algorithms. */
static foray_status open_trial(foray_context *ctx, const fy_lab *lab, const int64_t *at,
                               foray_model **model, foray_family **family, fy_trial *trial)
{
    char chain[128];
    foray_settings *settings = &trial->settings;
    foray_settings_default(settings);
    fy_settings_choose(settings, fy_lab_word(lab, FY_COMPLEXITY_ALGORITHMS, at[FY_AT_ALGORITHM]));
    settings->seed = fy_lab_whole(lab, FY_COMPLEXITY_SEED) + at[FY_AT_SEED];
    settings->episodes = fy_lab_whole(lab, FY_COMPLEXITY_EPISODES);
    settings->delta = fy_lab_real(lab, FY_COMPLEXITY_DELTA);
    foray_status status =
        foray_settings_set(ctx, settings, "radius", fy_lab_word(lab, FY_COMPLEXITY_RADIUS, 0));
    fy_format(chain, sizeof chain, "chain:states=%" PRId64 ",zones=%.0f,horizon=%.0f",
              fy_lab_whole(lab, FY_COMPLEXITY_STATES),
              fy_lab_number(lab, FY_COMPLEXITY_ZONES, at[FY_AT_ZONE]),
              fy_lab_number(lab, FY_COMPLEXITY_HORIZONS, at[FY_AT_HORIZON]));
    if (status == FORAY_OK)
        status = foray_model_builtin(ctx, chain, model);
    if (status == FORAY_OK)
        status = fy_families_create(ctx, *model, 0, fy_lab_whole(lab, FY_COMPLEXITY_REWARDS),
                                    (uint64_t)fy_lab_whole(lab, FY_COMPLEXITY_SEED), family);
    trial->model = *model;
    trial->family = family;
    return status;
}

static foray_status make_complexity_cell(foray_context *ctx, fy_lab *lab, int64_t index,
                                         fy_rows *rows)
{
    const int64_t *at = lab->cell[index].at;
    listener l = {lab, index};
    foray_model *model = NULL;
    foray_family *family[FORAY_FAMILIES] = {NULL};
    fy_rows measured = {.columns = FY_M_ALL};
    fy_trial trial = {.mode = FORAY_PLUGIN,
                      .rounds = fy_lab_whole(lab, FY_COMPLEXITY_ROUNDS),
                      .per_decade = PER_DECADE,
                      .progress = pass_progress,
                      .user = &l};
    foray_status status = open_trial(ctx, lab, at, &model, family, &trial);
    if (status == FORAY_OK)
        status = fy_trial_run(ctx, &trial, &measured);
    if (status == FORAY_OK)
        status = add_rows(ctx, &trial, at, lab, &measured, rows);
    free(measured.value);
    fy_families_destroy(family);
    foray_model_destroy(model);
    return status;
}

static const char *const formulas[] = {"K(eps)", "1 - delta", "10^(i/8)", NULL};

const fy_lab_experiment fy_lab_complexity = {
    .name = "complexity",
    .summary = "how many episodes an accuracy takes, over eps, H and d",
    .question =
        "K(eps) is the first number of episodes from which on, up to the end of the runs, at least "
        "a share of 1 - delta of the seeds has a worst gap of at most eps: the worst over all goal "
        "states, random dense, sparse and time-dependent rewards, and the rewards that an "
        "adversary finds, for plug-in policies. The same is measured for the certificate, which "
        "the algorithm itself knows. Both are checked after 10^(i/8) episodes, and nothing is "
        "interpolated: K is the first such number at which the criterion holds. An exponent is the "
        "least-squares slope of log K, common to all lines, each with an intercept of its own; its "
        "interval contains 95% of the slopes obtained by resampling the seeds. Accuracies that "
        "were not reached within the budget are shown as beyond it, "
        "and are left out of the fits.",
    .formula = formulas,
    .description =
        "Measures K(eps): the number of episodes after which the worst gap over all reward\n"
        "families and the adversary stays at most eps, for a share 1 - delta of the seeds;\n"
        "and the same for the certificate. On the chain, over eps, the horizon H and the\n"
        "dimension d; slopes of log K are compared with the exponents of the theorems.",
    .example = "--quick --algorithms ucrl-rfe,random --episodes 300 --seeds 2 -o few",
    .parameter = parameters,
    .parameters = sizeof parameters / sizeof *parameters,
    .column = measures,
    .columns = FY_COMPLEXITY_COLUMNS,
    .plan = plan_complexity,
    .cell = make_complexity_cell,
    .show = fy_complexity_show,
};
