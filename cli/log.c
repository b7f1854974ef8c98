/* log.c - see log.h. */
#include "log.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------ options */

/* "case=episode,t=step": a name may hold anything but commas and '='. */
static cli_exit read_columns(cli_session *session, char *text, fy_log_request *out)
{
    for (char *part = strtok(text, ","); part; part = strtok(NULL, ",")) {
        char *is = strchr(part, '=');
        int role = 0;
        while (is && fy_log_role[role] && strcmp(is + 1, fy_log_role[role]) != 0)
            role++;
        if (!is || is == part || !fy_log_role[role])
            return cli_fail(
                session, CLI_USAGE,
                "--columns: '%s' is not NAME=ROLE with one of the roles episode, state, "
                "action, step, time, next, done, reward",
                part);
        if (out->column[role])
            return cli_fail(session, CLI_USAGE, "--columns: two columns are the %s", is + 1);
        *is = 0;
        out->column[role] = part;
    }
    for (int role = FY_LOG_EPISODE; role <= FY_LOG_ACTION; role++)
        if (!out->column[role])
            return cli_fail(session, CLI_USAGE, "--columns: no column is the %s",
                            fy_log_role[role]);
    if (out->column[FY_LOG_STEP] && out->column[FY_LOG_TIME])
        return cli_fail(session, CLI_USAGE,
                        "--columns: rows are ordered by a step or by a time, not by both");
    return CLI_DONE;
}

/* All of a small text file; NULL: it cannot be read. */
static char *read_text(const char *path)
{
    enum { MAX_BYTES = 64 << 20 };
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0, room = 0, got = 1;
    while (file && got > 0 && size < MAX_BYTES) {
        if (size + 1 >= room) {
            char *grown = realloc(text, room = 2 * room + (1 << 16));
            if (!grown)
                break;
            text = grown;
        }
        got = fread(text + size, 1, room - size - 1, file);
        size += got;
        text[size] = 0;
    }
    if (file)
        fclose(file);
    if (got == 0 && text && strlen(text) == size)
        return text;
    free(text);
    return NULL;
}

/* How many there are, and their names, which lie in *text. */
typedef struct listed {
    int64_t count, names;
    const char **name;
    char *text;
} listed;

static void free_listed(listed *list)
{
    free(list->name);
    free(list->text);
}

static cli_exit read_list(cli_session *session, const char *option, listed *out)
{
    static const char bound[] = "at-most:";
    const char *value = cli_value(session, option);
    char *end;
    if (!value)
        return cli_fail(session, CLI_USAGE,
                        "a log does not show what never happened: say how many there are, or at "
                        "most, with --%s N or --%s at-most:N, or give a model",
                        option, option);
    const char *number = strncmp(value, bound, strlen(bound)) == 0 ? value + strlen(bound) : value;
    long long count = strtoll(number, &end, 10);
    if (*number >= '0' && *number <= '9' && !*end) {
        out->count = count;
        return count >= 1 && count <= 100000000
                   ? CLI_DONE
                   : cli_fail(session, CLI_USAGE, "--%s %s: must be 1 to 100000000", option, value);
    }
    bool inside = strchr(value, ',') != NULL;
    out->text = inside ? strdup(value) : read_text(value);
    if (!out->text)
        return cli_fail(session, CLI_BAD_INPUT,
                        "--%s %s: no number, no list A,B,C and no file of names", option, value);
    const char *separator = inside ? "," : "\r\n";
    int64_t most = 1;
    for (const char *at = out->text; *at; at++)
        most += strchr(separator, *at) != NULL;
    out->name = calloc((size_t)most, sizeof *out->name);
    if (!out->name)
        return cli_fail(session, CLI_BAD_INPUT, "out of memory");
    for (char *part = strtok(out->text, separator); part; part = strtok(NULL, separator))
        out->name[out->names++] = part;
    out->count = out->names;
    for (int64_t i = 0; i < out->names; i++)
        for (int64_t j = 0; j < i && out->names <= 10000; j++)
            if (strcmp(out->name[i], out->name[j]) == 0)
                return cli_fail(session, CLI_BAD_INPUT, "--%s: '%s' is there twice", option,
                                out->name[i]);
    return out->count > 0 ? CLI_DONE
                          : cli_fail(session, CLI_BAD_INPUT, "--%s %s: no names", option, value);
}

static cli_exit read_range(cli_session *session, cli_log *out)
{
    const char *text = cli_value(session, "range"), *comma = text ? strchr(text, ',') : NULL;
    if (!text)
        return CLI_DONE;
    if (comma && fy_number_read(text, (size_t)(comma - text), &out->low) &&
        fy_number_read(comma + 1, strlen(comma + 1), &out->high) && out->low < out->high)
        return CLI_DONE;
    return cli_fail(session, CLI_USAGE, "--range %s: must be LO,HI with LO below HI", text);
}

/* ------------------------------------------------------------------------ summary */

static void print_counts(const char *what, int64_t count, int64_t all)
{
    char number[CLI_NUMBER_SIZE], of[CLI_NUMBER_SIZE];
    printf("%-23s %s of %s\n", what, cli_grouped(count, number), cli_grouped(all, of));
}

static void print_summary(const fy_log *log, const fy_log_request *request)
{
    char rows[CLI_NUMBER_SIZE];
    int64_t S = request->model ? foray_model_states(request->model) : request->states;
    int64_t A = request->model ? foray_model_actions(request->model) : request->actions;
    if (log->refused > 0) {
        printf("log                     %s rows\n", cli_grouped(log->rows, rows));
    } else {
        char episodes[CLI_NUMBER_SIZE], steps[CLI_NUMBER_SIZE];
        printf("log                     %s rows, %s episode%s, %s steps\n",
               cli_grouped(log->rows, rows), cli_grouped(log->episodes, episodes),
               log->episodes == 1 ? "" : "s", cli_grouped(log->steps, steps));
    }
    if (log->episodes > 0)
        printf("lengths                 %" PRId64 " to %" PRId64 ", in the middle %" PRId64 "\n",
               log->shortest, log->longest, log->middle);
    if (log->refused == 0) {
        print_counts("states", log->states, S);
        print_counts("actions", log->actions, A);
        print_counts("pairs (s,a) seen", log->pairs, log->all_pairs);
    }
    if (log->refused == 0 && request->column[FY_LOG_DONE])
        print_counts("episodes that ended", log->ended, log->episodes);
    if (log->open > 0)
        printf("left out                the last row of %s episode%s, which does not say what "
               "followed\n",
               cli_grouped(log->open, rows), log->open == 1 ? "" : "s");
    if (log->ties > 0)
        printf("equal times             %s rows, in the order of the file\n",
               cli_grouped(log->ties, rows));
    if (log->paid_count > 0)
        printf("rewards                 %s steps, %g to %g\n", cli_grouped(log->paid_count, rows),
               log->paid_low, log->paid_high);
    if (log->unpaid > 0)
        printf("without a reward        %s steps: fine only if that was decided before the reward "
               "was known\n",
               cli_grouped(log->unpaid, rows));
    if (log->new_states + log->new_actions > 0)
        printf("new names               %" PRId64 " states, %" PRId64 " actions\n", log->new_states,
               log->new_actions);
    for (int64_t i = 0; i < log->refused && i < FY_LOG_SHOWN; i++) {
        printf("refused                 ");
        cli_put(stdout, 0, log->refusal[i] ? log->refusal[i] : "");
        printf("\n");
    }
    fflush(stdout);
}

void cli_log_output(cli_output *output, const cli_log *it)
{
    const fy_log *log = it->log;
    if (!log)
        return;
    cli_output_open(output, "log");
    cli_output_integer(output, "rows", log->rows);
    cli_output_integer(output, "episodes", log->episodes);
    cli_output_integer(output, "steps", log->steps);
    cli_output_integer(output, "shortest", log->shortest);
    cli_output_integer(output, "middle", log->middle);
    cli_output_integer(output, "longest", log->longest);
    cli_output_integer(output, "states", log->states);
    cli_output_integer(output, "actions", log->actions);
    cli_output_integer(output, "pairs", log->pairs);
    cli_output_integer(output, "all_pairs", log->all_pairs);
    cli_output_integer(output, "ended", log->ended);
    cli_output_integer(output, "left_out", log->open);
    cli_output_integer(output, "equal_times", log->ties);
    cli_output_integer(output, "paid", log->paid_count);
    cli_output_integer(output, "unpaid", log->unpaid);
    cli_output_close(output);
}

/* ---------------------------------------------------------------------------- all */

static cli_exit write_episodes(cli_session *session, const char *shown, cli_log *it)
{
    it->file = tmpfile();
    if (!it->file)
        return cli_fail(session, CLI_BAD_INPUT, "%s: no temporary file can be made for it", shown);
    cli_exit code = cli_status(session, fy_log_write(session->ctx, it->log, it->file));
    snprintf(it->path, sizeof it->path, "/dev/fd/%d", fileno(it->file));
    return code;
}

static cli_exit read_log(cli_session *session, const char *shown, const char *path,
                         fy_log_request *request, cli_log *out)
{
    cli_exit code = cli_status(session, fy_log_read(session->ctx, path, request, &out->log));
    if (code != CLI_DONE)
        return code;
    const fy_log *log = out->log;
    if (!session->json)
        print_summary(log, request);
    if (log->refused > 0)
        return cli_fail(session, CLI_BAD_INPUT,
                        "%s: %" PRId64 " row%s cannot be understood, %s: nothing is learnt", shown,
                        log->refused, log->refused == 1 ? "" : "s",
                        log->refusal[0] ? log->refusal[0] : "and memory is short");
    if (log->episodes == 0)
        return cli_fail(session, CLI_BAD_INPUT, "%s: no episodes", shown);
    return write_episodes(session, shown, out);
}

cli_exit cli_log_open(cli_session *session, const char *shown, const char *path,
                      const foray_model *model, cli_log *out)
{
    fy_log_request request = {.model = model};
    listed states = {0}, actions = {0};
    char *columns = strdup(cli_value(session, "columns"));
    *out = (cli_log){.low = NAN, .high = NAN};
    cli_exit code = columns ? read_columns(session, columns, &request)
                            : cli_fail(session, CLI_BAD_INPUT, "out of memory");
    static const char *const sizes[] = {"states", "actions", "horizon"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && code == CLI_DONE && model; i++)
        if (cli_has(session, sizes[i]))
            code = cli_fail(session, CLI_USAGE, "--%s: the model says that already", sizes[i]);
    if (code == CLI_DONE && !model)
        code = read_list(session, "states", &states);
    if (code == CLI_DONE && !model)
        code = read_list(session, "actions", &actions);
    if (code == CLI_DONE && !model) {
        request.states = states.count;
        request.state_name = states.name;
        request.state_names = states.names;
        request.actions = actions.count;
        request.action_name = actions.name;
        request.action_names = actions.names;
        request.horizon = cli_has(session, "horizon") ? cli_integer(session, "horizon") : 0;
    }
    if (code == CLI_DONE)
        code = read_range(session, out);
    if (code == CLI_DONE)
        code = read_log(session, shown, path, &request, out);
    if (code == CLI_DONE && (out->log->paid_low < out->low || out->log->paid_high > out->high))
        code =
            cli_fail(session, CLI_BAD_INPUT, "%s: rewards from %g to %g, but --range is %g to %g",
                     shown, out->log->paid_low, out->log->paid_high, out->low, out->high);
    free_listed(&states);
    free_listed(&actions);
    free(columns);
    return code;
}

void cli_log_close(cli_log *it)
{
    fy_log_destroy(it->log);
    if (it->file)
        fclose(it->file);
    *it = (cli_log){0};
}

/* ------------------------------------------------------------------------ rewards
 *
 * Every reward of a log counts as drawn, by a law of its pair: that covers the others. Of each pair
 * it is kept how often what was paid, up to so many different numbers; more are rounded. */

enum { DIFFERENT = 1024 };

static int compare_values(const void *one, const void *other)
{
    const foray_own_value *a = one, *b = other;
    if (a->state != b->state)
        return a->state < b->state ? -1 : 1;
    if (a->action != b->action)
        return a->action < b->action ? -1 : 1;
    if (a->next != b->next)
        return a->next < b->next ? -1 : 1;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return a->high < b->high ? -1 : a->high > b->high;
}

/* Sorts, and makes equal entries one; returns how many are left. */
static int64_t merge_values(foray_own_value *value, int64_t count)
{
    int64_t kept = 0;
    if (count > 1)
        qsort(value, (size_t)count, sizeof *value, compare_values);
    for (int64_t i = 0; i < count; i++)
        if (kept > 0 && compare_values(&value[kept - 1], &value[i]) == 0)
            value[kept - 1].count += value[i].count;
        else
            value[kept++] = value[i];
    return kept;
}

/* Where a pair was paid more different numbers than that, all of its are rounded to cells. */
static void round_values(foray_own *own)
{
    for (int64_t first = 0, end; first < own->count; first = end) {
        foray_own_value *pair = &own->value[first];
        for (end = first; end < own->count && own->value[end].state == pair->state &&
                          own->value[end].action == pair->action;)
            end++;
        double cell = (own->high - own->low) / DIFFERENT;
        for (int64_t i = first; i < end && end - first > DIFFERENT && cell > 0; i++) {
            foray_own_value *v = &own->value[i];
            double below = floor((v->low - own->low) / cell);
            double above = ceil((v->high - own->low) / cell);
            v->low = fmin(v->low, own->low + cell * below);
            v->high = fmax(v->high, fmin(own->high, own->low + cell * above));
        }
    }
    own->count = merge_values(own->value, own->count);
}

/* The range that was given now or before; else what was paid. */
static cli_exit find_range(cli_session *session, const cli_log *it, const foray_own *old,
                           foray_own *out)
{
    bool said = !isnan(it->low), known = old->count > 0 && !old->guessed;
    out->low = said ? it->low : known ? old->low : it->log->paid_low;
    out->high = said ? it->high : known ? old->high : it->log->paid_high;
    out->guessed = !said && !known;
    if (out->guessed && old->count > 0) {
        out->low = fmin(out->low, old->low);
        out->high = fmax(out->high, old->high);
    }
    double low = old->count > 0 ? fmin(old->low, it->log->paid_low) : it->log->paid_low;
    double high = old->count > 0 ? fmax(old->high, it->log->paid_high) : it->log->paid_high;
    if (it->log->paid_low < out->low || it->log->paid_high > out->high ||
        (said && old->count > 0 && (low < out->low || high > out->high)))
        return cli_fail(session, CLI_BAD_INPUT,
                        "rewards from %g to %g, but the run has a range from %g to %g", low, high,
                        out->low, out->high);
    return CLI_DONE;
}

cli_exit cli_log_keep_paid(cli_session *session, const cli_log *it, foray_run *run)
{
    foray_own old = {0}, own = {0};
    const fy_log *log = it->log;
    if (!log || log->paid_count == 0)
        return CLI_DONE;
    if (!foray_run_own(run, &old))
        old = (foray_own){0};
    cli_exit code = find_range(session, it, &old, &own);
    size_t room = (size_t)(old.count + log->paid_count + log->end_count);
    if (code != CLI_DONE)
        return code;
    own.value = calloc(room, sizeof *own.value);
    if (!own.value)
        return cli_fail(session, CLI_BAD_INPUT, "out of memory");
    if (old.count > 0)
        memcpy(own.value, old.value, (size_t)old.count * sizeof *own.value);
    own.count = old.count;
    for (int64_t i = 0; i < log->paid_count; i++) {
        const fy_log_paid *paid = &log->paid[i];
        own.value[own.count++] =
            (foray_own_value){paid->state, paid->action, -1, paid->reward, paid->reward, 1};
    }
    for (int64_t i = 0; i < log->end_count && own.low <= 0 && own.high >= 0; i++)
        own.value[own.count++] = (foray_own_value){log->end[i], -1, -1, 0, 0, 0};
    own.count = merge_values(own.value, own.count);
    round_values(&own);
    code = cli_status(session, foray_run_keep_own(run, &own));
    free(own.value);
    return code;
}
