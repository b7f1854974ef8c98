/* support_linear.c - see support_linear.h. */
#include "support_linear.h"

#include <math.h>
#include <stdlib.h>

#include "explore/linear/phi.h"
#include "model/model.h"

foray_model *linear_random_world(foray_context *ctx, linear_sizes n, uint64_t seed)
{
    support_random random = {.seed = seed};
    double *corner = calloc((size_t)(n.dim * n.states), sizeof *corner);
    double *phi = calloc((size_t)n.dim, sizeof *phi), total;
    int64_t *all = calloc((size_t)n.dim, sizeof *all);
    foray_builder *builder;
    foray_model *model;
    support_ok(ctx, foray_builder_create_tabular(ctx, n.states, n.actions, n.horizon, &builder));
    foray_builder_pair_features(builder, n.dim);
    for (int64_t i = 0; i < n.dim; i++) {
        all[i] = i;
        support_law(&random, n.states, true, corner + i * n.states);
    }
    for (int64_t s = 0; s < n.states; s++)
        for (int64_t a = 0; a < n.actions; a++) {
            support_law(&random, n.dim, false, phi);
            foray_builder_pair_feature(builder, s, a, n.dim, all, phi);
            for (int64_t next = 0; next < n.states; next++) {
                total = 0;
                for (int64_t i = 0; i < n.dim; i++)
                    total += phi[i] * corner[i * n.states + next];
                foray_builder_transition(builder, s, a, next, fmin(total, 1));
            }
        }
    support_ok(ctx, foray_builder_finish(builder, &model));
    foray_builder_destroy(builder);
    free(corner);
    free(phi);
    free(all);
    return model;
}

foray_settings linear_settings(const char *algorithm)
{
    return support_settings(algorithm, 200, 11);
}

double *linear_features(foray_context *ctx, const foray_model *model, int source, int64_t *dim)
{
    fy_phi_rows rows = {0};
    double *phi;
    if (source == FY_FEATURES_LOWRANK)
        support_ok(ctx, fy_phi_factorise(support_arena(ctx), model, 1e-10, &rows));
    *dim = source == FY_FEATURES_LOWRANK ? rows.dim
           : source == FY_FEATURES_GIVEN ? model->pair_dim
                                         : model->pairs;
    phi = calloc((size_t)(model->pairs * *dim), sizeof *phi);
    const int64_t *start = rows.dim > 0 ? rows.start : model->pair_start;
    const int32_t *index = rows.dim > 0 ? rows.index : model->pair_index;
    const double *value = rows.dim > 0 ? rows.value : model->pair_value;
    for (int64_t p = 0; p < model->pairs; p++) {
        if (source == FY_FEATURES_ONEHOT)
            phi[p * *dim + p] = 1;
        else
            for (int64_t k = start[p]; k < start[p + 1]; k++)
                phi[p * *dim + index[k]] = value[k];
    }
    return phi;
}
