/* settings.c - everything that follows from FORAY_SETTINGS_TABLE. */
#include "base/base.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum setting_kind { KIND_TEXT, KIND_INTEGER, KIND_REAL, KIND_CHOICE } setting_kind;

typedef struct setting {
    const char *name;
    setting_kind kind;
    size_t offset;
    double real_least, real_most;
    int64_t integer_least, integer_most;
    const char *choices; /* separated by spaces */
    const char *help;
} setting;

#define AT(field) offsetof(foray_settings, field)
#define ROW_TEXT(field, fallback, help_text)                                                       \
    {.name = #field, .kind = KIND_TEXT, .offset = AT(field), .help = (help_text)},
#define ROW_INTEGER(field, fallback, least, most, help_text)                                       \
    {.name = #field,                                                                               \
     .kind = KIND_INTEGER,                                                                         \
     .offset = AT(field),                                                                          \
     .integer_least = (least),                                                                     \
     .integer_most = (most),                                                                       \
     .help = (help_text)},
#define ROW_REAL(field, fallback, least, most, help_text)                                          \
    {.name = #field,                                                                               \
     .kind = KIND_REAL,                                                                            \
     .offset = AT(field),                                                                          \
     .real_least = (least),                                                                        \
     .real_most = (most),                                                                          \
     .help = (help_text)},
#define ROW_CHOICE(field, fallback, names, help_text)                                              \
    {.name = #field,                                                                               \
     .kind = KIND_CHOICE,                                                                          \
     .offset = AT(field),                                                                          \
     .choices = (names),                                                                           \
     .help = (help_text)},

static const setting rows[] = {FORAY_SETTINGS_TABLE(ROW_TEXT, ROW_INTEGER, ROW_REAL, ROW_CHOICE)};
enum { ROWS = sizeof rows / sizeof rows[0], TEXT_SIZE = sizeof((foray_settings *)0)->algorithm };

/* ------------------------------------------------------------- field access */

static void *field(foray_settings *settings, const setting *row)
{
    return (char *)settings + row->offset;
}

static const void *field_const(const foray_settings *settings, const setting *row)
{
    return (const char *)settings + row->offset;
}

static bool same_name(const char *a, const char *b)
{
    for (; *a != 0 && *b != 0; a++, b++)
        if (*a != *b && !((*a == '-' || *a == '_') && (*b == '-' || *b == '_')))
            return false;
    return *a == *b;
}

static const setting *find(const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (same_name(name, rows[i].name))
            return &rows[i];
    return NULL;
}

/* The n-th of words separated by spaces, and its length; NULL past the end. */
static const char *word(const char *words, int n, size_t *length)
{
    for (;; n--, words += *length + 1) {
        *length = strcspn(words, " ");
        if (n == 0)
            return words;
        if (words[*length] == 0)
            return NULL;
    }
}

/* ------------------------------------------------------------------ defaults */

void foray_settings_default(foray_settings *settings)
{
    memset(settings, 0, sizeof *settings);
#define DEFAULT_TEXT(name, fallback, help)                                                         \
    snprintf(settings->name, sizeof settings->name, "%s", fallback);
#define DEFAULT_NUMBER(name, fallback, least, most, help) settings->name = (fallback);
#define DEFAULT_CHOICE(name, fallback, choices, help) settings->name = (fallback);
    FORAY_SETTINGS_TABLE(DEFAULT_TEXT, DEFAULT_NUMBER, DEFAULT_NUMBER, DEFAULT_CHOICE)
}

void foray_settings_literal(foray_settings *settings)
{
    settings->radius = FORAY_RADIUS_THEOREM;
    settings->centring = FORAY_OFF;
    settings->blocks = FORAY_OFF;
    settings->clip = FORAY_CLIP_HORIZON;
    settings->replan = FORAY_REPLAN_EVERY;
}

/* ------------------------------------------------------------------- reading */

static foray_status set_integer(foray_context *ctx, const setting *row, const char *value,
                                int64_t *out)
{
    char *end;
    errno = 0;
    long long number = strtoll(value, &end, 10);
    if (end == value || *end != 0)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%s: '%s' is not a whole number", row->name, value);
    if (errno != 0 || number < row->integer_least || number > row->integer_most)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%s: %s, but it must be %" PRId64 " to %" PRId64,
                       row->name, value, row->integer_least, row->integer_most);
    *out = number;
    return FORAY_OK;
}

static foray_status set_real(foray_context *ctx, const setting *row, const char *value, double *out)
{
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end != 0)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%s: '%s' is not a number", row->name, value);
    if (!(number >= row->real_least && number <= row->real_most))
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%s: %s, but it must be %.12g to %.12g", row->name,
                       value, row->real_least, row->real_most);
    *out = number;
    return FORAY_OK;
}

static foray_status set_choice(foray_context *ctx, const setting *row, const char *value, int *out)
{
    size_t length;
    for (int n = 0;; n++) {
        const char *name = word(row->choices, n, &length);
        if (!name)
            return fy_fail(ctx, FORAY_ERROR_USAGE, "%s: '%s', but it must be one of: %s", row->name,
                           value, row->choices);
        if (strlen(value) == length && strncmp(value, name, length) == 0) {
            *out = n;
            return FORAY_OK;
        }
    }
}

foray_status foray_settings_set(foray_context *ctx, foray_settings *settings, const char *name,
                                const char *value)
{
    const setting *row = find(name);
    if (!row)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "there is no setting '%s'", name);
    switch (row->kind) {
    case KIND_TEXT:
        if (strlen(value) >= TEXT_SIZE)
            return fy_fail(ctx, FORAY_ERROR_USAGE, "%s: longer than %d characters", row->name,
                           TEXT_SIZE - 1);
        snprintf(field(settings, row), TEXT_SIZE, "%s", value);
        return FORAY_OK;
    case KIND_INTEGER:
        return set_integer(ctx, row, value, field(settings, row));
    case KIND_REAL:
        return set_real(ctx, row, value, field(settings, row));
    case KIND_CHOICE:
        return set_choice(ctx, row, value, field(settings, row));
    }
    return FORAY_ERROR_USAGE;
}

/* ------------------------------------------------------------------- writing */

static void print(const foray_settings *settings, const setting *row, char *text, size_t size)
{
    const void *at = field_const(settings, row);
    size_t length = 0;
    const char *name;
    char number[FORAY_NUMBER_SIZE];
    switch (row->kind) {
    case KIND_TEXT:
        snprintf(text, size, "%s", (const char *)at);
        break;
    case KIND_INTEGER:
        snprintf(text, size, "%" PRId64, *(const int64_t *)at);
        break;
    case KIND_REAL:
        snprintf(text, size, "%s", foray_shortest(*(const double *)at, number));
        break;
    case KIND_CHOICE:
        name = word(row->choices, *(const int *)at, &length);
        snprintf(text, size, "%.*s", (int)length, name ? name : "");
        break;
    }
}

foray_status foray_settings_get(foray_context *ctx, const foray_settings *settings,
                                const char *name, char *text, size_t size)
{
    const setting *row = find(name);
    if (!row)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "there is no setting '%s'", name);
    char whole[128];
    print(settings, row, whole, sizeof whole);
    if (strlen(whole) >= size)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%s: %zu bytes are too few", name, size);
    snprintf(text, size, "%s", whole);
    return FORAY_OK;
}

/* ------------------------------------------------------------------ checking */

/* Every value must survive being set from its own text: one rule for all kinds. */
static foray_status check_ranges(foray_context *ctx, const foray_settings *settings)
{
    for (size_t i = 0; i < ROWS; i++) {
        char text[128];
        foray_settings scratch = *settings;
        print(settings, &rows[i], text, sizeof text);
        foray_status status = foray_settings_set(ctx, &scratch, rows[i].name, text);
        if (status != FORAY_OK)
            return status;
    }
    return FORAY_OK;
}

foray_status foray_settings_check(foray_context *ctx, const foray_settings *settings)
{
    foray_status status = check_ranges(ctx, settings);
    if (status != FORAY_OK)
        return status;
    bool sharp = settings->radius == FORAY_RADIUS_SHARP;
    if (!sharp && (settings->centring == FORAY_ON || settings->blocks == FORAY_ON))
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "radius: theorem and selfnormalised are defined without centring and "
                       "blocks; use sharp to switch these one by one");
    if (settings->radius == FORAY_RADIUS_THEOREM && settings->lambda != 0.0)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "lambda: the theorem's radius holds for one over the squared norm bound "
                       "only; leave it at 0");
    return FORAY_OK;
}

/* ------------------------------------------------------------------- listing */

static void print_range(const setting *row, char *text, size_t size)
{
    switch (row->kind) {
    case KIND_TEXT:
        snprintf(text, size, "text");
        break;
    case KIND_INTEGER:
        if (row->integer_most >= INT64_MAX / 4)
            snprintf(text, size, "at least %" PRId64, row->integer_least);
        else
            snprintf(text, size, "%" PRId64 " to %" PRId64, row->integer_least, row->integer_most);
        break;
    case KIND_REAL:
        if (row->real_most >= 1e300)
            snprintf(text, size, "at least %g", row->real_least);
        else
            snprintf(text, size, "%g to %g", row->real_least, row->real_most);
        break;
    case KIND_CHOICE:
        snprintf(text, size, "%s", row->choices);
        for (char *at = text; *at != 0; at++)
            *at = *at == ' ' ? '|' : *at;
        break;
    }
}

bool foray_setting_describe(int64_t index, foray_setting_info *info)
{
    if (index < 0 || index >= ROWS)
        return false;
    const setting *row = &rows[index];
    foray_settings defaults;
    foray_settings_default(&defaults);
    info->name = row->name;
    info->help = row->help;
    info->is_choice = row->kind == KIND_CHOICE;
    if (row->kind == KIND_REAL) /* 0.1 rather than 0.10000000000000001 */
        snprintf(info->fallback, sizeof info->fallback, "%g",
                 *(const double *)field_const(&defaults, row));
    else
        print(&defaults, row, info->fallback, sizeof info->fallback);
    print_range(row, info->range, sizeof info->range);
    return true;
}
