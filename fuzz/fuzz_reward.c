/* Rewards as JSON, for a small model: what is accepted lies in its range, can be planned for, and
 * reads back from its own text. */
#include "fuzz.h"

#include <math.h>

static void check_range(const foray_model *model, const foray_reward *reward)
{
    foray_reward_facts facts;
    foray_reward_describe(reward, &facts);
    assert(facts.low < facts.high && facts.discount >= 0 && facts.discount <= 1);
    for (int64_t t = 0; t < foray_model_horizon(model); t++) {
        for (int64_t s = 0; s < foray_model_states(model); s++) {
            const int32_t *next;
            int64_t n = foray_model_successors(model, s, 0, &next);
            for (int64_t j = 0; j < n; j++) {
                double value = foray_reward_next_at(reward, t, s, 0, next[j]);
                assert(value >= facts.low && value <= facts.high);
            }
        }
    }
}

/* The best value is finite, whatever the unit, and never above what the range allows. */
static void check_plan(foray_context *ctx, const foray_model *model, const foray_reward *reward)
{
    foray_reward_facts facts;
    foray_policy *policy = NULL;
    foray_reward_describe(reward, &facts);
    assert(foray_plan_known(ctx, model, reward, &policy) == FORAY_OK);
    double max = fmax(fabs(facts.low), fabs(facts.high)) * (double)foray_model_horizon(model);
    assert(!isnan(policy->expected) && (isinf(max) || fabs(policy->expected) <= max * (1 + 1e-9)));
    foray_policy_destroy(policy);
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
        char *text = NULL, *second = NULL;
        check_range(model, reward);
        check_plan(ctx, model, reward);
        assert(foray_reward_print(ctx, reward, &text, NULL) == FORAY_OK);
        assert(foray_reward_parse(ctx, model, text, strlen(text), "again", &again) == FORAY_OK);
        assert(foray_reward_print(ctx, again, &second, NULL) == FORAY_OK);
        assert(strcmp(text, second) == 0);
        free(text);
        free(second);
    }
    foray_reward_destroy(again);
    foray_reward_destroy(reward);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
    return 0;
}
