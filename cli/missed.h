/* missed.h - rewards that keep the target of a run from being met, and why. */
#ifndef CLI_MISSED_H
#define CLI_MISSED_H

#include "output.h"

typedef struct cli_missed {
    foray_certificate certificate;
    int64_t named;         /* how many were counted */
    int64_t ties;          /* exact ties: more episodes cannot help */
    int64_t lacks;         /* none: only data are lacking */
    int64_t untold;        /* theta is not known: one or the other */
    int64_t open;          /* nothing is: it never becomes 0 */
    foray_doubt_place tie; /* where it is */
} cli_missed;

/* The next target, from *index on, that is not met by a proof; false: there is none. */
bool cli_missed_next(foray_run *run, int64_t *index, cli_missed *out);
/* What its certificate is worth, if it proves nothing; where its tie is, if that is known. */
void cli_missed_print(foray_run *run, const cli_missed *missed);
/* What that means, for the sum of all. */
void cli_missed_explain(const cli_missed *sum, const char *before);
/* "missed":[{"reward":TEXT,"gap":g,"status":TEXT,"tie":[h,s,a]|false|null},...]; null: not known.
 */
void cli_missed_output(cli_output *output, foray_run *run);

#endif
