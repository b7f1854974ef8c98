/* ablation.c - what each choice costs or gains.
 *
 *   for each world, choice and seed
 *     run UCRL-RFE with the base settings and this one choice changed
 *     after 16, 32, 64, ... episodes and at the end: gaps of the policies planned for
 *     goals and random rewards, their certificates, the bound for all rewards
 *
 * Runs with the same world and seed meet the same random numbers, so that choices can be
 * compared pair by pair. */
#include "work/lab.h"
#include "base/maths.h"
#include "measure/measure.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORLDS, BASE, EPISODES, TARGET, GOALS, REWARDS, SEEDS, SEED, PARAMETERS };

enum {
    C_WORLD,
    C_CHOICE,
    C_SEED,
    C_HORIZON,
    C_EPISODES,
    C_WORST,
    C_MEAN,
    C_CERTIFICATE,
    C_BOUND,
    C_PLANS,
    C_SECONDS,
    COLUMNS
};

/* What a cell's `at` holds: indices of a world, of a choice and of a seed. */
enum { AT_WORLD, AT_CHOICE, AT_SEED };

static const foray_lab_parameter parameters[] = {
    [WORLDS] = FY_LAB_WORLDS("worlds", "chain rooms:rows=2,cols=2 mixture riverswim",
                             "chain rooms mixture inventory queue", "the worlds"),
    [BASE] = FY_LAB_CHOICE("base", "default", "default", "default|literal",
                           "the worlds in which one choice at a time is changed"),
    [EPISODES] = FY_LAB_INTEGER("episodes", "2048", "4096", 1, 1e9, "episodes of every run"),
    [TARGET] = FY_LAB_REAL("target", "0.01", "0.01", 1e-9, 1,
                           "the worst gap to be reached, as a share of H"),
    [GOALS] =
        FY_LAB_INTEGER("goals", "48", "128", 1, 1e6, "largest number of goal states to plan for"),
    [REWARDS] = FY_LAB_INTEGER("rewards", "8", "16", 1, 1e6,
                               "random rewards of each kind: dense, sparse, timed"),
    [SEEDS] = FY_LAB_SEEDS("10", "10"),
    [SEED] = FY_LAB_SEED,
};

enum { IN_DEFAULT = 1, IN_LITERAL = 2, IN_BOTH = 3 };

/* X(name, setting, value, the bases that it changes, words). "mode" is not a setting, but a
 * way to plan. Radii other than sharp are defined without centring and blocks, and sharp
 * without these is selfnormalised. The 1-norm surrogate takes 2^d steps: too many without
 * blocks. */
#define CHOICES(X)                                                                                 \
    X("base", NULL, NULL, IN_BOTH, "nothing is changed")                                           \
    X("clip=horizon", "clip", "horizon", IN_DEFAULT, "values are clipped at H, as printed")        \
    X("clip=remaining", "clip", "remaining", IN_LITERAL, "values are clipped at what remains")     \
    X("ties=lowest", "ties", "lowest", IN_BOTH, "equal actions: the one of lowest index")          \
    X("inner=l1", "inner", "l1", IN_DEFAULT, "inner maximisation by the 1-norm surrogate")         \
    X("inner=ascent", "inner", "ascent", IN_BOTH, "inner maximisation by ascent")                  \
    X("radius=selfnormalised", "radius", "selfnormalised", IN_BOTH,                                \
      "the self-normalised radius, without centring and blocks")                                   \
    X("radius=theorem", "radius", "theorem", IN_DEFAULT,                                           \
      "the theorem's radius, without centring and blocks")                                         \
    X("centring=off", "centring", "off", IN_DEFAULT, "forget that probabilities sum to one")       \
    X("blocks=off", "blocks", "off", IN_DEFAULT, "one confidence set for all blocks together")     \
    X("replan=every", "replan", "every", IN_DEFAULT, "a new plan in every episode")                \
    X("replan=doubling", "replan", "doubling", IN_LITERAL,                                         \
      "a new plan when a determinant doubles")                                                     \
    X("growth=0.1", "replan_growth", "0.1", IN_DEFAULT,                                            \
      "a new plan when a determinant has grown by a tenth")                                        \
    X("growth=10", "replan_growth", "10", IN_DEFAULT,                                              \
      "a new plan when a determinant has grown elevenfold")                                        \
    X("mode=optimistic", "mode", "optimistic", IN_BOTH, "policies planned with bonuses")           \
    X("mode=pessimistic", "mode", "pessimistic", IN_BOTH,                                          \
      "policies planned with bonuses taken off")                                                   \
    X("literal", NULL, NULL, IN_DEFAULT, "the paper to the letter: all of it at once")

#define NAME(name, setting, value, in, words) name,
#define WORDS(name, setting, value, in, words) words,
#define ROW(name, setting, value, in, words) {setting, value, in},
static const char *const choice_names[] = {CHOICES(NAME)};
static const char *const choice_words[] = {CHOICES(WORDS)};
static const struct choice {
    const char *setting, *value; /* NULL: none */
    int in;
} choices[] = {CHOICES(ROW)};
#undef NAME
#undef WORDS
#undef ROW
enum { COUNT = sizeof choices / sizeof *choices, LITERAL = COUNT - 1 };

static const fy_lab_column row_columns[] = {
    [C_WORLD] = {.name = "world", .help = "the world", .words = 1 + WORLDS},
    [C_CHOICE] = {.name = "choice", .help = "what was changed", .word = choice_names},
    [C_SEED] = {.name = "seed", .help = "of the run"},
    [C_HORIZON] = {.name = "horizon", .help = "of the world"},
    [C_EPISODES] = {.name = "episodes", .help = "explored so far"},
    [C_WORST] = {.name = "worst", .help = "largest gap over all rewards"},
    [C_MEAN] = {.name = "mean", .help = "mean gap over all rewards"},
    [C_CERTIFICATE] = {.name = "certificate",
                       .help = "mean certificate of the policies planned for the rewards"},
    [C_BOUND] = {.name = "bound", .help = "certificate for all rewards at once"},
    [C_PLANS] = {.name = "plans", .help = "plans made while exploring"},
    [C_SECONDS] = {.name = "seconds", .help = "processor seconds of exploring", .time = true},
};

/* -------------------------------------------------------------------------- choices */

static bool base_is_literal(const fy_lab *lab)
{
    return strcmp(fy_lab_word(lab, BASE, 0), "literal") == 0;
}

/* Does the choice differ from the base that is asked for? True of number 0, which changes nothing.
 */
static bool choice_applies(const fy_lab *lab, int64_t choice)
{
    return (choices[choice].in & (base_is_literal(lab) ? IN_LITERAL : IN_DEFAULT)) != 0;
}

static bool is(const char *text, const char *word)
{
    return text && strcmp(text, word) == 0;
}

/* About how much longer it takes than most. */
static double choice_weight(const fy_lab *lab, int64_t choice)
{
    bool literal = base_is_literal(lab) || choice == LITERAL;
    bool every = is(choices[choice].value, "every"),
         doubling = is(choices[choice].value, "doubling");
    return every || (literal && !doubling) ? 10 : 1;
}

/* How policies are planned: FORAY_PLUGIN, unless that is the choice. */
static int choice_mode(int64_t choice)
{
    if (!is(choices[choice].setting, "mode"))
        return FORAY_PLUGIN;
    int mode = 0;
    while (strcmp(foray_mode_name(mode), choices[choice].value) != 0)
        mode++;
    return mode;
}

/* The settings of a run with the i-th seed. */
static foray_status settings_of(foray_context *ctx, const fy_lab *lab, int64_t choice, int64_t i,
                                foray_settings *out)
{
    const char *setting = choices[choice].setting;
    foray_settings_default(out);
    out->episodes = fy_lab_integer(lab, EPISODES);
    out->seed = fy_lab_integer(lab, SEED) + i;
    if (base_is_literal(lab) || choice == LITERAL)
        foray_settings_literal(out);
    if (!setting || is(setting, "mode"))
        return FORAY_OK;
    return foray_settings_set(ctx, out, setting, choices[choice].value);
}

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
    fy_family *family[FY_FAMILIES];
    double certificates; /* of all policies planned at this checkpoint, added up */
    double seconds;      /* of exploring */
    fy_rows *rows;
} ablation_run;

/* Goals, and as many rewards of each random kind, the same in all runs of a world. */
static foray_status open_ablation(ablation_run *r)
{
    const int64_t *at = r->lab->cell[r->cell].at;
    foray_status status = settings_of(r->ctx, r->lab, at[AT_CHOICE], at[AT_SEED], &r->settings);
    if (status == FORAY_OK)
        status = foray_model_builtin(r->ctx, fy_lab_word(r->lab, WORLDS, at[AT_WORLD]), &r->model);
    if (status == FORAY_OK)
        status = foray_world_from_model(r->ctx, r->model, &r->world);
    if (status == FORAY_OK)
        status = foray_explorer_create(r->ctx, r->model, &r->settings, &r->explorer);
    if (status == FORAY_OK) /* what settings change is the algorithm's own radius */
        status = foray_explorer_certify_by(r->explorer, r->settings.radius);
    if (status == FORAY_OK)
        status = fy_truth_create(r->ctx, r->model, &r->truth);
    if (status == FORAY_OK)
        status = fy_families_create(r->ctx, r->model, fy_lab_integer(r->lab, GOALS),
                                    fy_lab_integer(r->lab, REWARDS),
                                    (uint64_t)fy_lab_integer(r->lab, SEED), r->family);
    return status;
}

/* A planner that adds up the certificates of what it plans. */
static foray_status plan_and_add(void *user, int64_t count, const foray_reward *const *rewards,
                                 foray_policy **policies)
{
    ablation_run *r = user;
    int mode = choice_mode(r->lab->cell[r->cell].at[AT_CHOICE]);
    foray_status status = foray_explorer_plan(r->explorer, count, rewards, mode, policies);
    for (int64_t i = 0; i < count && status == FORAY_OK; i++)
        r->certificates += policies[i]->certificate.gap;
    return status;
}

static foray_status add_checkpoint(ablation_run *r, int64_t episodes)
{
    const int64_t *at = r->lab->cell[r->cell].at;
    double row[COLUMNS] = {[C_WORLD] = (double)at[AT_WORLD],
                           [C_CHOICE] = (double)at[AT_CHOICE],
                           [C_SEED] = (double)r->settings.seed,
                           [C_HORIZON] = (double)foray_model_horizon(r->model),
                           [C_EPISODES] = (double)episodes};
    /* Gaps and certificates over all rewards. */
    double count = 0, sum = 0;
    foray_status status = FORAY_OK;
    r->certificates = 0;
    for (int f = 0; f < FY_FAMILIES && status == FORAY_OK; f++) {
        fy_gaps gaps = {0};
        double size = (double)r->family[f]->count;
        status = fy_measure(r->ctx, r->truth, r->family[f], plan_and_add, r, NULL, &gaps);
        row[C_WORST] = fmax(row[C_WORST], gaps.worst);
        sum += gaps.mean * size;
        count += size;
    }
    row[C_MEAN] = sum / count;
    row[C_CERTIFICATE] = r->certificates / count;
    /* What the explorer says about itself. */
    foray_certificate bound;
    foray_explorer_facts facts;
    if (status == FORAY_OK)
        status = foray_explorer_bound(r->explorer, FORAY_KIND_PAIR, &bound);
    if (status == FORAY_OK)
        status = foray_explorer_describe(r->explorer, &facts);
    if (status != FORAY_OK)
        return status;
    row[C_BOUND] = bound.gap;
    row[C_PLANS] = (double)facts.plans;
    row[C_SECONDS] = r->seconds;
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
    int64_t last = fy_lab_integer(lab, EPISODES);
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

/* -------------------------------------------------------------------------- effects */

/* What a choice changes, paired by seed:
 *
 *   for each seed s:  x_s = log( measure with the choice / measure without )
 *   ratio = exp( interquartile mean of x_s ), with the bootstrap interval of the latter
 *
 * So that ratios are finite: gaps below 0.0001 H count as that, and a target that was not
 * reached counts as reached after twice the episodes, the least that it can have taken. */

/* What is compared: X(name, heading, words). */
#define MEASURES(X)                                                                                \
    X(worst, "worst gap", "largest gap over all rewards")                                          \
    X(mean, "mean gap", "mean gap over all rewards")                                               \
    X(certificate, "certificate", "mean certificate of the planned policies")                      \
    X(bound, "bound", "certificate for all rewards at once")                                       \
    X(target, "episodes to target", "episodes until the worst gap stays below the target")         \
    X(plans, "plans", "plans made while exploring")                                                \
    X(seconds, "seconds", "processor seconds of exploring")
#define MEASURE_NAME(name, heading, words) M_##name,
enum { MEASURES(MEASURE_NAME) M_COUNT };
#undef MEASURE_NAME
/* All but the last come out the same every time. */
enum { M_STEADY = M_seconds };

/* A choice in a world over all seeds: the interquartile mean, and the ratio to the base,
 * whose logarithm is summarised over pairs of runs with the same seed. */
typedef struct choice_effect {
    double value;
    double ratio, low, high;
    bool told; /* the ratio's interval is all on one side of 1, and made of seeds enough */
} choice_effect;

#define MEASURE_HEADING(name, heading, words) heading,
#define MEASURE_WORDS(name, heading, words) words,
static const char *const headings[] = {MEASURES(MEASURE_HEADING)};
static const char *const words_of[] = {MEASURES(MEASURE_WORDS)};
#undef MEASURE_HEADING
#undef MEASURE_WORDS

static const fy_rows *rows_of(const fy_lab *lab, int64_t world, int64_t choice, int64_t seed)
{
    for (int64_t c = 0; c < lab->cells; c++) {
        const int64_t *at = lab->cell[c].at;
        if (at[AT_WORLD] == world && at[AT_CHOICE] == choice && at[AT_SEED] == seed)
            return &lab->rows[c];
    }
    return NULL;
}

/* The first checkpoint from which on the worst gap is at most the target. */
static double episodes_to_target(const fy_lab *lab, const fy_rows *rows)
{
    int64_t first = rows->count;
    double target = fy_lab_real(lab, TARGET) * fy_rows_at(rows, 0)[C_HORIZON];
    while (first > 0 && fy_rows_at(rows, first - 1)[C_WORST] <= target)
        first--;
    return first < rows->count ? fy_rows_at(rows, first)[C_EPISODES]
                               : 2 * fy_rows_at(rows, rows->count - 1)[C_EPISODES];
}

static double value_of(const fy_lab *lab, const fy_rows *rows, int measure)
{
    static const int column[] = {
        [M_worst] = C_WORST, [M_mean] = C_MEAN,   [M_certificate] = C_CERTIFICATE,
        [M_bound] = C_BOUND, [M_plans] = C_PLANS, [M_seconds] = C_SECONDS};
    if (measure == M_target)
        return episodes_to_target(lab, rows);
    return fy_rows_at(rows, rows->count - 1)[column[measure]];
}

/* The least that a number counts as in a ratio. */
static double floor_of(const fy_rows *rows, int measure)
{
    bool gap = measure == M_worst || measure == M_mean;
    return gap ? 1e-4 * fy_rows_at(rows, 0)[C_HORIZON] : 1e-9;
}

static void pair_up(const fy_lab *lab, int64_t world, int64_t choice, int measure, double *value,
                    double *log_ratio)
{
    for (int64_t s = 0; s < fy_lab_integer(lab, SEEDS); s++) {
        const fy_rows *rows = rows_of(lab, world, choice, s), *base = rows_of(lab, world, 0, s);
        double min = floor_of(base, measure);
        value[s] = value_of(lab, rows, measure);
        log_ratio[s] = fy_log(fmax(value[s], min) / fmax(value_of(lab, base, measure), min));
    }
}

/* Resampling fewer than this shows nothing of what other seeds would do. */
enum { MIN_SEEDS = 5 };

static foray_status summarise(const fy_lab *lab, const double *value, fy_summary *out)
{
    enum { RESAMPLES = 2000 };
    return fy_summarise(lab->ctx, fy_lab_integer(lab, SEEDS), value, RESAMPLES, 0.95,
                        (uint64_t)fy_lab_integer(lab, SEED), out);
}

static foray_status effect_of(const fy_lab *lab, int64_t world, int64_t choice, int measure,
                              choice_effect *out)
{
    double *value = NULL, *log_ratio = NULL;
    int64_t seeds = fy_lab_integer(lab, SEEDS);
    foray_status status = FORAY_ERROR_MEMORY;
    fy_summary of_value, of_ratio;
    if (FY_ALLOC(lab->ctx, value, seeds) && FY_ALLOC(lab->ctx, log_ratio, seeds)) {
        pair_up(lab, world, choice, measure, value, log_ratio);
        status = summarise(lab, value, &of_value);
        if (status == FORAY_OK)
            status = summarise(lab, log_ratio, &of_ratio);
    }
    if (status == FORAY_OK)
        *out = (choice_effect){.value = of_value.iqm,
                               .ratio = fy_exp(of_ratio.iqm),
                               .low = fy_exp(of_ratio.low),
                               .high = fy_exp(of_ratio.high),
                               .told = seeds >= MIN_SEEDS && of_ratio.low * of_ratio.high > 0};
    free(value);
    free(log_ratio);
    return status;
}

/* -------------------------------------------------------------------------- results */

/* All effects: [choices][worlds][measures], those of choices that do not apply unused. */
typedef struct effects {
    int64_t worlds;
    choice_effect *of;
} effects;

static choice_effect *effect_at(const effects *e, int64_t choice, int64_t world, int measure)
{
    return &e->of[(choice * e->worlds + world) * M_COUNT + measure];
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
    fy_format(title, sizeof title, "The effect on: %s", words_of[measure]);
    fy_format(note, sizeof note, "ratio to the base, %" PRId64 " seeds in pairs; 95%% intervals",
              fy_lab_integer(lab, SEEDS));
    fy_content_forest(
        content, &(fy_forest){.id = id,
                              .title = title,
                              .note = note,
                              .x = {.label = "smaller  ←  ratio  →  larger", .kind = FY_AXIS_LOG},
                              .none = 1,
                              .groups = e->worlds,
                              .group = (const char *const *)lab->value[WORLDS].word});
    for (int64_t c = 1; c < COUNT; c++) {
        if (!choice_applies(lab, c))
            continue;
        for (int64_t w = 0; w < e->worlds; w++) {
            const choice_effect *its = effect_at(e, c, w, measure);
            effect[w] = (fy_effect){its->ratio, its->low, its->high};
        }
        fy_content_effects(content, choice_names[c], effect);
    }
    free(effect);
    return FORAY_OK;
}

/* One row for each world and choice: the measures, and their ratios to the base. */
static void show_summary(const fy_lab *lab, const effects *e, fy_content *content)
{
    static const int shown[] = {M_worst, M_mean, M_certificate, M_bound, M_target, M_plans};
    enum { SHOWN = sizeof shown / sizeof *shown };
    static const char *const heading[2 + 2 * SHOWN] = {
        "world",    "choice",      "worst gap",          "worst ratio",
        "mean gap", "mean ratio",  "certificate",        "certificate ratio",
        "bound",    "bound ratio", "episodes to target", "episodes ratio",
        "plans",    "plans ratio"};
    fy_table table = fy_table_begin(lab->ctx, 2 + 2 * SHOWN, heading);
    for (int64_t w = 0; w < e->worlds; w++)
        for (int64_t c = 0; c < COUNT; c++) {
            if (!choice_applies(lab, c))
                continue;
            fy_table_cell(&table, "%s", fy_lab_word(lab, WORLDS, w));
            fy_table_cell(&table, "%s", choice_names[c]);
            for (int i = 0; i < SHOWN; i++) {
                fy_table_exact(&table, effect_at(e, c, w, shown[i])->value);
                fy_table_exact(&table, effect_at(e, c, w, shown[i])->ratio);
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
        for (int64_t c = 0; c < COUNT; c++)
            for (int m = from; m < to && choice_applies(lab, c); m++) {
                const choice_effect *its = effect_at(e, c, w, m);
                fy_table_cell(&table, "%s", fy_lab_word(lab, WORLDS, w));
                fy_table_cell(&table, "%s", choice_names[c]);
                fy_table_cell(&table, "%s", headings[m]);
                fy_table_exact(&table, its->value);
                fy_table_exact(&table, its->ratio);
                fy_table_exact(&table, its->low);
                fy_table_exact(&table, its->high);
                fy_table_cell(&table, "%s", its->told ? "yes" : "no");
            }
    fy_content_table(content, FY_TABLE_BEHIND, name, NULL, &table);
}

/* --------------------------------------------------------------------------- findings */

/* The name of a world without its parameters, unless another begins with the same. */
static int name_length(const fy_lab *lab, int64_t world)
{
    const char *name = fy_lab_word(lab, WORLDS, world);
    size_t length = strcspn(name, ":");
    for (int64_t w = 0; w < fy_lab_count(lab, WORLDS); w++) {
        const char *other = fy_lab_word(lab, WORLDS, w);
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
        const choice_effect *its = effect_at(e, choice, w, measure);
        if (!its->told || fabs(its->ratio - 1) < 0.01)
            continue;
        /* 10^(floor(log10 ratio) - 2): the third digit */
        double unit = fy_pow(10.0, floor(fy_log10(its->ratio)) - 2.0);
        if (told == 0)
            fy_print(sentence, "%s %s", first ? ":" : ";", headings[measure]);
        fy_print(sentence, "%s ×%s on %.*s", told ? "," : "",
                 fy_number(rint(its->ratio / unit) * unit, number), name_length(lab, w),
                 fy_lab_word(lab, WORLDS, w));
        told++;
    }
    return told;
}

/* One sentence for each choice, made of nothing but numbers. */
static void find_choice(fy_lab *lab, const effects *e, int64_t choice)
{
    static const int measures[] = {M_worst, M_target, M_certificate, M_plans};
    fy_writer sentence = {.ctx = lab->ctx};
    int64_t told = 0;
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        told += describe_effects(lab, e, choice, measures[i], told == 0, &sentence);
    fy_write_bytes(&sentence, "", 1);
    lab->findings.failed |= sentence.failed;
    if (!sentence.failed)
        fy_lab_find(lab, "%s, %s%s%s.", choice_names[choice], choice_words[choice],
                    (const char *)sentence.data,
                    told == 0 ? ": no difference of one percent that these seeds can tell" : "");
    free(sentence.data);
}

/* Which choice makes a measure largest, of those that the seeds can tell. */
static void find_largest(fy_lab *lab, const effects *e, int measure)
{
    int64_t choice = 0, world = 0;
    for (int64_t c = 1; c < COUNT; c++)
        for (int64_t w = 0; w < e->worlds && choice_applies(lab, c); w++) {
            const choice_effect *its = effect_at(e, c, w, measure);
            if (its->told && its->low > 1 &&
                (choice == 0 || its->ratio > effect_at(e, choice, world, measure)->ratio)) {
                choice = c;
                world = w;
            }
        }
    if (choice == 0)
        return;
    char ratio[FY_NUMBER_SIZE], low[FY_NUMBER_SIZE], high[FY_NUMBER_SIZE];
    const choice_effect *its = effect_at(e, choice, world, measure);
    fy_lab_find(lab, "The largest effect on the %s is that of %s on %s: ×%s [%s, %s].",
                headings[measure], choice_names[choice], fy_lab_word(lab, WORLDS, world),
                fy_number(its->ratio, ratio), fy_number(its->low, low), fy_number(its->high, high));
}

static void find_all(fy_lab *lab, const effects *e)
{
    find_largest(lab, e, M_worst);
    find_largest(lab, e, M_certificate);
    find_largest(lab, e, M_target);
    int64_t less = 0;
    for (int64_t c = 0; c < lab->cells; c++) {
        const double *row = fy_rows_at(&lab->rows[c], lab->rows[c].count - 1);
        less += row[C_BOUND] < row[C_HORIZON];
    }
    fy_lab_find(lab,
                "The bound for all rewards at once is below H, hence says something, at the end "
                "of %" PRId64 " of %" PRId64 " runs.",
                less, lab->cells);
    fy_lab_details(lab);
    for (int64_t c = 1; c < COUNT; c++)
        if (choice_applies(lab, c))
            find_choice(lab, e, c);
}

/* ------------------------------------------------------------------------- the whole */

static foray_status show_all(fy_lab *lab, const effects *e, fy_content *content)
{
    static const int drawn[] = {M_worst, M_target, M_certificate, M_plans};
    foray_status status = FORAY_OK;
    fy_content_heading(content, "Effects");
    fy_content_paragraph(
        content,
        "Base: the %s settings, plug-in policies. After %" PRId64 " episodes; the target is a "
        "worst gap of %.4g H. Ratios are geometric interquartile means over pairs of runs with the "
        "same seed. Gaps below 0.0001 H count as that; a target that was not reached counts as "
        "twice the episodes. Each interval by itself covers the truth 95 times in 100; among so "
        "many, some miss.",
        fy_lab_word(lab, BASE, 0), fy_lab_integer(lab, EPISODES), fy_lab_real(lab, TARGET));
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn && status == FORAY_OK; i++)
        status = draw_effects(lab, e, drawn[i], content);
    show_effects(lab, e, 0, M_STEADY, "effects", content);
    show_summary(lab, e, content);
    fy_content_heading(content, "The choices");
    for (int64_t c = 0; c < COUNT; c++)
        if (choice_applies(lab, c))
            fy_content_term(content, choice_names[c], choice_words[c]);

    /* Times stand apart: they differ from one run to the next. */
    fy_content_heading(content, "What it costs to compute");
    fy_content_paragraph(content, "Processor seconds of exploring, without planning for rewards "
                                  "and measuring. Unlike all else on this page these numbers "
                                  "differ from one run to the next.");
    if (status == FORAY_OK)
        status = draw_effects(lab, e, M_seconds, content);
    show_effects(lab, e, M_STEADY, M_COUNT, "cost", content);
    return status;
}

static foray_status show_ablation(fy_lab *lab, fy_content *content)
{
    effects e = {.worlds = fy_lab_count(lab, WORLDS)};
    foray_status status = FORAY_OK;
    if (!FY_ALLOC(lab->ctx, e.of, COUNT * e.worlds * M_COUNT))
        return FORAY_ERROR_MEMORY;
    for (int64_t c = 0; c < COUNT; c++)
        for (int64_t w = 0; w < e.worlds && choice_applies(lab, c); w++)
            for (int m = 0; m < M_COUNT && status == FORAY_OK; m++)
                status = effect_of(lab, w, c, m, effect_at(&e, c, w, m));
    if (status == FORAY_OK) {
        find_all(lab, &e);
        status = show_all(lab, &e, content);
    }
    free(e.of);
    return status;
}

/* ------------------------------------------------------------------------------- cells */

static foray_status plan_ablation(fy_lab *lab)
{
    foray_status status = FORAY_OK;
    for (int64_t w = 0; w < fy_lab_count(lab, WORLDS) && status == FORAY_OK; w++) {
        /* Worlds that cannot be should say so before anything is measured. */
        foray_model *model;
        status = foray_model_builtin(lab->ctx, fy_lab_word(lab, WORLDS, w), &model);
        if (status != FORAY_OK)
            return status;
        foray_model_destroy(model);
        for (int64_t c = 0; c < COUNT; c++)
            for (int64_t s = 0; s < fy_lab_integer(lab, SEEDS) && status == FORAY_OK; s++) {
                const int64_t at[FY_LAB_AXES] = {w, c, s};
                if (choice_applies(lab, c))
                    status =
                        fy_lab_add_cell(lab, choice_weight(lab, c), at,
                                        "world-%" PRId64 "-%s-%" PRId64, w, choice_names[c], s);
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
    .parameters = PARAMETERS,
    .column = row_columns,
    .columns = COLUMNS,
    .plan = plan_ablation,
    .cell = make_ablation_cell,
    .show = show_ablation,
};
