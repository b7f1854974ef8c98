/* test_direct.c - means under all laws of a likelihood set, without an ellipsoid: against laws on a
 * fine grid, and the sets of a certifier against the likelihood itself. */
#include "certify/certifier.h"
#include "learn/direct.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

/* A law seen n times, and values of its outcomes. */
typedef struct task {
    int64_t m;
    double q[3], v[3], range, e;
} task;

static task draw_task(support_random *random)
{
    task it = {.m = 2 + support_below(random, 2), .range = pow(10, 2 * support_uniform(random))};
    double n = 0;
    for (int64_t i = 0; i < it.m; i++) {
        it.q[i] = support_uniform(random) < 0.25 ? 0 : floor(pow(10, 3 * support_uniform(random)));
        it.v[i] = support_uniform(random) < 0.3 ? 0 : it.range * support_uniform(random);
        n += it.q[i];
    }
    it.v[support_below(random, it.m)] = it.range;
    if (n == 0)
        n = it.q[0] = 1;
    for (int64_t i = 0; i < it.m; i++)
        it.q[i] /= n;
    it.e = 12 * support_uniform(random) / n;
    return it;
}

static double divergence(const task *it, const double *p)
{
    double sum = 0;
    for (int64_t i = 0; i < it->m; i++)
        if (it->q[i] > 0)
            sum += p[i] > 0 ? it->q[i] * log(it->q[i] / p[i]) : INFINITY;
    return sum;
}

/* As far from q towards the corner or edge point `to` as the set goes: p v there, by bisection. */
static double on_border(const task *it, const double *to)
{
    double near = 0, far = 1, p[3], mean = 0;
    for (int half = 0; half < 40; half++) {
        double part = (near + far) / 2;
        for (int64_t i = 0; i < it->m; i++)
            p[i] = (1 - part) * it->q[i] + part * to[i];
        if (divergence(it, p) <= it->e)
            near = part;
        else
            far = part;
    }
    for (int64_t i = 0; i < it->m; i++)
        mean += ((1 - near) * it->q[i] + near * to[i]) * it->v[i];
    return mean;
}

/* The largest p v over the set: it lies on the border, which is seen from q in all directions. */
static double brute_force(const task *it)
{
    enum { STEPS = 300 };
    double best = 0;
    for (int64_t a = 0; a <= STEPS; a++)
        for (int64_t edge = 0; edge < it->m; edge++) {
            double to[3] = {0};
            to[edge] = (double)a / STEPS;
            to[(edge + 1) % it->m] += 1 - (double)a / STEPS;
            best = fmax(best, on_border(it, to));
        }
    return best;
}

/* Never below what a law of the set attains, and near it; with a fifth less of e it would be. */
static void bounds_hold_and_are_sharp(void **state)
{
    (void)state;
    support_random random = {1, 0};
    int64_t caught = 0, tasks = 400;
    double loosest = 0;
    for (int64_t i = 0; i < tasks; i++) {
        task it = draw_task(&random);
        double max = brute_force(&it);
        double bound = fy_direct_mean(it.m, it.q, it.v, it.range, it.e);
        assert_true(bound >= max && bound <= it.range);
        loosest = fmax(loosest, (bound - max) / it.range);
        caught += fy_direct_mean(it.m, it.q, it.v, it.range, 0.8 * it.e) < max;
    }
    print_message("loosest %g caught %d\n", loosest, (int)caught);
    assert_true(loosest < 0.002);
    assert_true(caught > tasks / 2);
}

/* What a certifier says of laws directly is their likelihood set: max l - l(w) <= x. */
static void widths_are_those_of_the_likelihood(void **state)
{
    (void)state;
    static const int kinds[] = {SUPPORT_TABULAR, SUPPORT_CLASSES, SUPPORT_MIXTURE};
    int64_t direct[3] = {0};
    for (uint64_t seed = 0; seed < 60; seed++) {
        foray_context *ctx = foray_context_create();
        support_random random = {seed, 2};
        support_sizes sizes = {.states = 4, .actions = 2, .horizon = 3, .successors = 3, .dim = 3};
        foray_model *model = support_model(ctx, kinds[seed % 3], sizes, seed);
        fy_certifier *certifier;
        int64_t transitions = model->succ_start[model->pairs];
        int64_t *seen = calloc((size_t)transitions, sizeof *seen);
        for (int64_t i = 0; i < transitions; i++)
            seen[i] = support_below(&random, 40);
        support_ok(ctx, fy_certifier_create(support_arena(ctx), model, 64, &certifier));
        fy_certifier_estimate(certifier, seen, 0.1, 1, NULL);
        for (int64_t i = 0; i < model->generator_sets; i++) {
            int64_t g = model->basis->block_of_generator_set[i];
            const double *q = certifier->set->often + model->gen_start[i];
            double n = certifier->fit[g].visits, l = 0;
            if (!isfinite(certifier->set->width[i]))
                continue;
            direct[seed % 3]++;
            for (int64_t j = 0; j < fy_generator_set_size(model, i); j++)
                l += q[j] > 0 ? n * q[j] * log(q[j]) : 0;
            double min = fy_likelihood_min(certifier->likelihood, g, certifier->count,
                                           0.1 / (double)certifier->blocks);
            double x = n * certifier->set->width[i];
            assert_true(x >= l - min - 1e-6 && x <= l - min + 1e-5);
        }
        assert_true(certifier->set->direct || seed % 3 != 0);
        free(seen);
        foray_model_destroy(model);
        foray_context_destroy(ctx);
    }
    assert_true(direct[0] > 100 && direct[1] > 5 && direct[2] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold_and_are_sharp),
        cmocka_unit_test(widths_are_those_of_the_likelihood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
