/* rows.c - numbers in named columns, in memory and on disk. */
#include "base/parameter.h"
#include "draw/table.h"
#include "work/work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const size_t file_limit = (size_t)64 << 20;

foray_status fy_rows_add(foray_context *ctx, fy_rows *rows, const double *row)
{
    size_t size;
    if (!fy_size_mul((size_t)rows->columns, sizeof *row, &size))
        return fy_fail(ctx, FORAY_ERROR_MEMORY, "too many columns");
    double *value = fy_grow(ctx, rows->value, &rows->capacity, rows->count + 1, size);
    if (!value)
        return FORAY_ERROR_MEMORY;
    rows->value = value;
    memcpy(value + rows->count++ * rows->columns, row, size);
    return FORAY_OK;
}

static char *part_path(foray_context *ctx, const fy_folder *folder, const char *part)
{
    char name[FY_PART_NAME + 64];
    fy_format(name, sizeof name, "%s/%s.csv", folder->parts, part);
    return fy_folder_path(ctx, folder, name);
}

foray_status fy_rows_write(foray_context *ctx, const fy_folder *folder, const char *part,
                           const char *const *heading, const fy_rows *rows)
{
    if (fy_was_stopped(ctx)) /* rows of what was cut short are not to be found later */
        return FORAY_INTERRUPTED;
    fy_table table = fy_table_begin(ctx, rows->columns, heading);
    fy_writer text = {.ctx = ctx};
    for (int64_t i = 0; i < rows->count; i++)
        for (int64_t c = 0; c < rows->columns; c++)
            fy_table_shortest(&table, fy_rows_at(rows, i)[c]);
    fy_table_print_csv(&table, &text);
    fy_table_free(&table);
    char *path = part_path(ctx, folder, part);
    text.failed |= !path;
    foray_status status = fy_text_save(&text, path);
    free(path);
    return status;
}

/* One line of numbers, of which an empty one is NaN; *at moves past it. */
static bool read_row(const char **at, int64_t columns, double *row)
{
    for (int64_t c = 0; c < columns; c++) {
        size_t length = strcspn(*at, ",\n");
        row[c] = NAN;
        if (length > 0 && !fy_number_read(*at, length, &row[c]))
            return false;
        *at += length;
        if (**at != (c + 1 < columns ? ',' : '\n'))
            return false;
        ++*at;
    }
    return true;
}

/* The heading must be the one written here, then at least one row, up to the end. */
static foray_status parse_rows(foray_context *ctx, const char *path, const char *const *heading,
                               const char *content, fy_rows *rows)
{
    fy_table table = fy_table_begin(ctx, rows->columns, heading);
    fy_writer first = {.ctx = ctx};
    double *row = NULL;
    fy_table_print_csv(&table, &first);
    fy_table_free(&table);
    foray_status status =
        !first.failed && FY_ALLOC(ctx, row, rows->columns) ? FORAY_OK : FORAY_ERROR_MEMORY;
    bool good = status == FORAY_OK && strncmp(content, (char *)first.data, first.size) == 0;
    const char *at = good ? content + first.size : "";
    while (status == FORAY_OK && good && *at) {
        good = read_row(&at, rows->columns, row);
        if (good)
            status = fy_rows_add(ctx, rows, row);
    }
    if (status == FORAY_OK && (!good || rows->count == 0))
        status = fy_fail(ctx, FORAY_ERROR_INPUT,
                         "%s: not the rows of a run; remove it to have that run made again", path);
    free(first.data);
    free(row);
    return status;
}

foray_status fy_rows_read(foray_context *ctx, const fy_folder *folder, const char *part,
                          const char *const *heading, bool *found, fy_rows *rows)
{
    struct stat about;
    uint8_t *content = NULL;
    size_t size;
    char *path = part_path(ctx, folder, part);
    if (!path)
        return FORAY_ERROR_MEMORY;
    bool there = stat(path, &about) == 0;
    foray_status status = FORAY_OK;
    if (there)
        status = fy_file_read(ctx, path, file_limit, &content, &size);
    if (there && status == FORAY_OK)
        status = parse_rows(ctx, path, heading, (const char *)content, rows);
    if (status == FORAY_OK)
        *found = there;
    free(content);
    free(path);
    return status;
}
