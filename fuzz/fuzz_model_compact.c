/* Models in the compact format: what is accepted writes back to a model that is
 * the same byte for byte. */
#include "fuzz.h"
#include "model/model.h"

/* The bytes with a right checksum at their end, or hardly any change would get past it. */
static uint8_t *with_checksum(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    assert(copy != NULL);
    memcpy(copy, data, size);
    uint32_t crc = size < 4 ? 0 : fy_crc32c(0, copy, size - 4);
    for (size_t i = 0; size >= 4 && i < 4; i++)
        copy[size - 4 + i] = (uint8_t)(crc >> (8 * i));
    return copy;
}

static void parse(foray_context *ctx, const uint8_t *data, size_t size)
{
    foray_model *model = NULL, *again = NULL;
    foray_status status = fy_model_parse_compact(ctx, data, size, "input", &model);
    fuzz_explained(ctx, status);
    if (status == FORAY_OK) {
        char *bytes = NULL, *bytes_again = NULL;
        size_t length, length_again;
        assert(fy_model_print_compact(ctx, model, &bytes, &length) == FORAY_OK);
        assert(fy_model_parse_compact(ctx, bytes, length, "again", &again) == FORAY_OK);
        assert(fy_model_print_compact(ctx, again, &bytes_again, &length_again) == FORAY_OK);
        assert(length == length_again && memcmp(bytes, bytes_again, length) == 0);
        fuzz_explained(ctx, foray_model_check(ctx, model, NULL));
        free(bytes);
        free(bytes_again);
    }
    foray_model_destroy(again);
    foray_model_destroy(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    foray_context *ctx = foray_context_create();
    uint8_t *repaired = with_checksum(data, size);
    parse(ctx, data, size);
    parse(ctx, repaired, size);
    free(repaired);
    foray_context_destroy(ctx);
    return 0;
}
