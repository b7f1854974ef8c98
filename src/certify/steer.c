/* steer.c - see steer.h. Two passes of the certificate for each reward: the first says which
 * choices attain D, w flows along them from mu, and the second adds up directions where w is. */
#include "certify/steer.h"
#include "certify/gap_pass.h"

#include <math.h>
#include <string.h>

struct fy_steer {
    const fy_certifier *certifier;
    fy_layout layout;
    double *value;    /* [2][states] */
    int32_t *action;  /* [horizon][states] the plug-in plan */
    fy_gap_path path; /* of its certificate */
    double *flow[2];  /* [2][states] of V_bar and of V_low: now and after */
    double *next[2];
    int64_t *at; /* [blocks+1] */
    double *Y;   /* d_g^2 numbers for every block */
    double *rho; /* [generator_sets] */
};

/* ----------------------------------------------------------------------- memory */

foray_status fy_steer_create(fy_arena *arena, fy_certifier *certifier, fy_steer **out)
{
    const foray_model *model = certifier->model;
    const fy_basis *basis = model->basis;
    size_t entries, numbers = 0, square;
    fy_steer *steer;
    if (!FY_NEW(arena, steer, 1) || !FY_NEW(arena, steer->at, basis->blocks + 1))
        return FORAY_ERROR_MEMORY;
    for (int64_t g = 0; g < basis->blocks; g++) {
        size_t d = (size_t)basis->block[g].dim;
        if (!fy_size_mul(d, d, &square) || square > SIZE_MAX / 16 - numbers)
            return fy_fail(arena->ctx, FORAY_ERROR_MEMORY, "a law is too large for memory");
        numbers += square;
        steer->at[g + 1] = (int64_t)numbers;
    }
    if (!fy_size_mul((size_t)model->horizon + 1, (size_t)model->states, &entries))
        return FORAY_ERROR_MEMORY;
    steer->certifier = certifier;
    if (!FY_NEW(arena, steer->value, 2 * model->states) || !FY_NEW(arena, steer->action, entries) ||
        !FY_NEW(arena, steer->path.choice, entries) || !FY_NEW(arena, steer->path.way, entries) ||
        !FY_NEW(arena, steer->path.weight, entries) || !FY_NEW(arena, steer->path.high, entries) ||
        !FY_NEW(arena, steer->path.low, entries) || !FY_NEW(arena, steer->Y, numbers) ||
        !FY_NEW(arena, steer->rho, model->generator_sets))
        return FORAY_ERROR_MEMORY;
    for (int side = 0; side < 2; side++)
        if (!FY_NEW(arena, steer->flow[side], model->states) ||
            !FY_NEW(arena, steer->next[side], model->states))
            return FORAY_ERROR_MEMORY;
    steer->path.steer = steer;
    *out = steer;
    return fy_layout_create(arena, model, true, &steer->layout);
}

void fy_steer_begin(fy_steer *steer)
{
    int64_t blocks = steer->certifier->model->basis->blocks;
    memset(steer->Y, 0, (size_t)steer->at[blocks] * sizeof *steer->Y);
}

/* -------------------------------------------------------------------- directions */

/* Y_g += weight v v'/||v||^2. */
static void add_direction(fy_steer *steer, int64_t g, double weight, const double *v)
{
    int64_t d = steer->certifier->model->basis->block[g].dim;
    double *Y = steer->Y + steer->at[g], square = 0;
    for (int64_t i = 0; i < d; i++)
        square += v[i] * v[i];
    if (!(square > 0) || !(weight > 0) || !isfinite(weight / square))
        return;
    for (int64_t i = 0; i < d; i++)
        for (int64_t k = 0; k < d; k++)
            Y[i * d + k] += weight / square * v[i] * v[k];
}

/* What another action may be better by: its part in each block of dJ, or in the law of either
 * action where there is no dJ. */
static void add_advantage(fy_gap_pass *gap, fy_steer *steer, double weight)
{
    const int64_t *at = gap->set->ridge->at_vector;
    const double *dJ = gap->other.J;
    double total = fy_gap_block_norm(gap, dJ, 1);
    for (int64_t g = 0; g < gap->set->basis->blocks && total > 0; g++) {
        double square = 0;
        for (int64_t i = at[g]; i < at[g + 1]; i++)
            square += dJ[i] * dJ[i];
        add_direction(steer, g, weight * sqrt(square) / total, dJ + at[g]);
    }
}

/* The second pass, in a state that w gets to: other.J is dJ. */
void fy_steer_add_state(fy_gap_pass *gap, double weight, bool other, double D)
{
    fy_steer *steer = gap->path->steer;
    const fy_gap_action *law = other ? &gap->other : &gap->mine;
    double expected = 0, upper = fy_gap_upper_mean(gap, law, gap->after.D);
    for (int64_t j = 0; j < law->n; j++)
        expected += law->p[j] * gap->after.D[law->next[j]];
    if (upper > 0) /* which left sum_j x_j D(s_j) there */
        add_direction(steer, law->block, weight * fmax(0, upper - expected), gap->sum);
    if (other)
        add_advantage(gap, steer, weight * (D - upper - (gap->other.Q - gap->mine.Q)));
}

/* ------------------------------------------------------------------------ w flows */

/* From (s,a) under the centre. */
static void flow_on(const fy_gap_pass *gap, int64_t pair, double weight, double *next)
{
    const foray_model *model = gap->model;
    const double *p = gap->set->p + model->gen_start[model->generator_set[pair]];
    for (int64_t j = model->succ_start[pair]; j < model->succ_start[pair + 1]; j++)
        next[model->succ[j]] += weight * fmax(0, p[j - model->succ_start[pair]]);
}

/* Q_bar's best action. */
static int64_t highest_pair(fy_gap_pass *gap, int64_t t, int64_t s)
{
    const foray_model *model = gap->model;
    const double *V = gap->path->high + (t + 1) * model->states;
    int64_t best = -1;
    double most = -INFINITY;
    for (int64_t pair = s * model->actions; pair < (s + 1) * model->actions; pair++) {
        double Q = fy_available(model, pair) ? fy_gap_bound_ahead(gap, t, V, pair, 1) : -INFINITY;
        if (Q > most) {
            most = Q;
            best = pair;
        }
    }
    return best;
}

/* V_bar (sign 1) or V_low in one state that w gets to: what the law adds to the mean, or takes. */
static void flow_value(fy_gap_pass *gap, fy_steer *steer, int64_t t, int64_t s, int sign)
{
    const foray_model *model = gap->model;
    const double *all = sign > 0 ? gap->path->high : gap->path->low;
    const double *V = all + (t + 1) * model->states;
    int side = sign < 0;
    double weight = steer->flow[side][s];
    int64_t pair = sign > 0 ? highest_pair(gap, t, s)
                            : s * model->actions + steer->action[t * model->states + s];
    fy_gap_bound_ahead(gap, t, V, pair, sign);
    const fy_gap_action *law =
        &gap->ahead; /* whose targets have the sign; their vector is in sum */
    double mean = law->reward;
    for (int64_t j = 0; j < law->n; j++)
        mean += sign * law->p[j] * law->target[j];
    double bonus = fmax(0, sign * (all[t * model->states + s] - mean));
    add_direction(steer, law->block, weight * bonus, gap->sum);
    flow_on(gap, pair, weight, steer->next[side]);
}

static void flow_state(fy_gap_pass *gap, fy_steer *steer, int64_t t, int64_t s)
{
    const foray_model *model = gap->model;
    const fy_gap_path *path = gap->path;
    int64_t at = t * model->states + s;
    double weight = path->weight[at];
    bool settled = path->way[at] == FY_WAY_NONE, ranges = path->way[at] == FY_WAY_RANGE;
    if (weight > 0 && !settled && !ranges && t + 1 < model->horizon)
        flow_on(gap, s * model->actions + path->choice[at], weight,
                path->weight + (t + 1) * model->states);
    for (int side = 0; side < 2; side++) {
        steer->flow[side][s] += ranges ? weight : 0;
        if (steer->flow[side][s] > 0)
            flow_value(gap, steer, t, s, side == 0 ? 1 : -1);
    }
}

/* From mu forwards. */
static void flow(fy_gap_pass *gap, fy_steer *steer)
{
    const foray_model *model = gap->model;
    const double *fixed = gap->layout.reward.fixed;
    size_t row = (size_t)model->states * sizeof(double);
    memset(gap->path->weight, 0, (size_t)model->horizon * row);
    for (int64_t i = 0; i < model->initials; i++)
        gap->path->weight[model->initial_state[i]] += model->initial_probability[i];
    for (int side = 0; side < 2; side++)
        memset(steer->flow[side], 0, row);
    for (int64_t t = 0; t < model->horizon && !fy_stopped(gap->set->kernel->ctx); t++) {
        for (int side = 0; side < 2; side++)
            memset(steer->next[side], 0, row);
        for (int64_t s = 0; s < model->states; s++)
            if (gap->earliest[s] <= t && (!fixed || isnan(fixed[s])))
                flow_state(gap, steer, t, s);
        for (int side = 0; side < 2; side++) {
            double *swap = steer->flow[side];
            steer->flow[side] = steer->next[side];
            steer->next[side] = swap;
        }
    }
}

/* ------------------------------------------------------------------------- rewards */

double fy_steer_add(fy_steer *steer, const foray_reward *reward, int ties, double enough)
{
    const fy_certifier *certifier = steer->certifier;
    fy_gap_pass *gap = certifier->gap;
    double value;
    fy_layout_set(&steer->layout, reward);
    fy_plan(&(fy_plan_task){.kernel = certifier->inside->kernel,
                            .reward = steer->layout.reward,
                            .lanes = 1,
                            .clip = FORAY_CLIP_REMAINING,
                            .ties = ties,
                            .layers = 2,
                            .value = steer->value,
                            .policy = steer->action},
            &value);
    steer->path.weighed = false;
    gap->path = &steer->path;
    fy_gap_result result = fy_gap_certify(gap, reward, steer->action);
    if (result.gap > enough) {
        flow(gap, steer);
        steer->path.weighed = true;
        if (gap->unknowns > 0)
            fy_gap_certify(gap, reward, steer->action);
    }
    gap->path = NULL;
    return result.gap;
}

/* sum_j x_j' Y x_j / p_j and sum_j ||x_j||^2 / p_j; where some p_j is not positive, which
 * regressions may say, all are 1/n. */
static double quadratic(const fy_steer *steer, int64_t i, double *size)
{
    const fy_confidence *set = steer->certifier->set, *inside = steer->certifier->inside;
    const foray_model *model = set->basis->model;
    int64_t g = set->basis->block_of_generator_set[i], d = set->basis->block[g].dim;
    int64_t n = fy_generator_set_size(model, i);
    const double *p = inside->p + model->gen_start[i], *Y = steer->Y + steer->at[g];
    bool law = true;
    double total = 0;
    *size = 0;
    for (int64_t j = 0; j < n; j++)
        law = law && p[j] > 0;
    for (int64_t j = 0; j < n; j++) {
        const double *x = set->x + set->at_x[i] + j * d;
        double form = 0, square = 0, share = law ? p[j] : 1 / (double)n;
        for (int64_t r = 0; r < d; r++) {
            double row = 0;
            for (int64_t c = 0; c < d; c++)
                row += Y[r * d + c] * x[c];
            form += x[r] * row;
            square += x[r] * x[r];
        }
        total += form / share;
        *size += square / share;
    }
    return total;
}

bool fy_steer_reward(fy_steer *steer, double *rho)
{
    const foray_model *model = steer->certifier->model;
    const double *kappa2 = fy_all_rewards_kappa2(steer->certifier->all);
    double most = 0;
    for (int64_t i = 0; i < model->generator_sets; i++) {
        double size, form = quadratic(steer, i, &size);
        steer->rho[i] = form / fmax(1, isfinite(kappa2[i]) ? kappa2[i] : size);
        most = fmax(most, steer->rho[i]);
    }
    for (int64_t pair = 0; pair < model->pairs; pair++)
        rho[pair] = most > 0 ? steer->rho[model->generator_set[pair]] / most : 0;
    return most > 0 && isfinite(most);
}

void fy_steer_shares(const fy_steer *steer, double *share)
{
    const fy_basis *basis = steer->certifier->model->basis;
    for (int64_t g = 0; g < basis->blocks; g++) {
        share[g] = 0;
        for (int64_t i = 0; i < basis->block[g].dim; i++)
            share[g] += steer->Y[steer->at[g] + i * (basis->block[g].dim + 1)];
    }
}
