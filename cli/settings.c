/* settings.c - settings and numbers from the options of a command. */
#include <string.h>

#include "cli.h"
#include "base/parameter.h"

bool cli_algorithm_exists(const char *name, cli_guess *guess)
{
    const char *known;
    for (int64_t i = 0; foray_algorithm_describe(i, &known, NULL); i++) {
        if (strcmp(known, name) == 0)
            return true;
        cli_guess_try(guess, known);
    }
    return false;
}

/* A name that is nearly right is worth more than the list of all, which the library gives. */
static cli_exit check_algorithm(cli_session *session, const char *name)
{
    cli_guess guess = {name, NULL, 0};
    if (cli_algorithm_exists(name, &guess) || strcmp(name, "recorded") == 0 || !guess.best)
        return CLI_DONE;
    return cli_fail(session, CLI_USAGE, "there is no algorithm '%s'; did you mean '%s'?", name,
                    guess.best);
}

/* No target is -1 to the library, and a word here, since -1 may well be a slip. */
static foray_status set_until(cli_session *session, const foray_parameter *row, const char *text,
                              foray_settings *settings)
{
    foray_parameter_value value;
    if (strcmp(text, CLI_NO_TARGET) == 0)
        return foray_settings_set(session->ctx, settings, row->name, "-1");
    foray_status status = fy_parameter_read(session->ctx, row, text, strlen(text), &value);
    return status == FORAY_OK ? foray_settings_set(session->ctx, settings, row->name, text)
                              : status;
}

cli_exit cli_settings_apply(cli_session *session, const char *except, foray_settings *settings)
{
    const cli_args *args = &session->args;
    if (cli_has(session, "literal"))
        foray_settings_literal(settings);
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < args->count && status == FORAY_OK; i++) {
        const char *name = args->option[i]->is.name;
        bool wanted = args->option[i]->setting && (!except || strcmp(name, except) != 0);
        if (wanted && strcmp(name, "algorithm") == 0 &&
            check_algorithm(session, args->value[i]) != CLI_DONE)
            return CLI_USAGE;
        if (wanted)
            status = strcmp(name, "until") == 0
                         ? set_until(session, &args->option[i]->is, args->value[i], settings)
                         : foray_settings_set(session->ctx, settings, name, args->value[i]);
    }
    return cli_status(session, status);
}

/* The value given last, or the default. cli_options_check has seen it. */
static foray_parameter_value value_of(const cli_session *session, const char *name)
{
    foray_parameter_value value = {0, 0};
    const cli_option *option = cli_options_long(&session->options, name, strlen(name));
    const char *given = cli_value(session, name);
    (void)fy_parameter_read(session->ctx, &option->is, given ? given : option->is.fallback,
                            strlen(given ? given : option->is.fallback), &value);
    return value;
}

int64_t cli_integer(const cli_session *session, const char *name)
{
    return value_of(session, name).integer;
}

double cli_real(const cli_session *session, const char *name)
{
    return value_of(session, name).real;
}

int cli_choice(const cli_session *session, const char *name)
{
    return (int)value_of(session, name).integer;
}

cli_exit cli_options_check(cli_session *session)
{
    const cli_args *args = &session->args;
    foray_parameter_value value;
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < args->count && status == FORAY_OK; i++)
        if (args->value[i] && !args->option[i]->setting)
            status = fy_parameter_read(session->ctx, &args->option[i]->is, args->value[i],
                                       strlen(args->value[i]), &value);
    return cli_status(session, status);
}
