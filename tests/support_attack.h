/* support_attack.h - what certificates are attacked with: random worlds of every kind, settings of
 * every algorithm, and rewards; each of them follows from a number. */
#ifndef FY_TESTS_SUPPORT_ATTACK_H
#define FY_TESTS_SUPPORT_ATTACK_H

#include "support.h"

/* Plain rewards in [0,1], and after them those of other forms: with a range of their own, of what
 * follows, discounted; and reaching or avoiding states. */
enum { ATTACK_PLAIN = 8, ATTACK_REWARDS = 11 };

typedef struct attack_world {
    foray_model *truth;   /* tells what happens; only the judge knows it */
    foray_model *belief;  /* what the explorer is told */
    char text[160];       /* both in words */
    double *chance;       /* [transitions] of the truth, laid out as its successors */
    int64_t reach, avoid; /* the states of the rewards that stop; -1: none */
} attack_world;

/* The world of a number. Its explorer's features are exact, or wrong by at most what the model
 * admits. */
void attack_world_make(foray_context *ctx, uint64_t seed, attack_world *world);
void attack_world_free(attack_world *world);

/* An algorithm with random settings, among them every parameter of its own. `text` receives
 * what differs from the defaults. */
foray_settings attack_settings(support_random *random, char *text, size_t size);

/* Rewards of every kind: dense, sparse, tied, late, constant, and of other forms. */
void attack_rewards(foray_context *ctx, attack_world *world, support_random *random,
                    foray_reward *out[ATTACK_REWARDS]);

/* V^pi(mu) in the true world, by plain backward induction; with policy NULL the best there is. */
double attack_value(const attack_world *world, const foray_reward *reward,
                    const foray_policy *policy);

#endif
