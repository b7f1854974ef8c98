/* pile.h - the rows of a table, however many, in order.
 *
 * Rows are added in any order, sorted by state, action and line, and then read from the first to
 * the last as often as one likes. While they are few they stay in memory. More than that go, in
 * pieces as large as the memory, into a temporary file without a name, of which nothing is left
 * when the process ends, however it ends. Sorting brings each piece into order, and reading
 * merges the pieces: those of a table that was in order lie one behind the other, and then no
 * piece but one is at hand at a time. */
#ifndef FY_PILE_H
#define FY_PILE_H

#include "base/base.h"

typedef struct fy_transition {
    int32_t state, action, next;
    int32_t meant;        /* ends.c: where it leads to before there are twins by reward */
    int32_t outcome, law; /* words of their columns; 0 without one */
    bool done;
    double probability, reward;
    int64_t line; /* of the file, which is also its place among the rows of a pair; 0: of none */
} fy_transition;

/* Where rows may go. */
typedef struct fy_pile_place {
    const char *folder; /* for temporary files; NULL: all rows stay in memory */
    int64_t memory;     /* bytes, before a file is used */
} fy_pile_place;

typedef struct fy_piece {
    int64_t first, count; /* of the file's rows */
    int64_t taken;        /* of these, how many were read so far */
    int64_t at, filled;   /* of the rows in memory: the one at hand, and how many there are */
} fy_piece;

typedef struct fy_pile {
    foray_context *ctx;
    fy_pile_place place;
    int64_t count;      /* all */
    int64_t used, room; /* in memory, and not in the file */
    fy_transition *row;
    bool filed; /* there is a file, and it has pieces */
    int file;
    int64_t pieces, piece_room;
    fy_piece *piece;
    int64_t part; /* rows in memory for each piece, while they are read */
    int64_t ways; /* pieces that have rows left: */
    int32_t *way; /* [ways] a heap by the row at hand */
} fy_pile;

/* Begin with (fy_pile){.ctx = ctx, .place = place}. FORAY_ERROR_MEMORY, or FORAY_ERROR_IO where
 * the temporary file cannot be made or written, with the cause. */
foray_status fy_pile_add(fy_pile *rows, const fy_transition *row);
void fy_pile_free(fy_pile *rows);

/* Sorts, after each row has been mended, if `mend` is not NULL: numbers may not be known before all
 * rows were seen. Rows may be added, and sorted again, afterwards. */
typedef void fy_pile_mend(void *user, fy_transition *row);
foray_status fy_pile_sort(fy_pile *rows, fy_pile_mend *mend, void *user);

/* Goes to the first row of what was sorted. */
foray_status fy_pile_rewind(fy_pile *rows);

/* Rows that belong together, as copies. */
typedef struct fy_row_group {
    int64_t count, room;
    fy_transition *row;
} fy_row_group;

/* The next rows of one state, or of one state and action; their count is 0 at the end. */
foray_status fy_pile_of_state(fy_pile *rows, fy_row_group *group);
foray_status fy_pile_of_pair(fy_pile *rows, fy_row_group *group);

/* One more row in a group. */
foray_status fy_row_group_add(foray_context *ctx, fy_row_group *group, const fy_transition *row);

#endif
