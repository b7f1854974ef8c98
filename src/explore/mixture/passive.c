/* passive.c - see passive.h. */
#include "explore/mixture/passive.h"

#include <stdlib.h>

typedef struct passive {
    bool stale; /* new targets before the next episode */
} passive;

foray_status fy_passive_create(foray_explorer *explorer)
{
    passive *self = fy_alloc(explorer->ctx, 1, sizeof *self);
    if (self == NULL)
        return FORAY_ERROR_MEMORY;
    explorer->self = self;
    self->stale = true;
    return fy_learner_create(explorer, 1);
}

void fy_passive_destroy(foray_explorer *explorer)
{
    free(explorer->self);
    fy_learner_destroy(explorer->learner);
}

void fy_passive_begin_episode(foray_explorer *explorer)
{
    passive *self = explorer->self;
    if (!self->stale)
        return;
    fy_learner_maximise(explorer->learner, true);
    fy_ridge_mark(explorer->learner->ridge);
    self->stale = false;
    explorer->plans++;
}

void fy_passive_observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j)
{
    fy_learner_observe(explorer->learner, t, pair, j);
}

void fy_passive_end_episode(foray_explorer *explorer)
{
    passive *self = explorer->self;
    self->stale = fy_learner_outgrown(&explorer->settings, explorer->learner->ridge);
}

void fy_passive_save(foray_explorer *explorer, fy_writer *writer)
{
    const passive *self = explorer->self;
    fy_write_u64(writer, self->stale);
    fy_learner_write(explorer->learner, writer);
}

void fy_passive_load(foray_explorer *explorer, fy_reader *reader)
{
    passive *self = explorer->self;
    self->stale = fy_read_u64(reader) != 0;
    fy_learner_read(explorer->learner, reader);
}
