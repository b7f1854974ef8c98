/* lsvi.c - least-squares value iteration from sums per successor. */
#include "explore/linear/lsvi.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/dense.h"
#include "plan/plan.h"
#include "policy/policy.h"

/* --------------------------------------------------------------- initialise */

/* Lists, for every block, the states that can follow one of its pairs, in the order in
 * which they are met. entry: [states] scratch, all -1 before and after. */
static void find_reach(fy_lsvi *lsvi, int32_t *entry)
{
    const foray_model *model = lsvi->model;
    const fy_phi *phi = lsvi->phi;
    for (int64_t g = 0; g < phi->blocks; g++) {
        int64_t found = lsvi->reach_start[g];
        for (int64_t row = phi->first_row[g]; row < phi->first_row[g + 1]; row++) {
            int32_t pair = phi->row_pair[row];
            for (int64_t i = model->succ_start[pair]; i < model->succ_start[pair + 1]; i++) {
                int32_t next = model->succ[i];
                if (entry[next] < 0) {
                    lsvi->reach[found] = next;
                    entry[next] = (int32_t)found++;
                }
                lsvi->slot[i] = entry[next];
            }
        }
        for (int64_t e = lsvi->reach_start[g]; e < found; e++)
            entry[lsvi->reach[e]] = -1;
        lsvi->reach_start[g + 1] = found;
        lsvi->at_sum[g + 1] = lsvi->at_sum[g] + (found - lsvi->reach_start[g]) * phi->block_dim[g];
    }
}

static foray_status create_reach(fy_arena *arena, fy_lsvi *lsvi)
{
    const foray_model *model = lsvi->model;
    int64_t transitions = model->succ_start[model->pairs];
    int32_t *entry;
    if (transitions > INT32_MAX)
        return fy_fail(arena->ctx, FORAY_ERROR_USAGE, "%" PRId64 " transitions are too many",
                       transitions);
    if (!FY_NEW(arena, lsvi->reach_start, lsvi->phi->blocks + 1) ||
        !FY_NEW(arena, lsvi->at_sum, lsvi->phi->blocks + 1) ||
        !FY_NEW(arena, lsvi->reach, transitions) || !FY_NEW(arena, lsvi->slot, transitions) ||
        !FY_ALLOC(arena->ctx, entry, model->states))
        return FORAY_ERROR_MEMORY;
    memset(entry, -1, (size_t)model->states * sizeof *entry);
    find_reach(lsvi, entry);
    free(entry);
    return FORAY_OK;
}

double fy_lsvi_lambda(const fy_lsvi *lsvi)
{
    return lsvi->settings->lambda > 0.0 ? lsvi->settings->lambda : 1.0;
}

/* Lambda_t = lambda I for every step. */
static foray_status create_ridge(fy_arena *arena, fy_lsvi *lsvi)
{
    const fy_phi *phi = lsvi->phi;
    fy_arena scratch = {.ctx = arena->ctx};
    int64_t *dim;
    double *lambdas;
    size_t blocks;
    if (!fy_size_mul((size_t)lsvi->model->horizon, (size_t)phi->blocks, &blocks))
        return fy_fail(arena->ctx, FORAY_ERROR_MEMORY,
                       "%" PRId64 " blocks of features are too many", phi->blocks);
    foray_status status = FORAY_ERROR_MEMORY;
    if (FY_NEW(&scratch, dim, blocks) && FY_NEW(&scratch, lambdas, blocks)) {
        for (int64_t i = 0; i < (int64_t)blocks; i++) {
            dim[i] = phi->block_dim[i % phi->blocks];
            lambdas[i] = fy_lsvi_lambda(lsvi);
        }
        status = fy_ridge_create_blocks(arena, (int64_t)blocks, dim, lambdas,
                                        lsvi->settings->refactor_every, &lsvi->ridge);
    }
    fy_arena_release(&scratch);
    return status;
}

static foray_status create_room(fy_arena *arena, fy_lsvi *lsvi)
{
    const foray_model *model = lsvi->model;
    const fy_phi *phi = lsvi->phi;
    int64_t max_dim = 0;
    size_t sums;
    for (int64_t g = 0; g < phi->blocks; g++)
        max_dim = phi->block_dim[g] > max_dim ? phi->block_dim[g] : max_dim;
    if (!fy_size_mul((size_t)model->horizon, (size_t)lsvi->at_sum[phi->blocks], &sums))
        return fy_fail(arena->ctx, FORAY_ERROR_MEMORY, "sums per successor are too many");
    bool complete =
        FY_NEW(arena, lsvi->sum, sums) && FY_NEW(arena, lsvi->weight, max_dim) &&
        FY_NEW(arena, lsvi->whitened, phi->at_block[phi->blocks]) &&
        FY_NEW(arena, lsvi->next, model->states) && FY_NEW(arena, lsvi->now, model->states) &&
        FY_NEW(arena, lsvi->q, model->pairs) && FY_NEW(arena, lsvi->tie, model->pairs) &&
        FY_NEW(arena, lsvi->norm, model->pairs) && FY_NEW(arena, lsvi->plain, model->states);
    return complete ? FORAY_OK : FORAY_ERROR_MEMORY;
}

foray_status fy_lsvi_create(foray_explorer *explorer, size_t size)
{
    fy_arena *arena = &explorer->arena;
    fy_lsvi *lsvi = explorer->self = fy_arena_alloc(arena, 1, size);
    if (!lsvi)
        return FORAY_ERROR_MEMORY;
    lsvi->model = explorer->model;
    lsvi->settings = &explorer->settings;
    foray_status status = fy_phi_create(arena, lsvi->model, explorer->own[FY_PHI_SOURCE].integer,
                                        explorer->own[FY_PHI_TOLERANCE].real, &lsvi->phi);
    if (status == FORAY_OK)
        status = create_reach(arena, lsvi);
    if (status == FORAY_OK)
        status = create_ridge(arena, lsvi);
    if (status == FORAY_OK)
        status = create_room(arena, lsvi);
    return status;
}

/* ------------------------------------------------------------------ learning */

/* The vectors m_t(s') of a block, one after another in the order of its reach. */
static double *sums_of(const fy_lsvi *lsvi, int64_t t, int64_t g)
{
    return lsvi->sum + t * lsvi->at_sum[lsvi->phi->blocks] + lsvi->at_sum[g];
}

void fy_lsvi_observe(fy_lsvi *lsvi, int64_t t, int64_t pair, int64_t j)
{
    const fy_phi *phi = lsvi->phi;
    int64_t g = phi->block_of_pair[pair], d = phi->block_dim[g];
    int64_t entry = lsvi->slot[lsvi->model->succ_start[pair] + j] - lsvi->reach_start[g];
    const double *x = fy_phi_of(phi, pair);
    double *sum = sums_of(lsvi, t, g) + entry * d;
    for (int64_t i = 0; i < d; i++)
        sum[i] += x[i];
    fy_ridge_update(lsvi->ridge, t * phi->blocks + g, x, 0.0, 1.0);
}

/* ------------------------------------------------------------- the regression */

/* w = Lambda_t^-1 sum_{s'} V(s') m_t(s'), one block. */
static void regress(fy_lsvi *lsvi, int64_t t, int64_t g)
{
    int64_t d = lsvi->phi->block_dim[g];
    const double *sum = sums_of(lsvi, t, g);
    double *w = lsvi->weight;
    memset(w, 0, (size_t)d * sizeof *w);
    for (int64_t e = lsvi->reach_start[g]; e < lsvi->reach_start[g + 1]; e++, sum += d) {
        double v = lsvi->next[lsvi->reach[e]];
        for (int64_t i = 0; i < d; i++)
            w[i] += v * sum[i];
    }
    fy_ridge_solve_for(lsvi->ridge, t * lsvi->phi->blocks + g, w, w);
}

void fy_lsvi_expect(fy_lsvi *lsvi, int64_t t)
{
    const fy_phi *phi = lsvi->phi;
    for (int64_t g = 0; g < phi->blocks; g++) {
        regress(lsvi, t, g);
        for (int64_t row = phi->first_row[g]; row < phi->first_row[g + 1]; row++) {
            int32_t pair = phi->row_pair[row];
            lsvi->q[pair] = fy_dot(lsvi->weight, fy_phi_of(phi, pair), phi->block_dim[g]);
        }
    }
}

void fy_lsvi_measure(fy_lsvi *lsvi, int64_t t)
{
    const fy_phi *phi = lsvi->phi;
    memcpy(lsvi->whitened, phi->value, (size_t)phi->at_block[phi->blocks] * sizeof(double));
    for (int64_t g = 0; g < phi->blocks; g++) {
        int64_t d = phi->block_dim[g];
        double *x = lsvi->whitened + phi->at_block[g];
        fy_ridge_whiten_many(lsvi->ridge, t * phi->blocks + g,
                             phi->first_row[g + 1] - phi->first_row[g], x);
        for (int64_t row = phi->first_row[g]; row < phi->first_row[g + 1]; row++, x += d)
            lsvi->norm[phi->row_pair[row]] = sqrt(fy_dot(x, x, d));
    }
}

void fy_lsvi_begin(fy_lsvi *lsvi)
{
    memset(lsvi->next, 0, (size_t)lsvi->model->states * sizeof *lsvi->next);
    memset(lsvi->plain, 0, (size_t)lsvi->model->states * sizeof *lsvi->plain);
}

/* The values made become those of the step after. */
static void step_back(fy_lsvi *lsvi)
{
    double *swap = lsvi->next;
    lsvi->next = lsvi->now;
    lsvi->now = swap;
}

/* V(s) = max_a Q(s,a). */
static void maximise(fy_lsvi *lsvi, bool by_tie, int32_t *action)
{
    int64_t actions = lsvi->model->actions;
    const double *q = lsvi->q, *tie = lsvi->tie;
    for (int64_t s = 0; s < lsvi->model->states; s++) {
        int64_t first = s * actions, best = first;
        for (int64_t pair = first + 1; pair < first + actions; pair++)
            if (q[pair] > q[best] || (by_tie && q[pair] == q[best] && tie[pair] > tie[best]))
                best = pair;
        best = fy_stand_in(lsvi->model, best);
        action[s] = (int32_t)(best - first);
        lsvi->now[s] = q[best];
    }
    step_back(lsvi);
}

void fy_lsvi_maximise(fy_lsvi *lsvi, int32_t *action)
{
    maximise(lsvi, lsvi->settings->ties == FORAY_TIES_UNCLIPPED, action);
}

void fy_lsvi_follow(fy_lsvi *lsvi, const int32_t *action)
{
    for (int64_t s = 0; s < lsvi->model->states; s++)
        lsvi->now[s] = lsvi->q[s * lsvi->model->actions + action[s]];
    step_back(lsvi);
}

void fy_lsvi_expect_plain(fy_lsvi *lsvi, int64_t t, const double *reward)
{
    double *next = lsvi->next;
    lsvi->next = lsvi->plain;
    fy_lsvi_expect(lsvi, t);
    lsvi->next = next;
    for (int64_t pair = 0; pair < lsvi->model->pairs; pair++)
        lsvi->tie[pair] = reward[pair] + lsvi->q[pair];
}

void fy_lsvi_maximise_plain(fy_lsvi *lsvi, int64_t t, int32_t *action)
{
    maximise(lsvi, true, action);
    for (int64_t s = 0; s < lsvi->model->states; s++)
        lsvi->plain[s] =
            fmin(fmax(lsvi->tie[s * lsvi->model->actions + action[s]], 0.0), fy_lsvi_cap(lsvi, t));
}

double fy_lsvi_mean(const fy_lsvi *lsvi)
{
    return fy_initial_mean(lsvi->model, lsvi->next);
}

double fy_lsvi_cap(const fy_lsvi *lsvi, int64_t t)
{
    int64_t horizon = lsvi->model->horizon;
    return (double)(lsvi->settings->clip == FORAY_CLIP_REMAINING ? horizon - t : horizon);
}

/* ------------------------------------------------------------- save and load */

void fy_lsvi_write(const fy_lsvi *lsvi, fy_writer *writer)
{
    fy_ridge_write(lsvi->ridge, writer);
    fy_write_doubles(writer, lsvi->sum,
                     (size_t)(lsvi->model->horizon * lsvi->at_sum[lsvi->phi->blocks]));
}

void fy_lsvi_read(fy_lsvi *lsvi, fy_reader *reader)
{
    fy_ridge_read(lsvi->ridge, reader);
    fy_read_doubles(reader, lsvi->sum,
                    (size_t)(lsvi->model->horizon * lsvi->at_sum[lsvi->phi->blocks]));
}

void fy_lsvi_describe(foray_explorer *explorer, foray_explorer_facts *facts)
{
    const fy_lsvi *lsvi = explorer->self;
    facts->refactored = lsvi->ridge->refactored;
    facts->factor_error = lsvi->ridge->worst_error;
    for (int64_t i = 0; i < lsvi->ridge->blocks; i++)
        facts->log_det += fy_ridge_log_det(lsvi->ridge, i);
}

/* ------------------------------------------------------------------ planning */

foray_status fy_lsvi_plan(foray_explorer *explorer, fy_lsvi_plan_fn plan, int64_t count,
                          const foray_reward *const *rewards, foray_mode mode,
                          foray_policy **policies)
{
    foray_context *ctx = explorer->ctx;
    int32_t *unused;
    if (!FY_ALLOC(ctx, unused, fy_policy_entries(explorer->model)))
        return FORAY_ERROR_MEMORY;
    foray_status status = fy_policies_create(ctx, explorer->model, mode, count, policies);
    for (int64_t i = 0; i < count && status == FORAY_OK; i++) {
        /* The actions of the policy's own mode; the values of all of them. */
        for (foray_mode m = 0; m < FORAY_MODES; m++)
            policies[i]->value[m] =
                plan(explorer, rewards[i], m, false, m == mode ? policies[i]->action : unused);
        policies[i]->expected = plan(explorer, rewards[i], FORAY_PLUGIN, true, policies[i]->action);
        policies[i]->low = policies[i]->high = NAN;
        policies[i]->certificate = (foray_certificate){
            .gap = INFINITY,
            .delta = fy_certificate_delta(explorer->model, explorer->settings.delta),
            .radius = FORAY_RADIUS_NONE};
        fy_certificate_classify(&policies[i]->certificate, (double)explorer->model->horizon);
    }
    free(unused);
    return status;
}
