/* difference.c - see difference.h. */
#include "certify/difference.h"

#include <math.h>
#include <string.h>

/* One of the two policies: what the pass keeps of it, in the place of its own. */
typedef struct side {
    const fy_choices *choices;
    fy_gap_layer now, after;
    double *value; /* [2][states] */
    fy_gap_mean mean;
    double *F, *F_after; /* [states] F(this, the other) */
} side;

struct fy_difference_pass {
    fy_gap_pass *gap;
    side side[2];
    bool both;                 /* there are two policies */
    bool *agree, *agree_after; /* [states] they do the same from here on */
};

static bool allocate_side(fy_arena *arena, const fy_gap_pass *gap, side *one)
{
    const foray_model *model = gap->model;
    int64_t S = model->states;
    return fy_gap_allocate_layer(arena, &one->now, S, gap->unknowns, gap->third) &&
           fy_gap_allocate_layer(arena, &one->after, S, gap->unknowns, gap->third) &&
           FY_NEW(arena, one->value, 2 * S) && fy_gap_mean_allocate(arena, gap, &one->mean) &&
           FY_NEW(arena, one->F, S) && FY_NEW(arena, one->F_after, S);
}

foray_status fy_difference_create(fy_arena *arena, fy_gap_pass *gap, fy_difference_pass **out)
{
    fy_difference_pass *pass;
    if (!FY_NEW(arena, pass, 1) || !allocate_side(arena, gap, &pass->side[0]) ||
        !allocate_side(arena, gap, &pass->side[1]) ||
        !FY_NEW(arena, pass->agree, gap->model->states) ||
        !FY_NEW(arena, pass->agree_after, gap->model->states))
        return FORAY_ERROR_MEMORY;
    pass->gap = gap;
    *out = pass;
    return FORAY_OK;
}

/* The pass with a side's layers and values in the place of its own, and back. */
static void exchange(fy_gap_pass *gap, side *one)
{
    fy_gap_layer now = gap->now, after = gap->after;
    double *value = gap->value;
    gap->now = one->now;
    gap->after = one->after;
    gap->value = one->value;
    one->now = now;
    one->after = after;
    one->value = value;
}

/* ------------------------------------------------------------------ one state */

static void keep_state(fy_gap_pass *gap, int64_t t, int64_t s, const fy_gap_mean *mean)
{
    fy_gap_layer *now = &gap->now;
    int64_t U = gap->unknowns;
    memcpy(now->J + s * U, mean->J, (size_t)U * sizeof *now->J);
    fy_gap_at(gap, gap->value, t)[s] = mean->V;
    now->J_sum[s] = fy_gap_block_norm(gap, mean->J, 1);
    now->A[s] = mean->A;
    now->F[s] = mean->F;
    now->off[s] = mean->off;
    double max = gap->set->laws ? fy_gap_max_error(gap, t) + now->J_sum[s] : INFINITY;
    now->E[s] = fmin(fy_gap_mean_E(gap, mean), max);
}

static void value_state(fy_gap_pass *gap, int64_t t, int64_t s, side *one, bool over)
{
    exchange(gap, one);
    if (over) {
        fy_gap_end_state(gap, t, s);
    } else {
        fy_gap_mean_of(gap, t, fy_gap_at(gap, gap->value, t + 1), s, one->choices, &one->mean);
        keep_state(gap, t, s, &one->mean);
    }
    exchange(gap, one);
}

/* The same actions, bit for bit, and whatever follows them is the same too. */
static bool do_agree(const fy_difference_pass *pass)
{
    const fy_gap_mean *a = &pass->side[0].mean, *b = &pass->side[1].mean;
    if (a->support != b->support ||
        memcmp(a->pair, b->pair, (size_t)a->support * sizeof *a->pair) != 0 ||
        memcmp(a->weight, b->weight, (size_t)a->support * sizeof *a->weight) != 0)
        return false;
    for (int64_t i = 0; i < a->count; i++)
        if (!pass->agree_after[a->next[i]])
            return false;
    return true;
}

static void compare_state(fy_difference_pass *pass, int64_t t, int64_t s, bool over)
{
    fy_gap_pass *gap = pass->gap;
    side *a = &pass->side[0], *b = &pass->side[1];
    pass->agree[s] = over || do_agree(pass);
    a->F[s] = b->F[s] = 0;
    if (pass->agree[s])
        return;
    double left = (double)(gap->model->horizon - t);
    double apart = fy_gap_mean_apart(gap, &a->mean, &b->mean) +
                   fy_gap_mean_rounding(gap, &a->mean, &b->mean, left);
    a->F[s] = apart + fy_gap_mean_spill(gap, &a->mean, &b->mean, b->after.E) +
              fy_gap_mean_upper(gap, &a->mean, a->F_after);
    b->F[s] = apart + fy_gap_mean_spill(gap, &a->mean, &b->mean, a->after.E) +
              fy_gap_mean_upper(gap, &b->mean, b->F_after);
}

/* ------------------------------------------------------------------- the pass */

static void begin_side(fy_difference_pass *pass, const foray_reward *reward, side *one)
{
    int64_t S = pass->gap->model->states;
    exchange(pass->gap, one);
    fy_gap_begin(pass->gap, reward);
    exchange(pass->gap, one);
    memset(one->F_after, 0, (size_t)S * sizeof *one->F_after);
    for (int64_t s = 0; s < S; s++)
        pass->agree_after[s] = true;
}

static void next_step(fy_difference_pass *pass)
{
    for (int i = 0; i < 2; i++) {
        side *one = &pass->side[i];
        fy_gap_layer swap = one->now;
        one->now = one->after;
        one->after = swap;
        double *F = one->F;
        one->F = one->F_after;
        one->F_after = F;
    }
    bool *agree = pass->agree;
    pass->agree = pass->agree_after;
    pass->agree_after = agree;
}

static void pass_step(fy_difference_pass *pass, int64_t t)
{
    fy_gap_pass *gap = pass->gap;
    const double *fixed = gap->layout.reward.fixed;
    for (int64_t s = 0; s < gap->model->states; s++) {
        bool over = fixed && !isnan(fixed[s]);
        if (s % FY_STATES_PER_QUESTION == 0 && fy_stopped(gap->set->kernel->ctx))
            return;
        if (gap->earliest[s] > t)
            continue;
        value_state(gap, t, s, &pass->side[0], over);
        if (!pass->both)
            continue;
        value_state(gap, t, s, &pass->side[1], over);
        compare_state(pass, t, s, over);
    }
}

static void run_pass(fy_difference_pass *pass, const foray_reward *reward)
{
    foray_context *ctx = pass->gap->set->kernel->ctx;
    int64_t H = pass->gap->model->horizon;
    for (int i = 0; i < (pass->both ? 2 : 1); i++)
        begin_side(pass, reward, &pass->side[i]);
    for (int64_t t = H - 1; t >= 0 && !fy_stopped(ctx); t--) {
        fy_progress_step(ctx, H - 1 - t, H);
        pass_step(pass, t);
        next_step(pass);
    }
}

/* ---------------------------------------------------------------- at the start */

/* What rounding can have done to value and J of a first state. */
static double rounding_of(const fy_gap_pass *gap, const fy_gap_layer *layer, int32_t s)
{
    const fy_basis *basis = gap->set->basis;
    double n = (double)(basis->max_generators + gap->model->actions);
    double d = (double)basis->max_dim, left = (double)gap->model->horizon;
    double sizes = sqrt(gap->blocks) * layer->A[s] + layer->F[s] + layer->E[s];
    return layer->off[s] + (sizes > 0 ? FY_UNDERFLOW : 0) +
           FY_UNIT * (4 * (d + 1) * gap->set->kappa_factor + 4 * (n + 4) * left) * sizes;
}

static void sum_up_side(const fy_difference_pass *pass, const side *one, fy_worth *out)
{
    const fy_gap_pass *gap = pass->gap;
    const foray_model *model = gap->model;
    out->value = out->E = 0;
    memset(out->J, 0, (size_t)gap->unknowns * sizeof *out->J);
    for (int64_t i = 0; i < model->initials; i++) {
        int32_t s = model->initial_state[i];
        double mu = model->initial_probability[i];
        out->value += mu * one->value[s];
        out->E += mu * (one->after.E[s] + rounding_of(gap, &one->after, s));
        for (int64_t k = 0; k < gap->unknowns; k++)
            out->J[k] += mu * one->after.J[s * gap->unknowns + k];
    }
}

double fy_difference_norm(const fy_difference_pass *pass, const double *v)
{
    return fy_gap_block_norm(pass->gap, v, 1);
}

void fy_worth_of(fy_difference_pass *pass, const foray_reward *reward, const fy_choices *policy,
                 fy_worth *out)
{
    pass->both = false;
    pass->side[0].choices = policy;
    run_pass(pass, reward);
    sum_up_side(pass, &pass->side[0], out);
}

double fy_worth_of_two(fy_difference_pass *pass, const foray_reward *reward, const fy_choices *a,
                       const fy_choices *b, fy_worth *of_a, fy_worth *of_b)
{
    const foray_model *model = pass->gap->model;
    double F = 0, G = 0, off = 0;
    pass->both = true;
    pass->side[0].choices = a;
    pass->side[1].choices = b;
    run_pass(pass, reward);
    sum_up_side(pass, &pass->side[0], of_a);
    sum_up_side(pass, &pass->side[1], of_b);
    for (int64_t i = 0; i < model->initials; i++) {
        int32_t s = model->initial_state[i];
        double mu = model->initial_probability[i];
        F += mu * pass->side[0].F_after[s];
        G += mu * pass->side[1].F_after[s];
        if (!pass->agree_after[s])
            off += mu * (rounding_of(pass->gap, &pass->side[0].after, s) +
                         rounding_of(pass->gap, &pass->side[1].after, s));
    }
    bool exact = pass->gap->zeta == 0; /* F knows nothing of errors of features */
    return fmin(of_a->E + of_b->E, exact ? fmin(F, G) + off : INFINITY);
}
