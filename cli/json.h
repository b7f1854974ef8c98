/* json.h - one JSON object, written piece by piece into memory and printed at the end, so that
 * nothing is printed of an object that cannot be completed. The first failure sticks: calls
 * after it do nothing, and cli_json_end says what it was. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { CLI_JSON_DEPTH = 8, CLI_JSON_PROBLEM = 256 };

typedef struct cli_json {
    char *text; /* so far, with a 0 behind it; NULL: nothing */
    size_t size, room;
    int depth;                      /* objects and lists that are open */
    char close[CLI_JSON_DEPTH];     /* what ends each of them */
    bool empty;                     /* the innermost has no items yet */
    char problem[CLI_JSON_PROBLEM]; /* the first failure; "": none */
} cli_json;

/* Opens the object. */
void cli_json_begin(cli_json *json);
/* Closes it and prints it, or prints nothing and returns the first failure; NULL: none. The
 * text of a failure lies in `json`. */
const char *cli_json_end(cli_json *json, FILE *stream);
/* Instead of the end. */
void cli_json_drop(cli_json *json);

/* Makes this the failure, if it is the first one. */
void cli_json_fail(cli_json *json, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Items of the innermost object, or list: there the key is not used. */
void cli_json_object(cli_json *json, const char *key);
void cli_json_list(cli_json *json, const char *key);
void cli_json_close(cli_json *json);
/* NULL is null. Bytes that are not UTF-8 become '?'. */
void cli_json_text(cli_json *json, const char *key, const char *value);
void cli_json_integer(cli_json *json, const char *key, int64_t value);
void cli_json_flag(cli_json *json, const char *key, bool value);
/* In as few digits as read back the same; null where it is not finite. */
void cli_json_real(cli_json *json, const char *key, double value);

#endif
