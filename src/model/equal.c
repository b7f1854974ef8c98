/* equal.c - when are two models one and the same? */
#include <string.h>

#include "model/model.h"

/* A model is laid out in one canonical order, so that equal models have equal arrays. */
static bool same_array(const void *one, const void *other, int64_t count, size_t size)
{
    if (!one || !other)
        return one == other;
    return memcmp(one, other, (size_t)count * size) == 0;
}

static bool same_sizes(const foray_model *a, const foray_model *b)
{
    return a->open == b->open && a->states == b->states && a->actions == b->actions &&
           a->horizon == b->horizon && a->dim == b->dim && a->generator_sets == b->generator_sets &&
           a->initials == b->initials && a->feature_error == b->feature_error &&
           a->feature_delta == b->feature_delta && a->nonnegative == b->nonnegative &&
           same_array(&a->norm_bound, &b->norm_bound, 1, sizeof a->norm_bound);
}

static bool same_initial(const foray_model *a, const foray_model *b)
{
    return a->absorbings == b->absorbings &&
           same_array(a->absorbing, b->absorbing, a->absorbings, sizeof *a->absorbing) &&
           same_array(a->initial_state, b->initial_state, a->initials, sizeof *a->initial_state) &&
           same_array(a->initial_probability, b->initial_probability, a->initials,
                      sizeof *a->initial_probability);
}

/* The arrays that say how long the others are come first. */
static bool same_successors(const foray_model *a, const foray_model *b)
{
    return same_array(a->stand_in, b->stand_in, a->pairs, sizeof *a->stand_in) &&
           same_array(a->succ_start, b->succ_start, a->pairs + 1, sizeof *a->succ_start) &&
           same_array(a->succ, b->succ, a->succ_start[a->pairs], sizeof *a->succ) &&
           same_array(a->generator_set, b->generator_set, a->pairs, sizeof *a->generator_set);
}

static bool same_features(const foray_model *a, const foray_model *b)
{
    if (!same_array(a->gen_start, b->gen_start, a->generator_sets + 1, sizeof *a->gen_start))
        return false;
    int64_t generators = a->gen_start[a->generator_sets];
    if (!same_array(a->feat_start, b->feat_start, generators + 1, sizeof *a->feat_start))
        return false;
    int64_t features = a->feat_start[generators];
    return same_array(a->feat_index, b->feat_index, features, sizeof *a->feat_index) &&
           same_array(a->feat_value, b->feat_value, features, sizeof *a->feat_value) &&
           same_array(a->theta, b->theta, a->dim, sizeof *a->theta);
}

static bool same_pair_features(const foray_model *a, const foray_model *b)
{
    if (a->pair_dim != b->pair_dim || a->pair_dim == 0)
        return a->pair_dim == b->pair_dim;
    if (!same_array(a->pair_start, b->pair_start, a->pairs + 1, sizeof *a->pair_start))
        return false;
    int64_t count = a->pair_start[a->pairs];
    return same_array(a->pair_index, b->pair_index, count, sizeof *a->pair_index) &&
           same_array(a->pair_value, b->pair_value, count, sizeof *a->pair_value);
}

bool foray_model_equal(const foray_model *one, const foray_model *other)
{
    return same_sizes(one, other) && same_initial(one, other) && same_successors(one, other) &&
           same_features(one, other) && same_pair_features(one, other);
}
