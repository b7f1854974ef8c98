/* codec.c - episodes and policies as bytes. */
#include "run/codec.h"

static int width_for(int64_t count)
{
    return count <= 1 << 8 ? 1 : count <= 1 << 16 ? 2 : 4;
}

fy_codec fy_codec_for(const foray_model *model, fy_episode_kind kind)
{
    fy_codec codec = {.states = foray_model_states(model),
                      .actions = foray_model_actions(model),
                      .horizon = foray_model_horizon(model),
                      .stride = kind == FY_EPISODE_QUERIES ? 2 : 1,
                      .recorded = kind == FY_EPISODE_RECORDED};
    bool room = width_for(codec.actions + 1) == width_for(codec.actions);
    codec.ends = foray_model_is_open(model)                            ? 2
                 : codec.recorded || (room && kind == FY_EPISODE_WALK) ? 1
                                                                       : 0;
    codec.episode_states = codec.stride * (codec.horizon - 1) + 2;
    codec.state_bytes = width_for(codec.states);
    codec.action_bytes = width_for(codec.actions + codec.ends);
    codec.episode_bytes = (size_t)codec.episode_states * (size_t)codec.state_bytes +
                          (size_t)codec.horizon * (size_t)codec.action_bytes;
    return codec;
}

void fy_pack(const int32_t *value, int64_t count, int width, uint8_t *out)
{
    if (width == 1) {
        for (int64_t i = 0; i < count; i++)
            out[i] = (uint8_t)value[i];
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        for (int byte = 0; byte < width; byte++)
            out[i * width + byte] = (uint8_t)((uint32_t)value[i] >> (8 * byte));
    }
}

bool fy_unpack(const uint8_t *data, int64_t count, int width, int64_t limit, int32_t *out)
{
    bool valid = true;
    for (int64_t i = 0; i < count; i++) {
        uint32_t value = 0;
        for (int byte = 0; byte < width; byte++)
            value |= (uint32_t)data[i * width + byte] << (8 * byte);
        valid = valid && value < limit;
        out[i] = (int32_t)value;
    }
    return valid;
}

void fy_codec_encode(const fy_codec *codec, const int32_t *states, const int32_t *actions,
                     uint8_t *out)
{
    fy_pack(states, codec->episode_states, codec->state_bytes, out);
    out += codec->episode_states * codec->state_bytes;
    fy_pack(actions, codec->horizon, codec->action_bytes, out);
    for (int64_t t = codec->horizon; codec->ends > 0 && t > 0 && actions[t - 1] < 0; t--) {
        const int32_t ended = (int32_t)codec->actions + FORAY_OVER - actions[t - 1];
        fy_pack(&ended, 1, codec->action_bytes, out + (t - 1) * codec->action_bytes);
    }
}

bool fy_codec_decode(const fy_codec *codec, const uint8_t *data, int32_t *states, int32_t *actions)
{
    bool valid = fy_unpack(data, codec->episode_states, codec->state_bytes, codec->states, states);
    data += codec->episode_states * codec->state_bytes;
    valid &=
        fy_unpack(data, codec->horizon, codec->action_bytes, codec->actions + codec->ends, actions);
    int32_t last = actions[codec->horizon - 1], most = (int32_t)codec->actions;
    for (int64_t t = codec->horizon; last >= most && t > 0 && actions[t - 1] == last; t--)
        actions[t - 1] = FORAY_OVER - (last - most);
    for (int64_t t = 0; t < codec->horizon; t++) /* none after the end, but one before it */
        valid &= actions[t] < codec->actions && (t > 0 || actions[t] >= 0);
    return valid;
}
