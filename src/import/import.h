/* import.h - models made by others: read into one table of transitions, from which the model and
 * the rewards are made.
 *
 *   import.c      which format a file has, and foray_model_import
 *   table.c       the table, and the reader of CSV files
 *   prism.c       the reader of PRISM's explicit files
 *   umb.c         the reader of the unified Markov binary format; archive.c its archive
 *   absorbing.c   what ends an episode becomes an absorbing state; twins where a state is several
 *   laws.c        which pairs share a law, and the model
 *   rewards.c     reward files of what the states and transitions earn, and of labels */
#ifndef FY_IMPORT_H
#define FY_IMPORT_H

#include "base/index.h"
#include "base/base.h"

/* ----------------------------------------------------------------------------------------- rows */

/* The rows of a table, sorted by state, action and line. */

typedef struct fy_transition {
    int32_t state, action, next;
    int32_t untwinned;    /* absorbing.c: where it leads to before there are twins by reward */
    int32_t outcome, law; /* words of their columns; 0 without one */
    bool done;
    double probability, reward;
    int64_t line; /* of the file, which is also its place among the rows of a pair; 0: of none */
} fy_transition;

typedef struct fy_row_list {
    foray_context *ctx;
    int64_t count, room;
    fy_transition *row;
} fy_row_list;

/* FORAY_ERROR_MEMORY says how many rows do not fit. */
foray_status fy_row_list_add(fy_row_list *rows, const fy_transition *row);
void fy_row_list_free(fy_row_list *rows);

/* Costs nothing where the rows already are in order. */
void fy_row_list_sort(fy_row_list *rows);

/* Rows of a sorted list that belong together. */
typedef struct fy_row_group {
    int64_t count;
    fy_transition *row;
} fy_row_group;

/* Goes from a group to the rows of the next state, or of the next state and action; from {0} to the
 * first. False: there are none. */
bool fy_row_list_next_state(const fy_row_list *rows, fy_row_group *group);
bool fy_row_list_next_pair(const fy_row_list *rows, fy_row_group *group);

/* ---------------------------------------------------------------------------------------- words */

/* Texts numbered in the order in which they are first met. */
typedef struct fy_words {
    fy_arena arena;
    fy_writer text; /* the words, each with a final 0 */
    int64_t count, room;
    int64_t *at; /* [count] where in the text */
    fy_index index;
} fy_words;

/* Begin with (fy_words){.text.ctx = ctx}. */
void fy_words_free(fy_words *words);

/* The number of a word, a new one if it was not met before. */
foray_status fy_words_number(fy_words *words, const char *word, int32_t *out);

static inline const char *fy_words_at(const fy_words *words, int64_t number)
{
    return (const char *)words->text.data + words->at[number];
}

/* --------------------------------------------------------------------------------------- tables */

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
    fy_arena arena; /* of all that it points to, but for the rows and the words */
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
foray_status fy_label_add(fy_transitions *table, fy_label *label, int64_t state);

/* `initial`: a state, a file with one probability a line, or NULL: such a file beside the table,
 * NAME.isd.txt beside NAME.csv. */
foray_status fy_transitions_begin(fy_transitions *table, const char *initial);

/* Sorts out what ends episodes. Afterwards every (s,a) has rows unless the state lacks the action,
 * and `done` no longer matters. */
foray_status fy_transitions_absorb(fy_transitions *table);

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

/* -------------------------------------------------------------------------------------- readers */

typedef enum fy_file_kind {
    FY_FILE_TABLE, /* CSV: what nothing else is */
    FY_FILE_ARCHIVE,
    FY_FILE_TRANSITIONS, /* the rest are PRISM's */
    FY_FILE_STATES,
    FY_FILE_LABELS,
    FY_FILE_STATE_REWARDS,
    FY_FILE_TRANSITION_REWARDS,
} fy_file_kind;

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

/* Choices become actions, and the rows are sorted: these have the choice of their state in the
 * place of an action until then. A state without choices stays where it is, as in PRISM. */
foray_status fy_prism_choose_actions(fy_prism *prism);

/* All of it: exactly one file of transitions, at most one of states and of labels. */
foray_status fy_prism_read(const fy_prism_file *file, int64_t files, fy_transitions *out);

/* The only file is a UMB file. */
foray_status fy_umb_read(fy_transitions *out);

#endif
