/* look.c - fixed looks of algorithms, and looks by place. */
#include "draw/look.h"

#include <string.h>

/* Okabe and Ito's colours: 0 blue, 1 vermilion, 2 green, 3 purple, 4 orange, 5 sky blue, 6 black,
 * 7 olive. Algorithms that are often compared differ in all three. */
static const struct {
    const char *name;
    fy_look look;
} known[] = {
    {"ucrl-rfe", {0, 0, 0}}, {"ucrl-rfe+", {5, 1, 1}},  {"scout", {1, 0, 2}},
    {"rf-ucrl", {2, 2, 3}},  {"rf-express", {3, 3, 4}}, {"rf-rl-explore", {7, 2, 1}},
    {"sstp", {4, 1, 5}},     {"random", {6, 2, 0}},     {"generative", {6, 0, 5}},
    {"ucrl-vtr", {2, 0, 1}}, {"ucrl-vtr+", {3, 1, 0}},  {"euler", {1, 2, 3}},
    {"francis", {5, 3, 2}},  {"wang", {7, 0, 4}},
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
