/* plan.c - the recursion of PLAN, for one reward or FY_LANES of them at once.
 *
 *   V_{H+1} = 0, or the reward's ending;  for h = H..1:
 *     Q_h(s,a) = [ r_h(s,a) + <psi_{V_{h+1}}, theta> + sign radius ||psi'_{V_{h+1}}|| ]_[0, c_h]
 *     V_h(s) = max_a Q_h(s,a),  pi_h(s) = argmax_a Q_h(s,a)
 *
 * c_h = H-h+1 (remaining) or H (horizon, as printed in the paper). Ties go to the larger
 * Q before clipping, then to the lower index: while bonuses saturate the clip, "lowest
 * index" alone would send every episode the same way.
 *
 * A pessimistic plan needs another rule. Where little is known all its Q are clipped to 0, and
 * the larger Q before clipping is merely the one of the least that could be gained. There
 * the value V^ without bonus of the policy that is sought decides (`plain`): of all policies with
 * the largest pessimistic value, the one that looks best,
 *
 *     Q^_h(s,a) = r_h(s,a) + <psi_{V^_{h+1}}, theta>,   V^_h(s) = Q^_h(s, pi_h(s)). */
#include "base/threads.h"
#include "plan/backup.h"

#include <math.h>
#include <string.h>

const fy_backups *fy_backups_of(int level)
{
#define ROW(name) &fy_backups_##name,
    static const fy_backups *const of_level[FY_LEVELS] = {FY_LEVEL_LIST(ROW)};
#undef ROW
    return of_level[level];
}

static fy_backup_states *choose_backup(const fy_plan_task *task)
{
    const fy_backups *backups = task->kernel->backups;
    bool single = task->kernel->single != NULL;
    if (task->lanes == 1)
        return single ? backups->one_single : backups->one_double;
    return single ? backups->many_single : backups->many_double;
}

/* c_h = H-t or H; less where the reward cannot give as much. */
static double limit_of(const fy_plan_task *task, int64_t t)
{
    int64_t horizon = task->kernel->basis->model->horizon;
    if (task->clip != FORAY_CLIP_REMAINING)
        return (double)horizon;
    return task->reward.limit ? task->reward.limit[t] : (double)(horizon - t);
}

/* The numbers of step t (h = t+1). */
static fy_backup step_of(const fy_plan_task *task, int64_t t)
{
    const fy_kernel *kernel = task->kernel;
    const foray_model *model = kernel->basis->model;
    int64_t layer = model->states * task->lanes;
    int64_t of_step = task->stepwise ? 0 : t * layer;
    bool ahead = task->reward.next != NULL;
    return (fy_backup){
        .kernel = kernel,
        .pairs = model->pairs,
        .actions = model->actions,
        .lanes = task->lanes,
        .batch = fy_kernel_batch(kernel, task->lanes),
        .alike = kernel->alike,
        .centred = kernel->basis->centred,
        .clip_first = task->ties == FORAY_TIES_LOWEST,
        .generator_set = model->generator_set,
        .succ = ahead ? task->reward.place : model->succ,
        .succ_start = model->succ_start,
        .gen_start = model->gen_start,
        .p = kernel->p,
        .columns = kernel->columns,
        .spread = kernel->spread,
        .factor = kernel->single ? (const void *)kernel->single : kernel->factor,
        .reward = task->reward.table[t],
        .scale = task->reward.scale ? task->reward.scale[t] : 1,
        .cap = task->reward.cap,
        .sign = kernel->factor || kernel->single ? task->sign : 0,
        .limit = limit_of(task, t),
        .zeta = kernel->zeta,
        .next_value = ahead ? task->reward.target : fy_plan_values(task, t + 1),
        .value = fy_plan_values(task, t),
        .next_plain = !task->plain ? NULL
                      : ahead      ? task->reward.target_plain
                                   : task->plain + (t + 1) % 2 * layer,
        .plain = task->plain ? task->plain + t % 2 * layer : NULL,
        .follow = task->follow ? task->follow + of_step : NULL,
        .policy = task->policy ? task->policy + of_step : NULL,
    };
}

/* The room of a thread: two numbers for each pair of a batch, and a line before them. */
static void take_scratch(fy_backup *step, int thread)
{
    const fy_kernel *kernel = step->kernel;
    step->q = fy_line_start(kernel->scratch + thread * kernel->scratch_size) + FY_LINE;
    step->squares = step->q + step->batch * step->actions * step->lanes;
}

/* Where the reward looks ahead: r_h(s,a,s_j) + V_{h+1}(s_j) for the pairs of the states from..to-1,
 * one number per transition, so that the backup finds it in the place of V_{h+1}(s_j). */
static void add_next_rewards(const fy_plan_task *task, int64_t t, int64_t from, int64_t to,
                             const double *V, double *target)
{
    const foray_model *model = task->kernel->basis->model;
    const double *next = task->reward.next[t];
    double scale = task->reward.scale ? task->reward.scale[t] : 1;
    int64_t end = model->succ_start[to * model->actions];
    for (int64_t i = model->succ_start[from * model->actions]; i < end; i++)
        target[i] = (next ? scale * next[i] : 0) + V[model->succ[i]];
}

/* Where the reward stops: V_h(s) = fixed(s). */
static void hold_fixed(const fy_plan_task *task, int64_t from, int64_t to, double *V)
{
    for (int64_t s = from; s < to; s++)
        if (!isnan(task->reward.fixed[s]))
            V[s] = task->reward.fixed[s];
}

/* Where an action won that its state does not have, the one it stands in for did. */
static void resolve_stand_ins(const fy_plan_task *task, int64_t from, int64_t to, int32_t *policy)
{
    const foray_model *model = task->kernel->basis->model;
    for (int64_t i = from * task->lanes; i < to * task->lanes; i++) {
        int64_t first = i / task->lanes * model->actions;
        policy[i] = (int32_t)(model->stand_in[first + policy[i]] - first);
    }
}

/* The states from..to-1 of step t. */
static void back_up(const fy_plan_task *task, fy_backup_states *backup, const fy_backup *step,
                    int64_t t, int64_t from, int64_t to)
{
    int64_t S = task->kernel->basis->model->states;
    const double *V = fy_plan_values(task, t + 1); /* where there is one lane */
    if (task->reward.next)
        add_next_rewards(task, t, from, to, V, task->reward.target);
    if (task->reward.next && task->plain)
        add_next_rewards(task, t, from, to, task->plain + (t + 1) % 2 * S,
                         task->reward.target_plain);
    backup(step, from, to);
    if (step->policy && task->kernel->basis->model->stand_in)
        resolve_stand_ins(task, from, to, step->policy);
    if (task->reward.fixed)
        hold_fixed(task, from, to, step->value);
    if (task->reward.fixed && task->plain)
        hold_fixed(task, from, to, step->plain);
}

/* Threads share the states of a step; each state is computed by one of them, alone. */
enum { STATES_SHARED = 256, WORK_WORTH_THREADS = 1 << 14 };

typedef struct shared_step {
    const fy_plan_task *task;
    fy_backup_states *backup;
    fy_backup step;
    int64_t t, states; /* of a piece */
} shared_step;

static void plan_piece(void *job, int64_t piece, int thread)
{
    const shared_step *shared = job;
    const fy_plan_task *task = shared->task;
    int64_t states = task->kernel->basis->model->states;
    int64_t from = piece * shared->states, to = from + shared->states;
    fy_backup step = shared->step;
    take_scratch(&step, thread);
    if (!fy_stopped(task->kernel->ctx))
        back_up(task, shared->backup, &step, shared->t, from, to < states ? to : states);
}

/* V_{H+1}. */
static void end_values(const fy_plan_task *task, double *V)
{
    size_t bytes = (size_t)(task->kernel->basis->model->states * task->lanes) * sizeof *V;
    if (task->reward.ending)
        memcpy(V, task->reward.ending, bytes);
    else
        memset(V, 0, bytes);
}

void fy_plan_begin(const fy_plan_task *task)
{
    const foray_model *model = task->kernel->basis->model;
    end_values(task, fy_plan_values(task, model->horizon));
    if (task->plain)
        end_values(task, task->plain + model->horizon % 2 * model->states * task->lanes);
}

void fy_plan_step(const fy_plan_task *task, int64_t t)
{
    const foray_model *model = task->kernel->basis->model;
    int64_t work = model->succ_start[model->pairs] * task->lanes;
    int threads = work >= WORK_WORTH_THREADS ? task->kernel->threads : 1;
    shared_step shared = {
        .task = task, .backup = choose_backup(task), .t = t, .step = step_of(task, t)};
    shared.states = threads > 1 ? STATES_SHARED : model->states;
    int64_t pieces = (model->states + shared.states - 1) / shared.states;
    fy_progress_step(task->kernel->ctx, model->horizon - 1 - t, model->horizon);
    fy_share(task->kernel->ctx, threads, pieces, plan_piece, &shared);
}

/* E_mu V = sum_s mu(s) V(s), in the model's order, lane by lane. */
static void initial_means(const foray_model *model, const double *value, int lanes, double *mean)
{
    for (int lane = 0; lane < lanes; lane++)
        mean[lane] = 0;
    for (int64_t i = 0; i < model->initials; i++)
        for (int lane = 0; lane < lanes; lane++)
            mean[lane] += model->initial_probability[i] *
                          value[(int64_t)model->initial_state[i] * lanes + lane];
}

double fy_initial_mean(const foray_model *model, const double *value)
{
    double mean;
    initial_means(model, value, 1, &mean);
    return mean;
}

void fy_plan_end(const fy_plan_task *task, double *mean)
{
    initial_means(task->kernel->basis->model, task->value, task->lanes, mean);
}

void fy_plan(const fy_plan_task *task, double *mean)
{
    const foray_model *model = task->kernel->basis->model;
    fy_plan_begin(task);
    for (int64_t t = model->horizon - 1; t >= 0 && !fy_stopped(task->kernel->ctx); t--)
        fy_plan_step(task, t);
    fy_plan_end(task, mean);
}
