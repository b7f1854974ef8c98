/* threads.h - OpenMP where the library is built with it, one thread where it is not. Nothing
 * else includes omp.h; the pragmas say by themselves what they do without it: nothing. */
#ifndef FY_THREADS_H
#define FY_THREADS_H

#ifdef _OPENMP

#include <omp.h>

typedef omp_lock_t fy_mutex;

/* Which of the threads of a parallel region this is, from 0. */
static inline int fy_thread(void)
{
    return omp_get_thread_num();
}

static inline void fy_mutex_create(fy_mutex *mutex)
{
    omp_init_lock(mutex);
}

static inline void fy_mutex_destroy(fy_mutex *mutex)
{
    omp_destroy_lock(mutex);
}

static inline void fy_mutex_take(fy_mutex *mutex)
{
    omp_set_lock(mutex);
}

static inline void fy_mutex_release(fy_mutex *mutex)
{
    omp_unset_lock(mutex);
}

#else

typedef char fy_mutex;

static inline int fy_thread(void)
{
    return 0;
}

static inline void fy_mutex_create(fy_mutex *mutex)
{
    *mutex = 0;
}

static inline void fy_mutex_destroy(fy_mutex *mutex)
{
    (void)mutex;
}

static inline void fy_mutex_take(fy_mutex *mutex)
{
    (void)mutex;
}

static inline void fy_mutex_release(fy_mutex *mutex)
{
    (void)mutex;
}

#endif

#endif
