/* figure.c - figures for papers: their options, and PDF and PNG of SVG. */
#include "figure.h"
#include "base/base.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool read_size(const char *text, foray_figure *out)
{
    char width[32];
    const char *by = strchr(text, 'x');
    if (!by || (size_t)(by - text) >= sizeof width)
        return false;
    snprintf(width, sizeof width, "%.*s", (int)(by - text), text);
    return fy_number_read(width, strlen(width), &out->width) &&
           fy_number_read(by + 1, strlen(by + 1), &out->height) && out->width > 0 &&
           out->height > 0;
}

/* "Times, serif 8": a number at the end is the size, what is before it the family. */
static void read_font(char *text, foray_figure *out)
{
    char *last = strrchr(text, ' '), *number = last ? last + 1 : text;
    out->font = text;
    if (!fy_number_read(number, strlen(number), &out->points))
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

void cli_figure_undo(const cli_session *session, const char *stem)
{
    static const char *const endings[] = {"svg", "csv", "pdf", "png"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *path = cli_figure_path(stem, endings[i]);
        if (path)
            cli_destination_undo(session, path);
        free(path);
    }
}

/* Starts rsvg-convert, which prints into a pipe; the end to read from, or -1. *missing: it is not
 * installed. */
static int start_converter(const char *format, char *svg, pid_t *child, bool *missing)
{
    char program[] = "rsvg-convert", x[] = "--dpi-x=300", y[] = "--dpi-y=300", as[] = "-f", kind[8],
         rest[] = "--";
    char *const words[] = {program, x, y, as, kind, rest, svg, NULL};
    posix_spawn_file_actions_t actions;
    int ends[2];
    snprintf(kind, sizeof kind, "%s", format);
    if (pipe(ends) != 0)
        return -1;
    int failed = posix_spawn_file_actions_init(&actions);
    if (!failed) {
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        posix_spawn_file_actions_addclose(&actions, ends[0]);
        posix_spawn_file_actions_addclose(&actions, ends[1]);
        failed = posix_spawnp(child, program, &actions, NULL, words, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    *missing = failed == ENOENT;
    if (!failed)
        return ends[0];
    close(ends[0]);
    return -1;
}

/* What rsvg-convert makes of a picture goes into the file: false if it could not. */
static bool convert(const char *format, char *svg, fy_file *file, bool *missing)
{
    pid_t child;
    int state = 0, from = start_converter(format, svg, &child, missing);
    char block[4096];
    ssize_t size;
    if (from < 0)
        return false;
    while ((size = read(from, block, sizeof block)) > 0 || (size < 0 && errno == EINTR))
        if (size > 0)
            fy_file_add(file, block, (size_t)size);
    close(from);
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR)
            return false;
    *missing = WIFEXITED(state) && WEXITSTATUS(state) == 127;
    return size == 0 && WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

/* One file, whole or not at all. */
static cli_exit convert_to(cli_session *session, const char *stem, const char *format, char *svg,
                           bool *missing)
{
    fy_file *file = NULL;
    char *path = cli_figure_path(stem, format);
    cli_exit code = path ? cli_status(session, fy_file_create(session->ctx, path, true, &file))
                         : cli_fail(session, CLI_BAD_INPUT, "out of memory");
    if (code == CLI_DONE && convert(format, svg, file, missing)) {
        code = cli_status(session, fy_file_finish(file));
    } else if (code == CLI_DONE) {
        fy_file_abandon(file);
        if (!*missing)
            code = cli_fail(session, CLI_BAD_INPUT, "%s: rsvg-convert failed", path);
    }
    free(path);
    return code;
}

cli_exit cli_figure_convert(cli_session *session, const char *stem)
{
    static const char *const formats[] = {"pdf", "png"};
    char *svg = cli_figure_path(stem, "svg");
    cli_exit code = svg ? CLI_DONE : cli_fail(session, CLI_BAD_INPUT, "out of memory");
    bool missing = false;
    for (size_t i = 0; i < sizeof formats / sizeof *formats && code == CLI_DONE && !missing; i++)
        code = convert_to(session, stem, formats[i], svg, &missing);
    free(svg);
    if (!session->json && code == CLI_DONE)
        printf("figure: %s.svg, .csv%s\n", stem,
               missing ? " (PDF and PNG need rsvg-convert, which is not installed)"
                       : ", .pdf, .png");
    return code;
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
