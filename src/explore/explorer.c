/* explorer.c - what is the same for all algorithms: the reward they explore for, tables to play
 * ahead from, plans and bounds, their state as bytes. Episodes are in episodes.c. */
#include "explore/explorer.h"
#include "policy/policy.h"
#include "reward/reward.h"

#include <inttypes.h>
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

/* ------------------------------------------------------------------ what it knows */

/* Counts of all transitions, and a policy to follow. */
static foray_status check_memory(foray_explorer *explorer)
{
    const foray_model *model = explorer->model;
    double counts = (double)model->succ_start[model->pairs] * sizeof *explorer->seen;
    double policy = (double)model->horizon * (double)model->states * sizeof(int32_t);
    return fy_memory_need(explorer->ctx, counts + policy, "exploring this model",
                          "fewer states, fewer steps, or a coarser model");
}

/* What is recorded elsewhere, or queried, may lie where no episode gets to. */
static bool walks(const foray_explorer *explorer)
{
    return fy_explorer_acts(explorer->ops) && !explorer->ops->query;
}

/* Room for what is noted before plans, so that episodes ask for none, where that is little. */
static foray_status reserve_before_plan(foray_explorer *explorer)
{
    enum { LITTLE = 1 << 20, BYTES = 16 };
    const foray_model *model = explorer->model;
    fy_writer *writer = &explorer->before_plan;
    if (!explorer->ops->remakes)
        return FORAY_OK;
    foray_status status = fy_explorer_note_plan(explorer);
    if (status != FORAY_OK)
        return status;
    size_t more = (size_t)model->succ_start[model->pairs] * BYTES;
    size_t room = writer->capacity + (more < LITTLE ? more : LITTLE);
    uint8_t *data = fy_resize(explorer->ctx, writer->data, room, 1);
    if (!data)
        return FORAY_ERROR_MEMORY;
    writer->data = data;
    writer->capacity = room;
    writer->size = 0;
    return FORAY_OK;
}

foray_status fy_explorer_make(foray_explorer *explorer)
{
    foray_status status = FORAY_OK;
    explorer->arena.ctx = explorer->ctx;
    explorer->step = -1;
    explorer->stale = true;
    explorer->certificates = FORAY_RADIUS_LIKELIHOOD;
    explorer->certifier_after = -1;
    if (walks(explorer) && !explorer->aggregated)
        status = fy_model_reachable(explorer->ctx, explorer->whole, &explorer->part);
    const foray_model *model = explorer->model = explorer->part ? explorer->part : explorer->whole;
    if (status == FORAY_OK)
        status = check_memory(explorer);
    if (status == FORAY_OK &&
        !FY_NEW(&explorer->arena, explorer->seen, model->succ_start[model->pairs]))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status = explorer->ops->create(explorer);
    if (status == FORAY_OK)
        status = fy_refuter_create(&explorer->arena, model, walks(explorer), &explorer->refuter);
    if (status == FORAY_OK)
        status = reserve_before_plan(explorer);
    if (status == FORAY_OK && fy_was_stopped(explorer->ctx)) /* in the middle of the first plan */
        status = FORAY_INTERRUPTED;
    return status;
}

/* The reward that was given, in the explorer's numbers. */
static foray_status lay_out_given(foray_explorer *explorer)
{
    const foray_reward *given = explorer->given;
    foray_reward *inside = NULL;
    if (!explorer->given_table && !FY_NEW(&explorer->arena, explorer->given_table, given->horizon))
        return FORAY_ERROR_MEMORY;
    if (explorer->part &&
        fy_reward_within(explorer->ctx, given, explorer->part, &inside) != FORAY_OK)
        return FORAY_ERROR_MEMORY;
    foray_reward_destroy(explorer->given_inside);
    explorer->given_inside = inside;
    for (int64_t t = 0; t < given->horizon; t++)
        explorer->given_table[t] = fy_reward_table(inside ? inside : given, t);
    return FORAY_OK;
}

/* Everything but what it is made from. */
static void unmake(foray_explorer *explorer)
{
    foray_explorer kept = {.ops = explorer->ops,
                           .ctx = explorer->ctx,
                           .whole = explorer->whole,
                           .settings = explorer->settings,
                           .aggregated = explorer->aggregated,
                           .given = explorer->given};
    memcpy(kept.own, explorer->own, sizeof kept.own);
    if (explorer->ops->destroy)
        explorer->ops->destroy(explorer);
    foray_reward_destroy(explorer->given_inside);
    fy_explorer_drop_targets(explorer);
    free(explorer->before_plan.data);
    fy_arena_release(&explorer->arena);
    foray_model_destroy(explorer->part);
    *explorer = kept;
}

void foray_explorer_destroy(foray_explorer *explorer)
{
    if (!explorer)
        return;
    foray_reward *given = explorer->given;
    unmake(explorer);
    foray_reward_destroy(given);
    free(explorer);
}

/* Before the first episode nothing is lost by beginning again. */
foray_status fy_explorer_aggregate(foray_explorer *explorer)
{
    explorer->aggregated = true;
    if (!explorer->part || explorer->episodes > 0 || explorer->step >= 0)
        return FORAY_OK;
    unmake(explorer);
    foray_status status = fy_explorer_make(explorer);
    return status == FORAY_OK && explorer->given ? lay_out_given(explorer) : status;
}

/* ---------------------------------------------------- the reward to explore for */

foray_status fy_explorer_check_reward(foray_explorer *explorer, const foray_reward *reward)
{
    foray_context *ctx = explorer->ctx;
    if (!explorer->ops->takes_reward)
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
    return fy_reward_check(ctx, reward, explorer->whole);
}

foray_status foray_explorer_give_reward(foray_explorer *explorer, const foray_reward *reward)
{
    foray_status status = fy_explorer_check_reward(explorer, reward);
    if (status != FORAY_OK)
        return status;
    foray_reward *copy;
    status = fy_reward_copy(explorer->ctx, reward, &copy);
    if (status != FORAY_OK)
        return status;
    foray_reward_destroy(explorer->given);
    explorer->given = copy;
    return lay_out_given(explorer);
}

const foray_reward *fy_explorer_reward(const foray_explorer *explorer)
{
    return explorer->given;
}

/* ------------------------------------------------------------- playing ahead */

/* Tables of more entries are not made for the sake of whole episodes. */
enum { MAX_ENTRIES = 1 << 22 };

bool fy_explorer_has_table(const foray_explorer *explorer)
{
    const fy_explorer_ops *ops = explorer->ops;
    bool small = explorer->whole->states <= MAX_ENTRIES / explorer->whole->horizon;
    if (explorer->replans_within)
        return false;
    return (ops->follows && (!explorer->part || small)) || (ops->follow_all && small);
}

/* The actions that are followed in the part, in the numbers of the whole. */
static void spread_followed(const foray_explorer *explorer, int32_t *table)
{
    const foray_model *part = explorer->part;
    int64_t states = explorer->whole->states;
    memset(table, -1, (size_t)fy_policy_entries(explorer->whole) * sizeof *table);
    for (int64_t t = 0; t < part->horizon; t++)
        for (int64_t s = 0; s < part->states; s++)
            table[t * states + part->number[s]] = explorer->followed[t * part->states + s];
}

/* Unstructured models follow what they planned for the states that they have seen: the table is
 * filled in after each plan, and is memory of the first episode only. */
const int32_t *fy_explorer_table(foray_explorer *explorer)
{
    const fy_explorer_ops *ops = explorer->ops;
    if (ops->follows && !explorer->part)
        return explorer->followed;
    if (!explorer->table) {
        if (!FY_NEW(&explorer->arena, explorer->table, fy_policy_entries(explorer->whole)))
            return NULL;
        explorer->table_plans = -1;
    }
    if (explorer->table_plans != explorer->plans) {
        if (ops->follows)
            spread_followed(explorer, explorer->table);
        else
            ops->follow_all(explorer, explorer->table);
    }
    explorer->table_plans = explorer->plans;
    return explorer->table;
}

int64_t fy_explorer_plan_lasts(const foray_explorer *explorer)
{
    int64_t every = fy_explorer_plan_every(explorer), k = explorer->episodes;
    if (!explorer->stale && !fy_explorer_replans_always(explorer))
        return INT64_MAX;
    /* Between episodes the next one may begin with it. */
    bool now = explorer->step < 0 && fy_explorer_plan_due(explorer);
    return now ? k : (k / every + 1) * every;
}

fy_ahead_kind fy_explorer_ahead(const foray_explorer *explorer)
{
    const fy_explorer_ops *ops = explorer->ops;
    if (ops->unplanned)
        return FY_AHEAD_PLAYS;
    if ((!ops->follows && !ops->follow_all) || explorer->replans_within)
        return FY_AHEAD_STEPWISE;
    bool always = fy_explorer_replans_always(explorer) && fy_explorer_plan_every(explorer) == 1;
    return always ? FY_AHEAD_PLANS : FY_AHEAD_PLAYS;
}

/* --------------------------------------------------------- plans and bounds */

static foray_status check_order(foray_explorer *explorer, int64_t count, foray_mode mode)
{
    if ((unsigned)mode < FORAY_MODES && count >= 0)
        return FORAY_OK;
    return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                   "cannot plan for %" PRId64 " rewards in mode %d: it must be optimistic, "
                   "plugin or pessimistic",
                   count, (int)mode);
}

/* With certificates or without: plans, and gives values in the rewards' own units. */
static foray_status plan_inside(foray_explorer *explorer, bool certified, int64_t count,
                                const foray_reward *const *rewards, foray_mode mode,
                                foray_policy **policies)
{
    foray_status status = certified
                              ? fy_explorer_plan(explorer, count, rewards, mode, policies)
                              : fy_explorer_policies(explorer, count, rewards, mode, policies);
    if (status != FORAY_OK)
        return status;
    for (int64_t i = 0; i < count; i++) {
        if (certified)
            fy_explorer_qualify(explorer, &policies[i]->certificate);
        fy_policy_convert(policies[i], rewards[i]);
    }
    status = fy_border_policies_out(explorer, count, policies);
    if (status == FORAY_OK && fy_was_stopped(explorer->ctx))
        status = FORAY_INTERRUPTED;
    if (status != FORAY_OK)
        fy_policies_destroy(count, policies);
    return status;
}

static foray_status plan_together(foray_explorer *explorer, bool certified, int64_t count,
                                  const foray_reward *const *rewards, foray_mode mode,
                                  foray_policy **policies)
{
    const foray_reward **inside = NULL;
    foray_reward **made = NULL;
    foray_status status = FORAY_OK;
    fy_arena scratch = {.ctx = explorer->ctx};
    if (!FY_NEW(&scratch, inside, count) || !FY_NEW(&scratch, made, count))
        status = FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < count && status == FORAY_OK; i++) {
        status = fy_border_reward(explorer, rewards[i], &made[i]);
        inside[i] = made[i] ? made[i] : rewards[i];
    }
    if (status == FORAY_OK)
        status = plan_inside(explorer, certified, count, inside, mode, policies);
    for (int64_t i = 0; made && i < count; i++)
        foray_reward_destroy(made[i]);
    fy_arena_release(&scratch);
    return status;
}

static foray_status plan_task(foray_explorer *explorer, bool certified, const foray_reward *reward,
                              foray_mode mode, foray_policy **policy)
{
    foray_explorer *in;
    foray_status status = fy_explorer_enter(explorer, 1, &reward, 0, NULL, false, &in);
    if (status == FORAY_OK)
        status = plan_together(in, certified, 1, &reward, mode, policy);
    fy_explorer_leave(explorer, in);
    return status;
}

/* Each task in a product of its own; all others at once. */
static foray_status make_plans(foray_explorer *explorer, bool certified, int64_t count,
                               const foray_reward *const *rewards, foray_mode mode,
                               foray_policy **policies)
{
    const foray_reward **plain = NULL;
    foray_policy **planned = NULL;
    int64_t plains = 0, next = 0;
    fy_arena scratch = {.ctx = explorer->ctx};
    foray_status status = check_order(explorer, count, mode);
    if (status == FORAY_OK &&
        (!FY_NEW(&scratch, plain, count) || !FY_NEW(&scratch, planned, count)))
        status = FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < count && status == FORAY_OK; i++)
        if (!rewards[i]->task)
            plain[plains++] = rewards[i];
    if (status == FORAY_OK && (plains > 0 || count == 0))
        status = plan_together(explorer, certified, plains, plain, mode, planned);
    for (int64_t i = 0; i < count && status == FORAY_OK; i++)
        policies[i] = rewards[i]->task ? NULL : planned[next++];
    for (int64_t i = 0; i < count && status == FORAY_OK; i++) {
        if (rewards[i]->task)
            status = plan_task(explorer, certified, rewards[i], mode, &policies[i]);
        if (status != FORAY_OK)
            fy_policies_destroy(count, policies);
    }
    fy_arena_release(&scratch);
    return status;
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

static foray_status bound_kind(foray_explorer *explorer, foray_reward_kind kind,
                               foray_certificate *out)
{
    double max = kind == FORAY_KIND_REACH ? 1 : (double)explorer->model->horizon;
    fy_certifier *sets = NULL;
    foray_status status = FORAY_OK;
    if ((unsigned)kind > FORAY_KIND_REACH)
        return fy_fail(explorer->ctx, FORAY_ERROR_USAGE, "there is no kind %d of rewards",
                       (int)kind);
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
        *out = fy_explorer_certificate(explorer, fy_certifier_all(sets, kind), max);
    else if (explorer->ops->bound_kind)
        status = explorer->ops->bound_kind(explorer, kind, out);
    else
        status = explorer->ops->bound(explorer, out);
    if (status == FORAY_OK)
        fy_explorer_qualify(explorer, out);
    return status;
}

foray_status foray_explorer_bound(foray_explorer *explorer, foray_reward_kind kind,
                                  foray_certificate *out)
{
    foray_certificate certificate;
    foray_status status = bound_kind(explorer, kind, &certificate);
    if (status == FORAY_OK)
        status = fy_explorer_unless_stopped(explorer);
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

foray_mode fy_explorer_bound_plan(foray_explorer *explorer)
{
    fy_certifier *sets = NULL;
    if (fy_explorer_on_sets(explorer))
        (void)fy_explorer_sets(explorer, &sets);
    return sets ? FORAY_PLUGIN : explorer->ops->bound_plan;
}

/* Of laws that no episode meets nothing is learnt: |theta - theta_0| <= B_g. */
static void guess_theta(const foray_model *whole, double *theta, double *half_width)
{
    const fy_basis *basis = whole->basis;
    for (int64_t i = 0; i < whole->dim; i++) { /* no law at all has the others */
        if (theta)
            theta[i] = 0;
        if (half_width)
            half_width[i] = whole->norm_bound;
    }
    for (int64_t g = 0; g < basis->blocks; g++)
        for (int32_t i = 0; i < basis->block[g].coords; i++) {
            if (theta)
                theta[basis->block[g].coord[i]] = basis->block[g].theta0[i];
            if (half_width)
                half_width[basis->block[g].coord[i]] = basis->block[g].norm_bound;
        }
}

foray_status foray_explorer_estimate(foray_explorer *explorer, double *theta, double *half_width)
{
    if (!explorer->ops->estimate)
        return has_none(explorer, "estimate of theta");
    if (explorer->part)
        guess_theta(explorer->whole, theta, half_width);
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

/* Radii that were scaled down hold no truth that could be missed. */
static const fy_regression_set *regression_to_test(foray_explorer *explorer,
                                                   fy_regression_set *room)
{
    bool regressed = explorer->settings.radius_scale >= 1 && explorer->ops->regression &&
                     explorer->ops->regression(explorer, room);
    return regressed ? room : NULL;
}

void fy_explorer_test(foray_explorer *explorer)
{
    fy_regression_set room;
    if (fy_refuter_is_due(&explorer->refuter, explorer->episodes))
        fy_refuter_test(&explorer->refuter, explorer->episodes, explorer->seen,
                        regression_to_test(explorer, &room));
}

foray_status foray_explorer_refutation(foray_explorer *explorer, foray_refutation *out)
{
    fy_regression_set room;
    if (explorer->original)
        return foray_explorer_refutation(explorer->original, out);
    *out = fy_refuter_found(&explorer->refuter, explorer->episodes, explorer->seen,
                            explorer->refuter.fit ? regression_to_test(explorer, &room) : NULL);
    fy_border_refutation_out(explorer, out);
    return fy_explorer_unless_stopped(explorer);
}

/* ------------------------------------------------------------- save and load */

/* What must be equal for a saved state to make sense here: the model, the form of the learner,
 * the algorithm with its parameters, its budget where that counts, the seed, and the reward. */
static uint64_t fingerprint(const foray_explorer *explorer)
{
    const foray_model *model = explorer->model;
    const foray_settings *settings = &explorer->settings;
    const fy_explorer_ops *ops = explorer->ops;
    const int64_t shape[] = {model->states,
                             model->actions,
                             model->horizon,
                             model->unstructured ? -1 - model->initials : model->dim,
                             model->generator_sets,
                             settings->seed,
                             settings->radius,
                             settings->centring,
                             settings->blocks,
                             settings->plan_every,
                             ops->needs_budget(explorer) ? settings->episodes : 0};
    const foray_reward *reward = fy_explorer_reward(explorer);
    uint64_t hash = fy_hash(shape, sizeof shape, reward ? fy_reward_hash(reward) : 0);
    hash = fy_hash(&model->feature_error, sizeof model->feature_error, hash);
    if (model->stand_in)
        hash = fy_hash(model->stand_in, (size_t)model->pairs * sizeof *model->stand_in, hash);
    for (int64_t i = 0; i < ops->parameters; i++)
        hash = fy_hash(&explorer->own[i], sizeof explorer->own[i], hash);
    return fy_hash(ops->name, strlen(ops->name), hash);
}

/* A word of flags. */
enum { IS_STALE = 1, IS_AGGREGATED = 2 };

/* Nobody has counted further one by one, and doubles can tell all of these apart. */
#define MAX_COUNTED ((int64_t)1 << 53)

static int64_t read_count(fy_reader *reader)
{
    uint64_t count = fy_read_u64(reader);
    reader->failed |= count > (uint64_t)MAX_COUNTED;
    return reader->failed ? 0 : (int64_t)count;
}

static size_t transitions_of(const foray_explorer *explorer)
{
    return (size_t)explorer->model->succ_start[explorer->model->pairs];
}

/* Most transitions never happen: how many did, and for each how many lie between it and the one
 * before, and how often it happened. */
static void write_seen(const foray_explorer *explorer, fy_writer *writer)
{
    size_t all = transitions_of(explorer), met = 0, last = 0;
    for (size_t i = 0; i < all; i++)
        met += explorer->seen[i] > 0;
    fy_write_u64(writer, met);
    for (size_t i = 0; i < all; i++) {
        if (explorer->seen[i] == 0)
            continue;
        const uint64_t entry[] = {i - last, (uint64_t)explorer->seen[i]};
        fy_write_u64s(writer, entry, 2);
        last = i;
    }
}

static void read_seen(foray_explorer *explorer, fy_reader *reader)
{
    size_t all = transitions_of(explorer), at = 0;
    int64_t steps = 0;
    uint64_t met = fy_read_u64(reader);
    reader->failed |= met > all;
    memset(explorer->seen, 0, all * sizeof *explorer->seen);
    for (uint64_t k = 0; k < met && !reader->failed; k++) {
        uint64_t gap = fy_read_u64(reader);
        int64_t times = read_count(reader);
        reader->failed |= gap >= all - at || (k > 0 && gap == 0) || times == 0;
        if (reader->failed)
            return;
        at += gap;
        explorer->seen[at] = times;
        steps += times;
        reader->failed = steps > MAX_COUNTED;
    }
}

/* ------------------------------------------------------------ the last plan, again */

static void write_learnt(foray_explorer *explorer, fy_writer *writer)
{
    fy_write_u64(writer, (uint64_t)explorer->episodes);
    write_seen(explorer, writer);
    explorer->ops->save(explorer, writer);
}

static void read_learnt(foray_explorer *explorer, fy_reader *reader)
{
    explorer->episodes = read_count(reader);
    read_seen(explorer, reader);
    explorer->certifier_after = -1;
    if (!reader->failed)
        explorer->ops->load(explorer, reader);
}

foray_status fy_explorer_note_plan(foray_explorer *explorer)
{
    fy_writer *writer = &explorer->before_plan;
    writer->ctx = explorer->ctx;
    writer->size = 0;
    write_learnt(explorer, writer);
    if (!writer->failed)
        return FORAY_OK;
    writer->failed = false;
    writer->size = 0;
    return FORAY_ERROR_MEMORY;
}

static foray_status damaged_state(foray_explorer *explorer)
{
    return fy_fail(explorer->ctx, FORAY_ERROR_RUN, "the saved state is damaged");
}

/* Back to the moment before the plan, plan, and forward again. */
foray_status fy_explorer_remake(foray_explorer *explorer)
{
    const fy_writer *before = &explorer->before_plan;
    fy_writer now = {.ctx = explorer->ctx};
    int64_t plans = explorer->plans;
    bool stale = explorer->stale;
    write_learnt(explorer, &now);
    if (now.failed) {
        free(now.data);
        return FORAY_ERROR_MEMORY;
    }
    fy_reader reader = {.data = before->data, .size = before->size};
    read_learnt(explorer, &reader);
    explorer->stale = true;
    explorer->plans = plans - 1; /* whose turn it is among targets depends on their number */
    if (!reader.failed)
        explorer->ops->begin_episode(explorer);
    bool made = !reader.failed && !explorer->stale && !fy_was_stopped(explorer->ctx);
    reader = (fy_reader){.data = now.data, .size = now.size};
    read_learnt(explorer, &reader);
    explorer->plans = plans;
    explorer->stale = stale;
    explorer->forgot = !made;
    free(now.data);
    if (fy_was_stopped(explorer->ctx))
        return FORAY_INTERRUPTED;
    return made ? FORAY_OK : damaged_state(explorer);
}

/* What was known before the last plan, in front of what is known now. */
static void write_before(foray_explorer *explorer, fy_writer *writer)
{
    if (!explorer->ops->remakes)
        return;
    fy_write_u64(writer, explorer->before_plan.size);
    fy_write_bytes(writer, explorer->before_plan.data, explorer->before_plan.size);
}

static void read_before(foray_explorer *explorer, fy_reader *reader)
{
    if (!explorer->ops->remakes)
        return;
    size_t size = (size_t)fy_read_u64(reader);
    const void *data = fy_read_bytes(reader, size);
    fy_writer *before = &explorer->before_plan;
    before->ctx = explorer->ctx;
    before->size = 0;
    explorer->forgot = size > 0;
    if (!data || size == 0)
        return;
    fy_write_bytes(before, data, size);
    fy_reader inside = {.data = before->data, .size = before->size};
    if (!before->failed)
        read_learnt(explorer, &inside);
    reader->failed |= before->failed || inside.failed || inside.at != size;
    before->failed = false;
}

foray_status foray_explorer_save(foray_explorer *explorer, uint8_t **data, size_t *size)
{
    if (explorer->step >= 0)
        return fy_explorer_out_of_turn(explorer, "foray_explorer_save");
    fy_writer writer = {.ctx = explorer->ctx};
    fy_write_u64(&writer, fingerprint(explorer));
    fy_write_u64(&writer, (uint64_t)explorer->episodes);
    fy_write_u64(&writer, (uint64_t)explorer->plans);
    uint64_t flags = explorer->stale ? IS_STALE : 0;
    flags |= explorer->aggregated ? IS_AGGREGATED : 0;
    fy_write_u64(&writer, flags);
    write_before(explorer, &writer);
    write_seen(explorer, &writer);
    fy_refuter_save(&explorer->refuter, &writer);
    explorer->ops->save(explorer, &writer);
    fy_refuter_save_beginnings(&explorer->refuter, &writer);
    if (writer.failed) {
        free(writer.data);
        return FORAY_ERROR_MEMORY;
    }
    *data = writer.data;
    *size = writer.size;
    return FORAY_OK;
}

/* What was seen through clusters is about the whole model. */
static foray_status prepare_for(foray_explorer *explorer, fy_reader reader)
{
    enum { WORDS_BEFORE = 3 };
    for (int i = 0; i < WORDS_BEFORE; i++)
        fy_read_u64(&reader);
    uint64_t flags = fy_read_u64(&reader);
    return reader.failed || !(flags & IS_AGGREGATED) ? FORAY_OK : fy_explorer_aggregate(explorer);
}

foray_status foray_explorer_load(foray_explorer *explorer, const uint8_t *data, size_t size)
{
    if (explorer->step >= 0)
        return fy_explorer_out_of_turn(explorer, "foray_explorer_load");
    fy_reader reader = {.data = data, .size = size};
    foray_status status = prepare_for(explorer, reader);
    if (status != FORAY_OK)
        return status;
    if (fy_read_u64(&reader) != fingerprint(explorer) || reader.failed)
        return fy_fail(
            explorer->ctx, FORAY_ERROR_RUN,
            "the saved state belongs to another algorithm, model, radius, seed or reward");
    int64_t episodes = read_count(&reader);
    explorer->plans = read_count(&reader);
    uint64_t flags = fy_read_u64(&reader);
    reader.failed |= flags > (IS_STALE | IS_AGGREGATED);
    explorer->stale = flags & IS_STALE;
    explorer->table_plans = -1;
    read_before(explorer, &reader);
    reader.failed |= explorer->forgot && (explorer->episodes > episodes || explorer->plans == 0);
    explorer->episodes = episodes;
    read_seen(explorer, &reader);
    explorer->certifier_after = -1;
    fy_refuter_load(&explorer->refuter, &reader);
    explorer->ops->load(explorer, &reader);
    fy_refuter_load_beginnings(&explorer->refuter, explorer->episodes, &reader);
    if (reader.failed || reader.at != size)
        return damaged_state(explorer);
    return fy_explorer_unless_stopped(explorer);
}

void fy_read_actions(fy_reader *reader, const foray_model *model, int32_t *action, int64_t count)
{
    fy_read_i32s(reader, action, (size_t)count);
    for (int64_t i = 0; i < count && !reader->failed; i++)
        reader->failed = action[i] < 0 || action[i] >= model->actions ||
                         !fy_available(model, i % model->states * model->actions + action[i]);
}
