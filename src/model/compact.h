/* compact.h - the compact form of models (docs/formats.md): little-endian arrays
 * behind a header of sizes, generator sets written once, a CRC-32C at the end. */
#ifndef FY_COMPACT_H
#define FY_COMPACT_H

#include "model/model.h"

/* Version 2 knows features phi(s,a), version 3 an error of estimated features as well, version 6
 * actions that some states lack. A model is written in the lowest version that can hold it. */
enum {
    VERSION_PLAIN = 1,
    VERSION_PAIR_FEATURES = 2,
    VERSION_FEATURE_ERROR = 3,
    VERSION_NONNEGATIVE = 4,
    VERSION_FEATURE_DELTA = 5,
    VERSION_AVAILABLE = 6,
    VERSION_LATEST = VERSION_AVAILABLE
};

enum { CRC_SIZE = 4 };

/* The header after the magic: unsigned 64-bit numbers in this order, then
 * norm_bound and, from version 3 on, feature_error. Version 4 says that theta >= 0; version 5
 * has feature_delta behind feature_error, and then whether theta >= 0. In version 6 the generator
 * set of a pair may be -1: the action is not available in the state, and the pair has nothing,
 * neither successors nor phi(s,a). */
typedef struct fy_compact_header {
    uint64_t version, states, actions, horizon, dim;
    uint64_t transitions; /* successors over all pairs */
    uint64_t generator_sets, generators, features;
    uint64_t initials;
    uint64_t has_theta; /* 0 or 1 */
    uint64_t grid_rows, grid_cols;
    uint64_t name;                      /* bytes */
    uint64_t state_names, action_names; /* bytes; 0: no names */
    /* From version 2 on: */
    uint64_t pair_dim, pair_features; /* of phi(s,a); 0, 0: none */
} fy_compact_header;

enum {
    HEADER_FIELDS = sizeof(fy_compact_header) / sizeof(uint64_t),
    PLAIN_FIELDS = HEADER_FIELDS - 2
};

static inline size_t fy_header_fields(uint64_t version)
{
    return version == VERSION_PLAIN ? PLAIN_FIELDS : HEADER_FIELDS;
}

#endif
