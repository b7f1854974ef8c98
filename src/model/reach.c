/* reach.c - what an episode can get to: by the successors alone, whatever their probabilities. */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

/* Breadth first. */
int64_t fy_model_earliest(const foray_model *model, int32_t *earliest, int32_t *line)
{
    int64_t known = 0;
    for (int64_t s = 0; s < model->states; s++)
        earliest[s] = INT32_MAX;
    for (int64_t i = 0; i < model->initials; i++) {
        int32_t s = model->initial_state[i];
        if (earliest[s] != 0)
            line[known++] = s;
        earliest[s] = 0;
    }
    for (int64_t done = 0; done < known && earliest[line[done]] < model->horizon; done++) {
        int64_t first = line[done] * model->actions, last = first + model->actions;
        for (int64_t j = model->succ_start[first]; j < model->succ_start[last]; j++) {
            int32_t next = model->succ[j];
            if (earliest[next] != INT32_MAX)
                continue;
            earliest[next] = earliest[line[done]] + 1;
            line[known++] = next;
        }
    }
    return known;
}

int64_t fy_model_count_reachable(foray_context *ctx, const foray_model *model)
{
    fy_arena scratch = {.ctx = ctx};
    int32_t *earliest, *line;
    bool room = FY_NEW(&scratch, earliest, model->states) && FY_NEW(&scratch, line, model->states);
    int64_t count = room ? fy_model_earliest(model, earliest, line) : -1;
    fy_arena_release(&scratch);
    return count;
}

/* ------------------------------------------------------------------- the part */

/* What taking a part needs meanwhile. */
typedef struct taking {
    fy_arena arena;
    const foray_model *whole;
    foray_model *part;
    int32_t *earliest, *line; /* [states of the whole] */
    int32_t *kept;            /* [generator sets of the whole] the number in the part, -1: none */
    int32_t *old;             /* [generator sets of the part] the way back */
    int64_t begun;            /* states where steps begin come before this one */
} taking;

static bool look_around(taking *t, int64_t *known)
{
    const foray_model *whole = t->whole;
    if (!FY_NEW(&t->arena, t->earliest, whole->states) ||
        !FY_NEW(&t->arena, t->line, whole->states))
        return false;
    *known = fy_model_earliest(whole, t->earliest, t->line);
    return true;
}

static bool number_states(taking *t, int64_t known)
{
    const foray_model *whole = t->whole;
    foray_model *part = t->part;
    if (!FY_NEW(&part->arena, part->number, known) ||
        !FY_NEW(&part->arena, part->index, whole->states) ||
        !FY_NEW(&part->arena, part->by_step, whole->horizon + 1))
        return false;
    memset(part->index, -1, (size_t)whole->states * sizeof *part->index);
    for (int64_t i = 0; i < known; i++) {
        part->number[i] = t->line[i];
        part->index[t->line[i]] = (int32_t)i;
        part->by_step[t->earliest[t->line[i]]]++;
    }
    for (int64_t h = 1; h <= whole->horizon; h++)
        part->by_step[h] += part->by_step[h - 1];
    part->whole = whole;
    part->states = known;
    part->pairs = known * whole->actions;
    t->begun = fy_begun(part);
    return true;
}

/* The pair of the whole that a pair of the part has its law from. Where no step begins it is that
 * of the very first pair. */
static int64_t law_of(const taking *t, int64_t pair)
{
    int64_t A = t->whole->actions, from = pair < t->begun * A ? pair : 0;
    int64_t there = t->part->number[from / A] * A + (pair < t->begun * A ? from % A : 0);
    return fy_stand_in(t->whole, there);
}

/* The generator sets that steps meet, in the order in which pairs of the whole meet them: that of a
 * model that has nothing else. */
static bool number_sets(taking *t)
{
    const foray_model *whole = t->whole;
    foray_model *part = t->part;
    if (!FY_NEW(&t->arena, t->kept, whole->generator_sets) ||
        !FY_NEW(&t->arena, t->old, whole->generator_sets))
        return false;
    memset(t->kept, -1, (size_t)whole->generator_sets * sizeof *t->kept);
    for (int64_t s = 0; s < whole->states; s++) {
        if (part->index[s] < 0 || part->index[s] >= t->begun)
            continue;
        for (int64_t pair = s * whole->actions; pair < (s + 1) * whole->actions; pair++) {
            int32_t set = whole->generator_set[pair];
            if (t->kept[set] >= 0)
                continue;
            t->old[part->generator_sets] = set;
            t->kept[set] = (int32_t)part->generator_sets++;
        }
    }
    return true;
}

static bool copy_sets(taking *t)
{
    const foray_model *whole = t->whole;
    foray_model *part = t->part;
    int64_t generators = 0, features = 0;
    if (!number_sets(t))
        return false;
    for (int64_t set = 0; set < part->generator_sets; set++) {
        int64_t first = whole->gen_start[t->old[set]], end = whole->gen_start[t->old[set] + 1];
        generators += end - first;
        features += whole->feat_start[end] - whole->feat_start[first];
    }
    if (!FY_NEW(&part->arena, part->gen_start, part->generator_sets + 1) ||
        !FY_NEW(&part->arena, part->generator_set_pair, part->generator_sets) ||
        !FY_NEW(&part->arena, part->feat_start, generators + 1) ||
        !FY_NEW(&part->arena, part->feat_index, features) ||
        !FY_NEW(&part->arena, part->feat_value, features))
        return false;
    memset(part->generator_set_pair, -1,
           (size_t)part->generator_sets * sizeof *part->generator_set_pair);
    int64_t gen = 0, at = 0;
    for (int64_t set = 0; set < part->generator_sets; set++) {
        for (int64_t g = whole->gen_start[t->old[set]]; g < whole->gen_start[t->old[set] + 1];
             g++) {
            for (int64_t f = whole->feat_start[g]; f < whole->feat_start[g + 1]; f++, at++) {
                part->feat_index[at] = whole->feat_index[f];
                part->feat_value[at] = whole->feat_value[f];
            }
            part->feat_start[++gen] = at;
        }
        part->gen_start[set + 1] = gen;
    }
    return true;
}

static bool make_room_for_pairs(taking *t)
{
    const foray_model *whole = t->whole;
    foray_model *part = t->part;
    int64_t transitions = 0, features = 0;
    for (int64_t pair = 0; pair < part->pairs; pair++) {
        int64_t from = law_of(t, pair);
        transitions += whole->succ_start[from + 1] - whole->succ_start[from];
        features += whole->pair_dim > 0 ? whole->pair_start[from + 1] - whole->pair_start[from] : 0;
    }
    if (!FY_NEW(&part->arena, part->generator_set, part->pairs) ||
        !FY_NEW(&part->arena, part->succ_start, part->pairs + 1) ||
        !FY_NEW(&part->arena, part->succ, transitions))
        return false;
    part->pair_dim = whole->pair_dim;
    return whole->pair_dim == 0 || (FY_NEW(&part->arena, part->pair_start, part->pairs + 1) &&
                                    FY_NEW(&part->arena, part->pair_index, features) &&
                                    FY_NEW(&part->arena, part->pair_value, features));
}

static void copy_pair(taking *t, int64_t pair)
{
    const foray_model *whole = t->whole;
    foray_model *part = t->part;
    int64_t from = law_of(t, pair), at = part->succ_start[pair];
    int32_t state = (int32_t)(pair / whole->actions), set = t->kept[whole->generator_set[from]];
    if (part->generator_set_pair[set] < 0)
        part->generator_set_pair[set] = (int32_t)pair;
    part->generator_set[pair] = set;
    for (int64_t j = whole->succ_start[from]; j < whole->succ_start[from + 1]; j++)
        part->succ[at++] = state < t->begun ? part->index[whole->succ[j]] : state;
    part->succ_start[pair + 1] = at;
    if (whole->pair_dim == 0)
        return;
    at = part->pair_start[pair];
    for (int64_t f = whole->pair_start[from]; f < whole->pair_start[from + 1]; f++, at++) {
        part->pair_index[at] = whole->pair_index[f];
        part->pair_value[at] = whole->pair_value[f];
    }
    part->pair_start[pair + 1] = at;
}

/* Which pairs exist: as in the whole, and all where no step begins. */
static bool copy_available(taking *t)
{
    const foray_model *whole = t->whole;
    foray_model *part = t->part;
    int64_t A = whole->actions;
    part->available = part->pairs;
    for (int64_t pair = 0; whole->stand_in && pair < t->begun * A; pair++)
        part->available -= !fy_available(whole, part->number[pair / A] * A + pair % A);
    if (part->available == part->pairs)
        return true;
    if (!FY_NEW(&part->arena, part->stand_in, part->pairs) ||
        !FY_NEW(&part->arena, part->existing, part->available))
        return false;
    int64_t count = 0;
    for (int64_t pair = 0; pair < part->pairs; pair++) {
        int64_t there = part->number[pair / A] * A, other = there + pair % A;
        if (pair < t->begun * A)
            other = whole->stand_in[other];
        part->stand_in[pair] = (int32_t)(pair / A * A + other - there);
        if (part->stand_in[pair] == pair)
            part->existing[count++] = (int32_t)pair;
    }
    return true;
}

/* The smallest map that has them all: its rows and columns, and every cell moved up and left. Where
 * no step begins there is nothing to be drawn. */
static void crop_map(taking *t)
{
    foray_model *part = t->part;
    int32_t *const along[2] = {part->cell_row, part->cell_col};
    for (int k = 0; k < 2; k++) {
        int32_t low = INT32_MAX, high = -1;
        for (int64_t i = 0; i < t->begun; i++) {
            low = along[k][i] >= 0 && along[k][i] < low ? along[k][i] : low;
            high = along[k][i] > high ? along[k][i] : high;
        }
        for (int64_t i = 0; i < t->begun; i++)
            along[k][i] -= along[k][i] >= 0 ? low : 0;
        *(k == 0 ? &part->grid_rows : &part->grid_cols) = high < 0 ? 0 : high - low + 1;
    }
    if (part->grid_rows == 0)
        part->cell_row = part->cell_col = NULL;
}

static bool copy_map(taking *t)
{
    const foray_model *whole = t->whole;
    foray_model *part = t->part;
    if (!whole->cell_row)
        return true;
    if (!FY_NEW(&part->arena, part->cell_row, part->states) ||
        !FY_NEW(&part->arena, part->cell_col, part->states))
        return false;
    for (int64_t i = 0; i < part->states; i++) {
        part->cell_row[i] = i < t->begun ? whole->cell_row[part->number[i]] : -1;
        part->cell_col[i] = i < t->begun ? whole->cell_col[part->number[i]] : -1;
    }
    crop_map(t);
    return true;
}

/* The names are those of the whole. */
static bool copy_names(taking *t)
{
    const foray_model *whole = t->whole;
    foray_model *part = t->part;
    part->action_names = whole->action_names;
    if (!whole->state_names)
        return true;
    if (!FY_NEW(&part->arena, part->state_names, part->states))
        return false;
    for (int64_t i = 0; i < part->states; i++)
        part->state_names[i] = whole->state_names[part->number[i]];
    return true;
}

/* The first states come first, in the order in which they were. */
static bool copy_initial(taking *t)
{
    const foray_model *whole = t->whole;
    foray_model *part = t->part;
    if (!FY_NEW(&part->arena, part->initial_state, whole->initials))
        return false;
    for (int64_t i = 0; i < whole->initials; i++)
        part->initial_state[i] = part->index[whole->initial_state[i]];
    part->initials = whole->initials;
    part->initial_probability = whole->initial_probability;
    return true;
}

static bool fill_part(taking *t, int64_t known)
{
    const foray_model *whole = t->whole;
    foray_model *part = t->part;
    part->name = whole->name;
    part->actions = whole->actions;
    part->horizon = whole->horizon;
    part->dim = whole->dim;
    part->norm_bound = whole->norm_bound;
    part->feature_error = whole->feature_error;
    part->feature_delta = whole->feature_delta;
    part->theta = whole->theta;
    part->nonnegative = whole->nonnegative;
    if (!number_states(t, known) || !copy_sets(t) || !make_room_for_pairs(t))
        return false;
    for (int64_t pair = 0; pair < part->pairs; pair++)
        copy_pair(t, pair);
    return copy_available(t) && copy_map(t) && copy_names(t) && copy_initial(t);
}

foray_status fy_model_reachable(foray_context *ctx, const foray_model *whole, foray_model **out)
{
    taking t = {.arena.ctx = ctx, .whole = whole};
    int64_t known = whole->states;
    foray_status status = FORAY_OK;
    *out = NULL;
    if (!whole->unstructured && !whole->aggregated && !look_around(&t, &known))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK && known < whole->states) {
        bool made = FY_ALLOC(ctx, t.part, 1);
        if (made)
            t.part->arena.ctx = ctx;
        status = made && fill_part(&t, known) ? fy_model_complete(ctx, t.part) : FORAY_ERROR_MEMORY;
    }
    fy_arena_release(&t.arena);
    if (status == FORAY_OK)
        *out = t.part;
    else
        foray_model_destroy(t.part);
    return status;
}
