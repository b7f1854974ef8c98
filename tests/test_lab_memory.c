/* test_lab_memory.c - the experiments of the lab when memory runs out: whatever allocation
 * fails, between reading the parameters and writing the page, it is said and nothing leaks.
 * What they measure is tested in test_coverage_run.c, test_theorem_bound.c, test_learning.c and
 * test_lab*.sh. */
#include "foray/lab.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

typedef struct experiment {
    const char *name;
    int64_t settings;
    const char *setting[12];
} experiment;

static const experiment tiny_coverage = {
    "coverage",
    9,
    {"rules=sharp,sstp", "worlds=chain:states=3,zones=1,horizon=2", "deltas=0.5,0.1",
     "control_rules=sharp", "control_scales=0.1", "seeds=2", "episodes=4", "rewards=1",
     "rounds=0"}};

static const experiment tiny_theorem = {
    "theorem",
    7,
    {"variants=doubling,plus", "worlds=chain:states=3,zones=1,laws=1,horizon=2", "eps=1.9",
     "others=chain", "seeds=2", "rewards=1", "rounds=0"}};

static const experiment tiny_complexity = {
    "complexity",
    10,
    {"algorithms=ucrl-rfe,random", "horizons=2,3", "zones=1,2", "states=3", "eps=0.5,0.1",
     "certified_eps=1", "episodes=6", "seeds=2", "rewards=1", "rounds=0"}};

static const experiment tiny_lowerbound = {"lowerbound",
                                           9,
                                           {"algorithms=ucrl-rfe,random", "members=2", "seeds=1",
                                            "cube_dim=3", "cube_eps=0.0375", "cube_multiples=0.5,1",
                                            "dim=64", "eps=0.3", "multiples=16"}};

static const experiment tiny_ablation = {
    "ablation",
    5,
    {"worlds=riverswim:states=3", "base=literal", "episodes=8", "seeds=1", "rewards=1"}};

static const experiment tiny_sharpness = {
    "sharpness", 5, {"worlds=riverswim:states=3", "episodes=8", "seeds=1", "goals=2", "steps=2"}};

static const experiment tiny_explorers = {
    "explorers",
    5,
    {"worlds=riverswim:states=3", "algorithms=scout,random", "episodes=40", "seeds=1", "goals=2"}};

static foray_status run(foray_context *ctx, const experiment *what, const char *directory)
{
    foray_lab_options options = {
        .quick = true, .settings = what->settings, .setting = what->setting};
    return foray_lab_run(ctx, what->name, &options, directory, NULL, NULL);
}

/* The page was written whole: it has its end. */
static bool has_page(const char *directory)
{
    char path[512], tail[16] = "";
    snprintf(path, sizeof path, "%s/index.html", directory);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    bool whole = fseek(file, -8, SEEK_END) == 0 && fread(tail, 1, 8, file) == 8 &&
                 strcmp(tail, "</html>\n") == 0;
    fclose(file);
    return whole;
}

/* The cells are made once, and found from then on. The first hundred allocations fail one by one,
 * the later ones, mostly those of more rows of the same tables, one in so many. */
static void fail_allocations(const experiment *what)
{
    foray_context *ctx = foray_context_create();
    char *directory = support_directory();
    foray_status status = FORAY_ERROR_MEMORY;
    int64_t left = 0;
    support_ok(ctx, run(ctx, what, directory));
    for (; status == FORAY_ERROR_MEMORY; left += 1 + left / 100) {
        ctx->allocations_left = left;
        status = run(ctx, what, directory);
        assert_true(has_page(directory)); /* the one from before, or the new one */
    }
    ctx->allocations_left = -1;
    assert_int_equal(status, FORAY_OK);
    assert_true(left > 50);
    support_remove(directory);
    foray_context_destroy(ctx);
}

static void coverage_survives_failed_allocations(void **state)
{
    (void)state;
    fail_allocations(&tiny_coverage);
}

static void theorem_survives_failed_allocations(void **state)
{
    (void)state;
    fail_allocations(&tiny_theorem);
}

static void complexity_survives_failed_allocations(void **state)
{
    (void)state;
    fail_allocations(&tiny_complexity);
}

static void lowerbound_survives_failed_allocations(void **state)
{
    (void)state;
    fail_allocations(&tiny_lowerbound);
}

static void ablation_survives_failed_allocations(void **state)
{
    (void)state;
    fail_allocations(&tiny_ablation);
}

static void sharpness_survives_failed_allocations(void **state)
{
    (void)state;
    fail_allocations(&tiny_sharpness);
}

static void explorers_survives_failed_allocations(void **state)
{
    (void)state;
    fail_allocations(&tiny_explorers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coverage_survives_failed_allocations),
        cmocka_unit_test(theorem_survives_failed_allocations),
        cmocka_unit_test(complexity_survives_failed_allocations),
        cmocka_unit_test(lowerbound_survives_failed_allocations),
        cmocka_unit_test(ablation_survives_failed_allocations),
        cmocka_unit_test(sharpness_survives_failed_allocations),
        cmocka_unit_test(explorers_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
