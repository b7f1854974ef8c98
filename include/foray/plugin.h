/* plugin.h - your own system as a shared object, for foray ... plugin:PATH[:TEXT].
 *
 * This header needs no other: a plug-in is not linked against libforay. Write one function,
 * foray_plugin, that says what the system is and fills a table; build it with
 *     cc -shared -fPIC -I... system.c -o system.so
 * and try it with
 *     foray world check plugin:./system.so
 * The same table makes a program that speaks the protocol over pipes: link it with serve.c,
 * which is installed in share/foray. docs/outside.md has the details.
 *
 * A system is what system.h describes: states in a box of R^n (or integers), finitely
 * many actions, d basis simulators, and reality, a mixture of them. One rule: an answer may
 * depend on the state, action, simulator and key of its question, and on nothing else. A
 * system that looks at the clock, calls rand() or remembers earlier questions fails
 * foray world check, since runs in it could not be repeated. */
#ifndef FORAY_PLUGIN_H
#define FORAY_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a plug-in built for an older Foray would no longer work correctly. New entries
 * at the end of the structs below do not raise it: sizes tell which side knows them. */
#define FORAY_PLUGIN_VERSION 1

#if defined(__GNUC__)
#define FORAY_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define FORAY_PLUGIN_EXPORT
#endif

/* What Foray tells a plug-in. Valid until the table's `destroy`. */
typedef struct foray_plugin_host {
    size_t size;       /* of this struct as Foray knows it */
    uint32_t version;  /* FORAY_PLUGIN_VERSION as Foray knows it */
    const char *foray; /* Foray's own version, "0.1.0" */
} foray_plugin_host;

/* Where to write why a call failed: one line of text, cut if it is too long. Never NULL. */
enum { FORAY_PLUGIN_CAUSE = 256 };

/* A question: what follows a state under `action`? */
typedef struct foray_plugin_query {
    uint64_t key;      /* all the randomness of the answer: see foray_plugin_uniform */
    int64_t simulator; /* -1: reality; otherwise 0 <= simulator < simulators */
    int64_t action;
} foray_plugin_query;

/* What the system is and what it can do. Foray passes it zeroed. Arrays and texts must stay
 * where they are until `destroy`. Functions return 0, or anything else after writing the
 * cause; a system that has failed once is not asked again. */
typedef struct foray_plugin_table {
    size_t size;      /* required: sizeof(foray_plugin_table) */
    uint32_t version; /* required: FORAY_PLUGIN_VERSION */
    int32_t threads;  /* not 0: `step` may be called by several threads at once */

    const char *name;   /* required */
    int64_t states;     /* 0: vectors. Otherwise finite: one integer below this */
    int64_t dimensions; /* required: numbers in a state, 1 to 64; 1 if finite */
    int64_t actions;    /* required: at least 1 */
    int64_t horizon;    /* required: steps of an episode, at least 1 */
    int64_t simulators; /* d; 0: reality only */
    int64_t rewards;    /* how many rewards the system names, may be 0 */
    const double *low;  /* [dimensions] required unless finite: the box */
    const double *high;
    const double *weight;              /* [simulators] the true mixture; NULL: not known */
    const char *const *dimension_name; /* [dimensions], or NULL */
    const char *const *action_name;    /* [actions], or NULL */
    const char *const *reward_name;    /* [rewards], required if there are any */

    void *self; /* yours: passed to every function below */
    /* Required: the first state of an episode, `dimensions` numbers. */
    int (*reset)(void *self, uint64_t key, double *state, char cause[FORAY_PLUGIN_CAUSE]);
    /* Required: answers `count` questions; state and next are [count][dimensions]. A state
     * that leaves the box is moved to its border. */
    int (*step)(void *self, int64_t count, const foray_plugin_query *query, const double *state,
                double *next, char cause[FORAY_PLUGIN_CAUSE]);
    /* Required if there are rewards: r(s,a) in [0,1] of reward `index`. */
    int (*reward)(void *self, int64_t index, const double *state, int64_t action, double *value,
                  char cause[FORAY_PLUGIN_CAUSE]);
    /* May be NULL: releases self; the last call. */
    void (*destroy)(void *self);

    /* Not 0: what a simulator answers depends on state and action alone, not on the key.
     * Reality may still draw which simulator answers. Models then have no Monte Carlo error. */
    int64_t deterministic;
} foray_plugin_table;

/* The one entry point, which you write. `text` is what follows "plugin:PATH:", or "". If it
 * does not return 0 it has failed: `cause` says why, and `destroy` is not called. */
typedef int foray_plugin_fn(const foray_plugin_host *host, const char *text,
                            foray_plugin_table *table, char cause[FORAY_PLUGIN_CAUSE]);
FORAY_PLUGIN_EXPORT foray_plugin_fn foray_plugin;

/* ---------------------------------------------------------- random numbers */

/* The i-th 64 random bits of a key: SplitMix64 (Steele, Lea, Flood 2014) started at the key. */
static inline uint64_t foray_plugin_bits(uint64_t key, uint32_t i)
{
    uint64_t x = key + ((uint64_t)i + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* The i-th uniform random number in [0,1) that belongs to a key. Any other generator works too
 * if it is seeded with the key for every question. */
static inline double foray_plugin_uniform(uint64_t key, uint32_t i)
{
    return (double)(foray_plugin_bits(key, i) >> 11) * (1.0 / 9007199254740992.0);
}

#ifdef __cplusplus
}
#endif

#endif
