/* gap_paid.c - see gap_paid.h. */
#include "certify/gap_paid.h"

#include <math.h>
#include <string.h>

/* One action, as far as its reward is unknown. */
typedef struct paid_action {
    double *e;            /* [n] half widths, of the pair and of what follows together */
    double *beside;       /* [n] of it, what has no column */
    double *R;            /* [cells] */
    double *Y;            /* [d][cells] */
    double up;            /* sup P e */
    double size;          /* sum (p_j + ||x_j||) (e_j + N_j) */
    double *next, *given; /* [n] room of its bounds */
} paid_action;

struct fy_gap_paid {
    fy_gap_pass *gap;
    const foray_reward *low, *high;      /* r-, r+ */
    bool joint;                          /* R is kept */
    int64_t cells;                       /* columns of R */
    int32_t *of_pair, *of_next;          /* [pairs], [transitions] which column; -1: none */
    double *R, *R_after;                 /* [states][cells] */
    double *N, *N_after, *Er, *Er_after; /* [states] */
    paid_action mine, other;
    double *ahead_next, *ahead_given; /* [n] */
    double *f;                        /* [n] */
    double rest;                      /* what rounding can have moved W by */
    bool totals;
    double total_low, total_high; /* in the unit of planning */
    double *least, *most;         /* [horizon+1][states] m, M; NaN: no episode gets there */
};

/* MiB for R, and numbers that are looked at: some seconds. */
enum { MEMORY = 1024 };
#define MOST_WORK 2e10

/* ------------------------------------------------------------------ what is unknown */

static double pair_at(const foray_reward *reward, int64_t t, int64_t pair)
{
    return fy_reward_table(reward, t)[pair];
}

static double next_at(const foray_reward *reward, int64_t t, int64_t at)
{
    const double *next = fy_reward_next(reward, t);
    return next ? next[at] : 0;
}

/* Half of r+ - r-, rounded up. */
static double half_width(double low, double high)
{
    return high > low ? (high - low) / 2 * (1 + 4 * DBL_EPSILON) + 2 * DBL_EPSILON * fabs(high) : 0;
}

static double scale_of(const fy_gap_paid *paid, int64_t t)
{
    const double *scale = paid->gap->layout.reward.scale;
    return scale ? scale[t] : 1;
}

static double between(double low, double high, double sign)
{
    return sign > 0 ? high : sign < 0 ? low : (low + high) / 2;
}

double fy_paid_bounds_of(fy_gap_paid *paid, int64_t t, const fy_gap_action *c, double sign,
                         fy_paid_bounds *out)
{
    const fy_gap_pass *gap = paid->gap;
    const fy_reward_part *given = &paid->low->table[paid->low->table_of_step[t]];
    int64_t first = gap->model->succ_start[c->pair];
    double low = pair_at(paid->low, t, c->pair), high = pair_at(paid->high, t, c->pair);
    double largest = fabs(high),
           lost = gap->rounded + 2 + (double)(scale_of(paid, t) < 1 ? t + 2 : 0);
    *out = (fy_paid_bounds){.pair = between(low, high, sign), .doubtful = low < high};
    out->given = given->pair[c->pair];
    out->next = c == &gap->mine    ? paid->mine.next
                : c == &gap->other ? paid->other.next
                                   : paid->ahead_next;
    out->given_next = c == &gap->mine    ? paid->mine.given
                      : c == &gap->other ? paid->other.given
                                         : paid->ahead_given;
    for (int64_t j = 0; j < c->n; j++) {
        low = next_at(paid->low, t, first + j);
        high = next_at(paid->high, t, first + j);
        out->next[j] = between(low, high, sign);
        out->given_next[j] = given->next ? given->next[first + j] : 0;
        out->doubtful = out->doubtful || low < high;
        largest = fmax(largest, fabs(high));
    }
    /* Nothing is rounded where all is 0 or 1 and known. */
    bool exact = !out->doubtful && gap->rounded == 0;
    return exact ? 0 : lost * FY_UNIT * largest + DBL_MIN;
}

/* ---------------------------------------------------------------------- begin */

/* Whatever has a column has one number, in the order in which the policy meets it. */
static void number_cell(fy_gap_paid *paid, int32_t *cell, bool unknown)
{
    if (unknown && *cell < 0)
        *cell = (int32_t)paid->cells++;
}

static void number_cells(fy_gap_paid *paid, const int32_t *action)
{
    const foray_model *model = paid->gap->model;
    for (int64_t i = 0; i < model->horizon * model->states; i++) {
        int64_t t = i / model->states, s = i % model->states, pair = s * model->actions + action[i];
        if (paid->gap->earliest[s] > t)
            continue;
        number_cell(paid, &paid->of_pair[pair],
                    pair_at(paid->low, t, pair) < pair_at(paid->high, t, pair));
        for (int64_t k = model->succ_start[pair]; k < model->succ_start[pair + 1]; k++)
            number_cell(paid, &paid->of_next[k],
                        next_at(paid->low, t, k) < next_at(paid->high, t, k));
    }
}

static bool columns_fit(const fy_gap_paid *paid)
{
    const foray_model *model = paid->gap->model;
    double cells = (double)paid->cells, d = (double)paid->gap->set->basis->max_dim + 1;
    double numbers = cells * (2 * (double)model->states + 2 * d);
    double work = (double)model->horizon * (double)model->succ_start[model->pairs] * cells * d;
    return work <= MOST_WORK && numbers * sizeof(double) <= (double)MEMORY * 0x1p20;
}

static bool allocate_paid_action(fy_arena *arena, const fy_gap_paid *paid, paid_action *c)
{
    int64_t n = paid->gap->set->basis->max_generators, d = paid->gap->set->basis->max_dim;
    return FY_NEW(arena, c->e, n) && FY_NEW(arena, c->beside, n) && FY_NEW(arena, c->next, n) &&
           FY_NEW(arena, c->given, n) && FY_NEW(arena, c->R, paid->cells) &&
           FY_NEW(arena, c->Y, d * paid->cells);
}

static bool allocate_paid(fy_arena *arena, fy_gap_paid *paid)
{
    const foray_model *model = paid->gap->model;
    int64_t n = paid->gap->set->basis->max_generators, S = model->states;
    size_t cells;
    return fy_size_mul((size_t)S, (size_t)paid->cells, &cells) && FY_NEW(arena, paid->R, cells) &&
           FY_NEW(arena, paid->R_after, cells) && FY_NEW(arena, paid->N, S) &&
           FY_NEW(arena, paid->N_after, S) && FY_NEW(arena, paid->Er, S) &&
           FY_NEW(arena, paid->Er_after, S) && FY_NEW(arena, paid->ahead_next, n) &&
           FY_NEW(arena, paid->ahead_given, n) && FY_NEW(arena, paid->f, n) &&
           allocate_paid_action(arena, paid, &paid->mine) &&
           allocate_paid_action(arena, paid, &paid->other);
}

/* ------------------------------------------------------------------------ totals */

/* From m_t, M_t of a state and what one of its actions can pay to those of what follows: where the
 * mean of what is drawn is known within bounds, what is paid may be anything of the range. */
static void pass_on(fy_gap_paid *paid, int64_t t, int64_t s, int64_t pair)
{
    const foray_model *model = paid->gap->model;
    int64_t S = model->states;
    double *least = paid->least + (t + 1) * S, *most = paid->most + (t + 1) * S;
    for (int64_t k = model->succ_start[pair]; k < model->succ_start[pair + 1]; k++) {
        double low = pair_at(paid->low, t, pair) + next_at(paid->low, t, k);
        double high = pair_at(paid->high, t, pair) + next_at(paid->high, t, k);
        bool drawn = low < high && paid->low->spent > 0;
        low = paid->least[t * S + s] + (drawn ? 0 : low);
        high = paid->most[t * S + s] + (drawn ? 1 : high);
        int32_t next = model->succ[k];
        least[next] = fmin(least[next], low); /* of a number and NaN, the number */
        most[next] = fmax(most[next], high);
    }
}

static foray_status find_totals(fy_arena *arena, fy_gap_paid *paid)
{
    const foray_model *model = paid->gap->model;
    const foray_reward *reward = paid->low;
    int64_t S = model->states, H = model->horizon;
    double lo = reward->low, width = reward->high - reward->low, steps = (double)H;
    double slack = 1e-12 * steps;
    if (!FY_NEW(arena, paid->least, (H + 1) * S) || !FY_NEW(arena, paid->most, (H + 1) * S))
        return FORAY_ERROR_MEMORY;
    paid->totals = true;
    paid->total_low = (reward->total_low - lo * steps) / width - slack;
    paid->total_high = (reward->total_high - lo * steps) / width + slack;
    for (int64_t i = 0; i < (H + 1) * S; i++)
        paid->least[i] = paid->most[i] = NAN;
    for (int64_t i = 0; i < model->initials; i++)
        paid->least[model->initial_state[i]] = paid->most[model->initial_state[i]] = 0;
    for (int64_t t = 0; t < H; t++)
        for (int64_t s = 0; s < S; s++)
            for (int64_t a = 0; a < model->actions && !isnan(paid->least[t * S + s]); a++)
                if (fy_available(model, s * model->actions + a))
                    pass_on(paid, t, s, s * model->actions + a);
    return FORAY_OK;
}

double fy_paid_cap(const fy_gap_paid *paid, int64_t t, int64_t pair, double sign)
{
    int64_t at = t * paid->gap->model->states + pair / paid->gap->model->actions;
    if (!paid->totals || isnan(paid->least[at]))
        return sign * INFINITY;
    double slack = 1e-12 * (double)paid->gap->model->horizon;
    return sign > 0 ? paid->total_high - paid->least[at] + slack
                    : paid->total_low - paid->most[at] - slack;
}

bool fy_paid_cuts_inside(const fy_gap_paid *paid, const fy_gap_action *c)
{
    return paid->low->spent == 0 ||
           !(pair_at(paid->low, 0, c->pair) < pair_at(paid->high, 0, c->pair));
}

/* ------------------------------------------------------------------------ begin and end */

foray_status fy_paid_begin(fy_arena *arena, fy_gap_pass *gap, const foray_reward *reward,
                           const int32_t *action)
{
    const foray_model *model = gap->model;
    fy_gap_paid *paid;
    int64_t transitions = model->succ_start[model->pairs];
    if (!FY_NEW(arena, paid, 1) || !FY_NEW(arena, paid->of_pair, model->pairs) ||
        !FY_NEW(arena, paid->of_next, transitions))
        return FORAY_ERROR_MEMORY;
    paid->gap = gap;
    paid->low = reward;
    paid->high = reward->above;
    memset(paid->of_pair, -1, (size_t)model->pairs * sizeof *paid->of_pair);
    memset(paid->of_next, -1, (size_t)transitions * sizeof *paid->of_next);
    number_cells(paid, action);
    /* One unknown for all steps: rewards that differ from step to step have more of them. */
    paid->joint = columns_fit(paid) && reward->tables == 1 && reward->above->tables == 1;
    paid->cells = paid->joint ? paid->cells : 0;
    if (!allocate_paid(arena, paid))
        return FORAY_ERROR_MEMORY;
    bool totals = reward->total_low != 0 || reward->total_high != 0;
    foray_status status = FORAY_OK;
    if (totals && reward->discount == 1)
        status = find_totals(arena, paid);
    if (status == FORAY_OK)
        gap->paid = paid;
    return status;
}

void fy_paid_end(fy_gap_pass *gap)
{
    gap->paid = NULL;
    gap->mine.doubtful = gap->other.doubtful = gap->ahead.doubtful = false;
}

void fy_paid_next_step(fy_gap_paid *paid)
{
    double *R = paid->R, *N = paid->N, *Er = paid->Er;
    paid->R = paid->R_after;
    paid->N = paid->N_after;
    paid->Er = paid->Er_after;
    paid->R_after = R;
    paid->N_after = N;
    paid->Er_after = Er;
}

/* ----------------------------------------------------------------- one action */

/* sup P (e + f), f over states. */
static double upper_sum(const fy_gap_paid *paid, const fy_gap_action *c, const double *e,
                        const double *f)
{
    for (int64_t j = 0; j < c->n; j++)
        paid->f[j] = e[j] + f[c->next[j]];
    return fy_gap_upper_of(paid->gap, c, paid->f);
}

static void sum_up_paid(const fy_gap_paid *paid, int64_t t, const fy_gap_action *c,
                        paid_action *out)
{
    int64_t first = paid->gap->model->succ_start[c->pair];
    double scale = scale_of(paid, t);
    double pair =
        scale * half_width(pair_at(paid->low, t, c->pair), pair_at(paid->high, t, c->pair));
    out->size = 0;
    for (int64_t j = 0; j < c->n; j++) {
        double next =
            scale * half_width(next_at(paid->low, t, first + j), next_at(paid->high, t, first + j));
        bool pair_has = paid->joint && paid->of_pair[c->pair] >= 0;
        bool next_has = paid->joint && paid->of_next[first + j] >= 0;
        out->e[j] = pair + next;
        out->beside[j] = (pair_has ? 0 : pair) + (next_has ? 0 : next);
        out->size += (fabs(c->p[j]) + c->norm[j]) * (out->e[j] + paid->N_after[c->next[j]]);
    }
    out->up = fy_gap_upper_of(paid->gap, c, out->e);
}

/* R = sum_j p_j [R_j + e_j u_j], Y = sum_j x_j [R_j - R_0 + e_j u_j]'; e of the pair cancels in Y.
 */
static void find_R(const fy_gap_paid *paid, int64_t t, const fy_gap_action *c, paid_action *out)
{
    int64_t C = paid->cells, first = paid->gap->model->succ_start[c->pair];
    const double *R0 = paid->R_after + c->next[0] * C;
    double scale = scale_of(paid, t);
    memset(out->R, 0, (size_t)C * sizeof *out->R);
    memset(out->Y, 0, (size_t)(c->d * C) * sizeof *out->Y);
    for (int64_t j = 0; j < c->n; j++) {
        const double *R = paid->R_after + c->next[j] * C;
        int32_t cell = paid->of_next[first + j];
        double e =
            scale * half_width(next_at(paid->low, t, first + j), next_at(paid->high, t, first + j));
        for (int64_t i = 0; i < C; i++)
            out->R[i] += c->p[j] * R[i];
        for (int64_t r = 0; r < c->d; r++)
            for (int64_t i = 0; i < C && j > 0; i++)
                out->Y[r * C + i] += c->x[j * c->d + r] * (R[i] - R0[i]);
        if (cell < 0)
            continue;
        out->R[cell] += c->p[j] * e;
        for (int64_t r = 0; r < c->d; r++)
            out->Y[r * C + cell] += c->x[j * c->d + r] * e;
    }
    if (paid->of_pair[c->pair] >= 0)
        out->R[paid->of_pair[c->pair]] +=
            scale * half_width(pair_at(paid->low, t, c->pair), pair_at(paid->high, t, c->pair));
}

/* sum_c ||Y_c|| of `rows` rows. */
static double columns_norm(const fy_gap_paid *paid, const double *Y, int64_t rows)
{
    double total = 0;
    for (int64_t i = 0; i < paid->cells; i++) {
        double square = 0;
        for (int64_t r = 0; r < rows; r++)
            square += Y[r * paid->cells + i] * Y[r * paid->cells + i];
        total += sqrt(square);
    }
    return total;
}

void fy_paid_follow(fy_gap_pass *gap, int64_t t, int64_t s)
{
    fy_gap_paid *paid = gap->paid;
    const fy_gap_action *c = &gap->mine;
    paid_action *mine = &paid->mine;
    sum_up_paid(paid, t, c, mine);
    paid->N[s] = upper_sum(paid, c, mine->e, paid->N_after);
    if (!paid->joint)
        return;
    find_R(paid, t, c, mine);
    memcpy(paid->R + s * paid->cells, mine->R, (size_t)paid->cells * sizeof *paid->R);
    double whole = paid->N[s] + columns_norm(paid, mine->R, 1);
    paid->Er[s] =
        fmin(columns_norm(paid, mine->Y, c->d) + fy_gap_upper_mean(gap, c, paid->Er_after), whole);
}

/* ------------------------------------------------------------ two actions apart */

double fy_paid_apart(fy_gap_pass *gap, int64_t t, double left)
{
    fy_gap_paid *paid = gap->paid;
    paid_action *mine = &paid->mine, *other = &paid->other;
    sum_up_paid(paid, t, &gap->other, other);
    double n = (double)(gap->mine.n > gap->other.n ? gap->mine.n : gap->other.n);
    double d = (double)gap->set->basis->max_dim, sizes = mine->size + other->size;
    paid->rest = FY_UNIT * (4 * (d + 1) * gap->set->kappa_factor + 4 * (n + 4) * left) * sizes;
    paid->rest += sizes > 0 ? FY_UNDERFLOW : 0;
    if (paid->joint)
        find_R(paid, t, &gap->other, other);
    return other->up + mine->up + fy_gap_spill(gap, &gap->other, &gap->mine, paid->N_after) +
           paid->rest;
}

double fy_paid_apart_by_columns(fy_gap_pass *gap)
{
    fy_gap_paid *paid = gap->paid;
    const fy_gap_action *a = &gap->other, *b = &gap->mine;
    paid_action *other = &paid->other, *mine = &paid->mine;
    if (!paid->joint)
        return INFINITY;
    for (int64_t i = 0; i < paid->cells; i++)
        other->R[i] -= mine->R[i];
    double total = columns_norm(paid, other->R, 1) + fy_gap_upper_of(gap, a, other->beside) +
                   fy_gap_spill(gap, a, b, paid->Er_after) + paid->rest;
    if (a->block != b->block)
        return total + columns_norm(paid, other->Y, a->d) + columns_norm(paid, mine->Y, b->d);
    for (int64_t i = 0; i < a->d * paid->cells; i++)
        other->Y[i] -= mine->Y[i];
    return total + columns_norm(paid, other->Y, a->d);
}

/* ------------------------------------------------------------------ at the start */

double fy_paid_width(fy_gap_pass *gap)
{
    const fy_gap_paid *paid = gap->paid;
    const foray_model *model = gap->model;
    double N = fy_initial_mean(model, paid->N_after), R = 0, E = 0;
    if (!paid->joint)
        return N;
    for (int64_t c = 0; c < paid->cells; c++) {
        double mean = 0;
        for (int64_t i = 0; i < model->initials; i++)
            mean += model->initial_probability[i] *
                    paid->R_after[model->initial_state[i] * paid->cells + c];
        R += fabs(mean);
    }
    E = fy_initial_mean(model, paid->Er_after);
    return fmin(N, R + E) * (1 + 1e-12);
}
