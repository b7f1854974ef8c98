/* task.c - see task.h. */
#include "task/task.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct looking {
    fy_arena *arena;
    foray_context *ctx;
    const foray_model *model;
    const fy_labels *given;
    const fy_formula *formula;
    uint64_t *holds; /* [states] which atoms hold */
    fy_labels used;
} looking;

/* ----------------------------------------------------------------------- atoms */

/* The label of this name, or -1. */
static int64_t find_label(const fy_labels *labels, const char *name)
{
    for (int64_t i = 0; labels && i < labels->count; i++)
        if (strcmp(labels->name[i], name) == 0)
            return i;
    return -1;
}

/* A few of the names there are, for a message. */
static void list_labels(const looking *l, char *text, size_t size)
{
    enum { FEW = 6 };
    const fy_labels *both[] = {l->given, &l->model->labels};
    size_t used = 0;
    int64_t shown = 0, count = 0;
    text[0] = 0;
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; both[k] && i < both[k]->count; i++, count++)
            if (shown < FEW && used < size - 1)
                used += (size_t)fy_format(text + used, size - used, "%s%.40s",
                                          shown++ > 0 ? ", " : "; there are ", both[k]->name[i]);
    if (count > shown && used < size - 1)
        fy_format(text + used, size - used, ", ...");
    if (count == 0)
        fy_format(text, size, "; there are no labels: a state's name is quoted");
}

/* States of a label, which become those of an atom; the label is kept for who writes the task. */
static foray_status take_label(looking *l, int64_t atom, const fy_labels *from, int64_t label)
{
    fy_labels *used = &l->used;
    int64_t first = from->start[label], count = from->start[label + 1] - first;
    int64_t all = used->start[used->count] + count;
    int32_t *state = fy_arena_resize(l->arena, used->state, (size_t)all, sizeof *state);
    if (!state)
        return FORAY_ERROR_MEMORY;
    used->state = state;
    used->name[used->count] = fy_arena_text(l->arena, from->name[label]);
    if (!used->name[used->count])
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        int32_t s = from->state[first + i];
        state[used->start[used->count] + i] = s;
        l->holds[s] |= (uint64_t)1 << atom;
    }
    used->start[++used->count] = all;
    return FORAY_OK;
}

static foray_status find_named(looking *l, int64_t atom, const char *name, bool quoted)
{
    const foray_model *model = l->model;
    int64_t found = -1, label;
    char known[400];
    for (int64_t s = 0; quoted && model->state_names && s < model->states; s++) {
        if (!model->state_names[s] || strcmp(model->state_names[s], name) != 0)
            continue;
        if (found >= 0)
            return fy_fail(l->ctx, FORAY_ERROR_INPUT,
                           "\"%.100s\": states %" PRId64 " and %" PRId64 " both have this name",
                           name, found, s);
        found = s;
    }
    if (found >= 0) {
        l->holds[found] |= (uint64_t)1 << atom;
        return FORAY_OK;
    }
    if ((label = find_label(l->given, name)) >= 0)
        return take_label(l, atom, l->given, label);
    if ((label = find_label(&model->labels, name)) >= 0)
        return take_label(l, atom, &model->labels, label);
    list_labels(l, known, sizeof known);
    return fy_fail(l->ctx, FORAY_ERROR_INPUT, "there is no %slabel '%.100s'%s",
                   quoted ? "state and no " : "", name, known);
}

static foray_status find_atom(looking *l, int64_t i)
{
    const fy_atom *atom = &l->formula->atom[i];
    if (atom->kind != FY_ATOM_NUMBER)
        return find_named(l, i, atom->text, atom->kind == FY_ATOM_NAME);
    if (atom->number >= l->model->states)
        return fy_fail(l->ctx, FORAY_ERROR_INPUT,
                       "state %" PRId64 ", but the model has %" PRId64 " states", atom->number,
                       l->model->states);
    l->holds[atom->number] |= (uint64_t)1 << i;
    return FORAY_OK;
}

/* -------------------------------------------------------------------------- letters */

/* The sets of atoms that hold somewhere, each once; letter[s] says which. */
static foray_status number_letters(const looking *l, fy_arena *scratch, fy_task *task,
                                   int64_t *count, uint64_t **out)
{
    int64_t S = l->model->states, room = 0, done = 0;
    uint64_t *letter = NULL;
    fy_index index = {0};
    *count = 0;
    for (; done < S; done++) {
        int64_t s = done;
        uint64_t hash = fy_hash(&l->holds[s], sizeof *l->holds, 0);
        int64_t old;
        if (!fy_index_has_room(&index, *count + 1)) {
            if (!fy_index_create(l->ctx, &index, 2 * (*count + 1)))
                break;
            for (int64_t i = 0; i < *count; i++)
                fy_index_add(&index, fy_hash(&letter[i], sizeof *letter, 0), i);
        }
        uint64_t at = fy_index_start(hash);
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): what is in the index is there */
        while ((old = fy_index_at(&index, at)) >= 0 && letter[old] != l->holds[s])
            at++;
        if (old < 0) {
            letter = fy_arena_grow(scratch, letter, &room, *count + 1, sizeof *letter);
            if (!letter)
                break;
            letter[*count] = l->holds[s];
            fy_index_put(&index, at, *count);
            old = (*count)++;
        }
        task->letter[s] = (int32_t)old;
        *out = letter;
    }
    fy_index_free(&index);
    return done == S ? FORAY_OK : FORAY_ERROR_MEMORY;
}

static foray_status make_task(looking *l, fy_formula *formula, fy_task *task)
{
    fy_arena scratch = {.ctx = l->ctx};
    uint64_t *letter = NULL;
    int64_t letters;
    foray_status status = FORAY_OK;
    if (!FY_NEW(l->arena, task->letter, l->model->states) ||
        !FY_NEW(&scratch, l->holds, l->model->states) ||
        !FY_NEW(l->arena, l->used.name, formula->atoms + 1) ||
        !FY_NEW(l->arena, l->used.start, formula->atoms + 1))
        status = FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < formula->atoms && status == FORAY_OK; i++)
        status = find_atom(l, i);
    if (status == FORAY_OK)
        status = number_letters(l, &scratch, task, &letters, &letter);
    if (status == FORAY_OK)
        status = fy_automaton_create(l->arena, formula, letters, letter, &task->automaton);
    task->labels = l->used;
    fy_arena_release(&scratch);
    return status;
}

foray_status fy_task_create(fy_arena *arena, const foray_model *model, const char *text,
                            const fy_labels *labels, fy_task **out)
{
    fy_formula formula;
    fy_task *task;
    looking l = {.arena = arena, .ctx = arena->ctx, .model = model, .given = labels};
    foray_status status = fy_model_need_features(arena->ctx, model, "a task");
    if (status == FORAY_OK)
        status = fy_formula_parse(arena->ctx, text, model->horizon, &formula);
    if (status != FORAY_OK)
        return status;
    l.formula = &formula;
    if (FY_NEW(arena, task, 1) && (task->text = fy_arena_text(arena, text)))
        status = make_task(&l, &formula, task);
    else
        status = FORAY_ERROR_MEMORY;
    fy_formula_release(&formula);
    if (status == FORAY_OK)
        *out = task;
    return status;
}

static bool copy_labels(fy_arena *arena, const fy_labels *from, fy_labels *to)
{
    if (!FY_NEW(arena, to->name, from->count) || !FY_NEW(arena, to->start, from->count + 1) ||
        !FY_NEW(arena, to->state, from->start[from->count]))
        return false;
    for (int64_t i = 0; i < from->count; i++)
        if (!(to->name[i] = fy_arena_text(arena, from->name[i])))
            return false;
    memcpy(to->start, from->start, (size_t)(from->count + 1) * sizeof *to->start);
    if (from->state)
        memcpy(to->state, from->state, (size_t)from->start[from->count] * sizeof *to->state);
    to->count = from->count;
    return true;
}

foray_status fy_task_copy(fy_arena *arena, const fy_task *task, int64_t states, fy_task **out)
{
    fy_task *copy;
    if (!FY_NEW(arena, copy, 1) || !(copy->text = fy_arena_text(arena, task->text)) ||
        !FY_NEW(arena, copy->letter, states) ||
        !fy_automaton_copy(arena, &task->automaton, &copy->automaton) ||
        !copy_labels(arena, &task->labels, &copy->labels))
        return FORAY_ERROR_MEMORY;
    memcpy(copy->letter, task->letter, (size_t)states * sizeof *copy->letter);
    *out = copy;
    return FORAY_OK;
}
