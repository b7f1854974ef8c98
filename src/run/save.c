/* save.c - what makes episodes durable: one transaction for the episodes since the
 * last one, the trace, and now and then a checkpoint of the explorer. */
#include "run/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ----------------------------------------------------------- transactions */

static foray_status put_batch(foray_run *run, fy_head *head)
{
    if (run->buffered == 0)
        return FORAY_OK;
    fy_row row;
    fy_row_prepare(&row, run->store, "episodes",
                   "INSERT INTO episodes(first, count, data, crc) VALUES(?1, ?2, ?3, ?4)");
    fy_row_put_int(&row, head->episodes);
    fy_row_put_int(&row, run->buffered);
    fy_row_put_blob(&row, run->buffer, (size_t)run->buffered * run->codec.episode_bytes);
    head->episodes += run->buffered;
    head->batches++;
    return fy_row_insert(&row);
}

static foray_status put_points(foray_run *run, fy_head *head)
{
    foray_status status = FORAY_OK;
    for (int64_t i = 0; status == FORAY_OK && i < run->points; i++) {
        fy_row row;
        fy_row_prepare(&row, run->store, "trace",
                       "INSERT INTO trace(episodes, plans, bound, crc) VALUES(?1, ?2, ?3, ?4)");
        fy_row_put_int(&row, run->pending[i].episodes);
        fy_row_put_int(&row, run->pending[i].plans);
        fy_row_put_real(&row, run->pending[i].bound);
        status = fy_row_insert(&row);
        head->points++;
    }
    return status;
}

/* The new checkpoint and the one before it stay. There may be one for these
 * episodes already, if it could not be read. */
static foray_status put_checkpoint(foray_run *run, int64_t episodes, const uint8_t *data,
                                   size_t size)
{
    fy_row row;
    fy_row_prepare(&row, run->store, "checkpoints",
                   "REPLACE INTO checkpoint(episodes, bytes, crc) VALUES(?1, ?2, ?3)");
    fy_row_put_int(&row, episodes);
    fy_row_put_int(&row, (int64_t)size);
    foray_status status = fy_row_insert(&row);
    if (status == FORAY_OK)
        status = fy_store_put_pieces(run->store, "checkpoint", episodes, data, size);
    if (status == FORAY_OK)
        status = fy_store_run(run->store,
                              "DELETE FROM checkpoint WHERE episodes NOT IN"
                              " (SELECT episodes FROM checkpoint ORDER BY episodes DESC LIMIT 2)");
    int64_t oldest = episodes;
    if (status == FORAY_OK)
        status = fy_store_number(run->store, "SELECT min(episodes) FROM checkpoint", &oldest);
    if (status == FORAY_OK)
        status = fy_store_drop_pieces_before(run->store, "checkpoint", oldest);
    return status;
}

/* Episodes, trace and checkpoint in one transaction; data = NULL: no checkpoint. */
static foray_status commit_all(foray_run *run, const uint8_t *data, size_t size)
{
    foray_status status = fy_store_begin(run->store, true);
    if (status != FORAY_OK)
        return status;
    fy_head head = run->store->head;
    status = put_batch(run, &head);
    if (run->explorer->through_clusters)
        run->source = FY_SOURCE_CLUSTERS;
    if (status == FORAY_OK && run->source != run->source_saved)
        status = fy_store_put_meta(run->store, "source", fy_source_name[run->source]);
    if (status == FORAY_OK)
        status = put_points(run, &head);
    if (status == FORAY_OK && data)
        status = put_checkpoint(run, head.episodes, data, size);
    if (status != FORAY_OK) {
        fy_store_rollback(run->store);
        return status;
    }
    status = fy_store_commit(run->store, &head);
    if (status != FORAY_OK)
        return status;
    run->buffered = run->points = 0;
    run->source_saved = run->source;
    return FORAY_OK;
}

bool fy_run_checkpoint_due(const foray_run *run)
{
    double since = fy_clock() - run->checkpoint_clock;
    return since >= run->checkpoint_gap && since >= run->checkpoint_cost / run->checkpoint_share;
}

foray_status fy_run_commit(foray_run *run, bool checkpoint)
{
    if (!checkpoint || run->spoilt || run->checkpointed == fy_run_recorded(run))
        return run->buffered == 0 && run->points == 0 ? FORAY_OK : commit_all(run, NULL, 0);
    double start = fy_clock();
    uint8_t *data;
    size_t size;
    foray_status status = foray_explorer_save(run->explorer, &data, &size);
    if (status != FORAY_OK)
        return status;
    status = commit_all(run, data, size);
    free(data);
    if (status == FORAY_OK) {
        run->checkpointed = run->store->head.episodes;
        run->checkpoint_clock = fy_clock();
        run->checkpoint_cost = run->checkpoint_clock - start;
    }
    return status;
}

foray_status foray_run_save(foray_run *run)
{
    foray_status status = fy_run_writable(run);
    return status == FORAY_OK ? fy_run_commit(run, fy_run_checkpoint_due(run)) : status;
}

/* --------------------------------------------------------------- recording */

foray_status foray_run_record(foray_run *run, const int32_t *states, const int32_t *actions)
{
    foray_status status = fy_run_writable(run);
    if (status != FORAY_OK)
        return status;
    if (run->explorer->step >= 0 || run->explorer->episodes != fy_run_recorded(run) + 1)
        return fy_fail(run->ctx, FORAY_ERROR_USAGE,
                       "%s: record each episode once, after the explorer has ended it",
                       run->store->path);
    if (run->source == FY_SOURCE_MODEL)
        run->source = FY_SOURCE_OTHER;
    return fy_run_append(run, states, actions);
}

foray_status fy_run_append(foray_run *run, const int32_t *states, const int32_t *actions)
{
    if (run->codec.ends == 0 && actions[run->codec.horizon - 1] < 0) {
        run->spoilt = true;
        return fy_fail(run->ctx, FORAY_ERROR_USAGE,
                       "%s: an episode was cut off, which cannot be stored of a model with %" PRId64
                       " actions",
                       run->store->path, run->codec.actions);
    }
    if (run->buffered == run->room) {
        foray_status status = commit_all(run, NULL, 0);
        if (status != FORAY_OK)
            return status;
    }
    size_t at = (size_t)run->buffered * run->codec.episode_bytes;
    fy_codec_encode(&run->codec, states, actions, run->buffer + at);
    run->buffered++;
    return FORAY_OK;
}

foray_status fy_run_measure(foray_run *run)
{
    foray_explorer_facts facts;
    foray_status status = foray_explorer_describe(run->explorer, &facts);
    foray_certificate certificate = {.gap = NAN};
    bool bounded = false;
    if (status == FORAY_OK)
        status = fy_explorer_bounded(run->explorer, &bounded);
    if (status == FORAY_OK && bounded)
        status = foray_explorer_bound(run->explorer, &certificate);
    if (status == FORAY_OK && run->points == FY_POINTS_PENDING)
        status = commit_all(run, NULL, 0);
    if (status != FORAY_OK)
        return status;
    run->last = (fy_point){run->explorer->episodes, facts.plans, certificate.gap};
    run->pending[run->points++] = run->last;
    return FORAY_OK;
}
