/* laws.c - see laws.h. */
#include "explore/unstructured/laws.h"
#include "base/maths.h"
#include "learn/direct.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------------ sets */

double fy_laws_nats(const foray_model *model, double delta, const fy_seen *seen, int64_t law)
{
    double S = (double)model->states, laws = S * (double)model->actions + 1;
    double n = (double)seen->visits[law], share = 1 / S, unseen = fy_lgamma(share);
    double x = fy_log(laws / delta) + fy_lgamma(n + 1);
    double size = x, terms = 8; /* for what rounding may take away */
    for (int32_t entry = seen->first[law]; entry >= 0; entry = seen->link[entry]) {
        double N = (double)seen->times[entry], likely = N * fy_log(N / n);
        double prior = fy_lgamma(N + share);
        x += likely - prior + unseen;
        size += fabs(likely) + fabs(prior) + unseen;
        terms += 4;
    }
    x += terms * 4 * DBL_EPSILON * size;
    return fmax(x, 0);
}

/* x/n, rounded up. */
static double width_of(const foray_explorer *explorer, const fy_seen *seen, int64_t law)
{
    double n = (double)seen->visits[law];
    if (seen->visits[law] == 0)
        return INFINITY;
    double delta = explorer->settings.delta * (1 - explorer->spent);
    double x = fy_laws_nats(explorer->model, delta, seen, law);
    return explorer->settings.radius_scale * x / n * (1 + 4 * DBL_EPSILON);
}

static void fill_laws(const foray_explorer *explorer, fy_laws *laws)
{
    const fy_seen *seen = laws->seen;
    int64_t at = 0;
    for (int64_t law = 0; law < fy_seen_laws(seen); law++) {
        laws->start[law] = at;
        laws->width[law] = width_of(explorer, seen, law);
        for (int32_t entry = seen->first[law]; entry >= 0; entry = seen->link[entry], at++) {
            laws->next[at] = seen->next[entry];
            laws->q[at] = (double)seen->times[entry] / (double)seen->visits[law];
        }
    }
    laws->start[fy_seen_laws(seen)] = at;
}

foray_status fy_laws_create(const foray_explorer *explorer, fy_arena *arena, const fy_seen *seen,
                            fy_laws *out)
{
    fy_laws laws = {.seen = seen};
    if (!FY_NEW(arena, laws.start, fy_seen_laws(seen) + 1) ||
        !FY_NEW(arena, laws.width, fy_seen_laws(seen)) ||
        !FY_NEW(arena, laws.next, seen->entries) || !FY_NEW(arena, laws.q, seen->entries) ||
        !FY_NEW(arena, laws.seen_value, seen->entries))
        return FORAY_ERROR_MEMORY;
    fill_laws(explorer, &laws);
    *out = laws;
    return FORAY_OK;
}

/* ---------------------------------------------------------------- expectations */

double fy_laws_mean(const fy_laws *laws, int64_t law, const double *value, double otherwise)
{
    double sum = 0;
    if (laws->start[law] == laws->start[law + 1])
        return otherwise;
    for (int64_t i = laws->start[law]; i < laws->start[law + 1]; i++)
        sum += laws->q[i] * value[laws->next[i]];
    return sum;
}

static double target_at(const fy_laws *laws, const fy_law_target *target, int64_t entry)
{
    double value = target->value[laws->next[entry]];
    return target->ahead ? target->ahead[entry] + target->discount * value : value;
}

double fy_laws_target_mean(const fy_laws *laws, int64_t law, const fy_law_target *target)
{
    double sum = 0;
    if (laws->start[law] == laws->start[law + 1])
        return target->lo;
    for (int64_t i = laws->start[law]; i < laws->start[law + 1]; i++)
        sum += laws->q[i] * target_at(laws, target, i);
    return sum;
}

/* v = V - lo, or hi - V for the other side. */
typedef struct side {
    const fy_law_target *target;
    double lo, hi;
    bool low;
} side;

static double seen_from(const fy_laws *laws, const side *s, int64_t entry)
{
    double value = target_at(laws, s->target, entry);
    return fmin(fmax(s->low ? s->hi - value : value - s->lo, 0), s->hi - s->lo);
}

static double farthest(const fy_laws *laws, int64_t law, const side *s)
{
    int64_t first = laws->start[law], count = laws->start[law + 1] - first;
    for (int64_t i = 0; i < count; i++)
        laws->seen_value[i] = seen_from(laws, s, first + i);
    return fy_direct_mean(count, laws->q + first, laws->seen_value, s->hi - s->lo,
                          laws->width[law]);
}

/* Of adding two such numbers, and a reward to the sum. */
static double rounding(double lo, double hi)
{
    return 4 * DBL_EPSILON * (fabs(lo) + fabs(hi) + 1);
}

double fy_laws_high(const fy_laws *laws, int64_t law, const fy_law_target *target)
{
    double lo = target->lo, hi = target->hi;
    const side above = {target, lo, hi, false};
    return fmin(lo + farthest(laws, law, &above) + rounding(lo, hi), hi);
}

double fy_laws_low(const fy_laws *laws, int64_t law, const fy_law_target *target)
{
    double lo = target->lo, hi = target->hi;
    const side below = {target, lo, hi, true};
    return fmax(hi - farthest(laws, law, &below) - rounding(lo, hi), lo);
}

/* Pinsker, and Bretagnolle and Huber. */
double fy_laws_distance(const fy_laws *laws, int64_t law)
{
    double e = laws->width[law];
    return isfinite(e) ? fmin(sqrt(e / 2), sqrt(1 - fy_exp(-e))) : 1;
}
