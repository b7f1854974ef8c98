/* support_run.h - what the tests of runs share: a small world in a directory of
 * its own, and everything about a run that must be the same to the last bit. */
#ifndef FORAY_SUPPORT_RUN_H
#define FORAY_SUPPORT_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "run/run.h"

typedef struct run_bench {
    char directory[64];
    char path[96]; /* of a run file in it */
    char other[96];
    foray_context *ctx;
    foray_model *model;
    foray_settings settings;
} run_bench;

/* A fresh directory, the default settings with a small budget. */
void run_bench_open(run_bench *bench, const char *spec);
/* Removes the directory with what is in it. */
void run_bench_close(run_bench *bench);

/* A test whose *state is a run_bench with a small chain. */
#define RUN_TEST(test) cmocka_unit_test_setup_teardown(test, run_bench_setup, run_bench_teardown)
int run_bench_setup(void **state);
int run_bench_teardown(void **state);

#define assert_ok(bench, call) run_assert_status((bench)->ctx, (call), FORAY_OK, #call, __LINE__)
#define assert_fails(bench, status, call)                                                          \
    run_assert_status((bench)->ctx, (call), (status), #call, __LINE__)
/* The status is as expected, and an error comes with a message. */
void run_assert_status(const foray_context *ctx, foray_status found, foray_status expected,
                       const char *call, int line);
/* The last message has this in it. */
void run_assert_message(const run_bench *bench, const char *part);

/* The model's world behind a table of our own, which can be told to fail. */
typedef struct run_world {
    foray_world *inside, *world;
    int64_t fail_episode, fail_step; /* -1: never; step 0 is the reset */
    foray_status fail_status;        /* FORAY_OK: it answers `answer` instead */
    int64_t answer;
    void (*before_episode)(void *user, int64_t episode);
    void *user;
} run_world;
void run_world_open(run_bench *bench, run_world *world);
void run_world_close(run_world *world);

/* Creates or opens a run, and the test fails if that does. A new run gets a reward if its
 * algorithm needs one. */
foray_run *run_create(run_bench *bench, const char *path);
foray_run *run_reopen(run_bench *bench, const char *path, foray_run_access how);

/* Creates a run and explores it to the end with the model's own world. */
void run_make(run_bench *bench, const char *path);
/* Explores an open run to its end with the model's own world. */
foray_status run_finish(run_bench *bench, foray_run *run);

/* A digest of everything about a run that determinism promises. */
typedef struct run_digest {
    int64_t episodes;
    uint64_t history;  /* all episodes */
    uint64_t explorer; /* its saved state */
    uint64_t estimate, trace, policy, plans;
    double bound, value;
} run_digest;
/* FORAY_OK, or what reading the run came to. */
foray_status run_take_digest(foray_run *run, run_digest *out);
void run_digest_file(run_bench *bench, const char *path, run_digest *out);
void run_assert_same(const run_digest *a, const run_digest *b);
bool run_same(const run_digest *a, const run_digest *b);

/* A reward of 1 in the last state. */
foray_reward *run_goal_reward(foray_context *ctx, const foray_model *model);

/* Runs SQL in a database, of a run or of somebody else. */
void run_sql(const char *path, const char *sql);
void run_copy_file(const char *from, const char *to);
long run_file_size(const char *path);

#endif
