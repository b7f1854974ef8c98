/* own.c - what a world itself pays, as far as it is known.
 *
 * r(s,a,s') lies in [low, high], and where it was seen, or its mean was learnt, in less: r- <= r <=
 * r+. What is drawn anew whenever it is paid has a mean, which is all that matters to values, and
 * whose bounds share delta with the laws (learn/mean.h): G laws and G_r means have delta/(G + G_r)
 * each. The policy is planned for r-; its certificate is about every r between the two (certify/
 * gap_paid.h), on one event of probability 1 - delta.
 *
 * Policies that draw their actions, and certificates of other kinds, have the older one:
 *
 *     V*_r - V^pi_r  <=  V*_r+ - V^pi_r-  =  (V*_r+ - V^pi_r+) + (V^pi_r+ - V^pi_r-)
 *
 * The first difference is at most the certificate of pi for r+. The second is the value of a
 * reward, r+ - r-, whose upper bound is used. Something that was forgotten makes more unknown, and
 * nothing untrue. */
#include "learn/mean.h"
#include "model/model.h"
#include "policy/policy.h"
#include "reward/reward.h"
#include "run/run.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void fy_run_close_own(foray_run *run)
{
    free(run->own.value);
    run->own = (foray_own){0};
}

bool foray_run_own(const foray_run *run, foray_own *out)
{
    if (run->own_id > 0)
        *out = run->own;
    return run->own_id > 0;
}

/* ------------------------------------------------------------------ the file */

/* What was known before is kept where a plan was made for it, which can then be made again. */
static foray_status drop_unplanned(foray_run *run, int64_t id)
{
    fy_row row;
    fy_row_prepare(&row, run->store, "own",
                   "DELETE FROM piece WHERE kind = 'own' AND id < ?1"
                   " AND id NOT IN (SELECT own FROM plan)");
    fy_row_bind_int(&row, 1, id);
    fy_row_next(&row);
    return fy_row_end(&row);
}

static void write_own(fy_writer *writer, const foray_own *own)
{
    fy_write_double(writer, own->low);
    fy_write_double(writer, own->high);
    fy_write_double(writer, own->total_low);
    fy_write_double(writer, own->total_high);
    fy_write_u64(writer, own->guessed);
    for (int64_t i = 0; own->value && i < own->count; i++) {
        const foray_own_value *v = &own->value[i];
        const int32_t where[] = {(int32_t)v->state, (int32_t)v->action, (int32_t)v->next};
        fy_write_i32s(writer, where, 3);
        fy_write_double(writer, v->low);
        fy_write_double(writer, v->high);
        fy_write_u64(writer, (uint64_t)v->count);
    }
}

static foray_status put_own(foray_run *run, const foray_own *own, int64_t id)
{
    fy_writer writer = {.ctx = run->ctx};
    char *data = NULL, number[32];
    size_t size;
    write_own(&writer, own);
    foray_status status = fy_writer_take(&writer, "a world's own reward", &data, &size);
    if (status != FORAY_OK)
        return status;
    fy_format(number, sizeof number, "%" PRId64, id);
    status = fy_store_put_pieces(run->store, "own", id, data, size);
    if (status == FORAY_OK)
        status = drop_unplanned(run, id);
    if (status == FORAY_OK)
        status = fy_store_put_meta(run->store, "own", number);
    free(data);
    return status;
}

static foray_status store_own(foray_run *run, const foray_own *own)
{
    foray_status status = fy_store_begin(run->store, true);
    if (status != FORAY_OK)
        return status;
    status = put_own(run, own, run->own_id + 1);
    if (status == FORAY_OK)
        return fy_store_commit(run->store, &run->store->head);
    fy_store_rollback(run->store);
    return status;
}

static foray_status no_own(foray_run *run)
{
    return fy_store_damaged(run->store, "the world's own reward in it is impossible");
}

static foray_status check_own(foray_run *run, const foray_own *own);

static foray_status read_own(foray_run *run, const uint8_t *data, size_t size, foray_own *own)
{
    fy_reader reader = {.data = data, .size = size};
    own->low = fy_read_double(&reader);
    own->high = fy_read_double(&reader);
    own->total_low = fy_read_double(&reader);
    own->total_high = fy_read_double(&reader);
    uint64_t guessed = fy_read_u64(&reader);
    own->guessed = guessed;
    for (int64_t i = 0; i < own->count; i++) {
        int32_t where[3];
        fy_read_i32s(&reader, where, 3);
        double low = fy_read_double(&reader), high = fy_read_double(&reader);
        own->value[i] = (foray_own_value){where[0], where[1], where[2],
                                          low,      high,     (int64_t)fy_read_u64(&reader)};
    }
    if (reader.failed || guessed > 1)
        return no_own(run);
    foray_status status = check_own(run, own);
    return status == FORAY_ERROR_INPUT ? no_own(run) : status;
}

enum { HEAD_BYTES = 40, VALUE_BYTES = 36 };

foray_status fy_run_take_own(foray_run *run, int64_t id)
{
    foray_own own = {0};
    uint8_t *data = NULL;
    int64_t size;
    foray_status status = fy_pieces_size(run->store, "own", id, &size);
    if (status == FORAY_OK && (size < HEAD_BYTES || (size - HEAD_BYTES) % VALUE_BYTES != 0))
        status = no_own(run);
    if (status == FORAY_OK)
        status = fy_store_get_pieces(run->store, "own", id, (size_t)size, &data);
    own.count = status == FORAY_OK ? (size - HEAD_BYTES) / VALUE_BYTES : 0;
    if (own.count > 0 && !FY_ALLOC(run->ctx, own.value, own.count))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status = read_own(run, data, (size_t)size, &own);
    free(data);
    if (status != FORAY_OK) {
        free(own.value);
        return status;
    }
    fy_run_close_own(run);
    run->own = own;
    return FORAY_OK;
}

/* Number 0: there is none. */
foray_status fy_run_load_own(foray_run *run)
{
    char *text;
    foray_status status = fy_store_get_meta(run->store, "own", &text);
    if (status != FORAY_OK)
        return status;
    bool read = fy_integer_read(text, strlen(text), &run->own_id) && run->own_id >= 0;
    free(text);
    if (!read)
        return no_own(run);
    return run->own_id > 0 ? fy_run_take_own(run, run->own_id) : FORAY_OK;
}

/* ------------------------------------------------------------------ checking it */

static foray_status own_fails(foray_run *run, const foray_own_value *v, foray_status status)
{
    return fy_fail_within(run->ctx, status,
                          "the world's own reward %g for (s=%" PRId64 ", a=%" PRId64 ", s'=%" PRId64
                          ")",
                          v->low, v->state, v->action, v->next);
}

/* Is it about something that there may be? */
static bool is_possible(const foray_model *model, const foray_own_value *v)
{
    if (v->state < 0 || v->state >= model->states || v->action < -1 ||
        v->action >= model->actions || v->next < -1 || v->next >= model->states)
        return false;
    if (v->action < 0)
        return v->next < 0 && v->count == 0;
    int64_t pair = v->state * model->actions + v->action;
    if (!model->unstructured && !fy_available(model, pair))
        return false;
    return v->next < 0 || fy_model_find(model, pair, v->next) >= 0;
}

/* Are they values of the range, of a transition that there may be? */
static foray_status check_own_value(foray_run *run, const foray_own *own, const foray_own_value *v)
{
    if (!(v->low >= own->low && v->high <= own->high))
        return fy_fail(run->ctx, FORAY_ERROR_INPUT, "it is not between %.17g and %.17g", own->low,
                       own->high);
    if (!(v->low <= v->high) || v->count < 0 || v->count > (int64_t)1 << 53)
        return fy_fail(run->ctx, FORAY_ERROR_INPUT, "%g to %g, %" PRId64 " times, cannot be",
                       v->low, v->high, v->count);
    if (!is_possible(run->model, v))
        return fy_fail(run->ctx, FORAY_ERROR_INPUT, "the model rules that out");
    return FORAY_OK;
}

/* Can a step of an episode begin there? Of other states nothing matters, and nothing is kept. */
static bool is_begun(const foray_run *run, int64_t state)
{
    const foray_model *model = run->explorer ? run->explorer->model : run->model;
    if (state < 0 || state >= run->model->states)
        return true; /* which check_own_value refuses */
    int64_t here = fy_inside(model, state);
    return here >= 0 && here < fy_begun(model);
}

static foray_status check_own(foray_run *run, const foray_own *own)
{
    foray_status status = FORAY_OK;
    bool total = own->total_low != 0 || own->total_high != 0;
    if (!(own->low < own->high) || isinf(own->low) || isinf(own->high))
        return fy_fail(
            run->ctx, FORAY_ERROR_INPUT,
            "the range of the world's own reward: %.17g is not below %.17g, or too far from it",
            own->low, own->high);
    if (total &&
        (!(own->total_low < own->total_high) || isinf(own->total_low) || isinf(own->total_high)))
        return fy_fail(run->ctx, FORAY_ERROR_INPUT,
                       "the range of the totals of the world's own reward: %.17g is above "
                       "%.17g, or too far from it",
                       own->total_low, own->total_high);
    for (int64_t i = 0; i < own->count && status == FORAY_OK; i++) {
        if (!is_begun(run, own->value[i].state))
            continue;
        status = check_own_value(run, own, &own->value[i]);
        if (status != FORAY_OK)
            status = own_fails(run, &own->value[i], status);
    }
    return status;
}

foray_status foray_run_keep_own(foray_run *run, const foray_own *own)
{
    foray_own copy = *own;
    bool spoilt = run->spoilt; /* what was seen in an episode that broke off is true all the same */
    run->spoilt = false;
    foray_status status = fy_run_writable(run);
    run->spoilt = spoilt;
    if (status == FORAY_OK)
        status = check_own(run, own);
    if (status != FORAY_OK)
        return status;
    copy.value = NULL;
    if (own->count > 0 && !FY_ALLOC(run->ctx, copy.value, own->count))
        return FORAY_ERROR_MEMORY;
    copy.count = 0;
    for (int64_t i = 0; i < own->count; i++)
        if (is_begun(run, own->value[i].state))
            copy.value[copy.count++] = own->value[i];
    status = store_own(run, &copy);
    if (status != FORAY_OK) {
        free(copy.value);
        return status;
    }
    fy_run_close_own(run);
    run->own = copy;
    run->own_id++;
    return FORAY_OK;
}

/* ------------------------------------------------------------------- rewards */

/* What is said of one pair or transition, in the order in which the last of it was said. */
typedef struct group {
    int64_t state, action, next, last;
    int64_t first, values; /* of those that were drawn */
    double low, high;
    bool ranged; /* these were said, and are not those of all there is */
} group;

typedef struct grouped {
    int64_t groups;
    group *group;
    fy_drawn_value *drawn; /* [count] */
} grouped;

typedef struct entry {
    const foray_own_value *value;
    int64_t at;
} entry;

static int compare_entries(const void *one, const void *other)
{
    const entry *a = one, *b = other;
    const foray_own_value *v = a->value, *w = b->value;
    if (v->state != w->state)
        return v->state < w->state ? -1 : 1;
    if (v->action != w->action)
        return v->action < w->action ? -1 : 1;
    if (v->next != w->next)
        return v->next < w->next ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static int compare_groups(const void *one, const void *other)
{
    const group *a = one, *b = other;
    return a->last < b->last ? -1 : a->last > b->last;
}

/* Entries of a group together; what they say, but for what was drawn. */
static foray_status collect_groups(fy_arena *arena, const foray_own *own, grouped *out)
{
    entry *all;
    if (!FY_NEW(arena, all, own->count) || !FY_NEW(arena, out->group, own->count) ||
        !FY_NEW(arena, out->drawn, own->count))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < own->count; i++)
        all[i] = (entry){&own->value[i], i};
    if (own->count > 0)
        qsort(all, (size_t)own->count, sizeof *all, compare_entries);
    int64_t drawn = 0;
    for (int64_t i = 0; i < own->count; i++) {
        const foray_own_value *v = all[i].value, *before = i > 0 ? all[i - 1].value : NULL;
        if (!before || v->state != before->state || v->action != before->action ||
            v->next != before->next)
            out->group[out->groups++] = (group){.state = v->state,
                                                .action = v->action,
                                                .next = v->next,
                                                .first = drawn,
                                                .low = own->low,
                                                .high = own->high};
        group *g = &out->group[out->groups - 1];
        g->last = all[i].at;
        if (v->count == 0) {
            g->low = v->low;
            g->high = v->high;
            g->ranged = true;
            continue;
        }
        out->drawn[drawn++] = (fy_drawn_value){v->low, v->high, v->count};
        g->values++;
    }
    return FORAY_OK;
}

/* What share of delta every mean has, and `all`, what they have together: all pairs that there are,
 * and all transitions of which a range is known, whether anything was drawn there or not. 0:
 * nothing is drawn. */
static double share_of_means(const foray_run *run, const grouped *it, double *all)
{
    const foray_model *model = run->model;
    double means = 0, laws = 0;
    bool pairs = false, drawn = false;
    for (int64_t i = 0; i < it->groups; i++) {
        const group *g = &it->group[i];
        means += g->next >= 0 && g->low < g->high;
        pairs = pairs || (g->values > 0 && g->next < 0);
        drawn = drawn || g->values > 0;
    }
    means += !pairs                ? 0
             : model->unstructured ? (double)model->states * (double)model->actions
                                   : (double)model->available;
    if (model->unstructured)
        laws = (double)model->states * (double)model->actions + 1;
    for (int64_t g = 0; !model->unstructured && g < model->basis->blocks; g++)
        laws += model->basis->block[g].dim > 0;
    *all = drawn ? means / (means + laws) : 0;
    return drawn ? run->settings.delta / (means + laws) : 0;
}

/* The groups, each with the bounds of what it pays, or of the mean of that. */
static foray_status bound_groups(foray_run *run, fy_arena *arena, const foray_own *own,
                                 grouped *out, double *all)
{
    foray_status status = collect_groups(arena, own, out);
    if (status != FORAY_OK)
        return status;
    double share = share_of_means(run, out, all);
    for (int64_t i = 0; i < out->groups; i++) {
        group *g = &out->group[i];
        if (g->values > 0 && g->next >= 0 && !g->ranged)
            return fy_fail(run->ctx, FORAY_ERROR_INPUT,
                           "the world's own reward: numbers were drawn for (s=%" PRId64
                           ", a=%" PRId64 ", s'=%" PRId64 "), whose range nobody gave",
                           g->state, g->action, g->next);
        if (g->values > 0)
            fy_mean_bounds(g->values, out->drawn + g->first, share, &g->low, &g->high);
    }
    if (out->groups > 0)
        qsort(out->group, (size_t)out->groups, sizeof *out->group, compare_groups);
    return FORAY_OK;
}

static foray_status set_groups(foray_run *run, const grouped *it, foray_own_side side,
                               foray_reward *reward)
{
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < it->groups && status == FORAY_OK; i++) {
        const group *g = &it->group[i];
        double value = side == FORAY_OWN_LOW    ? g->low
                       : side == FORAY_OWN_HIGH ? g->high
                                                : g->high - g->low;
        status = foray_reward_set_next(run->ctx, reward, -1, g->state, g->action, g->next, value);
        if (status != FORAY_OK)
            status = own_fails(
                run, &(foray_own_value){g->state, g->action, g->next, g->low, g->high, 0}, status);
    }
    return status;
}

static foray_status make_side(foray_run *run, const grouped *it, double all, foray_own_side side,
                              foray_reward **out)
{
    const foray_own *own = &run->own;
    bool unseen = side == FORAY_OWN_UNSEEN;
    double width = own->high - own->low;
    double low = unseen ? 0 : own->low, high = unseen ? width : own->high;
    foray_reward *reward;
    foray_status status = foray_reward_create(run->ctx, run->model, unseen ? "unseen" : "own", low,
                                              high, side == FORAY_OWN_LOW ? low : high, &reward);
    if (status != FORAY_OK)
        return status;
    reward->spent = all;
    status = set_groups(run, it, side, reward);
    if (status == FORAY_OK)
        *out = reward;
    else
        foray_reward_destroy(reward);
    return status;
}

/* One side of it, or r- that knows r+ and the totals. */
static foray_status make_reward(foray_run *run, foray_own_side side, bool both, foray_reward **out)
{
    fy_arena scratch = {.ctx = run->ctx};
    grouped it = {0};
    double all = 0;
    foray_reward *reward = NULL, *above = NULL;
    if (run->own_id == 0)
        return fy_fail(run->ctx, FORAY_ERROR_USAGE,
                       "%s: no reward of the world's own is stored in it", run->store->path);
    foray_status status = bound_groups(run, &scratch, &run->own, &it, &all);
    if (status == FORAY_OK)
        status = make_side(run, &it, all, side, &reward);
    if (status == FORAY_OK && both)
        status = make_side(run, &it, all, FORAY_OWN_HIGH, &above);
    fy_arena_release(&scratch);
    if (status != FORAY_OK) {
        foray_reward_destroy(reward);
        return status;
    }
    if (both) {
        reward->above = above;
        reward->total_low = run->own.total_low;
        reward->total_high = run->own.total_high;
    }
    *out = reward;
    return FORAY_OK;
}

foray_status foray_run_own_reward(foray_run *run, foray_own_side side, foray_reward **out)
{
    return make_reward(run, side, false, out);
}

/* -------------------------------------------------------------------- a plan */

/* What the policy is worth for one of the rewards, as a policy of its own. */
static foray_status certify_side(foray_run *run, foray_explorer *explorer, foray_own_side side,
                                 const foray_policy *policy, foray_policy **out)
{
    foray_reward *reward;
    foray_policy *other;
    foray_status status = foray_run_own_reward(run, side, &reward);
    if (status != FORAY_OK)
        return status;
    status = fy_policy_copy(run->ctx, policy, &other);
    if (status == FORAY_OK) {
        status = foray_explorer_certify(explorer, reward, other);
        if (status == FORAY_OK)
            *out = other;
        else
            foray_policy_destroy(other);
    }
    foray_reward_destroy(reward);
    return status;
}

/* The certificate of the sum above. */
static void combine(const foray_run *run, const foray_policy *above, const foray_policy *unseen,
                    foray_policy *policy)
{
    double max = (run->own.high - run->own.low) * (double)run->model->horizon;
    policy->certificate = above->certificate;
    policy->certificate.gap =
        fmin((above->certificate.gap + fmax(unseen->high, 0)) * (1 + 4 * DBL_EPSILON), max);
    fy_certificate_classify(&policy->certificate, max);
    policy->high = above->high;
}

static foray_status certify_sides(foray_run *run, foray_explorer *explorer, foray_policy *policy)
{
    foray_policy *above = NULL, *unseen = NULL;
    foray_reward *low = NULL;
    foray_status status = foray_run_own_reward(run, FORAY_OWN_LOW, &low);
    if (status == FORAY_OK)
        status = foray_explorer_certify(explorer, low, policy);
    foray_reward_destroy(low);
    if (status == FORAY_OK)
        status = certify_side(run, explorer, FORAY_OWN_HIGH, policy, &above);
    if (status == FORAY_OK)
        status = certify_side(run, explorer, FORAY_OWN_UNSEEN, policy, &unseen);
    if (status == FORAY_OK)
        combine(run, above, unseen, policy);
    foray_policy_destroy(above);
    foray_policy_destroy(unseen);
    return status;
}

foray_status fy_run_certify_own(foray_run *run, foray_explorer *explorer, foray_policy *policy)
{
    foray_reward *reward = NULL;
    foray_status status = FORAY_OK;
    if (!fy_policy_is_plain(policy))
        status = certify_sides(run, explorer, policy);
    else if ((status = make_reward(run, FORAY_OWN_LOW, true, &reward)) == FORAY_OK)
        status = foray_explorer_certify(explorer, reward, policy);
    foray_reward_destroy(reward);
    if (status == FORAY_OK && run->own.guessed && policy->certificate.status == FORAY_CERTIFIED)
        fy_certificate_degrade(&policy->certificate, FORAY_ESTIMATE);
    return status;
}

foray_status foray_run_own_certify(foray_run *run, foray_policy *policy)
{
    return fy_run_certify_own(run, run->explorer, policy);
}

foray_status foray_run_own_plan(foray_run *run, foray_mode mode, bool store, foray_policy **out)
{
    foray_reward *low;
    foray_policy *policy = NULL;
    foray_status status = store ? fy_run_writable(run) : FORAY_OK;
    if (status == FORAY_OK)
        status = foray_run_own_reward(run, FORAY_OWN_LOW, &low);
    if (status != FORAY_OK)
        return status;
    const foray_reward *const rewards[] = {low};
    status = foray_explorer_plan(run->explorer, 1, rewards, mode, &policy);
    if (status == FORAY_OK)
        status = foray_run_own_certify(run, policy);
    if (status == FORAY_OK && store)
        status = fy_run_keep_plans(run, 1, rewards, &policy, run->own_id);
    foray_reward_destroy(low);
    if (status == FORAY_OK)
        *out = policy;
    else
        foray_policy_destroy(policy);
    return status;
}
