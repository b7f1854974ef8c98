/* policy.c - policies that commands read: files of Foray, or CSV step,state,action. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spool.h"
#include "base/base.h"
#include "data/episodes.h"

/* A whole number below `count`, of digits alone: 1e3 may be a name. */
static bool read_number(const char *cell, int64_t count, int64_t *out)
{
    return *cell && !cell[strspn(cell, "0123456789")] && fy_integer_read(cell, strlen(cell), out) &&
           *out < count;
}

int64_t cli_place(const foray_model *model, cli_name_fn *name, int64_t count, const char *text)
{
    int64_t number, found = CLI_NO_PLACE;
    if (read_number(text, count, &number))
        return number;
    for (int64_t i = 0; i < count && found != CLI_PLACES; i++)
        if (name(model, i) && strcmp(name(model, i), text) == 0)
            found = found == CLI_NO_PLACE ? i : CLI_PLACES;
    if (found == CLI_NO_PLACE && fy_integer_read(text, strlen(text), &number) && number >= 0 &&
        number < count)
        found = number;
    return found;
}

/* A policy file begins with '{'; everything else is taken for CSV. */
cli_exit cli_policy_open(cli_session *session, const foray_model *model, const char *path,
                         foray_policy **out)
{
    cli_spool spool;
    cli_exit code = cli_spool_open(session, path, &spool);
    if (code != CLI_DONE)
        return code;
    const char *read = cli_spool_path(&spool);
    int first = cli_file_begins(read);
    if (first == CLI_NO_FILE) {
        cli_spool_close(&spool);
        return cli_fail(session, CLI_BAD_INPUT, "%s: %s", path, strerror(errno));
    }
    /* Runs and compact models begin like this, and are refused as what they are. */
    bool binary = first == 'S' || first == 0x89;
    code = cli_spool_status(session, &spool,
                            first == '{' || binary
                                ? foray_policy_load(session->ctx, read, out)
                                : fy_policy_load_csv(session->ctx, model, read, out));
    cli_spool_close(&spool);
    return code;
}
