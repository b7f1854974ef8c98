/* table.h - transition tables made by others: one row for each outcome of each (s,a).
 *
 *   table.c   reads the rows of a CSV file, and who begins
 *   ends.c    what ends an episode becomes an absorbing state; twins where a state is several
 *   laws.c    which pairs share a law, and the model
 *
 * The columns are state, action, next, probability, and if there are any reward, done, outcome
 * and one that names laws; other programs' names for them are known. */
#ifndef FY_TABLE_IMPORT_H
#define FY_TABLE_IMPORT_H

#include "import/words.h"

typedef struct fy_transition {
    int32_t state, action, next;
    int32_t meant;        /* ends.c: where it leads to before there are twins by reward */
    int32_t outcome, law; /* words of their columns; 0 without one */
    bool done;
    double probability, reward;
    int64_t line; /* of the file, which is also its place among the rows of a pair */
} fy_transition;

typedef struct fy_transitions {
    foray_context *ctx;
    const char *path;
    int64_t rows, room;
    fy_transition *row;
    fy_words state_words, action_words, outcome_words, law_words;
    bool numbered_states, numbered_actions; /* by numbers; otherwise by names */
    bool has_reward, has_outcome;
    int64_t states, actions, twins, ends;
    int64_t given;    /* states of the file; twins come after them */
    int32_t *twin_of; /* [states - given] */
    int64_t *start;   /* [given * actions + 1] the rows of each pair of the file, once sorted */
    double *initial;  /* [given] */
} fy_transitions;

/* Reads the file. `law_column` names the column that names laws, or is NULL. */
foray_status fy_transitions_read(foray_context *ctx, const char *path, const char *law_column,
                                 fy_transitions *out);
void fy_transitions_free(fy_transitions *table);

/* `initial`: a state, a file with one probability a line, or NULL: such a file beside the table,
 * NAME.isd.txt beside NAME.csv. */
foray_status fy_transitions_begin(fy_transitions *table, const char *initial);

/* Sorts out what ends episodes. Afterwards every (s,a) has rows, sorted by state, action and
 * line, and `done` no longer matters. */
foray_status fy_transitions_end(fy_transitions *table);

/* The model. laws: pair, action, all, or column. */
foray_status fy_transitions_model(const fy_transitions *table, const char *laws, int64_t horizon,
                                  const char *name, bool forget_theta, foray_model **out);

/* A state as messages call it. */
const char *fy_transitions_name(const fy_transitions *table, int64_t state, char out[96]);

#endif
