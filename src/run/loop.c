/* loop.c - exploring: play, record, save now and then.
 *
 *   for k = 0, 1, ...
 *     where the trace is due a point: bound for all rewards; stop if the target is met
 *     play an episode (foray_explorer_play), record it
 *     every half second or so: save, tell how it goes
 *
 * A trajectory depends on (seed, episode, step) and the actions alone, points
 * of the trace are due at fixed k, and nothing here depends on the clock but
 * when to save: an interrupted run continues as if nothing had happened. No
 * memory is allocated but by SQLite and for checkpoints.
 *
 * Targets are rewards that a run explores for until each of them is certified. They are kept as
 * texts beside the settings, so that a resumed run stops where it would have. */
#include "explore/play.h"
#include "world/world.h"
#include "run/run.h"
#include "policy/policy.h"
#include "reward/reward.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------- episodes played ahead */

/* Episodes that several worlds play at once, with the bits of one after the other.
 *
 * Between two plans an explorer follows one table of actions, and what happens in an episode
 * depends on (seed, episode, step) and the actions alone. So workers, each with a world and a
 * thread of its own, play the episodes to come while the explorer learns from those that ended,
 * in order. After a new plan, those in which it would have acted otherwise are discarded. */

typedef struct episodes_ahead episodes_ahead;

/* Slots for each worker, so that none waits while the explorer computes; and most bytes of all. */
enum { SLOTS = 8 };
static const int64_t max_bytes = (int64_t)64 << 20;

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
    episodes_ahead *ahead;
    int64_t index;
    foray_world *world;
    pthread_t thread;
    bool started;
} worker;

struct episodes_ahead {
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

static slot *slot_of(const episodes_ahead *ahead, int64_t episode)
{
    return &ahead->slot[episode % ahead->window];
}

/* ------------------------------------------------------------------- a worker */

static int64_t action_at(const episodes_ahead *ahead, int64_t episode, int64_t t, int64_t outside)
{
    const foray_explorer *explorer = ahead->explorer;
    int64_t state = fy_inside(explorer->model, outside);
    if (!ahead->table)
        return explorer->ops->unplanned(explorer, episode, t, state);
    int32_t action = ahead->table[t * explorer->model->states + state];
    return action >= 0 ? action : fy_random_action_in(explorer, episode, t, state);
}

/* Has the model the state, and can it be reached? */
static bool is_possible(const foray_explorer *explorer, int64_t state)
{
    return state >= 0 && state < explorer->whole->states && fy_inside(explorer->model, state) >= 0;
}

/* One episode; false: the plan changed meanwhile. An impossible state ends it: the explorer will
 * say so. */
static bool play(const worker *w, int64_t episode, slot *s)
{
    const episodes_ahead *ahead = w->ahead;
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
        if (t == model->horizon || s->ended || s->cut || !is_possible(ahead->explorer, state))
            return true;
        if (__atomic_load_n(&ahead->abandon, __ATOMIC_RELAXED))
            return false;
        s->actions[t] = (int32_t)action_at(ahead, episode, t, state);
        draw.step = (uint32_t)t + 1;
        status = foray_world_step(w->world, &draw, state, s->actions[t], &s->states[t + 1]);
        s->ended = status == FORAY_OK && model->unstructured && fy_world_ended(w->world);
        s->cut = status == FORAY_OK && fy_world_was_cut(w->world);
    }
    s->failed = w->index;
    s->how = fy_status_of_world(status);
    return true;
}

/* The next episode to be played, or -1: there is none for now. */
static int64_t claim(episodes_ahead *ahead)
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
    episodes_ahead *ahead = w->ahead;
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

static bool agrees(const episodes_ahead *ahead, const slot *s, int64_t episode)
{
    int64_t acted = s->failed < 0 ? s->answers - 1 : s->answers;
    for (int64_t t = 0; t < acted; t++)
        if (s->actions[t] != action_at(ahead, episode, t, s->states[t]))
            return false;
    return true;
}

/* The actions of the explorer's plan, and only episodes that follow them. */
static void take_plan(episodes_ahead *ahead)
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
static void follow_explorer(episodes_ahead *ahead)
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

static foray_status failed(episodes_ahead *ahead, const slot *s)
{
    const foray_context *ctx = fy_world_context(ahead->worker[s->failed].world);
    if (ctx != ahead->explorer->ctx)
        fy_message_set(ahead->explorer->ctx, "%s", foray_message(ctx));
    return s->how;
}

/* Waits for the episode. */
static foray_status answer_reset(void *self, const foray_draw *draw, int64_t *state)
{
    episodes_ahead *ahead = self;
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
    episodes_ahead *ahead = self;
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
    return ((const episodes_ahead *)self)->ended;
}

static bool answer_cut(void *self)
{
    return ((const episodes_ahead *)self)->cut;
}

static const char *answer_message(void *self)
{
    return foray_message(((const episodes_ahead *)self)->explorer->ctx);
}

/* --------------------------------------------------------------- create, play */

/* Memory for everything but the threads. */
static foray_status create_slots(episodes_ahead *ahead)
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
    if (ahead->window > max_bytes / each)
        ahead->window = max_bytes / each;
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

static foray_status start_workers(episodes_ahead *ahead, foray_world *const *worlds)
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

/* Starts a thread for each world. Episodes from `budget` on are not played. The explorer and the
 * worlds must outlive it, and only play_from_ahead may use them meanwhile. */
/* Also of one that was created half-way. */
static int64_t end_ahead(episodes_ahead *ahead)
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

static foray_status create_ahead(foray_explorer *explorer, int64_t workers,
                                 foray_world *const *worlds, int64_t budget, episodes_ahead **out)
{
    episodes_ahead *ahead;
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
        (void)end_ahead(ahead);
    return status;
}

/* What foray_explorer_play does, from what was played ahead. */
static foray_status play_from_ahead(episodes_ahead *ahead, int32_t *states, int32_t *actions)
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

/* --------------------------------------------------------------------------- the loop */

/* Exploring: play, record, save now and then.
 *
 *   for k = 0, 1, ...
 *     where the trace is due a point: bound for all rewards; stop if the target is met
 *     play an episode (foray_explorer_play), record it
 *     every half second or so: save, tell how it goes
 *
 * A trajectory depends on (seed, episode, step) and the actions alone, points
 * of the trace are due at fixed k, and nothing here depends on the clock but
 * when to save: an interrupted run continues as if nothing had happened. No
 * memory is allocated but by SQLite and for checkpoints.
 *
 * Targets are rewards that a run explores for until each of them is certified. They are kept as
 * texts beside the settings, so that a resumed run stops where it would have. */

static const fy_aim *last_aim(const foray_run *run)
{
    static const fy_aim none = {.until = -1};
    return run->aims > 0 ? &run->aim[run->aims - 1] : &none;
}

int64_t fy_run_targets(const foray_run *run)
{
    return last_aim(run)->targets;
}

const foray_reward *fy_run_target(const foray_run *run, int64_t index)
{
    const fy_aim *aim = last_aim(run);
    return index >= 0 && index < aim->targets ? aim->target[index] : NULL;
}

static void close_aim(fy_aim *aim)
{
    for (int64_t i = 0; aim->target && i < aim->targets; i++)
        foray_reward_destroy(aim->target[i]);
    free(aim->target);
    *aim = (fy_aim){0};
}

void fy_run_close_targets(foray_run *run)
{
    for (int64_t i = 0; i < run->aims; i++)
        close_aim(&run->aim[i]);
    free(run->aim);
    run->aim = NULL;
    run->aims = run->hardest = 0;
}

/* What an explorer does depends on the targets there were at the time. */
foray_status fy_run_aim(foray_run *run, foray_explorer *explorer)
{
    int64_t i = run->aims - 1;
    while (i >= 0 && run->aim[i].after > explorer->episodes)
        i--;
    if (i < 0)
        return FORAY_OK;
    const fy_aim *aim = &run->aim[i];
    explorer->stale |= explorer->ops->steers && aim->after == explorer->episodes;
    return fy_explorer_set_targets(explorer, aim->targets, (const foray_reward *const *)aim->target,
                                   fmax(0, aim->until));
}

/* ----------------------------------------------------------------- the file
 *
 * targets       how often they were set
 * aim_I         after how many episodes, what is to be met, and how many rewards there are
 * target_I_J    each of them */

static foray_status put_target(foray_run *run, int64_t i, int64_t j, const foray_reward *reward)
{
    char *text, name[64];
    foray_status status = foray_reward_print(run->ctx, reward, &text, NULL);
    if (status != FORAY_OK)
        return status;
    fy_format(name, sizeof name, "target_%" PRId64 "_%" PRId64, i, j);
    status = fy_store_put_meta(run->store, name, text);
    free(text);
    return status;
}

static foray_status put_aim(foray_run *run, int64_t i, const fy_aim *aim)
{
    char text[128], name[64], until[FY_NUMBER_BYTES];
    fy_format(text, sizeof text, "%" PRId64, i + 1);
    foray_status status = fy_store_put_meta(run->store, "targets", text);
    fy_format(name, sizeof name, "aim_%" PRId64, i);
    fy_format(text, sizeof text, "%" PRId64 " %s %" PRId64, aim->after,
              fy_number_text(aim->until, until), aim->targets);
    if (status == FORAY_OK)
        status = fy_store_put_meta(run->store, name, text);
    for (int64_t j = 0; j < aim->targets && status == FORAY_OK; j++)
        status = put_target(run, i, j, aim->target[j]);
    return status;
}

static foray_status store_aim(foray_run *run, int64_t i, const fy_aim *aim)
{
    foray_status status = fy_run_commit(run, false); /* the episodes it comes after */
    if (status == FORAY_OK)
        status = fy_store_begin(run->store, true);
    if (status != FORAY_OK)
        return status;
    status = put_aim(run, i, aim);
    if (status == FORAY_OK)
        return fy_store_commit(run->store, &run->store->head);
    fy_store_rollback(run->store);
    return status;
}

static foray_status load_target(foray_run *run, int64_t i, int64_t j, foray_reward **out)
{
    char *text, name[64];
    fy_format(name, sizeof name, "target_%" PRId64 "_%" PRId64, i, j);
    foray_status status = fy_store_get_meta(run->store, name, &text);
    if (status != FORAY_OK)
        return status;
    status = foray_reward_parse(run->ctx, run->model, text, strlen(text), run->store->path, out);
    free(text);
    bool sense = status != FORAY_ERROR_INPUT && status != FORAY_ERROR_USAGE;
    return sense ? status : FORAY_ERROR_RUN;
}

/* "AFTER UNTIL COUNT"; each reward has a text of its own, of which there are `texts`. */
static bool read_aim(const char *text, int64_t texts, fy_aim *out)
{
    const char *until = strchr(text, ' '), *count = until ? strchr(until + 1, ' ') : NULL;
    return count && fy_integer_read(text, (size_t)(until - text), &out->after) &&
           fy_number_read(until + 1, (size_t)(count - until - 1), &out->until) &&
           fy_integer_read(count + 1, strlen(count + 1), &out->targets) && out->after >= 0 &&
           out->targets >= 0 && out->targets < texts;
}

static foray_status load_aim(foray_run *run, int64_t i, int64_t texts)
{
    char *text, name[64];
    fy_aim *aim = &run->aim[i];
    fy_format(name, sizeof name, "aim_%" PRId64, i);
    foray_status status = fy_store_get_meta(run->store, name, &text);
    if (status != FORAY_OK)
        return status;
    bool read = read_aim(text, texts, aim) && (i == 0 || aim->after > aim[-1].after);
    free(text);
    if (!read) {
        *aim = (fy_aim){0};
        return fy_store_damaged(run->store, "what it explored for is impossible");
    }
    if (aim->targets > 0 && !FY_ALLOC(run->ctx, aim->target, aim->targets))
        return FORAY_ERROR_MEMORY;
    for (int64_t j = 0; j < aim->targets && status == FORAY_OK; j++)
        status = load_target(run, i, j, &aim->target[j]);
    return status;
}

foray_status fy_run_load_targets(foray_run *run)
{
    char *text;
    int64_t count = 0, texts = 0;
    foray_status status = fy_store_number(run->store, "SELECT ifnull(sum(1), 0) FROM meta", &texts);
    if (status == FORAY_OK)
        status = fy_store_get_meta(run->store, "targets", &text);
    if (status != FORAY_OK)
        return status;
    bool read = fy_integer_read(text, strlen(text), &count) && count >= 0 && count < texts;
    free(text);
    if (!read)
        return fy_store_damaged(run->store, "the number of its targets is impossible");
    if (count > 0 && !FY_ALLOC(run->ctx, run->aim, count))
        return FORAY_ERROR_MEMORY;
    run->aims = count;
    for (int64_t i = 0; i < count && status == FORAY_OK; i++)
        status = load_aim(run, i, texts);
    return status;
}

/* ---------------------------------------------------------------- changing */

static foray_status copy_aim(foray_run *run, double until, int64_t count,
                             const foray_reward *const *rewards, fy_aim *out)
{
    *out = (fy_aim){.after = run->explorer->episodes, .until = until};
    if (count > 0 && !FY_ALLOC(run->ctx, out->target, count))
        return FORAY_ERROR_MEMORY;
    foray_status status = FORAY_OK;
    for (; out->targets < count && status == FORAY_OK; out->targets += status == FORAY_OK)
        status = fy_reward_copy(run->ctx, rewards[out->targets], &out->target[out->targets]);
    if (status != FORAY_OK)
        close_aim(out);
    return status;
}

/* Room for one more. */
static bool grow_aims(foray_run *run)
{
    fy_aim *grown = fy_resize(run->ctx, run->aim, (size_t)run->aims + 1, sizeof *grown);
    if (grown)
        run->aim = grown;
    return grown;
}

foray_status fy_run_put_aim(foray_run *run, double until, int64_t count,
                            const foray_reward *const *rewards)
{
    fy_aim aim;
    bool replaces = run->aims > 0 && last_aim(run)->after == run->explorer->episodes;
    int64_t at = replaces ? run->aims - 1 : run->aims;
    foray_status status = copy_aim(run, until, count, rewards, &aim);
    if (status != FORAY_OK)
        return status;
    status = replaces || grow_aims(run) ? store_aim(run, at, &aim) : FORAY_ERROR_MEMORY;
    if (status != FORAY_OK) {
        close_aim(&aim);
        return status;
    }
    if (replaces)
        close_aim(&run->aim[at]);
    run->aim[at] = aim;
    run->aims = at + 1;
    run->hardest = 0;
    return fy_run_aim(run, run->explorer);
}

foray_status foray_run_set_targets(foray_run *run, int64_t count,
                                   const foray_reward *const *rewards)
{
    fy_certifier *sets;
    foray_status status = fy_run_writable(run);
    if (status == FORAY_OK && count > 0 &&
        !run->model->unstructured) /* which has sets of its own */
        status = fy_explorer_need_sets(run->explorer, &sets);
    for (int64_t i = 0; i < count && status == FORAY_OK; i++)
        status = fy_reward_check(run->ctx, rewards[i], run->model);
    if (status == FORAY_OK)
        status = fy_run_put_aim(run, run->settings.until, count, rewards);
    if (status == FORAY_OK)
        run->measure_now = run->explorer->episodes > 0;
    return status;
}

/* ---------------------------------------------------------------- stopping */

/* How far a target is: not there, reached by a number that proves nothing, or met. */
typedef enum target { TARGET_OPEN, TARGET_REACHED, TARGET_MET } target;

/* At most `until`; 0 means up to rounding. */
static bool low_enough(const foray_run *run, double gap, double max)
{
    return gap <= run->settings.until ||
           (run->settings.until == 0 && fy_certificate_small(gap, max));
}

/* A proof meets the target. Numbers of other kinds only reach it, and those of a model that the
 * data refute mean nothing. */
static target target_of(const foray_run *run, const foray_certificate *certificate, double max)
{
    if (!low_enough(run, certificate->gap, max) || certificate->status == FORAY_REFUTED)
        return TARGET_OPEN;
    return fy_certificate_proves(certificate) ? TARGET_MET : TARGET_REACHED;
}

/* The least of all. The one that was not met last comes first: while there is one, the others need
 * no look. */
static foray_status check_rewards(foray_run *run, target *out)
{
    const fy_aim *aim = last_aim(run);
    target min = TARGET_MET;
    for (int64_t i = 0; i < aim->targets && min != TARGET_OPEN; i++) {
        int64_t at = (run->hardest + i) % aim->targets;
        const foray_reward *const rewards[] = {aim->target[at]};
        foray_policy *policy;
        foray_status status = foray_explorer_plan(run->explorer, 1, rewards, FORAY_PLUGIN, &policy);
        if (status != FORAY_OK)
            return status;
        fy_reward_unit unit = fy_reward_unit_of(aim->target[at]);
        target one = target_of(run, &policy->certificate, fabs(unit.slope) * unit.max);
        foray_policy_destroy(policy);
        run->hardest = at;
        min = one < min ? one : min;
    }
    *out = min;
    return FORAY_OK;
}

/* Only where the trace has a point; elsewhere it is open. */
static foray_status check_target(foray_run *run, target *out)
{
    *out = TARGET_OPEN;
    if (run->settings.until < 0 || run->last.episodes != run->explorer->episodes)
        return FORAY_OK;
    if (last_aim(run)->targets > 0)
        return check_rewards(run, out);
    /* The trace knows numbers alone: what the last one is worth is asked for where it matters. */
    foray_certificate bound;
    double max = (double)run->model->horizon;
    if (!low_enough(run, run->last.bound, max))
        return FORAY_OK;
    foray_status status = foray_explorer_bound(run->explorer, FORAY_KIND_PAIR, &bound);
    if (status == FORAY_OK)
        *out = target_of(run, &bound, max);
    return status;
}

typedef struct loop {
    foray_run *run;
    foray_world *world;
    episodes_ahead *ahead; /* several worlds at once; NULL: `world` alone */
    int64_t workers, discarded;
    foray_progress_fn progress;
    void *user;
    int64_t next_point;
    bool stopped;
    /* Clocks are read every `stride` episodes: often enough to be prompt in
     * slow worlds, rarely enough to cost nothing in fast ones. */
    double started, looked, committed, reported;
    int64_t stride, until_look;
} loop;

static const double report_gap_seconds = 0.1;
static const double look_gap_seconds = 0.01;
enum { MAX_STRIDE = 64 };

/* ------------------------------------------------------------------- trace */

/* Where the trace has points: each n is about a tenth (with a target to stop
 * at), or a half, above the one before. The first such n >= k. */
int64_t fy_run_next_point(int64_t k, bool dense)
{
    int64_t n = 1;
    while (n < k) {
        int64_t gap = dense ? n / 10 : n / 2;
        n += gap > 0 ? gap : 1;
    }
    return n;
}

/* The bound for all rewards, where the trace is due a point. */
static foray_status measure_if_due(loop *l)
{
    foray_run *run = l->run;
    int64_t k = run->explorer->episodes;
    if (k < l->next_point && k < run->settings.episodes && !run->measure_now)
        return FORAY_OK;
    l->next_point = fy_run_next_point(k + 1, run->settings.until >= 0.0);
    run->measure_now = false;
    return run->last.episodes != k ? fy_run_measure(run) : FORAY_OK;
}

/* ------------------------------------------------------------------ clocks */

static void report(loop *l, double now)
{
    if (!l->progress)
        return;
    const foray_run *run = l->run;
    foray_progress progress = {.episodes = run->explorer->episodes,
                               .saved = run->store->head.episodes,
                               .budget = run->settings.episodes,
                               .plans = run->explorer->plans,
                               .bound = run->last.bound,
                               .seconds = now - l->started,
                               .workers = l->workers,
                               .discarded = l->discarded};
    l->reported = now;
    l->stopped = !l->progress(l->user, &progress);
}

static foray_status look_at_clock(loop *l)
{
    if (--l->until_look > 0)
        return FORAY_OK;
    /* Doubles or halves the stride towards a look every 10 ms. */
    double now = fy_clock(), took = now - l->looked;
    if (took < look_gap_seconds / 2 && l->stride < MAX_STRIDE)
        l->stride *= 2;
    else if (took > look_gap_seconds * 2 && l->stride > 1)
        l->stride /= 2;
    l->looked = now;
    l->until_look = l->stride;
    bool commit = now - l->committed >= l->run->commit_gap;
    if (commit) {
        foray_status status = fy_run_commit(l->run, fy_run_checkpoint_due(l->run));
        if (status != FORAY_OK)
            return status;
        now = l->committed = fy_clock();
    }
    if (commit || now - l->reported >= report_gap_seconds)
        report(l, now);
    return FORAY_OK;
}

/* -------------------------------------------------------------------- loop */

static foray_status explore(loop *l)
{
    foray_run *run = l->run;
    while (!l->stopped) {
        foray_status status = measure_if_due(l);
        run->spoilt |= status == FORAY_INTERRUPTED; /* the bound may have left half its work */
        if (status != FORAY_OK)
            return status;
        target reached;
        status = check_target(run, &reached);
        if (status != FORAY_OK || reached == TARGET_MET)
            return status;
        if (reached == TARGET_REACHED) /* no data make a proof of it */
            return FORAY_TARGET_UNPROVED;
        if (run->explorer->episodes >= run->settings.episodes)
            return run->settings.until >= 0.0 ? FORAY_TARGET_MISSED : FORAY_OK;
        status = l->ahead ? play_from_ahead(l->ahead, run->states, run->actions)
                          : foray_explorer_play(run->explorer, l->world, run->states, run->actions);
        run->spoilt = status != FORAY_OK && run->explorer->step >= 0;
        if (status == FORAY_OK)
            status = fy_run_append(run, run->states, run->actions);
        if (status == FORAY_OK)
            status = look_at_clock(l);
        if (status != FORAY_OK)
            return status;
    }
    return FORAY_INTERRUPTED;
}

/* What ended is saved, whatever happened; the first message stays. */
static foray_status save_what_ended(loop *l, foray_status outcome)
{
    foray_context *ctx = l->run->ctx;
    if (outcome == FORAY_ERROR_IO || outcome == FORAY_ERROR_RUN)
        return outcome;
    char message[sizeof ctx->message];
    memcpy(message, ctx->message, sizeof message);
    foray_status saved = fy_run_commit(l->run, true);
    if (saved == FORAY_OK && outcome >= 0)
        saved = fy_store_merge_log(l->run->store);
    if (outcome < 0)
        memcpy(ctx->message, message, sizeof message);
    else if (saved != FORAY_OK)
        return saved;
    if (outcome >= 0)
        report(l, fy_clock());
    return outcome;
}

/* With a thread for each of several worlds, where the algorithm allows it. */
static foray_status explore_with(loop *l, int64_t workers, foray_world *const *worlds)
{
    foray_run *run = l->run;
    foray_status status = FORAY_OK;
    if (workers > 1 && fy_explorer_ahead(run->explorer) == FY_AHEAD_PLAYS) {
        l->workers = workers;
        status = create_ahead(run->explorer, workers, worlds, run->settings.episodes, &l->ahead);
    }
    if (status == FORAY_OK)
        status = explore(l);
    if (l->ahead)
        l->discarded = end_ahead(l->ahead);
    return status;
}

/* Can the run go on from here? */
static foray_status check_explorable(foray_run *run, int64_t workers)
{
    foray_status status = fy_run_writable(run);
    if (status == FORAY_OK && workers < 1)
        status =
            fy_fail(run->ctx, FORAY_ERROR_USAGE, "%" PRId64 " workers cannot explore", workers);
    if (status != FORAY_OK)
        return status;
    if (run->codec.recorded)
        return fy_fail(run->ctx, FORAY_ERROR_USAGE,
                       "%s: learnt from recorded data, and cannot go on exploring; more data are "
                       "added by 'foray learn --append'",
                       run->store->path);
    if (run->explorer->step >= 0 || run->explorer->episodes != fy_run_recorded(run))
        return fy_fail(run->ctx, FORAY_ERROR_USAGE,
                       "%s: end and record the current episode before exploring further",
                       run->store->path);
    return FORAY_OK;
}

foray_status foray_run_explore(foray_run *run, int64_t workers, foray_world *const *worlds,
                               foray_progress_fn progress, void *user)
{
    foray_status status = check_explorable(run, workers);
    if (status != FORAY_OK)
        return status;
    double now = fy_clock();
    loop l = {.run = run,
              .world = worlds[0],
              .workers = 1,
              .progress = progress,
              .user = user,
              .next_point = fy_run_next_point(run->explorer->episodes, run->settings.until >= 0.0),
              .started = now,
              .looked = now,
              .committed = now,
              .reported = now,
              .stride = 1,
              .until_look = 1};
    if (!fy_world_is_of_model(l.world) && run->source == FY_SOURCE_MODEL)
        run->source = FY_SOURCE_OTHER;
    status = fy_play_meet(run->explorer, l.world);
    if (status == FORAY_OK)
        status = fy_run_meet(run);
    if (status != FORAY_OK)
        return status;
    return save_what_ended(&l, explore_with(&l, workers, worlds));
}
