/* folder.c - a directory that knows the terms its parts were made on, and the rows of each part.
 * Every file appears whole or not at all, so that whatever is there after a kill can be used. */
#include "work/lab.h"
#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const size_t terms_limit = (size_t)1 << 20, rows_limit = (size_t)64 << 20;

char *fy_folder_path(foray_context *ctx, const fy_folder *folder, const char *name)
{
    size_t size = strlen(folder->path) + strlen(name) + 2;
    char *path = fy_alloc(ctx, size, 1);
    if (path)
        fy_format(path, size, "%s/%s", folder->path, name);
    return path;
}

foray_status fy_folder_save(const fy_folder *folder, const char *name, fy_writer *text)
{
    char *path = fy_folder_path(text->ctx, folder, name);
    text->failed |= !path;
    foray_status status = fy_text_save(text, path);
    free(path);
    return status;
}

/* The first line in which the terms differ, as a message. */
static foray_status compare_terms(foray_context *ctx, const fy_folder *folder, const char *has,
                                  const char *asked)
{
    while (*has && *asked) {
        int length = (int)strcspn(has, "\n"), other = (int)strcspn(asked, "\n");
        if (length != other || memcmp(has, asked, (size_t)length) != 0)
            return fy_fail(ctx, FORAY_ERROR_USAGE,
                           "%s: the %s there was started with \"%.*s\", not \"%.*s\": "
                           "use another directory",
                           folder->path, folder->what, length, has, other, asked);
        has += length + (has[length] == '\n');
        asked += other + (asked[other] == '\n');
    }
    if (*has || *asked)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "%s: the %s there has other settings: use another directory", folder->path,
                       folder->what);
    return FORAY_OK;
}

static foray_status make_directory(foray_context *ctx, const char *path)
{
    struct stat about;
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return fy_fail(ctx, FORAY_ERROR_IO, "%s: cannot make the directory: %s", path,
                       strerror(errno));
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode))
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%s exists, but is not a directory", path);
    return FORAY_OK;
}

/* Something that was there before? What a kill left of writing the terms was not: it is called
 * after them, with a number behind. */
static bool is_foreign(const char *name, const char *terms_path)
{
    const char *slash = strrchr(terms_path, '/'), *terms = slash ? slash + 1 : terms_path;
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
           (strncmp(name, terms, strlen(terms)) != 0 || name[strlen(terms)] != '.');
}

/* Terms that are there must be those asked for; *found: there are some. */
static foray_status check_terms(foray_context *ctx, const fy_folder *folder, const char *path,
                                const char *terms, bool *found)
{
    struct stat about;
    uint8_t *has;
    size_t size;
    *found = stat(path, &about) == 0;
    if (!*found)
        return FORAY_OK;
    foray_status status = fy_file_read(ctx, path, terms_limit, &has, &size);
    if (status != FORAY_OK)
        return status;
    status = compare_terms(ctx, folder, (const char *)has, terms);
    free(has);
    return status;
}

static bool is_empty(const fy_folder *folder, const char *path)
{
    DIR *listing = opendir(folder->path);
    bool empty = true;
    for (struct dirent *entry; listing && (entry = readdir(listing));)
        empty &= !is_foreign(entry->d_name, path);
    if (listing)
        closedir(listing);
    return empty;
}

/* Terms that are there must be those asked for; else the directory must be empty. Another process
 * may write the same terms at the same time, so each look is followed by one at the terms. */
static foray_status agree_on_terms(foray_context *ctx, const fy_folder *folder, const char *path,
                                   const char *terms)
{
    bool found;
    foray_status status = check_terms(ctx, folder, path, terms, &found);
    if (status != FORAY_OK || found)
        return status;
    bool empty = is_empty(folder, path);
    status = check_terms(ctx, folder, path, terms, &found);
    if (status != FORAY_OK || found)
        return status;
    if (!empty)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "%s is not empty and holds no %s: use another directory", folder->path,
                       folder->what);
    status = fy_file_write(ctx, path, false, terms, strlen(terms));
    if (status != FORAY_ERROR_IO)
        return status;
    foray_status other = check_terms(ctx, folder, path, terms, &found);
    return found ? other : status;
}

foray_status fy_folder_open(foray_context *ctx, const fy_folder *folder, const char *terms)
{
    char name[64];
    foray_status status = make_directory(ctx, folder->path);
    if (status != FORAY_OK)
        return status;
    fy_format(name, sizeof name, "%s.txt", folder->what);
    char *path = fy_folder_path(ctx, folder, name);
    char *parts = fy_folder_path(ctx, folder, folder->parts);
    status = path && parts ? agree_on_terms(ctx, folder, path, terms) : FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status = make_directory(ctx, parts);
    free(path);
    free(parts);
    return status;
}

/* ----------------------------------------------------------------------------- rows */

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
            fy_table_exact(&table, fy_rows_at(rows, i)[c]);
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
        status =
            fy_fail(ctx, FORAY_ERROR_INPUT,
                    "%s: not the rows of a cell; remove it to have that cell made again", path);
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
        status = fy_file_read(ctx, path, rows_limit, &content, &size);
    if (there && status == FORAY_OK)
        status = parse_rows(ctx, path, heading, (const char *)content, rows);
    if (status == FORAY_OK)
        *found = there;
    free(content);
    free(path);
    return status;
}
