/* enclosure.c - what was seen of an unstructured model, as an interval model for verifiers.
 *
 * Its states are those that were seen, and two absorbing ones for everywhere else: `high`, where
 * every step earns the most that any can, and `low`, where it earns the least. After n visits of a
 * pair, N_i of which were followed by s_i, nature chooses p(s_i) in the interval of s_i and up to
 * zeta for each of high and low:
 *
 *   n KL(q||p) <= x, q = N/n       (laws.h)      =>      n kl(q_i, p_i) <= x,   p(unseen) <= zeta,
 *
 * because merging outcomes makes no divergence larger; kl is that of two outcomes, and
 * zeta = 1 - exp(-x/n) solves kl(0, zeta) = x/n. A pair never tried has high and low alone, [0,1].
 *
 * Then true values lie between those of the unkind and the kind nature. With `left` steps to go,
 *
 *   L(low) = lo left  <=  V(s)  <=  hi left = U(high)        for every state s, seen or not
 *
 * and, backwards, L <= V <= U at those that were seen: the true law p of (s,a) gives p_i to s_i and
 * the rest, at most zeta, to other states; nature may do the same with `high` in place of them, so
 *
 *   U(s,a) >= r + sum_i p_i U(s_i) + rest U(high) >= r + sum_i p_i V(s_i) + sum_rest p V = Q(s,a)
 *
 * and with `low` L(s,a) <= Q(s,a). Likewise for any policy, for the least instead of the most, and
 * for the probability of reaching or avoiding states, where U(high) = 1 and L(low) = 0. */
#include "explore/unstructured/unstructured.h"
#include "explore/unstructured/plan.h"
#include "base/maths.h"
#include "learn/direct.h"
#include "model/model.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* At work: which state of the enclosure is which. */
typedef struct shape {
    const foray_explorer *explorer;
    fy_arena arena; /* of what is needed at work */
    const fy_seen *seen;
    fy_laws laws;
    int64_t known;  /* states of the unstructured model: those that were seen, and first states that
                       are  given and were never entered */
    int64_t *state; /* [states] numbers in the unstructured model; -1: none */
    int64_t states, low, high, start;
    int64_t *entry; /* [states] scratch: the entry of a law that leads there, or -1 */
} shape;

/* ------------------------------------------------------------------------- states */

static foray_status list_states(shape *s)
{
    const foray_model *model = s->explorer->model;
    foray_context *ctx = s->explorer->ctx;
    int64_t room = s->seen->states + model->initials + 3;
    if (!FY_ALLOC(ctx, s->state, room) || !FY_NEW(&s->arena, s->entry, room))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < s->seen->states; i++)
        s->state[s->known++] = s->seen->state[i];
    for (int64_t i = 0; i < model->initials; i++)
        if (fy_seen_find(s->seen, model->initial_state[i]) < 0)
            s->state[s->known++] = model->initial_state[i];
    s->states = s->known;
    s->high = s->states++;
    s->low = s->states++;
    s->start = model->initials == 0 ? s->states++ : -1;
    for (int64_t i = s->known; i < s->states; i++)
        s->state[i] = -1;
    for (int64_t i = 0; i < s->states; i++)
        s->entry[i] = -1;
    return FORAY_OK;
}

/* The law of a pair of the enclosure; -1: it is none of the unstructured model's. */
static int64_t law_of(const shape *s, int64_t state, int64_t action)
{
    if (state == s->start)
        return 0;
    return state < s->seen->states ? fy_seen_law(s->seen, state, action) : -1;
}

static bool stays(const shape *s, int64_t state)
{
    return state == s->low || state == s->high ||
           (state < s->seen->states && s->seen->absorbing[state]);
}

/* States that are not the unstructured model's have one action. */
static int64_t actions_of(const shape *s, int64_t state)
{
    return state < s->known ? s->explorer->model->actions : 1;
}

/* -------------------------------------------------------------------------- model */

static void add_successors(const shape *s, foray_builder *builder, int64_t state, int64_t action)
{
    int64_t law = law_of(s, state, action);
    if (stays(s, state)) {
        foray_builder_transition(builder, state, action, state, 1);
        return;
    }
    for (int64_t i = law < 0 ? 0 : s->laws.start[law]; law >= 0 && i < s->laws.start[law + 1]; i++)
        foray_builder_transition(builder, state, action, s->laws.next[i], 0);
    foray_builder_transition(builder, state, action, s->high, 0.5);
    foray_builder_transition(builder, state, action, s->low, 0.5);
}

static void add_names(const shape *s, foray_builder *builder)
{
    const foray_model *model = s->explorer->model;
    foray_builder_name(builder, model->name);
    for (int64_t a = 0; a < model->actions; a++)
        if (foray_model_action_name(model, a))
            foray_builder_action_name(builder, a, foray_model_action_name(model, a));
    for (int64_t i = 0; i < s->known; i++) {
        char number[24];
        const char *name = foray_model_state_name(model, s->state[i]);
        fy_format(number, sizeof number, "%" PRId64, s->state[i]);
        foray_builder_state_name(builder, i, name ? name : number);
    }
    foray_builder_state_name(builder, s->high, "elsewhere_high");
    foray_builder_state_name(builder, s->low, "elsewhere_low");
    if (s->start >= 0)
        foray_builder_state_name(builder, s->start, "start");
}

static void add_first_states(const shape *s, foray_builder *builder)
{
    const foray_model *model = s->explorer->model;
    int64_t unseen = s->seen->states;
    if (s->start >= 0)
        foray_builder_initial(builder, s->start, 1);
    for (int64_t i = 0; i < model->initials; i++) {
        int64_t place = fy_seen_find(s->seen, model->initial_state[i]);
        foray_builder_initial(builder, place >= 0 ? place : unseen++,
                              model->initial_probability[i]);
    }
}

static foray_status build_model(const shape *s, foray_model **out)
{
    static const int64_t only = 0;
    const foray_model *model = s->explorer->model;
    foray_builder *builder;
    foray_status status = foray_builder_create_tabular(s->explorer->ctx, s->states, model->actions,
                                                       model->horizon + (s->start >= 0), &builder);
    if (status != FORAY_OK)
        return status;
    for (int64_t state = 0; state < s->states; state++) {
        if (actions_of(s, state) == 1)
            foray_builder_available(builder, state, 1, &only);
        for (int64_t a = 0; a < actions_of(s, state); a++)
            add_successors(s, builder, state, a);
    }
    add_names(s, builder);
    add_first_states(s, builder);
    foray_builder_forget_theta(builder);
    status = foray_builder_finish(builder, out);
    foray_builder_destroy(builder);
    return status;
}

/* ---------------------------------------------------------------------- intervals */

/* sup of p_i over kl(q,p_i) <= e, rounded up: the mean of an indicator. */
static double most_likely(double q, double e)
{
    const double share[2] = {q, fmax(1 - q, 0)}, holds[2] = {1, 0};
    return fmin(fy_direct_mean(2, share, holds, 1, e) + 8 * DBL_EPSILON, 1);
}

/* Between which bounds the probability lies that `next` follows by this law. */
static void bound_next(const shape *s, int64_t law, int64_t next, double *min, double *max)
{
    double e = law < 0 ? INFINITY : s->laws.width[law];
    bool seen = next != s->low && next != s->high;
    double q = seen ? s->laws.q[s->entry[next]] : 0;
    *min = seen ? fmax(1 - most_likely(1 - q, e), 0) : 0;
    *max = seen          ? most_likely(q, e)
           : isfinite(e) ? fmin((1 - fy_exp(-e)) * (1 + 8 * DBL_EPSILON) + 8 * DBL_EPSILON, 1)
                         : 1;
}

/* Intervals of one pair, in the order of its successors; returns how many. */
static int64_t bound_pair(const shape *s, const foray_model *model, int64_t state, int64_t action,
                          double *min, double *max)
{
    const int32_t *next;
    int64_t count = foray_model_successors(model, state, action, &next);
    int64_t law = law_of(s, state, action);
    if (stays(s, state)) {
        *min = *max = 1;
        return count;
    }
    for (int64_t i = law < 0 ? 0 : s->laws.start[law]; law >= 0 && i < s->laws.start[law + 1]; i++)
        s->entry[s->laws.next[i]] = i;
    for (int64_t j = 0; j < count; j++)
        bound_next(s, law, next[j], &min[j], &max[j]);
    return count;
}

static foray_status bound_all(const shape *s, fy_enclosure *out)
{
    int64_t transitions = 2 * s->states * s->explorer->model->actions + s->seen->entries, at = 0;
    if (!FY_ALLOC(s->explorer->ctx, out->min, transitions) ||
        !FY_ALLOC(s->explorer->ctx, out->max, transitions))
        return FORAY_ERROR_MEMORY;
    for (int64_t state = 0; state < s->states; state++)
        for (int64_t a = 0; a < actions_of(s, state); a++)
            at += bound_pair(s, out->model, state, a, out->min + at, out->max + at);
    return FORAY_OK;
}

/* -------------------------------------------------------------------------- public */

foray_status fy_explorer_enclose(foray_explorer *explorer, fy_enclosure *out)
{
    foray_context *ctx = explorer->ctx;
    shape s = {.explorer = explorer, .arena.ctx = ctx};
    *out = (fy_enclosure){0};
    if (!explorer->model->unstructured)
        return fy_fail(
            ctx, FORAY_ERROR_USAGE,
            "%s is not an unstructured model: its probabilities have intervals of their own",
            explorer->model->name);
    s.seen = fy_unstructured_seen(explorer);
    foray_status status = fy_laws_create(explorer, &s.arena, s.seen, &s.laws);
    if (status == FORAY_OK)
        status = list_states(&s);
    if (status == FORAY_OK)
        status = build_model(&s, &out->model);
    if (status == FORAY_OK)
        status = bound_all(&s, out);
    out->state = s.state;
    out->low = s.low;
    out->high = s.high;
    out->start = s.start;
    out->about = fy_unstructured_certificate(explorer, 0, 1);
    fy_explorer_qualify(explorer, &out->about);
    fy_arena_release(&s.arena);
    if (status != FORAY_OK)
        fy_enclosure_clear(out);
    return status;
}

void fy_enclosure_clear(fy_enclosure *enclosure)
{
    foray_model_destroy(enclosure->model);
    free(enclosure->min);
    free(enclosure->max);
    free(enclosure->state);
    *enclosure = (fy_enclosure){0};
}
