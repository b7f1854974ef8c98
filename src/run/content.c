/* content.c - what the rows of the store mean: large contents in pieces, the
 * texts of a run, its settings. */
#include "algorithms/algorithms.h"
#include "run/store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ pieces */

static foray_status put_piece(fy_store *store, const char *kind, int64_t id, int64_t part,
                              const uint8_t *data, size_t size)
{
    fy_row row;
    fy_row_prepare(&row, store, kind,
                   "REPLACE INTO piece(kind, id, part, data, crc) VALUES(?1, ?2, ?3, ?4, ?5)");
    fy_row_put_text(&row, kind);
    fy_row_put_int(&row, id);
    fy_row_put_int(&row, part);
    fy_row_put_blob(&row, data, size);
    return fy_row_insert(&row);
}

foray_status fy_store_put_pieces(fy_store *store, const char *kind, int64_t id, const void *data,
                                 size_t size)
{
    foray_status status = FORAY_OK;
    for (size_t at = 0; status == FORAY_OK && at < size; at += FY_PIECE_BYTES) {
        size_t bytes = size - at < FY_PIECE_BYTES ? size - at : FY_PIECE_BYTES;
        status = put_piece(store, kind, id, (int64_t)(at / FY_PIECE_BYTES),
                           (const uint8_t *)data + at, bytes);
    }
    return status;
}

/* From the first piece on. */
static void rewind_pieces(fy_pieces *pieces)
{
    (void)fy_row_end(&pieces->row);
    fy_row_prepare(&pieces->row, pieces->store, pieces->kind,
                   "SELECT kind, id, part, data, crc FROM piece WHERE kind = ?1 AND id = ?2"
                   " ORDER BY part");
    fy_row_bind_text(&pieces->row, 1, pieces->kind);
    fy_row_bind_int(&pieces->row, 2, pieces->id);
    pieces->part = 0;
    pieces->start = pieces->bytes = 0;
}

/* The next piece: false if there is none, or it does not fit. */
static bool next_piece(fy_pieces *pieces)
{
    fy_row *row = &pieces->row;
    pieces->start += pieces->bytes;
    pieces->bytes = 0;
    if (!fy_row_next(row))
        return false;
    size_t bytes, room = pieces->size - pieces->start;
    fy_row_text(row);
    fy_row_int(row);
    bool expected = fy_row_int(row) == pieces->part++;
    pieces->data = fy_row_blob(row, &bytes);
    if (!fy_row_intact(row) || !expected || bytes > room || bytes == 0)
        return false;
    pieces->bytes = bytes;
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
    if (status == FORAY_OK && pieces->missing)
        status = fy_store_damaged(pieces->store, "part of its %s is missing", pieces->kind);
    return status;
}

/* Are all the bytes there that some row promises? No memory is asked for on its word alone, nor on
 * that of pieces that share their bytes. */
static foray_status check_pieces(fy_store *store, const char *kind, int64_t id, size_t size)
{
    fy_row row;
    fy_row_prepare(&row, store, kind,
                   "SELECT coalesce(sum(length(data)), 0) FROM piece WHERE kind = ?1 AND id = ?2");
    fy_row_bind_text(&row, 1, kind);
    fy_row_bind_int(&row, 2, id);
    int64_t held = fy_row_next(&row) ? fy_row_int(&row) : -1;
    foray_status status = fy_row_end(&row);
    int64_t most = 0;
    if (status == FORAY_OK)
        status = fy_store_bytes(store, &most);
    if (status == FORAY_OK && size > (uint64_t)most)
        status = fy_store_damaged(store, "its %s is larger than the file", kind);
    if (status == FORAY_OK && (held < 0 || (uint64_t)held < size))
        status = fy_store_damaged(store, "part of its %s is missing", kind);
    return status;
}

foray_status fy_pieces_begin(fy_pieces *pieces, fy_store *store, const char *kind, int64_t id,
                             size_t size)
{
    foray_status status = check_pieces(store, kind, id, size);
    *pieces = (fy_pieces){.store = store, .kind = kind, .id = id, .size = size};
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

/* -------------------------------------------------------------------- meta */

foray_status fy_store_put_meta(fy_store *store, const char *name, const char *value)
{
    fy_row row;
    fy_row_prepare(&row, store, "meta", "REPLACE INTO meta(name, value, crc) VALUES(?1, ?2, ?3)");
    fy_row_put_text(&row, name);
    fy_row_put_text(&row, value);
    return fy_row_insert(&row);
}

foray_status fy_store_get_meta(fy_store *store, const char *name, char **out)
{
    fy_row row;
    fy_row_prepare(&row, store, "meta", "SELECT name, value, crc FROM meta WHERE name = ?1");
    fy_row_bind_text(&row, 1, name);
    char *text = NULL;
    bool found = fy_row_next(&row);
    if (found) {
        fy_row_text(&row);
        text = fy_text(store->ctx, fy_row_text(&row));
        fy_row_intact(&row);
    }
    foray_status status = fy_row_end(&row);
    if (status == FORAY_OK && text) {
        *out = text;
        return FORAY_OK;
    }
    free(text);
    if (status != FORAY_OK)
        return status;
    if (found)
        return FORAY_ERROR_MEMORY;
    fy_store_damaged(store, "its %s is missing", name);
    return FORAY_ERROR_RUN;
}

/* ---------------------------------------------------------------- settings */

static foray_status put_setting(fy_store *store, const char *name, const char *value)
{
    fy_row row;
    fy_row_prepare(&row, store, "settings",
                   "REPLACE INTO setting(name, value, crc) VALUES(?1, ?2, ?3)");
    fy_row_put_text(&row, name);
    fy_row_put_text(&row, value);
    return fy_row_insert(&row);
}

foray_status fy_store_put_settings(fy_store *store, const foray_settings *settings)
{
    const foray_parameter *row;
    char value[128];
    foray_status cleared = fy_store_run(store, "DELETE FROM setting");
    if (cleared != FORAY_OK)
        return cleared;
    for (int64_t i = 0; (row = foray_setting_describe(settings->algorithm, i)); i++) {
        foray_status status =
            foray_settings_get(store->ctx, settings, row->name, value, sizeof value);
        if (status == FORAY_OK)
            status = put_setting(store, row->name, value);
        if (status != FORAY_OK)
            return status;
    }
    return FORAY_OK;
}

/* Reads every setting there is, and counts them. A name we do not know comes from a newer
 * Foray, and what it asks for we cannot do. */
static foray_status get_each_setting(fy_store *store, foray_settings *settings, int64_t *count)
{
    fy_row row;
    foray_status known = FORAY_OK;
    fy_row_prepare(&row, store, "settings", "SELECT name, value, crc FROM setting");
    for (*count = 0; known == FORAY_OK && fy_row_next(&row); (*count)++) {
        const char *name = fy_row_text(&row), *value = fy_row_text(&row);
        if (fy_row_intact(&row))
            known = foray_settings_set(store->ctx, settings, name, value);
    }
    if (known != FORAY_OK)
        known = fy_fail_within(store->ctx, FORAY_ERROR_RUN, "%s: damaged, or from a newer Foray",
                               store->path);
    foray_status status = fy_row_end(&row);
    return status != FORAY_OK ? status : known;
}

/* That none was lost shows in their number. */
foray_status fy_store_get_settings(fy_store *store, foray_settings *settings)
{
    foray_settings read;
    int64_t count, expected = 0;
    foray_settings_default(&read);
    foray_status status = get_each_setting(store, &read, &count);
    if (status != FORAY_OK)
        return status;
    while (foray_setting_describe(read.algorithm, expected))
        expected++;
    if (count != expected)
        return fy_store_damaged(store, "%" PRId64 " settings, but %s has %" PRId64, count,
                                read.algorithm, expected);
    *settings = read;
    return FORAY_OK;
}
