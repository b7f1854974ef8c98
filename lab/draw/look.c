/* look.c - fixed looks of algorithms, and looks by place. */
#include "draw/look.h"

#include <string.h>

/* A colour for each (svg.c has them): 0 blue, 1 vermilion, 2 green, 3 pink, 4 orange, 5 sky blue,
 * 6 black, 7 brown, 8 navy, 9 grey, 10 plum, 11 dark olive, 12 tan, 13 violet. The brightest
 * belong to those that are compared most often. inverse-count shares that of rf-express: it meets
 * only random, on worlds that all others refuse. */
static const struct {
    const char *name;
    fy_look look;
} known[] = {
    {"ucrl-rfe", {0, 0, 0}},   {"ucrl-rfe+", {5, 1, 1}},  {"scout", {1, 0, 2}},
    {"rf-ucrl", {2, 2, 3}},    {"rf-express", {3, 3, 4}}, {"wang", {4, 1, 5}},
    {"francis", {13, 3, 2}},   {"random", {6, 2, 0}},     {"rf-rl-explore", {7, 2, 1}},
    {"sstp", {12, 3, 4}},      {"generative", {9, 0, 5}}, {"ucrl-vtr", {8, 0, 1}},
    {"ucrl-vtr+", {10, 1, 0}}, {"euler", {11, 1, 3}},     {"inverse-count", {3, 1, 3}},
};

/* What comes before the settings. */
static size_t stem(const char *name)
{
    return strcspn(name, ":");
}

bool fy_look_alike(const char *one, const char *other)
{
    return stem(one) == stem(other) && strncmp(one, other, stem(one)) == 0;
}

bool fy_look_known(const char *name)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (fy_look_alike(name, known[i].name))
            return true;
    return false;
}

/* By place: those whose colours are the same differ in their dashes. */
fy_look fy_look_of(const char *name, int64_t index, int64_t earlier)
{
    fy_look look = {(int)(index % FY_LOOK_COLOURS),
                    (int)((index + index / FY_LOOK_COLOURS) % FY_LOOK_DASHES),
                    (int)(index % FY_LOOK_MARKERS)};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (fy_look_alike(name, known[i].name)) {
            look = known[i].look;
            look.dash = (int)((look.dash + earlier) % FY_LOOK_DASHES);
            look.marker = (int)((look.marker + earlier) % FY_LOOK_MARKERS);
        }
    return look;
}
