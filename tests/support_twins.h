/* support_twins.h - a model, and the same model in which every state lacks some actions.
 *
 * The second has more actions, of which each state lacks as many: all that differs is what actions
 * are called, differently in every state but in the same order. So the first is the oracle of the
 * second, to the last bit. */
#ifndef FY_TESTS_SUPPORT_TWINS_H
#define FY_TESTS_SUPPORT_TWINS_H

#include "support.h"

/* Where each action went: place[s * actions + a]. */
typedef struct twins {
    foray_context *ctx;
    foray_model *narrow, *wide;
    int64_t *place;
} twins;

/* Of a kind of support_model; `error` is that of its features. */
twins twins_make(int kind, uint64_t seed, double error);
void twins_drop(twins *t);

/* Rewards of every form; the wide model's have the same values at other places. */
enum {
    TWINS_PLAIN,
    TWINS_TIMED,
    TWINS_AHEAD,
    TWINS_DISCOUNTED,
    TWINS_MIN,
    TWINS_REACH,
    TWINS_AVOID
};
foray_reward *twins_reward(const twins *t, bool wide, int form);

#endif
