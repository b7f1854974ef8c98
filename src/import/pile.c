/* pile.c - see pile.h: an external merge sort that never writes a sorted copy. */
#include "import/pile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The least that is read of a piece at a time. */
enum { LEAST_PART = 64 };

void fy_pile_free(fy_pile *rows)
{
    if (rows->filed)
        close(rows->file);
    free(rows->row);
    free(rows->piece);
    free(rows->way);
    *rows = (fy_pile){.ctx = rows->ctx, .place = rows->place};
}

/* ------------------------------------------------------------------------------- file */

static foray_status fail_errno(const fy_pile *rows, const char *what)
{
    return fy_fail(rows->ctx, FORAY_ERROR_IO, "%s: a temporary file %s: %s", rows->place.folder,
                   what, strerror(errno));
}

/* Rows [first, first + count) of the file, from or to memory. */
static foray_status write_rows(const fy_pile *rows, int64_t first, const fy_transition *row,
                               int64_t count)
{
    const uint8_t *data = (const uint8_t *)row;
    size_t left = (size_t)count * sizeof *row;
    off_t at = (off_t)first * (off_t)sizeof *row;
    while (left > 0) {
        ssize_t put = pwrite(rows->file, data, left, at);
        if (put < 0 && errno == EINTR)
            continue;
        if (put == 0)
            errno = ENOSPC; /* else it would be tried for ever */
        if (put <= 0)
            return fail_errno(rows, "cannot be written");
        data += put;
        at += put;
        left -= (size_t)put;
    }
    return FORAY_OK;
}

static foray_status read_rows(const fy_pile *rows, int64_t first, fy_transition *row, int64_t count)
{
    uint8_t *data = (uint8_t *)row;
    size_t left = (size_t)count * sizeof *row;
    off_t at = (off_t)first * (off_t)sizeof *row;
    while (left > 0) {
        ssize_t got = pread(rows->file, data, left, at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = EIO; /* shorter than what was written */
        if (got <= 0)
            return fail_errno(rows, "cannot be read");
        data += got;
        at += got;
        left -= (size_t)got;
    }
    return FORAY_OK;
}

/* What is in memory becomes a piece of the file. */
static foray_status file_rows(fy_pile *rows)
{
    if (rows->used == 0)
        return FORAY_OK;
    fy_piece *piece =
        fy_grow(rows->ctx, rows->piece, &rows->piece_room, rows->pieces + 1, sizeof *piece);
    if (!piece)
        return FORAY_ERROR_MEMORY;
    rows->piece = piece;
    foray_status status =
        rows->filed ? FORAY_OK : fy_file_scratch(rows->ctx, rows->place.folder, &rows->file);
    if (status != FORAY_OK)
        return status;
    rows->filed = true;
    int64_t first = rows->count - rows->used;
    status = write_rows(rows, first, rows->row, rows->used);
    if (status == FORAY_OK) {
        piece[rows->pieces++] = (fy_piece){.first = first, .count = rows->used};
        rows->used = 0;
    }
    return status;
}

/* How many rows memory is for. */
static int64_t most_rows(const fy_pile *rows)
{
    int64_t most = rows->place.memory / (int64_t)sizeof *rows->row;
    return most > 1 ? most : 1;
}

foray_status fy_pile_add(fy_pile *rows, const fy_transition *row)
{
    if (rows->place.folder && rows->used >= most_rows(rows)) {
        foray_status status = file_rows(rows);
        if (status != FORAY_OK)
            return status;
    }
    fy_transition *room = fy_grow(rows->ctx, rows->row, &rows->room, rows->used + 1, sizeof *room);
    if (!room)
        return FORAY_ERROR_MEMORY;
    rows->row = room;
    room[rows->used++] = *row;
    rows->count++;
    return FORAY_OK;
}

/* ------------------------------------------------------------------------------ order */

static int compare_rows(const void *a, const void *b)
{
    const fy_transition *x = a, *y = b;
    if (x->state != y->state)
        return x->state < y->state ? -1 : 1;
    if (x->action != y->action)
        return x->action < y->action ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* False: nothing has changed. */
static bool sort_rows(fy_transition *row, int64_t count, fy_pile_mend *mend, void *user)
{
    bool sorted = true;
    for (int64_t i = 0; i < count && mend; i++)
        mend(user, &row[i]);
    for (int64_t i = 1; i < count && sorted; i++)
        sorted = compare_rows(&row[i - 1], &row[i]) <= 0;
    if (!sorted)
        qsort(row, (size_t)count, sizeof *row, compare_rows);
    return mend || !sorted;
}

foray_status fy_pile_sort(fy_pile *rows, fy_pile_mend *mend, void *user)
{
    if (!rows->filed) {
        sort_rows(rows->row, rows->used, mend, user);
        return FORAY_OK;
    }
    foray_status status = file_rows(rows);
    for (int64_t i = 0; i < rows->pieces && status == FORAY_OK; i++) {
        const fy_piece *piece = &rows->piece[i]; /* never larger than the memory once was */
        status = read_rows(rows, piece->first, rows->row, piece->count);
        if (status != FORAY_OK)
            break;
        if (sort_rows(rows->row, piece->count, mend, user))
            status = write_rows(rows, piece->first, rows->row, piece->count);
    }
    return status;
}

/* ------------------------------------------------------------------------------ merge */

static const fy_transition *at_hand(const fy_pile *rows, int64_t way)
{
    int64_t piece = rows->way[way];
    return &rows->row[piece * rows->part + rows->piece[piece].at];
}

/* The row at hand of a parent is never behind those of its children. */
static void sift_down(fy_pile *rows, int64_t way)
{
    for (int64_t child; (child = 2 * way + 1) < rows->ways; way = child) {
        if (child + 1 < rows->ways &&
            compare_rows(at_hand(rows, child + 1), at_hand(rows, child)) < 0)
            child++;
        if (compare_rows(at_hand(rows, way), at_hand(rows, child)) <= 0)
            return;
        int32_t other = rows->way[way];
        rows->way[way] = rows->way[child];
        rows->way[child] = other;
    }
}

/* The next rows of a piece into memory; `filled` is 0 if none are left. */
static foray_status fill_part(fy_pile *rows, int64_t number)
{
    fy_piece *piece = &rows->piece[number];
    int64_t left = piece->count - piece->taken;
    piece->at = 0;
    piece->filled = left < rows->part ? left : rows->part;
    piece->taken += piece->filled;
    return read_rows(rows, piece->first + piece->taken - piece->filled,
                     rows->row + number * rows->part, piece->filled);
}

/* Rows that never went to a file are one piece, all of which is in memory. */
static foray_status rewind_memory(fy_pile *rows)
{
    fy_piece *piece = fy_grow(rows->ctx, rows->piece, &rows->piece_room, 1, sizeof *piece);
    if (!piece)
        return FORAY_ERROR_MEMORY;
    rows->piece = piece;
    piece[0] = (fy_piece){.count = rows->used, .taken = rows->used, .filled = rows->used};
    rows->part = rows->used;
    return FORAY_OK;
}

/* The memory is shared out among the pieces. */
static foray_status rewind_file(fy_pile *rows)
{
    foray_status status = FORAY_OK;
    int64_t part = most_rows(rows) / rows->pieces;
    part = part < LEAST_PART ? LEAST_PART : part;
    if (rows->pieces * part > rows->room) {
        fy_transition *room =
            fy_resize(rows->ctx, rows->row, (size_t)(rows->pieces * part), sizeof *room);
        if (!room)
            return FORAY_ERROR_MEMORY;
        rows->row = room;
        rows->room = rows->pieces * part;
    }
    rows->part = part;
    for (int64_t i = 0; i < rows->pieces && status == FORAY_OK; i++) {
        rows->piece[i].taken = 0;
        status = fill_part(rows, i);
    }
    return status;
}

foray_status fy_pile_rewind(fy_pile *rows)
{
    foray_status status = rows->filed ? rewind_file(rows) : rewind_memory(rows);
    int64_t pieces = rows->filed ? rows->pieces : 1;
    free(rows->way);
    rows->way = NULL;
    rows->ways = 0;
    if (status != FORAY_OK)
        return status;
    if (!FY_ALLOC(rows->ctx, rows->way, pieces))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < pieces; i++)
        if (rows->piece[i].filled > 0)
            rows->way[rows->ways++] = (int32_t)i;
    for (int64_t way = rows->ways / 2; way-- > 0;)
        sift_down(rows, way);
    return FORAY_OK;
}

static const fy_transition *first_of(const fy_pile *rows)
{
    return rows->ways > 0 ? at_hand(rows, 0) : NULL;
}

/* Past the first row. */
static foray_status advance(fy_pile *rows)
{
    fy_piece *piece = &rows->piece[rows->way[0]];
    foray_status status = FORAY_OK;
    if (++piece->at == piece->filled && rows->filed)
        status = fill_part(rows, rows->way[0]);
    if (piece->at >= piece->filled)
        rows->way[0] = rows->way[--rows->ways];
    sift_down(rows, 0);
    return status;
}

/* ----------------------------------------------------------------------------- groups */

foray_status fy_row_group_add(foray_context *ctx, fy_row_group *group, const fy_transition *row)
{
    fy_transition *room = fy_grow(ctx, group->row, &group->room, group->count + 1, sizeof *room);
    if (!room)
        return FORAY_ERROR_MEMORY;
    group->row = room;
    room[group->count++] = *row;
    return FORAY_OK;
}

static foray_status next_group(fy_pile *rows, bool of_pair, fy_row_group *group)
{
    const fy_transition *row;
    foray_status status = FORAY_OK;
    group->count = 0;
    while (status == FORAY_OK && (row = first_of(rows))) {
        if (group->count > 0 &&
            (row->state != group->row->state || (of_pair && row->action != group->row->action)))
            break;
        status = fy_row_group_add(rows->ctx, group, row);
        if (status == FORAY_OK)
            status = advance(rows);
    }
    return status;
}

foray_status fy_pile_of_state(fy_pile *rows, fy_row_group *group)
{
    return next_group(rows, false, group);
}

foray_status fy_pile_of_pair(fy_pile *rows, fy_row_group *group)
{
    return next_group(rows, true, group);
}
