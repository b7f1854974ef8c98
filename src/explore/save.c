/* save.c - the state of an explorer as bytes, and back. */
#include "explore/explorer.h"
#include "reward/reward.h"

#include <stdlib.h>
#include <string.h>

/* What must be equal for a saved state to make sense here: the model, the form of the learner,
 * the algorithm with its parameters, its budget where that counts, the seed, and the reward. */
static uint64_t fingerprint(const foray_explorer *explorer)
{
    const foray_model *model = explorer->model;
    const foray_settings *settings = &explorer->settings;
    const fy_explorer_ops *ops = explorer->ops;
    const int64_t shape[] = {model->states,
                             model->actions,
                             model->horizon,
                             model->open ? -1 - model->initials : model->dim,
                             model->generator_sets,
                             settings->seed,
                             settings->radius,
                             settings->centring,
                             settings->blocks,
                             settings->plan_every,
                             ops->needs_budget(explorer) ? settings->episodes : 0};
    const foray_reward *reward = foray_explorer_reward(explorer);
    uint64_t hash = fy_hash(shape, sizeof shape, reward ? fy_reward_hash(reward) : 0);
    hash = fy_hash(&model->feature_error, sizeof model->feature_error, hash);
    if (model->stand_in)
        hash = fy_hash(model->stand_in, (size_t)model->pairs * sizeof *model->stand_in, hash);
    for (int64_t i = 0; i < ops->parameters; i++)
        hash = fy_hash(&explorer->own[i], sizeof explorer->own[i], hash);
    return fy_hash(ops->name, strlen(ops->name), hash);
}

/* Nobody has counted further one by one, and doubles can tell all of these apart. */
#define MOST_COUNTED ((int64_t)1 << 53)

static int64_t read_count(fy_reader *reader)
{
    uint64_t count = fy_read_u64(reader);
    reader->failed |= count > (uint64_t)MOST_COUNTED;
    return reader->failed ? 0 : (int64_t)count;
}

static size_t transitions_of(const foray_explorer *explorer)
{
    return (size_t)explorer->model->succ_start[explorer->model->pairs];
}

foray_status foray_explorer_save(foray_explorer *explorer, uint8_t **data, size_t *size)
{
    if (explorer->step >= 0)
        return fy_explorer_out_of_turn(explorer, "foray_explorer_save");
    fy_writer writer = {.ctx = explorer->ctx};
    fy_write_u64(&writer, fingerprint(explorer));
    fy_write_u64(&writer, (uint64_t)explorer->episodes);
    fy_write_u64(&writer, (uint64_t)explorer->plans);
    fy_write_u64(&writer, explorer->stale);
    fy_write_u64s(&writer, (const uint64_t *)explorer->seen, transitions_of(explorer));
    fy_explorer_save_tests(explorer, &writer);
    explorer->ops->save(explorer, &writer);
    fy_explorer_save_beginnings(explorer, &writer);
    if (writer.failed) {
        free(writer.data);
        return FORAY_ERROR_MEMORY;
    }
    *data = writer.data;
    *size = writer.size;
    return FORAY_OK;
}

foray_status foray_explorer_load(foray_explorer *explorer, const uint8_t *data, size_t size)
{
    if (explorer->step >= 0)
        return fy_explorer_out_of_turn(explorer, "foray_explorer_load");
    fy_reader reader = {.data = data, .size = size};
    if (fy_read_u64(&reader) != fingerprint(explorer) || reader.failed)
        return fy_fail(
            explorer->ctx, FORAY_ERROR_RUN,
            "the saved state belongs to another algorithm, model, radius, seed or reward");
    explorer->episodes = read_count(&reader);
    explorer->plans = read_count(&reader);
    explorer->stale = fy_read_u64(&reader) != 0;
    explorer->table_plans = -1;
    int64_t steps = 0;
    for (size_t i = 0; i < transitions_of(explorer) && !reader.failed; i++) {
        steps += explorer->seen[i] = read_count(&reader);
        reader.failed |= steps > MOST_COUNTED;
    }
    explorer->certifier_after = -1;
    fy_explorer_load_tests(explorer, &reader);
    explorer->ops->load(explorer, &reader);
    fy_explorer_load_beginnings(explorer, &reader);
    if (reader.failed || reader.at != size)
        return fy_fail(explorer->ctx, FORAY_ERROR_RUN, "the saved state is damaged");
    return fy_explorer_unless_stopped(explorer);
}

void fy_read_actions(fy_reader *reader, const foray_model *model, int32_t *action, int64_t count)
{
    fy_read_i32s(reader, action, (size_t)count);
    for (int64_t i = 0; i < count && !reader->failed; i++)
        reader->failed = action[i] < 0 || action[i] >= model->actions ||
                         !fy_available(model, i % model->states * model->actions + action[i]);
}
