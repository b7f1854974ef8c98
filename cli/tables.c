/* tables.c - files that the library wrote into a directory, shown as they are or as JSON. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

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
        return cli_fail(session, CLI_BAD_INPUT, "%s/%s: cannot be read: %s", directory, name,
                        strerror(errno));
    while (fgets(part, sizeof part, file)) {
        bool whole = strchr(part, '\n') != NULL;
        part[strcspn(part, "\n")] = 0;
        cli_put(stdout, 0, part);
        printf("%s", whole ? "\n" : "");
    }
    fclose(file);
    return CLI_DONE;
}

/* A file whose content goes into the output; one that cannot be read is a failure of that. */
static FILE *open_for_output(cli_output *output, const char *directory, const char *name)
{
    FILE *file = open_file(directory, name);
    if (!file)
        cli_json_fail(&output->json, "%s/%s: cannot be read: %s", directory, name, strerror(errno));
    return file;
}

void cli_output_lines(cli_output *output, const char *key, const char *directory, const char *name)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = output->as_json ? open_for_output(output, directory, name) : NULL;
    if (!file)
        return;
    cli_output_open_list(output, key);
    while (getline(&line, &room, file) > 0) {
        line[strcspn(line, "\n")] = 0;
        if (*line) /* a verdict and its details have an empty line between them */
            cli_output_text(output, NULL, line);
    }
    if (!feof(file))
        cli_json_fail(&output->json, "%s/%s: cannot be read: %s", directory, name, strerror(errno));
    cli_output_close(output);
    free(line);
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
static void output_cell(cli_output *output, const char *key, const char *cell)
{
    double value;
    if (!*cell)
        cli_output_text(output, key, NULL);
    else if (foray_number_read(cell, &value))
        cli_output_real(output, key, value);
    else
        cli_output_text(output, key, cell);
}

static void output_row(cli_output *output, const char *heading, char *line)
{
    char *names = strdup(heading);
    char *name_rest = names, *cell_rest = line, *name, *cell;
    if (!names)
        cli_json_fail(&output->json, "out of memory");
    cli_output_open(output, NULL);
    while ((name = cut_cell(&name_rest)) && (cell = cut_cell(&cell_rest)))
        output_cell(output, name, cell);
    cli_output_close(output);
    free(names);
}

void cli_output_csv(cli_output *output, const char *key, const char *directory, const char *name)
{
    char *heading = NULL, *line = NULL;
    size_t heading_room = 0, room = 0;
    FILE *file = output->as_json ? open_for_output(output, directory, name) : NULL;
    if (!file)
        return;
    cli_output_open_list(output, key);
    if (getline(&heading, &heading_room, file) > 0)
        while (getline(&line, &room, file) > 0)
            output_row(output, heading, line);
    if (!feof(file))
        cli_json_fail(&output->json, "%s/%s: cannot be read: %s", directory, name, strerror(errno));
    else if (!heading || !*heading)
        cli_json_fail(&output->json, "%s/%s: there is no heading", directory, name);
    cli_output_close(output);
    free(heading);
    free(line);
    fclose(file);
}
