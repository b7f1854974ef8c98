/* reach.c - what an episode can get to: by the successors alone, whatever their probabilities. */
#include "model/model.h"

#include <stdlib.h>

/* Breadth first. */
void fy_model_earliest(const foray_model *model, int32_t *earliest, int32_t *line)
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
    for (int64_t done = 0; done < known; done++) {
        int64_t first = line[done] * model->actions, last = first + model->actions;
        for (int64_t j = model->succ_start[first]; j < model->succ_start[last]; j++) {
            int32_t next = model->succ[j];
            if (earliest[next] != INT32_MAX)
                continue;
            earliest[next] = earliest[line[done]] + 1;
            line[known++] = next;
        }
    }
}

/* ------------------------------------------------------------------- the part */

/* The part under way: its own arrays, and the model's where nothing changes. */
typedef struct part {
    fy_arena arena;
    const foray_model *model;
    int32_t *earliest; /* [states of the model] */
    int32_t *renamed;  /* [the same] the number in the part, -1: not in it */
    int32_t *number;   /* [states of the part] the way back; the caller's */
    int64_t states;
    int64_t *succ_start;
    int32_t *succ, *list, *row, *col, *initial;
    int64_t *pair_start;
    int32_t *pair_index;
    double *pair_value;
    int32_t *kept; /* [generator sets of the model] the number in the part, -1: no pair has it */
    int64_t lists, *gen_start, *feat_start;
    int32_t *feat_index;
    double *feat_value;
    bool *available;
    char **names;
} part;

/* Which states there are, and their new numbers, in the old order. */
static bool choose_states(part *p)
{
    const foray_model *model = p->model;
    if (!FY_NEW(&p->arena, p->earliest, model->states) ||
        !FY_NEW(&p->arena, p->renamed, model->states) ||
        !FY_ALLOC(p->arena.ctx, p->number, model->states))
        return false;
    fy_model_earliest(model, p->earliest, p->number);
    for (int64_t s = 0; s < model->states; s++) {
        bool in = p->earliest[s] <= model->horizon;
        p->renamed[s] = in ? (int32_t)p->states : -1;
        if (in)
            p->number[p->states++] = (int32_t)s;
    }
    return true;
}

static bool make_room_for_part(part *p)
{
    const foray_model *model = p->model;
    int64_t pairs = p->states * model->actions, transitions = 0, features = 0;
    for (int64_t i = 0; i < p->states; i++) {
        int64_t first = p->number[i] * model->actions, last = first + model->actions;
        transitions += model->succ_start[last] - model->succ_start[first];
        if (model->pair_dim > 0)
            features += model->pair_start[last] - model->pair_start[first];
    }
    return FY_NEW(&p->arena, p->succ_start, pairs + 1) && FY_NEW(&p->arena, p->succ, transitions) &&
           FY_NEW(&p->arena, p->list, pairs) && FY_NEW(&p->arena, p->available, pairs) &&
           FY_NEW(&p->arena, p->row, p->states) && FY_NEW(&p->arena, p->col, p->states) &&
           FY_NEW(&p->arena, p->names, p->states) &&
           FY_NEW(&p->arena, p->initial, model->initials) &&
           FY_NEW(&p->arena, p->pair_start, pairs + 1) &&
           FY_NEW(&p->arena, p->pair_index, features) && FY_NEW(&p->arena, p->pair_value, features);
}

/* The generator sets that pairs of the part have, in the old order. */
static bool copy_lists(part *p)
{
    const foray_model *model = p->model;
    int64_t sets = model->generator_sets, generators = model->gen_start[sets];
    int64_t features = model->feat_start[generators], count = 0, at = 0;
    if (!FY_NEW(&p->arena, p->kept, sets) || !FY_NEW(&p->arena, p->gen_start, sets + 1) ||
        !FY_NEW(&p->arena, p->feat_start, generators + 1) ||
        !FY_NEW(&p->arena, p->feat_index, features) || !FY_NEW(&p->arena, p->feat_value, features))
        return false;
    for (int64_t i = 0; i < p->states * model->actions; i++) {
        int64_t pair = p->number[i / model->actions] * model->actions + i % model->actions;
        if (fy_available(model, pair))
            p->kept[model->generator_set[pair]] = 1;
    }
    for (int64_t set = 0; set < sets; set++) {
        bool used = p->kept[set] == 1;
        p->kept[set] = used ? (int32_t)p->lists++ : -1;
        for (int64_t g = model->gen_start[set]; used && g < model->gen_start[set + 1]; g++) {
            for (int64_t f = model->feat_start[g]; f < model->feat_start[g + 1]; f++, at++) {
                p->feat_index[at] = model->feat_index[f];
                p->feat_value[at] = model->feat_value[f];
            }
            p->feat_start[++count] = at;
        }
        p->gen_start[p->lists] = count;
    }
    return true;
}

/* The successors of a pair. Where no step begins, some of them may be outside: then the pair
 * leads to the first states of the part instead, which nobody will see. */
static void copy_successors(part *p, int64_t from, int64_t to, bool last)
{
    const foray_model *model = p->model;
    int64_t begin = model->succ_start[from], count = model->succ_start[from + 1] - begin;
    for (int64_t j = 0; j < count; j++)
        p->succ[p->succ_start[to] + j] = last ? (int32_t)j : p->renamed[model->succ[begin + j]];
    p->succ_start[to + 1] = p->succ_start[to] + count;
}

static void copy_pair(part *p, int64_t from, int64_t to, bool last)
{
    const foray_model *model = p->model;
    p->available[to] = fy_available(model, from);
    p->list[to] = p->available[to] ? p->kept[model->generator_set[from]] : -1;
    p->pair_start[to + 1] = p->pair_start[to];
    p->succ_start[to + 1] = p->succ_start[to];
    if (p->available[to])
        copy_successors(p, from, to, last);
    if (model->pair_dim == 0)
        return;
    for (int64_t f = model->pair_start[from]; f < model->pair_start[from + 1]; f++) {
        p->pair_index[p->pair_start[to + 1]] = model->pair_index[f];
        p->pair_value[p->pair_start[to + 1]++] = model->pair_value[f];
    }
}

static void copy_states(part *p)
{
    const foray_model *model = p->model;
    for (int64_t i = 0; i < p->states; i++) {
        int64_t s = p->number[i];
        bool last = p->earliest[s] == model->horizon, mapped = model->cell_row && !last;
        p->row[i] = mapped ? model->cell_row[s] : -1;
        p->col[i] = mapped ? model->cell_col[s] : -1;
        p->names[i] = model->state_names ? model->state_names[s] : NULL;
        for (int64_t a = 0; a < model->actions; a++)
            copy_pair(p, s * model->actions + a, i * model->actions + a, last);
    }
    for (int64_t i = 0; i < model->initials; i++)
        p->initial[i] = p->renamed[model->initial_state[i]];
}

/* The smallest map that has them all: its rows and columns, and every cell moved up and left. */
static void crop_map(part *p, int64_t *rows, int64_t *cols)
{
    int32_t low[2] = {INT32_MAX, INT32_MAX}, high[2] = {-1, -1};
    for (int64_t i = 0; i < p->states; i++) {
        const int32_t at[2] = {p->row[i], p->col[i]};
        for (int k = 0; k < 2 && at[0] >= 0; k++) {
            low[k] = at[k] < low[k] ? at[k] : low[k];
            high[k] = at[k] > high[k] ? at[k] : high[k];
        }
    }
    for (int64_t i = 0; i < p->states && high[0] >= 0; i++)
        if (p->row[i] >= 0) {
            p->row[i] -= low[0];
            p->col[i] -= low[1];
        }
    *rows = high[0] >= 0 ? high[0] - low[0] + 1 : 0;
    *cols = high[0] >= 0 ? high[1] - low[1] + 1 : 0;
}

static foray_status assemble_part(foray_context *ctx, part *p, foray_model **out)
{
    const foray_model *model = p->model;
    bool pairs = model->pair_dim > 0;
    fy_model_parts parts = {
        .name = model->name,
        .states = p->states,
        .actions = model->actions,
        .horizon = model->horizon,
        .dim = model->dim,
        .norm_bound = model->norm_bound,
        .feature_error = model->feature_error,
        .feature_delta = model->feature_delta,
        .available = model->stand_in ? p->available : NULL,
        .succ_start = p->succ_start,
        .succ = p->succ,
        .lists = p->lists,
        .list_of_pair = p->list,
        .gen_start = p->gen_start,
        .feat_start = p->feat_start,
        .feat_index = p->feat_index,
        .feat_value = p->feat_value,
        .theta = model->theta,
        .nonnegative = model->nonnegative,
        .pair_dim = model->pair_dim,
        .pair_start = pairs ? p->pair_start : NULL,
        .pair_index = pairs ? p->pair_index : NULL,
        .pair_value = pairs ? p->pair_value : NULL,
        .initials = model->initials,
        .initial_state = p->initial,
        .initial_probability = model->initial_probability,
        .state_names = model->state_names ? p->names : NULL,
        .action_names = model->action_names,
        .cell_row = p->row,
        .cell_col = p->col,
    };
    crop_map(p, &parts.grid_rows, &parts.grid_cols);
    if (parts.grid_rows == 0)
        parts.cell_row = parts.cell_col = NULL;
    return fy_model_assemble(ctx, &parts, out);
}

foray_status fy_model_reachable(foray_context *ctx, const foray_model *model, foray_model **out,
                                int32_t **number)
{
    part p = {.arena.ctx = ctx, .model = model};
    if (model->unstructured)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "%s: an unstructured model says nothing about what follows what",
                       model->name);
    foray_status status = FORAY_ERROR_MEMORY;
    if (choose_states(&p) && make_room_for_part(&p) && copy_lists(&p)) {
        copy_states(&p);
        status = assemble_part(ctx, &p, out);
    }
    if (status == FORAY_OK)
        *number = p.number;
    else
        free(p.number);
    fy_arena_release(&p.arena);
    return status;
}
