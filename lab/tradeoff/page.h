/* page.h - a front as a page: drawn for every two of its rewards, with what is certain of each
 * policy and what no policy exceeds; of three rewards also the triangle of weights. */
#ifndef FY_TRADEOFF_PAGE_H
#define FY_TRADEOFF_PAGE_H

#include "draw/table.h"

/* What a page is about. */
typedef struct fy_tradeoff_about {
    const foray_front *front;
    foray_reward *const *reward; /* [rewards] */
    const char *source;          /* the run or the model, */
    const foray_model *model;    /* that model, */
    int64_t episodes;            /* and what was seen; -1: theta is known */
    const foray_doubt *doubt;    /* why more policies would not help; NULL: not asked */
} fy_tradeoff_about;

/* Everything about the policies, a row for each, to be read back exactly. */
foray_status fy_tradeoff_table(foray_context *ctx, const foray_front *front,
                               foray_reward *const *reward, fy_table *out);

/* The page as text, to be released with free(). */
foray_status fy_tradeoff_page(foray_context *ctx, const fy_tradeoff_about *about, char **out,
                              size_t *size);

/* picture.c: an <svg> element of rewards `x` and `y` of the front, also as a file of its own; with
 * three rewards, who serves which weights. */
void fy_tradeoff_plane(fy_writer *text, const fy_tradeoff_about *about, int64_t x, int64_t y);
void fy_tradeoff_triangle(fy_writer *text, const fy_tradeoff_about *about);
/* What a policy loses at most for the weightings that are its own. */
double fy_tradeoff_loss(const foray_front *front, int64_t k);

#endif
