/* theorem_bound.c - the theorem with its constants.
 *
 * On the event that theta* is in every confidence set (probability 1 - delta/3), with
 * w_{k,h} = ||psi_u||_{Sigma_k^-1} for the maximiser u in [0, H-h] of step h:
 *
 *   (1)  gap of any plan after K episodes  <=  H V*_1(r_{K+1})           r: exploration reward
 *   (2)  V*_1(r_{K+1})  <=  1/K sum_k V*_1(r_k)  <=  1/K sum_k V_{k,1}   r_k falls with k; optimism
 *   (3)  V_{k,h}  <=  min{H-h+1, 2 beta (1 + 1/H) w_{k,h}} + P V_{k,h+1}
 *   (4)  sum_{k,h} of the bonuses in (3)  <=  4 beta (1 + 1/H) sqrt(K (H-1) D) + D/log 2 H(H+1)/2
 *   (5)  sum_{k,h} P V_{k,h+1} - V_{k,h+1}(s_{h+1})  <=  sqrt(K H(H+1)(2H+1)/12 log(3/delta))
 *
 * where D bounds log det Sigma_{K+1}/det(lambda I). In (4), w <= sqrt 2 ||psi_u|| in the norm
 * of Sigma as it was when the step was taken, but in at most D/log 2 episodes in which the
 * determinant doubles; then Cauchy-Schwarz and the elliptical potential. (5) is Azuma-Hoeffding,
 * the first state included. Replanning when the determinant has doubled, rather than in every
 * episode, changes nothing in (4): the factor sqrt 2 is already in it. */
#include "experiments/theorem_bound.h"

#include <math.h>

#include "base/maths.h"
#include "learn/radius.h"

fy_theorem_terms fy_theorem_terms_of(const foray_model *model, double delta)
{
    return (fy_theorem_terms){.horizon = (double)foray_model_horizon(model),
                              .dim = (double)foray_model_dim(model),
                              .norm_bound = foray_model_norm_bound(model),
                              .delta = delta};
}

/* D = d log(1 + k B^2 sum_h (H-h)^2 / d):  the trace of Sigma, spread evenly. */
static double most_information(const fy_theorem_terms *terms, double k)
{
    double H = terms->horizon, d = terms->dim, B = terms->norm_bound;
    double squares = (H - 1) * H * (2 * H - 1) / 6;
    return d * fy_log1p(k * B * B * squares / d);
}

fy_theorem_bound fy_theorem_bound_after(const fy_theorem_terms *terms, double K, double k)
{
    double H = terms->horizon, D = most_information(terms, k);
    fy_theorem_bound p = {.information = D};
    p.radius = fy_radius_hoeffding(H, terms->dim, K, terms->norm_bound, terms->delta, 3);
    p.bonus = 4 * p.radius * (1 + 1 / H) * sqrt(k * (H - 1) * D) + D / fy_log(2) * H * (H + 1) / 2;
    p.chance = sqrt(k * H * (H + 1) * (2 * H + 1) / 12 * fy_log(3 / terms->delta));
    p.gap = H / k * (p.bonus + p.chance);
    return p;
}

/* The least whole K at which `gap`, falling with K, is at most eps. */
static double least_episodes(double (*gap)(const fy_theorem_terms *, double),
                             const fy_theorem_terms *terms, double eps)
{
    double enough = 1;
    while (gap(terms, enough) > eps)
        enough *= 2;
    double few = floor(enough / 2);
    while (enough - few > 1) {
        double middle = floor(0.5 * (few + enough));
        if (middle == few || middle == enough)
            break; /* beyond 2^53 not every whole number is a double */
        if (gap(terms, middle) > eps)
            few = middle;
        else
            enough = middle;
    }
    return enough;
}

static double promised_gap(const fy_theorem_terms *terms, double K)
{
    return fy_theorem_bound_after(terms, K, K).gap;
}

double fy_theorem_episodes(const fy_theorem_terms *terms, double eps)
{
    return least_episodes(promised_gap, terms, eps);
}

/*   H/K 4 beta^ sqrt(sum nu  d L1),   sum nu >= K (H-1) alpha,   alpha = H^2/d
 * bounds the sum of 2 beta^ ||psi_V||_{Sigma^^-1}, the bonuses that its plans explore with. */
double fy_theorem_plus_bound(const fy_theorem_terms *terms, double K)
{
    double H = terms->horizon, d = terms->dim, B = terms->norm_bound;
    double hat = fy_radius_bernstein(H, d, K, 1 / (B * B), B, terms->delta).hat;
    double alpha = H * H / d, L1 = fy_log1p(K * H * B * B);
    return H / K * 4 * hat * sqrt(K * (H - 1) * alpha * d * L1);
}

double fy_theorem_plus_episodes(const fy_theorem_terms *terms, double eps)
{
    return least_episodes(fy_theorem_plus_bound, terms, eps);
}
