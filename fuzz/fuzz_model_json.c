/* Models as JSON: what is accepted can be checked, and printing it gives a text
 * that reads back as the same text. */
#include "fuzz.h"
#include "model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    foray_context *ctx = foray_context_create();
    foray_model *model = NULL, *again = NULL;
    foray_status status = fy_model_parse_json(ctx, data, size, "input", &model);
    fuzz_explained(ctx, status);
    if (status == FORAY_OK) {
        char *text = NULL, *text_again = NULL;
        assert(fy_model_print_json(ctx, model, &text, NULL) == FORAY_OK);
        status = fy_model_parse_json(ctx, (const uint8_t *)text, strlen(text), "again", &again);
        assert(status == FORAY_OK);
        assert(fy_model_print_json(ctx, again, &text_again, NULL) == FORAY_OK);
        assert(strcmp(text, text_again) == 0);
        fuzz_explained(ctx, foray_model_check(ctx, model, NULL));
        free(text);
        free(text_again);
    }
    foray_model_destroy(again);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
    return 0;
}
