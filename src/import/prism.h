/* prism.h - PRISM's explicit files: transitions, and what is said about them beside. */
#ifndef FY_PRISM_H
#define FY_PRISM_H

#include "import/kind.h"
#include "base/json.h"
#include "import/lines.h"
#include "import/table.h"

typedef struct fy_prism_file {
    const char *path;
    fy_file_kind kind;
} fy_prism_file;

/* A model under way. */
typedef struct fy_prism {
    foray_context *ctx;
    fy_transitions *table;
    bool chooses;    /* an MDP; otherwise every state has one choice, and lines do not name it */
    int64_t choices; /* in all */
    int64_t *first_choice;  /* [states + 1] */
    int32_t *choice_label;  /* [choices] its word; -1: none so far */
    int32_t *choice_action; /* [choices] */
} fy_prism;

/* Reads a .tra file into prism->table, whose rows are then sorted. */
foray_status fy_prism_transitions(fy_prism *prism, const char *path);

/* Choices become actions, and the rows are sorted: these have the choice of their state in the
 * place of an action until then. A state without choices stays where it is, as in PRISM. */
foray_status fy_prism_choose_actions(fy_prism *prism);

/* Names of states. To be read before anything else. */
foray_status fy_prism_states(fy_prism *prism, const char *path);
/* Labels; *path of a table that has none says where to begin otherwise. */
foray_status fy_prism_labels(fy_prism *prism, const char *path);
/* What states, or transitions, earn; the structure is called `name` if the file does not say. */
foray_status fy_prism_rewards(fy_prism *prism, const fy_prism_file *file, const char *name);

/* All of it: exactly one file of transitions, at most one of states and of labels. */
foray_status fy_prism_read(const fy_prism_file *file, int64_t files, fy_transitions *out);

#endif
