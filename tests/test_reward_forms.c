/* Rewards of every form: ranges, what follows, discounts, minimising, reaching and avoiding
 * states. Exact plans against all paths of all policies; certificates against laws of the
 * confidence set and against the truth; and everything that is refused. */
#include "certify/certifier.h"
#include "oracle_reward.h"
#include "oracle_truth.h"
#include "plan/many.h"
#include "policy/policy.h"
#include "support_laws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static foray_context *ctx;

static foray_model *small_model(uint64_t seed, int64_t horizon)
{
    static const int kinds[] = {SUPPORT_MIXTURE, SUPPORT_CLASSES, SUPPORT_TABULAR};
    support_sizes sizes = {.states = 2 + (int64_t)(seed % 2),
                           .actions = 2,
                           .horizon = horizon,
                           .successors = 3,
                           .dim = 3};
    return support_model(ctx, kinds[seed % 3], sizes, seed);
}

static bool near(double x, double y)
{
    return fabs(x - y) <= 1e-12 * (1 + fabs(x) + fabs(y));
}

/* ------------------------------------------------------------------- exact plans */

static void exact_plans_are_the_best_of_all_policies(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        foray_model *model = small_model(seed, 1 + (int64_t)(seed % 3));
        support_random random = {seed, 7};
        oracle_reward oracle =
            oracle_reward_random(model, (int)(seed % ORACLE_FORMS), seed % 4 == 0, &random);
        foray_reward *reward = oracle_reward_build(ctx, &oracle);
        foray_policy *policy;
        double value, best, slow_value, slow_best, induced, induced_best;
        support_ok(ctx, foray_plan_known(ctx, model, reward, &policy));
        support_ok(ctx, fy_policy_fill(ctx, model, policy));
        oracle_reward_paths(&oracle, model->theta, policy->action, &slow_value, &slow_best);
        oracle_reward_values(&oracle, model->theta, policy->action, &induced, &induced_best);
        support_ok(ctx, foray_evaluate(ctx, model, reward, policy, &value, &best));
        assert_true(near(slow_value, induced) && near(slow_best, induced_best));
        assert_true(near(value, slow_value) && near(best, slow_best));
        assert_true(near(policy->expected, slow_best) && near(value, best));
        assert_true(policy->certificate.gap == 0 && policy->certificate.status == FORAY_EXACT);
        for (int64_t i = 0; i < model->horizon * model->states; i++)
            policy->action[i] = (int32_t)support_below(&random, model->actions);
        oracle_reward_paths(&oracle, model->theta, policy->action, &slow_value, &slow_best);
        support_ok(ctx, foray_evaluate(ctx, model, reward, policy, &value, &best));
        assert_true(near(value, slow_value));
        foray_policy_destroy(policy);
        foray_reward_destroy(reward);
        oracle_reward_free(&oracle);
        foray_model_destroy(model);
    }
}

/* ----------------------------------------------------------------- files and copies */

static void every_form_reads_back(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 120; seed++) {
        foray_model *model = small_model(seed, 1 + (int64_t)(seed % 4));
        support_random random = {seed, 3};
        oracle_reward oracle =
            oracle_reward_random(model, (int)(seed % ORACLE_FORMS), seed % 3 == 0, &random);
        foray_reward *reward = oracle_reward_build(ctx, &oracle), *again, *copy;
        char *text, *second;
        support_ok(ctx, foray_reward_print(ctx, reward, &text, NULL));
        support_ok(ctx, foray_reward_parse(ctx, model, text, strlen(text), "r.json", &again));
        support_ok(ctx, foray_reward_print(ctx, again, &second, NULL));
        support_ok(ctx, fy_reward_copy(ctx, again, &copy));
        assert_string_equal(text, second);
        assert_true(fy_reward_hash(reward) == fy_reward_hash(again));
        assert_true(fy_reward_hash(reward) == fy_reward_hash(copy));
        assert_non_null(strstr(text, "\"version\":1"));
        for (int64_t i = 0; i < model->horizon * model->pairs * model->states; i++) {
            int64_t next = i % model->states, a = i / model->states % model->actions;
            int64_t s = i / model->states / model->actions % model->states;
            int64_t t = i / model->states / model->pairs;
            if (!oracle.stops && fy_model_find(model, s * model->actions + a, next) >= 0)
                assert_true(foray_reward_next_at(copy, t, s, a, next) == oracle.r[i]);
        }
        free(text);
        free(second);
        foray_reward_destroy(reward);
        foray_reward_destroy(again);
        foray_reward_destroy(copy);
        oracle_reward_free(&oracle);
        foray_model_destroy(model);
    }
}

/* Against an array that every call is applied to; few values, so that successors often agree. */
static void later_calls_win(void **state)
{
    (void)state;
    static const double values[] = {0, -1, 2, 0.5};
    for (uint64_t seed = 0; seed < 120; seed++) {
        foray_model *model = small_model(seed, 3);
        support_random random = {seed, 9};
        double expected[3][3][2][3];
        foray_reward *reward;
        support_ok(ctx, foray_reward_create(ctx, model, "r", -1, 2, 0.5, &reward));
        for (int i = 0; i < 54; i++)
            (&expected[0][0][0][0])[i] = 0.5;
        for (int call = 0; call < 30; call++) {
            int64_t t = support_below(&random, 4) - 1;
            int64_t s = support_below(&random, model->states + 1) - 1;
            int64_t a = support_below(&random, 3) - 1;
            int64_t next = support_below(&random, model->states + 1) - 1;
            double value = values[support_below(&random, 4)];
            if (call == 15)
                support_ok(ctx, foray_reward_set_minimise(ctx, reward, seed % 2));
            if (foray_reward_set_next(ctx, reward, t, s, a, next, value) != FORAY_OK)
                continue; /* it cannot follow there */
            for (int i = 0; i < 54; i++)
                if ((t < 0 || t == i / 18) && (s < 0 || s == i / 6 % 3) &&
                    (a < 0 || a == i / 3 % 2) && (next < 0 || next == i % 3))
                    (&expected[0][0][0][0])[i] = value;
        }
        for (int i = 0; i < 54; i++) {
            int64_t t = i / 18, s = i / 6 % 3, a = i / 3 % 2, next = i % 3, pair = s * 2 + a;
            int64_t j =
                s < model->states && next < model->states ? fy_model_find(model, pair, next) : -1;
            if (j < 0)
                continue;
            double value = (&expected[0][0][0][0])[i];
            const double *ahead = fy_reward_next(reward, t);
            double unit =
                fy_reward_table(reward, t)[pair] + (ahead ? ahead[model->succ_start[pair] + j] : 0);
            assert_true(foray_reward_next_at(reward, t, s, a, next) == value);
            assert_true(unit == (seed % 2 ? 2 - value : value + 1) / 3);
        }
        foray_reward_destroy(reward);
        foray_model_destroy(model);
    }
}

#define HEAD "{\"format\":\"foray-reward\",\"version\":1,"

static void bad_forms_are_refused_by_line(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {HEAD "\"range\":[0,1,2],\"entries\":[]}", "r.json: range: [low, high] is expected"},
        {HEAD "\"range\":[1,1],\"entries\":[]}", "r.json: range: 1 is not below 1"},
        {HEAD "\"range\":[-1e308,1e308],\"entries\":[]}", "too far"},
        {HEAD "\"range\":[2,3],\"default\":1,\"entries\":[]}", "default: value 1 is not between 2"},
        {HEAD "\n\"range\":[-1,5],\n\"entries\":[[0,0,0,5],\n[0,0,1,5.5]]}",
         "r.json:4: entries[1]: value 5.5 is not between -1 and 5"},
        {HEAD "\"entries\":[[0,0,0,0,\n1,1]]}", "r.json:1: entries[0]: [step, state, action"},
        {HEAD "\"entries\":[[null,0,0,9,1]]}", "next state 9, but the model has 2"},
        {HEAD "\"entries\":[[null,0,0,\"home\",1]]}", "next state \"home\": none has this name"},
        {HEAD "\"discount\":1.5,\"entries\":[]}", "r.json: discount: 1.5 is not between 0 and 1"},
        {HEAD "\"discount\":\"1\",\"entries\":[]}", "r.json: discount: a number is expected"},
        {HEAD "\"optimise\":\"most\",\"entries\":[]}", "r.json: optimise"},
        {HEAD "\"reach\":[]}", "r.json: reach: a list of states is expected"},
        {HEAD "\"reach\":[0,7]}", "state 7, but the model has 2 states"},
        {HEAD "\"reach\":[0],\n\"avoid\":[true]}", "r.json:2: avoid[0]: state"},
        {HEAD "\"reach\":[0],\"range\":[0,1]}", "range: not together with reach"},
        {HEAD "\"avoid\":[0],\"entries\":[]}", "entries: not together with reach"},
        {HEAD "\"avoid\":[0],\"discount\":0.5}", "discount: not together with reach"},
        {HEAD "\"entries\":[[0,0,1]]}", "r.json:1: entries[0]: [step, state, action, value] is"},
        {"{\"format\":\"foray-reward\",\"version\":2,\"entries\":[]}",
         "r.json: version 2, but this Foray reads version 1"},
    };
    foray_model *model = small_model(2, 3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        foray_reward *reward = NULL;
        support_refused(
            ctx,
            foray_reward_parse(ctx, model, cases[i][0], strlen(cases[i][0]), "r.json", &reward),
            FORAY_ERROR_INPUT, cases[i][1]);
        assert_null(reward);
    }
    foray_model_destroy(model);
}

/* -------------------------------------------------------- a set, and laws inside it */

typedef struct scene {
    foray_model *model;
    fy_certifier *certifier;
    int64_t *seen;
    oracle_reward oracle;
    foray_reward *reward;
    foray_policy *policy;
    support_random random;
} scene;

/* Transitions of random pairs in the true world. */
static void look_around(scene *it, int64_t count)
{
    const foray_model *model = it->model;
    for (int64_t i = 0; i < count; i++) {
        int64_t pair = support_below(&it->random, model->pairs), s = pair / model->actions;
        int64_t n = model->succ_start[pair + 1] - model->succ_start[pair], j = 0;
        double u = support_uniform(&it->random);
        while (j < n - 1 && (u -= foray_model_probability(model, model->theta, s,
                                                          pair % model->actions, j)) >= 0)
            j++;
        it->seen[model->succ_start[pair] + j]++;
    }
}

static scene make_scene(uint64_t seed, bool joint, double scale)
{
    static const int kinds[] = {SUPPORT_MIXTURE, SUPPORT_CLASSES, SUPPORT_TABULAR};
    scene it = {.random = {seed, 1}};
    support_sizes sizes = {.states = 2 + (int64_t)(seed % 4),
                           .actions = 2 + (int64_t)(seed % 2),
                           .horizon = 1 + (int64_t)(seed % 6),
                           .successors = 3,
                           .dim = 3};
    it.model = support_model(ctx, kinds[seed % 3], sizes, seed);
    const foray_model *model = it.model;
    it.seen = calloc((size_t)model->succ_start[model->pairs], sizeof *it.seen);
    support_ok(ctx, fy_certifier_create(support_arena(ctx), model, joint ? 64 : 0, &it.certifier));
    look_around(&it, (int64_t)pow(10, 1.5 + 3 * support_uniform(&it.random)));
    fy_certifier_estimate(it.certifier, it.seen, 0.1, scale, NULL);
    it.oracle = oracle_reward_random(model, (int)(seed / 7 % ORACLE_FORMS), seed % 2, &it.random);
    it.reward = oracle_reward_build(ctx, &it.oracle);
    const foray_reward *rewards[] = {it.reward};
    support_ok(ctx, fy_plan_rewards(ctx,
                                    &(fy_plan_order){.kernel = it.certifier->set->kernel,
                                                     .clip = FORAY_CLIP_REMAINING,
                                                     .ties = FORAY_TIES_LOWEST,
                                                     .mode = FORAY_PLUGIN,
                                                     .interval = true},
                                    1, rewards, &it.policy));
    if (seed % 5 == 0) /* not always the best there is */
        it.policy->action[support_below(&it.random, model->horizon * model->states)] =
            (int32_t)support_below(&it.random, model->actions);
    return it;
}

static void free_scene(scene *it)
{
    foray_reward_destroy(it->reward);
    foray_policy_destroy(it->policy);
    oracle_reward_free(&it->oracle);
    foray_model_destroy(it->model);
    free(it->seen);
}

/* What the policy loses under theta, in the reward's unit. */
static double loss(const scene *it, const double *theta, double *value)
{
    double best;
    oracle_reward_values(&it->oracle, theta, it->policy->action, value, &best);
    return it->oracle.minimise ? *value - best : best - *value;
}

/* Of one scene: the certificate in the reward's unit, as the explorer hands it out. */
static void certify(scene *it)
{
    fy_gap_result result = fy_certifier_policy(it->certifier, it->reward, it->policy->action);
    it->policy->expected = result.value;
    it->policy->low = result.low;
    it->policy->high = result.high;
    it->policy->certificate.gap = result.gap;
    fy_policy_convert(it->policy, it->reward);
}

static double climb(scene *it, int64_t tries, bool check)
{
    double theta[128], other[128], worst = -INFINITY, value;
    double range = it->oracle.high - it->oracle.low, slack = 1e-9 * (10 + range);
    support_law_centre(it->certifier, theta);
    for (int64_t i = 0; i < tries; i++) {
        if (i > 0)
            support_law_move(it->certifier, &it->random, theta, other);
        else
            memcpy(other, theta, sizeof other);
        if (!support_law_inside(it->certifier, other))
            continue;
        double lost = loss(it, other, &value);
        if (check)
            assert_true(value >= it->policy->low - slack && value <= it->policy->high + slack);
        if (lost > worst) {
            worst = lost;
            memcpy(theta, other, sizeof theta);
        }
    }
    return worst;
}

static foray_reward_kind kind_of(const scene *it)
{
    return it->oracle.stops                    ? FORAY_KIND_REACH
           : fy_reward_looks_ahead(it->reward) ? FORAY_KIND_NEXT
                                               : FORAY_KIND_PAIR;
}

/* The kinds are in order. With one step nothing about r(s,a) is uncertain; r(s,a,s') is. */
static void kinds_of_rewards_need_their_own_bound(void **state)
{
    (void)state;
    int64_t uncertain = 0;
    for (uint64_t seed = 0; seed < 700; seed++) {
        scene it = make_scene(seed, true, 1);
        double pair = fy_certifier_all(it.certifier, FORAY_KIND_PAIR);
        double next = fy_certifier_all(it.certifier, FORAY_KIND_NEXT);
        double reach = fy_certifier_all(it.certifier, FORAY_KIND_REACH);
        assert_true(pair <= next + 1e-12 && reach <= next + 1e-12 && reach <= 1);
        assert_true(it.model->horizon > 1 || pair == 0);
        uncertain += it.model->horizon == 1 && next > 0 && reach > 0;
        free_scene(&it);
    }
    assert_true(uncertain > 50);
}

/* No law of the set loses more than the certificate says, whatever the form; the adversary comes
 * near, and certificates of 0 are met. */
static void certificates_hold_within_the_set(void **state)
{
    (void)state;
    for (int joint = 0; joint < 2; joint++) {
        double nearest[ORACLE_FORMS] = {0};
        int64_t zeros[ORACLE_FORMS] = {0};
        for (uint64_t seed = 0; seed < 700; seed++) {
            scene it = make_scene(seed, joint == 1, 1);
            int form = (int)(seed / 7 % ORACLE_FORMS);
            double range = it.oracle.high - it.oracle.low;
            certify(&it);
            double found = climb(&it, 150, true), gap = it.policy->certificate.gap;
            assert_true(found <= gap + 1e-9 * range * (double)it.model->horizon);
            if (seed % 5 != 0) /* the plug-in plan as it is */
                assert_true(found <= range * fy_certifier_all(it.certifier, kind_of(&it)) + 1e-9);
            zeros[form] += gap == 0;
            if (gap > 1e-6 * range)
                nearest[form] = fmax(nearest[form], found / gap);
            free_scene(&it);
        }
        for (int form = 0; form < ORACLE_FORMS; form++) {
            assert_true(nearest[form] > 0.5);
            assert_true(zeros[form] > 3 || joint == 0);
        }
    }
}

/* The truth over many runs: theta* lies outside the set at most as often as delta says, and
 * certificates fail only then. With a twentieth of the radius they fail for every form. */
static void certificates_hold_in_truth(void **state)
{
    (void)state;
    int64_t outside = 0, broken = 0, broken_small = 0;
    for (uint64_t seed = 1000; seed < 1700; seed++) {
        scene it = make_scene(seed, true, 1);
        double value, lost = loss(&it, it.model->theta, &value);
        double range = it.oracle.high - it.oracle.low;
        certify(&it);
        outside += !support_law_inside(it.certifier, it.model->theta);
        broken += lost > it.policy->certificate.gap + 1e-9 * range;
        fy_certifier_estimate(it.certifier, it.seen, 0.1, 0.05, NULL);
        certify(&it);
        broken_small += lost > it.policy->certificate.gap + 1e-9 * range;
        free_scene(&it);
    }
    assert_true(outside <= truth_max_failures(700, 0.1) && broken <= outside);
    assert_true(broken_small > 10);
}

/* Certificates from a tenth of the radius do not hold for laws from all of it. */
static void a_radius_too_small_is_caught(void **state)
{
    (void)state;
    int64_t caught[ORACLE_FORMS] = {0};
    for (uint64_t seed = 0; seed < 420; seed++) {
        scene it = make_scene(seed, true, 0.1);
        certify(&it);
        fy_certifier_estimate(it.certifier, it.seen, 0.1, 1, NULL);
        caught[seed / 7 % ORACLE_FORMS] +=
            climb(&it, 400, false) > it.policy->certificate.gap + 1e-9 * 30;
        free_scene(&it);
    }
    for (int form = 0; form < ORACLE_FORMS; form++)
        assert_true(caught[form] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_plans_are_the_best_of_all_policies),
        cmocka_unit_test(every_form_reads_back),
        cmocka_unit_test(later_calls_win),
        cmocka_unit_test(bad_forms_are_refused_by_line),
        cmocka_unit_test(certificates_hold_within_the_set),
        cmocka_unit_test(kinds_of_rewards_need_their_own_bound),
        cmocka_unit_test(certificates_hold_in_truth),
        cmocka_unit_test(a_radius_too_small_is_caught),
    };
    ctx = foray_context_create();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    foray_context_destroy(ctx);
    return failed;
}
