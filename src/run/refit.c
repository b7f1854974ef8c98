/* refit.c - the counts of earlier, found again in the record of a run: no exploration keeps them,
 * and runs of any version have them. */
#include "run/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct history {
    const foray_run *run;
    int64_t *seen;                      /* [transitions] so far */
    int64_t count, number[FY_EARLIERS]; /* j, */
    int64_t after[FY_EARLIERS];         /* 4^j, falling, and */
    int64_t *then[FY_EARLIERS];         /* [transitions] seen after so many episodes */
} history;

/* The latest 4^j < episodes, j >= 1. */
static void choose_times(history *h, int64_t episodes)
{
    int64_t j = 0;
    while (j < 31 && ((int64_t)4 << (2 * j)) < episodes)
        j++;
    for (; j >= 1 && h->count < FY_EARLIERS; j--) {
        h->number[h->count] = j;
        h->after[h->count++] = (int64_t)1 << (2 * j);
    }
}

static foray_status count_episode(void *user, int64_t episode, const int32_t *states,
                                  const int32_t *actions)
{
    history *h = user;
    const foray_model *model = h->run->model;
    int64_t transitions = model->succ_start[model->pairs];
    for (int64_t t = 0; t < h->run->codec.horizon && actions[t] >= 0; t++) {
        const int32_t *here = states + h->run->codec.stride * t;
        int64_t pair = here[0] * model->actions + actions[t];
        int64_t j = fy_model_find(model, pair, here[1]);
        if (j >= 0)
            h->seen[model->succ_start[pair] + j]++;
    }
    for (int64_t i = 0; i < h->count; i++)
        if (h->after[i] == episode + 1)
            memcpy(h->then[i], h->seen, (size_t)transitions * sizeof *h->seen);
    return episode + 1 < h->after[0] ? FORAY_OK : FORAY_INTERRUPTED;
}

static foray_status find_counts(foray_run *run, history *h)
{
    int64_t transitions = run->model->succ_start[run->model->pairs];
    if (h->count == 0)
        return FORAY_OK;
    if (!FY_ALLOC(run->ctx, h->seen, transitions))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < h->count; i++)
        if (!FY_ALLOC(run->ctx, h->then[i], transitions))
            return FORAY_ERROR_MEMORY;
    foray_status status = fy_run_each(run, 0, count_episode, h);
    return status == FORAY_INTERRUPTED ? FORAY_OK : status;
}

foray_status fy_run_refit(foray_run *run, foray_explorer *explorer)
{
    history h = {.run = run};
    fy_certifier *sets;
    foray_status status = fy_explorer_need_sets(explorer, &sets);
    choose_times(&h, explorer->episodes);
    if (status == FORAY_OK)
        status = find_counts(run, &h);
    if (status == FORAY_OK)
        status = fy_explorer_refit(explorer, h.count, h.number, h.then);
    free(h.seen);
    for (int64_t i = 0; i < FY_EARLIERS; i++)
        free(h.then[i]);
    return status;
}

foray_status foray_run_refit(foray_run *run)
{
    if (run->codec.recorded)
        return fy_fail(run->ctx, FORAY_ERROR_USAGE,
                       "%s: learnt from recorded data: refits hold for episodes in the order in "
                       "which they happened, which cannot be checked",
                       run->store->path);
    if (run->explorer->step >= 0 || run->explorer->episodes != run->store->head.episodes)
        return fy_fail(run->ctx, FORAY_ERROR_USAGE, "%s: save what was explored before refitting",
                       run->store->path);
    return fy_run_refit(run, run->explorer);
}
