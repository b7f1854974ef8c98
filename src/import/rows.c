#include "import/rows.h"

#include <inttypes.h>
#include <stdlib.h>

foray_status fy_row_list_add(fy_row_list *rows, const fy_transition *row)
{
    fy_transition *room = fy_grow(rows->ctx, rows->row, &rows->room, rows->count + 1, sizeof *room);
    if (!room)
        return fy_fail_within(rows->ctx, FORAY_ERROR_MEMORY,
                              "more than %" PRId64 " rows do not fit in memory", rows->count);
    rows->row = room;
    room[rows->count++] = *row;
    return FORAY_OK;
}

void fy_row_list_free(fy_row_list *rows)
{
    free(rows->row);
    *rows = (fy_row_list){.ctx = rows->ctx};
}

static int compare_rows(const void *a, const void *b)
{
    const fy_transition *x = a, *y = b;
    if (x->state != y->state)
        return x->state < y->state ? -1 : 1;
    if (x->action != y->action)
        return x->action < y->action ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

void fy_row_list_sort(fy_row_list *rows)
{
    for (int64_t i = 1; i < rows->count; i++)
        if (compare_rows(&rows->row[i - 1], &rows->row[i]) > 0) {
            qsort(rows->row, (size_t)rows->count, sizeof *rows->row, compare_rows);
            return;
        }
}

static bool next_group(const fy_row_list *rows, bool of_pair, fy_row_group *group)
{
    fy_transition *row = group->row ? group->row + group->count : rows->row;
    int64_t left = rows->count - (rows->count > 0 ? row - rows->row : 0), count = 0;
    while (count < left && row[count].state == row->state &&
           (!of_pair || row[count].action == row->action))
        count++;
    *group = (fy_row_group){count, row};
    return count > 0;
}

bool fy_row_list_next_state(const fy_row_list *rows, fy_row_group *group)
{
    return next_group(rows, false, group);
}

bool fy_row_list_next_pair(const fy_row_list *rows, fy_row_group *group)
{
    return next_group(rows, true, group);
}
