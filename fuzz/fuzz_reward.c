/* Rewards as JSON, for a small model: what is accepted lies in [0,1] and reads
 * back from its own text. */
#include "fuzz.h"

static void check_range(const foray_model *model, const foray_reward *reward)
{
    for (int64_t t = 0; t < foray_model_horizon(model); t++) {
        for (int64_t s = 0; s < foray_model_states(model); s++) {
            double value = foray_reward_at(reward, t, s, 0);
            assert(value >= 0.0 && value <= 1.0);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    foray_context *ctx = foray_context_create();
    foray_model *model = NULL;
    foray_reward *reward = NULL, *again = NULL;
    assert(foray_model_builtin(ctx, "riverswim", &model) == FORAY_OK);
    foray_status status =
        foray_reward_parse(ctx, model, (const char *)data, size, "input", &reward);
    fuzz_explained(ctx, status);
    if (status == FORAY_OK) {
        char *text = NULL;
        check_range(model, reward);
        assert(foray_reward_print(ctx, reward, &text, NULL) == FORAY_OK);
        assert(foray_reward_parse(ctx, model, text, strlen(text), "again", &again) == FORAY_OK);
        free(text);
    }
    foray_reward_destroy(again);
    foray_reward_destroy(reward);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
    return 0;
}
