/* plan.c - plans and certificates on what was seen of an unstructured model, backwards from the
 * last step.
 *
 *   Q^_h(s,a)  = sum_i q_i [r + g V^(s_i)]           never tried: the least that can follow
 *   pi_h(s)    = argmax of Q^ (plug-in), of Q_up or of Q_low
 *   up         = max_a sup p[r + gV_up]              at least the value of the best policy
 *   high, low  = sup p[r + gV_high],  inf p[r + gV_low]   at pi_h(s): the policy's own value
 *   gap        = max{ g sup p gap at pi_h(s),  Q_up(s,a) - low(s) for other a }, within [0, up -
 * low]
 *
 * where r may depend on what follows: r(s,a,s_i) belongs to p. Where it does not, it is added last.
 *
 * Where the reward lies between r- and r+ (fy_reward.above), r is r+ in Q_up and high, r- in Q^ and
 * low, and equal actions earn the same. Where episodes pay between LO and HI in all, so many steps
 * can have paid anything before, m_h = lo (h-1) at least and M_h at most, and HI - m_h and LO - M_h
 * cut lo_h and hi_h, r_j + V_j, and what was drawn after its mean: see certify/gap_paid.h.
 *
 * sup and inf over the laws of the sets (laws.h), in which states that were never seen may be worth
 * anything that the reward allows: from lo_h to hi_h. V* - V^pi <= gap for all laws in the sets: if
 * the best action is pi_h(s), both follow the same law; if not, its value is at most Q_up. */
#include "explore/unstructured/plan.h"
#include "policy/policy.h"
#include "reward/reward.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------- what a step earns */

/* What the pairs and transitions that were seen earn in a step.
 *
 * Where a reward is r(s,a) this is its table. Where it depends on what follows, r(s,a,s_i) is found
 * once for every successor seen, with the range of r(s,a,.) over *all* states, because any state
 * may follow. The range is that of the function, in whatever way it was said. */
typedef struct reward_span {
    double min, max; /* of r(s,a,s') over next states about which something is said, */
    int64_t said;    /* and how many these are */
} reward_span;

typedef struct step_reward {
    const fy_laws *laws;
    const foray_reward *reward;
    const double *pair;           /* [states*actions] r of this step; NULL: nothing is earned */
    const fy_reward_rules *rules; /* the step's; NULL: it does not depend on what follows */
    double *ahead;                /* [entries] r(s,a,s_i) */
    double *min, *max;            /* [laws] of r(s,a,.) */
    reward_span *every, *here;    /* [actions] of a state that no rule names, and of one */
    int32_t *order;               /* rules: those about every state, then those about each */
    int32_t *first;               /* [states+2] where these begin in it */
} step_reward;

static int64_t max_rules(const foray_reward *reward)
{
    int64_t max = 0;
    for (int64_t i = 0; i < reward->tables; i++)
        if (reward->table[i].rules.count > max)
            max = reward->table[i].rules.count;
    return max;
}

static foray_status create_step_reward(fy_arena *arena, const fy_laws *laws,
                                       const foray_reward *reward, step_reward *earned)
{
    int64_t seen = fy_seen_laws(laws->seen);
    earned->laws = laws;
    earned->reward = reward;
    if (!fy_reward_looks_ahead(reward))
        return FORAY_OK;
    bool room = FY_NEW(arena, earned->ahead, laws->seen->entries) &&
                FY_NEW(arena, earned->min, seen) && FY_NEW(arena, earned->max, seen) &&
                FY_NEW(arena, earned->every, reward->actions) &&
                FY_NEW(arena, earned->here, reward->actions) &&
                FY_NEW(arena, earned->order, max_rules(reward)) &&
                FY_NEW(arena, earned->first, reward->states + 2);
    return room ? FORAY_OK : FORAY_ERROR_MEMORY;
}

/* r(s,a) of the step, where it does not depend on what follows. */
static double reward_of_pair(const step_reward *earned, int64_t state, int64_t action)
{
    return earned->pair ? earned->pair[state * earned->reward->actions + action] : 0;
}

static double reward_alike(const step_reward *earned, int64_t state, int64_t action, int64_t law)
{
    return earned->rules ? earned->min[law] : reward_of_pair(earned, state, action);
}

/* Does r(s,a,s') depend on s'? If not it is r(s,a), with the same numbers in whatever way it was
 * said. */
static bool reward_varies(const step_reward *earned, int64_t law)
{
    return earned->rules && earned->min[law] < earned->max[law];
}

static double following(const step_reward *earned, int64_t state, int64_t action, int64_t next)
{
    const fy_reward_rule *rule = fy_reward_rules_find(earned->rules, state, action, next);
    return rule ? fy_reward_to_unit(earned->reward, rule->value)
                : reward_of_pair(earned, state, action);
}

/* r(s,a,s) of an absorbing state. */
static double reward_staying(const step_reward *earned, int64_t state, int64_t action)
{
    return earned->rules ? following(earned, state, action, state)
                         : reward_of_pair(earned, state, action);
}

/* ---------------------------------------------------------------- ranges over all states */

static void widen(reward_span *span, double value)
{
    span->min = fmin(span->min, value);
    span->max = fmax(span->max, value);
}

static void clear_spans(reward_span *span, int64_t actions)
{
    for (int64_t a = 0; a < actions; a++)
        span[a] = (reward_span){.min = INFINITY, .max = -INFINITY};
}

/* The rules by their states, each group in the order in which they were said. */
static void sort_rules(step_reward *earned, const fy_reward_rules *rules)
{
    int32_t *first = earned->first;
    int64_t groups = earned->reward->states + 1;
    for (int64_t g = 0; g <= groups; g++)
        first[g] = 0;
    for (int64_t i = 0; i < rules->count; i++)
        if (rules->rule[i].state != FY_RULE_GONE)
            first[rules->rule[i].state + 1]++;
    for (int64_t g = 1; g <= groups; g++) /* where each ends */
        first[g] += first[g - 1];
    for (int64_t i = rules->count - 1; i >= 0; i--)
        if (rules->rule[i].state != FY_RULE_GONE)
            earned->order[--first[rules->rule[i].state + 1]] = (int32_t)i;
}

/* What the rules of a group say about a state, unless a later one says something else. */
static void take_group(const step_reward *earned, const fy_reward_rules *rules, int64_t group,
                       int64_t state, reward_span *span)
{
    for (int64_t i = earned->first[group]; i < earned->first[group + 1]; i++) {
        const fy_reward_rule *rule = &rules->rule[earned->order[i]];
        int64_t a = rule->action < 0 ? 0 : rule->action;
        int64_t end = rule->action < 0 ? earned->reward->actions : a + 1;
        for (; rule->next >= 0 && a < end; a++)
            if (fy_reward_rules_find(rules, state, a, rule->next) == rule) {
                widen(&span[a], fy_reward_to_unit(earned->reward, rule->value));
                span[a].said++;
            }
    }
}

/* Before spans_of: what is the same in all states that no rule names. */
static void take_rules(step_reward *earned, const fy_reward_rules *rules)
{
    sort_rules(earned, rules);
    clear_spans(earned->every, earned->reward->actions);
    take_group(earned, rules, 0, -1, earned->every);
}

/* [actions] of a state, until the next one is asked for. */
static const reward_span *spans_of(const step_reward *earned, const fy_reward_rules *rules,
                                   int64_t state)
{
    if (earned->first[state + 1] == earned->first[state + 2])
        return earned->every;
    clear_spans(earned->here, earned->reward->actions);
    take_group(earned, rules, 0, state, earned->here);
    take_group(earned, rules, state + 1, state, earned->here);
    return earned->here;
}

/* Where nothing is said about a next state, what belongs to the pair counts. */
static reward_span with_pair(const step_reward *earned, reward_span span, double pair)
{
    if (span.said < earned->reward->states)
        widen(&span, pair);
    return span;
}

/* r(s,a,s_i) of the successors seen, and the range of all. */
static void fill_state(step_reward *earned, int64_t place)
{
    const fy_laws *laws = earned->laws;
    int64_t state = laws->seen->state[place];
    const reward_span *span = spans_of(earned, earned->rules, state);
    for (int64_t a = 0; a < laws->seen->actions; a++) {
        int64_t law = fy_seen_law(laws->seen, place, a);
        reward_span all = with_pair(earned, span[a], reward_of_pair(earned, state, a));
        earned->min[law] = all.min;
        earned->max[law] = all.max;
        for (int64_t i = laws->start[law]; i < laws->start[law + 1]; i++)
            earned->ahead[i] = following(earned, state, a, laws->seen->state[laws->next[i]]);
    }
}

static void go_to_step(step_reward *earned, int64_t t)
{
    const foray_reward *reward = earned->reward;
    const fy_reward_rules *all = fy_reward_rules_of(reward, t);
    const fy_reward_rules *rules = all->ahead > 0 ? all : NULL;
    const double *pair = reward->fixed ? NULL : fy_reward_table(reward, t);
    bool same = pair == earned->pair && earned->rules == rules;
    earned->pair = pair;
    earned->rules = rules;
    if (!rules || same)
        return;
    take_rules(earned, rules);
    for (int64_t i = 0; i < earned->laws->seen->states; i++)
        fill_state(earned, i);
}

/* The least and the most that any (s,a,s') earns in step t. */
static void range_of_step(step_reward *earned, int64_t t, double *min, double *max)
{
    const foray_reward *reward = earned->reward;
    const double *pair = fy_reward_table(reward, t);
    const fy_reward_rules *rules = fy_reward_rules_of(reward, t);
    int64_t A = reward->actions;
    reward_span all = {.min = INFINITY, .max = -INFINITY};
    if (rules->ahead > 0)
        take_rules(earned, rules);
    for (int64_t s = 0; s < reward->states; s++) {
        const reward_span *span = rules->ahead > 0 ? spans_of(earned, rules, s) : NULL;
        for (int64_t a = 0; a < A && !span; a++)
            widen(&all, pair[s * A + a]);
        for (int64_t a = 0; a < A && span; a++) {
            reward_span one = with_pair(earned, span[a], pair[s * A + a]);
            widen(&all, one.min);
            widen(&all, one.max);
        }
    }
    *min = all.min;
    *max = all.max;
}

/* ------------------------------------------------------------- the plan at work */

typedef struct values {
    double *up, *high, *low, *guess, *gap; /* [states seen] */
} values;

typedef struct planning {
    const foray_explorer *explorer;
    fy_arena arena;
    const fy_laws *laws;
    const foray_reward *reward;
    foray_mode mode;
    bool given;
    int64_t states;               /* seen */
    double *lo, *hi;              /* [horizon+1] what the reward can still give */
    step_reward earned, above;    /* r-, r+ */
    double total_low, total_high; /* in the unit of planning; infinite: nobody says so */
    values now, next;             /* of step t and t + 1 */
    double *all;                  /* behind them */
    double *q;                    /* [3][actions] Q_up, Q^, Q_low of a state */
    foray_policy *policy;
    fy_unstructured_notes *notes; /* NULL: nobody asks */
} planning;

/* ----------------------------------------------------------------------- ranges */

/* LO and HI in the unit of planning. */
static void find_totals(planning *p)
{
    const foray_reward *reward = p->reward;
    double H = (double)reward->horizon, width = reward->high - reward->low, slack = 1e-12 * H;
    bool given = (reward->total_low != 0 || reward->total_high != 0) && reward->discount == 1;
    p->total_low = given ? (reward->total_low - reward->low * H) / width - slack : -INFINITY;
    p->total_high = given ? (reward->total_high - reward->low * H) / width + slack : INFINITY;
}

/* lo_t = min r_t + g lo_{t+1}, over all (s,a,s'), seen or not; hi the same with max. */
static void find_ranges(planning *p)
{
    const foray_reward *reward = p->reward;
    int64_t H = reward->horizon;
    int32_t last = -1;
    double min = 0, max = 0, unused;
    find_totals(p);
    p->lo[H] = p->hi[H] = reward->fixed ? reward->ending : 0;
    for (int64_t t = H - 1; t >= 0; t--) {
        if (!reward->fixed && reward->table_of_step[t] != last)
            range_of_step(&p->earned, t, &min, &max);
        if (reward->above && reward->table_of_step[t] != last)
            range_of_step(&p->above, t, &unused, &max);
        last = reward->table_of_step[t];
        p->lo[t] = reward->fixed ? 0 : min + reward->discount * p->lo[t + 1];
        p->hi[t] = reward->fixed ? 1 : max + reward->discount * p->hi[t + 1];
        p->lo[t] = fmax(p->lo[t], p->total_low - (double)t);
        p->hi[t] = fmax(fmin(p->hi[t], p->total_high), p->lo[t]);
    }
}

/* ------------------------------------------------------------------------ a step */

typedef struct place {
    int64_t t, at, state;
    double g;
} place;

typedef double expectation(const fy_laws *laws, int64_t law, const fy_law_target *target);

/* Is it not known what a pair pays, whatever follows? */
static bool is_doubtful(const planning *p, const place *x, int64_t a, int64_t law)
{
    return !reward_varies(&p->above, law) &&
           reward_alike(&p->earned, x->state, a, law) < reward_alike(&p->above, x->state, a, law);
}

/* r + gV under the law of an action. What follows an absorbing state is known. Targets are cut to
 * between lo and hi, and so by totals, but not where a pair's reward is drawn, which may depend on
 * what follows. */
static double after(const planning *p, const place *x, int64_t a, const step_reward *earned,
                    const double *value, expectation *of)
{
    const fy_seen *seen = p->laws->seen;
    double lo = p->lo[x->t + 1], hi = p->hi[x->t + 1];
    double least = p->total_low - (double)x->t, most = p->total_high;
    int64_t law = fy_seen_law(seen, x->at, a);
    if (seen->absorbing[x->at])
        return fmax(fmin(reward_staying(earned, x->state, a) + x->g * value[x->at], most), least);
    if (reward_varies(earned, law)) {
        const fy_law_target target = {.value = value,
                                      .ahead = earned->ahead,
                                      .discount = x->g,
                                      .lo = fmax(earned->min[law] + x->g * lo, least),
                                      .hi = fmin(earned->max[law] + x->g * hi, most)};
        return of(p->laws, law, &target);
    }
    double r = reward_alike(earned, x->state, a, law);
    bool drawn = p->reward->spent > 0 && is_doubtful(p, x, a, law);
    if (!drawn && (isfinite(most) || isfinite(least))) {
        lo = fmax(lo, least - r);
        hi = fmax(fmin(hi, most - r), lo);
    }
    const fy_law_target target = {.value = value, .lo = lo, .hi = hi};
    return fmax(fmin(r + x->g * of(p->laws, law, &target), most), least);
}

/* What follows alone: the gap of the states to come. */
static double gap_after(const planning *p, const place *x, int64_t a)
{
    const fy_law_target target = {.value = p->next.gap, .hi = p->hi[x->t + 1] - p->lo[x->t + 1]};
    int64_t law = fy_seen_law(p->laws->seen, x->at, a);
    return x->g * (p->laws->seen->absorbing[x->at] ? p->next.gap[x->at]
                                                   : fy_laws_high(p->laws, law, &target));
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
    double *up = p->q, *guess = p->q + A, *low = p->q + 2 * A;
    for (int64_t a = 0; a < A; a++) {
        up[a] = after(p, x, a, &p->above, p->next.up, fy_laws_high);
        guess[a] = after(p, x, a, &p->earned, p->next.guess, fy_laws_target_mean);
        if (p->mode == FORAY_PESSIMISTIC && !p->given)
            low[a] = after(p, x, a, &p->earned, p->next.low, fy_laws_low);
    }
    if (p->given)
        return p->policy->action[x->t * p->reward->states + x->state];
    return best_of(p->mode == FORAY_OPTIMISTIC ? up : p->mode == FORAY_PLUGIN ? guess : low, A);
}

/* Where the gap comes from, and what laws add because they are not known. */
static void note(planning *p, const place *x, int64_t own, int64_t choice)
{
    fy_unstructured_notes *notes = p->notes;
    int64_t at = x->t * p->states + x->at, A = p->reward->actions;
    const double *up = p->q;
    int64_t best = best_of(up, A);
    notes->own[at] = (int32_t)own;
    notes->choice[at] = (int32_t)choice;
    notes->best[at] = (int32_t)best;
    notes->gap[at] = p->now.gap[x->at];
    notes->choice_bonus[at] =
        up[choice] - after(p, x, choice, &p->above, p->next.up, fy_laws_target_mean);
    notes->best_bonus[at] =
        up[best] - after(p, x, best, &p->above, p->next.up, fy_laws_target_mean);
    notes->low_bonus[at] =
        after(p, x, own, &p->earned, p->next.low, fy_laws_target_mean) - p->now.low[x->at];
}

static void value_place(planning *p, const place *x)
{
    int64_t A = p->reward->actions, at = x->at, pi = choose(p, x), choice = pi;
    double gap = gap_after(p, x, pi);
    const double *up = p->q, *guess = p->q + A;
    p->now.up[at] = up[best_of(up, A)];
    p->now.guess[at] = guess[pi];
    p->now.high[at] = after(p, x, pi, &p->above, p->next.high, fy_laws_high);
    p->now.low[at] = after(p, x, pi, &p->earned, p->next.low, fy_laws_low);
    for (int64_t a = 0; a < A; a++)
        if (a != pi && up[a] - p->now.low[at] > gap) {
            gap = up[a] - p->now.low[at];
            choice = a;
        }
    p->now.gap[at] = fmin(fmax(gap, 0), fmax(p->now.up[at] - p->now.low[at], 0));
    p->policy->action[x->t * p->reward->states + x->state] = (int32_t)pi;
    if (p->notes)
        note(p, x, pi, choice);
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
    go_to_step(&p->earned, t);
    go_to_step(&p->above, t);
    for (int64_t i = 0; i < p->states; i++) {
        int64_t state = p->laws->seen->state[i];
        const place x = {t, i, state, reward->discount};
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
    const fy_law_target target = {.value = value, .lo = lo, .hi = hi};
    double sum = 0;
    if (model->initials == 0)
        return of(p->laws, 0, &target);
    for (int64_t i = 0; i < model->initials; i++) {
        int64_t at = fy_seen_find(p->laws->seen, model->initial_state[i]);
        sum += model->initial_probability[i] * (at >= 0 ? value[at] : unseen);
    }
    return sum;
}

foray_certificate fy_unstructured_certificate(const foray_explorer *explorer, double gap,
                                              double max)
{
    const foray_settings *settings = &explorer->settings;
    foray_certificate certificate = {
        .gap = gap,
        .delta = settings->delta,
        .radius = FORAY_RADIUS_COUNTS,
        .bound = FORAY_BOUND_COUNTS,
        .status = settings->radius_scale >= 1.0 ? FORAY_CERTIFIED : FORAY_HEURISTIC,
    };
    fy_certificate_classify(&certificate, max);
    return certificate;
}

/* What rounding may have taken from a gap where the reward was brought to the unit of planning:
 * different values may be the same there. Three roundings for each reward and two for each sum, of
 * two values that are at most hi_0. */
static double lost_in_rounding(const planning *p)
{
    double H = (double)p->reward->horizon;
    return fy_reward_unit_of(p->reward).own ? 4 * H * (p->hi[0] + 1) * DBL_EPSILON : 0;
}

static void finish(planning *p)
{
    foray_policy *policy = p->policy;
    const values *v = &p->next; /* of step 0: they have just changed places */
    double lo = p->lo[0], hi = p->hi[0];
    policy->mode = p->mode;
    policy->low = at_first(p, v->low, lo, hi, lo, fy_laws_low);
    policy->high = at_first(p, v->high, lo, hi, hi, fy_laws_high);
    policy->expected = fmin(
        fmax(at_first(p, v->guess, lo, hi, lo, fy_laws_target_mean), policy->low), policy->high);
    double up = at_first(p, v->up, lo, hi, hi, fy_laws_high);
    double gap = at_first(p, v->gap, 0, hi - lo, hi - lo, fy_laws_high);
    policy->value[FORAY_OPTIMISTIC] = up;
    policy->value[FORAY_PLUGIN] = policy->expected;
    policy->value[FORAY_PESSIMISTIC] = policy->low;
    if (p->notes)
        p->notes->first = gap - at_first(p, v->gap, 0, hi - lo, hi - lo, fy_laws_target_mean);
    gap = fmin(gap, fmax(up - policy->low, 0)) + lost_in_rounding(p);
    policy->certificate =
        fy_unstructured_certificate(p->explorer, gap, p->hi[0] - p->lo[0] + lost_in_rounding(p));
}

/* -------------------------------------------------------------------------- whole */

/* `which` of the two in the array behind them. */
static values lay_out_values(planning *p, int64_t which)
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
    int64_t H = p->reward->horizon;
    if (!FY_NEW(&p->arena, p->lo, H + 1) || !FY_NEW(&p->arena, p->hi, H + 1) ||
        !FY_NEW(&p->arena, p->all, 10 * p->states) ||
        !FY_NEW(&p->arena, p->q, 3 * p->reward->actions))
        return FORAY_ERROR_MEMORY;
    p->now = lay_out_values(p, 0);
    p->next = lay_out_values(p, 1);
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

foray_status fy_unstructured_plan(const foray_explorer *explorer, const fy_laws *laws,
                                  const foray_reward *reward, foray_mode mode, bool given,
                                  foray_policy *policy, fy_unstructured_notes *notes)
{
    planning p = {.explorer = explorer,
                  .arena.ctx = explorer->ctx,
                  .laws = laws,
                  .reward = reward,
                  .mode = mode,
                  .given = given,
                  .states = laws->seen->states,
                  .policy = policy,
                  .notes = notes};
    const foray_reward *above = reward->above ? reward->above : reward;
    foray_status status = create_step_reward(&p.arena, laws, reward, &p.earned);
    if (status == FORAY_OK)
        status = create_step_reward(&p.arena, laws, above, &p.above);
    if (status == FORAY_OK)
        status = prepare(&p);
    for (int64_t t = reward->horizon - 1; t >= 0 && status == FORAY_OK; t--) {
        fy_progress_step(explorer->ctx, reward->horizon - 1 - t, reward->horizon);
        step_back(&p, t);
        const values swap = p.now;
        p.now = p.next;
        p.next = swap;
        if (fy_stopped(explorer->ctx))
            status = FORAY_INTERRUPTED;
    }
    if (status == FORAY_OK)
        finish(&p);
    fy_arena_release(&p.arena);
    return status;
}

/* -------------------------------------------------------------------- all rewards */

/* |V^^pi - V^pi| <= E for all policies and rewards of a kind, V^ being the value under q:
 *
 *   E_h(s,a) = min{ C_h, C_h d(s,a) + sum_i q_i max_b E_{h+1}(s_i,b) },   d: fy_laws_distance
 *
 * and the plug-in plan loses at most twice that. C_h is the range of what p decides in step h:
 * H - h for r(s,a), one more for r(s,a,s'), and 1 for reaching and avoiding. */
static double decided(const foray_model *model, int64_t t, foray_reward_kind kind)
{
    if (kind == FORAY_KIND_REACH)
        return 1;
    return (double)(model->horizon - t - (kind == FORAY_KIND_PAIR));
}

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

foray_status fy_unstructured_bound(const foray_explorer *explorer, const fy_laws *laws,
                                   foray_reward_kind kind, foray_certificate *out)
{
    const foray_model *model = explorer->model;
    int64_t states = laws->seen->states;
    double max = kind == FORAY_KIND_REACH ? 1 : (double)model->horizon, sum = 0, *now, *next;
    fy_arena arena = {.ctx = explorer->ctx};
    bool room = FY_NEW(&arena, now, states) && FY_NEW(&arena, next, states);
    for (int64_t t = model->horizon - 1; room && t >= 0; t--) {
        error_back(laws, decided(model, t, kind), next, now);
        double *swap = now;
        now = next;
        next = swap;
    }
    if (room && model->initials == 0)
        sum = max * fy_laws_distance(laws, 0) + fy_laws_mean(laws, 0, next, max);
    for (int64_t i = 0; room && i < model->initials; i++) {
        int64_t at = fy_seen_find(laws->seen, model->initial_state[i]);
        sum += model->initial_probability[i] * (at >= 0 ? next[at] : max);
    }
    fy_arena_release(&arena);
    if (!room)
        return FORAY_ERROR_MEMORY;
    *out = fy_unstructured_certificate(explorer, fmin(2 * sum, max), max);
    return FORAY_OK;
}
