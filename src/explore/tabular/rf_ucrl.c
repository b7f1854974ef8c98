/* rf_ucrl.c - RF-UCRL: reward-free exploration by bounding the error of every value.
 *
 * Kaufmann, Menard, Domingues, Jonsson, Leurent, Valko (2021), "Adaptive reward-free
 * exploration":
 *
 *   b(n) = log(2SAH/delta) + (S-1) log(e (1 + n/(S-1)))
 *   for every episode
 *     E_h(s,a) = min{ H, (H-h) sqrt(2 b(n)/n) + sum p^ max_b E_{h+1} },   E_{H+1} = 0
 *     stop if max_a E_1(s_1,a) <= eps/2
 *     act greedily in E, count
 *   for any reward: the best policy of the empirical model
 *
 * On an event of probability 1 - delta, |V^^pi - V^pi| <= max_a E_1(s_1,a) for all
 * policies and rewards, V^ being the value in the empirical model; so the best policy of
 * the empirical model is within twice that of the best one. The bound for all
 * rewards is this gap: it is at most eps exactly when the paper's rule stops.
 *
 * Deviations:
 *   - initial states come from mu: E_mu max_a E_1(s,a) takes the place of s_1;
 *   - E_h is clipped at the steps that remain, H-h+1; --clip horizon is the paper;
 *   - ties prefer the larger value before clipping; --ties lowest is "any argmax";
 *   - pairs never visited have E_h = the clip, but E_H = 0: the reward is known, so the
 *     last step has no error (the paper's 1/0 = infinity leaves 0 times that open);
 *   - --pooled on counts all steps together; then H drops out of b(n), there being SA
 *     laws to estimate instead of SAH. */
#include "explore/tabular/errors.h"
#include "base/maths.h"

#include <math.h>

/* --------------------------------------------------------------- initialise */

/* b(n). One state: the law is known, and the second term is 0. */
static double rf_ucrl_threshold(const foray_explorer *explorer, double n)
{
    const foray_model *model = explorer->model;
    const fy_errors *errors = explorer->self;
    double laws = (double)model->available * (double)errors->counts->layers;
    double others = (double)(model->states - 1);
    double shape = others > 0.0 ? others * (1.0 + fy_log1p(n / others)) : 0.0;
    return fy_log(2.0 * laws / explorer->settings.delta) + shape;
}

/* sqrt(2 b(n)/n) bounds ||p^ - p||_1, by Pinsker: n KL(p^, p) <= b(n). */
static double rf_ucrl_width(const foray_explorer *explorer, double n)
{
    return explorer->settings.radius_scale * sqrt(2.0 * rf_ucrl_threshold(explorer, n) / n);
}

/* max_a E_1 as it is. */
static double rf_ucrl_error(double mean)
{
    return mean;
}

static foray_status rf_ucrl_create(foray_explorer *explorer)
{
    foray_status status = fy_errors_create(explorer);
    if (status != FORAY_OK)
        return status;
    fy_errors *errors = explorer->self;
    int64_t H = explorer->model->horizon;
    bool remaining = explorer->settings.clip == FORAY_CLIP_REMAINING;
    errors->width = rf_ucrl_width;
    errors->error = rf_ucrl_error;
    errors->growth = 1.0;
    for (int64_t t = 0; t < H; t++) {
        errors->range[t] = (double)(H - (t + 1));
        errors->cap[t] = (double)(remaining ? H - t : H);
    }
    fy_errors_start(explorer);
    return FORAY_OK;
}

static const foray_parameter parameters[] = {FY_COUNTS_ROWS};

const fy_explorer_ops fy_rf_ucrl = {
    .name = "rf-ucrl",
    .summary = "RF-UCRL (Kaufmann et al. 2021): bounds the error of every value, tabular",
    .parameter = parameters,
    .parameters = FY_COUNT(parameters),
    .create = rf_ucrl_create,
    FY_ERRORS_OPS,
    .bound_plan = FORAY_PLUGIN,
};
