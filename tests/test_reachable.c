/* test_reachable.c - explorers use the part of a model that episodes get to, and nobody can tell
 * but by the time it takes: the same episodes, values and certificates, bit for bit, as with all of
 * the model, where both have the same laws. What lies outside is named. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explore/explorer.h"
#include "policy/policy.h"

static foray_context *ctx;

/* Of worlds with states that no episode gets to, all of whose laws episodes meet. */
static const char *const worlds[] = {"chain:states=50,zones=1,horizon=6", "frozenlake:horizon=4",
                                     "taxi:horizon=4"};
/* And one where they also meet fewer laws. */
static const char *const grid = "grid:rows=9,cols=9,zones=1,horizon=4";

/* One explorer of the part and one of the whole, in the same episodes. */
typedef struct pair {
    foray_model *model;
    foray_world *world;
    foray_explorer *part, *whole;
} pair;

static pair set_up(const char *world, const char *algorithm)
{
    pair p;
    foray_settings settings;
    foray_settings_default(&settings);
    support_ok(ctx, foray_settings_set(ctx, &settings, "algorithm", algorithm));
    settings.episodes = 60;
    settings.seed = 7;
    support_ok(ctx, foray_model_builtin(ctx, world, &p.model));
    support_ok(ctx, foray_world_from_model(ctx, p.model, &p.world));
    support_ok(ctx, foray_explorer_create(ctx, p.model, &settings, &p.part));
    p.model->aggregated = true; /* nobody knows what clusters follow each other */
    support_ok(ctx, foray_explorer_create(ctx, p.model, &settings, &p.whole));
    p.model->aggregated = false;
    assert_true(p.part->part && !p.whole->part);
    assert_true(p.part->model->states < p.whole->model->states);
    return p;
}

static void clear(pair *p)
{
    foray_explorer_destroy(p->part);
    foray_explorer_destroy(p->whole);
    foray_world_destroy(p->world);
    foray_model_destroy(p->model);
}

static foray_reward *random_reward(const foray_model *model, bool ahead)
{
    foray_reward *reward;
    const int32_t *next;
    uint64_t bits = 88172645463325252u;
    support_ok(ctx, foray_reward_create(ctx, model, "any", -1, 3, 0, &reward));
    for (int64_t i = 0; i < model->pairs; i++) {
        int64_t s = i / model->actions, a = i % model->actions;
        bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
        double value = (double)(bits >> 11) * 0x1p-53;
        foray_model_successors(model, s, a, &next);
        support_ok(ctx, ahead && i % 2
                            ? foray_reward_set_next(ctx, reward, -1, s, a, next[0], 3 * value)
                            : foray_reward_set(ctx, reward, i % 3 ? -1 : 1, s, a, 4 * value - 1));
    }
    return reward;
}

static void same(double a, double b)
{
    assert_memory_equal(&a, &b, sizeof a);
}

static void same_certificate(const foray_certificate *a, const foray_certificate *b)
{
    same(a->gap, b->gap);
    same(a->delta, b->delta);
    assert_true(a->status == b->status && a->bound == b->bound && a->radius == b->radius);
}

/* The same in every state that can be reached by then; the whole has actions for all others, too.
 */
static void same_actions(const foray_model *part, const foray_policy *a, const foray_policy *b)
{
    int64_t covered = 0;
    for (int64_t s = 0; s < b->states; s++) {
        int64_t k = part->index[s];
        for (int64_t t = 0; t < b->horizon; t++) {
            assert_true((foray_policy_action(a, t, s) < 0) == (k < 0 || k >= fy_begun(part)));
            if (k >= 0 && k < part->by_step[t])
                assert_int_equal(foray_policy_action(a, t, s), foray_policy_action(b, t, s));
            assert_true(foray_policy_action(b, t, s) >= 0);
        }
        covered += foray_policy_action(a, 0, s) >= 0;
    }
    assert_int_equal(covered, a->covered);
}

/* Shares are sums over states, in another order. */
static void same_doubt(const pair *p, const foray_reward *reward, const foray_policy *policy)
{
    foray_doubt *a, *b;
    support_ok(ctx, foray_explorer_explain(p->part, reward, policy, 0, &a));
    support_ok(ctx, foray_explorer_explain(p->whole, reward, policy, 0, &b));
    same(a->gap, b->gap);
    assert_true(a->places == b->places && a->laws == b->laws);
    double shares[2] = {0, 0};
    for (int64_t i = 0; i < a->places; i++) {
        assert_true(fabs(a->place[i].share - b->place[i].share) <= 1e-12);
        shares[0] += a->place[i].share * (double)(1 + a->place[i].state);
        shares[1] += b->place[i].share * (double)(1 + b->place[i].state);
    }
    assert_true(fabs(shares[0] - shares[1]) <= 1e-9 * fabs(shares[1])); /* ties in another order */
    for (int64_t i = 0; i < a->laws; i++)
        assert_true(a->law[i].block == b->law[i].block && a->law[i].visits == b->law[i].visits);
    foray_doubt_destroy(a);
    foray_doubt_destroy(b);
}

static void same_plans(pair *p, bool ahead, foray_mode mode)
{
    foray_policy *a, *b;
    foray_reward *reward = random_reward(p->model, ahead);
    const foray_reward *const rewards[] = {reward};
    support_ok(ctx, foray_explorer_plan(p->part, 1, rewards, mode, &a));
    support_ok(ctx, foray_explorer_plan(p->whole, 1, rewards, mode, &b));
    for (int m = 0; m < FORAY_MODES; m++)
        same(a->value[m], b->value[m]);
    same(a->expected, b->expected);
    same(a->low, b->low);
    same(a->high, b->high);
    same_certificate(&a->certificate, &b->certificate);
    same_actions(p->part->model, a, b);
    /* And certified again, each by the other. */
    support_ok(ctx, foray_explorer_certify(p->part, reward, b));
    support_ok(ctx, foray_explorer_certify(p->whole, reward, b));
    same_certificate(&a->certificate, &b->certificate);
    support_ok(ctx, foray_explorer_certify(p->part, reward, a));
    same_certificate(&a->certificate, &b->certificate);
    same_doubt(p, reward, b);
    foray_policy_destroy(a);
    foray_policy_destroy(b);
    foray_reward_destroy(reward);
}

static void same_bounds(pair *p)
{
    for (foray_reward_kind kind = FORAY_KIND_PAIR; kind <= FORAY_KIND_REACH; kind++) {
        foray_certificate a, b;
        support_ok(ctx, foray_explorer_bound(p->part, kind, &a));
        support_ok(ctx, foray_explorer_bound(p->whole, kind, &b));
        same_certificate(&a, &b);
    }
}

static void same_estimates(pair *p)
{
    size_t dim = (size_t)p->model->dim, transitions = (size_t)p->model->succ_start[p->model->pairs];
    double *a = calloc(4 * (dim + transitions), sizeof *a), *b = a + 2 * (dim + transitions);
    support_ok(ctx, foray_explorer_estimate(p->part, a, a + dim));
    support_ok(ctx, foray_explorer_estimate(p->whole, b, b + dim));
    support_ok(ctx,
               foray_explorer_intervals(p->part, a + 2 * dim, a + 2 * dim + transitions, NULL));
    support_ok(ctx,
               foray_explorer_intervals(p->whole, b + 2 * dim, b + 2 * dim + transitions, NULL));
    assert_memory_equal(a, b, 2 * (dim + transitions) * sizeof *a);
    free(a);
}

static void nobody_can_tell(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"ucrl-rfe", "ucrl-rfe+", "scout", "random"};
    for (size_t w = 0; w < sizeof worlds / sizeof *worlds; w++)
        for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
            pair p = set_up(worlds[w], algorithms[i]);
            assert_int_equal(p.part->model->generator_sets, p.model->generator_sets);
            int32_t one[32], other[32], acts[2][16];
            for (int64_t k = 0; k < 60; k++) {
                support_ok(ctx, foray_explorer_play(p.part, p.world, one, acts[0]));
                support_ok(ctx, foray_explorer_play(p.whole, p.world, other, acts[1]));
                assert_memory_equal(one, other, (size_t)(p.model->horizon + 1) * sizeof *one);
                assert_memory_equal(acts[0], acts[1], (size_t)p.model->horizon * sizeof **acts);
            }
            same_plans(&p, false, FORAY_PLUGIN);
            same_plans(&p, true, FORAY_OPTIMISTIC);
            same_plans(&p, false, FORAY_PESSIMISTIC);
            same_bounds(&p);
            same_estimates(&p);
            clear(&p);
        }
}

/* Its checkpoint is smaller, and goes on. */
static void its_state_is_smaller(void **state)
{
    (void)state;
    pair p = set_up(grid, "ucrl-rfe");
    uint8_t *small, *large;
    size_t size, most;
    int32_t one[32], other[32];
    for (int64_t k = 0; k < 20; k++) {
        support_ok(ctx, foray_explorer_play(p.part, p.world, NULL, NULL));
        support_ok(ctx, foray_explorer_play(p.whole, p.world, NULL, NULL));
    }
    support_ok(ctx, foray_explorer_save(p.part, &small, &size));
    support_ok(ctx, foray_explorer_save(p.whole, &large, &most));
    assert_true(size < most);
    assert_int_equal(foray_explorer_load(p.whole, small, size), FORAY_ERROR_RUN);
    foray_explorer *again;
    support_ok(ctx, foray_explorer_create(ctx, p.model, &p.part->settings, &again));
    support_ok(ctx, foray_explorer_load(again, small, size));
    for (int64_t k = 0; k < 20; k++) {
        support_ok(ctx, foray_explorer_play(p.part, p.world, one, NULL));
        support_ok(ctx, foray_explorer_play(again, p.world, other, NULL));
        assert_memory_equal(one, other, (size_t)(p.model->horizon + 1) * sizeof *one);
    }
    foray_explorer_destroy(again);
    foray_free(small);
    foray_free(large);
    clear(&p);
}

/* What the model rules out is refused by name, out of reach or not. */
static void what_lies_outside_is_named(void **state)
{
    (void)state;
    pair p = set_up(grid, "ucrl-rfe");
    int64_t far = 80, action;
    const int32_t *first;
    const double *probability;
    foray_model_initial(p.model, &first, &probability);
    assert_true(p.part->part->index[far] < 0);
    support_ok(ctx, foray_explorer_begin(p.part));
    assert_int_equal(foray_explorer_act(p.part, far, &action), FORAY_ERROR_WORLD);
    assert_non_null(strstr(foray_message(ctx), "state 80, but by the model no episode gets there"));
    assert_int_equal(foray_explorer_act(p.part, 81, &action), FORAY_ERROR_WORLD);
    assert_non_null(strstr(foray_message(ctx), "state 81, but the model has 0 to 80"));
    support_ok(ctx, foray_explorer_act(p.part, first[0], &action));
    assert_int_equal(foray_explorer_observe(p.part, first[0], action, far), FORAY_ERROR_WORLD);
    assert_non_null(strstr(foray_message(ctx), "state 80 followed (s="));
    assert_non_null(strstr(foray_message(ctx), "which the model rules out"));
    clear(&p);
}

/* Laws that no episode meets spend no delta: each of the others has a larger share. */
static void other_laws_spend_nothing(void **state)
{
    (void)state;
    pair p = set_up("riverswim:states=30,horizon=7", "ucrl-rfe");
    foray_reward *reward = random_reward(p.model, false);
    const foray_reward *const rewards[] = {reward};
    foray_policy *a, *b;
    double theta[400], half_width[400];
    assert_true(p.part->model->basis->blocks < p.whole->model->basis->blocks);
    assert_true(p.model->dim <= 400);
    for (int64_t k = 0; k < 60; k++)
        support_ok(ctx, foray_explorer_play(p.part, p.world, NULL, NULL));
    for (int64_t k = 0; k < 60; k++)
        support_ok(ctx, foray_explorer_play(p.whole, p.world, NULL, NULL));
    support_ok(ctx, foray_explorer_plan(p.part, 1, rewards, FORAY_PLUGIN, &a));
    support_ok(ctx, foray_explorer_plan(p.whole, 1, rewards, FORAY_PLUGIN, &b));
    assert_true(a->certificate.gap < b->certificate.gap);
    /* Nothing is known of the others but what the model says. */
    support_ok(ctx, foray_explorer_estimate(p.part, theta, half_width));
    for (int64_t i = 0; i < p.model->dim; i++)
        assert_true(fabs(theta[i] - p.model->theta[i]) <= half_width[i] * (1 + 1e-9));
    foray_policy_destroy(a);
    foray_policy_destroy(b);
    foray_reward_destroy(reward);
    clear(&p);
}

/* The best plan of a known model, and what any is worth: the same numbers. */
static void known_models_too(void **state)
{
    (void)state;
    for (size_t w = 0; w < sizeof worlds / sizeof *worlds; w++) {
        pair p = set_up(worlds[w], "ucrl-rfe");
        foray_reward *reward = random_reward(p.model, w == 1);
        foray_policy *a, *b;
        double value[2], best[2];
        support_ok(ctx, foray_plan_known(ctx, p.model, reward, &a));
        p.model->aggregated = true;
        support_ok(ctx, foray_plan_known(ctx, p.model, reward, &b));
        support_ok(ctx, foray_evaluate(ctx, p.model, reward, b, &value[0], &best[0]));
        p.model->aggregated = false;
        support_ok(ctx, foray_evaluate(ctx, p.model, reward, b, &value[1], &best[1]));
        same(a->expected, b->expected);
        same(value[0], value[1]);
        same(best[0], best[1]);
        same_actions(p.part->model, a, b);
        support_ok(ctx, foray_evaluate(ctx, p.model, reward, a, &value[1], &best[1]));
        same(value[0], value[1]);
        foray_policy_destroy(a);
        foray_policy_destroy(b);
        foray_reward_destroy(reward);
        clear(&p);
    }
}

/* Files say which states a policy covers, and are refused where they lie. */
static void files_say_so(void **state)
{
    (void)state;
    pair p = set_up(grid, "ucrl-rfe");
    foray_reward *reward = random_reward(p.model, false);
    foray_policy *a, *b = NULL;
    char *text, *second;
    size_t size;
    support_ok(ctx, foray_plan_known(ctx, p.model, reward, &a));
    support_ok(ctx, foray_policy_print(ctx, a, &text, &size));
    support_ok(ctx, foray_policy_parse(ctx, text, size, "p.json", &b));
    support_ok(ctx, foray_policy_print(ctx, b, &second, NULL));
    assert_string_equal(text, second);
    assert_true(b->covered == a->covered && fy_policy_same_cover(a, b));
    foray_policy_destroy(b);
    char *list = strstr(text, "\"reachable\":[");
    assert_non_null(list);
    list += strlen("\"reachable\":[");
    char kept = *list;
    *list = '-'; /* a negative number, or one that does not ascend, or none */
    assert_int_equal(foray_policy_parse(ctx, text, size, "p.json", &b), FORAY_ERROR_INPUT);
    *list = kept;
    assert_int_equal(a->state[0] = a->state[1], a->state[1]);
    assert_int_equal(fy_policy_check(ctx, a, p.model), FORAY_ERROR_INPUT);
    assert_non_null(strstr(foray_message(ctx), "must ascend"));
    free(text);
    free(second);
    foray_policy_destroy(a);
    foray_reward_destroy(reward);
    clear(&p);
}

static void memory_fails(void **state)
{
    (void)state;
    pair p = set_up(grid, "ucrl-rfe");
    foray_reward *reward = random_reward(p.model, false);
    const foray_reward *const rewards[] = {reward};
    foray_explorer *explorer = NULL;
    foray_policy *policy = NULL;
    for (int64_t i = 0; !explorer; i++) {
        ctx->allocations_left = i;
        foray_status status = foray_explorer_create(ctx, p.model, &p.part->settings, &explorer);
        assert_true(status == FORAY_ERROR_MEMORY || explorer);
    }
    for (int64_t i = 0; !policy; i++) {
        ctx->allocations_left = i;
        foray_status status = foray_explorer_plan(explorer, 1, rewards, FORAY_PLUGIN, &policy);
        assert_true(status == FORAY_ERROR_MEMORY || policy);
    }
    foray_policy_destroy(policy);
    policy = NULL;
    for (int64_t i = 0; !policy; i++) {
        ctx->allocations_left = i;
        foray_status status = foray_plan_known(ctx, p.model, reward, &policy);
        assert_true(status == FORAY_ERROR_MEMORY || policy);
    }
    ctx->allocations_left = -1;
    foray_policy_destroy(policy);
    foray_explorer_destroy(explorer);
    foray_reward_destroy(reward);
    clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_can_tell),
        cmocka_unit_test(its_state_is_smaller),
        cmocka_unit_test(what_lies_outside_is_named),
        cmocka_unit_test(other_laws_spend_nothing),
        cmocka_unit_test(known_models_too),
        cmocka_unit_test(files_say_so),
        cmocka_unit_test(memory_fails),
    };
    ctx = foray_context_create();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    foray_context_destroy(ctx);
    return failed;
}
