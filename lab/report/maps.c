/* maps.c - what maps have in common: which there are, where episodes start, and what the sides
 * stand for, read off the names of the corners: the states of systems are called "angle=0.5,
 * velocity=-1". */
#include "base/base.h"
#include "base/parameter.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

bool fy_report_map(const fy_report *report, int64_t *rows, int64_t *cols)
{
    return foray_model_grid(report->model, rows, cols) && *rows > 1 && *cols > 1;
}

bool fy_report_starts(const fy_report *report, int64_t state)
{
    const foray_model *model = report->model;
    for (int64_t i = 0; i < model->initials && model->initials <= FY_REPORT_MARKED; i++)
        if (model->initial_state[i] == state && model->initial_probability[i] > 0)
            return true;
    return false;
}

/* --------------------------------------------------------------------------- axes */

enum { AXES = 2 };

/* "angle=0.5, velocity=-1": names as stretches of the text, and numbers. */
typedef struct corner {
    const char *name[AXES];
    size_t length[AXES];
    double value[AXES];
} corner;

static bool read_corner(const char *text, corner *out)
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

static bool find_corner(const fy_report *report, int64_t row, int64_t col, corner *out)
{
    int64_t r, c;
    for (int64_t s = 0; s < report->model->states; s++)
        if (foray_model_cell(report->model, s, &r, &c) && r == row && c == col)
            return read_corner(foray_model_state_name(report->model, s), out);
    return false;
}

static bool same_names(const corner *one, const corner *other)
{
    for (int i = 0; i < AXES; i++)
        if (one->length[i] != other->length[i] ||
            memcmp(one->name[i], other->name[i], one->length[i]) != 0)
            return false;
    return true;
}

/* The first number must change to the right only, the second upwards only. */
void fy_report_axes(fy_report *report, int64_t rows, int64_t cols)
{
    static const char *const where[AXES] = {" To the right:", "; upwards:"};
    char name[FY_LABEL_SIZE], from[FY_NUMBER_SIZE], to[FY_NUMBER_SIZE];
    corner low, high, origin;
    if (!find_corner(report, rows - 1, 0, &low) || !find_corner(report, 0, cols - 1, &high) ||
        !find_corner(report, 0, 0, &origin) || !same_names(&low, &high) ||
        !same_names(&low, &origin) || origin.value[0] != low.value[0] ||
        origin.value[1] != high.value[1])
        return;
    for (int i = 0; i < AXES; i++) {
        fy_format(name, sizeof name, "%.*s", (int)low.length[i], low.name[i]);
        fy_print(report->text, "%s ", where[i]);
        fy_print_escaped(report->text, name);
        fy_print(report->text, " from %s to %s", fy_number(low.value[i], from),
                 fy_number(high.value[i], to));
    }
    fy_print(report->text, ".");
}
