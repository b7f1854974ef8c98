/* draw.c - the random numbers of a world. */
#include "base/base.h"

double foray_draw_uniform(const foray_draw *draw, uint32_t i)
{
    return fy_unit(fy_random_bits(draw->seed, FY_STREAM_WORLD, draw->episode, draw->step, i));
}
