/* Logs: what is accepted becomes a file of episodes that is accepted too, of the log's own model or
 * of the one that was given, with as many episodes and steps as were counted. */
#include "data/episodes.h"
#include "data/log.h"
#include "fuzz.h"

typedef struct counts {
    const foray_model *model;
    int64_t steps;
} counts;

static foray_status count_episode(void *user, const fy_recorded_episode *episode)
{
    counts *c = user;
    c->steps += episode->steps;
    assert(episode->steps >= 1 && episode->steps <= foray_model_horizon(c->model));
    return FORAY_OK;
}

static void read_again(foray_context *ctx, const fy_log *log, const char *path)
{
    counts found = {.model = log->model};
    FILE *file = fopen(path, "w");
    if (!file)
        abort();
    foray_status status = fy_log_write(ctx, log, file);
    fclose(file);
    if (status == FORAY_OK)
        status = fy_data_read(ctx, log->model, path, count_episode, &found);
    assert(status == FORAY_OK && found.steps == log->steps);
}

static void read_log(foray_context *ctx, const char *path, const fy_log_request *request)
{
    fy_log *log;
    foray_status status = fy_log_read(ctx, path, request, &log);
    fuzz_explained(ctx, status);
    if (status != FORAY_OK)
        return;
    assert((log->model != NULL) == (log->refused == 0 && log->episodes > 0));
    assert(log->refused == 0 || log->refusal[0]);
    assert(log->paid_count + log->unpaid <= log->steps && log->steps <= log->rows);
    if (log->model && foray_model_is_unstructured(log->model) &&
        log->longest <= foray_model_horizon(log->model))
        read_again(ctx, log, path);
    fy_log_destroy(log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static foray_context *ctx;
    static foray_model *model;
    if (!ctx) {
        ctx = foray_context_create();
        if (foray_model_builtin(ctx, "riverswim:states=3,horizon=2", &model) != FORAY_OK)
            abort();
    }
    /* The first byte says in what order rows are, and whose states they have. */
    const uint8_t how = size > 0 ? data[0] : 0;
    fy_log_request request = {
        .column =
            {"e", "s",
             "a", [FY_LOG_NEXT] = how & 4 ? "n" : NULL, [FY_LOG_DONE] = "d", [FY_LOG_REWARD] = "r"},
        .model = how & 8 ? model : NULL,
        .states = 5,
        .actions = 2};
    if (how & 1)
        request.column[FY_LOG_STEP] = "t";
    else if (how & 2)
        request.column[FY_LOG_TIME] = "t";
    const char *path = fuzz_file(size > 0 ? data + 1 : data, size > 0 ? size - 1 : 0);
    read_log(ctx, path, &request);
    unlink(path);
    return 0;
}
