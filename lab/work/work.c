/* work.c - makes parts side by side. */
#include "work/lab.h"
#include "base/threads.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

double fy_thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double weight_of(const fy_work *work, int64_t part)
{
    return work->weight ? work->weight[part] : 1.0;
}

/* --------------------------------------------------------------------------- shards */

foray_status fy_shard_check(foray_context *ctx, foray_shard shard)
{
    enum { MAX = 1000000 };
    if (shard.of == 0 && shard.number == 0)
        return FORAY_OK;
    if (shard.of < 1 || shard.of > MAX || shard.number < 1 || shard.number > shard.of)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "shard %" PRId64 "/%" PRId64
                       ": must be I/N with I from 1 to N, N at most %d",
                       shard.number, shard.of, MAX);
    return FORAY_OK;
}

/* Parts are dealt like cards, the heaviest first, and every round begins with the next shard:
 * where algorithms take turns, no shard gets all runs of one. */
static bool is_own(foray_shard shard, int64_t place)
{
    return fy_shard_is_whole(shard) ||
           (place % shard.of + place / shard.of) % shard.of == shard.number - 1;
}

int64_t fy_shard_parts(foray_shard shard, int64_t parts)
{
    int64_t own = 0;
    for (int64_t place = 0; place < parts; place++)
        own += is_own(shard, place);
    return own;
}

/* ------------------------------------------------------------------------- progress */

static const double seconds_between_calls = 0.1;

/* What was found took no time, so the time left follows from what was made alone:
 * remaining = seconds * (total - done) / (done - inherited), once enough is made to tell. */
static void call_progress(fy_work *work, double now)
{
    const double enough = 0.005;
    double done = 0.0, seconds = now - work->started;
    work->told = now;
    if (!work->progress)
        return;
    for (int64_t i = 0; i < work->parts; i++)
        done += work->done[i] * weight_of(work, i);
    double made = done - work->inherited, wanted = work->total - work->inherited;
    double remaining =
        made > enough * wanted ? seconds * fmax(0.0, work->total - done) / made : NAN;
    foray_work_progress progress = {
        .parts = work->own,
        .finished = work->finished,
        .done = work->total > 0.0 ? fmin(1.0, done / work->total) : 1.0,
        .seconds = seconds,
        .remaining = work->finished == work->own ? 0.0 : remaining,
    };
    if (!work->progress(work->progress_user, &progress) && work->status == FORAY_OK)
        work->status = FORAY_INTERRUPTED;
}

bool fy_work_progress(fy_work *work, int64_t part, double done)
{
    pthread_mutex_lock(&work->mutex);
    double now = fy_clock();
    work->done[part] = done;
    if (now - work->told >= seconds_between_calls)
        call_progress(work, now);
    bool go_on = work->status == FORAY_OK;
    pthread_mutex_unlock(&work->mutex);
    return go_on;
}

/* The first failure is the one that counts; its message goes to the caller's context. */
static void end_part(fy_work *work, int64_t part, const foray_context *ctx, foray_status status)
{
    pthread_mutex_lock(&work->mutex);
    work->done[part] = 1.0;
    work->finished += status == FORAY_OK;
    if (status < 0 && work->status == FORAY_OK) {
        char name[FY_PART_NAME];
        work->status = status;
        work->name(work->user, part, name);
        fy_message_set(work->ctx, "%s: %s", name, ctx ? foray_message(ctx) : "out of memory");
    }
    if (status == FORAY_INTERRUPTED && work->status == FORAY_OK)
        work->status = status;
    if (work->status == FORAY_OK)
        call_progress(work, fy_clock());
    pthread_mutex_unlock(&work->mutex);
}

/* ---------------------------------------------------------------------------- parts */

/* The heaviest first, so that no thread is left with a long one at the end. */
static void order_parts(fy_work *work)
{
    for (int64_t part = 0; part < work->parts; part++) {
        int64_t at = part;
        double weight = weight_of(work, part);
        for (; at > 0 && weight_of(work, work->order[at - 1]) < weight; at--)
            work->order[at] = work->order[at - 1];
        work->order[at] = part;
    }
}

/* Of the shard's own parts, those that are missing. */
static foray_status find_parts(fy_work *work)
{
    foray_status status = FORAY_OK;
    for (int64_t place = 0; place < work->parts && status == FORAY_OK; place++) {
        int64_t part = work->order[place];
        bool found = false;
        if (!is_own(work->shard, place))
            continue;
        status = work->find(work->ctx, work->user, part, &found);
        work->own++;
        work->total += weight_of(work, part);
        if (found) {
            work->done[part] = 1.0;
            work->inherited += weight_of(work, part);
            work->finished++;
        } else {
            work->order[work->missing++] = part;
        }
    }
    return status;
}

/* Another process may have made the part in the meantime. */
static foray_status find_or_make(fy_work *work, foray_context *ctx, int64_t part)
{
    bool found = false;
    foray_status status = work->find(ctx, work->user, part, &found);
    return status == FORAY_OK && !found ? work->make(ctx, work->user, part) : status;
}

/* What a part asks in its long loops. The caller is asked now and then, and all parts end once it
 * said stop. */
typedef struct question {
    fy_work *work;
    double asked;
} question;

static bool is_stopped(void *user)
{
    question *q = user;
    double now = fy_clock();
    if (now - q->asked < seconds_between_calls)
        return false;
    q->asked = now;
    pthread_mutex_lock(&q->work->mutex);
    if (now - q->work->told >= seconds_between_calls)
        call_progress(q->work, now);
    bool stopped = q->work->status != FORAY_OK;
    pthread_mutex_unlock(&q->work->mutex);
    return stopped;
}

static foray_status make_part(fy_work *work, foray_context *ctx, int64_t part)
{
    question q = {.work = work, .asked = fy_clock()};
    foray_context_set_stop(ctx, is_stopped, &q);
    foray_status status = find_or_make(work, ctx, part);
    /* What was cut short may say anything, also that something failed. */
    return fy_was_stopped(ctx) ? FORAY_INTERRUPTED : status;
}

/* Each part has a context of its own, whose messages and failing allocations no other part sees.
 * Which thread makes which part depends on time; what a part is does not. */
static void make_piece(void *job, int64_t piece, int thread)
{
    fy_work *work = job;
    int64_t part = work->order[piece];
    (void)thread;
    if (!fy_work_progress(work, part, 0.0))
        return;
    foray_context *ctx = foray_context_create();
    end_part(work, part, ctx, ctx ? make_part(work, ctx, part) : FORAY_ERROR_MEMORY);
    foray_context_destroy(ctx);
}

foray_status fy_work_run(fy_work *work)
{
    work->started = fy_clock();
    work->told = -INFINITY;
    work->status = FORAY_ERROR_MEMORY;
    pthread_mutex_init(&work->mutex, NULL);
    if (FY_ALLOC(work->ctx, work->done, work->parts) &&
        FY_ALLOC(work->ctx, work->order, work->parts)) {
        order_parts(work);
        work->status = find_parts(work);
    }
    if (work->status == FORAY_OK)
        fy_share(work->ctx, work->alone ? 1 : work->ctx->threads, work->missing, make_piece, work);
    if (work->status == FORAY_OK)
        call_progress(work, fy_clock());
    pthread_mutex_destroy(&work->mutex);
    free(work->done);
    free(work->order);
    return work->status;
}
