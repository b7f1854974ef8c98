/* theorem.c - runs at the constants of the paper's theorem, to the K that it asks for.
 *
 *   for each variant of the algorithm, world and eps for which K(eps) is within the budget,
 *   and each seed
 *     play K(eps) episodes with the paper's constants, and at 10^(i/4) episodes measure the
 *     worst gap, the certificate, and the quantities that the proof bounds
 *
 * K(eps) is the paper's with its constants worked out: theorem_bound.h. */
#include "experiments/theorem.h"
#include "experiments/theorem_run.h"

#include <inttypes.h>
#include <string.h>

static const fy_theorem_variant variants[] = {
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
enum { VARIANTS = sizeof variants / sizeof *variants };

const fy_theorem_variant *fy_theorem_variant_at(int64_t index)
{
    return index >= 0 && index < VARIANTS ? &variants[index] : NULL;
}

static const foray_lab_parameter parameters[FY_THEOREM_PARAMETERS] = {
    [FY_THEOREM_VARIANTS] = FY_LAB_CHOICES(
        "variants", "printed,proof,doubling,plus", "printed,proof,doubling,plus",
        "printed|proof|doubling|plus", "the algorithm as printed, and with what its proof allows"),
    [FY_THEOREM_WORLDS] = FY_LAB_WORLDS("worlds",
                                        "chain:states=3,zones=1,laws=1,horizon=2 "
                                        "chain:states=3,zones=1,laws=1,horizon=3",
                                        "chain:states=3,zones=1,laws=1,horizon=2 "
                                        "chain:states=3,zones=1,laws=1,horizon=3 "
                                        "mixture:states=3,actions=2,successors=3,dim=2,horizon=2",
                                        "worlds to play in, small enough"),
    [FY_THEOREM_EPS] =
        FY_LAB_REALS("eps", "0.5,0.25,0.1", "1,0.5,0.25,0.1", 1e-6, 1e6, "accuracies"),
    [FY_THEOREM_DELTA] =
        FY_LAB_REAL("delta", "0.1", "0.1", 1e-9, 0.999, "the share of runs that may fail"),
    [FY_THEOREM_EVERY_BUDGET] =
        FY_LAB_WHOLE("every_budget", "4000000", "4000000", 1, 1e12,
                     "largest number of episodes of a run that plans in every one"),
    [FY_THEOREM_DOUBLING_BUDGET] =
        FY_LAB_WHOLE("doubling_budget", "40000000", "40000000", 1, 1e12,
                     "largest number of episodes of a run that plans rarely"),
    [FY_THEOREM_OTHERS] =
        FY_LAB_WORLDS("others", "chain riverswim rooms inventory",
                      "chain riverswim rooms inventory", "worlds for which only K is computed"),
    [FY_THEOREM_REWARDS] = FY_LAB_WHOLE("rewards", "8", "8", 1, 1e6,
                                        "rewards of each kind: goals, dense, sparse, timed"),
    [FY_THEOREM_ROUNDS] = FY_LAB_WHOLE("rounds", "4", "4", 0, 1e6, "rounds of the adversary"),
    [FY_THEOREM_SEEDS] = FY_LAB_SEEDS("8", "20"),
    [FY_THEOREM_SEED] = FY_LAB_SEED,
};

static const char *const variant_words[VARIANTS + 1] = {"printed", "proof", "doubling", "plus",
                                                        NULL};

static const fy_lab_column measures[FY_THEOREM_COLUMNS] = {
    [FY_THEOREM_C_VARIANT] = {.name = "variant",
                              .help = "the variant of the algorithm",
                              .word = variant_words},
    [FY_THEOREM_C_WORLD] = {.name = "world", .help = "the world", .words = 1 + FY_THEOREM_WORLDS},
    [FY_THEOREM_C_EPS] = {.name = "eps", .help = "the accuracy promised after K episodes"},
    [FY_THEOREM_C_SEED] = {.name = "seed", .help = "the seed"},
    [FY_THEOREM_C_PROMISED] = {.name = "promised", .help = "K(eps) of UCRL-RFE"},
    [FY_THEOREM_C_EPISODE] = {.name = "episode", .help = "episodes so far"},
    [FY_THEOREM_C_GAP] = {.name = "gap", .help = "the worst gap found, of optimistic plans"},
    [FY_THEOREM_C_BOUND] = {.name = "bound", .help = "the certificate for all rewards"},
    [FY_THEOREM_C_EXPLORATION] = {.name = "target",
                                  .help =
                                      "H V*(r), r the exploration reward: what the proof bounds "
                                      "the gap by"},
    [FY_THEOREM_C_DISTANCE] = {.name = "distance",
                               .help = "distance of the estimate from theta*, over the radius"},
    [FY_THEOREM_C_INFORMATION] = {.name = "information", .help = "log det Sigma / det(lambda I)"},
    [FY_THEOREM_C_BONUS] = {.name = "bonus",
                            .help = "sum of all exploration bonuses; empty: not measured when "
                                    "plans are seldom made"},
    [FY_THEOREM_C_PLANS] = {.name = "plans", .help = "exploration plans made so far"},
};

/* ----------------------------------------------------------------------------- plan */

foray_status fy_theorem_world_terms(foray_context *ctx, const fy_lab *lab, int parameter,
                                    int64_t world, fy_theorem_terms *out)
{
    foray_model *model;
    foray_status status = foray_model_builtin(ctx, fy_lab_word(lab, parameter, world), &model);
    if (status != FORAY_OK)
        return status;
    *out = fy_theorem_terms_of(model, fy_lab_real(lab, FY_THEOREM_DELTA));
    foray_model_destroy(model);
    return FORAY_OK;
}

/* The runs of one promise, if it can be put to the test within the budget. A step costs 0.05
 * microseconds, a plan some 0.2 for each step of a tiny world. */
static foray_status add_promise(fy_lab *lab, int64_t variant, int64_t world, int64_t e)
{
    fy_theorem_terms terms;
    foray_status status = fy_theorem_world_terms(lab->ctx, lab, FY_THEOREM_WORLDS, world, &terms);
    if (status != FORAY_OK)
        return status;
    bool every = variants[variant].replan == FORAY_REPLAN_EVERY;
    double budget = fy_lab_real(lab, every ? FY_THEOREM_EVERY_BUDGET : FY_THEOREM_DOUBLING_BUDGET);
    double eps = fy_lab_number(lab, FY_THEOREM_EPS, e), K = fy_theorem_episodes(&terms, eps);
    if (K > budget || eps >= terms.horizon)
        return FORAY_OK;
    for (int64_t s = 0; s < fy_lab_whole(lab, FY_THEOREM_SEEDS) && status == FORAY_OK; s++) {
        const int64_t at[FY_LAB_AXES] = {[FY_THEOREM_AT_VARIANT] = variant,
                                         [FY_THEOREM_AT_WORLD] = world,
                                         [FY_THEOREM_AT_EPS] = e,
                                         [FY_THEOREM_AT_SEED] = s};
        status = fy_lab_add_cell(lab, terms.horizon * K * (every ? 2.5e-7 : 5e-8), at,
                                 "%s-world%" PRId64 "-eps%g-seed%" PRId64, variants[variant].name,
                                 world + 1, eps, fy_lab_whole(lab, FY_THEOREM_SEED) + s);
    }
    return status;
}

static foray_status plan_theorem(fy_lab *lab)
{
    fy_theorem_terms terms;
    foray_status status = FORAY_OK;
    /* Worlds that no cell needs; better refused before the runs than after. */
    for (int64_t w = 0; w < fy_lab_count(lab, FY_THEOREM_OTHERS) && status == FORAY_OK; w++)
        status = fy_theorem_world_terms(lab->ctx, lab, FY_THEOREM_OTHERS, w, &terms);
    for (int64_t v = 0; v < fy_lab_count(lab, FY_THEOREM_VARIANTS); v++) {
        int64_t variant = 0;
        while (strcmp(variants[variant].name, fy_lab_word(lab, FY_THEOREM_VARIANTS, v)) != 0)
            variant++;
        for (int64_t w = 0; w < fy_lab_count(lab, FY_THEOREM_WORLDS); w++)
            for (int64_t e = 0; e < fy_lab_count(lab, FY_THEOREM_EPS) && status == FORAY_OK; e++)
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
    const double row[FY_THEOREM_COLUMNS] = {
        [FY_THEOREM_C_VARIANT] = (double)at[FY_THEOREM_AT_VARIANT],
        [FY_THEOREM_C_WORLD] = (double)at[FY_THEOREM_AT_WORLD],
        [FY_THEOREM_C_EPS] = fy_lab_number(to->lab, FY_THEOREM_EPS, at[FY_THEOREM_AT_EPS]),
        [FY_THEOREM_C_SEED] = (double)to->settings->seed,
        [FY_THEOREM_C_PROMISED] = (double)to->settings->episodes,
        [FY_THEOREM_C_EPISODE] = (double)point->episode,
        [FY_THEOREM_C_GAP] = point->gap,
        [FY_THEOREM_C_BOUND] = point->bound,
        [FY_THEOREM_C_EXPLORATION] = point->exploration,
        [FY_THEOREM_C_DISTANCE] = point->distance,
        [FY_THEOREM_C_INFORMATION] = point->information,
        [FY_THEOREM_C_BONUS] = point->bonus,
        [FY_THEOREM_C_PLANS] = (double)point->plans,
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
    const fy_theorem_variant *variant = &variants[at[FY_THEOREM_AT_VARIANT]];
    foray_settings settings;
    foray_settings_default(&settings);
    foray_settings_literal(&settings);
    fy_format(settings.algorithm, sizeof settings.algorithm, "%s", variant->algorithm);
    settings.clip = variant->clip;
    settings.replan = variant->replan;
    settings.delta = fy_lab_real(lab, FY_THEOREM_DELTA);
    settings.episodes = (int64_t)K;
    settings.seed = fy_lab_whole(lab, FY_THEOREM_SEED) + at[FY_THEOREM_AT_SEED];
    return settings;
}

static foray_status make_theorem_cell(foray_context *ctx, fy_lab *lab, int64_t index, fy_rows *rows)
{
    const int64_t *at = lab->cell[index].at;
    foray_model *model = NULL;
    fy_worst_search *search = NULL;
    foray_status status = foray_model_builtin(
        ctx, fy_lab_word(lab, FY_THEOREM_WORLDS, at[FY_THEOREM_AT_WORLD]), &model);
    if (status == FORAY_OK)
        status = fy_worst_search_create(ctx, model, fy_lab_whole(lab, FY_THEOREM_REWARDS),
                                        (uint64_t)fy_lab_whole(lab, FY_THEOREM_SEED), &search);
    if (status == FORAY_OK) {
        fy_theorem_terms terms = fy_theorem_terms_of(model, fy_lab_real(lab, FY_THEOREM_DELTA));
        double eps = fy_lab_number(lab, FY_THEOREM_EPS, at[FY_THEOREM_AT_EPS]);
        foray_settings settings = settings_of(lab, at, fy_theorem_episodes(&terms, eps));
        receiver to = {ctx, lab, index, &settings, rows};
        status = fy_theorem_run(ctx, model, &settings, search, fy_lab_whole(lab, FY_THEOREM_ROUNDS),
                                &(fy_theorem_listener){add_point, pass_progress, &to});
    }
    fy_worst_search_destroy(search);
    foray_model_destroy(model);
    return status;
}

static const char *const formulas[] = {
    "K(eps)",
    "1 - delta",
    "K = O~(H^5 d^2/eps^2)",
    ("H/K (4 beta (1 + 1/H) sqrt(K (H-1) D) + D/(log 2) H(H+1)/2 + "
     "sqrt(K H(H+1)(2H+1)/12 log(3/delta))) <= eps"),
    "beta = H sqrt(d log(3 (1 + K H^3 B^2)/delta)) + 1",
    "lambda = B^-2",
    "D = d log(1 + K B^2 sum_h (H-h)^2/d)",
    NULL,
};

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
    .formula = formulas,
    .description =
        "Computes K(eps) of the paper's theorem with all its constants, explores for that\n"
        "many episodes in worlds where that is feasible, with the paper's radius and none of\n"
        "this library's improvements, and measures what was promised: the worst gap against\n"
        "eps, and each step of the proof. Reports K for larger worlds.",
    .example = "--quick --eps 1 --variants doubling --seeds 2 -o promise",
    .parameter = parameters,
    .parameters = FY_THEOREM_PARAMETERS,
    .column = measures,
    .columns = FY_THEOREM_COLUMNS,
    .plan = plan_theorem,
    .cell = make_theorem_cell,
    .show = fy_theorem_show,
};
