/* episodes.c - the last episodes of a run as they were recorded: of a program or of data from
 * elsewhere there is nothing in the page that could be played. */
#include "play/bundle.h"

#include <inttypes.h>

/* So many episodes, and so many states of all of them. */
enum { MOST_EPISODES = 12, MOST_STATES = 12000 };

typedef struct recorded {
    fy_writer *text;
    int64_t horizon, count;
} recorded;

/* "[s_0,s_1,...]", as far as it went: a negative action says that nothing followed. */
static foray_status put_episode(void *user, int64_t episode, const int32_t *states,
                                const int32_t *actions)
{
    recorded *r = user;
    (void)episode;
    fy_print(r->text, "%s[%" PRId32, r->count++ > 0 ? "," : "", states[0]);
    for (int64_t t = 0; t < r->horizon && actions[t] >= 0; t++)
        fy_print(r->text, ",%" PRId32, states[t + 1]);
    fy_print(r->text, "]");
    return FORAY_OK;
}

foray_status fy_play_put_episodes(fy_writer *text, foray_run *run)
{
    recorded r = {.text = text, .horizon = run->model->horizon};
    int64_t saved = foray_run_saved(run), fit = MOST_STATES / (r.horizon + 1);
    int64_t count = fit < MOST_EPISODES ? fit : MOST_EPISODES;
    if (run->source == FY_SOURCE_MODEL || count == 0 || saved == 0)
        return FORAY_OK;
    fy_print(text, ",\"episodes\":[");
    foray_status status = fy_run_each(run, saved > count ? saved - count : 0, put_episode, &r);
    fy_print(text, "]");
    return status;
}
