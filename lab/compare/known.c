/* known.c - a comparison where the truth is known: gaps over families of rewards.
 *
 * Of two algorithms, the one with the smaller interquartile mean over seeds is ahead; it has won if
 * its bootstrap interval ends below where the other's begins. Intervals that meet decide nothing,
 * and nor does a single seed. */
#include "compare/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------- plots */

typedef struct plot {
    int measure;
    const char *id, *title, *label;
    fy_axis_kind kind;
    const char *explanation;
} plot;

static const plot plots[] = {
    {FY_M_worst, "worst", "Worst gap over all rewards", "worst gap  E[V* − Vπ]", FY_AXIS_LOG,
     "the largest gap over the goal states, the random dense, sparse and time-dependent rewards, "
     "and the reward that the adversary finds"},
    {FY_M_mean, "mean", "Mean gap over the reward families", "mean gap  E[V* − Vπ]", FY_AXIS_LOG,
     "the mean over all rewards of the four families"},
    {FY_M_given, "given", "Gap for the reward that was given", "gap  E[V* − Vπ]", FY_AXIS_LOG,
     "the reward that algorithms which see it explored for, and that the others did not know: what "
     "not knowing the reward costs"},
    {FY_M_bound, "certificate", "Certificate for all rewards", "certified gap", FY_AXIS_LOG,
     "what the algorithm itself guarantees, for every reward at once; algorithms that guarantee "
     "nothing for all rewards have no line"},
    {FY_M_covered, "covered", "States visited", "states", FY_AXIS_LINEAR,
     "states that were visited at least once"},
    {FY_M_per_episode, "time", "Time per episode", "processor seconds", FY_AXIS_LOG,
     "exploring alone, without measuring, since the previous checkpoint; runs made in parallel "
     "share caches and memory"},
    {FY_M_memory, "memory", "Memory", "bytes", FY_AXIS_LOG,
     "what the explorer must remember from one episode to the next: the bytes "
     "foray_explorer_save writes; the model and working space are not counted"},
};
enum { PLOTS = sizeof plots / sizeof *plots };

static bool is_drawn(const plot *its, const foray_comparison *what)
{
    return its->measure != FY_M_given || what->reward;
}

static foray_status check_figure(foray_context *ctx, const foray_comparison *what)
{
    const char *name = what->figure.name;
    bool found = !name;
    for (int i = 0; i < PLOTS && !found; i++)
        found = strcmp(plots[i].id, name) == 0 && is_drawn(&plots[i], what);
    return found ? FORAY_OK
                 : fy_fail(ctx, FORAY_ERROR_USAGE,
                           "there is no figure '%s'; there are: worst, mean, certificate, covered, "
                           "time, memory%s",
                           name, what->reward ? ", given" : "");
}

/* --------------------------------------------------------------------------- cells */

static foray_status plan_known(fy_lab *lab)
{
    fy_compare *compare = fy_compare_of(lab);
    const foray_comparison *what = compare->what;
    foray_status status = check_figure(lab->ctx, what);
    if (status == FORAY_OK && what->reward)
        status = fy_reward_check(lab->ctx, what->reward, compare->model);
    if (status == FORAY_OK)
        status = fy_compare_plan(lab, 0);
    return status == FORAY_OK
               ? fy_families_create(lab->ctx, compare->model, what->goals, what->rewards,
                                    (uint64_t)what->settings.seed, compare->family)
               : status;
}

static foray_status make_known(foray_context *ctx, fy_lab *lab, int64_t cell, fy_rows *rows)
{
    fy_trial trial;
    foray_status status = fy_compare_trial(ctx, lab, cell, &trial);
    return status == FORAY_OK ? fy_trial_run(ctx, &trial, rows) : status;
}

/* ---------------------------------------------------------------- summaries over seeds */

/* What was not measured is not known; then it was not for any seed. */
static foray_status summarise_seeds(const fy_lab *lab, const double *value, fy_summary *out)
{
    enum { RESAMPLES = 1000 };
    const foray_comparison *what = fy_compare_of(lab)->what;
    if (isnan(value[0])) {
        *out = (fy_summary){NAN, NAN, NAN, NAN};
        return FORAY_OK;
    }
    return fy_summarise(lab->ctx, what->seeds, value, RESAMPLES, 0.95,
                        (uint64_t)what->settings.seed, out);
}

/* One measure of an algorithm at the last checkpoint of each seed. */
static foray_status summarise_last(const fy_lab *lab, int64_t algorithm, int measure,
                                   fy_summary *out)
{
    int64_t seeds = fy_compare_of(lab)->what->seeds;
    double *value;
    if (!FY_ALLOC(lab->ctx, value, seeds))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < seeds; i++) {
        const fy_rows *rows = fy_compare_rows(lab, algorithm, i);
        value[i] = fy_rows_at(rows, rows->count - 1)[measure];
    }
    foray_status status = summarise_seeds(lab, value, out);
    free(value);
    return status;
}

/* Aggregates of everything, for whoever computes with them. */
static foray_status show_summary(fy_lab *lab, fy_content *content)
{
    static const char *const heading[] = {"algorithm", "seeds", "measure", "iqm",
                                          "low",       "high",  "median"};
    const foray_comparison *what = fy_compare_of(lab)->what;
    fy_table table = fy_table_begin(lab->ctx, 7, heading);
    foray_status status = FORAY_OK;
    for (int64_t a = 0; a < what->algorithms; a++)
        for (int m = 0; m < FY_M_COUNT && status == FORAY_OK; m++) {
            fy_summary over = {0};
            status = summarise_last(lab, a, m, &over);
            fy_table_cell(&table, "%s", what->algorithm[a]);
            fy_table_integer(&table, what->seeds);
            fy_table_cell(&table, "%s", fy_trial_columns[m].name);
            fy_table_exact(&table, over.iqm);
            fy_table_exact(&table, over.low);
            fy_table_exact(&table, over.high);
            fy_table_exact(&table, over.median);
        }
    fy_content_table(content, FY_TABLE_OPENED, "summary", NULL, &table);
    return status;
}

/* The most telling of them, for people: in a terminal and on the page. */
static foray_status show_overview(fy_lab *lab, fy_content *content)
{
    static const struct {
        int measure;
        const char *heading;
    } column[] = {
        {FY_M_episode, "episodes"},         {FY_M_worst, "worst gap"}, {FY_M_mean, "mean gap"},
        {FY_M_bound, "certificate"},        {FY_M_covered, "states"},  {FY_M_memory, "bytes"},
        {FY_M_per_episode, "cpu s/episode"}};
    enum { COLUMNS = sizeof column / sizeof *column };
    const foray_comparison *what = fy_compare_of(lab)->what;
    char iqm[FY_NUMBER_SIZE], low[FY_NUMBER_SIZE], high[FY_NUMBER_SIZE];
    const char *heading[1 + COLUMNS] = {"algorithm"};
    for (int c = 0; c < COLUMNS; c++)
        heading[1 + c] = column[c].heading;
    foray_status status = FORAY_OK;
    fy_table table = fy_table_begin(lab->ctx, 1 + COLUMNS, heading);
    for (int64_t a = 0; a < what->algorithms; a++) {
        fy_table_cell(&table, "%s", what->algorithm[a]);
        for (int c = 0; c < COLUMNS && status == FORAY_OK; c++) {
            fy_summary over = {0};
            status = summarise_last(lab, a, column[c].measure, &over);
            if (over.low == over.high)
                fy_table_number(&table, over.iqm);
            else
                fy_table_cell(&table, "%s [%s, %s]", fy_number(over.iqm, iqm),
                              fy_number(over.low, low), fy_number(over.high, high));
        }
    }
    fy_table_print_text(&table, &lab->summary);
    fy_print(&lab->summary,
             "\n%s, at the last checkpoint of each run: the interquartile mean over %" PRId64
             " seed%s\nand in brackets its 95%% bootstrap interval.\n",
             fy_compare_of(lab)->world, what->seeds, what->seeds == 1 ? "" : "s");
    fy_content_heading(content, "Summary");
    fy_content_paragraph(content, "At the last checkpoint of each run: the interquartile mean over "
                                  "seeds and its 95%% bootstrap interval.");
    fy_content_table(content, FY_TABLE_SHOWN, "summary", NULL, &table);
    return status;
}

/* ------------------------------------------------------------------------- verdict */

/* The algorithm with the least mean; the first of several. */
static int64_t find_best(const fy_summary *over, int64_t count)
{
    int64_t best = 0;
    for (int64_t a = 1; a < count; a++)
        if (over[a].iqm < over[best].iqm)
            best = a;
    return best;
}

/* "b", "b and c", "b, c and d": those whose intervals meet that of the best. Returns how many. */
static int64_t list_rivals(const foray_comparison *what, const fy_summary *over, int64_t best,
                           fy_writer *text)
{
    int64_t rivals = 0, shown = 0;
    for (int64_t a = 0; a < what->algorithms; a++)
        rivals += a != best && over[a].low <= over[best].high;
    for (int64_t a = 0; a < what->algorithms && text; a++) {
        if (a == best || over[a].low > over[best].high)
            continue;
        fy_print(text, "%s%s",
                 shown == 0            ? ""
                 : shown == rivals - 1 ? " and "
                                       : ", ",
                 what->algorithm[a]);
        shown++;
    }
    return rivals;
}

static void find_winner(fy_lab *lab, const char *measure, const fy_summary *over)
{
    const fy_compare *compare = fy_compare_of(lab);
    const foray_comparison *what = compare->what;
    int64_t best = find_best(over, what->algorithms);
    fy_writer *text = &lab->findings;
    char number[FY_NUMBER_SIZE];
    if (!(over[best].iqm < (double)compare->model->horizon)) {
        fy_lab_find(lab, "No %s says anything yet: the smallest is the horizon or more.", measure);
        return;
    }
    fy_print(text, "The smallest %s is that of %s, %s", measure, what->algorithm[best],
             fy_number(over[best].iqm, number));
    int64_t rivals = list_rivals(what, over, best, NULL);
    if (what->seeds == 1) {
        fy_print(text, "; with a single seed this may be chance.\n");
    } else if (rivals == 0) {
        fy_print(text, ", and no other algorithm's interval reaches down to its own.\n");
    } else {
        fy_print(text, "; %" PRId64 " seeds do not tell it apart from ", what->seeds);
        list_rivals(what, over, best, text);
        fy_print(text, ".\n");
    }
}

/* A sentence for each measure that matters; nothing with one algorithm. */
static foray_status find_winners(fy_lab *lab)
{
    static const struct {
        int measure;
        const char *words;
    } what_matters[] = {{FY_M_worst, "worst gap"}, {FY_M_bound, "certificate for all rewards"}};
    int64_t algorithms = fy_compare_of(lab)->what->algorithms;
    foray_status status = FORAY_OK;
    fy_summary *over;
    if (algorithms < 2)
        return FORAY_OK;
    if (!FY_ALLOC(lab->ctx, over, algorithms))
        return FORAY_ERROR_MEMORY;
    for (size_t i = 0; i < sizeof what_matters / sizeof *what_matters && status == FORAY_OK; i++) {
        for (int64_t a = 0; a < algorithms && status == FORAY_OK; a++)
            status = summarise_last(lab, a, what_matters[i].measure, &over[a]);
        if (status == FORAY_OK)
            find_winner(lab, what_matters[i].words, over);
    }
    free(over);
    return status;
}

/* -------------------------------------------------------------------------- curves */

static const double *row_at(const fy_rows *rows, double episode)
{
    for (int64_t i = 0; i < rows->count; i++)
        if (fy_rows_at(rows, i)[FY_M_episode] == episode)
            return fy_rows_at(rows, i);
    return NULL;
}

/* One measure of an algorithm over its seeds, at the checkpoints that all of them reached. Release
 * it with free(out->point). */
static foray_status find_curve(const fy_lab *lab, int64_t algorithm, int measure, fy_series *out)
{
    const foray_comparison *what = fy_compare_of(lab)->what;
    fy_series curve = {.name = what->algorithm[algorithm]};
    const fy_rows *first = fy_compare_rows(lab, algorithm, 0);
    foray_status status = FORAY_OK;
    double *value;
    if (!FY_ALLOC(lab->ctx, value, what->seeds))
        return FORAY_ERROR_MEMORY;
    for (int64_t k = 0; k < first->count && status == FORAY_OK; k++) {
        double episode = fy_rows_at(first, k)[FY_M_episode];
        int64_t reached = 0;
        for (int64_t i = 0; i < what->seeds; i++) {
            const double *row = row_at(fy_compare_rows(lab, algorithm, i), episode);
            if (row)
                value[reached++] = row[measure];
        }
        if (reached < what->seeds)
            continue;
        fy_summary over;
        status = summarise_seeds(lab, value, &over);
        if (status == FORAY_OK &&
            !fy_series_add(lab->ctx, &curve,
                           (fy_series_point){episode, over.iqm, over.low, over.high}))
            status = FORAY_ERROR_MEMORY;
    }
    free(value);
    *out = curve;
    return status;
}

/* The numbers behind a plot: for each algorithm the mean and its interval, at the checkpoints of
 * the one whose curve goes furthest. */
static foray_status add_numbers(const fy_lab *lab, const plot *its, const fy_series *curve,
                                fy_content *content)
{
    static const char *const column[] = {"", " low", " high"};
    enum { COLUMNS = sizeof column / sizeof *column };
    int64_t count = fy_compare_of(lab)->what->algorithms;
    const fy_series *longest = &curve[0];
    fy_writer names = {.ctx = lab->ctx};
    const char **heading;
    if (!FY_ALLOC(lab->ctx, heading, 1 + COLUMNS * count))
        return FORAY_ERROR_MEMORY;
    for (int64_t a = 0; a < count; a++) {
        longest = curve[a].count > longest->count ? &curve[a] : longest;
        for (int i = 0; i < COLUMNS; i++)
            fy_print(&names, "%s%s%c", curve[a].name, column[i], 0);
    }
    if (!names.failed && names.data) {
        heading[0] = "episodes";
        for (int64_t i = 1; i <= COLUMNS * count; i++)
            heading[i] = i == 1 ? (const char *)names.data : strchr(heading[i - 1], 0) + 1;
        fy_table table = fy_table_begin(lab->ctx, 1 + COLUMNS * count, heading);
        for (int64_t k = 0; k < longest->count; k++) {
            fy_table_exact(&table, longest->point[k].x);
            for (int64_t a = 0; a < count; a++) {
                fy_series_point point = {NAN, NAN, NAN, NAN};
                for (int64_t i = 0; i < curve[a].count; i++)
                    if (curve[a].point[i].x == longest->point[k].x)
                        point = curve[a].point[i];
                fy_table_exact(&table, point.y);
                fy_table_exact(&table, point.low);
                fy_table_exact(&table, point.high);
            }
        }
        fy_content_table(content, FY_TABLE_BEHIND, its->id, its->title, &table);
    }
    foray_status status = names.failed ? FORAY_ERROR_MEMORY : FORAY_OK;
    free(heading);
    free(names.data);
    return status;
}

static void add_chart(const foray_comparison *what, const plot *its, const fy_series *curve,
                      fy_content *content)
{
    char note[128];
    fy_format(note, sizeof note,
              "interquartile mean over %" PRId64 " seed%s; bands: 95%% bootstrap intervals",
              what->seeds, what->seeds == 1 ? "" : "s");
    fy_content_chart(content,
                     &(fy_chart){.id = its->id,
                                 .title = its->title,
                                 .note = note,
                                 .x = {.label = "episodes", .kind = FY_AXIS_LOG},
                                 .y = {.label = its->label, .kind = its->kind, .from_zero = true}});
    for (int64_t a = 0; a < what->algorithms; a++) {
        fy_content_series(content, curve[a].name);
        for (int64_t i = 0; i < curve[a].count; i++)
            fy_content_point(content, curve[a].point[i]);
    }
}

/* The curves of all algorithms for one measure, as a chart or as the numbers behind it. */
static foray_status show_plot(const fy_lab *lab, const plot *its, bool drawn, fy_content *content)
{
    const foray_comparison *what = fy_compare_of(lab)->what;
    foray_status status = FORAY_OK;
    fy_series *curve;
    if (!FY_ALLOC(lab->ctx, curve, what->algorithms))
        return FORAY_ERROR_MEMORY;
    for (int64_t a = 0; a < what->algorithms && status == FORAY_OK; a++)
        status = find_curve(lab, a, its->measure, &curve[a]);
    if (status == FORAY_OK && drawn)
        add_chart(what, its, curve, content);
    else if (status == FORAY_OK)
        status = add_numbers(lab, its, curve, content);
    for (int64_t a = 0; a < what->algorithms; a++)
        free(curve[a].point);
    free(curve);
    return status;
}

/* All charts side by side, below one legend; what they show; the numbers behind them. */
static foray_status show_plots(const fy_lab *lab, fy_content *content)
{
    const foray_comparison *what = fy_compare_of(lab)->what;
    foray_status status = FORAY_OK;
    fy_content_heading(content, "Over the episodes");
    for (int i = 0; i < PLOTS && status == FORAY_OK; i++)
        if (is_drawn(&plots[i], what))
            status = show_plot(lab, &plots[i], true, content);
    for (int i = 0; i < PLOTS; i++)
        if (is_drawn(&plots[i], what))
            fy_content_term(content, plots[i].title, plots[i].explanation);
    for (int i = 0; i < PLOTS && status == FORAY_OK; i++)
        if (is_drawn(&plots[i], what))
            status = show_plot(lab, &plots[i], false, content);
    return status;
}

/* -------------------------------------------------------------------------- K(eps) */

static const double shares[] = {0.1, 0.03, 0.01, 0.003, 0.001}; /* eps / H */
enum { SHARES = sizeof shares / sizeof *shares };

/* How many checkpoints all seeds share: only the last row of a run may differ from those of the
 * others, where time ended it. */
static int64_t count_common(const fy_lab *lab, int64_t algorithm)
{
    const fy_rows *first = fy_compare_rows(lab, algorithm, 0);
    int64_t common = first->count;
    for (int64_t i = 1; i < fy_compare_of(lab)->what->seeds; i++) {
        const fy_rows *rows = fy_compare_rows(lab, algorithm, i);
        int64_t same = 0;
        while (same < common && same < rows->count &&
               fy_rows_at(rows, same)[FY_M_episode] == fy_rows_at(first, same)[FY_M_episode])
            same++;
        common = same;
    }
    return common;
}

/* K(eps) of one algorithm, for the worst gap or for the certificate. */
static double learning_time(const fy_lab *lab, int64_t algorithm, int measure, double eps)
{
    const foray_comparison *what = fy_compare_of(lab)->what;
    fy_looks looks = {.rows = fy_compare_rows(lab, algorithm, 0),
                      .runs = what->seeds,
                      .count = count_common(lab, algorithm),
                      .episode = FY_M_episode,
                      .gap = measure};
    return fy_learning_time(&looks, eps, what->settings.delta, NULL);
}

/* For people: a row for each algorithm, a column for each eps. */
static void show_matrix(const fy_lab *lab, int measure, const char *words, const char *id,
                        fy_content *content)
{
    const fy_compare *compare = fy_compare_of(lab);
    char room[SHARES][FY_NUMBER_SIZE + 8], number[FY_NUMBER_SIZE];
    const char *heading[1 + SHARES] = {"algorithm"};
    int64_t reached = 0;
    for (int e = 0; e < SHARES; e++) {
        double eps = shares[e] * (double)compare->model->horizon;
        fy_format(room[e], sizeof room[e], "ε = %s", fy_number(eps, number));
        heading[1 + e] = room[e];
    }
    fy_table table = fy_table_begin(lab->ctx, 1 + SHARES, heading);
    for (int64_t a = 0; a < compare->what->algorithms; a++) {
        fy_table_cell(&table, "%s", compare->what->algorithm[a]);
        for (int e = 0; e < SHARES; e++) {
            double eps = shares[e] * (double)compare->model->horizon;
            double time = learning_time(lab, a, measure, eps);
            reached += isfinite(time);
            if (isfinite(time))
                fy_table_number(&table, time);
            else
                fy_table_cell(&table, "not reached");
        }
    }
    fy_content_paragraph(content,
                         reached == 0 ? "No algorithm's %s reached any of these ε."
                                      : "Until the %s is at most ε:",
                         words);
    if (reached > 0)
        fy_content_table(content, FY_TABLE_SHOWN, id, NULL, &table);
    else
        fy_table_free(&table);
}

static void show_learning(const fy_lab *lab, fy_content *content)
{
    static const char *const heading[] = {"algorithm", "eps", "gap", "certificate"};
    const fy_compare *compare = fy_compare_of(lab);
    fy_content_heading(content, "Episodes to learn");
    fy_content_paragraph(content,
                         "K(ε): the first checkpoint from which on a share of %g of the seeds has "
                         "a worst gap, or a certificate, of at most ε.",
                         1.0 - compare->what->settings.delta);
    show_matrix(lab, FY_M_worst, "worst gap", "learning-gap", content);
    show_matrix(lab, FY_M_bound, "certificate", "learning-certificate", content);
    fy_table table = fy_table_begin(lab->ctx, 4, heading);
    for (int64_t a = 0; a < compare->what->algorithms; a++)
        for (int e = 0; e < SHARES; e++) {
            double eps = shares[e] * (double)compare->model->horizon;
            fy_table_cell(&table, "%s", compare->what->algorithm[a]);
            fy_table_exact(&table, eps);
            fy_table_exact(&table, learning_time(lab, a, FY_M_worst, eps));
            fy_table_exact(&table, learning_time(lab, a, FY_M_bound, eps));
        }
    fy_content_table(content, FY_TABLE_OPENED, "learning", NULL, &table);
}

/* ----------------------------------------------------------------------- the whole */

static foray_status show_known(fy_lab *lab, fy_content *content)
{
    foray_status status = find_winners(lab);
    if (status == FORAY_OK)
        status = show_overview(lab, content);
    if (status == FORAY_OK)
        status = show_summary(lab, content);
    show_learning(lab, content);
    return status == FORAY_OK ? show_plots(lab, content) : status;
}

const fy_lab_experiment fy_compare_known = {
    .name = "compare",
    .question =
        "Every algorithm explores the same world with the same seeds, and then plans for the same "
        "rewards: goal states, random dense, sparse and time-dependent ones, and one that an "
        "adversary finds. The gap of a reward is how much less the planned policy earns than the "
        "best one, both evaluated exactly in the true model.",
    .axis = fy_compare_axes,
    .axes = FY_COMPARE_AXES,
    .column = fy_trial_columns,
    .columns = FY_M_ALL,
    .plan = plan_known,
    .cell = make_known,
    .show = show_known,
    .terms = fy_compare_terms,
    .print_command = fy_compare_print_command,
};
