/* test_sstp.c - SSTP against a dense textbook version; its levels, what settles, what the
 * truncated values are, and what it finds. */
#include "oracle_truth.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explore/tabular/sstp.h"

/* cmocka's own comparison is in single precision. */
#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

enum { MAX_S = 6, MAX_A = 3, MAX_H = 6 };

/* Dense counts n(s,a,s'), values V[h][r][s], everything computed anew. */
typedef struct dense {
    int S, A, H;
    double n[MAX_S][MAX_A][MAX_S];
    double V[MAX_H + 1][MAX_H + 1][MAX_S];
    double Q[MAX_H][MAX_H + 1][MAX_S][MAX_A], raw[MAX_H][MAX_H + 1][MAX_S][MAX_A];
    bool unsettled[MAX_S][MAX_A];
} dense;

typedef struct stage {
    foray_context *ctx;
    foray_model *model;
    foray_world *world;
    foray_explorer *explorer;
    dense *o;
    double c1, c2; /* of the bonus */
} stage;

static stage set_model(foray_context *ctx, foray_model *model, const foray_settings *settings)
{
    stage s = {.ctx = ctx, .model = model, .o = calloc(1, sizeof *s.o)};
    support_ok(ctx, foray_world_from_model(ctx, model, &s.world));
    support_ok(ctx, support_create(ctx, model, settings, &s.explorer));
    s.c1 = support_own(settings, "sstp_variance");
    s.c2 = support_own(settings, "sstp_range");
    s.o->S = (int)model->states;
    s.o->A = (int)model->actions;
    s.o->H = (int)model->horizon;
    return s;
}

static stage set_random(uint64_t seed, const foray_settings *settings)
{
    foray_context *ctx = foray_context_create();
    support_sizes sizes = {.states = 4, .actions = 3, .horizon = 4, .successors = 3};
    return set_model(ctx, support_model(ctx, SUPPORT_TABULAR, sizes, seed), settings);
}

static stage set_world(const char *spec, const foray_settings *settings)
{
    foray_context *ctx = foray_context_create();
    foray_model *model;
    support_ok(ctx, foray_model_builtin(ctx, spec, &model));
    return set_model(ctx, model, settings);
}

static void clear(stage *s)
{
    free(s->o);
    foray_explorer_destroy(s->explorer);
    foray_world_destroy(s->world);
    foray_model_destroy(s->model);
    foray_context_destroy(s->ctx);
}

/* ------------------------------------------------------------------- the oracle */

static double visits(const dense *o, int s, int a)
{
    double n = 0;
    for (int next = 0; next < o->S; next++)
        n += o->n[s][a][next];
    return n;
}

static double law(const stage *g, int s, int a, int next)
{
    const int32_t *allowed;
    int64_t count = foray_model_successors(g->model, s, a, &allowed);
    double n = visits(g->o, s, a);
    if (n > 0)
        return g->o->n[s][a][next] / n;
    for (int64_t j = 0; j < count; j++)
        if (allowed[j] == next)
            return 1.0 / (double)count;
    return 0;
}

/* Mean and bonus of the values after (s,a). */
static double optimistic(const stage *g, int s, int a, double C, const double *V)
{
    const foray_settings *settings = &g->explorer->settings;
    const int32_t *next;
    double n = visits(g->o, s, a), mean = 0, variance = 0, open = 0;
    for (int x = 0; x < g->o->S; x++)
        mean += law(g, s, a, x) * V[x];
    for (int x = 0; x < g->o->S; x++)
        variance += law(g, s, a, x) * pow(V[x] - mean, 2);
    if (C == 0)
        return 0;
    if (foray_model_successors(g->model, s, a, &next) == 1)
        return mean;
    if (n == 0)
        return INFINITY;
    for (int x = 0; x < g->o->S * g->o->A; x++)
        open += foray_model_successors(g->model, x / g->o->A, x % g->o->A, &next) > 1;
    double L = log(4 * open * g->o->H * (double)settings->episodes / settings->delta);
    return mean + settings->radius_scale * (sqrt(g->c1 * variance * L / n) + g->c2 * C * L / n);
}

/* N_i and L_i of the episode about to begin, from their definitions. */
static int level_of(const stage *g)
{
    const foray_settings *settings = &g->explorer->settings;
    int64_t levels = (int64_t)support_own(settings, "sstp_levels");
    int level = (int)(g->explorer->episodes * levels / settings->episodes);
    return level < (int)levels ? level : (int)levels - 1;
}

static double target_of(const stage *g, int level)
{
    const foray_settings *settings = &g->explorer->settings;
    double first = support_own(settings, "sstp_target") * (double)settings->episodes /
                   (double)support_own(settings, "sstp_levels") * g->o->H / (g->o->S * g->o->A);
    return fmax(1, first / pow(2, level));
}

static int truncation_of(const stage *g, int level)
{
    const foray_settings *settings = &g->explorer->settings;
    double L = (double)support_own(settings, "sstp_truncation") *
               pow(support_own(settings, "sstp_truncation_growth"), level);
    return (int)fmin(L, g->o->H);
}

static void recompute(stage *g)
{
    dense *o = g->o;
    int level = level_of(g);
    memset(o->V, 0, sizeof o->V);
    for (int s = 0; s < o->S; s++)
        for (int a = 0; a < o->A; a++)
            o->unsettled[s][a] = visits(o, s, a) < target_of(g, level);
    for (int t = o->H - 1; t >= 0; t--)
        for (int r = 1; r <= truncation_of(g, level); r++)
            for (int s = 0; s < o->S; s++)
                for (int a = 0; a < o->A; a++) {
                    int u = o->unsettled[s][a];
                    double C = fmin(o->H - t - 1, r - u);
                    double after = optimistic(g, s, a, C, o->V[t + 1][r - u]);
                    o->raw[t][r][s][a] = u + after;
                    o->Q[t][r][s][a] = u + fmin(C, after);
                    o->V[t][r][s] = fmax(o->V[t][r][s], o->Q[t][r][s][a]);
                }
}

/* Is b to be taken rather than a, by the rule for ties in force? Up to rounding. */
static bool beats(const stage *g, int t, int r, int s, int b, int a)
{
    const double *Q = g->o->Q[t][r][s], *raw = g->o->raw[t][r][s];
    bool by_raw = g->explorer->settings.ties == FORAY_TIES_UNCLIPPED;
    int more = g->o->unsettled[s][b] - g->o->unsettled[s][a];
    if (Q[b] != Q[a] || (raw[b] == Q[b]) != (raw[a] == Q[a]))
        return Q[b] > Q[a] + 1e-9;
    if (by_raw && more != 0)
        return more > 0;
    if (by_raw && isfinite(raw[b]))
        return raw[b] > raw[a] * (1 + 1e-9);
    return by_raw ? isfinite(raw[a]) || b < a : raw[b] > Q[b] && b < a;
}

static bool is_greedy(const stage *g, int t, int r, int s, int a)
{
    for (int b = 0; b < g->o->A; b++)
        if (b != a && beats(g, t, r, s, b, a))
            return false;
    return true;
}

static bool any_unsettled(const stage *g)
{
    bool any = false;
    for (int x = 0; x < g->o->S * g->o->A; x++)
        any |= g->o->unsettled[x / g->o->A][x % g->o->A];
    return any;
}

/* One episode; with `watch`, the oracle agrees to every action that counts. Gives how many
 * visits to unsettled pairs it had. */
static int play(stage *g, bool watch)
{
    foray_draw draw = {.seed = (uint64_t)g->explorer->settings.seed,
                       .episode = (uint64_t)g->explorer->episodes};
    int64_t path[MAX_H + 1], taken[MAX_H];
    int level = level_of(g), r = truncation_of(g, level), found = 0;
    if (watch)
        recompute(g);
    support_ok(g->ctx, foray_explorer_begin(g->explorer));
    support_ok(g->ctx, foray_world_reset(g->world, &draw, &path[0]));
    for (int t = 0; t < g->o->H; t++) {
        draw.step = (uint32_t)t + 1;
        assert_int_equal(fy_sstp_now(g->explorer).remaining, r);
        support_ok(g->ctx, foray_explorer_act(g->explorer, path[t], &taken[t]));
        if (watch && r > 0 && any_unsettled(g))
            assert_true(is_greedy(g, t, r, (int)path[t], (int)taken[t]));
        bool wanted = fy_sstp_now(g->explorer).unsettled[path[t] * g->o->A + taken[t]];
        found += wanted;
        r -= wanted && r > 0;
        support_ok(g->ctx, foray_world_step(g->world, &draw, path[t], taken[t], &path[t + 1]));
        support_ok(g->ctx, foray_explorer_observe(g->explorer, path[t], taken[t], path[t + 1]));
    }
    support_ok(g->ctx, foray_explorer_end(g->explorer));
    for (int t = 0; t < g->o->H; t++)
        g->o->n[path[t]][taken[t]][path[t + 1]]++;
    return found;
}

/* ------------------------------------------------------------------- textbook */

static void assert_same_plan(stage *g, int level)
{
    fy_stage now = fy_sstp_now(g->explorer);
    assert_int_equal(now.level, level);
    assert_int_equal(now.truncation, truncation_of(g, level));
    assert_near(now.target, target_of(g, level), 1e-9);
    for (int s = 0; s < g->o->S; s++) {
        for (int a = 0; a < g->o->A; a++)
            assert_int_equal(now.unsettled[s * g->o->A + a], g->o->unsettled[s][a]);
        for (int r = 0; r <= now.truncation; r++)
            assert_near(now.value[r * g->o->S + s], g->o->V[0][r][s], 1e-9);
    }
}

/* Every plan, in every episode, through all levels. */
static void follows(stage *g)
{
    for (int64_t k = 0; k < g->explorer->settings.episodes; k++) {
        int level = level_of(g);
        play(g, true);
        assert_same_plan(g, level);
    }
    clear(g);
}

static void follows_the_textbook(void **state)
{
    (void)state;
    for (int combination = 0; combination < 8; combination++) {
        foray_settings settings = support_settings("sstp", 160, combination);
        settings.replan = FORAY_REPLAN_EVERY;
        settings.ties = combination & 1;
        settings.radius_scale = combination & 2 ? 0.05 : 1.0;
        support_set_number(&settings, "sstp_levels", 4);
        support_set_number(&settings, "sstp_truncation", combination & 4 ? 2 : 1);
        stage g = set_random((uint64_t)combination, &settings);
        follows(&g);
        g = set_world("chain:states=5,zones=1,horizon=5", &settings);
        follows(&g);
    }
}

/* Doubling with growth 0 plans in every episode: the same episodes. By default few plans. */
static void doubling(void **state)
{
    (void)state;
    foray_settings settings = support_settings("sstp", 400, 3);
    settings.radius_scale = 0.05;
    stage seldom = set_random(3, &settings);
    settings.replan_growth = 0.0;
    stage full = set_random(3, &settings);
    settings.replan = FORAY_REPLAN_EVERY;
    stage every = set_random(3, &settings);
    for (int k = 0; k < 400; k++) {
        play(&seldom, false);
        play(&full, false);
        play(&every, false);
    }
    assert_memory_equal(full.o->n, every.o->n, sizeof full.o->n);
    assert_in_range(seldom.explorer->plans, 8, 150);
    clear(&seldom);
    clear(&full);
    clear(&every);
}

/* ------------------------------------------------------------------ truncated values */

/* E min{L, visits to unsettled pairs} in the empirical model over all paths of the best
 * policy, by going through every path; `tried` is the greedy choice of the oracle. */
static double path_value(const stage *g, int t, int r, int s, int found, int L)
{
    if (t == g->o->H)
        return found < L ? found : L;
    int best = 0;
    double sum = 0;
    for (int a = 1; a < g->o->A && r > 0; a++)
        if (g->o->Q[t][r][s][a] > g->o->Q[t][r][s][best])
            best = a;
    int u = g->o->unsettled[s][best];
    for (int next = 0; next < g->o->S; next++)
        if (law(g, s, best, next) > 0)
            sum +=
                law(g, s, best, next) * path_value(g, t + 1, r > 0 ? r - u : 0, next, found + u, L);
    return sum;
}

/* Without a bonus the value is what its name says, and never above that of any policy that
 * ignores the count. */
static void values_are_truncated_counts(void **state)
{
    (void)state;
    for (int64_t L = 1; L <= 4; L++) {
        foray_settings settings = support_settings("sstp", 300, L);
        settings.radius_scale = 0.0;
        settings.replan = FORAY_REPLAN_EVERY;
        support_set_number(&settings, "sstp_levels", 2);
        support_set_number(&settings, "sstp_truncation", L);
        support_set_number(&settings, "sstp_target", 2.0);
        stage g = set_random(11, &settings);
        for (int k = 0; k < 149; k++) {
            play(&g, true);
            bool all_seen = true;
            for (int x = 0; x < g.o->S * g.o->A; x++)
                all_seen &= visits(g.o, x / g.o->A, x % g.o->A) > 0;
            if (!all_seen || k % 10 != 0)
                continue;
            recompute(&g);
            for (int s = 0; s < g.o->S; s++)
                assert_near(g.o->V[0][L][s], path_value(&g, 0, (int)L, s, 0, (int)L), 1e-9);
        }
        clear(&g);
    }
}

/* ------------------------------------------------------------------------ levels */

/* Each level has its share of the episodes; targets halve; what is settled stays settled; a
 * budget smaller than the levels works, and so do episodes beyond it. */
static void levels_halve(void **state)
{
    (void)state;
    foray_settings settings = support_settings("sstp", 800, 2);
    stage g = set_random(2, &settings);
    int episodes[8] = {0};
    double last = INFINITY;
    for (int k = 0; k < 800; k++) {
        play(&g, false);
        fy_stage now = fy_sstp_now(g.explorer);
        episodes[now.level]++;
        assert_true(now.target == last || now.target == fmax(1, last / 2) || isinf(last));
        last = now.target;
    }
    for (int i = 0; i < 8; i++)
        assert_int_equal(episodes[i], 100);
    for (int k = 0; k < 5; k++)
        play(&g, false);
    assert_int_equal(fy_sstp_now(g.explorer).level, 7);
    clear(&g);
    settings.episodes = 3;
    g = set_random(2, &settings);
    for (int k = 0; k < 3; k++)
        play(&g, false);
    clear(&g);
}

/* A pair is asked for until it has N_i visits, and no longer. */
static void settles_at_the_target(void **state)
{
    (void)state;
    foray_settings settings = support_settings("sstp", 2000, 6);
    support_set_number(&settings, "sstp_levels", 1);
    settings.radius_scale = 0.02;
    stage g = set_random(6, &settings);
    int unsettled = 12;
    for (int k = 0; k < 2000; k++) {
        play(&g, false);
        fy_stage now = fy_sstp_now(g.explorer);
        int count = 0;
        for (int x = 0; x < 12; x++) {
            count += now.unsettled[x];
            assert_true(now.unsettled[x] || now.counts->visits[x] >= now.target);
        }
        assert_true(count <= unsettled);
        unsettled = count;
    }
    assert_int_equal(unsettled, 0);
    clear(&g);
}

/* --------------------------------------------------------------------- what it finds */

/* The pair hardest to visit gets more visits than random actions give it. */
static double min_visits(const char *spec, const char *algorithm)
{
    foray_settings settings = support_settings(algorithm, 4000, 9);
    settings.radius_scale = 0.02;
    stage g = set_world(spec, &settings);
    double min = INFINITY, taken[64] = {0};
    foray_draw draw = {.seed = 9};
    for (; draw.episode < 4000; draw.episode++) {
        int64_t s, a, next;
        draw.step = 0;
        support_ok(g.ctx, foray_explorer_begin(g.explorer));
        support_ok(g.ctx, foray_world_reset(g.world, &draw, &s));
        for (int64_t t = 0; t < g.model->horizon; t++, s = next) {
            draw.step = (uint32_t)t + 1;
            support_ok(g.ctx, foray_explorer_act(g.explorer, s, &a));
            support_ok(g.ctx, foray_world_step(g.world, &draw, s, a, &next));
            support_ok(g.ctx, foray_explorer_observe(g.explorer, s, a, next));
            taken[s * g.model->actions + a]++;
        }
        support_ok(g.ctx, foray_explorer_end(g.explorer));
    }
    for (int64_t pair = 0; pair < g.model->pairs; pair++)
        min = fmin(min, taken[pair]);
    clear(&g);
    return min;
}

static void visits_what_is_hard(void **state)
{
    (void)state;
    const char *spec = "riverswim:states=6,horizon=12";
    double random = min_visits(spec, "random"), staged = min_visits(spec, "sstp");
    assert_true(staged > 5 * random && staged > 50);
}

/* After its budget every goal's plan is near the best, and its certificate holds. */
static void plans_for_every_goal(void **state)
{
    (void)state;
    foray_settings settings = support_settings("sstp", 20000, 4);
    stage g = set_world("chain:states=5,zones=1,horizon=5", &settings);
    for (int k = 0; k < 20000; k++)
        play(&g, false);
    for (int64_t goal = 0; goal < g.model->states; goal++) {
        foray_reward *reward = truth_goal(g.ctx, g.model, goal);
        const foray_reward *const rewards[] = {reward};
        foray_policy *policy;
        double value, optimal;
        support_ok(g.ctx, foray_explorer_plan(g.explorer, 1, rewards, FORAY_OPTIMISTIC, &policy));
        support_ok(g.ctx, foray_evaluate(g.ctx, g.model, reward, policy, &value, &optimal));
        assert_true(optimal - value <= 0.01);
        assert_true(policy->certificate.status == FORAY_CERTIFIED && policy->certificate.gap < 1.0);
        assert_true(optimal - value <= policy->certificate.gap);
        foray_policy_destroy(policy);
        foray_reward_destroy(reward);
    }
    clear(&g);
}

/* ------------------------------------------------------------------------- bad input */

static void refuses_bad_settings(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_settings settings = support_settings("sstp", 100, 1);
    static const char *const bad[][2] = {
        {"sstp-levels", "0"},     {"sstp-levels", "61"},   {"sstp-target", "0"},
        {"sstp-truncation", "0"}, {"sstp-variance", "-1"}, {"sstp-truncation-growth", "0.5"},
        {"sstp-range", "nothing"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(foray_settings_set(ctx, &settings, bad[i][0], bad[i][1]),
                         FORAY_ERROR_USAGE);
    foray_context_destroy(ctx);
}

/* A level there is not, an action there is not: damage. */
static void refuses_damaged_plans(void **state)
{
    (void)state;
    foray_settings settings = support_settings("sstp", 100, 1);
    stage g = set_random(1, &settings);
    int32_t wrong = 7;
    uint64_t level = 99;
    uint8_t *data;
    size_t size, counts = (size_t)fy_sstp_now(g.explorer).counts->transitions * sizeof(double);
    play(&g, false);
    support_ok(g.ctx, foray_explorer_save(g.explorer, &data, &size));
    memcpy(data + size - sizeof wrong, &wrong, sizeof wrong);
    assert_int_equal(foray_explorer_load(g.explorer, data, size), FORAY_ERROR_RUN);
    memcpy(data + 4 * sizeof(uint64_t) + counts, &level, sizeof level);
    assert_int_equal(foray_explorer_load(g.explorer, data, size), FORAY_ERROR_RUN);
    free(data);
    clear(&g);
}

/* Levels and targets follow from settings: a state saved under others is another's. */
static void refuses_states_of_other_settings(void **state)
{
    (void)state;
    static const char *const other[][2] = {
        {"episodes", "101"},       {"sstp-levels", "7"},   {"sstp-target", "0.25"},
        {"sstp-truncation", "2"},  {"sstp-range", "3"},    {"sstp-truncation-growth", "1.5"},
        {"sstp-variance", "2.25"}, {"radius-scale", "0.5"}};
    foray_settings settings = support_settings("sstp", 100, 1);
    stage g = set_random(1, &settings);
    uint8_t *data;
    size_t size;
    play(&g, false);
    support_ok(g.ctx, foray_explorer_save(g.explorer, &data, &size));
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
        foray_settings changed = settings;
        support_ok(g.ctx, foray_settings_set(g.ctx, &changed, other[i][0], other[i][1]));
        stage h = set_random(1, &changed);
        bool harmless = strcmp(other[i][0], "radius-scale") == 0;
        assert_int_equal(foray_explorer_load(h.explorer, data, size),
                         harmless ? FORAY_OK : FORAY_ERROR_RUN);
        clear(&h);
    }
    free(data);
    clear(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_textbook),
        cmocka_unit_test(doubling),
        cmocka_unit_test(values_are_truncated_counts),
        cmocka_unit_test(levels_halve),
        cmocka_unit_test(settles_at_the_target),
        cmocka_unit_test(visits_what_is_hard),
        cmocka_unit_test(plans_for_every_goal),
        cmocka_unit_test(refuses_bad_settings),
        cmocka_unit_test(refuses_damaged_plans),
        cmocka_unit_test(refuses_states_of_other_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
