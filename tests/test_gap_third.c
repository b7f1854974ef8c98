/* test_gap_third.c - the gap certificate to the third order against a dense version of its formulas
 * for models with one block, in extended precision, so that the margin for rounding is seen to
 * cover what rounding does; tests/test_gap.c has an adversary against it. */
#include "support.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "certify/certifier.h"
#include "explore/explorer.h"

enum { MAX_U = 5, MAX_S = 64 };

/* More digits than certificates have, where the machine offers any. */
typedef long double real;

/* What is kept of a state, or worked out of an action. */
typedef struct dense {
    real V, J[MAX_U], K[MAX_U][MAX_U], rest, E, D;
    real high, low; /* V_bar of the best policy and V_low of this one */
} dense;

typedef struct action {
    real Q, J[MAX_U], Psi[MAX_U][MAX_U], K[MAX_U][MAX_U], T[MAX_U][MAX_U][MAX_U];
} action;

typedef struct stage {
    foray_context *ctx;
    foray_model *model;
    foray_world *world;
    foray_explorer *explorer;
    fy_certifier *sets;
    int64_t goal;
} stage;

static stage set_up(const char *world, int64_t episodes)
{
    stage s = {.ctx = foray_context_create()};
    foray_settings settings;
    foray_settings_default(&settings);
    support_ok(s.ctx, foray_model_builtin(s.ctx, world, &s.model));
    support_ok(s.ctx, foray_world_from_model(s.ctx, s.model, &s.world));
    support_ok(s.ctx, foray_explorer_create(s.ctx, s.model, &settings, &s.explorer));
    for (int64_t k = 0; k < episodes; k++)
        support_ok(s.ctx, foray_explorer_play(s.explorer, s.world, NULL, NULL));
    support_ok(s.ctx, fy_explorer_sets(s.explorer, &s.sets));
    assert_true(s.model->states <= MAX_S);
    /* What the likelihood says without an ellipsoid is tests/test_direct.c's. */
    for (int64_t i = 0; i < s.model->generator_sets; i++)
        s.sets->set->width[i] = INFINITY;
    s.sets->set->direct = false;
    return s;
}

static void take_down(stage *s)
{
    foray_explorer_destroy(s->explorer);
    foray_world_destroy(s->world);
    foray_model_destroy(s->model);
    foray_context_destroy(s->ctx);
}

/* ------------------------------------------------------------------------- the oracle */

static real norm(const real *v, int64_t count)
{
    real square = 0;
    for (int64_t i = 0; i < count; i++)
        square += v[i] * v[i];
    return sqrtl(square);
}

/* A pair's successors: p, x as rows of MAX_U, next. */
typedef struct law {
    int64_t n;
    const int32_t *next;
    const double *same; /* where its probabilities are kept: pairs may share them */
    real p[16], x[16][MAX_U];
} law;

/* M = L L', packed by rows. */
static void factorise(const double *M, int64_t d, real L[MAX_U][MAX_U])
{
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++) {
            real sum = M[i * (i + 1) / 2 + j];
            for (int64_t k = 0; k < j; k++)
                sum -= L[i][k] * L[j][k];
            L[i][j] = i == j ? sqrtl(sum) : sum / L[j][j];
        }
}

/* p_j = p_0(j) + <phi'_j, z> and x_j = beta L^-1 phi'_j, from M, z and beta as they are. */
static law law_of(const stage *s, int64_t pair)
{
    const fy_confidence *set = s->sets->set;
    const foray_model *model = s->model;
    int64_t i = model->generator_set[pair], g = set->basis->block_of_generator_set[i];
    int64_t d = set->basis->block[g].dim, first = model->gen_start[i];
    const double *z = set->z + set->ridge->at_vector[g];
    double phi[16 * MAX_U];
    real L[MAX_U][MAX_U];
    law l = {.n = fy_generator_set_size(model, i),
             .next = model->succ + model->succ_start[pair],
             .same = set->p + first};
    assert_true(l.n <= 16 && d <= MAX_U);
    fy_basis_generators(set->basis, i, phi);
    factorise(set->ridge->sigma + set->ridge->at_matrix[g], d, L);
    for (int64_t j = 0; j < l.n; j++) {
        l.p[j] = set->basis->p0[first + j];
        for (int64_t r = 0; r < d; r++) {
            real sum = phi[j * d + r];
            l.p[j] += (real)phi[j * d + r] * z[r];
            for (int64_t k = 0; k < r; k++)
                sum -= L[r][k] * l.x[j][k];
            l.x[j][r] = sum / L[r][r];
        }
        for (int64_t r = 0; r < d; r++)
            l.x[j][r] *= set->radius[g];
    }
    return l;
}

/* Q, J, Psi, K = Psi + P K and T = sum_j x_j K_j', K symmetric. */
static action look(const law *l, real reward, const dense *after)
{
    action a = {.Q = reward};
    for (int64_t j = 0; j < l->n; j++) {
        const dense *f = &after[l->next[j]];
        a.Q += l->p[j] * f->V;
        for (int r = 0; r < MAX_U; r++) {
            a.J[r] += l->p[j] * f->J[r] + l->x[j][r] * f->V;
            for (int c = 0; c < MAX_U; c++) {
                a.Psi[r][c] += l->x[j][r] * f->J[c];
                a.K[r][c] += l->p[j] * f->K[r][c];
                for (int e = 0; e < MAX_U; e++)
                    a.T[r][c][e] += l->x[j][r] * f->K[c][e];
            }
        }
    }
    for (int r = 0; r < MAX_U; r++)
        for (int c = 0; c < MAX_U; c++)
            a.K[r][c] += (a.Psi[r][c] + a.Psi[c][r]) / 2;
    return a;
}

/* sup P f, f being the member of `after` at this offset. */
static real upper(const law *l, const dense *after, size_t member)
{
    real mean = 0, max = 0, sum[MAX_U] = {0};
    for (int64_t j = 0; j < l->n; j++) {
        real f = *(const real *)((const char *)&after[l->next[j]] + member);
        mean += l->p[j] * f;
        max = fmaxl(max, f);
        for (int r = 0; r < MAX_U; r++)
            sum[r] += l->x[j][r] * f;
    }
    return fminl(max, mean + norm(sum, MAX_U));
}

/* r + sup P V_bar, or r + inf P V_low, as long as no more than `left` can be earned. */
static real bound_value(const law *l, real reward, const dense *after, bool high, real left)
{
    real mean = reward, sum[MAX_U] = {0};
    for (int64_t j = 0; j < l->n; j++) {
        real f = high ? after[l->next[j]].high : after[l->next[j]].low;
        mean += l->p[j] * f;
        for (int r = 0; r < MAX_U; r++)
            sum[r] += l->x[j][r] * f;
    }
    return fminl(left, fmaxl(0, mean + (high ? 1 : -1) * norm(sum, MAX_U)));
}

/* The most that can follow. */
static real most_after(const law *l, const dense *after)
{
    real max = 0;
    for (int64_t j = 0; j < l->n; j++)
        max = fmaxl(max, after[l->next[j]].high);
    return max;
}

/* sum_s' (|dp| + ||dx||) f(s'). */
static real spill(const stage *s, const law *a, const law *b, const dense *after, size_t member)
{
    real total = 0;
    for (int64_t to = 0; to < s->model->states; to++) {
        real dp = 0, dx[MAX_U] = {0};
        for (int side = 0; side < 2; side++) {
            const law *l = side == 0 ? a : b;
            for (int64_t j = 0; j < l->n; j++)
                for (int r = 0; r < MAX_U && l->next[j] == to; r++) {
                    dp += r == 0 ? (side == 0 ? l->p[j] : -l->p[j]) : 0;
                    dx[r] += side == 0 ? l->x[j][r] : -l->x[j][r];
                }
        }
        total += (fabsl(dp) + norm(dx, MAX_U)) * *(const real *)((const char *)&after[to] + member);
    }
    return total;
}

static void subtract(real *from, const real *what, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        from[i] -= what[i];
}

/* U of gap.h: the smaller of the second and the third order. */
static real advantage(const stage *s, const law *a, const law *b, action other, const action *mine,
                      const dense *after)
{
    enum { U2 = MAX_U * MAX_U, U3 = U2 * MAX_U };
    subtract(other.J, mine->J, MAX_U);
    subtract(other.Psi[0], mine->Psi[0], U2);
    subtract(other.K[0], mine->K[0], U2);
    subtract(other.T[0][0], mine->T[0][0], U3);
    real second = norm(other.Psi[0], U2) + spill(s, a, b, after, offsetof(dense, E));
    real third = norm(other.K[0], U2) + norm(other.T[0][0], U3) +
                 spill(s, a, b, after, offsetof(dense, rest));
    return other.Q - mine->Q + norm(other.J, MAX_U) + fminl(second, third);
}

static dense certify_state(const stage *s, int64_t t, int64_t x, int64_t pi, const dense *after)
{
    enum { U2 = MAX_U * MAX_U, U3 = U2 * MAX_U };
    const foray_model *model = s->model;
    dense now = {0};
    real reward = x == s->goal;
    law b = law_of(s, x * model->actions + pi);
    action mine = look(&b, reward, after);
    now.V = mine.Q;
    memcpy(now.J, mine.J, sizeof now.J);
    memcpy(now.K, mine.K, sizeof now.K);
    now.rest = norm(mine.T[0][0], U3) + upper(&b, after, offsetof(dense, rest));
    real left = (real)(model->horizon - t);
    now.E = fminl(norm(mine.Psi[0], U2) + upper(&b, after, offsetof(dense, E)),
                  norm(mine.K[0], U2) + now.rest);
    now.E = fminl(now.E, left - 1 + norm(mine.J, MAX_U));
    now.D = upper(&b, after, offsetof(dense, D));
    now.low = bound_value(&b, reward, after, false, left);
    for (int64_t a = 0; a < model->actions; a++) {
        law l = law_of(s, x * model->actions + a);
        bool same = l.same == b.same && !memcmp(l.next, b.next, (size_t)b.n * sizeof *b.next);
        real high = bound_value(&l, reward, after, true, left);
        now.high = fmaxl(now.high, high);
        if (a != pi && !same)
            now.D = fmaxl(now.D, fminl(fminl(high, reward + most_after(&l, after)) - now.low,
                                       advantage(s, &l, &b, look(&l, reward, after), &mine, after) +
                                           upper(&l, after, offsetof(dense, D))));
    }
    now.D = fminl(now.D, fmaxl(0, now.high - now.low));
    return now;
}

static real dense_gap(const stage *s, const int32_t *policy)
{
    const foray_model *model = s->model;
    static dense layer[2][MAX_S];
    real gap = 0;
    memset(layer, 0, sizeof layer);
    for (int64_t t = model->horizon - 1; t >= 0; t--)
        for (int64_t x = 0; x < model->states; x++)
            layer[t % 2][x] =
                certify_state(s, t, x, policy[t * model->states + x], layer[(t + 1) % 2]);
    for (int64_t i = 0; i < model->initials; i++)
        gap += model->initial_probability[i] * layer[0][model->initial_state[i]].D;
    return gap;
}

/* ------------------------------------------------------------------------------- tests */

/* Certificates of some goals: as the oracle has them, and without the third order. */
static void compare(const char *world, int64_t episodes, double *third, double *second)
{
    stage s = set_up(world, episodes);
    *third = *second = 0;
    assert_true(fy_gap_use_third(s.sets->gap, true));
    for (s.goal = 0; s.goal < s.model->states; s.goal += 3) {
        foray_reward *reward;
        foray_policy *policy;
        support_ok(s.ctx, foray_reward_create(s.ctx, s.model, "goal", 0, 1, 0, &reward));
        support_ok(s.ctx, foray_reward_set(s.ctx, reward, -1, s.goal, -1, 1));
        support_ok(s.ctx, foray_explorer_plan(s.explorer, 1, (const foray_reward *const[]){reward},
                                              FORAY_PLUGIN, &policy));
        double found = fy_certifier_policy(s.sets, reward, policy->action).gap;
        real exact = dense_gap(&s, policy->action);
        assert_true(fabsl(found - exact) <= 1e-7 * (1 + found));
        /* The margin for rounding is above all that rounding did. */
        assert_true(LDBL_MANT_DIG == DBL_MANT_DIG || found >= exact);
        fy_gap_use_third(s.sets->gap, false);
        double without = fy_certifier_policy(s.sets, reward, policy->action).gap;
        fy_gap_use_third(s.sets->gap, true);
        assert_true(found <= without + 1e-9);
        *third += found;
        *second += without;
        foray_policy_destroy(policy);
        foray_reward_destroy(reward);
    }
    take_down(&s);
}

static void certificates_follow_the_formulas(void **state)
{
    (void)state;
    static const struct {
        const char *world;
        int64_t episodes;
        double max; /* what the third order leaves of the second, at most */
    } cases[] = {{"mixture", 1024, 0.6},     {"grid", 256, 0.7},
                 {"queue", 64, 1}, /* V_bar - V_low is what cuts off, here and after 4 episodes */
                 {"queue", 1024, 0.8},       {"frozenlake", 4, 1},
                 {"frozenlake", 1024, 0.95}, {"chain:zones=1,laws=1", 256, 0.05}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double third, second;
        compare(cases[i].world, cases[i].episodes, &third, &second);
        assert_true(third > 0 && third <= cases[i].max * second);
    }
}

/* Nine laws of three unknowns each are too many. */
static void many_unknowns_make_do_without(void **state)
{
    (void)state;
    stage s = {.ctx = foray_context_create()};
    support_ok(s.ctx, foray_model_builtin(s.ctx, "rooms", &s.model));
    support_ok(s.ctx, fy_certifier_create(support_arena(s.ctx), s.model, 64, &s.sets));
    assert_true(s.sets->joint && !fy_gap_use_third(s.sets->gap, false));
    foray_model_destroy(s.model);
    foray_context_destroy(s.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificates_follow_the_formulas),
        cmocka_unit_test(many_unknowns_make_do_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
