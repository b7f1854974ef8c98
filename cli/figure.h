/* figure.h - figures for papers: --figure and its kin, of compare, lab and report. */
#ifndef CLI_FIGURE_H
#define CLI_FIGURE_H

#include "cli.h"
#include "foray/lab.h"

#define CLI_OPTIONS_FIGURE                                                                         \
    CLI_TEXT(0, "figure", "NAME",                                                                  \
             "also write this picture for a paper: SVG and CSV, with rsvg-convert also PDF, PNG"), \
        CLI_TEXT(0, "figure-size", "WxH", "its size in millimetres, such as 85x60"),               \
        CLI_TEXT(0, "figure-font", "FONT",                                                         \
                 "its font and, in points, its size: 'Times', '8', 'Times, serif 8'"),             \
        CLI_SWITCH("figure-untitled", "leave out its title, since papers have captions")

/* What the options ask for; its name is NULL if there is no --figure. The font lies in `room`. */
enum { CLI_FONT_SIZE = 128 };
cli_exit cli_figure_read(cli_session *session, char room[CLI_FONT_SIZE], foray_figure *out);

/* After a comparison or an experiment: converts DIR/figure-NAME.svg, if there is a --figure. */
cli_exit cli_figure_in(cli_session *session, const char *directory);

/* "stem.svg", to be released; NULL: out of memory. */
char *cli_figure_path(const char *stem, const char *ending);

/* Takes back what was written of the four files (cli_destination_undo). */
void cli_figure_undo(const cli_session *session, const char *stem);

/* Makes stem.pdf and stem.png of stem.svg, if rsvg-convert is installed, and says on standard
 * output which files there are; with --json nothing. Each is whole or not there. */
cli_exit cli_figure_convert(cli_session *session, const char *stem);

#endif
