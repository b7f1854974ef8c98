/* kind.c - what a file is, by how it begins: so that whoever mixes up two files is told so, and
 * not what the wrong parser makes of the first line. */
#include "base/base.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { BEGINNING = 4096 };

static bool begins(const char *text, size_t size, const char *with)
{
    size_t length = strlen(with);
    return size >= length && memcmp(text, with, length) == 0;
}

static size_t skip_spaces(const char *text, size_t at, size_t size)
{
    while (at < size && strchr(" \t\r\n", text[at]) && text[at])
        at++;
    return at;
}

static size_t utf8_mark(const char *text, size_t size)
{
    return begins(text, size, "\xEF\xBB\xBF") ? 3 : 0;
}

static const char wide[] = "text in UTF-16 (save it as UTF-8)";

static bool is_wide(const char *text, size_t size)
{
    return begins(text, size, "\xFF\xFE") || begins(text, size, "\xFE\xFF");
}

foray_status fy_text_mark(foray_context *ctx, const char *where, const void *text, size_t size,
                          size_t *mark)
{
    if (is_wide(text, size))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: this is %s", where, wide);
    *mark = utf8_mark(text, size);
    return FORAY_OK;
}

/* {..., "format" : "foray-KIND", ...}; no deeper than the beginning reaches. */
static const char *kind_of_json(const char *text, size_t size)
{
    static const struct {
        const char *format, *kind;
    } known[] = {{"\"foray-model\"", "a model"},
                 {"\"foray-reward\"", "a reward"},
                 {"\"foray-policy\"", "a policy"}};
    static const char key[] = "\"format\"";
    for (size_t at = 0; at < size; at++) {
        if (!begins(text + at, size - at, key))
            continue;
        at = skip_spaces(text, at + strlen(key), size);
        at = skip_spaces(text, at < size && text[at] == ':' ? at + 1 : size, size);
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (begins(text + at, size - at, known[i].format))
                return known[i].kind;
        return NULL;
    }
    return NULL;
}

const char *fy_kind_of(const void *data, size_t size)
{
    const char *text = data;
    size_t at = skip_spaces(text, utf8_mark(text, size), size);
    if (is_wide(text, size))
        return wide;
    if (begins(text, size, "SQLite format 3"))
        return "a run";
    if (begins(text, size,
               "\x89"
               "FORAYM\n"))
        return "a model";
    if (begins(text + at, size - at, "<!DOCTYPE html") ||
        begins(text + at, size - at, "<!doctype html"))
        return "a page";
    return at < size && text[at] == '{'
               ? kind_of_json(text + at, size - at < BEGINNING ? size - at : BEGINNING)
               : NULL;
}

/* Pipes are not touched: what was read from them could not be read again. */
static const char *kind_of_file(const char *path)
{
    struct stat facts;
    char start[BEGINNING];
    if (stat(path, &facts) != 0)
        return NULL;
    if (S_ISDIR(facts.st_mode))
        return "a directory";
    if (!S_ISREG(facts.st_mode))
        return NULL;
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    size_t size = fread(start, 1, sizeof start, file);
    fclose(file);
    return fy_kind_of(start, size);
}

foray_status fy_file_expect(foray_context *ctx, const char *path, const char *expected)
{
    const char *kind = kind_of_file(path);
    if (!kind || strcmp(kind, expected) == 0)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: this is %s, but %s is expected", path, kind,
                   expected);
}
