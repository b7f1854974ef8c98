/* bundle.h - what the page of the playground contains of a run. */
#ifndef FY_BUNDLE_H
#define FY_BUNDLE_H

#include "run/run.h"

/* Bytes, compressed as browsers unpack them and as base64, in quotes. */
foray_status fy_play_put_packed(fy_writer *text, const void *data, size_t size);
/* The state of an explorer in this form. */
foray_status fy_play_put_state(fy_writer *text, foray_explorer *explorer);

/* "history": the states after K/2, K/4, ... of the run's K episodes, at most so many, the earliest
 * first, each as [episodes, state]. */
foray_status fy_play_put_history(fy_writer *text, foray_run *run, int64_t most);

/* "episodes": of runs that explored something else than the model, the states of the last ones. */
foray_status fy_play_put_episodes(fy_writer *text, foray_run *run);

/* An explorer of the part of the run's model whose states have these numbers in it, told all
 * episodes; it learns from records, and its settings say so. */
foray_status fy_play_retell(foray_run *run, const foray_model *part, const int32_t *number,
                            foray_settings *settings, foray_explorer **out);

#endif
