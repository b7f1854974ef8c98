/* Models in the unified Markov binary format: what is accepted is a valid model with rewards that
 * can be read, and can be written again. If the first byte is 0 the rest is a file; otherwise an
 * index.json, a byte 0, and members, each with a byte that chooses its name, its length in bytes of
 * four, and its content: so the sums of headers are right. */
#include "fuzz.h"

#include "export/export.h"

static void put_members(fy_writer *tar, const uint8_t *data, size_t size)
{
    static const char *const name[] = {
        "state-to-choices.bin",
        "choice-to-branches.bin",
        "branch-to-target.bin",
        "branch-to-probability.bin",
        "state-is-initial.bin",
        "actions/choices/values.bin",
        "actions/choices/string-mapping.bin",
        "actions/choices/strings.bin",
        "annotations/aps/g/states/values.bin",
        "annotations/rewards/r/states/values.bin",
        "annotations/rewards/r/choices/values.bin",
        "annotations/rewards/r/branches/values.bin",
        "valuations/states/valuations.bin",
        "valuations/states/string-mapping.bin",
        "valuations/states/strings.bin",
    };
    const uint8_t *end = size ? memchr(data, 0, size) : NULL;
    size_t at = end ? (size_t)(end - data) : size;
    fy_tar_add(tar, "index.json", data, at);
    for (at++; at + 2 < size;) {
        size_t length = (size_t)data[at + 1] * 4;
        const char *member = name[data[at] % (sizeof name / sizeof *name)];
        at += 2;
        length = length < size - at ? length : size - at;
        fy_tar_add(tar, member, data + at, length);
        at += length;
    }
    fy_tar_end(tar);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static foray_context *ctx;
    if (size < 2)
        return 0;
    if (!ctx)
        ctx = foray_context_create();
    fy_writer tar = {.ctx = ctx};
    if (data[0])
        put_members(&tar, data + 1, size - 1);
    else
        fy_write_bytes(&tar, data + 1, size - 1);
    assert(!tar.failed);
    foray_import_options options = {
        .size = sizeof options, .horizon = 3, .initial = "0", .format = "umb"};
    foray_model *model = NULL;
    foray_reward *reward;
    foray_import_rewards rewards = {0};
    const char *path = fuzz_file(tar.data, tar.size);
    foray_status status = foray_model_import(ctx, &path, 1, &options, &model, &rewards, NULL);
    fuzz_explained(ctx, status);
    if (status == FORAY_OK) {
        fy_export_options what = {0};
        char *again;
        assert(foray_model_check(ctx, model, NULL) == FORAY_OK);
        for (int64_t i = 0; i < rewards.count; i++) {
            assert(foray_reward_parse(ctx, model, rewards.text[i], strlen(rewards.text[i]),
                                      rewards.name[i], &reward) == FORAY_OK);
            foray_reward_destroy(reward);
        }
        assert(fy_model_export(ctx, model, &what, "umb", &again, &size) == FORAY_OK);
        foray_free(again);
    }
    foray_model_destroy(model);
    foray_import_rewards_clear(&rewards);
    free(tar.data);
    unlink(path);
    return 0;
}
