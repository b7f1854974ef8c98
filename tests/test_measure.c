/* test_measure.c - reward families, gaps, the adversary and aggregates, against their
 * definitions and against brute force. */
#include "measure/measure.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const support_sizes small = {
    .states = 7, .actions = 3, .horizon = 5, .successors = 3, .dim = 4};

/* ------------------------------------------------------------------------ families */

static foray_status measure(foray_context *ctx, const foray_model *model, const fy_family *family,
                            fy_explorer_planner *planner, double *gap, fy_gaps *out)
{
    fy_truth *truth = NULL;
    foray_status status = fy_truth_create(ctx, model, &truth);
    if (status == FORAY_OK)
        status = fy_measure(ctx, truth, family, fy_plan_with_explorer, planner, gap, out);
    fy_truth_destroy(truth);
    return status;
}

static foray_status attack(foray_context *ctx, const foray_model *model,
                           fy_explorer_planner *planner, int64_t starts,
                           const foray_reward *const *start, int64_t rounds, double *gap,
                           foray_reward **worst)
{
    fy_truth *truth = NULL;
    foray_status status = fy_truth_create(ctx, model, &truth);
    if (status == FORAY_OK)
        status = fy_adversary(ctx, truth, fy_plan_with_explorer, planner, starts, start, rounds,
                              gap, worst);
    fy_truth_destroy(truth);
    return status;
}

static fy_family *family_of(foray_context *ctx, const foray_model *model, fy_family_kind kind,
                            int64_t count, uint64_t seed)
{
    fy_family *family;
    support_ok(ctx, fy_family_create(ctx, model, kind, count, seed, &family));
    return family;
}

static double at(const fy_family *family, int64_t i, int64_t t, int64_t s, int64_t a)
{
    return foray_reward_at(family->reward[i], t, s, a);
}

static void every_goal_is_one_state(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = support_model(ctx, SUPPORT_TABULAR, small, 1);
    fy_family *family = family_of(ctx, model, FY_GOALS, 0, 1);
    assert_int_equal(family->count, small.states);
    for (int64_t i = 0; i < small.states; i++)
        for (int64_t t = 0; t < small.horizon; t++)
            for (int64_t s = 0; s < small.states; s++)
                for (int64_t a = 0; a < small.actions; a++)
                    assert_true(at(family, i, t, s, a) == (s == i ? 1.0 : 0.0));
    fy_family_destroy(family);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

static int64_t goal_of(const fy_family *family, int64_t i)
{
    int64_t goal = -1;
    for (int64_t s = 0; s < small.states; s++)
        if (at(family, i, 0, s, 0) == 1.0) {
            assert_int_equal(goal, -1);
            goal = s;
        }
    assert_true(goal >= 0);
    return goal;
}

static void drawn_goals_differ_and_none_is_left_out(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = support_model(ctx, SUPPORT_TABULAR, small, 1);
    int64_t chosen[7] = {0};
    for (uint64_t seed = 0; seed < 40; seed++) {
        fy_family *family = family_of(ctx, model, FY_GOALS, 4, seed);
        bool seen[7] = {false};
        assert_int_equal(family->count, 4);
        for (int64_t i = 0; i < 4; i++) {
            int64_t goal = goal_of(family, i);
            assert_false(seen[goal]);
            seen[goal] = true;
            chosen[goal]++;
        }
        fy_family_destroy(family);
    }
    for (int64_t s = 0; s < 7; s++)
        assert_in_range(chosen[s], 10, 36);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* Mean and share of zeros over a family, all steps and pairs. */
static void take_stock(const fy_family *family, double *mean, double *zeros)
{
    double sum = 0.0, none = 0.0, count = 0.0;
    for (int64_t i = 0; i < family->count; i++)
        for (int64_t t = 0; t < small.horizon; t++)
            for (int64_t s = 0; s < small.states; s++)
                for (int64_t a = 0; a < small.actions; a++) {
                    double r = at(family, i, t, s, a);
                    assert_true(r >= 0.0 && r < 1.0);
                    sum += r;
                    none += r == 0.0;
                    count += 1.0;
                }
    *mean = sum / count;
    *zeros = none / count;
}

static bool same_at_all_steps(const fy_family *family, int64_t i)
{
    for (int64_t t = 1; t < small.horizon; t++)
        for (int64_t s = 0; s < small.states; s++)
            for (int64_t a = 0; a < small.actions; a++)
                if (at(family, i, t, s, a) != at(family, i, 0, s, a))
                    return false;
    return true;
}

static void random_families_are_as_defined(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = support_model(ctx, SUPPORT_TABULAR, small, 1);
    double mean, zeros;
    fy_family *dense = family_of(ctx, model, FY_DENSE, 50, 3);
    take_stock(dense, &mean, &zeros);
    assert_true(fabs(mean - 0.5) < 0.05 && zeros == 0.0);
    fy_family *timed = family_of(ctx, model, FY_TIMED, 50, 3);
    take_stock(timed, &mean, &zeros);
    assert_true(fabs(mean - 0.5) < 0.03 && zeros == 0.0);
    /* One pair in 21 for certain, and a twentieth of the others. */
    fy_family *sparse = family_of(ctx, model, FY_SPARSE, 200, 3);
    take_stock(sparse, &mean, &zeros);
    assert_true(fabs(zeros - (20.0 / 21.0) * 0.95) < 0.02);
    for (int64_t i = 0; i < 50; i++) {
        assert_true(same_at_all_steps(dense, i));
        assert_true(same_at_all_steps(sparse, i));
        assert_false(same_at_all_steps(timed, i));
        assert_true(sparse->optimal[i] >= 0.0);
    }
    assert_true(at(dense, 0, 0, 0, 0) != at(dense, 1, 0, 0, 0));
    fy_family_destroy(dense);
    fy_family_destroy(timed);
    fy_family_destroy(sparse);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

static void a_seed_gives_the_same_rewards(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = support_model(ctx, SUPPORT_MIXTURE, small, 2);
    for (int kind = 0; kind < FY_FAMILIES; kind++) {
        fy_family *one = family_of(ctx, model, kind, 3, 11);
        fy_family *same = family_of(ctx, model, kind, 3, 11);
        fy_family *other = family_of(ctx, model, kind, 3, 12);
        bool differs = false;
        for (int64_t s = 0; s < small.states; s++)
            for (int64_t a = 0; a < small.actions; a++) {
                assert_true(at(one, 2, 1, s, a) == at(same, 2, 1, s, a));
                differs |= at(one, 2, 1, s, a) != at(other, 2, 1, s, a);
            }
        assert_true(differs || kind == FY_GOALS);
        for (int64_t i = 0; i < 3; i++) {
            double value, optimal;
            support_ok(ctx, foray_evaluate(ctx, model, one->reward[i], NULL, &value, &optimal));
            assert_true(one->optimal[i] == optimal);
        }
        fy_family_destroy(one);
        fy_family_destroy(same);
        fy_family_destroy(other);
    }
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* ---------------------------------------------------------------------- a planner */

/* An explorer after a few episodes: it knows a little. */
static foray_explorer *explorer_after(foray_context *ctx, const foray_model *model, uint64_t seed,
                                      int64_t episodes)
{
    foray_settings settings;
    foray_explorer *explorer;
    foray_world *world;
    foray_settings_default(&settings);
    strcpy(settings.algorithm, "random");
    settings.seed = (int64_t)seed;
    support_ok(ctx, support_create(ctx, model, &settings, &explorer));
    support_ok(ctx, foray_world_from_model(ctx, model, &world));
    for (int64_t k = 0; k < episodes; k++) {
        foray_draw draw = {.seed = seed, .episode = (uint64_t)k};
        int64_t s, a, next;
        support_ok(ctx, foray_world_reset(world, &draw, &s));
        support_ok(ctx, foray_explorer_begin(explorer));
        for (draw.step = 1; draw.step <= model->horizon; draw.step++, s = next) {
            support_ok(ctx, foray_explorer_act(explorer, s, &a));
            support_ok(ctx, foray_world_step(world, &draw, s, a, &next));
            support_ok(ctx, foray_explorer_observe(explorer, s, a, next));
        }
        support_ok(ctx, foray_explorer_end(explorer));
    }
    foray_world_destroy(world);
    return explorer;
}

/* The gap of one reward, planned and evaluated on its own. */
static double gap_alone(foray_context *ctx, const foray_model *model, foray_explorer *explorer,
                        foray_mode mode, const foray_reward *reward)
{
    foray_policy *policy;
    double value, optimal;
    support_ok(ctx, foray_explorer_plan(explorer, 1, &reward, mode, &policy));
    support_ok(ctx, foray_evaluate(ctx, model, reward, policy, &value, &optimal));
    foray_policy_destroy(policy);
    return optimal - value;
}

static void gaps_are_those_of_each_reward(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    for (int kind = 0; kind < SUPPORT_KINDS; kind++) {
        foray_model *model = support_model(ctx, kind, small, 5);
        foray_explorer *explorer = explorer_after(ctx, model, 5, 3);
        for (int mode = 0; mode < FORAY_MODES; mode++)
            for (int f = 0; f < FY_FAMILIES; f++) {
                fy_explorer_planner planner = {explorer, mode};
                fy_family *family = family_of(ctx, model, f, f == FY_GOALS ? 0 : 70, 5);
                double gap[70], worst = -1.0, sum = 0.0;
                fy_gaps gaps;
                int64_t count = family->count;
                support_ok(ctx, measure(ctx, model, family, &planner, gap, &gaps));
                for (int64_t i = 0; i < count; i++) {
                    double alone = gap_alone(ctx, model, explorer, mode, family->reward[i]);
                    assert_true(gap[i] >= 0.0 && fabs(gap[i] - alone) < 1e-12);
                    worst = fmax(worst, alone);
                    sum += alone;
                }
                assert_true(fabs(gaps.worst - worst) < 1e-12);
                assert_true(gaps.worst == gap[gaps.worst_index]);
                assert_true(fabs(gaps.mean - sum / (double)count) < 1e-12);
                fy_family_destroy(family);
            }
        foray_explorer_destroy(explorer);
        foray_model_destroy(model);
    }
    foray_context_destroy(ctx);
}

/* <q, r> is the value, and q_t is a distribution for every t. */
static void occupancies_give_values(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    for (int kind = 0; kind < SUPPORT_KINDS; kind++) {
        foray_model *model = support_model(ctx, kind, small, 9);
        fy_family *family = family_of(ctx, model, FY_TIMED, 5, 9);
        int32_t actions[5 * 7];
        double q[5 * 7];
        fy_truth *truth;
        support_ok(ctx, fy_truth_create(ctx, model, &truth));
        for (int64_t i = 0; i < 5; i++) {
            const foray_reward *reward = family->reward[i];
            double best = fy_truth_best(truth, reward, actions), sum = 0.0;
            fy_truth_occupancy(truth, actions, q);
            for (int64_t t = 0; t < small.horizon; t++) {
                double mass = 0.0;
                for (int64_t s = 0; s < small.states; s++) {
                    mass += q[t * small.states + s];
                    sum += q[t * small.states + s] *
                           foray_reward_at(reward, t, s, actions[t * small.states + s]);
                }
                assert_true(fabs(mass - 1.0) < 1e-12);
            }
            assert_true(fabs(sum - best) < 1e-12);
            assert_true(fabs(fy_truth_value(truth, reward, actions) - best) < 1e-12);
        }
        fy_truth_destroy(truth);
        fy_family_destroy(family);
        foray_model_destroy(model);
    }
    foray_context_destroy(ctx);
}

/* ----------------------------------------------------------------------- adversary */

/* At least as bad as every start, and truly the gap of the reward it hands out. */
static void the_adversary_tells_the_truth(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    for (uint64_t seed = 0; seed < 12; seed++) {
        foray_model *model = support_model(ctx, (int)(seed % SUPPORT_KINDS), small, seed);
        foray_explorer *explorer = explorer_after(ctx, model, seed, 4);
        fy_explorer_planner planner = {explorer, FORAY_PLUGIN};
        fy_family *family = family_of(ctx, model, FY_DENSE, 6, seed);
        const foray_reward *start[6];
        double gap[6], before = 0.0;
        fy_gaps gaps;
        support_ok(ctx, measure(ctx, model, family, &planner, gap, &gaps));
        for (int64_t i = 0; i < 6; i++)
            start[i] = family->reward[i];
        for (int64_t rounds = 0; rounds < 6; rounds++) {
            foray_reward *worst;
            double found;
            support_ok(ctx, attack(ctx, model, &planner, 6, start, rounds, &found, &worst));
            assert_true(rounds > 0 ? found >= before : found == gaps.worst);
            double alone = gap_alone(ctx, model, explorer, FORAY_PLUGIN, worst);
            assert_true(fabs(found - alone) < 1e-12);
            foray_reward_destroy(worst);
            before = found;
        }
        fy_family_destroy(family);
        foray_explorer_destroy(explorer);
        foray_model_destroy(model);
    }
    foray_context_destroy(ctx);
}

/* The worst gap over all rewards with values 0 and 1: bit i of `bits` is r_t(s,a). */
static double brute_force(foray_context *ctx, const foray_model *model, foray_explorer *explorer)
{
    int64_t count = model->horizon * model->pairs;
    double worst = 0.0;
    for (int64_t bits = 0; bits < (int64_t)1 << count; bits++) {
        foray_reward *reward;
        support_ok(ctx, foray_reward_create(ctx, model, "bits", 0, 1, 0.0, &reward));
        for (int64_t i = 0; i < count; i++)
            support_ok(ctx, foray_reward_set(ctx, reward, i / model->pairs,
                                             i % model->pairs / model->actions, i % model->actions,
                                             (double)(bits >> i & 1)));
        worst = fmax(worst, gap_alone(ctx, model, explorer, FORAY_PLUGIN, reward));
        foray_reward_destroy(reward);
    }
    return worst;
}

/* As foray compare does it: from the two worst rewards of each family. */
static double find_worst(foray_context *ctx, const foray_model *model, foray_explorer *explorer)
{
    fy_worst_search *search;
    double found;
    support_ok(ctx, fy_worst_search_create(ctx, model, 32, 1, &search));
    support_ok(ctx, fy_worst_search_run(ctx, search, explorer, FORAY_PLUGIN, 4, &found, NULL));
    fy_worst_search_destroy(search);
    return found;
}

/* On each of these models the adversary finds at least 0.4 of the worst gap over all
 * rewards with values 0 and 1, and 0.9 on average. It may find more: its starts take
 * values in between. */
static void the_adversary_comes_near_brute_force(void **state)
{
    (void)state;
    const support_sizes tiny[] = {
        {.states = 3, .actions = 2, .horizon = 2, .successors = 3, .dim = 3},
        {.states = 2, .actions = 2, .horizon = 3, .successors = 2, .dim = 2},
    };
    foray_context *ctx = foray_context_create();
    double ratios = 0.0, count = 0.0;
    for (uint64_t seed = 0; seed < 16; seed++) {
        foray_model *model = support_model(ctx, SUPPORT_TABULAR, tiny[seed % 2], seed);
        foray_explorer *explorer = explorer_after(ctx, model, seed, 1 + (int64_t)seed % 3);
        double max = brute_force(ctx, model, explorer), found = find_worst(ctx, model, explorer);
        assert_true(found >= 0.4 * max);
        ratios += max > 0.0 ? fmin(1.0, found / max) : 1.0;
        count += 1.0;
        foray_explorer_destroy(explorer);
        foray_model_destroy(model);
    }
    assert_true(ratios / count >= 0.9);
    foray_context_destroy(ctx);
}

/* ---------------------------------------------------------------------- aggregates */

static fy_summary summary_of(foray_context *ctx, int64_t count, const double *value,
                             double confidence)
{
    fy_summary summary;
    support_ok(ctx, fy_summarise(ctx, count, value, 2000, confidence, 7, &summary));
    return summary;
}

static void assert_near(double got, double wanted)
{
    if (!(fabs(got - wanted) < 1e-12))
        fail_msg("%.17g, not %.17g", got, wanted);
}

static void means_and_medians_by_hand(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    const double eight[] = {8, 1, 7, 2, 6, 3, 5, 4}, five[] = {100, 2, 3, 4, 1};
    const double two[] = {3, 1}, one[] = {42}, endless[] = {INFINITY, 1, 2, 3};
    const double all_endless[] = {INFINITY, INFINITY};
    /* 3, 4, 5, 6 */
    assert_near(summary_of(ctx, 8, eight, 0.95).iqm, 4.5);
    assert_near(summary_of(ctx, 8, eight, 0.95).median, 4.5);
    /* (0.75 * 2 + 3 + 0.75 * 4) / 2.5 */
    assert_near(summary_of(ctx, 5, five, 0.95).iqm, 3.0);
    assert_near(summary_of(ctx, 5, five, 0.95).median, 3.0);
    assert_near(summary_of(ctx, 2, two, 0.95).iqm, 2.0);
    assert_near(summary_of(ctx, 1, one, 0.95).iqm, 42.0);
    assert_near(summary_of(ctx, 1, one, 0.95).low, 42.0);
    assert_near(summary_of(ctx, 1, one, 0.95).high, 42.0);
    /* The outlier is left out: (2 + 3) / 2 of 1, 2, 3, inf. */
    assert_near(summary_of(ctx, 4, endless, 0.95).iqm, 2.5);
    assert_true(summary_of(ctx, 2, all_endless, 0.95).iqm == INFINITY);
    assert_true(summary_of(ctx, 2, all_endless, 0.95).low == INFINITY);
    foray_context_destroy(ctx);
}

/* Two numbers 0 and 1 give 0, 1/2, 1 with probabilities 1/4, 1/2, 1/4. */
static void an_interval_by_hand(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    const double two[] = {0, 1};
    assert_near(summary_of(ctx, 2, two, 0.95).low, 0.0);
    assert_near(summary_of(ctx, 2, two, 0.95).high, 1.0);
    assert_near(summary_of(ctx, 2, two, 0.4).low, 0.5);
    assert_near(summary_of(ctx, 2, two, 0.4).high, 0.5);
    foray_context_destroy(ctx);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* n a multiple of four: plainly the middle half. */
static double plain_middle(int64_t n, double *value)
{
    double sum = 0.0;
    qsort(value, (size_t)n, sizeof *value, ascending);
    for (int64_t i = n / 4; i < 3 * n / 4; i++)
        sum += value[i];
    return sum / (double)(n / 2);
}

/* The definition, step by step: draw, sort, cut, average, sort, look up. */
static void intervals_are_percentiles_of_resamples(void **state)
{
    (void)state;
    enum { N = 12, B = 201 };
    foray_context *ctx = foray_context_create();
    support_random random = {.seed = 4};
    double value[N], mean[B];
    for (int i = 0; i < N; i++)
        value[i] = support_normal(&random);
    double sorted[N];
    memcpy(sorted, value, sizeof value);
    qsort(sorted, N, sizeof *sorted, ascending);
    for (int b = 0; b < B; b++) {
        double drawn[N];
        for (uint32_t i = 0; i < N; i++) {
            double u = fy_unit(fy_random_bits(9, FY_STREAM_BOOTSTRAP, (uint64_t)b, 0, i));
            drawn[i] = sorted[(int)(u * N)];
        }
        mean[b] = plain_middle(N, drawn);
    }
    qsort(mean, B, sizeof *mean, ascending);
    fy_summary summary;
    support_ok(ctx, fy_summarise(ctx, N, value, B, 0.9, 9, &summary));
    assert_near(summary.low, mean[10]);
    assert_near(summary.high, mean[190]);
    assert_near(summary.iqm, plain_middle(N, value));
    foray_context_destroy(ctx);
}

/* ----------------------------------------------------------------------- refusals */

static void nonsense_is_refused(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = support_model(ctx, SUPPORT_TABULAR, small, 1);
    fy_family *family = NULL;
    fy_summary summary;
    double gap;
    const double bad[] = {1.0, NAN};
    assert_int_equal(fy_family_create(ctx, model, FY_FAMILIES, 1, 1, &family), FORAY_ERROR_USAGE);
    assert_int_equal(fy_family_create(ctx, model, FY_DENSE, 0, 1, &family), FORAY_ERROR_USAGE);
    assert_int_equal(fy_summarise(ctx, 0, bad, 10, 0.9, 1, &summary), FORAY_ERROR_USAGE);
    assert_int_equal(fy_summarise(ctx, 2, bad, 10, 0.9, 1, &summary), FORAY_ERROR_USAGE);
    assert_int_equal(fy_summarise(ctx, 1, bad, 10, 1.0, 1, &summary), FORAY_ERROR_USAGE);
    assert_int_equal(attack(ctx, model, NULL, 0, NULL, 1, &gap, NULL), FORAY_ERROR_USAGE);
    assert_null(family);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* A model that does not know its theta has no gaps. */
static void without_theta_there_is_no_truth(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_builder *builder;
    foray_model *model;
    fy_family *family;
    support_ok(ctx, foray_builder_create_tabular(ctx, 1, 1, 2, &builder));
    foray_builder_transition(builder, 0, 0, 0, 1.0);
    foray_builder_forget_theta(builder);
    support_ok(ctx, foray_builder_finish(builder, &model));
    assert_int_equal(fy_family_create(ctx, model, FY_GOALS, 0, 1, &family), FORAY_ERROR_INPUT);
    assert_non_null(strstr(foray_message(ctx), "theta"));
    foray_builder_destroy(builder);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

static foray_status measure_everything(foray_context *ctx, const foray_model *model,
                                       foray_explorer *explorer)
{
    fy_explorer_planner planner = {explorer, FORAY_PLUGIN};
    fy_family *family = NULL;
    foray_reward *worst = NULL;
    fy_gaps gaps;
    fy_summary summary;
    double gap, value[] = {1, 2, 3};
    foray_status status = fy_family_create(ctx, model, FY_TIMED, 2, 1, &family);
    if (status == FORAY_OK)
        status = measure(ctx, model, family, &planner, NULL, &gaps);
    if (status == FORAY_OK) {
        const foray_reward *start = family->reward[0];
        status = attack(ctx, model, &planner, 1, &start, 2, &gap, &worst);
    }
    if (status == FORAY_OK)
        status = fy_summarise(ctx, 3, value, 10, 0.9, 1, &summary);
    foray_reward_destroy(worst);
    fy_family_destroy(family);
    return status;
}

/* Every allocation fails in turn: an error, and (under sanitizers) nothing leaks. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = support_model(ctx, SUPPORT_TABULAR, small, 1);
    foray_explorer *explorer = explorer_after(ctx, model, 1, 2);
    foray_status status = FORAY_ERROR_MEMORY;
    int64_t failures = 0;
    for (; status != FORAY_OK; failures++) {
        assert_true(failures < 10000);
        ctx->allocations_left = failures;
        status = measure_everything(ctx, model, explorer);
        assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
    }
    ctx->allocations_left = -1;
    assert_true(failures > 20);
    foray_explorer_destroy(explorer);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_goal_is_one_state),
        cmocka_unit_test(drawn_goals_differ_and_none_is_left_out),
        cmocka_unit_test(random_families_are_as_defined),
        cmocka_unit_test(a_seed_gives_the_same_rewards),
        cmocka_unit_test(gaps_are_those_of_each_reward),
        cmocka_unit_test(occupancies_give_values),
        cmocka_unit_test(the_adversary_tells_the_truth),
        cmocka_unit_test(the_adversary_comes_near_brute_force),
        cmocka_unit_test(means_and_medians_by_hand),
        cmocka_unit_test(an_interval_by_hand),
        cmocka_unit_test(intervals_are_percentiles_of_resamples),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(without_theta_there_is_no_truth),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
