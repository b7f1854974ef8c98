/* test_sampling.c - random numbers, and worlds as things that answer: published
 * Philox vectors, distribution functions that rounding cannot spoil, frequencies,
 * determinism, worlds of one's own. */
#include "support.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "world/sample.h"

static foray_model *model_of(foray_context *ctx, const char *spec)
{
    foray_model *model = NULL;
    if (foray_model_builtin(ctx, spec, &model) != FORAY_OK)
        fail_msg("%s: %s", spec, foray_message(ctx));
    return model;
}

/* ---------------------------------------------------------- random numbers */

/* Random123's kat_vectors for philox4x32-10. */
static void philox_gives_the_published_words(void **state)
{
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t out[4];
        fy_philox(known[i].counter, known[i].key, out);
        assert_memory_equal(out, known[i].out, sizeof out);
    }
}

/* Every field of a draw matters, and nothing but them. */
static void draws_differ_in_every_field(void **state)
{
    static const foray_draw draws[] = {
        {1, 2, 3},       {2, 2, 3}, {1 + (1ull << 32), 2, 3}, {1, 3, 3}, {1, 2 + (1ull << 32), 3},
        {1, 2, 1u << 31}};
    enum { DRAWS = sizeof draws / sizeof *draws };
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double u = foray_draw_uniform(&draws[i], 0);
        assert_true(u >= 0 && u < 1);
        assert_true(u == foray_draw_uniform(&draws[i], 0));
        assert_true(u != foray_draw_uniform(&draws[i], 1));
        for (int j = 0; j < i; j++)
            assert_true(u != foray_draw_uniform(&draws[j], 0));
    }
}

/* ------------------------------------------------- distribution functions */

/* The definition, read aloud: the first j with u < c_j. */
static int64_t first_above(const double *c, int64_t n, double u)
{
    int64_t j = 0;
    while (j < n && !(u < c[j]))
        j++;
    return j;
}

/* For random vectors with zeros and unequal sizes: at u = 0, at the largest u below
 * 1, at every c_j and just below and above it. */
static void sampling_never_gives_the_impossible(void **state)
{
    enum { MAX = 40 };
    double p[MAX], c[MAX];
    (void)state;
    for (uint32_t trial = 0; trial < 500; trial++) {
        int64_t n = 1 + (int64_t)(fy_random_bits(1, FY_STREAM_TEST, trial, 0, 0) % MAX);
        double sum = 0;
        for (int64_t j = 0; j < n; j++) {
            double u = fy_unit(fy_random_bits(1, FY_STREAM_TEST, trial, 1, (uint32_t)j));
            p[j] = u < 0.4 ? 0 : exp(-40 * u * u);
            sum += p[j];
        }
        if (sum == 0)
            continue;
        for (int64_t j = 0; j < n; j++)
            c[j] = p[j] = p[j] / sum;
        assert_true(fy_sample_prepare(c, n));
        for (int64_t i = -2; i < n; i++) {
            double at = i == -2 ? 0 : i == -1 ? nextafter(1, 0) : c[i];
            const double near[] = {at, nextafter(at, 0), nextafter(at, 1)};
            for (int k = 0; k < 3; k++) {
                if (near[k] >= 1)
                    continue;
                int64_t j = fy_sample(c, n, near[k]);
                assert_int_equal(j, first_above(c, n, near[k]));
                assert_true(j < n && p[j] > 0);
            }
        }
    }
}

static void rounding_is_forgiven_and_nonsense_is_not(void **state)
{
    double tenths[12] = {-1e-17, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, -1e-12};
    double negative[] = {-1e-6, 1 + 1e-6}, low[] = {0.5, 0.49}, high[] = {0.5, 0.51};
    double dip[] = {0.3, -1e-10, 0.3, 0.4};
    double nan[] = {NAN, 1}, infinite[] = {INFINITY, 0}, zero[] = {0, 0};
    (void)state;
    assert_true(fy_sample_prepare(tenths, 12));
    assert_int_equal(fy_sample(tenths, 12, 0), 1);
    assert_int_equal(fy_sample(tenths, 12, nextafter(1, 0)), 10);
    assert_true(fy_sample_prepare(dip, 4)); /* and bisection still finds its c in order */
    assert_true(dip[0] <= dip[1] && dip[1] <= dip[2] && dip[2] <= dip[3]);
    assert_false(fy_sample_prepare(negative, 2));
    assert_false(fy_sample_prepare(low, 2));
    assert_false(fy_sample_prepare(high, 2));
    assert_false(fy_sample_prepare(nan, 2));
    assert_false(fy_sample_prepare(infinite, 2));
    assert_false(fy_sample_prepare(zero, 2));
}

/* -------------------------------------------------------------- frequencies */

/* Pearson's statistic for counts against n p, cells that expect fewer than ten
 * taken together. *freedom gets the degrees of freedom. */
static double pearson(const int64_t *count, const double *p, int64_t cells, double n, int *freedom)
{
    double statistic = 0, rare_expected = 0, rare_count = 0;
    *freedom = -1;
    for (int64_t j = 0; j < cells; j++) {
        double expected = n * p[j];
        if (expected < 10) {
            rare_expected += expected;
            rare_count += (double)count[j];
            continue;
        }
        statistic += ((double)count[j] - expected) * ((double)count[j] - expected) / expected;
        ++*freedom;
    }
    if (rare_expected > 0) {
        statistic += (rare_count - rare_expected) * (rare_count - rare_expected) / rare_expected;
        ++*freedom;
    }
    return statistic;
}

/* A chi-square variable of k degrees exceeds k + 2 sqrt(k x) + 2 x with probability
 * at most e^-x (Laurent and Massart 2000). */
static double chi_square_limit(int freedom, double failure)
{
    double x = -log(failure);
    return freedom + 2 * sqrt(freedom * x) + 2 * x;
}

static void count_steps(foray_world *world, const foray_model *model, int64_t s, int64_t a,
                        int64_t draws, int64_t *count)
{
    const int32_t *next;
    int64_t n = foray_model_successors(model, s, a, &next);
    memset(count, 0, (size_t)n * sizeof *count);
    for (int64_t i = 0; i < draws; i++) {
        foray_draw draw = {7, (uint64_t)i, (uint32_t)(s + a)};
        int64_t to = -1, j = 0;
        assert_int_equal(foray_world_step(world, &draw, s, a, &to), FORAY_OK);
        while (j < n && next[j] != to)
            j++;
        assert_true(j < n);
        count[j]++;
    }
}

/* One (s,a): what happened fits the probabilities, and does not fit others that are
 * off by 4% from the likeliest successor to another. */
static void check_pair(foray_world *world, const foray_model *model, int64_t s, int64_t a)
{
    enum { DRAWS = 40000, MAX = 64 };
    const int32_t *next;
    int64_t n = foray_model_successors(model, s, a, &next), count[MAX], top = 0;
    double p[MAX] = {0};
    assert_true(n <= MAX);
    for (int64_t j = 0; j < n; j++) {
        p[j] = foray_model_probability(model, foray_model_theta(model), s, a, j);
        top = p[j] > p[top] ? j : top;
    }
    count_steps(world, model, s, a, DRAWS, count);
    int freedom;
    double statistic = pearson(count, p, n, DRAWS, &freedom);
    assert_true(statistic <= chi_square_limit(freedom, 1e-9));
    if (freedom == 0)
        return;
    p[top] -= 0.04;
    p[top == 0] += 0.04;
    statistic = pearson(count, p, n, DRAWS, &freedom);
    assert_true(statistic > chi_square_limit(freedom, 1e-9));
}

/* Some 200 pairs, each wrong with probability 1e-9: below 1e-6 together, and once and
 * for all since the seed is fixed. */
static void frequencies_are_the_probabilities(void **state)
{
    static const char *const specs[] = {
        "chain:states=7,zones=3,outcomes=4", "riverswim:states=4",
        "rooms:rows=1,cols=2,size=2",        "mixture:states=6,actions=2,dim=3",
        "hard:dim=5,eps=0.5,horizon=4",      "inventory:capacity=9,order=3",
        "queue:capacity=6,rates=2",          "grid:rows=3,cols=3,slips=1"};
    foray_context *ctx = *state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        foray_model *model = model_of(ctx, specs[i]);
        foray_world *world = NULL;
        assert_int_equal(foray_world_from_model(ctx, model, &world), FORAY_OK);
        int64_t actions = foray_model_actions(model);
        for (int64_t pair = 0; pair < foray_model_states(model) * actions; pair++)
            check_pair(world, model, pair / actions, pair % actions);
        foray_world_destroy(world);
        foray_model_destroy(model);
    }
}

/* ---------------------------------------------------------------- determinism */

/* One episode of the rule a = (s + t) mod A. */
static void play(foray_world *world, const foray_model *model, uint64_t seed, uint64_t episode,
                 int64_t *trace)
{
    int64_t horizon = foray_model_horizon(model);
    foray_draw draw = {seed, episode, 0};
    assert_int_equal(foray_world_reset(world, &draw, &trace[0]), FORAY_OK);
    for (int64_t t = 0; t < horizon; t++) {
        draw.step = (uint32_t)t + 1;
        int64_t action = (trace[t] + t) % foray_model_actions(model);
        assert_int_equal(foray_world_step(world, &draw, trace[t], action, &trace[t + 1]), FORAY_OK);
    }
}

/* Episodes in another order, in another world object, after other episodes: the
 * same. Another seed or another episode: not the same. */
static void trajectories_depend_on_seed_and_episode_alone(void **state)
{
    enum { EPISODES = 20, LENGTH = 31 };
    foray_context *ctx = *state;
    foray_model *model = model_of(ctx, "rooms");
    assert_int_equal(foray_model_horizon(model) + 1, LENGTH);
    foray_world *one = NULL, *other = NULL;
    assert_int_equal(foray_world_from_model(ctx, model, &one), FORAY_OK);
    assert_int_equal(foray_world_from_model(ctx, model, &other), FORAY_OK);
    int64_t forward[EPISODES][LENGTH], trace[LENGTH];
    for (int k = 0; k < EPISODES; k++)
        play(one, model, 5, (uint64_t)k, forward[k]);
    for (int k = EPISODES - 1; k >= 0; k--) {
        play(other, model, 6, (uint64_t)k, trace);
        assert_memory_not_equal(trace, forward[k], sizeof trace);
        play(other, model, 5, (uint64_t)k, trace);
        assert_memory_equal(trace, forward[k], sizeof trace);
        if (k > 0)
            assert_memory_not_equal(trace, forward[k - 1], sizeof trace);
    }
    foray_world_destroy(one);
    foray_world_destroy(other);
    foray_model_destroy(model);
}

/* --------------------------------------------------------- initial states */

/* Three states in a ring: stay with `probability` (NaN: unknown), or go on. */
static foray_model *coin_model(foray_context *ctx, double first, double probability)
{
    foray_builder *builder = NULL;
    foray_model *model = NULL;
    const int64_t coordinate[] = {0, 1};
    const double one = 1, theta[] = {probability, 1 - probability};
    assert_int_equal(foray_builder_create(ctx, 3, 1, 2, 2, 2, &builder), FORAY_OK);
    for (int64_t s = 0; s < 3; s++) {
        foray_builder_feature(builder, s, 0, s, 1, &coordinate[0], &one);
        foray_builder_feature(builder, s, 0, (s + 1) % 3, 1, &coordinate[1], &one);
    }
    if (!isnan(probability))
        foray_builder_theta(builder, theta);
    foray_builder_initial(builder, 0, first);
    if (first < 1)
        foray_builder_initial(builder, 2, 1 - first);
    foray_builder_name(builder, "coin");
    assert_int_equal(foray_builder_finish(builder, &model), FORAY_OK);
    foray_builder_destroy(builder);
    return model;
}

/* Hoeffding: 20,000 draws are off by more than 0.025 with probability below 2e-11. */
static void first_states_follow_the_initial_law(void **state)
{
    enum { DRAWS = 20000 };
    foray_context *ctx = *state;
    foray_model *model = coin_model(ctx, 0.3, 0.5);
    foray_world *world = NULL;
    assert_int_equal(foray_world_from_model(ctx, model, &world), FORAY_OK);
    int64_t count[3] = {0, 0, 0};
    for (uint64_t k = 0; k < DRAWS; k++) {
        foray_draw draw = {3, k, 0};
        int64_t first = -1;
        assert_int_equal(foray_world_reset(world, &draw, &first), FORAY_OK);
        count[first]++;
    }
    assert_int_equal(count[1], 0);
    assert_true(fabs((double)count[0] / DRAWS - 0.3) < 0.025);
    foray_world_destroy(world);
    foray_model_destroy(model);
}

static void models_that_are_no_worlds_are_refused(void **state)
{
    foray_context *ctx = *state;
    foray_world *world = NULL;
    foray_model *unknown = coin_model(ctx, 1, NAN), *negative = coin_model(ctx, 1, 1.5);
    assert_int_equal(foray_world_from_model(ctx, unknown, &world), FORAY_ERROR_INPUT);
    assert_non_null(strstr(foray_message(ctx), "theta is not known"));
    assert_int_equal(foray_world_from_model(ctx, negative, &world), FORAY_ERROR_INPUT);
    assert_non_null(strstr(foray_message(ctx), "coin is not a world"));
    assert_non_null(strstr(foray_message(ctx), "state 0, action 0"));
    assert_null(world);
    foray_model_destroy(unknown);
    foray_model_destroy(negative);
}

static void steps_outside_the_model_are_refused(void **state)
{
    foray_context *ctx = *state;
    foray_model *model = coin_model(ctx, 1, 0.5);
    foray_world *world = NULL;
    foray_draw draw = {1, 0, 1};
    int64_t next = 77;
    assert_int_equal(foray_world_from_model(ctx, model, &world), FORAY_OK);
    assert_int_equal(foray_world_step(world, &draw, 3, 0, &next), FORAY_ERROR_USAGE);
    assert_string_equal(foray_message(ctx), "state 3, but the world has 3 states");
    assert_int_equal(foray_world_step(world, &draw, -1, 0, &next), FORAY_ERROR_USAGE);
    assert_int_equal(foray_world_step(world, &draw, 0, 1, &next), FORAY_ERROR_USAGE);
    assert_string_equal(foray_message(ctx), "action 1, but the world has 1 actions");
    assert_int_equal(foray_world_step(world, &draw, 0, -1, &next), FORAY_ERROR_USAGE);
    assert_int_equal(next, 77);
    foray_world_destroy(world);
    foray_model_destroy(model);
}

/* ------------------------------------------------------- worlds of one's own */

typedef struct counter_world {
    int resets, steps, destroyed;
    foray_status answer;
    int64_t state;
} counter_world;

static foray_status counter_reset(void *self, const foray_draw *draw, int64_t *state)
{
    counter_world *world = self;
    world->resets++;
    *state = world->state + (int64_t)draw->episode;
    return world->answer;
}

static foray_status counter_step(void *self, const foray_draw *draw, int64_t state, int64_t action,
                                 int64_t *next)
{
    counter_world *world = self;
    world->steps++;
    *next = world->state < 0 ? world->state : state + action + draw->step;
    return world->answer;
}

static void counter_destroy(void *self)
{
    ((counter_world *)self)->destroyed++;
}

static void own_worlds_are_asked(void **state)
{
    foray_context *ctx = *state;
    counter_world self = {0, 0, 0, FORAY_OK, 4};
    foray_world_ops ops = {.size = sizeof ops,
                           .reset = counter_reset,
                           .step = counter_step,
                           .destroy = counter_destroy};
    foray_world *world = NULL;
    assert_int_equal(foray_world_create(ctx, &ops, &self, &world), FORAY_OK);
    foray_draw draw = {1, 10, 100};
    int64_t answer = -1;
    assert_int_equal(foray_world_reset(world, &draw, &answer), FORAY_OK);
    assert_int_equal(answer, 14);
    assert_int_equal(foray_world_step(world, &draw, 2, 3, &answer), FORAY_OK);
    assert_int_equal(answer, 105);
    assert_int_equal(self.resets, 1);
    assert_int_equal(self.steps, 1);
    foray_world_destroy(world);
    assert_int_equal(self.destroyed, 1);
    foray_world_destroy(NULL);
}

static void failures_of_own_worlds_are_reported(void **state)
{
    foray_context *ctx = *state;
    counter_world self = {0, 0, 0, FORAY_ERROR_IO, 0};
    /* A caller from before `destroy` was in the table. */
    foray_world_ops ops = {.size = offsetof(foray_world_ops, destroy),
                           .reset = counter_reset,
                           .step = counter_step,
                           .destroy = counter_destroy};
    foray_world *world = NULL;
    assert_int_equal(foray_world_create(ctx, &ops, &self, &world), FORAY_OK);
    foray_draw draw = {1, 10, 3};
    int64_t answer = 77;
    assert_int_equal(foray_world_step(world, &draw, 2, 3, &answer), FORAY_ERROR_WORLD);
    assert_string_equal(foray_message(ctx), "the world failed in episode 10, draw 3: "
                                            "a file could not be read or written");
    assert_int_equal(foray_world_reset(world, &draw, &answer), FORAY_ERROR_WORLD);
    self.answer = FORAY_OK;
    self.state = -1;
    assert_int_equal(foray_world_step(world, &draw, 2, 3, &answer), FORAY_ERROR_WORLD);
    assert_non_null(strstr(foray_message(ctx), "answered with state -1"));
    assert_int_equal(answer, 77);
    foray_world_destroy(world);
    assert_int_equal(self.destroyed, 0);
}

static void incomplete_tables_are_refused(void **state)
{
    foray_context *ctx = *state;
    foray_world *world = NULL;
    foray_world_ops no_step = {.size = sizeof no_step, .reset = counter_reset};
    foray_world_ops no_reset = {.size = sizeof no_reset, .step = counter_step};
    foray_world_ops no_size = {.reset = counter_reset, .step = counter_step};
    assert_int_equal(foray_world_create(ctx, &no_step, NULL, &world), FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(ctx), "step"));
    assert_int_equal(foray_world_create(ctx, &no_reset, NULL, &world), FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(ctx), "reset"));
    assert_int_equal(foray_world_create(ctx, &no_size, NULL, &world), FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(ctx), "size"));
    assert_null(world);
}

/* -------------------------------------------------------------------- memory */

static void failed_allocations_leave_nothing_behind(void **state)
{
    foray_context *ctx = *state;
    foray_model *model = coin_model(ctx, 1, 0.5);
    foray_world *world = NULL;
    int64_t failures = 0;
    for (;; failures++) {
        ctx->allocations_left = failures;
        if (foray_world_from_model(ctx, model, &world) == FORAY_OK)
            break;
        assert_null(world);
    }
    assert_int_equal(failures, 4);
    foray_world_destroy(world);
    foray_model_destroy(model);
}

static void episodes_allocate_nothing(void **state)
{
    foray_context *ctx = *state;
    foray_model *model = model_of(ctx, "chain");
    foray_world *world = NULL;
    assert_int_equal(foray_world_from_model(ctx, model, &world), FORAY_OK);
    int64_t trace[21], before = ctx->allocations;
    for (uint64_t k = 0; k < 100; k++)
        play(world, model, 1, k, trace);
    assert_int_equal(ctx->allocations, before);
    foray_world_destroy(world);
    foray_model_destroy(model);
}

/* ----------------------------------------------------------- many at once */

enum { MANY = 50, ROUNDS = 30, LENGTH = 7 };

/* Episodes at different steps, some of which begin anew: each is what it is alone. */
static void many_episodes_are_what_each_is_alone(void **state)
{
    foray_context *ctx = *state;
    foray_model *model = model_of(ctx, "rooms:rows=2,cols=2,size=2,horizon=20");
    foray_world *world = NULL;
    foray_draw draw[MANY];
    int64_t where[MANY] = {0}, action[MANY], next[MANY];
    assert_int_equal(foray_world_from_model(ctx, model, &world), FORAY_OK);
    for (int i = 0; i < MANY; i++)
        draw[i] = (foray_draw){.seed = (uint64_t)i / 3, .episode = (uint64_t)i};
    for (int round = 0; round < ROUNDS; round++) {
        int64_t alone[MANY];
        for (int i = 0; i < MANY; i++) {
            action[i] = (i + round) % 4;
            if (draw[i].step > (uint32_t)(LENGTH + i % 3))
                draw[i] = (foray_draw){.seed = draw[i].seed, .episode = draw[i].episode + MANY};
            foray_status status = draw[i].step == 0 ? foray_world_reset(world, &draw[i], &alone[i])
                                                    : foray_world_step(world, &draw[i], where[i],
                                                                       action[i], &alone[i]);
            assert_int_equal(status, FORAY_OK);
        }
        uint32_t step = draw[MANY - 1].step;
        int64_t *to = round % 2 == 0 ? where : next; /* in place, and beside */
        assert_int_equal(foray_world_advance(world, MANY, draw, where, action, to), FORAY_OK);
        assert_memory_equal(to, alone, sizeof alone);
        assert_int_equal(draw[MANY - 1].step, step + 1);
        memcpy(where, alone, sizeof alone);
    }
    assert_int_equal(foray_world_advance(world, 0, NULL, NULL, NULL, NULL), FORAY_OK);
    foray_world_destroy(world);
    foray_model_destroy(model);
}

/* One wrong action among many: nothing is stepped, and draws stay. */
static void one_wrong_action_stops_all(void **state)
{
    foray_context *ctx = *state;
    foray_model *model = model_of(ctx, "riverswim:states=5,horizon=6");
    foray_world *world = NULL;
    foray_draw draw[3] = {{.step = 0}, {.step = 2}, {.step = 3}};
    int64_t where[3] = {77, 1, 2}, action[3] = {99, 1, 2}; /* a first state asks for neither */
    assert_int_equal(foray_world_from_model(ctx, model, &world), FORAY_OK);
    assert_int_equal(foray_world_advance(world, 3, draw, where, action, where), FORAY_ERROR_USAGE);
    assert_string_equal(foray_message(ctx), "action 2, but the world has 2 actions");
    assert_int_equal(draw[0].step + draw[1].step + draw[2].step, 5);
    assert_int_equal(where[0], 77);
    action[2] = 0;
    assert_int_equal(foray_world_advance(world, 3, draw, where, action, where), FORAY_OK);
    assert_int_equal(draw[0].step, 1);
    foray_world_destroy(world);
    foray_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_published_words),
        cmocka_unit_test(draws_differ_in_every_field),
        cmocka_unit_test(sampling_never_gives_the_impossible),
        cmocka_unit_test(rounding_is_forgiven_and_nonsense_is_not),
        support_test(frequencies_are_the_probabilities),
        support_test(trajectories_depend_on_seed_and_episode_alone),
        support_test(first_states_follow_the_initial_law),
        support_test(models_that_are_no_worlds_are_refused),
        support_test(steps_outside_the_model_are_refused),
        support_test(many_episodes_are_what_each_is_alone),
        support_test(one_wrong_action_stops_all),
        support_test(own_worlds_are_asked),
        support_test(failures_of_own_worlds_are_reported),
        support_test(incomplete_tables_are_refused),
        support_test(failed_allocations_leave_nothing_behind),
        support_test(episodes_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
