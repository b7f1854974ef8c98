/* import.c - foray_model_import: from the files of others to a model and rewards. */
#include "import/prism.h"
#include "import/table.h"
#include "import/umb.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* "FrozenLake-v1_4x4" of "tables/FrozenLake-v1_4x4.csv". */
static char *stem_of(foray_context *ctx, const char *path)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const char *end = strrchr(name, '.');
    char *stem = fy_text(ctx, name);
    if (stem && end && end != name)
        stem[end - name] = 0;
    return stem;
}

/* "column:NAME" -> "column" and NAME. */
static foray_status read_laws(foray_context *ctx, const char *laws, const char **kind,
                              const char **column)
{
    static const char *const kinds[] = {"pair", "action", "all"};
    *column = NULL;
    if (strncmp(laws, "column:", 7) == 0 && laws[7]) {
        *kind = "column";
        *column = laws + 7;
        return FORAY_OK;
    }
    for (int i = 0; i < 3; i++)
        if (strcmp(laws, kinds[i]) == 0) {
            *kind = kinds[i];
            return FORAY_OK;
        }
    return fy_fail(ctx, FORAY_ERROR_USAGE,
                   "laws are shared by pair, action, all or column:NAME, not by '%s'", laws);
}

/* ------------------------------------------------------------------------------ files */

static const char *format_name(fy_file_kind kind)
{
    return kind == FY_FILE_TABLE ? "csv" : kind == FY_FILE_ARCHIVE ? "umb" : "prism";
}

/* All files must have the same format, and unless it is PRISM's there is only one. */
static foray_status find_format(foray_context *ctx, const char *const *path, int64_t paths,
                                const char *wanted, fy_prism_file *file, const char **out)
{
    for (int64_t i = 0; i < paths; i++) {
        file[i].path = path[i];
        foray_status status = fy_file_kind_of(ctx, path[i], &file[i].kind);
        if (status != FORAY_OK)
            return status;
        const char *format = format_name(file[i].kind);
        if (wanted && strcmp(format, wanted) != 0)
            return fy_fail(ctx, FORAY_ERROR_INPUT, "%s looks like %s, not like %s", path[i], format,
                           wanted);
        if (i > 0 && (strcmp(format, *out) != 0 || strcmp(format, "prism") != 0))
            return fy_fail(ctx, FORAY_ERROR_USAGE,
                           "%s and %s do not belong together: several files are those of one "
                           "PRISM model",
                           path[0], path[i]);
        *out = format;
    }
    return FORAY_OK;
}

static foray_status read_files(foray_context *ctx, const char *const *path, int64_t paths,
                               const foray_import_options *options, const char *column,
                               fy_transitions *out)
{
    fy_prism_file *file;
    const char *format = NULL;
    if (!FY_ALLOC(ctx, file, paths))
        return FORAY_ERROR_MEMORY;
    foray_status status = find_format(ctx, path, paths, options->format, file, &format);
    if (status == FORAY_OK && strcmp(format, "csv") == 0)
        status = fy_transitions_read(out, column);
    else if (status == FORAY_OK && column)
        status = fy_fail(ctx, FORAY_ERROR_USAGE, "%s has no columns that could name laws", path[0]);
    else if (status == FORAY_OK && strcmp(format, "prism") == 0)
        status = fy_prism_read(file, paths, out);
    else if (status == FORAY_OK)
        status = fy_umb_read(out);
    free(file);
    return status;
}

/* ------------------------------------------------------------------------------ model */

static foray_status make_model(fy_transitions *table, const foray_import_options *options,
                               const char *laws, foray_model **out)
{
    char *stem = NULL;
    foray_status status = fy_transitions_begin(table, options->initial);
    if (status == FORAY_OK)
        status = fy_transitions_end(table);
    if (status == FORAY_OK && !(stem = stem_of(table->ctx, table->path)))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status =
            fy_transitions_model(table, laws, options->horizon, stem, options->forget_theta, out);
    free(stem);
    return status;
}

foray_status foray_model_import(foray_context *ctx, const char *const *path, int64_t paths,
                                const foray_import_options *options, foray_model **model,
                                foray_import_rewards *rewards, foray_import_facts *facts)
{
    const char *laws, *column;
    fy_transitions table;
    foray_model *made = NULL;
    if (paths < 1)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "no file to import");
    if (options->horizon < 1)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "%s does not say how long episodes are: give a horizon", path[0]);
    foray_status status = read_laws(ctx, options->laws ? options->laws : "pair", &laws, &column);
    fy_transitions_open(ctx, path[0], &table);
    if (status == FORAY_OK)
        status = read_files(ctx, path, paths, options, column, &table);
    if (status == FORAY_OK)
        status = make_model(&table, options, laws, &made);
    if (status == FORAY_OK && rewards)
        status = fy_transitions_rewards(&table, strcmp(laws, "pair") == 0, rewards);
    if (status == FORAY_OK) {
        *model = made;
        if (facts)
            *facts = (foray_import_facts){table.rows.count, table.ends, table.twins};
    } else {
        foray_model_destroy(made);
    }
    fy_transitions_free(&table);
    return status;
}
