/* Policies as JSON: what is accepted has actions in range and a known mode, and reads back from
 * what is printed as the same text. A few bytes may stand for billions of actions, since a row
 * holds until the next; here they may not. */
#include "fuzz.h"

#include "policy/policy.h"
#include "aggregate/clusters.h"

enum { MAX = 1 << 20 };

static foray_status parse(foray_context *ctx, const char *text, size_t size, foray_policy **out)
{
    return fy_policy_parse(ctx, text, size, "policy", MAX, out);
}

static void check_again(foray_context *ctx, const foray_policy *policy)
{
    char *text, *again;
    size_t size, other;
    foray_policy *read;
    /* Names that are no UTF-8 do not pass the parser, so that everything can be printed. */
    assert(foray_policy_print(ctx, policy, &text, &size) == FORAY_OK);
    assert(parse(ctx, text, size, &read) == FORAY_OK);
    assert(foray_policy_print(ctx, read, &again, &other) == FORAY_OK);
    assert(size == other && memcmp(text, again, size) == 0);
    foray_policy_destroy(read);
    foray_free(text);
    foray_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    foray_context *ctx = foray_context_create();
    foray_policy *policy = NULL;
    foray_clusters *clusters = NULL;
    foray_status status = parse(ctx, (const char *)data, size, &policy);
    fuzz_explained(ctx, status);
    if (status == FORAY_OK) {
        assert(foray_mode_name(policy->mode) != NULL);
        for (int64_t i = 0; i < policy->horizon * policy->states; i++)
            assert(policy->action[i] >= 0 && policy->action[i] < policy->actions);
        check_again(ctx, policy);
        status = fy_policy_clusters_open(ctx, policy, &clusters);
        fuzz_explained(ctx, status);
    }
    foray_clusters_destroy(clusters);
    foray_policy_destroy(policy);
    foray_context_destroy(ctx);
    return 0;
}
