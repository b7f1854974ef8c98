/* test_union.c - union-find agrees with components that are relabelled one by one. */
#include "support.h"

#include "base/union.h"

enum { NUMBERS = 60, PAIRS = 80, TRIALS = 200 };

/* The oracle: label[i] is the smallest number that belongs together with i. */
static void relabel(int32_t *label, int32_t i, int32_t j)
{
    int32_t low = label[i] < label[j] ? label[i] : label[j];
    int32_t high = label[i] < label[j] ? label[j] : label[i];
    for (int32_t k = 0; k < NUMBERS; k++)
        if (label[k] == high)
            label[k] = low;
}

/* After every pair, each number's root is the smallest of its component. */
static void roots_are_the_smallest_that_belong_together(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        support_random random = {.seed = trial};
        int32_t parent[NUMBERS];
        int32_t label[NUMBERS];
        for (int32_t i = 0; i < NUMBERS; i++)
            parent[i] = label[i] = i;
        for (int pair = 0; pair < PAIRS; pair++) {
            int32_t i = (int32_t)support_below(&random, NUMBERS);
            int32_t j = (int32_t)support_below(&random, NUMBERS);
            fy_union_join(parent, i, j);
            relabel(label, i, j);
            for (int32_t k = 0; k < NUMBERS; k++)
                assert_int_equal(fy_union_root(parent, k), label[k]);
        }
    }
}

/* Roots that nobody asks for between the joins are the same: halved paths change none. */
static void roots_do_not_depend_on_being_asked(void **state)
{
    (void)state;
    int32_t parent[NUMBERS];
    for (int32_t i = 0; i < NUMBERS; i++)
        parent[i] = i;
    for (int32_t i = NUMBERS - 1; i > 0; i--)
        fy_union_join(parent, i, i - 1);
    for (int32_t i = 0; i < NUMBERS; i++) {
        assert_true(parent[i] <= i);
        assert_int_equal(fy_union_root(parent, NUMBERS - 1 - i), 0);
    }
}

/* A number joined with itself, or twice with another, changes nothing. */
static void joining_again_changes_nothing(void **state)
{
    (void)state;
    int32_t parent[] = {0, 1, 2};
    fy_union_join(parent, 1, 1);
    assert_int_equal(fy_union_root(parent, 1), 1);
    for (int times = 0; times < 2; times++) {
        fy_union_join(parent, 2, 1);
        assert_int_equal(fy_union_root(parent, 0), 0);
        assert_int_equal(fy_union_root(parent, 1), 1);
        assert_int_equal(fy_union_root(parent, 2), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_are_the_smallest_that_belong_together),
        cmocka_unit_test(roots_do_not_depend_on_being_asked),
        cmocka_unit_test(joining_again_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
