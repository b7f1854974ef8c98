/* finish.c - from a builder's entries to the parts of a model. */
#include "model/pair_features.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What finishing makes of the entries; released at its end. */
typedef struct arrays {
    int64_t *pair_start; /* [pairs+1] entries of each pair */
    fy_entry *entry;     /* sorted by pair, successor, coordinate */
    double *sum;         /* mixture: [dim] probability a simulator has given away */
    int64_t *succ_start; /* [pairs+1] and so on: see fy_model_parts */
    int32_t *succ;
    int64_t *feat_start;
    int32_t *feat_index;
    double *feat_value;
    double *theta;
    fy_pair_rows phi;
} arrays;

static int compare_entries(const void *left, const void *right)
{
    const fy_entry *a = left, *b = right;
    if (a->next != b->next)
        return a->next < b->next ? -1 : 1;
    if (a->coordinate != b->coordinate)
        return a->coordinate < b->coordinate ? -1 : 1;
    return (a->call > b->call) - (a->call < b->call);
}

/* Counting sort by pair, then the few entries of each pair among themselves. */
static void sort_entries(const foray_builder *builder, int64_t pairs, arrays *a)
{
    int64_t *start = a->pair_start;
    for (int64_t k = 0; k < builder->entries; k++)
        start[builder->entry[k].pair + 1]++;
    for (int64_t pair = 0; pair < pairs; pair++)
        start[pair + 1] += start[pair];
    for (int64_t k = 0; k < builder->entries; k++)
        a->entry[start[builder->entry[k].pair]++] = builder->entry[k];
    for (int64_t pair = pairs; pair > 0; pair--)
        start[pair] = start[pair - 1];
    start[0] = 0;
    for (int64_t pair = 0; pair < pairs; pair++)
        qsort(a->entry + start[pair], (size_t)(start[pair + 1] - start[pair]), sizeof *a->entry,
              compare_entries);
}

/* ----------------------------------------------------------- checks by kind */

/* Two entries of one pair with one successor: did somebody say something twice? */
static foray_status check_double(const foray_builder *builder, const fy_entry *first,
                                 const fy_entry *second)
{
    if (builder->kind == FY_MIXTURE && first->coordinate == second->coordinate)
        return fy_fail(builder->ctx, FORAY_ERROR_INPUT,
                       FY_AT_PAIR ", simulator %d: successor %d is given twice",
                       FY_PAIR(builder, first->pair), first->coordinate, first->next);
    bool feature_twice = builder->kind == FY_FEATURES && first->call != second->call;
    if (feature_twice || builder->kind == FY_TABULAR)
        return fy_fail(builder->ctx, FORAY_ERROR_INPUT, FY_AT_PAIR ": successor %d is given twice",
                       FY_PAIR(builder, first->pair), first->next);
    return FORAY_OK;
}

/* Each simulator is a kernel: its probabilities sum to one at every pair. */
static foray_status check_simulators(const foray_builder *builder, int64_t pair, arrays *a)
{
    memset(a->sum, 0, (size_t)builder->dim * sizeof *a->sum);
    for (int64_t k = a->pair_start[pair]; k < a->pair_start[pair + 1]; k++)
        a->sum[a->entry[k].coordinate] += a->entry[k].value;
    for (int64_t i = 0; i < builder->dim; i++)
        if (!(fabs(a->sum[i] - 1) <= FY_MODEL_TOLERANCE))
            return fy_fail(builder->ctx, FORAY_ERROR_INPUT,
                           FY_AT_PAIR ", simulator %" PRId64
                                      ": the probabilities sum to %.12g, not to 1",
                           FY_PAIR(builder, pair), i, a->sum[i]);
    return FORAY_OK;
}

static foray_status check_entries(const foray_builder *builder, int64_t pair, arrays *a)
{
    const fy_entry *first = a->entry + a->pair_start[pair];
    const fy_entry *end = a->entry + a->pair_start[pair + 1];
    for (const fy_entry *e = first + 1; e < end; e++) {
        if (builder->kind == FY_CLASSES && e->call != first->call)
            return fy_fail(builder->ctx, FORAY_ERROR_INPUT,
                           FY_AT_PAIR ": its outcomes are given twice", FY_PAIR(builder, pair));
        foray_status status = e->next == e[-1].next ? check_double(builder, e - 1, e) : FORAY_OK;
        if (status != FORAY_OK)
            return status;
    }
    return builder->kind == FY_MIXTURE && first < end ? check_simulators(builder, pair, a)
                                                      : FORAY_OK;
}

static foray_status check_laws(const foray_builder *builder)
{
    for (int64_t c = 0; c < builder->classes && builder->theta_given; c++)
        if (!builder->law_given[c])
            return fy_fail(builder->ctx, FORAY_ERROR_INPUT,
                           "class %" PRId64 " has no law, but other classes have one", c);
    return FORAY_OK;
}

/* ------------------------------------------------------------------- layout */

/* Tabular: successor k is the outcome of coordinate k; phi = 1/sqrt(q), theta = sqrt(q) p. */
static void lay_out_table(int64_t pair, arrays *a)
{
    int64_t start = a->pair_start[pair], end = a->pair_start[pair + 1];
    double root = sqrt((double)(end - start));
    for (int64_t k = start; k < end; k++) {
        a->succ[k] = a->entry[k].next;
        a->feat_index[k] = (int32_t)k;
        a->feat_value[k] = 1 / root;
        a->theta[k] = root * a->entry[k].value;
        a->feat_start[k + 1] = k + 1;
    }
    a->succ_start[pair + 1] = end;
}

/* The others: entries with one successor are its feature vector. */
static void lay_out_features(const foray_builder *builder, int64_t pair, arrays *a)
{
    double root = builder->kind == FY_MIXTURE ? sqrt((double)builder->dim) : 1;
    int64_t succ = a->succ_start[pair], feature = a->feat_start[succ];
    for (int64_t k = a->pair_start[pair]; k < a->pair_start[pair + 1]; k++) {
        const fy_entry *e = &a->entry[k];
        if (k == a->pair_start[pair] || e->next != e[-1].next)
            a->succ[succ++] = e->next;
        if (e->coordinate >= 0) {
            a->feat_index[feature] = e->coordinate;
            a->feat_value[feature++] = e->value / root;
        }
        a->feat_start[succ] = feature;
    }
    a->succ_start[pair + 1] = succ;
}

static foray_status lay_out(const foray_builder *builder, int64_t pairs, arrays *a)
{
    sort_entries(builder, pairs, a);
    for (int64_t pair = 0; pair < pairs; pair++) {
        foray_status status = check_entries(builder, pair, a);
        if (status != FORAY_OK)
            return status;
        if (builder->kind == FY_TABULAR)
            lay_out_table(pair, a);
        else
            lay_out_features(builder, pair, a);
    }
    return FORAY_OK;
}

/* ------------------------------------------------------------------- finish */

static bool allocate(const foray_builder *builder, int64_t pairs, arrays *a)
{
    foray_context *ctx = builder->ctx;
    int64_t entries = builder->entries;
    return FY_ALLOC(ctx, a->pair_start, pairs + 1) && FY_ALLOC(ctx, a->entry, entries) &&
           (builder->kind != FY_MIXTURE || FY_ALLOC(ctx, a->sum, builder->dim)) &&
           FY_ALLOC(ctx, a->succ_start, pairs + 1) && FY_ALLOC(ctx, a->succ, entries) &&
           FY_ALLOC(ctx, a->feat_start, entries + 1) && FY_ALLOC(ctx, a->feat_index, entries) &&
           FY_ALLOC(ctx, a->feat_value, entries) &&
           (builder->kind != FY_TABULAR || FY_ALLOC(ctx, a->theta, entries));
}

static foray_status assemble(const foray_builder *builder, const arrays *a, foray_model **out)
{
    static const int32_t first_state = 0;
    static const double certain = 1;
    bool tabular = builder->kind == FY_TABULAR;
    const double *theta = tabular ? a->theta : builder->theta_given ? builder->theta : NULL;
    bool start_given = builder->initials > 0;
    fy_model_parts parts = {
        .name = builder->name,
        .states = builder->states,
        .actions = builder->actions,
        .horizon = builder->horizon,
        .dim = tabular ? builder->entries : builder->dim,
        .norm_bound = tabular ? sqrt((double)builder->entries) : builder->norm_bound,
        .feature_error = builder->feature_error,
        .feature_delta = builder->feature_delta,
        .nonnegative = builder->kind != FY_FEATURES,
        .available = builder->available,
        .succ_start = a->succ_start,
        .succ = a->succ,
        .feat_start = a->feat_start,
        .feat_index = a->feat_index,
        .feat_value = a->feat_value,
        .theta = builder->theta_forgotten ? NULL : theta,
        .pair_dim = builder->pair_dim,
        .pair_start = a->phi.start,
        .pair_index = a->phi.index,
        .pair_value = a->phi.value,
        .initials = start_given ? builder->initials : 1,
        .initial_state = start_given ? builder->initial_state : &first_state,
        .initial_probability = start_given ? builder->initial_probability : &certain,
        .state_names = builder->state_names,
        .action_names = builder->action_names,
        .grid_rows = builder->grid_rows,
        .grid_cols = builder->grid_cols,
        .cell_row = builder->cell_row,
        .cell_col = builder->cell_col,
    };
    return fy_model_assemble(builder->ctx, &parts, out);
}

foray_status foray_builder_finish(foray_builder *builder, foray_model **out)
{
    int64_t pairs = builder->states * builder->actions;
    if (builder->failure != FORAY_OK)
        return fy_fail(builder->ctx, builder->failure, "%s", builder->message);
    if (builder->entries == 0)
        return fy_fail(builder->ctx, FORAY_ERROR_INPUT, "an empty model: no successor is given");
    foray_status status = check_laws(builder);
    if (status != FORAY_OK)
        return status;
    arrays a = {0};
    status = allocate(builder, pairs, &a) ? lay_out(builder, pairs, &a) : FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status = fy_pair_features_rows(builder, &a.phi);
    if (status == FORAY_OK)
        status = assemble(builder, &a, out);
    free(a.pair_start);
    free(a.entry);
    free(a.sum);
    free(a.succ_start);
    free(a.succ);
    free(a.feat_start);
    free(a.feat_index);
    free(a.feat_value);
    free(a.theta);
    fy_pair_rows_free(&a.phi);
    return status;
}
