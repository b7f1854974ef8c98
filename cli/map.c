/* map.c - a policy drawn on the map of its model. */
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Actions that are directions; all others show the first letter of their name. */
static const struct {
    const char *name, *plain, *arrow;
} directions[] = {
    {"left", "<", "\u2190"},  {"right", ">", "\u2192"}, {"up", "^", "\u2191"},
    {"down", "v", "\u2193"},  {"west", "<", "\u2190"},  {"east", ">", "\u2192"},
    {"north", "^", "\u2191"}, {"south", "v", "\u2193"}, {"stay", "o", "\u00b7"},
};

/* Where no episode can be, nothing is done. */
static const char *symbol_of(const foray_model *model, int32_t action, bool unicode, char other[2])
{
    if (action < 0)
        return "x";
    const char *name = foray_model_action_name(model, action);
    for (size_t i = 0; name && i < sizeof directions / sizeof *directions; i++)
        if (strcmp(name, directions[i].name) == 0)
            return unicode ? directions[i].arrow : directions[i].plain;
    bool letter = name && name[0] > ' ' && name[0] < 127;
    other[0] = letter ? name[0] : (char)('0' + action % 10);
    other[1] = 0;
    return other;
}

/* Rows and columns that anybody would look at. */
enum { LARGEST = 1000 };

/* Which state lies on each cell; -1: none. NULL: out of memory. */
static int64_t *states_on_map(const foray_model *model, int64_t rows, int64_t cols)
{
    int64_t *state = calloc((size_t)rows, (size_t)cols * sizeof *state);
    int64_t row, col;
    for (int64_t i = 0; state && i < rows * cols; i++)
        state[i] = -1;
    for (int64_t s = 0; state && s < foray_model_states(model); s++)
        if (foray_model_cell(model, s, &row, &col))
            state[row * cols + col] = s;
    return state;
}

void cli_map_print(const foray_model *model, const foray_policy *policy)
{
    int64_t rows, cols;
    if (!foray_model_grid(model, &rows, &cols)) {
        printf("  (the model has no map)\n");
        return;
    }
    int64_t *state = rows <= LARGEST && cols <= LARGEST ? states_on_map(model, rows, cols) : NULL;
    if (!state)
        printf("  (the map is too large to draw)\n");
    bool unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    for (int64_t row = 0; state && row < rows; row++) {
        printf(" ");
        for (int64_t col = 0; col < cols; col++) {
            char other[2];
            int64_t memory = 0, s = state[row * cols + col];
            int64_t place = s < 0 ? s : foray_policy_read(policy, &memory, s);
            printf(" %s",
                   s < 0 ? "#"
                         : symbol_of(model, foray_policy_action(policy, 0, place), unicode, other));
        }
        printf("\n");
    }
    if (state && policy->state)
        printf("  (x: unreachable, no episode can be there)\n");
    free(state);
}
