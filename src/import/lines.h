/* lines.h - text files of words: read line by line, word by word.
 *
 * Lines that begin with '#' are comments, empty ones are skipped. Messages begin with the path
 * and the line. */
#ifndef FY_LINES_H
#define FY_LINES_H

#include "base/base.h"

typedef struct fy_lines {
    foray_context *ctx;
    const char *path;
    int file;      /* -1: read to its end */
    int64_t bytes; /* how long it is; INT64_MAX: nobody knows */
    char *text; /* a part of it, with a final 0, cut into lines and words as they are handed out */
    size_t size, room, at;
    int64_t line;         /* the one at hand, from 1 */
    char *rest;           /* what has not been handed out of it */
    foray_status failure; /* why there is no further line, if not because the file ended */
} fy_lines;

foray_status fy_lines_open(foray_context *ctx, const char *path, fy_lines *out);
void fy_lines_close(fy_lines *lines);

/* Goes to the next line that says something; false at the end, or if reading fails. */
bool fy_lines_next(fy_lines *lines);

/* Why there was no line: what made reading fail, or "path: cause". */
foray_status fy_lines_missing(const fy_lines *lines, const char *cause);

/* The next word of the line; NULL: there is none. */
char *fy_lines_word(fy_lines *lines);

/* The next word as a whole number from 0 to most, or as a number; `what` names it in messages. */
foray_status fy_lines_index(fy_lines *lines, const char *what, int64_t max, int64_t *out);
foray_status fy_lines_real(fy_lines *lines, const char *what, double *out);

/* No further word: FORAY_ERROR_INPUT if there is one. */
foray_status fy_lines_end(fy_lines *lines);

/* "path:line: cause". */
foray_status fy_lines_fail(const fy_lines *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
