/* test_gap.c - the gap certificate against laws inside the confidence set: samples, and an
 * adversary that climbs V*_theta - V^pi_theta. Values by plain backward induction. */
#include "certify/certifier.h"
#include "measure/worst_law.h"
#include "policy/policy.h"
#include "support_laws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct scene {
    foray_context *ctx;
    foray_model *model;
    fy_certifier *certifier;
    int64_t *seen;
    foray_reward *reward;
    int32_t *action; /* [horizon][states] */
    support_random random;
    double *value, *best; /* [2][states] */
} scene;

/* Random actions in the true world for some episodes. */
static void explore(scene *it, int64_t episodes)
{
    const foray_model *model = it->model;
    for (int64_t i = 0; i < episodes * model->horizon; i++) {
        int64_t pair = support_below(&it->random, model->pairs), s = pair / model->actions;
        int64_t n = fy_generator_set_size(model, model->generator_set[pair]), j = 0;
        double u = support_uniform(&it->random);
        for (; j < n - 1; j++)
            if ((u -= foray_model_probability(model, model->theta, s, pair % model->actions, j)) <
                0)
                break;
        it->seen[model->succ_start[pair] + j]++;
    }
}

/* V^pi_theta(mu) and V*_theta(mu). */
static void values(scene *it, const double *theta, double *of_policy, double *optimal)
{
    const foray_model *model = it->model;
    int64_t S = model->states;
    memset(it->value, 0, (size_t)(2 * S) * sizeof *it->value);
    memset(it->best, 0, (size_t)(2 * S) * sizeof *it->best);
    for (int64_t t = model->horizon - 1; t >= 0; t--) {
        double *now = it->value + t % 2 * S, *after = it->value + (t + 1) % 2 * S;
        double *best = it->best + t % 2 * S, *best_after = it->best + (t + 1) % 2 * S;
        for (int64_t s = 0; s < S; s++) {
            best[s] = -INFINITY;
            for (int64_t a = 0; a < model->actions; a++) {
                const int32_t *next;
                int64_t n = foray_model_successors(model, s, a, &next);
                double q = foray_reward_at(it->reward, t, s, a), q_best = q;
                for (int64_t j = 0; j < n; j++) {
                    double p = foray_model_probability(model, theta, s, a, j);
                    q += p * after[next[j]];
                    q_best += p * best_after[next[j]];
                }
                best[s] = fmax(best[s], q_best);
                if (a == it->action[t * S + s])
                    now[s] = q;
            }
        }
    }
    *of_policy = *optimal = 0;
    for (int64_t i = 0; i < model->initials; i++) {
        *of_policy += model->initial_probability[i] * it->value[model->initial_state[i]];
        *optimal += model->initial_probability[i] * it->best[model->initial_state[i]];
    }
}

/* The largest V*_theta - V^pi_theta that climbing finds; checks the interval on its way. */
static double climb(scene *it, int64_t tries, const fy_gap_result *result)
{
    double theta[128], other[128], best = -INFINITY, value, optimal;
    support_law_centre(it->certifier, theta);
    for (int64_t i = 0; i < tries; i++) {
        if (i > 0)
            support_law_move(it->certifier, &it->random, theta, other);
        else
            memcpy(other, theta, sizeof other);
        if (!support_law_inside(it->certifier, other))
            continue;
        values(it, other, &value, &optimal);
        if (result != NULL) {
            assert_true(value >= result->low - 1e-9 && value <= result->high + 1e-9);
            assert_true(optimal - value <= result->values + 1e-9);
        }
        if (optimal - value > best) {
            best = optimal - value;
            memcpy(theta, other, sizeof theta);
        }
    }
    return best;
}

static scene make_scene(uint64_t seed, bool joint, double scale)
{
    static const int kinds[] = {SUPPORT_MIXTURE, SUPPORT_CLASSES, SUPPORT_TABULAR};
    scene it = {.ctx = foray_context_create(), .random = {seed, 1}};
    support_sizes sizes = {.states = 2 + (int64_t)(seed % 4),
                           .actions = 2 + (int64_t)(seed % 2),
                           .horizon = 1 + (int64_t)(seed % 6),
                           .successors = 3,
                           .dim = 3};
    it.model = support_model(it.ctx, kinds[seed % 3], sizes, seed);
    const foray_model *model = it.model;
    it.seen = calloc((size_t)model->succ_start[model->pairs], sizeof *it.seen);
    it.action = calloc((size_t)(model->horizon * model->states), sizeof *it.action);
    it.value = calloc((size_t)(2 * model->states), sizeof *it.value);
    it.best = calloc((size_t)(2 * model->states), sizeof *it.best);
    support_ok(it.ctx,
               fy_certifier_create(support_arena(it.ctx), model, joint ? 64 : 0, &it.certifier));
    assert_true(it.certifier->joint == joint || model->basis->unknowns == 0);
    assert_true(fy_certifier_possible(it.certifier, false));
    explore(&it, (int64_t)pow(10, 1 + 3 * support_uniform(&it.random)));
    fy_certifier_estimate(it.certifier, it.seen, 0.1, scale, NULL);
    support_ok(it.ctx, foray_reward_create(it.ctx, model, "r", 0, 1, 0, &it.reward));
    for (int64_t pair = 0; pair < model->pairs; pair++)
        foray_reward_set(it.ctx, it.reward, -1, pair / model->actions, pair % model->actions,
                         seed % 2 ? support_uniform(&it.random) : (double)(pair % 3 == 0));
    /* The plug-in plan, sometimes with an action changed. */
    const double **table = calloc((size_t)model->horizon, sizeof *table);
    double mean;
    for (int64_t t = 0; t < model->horizon; t++)
        table[t] = fy_reward_table(it.reward, t);
    fy_plan(&(fy_plan_task){.kernel = it.certifier->set->kernel,
                            .reward = {.table = table, .cap = INFINITY},
                            .lanes = 1,
                            .clip = FORAY_CLIP_REMAINING,
                            .ties = FORAY_TIES_UNCLIPPED,
                            .layers = 2,
                            .value = it.value,
                            .policy = it.action},
            &mean);
    free(table);
    if (seed % 5 == 0)
        it.action[support_below(&it.random, model->horizon * model->states)] =
            (int32_t)support_below(&it.random, model->actions);
    return it;
}

static void free_scene(scene *it)
{
    foray_reward_destroy(it->reward);
    foray_model_destroy(it->model);
    foray_context_destroy(it->ctx);
    free(it->seen);
    free(it->action);
    free(it->value);
    free(it->best);
}

/* What the policy earns if every law is, in every step anew, as good for it as its likelihood by
 * itself allows. */
static double step_by_step(scene *it)
{
    const foray_model *model = it->model;
    double *now = it->value, *after = it->value + model->states, follows[8], mean = 0;
    memset(after, 0, (size_t)model->states * sizeof *after);
    for (int64_t t = model->horizon - 1; t >= 0; t--) {
        for (int64_t s = 0; s < model->states; s++) {
            int64_t pair = s * model->actions + it->action[t * model->states + s];
            int64_t from = model->succ_start[pair], n = model->succ_start[pair + 1] - from;
            double max = 0;
            for (int64_t j = 0; j < n; j++) {
                follows[j] = after[model->succ[from + j]];
                max = fmax(max, follows[j]);
            }
            now[s] = fy_reward_table(it->reward, t)[pair] +
                     fmin(max, fy_confidence_mean(it->certifier->set, model->generator_set[pair],
                                                  follows));
        }
        memcpy(after, now, (size_t)model->states * sizeof *after);
    }
    for (int64_t i = 0; i < model->initials; i++)
        mean += model->initial_probability[i] * after[model->initial_state[i]];
    return mean;
}

/* No law of the set loses more than the certificate says; certificates of 0 are met among them,
 * and the adversary comes near some of the others. */
static void check_all(bool joint, double *nearest, int64_t *zeros)
{
    *nearest = *zeros = 0;
    for (uint64_t seed = 0; seed < 240; seed++) {
        scene it = make_scene(seed, joint, 1);
        fy_gap_result result = fy_certifier_policy(it.certifier, it.reward, it.action);
        assert_true(result.high <= step_by_step(&it) + 1e-9);
        double found = climb(&it, 400, &result);
        assert_true(found <= result.gap + 1e-9);
        assert_true(result.gap <= result.values + 1e-12);
        if (result.gap == 0)
            ++*zeros;
        else if (result.gap > 1e-6)
            *nearest = fmax(*nearest, found / result.gap);
        free_scene(&it);
    }
}

static void test_adversary(void **state)
{
    (void)state;
    double nearest;
    int64_t zeros;
    check_all(true, &nearest, &zeros);
    assert_true(nearest > 0.9 && zeros > 20);
}

static void test_without_vectors(void **state)
{
    (void)state;
    double nearest;
    int64_t zeros;
    check_all(false, &nearest, &zeros);
    assert_true(nearest > 0.7 && zeros > 5);
}

/* A set that is too small for what is asked of it is caught: certificates from a fifth of the
 * radius against laws from all of it. */
static void test_control(void **state)
{
    (void)state;
    int64_t caught = 0;
    for (uint64_t seed = 0; seed < 120; seed++) {
        scene it = make_scene(seed, true, 0.2);
        fy_gap_result small = fy_certifier_policy(it.certifier, it.reward, it.action);
        fy_certifier_estimate(it.certifier, it.seen, 0.1, 1, NULL);
        caught += climb(&it, 1500, NULL) > small.gap + 1e-9;
        free_scene(&it);
    }
    assert_true(caught > 12);
}

/* Laws just outside the set break certificates: those from a radius a twentieth smaller, against
 * the lab's adversary in the whole set. */
static void test_just_outside(void **state)
{
    (void)state;
    int64_t caught = 0;
    for (uint64_t seed = 0; seed < 240; seed++) {
        scene it = make_scene(seed, true, 0.95);
        fy_worst_law *law;
        fy_gap_result small = fy_certifier_policy(it.certifier, it.reward, it.action);
        fy_certifier_estimate(it.certifier, it.seen, 0.1, 1, NULL);
        support_ok(it.ctx, fy_worst_law_create(it.ctx, it.model, &law));
        caught +=
            fy_worst_law_search(law, it.certifier, it.reward, it.action, 40) > small.gap + 1e-9;
        fy_worst_law_destroy(law);
        free_scene(&it);
    }
    print_message("caught %d\n", (int)caught);
    assert_true(caught > 3);
}

/* Explaining changes nothing, and the shares add up to the certificate (to more where a
 * state's doubt was cut off); laws have at most that. */
static void test_doubt(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 120; seed++) {
        scene it = make_scene(seed, seed % 4 > 0, 1);
        int64_t entries = it.model->horizon * it.model->states, blocks = it.model->basis->blocks;
        if (seed % 3 == 2) { /* states in which everything is decided */
            int64_t last = it.model->states - 1;
            foray_reward_destroy(it.reward);
            support_ok(it.ctx, foray_reward_create_reach(it.ctx, it.model, "reach", 1, &last, 0,
                                                         NULL, &it.reward));
        }
        fy_gap_doubt doubt = {.choice = calloc((size_t)entries, sizeof *doubt.choice),
                              .share = calloc((size_t)entries, sizeof *doubt.share),
                              .law = calloc((size_t)blocks, sizeof *doubt.law),
                              .part = calloc((size_t)blocks, sizeof *doubt.part)};
        fy_gap_result result = fy_certifier_policy(it.certifier, it.reward, it.action);
        fy_gap_result same = fy_gap_explain(it.certifier->gap, it.reward, it.action, &doubt);
        double shares = 0, laws = 0;
        for (int64_t i = 0; i < entries; i++) {
            assert_true(doubt.share[i] >= 0);
            shares += doubt.share[i];
        }
        for (int64_t g = 0; g < blocks; g++)
            laws += doubt.law[g];
        assert_memory_equal(&result, &same, sizeof same);
        assert_true(shares >= result.gap - 1e-9);
        assert_true(laws <= shares * (1 + 1e-6)); /* what is surely worse is no law's doing */
        free(doubt.choice);
        free(doubt.share);
        free(doubt.law);
        free(doubt.part);
        free_scene(&it);
    }
}

/* The lab's adversary: it stays inside the set and below the certificate, and finds at least as
 * much as random moves do, nearly always and on the whole. */
static void test_worst_law(void **state)
{
    (void)state;
    double found = 0, by_chance = 0;
    int64_t less = 0;
    for (uint64_t seed = 0; seed < 120; seed++) {
        scene it = make_scene(seed, true, 1);
        fy_worst_law *law;
        support_ok(it.ctx, fy_worst_law_create(it.ctx, it.model, &law));
        fy_gap_result result = fy_certifier_policy(it.certifier, it.reward, it.action);
        double worst = fy_worst_law_search(law, it.certifier, it.reward, it.action, 40);
        double chance = climb(&it, 400, NULL);
        assert_true(worst >= 0 && worst <= result.gap + 1e-9);
        assert_true(support_law_inside(it.certifier, fy_worst_law_theta(law)));
        less += worst < 0.9 * chance - 1e-9;
        found += worst;
        by_chance += fmax(0, chance);
        fy_worst_law_destroy(law);
        free_scene(&it);
    }
    assert_true(less <= 6 && found > 0.98 * by_chance);
}

/* Theta* itself, over many runs at delta 0.1 and for random rewards: never above. */
static void test_truth(void **state)
{
    (void)state;
    int64_t outside = 0, broken = 0;
    for (uint64_t seed = 1000; seed < 1300; seed++) {
        scene it = make_scene(seed, true, 1);
        fy_gap_result result = fy_certifier_policy(it.certifier, it.reward, it.action);
        double value, optimal;
        values(&it, it.model->theta, &value, &optimal);
        outside += !support_law_inside(it.certifier, it.model->theta);
        broken += optimal - value > result.gap + 1e-9;
        double all = fy_certifier_all(it.certifier, FORAY_KIND_PAIR);
        if (seed % 5 != 0) /* the plug-in plan as it is */
            assert_true(optimal - value <= all + 1e-9);
        free_scene(&it);
    }
    assert_true(outside <= 30 + 4 * sqrt(27) && broken <= outside);
}

/* V^pi under the centre inside the simplex, which the bound for all rewards is about. */
static double estimated(scene *it)
{
    const foray_model *model = it->model;
    int64_t S = model->states;
    double sum = 0;
    memset(it->value, 0, (size_t)(2 * S) * sizeof *it->value);
    for (int64_t t = model->horizon - 1; t >= 0; t--)
        for (int64_t s = 0; s < S; s++) {
            int64_t a = it->action[t * S + s], set = model->generator_set[s * model->actions + a];
            const double *p = it->certifier->inside->p + model->gen_start[set];
            const int32_t *next;
            int64_t n = foray_model_successors(model, s, a, &next);
            double q = foray_reward_at(it->reward, t, s, a);
            for (int64_t j = 0; j < n; j++)
                q += p[j] * it->value[(t + 1) % 2 * S + next[j]];
            it->value[t % 2 * S + s] = q;
        }
    for (int64_t i = 0; i < model->initials; i++)
        sum += model->initial_probability[i] * it->value[model->initial_state[i]];
    return sum;
}

/* The largest |V^pi_theta - Vhat^pi| that climbing finds, in the set around that centre. */
static double climb_error(scene *it, int64_t tries)
{
    double theta[128], other[128], best = 0, value, optimal, guess = estimated(it);
    support_law_centre(it->certifier, theta);
    for (int64_t i = 0; i < tries; i++) {
        support_law_move(it->certifier, &it->random, theta, other);
        if (!support_law_inside(it->certifier, other) ||
            fy_confidence_distance(it->certifier->inside, other) > 1)
            continue;
        values(it, other, &value, &optimal);
        if (fabs(value - guess) > best) {
            best = fabs(value - guess);
            memcpy(theta, other, sizeof theta);
        }
    }
    return best;
}

/* Half the bound for all rewards is at least every error of a value, whatever the policy and the
 * reward; and sometimes not much more. A bound from a third of the radius is not. */
static void test_all_rewards(void **state)
{
    (void)state;
    double nearest = 0;
    int64_t caught = 0;
    for (uint64_t seed = 0; seed < 240; seed++) {
        scene it = make_scene(seed, true, 1);
        int64_t entries = it.model->horizon * it.model->states;
        double all = fy_certifier_all(it.certifier, FORAY_KIND_PAIR), found = 0;
        for (int64_t try = 0; try < 4; try++) {
            for (int64_t i = 0; i < entries && try > 0; i++)
                it.action[i] = (int32_t)support_below(&it.random, it.model->actions);
            for (int64_t pair = 0; pair < it.model->pairs && try > 1; pair++)
                foray_reward_set(it.ctx, it.reward, -1, pair / it.model->actions,
                                 pair % it.model->actions,
                                 (double)(support_uniform(&it.random) < 0.3));
            found = fmax(found, climb_error(&it, 150));
        }
        assert_true(2 * found <= all + 1e-9 || all >= (double)it.model->horizon);
        nearest = fmax(nearest, all > 1e-3 ? 2 * found / all : 0);
        fy_certifier_estimate(it.certifier, it.seen, 0.1, 1.0 / 3, NULL);
        caught += 2 * found > fy_certifier_all(it.certifier, FORAY_KIND_PAIR) + 1e-9;
        free_scene(&it);
    }
    assert_true(nearest > 0.7 && caught > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adversary),   cmocka_unit_test(test_without_vectors),
        cmocka_unit_test(test_control),     cmocka_unit_test(test_doubt),
        cmocka_unit_test(test_truth),       cmocka_unit_test(test_worst_law),
        cmocka_unit_test(test_all_rewards), cmocka_unit_test(test_just_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
