/* test_enclosure.c - what was seen of an unstructured model, exported as an interval model: the
 * truth lies between what a robust verifier finds with an unkind and with a kind nature, although
 * much of the world was never seen, for rewards of pairs, of what follows, and of reaching and
 * avoiding states.
 *
 * Robust values come from another reader of the file and a slow value iteration (oracle_umb). Each
 * run may fail with probability delta; over all runs the failures must not exceed what a binomial
 * variable exceeds with probability 1e-6. The controls fail far more often: intervals nine tenths
 * of which are cut away, and `elsewhere` that earns nothing. */
#include "oracle_truth.h"
#include "oracle_umb.h"
#include "support.h"
#include "export/export.h"
#include "explore/unstructured/unstructured.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 150, STATES = 7, ACTIONS = 2, HORIZON = 4, REWARDS = 5 };
static const double DELTA = 0.1;

/* The world, and the same as somebody sees it who knows nothing of it. */
typedef struct pair_of_models {
    foray_model *world, *open;
    foray_reward *true_reward[REWARDS], *reward[REWARDS];
    foray_explorer *explorer;
} pair_of_models;

/* ------------------------------------------------------------------------ rewards */

static void set_values(foray_context *ctx, const foray_model *model, foray_reward *reward,
                       uint64_t seed, bool ahead)
{
    support_random random = {.seed = seed};
    for (int64_t s = 0; s < STATES; s++)
        for (int64_t a = 0; a < ACTIONS; a++) {
            double worth[STATES];
            const int32_t *next;
            for (int64_t i = 0; i < STATES; i++)
                worth[i] = support_below(&random, 4) == 0 ? 3 * support_uniform(&random) - 1 : 0;
            if (!ahead) {
                support_ok(ctx, foray_reward_set(ctx, reward, -1, s, a, worth[0]));
                continue;
            }
            if (foray_model_is_unstructured(model)) {
                for (int64_t i = 0; i < STATES; i++)
                    support_ok(ctx, foray_reward_set_next(ctx, reward, -1, s, a, i, worth[i]));
                continue;
            }
            int64_t count = foray_model_successors(model, s, a, &next);
            for (int64_t j = 0; j < count; j++)
                support_ok(ctx,
                           foray_reward_set_next(ctx, reward, -1, s, a, next[j], worth[next[j]]));
        }
}

/* The same five rewards for either model. */
static void make_rewards(foray_context *ctx, const foray_model *model, uint64_t seed,
                         foray_reward **out)
{
    const int64_t goal = (int64_t)(seed % STATES), bad = (int64_t)((seed + 3) % STATES);
    support_ok(ctx, foray_reward_create(ctx, model, "pairs", -1, 2, 0, &out[0]));
    set_values(ctx, model, out[0], seed, false);
    support_ok(ctx, foray_reward_create(ctx, model, "next", -1, 2, 0, &out[1]));
    set_values(ctx, model, out[1], seed, true);
    support_ok(ctx, foray_reward_create_reach(ctx, model, "there", 1, &goal, 0, NULL, &out[2]));
    support_ok(ctx, foray_reward_create_reach(ctx, model, "safely", 1, &goal, 1, &bad, &out[3]));
    support_ok(ctx, foray_reward_create_reach(ctx, model, "never", 0, NULL, 1, &bad, &out[4]));
}

/* ------------------------------------------------------------------------- models */

static void make_models(foray_context *ctx, uint64_t seed, bool told, pair_of_models *m)
{
    support_sizes sizes = {
        .states = STATES, .actions = ACTIONS, .horizon = HORIZON, .successors = 3, .dim = 3};
    char spec[100];
    const int32_t *first;
    const double *p;
    m->world = support_model(ctx, SUPPORT_TABULAR, sizes, seed);
    int64_t firsts = foray_model_initial(m->world, &first, &p);
    int length = snprintf(spec, sizeof spec, "unstructured:states=%d,actions=%d,horizon=%d", STATES,
                          ACTIONS, HORIZON);
    assert_int_equal(firsts, 2);
    if (told)
        snprintf(spec + length, sizeof spec - (size_t)length, ",initial=%d:%g+%d:%g", (int)first[0],
                 p[0], (int)first[1], p[1]);
    support_ok(ctx, foray_model_builtin(ctx, spec, &m->open));
    make_rewards(ctx, m->world, seed, m->true_reward);
    make_rewards(ctx, m->open, seed, m->reward);
}

static void explore(foray_context *ctx, uint64_t seed, pair_of_models *m)
{
    static const int episodes[] = {1, 8, 60, 400};
    foray_settings settings;
    foray_world *world;
    foray_settings_default(&settings);
    support_ok(ctx, foray_settings_set(ctx, &settings, "algorithm", "random"));
    settings.seed = (int64_t)seed;
    settings.delta = DELTA;
    support_ok(ctx, foray_explorer_create(ctx, m->open, &settings, &m->explorer));
    support_ok(ctx, foray_world_from_model(ctx, m->world, &world));
    for (int i = 0; i < episodes[seed % 4]; i++)
        support_ok(ctx, foray_explorer_play(m->explorer, world, NULL, NULL));
    foray_world_destroy(world);
}

static void destroy_models(pair_of_models *m)
{
    foray_explorer_destroy(m->explorer);
    for (int i = 0; i < REWARDS; i++) {
        foray_reward_destroy(m->true_reward[i]);
        foray_reward_destroy(m->reward[i]);
    }
    foray_model_destroy(m->world);
    foray_model_destroy(m->open);
}

/* -------------------------------------------------------------------- robust values */

typedef struct counts {
    int64_t outside, narrow, nothing; /* runs that are wrong: as they are, and the two controls */
    int64_t told;                     /* runs whose first state is known */
    double width;
} counts;

static char *export_enclosure(foray_context *ctx, const fy_enclosure *enclosure,
                              const foray_reward *reward, size_t *size)
{
    foray_reward *own;
    const foray_reward *list;
    char *data;
    support_ok(ctx, fy_enclosure_reward(ctx, enclosure, reward, &own));
    list = own;
    fy_export_options what = {.low = enclosure->min,
                              .high = enclosure->max,
                              .delta = enclosure->about.delta,
                              .about = "test",
                              .rewards = 1,
                              .reward = &list};
    support_ok(ctx, fy_model_export(ctx, enclosure->model, &what, "umb", &data, size));
    foray_reward_destroy(own);
    return data;
}

/* The second control: everywhere else earns 0, as verifiers take an absorbing state to do. */
static bool earns_nothing_elsewhere(const umb_file *file, const fy_enclosure *enclosure,
                                    double truth)
{
    umb_file control = *file;
    double width, *reward = malloc((size_t)file->choices * sizeof *reward);
    memcpy(reward, file->reward, (size_t)file->choices * sizeof *reward);
    reward[file->first_choice[enclosure->high]] = reward[file->first_choice[enclosure->low]] = 0;
    control.reward = reward;
    bool right = umb_contains(&control, enclosure->model, truth, 0, &width);
    free(reward);
    return right;
}

static void try_seed(foray_context *ctx, uint64_t seed, bool told, counts *n)
{
    pair_of_models m = {0};
    fy_enclosure enclosure;
    bool all = true, narrow = true, nothing = true;
    make_models(ctx, seed, told, &m);
    explore(ctx, seed, &m);
    support_ok(ctx, fy_explorer_enclose(m.explorer, &enclosure));
    assert_int_equal(enclosure.about.status, FORAY_CERTIFIED);
    assert_true(enclosure.about.delta == DELTA);
    assert_int_equal(foray_model_horizon(enclosure.model), HORIZON + (enclosure.start >= 0));
    n->told += enclosure.start < 0;
    for (int i = 0; i < REWARDS; i++) {
        umb_file file;
        size_t size;
        double width;
        char *data = export_enclosure(ctx, &enclosure, m.reward[i], &size);
        double truth = support_optimal(ctx, m.world, m.true_reward[i]);
        assert_true(umb_open(data, size, &file));
        if (i == 4) { /* the only label is one of states to avoid */
            file.avoid = file.reach;
            file.reach = NULL;
        }
        narrow = narrow && umb_contains(&file, enclosure.model, truth, 0.9, &width);
        all = all && umb_contains(&file, enclosure.model, truth, 0, &width);
        if (i == 0)
            nothing = earns_nothing_elsewhere(&file, &enclosure, truth);
        n->width += seed % 4 == 3 ? width / (i < 2 ? 3 * HORIZON : 1) / REWARDS : 0;
        foray_free(data);
    }
    n->outside += !all;
    n->narrow += !narrow;
    n->nothing += !nothing;
    fy_enclosure_clear(&enclosure);
    destroy_models(&m);
}

static void true_values_lie_between(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    for (int told = 0; told < 2; told++) {
        counts n = {0};
        int64_t max = truth_max_failures(SEEDS, DELTA);
        for (uint64_t seed = 0; seed < SEEDS; seed++)
            try_seed(ctx, seed, told, &n);
        if (n.outside > max)
            fail_msg("%d of %d runs are wrong", (int)n.outside, SEEDS);
        assert_true(n.narrow > max);
        assert_true(n.nothing > max);
        assert_true(n.width / (SEEDS / 4.0) < 0.7); /* 400 episodes say something */
        assert_int_equal(n.told, told ? SEEDS : 0);
    }
    foray_context_destroy(ctx);
}

/* ------------------------------------------------------------------ what it consists of */

static void nothing_seen_is_anything(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model;
    foray_explorer *explorer;
    foray_settings settings;
    fy_enclosure enclosure;
    foray_settings_default(&settings);
    support_ok(ctx, foray_settings_set(ctx, &settings, "algorithm", "random"));
    support_ok(ctx, foray_model_builtin(ctx, "unstructured:states=9,actions=2,horizon=3,initial=4",
                                        &model));
    support_ok(ctx, foray_explorer_create(ctx, model, &settings, &explorer));
    support_ok(ctx, fy_explorer_enclose(explorer, &enclosure));
    assert_int_equal(foray_model_states(enclosure.model), 3);
    assert_int_equal(enclosure.state[0], 4);
    assert_string_equal(foray_model_state_name(enclosure.model, 0), "4");
    assert_string_equal(foray_model_state_name(enclosure.model, enclosure.high), "elsewhere_high");
    for (int i = 0; i < 4; i++) /* both actions of the first state, to high and to low */
        assert_true(enclosure.min[i] == 0 && enclosure.max[i] == 1);
    fy_enclosure_clear(&enclosure);
    foray_explorer_destroy(explorer);
    foray_model_destroy(model);
    support_ok(ctx, foray_model_builtin(ctx, "riverswim", &model));
    support_ok(ctx, foray_explorer_create(ctx, model, &settings, &explorer));
    assert_int_equal(fy_explorer_enclose(explorer, &enclosure), FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(ctx), "not an unstructured model"));
    foray_explorer_destroy(explorer);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int64_t fail = 0;; fail++) {
        foray_context *ctx = foray_context_create();
        pair_of_models m = {0};
        fy_enclosure enclosure;
        foray_reward *reward = NULL;
        make_models(ctx, 1, false, &m);
        explore(ctx, 1, &m);
        ctx->allocations_left = fail;
        foray_status status = fy_explorer_enclose(m.explorer, &enclosure);
        if (status == FORAY_OK)
            status = fy_enclosure_reward(ctx, &enclosure, m.reward[1], &reward);
        ctx->allocations_left = -1;
        foray_reward_destroy(reward);
        fy_enclosure_clear(&enclosure);
        destroy_models(&m);
        foray_context_destroy(ctx);
        if (status == FORAY_OK)
            return;
        assert_int_equal(status, FORAY_ERROR_MEMORY);
        assert_true(fail < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(true_values_lie_between),
        cmocka_unit_test(nothing_seen_is_anything),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
