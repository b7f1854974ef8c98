/* bench_sweep - backward induction in known models of 10^4 to 10^7 states: Foray, a plain CSR
 * sweep, and Storm where it is installed; and how long each takes to load the model.
 *
 *   bench_sweep [STATES...]     these sizes only
 *
 * The model is a grid, the values are the largest expected rewards of 50 steps in every state, and
 * everything runs on one thread. Times are those of the processor. Storm is asked by storm.py;
 * FORAY_STORM names the Python that has stormpy, python3 if it is not set. */
#include "bench.h"
#include "export/export.h"
#include "plan/layout.h"
#include "reward/reward.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HORIZON = 50 };

/* One size: its files, and what each took. */
typedef struct sweep {
    foray_context *ctx;
    int64_t rows;
    int repeats;
    char compact[64], umb[64];
    foray_model *model;
    foray_reward *reward;
    double transition_steps, value;
} sweep;

static double cpu_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double best_cpu(int repeats, void (*work)(void *arg), void *arg)
{
    double best = HUGE_VAL;
    for (int i = 0; i < repeats; i++) {
        double begin = cpu_now();
        work(arg);
        best = fmin(best, cpu_now() - begin);
    }
    return best;
}

/* ------------------------------------------------------------------- the model */

static void write_file(const char *path, const char *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

/* The cell in the middle pays 1 in every step. */
static void make_reward(sweep *s)
{
    bench_check(s->ctx, foray_reward_create(s->ctx, s->model, "middle", 0, 1, 0, &s->reward));
    bench_check(s->ctx, foray_reward_set(s->ctx, s->reward, -1, s->rows / 2 * s->rows + s->rows / 2,
                                         -1, 1));
}

static void make_files(sweep *s)
{
    char spec[128], *umb;
    size_t size;
    fy_format(spec, sizeof spec, "grid:rows=%" PRId64 ",cols=%" PRId64 ",horizon=%d", s->rows,
              s->rows, HORIZON);
    bench_check(s->ctx, foray_model_builtin(s->ctx, spec, &s->model));
    s->model->state_names = NULL; /* a million of them are more than Foray reads from UMB */
    make_reward(s);
    fy_export_options what = {.rewards = 1, .reward = (const foray_reward *const *)&s->reward};
    bench_check(s->ctx, foray_model_save(s->ctx, s->model, FORAY_MODEL_COMPACT, s->compact));
    bench_check(s->ctx, fy_model_export(s->ctx, s->model, &what, "umb", &umb, &size));
    write_file(s->umb, umb, size);
    foray_free(umb);
    foray_reward_destroy(s->reward);
    foray_model_destroy(s->model);
}

/* --------------------------------------------------------------------- loading */

static void load_compact(void *arg)
{
    const sweep *s = arg;
    foray_model *model;
    bench_check(s->ctx, foray_model_load(s->ctx, s->compact, &model));
    foray_model_destroy(model);
}

static void load_umb(void *arg)
{
    const sweep *s = arg;
    const char *path = s->umb;
    foray_model *model;
    foray_import_options options = {.size = sizeof options, .horizon = HORIZON};
    foray_import_facts facts;
    bench_check(s->ctx, foray_model_import(s->ctx, &path, 1, &options, &model, NULL, &facts));
    foray_model_destroy(model);
}

/* ------------------------------------------------------------------- computing */

typedef struct exact {
    fy_arena arena;
    fy_exact plan;
    int32_t *policy; /* NULL: values alone */
    double value;
} exact;

static void compute(void *arg)
{
    exact *e = arg;
    e->value = fy_exact_value(&e->plan, NULL, e->policy, NULL);
}

/* The whole of it, from the model to the values. */
static void prepare_and_compute(void *arg)
{
    const sweep *s = arg;
    exact e = {.arena.ctx = s->ctx};
    bench_check(s->ctx,
                fy_exact_create(&e.arena, s->model, foray_model_theta(s->model), false, &e.plan));
    fy_exact_set(&e.plan, s->reward);
    compute(&e);
    fy_arena_release(&e.arena);
}

static void plan_known(void *arg)
{
    const sweep *s = arg;
    foray_policy *policy;
    bench_check(s->ctx, foray_plan_known(s->ctx, s->model, s->reward, &policy));
    foray_policy_destroy(policy);
}

/* -------------------------------------------------------------- a plain CSR sweep */

typedef struct csr {
    int64_t states, actions, *row;
    int32_t *column;
    double *weight, *reward, *value, *next;
} csr;

static void csr_step(const csr *c)
{
    for (int64_t s = 0; s < c->states; s++) {
        double best = -HUGE_VAL;
        for (int64_t pair = s * c->actions; pair < (s + 1) * c->actions; pair++) {
            double q = c->reward[pair];
            for (int64_t k = c->row[pair]; k < c->row[pair + 1]; k++)
                q += c->weight[k] * c->next[c->column[k]];
            best = q > best ? q : best;
        }
        c->value[s] = best;
    }
}

static void csr_values(void *arg)
{
    csr *c = arg;
    memset(c->next, 0, (size_t)c->states * sizeof *c->next);
    for (int64_t t = 0; t < HORIZON; t++) {
        csr_step(c);
        double *swap = c->value;
        c->value = c->next;
        c->next = swap;
    }
}

static double csr_seconds(const sweep *s)
{
    const foray_model *m = s->model;
    int64_t transitions = m->succ_start[m->pairs];
    csr c = {.states = m->states, .actions = m->actions};
    c.row = bench_alloc((size_t)m->pairs + 1, sizeof *c.row);
    c.column = bench_alloc((size_t)transitions, sizeof *c.column);
    c.weight = bench_alloc((size_t)transitions, sizeof *c.weight);
    c.value = bench_alloc((size_t)m->states, sizeof *c.value);
    c.next = bench_alloc((size_t)m->states, sizeof *c.next);
    c.reward = bench_alloc((size_t)m->pairs, sizeof *c.reward);
    memcpy(c.row, m->succ_start, ((size_t)m->pairs + 1) * sizeof *c.row);
    memcpy(c.column, m->succ, (size_t)transitions * sizeof *c.column);
    memcpy(c.reward, fy_reward_table(s->reward, 0), (size_t)m->pairs * sizeof *c.reward);
    for (int64_t pair = 0; pair < m->pairs; pair++)
        fy_generator_set_probabilities(m, m->theta, m->generator_set[pair],
                                       c.weight + m->succ_start[pair]);
    double seconds = best_cpu(s->repeats, csr_values, &c);
    free(c.row);
    free(c.column);
    free(c.weight);
    free(c.value);
    free(c.next);
    free(c.reward);
    return seconds;
}

/* ------------------------------------------------------------------------ Storm */

/* False: it is not installed. */
static bool ask_storm(const sweep *s, double *loading, double *computing, double *value)
{
    const char *python = getenv("FORAY_STORM");
    char command[512], line[256];
    bool found = false;
    fy_format(command, sizeof command, "%s bench/storm.py %s %d %d 2>&1",
              python ? python : "python3", s->umb, HORIZON, s->repeats);
    FILE *pipe = popen(command, "r"); /* NOLINT(cert-env33-c): its user's own Python */
    while (pipe && fgets(line, sizeof line, pipe))
        found |= sscanf(line, "%lf %lf %lf", loading, computing, value) == 3;
    if (pipe)
        pclose(pipe);
    return found;
}

/* ---------------------------------------------------------------------- one size */

static void report(const char *what, double seconds, const sweep *s)
{
    char text[96];
    fy_format(text, sizeof text, "%s (%.2f ns per transition and step)", what,
              1e9 * seconds / s->transition_steps);
    bench_figure(text, 1e3 * seconds, "ms");
}

static void compare_with_storm(const sweep *s, const double *loading, double computing)
{
    double load, values, value;
    if (!ask_storm(s, &load, &values, &value)) {
        printf("  Storm is not installed here: FORAY_STORM names a Python that has stormpy\n");
        return;
    }
    bench_figure("Storm: loading UMB", 1e3 * load, "ms");
    report("Storm: values", values, s);
    if (fabs(value - s->value) > 1e-6) {
        fprintf(stderr, "bench: Storm says %.9g, Foray %.9g\n", value, s->value);
        exit(1);
    }
    bench_target("loading UMB, Foray over Storm", loading[0] / load, "times", BENCH_AT_MOST, 1);
    bench_target("loading compact, Foray over Storm's UMB", loading[1] / load, "times",
                 BENCH_AT_MOST, 1);
    bench_target("values, Foray over Storm", computing / values, "times", BENCH_AT_MOST, 1);
}

static void measure(sweep *s)
{
    double loading[2] = {best_cpu(s->repeats, load_umb, s), best_cpu(s->repeats, load_compact, s)};
    bench_figure("Foray: loading UMB", 1e3 * loading[0], "ms");
    bench_figure("Foray: loading compact", 1e3 * loading[1], "ms");
    bench_check(s->ctx, foray_model_load(s->ctx, s->compact, &s->model));
    make_reward(s);
    s->transition_steps = (double)s->model->succ_start[s->model->pairs] * HORIZON;
    exact e = {.arena.ctx = s->ctx};
    bench_check(s->ctx,
                fy_exact_create(&e.arena, s->model, foray_model_theta(s->model), false, &e.plan));
    fy_exact_set(&e.plan, s->reward);
    report("Foray: values in the loop", best_cpu(s->repeats, compute, &e), s);
    s->value = e.value;
    fy_arena_release(&e.arena);
    double computing = best_cpu(s->repeats, prepare_and_compute, s);
    report("Foray: values, from the model on", computing, s);
    report("Foray: what can be reached, with its policy", best_cpu(s->repeats, plan_known, s), s);
    report("plain CSR sweep: values", csr_seconds(s), s);
    compare_with_storm(s, loading, computing);
    foray_reward_destroy(s->reward);
    foray_model_destroy(s->model);
}

static void bench_size(foray_context *ctx, int64_t states)
{
    sweep s = {
        .ctx = ctx, .rows = (int64_t)sqrt((double)states), .repeats = states > 3000000 ? 1 : 3};
    char title[64];
    fy_format(s.compact, sizeof s.compact, "bench-sweep-%d.compact", (int)getpid());
    fy_format(s.umb, sizeof s.umb, "bench-sweep-%d.umb", (int)getpid());
    fy_format(title, sizeof title, "a grid of %" PRId64 " states", s.rows * s.rows);
    make_files(&s);
    bench_title(title);
    measure(&s);
    remove(s.compact);
    remove(s.umb);
}

int main(int count, char **argument)
{
    static const int64_t sizes[] = {10000, 100000, 1000000, 10000000};
    foray_context *ctx = foray_context_create();
    printf("The largest expected reward of %d steps in every state, one thread\n", HORIZON);
    for (int i = 1; i < count; i++)
        bench_size(ctx, (int64_t)strtod(argument[i], NULL));
    for (size_t i = 0; count == 1 && i < sizeof sizes / sizeof *sizes; i++)
        bench_size(ctx, sizes[i]);
    foray_context_destroy(ctx);
    return 0;
}
