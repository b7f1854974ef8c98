/* oracle_euler.h - EULER as a textbook would write it: dense, everything anew. */
#ifndef FY_ORACLE_EULER_H
#define FY_ORACLE_EULER_H

#include "explore/tabular/euler.h"
#include "support.h"

/* cmocka's own comparison is in single precision. */
#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

enum { EULER_MAX_S = 6, EULER_MAX_A = 3, EULER_MAX_H = 6 };

/* EULER and the certified recursions as a textbook would write them: dense, everything anew. */
typedef struct euler_dense {
    int S, A, H;
    double n[EULER_MAX_H][EULER_MAX_S][EULER_MAX_A][EULER_MAX_S];
    double up[EULER_MAX_H + 1][EULER_MAX_S], low[EULER_MAX_H + 1][EULER_MAX_S];
    double raw[EULER_MAX_H][EULER_MAX_S][EULER_MAX_A], Q[EULER_MAX_H][EULER_MAX_S][EULER_MAX_A];
    double left[EULER_MAX_H + 1];
} euler_dense;

typedef struct euler_stage {
    foray_context *ctx;
    foray_model *model;
    foray_world *world;
    foray_reward *reward;
    foray_explorer *explorer;
    fy_euler *euler;
    euler_dense *o;
} euler_stage;

/* EULER with the default settings. */
foray_settings euler_settings_for(int64_t seed);
foray_model *euler_small_model(foray_context *ctx, uint64_t seed);
/* Takes over context, model and reward. */
euler_stage euler_set_stage(foray_context *ctx, foray_model *model, foray_reward *reward,
                            const foray_settings *settings);
/* A random world with a random reward. */
euler_stage euler_set_random(uint64_t seed, const foray_settings *settings);
/* A built-in world, rewarded in one state. */
euler_stage euler_set_goal(const char *spec, int64_t goal, const foray_settings *settings);
void euler_clear(euler_stage *s);
/* What the textbook sees: the counts are those of s->o. */
int euler_successors(const euler_stage *s, int state, int action, const int32_t **next);
double euler_visits(const euler_stage *s, int t, int state, int action);
double euler_mean(const euler_stage *s, int t, int state, int action, const double *value);
double euler_variance(const euler_stage *s, int t, int state, int action, const double *value);
double euler_open_pairs(const euler_stage *s);
/* V_up, V_low and Q anew. */
void euler_recompute(euler_stage *s);
bool euler_is_greedy(const euler_stage *s, int t, int x, int a);
double euler_play(euler_stage *s, bool watch);

#endif
