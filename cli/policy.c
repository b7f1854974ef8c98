/* policy.c - policies that commands read: files of Foray, or CSV step,state,action. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* ------------------------------------------------------------------- policies as CSV */

/* A whole number below `count`, of digits alone: 1e3 may be a name. */
static bool read_number(const char *cell, int64_t count, int64_t *out)
{
    return *cell && !cell[strspn(cell, "0123456789")] && foray_whole_read(cell, out) &&
           *out < count;
}

typedef const char *name_fn(const foray_model *model, int64_t index);

/* A number, or the name of a state or an action. */
static bool read_place(const foray_model *model, name_fn *name, const char *cell, int64_t count,
                       int64_t *out)
{
    if (read_number(cell, count, out))
        return true;
    for (int64_t i = 0; i < count; i++)
        if (name(model, i) && strcmp(name(model, i), cell) == 0) {
            *out = i;
            return true;
        }
    return false;
}

/* The next cell, which a quote may begin and end; *rest is NULL behind the last. */
static char *next_cell(char **rest)
{
    char *cell = *rest + strspn(*rest, " "), *to = cell, *from = cell;
    bool quoted = *cell == '"';
    for (from += quoted; *from && (quoted || *from != ','); from++) {
        if (quoted && *from == '"' && from[1] != '"') {
            quoted = false;
            continue;
        }
        from += quoted && *from == '"';
        *to++ = *from;
    }
    *rest = *from == ',' ? from + 1 : NULL;
    *to = 0;
    while (to > cell && strchr(" \r\n", to[-1]))
        *--to = 0;
    return cell;
}

/* step,state,action in this order: an empty step means every step; later lines win. */
static cli_exit read_line(cli_session *session, const foray_model *model, foray_policy *policy,
                          const char *path, int64_t line, char *text, bool *set)
{
    char *cell[4];
    int64_t cells = 0, step = -1, state, action;
    for (char *rest = text; cells < 4 && rest; cells++)
        cell[cells] = next_cell(&rest);
    if (cells == 4)
        return cli_fail(session, CLI_BAD_INPUT,
                        "%s:%" PRId64
                        ": four columns, but step,state,action are expected: a policy "
                        "that draws its actions cannot be certified",
                        path, line);
    if (cells != 3 || (*cell[0] && !read_number(cell[0], policy->horizon, &step)) ||
        !read_place(model, foray_model_state_name, cell[1], policy->states, &state) ||
        !read_place(model, foray_model_action_name, cell[2], policy->actions, &action))
        return cli_fail(session, CLI_BAD_INPUT,
                        "%s:%" PRId64 ": a step below %" PRId64
                        " or nothing, a state below %" PRId64 " and an action below %" PRId64
                        " are expected, by number or name",
                        path, line, policy->horizon, policy->states, policy->actions);
    for (int64_t t = step < 0 ? 0 : step; t < (step < 0 ? policy->horizon : step + 1); t++) {
        policy->action[t * policy->states + state] = (int32_t)action;
        set[t * policy->states + state] = true;
    }
    return CLI_DONE;
}

/* Every step and state must have been given an action. */
static cli_exit check_complete(cli_session *session, foray_policy *policy, const char *path,
                               const bool *set)
{
    int64_t states = policy->states;
    for (int64_t i = 0; i < policy->horizon * states; i++)
        if (!set[i])
            return cli_fail(session, CLI_BAD_INPUT,
                            "%s: no action for state %" PRId64 " at step %" PRId64, path,
                            i % states, i / states);
    return CLI_DONE;
}

static cli_exit read_csv(cli_session *session, const foray_model *model, foray_policy *policy,
                         const char *path, FILE *file)
{
    char text[1024]; /* names have at most 255 bytes */
    bool *set = calloc((size_t)(policy->horizon * policy->states), sizeof *set);
    cli_exit code = CLI_DONE;
    if (!set)
        return cli_fail(session, CLI_BAD_INPUT, "out of memory");
    for (int64_t line = 1; code == CLI_DONE && fgets(text, sizeof text, file); line++) {
        if (!strchr(text, '\n') && !feof(file))
            code = cli_fail(session, CLI_BAD_INPUT, "%s:%" PRId64 ": the line is too long", path,
                            line);
        else if (line == 1 && strncmp(text, "step,state,action", 17) != 0)
            code = cli_fail(session, CLI_BAD_INPUT,
                            "%s: neither a policy file nor CSV that begins with step,state,action",
                            path);
        else if (line > 1 && text[0] != '#' && text[strspn(text, " \r\n")])
            code = read_line(session, model, policy, path, line, text, set);
    }
    if (code == CLI_DONE && ferror(file))
        code = cli_fail(session, CLI_BAD_INPUT, "%s: %s", path, strerror(errno));
    if (code == CLI_DONE)
        code = check_complete(session, policy, path, set);
    free(set);
    return code;
}

/* A policy file begins with '{'; everything else is taken for CSV. */
cli_exit cli_policy_open(cli_session *session, const foray_model *model, const char *path,
                         foray_policy **out)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return cli_fail(session, CLI_BAD_INPUT, "%s: %s", path, strerror(errno));
    int first = getc(file);
    while (first == ' ' || first == '\t' || first == '\r' || first == '\n')
        first = getc(file);
    cli_exit code;
    /* Runs and compact models begin like this, and are refused as what they are. */
    bool binary = first == 'S' || first == 0x89;
    if (first == '{' || binary) {
        code = cli_status(session, foray_policy_load(session->ctx, path, out));
    } else {
        ungetc(first, file);
        code = cli_status(session, foray_policy_create(session->ctx, model, FORAY_GIVEN, out));
        if (code == CLI_DONE)
            code = read_csv(session, model, *out, path, file);
    }
    fclose(file);
    return code;
}
