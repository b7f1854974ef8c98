/* figure.c - figures for papers: their options, and PDF and PNG of SVG. */
#include "figure.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

static bool read_size(const char *text, foray_figure *out)
{
    char width[32];
    const char *by = strchr(text, 'x');
    if (!by || (size_t)(by - text) >= sizeof width)
        return false;
    snprintf(width, sizeof width, "%.*s", (int)(by - text), text);
    return foray_number_read(width, &out->width) && foray_number_read(by + 1, &out->height) &&
           out->width > 0 && out->height > 0;
}

/* "Times, serif 8": a number at the end is the size, what is before it the family. */
static void read_font(char *text, foray_figure *out)
{
    char *last = strrchr(text, ' '), *number = last ? last + 1 : text;
    out->font = text;
    if (!foray_number_read(number, &out->points))
        return;
    *number = 0;
    while (last && last >= text && *last == ' ')
        *last-- = 0;
    if (!*text)
        out->font = NULL;
}

cli_exit cli_figure_read(cli_session *session, char room[CLI_FONT_SIZE], foray_figure *out)
{
    static const char *const others[] = {"figure-size", "figure-font", "figure-untitled"};
    const char *size = cli_value(session, "figure-size"), *font = cli_value(session, "figure-font");
    *out = (foray_figure){.name = cli_value(session, "figure"),
                          .untitled = cli_has(session, "figure-untitled")};
    for (size_t i = 0; i < sizeof others / sizeof *others && !out->name; i++)
        if (cli_has(session, others[i]))
            return cli_fail(session, CLI_USAGE, "--%s is for --figure, which is missing",
                            others[i]);
    if (size && !read_size(size, out))
        return cli_fail(session, CLI_USAGE,
                        "figure-size=%s, but it must be two numbers of millimetres, such as 85x60",
                        size);
    if (font && strlen(font) >= CLI_FONT_SIZE)
        return cli_fail(session, CLI_USAGE, "figure-font: this name is too long");
    if (font) {
        snprintf(room, CLI_FONT_SIZE, "%s", font);
        read_font(room, out);
    }
    return CLI_DONE;
}

char *cli_figure_path(const char *stem, const char *ending)
{
    size_t size = strlen(stem) + strlen(ending) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s.%s", stem, ending);
    return path;
}

/* Runs rsvg-convert; false: it is not there, or could not. *missing: not there. */
static bool convert(const char *format, char *from, char *to, bool *missing)
{
    char program[] = "rsvg-convert", x[] = "--dpi-x=300", y[] = "--dpi-y=300", as[] = "-f", kind[8],
         into[] = "-o", rest[] = "--";
    char *const words[] = {program, x, y, as, kind, into, to, rest, from, NULL};
    snprintf(kind, sizeof kind, "%s", format);
    pid_t child;
    int state = 0;
    int failed = posix_spawnp(&child, program, NULL, NULL, words, environ);
    *missing = failed == ENOENT;
    if (failed)
        return false;
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR)
            return false;
    *missing = WIFEXITED(state) && WEXITSTATUS(state) == 127;
    return WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

cli_exit cli_figure_convert(cli_session *session, const char *stem)
{
    static const char *const formats[] = {"pdf", "png"};
    char *svg = cli_figure_path(stem, "svg");
    bool missing = false, made = svg != NULL;
    for (size_t i = 0; i < sizeof formats / sizeof *formats && made; i++) {
        char *path = cli_figure_path(stem, formats[i]);
        made = path && convert(formats[i], svg, path, &missing);
        free(path);
    }
    free(svg);
    if (!session->json && made)
        printf("figure: %s.svg, .csv, .pdf, .png\n", stem);
    else if (!session->json)
        printf("figure: %s.svg, .csv (%s)\n", stem,
               missing ? "PDF and PNG need rsvg-convert, which is not installed"
                       : "rsvg-convert made no PDF or PNG");
    return CLI_DONE;
}

cli_exit cli_figure_in(cli_session *session, const char *directory)
{
    const char *name = cli_value(session, "figure");
    size_t size = strlen(directory) + (name ? strlen(name) : 0) + sizeof "/figure-";
    char *stem = name ? malloc(size) : NULL;
    if (!name)
        return CLI_DONE;
    if (!stem)
        return cli_fail(session, CLI_BAD_INPUT, "out of memory");
    snprintf(stem, size, "%s/figure-%s", directory, name);
    cli_exit code = cli_figure_convert(session, stem);
    free(stem);
    return code;
}
