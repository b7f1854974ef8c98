/* explorer.h - what an exploration algorithm is: a row of the table in
 * explorer.c, with one file behind it.
 *
 * The same sections in every such file: the paper and the formulas, the state,
 * initialise, begin_episode, act, observe, end_episode, save and load, the row. */
#ifndef FY_EXPLORER_H
#define FY_EXPLORER_H

#include "model/model.h"

typedef struct fy_learner fy_learner;

/* See route.h. */
typedef struct fy_route {
    int32_t *action; /* [horizon][states] */
    bool stale;      /* plan anew before the next episode */
} fy_route;

typedef struct fy_explorer_ops {
    const char *name;
    const char *summary;
    /* True: explores for explorer->reward, which is there from the first episode on. */
    bool needs_reward;
    /* Required. Settings and model have been checked; destroy must cope with a
     * create that failed half-way. */
    foray_status (*create)(foray_explorer *explorer);
    void (*destroy)(foray_explorer *explorer);
    void (*begin_episode)(foray_explorer *explorer);
    /* t counts steps from 0: h = t + 1. */
    int64_t (*act)(foray_explorer *explorer, int64_t t, int64_t state);
    /* j: which successor of the pair followed. */
    void (*observe)(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j);
    void (*end_episode)(foray_explorer *explorer);
    foray_status (*plan)(foray_explorer *explorer, int64_t count,
                         const foray_reward *const *rewards, int mode, foray_policy **policies);
    void (*save)(foray_explorer *explorer, fy_writer *writer);
    void (*load)(foray_explorer *explorer, fy_reader *reader);
    /* True: the radii depend on the number of episodes, which is then fixed. */
    bool (*needs_budget)(const foray_settings *settings);
    /* Optional: NULL where the algorithm has no such thing. */
    /* The state that step t is to be about, of algorithms that query any (s,a). */
    int64_t (*query)(const foray_explorer *explorer, int64_t t);
    foray_status (*bound)(foray_explorer *explorer, foray_certificate *out);
    foray_status (*estimate)(foray_explorer *explorer, double *theta, double *half_width);
    void (*describe)(foray_explorer *explorer, foray_explorer_facts *facts);
    /* A hash of the settings of its own that a saved state is tied to. */
    uint64_t (*fingerprint)(const foray_settings *settings);
} fy_explorer_ops;

/* What needs_budget is for most. */
bool fy_never_needs_budget(const foray_settings *settings);
bool fy_always_needs_budget(const foray_settings *settings);

struct foray_explorer {
    const fy_explorer_ops *ops;
    foray_context *ctx;
    const foray_model *model;
    foray_settings settings;
    int64_t episodes;     /* ended */
    int64_t plans;        /* exploration plans made */
    int64_t step;         /* of the episode under way; -1 between episodes */
    foray_reward *reward; /* explorers that see it: their copy; NULL in others */
    uint64_t reward_hash;
    const double **reward_table; /* [horizon] its tables */
    fy_learner *learner;         /* explorers of linear mixture models; NULL in others */
    fy_route route;              /* what is followed; empty in explorers without one */
    void *self;                  /* the algorithm's own state */
};

/* Would the explorer take this reward to explore for? */
foray_status fy_explorer_check_reward(foray_explorer *explorer, const foray_reward *reward);

/* The algorithms, one line each in explorer.c. */
extern const fy_explorer_ops fy_ucrl_rfe, fy_ucrl_rfe_plus, fy_rf_ucrl, fy_rf_express, fy_random;
extern const fy_explorer_ops fy_wang, fy_francis;
extern const fy_explorer_ops fy_euler_ops, fy_rf_rl_explore, fy_sstp;
extern const fy_explorer_ops fy_ucrl_vtr, fy_ucrl_vtr_plus, fy_generative;

#endif
