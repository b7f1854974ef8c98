/* refutation.c - see refutation.h. Tests at episodes that grow by a quarter, so that exploring
 * hardly notices them, and whenever a certificate is asked for. */
#include "certify/refutation.h"
#include "base/maths.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Beyond this the test is not made: MiB for the vectors of a block. */
enum { MAX_MEMORY = 256 };

/* delta' of fit.h. */
static const double false_alarm = 1e-3;

struct fy_fit {
    const foray_model *model;
    fy_vectors *vectors;
    fy_likelihood *likelihood;
    int64_t *count;     /* [slots] */
    bool *tested;       /* [blocks] */
    int64_t blocks;     /* G: how many are */
    double *alone;      /* [blocks] sum of log M(s,a) less what does not depend on w */
    double *size;       /* [blocks] sum of absolute values in it, for rounding */
    bool *nonnegative;  /* [dim] coordinates of theta that cannot be negative */
    double *generators; /* [max_generators][max_dim] */
    double cost;
};

/* ------------------------------------------------------------------------ creation */

/* A pair whose law nothing else shares, free on its successors: whatever was seen fits. */
static bool is_free(const fy_basis *basis, int64_t set, int64_t pairs)
{
    const foray_model *model = basis->model;
    const fy_block *block = &basis->block[basis->block_of_generator_set[set]];
    int64_t n = fy_generator_set_size(model, set);
    return pairs == 1 && n == block->coords && block->dim == n - 1 &&
           model->feat_start[model->gen_start[set + 1]] -
                   model->feat_start[model->gen_start[set]] ==
               n;
}

/* Which blocks could be refuted; all but the kind of their features is known before. */
static foray_status find_blocks(foray_context *ctx, const fy_basis *basis, bool *candidate,
                                int64_t *found)
{
    const foray_model *model = basis->model;
    int64_t *pairs;
    *found = 0;
    if (!FY_ALLOC(ctx, pairs, basis->blocks))
        return FORAY_ERROR_MEMORY;
    for (int64_t pair = 0; pair < model->pairs; pair++)
        pairs[basis->block_of_generator_set[model->generator_set[pair]]] +=
            fy_available(model, pair);
    for (int64_t set = 0; set < model->generator_sets; set++) {
        int64_t g = basis->block_of_generator_set[set];
        candidate[g] |= fy_generator_set_size(model, set) > 1 && !is_free(basis, set, pairs[g]);
    }
    for (int64_t g = 0; g < basis->blocks; g++)
        *found += candidate[g];
    free(pairs);
    return FORAY_OK;
}

/* EM and Newton take about 20 rounds. */
static void find_cost(fy_fit *fit, double *memory)
{
    const fy_basis *basis = fit->vectors->basis;
    static const double rounds = 20;
    fit->cost = rounds * (double)fit->model->succ_start[fit->model->pairs];
    for (int64_t g = 0; g < basis->blocks; g++) {
        double m = (double)basis->block[g].coords;
        double slots = (double)(fit->vectors->start[g + 1] - fit->vectors->start[g]);
        fit->cost += fit->tested[g] ? rounds * slots * m * (m + 4) : 0;
        *memory = fmax(*memory, 2 * slots * m * sizeof(double) / (1 << 20));
    }
}

static foray_status fill_fit(fy_arena *arena, fy_fit *fit, double *memory)
{
    const fy_basis *basis = fit->model->basis;
    foray_status status = fy_vectors_create(arena, basis, &fit->vectors);
    if (status != FORAY_OK)
        return status;
    for (int64_t g = 0; g < basis->blocks; g++) {
        fit->tested[g] &= fit->vectors->scale[g] > 0 || basis->block[g].dim == 0;
        fit->blocks += fit->tested[g];
    }
    find_cost(fit, memory);
    if (*memory > MAX_MEMORY)
        return FORAY_OK;
    if (!FY_NEW(arena, fit->count, fit->vectors->slots) ||
        !FY_NEW(arena, fit->alone, basis->blocks) || !FY_NEW(arena, fit->size, basis->blocks) ||
        !FY_NEW(arena, fit->nonnegative, fit->model->dim) ||
        !FY_NEW(arena, fit->generators,
                basis->max_generators * (basis->max_dim > 0 ? basis->max_dim : 1)))
        return FORAY_ERROR_MEMORY;
    fy_model_mark_nonnegative(fit->model, fit->nonnegative);
    return fy_likelihood_create(arena, fit->vectors, &fit->likelihood);
}

foray_status fy_fit_create(fy_arena *arena, const foray_model *model, fy_fit **out)
{
    const fy_basis *basis = model->basis;
    double memory = 0;
    int64_t found = 0;
    fy_fit *fit;
    *out = NULL;
    if (!basis)
        return FORAY_OK;
    if (!FY_NEW(arena, fit, 1))
        return FORAY_ERROR_MEMORY;
    fit->model = model;
    foray_status status = FY_NEW(arena, fit->tested, basis->blocks)
                              ? find_blocks(arena->ctx, basis, fit->tested, &found)
                              : FORAY_ERROR_MEMORY;
    if (status == FORAY_OK && found > 0)
        status = fill_fit(arena, fit, &memory);
    if (status == FORAY_OK && found > 0 && memory <= MAX_MEMORY)
        *out = fit;
    return status;
}

static double limit_of_evidence(void)
{
    return -fy_log(false_alarm);
}

static double laws_of(const fy_fit *fit, const foray_model *model)
{
    return (double)((fit ? fit->blocks : 0) + (model->initials > 1));
}

/* ------------------------------------------------------------------------ evidence */

/* log M(s,a), and what transitions that give every w the same probability take off l. */
static void add_pair(fy_fit *fit, int64_t pair, const int64_t *seen)
{
    const foray_model *model = fit->model;
    const fy_basis *basis = fit->vectors->basis;
    int64_t set = model->generator_set[pair], n = fy_generator_set_size(model, set);
    int64_t g = basis->block_of_generator_set[set], gen = model->gen_start[set];
    double total = 0, log_m = 0, half = fy_lgamma(0.5), size = 0;
    seen += model->succ_start[pair];
    for (int64_t j = 0; j < n; j++) {
        if (seen[j] == 0)
            continue;
        double number = (double)seen[j], term = fy_lgamma(number + 0.5);
        int32_t slot = fit->vectors->slot[gen + j];
        total += number;
        log_m += term - half;
        size += fabs(term) + 1;
        if (slot > 0) {
            fit->count[slot] += seen[j];
        } else {
            double p = fmin(1, fmax(basis->p0[gen + j], 0) + model->feature_error);
            log_m -= p > 0 ? number * fy_log(p) : 0;
            size += number;
        }
    }
    if (total > 0) {
        double whole = fy_lgamma(total + 0.5 * (double)n);
        log_m += fy_lgamma(0.5 * (double)n) - whole;
        size += fabs(whole);
    }
    fit->alone[g] += log_m;
    fit->size[g] += size;
}

static double find_evidence(fy_fit *fit, const int64_t *seen)
{
    const foray_model *model = fit->model;
    const fy_basis *basis = fit->vectors->basis;
    double max = -INFINITY;
    memset(fit->count, 0, (size_t)fit->vectors->slots * sizeof *fit->count);
    memset(fit->alone, 0, (size_t)basis->blocks * sizeof *fit->alone);
    memset(fit->size, 0, (size_t)basis->blocks * sizeof *fit->size);
    for (int64_t pair = 0; pair < model->pairs; pair++)
        if (fy_available(model, pair) &&
            fit->tested[basis->block_of_generator_set[model->generator_set[pair]]])
            add_pair(fit, pair, seen);
    for (int64_t g = 0; g < basis->blocks; g++) {
        if (!fit->tested[g])
            continue;
        const fy_counts_mixture data = {
            .count = fit->count, .weight = 1, .error = model->feature_error};
        double l = basis->block[g].dim > 0 ? fy_likelihood_max(fit->likelihood, g, &data) : 0;
        max = fmax(max, fit->alone[g] - l - 64 * DBL_EPSILON * (fit->size[g] + fabs(l)));
    }
    return fit->blocks > 0 ? max - fy_log(laws_of(fit, model)) : 0;
}

/* --------------------------------------------------------------- outside what can be */

/* radius_g ||x||_{Sigma^-1}; x is spoilt. */
static double half_width(const fy_regression_set *set, int64_t g, int64_t d, double *x)
{
    double square = 0;
    fy_ridge_whiten(set->ridge, g, x, x);
    for (int64_t k = 0; k < d; k++)
        square += x[k] * x[k];
    return set->radius[g] * sqrt(square);
}

/* Keeps what lies farthest below 0, in half widths. */
static bool farther(const foray_refutation *out, double estimate, double width)
{
    return estimate + width < 0 &&
           (out->half_width <= 0 || estimate * out->half_width < out->estimate * width);
}

static void look_at_weights(const fy_fit *fit, const fy_regression_set *set, int64_t g,
                            foray_refutation *out)
{
    const fy_block *block = &fit->vectors->basis->block[g];
    const double *z = set->z + set->ridge->at_vector[g];
    for (int32_t i = 0; i < block->coords; i++) {
        if (!fit->model->nonnegative && !fit->nonnegative[block->coord[i]])
            continue;
        double estimate = block->theta0[i], *x = fit->generators;
        for (int32_t k = 0; k < block->dim; k++) {
            x[k] = block->basis[i * block->dim + k];
            estimate += x[k] * z[k];
        }
        double width = half_width(set, g, block->dim, x);
        if (farther(out, estimate, width)) {
            out->coordinate = block->coord[i];
            out->estimate = estimate;
            out->half_width = width;
        }
    }
}

/* Probabilities of blocks that are not mixtures, which no weights speak for. */
static void look_at_set(const fy_fit *fit, const fy_regression_set *regression, int64_t set,
                        foray_refutation *out)
{
    const foray_model *model = fit->model;
    const fy_basis *basis = fit->vectors->basis;
    int64_t g = basis->block_of_generator_set[set], d = basis->block[g].dim;
    const double *z = regression->z + regression->ridge->at_vector[g];
    fy_basis_generators(basis, set, fit->generators);
    for (int64_t j = 0; j < fy_generator_set_size(model, set); j++) {
        double *x = fit->generators + j * d;
        double estimate = basis->p0[model->gen_start[set] + j] + model->feature_error;
        for (int64_t k = 0; k < d; k++)
            estimate += x[k] * z[k];
        double width = half_width(regression, g, d, x);
        if (farther(out, estimate, width)) {
            int64_t pair = model->generator_set_pair[set];
            out->coordinate = -1;
            out->state = pair / model->actions;
            out->action = pair % model->actions;
            out->next = model->succ[model->succ_start[pair] + j];
            out->estimate = estimate;
            out->half_width = width;
        }
    }
}

static void look_outside(const fy_fit *fit, const fy_regression_set *regression,
                         foray_refutation *out)
{
    const fy_basis *basis = fit->vectors->basis;
    for (int64_t g = 0; g < basis->blocks; g++)
        if (basis->block[g].dim > 0)
            look_at_weights(fit, regression, g, out);
    for (int64_t set = 0; set < fit->model->generator_sets; set++) {
        int64_t g = basis->block_of_generator_set[set];
        if (basis->block[g].dim > 0 && !(fit->vectors->scale[g] > 0))
            look_at_set(fit, regression, set, out);
    }
}

void fy_fit_test(fy_fit *fit, const int64_t *seen, const fy_regression_set *regression,
                 foray_refutation *out)
{
    *out = (foray_refutation){.coordinate = -1, .state = -1, .action = -1, .next = -1};
    out->limit = limit_of_evidence();
    out->evidence = find_evidence(fit, seen);
    if (regression)
        look_outside(fit, regression, out);
    out->refuted = out->evidence >= out->limit || out->half_width > 0;
}

/* ---------------------------------------------------------------- when episodes ended */

/* A test may take as long as this many of its elementary steps for each step explored. */
static const double test_share = 200;

static int64_t steps_between(const fy_refuter *refuter)
{
    double episodes = refuter->fit->cost / (test_share * (double)refuter->model->horizon);
    return (int64_t)fmin(fmax(episodes, 1), 0x1p60);
}

foray_status fy_refuter_create(fy_arena *arena, const foray_model *model, bool beginnings,
                               fy_refuter *out)
{
    *out = (fy_refuter){.ctx = arena->ctx, .model = model, .tested_after = -1};
    foray_status status = FORAY_OK;
    if (!model->unstructured) /* else nothing can refute it */
        status = fy_fit_create(arena, model, &out->fit);
    if (out->fit)
        out->next_test = steps_between(out);
    if (status == FORAY_OK && beginnings && model->initials > 0 &&
        !FY_NEW(arena, out->began, model->initials))
        status = FORAY_ERROR_MEMORY;
    return status;
}

bool fy_refuter_is_due(const fy_refuter *refuter, int64_t episodes)
{
    return refuter->fit && !refuter->refuted.refuted && episodes >= refuter->next_test;
}

static void test_now(fy_refuter *refuter, int64_t episodes, const int64_t *seen,
                     const fy_regression_set *regression)
{
    if (refuter->tested_after != episodes)
        fy_fit_test(refuter->fit, seen, regression, &refuter->tested);
    refuter->tested.episodes = refuter->tested_after = episodes;
    if (fy_was_stopped(refuter->ctx)) /* what was cut short says nothing */
        refuter->tested_after = -1;
}

void fy_refuter_test(fy_refuter *refuter, int64_t episodes, const int64_t *seen,
                     const fy_regression_set *regression)
{
    test_now(refuter, episodes, seen, regression);
    if (fy_was_stopped(refuter->ctx))
        return;
    if (refuter->tested.refuted)
        refuter->refuted = refuter->tested;
    int64_t min = steps_between(refuter), quarter = episodes / 4;
    refuter->next_test = episodes + (quarter > min ? quarter : min);
}

foray_refutation fy_refuter_found(fy_refuter *refuter, int64_t episodes, const int64_t *seen,
                                  const fy_regression_set *regression)
{
    if (refuter->refuted.refuted)
        return refuter->refuted;
    if (refuter->begun.refuted)
        return refuter->begun;
    if (!refuter->fit)
        return (foray_refutation){.coordinate = -1, .state = -1, .action = -1, .next = -1};
    test_now(refuter, episodes, seen, regression);
    return refuter->tested;
}

/* ----------------------------------------------------------------- where they began */

/* Do the episodes that a world began begin as the model says?
 *
 * The n first states of the model, with the stated law mu, get a law of their own with the
 * Dirichlet(1/2) prior. With N_j episodes that began in state j and N their sum, the data grow
 * more probable under it than under mu by the factor
 *
 *     (N_j + 1/2)/(N + n/2) / mu_j      with every episode that begins in state j
 *
 * and the product is a nonnegative martingale that begins at 1 if mu is true. It is one more of
 * those whose mean is taken (refutation.h). An episode that begins elsewhere refutes mu at once.
 *
 * Recorded episodes may begin anywhere, queries are no episodes, and models of clusters have
 * sampled their law: there nobody asks. */

/* A sum of logarithms that never falls below -n (1 + log(1 + N)), where rounding is largest. */
static double rounded_by(const fy_refuter *refuter)
{
    double n = (double)refuter->model->initials, N = (double)refuter->beginnings;
    return 4 * DBL_EPSILON * N * (n * (1 + fy_log(1 + N)) + 16);
}

/* The first state whose share is farthest from what is stated, and that share. */
static void name_worst(const fy_refuter *refuter, foray_refutation *out)
{
    const foray_model *model = refuter->model;
    double worst = -INFINITY;
    for (int64_t j = 0; j < model->initials; j++) {
        double share = (double)refuter->began[j] / (double)refuter->beginnings;
        double apart = fabs(share - model->initial_probability[j]);
        if (apart > worst) {
            worst = apart;
            out->state = model->initial_state[j];
            out->estimate = share;
        }
    }
}

/* Does another episode that began in the j-th first state refute the stated law? */
static bool count_one(fy_refuter *refuter, int64_t j, foray_refutation *found)
{
    const foray_model *model = refuter->model;
    double before = (double)refuter->beginnings, n = (double)model->initials;
    double own = ((double)refuter->began[j]++ + 0.5) / (before + 0.5 * n);
    refuter->beginnings++;
    refuter->otherwise += fy_log(own / model->initial_probability[j]);
    found->evidence =
        refuter->otherwise - rounded_by(refuter) - fy_log(laws_of(refuter->fit, model));
    return found->evidence >= found->limit;
}

void fy_refuter_note_beginning(fy_refuter *refuter, int64_t episodes, int64_t first)
{
    foray_refutation found = {.refuted = true,
                              .episodes = episodes,
                              .evidence = INFINITY,
                              .limit = limit_of_evidence(),
                              .coordinate = -1,
                              .state = first,
                              .action = -1,
                              .next = -1};
    if (!refuter->began || refuter->begun.refuted)
        return;
    int64_t j = fy_model_find_initial(refuter->model, first);
    if (j >= 0 && (refuter->model->initials == 1 || !count_one(refuter, j, &found)))
        return;
    if (j >= 0)
        name_worst(refuter, &found);
    refuter->begun = found;
}

/* -------------------------------------------------------------------- save and load */

static void save_refutation(const foray_refutation *r, fy_writer *writer)
{
    fy_write_u64(writer, r->refuted);
    if (!r->refuted)
        return;
    const int64_t number[] = {r->episodes, r->coordinate, r->state, r->action, r->next};
    const double real[] = {r->evidence, r->limit, r->estimate, r->half_width};
    fy_write_u64s(writer, (const uint64_t *)number, sizeof number / sizeof *number);
    fy_write_doubles(writer, real, sizeof real / sizeof *real);
}

static void load_refutation(foray_refutation *r, fy_reader *reader)
{
    int64_t number[5];
    double real[4];
    *r = (foray_refutation){.refuted = false};
    if (fy_read_u64(reader) == 0 || reader->failed)
        return;
    fy_read_u64s(reader, (uint64_t *)number, sizeof number / sizeof *number);
    fy_read_doubles(reader, real, sizeof real / sizeof *real);
    if (!reader->failed)
        *r = (foray_refutation){.refuted = true,
                                .episodes = number[0],
                                .coordinate = number[1],
                                .state = number[2],
                                .action = number[3],
                                .next = number[4],
                                .evidence = real[0],
                                .limit = real[1],
                                .estimate = real[2],
                                .half_width = real[3]};
}

void fy_refuter_save(const fy_refuter *refuter, fy_writer *writer)
{
    fy_write_u64(writer, (uint64_t)refuter->next_test);
    save_refutation(&refuter->refuted, writer);
}

void fy_refuter_load(fy_refuter *refuter, fy_reader *reader)
{
    refuter->tested_after = -1;
    refuter->next_test = (int64_t)fy_read_u64(reader);
    load_refutation(&refuter->refuted, reader);
}

static bool has_beginnings(const fy_refuter *refuter)
{
    return refuter->began && (refuter->model->initials > 1 || refuter->begun.refuted);
}

void fy_refuter_save_beginnings(const fy_refuter *refuter, fy_writer *writer)
{
    if (!has_beginnings(refuter))
        return;
    fy_write_u64s(writer, (const uint64_t *)refuter->began, (size_t)refuter->model->initials);
    fy_write_doubles(writer, &refuter->otherwise, 1);
    save_refutation(&refuter->begun, writer);
}

void fy_refuter_load_beginnings(fy_refuter *refuter, int64_t episodes, fy_reader *reader)
{
    int64_t count = refuter->began ? refuter->model->initials : 0;
    refuter->begun = (foray_refutation){.refuted = false};
    refuter->beginnings = 0;
    refuter->otherwise = 0;
    for (int64_t j = 0; j < count; j++)
        refuter->began[j] = 0;
    if (count == 0 || (count == 1 && reader->at == reader->size))
        return;
    for (int64_t j = 0; j < count && !reader->failed; j++) {
        uint64_t number = fy_read_u64(reader);
        reader->failed |= number > (uint64_t)episodes;
        refuter->began[j] = reader->failed ? 0 : (int64_t)number;
        refuter->beginnings += refuter->began[j];
    }
    fy_read_doubles(reader, &refuter->otherwise, 1);
    load_refutation(&refuter->begun, reader);
}

/* --------------------------------------------------------------------------- words */

/* "state 8", or "state cellar". */
static void name_it(const char *what, const char *name, int64_t number, char out[64])
{
    if (name)
        fy_format(out, 64, "%s %s", what, name);
    else
        fy_format(out, 64, "%s %" PRId64, what, number);
}

static void print_impossible(const foray_model *model, const foray_refutation *r, char *text,
                             size_t size)
{
    char next[64], state[64], action[64];
    name_it("state", model ? foray_model_state_name(model, r->next) : NULL, r->next, next);
    name_it("state", model ? foray_model_state_name(model, r->state) : NULL, r->state, state);
    name_it("action", model ? foray_model_action_name(model, r->action) : NULL, r->action, action);
    fy_format(text, size,
              "noticed after %" PRId64 " episodes: the probability of %s after %s, %s, is %.3g "
              "+- %.2g, and cannot be negative",
              r->episodes, next, state, action, r->estimate, r->half_width);
}

/* Nats as a power of ten. */
static void print_times(double evidence, char out[32])
{
    static const double nats_of_ten = 2.302585092994046;
    fy_format(out, 32, "10^%.0f", floor(evidence / nats_of_ten));
}

static void print_beginning(const foray_model *model, const foray_refutation *r, char *text,
                            size_t size)
{
    char first[64], times[32];
    name_it("state", model ? foray_model_state_name(model, r->state) : NULL, r->state, first);
    print_times(r->evidence, times);
    if (isinf(r->evidence))
        fy_format(text, size,
                  "noticed after %" PRId64
                  " episodes: one began in %s, where none begins by the law "
                  "that the model states",
                  r->episodes, first);
    else
        fy_format(text, size,
                  "noticed after %" PRId64
                  " episodes: %.3g of them began in %s; their first states "
                  "are %s times as probable by a law of their own as by the one that the model "
                  "states; if that is true, the probability that this ever reaches 10^3 is at most "
                  "0.001",
                  r->episodes, r->estimate, first, times);
}

void foray_refutation_print(const foray_model *model, const foray_refutation *refutation,
                            char *text, size_t size)
{
    const foray_refutation *r = refutation;
    char times[32];
    print_times(r->evidence, times);
    if (!r->refuted)
        fy_format(text, size, "the data do not refute the model");
    else if (r->state >= 0 && r->action < 0)
        print_beginning(model, r, text, size);
    else if (r->evidence >= r->limit)
        fy_format(text, size,
                  "noticed after %" PRId64 " episodes: the data are %s times as probable if "
                  "every state and action has a law of its own as under any law of the model; if "
                  "the model is true, the probability that this ever reaches 10^3 is at most 0.001",
                  r->episodes, times);
    else if (r->coordinate >= 0)
        fy_format(text, size,
                  "noticed after %" PRId64 " episodes: theta[%" PRId64
                  "] is %.3g +- %.2g, and cannot be negative",
                  r->episodes, r->coordinate, r->estimate, r->half_width);
    else
        print_impossible(model, r, text, size);
}
