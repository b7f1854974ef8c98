/* csv.h - comma separated values, read as a stream of records.
 *
 * UTF-8, commas, quotes as RFC 4180 has them, lines that end in LF or CRLF. Lines that begin
 * with '#' are comments, empty lines are skipped. The first record is a header that names the
 * columns, in any order; a name that is not known, or there twice, is an error, and so is a
 * record of another length. Spaces around a cell that is not quoted do not count. */
#ifndef FY_CSV_H
#define FY_CSV_H

#include "base/base.h"

typedef struct fy_csv fy_csv;

/* Opens a file and reads its header. `column` names all columns that there may be, ended by NULL:
 * the first `required` of them must be there. `plain` is NULL, or for files that may lack the
 * header: where the first record holds numbers only, the columns are those of `plain`, in this
 * order, or the first of them. */
foray_status fy_csv_open(foray_context *ctx, const char *path, const char *const *column,
                         int64_t required, const char *const *plain, fy_csv **out);
/* The same where `column` names what is wanted, all of it required, of files that may have other
 * columns, which are skipped. */
foray_status fy_csv_open_among(foray_context *ctx, const char *path, const char *const *column,
                               fy_csv **out);
void fy_csv_close(fy_csv *csv);

/* Does the file have this column? */
bool fy_csv_has(const fy_csv *csv, int64_t column);

/* Goes to the next record; *more is false at the end of the file. */
foray_status fy_csv_next(fy_csv *csv, bool *more);

/* A cell of the record by the place of its column in `column`; NULL: the file has no such column.
 * Valid until the next record. */
const char *fy_csv_cell(const fy_csv *csv, int64_t column);

/* The line on which the record begins, from 1. */
int64_t fy_csv_line(const fy_csv *csv);

/* Would a spreadsheet take this cell for a formula, and do what it says? Quotes do not help. */
bool fy_is_formula(const char *cell);

#endif
