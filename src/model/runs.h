/* runs.h - what a builder was told of its pairs, kept small, handed out pair by pair.
 *
 * A *run* is what consecutive calls said of one pair: entries, or successors whose feature
 * vectors are a list that is kept elsewhere because many pairs have it. Runs come in any order
 * of pairs. They lie in chunks, one behind the other; to be handed out in order they move into
 * groups of neighbouring pairs, and each chunk is released as soon as it has been read, so that
 * sorting takes hardly more memory than the runs themselves. */
#ifndef FY_RUNS_H
#define FY_RUNS_H

#include "base/base.h"

/* phi(next|s,a) has a value at a coordinate. */
typedef struct fy_entry {
    int32_t next;
    int32_t coordinate; /* -1: a successor without features. Tabular: not known before the end */
    double value;       /* of the feature; mixture and tabular: the probability */
} fy_entry;

/* `list` >= 0: `count` successors follow. -1: `count` entries. */
typedef struct fy_run {
    int32_t pair, list, count;
    const int32_t *word;
} fy_run;

typedef struct fy_chunk fy_chunk;

typedef struct fy_chunks {
    fy_chunk *first, *last;
    size_t words;
} fy_chunks;

typedef struct fy_run_group {
    fy_chunks chunks;
    int64_t from, end; /* pairs */
} fy_run_group;

typedef struct fy_runs {
    int64_t pairs; /* of the model: runs are about 0 to pairs - 1 */
    fy_chunks chunks;
    int64_t last_pair; /* of the run added last */
    bool scattered;    /* pairs did not ascend: some may have several runs */
    int64_t groups;
    fy_run_group *group;
} fy_runs;

/* FORAY_ERROR_MEMORY, and nothing has changed. Successors or entries, by the sign of `list`. */
foray_status fy_runs_add(foray_context *ctx, fy_runs *runs, int64_t pair, int32_t list,
                         int64_t count, const void *item);

/* Before runs are visited, and after more were added. */
foray_status fy_runs_sort(foray_context *ctx, fy_runs *runs);

/* Calls `visit` for each pair of which something was said, pairs ascending, with its runs as
 * they were added; ends at the first status that is not FORAY_OK. With `spend` what was visited
 * is released on the way, and nothing is left. */
typedef foray_status fy_runs_visitor(void *user, const fy_run *run, int64_t count);
foray_status fy_runs_visit(foray_context *ctx, fy_runs *runs, bool spend, fy_runs_visitor *visit,
                           void *user);

/* Entry k of a run without a list. */
fy_entry fy_run_entry(const fy_run *run, int64_t k);

void fy_runs_free(fy_runs *runs);

#endif
