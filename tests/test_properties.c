/* test_properties.c - what must not matter does not: the names of states, actions
 * and feature coordinates, and the scale of phi against theta. The same random
 * episodes, relabelled, go into two explorers; bounds, values and certificates
 * for the same rewards, relabelled, must agree. */
#include "support.h"

#include <math.h>
#include <string.h>

#include "oracle_truth.h"

enum { S = 6, A = 3, H = 4, D = 4, N = 3, EPISODES = 50 };

/* A random mixture of D simulators. */
typedef struct blend {
    int next[S][A][N];
    double p[D][S][A][N];
    double theta[D];
} blend;

/* How one copy of it is labelled and scaled. */
typedef struct labels {
    int state[S], action[A], coordinate[D];
    double scale;
} labels;

static double draw(uint64_t seed, uint32_t *count)
{
    return fy_unit(fy_random_bits(seed, FY_STREAM_TEST, (*count)++, 0, 0));
}

static void normalise(double *p, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += p[i];
    for (int i = 0; i < count; i++)
        p[i] /= sum;
}

static blend random_blend(uint64_t seed)
{
    blend b;
    uint32_t count = 0;
    for (int s = 0; s < S; s++)
        for (int a = 0; a < A; a++) {
            int first = (int)(S * draw(seed, &count));
            for (int j = 0; j < N; j++)
                b.next[s][a][j] = (first + j * (1 + (s + a) % 2)) % S;
            for (int i = 0; i < D; i++) {
                for (int j = 0; j < N; j++)
                    b.p[i][s][a][j] = 0.05 + draw(seed, &count);
                normalise(b.p[i][s][a], N);
            }
        }
    for (int i = 0; i < D; i++)
        b.theta[i] = 0.1 + draw(seed, &count);
    normalise(b.theta, D);
    return b;
}

static void shuffle(int *item, int count, uint64_t seed, uint32_t *drawn)
{
    for (int i = 0; i < count; i++)
        item[i] = i;
    for (int i = count - 1; i > 0; i--) {
        int other = (int)((i + 1) * draw(seed, drawn)), kept = item[i];
        item[i] = item[other];
        item[other] = kept;
    }
}

static labels plain_labels(void)
{
    labels l = {.scale = 1};
    for (int i = 0; i < S; i++)
        l.state[i] = i;
    for (int i = 0; i < A; i++)
        l.action[i] = i;
    for (int i = 0; i < D; i++)
        l.coordinate[i] = i;
    return l;
}

static labels random_labels(uint64_t seed)
{
    labels l = {.scale = 1};
    uint32_t drawn = 0;
    shuffle(l.state, S, seed + 1000, &drawn);
    shuffle(l.action, A, seed + 1000, &drawn);
    shuffle(l.coordinate, D, seed + 1000, &drawn);
    return l;
}

/* phi_i = scale P_i / sqrt(D), theta = sqrt(D) w / scale, B = sqrt(D) / scale. */
static foray_model *label(foray_context *ctx, const blend *b, const labels *l)
{
    foray_builder *builder;
    foray_model *model;
    int64_t coordinate[D];
    double theta[D], value[D];
    assert_int_equal(foray_builder_create(ctx, S, A, H, D, sqrt(D) / l->scale, &builder), 0);
    for (int i = 0; i < D; i++) {
        coordinate[i] = l->coordinate[i];
        theta[l->coordinate[i]] = sqrt(D) * b->theta[i] / l->scale;
    }
    for (int s = 0; s < S; s++)
        for (int a = 0; a < A; a++)
            for (int j = 0; j < N; j++) {
                for (int i = 0; i < D; i++)
                    value[i] = l->scale * b->p[i][s][a][j] / sqrt(D);
                foray_builder_feature(builder, l->state[s], l->action[a],
                                      l->state[b->next[s][a][j]], D, coordinate, value);
            }
    foray_builder_theta(builder, theta);
    foray_builder_initial(builder, l->state[0], 1.0);
    assert_int_equal(foray_builder_finish(builder, &model), FORAY_OK);
    foray_builder_destroy(builder);
    return model;
}

/* Random episodes, told to the explorer under its labels; its own wishes are ignored. */
static void tell_episodes(foray_explorer *explorer, const blend *b, const labels *l, uint64_t seed)
{
    uint32_t count = 0;
    for (int k = 0; k < EPISODES; k++) {
        int s = 0;
        assert_int_equal(foray_explorer_begin(explorer), FORAY_OK);
        for (int t = 0; t < H; t++) {
            int a = (int)(A * draw(seed + 2000, &count));
            int next = b->next[s][a][(int)(N * draw(seed + 2000, &count))];
            assert_int_equal(
                foray_explorer_observe(explorer, l->state[s], l->action[a], l->state[next]), 0);
            s = next;
        }
        assert_int_equal(foray_explorer_end(explorer), FORAY_OK);
    }
}

static foray_reward *label_reward(foray_context *ctx, const foray_model *model, const labels *l,
                                  uint64_t seed)
{
    foray_reward *reward;
    uint32_t count = 0;
    assert_int_equal(foray_reward_create(ctx, model, "random", 0, 1, 0, &reward), FORAY_OK);
    for (int t = 0; t < H; t++)
        for (int s = 0; s < S; s++)
            for (int a = 0; a < A; a++)
                assert_int_equal(foray_reward_set(ctx, reward, t, l->state[s], l->action[a],
                                                  draw(seed + 3000, &count)),
                                 0);
    return reward;
}

/* Everything that is said about one labelled copy. */
typedef struct answer {
    double bound, value[FORAY_MODES], gap[FORAY_MODES];
} answer;

static answer ask(const blend *b, const labels *l, const foray_settings *settings, uint64_t seed)
{
    foray_context *ctx = foray_context_create();
    foray_model *model = label(ctx, b, l);
    foray_explorer *explorer;
    foray_certificate bound;
    answer result;
    if (support_create(ctx, model, settings, &explorer) != FORAY_OK)
        fail_msg("%s", foray_message(ctx));
    tell_episodes(explorer, b, l, seed);
    assert_int_equal(foray_explorer_bound(explorer, FORAY_KIND_PAIR, &bound), FORAY_OK);
    result.bound = bound.gap;
    foray_reward *reward = label_reward(ctx, model, l, seed);
    const foray_reward *const rewards[] = {reward};
    for (int mode = 0; mode < FORAY_MODES; mode++) {
        foray_policy *policy;
        assert_int_equal(foray_explorer_plan(explorer, 1, rewards, mode, &policy), FORAY_OK);
        memcpy(result.value, policy->value, sizeof result.value);
        result.gap[mode] = policy->certificate.gap;
        foray_policy_destroy(policy);
    }
    foray_reward_destroy(reward);
    foray_explorer_destroy(explorer);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
    return result;
}

static void assert_same(const answer *a, const answer *b)
{
    assert_true(fabs(a->bound - b->bound) < 1e-8);
    for (int mode = 0; mode < FORAY_MODES; mode++) {
        assert_true(fabs(a->value[mode] - b->value[mode]) < 1e-8);
        assert_true(fabs(a->gap[mode] - b->gap[mode]) < 1e-8);
    }
}

/* Radii are scaled down so that values leave the clip and the comparison bites. */
static void for_radii(int last, labels (*relabel)(uint64_t seed))
{
    for (int radius = FORAY_RADIUS_SHARP; radius <= last; radius++)
        for (uint64_t seed = 1; seed <= 8; seed++) {
            blend b = random_blend(seed);
            labels plain = plain_labels(), other = relabel(seed);
            foray_settings settings;
            foray_settings_default(&settings);
            settings.radius = radius;
            settings.radius_scale = radius == FORAY_RADIUS_THEOREM ? 0.01 : 0.1;
            answer one = ask(&b, &plain, &settings, seed);
            answer two = ask(&b, &other, &settings, seed);
            assert_same(&one, &two);
            assert_true(one.gap[FORAY_PESSIMISTIC] > 1e-3 && one.gap[FORAY_PESSIMISTIC] < H - 0.1);
        }
}

static void names_do_not_matter(void **state)
{
    (void)state;
    for_radii(FORAY_RADIUS_THEOREM, random_labels);
}

/* Scaling up would break ||psi|| <= 1; scaling down must change nothing. The
 * theorem's radius is left out: it has B in it, by way of ||psi|| <= 1. */
static labels scaled_labels(uint64_t seed)
{
    labels l = plain_labels();
    l.scale = 1.0 / (1.0 + (double)seed);
    return l;
}

static void scale_does_not_matter(void **state)
{
    (void)state;
    for_radii(FORAY_RADIUS_SELFNORMALISED, scaled_labels);
}

/* The bonus of a fixed vector at a fixed radius never rises with data. */
static void more_data_never_raises_a_bonus(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    blend b = random_blend(5);
    labels plain = plain_labels();
    foray_model *model = label(ctx, &b, &plain);
    const fy_basis *basis = model->basis;
    const double lambda[] = {0.3};
    fy_ridge *ridge;
    assert_int_equal(basis->blocks, 1);
    assert_int_equal(fy_ridge_create(support_arena(ctx), basis, lambda, 50, &ridge), FORAY_OK);
    double before = INFINITY, x[D], probe[D], white[D];
    uint32_t count = 0;
    for (int i = 0; i < basis->max_dim; i++)
        probe[i] = draw(1, &count) - 0.5;
    for (int k = 0; k < 500; k++) {
        double square = 0;
        fy_ridge_whiten(ridge, 0, probe, white);
        for (int i = 0; i < basis->max_dim; i++)
            square += white[i] * white[i];
        assert_true(square <= before * (1 + 1e-12));
        before = square;
        for (int i = 0; i < basis->max_dim; i++)
            x[i] = draw(1, &count) - 0.5;
        fy_ridge_update(ridge, 0, x, 0.0, 1.0);
    }
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_do_not_matter),
        cmocka_unit_test(scale_does_not_matter),
        cmocka_unit_test(more_data_never_raises_a_bonus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
