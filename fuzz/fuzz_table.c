/* Transition tables as CSV: what is accepted is a valid model, and its reward can be read. The
 * first byte chooses how laws are shared. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const laws[] = {"pair", "action", "all", "column:law"};
    static foray_context *ctx;
    if (size == 0)
        return 0;
    if (!ctx)
        ctx = foray_context_create();
    foray_import_options options = {
        .size = sizeof options, .horizon = 3, .initial = "0", .laws = laws[data[0] % 4]};
    foray_model *model = NULL;
    foray_reward *reward;
    foray_import_rewards rewards = {0};
    const char *path = fuzz_file(data + 1, size - 1);
    foray_status status = foray_model_import(ctx, &path, 1, &options, &model, &rewards, NULL);
    fuzz_explained(ctx, status);
    if (status == FORAY_OK) {
        assert(foray_model_check(ctx, model, NULL) == FORAY_OK);
        for (int64_t i = 0; i < rewards.count; i++) {
            assert(foray_reward_parse(ctx, model, rewards.text[i], strlen(rewards.text[i]),
                                      rewards.name[i], &reward) == FORAY_OK);
            foray_reward_destroy(reward);
        }
    }
    foray_model_destroy(model);
    foray_import_rewards_clear(&rewards);
    unlink(path);
    return 0;
}
