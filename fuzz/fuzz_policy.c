/* Policies as JSON: what is accepted has actions in range and a known mode. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    foray_context *ctx = foray_context_create();
    foray_policy *policy = NULL;
    const char *path = fuzz_file(data, size);
    foray_status status = foray_policy_load(ctx, path, &policy);
    fuzz_explained(ctx, status);
    if (status == FORAY_OK) {
        assert(foray_mode_name(policy->mode) != NULL);
        for (int64_t i = 0; i < policy->horizon * policy->states; i++)
            assert(policy->action[i] >= 0 && policy->action[i] < policy->actions);
    }
    foray_policy_destroy(policy);
    unlink(path);
    foray_context_destroy(ctx);
    return 0;
}
