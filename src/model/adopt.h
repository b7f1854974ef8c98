/* adopt.h - arrays that have the form of a finished model already become one.
 *
 * Models are laid out in one order (gather.h), and so are the files that hold them. What is read
 * from such a file needs no second copy. */
#ifndef FY_ADOPT_H
#define FY_ADOPT_H

#include "model/model.h"

/* Arrays as the model will have them; see model.h. */
typedef struct fy_model_arrays {
    int32_t *generator_set;
    int64_t *succ_start;
    int32_t *succ;
    int64_t *gen_start, *feat_start;
    int32_t *feat_index;
    double *feat_value, *theta;
    int32_t *cell_row, *cell_col;
    char **state_names, **action_names;
} fy_model_arrays;

/* As fy_model_assemble, for parts whose pairs have lists. Where they are in the order of a
 * finished model, the arrays they point to become the model's, and are NULL afterwards. */
foray_status fy_model_adopt(foray_context *ctx, const fy_model_parts *given,
                            fy_model_arrays *arrays, foray_model **out);

#endif
