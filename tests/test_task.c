/* test_task.c - tasks against every history: on small models the best value of the product is the
 * best over all policies with any memory, policies are worth what they say, certificates hold under
 * every law of the set that an adversary finds, and several rewards go through one product. */
#include "certify/certifier.h"
#include "explore/explorer.h"
#include "oracle_task.h"
#include "reward/reward.h"
#include "support_laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_STEPS = 4, HISTORY = MOST_STEPS + 1 };

typedef struct scene {
    foray_context *ctx;
    foray_model *model;
    support_random random;
    oracle_tree tree[TREES];
    int root;
    char text[4096];
    int letter[8]; /* of each state */
    foray_reward *task;
} scene;

/* A formula about two random sets of states. */
static void make_task(scene *it)
{
    int64_t in[ATOMS][8], count[ATOMS] = {0};
    int trees = 0;
    static const char *const names[] = {"a", "b"};
    for (int64_t s = 0; s < it->model->states; s++) {
        it->letter[s] = (int)support_below(&it->random, LETTERS);
        for (int i = 0; i < ATOMS; i++)
            if (it->letter[s] >> i & 1)
                in[i][count[i]++] = s;
    }
    foray_label labels[ATOMS];
    for (int i = 0; i < ATOMS; i++)
        labels[i] = (foray_label){names[i], count[i], in[i]};
    it->text[0] = 0;
    it->root = oracle_grow(&it->random, it->tree, &trees, 1 + (int)support_below(&it->random, 3));
    oracle_write(it->tree, it->root, 0, it->text);
    support_ok(it->ctx, foray_reward_create_task(it->ctx, it->model, "t", it->text, ATOMS, labels,
                                                 &it->task));
}

static void open_scene(scene *it, uint64_t seed)
{
    static const int kinds[] = {SUPPORT_MIXTURE, SUPPORT_CLASSES, SUPPORT_TABULAR};
    it->ctx = foray_context_create();
    it->random = (support_random){.seed = seed};
    support_sizes sizes = {.states = 2 + (int64_t)(seed % 3),
                           .actions = 2,
                           .horizon = 1 + (int64_t)(seed % MOST_STEPS),
                           .successors = 2 + (int64_t)(seed % 2),
                           .dim = 3};
    it->model = support_model(it->ctx, kinds[seed % 3], sizes, seed);
    make_task(it);
}

static void close_scene(scene *it)
{
    foray_reward_destroy(it->task);
    foray_model_destroy(it->model);
    foray_context_destroy(it->ctx);
}

/* ------------------------------------------------------------------ every history */

/* What is weighed: 1 for the task, and a running reward. */
typedef struct weighing {
    const scene *it;
    const double *theta;
    const foray_policy *policy; /* NULL: the best there is */
    const foray_reward *running;
    double weight;
    bool absorbing; /* wrongly: what is decided stops the running reward too */
    const fy_task *task;
} weighing;

static double value_after(const weighing *w, const int *states, int t, int64_t memory, int q);

static double value_of_action(const weighing *w, const int *states, int t, int64_t memory, int q,
                              int64_t a)
{
    const foray_model *model = w->it->model;
    int64_t s = states[t], pair = s * model->actions + a;
    double sum = 0;
    int longer[HISTORY];
    memcpy(longer, states, sizeof longer);
    for (int64_t j = model->succ_start[pair]; j < model->succ_start[pair + 1]; j++) {
        int64_t g = model->gen_start[model->generator_set[pair]] + j - model->succ_start[pair];
        longer[t + 1] = model->succ[j];
        double now =
            w->running ? w->weight * foray_reward_next_at(w->running, t, s, a, model->succ[j]) : 0;
        sum += fy_generator_probability(model, w->theta, g) *
               (now + value_after(w, longer, t + 1, memory, q));
    }
    return sum;
}

/* states[0..t] have been seen, and `memory` is the policy's before the last of them. */
static double value_after(const weighing *w, const int *states, int t, int64_t memory, int q)
{
    const foray_model *model = w->it->model;
    double best = -INFINITY;
    if (w->absorbing) {
        q = fy_automaton_read(&w->task->automaton, q, w->task->letter[states[t]]);
        if (w->task->automaton.decided[q])
            return w->task->automaton.accepts[q];
    }
    if (t == model->horizon) {
        int word[HISTORY];
        for (int i = 0; i <= t; i++)
            word[i] = w->it->letter[states[i]];
        return oracle_holds(w->it->tree, w->it->root, word, 0, t + 1);
    }
    int64_t place = w->policy ? foray_policy_read(w->policy, &memory, states[t]) : 0;
    assert_true(place >= 0);
    int64_t only = w->policy ? foray_policy_action(w->policy, t, place) : -1;
    for (int64_t a = 0; a < model->actions; a++)
        if (only < 0 || a == only)
            best = fmax(best, value_of_action(w, states, t, memory, q, a));
    return best;
}

/* Over all histories: exactly what the definition says. */
static double weigh(const weighing *w)
{
    const foray_model *model = w->it->model;
    double sum = 0;
    for (int64_t i = 0; i < model->initials; i++) {
        int states[HISTORY] = {model->initial_state[i]};
        sum += model->initial_probability[i] * value_after(w, states, 0, 0, 0);
    }
    return sum;
}

static void near(double found, double expected, const char *what)
{
    if (!(fabs(found - expected) <= 1e-9))
        fail_msg("%s: %.17g, but %.17g was expected", what, found, expected);
}

/* -------------------------------------------------------------------------- tests */

static void products_are_as_good_as_any_memory(void **state)
{
    enum { MODELS = 600 };
    (void)state;
    int64_t between = 0;
    for (uint64_t seed = 0; seed < MODELS; seed++) {
        scene it;
        foray_policy *policy;
        double value, best;
        open_scene(&it, seed);
        foray_reward_set_minimise(it.ctx, it.task, seed % 5 == 4);
        weighing w = {.it = &it, .theta = it.model->theta};
        double right = weigh(&w);
        support_ok(it.ctx, foray_plan_known(it.ctx, it.model, it.task, &policy));
        support_ok(it.ctx, foray_evaluate(it.ctx, it.model, it.task, policy, &value, &best));
        near(value, best, it.text);
        near(policy->expected, best, it.text);
        w.policy = policy;
        near(weigh(&w), value, it.text);
        if (seed % 5 != 4)
            near(best, right, it.text);
        else
            assert_true(best <= right + 1e-9);
        between += right > 1e-6 && right < 1 - 1e-6;
        foray_policy_destroy(policy);
        close_scene(&it);
    }
    assert_true(between > MODELS / 4);
}

/* Policies, with a memory or without, are certified for any reward. */
static void policies_are_certified_for_other_rewards(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        scene it;
        foray_policy *policy;
        foray_reward *plain;
        double of_task, of_plain, best, low = 0, high = 1;
        open_scene(&it, seed);
        support_ok(it.ctx, foray_reward_create(it.ctx, it.model, "p", low, high, 0, &plain));
        support_ok(it.ctx, foray_reward_set(it.ctx, plain, -1, 0, -1, 1));
        support_ok(it.ctx, foray_plan_known(it.ctx, it.model, it.task, &policy));
        support_ok(it.ctx, foray_evaluate(it.ctx, it.model, plain, policy, &of_task, &best));
        assert_true(of_task <= best + 1e-9);
        foray_policy_destroy(policy);
        support_ok(it.ctx, foray_plan_known(it.ctx, it.model, plain, &policy));
        support_ok(it.ctx, foray_evaluate(it.ctx, it.model, it.task, policy, &of_plain, &best));
        weighing w = {.it = &it, .theta = it.model->theta, .policy = policy};
        near(weigh(&w), of_plain, it.text);
        foray_policy_destroy(policy);
        foray_reward_destroy(plain);
        close_scene(&it);
    }
}

static foray_explorer *explore(scene *it, double scale)
{
    foray_settings settings = support_settings("random", 1000, 1);
    foray_explorer *explorer;
    foray_world *world;
    settings.delta = 0.5;
    settings.radius_scale = scale;
    support_ok(it->ctx, foray_explorer_create(it->ctx, it->model, &settings, &explorer));
    support_ok(it->ctx, foray_world_from_model(it->ctx, it->model, &world));
    int64_t episodes = (int64_t)pow(10, 3 * support_uniform(&it->random));
    for (int64_t k = 0; k < episodes; k++)
        support_ok(it->ctx, foray_explorer_play(explorer, world, NULL, NULL));
    foray_world_destroy(world);
    return explorer;
}

/* Climbs in what the policy loses, from the centre and from where an attempt failed. Returns how
 * many laws were tried; *broken counts those that the certificate does not cover. */
static int64_t attack(scene *it, const fy_certifier *sets, const foray_policy *policy,
                      int64_t tries, int64_t *broken)
{
    double theta[2][64], worst = -INFINITY;
    int64_t laws = 0;
    weighing best = {.it = it}, own = {.it = it, .policy = policy};
    support_law_centre(sets, theta[0]);
    for (int64_t i = 0; i < tries; i++) {
        if (i > 0)
            support_law_move(sets, &it->random, theta[0], theta[1]);
        else
            memcpy(theta[1], theta[0], sizeof theta[1]);
        if (!support_law_inside(sets, theta[1]))
            continue;
        best.theta = own.theta = theta[1];
        double value = weigh(&own), loss = weigh(&best) - value;
        laws++;
        *broken += loss > policy->certificate.gap + 1e-9 || value < policy->low - 1e-9 ||
                   value > policy->high + 1e-9;
        if (loss > worst) {
            worst = loss;
            memcpy(theta[0], theta[1], sizeof theta[0]);
        }
    }
    return laws;
}

static int64_t attack_models(uint64_t models, double scale, int64_t *broken)
{
    int64_t laws = 0;
    for (uint64_t seed = 0; seed < models; seed++) {
        scene it;
        fy_certifier *sets;
        foray_policy *policy;
        open_scene(&it, seed);
        foray_explorer *explorer = explore(&it, scale);
        const foray_reward *const rewards[] = {it.task};
        support_ok(it.ctx, foray_explorer_plan(explorer, 1, rewards, FORAY_PLUGIN, &policy));
        support_ok(it.ctx, fy_explorer_sets(explorer, &sets));
        double gap = policy->certificate.gap, low = policy->low;
        support_ok(it.ctx, foray_explorer_certify(explorer, it.task, policy));
        near(policy->certificate.gap, gap, "certified again");
        near(policy->low, low, "certified again");
        if (scale < 1) { /* the laws of the set as it should be */
            foray_policy *other;
            explorer->settings.radius_scale = 1;
            explorer->certifier_after = -1;
            support_ok(it.ctx, foray_explorer_plan(explorer, 1, rewards, FORAY_PLUGIN, &other));
            support_ok(it.ctx, fy_explorer_sets(explorer, &sets));
            foray_policy_destroy(other);
        }
        laws += attack(&it, sets, policy, 60, broken);
        foray_policy_destroy(policy);
        foray_explorer_destroy(explorer);
        close_scene(&it);
    }
    return laws;
}

/* At delta = 0.5, where sets are small; the control has sets that are smaller still. */
static void certificates_hold_under_every_law(void **state)
{
    int64_t broken = 0, laws;
    (void)state;
    laws = attack_models(300, 1, &broken);
    print_message("%d laws, %d broken\n", (int)laws, (int)broken);
    assert_true(laws > 2000);
    assert_int_equal(broken, 0);
    attack_models(60, 0.2, &broken);
    assert_true(broken > 20);
}

/* The task and a running reward in one product; paid at the end, the task stops nothing. */
static void several_rewards_go_through_one_product(void **state)
{
    int64_t wrong = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        scene it;
        foray_explorer *view;
        foray_reward *running, *inside[2], *sum;
        foray_policy *policy;
        const double weights[] = {1, 0.3};
        open_scene(&it, seed);
        foray_explorer *explorer = explore(&it, 1);
        support_ok(it.ctx, foray_reward_create(it.ctx, it.model, "r", 0, 1, 0, &running));
        for (int64_t s = 0; s < it.model->states; s++)
            support_ok(it.ctx, foray_reward_set(it.ctx, running, -1, s, seed % 2,
                                                support_uniform(&it.random)));
        const foray_reward *const both[] = {it.task, running};
        support_ok(it.ctx, fy_explorer_enter(explorer, 2, both, 0, NULL, true, &view));
        assert_ptr_not_equal(view, explorer);
        for (int i = 0; i < 2; i++)
            support_ok(it.ctx, fy_border_reward(view, both[i], &inside[i]));
        support_ok(it.ctx, fy_reward_sum(it.ctx, "sum", 2, (const foray_reward *const *)inside,
                                         weights, &sum));
        support_ok(it.ctx, foray_plan_known(it.ctx, view->model, sum, &policy));
        weighing w = {.it = &it,
                      .theta = it.model->theta,
                      .running = running,
                      .weight = 0.3,
                      .task = it.task->task};
        double right = weigh(&w);
        near(policy->expected, right, it.text);
        w.absorbing = true;
        wrong += fabs(weigh(&w) - right) > 1e-6;
        foray_policy_destroy(policy);
        foray_reward_destroy(sum);
        foray_reward_destroy(inside[0]);
        foray_reward_destroy(inside[1]);
        fy_explorer_leave(explorer, view);
        foray_reward_destroy(running);
        foray_explorer_destroy(explorer);
        close_scene(&it);
    }
    assert_true(wrong > 20); /* absorbing beside a running reward is wrong */
}

/* Reaching and avoiding are tasks. */
static void reaching_and_avoiding_are_tasks(void **state)
{
    foray_context *ctx = *state;
    static const char *const formulas[] = {"F 5", "G !0", "!0 U 5"};
    const int64_t reach[] = {5}, avoid[] = {0};
    foray_model *model;
    support_ok(ctx, foray_model_builtin(ctx, "riverswim", &model));
    for (int i = 0; i < 3; i++) {
        foray_reward *old, *task;
        foray_policy *policy[2];
        double value;
        support_ok(ctx,
                   foray_reward_create_reach(ctx, model, "r", i != 1, reach, i != 0, avoid, &old));
        support_ok(ctx, foray_reward_create_task(ctx, model, "t", formulas[i], 0, NULL, &task));
        support_ok(ctx, foray_plan_known(ctx, model, old, &policy[0]));
        support_ok(ctx, foray_plan_known(ctx, model, task, &policy[1]));
        near(policy[0]->expected, policy[1]->expected, formulas[i]);
        support_ok(ctx, foray_evaluate(ctx, model, old, policy[1], &value, &value));
        near(value, policy[0]->expected, formulas[i]);
        foray_policy_destroy(policy[0]);
        foray_policy_destroy(policy[1]);
        foray_reward_destroy(old);
        foray_reward_destroy(task);
    }
    foray_model_destroy(model);
}

static void refused_task(foray_context *ctx, const foray_model *model, const char *text,
                         const char *message)
{
    foray_reward *task;
    support_refused(ctx, foray_reward_create_task(ctx, model, "t", text, 0, NULL, &task),
                    FORAY_ERROR_INPUT, message);
}

static void unknown_atoms_are_named(void **state)
{
    foray_context *ctx = *state;
    foray_model *model;
    foray_reward *task;
    const int64_t none[] = {6};
    support_ok(ctx, foray_model_builtin(ctx, "riverswim", &model));
    refused_task(ctx, model, "F goal", "there is no label 'goal'; there are no labels");
    refused_task(ctx, model, "F \"goal\"", "there is no state and no label 'goal'");
    refused_task(ctx, model, "F 6", "state 6, but the model has 6 states");
    foray_label label = {"goal", 1, none};
    support_refused(ctx, foray_reward_create_task(ctx, model, "t", "F goal", 1, &label, &task),
                    FORAY_ERROR_INPUT, "label 'goal': state 6");
    label.count = 0;
    support_refused(ctx, foray_reward_create_task(ctx, model, "t", "F hole", 1, &label, &task),
                    FORAY_ERROR_INPUT, "there is no label 'hole'; there are goal");
    foray_model_destroy(model);
}

static foray_status plan_once(foray_context *ctx)
{
    foray_model *model = NULL;
    foray_reward *task = NULL;
    foray_policy *policy = NULL;
    double value;
    foray_status status = foray_model_builtin(ctx, "riverswim", &model);
    if (status == FORAY_OK)
        status = foray_reward_create_task(ctx, model, "t", "F (5 & X F 0)", 0, NULL, &task);
    if (status == FORAY_OK)
        status = foray_plan_known(ctx, model, task, &policy);
    if (status == FORAY_OK)
        status = foray_evaluate(ctx, model, task, policy, &value, &value);
    foray_policy_destroy(policy);
    foray_reward_destroy(task);
    foray_model_destroy(model);
    return status;
}

static void nothing_is_lost_without_memory(void **state)
{
    (void)state;
    support_every_allocation(plan_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_as_good_as_any_memory),
        cmocka_unit_test(policies_are_certified_for_other_rewards),
        cmocka_unit_test(certificates_hold_under_every_law),
        cmocka_unit_test(several_rewards_go_through_one_product),
        support_test(reaching_and_avoiding_are_tasks),
        support_test(unknown_atoms_are_named),
        cmocka_unit_test(nothing_is_lost_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
