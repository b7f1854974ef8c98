/* drift.c - do new data still fit a run, or has the world changed?
 *
 * For every law the run and the new data each have a likelihood set at delta/(2G), G laws in all.
 * Both hold for all n at once, so that it costs nothing to look often, and if the world has not
 * changed, a law is refuted (learn/likelihood.h) with probability at most delta: two sets that have
 * no law in common cannot both contain the true one. */
#include "base/maths.h"
#include "explore/unstructured/laws.h"
#include "explore/unstructured/unstructured.h"
#include "learn/likelihood.h"
#include "data/episodes.h"
#include "run/run.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- unstructured models *
 *
 * Every law of the run and of the new data has a set (explore/unstructured/laws.h) at delta/(2G), G
 * = S A + 1 laws, for all n at once. If the world has not changed, its law p is in both with
 * probability 1
 * - delta, for all laws at all times. With counts N of the run and N' of the data, and any share w
 * from 0 to 1, this means
 *
 *   0 >= w (n KL(q||p) - x) + (1-w) (n' KL(q'||p) - x')
 *     >= w n KL(q||m) + (1-w) n' KL(q'||m) - w x - (1-w) x'
 *
 *   with m = (w N + (1-w) N') / (w n + (1-w) n')
 *
 * since m is the law at which the sum of both divergences is least. Where the last line is above 0
 * the sets have no law in common. It is concave in w; whichever w decides how soon a change is
 * noticed, not whether it is one. */

typedef struct unstructured_checking {
    foray_run *run;
    fy_drift *drift;
    const fy_seen *before;
    fy_seen *later;
    int64_t state, action; /* the first law that was refuted, -1: of first states; */
    double apart;          /* and by how much, above 0 once there is one */
} unstructured_checking;

typedef struct pair_of_laws {
    const fy_seen *before, *later;
    int64_t law, later_law;
    double x, later_x;
} pair_of_laws;

static double times_of(const fy_seen *seen, int64_t law, int64_t state)
{
    for (int32_t entry = seen->first[law]; entry >= 0; entry = seen->link[entry])
        if (seen->state[seen->next[entry]] == state)
            return (double)seen->times[entry];
    return 0;
}

/* share sum_i N_i log((N_i/n)/m_i), and what it may be too large by. */
static double divergence(const fy_seen *seen, int64_t law, double share, const fy_seen *other,
                         int64_t other_law, double other_share, double *error)
{
    double n = (double)seen->visits[law], sum = 0;
    double total = share * n + other_share * (double)other->visits[other_law];
    for (int32_t entry = seen->first[law]; entry >= 0; entry = seen->link[entry]) {
        double N = (double)seen->times[entry];
        double both =
            share * N + other_share * times_of(other, other_law, seen->state[seen->next[entry]]);
        double term = share * N * fy_log((N / n) / (both / total));
        sum += term;
        *error += 16 * DBL_EPSILON * (fabs(term) + share * N);
    }
    return sum;
}

static double apart_by(const pair_of_laws *two, double w)
{
    double error = 0;
    double sum = divergence(two->before, two->law, w, two->later, two->later_law, 1 - w, &error) +
                 divergence(two->later, two->later_law, 1 - w, two->before, two->law, w, &error);
    return sum - w * two->x - (1 - w) * two->later_x - error;
}

/* The best w by thirds; where nothing was seen, the sets cannot be apart. */
static double furthest_apart(const pair_of_laws *two)
{
    double low = 0, high = 1;
    for (int round = 0; round < 40; round++) {
        double left = low + (high - low) / 3, right = high - (high - low) / 3;
        if (apart_by(two, left) < apart_by(two, right))
            low = left;
        else
            high = right;
    }
    return apart_by(two, (low + high) / 2);
}

/* -inf: one of the two has no data. */
static double compare(const unstructured_checking *c, int64_t state, int64_t action)
{
    const foray_model *model = c->run->model;
    pair_of_laws two = {.before = c->before, .later = c->later};
    if (state >= 0) {
        int64_t place = fy_seen_find(c->before, state), other = fy_seen_find(c->later, state);
        if (place < 0 || other < 0)
            return -INFINITY;
        two.law = fy_seen_law(c->before, place, action);
        two.later_law = fy_seen_law(c->later, other, action);
    }
    if (c->before->visits[two.law] == 0 || c->later->visits[two.later_law] == 0)
        return -INFINITY;
    two.x = fy_laws_nats(model, c->drift->delta / 2, c->before, two.law);
    two.later_x = fy_laws_nats(model, c->drift->delta / 2, c->later, two.later_law);
    return furthest_apart(&two);
}

/* Every law is looked at whenever its new transitions have grown by a tenth. */
static void look_at_law(unstructured_checking *c, int64_t state, int64_t action)
{
    int64_t law = state < 0 ? 0 : fy_seen_law(c->later, fy_seen_find(c->later, state), action);
    int64_t n = c->later->visits[law];
    if (c->apart > 0 || n == 0 || fy_run_next_point(n, true) != n)
        return;
    double apart = compare(c, state, action);
    if (apart > 0) {
        c->apart = apart;
        c->state = state;
        c->action = action;
    }
}

/* What the run was told to be absorbing has no law: it cannot be left. */
static foray_status take_step(unstructured_checking *c, const fy_recorded_episode *episode,
                              int64_t t)
{
    int32_t state = episode->states[t], next = episode->states[t + 1];
    if (next != state &&
        (fy_seen_is_absorbing(c->before, state) || fy_seen_is_absorbing(c->later, state)))
        return fy_fail(c->run->ctx, FORAY_ERROR_WORLD,
                       "line %" PRId64 ": episode %s: state %" PRId32
                       " is left, and is known to be absorbing",
                       episode->line, episode->episode, state);
    fy_seen_follow(c->later, state, episode->actions[t], next);
    if (c->later->failed)
        return FORAY_ERROR_MEMORY;
    look_at_law(c, state, episode->actions[t]);
    return FORAY_OK;
}

static foray_status take_unstructured_episode(void *user, const fy_recorded_episode *episode)
{
    unstructured_checking *c = user;
    fy_drift *drift = c->drift;
    foray_status status = FORAY_OK;
    drift->episodes++;
    drift->transitions += episode->steps;
    if (!(c->apart > 0)) {
        drift->line = episode->line;
        fy_format(drift->episode, sizeof drift->episode, "%s", episode->episode);
    }
    if (c->run->model->initials == 0) {
        fy_seen_begin(c->later, episode->states[0]);
        look_at_law(c, -1, -1);
    }
    for (int64_t t = 0; t < episode->steps && status == FORAY_OK; t++)
        status = take_step(c, episode, t);
    if (status == FORAY_OK && episode->done &&
        !fy_seen_absorb(c->later, episode->states[episode->steps]))
        return fy_fail(c->run->ctx, FORAY_ERROR_WORLD,
                       "line %" PRId64 ": episode %s ends in a state that was left before",
                       episode->line, episode->episode);
    return c->later->failed ? FORAY_ERROR_MEMORY : status;
}

/* A law of either, once all data are there: one that was refuted on the way stays so. */
static void list_law(unstructured_checking *c, int64_t state, int64_t action, int64_t visits,
                     int64_t later)
{
    fy_drift *drift = c->drift;
    fy_law_fit law = {.state = state,
                      .action = action,
                      .pairs = state >= 0,
                      .visits = visits,
                      .later = later,
                      .apart = compare(c, state, action)};
    bool first = c->apart > 0 && c->state == state && c->action == action;
    if (visits == 0 && later == 0)
        return;
    if (first && !(law.apart > 0))
        law.apart = c->apart;
    if (law.apart > 0 && (first || (drift->refuted < 0 && !(c->apart > 0))))
        drift->refuted = drift->laws;
    drift->law[drift->laws++] = law;
}

static void list_state(unstructured_checking *c, int64_t state)
{
    int64_t place = fy_seen_find(c->before, state), other = fy_seen_find(c->later, state);
    for (int64_t a = 0; a < c->before->actions; a++)
        list_law(c, state, a, place < 0 ? 0 : c->before->visits[fy_seen_law(c->before, place, a)],
                 other < 0 ? 0 : c->later->visits[fy_seen_law(c->later, other, a)]);
}

/* First states, then the states of the run, then those that are new. */
static foray_status list_laws(unstructured_checking *c)
{
    int64_t max = fy_seen_laws(c->before) + fy_seen_laws(c->later);
    if (!FY_ALLOC(c->run->ctx, c->drift->law, max))
        return FORAY_ERROR_MEMORY;
    list_law(c, -1, -1, c->before->visits[0], c->later->visits[0]);
    for (int64_t i = 0; i < c->before->states; i++)
        list_state(c, c->before->state[i]);
    for (int64_t i = 0; i < c->later->states; i++)
        if (fy_seen_find(c->before, c->later->state[i]) < 0)
            list_state(c, c->later->state[i]);
    return FORAY_OK;
}

static foray_status check_unstructured(foray_run *run, const char *path, double delta,
                                       fy_drift **out)
{
    unstructured_checking c = {.run = run, .before = fy_unstructured_seen(run->explorer)};
    foray_status status = fy_seen_create(run->ctx, run->model->actions, &c.later);
    if (status == FORAY_OK && !FY_ALLOC(run->ctx, c.drift, 1))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK) {
        c.drift->delta = delta;
        c.drift->refuted = -1;
        status = fy_data_read(run->ctx, run->model, path, take_unstructured_episode, &c);
    }
    if (status == FORAY_OK)
        status = list_laws(&c);
    fy_seen_destroy(c.later);
    if (status == FORAY_OK)
        *out = c.drift;
    else
        fy_drift_destroy(c.drift);
    return status;
}

/* ---------------------------------------------------------------- other models */

typedef struct checking {
    foray_run *run;
    fy_arena arena;
    fy_drift *drift;
    fy_vectors *vectors;
    fy_likelihood *likelihood;
    int64_t *before, *later; /* [slots] counts of vectors, of the run and of the data */
    int64_t *law_of;         /* [blocks] its place in drift->law; -1: nothing is unknown */
    int64_t *block_of;       /* [laws] */
    int64_t *due;            /* [laws] after how many new transitions it is looked at next */
    double share;
} checking;

static int64_t block_of_pair(const foray_model *model, int64_t pair)
{
    return model->basis->block_of_generator_set[model->generator_set[pair]];
}

/* Does a step of the run's explorer begin with it? Others know nothing of the law they have. */
static bool is_reached(const checking *c, int64_t pair)
{
    const foray_model *model = c->run->explorer->model;
    int64_t state = fy_inside(model, pair / model->actions);
    return state >= 0 && state < fy_begun(model);
}

/* The laws with something unknown, each with the first pair that has it. */
static void name_laws(checking *c)
{
    const foray_model *model = c->run->model;
    fy_drift *drift = c->drift;
    for (int64_t g = 0; g < model->basis->blocks; g++) {
        c->law_of[g] = model->basis->block[g].dim > 0 ? drift->laws++ : -1;
        if (c->law_of[g] < 0)
            continue;
        c->block_of[c->law_of[g]] = g;
        c->due[c->law_of[g]] = 1;
        drift->law[c->law_of[g]] = (fy_law_fit){.state = -1, .apart = -INFINITY};
    }
    for (int64_t k = 0; k < model->available; k++) {
        int64_t pair = fy_existing(model, k);
        if (!is_reached(c, pair))
            continue;
        int64_t i = c->law_of[block_of_pair(model, pair)];
        fy_law_fit *law = i >= 0 ? &drift->law[i] : NULL;
        if (law && law->pairs++ == 0) {
            law->state = pair / model->actions;
            law->action = pair % model->actions;
        }
        for (int64_t j = model->succ_start[pair]; j < model->succ_start[pair + 1]; j++) {
            int64_t seen = fy_explorer_seen(c->run->explorer, pair, j - model->succ_start[pair]);
            c->before[fy_vectors_slot(c->vectors, pair, j - model->succ_start[pair])] += seen;
            if (law)
                law->visits += seen;
        }
    }
    c->share = drift->delta / (2 * fmax(1, (double)drift->laws));
}

static bool compare_law(checking *c, int64_t i)
{
    fy_law_fit *law = &c->drift->law[i];
    law->apart =
        fy_refute_block(c->likelihood, c->vectors, c->block_of[i], c->before, c->later, c->share);
    return law->apart > 0;
}

/* Every law is looked at whenever its new transitions have grown by a tenth. */
static foray_status take_episode(void *user, const fy_recorded_episode *episode)
{
    checking *c = user;
    const foray_model *model = c->run->model;
    fy_drift *drift = c->drift;
    drift->episodes++;
    drift->transitions += episode->steps;
    if (drift->refuted < 0) {
        drift->line = episode->line;
        fy_format(drift->episode, sizeof drift->episode, "%s", episode->episode);
    }
    for (int64_t t = 0; t < episode->steps; t++) {
        int64_t pair = episode->states[t] * model->actions + episode->actions[t];
        int64_t i = c->law_of[block_of_pair(model, pair)];
        int64_t j = fy_model_find(model, pair, episode->states[t + 1]);
        c->later[fy_vectors_slot(c->vectors, pair, j)]++;
        if (i >= 0)
            drift->law[i].later++;
    }
    for (int64_t i = 0; i < drift->laws && drift->refuted < 0; i++) {
        if (drift->law[i].later < c->due[i])
            continue;
        c->due[i] = fy_run_next_point(drift->law[i].later + 1, true);
        if (compare_law(c, i))
            drift->refuted = i;
    }
    return FORAY_OK;
}

/* All data together, for every law: a law that was refuted on the way stays so. */
static void compare_at_end(checking *c)
{
    for (int64_t i = 0; i < c->drift->laws; i++) {
        double before = c->drift->law[i].apart;
        if (!compare_law(c, i) && before > 0)
            c->drift->law[i].apart = before;
        if (c->drift->law[i].apart > 0 && c->drift->refuted < 0)
            c->drift->refuted = i;
    }
}

/* Where nothing is unknown, what the model rules out is all that can be noticed. */
static foray_status check_possible(checking *c)
{
    const foray_model *model = c->run->model;
    bool any = foray_model_unknowns(model) == 0;
    for (int64_t g = 0; model->basis && g < model->basis->blocks; g++)
        any |= model->basis->block[g].dim > 0 && c->vectors->scale[g] > 0;
    if (any && model->feature_error == 0 && c->run->source != FY_SOURCE_AGGREGATED)
        return FORAY_OK;
    return fy_fail(c->run->ctx, FORAY_ERROR_USAGE,
                   "%s: no law of its model is a mixture with exact features and states of its "
                   "own, so there are no likelihoods to compare",
                   c->run->store->path);
}

static foray_status allocate_checking(checking *c, double delta)
{
    foray_context *ctx = c->run->ctx;
    const fy_basis *basis = c->run->model->basis;
    foray_status status = fy_vectors_create(&c->arena, basis, &c->vectors);
    if (status == FORAY_OK)
        status = fy_likelihood_create(&c->arena, c->vectors, &c->likelihood);
    if (status != FORAY_OK)
        return status;
    if (!FY_NEW(&c->arena, c->before, c->vectors->slots) ||
        !FY_NEW(&c->arena, c->later, c->vectors->slots) ||
        !FY_NEW(&c->arena, c->law_of, basis->blocks) ||
        !FY_NEW(&c->arena, c->block_of, basis->blocks) ||
        !FY_NEW(&c->arena, c->due, basis->blocks) || !FY_ALLOC(ctx, c->drift, 1) ||
        !FY_ALLOC(ctx, c->drift->law, basis->blocks))
        return FORAY_ERROR_MEMORY;
    c->drift->delta = delta;
    c->drift->refuted = -1;
    return FORAY_OK;
}

foray_status fy_run_check_data(foray_run *run, const char *path, double delta, fy_drift **out)
{
    checking c = {.run = run, .arena = {.ctx = run->ctx}};
    bool between = delta > 0 && delta < 1;
    if (between && run->model->unstructured)
        return check_unstructured(run, path, delta, out);
    if (!between || !run->model->basis)
        return fy_fail(run->ctx, FORAY_ERROR_USAGE, "a delta of %g, or a model without laws",
                       delta);
    foray_status status = allocate_checking(&c, delta);
    if (status == FORAY_OK)
        status = check_possible(&c);
    if (status == FORAY_OK) {
        name_laws(&c);
        status = fy_data_read(run->ctx, run->model, path, take_episode, &c);
    }
    if (status == FORAY_OK)
        compare_at_end(&c);
    if (status == FORAY_OK && fy_was_stopped(run->ctx)) /* in the middle of a likelihood */
        status = FORAY_INTERRUPTED;
    fy_arena_release(&c.arena);
    if (status == FORAY_OK)
        *out = c.drift;
    else
        fy_drift_destroy(c.drift);
    return status;
}

void fy_drift_destroy(fy_drift *drift)
{
    if (drift)
        free(drift->law);
    free(drift);
}
