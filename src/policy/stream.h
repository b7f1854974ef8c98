/* stream.h - a policy file as a stream: its actions as they come, and the rest as a text. */
#ifndef FY_POLICY_STREAM_H
#define FY_POLICY_STREAM_H

#include "base/base.h"

#include <stdio.h>

/* One row of "action": [from, [...]]. */
typedef struct fy_policy_row {
    int64_t line; /* on which it begins, from 1 */
    int64_t from;
    int64_t first; /* its first action among all */
    int64_t count;
} fy_policy_row;

typedef struct fy_policy_text {
    fy_writer rest; /* everything else, a final 0 included: "action" is an empty list of as many
                     * lines, so that lines are counted as in the file */
    int64_t rows, row_room;
    fy_policy_row *row;
    int64_t actions, action_room;
    int32_t *action; /* those of all rows; numbers beyond 32 bits are INT32_MIN */
} fy_policy_text;

/* From a file or, if that is NULL, from `size` bytes of memory. */
foray_status fy_policy_text_read(foray_context *ctx, FILE *file, const char *text, size_t size,
                                 const char *where, fy_policy_text *out);
void fy_policy_text_free(fy_policy_text *text);

#endif
