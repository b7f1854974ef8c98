/* picture.c - fronts drawn: a plane for two rewards, and the triangle of weights of three. */
#include "base/maths.h"
#include "draw/axis.h"
#include "tradeoff/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is shown of a policy appears where one points at it, or gets to it with the keyboard. */
static const char style[] =
    ".front .tip{visibility:hidden}.front .policy:hover .tip,.front .policy:focus .tip{visibility:"
    "visible}.front .policy:focus{outline:none}.front .policy:hover .mark,.front .policy:focus "
    ".mark{stroke:var(--ink,#1b1f24);stroke-width:2.5}.front "
    ".box{fill:currentColor;fill-opacity:.13;"
    "stroke:currentColor;stroke-opacity:.45}.front .policy:hover .box,.front .policy:focus .box,"
    ".front .policy:hover .cell,.front .policy:focus .cell{fill-opacity:.5}"
    ".front .beyond{fill:var(--wall,#aab1ba);fill-opacity:.35;stroke:none}"
    ".front .bound{fill:none;stroke:var(--quiet,#57606a);stroke-width:1.5;stroke-dasharray:6 3}"
    ".front .mixed{fill:none;stroke:var(--ink,#1b1f24);stroke-width:1.2}"
    ".front .cell{fill:currentColor;fill-opacity:.22;stroke:var(--paper,#ffffff);stroke-width:1.5}"
    ".front .tip rect{fill:var(--paper,#ffffff);stroke:var(--quiet,#57606a)}";

/* Pixels. */
enum { WIDTH = 640, HEIGHT = 470, LEFT = 78, RIGHT = 20, TOP = 40, BOTTOM = 58, TIP = 244 };

typedef struct plane {
    fy_writer *text;
    const foray_front *front;
    const char *name[2];
    char label[2][FY_LABEL_SIZE + 32];
    int64_t i[2]; /* which rewards */
    fy_scale scale[2];
} plane;

double fy_tradeoff_loss(const foray_front *front, int64_t k)
{
    double most = 0;
    for (int64_t c = 0; c < front->corners; c++)
        most = fmax(most, front->loss[c * front->policies + k]);
    return most;
}

static double at(const plane *p, int axis, double value)
{
    return fy_scale_position(&p->scale[axis], value);
}

/* ------------------------------------------------------------------ what nobody exceeds */

/* The most (or, of a reward to be minimised, the least) that any policy has of y while it has at
 * least x of the other: from every corner where no third reward counts,
 *     w_x u_x + w_y u_y <= top. */
static double farthest(const plane *p, double x)
{
    const foray_front *front = p->front;
    double scale_x = front->scale[p->i[0]], best = INFINITY;
    for (int64_t c = 0; c < front->corners; c++) {
        const double *w = front->corner + c * front->rewards;
        double wx = w[p->i[0]], wy = w[p->i[1]];
        if (wx + wy < 1 - 1e-12)
            continue;
        if (wy > 0)
            best = fmin(best, (front->top[c] - wx * x / scale_x) / wy);
        else if (wx * x / scale_x > front->top[c])
            return -INFINITY;
    }
    return best;
}

static void draw_bound(const plane *p)
{
    enum { POINTS = 240 };
    double sign = p->front->scale[p->i[1]] < 0 ? -1 : 1, scale = p->front->scale[p->i[1]];
    double worst = sign > 0 ? p->scale[1].min : p->scale[1].max;
    double edge = sign > 0 ? p->scale[1].max : p->scale[1].min;
    fy_writer line = {.ctx = p->text->ctx};
    fy_print(p->text, "<polygon class=\"beyond\" points=\"");
    for (int n = 0; n <= POINTS; n++) {
        double x = p->scale[0].min + (p->scale[0].max - p->scale[0].min) * n / POINTS;
        double most = farthest(p, x);
        double y = isfinite(most) ? most * scale : most < 0 ? worst : edge;
        y = fmin(fmax(y, p->scale[1].min), p->scale[1].max);
        fy_print(p->text, "%.1f,%.1f ", at(p, 0, x), at(p, 1, y));
        fy_print(&line, "%.1f,%.1f ", at(p, 0, x), at(p, 1, y));
    }
    fy_print(p->text, "%.1f,%.1f %.1f,%.1f\"/>\n", at(p, 0, p->scale[0].max), at(p, 1, edge),
             at(p, 0, p->scale[0].min), at(p, 1, edge));
    fy_print(p->text, "<polyline class=\"bound\" points=\"");
    if (!line.failed && line.data)
        fy_write_bytes(p->text, line.data, line.size);
    fy_print(p->text, "\"/>\n");
    p->text->failed |= line.failed;
    free(line.data);
}

/* ------------------------------------------------------------------------ policies */

/* Of two rewards, in the order of the front: mixtures of neighbours lie between them. */
static void draw_mixtures(const plane *p)
{
    const foray_front *front = p->front;
    double last = -INFINITY;
    if (front->rewards != 2)
        return;
    fy_print(p->text, "<polyline class=\"mixed\" points=\"");
    for (int64_t n = 0; n < front->policies; n++) {
        int64_t next = -1;
        for (int64_t k = 0; k < front->policies; k++) {
            double weight = front->centre[k * 2 + 1];
            if (weight > last && (next < 0 || weight < front->centre[next * 2 + 1]))
                next = k;
        }
        if (next < 0)
            break;
        last = front->centre[next * 2 + 1];
        fy_print(p->text, "%.1f,%.1f ", at(p, 0, front->value[next * 2 + p->i[0]]),
                 at(p, 1, front->value[next * 2 + p->i[1]]));
    }
    fy_print(p->text, "\"/>\n");
}

static void tip_line(const plane *p, double x, double y, const char *name, double value, double low,
                     double high)
{
    char label[FY_LABEL_SIZE], a[FY_NUMBER_SIZE], line[256];
    fy_label(name, 0, label);
    if (low == value && high == value) {
        fy_format(line, sizeof line, "%s %s", label, fy_number(value, a));
    } else {
        char b[FY_NUMBER_SIZE], c[FY_NUMBER_SIZE];
        fy_format(line, sizeof line, "%s %s, in [%s, %s]", label, fy_number(value, a),
                  fy_number(low, b), fy_number(high, c));
    }
    fy_svg_text(p->text, "tick", "start", x, y, line);
}

/* A box in the corner where no policy is: what is best is farthest from it. */
static void draw_tip(const plane *p, int64_t k)
{
    const foray_front *front = p->front;
    int64_t m = front->rewards;
    char line[128], number[FY_NUMBER_SIZE];
    bool left = front->scale[p->i[0]] > 0, low = front->scale[p->i[1]] > 0;
    double x = left ? LEFT + 8 : WIDTH - RIGHT - TIP - 8;
    double y = low ? HEIGHT - BOTTOM - 78 : TOP + 8;
    fy_print(p->text,
             "<g class=\"tip\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"70\" rx=\"4\"/>\n",
             x, y, TIP);
    fy_format(line, sizeof line, "policy %d: loses at most %s", (int)(k + 1),
              fy_number(fy_tradeoff_loss(front, k), number));
    fy_svg_text(p->text, "label", "start", x + 8, y + 18, line);
    for (int axis = 0; axis < 2; axis++) {
        int64_t i = k * m + p->i[axis];
        tip_line(p, x + 8, y + 36 + 17 * axis, p->name[axis], front->value[i], front->low[i],
                 front->high[i]);
    }
    fy_print(p->text, "</g>\n");
}

static void draw_policy(const plane *p, int64_t k)
{
    const foray_front *front = p->front;
    int64_t m = front->rewards, x = k * m + p->i[0], y = k * m + p->i[1];
    char a[FY_NUMBER_SIZE], b[FY_NUMBER_SIZE], c[FY_NUMBER_SIZE];
    double left = at(p, 0, front->low[x]), right = at(p, 0, front->high[x]);
    double top = at(p, 1, front->high[y]), foot = at(p, 1, front->low[y]);
    fy_print(p->text,
             "<g class=\"policy c%d\" tabindex=\"0\" role=\"img\" aria-label=\"policy %" PRId64
             ": %s, %s; loses at most %s\">\n",
             (int)(k % FY_LOOK_COLOURS), k + 1, fy_number(front->value[x], a),
             fy_number(front->value[y], b), fy_number(fy_tradeoff_loss(front, k), c));
    fy_print(p->text,
             "<rect class=\"box\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", left,
             top, fmax(right - left, 0), fmax(foot - top, 0));
    fy_svg_marker(p->text, (int)(k % FY_LOOK_MARKERS), at(p, 0, front->value[x]),
                  at(p, 1, front->value[y]));
    fy_print(p->text, "/>\n");
    draw_tip(p, k);
    fy_print(p->text, "</g>\n");
}

/* -------------------------------------------------------------------------- a plane */

static void draw_y_axis(const plane *p)
{
    char label[FY_NUMBER_SIZE];
    const fy_scale *y = &p->scale[1];
    for (int i = 0; i < y->ticks; i++) {
        double place = fy_scale_position(y, y->tick[i].value);
        fy_print(p->text, "<line class=\"grid%s\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n",
                 y->tick[i].labelled ? "" : " minor", LEFT, place, WIDTH - RIGHT, place);
        if (y->tick[i].labelled)
            fy_svg_text(p->text, "tick", "end", LEFT - 8, place + 4,
                        fy_scale_label(y, y->tick[i].value, label));
    }
    fy_svg_text(p->text, "label", "start", 8, TOP - 16, p->label[1]);
}

static void lay_out(plane *p)
{
    const foray_front *front = p->front;
    const double from[2] = {LEFT, HEIGHT - BOTTOM}, to[2] = {WIDTH - RIGHT, TOP};
    for (int axis = 0; axis < 2; axis++) {
        const fy_axis about = {.label = p->label[axis]};
        fy_scale *scale = &p->scale[axis];
        double low = INFINITY, high = -INFINITY;
        *scale = fy_scale_empty(&about, from[axis], to[axis]);
        for (int64_t k = 0; k < front->policies; k++) {
            low = fmin(low, front->low[k * front->rewards + p->i[axis]]);
            high = fmax(high, front->high[k * front->rewards + p->i[axis]]);
        }
        fy_scale_include(scale, low);
        fy_scale_include(scale, high);
        fy_scale_finish(scale, &about, 6);
        fy_format(p->label[axis], sizeof p->label[axis], "%s%s", p->name[axis],
                  front->scale[p->i[axis]] < 0 ? " (less is better)" : "");
    }
}

void fy_tradeoff_plane(fy_writer *text, const fy_tradeoff_about *about, int64_t x, int64_t y)
{
    plane p = {.text = text, .front = about->front, .i = {x, y}};
    char name[2][FY_LABEL_SIZE], id[48], title[3 * FY_LABEL_SIZE];
    for (int axis = 0; axis < 2; axis++)
        p.name[axis] = fy_label(foray_reward_name(about->reward[p.i[axis]]), p.i[axis], name[axis]);
    lay_out(&p);
    fy_format(id, sizeof id, "front%d%d", (int)x, (int)y);
    fy_format(title, sizeof title, "%s against %s", p.name[0], p.name[1]);
    fy_svg_begin(text, id, title, WIDTH, HEIGHT);
    fy_print(text, "<style>%s</style>\n<g class=\"front\">\n", style);
    draw_bound(&p);
    draw_y_axis(&p);
    fy_svg_axis(text, &p.scale[0], TOP, HEIGHT - BOTTOM, p.label[0]);
    draw_mixtures(&p);
    for (int64_t k = 0; k < p.front->policies; k++)
        draw_policy(&p, k);
    fy_print(text, "</g>\n</svg>\n");
}

/* ------------------------------------------------------------------------ the triangle */

enum { SIDE = 520, TRIANGLE_LEFT = 60, TRIANGLE_TOP = 46, TRIANGLE_FOOT = 40 };

typedef struct spot {
    double x, y, angle;
} spot;

static const double root3_half = 0.86602540378443864676;

/* The first reward counts alone below on the left, the second on the right, the third on top. */
static spot spot_of(const double *w)
{
    return (spot){TRIANGLE_LEFT + SIDE * (w[1] + 0.5 * w[2]),
                  TRIANGLE_TOP + SIDE * root3_half * (1 - w[2]), 0};
}

static int compare_angles(const void *one, const void *other)
{
    double a = ((const spot *)one)->angle, b = ((const spot *)other)->angle;
    return (a > b) - (a < b);
}

/* A number that grows with the angle of (x,y), between -2 and 2. */
static double turn_of(double x, double y)
{
    double size = fabs(x) + fabs(y);
    if (size == 0)
        return 0;
    return y >= 0 ? 1 - x / size : x / size - 1;
}

/* The corners of a policy's cell, around its centre. */
static int64_t corners_of(const foray_front *front, int64_t k, spot *corner)
{
    int64_t count = 0;
    const spot centre = spot_of(front->centre + k * 3);
    for (int64_t c = 0; c < front->corners; c++) {
        if (isnan(front->loss[c * front->policies + k]))
            continue;
        corner[count] = spot_of(front->corner + c * 3);
        corner[count].angle = turn_of(corner[count].x - centre.x, corner[count].y - centre.y);
        count++;
    }
    if (count > 0)
        qsort(corner, (size_t)count, sizeof *corner, compare_angles);
    return count;
}

static void draw_cell(fy_writer *text, const fy_tradeoff_about *about, int64_t k, spot *corner)
{
    const foray_front *front = about->front;
    int64_t count = corners_of(front, k, corner);
    char line[160], label[FY_LABEL_SIZE], a[FY_NUMBER_SIZE];
    const spot centre = spot_of(front->centre + k * 3);
    fy_print(text,
             "<g class=\"policy c%d\" tabindex=\"0\" role=\"img\" aria-label=\"policy %" PRId64
             "\">\n<polygon class=\"cell\" points=\"",
             (int)(k % FY_LOOK_COLOURS), k + 1);
    for (int64_t c = 0; c < count; c++)
        fy_print(text, "%.1f,%.1f ", corner[c].x, corner[c].y);
    fy_print(text, "\"/>\n");
    fy_format(line, sizeof line, "%d", (int)(k + 1));
    if (front->policies <= 30)
        fy_svg_text(text, "tick", "middle", centre.x, centre.y + 4, line);
    fy_print(text,
             "<g class=\"tip\"><rect x=\"6\" y=\"6\" width=\"236\" height=\"88\" rx=\"4\"/>\n");
    fy_format(line, sizeof line, "policy %d: loses at most %s", (int)(k + 1),
              fy_number(fy_tradeoff_loss(front, k), a));
    fy_svg_text(text, "label", "start", 14, 24, line);
    for (int64_t i = 0; i < 3; i++) {
        fy_format(line, sizeof line, "%s %s",
                  fy_label(foray_reward_name(about->reward[i]), i, label),
                  fy_number(front->value[k * 3 + i], a));
        fy_svg_text(text, "tick", "start", 14, 42 + 17 * (double)i, line);
    }
    fy_print(text, "</g>\n</g>\n");
}

void fy_tradeoff_triangle(fy_writer *text, const fy_tradeoff_about *about)
{
    static const double alone[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const char *const anchor[3] = {"start", "end", "middle"};
    static const double down[3] = {24, 24, -12}, aside[3] = {-40, 40, 0};
    const foray_front *front = about->front;
    char label[FY_LABEL_SIZE], only[FY_LABEL_SIZE + 16];
    spot *corner;
    if (!FY_ALLOC(text->ctx, corner, front->corners)) {
        text->failed = true;
        return;
    }
    fy_svg_begin(text, "weights", "which policy serves which weights", SIDE + 2 * TRIANGLE_LEFT,
                 TRIANGLE_TOP + SIDE * root3_half + TRIANGLE_FOOT);
    fy_print(text, "<g class=\"front\">\n");
    for (int64_t k = 0; k < front->policies; k++)
        draw_cell(text, about, k, corner);
    for (int i = 0; i < 3; i++) {
        spot place = spot_of(alone[i]);
        fy_format(only, sizeof only, "only %s",
                  fy_label(foray_reward_name(about->reward[i]), i, label));
        fy_svg_text(text, "label", anchor[i], place.x + aside[i], place.y + down[i], only);
    }
    fy_print(text, "</g>\n</svg>\n");
    free(corner);
}
