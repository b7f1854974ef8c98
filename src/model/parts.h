/* parts.h - the checks on what a model is assembled from, apart from how pairs
 * share generator sets. */
#ifndef FY_PARTS_H
#define FY_PARTS_H

#include "model/model.h"

#include <inttypes.h>

/* printf format and arguments that name a pair. */
#define FY_AT_PAIR "state %" PRId64 ", action %" PRId64
#define FY_PAIR(sizes, pair) ((pair) / (sizes)->actions), ((pair) % (sizes)->actions)

/* Features, theta and B beyond this are taken for mistakes: their squares would overflow. */
#define FY_MODEL_LARGEST 1e100

/* How far from one probabilities may sum, and norms may be above their bounds. */
#define FY_MODEL_TOLERANCE 1e-9

/* Sizes, initial distribution, theta, map: all but the pairs. */
foray_status fy_parts_check(foray_context *ctx, const fy_model_parts *parts);

/* zeta: how wrong estimated features may make a mean of numbers in [0,1]. */
foray_status fy_parts_check_error(foray_context *ctx, double error);
/* With what probability they may be worse. */
foray_status fy_parts_check_delta(foray_context *ctx, double delta);

/* The size of a map. */
foray_status fy_parts_check_grid(foray_context *ctx, int64_t rows, int64_t cols);

/* One pair: successors that are states, as many as its list has generators. */
foray_status fy_parts_check_pair(foray_context *ctx, const fy_model_parts *parts, int64_t pair);

/* One feature of phi(next|s,a). */
foray_status fy_parts_check_feature(foray_context *ctx, const fy_model_parts *parts, int64_t pair,
                                    int64_t next, int64_t index, double value);

/* Copies everything but the pairs into the model. */
foray_status fy_parts_copy(foray_context *ctx, const fy_model_parts *parts, foray_model *model);

#endif
