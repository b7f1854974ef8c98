/* test_explore_system.c - from a simulator to policies that work: three continuous systems,
 * each explored once through a small grid, planned for all its rewards, tried in reality. */
#include "support.h"

#include "base/base.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static foray_context *ctx;

typedef struct scene {
    foray_system *system;
    foray_clusters *clusters;
    foray_model *model;
    foray_explorer *explorer;
    foray_world *world;
} scene;

static int set_up(void **state)
{
    (void)state;
    ctx = foray_context_create();
    if (ctx)
        foray_context_set_threads(ctx, 2);
    return ctx ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    foray_context_destroy(ctx);
    return 0;
}

static void play_episode(scene *s, int64_t episode)
{
    foray_draw draw = {.seed = 1, .episode = (uint64_t)episode};
    int64_t state, action, next;
    support_ok(ctx, foray_explorer_begin(s->explorer));
    support_ok(ctx, foray_world_reset(s->world, &draw, &state));
    for (int64_t t = 0; t < foray_model_horizon(s->model); t++) {
        draw.step = (uint32_t)t + 1;
        support_ok(ctx, foray_explorer_act(s->explorer, state, &action));
        support_ok(ctx, foray_world_step(s->world, &draw, state, action, &next));
        support_ok(ctx, foray_explorer_observe(s->explorer, state, action, next));
        state = next;
    }
    support_ok(ctx, foray_explorer_end(s->explorer));
}

static void explore(const char *system, const char *clusters, int64_t episodes, scene *s)
{
    foray_aggregation how;
    foray_settings settings;
    foray_aggregation_default(&how);
    foray_settings_default(&settings);
    settings.episodes = episodes;
    support_ok(ctx, foray_system_open(ctx, system, &s->system));
    support_ok(ctx, foray_clusters_parse(ctx, s->system, clusters, &s->clusters));
    support_ok(ctx,
               foray_aggregate(ctx, s->system, s->clusters, &how, NULL, NULL, NULL, &s->model));
    support_ok(ctx, foray_model_check(ctx, s->model, NULL));
    support_ok(ctx, foray_explorer_create(ctx, s->model, &settings, &s->explorer));
    support_ok(ctx, foray_world_from_system(ctx, s->system, s->clusters, s->model, NULL,
                                            FORAY_CONTINUE_REAL, &s->world));
    for (int64_t k = 0; k < episodes; k++)
        play_episode(s, k);
}

static void close_scene(scene *s)
{
    foray_world_destroy(s->world);
    foray_explorer_destroy(s->explorer);
    foray_model_destroy(s->model);
    foray_clusters_destroy(s->clusters);
    foray_system_destroy(s->system);
}

enum { TRIES = 400 };

static double mean_return(scene *s, const foray_policy *policy, int64_t index)
{
    static double value[TRIES];
    double sum = 0;
    support_ok(ctx,
               foray_rollout(ctx, s->system, s->clusters, policy, index, NULL, 0, TRIES, 1, value));
    for (int e = 0; e < TRIES; e++)
        sum += value[e];
    return sum / TRIES;
}

/* What is asked of a policy for one reward: this much in reality, and not much less than one
 * planned with the true weights earns. A random policy earns less than `random`. */
typedef struct task {
    const char *reward;
    double at_least, random;
} task;

static void check_task(scene *s, int64_t index, const task *what)
{
    foray_reward *reward;
    foray_policy *learnt, *known;
    assert_string_equal(foray_system_describe(s->system)->reward_name[index], what->reward);
    support_ok(ctx,
               foray_system_reward_create(ctx, s->system, s->clusters, s->model, index, &reward));
    const foray_reward *rewards[] = {reward};
    support_ok(ctx, foray_explorer_plan(s->explorer, 1, rewards, FORAY_PLUGIN, &learnt));
    support_ok(ctx, foray_plan_known(ctx, s->model, reward, &known));
    double mine = mean_return(s, learnt, index), best = mean_return(s, known, index);
    /* Within the model the certificate holds. */
    double value, optimal;
    support_ok(ctx, foray_evaluate(ctx, s->model, reward, learnt, &value, &optimal));
    assert_true(optimal - value <= learnt->certificate.gap + 1e-9);
    for (int64_t i = 0; i < known->states * known->horizon; i++)
        known->action[i] = (int32_t)(i * 7919 % 101 % known->actions);
    double senseless = mean_return(s, known, index);
    if (mine < what->at_least || mine < best - 1 || senseless > what->random)
        fail_msg("%s: earned %g, with the true weights %g, senselessly %g", what->reward, mine,
                 best, senseless);
    foray_policy_destroy(learnt);
    foray_policy_destroy(known);
    foray_reward_destroy(reward);
}

static void run_tasks(const char *system, const char *clusters, const task *what, int64_t count)
{
    scene s;
    explore(system, clusters, 15, &s);
    assert_int_equal(foray_system_describe(s.system)->rewards, count);
    for (int64_t i = 0; i < count; i++)
        check_task(&s, i, &what[i]);
    close_scene(&s);
}

/* Of 40 steps some 12 are needed to swing up. */
static void the_pendulum_swings_up(void **unused)
{
    (void)unused;
    const task what[] = {{"balance", 22, 2}, {"left", 35, 20}, {"spin", 26, 12}, {"save", 18, 18}};
    run_tasks("pendulum", "grid:21x21", what, 4);
}

/* Of 30 steps some 12 are needed to get up a hill. */
static void the_car_gets_up_both_hills(void **unused)
{
    (void)unused;
    const task what[] = {{"right", 15, 2}, {"left", 15, 2}, {"valley", 28, 26}, {"save", 15, 14}};
    run_tasks("mountaincar", "grid:21x21", what, 4);
}

static void the_tanks_keep_their_levels(void **unused)
{
    (void)unused;
    const task what[] = {{"low", 24, 10}, {"high", 18, 10}, {"below", 10, 10}, {"save", 19, 17}};
    run_tasks("tank", "grid:17x17", what, 4);
}

/* With noise the model has Monte Carlo error, and the certificate contains it. */
static void noise_widens_certificates(void **unused)
{
    (void)unused;
    foray_certificate still, noisy;
    scene s;
    explore("mountaincar", "grid:9x9", 200, &s);
    assert_true(s.model->feature_error == 0);
    support_ok(ctx, foray_explorer_bound(s.explorer, FORAY_KIND_PAIR, &still));
    close_scene(&s);
    explore("mountaincar:noise=1", "grid:9x9", 200, &s);
    assert_true(s.model->feature_error > 0);
    support_ok(ctx, foray_explorer_bound(s.explorer, FORAY_KIND_PAIR, &noisy));
    assert_true(noisy.gap >= still.gap);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pendulum_swings_up),
        cmocka_unit_test(the_car_gets_up_both_hills),
        cmocka_unit_test(the_tanks_keep_their_levels),
        cmocka_unit_test(noise_widens_certificates),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
