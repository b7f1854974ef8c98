/* test_paid.c - certificates where laws and rewards are both unknown, against laws and rewards
 * inside of what is known of both: samples, and an adversary that climbs V* - V^pi in both. Values
 * by plain backward induction. */
#include "certify/certifier.h"
#include "learn/mean.h"
#include "reward/reward.h"
#include "support_laws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct scene {
    foray_context *ctx;
    foray_model *model;
    fy_certifier *certifier;
    int64_t *seen;
    foray_reward *reward; /* r-, which knows r+ */
    int32_t *action;      /* [horizon][states] */
    support_random random;
    bool triples;
    int64_t cells;        /* pairs, or transitions */
    double *low, *high;   /* [cells] */
    double *paid, *other; /* [cells] something between the two */
    double *value, *best; /* [states] each */
    double *scratch;
} scene;

static void explore(scene *it, int64_t steps)
{
    const foray_model *model = it->model;
    for (int64_t i = 0; i < steps; i++) {
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

/* V^pi(mu) and V*(mu) under theta and a reward. */
static void values(scene *it, const double *theta, const double *paid, double *of_policy,
                   double *optimal)
{
    const foray_model *model = it->model;
    int64_t S = model->states;
    memset(it->value, 0, (size_t)S * sizeof *it->value);
    memset(it->best, 0, (size_t)S * sizeof *it->best);
    for (int64_t t = model->horizon - 1; t >= 0; t--) {
        double *now = it->scratch, *best = it->scratch + S;
        for (int64_t s = 0; s < S; s++) {
            best[s] = -INFINITY;
            for (int64_t a = 0; a < model->actions; a++) {
                int64_t pair = s * model->actions + a, from = model->succ_start[pair];
                double q = 0, q_best = 0;
                for (int64_t j = 0; j < model->succ_start[pair + 1] - from; j++) {
                    double p = foray_model_probability(model, theta, s, a, j);
                    double r = paid[it->triples ? from + j : pair];
                    q += p * (r + it->value[model->succ[from + j]]);
                    q_best += p * (r + it->best[model->succ[from + j]]);
                }
                best[s] = fmax(best[s], q_best);
                if (a == it->action[t * S + s])
                    now[s] = q;
            }
        }
        memcpy(it->value, now, (size_t)S * sizeof *now);
        memcpy(it->best, best, (size_t)S * sizeof *best);
    }
    *of_policy = *optimal = 0;
    for (int64_t i = 0; i < model->initials; i++) {
        *of_policy += model->initial_probability[i] * it->value[model->initial_state[i]];
        *optimal += model->initial_probability[i] * it->best[model->initial_state[i]];
    }
}

static void draw_paid(scene *it, double *paid)
{
    for (int64_t i = 0; i < it->cells; i++)
        paid[i] = it->low[i] + (it->high[i] - it->low[i]) * support_uniform(&it->random);
}

/* One cell to one of its ends. */
static void move_paid(scene *it, const double *from, double *to)
{
    int64_t i = support_below(&it->random, it->cells);
    memcpy(to, from, (size_t)it->cells * sizeof *to);
    to[i] = from[i] < it->high[i] ? it->high[i] : it->low[i];
}

/* The largest V* - V^pi that climbing finds, and whether every value on the way lay in the
 * policy's interval. */
static double climb(scene *it, int64_t tries, const fy_gap_result *result)
{
    double theta[128], other[128], best = -INFINITY, value, optimal;
    support_law_centre(it->certifier, theta);
    draw_paid(it, it->paid);
    for (int64_t i = 0; i < tries; i++) {
        memcpy(other, theta, sizeof other);
        memcpy(it->other, it->paid, (size_t)it->cells * sizeof *it->paid);
        if (i > 0 && i % 3 == 0)
            support_law_move(it->certifier, &it->random, theta, other);
        if (i % 3 != 0)
            move_paid(it, it->paid, it->other);
        if (!support_law_inside(it->certifier, other))
            continue;
        values(it, other, it->other, &value, &optimal);
        if (result) {
            assert_true(value >= result->low - 1e-9 && value <= result->high + 1e-9);
            assert_true(optimal - value <= result->values + 1e-9);
        }
        if (optimal - value > best) {
            best = optimal - value;
            memcpy(theta, other, sizeof theta);
            memcpy(it->paid, it->other, (size_t)it->cells * sizeof *it->paid);
        }
    }
    return best;
}

static void set_side(scene *it, const double *from, foray_reward **out)
{
    const foray_model *model = it->model;
    support_ok(it->ctx, foray_reward_create(it->ctx, model, "r", 0, 1, 0, out));
    for (int64_t pair = 0; pair < model->pairs; pair++)
        for (int64_t k = model->succ_start[pair]; k < model->succ_start[pair + 1]; k++)
            support_ok(it->ctx, foray_reward_set_next(it->ctx, *out, -1, pair / model->actions,
                                                      pair % model->actions,
                                                      it->triples ? model->succ[k] : -1,
                                                      from[it->triples ? k : pair]));
}

/* Some known, some not at all, most within bounds. `shrunk` towards their middle. */
static void make_reward(scene *it, double shrunk)
{
    const foray_model *model = it->model;
    double *low = calloc((size_t)it->cells, sizeof *low);
    double *high = calloc((size_t)it->cells, sizeof *high);
    for (int64_t i = 0; i < it->cells; i++) {
        double kind = support_uniform(&it->random), at = support_uniform(&it->random);
        double width = kind < 0.3 ? 0 : kind < 0.4 ? 1 : pow(10, -3 * support_uniform(&it->random));
        it->low[i] = at * (1 - width);
        it->high[i] = fmin(1, it->low[i] + width);
        double middle = (it->low[i] + it->high[i]) / 2, half = (it->high[i] - it->low[i]) / 2;
        low[i] = middle - shrunk * half;
        high[i] = fmin(1, middle + shrunk * half);
        if (shrunk == 1) {
            low[i] = it->low[i];
            high[i] = it->high[i];
        }
    }
    set_side(it, low, &it->reward);
    set_side(it, high, &it->reward->above);
    for (int64_t i = 0; i < model->horizon * model->states; i++)
        it->action[i] = (int32_t)support_below(&it->random, model->actions);
    free(low);
    free(high);
}

/* The best policy for the middle under the centre, sometimes with an action changed. */
static void plan_middle(scene *it)
{
    const foray_model *model = it->model;
    double theta[128];
    support_law_centre(it->certifier, theta);
    memset(it->value, 0, (size_t)model->states * sizeof *it->value);
    for (int64_t t = model->horizon - 1; t >= 0; t--) {
        for (int64_t s = 0; s < model->states; s++) {
            it->scratch[s] = -INFINITY;
            for (int64_t a = 0; a < model->actions; a++) {
                int64_t pair = s * model->actions + a, from = model->succ_start[pair];
                double q = 0;
                for (int64_t k = from; k < model->succ_start[pair + 1]; k++) {
                    int64_t cell = it->triples ? k : pair;
                    q += foray_model_probability(model, theta, s, a, k - from) *
                         ((it->low[cell] + it->high[cell]) / 2 + it->value[model->succ[k]]);
                }
                if (q > it->scratch[s]) {
                    it->scratch[s] = q;
                    it->action[t * model->states + s] = (int32_t)a;
                }
            }
        }
        memcpy(it->value, it->scratch, (size_t)model->states * sizeof *it->value);
    }
    if (support_uniform(&it->random) < 0.3)
        it->action[support_below(&it->random, model->horizon * model->states)] =
            (int32_t)support_below(&it->random, model->actions);
}

static scene make_scene(uint64_t seed, bool joint, double shrunk)
{
    static const int kinds[] = {SUPPORT_MIXTURE, SUPPORT_CLASSES, SUPPORT_TABULAR};
    scene it = {.ctx = foray_context_create(), .random = {seed, 7}, .triples = seed % 2};
    support_sizes sizes = {.states = 2 + (int64_t)(seed % 3),
                           .actions = 2 + (int64_t)(seed / 3 % 2),
                           .horizon = 1 + (int64_t)(seed / 5 % 4),
                           .successors = 3,
                           .dim = 3};
    it.model = support_model(it.ctx, kinds[seed % 3], sizes, seed);
    const foray_model *model = it.model;
    int64_t transitions = model->succ_start[model->pairs];
    it.cells = it.triples ? transitions : model->pairs;
    it.seen = calloc((size_t)transitions, sizeof *it.seen);
    it.action = calloc((size_t)(model->horizon * model->states), sizeof *it.action);
    double **room[] = {&it.low, &it.high, &it.paid, &it.other};
    for (int i = 0; i < 4; i++)
        *room[i] = calloc((size_t)it.cells, sizeof **room[i]);
    it.value = calloc((size_t)model->states, sizeof *it.value);
    it.best = calloc((size_t)model->states, sizeof *it.best);
    it.scratch = calloc((size_t)(2 * model->states), sizeof *it.scratch);
    support_ok(it.ctx,
               fy_certifier_create(support_arena(it.ctx), model, joint ? 64 : 0, &it.certifier));
    explore(&it, (int64_t)pow(10, 1 + 4 * support_uniform(&it.random)));
    fy_certifier_estimate(it.certifier, it.seen, 0.1, 1, NULL);
    make_reward(&it, shrunk);
    plan_middle(&it);
    return it;
}

static void free_scene(scene *it)
{
    foray_reward_destroy(it->reward);
    foray_model_destroy(it->model);
    foray_context_destroy(it->ctx);
    void *all[] = {it->seen,  it->action, it->low,  it->high,   it->paid,
                   it->other, it->value,  it->best, it->scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static fy_gap_result certify(scene *it)
{
    fy_arena scratch = {.ctx = it->ctx};
    support_ok(it->ctx, fy_certifier_begin_policy(&scratch, it->certifier, it->reward, it->action));
    fy_gap_result result = fy_certifier_policy(it->certifier, it->reward, it->action);
    fy_certifier_end_policy(it->certifier);
    fy_arena_release(&scratch);
    return result;
}

static int64_t models(int64_t usual)
{
    const char *more = getenv("FORAY_ATTACK");
    return more ? usual * strtoll(more, NULL, 10) : usual;
}

/* No law with any reward loses more than the certificate says; some of them nearly as much. */
static void check_all(bool joint, double *nearest, int64_t *zeros)
{
    int64_t count = models(600);
    *nearest = *zeros = 0;
    for (int64_t seed = 0; seed < count; seed++) {
        scene it = make_scene((uint64_t)seed, joint, 1);
        fy_gap_result result = certify(&it);
        double found = climb(&it, 500, &result);
        assert_true(found <= result.gap + 1e-9);
        assert_true(result.gap <= result.values + 1e-10);
        *zeros += result.gap == 0;
        if (result.gap > 1e-6)
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
    print_message("nearest %.4f, zeros %d\n", nearest, (int)zeros);
    assert_true(nearest > 0.95 && zeros > 20);
}

static void test_without_vectors(void **state)
{
    (void)state;
    double nearest;
    int64_t zeros;
    check_all(false, &nearest, &zeros);
    assert_true(nearest > 0.9);
}

/* Certificates of a reward that is taken to be known better than it is are caught. */
static void check_control(double shrunk, int64_t least)
{
    int64_t caught = 0;
    for (uint64_t seed = 0; seed < 240; seed++) {
        scene it = make_scene(seed, true, shrunk);
        fy_gap_result small = certify(&it);
        caught += climb(&it, 500, NULL) > small.gap + 1e-9;
        free_scene(&it);
    }
    print_message("shrunk to %g: caught %d of 240\n", shrunk, (int)caught);
    assert_true(caught >= least);
}

static void test_controls(void **state)
{
    (void)state;
    check_control(0, 60);
    check_control(0.8, 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adversary),
        cmocka_unit_test(test_without_vectors),
        cmocka_unit_test(test_controls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
