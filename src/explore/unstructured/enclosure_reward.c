/* enclosure_reward.c - rewards of an unstructured model as rewards of its enclosure (enclosure.c).
 *
 * What was seen earns what it earns. `high` earns hi in every step and `low` earns lo, the range of
 * the reward, and so do transitions there, where the reward depends on what follows; `start` earns
 * 0. Of states to reach or avoid, `high` is one to reach and `low` one to avoid, if there are such:
 * the best and the worst that may become of an episode. */
#include "explore/unstructured/unstructured.h"
#include "model/model.h"
#include "reward/reward.h"

#include <math.h>
#include <stdlib.h>

typedef struct translation {
    foray_context *ctx;
    const fy_enclosure *in;
    const foray_reward *from;
    foray_reward *to;
} translation;

/* What a step from a pair to `next` earns, also where it leads elsewhere. */
static double worth(const translation *t, int64_t state, int64_t action, int64_t next)
{
    const fy_enclosure *in = t->in;
    if (next == in->high)
        return t->from->high;
    if (next == in->low)
        return t->from->low;
    return foray_reward_next_at(t->from, 0, in->state[state], action, in->state[next]);
}

/* Values of a pair that the unstructured model knows. */
static foray_status translate_pair(const translation *t, int64_t state, int64_t action, bool ahead)
{
    const int32_t *next;
    foray_status status = FORAY_OK;
    if (!ahead)
        return foray_reward_set(t->ctx, t->to, -1, state, action,
                                foray_reward_at(t->from, 0, t->in->state[state], action));
    int64_t count = foray_model_successors(t->in->model, state, action, &next);
    for (int64_t j = 0; j < count && status == FORAY_OK; j++)
        status = foray_reward_set_next(t->ctx, t->to, -1, state, action, next[j],
                                       worth(t, state, action, next[j]));
    return status;
}

static foray_status translate_values(translation *t)
{
    const fy_enclosure *in = t->in;
    const foray_model *model = in->model;
    bool ahead = fy_reward_looks_ahead(t->from);
    foray_status status = foray_reward_create(t->ctx, model, t->from->name, fmin(t->from->low, 0),
                                              fmax(t->from->high, 0), 0, &t->to);
    for (int64_t i = 0; i < model->states && status == FORAY_OK; i++)
        for (int64_t a = 0; in->state[i] >= 0 && a < model->actions && status == FORAY_OK; a++)
            status = translate_pair(t, i, a, ahead);
    if (status == FORAY_OK)
        status = foray_reward_set(t->ctx, t->to, -1, in->high, 0, t->from->high);
    return status == FORAY_OK ? foray_reward_set(t->ctx, t->to, -1, in->low, 0, t->from->low)
                              : status;
}

/* States of the enclosure whose end is worth `end`, with the one that stands for the others. */
static int64_t list_ends(const translation *t, double end, int64_t elsewhere, int64_t *out)
{
    int64_t count = 0;
    bool any = false;
    for (int64_t s = 0; s < t->from->states; s++)
        any |= t->from->fixed[s] == end;
    for (int64_t i = 0; any && i < t->in->model->states; i++)
        if (i == elsewhere || (t->in->state[i] >= 0 && t->from->fixed[t->in->state[i]] == end))
            out[count++] = i;
    return count;
}

static foray_status translate_ends(translation *t)
{
    int64_t states = t->in->model->states, *list;
    if (!FY_ALLOC(t->ctx, list, 2 * states))
        return FORAY_ERROR_MEMORY;
    int64_t reaches = list_ends(t, 1, t->in->high, list);
    int64_t avoids = list_ends(t, 0, t->in->low, list + states);
    foray_status status = foray_reward_create_reach(t->ctx, t->in->model, t->from->name, reaches,
                                                    list, avoids, list + states, &t->to);
    free(list);
    return status;
}

foray_status fy_enclosure_reward(foray_context *ctx, const fy_enclosure *enclosure,
                                 const foray_reward *reward, foray_reward **out)
{
    translation t = {.ctx = ctx, .in = enclosure, .from = reward};
    if (!reward->fixed && reward->tables > 1)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "the reward %s depends on the step, which an enclosure does not keep",
                       reward->name);
    foray_status status = reward->fixed ? translate_ends(&t) : translate_values(&t);
    if (status == FORAY_OK)
        status = foray_reward_set_minimise(ctx, t.to, reward->minimise);
    if (status == FORAY_OK)
        status = foray_reward_set_discount(ctx, t.to, reward->discount);
    if (status == FORAY_OK)
        *out = t.to;
    else
        foray_reward_destroy(t.to);
    return status;
}
