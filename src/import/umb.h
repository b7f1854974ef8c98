/* umb.h - models in the unified Markov binary format (github.com/pmc-tools/umb): a tar file with
 * index.json, which says what there is, and arrays beside it.
 *
 *   umb_arrays.c   arrays of the archive: compressed rows, numbers, bits, texts
 *   umb_names.c    names of states, from the values of their variables
 *   umb.c          states, choices and branches; rewards and labels */
#ifndef FY_UMB_H
#define FY_UMB_H

#include "base/document.h"
#include "import/archive.h"
#include "import/prism.h"

typedef struct fy_umb {
    foray_context *ctx;
    fy_archive archive;
    fy_json_tree tree;
    fy_json index, system; /* the whole, and its "transition-system" */
    int64_t states, choices, branches, choice_actions;
    int64_t *first_branch; /* [choices + 1] */
    bool unnamed_actions;  /* which are numbers, then */
    fy_prism *prism;       /* choices and rows, as PRISM's files would give them */
} fy_umb;

/* Kinds of numbers that are read. */
typedef enum fy_umb_type { FY_UMB_DOUBLE, FY_UMB_RATIONAL } fy_umb_type;

/* What a type object says; `what` has it. Intervals are refused by name, and so is anything that
 * is not a continuous number. */
foray_status fy_umb_real_type(const fy_umb *umb, fy_json type, const char *what, fy_umb_type *out);

/* The member of this name, which must have `size` bytes; *out is NULL where it is not there. */
foray_status fy_umb_member(const fy_umb *umb, const char *name, int64_t count, size_t width,
                           const fy_member **out);

/* Compressed rows: where each of `count` intervals of [0, total) begins; one each if the member is
 * not there. [count + 1], the caller's. */
foray_status fy_umb_rows(const fy_umb *umb, const char *name, int64_t count, int64_t total,
                         int64_t **out);

/* `count` numbers; all 0 if the member is not there. */
foray_status fy_umb_reals(const fy_umb *umb, const char *name, fy_umb_type type, int64_t count,
                          double *out);

/* Bit i of a member, NULL: none is set. */
static inline bool fy_umb_bit(const fy_member *bits, int64_t i)
{
    return bits && (bits->data[i / 8] >> (i % 8) & 1);
}
/* Its bytes for `count` bits. */
static inline int64_t fy_umb_words(int64_t count)
{
    return (count + 63) / 64;
}

static inline uint64_t fy_umb_u64(const uint8_t *data, int64_t i)
{
    fy_reader reader = {.data = data + 8 * i, .size = 8};
    return fy_read_u64(&reader);
}

/* Text i of `folder`/string-mapping.bin and strings.bin, of `count`; texts may be read after
 * fy_umb_texts, which is FORAY_OK with *mapping NULL where there are none. */
typedef struct fy_umb_texts {
    int64_t count;
    int64_t *start; /* [count + 1], or NULL */
    const uint8_t *bytes;
} fy_umb_texts;
foray_status fy_umb_texts_open(const fy_umb *umb, const char *folder, int64_t count,
                               fy_umb_texts *out);
/* A copy with a final 0; FORAY_ERROR_INPUT if it is not UTF-8 of at most 200 bytes. */
foray_status fy_umb_text(const fy_umb *umb, const fy_umb_texts *texts, int64_t i, char out[201]);

/* "parameters" of a file of our own; of others there are none. */
fy_json fy_umb_parameters(const fy_umb *umb);

/* Names states after their variables, where each has its own. */
foray_status fy_umb_names(fy_umb *umb);

foray_status fy_umb_read(fy_transitions *out);

#endif
