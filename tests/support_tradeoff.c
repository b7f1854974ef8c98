/* support_tradeoff.c - see support_tradeoff.h. */
#include "support_tradeoff.h"

#include <glpk.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------- scenes */

static void see(trade_scene *it, int64_t count, int64_t *seen)
{
    const foray_model *model = it->model;
    for (int64_t i = 0; i < count; i++) {
        int64_t pair = support_below(&it->random, model->pairs), s = pair / model->actions;
        int64_t n = fy_generator_set_size(model, model->generator_set[pair]), j = 0;
        double u = support_uniform(&it->random);
        for (; j < n - 1; j++)
            if ((u -= foray_model_probability(model, model->theta, s, pair % model->actions, j)) <
                0)
                break;
        seen[model->succ_start[pair] + j]++;
    }
}

/* Values in [-2,1], or in {0,1}; some depend on what follows, some are discounted, some to be as
 * small as possible. */
static void draw_reward(trade_scene *it, int64_t i, uint64_t seed)
{
    const foray_model *model = it->model;
    int64_t S = model->states, A = model->actions;
    bool plain = (seed + (uint64_t)i) % 3 == 0, ahead = (seed + (uint64_t)i) % 4 == 1;
    double low = plain ? 0 : -2, discount = seed % 5 == (uint64_t)i ? 0.8 : 1, power = 1;
    foray_reward *reward;
    support_ok(it->ctx, foray_reward_create(it->ctx, model, "r", low, 1, low, &reward));
    for (int64_t t = 0; t < model->horizon; t++, power *= discount)
        for (int64_t pair = 0; pair < S * A; pair++) {
            const int32_t *next;
            int64_t s = pair / A, a = pair % A, n = foray_model_successors(model, s, a, &next);
            double u = support_uniform(&it->random), value = plain ? floor(1.5 * u) : 3 * u - 2;
            support_ok(it->ctx, foray_reward_set(it->ctx, reward, t, s, a, value));
            for (int64_t k = 0; k < S; k++)
                it->table[i][t][s][a][k] = power * value;
            for (int64_t j = 0; j < n && ahead; j++) {
                value = plain ? floor(2 * support_uniform(&it->random))
                              : 3 * support_uniform(&it->random) - 2;
                support_ok(it->ctx,
                           foray_reward_set_next(it->ctx, reward, t, s, a, next[j], value));
                it->table[i][t][s][a][next[j]] = power * value;
            }
        }
    support_ok(it->ctx, foray_reward_set_discount(it->ctx, reward, discount));
    support_ok(it->ctx,
               foray_reward_set_minimise(it->ctx, reward, (seed / 3 + (uint64_t)i) % 4 == 3));
    it->reward[i] = reward;
}

trade_scene *trade_make(uint64_t seed, int64_t rewards, double scale, const double *sign)
{
    static const int kinds[] = {SUPPORT_MIXTURE, SUPPORT_CLASSES, SUPPORT_TABULAR};
    trade_scene *it = calloc(1, sizeof *it);
    it->ctx = foray_context_create();
    it->random = (support_random){seed, 1};
    it->count = rewards;
    support_sizes sizes = {.states = 2 + (int64_t)(seed % 3),
                           .actions = 2 + (int64_t)(seed % 2),
                           .horizon = 1 + (int64_t)(seed % 4),
                           .successors = 3,
                           .dim = 3};
    it->model = support_model(it->ctx, kinds[seed % 3], sizes, seed);
    fy_arena *arena = support_arena(it->ctx);
    int64_t *seen = calloc((size_t)it->model->succ_start[it->model->pairs], sizeof *seen);
    if (scale > 0) {
        support_ok(it->ctx,
                   fy_certifier_create(arena, it->model, seed % 7 ? 64 : 0, &it->certifier));
        support_ok(it->ctx, fy_certifier_need_differences(arena, it->certifier));
        see(it, (int64_t)pow(10, 1.5 + 3 * support_uniform(&it->random)), seen);
        fy_certifier_estimate(it->certifier, seen, 0.5, scale, NULL);
    }
    free(seen);
    for (int64_t i = 0; i < rewards; i++)
        draw_reward(it, i, seed);
    support_ok(it->ctx,
               fy_weigher_create(it->ctx, it->model, it->certifier, NULL, rewards,
                                 (const foray_reward *const *)it->reward, sign, &it->weigher));
    return it;
}

void trade_free(trade_scene *it)
{
    fy_weigher_destroy(it->weigher);
    for (int64_t i = 0; i < it->count; i++)
        foray_reward_destroy(it->reward[i]);
    foray_model_destroy(it->model);
    foray_context_destroy(it->ctx);
    free(it);
}

/* ------------------------------------------------------------------------- values */

void trade_law_of(const trade_scene *it, const double *theta, trade_law law)
{
    const foray_model *model = it->model;
    memset(law, 0, sizeof(trade_law));
    for (int64_t pair = 0; pair < model->pairs; pair++) {
        const int32_t *next;
        int64_t s = pair / model->actions, a = pair % model->actions;
        int64_t n = foray_model_successors(model, s, a, &next);
        for (int64_t j = 0; j < n; j++)
            law[s][a][next[j]] += foray_model_probability(model, theta, s, a, j);
    }
}

static double at_first(const foray_model *model, const double *V)
{
    double mean = 0;
    for (int64_t i = 0; i < model->initials; i++)
        mean += model->initial_probability[i] * V[model->initial_state[i]];
    return mean;
}

/* sum_i k_i V(r_i), of a policy or, where it is NULL, of the best. */
static double recursion(const trade_scene *it, trade_law law, const double *weight,
                        const int32_t *action)
{
    const foray_model *model = it->model;
    double V[2][TRADE_STATES] = {{0}};
    for (int64_t t = model->horizon - 1; t >= 0; t--)
        for (int64_t s = 0; s < model->states; s++) {
            double best = -INFINITY;
            for (int64_t a = 0; a < model->actions; a++) {
                double q = 0;
                if (action && action[t * model->states + s] != a)
                    continue;
                for (int64_t next = 0; next < model->states; next++) {
                    double r = 0;
                    for (int64_t i = 0; i < it->count; i++)
                        r += weight[i] * it->table[i][t][s][a][next];
                    q += law[s][a][next] * (r + V[(t + 1) % 2][next]);
                }
                best = fmax(best, q);
            }
            V[t % 2][s] = best;
        }
    return at_first(model, V[0]);
}

double trade_value(const trade_scene *it, trade_law law, int64_t i, const int32_t *action)
{
    double weight[TRADE_REWARDS] = {0};
    weight[i] = 1;
    return recursion(it, law, weight, action);
}

double trade_best(const trade_scene *it, trade_law law, const double *weight)
{
    return recursion(it, law, weight, NULL);
}

/* -------------------------------------------------------------------- exact answers */

typedef struct program {
    glp_prob *lp;
    int entries;
    int row[4096], column[4096];
    double value[4096];
} program;

static void enter(program *p, int row, int column, double value)
{
    p->entries++;
    p->row[p->entries] = row;
    p->column[p->entries] = column;
    p->value[p->entries] = value;
}

static double mean_reward(const trade_scene *it, trade_law law, int64_t i, int64_t t, int64_t s,
                          int64_t a)
{
    double mean = 0;
    for (int64_t next = 0; next < it->model->states; next++)
        mean += law[s][a][next] * it->table[i][t][s][a][next];
    return it->weigher->sign[i] * mean;
}

/* sum_a x_t(s,a) = sum_{s',a} P(s|s',a) x_{t-1}(s',a), x_0 from mu; sum x r_i >= bound_i. */
static void fill_program(const trade_scene *it, trade_law law, const double *bound, program *p)
{
    const foray_model *model = it->model;
    int S = (int)model->states, A = (int)model->actions, H = (int)model->horizon;
    glp_add_cols(p->lp, H * S * A);
    glp_add_rows(p->lp, H * S + (int)it->count - 1);
    for (int i = 1; i < (int)it->count; i++)
        glp_set_row_bnds(p->lp, H * S + i, GLP_LO, bound[i - 1], 0);
    for (int t = 0; t < H; t++)
        for (int s = 0; s < S; s++) {
            double begins = 0;
            for (int64_t k = 0; k < model->initials && t == 0; k++)
                begins += model->initial_state[k] == s ? model->initial_probability[k] : 0;
            glp_set_row_bnds(p->lp, t * S + s + 1, GLP_FX, begins, begins);
            for (int a = 0; a < A; a++) {
                int column = (t * S + s) * A + a + 1;
                glp_set_col_bnds(p->lp, column, GLP_LO, 0, 0);
                glp_set_obj_coef(p->lp, column, mean_reward(it, law, 0, t, s, a));
                enter(p, t * S + s + 1, column, 1);
                for (int next = 0; next < S && t + 1 < H; next++)
                    if (law[s][a][next] != 0)
                        enter(p, (t + 1) * S + next + 1, column, -law[s][a][next]);
                for (int i = 1; i < (int)it->count; i++)
                    enter(p, H * S + i, column, mean_reward(it, law, i, t, s, a));
            }
        }
}

bool trade_exact(const trade_scene *it, trade_law law, const double *bound, double *best)
{
    program *p = calloc(1, sizeof *p);
    glp_smcp how;
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    p->lp = glp_create_prob();
    glp_set_obj_dir(p->lp, GLP_MAX);
    fill_program(it, law, bound, p);
    glp_load_matrix(p->lp, p->entries, p->row, p->column, p->value);
    bool solved = glp_simplex(p->lp, &how) == 0 && glp_get_status(p->lp) == GLP_OPT;
    if (solved)
        *best = glp_get_obj_val(p->lp);
    glp_delete_prob(p->lp);
    free(p);
    return solved;
}
