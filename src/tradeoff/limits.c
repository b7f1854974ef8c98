/* limits.c - see limits.h. The simplex method on m+1 rows whose entering column is found by
 * planning:
 *
 *     sum_k mu_k v_ki - s_i [- t] = c_i + tight_i,   sum_k mu_k = 1,   mu, s >= 0
 *
 * first for the largest t, the mixture that is farthest within the limits (*safe*), then with t = 0
 * for the largest sum_k mu_k v_k0 (*best*). Limits that the best mixture keeps under the estimate
 * only are tightened by what is uncertain of it; the last of it is mixed from both. All values are
 * of u_i/scale_i. */
#include "tradeoff/limits.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 6, PIVOTS_PER_ROW = 400 };

/* What a column must gain to enter, how large a pivot is, and what counts as 0 of t. */
static const double gains = 1e-9, pivot_size = 1e-11, reached = 1e-9;

/* What is basic: a policy of the pool, the slack of a limit, or t. */
typedef struct column {
    enum { POLICY, SLACK, DISTANCE } kind;
    int64_t which;
} column;

typedef struct simplex {
    fy_limits *of;
    int64_t rows;    /* m + 1 */
    column *basis;   /* [rows] */
    double *inverse; /* [rows][rows] of the basis */
    double *x;       /* [rows] values of what is basic */
    double *right;   /* [rows] c + tight, and 1 */
    double *y;       /* [rows] duals: lambda = -y_1..m, sigma = y_{m+1} */
    double *enters;  /* [rows] a column, and */
    double *moves;   /* [rows] what the basis does when it enters */
    double *scratch; /* [rows][2 rows] */
    double *weight;  /* [m+1] for the weigher */
    double *lambda;  /* [m] */
    bool best;       /* phase 2: values of r_0 count */
    bool ends;       /* phase 1 of *best*: t ends at 0 */
} simplex;

/* ------------------------------------------------------------------ the method's parts */

static double value_of(const fy_limits *of, int64_t k, int64_t i)
{
    return of->policy[k].value[i] / of->weigher->scale[i];
}

static void column_of(const simplex *lp, column what, double *out)
{
    int64_t m = lp->of->m;
    for (int64_t i = 0; i < m; i++)
        out[i] = what.kind == POLICY     ? value_of(lp->of, what.which, i + 1)
                 : what.kind == DISTANCE ? -1
                                         : -(double)(what.which == i);
    out[m] = what.kind == POLICY;
}

static double cost_of(const simplex *lp, column what)
{
    if (what.kind == DISTANCE)
        return lp->best ? 0 : 1;
    return what.kind == POLICY && lp->best ? value_of(lp->of, what.which, 0) : 0;
}

/* The inverse of the basis, by Gauss-Jordan; false: it is singular. */
static bool invert_basis(simplex *lp)
{
    int64_t n = lp->rows, wide = 2 * n;
    double *a = lp->scratch;
    for (int64_t j = 0; j < n; j++) {
        column_of(lp, lp->basis[j], lp->enters);
        for (int64_t i = 0; i < n; i++) {
            a[i * wide + j] = lp->enters[i];
            a[i * wide + n + j] = i == j;
        }
    }
    for (int64_t c = 0; c < n; c++) {
        int64_t best = c;
        for (int64_t r = c + 1; r < n; r++)
            best = fabs(a[r * wide + c]) > fabs(a[best * wide + c]) ? r : best;
        double pivot = a[best * wide + c];
        if (!(fabs(pivot) > DBL_MIN))
            return false;
        for (int64_t j = 0; j < wide; j++) {
            double kept = a[c * wide + j];
            a[c * wide + j] = a[best * wide + j] / pivot;
            if (best != c)
                a[best * wide + j] = kept;
        }
        for (int64_t r = 0; r < n; r++) {
            double times = a[r * wide + c];
            for (int64_t j = 0; j < wide && r != c && times != 0; j++)
                a[r * wide + j] -= times * a[c * wide + j];
        }
    }
    for (int64_t i = 0; i < n; i++)
        memcpy(lp->inverse + i * n, a + i * wide + n, (size_t)n * sizeof *a);
    return true;
}

static void solve(const simplex *lp, const double *right, double *out)
{
    for (int64_t i = 0; i < lp->rows; i++) {
        out[i] = 0;
        for (int64_t j = 0; j < lp->rows; j++)
            out[i] += lp->inverse[i * lp->rows + j] * right[j];
    }
}

/* x = B^-1 right, y = cost B^-1. */
static bool refresh(simplex *lp)
{
    if (!invert_basis(lp))
        return false;
    solve(lp, lp->right, lp->x);
    for (int64_t j = 0; j < lp->rows; j++) {
        lp->y[j] = 0;
        for (int64_t i = 0; i < lp->rows; i++)
            lp->y[j] += cost_of(lp, lp->basis[i]) * lp->inverse[i * lp->rows + j];
    }
    for (int64_t i = 0; i < lp->of->m; i++)
        lp->lambda[i] = fmax(0, -lp->y[i]);
    return true;
}

static int64_t place_of(const simplex *lp, int kind, int64_t which)
{
    for (int64_t i = 0; i < lp->rows; i++)
        if ((int)lp->basis[i].kind == kind && (kind == DISTANCE || lp->basis[i].which == which))
            return i;
    return -1;
}

/* The weights of r_0 + sum_i lambda_i r_i, or of the sum alone, in the units of the weigher. */
static void weights_of(const fy_limits *of, const double *lambda, bool with_first, double *weight)
{
    weight[0] = with_first ? 1 / of->weigher->scale[0] : 0;
    for (int64_t i = 0; i < of->m; i++)
        weight[i + 1] = lambda[i] / of->weigher->scale[i + 1];
}

/* -------------------------------------------------------------------------- the pool */

static foray_status add_to_pool(fy_limits *of, const int32_t *action)
{
    fy_weighed *grown =
        fy_arena_grow(of->arena, of->policy, &of->room, of->policies + 1, sizeof *grown);
    if (!grown)
        return FORAY_ERROR_MEMORY;
    of->policy = grown;
    foray_status status = fy_weigher_add(of->weigher, action, &grown[of->policies]);
    of->policies += status == FORAY_OK;
    return status;
}

static foray_status plan_into_pool(fy_limits *of, const double *weight)
{
    foray_status status = fy_weigher_set(of->weigher, weight);
    if (status != FORAY_OK)
        return status;
    fy_weigher_plan(of->weigher, of->weigher->room);
    status = fy_weigher_status(of->weigher);
    return status == FORAY_OK ? add_to_pool(of, of->weigher->room) : status;
}

/* v_0 + lambda.v - sigma */
static double gain_of(const simplex *lp, int64_t k)
{
    double gain = (lp->best ? value_of(lp->of, k, 0) : 0) - lp->y[lp->of->m];
    for (int64_t i = 0; i < lp->of->m; i++)
        gain += lp->lambda[i] * value_of(lp->of, k, i + 1);
    return gain;
}

static int64_t best_of_pool(const simplex *lp)
{
    int64_t best = -1;
    double most = gains;
    for (int64_t k = 0; k < lp->of->policies; k++)
        if (gain_of(lp, k) > most && place_of(lp, POLICY, k) < 0) {
            most = gain_of(lp, k);
            best = k;
        }
    return best;
}

/* -------------------------------------------------------------------------- pivots */

/* What enters: a slack whose lambda is below 0, a policy of the pool, or else a plan. */
static foray_status choose_entering(simplex *lp, column *out, bool *found)
{
    fy_limits *of = lp->of;
    *found = true;
    for (int64_t i = 0; i < of->m; i++)
        if (-lp->y[i] < -gains && place_of(lp, SLACK, i) < 0) {
            *out = (column){SLACK, i};
            return FORAY_OK;
        }
    int64_t k = best_of_pool(lp);
    if (k < 0) {
        weights_of(of, lp->lambda, lp->best, lp->weight);
        foray_status status = plan_into_pool(of, lp->weight);
        if (status != FORAY_OK)
            return status;
        k = best_of_pool(lp);
        if (k != of->policies - 1)
            of->policies--; /* the same as before, or no better */
    }
    *out = (column){POLICY, k};
    *found = k >= 0;
    return FORAY_OK;
}

/* What leaves first as the column enters; -1: nothing does. t leaves at 0, where it ends there. */
static int64_t choose_leaving(simplex *lp, column enters)
{
    int64_t leaves = -1;
    double least = INFINITY;
    column_of(lp, enters, lp->enters);
    solve(lp, lp->enters, lp->moves);
    for (int64_t i = 0; i < lp->rows; i++) {
        bool t = lp->basis[i].kind == DISTANCE;
        double move = t ? -lp->moves[i] : lp->moves[i], left = t ? -lp->x[i] : lp->x[i];
        if ((t && !lp->ends) || !(move > pivot_size))
            continue;
        double ratio = fmax(left, 0) / move;
        if (ratio < least || (ratio == least && t)) {
            least = ratio;
            leaves = i;
        }
    }
    return leaves;
}

/* To the optimum, or until t has left. */
static foray_status iterate(simplex *lp)
{
    for (int64_t i = 0; i < PIVOTS_PER_ROW * lp->rows; i++) {
        column enters;
        bool found;
        if (!refresh(lp))
            return FORAY_OK;
        foray_status status = choose_entering(lp, &enters, &found);
        if (status != FORAY_OK || !found)
            return status;
        int64_t leaves = choose_leaving(lp, enters);
        if (leaves < 0)
            return FORAY_OK;
        bool t = lp->basis[leaves].kind == DISTANCE;
        lp->basis[leaves] = enters;
        if (t) {
            (void)refresh(lp);
            return FORAY_OK;
        }
    }
    return FORAY_OK;
}

/* ------------------------------------------------------------------- safe and best */

/* The basis of the plan for r_0: {pi_0, t and all slacks but the tightest}, or, where that plan is
 * within the limits and t is not asked for, {pi_0, all slacks}. */
static void begin_basis(simplex *lp, bool safe)
{
    int64_t m = lp->of->m, tightest = 0;
    for (int64_t i = 1; i < m; i++)
        if (value_of(lp->of, 0, i + 1) - lp->right[i] <
            value_of(lp->of, 0, tightest + 1) - lp->right[tightest])
            tightest = i;
    bool within = value_of(lp->of, 0, tightest + 1) >= lp->right[tightest];
    for (int64_t i = 0; i < m; i++)
        lp->basis[i] = (column){SLACK, i};
    if (safe || !within)
        lp->basis[tightest] = (column){DISTANCE, 0};
    lp->basis[m] = (column){POLICY, 0};
}

static void take_odds(const simplex *lp, fy_odds *odds)
{
    double sum = 0;
    odds->count = 0;
    for (int64_t i = 0; i < lp->rows; i++)
        if (lp->basis[i].kind == POLICY && lp->x[i] > 0) {
            odds->which[odds->count] = lp->basis[i].which;
            sum += odds->share[odds->count++] = lp->x[i];
        }
    for (int64_t k = 0; k < odds->count; k++)
        odds->share[k] /= sum;
}

/* max t; returns it. */
static foray_status find_safe(simplex *lp, double *t)
{
    lp->best = lp->ends = false;
    begin_basis(lp, true);
    foray_status status = iterate(lp);
    int64_t at = place_of(lp, DISTANCE, 0);
    *t = at < 0 ? 0 : lp->x[at];
    return status;
}

/* t stays at 0: the slack that is worth most takes its place. */
static void retire_distance(simplex *lp, int64_t at)
{
    int64_t best = -1;
    for (int64_t i = 0; i < lp->of->m; i++)
        if (place_of(lp, SLACK, i) < 0 && (best < 0 || lp->lambda[i] > lp->lambda[best]))
            best = i;
    lp->basis[at] = (column){SLACK, best};
}

/* max sum mu_k v_k0 within the limits as they are now; false: no mixture is. */
static foray_status find_best(simplex *lp, bool *within)
{
    lp->best = false;
    lp->ends = true;
    *within = true;
    begin_basis(lp, false);
    foray_status status = FORAY_OK;
    if (place_of(lp, DISTANCE, 0) >= 0)
        status = iterate(lp);
    int64_t at = place_of(lp, DISTANCE, 0);
    if (at >= 0 && lp->x[at] < -reached)
        *within = false;
    else if (at >= 0)
        retire_distance(lp, at);
    lp->best = true;
    return status == FORAY_OK && *within ? iterate(lp) : status;
}

/* ------------------------------------------------------------------ what is certain */

static foray_status find_worths(fy_limits *of, const fy_odds *odds)
{
    foray_status status = FORAY_OK;
    for (int64_t k = 0; k < odds->count && status == FORAY_OK; k++)
        status = fy_weigher_find_worth(of->weigher, &of->policy[odds->which[k]]);
    return status == FORAY_OK ? fy_weigher_status(of->weigher) : status;
}

static void interval_of(const fy_limits *of, const fy_odds *odds, const double *weight, double *low,
                        double *high)
{
    fy_weighed mixed[FY_MAX_PARTS];
    for (int64_t k = 0; k < odds->count; k++)
        mixed[k] = of->policy[odds->which[k]];
    fy_weigher_interval(of->weigher, odds->count, mixed, odds->share, weight, low, high);
}

/* low and high of every u_i; returns whether the limits are kept for certain. Where theta is known
 * that is up to rounding. */
static bool find_intervals(fy_limits *of, const fy_odds *odds)
{
    static const double rounding = 1e-12;
    bool kept = true;
    for (int64_t i = 0; i <= of->m; i++) {
        double weight[FORAY_MAX_LIMITS + 1] = {0};
        bool known = !of->weigher->certifier && !of->weigher->explorer;
        double off = !known ? 0 : rounding * of->weigher->most[i];
        weight[i] = 1;
        interval_of(of, odds, weight, &of->low[i], &of->high[i]);
        kept = kept && (i == 0 || of->low[i] >= of->bound[i - 1] - off);
    }
    return kept;
}

static void blend(const fy_odds *best, const fy_odds *safe, double part, fy_odds *out)
{
    out->count = 0;
    for (int64_t k = 0; k < best->count; k++) {
        out->which[out->count] = best->which[k];
        out->share[out->count++] = (1 - part) * best->share[k];
    }
    for (int64_t k = 0; k < safe->count; k++) {
        int64_t at = 0;
        while (at < out->count && out->which[at] != safe->which[k])
            at++;
        out->which[at] = safe->which[k];
        out->share[at] = (at < out->count ? out->share[at] : 0) + part * safe->share[k];
        out->count += at == out->count;
    }
}

/* The least share of `safe` with which the mixture keeps the limits for certain: low is concave in
 * it. */
static void mix_in(fy_limits *of, const fy_odds *best, const fy_odds *safe)
{
    enum { HALVINGS = 40 };
    double with = 1, without = 0;
    for (int step = 0; step < HALVINGS; step++) {
        double part = (with + without) / 2;
        blend(best, safe, part, &of->mixture);
        if (find_intervals(of, &of->mixture))
            with = part;
        else
            without = part;
    }
    blend(best, safe, with, &of->mixture);
    (void)find_intervals(of, &of->mixture);
}

/* lambda.c, with what adding it up may have rounded: `up` for more, or less. */
static double needed_of(const fy_limits *of, const double *lambda, double up)
{
    double sum = 0, size = 0;
    for (int64_t i = 0; i < of->m; i++) {
        double term = lambda[i] * of->bound[i] / of->weigher->scale[i + 1];
        sum += term;
        size += fabs(term);
    }
    return sum + up * (double)(of->m + 4) * DBL_EPSILON * size;
}

/* V_top of the weighting, whose plan joins the pool. */
static foray_status find_top(fy_limits *of, const double *weight, double *top)
{
    foray_status status = plan_into_pool(of, weight);
    if (status != FORAY_OK)
        return status;
    fy_weighed *plan = &of->policy[of->policies - 1];
    status = fy_weigher_find_worth(of->weigher, plan);
    if (status != FORAY_OK)
        return status;
    double loss = fy_weigher_loss(of->weigher, plan->action);
    status = fy_weigher_top(of->weigher, plan, loss, top);
    return status == FORAY_OK ? fy_weigher_status(of->weigher) : status;
}

/* Nobody is within the limits: V_top(s) < lambda.c. */
static foray_status prove_impossible(fy_limits *of)
{
    double weight[FORAY_MAX_LIMITS + 1];
    weights_of(of, of->lambda, false, weight);
    foray_status status = find_top(of, weight, &of->top);
    of->needed = needed_of(of, of->lambda, -1);
    if (status == FORAY_OK && of->top < of->needed)
        of->outcome = FORAY_LIMITS_IMPOSSIBLE;
    return status;
}

/* The smaller of the two bounds for one lambda, of u_0/scale_0. */
static foray_status find_loss(fy_limits *of, const double *lambda, double *loss)
{
    double weight[FORAY_MAX_LIMITS + 1], slack[FORAY_MAX_LIMITS + 1];
    double low, high, top, sum = 0, needed = needed_of(of, lambda, -1);
    weights_of(of, lambda, true, weight);
    weights_of(of, lambda, false, slack);
    foray_status status = find_top(of, weight, &top);
    for (int64_t k = 0; k < of->mixture.count && status == FORAY_OK; k++) {
        const fy_weighed *part = &of->policy[of->mixture.which[k]];
        sum += of->mixture.share[k] * fy_weigher_loss(of->weigher, part->action);
        status = fy_weigher_status(of->weigher);
    }
    if (status != FORAY_OK)
        return status;
    interval_of(of, &of->mixture, slack, &low, &high);
    double by_parts = sum + high - needed;
    double by_top = top - of->low[0] / of->weigher->scale[0] - needed;
    *loss = fmax(0, fmin(*loss, fmin(by_parts, by_top)));
    return FORAY_OK;
}

static foray_status find_losses(fy_limits *of)
{
    double loss = INFINITY;
    foray_status status = find_loss(of, of->lambda, &loss);
    bool other = memcmp(of->lambda, of->first, (size_t)of->m * sizeof(double)) != 0;
    if (status == FORAY_OK && other)
        status = find_loss(of, of->first, &loss);
    of->loss = loss * of->weigher->scale[0] * (1 + 4 * DBL_EPSILON);
    return status;
}

/* ----------------------------------------------------------------------------- all */

static foray_status create_simplex(fy_arena *arena, fy_limits *of, simplex *lp)
{
    int64_t n = of->m + 1;
    *lp = (simplex){.of = of, .rows = n};
    if (!FY_NEW(arena, lp->basis, n) || !FY_NEW(arena, lp->inverse, n * n) ||
        !FY_NEW(arena, lp->x, n) || !FY_NEW(arena, lp->right, n) || !FY_NEW(arena, lp->y, n) ||
        !FY_NEW(arena, lp->enters, n) || !FY_NEW(arena, lp->moves, n) ||
        !FY_NEW(arena, lp->scratch, 2 * n * n) || !FY_NEW(arena, lp->weight, n) ||
        !FY_NEW(arena, lp->lambda, n))
        return FORAY_ERROR_MEMORY;
    return FORAY_OK;
}

static void set_right(simplex *lp, const double *tight)
{
    const fy_limits *of = lp->of;
    for (int64_t i = 0; i < of->m; i++)
        lp->right[i] = (of->bound[i] + (tight ? tight[i] : 0)) / of->weigher->scale[i + 1];
    lp->right[of->m] = 1;
}

/* The best mixture, with limits that are tightened until it keeps them for certain. */
static foray_status tighten(simplex *lp, bool *kept)
{
    static const double a_little_more = 1.01;
    fy_limits *of = lp->of;
    double tight[FORAY_MAX_LIMITS] = {0};
    *kept = false;
    for (int round = 0; round < MOST_ROUNDS && !*kept; round++) {
        bool within;
        set_right(lp, tight);
        foray_status status = find_best(lp, &within);
        if (status != FORAY_OK || !within)
            return status;
        take_odds(lp, &of->mixture);
        memcpy(of->lambda, lp->lambda, (size_t)of->m * sizeof *lp->lambda);
        if (round == 0)
            memcpy(of->first, lp->lambda, (size_t)of->m * sizeof *lp->lambda);
        status = find_worths(of, &of->mixture);
        if (status != FORAY_OK)
            return status;
        *kept = find_intervals(of, &of->mixture);
        for (int64_t i = 0; i < of->m; i++)
            tight[i] = fmax(tight[i], a_little_more * (of->high[i + 1] - of->low[i + 1]) / 2);
    }
    return FORAY_OK;
}

static foray_status find_mixture(simplex *lp, const fy_odds *safe)
{
    fy_limits *of = lp->of;
    bool kept;
    foray_status status = tighten(lp, &kept);
    if (status == FORAY_OK && !kept) {
        const fy_odds best = of->mixture;
        status = find_worths(of, safe);
        if (status != FORAY_OK)
            return status;
        kept = find_intervals(of, safe);
        of->mixture = *safe;
        if (kept && best.count > 0)
            mix_in(of, &best, safe);
    }
    if (status != FORAY_OK || !kept)
        return status;
    of->outcome = FORAY_LIMITS_KEPT;
    return find_losses(of);
}

foray_status fy_limits_find(fy_arena *arena, fy_weigher *weigher, const double *bound,
                            fy_limits *out)
{
    fy_limits of = {.arena = arena,
                    .weigher = weigher,
                    .m = weigher->count - 1,
                    .bound = bound,
                    .loss = INFINITY,
                    .outcome = FORAY_LIMITS_UNDECIDED};
    simplex lp;
    double t;
    foray_status status = create_simplex(arena, &of, &lp);
    if (status == FORAY_OK) {
        double weight[FORAY_MAX_LIMITS + 1] = {1 / weigher->scale[0]};
        status = plan_into_pool(&of, weight);
    }
    if (status != FORAY_OK)
        return status;
    set_right(&lp, NULL);
    status = find_safe(&lp, &t);
    if (status != FORAY_OK)
        return status;
    fy_odds safe;
    take_odds(&lp, &safe);
    memcpy(of.lambda, lp.lambda, (size_t)of.m * sizeof *lp.lambda);
    of.mixture = safe;
    if (t < -reached)
        status = prove_impossible(&of);
    else
        status = find_mixture(&lp, &safe);
    if (status == FORAY_OK && of.outcome != FORAY_LIMITS_KEPT)
        status = find_worths(&of, &of.mixture);
    if (status == FORAY_OK && of.outcome != FORAY_LIMITS_KEPT)
        (void)find_intervals(&of, &of.mixture);
    *out = of;
    return status;
}
