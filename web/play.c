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
    foray_world *world; /* NULL: theta is not known, and nobody can walk here */
    foray_reward *reward;
    foray_policy *policy;
    foray_doubt *doubt;
    uint8_t *state; /* what play_save gave */
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

static void drop_plan(void)
{
    foray_doubt_destroy(play.doubt);
    foray_policy_destroy(play.policy);
    foray_reward_destroy(play.reward);
    play.doubt = NULL;
    play.policy = NULL;
    play.reward = NULL;
}

/* Nothing is open afterwards, and settings are what they are by default. */
foray_status EXPORT(play_close)(void)
{
    drop_plan();
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
foray_status EXPORT(play_begin)(bool through_clusters)
{
    foray_status status =
        foray_explorer_create(play.ctx, play.model, &play.settings, &play.explorer);
    if (status == FORAY_OK && through_clusters)
        foray_explorer_through_clusters(play.explorer);
    return status;
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

/* A policy without a certificate, while somebody paints; or with one. */
foray_status EXPORT(play_plan)(int32_t mode, bool certified)
{
    const foray_reward *const rewards[] = {play.reward};
    foray_doubt_destroy(play.doubt);
    foray_policy_destroy(play.policy);
    play.doubt = NULL;
    play.policy = NULL;
    return certified ? foray_explorer_plan(play.explorer, 1, rewards, mode, &play.policy)
                     : foray_explorer_policies(play.explorer, 1, rewards, mode, &play.policy);
}

/* Why its certificate is not 0, where that can be said. */
foray_status EXPORT(play_explain)(void)
{
    if (!play.policy) /* exploring went on */
        return FORAY_OK;
    const foray_certificate *certificate = &play.policy->certificate;
    if (!(certificate->gap > 0) ||
        (certificate->bound != FORAY_BOUND_GAP && certificate->radius != FORAY_RADIUS_LIKELIHOOD))
        return FORAY_OK;
    return foray_explorer_explain(play.explorer, play.reward, play.policy, 0, &play.doubt);
}

/* [horizon][states] */
const int32_t *EXPORT(play_policy)(void)
{
    return play.policy->action;
}

/* The numbers of a plan, in the order of the names in engine.js. */
enum { NUMBERS = 10 };
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
                                 certificate->optimal,
                                 certificate->vacuous};
    memcpy(number, all, sizeof number);
    return number;
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
    int32_t action = play.policy->action[(step - 1) * play.policy->states + state];
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
