/* marks.c - what is marked on maps: where episodes start, and where a reward is earned. */
#include "report/report.h"
#include "reward/reward.h"

#include <math.h>

enum { MOST_MARKED = 4 }; /* more of them are a landscape, not a place to go to */

bool fy_report_starts(const fy_report *report, int64_t state)
{
    const foray_model *model = report->model;
    for (int64_t i = 0; i < model->initials && model->initials <= MOST_MARKED; i++)
        if (model->initial_state[i] == state && model->initial_probability[i] > 0)
            return true;
    return false;
}

/* The most that is earned in a state, at the first, the middle or the last step; for rewards that
 * ask to reach a state, 1 there. */
static double earned_in(const fy_report *report, const foray_reward *reward, int64_t s)
{
    const foray_model *model = report->model;
    const int64_t steps[] = {0, model->horizon / 2, model->horizon - 1};
    double max = -INFINITY;
    if (reward->fixed)
        return isnan(reward->fixed[s]) ? 0 : reward->fixed[s];
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        for (int64_t a = 0; a < model->actions; a++)
            if (foray_model_available(model, s, a))
                max = fmax(max, foray_reward_at(reward, steps[i], s, a));
    return max;
}

/* The states that earn the most, if they are few. */
int64_t fy_report_goals(const fy_report *report, const foray_reward *reward, bool *goal)
{
    int64_t states = report->model->states, count = 0;
    double max = 0;
    for (int64_t s = 0; s < states; s++)
        max = fmax(max, earned_in(report, reward, s));
    for (int64_t s = 0; s < states; s++) {
        goal[s] = max > 0 && earned_in(report, reward, s) == max;
        count += goal[s];
    }
    for (int64_t s = 0; s < states && count > MOST_MARKED; s++)
        goal[s] = false;
    return count <= MOST_MARKED ? count : 0;
}
