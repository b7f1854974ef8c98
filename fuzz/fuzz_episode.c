/* Stored episodes: what is accepted has states and actions of the model, ends at most once, and is
 * stored as the same bytes again. The first byte chooses the model and the kind of episode. */
#include "fuzz.h"

#include "run/run.h"

enum { MODELS = 4, KINDS = 3, HORIZON = 5 };

static const char *const names[MODELS] = {
    "riverswim:states=3,horizon=5",
    "riverswim:states=300,horizon=5",
    "unstructured:states=5,actions=2,horizon=5",
    "unstructured:states=70000,actions=300,horizon=5",
};

static void check_episode(const fy_codec *codec, const int32_t *states, const int32_t *actions)
{
    int32_t ended = 0; /* how, once it has */
    for (int64_t i = 0; i < codec->episode_states; i++)
        assert(states[i] >= 0 && states[i] < codec->states);
    for (int64_t t = 0; t < codec->horizon; t++) {
        assert(actions[t] < codec->actions && (ended == 0 || actions[t] == ended));
        ended = actions[t] < 0 ? actions[t] : 0;
        assert(ended == 0 || (t > 0 && ended >= -codec->ends));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static fy_codec codecs[MODELS][KINDS];
    static foray_model *models[MODELS];
    static const fy_episode_kind kinds[KINDS] = {FY_EPISODE_WALK, FY_EPISODE_QUERIES,
                                                 FY_EPISODE_RECORDED};
    int32_t states[2 * HORIZON], actions[HORIZON];
    if (codecs[0][0].horizon == 0) {
        foray_context *ctx = foray_context_create();
        for (int m = 0; m < MODELS; m++) {
            assert(foray_model_builtin(ctx, names[m], &models[m]) == FORAY_OK);
            for (int k = 0; k < KINDS; k++)
                codecs[m][k] = fy_codec_for(models[m], kinds[k]);
        }
        foray_context_destroy(ctx);
    }
    if (size == 0)
        return 0;
    const foray_model *model = models[data[0] % MODELS];
    const fy_codec *codec = &codecs[data[0] % MODELS][data[0] / MODELS % KINDS];
    if (size - 1 < codec->episode_bytes)
        return 0;
    /* Copies of the very size, so that reading or writing behind them is seen. */
    uint8_t *stored = malloc(codec->episode_bytes), *again = malloc(codec->episode_bytes);
    assert(stored && again);
    memcpy(stored, data + 1, codec->episode_bytes);
    if (fy_codec_decode(codec, model, stored, states, actions)) {
        check_episode(codec, states, actions);
        bool encoded = fy_codec_encode(codec, model, states, actions, again);
        assert(encoded);
        assert(memcmp(stored, again, codec->episode_bytes) == 0);
    }
    free(stored);
    free(again);
    return 0;
}
