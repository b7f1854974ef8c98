/* test_cut.c - episodes that a world cuts off before the horizon: they are played, stored, replayed
 * and learnt from as far as they went, by every algorithm, step by step, whole and ahead. */
#include "oracle_truth.h"
#include "support.h"
#include "support_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A model's world in which an episode ends after 1 to 2 horizon steps, by its number. */
typedef struct cutting {
    foray_world *inside;
    int64_t horizon, episode, step;
    foray_model *model;
} cutting;

static int64_t length_of(const cutting *c, int64_t episode)
{
    int64_t length = 1 + episode * 7 % (2 * c->horizon);
    return length < c->horizon ? length : c->horizon;
}

static foray_status reset(void *self, const foray_draw *draw, int64_t *state)
{
    cutting *c = self;
    c->episode = (int64_t)draw->episode;
    return foray_world_reset(c->inside, draw, state);
}

static foray_status step(void *self, const foray_draw *draw, int64_t state, int64_t action,
                         int64_t *next)
{
    cutting *c = self;
    c->step = draw->step;
    assert_true(c->step <= length_of(c, c->episode)); /* nothing more is asked */
    return foray_world_step(c->inside, draw, state, action, next);
}

static bool cut(void *self)
{
    const cutting *c = self;
    return c->step == length_of(c, c->episode);
}

static foray_status episode(void *self, const foray_draw *draw, int64_t horizon, int64_t states,
                            const int32_t *action, int32_t *state)
{
    const cutting *c = self;
    foray_draw at = *draw;
    int64_t s, next;
    foray_status status = foray_world_reset(c->inside, &at, &s);
    state[0] = (int32_t)s;
    for (int64_t t = 0; t < horizon && status == FORAY_OK; t++) {
        if (t == length_of(c, (int64_t)draw->episode)) {
            state[t + 1] = FORAY_TRUNCATED;
            return FORAY_OK;
        }
        int64_t chosen = action[t * states + s];
        if (chosen < 0)
            chosen = foray_draw_action(draw, c->model, t, s);
        at.step = (uint32_t)t + 1;
        status = foray_world_step(c->inside, &at, s, chosen, &next);
        state[t + 1] = (int32_t)(s = next);
    }
    return status;
}

static void open_world(run_bench *bench, bool whole, cutting *c, foray_world **world)
{
    foray_world_ops ops = {.size = sizeof ops,
                           .reset = reset,
                           .step = step,
                           .episode = whole ? episode : NULL,
                           .cut = cut};
    *c = (cutting){.horizon = foray_model_horizon(bench->model), .model = bench->model};
    assert_ok(bench, foray_world_from_model(bench->ctx, bench->model, &c->inside));
    assert_ok(bench, foray_world_create(bench->ctx, &ops, c, world));
}

/* A model of which nothing is known, of the same sizes. */
static foray_model *nothing_of(run_bench *bench)
{
    char text[96];
    foray_model *model;
    snprintf(text, sizeof text, "unstructured:states=%d,actions=%d,horizon=%d",
             (int)foray_model_states(bench->model), (int)foray_model_actions(bench->model),
             (int)foray_model_horizon(bench->model));
    assert_ok(bench, foray_model_builtin(bench->ctx, text, &model));
    return model;
}

enum { EPISODES = 150, BREAK = 61 };

typedef struct way {
    bool whole, unstructured, breaks;
    int64_t workers;
} way;

static void explore(run_bench *bench, foray_run *run, const way *how, int64_t episodes)
{
    cutting c[4];
    foray_world *world[4];
    if (foray_run_settings(run)->episodes < episodes)
        assert_ok(bench, foray_run_extend(run, episodes));
    for (int64_t i = 0; i < how->workers; i++)
        open_world(bench, how->whole, &c[i], &world[i]);
    assert_ok(bench, foray_run_explore(run, how->workers, world, NULL, NULL));
    for (int64_t i = 0; i < how->workers; i++) {
        foray_world_destroy(world[i]);
        foray_world_destroy(c[i].inside);
    }
}

/* Explores in some way, in one go or in two; the file must hold what it says. */
static void digest_of(run_bench *bench, way how, run_digest *digest)
{
    foray_model *known = bench->model, *nothing = how.unstructured ? nothing_of(bench) : NULL;
    bench->model = nothing ? nothing : known;
    foray_run *run = run_create(bench, bench->path);
    bench->model = known;
    if (how.breaks) {
        explore(bench, run, &how, BREAK);
        assert_ok(bench, foray_run_close(run));
        run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
    }
    explore(bench, run, &how, EPISODES);
    assert_ok(bench, foray_run_verify(run));
    assert_ok(bench, foray_run_close(run));
    run_digest_file(bench, bench->path, digest);
    remove(bench->path);
    foray_model_destroy(nothing);
}

static bool can_extend(const run_bench *bench)
{
    foray_explorer *explorer;
    assert_ok(bench, truth_create(bench->ctx, bench->model, &bench->settings, &explorer));
    bool can = !explorer->ops->needs_budget(explorer);
    foray_explorer_destroy(explorer);
    return can;
}

/* The trace has a point more where a run was told to end, and then to go on. */
static void assert_same(const run_digest *plain, run_digest *other, bool broken)
{
    if (broken)
        other->trace = plain->trace;
    run_assert_same(plain, other);
}

static void test_every_way_is_the_same(void **state)
{
    static const way ways[] = {{.workers = 1, .whole = true},
                               {.workers = 3},
                               {.workers = 1, .breaks = true},
                               {.workers = 2, .whole = true, .breaks = true}};
    run_bench *bench = *state;
    const char *name;
    for (int64_t i = 0; (name = support_algorithm(i)); i++) {
        run_digest plain, other;
        if (foray_algorithm_is_generative(name))
            continue;
        snprintf(bench->settings.algorithm, sizeof bench->settings.algorithm, "%s", name);
        bool extends = can_extend(bench);
        bench->settings.episodes = extends ? BREAK : EPISODES;
        digest_of(bench, (way){.workers = 1}, &plain);
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            if (ways[w].breaks && !extends)
                continue;
            digest_of(bench, ways[w], &other);
            assert_same(&plain, &other, ways[w].breaks);
        }
    }
}

static void test_open_models(void **state)
{
    static const way ways[] = {{.unstructured = true, .workers = 1, .whole = true},
                               {.unstructured = true, .workers = 3},
                               {.unstructured = true, .workers = 1, .whole = true, .breaks = true}};
    run_bench *bench = *state;
    for (int i = 0; i < 2; i++) {
        run_digest plain, other;
        strcpy(bench->settings.algorithm, i == 0 ? "inverse-count" : "random");
        bench->settings.episodes = BREAK;
        digest_of(bench, (way){.unstructured = true, .workers = 1}, &plain);
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            digest_of(bench, ways[w], &other);
            assert_same(&plain, &other, ways[w].breaks);
        }
    }
}

/* What is stored, and what is learnt: as many transitions as were seen. */
typedef struct counts {
    cutting c;
    int64_t steps, wrong;
} counts;

static bool count(void *user, int64_t k, const int32_t *states, const int32_t *actions)
{
    counts *n = user;
    int64_t length = length_of(&n->c, k);
    for (int64_t t = 0; t < n->c.horizon; t++) {
        n->steps += actions[t] >= 0;
        n->wrong += (actions[t] >= 0) != (t < length);
        n->wrong +=
            t >= length && (actions[t] != FORAY_TRUNCATED || states[t + 1] != states[length]);
    }
    return true;
}

static void test_what_was_seen_counts(void **state)
{
    run_bench *bench = *state;
    counts n = {.c.horizon = foray_model_horizon(bench->model)};
    strcpy(bench->settings.algorithm, "rf-express");
    bench->settings.episodes = EPISODES;
    foray_run *run = run_create(bench, bench->path);
    explore(bench, run, &(way){.workers = 1}, EPISODES);
    assert_ok(bench, foray_run_episodes(run, 0, count, &n));
    assert_int_equal(n.wrong, 0);
    int64_t seen = 0, expected = 0;
    foray_model_facts facts;
    assert_ok(bench, foray_model_check(bench->ctx, bench->model, &facts));
    for (int64_t i = 0; i < facts.transitions; i++)
        seen += foray_run_explorer(run)->seen[i];
    for (int64_t k = 0; k < EPISODES; k++)
        expected += length_of(&n.c, k);
    assert_int_equal(seen, expected);
    assert_int_equal(n.steps, expected);
    assert_ok(bench, foray_run_close(run));
}

/* Certificates hold: over seeds, fewer fail than delta allows, by a margin of 1e-6. */
static void test_certificates_hold(void **state)
{
    enum { SEEDS = 40 };
    run_bench *bench = *state;
    int64_t failures = 0;
    bench->settings.episodes = EPISODES;
    for (int64_t seed = 0; seed < SEEDS; seed++) {
        bench->settings.seed = seed;
        strcpy(bench->settings.algorithm, seed % 2 ? "ucrl-rfe" : "rf-express");
        foray_run *run = run_create(bench, bench->path);
        foray_reward *reward = truth_random_reward(bench->ctx, bench->model, (uint64_t)seed);
        const foray_reward *rewards[] = {reward};
        foray_policy *policy;
        double value, best;
        explore(bench, run, &(way){.workers = 1}, EPISODES);
        assert_ok(bench,
                  foray_explorer_plan(foray_run_explorer(run), 1, rewards, FORAY_PLUGIN, &policy));
        assert_int_equal(policy->certificate.status, FORAY_CERTIFIED);
        assert_ok(bench, foray_evaluate(bench->ctx, bench->model, reward, policy, &value, &best));
        failures += best - value > policy->certificate.gap + 1e-12;
        failures += value < policy->low - 1e-12 || value > policy->high + 1e-12;
        foray_policy_destroy(policy);
        foray_reward_destroy(reward);
        assert_ok(bench, foray_run_close(run));
        remove(bench->path);
    }
    assert_true(failures <= truth_max_failures(2 * SEEDS, bench->settings.delta));
}

static void test_order_of_calls(void **state)
{
    run_bench *bench = *state;
    foray_explorer *explorer;
    foray_settings_default(&bench->settings);
    assert_ok(bench, foray_explorer_create(bench->ctx, bench->model, &bench->settings, &explorer));
    assert_fails(bench, FORAY_ERROR_USAGE, foray_explorer_cut(explorer));
    assert_ok(bench, foray_explorer_begin(explorer));
    assert_fails(bench, FORAY_ERROR_USAGE, foray_explorer_cut(explorer)); /* nothing was seen */
    foray_explorer_destroy(explorer);
    strcpy(bench->settings.algorithm, "generative");
    assert_ok(bench, foray_explorer_create(bench->ctx, bench->model, &bench->settings, &explorer));
    assert_ok(bench, foray_explorer_begin(explorer));
    assert_fails(bench, FORAY_ERROR_USAGE, foray_explorer_cut(explorer));
    run_assert_message(bench, "queries");
    foray_explorer_destroy(explorer);
}

/* How an episode ended is a number above all actions, also where those fill a byte. */
static void test_many_actions(void **state)
{
    run_bench *bench = *state;
    foray_builder *builder;
    foray_model_destroy(bench->model);
    assert_ok(bench, foray_builder_create_tabular(bench->ctx, 2, 256, 4, &builder));
    for (int64_t pair = 0; pair < 512; pair++)
        foray_builder_transition(builder, pair / 256, pair % 256, pair % 2, 1.0);
    assert_ok(bench, foray_builder_finish(builder, &bench->model));
    foray_builder_destroy(builder);
    strcpy(bench->settings.algorithm, "random");
    cutting c;
    foray_world *world;
    foray_run *run = run_create(bench, bench->path);
    open_world(bench, false, &c, &world);
    assert_ok(bench, foray_run_explore(run, 1, &world, NULL, NULL));
    assert_int_equal(foray_run_saved(run), bench->settings.episodes);
    assert_ok(bench, foray_run_verify(run));
    foray_world_destroy(world);
    foray_world_destroy(c.inside);
    foray_run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN_TEST(test_every_way_is_the_same), RUN_TEST(test_open_models),
        RUN_TEST(test_what_was_seen_counts),  RUN_TEST(test_certificates_hold),
        RUN_TEST(test_order_of_calls),        RUN_TEST(test_many_actions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
