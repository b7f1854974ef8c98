/* test_near_ties.c - two actions with the same law whose rewards differ in their last digits.
 *
 * From the door (one action) episodes get to the room with probability 1/2, where the second action
 * earns `more` than the first. A policy that takes the worse one loses more/2, discounted once; no
 * range, however wide, and no rounding may make a proof of optimality of that. */
#include "support.h"
#include "explore/explorer.h"

#include <math.h>

enum { DOOR, ROOM, OUT, STATES, ACTIONS = 2, HORIZON = 3 };

static foray_model *make_house(foray_context *ctx)
{
    static const int64_t only[1] = {0}, outcomes[2] = {2, 1}, ways[2] = {ROOM, OUT}, out[1] = {OUT};
    static const double half[2] = {0.5, 0.5}, certain[1] = {1};
    foray_builder *builder;
    foray_model *model;
    support_ok(ctx,
               foray_builder_create_classes(ctx, STATES, ACTIONS, HORIZON, 2, outcomes, &builder));
    foray_builder_available(builder, DOOR, 1, only);
    foray_builder_available(builder, OUT, 1, only);
    foray_builder_outcomes(builder, DOOR, 0, 0, ways);
    foray_builder_outcomes(builder, ROOM, 0, 1, out);
    foray_builder_outcomes(builder, ROOM, 1, 1, out);
    foray_builder_outcomes(builder, OUT, 0, 1, out);
    foray_builder_law(builder, 0, half);
    foray_builder_law(builder, 1, certain);
    foray_builder_initial(builder, DOOR, 1);
    support_ok(ctx, foray_builder_finish(builder, &model));
    foray_builder_destroy(builder);
    return model;
}

static support_stage explore_house(void)
{
    support_stage s = {0};
    s.ctx = foray_context_create();
    s.model = make_house(s.ctx);
    foray_settings settings = support_settings("random", 500, 1);
    support_ok(s.ctx, foray_world_from_model(s.ctx, s.model, &s.world));
    support_ok(s.ctx, foray_explorer_create(s.ctx, s.model, &settings, &s.explorer));
    for (int64_t k = 0; k < 500; k++)
        support_ok(s.ctx, foray_explorer_play(s.explorer, s.world, NULL, NULL));
    return s;
}

typedef struct offer {
    double low, high, discount;
    double base, more; /* what the two actions earn in the room: base, and base + more */
    bool minimise;
    bool ahead; /* for what follows instead of for the action */
} offer;

/* The certificate of the policy that takes the worse action. */
static double certify_worse(support_stage *s, const offer *it)
{
    foray_reward *reward;
    foray_policy *policy;
    double value = it->base + it->more;
    support_ok(s->ctx,
               foray_reward_create(s->ctx, s->model, "near", it->low, it->high, it->base, &reward));
    support_ok(s->ctx, it->ahead ? foray_reward_set_next(s->ctx, reward, -1, ROOM, 1, OUT, value)
                                 : foray_reward_set(s->ctx, reward, -1, ROOM, 1, value));
    support_ok(s->ctx, foray_reward_set_discount(s->ctx, reward, it->discount));
    if (it->minimise)
        support_ok(s->ctx, foray_reward_set_minimise(s->ctx, reward, true));
    support_ok(s->ctx, foray_policy_create(s->ctx, s->model, FORAY_GIVEN, &policy));
    for (int64_t t = 0; t < HORIZON; t++)
        policy->action[t * STATES + ROOM] = it->minimise;
    support_ok(s->ctx, foray_explorer_certify(s->explorer, reward, policy));
    double gap = policy->certificate.gap;
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    return gap;
}

static void check_offer(support_stage *s, const offer *it)
{
    double lost = it->discount * it->more / 2, gap = certify_worse(s, it);
    if (!(gap >= lost * (1 - 1e-12)))
        fail_msg("range [%g, %g], discount %g, %s%s: %g more, so %g is lost, but certified %g",
                 it->low, it->high, it->discount, it->minimise ? "least" : "most",
                 it->ahead ? ", ahead" : "", it->more, lost, gap);
}

/* From the last digit of the reward up to about a hundredth of it. */
static void no_range_hides_a_difference(void **state)
{
    (void)state;
    static const double ranges[][2] = {{0, 1},      {-1, 1},   {-1e3, 1e3}, {-1e9, 1e9},
                                       {-1e15, 50}, {0, 1e30}, {0.3, 1e9},  {-1e9, 0.31}};
    static const double discounts[] = {1, 0.3, 1e-200};
    support_stage s = explore_house();
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
        for (size_t g = 0; g < sizeof discounts / sizeof *discounts; g++)
            for (int which = 0; which < 4; which++)
                for (int digits = 52; digits > 5; digits -= 6) {
                    offer it = {ranges[r][0],   ranges[r][1],  discounts[g], 0.3, 0,
                                which % 2 == 1, which / 2 == 1};
                    double value = it.base * (1 + ldexp(1, -digits));
                    it.more = value - it.base; /* exact: the two are close */
                    if (value <= it.high)
                        check_offer(&s, &it);
                }
    support_stage_clear(&s);
}

/* 0 and 1 in the unit of planning are the ends of the range alone: what is next to them is not
 * exact. */
static void ends_of_the_range_are_exact(void **state)
{
    (void)state;
    support_stage s = explore_house();
    const offer below_high = {-1e9, 0, 1, -1e-12, 1e-12, false, false};
    const offer above_low = {0, 1e100, 1, 0, 1e-250, false, false};
    check_offer(&s, &below_high);
    check_offer(&s, &above_low);
    support_stage_clear(&s);
}

/* In an unstructured model: a state that nothing leaves, where the second action earns `more` in
 * each of three steps. Nothing is unknown there but what rounding hides. */
static void open_models_neither(void **state)
{
    (void)state;
    static const char text[] =
        "{\"format\":\"foray-model\",\"version\":1,\"kind\":\"unstructured\",\"name\":\"\","
        "\"states\":2,\"actions\":2,\"horizon\":3,\"initial\":[[0,1]],"
        "\"absorbing\":[0]}";
    static const double wide[] = {1, 1e3, 1e9, 1e15};
    support_stage s = {.ctx = foray_context_create()};
    foray_settings settings = support_settings("recorded", 1, 1);
    support_ok(s.ctx, foray_model_parse(s.ctx, text, sizeof text - 1, "text", &s.model));
    support_ok(s.ctx, foray_explorer_create(s.ctx, s.model, &settings, &s.explorer));
    support_ok(s.ctx, fy_explorer_learn(s.explorer, 1, (int32_t[]){0, 0}, (int32_t[]){0}, false));
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        foray_reward *reward;
        foray_policy *policy;
        support_ok(s.ctx,
                   foray_reward_create(s.ctx, s.model, "near", -wide[i], wide[i], 0.3, &reward));
        support_ok(s.ctx, foray_reward_set(s.ctx, reward, -1, 0, 1, 0.301));
        support_ok(s.ctx, foray_policy_create(s.ctx, s.model, FORAY_GIVEN, &policy));
        support_ok(s.ctx, foray_explorer_certify(s.explorer, reward, policy));
        if (!(policy->certificate.gap >= 3 * (0.301 - 0.3)))
            fail_msg("range up to %g: 0.003 is lost, but certified %g", wide[i],
                     policy->certificate.gap);
        foray_policy_destroy(policy);
        foray_reward_destroy(reward);
    }
    support_stage_clear(&s);
}

/* Nor do certificates by the radius of the exploration, which compare values. */
static void differences_of_values_neither(void **state)
{
    (void)state;
    static const double wide[] = {1, 1e3, 1e9, 1e15};
    support_stage s = explore_house();
    support_ok(s.ctx, foray_explorer_certify_by(s.explorer, FORAY_RADIUS_SHARP));
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        foray_reward *reward;
        foray_policy *policy;
        double value, optimal;
        support_ok(s.ctx,
                   foray_reward_create(s.ctx, s.model, "near", -wide[i], wide[i], 0.3, &reward));
        const foray_reward *const rewards[] = {reward};
        support_ok(s.ctx, foray_reward_set(s.ctx, reward, -1, ROOM, 1, 0.301));
        support_ok(s.ctx, foray_explorer_plan(s.explorer, 1, rewards, FORAY_PLUGIN, &policy));
        support_ok(s.ctx, foray_evaluate(s.ctx, s.model, reward, policy, &value, &optimal));
        if (!(policy->certificate.gap >= optimal - value))
            fail_msg("range up to %g: %g is lost, but certified %g", wide[i], optimal - value,
                     policy->certificate.gap);
        foray_policy_destroy(policy);
        foray_reward_destroy(reward);
    }
    support_stage_clear(&s);
}

/* First states whose probabilities sum to 1 and a digit: what is certain has the probability 1, and
 * an interval that does not end before it begins. */
static void intervals_are_in_order(void **state)
{
    (void)state;
    static const int64_t all[4] = {0, 1, 2, 3};
    static const double first[4] = {5 / 13.0, 2 / 13.0, 3 / 13.0, 3 / 13.0};
    support_stage s = {.ctx = foray_context_create()};
    foray_settings settings = support_settings("random", 10, 1);
    foray_builder *builder;
    foray_reward *reward;
    foray_policy *policy;
    support_ok(s.ctx, foray_builder_create_tabular(s.ctx, 4, 1, 2, &builder));
    for (int64_t i = 0; i < 4; i++) {
        foray_builder_transition(builder, i, 0, i, 1);
        foray_builder_initial(builder, i, first[i]);
    }
    support_ok(s.ctx, foray_builder_finish(builder, &s.model));
    foray_builder_destroy(builder);
    support_ok(s.ctx, foray_explorer_create(s.ctx, s.model, &settings, &s.explorer));
    support_ok(s.ctx, foray_reward_create_reach(s.ctx, s.model, "", 4, all, 0, NULL, &reward));
    support_ok(s.ctx, foray_policy_create(s.ctx, s.model, FORAY_GIVEN, &policy));
    support_ok(s.ctx, foray_explorer_certify(s.explorer, reward, policy));
    assert_true(policy->low <= policy->expected && policy->expected <= policy->high);
    assert_true(policy->high <= 1);
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    support_stage_clear(&s);
}

/* The control: actions that are equal in everything need no proof, and have a certificate of 0. */
static void equal_actions_are_equal(void **state)
{
    (void)state;
    support_stage s = explore_house();
    for (int which = 0; which < 4; which++) {
        offer it = {-1e9, 1e9, 0.3, 0.3, 0, which % 2 == 1, which / 2 == 1};
        double gap = certify_worse(&s, &it);
        if (gap != 0)
            fail_msg("equal actions (%d), but certified %g", which, gap);
    }
    /* With a discount of 0 nothing counts but the first step, in which there is no choice. */
    const offer first_step = {0, 1, 0, 0.3, 0.1, false, false};
    assert_true(certify_worse(&s, &first_step) == 0);
    support_stage_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_range_hides_a_difference),
        cmocka_unit_test(ends_of_the_range_are_exact),
        cmocka_unit_test(open_models_neither),
        cmocka_unit_test(differences_of_values_neither),
        cmocka_unit_test(intervals_are_in_order),
        cmocka_unit_test(equal_actions_are_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
