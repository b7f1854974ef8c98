/* tables.c - files that the library wrote into a directory, shown as they are or as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

static FILE *open_file(const char *directory, const char *name)
{
    size_t size = strlen(directory) + strlen(name) + 2;
    char *path = malloc(size);
    FILE *file = NULL;
    if (path) {
        snprintf(path, size, "%s/%s", directory, name);
        file = fopen(path, "r");
    }
    free(path);
    return file;
}

cli_exit cli_print_file(const cli_session *session, const char *directory, const char *name)
{
    char part[4096];
    FILE *file = open_file(directory, name);
    if (!file)
        return cli_fail(session, CLI_BAD_INPUT, "%s/%s: cannot be read", directory, name);
    while (fgets(part, sizeof part, file)) {
        bool whole = strchr(part, '\n') != NULL;
        part[strcspn(part, "\n")] = 0;
        cli_put(stdout, 0, part);
        printf("%s", whole ? "\n" : "");
    }
    fclose(file);
    return CLI_DONE;
}

void cli_report_lines(cli_report *report, const char *key, const char *directory, const char *name)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = report->json ? open_file(directory, name) : NULL;
    if (!report->json)
        return;
    report->failed |= !file;
    cli_report_open_list(report, key);
    while (file && getline(&line, &room, file) > 0) {
        line[strcspn(line, "\n")] = 0;
        cli_report_text(report, NULL, line);
    }
    cli_report_close(report);
    free(line);
    if (file)
        fclose(file);
}

/* --------------------------------------------------------------------------- tables */

/* Cuts the next cell off a line, quotes taken away; NULL past the last. */
static char *cut_cell(char **rest)
{
    char *cell = *rest, *to = cell, *from = cell;
    bool quoted = false;
    if (!cell)
        return NULL;
    for (; *from && (quoted || (*from != ',' && *from != '\n')); from++) {
        bool doubled = quoted && from[0] == '"' && from[1] == '"';
        if (*from == '"' && !doubled)
            quoted = !quoted;
        else
            *to++ = *from;
        from += doubled;
    }
    *rest = *from == ',' ? from + 1 : NULL;
    *to = 0;
    return cell;
}

/* Numbers as numbers, nothing as null. */
static void report_cell(cli_report *report, const char *key, const char *cell)
{
    char *end;
    double value = strtod(cell, &end);
    if (!*cell)
        cli_report_text(report, key, NULL);
    else if (!*end)
        cli_report_real(report, key, value);
    else
        cli_report_text(report, key, cell);
}

static void report_row(cli_report *report, const char *heading, char *line)
{
    char *names = heading ? strdup(heading) : NULL;
    char *name_rest = names, *cell_rest = line, *name, *cell;
    report->failed |= !names;
    cli_report_open(report, NULL);
    while ((name = cut_cell(&name_rest)) && (cell = cut_cell(&cell_rest)))
        report_cell(report, name, cell);
    cli_report_close(report);
    free(names);
}

void cli_report_csv(cli_report *report, const char *key, const char *directory, const char *name)
{
    char *heading = NULL, *line = NULL;
    size_t heading_room = 0, room = 0;
    FILE *file = report->json ? open_file(directory, name) : NULL;
    if (!report->json)
        return;
    report->failed |= !file || getline(&heading, &heading_room, file) < 0;
    cli_report_open_list(report, key);
    while (!report->failed && getline(&line, &room, file) > 0)
        report_row(report, heading, line);
    cli_report_close(report);
    free(heading);
    free(line);
    if (file)
        fclose(file);
}
