/* ahead.c - see ahead.h.
 *
 *   a worker:      take the next episode, play it by the table, put it into its slot
 *   the explorer:  begin; after a new plan, take its actions and throw away what disagrees;
 *                  wait for the episode's slot; act, observe, end, as if a world answered
 *
 * The slots are a ring: episode k has slot k mod `window`. The table changes only while no worker
 * plays, so that workers read it without the lock. */
#include "run/ahead.h"
#include "explore/play.h"
#include "world/world.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Slots for each worker, so that none waits while the explorer computes; and most bytes of all. */
enum { SLOTS = 8 };
static const int64_t most_bytes = (int64_t)64 << 20;

typedef enum slot_state { SLOT_EMPTY, SLOT_PLAYING, SLOT_PLAYED } slot_state;

typedef struct slot {
    slot_state state;
    int64_t answers; /* of the world: s_0, s_1, ... */
    int64_t failed;  /* the worker whose world then failed; -1: none */
    foray_status how;
    bool ended, cut; /* the last answer is absorbing; the episode was cut off after it */
    int64_t *states; /* [horizon+1] */
    int32_t *actions;
} slot;

typedef struct worker {
    fy_ahead *ahead;
    int64_t index;
    foray_world *world;
    pthread_t thread;
    bool started;
} worker;

struct fy_ahead {
    fy_arena arena;
    foray_explorer *explorer;
    foray_world *answers; /* the world that answers what was played */
    bool ended, cut;      /* its last answer is absorbing; the episode was cut off after it */
    worker *worker;
    int64_t workers, budget;
    slot *slot;
    int64_t window;
    int32_t *table; /* [horizon][states] what workers follow; NULL: ops->unplanned */

    pthread_mutex_t lock; /* of all below, and of the states of slots */
    pthread_cond_t work, done;
    int64_t plans;     /* of the explorer when it made the table; -1: there is none yet */
    int64_t first;     /* the episode that the explorer is in, or will begin next */
    int64_t next;      /* no slot before this one is empty */
    int64_t limit;     /* from this episode on there will be another plan for certain */
    int64_t playing;   /* workers that are in an episode */
    int64_t discarded; /* episodes played in vain */
    bool abandon;      /* the table is about to change */
    bool quit;
};

static slot *slot_of(const fy_ahead *ahead, int64_t episode)
{
    return &ahead->slot[episode % ahead->window];
}

/* ------------------------------------------------------------------- a worker */

static int64_t action_at(const fy_ahead *ahead, int64_t episode, int64_t t, int64_t state)
{
    const foray_explorer *explorer = ahead->explorer;
    if (!ahead->table)
        return explorer->ops->unplanned(explorer, episode, t, state);
    int32_t action = ahead->table[t * explorer->model->states + state];
    return action >= 0 ? action : fy_random_action_in(explorer, episode, t, state);
}

/* One episode; false: the plan changed meanwhile. A state that the model does not have ends it:
 * the explorer will say so. */
static bool play(const worker *w, int64_t episode, slot *s)
{
    const fy_ahead *ahead = w->ahead;
    const foray_model *model = ahead->explorer->model;
    foray_draw draw = {.seed = (uint64_t)ahead->explorer->settings.seed,
                       .episode = (uint64_t)episode};
    s->answers = 0;
    s->failed = -1;
    s->ended = s->cut = false;
    foray_status status = foray_world_reset(w->world, &draw, &s->states[0]);
    for (int64_t t = 0; status == FORAY_OK; t++) {
        int64_t state = s->states[t];
        s->answers = t + 1;
        if (t == model->horizon || state < 0 || state >= model->states || s->ended || s->cut)
            return true;
        if (__atomic_load_n(&ahead->abandon, __ATOMIC_RELAXED))
            return false;
        s->actions[t] = (int32_t)action_at(ahead, episode, t, state);
        draw.step = (uint32_t)t + 1;
        status = foray_world_step(w->world, &draw, state, s->actions[t], &s->states[t + 1]);
        s->ended = status == FORAY_OK && model->open && fy_world_ended(w->world);
        s->cut = status == FORAY_OK && fy_world_was_cut(w->world);
    }
    s->failed = w->index;
    s->how = fy_status_of_world(status);
    return true;
}

/* The next episode to be played, or -1: there is none for now. */
static int64_t claim(fy_ahead *ahead)
{
    int64_t end = ahead->first + ahead->window;
    if (end > ahead->limit)
        end = ahead->limit;
    if (end > ahead->budget)
        end = ahead->budget;
    if (ahead->next < ahead->first)
        ahead->next = ahead->first;
    while (ahead->next < end && slot_of(ahead, ahead->next)->state != SLOT_EMPTY)
        ahead->next++;
    return ahead->abandon || ahead->next >= end ? -1 : ahead->next++;
}

/* A world that failed goes on being asked: what failed in an episode that is discarded away need
 * not fail in the run. One that was given up fails at once in the next, which ends the run. */
static void *work(void *self)
{
    const worker *w = self;
    fy_ahead *ahead = w->ahead;
    pthread_mutex_lock(&ahead->lock);
    while (!ahead->quit) {
        int64_t episode = claim(ahead);
        if (episode < 0) {
            pthread_cond_wait(&ahead->work, &ahead->lock);
            continue;
        }
        slot *s = slot_of(ahead, episode);
        s->state = SLOT_PLAYING;
        ahead->playing++;
        pthread_mutex_unlock(&ahead->lock);
        bool played = play(w, episode, s);
        pthread_mutex_lock(&ahead->lock);
        ahead->playing--;
        ahead->discarded += !played;
        s->state = played ? SLOT_PLAYED : SLOT_EMPTY;
        pthread_cond_signal(&ahead->done);
    }
    pthread_mutex_unlock(&ahead->lock);
    return NULL;
}

/* --------------------------------------------------------------- the new plan */

static bool agrees(const fy_ahead *ahead, const slot *s, int64_t episode)
{
    int64_t acted = s->failed < 0 ? s->answers - 1 : s->answers;
    for (int64_t t = 0; t < acted; t++)
        if (s->actions[t] != action_at(ahead, episode, t, s->states[t]))
            return false;
    return true;
}

/* The actions of the explorer's plan, and only episodes that follow them. */
static void take_plan(fy_ahead *ahead)
{
    const foray_explorer *explorer = ahead->explorer;
    __atomic_store_n(&ahead->abandon, true, __ATOMIC_RELAXED);
    while (ahead->playing > 0)
        pthread_cond_wait(&ahead->done, &ahead->lock);
    if (explorer->ops->follow_all)
        explorer->ops->follow_all(explorer, ahead->table);
    else
        memcpy(ahead->table, explorer->followed,
               (size_t)fy_policy_entries(explorer->model) * sizeof *ahead->table);
    for (int64_t k = ahead->first; k < ahead->first + ahead->window; k++) {
        slot *s = slot_of(ahead, k);
        if (s->state != SLOT_PLAYED || agrees(ahead, s, k))
            continue;
        s->state = SLOT_EMPTY;
        ahead->discarded++;
    }
    ahead->next = ahead->first;
    ahead->plans = explorer->plans;
    __atomic_store_n(&ahead->abandon, false, __ATOMIC_RELAXED);
}

/* Whenever the explorer has begun or ended an episode. */
static void follow_explorer(fy_ahead *ahead)
{
    const foray_explorer *explorer = ahead->explorer;
    pthread_mutex_lock(&ahead->lock);
    if (ahead->first != explorer->episodes) {
        slot_of(ahead, ahead->first)->state = SLOT_EMPTY;
        ahead->first = explorer->episodes;
    }
    if (ahead->table && ahead->plans != explorer->plans)
        take_plan(ahead);
    ahead->limit = ahead->table ? fy_explorer_plan_lasts(explorer) : INT64_MAX;
    pthread_cond_broadcast(&ahead->work);
    pthread_mutex_unlock(&ahead->lock);
}

/* ------------------------------------------------- the world of what was played */

static foray_status failed(fy_ahead *ahead, const slot *s)
{
    const foray_context *ctx = fy_world_context(ahead->worker[s->failed].world);
    if (ctx != ahead->explorer->ctx)
        fy_say(ahead->explorer->ctx, "%s", foray_message(ctx));
    return s->how;
}

/* Waits for the episode. */
static foray_status answer_reset(void *self, const foray_draw *draw, int64_t *state)
{
    fy_ahead *ahead = self;
    const slot *s = slot_of(ahead, (int64_t)draw->episode);
    pthread_mutex_lock(&ahead->lock);
    while (s->state != SLOT_PLAYED)
        pthread_cond_wait(&ahead->done, &ahead->lock);
    pthread_mutex_unlock(&ahead->lock);
    if (s->answers == 0)
        return failed(ahead, s);
    *state = s->states[0];
    return FORAY_OK;
}

static foray_status answer_step(void *self, const foray_draw *draw, int64_t state, int64_t action,
                                int64_t *next)
{
    fy_ahead *ahead = self;
    const slot *s = slot_of(ahead, (int64_t)draw->episode);
    int64_t t = (int64_t)draw->step - 1;
    if (s->states[t] != state || s->actions[t] != action)
        return fy_fail(ahead->explorer->ctx, FORAY_ERROR_WORLD,
                       "episode %" PRIu64 " was played with other actions than those of %s",
                       draw->episode, ahead->explorer->ops->name);
    if (t + 1 >= s->answers)
        return failed(ahead, s);
    *next = s->states[t + 1];
    ahead->ended = s->ended && t + 2 == s->answers;
    ahead->cut = s->cut && t + 2 == s->answers;
    return FORAY_OK;
}

static bool answer_ended(void *self)
{
    return ((const fy_ahead *)self)->ended;
}

static bool answer_cut(void *self)
{
    return ((const fy_ahead *)self)->cut;
}

static const char *answer_message(void *self)
{
    return foray_message(((const fy_ahead *)self)->explorer->ctx);
}

/* --------------------------------------------------------------- create, play */

/* Memory for everything but the threads. */
static foray_status create_slots(fy_ahead *ahead)
{
    static const foray_world_ops ops = {.size = sizeof ops,
                                        .reset = answer_reset,
                                        .step = answer_step,
                                        .message = answer_message,
                                        .ended = answer_ended,
                                        .cut = answer_cut};
    foray_context *ctx = ahead->explorer->ctx;
    const foray_model *model = ahead->explorer->model;
    int64_t each = (model->horizon + 1) * (int64_t)(sizeof(int64_t) + sizeof(int32_t));
    ahead->window = SLOTS * ahead->workers;
    if (ahead->window > most_bytes / each)
        ahead->window = most_bytes / each;
    if (ahead->window < ahead->workers)
        ahead->window = ahead->workers;
    if (!FY_NEW(&ahead->arena, ahead->slot, ahead->window) ||
        !FY_NEW(&ahead->arena, ahead->worker, ahead->workers) ||
        (!ahead->explorer->ops->unplanned &&
         !FY_NEW(&ahead->arena, ahead->table, fy_policy_entries(model))))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < ahead->window; i++)
        if (!FY_NEW(&ahead->arena, ahead->slot[i].states, model->horizon + 1) ||
            !FY_NEW(&ahead->arena, ahead->slot[i].actions, model->horizon))
            return FORAY_ERROR_MEMORY;
    return foray_world_create(ctx, &ops, ahead, &ahead->answers);
}

static foray_status start_workers(fy_ahead *ahead, foray_world *const *worlds)
{
    for (int64_t i = 0; i < ahead->workers; i++) {
        worker *w = &ahead->worker[i];
        *w = (worker){.ahead = ahead, .index = i, .world = worlds[i]};
        w->started = pthread_create(&w->thread, NULL, work, w) == 0;
        if (!w->started)
            return fy_fail(ahead->explorer->ctx, FORAY_ERROR_MEMORY,
                           "a thread for worker %" PRId64 " cannot be started", i);
    }
    return FORAY_OK;
}

foray_status fy_ahead_create(foray_explorer *explorer, int64_t workers, foray_world *const *worlds,
                             int64_t budget, fy_ahead **out)
{
    fy_ahead *ahead;
    if (!FY_ALLOC(explorer->ctx, ahead, 1))
        return FORAY_ERROR_MEMORY;
    ahead->arena.ctx = explorer->ctx;
    ahead->explorer = explorer;
    ahead->workers = workers;
    ahead->budget = budget;
    ahead->plans = -1;
    ahead->first = ahead->next = ahead->limit = explorer->episodes;
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->work, NULL);
    pthread_cond_init(&ahead->done, NULL);
    foray_status status = create_slots(ahead);
    if (status == FORAY_OK)
        status = start_workers(ahead, worlds);
    if (status == FORAY_OK)
        *out = ahead;
    else
        (void)fy_ahead_end(ahead);
    return status;
}

foray_status fy_ahead_play(fy_ahead *ahead, int32_t *states, int32_t *actions)
{
    foray_explorer *explorer = ahead->explorer;
    foray_draw draw = fy_play_draw(explorer);
    int64_t state;
    foray_status status = foray_explorer_begin(explorer);
    if (status != FORAY_OK)
        return status;
    follow_explorer(ahead);
    status = fy_play_reset(explorer, ahead->answers, &draw, &state);
    if (status == FORAY_OK)
        status = fy_play_steps(explorer, ahead->answers, draw, state, states, actions);
    if (status == FORAY_OK)
        follow_explorer(ahead);
    return status;
}

/* Also of one that was created half-way. */
int64_t fy_ahead_end(fy_ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    ahead->quit = true;
    __atomic_store_n(&ahead->abandon, true, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&ahead->work);
    pthread_mutex_unlock(&ahead->lock);
    for (int64_t i = 0; ahead->worker && i < ahead->workers; i++)
        if (ahead->worker[i].started)
            pthread_join(ahead->worker[i].thread, NULL);
    pthread_mutex_destroy(&ahead->lock);
    pthread_cond_destroy(&ahead->work);
    pthread_cond_destroy(&ahead->done);
    int64_t discarded = ahead->discarded;
    for (int64_t i = 0; ahead->slot && i < ahead->window; i++)
        discarded += ahead->slot[i].state == SLOT_PLAYED;
    foray_world_destroy(ahead->answers);
    fy_arena_release(&ahead->arena);
    free(ahead);
    return discarded;
}
