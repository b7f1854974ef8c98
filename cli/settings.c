/* settings.c - settings and numbers from the options of a command. */
#include <string.h>

#include "cli.h"

cli_exit cli_settings_apply(cli_session *session, const char *except, foray_settings *settings)
{
    const cli_args *args = &session->args;
    if (cli_has(session, "literal"))
        foray_settings_literal(settings);
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < args->count && status == FORAY_OK; i++) {
        const char *name = args->option[i]->is.name;
        if (args->option[i]->setting && (!except || strcmp(name, except) != 0))
            status = foray_settings_set(session->ctx, settings, name, args->value[i]);
    }
    return cli_status(session, status);
}

/* The value given last, or the default. cli_options_check has seen it. */
static foray_parameter_value value_of(const cli_session *session, const char *name)
{
    foray_parameter_value value = {0, 0};
    const cli_option *option = cli_options_long(&session->options, name, strlen(name));
    const char *given = cli_value(session, name);
    (void)foray_parameter_read(session->ctx, &option->is, given ? given : option->is.fallback,
                               &value);
    return value;
}

int64_t cli_whole(const cli_session *session, const char *name)
{
    return value_of(session, name).whole;
}

double cli_real(const cli_session *session, const char *name)
{
    return value_of(session, name).real;
}

int cli_choice(const cli_session *session, const char *name)
{
    return (int)value_of(session, name).whole;
}

cli_exit cli_options_check(cli_session *session)
{
    const cli_args *args = &session->args;
    foray_parameter_value value;
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < args->count && status == FORAY_OK; i++)
        if (args->value[i] && !args->option[i]->setting)
            status =
                foray_parameter_read(session->ctx, &args->option[i]->is, args->value[i], &value);
    return cli_status(session, status);
}
