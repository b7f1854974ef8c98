/* json_read_names.c - what states and actions of a model in JSON are called, and where states lie
 * on a map. */
#include "model/json_reading.h"

#include <inttypes.h>

foray_status fy_model_read_names(fy_model_reading *r, const char *key, int64_t count, char ***out)
{
    fy_json list = fy_json_member(r->root, key), name = fy_json_first(list);
    if (!list.tree)
        return FORAY_OK;
    foray_status status = fy_item_length(r->ctx, list, key, count);
    if (status != FORAY_OK)
        return status;
    if (!FY_ALLOC(r->ctx, *out, count))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++, name = fy_json_next(list, name)) {
        bool given = fy_json_kind_of(name) == FY_JSON_TEXT;
        if (!given && fy_json_kind_of(name) != FY_JSON_NULL)
            return fy_fail(r->ctx, FORAY_ERROR_INPUT, "%s[%" PRId64 "]: must be a text or null",
                           key, i);
        (*out)[i] = given ? (char *)fy_json_text(name) : NULL;
    }
    return FORAY_OK;
}

static foray_status read_cell(fy_model_reading *r, fy_json cell, int64_t i)
{
    int64_t state = 0, row = 0, col = 0;
    foray_status status = fy_item_tuple(r->ctx, cell, 3, "[state, row, column]");
    if (status == FORAY_OK)
        status = fy_item_index(r->ctx, cell, 0, "state", r->parts.states, &state);
    if (status == FORAY_OK)
        status = fy_item_index(r->ctx, cell, 1, "row", r->parts.grid_rows, &row);
    if (status == FORAY_OK)
        status = fy_item_index(r->ctx, cell, 2, "column", r->parts.grid_cols, &col);
    if (status == FORAY_OK && r->cell_row[state] >= 0)
        status = fy_fail(r->ctx, FORAY_ERROR_INPUT, "state %" PRId64 " is given twice", state);
    if (status != FORAY_OK)
        return fy_fail_within(r->ctx, status, "layout.cell[%" PRId64 "]", i);
    r->cell_row[state] = (int32_t)row;
    r->cell_col[state] = (int32_t)col;
    return FORAY_OK;
}

static foray_status read_grid(fy_model_reading *r, fy_json layout, fy_json *cells)
{
    static const char *const known[] = {"kind", "rows", "cols", "cell", NULL};
    static const char *const kinds[] = {"grid", NULL};
    int kind;
    foray_status status = fy_document_keys(r->ctx, layout, "layout", known);
    if (status != FORAY_OK)
        return status;
    status = fy_document_choice(r->ctx, layout, "kind", kinds, &kind);
    if (status == FORAY_OK)
        status = fy_document_integer(r->ctx, layout, "rows", 1, INT32_MAX - 1, &r->parts.grid_rows);
    if (status == FORAY_OK)
        status = fy_document_integer(r->ctx, layout, "cols", 1, INT32_MAX - 1, &r->parts.grid_cols);
    if (status == FORAY_OK)
        status = fy_item_array(r->ctx, layout, "cell", cells);
    return status == FORAY_OK ? status : fy_fail_within(r->ctx, status, "layout");
}

foray_status fy_model_read_layout(fy_model_reading *r)
{
    fy_json layout = fy_json_member(r->root, "layout"), cells;
    if (!layout.tree)
        return FORAY_OK;
    foray_status status = read_grid(r, layout, &cells);
    if (status != FORAY_OK)
        return status;
    if (!FY_ALLOC(r->ctx, r->cell_row, r->parts.states) ||
        !FY_ALLOC(r->ctx, r->cell_col, r->parts.states))
        return FORAY_ERROR_MEMORY;
    for (int64_t state = 0; state < r->parts.states; state++)
        r->cell_row[state] = r->cell_col[state] = -1;
    int64_t i = 0;
    for (fy_json cell = fy_json_first(cells); cell.tree && status == FORAY_OK;
         cell = fy_json_next(cells, cell))
        status = read_cell(r, cell, i++);
    return status;
}
