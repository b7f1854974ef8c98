/* gaps.c - how much planned policies lose: the gap E_mu[V* - V^pi] over families of rewards, at a
 * reward that an adversary finds, and the worst of all of these. */
#include "measure/measure.h"
#include "explore/explorer.h"
#include "policy/policy.h"

#include <math.h>
#include <stdlib.h>

foray_status fy_plan_with_explorer(void *user, int64_t count, const foray_reward *const *rewards,
                                   foray_policy **policies)
{
    const fy_explorer_planner *planner = user;
    return foray_explorer_policies(planner->explorer, count, rewards, planner->mode, policies);
}

/* Rewards planned together: enough to fill the lanes, few enough that policies of a
 * large family need not be in memory at once. */
enum { BATCH = 8 * FY_LANES };

/* gap = E_mu V* - E_mu V^pi,  pi planned for the reward, both values exact in the true model. */
static foray_status measure_batch(foray_context *ctx, fy_truth *truth, const fy_family *family,
                                  fy_planner_fn plan, void *user, int64_t first, double *gap)
{
    const foray_reward *rewards[BATCH] = {NULL};
    foray_policy *policies[BATCH] = {0};
    int64_t left = family->count - first, count = left < BATCH ? left : BATCH;
    for (int64_t i = 0; i < count; i++)
        rewards[i] = family->reward[first + i];
    foray_status status = plan(user, count, rewards, policies);
    for (int64_t i = 0; i < count && status == FORAY_OK; i++) {
        status = fy_policy_check_plain(ctx, policies[i], truth->model, "this");
        if (status == FORAY_OK)
            status = fy_policy_fill(ctx, truth->model, policies[i]);
    }
    for (int64_t i = 0; i < count && status == FORAY_OK; i++)
        gap[first + i] = fy_gap(truth->model, family->optimal[first + i],
                                fy_truth_value(truth, rewards[i], policies[i]->action));
    fy_policies_destroy(count, policies);
    return status;
}

/* The rewards of a family with the two largest gaps, or its only one; returns how many. */
static int64_t two_worst(const fy_family *family, const double *gap, const foray_reward *worst[2])
{
    int64_t first = 0, second = -1;
    for (int64_t i = 1; i < family->count; i++)
        if (gap[i] > gap[first]) {
            second = first;
            first = i;
        } else if (second < 0 || gap[i] > gap[second]) {
            second = i;
        }
    worst[0] = family->reward[first];
    if (second < 0)
        return 1;
    worst[1] = family->reward[second];
    return 2;
}

foray_status fy_measure(foray_context *ctx, fy_truth *truth, const fy_family *family,
                        fy_planner_fn plan, void *user, double *gap, fy_gaps *out)
{
    double *own = NULL, sum = 0.0;
    int64_t count = family->count;
    foray_status status = fy_reward_check(ctx, family->reward[0], truth->model);
    if (status != FORAY_OK)
        return status;
    if (!gap && !FY_ALLOC(ctx, own, count))
        return FORAY_ERROR_MEMORY;
    gap = gap ? gap : own;
    for (int64_t first = 0; first < count && status == FORAY_OK; first += BATCH)
        status = measure_batch(ctx, truth, family, plan, user, first, gap);
    fy_gaps gaps = {.worst = -INFINITY};
    for (int64_t i = 0; i < count && status == FORAY_OK; i++) {
        sum += gap[i];
        if (gap[i] > gaps.worst) {
            gaps.worst = gap[i];
            gaps.worst_index = i;
        }
    }
    gaps.mean = sum / (double)count;
    if (status == FORAY_OK)
        *out = gaps;
    free(own);
    return status;
}

/* ----------------------------------------------------------------------- the adversary */

/* Climbs towards the reward whose planned policy is worst.
 *
 * With the occupancies q*, q of an optimal and of the planned policy for r, the gap is
 * <q* - q, r>: for these two policies it grows towards
 *
 *   r'_t(s,a) = 1 where q*_t(s,a) > q_t(s,a),  0 where less,  r_t(s,a) where equal
 *
 * The planned policy for r' is another one, and often a better one: so all of
 * r + eta (r' - r), eta = 1, 1/2, ..., 1/16, are planned for, and r' with 0 where equal
 * as well; the climb goes to the worst of them if it is worse than r. Several climbs go
 * on together, and share the passes over the model. */
/* A step: how far towards r', and how much of r stays where occupancies are equal. */
typedef struct stride {
    double eta, keep;
} stride;
static const stride strides[] = {{1, 0}, {1, 1}, {0.5, 1}, {0.25, 1}, {0.125, 1}, {0.0625, 1}};
enum { STEPS = sizeof strides / sizeof *strides };

/* A reward, the policy planned for it, and its gap. */
typedef struct candidate {
    foray_reward *reward;
    foray_policy *planned;
    double gap;
} candidate;

typedef struct attack {
    foray_context *ctx;
    fy_truth *truth;
    fy_planner_fn plan;
    void *user;
    int64_t count;           /* climbs under way */
    candidate *climb;        /* [count] where each has come to */
    candidate *trial;        /* [count * STEPS] where it may go next */
    foray_reward **rewards;  /* [count * STEPS] those of the trials, for the planner */
    foray_policy **policies; /* [count * STEPS] what the planner made of them */
    int32_t *best;           /* [horizon][states] an optimal policy */
    double *q_best, *q_plan; /* [horizon][states] */
    candidate worst;
} attack;

static void drop(candidate *c)
{
    foray_reward_destroy(c->reward);
    foray_policy_destroy(c->planned);
    *c = (candidate){0};
}

/* What `from` holds moves to `to`. */
static void move(candidate *to, candidate *from)
{
    drop(to);
    *to = *from;
    *from = (candidate){0};
}

/* ------------------------------------------------------------------------ one step */

/* r + eta (r' - r), with r' of the head of this file. */
static foray_status step_reward(attack *a, const foray_reward *from, const int32_t *planned,
                                stride by, foray_reward **out)
{
    const foray_model *model = a->truth->model;
    foray_reward *next = NULL;
    foray_status status = foray_reward_create(a->ctx, model, "adversary", 0, 1, 0.0, &next);
    for (int64_t i = 0; i < model->horizon * model->pairs && status == FORAY_OK; i++) {
        int64_t t = i / model->pairs, p = i % model->pairs;
        int64_t s = p / model->actions, action = p % model->actions, at = t * model->states + s;
        double r = fy_reward_table(from, t)[p];
        double q_best = action == a->best[at] ? a->q_best[at] : 0.0;
        double q_plan = action == planned[at] ? a->q_plan[at] : 0.0;
        double towards = q_best > q_plan ? 1.0 : q_best < q_plan ? 0.0 : by.keep * r;
        r += by.eta * (towards - r);
        if (r > 0.0 && fy_available(model, p))
            status = foray_reward_set(a->ctx, next, t, s, action, r);
    }
    if (status == FORAY_OK)
        *out = next;
    else
        foray_reward_destroy(next);
    return status;
}

/* The rewards that one climb may go to. */
static foray_status step_climb(attack *a, const candidate *from, candidate *trial)
{
    foray_status status = FORAY_OK;
    fy_truth_best(a->truth, from->reward, a->best);
    fy_truth_occupancy(a->truth, a->best, a->q_best);
    fy_truth_occupancy(a->truth, from->planned->action, a->q_plan);
    for (int i = 0; i < STEPS && status == FORAY_OK; i++)
        status = step_reward(a, from->reward, from->planned->action, strides[i], &trial[i].reward);
    return status;
}

/* Plans for several rewards and finds their gaps. */
static foray_status measure_candidates(attack *a, int64_t count, candidate *all)
{
    const foray_model *model = a->truth->model;
    for (int64_t i = 0; i < count; i++)
        a->rewards[i] = all[i].reward;
    foray_status status =
        a->plan(a->user, count, (const foray_reward *const *)a->rewards, a->policies);
    for (int64_t i = 0; i < count && status == FORAY_OK; i++) {
        all[i].planned = a->policies[i];
        a->policies[i] = NULL;
    }
    for (int64_t i = 0; i < count && status == FORAY_OK; i++) {
        candidate *c = &all[i];
        status = fy_policy_check_plain(a->ctx, c->planned, model, "this");
        if (status == FORAY_OK)
            status = fy_policy_fill(a->ctx, model, c->planned);
        if (status == FORAY_OK)
            c->gap = fy_gap(model, fy_truth_best(a->truth, c->reward, NULL),
                            fy_truth_value(a->truth, c->reward, c->planned->action));
    }
    return status;
}

/* -------------------------------------------------------------------------- climbs */

/* A climb that gets no further ends, and leaves what it found if that is the worst. */
static void end_climb(attack *a, candidate *climb)
{
    if (!a->worst.reward || climb->gap > a->worst.gap)
        move(&a->worst, climb);
    drop(climb);
}

/* One step of every climb, to the worst of its trials; those that found nothing worse end, the
 * others close ranks. */
static foray_status play_round(attack *a)
{
    foray_status status = FORAY_OK;
    int64_t going_on = 0;
    for (int64_t i = 0; i < a->count && status == FORAY_OK; i++)
        status = step_climb(a, &a->climb[i], &a->trial[i * STEPS]);
    if (status == FORAY_OK)
        status = measure_candidates(a, a->count * STEPS, a->trial);
    for (int64_t i = 0; i < a->count && status == FORAY_OK; i++) {
        candidate *trial = &a->trial[i * STEPS], *next = trial;
        for (int j = 1; j < STEPS; j++)
            next = trial[j].gap > next->gap ? &trial[j] : next;
        if (next->gap <= a->climb[i].gap) {
            end_climb(a, &a->climb[i]);
            continue;
        }
        move(&a->climb[i], next);
        if (going_on < i)
            move(&a->climb[going_on], &a->climb[i]);
        going_on++;
    }
    for (int64_t i = 0; i < a->count * STEPS; i++)
        drop(&a->trial[i]);
    if (status == FORAY_OK)
        a->count = going_on;
    return status;
}

static foray_status begin_climbs(attack *a, int64_t starts, const foray_reward *const *start)
{
    const foray_model *model = a->truth->model;
    int64_t size = model->horizon * model->states, trials;
    if (__builtin_mul_overflow(starts, (int64_t)STEPS, &trials))
        return fy_fail(a->ctx, FORAY_ERROR_MEMORY, "too many starts");
    if (!FY_ALLOC(a->ctx, a->climb, starts) || !FY_ALLOC(a->ctx, a->trial, trials) ||
        !FY_ALLOC(a->ctx, a->rewards, trials) || !FY_ALLOC(a->ctx, a->policies, trials) ||
        !FY_ALLOC(a->ctx, a->best, size) || !FY_ALLOC(a->ctx, a->q_best, size) ||
        !FY_ALLOC(a->ctx, a->q_plan, size))
        return FORAY_ERROR_MEMORY;
    a->count = starts;
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < starts && status == FORAY_OK; i++) {
        status = fy_reward_check(a->ctx, start[i], model);
        if (status == FORAY_OK)
            status = fy_reward_copy(a->ctx, start[i], &a->climb[i].reward);
    }
    return status == FORAY_OK ? measure_candidates(a, starts, a->climb) : status;
}

static void release_attack(attack *a)
{
    for (int64_t i = 0; i < a->count; i++)
        drop(&a->climb[i]);
    free(a->climb);
    free(a->trial);
    free(a->rewards);
    free(a->policies);
    free(a->best);
    free(a->q_best);
    free(a->q_plan);
    drop(&a->worst);
}

foray_status fy_adversary(foray_context *ctx, fy_truth *truth, fy_planner_fn plan, void *user,
                          int64_t starts, const foray_reward *const *start, int64_t rounds,
                          double *gap, foray_reward **worst)
{
    attack a = {.ctx = ctx, .truth = truth, .plan = plan, .user = user};
    if (starts < 1 || rounds < 0)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "the adversary needs a reward to start from");
    foray_status status = begin_climbs(&a, starts, start);
    for (int64_t round = 0; round < rounds && a.count > 0 && status == FORAY_OK; round++)
        status = play_round(&a);
    for (int64_t i = 0; i < a.count && status == FORAY_OK; i++)
        end_climb(&a, &a.climb[i]);
    if (status == FORAY_OK) {
        *gap = a.worst.gap;
        if (worst) {
            *worst = a.worst.reward;
            a.worst.reward = NULL;
        }
    }
    release_attack(&a);
    return status;
}

/* ----------------------------------------------------- the worst gap that can be found */

foray_status fy_worst_search_share(foray_context *ctx, const foray_model *model,
                                   fy_family *const *family, fy_worst_search **out)
{
    fy_worst_search *search = fy_alloc(ctx, 1, sizeof *search);
    if (!search)
        return FORAY_ERROR_MEMORY;
    search->shared = true;
    foray_status status = fy_truth_create(ctx, model, &search->truth);
    for (int f = 0; f < FY_FAMILIES && status == FORAY_OK; f++) {
        search->family[f] = family[f];
        if (!FY_ALLOC(ctx, search->gap[f], family[f]->count))
            status = FORAY_ERROR_MEMORY;
    }
    if (status == FORAY_OK)
        *out = search;
    else
        fy_worst_search_destroy(search);
    return status;
}

foray_status fy_worst_search_create(foray_context *ctx, const foray_model *model, int64_t rewards,
                                    uint64_t seed, fy_worst_search **out)
{
    fy_family *family[FY_FAMILIES] = {NULL};
    foray_status status = fy_families_create(ctx, model, rewards, rewards, seed, family);
    if (status == FORAY_OK)
        status = fy_worst_search_share(ctx, model, family, out);
    if (status == FORAY_OK)
        (*out)->shared = false;
    else
        fy_families_destroy(family);
    return status;
}

void fy_worst_search_destroy(fy_worst_search *search)
{
    if (!search)
        return;
    for (int f = 0; f < FY_FAMILIES; f++)
        free(search->gap[f]);
    if (!search->shared)
        fy_families_destroy(search->family);
    fy_truth_destroy(search->truth);
    free(search);
}

foray_status fy_worst_search_run(foray_context *ctx, fy_worst_search *search,
                                 foray_explorer *explorer, foray_mode mode, int64_t rounds,
                                 double *gap, foray_reward **worst)
{
    const foray_reward *start[2 * FY_FAMILIES];
    int64_t starts = 0;
    fy_explorer_planner planner = {explorer, mode};
    for (int f = 0; f < FY_FAMILIES; f++) {
        foray_status status =
            fy_measure(ctx, search->truth, search->family[f], fy_plan_with_explorer, &planner,
                       search->gap[f], &search->gaps[f]);
        if (status != FORAY_OK)
            return status;
        starts += two_worst(search->family[f], search->gap[f], start + starts);
    }
    return fy_adversary(ctx, search->truth, fy_plan_with_explorer, &planner, starts, start, rounds,
                        gap, worst);
}
