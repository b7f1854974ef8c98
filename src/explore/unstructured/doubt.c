/* doubt.c - see doubt.h.
 *
 * Forwards from the first states, with the laws q that were seen, goes the doubt M. Where pi's own
 * action attains the gap, the place adds M (gap_h(s) - g q gap_{h+1}), which is what its law adds,
 * and the rest goes on to where it leads. Where another action a does, the place adds all of M gap,
 *
 *   gap = Q_up(s,a) - low(s) = bonuses on the way of the optimist, a first, + those of pi
 *                              + what a seems worse than pi, which is not above 0 for plans
 *
 * and the laws on both ways, with masses U and L of their own, share it in proportion to their
 * bonuses. So shares of places, with that of the first state's law, add up to the certificate, and
 * so do those of laws. */
#include "explore/unstructured/doubt.h"
#include "base/maths.h"
#include "reward/reward.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Below so much of the certificate a share is rounding. */
static const double SMALLEST = 1e-9;

foray_status fy_unstructured_notes_create(fy_arena *arena, int64_t horizon, int64_t states,
                                          fy_unstructured_notes *out)
{
    fy_unstructured_notes notes = {.states = states};
    size_t entries;
    bool fits = fy_size_mul((size_t)horizon, (size_t)states, &entries);
    int64_t count = fits ? (int64_t)entries : INT64_MAX;
    if (!FY_NEW(arena, notes.own, count) || !FY_NEW(arena, notes.choice, count) ||
        !FY_NEW(arena, notes.best, count) || !FY_NEW(arena, notes.gap, count) ||
        !FY_NEW(arena, notes.choice_bonus, count) || !FY_NEW(arena, notes.best_bonus, count) ||
        !FY_NEW(arena, notes.low_bonus, count))
        return FORAY_ERROR_MEMORY;
    *out = notes;
    return FORAY_OK;
}

/* ----------------------------------------------------------------------- flowing */

typedef struct masses {
    double *doubt, *up, *low; /* [states] M, U and L */
} masses;

typedef struct flow {
    const foray_explorer *explorer;
    const fy_laws *laws;
    const foray_reward *reward;
    const fy_unstructured_notes *notes;
    masses now, next;
    double *all;     /* behind them */
    double *share;   /* [horizon][states] of places */
    double *certain; /* [laws] shares, of places whose own law it is; */
    double *bonus;   /* [laws] and bonuses, which will share */
    double chosen;   /* what the other places add */
} flow;

/* A mass goes on to where an action leads, as far as was seen. */
static void push(const flow *f, int64_t at, int64_t action, double mass, double *to)
{
    const fy_laws *laws = f->laws;
    int64_t law = fy_seen_law(laws->seen, at, action);
    double left = mass * f->reward->discount;
    if (laws->seen->absorbing[at])
        to[at] += left;
    for (int64_t i = laws->start[law]; i < laws->start[law + 1] && !laws->seen->absorbing[at]; i++)
        to[laws->next[i]] += left * laws->q[i];
}

static double gap_to_come(const flow *f, int64_t t, int64_t at, int64_t action)
{
    if (t + 1 == f->reward->horizon)
        return 0;
    const double *gap = f->notes->gap + (t + 1) * f->notes->states;
    double mean = f->laws->seen->absorbing[at]
                      ? gap[at]
                      : fy_laws_mean(f->laws, fy_seen_law(f->laws->seen, at, action), gap, 0);
    return f->reward->discount * mean;
}

static void flow_doubt(flow *f, int64_t t, int64_t at)
{
    const fy_unstructured_notes *notes = f->notes;
    const fy_seen *seen = f->laws->seen;
    int64_t note = t * notes->states + at, own = notes->own[note], choice = notes->choice[note];
    double mass = f->now.doubt[at];
    if (choice == own) {
        f->share[note] = mass * fmax(notes->gap[note] - gap_to_come(f, t, at, own), 0);
        f->certain[fy_seen_law(seen, at, own)] += f->share[note];
        push(f, at, own, mass, f->next.doubt);
        return;
    }
    f->share[note] = mass * notes->gap[note];
    f->chosen += f->share[note];
    f->bonus[fy_seen_law(seen, at, choice)] += mass * notes->choice_bonus[note];
    push(f, at, choice, mass, f->next.up);
    f->now.low[at] += mass;
}

static void flow_place(flow *f, int64_t t, int64_t at)
{
    const fy_unstructured_notes *notes = f->notes;
    const fy_seen *seen = f->laws->seen;
    int64_t note = t * notes->states + at, own = notes->own[note], best = notes->best[note];
    if (f->now.doubt[at] > 0)
        flow_doubt(f, t, at);
    if (f->now.up[at] > 0) {
        f->bonus[fy_seen_law(seen, at, best)] += f->now.up[at] * notes->best_bonus[note];
        push(f, at, best, f->now.up[at], f->next.up);
    }
    if (f->now.low[at] > 0) {
        f->bonus[fy_seen_law(seen, at, own)] += f->now.low[at] * notes->low_bonus[note];
        push(f, at, own, f->now.low[at], f->next.low);
    }
}

static void begin(flow *f)
{
    const foray_model *model = f->explorer->model;
    for (int64_t i = f->laws->start[0]; model->initials == 0 && i < f->laws->start[1]; i++)
        f->now.doubt[f->laws->next[i]] = f->laws->q[i];
    for (int64_t i = 0; i < model->initials; i++) {
        int64_t at = fy_seen_find(f->laws->seen, model->initial_state[i]);
        if (at >= 0)
            f->now.doubt[at] = model->initial_probability[i];
    }
    f->certain[0] = f->notes->first;
}

static void flow_all(flow *f)
{
    int64_t states = f->notes->states;
    const double *fixed = f->reward->fixed;
    begin(f);
    for (int64_t t = 0; t < f->reward->horizon; t++) {
        memset(f->next.doubt, 0, 3 * (size_t)states * sizeof *f->next.doubt);
        for (int64_t i = 0; i < states; i++)
            if (!fixed || isnan(fixed[f->laws->seen->state[i]]))
                flow_place(f, t, i);
        const masses swap = f->now;
        f->now = f->next;
        f->next = swap;
    }
    double sum = 0;
    for (int64_t law = 0; law < fy_seen_laws(f->laws->seen); law++)
        sum += f->bonus[law];
    for (int64_t law = 0; law < fy_seen_laws(f->laws->seen) && sum > 0; law++)
        f->certain[law] += f->chosen * (f->bonus[law] / sum);
}

/* ----------------------------------------------------------------------- listing */

static foray_status list_places(const flow *f, double min, fy_reasons *out)
{
    int64_t states = f->notes->states, entries = f->reward->horizon * states, count = 0;
    for (int64_t i = 0; i < entries; i++)
        count += f->share[i] > min;
    if (!FY_ALLOC(f->explorer->ctx, out->place, count))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < entries; i++)
        if (f->share[i] > min)
            out->place[out->places++] = (foray_doubt_place){
                i / states, f->laws->seen->state[i % states], f->notes->choice[i], f->share[i]};
    return FORAY_OK;
}

/* x, whatever the visits; of a law that was never seen, what the first one will make of it. */
static double nats(const foray_explorer *explorer, const fy_laws *laws, int64_t law)
{
    double S = (double)explorer->model->states, A = (double)explorer->model->actions;
    int64_t visits = laws->seen->visits[law];
    return visits > 0 ? laws->width[law] * (double)visits
                      : fy_log((S * A + 1) / explorer->settings.delta) + fy_log(S);
}

static foray_status list_laws(const flow *f, double min, fy_reasons *out)
{
    const fy_seen *seen = f->laws->seen;
    int64_t count = 0;
    for (int64_t law = 0; law < fy_seen_laws(seen); law++)
        count += f->certain[law] > min;
    if (!FY_ALLOC(f->explorer->ctx, out->law, count))
        return FORAY_ERROR_MEMORY;
    for (int64_t law = 0; law < fy_seen_laws(seen); law++) {
        if (!(f->certain[law] > min))
            continue;
        int64_t place = law > 0 ? (law - 1) / seen->actions : -1;
        out->law[out->laws++] =
            (foray_doubt_law){.block = -1,
                              .state = place >= 0 ? seen->state[place] : -1,
                              .action = place >= 0 ? (law - 1) % seen->actions : -1,
                              .pairs = place >= 0,
                              .visits = seen->visits[law],
                              .share = f->certain[law],
                              .more = nats(f->explorer, f->laws, law)};
    }
    return FORAY_OK;
}

foray_status fy_unstructured_explain(const foray_explorer *explorer, const fy_laws *laws,
                                     const foray_reward *reward, const fy_unstructured_notes *notes,
                                     fy_reasons *out)
{
    fy_arena arena = {.ctx = explorer->ctx};
    int64_t n = notes->states, all_laws = fy_seen_laws(laws->seen);
    flow f = {.explorer = explorer, .laws = laws, .reward = reward, .notes = notes};
    foray_status status = FORAY_ERROR_MEMORY;
    if (FY_NEW(&arena, f.all, 6 * n) && FY_NEW(&arena, f.share, reward->horizon * n) &&
        FY_NEW(&arena, f.certain, all_laws) && FY_NEW(&arena, f.bonus, all_laws)) {
        f.now = (masses){f.all, f.all + n, f.all + 2 * n};
        f.next = (masses){f.all + 3 * n, f.all + 4 * n, f.all + 5 * n};
        flow_all(&f);
        status = list_places(&f, SMALLEST * out->gap, out);
    }
    if (status == FORAY_OK)
        status = list_laws(&f, SMALLEST * out->gap, out);
    fy_arena_release(&arena);
    return status;
}
