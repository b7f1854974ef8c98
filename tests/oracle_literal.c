/* oracle_literal.c - see oracle_literal.h. */
#include "oracle_dense.h"
#include "oracle_literal.h"
#include "support.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sigma, its inverse at the episode's start, and b. */
typedef struct regression {
    double *sigma, *inverse, *b, *theta;
    double spread; /* sum of w range^2: zeta sqrt(spread) is added to every radius */
    double widening;
} regression;

struct literal {
    int S, A, H, d;
    double *phi;                                          /* [S][A][S][d] */
    double *mu;                                           /* [S] */
    double beta, beta_hat, beta_check, beta_tilde, alpha; /* for exact features */
    bool root;                                            /* the printed exploration reward */
    double zeta;
    regression u, hat, tilde;
    double *maximiser; /* [S][A][S] f in {0,1} */
    double *m;         /* [S][A] max ||psi_f||_{Sigma^-1} */
    double *reward;    /* [H][S][A] */
    double *V;         /* [H+1][S] */
    int *policy;       /* [H][S] */
    bool plus;
    bool given; /* `reward` was given and stays */
    double margin;
};

static double *zeros(int count)
{
    return calloc((size_t)(count > 0 ? count : 1), sizeof(double));
}

/* ------------------------------------------------------------ dense algebra */

static double quadratic(int d, const double *matrix, const double *x)
{
    double sum = 0;
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            sum += x[i] * matrix[i * d + j] * x[j];
    return fmax(sum, 0);
}

static double dot(int d, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < d; i++)
        sum += x[i] * y[i];
    return sum;
}

/* --------------------------------------------------------------- regressions */

static void regression_create(regression *r, int d, double lambda)
{
    r->sigma = zeros(d * d);
    r->inverse = zeros(d * d);
    r->b = zeros(d);
    r->theta = zeros(d);
    for (int i = 0; i < d; i++)
        r->sigma[i * d + i] = lambda;
}

static void regression_destroy(regression *r)
{
    free(r->sigma);
    free(r->inverse);
    free(r->b);
    free(r->theta);
}

static void regression_add(regression *r, int d, const double *x, double y, double weight,
                           double range)
{
    r->spread += weight * range * range;
    for (int i = 0; i < d; i++) {
        for (int j = 0; j < d; j++)
            r->sigma[i * d + j] += weight * x[i] * x[j];
        r->b[i] += weight * x[i] * y;
    }
}

static void regression_solve(regression *r, int d, double zeta)
{
    r->widening = zeta * sqrt(r->spread);
    oracle_invert(d, r->sigma, r->inverse);
    for (int i = 0; i < d; i++)
        r->theta[i] = dot(d, r->inverse + i * d, r->b);
}

/* -------------------------------------------------------------------- set-up */

static void read_model(literal *o, const foray_model *model)
{
    for (int64_t pair = 0; pair < model->pairs; pair++) {
        int64_t generator = model->gen_start[model->generator_set[pair]];
        for (int64_t at = model->succ_start[pair]; at < model->succ_start[pair + 1]; at++) {
            for (int64_t i = model->feat_start[generator]; i < model->feat_start[generator + 1];
                 i++)
                o->phi[(pair * o->S + model->succ[at]) * o->d + model->feat_index[i]] =
                    model->feat_value[i];
            generator++;
        }
    }
    for (int64_t i = 0; i < model->initials; i++)
        o->mu[model->initial_state[i]] = model->initial_probability[i];
}

static void set_radii(literal *o, const foray_settings *settings, double B)
{
    double H = o->H, d = o->d, K = (double)settings->episodes, delta = settings->delta;
    double L1 = log(1 + K * H * B * B), L2 = log(48 * K * K * H * H / delta);
    if (strncmp(settings->algorithm, "ucrl-rfe", 8) == 0)
        o->root = support_own(settings, "explore_norm") == 1;
    double L3 = log(1 + K * pow(H, 5) * B * B / d); /* the paper prints L1: see Corrections */
    double constant = o->plus ? 12 : 3;
    o->beta = settings->radius_scale *
              (H * sqrt(d * log(constant * (1 + K * H * H * H * B * B) / delta)) + 1);
    o->beta_hat =
        support_own(settings, "radius_scale_hat") * (8 * sqrt(d * L1 * L2) + 4 * sqrt(d) * L2 + 1);
    o->beta_check = support_own(settings, "radius_scale_check") *
                    (8 * d * sqrt(L1 * L2) + 4 * sqrt(d) * L2 + 1);
    o->beta_tilde = support_own(settings, "radius_scale_tilde") *
                    (8 * H * H * sqrt(d * L3 * L2) + 4 * H * H * L2 + 1);
    o->alpha = H * H / d;
}

literal *literal_create(const foray_model *model, const foray_settings *settings, bool plus)
{
    literal *o = calloc(1, sizeof *o);
    o->S = (int)model->states;
    o->A = (int)model->actions;
    o->H = (int)model->horizon;
    o->d = (int)model->dim;
    o->plus = plus;
    o->zeta = model->feature_error;
    o->margin = INFINITY;
    o->phi = zeros(o->S * o->A * o->S * o->d);
    o->mu = zeros(o->S);
    o->maximiser = zeros(o->S * o->A * o->S);
    o->m = zeros(o->S * o->A);
    o->reward = zeros(o->H * o->S * o->A);
    o->V = zeros((o->H + 1) * o->S);
    o->policy = calloc((size_t)(o->H * o->S), sizeof *o->policy);
    read_model(o, model);
    set_radii(o, settings, model->norm_bound);
    double lambda = 1 / (model->norm_bound * model->norm_bound);
    regression_create(&o->u, o->d, lambda);
    regression_create(&o->hat, o->d, lambda);
    regression_create(&o->tilde, o->d, lambda);
    return o;
}

void literal_destroy(literal *o)
{
    regression_destroy(&o->u);
    regression_destroy(&o->hat);
    regression_destroy(&o->tilde);
    free(o->phi);
    free(o->mu);
    free(o->maximiser);
    free(o->m);
    free(o->reward);
    free(o->V);
    free(o->policy);
    free(o);
}

void literal_give_reward(literal *o, const double *reward)
{
    o->given = true;
    memcpy(o->reward, reward, (size_t)(o->H * o->S * o->A) * sizeof *reward);
}

/* --------------------------------------------------------------------- psi_f */

static void psi(const literal *o, int s, int a, const double *f, double *out)
{
    memset(out, 0, (size_t)o->d * sizeof *out);
    for (int next = 0; next < o->S; next++)
        for (int i = 0; i < o->d; i++)
            out[i] += o->phi[((s * o->A + a) * o->S + next) * o->d + i] * f[next];
}

/* max f - min f over the states that can follow (s,a). */
static double span(const literal *o, int s, int a, const double *f)
{
    double min = INFINITY, max = -INFINITY;
    for (int next = 0; next < o->S; next++) {
        const double *phi = o->phi + ((s * o->A + a) * o->S + next) * o->d;
        if (dot(o->d, phi, phi) == 0)
            continue;
        min = fmin(min, f[next]);
        max = fmax(max, f[next]);
    }
    return max - min;
}

/* Every f in {0,1}^S, restricted to states that can follow (s,a). */
static void inner_maximum(literal *o, int s, int a)
{
    int pair = s * o->A + a;
    double *f = zeros(o->S), *x = zeros(o->d);
    o->m[pair] = -1;
    for (unsigned mask = 0; mask < 1u << o->S; mask++) {
        bool possible = true;
        for (int next = 0; next < o->S; next++) {
            const double *phi = o->phi + (pair * o->S + next) * o->d;
            f[next] = mask >> next & 1;
            possible = possible && (f[next] == 0 || dot(o->d, phi, phi) > 0);
        }
        if (!possible)
            continue;
        psi(o, s, a, f, x);
        double norm = sqrt(quadratic(o->d, o->u.inverse, x));
        if (norm > o->m[pair]) {
            o->m[pair] = norm;
            memcpy(o->maximiser + pair * o->S, f, (size_t)o->S * sizeof *f);
        }
    }
    free(f);
    free(x);
}

/* --------------------------------------------------------- PLAN (Algorithm 1) */

/* Q before clipping; rounding decides nothing as long as the margin stays large. */
static double unclipped(const literal *o, const regression *r, double beta, const double *reward,
                        int h, int s, int a, double *x)
{
    psi(o, s, a, o->V + h * o->S, x);
    return reward[((h - 1) * o->S + s) * o->A + a] + dot(o->d, x, r->theta) +
           (beta + r->widening) * sqrt(quadratic(o->d, r->inverse, x)) +
           o->zeta * span(o, s, a, o->V + h * o->S);
}

static double PLAN(literal *o, const regression *r, double beta, const double *reward)
{
    double *x = zeros(o->d);
    memset(o->V + o->H * o->S, 0, (size_t)o->S * sizeof *o->V);
    for (int h = o->H; h >= 1; h--)
        for (int s = 0; s < o->S; s++) {
            double best = -INFINITY, best_raw = -INFINITY;
            for (int a = 0; a < o->A; a++) {
                double raw = unclipped(o, r, beta, reward, h, s, a, x);
                double Q = fmin(fmax(raw, 0), o->H);
                double lead = Q != best ? fabs(Q - best) : fabs(raw - best_raw);
                if (lead > 0)
                    o->margin = fmin(o->margin, lead);
                if (Q > best || (Q == best && raw > best_raw)) {
                    best = Q;
                    best_raw = raw;
                    o->policy[(h - 1) * o->S + s] = a;
                }
            }
            o->V[(h - 1) * o->S + s] = best;
        }
    free(x);
    return dot(o->S, o->mu, o->V);
}

/* ------------------------------------------------------ Algorithms 2 and 3 */

/* r_h(s,a) = min{1, (2 beta/H) (H-h) m(s,a)}; as printed, with a root around (H-h) m(s,a). */
static void exploration_reward(literal *o)
{
    for (int s = 0; s < o->S; s++)
        for (int a = 0; a < o->A; a++)
            inner_maximum(o, s, a);
    for (int h = 1; h <= o->H; h++)
        for (int pair = 0; pair < o->S * o->A; pair++) {
            double max = (o->H - h) * o->m[pair];
            o->reward[(h - 1) * o->S * o->A + pair] =
                fmin(1, 2 * (o->beta + o->u.widening) / o->H * (o->root ? sqrt(max) : max));
        }
}

void literal_begin(literal *o)
{
    regression_solve(&o->u, o->d, o->zeta);
    regression_solve(&o->hat, o->d, o->zeta);
    regression_solve(&o->tilde, o->d, o->zeta);
    if (!o->given)
        exploration_reward(o);
    if (o->plus)
        PLAN(o, &o->hat, o->beta_hat, o->reward);
    else
        PLAN(o, &o->u, o->beta, o->reward);
}

int64_t literal_act(const literal *o, int64_t t, int64_t state)
{
    return o->policy[t * o->S + state];
}

/* The two regressions of Algorithm 3 on V_{h+1} and its square. */
static void observe_values(literal *o, int h, int s, int a, int next)
{
    double *V = o->V + h * o->S, *V2 = zeros(o->S), *x = zeros(o->d), *y = zeros(o->d);
    double H = o->H;
    for (int i = 0; i < o->S; i++)
        V2[i] = V[i] * V[i];
    psi(o, s, a, V, x);
    psi(o, s, a, V2, y);
    double first = fmin(fmax(dot(o->d, x, o->hat.theta), 0), H);
    double var = fmin(fmax(dot(o->d, y, o->tilde.theta), 0), H * H) - first * first;
    double range = span(o, s, a, V), range2 = span(o, s, a, V2);
    double second =
        (o->beta_tilde + o->tilde.widening) * sqrt(quadratic(o->d, o->tilde.inverse, y)) +
        o->zeta * range2;
    double error = (o->beta_check + o->hat.widening) * sqrt(quadratic(o->d, o->hat.inverse, x)) +
                   o->zeta * range;
    double E = fmin(H * H, second) + fmin(H * H, 2 * H * error);
    double nu = fmax(o->alpha, var + E);
    regression_add(&o->hat, o->d, x, V[next], 1 / nu, range);
    regression_add(&o->tilde, o->d, y, V2[next], 1, range2);
    free(V2);
    free(x);
    free(y);
}

void literal_observe(literal *o, int64_t t, int64_t state, int64_t action, int64_t next)
{
    int h = (int)t + 1, pair = (int)state * o->A + (int)action;
    double *u = zeros(o->S), *x = zeros(o->d);
    for (int i = 0; i < o->S; i++)
        u[i] = o->given ? o->V[h * o->S + i] : (o->H - h) * o->maximiser[pair * o->S + i];
    psi(o, (int)state, (int)action, u, x);
    double range = o->given ? span(o, (int)state, (int)action, u) : o->H - h;
    regression_add(&o->u, o->d, x, u[next], 1, range);
    if (o->plus)
        observe_values(o, h, (int)state, (int)action, (int)next);
    free(u);
    free(x);
}

void literal_theta(literal *o, double *theta)
{
    regression *r = o->given && o->plus ? &o->hat : &o->u;
    regression_solve(r, o->d, o->zeta);
    memcpy(theta, r->theta, (size_t)o->d * sizeof *theta);
}

double literal_plan(literal *o, const double *reward)
{
    bool weighted = o->given && o->plus;
    regression *r = weighted ? &o->hat : &o->u;
    regression_solve(r, o->d, o->zeta);
    return PLAN(o, r, weighted ? o->beta_hat : o->beta, reward);
}

double literal_margin(const literal *o)
{
    return o->margin;
}
