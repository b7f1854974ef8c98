/* table.h - models made by others, as tables: one row for each outcome of each (s,a).
 *
 *   kind.c      which format a file has
 *   rows.c      the rows, in order
 *   table.c     reads the rows of a CSV file, and who begins
 *   prism.c     reads PRISM's explicit files; beside.c what they say beside the transitions
 *   umb.c       reads a model in the unified Markov binary format
 *   ends.c      what ends an episode becomes an absorbing state; twins where a state is several
 *   laws.c      which pairs share a law, and the model
 *   rewards.c   reward files of what the states and transitions earn, and of labels */
#ifndef FY_TABLE_IMPORT_H
#define FY_TABLE_IMPORT_H

#include "import/rows.h"
#include "import/words.h"

/* What states and transitions earn. */
typedef struct fy_structure {
    char *name;
    double *state; /* [given], or NULL: nothing */
    double *row;   /* [lines + 1] by the line of a transition, or NULL: nothing */
    bool state_read, row_read;
} fy_structure;

/* A set of states with a name. */
typedef struct fy_label {
    char *name;
    int64_t count, room;
    int32_t *state;
} fy_label;

typedef struct fy_transitions {
    foray_context *ctx;
    const char *path;
    fy_row_list rows;
    fy_words state_words, action_words, outcome_words, law_words;
    bool numbered_states, numbered_actions; /* by numbers; otherwise by names */
    bool has_reward, has_outcome;
    int64_t states, actions, twins, ends;
    int64_t given;    /* states of the file; twins come after them */
    int32_t *twin_of; /* [states - given] */
    double *initial;  /* [given] */
    double *begins;   /* [given] the law that the file itself says, or NULL */
    int64_t lines;    /* the largest of a row */
    int64_t structures, structure_room;
    fy_structure *structure; /* none: a table has one reward at most, that of its rows */
    int64_t labels, label_room;
    fy_label *label;
} fy_transitions;

/* Names of states in messages and in models. */
enum { FY_STATE_NAME = FORAY_NAME_MAX + 1 };

/* A table without rows, whose file is `path`. */
void fy_transitions_open(foray_context *ctx, const char *path, fy_transitions *out);
void fy_transitions_free(fy_transitions *table);

/* Reads the file into an open table. `law_column` names the column that names laws, or is NULL. */
foray_status fy_transitions_read(fy_transitions *table, const char *law_column);

/* For other readers: sorts the rows, whose numbers are final; refuses wild ones. */
foray_status fy_transitions_sort(fy_transitions *table);

/* The structure or the label of this name, a new one if there is none. NULL: out of memory. */
fy_structure *fy_transitions_structure(fy_transitions *table, const char *name);
fy_label *fy_transitions_label(fy_transitions *table, const char *name);
foray_status fy_label_add(foray_context *ctx, fy_label *label, int64_t state);

/* `initial`: a state, a file with one probability a line, or NULL: such a file beside the table,
 * NAME.isd.txt beside NAME.csv. */
foray_status fy_transitions_begin(fy_transitions *table, const char *initial);

/* Sorts out what ends episodes. Afterwards every (s,a) has rows unless the state lacks the action,
 * and `done` no longer matters. */
foray_status fy_transitions_end(fy_transitions *table);

/* The model. laws: pair, action, all, or column. */
foray_status fy_transitions_model(fy_transitions *table, const char *laws, int64_t horizon,
                                  const char *name, bool forget_theta, foray_model **out);

/* A state as messages call it. */
const char *fy_transitions_name(const fy_transitions *table, int64_t state,
                                char out[FY_STATE_NAME]);

/* Reward files of a finished table: its own reward or its structures, and for each label the
 * probability of getting there. Where every pair has a law of its own (by_pair), what has
 * probability 0 cannot follow. */
foray_status fy_transitions_rewards(fy_transitions *table, bool by_pair, foray_import_rewards *out);

#endif
