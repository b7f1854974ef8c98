/* coordinates.c - vectors in the coordinates of a basis: phi' = N' phi, psi' = N' psi,
 * theta = theta_0 + N z. */
#include "model/basis.h"

#include <string.h>

/* out += weight * N' e_i, for coordinate i of a block. */
static inline void add_coordinate(const fy_block *block, int32_t i, double weight, double *out)
{
    if (!block->basis) {
        out[i] += weight;
        return;
    }
    const double *row = block->basis + (int64_t)i * block->dim;
    for (int32_t j = 0; j < block->dim; j++)
        out[j] += weight * row[j];
}

void fy_basis_generators(const fy_basis *basis, int64_t generator_set, double *out)
{
    const foray_model *model = basis->model;
    const fy_block *block = &basis->block[basis->block_of_generator_set[generator_set]];
    int64_t first = model->gen_start[generator_set],
            n = fy_generator_set_size(model, generator_set);
    memset(out, 0, (size_t)n * (size_t)block->dim * sizeof *out);
    for (int64_t gen = first; gen < first + n; gen++, out += block->dim)
        for (int64_t k = model->feat_start[gen]; k < model->feat_start[gen + 1]; k++)
            add_coordinate(block, basis->local_of_coord[model->feat_index[k]], model->feat_value[k],
                           out);
}

/* psi_f over the block's coordinates first, then N': N is touched once. */
void fy_basis_psi(const fy_basis *basis, int64_t generator_set, const double *f, double *out,
                  double *scratch)
{
    const foray_model *model = basis->model;
    const fy_block *block = &basis->block[basis->block_of_generator_set[generator_set]];
    int64_t first = model->gen_start[generator_set],
            n = fy_generator_set_size(model, generator_set);
    double *psi = block->basis ? scratch : out;
    memset(psi, 0, (size_t)block->coords * sizeof *psi);
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = model->feat_start[first + j]; k < model->feat_start[first + j + 1]; k++)
            psi[basis->local_of_coord[model->feat_index[k]]] += f[j] * model->feat_value[k];
    if (!block->basis)
        return;
    memset(out, 0, (size_t)block->dim * sizeof *out);
    for (int32_t i = 0; i < block->coords; i++)
        if (psi[i] != 0)
            add_coordinate(block, i, psi[i], out);
}

double fy_basis_offset(const fy_basis *basis, int64_t generator_set, const double *f)
{
    const double *p0 = basis->p0 + basis->model->gen_start[generator_set];
    int64_t n = fy_generator_set_size(basis->model, generator_set);
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += f[j] * p0[j];
    return sum;
}

void fy_basis_theta(const fy_basis *basis, int64_t block, const double *z, double *theta)
{
    const fy_block *b = &basis->block[block];
    for (int32_t i = 0; i < b->coords; i++) {
        double value = b->basis ? b->theta0[i] : z[i];
        for (int32_t j = 0; b->basis && j < b->dim; j++)
            value += b->basis[(int64_t)i * b->dim + j] * z[j];
        theta[b->coord[i]] = value;
    }
}

void fy_basis_coordinates(const fy_basis *basis, int64_t block, const double *theta, double *z)
{
    const fy_block *b = &basis->block[block];
    memset(z, 0, (size_t)b->dim * sizeof *z);
    for (int32_t i = 0; i < b->coords; i++)
        add_coordinate(b, i, theta[b->coord[i]] - b->theta0[i], z);
}
