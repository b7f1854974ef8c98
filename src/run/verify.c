/* verify.c - is everything in a run's file as it was written, and does it follow
 * from the seed? */
#include "run/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct verifier {
    foray_run *run;
    foray_explorer *explorer; /* starts from nothing */
    foray_world *world;       /* NULL: what followed cannot be foreseen */
    fy_checkpoint checkpoint[FY_CHECKPOINTS];
    int checkpoints;
    fy_row trace; /* the points that are still ahead */
    fy_point point;
    int64_t plan;          /* the next to be made again, */
    int64_t plan_episodes; /* and after how many episodes that is */
    int64_t unknown;       /* plans that could not be compared */
    foray_status status;   /* of comparing */
} verifier;

/* ------------------------------------------------------------ file content */

static foray_status check_structure(foray_run *run)
{
    fy_row row;
    fy_row_prepare(&row, run->store, "structure", "PRAGMA integrity_check(1)");
    char first[256] = "";
    if (fy_row_next(&row))
        strncpy(first, fy_row_text(&row), sizeof first - 1);
    foray_status status = fy_row_end(&row);
    if (status == FORAY_OK && strcmp(first, "ok") != 0)
        status = fy_store_damaged(run->store, "%s", first);
    return status;
}

/* Is what was read when the run was opened still there? */
static foray_status check_birth(foray_run *run)
{
    foray_settings settings;
    foray_status status = fy_store_get_settings(run->store, &settings);
    return status == FORAY_OK ? fy_run_check_model(run) : status;
}

static bool next_plan_please(void *user, int64_t id, int64_t episodes, const char *reward_name,
                             const char *reward_json, const foray_policy *policy)
{
    (void)user, (void)id, (void)episodes, (void)reward_name, (void)reward_json, (void)policy;
    return true;
}

static bool next_point_please(void *user, int64_t episodes, int64_t plans, double bound)
{
    (void)user, (void)episodes, (void)plans, (void)bound;
    return true;
}

/* ---------------------------------------------------------------- episodes */

static foray_status not_from_seed(verifier *v, int64_t episode, int64_t t, int64_t found,
                                  int64_t expected)
{
    return fy_store_damaged(v->run->store,
                            "episode %" PRId64 " is not what its seed gives: state %" PRId64
                            " at step %" PRId64 ", "
                            "not %" PRId64,
                            episode, found, t, expected);
}

/* Every state is the one that the world of the model draws; or, if it is one that a
 * generative algorithm asked for, the replay sees to it. */
static foray_status check_draws(verifier *v, int64_t episode, const int32_t *states,
                                const int32_t *actions)
{
    foray_draw draw = {.seed = (uint64_t)v->run->settings.seed, .episode = (uint64_t)episode};
    int64_t expected;
    foray_status status = foray_world_reset(v->world, &draw, &expected);
    int64_t stride = v->run->codec.stride;
    if (status == FORAY_OK && stride == 1 && states[0] != expected)
        return not_from_seed(v, episode, 0, states[0], expected);
    for (int64_t t = 0; status == FORAY_OK && t < v->run->codec.horizon; t++) {
        const int32_t *here = states + stride * t;
        draw.step = (uint32_t)t + 1;
        status = foray_world_step(v->world, &draw, here[0], actions[t], &expected);
        if (status == FORAY_OK && here[1] != expected)
            return not_from_seed(v, episode, t + 1, here[1], expected);
    }
    return status;
}

/* The explorer is, bit for bit, what the checkpoint says it was. */
static foray_status check_checkpoint(verifier *v, const fy_checkpoint *checkpoint)
{
    uint8_t *stored = NULL, *now = NULL;
    size_t size = 0;
    foray_status status = fy_store_get_pieces(v->run->store, "checkpoint", checkpoint->episodes,
                                              checkpoint->bytes, &stored);
    if (status == FORAY_OK)
        status = foray_explorer_save(v->explorer, &now, &size);
    if (status == FORAY_OK && (size != checkpoint->bytes || memcmp(stored, now, size) != 0))
        status = fy_store_damaged(
            v->run->store, "the checkpoint after %" PRId64 " episodes is not what they lead to",
            checkpoint->episodes);
    free(stored);
    free(now);
    return status;
}

static void next_point(verifier *v)
{
    v->point = (fy_point){.episodes = -1};
    if (!fy_row_next(&v->trace))
        return;
    v->point.episodes = fy_row_int(&v->trace);
    v->point.plans = fy_row_int(&v->trace);
    v->point.bound = fy_row_real(&v->trace);
    fy_row_intact(&v->trace);
}

static foray_status check_point(verifier *v)
{
    foray_certificate certificate = {.gap = NAN};
    bool bounded;
    foray_status status = fy_explorer_bounded(v->explorer, &bounded);
    if (status == FORAY_OK && bounded)
        status = foray_explorer_bound(v->explorer, &certificate);
    if (status != FORAY_OK)
        return status;
    bool same_bound =
        certificate.gap == v->point.bound || (isnan(certificate.gap) && isnan(v->point.bound));
    if (!same_bound || v->explorer->plans != v->point.plans)
        return fy_store_damaged(v->run->store, "its trace after %" PRId64 " episodes is wrong",
                                v->point.episodes);
    next_point(v);
    return FORAY_OK;
}

static bool compare_plan(void *user, int64_t id, int64_t episodes, const char *reward_name,
                         const char *reward_json, const foray_policy *policy)
{
    verifier *v = user;
    fy_comparison found = FY_PLAN_SAME;
    (void)reward_name;
    v->status = fy_run_compare_plan(v->run, v->explorer, reward_json, policy, &found);
    v->unknown += found == FY_PLAN_UNKNOWN;
    if (found == FY_PLAN_DIFFERS)
        v->status = fy_store_damaged(v->run->store,
                                     "plan %" PRId64 " is not what %" PRId64
                                     " episodes and its reward lead to",
                                     id, episodes);
    return true;
}

/* After which episode the next plan was made. */
static foray_status find_plan(verifier *v)
{
    fy_row row;
    v->plan_episodes = -1;
    fy_row_prepare(&row, v->run->store, "plans", "SELECT episodes FROM plan WHERE id = ?1");
    fy_row_bind_int(&row, 1, v->plan);
    if (v->plan < v->run->store->head.plans && fy_row_next(&row))
        v->plan_episodes = fy_row_int(&row);
    return fy_row_end(&row);
}

/* The plans of this moment, made again. */
static foray_status check_plans(verifier *v)
{
    foray_status status = FORAY_OK;
    while (status == FORAY_OK && v->plan_episodes == v->explorer->episodes) {
        status = fy_run_plans_between(v->run, v->plan, v->plan + 1, compare_plan, v);
        if (status == FORAY_OK)
            status = v->status;
        v->plan++;
        if (status == FORAY_OK)
            status = find_plan(v);
    }
    return status;
}

/* What is stored about the moment after this episode. */
static foray_status check_moment(verifier *v)
{
    int64_t k = v->explorer->episodes;
    foray_status status = FORAY_OK;
    for (int i = 0; status == FORAY_OK && i < v->checkpoints; i++) {
        if (v->checkpoint[i].episodes == k)
            status = check_checkpoint(v, &v->checkpoint[i]);
    }
    if (status == FORAY_OK && v->point.episodes == k)
        status = check_point(v);
    return status == FORAY_OK ? check_plans(v) : status;
}

static foray_status check_episode(void *user, int64_t episode, const int32_t *states,
                                  const int32_t *actions)
{
    verifier *v = user;
    foray_status status = FORAY_OK;
    if (v->world)
        status = check_draws(v, episode, states, actions);
    if (status == FORAY_OK)
        status = fy_run_replay(v->run, v->explorer, states, actions);
    return status == FORAY_OK ? check_moment(v) : status;
}

/* An explorer that starts from nothing is told everything again. */
static foray_status check_history(foray_run *run, int64_t *unknown)
{
    verifier v = {.run = run};
    foray_status status = fy_run_checkpoints(run, v.checkpoint, &v.checkpoints);
    if (status == FORAY_OK)
        status = find_plan(&v);
    if (status == FORAY_OK)
        status = fy_run_fresh_explorer(run, &v.explorer);
    if (status == FORAY_OK && run->model->theta && run->source == FY_SOURCE_MODEL)
        status = foray_world_from_model(run->ctx, run->model, &v.world);
    if (status == FORAY_OK) {
        fy_row_prepare(&v.trace, run->store, "trace",
                       "SELECT episodes, plans, bound, crc FROM trace ORDER BY episodes");
        next_point(&v);
        status = check_moment(&v);
        if (status == FORAY_OK)
            status = fy_run_each(run, 0, check_episode, &v);
        foray_status ended = fy_row_end(&v.trace);
        status = status == FORAY_OK ? ended : status;
    }
    *unknown = v.unknown;
    foray_world_destroy(v.world);
    foray_explorer_destroy(v.explorer);
    return status;
}

/* ----------------------------------------------------------------- verdict */

/* Everything is sound; what was not compared is said. */
static foray_status judge(foray_run *run, int64_t unknown)
{
    if (unknown > 0)
        return fy_fail(run->ctx, FORAY_NOT_COMPARED,
                       "all is as it should be, but of %" PRId64 " plans for the world's own "
                       "reward, of which more was seen since, the certificates were not checked",
                       unknown);
    return FORAY_OK;
}

/* One transaction, so that a run that another process is writing is seen at one
 * moment. That moment may be later than the one at which it was opened. */
foray_status fy_run_verify(foray_run *run, bool structure)
{
    foray_status status = fy_store_begin(run->store, false);
    if (status != FORAY_OK)
        return status;
    int64_t unknown = 0;
    fy_head known = run->store->head;
    status = fy_store_read_head(run->store, &run->store->head);
    if (status == FORAY_OK && structure)
        status = check_structure(run);
    if (status == FORAY_OK)
        status = fy_run_check_counts(run);
    if (status == FORAY_OK)
        status = check_birth(run);
    if (status == FORAY_OK)
        status = foray_run_plans(run, next_plan_please, NULL);
    if (status == FORAY_OK)
        status = foray_run_trace(run, next_point_please, NULL);
    if (status == FORAY_OK)
        status = check_history(run, &unknown);
    fy_store_rollback(run->store);
    run->store->head = known;
    return status == FORAY_OK ? judge(run, unknown) : status;
}

foray_status foray_run_verify(foray_run *run)
{
    return fy_run_verify(run, true);
}
