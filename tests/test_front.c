/* test_front.c - fronts: corners against brute force, and what is said of every weighting,
 * policy and mixture against laws of the set that climb; claims that are wrong are found to be. */
#include "support_tradeoff.h"
#include "tradeoff/front.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------ corners */

/* The best of a few value vectors is found at every weighting between the corners where it is
 * tight: for random weightings the best vector is tight at corners whose hull holds the weighting.
 * Two rewards: between two neighbours. And no corner lies below the vectors. */
static void test_corners(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        support_random random = {seed, 3};
        foray_context *ctx = foray_context_create();
        fy_corners corners;
        int64_t m = 2 + (int64_t)(seed % 3), K = 1 + support_below(&random, 12);
        fy_corners_begin(&corners, support_arena(ctx), m);
        for (int64_t k = 0; k < K; k++) {
            double v[FORAY_MAX_REWARDS];
            for (int64_t i = 0; i < m; i++) /* exact ties, too */
                v[i] = seed % 2 ? support_uniform(&random) : floor(4 * support_uniform(&random));
            support_ok(ctx, fy_corners_add(&corners, v));
        }
        for (int64_t c = 0; c < corners.count; c++)
            for (int64_t k = 0; k < K; k++)
                assert_true(fy_corners_value(&corners, corners.corner[c].w, k) <=
                            corners.corner[c].z + 1e-9 * corners.size);
        for (int trial = 0; trial < 200; trial++) {
            double w[FORAY_MAX_REWARDS], best = -INFINITY, most = -INFINITY;
            support_law(&random, m, trial % 2, w);
            for (int64_t k = 0; k < K; k++)
                best = fmax(best, fy_corners_value(&corners, w, k));
            /* z is convex: by linear programming duality no combination of corners around w is
             * lower; for two rewards it is met exactly. */
            for (int64_t a = 0; a < corners.count && m == 2; a++)
                for (int64_t b = 0; b < corners.count; b++) {
                    double x = corners.corner[a].w[1], y = corners.corner[b].w[1];
                    if (!(x <= w[1] && w[1] <= y))
                        continue;
                    double part = y > x ? (w[1] - x) / (y - x) : 0;
                    double z = (1 - part) * corners.corner[a].z + part * corners.corner[b].z;
                    most = most == -INFINITY ? z : fmin(most, z);
                }
            if (m == 2)
                assert_true(fabs(most - best) <= 1e-9 * (1 + corners.size));
        }
        foray_context_destroy(ctx);
    }
}

/* Three rewards: the cells of the policies have the volume of the simplex together. */
static double area(const double *a, const double *b, const double *c)
{
    return fabs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]));
}

static double cell_area(const fy_corners *corners, int64_t k)
{
    int64_t at[512], count = 0;
    double sum = 0, centre[2] = {0};
    for (int64_t c = 0; c < corners->count; c++)
        if (fy_corners_tight(corners, &corners->corner[c], k))
            at[count++] = c;
    for (int64_t i = 0; i < count; i++) {
        centre[0] += corners->corner[at[i]].w[0] / (double)count;
        centre[1] += corners->corner[at[i]].w[1] / (double)count;
    }
    for (int64_t i = 1; i < count; i++) /* by angle around the centre */
        for (int64_t j = i; j > 0; j--) {
            const double *x = corners->corner[at[j - 1]].w, *y = corners->corner[at[j]].w;
            if (atan2(x[1] - centre[1], x[0] - centre[0]) <=
                atan2(y[1] - centre[1], y[0] - centre[0]))
                break;
            int64_t kept = at[j];
            at[j] = at[j - 1];
            at[j - 1] = kept;
        }
    for (int64_t i = 0; i < count; i++)
        sum += area(centre, corners->corner[at[i]].w, corners->corner[at[(i + 1) % count]].w);
    return sum;
}

static void test_cells_cover(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        support_random random = {seed, 4};
        foray_context *ctx = foray_context_create();
        fy_corners corners;
        int64_t K = 1 + support_below(&random, 25);
        double sum = 0;
        fy_corners_begin(&corners, support_arena(ctx), 3);
        for (int64_t k = 0; k < K; k++) {
            double v[3], length = 0;
            for (int i = 0; i < 3; i++)
                length += v[i] = support_uniform(&random);
            for (int i = 0; i < 3; i++) /* many are on the front */
                v[i] = sqrt(v[i] / length);
            support_ok(ctx, fy_corners_add(&corners, v));
        }
        for (int64_t k = 0; k < K; k++)
            sum += cell_area(&corners, k);
        assert_true(fabs(sum - 1) < 1e-6);
        foray_context_destroy(ctx);
    }
}

/* --------------------------------------------------------------------------- attack */

typedef struct score {
    int64_t checks, violations;
    int64_t by_estimate, one_alone, one_mixture, wrong_clip; /* controls */
    double tightest;
} score;

/* u_i/scale_i of every policy under a law. */
static void values_under(const trade_scene *it, const fy_front *front, trade_law law,
                         double v[][TRADE_REWARDS])
{
    for (int64_t k = 0; k < front->policies; k++)
        for (int64_t i = 0; i < it->count; i++)
            v[k][i] = it->weigher->sign[i] * trade_value(it, law, i, front->policy[k].action) /
                      it->weigher->scale[i];
}

static double best_under(const trade_scene *it, trade_law law, const double *w)
{
    double weight[TRADE_REWARDS];
    for (int64_t i = 0; i < it->count; i++)
        weight[i] = w[i] * it->weigher->sign[i] / it->weigher->scale[i];
    return trade_best(it, law, weight);
}

static double dot(const double *a, const double *b, int64_t m)
{
    double sum = 0;
    for (int64_t i = 0; i < m; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The policy of a weighting, chosen by the weighting alone, and what it is said to lose. */
static int64_t policy_of(const fy_front *front, const double *w, double *loss)
{
    int64_t best = 0;
    for (int64_t k = 0; k < front->policies; k++)
        best = fy_corners_value(&front->corners, w, k) > fy_corners_value(&front->corners, w, best)
                   ? k
                   : best;
    *loss = 0;
    for (int64_t c = 0; c < front->corners.count; c++)
        *loss = fmax(*loss, fy_front_loss(front, c, best));
    return best;
}

static void check_weighting(const trade_scene *it, const fy_front *front, trade_law law,
                            double v[][TRADE_REWARDS], const double *w, score *kept)
{
    double said;
    int64_t k = policy_of(front, w, &said);
    double loss = best_under(it, law, w) - dot(w, v[k], it->count);
    kept->checks += 2;
    kept->violations += loss > said + 1e-9;
    kept->violations += said > front->eps;
    kept->by_estimate += loss > front->left + 1e-6;
    if (front->eps > 1e-6)
        kept->tightest = fmax(kept->tightest, loss / front->eps);
}

/* Is v_pi - eps below a mixture in every reward at once? Of two rewards: by the weighting that
 * speaks most against it, on a fine grid. */
static void check_dominance(const trade_scene *it, const fy_front *front, trade_law law,
                            double v[][TRADE_REWARDS], support_random *random, score *kept)
{
    int32_t action[TRADE_STEPS * TRADE_STATES];
    double u[TRADE_REWARDS], w[TRADE_REWARDS];
    bool alone = false;
    int64_t m = it->count;
    for (int64_t i = 0; i < it->model->horizon * it->model->states; i++)
        action[i] = (int32_t)support_below(random, it->model->actions);
    for (int64_t i = 0; i < m; i++)
        u[i] = it->weigher->sign[i] * trade_value(it, law, i, action) / it->weigher->scale[i];
    for (int step = 0; step <= 20; step++) {
        double most = -INFINITY;
        w[0] = step / 20.0;
        for (int64_t i = 1; i < m; i++)
            w[i] = (1 - w[0]) / (double)(m - 1);
        for (int64_t k = 0; k < front->policies; k++)
            most = fmax(most, dot(w, v[k], m));
        kept->checks++;
        kept->violations += most < dot(w, u, m) - front->eps - 1e-9;
    }
    for (int64_t k = 0; k < front->policies; k++) {
        bool above = true;
        for (int64_t i = 0; i < m; i++)
            above &= v[k][i] >= u[i] - front->eps - 1e-6;
        alone |= above;
    }
    kept->one_alone += !alone;
}

/* The odds that are best at the centre, for all laws: they are not. */
static void check_one_mixture(const trade_scene *it, const fy_front *front, trade_law centre,
                              trade_law law, score *kept)
{
    double at_centre[64][TRADE_REWARDS], v[64][TRADE_REWARDS], u[2], here[2], best = -INFINITY;
    int64_t one = 0, other = 0;
    double part = 0;
    int32_t action[TRADE_STEPS * TRADE_STATES];
    support_random random = {7, (uint64_t)it->model->states};
    if (it->count != 2)
        return;
    for (int64_t i = 0; i < it->model->horizon * it->model->states; i++)
        action[i] = (int32_t)support_below(&random, it->model->actions);
    values_under(it, front, centre, at_centre);
    values_under(it, front, law, v);
    for (int i = 0; i < 2; i++) {
        double unit = it->weigher->sign[i] / it->weigher->scale[i];
        u[i] = unit * trade_value(it, centre, i, action);
        here[i] = unit * trade_value(it, law, i, action);
    }
    for (int64_t k = 0; k < front->policies; k++)
        for (int64_t l = 0; l < front->policies; l++)
            for (int step = 0; step <= 20; step++) {
                double x = step / 20.0, least = INFINITY;
                for (int i = 0; i < 2; i++)
                    least = fmin(least, (1 - x) * at_centre[k][i] + x * at_centre[l][i] - u[i]);
                if (least > best) {
                    best = least;
                    one = k;
                    other = l;
                    part = x;
                }
            }
    for (int i = 0; i < 2; i++)
        kept->one_mixture +=
            (1 - part) * v[one][i] + part * v[other][i] < here[i] - front->eps - 1e-6;
}

/* What a weighting would be said to lose if values were clipped as those of rewards in [0,1] are.
 */
static double wrong_clip(trade_scene *it, const fy_front *front)
{
    double weight[TRADE_REWARDS];
    fy_front_weights(front, front->corners.corner[front->worst_corner].w, weight);
    support_ok(it->ctx, fy_weigher_set(it->weigher, weight));
    foray_reward *sum = it->weigher->sum;
    sum->low = 0;
    sum->high = 1;
    for (int64_t i = 0; i < sum->tables; i++)
        sum->table[i].unit_pair = sum->table[i].unit_next = NULL;
    return fy_certifier_policy(it->certifier, sum, front->policy[front->worst_policy].action).gap;
}

static void check_law(trade_scene *it, fy_front *front, trade_law centre, const double *theta,
                      double wrong, score *kept)
{
    double v[64][TRADE_REWARDS], w[TRADE_REWARDS], weight[TRADE_REWARDS], low, high;
    static const double alone = 1;
    trade_law law;
    trade_law_of(it, theta, law);
    values_under(it, front, law, v);
    for (int64_t k = 0; k < front->policies; k++)
        for (int64_t i = 0; i < it->count; i++) {
            double u = v[k][i] * it->weigher->scale[i];
            kept->checks++;
            kept->violations +=
                u < front->policy[k].low[i] - 1e-9 || u > front->policy[k].high[i] + 1e-9;
        }
    for (int64_t c = 0; c < front->corners.count; c++) {
        const double *at = front->corners.corner[c].w;
        double best = best_under(it, law, at);
        if (c == front->worst_corner)
            kept->wrong_clip += best - dot(at, v[front->worst_policy], it->count) > wrong + 1e-6;
        fy_front_weights(front, at, weight);
        for (int64_t k = 0; k < front->policies; k++) {
            double loss = fy_front_loss(front, c, k);
            if (isnan(loss))
                continue;
            fy_weigher_interval(it->weigher, 1, &front->policy[k], &alone, weight, &low, &high);
            kept->checks += 2;
            kept->violations += best - dot(at, v[k], it->count) > loss + 1e-9;
            kept->violations += best > high + loss + 1e-9;
        }
        check_weighting(it, front, law, v, at, kept);
    }
    for (int trial = 0; trial < 4; trial++) {
        support_law(&it->random, it->count, trial % 2, w);
        check_weighting(it, front, law, v, w, kept);
    }
    check_dominance(it, front, law, v, &it->random, kept);
    check_one_mixture(it, front, centre, law, kept);
}

/* Laws that climb what the policy of one weighting loses. */
static void climb(trade_scene *it, fy_front *front, int64_t tries, score *kept)
{
    double theta[TRADE_THETA], other[TRADE_THETA], w[TRADE_REWARDS], best = -INFINITY, said;
    trade_law centre, law;
    support_law(&it->random, it->count, true, w);
    if (support_below(&it->random, 2) == 0)
        memcpy(w, front->corners.corner[front->worst_corner].w, sizeof w);
    int64_t k = policy_of(front, w, &said);
    support_law_centre(it->certifier, theta);
    trade_law_of(it, theta, centre);
    double wrong = wrong_clip(it, front);
    for (int64_t i = 0; i < tries; i++) {
        double value = 0;
        support_law_move(it->certifier, &it->random, theta, other);
        if (!support_law_inside(it->certifier, other))
            continue;
        check_law(it, front, centre, other, wrong, kept);
        trade_law_of(it, other, law);
        for (int64_t j = 0; j < it->count; j++)
            value -= w[j] * it->weigher->sign[j] *
                     trade_value(it, law, j, front->policy[k].action) / it->weigher->scale[j];
        value += best_under(it, law, w);
        if (value > best) {
            best = value;
            memcpy(theta, other, sizeof theta);
        }
    }
}

static score attack(uint64_t from, uint64_t seeds, int64_t tries)
{
    score sum = {0};
    for (uint64_t seed = from; seed < from + seeds; seed++) {
        trade_scene *it = trade_make(seed, 2 + (int64_t)(seed % 5 == 0), 1, NULL);
        fy_front front;
        int64_t most = 1 + (int64_t)(seed % 4 ? seed % 30 : 2);
        support_ok(it->ctx, fy_front_find(support_arena(it->ctx), it->weigher, most,
                                          seed % 3 ? 0 : 0.5, &front));
        assert_true(front.policies >= 1 && front.policies <= most);
        for (int i = 0; i < 3; i++)
            climb(it, &front, tries, &sum);
        trade_free(it);
    }
    print_message("checks %lld violations %lld tightest %.4f; controls: by the estimate %lld, one "
                  "policy alone %lld, one mixture %lld, clipped at 1 %lld\n",
                  (long long)sum.checks, (long long)sum.violations, sum.tightest,
                  (long long)sum.by_estimate, (long long)sum.one_alone, (long long)sum.one_mixture,
                  (long long)sum.wrong_clip);
    return sum;
}

static void test_laws(void **state)
{
    (void)state;
    const char *more = getenv("FORAY_ATTACK");
    uint64_t seeds = more ? strtoull(more, NULL, 10) : 150;
    score sum = attack(0, seeds, 60);
    assert_int_equal(sum.violations, 0);
    assert_true(sum.tightest > 0.7 && sum.tightest <= 1 + 1e-9);
    assert_true(sum.by_estimate > 50 && sum.one_alone > 5 && sum.one_mixture > 0 &&
                sum.wrong_clip > 50);
}

/* ------------------------------------------------------------------------- known */

/* Where theta is known the front is that of all policies: eps is what they lose, and without a
 * limit it is nothing. */
static void test_known(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 120; seed++) {
        trade_scene *it = trade_make(seed, 2 + (int64_t)(seed % 2), 0, NULL);
        fy_front front;
        trade_law law;
        double v[256][TRADE_REWARDS], w[TRADE_REWARDS];
        bool few = seed % 3 == 0;
        trade_law_of(it, it->model->theta, law);
        support_ok(it->ctx,
                   fy_front_find(support_arena(it->ctx), it->weigher, few ? 2 : 200, 0, &front));
        values_under(it, &front, law, v);
        assert_true(few || front.eps <= 1e-8);
        for (int trial = 0; trial < 50; trial++) {
            double most = -INFINITY;
            support_law(&it->random, it->count, trial % 2, w);
            for (int64_t k = 0; k < front.policies; k++)
                most = fmax(most, dot(w, v[k], it->count));
            double loss = best_under(it, law, w) - most;
            assert_true(loss >= -1e-9 && loss <= front.eps + 1e-9);
        }
        trade_free(it);
    }
}

/* Units do not matter: a reward times a number is the same reward. */
static void test_units(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model;
    foray_reward *reward[3];
    foray_front *one, *other;
    support_ok(ctx, foray_model_builtin(ctx, "riverswim", &model));
    for (int i = 0; i < 3; i++) {
        double unit = i == 2 ? 1000 : 1;
        support_ok(ctx, foray_reward_create(ctx, model, "r", 0, unit, 0, &reward[i]));
        support_ok(ctx, foray_reward_set(ctx, reward[i], -1, i == 0 ? 0 : 5, -1, unit));
    }
    const foray_reward *coins[] = {reward[0], reward[2]};
    support_ok(ctx, foray_tradeoff_known(ctx, model, 2, (const foray_reward *const *)reward, NULL,
                                         60, 0, &one));
    support_ok(ctx, foray_tradeoff_known(ctx, model, 2, coins, NULL, 60, 0, &other));
    assert_int_equal(one->policies, other->policies);
    assert_true(other->scale[1] == 1000);
    for (int64_t k = 0; k < one->policies; k++) {
        assert_true(fabs(one->value[2 * k + 1] * 1000 - other->value[2 * k + 1]) < 1e-6);
        double loss, w[2] = {3 * one->centre[2 * k], 3 * one->centre[2 * k + 1]};
        assert_int_equal(foray_front_choose(one, w, &loss), k);
        assert_true(loss <= one->certificate.gap);
    }
    assert_true(one->certificate.status == FORAY_EXACT);
    foray_front_destroy(one);
    foray_front_destroy(other);
    for (int i = 0; i < 3; i++)
        foray_reward_destroy(reward[i]);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* Every allocation fails in turn, and nothing is left behind. */
static void test_memory(void **state)
{
    (void)state;
    trade_scene *it = trade_make(4, 3, 1, NULL);
    foray_status status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        fy_arena arena = {.ctx = it->ctx};
        fy_front front;
        it->ctx->allocations_left = left;
        status = fy_front_find(&arena, it->weigher, 5, 0, &front);
        assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
        fy_arena_release(&arena);
    }
    it->ctx->allocations_left = -1;
    trade_free(it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corners), cmocka_unit_test(test_cells_cover),
        cmocka_unit_test(test_laws),    cmocka_unit_test(test_known),
        cmocka_unit_test(test_units),   cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
