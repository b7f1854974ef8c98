/* What a program that is a world may say: frames one behind the other. Each is read as what its
 * header claims, and a spec that can be read is made a system, or refused with a cause. */
#include "fuzz.h"
#include "outside/frames.h"

static foray_status no_reset(void *self, const foray_draw *draw, double *state)
{
    (void)self, (void)draw, (void)state;
    return FORAY_ERROR_WORLD;
}

static foray_status no_step(void *self, int64_t count, const foray_system_query *query,
                            const double *state, double *next)
{
    (void)self, (void)count, (void)query, (void)state, (void)next;
    return FORAY_ERROR_WORLD;
}

static foray_status no_reward(void *self, int64_t index, const double *state, int64_t action,
                              double *value)
{
    (void)self, (void)index, (void)state, (void)action, (void)value;
    return FORAY_ERROR_WORLD;
}

static void try_spec(foray_context *ctx, const uint8_t *body, size_t size)
{
    const foray_system_ops ops = {
        .size = sizeof ops, .reset = no_reset, .step = no_step, .reward = no_reward};
    fy_frame_spec told = {0};
    foray_system *system = NULL;
    foray_status status = fy_frame_spec_read(ctx, body, size, &told);
    fuzz_explained(ctx, status);
    if (status != FORAY_OK)
        return;
    status = foray_system_create(ctx, &told.spec, &ops, NULL, &system);
    fuzz_explained(ctx, status);
    fy_frame_spec_free(&told);
    if (status == FORAY_OK)
        assert(foray_system_describe(system)->name != NULL);
    foray_system_destroy(system);
}

static void try_hello(foray_context *ctx, const uint8_t *body, size_t size)
{
    fuzz_explained(ctx, fy_hello_read(ctx, "this program", body, size));
}

/* As many answers of one number each as the body holds. */
static void try_step(foray_context *ctx, const uint8_t *body, size_t size)
{
    double next[64];
    uint8_t done[64];
    int64_t count = (int64_t)(size / fy_frame_step_size(1, 1));
    if (count <= 64 && fy_frame_step_size(count, 1) == size)
        fuzz_explained(ctx, fy_frame_step_read(ctx, body, size, count, 1, next, done, 64));
}

static void try_error(const uint8_t *body, size_t size)
{
    char text[400];
    fy_error_read(body, size, text, sizeof text);
    for (const char *c = text; *c; c++)
        assert((unsigned char)*c >= 0x20);
}

/* One frame; returns how many bytes it took. */
static size_t try_frame(foray_context *ctx, const uint8_t *data, size_t size)
{
    fy_frame frame = fy_frame_read(data);
    const uint8_t *body = data + FY_FRAME_HEADER;
    foray_status status = fy_frame_check(ctx, &frame, frame.type, frame.sequence, 0, FY_FRAME_MAX);
    fuzz_explained(ctx, status);
    fuzz_explained(ctx, fy_frame_check(ctx, &frame, FY_FRAME_STEP, 7, 16, 16));
    size -= FY_FRAME_HEADER;
    if (status != FORAY_OK || frame.length > size)
        return FY_FRAME_HEADER + size;
    if (frame.type == FY_FRAME_HELLO)
        try_hello(ctx, body, frame.length);
    else if (frame.type == FY_FRAME_SPEC)
        try_spec(ctx, body, frame.length);
    else if (frame.type == FY_FRAME_STEP)
        try_step(ctx, body, frame.length);
    else if (frame.type == FY_FRAME_ERROR)
        try_error(body, frame.length);
    return FY_FRAME_HEADER + frame.length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    foray_context *ctx = foray_context_create();
    for (size_t at = 0; size - at >= FY_FRAME_HEADER;)
        at += try_frame(ctx, data + at, size - at);
    foray_context_destroy(ctx);
    return 0;
}
