/* model_system.c - the world of a model as a system with finitely many states, for what follows
 * policies in systems. */
#include "model_system.h"
#include "aggregate/clusters.h"

#include <stdlib.h>
#include <string.h>

static foray_status reset(void *self, const foray_draw *draw, double *state)
{
    int64_t first;
    foray_status status = foray_world_reset(self, draw, &first);
    if (status == FORAY_OK)
        *state = (double)first;
    return status;
}

static foray_status step(void *self, int64_t count, const foray_system_query *query,
                         const double *state, double *next)
{
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < count && status == FORAY_OK; i++) {
        int64_t to;
        status = foray_world_step(self, &query[i].draw, (int64_t)state[i], query[i].action, &to);
        if (status == FORAY_OK)
            next[i] = (double)to;
    }
    return status;
}

static void destroy(void *self)
{
    foray_world_destroy(self);
}

static foray_status make_system(foray_context *ctx, const foray_model *model, const char *name,
                                foray_system **out)
{
    const foray_system_spec spec = {.size = sizeof spec,
                                    .name = name,
                                    .states = foray_model_states(model),
                                    .dimensions = 1,
                                    .actions = foray_model_actions(model),
                                    .horizon = foray_model_horizon(model)};
    const foray_system_ops ops = {
        .size = sizeof ops, .reset = reset, .step = step, .destroy = destroy};
    foray_world *world;
    foray_status status = foray_world_from_model(ctx, model, &world);
    if (status != FORAY_OK)
        return status;
    status = foray_system_create(ctx, &spec, &ops, world, out);
    if (status != FORAY_OK)
        foray_world_destroy(world);
    return status;
}

cli_exit cli_view_of_model(cli_session *session, const foray_run *run, cli_view *out)
{
    const foray_model *model = foray_run_model(run);
    foray_context *ctx = session->ctx;
    if (!foray_model_theta(model))
        return cli_fail(session, CLI_BAD_INPUT,
                        "%s explored %s, whose true parameters the model does not have: there is "
                        "no world to follow a policy in",
                        session->args.operand[0], foray_run_world(run));
    out->system_text = strdup(foray_run_world(run));
    if (!out->system_text)
        return cli_fail(session, CLI_BAD_INPUT, "out of memory");
    cli_exit code = cli_status(session, make_system(ctx, model, out->system_text, &out->system));
    if (code == CLI_DONE)
        code = cli_status(session, fy_clusters_states(ctx, out->system, &out->clusters));
    return code;
}
