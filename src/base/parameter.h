/* parameter.h - the one mechanism behind settings, and the parameters of algorithms, worlds,
 * systems, clusters, experiments and commands: tables of foray_parameter, read here. */
#ifndef FY_PARAMETER_H
#define FY_PARAMETER_H

#include "base/base.h"

/* Rows of a table. Defaults are texts, as users write them. */
#define FY_INTEGER(name_, fallback_, min_, max_, help_)                                            \
    {                                                                                              \
        .name = (name_), .kind = FORAY_INTEGER, .fallback = (fallback_), .min = (min_),            \
        .max = (max_), .help = (help_)                                                             \
    }
#define FY_REAL(name_, fallback_, min_, max_, help_)                                               \
    {                                                                                              \
        .name = (name_), .kind = FORAY_REAL, .fallback = (fallback_), .min = (min_),               \
        .max = (max_), .help = (help_)                                                             \
    }
#define FY_CHOICE(name_, fallback_, choices_, help_)                                               \
    {                                                                                              \
        .name = (name_), .kind = FORAY_CHOICE, .fallback = (fallback_), .choices = (choices_),     \
        .help = (help_)                                                                            \
    }

/* `max` of numbers that nothing but their type bounds; twice that does not overflow. */
#define FY_UNBOUNDED 0x1p61
/* Seeds that are kept as doubles. */
#define FY_MAX_SEED 0x1p53

/* Nothing has more parameters than this (tests see to it). */
enum { FY_MAX_PARAMETERS = 16 };

/* The row called so, '-' and '_' being the same; -1: none. */
int64_t fy_parameter_find(const foray_parameter *row, int64_t rows, const char *name,
                          size_t length);

/* Reads one value from `length` characters; texts and names are taken as they are: looking them up
 * is the caller's task. False, or FORAY_ERROR_USAGE with a message that says "rows=0, but it must
 * be an integer from 1 to 64". */
bool fy_parameter_parse(const foray_parameter *row, const char *text, size_t length,
                        foray_parameter_value *out);
foray_status fy_parameter_read(foray_context *ctx, const foray_parameter *row, const char *text,
                               size_t length, foray_parameter_value *out);

/* The value as text that fy_parameter_read reads back exactly. */
void fy_parameter_print(const foray_parameter *row, foray_parameter_value value, char *text,
                        size_t size);

/* Writes which values are allowed, with at most `size` bytes including the final 0: "1 to 64", "at
 * least 0", "this|that", or "text". */
void fy_parameter_range(const foray_parameter *parameter, char *text, size_t size);

/* "key=value,key=value" for a table of at most FY_MAX_PARAMETERS rows: value[rows], each
 * within its range; what is not mentioned has its default. NULL: nothing is. `what` stands in
 * front of messages: "rooms". */
foray_status fy_parameters_read(foray_context *ctx, const char *what, const foray_parameter *row,
                                int64_t rows, const char *text, size_t length,
                                foray_parameter_value *value);

#endif
