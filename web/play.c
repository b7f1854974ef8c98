/* play.c - the library as the playground has it: one world and one explorer at a time, behind
 * functions that JavaScript can call. Texts and arrays lie in memory that both sides see; every
 * function that can fail returns a foray_status, and play_message says why.
 *
 * This is a program of its own, not a part of the library, so it may keep what it works on in
 * variables; of the library it uses the public header alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <foray/foray.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

static struct {
    foray_context *ctx;
    foray_model *model;
    foray_settings settings;
    foray_explorer *explorer;
    foray_world *world;       /* NULL: theta is not known, and nobody can walk here */
    foray_system *system;     /* behind the clusters; NULL: none, or none that is built in */
    foray_clusters *clusters; /* NULL with it */
    double *path;             /* [horizon + 1][3] what play_roll gave */
    foray_reward *reward;
    foray_policy *policy;
    int32_t *action; /* [horizon][states] of the policy */
    foray_doubt *doubt;
    double *theta; /* [dim] the estimate; NULL: not asked for yet */
    double *worth; /* [horizon + 1][states] V_t of the policy, for play_worth; NULL the same */
    double *action_worth; /* [actions] */
    uint8_t *state;       /* what play_save gave */
    size_t state_size;
} play;

/* ----------------------------------------------------------------------- memory, messages */

void *EXPORT(play_alloc)(size_t size)
{
    return malloc(size > 0 ? size : 1);
}

void EXPORT(play_free)(void *memory)
{
    free(memory);
}

const char *EXPORT(play_message)(void)
{
    return play.ctx ? foray_message(play.ctx) : "out of memory";
}

/* ------------------------------------------------------------------------- opening, exploring */

static void drop_worth(void)
{
    free(play.theta);
    free(play.worth);
    free(play.action_worth);
    play.theta = NULL;
    play.worth = NULL;
    play.action_worth = NULL;
}

static void drop_plan(void)
{
    drop_worth();
    foray_doubt_destroy(play.doubt);
    foray_policy_destroy(play.policy);
    foray_reward_destroy(play.reward);
    free(play.action);
    play.action = NULL;
    play.doubt = NULL;
    play.policy = NULL;
    play.reward = NULL;
}

/* Nothing is open afterwards, and settings are what they are by default. */
foray_status EXPORT(play_close)(void)
{
    drop_plan();
    foray_clusters_destroy(play.clusters);
    foray_system_destroy(play.system);
    free(play.path);
    play.clusters = NULL;
    play.system = NULL;
    play.path = NULL;
    foray_explorer_destroy(play.explorer);
    foray_world_destroy(play.world);
    foray_model_destroy(play.model);
    foray_free(play.state);
    play.explorer = NULL;
    play.world = NULL;
    play.model = NULL;
    play.state = NULL;
    if (!play.ctx)
        play.ctx = foray_context_create();
    foray_settings_default(&play.settings);
    return play.ctx ? FORAY_OK : FORAY_ERROR_MEMORY;
}

/* The model that a file has, or with size 0 the built-in world that the text names. */
foray_status EXPORT(play_model)(const char *data, size_t size)
{
    foray_status status = size > 0 ? foray_model_parse(play.ctx, data, size, "model", &play.model)
                                   : foray_model_builtin(play.ctx, data, &play.model);
    if (status == FORAY_OK && foray_model_theta(play.model))
        status = foray_world_from_model(play.ctx, play.model, &play.world);
    return status;
}

foray_status EXPORT(play_set)(const char *name, const char *value)
{
    return foray_settings_set(play.ctx, &play.settings, name, value);
}

/* The explorer of these settings, before its first episode. */
foray_status EXPORT(play_begin)(void)
{
    return foray_explorer_create(play.ctx, play.model, &play.settings, &play.explorer);
}

/* The reward that it explores for, of algorithms that see one. */
foray_status EXPORT(play_give)(const char *text)
{
    foray_reward *reward;
    foray_status status =
        foray_reward_parse(play.ctx, play.model, text, strlen(text), "reward", &reward);
    if (status != FORAY_OK)
        return status;
    status = foray_explorer_give_reward(play.explorer, reward);
    foray_reward_destroy(reward);
    return status;
}

foray_status EXPORT(play_load)(const uint8_t *data, size_t size)
{
    drop_plan();
    return foray_explorer_load(play.explorer, data, size);
}

/* The state of the explorer, for another instance; play_state and play_state_size have it. */
foray_status EXPORT(play_save)(void)
{
    foray_free(play.state);
    play.state = NULL;
    return foray_explorer_save(play.explorer, &play.state, &play.state_size);
}
const uint8_t *EXPORT(play_state)(void)
{
    return play.state;
}
size_t EXPORT(play_state_size)(void)
{
    return play.state_size;
}

/* So many more episodes, the ones that `foray explore` would play with the same seed. */
foray_status EXPORT(play_explore)(int32_t episodes)
{
    foray_status status = FORAY_OK;
    drop_plan();
    for (int32_t k = 0; k < episodes && status == FORAY_OK; k++)
        status = foray_explorer_play(play.explorer, play.world, NULL, NULL);
    return status;
}

double EXPORT(play_episodes)(void)
{
    foray_explorer_facts facts;
    return foray_explorer_describe(play.explorer, &facts) == FORAY_OK ? (double)facts.episodes : 0;
}

/* ------------------------------------------------------------------------------- the model */

int32_t EXPORT(play_states)(void)
{
    return (int32_t)foray_model_states(play.model);
}
int32_t EXPORT(play_actions)(void)
{
    return (int32_t)foray_model_actions(play.model);
}
int32_t EXPORT(play_horizon)(void)
{
    return (int32_t)foray_model_horizon(play.model);
}
bool EXPORT(play_walks)(void)
{
    return play.world != NULL;
}
const char *EXPORT(play_name)(void)
{
    return foray_model_name(play.model);
}
/* Names; NULL where the model gives none. */
const char *EXPORT(play_state_name)(int32_t state)
{
    return foray_model_state_name(play.model, state);
}
const char *EXPORT(play_action_name)(int32_t action)
{
    return foray_model_action_name(play.model, action);
}
bool EXPORT(play_available)(int32_t state, int32_t action)
{
    return foray_model_available(play.model, state, action);
}
/* Rows and columns of the map; 0: there is none. */
int32_t EXPORT(play_rows)(void)
{
    int64_t rows, cols;
    return foray_model_grid(play.model, &rows, &cols) ? (int32_t)rows : 0;
}
int32_t EXPORT(play_cols)(void)
{
    int64_t rows, cols;
    return foray_model_grid(play.model, &rows, &cols) ? (int32_t)cols : 0;
}
/* Where a state lies on the map, row by row from the top left; -1: nowhere. */
int32_t EXPORT(play_cell)(int32_t state)
{
    int64_t row, col;
    return foray_model_cell(play.model, state, &row, &col)
               ? (int32_t)row * play_cols() + (int32_t)col
               : -1;
}
/* The probability of beginning in a state. */
double EXPORT(play_initial)(int32_t state)
{
    const int32_t *first;
    const double *probability;
    int64_t count = foray_model_initial(play.model, &first, &probability);
    for (int64_t i = 0; i < count; i++)
        if (first[i] == state)
            return probability[i];
    return 0;
}

/* Built-in world `index`: its name and its summary; NULL past the end. */
const char *EXPORT(play_world_name)(int32_t index)
{
    foray_world_info info;
    return foray_world_describe(index, &info) ? info.name : NULL;
}
const char *EXPORT(play_world_summary)(int32_t index)
{
    foray_world_info info;
    return foray_world_describe(index, &info) ? info.summary : NULL;
}

/* ---------------------------------------------------------------------- planning, certifying */

/* The reward of a file's text, which plans from now on are for. */
foray_status EXPORT(play_reward)(const char *text, size_t size)
{
    drop_plan();
    return foray_reward_parse(play.ctx, play.model, text, size, "painted", &play.reward);
}

/* The actions of the policy, -1 where no episode can be. */
static foray_status list_actions(void)
{
    int64_t entries = play_horizon() * play_states();
    free(play.action);
    play.action = calloc((size_t)entries, sizeof *play.action);
    if (!play.action)
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < entries; i++)
        play.action[i] = foray_policy_action(play.policy, i / play_states(), i % play_states());
    return FORAY_OK;
}

/* A policy without a certificate, while somebody paints; or with one. */
foray_status EXPORT(play_plan)(int32_t mode, bool certified)
{
    const foray_reward *const rewards[] = {play.reward};
    drop_worth();
    foray_doubt_destroy(play.doubt);
    foray_policy_destroy(play.policy);
    play.doubt = NULL;
    play.policy = NULL;
    foray_status status =
        certified ? foray_explorer_plan(play.explorer, 1, rewards, mode, &play.policy)
                  : foray_explorer_policies(play.explorer, 1, rewards, mode, &play.policy);
    return status == FORAY_OK ? list_actions() : status;
}

/* Why its certificate is not 0, where that can be said. */
foray_status EXPORT(play_explain)(void)
{
    if (!play.policy) /* exploring went on */
        return FORAY_OK;
    const foray_certificate *certificate = &play.policy->certificate;
    bool reasons =
        foray_model_is_unstructured(play.model) || certificate->bound == FORAY_BOUND_GAP ||
        certificate->radius == FORAY_RADIUS_LIKELIHOOD || certificate->radius == FORAY_RADIUS_REFIT;
    if (!(certificate->gap > 0) || certificate->optimal != FORAY_OPTIMAL_NO || !reasons)
        return FORAY_OK;
    return foray_explorer_explain(play.explorer, play.reward, play.policy, 0, &play.doubt);
}

/* [horizon][states] */
const int32_t *EXPORT(play_policy)(void)
{
    return play.action;
}

/* The numbers of a plan, in the order of the names in engine.js. */
enum { NUMBERS = 9 };
const double *EXPORT(play_numbers)(void)
{
    static double number[NUMBERS];
    const foray_policy *policy = play.policy;
    const foray_certificate *certificate = &policy->certificate;
    const double all[NUMBERS] = {policy->expected,
                                 policy->low,
                                 policy->high,
                                 policy->value[FORAY_OPTIMISTIC],
                                 policy->value[FORAY_PLUGIN],
                                 policy->value[FORAY_PESSIMISTIC],
                                 certificate->gap,
                                 certificate->delta,
                                 certificate->vacuous};
    memcpy(number, all, sizeof number);
    return number;
}
const char *EXPORT(play_optimal)(void)
{
    return foray_certificate_optimal(&play.policy->certificate);
}
const char *EXPORT(play_status)(void)
{
    return foray_certificate_status(&play.policy->certificate);
}
const char *EXPORT(play_because)(void)
{
    return foray_certificate_because(&play.policy->certificate);
}
const char *EXPORT(play_radius)(void)
{
    return foray_radius_name(play.policy->certificate.radius);
}

/* Where the doubt is, largest shares first: step, state, action and share of place `index`. */
int32_t EXPORT(play_places)(void)
{
    return play.doubt ? (int32_t)play.doubt->places : 0;
}
int32_t EXPORT(play_place)(int32_t index, int32_t which)
{
    const foray_doubt_place *place = &play.doubt->place[index];
    return (int32_t)(which == 0 ? place->step : which == 1 ? place->state : place->action);
}
double EXPORT(play_share)(int32_t index)
{
    return play.doubt->place[index].share;
}

/* --------------------------------------------------------------------------------- walking */

/* What follows when the policy is obeyed in the true world; step 0 gives the first state. -1: the
 * world cannot be walked in. */
int32_t EXPORT(play_walk)(int32_t episode, int32_t step, int32_t state)
{
    const foray_draw draw = {.seed = 2, .episode = (uint64_t)episode, .step = (uint32_t)step};
    int64_t next = -1;
    if (!play.world || !play.policy)
        return -1;
    if (step == 0)
        return foray_world_reset(play.world, &draw, &next) == FORAY_OK ? (int32_t)next : -1;
    int32_t action = foray_policy_action(play.policy, step - 1, state);
    if (action < 0)
        return -1;
    return foray_world_step(play.world, &draw, state, action, &next) == FORAY_OK ? (int32_t)next
                                                                                 : -1;
}

/* The true value of the policy, and of the best; NaN where theta is not known. */
double EXPORT(play_truth)(bool best)
{
    double value = NAN, optimal = NAN;
    if (!foray_model_theta(play.model))
        return NAN;
    foray_status status =
        foray_evaluate(play.ctx, play.model, play.reward, play.policy, &value, &optimal);
    return status != FORAY_OK ? NAN : best ? optimal : value;
}

/* ---------------------------------------------------------------------- in the real system */

/* The built-in system that was explored, and the clusters through which it was seen. */
foray_status EXPORT(play_system)(const char *text, const char *clusters)
{
    foray_status status = foray_system_open(play.ctx, text, &play.system);
    if (status == FORAY_OK)
        status = foray_clusters_parse(play.ctx, play.system, clusters, &play.clusters);
    if (status == FORAY_OK && foray_clusters_count(play.clusters) != play_states())
        status = FORAY_ERROR_INPUT;
    if (status == FORAY_OK)
        return status;
    foray_clusters_destroy(play.clusters);
    foray_system_destroy(play.system);
    play.clusters = NULL;
    play.system = NULL;
    return status;
}

enum { MAX_DIMENSIONS = 64 }; /* of a system: foray_system_spec */

/* The dimension along the rows of the map, or down its columns, and the clusters at its two ends;
 * -1: there is none. */
static int64_t find_axis(bool vertical, int64_t end[2])
{
    int64_t rows, cols, row, col;
    double from[MAX_DIMENSIONS], to[MAX_DIMENSIONS];
    if (!play.system || !foray_model_grid(play.model, &rows, &cols))
        return -1;
    for (int64_t s = 0; s < play_states(); s++) {
        if (!foray_model_cell(play.model, s, &row, &col))
            continue;
        if (row == 0 && col == 0)
            end[0] = s;
        if (row == (vertical ? rows - 1 : 0) && col == (vertical ? 0 : cols - 1))
            end[1] = s;
    }
    foray_clusters_centre(play.clusters, end[0], from);
    foray_clusters_centre(play.clusters, end[1], to);
    for (int64_t i = 0; i < foray_system_describe(play.system)->dimensions; i++)
        if (from[i] != to[i])
            return i;
    return -1;
}

/* What an axis of the map is; NULL: nothing, or nobody has named it. */
const char *EXPORT(play_axis_name)(bool vertical)
{
    int64_t end[2] = {0, 0}, axis = find_axis(vertical, end);
    const char *const *name =
        play.system ? foray_system_describe(play.system)->dimension_name : NULL;
    return axis >= 0 && name ? name[axis] : NULL;
}
/* Its value at the left or the top (0), and at the right or the bottom (1). */
double EXPORT(play_axis_end)(bool vertical, int32_t which)
{
    int64_t end[2] = {0, 0}, axis = find_axis(vertical, end);
    double centre[MAX_DIMENSIONS];
    if (axis < 0)
        return NAN;
    foray_clusters_centre(play.clusters, end[which], centre);
    return centre[axis];
}

/* A real state as the map has it: its heaviest cluster, and its column and row, which are the
 * means of the clusters' own, by weight. */
static foray_status place_state(const double *state, double *place)
{
    int64_t max = foray_clusters_max(play.clusters), heaviest = 0;
    int32_t *cluster = calloc((size_t)max, sizeof *cluster);
    double *weight = calloc((size_t)max, sizeof *weight);
    if (!cluster || !weight) {
        free(cluster);
        free(weight);
        return FORAY_ERROR_MEMORY;
    }
    int64_t count = foray_clusters_of(play.clusters, state, cluster, weight);
    place[1] = place[2] = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t row = 0, col = 0;
        if (weight[i] > weight[heaviest])
            heaviest = i;
        foray_model_cell(play.model, cluster[i], &row, &col);
        place[1] += weight[i] * (double)col;
        place[2] += weight[i] * (double)row;
    }
    place[0] = cluster[heaviest];
    free(cluster);
    free(weight);
    return FORAY_OK;
}

/* One episode of the policy in the system itself, from real state to real state. */
static foray_status roll(uint64_t episode, double *state, double *next)
{
    int64_t horizon = play_horizon(), dimensions = foray_system_describe(play.system)->dimensions;
    foray_draw draw = {.seed = 2, .episode = episode};
    foray_status status = foray_system_reset(play.system, &draw, state);
    for (int64_t t = 0; status == FORAY_OK; t++) {
        status = place_state(state, play.path + 3 * t);
        if (status != FORAY_OK || t == horizon)
            break;
        draw.step = (uint32_t)t + 1;
        const foray_system_query query = {
            .draw = draw,
            .simulator = FORAY_REALITY,
            .action = foray_policy_act(play.policy, play.clusters, t, state),
        };
        status = foray_system_step(play.system, 1, &query, state, next);
        memcpy(state, next, (size_t)dimensions * sizeof *state);
    }
    return status;
}

/* play_path then has cluster, column and row of every step. */
foray_status EXPORT(play_roll)(int32_t episode)
{
    if (!play.system || !play.policy)
        return FORAY_ERROR_USAGE;
    size_t dimensions = (size_t)foray_system_describe(play.system)->dimensions;
    double *state = calloc(2 * dimensions, sizeof *state);
    free(play.path);
    play.path = calloc(3 * ((size_t)play_horizon() + 1), sizeof *play.path);
    foray_status status = state && play.path ? roll((uint64_t)episode, state, state + dimensions)
                                             : FORAY_ERROR_MEMORY;
    free(state);
    return status;
}
const double *EXPORT(play_path)(void)
{
    return play.path;
}

/* ------------------------------------------------------------------ what an action is worth */

/* Q_t(s,a) = r_t(s,a) + sum_j P(s_j|s,a) V_{t+1}(s_j), under the estimate. */
static double worth_of(int64_t step, int64_t state, int64_t action)
{
    const int32_t *next;
    const double *after = play.worth + (step + 1) * play_states();
    double worth = foray_reward_at(play.reward, step, state, action);
    int64_t count = foray_model_successors(play.model, state, action, &next);
    for (int64_t j = 0; j < count; j++)
        worth += foray_model_probability(play.model, play.theta, state, action, j) * after[next[j]];
    return worth;
}

/* V_t(s) = Q_t(s, pi_t(s)), V_H = 0. */
static foray_status find_worth(void)
{
    int64_t states = play_states(), horizon = play_horizon();
    play.theta = calloc((size_t)foray_model_dim(play.model) + 1, sizeof *play.theta);
    play.worth = calloc((size_t)(horizon + 1) * (size_t)states, sizeof *play.worth);
    play.action_worth = calloc((size_t)play_actions(), sizeof *play.action_worth);
    if (!play.theta || !play.worth || !play.action_worth)
        return FORAY_ERROR_MEMORY;
    foray_status status = foray_explorer_estimate(play.explorer, play.theta, NULL);
    for (int64_t t = horizon - 1; t >= 0 && status == FORAY_OK; t--)
        for (int64_t s = 0; s < states; s++)
            if (play.action[t * states + s] >= 0)
                play.worth[t * states + s] = worth_of(t, s, play.action[t * states + s]);
    return status;
}

/* Of all actions at a step in a state, NaN where it has not got one; NULL: nobody knows, because
 * there is no plan, or the algorithm estimates no theta. */
const double *EXPORT(play_worth)(int32_t step, int32_t state)
{
    if (!play.policy || !play.reward)
        return NULL;
    if (!play.worth && find_worth() != FORAY_OK) {
        drop_worth();
        return NULL;
    }
    for (int64_t a = 0; a < play_actions(); a++)
        play.action_worth[a] =
            foray_model_available(play.model, state, a) ? worth_of(step, state, a) : NAN;
    return play.action_worth;
}
