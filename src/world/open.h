/* open.h - models of which nothing is known but their sizes. */
#ifndef FY_OPEN_H
#define FY_OPEN_H

#include "world/spec.h"

/* Most transitions S A S. */
#define FY_OPEN_LARGEST 1e5

typedef struct fy_open_sizes {
    int64_t states, actions, horizon;
    int64_t initial; /* every episode begins there */
} fy_open_sizes;

/* "open" and its parameters, as a table of one row. */
bool fy_open_describe(int64_t index, foray_world_info *info);

/* Creates a builder and fills it; as fy_world_kind's `build`. */
foray_status fy_open_build(foray_context *ctx, const fy_open_sizes *sizes, foray_builder **builder);
/* The same from "open:states=S,actions=A,horizon=H,initial=STATE". */
foray_status fy_open_read(foray_context *ctx, const char *text, foray_builder **builder);

#endif
