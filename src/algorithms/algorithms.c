/* algorithms.c - the table of algorithms, and explorers created by the name of one. The table
 * knows every algorithm and no algorithm knows the table, so it has a folder to itself. */
#include "algorithms/algorithms.h"
#include "explore/unstructured/unstructured.h"

#include <stdlib.h>
#include <string.h>

/* Adding an algorithm is one file and one line here. */
#define ALGORITHM_LIST(X)                                                                          \
    X(fy_ucrl_rfe)                                                                                 \
    X(fy_ucrl_rfe_plus)                                                                            \
    X(fy_scout)                                                                                    \
    X(fy_rf_ucrl)                                                                                  \
    X(fy_rf_express)                                                                               \
    X(fy_wang)                                                                                     \
    X(fy_francis)                                                                                  \
    X(fy_ucrl_vtr)                                                                                 \
    X(fy_ucrl_vtr_plus)                                                                            \
    X(fy_euler_ops)                                                                                \
    X(fy_rf_rl_explore)                                                                            \
    X(fy_sstp)                                                                                     \
    X(fy_random)                                                                                   \
    X(fy_generative)                                                                               \
    X(fy_inverse_count)

/* Not one that explores, so that no list of algorithms has it; known by its name. */
extern const fy_explorer_ops fy_recorded;

#define DECLARE(ops) extern const fy_explorer_ops ops;
ALGORITHM_LIST(DECLARE)
#undef DECLARE

#define ROW(ops) &(ops),
static const fy_explorer_ops *const algorithms[] = {ALGORITHM_LIST(ROW)};
#undef ROW

const fy_explorer_ops *fy_algorithm_at(int64_t index)
{
    return index >= 0 && index < FY_COUNT(algorithms) ? algorithms[index] : NULL;
}

const fy_explorer_ops *fy_algorithm_named(const char *name)
{
    for (int64_t i = 0; i < FY_COUNT(algorithms); i++)
        if (strcmp(algorithms[i]->name, name) == 0)
            return algorithms[i];
    return strcmp(fy_recorded.name, name) == 0 ? &fy_recorded : NULL;
}

bool foray_algorithm_describe(int64_t index, const char **name, const char **summary)
{
    const fy_explorer_ops *ops = fy_algorithm_at(index);
    if (ops && name)
        *name = ops->name;
    if (ops && summary)
        *summary = ops->summary;
    return ops;
}

bool foray_algorithm_needs_reward(const char *name)
{
    const fy_explorer_ops *ops = fy_algorithm_named(name);
    return ops && ops->takes_reward;
}

bool foray_algorithm_is_generative(const char *name)
{
    const fy_explorer_ops *ops = fy_algorithm_named(name);
    return ops && ops->query;
}

/* Algorithms are for unstructured models or for others; random and recorded have a row for each. */
static foray_status choose_for_model(foray_context *ctx, const foray_model *model,
                                     const fy_explorer_ops **ops)
{
    const char *name = (*ops)->name;
    const fy_explorer_ops *row = model->unstructured ? fy_unstructured_algorithm(name) : *ops;
    if (!row)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "%s needs a model of what can follow what, but nothing is known about this "
                       "one except its sizes: explore it with inverse-count or random",
                       name);
    if (row->unstructured && !model->unstructured)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "%s is for worlds of which nothing is known, and would not use what this "
                       "model says can follow what: explore it with ucrl-rfe or another algorithm",
                       name);
    *ops = row;
    return FORAY_OK;
}

foray_status foray_explorer_create(foray_context *ctx, const foray_model *model,
                                   const foray_settings *settings, foray_explorer **out)
{
    foray_explorer start = {.ctx = ctx, .whole = model};
    foray_status status = fy_settings_read(ctx, settings, &start.settings, &start.ops, start.own);
    if (status == FORAY_OK)
        status = choose_for_model(ctx, model, &start.ops);
    if (status == FORAY_OK && !model->unstructured)
        status = foray_model_check(ctx, model, NULL);
    if (status != FORAY_OK)
        return status;
    foray_explorer *explorer = fy_alloc(ctx, 1, sizeof *explorer);
    if (!explorer)
        return FORAY_ERROR_MEMORY;
    *explorer = start;
    status = fy_explorer_make(explorer);
    if (status != FORAY_OK) {
        foray_explorer_destroy(explorer);
        return status;
    }
    *out = explorer;
    return FORAY_OK;
}
