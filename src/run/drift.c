/* drift.c - do new data still fit a run, or has the world changed?
 *
 * For every law the run and the new data each have a likelihood set at delta/(2G), G laws in all.
 * Both hold for all n at once, so that it costs nothing to look often, and if the world has not
 * changed, a law is refuted (learn/refute.h) with probability at most delta: two sets that have no
 * law in common cannot both contain the true one. */
#include "learn/refute.h"
#include "record/record.h"
#include "run/drift_open.h"
#include "run/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct checking {
    foray_run *run;
    foray_drift *drift;
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

/* ------------------------------------------------------------------------------- laws */

/* The laws with something unknown, each with the first pair that has it. */
static void name_laws(checking *c)
{
    const foray_model *model = c->run->model;
    foray_drift *drift = c->drift;
    for (int64_t g = 0; g < model->basis->blocks; g++) {
        c->law_of[g] = model->basis->block[g].dim > 0 ? drift->laws++ : -1;
        if (c->law_of[g] < 0)
            continue;
        c->block_of[c->law_of[g]] = g;
        c->due[c->law_of[g]] = 1;
        drift->law[c->law_of[g]] = (foray_law_fit){.state = -1, .apart = -INFINITY};
    }
    for (int64_t k = 0; k < model->available; k++) {
        int64_t pair = fy_existing(model, k);
        int64_t i = c->law_of[block_of_pair(model, pair)];
        foray_law_fit *law = i >= 0 ? &drift->law[i] : NULL;
        if (law && law->pairs++ == 0) {
            law->state = pair / model->actions;
            law->action = pair % model->actions;
        }
        for (int64_t j = model->succ_start[pair]; j < model->succ_start[pair + 1]; j++) {
            int64_t seen = c->run->explorer->seen[j];
            c->before[fy_vectors_slot(c->vectors, pair, j - model->succ_start[pair])] += seen;
            if (law)
                law->visits += seen;
        }
    }
    c->share = drift->delta / (2 * fmax(1, (double)drift->laws));
}

static bool compare_law(checking *c, int64_t i)
{
    foray_law_fit *law = &c->drift->law[i];
    law->apart =
        fy_refute_block(c->likelihood, c->vectors, c->block_of[i], c->before, c->later, c->share);
    return law->apart > 0;
}

/* ------------------------------------------------------------------------------- data */

/* Every law is looked at whenever its new transitions have grown by a tenth. */
static foray_status take_episode(void *user, const foray_recorded *episode)
{
    checking *c = user;
    const foray_model *model = c->run->model;
    foray_drift *drift = c->drift;
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
    if (any && model->feature_error == 0 && c->run->source != FY_SOURCE_CLUSTERS)
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
    foray_status status = fy_vectors_create(ctx, basis, &c->vectors);
    if (status == FORAY_OK)
        status = fy_likelihood_create(ctx, c->vectors, &c->likelihood);
    if (status != FORAY_OK)
        return status;
    if (!FY_ALLOC(ctx, c->before, c->vectors->slots) ||
        !FY_ALLOC(ctx, c->later, c->vectors->slots) || !FY_ALLOC(ctx, c->law_of, basis->blocks) ||
        !FY_ALLOC(ctx, c->block_of, basis->blocks) || !FY_ALLOC(ctx, c->due, basis->blocks) ||
        !FY_ALLOC(ctx, c->drift, 1) || !FY_ALLOC(ctx, c->drift->law, basis->blocks))
        return FORAY_ERROR_MEMORY;
    c->drift->delta = delta;
    c->drift->refuted = -1;
    return FORAY_OK;
}

foray_status foray_run_check_data(foray_run *run, const char *path, double delta, foray_drift **out)
{
    checking c = {.run = run};
    bool between = delta > 0 && delta < 1;
    if (between && run->model->open)
        return fy_run_check_open(run, path, delta, out);
    if (!between || !run->model->basis)
        return fy_fail(run->ctx, FORAY_ERROR_USAGE, "a delta of %g, or a model without laws",
                       delta);
    foray_status status = allocate_checking(&c, delta);
    if (status == FORAY_OK)
        status = check_possible(&c);
    if (status == FORAY_OK) {
        name_laws(&c);
        status = fy_record_read(run->ctx, run->model, path, take_episode, &c);
    }
    if (status == FORAY_OK)
        compare_at_end(&c);
    if (status == FORAY_OK && fy_was_stopped(run->ctx)) /* in the middle of a likelihood */
        status = FORAY_INTERRUPTED;
    fy_vectors_destroy(c.vectors);
    fy_likelihood_destroy(c.likelihood);
    free(c.before);
    free(c.later);
    free(c.law_of);
    free(c.block_of);
    free(c.due);
    if (status == FORAY_OK)
        *out = c.drift;
    else
        foray_drift_destroy(c.drift);
    return status;
}

void foray_drift_destroy(foray_drift *drift)
{
    if (drift)
        free(drift->law);
    free(drift);
}
