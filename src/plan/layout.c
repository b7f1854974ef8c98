/* layout.c - see layout.h. A plain reward needs its tables alone: all else stays NULL, and PLAN
 * does what it always did. */
#include "plan/layout.h"

#include <math.h>
#include <stdlib.h>

foray_status fy_layout_create(fy_arena *arena, const foray_model *model, bool ahead, fy_layout *out)
{
    int64_t H = model->horizon, transitions = model->succ_start[model->pairs];
    fy_layout layout = {.model = model};
    ahead = ahead && transitions <= INT32_MAX;
    if (!FY_NEW(arena, layout.table, H) || !FY_NEW(arena, layout.next, H) ||
        !FY_NEW(arena, layout.scale, H) || !FY_NEW(arena, layout.limit, H) ||
        !FY_NEW(arena, layout.ending, model->states) ||
        (ahead && !FY_NEW(arena, layout.target, 2 * transitions)) ||
        (ahead && !FY_NEW(arena, layout.place, transitions)))
        return FORAY_ERROR_MEMORY;
    *out = layout;
    return FORAY_OK;
}

/* g^t, and c_h = g^t + g^(t+1) + ...: what values can be at most. */
static void set_discount(fy_layout *layout, double discount)
{
    double power = 1, sum = 0;
    for (int64_t t = 0; t < layout->model->horizon; t++) {
        layout->scale[t] = power;
        power *= discount;
    }
    for (int64_t t = layout->model->horizon - 1; t >= 0; t--)
        layout->limit[t] = sum += layout->scale[t];
    layout->reward.scale = layout->scale;
    layout->reward.limit = layout->limit;
}

/* V_{H+1}; values are probabilities. */
static void set_stops(fy_layout *layout, const foray_reward *reward)
{
    for (int64_t s = 0; s < reward->states; s++)
        layout->ending[s] = reward->endings           ? reward->endings[s]
                            : isnan(reward->fixed[s]) ? reward->ending
                                                      : reward->fixed[s];
    for (int64_t t = 0; t < reward->horizon; t++)
        layout->limit[t] = 1;
    layout->reward.fixed = reward->fixed;
    layout->reward.ending = layout->ending;
    layout->reward.limit = layout->limit;
}

void fy_layout_set(fy_layout *layout, const foray_reward *reward)
{
    layout->reward = (fy_plan_reward){.table = layout->table, .cap = INFINITY};
    for (int64_t t = 0; t < reward->horizon; t++) {
        layout->table[t] = fy_reward_table(reward, t);
        layout->next[t] = fy_reward_next(reward, t);
    }
    if (fy_reward_looks_ahead(reward)) {
        int64_t transitions = layout->model->succ_start[layout->model->pairs];
        for (int64_t i = 0; !layout->placed && i < transitions; i++)
            layout->place[i] = (int32_t)i;
        layout->placed = true;
        layout->reward.next = layout->next;
        layout->reward.target = layout->target;
        layout->reward.target_plain = layout->target + transitions;
        layout->reward.place = layout->place;
    }
    if (reward->discount != 1)
        set_discount(layout, reward->discount);
    if (reward->fixed)
        set_stops(layout, reward);
}
