/* document.h - what the JSON files of models, rewards and policies have in common. The name
 * of the file (`where`) is put in front of messages by whoever knows it. */
#ifndef FY_DOCUMENT_H
#define FY_DOCUMENT_H

#include "base/base.h"
#include "base/json.h"

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
