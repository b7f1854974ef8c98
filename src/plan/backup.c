/* backup.c - backup.inc for one reward and many, and for both precisions of R; all of it once
 * for every level. */
#include "plan/lanes.h"

#include <float.h>

/* Sets of at most this many columns have their loops unrolled. */
enum { FY_SMALL = 8 };
#define FY_SMALL_CASES(CASE) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8)

/* Pairs between asking for a reward, p or R and using it. For values, lanes.h says it. */
enum { FY_FAR = 32 };

/* What rounding may do to a Q, relative to its size (and to 1). */
static const double FY_ROUNDING = 1e-12;

/* ------------------------------------------ the passes after weighing, FY_LANES at a time */

/* The second pass: q += sign radius ||psi'_V||. */
static FY_APART void add_bonuses(const fy_backup *b, int64_t states)
{
    int64_t count = (states * b->lanes + FY_LANES - 1) / FY_LANES * FY_LANES * b->actions;
    const double *squares = b->squares, sign = b->sign;
    double *q = b->q;
    for (int64_t i = 0; i < count; i++)
        q[i] += sign * sqrt(squares[i]);
}

/* What another Q must exceed for its action to be taken instead of that of x: values that differ by
 * no more than rounding are ties, since which way an episode goes must not depend on the order of a
 * sum. */
FY_INLINE many_t hurdle_of(many_t x)
{
    return FY_ROUNDING * (many_abs(x) + 1) + x;
}

/* V_h = max_a Q_h(.,a) in FY_LANES lanes; Q of action a starts at q + a FY_LANES. Clipping keeps
 * the order, so that it can come last. Where no policy is asked for there are no ties, and V_h is
 * the maximum itself: bounds such as V_bar rest on that. */
FY_INLINE void maximum(const fy_backup *b, const double *q, double *value)
{
    many_t best[many_parts];
    FY_UNROLL
    for (int k = 0; k < many_parts; k++)
        best[k] = many_load(q, 0, k);
    for (int64_t a = 1; a < b->actions; a++)
        FY_UNROLL
    for (int k = 0; k < many_parts; k++)
        best[k] = many_max(best[k], many_load(q, a, k));
    FY_UNROLL
    for (int k = 0; k < many_parts; k++)
        many_store(value, 0, k, many_clip(best[k], b->limit));
}

/* The same, and the action that attains it. The larger Q before clipping is also the larger one
 * after, or ties with it: the tie rule is to clip last. With ties to the lowest index, clip first.
 */
FY_INLINE void maximise(const fy_backup *b, const double *q, bool clip_first, double *value,
                        int32_t *policy)
{
    many_t best[many_parts], choice[many_parts];
    FY_UNROLL
    for (int k = 0; k < many_parts; k++) {
        many_t x = many_load(q, 0, k);
        best[k] = clip_first ? many_clip(x, b->limit) : x;
        choice[k] = many_all(0);
    }
    for (int64_t a = 1; a < b->actions; a++) {
        many_t action = many_all((double)a); /* larger than every choice so far */
        FY_UNROLL
        for (int k = 0; k < many_parts; k++) {
            many_t x = many_load(q, a, k);
            if (clip_first)
                x = many_clip(x, b->limit);
            many_mask no_better = many_no_less(hurdle_of(best[k]), x);
            best[k] = many_max(many_except(no_better, x), best[k]);
            choice[k] = many_raise(~no_better, action, choice[k]);
        }
    }
    FY_UNROLL
    for (int k = 0; k < many_parts; k++) {
        many_store(value, 0, k, many_clip(best[k], b->limit));
        many_store_actions(policy, 0, k, choice[k]);
    }
}

/* The same where ties of the clipped Q go to the larger Q^, without bonus. */
FY_INLINE void maximise_plain(const fy_backup *b, const double *q, const double *q_plain,
                              double *value, double *value_plain, int32_t *policy)
{
    for (int k = 0; k < many_parts; k++) {
        many_t best = many_all(-DBL_MAX), best_plain = best, choice = many_all(0);
        for (int64_t a = 0; a < b->actions; a++) {
            many_t x = many_clip(many_load(q, a, k), b->limit), plain = many_load(q_plain, a, k);
            many_mask better = many_less(hurdle_of(best), x), worse = many_less(hurdle_of(x), best);
            many_mask nicer = many_less(hurdle_of(best_plain), plain);
            many_mask taken = better | (nicer & ~worse);
            best = many_pick(taken, x, best);
            best_plain = many_pick(taken, plain, best_plain);
            choice = many_raise(taken, many_all((double)a), choice);
        }
        many_store(value, 0, k, best);
        many_store(value_plain, 0, k, many_clip(best_plain, b->limit));
        many_store_actions(policy, 0, k, choice);
    }
}

/* FY_LANES results of the last pass, or as many as there are. */
typedef struct fy_best {
    double value[FY_LANES], plain[FY_LANES];
    int32_t policy[FY_LANES];
} fy_best;

static FY_APART void maximise_some(const fy_backup *b, const double *q, const double *q_plain,
                                   int64_t at, int64_t count)
{
    fy_best best;
    if (q_plain)
        maximise_plain(b, q, q_plain, best.value, best.plain, best.policy);
    else if (b->policy)
        maximise(b, q, b->clip_first, best.value, best.policy);
    else
        maximum(b, q, best.value);
    memcpy(b->value + at, best.value, (size_t)count * sizeof *b->value);
    if (q_plain)
        memcpy(b->plain + at, best.plain, (size_t)count * sizeof *b->plain);
    if (b->policy)
        memcpy(b->policy + at, best.policy, (size_t)count * sizeof *b->policy);
}

/* The last pass over the states from..to-1. */
static FY_APART void maximise_states(const fy_backup *step, int64_t from, int64_t to)
{
    const fy_backup b = *step;
    const double *q_plain = b.plain && b.sign != 0 ? b.squares : NULL;
    int64_t at = from * b.lanes, end = to * b.lanes, stride = FY_LANES * b.actions;
    int64_t whole = q_plain ? at : end - FY_LANES + 1; /* FY_LANES at a time below this */
    const double *q = b.q;
    if (!b.policy)
        for (; at < whole; at += FY_LANES, q += stride)
            maximum(&b, q, b.value + at);
    else if (b.clip_first)
        for (; at < whole; at += FY_LANES, q += stride)
            maximise(&b, q, true, b.value + at, b.policy + at);
    else
        for (; at < whole; at += FY_LANES, q += stride)
            maximise(&b, q, false, b.value + at, b.policy + at);
    for (; at < end; at += FY_LANES, q += stride)
        maximise_some(step, q, q_plain ? q_plain + (q - b.q) : NULL, at,
                      end - at < FY_LANES ? end - at : FY_LANES);
}

/* Instead of the last pass: V_h(s) = Q_h(s, pi_h(s)) of FY_LANES rewards, each with a policy of its
 * own. */
static FY_APART void pick_states(const fy_backup *b, int64_t from, int64_t to)
{
    const double *q = b->q;
    for (int64_t at = from * FY_LANES; at < to * FY_LANES; at += FY_LANES) {
        for (int lane = 0; lane < FY_LANES; lane++)
            b->value[at + lane] = one_clip(q[b->follow[at + lane] * FY_LANES + lane], b->limit);
        q += FY_LANES * b->actions;
    }
}

/* ---------------------------------- weighing for one reward, where pairs share their sets */

/* R v and <psi_V, theta> at once. Column j of a set (fy_kernel's `columns`) is
 *
 *     (R_0j, ..., R_{c-1,j}, p_j, 0, ...),
 *
 * so origin e_c + sum_j v_j column_j has R v in its first c lanes and the mean behind them. Every
 * lane adds what backup.inc adds, in the same order, and zeros before that, which change no
 * square; registers that would hold nothing but zeros of a column are left out. */
FY_INLINE void weigh_columns(const double *V, const int32_t *next, const double *column,
                             int columns, double *mean, double *squares)
{
    many_t sum[many_parts];
    double lane[FY_LANES], square[FY_LANES], origin = V[*next++];
    FY_UNROLL
    for (int k = 0; k < many_parts; k++)
        sum[k] = many_all(0);
    sum[columns / FY_REGISTER][columns % FY_REGISTER] = origin;
    FY_UNROLL
    for (int j = 0; j < columns; j++) {
        many_t v = many_all(V[next[j]] - origin);
        const double *line = column + (int64_t)j * FY_LANES;
        FY_UNROLL
        for (int k = 0; k < many_parts; k++)
            if (k * FY_REGISTER <= j || k == columns / FY_REGISTER)
                sum[k] += fy_register_load(line + (int64_t)k * FY_REGISTER) * v;
    }
    FY_UNROLL
    for (int k = 0; k < many_parts; k++) {
        many_store(lane, 0, k, sum[k]);
        many_store(square, 0, k, sum[k] * sum[k]);
    }
    *mean = lane[columns];
    *squares = square[columns - 1];
    FY_UNROLL
    for (int i = columns - 2; i >= 0; i--)
        *squares += square[i];
}

/* The first pass over the states from..to-1, as backup.inc's weigh_alike does it. */
FY_INLINE void weigh_shared(const fy_backup *b, int64_t from, int64_t to, int columns)
{
    int64_t pair = from * b->actions, n = columns + 1;
    const int32_t *next = b->succ + pair * n;
    bool prefetch = to * b->actions + one_ahead <= b->pairs;
    for (int64_t state = from; state < to; state++)
        for (int64_t a = 0; a < b->actions; a++, pair++, next += n) {
            int64_t set = b->generator_set[pair], place = one_place(b, state - from, a);
            double mean, squares;
            for (int64_t j = 0; j < n && prefetch; j++)
                one_ask(b->next_value, next[one_ahead * n + j]);
            weigh_columns(b->next_value, next, b->columns + set * ((int64_t)columns * FY_LANES),
                          columns, &mean, &squares);
            b->q[place] = mean + one_min(b->cap, b->scale * b->reward[pair]);
            b->squares[place] = squares;
        }
    add_bonuses(b, to - from);
}

#define FY_CASE(count)                                                                             \
    case count:                                                                                    \
        weigh_shared(&b, from, to, count);                                                         \
        return;

static FY_APART void weigh_shared_states(const fy_backup *step, int64_t from, int64_t to)
{
    const fy_backup b = *step;
    switch (b.alike) {
        FY_CASE(1) FY_CASE(2) FY_CASE(3) FY_CASE(4) FY_CASE(5) FY_CASE(6) FY_CASE(7)
    }
}
#undef FY_CASE

/* ------------------------------------------------------------------------ weighing */

#define LANE(x) one_##x
#define FACTOR double
#define BACKUP(x) backup_one_double_##x
#include "plan/backup.inc"
#undef FACTOR
#undef BACKUP
#define FACTOR float
#define BACKUP(x) backup_one_single_##x
#include "plan/backup.inc"
#undef FACTOR
#undef BACKUP
#undef LANE

#define LANE(x) many_##x
#define FACTOR double
#define BACKUP(x) backup_many_double_##x
#include "plan/backup.inc"
#undef FACTOR
#undef BACKUP
#define FACTOR float
#define BACKUP(x) backup_many_single_##x
#include "plan/backup.inc"
#undef FACTOR
#undef BACKUP
#undef LANE

const fy_backups FY_AT_LEVEL(fy_backups) = {.one_double = backup_one_double_states,
                                            .one_single = backup_one_single_states,
                                            .many_double = backup_many_double_states,
                                            .many_single = backup_many_single_states,
                                            .spread = many_spread ? FY_REGISTER : 0};
