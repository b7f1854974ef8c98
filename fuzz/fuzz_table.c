/* Transition tables as CSV: what is accepted is a valid model, and its reward can be read. The
 * first byte chooses how laws are shared, and whether rows go to a temporary file, in pieces of how
 * many: the model is then the same. */
#include "fuzz.h"

/* The same rows, in pieces: accepted as well, or refused for the same reason. */
static void import_in_pieces(foray_context *ctx, const char *path, foray_import_options options,
                             int64_t rows, foray_status expected, const foray_model *model)
{
    char *bytes, *others, message[1024];
    size_t size, other_size;
    foray_model *other = NULL;
    snprintf(message, sizeof message, "%s", foray_message(ctx));
    options.folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    options.memory = 56 * rows;
    foray_status status = foray_model_import(ctx, &path, 1, &options, &other, NULL, NULL);
    assert(status == expected);
    assert(status == FORAY_OK || strcmp(message, foray_message(ctx)) == 0);
    if (status != FORAY_OK)
        return;
    assert(foray_model_print(ctx, model, FORAY_MODEL_COMPACT, &bytes, &size) == FORAY_OK);
    assert(foray_model_print(ctx, other, FORAY_MODEL_COMPACT, &others, &other_size) == FORAY_OK);
    assert(size == other_size && memcmp(bytes, others, size) == 0);
    foray_free(bytes);
    foray_free(others);
    foray_model_destroy(other);
}

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
    if (data[0] & 4)
        import_in_pieces(ctx, path, options, 1 + data[0] / 8, status, model);
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
