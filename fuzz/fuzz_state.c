/* States of explorers: a state that is damaged, or made up, is refused or can be used. What is
 * accepted is saved and loaded again, explores on, bounds and plans; numbers may be wrong then, but
 * nothing is read or written that is not there, and nothing goes on for ever.
 *
 * The first byte chooses the algorithm. The others change its sound state, cell by cell: where (2
 * bytes), how many bytes (1), and the bytes. What follows a 255 in place of a length is the rest
 * of the state, which may thus be shorter or longer. */
#include "fuzz.h"

enum { MAX_ALGORITHMS = 32, EPISODES = 6, FINGERPRINT = 8 };

typedef struct stage {
    const char *algorithm;
    const foray_model *model;
    uint8_t *state; /* after EPISODES of them */
    size_t size;
} stage;

static stage stages[MAX_ALGORITHMS];
static int64_t stage_count;
static foray_reward *goal, *open_goal;

/* ------------------------------------------------------------------ explorers */

static const foray_reward *goal_of(const stage *at)
{
    return foray_model_is_unstructured(at->model) ? open_goal : goal;
}

static foray_explorer *explorer_of(foray_context *ctx, const stage *at)
{
    foray_settings settings;
    foray_explorer *explorer;
    foray_settings_default(&settings);
    assert(foray_settings_set(ctx, &settings, "algorithm", at->algorithm) == FORAY_OK);
    settings.episodes = EPISODES;
    assert(foray_explorer_create(ctx, at->model, &settings, &explorer) == FORAY_OK);
    if (foray_algorithm_needs_reward(at->algorithm))
        assert(foray_explorer_give_reward(explorer, goal_of(at)) == FORAY_OK);
    return explorer;
}

/* One episode of riverswim: action 0 goes back, action 1 stays or goes on. */
static foray_status play(foray_explorer *explorer, const foray_model *model, uint32_t *chance)
{
    int64_t state = 0, action = 0;
    foray_status status = foray_explorer_begin(explorer);
    for (int64_t h = 0; status == FORAY_OK && h < foray_model_horizon(model); h++) {
        status = foray_explorer_query(explorer, &state);
        if (status == FORAY_OK)
            status = foray_explorer_act(explorer, state, &action);
        assert(status != FORAY_OK || (action >= 0 && action < foray_model_actions(model)));
        *chance = *chance * 1664525U + 1013904223U;
        int64_t next = action == 0 ? state - (state > 0) : state + (*chance >> 31 && state < 2);
        if (status == FORAY_OK)
            status = foray_explorer_observe(explorer, state, action, next);
        state = next;
    }
    return status == FORAY_OK ? foray_explorer_end(explorer) : status;
}

static void add_stage(foray_context *ctx, const foray_model *model, const char *algorithm)
{
    stage *at = &stages[stage_count++];
    uint32_t chance = 1;
    assert(stage_count <= MAX_ALGORITHMS);
    *at = (stage){.algorithm = algorithm, .model = model};
    foray_explorer *explorer = explorer_of(ctx, at);
    for (int k = 0; k < EPISODES; k++)
        assert(play(explorer, model, &chance) == FORAY_OK);
    assert(foray_explorer_save(explorer, &at->state, &at->size) == FORAY_OK);
    foray_explorer_destroy(explorer);
}

// cppcheck-suppress constParameter; libFuzzer says what it gets
int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    static const char *const on_open[] = {"inverse-count", "random"};
    foray_context *ctx = foray_context_create();
    foray_model *model, *open;
    const char *name;
    (void)count, (void)arguments;
    assert(foray_model_builtin(ctx, "riverswim:states=3,horizon=2", &model) == FORAY_OK);
    assert(foray_model_builtin(ctx, "unstructured:states=9,actions=2,horizon=2", &open) ==
           FORAY_OK);
    assert(foray_reward_create(ctx, model, "goal", 0, 1, 0, &goal) == FORAY_OK);
    assert(foray_reward_set(ctx, goal, -1, 2, -1, 1.0) == FORAY_OK);
    assert(foray_reward_create(ctx, open, "goal", 0, 1, 0, &open_goal) == FORAY_OK);
    assert(foray_reward_set(ctx, open_goal, -1, 2, -1, 1.0) == FORAY_OK);
    for (int64_t i = 0; foray_algorithm_describe(i, &name, NULL); i++)
        if (strcmp(name, "inverse-count") != 0)
            add_stage(ctx, model, name);
    for (size_t i = 0; i < sizeof on_open / sizeof *on_open; i++)
        add_stage(ctx, open, on_open[i]);
    foray_context_destroy(ctx);
    return 0;
}

/* -------------------------------------------------------------------- damage */

/* The sound state as the input has changed it. The fingerprint stays: it is all that is looked at
 * where it is wrong. */
static uint8_t *damaged(const stage *at, const uint8_t *data, size_t size, size_t *length)
{
    uint8_t *state = malloc(at->size + size);
    assert(state != NULL);
    memcpy(state, at->state, at->size);
    *length = at->size;
    while (size >= 3) {
        size_t where = FINGERPRINT + (data[0] | (size_t)data[1] << 8) % (at->size - FINGERPRINT);
        size_t bytes = data[2], max = size - 3;
        bool rest = bytes == 255;
        bytes = rest || bytes > max ? max : bytes;
        if (!rest && bytes > at->size - where)
            bytes = at->size - where;
        memcpy(state + where, data + 3, bytes);
        if (rest)
            *length = where + bytes;
        data += 3 + bytes;
        size -= 3 + bytes;
    }
    return state;
}

/* ----------------------------------------------------------------------- use */

/* Everything that can be asked of an explorer. */
static void use(foray_context *ctx, const stage *at, foray_explorer *explorer)
{
    uint8_t *again;
    size_t size;
    uint32_t chance = 7;
    foray_certificate bound;
    foray_explorer_facts facts;
    foray_refutation refutation;
    foray_policy *policy = NULL;
    const foray_reward *const rewards[] = {goal_of(at)};
    assert(foray_explorer_save(explorer, &again, &size) == FORAY_OK);
    assert(foray_explorer_load(explorer, again, size) == FORAY_OK);
    foray_free(again);
    fuzz_explained(ctx, foray_explorer_describe(explorer, &facts));
    fuzz_explained(ctx, foray_explorer_bound(explorer, FORAY_KIND_PAIR, &bound));
    fuzz_explained(ctx, foray_explorer_refutation(explorer, &refutation));
    foray_status status = foray_explorer_plan(explorer, 1, rewards, FORAY_PLUGIN, &policy);
    fuzz_explained(ctx, status);
    for (int64_t i = 0; policy && i < policy->horizon * policy->states; i++)
        assert(policy->action[i] >= 0 && policy->action[i] < policy->actions);
    foray_policy_destroy(policy);
    if (strcmp(at->algorithm, "recorded") != 0)
        fuzz_explained(ctx, play(explorer, at->model, &chance));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static foray_context *ctx;
    size_t length;
    if (!ctx)
        ctx = foray_context_create();
    if (size == 0)
        return 0;
    const stage *at = &stages[data[0] % stage_count];
    uint8_t *state = damaged(at, data + 1, size - 1, &length);
    foray_explorer *explorer = explorer_of(ctx, at);
    foray_status status = foray_explorer_load(explorer, state, length);
    fuzz_explained(ctx, status);
    assert(size > 1 || status == FORAY_OK);
    if (status == FORAY_OK)
        use(ctx, at, explorer);
    foray_explorer_destroy(explorer);
    free(state);
    return 0;
}
