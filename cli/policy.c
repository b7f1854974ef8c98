/* policy.c - policies that commands read: files of Foray, or CSV step,state,action. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spool.h"

/* ------------------------------------------------------------------- policies as CSV */

/* A whole number below `count`, of digits alone: 1e3 may be a name. */
static bool read_number(const char *cell, int64_t count, int64_t *out)
{
    return *cell && !cell[strspn(cell, "0123456789")] && foray_whole_read(cell, out) &&
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
    if (found == CLI_NO_PLACE && foray_whole_read(text, &number) && number >= 0 && number < count)
        found = number;
    return found;
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
    char *cell[4] = {text, text, text, text};
    int64_t cells = 0, step = -1, state = CLI_NO_PLACE, action = CLI_NO_PLACE;
    for (char *rest = text; cells < 4 && rest; cells++)
        cell[cells] = next_cell(&rest);
    if (cells == 4)
        return cli_fail(session, CLI_BAD_INPUT,
                        "%s:%" PRId64
                        ": four columns, but step,state,action are expected: a policy "
                        "that draws its actions cannot be certified",
                        path, line);
    if (cells == 3) {
        state = cli_place(model, foray_model_state_name, policy->states, cell[1]);
        action = cli_place(model, foray_model_action_name, policy->actions, cell[2]);
    }
    if (state == CLI_PLACES || action == CLI_PLACES)
        return cli_fail(session, CLI_BAD_INPUT,
                        "%s:%" PRId64 ": more than one %s is called '%s': give a number", path,
                        line, state == CLI_PLACES ? "state" : "action",
                        cell[state == CLI_PLACES ? 1 : 2]);
    if (state < 0 || action < 0 || (*cell[0] && !read_number(cell[0], policy->horizon, &step)))
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
    cli_spool spool;
    cli_exit code = cli_spool_open(session, path, &spool);
    if (code != CLI_DONE)
        return code;
    FILE *file = fopen(cli_spool_path(&spool), "r");
    if (!file) {
        cli_spool_close(&spool);
        return cli_fail(session, CLI_BAD_INPUT, "%s: %s", path, strerror(errno));
    }
    int first = getc(file);
    while (first && strchr(" \t\r\n\xef\xbb\xbf", first)) /* the last three mark UTF-8 */
        first = getc(file);
    /* Runs and compact models begin like this, and are refused as what they are. */
    bool binary = first == 'S' || first == 0x89;
    if (first == '{' || binary) {
        code = cli_spool_status(session, &spool,
                                foray_policy_load(session->ctx, cli_spool_path(&spool), out));
    } else {
        ungetc(first, file);
        code = cli_status(session, foray_policy_create(session->ctx, model, FORAY_GIVEN, out));
        if (code == CLI_DONE)
            code = read_csv(session, model, *out, path, file);
    }
    fclose(file);
    cli_spool_close(&spool);
    return code;
}
