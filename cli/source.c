/* source.c - models and rewards from what is typed on the command line. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "data/episodes.h"
#include "import/archive.h"
#include "model/model.h"
#include "run/run.h"
#include "system/system.h"
#include "view.h"

static bool ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static bool names_file(const char *source)
{
    struct stat status;
    return strcmp(source, "-") == 0 || strchr(source, '/') || ends_in(source, ".json") ||
           ends_in(source, ".compact") || (stat(source, &status) == 0 && !S_ISDIR(status.st_mode));
}

/* ---------------------------------------------------- what is read more than once */

/* A byte that is 0 is in no text: what has one, and perhaps no end, is copied as far as it shows.
 */
static cli_exit copy_file(cli_session *session, FILE *from, const char *shown, FILE *to)
{
    static char block[1 << 16];
    size_t size;
    while ((size = fread(block, 1, sizeof block, from)) > 0)
        if (fwrite(block, 1, size, to) != size || memchr(block, 0, size))
            break;
    if (ferror(from))
        return cli_fail(session, CLI_BAD_INPUT, "%s: cannot be read: %s", shown, strerror(errno));
    return fflush(to) == 0 && !ferror(to)
               ? CLI_DONE
               : cli_fail(session, CLI_BAD_INPUT, "%s: cannot be copied to a temporary file: %s",
                          shown, strerror(errno));
}

static bool has_no_end(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISCHR(about.st_mode));
}

/* Compressed by gzip or xz? What was read to tell is in `start`. */
static bool is_packed(const uint8_t *start, size_t size)
{
    return size >= 3 && (memcmp(start, "\x1f\x8b\x08", 3) == 0 || memcmp(start,
                                                                         "\xfd"
                                                                         "7z",
                                                                         3) == 0);
}

/* All of it, in memory, and then unpacked in a file. */
static cli_exit unpack_file(cli_session *session, FILE *from, const uint8_t *start, size_t begun,
                            const char *shown, FILE *to)
{
    fy_archive whole = {.ctx = session->ctx, .path = shown};
    size_t room = 1 << 20, got = 1;
    whole.data = malloc(room);
    if (whole.data)
        memcpy(whole.data, start, whole.size = begun);
    while (whole.data && got > 0 && whole.size < FY_UNPACK_LIMIT) {
        uint8_t *grown = whole.size == room ? realloc(whole.data, room *= 2) : whole.data;
        if (!grown)
            break;
        whole.data = grown;
        got = fread(whole.data + whole.size, 1, room - whole.size, from);
        whole.size += got;
    }
    cli_exit code = whole.data && got == 0
                        ? cli_status(session, fy_decompress(&whole))
                        : cli_fail(session, CLI_BAD_INPUT, "%s: too large for memory", shown);
    if (code == CLI_DONE && (fwrite(whole.data, 1, whole.size, to) != whole.size || fflush(to)))
        code = cli_fail(session, CLI_BAD_INPUT, "%s: cannot be unpacked to a temporary file: %s",
                        shown, strerror(errno));
    free(whole.data);
    return code;
}

/* Whatever can be read once, in a file without a name. */
static cli_exit copy_or_unpack(cli_session *session, FILE *from, const char *shown, FILE *to)
{
    uint8_t start[3] = {0};
    size_t size = fread(start, 1, sizeof start, from);
    if (is_packed(start, size))
        return unpack_file(session, from, start, size, shown, to);
    if (fwrite(start, 1, size, to) != size)
        return cli_fail(session, CLI_BAD_INPUT, "%s: cannot be copied to a temporary file: %s",
                        shown, strerror(errno));
    return copy_file(session, from, shown, to);
}

static bool is_packed_file(const char *path)
{
    uint8_t start[3] = {0};
    FILE *file = fopen(path, "r");
    bool packed = file && is_packed(start, fread(start, 1, sizeof start, file));
    if (file)
        fclose(file);
    return packed;
}

cli_exit cli_reread_open(cli_session *session, const char *path, cli_reread *out)
{
    bool standard = strcmp(path, "-") == 0;
    *out = (cli_reread){.shown = standard ? "standard input" : path};
    if (!standard && !has_no_end(path) && !is_packed_file(path))
        return CLI_DONE; /* a file, or nothing: whoever opens it says what is wrong */
    FILE *from = standard ? stdin : fopen(path, "r");
    if (!from)
        return cli_fail(session, CLI_BAD_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
    FILE *file = out->file = tmpfile();
    cli_exit code = file ? copy_or_unpack(session, from, out->shown, file)
                         : cli_fail(session, CLI_BAD_INPUT,
                                    "%s: no temporary file can be made to copy it to: %s",
                                    out->shown, strerror(errno));
    if (!standard)
        fclose(from);
    if (file)
        snprintf(out->path, sizeof out->path, "/dev/fd/%d", fileno(file));
    return code;
}

void cli_reread_close(cli_reread *data)
{
    if (data->file)
        fclose(data->file);
    *data = (cli_reread){0};
}

const char *cli_reread_path(const cli_reread *data)
{
    return data->path[0] ? data->path : data->shown;
}

cli_exit cli_reread_status(const cli_session *session, const cli_reread *data, foray_status status)
{
    const char *message = foray_message(session->ctx);
    size_t size = strlen(data->path);
    cli_exit code = cli_status_code(status);
    if (status >= 0)
        return code;
    if (size > 0 && strncmp(message, data->path, size) == 0)
        return cli_fail(session, code, "%s%s", data->shown, message + size);
    return cli_status(session, status);
}

/* ---------------------------------------------------------------------- models */

bool cli_world_at(int64_t index, foray_world_info *info)
{
    foray_world_info skipped;
    int64_t worlds = 0;
    while (worlds <= index && foray_world_describe(worlds, &skipped))
        worlds++;
    return foray_world_describe(index, info) || fy_system_builtin(index - worlds, info);
}

static bool world_exists(const char *name, cli_guess *guess)
{
    foray_world_info info;
    if (strcmp(name, "unstructured") == 0)
        return true;
    for (int64_t i = 0; cli_world_at(i, &info); i++) {
        if (strcmp(info.name, name) == 0)
            return true;
        cli_guess_try(guess, info.name);
    }
    return false;
}

enum { NO_FILE = -1 };

/* The first byte of a file behind spaces and a mark of UTF-8; 0 if there is none. Streams take
 * memory, and a file without one would seem not to be there. */
static int file_begins(const char *path)
{
    unsigned char first = ' ';
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return NO_FILE;
    ssize_t got = 1;
    while (got == 1 && strchr(" \n\r\t\xEF\xBB\xBF", first)) /* the last three mark UTF-8 */
        got = first ? read(file, &first, 1) : 0;
    close(file);
    return got == 1 ? first : 0;
}

/* Of the files that 'foray model import' makes a model of. */
static bool is_importable(const char *path)
{
    return (ends_in(path, ".csv") || ends_in(path, ".tra") || ends_in(path, ".umb")) &&
           access(path, R_OK) == 0;
}

/* A file is a model if it begins like one: as JSON does, or as the compact format; the model's
 * reader refuses what should be imported first. */
bool cli_names_model(const char *source)
{
    int first = file_begins(source);
    if (first != NO_FILE)
        return first == '{' || first == 0x89 || is_importable(source);
    char name[64];
    cli_guess guess = {name, NULL, 0};
    snprintf(name, sizeof name, "%.*s", (int)strcspn(source, ":@"), source);
    return world_exists(name, &guess);
}

static cli_exit unknown_world(cli_session *session, const char *source, const char *best)
{
    struct stat status;
    if (stat(source, &status) == 0)
        return cli_fail(session, CLI_BAD_INPUT, "%s: a directory, not a model or a world", source);
    return cli_fail(session, CLI_BAD_INPUT,
                    "%s: no such file, and no built-in world of that name%s%s%s; "
                    "'foray world list' lists the worlds",
                    source, best ? " (did you mean " : "", best ? best : "", best ? "?)" : "");
}

/* The model that a system is explored with. */
static cli_exit open_view_model(cli_session *session, const char *source, foray_model **out)
{
    cli_view view = {0};
    cli_exit code = cli_view_open(session, source, &view);
    if (code == CLI_DONE)
        code = cli_view_model(session, &view, out);
    cli_view_close(&view);
    return code;
}

/* Options that would do nothing are refused. */
static cli_exit check_no_view(cli_session *session, const char *source)
{
    static const char *const names[] = {"clusters",       "draws",    "accuracy",
                                        "aggregate-seed", "continue", "lipschitz"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (cli_has(session, names[i]))
            return cli_fail(session, CLI_USAGE,
                            "--%s is for systems, and %s is not one: its states need no clusters",
                            names[i], source);
    return CLI_DONE;
}

cli_exit cli_model_open(cli_session *session, const char *source, foray_model **out)
{
    if (cli_view_names(source))
        return open_view_model(session, source, out);
    if (check_no_view(session, source) != CLI_DONE)
        return CLI_USAGE;
    if (is_importable(source))
        return cli_fail(session, CLI_BAD_INPUT,
                        "%s: not a model yet: of a table of transitions 'foray model import %s "
                        "--horizon N -o MODEL' makes one",
                        source, source);
    if (names_file(source))
        return cli_status(session, foray_model_load(session->ctx, source, out));
    char *name = strndup(source, strcspn(source, ":"));
    if (!name)
        return cli_fail(session, CLI_BAD_INPUT, "out of memory");
    cli_guess guess = {name, NULL, 0};
    cli_exit code = world_exists(name, &guess)
                        ? cli_status(session, foray_model_builtin(session->ctx, source, out))
                        : unknown_world(session, source, guess.best);
    free(name);
    return code;
}

cli_exit cli_status_of_model(cli_session *session, const char *source, foray_status status)
{
    if (status != FORAY_ERROR_INPUT)
        return cli_status(session, status);
    return cli_fail(session, CLI_BAD_INPUT, "%s: not valid: %s", source,
                    foray_message(session->ctx));
}

cli_exit cli_world_open(cli_session *session, const char *source, foray_model **out)
{
    foray_model *model = NULL;
    cli_exit code = cli_model_open(session, source, &model);
    if (code == CLI_DONE && !foray_model_theta(model))
        code = cli_fail(session, CLI_BAD_INPUT,
                        "%s: the model has no theta, so it is not a world: "
                        "what happens in it is not known",
                        source);
    if (code == CLI_DONE)
        *out = model;
    else
        foray_model_destroy(model);
    return code;
}

cli_exit cli_world_open_checked(cli_session *session, const char *source, foray_model **out)
{
    foray_model *model = NULL;
    cli_exit code = cli_world_open(session, source, &model);
    if (code == CLI_DONE)
        code = cli_status_of_model(session, source, foray_model_check(session->ctx, model, NULL));
    if (code == CLI_DONE)
        *out = model;
    else
        foray_model_destroy(model);
    return code;
}

cli_exit cli_model_format(cli_session *session, const char *path, foray_model_format *format)
{
    const char *to = cli_value(session, "to");
    bool json = to ? strcmp(to, "json") == 0 : ends_in(path, ".json");
    bool compact = to ? strcmp(to, "compact") == 0 : ends_in(path, ".compact");
    if (!json && !compact)
        return cli_fail(session, CLI_USAGE,
                        "%s ends neither in .json nor in .compact: give --to json or --to compact",
                        path);
    *format = json ? FORAY_MODEL_JSON : FORAY_MODEL_COMPACT;
    return CLI_DONE;
}

/* On standard output there is no name that a file could get when it is complete. */
static cli_exit print_model(cli_session *session, const foray_model *model,
                            foray_model_format format, const char *path)
{
    char *data;
    size_t size;
    cli_exit code =
        cli_status(session, foray_model_print(session->ctx, model, format, &data, &size));
    if (code != CLI_DONE)
        return code;
    code = cli_destination_write(session, path, data, size);
    free(data);
    return code;
}

cli_exit cli_model_write(cli_session *session, const foray_model *model, foray_model_format format,
                         const char *path)
{
    fy_file *file;
    if (cli_is_stdout(path))
        return print_model(session, model, format, path);
    cli_exit code = cli_destination_open(session, path, &file);
    if (code != CLI_DONE)
        return code;
    code = cli_status(session, fy_model_write(session->ctx, model, format, file));
    if (code == CLI_DONE)
        return cli_status(session, fy_file_finish(file));
    fy_file_abandon(file);
    return code;
}

/* --------------------------------------------------------------------- rewards */

void cli_return_range(const foray_reward *reward, int64_t horizon, double *min, double *max)
{
    foray_reward_facts facts;
    double left = 0, weight = 1;
    foray_reward_describe(reward, &facts);
    for (int64_t t = 0; t < (facts.stops ? 1 : horizon); t++) {
        left += weight;
        weight *= facts.discount;
    }
    *min = facts.stops ? 0 : facts.low * left;
    *max = facts.stops ? 1 : facts.high * left;
}

/* An integer below `count`, of digits alone: 1e3 may be a name. */
static bool read_number(const char *cell, int64_t count, int64_t *out)
{
    return *cell && !cell[strspn(cell, "0123456789")] && fy_integer_read(cell, strlen(cell), out) &&
           *out < count;
}

enum { NO_STATE = -1, STATES = -2 };

/* A state by its number, or by its name; what reads as an integer otherwise ("7.0") is one unless
 * it is a name. NO_STATE: there is none such; STATES: several. */
static int64_t state_of_text(const foray_model *model, const char *text)
{
    int64_t number, count = foray_model_states(model), found = NO_STATE;
    if (read_number(text, count, &number))
        return number;
    for (int64_t s = 0; s < count && found != STATES; s++) {
        const char *name = foray_model_state_name(model, s);
        if (name && strcmp(name, text) == 0)
            found = found == NO_STATE ? s : STATES;
    }
    if (found == NO_STATE && fy_integer_read(text, strlen(text), &number) && number >= 0 &&
        number < count)
        found = number;
    return found;
}

static cli_exit unknown_state(cli_session *session, const foray_model *model, const char *text,
                              const char *name)
{
    cli_guess guess = {name, NULL, 0};
    for (int64_t s = 0; s < foray_model_states(model); s++)
        if (foray_model_state_name(model, s))
            cli_guess_try(&guess, foray_model_state_name(model, s));
    if (!*name)
        return cli_fail(session, CLI_BAD_INPUT,
                        "%s: a state is missing; the model has states 0 to %" PRId64, text,
                        foray_model_states(model) - 1);
    return cli_fail(session, CLI_BAD_INPUT,
                    "%s: no such state%s: %s%s%s%s; the model has states 0 to %" PRId64, text,
                    model->pruned ? ", or none that an episode gets to" : "", name,
                    guess.best ? " (did you mean " : "", guess.best ? guess.best : "",
                    guess.best ? "?)" : "", foray_model_states(model) - 1);
}

/* The states of "3,home,7"; a name may itself contain commas if it stands alone. */
static cli_exit states_of_text(cli_session *session, const foray_model *model, const char *text,
                               const char *list, int64_t **out, int64_t *count)
{
    char *copy = strdup(list), *rest = copy;
    int64_t *state = calloc(strlen(list) + 1, sizeof *state), found = 0;
    cli_exit code = copy && state ? CLI_DONE : cli_fail(session, CLI_BAD_INPUT, "out of memory");
    if (copy && state && (state[0] = state_of_text(model, list)) >= 0) {
        found = 1;
        rest = NULL;
    }
    while (state && code == CLI_DONE && rest) {
        char *name = rest;
        rest = strchr(rest, ',');
        if (rest)
            *rest++ = 0;
        state[found] = state_of_text(model, name);
        if (state[found] == STATES)
            code = cli_fail(session, CLI_BAD_INPUT,
                            "%s: more than one state is called '%s': give a number", text, name);
        else if (state[found] < 0)
            code = unknown_state(session, model, text, name);
        found++;
    }
    free(copy);
    if (code != CLI_DONE) {
        free(state);
        return code;
    }
    *out = state;
    *count = found;
    return CLI_DONE;
}

/* Rewards that need no file: r(s,a) = 1 in some states, the probability of reaching or of avoiding
 * them, and that of satisfying a formula. */
typedef enum short_form { GOAL, REACH, AVOID, TASK, NO_SHORT_FORM } short_form;
static const char *const short_name[] = {"goal:", "reach:", "avoid:", "task:"};

static short_form short_form_of(const char *text)
{
    short_form form = GOAL;
    while (form < NO_SHORT_FORM && strncmp(text, short_name[form], strlen(short_name[form])) != 0)
        form++;
    return form;
}

static foray_status goal_reward(foray_context *ctx, const foray_model *model, const char *name,
                                int64_t count, const int64_t *state, foray_reward **out)
{
    foray_reward *reward = NULL;
    foray_status status = foray_reward_create(ctx, model, name, 0, 1, 0.0, &reward);
    for (int64_t i = 0; i < count && status == FORAY_OK; i++)
        status = foray_reward_set(ctx, reward, -1, state[i], -1, 1.0);
    if (status == FORAY_OK)
        *out = reward;
    else
        foray_reward_destroy(reward);
    return status;
}

/* The name is what was typed, as far as names may be long. */
static cli_exit task_reward(cli_session *session, const foray_model *model, const char *text,
                            foray_reward **out)
{
    char name[FORAY_NAME_MAX + 1];
    size_t size = strlen(text);
    snprintf(name, sizeof name, "%s", text);
    for (size_t end = sizeof name - 4; size >= sizeof name && end > 0; end--)
        if (((unsigned char)name[end] & 0xC0) != 0x80) { /* where a character begins */
            memcpy(name + end, "...", 4);
            break;
        }
    foray_status status = foray_reward_create_task(session->ctx, model, name,
                                                   text + strlen(short_name[TASK]), 0, NULL, out);
    if (status >= 0)
        return CLI_DONE;
    return cli_fail(session, cli_status_code(status), "%.200s: %s", text,
                    foray_message(session->ctx));
}

static cli_exit short_reward(cli_session *session, const foray_model *model, const char *text,
                             foray_reward **out)
{
    short_form form = short_form_of(text);
    int64_t *state, count;
    if (form == TASK)
        return task_reward(session, model, text, out);
    cli_exit code =
        states_of_text(session, model, text, text + strlen(short_name[form]), &state, &count);
    if (code != CLI_DONE)
        return code;
    foray_status status =
        form == GOAL
            ? goal_reward(session->ctx, model, text, count, state, out)
            : foray_reward_create_reach(session->ctx, model, text, form == REACH ? count : 0, state,
                                        form == AVOID ? count : 0, state, out);
    free(state);
    return cli_status(session, status);
}

/* "own": what the world of a run pays, as far as it was stored in the run. */
static bool names_own(const cli_session *session, const char *text)
{
    return session->own && strcmp(text, "own") == 0;
}

/* What stands before ">=" or "<=" in a limit, without the spaces between; NULL: neither is there.
 */
static char *reward_of_limit(const char *text, const char **rest)
{
    const char *sign = NULL;
    for (const char *c = text; *c; c++)
        if ((*c == '>' || *c == '<') && c[1] == '=')
            sign = c;
    if (!sign)
        return NULL;
    size_t length = (size_t)(sign - text);
    while (length > 0 && text[length - 1] == ' ')
        length--;
    *rest = sign;
    return strndup(text, length);
}

static bool needs_view(const cli_session *session, const char *text)
{
    return short_form_of(text) == NO_SHORT_FORM && !names_file(text) &&
           strcmp(text, "goals") != 0 && !names_own(session, text);
}

bool cli_rewards_need_view(const cli_session *session)
{
    const cli_args *args = &session->args;
    bool needed = false;
    for (int64_t i = 0; i < args->count && !needed; i++) {
        const char *rest;
        if (strcmp(args->option[i]->is.name, "reward") == 0)
            needed = needs_view(session, args->value[i]);
        if (strcmp(args->option[i]->is.name, "subject-to") != 0)
            continue;
        char *reward = reward_of_limit(args->value[i], &rest);
        needed = reward && needs_view(session, reward);
        free(reward);
    }
    return needed;
}

/* A reward that the system names, at the middle of every cluster. */
static cli_exit system_reward(cli_session *session, const foray_model *model, const char *name,
                              foray_reward **out)
{
    const cli_view *view = session->view;
    const foray_system_spec *spec = foray_system_describe(view->system);
    int64_t index = cli_view_reward(view, name);
    cli_guess guess = {name, NULL, 0};
    for (int64_t i = 0; index < 0 && i < spec->rewards; i++)
        cli_guess_try(&guess, spec->reward_name[i]);
    if (index < 0)
        return cli_fail(session, CLI_BAD_INPUT, "%s: no such file, and %s has no such reward%s%s%s",
                        name, spec->name, guess.best ? " (did you mean " : "",
                        guess.best ? guess.best : "", guess.best ? "?)" : "");
    return cli_status(session, foray_system_reward_create(session->ctx, view->system,
                                                          view->clusters, model, index, out));
}

/* Neither a file nor a short form: "gaol:5" was meant to be one. */
static cli_exit unknown_reward(cli_session *session, const char *text)
{
    static const char *const forms[] = {"goal", "reach", "avoid", "task", "goals"};
    char form[64];
    const char *rest = text + strcspn(text, ":");
    struct stat about;
    cli_guess guess = {form, NULL, 0};
    snprintf(form, sizeof form, "%.*s", (int)(rest - text), text);
    if (stat(text, &about) == 0)
        return cli_fail(session, CLI_BAD_INPUT, "%s: this is a directory, but a reward is expected",
                        text);
    if (strcmp(text, "own") == 0)
        return cli_fail(session, CLI_BAD_INPUT,
                        "own: no such file, and no run here has stored what its world itself pays");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        cli_guess_try(&guess, forms[i]);
    if (guess.best && guess.distance == 0) /* "goal" without a state */
        return cli_fail(session, CLI_BAD_INPUT,
                        "%s: no such file; as a reward it needs a state: %s:STATE", text, text);
    if (!guess.best)
        return cli_fail(session, CLI_BAD_INPUT,
                        "%s: no such file; without one a reward is goal:STATE, reach:STATE, "
                        "avoid:STATE or task:FORMULA",
                        text);
    return cli_fail(session, CLI_BAD_INPUT, "%s: no such file; did you mean %s%s?", text,
                    guess.best, rest);
}

static cli_exit open_reward(cli_session *session, const foray_model *model, const char *text,
                            foray_reward **out)
{
    if (names_own(session, text))
        return cli_status(session, foray_run_own_reward(session->own, FORAY_OWN_LOW, out));
    if (short_form_of(text) != NO_SHORT_FORM)
        return short_reward(session, model, text, out);
    if (session->view && !names_file(text))
        return system_reward(session, model, text, out);
    if (!names_file(text))
        return unknown_reward(session, text);
    cli_reread file;
    cli_exit code = cli_reread_open(session, text, &file);
    if (code == CLI_DONE)
        code = cli_reread_status(
            session, &file, foray_reward_load(session->ctx, model, cli_reread_path(&file), out));
    cli_reread_close(&file);
    return code;
}

static cli_exit open_limit(cli_session *session, const foray_model *model, const char *text,
                           foray_reward **reward, foray_limit *out)
{
    const char *rest = text;
    char *name = reward_of_limit(text, &rest);
    cli_exit code = CLI_DONE;
    double bound = 0;
    const char *number = name ? rest + 2 + strspn(rest + 2, " ") : "";
    if (!name || !*name || !fy_number_read(number, strlen(number), &bound) || !isfinite(bound))
        code =
            cli_fail(session, CLI_USAGE,
                     "--subject-to '%s': a limit is REWARD >= NUMBER, or REWARD <= NUMBER", text);
    else if (names_own(session, name))
        code = cli_fail(session, CLI_USAGE,
                        "what the world itself pays where it was not seen can have no limit; write "
                        "the reward as a file");
    else
        code = open_reward(session, model, name, reward);
    if (code == CLI_DONE)
        *out = (foray_limit){*reward, bound, *rest == '<'};
    free(name);
    return code;
}

cli_exit cli_limits_open(cli_session *session, const foray_model *model, cli_limits *out)
{
    const cli_args *args = &session->args;
    cli_limits limits = {.reward = calloc((size_t)args->count + 1, sizeof(foray_reward *)),
                         .limit = calloc((size_t)args->count + 1, sizeof(foray_limit))};
    if (!limits.reward || !limits.limit) {
        cli_limits_close(&limits);
        return cli_fail(session, CLI_BAD_INPUT, "out of memory");
    }
    cli_exit code = CLI_DONE;
    for (int64_t i = 0; i < args->count && code == CLI_DONE; i++) {
        if (strcmp(args->option[i]->is.name, "subject-to") != 0)
            continue;
        code = open_limit(session, model, args->value[i], &limits.reward[limits.count],
                          &limits.limit[limits.count]);
        limits.count += code == CLI_DONE;
    }
    if (code == CLI_DONE)
        *out = limits;
    else
        cli_limits_close(&limits);
    return code;
}

void cli_limits_close(cli_limits *limits)
{
    for (int64_t i = 0; i < limits->count; i++)
        foray_reward_destroy(limits->reward[i]);
    free(limits->reward);
    free(limits->limit);
    *limits = (cli_limits){0};
}

static const char *name_goal(int64_t state, char goal[CLI_GOAL_BYTES])
{
    snprintf(goal, CLI_GOAL_BYTES, "goal:%" PRId64, state);
    return goal;
}

/* What --discount and --optimise say of every reward. */
static cli_exit qualify(cli_session *session, foray_reward *reward)
{
    cli_exit code = CLI_DONE;
    if (cli_has(session, "discount"))
        code = cli_status(session, foray_reward_set_discount(session->ctx, reward,
                                                             cli_real(session, "discount")));
    if (code == CLI_DONE && cli_has(session, "optimise"))
        code = cli_status(session, foray_reward_set_minimise(session->ctx, reward,
                                                             cli_choice(session, "optimise") == 1));
    return code;
}

cli_exit cli_rewards_turn(cli_session *session, const foray_model *model, cli_rewards *rewards,
                          int64_t from, int64_t to)
{
    char goal[CLI_GOAL_BYTES];
    cli_exit code = CLI_DONE;
    for (int64_t s = 0; s < rewards->goals && code == CLI_DONE; s++) {
        int64_t i = rewards->goals_at + s;
        bool wanted = i >= from && i < to;
        if (!wanted) {
            foray_reward_destroy(rewards->item[i]);
            rewards->item[i] = NULL;
        } else if (!rewards->item[i]) {
            code = open_reward(session, model, name_goal(s, goal), &rewards->item[i]);
            if (code == CLI_DONE)
                code = qualify(session, rewards->item[i]);
        }
    }
    return code;
}

const char *cli_rewards_name(const cli_rewards *rewards, int64_t i, char goal[CLI_GOAL_BYTES])
{
    return rewards->item[i] ? foray_reward_name(rewards->item[i])
                            : name_goal(i - rewards->goals_at, goal);
}

/* One value of the option. */
static cli_exit add_reward(cli_session *session, const foray_model *model, const char *option,
                           const char *value, cli_rewards *rewards)
{
    bool own = names_own(session, value);
    if (strcmp(value, "goals") == 0) {
        rewards->goals_at = rewards->count;
        rewards->goals = foray_model_states(model);
        rewards->count += rewards->goals;
        return CLI_DONE;
    }
    if (rewards->own > 0 && own)
        return cli_fail(session, CLI_USAGE, "--%s own is given twice", option);
    cli_exit code = open_reward(session, model, value, &rewards->item[rewards->count]);
    if (code == CLI_DONE)
        rewards->count++;
    if (code == CLI_DONE && own)
        rewards->own = rewards->count;
    return code;
}

static cli_exit list_rewards(cli_session *session, const foray_model *model, const char *option,
                             cli_rewards *out)
{
    const cli_args *args = &session->args;
    int64_t goals = 0, room = args->count + 1;
    for (int64_t i = 0; i < args->count; i++)
        goals +=
            strcmp(args->option[i]->is.name, option) == 0 && strcmp(args->value[i], "goals") == 0;
    cli_exit code = CLI_DONE;
    if (goals > 1)
        return cli_fail(session, CLI_USAGE, "--%s goals is given twice", option);
    room += goals * foray_model_states(model);
    cli_rewards rewards = {.item = calloc((size_t)room, sizeof(foray_reward *))};
    if (!rewards.item)
        return cli_fail(session, CLI_BAD_INPUT, "out of memory");
    for (int64_t i = 0; i < args->count && code == CLI_DONE; i++)
        if (strcmp(args->option[i]->is.name, option) == 0)
            code = add_reward(session, model, option, args->value[i], &rewards);
    if (code == CLI_DONE && rewards.own > 0 &&
        (cli_has(session, "discount") || cli_has(session, "optimise")))
        code = cli_fail(session, CLI_USAGE,
                        "own, the world's own reward, cannot be combined with --%s",
                        cli_has(session, "discount") ? "discount" : "optimise");
    for (int64_t i = 0; i < rewards.count && code == CLI_DONE; i++)
        code = rewards.item[i] ? qualify(session, rewards.item[i]) : CLI_DONE;
    if (code == CLI_DONE)
        *out = rewards;
    else
        cli_rewards_close(&rewards);
    return code;
}

cli_exit cli_rewards_open_as(cli_session *session, const foray_model *model, const char *option,
                             cli_rewards *out)
{
    cli_rewards rewards = {0};
    cli_exit code = list_rewards(session, model, option, &rewards);
    if (code == CLI_DONE)
        code = cli_rewards_turn(session, model, &rewards, 0, rewards.count);
    if (code == CLI_DONE)
        *out = rewards;
    else
        cli_rewards_close(&rewards);
    return code;
}

cli_exit cli_rewards_list(cli_session *session, const foray_model *model, cli_rewards *out)
{
    cli_rewards rewards = {0};
    cli_exit code = list_rewards(session, model, "reward", &rewards);
    if (code == CLI_DONE && rewards.count == 0)
        code = cli_fail(session, CLI_USAGE, "-r is required: a reward");
    if (code == CLI_DONE)
        *out = rewards;
    else
        cli_rewards_close(&rewards);
    return code;
}

cli_exit cli_rewards_open(cli_session *session, const foray_model *model, cli_rewards *out)
{
    cli_rewards rewards = {0};
    cli_exit code = cli_rewards_list(session, model, &rewards);
    if (code == CLI_DONE)
        code = cli_rewards_turn(session, model, &rewards, 0, rewards.count);
    if (code == CLI_DONE)
        *out = rewards;
    else
        cli_rewards_close(&rewards);
    return code;
}

cli_exit cli_reward_open(cli_session *session, const foray_model *model, cli_rewards *out)
{
    cli_rewards rewards = {0};
    cli_exit code = cli_rewards_open(session, model, &rewards);
    if (code == CLI_DONE && rewards.count > 1)
        code = cli_fail(session, CLI_USAGE, "only one reward can be explored for, not %" PRId64,
                        rewards.count);
    if (code == CLI_DONE)
        *out = rewards;
    else
        cli_rewards_close(&rewards);
    return code;
}

/* The state that takes the most steps to get to and leaves a third of the episode to be there. */
static int64_t farthest_state(const foray_model *model)
{
    int64_t states = model->states, found = states - 1, steps = 0;
    int32_t *earliest = calloc(2 * (size_t)states, sizeof *earliest);
    if (!earliest)
        return found;
    fy_model_earliest(model, earliest, earliest + states);
    for (int64_t s = 0; s < states; s++)
        if (earliest[s] > steps && 3 * (int64_t)earliest[s] <= 2 * model->horizon) {
            found = s;
            steps = earliest[s];
        }
    free(earliest);
    return found;
}

/* Where nothing is known: the last other state that an episode came to. */
typedef struct last_state {
    int64_t horizon, found;
} last_state;

static bool look_at_states(void *user, int64_t episode, const int32_t *states,
                           const int32_t *actions)
{
    last_state *last = user;
    (void)episode, (void)actions;
    for (int64_t t = 0; t < last->horizon; t++)
        if (states[t] != states[0])
            last->found = states[t];
    return true;
}

static int64_t last_state_seen(foray_run *run)
{
    enum { EPISODES = 100 };
    int64_t saved = foray_run_saved(run);
    last_state last = {.horizon = foray_run_model(run)->horizon};
    (void)foray_run_episodes(run, saved > EPISODES ? saved - EPISODES : 0, look_at_states, &last);
    return last.found;
}

void cli_print_next_plan(const cli_session *session, foray_run *run, const char *path)
{
    const foray_model *model = foray_run_model(run);
    const char *reward =
        cli_has(session, "for") ? cli_value(session, "for") : cli_value(session, "reward");
    char goal[32];
    if (!reward && fy_run_targets(run) > 0)
        reward = foray_reward_name(fy_run_target(run, 0));
    bool again = reward && strcmp(reward, "-") != 0 &&
                 (short_form_of(reward) != NO_SHORT_FORM || strcmp(reward, "goals") == 0 ||
                  names_file(reward));
    if (!again) {
        snprintf(goal, sizeof goal, "goal:%" PRId64,
                 model->unstructured ? last_state_seen(run) : farthest_state(model));
        reward = goal;
    }
    printf("next                    foray plan ");
    cli_put_word(stdout, path);
    printf(" -r ");
    cli_put_word(stdout, reward);
    printf("\n");
}

void cli_rewards_close(cli_rewards *rewards)
{
    for (int64_t i = 0; i < rewards->count; i++)
        foray_reward_destroy(rewards->item[i]);
    free(rewards->item);
    *rewards = (cli_rewards){0};
}

double cli_loss(const foray_reward *reward, double value, double optimal)
{
    foray_reward_facts facts;
    foray_reward_describe(reward, &facts);
    return facts.minimise ? value - optimal : optimal - value;
}

/* -------------------------------------------------------------------- policies */

/* A policy file begins with '{'; everything else is taken for CSV. */
cli_exit cli_policy_open(cli_session *session, const foray_model *model, const char *path,
                         foray_policy **out)
{
    cli_reread data;
    cli_exit code = cli_reread_open(session, path, &data);
    if (code != CLI_DONE)
        return code;
    const char *read = cli_reread_path(&data);
    int first = file_begins(read);
    if (first == NO_FILE) {
        cli_reread_close(&data);
        return cli_fail(session, CLI_BAD_INPUT, "%s: %s", path, strerror(errno));
    }
    /* Runs and compact models begin like this, and are refused as what they are. */
    bool binary = first == 'S' || first == 0x89;
    code = cli_reread_status(session, &data,
                             first == '{' || binary
                                 ? foray_policy_load(session->ctx, read, out)
                                 : fy_policy_load_csv(session->ctx, model, read, out));
    cli_reread_close(&data);
    return code;
}
