/* log.h - logs as they come (docs/data.md): columns by any name, states and actions by any text,
 * rows in any order, several episodes interleaved. What a log says becomes rows of episodes.h.
 *
 * A log is read into memory, 64 bytes for each row. Rows that cannot be understood are counted and
 * the first of them kept as messages; whoever learns from a log learns from all of it, or not at
 * all. */
#ifndef FY_DATA_LOG_H
#define FY_DATA_LOG_H

#include "model/model.h"

#include <stdio.h>

/* What a column is. A log has an episode, a state and an action; steps count 0, 1, ... from
 * anywhere; times are numbers or ISO 8601, and order rows; without either rows stand in order. */
enum {
    FY_LOG_EPISODE,
    FY_LOG_STATE,
    FY_LOG_ACTION,
    FY_LOG_STEP,
    FY_LOG_TIME,
    FY_LOG_NEXT,
    FY_LOG_DONE,
    FY_LOG_REWARD,
    FY_LOG_ROLES
};
/* Their names, ended by NULL. */
extern const char *const fy_log_role[FY_LOG_ROLES + 1];

typedef struct fy_log_request {
    const char *column[FY_LOG_ROLES]; /* what the file calls them; NULL: it has none */
    const foray_model *model;         /* whose states and actions these are; NULL: nobody's yet, */
    int64_t states, actions;          /* of which there are so many, some of which may be named: */
    const char *const *state_name;    /* [state_names]; NULL: none is */
    const char *const *action_name;
    int64_t state_names, action_names;
    int64_t horizon; /* 0: that of the longest episode */
} fy_log_request;

/* A step whose reward was paid. */
typedef struct fy_log_paid {
    int32_t state, action;
    double reward;
} fy_log_paid;

enum { FY_LOG_SHOWN = 5 };

typedef struct fy_log {
    int64_t rows, episodes, steps; /* steps: transitions */
    int64_t shortest, middle, longest;
    int64_t ended;     /* episodes that were done */
    int64_t open;      /* episodes whose last row does not say what followed: it is left out */
    int64_t ties;      /* rows with the time of the row before */
    int64_t unpaid;    /* steps without a reward, where there is a column of them */
    int64_t pairs;     /* (s,a) that were seen, */
    int64_t all_pairs; /* of so many */
    int64_t states, actions;           /* that were met */
    int64_t new_states, new_actions;   /* of which the model did not have the names */
    int64_t refused;                   /* rows, */
    const char *refusal[FY_LOG_SHOWN]; /* and why: the first of them */
    int64_t paid_count;
    const fy_log_paid *paid; /* [paid_count] */
    double paid_low, paid_high;
    int64_t end_count;
    const int32_t *end; /* [end_count] states that episodes ended in for good, some several times */
    foray_model *model; /* of the sizes asked for and the names that were met; the same as was
                           given, but for new names */
} fy_log;

/* FORAY_ERROR_INPUT: the file is no CSV file with these columns, or there are more states or
 * actions than were said. */
foray_status fy_log_read(foray_context *ctx, const char *path, const fy_log_request *request,
                         fy_log **out);
/* Episodes with at least one step, as fy_data_read takes them. */
foray_status fy_log_write(foray_context *ctx, const fy_log *log, FILE *file);
void fy_log_destroy(fy_log *log);

#endif
