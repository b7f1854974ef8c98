/* channel.c - frames to and from a child, with deadlines. */
#include "outside/channel.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* So long nobody looks whether to stop, or whether a program died while others hold its pipe. */
static const double look_seconds = 0.05;
/* How long one that closed its pipe has to end, so that the message can say how it did. */
static const double last_words_seconds = 0.2;
/* How long one that failed may take to end by itself. */
static const double spent_seconds = 0.25;

/* ----------------------------------------------------------------- lifetime */

foray_status fy_channel_open(foray_context *ctx, fy_channel *channel, const char *const *word,
                             size_t room)
{
    *channel = (fy_channel){.child = {.to = -1, .from = -1, .leash = -1}, .ctx = ctx, .next = 1};
    foray_context *say = &channel->say;
    say->threads = 1;
    say->allocations_left = -1;
    channel->out = (fy_writer){.ctx = say, .capacity = room};
    channel->room = FY_FRAME_HEADER + (size_t)FY_FRAME_MOST;
    if (!FY_ALLOC(ctx, channel->out.data, room) || !FY_ALLOC(ctx, channel->in, channel->room))
        return FORAY_ERROR_MEMORY;
    return fy_child_start(ctx, word, &channel->child);
}

/* One attempt is enough: closing the way in says the same. */
static void say_goodbye(fy_channel *channel)
{
    if (channel->failed != FORAY_OK || channel->deaf || channel->child.to < 0)
        return;
    channel->out.size = channel->sent = 0;
    fy_channel_ask(channel, FY_FRAME_GOODBYE, 0);
    (void)send(channel->child.to, channel->out.data, channel->out.size, MSG_NOSIGNAL);
}

/* One that is at work when it is stopped would not notice a goodbye. */
void fy_channel_close(fy_channel *channel, double grace)
{
    double patience = channel->failed == FORAY_INTERRUPTED ? 0
                      : channel->failed != FORAY_OK        ? fmin(grace, spent_seconds)
                                                           : grace;
    say_goodbye(channel);
    fy_child_end(&channel->child, patience, grace);
    free(channel->out.data);
    free(channel->in);
    channel->out.data = channel->in = NULL;
}

/* ---------------------------------------------------------------- questions */

bool fy_channel_room(fy_channel *channel, size_t size)
{
    fy_writer *out = &channel->out;
    if (channel->sent > 0) {
        memmove(out->data, out->data + channel->sent, out->size - channel->sent);
        out->size -= channel->sent;
        channel->sent = 0;
    }
    return size <= out->capacity - out->size;
}

uint64_t fy_channel_ask(fy_channel *channel, fy_frame_type type, size_t length)
{
    uint64_t sequence = channel->next++;
    fy_frame_write(&channel->out, (fy_frame){(uint32_t)length, type, sequence});
    return sequence;
}

/* ----------------------------------------------------------------- failures */

static foray_status fail(fy_channel *channel)
{
    return channel->failed = FORAY_ERROR_WORLD;
}

static foray_status fail_as_stopped(fy_channel *channel)
{
    fy_say(&channel->say, "the program was stopped in the middle of an answer");
    return channel->failed = FORAY_INTERRUPTED;
}

/* Once what was stopped is over, whoever asks again is not being stopped. */
foray_status fy_channel_check(fy_channel *channel)
{
    if (channel->failed == FORAY_INTERRUPTED && !fy_stopped(channel->ctx))
        return FORAY_ERROR_WORLD;
    return channel->failed;
}

static foray_status fail_as_ended(fy_channel *channel, const char *how)
{
    fy_say(&channel->say, "the program ended (%s) without answering", how);
    return fail(channel);
}

/* The program closed its way out: it is about to end, or does not want to speak any more. */
static foray_status fail_as_closed(fy_channel *channel)
{
    char how[FY_CHILD_HOW];
    double deadline = fy_clock() + last_words_seconds;
    do {
        if (fy_child_ended(&channel->child, how))
            return fail_as_ended(channel, how);
        poll(NULL, 0, 1);
    } while (fy_clock() < deadline);
    fy_say(&channel->say, "the program closed descriptor 4 without answering");
    return fail(channel);
}

static foray_status fail_as_error(fy_channel *channel, const uint8_t *body, size_t size)
{
    char text[400];
    fy_error_read(body, size, text, sizeof text);
    fy_say(&channel->say, "the program says: %s", text[0] ? text : "(nothing)");
    return fail(channel);
}

/* ------------------------------------------------------------------ answers */

static fy_answer cut_frame(fy_channel *channel, size_t length)
{
    fy_answer answer = {channel->in + channel->at + FY_FRAME_HEADER, length};
    channel->at += FY_FRAME_HEADER + length;
    return answer;
}

foray_status fy_channel_take(fy_channel *channel, fy_frame_type type, uint64_t sequence,
                             size_t least, size_t most, fy_answer *answer)
{
    size_t there = channel->end - channel->at;
    *answer = (fy_answer){0};
    if (channel->failed != FORAY_OK)
        return fy_channel_check(channel);
    if (there < FY_FRAME_HEADER)
        return FORAY_OK;
    fy_frame frame = fy_frame_read(channel->in + channel->at);
    if (fy_frame_check(&channel->say, &frame, type, sequence, least, most) != FORAY_OK)
        return fail(channel);
    if (there - FY_FRAME_HEADER < frame.length)
        return FORAY_OK;
    fy_answer found = cut_frame(channel, frame.length);
    if (frame.type == FY_FRAME_ERROR)
        return fail_as_error(channel, found.body, found.size);
    *answer = found;
    return FORAY_OK;
}

/* ------------------------------------------------------------------- moving */

/* One that no longer reads may still have said why: what it wrote is read first. */
static void write_some(fy_channel *channel)
{
    const fy_writer *out = &channel->out;
    while (channel->sent < out->size) {
        ssize_t done = send(channel->child.to, out->data + channel->sent, out->size - channel->sent,
                            MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            channel->deaf = errno != EAGAIN && errno != EWOULDBLOCK;
            return;
        }
        channel->sent += (size_t)done;
    }
}

/* The whole of one frame fits: its header was checked before there can be more. */
static void make_room_to_read(fy_channel *channel)
{
    if (channel->at == 0)
        return;
    memmove(channel->in, channel->in + channel->at, channel->end - channel->at);
    channel->end -= channel->at;
    channel->at = 0;
}

static foray_status read_some(fy_channel *channel)
{
    make_room_to_read(channel);
    ssize_t done;
    do
        done = read(channel->child.from, channel->in + channel->end, channel->room - channel->end);
    while (done < 0 && errno == EINTR);
    if (done > 0) {
        channel->end += (size_t)done;
        return FORAY_OK;
    }
    if (done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return FORAY_OK;
    return fail_as_closed(channel);
}

static foray_status fail_as_late(fy_channel *channel, double limit)
{
    fy_say(&channel->say, "the program did not answer within %g s%s", limit,
           channel->deaf ? ", and no longer reads descriptor 3" : "");
    return fail(channel);
}

/* Nothing moved for a while: is it dead while somebody else holds the pipe? */
static foray_status look_after(fy_channel *channel, struct pollfd *way)
{
    char how[FY_CHILD_HOW];
    if (!fy_child_ended(&channel->child, how))
        return FORAY_OK;
    if (poll(way, 1, 0) > 0) /* it answered, then ended */
        return FORAY_OK;
    return fail_as_ended(channel, how);
}

/* Past the deadline there is one last look: if it was us who slept, the answer is there. */
static foray_status check_deadline(fy_channel *channel, double deadline, double limit)
{
    if (channel->overdue == deadline)
        return fail_as_late(channel, limit);
    channel->overdue = fy_clock() >= deadline ? deadline : 0;
    return FORAY_OK;
}

foray_status fy_channel_move(fy_channel *channel, double deadline, double limit)
{
    if (channel->failed != FORAY_OK || check_deadline(channel, deadline, limit) != FORAY_OK)
        return fy_channel_check(channel);
    if (fy_stopped(channel->ctx))
        return fail_as_stopped(channel);
    if (!channel->deaf)
        write_some(channel);
    bool writes = channel->sent < channel->out.size && !channel->deaf;
    struct pollfd way[2] = {{.fd = channel->child.from, .events = POLLIN},
                            {.fd = channel->child.to, .events = POLLOUT}};
    double seconds = fmin(fmax(deadline - fy_clock(), 0), look_seconds);
    int ready = poll(way, writes ? 2 : 1, (int)ceil(seconds * 1e3));
    if (ready < 0 && errno != EINTR) {
        fy_say(&channel->say, "the program cannot be listened to: %s", strerror(errno));
        return fail(channel);
    }
    if (ready <= 0)
        return look_after(channel, way);
    return way[0].revents ? read_some(channel) : FORAY_OK;
}

foray_status fy_channel_await(fy_channel *channel, fy_frame_type type, uint64_t sequence,
                              size_t least, size_t most, double deadline, double limit,
                              fy_answer *answer)
{
    for (;;) {
        foray_status status = fy_channel_take(channel, type, sequence, least, most, answer);
        if (status != FORAY_OK || answer->body)
            return status;
        status = fy_channel_move(channel, deadline, limit);
        if (status != FORAY_OK)
            return status;
    }
}
