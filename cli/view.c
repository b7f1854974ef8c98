/* view.c - see view.h. */
#include "view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"
#include "base/base.h"
#include "base/parameter.h"
#include "world/world.h"
#include "outside/outside.h"

/* ----------------------------------------------------------------------- texts */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Where the clusters begin, behind their '@'; NULL: there are none. A command may well have
 * other '@' in it. */
static const char *clusters_in(const char *source)
{
    const char *found = NULL;
    for (const char *at = strchr(source, '@'); at; at = strchr(at + 1, '@'))
        if (begins(at, "@grid:") || begins(at, "@radial:") || begins(at, "@states"))
            found = at + 1;
    return found;
}

bool cli_view_is_unstructured(const cli_view *view)
{
    return view->model_path && begins(view->model_path, "unstructured:");
}

/* The length of the part that names the system. */
static size_t system_length(const char *source)
{
    const char *clusters = clusters_in(source);
    return clusters ? (size_t)(clusters - source) - 1 : strlen(source);
}

bool cli_view_names(const char *source)
{
    size_t length = system_length(source);
    char text[64]; /* the beginning says it; memory that is not there would say no */
    snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text), source);
    return fy_system_names(text);
}

/* ---------------------------------------------------------------------- numbers */

/* "draws=1000" and its like; *known says whether it was one of them. */
static cli_exit read_key(cli_session *session, const char *part, cli_view *view, bool *known)
{
    enum { DRAWS, ACCURACY, DELTA, SEED, LIPSCHITZ, KEYS };
    static const foray_parameter row[KEYS] = {
        {.name = "draws", .kind = FORAY_INTEGER, .min = 1, .max = CLI_UNBOUNDED},
        {.name = "accuracy", .kind = FORAY_REAL, .min = 1e-9, .max = 1},
        {.name = "delta", .kind = FORAY_REAL, .min = 1e-300, .max = 1},
        {.name = "seed", .kind = FORAY_INTEGER, .min = 0, .max = CLI_UNBOUNDED},
        {.name = "lipschitz", .kind = FORAY_REAL, .min = 1e-9, .max = 1e9},
    };
    foray_aggregation *aggregation = &view->aggregation;
    foray_parameter_value value;
    size_t length = strcspn(part, "=");
    int key = 0;
    while (key < KEYS && (strlen(row[key].name) != length || !begins(part, row[key].name)))
        key++;
    *known = key < KEYS && part[length] == '=';
    if (!*known)
        return CLI_DONE;
    foray_status status = fy_parameter_read(session->ctx, &row[key], part + length + 1,
                                            strlen(part + length + 1), &value);
    if (status != FORAY_OK)
        return cli_status(session, status);
    if (key == DRAWS)
        aggregation->draws = value.integer;
    if (key == ACCURACY)
        aggregation->accuracy = value.real;
    if (key == DELTA)
        aggregation->delta = value.real;
    if (key == SEED)
        aggregation->seed = (uint64_t)value.integer;
    if (key == LIPSCHITZ)
        aggregation->lipschitz = value.real;
    return CLI_DONE;
}

static cli_exit read_continuation(cli_session *session, const char *text, cli_view *view)
{
    bool fresh = strcmp(text, "fresh") == 0;
    if (!fresh && strcmp(text, "real") != 0)
        return cli_fail(session, CLI_USAGE, "continue: \"%s\", but it must be real or fresh", text);
    view->continuation = fresh ? FORAY_CONTINUE_FRESH : FORAY_CONTINUE_REAL;
    return CLI_DONE;
}

/* "grid:31x31,draws=1000,model=m.json": keys that are not ours belong to the clusters. The
 * model is the last of them, since its name may have commas. */
static cli_exit read_clusters(cli_session *session, const char *source, cli_view *view)
{
    char *text = strdup(source), *clusters = strdup(source);
    cli_exit code = text && clusters ? CLI_DONE : cli_fail(session, CLI_BAD_INPUT, "out of memory");
    char *at = text, *end = clusters;
    while (code == CLI_DONE && at) {
        bool known = begins(at, "model=");
        if (known) {
            view->model_path = strdup(at + strlen("model="));
            break;
        }
        char *comma = strchr(at, ',');
        if (comma)
            *comma = 0;
        if (begins(at, "continue=")) {
            known = true;
            code = read_continuation(session, at + strlen("continue="), view);
        } else {
            code = read_key(session, at, view, &known);
        }
        if (!known)
            end += sprintf(end, "%s%s", end == clusters ? "" : ",", at);
        at = comma ? comma + 1 : NULL;
    }
    free(text);
    if (code == CLI_DONE)
        view->clusters_text = clusters;
    else
        free(clusters);
    return code;
}

/* Options beside the text win. */
static cli_exit read_options(cli_session *session, cli_view *view)
{
    foray_aggregation *aggregation = &view->aggregation;
    const char *clusters = cli_value(session, "clusters");
    if (clusters) {
        free(view->clusters_text);
        view->clusters_text = strdup(clusters);
    }
    if (cli_has(session, "draws") && cli_has(session, "accuracy"))
        return cli_fail(session, CLI_USAGE, "--draws and --accuracy cannot be combined");
    if (cli_has(session, "draws")) {
        aggregation->accuracy = 0;
        aggregation->draws = cli_integer(session, "draws");
    }
    if (cli_has(session, "accuracy"))
        aggregation->accuracy = cli_real(session, "accuracy");
    if (cli_has(session, "aggregate-seed"))
        aggregation->seed = (uint64_t)cli_integer(session, "aggregate-seed");
    if (cli_has(session, "lipschitz"))
        aggregation->lipschitz = cli_real(session, "lipschitz");
    const char *how = cli_value(session, "continue");
    cli_exit code = how ? read_continuation(session, how, view) : CLI_DONE;
    bool fresh = view->continuation == FORAY_CONTINUE_FRESH;
    if (code == CLI_DONE && fresh && aggregation->accuracy > 0)
        code = cli_fail(session, CLI_USAGE,
                        "to continue fresh the number of points must be known: give --draws, not "
                        "--accuracy");
    if (code == CLI_DONE && view->model_path && (fresh || aggregation->lipschitz > 0))
        code = cli_fail(session, CLI_USAGE,
                        "a model from a file is not made from points of the system: neither "
                        "--continue fresh nor --lipschitz can be used with it");
    return code;
}

/* -------------------------------------------------------------------- open, close */

/* About a thousand clusters; a finite system has its states. */
static const char *usual_clusters(const foray_system_spec *spec)
{
    static const char *const grid[] = {"grid:1001", "grid:31x31", "grid:11x11x11", "grid:6x6x6x6"};
    if (spec->states > 0)
        return "states";
    return spec->dimensions <= 4 ? grid[spec->dimensions - 1] : "radial:1000";
}

/* This very program, which the process that is to become the host still runs, serves the plug-in.
 */
static const char *const host[] = {"/proc/self/exe", "--serve", NULL};

cli_exit cli_system_open(cli_session *session, const char *text, foray_system **out)
{
    bool offered = cli_options_long(&session->options, "contain", strlen("contain")) != NULL;
    if (!offered || !cli_has(session, "contain"))
        return cli_status(session, foray_system_open(session->ctx, text, out));
    return cli_status(session, fy_system_contain(session->ctx, text, host, out));
}

static cli_exit open_texts(cli_session *session, const char *source, cli_view *view)
{
    const char *clusters = clusters_in(source);
    view->system_text = strndup(source, system_length(source));
    if (!view->system_text)
        return cli_fail(session, CLI_BAD_INPUT, "out of memory");
    cli_exit code = clusters ? read_clusters(session, clusters, view) : CLI_DONE;
    return code == CLI_DONE ? read_options(session, view) : code;
}

/* Finitely many states and no simulators: nothing is known but the sizes, and the model is
 * unstructured:states=S,actions=A,horizon=H. */
static cli_exit complete_open(cli_session *session, foray_system *system, cli_view *view)
{
    const foray_system_spec *spec = foray_system_describe(system);
    char text[128];
    if (view->model_path || spec->states == 0 || spec->simulators > 0)
        return CLI_DONE;
    snprintf(text, sizeof text,
             "unstructured:states=%" PRId64 ",actions=%" PRId64 ",horizon=%" PRId64, spec->states,
             spec->actions, spec->horizon);
    view->model_path = strdup(text);
    return view->model_path ? CLI_DONE : cli_fail(session, CLI_BAD_INPUT, "out of memory");
}

static cli_exit open_view(cli_session *session, const char *source, cli_view *view)
{
    foray_context *ctx = session->ctx;
    foray_system *system = NULL;
    foray_clusters *clusters = NULL;
    cli_exit code = open_texts(session, source, view);
    if (code == CLI_DONE)
        code = cli_system_open(session, view->system_text, &system);
    if (code != CLI_DONE)
        return code;
    view->system = system;
    code = complete_open(session, system, view);
    if (code != CLI_DONE)
        return code;
    if (!(view->aggregation.lipschitz > 0) && !view->model_path)
        view->aggregation.lipschitz = foray_system_describe(system)->lipschitz;
    if (!view->clusters_text)
        view->clusters_text = strdup(usual_clusters(foray_system_describe(system)));
    if (!view->clusters_text)
        return cli_fail(session, CLI_BAD_INPUT, "out of memory");
    code = cli_status(session, foray_clusters_parse(ctx, system, view->clusters_text, &clusters));
    view->clusters = clusters;
    return code;
}

static cli_exit open_any(cli_session *session, const char *source, cli_view *out)
{
    cli_view view = {0};
    foray_aggregation_default(&view.aggregation);
    cli_exit code = cli_input_add(session, source);
    if (code == CLI_DONE)
        code = open_view(session, source, &view);
    if (code == CLI_DONE)
        *out = view;
    else
        cli_view_close(&view);
    return code;
}

/* A file may be called like a program and be met by *: whoever made it did not type it. */
static bool is_typed(const char *source)
{
    return !cli_view_trust(source)[0] || access(source, F_OK) != 0;
}

cli_exit cli_view_check_typed(cli_session *session, const char *source)
{
    if (is_typed(source))
        return CLI_DONE;
    return cli_fail(session, CLI_USAGE,
                    "%s is also the name of a file: write ./ before it if you mean the file; "
                    "nothing is started while there is one",
                    source);
}

cli_exit cli_view_open(cli_session *session, const char *source, cli_view *out)
{
    cli_exit code = cli_view_check_typed(session, source);
    return code == CLI_DONE ? open_any(session, source, out) : code;
}

const char *cli_view_trust(const char *source)
{
    return begins(source, "exec:") || begins(source, "plugin:") ? " --trust" : "";
}

/* A run file may come from anyone: what it names is not started just because it says so. */
static cli_exit check_trust(cli_session *session, const char *source, const char *typed)
{
    size_t length = system_length(source);
    if (!cli_view_trust(source)[0] || cli_has(session, "trust") ||
        (typed && is_typed(typed) && system_length(typed) == length &&
         strncmp(typed, source, length) == 0))
        return CLI_DONE;
    return cli_fail(session, CLI_USAGE,
                    "the run explored %.*s, which is not part of Foray: if you trust the run "
                    "file, --trust starts it",
                    (int)length, source);
}

cli_exit cli_view_of_run(cli_session *session, const foray_run *run, const char *typed,
                         cli_view *out)
{
    const char *source = foray_run_world(run);
    if (!cli_view_names(source))
        return CLI_DONE;
    cli_exit code = check_trust(session, source, typed);
    return code == CLI_DONE ? open_any(session, source, out) : code;
}

void cli_view_close(cli_view *view)
{
    foray_clusters_destroy(view->clusters);
    foray_system_destroy(view->system);
    free(view->system_text);
    free(view->clusters_text);
    free(view->model_path);
    *view = (cli_view){0};
}

char *cli_view_text(const cli_view *view)
{
    const foray_aggregation *a = &view->aggregation;
    foray_aggregation usual;
    char *text = NULL, number[FY_NUMBER_BYTES];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    foray_aggregation_default(&usual);
    fprintf(out, "%s@%s", view->system_text, view->clusters_text);
    if (a->accuracy > 0)
        fprintf(out, ",accuracy=%s", fy_number_text(a->accuracy, number));
    else if (a->draws != usual.draws)
        fprintf(out, ",draws=%" PRId64, a->draws);
    if (a->delta != usual.delta)
        fprintf(out, ",delta=%s", fy_number_text(a->delta, number));
    if (a->seed != usual.seed)
        fprintf(out, ",seed=%" PRIu64, a->seed);
    if (a->lipschitz > 0)
        fprintf(out, ",lipschitz=%s", fy_number_text(a->lipschitz, number));
    if (view->continuation == FORAY_CONTINUE_FRESH)
        fprintf(out, ",continue=fresh");
    if (view->model_path)
        fprintf(out, ",model=%s", view->model_path);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* ------------------------------------------------------------------------- model */

typedef struct aggregating {
    cli_work work;
    int64_t clusters;
    double started; /* cli_seconds */
} aggregating;

static bool show_progress(void *user, double done)
{
    aggregating *a = user;
    double seconds = cli_seconds() - a->started;
    const foray_work_progress progress = {
        .parts = a->clusters,
        .finished = (int64_t)(done * (double)a->clusters),
        .done = done,
        .seconds = seconds,
        .remaining = done > 0.01 ? seconds * (1 - done) / done : NAN,
    };
    return cli_work_step(&a->work, &progress);
}

/* States and actions are compared where the model meets the system. */
static cli_exit load_model(cli_session *session, const cli_view *view, foray_model **out)
{
    foray_context *ctx = session->ctx;
    foray_model *model = NULL;
    const foray_system_spec *spec = foray_system_describe(view->system);
    /* An unstructured model has the names that the program gives to its actions. */
    int64_t names = spec->action_name ? spec->actions : 0;
    cli_exit code = cli_status(
        session, cli_view_is_unstructured(view)
                     ? fy_model_of_sizes(ctx, view->model_path, names, spec->action_name, &model)
                     : foray_model_load(ctx, view->model_path, &model));
    if (code == CLI_DONE && foray_model_horizon(model) != spec->horizon)
        code = cli_fail(session, CLI_BAD_INPUT,
                        "%s has episodes of %" PRId64 " steps, but those of %s have %" PRId64,
                        view->model_path, foray_model_horizon(model), view->system_text,
                        spec->horizon);
    if (code == CLI_DONE)
        *out = model;
    else
        foray_model_destroy(model);
    return code;
}

cli_exit cli_view_model(cli_session *session, cli_view *view, foray_model **out)
{
    if (view->model_path)
        return load_model(session, view, out);
    aggregating a = {.work = {.heading = "aggregating ", .parts = "clusters"},
                     .clusters = foray_clusters_count(view->clusters),
                     .started = cli_seconds()};
    cli_progress_begin(&a.work.line, 0);
    foray_context_set_stop(session->ctx, cli_stop_wanted, NULL);
    foray_status status = foray_aggregate(session->ctx, view->system, view->clusters,
                                          &view->aggregation, show_progress, &a, NULL, out);
    foray_context_set_stop(session->ctx, NULL, NULL);
    cli_progress_end(&a.work.line);
    if (status == FORAY_INTERRUPTED)
        return cli_fail(session, CLI_STOPPED, "stopped by a signal while aggregating");
    return cli_status(session, status);
}

int64_t cli_view_reward(const cli_view *view, const char *name)
{
    const foray_system_spec *spec = foray_system_describe(view->system);
    for (int64_t i = 0; i < spec->rewards; i++)
        if (strcmp(spec->reward_name[i], name) == 0)
            return i;
    return -1;
}

void cli_view_indices(const cli_session *session, const cli_view *view, const cli_rewards *rewards,
                      int64_t *index)
{
    const cli_args *args = &session->args;
    bool given = cli_has(session, "reward");
    int64_t taken = 0, others = 0; /* others: rewards that are not of "goals" */
    for (int64_t i = 0; i < args->count; i++)
        others +=
            strcmp(args->option[i]->is.name, "reward") == 0 && strcmp(args->value[i], "goals") != 0;
    for (int64_t i = 0; i < args->count && given; i++) {
        if (strcmp(args->option[i]->is.name, "reward") != 0)
            continue;
        bool goals = strcmp(args->value[i], "goals") == 0;
        int64_t end = taken + (goals ? rewards->count - others : 1);
        for (; taken < end; taken++)
            index[taken] = cli_view_reward(view, args->value[i]);
    }
    for (; !given && taken < rewards->count; taken++)
        index[taken] = taken;
}
