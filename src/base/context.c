/* context.c - status texts, error messages, being stopped. */
#include "base/level.h"
#include "base/threads.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *foray_version(void)
{
    return FORAY_VERSION;
}

const char *foray_status_text(foray_status status)
{
    switch (status) {
#define STATUS_TEXT(name, value, text)                                                             \
    case name:                                                                                     \
        return text;
        FORAY_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
    }
    return "unknown status";
}

foray_context *foray_context_create(void)
{
    foray_context *ctx = calloc(1, sizeof *ctx);
    if (ctx) {
        ctx->threads = 1;
        ctx->level = fy_level_highest();
        ctx->allocations_left = -1;
    }
    return ctx;
}

void foray_context_destroy(foray_context *ctx)
{
    if (ctx)
        fy_team_dismiss(ctx->team);
    free(ctx);
}

const char *foray_message(const foray_context *ctx)
{
    return ctx->message;
}

void foray_context_set_threads(foray_context *ctx, int threads)
{
    ctx->threads = threads < 1 ? 1 : threads;
}

/* ------------------------------------------------------------------ errors */

void fy_message_set(foray_context *ctx, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fy_vformat(ctx->message, sizeof ctx->message, format, arguments);
    va_end(arguments);
}

void fy_message_set_within(foray_context *ctx, const char *format, ...)
{
    char cause[sizeof ctx->message];
    memcpy(cause, ctx->message, sizeof cause);
    va_list arguments;
    va_start(arguments, format);
    int length = fy_vformat(ctx->message, sizeof ctx->message, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < sizeof ctx->message)
        fy_format(ctx->message + length, sizeof ctx->message - (size_t)length, ": %.900s", cause);
}

/* ---------------------------------------------------------------- stopping */

bool foray_context_stop_flag(void *user)
{
    return __atomic_load_n((const int *)user, __ATOMIC_RELAXED) != 0;
}

void foray_context_set_stop(foray_context *ctx, bool (*stop)(void *user), void *user)
{
    ctx->stop = stop;
    ctx->stop_user = user;
    ctx->stopped = false;
}

/* ------------------------------------------------------------------------------ clock */

/* What time limits, rates and saving now and then are measured by. */

double fy_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
