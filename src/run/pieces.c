/* pieces.c - large contents of a run in pieces, each packed by itself: the model, checkpoints,
 * rewards, policies. One piece at a time is in memory. */
#include "run/pack.h"
#include "run/store.h"

#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------- writing */

static foray_status put_piece(fy_piece_writer *writer)
{
    uint8_t *packed;
    size_t size;
    fy_row row;
    foray_status status =
        fy_pack(writer->store->ctx, writer->data, writer->held, 0, &packed, &size);
    if (status != FORAY_OK)
        return status;
    fy_row_prepare(&row, writer->store, writer->kind,
                   "REPLACE INTO piece(kind, id, part, bytes, data, crc)"
                   " VALUES(?1, ?2, ?3, ?4, ?5, ?6)");
    fy_row_put_text(&row, writer->kind);
    fy_row_put_int(&row, writer->id);
    fy_row_put_int(&row, writer->part++);
    fy_row_put_int(&row, (int64_t)writer->held);
    fy_row_put_blob(&row, packed, size);
    status = fy_row_insert(&row);
    free(packed);
    writer->size += writer->held;
    writer->held = 0;
    return status;
}

void fy_piece_writer_put(void *to, const void *data, size_t size)
{
    fy_piece_writer *writer = to;
    const uint8_t *at = data;
    if (!writer->data && !(writer->data = fy_alloc(writer->store->ctx, FY_PIECE_BYTES, 1)))
        writer->status = FORAY_ERROR_MEMORY;
    while (size > 0 && writer->status == FORAY_OK) {
        size_t room = FY_PIECE_BYTES - writer->held, some = size < room ? size : room;
        memcpy(writer->data + writer->held, at, some);
        writer->held += some;
        at += some;
        size -= some;
        if (writer->held == FY_PIECE_BYTES)
            writer->status = put_piece(writer);
    }
}

foray_status fy_piece_writer_end(fy_piece_writer *writer)
{
    if (writer->status == FORAY_OK && writer->held > 0)
        writer->status = put_piece(writer);
    free(writer->data);
    writer->data = NULL;
    return writer->status;
}

foray_status fy_store_put_pieces(fy_store *store, const char *kind, int64_t id, const void *data,
                                 size_t size)
{
    fy_piece_writer writer = {.store = store, .kind = kind, .id = id};
    fy_piece_writer_put(&writer, data, size);
    return fy_piece_writer_end(&writer);
}

/* ----------------------------------------------------------------- reading */

/* From the first piece on. */
static void rewind_pieces(fy_pieces *pieces)
{
    (void)fy_row_end(&pieces->row);
    fy_row_prepare(&pieces->row, pieces->store, pieces->kind,
                   "SELECT kind, id, part, bytes, data, crc FROM piece WHERE kind = ?1 AND id = ?2"
                   " ORDER BY part");
    fy_row_bind_text(&pieces->row, 1, pieces->kind);
    fy_row_bind_int(&pieces->row, 2, pieces->id);
    pieces->part = 0;
    pieces->start = pieces->bytes = 0;
}

static bool unpack_piece(fy_pieces *pieces, const uint8_t *packed, size_t size, size_t bytes)
{
    fy_unpacking *unpacking;
    foray_status status = fy_unpack_begin(pieces->store->ctx, packed, size, &unpacking);
    if (status == FORAY_OK) {
        status = fy_unpack_next(unpacking, pieces->data, bytes);
        fy_unpack_end(unpacking);
    }
    pieces->no_memory = status == FORAY_ERROR_MEMORY;
    return status == FORAY_OK;
}

/* The next piece: false if there is none, or it does not fit. */
static bool next_piece(fy_pieces *pieces)
{
    fy_row *row = &pieces->row;
    pieces->start += pieces->bytes;
    pieces->bytes = 0;
    if (!fy_row_next(row))
        return false;
    size_t size, room = pieces->size - pieces->start;
    fy_row_text(row);
    fy_row_int(row);
    bool expected = fy_row_int(row) == pieces->part++;
    int64_t bytes = fy_row_int(row);
    const uint8_t *packed = fy_row_blob(row, &size);
    if (!fy_row_intact(row) || !expected || bytes < 1 || bytes > FY_PIECE_BYTES ||
        (size_t)bytes > room || !unpack_piece(pieces, packed, size, (size_t)bytes))
        return false;
    pieces->bytes = (size_t)bytes;
    return true;
}

bool fy_pieces_fetch(void *source, size_t at, void *to, size_t size)
{
    fy_pieces *pieces = source;
    if (pieces->missing)
        return false;
    if (at < pieces->start)
        rewind_pieces(pieces);
    for (uint8_t *out = to; size > 0;) {
        size_t from = at - pieces->start;
        if (from >= pieces->bytes) {
            if (next_piece(pieces))
                continue;
            pieces->missing = true;
            return false;
        }
        size_t bytes = pieces->bytes - from < size ? pieces->bytes - from : size;
        memcpy(out, pieces->data + from, bytes);
        out += bytes;
        at += bytes;
        size -= bytes;
    }
    return true;
}

foray_status fy_pieces_end(fy_pieces *pieces)
{
    foray_status status = fy_row_end(&pieces->row);
    if (status == FORAY_OK && pieces->no_memory)
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK && pieces->missing)
        status = fy_store_damaged(pieces->store, "part of its %s is missing", pieces->kind);
    free(pieces->data);
    pieces->data = NULL;
    return status;
}

/* What its rows say, unpacked, and packed. */
static foray_status sum_pieces(fy_store *store, const char *kind, int64_t id, int64_t *bytes,
                               int64_t *packed)
{
    fy_row row;
    fy_row_prepare(&row, store, kind,
                   "SELECT coalesce(sum(bytes), 0), coalesce(sum(length(data)), 0) FROM piece"
                   " WHERE kind = ?1 AND id = ?2");
    fy_row_bind_text(&row, 1, kind);
    fy_row_bind_int(&row, 2, id);
    bool found = fy_row_next(&row);
    *bytes = found ? fy_row_int(&row) : 0;
    *packed = found ? fy_row_int(&row) : 0;
    return fy_row_end(&row);
}

foray_status fy_pieces_size(fy_store *store, const char *kind, int64_t id, int64_t *bytes)
{
    int64_t packed;
    return sum_pieces(store, kind, id, bytes, &packed);
}

/* Are all the bytes there that some row promises? No memory is asked for on its word alone, nor on
 * that of pieces that share their bytes, or promise more than they can hold. */
static foray_status check_pieces(fy_store *store, const char *kind, int64_t id, size_t size)
{
    int64_t held = 0, packed = 0, max = 0;
    foray_status status = sum_pieces(store, kind, id, &held, &packed);
    if (status == FORAY_OK)
        status = fy_store_bytes(store, &max);
    if (status == FORAY_OK && (packed < 0 || packed > max || size / FY_PACK_MOST > (size_t)packed))
        status = fy_store_damaged(store, "its %s is larger than the file can hold", kind);
    if (status == FORAY_OK && (held < 0 || (uint64_t)held < size))
        status = fy_store_damaged(store, "part of its %s is missing", kind);
    return status;
}

foray_status fy_pieces_begin(fy_pieces *pieces, fy_store *store, const char *kind, int64_t id,
                             size_t size)
{
    foray_status status = check_pieces(store, kind, id, size);
    *pieces = (fy_pieces){.store = store, .kind = kind, .id = id, .size = size};
    if (status == FORAY_OK && !(pieces->data = fy_alloc(store->ctx, FY_PIECE_BYTES, 1)))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        rewind_pieces(pieces);
    return status;
}

foray_status fy_store_get_pieces(fy_store *store, const char *kind, int64_t id, size_t size,
                                 uint8_t **data)
{
    fy_pieces pieces;
    foray_status status = fy_pieces_begin(&pieces, store, kind, id, size);
    if (status != FORAY_OK)
        return status;
    uint8_t *bytes = fy_alloc(store->ctx, size + 1, 1);
    if (bytes)
        fy_pieces_fetch(&pieces, 0, bytes, size);
    status = fy_pieces_end(&pieces);
    if (!bytes)
        return FORAY_ERROR_MEMORY;
    if (status != FORAY_OK) {
        free(bytes);
        return status;
    }
    *data = bytes;
    return FORAY_OK;
}

foray_status fy_store_drop_pieces_before(fy_store *store, const char *kind, int64_t id)
{
    fy_row row;
    fy_row_prepare(&row, store, kind, "DELETE FROM piece WHERE kind = ?1 AND id < ?2");
    fy_row_bind_text(&row, 1, kind);
    fy_row_bind_int(&row, 2, id);
    fy_row_next(&row);
    return fy_row_end(&row);
}
