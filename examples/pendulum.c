/* pendulum.c - a continuous system from start to finish: look at a pendulum through clusters,
 * explore it once without any reward, plan for the four rewards it defines, and try the
 * policies in the real pendulum, next to policies planned with the true parameters.
 *
 *   pendulum [EPISODES]
 *
 * The run is kept in pendulum.foray, which foray plan, foray report and foray verify can read.
 * With a system of your own, foray_system_create replaces foray_system_open; everything after
 * it stays the same. */
#include <stdio.h>
#include <stdlib.h>

#include <foray/foray.h>

enum { TRIES = 2000 };

/* Ends the program with the library's message if a call failed. */
static void need(foray_context *ctx, foray_status status)
{
    if (status < 0) {
        fprintf(stderr, "pendulum: %s\n", foray_message(ctx));
        exit(1);
    }
}

/* What a policy earns in the real system: the mean with its interval. */
static foray_return try_policy(foray_context *ctx, foray_system *system,
                               const foray_clusters *clusters, const foray_policy *policy,
                               int64_t reward)
{
    static double earned[TRIES];
    foray_return found;
    need(ctx, foray_rollout(ctx, system, clusters, policy, reward, NULL, 0, TRIES, 1, earned));
    need(ctx, foray_mean_interval(ctx, TRIES, earned, 0, (double)policy->horizon, 0.95, &found));
    return found;
}

/* Plans for one reward with what was learnt and with the true weights, and tries both. */
static void compare(foray_context *ctx, foray_system *system, const foray_clusters *clusters,
                    foray_run *run, int64_t index)
{
    const foray_model *model = foray_run_model(run);
    foray_reward *reward;
    foray_policy *learnt, *known;
    need(ctx, foray_system_reward_create(ctx, system, clusters, model, index, &reward));
    const foray_reward *rewards[] = {reward};
    need(ctx, foray_run_plan(run, 1, rewards, FORAY_PLUGIN, &learnt));
    need(ctx, foray_plan_known(ctx, model, reward, &known));
    foray_return mine = try_policy(ctx, system, clusters, learnt, index);
    foray_return best = try_policy(ctx, system, clusters, known, index);
    printf("%-10s %8.3f [%6.3f, %6.3f]   %8.3f [%6.3f, %6.3f]   %11.4g\n",
           foray_reward_name(reward), mine.mean, mine.low, mine.high, best.mean, best.low,
           best.high, learnt->certificate.gap);
    foray_policy_destroy(learnt);
    foray_policy_destroy(known);
    foray_reward_destroy(reward);
}

int main(int argc, char **argv)
{
    foray_context *ctx = foray_context_create();
    foray_aggregation how;
    foray_settings settings;
    foray_system *system;
    foray_clusters *clusters;
    foray_model *model;
    foray_world *world;
    foray_run *run;

    /* What the pendulum looks like through clusters, by asking its eight simulators. */
    foray_context_set_threads(ctx, 2);
    foray_aggregation_default(&how);
    need(ctx, foray_system_open(ctx, "pendulum", &system));
    need(ctx, foray_clusters_parse(ctx, system, "grid:31x31", &clusters));
    need(ctx, foray_aggregate(ctx, system, clusters, &how, NULL, NULL, NULL, &model));

    /* Explore the real one: it walks in real states, and reports clusters. No reward so far. */
    foray_settings_default(&settings);
    need(ctx, foray_settings_set(ctx, &settings, "episodes", argc > 1 ? argv[1] : "200"));
    need(ctx,
         foray_world_from_system(ctx, system, clusters, model, NULL, FORAY_CONTINUE_REAL, &world));
    need(ctx, foray_run_create(ctx, "pendulum.foray", FORAY_RUN_REPLACE, model,
                               "pendulum@grid:31x31", &settings, &run));
    need(ctx, foray_run_explore(run, 1, &world, NULL, NULL));

    const foray_system_spec *spec = foray_system_describe(system);
    printf("%lld clusters, %lld episodes of %lld steps; returns over %d episodes in reality\n\n",
           (long long)foray_clusters_count(clusters), (long long)settings.episodes,
           (long long)spec->horizon, TRIES);
    printf("%-10s %-25s   %-25s   %s\n", "reward", "explored", "true parameters", "certificate");
    for (int64_t i = 0; i < spec->rewards; i++)
        compare(ctx, system, clusters, run, i);

    foray_run_close(run);
    foray_world_destroy(world);
    foray_model_destroy(model);
    foray_clusters_destroy(clusters);
    foray_system_destroy(system);
    foray_context_destroy(ctx);
    return 0;
}
