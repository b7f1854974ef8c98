/* stored_model.c - the model that is kept in a run: read, and compared, piece by piece, so that
 * opening a run takes little more memory than its model. */
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- reading it */

/* Models of open worlds are kept as JSON, and are small. */
static foray_status parse_model(foray_run *run, size_t bytes)
{
    uint8_t *data;
    foray_status status = fy_store_get_pieces(run->store, "model", 0, bytes, &data);
    if (status != FORAY_OK)
        return status;
    status = foray_model_parse(run->ctx, data, bytes, run->store->path, &run->model);
    free(data);
    return status;
}

static foray_status read_model(foray_run *run, size_t bytes)
{
    fy_pieces pieces;
    uint8_t start[FY_MODEL_MAGIC_SIZE];
    foray_status status = fy_pieces_begin(&pieces, run->store, "model", 0, bytes);
    if (status != FORAY_OK)
        return status;
    bool compact = bytes >= sizeof start && fy_pieces_fetch(&pieces, 0, start, sizeof start) &&
                   fy_model_is_compact(start, sizeof start);
    if (compact)
        status = fy_model_fetch_compact(run->ctx, fy_pieces_fetch, &pieces, bytes, run->store->path,
                                        &run->model);
    /* What is wrong with a piece says more than what then seemed wrong with the model. */
    foray_status whole = fy_pieces_end(&pieces);
    if (whole != FORAY_OK)
        return whole;
    return compact ? status : parse_model(run, bytes);
}

foray_status fy_run_load_model(foray_run *run)
{
    char *text;
    foray_status status = fy_store_get_meta(run->store, "model_bytes", &text);
    if (status != FORAY_OK)
        return status;
    int64_t bytes = 0;
    (void)foray_whole_read(text, &bytes); /* a damaged number finds no model of its size */
    free(text);
    status = read_model(run, (size_t)bytes);
    return status == FORAY_ERROR_INPUT ? FORAY_ERROR_RUN : status;
}

/* ------------------------------------------------------------- comparing it */

typedef struct comparison {
    fy_pieces pieces;
    size_t at;
    bool differs;
} comparison;

/* Takes what the run's model is written as, and looks for the same in the file. */
static void compare_bytes(void *sink, const void *data, size_t size)
{
    comparison *c = sink;
    const uint8_t *expected = data;
    uint8_t found[4096];
    while (size > 0 && !c->differs) {
        size_t bytes = size < sizeof found ? size : sizeof found;
        c->differs = !fy_pieces_fetch(&c->pieces, c->at, found, bytes) ||
                     memcmp(found, expected, bytes) != 0;
        expected += bytes;
        c->at += bytes;
        size -= bytes;
    }
}

/* The bytes of the run's model, to `compare_bytes`. */
static foray_status send_model(foray_run *run, comparison *c)
{
    fy_writer writer = {.ctx = run->ctx, .send = compare_bytes, .sink = c};
    if (!foray_model_is_open(run->model)) {
        fy_model_write_compact(run->model, &writer);
    } else {
        char *text;
        size_t size;
        foray_status status =
            foray_model_print(run->ctx, run->model, FORAY_MODEL_COMPACT, &text, &size);
        if (status != FORAY_OK)
            return status;
        fy_write_bytes(&writer, text, size);
        free(text);
    }
    fy_writer_flush(&writer);
    free(writer.data);
    return writer.failed ? FORAY_ERROR_MEMORY : FORAY_OK;
}

foray_status fy_run_check_model(foray_run *run)
{
    comparison c = {0};
    int64_t held;
    foray_status status = fy_store_number(
        run->store, "SELECT coalesce(sum(length(data)), 0) FROM piece WHERE kind = 'model'", &held);
    if (status == FORAY_OK)
        status = fy_pieces_begin(&c.pieces, run->store, "model", 0, (size_t)held);
    if (status != FORAY_OK)
        return status;
    status = send_model(run, &c);
    foray_status whole = fy_pieces_end(&c.pieces);
    if (status == FORAY_OK)
        status = whole;
    if (status == FORAY_OK && (c.differs || c.at != (size_t)held))
        status = fy_store_damaged(run->store, "its model has changed");
    return status;
}
