/* Run files, sound and damaged: opening, describing and verifying one either
 * works or says what is wrong. */
#include "fuzz.h"

static void remove_run(const char *path)
{
    static const char *const suffix[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof suffix / sizeof suffix[0]; i++) {
        char name[300];
        snprintf(name, sizeof name, "%s%s", path, suffix[i]);
        unlink(name);
    }
}

static bool count_plan(void *user, int64_t id, int64_t episodes, const char *reward_name,
                       const char *reward_json, const foray_policy *policy)
{
    (void)id, (void)episodes, (void)reward_name, (void)reward_json, (void)policy;
    ++*(int64_t *)user;
    return true;
}

static void try_run(foray_context *ctx, foray_status status, foray_run *run)
{
    fuzz_explained(ctx, status);
    if (status == FORAY_OK) {
        foray_run_facts facts;
        int64_t plans = 0;
        fuzz_explained(ctx, foray_run_describe(run, &facts));
        fuzz_explained(ctx, foray_run_plans(run, count_plan, &plans));
        fuzz_explained(ctx, foray_run_verify(run));
    }
    foray_run_close(run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    foray_context *ctx = foray_context_create();
    const char *path = fuzz_file(data, size);
    foray_run *run = NULL;
    foray_status status = foray_run_open(ctx, path, FORAY_RUN_READ, &run);
    try_run(ctx, status, run);
    remove_run(path);
    run = NULL;
    status = foray_run_open_memory(ctx, data, size, "memory", &run);
    try_run(ctx, status, run);
    foray_context_destroy(ctx);
    return 0;
}
