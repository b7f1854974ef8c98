/* terms.c - what the rows of a comparison depend on. */
#include "compare/compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Which model, whatever it is called. */
static foray_status model_hash(foray_context *ctx, const foray_model *model, uint64_t *hash)
{
    char *data;
    size_t size;
    foray_status status = foray_model_print(ctx, model, FORAY_MODEL_COMPACT, &data, &size);
    if (status == FORAY_OK) {
        *hash = fy_hash(data, size, 0);
        free(data);
    }
    return status;
}

foray_status fy_compare_terms(const fy_compare *compare, fy_writer *text)
{
    const foray_comparison *what = compare->what;
    const foray_parameter *row;
    char value[128], number[FORAY_NUMBER_SIZE];
    uint64_t hash = 0;
    foray_status status = model_hash(compare->ctx, compare->model, &hash);
    fy_print(text, "foray comparison, version 1\nforay %s\nworld %s\nmodel %016" PRIx64 "\n",
             foray_version(), compare->world, hash);
    fy_print(text, "mode %s\nrewards %" PRId64 "\ngoals %" PRId64 "\nrounds %" PRId64,
             foray_mode_name(what->mode), what->rewards, what->goals, what->rounds);
    if (what->reward)
        fy_print(text, "\nreward %s %016" PRIx64, what->reward->name, fy_reward_hash(what->reward));
    fy_print(text, "\ntime limit %s\n", foray_shortest(what->seconds, number));
    for (int64_t i = 0; (row = fy_settings_row(&what->settings, i)) && status == FORAY_OK; i++) {
        if (strcmp(row->name, "algorithm") == 0)
            continue;
        status = foray_settings_get(compare->ctx, &what->settings, row->name, value, sizeof value);
        fy_print(text, "%s %s\n", row->name, value);
    }
    fy_write_bytes(text, "", 1);
    return status == FORAY_OK && text->failed ? FORAY_ERROR_MEMORY : status;
}
