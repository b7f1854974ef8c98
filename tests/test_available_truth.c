/* test_available_truth.c - states that have different numbers of actions: exact values come from a
 * recursion that is written out, certificates hold, and random play takes what there is. */
#include "support.h"

#include "measure/measure.h"

#include <math.h>

#include "oracle_truth.h"

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
    for (int64_t i = 0; (algorithm = support_algorithm(i)); i++)
        for (uint64_t seed = 0; seed < 4; seed++) {
            foray_context *ctx = foray_context_create();
            foray_model *full = support_model(ctx, SUPPORT_TABULAR, sizes, seed);
            foray_model *model = thin_out(ctx, full, seed);
            foray_settings settings = support_settings(algorithm, 60, 3);
            foray_explorer *explorer;
            foray_world *world;
            fy_family *family;
            support_ok(ctx, fy_family_create(ctx, model, FY_TIMED, 4, seed, &family));
            support_ok(ctx, foray_world_from_model(ctx, model, &world));
            support_ok(ctx, foray_explorer_create(ctx, model, &settings, &explorer));
            if (foray_algorithm_needs_reward(algorithm))
                support_ok(ctx, foray_explorer_give_reward(explorer, family->reward[0]));
            assert_true(truth_play(explorer, world, 60));
            for (int64_t r = 0; r < family->count; r++) {
                const foray_reward *reward = family->reward[r];
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
            fy_family_destroy(family);
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
    foray_settings settings = support_settings("random", 60, 3);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_play),
        cmocka_unit_test(certificates_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
