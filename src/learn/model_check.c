/* model_check.c - is a model valid, and what is in it? */
#include "learn/inner.h"
#include "model/assemble.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* MiB that lists of vertices may take while checking. */
enum { VERTEX_MEMORY = 32 };

/* ------------------------------------------------------------------- facts */

static int64_t names_bytes(char *const *names, int64_t count)
{
    int64_t bytes = 0;
    for (int64_t i = 0; names && i < count; i++)
        bytes += (int64_t)(sizeof *names + (names[i] ? strlen(names[i]) + 1 : 0));
    return bytes;
}

static int64_t model_bytes(const foray_model *model)
{
    int64_t generators = model->gen_start[model->generator_sets];
    int64_t bytes = (int64_t)sizeof *model + (int64_t)strlen(model->name) + 1;
    bytes += 4 * model->pairs + 8 * (model->pairs + 1) + 4 * model->succ_start[model->pairs];
    bytes += 8 * (model->generator_sets + 1) + 4 * model->generator_sets + 8 * (generators + 1);
    bytes += 12 * model->feat_start[generators] + 12 * model->initials;
    bytes += model->theta ? 8 * model->dim : 0;
    bytes += model->stand_in ? 4 * (model->pairs + model->available) : 0;
    if (model->pair_dim > 0)
        bytes += 8 * (model->pairs + 1) + 12 * model->pair_start[model->pairs];
    bytes += model->cell_row ? 8 * model->states : 0;
    bytes += names_bytes(model->state_names, model->states);
    bytes += names_bytes(model->action_names, model->actions);
    return bytes + (model->basis ? model->basis->bytes : 0);
}

static void count_parts(const foray_model *model, foray_model_facts *facts)
{
    facts->pairs = model->available;
    for (int64_t k = 0; k < model->available; k++) {
        int64_t pair = fy_existing(model, k);
        facts->transitions += model->succ_start[pair + 1] - model->succ_start[pair];
    }
    facts->generator_sets = model->generator_sets;
    facts->features = model->feat_start[model->gen_start[model->generator_sets]];
    for (int64_t generator_set = 0; generator_set < model->generator_sets; generator_set++)
        if (fy_generator_set_size(model, generator_set) > facts->max_successors)
            facts->max_successors = fy_generator_set_size(model, generator_set);
    facts->bytes = model_bytes(model);
    facts->vertices = -1;
    facts->psi_norm = facts->theta_norm = NAN;
    facts->worst_sum = facts->min_probability = NAN;
}

/* ------------------------------------------------------------ probabilities */

/* Which generator sets are furthest from being probability vectors? */
typedef struct worst {
    int64_t sum_generator_set, min_generator_set, min_generator;
} worst;

static worst find_worst(const foray_model *model, foray_model_facts *facts)
{
    worst at = {0};
    facts->worst_sum = 0;
    facts->min_probability = INFINITY;
    for (int64_t generator_set = 0; generator_set < model->generator_sets; generator_set++) {
        double sum = 0;
        for (int64_t j = 0; j < fy_generator_set_size(model, generator_set); j++) {
            double p =
                fy_generator_probability(model, model->theta, model->gen_start[generator_set] + j);
            sum += p;
            if (p < facts->min_probability) {
                facts->min_probability = p;
                at.min_generator_set = generator_set;
                at.min_generator = j;
            }
        }
        if (!(fabs(sum - 1) <= facts->worst_sum)) {
            facts->worst_sum = fabs(sum - 1);
            at.sum_generator_set = generator_set;
        }
    }
    return at;
}

/* P(.|s,a) >= 0 and sum_{s'} P(s'|s,a) = 1, for the theta of the model. */
static foray_status check_probabilities(foray_context *ctx, const foray_model *model,
                                        foray_model_facts *facts)
{
    worst at = find_worst(model, facts);
    if (!(facts->min_probability >= -FY_MODEL_TOLERANCE)) {
        int64_t pair = model->generator_set_pair[at.min_generator_set];
        return fy_fail(ctx, FORAY_ERROR_INPUT, FY_AT_PAIR ": successor %d has probability %.9g",
                       FY_PAIR(model, pair),
                       model->succ[model->succ_start[pair] + at.min_generator],
                       facts->min_probability);
    }
    if (!(facts->worst_sum <= FY_MODEL_TOLERANCE))
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       FY_AT_PAIR ": the probabilities under theta do not sum to 1: off by %.3g",
                       FY_PAIR(model, model->generator_set_pair[at.sum_generator_set]),
                       facts->worst_sum);
    return FORAY_OK;
}

/* The basis that could not be made when the model was: made again for its message. */
static foray_status explain_missing_form(foray_context *ctx, const foray_model *model)
{
    fy_basis *basis;
    foray_status status = fy_basis_create(ctx, model, true, true, &basis);
    if (status == FORAY_OK)
        fy_basis_destroy(basis);
    return status;
}

foray_status fy_model_check_kernel(foray_context *ctx, const foray_model *model)
{
    foray_model_facts facts = {0};
    return model->basis ? check_probabilities(ctx, model, &facts)
                        : explain_missing_form(ctx, model);
}

/* ------------------------------------------------------------------- norms */

static double norm(const double *x, int64_t count)
{
    double square = 0;
    for (int64_t i = 0; i < count; i++)
        square += x[i] * x[i];
    return sqrt(square);
}

static double centre_norm(const fy_basis *basis)
{
    double square = 0;
    for (int64_t g = 0; g < basis->blocks; g++) {
        double part = norm(basis->block[g].theta0, basis->block[g].coords);
        square += part * part;
    }
    return sqrt(square);
}

/* ||theta|| <= B; where theta is not known, some theta of that norm must exist. */
static foray_status check_theta_norm(foray_context *ctx, const foray_model *model,
                                     foray_model_facts *facts)
{
    double max = model->norm_bound * (1 + FY_MODEL_TOLERANCE);
    if (model->theta)
        facts->theta_norm = norm(model->theta, model->dim);
    if (model->theta && !(facts->theta_norm <= max))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "theta has norm %.9g, above norm_bound = %.9g",
                       facts->theta_norm, model->norm_bound);
    double min = centre_norm(model->basis);
    if (!(min <= max))
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "norm_bound is %.9g, but probabilities can sum to 1 only if the norm of "
                       "theta is at least %.9g",
                       model->norm_bound, min);
    return FORAY_OK;
}

/* --------------------------------------------------------------------- psi */

static bool nonnegative_features(const foray_model *model)
{
    int64_t features = model->feat_start[model->gen_start[model->generator_sets]];
    for (int64_t k = 0; k < features; k++)
        if (model->feat_value[k] < 0)
            return false;
    return true;
}

static void note_norm(const foray_model *model, foray_model_facts *facts, int64_t generator_set,
                      double value)
{
    if (value <= facts->psi_norm)
        return;
    facts->psi_norm = value;
    facts->psi_norm_state = model->generator_set_pair[generator_set] / model->actions;
    facts->psi_norm_action = model->generator_set_pair[generator_set] % model->actions;
}

/* Without negative features psi_f grows with f: f = 1 is the maximiser, and psi_1 = sum_j phi_j. */
static foray_status measure_sums(foray_context *ctx, const foray_model *model,
                                 foray_model_facts *facts)
{
    const fy_basis *basis = model->basis; /* which coordinates are in which block */
    double *psi;
    if (!FY_ALLOC(ctx, psi, basis->max_coords))
        return FORAY_ERROR_MEMORY;
    for (int64_t set = 0; set < model->generator_sets; set++) {
        int32_t coords = basis->block[basis->block_of_generator_set[set]].coords;
        int64_t first = model->feat_start[model->gen_start[set]];
        int64_t end = model->feat_start[model->gen_start[set + 1]];
        memset(psi, 0, (size_t)coords * sizeof *psi);
        for (int64_t k = first; k < end; k++)
            psi[basis->local_of_coord[model->feat_index[k]]] += model->feat_value[k];
        note_norm(model, facts, set, norm(psi, coords));
    }
    free(psi);
    facts->psi_norm_exact = true;
    return FORAY_OK;
}

/* max_f ||psi_f||^2 <= sum_i max{ sum_j phi_ji^+, sum_j phi_ji^- }^2: every coordinate for itself.
 * up, down: [dim] scratch, 0 before and after. */
static double coordinate_bound(const foray_model *model, int64_t generator_set, double *up,
                               double *down)
{
    int64_t first = model->feat_start[model->gen_start[generator_set]];
    int64_t end = model->feat_start[model->gen_start[generator_set + 1]];
    double square = 0;
    for (int64_t k = first; k < end; k++) {
        up[model->feat_index[k]] += fmax(model->feat_value[k], 0);
        down[model->feat_index[k]] += fmax(-model->feat_value[k], 0);
    }
    for (int64_t k = first; k < end; k++) {
        int64_t i = model->feat_index[k];
        double max = fmax(up[i], down[i]);
        square += max * max;
        up[i] = down[i] = 0;
    }
    return sqrt(square);
}

/* Upper bounds, the smaller of the two that there are. */
static foray_status note_bounds(foray_context *ctx, const fy_inner *inner, foray_model_facts *facts)
{
    const foray_model *model = inner->basis->model;
    double *up;
    if (!FY_ALLOC(ctx, up, 2 * model->dim))
        return FORAY_ERROR_MEMORY;
    for (int64_t generator_set = 0; generator_set < model->generator_sets; generator_set++) {
        double max = coordinate_bound(model, generator_set, up, up + model->dim);
        note_norm(model, facts, generator_set, fmin(max, inner->upper[generator_set]));
    }
    free(up);
    return FORAY_OK;
}

/* In general it is the inner maximisation with Sigma = I. `min` is a value attained. */
static foray_status maximise(foray_context *ctx, const fy_basis *basis, const double *lambda,
                             foray_model_facts *facts, double *min)
{
    fy_arena arena = {.ctx = ctx};
    fy_ridge *ridge;
    fy_inner *inner;
    foray_status status = fy_ridge_create(&arena, basis, lambda, 1, &ridge);
    if (status == FORAY_OK)
        status = fy_inner_create(&arena, basis, FORAY_INNER_AUTO, VERTEX_MEMORY, &inner);
    if (status == FORAY_OK) {
        fy_inner_solve(inner, ridge);
        for (int64_t i = 0; i < basis->model->generator_sets; i++)
            *min = fmax(*min, inner->value[i]);
        status = note_bounds(ctx, inner, facts);
        facts->psi_norm_exact = inner->method == FORAY_INNER_EXACT;
    }
    fy_arena_release(&arena);
    return status;
}

/* In the coordinates of theta itself: centring is for what is unknown. */
static foray_status measure_maxima(foray_context *ctx, const foray_model *model,
                                   foray_model_facts *facts, double *min)
{
    fy_basis *basis;
    double *lambda;
    foray_status status = fy_basis_create(ctx, model, false, true, &basis);
    if (status != FORAY_OK)
        return status;
    if (FY_ALLOC(ctx, lambda, basis->blocks)) {
        for (int64_t g = 0; g < basis->blocks; g++)
            lambda[g] = 1;
        status = maximise(ctx, basis, lambda, facts, min);
        free(lambda);
    } else {
        status = FORAY_ERROR_MEMORY;
    }
    fy_basis_destroy(basis);
    return status;
}

static foray_status psi_too_long(foray_context *ctx, const foray_model_facts *facts, double min)
{
    const char *cure = "divide features by that and multiply theta and norm_bound by it";
    if (min > 1 + FY_MODEL_TOLERANCE)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "state %" PRId64 ", action %" PRId64
                       ": the norm of psi_f reaches %.9g for some f into "
                       "[0,1], but it may be at most 1: %s",
                       facts->psi_norm_state, facts->psi_norm_action, facts->psi_norm, cure);
    return fy_fail(
        ctx, FORAY_ERROR_INPUT,
        "state %" PRId64 ", action %" PRId64
        ": the norm of psi_f over all f into [0,1] must be at most 1, and is only known to "
        "lie between %.9g and %.9g (there are too many f to try): %s",
        facts->psi_norm_state, facts->psi_norm_action, min, facts->psi_norm, cure);
}

/* ||psi_f(s,a)|| <= 1 for every f: S -> [0,1]. Where the maximum is only known between
 * two bounds, the upper one must pass: radii rest on it. */
static foray_status check_psi_norm(foray_context *ctx, const foray_model *model,
                                   foray_model_facts *facts)
{
    foray_status status;
    facts->psi_norm = 0;
    double min = 0;
    if (nonnegative_features(model)) {
        status = measure_sums(ctx, model, facts);
        min = facts->psi_norm;
    } else {
        status = measure_maxima(ctx, model, facts, &min);
    }
    if (status == FORAY_OK && !(facts->psi_norm <= 1 + FY_MODEL_TOLERANCE))
        status = psi_too_long(ctx, facts, min);
    return status;
}

/* ------------------------------------------------------------------- whole */

static foray_status count_vertices(foray_context *ctx, const fy_basis *basis,
                                   foray_model_facts *facts)
{
    fy_arena arena = {.ctx = ctx};
    fy_inner *inner;
    foray_status status = fy_inner_create(&arena, basis, FORAY_INNER_AUTO, VERTEX_MEMORY, &inner);
    if (status == FORAY_OK && inner->method == FORAY_INNER_EXACT)
        facts->vertices = inner->vertices;
    fy_arena_release(&arena);
    return status;
}

static foray_status check(foray_context *ctx, const foray_model *model, foray_model_facts *facts)
{
    const fy_basis *basis = model->basis;
    if (model->unstructured) {
        *facts = (foray_model_facts){.pairs = model->pairs,
                                     .unknowns = foray_model_unknowns(model),
                                     .psi_norm = NAN,
                                     .theta_norm = NAN,
                                     .worst_sum = NAN,
                                     .min_probability = NAN};
        return FORAY_OK;
    }
    count_parts(model, facts);
    if (!basis)
        return explain_missing_form(ctx, model);
    facts->blocks = basis->blocks;
    facts->unknowns = basis->unknowns;
    facts->largest_block = basis->max_dim;
    foray_status status = FORAY_OK;
    if (model->theta)
        status = check_probabilities(ctx, model, facts);
    if (status == FORAY_OK)
        status = check_theta_norm(ctx, model, facts);
    if (status == FORAY_OK)
        status = check_psi_norm(ctx, model, facts);
    if (status == FORAY_OK)
        status = fy_pair_features_check(ctx, model);
    return status;
}

foray_status foray_model_check(foray_context *ctx, const foray_model *model,
                               foray_model_facts *facts)
{
    foray_model_facts found = {0};
    foray_status status = check(ctx, model, &found);
    if (status == FORAY_OK && facts && !model->unstructured)
        status = count_vertices(ctx, model->basis, &found);
    if (facts)
        *facts = found;
    return status;
}
