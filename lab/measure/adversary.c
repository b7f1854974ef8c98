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
#include "plan/policy.h"

#include <math.h>
#include <stdlib.h>

/* A step: how far towards r', and how much of r stays where occupancies are equal. */
typedef struct stride {
    double eta, keep;
} stride;
static const stride strides[] = {{1, 0}, {1, 1}, {0.5, 1}, {0.25, 1}, {0.125, 1}, {0.0625, 1}};
enum { STEPS = sizeof strides / sizeof *strides };

/* A reward, the policy planned for it, and its gap. */
typedef struct place {
    foray_reward *reward;
    foray_policy *planned;
    double gap;
} place;

typedef struct attack {
    foray_context *ctx;
    fy_truth *truth;
    foray_planner_fn plan;
    void *user;
    int64_t count;           /* climbs under way */
    place *climb;            /* [count] where each has come to */
    place *trial;            /* [count * STEPS] where it may go next */
    foray_reward **rewards;  /* [count * STEPS] those of the trials, for the planner */
    foray_policy **policies; /* [count * STEPS] what the planner made of them */
    int32_t *best;           /* [horizon][states] an optimal policy */
    double *q_best, *q_plan; /* [horizon][states] */
    place worst;
} attack;

static void leave(place *p)
{
    foray_reward_destroy(p->reward);
    foray_policy_destroy(p->planned);
    *p = (place){0};
}

/* What `from` holds moves to `to`. */
static void move(place *to, place *from)
{
    leave(to);
    *to = *from;
    *from = (place){0};
}

/* ------------------------------------------------------------------------ one step */

/* r'_t(s,a) of the head of this file; i = t * states + s, and `equal` is r' where
 * occupancies are equal. */
static double target(const attack *a, const int32_t *planned, int64_t i, int64_t action,
                     double equal)
{
    double q_best = action == a->best[i] ? a->q_best[i] : 0.0;
    double q_plan = action == planned[i] ? a->q_plan[i] : 0.0;
    return q_best > q_plan ? 1.0 : q_best < q_plan ? 0.0 : equal;
}

/* r + eta (r' - r) */
static foray_status step_reward(attack *a, const foray_reward *from, const int32_t *planned,
                                stride by, foray_reward **out)
{
    const foray_model *model = a->truth->model;
    foray_reward *next = NULL;
    foray_status status = foray_reward_create(a->ctx, model, "adversary", 0.0, &next);
    for (int64_t i = 0; i < model->horizon * model->pairs && status == FORAY_OK; i++) {
        int64_t t = i / model->pairs, p = i % model->pairs;
        int64_t s = p / model->actions, action = p % model->actions;
        double r = fy_reward_table(from, t)[p];
        r += by.eta * (target(a, planned, t * model->states + s, action, by.keep * r) - r);
        if (r > 0.0)
            status = foray_reward_set(a->ctx, next, t, s, action, r);
    }
    if (status == FORAY_OK)
        *out = next;
    else
        foray_reward_destroy(next);
    return status;
}

/* The trials of one climb. */
static foray_status prepare(attack *a, const place *from, place *trial)
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
static foray_status judge(attack *a, int64_t count, place *place_of)
{
    const foray_model *model = a->truth->model;
    for (int64_t i = 0; i < count; i++)
        a->rewards[i] = place_of[i].reward;
    foray_status status =
        a->plan(a->user, count, (const foray_reward *const *)a->rewards, a->policies);
    for (int64_t i = 0; i < count && status == FORAY_OK; i++) {
        place_of[i].planned = a->policies[i];
        a->policies[i] = NULL;
    }
    for (int64_t i = 0; i < count && status == FORAY_OK; i++) {
        place *p = &place_of[i];
        status = fy_policy_check(a->ctx, p->planned, model);
        if (status == FORAY_OK)
            p->gap = fy_gap(model, fy_truth_best(a->truth, p->reward, NULL),
                            fy_truth_value(a->truth, p->reward, p->planned->action));
    }
    return status;
}

/* -------------------------------------------------------------------------- climbs */

static place *worst_of(int64_t count, place *place_of)
{
    place *worst = place_of;
    for (int64_t i = 1; i < count; i++)
        if (place_of[i].gap > worst->gap)
            worst = &place_of[i];
    return worst;
}

/* A climb that gets no further ends, and leaves what it found if that is the worst. */
static void end_climb(attack *a, place *climb)
{
    if (!a->worst.reward || climb->gap > a->worst.gap)
        move(&a->worst, climb);
    leave(climb);
}

/* One step of every climb; those that found nothing worse end, the others close ranks. */
static foray_status play_round(attack *a)
{
    foray_status status = FORAY_OK;
    int64_t kept = 0;
    for (int64_t i = 0; i < a->count && status == FORAY_OK; i++)
        status = prepare(a, &a->climb[i], &a->trial[i * STEPS]);
    if (status == FORAY_OK)
        status = judge(a, a->count * STEPS, a->trial);
    for (int64_t i = 0; i < a->count && status == FORAY_OK; i++) {
        place *next = worst_of(STEPS, &a->trial[i * STEPS]);
        if (next->gap <= a->climb[i].gap) {
            end_climb(a, &a->climb[i]);
            continue;
        }
        move(&a->climb[i], next);
        if (kept < i)
            move(&a->climb[kept], &a->climb[i]);
        kept++;
    }
    for (int64_t i = 0; i < a->count * STEPS; i++)
        leave(&a->trial[i]);
    if (status == FORAY_OK)
        a->count = kept;
    return status;
}

static foray_status begin(attack *a, int64_t starts, const foray_reward *const *start)
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
    return status == FORAY_OK ? judge(a, starts, a->climb) : status;
}

static void finish(attack *a)
{
    for (int64_t i = 0; i < a->count; i++)
        leave(&a->climb[i]);
    free(a->climb);
    free(a->trial);
    free(a->rewards);
    free(a->policies);
    free(a->best);
    free(a->q_best);
    free(a->q_plan);
    leave(&a->worst);
}

foray_status fy_adversary(foray_context *ctx, fy_truth *truth, foray_planner_fn plan, void *user,
                          int64_t starts, const foray_reward *const *start, int64_t rounds,
                          double *gap, foray_reward **worst)
{
    attack a = {.ctx = ctx, .truth = truth, .plan = plan, .user = user};
    if (starts < 1 || rounds < 0)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "the adversary needs a reward to start from");
    foray_status status = begin(&a, starts, start);
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
    finish(&a);
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
