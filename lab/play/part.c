/* part.c - a run seen in the part of its model that episodes get to: the same episodes, told to an
 * explorer of that part. */
#include "play/bundle.h"
#include "explore/explorer.h"

#include <stdlib.h>

typedef struct retelling {
    foray_run *run;
    foray_explorer *explorer;
    const int32_t *renamed; /* [states of the run's model] */
    int32_t *states;        /* [horizon + 1] */
} retelling;

static foray_status tell_episode(void *user, int64_t episode, const int32_t *states,
                                 const int32_t *actions)
{
    retelling *r = user;
    int64_t steps = 0, horizon = r->run->model->horizon;
    (void)episode;
    r->states[0] = r->renamed[states[0]];
    for (; steps < horizon && actions[steps] >= 0; steps++)
        r->states[steps + 1] = r->renamed[states[steps + 1]];
    bool done = steps < horizon && actions[steps] == FORAY_DONE;
    return fy_explorer_learn(r->explorer, steps, r->states, actions, done);
}

static foray_status tell_all(foray_run *run, foray_explorer *explorer, const int32_t *renamed)
{
    retelling r = {.run = run, .explorer = explorer, .renamed = renamed};
    if (!FY_ALLOC(run->ctx, r.states, run->model->horizon + 1))
        return FORAY_ERROR_MEMORY;
    if (run->source == FY_SOURCE_CLUSTERS)
        foray_explorer_through_clusters(explorer);
    foray_status status = fy_run_each(run, 0, tell_episode, &r);
    free(r.states);
    return status;
}

foray_status fy_play_retell(foray_run *run, const foray_model *part, const int32_t *number,
                            foray_settings *settings, foray_explorer **out)
{
    foray_context *ctx = run->ctx;
    foray_explorer *explorer;
    int32_t *renamed;
    if (run->codec.stride != 1)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "%s chose where steps begin: there are no episodes to replay",
                       run->settings.algorithm);
    foray_settings_default(settings);
    foray_status status = foray_settings_set(ctx, settings, "algorithm", "recorded");
    settings->delta = run->settings.delta;
    if (status == FORAY_OK)
        status = foray_explorer_create(ctx, part, settings, &explorer);
    if (status != FORAY_OK)
        return status;
    status = FORAY_ERROR_MEMORY;
    if (FY_ALLOC(ctx, renamed, run->model->states)) {
        for (int64_t i = 0; i < part->states; i++)
            renamed[number[i]] = (int32_t)i;
        status = tell_all(run, explorer, renamed);
    }
    free(renamed);
    if (status == FORAY_OK)
        *out = explorer;
    else
        foray_explorer_destroy(explorer);
    return status;
}
