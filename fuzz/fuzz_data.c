/* Recorded data as CSV: what is accepted are episodes that the model allows. The same bytes as a
 * policy: what is accepted has an action of its state everywhere. */
#include "fuzz.h"
#include "data/episodes.h"

static foray_status check_episode(void *user, const fy_recorded_episode *episode)
{
    const foray_model *model = user;
    assert(episode->steps >= 1 && episode->steps <= foray_model_horizon(model));
    assert(episode->line >= 2 && strlen(episode->episode) < FY_LABEL_BYTES);
    for (int64_t t = 0; t < episode->steps; t++) {
        const int32_t *next;
        int64_t count =
            foray_model_successors(model, episode->states[t], episode->actions[t], &next);
        bool found = false;
        for (int64_t j = 0; j < count; j++)
            found |= next[j] == episode->states[t + 1];
        assert(found);
    }
    return FORAY_OK;
}

static void read_policy(foray_context *ctx, const foray_model *model, const char *path)
{
    foray_policy *policy;
    foray_status status = fy_policy_load_csv(ctx, model, path, &policy);
    fuzz_explained(ctx, status);
    if (status != FORAY_OK)
        return;
    for (int64_t i = 0; i < policy->horizon * policy->states; i++)
        assert(foray_model_available(model, i % policy->states, policy->action[i]));
    foray_policy_destroy(policy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static foray_context *ctx;
    static foray_model *model;
    if (!ctx) {
        ctx = foray_context_create();
        foray_status made = foray_model_builtin(ctx, "riverswim:states=3,horizon=2", &model);
        if (made != FORAY_OK)
            abort();
    }
    const char *path = fuzz_file(data, size);
    fuzz_explained(ctx, fy_data_read(ctx, model, path, check_episode, model));
    read_policy(ctx, model, path);
    unlink(path);
    return 0;
}
