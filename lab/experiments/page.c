/* page.c - what an experiment writes when all its cells are made. */
#include "experiments/lab.h"
#include "compare/figures.h"
#include "page/command.h"
#include "page/page.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { EMBEDDED_ROWS = 4000 }; /* more are in rows.csv only */

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

/* ----------------------------------------------------------------------------- tables */

static foray_status save_table(const fy_lab *lab, const char *name, const fy_table *table)
{
    char file[64];
    fy_writer csv = {.ctx = lab->ctx};
    fy_format(file, sizeof file, "%s.csv", name);
    fy_table_print_csv(table, &csv);
    return fy_folder_save(&lab->folder, file, &csv);
}

/* The tables of the experiment, but for those that only stand behind a picture. */
static foray_status save_tables(const fy_lab *lab, const fy_content *content)
{
    foray_status status = content->failed ? FORAY_ERROR_MEMORY : FORAY_OK;
    for (int64_t i = 0; i < content->count && status == FORAY_OK; i++) {
        const fy_content_item *item = content->item[i];
        if (item->kind == FY_CONTENT_TABLE && item->use != FY_TABLE_BEHIND)
            status = save_table(lab, item->text, &item->table);
    }
    return status;
}

/* The rows of all cells, without times, or with nothing but the cell and its times. */
static fy_table table_of_rows(const fy_lab *lab, bool times)
{
    const char *heading[1 + FY_LAB_COLUMNS] = {"cell"};
    const fy_lab_experiment *experiment = lab->experiment;
    int64_t columns = 1;
    for (int64_t c = 0; c < experiment->columns; c++)
        if (experiment->column[c].time == times)
            heading[columns++] = experiment->column[c].name;
    fy_table table = fy_table_begin(lab->ctx, columns, heading);
    for (int64_t i = 0; i < lab->cells; i++)
        for (int64_t r = 0; r < lab->rows[i].count; r++) {
            const double *row = fy_rows_at(&lab->rows[i], r);
            fy_table_cell(&table, "%s", lab->cell[i].name);
            for (int64_t c = 0; c < experiment->columns; c++) {
                const fy_lab_column *column = &experiment->column[c];
                if (column->time != times)
                    continue;
                if (column->word)
                    fy_table_cell(&table, "%s", column->word[(int64_t)row[c]]);
                else if (column->words)
                    fy_table_cell(&table, "%s",
                                  fy_lab_word(lab, column->words - 1, (int64_t)row[c]));
                else
                    fy_table_shortest(&table, row[c]);
            }
        }
    return table;
}

/* rows.csv, and times.csv where there is a column of times. */
static foray_status save_rows(const fy_lab *lab)
{
    bool timed = false;
    for (int64_t c = 0; c < lab->experiment->columns; c++)
        timed |= lab->experiment->column[c].time;
    fy_table rows = table_of_rows(lab, false);
    foray_status status = save_table(lab, "rows", &rows);
    fy_table_free(&rows);
    if (status != FORAY_OK || !timed)
        return status;
    fy_table times = table_of_rows(lab, true);
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

/* The first `length` bytes of the text. */
static void print_piece(fy_writer *text, const char *from, size_t length)
{
    char *piece = fy_alloc(text->ctx, length + 1, 1);
    text->failed |= !piece;
    if (piece) {
        memcpy(piece, from, length);
        fy_print_escaped(text, piece);
    }
    free(piece);
}

/* The formula that begins here, or NULL. */
static const fy_lab_formula *find_formula(const fy_lab_experiment *experiment, const char *at)
{
    for (const fy_lab_formula *its = experiment->formula; its && its->text; its++)
        if (strncmp(at, its->text, strlen(its->text)) == 0)
            return its;
    return NULL;
}

void fy_lab_print_question(fy_writer *text, const fy_lab_experiment *experiment)
{
    const char *plain = experiment->question, *at = plain;
    fy_print(text, "<p>");
    while (*at) {
        const fy_lab_formula *formula = find_formula(experiment, at);
        if (!formula) {
            at++;
            continue;
        }
        print_piece(text, plain, (size_t)(at - plain));
        fy_print(text, "<span class=\"formula\">%s</span>", formula->html);
        plain = at += strlen(formula->text);
    }
    print_piece(text, plain, (size_t)(at - plain));
    fy_print(text, "</p>\n");
}

static void print_rows(const fy_lab *lab, fy_writer *text)
{
    fy_table table = table_of_rows(lab, false);
    int64_t rows = fy_table_rows(&table);
    fy_print(text, "<h2>Everything that was measured</h2>\n"
                   "<details><summary>what the columns are</summary><dl>\n");
    for (int64_t c = 0; c < lab->experiment->columns; c++)
        fy_page_fact(text, lab->experiment->column[c].name, lab->experiment->column[c].help);
    fy_print(text, "</dl></details>\n");
    if (rows <= EMBEDDED_ROWS)
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
    fy_print(text, "<p>With the same version every number comes out the same to the last digit on "
                   "every machine, except for times.</p>\n");
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

/* What was asked, what was found, what the experiment shows, and how to reproduce it. */
static foray_status save_page(fy_lab *lab, const fy_content *content)
{
    const fy_lab_experiment *experiment = lab->experiment;
    char title[256];
    fy_writer text = {.ctx = lab->ctx, .failed = lab->findings.failed};
    fy_format(title, sizeof title, "Foray lab: %s", experiment->name);
    fy_page_begin(&text, title);
    fy_print(&text, "<p class=\"lead\">");
    fy_print_escaped(&text, experiment->summary);
    fy_print(&text, "; %" PRId64 " cells; foray %s</p>\n", lab->cells, foray_version());
    fy_lab_print_question(&text, experiment);
    fy_print(&text, "<h2>What was found</h2>\n");
    if (!text.failed)
        fy_lab_print_findings(&text, (const char *)lab->findings.data, true);
    fy_content_print(content, &text);
    print_rows(lab, &text);
    print_command(lab, &text);
    print_parameters(lab, &text);
    fy_page_end(&text);
    return fy_folder_save(&lab->folder, "index.html", &text);
}

foray_status fy_lab_write(fy_lab *lab)
{
    fy_content content = {.ctx = lab->ctx};
    foray_status status = save_rows(lab);
    if (status == FORAY_OK)
        status = lab->experiment->show(lab, &content);
    /* A final 0 for whoever reads the findings as text, but not in the file. */
    fy_write_bytes(&lab->findings, "", 1);
    lab->findings.size -= !lab->findings.failed;
    if (status == FORAY_OK)
        status = save_tables(lab, &content);
    if (status == FORAY_OK)
        status = save_page(lab, &content);
    if (status == FORAY_OK) {
        fy_figure figure = fy_figure_begin(lab->ctx, &lab->figure);
        fy_content_figures(&content, &figure);
        status = fy_figures_save(&lab->folder, &figure);
    }
    fy_content_free(&content);
    return status == FORAY_OK ? fy_folder_save(&lab->folder, "findings.txt", &lab->findings)
                              : status;
}
