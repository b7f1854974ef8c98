/* test_whole.c - worlds that play whole episodes at once: every algorithm learns from them what it
 * learns step by step, to the last bit. */
#include "explore/explorer.h"
#include "oracle_truth.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char world_text[] = "chain:states=7,zones=2,horizon=6";

/* A model's world behind a table of our own. */
typedef struct played {
    foray_world *inside;
    int64_t episodes, steps; /* asked so far */
    int32_t first;           /* -1: as the world says */
    bool fails;
} played;

static foray_status reset(void *self, const foray_draw *draw, int64_t *state)
{
    played *p = self;
    return foray_world_reset(p->inside, draw, state);
}

static foray_status step(void *self, const foray_draw *draw, int64_t state, int64_t action,
                         int64_t *next)
{
    played *p = self;
    p->steps++;
    return foray_world_step(p->inside, draw, state, action, next);
}

static foray_status episode(void *self, const foray_draw *draw, int64_t horizon, int64_t states,
                            const int32_t *action, int32_t *state)
{
    played *p = self;
    foray_draw at = *draw;
    int64_t s, next;
    if (p->fails)
        return FORAY_ERROR_IO;
    p->episodes++;
    assert_int_equal(foray_world_reset(p->inside, &at, &s), FORAY_OK);
    state[0] = p->first < 0 ? (int32_t)s : p->first;
    for (int64_t t = 0; t < horizon; t++) {
        at.step = (uint32_t)t + 1;
        assert_int_equal(foray_world_step(p->inside, &at, s, action[t * states + s], &next),
                         FORAY_OK);
        state[t + 1] = (int32_t)(s = next);
    }
    return FORAY_OK;
}

static const char *why(void *self)
{
    (void)self;
    return "the lights went out";
}

typedef struct stage {
    foray_context *ctx;
    foray_model *model;
    foray_world *inside, *world;
    foray_explorer *explorer;
    played played;
} stage;

static void set_stage(stage *s, const char *algorithm)
{
    static const foray_world_ops ops = {
        .size = sizeof ops, .reset = reset, .step = step, .message = why, .episode = episode};
    foray_settings settings;
    foray_settings_default(&settings);
    snprintf(settings.algorithm, sizeof settings.algorithm, "%s", algorithm);
    settings.episodes = 200;
    *s = (stage){.ctx = foray_context_create(), .played.first = -1};
    support_ok(s->ctx, foray_model_builtin(s->ctx, world_text, &s->model));
    support_ok(s->ctx, foray_world_from_model(s->ctx, s->model, &s->inside));
    s->played.inside = s->inside;
    support_ok(s->ctx, foray_world_create(s->ctx, &ops, &s->played, &s->world));
    support_ok(s->ctx, truth_create(s->ctx, s->model, &settings, &s->explorer));
}

static void clear(stage *s)
{
    foray_explorer_destroy(s->explorer);
    foray_world_destroy(s->world);
    foray_world_destroy(s->inside);
    foray_model_destroy(s->model);
    foray_context_destroy(s->ctx);
}

enum { EPISODES = 200, HORIZON = 6 };

static void play_both(const char *algorithm, int64_t *whole)
{
    stage one, other;
    int32_t states[2 * HORIZON + 2], actions[HORIZON], others[2 * HORIZON + 2], acts[HORIZON];
    set_stage(&one, algorithm);
    set_stage(&other, algorithm);
    for (int64_t k = 0; k < EPISODES; k++) {
        support_ok(one.ctx, foray_explorer_play(one.explorer, one.world, states, actions));
        support_ok(other.ctx, foray_explorer_play(other.explorer, other.inside, others, acts));
        assert_memory_equal(actions, acts, sizeof acts);
        assert_memory_equal(states, others, (HORIZON + 1) * sizeof *others);
    }
    support_same_state(one.explorer, other.explorer);
    assert_int_equal(one.played.episodes, one.explorer->ops->follows ? EPISODES : 0);
    assert_int_equal(one.played.steps, one.explorer->ops->follows ? 0 : EPISODES * HORIZON);
    *whole += one.explorer->ops->follows;
    clear(&one);
    clear(&other);
}

static void same_bits_as_step_by_step(void **state)
{
    const char *algorithm;
    int64_t whole = 0;
    (void)state;
    for (int64_t i = 0; (algorithm = support_algorithm(i)); i++)
        if (strcmp(algorithm, "recorded") != 0)
            play_both(algorithm, &whole);
    assert_true(whole >= 7);
}

/* Without room for what happened there is nowhere to play an episode into. */
static void without_arrays_step_by_step(void **state)
{
    stage s;
    (void)state;
    set_stage(&s, "ucrl-rfe");
    support_ok(s.ctx, foray_explorer_play(s.explorer, s.world, NULL, NULL));
    assert_int_equal(s.played.episodes, 0);
    assert_int_equal(s.played.steps, HORIZON);
    clear(&s);
}

static void mistakes_are_told(void **state)
{
    int32_t states[HORIZON + 1], actions[HORIZON];
    stage s;
    (void)state;
    set_stage(&s, "ucrl-rfe");
    s.played.first = 6;
    assert_int_equal(foray_explorer_play(s.explorer, s.world, states, actions), FORAY_ERROR_WORLD);
    assert_non_null(strstr(foray_message(s.ctx), "started in state 6, which the model rules out"));
    clear(&s);
    set_stage(&s, "ucrl-rfe");
    s.played.fails = true;
    assert_int_equal(foray_explorer_play(s.explorer, s.world, states, actions), FORAY_ERROR_WORLD);
    assert_non_null(strstr(foray_message(s.ctx), "the lights went out"));
    clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_as_step_by_step),
        cmocka_unit_test(without_arrays_step_by_step),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
