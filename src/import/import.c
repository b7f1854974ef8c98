/* import.c - foray_model_import: from the files of others to a model and rewards. */
#include "import/import.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PEEK = 4096 };

static const char blank[] = " \t\r";

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), end = strlen(ending);
    return length > end && strcmp(path + length - end, ending) == 0;
}

static fy_file_kind by_ending(const char *path)
{
    static const struct {
        const char *ending;
        fy_file_kind kind;
    } known[] = {
        {".tra", FY_FILE_TRANSITIONS}, {".sta", FY_FILE_STATES},
        {".lab", FY_FILE_LABELS},      {".srew", FY_FILE_STATE_REWARDS},
        {".umb", FY_FILE_ARCHIVE},     {".trew", FY_FILE_TRANSITION_REWARDS},
    };
    for (int64_t i = 0; i < FY_COUNT(known); i++)
        if (ends_in(path, known[i].ending))
            return known[i].kind;
    return FY_FILE_TABLE;
}

/* How many integers, and nothing else, a line consists of; 0: something else. */
static int64_t whole_numbers(const char *line)
{
    int64_t count = 0;
    for (line += strspn(line, blank); *line; line += strspn(line, blank), count++) {
        size_t digits = strspn(line, "0123456789");
        if (digits == 0 || (line[digits] && !strchr(blank, line[digits])))
            return 0;
        line += digits;
    }
    return count;
}

static int64_t words_of(const char *line)
{
    int64_t count = 0;
    for (line += strspn(line, blank); *line; line += strspn(line, blank), count++)
        line += strcspn(line, blank);
    return count;
}

/* `first` and `second` are the first lines that are not comments. */
static fy_file_kind by_lines(const char *path, const char *first, const char *second)
{
    size_t digits = strspn(first, "0123456789");
    int64_t sizes = whole_numbers(first);
    if (first[0] == '(' && strchr(first, ')'))
        return FY_FILE_STATES;
    if (digits > 0 && first[digits] == '=' && first[digits + 1] == '"')
        return FY_FILE_LABELS;
    if (sizes < 2 || sizes > 4)
        return by_ending(path);
    if (sizes == 2 && words_of(second) == 2)
        return FY_FILE_STATE_REWARDS;
    fy_file_kind kind = by_ending(path);
    return kind == FY_FILE_TABLE ? FY_FILE_TRANSITIONS : kind;
}

static fy_file_kind by_text(const char *path, char *text)
{
    const char *line[2] = {"", ""};
    int lines = 0;
    for (char *at = text, *end; at && lines < 2; at = end) {
        end = strchr(at, '\n');
        if (end)
            *end++ = 0;
        if (*at == '#' && strstr(at, "State rewards"))
            return FY_FILE_STATE_REWARDS;
        if (*at == '#' && strstr(at, "Transition rewards"))
            return FY_FILE_TRANSITION_REWARDS;
        if (*at != '#' && at[strspn(at, blank)])
            line[lines++] = at;
    }
    return by_lines(path, line[0], line[1]);
}

/* Looks at the beginning of a file. Old versions of PRISM write transitions and their rewards
 * alike, and sometimes nothing but sizes: there the ending of the name decides. */
static foray_status file_kind_of(foray_context *ctx, const char *path, fy_file_kind *out)
{
    static const char gzip[] = "\x1f\x8b\x08",
                      xz[] = "\xfd"
                             "7zXZ",
                      tar[] = "ustar";
    char text[PEEK + 1];
    struct stat about;
    if (stat(path, &about) == 0 && S_ISFIFO(about.st_mode))
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "%s: a pipe, and what is imported is read more than once: make it a file "
                       "first",
                       path);
    FILE *file = fopen(path, "rb");
    if (!file)
        return fy_fail(ctx, FORAY_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
    size_t size = fread(text, 1, PEEK, file);
    int failed = ferror(file) ? errno : 0;
    fclose(file);
    if (failed)
        return fy_fail(ctx, FORAY_ERROR_IO, "%s: cannot read: %s", path, strerror(failed));
    text[size] = 0;
    size_t mark;
    foray_status status = fy_text_mark(ctx, path, text, size, &mark);
    if (status != FORAY_OK)
        return status;
    bool archive = (size >= 3 && memcmp(text, gzip, 3) == 0) ||
                   (size >= 6 && memcmp(text, xz, 6) == 0) ||
                   (size >= 262 && memcmp(text + 257, tar, 5) == 0);
    *out = archive ? FY_FILE_ARCHIVE : by_text(path, text + mark);
    return FORAY_OK;
}

/* ----------------------------------------------------------------------------- import */

/* Foray_model_import: from the files of others to a model and rewards. */

/* "FrozenLake-v1_4x4" of "tables/FrozenLake-v1_4x4.csv". */
static char *stem_of(foray_context *ctx, const char *path)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const char *end = strrchr(name, '.');
    char *stem = fy_text(ctx, name);
    if (stem && end && end != name)
        stem[end - name] = 0;
    return stem;
}

/* "column:NAME" -> "column" and NAME. */
static foray_status read_laws(foray_context *ctx, const char *laws, const char **kind,
                              const char **column)
{
    static const char *const kinds[] = {"pair", "action", "all"};
    *column = NULL;
    if (strncmp(laws, "column:", 7) == 0 && laws[7]) {
        *kind = "column";
        *column = laws + 7;
        return FORAY_OK;
    }
    for (int i = 0; i < 3; i++)
        if (strcmp(laws, kinds[i]) == 0) {
            *kind = kinds[i];
            return FORAY_OK;
        }
    return fy_fail(ctx, FORAY_ERROR_USAGE,
                   "laws are shared by pair, action, all or column:NAME, not by '%s'", laws);
}

/* ------------------------------------------------------------------------------ files */

static const char *format_name(fy_file_kind kind)
{
    return kind == FY_FILE_TABLE ? "csv" : kind == FY_FILE_ARCHIVE ? "umb" : "prism";
}

/* All files must have the same format, and unless it is PRISM's there is only one. */
static foray_status find_format(foray_context *ctx, const char *const *path, int64_t paths,
                                const char *wanted, fy_prism_file *file, const char **out)
{
    for (int64_t i = 0; i < paths; i++) {
        file[i].path = path[i];
        foray_status status = file_kind_of(ctx, path[i], &file[i].kind);
        if (status != FORAY_OK)
            return status;
        const char *format = format_name(file[i].kind);
        if (wanted && strcmp(format, wanted) != 0)
            return fy_fail(ctx, FORAY_ERROR_INPUT, "%s looks like %s, not like %s", path[i], format,
                           wanted);
        if (i > 0 && (strcmp(format, *out) != 0 || strcmp(format, "prism") != 0))
            return fy_fail(ctx, FORAY_ERROR_USAGE,
                           "%s and %s do not belong together: several files are those of one "
                           "PRISM model",
                           path[0], path[i]);
        *out = format;
    }
    return FORAY_OK;
}

static foray_status read_files(foray_context *ctx, const char *const *path, int64_t paths,
                               const foray_import_options *options, const char *column,
                               fy_transitions *out)
{
    fy_prism_file *file;
    const char *format = NULL;
    if (!FY_ALLOC(ctx, file, paths))
        return FORAY_ERROR_MEMORY;
    foray_status status = find_format(ctx, path, paths, options->format, file, &format);
    if (status == FORAY_OK && strcmp(format, "csv") == 0)
        status = fy_transitions_read(out, column);
    else if (status == FORAY_OK && column)
        status = fy_fail(ctx, FORAY_ERROR_USAGE, "%s has no columns that could name laws", path[0]);
    else if (status == FORAY_OK && strcmp(format, "prism") == 0)
        status = fy_prism_read(file, paths, out);
    else if (status == FORAY_OK)
        status = fy_umb_read(out);
    free(file);
    return status;
}

/* ------------------------------------------------------------------------------ model */

static foray_status make_model(fy_transitions *table, const foray_import_options *options,
                               const char *laws, foray_model **out)
{
    char *stem = NULL;
    foray_status status = fy_transitions_begin(table, options->initial);
    if (status == FORAY_OK)
        status = fy_transitions_absorb(table);
    if (status == FORAY_OK && !(stem = stem_of(table->ctx, table->path)))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status =
            fy_transitions_model(table, laws, options->horizon, stem, options->forget_theta, out);
    free(stem);
    return status;
}

foray_status foray_model_import(foray_context *ctx, const char *const *path, int64_t paths,
                                const foray_import_options *options, foray_model **model,
                                foray_import_rewards *rewards, foray_import_facts *facts)
{
    const char *laws, *column;
    fy_transitions table;
    foray_model *made = NULL;
    if (paths < 1)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "no file to import");
    if (options->horizon < 1)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "%s does not say how long episodes are: give a horizon", path[0]);
    foray_status status = read_laws(ctx, options->laws ? options->laws : "pair", &laws, &column);
    fy_transitions_open(ctx, path[0], &table);
    if (status == FORAY_OK)
        status = read_files(ctx, path, paths, options, column, &table);
    if (status == FORAY_OK)
        status = make_model(&table, options, laws, &made);
    if (status == FORAY_OK && rewards)
        status = fy_transitions_rewards(&table, strcmp(laws, "pair") == 0, rewards);
    if (status == FORAY_OK) {
        *model = made;
        if (facts)
            *facts = (foray_import_facts){table.rows.count, table.ends, table.twins};
    } else {
        foray_model_destroy(made);
    }
    fy_transitions_free(&table);
    return status;
}
