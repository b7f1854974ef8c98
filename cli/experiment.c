/* experiment.c - see experiment.h. */
#include "experiment.h"
#include "base/base.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------- shards */

cli_exit cli_shard_read(cli_session *session, foray_shard *out)
{
    const char *text = cli_value(session, "shard"), *slash = text ? strchr(text, '/') : NULL;
    char number[32];
    *out = (foray_shard){0, 0};
    if (!text)
        return CLI_DONE;
    if (slash && (size_t)(slash - text) < sizeof number) {
        snprintf(number, sizeof number, "%.*s", (int)(slash - text), text);
        if (fy_integer_read(number, strlen(number), &out->number) &&
            fy_integer_read(slash + 1, strlen(slash + 1), &out->of) && out->number >= 1 &&
            out->number <= out->of)
            return CLI_DONE;
    }
    return cli_fail(session, CLI_USAGE,
                    "shard=%s, but it must be I/N with I from 1 to N, such as 2/3", text);
}

cli_exit cli_shard_show(cli_session *session, foray_shard shard, const char *directory,
                        const cli_work *work)
{
    cli_output output;
    if (!session->json) {
        printf("shard %" PRId64 " of %" PRId64 ": all of its %" PRId64
               " %s are done. When every shard has ended,\nthe same command without --shard writes "
               "the results.\n",
               shard.number, shard.of, work->last.finished, work->parts);
        return CLI_DONE;
    }
    cli_output_begin(&output, session);
    cli_output_text(&output, "directory", directory);
    cli_output_integer(&output, "shard", shard.number);
    cli_output_integer(&output, "shards", shard.of);
    cli_output_integer(&output, work->parts, work->last.finished);
    cli_output_real(&output, "seconds", work->last.seconds);
    return cli_output_end(&output, session, CLI_DONE);
}

/* ------------------------------------------------------------------------ progress */

void cli_experiment_begin(cli_session *session, cli_work *work)
{
    cli_progress_begin(&work->line, 0);
    foray_context_set_stop(session->ctx, cli_stop_wanted, NULL);
}

cli_exit cli_experiment_end(cli_session *session, cli_work *work, foray_status status)
{
    foray_context_set_stop(session->ctx, NULL, NULL);
    cli_progress_end(&work->line);
    if (status != FORAY_INTERRUPTED)
        return cli_status(session, status);
    return cli_fail(session, CLI_STOPPED,
                    "stopped by a signal after %" PRId64 " of %" PRId64 " %s; "
                    "run the same command again to continue",
                    work->last.finished, work->last.parts, work->parts);
}

/* ------------------------------------------------------------------------- results */

/* Calls `each` for every line, cut at its end. */
static void go_through(const fy_writer *text, void (*each)(void *user, const char *line),
                       void *user)
{
    const char *at = text->failed || text->size == 0 ? "" : (const char *)text->data;
    while (*at) {
        char line[4096];
        size_t length = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, at);
        each(user, line);
        at += length + (at[length] == '\n');
    }
}

static void print_line(void *user, const char *line)
{
    (void)user;
    cli_put(stdout, 0, line);
    printf("\n");
}

void cli_experiment_print(const fy_lab *lab)
{
    go_through(&lab->summary, print_line, NULL);
    if (lab->summary.size > 0 && lab->findings.size > 0)
        printf("\n");
    go_through(&lab->findings, print_line, NULL);
}

/* A verdict and its details have an empty line between them. */
static void output_line(void *user, const char *line)
{
    if (*line)
        cli_output_text(user, NULL, line);
}

/* Numbers as numbers, nothing as null. */
static void output_cell(cli_output *output, const char *key, const char *cell)
{
    double value;
    if (!*cell)
        cli_output_text(output, key, NULL);
    else if (fy_number_read(cell, strlen(cell), &value))
        cli_output_real(output, key, value);
    else
        cli_output_text(output, key, cell);
}

/* A list of objects called after the headings. */
static void output_table(cli_output *output, const char *key, const fy_table *table)
{
    const char **heading = calloc((size_t)table->columns, sizeof *heading);
    if (!heading || table->cells.failed)
        cli_output_fail(output, "out of memory");
    const char *cell = (const char *)table->cells.data;
    cli_output_open_list(output, key);
    for (int64_t i = 0; heading && !table->cells.failed && i < table->count; i++) {
        int64_t column = i % table->columns;
        if (i < table->columns)
            heading[column] = cell;
        else if (column == 0)
            cli_output_open(output, NULL);
        if (i >= table->columns)
            output_cell(output, heading[column], cell);
        if (i >= table->columns && column == table->columns - 1)
            cli_output_close(output);
        cell += strlen(cell) + 1;
    }
    cli_output_close(output);
    free(heading);
}

void cli_experiment_output(cli_output *output, const fy_lab *lab)
{
    cli_output_open_list(output, "findings");
    go_through(&lab->findings, output_line, output);
    cli_output_close(output);
    for (int64_t i = 0; i < lab->content.count; i++) {
        const fy_content_item *item = lab->content.item[i];
        if (fy_content_is_file(item))
            output_table(output, item->text, &item->table);
    }
    fy_table rows = fy_lab_rows(lab, false);
    if (fy_table_rows(&rows) <= FY_LAB_EMBEDDED_ROWS)
        output_table(output, "rows", &rows);
    fy_table_free(&rows);
}

void cli_experiment_count(cli_output *output, const cli_work *work)
{
    cli_output_integer(output, work->parts, work->last.finished);
    cli_output_real(output, "seconds", work->last.seconds);
}
