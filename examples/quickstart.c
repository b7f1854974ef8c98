/* quickstart.c - the main job from start to finish: explore a world once without
 * any reward, then plan for three rewards chosen afterwards, and compare the plans
 * with the truth, which only the world knows.
 *
 *   quickstart [EPISODES] */
#include <stdio.h>
#include <stdlib.h>

#include <foray/foray.h>

enum { REWARDS = 3 };

/* Ends the program with the library's message if a call failed. */
static void need(foray_context *ctx, foray_status status)
{
    if (status < 0) {
        fprintf(stderr, "quickstart: %s\n", foray_message(ctx));
        exit(1);
    }
}

/* One episode: ask for an action, let the world answer, tell the explorer. */
static void explore_once(foray_context *ctx, foray_explorer *explorer, foray_world *world,
                         uint64_t episode, int64_t horizon)
{
    foray_draw draw = {.seed = 1, .episode = episode, .step = 0};
    int64_t state, action, next;
    need(ctx, foray_explorer_begin(explorer));
    need(ctx, foray_world_reset(world, &draw, &state));
    for (int64_t t = 0; t < horizon; t++) {
        draw.step = (uint32_t)(t + 1);
        need(ctx, foray_explorer_act(explorer, state, &action));
        need(ctx, foray_world_step(world, &draw, state, action, &next));
        need(ctx, foray_explorer_observe(explorer, state, action, next));
        state = next;
    }
    need(ctx, foray_explorer_end(explorer));
}

/* Part of the map, and the steps during which being there earns 1. */
typedef struct place {
    int64_t row, col, size;
    int64_t first, last;
} place;

static void reward_place(foray_context *ctx, const foray_model *model, place at,
                         foray_reward *reward)
{
    for (int64_t s = 0; s < foray_model_states(model); s++) {
        int64_t row, col;
        if (!foray_model_cell(model, s, &row, &col) || row < at.row || row >= at.row + at.size ||
            col < at.col || col >= at.col + at.size)
            continue;
        for (int64_t t = at.first; t <= at.last; t++)
            need(ctx, foray_reward_set(ctx, reward, t, s, -1, 1.0));
    }
}

/* Three rewards that the explorer has never seen; the last one changes with time. */
static void make_rewards(foray_context *ctx, const foray_model *model, foray_reward **reward)
{
    int64_t end = foray_model_horizon(model) - 1;
    need(ctx, foray_reward_create(ctx, model, "reach the far corner", 0, 1, 0.0, &reward[0]));
    reward_place(ctx, model, (place){10, 10, 1, 0, end}, reward[0]);

    need(ctx, foray_reward_create(ctx, model, "stay in the middle room", 0, 1, 0.0, &reward[1]));
    reward_place(ctx, model, (place){4, 4, 3, 0, end}, reward[1]);

    need(ctx, foray_reward_create(ctx, model, "next room and back", 0, 1, 0.0, &reward[2]));
    reward_place(ctx, model, (place){0, 4, 3, 0, end / 2}, reward[2]);
    reward_place(ctx, model, (place){0, 0, 1, end / 2 + 1, end}, reward[2]);
}

/* Plans for all rewards in every mode, and evaluates the plans in the true model. */
static void print_table(foray_context *ctx, const foray_model *model, foray_explorer *explorer,
                        foray_reward *const *reward)
{
    foray_policy *policy[FORAY_MODES][REWARDS];
    for (int mode = 0; mode < FORAY_MODES; mode++)
        need(ctx, foray_explorer_plan(explorer, REWARDS, (const foray_reward *const *)reward, mode,
                                      policy[mode]));
    printf("%-24s %8s  %-12s %9s %10s %12s\n", "reward", "optimal", "plan", "value", "true gap",
           "certificate");
    for (int i = 0; i < REWARDS; i++) {
        for (int mode = 0; mode < FORAY_MODES; mode++) {
            double value, optimal;
            need(ctx, foray_evaluate(ctx, model, reward[i], policy[mode][i], &value, &optimal));
            printf("%-24s %8.4f  %-12s %9.5f %10.5f %12.4g\n",
                   mode == 0 ? foray_reward_name(reward[i]) : "", optimal, foray_mode_name(mode),
                   value, optimal - value, policy[mode][i]->certificate.gap);
            foray_policy_destroy(policy[mode][i]);
        }
    }
}

int main(int argc, char **argv)
{
    foray_settings settings;
    foray_context *ctx = foray_context_create();
    foray_model *model;
    foray_world *world;
    foray_explorer *explorer;
    foray_reward *reward[REWARDS];
    foray_certificate bound;

    foray_settings_default(&settings);
    need(ctx, foray_settings_set(ctx, &settings, "episodes", argc > 1 ? argv[1] : "200000"));
    need(ctx, foray_model_builtin(ctx, "rooms:rows=3,cols=3", &model));
    need(ctx, foray_world_from_model(ctx, model, &world));
    need(ctx, foray_explorer_create(ctx, model, &settings, &explorer));

    printf("Exploring nine slippery rooms without a reward: %lld states, %lld actions,\n"
           "%lld unknown probabilities, %lld episodes of %lld steps ...\n",
           (long long)foray_model_states(model), (long long)foray_model_actions(model),
           (long long)foray_model_dim(model), (long long)settings.episodes,
           (long long)foray_model_horizon(model));
    fflush(stdout);
    for (int64_t k = 0; k < settings.episodes; k++)
        explore_once(ctx, explorer, world, (uint64_t)k, foray_model_horizon(model));
    need(ctx, foray_explorer_bound(explorer, FORAY_KIND_PAIR, &bound));

    printf(
        "Planning for %d rewards it has not seen, each between 0 and 1 in a step: a plan earns at\n"
        "most %lld. With probability %g, no plan is further from the optimum than its "
        "certificate,\n"
        "and no plug-in plan, whatever its reward, than %.4f of those %lld. A certificate of 0\n"
        "proves that no plan is better.\n"
        "  optimistic    the best plan if all that is uncertain is as good as the data allow\n"
        "  plugin        the best plan if the estimate is the truth\n"
        "  pessimistic   the best plan if all that is uncertain is as bad as the data allow\n\n",
        REWARDS, (long long)foray_model_horizon(model), 1.0 - bound.delta, bound.gap,
        (long long)foray_model_horizon(model));
    make_rewards(ctx, model, reward);
    print_table(ctx, model, explorer, reward);

    for (int i = 0; i < REWARDS; i++)
        foray_reward_destroy(reward[i]);
    foray_explorer_destroy(explorer);
    foray_world_destroy(world);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
    return 0;
}
