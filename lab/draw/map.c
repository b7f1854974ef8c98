/* map.c - fields of cells. */
#include "draw/map.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One hue, from faint to deep: told apart without colours, too. */
const char fy_map_style[] =
    ".map{max-width:100%;height:auto;"
    "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif}"
    ".map .cell{fill:var(--heat);stroke:var(--faint);stroke-width:1}.map .wall{fill:var(--wall)}"
    ".map text{fill:var(--ink);stroke:none;text-anchor:middle}.map text.row{text-anchor:end}"
    ".map .mark{fill:none;stroke:var(--mark)}"
    ".map .a1,.key .a1{fill:#0072b2}.map .a2,.key .a2{fill:#d55e00}"
    ".map .a3,.key .a3{fill:#009e73}.map .a4,.key .a4{fill:#cc79a7}"
    ".map .a5,.key .a5{fill:#e69f00}.map .a6,.key .a6{fill:#56b4e9}"
    ".map .a7,.key .a7{fill:#8a929c}.map .a8,.key .a8{fill:#b3a600}"
    ".map .arrow{fill:none;stroke:var(--ink);stroke-linecap:round;"
    "stroke-linejoin:round}";

/* Pixels. Cells shrink so that about WIDE of them fit, down to MIN. */
enum { WIDE = 480, MAX = 40, MIN = 12, LETTER = 8, HEAD = 20, ACROSS = 18 };

static const double deepest = 0.8; /* what is written on it can still be read */

typedef struct drawing {
    fy_writer *text;
    const fy_map *map;
    double size, left, top;
} drawing;

/* An arrow that fills six tenths of its cell; staying is a dot. */
static void draw_arrow(const drawing *d, const fy_map_cell *cell, double x, double y)
{
    static const struct {
        double x, y;
    } toward[] = {[FY_ARROW_LEFT] = {-1, 0},
                  [FY_ARROW_RIGHT] = {1, 0},
                  [FY_ARROW_UP] = {0, -1},
                  [FY_ARROW_DOWN] = {0, 1}};
    double reach = 0.3 * d->size, wing = 0.16 * d->size;
    if (cell->arrow == FY_ARROW_STAY) {
        fy_print(d->text, "<circle class=\"arrow\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n", x, y,
                 0.5 * wing);
        return;
    }
    double dx = toward[cell->arrow].x, dy = toward[cell->arrow].y;
    fy_print(d->text, "<path class=\"arrow\" d=\"M%.1f %.1fL%.1f %.1f", x - reach * dx,
             y - reach * dy, x + reach * dx, y + reach * dy);
    fy_print(d->text, "m%.1f %.1fl%.1f %.1fl%.1f %.1f\"/>\n", -wing * (dx + dy), -wing * (dy + dx),
             wing * (dx + dy), wing * (dy + dx), -wing * (dx - dy), -wing * (dy - dx));
}

static void draw_symbol(const drawing *d, const fy_map_cell *cell, double x, double y)
{
    size_t length = strlen(cell->symbol);
    double font = (length == 1 ? 0.5 : 0.32) * d->size;
    if (!length || font < 6.0)
        return;
    fy_print(d->text, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\">", x, y + 0.35 * font, font);
    fy_print_escaped(d->text, cell->symbol);
    fy_print(d->text, "</text>\n");
}

/* A ring where episodes start, a frame around a goal. */
static void draw_marks(const drawing *d, const fy_map_cell *cell, double x, double y)
{
    double wide = fmax(0.09 * d->size, 1.5), inset = 0.5 * wide + 1;
    if (cell->start)
        fy_print(d->text,
                 "<circle class=\"mark\" stroke-width=\"%.1f\" cx=\"%.1f\" cy=\"%.1f\" "
                 "r=\"%.1f\"/>\n",
                 wide, x + 0.5 * d->size, y + 0.5 * d->size, 0.5 * d->size - inset);
    if (cell->goal)
        fy_print(d->text,
                 "<rect class=\"mark\" stroke-width=\"%.1f\" x=\"%.1f\" y=\"%.1f\" "
                 "width=\"%.1f\" height=\"%.1f\"/>\n",
                 wide, x + inset, y + inset, d->size - 2 * inset, d->size - 2 * inset);
}

static void draw_cell(const drawing *d, int64_t row, int64_t col)
{
    const fy_map_cell *cell = &d->map->cell[row * d->map->cols + col];
    double x = d->left + d->size * (double)col, y = d->top + d->size * (double)row;
    if (!cell->there) {
        fy_print(d->text, "<rect class=\"wall\" x=\"%.0f\" y=\"%.0f\" ", x, y);
        fy_print(d->text, "width=\"%.0f\" height=\"%.0f\"/>\n", d->size, d->size);
        return;
    }
    fy_print(d->text, "<rect class=\"cell");
    if (cell->colour > 0)
        fy_print(d->text, " a%d", cell->colour);
    fy_print(d->text, "\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" ", x, y, d->size,
             d->size);
    fy_print(d->text, "fill-opacity=\"%.3f\"><title>", deepest * cell->level);
    fy_print_escaped(d->text, cell->about);
    fy_print(d->text, "</title></rect>\n");
    if (cell->arrow != FY_ARROW_NONE)
        draw_arrow(d, cell, x + 0.5 * d->size, y + 0.5 * d->size);
    else
        draw_symbol(d, cell, x + 0.5 * d->size, y + 0.5 * d->size);
    draw_marks(d, cell, x, y);
}

static void draw_label(const drawing *d, const char *class, double x, double y, const char *label)
{
    fy_print(d->text, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" font-size=\"14\">", class, x, y);
    fy_print_escaped(d->text, label);
    fy_print(d->text, "</text>\n");
}

void fy_svg_map(fy_writer *text, const fy_map *map)
{
    size_t longest = 0;
    for (int64_t i = 0; map->row && i < map->rows; i++) {
        size_t length = strlen(map->row[i]);
        longest = length > longest ? length : longest;
    }
    double fitting = floor(WIDE / (double)map->cols);
    drawing d = {.text = text,
                 .map = map,
                 .size = fmin(fmax(fitting, MIN), MAX),
                 .left = longest ? LETTER * (double)longest + 10.0 : 1.0,
                 .top = map->column ? HEAD + (map->across ? ACROSS : 0) : 1.0};
    double width = d.left + d.size * (double)map->cols + 1;
    double height = d.top + d.size * (double)map->rows + 1;
    fy_print(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"map\" id=\"%s\" role=\"img\" "
        "width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" stroke-width=\"%.1f\">\n<title>",
        map->id, width, height, width, height, 0.05 * d.size);
    fy_print_escaped(text, map->title);
    fy_print(text, "</title>\n");

    /* Labels to the left and above, then the cells. */
    for (int64_t i = 0; map->row && i < map->rows; i++)
        draw_label(&d, "row", d.left - 6, d.top + d.size * ((double)i + 0.5) + 5, map->row[i]);
    for (int64_t j = 0; map->column && j < map->cols; j++)
        draw_label(&d, "column", d.left + d.size * ((double)j + 0.5), d.top - 6, map->column[j]);
    if (map->column && map->across)
        draw_label(&d, "column", d.left + 0.5 * d.size * (double)map->cols, 14, map->across);
    for (int64_t row = 0; row < map->rows; row++)
        for (int64_t col = 0; col < map->cols; col++)
            draw_cell(&d, row, col);
    fy_print(text, "</svg>\n");
}
