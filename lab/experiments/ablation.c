/* ablation.c - what each choice costs or gains.
 *
 *   for each world, choice and seed
 *     run UCRL-RFE with the base settings and this one choice changed
 *     after 16, 32, 64, ... episodes and at the end: gaps of the policies planned for
 *     goals and random rewards, their certificates, the bound for all rewards
 *
 * Runs with the same world and seed meet the same random numbers, so that choices can be
 * compared pair by pair. */
#include "experiments/ablation.h"

#include <inttypes.h>
#include <math.h>

static const foray_lab_parameter parameters[] = {
    [FY_AB_WORLDS] = FY_LAB_WORLDS("worlds", "chain rooms:rows=2,cols=2 mixture riverswim",
                                   "chain rooms mixture inventory queue", "the worlds"),
    [FY_AB_BASE] = FY_LAB_CHOICE("base", "default", "default", "default|literal",
                                 "the worlds in which one choice at a time is changed"),
    [FY_AB_EPISODES] = FY_LAB_WHOLE("episodes", "2048", "4096", 1, 1e9, "episodes of every run"),
    [FY_AB_TARGET] = FY_LAB_REAL("target", "0.01", "0.01", 1e-9, 1,
                                 "the worst gap to be reached, as a share of H"),
    [FY_AB_GOALS] =
        FY_LAB_WHOLE("goals", "48", "128", 1, 1e6, "largest number of goal states to plan for"),
    [FY_AB_REWARDS] = FY_LAB_WHOLE("rewards", "8", "16", 1, 1e6,
                                   "random rewards of each kind: dense, sparse, timed"),
    [FY_AB_SEEDS] = FY_LAB_SEEDS("10", "10"),
    [FY_AB_SEED] = FY_LAB_SEED,
};

static const fy_lab_column row_columns[] = {
    [FY_AB_C_WORLD] = {.name = "world", .help = "the world", .words = 1 + FY_AB_WORLDS},
    [FY_AB_C_CHOICE] = {.name = "choice", .help = "what was changed", .word = fy_ab_choice_names},
    [FY_AB_C_SEED] = {.name = "seed", .help = "of the run"},
    [FY_AB_C_HORIZON] = {.name = "horizon", .help = "of the world"},
    [FY_AB_C_EPISODES] = {.name = "episodes", .help = "explored so far"},
    [FY_AB_C_WORST] = {.name = "worst", .help = "largest gap over all rewards"},
    [FY_AB_C_MEAN] = {.name = "mean", .help = "mean gap over all rewards"},
    [FY_AB_C_CERTIFICATE] = {.name = "certificate",
                             .help = "mean certificate of the policies planned for the rewards"},
    [FY_AB_C_BOUND] = {.name = "bound", .help = "certificate for all rewards at once"},
    [FY_AB_C_PLANS] = {.name = "plans", .help = "plans made while exploring"},
    [FY_AB_C_SECONDS] = {.name = "seconds", .help = "processor seconds of exploring", .time = true},
};

/* ------------------------------------------------------------------------------- a run */

typedef struct ablation_run {
    foray_context *ctx;
    fy_lab *lab;
    int64_t cell;
    foray_settings settings;
    foray_model *model;
    foray_world *world;
    foray_explorer *explorer;
    fy_truth *truth;
    foray_family *family[FORAY_FAMILIES];
    double certificates; /* of all policies planned at this checkpoint, added up */
    double seconds;      /* of exploring */
    fy_rows *rows;
} ablation_run;

/* Goals, and as many rewards of each random kind, the same in all runs of a world. */
static foray_status open_ablation(ablation_run *r)
{
    const int64_t *at = r->lab->cell[r->cell].at;
    foray_status status =
        fy_ab_settings(r->ctx, r->lab, at[FY_AB_AT_CHOICE], at[FY_AB_AT_SEED], &r->settings);
    if (status == FORAY_OK)
        status = foray_model_builtin(r->ctx, fy_lab_word(r->lab, FY_AB_WORLDS, at[FY_AB_AT_WORLD]),
                                     &r->model);
    if (status == FORAY_OK)
        status = foray_world_from_model(r->ctx, r->model, &r->world);
    if (status == FORAY_OK)
        status = foray_explorer_create(r->ctx, r->model, &r->settings, &r->explorer);
    if (status == FORAY_OK) /* what settings change is the algorithm's own radius */
        status = foray_explorer_certify_by(r->explorer, r->settings.radius);
    if (status == FORAY_OK)
        status = fy_truth_create(r->ctx, r->model, &r->truth);
    if (status == FORAY_OK)
        status = fy_families_create(r->ctx, r->model, fy_lab_whole(r->lab, FY_AB_GOALS),
                                    fy_lab_whole(r->lab, FY_AB_REWARDS),
                                    (uint64_t)fy_lab_whole(r->lab, FY_AB_SEED), r->family);
    return status;
}

/* A planner that adds up the certificates of what it plans. */
static foray_status plan_and_add(void *user, int64_t count, const foray_reward *const *rewards,
                                 foray_policy **policies)
{
    ablation_run *r = user;
    int mode = fy_ab_choice_mode(r->lab->cell[r->cell].at[FY_AB_AT_CHOICE]);
    foray_status status = foray_explorer_plan(r->explorer, count, rewards, mode, policies);
    for (int64_t i = 0; i < count && status == FORAY_OK; i++)
        r->certificates += policies[i]->certificate.gap;
    return status;
}

static foray_status add_checkpoint(ablation_run *r, int64_t episodes)
{
    const int64_t *at = r->lab->cell[r->cell].at;
    double row[FY_AB_COLUMNS] = {[FY_AB_C_WORLD] = (double)at[FY_AB_AT_WORLD],
                                 [FY_AB_C_CHOICE] = (double)at[FY_AB_AT_CHOICE],
                                 [FY_AB_C_SEED] = (double)r->settings.seed,
                                 [FY_AB_C_HORIZON] = (double)foray_model_horizon(r->model),
                                 [FY_AB_C_EPISODES] = (double)episodes};
    /* Gaps and certificates over all rewards. */
    double count = 0, sum = 0;
    foray_status status = FORAY_OK;
    r->certificates = 0;
    for (int f = 0; f < FORAY_FAMILIES && status == FORAY_OK; f++) {
        foray_gaps gaps = {0};
        double size = (double)foray_family_size(r->family[f]);
        status = fy_measure(r->ctx, r->truth, r->family[f], plan_and_add, r, NULL, &gaps);
        row[FY_AB_C_WORST] = fmax(row[FY_AB_C_WORST], gaps.worst);
        sum += gaps.mean * size;
        count += size;
    }
    row[FY_AB_C_MEAN] = sum / count;
    row[FY_AB_C_CERTIFICATE] = r->certificates / count;
    /* What the explorer says about itself. */
    foray_certificate bound;
    foray_explorer_facts facts;
    if (status == FORAY_OK)
        status = foray_explorer_bound(r->explorer, &bound);
    if (status == FORAY_OK)
        status = foray_explorer_describe(r->explorer, &facts);
    if (status != FORAY_OK)
        return status;
    row[FY_AB_C_BOUND] = bound.gap;
    row[FY_AB_C_PLANS] = (double)facts.plans;
    row[FY_AB_C_SECONDS] = r->seconds;
    return fy_rows_add(r->ctx, r->rows, row);
}

/* Plays episodes from..to-1; only these are timed. */
static foray_status play_episodes(ablation_run *r, int64_t from, int64_t to)
{
    foray_status status = FORAY_OK;
    double began = fy_thread_seconds(), all = (double)r->settings.episodes;
    for (int64_t k = from; k < to && status == FORAY_OK; k++) {
        status = foray_explorer_play(r->explorer, r->world, NULL, NULL);
        if (status == FORAY_OK && k % 64 == 0 && !fy_lab_progress(r->lab, r->cell, (double)k / all))
            status = FORAY_INTERRUPTED;
    }
    r->seconds += fy_thread_seconds() - began;
    return status;
}

static foray_status make_ablation_cell(foray_context *ctx, fy_lab *lab, int64_t cell, fy_rows *rows)
{
    ablation_run r = {.ctx = ctx, .lab = lab, .cell = cell, .rows = rows};
    foray_status status = open_ablation(&r);
    int64_t last = fy_lab_whole(lab, FY_AB_EPISODES);
    for (int64_t k = 0, due = 16; k < last && status == FORAY_OK; k = due, due *= 2) {
        due = due < last ? due : last;
        status = play_episodes(&r, k, due);
        if (status == FORAY_OK)
            status = add_checkpoint(&r, due);
    }
    fy_families_destroy(r.family);
    fy_truth_destroy(r.truth);
    foray_explorer_destroy(r.explorer);
    foray_world_destroy(r.world);
    foray_model_destroy(r.model);
    return status;
}

/* ------------------------------------------------------------------------------- cells */

static foray_status plan_ablation(fy_lab *lab)
{
    foray_status status = FORAY_OK;
    for (int64_t w = 0; w < fy_lab_count(lab, FY_AB_WORLDS) && status == FORAY_OK; w++) {
        /* Worlds that cannot be should say so before anything is measured. */
        foray_model *model;
        status = foray_model_builtin(lab->ctx, fy_lab_word(lab, FY_AB_WORLDS, w), &model);
        if (status != FORAY_OK)
            return status;
        foray_model_destroy(model);
        for (int64_t c = 0; c < fy_ab_choices(); c++)
            for (int64_t s = 0; s < fy_lab_whole(lab, FY_AB_SEEDS) && status == FORAY_OK; s++) {
                const int64_t at[FY_LAB_AXES] = {w, c, s};
                if (fy_ab_choice_applies(lab, c))
                    status = fy_lab_add_cell(lab, fy_ab_choice_weight(lab, c), at,
                                             "world-%" PRId64 "-%s-%" PRId64, w,
                                             fy_ab_choice_names[c], s);
            }
    }
    return status;
}

const fy_lab_experiment fy_lab_ablation = {
    .name = "ablation",
    .summary = "what each choice in the algorithm costs or gains",
    .question =
        "UCRL-RFE as Foray runs it differs from the printed algorithm in several choices. Here "
        "each of them is changed alone, everything else left as it is, on several worlds; runs "
        "that share a seed meet the same random numbers and are compared pair by pair. A ratio "
        "above 1 means that the change makes the number larger: gaps, certificates and episodes "
        "are better when they are small.",
    .description =
        "Runs UCRL-RFE with one choice changed at a time: clip, ties, inner maximisation,\n"
        "radius, centring, blocks, replanning, planning mode; and the paper to the letter.\n"
        "Compares gaps, certificates, plans and times with the base, run by run with the\n"
        "same seed.",
    .example = "--quick --worlds riverswim --episodes 64 --seeds 2 -o choices",
    .parameter = parameters,
    .parameters = FY_AB_PARAMETERS,
    .column = row_columns,
    .columns = FY_AB_COLUMNS,
    .plan = plan_ablation,
    .cell = make_ablation_cell,
    .show = fy_ab_show,
};
