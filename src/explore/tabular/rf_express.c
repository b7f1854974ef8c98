/* rf_express.c - RF-Express: reward-free exploration with bonuses that shrink like 1/n.
 *
 * Menard, Domingues, Jonsson, Kaufmann, Leurent, Valko (2021), "Fast active learning for
 * pure exploration in reinforcement learning":
 *
 *   b(n) = log(3SAH/delta) + S log(8e (n+1))
 *   for every episode
 *     W_h(s,a) = min{ H, 15 H^2 b(n)/n + (1 + 1/H) sum p^ max_b W_{h+1} },   W_{H+1} = 0
 *     stop if 3e sqrt(w) + w <= eps/2,   w = max_a W_1(s_1,a),   e = exp(1)
 *     act greedily in W, count
 *   for any reward: the best policy of the empirical model
 *
 * On an event of probability 1 - delta, |V^^pi - V^pi| <= 3e sqrt(w) + w for all policies
 * and rewards, V^ being the value in the empirical model; so the best policy of the
 * empirical model is within twice that of the best one. The bound for all rewards
 * is this gap: it is at most eps exactly when the paper's rule stops.
 *
 * Deviations:
 *   - initial states come from mu: w = E_mu max_a W_1(s,a). The square root is concave,
 *     so this bounds the mean over mu of the error from each s;
 *   - ties prefer the larger value before clipping; --ties lowest is "any argmax". The
 *     clip is H as printed, whatever --clip says: the proof is for that one;
 *   - pairs never visited have W_h = H;
 *   - --pooled on counts all steps together; then H drops out of the first logarithm. */
#include "explore/tabular/errors.h"
#include "base/maths.h"

#include <math.h>

/* --------------------------------------------------------------- initialise */

/* b(n). */
static double rf_express_threshold(const foray_explorer *explorer, double n)
{
    const foray_model *model = explorer->model;
    const fy_errors *errors = explorer->self;
    double laws = (double)model->available * (double)errors->counts->layers;
    return fy_log(3.0 * laws / explorer->settings.delta) +
           (double)model->states * (1.0 + fy_log(8.0 * (n + 1.0)));
}

/* 15 H^2 b(n)/n. */
static double rf_express_width(const foray_explorer *explorer, double n)
{
    double H = (double)explorer->model->horizon;
    return explorer->settings.radius_scale * 15.0 * H * H * rf_express_threshold(explorer, n) / n;
}

/* 3e sqrt(w) + w. */
static double rf_express_error(double w)
{
    return 3.0 * fy_exp(1.0) * sqrt(w) + w;
}

static foray_status rf_express_create(foray_explorer *explorer)
{
    foray_status status = fy_errors_create(explorer);
    if (status != FORAY_OK)
        return status;
    fy_errors *errors = explorer->self;
    double H = (double)explorer->model->horizon;
    errors->width = rf_express_width;
    errors->error = rf_express_error;
    errors->growth = 1.0 + 1.0 / H;
    for (int64_t t = 0; t < explorer->model->horizon; t++) {
        errors->range[t] = 1.0;
        errors->cap[t] = H;
    }
    fy_errors_start(explorer);
    return FORAY_OK;
}

static const foray_parameter parameters[] = {FY_COUNTS_ROWS};

const fy_explorer_ops fy_rf_express = {
    .name = "rf-express",
    .summary = "RF-Express (Menard et al. 2021): bonuses that shrink like 1/n, tabular",
    .parameter = parameters,
    .parameters = FY_COUNT(parameters),
    .create = rf_express_create,
    FY_ERRORS_OPS,
    .bound_plan = FORAY_PLUGIN,
};
