/* outside.h - systems that come from outside the library: shared objects and programs.
 *
 * Both are asked with a key instead of a draw: 64 random bits that belong to the draw, from
 * which the other side makes what randomness it needs. Both are given up for good at their
 * first failure, whose message stays. */
#ifndef FY_OUTSIDE_H
#define FY_OUTSIDE_H

#include "base/base.h"

/* "PATH[:TEXT]" of plugin:PATH[:TEXT]. */
foray_status fy_plugin_open(foray_context *ctx, const char *text, foray_system **out);

/* "[timeout=S,start=S,grace=S]COMMAND" of exec:..., the part in brackets optional. */
foray_status fy_pipe_open(foray_context *ctx, const char *text, foray_system **out);

/* "PATH[:TEXT]" of plugin:PATH[:TEXT], in a process that the words of `host` start. */
foray_status fy_contained_open(foray_context *ctx, const char *const *host, const char *text,
                               foray_system **out);

/* The 64 random bits of a draw. */
static inline uint64_t fy_draw_key(const foray_draw *draw)
{
    return fy_random_bits(draw->seed, FY_STREAM_OUTSIDE, draw->episode, draw->step, 0);
}

/* A plug-in, plugin:PATH[:TEXT], in a process of its own. If it crashes or calls exit, only that
 * process ends, and the system fails (FORAY_ERROR_WORLD). `host` is a program that
 * calls fy_plugin_serve: the words of its command, ended by NULL, the first its path. It is
 * started without a shell, with PATH[:TEXT] as its last word. Answers are the same as without it;
 * see docs/outside.md for the time limits. */
foray_status fy_system_contain(foray_context *ctx, const char *text, const char *const *host,
                               foray_system **out);
/* The other side: loads the plug-in "PATH[:TEXT]", reads questions of the world protocol from
 * descriptor `questions` (3 in a host) and answers them on descriptor `answers` (4), until they
 * end. */
foray_status fy_plugin_serve(foray_context *ctx, const char *text, int questions, int answers);
/* Does this text name a system (it may still fail to open)? */
bool fy_system_names(const char *text);

#endif
