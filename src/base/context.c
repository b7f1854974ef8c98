/* context.c - status texts, error messages, checked allocation. */
#include "base/level.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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

void fy_say(foray_context *ctx, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fy_vformat(ctx->message, sizeof ctx->message, format, arguments);
    va_end(arguments);
}

void fy_say_within(foray_context *ctx, const char *format, ...)
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

/* ------------------------------------------------------------------ memory */

bool fy_size_mul(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

bool fy_size_add(size_t a, size_t b, size_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

/* Counts the allocation; false if a test wants this one to fail. */
static bool allowed(foray_context *ctx)
{
    ctx->allocations++;
    if (ctx->allocations_left < 0)
        return true;
    return ctx->allocations_left-- > 0;
}

static void *out_of_memory(foray_context *ctx, size_t count, size_t size)
{
    fy_fail(ctx, FORAY_ERROR_MEMORY, "out of memory: %zu items of %zu bytes", count, size);
    return NULL;
}

void *fy_alloc(foray_context *ctx, size_t count, size_t size)
{
    size_t bytes;
    if (!fy_size_mul(count, size, &bytes) || bytes > PTRDIFF_MAX || !allowed(ctx))
        return out_of_memory(ctx, count, size);
    void *memory = calloc(bytes == 0 ? 1 : bytes, 1);
    return memory ? memory : out_of_memory(ctx, count, size);
}

void foray_free(void *memory)
{
    free(memory);
}

void *fy_resize(foray_context *ctx, void *memory, size_t count, size_t size)
{
    size_t bytes;
    if (!fy_size_mul(count, size, &bytes) || bytes > PTRDIFF_MAX || !allowed(ctx))
        return out_of_memory(ctx, count, size);
    void *larger = realloc(memory, bytes == 0 ? 1 : bytes);
    return larger ? larger : out_of_memory(ctx, count, size);
}

void *fy_grow(foray_context *ctx, void *array, int64_t *room, int64_t wanted, size_t size)
{
    if (array && wanted <= *room)
        return array;
    int64_t least = *room > 0 ? *room * 2 : 64;
    int64_t larger = wanted > least ? wanted : least;
    void *grown = fy_resize(ctx, array, (size_t)larger, size);
    if (grown)
        *room = larger;
    return grown;
}

char *fy_text(foray_context *ctx, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = fy_alloc(ctx, size, 1);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}
