/* level.h - one library for all machines, with registers of any width.
 *
 * The arithmetic that takes the time (FORAY_KERNELS in CMakeLists.txt) is compiled once for
 * every *level*: baseline, which every machine of the architecture has, and on x86-64 also
 * avx2 and avx512. A context takes the highest level that its machine has, and whatever is
 * created with it keeps a pointer to the functions of that level.
 *
 * A level never changes a bit of any result. Levels differ in how many numbers they work on at
 * once, but not in what is added to what, nor in which order; and every product and every sum
 * is rounded by itself, on all levels (-ffp-contract=off), although avx2 and avx512 could fuse.
 *
 * A file of FORAY_KERNELS is written for registers of FY_REGISTER numbers. Its global names
 * end in its level: FY_AT_LEVEL(fy_backup) is fy_backup_avx2 in one of its three object files.
 * Elsewhere, FY_LEVEL_LIST says which levels there are. */
#ifndef FY_LEVEL_H
#define FY_LEVEL_H

#include "base/base.h"

#include <string.h>

#ifdef FY_DISPATCH
#define FY_LEVEL_LIST(LEVEL) LEVEL(baseline) LEVEL(avx2) LEVEL(avx512)
#else
#define FY_LEVEL_LIST(LEVEL) LEVEL(baseline)
#endif

#define FY_LEVEL_NUMBER(level) FY_LEVEL_##level,
enum { FY_LEVEL_LIST(FY_LEVEL_NUMBER) FY_LEVELS };

/* "baseline", "avx2", "avx512"; NULL behind the last. */
const char *fy_level_name(int level);

/* Does this machine have it? */
bool fy_level_present(int level);
/* The highest that it has. */
int fy_level_highest(void);

/* Which instructions of the processor the most used loops may use: "baseline", or on x86-64
 * "avx2" or "avx512". The default is the widest that the machine has. Results do not depend on
 * it, to the last bit, which tests show with this function. It acts on what is created with the
 * context afterwards. FORAY_ERROR_USAGE for a level that the machine, or this build of
 * the library, does not have. */
foray_status fy_level_set(foray_context *ctx, const char *name);

/* The level that a file is compiled for. */
#ifndef FY_LEVEL
#define FY_LEVEL baseline
#endif
#define FY_AT_LEVEL(name) FY_JOIN(name, FY_LEVEL)
#define FY_JOIN(name, level) FY_JOIN_EXPANDED(name, level)
#define FY_JOIN_EXPANDED(name, level) name##_##level

/* Doubles in a register of this level; on machines other than x86-64, NEON's or simd128's. */
#if defined(__AVX512F__)
enum { FY_REGISTER = 8 };
#elif defined(__AVX__)
enum { FY_REGISTER = 4 };
#else
enum { FY_REGISTER = 2 };
#endif

/* Vectors of the compiler's own kind, of one register each; wider ones gcc takes apart badly.
 * Loops over lanes do not become vectors where lanes lie far apart; these always are. */
typedef double fy_register __attribute__((vector_size(FY_REGISTER * sizeof(double))));

#define FY_INLINE static inline __attribute__((always_inline, unused))
#define FY_APART __attribute__((noinline))
#define FY_UNROLL _Pragma("GCC unroll 8")

/* memcpy: arrays need not be aligned. */
FY_INLINE fy_register fy_register_load(const double *at)
{
    fy_register x;
    memcpy(&x, at, sizeof x);
    return x;
}

FY_INLINE void fy_register_store(double *at, fy_register x)
{
    memcpy(at, &x, sizeof x);
}

#endif
