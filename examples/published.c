/* published.c - measures, with this library, what papers have published; docs/published.md
 * compares its output with their numbers.
 *
 *   published > tables.md          takes about half a minute */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <foray/lab.h>

static foray_context *ctx; /* one thread, one context */

static void need(foray_status status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "published: %s\n", foray_message(ctx));
    exit(1);
}

/* ----------------------------------------------------------- worlds, rewards */

static double chance(const foray_model *model, int64_t s, int64_t a, int64_t next)
{
    const int32_t *successor;
    int64_t n = foray_model_successors(model, s, a, &successor);
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        if (successor[j] == next)
            sum += foray_model_probability(model, foray_model_theta(model), s, a, j);
    return sum;
}

/* The same world with little known beforehand: which states may follow a pair, and nothing
 * about what pairs have in common. */
static foray_model *forget_laws(const foray_model *model)
{
    int64_t states = foray_model_states(model), actions = foray_model_actions(model);
    const int32_t *first;
    const double *probability;
    foray_builder *builder;
    foray_model *table;
    need(foray_builder_create_tabular(ctx, states, actions, foray_model_horizon(model), &builder));
    for (int64_t s = 0; s < states; s++)
        for (int64_t a = 0; a < actions; a++)
            for (int64_t next = 0; next < states; next++)
                if (chance(model, s, a, next) > 0)
                    foray_builder_transition(builder, s, a, next, chance(model, s, a, next));
    foray_model_initial(model, &first, &probability);
    foray_builder_initial(builder, first[0], 1);
    need(foray_builder_finish(builder, &table));
    foray_builder_destroy(builder);
    return table;
}

typedef double (*reward_fn)(const foray_model *model, int64_t s, int64_t a);

static double stay_at_the_end(const foray_model *model, int64_t s, int64_t a)
{
    int64_t last = foray_model_states(model) - 1;
    return s == last ? chance(model, s, a, last) : 0;
}

static double enter_the_goal(const foray_model *model, int64_t s, int64_t a)
{
    return chance(model, s, a, 16 * 21 + 16);
}

static double swim(const foray_model *model, int64_t s, int64_t a)
{
    bool at_end = s == foray_model_states(model) - 1;
    return s == 0 && a == 0 ? 0.005 : at_end && a == 1 ? 1 : 0;
}

static double treasure(const foray_model *model, int64_t s, int64_t a)
{
    (void)a;
    return s == foray_model_states(model) - 1;
}

/* r_t(s,a) = discount^t r(s,a): planning for it is planning with a discount. */
static foray_reward *reward_of(const foray_model *model, reward_fn r, double discount)
{
    foray_reward *reward;
    need(foray_reward_create(ctx, model, "published", 0, 1, 0, &reward));
    for (int64_t t = 0; t < foray_model_horizon(model); t++)
        for (int64_t s = 0; s < foray_model_states(model); s++)
            for (int64_t a = 0; a < foray_model_actions(model); a++)
                need(foray_reward_set(ctx, reward, t, s, a,
                                      pow(discount, (double)t) * r(model, s, a)));
    return reward;
}

static double best_value(const foray_model *model, const foray_reward *reward)
{
    double optimal;
    need(foray_evaluate(ctx, model, reward, NULL, NULL, &optimal));
    return optimal;
}

/* ------------------------------------------------------------------ exploring */

/* One run of an algorithm in a world. */
typedef struct trial {
    const foray_model *model;
    const foray_reward *reward;
    foray_world *world;
    foray_explorer *explorer;
    uint64_t seed;
    int64_t episodes;
    double collected; /* of the reward, while exploring */
} trial;

/* `spec` is an algorithm and its settings: "rf-ucrl pooled=on". */
static foray_settings settings_of(const char *spec, int64_t seed, int64_t episodes)
{
    foray_settings settings;
    char text[256], *rest = text;
    foray_settings_default(&settings);
    settings.seed = seed;
    settings.episodes = episodes;
    snprintf(text, sizeof text, "%s", spec);
    snprintf(settings.algorithm, sizeof settings.algorithm, "%s", strtok_r(text, " ", &rest));
    for (char *word; (word = strtok_r(NULL, " ", &rest)) != NULL;) {
        char *value = strchr(word, '=');
        if (strcmp(word, "literal") == 0) {
            foray_settings_literal(&settings);
            continue;
        }
        *value = 0;
        need(foray_settings_set(ctx, &settings, word, value + 1));
    }
    return settings;
}

static trial start(const foray_model *model, const foray_reward *reward, const char *spec,
                   int64_t seed, int64_t episodes)
{
    foray_settings settings = settings_of(spec, seed, episodes);
    trial t = {.model = model, .reward = reward, .seed = (uint64_t)seed};
    need(foray_world_from_model(ctx, model, &t.world));
    need(foray_explorer_create(ctx, model, &settings, &t.explorer));
    if (foray_algorithm_needs_reward(settings.algorithm))
        need(foray_explorer_give_reward(t.explorer, reward));
    return t;
}

static void end(trial *t)
{
    foray_explorer_destroy(t->explorer);
    foray_world_destroy(t->world);
}

static void play_episode(trial *t)
{
    foray_draw draw = {.seed = t->seed, .episode = (uint64_t)t->episodes++};
    int64_t state, action, next;
    need(foray_explorer_begin(t->explorer));
    need(foray_world_reset(t->world, &draw, &state));
    for (int64_t step = 0; step < foray_model_horizon(t->model); step++) {
        draw.step = (uint32_t)step + 1;
        need(foray_explorer_query(t->explorer, &state));
        need(foray_explorer_act(t->explorer, state, &action));
        need(foray_world_step(t->world, &draw, state, action, &next));
        need(foray_explorer_observe(t->explorer, state, action, next));
        t->collected += foray_reward_at(t->reward, step, state, action);
        state = next;
    }
    need(foray_explorer_end(t->explorer));
}

static void play_until(trial *t, int64_t episodes)
{
    while (t->episodes < episodes)
        play_episode(t);
}

/* The plug-in plan for the trial's reward. */
static foray_policy *plan(const trial *t)
{
    const foray_reward *rewards[] = {t->reward};
    foray_policy *policy;
    need(foray_explorer_plan(t->explorer, 1, rewards, FORAY_PLUGIN, &policy));
    return policy;
}

/* ---------------------------------------------------- RF-UCRL's experiments */

enum { POINTS = 4, RUNS = 12 };
static const int64_t samples[POINTS] = {1000, 3162, 10000, 31622};

/* |V^ - V*| after a number of samples, the mean of 12 runs. */
static void estimation_errors(const foray_model *model, const foray_reward *reward,
                              const char *spec)
{
    double error[POINTS] = {0}, optimal = best_value(model, reward);
    int64_t horizon = foray_model_horizon(model), max = samples[POINTS - 1] / horizon;
    for (int64_t seed = 1; seed <= RUNS; seed++) {
        trial t = start(model, reward, spec, seed, max);
        for (int i = 0; i < POINTS; i++) {
            play_until(&t, samples[i] / horizon);
            foray_policy *policy = plan(&t);
            error[i] += fabs(policy->value[FORAY_PLUGIN] - optimal) / RUNS;
            foray_policy_destroy(policy);
        }
        end(&t);
    }
    printf("| `%s` | %.2f | %.2f | %.2f | %.3f |\n", spec, error[0], error[1], error[2], error[3]);
    fflush(stdout);
}

static void rf_ucrl_table(const char *world, reward_fn r, const char *const *specs, int64_t count)
{
    foray_model *known, *model;
    need(foray_model_builtin(ctx, world, &known));
    model = forget_laws(known);
    foray_reward *reward = reward_of(model, r, 0.99);
    printf("\n%s: V* = %.10f\n\n", world, best_value(model, reward));
    printf("| algorithm | 1,000 | 3,162 | 10,000 | 31,622 |\n|---|---|---|---|---|\n");
    for (int64_t i = 0; i < count; i++)
        estimation_errors(model, reward, specs[i]);
    foray_reward_destroy(reward);
    foray_model_destroy(model);
    foray_model_destroy(known);
}

/* ----------------------------------------------------- POWERS' experiments */

/* What 1000 episodes collect: mean and standard deviation of 20 runs. */
static void returns(const foray_model *model, const foray_reward *reward, const char *spec)
{
    enum { EPISODES = 1000, TRIALS = 20 };
    double sum = 0, squares = 0;
    for (int64_t seed = 1; seed <= TRIALS; seed++) {
        trial t = start(model, reward, spec, seed, EPISODES);
        play_until(&t, EPISODES);
        sum += t.collected / TRIALS;
        squares += t.collected * t.collected / TRIALS;
        end(&t);
    }
    printf("| `%s` | %.0f | %.0f |\n", spec, sum, sqrt(fmax(squares - sum * sum, 0)));
    fflush(stdout);
}

static void returns_table(const foray_model *model, const foray_reward *reward,
                          const char *const *specs, size_t count)
{
    printf("| algorithm | return of 1000 episodes | standard deviation |\n|---|---|---|\n");
    for (size_t i = 0; i < count; i++)
        returns(model, reward, specs[i]);
}

static void trapdoor_table(void)
{
    static const char *const specs[] = {"ucrl-vtr",
                                        "ucrl-vtr radius_scale=0.1",
                                        "ucrl-vtr literal",
                                        "ucrl-vtr+",
                                        "ucrl-vtr+ radius_scale=0.01",
                                        "ucrl-vtr+ radius_scale=0.001",
                                        "ucrl-vtr+ literal",
                                        "ucrl-rfe",
                                        "random"};
    foray_model *model;
    need(foray_model_builtin(ctx, "trapdoor", &model));
    foray_reward *reward = reward_of(model, treasure, 1);
    printf("\ntrapdoor: the best policy collects %.3f\n\n", 1000 * best_value(model, reward));
    returns_table(model, reward, specs, sizeof specs / sizeof *specs);
    foray_reward_destroy(reward);
    foray_model_destroy(model);
}

/* ------------------------------------------------------ UCRL-VTR's river */

static void river_table(void)
{
    for (int states = 3; states <= 5; states++) {
        char world[64];
        foray_model *model;
        snprintf(world, sizeof world, "riverswim:states=%d", states);
        need(foray_model_builtin(ctx, world, &model));
        foray_reward *reward = reward_of(model, swim, 1);
        static const char *const specs[] = {"ucrl-vtr", "ucrl-vtr literal", "ucrl-rfe", "random"};
        printf("\n%s: V* = %.4f\n\n", world, best_value(model, reward));
        returns_table(model, reward, specs, sizeof specs / sizeof *specs);
        foray_reward_destroy(reward);
        foray_model_destroy(model);
    }
}

int main(void)
{
    static const char *const chain[] = {"rf-ucrl",
                                        "rf-ucrl pooled=on",
                                        "rf-ucrl pooled=on radius_scale=0.1",
                                        "rf-ucrl pooled=on radius_scale=0.05",
                                        "rf-ucrl pooled=on radius_scale=0.02",
                                        "rf-express pooled=on",
                                        "ucrl-rfe",
                                        "random",
                                        "random lambda=0.001",
                                        "generative",
                                        "generative lambda=0.001"};
    static const char *const grid[] = {"rf-ucrl pooled=on", "rf-ucrl pooled=on radius_scale=0.05",
                                       "random lambda=0.001", "generative lambda=0.001"};
    ctx = foray_context_create();
    if (ctx == NULL)
        return 1;
    rf_ucrl_table("chain:zones=1,laws=1,spread=0,success=0.95", stay_at_the_end, chain,
                  sizeof chain / sizeof *chain);
    rf_ucrl_table("grid:rows=21,cols=21,slips=1", enter_the_goal, grid, sizeof grid / sizeof *grid);
    trapdoor_table();
    river_table();
    foray_context_destroy(ctx);
    return 0;
}
