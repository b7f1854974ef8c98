/* all_rewards.c - one backward pass for every reward at once. */
#include "certify/all_rewards.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How often a long loop asks whether it should stop. */
enum { STATES_PER_QUESTION = 64, SETS_PER_QUESTION = 64 };

struct fy_all_rewards {
    const fy_confidence *set;
    double *kappa2;                /* [generator_sets] */
    double *w, *y, *error;         /* [states] of the step after */
    double *w_now, *y_now, *Z_now; /* [states] */
    double *matrix, *sum;          /* [m][m] with m = min(n, d), [d] */
    bool spread;                   /* the part with variances is valid */
};

foray_status fy_all_rewards_create(fy_arena *arena, const fy_confidence *set, fy_all_rewards **out)
{
    const foray_model *model = set->basis->model;
    int64_t d = set->basis->max_dim, n = set->basis->max_generators, states = model->states;
    int64_t m = n < d ? n : d;
    fy_all_rewards *all;
    if (!FY_NEW(arena, all, 1))
        return FORAY_ERROR_MEMORY;
    all->set = set;
    if (!FY_NEW(arena, all->kappa2, model->generator_sets) || !FY_NEW(arena, all->w, states) ||
        !FY_NEW(arena, all->y, states) || !FY_NEW(arena, all->error, states) ||
        !FY_NEW(arena, all->w_now, states) || !FY_NEW(arena, all->y_now, states) ||
        !FY_NEW(arena, all->Z_now, states) || !FY_NEW(arena, all->matrix, m * m) ||
        !FY_NEW(arena, all->sum, d))
        return FORAY_ERROR_MEMORY;
    *out = all;
    return FORAY_OK;
}

/* One rotation of Jacobi's method: entry (i,j) of a symmetric matrix becomes 0. */
static void rotate(double *a, int64_t d, int64_t i, int64_t j)
{
    double off = a[i * d + j];
    if (off == 0)
        return;
    double ratio = (a[j * d + j] - a[i * d + i]) / (2 * off);
    double t = (ratio >= 0 ? 1 : -1) / (fabs(ratio) + sqrt(ratio * ratio + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int64_t k = 0; k < d; k++) {
        double x = a[k * d + i], y = a[k * d + j];
        a[k * d + i] = c * x - s * y;
        a[k * d + j] = s * x + c * y;
    }
    for (int64_t k = 0; k < d; k++) {
        double x = a[i * d + k], y = a[j * d + k];
        a[i * d + k] = c * x - s * y;
        a[j * d + k] = s * x + c * y;
    }
}

/* An upper bound of the largest eigenvalue of a positive matrix, which is overwritten: after a few
 * sweeps the discs of Gershgorin are points. Large ones make do with the norm of Frobenius. */
static double largest_eigenvalue(double *a, int64_t d)
{
    enum { SWEEPS = 8, LARGE = 24 };
    double max = 0, square = 0;
    for (int64_t i = 0; i < d * d && d > LARGE; i++)
        square += a[i] * a[i];
    for (int sweep = 0; sweep < SWEEPS && d <= LARGE; sweep++)
        for (int64_t i = 0; i < d; i++)
            for (int64_t j = i + 1; j < d; j++)
                rotate(a, d, i, j);
    for (int64_t i = 0; i < d && d <= LARGE; i++) {
        double disc = 0;
        for (int64_t j = 0; j < d; j++)
            disc += i == j ? a[i * d + i] : fabs(a[i * d + j]);
        max = fmax(max, disc);
    }
    return fmax(max, sqrt(square)) * (1 + 1e-11 * (double)d);
}

/* kappa^2 = lambda_max( sum_j x_j x_j' / p_j ), which is that of the Gram matrix of x_j/sqrt(p_j):
 * whichever is smaller. Infinite where p_j is not positive. */
static double find_kappa2(fy_all_rewards *all, int64_t i)
{
    const fy_confidence *set = all->set;
    const foray_model *model = set->basis->model;
    int64_t n = fy_generator_set_size(model, i);
    int64_t d = set->basis->block[set->basis->block_of_generator_set[i]].dim;
    const double *p = set->p + model->gen_start[i], *x = set->x + set->at_x[i];
    const double *norm = set->norm + model->gen_start[i];
    int64_t m = n < d ? n : d;
    memset(all->matrix, 0, (size_t)(m * m) * sizeof *all->matrix);
    for (int64_t j = 0; j < n; j++) {
        if (norm[j] == 0)
            continue;
        if (!(p[j] > 0))
            return INFINITY;
        for (int64_t r = 0; r < d && m == d; r++)
            for (int64_t c = 0; c < d; c++)
                all->matrix[r * d + c] += x[j * d + r] * x[j * d + c] / p[j];
        for (int64_t k = 0; k < n && m < d; k++) {
            double dot = 0;
            for (int64_t r = 0; r < d; r++)
                dot += x[j * d + r] * x[k * d + r];
            all->matrix[j * n + k] = norm[k] > 0 && p[k] > 0 ? dot / sqrt(p[j] * p[k]) : 0;
        }
    }
    return largest_eigenvalue(all->matrix, m);
}

const double *fy_all_rewards_kappa2(fy_all_rewards *all)
{
    for (int64_t i = 0; i < all->set->basis->model->generator_sets; i++)
        if (i % SETS_PER_QUESTION != 0 || !fy_stopped(all->set->kernel->ctx))
            all->kappa2[i] = find_kappa2(all, i);
        else
            break;
    return all->kappa2;
}

/* The parts of one (s,a). */
typedef struct parts {
    double w, y, Z;
} parts;

static parts parts_of_pair(fy_all_rewards *all, const fy_inner *inner, int64_t pair, double left)
{
    const fy_confidence *set = all->set;
    const foray_model *model = set->basis->model;
    int64_t i = model->generator_set[pair], g = set->basis->block_of_generator_set[i];
    int64_t n = fy_generator_set_size(model, i), d = set->basis->block[g].dim;
    const double *p = set->p + model->gen_start[i], *x = set->x + set->at_x[i];
    const int32_t *next = model->succ + model->succ_start[pair];
    double w = 0, y = 0, mean = 0, square = 0, size = 0, max = 0, min = INFINITY;
    double spread = 0, zeta = model->feature_error;
    memset(all->sum, 0, (size_t)d * sizeof *all->sum);
    for (int64_t j = 0; j < n; j++) {
        double e = all->error[next[j]];
        w += p[j] * all->w[next[j]];
        y += p[j] * all->y[next[j]];
        mean += p[j] * e;
        size += fabs(p[j]) * e;
        square += p[j] * e * e;
        max = fmax(max, e);
        min = fmin(min, e);
        for (int64_t r = 0; r < d; r++)
            all->sum[r] += x[j * d + r] * (e - all->error[next[0]]);
    }
    for (int64_t r = 0; r < d; r++)
        spread += all->sum[r] * all->sum[r];
    double bonus = set->radius[g] * inner->upper[i] + zeta;
    double upper = fmin(max, mean + sqrt(spread) + zeta * (max - min));
    parts out = {.Z = fmin(left, left * bonus + fmin(size, upper))};
    if (left > 0 && all->spread) {
        out.w = all->kappa2[i] + w;
        out.y = sqrt(all->kappa2[i] * fmax(0, square)) + y;
    }
    return out;
}

/* What of a value is uncertain at step t (h = t + 1): H-h, H-h+1, or a probability. */
static double uncertain(const foray_model *model, foray_reward_kind kind, int64_t t)
{
    if (kind == FORAY_KIND_REACH)
        return 1;
    return (double)(model->horizon - t - (kind == FORAY_KIND_PAIR));
}

/* One step back: w, y and e of a step from those of the step after; left: what is uncertain. */
static void step_back(fy_all_rewards *all, const fy_inner *inner, double left)
{
    const foray_model *model = all->set->basis->model;
    size_t bytes = (size_t)model->states * sizeof *all->w;
    for (int64_t s = 0; s < model->states; s++) {
        if (s % STATES_PER_QUESTION == 0 && fy_stopped(all->set->kernel->ctx))
            return;
        all->w_now[s] = all->y_now[s] = all->Z_now[s] = 0;
        for (int64_t a = 0; a < model->actions; a++) {
            if (!fy_available(model, s * model->actions + a))
                continue;
            parts q = parts_of_pair(all, inner, s * model->actions + a, left);
            all->w_now[s] = fmax(all->w_now[s], q.w);
            all->y_now[s] = fmax(all->y_now[s], q.y);
            all->Z_now[s] = fmax(all->Z_now[s], q.Z);
        }
    }
    memcpy(all->w, all->w_now, bytes);
    memcpy(all->y, all->y_now, bytes);
    for (int64_t s = 0; s < model->states; s++) {
        double X = all->spread ? left / 2 * sqrt(all->w[s]) + all->y[s] : left;
        all->error[s] = fmin(left, fmin(X, all->Z_now[s]));
    }
}

double fy_all_rewards_bound(fy_all_rewards *all, const fy_inner *inner, foray_reward_kind kind)
{
    const foray_model *model = all->set->basis->model;
    const double *kappa2 = fy_all_rewards_kappa2(all);
    all->spread = all->set->laws && model->feature_error == 0;
    for (int64_t i = 0; i < model->generator_sets; i++)
        all->spread = all->spread && kappa2[i] < INFINITY;
    for (int64_t s = 0; s < model->states; s++)
        all->w[s] = all->y[s] = all->error[s] = 0;
    for (int64_t t = model->horizon - 1; t >= 0; t--) {
        fy_progress_step(all->set->kernel->ctx, model->horizon - 1 - t, model->horizon);
        step_back(all, inner, uncertain(model, kind, t));
    }
    double bound = 0, max = kind == FORAY_KIND_REACH ? 1 : (double)model->horizon;
    for (int64_t i = 0; i < model->initials; i++) {
        int32_t s = model->initial_state[i];
        bound += model->initial_probability[i] * fmin(max, 2 * all->error[s]);
    }
    return bound;
}
