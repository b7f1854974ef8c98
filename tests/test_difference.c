/* test_difference.c - values, differences and losses of policies of every kind, also of those that
 * draw their actions, against a dense transcription of the page and against laws of the set. */
#include "certify/certifier.h"
#include "certify/difference.h"
#include "certify/drawn.h"
#include "oracle_worth.h"
#include "support_laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POLICIES = 4, CELLS = ORACLE_STEPS * ORACLE_STATES * ORACLE_ACTIONS };

typedef struct scene {
    foray_context *ctx;
    foray_model *model;
    fy_certifier *certifier;
    fy_drawn_pass *drawn;
    fy_difference_pass *pass;
    int64_t *seen;
    foray_reward *reward;
    double table[CELLS];
    double chance[POLICIES][CELLS]; /* 0: a plan; 1: nine tenths of it; 2: random; 3: a plan for
                                       another reward */
    int32_t action[POLICIES][ORACLE_STEPS * ORACLE_STATES]; /* of 0 and 3 */
    support_random random;
} scene;

static fy_choices choices_of(const scene *it, int i)
{
    bool draws = i == 1 || i == 2;
    return (fy_choices){it->action[i], draws ? it->chance[i] : NULL};
}

static void see(scene *it, int64_t count)
{
    const foray_model *model = it->model;
    for (int64_t i = 0; i < count; i++) {
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

static void draw_reward(scene *it, uint64_t seed)
{
    const foray_model *model = it->model;
    int64_t S = model->states, A = model->actions;
    support_ok(it->ctx, foray_reward_create(it->ctx, model, "r", 0, 1, 0, &it->reward));
    for (int64_t i = 0; i < model->horizon * S * A; i++) {
        double u = support_uniform(&it->random);
        it->table[i] = seed % 3 == 0 ? floor(2 * u) : seed % 3 == 1 ? (u < 0.2) : u;
        support_ok(it->ctx, foray_reward_set(it->ctx, it->reward, i / (S * A), i / A % S, i % A,
                                             it->table[i]));
    }
}

/* The best policy under the centre, for the reward or, if it is to be another's, a mixed up one. */
static void plan(scene *it, bool other, int32_t *action)
{
    const foray_model *model = it->model;
    int64_t S = model->states, A = model->actions;
    double V[2][ORACLE_STATES] = {{0}};
    for (int64_t t = model->horizon - 1; t >= 0; t--)
        for (int64_t s = 0; s < S; s++) {
            double best = -INFINITY;
            for (int64_t a = 0; a < A; a++) {
                int64_t i = model->generator_set[s * A + a], from = model->succ_start[s * A + a];
                double q = it->table[(t * S + (other ? S - 1 - s : s)) * A + a];
                for (int64_t j = 0; j < fy_generator_set_size(model, i); j++)
                    q += it->certifier->set->p[model->gen_start[i] + j] *
                         V[(t + 1) % 2][model->succ[from + j]];
                if (q > best) {
                    best = q;
                    action[t * S + s] = (int32_t)a;
                }
            }
            V[t % 2][s] = best;
        }
}

static void draw_policies(scene *it)
{
    const foray_model *model = it->model;
    int64_t A = model->actions, cells = model->horizon * model->states;
    plan(it, false, it->action[0]);
    plan(it, true, it->action[3]);
    for (int64_t i = 0; i < cells; i++) {
        support_law(&it->random, A, support_uniform(&it->random) < 0.5, it->chance[2] + i * A);
        for (int64_t a = 0; a < A; a++) {
            it->chance[0][i * A + a] = a == it->action[0][i];
            it->chance[3][i * A + a] = a == it->action[3][i];
            it->chance[1][i * A + a] = (a == it->action[0][i] ? 0.9 : 0) + 0.1 / (double)A;
        }
    }
}

static scene *make_scene(uint64_t seed, bool joint, double scale)
{
    static const int kinds[] = {SUPPORT_MIXTURE, SUPPORT_CLASSES, SUPPORT_TABULAR};
    scene *it = calloc(1, sizeof *it);
    it->ctx = foray_context_create();
    it->random = (support_random){seed, 1};
    support_sizes sizes = {.states = 2 + (int64_t)(seed % 3),
                           .actions = 2 + (int64_t)(seed % 2),
                           .horizon = 1 + (int64_t)(seed % 4),
                           .successors = 3,
                           .dim = 3};
    it->model = support_model(it->ctx, kinds[seed % 3], sizes, seed);
    const foray_model *model = it->model;
    fy_arena *arena = support_arena(it->ctx);
    it->seen = calloc((size_t)model->succ_start[model->pairs], sizeof *it->seen);
    support_ok(it->ctx, fy_certifier_create(arena, model, joint ? 64 : 0, &it->certifier));
    support_ok(it->ctx, fy_drawn_create(arena, it->certifier->gap, &it->drawn));
    support_ok(it->ctx, fy_difference_create(arena, it->certifier->gap, &it->pass));
    see(it, (int64_t)pow(10, 1 + 3 * support_uniform(&it->random)));
    fy_certifier_estimate(it->certifier, it->seen, 0.5, scale, NULL);
    draw_reward(it, seed);
    draw_policies(it);
    return it;
}

static void free_scene(scene *it)
{
    foray_reward_destroy(it->reward);
    foray_model_destroy(it->model);
    foray_context_destroy(it->ctx);
    free(it->seen);
    free(it);
}

/* ---------------------------------------------------------------- the same numbers */

static void near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-9 * fmax(1, fabs(expected))))
        fail_msg("%.17g, but %.17g was expected", found, expected);
}

/* Values, J, E, R and losses as the page has them. The loss may be smaller: it is never above
 * V_bar - V_low. */
static void test_transcription(void **state)
{
    (void)state;
    int64_t equal = 0, all = 0;
    for (uint64_t seed = 0; seed < 150; seed++) {
        scene *it = make_scene(seed, true, 1);
        const fy_confidence *set = it->certifier->set;
        double J[2][ORACLE_UNKNOWNS];
        fy_gap_use_third(it->certifier->gap, false);
        for (int i = 0; i < POLICIES; i++) {
            oracle_worth right;
            fy_worth found = {.J = J[0]}, other = {.J = J[1]};
            fy_choices one = choices_of(it, i), two = choices_of(it, (i + 1) % POLICIES);
            oracle_worth_of(set, it->table, it->chance[i], ORACLE_RIGHT, &right);
            fy_worth_of(it->pass, it->reward, &one, &found);
            near(found.value, right.value);
            near(found.E, right.E);
            for (int64_t k = 0; k < set->basis->unknowns; k++)
                near(found.J[k], right.J[k]);
            fy_gap_result result = fy_drawn_certify(it->drawn, it->reward, &one);
            near(result.value, right.value);
            assert_true(result.gap <= right.loss + 1e-9);
            equal += fabs(result.gap - right.loss) < 1e-9;
            all++;
            near(fy_worth_of_two(it->pass, it->reward, &one, &two, &found, &other),
                 oracle_remainder(set, it->table, it->chance[i], it->chance[(i + 1) % POLICIES]));
        }
        free_scene(it);
    }
    print_message("losses that nothing cut off: %d of %d\n", (int)equal, (int)all);
    assert_true(equal > all / 4);
}

/* Policies that do not draw have the certificate they always had, without the third order, or a
 * smaller one: values from below are cut off at the least that can follow. */
static void test_deterministic(void **state)
{
    (void)state;
    int64_t equal = 0, all = 0;
    for (uint64_t seed = 0; seed < 150; seed++) {
        scene *it = make_scene(seed, seed % 3 > 0, 1);
        fy_gap_use_third(it->certifier->gap, false);
        for (int i = 0; i < POLICIES; i += 3) {
            fy_choices one = choices_of(it, i), same = {it->action[i], it->chance[i]};
            fy_gap_result old = fy_certifier_policy(it->certifier, it->reward, it->action[i]);
            fy_gap_result drawn = fy_drawn_certify(it->drawn, it->reward, &one);
            assert_true(drawn.gap <= old.gap + 1e-9 && drawn.low >= old.low - 1e-9);
            assert_true(old.gap > 0 || drawn.gap == 0);
            near(drawn.high, old.high);
            near(drawn.value, old.value);
            equal += fabs(drawn.gap - old.gap) <= 1e-9;
            all++;
            fy_gap_result again = fy_drawn_certify(it->drawn, it->reward, &same);
            assert_memory_equal(&again, &drawn, sizeof drawn);
        }
        free_scene(it);
    }
    assert_true(equal > 9 * all / 10);
}

/* A policy is exactly as good as itself, also where it draws. */
static void test_same(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        scene *it = make_scene(seed, seed % 2, 1);
        double J[2][ORACLE_UNKNOWNS];
        for (int i = 0; i < POLICIES; i++) {
            fy_worth a = {.J = J[0]}, b = {.J = J[1]};
            fy_choices one = choices_of(it, i);
            assert_true(fy_worth_of_two(it->pass, it->reward, &one, &one, &a, &b) == 0);
            assert_true(a.value == b.value);
        }
        free_scene(it);
    }
}

/* ---------------------------------------------------------------- laws of the set */

/* What is claimed of every law, and what controls claim wrongly. */
typedef struct claims {
    double value[POLICIES], width[POLICIES], loss[POLICIES];
    double wrong_loss[POLICIES];
    double apart[POLICIES][POLICIES];                             /* ||J_a - J_b||_B + R */
    double without[POLICIES][POLICIES], less[POLICIES][POLICIES]; /* R = 0, R = |E_a - E_b| */
} claims;

typedef struct score {
    int64_t checks, violations, no_R, little_R, no_U;
    double tightest;
} score;

static void claim(scene *it, claims *out)
{
    const fy_confidence *set = it->certifier->set;
    double J[2][ORACLE_UNKNOWNS], d[ORACLE_UNKNOWNS];
    oracle_worth wrong;
    for (int a = 0; a < POLICIES; a++) {
        fy_choices one = choices_of(it, a);
        fy_gap_result result = fy_drawn_certify(it->drawn, it->reward, &one);
        out->loss[a] = result.gap;
        oracle_worth_of(set, it->table, it->chance[a], ORACLE_NO_U, &wrong);
        out->wrong_loss[a] = wrong.loss;
        for (int b = 0; b < POLICIES; b++) {
            fy_choices two = choices_of(it, b);
            fy_worth of_a = {.J = J[0]}, of_b = {.J = J[1]};
            double R = fy_worth_of_two(it->pass, it->reward, &one, &two, &of_a, &of_b);
            int64_t U = it->certifier->joint ? set->basis->unknowns : 0;
            for (int64_t k = 0; k < ORACLE_UNKNOWNS; k++)
                d[k] = k < U ? J[0][k] - J[1][k] : 0;
            double first = oracle_norm(set, d);
            out->value[a] = of_a.value;
            memset(J[0] + U, 0, (size_t)(ORACLE_UNKNOWNS - U) * sizeof J[0][0]);
            out->width[a] = oracle_norm(set, J[0]) + of_a.E;
            out->apart[a][b] = first + R;
            out->without[a][b] = first;
            out->less[a][b] = first + fabs(of_a.E - of_b.E);
        }
    }
}

static void check_law(scene *it, const claims *said, const double *theta, score *kept)
{
    const double off = 1e-9;
    double V[POLICIES], best = oracle_value(it->model, theta, it->table, NULL);
    for (int a = 0; a < POLICIES; a++)
        V[a] = oracle_value(it->model, theta, it->table, it->chance[a]);
    for (int a = 0; a < POLICIES; a++) {
        kept->checks += 2 + POLICIES;
        kept->violations += fabs(V[a] - said->value[a]) > said->width[a] + off;
        kept->violations += best - V[a] > said->loss[a] + off;
        kept->no_U += best - V[a] > said->wrong_loss[a] + off;
        if (said->loss[a] > 1e-6)
            kept->tightest = fmax(kept->tightest, (best - V[a]) / said->loss[a]);
        for (int b = 0; b < POLICIES; b++) {
            double moved = fabs(V[a] - V[b] - (said->value[a] - said->value[b]));
            kept->violations += moved > said->apart[a][b] + off;
            kept->no_R += moved > said->without[a][b] + off;
            kept->little_R += moved > said->less[a][b] + off;
        }
    }
}

/* What a law that climbs is to make large: one of the things that are bounded. */
static double aim(scene *it, const claims *said, int which, const double *theta)
{
    int a = which % POLICIES, b = which / POLICIES % POLICIES;
    double V = oracle_value(it->model, theta, it->table, it->chance[a]);
    if (a == b)
        return oracle_value(it->model, theta, it->table, NULL) - V;
    double W = oracle_value(it->model, theta, it->table, it->chance[b]);
    double sign = which / (POLICIES * POLICIES) ? -1 : 1;
    return sign * (V - W - (said->value[a] - said->value[b]));
}

static void climb(scene *it, const claims *said, int which, int64_t tries, score *kept)
{
    double theta[128], other[128], best = -INFINITY;
    support_law_centre(it->certifier, theta);
    for (int64_t i = 0; i < tries; i++) {
        support_law_move(it->certifier, &it->random, theta, other);
        if (!support_law_inside(it->certifier, other))
            continue;
        check_law(it, said, other, kept);
        double value = aim(it, said, which, other);
        if (value > best) {
            best = value;
            memcpy(theta, other, sizeof theta);
        }
    }
}

static score attack(uint64_t from, uint64_t seeds, int64_t tries, bool joint, double scale)
{
    score sum = {0};
    for (uint64_t seed = from; seed < from + seeds; seed++) {
        scene *it = make_scene(seed, joint, scale);
        claims *said = calloc(1, sizeof *said);
        claim(it, said);
        if (scale != 1)
            fy_certifier_estimate(it->certifier, it->seen, 0.5, 1, NULL);
        for (int i = 0; i < 4; i++)
            climb(it, said, (int)support_below(&it->random, 2 * POLICIES * POLICIES), tries, &sum);
        free(said);
        free_scene(it);
    }
    print_message("checks %lld violations %lld tightest %.4f; controls: R=0 %lld, R=|E-E| %lld, "
                  "U=0 %lld\n",
                  (long long)sum.checks, (long long)sum.violations, sum.tightest,
                  (long long)sum.no_R, (long long)sum.little_R, (long long)sum.no_U);
    return sum;
}

static void test_laws(void **state)
{
    (void)state;
    score sum = attack(0, 150, 60, true, 1);
    assert_int_equal(sum.violations, 0);
    assert_true(sum.tightest > 0.8);
    assert_true(sum.no_R > 20 && sum.little_R > 5 && sum.no_U > 20);
}

static void test_laws_without_vectors(void **state)
{
    (void)state;
    assert_int_equal(attack(1000, 100, 40, false, 1).violations, 0);
}

/* ---------------------------------------------------------------------- mixtures */

static foray_policy *policy_of(scene *it, int i)
{
    foray_policy *policy;
    if (i == 1 || i == 2) {
        support_ok(it->ctx,
                   foray_policy_create_drawing(it->ctx, it->model, it->chance[i], &policy));
        return policy;
    }
    support_ok(it->ctx, foray_policy_create(it->ctx, it->model, FORAY_GIVEN, &policy));
    memcpy(policy->action, it->action[i],
           (size_t)(it->model->horizon * it->model->states) * sizeof *policy->action);
    return policy;
}

static double mixed(const double odds[POLICIES], const double V[POLICIES])
{
    double sum = 0;
    for (int a = 0; a < POLICIES; a++)
        sum += odds[a] * V[a];
    return sum;
}

/* Two mixtures of the four: intervals, losses and their difference under laws of the set; a mixture
 * is as good as itself, and norms that are taken last are narrower than means of norms. */
static void attack_mixtures(scene *it, int64_t tries, double *narrower)
{
    double odds[2][POLICIES], V[POLICIES], value, width, none, theta[128], other[128];
    foray_policy *part[POLICIES], *mix[2];
    fy_gap_result result[2], single;
    fy_arena *arena = support_arena(it->ctx);
    for (int i = 0; i < POLICIES; i++)
        part[i] = policy_of(it, i);
    for (int m = 0; m < 2; m++) {
        support_law(&it->random, POLICIES, m == 1, odds[m]);
        support_ok(it->ctx, foray_policy_mix(it->ctx, POLICIES, (const foray_policy *const *)part,
                                             odds[m], &mix[m]));
        support_ok(it->ctx,
                   fy_certifier_any_policy(arena, it->certifier, it->reward, mix[m], &result[m]));
    }
    double apart = 0;
    for (int i = 0; i < POLICIES; i++) {
        support_ok(it->ctx,
                   fy_certifier_any_policy(arena, it->certifier, it->reward, part[i], &single));
        apart += odds[0][i] * (single.high - single.low);
    }
    *narrower += result[0].high - result[0].low < 0.95 * apart;
    assert_true(result[0].high - result[0].low <= apart + 1e-9);
    support_ok(it->ctx, fy_certifier_difference(arena, it->certifier, it->reward, mix[0], mix[0],
                                                &none, &width));
    assert_true(none == 0 && width == 0);
    support_ok(it->ctx, fy_certifier_difference(arena, it->certifier, it->reward, mix[0], mix[1],
                                                &value, &width));
    support_law_centre(it->certifier, theta);
    for (int64_t i = 0; i < tries; i++) {
        support_law_move(it->certifier, &it->random, theta, other);
        if (!support_law_inside(it->certifier, other))
            continue;
        memcpy(theta, other, sizeof theta);
        double best = oracle_value(it->model, theta, it->table, NULL);
        for (int a = 0; a < POLICIES; a++)
            V[a] = oracle_value(it->model, theta, it->table, it->chance[a]);
        for (int m = 0; m < 2; m++) {
            double earned = mixed(odds[m], V);
            assert_true(earned >= result[m].low - 1e-9 && earned <= result[m].high + 1e-9);
            assert_true(best - earned <= result[m].gap + 1e-9);
        }
        assert_true(fabs(mixed(odds[0], V) - mixed(odds[1], V) - value) <= width + 1e-9);
    }
    for (int i = 0; i < POLICIES; i++)
        foray_policy_destroy(part[i]);
    foray_policy_destroy(mix[0]);
    foray_policy_destroy(mix[1]);
}

static void test_mixtures(void **state)
{
    (void)state;
    double narrower = 0;
    for (uint64_t seed = 3000; seed < 3120; seed++) {
        scene *it = make_scene(seed, seed % 4 > 0, 1);
        attack_mixtures(it, 200, &narrower);
        free_scene(it);
    }
    assert_true(narrower > 20);
}

/* Claims from a fifth of the radius are seen to fail. */
static void test_small_set(void **state)
{
    (void)state;
    assert_true(attack(2000, 60, 60, true, 0.2).violations > 100);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transcription),
        cmocka_unit_test(test_deterministic),
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_laws_without_vectors),
        cmocka_unit_test(test_mixtures),
        cmocka_unit_test(test_small_set),
    };
    if (argc == 3) /* SEEDS TRIES: as long as you like */
        return attack(5000, strtoull(argv[1], NULL, 10), strtoll(argv[2], NULL, 10), true, 1)
                   .violations > 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
