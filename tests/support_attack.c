/* support_attack.c - see support_attack.h. */
#include "support_attack.h"
#include "support_linear.h"
#include "base/base.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- worlds */

enum { LINEAR = SUPPORT_KINDS, KINDS };
static const char *const kind_name[KINDS] = {"features", "mixture", "classes", "tabular", "linear"};

/* The belief with every law moved by as much as its features may be wrong:
 *   P_true(.|s,a) = (1 - zeta) P(.|s,a) + zeta Q(.|s,a),      Q any law over the successors. */
static foray_model *moved(foray_context *ctx, const foray_model *belief, support_random *random)
{
    double zeta = belief->feature_error, other[64];
    int64_t A = foray_model_actions(belief), pairs = foray_model_states(belief) * A;
    const double *theta = foray_model_theta(belief), *chance;
    const int32_t *next, *state;
    foray_builder *builder;
    foray_model *model;
    support_ok(ctx, foray_builder_create_tabular(ctx, foray_model_states(belief), A,
                                                 foray_model_horizon(belief), &builder));
    for (int64_t pair = 0; pair < pairs; pair++) {
        int64_t s = pair / A, a = pair % A, n = foray_model_successors(belief, s, a, &next);
        memset(other, 0, sizeof other);
        other[support_below(random, n)] = 1; /* as far as possible */
        for (int64_t j = 0; j < n; j++) {
            double p = foray_model_probability(belief, theta, s, a, j);
            foray_builder_transition(builder, s, a, next[j],
                                     fmin(1, fmax(0, (1 - zeta) * p + zeta * other[j])));
        }
    }
    int64_t initials = foray_model_initial(belief, &state, &chance);
    for (int64_t i = 0; i < initials; i++)
        foray_builder_initial(builder, state[i], chance[i]);
    support_ok(ctx, foray_builder_finish(builder, &model));
    foray_builder_destroy(builder);
    return model;
}

static void fill_chances(attack_world *world)
{
    const foray_model *truth = world->truth;
    int64_t A = truth->actions;
    world->chance = calloc((size_t)truth->succ_start[truth->pairs] + 1, sizeof *world->chance);
    for (int64_t pair = 0; pair < truth->pairs; pair++)
        for (int64_t i = truth->succ_start[pair], j = 0; i < truth->succ_start[pair + 1]; i++, j++)
            world->chance[i] = foray_model_probability(truth, truth->theta, pair / A, pair % A, j);
}

void attack_world_make(foray_context *ctx, uint64_t seed, attack_world *world)
{
    support_random random = {.seed = seed};
    int kind = (int)support_below(&random, KINDS);
    bool wrong = kind != LINEAR && support_uniform(&random) < 0.2;
    support_sizes sizes = {
        .states = 2 + support_below(&random, 5),
        .actions = 1 + support_below(&random, 3),
        .horizon = 1 + support_below(&random, 8),
        .successors = 1 + support_below(&random, 4),
        .dim = 1 + support_below(&random, 5),
        .error = wrong ? pow(10, -3 + 2 * support_uniform(&random)) : 0,
        .sharp = support_uniform(&random) < 0.5,
    };
    linear_sizes linear = {sizes.states, sizes.actions, sizes.horizon, sizes.dim};
    *world = (attack_world){0};
    world->belief = kind == LINEAR ? linear_random_world(ctx, linear, seed)
                                   : support_model(ctx, kind, sizes, seed);
    world->truth = wrong ? moved(ctx, world->belief, &random) : world->belief;
    fill_chances(world);
    snprintf(world->text, sizeof world->text, "%s S=%d A=%d H=%d n=%d d=%d%s error=%g",
             kind_name[kind], (int)sizes.states, (int)sizes.actions, (int)sizes.horizon,
             (int)sizes.successors, (int)sizes.dim, sizes.sharp ? " sharp" : "", sizes.error);
}

void attack_world_free(attack_world *world)
{
    if (world->truth != world->belief)
        foray_model_destroy(world->truth);
    foray_model_destroy(world->belief);
    free(world->chance);
}

/* ----------------------------------------------------------------- settings */

/* The i-th word of "this|that|other", counted modulo their number. */
static void take_word(const char *choices, int64_t i, char *out, size_t size)
{
    int64_t words = 1;
    for (const char *c = choices; *c; c++)
        words += *c == '|';
    for (i %= words; i > 0; i--)
        choices = strchr(choices, '|') + 1;
    snprintf(out, size, "%.*s", (int)strcspn(choices, "|"), choices);
}

/* Any value in the row's range; numbers mostly near the default. */
static void draw_value(const foray_parameter *row, support_random *random, char *out, size_t size)
{
    double usual = 0, value, far = pow(10, 2 - 4 * support_uniform(random));
    (void)fy_number_read(row->fallback, strlen(row->fallback), &usual);
    if (row->kind == FORAY_CHOICE) {
        take_word(row->choices, support_below(random, 64), out, size);
        return;
    }
    if (row->kind == FORAY_INTEGER)
        value = floor(support_uniform(random) < 0.5 ? row->min + 8 * support_uniform(random)
                                                    : usual * far);
    else
        value = usual > 0 ? usual * far : pow(10, -3 + 11 * support_uniform(random));
    value = fmin(fmax(value, row->min), row->max);
    snprintf(out, size, row->kind == FORAY_INTEGER ? "%.0f" : "%.6g", value);
}

/* Settings that are drawn apart, or say nothing about certificates. */
static bool drawn_apart(const char *name)
{
    static const char *const names[] = {"algorithm", "episodes", "until",
                                        "seed",      "delta",    "radius_scale"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

foray_settings attack_settings(support_random *random, char *text, size_t size)
{
    static const double deltas[] = {0.5, 0.3, 0.1, 0.05, 0.01};
    foray_context ctx = {.threads = 1, .allocations_left = -1};
    foray_settings settings;
    const char *name;
    const foray_parameter *row;
    int64_t algorithms = 0;
    while (support_algorithm(algorithms))
        algorithms++;
    name = support_algorithm(support_below(random, algorithms));
    foray_settings_default(&settings);
    snprintf(settings.algorithm, sizeof settings.algorithm, "%s", name);
    if (support_uniform(random) < 0.05)
        foray_settings_literal(&settings);
    settings.delta = deltas[support_below(random, 5)];
    settings.episodes = (int64_t)pow(2, 11 * support_uniform(random));
    int used = snprintf(text, size, "%s delta=%g episodes=%d", name, settings.delta,
                        (int)settings.episodes);
    for (int64_t i = 0; (row = foray_setting_describe(name, i)); i++) {
        char value[64];
        foray_settings before = settings;
        if (drawn_apart(row->name) || row->kind > FORAY_CHOICE || support_uniform(random) > 0.2)
            continue;
        draw_value(row, random, value, sizeof value);
        if (foray_settings_set(&ctx, &settings, row->name, value) != FORAY_OK ||
            foray_settings_check(&ctx, &settings) != FORAY_OK)
            settings = before; /* refused: that is an answer too */
        else if (used >= 0 && (size_t)used < size)
            used += snprintf(text + used, size - (size_t)used, " %s=%s", row->name, value);
    }
    return settings;
}

/* ------------------------------------------------------------------ rewards */

static double reward_entry(int kind, support_random *random, int64_t t, int64_t last)
{
    double u = support_uniform(random);
    switch (kind) {
    case 1: /* ties in every state */
        return floor(3 * u) / 2;
    case 2: /* seldom anything */
        return u < 0.1 ? 1 : 0;
    case 3: /* only at the end */
        return t == last ? u : 0;
    case 4: /* almost equal */
        return 0.5 + 1e-6 * u;
    default:
        return u;
    }
}

/* r_t(s,a,s') in [-1,2], discounted; and events. */
static void other_forms(foray_context *ctx, attack_world *world, support_random *random,
                        foray_reward *out[ATTACK_REWARDS])
{
    const foray_model *model = world->belief;
    int64_t A = foray_model_actions(model), S = foray_model_states(model);
    const int32_t *next;
    support_ok(ctx, foray_reward_create(ctx, model, "follows", -1, 2, 0, &out[8]));
    for (int64_t pair = 0; pair < S * A; pair++) {
        int64_t n = foray_model_successors(model, pair / A, pair % A, &next);
        for (int64_t j = 0; j < n; j++)
            support_ok(ctx, foray_reward_set_next(ctx, out[8], -1, pair / A, pair % A, next[j],
                                                  3 * support_uniform(random) - 1));
    }
    support_ok(ctx, foray_reward_set_discount(ctx, out[8], 0.5 + 0.5 * support_uniform(random)));
    world->reach = support_below(random, S);
    world->avoid = support_below(random, S);
    bool both = world->reach != world->avoid;
    support_ok(ctx, foray_reward_create_reach(ctx, model, "reach", 1, &world->reach, both,
                                              &world->avoid, &out[9]));
    support_ok(ctx,
               foray_reward_create_reach(ctx, model, "avoid", 0, NULL, 1, &world->avoid, &out[10]));
}

void attack_rewards(foray_context *ctx, attack_world *world, support_random *random,
                    foray_reward *out[ATTACK_REWARDS])
{
    const foray_model *model = world->belief;
    int64_t S = foray_model_states(model), A = foray_model_actions(model);
    int64_t H = foray_model_horizon(model);
    for (int kind = 0; kind < ATTACK_PLAIN; kind++) {
        support_ok(ctx,
                   foray_reward_create(ctx, model, "attack", 0, 1, kind == 7 ? 1 : 0, &out[kind]));
        for (int64_t t = 0; kind < 5 && t < H; t++)
            for (int64_t pair = 0; pair < S * A; pair++)
                support_ok(ctx, foray_reward_set(ctx, out[kind], t, pair / A, pair % A,
                                                 reward_entry(kind, random, t, H - 1)));
    }
    /* a goal; one action everywhere; and the last plain one is constant */
    support_ok(ctx, foray_reward_set(ctx, out[5], -1, support_below(random, S), -1, 1));
    support_ok(ctx, foray_reward_set(ctx, out[6], -1, -1, support_below(random, A), 1));
    other_forms(ctx, world, random, out);
}

/* What a state that ends the event is worth, at the end of the episode any state; NaN: not yet. */
static double worth(const attack_world *world, bool reaches, int64_t s, bool end)
{
    if (reaches && s == world->reach)
        return 1;
    if (s == world->avoid)
        return 0;
    return !end ? NAN : reaches ? 0 : 1;
}

static double attack_q(const attack_world *world, const foray_reward *reward, double discount,
                       int64_t t, int64_t s, int64_t a, const double *after)
{
    const foray_model *truth = world->truth;
    int64_t pair = s * truth->actions + a;
    double q = 0;
    for (int64_t i = truth->succ_start[pair]; i < truth->succ_start[pair + 1]; i++) {
        int64_t next = truth->succ[i];
        q += world->chance[i] *
             (foray_reward_next_at(reward, t, s, a, next) + discount * after[next]);
    }
    return q;
}

double attack_value(const attack_world *world, const foray_reward *reward,
                    const foray_policy *policy)
{
    const foray_model *truth = world->truth;
    int64_t S = truth->states, A = truth->actions, H = truth->horizon;
    double now[16] = {0}, after[16] = {0}, sum = 0;
    foray_reward_facts facts;
    foray_reward_describe(reward, &facts);
    bool reaches = strcmp(foray_reward_name(reward), "reach") == 0;
    for (int64_t s = 0; facts.stops && s < S; s++)
        now[s] = worth(world, reaches, s, true);
    for (int64_t t = H - 1; t >= 0; t--) {
        memcpy(after, now, sizeof after);
        for (int64_t s = 0; s < S; s++) {
            if (facts.stops && !isnan(worth(world, reaches, s, false)))
                continue;
            double best = -INFINITY;
            int64_t first = policy ? foray_policy_action(policy, t, s) : 0;
            int64_t last = policy ? first : A - 1;
            if (first < 0)
                continue; /* no episode gets there */
            for (int64_t a = first; a <= last; a++)
                best = fmax(best, attack_q(world, reward, facts.discount, t, s, a, after));
            now[s] = best;
        }
    }
    for (int64_t i = 0; i < truth->initials; i++)
        sum += truth->initial_probability[i] * now[truth->initial_state[i]];
    return sum;
}
