/* lanes.h - values of one reward, or of FY_LANES rewards side by side.
 *
 * Two sets of the same operations, so that backup.inc is written once: one_* on a double,
 * many_* on registers of as many lanes as the level has (base/level.h): FY_LANES lanes are
 * many_parts registers. The operators of C work on both. */
#ifndef FY_LANES_H
#define FY_LANES_H

#include "plan/backup.h"

#include <math.h>
/* Here and not in a header of many files: it is longer than all others together. */
#ifdef __SSE2__
#include <immintrin.h>
#endif

/* Registers, or doubles, that hold the lanes. */
enum { one_parts = 1, many_parts = FY_LANES / FY_REGISTER };

/* How many of them small sets are weighed for at a time, with a bonus: two rows of R v of 4 columns
 * each, and what they are made of, in no more than 16 registers. */
enum { one_few = 1, many_few = many_parts < 2 ? many_parts : 2 };

/* Is the bonus added one pair later (see backup.inc)? If not, in a pass of its own. */
enum { one_late = false, many_late = true };

/* Does Q lie in the order of pairs? */
enum { one_in_order = false, many_in_order = true };

/* Rewards side by side are plain: r_h(s,a) itself, neither scaled nor capped (plan.h). */
enum { one_plain = false, many_plain = true };

/* May p and R in columns be used? (see backup.c) */
enum { one_in_columns = true, many_in_columns = false };

/* Are p and R of shared sets read from fy_kernel's `spread`, where every number fills a register?
 * SSE2 alone takes an instruction to spread a number it has loaded. */
#if defined(__SSE2__) && !defined(__AVX__)
enum { one_spread = false, many_spread = true };
#else
enum { one_spread = false, many_spread = false };
#endif

/* Pairs between asking for the values of its successors and using them. The values of one
 * reward are mostly in the second cache and come from there in a few pairs' time. With many,
 * every value is a line of its own, from farther away: it is asked for long before, and no
 * nearer than into the second cache. So many lines on their way into the first would use up
 * its room for misses, and whatever else is loaded would wait. With a bonus a pair takes so
 * many instructions that the processor does not see the next pair's loads in time: the few of
 * `near` pairs on are asked for once more, into the first cache (0: not). */
enum { one_ahead = 4, many_ahead = 32 };
enum { one_near = 0, many_near = 3 };

/* Where Q of the batch's states lies: FY_LANES lanes for an action, then those of the next
 * action. With one reward, the lanes are as many states. */
FY_INLINE int64_t one_place(const fy_backup *b, int64_t state, int64_t action)
{
    return (state / FY_LANES * b->actions + action) * FY_LANES + state % FY_LANES;
}

FY_INLINE int64_t many_place(const fy_backup *b, int64_t state, int64_t action)
{
    return state * b->actions + action;
}

/* From the place of one action to that of the next. */
enum { one_stride = FY_LANES, many_stride = 1 };

/* ---------------------------------------------------------------- one lane */

typedef double one_t;

FY_INLINE one_t one_load(const double *at, int64_t item, int64_t part)
{
    return at[item + part];
}

FY_INLINE void one_store(double *at, int64_t item, int64_t part, one_t x)
{
    at[item + part] = x;
}

FY_INLINE void one_ask(const double *at, int64_t item)
{
    __builtin_prefetch(at + item);
}

FY_INLINE void one_ask_near(const double *at, int64_t item)
{
    one_ask(at, item);
}

FY_INLINE one_t one_all(double x)
{
    return x;
}

FY_INLINE one_t one_load_spread(const double *at, int64_t item)
{
    return at[item];
}

FY_INLINE one_t one_sqrt(one_t x)
{
    return sqrt(x);
}

/* The second where they are equal, or one is not a number. */
FY_INLINE one_t one_min(one_t x, one_t y)
{
    return x < y ? x : y;
}

FY_INLINE one_t one_max(one_t x, one_t y)
{
    return x > y ? x : y;
}

/* [x] clipped to [0, limit]. */
FY_INLINE one_t one_clip(one_t x, double limit)
{
    return one_min(limit, one_max(0, x));
}

/* -------------------------------------------------------------- many lanes */

typedef fy_register many_t;
typedef int64_t many_mask __attribute__((vector_size(FY_REGISTER * sizeof(int64_t))));
typedef int32_t many_narrow __attribute__((vector_size(FY_REGISTER * sizeof(int32_t))));

/* A line of FY_LANES doubles starts a cache line: instructions of SSE2 take a number from memory
 * only where it is aligned. */
FY_INLINE many_t many_load(const double *at, int64_t item, int64_t part)
{
    const double *line = at + item * FY_LANES;
    return fy_register_load(__builtin_assume_aligned(line + part * FY_REGISTER, sizeof(many_t)));
}

FY_INLINE void many_store(double *at, int64_t item, int64_t part, many_t x)
{
    double *line = at + item * FY_LANES;
    fy_register_store(line + part * FY_REGISTER, x);
}

FY_INLINE void many_ask(const double *at, int64_t item)
{
    enum { TO_READ, INTO_SECOND_CACHE = 2 };
    __builtin_prefetch(at + item * FY_LANES, TO_READ, INTO_SECOND_CACHE);
}

FY_INLINE void many_ask_near(const double *at, int64_t item)
{
    __builtin_prefetch(at + item * FY_LANES);
}

FY_INLINE many_t many_all(double x)
{
    return x - (many_t){0};
}

/* Number `item` of a table in which each is written FY_REGISTER times. */
FY_INLINE many_t many_load_spread(const double *at, int64_t item)
{
    return fy_register_load(__builtin_assume_aligned(at + item * FY_REGISTER, sizeof(many_t)));
}

FY_INLINE many_t many_sqrt(many_t x)
{
    for (int lane = 0; lane < FY_REGISTER; lane++)
        x[lane] = sqrt(x[lane]);
    return x;
}

/* Without the sign bit. */
FY_INLINE many_t many_abs(many_t x)
{
    return (many_t)((many_mask)x & INT64_MAX);
}

FY_INLINE many_mask many_less(many_t x, many_t y)
{
    return (many_mask)(x < y);
}

/* ~many_less(x, y): one instruction, which compilers do not see. */
FY_INLINE many_mask many_no_less(many_t x, many_t y)
{
#if defined(__SSE2__) && !defined(__AVX__)
    return (many_mask)_mm_cmpnlt_pd((__m128d)x, (__m128d)y);
#elif defined(__AVX__) && !defined(__AVX512F__)
    return (many_mask)_mm256_cmp_pd((__m256d)x, (__m256d)y, _CMP_NLT_UQ);
#else
    return ~many_less(x, y);
#endif
}

/* x, and where the mask is set not a number, which loses in many_max's first place. */
FY_INLINE many_t many_except(many_mask mask, many_t x)
{
    return (many_t)((many_mask)x | mask);
}

FY_INLINE many_t many_pick(many_mask mask, many_t yes, many_t no)
{
    return (many_t)((mask & (many_mask)yes) | (~mask & (many_mask)no));
}

/* Lane by lane x < y ? x : y and x > y ? x : y: one instruction, which compilers do not see. */
FY_INLINE many_t many_min(many_t x, many_t y)
{
#if defined(__AVX512F__)
    return (many_t)_mm512_min_pd((__m512d)x, (__m512d)y);
#elif defined(__AVX__)
    return (many_t)_mm256_min_pd((__m256d)x, (__m256d)y);
#elif defined(__SSE2__)
    return (many_t)_mm_min_pd((__m128d)x, (__m128d)y);
#else
    for (int lane = 0; lane < FY_REGISTER; lane++)
        x[lane] = x[lane] < y[lane] ? x[lane] : y[lane];
    return x;
#endif
}

/* -min(-x, -y), but for which of two equal ones it takes. */
FY_INLINE many_t many_max(many_t x, many_t y)
{
#if defined(__AVX512F__)
    return (many_t)_mm512_max_pd((__m512d)x, (__m512d)y);
#elif defined(__AVX__)
    return (many_t)_mm256_max_pd((__m256d)x, (__m256d)y);
#elif defined(__SSE2__)
    return (many_t)_mm_max_pd((__m128d)x, (__m128d)y);
#else
    for (int lane = 0; lane < FY_REGISTER; lane++)
        x[lane] = x[lane] > y[lane] ? x[lane] : y[lane];
    return x;
#endif
}

FY_INLINE many_t many_clip(many_t x, double limit)
{
    return many_min(many_all(limit), many_max(many_all(0), x));
}

/* The larger of x and, where the mask is set, y; both at least 0. */
FY_INLINE many_t many_raise(many_mask mask, many_t y, many_t x)
{
    return many_max(x, (many_t)(mask & (many_mask)y));
}

/* Actions are counted in doubles, like everything else in a register. */
FY_INLINE void many_store_actions(int32_t *at, int64_t item, int64_t part, many_t x)
{
    many_narrow narrow = __builtin_convertvector(x, many_narrow);
    memcpy(at + item * FY_LANES + part * FY_REGISTER, &narrow, sizeof narrow);
}

#endif
