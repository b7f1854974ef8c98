/* gap_doubt.c - where a certificate comes from: shares of states, choices and laws (gap.h). */
#include "certify/gap_pass.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------ during the pass */

/* The norm of each block of v, for the explanation of one choice. */
static void note_parts(const fy_gap_pass *gap, const double *v, double *part)
{
    const int64_t *at = gap->set->ridge->at_vector;
    for (int64_t g = 0; g < gap->set->basis->blocks; g++) {
        double square = 0;
        for (int64_t i = at[g]; i < at[g + 1]; i++)
            square += v[i] * v[i];
        part[g] = sqrt(square);
    }
}

/* Where another action attains D: the laws in dJ, which `advantage` left in other->J. */
void fy_gap_explain_choice(fy_gap_pass *gap)
{
    double *part = gap->doubt->part;
    if (gap->unknowns > 0) {
        note_parts(gap, gap->other.J, part);
        return;
    }
    memset(part, 0, (size_t)gap->set->basis->blocks * sizeof *part);
    part[gap->mine.block] += gap->mine.first;
    part[gap->other.block] += gap->other.first;
}

/* Where pi's own action does: the law of what follows. */
void fy_gap_explain_following(fy_gap_pass *gap)
{
    memset(gap->doubt->part, 0, (size_t)gap->set->basis->blocks * sizeof *gap->doubt->part);
    gap->doubt->part[gap->mine.block] = 1;
}

/* First D_h(s) - sum_j p_j D_{h+1}(s_j), of the action that attains D; once these have been
 * weighed, each law's part of it. */
void fy_gap_note_doubt(fy_gap_pass *gap, int64_t t, int64_t s, int64_t best)
{
    const foray_model *model = gap->model;
    fy_gap_doubt *doubt = gap->doubt;
    int64_t pair = s * model->actions + best, at = t * model->states + s;
    int64_t blocks = gap->set->basis->blocks;
    const double *p = gap->set->p + model->gen_start[model->generator_set[pair]];
    const int32_t *next = model->succ + model->succ_start[pair];
    double expected = 0;
    if (doubt->weighed) {
        double total = 0;
        for (int64_t g = 0; g < blocks && doubt->share[at] > 0; g++)
            total += doubt->part[g];
        for (int64_t g = 0; g < blocks && total > 0; g++)
            doubt->law[g] += doubt->share[at] * doubt->part[g] / total;
        return;
    }
    for (int64_t j = 0; j < model->succ_start[pair + 1] - model->succ_start[pair]; j++)
        expected += p[j] * gap->after.D[next[j]];
    doubt->choice[at] = (int32_t)best;
    doubt->share[at] = fmax(0, gap->now.D[s] - expected);
}

/* ---------------------------------------------------------------- after it */

/* From mu forwards, weighing each state's doubt by its occupancy under the choices. */
static void weigh_doubt(fy_gap_pass *gap, fy_gap_doubt *doubt)
{
    const foray_model *model = gap->model;
    int64_t S = model->states;
    const double *fixed = gap->layout.reward.fixed;
    double *now = gap->now.D, *after = gap->now.E; /* no longer needed */
    memset(now, 0, (size_t)S * sizeof *now);
    for (int64_t i = 0; i < model->initials; i++)
        now[model->initial_state[i]] = model->initial_probability[i];
    for (int64_t t = 0; t < model->horizon; t++) {
        memset(after, 0, (size_t)S * sizeof *after);
        for (int64_t s = 0; s < S; s++) {
            int64_t at = t * S + s, pair = s * model->actions + doubt->choice[at];
            const double *p = gap->set->p + model->gen_start[model->generator_set[pair]];
            if (fixed && !isnan(fixed[s]))
                continue;
            for (int64_t j = model->succ_start[pair]; j < model->succ_start[pair + 1]; j++)
                after[model->succ[j]] += now[s] * p[j - model->succ_start[pair]];
            doubt->share[at] *= now[s];
        }
        double *swap = now;
        now = after;
        after = swap;
    }
}

fy_gap_result fy_gap_explain(fy_gap_pass *gap, const foray_reward *reward, const int32_t *action,
                             fy_gap_doubt *doubt)
{
    gap->doubt = doubt;
    doubt->weighed = false;
    memset(doubt->law, 0, (size_t)gap->set->basis->blocks * sizeof *doubt->law);
    fy_gap_result result = fy_gap_certify(gap, reward, action);
    weigh_doubt(gap, doubt);
    doubt->weighed = true;
    fy_gap_certify(gap, reward, action);
    gap->doubt = NULL;
    return result;
}
