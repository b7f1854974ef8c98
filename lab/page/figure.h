/* figure.h - one picture of a page as a file of its own, in a size and a font for papers, with the
 * numbers behind it. Whoever draws pictures offers each; the one that is wanted is kept. */
#ifndef FY_FIGURE_H
#define FY_FIGURE_H

#include "draw/forest.h"
#include "draw/map.h"
#include "draw/spans.h"
#include "draw/svg.h"
#include "draw/table.h"
#include "foray/lab.h"

typedef struct fy_figure {
    foray_context *ctx;
    const foray_figure *wanted;
    bool found;
    fy_writer svg, csv;
    fy_writer names; /* of all pictures offered: "worst, mean, ..." */
} fy_figure;

fy_figure fy_figure_begin(foray_context *ctx, const foray_figure *wanted);
/* Nothing happens where `figure` is NULL or has no name. */
void fy_figure_chart(fy_figure *figure, const fy_chart *chart);
void fy_figure_spans(fy_figure *figure, const fy_spans *spans);
void fy_figure_forest(fy_figure *figure, const fy_forest *forest);
void fy_figure_map(fy_figure *figure, const fy_map *map);

/* Invalid sizes and fonts are refused. */
foray_status fy_figure_check(foray_context *ctx, const foray_figure *wanted);
/* FORAY_ERROR_USAGE, with the names there are, if no picture of that name was offered. Releases
 * everything unless the answer is FORAY_OK. */
foray_status fy_figure_finish(fy_figure *figure);
void fy_figure_free(fy_figure *figure);

#endif
