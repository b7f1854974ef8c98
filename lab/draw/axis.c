/* axis.c - ranges, ticks and positions. */
#include "draw/axis.h"
#include "base/maths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Beyond this, and below its inverse on logarithmic axes, numbers are drawn as this: so
 * that no difference or product overflows. */
static const double extreme = 1e150;

fy_scale fy_scale_empty(const fy_axis *axis, double from, double to)
{
    return (fy_scale){
        .kind = axis->kind, .min = INFINITY, .max = -INFINITY, .from = from, .to = to};
}

void fy_scale_include(fy_scale *scale, double value)
{
    if (!isfinite(value))
        return;
    if (scale->kind == FY_AXIS_LOG && value <= 0.0) {
        scale->foot = true;
        return;
    }
    value = fmin(fmax(value, -extreme), extreme);
    if (scale->kind == FY_AXIS_LOG)
        value = fmax(value, 1.0 / extreme);
    scale->min = fmin(scale->min, value);
    scale->max = fmax(scale->max, value);
}

/* from + (to - from) (v - min)/(max - min), with the logarithms of all three numbers on a
 * logarithmic axis. */
double fy_scale_position(const fy_scale *scale, double value)
{
    bool log_axis = scale->kind == FY_AXIS_LOG;
    double v = fmin(fmax(value, scale->min), scale->max);
    double part = log_axis
                      ? (fy_log(v) - fy_log(scale->min)) / (fy_log(scale->max) - fy_log(scale->min))
                      : (v - scale->min) / (scale->max - scale->min);
    return scale->from + part * (scale->to - scale->from);
}

/* Only a tick within the range, give or take rounding, is added. */
static void add_tick(fy_scale *scale, double value, bool labelled)
{
    double slack = 1e-9 * (scale->max - scale->min);
    bool inside = scale->kind == FY_AXIS_LOG
                      ? value >= scale->min * (1.0 - 1e-9) && value <= scale->max * (1.0 + 1e-9)
                      : value >= scale->min - slack && value <= scale->max + slack;
    if (inside && scale->ticks < FY_MAX_TICKS)
        scale->tick[scale->ticks++] = (fy_tick){value, labelled};
}

/* 1, 2 or 5 times a power of ten, and at least what `wanted` ticks over the range ask for. */
static double round_step(const fy_scale *scale, int wanted)
{
    double exact = (scale->max - scale->min) / (double)wanted;
    double power = fy_pow(10.0, floor(fy_log10(exact))), part = exact / power;
    return power * (part <= 1.0 + 1e-9 ? 1.0 : part <= 2.0 + 1e-9 ? 2.0 : part <= 5.0 ? 5.0 : 10.0);
}

/* The range is widened to whole steps. */
static void finish_linear(fy_scale *scale, const fy_axis *axis, int wanted)
{
    if (axis->from_zero)
        scale->min = fmin(scale->min, 0.0);
    if (scale->max - scale->min <= 1e-12 * fabs(scale->max))
        scale->max = scale->min + (scale->min != 0.0 ? fabs(scale->min) : 1.0);
    double step = round_step(scale, wanted);
    double first = floor(scale->min / step + 1e-9), last = ceil(scale->max / step - 1e-9);
    scale->min = first * step;
    scale->max = last * step;
    for (int i = 0; i <= (int)(last - first); i++)
        add_tick(scale, (first + i) * step, true);
}

/* Ticks at the decades, a label at every `stride` of them, and between them ticks at 2..9 where
 * there is room, with labels at the digits in `also`. Returns how many labels there are. */
static int put_log_ticks(fy_scale *scale, int stride, const char *also)
{
    int first = (int)floor(fy_log10(scale->min)), last = (int)ceil(fy_log10(scale->max));
    int labels = 0;
    scale->ticks = 0;
    for (int i = first; i <= last; i++) {
        add_tick(scale, fy_pow(10.0, i), i % stride == 0);
        for (int j = 2; j <= 9 && stride == 1; j++)
            add_tick(scale, j * fy_pow(10.0, i), strchr(also, '0' + j) != NULL);
    }
    for (int i = 0; i < scale->ticks; i++)
        labels += scale->tick[i].labelled;
    return labels;
}

/* Within few octaves, the round numbers of a linear axis: 10, 15, 20. */
static void put_round_ticks(fy_scale *scale)
{
    enum { FEW = 4 };
    double step = round_step(scale, FEW);
    scale->ticks = 0;
    int first = (int)ceil(scale->min / step - 1e-9);
    for (int i = 0; i <= FEW; i++)
        add_tick(scale, (first + i) * step, true);
}

/* The range is that of the numbers, widened to a factor of three if it is less. Labels are at
 * every so many decades; where that leaves fewer than three, at 1, 2 and 5, and then at round
 * numbers. */
static void finish_log(fy_scale *scale, int wanted)
{
    enum { ENOUGH = 3 };
    const double min_ratio = 3.0, room_for_zero = fy_pow(10.0, 0.5);
    double ratio = scale->max / scale->min;
    double widen = ratio < min_ratio ? sqrt(min_ratio / ratio) : 1.0;
    scale->min /= widen;
    scale->max *= widen;
    if (scale->foot)
        scale->min /= room_for_zero;
    int first = (int)floor(fy_log10(scale->min)), last = (int)ceil(fy_log10(scale->max));
    int stride = (last - first - 1) / wanted + 1; /* both ends may lie outside */
    if (put_log_ticks(scale, stride, "") < ENOUGH && stride == 1 &&
        put_log_ticks(scale, stride, "25") < ENOUGH)
        put_round_ticks(scale);
}

void fy_scale_finish(fy_scale *scale, const fy_axis *axis, int wanted)
{
    bool empty = scale->min > scale->max;
    if (empty) {
        scale->min = scale->kind == FY_AXIS_LOG ? 0.1 : 0.0;
        scale->max = 1.0;
    }
    if (scale->kind == FY_AXIS_LOG)
        finish_log(scale, wanted);
    else
        finish_linear(scale, axis, wanted);
}

/* "10⁻⁶", or "2·10⁻⁶". */
static void print_power(double value, char out[FY_NUMBER_SIZE])
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char digits[16];
    int exponent = (int)floor(fy_log10(fabs(value)) + 1e-9);
    double mantissa = rint(value / fy_pow(10.0, exponent) * 1e3) / 1e3;
    int at = mantissa == 1.0 ? 0 : fy_format(out, FY_NUMBER_SIZE, "%.3g·", mantissa);
    at += fy_format(out + at, (size_t)(FY_NUMBER_SIZE - at), "10%s", exponent < 0 ? "⁻" : "");
    fy_format(digits, sizeof digits, "%d", abs(exponent));
    for (const char *digit = digits; *digit; digit++)
        at += fy_format(out + at, (size_t)(FY_NUMBER_SIZE - at), "%s", raised[*digit - '0']);
}

/* Numbers that are easy to read are written out, others as powers of ten. A tick of a linear axis
 * that should be 0 may be off by rounding: it is compared with the range, not with 0. */
const char *fy_scale_label(const fy_scale *scale, double value, char out[FY_NUMBER_SIZE])
{
    double size = fabs(value);
    bool plain = size >= 0.9e-3 && size < 0.9e7;
    bool zero = scale->kind == FY_AXIS_LINEAR && size < 1e-9 * (scale->max - scale->min);
    if (zero || value == 0.0)
        fy_format(out, FY_NUMBER_SIZE, "0");
    else if (plain && size >= 999.5)
        fy_number(rint(value), out);
    else if (plain)
        fy_format(out, FY_NUMBER_SIZE, "%.4g", value);
    else
        print_power(value, out);
    return out;
}

void fy_svg_axis(fy_writer *text, const fy_scale *scale, double top, double foot, const char *label)
{
    char number[FY_NUMBER_SIZE];
    for (int i = 0; i < scale->ticks; i++) {
        const fy_tick *tick = &scale->tick[i];
        double x = fy_scale_position(scale, tick->value);
        fy_print(text, "<line class=\"grid%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                 tick->labelled ? "" : " minor", x, top, x, foot);
        if (tick->labelled)
            fy_svg_text(text, "tick", "middle", x, foot + 18,
                        fy_scale_label(scale, tick->value, number));
    }
    fy_svg_text(text, "label", "middle", 0.5 * (scale->from + scale->to), foot + 42, label);
}
