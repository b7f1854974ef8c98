/* page.c - what an experiment writes when all its cells are made. */
#include "work/lab.h"
#include "page/command.h"
#include "page/page.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void fy_lab_find(fy_lab *lab, const char *sentence, ...)
{
    char line[1024];
    va_list values;
    va_start(values, sentence);
    fy_vformat(line, sizeof line, sentence, values);
    va_end(values);
    fy_print(&lab->findings, "%s\n", line);
}

/* An empty line. */
void fy_lab_details(fy_lab *lab)
{
    fy_print(&lab->findings, "\n");
}

/* ------------------------------------------------------------------ tables, charts, texts */

static foray_status save_table(const fy_lab *lab, const char *name, const fy_table *table)
{
    char file[64];
    fy_writer csv = {.ctx = lab->ctx};
    fy_format(file, sizeof file, "%s.csv", name);
    fy_table_print_csv(table, &csv);
    return fy_folder_save(&lab->folder, file, &csv);
}

static foray_status save_chart(const fy_lab *lab, const fy_chart *chart)
{
    char file[64];
    fy_writer svg = {.ctx = lab->ctx};
    fy_format(file, sizeof file, "%s.svg", chart->id);
    fy_svg_chart(&svg, chart);
    return fy_folder_save(&lab->folder, file, &svg);
}

/* The charts and the tables of the experiment, but for those that only stand behind a picture. */
static foray_status save_content(const fy_lab *lab)
{
    const fy_content *content = &lab->content;
    foray_status status = content->failed ? FORAY_ERROR_MEMORY : FORAY_OK;
    for (int64_t i = 0; i < content->count && status == FORAY_OK; i++) {
        const fy_content_item *item = content->item[i];
        if (fy_content_is_file(item))
            status = save_table(lab, item->text, &item->table);
        else if (item->kind == FY_CONTENT_CHART)
            status = save_chart(lab, &item->chart);
    }
    return status;
}

/* A text that is still to be read. */
static foray_status save_text(const fy_lab *lab, const char *name, const fy_writer *text)
{
    fy_writer copy = {.ctx = lab->ctx};
    copy.failed = text->failed;
    if (!text->failed)
        fy_write_bytes(&copy, text->data, text->size);
    return fy_folder_save(&lab->folder, name, &copy);
}

/* ------------------------------------------------------------------------------- rows */

/* A number, or the word that it picks. */
static void add_value(fy_table *table, const fy_lab *lab, const fy_lab_column *column,
                      const char *const *own, double value)
{
    const char *const *word = own ? own : column->word;
    if (word)
        fy_table_cell(table, "%s", word[(int64_t)value]);
    else if (column->words)
        fy_table_cell(table, "%s", fy_lab_word(lab, column->words - 1, (int64_t)value));
    else
        fy_table_exact(table, value);
}

fy_table fy_lab_rows(const fy_lab *lab, bool times)
{
    const char *heading[1 + FY_LAB_AXES + FY_LAB_COLUMNS] = {"cell"};
    const fy_lab_experiment *experiment = lab->experiment;
    int64_t columns = 1;
    for (int64_t a = 0; a < experiment->axes; a++)
        heading[columns++] = experiment->axis[a].name;
    for (int64_t c = 0; c < experiment->columns; c++)
        if (experiment->column[c].both || experiment->column[c].time == times)
            heading[columns++] = experiment->column[c].name;
    fy_table table = fy_table_begin(lab->ctx, columns, heading);
    for (int64_t i = 0; i < lab->cells; i++)
        for (int64_t r = 0; r < lab->rows[i].count; r++) {
            const double *row = fy_rows_at(&lab->rows[i], r);
            fy_table_cell(&table, "%s", lab->cell[i].name);
            for (int64_t a = 0; a < experiment->axes; a++)
                add_value(&table, lab, &experiment->axis[a], lab->axis_word[a],
                          (double)lab->cell[i].at[a]);
            for (int64_t c = 0; c < experiment->columns; c++)
                if (experiment->column[c].both || experiment->column[c].time == times)
                    add_value(&table, lab, &experiment->column[c], lab->column_word[c], row[c]);
        }
    return table;
}

/* rows.csv, and times.csv where there is a column of times. */
static foray_status save_rows(const fy_lab *lab)
{
    bool timed = false;
    for (int64_t c = 0; c < lab->experiment->columns; c++)
        timed |= lab->experiment->column[c].time;
    fy_table rows = fy_lab_rows(lab, false);
    foray_status status = save_table(lab, "rows", &rows);
    fy_table_free(&rows);
    if (status != FORAY_OK || !timed)
        return status;
    fy_table times = fy_lab_rows(lab, true);
    status = save_table(lab, "times", &times);
    fy_table_free(&times);
    return status;
}

/* ------------------------------------------------------------------------------- page */

/* The lines up to an empty one or the end, each between these two. Returns what comes after. */
static const char *print_lines(fy_writer *text, const char *findings, const char *before,
                               const char *after)
{
    while (*findings && *findings != '\n') {
        char line[1024];
        size_t length = strcspn(findings, "\n");
        fy_format(line, sizeof line, "%.*s", (int)length, findings);
        fy_print(text, "%s", before);
        fy_print_escaped(text, line);
        fy_print(text, "%s\n", after);
        findings += length + (findings[length] == '\n');
    }
    return findings + (*findings == '\n');
}

void fy_lab_print_findings(fy_writer *text, const char *findings, bool details)
{
    fy_print(text, "<p class=\"verdict\">\n");
    findings = print_lines(text, findings, "", "");
    fy_print(text, "</p>\n");
    if (!*findings || !details)
        return;
    fy_print(text, "<details><summary>one by one</summary>\n<ul class=\"findings\">\n");
    print_lines(text, findings, "<li>", "</li>");
    fy_print(text, "</ul></details>\n");
}

static void print_rows(const fy_lab *lab, fy_writer *text)
{
    fy_table table = fy_lab_rows(lab, false);
    int64_t rows = fy_table_rows(&table);
    fy_print(text, "<h2>Everything that was measured</h2>\n"
                   "<details><summary>what the columns are</summary><dl>\n");
    for (int64_t a = 0; a < lab->experiment->axes; a++)
        fy_page_fact(text, lab->experiment->axis[a].name, lab->experiment->axis[a].help);
    for (int64_t c = 0; c < lab->experiment->columns; c++)
        fy_page_fact(text, lab->experiment->column[c].name, lab->experiment->column[c].help);
    fy_print(text, "</dl></details>\n");
    if (rows <= FY_LAB_EMBEDDED_ROWS)
        fy_page_data(text, &table, "rows", NULL);
    else
        fy_print(text,
                 "<p>The %" PRId64 " rows are in <code>rows.csv</code>, which the command below "
                 "makes.</p>\n",
                 rows);
    fy_table_free(&table);
}

static int64_t differing(const fy_lab *lab, bool quick)
{
    int64_t count = 0;
    for (int64_t i = 0; i < lab->experiment->parameters; i++) {
        const foray_lab_parameter *parameter = &lab->experiment->parameter[i];
        count += strcmp(lab->value[i].text, quick ? parameter->quick : parameter->is.fallback) != 0;
    }
    return count;
}

/* The shorter of the two ways to ask for these values. */
static void print_command(const fy_lab *lab, fy_writer *text)
{
    fy_writer command = {.ctx = lab->ctx};
    bool quick = differing(lab, true) < differing(lab, false);
    fy_print(&command, "foray lab %s%s", lab->experiment->name, quick ? " --quick" : "");
    for (int64_t i = 0; i < lab->experiment->parameters; i++) {
        const foray_lab_parameter *parameter = &lab->experiment->parameter[i];
        if (strcmp(lab->value[i].text, quick ? parameter->quick : parameter->is.fallback) != 0)
            fy_command_flag(&command, parameter->is.name, lab->value[i].text);
    }
    fy_print(&command, " -o %s\n", lab->experiment->name);
    fy_page_command(text, &command);
}

static void print_parameters(const fy_lab *lab, fy_writer *text)
{
    static const char *const heading[] = {"parameter", "value", "quick", "full", "meaning"};
    fy_table table = fy_table_begin(lab->ctx, 5, heading);
    for (int64_t i = 0; i < lab->experiment->parameters; i++) {
        const foray_lab_parameter *parameter = &lab->experiment->parameter[i];
        fy_table_cell(&table, "%s", parameter->is.name);
        fy_table_cell(&table, "%s", lab->value[i].text);
        fy_table_cell(&table, "%s", parameter->quick);
        fy_table_cell(&table, "%s", parameter->is.fallback);
        fy_table_cell(&table, "%s", parameter->is.help);
    }
    fy_print(text, "<h2>Parameters</h2>\n");
    fy_page_data(text, &table, "parameters", NULL);
    fy_table_free(&table);
}

/* figure-NAME.svg and figure-NAME.csv, if one was wanted. */
static foray_status save_figure(const fy_lab *lab)
{
    char name[96];
    fy_figure figure = fy_figure_begin(lab->ctx, &lab->figure);
    if (!lab->figure.name)
        return FORAY_OK;
    fy_content_figures(&lab->content, &figure);
    foray_status status = fy_figure_finish(&figure);
    if (status != FORAY_OK)
        return status;
    fy_format(name, sizeof name, "figure-%s.svg", lab->figure.name);
    status = fy_folder_save(&lab->folder, name, &figure.svg);
    fy_format(name, sizeof name, "figure-%s.csv", lab->figure.name);
    if (status == FORAY_OK)
        status = fy_folder_save(&lab->folder, name, &figure.csv);
    fy_figure_free(&figure);
    return status;
}

/* What was asked, what was found, what the experiment shows, and how to reproduce it. */
static foray_status save_page(const fy_lab *lab)
{
    const fy_lab_experiment *experiment = lab->experiment;
    fy_writer text = {.ctx = lab->ctx, .failed = lab->findings.failed};
    fy_page_begin(&text, lab->title);
    fy_print(&text, "<p class=\"lead\">");
    fy_print_escaped(&text, lab->lead);
    fy_print(&text, "; foray %s</p>\n<p>", foray_version());
    fy_print_escaped(&text, experiment->question);
    fy_print(&text, "</p>\n");
    if (!text.failed && lab->findings.size > 0) {
        fy_print(&text, "<h2>What was found</h2>\n");
        fy_lab_print_findings(&text, (const char *)lab->findings.data, true);
    }
    fy_content_print(&lab->content, &text);
    print_rows(lab, &text);
    foray_status status = FORAY_OK;
    if (experiment->print_command)
        status = experiment->print_command(lab, &text);
    else
        print_command(lab, &text);
    fy_print(&text, "<p>With the same version every number comes out the same to the last digit on "
                    "every machine, except for times.</p>\n");
    if (experiment->parameters > 0)
        print_parameters(lab, &text);
    fy_page_end(&text);
    text.failed |= status != FORAY_OK;
    foray_status saved = fy_folder_save(&lab->folder, "index.html", &text);
    return status == FORAY_OK ? saved : status;
}

/* Whoever reads the text finds a 0 behind it, which is not in the file. */
static void end_text(fy_writer *text)
{
    fy_write_bytes(text, "", 1);
    text->size -= !text->failed;
}

foray_status fy_lab_write(fy_lab *lab)
{
    foray_status status = save_rows(lab);
    if (status == FORAY_OK)
        status = lab->experiment->show(lab, &lab->content);
    end_text(&lab->summary);
    end_text(&lab->findings);
    if (status == FORAY_OK)
        status = save_content(lab);
    if (status == FORAY_OK)
        status = save_page(lab);
    if (status == FORAY_OK)
        status = save_figure(lab);
    if (status == FORAY_OK && lab->summary.size > 0)
        status = save_text(lab, "summary.txt", &lab->summary);
    return status == FORAY_OK ? save_text(lab, "findings.txt", &lab->findings) : status;
}
