/* ablation_results.c - what each choice changes: tables, forest plots, findings. */
#include "experiments/ablation.h"
#include "base/maths.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* All effects: [choices][worlds][measures], those of choices that do not apply unused. */
typedef struct effects {
    int64_t worlds;
    fy_ab_effect *of;
} effects;

static fy_ab_effect *effect_at(const effects *e, int64_t choice, int64_t world, int measure)
{
    return &e->of[(choice * e->worlds + world) * FY_AB_M_COUNT + measure];
}

/* ------------------------------------------------------------------ plots and tables */

/* A row for each choice that changes something, a group for each world. */
static foray_status draw_effects(const fy_lab *lab, const effects *e, int measure,
                                 fy_content *content)
{
    static const char *const ids[] = {"worst",  "mean",  "certificate", "bound",
                                      "target", "plans", "seconds"};
    char id[48], title[96], note[96];
    fy_effect *effect;
    if (!FY_ALLOC(lab->ctx, effect, e->worlds))
        return FORAY_ERROR_MEMORY;
    fy_format(id, sizeof id, "effect-%s", ids[measure]);
    fy_format(title, sizeof title, "The effect on: %s", fy_ab_measure_words(measure));
    fy_format(note, sizeof note, "ratio to the base, %" PRId64 " seeds in pairs; 95%% intervals",
              fy_lab_whole(lab, FY_AB_SEEDS));
    fy_content_forest(
        content, &(fy_forest){.id = id,
                              .title = title,
                              .note = note,
                              .x = {.label = "smaller  ←  ratio  →  larger", .kind = FY_AXIS_LOG},
                              .none = 1,
                              .groups = e->worlds,
                              .group = (const char *const *)lab->value[FY_AB_WORLDS].word});
    for (int64_t c = 1; c < fy_ab_choices(); c++) {
        if (!fy_ab_choice_applies(lab, c))
            continue;
        for (int64_t w = 0; w < e->worlds; w++) {
            const fy_ab_effect *its = effect_at(e, c, w, measure);
            effect[w] = (fy_effect){its->ratio, its->low, its->high};
        }
        fy_content_effects(content, fy_ab_choice_names[c], effect);
    }
    free(effect);
    return FORAY_OK;
}

/* One row for each world and choice: the measures, and their ratios to the base. */
static void show_summary(const fy_lab *lab, const effects *e, fy_content *content)
{
    static const int shown[] = {FY_AB_M_worst, FY_AB_M_mean,   FY_AB_M_certificate,
                                FY_AB_M_bound, FY_AB_M_target, FY_AB_M_plans};
    enum { SHOWN = sizeof shown / sizeof *shown };
    static const char *const heading[2 + 2 * SHOWN] = {
        "world",    "choice",      "worst gap",          "worst ratio",
        "mean gap", "mean ratio",  "certificate",        "certificate ratio",
        "bound",    "bound ratio", "episodes to target", "episodes ratio",
        "plans",    "plans ratio"};
    fy_table table = fy_table_begin(lab->ctx, 2 + 2 * SHOWN, heading);
    for (int64_t w = 0; w < e->worlds; w++)
        for (int64_t c = 0; c < fy_ab_choices(); c++) {
            if (!fy_ab_choice_applies(lab, c))
                continue;
            fy_table_cell(&table, "%s", fy_lab_word(lab, FY_AB_WORLDS, w));
            fy_table_cell(&table, "%s", fy_ab_choice_names[c]);
            for (int i = 0; i < SHOWN; i++) {
                fy_table_shortest(&table, effect_at(e, c, w, shown[i])->value);
                fy_table_shortest(&table, effect_at(e, c, w, shown[i])->ratio);
            }
        }
    fy_content_heading(content, "Summary");
    fy_content_table(content, FY_TABLE_READ, "summary", NULL, &table);
}

/* The numbers behind the plots: one row for each world, choice and measure from..to-1. */
static void show_effects(const fy_lab *lab, const effects *e, int from, int to, const char *name,
                         fy_content *content)
{
    static const char *const heading[] = {"world", "choice", "measure", "value",
                                          "ratio", "low",    "high",    "told"};
    fy_table table = fy_table_begin(lab->ctx, 8, heading);
    for (int64_t w = 0; w < e->worlds; w++)
        for (int64_t c = 0; c < fy_ab_choices(); c++)
            for (int m = from; m < to && fy_ab_choice_applies(lab, c); m++) {
                const fy_ab_effect *its = effect_at(e, c, w, m);
                fy_table_cell(&table, "%s", fy_lab_word(lab, FY_AB_WORLDS, w));
                fy_table_cell(&table, "%s", fy_ab_choice_names[c]);
                fy_table_cell(&table, "%s", fy_ab_measure_heading(m));
                fy_table_shortest(&table, its->value);
                fy_table_shortest(&table, its->ratio);
                fy_table_shortest(&table, its->low);
                fy_table_shortest(&table, its->high);
                fy_table_cell(&table, "%s", its->told ? "yes" : "no");
            }
    fy_content_table(content, FY_TABLE_BEHIND, name, NULL, &table);
}

/* --------------------------------------------------------------------------- findings */

/* The name of a world without its parameters, unless another begins with the same. */
static int name_length(const fy_lab *lab, int64_t world)
{
    const char *name = fy_lab_word(lab, FY_AB_WORLDS, world);
    size_t length = strcspn(name, ":");
    for (int64_t w = 0; w < fy_lab_count(lab, FY_AB_WORLDS); w++) {
        const char *other = fy_lab_word(lab, FY_AB_WORLDS, w);
        if (w != world && strcspn(other, ":") == length && memcmp(name, other, length) == 0)
            return (int)strlen(name);
    }
    return (int)length;
}

/* "; worst gap ×2.1 on chain, ×0.9 on mixture" where the seeds can tell and it is one percent
 * at least, with three digits; how many. */
static int64_t describe_effects(const fy_lab *lab, const effects *e, int64_t choice, int measure,
                                bool first, fy_writer *sentence)
{
    char number[FY_NUMBER_SIZE];
    int64_t told = 0;
    for (int64_t w = 0; w < e->worlds; w++) {
        const fy_ab_effect *its = effect_at(e, choice, w, measure);
        if (!its->told || fabs(its->ratio - 1) < 0.01)
            continue;
        /* 10^(floor(log10 ratio) - 2): the third digit */
        double unit = fy_pow(10.0, floor(fy_log10(its->ratio)) - 2.0);
        if (told == 0)
            fy_print(sentence, "%s %s", first ? ":" : ";", fy_ab_measure_heading(measure));
        fy_print(sentence, "%s ×%s on %.*s", told ? "," : "",
                 fy_number(rint(its->ratio / unit) * unit, number), name_length(lab, w),
                 fy_lab_word(lab, FY_AB_WORLDS, w));
        told++;
    }
    return told;
}

/* One sentence for each choice, made of nothing but numbers. */
static void find_choice(fy_lab *lab, const effects *e, int64_t choice)
{
    static const int measures[] = {FY_AB_M_worst, FY_AB_M_target, FY_AB_M_certificate,
                                   FY_AB_M_plans};
    fy_writer sentence = {.ctx = lab->ctx};
    int64_t told = 0;
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        told += describe_effects(lab, e, choice, measures[i], told == 0, &sentence);
    fy_write_bytes(&sentence, "", 1);
    lab->findings.failed |= sentence.failed;
    if (!sentence.failed)
        fy_lab_find(lab, "%s, %s%s%s.", fy_ab_choice_names[choice], fy_ab_choice_words[choice],
                    (const char *)sentence.data,
                    told == 0 ? ": no difference of one percent that these seeds can tell" : "");
    free(sentence.data);
}

/* Which choice makes a measure largest, of those that the seeds can tell. */
static void find_largest(fy_lab *lab, const effects *e, int measure)
{
    int64_t choice = 0, world = 0;
    for (int64_t c = 1; c < fy_ab_choices(); c++)
        for (int64_t w = 0; w < e->worlds && fy_ab_choice_applies(lab, c); w++) {
            const fy_ab_effect *its = effect_at(e, c, w, measure);
            if (its->told && its->low > 1 &&
                (choice == 0 || its->ratio > effect_at(e, choice, world, measure)->ratio)) {
                choice = c;
                world = w;
            }
        }
    if (choice == 0)
        return;
    char ratio[FY_NUMBER_SIZE], low[FY_NUMBER_SIZE], high[FY_NUMBER_SIZE];
    const fy_ab_effect *its = effect_at(e, choice, world, measure);
    fy_lab_find(lab, "The largest effect on the %s is that of %s on %s: ×%s [%s, %s].",
                fy_ab_measure_heading(measure), fy_ab_choice_names[choice],
                fy_lab_word(lab, FY_AB_WORLDS, world), fy_number(its->ratio, ratio),
                fy_number(its->low, low), fy_number(its->high, high));
}

static void find_all(fy_lab *lab, const effects *e)
{
    find_largest(lab, e, FY_AB_M_worst);
    find_largest(lab, e, FY_AB_M_certificate);
    find_largest(lab, e, FY_AB_M_target);
    int64_t less = 0;
    for (int64_t c = 0; c < lab->cells; c++) {
        const double *row = fy_rows_at(&lab->rows[c], lab->rows[c].count - 1);
        less += row[FY_AB_C_BOUND] < row[FY_AB_C_HORIZON];
    }
    fy_lab_find(lab,
                "The bound for all rewards at once is below H, hence says something, at the end "
                "of %" PRId64 " of %" PRId64 " runs.",
                less, lab->cells);
    fy_lab_details(lab);
    for (int64_t c = 1; c < fy_ab_choices(); c++)
        if (fy_ab_choice_applies(lab, c))
            find_choice(lab, e, c);
}

/* ------------------------------------------------------------------------- the whole */

static foray_status show_all(fy_lab *lab, const effects *e, fy_content *content)
{
    static const int drawn[] = {FY_AB_M_worst, FY_AB_M_target, FY_AB_M_certificate, FY_AB_M_plans};
    foray_status status = FORAY_OK;
    fy_content_heading(content, "Effects");
    fy_content_paragraph(
        content,
        "Base: the %s settings, plug-in policies. After %" PRId64 " episodes; the target is a "
        "worst gap of %.4g H. Ratios are geometric interquartile means over pairs of runs with the "
        "same seed. Gaps below 0.0001 H count as that; a target that was not reached counts as "
        "twice the episodes. Each interval by itself covers the truth 95 times in 100; among so "
        "many, some miss.",
        fy_lab_word(lab, FY_AB_BASE, 0), fy_lab_whole(lab, FY_AB_EPISODES),
        fy_lab_real(lab, FY_AB_TARGET));
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn && status == FORAY_OK; i++)
        status = draw_effects(lab, e, drawn[i], content);
    show_effects(lab, e, 0, FY_AB_M_STEADY, "effects", content);
    show_summary(lab, e, content);
    fy_content_heading(content, "The choices");
    for (int64_t c = 0; c < fy_ab_choices(); c++)
        if (fy_ab_choice_applies(lab, c))
            fy_content_term(content, fy_ab_choice_names[c], fy_ab_choice_words[c]);

    /* Times stand apart: they differ from one run to the next. */
    fy_content_heading(content, "What it costs to compute");
    fy_content_paragraph(content, "Processor seconds of exploring, without planning for rewards "
                                  "and measuring. Unlike all else on this page these numbers "
                                  "differ from one run to the next.");
    if (status == FORAY_OK)
        status = draw_effects(lab, e, FY_AB_M_seconds, content);
    show_effects(lab, e, FY_AB_M_STEADY, FY_AB_M_COUNT, "cost", content);
    return status;
}

foray_status fy_ab_show(fy_lab *lab, fy_content *content)
{
    effects e = {.worlds = fy_lab_count(lab, FY_AB_WORLDS)};
    foray_status status = FORAY_OK;
    if (!FY_ALLOC(lab->ctx, e.of, fy_ab_choices() * e.worlds * FY_AB_M_COUNT))
        return FORAY_ERROR_MEMORY;
    for (int64_t c = 0; c < fy_ab_choices(); c++)
        for (int64_t w = 0; w < e.worlds && fy_ab_choice_applies(lab, c); w++)
            for (int m = 0; m < FY_AB_M_COUNT && status == FORAY_OK; m++)
                status = fy_ab_effect_of(lab, w, c, m, effect_at(&e, c, w, m));
    if (status == FORAY_OK) {
        find_all(lab, &e);
        status = show_all(lab, &e, content);
    }
    free(e.of);
    return status;
}
