/* next.c - which data next: the policy that goes where a certificate is decided, and what episodes
 * of it would do to the certificate.
 *
 *   a copy of the explorer, and the laws as they are estimated
 *   for N = a quarter of the episodes there are, as many, 4, 16, ... times
 *     play the policy in these laws until the copy has seen N more
 *     plan for the reward, certify
 *
 * That is an estimate: the laws may be others, and chance is played once. */
#include "run/run.h"
#include "explore/unstructured/unstructured.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of all simulated episodes together. */
static const int64_t most_steps = 2000000;

foray_status fy_run_gap(foray_run *run, const foray_reward *reward, double *gap)
{
    foray_policy *policy;
    foray_status status = foray_explorer_plan(run->explorer, 1, &reward, FORAY_PLUGIN, &policy);
    if (status != FORAY_OK)
        return status;
    *gap = policy->certificate.gap;
    foray_policy_destroy(policy);
    return FORAY_OK;
}

/* -------------------------------------------------------------------- the laws */

typedef struct simulation {
    const foray_model *model;
    foray_explorer *from, *to;  /* whose laws are played, and who learns from it */
    const foray_policy *policy; /* that is played */
    double *theta;              /* NULL: nothing is known, or there is no estimate */
    double *p;                  /* [most successors] */
    uint64_t seed;
} simulation;

static int64_t draw_from(const double *p, int64_t count, double u)
{
    double sum = 0;
    int64_t j = 0;
    for (int64_t i = 0; i < count; i++)
        sum += p[i];
    for (u *= sum; j + 1 < count && u >= p[j]; j++)
        u -= p[j];
    return j;
}

/* What followed a law of an unstructured model, one of the times; -1: it was never seen. */
static int64_t draw_seen(const fy_seen *seen, int64_t law, double u)
{
    int64_t left = (int64_t)(u * (double)seen->visits[law]);
    int64_t found = -1;
    for (int32_t e = seen->first[law]; e >= 0; e = seen->link[e]) {
        found = seen->state[seen->next[e]];
        left -= seen->times[e];
        if (left < 0)
            break;
    }
    return found;
}

static int64_t draw_first(simulation *sim, double u)
{
    const foray_model *model = sim->model;
    if (model->initials > 0)
        return model->initial_state[draw_from(model->initial_probability, model->initials, u)];
    int64_t found = draw_seen(fy_unstructured_seen(sim->from), 0, u);
    return found < 0 ? 0 : found;
}

/* Probabilities of a regression may lie beside [0,1]; without an estimate, counts and one more
 * each.
 */
static int64_t draw_next(simulation *sim, int64_t s, int64_t a, double u)
{
    const foray_model *model = sim->model;
    if (model->unstructured) {
        const fy_seen *seen = fy_unstructured_seen(sim->from);
        int64_t place = fy_seen_find(seen, s);
        bool stays = place < 0 || seen->absorbing[place];
        int64_t found = stays ? -1 : draw_seen(seen, fy_seen_law(seen, place, a), u);
        return found < 0 ? s : found;
    }
    const int32_t *next;
    int64_t count = foray_model_successors(model, s, a, &next);
    for (int64_t j = 0; j < count; j++)
        sim->p[j] = sim->theta ? fmax(0, foray_model_probability(model, sim->theta, s, a, j))
                               : 1 + (double)fy_explorer_seen(sim->from, s * model->actions + a, j);
    return next[draw_from(sim->p, count, u)];
}

/* --------------------------------------------------------------------- playing */

static foray_status play_one(simulation *sim, int64_t episode)
{
    const foray_model *model = sim->model;
    foray_draw draw = {.seed = sim->seed, .episode = (uint64_t)episode};
    int64_t s = draw_first(sim, foray_draw_uniform(&draw, 0));
    foray_status status = foray_explorer_begin(sim->to);
    for (int64_t t = 0; t < model->horizon && status == FORAY_OK; t++) {
        int64_t a = foray_policy_action(sim->policy, t, s);
        draw.step = (uint32_t)t + 1;
        a = a < 0 || !foray_model_available(model, s, a) ? fy_first_action(model, s) : a;
        int64_t next = draw_next(sim, s, a, foray_draw_uniform(&draw, 0));
        status = foray_explorer_observe(sim->to, s, a, next);
        s = next;
    }
    return status == FORAY_OK ? foray_explorer_end(sim->to) : status;
}

/* An explorer that knows what the run's knows. */
static foray_status copy_explorer(foray_run *run, foray_explorer **out)
{
    uint8_t *data;
    size_t size;
    foray_explorer *made;
    foray_status status = fy_run_fresh_explorer(run, &made);
    if (status != FORAY_OK)
        return status;
    status = foray_explorer_save(run->explorer, &data, &size);
    if (status == FORAY_OK) {
        status = foray_explorer_load(made, data, size);
        free(data);
    }
    if (status == FORAY_OK)
        *out = made;
    else
        foray_explorer_destroy(made);
    return status;
}

static foray_status open_simulation(foray_run *run, fy_arena *arena, simulation *sim)
{
    const foray_model *model = run->model;
    int64_t most = 1;
    for (int64_t pair = 0; !model->unstructured && pair < model->pairs; pair++)
        if (model->succ_start[pair + 1] - model->succ_start[pair] > most)
            most = model->succ_start[pair + 1] - model->succ_start[pair];
    if (!FY_NEW(arena, sim->p, most) ||
        (!model->unstructured && !FY_NEW(arena, sim->theta, model->dim)))
        return FORAY_ERROR_MEMORY;
    if (sim->theta && foray_explorer_estimate(run->explorer, sim->theta, NULL) != FORAY_OK)
        sim->theta = NULL;
    return copy_explorer(run, &sim->to);
}

static foray_status foresee(simulation *sim, const foray_reward *reward, int64_t limit,
                            fy_next *out)
{
    int64_t played = 0, base = out->after > 4 ? out->after / 4 : 1;
    foray_status status = FORAY_OK;
    if (limit == 0)
        limit = most_steps / sim->model->horizon;
    for (out->points = 0; out->points < FY_NEXT_POINTS && status == FORAY_OK; base *= 4) {
        int64_t count = base < limit ? base : limit;
        foray_policy *plan;
        for (; played < count && status == FORAY_OK; played++)
            status = fy_stopped(sim->to->ctx) ? FORAY_INTERRUPTED : play_one(sim, played);
        if (status == FORAY_OK)
            status = foray_explorer_plan(sim->to, 1, &reward, FORAY_PLUGIN, &plan);
        if (status != FORAY_OK)
            return status;
        out->episodes[out->points] = played;
        out->foreseen[out->points++] = plan->certificate.gap;
        foray_policy_destroy(plan);
        if (count == limit)
            break;
    }
    return status;
}

foray_status fy_run_next(foray_run *run, const foray_reward *reward, int64_t episodes,
                         foray_policy **policy, fy_next *out)
{
    fy_next next = {.after = run->explorer->episodes};
    simulation sim = {.model = run->model,
                      .from = run->explorer,
                      .seed = (uint64_t)run->settings.seed + 0x6e657874};
    fy_arena scratch = {.ctx = run->ctx};
    foray_policy *made = NULL;
    foray_status status = fy_reward_check(run->ctx, reward, run->model);
    if (status == FORAY_OK)
        status = fy_run_gap(run, reward, &next.gap);
    if (status == FORAY_OK)
        status = fy_explorer_collect(run->explorer, reward, &made);
    if (status == FORAY_OK && made)
        status = open_simulation(run, &scratch, &sim);
    sim.policy = made;
    if (status == FORAY_OK && made)
        status = foresee(&sim, reward, episodes, &next);
    foray_explorer_destroy(sim.to);
    fy_arena_release(&scratch);
    if (status != FORAY_OK) {
        foray_policy_destroy(made);
        return status;
    }
    *policy = made;
    *out = next;
    return FORAY_OK;
}

/* --------------------------------------------------------------------- keeping
 *
 * "AFTER GAP POINTS EPISODES GAP EPISODES GAP ...", a line end, and the reward's JSON; empty:
 * nothing was asked yet. */

foray_status fy_run_keep_next(foray_run *run, const foray_reward *reward, const fy_next *next)
{
    char number[FY_NUMBER_BYTES], part[128], *json;
    fy_writer text = {.ctx = run->ctx};
    foray_status status = fy_run_writable(run);
    if (status == FORAY_OK)
        status = foray_reward_print(run->ctx, reward, &json, NULL);
    if (status != FORAY_OK)
        return status;
    fy_format(part, sizeof part, "%" PRId64 " %s %" PRId64, next->after,
              fy_number_text(next->gap, number), next->points);
    fy_write_bytes(&text, part, strlen(part));
    for (int64_t i = 0; i < next->points; i++) {
        fy_format(part, sizeof part, " %" PRId64 " %s", next->episodes[i],
                  fy_number_text(next->foreseen[i], number));
        fy_write_bytes(&text, part, strlen(part));
    }
    fy_write_bytes(&text, "\n", 1);
    fy_write_bytes(&text, json, strlen(json) + 1);
    free(json);
    status = text.failed ? FORAY_ERROR_MEMORY : fy_store_begin(run->store, true);
    if (status == FORAY_OK) {
        status = fy_store_put_meta(run->store, "next", (const char *)text.data);
        if (status == FORAY_OK)
            status = fy_store_commit(run->store, &run->store->head);
        else
            fy_store_rollback(run->store);
    }
    free(text.data);
    return status;
}

/* The next number of a line; NULL: there is none. */
static const char *read_number(const char *text, double *out)
{
    size_t length = strcspn(text, " \n");
    return fy_number_read(text, length, out) ? text + length + (text[length] == ' ') : NULL;
}

static const char *read_asked(const char *text, fy_next *out)
{
    double after, points;
    text = read_number(text, &after);
    text = text ? read_number(text, &out->gap) : NULL;
    text = text ? read_number(text, &points) : NULL;
    if (!text || !(after >= 0 && after < 0x1p53) || !(points >= 0 && points <= FY_NEXT_POINTS))
        return NULL;
    out->after = (int64_t)after;
    out->points = (int64_t)points;
    for (int64_t i = 0; i < out->points && text; i++) {
        text = read_number(text, &after);
        text = text ? read_number(text, &out->foreseen[i]) : NULL;
        out->episodes[i] = text && after >= 0 && after < 0x1p53 ? (int64_t)after : 0;
    }
    return text && *text == '\n' ? text + 1 : NULL;
}

foray_status fy_run_asked(foray_run *run, foray_reward **reward, fy_next *out)
{
    char *text;
    foray_status status = fy_store_get_meta(run->store, "next", &text);
    if (status != FORAY_OK)
        return status;
    *reward = NULL;
    const char *json = *text ? read_asked(text, out) : NULL;
    if (*text && !json)
        status = fy_store_damaged(run->store, "what was foreseen in it is impossible");
    if (json)
        status =
            foray_reward_parse(run->ctx, run->model, json, strlen(json), run->store->path, reward);
    free(text);
    return status;
}
