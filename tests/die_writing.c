/* die_writing.c - loaded before a program (LD_PRELOAD), kills it with SIGKILL at one of the calls
 * that change files: DIE_AT=17 before the 17th, DIE_AT=17+ right after it, DIE_AT=17/ in its
 * middle, when half of the bytes are written. DIE_COUNT=FILE: the number of calls goes there. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_long made;

static void die(void)
{
    kill(getpid(), SIGKILL);
}

/* What is to happen at this call: 0 nothing, else '-' before, '/' in the middle, '+' after. */
static char fate(void)
{
    const char *wanted = getenv("DIE_AT");
    long number = atomic_fetch_add(&made, 1) + 1;
    char *end;
    if (!wanted || strtol(wanted, &end, 10) != number)
        return 0;
    if (*end != '+' && *end != '/')
        die();
    return *end;
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("DIE_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld\n", atomic_load(&made));
        fclose(file);
    }
}

/* The function that this one stands before. */
static void *real(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found)
        abort();
    return found;
}

#define CALL(type, name, parameters, arguments)                                                    \
    type name parameters                                                                           \
    {                                                                                              \
        type(*its) parameters;                                                                     \
        *(void **)&its = real(#name);                                                              \
        char end = fate();                                                                         \
        if (end == '/')                                                                            \
            die();                                                                                 \
        type result = its arguments;                                                               \
        if (end)                                                                                   \
            die();                                                                                 \
        return result;                                                                             \
    }

CALL(int, fsync, (int fd), (fd))
CALL(int, fdatasync, (int fd), (fd))
CALL(int, ftruncate64, (int fd, off64_t size), (fd, size))
CALL(int, ftruncate, (int fd, off_t size), (fd, size))
CALL(int, rename, (const char *from, const char *to), (from, to))
CALL(int, link, (const char *from, const char *to), (from, to))
CALL(int, unlink, (const char *path), (path))
CALL(int, mkdir, (const char *path, mode_t mode), (path, mode))
CALL(int, renameat2, (int a, const char *from, int b, const char *to, unsigned flags),
     (a, from, b, to, flags))

/* Standard output and error are not files. */
#define WRITE(name, parameters, whole, half)                                                       \
    ssize_t name parameters                                                                        \
    {                                                                                              \
        ssize_t(*its) parameters;                                                                  \
        *(void **)&its = real(#name);                                                              \
        char end = fd > 2 ? fate() : 0;                                                            \
        if (end == '/') {                                                                          \
            (void)!its half;                                                                       \
            die();                                                                                 \
        }                                                                                          \
        ssize_t result = its whole;                                                                \
        if (end)                                                                                   \
            die();                                                                                 \
        return result;                                                                             \
    }

WRITE(write, (int fd, const void *data, size_t size), (fd, data, size), (fd, data, size / 2))
WRITE(pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at),
      (fd, data, size / 2, at))
WRITE(pwrite64, (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at),
      (fd, data, size / 2, at))

/* Opening counts where it may create or empty a file. */
#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        int (*its)(const char *, int, ...);                                                        \
        *(void **)&its = real(#name);                                                              \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;                                  \
        va_end(rest);                                                                              \
        char end = flags & (O_CREAT | O_TRUNC) ? fate() : 0;                                       \
        if (end == '/')                                                                            \
            die();                                                                                 \
        int result = its(path, flags, mode);                                                       \
        if (end)                                                                                   \
            die();                                                                                 \
        return result;                                                                             \
    }

OPEN(open)
OPEN(open64)
