/* figures.h - figures in the directory of a comparison or an experiment. */
#ifndef FY_FIGURES_H
#define FY_FIGURES_H

#include "page/figure.h"
#include "work/work.h"

/* figure-NAME.svg and figure-NAME.csv, if one was wanted; releases the figure. */
foray_status fy_figures_save(const fy_folder *folder, fy_figure *figure);

#endif
