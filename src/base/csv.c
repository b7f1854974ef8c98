/* csv.c - see csv.h. */
#include "base/csv.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CHUNK = 1 << 16,
    MAX_COLUMNS = 64,
    MAX_BYTES = 1 << 20, /* of a record: longer ones are not what we are here for */
};

struct fy_csv {
    foray_context *ctx;
    char *path;
    int file;
    uint8_t chunk[CHUNK];
    size_t at, filled;
    int64_t line, record_line; /* of the next byte, and where the record began */
    const char *const *column, *const *plain;
    bool among;                 /* other columns do not matter */
    bool pending;               /* the first record is data, and has not been handed out */
    int64_t columns;            /* that the header names */
    int64_t place[MAX_COLUMNS]; /* [columns that there may be] where in the record; -1: nowhere */
    fy_writer record;           /* cells, each with a final 0 */
    size_t cell[MAX_COLUMNS];   /* where each begins */
    int64_t cells;
};

/* ------------------------------------------------------------------------------ bytes */

enum { END = -1, BROKEN = -2 };

static int fill_chunk(fy_csv *csv)
{
    ssize_t got;
    do
        got = read(csv->file, csv->chunk, CHUNK);
    while (got < 0 && errno == EINTR);
    if (got < 0) {
        fy_message_set(csv->ctx, "%s: cannot read: %s", csv->path, strerror(errno));
        return BROKEN;
    }
    csv->at = 0;
    csv->filled = (size_t)got;
    return got == 0 ? END : csv->chunk[0];
}

static int peek(fy_csv *csv)
{
    return csv->at < csv->filled ? csv->chunk[csv->at] : fill_chunk(csv);
}

/* The byte that peek() saw. */
static void take(fy_csv *csv)
{
    csv->line += csv->chunk[csv->at++] == '\n';
}

static foray_status bad_line(fy_csv *csv, const char *cause)
{
    return fy_fail(csv->ctx, FORAY_ERROR_INPUT, "%s:%" PRId64 ": %s", csv->path, csv->record_line,
                   cause);
}

/* ------------------------------------------------------------------------------ cells */

static foray_status begin_cell(fy_csv *csv)
{
    if (csv->cells == MAX_COLUMNS)
        return bad_line(csv, "too many columns");
    csv->cell[csv->cells++] = csv->record.size;
    return FORAY_OK;
}

static foray_status add_byte(fy_csv *csv, int byte)
{
    const uint8_t one = (uint8_t)byte;
    if (byte == 0)
        return bad_line(csv, "a byte that is 0");
    if (csv->record.size >= MAX_BYTES)
        return bad_line(csv, "longer than a megabyte");
    fy_write_bytes(&csv->record, &one, 1);
    return csv->record.failed ? FORAY_ERROR_MEMORY : FORAY_OK;
}

static foray_status end_cell(fy_csv *csv)
{
    fy_write_bytes(&csv->record, "", 1);
    return csv->record.failed ? FORAY_ERROR_MEMORY : FORAY_OK;
}

static void skip_spaces(fy_csv *csv)
{
    for (int byte = peek(csv); byte == ' ' || byte == '\t'; byte = peek(csv))
        take(csv);
}

/* Up to the comma or the end of the line, without spaces at the end. */
static foray_status plain_cell(fy_csv *csv)
{
    foray_status status = FORAY_OK;
    for (int byte = peek(csv); status == FORAY_OK && byte >= 0 && byte != ',' && byte != '\n';
         byte = peek(csv)) {
        take(csv);
        if (byte == '"')
            return bad_line(csv, "a quote within a cell that does not begin with one");
        status = add_byte(csv, byte);
    }
    while (csv->record.size > csv->cell[csv->cells - 1] &&
           strchr(" \t\r", csv->record.data[csv->record.size - 1]))
        csv->record.size--;
    return status;
}

/* "a ""quoted"" cell", which may hold commas and lines. */
static foray_status quoted_cell(fy_csv *csv)
{
    foray_status status = FORAY_OK;
    take(csv);
    while (status == FORAY_OK) {
        int byte = peek(csv);
        if (byte < 0)
            return byte == BROKEN ? FORAY_ERROR_IO : bad_line(csv, "a quote is never closed");
        take(csv);
        if (byte == '"') {
            if (peek(csv) != '"')
                break;
            take(csv);
        }
        status = add_byte(csv, byte);
    }
    skip_spaces(csv);
    if (peek(csv) == '\r')
        take(csv);
    int byte = peek(csv);
    if (status == FORAY_OK && byte >= 0 && byte != ',' && byte != '\n')
        return bad_line(csv, "something follows a closed quote");
    return status;
}

static foray_status read_record(fy_csv *csv)
{
    csv->record.size = 0;
    csv->cells = 0;
    for (;;) {
        foray_status status = begin_cell(csv);
        skip_spaces(csv);
        if (status == FORAY_OK)
            status = peek(csv) == '"' ? quoted_cell(csv) : plain_cell(csv);
        if (status == FORAY_OK)
            status = end_cell(csv);
        if (status != FORAY_OK)
            return status;
        int byte = peek(csv);
        if (byte == BROKEN)
            return FORAY_ERROR_IO;
        if (byte != END)
            take(csv);
        if (byte != ',')
            return FORAY_OK;
    }
}

/* Past comments and empty lines. */
static int skip_to_record(fy_csv *csv)
{
    for (;;) {
        int byte = peek(csv);
        if (byte == '#') {
            for (; byte >= 0 && byte != '\n'; byte = peek(csv))
                take(csv);
        } else if (byte == '\n' || byte == '\r') {
            take(csv);
        } else {
            return byte;
        }
    }
}

/* ---------------------------------------------------------------------------- records */

static foray_status next_record(fy_csv *csv, bool *more)
{
    int byte = skip_to_record(csv);
    if (byte == BROKEN)
        return FORAY_ERROR_IO;
    csv->record_line = csv->line;
    *more = byte != END;
    return *more ? read_record(csv) : FORAY_OK;
}

foray_status fy_csv_next(fy_csv *csv, bool *more)
{
    foray_status status = FORAY_OK;
    *more = true;
    if (!csv->pending)
        status = next_record(csv, more);
    csv->pending = false;
    if (status == FORAY_OK && *more && csv->cells != csv->columns)
        return fy_fail(csv->ctx, FORAY_ERROR_INPUT,
                       "%s:%" PRId64 ": %" PRId64 " cells, but the header names %" PRId64
                       " columns",
                       csv->path, csv->record_line, csv->cells, csv->columns);
    return status;
}

static const char *cell_at(const fy_csv *csv, int64_t place)
{
    return (const char *)csv->record.data + csv->cell[place];
}

const char *fy_csv_cell(const fy_csv *csv, int64_t column)
{
    return csv->place[column] >= 0 ? cell_at(csv, csv->place[column]) : NULL;
}

bool fy_csv_has(const fy_csv *csv, int64_t column)
{
    return csv->place[column] >= 0;
}

int64_t fy_csv_line(const fy_csv *csv)
{
    return csv->record_line;
}

/* ----------------------------------------------------------------------------- header */

static foray_status place_column(fy_csv *csv, int64_t place, const char *name)
{
    for (int64_t i = 0; csv->column[i]; i++) {
        if (strcmp(csv->column[i], name) != 0)
            continue;
        if (csv->place[i] >= 0)
            return fy_fail(csv->ctx, FORAY_ERROR_INPUT,
                           "%s:%" PRId64 ": the column '%s' is there twice", csv->path,
                           csv->record_line, name);
        csv->place[i] = place;
        return FORAY_OK;
    }
    char known[256] = "";
    size_t used = 0;
    if (csv->among)
        return FORAY_OK;
    for (int64_t i = 0; csv->column[i] && used < sizeof known; i++)
        used += (size_t)fy_format(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                  csv->column[i]);
    return fy_fail(csv->ctx, FORAY_ERROR_INPUT,
                   "%s:%" PRId64 ": '%.60s' is not one of the columns that may be here: %s",
                   csv->path, csv->record_line, name, known);
}

/* A file without a header begins with a record of numbers. */
static bool begins_with_numbers(const fy_csv *csv)
{
    double number;
    for (int64_t i = 0; i < csv->cells; i++)
        if (!fy_number_read(cell_at(csv, i), strlen(cell_at(csv, i)), &number))
            return false;
    return csv->plain != NULL;
}

static foray_status read_header(fy_csv *csv, int64_t required)
{
    bool more;
    if (peek(csv) == BROKEN)
        return FORAY_ERROR_IO;
    foray_status status = fy_text_mark(csv->ctx, csv->path, csv->chunk, csv->filled, &csv->at);
    if (status != FORAY_OK)
        return status;
    status = next_record(csv, &more);
    if (status == FORAY_OK && !more)
        status = fy_fail(csv->ctx, FORAY_ERROR_INPUT,
                         "%s: empty, but a line that names the columns is expected", csv->path);
    for (int64_t i = 0; i < MAX_COLUMNS; i++)
        csv->place[i] = -1;
    csv->columns = csv->cells;
    csv->pending = status == FORAY_OK && begins_with_numbers(csv);
    for (int64_t i = 0; i < csv->cells && status == FORAY_OK; i++) {
        if (csv->pending && !csv->plain[i])
            return bad_line(csv, "more numbers than columns, and no line that names these");
        status = place_column(csv, i, csv->pending ? csv->plain[i] : cell_at(csv, i));
    }
    for (int64_t i = 0; i < required && status == FORAY_OK; i++)
        if (csv->place[i] < 0)
            status =
                fy_fail(csv->ctx, FORAY_ERROR_INPUT, "%s:%" PRId64 ": the column '%s' is missing",
                        csv->path, csv->record_line, csv->column[i]);
    return status;
}

static foray_status open_csv(foray_context *ctx, const char *path, const char *const *column,
                             int64_t required, const char *const *plain, bool among, fy_csv **out)
{
    fy_csv *csv;
    if (!FY_ALLOC(ctx, csv, 1))
        return FORAY_ERROR_MEMORY;
    csv->ctx = ctx;
    csv->line = 1;
    csv->column = column;
    csv->plain = plain;
    csv->among = among;
    csv->record.ctx = ctx;
    csv->path = fy_text(ctx, path);
    csv->file = open(path, O_RDONLY | O_CLOEXEC);
    foray_status status = csv->path ? FORAY_OK : FORAY_ERROR_MEMORY;
    if (status == FORAY_OK && csv->file < 0)
        status = fy_fail(ctx, FORAY_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
    if (status == FORAY_OK)
        status = fy_file_expect(ctx, path, "a CSV file");
    if (status == FORAY_OK)
        status = read_header(csv, required);
    if (status == FORAY_OK)
        *out = csv;
    else
        fy_csv_close(csv);
    return status;
}

foray_status fy_csv_open(foray_context *ctx, const char *path, const char *const *column,
                         int64_t required, const char *const *plain, fy_csv **out)
{
    return open_csv(ctx, path, column, required, plain, false, out);
}

foray_status fy_csv_open_among(foray_context *ctx, const char *path, const char *const *column,
                               fy_csv **out)
{
    int64_t count = 0;
    while (column[count])
        count++;
    return open_csv(ctx, path, column, count, NULL, true, out);
}

void fy_csv_close(fy_csv *csv)
{
    if (!csv)
        return;
    if (csv->file >= 0)
        close(csv->file);
    free(csv->record.data);
    free(csv->path);
    free(csv);
}

bool fy_is_formula(const char *cell)
{
    double number;
    return *cell && strchr("=+-@\t\r", *cell) && !fy_number_read(cell, strlen(cell), &number);
}
