/* figures.c - figures in the directory of a comparison or an experiment. */
#include "compare/figures.h"

foray_status fy_figures_save(const fy_folder *folder, fy_figure *figure)
{
    char name[96];
    if (!figure->wanted->name)
        return FORAY_OK;
    foray_status status = fy_figure_finish(figure);
    if (status != FORAY_OK)
        return status;
    fy_format(name, sizeof name, "figure-%s.svg", figure->wanted->name);
    status = fy_folder_save(folder, name, &figure->svg);
    fy_format(name, sizeof name, "figure-%s.csv", figure->wanted->name);
    if (status == FORAY_OK)
        status = fy_folder_save(folder, name, &figure->csv);
    fy_figure_free(figure);
    return status;
}
