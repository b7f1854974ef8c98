/* seen.h - what was seen of a world about which nothing is known: which states, in the order of
 * first sight, and how often which of them followed each of their pairs, and began episodes.
 *
 *   law 0                  the first state of an episode
 *   law 1 + i A + a        what follows action a in the i-th state seen
 *
 * Memory grows with what was seen, not with the number of states there may be. */
#ifndef FY_SEEN_H
#define FY_SEEN_H

#include "base/index.h"
#include "explore/explorer.h"

typedef struct fy_seen {
    fy_arena arena; /* of all but the index */
    int64_t actions;
    int64_t states, room;  /* seen; and how many fit */
    int32_t *state;        /* [states] their numbers in the model */
    bool *absorbing;       /* [states] known to be, because the world said so */
    fy_index index;        /* of places in `state` */
    int64_t *visits;       /* [laws] n */
    int32_t *first, *last; /* [laws] entries of a law, as a list; -1: none */
    int64_t entries, entry_room;
    int32_t *next;  /* [entries] what followed, by its place in `state` */
    int64_t *times; /* [entries] N */
    int32_t *link;  /* [entries] the law's next one; -1: none */
    bool failed;    /* out of memory: nothing more is counted */
} fy_seen;

foray_status fy_seen_create(foray_context *ctx, int64_t actions, fy_seen **out);
void fy_seen_destroy(fy_seen *seen);

/* The place of a state in `state`; -1: not seen. */
int64_t fy_seen_find(const fy_seen *seen, int64_t state);

static inline int64_t fy_seen_law(const fy_seen *seen, int64_t place, int64_t action)
{
    return 1 + place * seen->actions + action;
}

/* How many laws there are, 0 included. */
static inline int64_t fy_seen_laws(const fy_seen *seen)
{
    return 1 + seen->states * seen->actions;
}

/* An episode began in a state; a state followed a pair. What follows an absorbing state is known
 * and not counted. */
void fy_seen_begin(fy_seen *seen, int64_t state);
void fy_seen_follow(fy_seen *seen, int64_t state, int64_t action, int64_t next);
/* The state is absorbing: false if something else has followed it. */
bool fy_seen_absorb(fy_seen *seen, int64_t state);
bool fy_seen_is_absorbing(const fy_seen *seen, int64_t state);

/* Reads what was written into an empty one; the reader fails on what no counting gives. */
void fy_seen_write(const fy_seen *seen, fy_writer *writer);
void fy_seen_read(fy_seen *seen, fy_reader *reader, int64_t states);

#endif
