#include "oracle_dense.h"
#include "oracle_linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

oracle_linear *oracle_linear_create(const foray_model *model, int64_t dim, const double *phi,
                                    int64_t room)
{
    oracle_linear *o = calloc(1, sizeof *o);
    o->model = model;
    o->states = foray_model_states(model);
    o->actions = foray_model_actions(model);
    o->horizon = foray_model_horizon(model);
    o->pairs = o->states * o->actions;
    o->dim = dim;
    o->room = room;
    o->phi = calloc((size_t)(o->pairs * dim), sizeof *o->phi);
    memcpy(o->phi, phi, (size_t)(o->pairs * dim) * sizeof *phi);
    o->visits = calloc((size_t)o->horizon, sizeof *o->visits);
    o->pair = calloc((size_t)(o->horizon * room), sizeof *o->pair);
    o->follow = calloc((size_t)(o->horizon * room), sizeof *o->follow);
    o->inverse = calloc((size_t)(dim * dim), sizeof *o->inverse);
    o->q = calloc((size_t)(o->horizon * o->pairs), sizeof *o->q);
    o->tie = calloc((size_t)(o->horizon * o->pairs), sizeof *o->tie);
    o->value = calloc((size_t)((o->horizon + 1) * o->states), sizeof *o->value);
    o->plain = calloc((size_t)((o->horizon + 1) * o->states), sizeof *o->plain);
    return o;
}

void oracle_linear_destroy(oracle_linear *o)
{
    free(o->phi);
    free(o->visits);
    free(o->pair);
    free(o->follow);
    free(o->inverse);
    free(o->q);
    free(o->tie);
    free(o->value);
    free(o->plain);
    free(o);
}

void oracle_linear_add(oracle_linear *o, int64_t t, int64_t pair, int64_t next)
{
    if (o->visits[t] == o->room)
        abort();
    o->pair[t * o->room + o->visits[t]] = pair;
    o->follow[t * o->room + o->visits[t]++] = next;
}

static double dot(const double *a, const double *b, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

void oracle_linear_invert(oracle_linear *o, int64_t t)
{
    int64_t d = o->dim;
    double *lambda = calloc((size_t)(d * d), sizeof *lambda);
    for (int64_t i = 0; i < d; i++)
        lambda[i * d + i] = 1;
    for (int64_t v = 0; v < o->visits[t]; v++) {
        const double *phi = o->phi + o->pair[t * o->room + v] * d;
        for (int64_t i = 0; i < d; i++)
            for (int64_t j = 0; j < d; j++)
                lambda[i * d + j] += phi[i] * phi[j];
    }
    o->log_det = oracle_invert(d, lambda, o->inverse);
    free(lambda);
}

/* q = phi' Lambda^-1 sum_i phi_i V(s'_i) for every pair, after oracle_linear_invert. */
static void regress(oracle_linear *o, int64_t t, const double *value, double *q)
{
    int64_t d = o->dim;
    const double *next = value + (t + 1) * o->states;
    double *b = calloc((size_t)(2 * d), sizeof *b), *w = b + d;
    for (int64_t v = 0; v < o->visits[t]; v++)
        for (int64_t i = 0; i < d; i++)
            b[i] += o->phi[o->pair[t * o->room + v] * d + i] * next[o->follow[t * o->room + v]];
    for (int64_t i = 0; i < d; i++)
        w[i] = dot(o->inverse + i * d, b, d);
    for (int64_t p = 0; p < o->pairs; p++)
        q[p] = dot(o->phi + p * d, w, d);
    free(b);
}

static double norm_of(const oracle_linear *o, int64_t pair)
{
    double square = 0;
    for (int64_t i = 0; i < o->dim; i++)
        square += o->phi[pair * o->dim + i] *
                  dot(o->inverse + i * o->dim, o->phi + pair * o->dim, o->dim);
    return sqrt(square);
}

static void maximise(oracle_linear *o, int64_t t)
{
    for (int64_t s = 0; s < o->states; s++) {
        const double *q = o->q + t * o->pairs + s * o->actions;
        double best = q[0];
        for (int64_t a = 1; a < o->actions; a++)
            best = fmax(best, q[a]);
        o->value[t * o->states + s] = best;
    }
}

static double mean(const oracle_linear *o)
{
    const int32_t *state;
    const double *probability;
    double sum = 0;
    for (int64_t i = 0, n = foray_model_initial(o->model, &state, &probability); i < n; i++)
        sum += probability[i] * o->value[state[i]];
    return sum;
}

/* The value without bonus of the action that has the larger q, then the larger tie. */
static void choose_plain(oracle_linear *o, int64_t t)
{
    for (int64_t s = 0; s < o->states; s++) {
        const double *q = o->q + t * o->pairs + s * o->actions;
        const double *tie = o->tie + t * o->pairs + s * o->actions;
        int64_t best = 0;
        for (int64_t a = 1; a < o->actions; a++)
            if (q[a] > q[best] || (q[a] == q[best] && tie[a] > tie[best]))
                best = a;
        o->plain[t * o->states + s] = fmin(fmax(tie[best], 0), (double)(o->horizon - t));
    }
}

double oracle_wang(oracle_linear *o, double beta, const foray_reward *reward, double sign)
{
    double H = (double)o->horizon;
    memset(o->value + o->horizon * o->states, 0, (size_t)o->states * sizeof *o->value);
    for (int64_t t = o->horizon - 1; t >= 0; t--) {
        double *q = o->q + t * o->pairs, *tie = o->tie + t * o->pairs;
        oracle_linear_invert(o, t);
        regress(o, t, o->value, q);
        regress(o, t, o->plain, tie);
        for (int64_t p = 0; p < o->pairs; p++) {
            double width = beta * norm_of(o, p), u = fmin(width, H);
            double r = reward ? foray_reward_at(reward, t, p / o->actions, p % o->actions) : u / H;
            tie[p] = sign < 0 ? tie[p] + r : q[p] + (reward ? r : width / H) + sign * width;
            q[p] = fmin(fmax(q[p] + r + sign * u, 0), (double)(o->horizon - t));
        }
        maximise(o, t);
        if (sign < 0)
            choose_plain(o, t);
    }
    return mean(o);
}

void oracle_francis(oracle_linear *o, int64_t p, const double *xi)
{
    memset(o->tie, 0, (size_t)(o->horizon * o->pairs) * sizeof *o->tie);
    for (int64_t i = 0; i < o->pairs; i++)
        o->q[p * o->pairs + i] = dot(o->phi + i * o->dim, xi, o->dim);
    maximise(o, p);
    for (int64_t t = p - 1; t >= 0; t--) {
        oracle_linear_invert(o, t);
        regress(o, t, o->value, o->q + t * o->pairs);
        maximise(o, t);
    }
}

double oracle_francis_plan(oracle_linear *o, const foray_reward *reward)
{
    return oracle_wang(o, 0, reward, 0);
}

/* Reverse Cholesky: the last column of U first. */
void oracle_francis_colour(const oracle_linear *o, const double *z, double *xi)
{
    int64_t d = o->dim;
    double *u = calloc((size_t)(d * d), sizeof *u);
    for (int64_t j = d - 1; j >= 0; j--)
        for (int64_t i = j; i >= 0; i--) {
            double rest = o->inverse[i * d + j];
            for (int64_t k = j + 1; k < d; k++)
                rest -= u[i * d + k] * u[j * d + k];
            u[i * d + j] = i == j ? sqrt(rest) : rest / u[j * d + j];
        }
    for (int64_t i = 0; i < d; i++)
        xi[i] = dot(u + i * d, z, d);
    free(u);
}
