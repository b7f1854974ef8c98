/* plan.c - plans and certificates on what was seen of an open model, backwards from the last step.
 *
 *   Q^_h(s,a)  = r + g sum_i q_i V^(s_i)             never tried: the least that can follow
 *   pi_h(s)    = argmax of Q^ (plug-in), of Q_up or of Q_low
 *   up         = max_a [r + g sup pV_up]             at least the value of the best policy
 *   high, low  = r + g sup pV_high,  r + g inf pV_low   at pi_h(s): the policy's own value
 *   gap        = max{ g sup p gap at pi_h(s),  Q_up(s,a) - low(s) for other a }, within [0, up -
 * low]
 *
 * sup and inf over the laws of the sets (laws.h), in which states that were never seen may be worth
 * anything that the reward allows: from lo_h to hi_h. V* - V^pi <= gap for all laws in the sets: if
 * the best action is pi_h(s), both follow the same law; if not, its value is at most Q_up. */
#include "explore/open/plan.h"
#include "plan/policy.h"
#include "plan/reward.h"

#include <math.h>
#include <stdlib.h>

typedef struct values {
    double *up, *high, *low, *guess, *gap; /* [states seen] */
} values;

typedef struct planning {
    const foray_explorer *explorer;
    const fy_laws *laws;
    const foray_reward *reward;
    foray_mode mode;
    bool given;
    int64_t states;   /* seen */
    double *lo, *hi;  /* [horizon+1] what the reward can still give */
    values now, next; /* of step t and t + 1 */
    double *all;      /* behind them */
    double *q;        /* [3][actions] Q_up, Q^, Q_low of a state */
    foray_policy *policy;
} planning;

/* ----------------------------------------------------------------------- ranges */

/* lo_t = min r_t + g lo_{t+1}, over all (s,a), seen or not; hi the same with max. */
static void find_ranges(planning *p)
{
    const foray_reward *reward = p->reward;
    int64_t H = reward->horizon, pairs = reward->states * reward->actions;
    const double *last = NULL;
    double least = 0, most = 0;
    p->lo[H] = p->hi[H] = reward->fixed ? reward->ending : 0;
    for (int64_t t = H - 1; t >= 0; t--) {
        const double *r = fy_reward_table(reward, t);
        for (int64_t i = 0; i < pairs && r != last; i++) {
            least = i == 0 ? r[i] : fmin(least, r[i]);
            most = i == 0 ? r[i] : fmax(most, r[i]);
        }
        last = r;
        p->lo[t] = reward->fixed ? 0 : least + reward->discount * p->lo[t + 1];
        p->hi[t] = reward->fixed ? 1 : most + reward->discount * p->hi[t + 1];
    }
}

/* ------------------------------------------------------------------------ a step */

typedef struct place {
    int64_t t, at, state;
    const double *r; /* [actions] of the state; NULL: an episode that goes on earns nothing */
    double g;
} place;

static double earned(const place *x, int64_t a)
{
    return x->r ? x->r[a] : 0;
}

/* Under the law of an action: what follows an absorbing state is known. */
typedef double expectation(const fy_laws *laws, int64_t law, const double *value, double lo,
                           double hi);

static double after(const planning *p, const place *x, int64_t a, const double *value, double lo,
                    double hi, expectation *of)
{
    const fy_seen *seen = p->laws->seen;
    return seen->absorbing[x->at] ? value[x->at]
                                  : of(p->laws, fy_seen_law(seen, x->at, a), value, lo, hi);
}

static double mean_of(const fy_laws *laws, int64_t law, const double *value, double lo, double hi)
{
    (void)hi;
    return fy_laws_mean(laws, law, value, lo);
}

static int64_t best_of(const double *q, int64_t actions)
{
    int64_t best = 0;
    for (int64_t a = 1; a < actions; a++)
        best = q[a] > q[best] ? a : best;
    return best;
}

/* Q of every action in a state, as far as the choice needs them, and the choice. */
static int64_t choose(planning *p, const place *x)
{
    int64_t A = p->reward->actions;
    double lo = p->lo[x->t + 1], hi = p->hi[x->t + 1];
    double *up = p->q, *guess = p->q + A, *low = p->q + 2 * A;
    for (int64_t a = 0; a < A; a++) {
        double r = earned(x, a);
        up[a] = r + x->g * after(p, x, a, p->next.up, lo, hi, fy_laws_high);
        guess[a] = r + x->g * after(p, x, a, p->next.guess, lo, hi, mean_of);
        if (p->mode == FORAY_PESSIMISTIC && !p->given)
            low[a] = r + x->g * after(p, x, a, p->next.low, lo, hi, fy_laws_low);
    }
    if (p->given)
        return p->policy->action[x->t * p->reward->states + x->state];
    return best_of(p->mode == FORAY_OPTIMISTIC ? up : p->mode == FORAY_PLUGIN ? guess : low, A);
}

static void value_place(planning *p, const place *x)
{
    int64_t A = p->reward->actions, at = x->at, pi = choose(p, x);
    double lo = p->lo[x->t + 1], hi = p->hi[x->t + 1], r = earned(x, pi), gap = 0;
    const double *up = p->q, *guess = p->q + A;
    p->now.up[at] = up[best_of(up, A)];
    p->now.guess[at] = guess[pi];
    p->now.high[at] = r + x->g * after(p, x, pi, p->next.high, lo, hi, fy_laws_high);
    p->now.low[at] = r + x->g * after(p, x, pi, p->next.low, lo, hi, fy_laws_low);
    gap = x->g * after(p, x, pi, p->next.gap, 0, hi - lo, fy_laws_high);
    for (int64_t a = 0; a < A; a++)
        if (a != pi)
            gap = fmax(gap, up[a] - p->now.low[at]);
    p->now.gap[at] = fmin(fmax(gap, 0), fmax(p->now.up[at] - p->now.low[at], 0));
    p->policy->action[x->t * p->reward->states + x->state] = (int32_t)pi;
}

/* Where a reward stops everything is known. */
static void fix(planning *p, int64_t at, double value)
{
    p->now.up[at] = p->now.high[at] = p->now.low[at] = p->now.guess[at] = value;
    p->now.gap[at] = 0;
}

static void step_back(planning *p, int64_t t)
{
    const foray_reward *reward = p->reward;
    const double *r = reward->fixed ? NULL : fy_reward_table(reward, t);
    for (int64_t i = 0; i < p->states; i++) {
        int64_t state = p->laws->seen->state[i];
        const place x = {t, i, state, r ? r + state * reward->actions : NULL, reward->discount};
        if (reward->fixed && !isnan(reward->fixed[state]))
            fix(p, i, reward->fixed[state]);
        else
            value_place(p, &x);
    }
}

/* ----------------------------------------------------------------- first states */

/* Where episodes begin is known, or law 0. Known states that were never seen may be worth
 * anything. */
static double at_first(const planning *p, const double *value, double lo, double hi, double unseen,
                       expectation *of)
{
    const foray_model *model = p->explorer->model;
    double sum = 0;
    if (model->initials == 0)
        return of(p->laws, 0, value, lo, hi);
    for (int64_t i = 0; i < model->initials; i++) {
        int64_t at = fy_seen_find(p->laws->seen, model->initial_state[i]);
        sum += model->initial_probability[i] * (at >= 0 ? value[at] : unseen);
    }
    return sum;
}

static foray_certificate certificate_of(const foray_explorer *explorer, double gap, double most)
{
    const foray_settings *settings = &explorer->settings;
    foray_certificate certificate = {
        .gap = gap,
        .delta = settings->delta,
        .radius = FORAY_RADIUS_COUNTS,
        .bound = FORAY_BOUND_COUNTS,
        .status = settings->radius_scale >= 1.0 ? FORAY_CERTIFIED : FORAY_HEURISTIC,
    };
    fy_certificate_judge(&certificate, most);
    return certificate;
}

static void finish(planning *p)
{
    foray_policy *policy = p->policy;
    const values *v = &p->next; /* of step 0: they have just changed places */
    double lo = p->lo[0], hi = p->hi[0];
    policy->mode = p->mode;
    policy->low = at_first(p, v->low, lo, hi, lo, fy_laws_low);
    policy->high = at_first(p, v->high, lo, hi, hi, fy_laws_high);
    policy->expected =
        fmin(fmax(at_first(p, v->guess, lo, hi, lo, mean_of), policy->low), policy->high);
    double up = at_first(p, v->up, lo, hi, hi, fy_laws_high);
    double gap = at_first(p, v->gap, 0, hi - lo, hi - lo, fy_laws_high);
    policy->value[FORAY_OPTIMISTIC] = up;
    policy->value[FORAY_PLUGIN] = policy->expected;
    policy->value[FORAY_PESSIMISTIC] = policy->low;
    gap = fmin(gap, fmax(up - policy->low, 0));
    policy->certificate = certificate_of(p->explorer, gap, p->hi[0] - p->lo[0]);
}

/* -------------------------------------------------------------------------- whole */

/* `which` of the two in the array behind them. */
static values lay_out(planning *p, int64_t which)
{
    double *at = p->all + which * 5 * p->states;
    return (values){.up = at,
                    .high = at + p->states,
                    .low = at + 2 * p->states,
                    .guess = at + 3 * p->states,
                    .gap = at + 4 * p->states};
}

static foray_status prepare(planning *p)
{
    foray_context *ctx = p->explorer->ctx;
    int64_t H = p->reward->horizon;
    if (!FY_ALLOC(ctx, p->lo, H + 1) || !FY_ALLOC(ctx, p->hi, H + 1) ||
        !FY_ALLOC(ctx, p->all, 10 * p->states) || !FY_ALLOC(ctx, p->q, 3 * p->reward->actions))
        return FORAY_ERROR_MEMORY;
    p->now = lay_out(p, 0);
    p->next = lay_out(p, 1);
    find_ranges(p);
    for (int64_t i = 0; i < p->states; i++) {
        double value = p->reward->fixed ? p->reward->fixed[p->laws->seen->state[i]] : 0;
        double end = isnan(value) ? p->reward->ending : value;
        p->next.up[i] = p->next.high[i] = p->next.low[i] = p->next.guess[i] = end;
    }
    if (p->reward->fixed) { /* unseen states may be decided, too */
        p->lo[H] = 0;
        p->hi[H] = 1;
    }
    return FORAY_OK;
}

foray_status fy_open_plan(const foray_explorer *explorer, const fy_laws *laws,
                          const foray_reward *reward, foray_mode mode, bool given,
                          foray_policy *policy)
{
    planning p = {.explorer = explorer,
                  .laws = laws,
                  .reward = reward,
                  .mode = mode,
                  .given = given,
                  .states = laws->seen->states,
                  .policy = policy};
    foray_status status = prepare(&p);
    for (int64_t t = reward->horizon - 1; t >= 0 && status == FORAY_OK; t--) {
        step_back(&p, t);
        const values swap = p.now;
        p.now = p.next;
        p.next = swap;
        if (fy_stopped(explorer->ctx))
            status = FORAY_INTERRUPTED;
    }
    if (status == FORAY_OK)
        finish(&p);
    free(p.lo);
    free(p.hi);
    free(p.all);
    free(p.q);
    return status;
}

/* -------------------------------------------------------------------- all rewards */

/* |V^^pi - V^pi| <= E for all policies and rewards in [0,1], V^ being the value under q:
 *
 *   E_h(s,a) = min{ H-h+1, (H-h) d(s,a) + sum_i q_i max_b E_{h+1}(s_i,b) },   d: fy_laws_distance
 *
 * and the plug-in plan loses at most twice that. */
static void error_back(const fy_laws *laws, double left, const double *next, double *now)
{
    const fy_seen *seen = laws->seen;
    for (int64_t i = 0; i < seen->states; i++) {
        now[i] = 0;
        for (int64_t a = 0; a < seen->actions && !seen->absorbing[i]; a++) {
            int64_t law = fy_seen_law(seen, i, a);
            double error = left * fy_laws_distance(laws, law) + fy_laws_mean(laws, law, next, left);
            now[i] = fmax(now[i], fmin(error, left));
        }
    }
}

foray_status fy_open_bound(const foray_explorer *explorer, const fy_laws *laws,
                           foray_certificate *out)
{
    const foray_model *model = explorer->model;
    int64_t states = laws->seen->states;
    double H = (double)model->horizon, sum = 0, *now, *next;
    bool room = FY_ALLOC(explorer->ctx, now, states);
    room = FY_ALLOC(explorer->ctx, next, states) && room;
    for (int64_t t = model->horizon - 1; room && t >= 0; t--) {
        error_back(laws, (double)(model->horizon - 1 - t), next, now);
        double *swap = now;
        now = next;
        next = swap;
    }
    if (room && model->initials == 0)
        sum = H * fy_laws_distance(laws, 0) + fy_laws_mean(laws, 0, next, H);
    for (int64_t i = 0; room && i < model->initials; i++) {
        int64_t at = fy_seen_find(laws->seen, model->initial_state[i]);
        sum += model->initial_probability[i] * (at >= 0 ? next[at] : H);
    }
    free(now);
    free(next);
    if (!room)
        return FORAY_ERROR_MEMORY;
    *out = certificate_of(explorer, fmin(2 * sum, H), H);
    return FORAY_OK;
}
