/* pair_features.h - features phi(s,a) of linear MDPs, on their way into a model. */
#ifndef FY_PAIR_FEATURES_H
#define FY_PAIR_FEATURES_H

#include "model/builder.h"

/* Copies them, ascending within each pair and without zeros. FORAY_ERROR_INPUT names the
 * (s,a): coordinates out of range or given twice, values that are not numbers, a phi of
 * zero, with which probabilities could not sum to one. */
foray_status fy_pair_features_copy(foray_context *ctx, const fy_model_parts *parts,
                                   foray_model *model);

/* ||phi(s,a)|| <= 1 everywhere: a part of foray_model_check. */
foray_status fy_pair_features_check(foray_context *ctx, const foray_model *model);

/* Has a builder that was promised features phi(s,a) been told those of every pair? */
foray_status fy_pair_features_complete(const foray_builder *builder);

/* What a builder was told moves into the model. */
foray_status fy_pair_features_take(foray_builder *builder, foray_model *model);

#endif
