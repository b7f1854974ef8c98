/* certifier.c - see certifier.h. */
#include "certify/certifier.h"
#include "certify/gap_paid.h"

#include <float.h>
#include <math.h>
#include <string.h>

bool fy_certifier_has_likelihood(const fy_certifier *certifier, int64_t g)
{
    return certifier->vectors->scale[g] > 0 && !(certifier->model->feature_error > 0);
}

int64_t fy_certifier_regressed(const fy_certifier *certifier)
{
    const fy_basis *basis = certifier->model->basis;
    int64_t count = 0;
    for (int64_t g = 0; g < basis->blocks; g++)
        count += basis->block[g].dim > 0 && !fy_certifier_has_likelihood(certifier, g);
    return count;
}

bool fy_certifier_possible(const fy_certifier *certifier, bool regression)
{
    return regression || fy_certifier_regressed(certifier) == 0;
}

/* Two sets keep p, x, ||x|| and counts of every generator; the pass, two layers of every state. */
static double memory_of(const foray_model *model)
{
    enum { OF_SET = 2 * 4, OF_STATE = 2 * (11 + 5) };
    double generators = (double)model->gen_start[model->generator_sets];
    return sizeof(double) * (OF_SET * generators + OF_STATE * (double)model->states);
}

foray_status fy_certifier_create(fy_arena *arena, const foray_model *model, int64_t memory,
                                 fy_certifier **out)
{
    const fy_basis *basis = model->basis;
    fy_certifier *certifier;
    if (!FY_NEW(arena, certifier, 1))
        return FORAY_ERROR_MEMORY;
    foray_status status =
        fy_memory_need(arena->ctx, memory_of(model), "what certificates for this model rest on",
                       "fewer states, a coarser model, or laws that pairs share");
    if (status != FORAY_OK)
        return status;
    certifier->ctx = arena->ctx;
    certifier->model = model;
    for (int64_t g = 0; g < basis->blocks; g++)
        certifier->blocks += basis->block[g].dim > 0;
    status = fy_vectors_create(arena, basis, &certifier->vectors);
    if (status == FORAY_OK && (!FY_NEW(arena, certifier->count, certifier->vectors->slots) ||
                               !FY_NEW(arena, certifier->fit, basis->blocks)))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status = fy_likelihood_create(arena, certifier->vectors, &certifier->likelihood);
    if (status == FORAY_OK)
        status = fy_confidence_create(arena, basis, &certifier->set);
    if (status == FORAY_OK)
        status = fy_confidence_create(arena, basis, &certifier->inside);
    if (status == FORAY_OK) {
        certifier->joint = fy_gap_fits(certifier->set, memory);
        status = fy_gap_create(arena, certifier->set, certifier->joint, &certifier->gap);
    }
    if (status == FORAY_OK)
        status = fy_all_rewards_create(arena, certifier->inside, &certifier->all);
    if (status == FORAY_OK)
        status = fy_inner_create(arena, basis, FORAY_INNER_AUTO, 32, &certifier->inner);
    if (status == FORAY_OK)
        *out = certifier;
    return status;
}

/* N_t: transitions with the same vector together. */
static void count_vectors(const fy_certifier *certifier, const int64_t *seen, int64_t *count)
{
    const foray_model *model = certifier->model;
    memset(count, 0, (size_t)certifier->vectors->slots * sizeof *count);
    for (int64_t pair = 0; pair < model->pairs; pair++) {
        const int32_t *slot =
            certifier->vectors->slot + model->gen_start[model->generator_set[pair]];
        for (int64_t j = model->succ_start[pair]; j < model->succ_start[pair + 1]; j++)
            count[slot[j - model->succ_start[pair]]] += seen[j];
    }
}

foray_status fy_certifier_remember(fy_arena *arena, fy_certifier *certifier, int64_t count,
                                   const int64_t *number, int64_t *const *seen)
{
    int64_t slots = certifier->vectors->slots;
    certifier->refits = false;
    certifier->earliers = count < FY_EARLIERS ? count : FY_EARLIERS;
    for (int64_t i = 0; i < certifier->earliers; i++) {
        int64_t *at = certifier->earlier_count[i];
        if (!at && !FY_NEW(arena, at, slots))
            return FORAY_ERROR_MEMORY;
        certifier->earlier_count[i] = at;
        count_vectors(certifier, seen[i], at);
        certifier->earlier[i] = (fy_earlier){number[i], at};
    }
    certifier->refits = certifier->refit != NULL;
    if (certifier->refits)
        return FORAY_OK;
    foray_status status = fy_refit_create(arena, certifier->vectors, &certifier->refit);
    certifier->refits = status == FORAY_OK;
    return status;
}

void fy_certifier_forget(fy_certifier *certifier)
{
    certifier->refits = false;
}

/* The block's ellipsoid around c, or around a point inside. */
static void estimate_block(fy_certifier *certifier, int64_t g, double share, double inner,
                           double scale, const fy_regression_set *regression, fy_confidence *set)
{
    if (fy_certifier_has_likelihood(certifier, g)) {
        certifier->fit[g] =
            certifier->refits
                ? fy_refit_estimate(certifier->refit, certifier->likelihood, g, certifier->count,
                                    &(fy_history){certifier->earliers, certifier->earlier}, share,
                                    inner, set->ridge, set->z, set->radius)
                : fy_likelihood_estimate(certifier->likelihood, g, certifier->count, share, inner,
                                         set->ridge, set->z, set->radius);
        set->radius[g] *= scale;
        return;
    }
    const fy_ridge *from = regression->ridge;
    int64_t at = from->at_matrix[g], size = from->at_matrix[g + 1] - at;
    memcpy(set->ridge->sigma + at, from->sigma + at, (size_t)size * sizeof *from->sigma);
    memcpy(set->ridge->factor + at, from->factor + at, (size_t)size * sizeof *from->factor);
    for (int64_t i = from->at_vector[g]; i < from->at_vector[g + 1]; i++)
        set->z[i] = regression->z[i];
    set->radius[g] = regression->radius[g];
}

/* Are the outcomes of a generator set counted one by one: is each successor one weight, by itself?
 */
static bool is_counted(const fy_certifier *certifier, int64_t set)
{
    const fy_basis *basis = certifier->model->basis;
    int64_t g = basis->block_of_generator_set[set];
    return basis->block[g].dim > 0 && fy_certifier_has_likelihood(certifier, g) &&
           certifier->vectors->separate[g] &&
           fy_generator_set_size(certifier->model, set) == basis->block[g].coords;
}

/* n KL(N/n || w) = max l - l(w) <= x + gap: what the likelihood says of a law without an ellipsoid.
 * Refits have priors and data of their own, and leave it out. */
static void find_widths(fy_certifier *certifier, double scale)
{
    const foray_model *model = certifier->model;
    fy_confidence *set = certifier->set;
    set->direct = false;
    for (int64_t i = 0; i < model->generator_sets; i++) {
        const fy_likelihood_fit *fit = &certifier->fit[model->basis->block_of_generator_set[i]];
        set->width[i] = INFINITY;
        if (certifier->refits || !is_counted(certifier, i) || !(fit->visits > 0))
            continue;
        for (int64_t j = model->gen_start[i]; j < model->gen_start[i + 1]; j++)
            set->often[j] = (double)certifier->count[certifier->vectors->slot[j]] / fit->visits;
        set->width[i] = scale * scale * (fit->width + fit->excess) / fit->visits * (1 + 1e-12);
        set->direct = true;
    }
}

void fy_certifier_estimate(fy_certifier *certifier, const int64_t *seen, double delta, double scale,
                           const fy_regression_set *regression)
{
    static const double inner = 4; /* how far inside: weights of at least about 4/(n m) */
    const fy_basis *basis = certifier->model->basis;
    double share = delta / (double)certifier->blocks;
    count_vectors(certifier, seen, certifier->count);
    for (int64_t g = 0; g < basis->blocks; g++) {
        if (basis->block[g].dim == 0)
            continue;
        if (fy_stopped(certifier->ctx))
            return;
        estimate_block(certifier, g, share, inner, scale, regression, certifier->inside);
        estimate_block(certifier, g, share, 0, scale, regression, certifier->set);
    }
    fy_confidence_complete(certifier->set);
    find_widths(certifier, scale);
    fy_confidence_complete(certifier->inside);
}

foray_status fy_certifier_begin_policy(fy_arena *arena, fy_certifier *certifier,
                                       const foray_reward *reward, const int32_t *action)
{
    return reward->above ? fy_paid_begin(arena, certifier->gap, reward, action) : FORAY_OK;
}

void fy_certifier_end_policy(fy_certifier *certifier)
{
    fy_paid_end(certifier->gap);
}

static void take_set(const fy_confidence *from, fy_confidence *to)
{
    const fy_basis *basis = from->basis;
    const foray_model *model = basis->model;
    size_t matrices = (size_t)from->ridge->at_matrix[basis->blocks] * sizeof *from->ridge->sigma;
    memcpy(to->ridge->sigma, from->ridge->sigma, matrices);
    memcpy(to->ridge->factor, from->ridge->factor, matrices);
    memcpy(to->z, from->z, (size_t)basis->unknowns * sizeof *from->z);
    memcpy(to->radius, from->radius, (size_t)basis->blocks * sizeof *from->radius);
    memcpy(to->often, from->often,
           (size_t)model->gen_start[model->generator_sets] * sizeof *from->often);
    memcpy(to->width, from->width, (size_t)model->generator_sets * sizeof *from->width);
    to->direct = from->direct;
    fy_confidence_complete(to);
}

void fy_certifier_take(fy_certifier *certifier, const fy_certifier *from)
{
    take_set(from->set, certifier->set);
    take_set(from->inside, certifier->inside);
}

fy_gap_result fy_certifier_policy(fy_certifier *certifier, const foray_reward *reward,
                                  const int32_t *action)
{
    return fy_gap_certify(certifier->gap, reward, action);
}

double fy_certifier_all(fy_certifier *certifier, foray_reward_kind kind)
{
    fy_inner_solve(certifier->inner, certifier->inside->ridge);
    return fy_all_rewards_bound(certifier->all, certifier->inner, kind);
}

/* P(s_j|s,a) = p_j + <x_j, y_g>,  ||y_g|| <= 1     =>     |P(s_j|s,a) - p_j| <= ||x_j|| */
void fy_certifier_intervals(const fy_certifier *certifier, int64_t generator_set, double *low,
                            double *high)
{
    const foray_model *model = certifier->model;
    const fy_confidence *set = certifier->set;
    int64_t d = set->basis->block[set->basis->block_of_generator_set[generator_set]].dim;
    for (int64_t j = model->gen_start[generator_set]; j < model->gen_start[generator_set + 1];
         j++) {
        double p = set->p[j], norm = set->norm[j];
        /* What forming x may have rounded; what is certain stays so. */
        double terms = (double)(64 + d) * DBL_EPSILON;
        double slack = norm > 0 ? 1e-12 + terms * set->kappa_factor * norm : 0;
        *low++ = fmin(fmax(p - norm - slack, 0), 1);
        *high++ = fmin(fmax(p + norm + slack, 0), 1);
    }
}
