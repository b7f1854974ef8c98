/* own.c - a world's own reward, which is known only where it was seen.
 *
 * While a world is explored, what it pays is noted for every transition that happened; of all
 * others only the range [low, high] is known. Let r- and r+ be the rewards that take those to be
 * low and high. Whatever r is, r- <= r <= r+, so that for the policy pi that is planned for r-
 *
 *     V*_r - V^pi_r  <=  V*_r+ - V^pi_r-  =  (V*_r+ - V^pi_r+) + (V^pi_r+ - V^pi_r-)
 *
 * The first difference is at most the certificate of pi for r+. The second is (high - low) times
 * the number of unseen transitions that pi expects to meet: a reward, of whose value under pi the
 * upper bound is used. All hold on the same event of probability 1 - delta, so their sum is a
 * certificate for r. An event that was forgotten makes more transitions unseen, and nothing untrue.
 */
#include "plan/policy.h"
#include "plan/reward.h"
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

static foray_status put_own(foray_run *run, const foray_own *own, int64_t id)
{
    fy_writer writer = {.ctx = run->ctx};
    char *data = NULL, place[64];
    size_t size;
    fy_write_double(&writer, own->low);
    fy_write_double(&writer, own->high);
    for (int64_t i = 0; own->value && i < own->count; i++) {
        const foray_own_value *v = &own->value[i];
        const int32_t where[] = {(int32_t)v->state, (int32_t)v->action, (int32_t)v->next};
        fy_write_i32s(&writer, where, 3);
        fy_write_double(&writer, v->reward);
    }
    foray_status status = fy_writer_take(&writer, "a world's own reward", &data, &size);
    if (status != FORAY_OK)
        return status;
    fy_format(place, sizeof place, "%" PRId64 " %" PRId64, id, own->count);
    status = fy_store_put_pieces(run->store, "own", id, data, size);
    if (status == FORAY_OK)
        status = fy_store_drop_pieces_before(run->store, "own", id);
    if (status == FORAY_OK)
        status = fy_store_put_meta(run->store, "own", place);
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

static foray_status read_own(foray_run *run, const uint8_t *data, size_t size, foray_own *own)
{
    fy_reader reader = {.data = data, .size = size};
    own->low = fy_read_double(&reader);
    own->high = fy_read_double(&reader);
    for (int64_t i = 0; i < own->count; i++) {
        int32_t where[3];
        fy_read_i32s(&reader, where, 3);
        own->value[i] = (foray_own_value){where[0], where[1], where[2], fy_read_double(&reader)};
    }
    return reader.failed ? no_own(run) : FORAY_OK;
}

enum { HEAD_BYTES = 16, VALUE_BYTES = 20 };

static foray_status load_own(foray_run *run, int64_t id, int64_t count)
{
    foray_own own = {.count = count};
    uint8_t *data = NULL;
    size_t size = HEAD_BYTES + (size_t)count * VALUE_BYTES;
    foray_status status = fy_store_get_pieces(run->store, "own", id, size, &data);
    if (status == FORAY_OK && count > 0 && !FY_ALLOC(run->ctx, own.value, count))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status = read_own(run, data, size, &own);
    free(data);
    fy_run_close_own(run);
    run->own = own;
    run->own_id = id;
    return status;
}

/* Number 0: there is none. */
foray_status fy_run_load_own(foray_run *run)
{
    static const int64_t most = INT64_MAX / VALUE_BYTES - HEAD_BYTES;
    int64_t id = 0, count = 0;
    char *text;
    foray_status status = fy_store_get_meta(run->store, "own", &text);
    if (status != FORAY_OK)
        return status;
    char *space = strchr(text, ' ');
    if (space)
        *space = '\0';
    bool read = space && foray_whole_read(text, &id) && foray_whole_read(space + 1, &count) &&
                id >= 0 && count >= 0 && count < most;
    free(text);
    if (!read)
        return no_own(run);
    return id > 0 ? load_own(run, id, count) : FORAY_OK;
}

/* ------------------------------------------------------------------- rewards */

static foray_status own_fails(foray_run *run, const foray_own_value *v, foray_status status)
{
    return fy_fail_within(run->ctx, status,
                          "the world's own reward %g for (s=%" PRId64 ", a=%" PRId64 ", s'=%" PRId64
                          ")",
                          v->reward, v->state, v->action, v->next);
}

static foray_status make_reward(foray_run *run, const foray_own *own, foray_own_side side,
                                foray_reward **out)
{
    bool unseen = side == FORAY_OWN_UNSEEN;
    double width = own->high - own->low;
    double low = unseen ? 0 : own->low, high = unseen ? width : own->high;
    foray_reward *reward;
    foray_status status =
        foray_reward_create_between(run->ctx, run->model, unseen ? "unseen" : "own", low, high,
                                    side == FORAY_OWN_LOW ? low : high, &reward);
    if (status != FORAY_OK)
        return status;
    for (int64_t i = 0; i < own->count && status == FORAY_OK; i++) {
        const foray_own_value *v = &own->value[i];
        status = foray_reward_set_next(run->ctx, reward, -1, v->state, v->action, v->next,
                                       unseen ? 0 : v->reward);
        if (status != FORAY_OK)
            status = own_fails(run, v, status);
    }
    if (status == FORAY_OK)
        *out = reward;
    else
        foray_reward_destroy(reward);
    return status;
}

foray_status foray_run_own_reward(foray_run *run, foray_own_side side, foray_reward **out)
{
    if (run->own_id == 0)
        return fy_fail(run->ctx, FORAY_ERROR_USAGE,
                       "%s: no reward of the world's own is stored in it", run->store->path);
    return make_reward(run, &run->own, side, out);
}

/* Is it a value of the range, of a transition that there may be? */
static foray_status check_own_value(foray_run *run, const foray_own *own, const foray_own_value *v)
{
    const foray_model *model = run->model;
    if (!(v->reward >= own->low && v->reward <= own->high))
        return fy_fail(run->ctx, FORAY_ERROR_INPUT, "it is not between %.17g and %.17g", own->low,
                       own->high);
    bool every = v->action == -1 && v->next == -1;
    if (v->state < 0 || v->state >= model->states || (!every && v->action < 0) ||
        v->action >= model->actions || (!every && v->next < 0) || v->next >= model->states ||
        (!every && fy_model_find(model, v->state * model->actions + v->action, v->next) < 0))
        return fy_fail(run->ctx, FORAY_ERROR_INPUT, "the model rules that out");
    return FORAY_OK;
}

static foray_status check_own(foray_run *run, const foray_own *own)
{
    foray_status status = FORAY_OK;
    if (!(own->low < own->high) || isinf(own->low) || isinf(own->high))
        return fy_fail(
            run->ctx, FORAY_ERROR_INPUT,
            "the range of the world's own reward: %.17g is not below %.17g, or too far from it",
            own->low, own->high);
    for (int64_t i = 0; i < own->count && status == FORAY_OK; i++) {
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
    if (copy.count > 0 && !FY_ALLOC(run->ctx, copy.value, copy.count))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < copy.count; i++)
        copy.value[i] = own->value[i];
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
    status = foray_policy_create(run->ctx, run->model, FORAY_GIVEN, &other);
    if (status == FORAY_OK) {
        memcpy(other->action, policy->action,
               (size_t)(policy->horizon * policy->states) * sizeof *other->action);
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
    double most = (run->own.high - run->own.low) * (double)run->model->horizon;
    policy->certificate = above->certificate;
    policy->certificate.gap =
        fmin((above->certificate.gap + fmax(unseen->high, 0)) * (1 + 4 * DBL_EPSILON), most);
    fy_certificate_judge(&policy->certificate, most);
    policy->high = above->high;
}

foray_status fy_run_certify_own(foray_run *run, foray_explorer *explorer, foray_policy *policy)
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
        status = fy_run_keep_plans(run, 1, rewards, &policy);
    foray_reward_destroy(low);
    if (status == FORAY_OK)
        *out = policy;
    else
        foray_policy_destroy(policy);
    return status;
}
