/* threads.h - work that threads share.
 *
 *     fy_share(ctx, threads, pieces, piece, job)
 *
 * calls piece(job, i, thread) for every i < pieces, in at most `threads` threads, which are
 * numbered from 0; who takes which piece is a matter of time. The caller is thread 0 and begins at
 * once; others help as they come. It waits for pieces that somebody has begun, never for somebody
 * to begin: where other programs keep the processors busy, it is about as fast as alone. What
 * pieces wrote is there once it returns.
 *
 * A piece that shares work in turn does all of it itself, as thread 0. */
#ifndef FY_THREADS_H
#define FY_THREADS_H

#include "base/base.h"

typedef void fy_piece(void *job, int64_t piece, int thread);
void fy_share(foray_context *ctx, int threads, int64_t pieces, fy_piece *piece, void *job);

/* The threads of a context end with it. */
void fy_team_dismiss(fy_team *team);

#endif
