/* plan.c - the recursion of PLAN, for one reward or FY_LANES of them at once.
 *
 *   V_{H+1} = 0;  for h = H..1:
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

/* The numbers of step t (h = t+1): c_h = H-t or H. */
static fy_backup step_of(const fy_plan_task *task, int64_t t)
{
    const fy_kernel *kernel = task->kernel;
    const foray_model *model = kernel->basis->model;
    int64_t layer = model->states * task->lanes;
    bool remaining = task->clip == FORAY_CLIP_REMAINING;
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
        .succ = model->succ,
        .succ_start = model->succ_start,
        .p = kernel->p,
        .columns = kernel->columns,
        .factor = kernel->single ? (const void *)kernel->single : kernel->factor,
        .reward = task->reward.table[t],
        .scale = task->reward.scale ? task->reward.scale[t] : 1,
        .cap = task->reward.cap,
        .sign = kernel->factor || kernel->single ? task->sign : 0,
        .limit = (double)(remaining ? model->horizon - t : model->horizon),
        .zeta = kernel->zeta,
        .next_value = task->value + (t + 1) % task->layers * layer,
        .value = task->value + t % task->layers * layer,
        .next_plain = task->plain ? task->plain + (t + 1) % 2 * layer : NULL,
        .plain = task->plain ? task->plain + t % 2 * layer : NULL,
        .follow = task->follow ? task->follow + t * layer : NULL,
        .policy = task->policy ? task->policy + t * layer : NULL,
    };
}

/* The room of a thread: two numbers for each pair of a batch. */
static void take_scratch(fy_backup *step, int thread)
{
    const fy_kernel *kernel = step->kernel;
    step->q = fy_line_start(kernel->scratch + thread * kernel->scratch_size);
    step->squares = step->q + step->batch * step->actions * step->lanes;
}

/* Threads share the states of a step; each state is computed by one of them, alone. */
enum { STATES_PER_CHUNK = 256, WORK_WORTH_THREADS = 1 << 14 };

static void plan_together(const fy_plan_task *task, fy_backup_states *backup)
{
    const foray_model *model = task->kernel->basis->model;
    int64_t states = model->states;
#pragma omp parallel num_threads(task->kernel->threads)
    for (int64_t t = model->horizon - 1; t >= 0; t--) {
        fy_backup step = step_of(task, t);
        take_scratch(&step, fy_thread());
#pragma omp for schedule(dynamic)
        for (int64_t from = 0; from < states; from += STATES_PER_CHUNK)
            backup(&step, from,
                   from + STATES_PER_CHUNK < states ? from + STATES_PER_CHUNK : states);
    }
}

/* The same without a team of threads, which would be allocated. */
static void plan_alone(const fy_plan_task *task, fy_backup_states *backup)
{
    const foray_model *model = task->kernel->basis->model;
    for (int64_t t = model->horizon - 1; t >= 0; t--) {
        fy_backup step = step_of(task, t);
        take_scratch(&step, 0);
        backup(&step, 0, model->states);
    }
}

void fy_plan(const fy_plan_task *task, double *mean)
{
    const foray_model *model = task->kernel->basis->model;
    int64_t layer = model->states * task->lanes;
    int64_t work = model->succ_start[model->pairs] * task->lanes;
    fy_backup_states *backup = choose_backup(task);

    memset(task->value + model->horizon % task->layers * layer, 0, (size_t)layer * sizeof(double));
    if (task->plain)
        memset(task->plain + model->horizon % 2 * layer, 0, (size_t)layer * sizeof(double));
    if (task->kernel->threads > 1 && work >= WORK_WORTH_THREADS)
        plan_together(task, backup);
    else
        plan_alone(task, backup);
    fy_plan_mean(model, task->value, task->lanes, mean);
}

/* E_mu V = sum_s mu(s) V(s), in the model's order. */
void fy_plan_mean(const foray_model *model, const double *value, int lanes, double *mean)
{
    for (int lane = 0; lane < lanes; lane++)
        mean[lane] = 0;
    for (int64_t i = 0; i < model->initials; i++)
        for (int lane = 0; lane < lanes; lane++)
            mean[lane] += model->initial_probability[i] *
                          value[(int64_t)model->initial_state[i] * lanes + lane];
}
