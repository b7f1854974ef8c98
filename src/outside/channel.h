/* channel.h - frames to and from a child, never longer than a deadline: what is written and
 * what is read take turns as the other side lets them, so neither can block the other.
 *
 * A channel that failed stays failed: its message tells why. One that was stopped while the program
 * was at work (FORAY_INTERRUPTED) has an answer under way that nobody waits for, and failed, too.
 */
#ifndef FY_CHANNEL_H
#define FY_CHANNEL_H

#include <sys/types.h>

#include "outside/frames.h"

/* A program in a process group of its own, with a way in (its descriptor 3) and a
 * way out (its descriptor 4). Standard input is empty, standard output goes where standard
 * error goes, since the caller's standard output is for results.
 *
 * The group is led by a guard: a shell that reads from a pipe whose other end is ours alone. If
 * this process ends in whatever way, SIGKILL too, the guard reads the end of it, and ends the
 * group. (The kernel's own signal at the death of a parent comes at the death of the *thread*
 * that started the program, and only to the program, not to what it started.) */
typedef struct fy_child {
    pid_t pid;      /* 0: none */
    pid_t guard;    /* also the group's */
    int to, from;   /* ours: what is written to `to` is read at 3; -1: closed. Non-blocking */
    int guard_pipe; /* ours: the guard waits for its end */
} fy_child;

typedef struct fy_channel {
    fy_child child;
    foray_context *ctx;  /* whether to stop */
    foray_context say;   /* holds the message, once it failed */
    foray_status failed; /* FORAY_OK: it did not */
    bool input_closed;   /* the program no longer reads */
    double
        missed_deadline; /* the deadline that has passed with a last look still to come; 0: none */
    uint64_t next;       /* sequence number of the next question */
    fy_writer out;       /* what is to be written; out.data[sent..size) still is */
    size_t sent;
    uint8_t *in; /* what was read; in[at..end) is not looked at yet */
    size_t at, end, room;
} fy_channel;

/* Starts the program of these words. `room` is for what may wait to be written. Close it even if
 * this fails. */
foray_status fy_channel_open(foray_context *ctx, fy_channel *channel, const char *const *word,
                             size_t room);
/* Says goodbye and ends the program, with `grace` seconds for each way of asking; one that
 * failed is hardly asked. */
void fy_channel_close(fy_channel *channel, double grace);

/* Puts the header of a question in front of what is to be written; the caller writes its
 * body of `length` bytes to channel->out. Returns its sequence number. */
uint64_t fy_channel_ask(fy_channel *channel, fy_frame_type type, size_t length);

/* Makes room for `size` more bytes to be written: false if too many still wait. */
bool fy_channel_room(fy_channel *channel, size_t size);

/* FORAY_OK, or why it cannot be asked any more. */
foray_status fy_channel_check(fy_channel *channel);

/* An answer as it lies in the channel: valid until the next call. */
typedef struct fy_answer {
    const uint8_t *body; /* NULL: it is not there yet */
    size_t size;
} fy_answer;

/* The answer to question (type, sequence), of `min` to `max` bytes, if it is there. */
foray_status fy_channel_take(fy_channel *channel, fy_frame_type type, uint64_t sequence, size_t min,
                             size_t max, fy_answer *answer);

/* Writes and reads what can be; waits for the program if nothing can, until fy_clock() says
 * `deadline`, which was set `limit` seconds before, or the context is told to stop. */
foray_status fy_channel_move(fy_channel *channel, double deadline, double limit);

/* Both until the answer is there. */
foray_status fy_channel_await(fy_channel *channel, fy_frame_type type, uint64_t sequence,
                              size_t min, size_t max, double deadline, double limit,
                              fy_answer *answer);

#endif
