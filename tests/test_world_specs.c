/* test_world_specs.c - what all built-in worlds have in common: valid models of the documented
 * sizes, names and maps, and specs whose mistakes are explained. */
#include "support_worlds.h"
#include "base/parameter.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* --------------------------------------------- what all worlds have in common */

static const char *const specs[] = {
    "chain",
    "chain:laws=1,outcomes=4",
    "chain:states=2,zones=1,outcomes=3,success=1,spread=0",
    "chain:states=40,zones=40,horizon=1",
    "riverswim",
    "riverswim:states=3",
    "riverswim:states=20,horizon=7",
    "grid",
    "grid:rows=2,cols=2",
    "grid:rows=3,cols=8,zones=4,slips=1",
    "grid:rows=21,cols=21,slips=1",
    "rooms",
    "rooms:rows=1,cols=1,size=1",
    "rooms:rows=2,cols=4,size=2,start=1,seed=9",
    "rooms:rows=1,cols=15,size=5",
    "mixture",
    "mixture:states=5,actions=1,successors=5,dim=1",
    "mixture:states=50,actions=3,successors=7,dim=10,seed=123456789",
    "hard",
    "hard:dim=2,actions=2,eps=0.001,member=1",
    "hypercube",
    "hypercube:dim=2,episodes=3,horizon=2,member=1",
    "hypercube:dim=9,episodes=192,member=200",
    "frozenlake",
    "frozenlake:size=8,shared=0,success=0.8",
    "cliffwalking",
    "cliffwalking:shared=0,success=0.5,horizon=7",
    "taxi",
    "taxi:success=0.8,horizon=30",
    "deepsea",
    "deepsea:size=2,success=1",
    "deepsea:size=20,shared=0,horizon=25",
    "sixrooms",
    "sixrooms:shared=0,success=1",
    "trapdoor",
    "trapdoor:knobs=1,base=0.5,gap=0.5,horizon=1",
    "trapdoor:knobs=10,base=0.2,gap=0.02,horizon=3",
    "hard:dim=64,actions=100,member=99,horizon=3,eps=0.5",
    "inventory",
    "inventory:capacity=1,order=1,dim=2",
    "inventory:capacity=40,order=40,demand=100,dim=5",
    "queue",
    "queue:capacity=1,rates=1",
    "queue:capacity=8,rates=5,load=20,arrivals=4,services=2",
};
enum { SPECS = sizeof specs / sizeof *specs };

static void every_world_is_valid(void **state)
{
    foray_context *ctx = *state;
    for (int i = 0; i < SPECS; i++) {
        foray_model *model = world_model_of(ctx, specs[i]);
        foray_model_facts facts;
        if (foray_model_check(ctx, model, &facts) != FORAY_OK)
            fail_msg("%s: %s", specs[i], foray_message(ctx));
        assert_true(facts.psi_norm <= 1 + 1e-9);
        assert_true(facts.theta_norm <= model->norm_bound * (1 + 1e-9));
        assert_true(facts.worst_sum <= 1e-9 && facts.min_probability >= -1e-9);
        assert_string_equal(foray_model_name(model), specs[i]);
        foray_model_destroy(model);
    }
}

/* Every state and action has a name, no two states share one or a cell. */
static void every_world_has_names_and_a_map(void **state)
{
    foray_context *ctx = *state;
    for (int i = 0; i < SPECS; i++) {
        foray_model *model = world_model_of(ctx, specs[i]);
        int64_t rows, cols, row, col;
        assert_true(foray_model_grid(model, &rows, &cols));
        char *taken = calloc((size_t)(rows * cols), 1);
        for (int64_t s = 0; s < foray_model_states(model); s++) {
            assert_true(foray_model_cell(model, s, &row, &col));
            assert_true(row >= 0 && row < rows && col >= 0 && col < cols);
            assert_int_equal(taken[row * cols + col]++, 0);
            assert_non_null(foray_model_state_name(model, s));
            if (s > 0)
                assert_string_not_equal(foray_model_state_name(model, s),
                                        foray_model_state_name(model, s - 1));
        }
        for (int64_t a = 0; a < foray_model_actions(model); a++)
            assert_true(strlen(foray_model_action_name(model, a)) > 0);
        free(taken);
        foray_model_destroy(model);
    }
}

/* From the start, every state of a map can be reached by some actions. */
static void every_place_can_be_reached(void **state)
{
    foray_context *ctx = *state;
    for (int i = 0; i < SPECS; i++) {
        foray_model *model = world_model_of(ctx, specs[i]);
        int64_t states = foray_model_states(model), actions = foray_model_actions(model), found = 0;
        int64_t *queue = calloc((size_t)states, sizeof *queue);
        bool *seen = calloc((size_t)states, sizeof *seen);
        const int32_t *first;
        const double *chance;
        for (int64_t k = 0; k < foray_model_initial(model, &first, &chance); k++) {
            seen[first[k]] = true;
            queue[found++] = first[k];
        }
        for (int64_t at = 0; at < found; at++) {
            for (int64_t next = 0; next < states; next++) {
                bool possible = false;
                for (int64_t a = 0; !seen[next] && a < actions; a++)
                    possible = possible || world_chance(model, queue[at], a, next) > 0;
                if (!seen[next] && possible) {
                    seen[next] = true;
                    queue[found++] = next;
                }
            }
        }
        /* Random successors may leave a state out, and passengers arrive with their taxi, in 4 of
         * 100 states that Gymnasium numbers; every other world is connected. */
        if (strncmp(specs[i], "taxi", 4) == 0)
            assert_int_equal(found, 404);
        else if (strncmp(specs[i], "mixture", 7) != 0)
            assert_int_equal(found, states);
        free(queue);
        free(seen);
        foray_model_destroy(model);
    }
}

static void sizes_are_the_documented_ones(void **state)
{
    static const struct {
        const char *spec;
        int64_t states, actions, horizon, dim, blocks, unknowns;
    } sizes[] = {
        {"chain", 31, 2, 20, 24, 12, 12},
        {"chain:laws=1,outcomes=4", 31, 2, 20, 24, 6, 18},
        {"riverswim", 6, 2, 24, 8, 4, 4},
        {"riverswim:states=10,horizon=5", 10, 2, 5, 8, 4, 4},
        {"grid", 49, 4, 20, 4, 1, 3},
        {"grid:zones=7", 49, 4, 20, 28, 7, 21},
        {"rooms", 93, 4, 30, 36, 9, 27},
        {"rooms:rows=3,cols=5,size=5", 397, 4, 30, 60, 15, 45},
        {"rooms:rows=1,cols=15,size=5", 389, 4, 30, 60, 15, 45},
        {"mixture", 20, 4, 20, 6, 1, 5},
        {"hard", 3, 8, 10, 8, 1, 7},
        {"hypercube", 3, 16, 10, 5, 1, 4},
        {"inventory", 21, 9, 20, 4, 1, 3},
        {"queue", 13, 6, 20, 6, 1, 5},
        {"frozenlake", 16, 4, 30, 3, 1, 2},
        {"cliffwalking", 48, 4, 100, 3, 1, 2},
        {"taxi", 500, 6, 200, 4, 2, 2},
        {"deepsea", 57, 2, 10, 3, 2, 1},
        {"sixrooms", 157, 4, 40, 4, 1, 3},
    };
    foray_context *ctx = *state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        foray_model *model = world_model_of(ctx, sizes[i].spec);
        foray_model_facts facts;
        assert_int_equal(foray_model_check(ctx, model, &facts), FORAY_OK);
        assert_int_equal(foray_model_states(model), sizes[i].states);
        assert_int_equal(foray_model_actions(model), sizes[i].actions);
        assert_int_equal(foray_model_horizon(model), sizes[i].horizon);
        assert_int_equal(foray_model_dim(model), sizes[i].dim);
        assert_int_equal(facts.blocks, sizes[i].blocks);
        assert_int_equal(facts.unknowns, sizes[i].unknowns);
        foray_model_destroy(model);
    }
}

static bool same_theta(const foray_model *one, const foray_model *other)
{
    size_t size = (size_t)foray_model_dim(one) * sizeof(double);
    return memcmp(foray_model_theta(one), foray_model_theta(other), size) == 0;
}

static void seeds_make_worlds(void **state)
{
    static const char *const names[] = {"rooms", "mixture", "inventory", "queue"};
    foray_context *ctx = *state;
    for (int i = 0; i < 4; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s:seed=1", names[i]);
        foray_model *plain = world_model_of(ctx, names[i]), *first = world_model_of(ctx, text);
        snprintf(text, sizeof text, "%s:seed=2", names[i]);
        foray_model *second = world_model_of(ctx, text);
        assert_true(same_theta(plain, first));
        assert_false(same_theta(plain, second));
        foray_model_destroy(plain);
        foray_model_destroy(first);
        foray_model_destroy(second);
    }
}

/* -------------------------------------------------------------------- specs */

static void bad_specs_are_explained(void **state)
{
    static const char *const bad[][2] = {
        {"", "no built-in world is called \"\""},
        {"swamp", "there are chain, riverswim, grid, rooms, mixture, hard, hypercube, trapdoor, "
                  "inventory, queue"},
        {"Chain", "no built-in world is called \"Chain\""},
        {"chain ", "no built-in world is called \"chain \""},
        {"chain:", "chain: \"\" should read key=value"},
        {"chain:zones", "chain: \"zones\" should read key=value"},
        {"chain:zones=2,", "chain: \"\" should read key=value"},
        {"chain:zones=2,,states=9", "chain: \"\" should read key=value"},
        {"chain:zone=2", "chain: no parameter is called \"zone\"; there are states, zones, laws"},
        {"chain:=2", "no parameter is called \"\""},
        {"chain:zones=2,zones=2", "chain: zones is given twice"},
        {"rooms:rows=0", "rooms: rows=0, but it must be an integer from 1 to 64"},
        {"rooms:rows=65", "rooms: rows=65, but"},
        {"rooms:rows=2.5", "rooms: rows=2.5, but"},
        {"rooms:rows=-1", "rooms: rows=-1, but"},
        {"rooms:rows=", "rooms: rows=, but"},
        {"rooms:rows=3x", "rooms: rows=3x, but"},
        {"rooms:rows= 3", "rooms: rows= 3, but"},
        {"rooms:rows=nan", "rooms: rows=nan, but"},
        {"rooms:rows=inf", "rooms: rows=inf, but"},
        {"rooms:rows=1e999", "rooms: rows=1e999, but"},
        {"chain:success=1.5", "chain: success=1.5, but it must be a number from 0 to 1"},
        {"chain:success=0.99,spread=0.1", "chain: success=0.99 and spread=0.1 give probabilities"},
        {"grid:success=0.01,spread=0.1", "grid: success=0.01 and spread=0.1 give probabilities"},
        {"rooms:success=1", "rooms: success=1 and spread=0.1 give probabilities"},
        {"chain:horizon=0", "chain: horizon=0, but"},
        {"chain:states=5,zones=6", "chain: zones=6, but there are only states=5"},
        {"grid:zones=8", "grid: zones=8, but there are only cols=7"},
        {"riverswim:states=2", "riverswim: states=2, but it must be an integer from 3 to"},
        {"mixture:states=3", "mixture: successors=4, but there are only states=3"},
        {"hard:horizon=1", "hard: horizon=1, but it must be an integer from 2 to"},
        {"hypercube:dim=3,member=4", "hypercube: member=4, but with dim=3 there are 4 actions"},
        {"hypercube:dim=9,episodes=191", "they must be at least 192"},
        {"trapdoor:gap=0.02", "trapdoor: base=0.05 and gap=0.02, but with knobs=4"},
        {"hard:member=8", "hard: member=8, but it must be below actions=8"},
        {"hard:eps=3", "hard: eps=3, but at dim=8 and horizon=10"},
        {"hard:dim=2,actions=3", "hard: actions=3, but the packing has room for 2 at dim=2"},
        {"inventory:order=21", "inventory: order=21, but it must be 1 to capacity=20"},
    };
    foray_context *ctx = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        foray_model *model = NULL;
        support_refused(ctx, foray_model_builtin(ctx, bad[i][0], &model), FORAY_ERROR_USAGE,
                        bad[i][1]);
        assert_null(model);
    }
}

/* How many addresses this process uses. */
static rlim_t addresses(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* A limit of addresses stands for a small machine. */
static void worlds_larger_than_memory_are_refused(void **state)
{
    static const char *const large[] = {
        "mixture:states=10000000,actions=10000,successors=10000,dim=10000",
        "inventory:capacity=10000,order=10000",
        "queue:capacity=10000,rates=100",
        "grid:rows=4096,cols=4096",
        "rooms:rows=64,cols=64,size=64",
    };
    foray_context *ctx = *state;
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    small = before;
    small.rlim_cur = addresses() + ((rlim_t)256 << 20);
    assert_int_equal(setrlimit(RLIMIT_AS, &small), 0);
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        foray_model *model = NULL;
        support_refused(ctx, foray_model_builtin(ctx, large[i], &model), FORAY_ERROR_MEMORY,
                        "which these parameters make, takes at least");
        assert_non_null(strstr(foray_message(ctx), "ask for fewer states or features"));
        assert_null(model);
    }
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
}

static void long_specs_are_refused(void **state)
{
    foray_context *ctx = *state;
    char *spec = calloc(1, 100001);
    memset(spec, 'x', 100000);
    foray_model *model = NULL;
    assert_int_equal(foray_model_builtin(ctx, spec, &model), FORAY_ERROR_USAGE);
    memcpy(spec, "chain:states=", 13);
    memset(spec + 13, '1', 4000 - 13);
    spec[4000] = 0;
    assert_int_equal(foray_model_builtin(ctx, spec, &model), FORAY_ERROR_USAGE);
    free(spec);
}

/* The table holds together: defaults in range, horizon everywhere, help for all,
 * and a spec that spells out every default makes the default world. */
static void the_table_describes_the_worlds(void **state)
{
    foray_context *ctx = *state;
    foray_world_info info;
    int64_t count = 0;
    for (; foray_world_describe(count, &info); count++) {
        char spec[512];
        bool horizon = false;
        int at = snprintf(spec, sizeof spec, "%s", info.name);
        assert_true(info.parameters >= 2 && info.parameters <= 16);
        for (int64_t i = 0; i < info.parameters; i++) {
            const foray_parameter *parameter = &info.parameter[i];
            foray_parameter_value value;
            assert_true(parameter->min < parameter->max);
            assert_int_equal(fy_parameter_read(ctx, parameter, parameter->fallback,
                                               strlen(parameter->fallback), &value),
                             0);
            assert_true(strlen(parameter->help) > 5);
            horizon = horizon || strcmp(parameter->name, "horizon") == 0;
            at += snprintf(spec + at, sizeof spec - (size_t)at, "%c%s=%s", i ? ',' : ':',
                           parameter->name, parameter->fallback);
        }
        assert_true(horizon && strlen(info.summary) > 20);
        foray_model *model = world_model_of(ctx, spec), *plain = world_model_of(ctx, info.name);
        assert_int_equal(foray_model_states(model), foray_model_states(plain));
        assert_int_equal(foray_model_dim(model), foray_model_dim(plain));
        assert_true(same_theta(model, plain));
        foray_model_destroy(model);
        foray_model_destroy(plain);
    }
    assert_true(count >= 11);
    assert_false(foray_world_describe(-1, &info));
}

/* Every allocation of every world fails once, on small specs. */
static void failed_allocations_leave_nothing_behind(void **state)
{
    static const char *const small[] = {
        "chain:states=3,zones=2",     "riverswim:states=3",         "grid:rows=2,cols=2",
        "rooms:rows=1,cols=2,size=1", "mixture:states=4,actions=1", "hard:dim=4,actions=2",
        "hypercube:dim=3,horizon=2",  "trapdoor:horizon=2,knobs=2", "inventory:capacity=2,order=1",
        "queue:capacity=2,rates=1"};
    foray_context *ctx = *state;
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        foray_model *model = NULL;
        int64_t failures = 0;
        for (;; failures++) {
            ctx->allocations_left = failures;
            foray_status status = foray_model_builtin(ctx, small[i], &model);
            if (status == FORAY_OK)
                break;
            assert_int_equal(status, FORAY_ERROR_MEMORY);
            assert_null(model);
        }
        assert_true(failures > 5);
        ctx->allocations_left = -1;
        foray_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        support_test(every_world_is_valid),
        support_test(every_world_has_names_and_a_map),
        support_test(every_place_can_be_reached),
        support_test(sizes_are_the_documented_ones),
        support_test(seeds_make_worlds),
        support_test(bad_specs_are_explained),
        support_test(worlds_larger_than_memory_are_refused),
        support_test(long_specs_are_refused),
        support_test(the_table_describes_the_worlds),
        support_test(failed_allocations_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
