/* worst_law.c - climbing V*_theta - V^pi_theta inside a confidence set. */
#include "measure/worst_law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fy_worst_law {
    const foray_model *model;
    fy_truth *truth;       /* its kernel and probabilities follow the law at hand */
    double *theta, *trial; /* [dim] the law at hand, and the next to be tried */
    double *moved;         /* [dim] on the way between them */
    int32_t *rival;        /* [horizon][states] rho */
    double *value;         /* [horizon+1][states] of the policy whose gradient is taken */
    double *occupancy;     /* [horizon][states] */
    double *weight;        /* [generators] sum over h and s of o_h(s) V_{h+1}(s_j) */
    double *gradient;      /* [unknowns], laid out as z */
    double *from, *by, *to, *scratch; /* [max_dim], [max_coords] */
    fy_gap_doubt doubt;
};

foray_status fy_worst_law_create(foray_context *ctx, const foray_model *model, fy_worst_law **out)
{
    fy_worst_law *law = fy_alloc(ctx, 1, sizeof *law);
    if (!law)
        return FORAY_ERROR_MEMORY;
    law->model = model;
    foray_status status = fy_truth_create(ctx, model, &law->truth);
    if (status == FORAY_OK) {
        const fy_basis *basis = model->basis;
        int64_t S = model->states, entries = model->horizon * S;
        if (!FY_ALLOC(ctx, law->theta, model->dim) || !FY_ALLOC(ctx, law->trial, model->dim) ||
            !FY_ALLOC(ctx, law->moved, model->dim) || !FY_ALLOC(ctx, law->rival, entries) ||
            !FY_ALLOC(ctx, law->value, entries + S) || !FY_ALLOC(ctx, law->occupancy, entries) ||
            !FY_ALLOC(ctx, law->weight, model->gen_start[model->generator_sets]) ||
            !FY_ALLOC(ctx, law->gradient, basis->unknowns) ||
            !FY_ALLOC(ctx, law->from, basis->max_dim) || !FY_ALLOC(ctx, law->by, basis->max_dim) ||
            !FY_ALLOC(ctx, law->to, basis->max_dim) ||
            !FY_ALLOC(ctx, law->scratch, basis->max_coords + basis->max_dim) ||
            !FY_ALLOC(ctx, law->doubt.choice, entries) ||
            !FY_ALLOC(ctx, law->doubt.share, entries) ||
            !FY_ALLOC(ctx, law->doubt.law, basis->blocks) ||
            !FY_ALLOC(ctx, law->doubt.part, basis->blocks))
            status = FORAY_ERROR_MEMORY;
    }
    if (status == FORAY_OK)
        *out = law;
    else
        fy_worst_law_destroy(law);
    return status;
}

void fy_worst_law_destroy(fy_worst_law *law)
{
    if (!law)
        return;
    fy_truth_destroy(law->truth);
    free(law->theta);
    free(law->trial);
    free(law->moved);
    free(law->rival);
    free(law->value);
    free(law->occupancy);
    free(law->weight);
    free(law->gradient);
    free(law->from);
    free(law->by);
    free(law->to);
    free(law->scratch);
    free(law->doubt.choice);
    free(law->doubt.share);
    free(law->doubt.law);
    free(law->doubt.part);
    free(law);
}

const double *fy_worst_law_theta(const fy_worst_law *law)
{
    return law->theta;
}

static void follow_law(fy_worst_law *law, const double *theta)
{
    fy_kernel_exact(law->truth->exact.kernel, theta);
    for (int64_t set = 0; set < law->model->generator_sets; set++)
        fy_generator_set_probabilities(law->model, theta, set,
                                       law->truth->probability + law->model->gen_start[set]);
}

/* ------------------------------------------------------------------------- gradient */

/* d V^pi_theta(mu) / d z = sum over h and s of o_h(s) psi'_V(s, pi_h(s)) with V = V_{h+1}: adds
 * `sign` times this to the weights of V in psi', generator by generator. */
static void add_weights(fy_worst_law *law, const foray_reward *reward, const int32_t *action,
                        double sign)
{
    const foray_model *model = law->model;
    int64_t S = model->states;
    fy_exact_set(&law->truth->exact, reward);
    fy_exact_value(&law->truth->exact, action, NULL, law->value);
    fy_truth_occupancy(law->truth, action, law->occupancy);
    for (int64_t t = 0; t < model->horizon; t++)
        for (int64_t s = 0; s < S; s++) {
            double often = sign * law->occupancy[t * S + s];
            int64_t pair = s * model->actions + action[t * S + s];
            double *weight = law->weight + model->gen_start[model->generator_set[pair]];
            const int32_t *succ = model->succ + model->succ_start[pair];
            int64_t n = model->succ_start[pair + 1] - model->succ_start[pair];
            for (int64_t j = 0; j < n && often != 0.0; j++)
                weight[j] += often * law->value[(t + 1) * S + succ[j]];
        }
}

/* d (V^rho - V^pi) / d z, of all blocks. */
static void find_gradient(fy_worst_law *law, const fy_ridge *ridge, const foray_reward *reward,
                          const int32_t *action)
{
    const foray_model *model = law->model;
    const fy_basis *basis = model->basis;
    double *psi = law->scratch + basis->max_coords;
    memset(law->weight, 0, (size_t)model->gen_start[model->generator_sets] * sizeof *law->weight);
    memset(law->gradient, 0, (size_t)basis->unknowns * sizeof *law->gradient);
    follow_law(law, law->theta);
    add_weights(law, reward, law->rival, 1.0);
    add_weights(law, reward, action, -1.0);
    for (int64_t set = 0; set < model->generator_sets; set++) {
        int64_t g = basis->block_of_generator_set[set];
        if (basis->block[g].dim == 0)
            continue;
        fy_basis_psi(basis, set, law->weight + model->gen_start[set], psi, law->scratch);
        for (int64_t i = 0; i < basis->block[g].dim; i++)
            law->gradient[ridge->at_vector[g] + i] += psi[i];
    }
}

/* ---------------------------------------------------------------------------- steps */

/* How much weight can go from one coordinate of block g to another, and what this gains to first
 * order. Along z + t dz, where t = 1 moves all the weight, and with e = z - c,
 *
 *     ||e + t dz||^2 = ||e||^2 + 2 t <e,dz> + t^2 ||dz||^2 <= beta^2 */
static double largest_step(fy_worst_law *law, const fy_confidence *set, int64_t g, int32_t source,
                           int32_t target, double *gain)
{
    const double *centre = set->z + set->ridge->at_vector[g];
    const double *gradient = law->gradient + set->ridge->at_vector[g];
    int64_t dim = law->model->basis->block[g].dim;
    double all = law->trial[source], kept = law->trial[target], slope = 0.0;
    fy_basis_coordinates(law->model->basis, g, law->trial, law->from);
    law->trial[source] = 0.0;
    law->trial[target] = kept + all;
    fy_basis_coordinates(law->model->basis, g, law->trial, law->to);
    law->trial[source] = all;
    law->trial[target] = kept;
    for (int64_t i = 0; i < dim; i++) {
        law->by[i] = law->to[i] - law->from[i];
        law->from[i] -= centre[i];
        law->to[i] -= centre[i];
        slope += gradient[i] * law->by[i];
    }
    double e = fy_ridge_norm(set->ridge, g, law->from), dz = fy_ridge_norm(set->ridge, g, law->by);
    double end = fy_ridge_norm(set->ridge, g, law->to), t = 1.0;
    double beta = set->radius[g] * (1.0 - 1e-9); /* inside, whatever rounding does */
    if (end > beta) {
        double inner = 0.5 * (end * end - e * e - dz * dz);
        double root = sqrt(fmax(0.0, inner * inner + dz * dz * (beta * beta - e * e)));
        t = fmin(1.0, fmax(0.0, (root - inner) / (dz * dz)));
    }
    *gain = t * slope;
    return t * all;
}

/* The best moves of a block from law->trial on, each `part` of the way, while they gain. */
static void move_block(fy_worst_law *law, const fy_confidence *set, int64_t g, double part)
{
    const fy_block *block = &law->model->basis->block[g];
    for (int32_t round = 0; round < block->coords; round++) {
        double best = 0.0, amount = 0.0;
        int32_t source = 0, target = 0;
        for (int32_t i = 0; i < block->coords; i++)
            for (int32_t j = 0; j < block->coords; j++) {
                double gain, step;
                if (i == j || !(law->trial[block->coord[i]] > 0.0))
                    continue;
                step = largest_step(law, set, g, block->coord[i], block->coord[j], &gain);
                if (gain > best) {
                    best = gain;
                    amount = step;
                    source = block->coord[i];
                    target = block->coord[j];
                }
            }
        if (!(best > 0.0))
            return;
        law->trial[source] = fmax(0.0, law->trial[source] - part * amount);
        law->trial[target] += part * amount;
    }
}

/* Laws that are known directly must stay likely, too: what is too far on the way from law->theta to
 * law->trial is taken back, block by block. Both sets are convex. */
static void stay_likely(fy_worst_law *law, const fy_confidence *set)
{
    const fy_basis *basis = law->model->basis;
    for (int64_t i = 0; i < law->model->generator_sets; i++) {
        const fy_block *block = &basis->block[basis->block_of_generator_set[i]];
        double max = 1.0 - 1e-9, near = 0.0, far = 1.0;
        if (fy_confidence_divergence(set, i, law->trial) <= max * set->width[i])
            continue;
        for (int half = 0; half < 30; half++) {
            double part = 0.5 * (near + far);
            for (int32_t k = 0; k < block->coords; k++)
                law->moved[block->coord[k]] =
                    law->theta[block->coord[k]] +
                    part * (law->trial[block->coord[k]] - law->theta[block->coord[k]]);
            if (fy_confidence_divergence(set, i, law->moved) <= max * set->width[i])
                near = part;
            else
                far = part;
        }
        for (int32_t k = 0; k < block->coords; k++)
            law->trial[block->coord[k]] =
                law->theta[block->coord[k]] +
                near * (law->trial[block->coord[k]] - law->theta[block->coord[k]]);
    }
}

/* V^rho - V^pi where the rival is given, V* - V^pi (and its policy as the rival) where not. */
static double loss_under(fy_worst_law *law, const double *theta, const foray_reward *reward,
                         const int32_t *action, bool given)
{
    follow_law(law, theta);
    double other = given ? fy_truth_value(law->truth, reward, law->rival)
                         : fy_truth_best(law->truth, reward, law->rival);
    return other - fy_truth_value(law->truth, reward, action);
}

/* One step uphill for the rival at hand, the largest that gains; false: there is none. */
static bool climb(fy_worst_law *law, const fy_confidence *set, const foray_reward *reward,
                  const int32_t *action)
{
    size_t bytes = (size_t)law->model->dim * sizeof *law->trial;
    double now = loss_under(law, law->theta, reward, action, true);
    find_gradient(law, set->ridge, reward, action);
    double part = 1.0;
    for (int shorter = 0; shorter < 6; shorter++) {
        memcpy(law->trial, law->theta, bytes);
        for (int64_t g = 0; g < law->model->basis->blocks; g++)
            if (law->model->basis->block[g].dim > 0)
                move_block(law, set, g, part);
        stay_likely(law, set);
        if (loss_under(law, law->trial, reward, action, true) > now + 1e-12) {
            memcpy(law->theta, law->trial, bytes);
            return true;
        }
        part *= 0.4;
    }
    return false;
}

/* --------------------------------------------------------------------------- search */

/* The centre of the set, as a law. */
static void start_at_centre(fy_worst_law *law, const fy_confidence *set)
{
    const fy_basis *basis = law->model->basis;
    memset(law->theta, 0, (size_t)law->model->dim * sizeof *law->theta);
    for (int64_t g = 0; g < basis->blocks; g++)
        fy_basis_theta(basis, g, set->z + set->ridge->at_vector[g], law->theta);
    for (int64_t i = 0; i < law->model->dim; i++)
        law->theta[i] = fmax(0.0, law->theta[i]);
}

/* Climbs from the centre, for the rival at hand and then for those that follow. */
static double search_from_centre(fy_worst_law *law, const fy_confidence *set,
                                 const foray_reward *reward, const int32_t *action, int64_t steps)
{
    double worst = 0.0;
    start_at_centre(law, set);
    for (int64_t i = 0; i < steps; i++) {
        bool moved = climb(law, set, reward, action);
        if (moved && i < steps / 2)
            continue;
        /* At the top for this rival, or half-way: the best policy of this law is the next. */
        double loss = loss_under(law, law->theta, reward, action, false);
        if (!moved && loss <= worst)
            break;
        worst = fmax(worst, loss);
    }
    return fmax(worst, loss_under(law, law->theta, reward, action, false));
}

/* The policy whose value could be the largest, were every step as lucky as the set allows. */
static void take_optimist(fy_worst_law *law, const fy_confidence *set, const foray_reward *reward)
{
    double mean;
    fy_layout_set(&law->truth->exact.layout, reward);
    fy_plan(&(fy_plan_task){.kernel = set->kernel,
                            .reward = law->truth->exact.layout.reward,
                            .lanes = 1,
                            .sign = 1,
                            .clip = FORAY_CLIP_REMAINING,
                            .ties = FORAY_TIES_UNCLIPPED,
                            .layers = 2,
                            .value = law->truth->exact.value,
                            .policy = law->rival},
            &mean);
}

double fy_worst_law_search(fy_worst_law *law, const fy_certifier *certifier,
                           const foray_reward *reward, const int32_t *action, int64_t steps)
{
    const fy_confidence *set = certifier->set;
    size_t entries = (size_t)(law->model->horizon * law->model->states);
    fy_gap_explain(certifier->gap, reward, action, &law->doubt);
    memcpy(law->rival, law->doubt.choice, entries * sizeof *law->rival);
    double feared = search_from_centre(law, set, reward, action, steps);
    take_optimist(law, set, reward);
    return fmax(feared, search_from_centre(law, set, reward, action, steps));
}
