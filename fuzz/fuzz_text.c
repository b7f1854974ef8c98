/* Texts from the command line, "name=value", world specifications and clusters: settings that
 * are accepted read back as what was set, worlds that are accepted are valid, clusters that are
 * accepted have weights with sum one. */
#include "fuzz.h"

static void try_setting(foray_context *ctx, char *text)
{
    char *value = strchr(text, '=');
    foray_settings settings, again;
    if (value == NULL)
        return;
    *value++ = '\0';
    foray_settings_default(&settings);
    foray_settings_default(&again);
    foray_status status = foray_settings_set(ctx, &settings, text, value);
    fuzz_explained(ctx, status);
    if (status == FORAY_OK) {
        char copy[512], copy_again[512];
        assert(foray_settings_get(ctx, &settings, text, copy, sizeof copy) == FORAY_OK);
        assert(foray_settings_set(ctx, &again, text, copy) == FORAY_OK);
        assert(foray_settings_get(ctx, &again, text, copy_again, sizeof copy_again) == FORAY_OK);
        assert(strcmp(copy, copy_again) == 0);
        fuzz_explained(ctx, foray_settings_check(ctx, &settings));
    }
    value[-1] = '=';
}

/* Two digits in a row (4_2 is a number, too), or one of `marks` behind a digit (an exponent), could
 * ask for something that takes seconds to build; numbers of any length are read by try_setting. */
static bool small(const char *text, const char *marks)
{
    size_t digits = 0;
    for (; *text != '\0'; text++) {
        if (digits > 0 && strchr(marks, *text) != NULL)
            return false;
        digits = *text >= '0' && *text <= '9' ? digits + 1 : *text == '_' ? digits : 0;
        if (digits == 2)
            return false;
    }
    return true;
}

static void try_world(foray_context *ctx, const char *text)
{
    foray_model *model = NULL;
    foray_status status = foray_model_builtin(ctx, text, &model);
    fuzz_explained(ctx, status);
    if (status == FORAY_OK)
        assert(foray_model_check(ctx, model, NULL) == FORAY_OK);
    foray_model_destroy(model);
}

static void try_clusters(foray_context *ctx, const char *text)
{
    static const double middle[] = {0, 0};
    foray_system *system = NULL;
    foray_clusters *clusters = NULL;
    assert(foray_system_open(ctx, "pendulum", &system) == FORAY_OK);
    foray_status status = foray_clusters_parse(ctx, system, text, &clusters);
    fuzz_explained(ctx, status);
    if (status == FORAY_OK) {
        int32_t cluster[64];
        double weight[64], sum = 0;
        int64_t count = foray_clusters_of(clusters, middle, cluster, weight);
        for (int64_t k = 0; k < count; k++)
            sum += weight[k];
        assert(sum > 1 - 1e-9 && sum < 1 + 1e-9);
    }
    foray_clusters_destroy(clusters);
    foray_system_destroy(system);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    foray_context *ctx = foray_context_create();
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    try_setting(ctx, text);
    if (small(text, "eExX"))
        try_world(ctx, text);
    if (small(text, "eE"))
        try_clusters(ctx, text);
    free(text);
    foray_context_destroy(ctx);
    return 0;
}
