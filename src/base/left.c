/* left.c - how much memory there is left, so that what needs more is refused with a reason instead
 * of being ended by the system in the middle of its work. Asking takes a hundredth of a
 * millisecond, and nobody asks for little. */
#include "base/base.h"

#include <math.h>
#include <string.h>

enum { LITTLE = 64 << 20 };

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, LINE_BYTES = 256 };

/* The number behind `key` in a file of lines "key number", or with "" the first; NAN: none, or a
 * word. */
static double number_of(const char *path, const char *key)
{
    char line[LINE_BYTES];
    double found = NAN;
    bool there = false;
    size_t length = strlen(key);
    FILE *file = fopen(path, "r");
    if (!file)
        return NAN;
    while (!there && fgets(line, sizeof line, file)) {
        const char *number = line + length;
        if (strncmp(line, key, length) != 0)
            continue;
        number += strspn(number, " \t");
        there = fy_number_read(number, strspn(number, "0123456789"), &found);
    }
    fclose(file);
    return found;
}

/* A number of a group of processes. */
static double number_of_group(const char *group, const char *file, const char *key)
{
    char path[PATH_BYTES];
    fy_format(path, sizeof path, "/sys/fs/cgroup%s/%s", group, file);
    return number_of(path, key);
}

/* What the group may still take; pages of files that nobody uses are given back. */
static double left_in_group(const char *group)
{
    double limit = number_of_group(group, "memory.max", "");
    double used = number_of_group(group, "memory.current", "");
    double files = number_of_group(group, "memory.stat", "inactive_file ");
    if (isnan(limit) || isnan(used))
        return INFINITY;
    return fmax(0, limit - used + (files > 0 ? files : 0));
}

/* The group of this process and all that it is a part of: a line "0::/a/b". */
static double left_in_groups(void)
{
    char line[PATH_BYTES];
    double left = left_in_group("");
    FILE *file = fopen("/proc/self/cgroup", "r");
    if (!file)
        return left;
    while (fgets(line, sizeof line, file)) {
        char *group = strncmp(line, "0::/", 4) == 0 ? line + 3 : NULL;
        if (!group)
            continue;
        group[strcspn(group, "\n")] = 0;
        for (char *end = group + strlen(group); end > group; end = strrchr(group, '/')) {
            *end = 0;
            left = fmin(left, left_in_group(group));
        }
    }
    fclose(file);
    return left;
}

/* What a limit on addresses allows (ulimit -v). */
static double left_of_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return INFINITY;
    double used = number_of("/proc/self/statm", "") * (double)sysconf(_SC_PAGESIZE);
    return isnan(used) ? INFINITY : fmax(0, (double)limit.rlim_cur - used);
}

double fy_memory_left(void)
{
    double free = number_of("/proc/meminfo", "MemAvailable:");
    double swap = number_of("/proc/meminfo", "SwapFree:");
    double machine = isnan(free) ? INFINITY : 1024 * (free + (swap > 0 ? swap : 0));
    return fmin(machine, fmin(left_in_groups(), left_of_limit()));
}
#else
double fy_memory_left(void)
{
    return INFINITY;
}
#endif

foray_status fy_memory_need(foray_context *ctx, double bytes, const char *what, const char *help)
{
    double left = bytes > LITTLE ? fy_memory_left() : INFINITY;
    if (bytes <= left)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_MEMORY,
                   "%s takes at least %.2f GB of memory, but only %.2f GB are left; %s", what,
                   1e-9 * bytes, 1e-9 * left, help);
}
