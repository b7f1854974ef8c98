/* history.c - what was known earlier: the episodes of a run are told to a fresh explorer again,
 * which is saved on the way. */
#include "play/bundle.h"

#include <inttypes.h>

typedef struct history {
    foray_run *run;
    fy_writer *text;
    foray_explorer *explorer; /* as far as it got */
    int64_t halvings;         /* the next state is that after K / 2^halvings episodes; 0: none */
    int64_t count;            /* of states so far */
} history;

static foray_status put_state(history *h)
{
    fy_print(h->text, "%s[%" PRId64 ",", h->count++ > 0 ? "," : "", h->explorer->episodes);
    foray_status status = fy_play_put_state(h->text, h->explorer);
    fy_print(h->text, "]");
    return status;
}

static foray_status replay_one(void *user, int64_t episode, const int32_t *states,
                               const int32_t *actions)
{
    history *h = user;
    int64_t total = foray_run_saved(h->run);
    (void)episode;
    foray_status status = fy_run_replay(h->run, h->explorer, states, actions);
    if (status != FORAY_OK || h->explorer->episodes != total >> h->halvings)
        return status;
    status = put_state(h);
    h->halvings--;
    /* The last state is that of the run itself: nothing is left to replay. */
    return status == FORAY_OK && h->halvings == 0 ? FORAY_INTERRUPTED : status;
}

foray_status fy_play_put_history(fy_writer *text, foray_run *run, int64_t most)
{
    history h = {.run = run, .text = text};
    while (h.halvings < most && foray_run_saved(run) >> (h.halvings + 1) > 0)
        h.halvings++;
    if (h.halvings == 0)
        return FORAY_OK;
    foray_status status = fy_run_fresh_explorer(run, &h.explorer);
    if (status != FORAY_OK)
        return status;
    fy_print(text, ",\"history\":[");
    status = fy_run_each(run, 0, replay_one, &h);
    fy_print(text, "]");
    foray_explorer_destroy(h.explorer);
    return status == FORAY_INTERRUPTED && h.halvings == 0 ? FORAY_OK : status;
}
