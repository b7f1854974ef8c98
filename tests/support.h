/* support.h - what several test programs share. */
#ifndef FY_TESTS_SUPPORT_H
#define FY_TESTS_SUPPORT_H

#include "model/basis.h"
#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* A test whose *state is a context, and what makes and ends it. */
#define support_test(test) cmocka_unit_test_setup_teardown(test, support_set_up, support_tear_down)
int support_set_up(void **state);
int support_tear_down(void **state);

/* A parameter of an algorithm's own, by name: set from text or from a number (choices by
 * their place), and its value, the default if it was not set. */
void support_set(foray_settings *settings, const char *name, const char *value);
void support_set_number(foray_settings *settings, const char *name, double value);
double support_own(const foray_settings *settings, const char *name);

/* The algorithms for models of which something is known, in turn; NULL past the last. */
const char *support_algorithm(int64_t index);

/* The default settings of an algorithm, but for how long it explores and its seed. */
foray_settings support_settings(const char *algorithm, int64_t episodes, int64_t seed);

/* Fails unless both explorers save the same bytes. */
void support_same_state(foray_explorer *a, foray_explorer *b);

/* Does a peak of memory say anything about the library? Sanitizers need memory of their own, and
 * keep what is freed. */
bool support_counts_memory(void);

/* Where a test takes the parts of the library from that a caller's arena holds: they last until the
 * program ends. */
fy_arena *support_arena(foray_context *ctx);

/* A source of random numbers for tests: the same seed gives the same numbers. */
typedef struct support_random {
    uint64_t seed, count;
} support_random;

double support_uniform(support_random *random);               /* in [0,1) */
int64_t support_below(support_random *random, int64_t count); /* 0..count-1 */
double support_normal(support_random *random);                /* mean 0, variance 1 */
/* A probability vector; with `sparse`, some of it is zero. */
void support_law(support_random *random, int64_t count, bool sparse, double *out);

/* The call must succeed; if not, the test fails with its message. */
#define support_ok(ctx, call)                                                                      \
    do {                                                                                           \
        if ((call) != FORAY_OK)                                                                    \
            fail_msg("%s: %s", #call, foray_message(ctx));                                         \
    } while (0)

/* Makes the first, the second, ... allocation fail that `attempt` makes, until none does, or fails
 * the test. The attempt has a context of its own each time, and releases what it made. */
void support_every_allocation(foray_status (*attempt)(foray_context *ctx));

/* The call must fail with this status, and its message must contain the text. */
#define support_refused(ctx, call, status, text)                                                   \
    do {                                                                                           \
        assert_int_equal((call), (status));                                                        \
        if (!strstr(foray_message(ctx), (text)))                                                   \
            fail_msg("\"%s\" is not in \"%s\"", (text), foray_message(ctx));                       \
    } while (0)

/* An explorer whose certificates are the algorithm's own: from the radius of the exploration, not
 * from likelihoods. */
foray_status support_create(foray_context *ctx, const foray_model *model,
                            const foray_settings *settings, foray_explorer **out);

/* A model, its world and an explorer of it, with a context of their own; and their end. */
typedef struct support_stage {
    foray_context *ctx;
    foray_model *model;
    foray_world *world;
    foray_explorer *explorer;
} support_stage;
void support_stage_clear(support_stage *s);

/* A world, what is true of it, and a model that says nothing of it but its sizes. */
typedef struct support_bench {
    foray_context *ctx;
    foray_model *truth, *unstructured;
    foray_world *world;
    foray_explorer *explorer; /* of the unstructured model, or NULL */
} support_bench;
void support_bench_clear(support_bench *b);

/* V* of a known model: the value of its best policy. */
double support_optimal(foray_context *ctx, const foray_model *model, const foray_reward *reward);

/* Random models of every kind, valid, with a known theta. */
enum { SUPPORT_FEATURES, SUPPORT_MIXTURE, SUPPORT_CLASSES, SUPPORT_TABULAR, SUPPORT_KINDS };
typedef struct support_sizes {
    int64_t states, actions, horizon;
    int64_t successors; /* of a pair, at the most */
    int64_t dim;        /* mixture, features; classes: how many classes */
    double error;       /* of the features; 0: none */
    bool sharp;         /* half of the laws are almost certain of one outcome */
} support_sizes;
foray_model *support_model(foray_context *ctx, int kind, support_sizes sizes, uint64_t seed);

/* The model as a compact file holds it, to be released with free(). */
uint8_t *support_compact(foray_context *ctx, const foray_model *model, size_t *size);

/* Are two models the same, bit for bit? Fails the test if not. */
void support_same_model(const foray_model *a, const foray_model *b);

/* Goes to the directory of this program, where the worlds are that some tests run. */
void support_go_home(const char *program);

/* A new directory for files of a test, and its removal with everything in it. */
char *support_directory(void);
void support_remove(char *directory);

#endif
