/* terms.c - what the rows of a comparison depend on. */
#include "compare/reality.h"

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

/* Everything that is set, a line each, but the algorithm, and the 0 at the end. */
static foray_status print_settings(const fy_compare *compare, fy_writer *text)
{
    const foray_comparison *what = compare->what;
    const foray_parameter *row;
    char value[128], number[FORAY_NUMBER_SIZE];
    foray_status status = FORAY_OK;
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

foray_status fy_compare_terms(const fy_compare *compare, fy_writer *text)
{
    const foray_comparison *what = compare->what;
    uint64_t hash = 0;
    foray_status status = model_hash(compare->ctx, compare->model, &hash);
    fy_print(text, "foray comparison, version 1\nforay %s\nworld %s\nmodel %016" PRIx64 "\n",
             foray_version(), compare->world, hash);
    fy_print(text, "mode %s\nrewards %" PRId64 "\ngoals %" PRId64 "\nrounds %" PRId64,
             foray_mode_name(what->mode), what->rewards, what->goals, what->rounds);
    if (what->reward)
        fy_print(text, "\nreward %s %016" PRIx64, what->reward->name, fy_reward_hash(what->reward));
    return status == FORAY_OK ? print_settings(compare, text) : status;
}

/* All rewards count by their hash; the names of the first are there to be read. */
foray_status fy_reality_terms(const fy_compare *compare, const foray_reality *reality,
                              fy_writer *text)
{
    enum { NAMED = 16 };
    uint64_t hash = 0, rewards = 0;
    foray_status status = model_hash(compare->ctx, compare->model, &hash);
    fy_print(text,
             "foray comparison by rollouts, version 1\nforay %s\nworld %s\nmodel %016" PRIx64 "\n",
             foray_version(), compare->world, hash);
    fy_print(text, "mode %s\nrollouts %" PRId64 "\n", foray_mode_name(compare->what->mode),
             reality->rollouts);
    for (int64_t i = 0; i < reality->rewards; i++) {
        uint64_t own = fy_reward_hash(reality->reward[i]);
        rewards = fy_hash(&own, sizeof own, rewards);
        rewards = fy_hash(&reality->index[i], sizeof reality->index[i], rewards);
        if (i < NAMED)
            fy_print(text, "reward %s\n", reality->reward[i]->name);
    }
    fy_print(text, "rewards %" PRId64 " %016" PRIx64, reality->rewards, rewards);
    return status == FORAY_OK ? print_settings(compare, text) : status;
}
