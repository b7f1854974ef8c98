/* test_available.c - actions that only some states have.
 *
 * The oracle is the same model without the pairs that do not exist. `widen` gives a model in which
 * every state has every action some more actions, of which each state lacks as many: all that has
 * changed is what actions are called, differently in every state but in the same order. So every
 * explorer must play the same episodes, and give the same plans, values and bounds to the last
 * bit. Where states have different numbers of actions, exact values come from a recursion written
 * out here, and certificates must hold. */
#include "base/level.h"
#include "model/parts.h"
#include "oracle_truth.h"
#include "plan/policy.h"
#include "plan/reward.h"
#include "support.h"

#include <foray/lab.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- models */

/* A model, the same with more actions, and where each action went: place[s * actions + a]. */
typedef struct twins {
    foray_context *ctx;
    foray_model *narrow, *wide;
    int64_t *place;
} twins;

enum { MORE = 2 }; /* actions that every state of the wide model lacks */

/* For every state an increasing choice of `actions` of `wider` numbers. */
static int64_t *choose_places(const foray_model *model, int64_t wider, uint64_t seed)
{
    support_random random = {.seed = seed};
    int64_t *place = calloc((size_t)model->pairs, sizeof *place);
    for (int64_t s = 0; s < model->states; s++)
        for (int64_t a = 0, at = 0; a < model->actions; a++, at++) {
            int64_t slack = wider - model->actions - (at - a);
            at += support_below(&random, slack + 1);
            place[s * model->actions + a] = at;
        }
    return place;
}

/* The wide model's own arrays; phi(s,a) comes along. */
static foray_model *widen(foray_context *ctx, const foray_model *m, int64_t wider,
                          const int64_t *place)
{
    int64_t pairs = m->states * wider;
    bool *available = calloc((size_t)pairs, sizeof *available);
    int32_t *list = calloc((size_t)pairs, sizeof *list);
    int64_t *start = calloc((size_t)pairs + 1, sizeof *start);
    int64_t *phi_start = calloc((size_t)pairs + 1, sizeof *phi_start);
    for (int64_t p = 0; p < m->pairs; p++) {
        int64_t to = p / m->actions * wider + place[p];
        available[to] = true;
        start[to + 1] = m->succ_start[p + 1] - m->succ_start[p];
        phi_start[to + 1] = m->pair_dim > 0 ? m->pair_start[p + 1] - m->pair_start[p] : 0;
        list[to] = m->generator_set[p];
    }
    for (int64_t p = 0; p < pairs; p++) {
        start[p + 1] += start[p];
        phi_start[p + 1] += phi_start[p];
        list[p] = available[p] ? list[p] : -1;
    }
    fy_model_parts parts = {
        .name = m->name,
        .states = m->states,
        .actions = wider,
        .horizon = m->horizon,
        .dim = m->dim,
        .norm_bound = m->norm_bound,
        .feature_error = m->feature_error,
        .available = available,
        .succ_start = start,
        .succ = m->succ, /* in the same order */
        .lists = m->generator_sets,
        .list_of_pair = list,
        .gen_start = m->gen_start,
        .feat_start = m->feat_start,
        .feat_index = m->feat_index,
        .feat_value = m->feat_value,
        .theta = m->theta,
        .nonnegative = m->nonnegative,
        .pair_dim = m->pair_dim,
        .pair_start = m->pair_dim > 0 ? phi_start : NULL,
        .pair_index = m->pair_index,
        .pair_value = m->pair_value,
        .initials = m->initials,
        .initial_state = m->initial_state,
        .initial_probability = m->initial_probability,
    };
    foray_model *out;
    support_ok(ctx, fy_model_assemble(ctx, &parts, &out));
    free(available);
    free(list);
    free(start);
    free(phi_start);
    return out;
}

static twins make_twins(int kind, uint64_t seed, double error)
{
    support_sizes sizes = {.states = 5,
                           .actions = 3,
                           .horizon = 4,
                           .successors = 3,
                           .dim = 3,
                           .error = error,
                           .sharp = seed % 2 == 1};
    twins t = {.ctx = foray_context_create()};
    t.narrow = support_model(t.ctx, kind, sizes, seed);
    t.place = choose_places(t.narrow, t.narrow->actions + MORE, seed);
    t.wide = widen(t.ctx, t.narrow, t.narrow->actions + MORE, t.place);
    return t;
}

static void drop(twins *t)
{
    foray_model_destroy(t->narrow);
    foray_model_destroy(t->wide);
    free(t->place);
    foray_context_destroy(t->ctx);
}

/* Any availability: of each state at least one action. */
static foray_model *thin_out(foray_context *ctx, const foray_model *m, uint64_t seed)
{
    support_random random = {.seed = seed};
    foray_builder *builder;
    support_ok(ctx, foray_builder_create_tabular(ctx, m->states, m->actions, m->horizon, &builder));
    for (int64_t s = 0; s < m->states; s++) {
        int64_t list[16], count = 0, sure = support_below(&random, m->actions);
        for (int64_t a = 0; a < m->actions; a++) {
            if (a != sure && support_uniform(&random) < 0.5)
                continue;
            const int32_t *next;
            int64_t n = foray_model_successors(m, s, a, &next);
            list[count++] = a;
            for (int64_t j = 0; j < n; j++)
                foray_builder_transition(builder, s, a, next[j],
                                         foray_model_probability(m, m->theta, s, a, j));
        }
        foray_builder_available(builder, s, count, list);
    }
    foray_model *out;
    support_ok(ctx, foray_builder_finish(builder, &out));
    foray_builder_destroy(builder);
    return out;
}

/* ------------------------------------------------------------------- rewards */

/* Rewards of every form; the wide model's have the same values at other places. */
enum { PLAIN, TIMED, AHEAD, DISCOUNTED, LEAST, REACH, AVOID, REWARDS = 12 };

static foray_reward *make_reward(const twins *t, bool wide, int form)
{
    const foray_model *model = wide ? t->wide : t->narrow;
    support_random random = {.seed = (uint64_t)form + 50};
    foray_reward *reward;
    int64_t goal = 1, bad = 3;
    if (form == REACH || form == AVOID) {
        support_ok(t->ctx, foray_reward_create_reach(t->ctx, model, "stops", form == REACH, &goal,
                                                     1, &bad, &reward));
        return reward;
    }
    support_ok(t->ctx, foray_reward_create_between(t->ctx, model, "values", -1, 2, 0.25, &reward));
    for (int64_t p = 0; p < t->narrow->pairs; p++) {
        int64_t s = p / t->narrow->actions, a = p % t->narrow->actions;
        double value = 3 * support_uniform(&random) - 1;
        const int32_t *next;
        foray_model_successors(t->narrow, s, a, &next);
        int64_t to = wide ? t->place[p] : a;
        if (form == AHEAD)
            support_ok(t->ctx, foray_reward_set_next(t->ctx, reward, -1, s, to, next[0], value));
        else
            support_ok(t->ctx,
                       foray_reward_set(t->ctx, reward, form == TIMED ? p % model->horizon : -1, s,
                                        to, value));
    }
    if (form == DISCOUNTED)
        support_ok(t->ctx, foray_reward_set_discount(t->ctx, reward, 0.75));
    if (form == LEAST)
        support_ok(t->ctx, foray_reward_set_minimise(t->ctx, reward, true));
    return reward;
}

/* Rewards r(s,a) in [0,1], which every planner takes. */
static foray_reward *make_plain(const twins *t, bool wide, uint64_t seed)
{
    const foray_model *model = wide ? t->wide : t->narrow;
    support_random random = {.seed = seed};
    foray_reward *reward;
    support_ok(t->ctx, foray_reward_create(t->ctx, model, "plain", 0, &reward));
    for (int64_t p = 0; p < t->narrow->pairs; p++) {
        double value = support_below(&random, 3) / 2.0; /* ties */
        support_ok(t->ctx, foray_reward_set(t->ctx, reward, -1, p / t->narrow->actions,
                                            wide ? t->place[p] : p % t->narrow->actions, value));
    }
    return reward;
}

/* --------------------------------------------------------------- every explorer */

static foray_settings settings_for(const char *algorithm)
{
    foray_settings settings;
    foray_settings_default(&settings);
    snprintf(settings.algorithm, sizeof settings.algorithm, "%s", algorithm);
    settings.episodes = 60;
    settings.seed = 3;
    return settings;
}

static foray_explorer *start(const twins *t, bool wide, const foray_settings *settings)
{
    foray_explorer *explorer;
    support_ok(t->ctx,
               foray_explorer_create(t->ctx, wide ? t->wide : t->narrow, settings, &explorer));
    if (foray_algorithm_needs_reward(settings->algorithm)) {
        foray_reward *reward = make_plain(t, wide, 9);
        support_ok(t->ctx, foray_explorer_give_reward(explorer, reward));
        foray_reward_destroy(reward);
    }
    return explorer;
}

static void same_episodes(const twins *t, foray_explorer *narrow, foray_explorer *wide,
                          int64_t episodes)
{
    foray_world *worlds[2];
    int32_t states[2][8], actions[2][8];
    int64_t H = t->narrow->horizon;
    support_ok(t->ctx, foray_world_from_model(t->ctx, t->narrow, &worlds[0]));
    support_ok(t->ctx, foray_world_from_model(t->ctx, t->wide, &worlds[1]));
    for (int64_t k = 0; k < episodes; k++) {
        support_ok(t->ctx, foray_explorer_play(narrow, worlds[0], states[0], actions[0]));
        support_ok(t->ctx, foray_explorer_play(wide, worlds[1], states[1], actions[1]));
        int64_t step = foray_algorithm_is_generative(narrow->settings.algorithm) ? 2 : 1;
        for (int64_t i = 0; i < step * H; i++)
            assert_int_equal(states[0][i], states[1][i]);
        for (int64_t h = 0; h < H; h++)
            assert_int_equal(t->place[states[0][step * h] * t->narrow->actions + actions[0][h]],
                             actions[1][h]);
    }
    foray_world_destroy(worlds[0]);
    foray_world_destroy(worlds[1]);
}

static void same_number(double a, double b)
{
    assert_memory_equal(&a, &b, sizeof a);
}

static void same_policy(const twins *t, const foray_policy *narrow, const foray_policy *wide)
{
    for (int mode = 0; mode < FORAY_MODES; mode++)
        same_number(narrow->value[mode], wide->value[mode]);
    same_number(narrow->expected, wide->expected);
    same_number(narrow->low, wide->low);
    same_number(narrow->high, wide->high);
    same_number(narrow->certificate.gap, wide->certificate.gap);
    assert_int_equal(narrow->certificate.status, wide->certificate.status);
    for (int64_t i = 0; i < narrow->horizon * narrow->states; i++)
        assert_int_equal(t->place[i % narrow->states * t->narrow->actions + narrow->action[i]],
                         wide->action[i]);
}

static void same_bounds(foray_explorer *narrow, foray_explorer *wide)
{
    for (foray_reward_kind kind = FORAY_KIND_PAIR; kind <= FORAY_KIND_REACH; kind++) {
        foray_certificate a, b;
        foray_status status = foray_explorer_bound_kind(narrow, kind, &a);
        assert_int_equal(status, foray_explorer_bound_kind(wide, kind, &b));
        if (status == FORAY_OK)
            same_number(a.gap, b.gap);
    }
}

/* One reward alone, then many in lanes; plain ones for planners that take no others. */
static void same_plans(const twins *t, foray_explorer *narrow, foray_explorer *wide, bool plain)
{
    foray_reward *a[REWARDS], *b[REWARDS];
    foray_policy *pa[REWARDS], *pb[REWARDS];
    for (int i = 0; i < REWARDS; i++) {
        bool form = i <= AVOID && !plain;
        a[i] = form ? make_reward(t, false, i) : make_plain(t, false, (uint64_t)i);
        b[i] = form ? make_reward(t, true, i) : make_plain(t, true, (uint64_t)i);
    }
    for (foray_mode mode = 0; mode < FORAY_MODES; mode++)
        for (int count = 1; count <= REWARDS; count += REWARDS - 1) {
            support_ok(t->ctx, foray_explorer_plan(narrow, count, (const foray_reward *const *)a,
                                                   mode, pa));
            support_ok(t->ctx,
                       foray_explorer_plan(wide, count, (const foray_reward *const *)b, mode, pb));
            for (int i = 0; i < count; i++)
                same_policy(t, pa[i], pb[i]);
            fy_policies_destroy(count, pa);
            fy_policies_destroy(count, pb);
        }
    for (int i = 0; i < REWARDS; i++) {
        foray_reward_destroy(a[i]);
        foray_reward_destroy(b[i]);
    }
}

/* Where doubt is, in the same places and about the same laws. */
static void same_doubt(const twins *t, foray_explorer *narrow, foray_explorer *wide)
{
    foray_reward *a = make_plain(t, false, 4), *b = make_plain(t, true, 4);
    foray_policy *pa, *pb;
    foray_doubt *da = NULL, *db = NULL;
    support_ok(t->ctx,
               foray_explorer_plan(narrow, 1, (const foray_reward *const *)&a, FORAY_PLUGIN, &pa));
    support_ok(t->ctx,
               foray_explorer_plan(wide, 1, (const foray_reward *const *)&b, FORAY_PLUGIN, &pb));
    foray_status status = foray_explorer_explain(narrow, a, pa, 0.1, &da);
    assert_int_equal(status, foray_explorer_explain(wide, b, pb, 0.1, &db));
    if (status == FORAY_OK) {
        assert_int_equal(da->places, db->places);
        assert_int_equal(da->laws, db->laws);
        for (int64_t i = 0; i < da->laws; i++) {
            assert_int_equal(da->law[i].pairs, db->law[i].pairs);
            assert_int_equal(da->law[i].visits, db->law[i].visits);
            assert_true(foray_model_available(t->wide, db->law[i].state, db->law[i].action));
        }
    }
    foray_doubt_destroy(da);
    foray_doubt_destroy(db);
    foray_policy_destroy(pa);
    foray_policy_destroy(pb);
    foray_reward_destroy(a);
    foray_reward_destroy(b);
}

/* Saved in the middle, and continued by another explorer of the wide model. */
static foray_explorer *reload(const twins *t, foray_explorer *wide, const foray_settings *settings)
{
    uint8_t *data;
    size_t size;
    foray_explorer *again = start(t, true, settings);
    support_ok(t->ctx, foray_explorer_save(wide, &data, &size));
    support_ok(t->ctx, foray_explorer_load(again, data, size));
    free(data);
    foray_explorer_destroy(wide);
    return again;
}

/* Which data would refute the model, and by how much these do. */
static void same_tests(foray_explorer *narrow, foray_explorer *wide)
{
    foray_refutation a, b;
    assert_int_equal(narrow->fit != NULL, wide->fit != NULL);
    assert_int_equal(foray_explorer_refutation(narrow, &a), FORAY_OK);
    assert_int_equal(foray_explorer_refutation(wide, &b), FORAY_OK);
    same_number(a.evidence, b.evidence);
    assert_int_equal(a.refuted, b.refuted);
}

static void check_twins(const twins *t, const foray_settings *settings)
{
    foray_explorer *narrow = start(t, false, settings), *wide = start(t, true, settings);
    same_episodes(t, narrow, wide, 30);
    same_bounds(narrow, wide);
    wide = reload(t, wide, settings);
    same_episodes(t, narrow, wide, 30);
    same_bounds(narrow, wide);
    same_plans(t, narrow, wide, narrow->model->feature_error > 0 || !narrow->ops->plans_on_sets);
    same_doubt(t, narrow, wide);
    same_tests(narrow, wide);
    support_ok(t->ctx, foray_explorer_certify_by(narrow, settings->radius));
    support_ok(t->ctx, foray_explorer_certify_by(wide, settings->radius));
    same_bounds(narrow, wide);
    same_plans(t, narrow, wide, true);
    foray_explorer_destroy(narrow);
    foray_explorer_destroy(wide);
}

static void every_explorer(void **state)
{
    (void)state;
    const char *algorithm;
    for (int64_t i = 0; foray_algorithm_describe(i, &algorithm, NULL); i++)
        for (int kind = 0; kind < SUPPORT_KINDS; kind++) {
            twins t = make_twins(kind, (uint64_t)(10 * i + kind), 0);
            foray_settings settings = settings_for(algorithm);
            print_message("%s, kind %d\n", algorithm, kind);
            check_twins(&t, &settings);
            /* Radii so small that nothing is clipped, and every count of pairs shows. */
            settings.radius_scale = 1e-3;
            settings.episodes = 5000;
            check_twins(&t, &settings);
            drop(&t);
        }
}

/* Literal settings, pooled counts, features of low rank, ties by index. */
static void every_setting(void **state)
{
    (void)state;
    static const struct {
        const char *algorithm, *name, *value;
    } rows[] = {
        {"ucrl-rfe", "radius", "theorem"},
        {"ucrl-rfe", "ties", "lowest"},
        {"ucrl-rfe", "replan", "every"},
        {"rf-ucrl", "pooled", "on"},
        {"rf-express", "pooled", "on"},
        {"rf-ucrl", "replan", "doubling"},
        {"rf-ucrl", "ties", "lowest"},
        {"wang", "pair_features", "lowrank"},
        {"francis", "pair_features", "lowrank"},
        {"rf-rl-explore", "pooled", "on"},
        {"sstp", "ties", "lowest"},
        {"ucrl-rfe", "radius", "selfnormalised"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        twins t = make_twins(SUPPORT_TABULAR, 90 + i, 0);
        foray_settings settings = settings_for(rows[i].algorithm);
        support_ok(t.ctx, foray_settings_set(t.ctx, &settings, rows[i].name, rows[i].value));
        print_message("%s, %s %s\n", rows[i].algorithm, rows[i].name, rows[i].value);
        check_twins(&t, &settings);
        settings.radius_scale = 1e-3;
        check_twins(&t, &settings);
        drop(&t);
    }
}

/* The rule of equal actions is off where features are estimates: a stand-in is no rival even so. */
static void estimated_features(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        twins t = make_twins(SUPPORT_FEATURES, seed, 0.02);
        foray_settings settings = settings_for("ucrl-rfe");
        check_twins(&t, &settings);
        drop(&t);
    }
}

/* The planners of every level of the processor. */
static void every_level(void **state)
{
    (void)state;
    for (int level = 0; level <= fy_level_highest(); level++) {
        twins t = make_twins(SUPPORT_MIXTURE, 31, 0);
        t.ctx->level = level;
        foray_settings settings = settings_for("ucrl-rfe");
        check_twins(&t, &settings);
        drop(&t);
    }
}

/* -------------------------------------------------------------------- the truth */

/* max over the actions there are, or along a policy: written out. */
static double exact(const foray_model *m, const foray_reward *r, const foray_policy *policy)
{
    double V[2][16] = {{0}}, mean = 0;
    for (int64_t t = m->horizon - 1; t >= 0; t--)
        for (int64_t s = 0; s < m->states; s++) {
            double best = -INFINITY;
            for (int64_t a = 0; a < m->actions; a++) {
                const int32_t *next;
                int64_t n = foray_model_successors(m, s, a, &next);
                double q = n > 0 ? foray_reward_at(r, t, s, a) : -INFINITY;
                for (int64_t j = 0; j < n; j++)
                    q += foray_model_probability(m, m->theta, s, a, j) * V[(t + 1) % 2][next[j]];
                if (policy ? policy->action[t * m->states + s] == a : q > best)
                    best = q;
            }
            V[t % 2][s] = best;
        }
    for (int64_t i = 0; i < m->initials; i++)
        mean += m->initial_probability[i] * V[0][m->initial_state[i]];
    return mean;
}

/* Random rewards through the family that comparisons use: none names a pair that is not there. */
static void certificates_hold(void **state)
{
    (void)state;
    const char *algorithm;
    support_sizes sizes = {.states = 6, .actions = 5, .horizon = 5, .successors = 3};
    for (int64_t i = 0; foray_algorithm_describe(i, &algorithm, NULL); i++)
        for (uint64_t seed = 0; seed < 4; seed++) {
            foray_context *ctx = foray_context_create();
            foray_model *full = support_model(ctx, SUPPORT_TABULAR, sizes, seed);
            foray_model *model = thin_out(ctx, full, seed);
            foray_settings settings = settings_for(algorithm);
            foray_explorer *explorer;
            foray_world *world;
            foray_family *family;
            support_ok(ctx, foray_family_create(ctx, model, FORAY_TIMED, 4, seed, &family));
            support_ok(ctx, foray_world_from_model(ctx, model, &world));
            support_ok(ctx, foray_explorer_create(ctx, model, &settings, &explorer));
            if (foray_algorithm_needs_reward(algorithm))
                support_ok(ctx,
                           foray_explorer_give_reward(explorer, foray_family_reward(family, 0)));
            assert_true(truth_play(explorer, world, 60));
            for (int64_t r = 0; r < foray_family_size(family); r++) {
                const foray_reward *reward = foray_family_reward(family, r);
                foray_policy *policy;
                double value, optimal;
                support_ok(ctx, foray_explorer_plan(explorer, 1, &reward, FORAY_PLUGIN, &policy));
                support_ok(ctx, foray_evaluate(ctx, model, reward, policy, &value, &optimal));
                assert_true(fabs(value - exact(model, reward, policy)) < 1e-12);
                assert_true(fabs(optimal - exact(model, reward, NULL)) < 1e-12);
                assert_true(optimal - value <= policy->certificate.gap + 1e-9);
                assert_true(policy->low <= value + 1e-9 && value <= policy->high + 1e-9);
                foray_policy_destroy(policy);
            }
            foray_family_destroy(family);
            foray_explorer_destroy(explorer);
            foray_world_destroy(world);
            foray_model_destroy(model);
            foray_model_destroy(full);
            foray_context_destroy(ctx);
        }
}

/* Random play takes every action that a state has equally often, and no other. */
static void random_play(void **state)
{
    (void)state;
    enum { EPISODES = 4000 };
    support_sizes sizes = {.states = 4, .actions = 6, .horizon = 5, .successors = 4};
    foray_context *ctx = foray_context_create();
    foray_model *full = support_model(ctx, SUPPORT_TABULAR, sizes, 5);
    foray_model *model = thin_out(ctx, full, 5);
    foray_settings settings = settings_for("random");
    settings.episodes = EPISODES;
    foray_explorer *explorer;
    foray_world *world;
    int32_t states[6], actions[5];
    int64_t count[4][6] = {{0}}, total[4] = {0};
    support_ok(ctx, foray_world_from_model(ctx, model, &world));
    support_ok(ctx, foray_explorer_create(ctx, model, &settings, &explorer));
    for (int64_t k = 0; k < EPISODES; k++) {
        support_ok(ctx, foray_explorer_play(explorer, world, states, actions));
        for (int64_t t = 0; t < 5; t++) {
            count[states[t]][actions[t]]++;
            total[states[t]]++;
        }
    }
    for (int64_t s = 0; s < 4; s++)
        for (int64_t a = 0; a < 6; a++) {
            double share = 1 / (double)fy_actions_of(model, s), n = (double)total[s];
            if (!foray_model_available(model, s, a))
                assert_int_equal(count[s][a], 0);
            else
                assert_true(fabs((double)count[s][a] - n * share) <= 5 * sqrt(n * share));
        }
    foray_explorer_destroy(explorer);
    foray_world_destroy(world);
    foray_model_destroy(model);
    foray_model_destroy(full);
    foray_context_destroy(ctx);
}

/* ------------------------------------------------------------------------ files */

static void files(void **state)
{
    (void)state;
    for (int kind = 0; kind < SUPPORT_KINDS; kind++)
        for (foray_model_format format = FORAY_MODEL_JSON; format <= FORAY_MODEL_COMPACT;
             format++) {
            twins t = make_twins(kind, (uint64_t)kind, 0);
            foray_model *again;
            char *text;
            size_t size;
            support_ok(t.ctx, foray_model_print(t.ctx, t.wide, format, &text, &size));
            support_ok(t.ctx, foray_model_parse(t.ctx, text, size, "file", &again));
            assert_true(foray_model_equal(t.wide, again));
            support_same_model(t.wide, again);
            if (format == FORAY_MODEL_JSON)
                assert_non_null(strstr(text, "\"version\":2,"));
            free(text);
            foray_model_destroy(again);
            /* The lowest version that holds it. */
            support_ok(t.ctx, foray_model_print(t.ctx, t.narrow, FORAY_MODEL_JSON, &text, &size));
            assert_non_null(strstr(text, "\"version\":1,"));
            free(text);
            drop(&t);
        }
}

/* phi(s,a) is given for the pairs that exist, and comes back. */
static void pair_features(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    for (foray_model_format format = FORAY_MODEL_JSON; format <= FORAY_MODEL_COMPACT; format++) {
        foray_builder *b;
        foray_model *model, *again;
        int64_t zero = 0, one = 1, second[] = {1};
        double half = 0.5, whole = 1;
        char *text;
        size_t size;
        support_ok(ctx, foray_builder_create_tabular(ctx, 2, 2, 3, &b));
        foray_builder_available(b, 1, 1, second);
        foray_builder_transition(b, 0, 0, 1, 1);
        foray_builder_transition(b, 0, 1, 0, 1);
        foray_builder_transition(b, 1, 1, 0, 1);
        foray_builder_pair_features(b, 2);
        foray_builder_pair_feature(b, 0, 0, 1, &zero, &whole);
        foray_builder_pair_feature(b, 0, 1, 1, &one, &half);
        foray_builder_pair_feature(b, 1, 1, 1, &one, &whole);
        support_ok(ctx, foray_builder_finish(b, &model));
        foray_builder_destroy(b);
        support_ok(ctx, foray_model_print(ctx, model, format, &text, &size));
        support_ok(ctx, foray_model_parse(ctx, text, size, "file", &again));
        assert_true(foray_model_equal(model, again));
        const int32_t *coordinate;
        const double *value;
        assert_int_equal(foray_model_pair_feature(again, 1, 0, &coordinate, &value), 0);
        assert_int_equal(foray_model_pair_feature(again, 1, 1, &coordinate, &value), 1);
        assert_true(*coordinate == 1 && *value == 1);
        free(text);
        foray_model_destroy(model);
        foray_model_destroy(again);
    }
    foray_context_destroy(ctx);
}

#define HEAD                                                                                       \
    "{\"format\":\"foray-model\",\"version\":2,\"name\":\"m\",\"states\":2,\"actions\":2,"         \
    "\"horizon\":2,\"dim\":1,\"norm_bound\":1,\"initial\":[[0,1]],\"theta\":[1],"
#define ROWS(rest) "\"features\":[[0,0,1,[[0,1]]],[0,1,0,[[0,1]]]" rest "]}"

static void bad_files(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {HEAD "\"available\":[[1,[]]]," ROWS(""), "available: state 1 has no action"},
        {HEAD "\"available\":[[1,[2]]]," ROWS(""), "available[0]: action 2, but the model has 2"},
        {HEAD "\"available\":[[2,[0]]]," ROWS(""), "available[0]: state 2, but the model has 2"},
        {HEAD "\"available\":[[1,[0,0]]]," ROWS(""), "available[0]: action 0 is given twice"},
        {HEAD "\"available\":[[1,[0]],[1,[1]]]," ROWS(""), "available[1]: state 1 is given twice"},
        {HEAD "\"available\":[[1,0]]," ROWS(""), "available[0]: the actions must be an array"},
        {HEAD "\"available\":7," ROWS(""), "available: an array is expected"},
        {HEAD "\"available\":[[1,[0]]]," ROWS(",[1,1,0,[[0,1]]]"),
         "state 1, action 1: a successor, but the action is not available there"},
        {HEAD "\"available\":[[1,[0]]]," ROWS(""), "state 1, action 0: no successor is given"},
        {HEAD ROWS(""), "features: 2 entries, but each of 2 states and 2 actions needs one"},
    };
    foray_context *ctx = foray_context_create();
    foray_model *model;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(foray_model_parse(ctx, bad[i].text, strlen(bad[i].text), "m.json", &model),
                         FORAY_ERROR_INPUT);
        if (!strstr(foray_message(ctx), bad[i].message))
            fail_msg("%s: %s", bad[i].message, foray_message(ctx));
    }
    const char *good = HEAD "\"available\":[[1,[1]]]," ROWS(",[1,1,1,[[0,1]]]");
    support_ok(ctx, foray_model_parse(ctx, good, strlen(good), "m.json", &model));
    assert_false(foray_model_available(model, 1, 0));
    assert_true(foray_model_available(model, 1, 1));
    assert_int_equal(model->available, 3);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* ------------------------------------------------------------- what is refused */

static void refused(void **state)
{
    (void)state;
    twins t = make_twins(SUPPORT_TABULAR, 2, 0);
    int64_t s = 0, a = 0;
    while (foray_model_available(t.wide, s, a))
        a++;
    foray_reward *reward = make_reward(&t, true, PLAIN), *again;
    assert_int_equal(foray_reward_set(t.ctx, reward, -1, s, a, 0.5), FORAY_ERROR_INPUT);
    assert_non_null(strstr(foray_message(t.ctx), "is not available in state 0"));

    /* Printed without them, and read back the same. */
    for (int form = PLAIN; form <= AVOID; form++) {
        foray_reward *one = make_reward(&t, true, form);
        char *text;
        size_t size;
        support_ok(t.ctx, foray_reward_print(t.ctx, one, &text, &size));
        support_ok(t.ctx, foray_reward_parse(t.ctx, t.wide, text, size, "r.json", &again));
        assert_true(fy_reward_hash(one) == fy_reward_hash(again));
        free(text);
        foray_reward_destroy(one);
        foray_reward_destroy(again);
    }

    foray_world *world;
    foray_draw draw = {0};
    int64_t next;
    support_ok(t.ctx, foray_world_from_model(t.ctx, t.wide, &world));
    assert_int_equal(foray_world_step(world, &draw, s, a, &next), FORAY_ERROR_USAGE);
    foray_world_destroy(world);

    foray_policy *policy;
    double value, optimal;
    support_ok(t.ctx, fy_policies_create(t.ctx, t.wide, FORAY_PLUGIN, 1, &policy));
    for (int64_t i = 0; i < policy->horizon * policy->states; i++)
        policy->action[i] = fy_first_action(t.wide, i % policy->states);
    support_ok(t.ctx, foray_evaluate(t.ctx, t.wide, reward, policy, &value, &optimal));
    policy->action[s] = (int32_t)a;
    assert_int_equal(foray_evaluate(t.ctx, t.wide, reward, policy, &value, &optimal),
                     FORAY_ERROR_INPUT);
    assert_non_null(strstr(foray_message(t.ctx), "that state does not have it"));
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);

    foray_settings settings = settings_for("recorded");
    foray_explorer *explorer;
    int32_t states[] = {(int32_t)s, 0}, actions[] = {(int32_t)a};
    support_ok(t.ctx, foray_explorer_create(t.ctx, t.wide, &settings, &explorer));
    assert_int_equal(foray_explorer_learn(explorer, 1, states, actions), FORAY_ERROR_WORLD);
    assert_non_null(strstr(foray_message(t.ctx), "is not available in state 0"));
    foray_explorer_destroy(explorer);
    drop(&t);
}

/* A duplicate that was written down is an action, and not the same as one that is missing. */
static void no_duplicate(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *models[2];
    int64_t second = 1;
    for (int i = 0; i < 2; i++) {
        foray_builder *b;
        int64_t outcomes = 1, next[] = {0};
        support_ok(ctx, foray_builder_create_classes(ctx, 1, 2, 2, 1, &outcomes, &b));
        if (i == 0)
            foray_builder_available(b, 0, 1, &second);
        for (int64_t a = i == 0; a < 2; a++)
            foray_builder_outcomes(b, 0, a, 0, next);
        support_ok(ctx, foray_builder_finish(b, &models[i]));
        foray_builder_destroy(b);
    }
    assert_false(foray_model_equal(models[0], models[1]));
    foray_model_facts facts;
    support_ok(ctx, foray_model_check(ctx, models[0], &facts));
    assert_int_equal(facts.pairs, 1);
    assert_int_equal(facts.transitions, 1);
    foray_model_destroy(models[0]);
    foray_model_destroy(models[1]);
    foray_context_destroy(ctx);
}

static void memory(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    const char *text = HEAD "\"available\":[[1,[1]]]," ROWS(",[1,1,1,[[0,1]]]");
    foray_model *model = NULL;
    for (int64_t allowed = 0; !model; allowed++) {
        ctx->allocations_left = allowed;
        foray_status status = foray_model_parse(ctx, text, strlen(text), "m.json", &model);
        assert_int_equal(status, model ? FORAY_OK : FORAY_ERROR_MEMORY);
    }
    ctx->allocations_left = -1;
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files),         cmocka_unit_test(pair_features),
        cmocka_unit_test(bad_files),     cmocka_unit_test(refused),
        cmocka_unit_test(no_duplicate),  cmocka_unit_test(memory),
        cmocka_unit_test(random_play),   cmocka_unit_test(every_explorer),
        cmocka_unit_test(every_setting), cmocka_unit_test(estimated_features),
        cmocka_unit_test(every_level),   cmocka_unit_test(certificates_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
