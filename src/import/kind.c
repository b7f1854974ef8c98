/* kind.c - see kind.h. */
#include "import/kind.h"

#include <errno.h>
#include <stdio.h>
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

/* How many whole numbers, and nothing else, a line consists of; 0: something else. */
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

foray_status fy_file_kind_of(foray_context *ctx, const char *path, fy_file_kind *out)
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
