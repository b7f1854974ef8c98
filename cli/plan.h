/* plan.h - foray plan at work: what its two files share. */
#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include "output.h"
#include "view.h"

typedef struct cli_planning {
    cli_session *session;
    const char *path;
    foray_mode mode;
    bool store; /* plans are stored in the run */
    foray_run *run;
    foray_model *known; /* instead of a run: a model whose theta is known */
    cli_view view;      /* that of the run, if its rewards are needed */
    cli_rewards rewards;
    foray_policy **policy;   /* [rewards] */
    double *value, *optimal; /* [rewards] in the true model; NaN without --truth */
    foray_doubt **doubt;     /* [rewards] why certificates are not 0; NULL: not asked for */
    int64_t reasons;         /* how many to show */
    bool explain;            /* files say why, too */
    char **file;             /* [rewards] where policies go; NULL: nowhere */
    bool to_stdout;          /* that is standard output */
    bool into_directory;     /* they go into one, and are made durable together */
} cli_planning;

static inline const foray_model *cli_plan_model(const cli_planning *p)
{
    return p->known ? p->known : foray_run_model(p->run);
}

/* Before planning: may all policies be written, each to a file of its own? */
cli_exit cli_plan_check_output(cli_planning *p);
/* Writes them, complete by themselves. */
cli_exit cli_plan_write(cli_planning *p);

#endif
