/* front.c - see front.h. Which policies: planning at the corners of the cells, best first; every
 * list of policies is a valid answer, so that it may end at any time. */
#include "tradeoff/front.h"

#include <math.h>
#include <string.h>

/* A new policy is worth its place where it gains more than this share of what certificates say. */
static const double share = 0.1;
/* The corners of the simplex are planned a little inside, where ties are broken by what is best for
 * the other rewards, too. */
static const double edge = 1e-6;

void fy_front_weights(const fy_front *front, const double *w, double *weight)
{
    for (int64_t i = 0; i < front->corners.m; i++)
        weight[i] = w[i] / front->weigher->scale[i];
}

double fy_front_loss(const fy_front *front, int64_t corner, int64_t policy)
{
    return front->facts[front->corners.corner[corner].id].loss[policy];
}

static foray_status turn_to(fy_front *front, const double *w)
{
    double weight[FORAY_MAX_REWARDS];
    fy_front_weights(front, w, weight);
    return fy_weigher_set(front->weigher, weight);
}

/* What is known of corners grows with their number. */
static foray_status make_facts(fy_front *front)
{
    int64_t wanted = front->corners.ids;
    if (wanted <= front->facts_count)
        return FORAY_OK;
    fy_corner_facts *grown =
        fy_arena_grow(front->arena, front->facts, &front->facts_room, wanted, sizeof *grown);
    if (!grown)
        return FORAY_ERROR_MEMORY;
    front->facts = grown;
    for (; front->facts_count < wanted; front->facts_count++) {
        fy_corner_facts *facts = &grown[front->facts_count];
        *facts = (fy_corner_facts){.best = NAN};
        if (!FY_NEW(front->arena, facts->loss, front->most))
            return FORAY_ERROR_MEMORY;
        for (int64_t k = 0; k < front->most; k++)
            facts->loss[k] = NAN;
    }
    return FORAY_OK;
}

/* -------------------------------------------------------------------- the list */

/* Is there one that is worth the same, up to rounding? */
static bool is_listed(const fy_front *front, const double *value)
{
    static const double same = 1e-10;
    int64_t m = front->corners.m;
    for (int64_t k = 0; k < front->policies; k++) {
        double apart = 0;
        for (int64_t i = 0; i < m; i++)
            apart = fmax(apart, fabs(front->corners.value[k * m + i] - value[i]));
        if (apart <= same * front->corners.size)
            return true;
    }
    return false;
}

/* The policy that was planned for w, unless it is there already. */
static foray_status add_policy(fy_front *front, const double *w, const int32_t *action)
{
    int64_t m = front->corners.m, k = front->policies;
    double value[FORAY_MAX_REWARDS];
    foray_status status = fy_weigher_add(front->weigher, action, &front->policy[k]);
    if (status != FORAY_OK)
        return status;
    for (int64_t i = 0; i < m; i++)
        value[i] = front->policy[k].value[i] / front->weigher->scale[i];
    if (is_listed(front, value))
        return FORAY_OK;
    memcpy(front->found + k * m, w, (size_t)m * sizeof *w);
    front->floor[k] = NAN;
    front->policies++;
    status = fy_corners_add(&front->corners, value);
    return status == FORAY_OK ? make_facts(front) : status;
}

static foray_status plan_for(fy_front *front, const double *w)
{
    foray_status status = turn_to(front, w);
    if (status != FORAY_OK)
        return status;
    fy_weigher_plan(front->weigher, front->weigher->room);
    status = fy_weigher_status(front->weigher);
    return status == FORAY_OK ? add_policy(front, w, front->weigher->room) : status;
}

/* The best for every reward, and for all alike. */
static foray_status begin_list(fy_front *front)
{
    int64_t m = front->corners.m;
    double w[FORAY_MAX_REWARDS];
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < m && front->policies < front->most && status == FORAY_OK; i++) {
        for (int64_t j = 0; j < m; j++)
            w[j] = i == j ? 1 - edge : edge / (double)(m - 1);
        status = plan_for(front, w);
    }
    for (int64_t j = 0; j < m; j++)
        w[j] = 1 / (double)m;
    if (status == FORAY_OK && front->policies < front->most)
        status = plan_for(front, w);
    return status;
}

/* --------------------------------------------------------------- corners and cells */

/* The best plug-in value at a corner; the plan stays in the weigher's room. */
static foray_status plan_at(fy_front *front, int64_t c)
{
    const fy_corner *corner = &front->corners.corner[c];
    foray_status status = turn_to(front, corner->w);
    if (status != FORAY_OK)
        return status;
    front->facts[corner->id].best = fy_weigher_plan(front->weigher, front->weigher->room);
    return fy_weigher_status(front->weigher);
}

/* What the best plan gains over the list; what rounding makes of nothing is nothing. */
static double gain_at(const fy_front *front, int64_t c)
{
    static const double nothing = 1e-10;
    const fy_corner *corner = &front->corners.corner[c];
    double gain = front->facts[corner->id].best - corner->z;
    return gain > nothing * front->corners.size ? gain : 0;
}

/* What any policy loses at most, of any weighting. */
static double most_of(const fy_front *front)
{
    double most = 0;
    for (int64_t i = 0; i < front->corners.m; i++)
        most = fmax(most, front->weigher->most[i] / front->weigher->scale[i]);
    return most;
}

/* How much the loss can change between the corner and where it is without rounding. Of two rewards
 * neighbouring cells meet at the same number. */
static double moved(const fy_front *front, const fy_corner *corner)
{
    return front->corners.m == 2 ? 0 : corner->off * most_of(front);
}

/* The next corner beyond a weight of the second reward; -1: there is none. */
static int64_t next_corner(const fy_front *front, double weight)
{
    int64_t next = -1;
    for (int64_t c = 0; c < front->corners.count; c++) {
        double w = front->corners.corner[c].w[1];
        if (w > weight && (next < 0 || w < front->corners.corner[next].w[1]))
            next = c;
    }
    return next;
}

/* Two rewards: is one and the same policy certified at every two neighbouring corners, from weight
 * 0 to 1? Then nothing rests on how corners were found. */
static bool covers(const fy_front *front)
{
    int64_t here = next_corner(front, -1), next;
    bool covered = here >= 0 && front->corners.corner[here].w[1] == 0;
    for (; covered && (next = next_corner(front, front->corners.corner[here].w[1])) >= 0;
         here = next) {
        bool shared = false;
        for (int64_t k = 0; k < front->policies; k++)
            shared |=
                !isnan(fy_front_loss(front, here, k)) && !isnan(fy_front_loss(front, next, k));
        covered = shared;
    }
    return covered && front->corners.corner[here].w[1] == 1;
}

/* Certifies every policy at the corners of its cell, and finds the largest. */
static foray_status certify_cells(fy_front *front)
{
    foray_status status = FORAY_OK;
    front->eps = 0;
    front->worst_corner = front->worst_policy = 0;
    for (int64_t c = 0; c < front->corners.count; c++) {
        const fy_corner *corner = &front->corners.corner[c];
        fy_corner_facts *facts = &front->facts[corner->id];
        bool there = false;
        fy_progress_part(front->weigher->ctx, "certificates", c, front->corners.count);
        for (int64_t k = 0; k < front->policies && status == FORAY_OK; k++) {
            if (!fy_corners_tight(&front->corners, corner, k))
                continue;
            if (isnan(facts->loss[k]) && !there) {
                status = turn_to(front, corner->w);
                front->weigher->best = facts->best;
                there = true;
            }
            if (status == FORAY_OK && isnan(facts->loss[k]))
                facts->loss[k] =
                    fy_weigher_loss(front->weigher, front->policy[k].action) + moved(front, corner);
            if (status == FORAY_OK)
                status = fy_weigher_status(front->weigher);
            if (status == FORAY_OK && facts->loss[k] > front->eps) {
                front->eps = facts->loss[k];
                front->worst_corner = c;
                front->worst_policy = k;
            }
        }
        if (status != FORAY_OK)
            return status;
        if (there && isnan(facts->best))
            facts->best = front->weigher->best; /* where theta is known, losses find it */
    }
    return FORAY_OK;
}

/* ----------------------------------------------------------------- two rewards */

/* At the corner with the largest certificate: is another policy there worth a place? It is where it
 * gains, or where its own certificate is smaller. */
static foray_status refine_worst(fy_front *front, bool *helped)
{
    int64_t c = front->worst_corner;
    fy_corner_facts *facts = &front->facts[front->corners.corner[c].id];
    *helped = false;
    if (facts->settled)
        return FORAY_OK;
    foray_status status = plan_at(front, c);
    if (status != FORAY_OK)
        return status;
    front->left = gain_at(front, c);
    bool worth = front->left > share * front->eps;
    if (!worth && front->left > 0) {
        double own = fy_weigher_loss(front->weigher, front->weigher->room);
        worth = front->eps > (1 + share) * own;
        status = fy_weigher_status(front->weigher);
    }
    facts->settled = !worth;
    if (!worth || status != FORAY_OK)
        return status;
    front->full = front->policies == front->most;
    if (front->full)
        return FORAY_OK;
    double w[FORAY_MAX_REWARDS];
    int64_t before = front->policies;
    memcpy(w, front->corners.corner[c].w, sizeof w);
    status = add_policy(front, w, front->weigher->room);
    *helped = front->policies > before;
    return status;
}

static foray_status find_by_certificates(fy_front *front)
{
    bool helped = true;
    foray_status status = FORAY_OK;
    while (helped && status == FORAY_OK) {
        status = certify_cells(front);
        if (status != FORAY_OK || front->eps <= front->until)
            break;
        status = refine_worst(front, &helped);
    }
    return status;
}

/* ------------------------------------------------------------------- more rewards */

/* The largest certificate of a policy where it was found: more policies do not help beyond. */
static foray_status find_floor(fy_front *front, double *floor)
{
    *floor = 0;
    for (int64_t k = 0; k < front->policies; k++) {
        foray_status status = FORAY_OK;
        if (isnan(front->floor[k]))
            status = turn_to(front, front->found + k * front->corners.m);
        if (status == FORAY_OK && isnan(front->floor[k]))
            front->floor[k] = fy_weigher_loss(front->weigher, front->policy[k].action);
        if (status == FORAY_OK)
            status = fy_weigher_status(front->weigher);
        if (status != FORAY_OK)
            return status;
        *floor = fmax(*floor, front->floor[k]);
    }
    return FORAY_OK;
}

static foray_status find_gains(fy_front *front, int64_t *where)
{
    foray_status status = FORAY_OK;
    front->left = 0;
    for (int64_t c = 0; c < front->corners.count && status == FORAY_OK; c++) {
        if (isnan(front->facts[front->corners.corner[c].id].best))
            status = plan_at(front, c);
        if (status == FORAY_OK && gain_at(front, c) > front->left) {
            front->left = gain_at(front, c);
            *where = c;
        }
    }
    return status;
}

/* Adds the plan of the corner that gains most, while it gains more than `enough` and more than a
 * share of the floor. */
static foray_status refine_all(fy_front *front, double enough, bool *ended)
{
    double floor;
    int64_t where = 0;
    *ended = false;
    for (;;) {
        foray_status status = find_gains(front, &where);
        if (status == FORAY_OK)
            status = find_floor(front, &floor);
        if (status != FORAY_OK)
            return status;
        if (front->left <= share * floor) {
            *ended = true;
            return FORAY_OK;
        }
        if (front->left + floor <= enough)
            return FORAY_OK;
        front->full = front->policies == front->most;
        int64_t before = front->policies;
        if (!front->full)
            status = plan_at(front, where);
        if (!front->full && status == FORAY_OK) {
            double w[FORAY_MAX_REWARDS];
            memcpy(w, front->corners.corner[where].w, sizeof w);
            status = add_policy(front, w, front->weigher->room);
        }
        if (status != FORAY_OK)
            return status;
        if (front->policies == before) {
            *ended = true;
            return FORAY_OK;
        }
    }
}

/* By what plans gain, and certificates at the end; again where these say more than was hoped for.
 */
static foray_status find_by_gains(fy_front *front)
{
    double enough = front->until;
    bool ended = false;
    foray_status status = FORAY_OK;
    while (status == FORAY_OK) {
        status = refine_all(front, enough, &ended);
        if (status == FORAY_OK)
            status = certify_cells(front);
        if (ended || status != FORAY_OK || front->eps <= front->until)
            break;
        enough -= front->eps - front->until;
    }
    return status;
}

/* -------------------------------------------------------------------------- all */

static bool is_used(const fy_front *front, int64_t k)
{
    for (int64_t c = 0; c < front->corners.count; c++)
        if (!isnan(fy_front_loss(front, c, k)))
            return true;
    return false;
}

/* The mean weight of the first reward in a policy's cell: the order in which they are listed. */
static double first_weight(const fy_front *front, int64_t k)
{
    double sum = 0, count = 0;
    for (int64_t c = 0; c < front->corners.count; c++)
        if (!isnan(fy_front_loss(front, c, k))) {
            sum += front->corners.corner[c].w[0];
            count++;
        }
    return sum / count;
}

static void swap_numbers(double *a, double *b, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

static void swap_policies(fy_front *front, int64_t k, int64_t l)
{
    int64_t m = front->corners.m;
    fy_weighed kept = front->policy[k];
    front->policy[k] = front->policy[l];
    front->policy[l] = kept;
    swap_numbers(front->found + k * m, front->found + l * m, m);
    swap_numbers(front->corners.value + k * m, front->corners.value + l * m, m);
    for (int64_t i = 0; i < front->facts_count; i++)
        swap_numbers(&front->facts[i].loss[k], &front->facts[i].loss[l], 1);
    if (front->worst_policy == k || front->worst_policy == l)
        front->worst_policy = k + l - front->worst_policy;
}

/* Policies without a cell go; the others are listed by their weights. */
static void put_in_order(fy_front *front)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < front->policies; k++)
        if (is_used(front, k))
            swap_policies(front, kept++, k);
    front->policies = front->corners.policies = kept;
    for (int64_t k = 0; k < kept; k++) {
        int64_t best = k;
        for (int64_t l = k + 1; l < kept; l++)
            best = first_weight(front, l) > first_weight(front, best) ? l : best;
        swap_policies(front, k, best);
    }
}
foray_status fy_front_find(fy_arena *arena, fy_weigher *weigher, int64_t most, double until,
                           fy_front *out)
{
    fy_front front = {.arena = arena, .weigher = weigher, .most = most, .until = until};
    fy_corners_begin(&front.corners, arena, weigher->count);
    if (!FY_NEW(arena, front.policy, most + 1) || !FY_NEW(arena, front.floor, most + 1) ||
        !FY_NEW(arena, front.found, (most + 1) * weigher->count))
        return FORAY_ERROR_MEMORY;
    foray_status status = begin_list(&front);
    if (status == FORAY_OK)
        status = weigher->count == 2 ? find_by_certificates(&front) : find_by_gains(&front);
    if (status == FORAY_OK)
        put_in_order(&front);
    if (status == FORAY_OK && weigher->count == 2 && !covers(&front))
        front.eps = most_of(&front);
    for (int64_t k = 0; k < front.policies && status == FORAY_OK; k++)
        status = fy_weigher_find_worth(weigher, &front.policy[k]);
    *out = front;
    return status == FORAY_OK ? fy_weigher_status(weigher) : status;
}
