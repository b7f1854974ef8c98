/* bench_plan - how fast PLAN is, against what the machine could do at best, against a plain
 * backward induction, and how its cost grows.
 *
 * Two models of the same size: `distinct`, a random mixture of d simulators in which every
 * (s,a) has generators of its own, and `shared`, outcome classes in which thousands of (s,a)
 * share theirs. Successors lie anywhere among the states: the least favourable case. */
#include "bench.h"
#include "base/level.h"
#include "learn/radius.h"
#include "plan/many.h"
#include "reward/reward.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 5, TOGETHER = 16 };

typedef struct sizes {
    int64_t states, actions, successors, dim, horizon;
    bool shared;
} sizes;

static const sizes full = {100000, 4, 5, 16, 50, false};
static const sizes base = {10000, 4, 5, 16, 20, false};

/* ------------------------------------------------------------------ the model */

/* Features of one transition: simulator i goes there with weight value[i] / sqrt(d). */
static void mixture_features(const sizes *size, int64_t pair, int64_t *feat_start, int32_t *index,
                             double *value)
{
    int64_t n = size->successors, d = size->dim;
    for (int64_t i = 0; i < d; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++)
            sum += bench_uniform(1, (uint64_t)((pair * n + j) * d + i));
        for (int64_t j = 0; j < n; j++) {
            int64_t at = (pair * n + j) * d + i;
            index[at] = (int32_t)i;
            value[at] = bench_uniform(1, (uint64_t)at) / sum / sqrt((double)d);
        }
    }
    for (int64_t j = 0; j < n; j++)
        feat_start[pair * n + j + 1] = (pair * n + j + 1) * d;
}

/* Outcome classes of n outcomes each: d / n of them. */
static void class_features(const sizes *size, int64_t pair, int64_t *feat_start, int32_t *index,
                           double *value)
{
    int64_t n = size->successors, class = pair % (size->dim / n);
    for (int64_t j = 0; j < n; j++) {
        int64_t at = pair * n + j;
        index[at] = (int32_t)(class * n + j);
        value[at] = 1 / sqrt((double)n);
        feat_start[at + 1] = at + 1;
    }
}

static foray_model *make_model(foray_context *ctx, const sizes *size)
{
    int64_t pairs = size->states * size->actions, n = size->successors;
    int64_t features = pairs * n * (size->shared ? 1 : size->dim);
    int64_t *succ_start = bench_alloc((size_t)pairs + 1, sizeof *succ_start);
    int32_t *succ = bench_alloc((size_t)(pairs * n), sizeof *succ);
    int64_t *feat_start = bench_alloc((size_t)(pairs * n) + 1, sizeof *feat_start);
    int32_t *index = bench_alloc((size_t)features, sizeof *index);
    double *value = bench_alloc((size_t)features, sizeof *value), certain = 1;
    int32_t start = 0;
    foray_model *model;
    for (int64_t pair = 0; pair < pairs; pair++) {
        int64_t stride = size->states / n;
        succ_start[pair + 1] = (pair + 1) * n;
        for (int64_t j = 0; j < n; j++)
            succ[pair * n + j] =
                (int32_t)(j * stride +
                          (int64_t)(bench_uniform(2, (uint64_t)(pair * n + j)) * (double)stride));
        (size->shared ? class_features : mixture_features)(size, pair, feat_start, index, value);
    }
    fy_model_parts parts = {.name = "bench",
                            .states = size->states,
                            .actions = size->actions,
                            .horizon = size->horizon,
                            .dim = size->shared ? size->dim / n * n : size->dim,
                            .norm_bound = sqrt((double)size->dim),
                            .succ_start = succ_start,
                            .succ = succ,
                            .feat_start = feat_start,
                            .feat_index = index,
                            .feat_value = value,
                            .initials = 1,
                            .initial_state = &start,
                            .initial_probability = &certain};
    bench_check(ctx, fy_model_assemble(ctx, &parts, &model));
    free(succ_start);
    free(succ);
    free(feat_start);
    free(index);
    free(value);
    return model;
}

/* ------------------------------------------------------- what was learnt of it */

typedef struct scene {
    foray_context *ctx;
    foray_model *model;
    fy_ridge *ridge;
    fy_kernel *kernel;
    double *z, *radius;
    double *values; /* two layers of FY_LANES */
    int32_t *policy;
    double *reward; /* [pairs][FY_LANES]; its beginning serves as one reward */
    const double **table;
} scene;

static void learn(scene *s)
{
    const fy_basis *basis = s->model->basis;
    double *f = bench_alloc((size_t)basis->max_generators, sizeof *f);
    double *x = bench_alloc((size_t)basis->max_dim, sizeof *x);
    double *scratch = bench_alloc((size_t)basis->max_coords, sizeof *scratch);
    for (int64_t i = 0; i < 1000; i++) {
        int64_t set = (int64_t)(bench_uniform(3, (uint64_t)i) * (double)s->model->generator_sets);
        for (int64_t j = 0; j < fy_generator_set_size(s->model, set); j++)
            f[j] = bench_uniform(4, (uint64_t)(i * 64 + j)) > 0.5;
        fy_basis_psi(basis, set, f, x, scratch);
        fy_ridge_update(s->ridge, basis->block_of_generator_set[set], x,
                        bench_uniform(5, (uint64_t)i), 1);
    }
    for (int64_t g = 0; g < basis->blocks; g++)
        fy_ridge_solve(s->ridge, g, s->z + s->ridge->at_vector[g]);
    fy_radius_selfnormalised(s->ridge, 0.1, 1, s->radius);
    free(f);
    free(x);
    free(scratch);
}

static void form_kernel(void *arg)
{
    scene *s = arg;
    fy_kernel_estimate(s->kernel, s->ridge, s->z, s->radius);
}

static void use_threads(scene *s, int threads)
{
    foray_context_set_threads(s->ctx, threads);
    bench_check(s->ctx,
                fy_kernel_create(bench_arena(s->ctx), s->model->basis, FY_FACTOR_AUTO, &s->kernel));
}

static void open_scene(scene *s, foray_context *ctx, const sizes *size)
{
    foray_settings settings;
    foray_settings_default(&settings);
    *s = (scene){.ctx = ctx, .model = make_model(ctx, size)};
    const fy_basis *basis = s->model->basis;
    size_t layer = (size_t)size->states * FY_LANES, pairs = (size_t)s->model->pairs;
    double *lambda = bench_alloc((size_t)basis->blocks, sizeof *lambda);
    s->z = bench_alloc((size_t)basis->unknowns, sizeof *s->z);
    s->radius = bench_alloc((size_t)basis->blocks, sizeof *s->radius);
    fy_radius_lambda(basis, &settings, lambda);
    bench_check(ctx, fy_ridge_create(bench_arena(ctx), basis, lambda, 4096, &s->ridge));
    free(lambda);
    learn(s);
    use_threads(s, 1);
    form_kernel(s);
    s->values = aligned_alloc(64, 2 * layer * sizeof *s->values);
    s->policy = aligned_alloc(64, layer * (size_t)size->horizon * sizeof *s->policy);
    s->reward = aligned_alloc(64, pairs * FY_LANES * sizeof *s->reward);
    s->table = bench_alloc((size_t)size->horizon, sizeof *s->table);
    if (!s->values || !s->policy || !s->reward)
        exit(1);
    for (size_t i = 0; i < pairs * FY_LANES; i++)
        s->reward[i] = bench_uniform(6, i);
    for (int64_t t = 0; t < size->horizon; t++)
        s->table[t] = s->reward;
}

static void close_scene(scene *s)
{
    bench_release();
    foray_model_destroy(s->model);
    free(s->z);
    free(s->radius);
    free(s->values);
    free(s->policy);
    free(s->reward);
    free(s->table);
}

/* ------------------------------------------------------------------- planning */

static void run_plan(void *arg)
{
    double mean[FY_LANES];
    fy_plan(arg, mean);
}

static fy_plan_task plan_task(const scene *s, int lanes, int sign)
{
    return (fy_plan_task){.kernel = s->kernel,
                          .reward = {.table = s->table, .cap = INFINITY},
                          .lanes = lanes,
                          .sign = sign,
                          .layers = 2,
                          .value = s->values,
                          .policy = s->policy};
}

static double plan_seconds(const scene *s, int lanes, int sign)
{
    fy_plan_task task = plan_task(s, lanes, sign);
    return bench_best(REPEATS, run_plan, &task);
}

/* Plug-in plans: how many times cheaper each of FY_LANES together is than one alone. */
static double lanes_speedup(const scene *s)
{
    fy_plan_task alone = plan_task(s, 1, 0), together = plan_task(s, FY_LANES, 0);
    return FY_LANES * bench_speedup(REPEATS, run_plan, &alone, &together);
}

/* Optimistic plans: how many times faster the kernel's threads are than one of them. */
static double threads_speedup(const scene *s)
{
    fy_kernel kernel = *s->kernel;
    fy_plan_task all = plan_task(s, 1, 1), one = all;
    kernel.threads = 1;
    one.kernel = &kernel;
    return bench_speedup(REPEATS, run_plan, &one, &all);
}

/* What one optimistic plan moves at least: every array once a step, V also once for every
 * successor; and the operations of the formula. */
static double plan_bytes(const scene *s)
{
    const foray_model *m = s->model;
    double pairs = (double)m->pairs, sets = (double)m->generator_sets;
    double transitions = (double)m->succ_start[m->pairs];
    double factor =
        (double)fy_kernel_factor_at(s->kernel, m->generator_sets) * (s->kernel->single ? 4 : 8);
    double of_pairs = pairs * (sizeof *m->generator_set + sizeof *m->succ_start + sizeof(double));
    double of_sets = sets * (sizeof *m->gen_start + (s->kernel->at_factor ? sizeof(int64_t) : 0)) +
                     factor + (double)fy_kernel_at(s->kernel, m->generator_sets) * sizeof(double);
    double of_transitions = transitions * (sizeof *m->succ + sizeof(double));
    double of_states = (double)m->states * (sizeof(double) + sizeof(int32_t));
    return (double)m->horizon * (of_pairs + of_sets + of_transitions + of_states);
}

static double plan_operations(const scene *s)
{
    double pairs = (double)s->model->pairs;
    double c = (double)s->model->succ_start[s->model->pairs] / pairs - 1;
    return (double)s->model->horizon * pairs * (3 * c + c * (c + 1) + 2 * c + 6);
}

/* ------------------------------------------------------ a plain CSR induction */

typedef struct csr {
    int64_t states, actions, horizon, *row;
    int32_t *column, *policy;
    double *weight, *reward, *value, *next;
} csr;

static void csr_step(const csr *c, int32_t *policy)
{
    for (int64_t s = 0; s < c->states; s++) {
        double best = -1;
        int32_t choice = 0;
        for (int32_t a = 0; a < c->actions; a++) {
            int64_t pair = s * c->actions + a;
            double q = c->reward[pair];
            for (int64_t k = c->row[pair]; k < c->row[pair + 1]; k++)
                q += c->weight[k] * c->next[c->column[k]];
            choice = q > best ? a : choice;
            best = q > best ? q : best;
        }
        c->value[s] = best;
        policy[s] = choice;
    }
}

static void csr_plan(void *arg)
{
    csr *c = arg;
    memset(c->next, 0, (size_t)c->states * sizeof *c->next);
    for (int64_t t = c->horizon - 1; t >= 0; t--) {
        csr_step(c, c->policy + t * c->states);
        double *swap = c->value;
        c->value = c->next;
        c->next = swap;
    }
}

static double csr_seconds(const scene *s)
{
    const foray_model *m = s->model;
    int64_t transitions = m->succ_start[m->pairs], n = transitions / m->pairs;
    csr c = {.states = m->states, .actions = m->actions, .horizon = m->horizon};
    c.row = bench_alloc((size_t)m->pairs + 1, sizeof *c.row);
    c.column = bench_alloc((size_t)transitions, sizeof *c.column);
    c.weight = bench_alloc((size_t)transitions, sizeof *c.weight);
    c.value = bench_alloc((size_t)m->states, sizeof *c.value);
    c.next = bench_alloc((size_t)m->states, sizeof *c.next);
    c.reward = s->reward;
    c.policy = s->policy;
    memcpy(c.row, m->succ_start, ((size_t)m->pairs + 1) * sizeof *c.row);
    memcpy(c.column, m->succ, (size_t)transitions * sizeof *c.column);
    for (int64_t k = 0; k < transitions; k++)
        c.weight[k] = 1 / (double)n;
    double seconds = bench_best(REPEATS, csr_plan, &c);
    free(c.row);
    free(c.column);
    free(c.weight);
    free(c.value);
    free(c.next);
    return seconds;
}

/* --------------------------------------------------------------- many rewards */

typedef struct many {
    scene *s;
    foray_reward *rewards[TOGETHER];
    int64_t at_once;
    bool interval; /* value the policies, too? By default likelihoods do that (bench_certify) */
} many;

static void plan_many(void *arg)
{
    many *m = arg;
    for (int64_t i = 0; i < TOGETHER; i += m->at_once) {
        foray_policy *policies[TOGETHER];
        fy_plan_order order = {.kernel = m->s->kernel,
                               .clip = FORAY_CLIP_REMAINING,
                               .ties = FORAY_TIES_UNCLIPPED,
                               .mode = FORAY_PLUGIN,
                               .interval = m->interval};
        bench_check(m->s->ctx,
                    fy_plan_rewards(m->s->ctx, &order, m->at_once,
                                    (const foray_reward *const *)m->rewards + i, policies));
        for (int64_t k = 0; k < m->at_once; k++)
            foray_policy_destroy(policies[k]);
    }
}

/* Seconds per reward of whole plans: all three values, the policy, and its interval if asked. */
static void measure_many(many *m, double *alone, double *together)
{
    *alone = *together = HUGE_VAL;
    for (int i = 0; i < 3; i++) {
        m->at_once = 1;
        *alone = fmin(*alone, bench_best(1, plan_many, m) / TOGETHER);
        m->at_once = TOGETHER;
        *together = fmin(*together, bench_best(1, plan_many, m) / TOGETHER);
    }
}

/* Learns the same again, with kernels of another level. */
static void use_level(scene *s, int level)
{
    bench_check(s->ctx, fy_level_set(s->ctx, fy_level_name(level)));
    double *lambda = bench_alloc((size_t)s->ridge->blocks, sizeof *lambda);
    memcpy(lambda, s->ridge->lambda, (size_t)s->ridge->blocks * sizeof *lambda);
    bench_check(s->ctx,
                fy_ridge_create(bench_arena(s->ctx), s->model->basis, lambda, 4096, &s->ridge));
    free(lambda);
    learn(s);
    use_threads(s, 1);
    form_kernel(s);
}

/* What one level takes, and for those below the highest, how fast that is against it. */
static void bench_level(many *m, int level, const double *highest, double *seconds)
{
    const char *name = fy_level_name(level);
    double min = level > 0 ? 0.5 : 0.25;
    char what[80];
    use_level(m->s, level);
    seconds[0] = bench_best(3, form_kernel, m->s);
    measure_many(m, &seconds[1], &seconds[2]);
    const char *const part[] = {"forming the kernel", "one reward", "each of 16 rewards together"};
    for (int i = 0; i < 3; i++) {
        snprintf(what, sizeof what, "%s: %s", name, part[i]);
        bench_figure(what, 1e3 * seconds[i], "ms");
        snprintf(what, sizeof what, "%s: %s, speed against the highest level", name, part[i]);
        if (highest != seconds)
            bench_target(what, highest[i] / seconds[i], "times", BENCH_AT_LEAST, min);
    }
    snprintf(what, sizeof what, "%s: together, cheaper per reward", name);
    if (level > 0)
        bench_target(what, seconds[1] / seconds[2], "times", BENCH_AT_LEAST, 2.5);
    else
        bench_figure(what, seconds[1] / seconds[2], "times");
}

/* The same work at every level of the processor that this machine has, the highest first. */
static void compare_levels(many *m)
{
    double highest[3] = {0}, seconds[3];
    int max = fy_level_highest();
    bench_level(m, max, highest, highest);
    for (int level = max - 1; level >= 0; level--)
        bench_level(m, level, highest, seconds);
    use_level(m->s, max);
}

static void compare_many(scene *s)
{
    many m = {.s = s};
    double alone, together;
    for (int i = 0; i < TOGETHER; i++) {
        bench_check(s->ctx, foray_reward_create(s->ctx, s->model, "bench", 0, 1, 0, &m.rewards[i]));
        for (int64_t pair = 0; pair < s->model->pairs; pair++)
            m.rewards[i]->table[0].pair[pair] = bench_uniform(7, (uint64_t)(pair * TOGETHER + i));
    }
    measure_many(&m, &alone, &together);
    bench_figure("one reward: three recursions, policy", 1e3 * alone, "ms");
    bench_figure("the same for each of 16 rewards planned together", 1e3 * together, "ms");
    bench_target("whole plans of 16 together, cheaper per reward", alone / together, "times",
                 BENCH_AT_LEAST, 3);
    m.interval = true;
    measure_many(&m, &alone, &together);
    bench_figure("one reward, and the policy valued by two recursions", 1e3 * alone, "ms");
    bench_figure("the same for each of 16 rewards planned together, valued", 1e3 * together, "ms");
    m.interval = false;
    compare_levels(&m);
    for (int i = 0; i < TOGETHER; i++)
        foray_reward_destroy(m.rewards[i]);
}

/* ------------------------------------------------------------------- sections */

/* Doubles per (s,a) that planning needs beside the model and one value and policy table. */
static double doubles_per_pair(const scene *s)
{
    const fy_kernel *k = s->kernel;
    int64_t generator_sets = s->model->generator_sets,
            factors = fy_kernel_factor_at(k, generator_sets);
    double bytes = (double)fy_kernel_at(k, generator_sets) * sizeof *k->p +
                   (k->at_factor ? (double)(generator_sets + 1) * sizeof *k->at_factor : 0) +
                   (double)factors * (k->single ? sizeof *k->single : sizeof *k->factor) +
                   (double)(k->threads * k->scratch_size) * sizeof *k->scratch;
    return bytes / sizeof(double) / (double)s->model->pairs;
}

static void bench_size(foray_context *ctx, const char *title, const sizes *size)
{
    scene s;
    bench_machine machine = bench_measure(1);
    open_scene(&s, ctx, size);
    bench_title(title);
    bench_figure("memory bandwidth, one thread", 1e-9 * machine.bandwidth, "GB/s");
    bench_figure("multiply-adds, one thread", 1e-9 * machine.operations, "GFlop/s");
    double forming = bench_best(3, form_kernel, &s), optimistic = plan_seconds(&s, 1, 1);
    double plugin = plan_seconds(&s, 1, 0), plain = csr_seconds(&s);
    double min = bench_roofline(&machine, plan_bytes(&s), plan_operations(&s));
    bench_figure("forming the kernel, one thread", 1e3 * forming, "ms");
    bench_figure("optimistic plan, one thread", 1e3 * optimistic, "ms");
    bench_figure("the least it could take (roofline)", 1e3 * min, "ms");
    bench_target("fraction of the roofline", min / optimistic, "", BENCH_AT_LEAST, 0.5);
    bench_figure("plug-in plan", 1e3 * plugin, "ms");
    bench_figure("plain CSR backward induction", 1e3 * plain, "ms");
    bench_target("plug-in plan over plain CSR", plugin / plain, "times", BENCH_AT_MOST, 1.5);
    bench_target("plug-in, rewards together, cheaper per reward", lanes_speedup(&s), "times",
                 BENCH_AT_LEAST, 3);
    compare_many(&s);
    bench_target("memory beside model, values, policy, per (s,a)", doubles_per_pair(&s), "doubles",
                 BENCH_AT_MOST, 10);
    use_threads(&s, 2);
    double forming_two = bench_best(3, form_kernel, &s);
    bench_target("two threads: optimistic plan, faster than one", threads_speedup(&s), "times",
                 BENCH_AT_LEAST, 1.7);
    bench_figure("two threads: forming the kernel, faster than one", forming / forming_two,
                 "times");
    close_scene(&s);
}

/* Costs of models like `base` in all but one size. */
static void bench_growth_of(foray_context *ctx, const char *name, size_t offset, const int64_t *at)
{
    double x[3], plan[3], forming[3];
    char what[64];
    for (int i = 0; i < 3; i++) {
        scene s;
        sizes size = base;
        memcpy((char *)&size + offset, &at[i], sizeof at[i]);
        open_scene(&s, ctx, &size);
        x[i] = (double)at[i];
        plan[i] = 1e3 * plan_seconds(&s, 1, 1);
        forming[i] = 1e3 * bench_best(3, form_kernel, &s);
        close_scene(&s);
    }
    snprintf(what, sizeof what, "optimistic plan, %s", name);
    bench_growth(what, "ms", 3, x, plan);
    snprintf(what, sizeof what, "forming the kernel, %s", name);
    bench_growth(what, "ms", 3, x, forming);
}

int main(void)
{
    foray_context *ctx = foray_context_create();
    sizes shared = full;
    shared.shared = true;
    printf("PLAN: 100,000 states, 4 actions, 5 successors, d = 16, H = 50\n");
    bench_size(ctx, "every (s,a) its own generators", &full);
    bench_size(ctx, "generators shared (outcome classes)", &shared);
    printf("\nGrowth, from 10,000 states, 4 actions, 5 successors, d = 16, H = 20\n");
    bench_growth_of(ctx, "S", offsetof(sizes, states), (const int64_t[]){5000, 20000, 80000});
    bench_growth_of(ctx, "A", offsetof(sizes, actions), (const int64_t[]){2, 4, 8});
    bench_growth_of(ctx, "H", offsetof(sizes, horizon), (const int64_t[]){10, 20, 40});
    bench_growth_of(ctx, "d", offsetof(sizes, dim), (const int64_t[]){8, 16, 32});
    bench_growth_of(ctx, "n", offsetof(sizes, successors), (const int64_t[]){3, 5, 9});
    foray_context_destroy(ctx);
    return 0;
}
