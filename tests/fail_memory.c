/* fail_memory.c - loaded before a program (LD_PRELOAD), makes one allocation fail, or all from
 * one on: FAIL_MEMORY=17 the 17th, FAIL_MEMORY=17+ that and all that follow. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static atomic_long made;

static int fails(void)
{
    const char *wanted = getenv("FAIL_MEMORY");
    long number = atomic_fetch_add(&made, 1) + 1;
    if (!wanted)
        return 0;
    long from = strtol(wanted, NULL, 10);
    int failing = strchr(wanted, '+') ? number >= from : number == from;
    if (failing)
        errno = ENOMEM;
    return failing;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}
