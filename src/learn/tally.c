/* tally.c - which blocks are mixtures, and which of their vectors are different. */
#include "learn/tally.h"
#include "base/index.h"

#include <string.h>

/* ----------------------------------------------------------- mixture blocks */

/* sum_{s'} phi_i(s'|s,a) of every coordinate of a set, into sum (which is zero before). */
static bool add_up_set(const foray_model *model, int64_t set, double *sum)
{
    for (int64_t k = model->feat_start[model->gen_start[set]];
         k < model->feat_start[model->gen_start[set + 1]]; k++) {
        if (!(model->feat_value[k] > 0))
            return false;
        sum[model->feat_index[k]] += model->feat_value[k];
    }
    return true;
}

/* Does the set say sum_i s theta_i = 1 with one s for all coordinates of its block? */
static double common_scale(const fy_basis *basis, int64_t set, double *sum)
{
    const fy_block *block = &basis->block[basis->block_of_generator_set[set]];
    double scale = add_up_set(basis->model, set, sum) ? sum[block->coord[0]] : 0;
    for (int32_t i = 0; i < block->coords; i++) {
        double off = sum[block->coord[i]] - scale;
        if (!(off <= 1e-12 * scale && -off <= 1e-12 * scale))
            scale = 0;
        sum[block->coord[i]] = 0;
    }
    return scale;
}

static foray_status find_mixtures(fy_arena *scratch, fy_vectors *vectors)
{
    const fy_basis *basis = vectors->basis;
    const foray_model *model = basis->model;
    double *sum;
    bool *nonnegative;
    if (!FY_NEW(scratch, sum, model->dim) || !FY_NEW(scratch, nonnegative, model->dim))
        return FORAY_ERROR_MEMORY;
    fy_model_mark_nonnegative(model, nonnegative);
    for (int64_t g = 0; g < basis->blocks; g++) {
        vectors->scale[g] = -1; /* not known yet */
        for (int32_t i = 0; i < basis->block[g].coords; i++)
            if (!nonnegative[basis->block[g].coord[i]] && !model->nonnegative)
                vectors->scale[g] = 0;
    }
    for (int64_t set = 0; set < model->generator_sets; set++) {
        int64_t g = basis->block_of_generator_set[set];
        double scale = common_scale(basis, set, sum), *known = &vectors->scale[g];
        bool same = *known < 0 || (scale <= *known * (1 + 1e-12) && scale >= *known * (1 - 1e-12));
        *known = same ? scale : 0;
    }
    return FORAY_OK;
}

/* ------------------------------------------------------- different vectors */

static int64_t vector_size(const foray_model *model, int64_t gen)
{
    return model->feat_start[gen + 1] - model->feat_start[gen];
}

static bool same_vector(const foray_model *model, int64_t a, int64_t b)
{
    size_t size = (size_t)vector_size(model, a);
    return vector_size(model, b) == (int64_t)size &&
           memcmp(model->feat_index + model->feat_start[a],
                  model->feat_index + model->feat_start[b],
                  size * sizeof *model->feat_index) == 0 &&
           memcmp(model->feat_value + model->feat_start[a],
                  model->feat_value + model->feat_start[b], size * sizeof *model->feat_value) == 0;
}

static uint64_t hash_vector(const foray_model *model, int64_t gen)
{
    size_t size = (size_t)vector_size(model, gen);
    uint64_t hash =
        fy_hash(model->feat_index + model->feat_start[gen], size * sizeof *model->feat_index, size);
    return fy_hash(model->feat_value + model->feat_start[gen], size * sizeof *model->feat_value,
                   hash);
}

/* The same number in every coordinate of the block: every w gives it the same probability. */
static bool says_nothing(const foray_model *model, const fy_block *block, int64_t gen)
{
    const double *value = model->feat_value + model->feat_start[gen];
    int64_t size = vector_size(model, gen);
    for (int64_t k = 1; k < size; k++)
        if (value[k] != value[0])
            return false;
    return size == block->coords;
}

/* Gives every generator the first one with its vector, or -1: nothing to be counted. */
static foray_status find_first(foray_context *ctx, fy_vectors *vectors, int32_t *first)
{
    const fy_basis *basis = vectors->basis;
    const foray_model *model = basis->model;
    int64_t generators = model->gen_start[model->generator_sets];
    fy_index index = {0};
    if (!fy_index_create(ctx, &index, generators))
        return FORAY_ERROR_MEMORY;
    for (int64_t set = 0; set < model->generator_sets; set++) {
        int64_t g = basis->block_of_generator_set[set];
        for (int64_t gen = model->gen_start[set]; gen < model->gen_start[set + 1]; gen++) {
            first[gen] = -1;
            if (!(vectors->scale[g] > 0) || basis->block[g].dim == 0 ||
                says_nothing(model, &basis->block[g], gen))
                continue;
            uint64_t at = fy_index_start(hash_vector(model, gen));
            int64_t old;
            while ((old = fy_index_at(&index, at)) >= 0 && !same_vector(model, old, gen))
                at++;
            if (old < 0)
                fy_index_put(&index, at, old = gen);
            first[gen] = (int32_t)old;
        }
    }
    fy_index_free(&index);
    return FORAY_OK;
}

/* Numbers the vectors block by block, from slot 1 on. */
static foray_status number_slots(fy_arena *arena, fy_arena *scratch, fy_vectors *vectors,
                                 const int32_t *first)
{
    const fy_basis *basis = vectors->basis;
    const foray_model *model = basis->model;
    int64_t generators = model->gen_start[model->generator_sets];
    int64_t *start = vectors->start;
    for (int64_t set = 0; set < model->generator_sets; set++)
        for (int64_t gen = model->gen_start[set]; gen < model->gen_start[set + 1]; gen++)
            start[basis->block_of_generator_set[set] + 1] += first[gen] == gen;
    start[0] = 1;
    for (int64_t g = 0; g < basis->blocks; g++)
        start[g + 1] += start[g];
    vectors->slots = start[basis->blocks];
    int64_t *next;
    if (!FY_NEW(arena, vectors->generator, vectors->slots) || !FY_NEW(scratch, next, basis->blocks))
        return FORAY_ERROR_MEMORY;
    memcpy(next, start, (size_t)basis->blocks * sizeof *next);
    for (int64_t set = 0; set < model->generator_sets; set++) {
        int64_t g = basis->block_of_generator_set[set];
        for (int64_t gen = model->gen_start[set]; gen < model->gen_start[set + 1]; gen++)
            if (first[gen] == gen) {
                vectors->generator[next[g]] = gen;
                vectors->slot[gen] = (int32_t)next[g]++;
                vectors->separate[g] &= vector_size(model, gen) == 1;
            }
    }
    for (int64_t gen = 0; gen < generators; gen++)
        vectors->slot[gen] = first[gen] >= 0 ? vectors->slot[first[gen]] : 0;
    return FORAY_OK;
}

foray_status fy_vectors_create(fy_arena *arena, const fy_basis *basis, fy_vectors **out)
{
    const foray_model *model = basis->model;
    int64_t generators = model->gen_start[model->generator_sets];
    fy_arena scratch = {.ctx = arena->ctx};
    foray_status status = FORAY_ERROR_MEMORY;
    int32_t *first;
    fy_vectors *vectors;
    if (FY_NEW(arena, vectors, 1) && FY_NEW(arena, vectors->slot, generators) &&
        FY_NEW(arena, vectors->start, basis->blocks + 1) &&
        FY_NEW(arena, vectors->scale, basis->blocks) &&
        FY_NEW(arena, vectors->separate, basis->blocks) && FY_NEW(&scratch, first, generators)) {
        vectors->basis = basis;
        for (int64_t g = 0; g < basis->blocks; g++)
            vectors->separate[g] = true;
        status = find_mixtures(&scratch, vectors);
        if (status == FORAY_OK)
            status = find_first(arena->ctx, vectors, first);
        if (status == FORAY_OK)
            status = number_slots(arena, &scratch, vectors, first);
    }
    fy_arena_release(&scratch);
    if (status == FORAY_OK)
        *out = vectors;
    return status;
}
