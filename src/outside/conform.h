/* conform.h - what the checks of the conformance suite share. */
#ifndef FY_CONFORM_H
#define FY_CONFORM_H

#include "system/system.h"

/* Questions that fit into the suite's arrays. */
enum { FY_SUITE_ROOM = 16384, FY_SUITE_DETAIL = 1024 };

typedef struct fy_suite {
    foray_context *ctx;
    foray_system *system;
    const foray_system_spec *spec;
    int64_t n;     /* dimensions */
    int64_t draws; /* of the statistical check, for each pair */
    uint64_t seed;
    uint64_t fresh; /* episode number of the next draw that was not used before */
    /* The sample: questions that several checks ask, and their answers. */
    int64_t count;
    foray_system_query *query;
    double *state, *next;
    /* The same again, room for FY_SUITE_ROOM questions. */
    foray_system_query *other_query;
    double *other_state, *other_next;
    char detail[FY_SUITE_DETAIL];
} fy_suite;

/* What a check came to: FORAY_CHECK_PASSED, ... */
typedef foray_check_result fy_check_fn(fy_suite *suite);

/* Sets the detail and returns the result, so that checks end with
 *     return fy_conclude(suite, FORAY_CHECK_PASSED, "...");  */
foray_check_result fy_conclude(fy_suite *suite, foray_check_result result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A check that failed with the message of the system. */
foray_check_result fy_check_refused(fy_suite *suite);

/* A draw that was not used before. */
foray_draw fy_suite_draw(fy_suite *suite);
/* Random number `index` of a stream called `which`. */
double fy_suite_uniform(const fy_suite *suite, uint64_t which, uint32_t index);
/* A state of the box, or of a finite system, drawn uniformly. */
void fy_suite_state(const fy_suite *suite, uint64_t which, double *state);

fy_check_fn fy_check_mixture; /* reality lies among the simulators */
fy_check_fn fy_check_speed;

#endif
