/* work.c - makes parts side by side. */
#include "work/work.h"

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
        .parts = work->parts,
        .finished = work->finished,
        .done = work->total > 0.0 ? fmin(1.0, done / work->total) : 1.0,
        .seconds = seconds,
        .remaining = work->finished == work->parts ? 0.0 : remaining,
    };
    if (!work->progress(work->progress_user, &progress) && work->status == FORAY_OK)
        work->status = FORAY_INTERRUPTED;
}

bool fy_work_progress(fy_work *work, int64_t part, double done)
{
    fy_mutex_take(&work->mutex);
    double now = fy_clock();
    work->done[part] = done;
    if (now - work->told >= seconds_between_calls)
        call_progress(work, now);
    bool go_on = work->status == FORAY_OK;
    fy_mutex_release(&work->mutex);
    return go_on;
}

/* The first failure is the one that counts; its message goes to the caller's context. */
static void end_part(fy_work *work, int64_t part, const foray_context *ctx, foray_status status)
{
    fy_mutex_take(&work->mutex);
    work->done[part] = 1.0;
    work->finished += status == FORAY_OK;
    if (status < 0 && work->status == FORAY_OK) {
        char name[FY_PART_NAME];
        work->status = status;
        work->name(work->user, part, name);
        fy_say(work->ctx, "%s: %s", name, ctx ? foray_message(ctx) : "out of memory");
    }
    if (work->status == FORAY_OK)
        call_progress(work, fy_clock());
    fy_mutex_release(&work->mutex);
}

/* ---------------------------------------------------------------------------- parts */

/* What is missing is put in order, the heaviest first, so that no thread is left with a long one
 * at the end. */
static foray_status find_parts(fy_work *work)
{
    foray_status status = FORAY_OK;
    for (int64_t part = 0; part < work->parts && status == FORAY_OK; part++) {
        bool found = false;
        double weight = weight_of(work, part);
        status = work->find(work->ctx, work->user, part, &found);
        work->total += weight;
        if (found) {
            work->done[part] = 1.0;
            work->inherited += weight;
            work->finished++;
            continue;
        }
        int64_t at = work->missing++;
        for (; at > 0 && weight_of(work, work->order[at - 1]) < weight; at--)
            work->order[at] = work->order[at - 1];
        work->order[at] = part;
    }
    return status;
}

/* Each part has a context of its own, whose messages and failing allocations no other part sees.
 * Which thread makes which part depends on time; what a part is does not. */
static void make_parts(fy_work *work)
{
#pragma omp parallel for schedule(dynamic, 1) num_threads(work->ctx->threads)
    for (int64_t i = 0; i < work->missing; i++) {
        int64_t part = work->order[i];
        if (!fy_work_progress(work, part, 0.0))
            continue;
        foray_context *ctx = foray_context_create();
        end_part(work, part, ctx, ctx ? work->make(ctx, work->user, part) : FORAY_ERROR_MEMORY);
        foray_context_destroy(ctx);
    }
}

foray_status fy_work_run(fy_work *work)
{
    work->started = fy_clock();
    work->told = -INFINITY;
    work->status = FORAY_ERROR_MEMORY;
    fy_mutex_create(&work->mutex);
    if (FY_ALLOC(work->ctx, work->done, work->parts) &&
        FY_ALLOC(work->ctx, work->order, work->parts))
        work->status = find_parts(work);
    if (work->status == FORAY_OK)
        make_parts(work);
    if (work->status == FORAY_OK)
        call_progress(work, fy_clock());
    fy_mutex_destroy(&work->mutex);
    free(work->done);
    free(work->order);
    return work->status;
}
