/* oracle_plan.c - Algorithm 1, slow and obvious. */
#include "oracle_dense.h"
#include "oracle_plan.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *zeroed(int64_t count, size_t size)
{
    void *memory = calloc((size_t)(count > 0 ? count : 1), size);
    if (!memory)
        abort();
    return memory;
}

/* ------------------------------------------------------------- the features */

/* phi(next|s,a) for every next: [states][dim]. */
static void dense_phi(const foray_model *model, int64_t pair, double *phi)
{
    int64_t set = model->generator_set[pair], first = model->gen_start[set];
    memset(phi, 0, (size_t)(model->states * model->dim) * sizeof *phi);
    for (int64_t j = 0; j < fy_generator_set_size(model, set); j++) {
        int64_t next = model->succ[model->succ_start[pair] + j];
        for (int64_t k = model->feat_start[first + j]; k < model->feat_start[first + j + 1]; k++)
            phi[next * model->dim + model->feat_index[k]] = model->feat_value[k];
    }
}

/* psi_V(s,a) = sum_{s'} phi(s'|s,a) V(s'). */
static void dense_psi(const foray_model *model, int64_t pair, const double *V, double *psi)
{
    double *phi = zeroed(model->states * model->dim, sizeof *phi);
    dense_phi(model, pair, phi);
    memset(psi, 0, (size_t)model->dim * sizeof *psi);
    for (int64_t s = 0; s < model->states; s++)
        for (int64_t i = 0; i < model->dim; i++)
            psi[i] += phi[s * model->dim + i] * V[s];
    free(phi);
}

/* theta_0 + N z. */
static void dense_theta(const oracle_plan_task *task, double *theta)
{
    const fy_basis *basis = task->basis;
    for (int64_t g = 0; g < basis->blocks; g++) {
        const fy_block *block = &basis->block[g];
        const double *z = task->z + task->ridge->at_vector[g];
        for (int64_t c = 0; c < block->coords; c++) {
            double value = block->theta0[c];
            for (int64_t i = 0; i < block->dim; i++)
                value += (block->basis ? block->basis[c * block->dim + i] : c == i) * z[i];
            theta[block->coord[c]] = value;
        }
    }
}

/* ---------------------------------------------------------------- the bonus */

/* Sigma_g^-1. */
static double *dense_inverse(const oracle_plan_task *task, int64_t g)
{
    const double *packed = task->ridge->sigma + task->ridge->at_matrix[g];
    int64_t n = task->basis->block[g].dim;
    double *sigma = zeroed(n * n, sizeof *sigma), *inverse = zeroed(n * n, sizeof *sigma);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            sigma[i * n + j] = packed[i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i];
    oracle_invert(n, sigma, inverse);
    free(sigma);
    return inverse;
}

/* radius_g ||N' psi||_{Sigma_g^-1} for the block of a pair. */
static double dense_bonus(const oracle_plan_task *task, double *const *inverse, int64_t pair,
                          const double *psi)
{
    int64_t g = task->basis->block_of_generator_set[task->model->generator_set[pair]];
    const fy_block *block = &task->basis->block[g];
    int64_t n = block->dim;
    double *x = zeroed(n, sizeof *x), square = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < block->coords; c++)
            x[i] += (block->basis ? block->basis[c * n + i] : c == i) * psi[block->coord[c]];
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            square += x[i] * inverse[g][i * n + j] * x[j];
    free(x);
    return task->radius[g] * sqrt(fmax(0, square));
}

/* zeta (max V - min V) over the successors of a pair. */
static double error_bonus(const foray_model *model, int64_t pair, const double *V)
{
    double min = INFINITY, max = -INFINITY;
    for (int64_t at = model->succ_start[pair]; at < model->succ_start[pair + 1]; at++) {
        min = fmin(min, V[model->succ[at]]);
        max = fmax(max, V[model->succ[at]]);
    }
    return model->feature_error * (max - min);
}

/* ------------------------------------------------------------ the recursion */

typedef struct choice {
    double clipped, raw, plain;
    int32_t action;
} choice;

/* What the recursion knows: theta, and Sigma^-1 of every block. */
typedef struct knowledge {
    double *theta, **inverse;
} knowledge;

static double raw_value(const oracle_plan_task *task, const knowledge *known, int64_t t, int64_t s,
                        int64_t a, const double *V)
{
    const foray_model *model = task->model;
    int64_t pair = s * model->actions + a;
    double *psi = zeroed(model->dim, sizeof *psi);
    double value = foray_reward_at(task->reward, t, s, a);
    dense_psi(model, pair, V, psi);
    for (int64_t i = 0; i < model->dim; i++)
        value += psi[i] * known->theta[i];
    if (task->sign != 0)
        value += task->sign *
                 (dense_bonus(task, known->inverse, pair, psi) + error_bonus(model, pair, V));
    free(psi);
    return value;
}

/* Larger clipped Q; then, as asked, larger Q without bonus or larger unclipped Q. Two sums
 * of the same numbers in another order may differ in the last digits: those are ties too. */
static bool better(const choice *x, const choice *y, bool plain, int ties)
{
    const double same = 1e-11;
    if (fabs(x->clipped - y->clipped) > same)
        return x->clipped > y->clipped;
    if (plain)
        return x->plain > y->plain + same;
    return ties == FORAY_TIES_UNCLIPPED && x->raw > y->raw + same;
}

static choice best_action(const oracle_plan_task *task, const knowledge *known, int64_t t,
                          int64_t s, const double *V, const double *plain)
{
    int64_t H = task->model->horizon;
    oracle_plan_task without = *task;
    without.sign = 0;
    double limit = (double)(task->clip == FORAY_CLIP_REMAINING ? H - t : H);
    choice best = {0};
    for (int32_t a = 0; a < task->model->actions; a++) {
        choice here = {.raw = raw_value(task, known, t, s, a, V), .action = a};
        here.clipped = fmin(fmax(here.raw, 0), limit);
        here.plain = raw_value(&without, known, t, s, a, plain);
        if (task->follow ? a == task->follow[t * task->model->states + s]
                         : a == 0 || better(&here, &best, task->plain, task->ties))
            best = here;
    }
    best.plain = fmin(fmax(best.plain, 0), limit);
    return best;
}

static knowledge gather(const oracle_plan_task *task)
{
    knowledge known;
    known.theta = zeroed(task->model->dim, sizeof *known.theta);
    known.inverse = zeroed(task->basis->blocks, sizeof *known.inverse);
    if (task->z)
        dense_theta(task, known.theta);
    else
        memcpy(known.theta, task->theta, (size_t)task->model->dim * sizeof *known.theta);
    for (int64_t g = 0; g < task->basis->blocks && task->sign != 0; g++)
        known.inverse[g] = dense_inverse(task, g);
    return known;
}

static void forget(const oracle_plan_task *task, knowledge *known)
{
    for (int64_t g = 0; g < task->basis->blocks; g++)
        free(known->inverse[g]);
    free(known->inverse);
    free(known->theta);
}

double oracle_plan(const oracle_plan_task *task, int32_t *policy)
{
    const foray_model *model = task->model;
    int64_t S = model->states;
    double *V = zeroed(S, sizeof *V), *next = zeroed(S, sizeof *V), mean = 0;
    double *plain = zeroed(S, sizeof *V), *next_plain = zeroed(S, sizeof *V);
    knowledge known = gather(task);
    for (int64_t t = model->horizon - 1; t >= 0; t--) {
        memcpy(next, V, (size_t)S * sizeof *V);
        memcpy(next_plain, plain, (size_t)S * sizeof *V);
        for (int64_t s = 0; s < S; s++) {
            choice best = best_action(task, &known, t, s, next, next_plain);
            V[s] = best.clipped;
            plain[s] = best.plain;
            if (policy)
                policy[t * S + s] = best.action;
        }
    }
    for (int64_t i = 0; i < model->initials; i++)
        mean += model->initial_probability[i] * V[model->initial_state[i]];
    free(V);
    free(next);
    free(plain);
    free(next_plain);
    forget(task, &known);
    return mean;
}

/* ---------------------------------------------------------- over all policies */

/* Forwards: the distribution over states, and what it earns at each step. */
double oracle_policy_value(const foray_model *model, const foray_reward *reward,
                           const int32_t *action)
{
    int64_t S = model->states;
    double *now = zeroed(S, sizeof *now), *then = zeroed(S, sizeof *then), value = 0;
    for (int64_t i = 0; i < model->initials; i++)
        now[model->initial_state[i]] += model->initial_probability[i];
    for (int64_t t = 0; t < model->horizon; t++) {
        memset(then, 0, (size_t)S * sizeof *then);
        for (int64_t s = 0; s < S; s++) {
            const int32_t *next;
            int64_t a = action[t * S + s], count = foray_model_successors(model, s, a, &next);
            value += now[s] * foray_reward_at(reward, t, s, a);
            for (int64_t j = 0; j < count; j++)
                then[next[j]] += now[s] * foray_model_probability(model, model->theta, s, a, j);
        }
        memcpy(now, then, (size_t)S * sizeof *now);
    }
    free(now);
    free(then);
    return value;
}

double oracle_best_policy(const foray_model *model, const foray_reward *reward)
{
    int64_t entries = model->states * model->horizon, i;
    int32_t *action = zeroed(entries, sizeof *action);
    double best = 0;
    do { /* count upwards in base A */
        best = fmax(best, oracle_policy_value(model, reward, action));
        for (i = 0; i < entries && ++action[i] == model->actions; i++)
            action[i] = 0;
    } while (i < entries);
    free(action);
    return best;
}
