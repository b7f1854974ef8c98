/* test_explorers.c - the conformance suite: every algorithm of the table passes
 * the same tests in the same worlds. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_truth.h"

static const char *const worlds[] = {
    "chain:states=7,zones=2,horizon=6",
    "riverswim:states=5,horizon=8",
    "rooms:rows=1,cols=2,size=2,horizon=6",
    "mixture:states=6,actions=3,successors=4,dim=4,horizon=5",
    "hard:dim=5,actions=4,horizon=4",
};
enum { WORLDS = sizeof worlds / sizeof worlds[0] };

static support_stage set_stage(const char *world, const foray_settings *settings, int threads)
{
    support_stage s = {.ctx = foray_context_create()};
    foray_context_set_threads(s.ctx, threads);
    if (foray_model_builtin(s.ctx, world, &s.model) != FORAY_OK ||
        foray_world_from_model(s.ctx, s.model, &s.world) != FORAY_OK ||
        truth_create(s.ctx, s.model, settings, &s.explorer) != FORAY_OK)
        fail_msg("%s: %s", world, foray_message(s.ctx));
    return s;
}

/* What every algorithm must do in every world. */
typedef struct duty {
    void (*check)(const char *algorithm, const char *world);
} duty;

#define EVERYWHERE(check_)                                                                         \
    {                                                                                              \
        .name = #check_, .test_func = everywhere, .initial_state = &(duty)                         \
        {                                                                                          \
            check_                                                                                 \
        }                                                                                          \
    }

static void everywhere(void **state)
{
    const duty *every = *state;
    const char *algorithm;
    for (int64_t i = 0; (algorithm = support_algorithm(i)); i++)
        for (size_t w = 0; w < WORLDS; w++)
            every->check(algorithm, worlds[w]);
}

/* The certificate for all rewards; of an algorithm without one, no bound at all. */
static foray_certificate bound_of(const support_stage *s)
{
    foray_certificate bound = {.gap = INFINITY, .radius = FORAY_RADIUS_NONE};
    if (s->explorer->ops->bound != NULL)
        assert_int_equal(foray_explorer_bound(s->explorer, FORAY_KIND_PAIR, &bound), FORAY_OK);
    else
        assert_int_equal(foray_explorer_bound(s->explorer, FORAY_KIND_PAIR, &bound),
                         FORAY_ERROR_USAGE);
    return bound;
}

/* --------------------------------------------------------------- determinism */

static void same_bits_for_any_threads(const char *algorithm, const char *world)
{
    foray_settings settings = support_settings(algorithm, 1000, 7);
    support_stage one = set_stage(world, &settings, 1), two = set_stage(world, &settings, 2);
    assert_true(truth_play(one.explorer, one.world, 200));
    assert_true(truth_play(two.explorer, two.world, 200));
    support_same_state(one.explorer, two.explorer);
    support_stage_clear(&one);
    support_stage_clear(&two);
}

/* ---------------------------------------------------------------- save, load */

static void continues_where_it_was(const char *algorithm, const char *world)
{
    foray_settings settings = support_settings(algorithm, 1000, 7);
    support_stage whole = set_stage(world, &settings, 1);
    for (int64_t cut = 0; cut <= 120; cut += 40) {
        support_stage first = set_stage(world, &settings, 1),
                      second = set_stage(world, &settings, 1);
        uint8_t *data;
        size_t size;
        assert_true(truth_play(first.explorer, first.world, cut));
        bound_of(&first); /* asking must not change what follows */
        assert_int_equal(foray_explorer_save(first.explorer, &data, &size), FORAY_OK);
        assert_int_equal(foray_explorer_load(second.explorer, data, size), FORAY_OK);
        free(data);
        assert_true(truth_play(second.explorer, second.world, 160 - cut));
        if (cut == 0)
            assert_true(truth_play(whole.explorer, whole.world, 160));
        support_same_state(whole.explorer, second.explorer);
        support_stage_clear(&first);
        support_stage_clear(&second);
    }
    support_stage_clear(&whole);
}

/* Truncated at every length, in the wrong explorer, and with a number that nobody counted. */
static void refuses_damaged_state(const char *algorithm, const char *world)
{
    foray_settings settings = support_settings(algorithm, 1000, 7);
    support_stage s = set_stage(world, &settings, 1), other = set_stage(world, &settings, 1);
    uint8_t *data;
    size_t size;
    assert_true(truth_play(s.explorer, s.world, 5));
    assert_int_equal(foray_explorer_save(s.explorer, &data, &size), FORAY_OK);
    for (size_t length = 0; length < size; length += 1 + size / 97)
        assert_int_equal(foray_explorer_load(other.explorer, data, length), FORAY_ERROR_RUN);
    data[0] ^= 1;
    assert_int_equal(foray_explorer_load(other.explorer, data, size), FORAY_ERROR_RUN);
    data[0] ^= 1;
    memset(data + 8, 0xFF, 8); /* -1 episodes */
    assert_int_equal(foray_explorer_load(other.explorer, data, size), FORAY_ERROR_RUN);
    free(data);
    support_stage_clear(&s);
    support_stage_clear(&other);
}

/* ----------------------------------------------------------------- bad calls */

static void insists_on_the_order_of_calls(const char *algorithm, const char *world)
{
    foray_settings settings = support_settings(algorithm, 1000, 7);
    support_stage s = set_stage(world, &settings, 1);
    foray_explorer *explorer = s.explorer;
    int64_t action, start = s.model->initial_state[0];
    uint8_t *data;
    size_t size;
    assert_int_equal(foray_explorer_act(explorer, start, &action), FORAY_ERROR_USAGE);
    assert_int_equal(foray_explorer_query(explorer, &start), FORAY_ERROR_USAGE);
    assert_int_equal(foray_explorer_observe(explorer, start, 0, 0), FORAY_ERROR_USAGE);
    assert_int_equal(foray_explorer_end(explorer), FORAY_ERROR_USAGE);
    assert_int_equal(foray_explorer_begin(explorer), FORAY_OK);
    assert_int_equal(foray_explorer_begin(explorer), FORAY_ERROR_USAGE);
    assert_int_equal(foray_explorer_save(explorer, &data, &size), FORAY_ERROR_USAGE);
    assert_int_equal(foray_explorer_end(explorer), FORAY_ERROR_USAGE);
    assert_int_equal(foray_explorer_act(explorer, -1, &action), FORAY_ERROR_WORLD);
    assert_int_equal(foray_explorer_act(explorer, s.model->states, &action), FORAY_ERROR_WORLD);
    assert_int_equal(foray_explorer_query(explorer, &start), FORAY_OK);
    assert_int_equal(foray_explorer_act(explorer, start, &action), FORAY_OK);
    assert_in_range(action, 0, s.model->actions - 1);
    support_stage_clear(&s);
}

/* A state that cannot follow is the world's failure, and it is named. */
static void notices_impossible_successors(const char *algorithm, const char *world)
{
    foray_settings settings = support_settings(algorithm, 1000, 7);
    support_stage s = set_stage(world, &settings, 1);
    int64_t start = s.model->initial_state[0];
    assert_int_equal(foray_explorer_begin(s.explorer), FORAY_OK);
    for (int64_t next = 0; next < s.model->states; next++)
        if (fy_model_find(s.model, start * s.model->actions, next) < 0) {
            assert_int_equal(foray_explorer_observe(s.explorer, start, 0, next), FORAY_ERROR_WORLD);
            assert_non_null(strstr(foray_message(s.ctx), "rules out"));
        }
    assert_int_equal(foray_explorer_observe(s.explorer, start, 0, -1), FORAY_ERROR_WORLD);
    assert_int_equal(foray_explorer_observe(s.explorer, start, 0, 1 << 30), FORAY_ERROR_WORLD);
    assert_int_equal(foray_explorer_observe(s.explorer, start, -1, 0), FORAY_ERROR_USAGE);
    support_stage_clear(&s);
}

/* Who needs a reward gets one, before the first episode; who needs none takes none. */
static void takes_the_reward_it_needs(const char *algorithm, const char *world)
{
    foray_settings settings = support_settings(algorithm, 1000, 7);
    support_stage s = set_stage(world, &settings, 1);
    foray_reward *reward = truth_goal(s.ctx, s.model, 0);
    foray_explorer *bare;
    assert_int_equal(foray_explorer_create(s.ctx, s.model, &settings, &bare), FORAY_OK);
    if (foray_algorithm_needs_reward(algorithm)) {
        assert_int_equal(foray_explorer_begin(bare), FORAY_ERROR_USAGE);
        assert_non_null(strstr(foray_message(s.ctx), "reward"));
        assert_int_equal(foray_explorer_give_reward(bare, reward), FORAY_OK);
        assert_int_equal(foray_explorer_begin(bare), FORAY_OK);
    }
    assert_int_equal(foray_explorer_give_reward(bare, reward), FORAY_ERROR_USAGE);
    foray_explorer_destroy(bare);
    foray_reward_destroy(reward);
    support_stage_clear(&s);
}

static void bad_settings(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model;
    foray_explorer *explorer = NULL;
    foray_settings settings = support_settings("no-such-thing", 1000, 7);
    assert_int_equal(foray_model_builtin(ctx, worlds[0], &model), FORAY_OK);
    assert_int_equal(foray_explorer_create(ctx, model, &settings, &explorer), FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(ctx), "ucrl-rfe"));
    settings = support_settings("ucrl-rfe", 1000, 7);
    settings.delta = 2;
    assert_int_equal(foray_explorer_create(ctx, model, &settings, &explorer), FORAY_ERROR_USAGE);
    assert_null(explorer);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* ------------------------------------------------------------ failing memory */

static void survives_every_failed_allocation(const char *algorithm, const char *world)
{
    foray_settings settings = support_settings(algorithm, 1000, 7);
    foray_context *ctx = foray_context_create();
    foray_model *model;
    foray_explorer *explorer = NULL;
    assert_int_equal(foray_model_builtin(ctx, world, &model), FORAY_OK);
    foray_status status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        ctx->allocations_left = left;
        status = truth_create(ctx, model, &settings, &explorer);
        assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
    }
    ctx->allocations_left = -1;
    foray_explorer_destroy(explorer);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* The loop between begin and end asks for no memory at all. */
static void episodes_allocate_nothing(const char *algorithm, const char *world)
{
    foray_settings settings = support_settings(algorithm, 1000, 7);
    support_stage s = set_stage(world, &settings, 1);
    int64_t before = s.ctx->allocations;
    assert_true(truth_play(s.explorer, s.world, 100));
    assert_int_equal(s.ctx->allocations, before);
    support_stage_clear(&s);
}

/* ------------------------------------------------------ plans and certificates */

/* A certificate is about a number, or it says that it is about nothing. */
static void check_certificate(const foray_certificate *certificate)
{
    bool none = certificate->radius == FORAY_RADIUS_NONE;
    assert_true(certificate->gap >= 0);
    assert_int_equal(isinf(certificate->gap) != 0, none);
    assert_int_equal(certificate->status == FORAY_CERTIFIED, !none);
}

/* Values in order, policy inside the model; returns whether what is claimed is true:
 * gap <= certificate, pessimistic <= V* <= optimistic. */
static bool check_plan(const support_stage *s, const foray_reward *reward,
                       const foray_policy *policy, const foray_certificate *bound)
{
    double value, optimal;
    assert_int_equal(foray_evaluate(s->ctx, s->model, reward, policy, &value, &optimal), FORAY_OK);
    assert_true(value <= optimal + 1e-9);
    for (int64_t i = 0; i < policy->horizon * policy->states; i++)
        assert_in_range(policy->action[i], 0, s->model->actions - 1);
    check_certificate(&policy->certificate);
    assert_true(policy->value[FORAY_PESSIMISTIC] <= policy->value[FORAY_OPTIMISTIC] + 1e-9);
    if (policy->certificate.status != FORAY_CERTIFIED)
        return true;
    return optimal - value <= policy->certificate.gap + 1e-9 &&
           (policy->mode != FORAY_OPTIMISTIC || optimal - value <= bound->gap + 1e-9) &&
           policy->value[FORAY_OPTIMISTIC] >= optimal - 1e-9 &&
           policy->value[FORAY_PESSIMISTIC] <= optimal + 1e-9;
}

/* Plans for a few rewards in every mode; returns whether every claim is true. */
static bool claims_hold(const support_stage *s)
{
    bool true_so_far = true;
    foray_certificate bound = bound_of(s);
    check_certificate(&bound);
    for (int mode = 0; mode < FORAY_MODES; mode++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            foray_reward *reward = truth_random_reward(s->ctx, s->model, seed);
            const foray_reward *const rewards[] = {reward};
            foray_policy *policy;
            assert_int_equal(foray_explorer_plan(s->explorer, 1, rewards, mode, &policy), 0);
            true_so_far &= check_plan(s, reward, policy, &bound);
            foray_policy_destroy(policy);
            foray_reward_destroy(reward);
        }
    return true_so_far;
}

/* One run: false if anything was claimed that is not true. Where confidence sets can be
 * held against the truth, that happens only while one of them misses it. */
static bool is_honest(const char *algorithm, const char *world, int64_t seed)
{
    foray_settings settings = support_settings(algorithm, 1000, 7);
    settings.seed = seed;
    support_stage s = set_stage(world, &settings, 1);
    bool honest = true;
    for (int64_t episodes = 0; episodes <= 300; episodes += 100) {
        bool holds = claims_hold(&s);
        if (fy_learner_of(s.explorer) != NULL && truth_distance(s.explorer) <= 1.0)
            assert_true(holds);
        honest &= holds;
        assert_true(truth_play(s.explorer, s.world, 100));
    }
    support_stage_clear(&s);
    return honest;
}

/* Certificates fail in a share delta of all runs, at the most. */
static void certifies_honestly(const char *algorithm, const char *world)
{
    enum { RUNS = 20 };
    int64_t failures = 0;
    for (int64_t seed = 1; seed <= RUNS; seed++)
        failures += !is_honest(algorithm, world, seed);
    assert_true(failures <= truth_max_failures(RUNS, support_settings(algorithm, 1000, 7).delta));
}

/* By default certificates rest on the likelihood of the data, whichever algorithm collected them,
 * also where it has no bound of its own: the gap, the interval of the value, the bound for
 * all rewards about the plug-in plan. */
static bool likelihoods_hold(const support_stage *s)
{
    bool holds = true;
    foray_certificate bound;
    assert_int_equal(foray_explorer_bound(s->explorer, FORAY_KIND_PAIR, &bound), FORAY_OK);
    bool features = fy_certifier_regressed(s->explorer->certifier) > 0;
    foray_radius radius = features ? s->explorer->settings.radius : FORAY_RADIUS_LIKELIHOOD;
    assert_int_equal(bound.radius, radius);
    check_certificate(&bound);
    for (int mode = 0; mode < FORAY_MODES; mode++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            foray_reward *reward = truth_random_reward(s->ctx, s->model, seed);
            const foray_reward *const rewards[] = {reward};
            foray_policy *policy;
            double value, optimal;
            assert_int_equal(foray_explorer_plan(s->explorer, 1, rewards, mode, &policy), 0);
            assert_int_equal(foray_evaluate(s->ctx, s->model, reward, policy, &value, &optimal), 0);
            assert_true(policy->certificate.status == FORAY_CERTIFIED);
            assert_true(policy->certificate.radius == radius);
            assert_true(policy->certificate.bound == FORAY_BOUND_GAP ||
                        policy->certificate.bound == FORAY_BOUND_VALUES);
            holds = holds && optimal - value <= policy->certificate.gap + 1e-9 &&
                    policy->low <= value + 1e-9 && value <= policy->high + 1e-9 &&
                    (mode != FORAY_PLUGIN || optimal - value <= bound.gap + 1e-9);
            foray_policy_destroy(policy);
            foray_reward_destroy(reward);
        }
    return holds;
}

static void certifies_by_likelihood(const char *algorithm, const char *world)
{
    enum { RUNS = 10 };
    int64_t failures = 0;
    for (int64_t seed = 1; seed <= RUNS; seed++) {
        foray_settings settings = support_settings(algorithm, 1000, 7);
        settings.seed = seed;
        support_stage s = set_stage(world, &settings, 1);
        /* Given features need a regression, which not every algorithm has. */
        bool honest = true,
             possible = foray_explorer_certify_by(s.explorer, FORAY_RADIUS_LIKELIHOOD) == FORAY_OK;
        for (int64_t episodes = 0; possible && episodes <= 300; episodes += 150) {
            honest = likelihoods_hold(&s) && honest;
            assert_true(truth_play(s.explorer, s.world, 150));
        }
        failures += !honest;
        support_stage_clear(&s);
    }
    assert_true(failures <= truth_max_failures(RUNS, support_settings(algorithm, 1000, 7).delta));
}

/* What a new explorer does without being told. */
static void likelihood_is_the_default(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_settings settings = support_settings("rf-express", 1000, 7);
    foray_model *model;
    foray_explorer *explorer;
    foray_certificate bound;
    support_ok(ctx, foray_model_builtin(ctx, "riverswim", &model));
    support_ok(ctx, foray_explorer_create(ctx, model, &settings, &explorer));
    support_ok(ctx, foray_explorer_bound(explorer, FORAY_KIND_PAIR, &bound));
    assert_int_equal(bound.radius, FORAY_RADIUS_LIKELIHOOD);
    support_ok(ctx, foray_explorer_certify_by(explorer, settings.radius));
    support_ok(ctx, foray_explorer_bound(explorer, FORAY_KIND_PAIR, &bound));
    assert_int_equal(bound.radius, FORAY_RADIUS_COUNTS);
    foray_explorer_destroy(explorer);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* Without certificates: the same actions, and the same value but for what a certificate found out
 * about the pessimistic one. */
static void plans_without_certificate(const support_stage *s, const foray_reward *reward,
                                      const foray_policy *certified)
{
    foray_policy *policy;
    size_t entries = (size_t)(s->model->horizon * s->model->states);
    assert_int_equal(foray_explorer_policies(s->explorer, 1, &reward, certified->mode, &policy), 0);
    assert_memory_equal(policy->action, certified->action, entries * sizeof *policy->action);
    double value = policy->value[certified->mode], other = certified->value[certified->mode];
    assert_true(certified->mode == FORAY_PESSIMISTIC ? value >= other : value == other);
    assert_int_equal(policy->certificate.status, FORAY_UNCERTIFIED);
    assert_true(isinf(policy->certificate.gap));
    foray_policy_destroy(policy);
}

/* Many rewards in one call: the same plans as one by one. */
static void plans_together_as_alone(const char *algorithm, const char *world)
{
    enum { COUNT = 11 };
    foray_settings settings = support_settings(algorithm, 1000, 7);
    support_stage s = set_stage(world, &settings, 1);
    const foray_reward *rewards[COUNT];
    foray_policy *together[COUNT], *alone;
    assert_true(truth_play(s.explorer, s.world, 100));
    for (int64_t i = 0; i < COUNT; i++)
        rewards[i] = i % 2 ? truth_goal(s.ctx, s.model, i % s.model->states)
                           : truth_random_reward(s.ctx, s.model, (uint64_t)i);
    for (int mode = 0; mode < FORAY_MODES; mode++) {
        assert_int_equal(foray_explorer_plan(s.explorer, COUNT, rewards, mode, together), 0);
        for (int64_t i = 0; i < COUNT; i++) {
            assert_int_equal(foray_explorer_plan(s.explorer, 1, &rewards[i], mode, &alone), 0);
            for (int m = 0; m < FORAY_MODES; m++)
                assert_true(fabs(alone->value[m] - together[i]->value[m]) < 1e-9);
            plans_without_certificate(&s, rewards[i], alone);
            assert_true(alone->certificate.gap == together[i]->certificate.gap ||
                        fabs(alone->certificate.gap - together[i]->certificate.gap) < 1e-9);
            foray_policy_destroy(alone);
            foray_policy_destroy(together[i]);
        }
    }
    for (int64_t i = 0; i < COUNT; i++)
        foray_reward_destroy((foray_reward *)rewards[i]);
    support_stage_clear(&s);
}

/* A scaled-down radius is a heuristic and says so. */
static void says_heuristic(const char *algorithm, const char *world)
{
    foray_settings settings = support_settings(algorithm, 1000, 7);
    settings.radius_scale = 0.5;
    support_stage s = set_stage(world, &settings, 1);
    foray_reward *reward = truth_goal(s.ctx, s.model, 0);
    const foray_reward *const rewards[] = {reward};
    foray_policy *policy;
    assert_int_equal(foray_explorer_plan(s.explorer, 1, rewards, FORAY_PLUGIN, &policy), FORAY_OK);
    assert_true(policy->certificate.status != FORAY_CERTIFIED);
    assert_true(bound_of(&s).status != FORAY_CERTIFIED);
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    support_stage_clear(&s);
}

/* Neither is a number that happens to be near. */
static void no_such_kind_or_mode(void **state)
{
    (void)state;
    foray_settings settings = support_settings("ucrl-rfe", 10, 7);
    support_stage s = set_stage("chain", &settings, 1);
    foray_certificate bound;
    support_refused(s.ctx, foray_explorer_bound(s.explorer, (foray_reward_kind)9, &bound),
                    FORAY_ERROR_USAGE, "there is no kind 9 of rewards");
    support_refused(s.ctx, foray_explorer_plan(s.explorer, 0, NULL, FORAY_GIVEN, NULL),
                    FORAY_ERROR_USAGE, "it must be optimistic, plugin or pessimistic");
    support_stage_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EVERYWHERE(same_bits_for_any_threads),     EVERYWHERE(continues_where_it_was),
        EVERYWHERE(refuses_damaged_state),         EVERYWHERE(insists_on_the_order_of_calls),
        EVERYWHERE(notices_impossible_successors), cmocka_unit_test(bad_settings),
        cmocka_unit_test(no_such_kind_or_mode),    EVERYWHERE(survives_every_failed_allocation),
        EVERYWHERE(episodes_allocate_nothing),     EVERYWHERE(certifies_honestly),
        EVERYWHERE(certifies_by_likelihood),       cmocka_unit_test(likelihood_is_the_default),
        EVERYWHERE(plans_together_as_alone),       EVERYWHERE(says_heuristic),
        EVERYWHERE(takes_the_reward_it_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
