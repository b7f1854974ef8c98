/* support_plan.h - what the tests of PLAN share: a model, what was learnt of it, and plans. */
#ifndef FY_TESTS_SUPPORT_PLAN_H
#define FY_TESTS_SUPPORT_PLAN_H

#include "learn/ridge.h"
#include "plan/plan.h"
#include "support.h"

/* A model, what was learnt of it, and the kernel made from that. */
typedef struct scene {
    foray_context *ctx;
    foray_model *model;
    fy_basis *basis;
    fy_ridge *ridge;
    fy_kernel *kernel;
    double *z, *radius;
    support_random random;
} scene;

extern const support_sizes scene_small;
/* More successors than unknowns, and more columns than are unrolled. */
extern const support_sizes scene_wide;

/* Takes over the model. */
void scene_open(scene *s, foray_context *ctx, foray_model *model, bool centred, bool blocked,
                int precision, uint64_t seed);
void scene_close(scene *s);

/* Sigma and b from made-up data: x = psi'_f for random f, in every block. */
void scene_learn(scene *s, int64_t updates);
/* The kernel of what was learnt so far. */
void scene_estimate(scene *s);

/* Random values; with `changing`, some steps have their own. */
foray_reward *scene_reward(scene *s, bool changing);

/* How a plan of one reward is to be made. */
typedef struct scene_manner {
    int sign, clip, ties;
    bool plain; /* ties go to the larger value without bonus */
} scene_manner;

/* Plans for one reward with fy_plan itself; its value. */
double scene_plan_as(const scene *s, const foray_reward *reward, scene_manner how,
                     const int32_t *follow, int32_t *policy);
double scene_plan(const scene *s, const foray_reward *reward, int sign, int clip, int ties,
                  const int32_t *follow, int32_t *policy);

/* Room for a policy [horizon][states], to be released with free(). */
int32_t *scene_policy_room(const foray_model *model);
void scene_same_policy(const foray_model *model, const int32_t *x, const int32_t *y);

#endif
