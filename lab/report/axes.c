/* axes.c - what the sides of a map stand for, read off the names of its corners: the states of
 * systems are called "angle=0.5, velocity=-1". */
#include "base/parameter.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 2 };

/* "angle=0.5, velocity=-1": names as stretches of the text, and numbers. */
typedef struct place {
    const char *name[AXES];
    size_t length[AXES];
    double value[AXES];
} place;

static bool read_place(const char *text, place *out)
{
    for (int i = 0; i < AXES; i++) {
        const char *equals = text ? strchr(text, '=') : NULL;
        const char *end = equals ? equals + strcspn(equals, ",") : NULL;
        if (!equals || equals == text ||
            !fy_number_read(equals + 1, (size_t)(end - equals) - 1, &out->value[i]))
            return false;
        out->name[i] = text;
        out->length[i] = (size_t)(equals - text);
        const char *after = i + 1 < AXES ? ", " : "";
        if (strncmp(end, after, strlen(after)) != 0)
            return false;
        text = end + strlen(after);
    }
    return *text == 0;
}

static bool find_corner(const fy_report *report, int64_t row, int64_t col, place *out)
{
    int64_t r, c;
    for (int64_t s = 0; s < report->model->states; s++)
        if (foray_model_cell(report->model, s, &r, &c) && r == row && c == col)
            return read_place(foray_model_state_name(report->model, s), out);
    return false;
}

static bool same_names(const place *one, const place *other)
{
    for (int i = 0; i < AXES; i++)
        if (one->length[i] != other->length[i] ||
            memcmp(one->name[i], other->name[i], one->length[i]) != 0)
            return false;
    return true;
}

static void print_side(fy_writer *text, const char *where, const place *from, const place *to,
                       int i)
{
    char name[FY_LABEL_SIZE], low[FY_NUMBER_SIZE], high[FY_NUMBER_SIZE];
    snprintf(name, sizeof name, "%.*s", (int)from->length[i], from->name[i]);
    fy_print(text, "%s ", where);
    fy_print_escaped(text, name);
    fy_print(text, " from %s to %s", fy_number(from->value[i], low), fy_number(to->value[i], high));
}

/* The first number must change to the right only, the second upwards only. */
void fy_report_axes(fy_report *report, int64_t rows, int64_t cols)
{
    place low, high, corner;
    if (!find_corner(report, rows - 1, 0, &low) || !find_corner(report, 0, cols - 1, &high) ||
        !find_corner(report, 0, 0, &corner) || !same_names(&low, &high) ||
        !same_names(&low, &corner) || corner.value[0] != low.value[0] ||
        corner.value[1] != high.value[1])
        return;
    print_side(report->text, " To the right:", &low, &high, 0);
    print_side(report->text, "; upwards:", &low, &high, 1);
    fy_print(report->text, ".");
}
