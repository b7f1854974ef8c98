/* support.c - what several test programs share. */
#include "support.h"
#include "algorithms/algorithms.h"
#include "base/parameter.h"
#include "model/model.h"
#include "system/system.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int support_set_up(void **state)
{
    *state = foray_context_create();
    return *state == NULL;
}

int support_tear_down(void **state)
{
    foray_context_destroy(*state);
    return 0;
}

static fy_arena parts;

static void release_parts(void)
{
    fy_arena_release(&parts);
}

fy_arena *support_arena(foray_context *ctx)
{
    if (!parts.ctx)
        atexit(release_parts);
    parts.ctx = ctx;
    return &parts;
}

void support_every_allocation(foray_status (*attempt)(foray_context *ctx))
{
    foray_status status = FORAY_ERROR_MEMORY;
    for (int64_t allowed = 0; status != FORAY_OK; allowed++) {
        foray_context *ctx = foray_context_create();
        ctx->allocations_left = allowed;
        status = attempt(ctx);
        foray_context_destroy(ctx);
        assert_true(status == FORAY_OK || (status == FORAY_ERROR_MEMORY && allowed < 1000));
    }
}

static const foray_parameter *own_row(const char *name)
{
    const char *algorithm;
    const foray_parameter *row;
    for (int64_t a = 0; foray_algorithm_describe(a, &algorithm, NULL); a++)
        for (int64_t i = 0; (row = foray_setting_describe(algorithm, i)); i++)
            if (strcmp(row->name, name) == 0)
                return row;
    fail_msg("there is no parameter %s", name);
    return NULL;
}

void support_set(foray_settings *settings, const char *name, const char *value)
{
    foray_context ctx = {.threads = 1, .allocations_left = -1};
    support_ok(&ctx, foray_settings_set(&ctx, settings, name, value));
}

void support_set_number(foray_settings *settings, const char *name, double value)
{
    char text[128];
    const foray_parameter *row = own_row(name);
    fy_parameter_print(row, (foray_parameter_value){(int64_t)value, value}, text, sizeof text);
    support_set(settings, name, text);
}

double support_own(const foray_settings *settings, const char *name)
{
    foray_context ctx = {.threads = 1, .allocations_left = -1};
    char text[128];
    foray_parameter_value value;
    const foray_parameter *row = own_row(name);
    support_ok(&ctx, foray_settings_get(&ctx, settings, name, text, sizeof text));
    support_ok(&ctx, fy_parameter_read(&ctx, row, text, strlen(text), &value));
    return row->kind == FORAY_CHOICE ? (double)value.integer : value.real;
}

const char *support_algorithm(int64_t index)
{
    const fy_explorer_ops *ops;
    for (int64_t i = 0; (ops = fy_algorithm_at(i)); i++)
        if (!ops->unstructured && index-- == 0)
            return ops->name;
    return NULL;
}

foray_settings support_settings(const char *algorithm, int64_t episodes, int64_t seed)
{
    foray_settings settings;
    foray_settings_default(&settings);
    snprintf(settings.algorithm, sizeof settings.algorithm, "%s", algorithm);
    settings.episodes = episodes;
    settings.seed = seed;
    return settings;
}

foray_status support_create(foray_context *ctx, const foray_model *model,
                            const foray_settings *settings, foray_explorer **out)
{
    foray_status status = foray_explorer_create(ctx, model, settings, out);
    return status == FORAY_OK ? foray_explorer_certify_by(*out, settings->radius) : status;
}

void support_stage_clear(support_stage *s)
{
    foray_explorer_destroy(s->explorer);
    foray_world_destroy(s->world);
    foray_model_destroy(s->model);
    foray_context_destroy(s->ctx);
}

void support_bench_clear(support_bench *b)
{
    foray_explorer_destroy(b->explorer);
    foray_world_destroy(b->world);
    foray_model_destroy(b->truth);
    foray_model_destroy(b->unstructured);
    foray_context_destroy(b->ctx);
}

double support_optimal(foray_context *ctx, const foray_model *model, const foray_reward *reward)
{
    foray_policy *policy;
    double value, best;
    support_ok(ctx, foray_plan_known(ctx, model, reward, &policy));
    support_ok(ctx, foray_evaluate(ctx, model, reward, policy, &value, &best));
    foray_policy_destroy(policy);
    return best;
}

void support_same_state(foray_explorer *a, foray_explorer *b)
{
    uint8_t *data_a, *data_b;
    size_t size_a, size_b;
    assert_int_equal(foray_explorer_save(a, &data_a, &size_a), FORAY_OK);
    assert_int_equal(foray_explorer_save(b, &data_b, &size_b), FORAY_OK);
    assert_int_equal(size_a, size_b);
    assert_memory_equal(data_a, data_b, size_a);
    free(data_a);
    free(data_b);
}

/* ---------------------------------------------------------- random numbers */

double support_uniform(support_random *random)
{
    return fy_unit(fy_random_bits(random->seed, FY_STREAM_TEST, random->count++, 0, 0));
}

int64_t support_below(support_random *random, int64_t count)
{
    return (int64_t)(support_uniform(random) * (double)count);
}

double support_normal(support_random *random)
{
    double radius = sqrt(-2 * log(1 - support_uniform(random)));
    return radius * cos(6.283185307179586 * support_uniform(random));
}

void support_law(support_random *random, int64_t count, bool sparse, double *out)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        bool none = sparse && i > 0 && support_uniform(random) < 0.3;
        out[i] = none ? 0 : 0.05 + support_uniform(random);
        sum += out[i];
    }
    for (int64_t i = 0; i < count; i++)
        out[i] /= sum;
}

/* ---------------------------------------------------------- random models */

enum { MAX = 64 }; /* successors, dimension */

/* `count` different states. */
static void draw_states(support_random *random, int64_t states, int64_t count, int64_t *out)
{
    for (int64_t j = 0; j < count; j++) {
        bool again;
        do {
            again = false;
            out[j] = support_below(random, states);
            for (int64_t i = 0; i < j; i++)
                again = again || out[i] == out[j];
        } while (again);
    }
}

static int64_t draw_count(support_random *random, support_sizes sizes)
{
    int64_t max = sizes.successors < sizes.states ? sizes.successors : sizes.states;
    return 1 + support_below(random, max);
}

/* A law as the sizes ask for. */
static void draw_law(support_random *random, support_sizes sizes, int64_t count, bool sparse,
                     double *out)
{
    support_law(random, count, sparse, out);
    if (!sizes.sharp || support_uniform(random) < 0.5)
        return;
    double rest = pow(10, -1 - 3 * support_uniform(random));
    int64_t sure = support_below(random, count);
    for (int64_t i = 0; i < count; i++)
        out[i] = fmin(1, out[i] * rest + (i == sure ? 1 - rest : 0));
}

static void add_mixture(foray_builder *builder, support_sizes sizes, support_random *random)
{
    double law[MAX];
    int64_t next[MAX];
    for (int64_t pair = 0; pair < sizes.states * sizes.actions; pair++) {
        int64_t n = draw_count(random, sizes);
        draw_states(random, sizes.states, n, next);
        for (int64_t i = 0; i < sizes.dim; i++) {
            draw_law(random, sizes, n, true, law);
            for (int64_t j = 0; j < n; j++)
                if (law[j] > 0)
                    foray_builder_simulator(builder, i, pair / sizes.actions, pair % sizes.actions,
                                            next[j], law[j]);
        }
    }
    draw_law(random, sizes, sizes.dim, false, law);
    foray_builder_weights(builder, law);
}

static void add_classes(foray_builder *builder, support_sizes sizes, const int64_t *outcomes,
                        support_random *random)
{
    double law[MAX];
    int64_t next[MAX];
    for (int64_t pair = 0; pair < sizes.states * sizes.actions; pair++) {
        int64_t c = support_below(random, sizes.dim);
        for (int64_t o = 0; o < outcomes[c]; o++)
            next[o] = support_below(random, sizes.states);
        foray_builder_outcomes(builder, pair / sizes.actions, pair % sizes.actions, c, next);
    }
    for (int64_t c = 0; c < sizes.dim; c++) {
        draw_law(random, sizes, outcomes[c], false, law);
        foray_builder_law(builder, c, law);
    }
}

static void add_table(foray_builder *builder, support_sizes sizes, support_random *random)
{
    double law[MAX];
    int64_t next[MAX];
    for (int64_t pair = 0; pair < sizes.states * sizes.actions; pair++) {
        int64_t n = draw_count(random, sizes);
        draw_states(random, sizes.states, n, next);
        draw_law(random, sizes, n, true, law);
        for (int64_t j = 0; j < n; j++)
            foray_builder_transition(builder, pair / sizes.actions, pair % sizes.actions, next[j],
                                     law[j]);
    }
}

/* Features of any sign: phi = p e_0 + noise, where the noise is orthogonal to
 * theta = (1, small), so that P = p, and sums to zero over the successors, so that
 * the sums of features say nothing about theta but its first coordinate. */
static void add_vectors(foray_builder *builder, support_sizes sizes, support_random *random,
                        int64_t pair, double scale, const double *theta)
{
    double law[MAX], noise[MAX][MAX], value[MAX];
    int64_t next[MAX], index[MAX], n = draw_count(random, sizes);
    draw_states(random, sizes.states, n, next);
    draw_law(random, sizes, n, false, law);
    for (int64_t i = 1; i < sizes.dim; i++) {
        double mean = 0;
        for (int64_t j = 0; j < n; j++)
            mean += noise[j][i] = 0.1 * (support_uniform(random) - 0.5);
        for (int64_t j = 0; j < n; j++)
            noise[j][i] -= mean / (double)n;
    }
    for (int64_t j = 0; j < n; j++) {
        value[0] = law[j];
        index[0] = 0;
        for (int64_t i = 1; i < sizes.dim; i++) {
            value[0] -= noise[j][i] * theta[i];
            value[i] = scale * noise[j][i];
            index[i] = i;
        }
        value[0] *= scale;
        foray_builder_feature(builder, pair / sizes.actions, pair % sizes.actions, next[j],
                              sizes.dim, index, value);
    }
}

/* Scaled down so that ||psi|| <= 1, and theta up. */
static double feature_scale(support_sizes sizes)
{
    return 1 / (1 + 0.1 * (double)sizes.successors * sqrt((double)sizes.dim));
}

static void add_features(foray_builder *builder, support_sizes sizes, support_random *random)
{
    double theta[MAX] = {1}, scale = feature_scale(sizes);
    for (int64_t i = 1; i < sizes.dim; i++)
        theta[i] = 0.1 * support_normal(random);
    for (int64_t pair = 0; pair < sizes.states * sizes.actions; pair++)
        add_vectors(builder, sizes, random, pair, scale, theta);
    for (int64_t i = 0; i < sizes.dim; i++)
        theta[i] /= scale;
    foray_builder_theta(builder, theta);
}

static foray_builder *make_builder(foray_context *ctx, int kind, support_sizes sizes,
                                   support_random *random)
{
    foray_builder *builder = NULL;
    int64_t S = sizes.states, A = sizes.actions, H = sizes.horizon, outcomes[MAX];
    switch (kind) {
    case SUPPORT_FEATURES:
        support_ok(
            ctx, foray_builder_create(ctx, S, A, H, sizes.dim, 2 / feature_scale(sizes), &builder));
        add_features(builder, sizes, random);
        break;
    case SUPPORT_MIXTURE:
        support_ok(ctx, foray_builder_create_mixture(ctx, S, A, H, sizes.dim, &builder));
        add_mixture(builder, sizes, random);
        break;
    case SUPPORT_CLASSES:
        for (int64_t c = 0; c < sizes.dim; c++)
            outcomes[c] = 1 + support_below(random, sizes.successors);
        support_ok(ctx, foray_builder_create_classes(ctx, S, A, H, sizes.dim, outcomes, &builder));
        add_classes(builder, sizes, outcomes, random);
        break;
    default:
        support_ok(ctx, foray_builder_create_tabular(ctx, S, A, H, &builder));
        add_table(builder, sizes, random);
    }
    return builder;
}

foray_model *support_model(foray_context *ctx, int kind, support_sizes sizes, uint64_t seed)
{
    support_random random = {.seed = seed * SUPPORT_KINDS + (uint64_t)kind};
    assert_true(sizes.successors <= MAX && sizes.dim <= MAX);
    foray_builder *builder = make_builder(ctx, kind, sizes, &random);
    foray_model *model = NULL;
    foray_builder_name(builder, "random");
    if (sizes.error > 0)
        foray_builder_feature_error(builder, sizes.error, 0);
    foray_builder_initial(builder, 0, 0.75);
    foray_builder_initial(builder, sizes.states - 1, 0.25);
    support_ok(ctx, foray_builder_finish(builder, &model));
    foray_builder_destroy(builder);
    return model;
}

/* ------------------------------------------------------------- comparison */

#define SAME(a, b, count) assert_memory_equal((a), (b), (size_t)(count) * sizeof *(a))

static void same_names(char *const *a, char *const *b, int64_t count)
{
    assert_int_equal(a == NULL, b == NULL);
    for (int64_t i = 0; a && b && i < count; i++) {
        assert_int_equal(a[i] == NULL, b[i] == NULL);
        if (a[i])
            assert_string_equal(a[i], b[i]);
    }
}

void support_same_model(const foray_model *a, const foray_model *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->states, b->states);
    assert_int_equal(a->actions, b->actions);
    assert_int_equal(a->horizon, b->horizon);
    assert_int_equal(a->dim, b->dim);
    assert_int_equal(a->generator_sets, b->generator_sets);
    assert_int_equal(a->initials, b->initials);
    assert_int_equal(a->theta == NULL, b->theta == NULL);
    assert_int_equal(a->cell_row == NULL, b->cell_row == NULL);
    assert_int_equal(a->grid_rows, b->grid_rows);
    assert_int_equal(a->grid_cols, b->grid_cols);
    SAME(&a->norm_bound, &b->norm_bound, 1);
    SAME(&a->feature_error, &b->feature_error, 1);
    SAME(a->generator_set, b->generator_set, a->pairs);
    SAME(a->succ_start, b->succ_start, a->pairs + 1);
    SAME(a->succ, b->succ, a->succ_start[a->pairs]);
    SAME(a->gen_start, b->gen_start, a->generator_sets + 1);
    SAME(a->generator_set_pair, b->generator_set_pair, a->generator_sets);
    int64_t generators = a->gen_start[a->generator_sets];
    SAME(a->feat_start, b->feat_start, generators + 1);
    SAME(a->feat_index, b->feat_index, a->feat_start[generators]);
    SAME(a->feat_value, b->feat_value, a->feat_start[generators]);
    if (a->theta)
        SAME(a->theta, b->theta, a->dim);
    SAME(a->initial_state, b->initial_state, a->initials);
    SAME(a->initial_probability, b->initial_probability, a->initials);
    same_names(a->state_names, b->state_names, a->states);
    same_names(a->action_names, b->action_names, a->actions);
    if (a->cell_row) {
        SAME(a->cell_row, b->cell_row, a->states);
        SAME(a->cell_col, b->cell_col, a->states);
    }
}

/* ------------------------------------------------------------------- files */

void support_go_home(const char *program)
{
    char path[4096];
    snprintf(path, sizeof path, "%s", program);
    char *end = strrchr(path, '/');
    if (!end)
        return;
    *end = 0;
    assert_int_equal(chdir(path), 0);
}

char *support_directory(void)
{
    const char *base = getenv("TMPDIR");
    char *path = malloc(4096);
    assert_non_null(path);
    snprintf(path, 4096, "%s/foray-test-XXXXXX", base ? base : "/tmp");
    assert_non_null(mkdtemp(path));
    return path;
}

static void remove_all(const char *directory)
{
    DIR *list = opendir(directory);
    assert_non_null(list);
    for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
        char path[8192];
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (unlink(path) != 0)
            remove_all(path);
    }
    closedir(list);
    assert_int_equal(rmdir(directory), 0);
}

void support_remove(char *directory)
{
    remove_all(directory);
    free(directory);
}

uint8_t *support_compact(foray_context *ctx, const foray_model *model, size_t *size)
{
    char *data;
    support_ok(ctx, foray_model_print(ctx, model, FORAY_MODEL_COMPACT, &data, size));
    return (uint8_t *)data;
}

bool support_counts_memory(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false;
#else
    return true;
#endif
}
