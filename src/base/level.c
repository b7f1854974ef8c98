#include "base/level.h"

#define LEVEL_NAME(level) #level,
static const char *const name_of_level[FY_LEVELS + 1] = {FY_LEVEL_LIST(LEVEL_NAME)};

const char *fy_level_name(int level)
{
    return name_of_level[level];
}

/* What the options in CMakeLists.txt let the compiler use. The compiler's own functions ask the
 * processor, and whether the system keeps its registers. */
#define FY_HAS_baseline true
#define FY_HAS_avx2 __builtin_cpu_supports("avx2")
#define FY_HAS_avx512                                                                              \
    (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&                    \
     __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))

bool fy_level_present(int level)
{
#define LEVEL_PRESENT(level) FY_HAS_##level,
    const bool present[FY_LEVELS] = {FY_LEVEL_LIST(LEVEL_PRESENT)};
    return present[level];
}

int fy_level_highest(void)
{
    int level = FY_LEVELS - 1;
    while (!fy_level_present(level))
        level--;
    return level;
}

foray_status fy_level_set(foray_context *ctx, const char *name)
{
    for (int level = 0; level < FY_LEVELS; level++)
        if (strcmp(name, fy_level_name(level)) == 0) {
            if (!fy_level_present(level))
                return fy_fail(ctx, FORAY_ERROR_USAGE, "this machine does not have %s", name);
            ctx->level = level;
            return FORAY_OK;
        }
    return fy_fail(ctx, FORAY_ERROR_USAGE, "this library is not built for a level '%s'", name);
}
