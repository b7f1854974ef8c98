/* rows.h - the rows of a table, sorted by state, action and line. */
#ifndef FY_ROWS_H
#define FY_ROWS_H

#include "base/base.h"

typedef struct fy_transition {
    int32_t state, action, next;
    int32_t meant;        /* ends.c: where it leads to before there are twins by reward */
    int32_t outcome, law; /* words of their columns; 0 without one */
    bool done;
    double probability, reward;
    int64_t line; /* of the file, which is also its place among the rows of a pair; 0: of none */
} fy_transition;

typedef struct fy_row_list {
    foray_context *ctx;
    int64_t count, room;
    fy_transition *row;
} fy_row_list;

/* FORAY_ERROR_MEMORY says how many rows do not fit. */
foray_status fy_row_list_add(fy_row_list *rows, const fy_transition *row);
void fy_row_list_free(fy_row_list *rows);

/* Costs nothing where the rows already are in order. */
void fy_row_list_sort(fy_row_list *rows);

/* Rows of a sorted list that belong together. */
typedef struct fy_row_group {
    int64_t count;
    fy_transition *row;
} fy_row_group;

/* Goes from a group to the rows of the next state, or of the next state and action; from {0} to the
 * first. False: there are none. */
bool fy_row_list_next_state(const fy_row_list *rows, fy_row_group *group);
bool fy_row_list_next_pair(const fy_row_list *rows, fy_row_group *group);

#endif
