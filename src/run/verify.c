/* verify.c - is everything in a run's file as it was written, and does it follow
 * from the seed? */
#include "run/run.h"
#include "policy/policy.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------- the model */

typedef struct model_comparison {
    fy_pieces pieces;
    size_t at;
    bool differs;
} model_comparison;

/* Takes what the run's model is written as, and looks for the same in the file. */
static void compare_bytes(void *sink, const void *data, size_t size)
{
    model_comparison *c = sink;
    const uint8_t *expected = data;
    uint8_t found[4096];
    while (size > 0 && !c->differs) {
        size_t bytes = size < sizeof found ? size : sizeof found;
        c->differs = !fy_pieces_fetch(&c->pieces, c->at, found, bytes) ||
                     memcmp(found, expected, bytes) != 0;
        expected += bytes;
        c->at += bytes;
        size -= bytes;
    }
}

/* The bytes of the run's model, to `compare_bytes`. */
static foray_status send_model(foray_run *run, model_comparison *c)
{
    fy_writer writer = {.ctx = run->ctx, .send = compare_bytes, .sink = c};
    foray_status status = fy_run_write_model(run->model, run->explorer->part, &writer);
    fy_writer_flush(&writer);
    free(writer.data);
    return status == FORAY_OK && writer.failed ? FORAY_ERROR_MEMORY : status;
}

static foray_status check_model(foray_run *run)
{
    model_comparison c = {0};
    int64_t held;
    foray_status status = fy_pieces_size(run->store, "model", 0, &held);
    if (status == FORAY_OK)
        status = fy_pieces_begin(&c.pieces, run->store, "model", 0, (size_t)held);
    if (status != FORAY_OK)
        return status;
    status = send_model(run, &c);
    foray_status whole = fy_pieces_end(&c.pieces);
    if (status == FORAY_OK)
        status = whole;
    if (status == FORAY_OK && (c.differs || c.at != (size_t)held))
        status = fy_store_damaged(run->store, "its model has changed");
    return status;
}

/* ------------------------------------------------------------------ a plan */

/* Checksums find damage, not lies. A plan follows from the episodes before it, its reward, and what
 * certificates were to rest on, by the functions that made it. */
static bool same_number(double a, double b)
{
    return a == b || (a != a && b != b);
}

static bool same_plan(const foray_policy *a, const foray_policy *stored)
{
    size_t entries = (size_t)(a->horizon * fy_policy_covered(a));
    bool same = fy_policy_same_cover(a, stored) &&
                memcmp(a->action, stored->action, entries * sizeof *a->action) == 0;
    for (int mode = 0; mode < FORAY_MODES; mode++)
        same = same && same_number(a->value[mode], stored->value[mode]);
    const foray_certificate *one = &a->certificate, *other = &stored->certificate;
    return same && same_number(one->gap, other->gap) && same_number(one->delta, other->delta) &&
           one->radius == other->radius && one->bound == other->bound &&
           one->status == other->status && same_number(a->expected, stored->expected) &&
           same_number(a->low, stored->low) && same_number(a->high, stored->high);
}

/* A plan as it is stored. */
typedef struct stored_plan {
    const foray_policy *policy;
    const foray_reward *reward;
    bool own; /* the reward is the world's own, as far as it was known, which the run has now */
} stored_plan;

/* Is it the world's own reward, as far as it is known? */
static foray_status is_own_reward(foray_run *run, const char *json, bool *out)
{
    foray_reward *low;
    char *text;
    foray_status status = foray_run_own_reward(run, FORAY_OWN_LOW, &low);
    if (status != FORAY_OK)
        return status;
    status = foray_reward_print(run->ctx, low, &text, NULL);
    foray_reward_destroy(low);
    if (status != FORAY_OK)
        return status;
    *out = strcmp(text, json) == 0;
    free(text);
    return FORAY_OK;
}

/* Makes the plan with the certificates that the explorer has now. */
static foray_status compare_once(foray_run *run, foray_explorer *explorer, const stored_plan *plan,
                                 bool *same)
{
    foray_policy *policy;
    foray_status status =
        foray_explorer_plan(explorer, 1, &plan->reward, plan->policy->mode, &policy);
    if (status != FORAY_OK)
        return status;
    if (plan->own)
        status = fy_run_certify_own(run, explorer, policy);
    *same = status == FORAY_OK && same_plan(policy, plan->policy);
    foray_policy_destroy(policy);
    return status;
}

/* On refits, on the likelihood as the explorer itself, or on the radius of the exploration: the
 * radius of a plan tells the first, but not the others, since some have no likelihood. What cannot
 * be planned so was not. */
static foray_status compare_each(foray_run *run, foray_explorer *explorer, const stored_plan *plan,
                                 bool *same)
{
    foray_status status = FORAY_OK;
    bool refitted = plan->policy->certificate.radius == FORAY_RADIUS_REFIT;
    if (refitted)
        status = fy_run_refit(run, explorer);
    if (status == FORAY_OK)
        status = compare_once(run, explorer, plan, same);
    if (!refitted && !*same && (status == FORAY_OK || status == FORAY_ERROR_USAGE)) {
        explorer->certificates = explorer->settings.radius;
        status = compare_once(run, explorer, plan, same);
    }
    return status == FORAY_ERROR_USAGE ? FORAY_OK : status;
}

/* Is a stored plan, to the last bit, one that `explorer` makes, which has seen the episodes that it
 * was made from? own: the number of what was known of the world's own reward; 0: it is another. */
static foray_status make_again(foray_run *run, foray_explorer *explorer, int64_t own,
                               const char *reward_json, const foray_policy *stored, bool *same)
{
    bool meant = true;
    foray_reward *reward;
    foray_status status = foray_reward_parse(run->ctx, run->model, reward_json, strlen(reward_json),
                                             "its reward", &reward);
    if (status != FORAY_OK)
        return status;
    if (own > 0)
        status = fy_run_take_own(run, own);
    if (status == FORAY_OK && own > 0)
        status = is_own_reward(run, reward_json, &meant);
    const stored_plan plan = {.policy = stored, .reward = reward, .own = own > 0};
    foray_radius usual = explorer->certificates;
    if (status == FORAY_OK && meant)
        status = compare_each(run, explorer, &plan, same);
    fy_explorer_end_refit(explorer);
    explorer->certificates = usual;
    foray_reward_destroy(reward);
    return status;
}

typedef struct verifier {
    foray_run *run;
    foray_explorer *explorer; /* starts from nothing */
    foray_world *world;       /* NULL: what followed cannot be foreseen */
    fy_checkpoint checkpoint[FY_CHECKPOINTS];
    int checkpoints;
    fy_row trace; /* the points that are still ahead */
    fy_point point;
    int64_t plan;          /* the next to be made again, */
    int64_t plan_episodes; /* after how many episodes that is, */
    int64_t plan_own;      /* and of which number its reward is, if it is the world's own */
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
static foray_status check_opened(foray_run *run)
{
    foray_settings settings;
    foray_status status = fy_store_get_settings(run->store, &settings);
    return status == FORAY_OK ? check_model(run) : status;
}

static bool accept_plan(void *user, int64_t id, int64_t episodes, const char *reward_name,
                        const char *reward_json, const foray_policy *policy)
{
    (void)user, (void)id, (void)episodes, (void)reward_name, (void)reward_json, (void)policy;
    return true;
}

static bool accept_point(void *user, int64_t episodes, int64_t plans, double bound)
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
        status = foray_explorer_bound(v->explorer, FORAY_KIND_PAIR, &certificate);
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
    bool same = false;
    (void)reward_name;
    v->status = make_again(v->run, v->explorer, v->plan_own, reward_json, policy, &same);
    if (v->status == FORAY_OK && !same)
        v->status = fy_store_damaged(v->run->store,
                                     "plan %" PRId64 " is not what %" PRId64
                                     " episodes and its reward lead to",
                                     id, episodes);
    return true;
}

/* After which episode the next plan was made, and for what. */
static foray_status find_plan(verifier *v)
{
    fy_row row;
    v->plan_episodes = -1;
    fy_row_prepare(&row, v->run->store, "plans", "SELECT episodes, own FROM plan WHERE id = ?1");
    fy_row_bind_int(&row, 1, v->plan);
    if (v->plan < v->run->store->head.plans && fy_row_next(&row)) {
        v->plan_episodes = fy_row_int(&row);
        v->plan_own = fy_row_int(&row);
    }
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
    fy_progress_part(v->run->ctx, "episodes", episode, v->run->store->head.episodes);
    if (fy_stopped(v->run->ctx))
        return FORAY_INTERRUPTED;
    if (v->world)
        status = check_draws(v, episode, states, actions);
    if (status == FORAY_OK)
        status = fy_run_replay(v->run, v->explorer, states, actions);
    return status == FORAY_OK ? check_moment(v) : status;
}

/* An explorer that starts from nothing is told everything again. */
static foray_status check_history(foray_run *run)
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
    foray_world_destroy(v.world);
    foray_explorer_destroy(v.explorer);
    return status;
}

/* -------------------------------------------------------------------- all of it */

/* One transaction, so that a run that another process is writing is seen at one
 * moment. That moment may be later than the one at which it was opened. */
foray_status fy_run_verify(foray_run *run, bool structure)
{
    foray_status status = fy_store_begin(run->store, false);
    if (status != FORAY_OK)
        return status;
    const fy_head known = run->store->head;
    const foray_own own = run->own; /* its place is needed for what plans were made for */
    const int64_t own_id = run->own_id;
    run->own = (foray_own){0};
    status = fy_store_read_head(run->store, &run->store->head);
    if (status == FORAY_OK)
        status = fy_run_load_own(run);
    if (status == FORAY_OK && structure)
        status = check_structure(run);
    if (status == FORAY_OK)
        status = fy_run_check_counts(run);
    if (status == FORAY_OK)
        status = check_opened(run);
    if (status == FORAY_OK)
        status = foray_run_plans(run, accept_plan, NULL);
    if (status == FORAY_OK)
        status = foray_run_trace(run, accept_point, NULL);
    if (status == FORAY_OK)
        status = check_history(run);
    fy_store_rollback(run->store);
    run->store->head = known;
    fy_run_close_own(run);
    run->own = own;
    run->own_id = own_id;
    return status;
}

foray_status foray_run_verify(foray_run *run)
{
    return fy_run_verify(run, true);
}
