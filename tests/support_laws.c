/* support_laws.c - laws inside the confidence set of a certifier. */
#include "support_laws.h"

#include <math.h>
#include <string.h>

/* n KL(N/n || P_theta) <= x from the counts, where the set claims that much of a law. */
static bool is_likely(const fy_certifier *certifier, int64_t set, const double *theta)
{
    const foray_model *model = certifier->model;
    double n = 0, worse = 0;
    for (int64_t j = model->gen_start[set]; j < model->gen_start[set + 1]; j++)
        n += (double)certifier->count[certifier->vectors->slot[j]];
    for (int64_t j = model->gen_start[set]; j < model->gen_start[set + 1]; j++) {
        double N = (double)certifier->count[certifier->vectors->slot[j]], p = 0;
        for (int64_t f = model->feat_start[j]; f < model->feat_start[j + 1]; f++)
            p += model->feat_value[f] * theta[model->feat_index[f]];
        worse += N > 0 ? N * log(N / n / p) : 0;
    }
    return worse <= n * certifier->set->width[set];
}

bool support_law_inside(const fy_certifier *certifier, const double *theta)
{
    const fy_basis *basis = certifier->set->basis;
    const fy_confidence *set = certifier->set;
    double z[64];
    for (int64_t g = 0; g < basis->blocks; g++) {
        if (basis->block[g].dim == 0)
            continue;
        for (int32_t i = 0; i < basis->block[g].coords; i++)
            if (theta[basis->block[g].coord[i]] < 0)
                return false;
        fy_basis_coordinates(basis, g, theta, z);
        for (int64_t i = 0; i < basis->block[g].dim; i++)
            z[i] -= set->z[set->ridge->at_vector[g] + i];
        if (fy_ridge_norm(set->ridge, g, z) > set->radius[g])
            return false;
    }
    for (int64_t i = 0; i < basis->model->generator_sets; i++)
        if (isfinite(set->width[i]) && !is_likely(certifier, i, theta))
            return false;
    return true;
}

void support_law_centre(const fy_certifier *certifier, double *theta)
{
    const fy_basis *basis = certifier->set->basis;
    for (int64_t g = 0; g < basis->blocks; g++)
        fy_basis_theta(basis, g, certifier->set->z + certifier->set->ridge->at_vector[g], theta);
    for (int64_t i = 0; i < basis->model->dim; i++)
        theta[i] = fmax(0, theta[i]);
}

void support_law_move(const fy_certifier *certifier, support_random *random, const double *from,
                      double *to)
{
    const fy_basis *basis = certifier->set->basis;
    memcpy(to, from, (size_t)basis->model->dim * sizeof *to);
    int64_t g = support_below(random, basis->blocks);
    const fy_block *block = &basis->block[g];
    double law[64], scale = certifier->vectors->scale[g];
    double step = pow(10, -4 * support_uniform(random));
    if (block->dim == 0)
        return;
    support_law(random, block->coords, true, law);
    for (int32_t i = 0; i < block->coords; i++)
        to[block->coord[i]] = (1 - step) * from[block->coord[i]] + step * law[i] / scale;
}
