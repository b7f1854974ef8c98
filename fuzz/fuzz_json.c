/* JSON in general, compared with a parser that others wrote. */
#include "fuzz.h"
#include "oracle_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    foray_context *ctx = foray_context_create();
    assert(oracle_json_agrees(ctx, (const char *)data, size));
    foray_context_destroy(ctx);
    return 0;
}
