/* explorer.c - what is the same for all algorithms: checks, the order of calls, saving. */
#include "explore/explorer.h"
#include "plan/policy.h"
#include "plan/reward.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool fy_never_needs_budget(const foray_explorer *explorer)
{
    (void)explorer;
    return false;
}

bool fy_always_needs_budget(const foray_explorer *explorer)
{
    (void)explorer;
    return true;
}

void foray_explorer_destroy(foray_explorer *explorer)
{
    if (!explorer)
        return;
    explorer->ops->destroy(explorer);
    fy_certifier_destroy(explorer->certifier);
    fy_fit_destroy(explorer->fit);
    free(explorer->seen);
    free(explorer->table);
    free(explorer);
}

/* ---------------------------------------------------- the reward to explore for */

foray_status fy_explorer_check_reward(foray_explorer *explorer, const foray_reward *reward)
{
    foray_context *ctx = explorer->ctx;
    if (!explorer->ops->given)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%s explores without a reward and takes none",
                       explorer->ops->name);
    if (explorer->episodes > 0 || explorer->step >= 0)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "the reward to explore for must be given before the first episode");
    if (!fy_reward_is_plain(reward))
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "%s explores for rewards r(s,a) alone: \"%s\" depends on what follows, is "
                       "discounted, or is about reaching or avoiding states",
                       explorer->ops->name, reward->name);
    return fy_reward_check(ctx, reward, explorer->model);
}

foray_status foray_explorer_give_reward(foray_explorer *explorer, const foray_reward *reward)
{
    foray_status status = fy_explorer_check_reward(explorer, reward);
    if (status != FORAY_OK)
        return status;
    fy_given *given = explorer->ops->given(explorer);
    foray_reward *copy;
    if (!given->table && !FY_ALLOC(explorer->ctx, given->table, reward->horizon))
        return FORAY_ERROR_MEMORY;
    status = fy_reward_copy(explorer->ctx, reward, &copy);
    if (status != FORAY_OK)
        return status;
    foray_reward_destroy(given->reward);
    given->reward = copy;
    for (int64_t t = 0; t < copy->horizon; t++)
        given->table[t] = fy_reward_table(copy, t);
    return FORAY_OK;
}

const foray_reward *foray_explorer_reward(const foray_explorer *explorer)
{
    return explorer->ops->given ? explorer->ops->given(explorer)->reward : NULL;
}

void fy_given_destroy(fy_given *given)
{
    foray_reward_destroy(given->reward);
    free(given->table);
}

/* ------------------------------------------------------------------ episodes */

/* What an algorithm was told to end before its time is of no use: the episode stays open. */
static foray_status unless_stopped(const foray_explorer *explorer)
{
    return fy_was_stopped(explorer->ctx) ? FORAY_INTERRUPTED : FORAY_OK;
}

static foray_status wrong_order(foray_explorer *explorer, const char *call)
{
    return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                   "%s: called out of turn: begin, then act and observe %" PRId64
                   " times, then end",
                   call, explorer->model->horizon);
}

static foray_status check_index(foray_explorer *explorer, foray_status status, const char *what,
                                int64_t index, int64_t count)
{
    if (index >= 0 && index < count)
        return FORAY_OK;
    return fy_fail(explorer->ctx, status,
                   "%s %" PRId64 ", but the model has 0 to %" PRId64 " (episode %" PRId64
                   ", step %" PRId64 ")",
                   what, index, count - 1, explorer->episodes, explorer->step);
}

static foray_status check_available(foray_explorer *explorer, foray_status status, int64_t state,
                                    int64_t action, int64_t step)
{
    if (fy_available(explorer->model, state * explorer->model->actions + action))
        return FORAY_OK;
    return fy_fail(explorer->ctx, status,
                   "action %" PRId64 " is not available in state %" PRId64 " (episode %" PRId64
                   ", step %" PRId64 ")",
                   action, state, explorer->episodes, step);
}

static foray_status ruled_out(foray_explorer *explorer, int64_t state, int64_t action, int64_t next,
                              int64_t step)
{
    return fy_fail(explorer->ctx, FORAY_ERROR_WORLD,
                   "state %" PRId64 " followed (s=%" PRId64 ", a=%" PRId64
                   "), which the model rules out (episode %" PRId64 ", step %" PRId64 ")",
                   next, state, action, explorer->episodes, step);
}

static foray_status not_absorbing(foray_explorer *explorer, int64_t state)
{
    return fy_fail(explorer->ctx, FORAY_ERROR_WORLD,
                   "state %" PRId64 " was left, but the world says that it is absorbing (done): it "
                   "must always be (episode %" PRId64 ")",
                   state, explorer->episodes);
}

foray_status foray_explorer_begin(foray_explorer *explorer)
{
    if (explorer->step >= 0)
        return wrong_order(explorer, "foray_explorer_begin");
    if (explorer->ops->given && !foray_explorer_reward(explorer))
        return fy_fail(
            explorer->ctx, FORAY_ERROR_USAGE,
            "%s explores for one reward, and none was given (foray_explorer_give_reward)",
            explorer->ops->name);
    fy_explorer_end_refit(explorer);
    if (explorer->ops->begin_episode)
        explorer->ops->begin_episode(explorer);
    explorer->step = 0;
    return unless_stopped(explorer);
}

foray_status foray_explorer_query(foray_explorer *explorer, int64_t *state)
{
    if (explorer->step < 0 || explorer->step >= explorer->model->horizon)
        return wrong_order(explorer, "foray_explorer_query");
    if (explorer->ops->query)
        *state = explorer->ops->query(explorer, explorer->step);
    return FORAY_OK;
}

foray_status foray_explorer_act(foray_explorer *explorer, int64_t state, int64_t *action)
{
    const fy_explorer_ops *ops = explorer->ops;
    if (!ops->act)
        return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                       "%s learns from what others did, and chooses no actions", ops->name);
    if (explorer->step < 0 || explorer->step >= explorer->model->horizon)
        return wrong_order(explorer, "foray_explorer_act");
    foray_status status =
        check_index(explorer, FORAY_ERROR_WORLD, "state", state, explorer->model->states);
    if (status != FORAY_OK)
        return status;
    if (ops->query && state != ops->query(explorer, explorer->step))
        return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                       "%s asks about state %" PRId64 " in this step, not %" PRId64
                       " (foray_explorer_query)",
                       ops->name, ops->query(explorer, explorer->step), state);
    *action = ops->act(explorer, explorer->step, state);
    return unless_stopped(explorer);
}

foray_status foray_explorer_observe(foray_explorer *explorer, int64_t state, int64_t action,
                                    int64_t next)
{
    const foray_model *model = explorer->model;
    if (explorer->step < 0 || explorer->step >= model->horizon)
        return wrong_order(explorer, "foray_explorer_observe");
    foray_status status = check_index(explorer, FORAY_ERROR_WORLD, "state", state, model->states);
    if (status == FORAY_OK)
        status = check_index(explorer, FORAY_ERROR_USAGE, "action", action, model->actions);
    if (status == FORAY_OK)
        status = check_index(explorer, FORAY_ERROR_WORLD, "next state", next, model->states);
    if (status == FORAY_OK)
        status = check_available(explorer, FORAY_ERROR_USAGE, state, action, explorer->step);
    if (status != FORAY_OK)
        return status;
    int64_t pair = state * model->actions + action;
    int64_t j = fy_model_find(model, pair, next);
    if (j < 0)
        return ruled_out(explorer, state, action, next, explorer->step);
    if (explorer->ops->is_ended && next != state && explorer->ops->is_ended(explorer, state))
        return not_absorbing(explorer, state);
    if (!model->open)
        explorer->seen[model->succ_start[pair] + j]++;
    explorer->ops->observe(explorer, explorer->step, pair, j);
    explorer->step++;
    return explorer->failed ? FORAY_ERROR_MEMORY : unless_stopped(explorer);
}

foray_status foray_explorer_done(foray_explorer *explorer, int64_t state)
{
    if (explorer->step < 1)
        return wrong_order(explorer, "foray_explorer_done");
    if (!explorer->ops->ended)
        return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                       "which states are absorbing is for the model to say, unless it is open");
    foray_status status =
        check_index(explorer, FORAY_ERROR_WORLD, "state", state, explorer->model->states);
    if (status == FORAY_OK && !explorer->ops->ended(explorer, state))
        return not_absorbing(explorer, state);
    explorer->step = explorer->model->horizon;
    return explorer->failed ? FORAY_ERROR_MEMORY : status;
}

static foray_status end_episode(foray_explorer *explorer)
{
    if (explorer->ops->end_episode)
        explorer->ops->end_episode(explorer);
    if (explorer->failed)
        return FORAY_ERROR_MEMORY;
    if (fy_was_stopped(explorer->ctx))
        return FORAY_INTERRUPTED;
    int64_t length = explorer->step;
    explorer->episodes++;
    explorer->step = -1;
    fy_explorer_test(explorer);
    if (fy_was_stopped(explorer->ctx)) { /* a test without an answer: the episode stays open */
        explorer->episodes--;
        explorer->step = length;
    }
    return unless_stopped(explorer);
}

foray_status foray_explorer_end(foray_explorer *explorer)
{
    if (explorer->step != explorer->model->horizon)
        return wrong_order(explorer, "foray_explorer_end");
    return end_episode(explorer);
}

foray_status foray_explorer_cut(foray_explorer *explorer)
{
    if (explorer->ops->query)
        return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                       "%s queries any (s,a), and has no episodes that could be cut off",
                       explorer->ops->name);
    if (explorer->step < 1 || explorer->step >= explorer->model->horizon)
        return wrong_order(explorer, "foray_explorer_cut");
    return end_episode(explorer);
}

/* An episode whose every transition is possible, or nothing is learnt from it. */
static foray_status check_recorded(foray_explorer *explorer, int64_t steps, const int32_t *states,
                                   const int32_t *actions)
{
    const foray_model *model = explorer->model;
    if (explorer->ops->act)
        return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                       "%s chooses its own actions: only the algorithm recorded learns from those "
                       "of others",
                       explorer->ops->name);
    if (explorer->step >= 0 || steps < 1 || steps > model->horizon)
        return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                       "an episode of %" PRId64 " steps, but 1 to %" PRId64 " are expected", steps,
                       model->horizon);
    for (int64_t t = 0; t < steps; t++) {
        foray_status status =
            check_index(explorer, FORAY_ERROR_WORLD, "state", states[t], model->states);
        if (status == FORAY_OK)
            status = check_index(explorer, FORAY_ERROR_WORLD, "action", actions[t], model->actions);
        if (status == FORAY_OK)
            status =
                check_index(explorer, FORAY_ERROR_WORLD, "state", states[t + 1], model->states);
        if (status == FORAY_OK)
            status = check_available(explorer, FORAY_ERROR_WORLD, states[t], actions[t], t);
        if (status != FORAY_OK)
            return status;
        if (fy_model_find(model, states[t] * model->actions + actions[t], states[t + 1]) < 0)
            return ruled_out(explorer, states[t], actions[t], states[t + 1], t);
    }
    return FORAY_OK;
}

foray_status fy_explorer_learn(foray_explorer *explorer, int64_t steps, const int32_t *states,
                               const int32_t *actions, bool done)
{
    foray_status status = check_recorded(explorer, steps, states, actions);
    if (status == FORAY_OK)
        status = foray_explorer_begin(explorer);
    for (int64_t t = 0; t < steps && status == FORAY_OK; t++)
        status = foray_explorer_observe(explorer, states[t], actions[t], states[t + 1]);
    if (status == FORAY_OK && done)
        status = foray_explorer_done(explorer, states[steps]);
    return status == FORAY_OK ? end_episode(explorer) : status;
}

foray_status foray_explorer_learn(foray_explorer *explorer, int64_t steps, const int32_t *states,
                                  const int32_t *actions)
{
    return fy_explorer_learn(explorer, steps, states, actions, false);
}

int64_t fy_follow(foray_explorer *explorer, int64_t t, int64_t state)
{
    return explorer->ops->followed(explorer)[t * explorer->model->states + state];
}

int64_t foray_draw_action(const foray_draw *draw, const foray_model *model, int64_t step,
                          int64_t state)
{
    uint64_t bits =
        fy_random_bits(draw->seed, FY_STREAM_EXPLORER, draw->episode, (uint32_t)step, 0);
    int64_t k = (int64_t)(fy_unit(bits) * (double)fy_actions_of(model, state));
    return fy_nth_action(model, state, k);
}

int64_t fy_random_action_in(const foray_explorer *explorer, int64_t episode, int64_t t,
                            int64_t state)
{
    const foray_draw draw = {.seed = (uint64_t)explorer->settings.seed,
                             .episode = (uint64_t)episode};
    return foray_draw_action(&draw, explorer->model, t, state);
}

int64_t fy_random_action(const foray_explorer *explorer, int64_t t, int64_t state)
{
    return fy_random_action_in(explorer, explorer->episodes, t, state);
}

/* ------------------------------------------------------------- playing ahead */

/* Tables of more entries are not made for the sake of whole episodes. */
enum { MOST_ENTRIES = 1 << 22 };

bool fy_explorer_has_table(const foray_explorer *explorer)
{
    const foray_model *model = explorer->model;
    return explorer->ops->followed ||
           (explorer->ops->follow_all && model->states <= MOST_ENTRIES / model->horizon);
}

/* Open models follow what they planned for the states that they have seen: the table is filled in
 * after each plan, and is memory of the first episode only. */
const int32_t *fy_explorer_table(foray_explorer *explorer)
{
    const fy_explorer_ops *ops = explorer->ops;
    if (ops->followed)
        return ops->followed(explorer);
    if (!explorer->table) {
        if (!FY_ALLOC(explorer->ctx, explorer->table, fy_policy_entries(explorer->model)))
            return NULL;
        explorer->table_plans = -1;
    }
    if (explorer->table_plans != explorer->plans)
        ops->follow_all(explorer, explorer->table);
    explorer->table_plans = explorer->plans;
    return explorer->table;
}

int64_t fy_explorer_plan_lasts(const foray_explorer *explorer)
{
    int64_t every = explorer->settings.plan_every, k = explorer->episodes;
    if (!explorer->stale && !fy_explorer_replans_always(explorer))
        return INT64_MAX;
    /* Between episodes the next one may begin with it. */
    bool now = explorer->step < 0 && fy_explorer_plan_due(explorer);
    return now ? k : (k / every + 1) * every;
}

foray_ahead foray_explorer_ahead(const foray_explorer *explorer)
{
    const fy_explorer_ops *ops = explorer->ops;
    if (ops->unplanned)
        return FORAY_AHEAD_PLAYS;
    if (!ops->followed && !ops->follow_all)
        return FORAY_AHEAD_STEPWISE;
    bool always = fy_explorer_replans_always(explorer) && explorer->settings.plan_every == 1;
    return always ? FORAY_AHEAD_PLANS : FORAY_AHEAD_PLAYS;
}

/* --------------------------------------------------------- plans and bounds */

/* With certificates or without: checks, plans, and gives values in the rewards' own units. */
static foray_status make_plans(foray_explorer *explorer, bool certified, int64_t count,
                               const foray_reward *const *rewards, foray_mode mode,
                               foray_policy **policies)
{
    if ((unsigned)mode >= FORAY_MODES || count < 0)
        return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                       "planning for %" PRId64 " rewards in mode %d", count, (int)mode);
    for (int64_t i = 0; i < count; i++) {
        foray_status status = fy_reward_check(explorer->ctx, rewards[i], explorer->model);
        if (status != FORAY_OK)
            return status;
    }
    foray_status status = certified
                              ? fy_explorer_plan(explorer, count, rewards, mode, policies)
                              : fy_explorer_policies(explorer, count, rewards, mode, policies);
    for (int64_t i = 0; i < count && status == FORAY_OK; i++) {
        if (certified)
            fy_explorer_qualify(explorer, &policies[i]->certificate);
        fy_reward_convert(rewards[i], policies[i]);
    }
    if (status != FORAY_OK || !fy_was_stopped(explorer->ctx))
        return status;
    fy_policies_destroy(count, policies);
    return FORAY_INTERRUPTED;
}

foray_status foray_explorer_plan(foray_explorer *explorer, int64_t count,
                                 const foray_reward *const *rewards, foray_mode mode,
                                 foray_policy **policies)
{
    return make_plans(explorer, true, count, rewards, mode, policies);
}

foray_status foray_explorer_policies(foray_explorer *explorer, int64_t count,
                                     const foray_reward *const *rewards, foray_mode mode,
                                     foray_policy **policies)
{
    return make_plans(explorer, false, count, rewards, mode, policies);
}

static foray_status has_none(foray_explorer *explorer, const char *what)
{
    return fy_fail(explorer->ctx, FORAY_ERROR_USAGE, "%s has no %s", explorer->ops->name, what);
}

static foray_status bound(foray_explorer *explorer, foray_certificate *out)
{
    return foray_explorer_bound_kind(explorer, FORAY_KIND_PAIR, out);
}

foray_status foray_explorer_bound_kind(foray_explorer *explorer, foray_reward_kind kind,
                                       foray_certificate *out)
{
    double most = kind == FORAY_KIND_REACH ? 1 : (double)explorer->model->horizon;
    fy_certifier *sets = NULL;
    foray_status status = FORAY_OK;
    if (fy_explorer_on_sets(explorer))
        status = fy_explorer_sets(explorer, &sets);
    if (status != FORAY_OK)
        return status;
    if (!sets && !explorer->ops->bound)
        return has_none(explorer, "bound for all rewards");
    if (!sets && kind != FORAY_KIND_PAIR && !explorer->ops->bound_kind)
        return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                       "the bound of %s is about rewards r(s,a) alone", explorer->ops->name);
    if (sets)
        *out = fy_explorer_certificate(explorer, fy_certifier_all(sets, kind), most);
    else if (explorer->ops->bound_kind)
        status = explorer->ops->bound_kind(explorer, kind, out);
    else
        status = explorer->ops->bound(explorer, out);
    if (status == FORAY_OK)
        fy_explorer_qualify(explorer, out);
    return status;
}

foray_status foray_explorer_bound(foray_explorer *explorer, foray_certificate *out)
{
    foray_certificate certificate;
    foray_status status = bound(explorer, &certificate);
    if (status == FORAY_OK)
        status = unless_stopped(explorer);
    if (status == FORAY_OK)
        *out = certificate;
    return status;
}

foray_status fy_explorer_bounded(foray_explorer *explorer, bool *out)
{
    fy_certifier *sets = NULL;
    foray_status status = FORAY_OK;
    if (fy_explorer_on_sets(explorer))
        status = fy_explorer_sets(explorer, &sets);
    *out = sets != NULL || explorer->ops->bound != NULL;
    return status;
}

foray_mode foray_explorer_bound_plan(foray_explorer *explorer)
{
    fy_certifier *sets = NULL;
    if (fy_explorer_on_sets(explorer))
        (void)fy_explorer_sets(explorer, &sets);
    return sets ? FORAY_PLUGIN : explorer->ops->bound_plan;
}

foray_status foray_explorer_estimate(foray_explorer *explorer, double *theta, double *half_width)
{
    if (!explorer->ops->estimate)
        return has_none(explorer, "estimate of theta");
    return explorer->ops->estimate(explorer, theta, half_width);
}

foray_status foray_explorer_describe(foray_explorer *explorer, foray_explorer_facts *facts)
{
    *facts = (foray_explorer_facts){.episodes = explorer->episodes,
                                    .plans = explorer->plans,
                                    .inner = "none",
                                    .inner_ratio = 1.0};
    if (explorer->ops->describe)
        explorer->ops->describe(explorer, facts);
    return FORAY_OK;
}

/* ------------------------------------------------------------- save and load */

/* What must be equal for a saved state to make sense here: the model, the form of the learner,
 * the algorithm with its parameters, its budget where that counts, the seed, and the reward. */
static uint64_t fingerprint(const foray_explorer *explorer)
{
    const foray_model *model = explorer->model;
    const foray_settings *settings = &explorer->settings;
    const fy_explorer_ops *ops = explorer->ops;
    const int64_t shape[] = {
        model->states,         model->actions,
        model->horizon,        model->open ? -1 - model->initials : model->dim,
        model->generator_sets, settings->seed,
        settings->radius,      settings->centring,
        settings->blocks,      ops->needs_budget(explorer) ? settings->episodes : 0};
    const foray_reward *reward = foray_explorer_reward(explorer);
    uint64_t hash = fy_hash(shape, sizeof shape, reward ? fy_reward_hash(reward) : 0);
    if (settings->plan_every != 1) /* earlier versions know nothing else */
        hash = fy_hash(&settings->plan_every, sizeof settings->plan_every, hash);
    hash = fy_hash(&model->feature_error, sizeof model->feature_error, hash);
    if (model->stand_in)
        hash = fy_hash(model->stand_in, (size_t)model->pairs * sizeof *model->stand_in, hash);
    for (int64_t i = 0; i < ops->parameters; i++)
        hash = fy_hash(&explorer->own[i], sizeof explorer->own[i], hash);
    return fy_hash(ops->name, strlen(ops->name), hash);
}

/* Nobody has counted further one by one, and doubles can tell all of these apart. */
#define MOST_COUNTED ((int64_t)1 << 53)

static int64_t read_count(fy_reader *reader)
{
    uint64_t count = fy_read_u64(reader);
    reader->failed |= count > (uint64_t)MOST_COUNTED;
    return reader->failed ? 0 : (int64_t)count;
}

static size_t transitions_of(const foray_explorer *explorer)
{
    return (size_t)explorer->model->succ_start[explorer->model->pairs];
}

foray_status foray_explorer_save(foray_explorer *explorer, uint8_t **data, size_t *size)
{
    if (explorer->step >= 0)
        return wrong_order(explorer, "foray_explorer_save");
    fy_writer writer = {.ctx = explorer->ctx};
    fy_write_u64(&writer, fingerprint(explorer));
    fy_write_u64(&writer, (uint64_t)explorer->episodes);
    fy_write_u64(&writer, (uint64_t)explorer->plans);
    fy_write_u64(&writer, explorer->stale);
    fy_write_u64s(&writer, (const uint64_t *)explorer->seen, transitions_of(explorer));
    fy_explorer_save_tests(explorer, &writer);
    explorer->ops->save(explorer, &writer);
    if (writer.failed) {
        free(writer.data);
        return FORAY_ERROR_MEMORY;
    }
    *data = writer.data;
    *size = writer.size;
    return FORAY_OK;
}

foray_status foray_explorer_load(foray_explorer *explorer, const uint8_t *data, size_t size)
{
    if (explorer->step >= 0)
        return wrong_order(explorer, "foray_explorer_load");
    fy_reader reader = {.data = data, .size = size};
    if (fy_read_u64(&reader) != fingerprint(explorer) || reader.failed)
        return fy_fail(
            explorer->ctx, FORAY_ERROR_RUN,
            "the saved state belongs to another algorithm, model, radius, seed or reward");
    explorer->episodes = read_count(&reader);
    explorer->plans = read_count(&reader);
    explorer->stale = fy_read_u64(&reader) != 0;
    explorer->table_plans = -1;
    int64_t steps = 0;
    for (size_t i = 0; i < transitions_of(explorer) && !reader.failed; i++) {
        steps += explorer->seen[i] = read_count(&reader);
        reader.failed |= steps > MOST_COUNTED;
    }
    explorer->certifier_after = -1;
    fy_explorer_load_tests(explorer, &reader);
    explorer->ops->load(explorer, &reader);
    if (reader.failed || reader.at != size)
        return fy_fail(explorer->ctx, FORAY_ERROR_RUN, "the saved state is damaged");
    return unless_stopped(explorer);
}

void fy_read_actions(fy_reader *reader, const foray_model *model, int32_t *action, int64_t count)
{
    fy_read_i32s(reader, action, (size_t)count);
    for (int64_t i = 0; i < count && !reader->failed; i++)
        reader->failed = action[i] < 0 || action[i] >= model->actions ||
                         !fy_available(model, i % model->states * model->actions + action[i]);
}
