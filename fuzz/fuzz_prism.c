/* PRISM's explicit files: what is accepted is a valid model with rewards that can be read. Lines
 * of '@' part the transitions, states, labels, state rewards and transition rewards. */
#include "fuzz.h"

enum { FILES = 5 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const ending[FILES] = {".tra", ".sta", ".lab", ".srew", ".trew"};
    static foray_context *ctx;
    char path[FILES][300];
    const char *paths[FILES];
    int64_t count = 0;
    if (!ctx)
        ctx = foray_context_create();
    for (bool more = true; more && count < FILES; count++) {
        const uint8_t *end = size ? memchr(data, '@', size) : NULL;
        size_t length = end ? (size_t)(end - data) : size;
        const char *made = fuzz_file(data, length);
        snprintf(path[count], sizeof path[count], "%s%s", made, ending[count]);
        assert(rename(made, path[count]) == 0);
        paths[count] = path[count];
        more = end != NULL;
        data += length + more;
        size -= length + more;
    }
    foray_import_options options = {
        .size = sizeof options, .horizon = 3, .initial = "0", .format = "prism"};
    foray_model *model = NULL;
    foray_reward *reward;
    foray_import_rewards rewards = {0};
    foray_status status = foray_model_import(ctx, paths, count, &options, &model, &rewards, NULL);
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
    for (int64_t i = 0; i < count; i++)
        unlink(path[i]);
    return 0;
}
