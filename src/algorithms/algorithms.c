/* algorithms.c - the table of algorithms, and explorers created by the name of one. The table
 * knows every algorithm and no algorithm knows the table, so it has a folder to itself. */
#include "explore/explorer.h"

#include <string.h>

/* Adding an algorithm is one file and one line here. */
#define ALGORITHM_LIST(X)                                                                          \
    X(fy_ucrl_rfe)                                                                                 \
    X(fy_ucrl_rfe_plus)                                                                            \
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
    X(fy_generative)

#define DECLARE(ops) extern const fy_explorer_ops ops;
ALGORITHM_LIST(DECLARE)
#undef DECLARE

#define ROW(ops) &(ops),
static const fy_explorer_ops *const algorithms[] = {ALGORITHM_LIST(ROW)};
#undef ROW
enum { ALGORITHMS = sizeof algorithms / sizeof algorithms[0] };

bool foray_algorithm_describe(int64_t index, const char **name, const char **summary)
{
    if (index < 0 || index >= ALGORITHMS)
        return false;
    if (name)
        *name = algorithms[index]->name;
    if (summary)
        *summary = algorithms[index]->summary;
    return true;
}

static const fy_explorer_ops *find_algorithm(const char *name)
{
    for (size_t i = 0; i < ALGORITHMS; i++)
        if (strcmp(algorithms[i]->name, name) == 0)
            return algorithms[i];
    return NULL;
}

bool foray_algorithm_needs_reward(const char *name)
{
    const fy_explorer_ops *ops = find_algorithm(name);
    return ops && ops->given;
}

bool foray_algorithm_is_generative(const char *name)
{
    const fy_explorer_ops *ops = find_algorithm(name);
    return ops && ops->query;
}

static foray_status unknown_algorithm(foray_context *ctx, const char *name)
{
    char known[512] = "";
    for (size_t i = 0; i < ALGORITHMS; i++) {
        strncat(known, i > 0 ? ", " : "", sizeof known - strlen(known) - 1);
        strncat(known, algorithms[i]->name, sizeof known - strlen(known) - 1);
    }
    return fy_fail(ctx, FORAY_ERROR_USAGE, "there is no algorithm '%s'; the algorithms are %s",
                   name, known);
}

foray_status foray_explorer_create(foray_context *ctx, const foray_model *model,
                                   const foray_settings *settings, foray_explorer **out)
{
    foray_status status = foray_settings_check(ctx, settings);
    if (status != FORAY_OK)
        return status;
    const fy_explorer_ops *ops = find_algorithm(settings->algorithm);
    if (!ops)
        return unknown_algorithm(ctx, settings->algorithm);
    status = foray_model_check(ctx, model, NULL);
    if (status != FORAY_OK)
        return status;
    foray_explorer *explorer = fy_alloc(ctx, 1, sizeof *explorer);
    if (!explorer)
        return FORAY_ERROR_MEMORY;
    explorer->ops = ops;
    explorer->ctx = ctx;
    explorer->model = model;
    explorer->settings = *settings;
    explorer->step = -1;
    explorer->stale = true;
    status = ops->create(explorer);
    if (status != FORAY_OK) {
        foray_explorer_destroy(explorer);
        return status;
    }
    *out = explorer;
    return FORAY_OK;
}
