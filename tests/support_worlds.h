/* support_worlds.h - what the tests of the built-in worlds share. */
#ifndef FY_TESTS_SUPPORT_WORLDS_H
#define FY_TESTS_SUPPORT_WORLDS_H

#include "support.h"

/* The model of a spec, which must be good. */
foray_model *world_model_of(foray_context *ctx, const char *spec);

/* P(next|s,a), 0 for a state that is no successor. */
double world_chance(const foray_model *model, int64_t s, int64_t a, int64_t next);

/* The one state that episodes start in. */
int64_t world_start_of(const foray_model *model);

void world_assert_close(double x, double y);

#endif
