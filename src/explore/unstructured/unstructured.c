/* unstructured.c - exploring where nothing is known but how many states, actions and steps there
 * are.
 *
 * All of them learn by counting (seen.h) and plan and certify on what was seen (plan.h). They
 * differ in their actions:
 *
 *   random         one uniformly at random
 *   recorded       those of somebody else
 *   inverse-count  greedy in what is left to learn, W, with visits of all steps together:
 *
 *                    W_h(s,a) = 1/n(s,a) + sum_i q_i max_b W_{h+1}(s_i,b)   never tried: H - h + 1
 *
 *                  RF-Express (explore/tabular/rf_express.c) has the bonus 15 H^2 (log(3SA/delta) +
 *                  S log(8e(n+1)))/n, which is above H until a pair has been seen 15 H S times: it
 *                  would tell nothing from nothing where S is 10^5. Certificates do not rest on W.
 *
 * A plan looks at every transition seen in every step, H m in all. One is made after an episode
 * when H m/2000 steps were played since the last: about as long as a program takes to play them. In
 * states that were not seen by then actions are random. */
#include "explore/unstructured/unstructured.h"
#include "explore/unstructured/plan.h"
#include "policy/policy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct walker {
    fy_seen *seen;
    int64_t steps, planned_steps; /* seen, and at the last plan */
    int64_t planned;              /* states at the last plan */
    uint16_t *action;             /* [horizon][planned] */
    double *now, *next;           /* [states] max_a W of two steps */
    double *sweep;                /* behind them */
} walker;

/* So many transitions may be looked at in a plan for every step that is played. */
enum { LOOKS = 2000 };

const fy_seen *fy_unstructured_seen(const foray_explorer *explorer)
{
    return ((const walker *)explorer->self)->seen;
}

/* ------------------------------------------------------------- create, destroy */

static foray_status unstructured_create(foray_explorer *explorer)
{
    walker *w;
    if (explorer->model->actions > UINT16_MAX)
        return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                       "an unstructured model may have at most %d actions", UINT16_MAX);
    if (!FY_NEW(&explorer->arena, w, 1))
        return FORAY_ERROR_MEMORY;
    explorer->self = w;
    foray_status status = fy_seen_create(explorer->ctx, explorer->model->actions, &w->seen);
    for (int64_t i = 0; i < explorer->model->absorbings && status == FORAY_OK; i++) {
        (void)fy_seen_absorb(w->seen, explorer->model->absorbing[i]); /* nothing has followed it */
        status = w->seen->failed ? FORAY_ERROR_MEMORY : FORAY_OK;
    }
    return status;
}

static void unstructured_destroy(foray_explorer *explorer)
{
    walker *w = explorer->self;
    if (w)
        fy_seen_destroy(w->seen);
}

/* ------------------------------------------------------------------ exploring */

static int64_t random_act(foray_explorer *explorer, int64_t t, int64_t state)
{
    return fy_random_action(explorer, t, state);
}

static int64_t inverse_count_act(foray_explorer *explorer, int64_t t, int64_t state)
{
    const walker *w = explorer->self;
    int64_t place = fy_seen_find(w->seen, state);
    if (place < 0 || place >= w->planned)
        return fy_random_action(explorer, t, state);
    return w->action[t * w->planned + place];
}

static int64_t random_unplanned(const foray_explorer *explorer, int64_t episode, int64_t t,
                                int64_t state)
{
    return fy_random_action_in(explorer, episode, t, state);
}

/* What inverse_count_act does until the next plan, for those who play ahead. */
static void inverse_count_follow(const foray_explorer *explorer, int32_t *table)
{
    const walker *w = explorer->self;
    int64_t H = explorer->model->horizon, S = explorer->model->states;
    for (int64_t i = 0; i < H * S; i++)
        table[i] = -1;
    for (int64_t t = 0; t < H; t++)
        for (int64_t i = 0; i < w->planned; i++)
            table[t * S + w->seen->state[i]] = w->action[t * w->planned + i];
}

/* j is the state that followed. */
static void unstructured_observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j)
{
    walker *w = explorer->self;
    int64_t A = explorer->model->actions;
    if (t == 0 && explorer->model->initials == 0)
        fy_seen_begin(w->seen, pair / A);
    fy_seen_follow(w->seen, pair / A, pair % A, j);
    w->steps++;
    explorer->failed |= w->seen->failed;
}

static bool unstructured_ended(foray_explorer *explorer, int64_t state)
{
    walker *w = explorer->self;
    bool agrees = fy_seen_absorb(w->seen, state);
    explorer->failed |= w->seen->failed;
    return agrees;
}

static bool unstructured_left(const foray_explorer *explorer, int64_t state)
{
    return fy_seen_is_absorbing(fy_unstructured_seen(explorer), state);
}

/* W of step t from that of t + 1, and its argmax; of equal ones the lowest action. */
static void sweep_back(walker *w, const fy_laws *laws, double left, uint16_t *action)
{
    const fy_seen *seen = w->seen;
    for (int64_t i = 0; i < seen->states; i++) {
        w->now[i] = -1;
        for (int64_t a = 0; a < seen->actions; a++) {
            int64_t law = fy_seen_law(seen, i, a);
            double n = (double)seen->visits[law];
            double W = seen->absorbing[i] ? 0
                       : n > 0            ? 1 / n + fy_laws_mean(laws, law, w->next, 0)
                                          : left;
            if (W > w->now[i]) {
                w->now[i] = W;
                action[i] = (uint16_t)a;
            }
        }
    }
}

static void sweep(foray_explorer *explorer, const fy_laws *laws)
{
    walker *w = explorer->self;
    int64_t H = explorer->model->horizon, states = w->seen->states;
    w->now = w->sweep;
    w->next = w->sweep + states;
    memset(w->sweep, 0, 2 * (size_t)states * sizeof *w->sweep);
    for (int64_t t = H - 1; t >= 0; t--) {
        sweep_back(w, laws, (double)(H - t), w->action + t * states);
        double *swap = w->now;
        w->now = w->next;
        w->next = swap;
    }
    w->planned = states;
    w->planned_steps = w->steps;
    fy_explorer_planned(explorer);
}

/* Grows with what was seen; where memory runs out the explorer fails. */
static bool make_room_for_seen(foray_explorer *explorer)
{
    walker *w = explorer->self;
    size_t states = (size_t)w->seen->states, H = (size_t)explorer->model->horizon, entries;
    void *grown = NULL;
    if (fy_size_mul(states, H, &entries))
        grown = fy_arena_resize(&explorer->arena, w->action, entries, sizeof *w->action);
    if (!grown)
        return false;
    w->action = grown;
    grown = fy_arena_resize(&explorer->arena, w->sweep, 2 * states, sizeof *w->sweep);
    if (grown)
        w->sweep = grown;
    return grown != NULL;
}

static void make_plan(foray_explorer *explorer)
{
    walker *w = explorer->self;
    fy_laws laws;
    fy_arena arena = {.ctx = explorer->ctx};
    w->planned = 0;
    if (make_room_for_seen(explorer) &&
        fy_laws_create(explorer, &arena, w->seen, &laws) == FORAY_OK)
        sweep(explorer, &laws);
    else
        explorer->failed = true;
    fy_arena_release(&arena);
}

static void inverse_count_end(foray_explorer *explorer)
{
    const walker *w = explorer->self;
    double looks = (double)explorer->model->horizon * (double)w->seen->entries;
    explorer->stale |= (double)(w->steps - w->planned_steps) * LOOKS >= looks;
    if (fy_explorer_plan_due(explorer))
        make_plan(explorer);
}

/* ------------------------------------------------------------ plans and bounds */

static foray_status laws_now(const foray_explorer *explorer, fy_arena *arena, fy_laws *out)
{
    return fy_laws_create(explorer, arena, fy_unstructured_seen(explorer), out);
}

static foray_status unstructured_plan(foray_explorer *explorer, int64_t count,
                                      const foray_reward *const *rewards, foray_mode mode,
                                      foray_policy **policies)
{
    fy_laws laws;
    fy_arena arena = {.ctx = explorer->ctx};
    foray_status status = laws_now(explorer, &arena, &laws);
    if (status == FORAY_OK)
        status = fy_policies_create(explorer->ctx, explorer->model, mode, count, policies);
    bool made = status == FORAY_OK;
    for (int64_t i = 0; i < count && status == FORAY_OK; i++)
        status = fy_unstructured_plan(explorer, &laws, rewards[i], mode, false, policies[i], NULL);
    if (made && status != FORAY_OK)
        fy_policies_destroy(count, policies);
    fy_arena_release(&arena);
    return status;
}

static foray_status unstructured_certify(foray_explorer *explorer, const foray_reward *reward,
                                         foray_policy *policy)
{
    fy_laws laws;
    fy_arena arena = {.ctx = explorer->ctx};
    foray_status status = laws_now(explorer, &arena, &laws);
    if (status == FORAY_OK)
        status = fy_unstructured_plan(explorer, &laws, reward, policy->mode, true, policy, NULL);
    fy_arena_release(&arena);
    return status;
}

/* The policy is valued once more, with notes: a copy, since it gets values. */
static foray_status unstructured_explain(foray_explorer *explorer, const foray_reward *reward,
                                         const foray_policy *policy, fy_reasons *out)
{
    fy_laws laws;
    fy_unstructured_notes notes;
    fy_arena arena = {.ctx = explorer->ctx};
    foray_policy *copy = NULL;
    foray_status status = laws_now(explorer, &arena, &laws);
    if (status == FORAY_OK)
        status = fy_unstructured_notes_create(&arena, explorer->model->horizon, laws.seen->states,
                                              &notes);
    if (status == FORAY_OK)
        status = fy_policies_create(explorer->ctx, explorer->model, policy->mode, 1, &copy);
    if (status == FORAY_OK) {
        memcpy(copy->action, policy->action,
               (size_t)fy_policy_entries(explorer->model) * sizeof *copy->action);
        status = fy_unstructured_plan(explorer, &laws, reward, policy->mode, true, copy, &notes);
    }
    if (status == FORAY_OK) {
        out->gap = copy->certificate.gap;
        status = fy_unstructured_explain(explorer, &laws, reward, &notes, out);
    }
    for (int64_t law = 0; status == FORAY_OK && law < fy_seen_laws(laws.seen); law++)
        laws.width[law] /= 2;
    if (status == FORAY_OK)
        status = fy_unstructured_plan(explorer, &laws, reward, policy->mode, true, copy, NULL);
    if (status == FORAY_OK)
        out->twice = copy->certificate.gap;
    foray_policy_destroy(copy);
    fy_arena_release(&arena);
    return status;
}

static foray_status unstructured_bound_kind(foray_explorer *explorer, foray_reward_kind kind,
                                            foray_certificate *out)
{
    fy_laws laws;
    fy_arena arena = {.ctx = explorer->ctx};
    foray_status status = laws_now(explorer, &arena, &laws);
    if (status == FORAY_OK)
        status = fy_unstructured_bound(explorer, &laws, kind, out);
    fy_arena_release(&arena);
    return status;
}

static foray_status unstructured_bound(foray_explorer *explorer, foray_certificate *out)
{
    return unstructured_bound_kind(explorer, FORAY_KIND_PAIR, out);
}

/* -------------------------------------------------------------- save and load */

static void unstructured_save(foray_explorer *explorer, fy_writer *writer)
{
    const walker *w = explorer->self;
    fy_write_u64(writer, (uint64_t)w->steps);
    fy_write_u64(writer, (uint64_t)w->planned_steps);
    fy_seen_write(w->seen, writer);
    fy_write_u64(writer, (uint64_t)w->planned);
    size_t entries = (size_t)(w->planned * explorer->model->horizon);
    for (size_t i = 0; i < entries; i++) {
        const uint8_t bytes[2] = {(uint8_t)w->action[i], (uint8_t)(w->action[i] >> 8)};
        fy_write_bytes(writer, bytes, sizeof bytes);
    }
}

/* The actions of the last plan, which later counts do not tell. */
static void read_plan(foray_explorer *explorer, fy_reader *reader)
{
    walker *w = explorer->self;
    uint64_t planned = fy_read_u64(reader);
    if (reader->failed || planned > (uint64_t)w->seen->states || !make_room_for_seen(explorer)) {
        reader->failed = true;
        return;
    }
    w->planned = (int64_t)planned;
    for (int64_t i = 0; i < w->planned * explorer->model->horizon && !reader->failed; i++) {
        const uint8_t *bytes = fy_read_bytes(reader, 2);
        w->action[i] = bytes ? (uint16_t)(bytes[0] | bytes[1] << 8) : 0;
        reader->failed |= w->action[i] >= explorer->model->actions;
    }
}

static void unstructured_load(foray_explorer *explorer, fy_reader *reader)
{
    walker *w = explorer->self;
    fy_seen *seen;
    if (fy_seen_create(explorer->ctx, explorer->model->actions, &seen) != FORAY_OK) {
        reader->failed = true;
        return;
    }
    fy_seen_destroy(w->seen); /* what this explorer has seen itself, or was told */
    w->seen = seen;
    w->steps = (int64_t)fy_read_u64(reader);
    w->planned_steps = (int64_t)fy_read_u64(reader);
    fy_seen_read(w->seen, reader, explorer->model->states);
    reader->failed |= w->steps < 0 || w->planned_steps < 0 || w->planned_steps > w->steps;
    if (!reader->failed)
        read_plan(explorer, reader);
}

/* ----------------------------------------------------------------------- rows */

#define UNSTRUCTURED_OPS                                                                           \
    .create = unstructured_create, .destroy = unstructured_destroy,                                \
    .observe = unstructured_observe, .ended = unstructured_ended, .is_ended = unstructured_left,   \
    .plan = unstructured_plan, .certify = unstructured_certify, .explain = unstructured_explain,   \
    .bound = unstructured_bound, .bound_kind = unstructured_bound_kind, .save = unstructured_save, \
    .load = unstructured_load, .needs_budget = fy_never_needs_budget, .bound_plan = FORAY_PLUGIN,  \
    .plans_on_sets = true, .unstructured = true

const fy_explorer_ops fy_inverse_count = {
    .name = "inverse-count",
    .summary = "goes where visits are few; for unstructured models, of which nothing is known",
    .act = inverse_count_act,
    .follow_all = inverse_count_follow,
    .end_episode = inverse_count_end,
    UNSTRUCTURED_OPS,
};

static const fy_explorer_ops random_ops = {
    .name = "random",
    .summary = "uniformly random actions, for unstructured models",
    .act = random_act,
    .unplanned = random_unplanned,
    UNSTRUCTURED_OPS,
};

static const fy_explorer_ops recorded_ops = {
    .name = "recorded",
    .summary = "learns from recorded episodes of unstructured models",
    UNSTRUCTURED_OPS,
};

const fy_explorer_ops *fy_unstructured_algorithm(const char *name)
{
    static const fy_explorer_ops *const all[] = {&fy_inverse_count, &random_ops, &recorded_ops};
    for (int64_t i = 0; i < FY_COUNT(all); i++)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    return NULL;
}
