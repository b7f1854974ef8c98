/* A program outside the tree: what a user's first ten lines look like. */
#include <foray/foray.h>
#include <stdio.h>

int main(void)
{
    foray_context *ctx = foray_context_create();
    foray_model *model = NULL;
    foray_status status = foray_model_builtin(ctx, "riverswim", &model);
    if (status == FORAY_OK)
        printf("Foray %s, %lld states\n", foray_version(), (long long)foray_model_states(model));
    foray_model_destroy(model);
    foray_context_destroy(ctx);
    return status == FORAY_OK ? 0 : 1;
}
