/* test_likelihood.c - confidence sets from likelihoods: penalties against numerical integration,
 * the ellipsoid against the set it must contain, coverage, and controls that fail. */
#include "base/maths.h"
#include "learn/likelihood.h"
#include "learn/likelihood.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A model of one law with m weights. Every (s,a) shows some of the m outcomes together: the
 * successor of outcome o is next[pair][o]; `states` successors at most. */
typedef struct law {
    foray_context *ctx;
    foray_model *model;
    fy_vectors *vectors;
    fy_likelihood *likelihood;
    fy_ridge *ridge;
    int64_t *count;
    double *z, *radius, truth[8];
    int64_t m;
} law;

static law make_law(int64_t m, int64_t states, uint64_t seed, bool sparse)
{
    support_random random = {seed, 0};
    law l = {.ctx = foray_context_create(), .m = m};
    foray_builder *builder;
    support_ok(l.ctx, foray_builder_create_classes(l.ctx, states, 4, 3, 1, &m, &builder));
    support_law(&random, m, sparse, l.truth);
    for (int64_t s = 0; s < states; s++)
        for (int64_t a = 0; a < 4; a++) {
            int64_t next[8];
            for (int64_t o = 0; o < m; o++) /* with a = 0 all outcomes lead to different states */
                next[o] = a == 0 ? o % states : support_below(&random, states);
            foray_builder_outcomes(builder, s, a, 0, next);
        }
    foray_builder_law(builder, 0, l.truth);
    support_ok(l.ctx, foray_builder_finish(builder, &l.model));
    foray_builder_destroy(builder);
    double lambda = 1;
    support_ok(l.ctx, fy_vectors_create(support_arena(l.ctx), l.model->basis, &l.vectors));
    support_ok(l.ctx, fy_likelihood_create(support_arena(l.ctx), l.vectors, &l.likelihood));
    support_ok(l.ctx,
               fy_ridge_create(support_arena(l.ctx), l.model->basis, &lambda, INT64_MAX, &l.ridge));
    l.count = calloc((size_t)l.vectors->slots, sizeof *l.count);
    l.z = calloc((size_t)l.model->basis->unknowns, sizeof *l.z);
    l.radius = calloc(1, sizeof *l.radius);
    return l;
}

static void free_law(law *l)
{
    free(l->count);
    free(l->z);
    free(l->radius);
    foray_model_destroy(l->model);
    foray_context_destroy(l->ctx);
}

/* Draws n transitions, of the first `actions` actions, under theta. */
static void draw_from(law *l, const double *theta, int64_t n, int64_t actions,
                      support_random *random)
{
    const foray_model *model = l->model;
    for (int64_t i = 0; i < n; i++) {
        int64_t pair = support_below(random, model->states) * 4 + support_below(random, actions);
        int64_t set = model->generator_set[pair], size = fy_generator_set_size(model, set), j = 0;
        double u = support_uniform(random);
        for (; j < size - 1; j++) {
            u -= foray_model_probability(model, theta, pair / 4, pair % 4, j);
            if (u < 0)
                break;
        }
        l->count[fy_vectors_slot(l->vectors, pair, j)]++;
    }
}

static void draw(law *l, int64_t n, int64_t actions, support_random *random)
{
    draw_from(l, l->model->theta, n, actions, random);
}

/* l(w), by its definition. */
static double log_likelihood(const law *l, const double *w)
{
    const foray_model *model = l->model;
    double sum = 0;
    for (int64_t slot = 1; slot < l->vectors->slots; slot++) {
        double p = 0;
        int64_t gen = l->vectors->generator[slot];
        for (int64_t f = model->feat_start[gen]; f < model->feat_start[gen + 1]; f++)
            p += model->feat_value[f] / l->vectors->scale[0] * w[model->feat_index[f]];
        if (l->count[slot] > 0)
            sum += (double)l->count[slot] * log(p);
    }
    return sum;
}

static double distance(const law *l, const double *w)
{
    double theta[8], z[8];
    for (int64_t i = 0; i < l->m; i++)
        theta[i] = w[i] / l->vectors->scale[0];
    fy_basis_coordinates(l->model->basis, 0, theta, z);
    for (int64_t i = 0; i < l->model->basis->block[0].dim; i++)
        z[i] -= l->z[i];
    return fy_ridge_norm(l->ridge, 0, z);
}

static fy_likelihood_fit fit_law(law *l, double share, double inner)
{
    return fy_likelihood_estimate(l->likelihood, 0, l->count, share, inner, l->ridge, l->z,
                                  l->radius);
}

/* ---------------------------------------------------------------- maximum */

/* No random point has a higher likelihood than l(c) + excess. */
static void test_maximum(void **state)
{
    (void)state;
    support_random random = {11, 0};
    for (uint64_t seed = 0; seed < 60; seed++) {
        law l = make_law(2 + (int64_t)(seed % 5), 2 + (int64_t)(seed % 4), seed, seed % 3 == 0);
        draw(&l, 1 + support_below(&random, 3000), 4, &random);
        fy_likelihood_fit fit = fit_law(&l, 0.1, 0);
        double best = log_likelihood(&l, fy_likelihood_weights(l.likelihood));
        assert_true(fit.excess < 1e-3);
        for (int i = 0; i < 300; i++) {
            double w[8];
            support_law(&random, l.m, false, w);
            for (int64_t k = 0; k < l.m; k++) /* near c, too */
                w[k] = i % 2 ? w[k] : 0.999 * fy_likelihood_weights(l.likelihood)[k] + 0.001 * w[k];
            assert_true(log_likelihood(&l, w) <= best + fit.excess + 1e-9 * fabs(best));
        }
        free_law(&l);
    }
}

/* --------------------------------------------------------------- penalties */

/* log of the mean of e^l over the simplex under the block's prior, m = 2 or 3, by the midpoint
 * rule in coordinates that are fine near the border. */
static double log_integral(const law *l, bool half)
{
    enum { CELLS = 500 };
    double top = -INFINITY, sum = 0, mass = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < CELLS; i++)
            for (int j = 0; j < (l->m == 3 ? CELLS : 1); j++) {
                /* w_0 = sin^2 a: Dirichlet(1/2,1/2) is uniform in a. */
                double a = (i + 0.5) / CELLS * M_PI / 2, b = (j + 0.5) / CELLS * M_PI / 2;
                double x = sin(a) * sin(a), y = l->m == 3 ? sin(b) * sin(b) : 1;
                double w[3] = {1 - x, x * y, x * (1 - y)};
                /* Jacobian of (w_1, w_2) in (a, b), and the prior's density (not normalised). */
                double jacobian = 2 * sin(a) * cos(a);
                if (l->m == 3)
                    jacobian *= x * 2 * sin(b) * cos(b);
                double density = half ? 1 / sqrt(w[0] * w[1] * (l->m == 3 ? w[2] : 1)) : 1;
                double value = log_likelihood(l, w);
                if (pass == 0)
                    top = fmax(top, value);
                else {
                    sum += exp(value - top) * jacobian * density;
                    mass += jacobian * density;
                }
            }
    return top + log(sum / mass);
}

/* l(c) - pen is below the integral, and not far below. */
static void test_penalty(void **state)
{
    (void)state;
    double loosest = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        support_random random = {seed, 7};
        int64_t states = seed % 2 ? 3 : 2; /* with 3 states only action 0 keeps outcomes apart */
        law l = make_law(seed % 4 < 2 ? 2 : 3, states, seed, seed % 5 == 0);
        draw(&l, seed % 3 == 0 ? support_below(&random, 20) : support_below(&random, 400),
             seed % 4 == 1 ? 1 : 4, &random);
        fy_likelihood_fit fit = fit_law(&l, 0.1, 0);
        if (fit.visits > 0) {
            double l_c = log_likelihood(&l, fy_likelihood_weights(l.likelihood));
            double integral = log_integral(&l, l.vectors->separate[0]);
            assert_true(l_c - fit.penalty <= integral + 2e-3);
            loosest = fmax(loosest, integral - (l_c - fit.penalty));
        }
        free_law(&l);
    }
    assert_true(loosest < 4);
}

/* --------------------------------------------------------------- ellipsoid */

/* The farthest point of {l >= l(c) - x} along a ray from c through w. */
static void to_border(const law *l, const double *c, double level, double *w)
{
    double low = 0, high = 1, dir[8] = {0};
    double room = INFINITY;
    for (int64_t i = 0; i < l->m; i++) {
        dir[i] = w[i] - c[i];
        if (dir[i] < 0)
            room = fmin(room, -c[i] / dir[i]);
    }
    high = isfinite(room) ? room : 0;
    for (int i = 0; i < 60; i++) {
        double middle = i == 0 ? high : (low + high) / 2;
        for (int64_t k = 0; k < l->m; k++)
            w[k] = fmax(0, c[k] + middle * dir[k]);
        if (log_likelihood(l, w) >= level)
            low = middle;
        else
            high = middle;
    }
    for (int64_t k = 0; k < l->m; k++)
        w[k] = fmax(0, c[k] + low * dir[k]);
}

static void test_ellipsoid(void **state)
{
    (void)state;
    double tightest = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        support_random random = {seed, 3};
        law l = make_law(2 + (int64_t)(seed % 5), 2 + (int64_t)(seed % 4), seed, seed % 2 == 0);
        draw(&l, support_below(&random, seed % 3 ? 50000 : 30), seed % 7 == 0 ? 1 : 4, &random);
        fy_likelihood_fit fit = fit_law(&l, 0.05, seed % 2 ? 4 : 0);
        const double *c = fy_likelihood_weights(l.likelihood);
        double level = log_likelihood(&l, c) - fit.width;
        for (int i = 0; i < 60; i++) {
            double w[8];
            support_law(&random, l.m, i % 3 == 0, w);
            to_border(&l, c, level, w);
            double ratio = distance(&l, w) / fit.radius;
            assert_true(ratio <= 1);
            tightest = fmax(tightest, ratio);
        }
        free_law(&l);
    }
    assert_true(tightest > 0.9); /* else the test would not see an ellipsoid that is too small */
}

/* ---------------------------------------------------------------- coverage */

/* Looked at after every batch, as an explorer does. Returns how many of the runs ever miss. */
static int64_t misses(int64_t runs, double share, double scale)
{
    int64_t missed = 0;
    for (int64_t run = 0; run < runs; run++) {
        support_random random = {(uint64_t)run, 5};
        law l = make_law(2 + run % 4, 2 + run % 3, (uint64_t)run, run % 4 == 0);
        bool bad = false;
        for (int batch = 0; batch < 12; batch++) {
            draw(&l, 1 << batch, 4, &random);
            fy_likelihood_fit fit = fit_law(&l, share, 0);
            bad |= distance(&l, l.truth) > scale * fit.radius;
        }
        missed += bad;
        free_law(&l);
    }
    return missed;
}

/* At share 1/2 at most half of the runs may ever miss, but for 4 standard deviations; at a
 * quarter of the radius most do. */
static void test_coverage(void **state)
{
    (void)state;
    enum { RUNS = 400 };
    assert_true((double)misses(RUNS, 0.5, 1) <= RUNS * 0.5 + 4 * sqrt(RUNS * 0.25));
    assert_true((double)misses(RUNS, 0.5, 0.2) > RUNS * 0.5 + 4 * sqrt(RUNS * 0.25));
}

/* Without data the set is the ball around the middle of the simplex through its corners; with one
 * outcome there is nothing to learn. */
static void test_edges(void **state)
{
    (void)state;
    law l = make_law(3, 3, 1, false);
    fy_likelihood_fit fit = fit_law(&l, 0.1, 0);
    for (int i = 0; i < 3; i++) {
        double w[8] = {0};
        w[i] = 1;
        assert_true(distance(&l, w) <= fit.radius);
        assert_true(distance(&l, w) >= fit.radius * (1 - 1e-11));
    }
    assert_true(fit.visits == 0 && fit.penalty == 0);
    free_law(&l);

    l = make_law(3, 3, 2, false);
    l.count[1] = 1000000000; /* one outcome, again and again */
    fit = fit_law(&l, 0.1, 0);
    assert_true(fit.radius > 0 && isfinite(fit.radius));
    double sure[8] = {0};
    memcpy(sure, fy_likelihood_weights(l.likelihood), 3 * sizeof *sure);
    assert_true(distance(&l, sure) <= fit.radius);
    free_law(&l);
}

/* -------------------------------------------------------------- refutation */

/* Two bodies of data of one law, or of two: the second law is `drift` of the way to another. */
typedef struct bodies {
    law l;
    int64_t *one;
} bodies;

static bodies make_bodies(uint64_t seed, int64_t m, double drift, int64_t n, int64_t later)
{
    bodies b = {.l = make_law(m, 2 + (int64_t)(seed % 3), seed, seed % 4 == 0)};
    support_random random = {seed, 9};
    double other[8], theta[8];
    draw(&b.l, n, 4, &random);
    b.one = b.l.count;
    b.l.count = calloc((size_t)b.l.vectors->slots, sizeof *b.l.count);
    support_law(&random, m, false, other);
    for (int64_t i = 0; i < m; i++)
        theta[i] = (1 - drift) * b.l.model->theta[i] + drift * other[i] / b.l.vectors->scale[0];
    draw_from(&b.l, theta, later, 4, &random);
    return b;
}

static void free_bodies(bodies *b)
{
    free(b->one);
    free_law(&b->l);
}

static double refute(bodies *b, double share)
{
    return fy_refute_block(b->l.likelihood, b->l.vectors, 0, b->one, b->l.count, share);
}

/* How far the point of a fine grid that is nearest to both sets is from being in both, in nats;
 * at most 0: it is. */
static double nearest_of_grid(bodies *b, double share)
{
    enum { FINE = 160 };
    double min_other = fy_likelihood_min(b->l.likelihood, 0, b->l.count, share);
    double min_one = fy_likelihood_min(b->l.likelihood, 0, b->one, share), best = INFINITY;
    int64_t *other = b->l.count;
    for (int i = 0; i <= FINE; i++)
        for (int j = 0; i + j <= FINE; j++) {
            double w[3] = {(i + 1e-3) / (FINE + 3e-3), (j + 1e-3) / (FINE + 3e-3), 0};
            w[2] = 1 - w[0] - w[1];
            double lacks = min_other - log_likelihood(&b->l, w);
            b->l.count = b->one;
            lacks = fmax(lacks, min_one - log_likelihood(&b->l, w));
            b->l.count = other;
            best = fmin(best, lacks);
        }
    return best;
}

/* Sets with a common point are never called disjoint, and sets that are far apart always. */
static void test_refute_exact(void **state)
{
    (void)state;
    int64_t met = 0, disjoint = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        bodies b = make_bodies(seed, 3, (double)(seed % 6) / 5, 100 << seed % 7, 100 << seed % 5);
        double margin = refute(&b, 0.1), nearest = nearest_of_grid(&b, 0.1);
        assert_true(nearest > 0 || margin <= 0);
        met += nearest <= 0;
        /* The best mixture is at least as good as half and half, and the grid is coarse. */
        disjoint += nearest > 8;
        assert_true(nearest <= 8 || margin > 0);
        free_bodies(&b);
    }
    assert_true(met > 10 && disjoint > 4);
}

static int64_t alarms(int64_t runs, double drift, double share)
{
    int64_t alarms = 0;
    for (int64_t run = 0; run < runs; run++) {
        bodies b = make_bodies((uint64_t)run, 2 + run % 4, drift, 3000, 1000);
        alarms += refute(&b, share) > 0;
        free_bodies(&b);
    }
    return alarms;
}

/* At share 1/4 for each set at most half of the worlds that stay as they are may raise an alarm,
 * but for 4 standard deviations; sets far too small raise one almost always, and so does a drift.
 */
static void test_refute_rates(void **state)
{
    (void)state;
    enum { RUNS = 300 };
    double max = RUNS * 0.5 + 4 * sqrt(RUNS * 0.25);
    assert_true((double)alarms(RUNS, 0, 0.25) <= max);
    assert_true((double)alarms(RUNS, 0, 1e9) > max);
    assert_true((double)alarms(RUNS, 0.9, 0.25) > max);
}

static void test_refute_nothing(void **state)
{
    (void)state;
    bodies b = make_bodies(3, 3, 1, 1000, 0);
    assert_true(refute(&b, 0.1) == -INFINITY); /* no data, no refutation */
    free_bodies(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_maximum),      cmocka_unit_test(test_penalty),
        cmocka_unit_test(test_ellipsoid),    cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_edges),        cmocka_unit_test(test_refute_exact),
        cmocka_unit_test(test_refute_rates), cmocka_unit_test(test_refute_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
