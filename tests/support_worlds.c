/* support_worlds.c - see support_worlds.h. */
#include "support_worlds.h"

#include <math.h>

foray_model *world_model_of(foray_context *ctx, const char *spec)
{
    foray_model *model = NULL;
    if (foray_model_builtin(ctx, spec, &model) != FORAY_OK)
        fail_msg("%s: %s", spec, foray_message(ctx));
    return model;
}

double world_chance(const foray_model *model, int64_t s, int64_t a, int64_t next)
{
    const int32_t *successor;
    int64_t n = foray_model_successors(model, s, a, &successor);
    double sum = 0;
    for (int64_t j = 0; j < n; j++) {
        if (successor[j] == next)
            sum += foray_model_probability(model, foray_model_theta(model), s, a, j);
    }
    return sum;
}

int64_t world_start_of(const foray_model *model)
{
    const int32_t *start;
    const double *probability;
    assert_int_equal(foray_model_initial(model, &start, &probability), 1);
    assert_true(probability[0] == 1);
    return start[0];
}

void world_assert_close(double x, double y)
{
    if (!(fabs(x - y) <= 1e-12))
        fail_msg("%.17g is not %.17g", x, y);
}
