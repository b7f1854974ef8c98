/* threads_none.c - in the place of threads.c where there are no threads. */
#include "base/threads.h"

void fy_share(foray_context *ctx, int threads, int64_t pieces, fy_piece *piece, void *job)
{
    (void)ctx, (void)threads;
    for (int64_t i = 0; i < pieces; i++)
        piece(job, i, 0);
}

void fy_team_dismiss(fy_team *team)
{
    (void)team;
}
