/* mean.c - see mean.h. */
#include "learn/mean.h"
#include "base/maths.h"

#include <math.h>

enum { ATOMS = 32, HALVINGS = 40 };

/* Numbers in [0,1], of which only the lower end is looked at; mirrored, 1 - the upper one. */
typedef struct draws {
    int64_t values;
    const fy_drawn_value *value;
    double low, high; /* their range */
    bool mirrored;
} draws;

static double scaled(const draws *d, int64_t i)
{
    const fy_drawn_value *v = &d->value[i];
    double width = d->high - d->low;
    double x = d->mirrored ? (d->high - v->high) / width : (v->low - d->low) / width;
    return fmin(fmax(x, 0), 1);
}

/* log K(m), m > 0. */
static double log_capital(const draws *d, double m)
{
    double gain[ATOMS], most = -INFINITY, sum = 0, bet = 0.999;
    for (int i = 0; i < ATOMS; i++) {
        gain[i] = 0;
        for (int64_t k = 0; k < d->values; k++)
            gain[i] += (double)d->value[k].count * fy_log(1 - bet + bet * scaled(d, k) / m);
        most = fmax(most, gain[i]);
        bet *= 0x1.6a09e667f3bcdp-1; /* 2^(-1/2) */
    }
    for (int i = 0; i < ATOMS; i++)
        sum += fy_exp(gain[i] - most);
    return most + fy_log(sum / ATOMS);
}

/* A lower bound of the mean: the largest m that is known to have K(m) >= 2/share, 0 if none. */
static double lower_bound(const draws *d, double share)
{
    double enough = fy_log(2 / share) * (1 + 1e-9) + 1e-9, refuted = 0, possible = 1, largest = 0;
    for (int64_t i = 0; i < d->values; i++)
        largest = fmax(largest, d->value[i].count > 0 ? scaled(d, i) : 0);
    if (largest == 0)
        return 0;
    for (int i = 0; i < HALVINGS; i++) {
        double m = (refuted + possible) / 2;
        if (log_capital(d, m) >= enough)
            refuted = m;
        else
            possible = m;
    }
    return fmax(0, refuted - 1e-12);
}

void fy_mean_bounds(int64_t values, const fy_drawn_value *value, double share, double *low,
                    double *high)
{
    const draws below = {values, value, *low, *high, false};
    const draws above = {values, value, *low, *high, true};
    double width = *high - *low, from = lower_bound(&below, share), to = lower_bound(&above, share);
    if (!(width > 0))
        return;
    double least = fmin(*low + width * from, *high), most = fmax(*high - width * to, *low);
    /* With probability `share` nothing is left between them. */
    *low = fmin(least, most);
    *high = fmax(least, most);
}
