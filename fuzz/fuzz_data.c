/* Recorded data as CSV: what is accepted are episodes that the model allows. */
#include "fuzz.h"

static bool check_episode(void *user, const foray_recorded *episode)
{
    const foray_model *model = user;
    assert(episode->steps >= 1 && episode->steps <= foray_model_horizon(model));
    assert(episode->line >= 2 && strlen(episode->episode) < FORAY_LABEL_SIZE);
    for (int64_t t = 0; t < episode->steps; t++) {
        const int32_t *next;
        int64_t count =
            foray_model_successors(model, episode->states[t], episode->actions[t], &next);
        bool found = false;
        for (int64_t j = 0; j < count; j++)
            found |= next[j] == episode->states[t + 1];
        assert(found);
    }
    return true;
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
    fuzz_explained(ctx, foray_data_read(ctx, model, path, check_episode, model));
    unlink(path);
    return 0;
}
