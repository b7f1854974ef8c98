/* generative.c - a generative model instead of a world: any (s,a) can be asked about.
 *
 *   query q = 0, 1, ...: the pair q mod SA, H queries an episode (of the pairs that exist)
 *
 * A reference that no explorer can have in practice: every pair is sampled equally often, and
 * nothing has to be reached first. It learns from what it sees exactly as UCRL-RFE does (same
 * targets, same regression, same certificates), so that a comparison shows what
 * having to walk costs and nothing else.
 *
 * Its queries belong to no step. With the theorem's radius, where targets have the range H-h of
 * their step, all have that of the first. */
#include "explore/mixture/learner.h"

/* (k H + t) mod SA, without forming the product. */
static int64_t queried_pair(const foray_explorer *explorer, int64_t t)
{
    int64_t pairs = explorer->model->available, horizon = explorer->model->horizon;
    int64_t before = (explorer->episodes % pairs) * (horizon % pairs) % pairs;
    return fy_existing(explorer->model, (before + t) % pairs);
}

static int64_t generative_query(const foray_explorer *explorer, int64_t t)
{
    return queried_pair(explorer, t) / explorer->model->actions;
}

static int64_t generative_act(foray_explorer *explorer, int64_t t, int64_t state)
{
    (void)state;
    return queried_pair(explorer, t) % explorer->model->actions;
}

static void generative_observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j)
{
    (void)t;
    fy_learner_observe(explorer, 0, pair, j);
}

const fy_explorer_ops fy_generative = {
    .name = "generative",
    .summary = "queries all (s,a) in turn, as no explorer could; learns as ucrl-rfe does",
    FY_PASSIVE_OPS,
    .act = generative_act,
    .observe = generative_observe,
    .query = generative_query,
};
