/* import.c - foray_model_import: from a table to a model and a reward. */
#include "base/document.h"
#include "import/table.h"

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

/* What most rows earn need not be written. */
static double usual_reward(const fy_transitions *table)
{
    double usual = table->row[0].reward;
    int64_t votes = 0;
    for (int64_t i = 0; i < table->rows; i++) {
        if (votes == 0)
            usual = table->row[i].reward;
        votes += table->row[i].reward == usual ? 1 : -1;
    }
    return usual;
}

/* A reward file, version 2: values of (s,a,s') in the table's own unit. Where every pair has a law
 * of its own, what has probability 0 cannot follow, and is left out. */
static foray_status print_reward(const fy_transitions *table, const char *name, bool by_pair,
                                 char **out)
{
    fy_writer text = {.ctx = table->ctx};
    double low = 0, high = 0, usual = usual_reward(table);
    bool first = true;
    for (int64_t i = 0; i < table->rows; i++) {
        low = table->row[i].reward < low ? table->row[i].reward : low;
        high = table->row[i].reward > high ? table->row[i].reward : high;
    }
    if (low == high) /* a reward that is always 0 */
        high = 1;
    fy_print(&text, "{\"format\":\"foray-reward\",\"version\":2,\"name\":");
    fy_json_put_text(&text, name);
    fy_print(&text, ",\"range\":[");
    fy_document_put_real(&text, low);
    fy_print(&text, ",");
    fy_document_put_real(&text, high);
    fy_print(&text, "],\"default\":");
    fy_document_put_real(&text, usual);
    fy_print(&text, ",\"entries\":[");
    for (int64_t i = 0; i < table->rows; i++) {
        const fy_transition *row = &table->row[i];
        if (row->reward == usual || (by_pair && !(row->probability > 0)))
            continue;
        fy_print(&text, "%s\n[null,%" PRId32 ",%" PRId32 ",%" PRId32 ",", first ? "" : ",",
                 row->state, row->action, row->next);
        fy_document_put_real(&text, row->reward);
        fy_print(&text, "]");
        first = false;
    }
    fy_print(&text, "]}\n");
    return fy_writer_take(&text, "the reward", out, NULL);
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

foray_status foray_model_import(foray_context *ctx, const char *path,
                                const foray_import_options *options, foray_model **model,
                                char **reward, foray_import_facts *facts)
{
    const char *laws, *column;
    fy_transitions table = {0};
    char *stem = NULL;
    foray_model *made = NULL;
    if (options->horizon < 1)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "%s does not say how long episodes are: give a horizon", path);
    foray_status status = read_laws(ctx, options->laws ? options->laws : "pair", &laws, &column);
    if (status == FORAY_OK)
        status = fy_transitions_read(ctx, path, column, &table);
    if (status == FORAY_OK)
        status = fy_transitions_begin(&table, options->initial);
    if (status == FORAY_OK)
        status = fy_transitions_end(&table);
    if (status == FORAY_OK && !(stem = stem_of(ctx, path)))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status = fy_transitions_model(&table, laws, options->horizon, stem, options->forget_theta,
                                      &made);
    if (status == FORAY_OK && reward) {
        *reward = NULL;
        if (table.has_reward)
            status = print_reward(&table, "own", strcmp(laws, "pair") == 0, reward);
    }
    if (status == FORAY_OK) {
        *model = made;
        if (facts)
            *facts = (foray_import_facts){table.rows, table.ends, table.twins};
    } else {
        foray_model_destroy(made);
    }
    free(stem);
    fy_transitions_free(&table);
    return status;
}
