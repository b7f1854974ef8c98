/* csv.c - a table of transitions, and fy_model_export. */
#include "base/csv.h"
#include "base/json.h"
#include "export/export.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A name, in quotes where it needs them, or a number. */
static void put_cell(fy_writer *out, char *const *names, int64_t index)
{
    const char *name = names ? names[index] : NULL;
    if (!name) {
        fy_print(out, "%" PRId64, index);
        return;
    }
    bool quoted =
        strpbrk(name, ",\"\r\n#") || *name == ' ' || !*name || name[strlen(name) - 1] == ' ';
    fy_print(out, "%s", quoted ? "\"" : "");
    for (; *name; name++) {
        if (*name == '"')
            fy_print(out, "\"");
        fy_write_bytes(out, name, 1);
    }
    fy_print(out, "%s", quoted ? "\"" : "");
}

static int compare_names(const void *one, const void *other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

/* Is the number of a state or an action without a name the name of another? */
static bool is_taken(const char *const *sorted, int64_t count, int64_t index)
{
    char number[32];
    const char *word = number;
    fy_format(number, sizeof number, "%" PRId64, index);
    return bsearch(&word, sorted, (size_t)count, sizeof *sorted, compare_names) != NULL;
}

/* Do names, and numbers where there is none, say which is which? Not if two are equal or one is
 * empty, a formula or not all to be seen; nor if all are digits, which are read as numbers, and one
 * is not its own. */
static bool tell_apart(char *const *names, int64_t count, const char **sorted)
{
    int64_t found = 0;
    bool digits = true, own = true, apart = true;
    for (int64_t i = 0; i < count; i++)
        if (names[i]) {
            int64_t number;
            sorted[found++] = names[i];
            digits = digits && !names[i][strspn(names[i], "0123456789")];
            own = own && fy_integer_read(names[i], strlen(names[i]), &number) && number == i;
            apart = apart && *names[i] && !fy_is_formula(names[i]) && !fy_has_hidden(names[i]);
        }
    qsort(sorted, (size_t)found, sizeof *sorted, compare_names);
    for (int64_t i = 1; i < found; i++)
        apart = apart && strcmp(sorted[i - 1], sorted[i]) != 0;
    for (int64_t i = 0; i < count && apart; i++)
        apart = names[i] || !is_taken(sorted, found, i);
    return apart && (own || !digits);
}

/* *out: the names, or NULL where numbers say more. */
static foray_status choose_names(foray_context *ctx, char *const *names, int64_t count,
                                 char *const **out)
{
    const char **sorted = NULL;
    *out = NULL;
    if (!names)
        return FORAY_OK;
    if (!FY_ALLOC(ctx, sorted, count))
        return FORAY_ERROR_MEMORY;
    *out = tell_apart(names, count, sorted) ? names : NULL;
    free(sorted);
    return FORAY_OK;
}

static foray_status export_csv(const fy_export *e, fy_writer *out)
{
    const foray_model *model = e->model;
    char *const *states, *const *actions;
    foray_status status = choose_names(e->ctx, model->state_names, model->states, &states);
    if (status == FORAY_OK)
        status = choose_names(e->ctx, model->action_names, model->actions, &actions);
    if (status != FORAY_OK)
        return status;
    if (e->what->about)
        fy_print(out, "# %s\n", e->what->about);
    fy_print(out, "state,action,next,%s\n", e->probability ? "probability" : "low,high");
    for (int64_t pair = 0; pair < model->pairs; pair++)
        for (int64_t j = model->succ_start[pair];
             fy_export_has(e, pair) && j < model->succ_start[pair + 1]; j++) {
            put_cell(out, states, pair / model->actions);
            fy_print(out, ",");
            put_cell(out, actions, pair % model->actions);
            fy_print(out, ",");
            put_cell(out, states, model->succ[j]);
            fy_print(out, ",");
            fy_document_put_real(out, e->probability ? e->probability[j] : e->low[j]);
            if (!e->probability) {
                fy_print(out, ",");
                fy_document_put_real(out, e->high[j]);
            }
            fy_print(out, "\n");
        }
    return out->failed ? FORAY_ERROR_MEMORY : FORAY_OK;
}

/* ------------------------------------------------------------------------ probabilities */

static foray_status find_probabilities(fy_export *e)
{
    const foray_model *model = e->model;
    double *law = NULL;
    int64_t max = 0;
    if (!model->theta)
        return fy_fail(e->ctx, FORAY_ERROR_USAGE,
                       "%s does not know its probabilities; a run knows intervals for them",
                       model->name);
    for (int64_t i = 0; i < model->generator_sets; i++)
        max = fy_generator_set_size(model, i) > max ? fy_generator_set_size(model, i) : max;
    if (!FY_ALLOC(e->ctx, e->probability, model->succ_start[model->pairs]) ||
        !FY_ALLOC(e->ctx, law, max))
        return FORAY_ERROR_MEMORY;
    for (int64_t pair = 0; pair < model->pairs; pair++) {
        int64_t first = model->succ_start[pair], n = model->succ_start[pair + 1] - first;
        fy_generator_set_probabilities(model, model->theta, model->generator_set[pair], law);
        for (int64_t j = 0; j < n; j++) /* what rounding left outside */
            e->probability[first + j] = fmin(fmax(law[j], 0), 1);
    }
    free(law);
    return FORAY_OK;
}

/* Each must lie in [0,1], and some law in all of a pair. */
static foray_status take_intervals(fy_export *e)
{
    const foray_model *model = e->model;
    int64_t transitions = model->succ_start[model->pairs], i = 0;
    if (!FY_ALLOC(e->ctx, e->low, transitions) || !FY_ALLOC(e->ctx, e->high, transitions))
        return FORAY_ERROR_MEMORY;
    for (int64_t pair = 0; pair < model->pairs; pair++) {
        double low = 0, high = 0;
        bool sound = true;
        if (!fy_export_has(e, pair))
            continue;
        for (int64_t j = model->succ_start[pair]; j < model->succ_start[pair + 1]; j++, i++) {
            e->low[j] = e->what->low[i];
            e->high[j] = e->what->high[i];
            sound = sound && 0 <= e->low[j] && e->low[j] <= e->high[j] && e->high[j] <= 1;
            low += e->low[j];
            high += e->high[j];
        }
        if (!sound || !(low <= 1 + 1e-9 && high >= 1 - 1e-9))
            return fy_fail(e->ctx, FORAY_ERROR_INPUT,
                           "state %" PRId64 ", action %" PRId64
                           ": no law lies within the intervals: the data refute the model",
                           pair / model->actions, pair % model->actions);
    }
    return FORAY_OK;
}

foray_status fy_model_export(foray_context *ctx, const foray_model *model,
                             const fy_export_options *what, const char *format, char **out,
                             size_t *size)
{
    fy_export e = {.ctx = ctx, .model = model, .what = what};
    fy_writer text = {.ctx = ctx};
    bool umb = strcmp(format, "umb") == 0;
    if (!umb && strcmp(format, "csv") != 0)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "models are exported as umb or csv, not as '%s'",
                       format);
    foray_status status = what->low ? take_intervals(&e) : find_probabilities(&e);
    if (status == FORAY_OK)
        status = umb ? fy_export_umb(&e, &text) : export_csv(&e, &text);
    free(e.probability);
    free(e.low);
    free(e.high);
    if (status == FORAY_OK)
        return fy_writer_take(&text, "the model", out, size);
    free(text.data);
    return status;
}
