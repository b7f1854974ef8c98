/* names.h - states and actions by number or by name, found fast. */
#ifndef FY_NAMES_H
#define FY_NAMES_H

#include "base/csv.h"

typedef struct fy_names {
    const char *what; /* they are: "state" or "action" */
    int64_t count;
    char *const *name; /* [count], or NULL: numbers only; entries may be NULL */
    int32_t *slot;     /* open addressing: index + 1, negative where others have the name, or 0 */
    uint64_t mask;
} fy_names;

/* The names must outlive it. */
foray_status fy_names_create(foray_context *ctx, const char *what, int64_t count, char *const *name,
                             fy_names *out);
void fy_names_destroy(fy_names *names);

/* What fy_names_find says instead of an index: there is none such, or several have the name. */
enum { FY_NAMES_NONE = -1, FY_NAMES_SEVERAL = -2 };

/* Digits alone are a number; what else reads as a whole number ("7.0") is one unless it is a
 * name. */
int64_t fy_names_find(const fy_names *names, const char *text);

/* The same for a cell of a CSV file, in one of the `columns` that it was opened with; where it
 * names none of them, or several, the message has the file, the line and the column. */
foray_status fy_names_read(foray_context *ctx, const fy_names *names, const char *path,
                           const fy_csv *csv, const char *const *columns, int64_t column,
                           int32_t *out);

#endif
