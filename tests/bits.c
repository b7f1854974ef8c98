/* bits.c - everything the core computes, as one number.
 *
 *   bits [LEVEL]
 *
 * Explores every built-in world by every algorithm, plans, bounds, saves and loads, aggregates
 * systems, prints and reads, and hashes what comes out, bit by bit: a line for each part, and
 * one for all. The last must be the number written below, on every machine, by every compiler,
 * whatever LEVEL of the processor is used (fy_level_set; the widest unless told).
 *
 * A change of arithmetic changes that number. To renew it, see which lines changed and whether
 * they should have, then copy what `bits` prints; scripts/portable must agree with itself. */
#include "aggregate/clusters.h"
#include "base/level.h"
#include "explore/explorer.h"
#include "base/base.h"
#include "model/model.h"
#include "system/system.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t expected = 0xa89c67182bd6c9d1;

enum { EPISODES = 60, REWARDS = 19, SYSTEM_EPISODES = 12 };

/* A sum of everything so far: FNV-1a. */
typedef struct bits {
    foray_context *ctx;
    uint64_t part, all;
} bits;

/* ------------------------------------------------------------------ hashing */

static void must(const bits *b, foray_status status)
{
    if (status == FORAY_OK)
        return;
    fprintf(stderr, "bits: %s: %s\n", foray_status_text(status), foray_message(b->ctx));
    exit(2);
}

static uint64_t add_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * 0x100000001b3;
    return hash;
}

static void add(bits *b, const void *data, size_t size)
{
    b->part = add_bytes(b->part, data, size);
}

static void add_real(bits *b, double value)
{
    add(b, &value, sizeof value);
}

static void add_text(bits *b, const char *text)
{
    add(b, text, strlen(text) + 1);
}

static void begin_part(bits *b)
{
    b->part = 0xcbf29ce484222325;
}

static void end_part(bits *b, const char *what, const char *where)
{
    printf("%016" PRIx64 "  %s %s\n", b->part, what, where);
    b->all = add_bytes(b->all, &b->part, sizeof b->part);
}

/* ------------------------------------------------------------------ rewards */

/* Goals, rewards for some steps, and numbers that no arithmetic likes. */
static foray_reward *make_reward(const bits *b, const foray_model *model, int64_t index)
{
    int64_t states = foray_model_states(model), actions = foray_model_actions(model);
    foray_reward *reward;
    must(b, foray_reward_create(b->ctx, model, "r", 0, 1, index % 3 == 2 ? 0.1 : 0, &reward));
    for (int64_t s = 0; s < states; s++)
        for (int64_t a = 0; a < actions && index % 3 > 0; a++) {
            foray_draw draw = {.seed = (uint64_t)index, .episode = (uint64_t)s};
            int64_t step = index % 4 == 3 ? (s + a) % foray_model_horizon(model) : -1;
            must(b, foray_reward_set(b->ctx, reward, step, s, a,
                                     foray_draw_uniform(&draw, (uint32_t)a)));
        }
    must(b, foray_reward_set(b->ctx, reward, -1, (states - 1 + index) % states, -1, 1));
    return reward;
}

/* ----------------------------------------------------------------- policies */

static void add_policy(bits *b, const foray_model *model, const foray_reward *reward,
                       const foray_policy *policy)
{
    double value, optimal;
    char text[FY_NUMBER_BYTES];
    add(b, policy->action, (size_t)(policy->states * policy->horizon) * sizeof *policy->action);
    for (int mode = 0; mode < FORAY_MODES; mode++)
        add_text(b, fy_number_text(policy->value[mode], text));
    add_text(b, fy_number_text(policy->expected, text));
    add_text(b, fy_number_text(policy->low, text));
    add_text(b, fy_number_text(policy->high, text));
    add_real(b, policy->certificate.gap);
    must(b, foray_evaluate(b->ctx, model, reward, policy, &value, &optimal));
    add_real(b, value);
    add_real(b, optimal);
}

/* `count` rewards together, in every mode that the algorithm has. */
static void add_plans(bits *b, const foray_model *model, foray_explorer *explorer, int64_t count)
{
    foray_reward *reward[REWARDS];
    foray_policy *policy[REWARDS];
    for (int64_t i = 0; i < count; i++)
        reward[i] = make_reward(b, model, i);
    for (int mode = 0; mode < FORAY_MODES; mode++) {
        foray_status status =
            foray_explorer_plan(explorer, count, (const foray_reward *const *)reward, mode, policy);
        if (status == FORAY_ERROR_USAGE)
            continue;
        must(b, status);
        for (int64_t i = 0; i < count; i++) {
            add_policy(b, model, reward[i], policy[i]);
            foray_policy_destroy(policy[i]);
        }
    }
    for (int64_t i = 0; i < count; i++)
        foray_reward_destroy(reward[i]);
}

/* ---------------------------------------------------------------- explorers */

static void add_bound(bits *b, foray_explorer *explorer)
{
    foray_certificate bound;
    foray_status status = foray_explorer_bound(explorer, FORAY_KIND_PAIR, &bound);
    if (status == FORAY_ERROR_USAGE) /* the algorithm has none */
        return;
    must(b, status);
    add_real(b, bound.gap);
}

static void play(bits *b, const foray_model *model, foray_world *world, foray_explorer *explorer,
                 int64_t episodes)
{
    size_t horizon = (size_t)foray_model_horizon(model);
    int32_t *states = calloc(2 * horizon + 1, sizeof *states);
    int32_t *actions = calloc(horizon, sizeof *actions);
    for (int64_t k = 0; k < episodes; k++) {
        must(b, foray_explorer_play(explorer, world, states, actions));
        add(b, states, (2 * horizon + 1) * sizeof *states);
        add(b, actions, horizon * sizeof *actions);
    }
    free(states);
    free(actions);
}

/* The state half way is saved, hashed, and loaded into another explorer, which goes on. */
static foray_explorer *pass_on(bits *b, const foray_model *model, const foray_settings *settings,
                               foray_explorer *explorer)
{
    foray_explorer *heir;
    uint8_t *state;
    size_t size;
    must(b, foray_explorer_save(explorer, &state, &size));
    add(b, state + 8, size - 8); /* behind a hash of what it belongs to, which is not arithmetic */
    must(b, foray_explorer_create(b->ctx, model, settings, &heir));
    if (fy_explorer_reward(explorer))
        must(b, foray_explorer_give_reward(heir, fy_explorer_reward(explorer)));
    must(b, foray_explorer_load(heir, state, size));
    foray_free(state);
    foray_explorer_destroy(explorer);
    return heir;
}

static void explore(bits *b, const foray_model *model, foray_world *world,
                    const foray_settings *settings, int64_t rewards)
{
    foray_explorer *explorer;
    double *theta = calloc((size_t)foray_model_dim(model) + 1, sizeof *theta);
    must(b, foray_explorer_create(b->ctx, model, settings, &explorer));
    if (foray_algorithm_needs_reward(settings->algorithm)) {
        foray_reward *reward = make_reward(b, model, 1);
        must(b, foray_explorer_give_reward(explorer, reward));
        foray_reward_destroy(reward);
    }
    play(b, model, world, explorer, settings->episodes / 2);
    add_bound(b, explorer);
    explorer = pass_on(b, model, settings, explorer);
    play(b, model, world, explorer, settings->episodes - settings->episodes / 2);
    explorer = pass_on(b, model, settings, explorer);
    add_bound(b, explorer);
    add_plans(b, model, explorer, rewards);
    if (foray_explorer_estimate(explorer, theta, NULL) == FORAY_OK)
        add(b, theta, (size_t)foray_model_dim(model) * sizeof *theta);
    foray_explorer_destroy(explorer);
    free(theta);
}

/* ------------------------------------------------------------------- worlds */

static const char *const worlds[] = {
    "riverswim:states=5,horizon=9",
    "chain:states=9,zones=3,outcomes=3,horizon=8",
    "grid:rows=4,cols=4,zones=2,horizon=7",
    "rooms:rows=1,cols=2,size=2,horizon=7",
    "mixture:states=7,actions=3,successors=4,dim=4,horizon=6",
    "hard:dim=4,actions=4,horizon=5",
    "hypercube:dim=4,horizon=5",
    "trapdoor:knobs=3,horizon=6",
    "inventory:capacity=6,order=3,demand=2,dim=3,horizon=6",
    "queue:capacity=4,rates=2,arrivals=2,services=2,horizon=6",
};

/* What defaults leave out: settings "key=value ...". */
static const struct {
    const char *algorithm, *world, *settings;
} variants[] = {
    {"ucrl-rfe", "chain:states=9,zones=3,outcomes=3,horizon=8", "radius=theorem"},
    {"ucrl-rfe", "chain:states=9,zones=3,outcomes=3,horizon=8", "radius=selfnormalised"},
    {"ucrl-rfe", "grid:rows=4,cols=4,zones=2,horizon=7", "centring=off blocks=off replan=every"},
    {"ucrl-rfe", "mixture:states=9,actions=3,successors=6,dim=5,horizon=6", "inner=exact"},
    {"ucrl-rfe", "mixture:states=9,actions=3,successors=6,dim=5,horizon=6", "inner=l1"},
    {"ucrl-rfe", "mixture:states=9,actions=3,successors=6,dim=5,horizon=6", "inner=ascent"},
    {"ucrl-rfe", "mixture:states=30,actions=3,successors=12,dim=9,horizon=8", "inner=ascent"},
    {"ucrl-rfe+", "mixture:states=30,actions=3,successors=12,dim=9,horizon=8", "refactor_every=7"},
    {"ucrl-rfe", "riverswim:states=25,horizon=30", "refactor_every=5 lambda=0.3"},
    {"ucrl-vtr+", "rooms:rows=2,cols=2,size=2,horizon=9", "clip=horizon ties=lowest"},
    {"rf-express", "rooms:rows=2,cols=2,size=2,horizon=9", "pooled=on"},
    {"euler", "grid:rows=4,cols=4,zones=2,horizon=7", "pooled=on"},
    {"wang", "mixture:states=7,actions=3,successors=4,dim=4,horizon=6", "pair_features=lowrank"},
    {"francis", "mixture:states=7,actions=3,successors=4,dim=4,horizon=6", "pair_features=lowrank"},
};

static void set_by_text(const bits *b, foray_settings *settings, const char *text)
{
    char copy[256];
    snprintf(copy, sizeof copy, "%s", text);
    for (char *key = strtok(copy, " "); key; key = strtok(NULL, " ")) {
        char *value = strchr(key, '=');
        *value++ = 0;
        must(b, foray_settings_set(b->ctx, settings, key, value));
    }
}

static foray_settings settings_of(const bits *b, const char *algorithm, int64_t episodes)
{
    foray_settings settings;
    foray_settings_default(&settings);
    must(b, foray_settings_set(b->ctx, &settings, "algorithm", algorithm));
    settings.episodes = episodes;
    settings.seed = 7;
    return settings;
}

static void explore_world(bits *b, const char *algorithm, const char *name, const char *text,
                          int64_t rewards)
{
    foray_model *model;
    foray_world *world;
    foray_settings settings = settings_of(b, algorithm, EPISODES);
    set_by_text(b, &settings, text);
    begin_part(b);
    must(b, foray_model_builtin(b->ctx, name, &model));
    must(b, foray_world_from_model(b->ctx, model, &world));
    explore(b, model, world, &settings, rewards);
    foray_world_destroy(world);
    foray_model_destroy(model);
    end_part(b, algorithm, name);
}

static void explore_worlds(bits *b)
{
    const char *algorithm;
    for (int64_t i = 0; foray_algorithm_describe(i, &algorithm, NULL); i++)
        for (size_t w = 0; w < sizeof worlds / sizeof *worlds; w++)
            if (strcmp(algorithm, "inverse-count") != 0) /* which refuses known models */
                explore_world(b, algorithm, worlds[w], "", 3);
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++)
        explore_world(b, variants[v].algorithm, variants[v].world, variants[v].settings, REWARDS);
}

/* ------------------------------------------------------------------ systems */

static double height(void *user, const double *state)
{
    (void)user;
    return state[0] * state[0] > 1 ? 1 : state[0] * state[0];
}

static void add_model(bits *b, const foray_model *model)
{
    foray_model_facts facts;
    must(b, foray_model_check(b->ctx, model, &facts));
    add_real(b, facts.psi_norm);
    add_real(b, model->feature_error);
    const double *theta = foray_model_theta(model);
    for (int64_t s = 0; s < foray_model_states(model); s++)
        for (int64_t a = 0; a < foray_model_actions(model); a++) {
            const int32_t *next;
            int64_t count = foray_model_successors(model, s, a, &next);
            add(b, next, (size_t)count * sizeof *next);
            for (int64_t j = 0; j < count; j++)
                add_real(b, foray_model_probability(model, theta, s, a, j));
        }
}

/* What a policy does in reality. */
static void add_reality(bits *b, foray_system *system, const foray_clusters *clusters,
                        const foray_model *model)
{
    double returns[SYSTEM_EPISODES];
    foray_return interval;
    fy_misfit misfit;
    foray_reward *reward;
    foray_policy *policy;
    must(b, foray_system_reward_create(b->ctx, system, clusters, model, 0, &reward));
    must(b, foray_plan_known(b->ctx, model, reward, &policy));
    add_policy(b, model, reward, policy);
    must(b,
         foray_rollout(b->ctx, system, clusters, policy, 0, NULL, 0, SYSTEM_EPISODES, 3, returns));
    add(b, returns, sizeof returns);
    must(b, foray_mean_interval(b->ctx, SYSTEM_EPISODES, returns, 0,
                                (double)foray_model_horizon(model), 0.95, &interval));
    add_real(b, interval.low);
    add_real(b, interval.high);
    must(b, fy_aggregation_misfit(b->ctx, system, clusters, model, NULL, reward, policy, 2, 3,
                                  &misfit));
    add_real(b, misfit.mean);
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
}

static void explore_system(bits *b, const char *name, const char *seen_through)
{
    foray_system *system;
    foray_clusters *clusters;
    foray_model *model;
    foray_world *world;
    foray_aggregation aggregation;
    foray_settings settings = settings_of(b, "ucrl-rfe", SYSTEM_EPISODES);
    begin_part(b);
    foray_aggregation_default(&aggregation);
    aggregation.draws = 4;
    must(b, foray_system_open(b->ctx, name, &system));
    must(b, foray_clusters_parse(b->ctx, system, seen_through, &clusters));
    must(b, foray_aggregate(b->ctx, system, clusters, &aggregation, NULL, NULL, NULL, &model));
    add_model(b, model);
    must(b, foray_world_from_system(b->ctx, system, clusters, model, NULL, FORAY_CONTINUE_REAL,
                                    &world));
    explore(b, model, world, &settings, 3);
    add_reality(b, system, clusters, model);

    foray_draw draw = {.seed = 5};
    fy_value value = {.at = height, .range = 1};
    double state[64], psi[64];
    must(b, foray_system_reset(system, &draw, state));
    must(b, fy_system_psi(system, &draw, state, 0, &value, 0.1, 0.1, psi, NULL));
    add(b, psi, (size_t)foray_system_describe(system)->simulators * sizeof *psi);
    foray_world_destroy(world);
    foray_model_destroy(model);
    foray_clusters_destroy(clusters);
    foray_system_destroy(system);
    end_part(b, name, seen_through);
}

/* --------------------------------------------------------------------- texts */

/* What is printed reads back as the same, from memory. */
static void print_model(bits *b, const foray_model *model, foray_model_format format)
{
    char *text;
    size_t size;
    foray_model *read;
    must(b, foray_model_print(b->ctx, model, format, &text, &size));
    add(b, text, size);
    must(b, foray_model_parse(b->ctx, text, size, "model", &read));
    add_real(b, foray_model_equal(model, read));
    foray_model_destroy(read);
    foray_free(text);
}

static void print_policy(bits *b, const foray_model *model, const foray_reward *reward)
{
    char *text, *again;
    foray_policy *policy, *read;
    must(b, foray_plan_known(b->ctx, model, reward, &policy));
    must(b, foray_policy_print(b->ctx, policy, &text, NULL));
    must(b, foray_policy_parse(b->ctx, text, strlen(text), "policy", &read));
    must(b, foray_policy_print(b->ctx, read, &again, NULL));
    add_text(b, text);
    add_text(b, again);
    foray_policy_destroy(policy);
    foray_policy_destroy(read);
    foray_free(text);
    foray_free(again);
}

static void print_reward(bits *b, const foray_model *model, const foray_reward *reward)
{
    char *text, *again;
    foray_reward *read;
    must(b, foray_reward_print(b->ctx, reward, &text, NULL));
    must(b, foray_reward_parse(b->ctx, model, text, strlen(text), "reward", &read));
    must(b, foray_reward_print(b->ctx, read, &again, NULL));
    add_text(b, text);
    add_text(b, again);
    foray_reward_destroy(read);
    foray_free(text);
    foray_free(again);
}

static void print_and_read(bits *b, const char *world)
{
    foray_model *model;
    begin_part(b);
    must(b, foray_model_builtin(b->ctx, world, &model));
    print_model(b, model, FORAY_MODEL_JSON);
    print_model(b, model, FORAY_MODEL_COMPACT);
    for (int64_t i = 0; i < 4; i++) {
        foray_reward *reward = make_reward(b, model, i);
        print_reward(b, model, reward);
        print_policy(b, model, reward);
        foray_reward_destroy(reward);
    }
    foray_model_destroy(model);
    end_part(b, "texts", world);
}

int main(int argc, char **argv)
{
    bits b = {.ctx = foray_context_create(), .all = 0xcbf29ce484222325};
    if (!b.ctx)
        return 2;
    if (argc > 1 && fy_level_set(b.ctx, argv[1]) != FORAY_OK) {
        fprintf(stderr, "bits: %s\n", foray_message(b.ctx));
        return 3;
    }
    explore_worlds(&b);
    explore_system(&b, "pendulum:horizon=8,masses=1", "grid:5x5");
    explore_system(&b, "pendulum:horizon=8,noise=0.5,dampings=1", "radial:20");
    explore_system(&b, "mountaincar:horizon=8,noise=0.2", "grid:5x4");
    explore_system(&b, "tank:horizon=8,noise=0.3", "radial:15,nearest=4");
    for (size_t w = 0; w < sizeof worlds / sizeof *worlds; w++)
        print_and_read(&b, worlds[w]);
    printf("%016" PRIx64 "  all\n", b.all);
    foray_context_destroy(b.ctx);
    if (b.all == expected)
        return 0;
    fprintf(stderr, "bits: %016" PRIx64 " was expected; tests/bits.c says what to do\n", expected);
    return 1;
}
