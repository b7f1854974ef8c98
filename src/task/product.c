/* product.c - see product.h. Breadth first: states are numbered as they are met, and so are the
 * memories in which they are. */
#include "task/product.h"
#include "model/basis.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct multiplying {
    fy_arena arena;
    foray_context *ctx;
    const foray_model *model, *whole;
    int64_t count;
    const fy_task_reader *reader;
    foray_model *product;
    foray_policy_memory *memory;
    int64_t memory_room, next_room; /* of inner, of memory->next */
    fy_index by_memory;             /* of memories, by the states of their readers */
    int64_t room;
    int32_t *state, *remembers, *depth; /* [product->states] state: as the model numbers it */
    fy_index by_state;                  /* of the product's states */
    int32_t *tuple;                     /* [count] */
} multiplying;

static uint64_t hash_place(int32_t state, int32_t memory)
{
    const int32_t place[] = {state, memory};
    return fy_hash(place, sizeof place, 0);
}

static foray_status too_large(const multiplying *m)
{
    return fy_fail(m->ctx, FORAY_ERROR_INPUT,
                   "the product of the model's %" PRId64 " states with what is to be remembered "
                   "becomes too large",
                   m->whole->states);
}

/* --------------------------------------------------------------------- memories */

/* The letters of all readers together, each combination once. */
static foray_status find_letters(multiplying *m)
{
    int64_t letters = 0, S = m->whole->states;
    int32_t *first; /* a state with each */
    fy_index index = {0};
    if (!FY_NEW(&m->product->arena, m->memory->letter, S) || !FY_NEW(&m->arena, first, S) ||
        !fy_index_create(m->ctx, &index, S))
        return FORAY_ERROR_MEMORY;
    for (int64_t s = 0; s < S; s++) {
        uint64_t hash = 0;
        int64_t old;
        for (int64_t i = 0; i < m->count; i++)
            hash = fy_hash(&m->reader[i].letter[s], sizeof *m->reader[i].letter, hash);
        uint64_t at = fy_index_start(hash);
        for (; (old = fy_index_at(&index, at)) >= 0; at++) {
            bool same = true;
            for (int64_t i = 0; i < m->count && same; i++)
                same = m->reader[i].letter[s] == m->reader[i].letter[first[old]];
            if (same)
                break;
        }
        if (old < 0) {
            fy_index_put(&index, at, letters);
            first[old = letters++] = (int32_t)s;
        }
        m->memory->letter[s] = (int32_t)old;
    }
    fy_index_free(&index);
    m->memory->letters = letters;
    return FORAY_OK;
}

/* The number of the memory m->tuple, which is added if it is new; -1: no memory. */
static int32_t find_memory(multiplying *m)
{
    foray_policy_memory *memory = m->memory;
    foray_model *product = m->product;
    size_t bytes = (size_t)m->count * sizeof *m->tuple;
    uint64_t at = fy_index_start(fy_hash(m->tuple, bytes, 0));
    for (int64_t old; (old = fy_index_at(&m->by_memory, at)) >= 0; at++)
        if (memcmp(product->inner + old * m->count, m->tuple, bytes) == 0)
            return (int32_t)old;
    int64_t wanted = memory->states + 1, letters = memory->letters;
    int32_t *inner = fy_arena_grow(&product->arena, product->inner, &m->memory_room,
                                   wanted * m->count, sizeof *inner);
    product->inner = inner ? inner : product->inner;
    int32_t *next =
        fy_arena_grow(&product->arena, memory->next, &m->next_room, wanted * letters, sizeof *next);
    memory->next = next ? next : memory->next;
    if (!inner || !next)
        return -1;
    memcpy(inner + memory->states * m->count, m->tuple, bytes);
    memset(next + memory->states * letters, -1, (size_t)letters * sizeof *next);
    memory->states = wanted;
    if (fy_index_has_room(&m->by_memory, wanted)) {
        fy_index_put(&m->by_memory, at, wanted - 1);
        return (int32_t)(wanted - 1);
    }
    if (!fy_index_create(m->ctx, &m->by_memory, 2 * wanted))
        return -1;
    for (int64_t i = 0; i < wanted; i++)
        fy_index_add(&m->by_memory, fy_hash(inner + i * m->count, bytes, 0), i);
    return (int32_t)(wanted - 1);
}

/* next(memory, s), s being a state of the whole. */
static foray_status read_state(multiplying *m, int32_t memory, int64_t s, int32_t *out)
{
    int64_t cell = memory * m->memory->letters + m->memory->letter[s];
    *out = m->memory->next[cell];
    if (*out >= 0)
        return FORAY_OK;
    for (int64_t i = 0; i < m->count; i++) {
        const fy_task_reader *reader = &m->reader[i];
        int32_t now = m->product->inner[memory * m->count + i];
        m->tuple[i] = reader->next[now * reader->letters + reader->letter[s]];
        if (m->tuple[i] < 0)
            return fy_fail(m->ctx, FORAY_ERROR_INPUT,
                           "a policy's memory does not know what follows where state %" PRId64
                           " is reached",
                           s);
    }
    *out = find_memory(m);
    if (*out < 0)
        return FORAY_ERROR_MEMORY;
    m->memory->next[cell] = *out;
    return m->memory->states > INT32_MAX / m->whole->states ? too_large(m) : FORAY_OK;
}

/* ----------------------------------------------------------------------- states */

static bool make_room_for_place(multiplying *m, int64_t wanted)
{
    int64_t room = m->room;
    int32_t *state = fy_arena_grow(&m->arena, m->state, &room, wanted, sizeof *state);
    m->state = state ? state : m->state;
    int64_t also = m->room;
    int32_t *depth = fy_arena_grow(&m->arena, m->depth, &also, wanted, sizeof *depth);
    m->depth = depth ? depth : m->depth;
    also = m->room;
    int32_t *remembers =
        fy_arena_grow(&m->product->arena, m->remembers, &also, wanted, sizeof *remembers);
    m->remembers = remembers ? remembers : m->remembers;
    if (!state || !depth || !remembers)
        return false;
    m->room = room;
    if (fy_index_has_room(&m->by_state, wanted))
        return true;
    if (!fy_index_create(m->ctx, &m->by_state, 2 * wanted))
        return false;
    for (int64_t i = 0; i < m->product->states; i++)
        fy_index_add(&m->by_state, hash_place(m->state[i], m->remembers[i]), i);
    return true;
}

/* Where the product goes from `memory` with the model's state s, which is added if it is new. */
static foray_status find_place(multiplying *m, int32_t memory, int32_t s, int32_t depth,
                               int32_t *out)
{
    int32_t now;
    foray_status status = read_state(m, memory, fy_outside(m->model, s), &now);
    if (status != FORAY_OK)
        return status;
    uint64_t at = fy_index_start(hash_place(s, now));
    for (int64_t old; (old = fy_index_at(&m->by_state, at)) >= 0; at++)
        if (m->state[old] == s && m->remembers[old] == now) {
            *out = (int32_t)old;
            return FORAY_OK;
        }
    int64_t number = m->product->states;
    if (number >= INT32_MAX / m->model->actions - 1)
        return too_large(m);
    if (!make_room_for_place(m, number + 1))
        return FORAY_ERROR_MEMORY;
    m->state[number] = s;
    m->remembers[number] = now;
    m->depth[number] = depth;
    m->product->states++;
    fy_index_add(&m->by_state, hash_place(s, now), number);
    *out = (int32_t)number;
    return FORAY_OK;
}

static foray_status find_first(multiplying *m)
{
    const foray_model *model = m->model;
    foray_model *product = m->product;
    foray_status status = FORAY_OK;
    memset(m->tuple, 0, (size_t)m->count * sizeof *m->tuple);
    if (!FY_NEW(&product->arena, product->initial_state, model->initials) || find_memory(m) < 0)
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < model->initials && status == FORAY_OK; i++)
        status = find_place(m, 0, model->initial_state[i], 0, &product->initial_state[i]);
    product->initials = model->initials;
    product->initial_probability = model->initial_probability;
    return status;
}

/* All that follows from what was met, up to the last step. */
static foray_status find_all(multiplying *m)
{
    const foray_model *model = m->model;
    foray_status status = find_first(m);
    for (int64_t i = 0; i < m->product->states && status == FORAY_OK; i++) {
        int64_t pair = m->state[i] * model->actions, end = pair + model->actions;
        if (m->depth[i] >= model->horizon)
            break;
        if (fy_stopped(m->ctx))
            return FORAY_INTERRUPTED;
        for (int64_t j = model->succ_start[pair]; j < model->succ_start[end] && status == FORAY_OK;
             j++) {
            int32_t ignored;
            status = find_place(m, m->remembers[i], model->succ[j], m->depth[i] + 1, &ignored);
        }
    }
    return status;
}

/* ------------------------------------------------------------------- the model */

/* The pair of the model that a pair of the product has its law from: where no step begins, that of
 * the first one, and it is made up that every action stays (reach.c). */
static int64_t law_of_place(const multiplying *m, int64_t pair)
{
    int64_t A = m->model->actions, begun = fy_begun(m->product) * A;
    return pair < begun ? m->state[pair / A] * A + pair % A : fy_stand_in(m->model, 0);
}

static bool number_places(multiplying *m)
{
    foray_model *product = m->product;
    int64_t H = m->model->horizon;
    if (!FY_NEW(&product->arena, product->number, product->states) ||
        !FY_NEW(&product->arena, product->by_step, H + 1))
        return false;
    for (int64_t i = 0; i < product->states; i++) {
        product->number[i] = (int32_t)fy_outside(m->model, m->state[i]);
        product->by_step[m->depth[i]]++;
    }
    for (int64_t h = 1; h <= H; h++)
        product->by_step[h] += product->by_step[h - 1];
    product->pairs = product->states * m->model->actions;
    product->remembers = m->remembers;
    product->memory = m->memory;
    product->whole = m->whole;
    product->readers = m->count;
    return true;
}

static foray_status fill_pairs(multiplying *m)
{
    const foray_model *model = m->model;
    foray_model *product = m->product;
    int64_t begun = fy_begun(product) * model->actions, at = 0, transitions = 0;
    foray_status status = FORAY_OK;
    for (int64_t pair = 0; pair < product->pairs; pair++) {
        int64_t from = law_of_place(m, pair);
        transitions += model->succ_start[from + 1] - model->succ_start[from];
    }
    if (!FY_NEW(&product->arena, product->generator_set, product->pairs) ||
        !FY_NEW(&product->arena, product->succ_start, product->pairs + 1) ||
        !FY_NEW(&product->arena, product->succ, transitions))
        return FORAY_ERROR_MEMORY;
    for (int64_t pair = 0; pair < product->pairs && status == FORAY_OK; pair++) {
        int64_t from = law_of_place(m, pair);
        int32_t here = (int32_t)(pair / model->actions);
        product->generator_set[pair] = model->generator_set[from];
        for (int64_t j = model->succ_start[from]; j < model->succ_start[from + 1]; j++, at++) {
            product->succ[at] = here;
            if (pair < begun)
                status = find_place(m, m->remembers[here], model->succ[j], 0, &product->succ[at]);
        }
        product->succ_start[pair + 1] = at;
    }
    return status;
}

static bool fill_available(multiplying *m)
{
    const foray_model *model = m->model;
    foray_model *product = m->product;
    int64_t A = model->actions, begun = fy_begun(product) * A;
    product->available = product->pairs;
    if (!model->stand_in)
        return true;
    if (!FY_NEW(&product->arena, product->stand_in, product->pairs) ||
        !FY_NEW(&product->arena, product->existing, product->pairs))
        return false;
    product->available = 0;
    for (int64_t pair = 0; pair < product->pairs; pair++) {
        int64_t from = law_of_place(m, pair);
        int64_t other = pair < begun ? model->stand_in[from] - from + pair : pair;
        product->stand_in[pair] = (int32_t)other;
        if (other == pair)
            product->existing[product->available++] = (int32_t)pair;
    }
    return true;
}

/* What the product has of the model as it is: laws, features, unknowns. */
static foray_status share_laws(multiplying *m)
{
    const foray_model *model = m->model;
    foray_model *product = m->product;
    product->name = model->name;
    product->actions = model->actions;
    product->horizon = model->horizon;
    product->dim = model->dim;
    product->norm_bound = model->norm_bound;
    product->feature_error = model->feature_error;
    product->feature_delta = model->feature_delta;
    product->theta = model->theta;
    product->nonnegative = model->nonnegative;
    product->aggregated = model->aggregated;
    product->generator_sets = model->generator_sets;
    product->gen_start = model->gen_start;
    product->feat_start = model->feat_start;
    product->feat_index = model->feat_index;
    product->feat_value = model->feat_value;
    product->generator_set_pair = model->generator_set_pair; /* for messages, about the model */
    product->action_names = model->action_names;
    if (!model->basis)
        return FORAY_OK;
    if (!FY_ALLOC(m->ctx, product->basis, 1))
        return FORAY_ERROR_MEMORY;
    *product->basis = *model->basis;
    product->basis->arena = (fy_arena){.ctx = m->ctx};
    product->basis->model = product;
    return FORAY_OK;
}

static foray_status multiply(multiplying *m)
{
    if (!FY_NEW(&m->product->arena, m->memory, 1) || !FY_NEW(&m->arena, m->tuple, m->count))
        return FORAY_ERROR_MEMORY;
    foray_status status = share_laws(m);
    if (status == FORAY_OK)
        status = find_letters(m);
    if (status == FORAY_OK)
        status = find_all(m);
    if (status == FORAY_OK && !number_places(m))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status = fill_pairs(m);
    if (status == FORAY_OK && !fill_available(m))
        status = FORAY_ERROR_MEMORY;
    return status;
}

foray_status fy_product_create(foray_context *ctx, const foray_model *model, int64_t count,
                               const fy_task_reader *readers, foray_model **out)
{
    multiplying m = {.arena.ctx = ctx,
                     .ctx = ctx,
                     .model = model,
                     .whole = model->whole ? model->whole : model,
                     .count = count,
                     .reader = readers};
    foray_status status = fy_model_need_features(ctx, model, "a task");
    if (status != FORAY_OK)
        return status;
    if (!FY_ALLOC(ctx, m.product, 1))
        return FORAY_ERROR_MEMORY;
    m.product->arena.ctx = ctx;
    status = multiply(&m);
    fy_index_free(&m.by_memory);
    fy_index_free(&m.by_state);
    fy_arena_release(&m.arena);
    if (status == FORAY_OK)
        *out = m.product;
    else
        foray_model_destroy(m.product);
    return status;
}
