/* passive.c - see passive.h. */
#include "explore/mixture/passive.h"

foray_status fy_passive_create(foray_explorer *explorer)
{
    return fy_learner_create(explorer, sizeof(fy_learner), 1);
}

void fy_passive_begin_episode(foray_explorer *explorer)
{
    fy_learner *learner = explorer->self;
    if (!fy_explorer_plan_due(explorer))
        return;
    fy_learner_maximise(learner, true);
    fy_ridge_mark(learner->ridge);
    fy_explorer_planned(explorer);
}
