/* json.h - a JSON text taken to pieces, in little memory: a copy of the text and 8 bytes per
 * value. A file of 64 MiB is one of some hundred MiB at work, whatever it contains. */
#ifndef FY_JSON_H
#define FY_JSON_H

#include "base/base.h"

/* Where a value begins in the text, and which node comes after all that it contains. */
typedef struct fy_json_node {
    uint32_t at, end;
} fy_json_node;

/* All values in the order of the text. A member of an object is two: its key and its value. */
typedef struct fy_json_tree {
    char *text; /* a copy, with strings decoded in place and ended by 0 */
    fy_json_node *node;
    uint32_t count;
} fy_json_tree;

/* One value of a tree; no tree where there is none. It lives as long as the tree. */
typedef struct fy_json {
    const fy_json_tree *tree;
    uint32_t node;
} fy_json;

typedef enum fy_json_kind {
    FY_JSON_ABSENT,
    FY_JSON_NULL,
    FY_JSON_FALSE,
    FY_JSON_TRUE,
    FY_JSON_INTEGER, /* without point and exponent */
    FY_JSON_REAL,
    FY_JSON_TEXT,
    FY_JSON_ARRAY,
    FY_JSON_OBJECT,
} fy_json_kind;

/* An object of more members is refused: keys are searched one by one. */
enum { FY_JSON_MEMBERS = 64 };

/* Takes a text of less than 4 GiB to pieces, which the caller releases with fy_json_free.
 * Refused, with the line and column: what RFC 8259 does not allow, text that is not UTF-8,
 * keys given twice, integers beyond 64 bits and others beyond the largest double. */
foray_status fy_json_parse(foray_context *ctx, const char *text, size_t size, const char *where,
                           fy_json_tree *out);
void fy_json_free(fy_json_tree *tree);

fy_json fy_json_root(const fy_json_tree *tree);
fy_json_kind fy_json_kind_of(fy_json value);
bool fy_json_is_number(fy_json value);

/* What an array contains or, of an object, the keys and values in turn. Absent past the end. */
fy_json fy_json_first(fy_json list);
fy_json fy_json_next(fy_json list, fy_json item);
/* Item `index` of an array, for short ones: found by walking. */
fy_json fy_json_item(fy_json array, int64_t index);
/* How many items an array has; 0 for anything else. */
int64_t fy_json_size(fy_json array);
/* The value of a key; absent where `object` has no such key or is none. */
fy_json fy_json_member(fy_json object, const char *key);

/* Only for values of these kinds; a real number may be of either kind of number. */
const char *fy_json_text(fy_json text);
int64_t fy_json_integer(fy_json integer);
double fy_json_real(fy_json number);

/* Is the text UTF-8, as strings in JSON must be? */
bool fy_json_is_utf8(const char *text);
/* Is this a name as all may be: UTF-8, of at most FORAY_NAME_MAX bytes? */
foray_status fy_name_check(foray_context *ctx, const char *name);
/* Writes a text as a JSON string, what is hidden in it escaped; the writer fails if it is not
 * UTF-8. */
void fy_json_put_text(fy_writer *writer, const char *text);

/* -------------------------------------------------------------- documents */

/* What the JSON files of models, rewards and policies have in common. The name
 * of the file (`where`) is put in front of messages by whoever knows it. */

/* Larger files are refused, but for those of fy_document_parse_large. */
#define FY_DOCUMENT_LIMIT ((size_t)64 << 20)

/* Parses an object {"format": format, "version": 1, ...} that has no keys but `keys` (these
 * two among them, ended by NULL). The caller releases *out with fy_json_free. */
foray_status fy_document_parse(foray_context *ctx, const char *text, size_t size, const char *where,
                               const char *format, const char *const *keys, fy_json_tree *out);
/* The same without the limit above. */
foray_status fy_document_parse_large(foray_context *ctx, const char *text, size_t size,
                                     const char *where, const char *format, const char *const *keys,
                                     fy_json_tree *out);
/* The line, from 1, on which a value begins in the text that was parsed. */
int64_t fy_document_line(const char *text, fy_json value);

/* No other keys in `object`; `name` is what it is called in messages. */
foray_status fy_document_keys(foray_context *ctx, fy_json object, const char *name,
                              const char *const *keys);

/* The members of an object, each of a type; missing or of another type: an error. */
foray_status fy_document_real(foray_context *ctx, fy_json object, const char *key, double min,
                              double max, double *out);
foray_status fy_document_integer(foray_context *ctx, fy_json object, const char *key, int64_t min,
                                 int64_t max, int64_t *out);
/* The position of a text among `choices` (ended by NULL). */
foray_status fy_document_choice(foray_context *ctx, fy_json object, const char *key,
                                const char *const *choices, int *out);

/* A number that reads back exactly; for strings, fy_json_put_text. */
void fy_document_put_real(fy_writer *writer, double value);

#endif
