/* threads.h - OpenMP where the library is built with it, one thread where it is not. Nothing
 * else includes omp.h; the pragmas say by themselves what they do without it: nothing. */
#ifndef FY_THREADS_H
#define FY_THREADS_H

#ifdef _OPENMP

#include <omp.h>

typedef omp_lock_t fy_lock;

/* Which of the threads of a parallel region this is, from 0. */
static inline int fy_thread(void)
{
    return omp_get_thread_num();
}

static inline void fy_lock_create(fy_lock *lock)
{
    omp_init_lock(lock);
}

static inline void fy_lock_destroy(fy_lock *lock)
{
    omp_destroy_lock(lock);
}

static inline void fy_lock_take(fy_lock *lock)
{
    omp_set_lock(lock);
}

static inline void fy_lock_release(fy_lock *lock)
{
    omp_unset_lock(lock);
}

#else

typedef char fy_lock;

static inline int fy_thread(void)
{
    return 0;
}

static inline void fy_lock_create(fy_lock *lock)
{
    *lock = 0;
}

static inline void fy_lock_destroy(fy_lock *lock)
{
    (void)lock;
}

static inline void fy_lock_take(fy_lock *lock)
{
    (void)lock;
}

static inline void fy_lock_release(fy_lock *lock)
{
    (void)lock;
}

#endif

#endif
