/* lab.c - parameters, cells, and the whole of an experiment. */
#include "work/lab.h"
#include "base/parameter.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------- parameters */

/* Specs of worlds hold commas, so blanks part them. */
static const char *separators(const foray_lab_parameter *parameter)
{
    return !parameter->list ? "" : parameter->is.kind == FORAY_WORLD ? " " : ",";
}

static bool is_algorithm(const char *word)
{
    const char *name;
    for (int64_t i = 0; foray_algorithm_describe(i, &name, NULL); i++)
        if (strcmp(name, word) == 0)
            return true;
    return false;
}

static void free_value(fy_lab_value *value)
{
    free(value->text);
    free(value->number);
    free(value->word);
    free(value->pieces);
    *value = (fy_lab_value){0};
}

/* One value of the list. Worlds are looked up when they are opened. */
static foray_status add_piece(const fy_lab *lab, const foray_lab_parameter *parameter, char *piece,
                              fy_lab_value *value)
{
    foray_parameter_value read;
    foray_status status = fy_parameter_read(lab->ctx, &parameter->is, piece, strlen(piece), &read);
    if (status == FORAY_OK && parameter->is.kind == FORAY_ALGORITHM && !is_algorithm(piece))
        status = fy_fail(lab->ctx, FORAY_ERROR_USAGE, "there is no algorithm \"%s\"", piece);
    if (status != FORAY_OK)
        return fy_fail_within(lab->ctx, status, "%s", lab->experiment->name);
    if (value->number)
        value->number[value->count] = read.real;
    else
        value->word[value->count] = piece;
    value->count++;
    return FORAY_OK;
}

/* The same twice would be two cells of one name. */
static foray_status check_differ(const fy_lab *lab, const foray_lab_parameter *parameter,
                                 const fy_lab_value *value)
{
    for (int64_t i = 0; i < value->count; i++)
        for (int64_t j = 0; j < i; j++)
            if (value->number ? value->number[i] == value->number[j]
                              : strcmp(value->word[i], value->word[j]) == 0)
                return fy_fail(lab->ctx, FORAY_ERROR_USAGE, "%s: %s \"%s\" has a value twice",
                               lab->experiment->name, parameter->is.name, value->text);
    return FORAY_OK;
}

static foray_status read_value(const fy_lab *lab, const foray_lab_parameter *parameter,
                               const char *text, fy_lab_value *value)
{
    size_t room = strlen(text) + 1;
    bool numbers = parameter->is.kind == FORAY_INTEGER || parameter->is.kind == FORAY_REAL;
    if (!(value->text = fy_text(lab->ctx, text)) || !(value->pieces = fy_text(lab->ctx, text)) ||
        (numbers && !FY_ALLOC(lab->ctx, value->number, room)) ||
        (!numbers && !FY_ALLOC(lab->ctx, value->word, room)))
        return FORAY_ERROR_MEMORY;
    foray_status status = FORAY_OK;
    for (char *piece = value->pieces, *next; piece && status == FORAY_OK; piece = next) {
        next = piece + strcspn(piece, separators(parameter));
        next = *next ? next : NULL;
        if (next)
            *next++ = 0;
        status = add_piece(lab, parameter, piece, value);
    }
    return status == FORAY_OK ? check_differ(lab, parameter, value) : status;
}

static foray_status set_value(fy_lab *lab, int64_t parameter, const char *text)
{
    fy_lab_value value = {0};
    foray_status status = read_value(lab, &lab->experiment->parameter[parameter], text, &value);
    if (status != FORAY_OK) {
        free_value(&value);
        return status;
    }
    free_value(&lab->value[parameter]);
    lab->value[parameter] = value;
    return FORAY_OK;
}

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
            return set_value(lab, i, assignment + length + 1);
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
        status = set_value(lab, i, options->quick ? parameter->quick : parameter->is.fallback);
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
    *cell = (fy_lab_cell){.weight = weight};
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
    const char *name = lab->cell[cell].name;
    int64_t wanted = lab->cell[cell].rows;
    fy_rows *rows = &lab->rows[cell];
    foray_status status = fy_rows_read(ctx, &lab->folder, name, lab->heading, found, rows);
    if (status == FORAY_OK && *found && wanted > 0 && rows->count != wanted)
        status = fy_fail(ctx, FORAY_ERROR_INPUT,
                         "%s/%s/%s.csv has %" PRId64 " rows, but it must have %" PRId64
                         "; remove it to have that cell made again",
                         lab->folder.path, lab->folder.parts, name, rows->count, wanted);
    return status;
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
    foray_status status = experiment->terms ? experiment->terms(lab, &terms) : FORAY_OK;
    fy_write_bytes(&terms, "", 1);
    if (status == FORAY_OK && terms.failed)
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status = fy_folder_open(lab->ctx, &lab->folder, (const char *)terms.data);
    free(terms.data);
    return status;
}

foray_status fy_lab_create(foray_context *ctx, const fy_lab_experiment *experiment,
                           const foray_lab_options *options, void *user, fy_lab *lab)
{
    *lab = (fy_lab){.ctx = ctx,
                    .experiment = experiment,
                    .user = user,
                    .shard = options->shard,
                    .figure = options->figure,
                    .summary = {.ctx = ctx},
                    .findings = {.ctx = ctx},
                    .content = {.ctx = ctx}};
    fy_format(lab->title, sizeof lab->title, "Foray lab: %s", experiment->name);
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
    if (!*lab->lead)
        fy_format(lab->lead, sizeof lab->lead, "%s; %" PRId64 " cells", experiment->summary,
                  lab->cells);
    return status;
}

void fy_lab_release(fy_lab *lab)
{
    for (int64_t i = 0; lab->rows && i < lab->cells; i++)
        free(lab->rows[i].value);
    free(lab->rows);
    free(lab->cell);
    free(lab->summary.data);
    free(lab->findings.data);
    fy_content_free(&lab->content);
    for (int i = 0; i < FY_LAB_PARAMETERS; i++)
        free_value(&lab->value[i]);
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
                          .alone = lab->experiment->alone,
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
