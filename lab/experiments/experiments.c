/* experiments.c - the table of experiments; one of them or all, and the page that links them. */
#include "experiments/experiments.h"
#include "page/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An experiment is one file that defines its row, fy_lab_NAME, and one line here. */
#define EXPERIMENTS(X)                                                                             \
    X(coverage)                                                                                    \
    X(complexity)                                                                                  \
    X(lowerbound)                                                                                  \
    X(theorem)                                                                                     \
    X(ablation)                                                                                    \
    X(sharpness)                                                                                   \
    X(explorers)

#define DECLARE(name) extern const fy_lab_experiment fy_lab_##name;
EXPERIMENTS(DECLARE)
#undef DECLARE

#define ROW(name) &fy_lab_##name,
const fy_lab_experiment *const fy_lab_experiments[] = {EXPERIMENTS(ROW)};
#undef ROW

const int64_t fy_lab_experiments_count = sizeof fy_lab_experiments / sizeof *fy_lab_experiments;

static const fy_lab_experiment *find_experiment(const char *name)
{
    for (int64_t i = 0; i < fy_lab_experiments_count; i++)
        if (strcmp(fy_lab_experiments[i]->name, name) == 0)
            return fy_lab_experiments[i];
    return NULL;
}

bool foray_lab_describe(int64_t index, foray_lab_info *info)
{
    if (index < 0 || index >= fy_lab_experiments_count)
        return false;
    const fy_lab_experiment *experiment = fy_lab_experiments[index];
    *info = (foray_lab_info){.name = experiment->name,
                             .summary = experiment->summary,
                             .question = experiment->question,
                             .description = experiment->description,
                             .example = experiment->example,
                             .parameters = experiment->parameters,
                             .parameter = experiment->parameter};
    return true;
}

/* ------------------------------------------------------------------------- all of them */

enum { MAX_EXPERIMENTS = 16 };

typedef struct all {
    foray_context *ctx;
    fy_folder folder;
    int64_t count, at; /* experiments, and the one at work */
    fy_lab lab[MAX_EXPERIMENTS];
    char *path[MAX_EXPERIMENTS]; /* their directories */
    foray_work_fn progress;
    void *user;
    double started; /* seconds */
} all;

/* ------------------------------------------------------------------------- progress */

/* Those after the one at work count with their weights, which are about seconds. */
static bool pass_progress(void *user, const foray_work_progress *its)
{
    all *a = user;
    foray_work_progress whole = {
        .finished = its->finished, .seconds = fy_clock() - a->started, .remaining = its->remaining};
    double total = 0.0, done = 0.0;
    for (int64_t i = 0; i < a->count; i++) {
        foray_shard shard = a->lab[i].shard;
        int64_t cells = fy_shard_parts(shard, a->lab[i].cells), of = shard.of > 0 ? shard.of : 1;
        whole.parts += cells;
        total += a->lab[i].weight;
        if (i < a->at)
            whole.finished += cells;
        if (i > a->at)
            whole.remaining += a->lab[i].weight / (double)(a->ctx->threads * of);
        done += a->lab[i].weight * (i < a->at ? 1.0 : i == a->at ? its->done : 0.0);
    }
    whole.done = fmin(1.0, done / total);
    return !a->progress || a->progress(a->user, &whole);
}

/* ----------------------------------------------------------------------------- index */

/* What each experiment asks, and what it found. */
static foray_status write_index(const all *a)
{
    fy_writer text = {.ctx = a->ctx};
    fy_page_begin(&text, "Foray lab");
    fy_print(&text,
             "<p class=\"lead\">what the theorems promise, measured; %" PRId64 " experiments; "
             "foray %s</p>\n",
             a->count, foray_version());
    for (int64_t i = 0; i < a->count; i++) {
        const fy_lab *lab = &a->lab[i];
        const char *name = lab->experiment->name;
        fy_print(&text, "<h2><a href=\"%s/index.html\">%s</a></h2>\n<p>", name, name);
        fy_print_escaped(&text, lab->experiment->question);
        fy_print(&text, "</p>\n");
        fy_lab_print_findings(&text, (const char *)lab->findings.data, false);
    }
    fy_page_end(&text);
    return fy_folder_save(&a->folder, "index.html", &text);
}

/* ------------------------------------------------------------------------- the whole */

/* All are planned before the first is made: what is wrong should be said at once. */
static foray_status plan_all(all *a, const fy_lab_experiment *const *experiment, int64_t count,
                             const foray_lab_options *options)
{
    foray_status status = FORAY_OK;
    for (int64_t i = 0; status == FORAY_OK && i < count; i++) {
        a->count++;
        status = fy_lab_create(a->ctx, experiment[i], options, NULL, &a->lab[i]);
        if (status == FORAY_OK &&
            !(a->path[i] = fy_folder_path(a->ctx, &a->folder, experiment[i]->name)))
            status = FORAY_ERROR_MEMORY;
    }
    return status;
}

static foray_status open_folder(const all *a, const foray_lab_options *options)
{
    fy_writer terms = {.ctx = a->ctx};
    fy_print(&terms, "foray lab, version 1\nforay %s\nquick %s\n", foray_version(),
             options->quick ? "yes" : "no");
    for (int64_t i = 0; i < options->settings; i++)
        fy_print(&terms, "%s\n", options->setting[i]);
    fy_write_bytes(&terms, "", 1);
    foray_status status = terms.failed
                              ? FORAY_ERROR_MEMORY
                              : fy_folder_open(a->ctx, &a->folder, (const char *)terms.data);
    free(terms.data);
    return status;
}

foray_status fy_lab_run_all(foray_context *ctx, const fy_lab_experiment *const *experiment,
                            int64_t count, const foray_lab_options *options, const char *directory,
                            foray_work_fn progress, void *user, fy_lab_show_fn show,
                            void *show_user)
{
    all *a;
    if (count > MAX_EXPERIMENTS)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "more than %d experiments", MAX_EXPERIMENTS);
    if (!FY_ALLOC(ctx, a, 1))
        return FORAY_ERROR_MEMORY;
    *a = (all){.ctx = ctx,
               .folder = {directory, "lab", "."},
               .progress = progress,
               .user = user,
               .started = fy_clock()};
    foray_status status = plan_all(a, experiment, count, options);
    if (status == FORAY_OK)
        status = open_folder(a, options);
    for (; a->at < a->count && status == FORAY_OK; a->at++)
        status = fy_lab_make(&a->lab[a->at], a->path[a->at], pass_progress, a);
    if (status == FORAY_OK && fy_shard_is_whole(options->shard))
        status = write_index(a);
    for (int64_t i = 0; show && i < a->count; i++)
        if (status == FORAY_OK && fy_shard_is_whole(options->shard))
            show(show_user, &a->lab[i]);
    for (int64_t i = 0; i < a->count; i++) {
        fy_lab_release(&a->lab[i]);
        free(a->path[i]);
    }
    free(a);
    return status;
}

foray_status fy_lab_run(foray_context *ctx, const char *experiment,
                        const foray_lab_options *options, const char *directory,
                        foray_work_fn progress, void *user, fy_lab_show_fn show, void *show_user)
{
    fy_lab lab;
    const fy_lab_experiment *its = find_experiment(experiment);
    if (strcmp(experiment, "all") == 0)
        return fy_lab_run_all(ctx, fy_lab_experiments, fy_lab_experiments_count, options, directory,
                              progress, user, show, show_user);
    if (!its)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "there is no experiment \"%s\"", experiment);
    foray_status status = fy_lab_create(ctx, its, options, NULL, &lab);
    if (status == FORAY_OK)
        status = fy_lab_make(&lab, directory, progress, user);
    if (status == FORAY_OK && show && fy_shard_is_whole(options->shard))
        show(show_user, &lab);
    fy_lab_release(&lab);
    return status;
}

foray_status foray_lab_run(foray_context *ctx, const char *experiment,
                           const foray_lab_options *options, const char *directory,
                           foray_work_fn progress, void *user)
{
    return fy_lab_run(ctx, experiment, options, directory, progress, user, NULL, NULL);
}
