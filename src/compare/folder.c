/* folder.c - what a comparison keeps in its directory: the terms it was started with,
 * and one file of rows for each run that ended. Every file appears whole or not at
 * all, so that whatever is there after a kill can be used. */
#include "compare/compare.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const size_t file_limit = (size_t)64 << 20;
static const char terms_name[] = "comparison.txt";

char *fy_folder_path(foray_context *ctx, const fy_compare *compare, const char *name)
{
    size_t size = strlen(compare->directory) + strlen(name) + 2;
    char *path = fy_alloc(ctx, size, 1);
    if (path)
        snprintf(path, size, "%s/%s", compare->directory, name);
    return path;
}

foray_status fy_folder_save(const fy_compare *compare, const char *name, fy_writer *text)
{
    char *path = fy_folder_path(compare->ctx, compare, name);
    text->failed |= !path;
    foray_status status = fy_text_save(text, path);
    free(path);
    return status;
}

/* -------------------------------------------------------------------------- terms */

/* Which model, whatever it is called. */
static foray_status model_hash(foray_context *ctx, const foray_model *model, uint64_t *hash)
{
    uint8_t *data;
    size_t size;
    foray_status status = fy_model_print_compact(ctx, model, &data, &size);
    if (status == FORAY_OK) {
        *hash = fy_hash(data, size, 0);
        free(data);
    }
    return status;
}

/* Everything that rows depend on, but for the algorithm and how many seeds there are. */
static foray_status print_terms(const fy_compare *compare, fy_writer *text)
{
    const foray_comparison *what = compare->what;
    foray_setting_info info;
    char value[128];
    uint64_t hash = 0;
    foray_status status = model_hash(compare->ctx, compare->model, &hash);
    fy_print(text, "foray comparison, version 1\nforay %s\nworld %s\nmodel %016" PRIx64 "\n",
             foray_version(), compare->world, hash);
    fy_print(text, "mode %s\nrewards %" PRId64 "\ngoals %" PRId64 "\nrounds %" PRId64,
             foray_mode_name(what->mode), what->rewards, what->goals, what->rounds);
    if (what->reward)
        fy_print(text, "\nreward %s %016" PRIx64, what->reward->name, fy_reward_hash(what->reward));
    fy_print(text, "\ntime limit %.17g\n", what->seconds);
    for (int64_t i = 0; foray_setting_describe(i, &info) && status == FORAY_OK; i++) {
        if (strcmp(info.name, "algorithm") == 0)
            continue;
        status = foray_settings_get(compare->ctx, &what->settings, info.name, value, sizeof value);
        fy_print(text, "%s %s\n", info.name, value);
    }
    fy_write_bytes(text, "", 1);
    return status == FORAY_OK && text->failed ? FORAY_ERROR_MEMORY : status;
}

/* The first line in which the terms differ, as a message. */
static foray_status compare_terms(const fy_compare *compare, const char *path, const char *has,
                                  const char *asked)
{
    while (*has && *asked) {
        int length = (int)strcspn(has, "\n"), other = (int)strcspn(asked, "\n");
        if (length != other || memcmp(has, asked, (size_t)length) != 0)
            return fy_fail(compare->ctx, FORAY_ERROR_USAGE,
                           "%s: the comparison there was started with \"%.*s\", not \"%.*s\": "
                           "use another directory",
                           path, length, has, other, asked);
        has += length + (has[length] == '\n');
        asked += other + (asked[other] == '\n');
    }
    if (*has || *asked)
        return fy_fail(compare->ctx, FORAY_ERROR_USAGE,
                       "%s: the comparison there has other settings: use another directory", path);
    return FORAY_OK;
}

static bool is_empty(const char *directory)
{
    DIR *listing = opendir(directory);
    bool empty = true;
    for (struct dirent *entry; listing && (entry = readdir(listing));)
        empty &= strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (listing)
        closedir(listing);
    return empty;
}

static foray_status make_directory(foray_context *ctx, const char *path)
{
    struct stat about;
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return fy_fail(ctx, FORAY_ERROR_IO, "%s: cannot make the directory: %s", path,
                       strerror(errno));
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode))
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%s is there already and no directory", path);
    return FORAY_OK;
}

/* Terms that are there must be those asked for; else the directory must be empty. */
static foray_status settle_terms(const fy_compare *compare, const char *path, const char *terms)
{
    struct stat about;
    uint8_t *has;
    size_t size;
    if (stat(path, &about) == 0) {
        foray_status status = fy_file_read(compare->ctx, path, file_limit, &has, &size);
        if (status != FORAY_OK)
            return status;
        status = compare_terms(compare, compare->directory, (const char *)has, terms);
        free(has);
        return status;
    }
    if (!is_empty(compare->directory))
        return fy_fail(compare->ctx, FORAY_ERROR_USAGE,
                       "%s is not empty and holds no comparison: use another directory",
                       compare->directory);
    return fy_file_write(compare->ctx, path, terms, strlen(terms));
}

static foray_status make_runs_directory(const fy_compare *compare)
{
    char *path = fy_folder_path(compare->ctx, compare, "runs");
    if (!path)
        return FORAY_ERROR_MEMORY;
    foray_status status = make_directory(compare->ctx, path);
    free(path);
    return status;
}

foray_status fy_folder_open(const fy_compare *compare)
{
    fy_writer terms = {.ctx = compare->ctx};
    foray_status status = print_terms(compare, &terms);
    if (status == FORAY_OK)
        status = make_directory(compare->ctx, compare->directory);
    if (status == FORAY_OK) {
        char *path = fy_folder_path(compare->ctx, compare, terms_name);
        status = path ? settle_terms(compare, path, (const char *)terms.data) : FORAY_ERROR_MEMORY;
        free(path);
    }
    free(terms.data);
    return status == FORAY_OK ? make_runs_directory(compare) : status;
}

/* --------------------------------------------------------------------------- rows */

foray_status fy_rows_add(foray_context *ctx, fy_rows *rows, const fy_row *row)
{
    if (rows->count == rows->capacity) {
        int64_t capacity = rows->capacity ? 2 * rows->capacity : 32;
        fy_row *more = fy_resize(ctx, rows->row, (size_t)capacity, sizeof *more);
        if (!more)
            return FORAY_ERROR_MEMORY;
        rows->row = more;
        rows->capacity = capacity;
    }
    rows->row[rows->count++] = *row;
    return FORAY_OK;
}

static char *run_path(foray_context *ctx, const fy_compare *compare, int64_t run)
{
    char name[128];
    snprintf(name, sizeof name, "runs/%s-%" PRId64 ".csv", fy_compare_algorithm(compare, run),
             fy_compare_seed(compare, run));
    return fy_folder_path(ctx, compare, name);
}

static fy_table begin_table(foray_context *ctx)
{
    const char *heading[1 + FY_M_ALL] = {"episode"};
    for (int m = 0; m < FY_M_ALL; m++)
        heading[1 + m] = fy_measure_name(m);
    return fy_table_begin(ctx, 1 + FY_M_ALL, heading);
}

foray_status fy_folder_write(foray_context *ctx, const fy_compare *compare, int64_t run,
                             const fy_rows *rows)
{
    fy_table table = begin_table(ctx);
    fy_writer text = {.ctx = ctx};
    for (int64_t i = 0; i < rows->count; i++) {
        fy_table_cell(&table, "%" PRId64, rows->row[i].episode);
        for (int m = 0; m < FY_M_ALL; m++)
            fy_table_exact(&table, rows->row[i].value[m]);
    }
    fy_table_print_csv(&table, &text);
    fy_table_free(&table);
    char *path = run_path(ctx, compare, run);
    text.failed |= !path;
    foray_status status = fy_text_save(&text, path);
    free(path);
    return status;
}

/* One line of numbers; *at moves past it. */
static bool read_row(const char **at, fy_row *row)
{
    char *end;
    row->episode = strtoll(*at, &end, 10);
    bool good = end != *at && row->episode > 0;
    for (int m = 0; m < FY_M_ALL && good; m++) {
        good = *end == ',';
        *at = end + good;
        row->value[m] = good ? strtod(*at, &end) : 0.0;
        bool missing = end == *at && (*end == ',' || *end == '\n');
        if (missing)
            row->value[m] = NAN;
        good &= end != *at || missing;
    }
    good &= *end == '\n';
    *at = end + good;
    return good;
}

static foray_status damaged(foray_context *ctx, const char *path)
{
    return fy_fail(ctx, FORAY_ERROR_INPUT,
                   "%s: not the rows of a run; remove it to have that run made again", path);
}

/* The heading must be the one written here, then rows up to the end. */
static foray_status parse_rows(foray_context *ctx, const char *path, const char *content,
                               fy_rows *rows)
{
    fy_table table = begin_table(ctx);
    fy_writer heading = {.ctx = ctx};
    fy_table_print_csv(&table, &heading);
    fy_table_free(&table);
    foray_status status = FORAY_OK;
    if (heading.failed)
        status = FORAY_ERROR_MEMORY;
    else if (strncmp(content, (const char *)heading.data, heading.size) != 0)
        status = damaged(ctx, path);
    const char *at = content + heading.size;
    free(heading.data);
    while (status == FORAY_OK && *at) {
        fy_row row;
        status = read_row(&at, &row) ? fy_rows_add(ctx, rows, &row) : damaged(ctx, path);
    }
    return status == FORAY_OK && rows->count == 0 ? damaged(ctx, path) : status;
}

foray_status fy_folder_read(foray_context *ctx, const fy_compare *compare, int64_t run, bool *found,
                            fy_rows *rows)
{
    struct stat about;
    uint8_t *content = NULL;
    size_t size;
    char *path = run_path(ctx, compare, run);
    if (!path)
        return FORAY_ERROR_MEMORY;
    *found = stat(path, &about) == 0;
    foray_status status = FORAY_OK;
    if (*found)
        status = fy_file_read(ctx, path, file_limit, &content, &size);
    if (*found && status == FORAY_OK)
        status = parse_rows(ctx, path, (const char *)content, rows);
    free(content);
    free(path);
    return status;
}
