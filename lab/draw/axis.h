/* axis.h - the scale of one axis of a picture: its range, its ticks, and where a number
 * lies on it; and the axis at the foot of a picture. */
#ifndef FY_AXIS_H
#define FY_AXIS_H

#include "draw/svg.h"

enum { FY_MAX_TICKS = 128 };

typedef struct fy_tick {
    double value;
    bool labelled;
} fy_tick;

typedef struct fy_scale {
    fy_axis_kind kind;
    double min, max; /* of the axis; logarithmic: both positive */
    double from, to; /* in the picture */
    bool foot;       /* logarithmic: the lowest position stands for 0 */
    int ticks;
    fy_tick tick[FY_MAX_TICKS];
} fy_scale;

/* Gathers numbers that must be on the axis. Begin with fy_scale_empty. */
fy_scale fy_scale_empty(const fy_axis *axis, double from, double to);
void fy_scale_include(fy_scale *scale, double value);
/* Rounds the range and chooses the ticks, about `wanted` of them with labels. */
void fy_scale_finish(fy_scale *scale, const fy_axis *axis, int wanted);

/* Where a number lies in the picture; beyond the ends: at the end. */
double fy_scale_position(const fy_scale *scale, double value);

/* "0.01", "1,000", "10⁻⁶": as short as it gets. */
const char *fy_scale_label(const fy_scale *scale, double value, char out[FY_NUMBER_SIZE]);

/* Grid lines from `top` to `foot`, below them numbers and a label. */
void fy_svg_axis(fy_writer *text, const fy_scale *scale, double top, double foot,
                 const char *label);

#endif
