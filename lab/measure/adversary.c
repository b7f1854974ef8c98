/* adversary.c - climbs towards the reward whose planned policy is worst.
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
#include "measure/measure.h"
#include "policy/policy.h"

#include <math.h>
#include <stdlib.h>

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
    foray_planner_fn plan;
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
    foray_status status = foray_reward_create(a->ctx, model, "adversary", 0.0, &next);
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
        status = fy_policy_check(a->ctx, c->planned, model);
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

foray_status fy_adversary(foray_context *ctx, fy_truth *truth, foray_planner_fn plan, void *user,
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

foray_status foray_adversary(foray_context *ctx, const foray_model *model, foray_planner_fn plan,
                             void *user, int64_t starts, const foray_reward *const *start,
                             int64_t rounds, double *gap, foray_reward **worst)
{
    fy_truth *truth;
    foray_status status = fy_truth_create(ctx, model, &truth);
    if (status != FORAY_OK)
        return status;
    status = fy_adversary(ctx, truth, plan, user, starts, start, rounds, gap, worst);
    fy_truth_destroy(truth);
    return status;
}
