/* codec.c - an episode as bits: what the model does not say already.
 *
 * After (s,a) only the successors follow that the model lists, a few of them. So a step is its
 * action and which successor it was, in the explorer's numbers, and the first state comes before
 * all. Each takes the fewest bits that hold the largest, so that every episode has as many bytes.
 */
#include "run/run.h"

/* ------------------------------------------------------------------- widths */

static int bits_for(int64_t count)
{
    int bits = 0;
    while (((int64_t)1 << bits) < count)
        bits++;
    return bits;
}

/* The most successors that a pair has. */
static int64_t max_successors(const foray_model *model)
{
    int64_t max = model->unstructured ? model->states : 1;
    for (int64_t set = 0; !model->unstructured && set < model->generator_sets; set++)
        if (fy_generator_set_size(model, set) > max)
            max = fy_generator_set_size(model, set);
    return max;
}

fy_codec fy_codec_for(const foray_model *model, fy_episode_kind kind)
{
    fy_codec codec = {.states = foray_model_states(model),
                      .actions = foray_model_actions(model),
                      .horizon = foray_model_horizon(model),
                      .stride = kind == FY_EPISODE_QUERIES ? 2 : 1,
                      .recorded = kind == FY_EPISODE_RECORDED};
    codec.ends = codec.stride == 2 ? 0 : foray_model_is_unstructured(model) ? 2 : 1;
    codec.episode_states = codec.stride * (codec.horizon - 1) + 2;
    codec.state_bits = bits_for(codec.states);
    codec.action_bits = bits_for(codec.actions + codec.ends);
    codec.next_bits = bits_for(max_successors(model));
    size_t begins = codec.stride == 2 ? (size_t)codec.horizon : 1;
    size_t bits = begins * (size_t)codec.state_bits +
                  (size_t)codec.horizon * (size_t)(codec.action_bits + codec.next_bits);
    codec.episode_bytes = bits > 0 ? (bits + 7) / 8 : 1;
    return codec;
}

/* --------------------------------------------------------------------- bits */

/* The lowest comes first. */
typedef struct bit_writer {
    uint8_t *at;
    uint64_t word; /* the bits that are held back, fewer than 32 */
    int held;
} bit_writer;

static inline bit_writer put_bits(bit_writer to, int64_t value, int bits)
{
    to.word |= (uint64_t)value << to.held;
    to.held += bits;
    if (to.held < 32)
        return to;
    for (int byte = 0; byte < 4; byte++)
        *to.at++ = (uint8_t)(to.word >> (8 * byte));
    to.word >>= 32;
    to.held -= 32;
    return to;
}

static void end_bits(bit_writer *to)
{
    for (; to->held > 0; to->held -= 8, to->word >>= 8)
        *to->at++ = (uint8_t)to->word;
}

typedef struct bit_reader {
    const uint8_t *at, *end;
    uint64_t word;
    int held;
} bit_reader;

static inline int64_t get_bits(bit_reader *from, int bits)
{
    for (; from->held < bits && from->at < from->end; from->held += 8)
        from->word |= (uint64_t)*from->at++ << from->held;
    int64_t value = (int64_t)(from->word & (((uint64_t)1 << bits) - 1));
    from->word >>= bits;
    from->held -= bits;
    return value;
}

/* Nothing is behind the last value. */
static bool is_at_end(const bit_reader *from)
{
    return from->word == 0 && from->at == from->end;
}

/* ----------------------------------------------------------------- episodes */

/* The explorer's number of a state; -1: it has none. */
static inline int64_t enter(const foray_model *model, int64_t outside)
{
    int64_t states = model->whole ? model->whole->states : model->states;
    return outside >= 0 && outside < states ? fy_inside(model, outside) : -1;
}

/* How step t ended the episode, as a number above all actions. */
static int64_t code_of_end(const fy_codec *codec, int32_t action)
{
    return codec->actions + FORAY_TRUNCATED - action;
}

/* What follows the end: the same way of ending, up to the horizon. */
static bool put_end(const fy_codec *codec, int64_t t, const int32_t *actions, bit_writer to)
{
    int64_t code = code_of_end(codec, actions[t]);
    bool possible = t > 0 && code < codec->actions + codec->ends;
    for (int64_t after = t; after < codec->horizon && possible; after++) {
        possible = actions[after] == actions[t];
        to = put_bits(to, code, codec->action_bits);
        to = put_bits(to, 0, codec->next_bits);
    }
    end_bits(&to);
    return possible;
}

/* The place of one of n numbers, or n. Which it is nobody can foresee, a processor neither: few are
 * looked at to the end. */
static inline int64_t find_among(const int32_t *number, int64_t n, int64_t which)
{
    enum { FEW = 8 };
    int64_t place = 0, before = 1;
    if (n > FEW) {
        while (place < n && number[place] != which)
            place++;
        return place;
    }
    for (int64_t i = 0; i < n; i++) {
        before &= number[i] != which;
        place += before;
    }
    return place;
}

/* Much is copied here so that bytes written may be no part of it, and it stays in registers. */
bool fy_codec_encode(const fy_codec *codec, const foray_model *model, const int32_t *states,
                     const int32_t *actions, uint8_t *out)
{
    bit_writer to = {0};
    const fy_codec c = *codec;
    const int64_t begun = fy_begun(model), *start = model->succ_start;
    const int32_t *succ = model->succ;
    int64_t state = enter(model, states[0]);
    to.at = out;
    for (int64_t t = 0; t < c.horizon; t++) {
        int64_t action = actions[t], next = enter(model, states[c.stride * t + 1]), j = next;
        if (action < 0)
            return put_end(codec, t, actions, to);
        if (state < 0 || state >= begun || action >= c.actions || next < 0)
            return false;
        if (succ) {
            int64_t pair = state * c.actions + action, n = start[pair + 1] - start[pair];
            j = find_among(succ + start[pair], n, next);
            if (j == n)
                return false;
        }
        if (t == 0 || c.stride == 2)
            to = put_bits(to, state, c.state_bits);
        to = put_bits(to, action, c.action_bits);
        to = put_bits(to, j, c.next_bits);
        if (c.stride == 1)
            state = next;
        else if (t + 1 < c.horizon)
            state = enter(model, states[c.stride * (t + 1)]);
    }
    end_bits(&to);
    return true;
}

/* The state that follows (s,a) as its next-th successor; -1: there is none. */
static int64_t follow(const foray_model *model, int64_t state, int64_t action, int64_t next)
{
    if (model->unstructured)
        return next < model->states ? next : -1;
    int64_t start = model->succ_start[state * model->actions + action];
    int64_t end = model->succ_start[state * model->actions + action + 1];
    return next < end - start ? model->succ[start + next] : -1;
}

bool fy_codec_decode(const fy_codec *codec, const foray_model *model, const uint8_t *data,
                     int32_t *states, int32_t *actions)
{
    bit_reader from = {.at = data, .end = data + codec->episode_bytes};
    int64_t state = 0, ended = 0;
    for (int64_t t = 0; t < codec->horizon; t++) {
        int32_t *here = states + codec->stride * t;
        if (t == 0 || codec->stride == 2)
            state = get_bits(&from, codec->state_bits);
        int64_t action = get_bits(&from, codec->action_bits);
        int64_t next = get_bits(&from, codec->next_bits);
        if (action >= codec->actions) { /* and no other way of ending follows */
            if (t == 0 || action >= codec->actions + codec->ends || next != 0 ||
                (ended != 0 && action != ended))
                return false;
            ended = action;
            actions[t] = (int32_t)(codec->actions + FORAY_TRUNCATED - action);
            here[1] = here[0];
            continue;
        }
        if (ended != 0 || state >= fy_begun(model))
            return false;
        here[0] = (int32_t)fy_outside(model, state);
        actions[t] = (int32_t)action;
        state = follow(model, state, action, next);
        if (state < 0)
            return false;
        here[1] = (int32_t)fy_outside(model, state);
    }
    return is_at_end(&from);
}

/* ----------------------------------------------------------------- policies */

int fy_width_for(int64_t count)
{
    return count <= 1 << 8 ? 1 : count <= 1 << 16 ? 2 : 4;
}

void fy_put_narrow(const int32_t *value, int64_t count, int width, uint8_t *out)
{
    for (int64_t i = 0; i < count; i++)
        for (int byte = 0; byte < width; byte++)
            out[i * width + byte] = (uint8_t)((uint32_t)value[i] >> (8 * byte));
}

bool fy_get_narrow(const uint8_t *data, int64_t count, int width, int64_t limit, int32_t *out)
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
