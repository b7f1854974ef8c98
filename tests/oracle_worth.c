/* oracle_worth.c - see oracle_worth.h. */
#include "oracle_worth.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { S_ = ORACLE_STATES, U_ = ORACLE_UNKNOWNS };

/* An action, or a mean of actions, in one state: P(s'), x_s' over all unknowns, J, Psi. */
typedef struct dense {
    double Q, P[S_], x[S_][U_], J[U_], Psi[U_][U_];
    double sup_E, sup_F, sup_D, A;
} dense;

/* One step of a policy. */
typedef struct step {
    double V[S_], J[S_][U_], E[S_], D[S_], F[S_];
} step;

double oracle_norm(const fy_confidence *set, const double *v)
{
    const int64_t *at = set->ridge->at_vector;
    double total = 0;
    for (int64_t g = 0; g < set->basis->blocks; g++) {
        double square = 0;
        for (int64_t i = at[g]; i < at[g + 1]; i++)
            square += v[i] * v[i];
        total += sqrt(square);
    }
    return total;
}

/* Sum over pairs of blocks of Frobenius norms. */
static double pairs_norm(const fy_confidence *set, double Psi[U_][U_])
{
    const int64_t *at = set->ridge->at_vector;
    double total = 0;
    for (int64_t g = 0; g < set->basis->blocks; g++)
        for (int64_t h = 0; h < set->basis->blocks; h++) {
            double square = 0;
            for (int64_t i = at[g]; i < at[g + 1]; i++)
                for (int64_t j = at[h]; j < at[h + 1]; j++)
                    square += Psi[i][j] * Psi[i][j];
            total += sqrt(square);
        }
    return total;
}

/* sup P f over one pair. */
static double sup_mean(const fy_confidence *set, int64_t pair, const double *f)
{
    const foray_model *model = set->basis->model;
    int64_t i = model->generator_set[pair], g = set->basis->block_of_generator_set[i];
    int64_t n = fy_generator_set_size(model, i), d = set->basis->block[g].dim;
    const int32_t *next = model->succ + model->succ_start[pair];
    double sum[U_] = {0}, mean = 0, max = 0, norm = 0, follows[64];
    for (int64_t j = 0; j < n; j++) {
        follows[j] = f[next[j]];
        max = fmax(max, f[next[j]]);
        mean += set->p[model->gen_start[i] + j] * f[next[j]];
        for (int64_t r = 0; r < d; r++)
            sum[r] += set->x[set->at_x[i] + j * d + r] * f[next[j]];
    }
    for (int64_t r = 0; r < d; r++)
        norm += sum[r] * sum[r];
    return fmin(fmin(max, mean + sqrt(norm)), fy_confidence_mean(set, i, follows));
}

static void look(const fy_confidence *set, int64_t pair, double reward, const step *after,
                 dense *out)
{
    const foray_model *model = set->basis->model;
    int64_t i = model->generator_set[pair], g = set->basis->block_of_generator_set[i];
    int64_t n = fy_generator_set_size(model, i), d = set->basis->block[g].dim;
    int64_t at = set->ridge->at_vector[g], U = set->basis->unknowns;
    const int32_t *next = model->succ + model->succ_start[pair];
    memset(out, 0, sizeof *out);
    out->Q = reward;
    for (int64_t j = 0; j < n; j++) {
        double p = set->p[model->gen_start[i] + j];
        out->Q += p * after->V[next[j]];
        out->P[next[j]] += p;
        for (int64_t k = 0; k < U; k++)
            out->J[k] += p * after->J[next[j]][k];
        for (int64_t r = 0; r < d; r++) {
            double x = set->x[set->at_x[i] + j * d + r];
            out->x[next[j]][at + r] += x;
            out->J[at + r] += x * after->V[next[j]];
            for (int64_t k = 0; k < U; k++)
                out->Psi[at + r][k] += x * after->J[next[j]][k];
        }
    }
    out->sup_E = sup_mean(set, pair, after->E);
    out->sup_D = sup_mean(set, pair, after->D);
    out->sup_F = sup_mean(set, pair, after->F);
}

/* to += weight from: a dense is nothing but numbers. */
static void add(double weight, const dense *from, dense *to)
{
    const double *one = (const double *)from;
    double *sum = (double *)to;
    for (size_t i = 0; i < sizeof *to / sizeof *sum; i++)
        sum[i] += weight * one[i];
}

static void mean_of(const fy_confidence *set, int64_t s, const double *reward, const double *chance,
                    const step *after, dense *out)
{
    static dense one;
    int64_t A = set->basis->model->actions;
    memset(out, 0, sizeof *out);
    for (int64_t a = 0; a < A; a++) {
        if (chance[a] == 0)
            continue;
        look(set, s * A + a, reward[a], after, &one);
        add(chance[a], &one, out);
    }
}

/* ||Psi||_* + min{ sum pi sup P E, P E + ||sum x E||_B }. */
static double remainder_of(const fy_confidence *set, dense *mean, const step *after)
{
    double joint = 0, x[U_] = {0};
    for (int64_t s = 0; s < set->basis->model->states; s++) {
        joint += mean->P[s] * after->E[s];
        for (int64_t k = 0; k < set->basis->unknowns; k++)
            x[k] += mean->x[s][k] * after->E[s];
    }
    return pairs_norm(set, mean->Psi) + fmin(mean->sup_E, joint + oracle_norm(set, x));
}

/* sum_s' (|dP| + ||dx||_B) f. */
static double spill(const fy_confidence *set, dense *d, const double *f)
{
    double total = 0;
    for (int64_t s = 0; s < set->basis->model->states; s++)
        total += (fabs(d->P[s]) + oracle_norm(set, d->x[s])) * f[s];
    return total;
}

static double loss_of(const fy_confidence *set, int64_t s, const double *reward,
                      const double *chance, const dense *mean, const step *after,
                      oracle_mistake mistake)
{
    static dense d;
    const foray_model *model = set->basis->model;
    double D = 0;
    for (int64_t a = 0; a < model->actions; a++) {
        if (!fy_available(model, s * model->actions + a))
            continue;
        look(set, s * model->actions + a, reward[a], after, &d);
        double follows = d.sup_D;
        add(-1, mean, &d);
        double U = d.Q + oracle_norm(set, d.J) + pairs_norm(set, d.Psi) + spill(set, &d, after->E);
        bool known = chance[a] == 1 || (mistake == ORACLE_NO_U && chance[a] > 0);
        D = fmax(D, (known ? 0 : U) + follows);
    }
    return D;
}

static void back(const fy_confidence *set, int64_t t, const double *reward, const double *chance,
                 oracle_mistake mistake, bool loss, const step *after, step *now, dense *means)
{
    const foray_model *model = set->basis->model;
    int64_t S = model->states, A = model->actions;
    for (int64_t s = 0; s < S; s++) {
        const double *r = reward + (t * S + s) * A, *pi = chance + (t * S + s) * A;
        dense *mean = &means[s];
        mean_of(set, s, r, pi, after, mean);
        now->V[s] = mean->Q;
        memcpy(now->J[s], mean->J, sizeof now->J[s]);
        now->E[s] = fmin(remainder_of(set, mean, after),
                         (double)(model->horizon - t - 1) + oracle_norm(set, mean->J));
        if (loss)
            now->D[s] = loss_of(set, s, r, pi, mean, after, mistake);
    }
}

void oracle_worth_of(const fy_confidence *set, const double *reward, const double *chance,
                     oracle_mistake mistake, oracle_worth *out)
{
    const foray_model *model = set->basis->model;
    step *two = calloc(2, sizeof *two);
    dense *means = calloc(S_, sizeof *means);
    for (int64_t t = model->horizon - 1; t >= 0; t--)
        back(set, t, reward, chance, mistake, true, &two[(t + 1) % 2], &two[t % 2], means);
    memset(out, 0, sizeof *out);
    for (int64_t i = 0; i < model->initials; i++) {
        int32_t s = model->initial_state[i];
        double mu = model->initial_probability[i];
        out->value += mu * two[0].V[s];
        out->E += mu * two[0].E[s];
        out->loss += mu * two[0].D[s];
        for (int64_t k = 0; k < set->basis->unknowns; k++)
            out->J[k] += mu * two[0].J[s][k];
    }
    free(two);
    free(means);
}

/* F(a,b) at mu, and both E. */
static double one_way(const fy_confidence *set, const double *reward, const double *a,
                      const double *b, double *both)
{
    const foray_model *model = set->basis->model;
    step *of_a = calloc(2, sizeof *of_a), *of_b = calloc(2, sizeof *of_b);
    dense *in_a = calloc(S_, sizeof *in_a), *in_b = calloc(S_, sizeof *in_b);
    double F = 0;
    for (int64_t t = model->horizon - 1; t >= 0; t--) {
        step *now = &of_a[t % 2], *after_b = &of_b[(t + 1) % 2];
        back(set, t, reward, a, ORACLE_RIGHT, false, &of_a[(t + 1) % 2], now, in_a);
        back(set, t, reward, b, ORACLE_RIGHT, false, after_b, &of_b[t % 2], in_b);
        for (int64_t s = 0; s < model->states; s++) {
            double follows = in_a[s].sup_F;
            add(-1, &in_b[s], &in_a[s]);
            now->F[s] = pairs_norm(set, in_a[s].Psi) + spill(set, &in_a[s], after_b->E) + follows;
        }
    }
    *both = 0;
    for (int64_t i = 0; i < model->initials; i++) {
        int32_t s = model->initial_state[i];
        F += model->initial_probability[i] * of_a[0].F[s];
        *both += model->initial_probability[i] * (of_a[0].E[s] + of_b[0].E[s]);
    }
    free(of_a);
    free(of_b);
    free(in_a);
    free(in_b);
    return F;
}

double oracle_remainder(const fy_confidence *set, const double *reward, const double *a,
                        const double *b)
{
    double both, F = one_way(set, reward, a, b, &both), G = one_way(set, reward, b, a, &both);
    return fmin(both, fmin(F, G));
}

double oracle_value(const foray_model *model, const double *theta, const double *reward,
                    const double *chance)
{
    int64_t S = model->states, A = model->actions;
    double V[2][S_] = {{0}}, mean = 0;
    for (int64_t t = model->horizon - 1; t >= 0; t--)
        for (int64_t s = 0; s < S; s++) {
            double best = -INFINITY, sum = 0;
            for (int64_t a = 0; a < A; a++) {
                const int32_t *next;
                int64_t n = foray_model_successors(model, s, a, &next);
                double q = reward[(t * S + s) * A + a];
                for (int64_t j = 0; j < n; j++)
                    q += foray_model_probability(model, theta, s, a, j) * V[(t + 1) % 2][next[j]];
                best = n > 0 ? fmax(best, q) : best;
                if (chance)
                    sum += chance[(t * S + s) * A + a] * q;
            }
            V[t % 2][s] = chance ? sum : best;
        }
    for (int64_t i = 0; i < model->initials; i++)
        mean += model->initial_probability[i] * V[0][model->initial_state[i]];
    return mean;
}
