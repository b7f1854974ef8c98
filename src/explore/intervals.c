/* intervals.c - between which bounds each probability lies, everywhere at once.
 *
 *     P(s_j|s,a) = p_j + <x_j, y_g>,  ||y_g|| <= 1     =>     |P(s_j|s,a) - p_j| <= ||x_j||
 *
 * for all transitions together, whenever theta is in the confidence set (certify/confidence.h). */
#include "explore/explorer.h"

#include <float.h>
#include <math.h>

foray_status foray_explorer_intervals(foray_explorer *explorer, double *low, double *high,
                                      foray_certificate *about)
{
    const foray_model *model = explorer->model;
    fy_certifier *sets;
    if (model->open)
        return fy_fail(
            explorer->ctx, FORAY_ERROR_USAGE,
            "in an open model any state may follow, even one that was never seen, and intervals of "
            "what was seen would leave it out (foray_explorer_enclose adds it)");
    foray_status status = fy_explorer_need_sets(explorer, &sets);
    if (status != FORAY_OK)
        return status;
    if (model->feature_error > 0)
        return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                       "the features of %s are estimates, so its probabilities have no intervals",
                       model->name);
    const fy_confidence *set = sets->set;
    for (int64_t k = 0, i = 0; k < model->available; k++) {
        int64_t pair = fy_existing(model, k);
        int64_t of = model->generator_set[pair], generators = model->gen_start[of];
        int64_t d = set->basis->block[set->basis->block_of_generator_set[of]].dim;
        int64_t first = model->succ_start[pair];
        for (int64_t j = first; j < model->succ_start[pair + 1]; j++, i++) {
            double p = set->p[generators + j - first], norm = set->norm[generators + j - first];
            /* What forming x may have rounded; what is certain stays so. */
            double terms = (double)(64 + d) * DBL_EPSILON;
            double slack = norm > 0 ? 1e-12 + terms * set->kappa_factor * norm : 0;
            low[i] = fmin(fmax(p - norm - slack, 0), 1);
            high[i] = fmin(fmax(p + norm + slack, 0), 1);
        }
    }
    if (about) {
        *about = fy_explorer_certificate(explorer, 0, 1);
        fy_explorer_qualify(explorer, about);
        about->optimal = FORAY_OPTIMAL_NO; /* of no policy */
    }
    return FORAY_OK;
}
