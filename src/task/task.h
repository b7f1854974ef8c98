/* task.h - a formula about the states of a model: its atoms looked up, as an automaton that reads
 * states. */
#ifndef FY_TASK_H
#define FY_TASK_H

#include "model/model.h"
#include "task/product.h"

typedef struct fy_task {
    char *text; /* as it was written */
    fy_automaton automaton;
    int32_t *letter;  /* [states] what the automaton reads in each */
    fy_labels labels; /* those that the formula names, with their states */
} fy_task;

/* Labels are looked for among those given (may be NULL), then among the model's; what is in quotes
 * among the names of states first. FORAY_ERROR_INPUT says what there is none of. Lives in the
 * arena. */
foray_status fy_task_create(fy_arena *arena, const foray_model *model, const char *text,
                            const fy_labels *labels, fy_task **out);
foray_status fy_task_copy(fy_arena *arena, const fy_task *task, int64_t states, fy_task **out);

static inline fy_task_reader fy_task_as_reader(const fy_task *task)
{
    return (fy_task_reader){task->automaton.states, task->automaton.letters, task->letter,
                            task->automaton.next};
}

#endif
