/* oracle_truth.h - what only tests may know: episodes played in a known world,
 * and how estimates compare with the true theta. */
#ifndef FY_ORACLE_TRUTH_H
#define FY_ORACLE_TRUTH_H

#include "explore/mixture/learner.h"

/* An explorer, with a random reward to explore for if its algorithm needs one. */
foray_status truth_create(foray_context *ctx, const foray_model *model,
                          const foray_settings *settings, foray_explorer **out);

/* Plays `episodes` episodes; true if every call succeeded. */
bool truth_play(foray_explorer *explorer, foray_world *world, int64_t episodes);

/* max over blocks of ||z - z*||_Sigma / radius, from Sigma and z as they are now:
 * at most 1 while every ellipsoid contains its truth. */
double truth_distance(foray_explorer *explorer);

/* A reward of 1 in one state and 0 elsewhere. */
foray_reward *truth_goal(foray_context *ctx, const foray_model *model, int64_t state);

/* A reward with random values, different in every step. */
foray_reward *truth_random_reward(foray_context *ctx, const foray_model *model, uint64_t seed);

/* The largest number of failures that is still to be expected of `runs` runs
 * that each fail with probability `p`: exceeding it has probability < 1e-6. */
int64_t truth_max_failures(int64_t runs, double p);

#endif
