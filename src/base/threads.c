/* threads.c - see threads.h: a team of threads, made when a context first shares work, that sleep
 * until there is more.
 *
 * Helpers enter a job and leave it under the lock, and take pieces from it by counting up `next`.
 * Who shares takes pieces too, closes the job once none is left, and waits for those who are
 * inside. Both look for a moment before they sleep: waking up takes longer than most steps of a
 * plan. */
#include "base/threads.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

struct fy_team {
    pthread_mutex_t lock; /* of all below but `next` */
    pthread_cond_t work, done;
    pid_t owner; /* the process that made it: a fork of it has none of its threads */
    pthread_t *helper;
    int helpers;
    bool quit;

    int64_t round; /* jobs so far */
    bool open;     /* may helpers enter the last one? */
    int wanted;    /* how many of them */
    int inside;    /* those who are */
    int64_t next, pieces;
    fy_piece *piece;
    void *job;
};

/* Some ten microseconds of looking. */
enum { LOOKS = 256 };

static void look_away(void)
{
#ifdef __SSE2__
    __builtin_ia32_pause();
#endif
}

static void take_pieces(fy_team *team, int thread)
{
    int64_t i;
    while ((i = __atomic_fetch_add(&team->next, 1, __ATOMIC_RELAXED)) < team->pieces)
        team->piece(team->job, i, thread);
}

/* ------------------------------------------------------------------------ helpers */

typedef struct recruit {
    fy_team *team;
    int thread; /* its number, from 1 */
} recruit;

/* Until there is a job after round `seen`. With the lock before and after, but not meanwhile. */
static void await_job(fy_team *team, int64_t seen)
{
    pthread_mutex_unlock(&team->lock);
    for (int i = 0; i < LOOKS && __atomic_load_n(&team->round, __ATOMIC_RELAXED) == seen; i++)
        look_away();
    pthread_mutex_lock(&team->lock);
    while (team->round == seen && !team->quit)
        pthread_cond_wait(&team->work, &team->lock);
}

static void *help(void *argument)
{
    const recruit self = *(recruit *)argument;
    fy_team *team = self.team;
    free(argument);
    pthread_mutex_lock(&team->lock);
    while (!team->quit) {
        int64_t round = team->round;
        if (team->open && self.thread <= team->wanted) {
            team->inside++;
            pthread_mutex_unlock(&team->lock);
            take_pieces(team, self.thread);
            pthread_mutex_lock(&team->lock);
            __atomic_store_n(&team->inside, team->inside - 1, __ATOMIC_RELAXED);
            if (team->inside == 0)
                pthread_cond_signal(&team->done);
        }
        await_job(team, round);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

/* Signals are for the threads of the program. */
static bool start_helper(fy_team *team)
{
    sigset_t all, before;
    pthread_t *larger = realloc(team->helper, (size_t)(team->helpers + 1) * sizeof *larger);
    if (!larger)
        return false;
    team->helper = larger;
    recruit *one = malloc(sizeof *one);
    if (!one)
        return false;
    *one = (recruit){team, team->helpers + 1};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&larger[team->helpers], NULL, help, one) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!started)
        free(one);
    team->helpers += started;
    return started;
}

/* The context's team, with so many helpers if it can have them. Not by fy_alloc: without a team the
 * same is done by one thread. */
static fy_team *muster(foray_context *ctx, int helpers)
{
    if (!ctx->team) {
        fy_team *team = calloc(1, sizeof *team);
        if (!team)
            return NULL;
        team->owner = getpid();
        pthread_mutex_init(&team->lock, NULL);
        pthread_cond_init(&team->work, NULL);
        pthread_cond_init(&team->done, NULL);
        ctx->team = team;
    }
    if (ctx->team->owner != getpid())
        return NULL;
    while (ctx->team->helpers < helpers && start_helper(ctx->team))
        continue;
    return ctx->team;
}

void fy_team_dismiss(fy_team *team)
{
    if (!team)
        return;
    if (team->owner == getpid()) {
        pthread_mutex_lock(&team->lock);
        team->quit = true;
        pthread_cond_broadcast(&team->work);
        pthread_mutex_unlock(&team->lock);
        for (int i = 0; i < team->helpers; i++)
            pthread_join(team->helper[i], NULL);
        pthread_mutex_destroy(&team->lock);
        pthread_cond_destroy(&team->work);
        pthread_cond_destroy(&team->done);
    }
    free(team->helper);
    free(team);
}

/* ------------------------------------------------------------------------ sharing */

static void open_job(fy_team *team, int helpers, int64_t pieces, fy_piece *piece, void *job)
{
    pthread_mutex_lock(&team->lock);
    team->piece = piece;
    team->job = job;
    team->pieces = pieces;
    team->next = 0;
    team->wanted = helpers;
    team->open = true;
    __atomic_store_n(&team->round, team->round + 1, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&team->work);
    pthread_mutex_unlock(&team->lock);
}

static void close_job(fy_team *team)
{
    pthread_mutex_lock(&team->lock);
    team->open = false;
    pthread_mutex_unlock(&team->lock);
    for (int i = 0; i < LOOKS && __atomic_load_n(&team->inside, __ATOMIC_RELAXED) > 0; i++)
        look_away();
    pthread_mutex_lock(&team->lock);
    while (team->inside > 0)
        pthread_cond_wait(&team->done, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

void fy_share(foray_context *ctx, int threads, int64_t pieces, fy_piece *piece, void *job)
{
    int helpers = (int)(threads < pieces ? threads : pieces) - 1;
    bool sharing = helpers > 0 && !__atomic_load_n(&ctx->sharing, __ATOMIC_RELAXED);
    fy_team *team = sharing ? muster(ctx, helpers) : NULL;
    if (!team) {
        for (int64_t i = 0; i < pieces; i++)
            piece(job, i, 0);
        return;
    }
    __atomic_store_n(&ctx->sharing, true, __ATOMIC_RELAXED);
    open_job(team, helpers, pieces, piece, job);
    take_pieces(team, 0);
    close_job(team);
    __atomic_store_n(&ctx->sharing, false, __ATOMIC_RELAXED);
}
