/* settings.c - settings and numbers from the options of a command. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

cli_exit cli_settings_apply(cli_session *session, const char *except, foray_settings *settings)
{
    const cli_args *args = &session->args;
    if (cli_has(session, "literal"))
        foray_settings_literal(settings);
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < args->count && status == FORAY_OK; i++) {
        const char *name = args->option[i]->name;
        if (args->option[i]->setting && (!except || strcmp(name, except) != 0))
            status = foray_settings_set(session->ctx, settings, name, args->value[i]);
    }
    return cli_status(session, status);
}

int cli_mode_of_name(const char *name)
{
    int mode = 0;
    while (foray_mode_name(mode) && strcmp(foray_mode_name(mode), name) != 0)
        mode++;
    return mode;
}

cli_exit cli_option_integer(cli_session *session, const char *name, int64_t least, int64_t most,
                            int64_t *out)
{
    const char *text = cli_value(session, name);
    char *end;
    if (!text)
        return CLI_DONE;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (!*text || *end || errno != 0 || value < least || value > most)
        return cli_fail(session, CLI_USAGE, "--%s %s: must be a whole number from %lld to %lld",
                        name, text, (long long)least, (long long)most);
    *out = value;
    return CLI_DONE;
}

cli_exit cli_option_real(cli_session *session, const char *name, double least, double most,
                         double *out)
{
    const char *text = cli_value(session, name);
    char *end;
    if (!text)
        return CLI_DONE;
    double value = strtod(text, &end);
    if (!*text || *end || !(value >= least && value <= most))
        return cli_fail(session, CLI_USAGE, "--%s %s: must be a number from %g to %g", name, text,
                        least, most);
    *out = value;
    return CLI_DONE;
}
