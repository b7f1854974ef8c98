/* lab.c - the table of experiments, and the whole of one. */
#include "experiments/lab.h"

#include <stdarg.h>
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

const fy_lab_experiment *fy_lab_experiment_named(const char *name)
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

/* ---------------------------------------------------------------------- parameters */

/* "name=value"; '-' in the name is '_'. */
static foray_status set_given(fy_lab *lab, const char *assignment)
{
    size_t length = strcspn(assignment, "=");
    if (!assignment[length])
        return fy_fail(lab->ctx, FORAY_ERROR_USAGE, "%s: \"%s\" should read name=value",
                       lab->experiment->name, assignment);
    for (int64_t i = 0; i < lab->experiment->parameters; i++) {
        const char *name = lab->experiment->parameter[i].is.name;
        if (strlen(name) == length && memcmp(name, assignment, length) == 0)
            return fy_lab_set(lab, i, assignment + length + 1);
    }
    return fy_fail(lab->ctx, FORAY_ERROR_USAGE, "%s has no parameter \"%.*s\"",
                   lab->experiment->name, (int)length, assignment);
}

/* The defaults, then what was given. */
static foray_status read_parameters(fy_lab *lab, const foray_lab_options *options)
{
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < lab->experiment->parameters && status == FORAY_OK; i++) {
        const foray_lab_parameter *parameter = &lab->experiment->parameter[i];
        status = fy_lab_set(lab, i, options->quick ? parameter->quick : parameter->is.fallback);
    }
    for (int64_t i = 0; i < options->settings && status == FORAY_OK; i++)
        status = set_given(lab, options->setting[i]);
    return status;
}

/* ---------------------------------------------------------------------------- cells */

foray_status fy_lab_add_cell(fy_lab *lab, double weight, const int64_t at[FY_LAB_AXES],
                             const char *name, ...)
{
    fy_lab_cell *cell = fy_grow(lab->ctx, lab->cell, &lab->room, lab->cells + 1, sizeof *cell);
    if (!cell)
        return FORAY_ERROR_MEMORY;
    lab->cell = cell;
    cell += lab->cells++;
    va_list values;
    cell->weight = weight;
    memcpy(cell->at, at, sizeof cell->at);
    va_start(values, name);
    fy_vformat(cell->name, sizeof cell->name, name, values);
    va_end(values);
    return FORAY_OK;
}

static void name_cell(const void *user, int64_t cell, char out[FY_PART_NAME])
{
    const fy_lab *lab = user;
    fy_format(out, FY_PART_NAME, "%s", lab->cell[cell].name);
}

static foray_status find_cell(foray_context *ctx, void *user, int64_t cell, bool *found)
{
    fy_lab *lab = user;
    return fy_rows_read(ctx, &lab->folder, lab->cell[cell].name, lab->heading, found,
                        &lab->rows[cell]);
}

static foray_status make_cell(foray_context *ctx, void *user, int64_t cell)
{
    fy_lab *lab = user;
    fy_rows *rows = &lab->rows[cell];
    foray_status status = lab->experiment->cell(ctx, lab, cell, rows);
    return status == FORAY_OK
               ? fy_rows_write(ctx, &lab->folder, lab->cell[cell].name, lab->heading, rows)
               : status;
}

/* ------------------------------------------------------------------------ the whole */

/* The terms are everything that rows depend on. */
static foray_status open_folder(fy_lab *lab)
{
    fy_writer terms = {.ctx = lab->ctx};
    const fy_lab_experiment *experiment = lab->experiment;
    fy_print(&terms, "foray lab, version 1\nforay %s\nexperiment %s\n", foray_version(),
             experiment->name);
    for (int64_t i = 0; i < experiment->parameters; i++)
        fy_print(&terms, "%s %s\n", experiment->parameter[i].is.name, lab->value[i].text);
    fy_write_bytes(&terms, "", 1);
    foray_status status = terms.failed
                              ? FORAY_ERROR_MEMORY
                              : fy_folder_open(lab->ctx, &lab->folder, (const char *)terms.data);
    free(terms.data);
    return status;
}

foray_status fy_lab_create(foray_context *ctx, const fy_lab_experiment *experiment,
                           const foray_lab_options *options, fy_lab *lab)
{
    *lab = (fy_lab){.ctx = ctx,
                    .experiment = experiment,
                    .shard = options->shard,
                    .figure = options->figure,
                    .findings = {.ctx = ctx}};
    for (int64_t c = 0; c < experiment->columns; c++)
        lab->heading[c] = experiment->column[c].name;
    foray_status status = fy_figure_check(ctx, &options->figure);
    if (status == FORAY_OK)
        status = fy_shard_check(ctx, options->shard);
    if (status == FORAY_OK)
        status = read_parameters(lab, options);
    if (status == FORAY_OK)
        status = experiment->plan(lab);
    for (int64_t i = 0; i < lab->cells; i++)
        lab->weight += lab->cell[i].weight;
    return status;
}

void fy_lab_release(fy_lab *lab)
{
    for (int64_t i = 0; lab->rows && i < lab->cells; i++)
        free(lab->rows[i].value);
    free(lab->rows);
    free(lab->cell);
    free(lab->findings.data);
    fy_lab_values_free(lab);
}

foray_status fy_lab_make(fy_lab *lab, const char *directory, foray_work_fn progress, void *user)
{
    double *weight = NULL;
    lab->folder = (fy_folder){directory, "experiment", "cells"};
    foray_status status = open_folder(lab);
    if (status == FORAY_OK &&
        (!FY_ALLOC(lab->ctx, lab->rows, lab->cells) || !FY_ALLOC(lab->ctx, weight, lab->cells)))
        status = FORAY_ERROR_MEMORY;
    if (status != FORAY_OK)
        return status;
    for (int64_t i = 0; i < lab->cells; i++) {
        lab->rows[i].columns = lab->experiment->columns;
        weight[i] = lab->cell[i].weight;
    }
    lab->work = (fy_work){.ctx = lab->ctx,
                          .parts = lab->cells,
                          .shard = lab->shard,
                          .weight = weight,
                          .find = find_cell,
                          .make = make_cell,
                          .name = name_cell,
                          .user = lab,
                          .progress = progress,
                          .progress_user = user};
    status = fy_work_run(&lab->work);
    free(weight);
    return status == FORAY_OK && fy_shard_is_whole(lab->shard) ? fy_lab_write(lab) : status;
}
