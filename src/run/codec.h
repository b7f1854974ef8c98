/* codec.h - episodes and policies as bytes: every state and action takes 1, 2
 * or 4 bytes, the fewest that hold the model's largest. An episode is its
 * horizon+1 states followed by its horizon actions; where steps do not follow
 * from each other, because the algorithm queries any (s,a), it is the state and the
 * next state of every step. Episodes that were cut off, and recorded ones, may be shorter: the
 * actions after their end are FORAY_OVER, and their last state is repeated. Those of open models
 * also end in absorbing states: FORAY_DONE. Both are stored as actions above the largest; with 256
 * or 65,536 actions there is none in as many bytes, and explored episodes must be whole. */
#ifndef FY_CODEC_H
#define FY_CODEC_H

#include "base/base.h"

typedef struct fy_codec {
    int64_t states, actions, horizon;
    int64_t stride;         /* step t goes from state [stride t] to state [stride t + 1]: 1, or 2 */
    int64_t episode_states; /* that are stored of each */
    bool recorded;          /* elsewhere: actions are those of others */
    int ends;               /* how many ways there are to end before the horizon: 0 to 2 */
    int state_bytes, action_bytes;
    size_t episode_bytes;
} fy_codec;

typedef enum fy_episode_kind {
    FY_EPISODE_WALK,
    FY_EPISODE_QUERIES,
    FY_EPISODE_RECORDED
} fy_episode_kind;
fy_codec fy_codec_for(const foray_model *model, fy_episode_kind kind);

/* `count` numbers as `width` bytes each, the lowest byte first. */
void fy_pack(const int32_t *value, int64_t count, int width, uint8_t *out);
/* Back again: false if one of them is not below `limit`. */
bool fy_unpack(const uint8_t *data, int64_t count, int width, int64_t limit, int32_t *out);

void fy_codec_encode(const fy_codec *codec, const int32_t *states, const int32_t *actions,
                     uint8_t *out);
/* False: a state or an action the model does not have. */
bool fy_codec_decode(const fy_codec *codec, const uint8_t *data, int32_t *states, int32_t *actions);

#endif
