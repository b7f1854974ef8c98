/* kind.h - which format a file has, by its content. */
#ifndef FY_KIND_H
#define FY_KIND_H

#include "base/base.h"

typedef enum fy_file_kind {
    FY_FILE_TABLE, /* CSV: what nothing else is */
    FY_FILE_ARCHIVE,
    FY_FILE_TRANSITIONS, /* the rest are PRISM's */
    FY_FILE_STATES,
    FY_FILE_LABELS,
    FY_FILE_STATE_REWARDS,
    FY_FILE_TRANSITION_REWARDS,
} fy_file_kind;

/* Looks at the beginning of a file. Old versions of PRISM write transitions and their rewards
 * alike, and sometimes nothing but sizes: there the ending of the name decides. */
foray_status fy_file_kind_of(foray_context *ctx, const char *path, fy_file_kind *out);

#endif
