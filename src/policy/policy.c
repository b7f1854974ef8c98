/* policy.c - policies and certificates as results: their words, creation, whether they fit a model,
 * and what they say beside their actions, so that they can be used by themselves. */
#include "policy/policy.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In the order of the public enums. */
const char *const fy_mode_names[] = {"optimistic", "plugin", "pessimistic", "given", NULL};
const char *const fy_radius_names[] = {"sharp", "selfnormalised", "theorem", "likelihood",
                                       "refit", "counts",         "none",    NULL};
const char *const fy_status_names[] = {"none",      "certified", "exact", "estimate",
                                       "heuristic", "refuted",   NULL};
const char *const fy_bound_names[] = {"none", "gap", "values", "counts", "exact", NULL};
const char *const fy_optimality_names[] = {"no", "rounding", "proved", NULL};

const char *foray_mode_name(foray_mode mode)
{
    return (unsigned)mode <= FORAY_GIVEN ? fy_mode_names[mode] : NULL;
}

const char *foray_radius_name(foray_radius radius)
{
    return (int)radius >= 0 && (int)radius < FORAY_RADIUS_KINDS ? fy_radius_names[radius] : NULL;
}

const char *foray_certificate_status(const foray_certificate *certificate)
{
    return fy_status_names[certificate->status];
}

const char *foray_certificate_because(const foray_certificate *certificate)
{
    static const char *const because[] = {
        [FORAY_UNCERTIFIED] = "the algorithm has no bound",
        [FORAY_CERTIFIED] = "proved, with probability at least 1 - delta",
        [FORAY_EXACT] = "theta is known",
        [FORAY_ESTIMATE] = "no proof covers clusters, nor a range that nobody gave",
        [FORAY_HEURISTIC] = "the radius was scaled down, below what the proof needs",
        [FORAY_REFUTED] = "the data refute the model: no law that it admits fits them",
    };
    return because[certificate->status];
}

const char *foray_bound_name(foray_bound bound)
{
    return fy_bound_names[bound];
}

const char *foray_certificate_optimal(const foray_certificate *certificate)
{
    return fy_optimality_names[certificate->optimal];
}

const char *foray_certificate_verdict(const foray_certificate *certificate)
{
    static const char *const optimal[] = {
        [FORAY_OPTIMAL_ROUNDING] = "optimal up to rounding",
        [FORAY_OPTIMAL_PROVED] = "proved optimal",
    };
    if (certificate->optimal != FORAY_OPTIMAL_NO)
        return optimal[certificate->optimal];
    bool certified = certificate->status == FORAY_CERTIFIED;
    return certified && certificate->vacuous ? "vacuous" : foray_certificate_status(certificate);
}

bool fy_certificate_proves(const foray_certificate *certificate)
{
    return certificate->status == FORAY_CERTIFIED || certificate->status == FORAY_EXACT;
}

double fy_certificate_delta(const foray_model *model, double delta)
{
    return fmin(1, delta + model->feature_delta);
}

/* What is as good as 0, of what rewards allow. */
static const double rounding = 1e-9;

double fy_certificate_rounding(double max)
{
    return rounding * max;
}

bool fy_certificate_small(double gap, double max)
{
    return gap <= fy_certificate_rounding(max);
}

/* Differences of values and the errors of counts do not know what they were rounded by. */
static bool counts_rounding(const foray_certificate *certificate)
{
    return certificate->bound == FORAY_BOUND_GAP || certificate->bound == FORAY_BOUND_EXACT;
}

foray_optimality fy_certificate_optimality(const foray_certificate *certificate, bool small)
{
    if (!small || !fy_certificate_proves(certificate))
        return FORAY_OPTIMAL_NO;
    return certificate->gap == 0 && counts_rounding(certificate) ? FORAY_OPTIMAL_PROVED
                                                                 : FORAY_OPTIMAL_ROUNDING;
}

void fy_certificate_classify(foray_certificate *certificate, double max)
{
    bool small = fy_certificate_small(certificate->gap, max);
    certificate->optimal = fy_certificate_optimality(certificate, small);
    /* Where every policy earns the same, most is 0: that is a proof, and not silence. */
    certificate->vacuous = !small && certificate->gap >= (1 - rounding) * max;
    /* Only what is proved is exactly 0. */
    if (certificate->gap == 0 && !counts_rounding(certificate))
        certificate->gap = 4 * DBL_EPSILON * max;
}

void fy_certificate_degrade(foray_certificate *certificate, foray_proof_status status)
{
    certificate->status = status;
    certificate->optimal = FORAY_OPTIMAL_NO;
}

/* --------------------------------------------------------------------- laws */

/* What a law's sum may be away from 1: as it is given, and as it is kept. */
static const double given = 1e-9, kept = 1e-12;

static double sum_of(const double *law, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += law[i] >= 0 ? law[i] : NAN;
    return sum;
}

/* Is it a law, up to rounding? */
static bool is_law(const double *law, int64_t count)
{
    return fabs(sum_of(law, count) - 1) <= kept;
}

bool fy_policy_normalise(double *law, int64_t count)
{
    double sum = sum_of(law, count);
    if (!(fabs(sum - 1) <= given))
        return false;
    for (int64_t i = 0; i < count; i++)
        law[i] = law[i] / sum + 0.0; /* -0 becomes 0 */
    return true;
}

/* ----------------------------------------------------------------- creation */

/* A policy, and the memory of all that it points to. */
typedef struct owner {
    foray_policy policy;
    fy_arena arena;
} owner;

fy_arena *fy_policy_arena(foray_context *ctx, foray_policy *policy)
{
    fy_arena *arena = &((owner *)policy)->arena;
    arena->ctx = ctx; /* whose policy it was when it was made may be gone */
    return arena;
}

/* Nothing is known about it but what it does. */
static void forget(foray_policy *policy)
{
    for (int mode = 0; mode < FORAY_MODES; mode++)
        policy->value[mode] = NAN;
    policy->expected = policy->low = policy->high = NAN;
    policy->certificate = (foray_certificate){.gap = INFINITY, .radius = FORAY_RADIUS_NONE};
}

foray_status fy_policy_create_unknown(foray_context *ctx, foray_policy **out)
{
    owner *made;
    if (!FY_ALLOC(ctx, made, 1))
        return FORAY_ERROR_MEMORY;
    *out = &made->policy;
    forget(*out);
    return FORAY_OK;
}

foray_status fy_policy_create(foray_context *ctx, int64_t states, int64_t actions, int64_t horizon,
                              foray_policy **out)
{
    foray_policy *policy;
    size_t entries;
    if (!fy_size_mul((size_t)states, (size_t)horizon, &entries))
        return fy_fail(ctx, FORAY_ERROR_MEMORY,
                       "a policy for %" PRId64 " states and %" PRId64 " steps is too large", states,
                       horizon);
    if (fy_policy_create_unknown(ctx, &policy) != FORAY_OK)
        return FORAY_ERROR_MEMORY;
    *policy = (foray_policy){.states = states, .actions = actions, .horizon = horizon, .parts = 1};
    if (!FY_NEW(fy_policy_arena(ctx, policy), policy->action, entries)) {
        foray_policy_destroy(policy);
        return FORAY_ERROR_MEMORY;
    }
    *out = policy;
    return FORAY_OK;
}

foray_status fy_policy_make_memory(foray_context *ctx, foray_policy *policy, int64_t model_states,
                                   int64_t states, int64_t letters)
{
    fy_arena *arena = fy_policy_arena(ctx, policy);
    foray_policy_memory *memory;
    size_t cells;
    if (!fy_size_mul((size_t)states, (size_t)letters, &cells) || !FY_NEW(arena, memory, 1) ||
        !FY_NEW(arena, memory->letter, model_states) || !FY_NEW(arena, memory->next, cells))
        return FORAY_ERROR_MEMORY;
    memory->states = states;
    memory->letters = letters;
    policy->memory = memory;
    return FORAY_OK;
}

static foray_status take_memory(foray_context *ctx, int64_t model_states,
                                const foray_policy_memory *from, foray_policy *to)
{
    foray_status status = fy_policy_make_memory(ctx, to, model_states, from->states, from->letters);
    if (status != FORAY_OK)
        return status;
    memcpy(to->memory->letter, from->letter, (size_t)model_states * sizeof *from->letter);
    memcpy(to->memory->next, from->next,
           (size_t)(from->states * from->letters) * sizeof *from->next);
    return FORAY_OK;
}

/* `to` covers what `from` does, and remembers what it does; its actions are to be made. */
static foray_status take_cover(foray_context *ctx, const foray_policy *from, foray_policy *to)
{
    foray_status status = FORAY_OK;
    to->covered = from->covered;
    if (from->memory)
        status = take_memory(ctx, fy_policy_model_states(from), from->memory, to);
    if (status != FORAY_OK || !from->state)
        return status;
    if (!FY_NEW(fy_policy_arena(ctx, to), to->state, from->covered))
        return FORAY_ERROR_MEMORY;
    memcpy(to->state, from->state, (size_t)from->covered * sizeof *to->state);
    return FORAY_OK;
}

static void copy_parts(const foray_policy *from, foray_policy *to)
{
    int64_t parts = fy_policy_parts(from);
    int64_t cells = parts * from->horizon * fy_policy_covered(from);
    memcpy(to->action, from->action, (size_t)cells * sizeof *to->action);
    if (from->chance)
        memcpy(to->chance, from->chance, (size_t)(cells * from->actions) * sizeof *to->chance);
    if (from->odds)
        memcpy(to->odds, from->odds, (size_t)parts * sizeof *to->odds);
}

foray_status fy_policy_copy(foray_context *ctx, const foray_policy *policy, foray_policy **out)
{
    foray_policy *copy;
    foray_status status = fy_policy_create_unknown(ctx, &copy);
    if (status != FORAY_OK)
        return status;
    copy->mode = FORAY_GIVEN;
    copy->states = policy->states;
    copy->actions = policy->actions;
    copy->horizon = policy->horizon;
    status = take_cover(ctx, policy, copy);
    if (status == FORAY_OK)
        status = fy_policy_make_parts(ctx, copy, fy_policy_parts(policy), policy->odds != NULL,
                                      policy->chance != NULL);
    if (status == FORAY_OK) {
        copy_parts(policy, copy);
        *out = copy;
    } else {
        foray_policy_destroy(copy);
    }
    return status;
}

foray_status foray_policy_create(foray_context *ctx, const foray_model *model, foray_mode mode,
                                 foray_policy **out)
{
    foray_policy *policy;
    if (!foray_mode_name(mode))
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%d is not a mode of planning", (int)mode);
    foray_status status =
        fy_policy_create(ctx, model->states, model->actions, model->horizon, &policy);
    if (status != FORAY_OK)
        return status;
    policy->mode = mode;
    if (mode == FORAY_GIVEN)
        forget(policy);
    *out = policy;
    return FORAY_OK;
}

void foray_policy_destroy(foray_policy *policy)
{
    if (policy)
        fy_arena_release(fy_policy_arena(NULL, policy));
    free(policy);
}

foray_status fy_policies_create(foray_context *ctx, const foray_model *model, foray_mode mode,
                                int64_t count, foray_policy **policies)
{
    char what[80];
    double entries = (double)model->horizon * (double)model->states * (double)count;
    fy_format(what, sizeof what, "one policy for each of %" PRId64 " rewards", count);
    foray_status status = fy_memory_need(ctx, entries * sizeof(int32_t), what,
                                         "plan for fewer rewards at once, or with fewer steps");
    for (int64_t i = 0; i < count; i++)
        policies[i] = NULL;
    for (int64_t i = 0; i < count && status == FORAY_OK; i++)
        status = foray_policy_create(ctx, model, mode, &policies[i]);
    if (status != FORAY_OK)
        fy_policies_destroy(count, policies);
    return status;
}

void fy_policies_destroy(int64_t count, foray_policy **policies)
{
    for (int64_t i = 0; i < count; i++) {
        foray_policy_destroy(policies[i]);
        policies[i] = NULL;
    }
}

/* A policy is a plain struct that anyone may fill: laws of actions and odds must be laws. */
static foray_status check_laws(foray_context *ctx, const foray_policy *policy)
{
    int64_t covered = fy_policy_covered(policy);
    int64_t cells = fy_policy_parts(policy) * policy->horizon * covered;
    for (int64_t i = 0; policy->chance && i < cells; i++)
        if (!is_law(policy->chance + i * policy->actions, policy->actions))
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "the policy's probabilities in state %" PRId64 " at step %" PRId64
                           " do not sum to 1",
                           fy_policy_state(policy, i % covered), i / covered % policy->horizon);
    if (policy->odds && (policy->parts < 1 || !is_law(policy->odds, policy->parts)))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "the odds of the policy's parts do not sum to 1");
    return FORAY_OK;
}

static foray_status check_memory(foray_context *ctx, const foray_policy *policy)
{
    const foray_policy_memory *memory = policy->memory;
    bool sound = !memory || (memory->states > 0 && memory->letters > 0 &&
                             policy->states % memory->states == 0);
    int64_t S = sound ? fy_policy_model_states(policy) : 0;
    for (int64_t s = 0; memory && s < S && sound; s++)
        sound = memory->letter[s] >= 0 && memory->letter[s] < memory->letters;
    for (int64_t i = 0; memory && sound && i < memory->states * memory->letters; i++)
        sound = memory->next[i] >= -1 && memory->next[i] < memory->states;
    return sound ? FORAY_OK
                 : fy_fail(ctx, FORAY_ERROR_INPUT, "the policy's memory is not an automaton");
}

foray_status fy_policy_check(foray_context *ctx, const foray_policy *policy,
                             const foray_model *model)
{
    foray_status status = check_memory(ctx, policy);
    if (status != FORAY_OK)
        return status;
    if (fy_policy_model_states(policy) != model->states || policy->actions != model->actions ||
        policy->horizon != model->horizon)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "the policy is for %" PRId64 " states, %" PRId64
                       " actions and horizon %" PRId64 ", but the model "
                       "has %" PRId64 ", %" PRId64 " and %" PRId64,
                       fy_policy_model_states(policy), policy->actions, policy->horizon,
                       model->states, model->actions, model->horizon);
    int64_t covered = fy_policy_covered(policy);
    int64_t cells = fy_policy_parts(policy) * policy->horizon * covered;
    for (int64_t k = 0; policy->state && k < covered; k++)
        if (policy->state[k] < 0 || policy->state[k] >= policy->states ||
            (k > 0 && policy->state[k] <= policy->state[k - 1]))
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "the policy covers state %d, but its states must ascend and are 0 to "
                           "%" PRId64,
                           policy->state[k], policy->states - 1);
    for (int64_t i = 0; i < cells; i++)
        if (policy->action[i] < 0 || policy->action[i] >= policy->actions)
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "the policy takes action %d in state %" PRId64 " at step %" PRId64
                           ", but there are "
                           "%" PRId64 " actions",
                           policy->action[i], fy_policy_state(policy, i % covered),
                           i / covered % policy->horizon, policy->actions);
    for (int64_t i = 0; i < cells && (model->stand_in || policy->chance); i++)
        for (int64_t a = 0; a < policy->actions; a++) {
            int64_t state = fy_policy_model_state(policy, fy_policy_state(policy, i % covered));
            bool taken = policy->chance ? policy->chance[i * policy->actions + a] != 0
                                        : policy->action[i] == a;
            if (taken && !fy_available(model, state * model->actions + a))
                return fy_fail(ctx, FORAY_ERROR_INPUT,
                               "the policy takes action %" PRId64 " in state %" PRId64
                               " at step %" PRId64 ", but that state does not have it",
                               a, state, i / covered % policy->horizon);
        }
    return check_laws(ctx, policy);
}

foray_status fy_policy_check_plain(foray_context *ctx, const foray_policy *policy,
                                   const foray_model *model, const char *what)
{
    if (!fy_policy_is_plain(policy))
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "the policy %s, and %s knows only policies that do not draw",
                       policy->odds ? "is a mixture" : "draws its actions", what);
    if (policy->memory)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "the policy remembers what has happened, and %s knows only policies without "
                       "a memory",
                       what);
    return fy_policy_check(ctx, policy, model);
}

/* ------------------------------------------------------------------- what it covers */

/* Where a state is among those covered; -1: no episode gets there. */
static int64_t find_state(const foray_policy *policy, int64_t state)
{
    int64_t low = 0, high = policy->covered;
    if (!policy->state || state < 0 || state >= policy->states)
        return state >= 0 && state < policy->states ? state : -1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (policy->state[middle] < state)
            low = middle + 1;
        else
            high = middle;
    }
    return low < policy->covered && policy->state[low] == state ? low : -1;
}

int32_t foray_policy_action(const foray_policy *policy, int64_t step, int64_t state)
{
    int64_t k = find_state(policy, state);
    if (k < 0 || step < 0 || step >= policy->horizon)
        return -1;
    return policy->action[step * fy_policy_covered(policy) + k];
}

int64_t foray_policy_read(const foray_policy *policy, int64_t *memory, int64_t state)
{
    const foray_policy_memory *how = policy->memory;
    if (!how)
        return state;
    bool known = state >= 0 && state < fy_policy_model_states(policy) && *memory >= 0 &&
                 *memory < how->states;
    *memory = known ? how->next[*memory * how->letters + how->letter[state]] : -1;
    return *memory < 0 ? -1 : state * how->states + *memory;
}

static bool same_memory(const foray_policy *a, const foray_policy *b)
{
    const foray_policy_memory *one = a->memory, *other = b->memory;
    if (!one || !other)
        return one == other;
    return a->states == b->states && one->states == other->states &&
           one->letters == other->letters &&
           memcmp(one->letter, other->letter,
                  (size_t)fy_policy_model_states(a) * sizeof *one->letter) == 0 &&
           memcmp(one->next, other->next,
                  (size_t)(one->states * one->letters) * sizeof *one->next) == 0;
}

bool fy_policy_same_cover(const foray_policy *a, const foray_policy *b)
{
    int64_t covered = fy_policy_covered(a);
    bool same = a->horizon == b->horizon && covered == fy_policy_covered(b) && same_memory(a, b);
    for (int64_t k = 0; k < covered && same; k++)
        same = fy_policy_state(a, k) == fy_policy_state(b, k);
    return same;
}

static int compare_states(const void *one, const void *other)
{
    int32_t a = *(const int32_t *)one, b = *(const int32_t *)other;
    return (a > b) - (a < b);
}

/* Of a product, states with what is remembered in them. */
static int32_t state_in_product(const foray_model *product, int64_t i)
{
    return (int32_t)(product->number[i] * product->memory->states + product->remembers[i]);
}

/* Those where a step can begin. */
void fy_policy_cover(const foray_model *part, int32_t *state)
{
    int64_t k = 0;
    for (int64_t i = 0; part->memory && i < fy_begun(part); i++)
        state[i] = state_in_product(part, i);
    if (part->memory) {
        qsort(state, (size_t)fy_begun(part), sizeof *state, compare_states);
        return;
    }
    for (int64_t s = 0; s < part->whole->states; s++)
        if (part->index[s] >= 0 && part->index[s] < fy_begun(part))
            state[k++] = (int32_t)s;
}

/* Actions, and laws of them, in the places of others: place[k] of those that there were, or -1,
 * where the first action is taken. */
static foray_status move_places(foray_context *ctx, const foray_policy *from, const int32_t *place,
                                int64_t count, foray_policy *to)
{
    int64_t A = from->actions, width = fy_policy_covered(from);
    fy_arena *arena = fy_policy_arena(ctx, to);
    int64_t rows = fy_policy_parts(from) * from->horizon;
    int32_t *action;
    double *chance = NULL;
    if (!FY_NEW(arena, action, rows * count) ||
        (from->chance && !FY_NEW(arena, chance, rows * count * A)))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < rows * count; i++) {
        int64_t at = i / count * width + place[i % count];
        action[i] = place[i % count] < 0 ? 0 : from->action[at];
        if (chance && place[i % count] < 0)
            chance[i * A] = 1;
        else if (chance)
            memcpy(chance + i * A, from->chance + at * A, (size_t)A * sizeof *chance);
    }
    to->action = action;
    to->chance = chance;
    return FORAY_OK;
}

/* The actions of these states alone, from those of all that the policy was for. */
static foray_status cover(foray_context *ctx, const foray_model *part, bool inside,
                          foray_policy *policy)
{
    fy_arena *arena = fy_policy_arena(ctx, policy);
    int64_t n = fy_begun(part);
    int32_t *state, *action = policy->action, *place = NULL;
    double *chance = policy->chance;
    if (!FY_NEW(arena, state, n) || !FY_NEW(arena, place, n))
        return FORAY_ERROR_MEMORY;
    fy_policy_cover(part, state);
    for (int64_t k = 0; k < n && !part->memory; k++)
        place[k] = inside ? part->index[state[k]] : state[k];
    for (int64_t i = 0; i < n && part->memory; i++) {
        int32_t wanted = state_in_product(part, i);
        const int32_t *at = bsearch(&wanted, state, (size_t)n, sizeof *state, compare_states);
        place[at - state] = (int32_t)i;
    }
    foray_status status = move_places(ctx, policy, place, n, policy);
    fy_arena_free(place);
    if (status == FORAY_OK && part->memory)
        status = take_memory(ctx, part->whole->states, part->memory, policy);
    if (status != FORAY_OK)
        return status;
    fy_arena_free(action);
    fy_arena_free(chance);
    policy->states = part->whole->states * (part->memory ? part->memory->states : 1);
    policy->covered = n;
    policy->state = state;
    return FORAY_OK;
}

foray_status fy_policy_spread(foray_context *ctx, const foray_model *part, foray_policy *policy)
{
    return cover(ctx, part, true, policy);
}

foray_status fy_policy_keep_part(foray_context *ctx, const foray_model *part, foray_policy *policy)
{
    return cover(ctx, part, false, policy);
}

foray_status fy_policy_fill(foray_context *ctx, const foray_model *model, foray_policy *policy)
{
    fy_arena *arena = fy_policy_arena(ctx, policy);
    int64_t covered = policy->covered, S = model->states;
    int32_t *action;
    if (!policy->state)
        return FORAY_OK;
    if (!FY_NEW(arena, action, model->horizon * S))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < model->horizon * S; i++)
        action[i] = fy_first_action(model, i % S);
    for (int64_t i = 0; i < model->horizon * covered; i++)
        action[i / covered * S + policy->state[i % covered]] = policy->action[i];
    fy_arena_free(policy->action);
    fy_arena_free(policy->state);
    policy->action = action;
    policy->state = NULL;
    policy->covered = 0;
    return FORAY_OK;
}

/* Where the states of a part are in a policy; none, -1, where no step begins. */
static foray_status find_places(foray_context *ctx, const foray_policy *policy,
                                const foray_model *part, int64_t reader, int32_t *place)
{
    for (int64_t s = 0; s < part->states; s++) {
        bool begun = s < fy_begun(part);
        int64_t state = fy_outside(part, s);
        if (policy->memory)
            state = state * policy->memory->states + fy_product_inner(part, s, reader);
        place[s] = begun ? (int32_t)find_state(policy, state) : -1;
        if (begun && place[s] < 0)
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "the policy says nothing about state %" PRId64 ", which can be reached",
                           fy_outside(part, s));
    }
    return FORAY_OK;
}

foray_status fy_policy_within(foray_context *ctx, const foray_policy *policy,
                              const foray_model *part, int64_t reader, foray_policy **out)
{
    foray_policy *made = NULL;
    int32_t *place;
    if (policy->memory && !part->memory)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "the policy remembers what has happened, which is not known here");
    if (!FY_ALLOC(ctx, place, part->states))
        return FORAY_ERROR_MEMORY;
    foray_status status = find_places(ctx, policy, part, reader, place);
    if (status == FORAY_OK)
        status = fy_policy_create_unknown(ctx, &made);
    if (status == FORAY_OK) {
        made->mode = policy->mode;
        made->states = part->states;
        made->actions = policy->actions;
        made->horizon = policy->horizon;
        made->parts = fy_policy_parts(policy);
        status = move_places(ctx, policy, place, part->states, made);
    }
    if (status == FORAY_OK && policy->odds) {
        if (FY_NEW(fy_policy_arena(ctx, made), made->odds, policy->parts))
            memcpy(made->odds, policy->odds, (size_t)policy->parts * sizeof *made->odds);
        else
            status = FORAY_ERROR_MEMORY;
    }
    free(place);
    if (status == FORAY_OK)
        *out = made;
    else
        foray_policy_destroy(made);
    return status;
}

/* Widened by what this rounds. */
void fy_policy_convert(foray_policy *policy, const foray_reward *reward)
{
    fy_reward_unit unit = fy_reward_unit_of(reward);
    if (unit.max != (double)reward->horizon)
        fy_certificate_classify(&policy->certificate, unit.max);
    if (!unit.own)
        return;
    double low = fy_reward_value(&unit, unit.slope > 0 ? policy->low : policy->high);
    double high = fy_reward_value(&unit, unit.slope > 0 ? policy->high : policy->low);
    double off = (double)(reward->horizon + 4) * DBL_EPSILON *
                 (fabs(unit.offset) + fabs(unit.slope) * unit.max);
    for (int mode = 0; mode < FORAY_MODES; mode++)
        policy->value[mode] = fy_reward_value(&unit, policy->value[mode]);
    policy->expected = fy_reward_value(&unit, policy->expected);
    policy->low = low - off;
    policy->high = high + off;
    /* The gap certificate counts its roundings by itself; differences of values do not. */
    if (policy->certificate.bound == FORAY_BOUND_VALUES)
        policy->certificate.gap += 4 * (double)reward->horizon * (unit.max + 1) * DBL_EPSILON;
    /* Too small for a number is not 0. */
    if (policy->certificate.gap > 0)
        policy->certificate.gap =
            policy->certificate.gap * fabs(unit.slope) * (1 + 4 * DBL_EPSILON) + DBL_TRUE_MIN;
}

/* ----------------------------------------------------------- what is said beside it */

foray_policy_about *fy_policy_about(foray_context *ctx, foray_policy *policy)
{
    if (!policy->about && FY_NEW(fy_policy_arena(ctx, policy), policy->about, 1))
        *policy->about = (foray_policy_about){.episodes = -1, .seed = -1};
    return policy->about;
}

foray_status fy_policy_copy_text(foray_context *ctx, foray_policy *policy, char **text,
                                 const char *value)
{
    char *copy = NULL;
    size_t size = value ? strlen(value) + 1 : 0;
    if (value && !FY_NEW(fy_policy_arena(ctx, policy), copy, size))
        return FORAY_ERROR_MEMORY;
    if (value)
        memcpy(copy, value, size);
    *text = copy;
    return FORAY_OK;
}

/* which: of all those that there are names for; NULL: all. */
static foray_status copy_names(foray_context *ctx, foray_policy *policy, char *const *name,
                               int64_t all, int64_t count, const int32_t *which, char ***out)
{
    char **copy;
    if (!name)
        return FORAY_OK;
    if (!FY_NEW(fy_policy_arena(ctx, policy), copy, all))
        return FORAY_ERROR_MEMORY;
    for (int64_t k = 0; k < count; k++) {
        int64_t i = which ? which[k] : k;
        if (fy_policy_copy_text(ctx, policy, &copy[i], name[i]) != FORAY_OK)
            return FORAY_ERROR_MEMORY;
    }
    *out = copy;
    return FORAY_OK;
}

/* The text that foray_reward_print gives ends with a newline, which a member has no use for. */
static foray_status keep_reward(foray_context *ctx, foray_policy *policy,
                                const foray_reward *reward)
{
    char *text;
    size_t size;
    if (!reward)
        return FORAY_OK;
    foray_status status = foray_reward_print(ctx, reward, &text, &size);
    if (status != FORAY_OK)
        return status;
    while (size > 0 && text[size - 1] == '\n')
        text[--size] = 0;
    status = fy_policy_copy_text(ctx, policy, &policy->about->reward, text);
    free(text);
    return status;
}

foray_status foray_policy_complete(foray_context *ctx, foray_policy *policy,
                                   const foray_model *model, const foray_reward *reward)
{
    foray_status status = fy_policy_check(ctx, policy, model);
    if (status != FORAY_OK)
        return status;
    foray_policy_about *about = fy_policy_about(ctx, policy);
    if (!about)
        return FORAY_ERROR_MEMORY;
    status = keep_reward(ctx, policy, reward);
    if (status == FORAY_OK)
        status = copy_names(ctx, policy, model->state_names, model->states,
                            policy->memory ? model->states : fy_policy_covered(policy),
                            policy->memory ? NULL : policy->state, &about->state_name);
    if (status == FORAY_OK)
        status = copy_names(ctx, policy, model->action_names, model->actions, model->actions, NULL,
                            &about->action_name);
    if (status == FORAY_OK)
        status = fy_policy_copy_text(ctx, policy, &about->model, foray_model_name(model));
    if (status == FORAY_OK)
        status = fy_policy_copy_text(ctx, policy, &about->version, FORAY_VERSION);
    return status;
}

/* ---------------------------------------------------------------------- doubt */

void foray_doubt_law_name(const foray_doubt_law *law, char *text, size_t size)
{
    if (law->state < 0)
        fy_format(text, size, "first state");
    else if (law->block < 0)
        fy_format(text, size, "(s=%" PRId64 ", a=%" PRId64 ")", law->state, law->action);
    else
        fy_format(text, size, "%" PRId64 ": (s=%" PRId64 ", a=%" PRId64 ") of %" PRId64, law->block,
                  law->state, law->action, law->pairs);
}

foray_status fy_policy_keep_doubt(foray_context *ctx, foray_policy *policy,
                                  const foray_doubt *doubt, int64_t max)
{
    char name[96];
    fy_arena *arena = fy_policy_arena(ctx, policy);
    foray_policy_about *about = fy_policy_about(ctx, policy);
    int64_t places = doubt->places < max ? doubt->places : max;
    int64_t laws = doubt->laws < max ? doubt->laws : max;
    if (!about)
        return FORAY_ERROR_MEMORY;
    about->places = about->laws = 0;
    if (!FY_NEW(arena, about->place, places) || !FY_NEW(arena, about->law, laws))
        return FORAY_ERROR_MEMORY;
    memcpy(about->place, doubt->place, (size_t)places * sizeof *about->place);
    about->places = places;
    for (int64_t i = 0; i < laws; i++) {
        const foray_doubt_law *law = &doubt->law[i];
        about->law[i] =
            (foray_policy_law){.visits = law->visits, .share = law->share, .more = law->more};
        foray_doubt_law_name(law, name, sizeof name);
        if (fy_policy_copy_text(ctx, policy, &about->law[i].name, name) != FORAY_OK)
            return FORAY_ERROR_MEMORY;
        about->laws++;
    }
    return FORAY_OK;
}

/* ===================================================== policies that draw
 *
 * Mixtures, of which one part is drawn for each episode, and laws of actions, from which every
 * action is. */

void fy_policy_find_likeliest(foray_policy *policy)
{
    int64_t cells = fy_policy_parts(policy) * policy->horizon * fy_policy_covered(policy);
    for (int64_t i = 0; i < cells; i++) {
        const double *law = policy->chance + i * policy->actions;
        int64_t best = 0;
        for (int64_t a = 1; a < policy->actions; a++)
            best = law[a] > law[best] ? a : best;
        policy->action[i] = (int32_t)best;
    }
}

/* --------------------------------------------------------------------- parts */

const int32_t *fy_policy_actions(const foray_policy *policy, int64_t part)
{
    return policy->action + part * policy->horizon * fy_policy_covered(policy);
}

const double *fy_policy_chances(const foray_policy *policy, int64_t part)
{
    if (!policy->chance)
        return NULL;
    return policy->chance + part * policy->horizon * fy_policy_covered(policy) * policy->actions;
}

foray_status fy_policy_make_parts(foray_context *ctx, foray_policy *policy, int64_t parts,
                                  bool odds, bool draws)
{
    fy_arena *arena = fy_policy_arena(ctx, policy);
    size_t cells, laws;
    if (!fy_size_mul((size_t)fy_policy_covered(policy), (size_t)policy->horizon, &cells) ||
        !fy_size_mul(cells, (size_t)parts, &cells) ||
        !fy_size_mul(cells, draws ? (size_t)policy->actions : 0, &laws))
        return fy_fail(ctx, FORAY_ERROR_MEMORY,
                       "%" PRId64 " policies for %" PRId64 " states and %" PRId64
                       " steps are too large",
                       parts, policy->states, policy->horizon);
    if (!FY_NEW(arena, policy->action, cells) || (draws && !FY_NEW(arena, policy->chance, laws)) ||
        (odds && !FY_NEW(arena, policy->odds, parts)))
        return FORAY_ERROR_MEMORY;
    policy->parts = parts;
    return FORAY_OK;
}

/* ------------------------------------------------------------------- creation */

static foray_status create_shape(foray_context *ctx, int64_t states, int64_t actions,
                                 int64_t horizon, foray_policy **out)
{
    foray_status status = fy_policy_create_unknown(ctx, out);
    if (status != FORAY_OK)
        return status;
    (*out)->mode = FORAY_GIVEN;
    (*out)->states = states;
    (*out)->actions = actions;
    (*out)->horizon = horizon;
    return FORAY_OK;
}

foray_status foray_policy_create_drawing(foray_context *ctx, const foray_model *model,
                                         const double *chance, foray_policy **out)
{
    foray_policy *policy = NULL;
    int64_t S = model->states, A = model->actions, cells = model->horizon * S;
    foray_status status = create_shape(ctx, S, A, model->horizon, &policy);
    if (status != FORAY_OK)
        return status;
    status = fy_policy_make_parts(ctx, policy, 1, false, true);
    if (status == FORAY_OK)
        memcpy(policy->chance, chance, (size_t)(cells * A) * sizeof *chance);
    for (int64_t i = 0; i < cells && status == FORAY_OK; i++)
        if (!fy_policy_normalise(policy->chance + i * A, A))
            status = fy_fail(ctx, FORAY_ERROR_INPUT,
                             "the probabilities in state %" PRId64 " at step %" PRId64
                             " do not sum to 1",
                             i % S, i / S);
    if (status == FORAY_OK) {
        fy_policy_find_likeliest(policy);
        status = fy_policy_check(ctx, policy, model);
    }
    if (status == FORAY_OK)
        *out = policy;
    else
        foray_policy_destroy(policy);
    return status;
}

/* The parts of one policy, from `at` on; those that do not draw have laws, too, if others do. */
static void take_parts(const foray_policy *from, double odds, int64_t at, foray_policy *to)
{
    int64_t cells = from->horizon * fy_policy_covered(from), A = from->actions;
    for (int64_t k = 0; k < fy_policy_parts(from); k++, at++) {
        const double *chance = fy_policy_chances(from, k);
        const int32_t *action = fy_policy_actions(from, k);
        memcpy(to->action + at * cells, action, (size_t)cells * sizeof *action);
        to->odds[at] = odds * fy_policy_odds(from, k);
        if (chance)
            memcpy(to->chance + at * cells * A, chance, (size_t)(cells * A) * sizeof *chance);
        for (int64_t i = 0; i < cells && to->chance && !chance; i++)
            to->chance[(at * cells + i) * A + action[i]] = 1;
    }
}

static bool same_shape(const foray_policy *a, const foray_policy *b)
{
    return a->states == b->states && a->actions == b->actions && fy_policy_same_cover(a, b);
}

foray_status foray_policy_mix(foray_context *ctx, int64_t count,
                              const foray_policy *const *policies, const double *odds,
                              foray_policy **out)
{
    foray_policy *mixture = NULL;
    int64_t parts = 0;
    bool draws = false;
    if (count < 1)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "a mixture needs at least one policy");
    for (int64_t i = 0; i < count; i++) {
        if (!same_shape(policies[i], policies[0]))
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "policies[%" PRId64 "] is for another number of states, actions or "
                           "steps than the first",
                           i);
        parts += fy_policy_parts(policies[i]);
        draws |= policies[i]->chance != NULL;
    }
    foray_status status = create_shape(ctx, policies[0]->states, policies[0]->actions,
                                       policies[0]->horizon, &mixture);
    if (status != FORAY_OK)
        return status;
    status = take_cover(ctx, policies[0], mixture);
    if (status == FORAY_OK)
        status = fy_policy_make_parts(ctx, mixture, parts, true, draws);
    for (int64_t i = 0, at = 0; i < count && status == FORAY_OK; i++) {
        take_parts(policies[i], odds[i], at, mixture);
        at += fy_policy_parts(policies[i]);
    }
    if (status == FORAY_OK && !fy_policy_normalise(mixture->odds, parts))
        status = fy_fail(ctx, FORAY_ERROR_INPUT, "the odds do not sum to 1");
    if (status == FORAY_OK)
        *out = mixture;
    else
        foray_policy_destroy(mixture);
    return status;
}

/* --------------------------------------------------------------------- drawing */

/* The i with law[0] + .. + law[i-1] <= u < law[0] + .. + law[i], and a weight above 0. */
static int64_t draw_from(const double *law, int64_t count, double u)
{
    int64_t last = 0;
    for (int64_t i = 0; i < count; i++) {
        if (law[i] > 0 && u < law[i])
            return i;
        u -= law[i];
        last = law[i] > 0 ? i : last;
    }
    return last;
}

int64_t foray_policy_part(const foray_policy *policy, const foray_draw *draw)
{
    if (!policy->odds)
        return 0;
    double u = fy_unit(fy_random_bits(draw->seed, FY_STREAM_POLICY, draw->episode, 0, 0));
    return draw_from(policy->odds, policy->parts, u);
}

int64_t foray_policy_draw(const foray_policy *policy, const foray_draw *draw, int64_t state)
{
    int64_t part = foray_policy_part(policy, draw), place = find_state(policy, state);
    int64_t at = (part * policy->horizon + draw->step) * fy_policy_covered(policy) + place;
    if (place < 0)
        return -1;
    if (!policy->chance)
        return policy->action[at];
    double u = fy_unit(fy_random_bits(draw->seed, FY_STREAM_POLICY, draw->episode, draw->step, 1));
    return draw_from(policy->chance + at * policy->actions, policy->actions, u);
}
