/* test_available.c - actions that only some states have, in every explorer.
 *
 * The oracle is the same model without the pairs that do not exist (support_twins.h): every
 * explorer must play the same episodes, and give the same plans, values and bounds to the last
 * bit. */
#include "support_twins.h"

#include <stdlib.h>

#include "base/level.h"
#include "explore/explorer.h"
#include "policy/policy.h"
#include "model/model.h"

enum { REWARDS = 12 };

/* Rewards r(s,a) in [0,1], which every planner takes. */
static foray_reward *make_plain(const twins *t, bool wide, uint64_t seed)
{
    const foray_model *model = wide ? t->wide : t->narrow;
    support_random random = {.seed = seed};
    foray_reward *reward;
    support_ok(t->ctx, foray_reward_create(t->ctx, model, "plain", 0, 1, 0, &reward));
    for (int64_t p = 0; p < t->narrow->pairs; p++) {
        double value = support_below(&random, 3) / 2.0; /* ties */
        support_ok(t->ctx, foray_reward_set(t->ctx, reward, -1, p / t->narrow->actions,
                                            wide ? t->place[p] : p % t->narrow->actions, value));
    }
    return reward;
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
    for (int64_t i = 0; i < narrow->horizon * narrow->states; i++) {
        int64_t step = i / narrow->states, state = i % narrow->states;
        int32_t one = foray_policy_action(narrow, step, state);
        int32_t other = foray_policy_action(wide, step, state);
        assert_int_equal(one < 0 ? -1 : t->place[state * t->narrow->actions + one], other);
    }
}

static void same_bounds(foray_explorer *narrow, foray_explorer *wide)
{
    for (foray_reward_kind kind = FORAY_KIND_PAIR; kind <= FORAY_KIND_REACH; kind++) {
        foray_certificate a, b;
        foray_status status = foray_explorer_bound(narrow, kind, &a);
        assert_int_equal(status, foray_explorer_bound(wide, kind, &b));
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
        bool form = i <= TWINS_AVOID && !plain;
        a[i] = form ? twins_reward(t, false, i) : make_plain(t, false, (uint64_t)i);
        b[i] = form ? twins_reward(t, true, i) : make_plain(t, true, (uint64_t)i);
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
    assert_int_equal(narrow->refuter.fit != NULL, wide->refuter.fit != NULL);
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
    for (int64_t i = 0; (algorithm = support_algorithm(i)); i++)
        for (int kind = 0; kind < SUPPORT_KINDS; kind++) {
            twins t = twins_make(kind, (uint64_t)(10 * i + kind), 0);
            foray_settings settings = support_settings(algorithm, 60, 3);
            print_message("%s, kind %d\n", algorithm, kind);
            check_twins(&t, &settings);
            /* Radii so small that nothing is clipped, and every count of pairs shows. */
            settings.radius_scale = 1e-3;
            settings.episodes = 5000;
            check_twins(&t, &settings);
            twins_drop(&t);
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
        twins t = twins_make(SUPPORT_TABULAR, 90 + i, 0);
        foray_settings settings = support_settings(rows[i].algorithm, 60, 3);
        support_ok(t.ctx, foray_settings_set(t.ctx, &settings, rows[i].name, rows[i].value));
        print_message("%s, %s %s\n", rows[i].algorithm, rows[i].name, rows[i].value);
        check_twins(&t, &settings);
        settings.radius_scale = 1e-3;
        check_twins(&t, &settings);
        twins_drop(&t);
    }
}

/* The rule of equal actions is off where features are estimates: a stand-in is no rival even so. */
static void estimated_features(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        twins t = twins_make(SUPPORT_FEATURES, seed, 0.02);
        foray_settings settings = support_settings("ucrl-rfe", 60, 3);
        check_twins(&t, &settings);
        twins_drop(&t);
    }
}

/* The planners of every level of the processor. */
static void every_level(void **state)
{
    (void)state;
    for (int level = 0; level <= fy_level_highest(); level++) {
        twins t = twins_make(SUPPORT_MIXTURE, 31, 0);
        t.ctx->level = level;
        foray_settings settings = support_settings("ucrl-rfe", 60, 3);
        check_twins(&t, &settings);
        twins_drop(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_explorer),
        cmocka_unit_test(every_setting),
        cmocka_unit_test(estimated_features),
        cmocka_unit_test(every_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
