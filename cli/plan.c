/* plan.c - foray plan: policies with certificates for rewards named after exploring. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "output.h"
#include "policy/policy.h"
#include "progress.h"
#include "run/run.h"
#include "view.h"

/* What is said of all plans together. */
typedef struct findings {
    double worst;               /* the largest certificate */
    foray_certificate unproved; /* the first that is not proved, */
    bool any_unproved;          /* if there is one */
    foray_certificate first;    /* of the first plan */
    bool any[FORAY_OPTIMAL_PROVED + 1];
    bool vacuous;
    bool silent, minimise; /* is one of them all that lies between the worst that a policy could */
    double silence;        /* earn, this, and the most? Of a reward of which less is better? */
    double truncation;
} findings;

typedef struct planning {
    cli_session *session;
    const char *path;
    foray_mode mode;
    bool store; /* plans are stored in the run */
    foray_run *run;
    foray_model *known; /* instead of a run: a model whose theta is known */
    cli_view view;      /* that of the run, if its rewards are needed */
    cli_rewards rewards;
    int64_t from, to;        /* the rewards that are planned for at present, */
    int64_t at_once;         /* at most so many: what all of them need may be more than there is */
    findings found;          /* of those before */
    cli_output output;       /* JSON */
    foray_policy **policy;   /* [rewards] */
    double *value, *optimal; /* [rewards] in the true model; NaN without --truth */
    foray_doubt **doubt;     /* [rewards] why certificates are not 0; NULL: not asked for */
    int64_t reasons;         /* how many to show */
    bool explain;            /* files say why, too */
    char **file;             /* [rewards] where policies go; NULL: nowhere */
    int64_t written;         /* how many of them are there */
    bool to_stdout;          /* that is standard output */
    bool into_directory;     /* they go into one, and are made durable together */
} planning;

static const foray_model *model_of(const planning *p)
{
    return p->known ? p->known : foray_run_model(p->run);
}

/* -------------------------------------------------------------------- planning */

/* Where theta is known there is nothing to choose, nor a run to store anything in. */
static cli_exit open_known(planning *p)
{
    static const char *const of_runs[] = {"mode", "radius", "no-store"};
    for (size_t i = 0; i < sizeof of_runs / sizeof *of_runs; i++)
        if (cli_has(p->session, of_runs[i]))
            return cli_fail(p->session, CLI_USAGE, "--%s is for runs, and %s is a model",
                            of_runs[i], p->path);
    if (cli_view_names(p->path))
        return cli_fail(p->session, CLI_BAD_INPUT,
                        "%s is a system: a plan for its model would be exact for the model alone; "
                        "explore it, or export its model first ('foray world export')",
                        p->path);
    return cli_world_open_checked(p->session, p->path, &p->known);
}

static cli_exit open_planned_run(planning *p)
{
    cli_session *session = p->session;
    foray_own own;
    p->store = !cli_has(session, "no-store");
    if (p->store && access(p->path, W_OK) != 0 && (errno == EACCES || errno == EROFS)) {
        cli_fail(session, CLI_DONE, "%s cannot be written: plans are not stored in it", p->path);
        p->store = false;
    }
    cli_exit code =
        cli_status(session, foray_run_open(session->ctx, p->path,
                                           p->store ? FORAY_RUN_WRITE : FORAY_RUN_READ, &p->run));
    if (code == CLI_DONE && foray_run_own(p->run, &own))
        session->own = p->run;
    if (code == CLI_DONE && cli_rewards_need_view(session))
        code = cli_view_of_run(session, p->run, NULL, &p->view);
    session->view = p->view.system ? &p->view : NULL;
    return code;
}

/* As many at once as half a gigabyte of rewards and policies, and at least as many as are planned
 * side by side. What is shown of all of them together needs all. */
static cli_exit choose_turns(planning *p)
{
    enum { SIDE_BY_SIDE = 8 };
    static const char *const together[] = {"map", "doubt"};
    const foray_model *model = model_of(p);
    double states = (double)foray_model_states(model);
    double bytes = states * (double)foray_model_actions(model) * sizeof(double) +
                   2 * states * (double)foray_model_horizon(model) * sizeof(int32_t);
    double fit = 0x1p29 / bytes / SIDE_BY_SIDE;
    p->at_once = p->rewards.count;
    if (fit * SIDE_BY_SIDE >= (double)p->rewards.count || p->rewards.goals == 0)
        return CLI_DONE;
    p->at_once = (fit > 1 ? (int64_t)fit : 1) * SIDE_BY_SIDE;
    for (size_t i = 0; i < sizeof together / sizeof *together; i++)
        if (cli_has(p->session, together[i]) && p->at_once < p->rewards.count)
            return cli_fail(p->session, CLI_USAGE,
                            "--%s needs all policies at once, which take %.2f GB for %" PRId64
                            " rewards: name fewer of them",
                            together[i], 1e-9 * bytes * (double)p->rewards.count, p->rewards.count);
    return CLI_DONE;
}

static cli_exit open_all(planning *p)
{
    cli_session *session = p->session;
    cli_exit code = cli_names_model(p->path) ? open_known(p) : open_planned_run(p);
    if (code == CLI_DONE)
        code = cli_rewards_list(session, model_of(p), &p->rewards);
    if (code == CLI_DONE)
        code = choose_turns(p);
    if (code != CLI_DONE)
        return code;
    size_t count = (size_t)p->rewards.count;
    p->policy = calloc(count, sizeof *p->policy);
    p->value = calloc(count, sizeof *p->value);
    p->optimal = calloc(count, sizeof *p->optimal);
    p->doubt = calloc(count, sizeof *p->doubt);
    if (!p->policy || !p->value || !p->optimal || !p->doubt)
        return cli_fail(session, CLI_BAD_INPUT, "out of memory");
    return CLI_DONE;
}

/* --radius: what certificates rest on. Unless asked for, the likelihood where there is one. */
static cli_exit choose_certificates(planning *p)
{
    if (p->known || !cli_has(p->session, "radius"))
        return CLI_DONE;
    if (cli_choice(p->session, "radius") == 2)
        return cli_status(p->session, fy_run_certify_by_refit(p->run));
    foray_radius radius = cli_choice(p->session, "radius") == 0
                              ? FORAY_RADIUS_LIKELIHOOD
                              : foray_run_settings(p->run)->radius;
    return cli_status(p->session, foray_explorer_certify_by(foray_run_explorer(p->run), radius));
}

/* --require: is any certificate above it? */
static cli_exit check_required(const planning *p)
{
    if (!cli_has(p->session, "require"))
        return CLI_DONE;
    if (p->found.any_unproved)
        return cli_require_unproved(p->session, &p->found.unproved);
    if (p->found.worst <= cli_real(p->session, "require"))
        return CLI_DONE;
    return cli_fail(p->session, CLI_NOT_MET, "--require %s: the largest certificate is %.6g",
                    cli_value(p->session, "require"), p->found.worst);
}

static cli_exit plan_known(planning *p)
{
    foray_status status = FORAY_OK;
    for (int64_t i = p->from; i < p->to && status == FORAY_OK; i++)
        status = foray_plan_known(p->session->ctx, p->known, p->rewards.item[i], &p->policy[i]);
    return cli_status(p->session, status);
}

/* Rewards first, first+1, ... up to `end`, together. */
static foray_status plan_some(planning *p, int64_t first, int64_t end)
{
    const foray_reward *const *rewards = (const foray_reward *const *)p->rewards.item + first;
    if (first >= end)
        return FORAY_OK;
    return p->store ? foray_run_plan(p->run, end - first, rewards, p->mode, p->policy + first)
                    : foray_explorer_plan(foray_run_explorer(p->run), end - first, rewards, p->mode,
                                          p->policy + first);
}

static cli_exit make_plans(planning *p)
{
    if (p->known)
        return plan_known(p);
    int64_t own = p->rewards.own - 1;
    if (own < p->from || own >= p->to)
        return cli_status(p->session, plan_some(p, p->from, p->to));
    foray_status status = plan_some(p, p->from, own);
    if (status == FORAY_OK)
        status = foray_run_own_plan(p->run, p->mode, p->store, &p->policy[own]);
    if (status == FORAY_OK)
        status = plan_some(p, own + 1, p->to);
    return cli_status(p->session, status);
}

/* Why certificates are not 0, where that will be shown or written. Files of several rewards say so
 * only if asked, as tables do: it takes twice as long as the certificates. */
static cli_exit find_doubt(planning *p)
{
    cli_exit code = CLI_DONE;
    p->reasons = p->known || p->to_stdout ? 0 : cli_doubt_count(p->session, p->rewards.count);
    p->explain = p->file && !p->known && (p->rewards.count == 1 || cli_has(p->session, "doubt"));
    bool wanted = p->reasons > 0 || p->explain;
    for (int64_t i = p->from; wanted && i < p->to && code == CLI_DONE; i++)
        if (i != p->rewards.own - 1) /* whose certificate is a sum, with reasons of two kinds */
            code =
                cli_doubt_find(p->session, p->run, p->rewards.item[i], p->policy[i], &p->doubt[i]);
    return code;
}

static cli_exit look_up_truth(planning *p)
{
    const foray_model *model = model_of(p);
    bool wanted = cli_has(p->session, "truth");
    foray_status status = FORAY_OK;
    if (wanted && !foray_model_theta(model))
        return cli_fail(p->session, CLI_BAD_INPUT, "--truth: theta is not known in the model of %s",
                        p->path);
    for (int64_t i = p->from; i < p->to && status == FORAY_OK; i++) {
        p->value[i] = p->optimal[i] = NAN;
        if (wanted)
            status = foray_evaluate(p->session->ctx, model, p->rewards.item[i], p->policy[i],
                                    &p->value[i], &p->optimal[i]);
    }
    return cli_status(p->session, status);
}

/* --------------------------------------------------------------------- results */

static int name_width(const planning *p)
{
    char goal[CLI_GOAL_BYTES];
    size_t width = strlen("reward");
    for (int64_t i = 0; i < p->rewards.count; i++) {
        size_t length = strlen(cli_rewards_name(&p->rewards, i, goal));
        width = length > width ? length : width;
    }
    return width < 32 ? (int)width : 32;
}

/* A column; low and high are not known where the algorithm has no bound. */
static void print_number(double value)
{
    if (isnan(value))
        printf(" %11s", "-");
    else
        printf(" %11.6g", value);
}

static void print_head(const planning *p, int width)
{
    printf("%-*s %11s %11s %11s %11s  %-9s", width, "reward", "value", "low", "high", "certificate",
           "status");
    if (cli_has(p->session, "truth"))
        printf(" %11s %11s %11s", "true value", "optimal", "true gap");
    printf("\n");
}

static void print_rows(const planning *p)
{
    bool truth = cli_has(p->session, "truth");
    int width = name_width(p);
    if (p->from == 0)
        print_head(p, width);
    for (int64_t i = p->from; i < p->to; i++) {
        const foray_policy *policy = p->policy[i];
        cli_put(stdout, width, foray_reward_name(p->rewards.item[i]));
        print_number(policy->expected);
        print_number(policy->low);
        print_number(policy->high);
        printf(" %11.6g  %-9s", policy->certificate.gap, cli_verdict(&policy->certificate));
        if (truth)
            printf(" %11.6g %11.6g %11.4g", p->value[i], p->optimal[i],
                   cli_loss(p->rewards.item[i], p->value[i], p->optimal[i]));
        printf("\n");
    }
}

/* The worst that a policy could earn, in the reward's own unit. */
static double worst_of(const foray_reward *reward, int64_t horizon)
{
    foray_reward_facts facts;
    double min, max;
    foray_reward_describe(reward, &facts);
    cli_return_range(reward, horizon, &min, &max);
    return facts.minimise ? max : min;
}

/* Is the certificate all that lies between the worst and the most that may be hoped for? */
static bool is_silent(const foray_reward *reward, const foray_policy *policy)
{
    double max =
        cli_loss(reward, worst_of(reward, policy->horizon), policy->value[FORAY_OPTIMISTIC]);
    return !policy->certificate.vacuous && policy->certificate.optimal == FORAY_OPTIMAL_NO &&
           policy->certificate.gap >= (1 - 1e-12) * max; /* which is rounded */
}

/* Takes note of plan i. */
static void find(planning *p, int64_t i)
{
    const foray_reward *reward = p->rewards.item[i];
    const foray_policy *policy = p->policy[i];
    const foray_certificate *certificate = &policy->certificate;
    findings *found = &p->found;
    foray_reward_facts facts;
    foray_reward_describe(reward, &facts);
    if (i == 0)
        found->first = *certificate;
    if (!(certificate->gap <= found->worst))
        found->worst = certificate->gap;
    if (!found->any_unproved && !cli_proved(certificate)) {
        found->any_unproved = true;
        found->unproved = *certificate;
    }
    found->any[certificate->optimal] = true;
    bool bounded = certificate->status != FORAY_UNCERTIFIED;
    found->vacuous |= bounded && certificate->vacuous;
    if (!found->silent && bounded && is_silent(reward, policy)) {
        found->silent = true;
        found->minimise = facts.minimise;
        found->silence = worst_of(reward, policy->horizon);
    }
    found->truncation = facts.truncation > found->truncation ? facts.truncation : found->truncation;
}

/* Certificates that say nothing say so: nothing at all, or nothing about the policy. */
static void print_silence(const findings *found)
{
    if (found->vacuous)
        printf("vacuous: the certificate is as large as rewards allow; it says nothing yet\n");
    if (found->silent)
        printf("%s %.6g: nothing is certain yet about what the policy earns; no other policy would "
               "have\na larger certificate\n",
               found->minimise ? "high" : "low", found->silence);
}

static void print_footer(const planning *p)
{
    const foray_certificate *certificate = &p->found.first;
    const bool *any = p->found.any;
    char episodes[CLI_NUMBER_SIZE];
    const double delta = certificate->delta;
    printf("\n%s policies after %s episodes; delta %g, radius %s\n", foray_mode_name(p->mode),
           cli_grouped(foray_run_saved(p->run), episodes), delta,
           foray_radius_name(certificate->radius));
    if (any[FORAY_OPTIMAL_PROVED])
        printf("optimal: proved, with probability at least %g\n", 1 - delta);
    if (any[FORAY_OPTIMAL_ROUNDING])
        printf("rounding: optimal up to rounding, with probability at least %g\n", 1 - delta);
    if (certificate->status == FORAY_CERTIFIED)
        printf("with probability at least %g, the gap of each is at most its certificate\n",
               1 - delta);
    else
        printf("no guarantee: %s\n", foray_certificate_because(certificate));
    cli_print_refutation(p->run, "");
    print_silence(&p->found);
}

/* Of a model: one value, which is the best there is. */
static void print_known(const planning *p)
{
    int width = name_width(p);
    if (p->from == 0)
        printf("%-*s %11s  %s\n", width, "reward", "value", "status");
    for (int64_t i = p->from; i < p->to; i++) {
        cli_put(stdout, width, foray_reward_name(p->rewards.item[i]));
        printf(" %11.6g  %s\n", p->policy[i]->expected,
               foray_certificate_status(&p->policy[i]->certificate));
    }
}

/* With a discount there is no last step: what the plan does not see is stated. */
static void print_truncation(const planning *p)
{
    if (p->found.truncation > 0)
        printf("discounted: all steps beyond the horizon could add at most %.6g to a loss\n",
               p->found.truncation);
}

static void print_files(const planning *p)
{
    for (int64_t i = 0; p->file && i < p->rewards.count; i++) {
        printf("written: ");
        cli_put(stdout, 0, p->file[i]);
        printf("\n");
    }
}

static void print_maps(const planning *p)
{
    for (int64_t i = 0; i < p->rewards.count; i++) {
        printf("\n");
        cli_put(stdout, 0, foray_reward_name(p->rewards.item[i]));
        printf(", first step:\n");
        cli_map_print(model_of(p), p->policy[i]);
    }
}

static void output_plan(const planning *p, cli_output *output, int64_t i)
{
    cli_output_open(output, NULL);
    cli_output_text(output, "reward", foray_reward_name(p->rewards.item[i]));
    cli_output_open(output, "value");
    cli_output_real(output, "policy", p->policy[i]->expected);
    cli_output_real(output, "low", p->policy[i]->low);
    cli_output_real(output, "high", p->policy[i]->high);
    for (int mode = 0; mode < FORAY_MODES; mode++)
        cli_output_real(output, foray_mode_name(mode), p->policy[i]->value[mode]);
    cli_output_close(output);
    cli_output_explained(output, "certificate", &p->policy[i]->certificate, p->doubt[i],
                         p->reasons);
    foray_reward_facts facts;
    foray_reward_describe(p->rewards.item[i], &facts);
    if (facts.discount < 1) {
        cli_output_real(output, "discount", facts.discount);
        cli_output_real(output, "truncation", facts.truncation);
    }
    if (cli_has(p->session, "truth")) {
        cli_output_open(output, "truth");
        cli_output_real(output, "value", p->value[i]);
        cli_output_real(output, "optimal", p->optimal[i]);
        cli_output_real(output, "gap", cli_loss(p->rewards.item[i], p->value[i], p->optimal[i]));
        cli_output_close(output);
    }
    if (p->file)
        cli_output_text(output, "policy", p->file[i]);
    cli_output_close(output);
}

/* What comes before the first plan. */
static void begin_showing(planning *p)
{
    cli_output_begin(&p->output, p->session);
    cli_output_text(&p->output, p->known ? "model" : "run", p->path);
    if (!p->known) {
        cli_output_integer(&p->output, "episodes", foray_run_saved(p->run));
        cli_output_text(&p->output, "mode", foray_mode_name(p->mode));
        cli_output_refutation(&p->output, p->run);
    }
    cli_output_open_list(&p->output, "plans");
}

/* The plans made last. */
static void show_plans(planning *p)
{
    if (p->session->json) {
        if (p->from == 0)
            begin_showing(p);
        for (int64_t i = p->from; i < p->to; i++)
            output_plan(p, &p->output, i);
    } else {
        (p->known ? print_known : print_rows)(p);
        fflush(stdout);
    }
}

/* What is said once all have been shown. */
static cli_exit end_showing(planning *p)
{
    if (p->session->json) {
        cli_output_close(&p->output);
        cli_exit code = cli_output_end(&p->output, p->session, CLI_DONE);
        p->output = (cli_output){0}; /* its text is released */
        return code;
    }
    if (p->known)
        printf("\nexact: theta is known, and no policy is better than these\n");
    else
        print_footer(p);
    print_truncation(p);
    print_files(p);
    for (int64_t i = 0; i < p->rewards.count && p->at_once == p->rewards.count; i++)
        cli_doubt_print(p->session, model_of(p), foray_reward_name(p->rewards.item[i]),
                        p->policy[i], p->doubt[i], p->reasons);
    if (cli_has(p->session, "map"))
        print_maps(p);
    return CLI_DONE;
}

/* ------------------------------------------------------------------------ files */

enum { NAME_SIZE = 128, MAX_REASONS = 100 };

/* ------------------------------------------------------------------- their names */

static bool is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Within a directory a policy is called after its reward: goal:8 becomes goal-8.json. */
static char *file_of_reward(const char *directory, const char *reward)
{
    const char *slash = directory[strlen(directory) - 1] == '/' ? "" : "/";
    size_t size = strlen(directory) + NAME_SIZE + sizeof "/.json";
    char name[NAME_SIZE], *path = malloc(size);
    snprintf(name, sizeof name, "%s", *reward && *reward != '.' ? reward : "policy");
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._-+", *c))
            *c = '-';
    if (path)
        snprintf(path, size, "%s%s%s.json", directory, slash, name);
    return path;
}

static int compare_paths(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

/* Several policies need a name each: two that are the same meet in their order. */
static cli_exit check_names(planning *p)
{
    size_t count = (size_t)p->rewards.count;
    char **name = malloc(count * sizeof *name);
    if (!name)
        return cli_fail(p->session, CLI_BAD_INPUT, "out of memory");
    memcpy(name, p->file, count * sizeof *name);
    qsort(name, count, sizeof *name, compare_paths);
    cli_exit code = CLI_DONE;
    for (size_t i = 1; i < count && code == CLI_DONE; i++)
        if (strcmp(name[i], name[i - 1]) == 0)
            code =
                cli_fail(p->session, CLI_USAGE, "two rewards would both be written to %s", name[i]);
    free(name);
    return code;
}

/* Where the policies go. */
static cli_exit name_files(planning *p, const char *output)
{
    bool directory = p->into_directory = is_directory(output);
    char goal[CLI_GOAL_BYTES];
    p->file = calloc((size_t)p->rewards.count, sizeof *p->file);
    for (int64_t i = 0; p->file && i < p->rewards.count; i++) {
        p->file[i] = directory ? file_of_reward(output, cli_rewards_name(&p->rewards, i, goal))
                               : strdup(output);
        if (!p->file[i])
            return cli_fail(p->session, CLI_BAD_INPUT, "out of memory");
    }
    return p->file ? check_names(p) : cli_fail(p->session, CLI_BAD_INPUT, "out of memory");
}

/* Standard output takes one policy and nothing beside it. */
static cli_exit check_stdout(planning *p, const char *output)
{
    static const char *const others[] = {"map", "truth"};
    p->to_stdout = cli_is_stdout(output);
    for (size_t i = 0; p->to_stdout && i < sizeof others / sizeof *others; i++)
        if (cli_has(p->session, others[i]))
            return cli_fail(p->session, CLI_USAGE, "--%s and -o %s both need standard output",
                            others[i], output);
    return CLI_DONE;
}

/* Names that promise something else. */
static bool promises_another_format(const char *output)
{
    const char *dot = strrchr(output, '.');
    return dot && (strcmp(dot, ".csv") == 0 || strcmp(dot, ".c") == 0) && !is_directory(output);
}

static cli_exit check_output(planning *p)
{
    const char *output = cli_value(p->session, "output");
    if (!output)
        return CLI_DONE;
    if (promises_another_format(output))
        return cli_fail(p->session, CLI_USAGE,
                        "-o %s: a policy is written as JSON, and 'foray policy export' makes CSV "
                        "or C of it",
                        output);
    if (output[strlen(output) - 1] == '/' && mkdir(output, 0777) != 0 && errno != EEXIST)
        return cli_fail(p->session, CLI_BAD_INPUT, "%s: %s", output, strerror(errno));
    if (p->rewards.count > 1 && !is_directory(output))
        return cli_fail(p->session, CLI_USAGE,
                        "-o %s: several rewards need a directory (end it in '/')", output);
    cli_exit code = check_stdout(p, output);
    if (code == CLI_DONE)
        code = name_files(p, output);
    for (int64_t i = 0; i < p->rewards.count && code == CLI_DONE; i++)
        code = cli_destination_check(p->session, p->file[i]);
    return code;
}

/* ----------------------------------------------------------------- their content */

/* The clusters of a run, where it has them. What a run file names is not started because it says
 * so: without --trust, the clusters of programs and plug-ins are left out. */
static cli_exit open_view(planning *p)
{
    if (p->known || p->view.system || !cli_view_names(foray_run_world(p->run)))
        return CLI_DONE;
    bool numbered = strstr(foray_run_world(p->run), "@states") != NULL; /* states, not clusters */
    if (numbered && !cli_has(p->session, "trust"))
        return CLI_DONE;
    if (!cli_view_trust(foray_run_world(p->run))[0] || cli_has(p->session, "trust"))
        return cli_view_of_run(p->session, p->run, NULL, &p->view);
    cli_fail(p->session, CLI_DONE,
             "the policy files do not say what the clusters of %s are: with --trust they do",
             foray_run_world(p->run));
    return CLI_DONE;
}

/* What makes a policy file complete by itself. */
static cli_exit complete(planning *p, int64_t i)
{
    foray_context *ctx = p->session->ctx;
    const foray_reward *reward = p->rewards.item[i];
    int64_t max = cli_has(p->session, "doubt") ? cli_integer(p->session, "doubt") : MAX_REASONS;
    foray_policy *policy = p->policy[i];
    foray_status status = p->known ? foray_policy_complete(ctx, policy, p->known, reward)
                                   : foray_run_complete_policy(p->run, reward, policy);
    if (status == FORAY_OK && p->known) {
        policy->about->world = fy_arena_text(fy_policy_arena(ctx, policy), p->path);
        status = policy->about->world ? FORAY_OK : FORAY_ERROR_MEMORY;
    }
    if (status == FORAY_OK && p->view.clusters)
        status = foray_policy_keep_clusters(ctx, policy, p->view.clusters);
    if (status == FORAY_OK && p->explain && p->doubt[i])
        status = fy_policy_keep_doubt(ctx, policy, p->doubt[i], max);
    return cli_status(p->session, status);
}

static cli_exit write_policy(planning *p, int64_t i)
{
    char *text;
    size_t size;
    cli_exit code = complete(p, i);
    if (code == CLI_DONE)
        code =
            cli_status(p->session, foray_policy_print(p->session->ctx, p->policy[i], &text, &size));
    if (code != CLI_DONE)
        return code;
    code = p->into_directory ? cli_destination_put(p->session, p->file[i], text, size)
                             : cli_destination_write(p->session, p->file[i], text, size);
    free(text);
    return code;
}

static cli_exit write_plans(planning *p)
{
    cli_exit code = p->file && p->from == 0 ? open_view(p) : CLI_DONE;
    for (int64_t i = p->from; p->file && i < p->to && code == CLI_DONE; i++) {
        code = write_policy(p, i);
        p->written += code == CLI_DONE;
    }
    return code;
}

/* All files are durable, or none of them is there. */
static cli_exit end_writing(planning *p, cli_exit code)
{
    if (code == CLI_DONE && p->into_directory)
        code =
            cli_status(p->session, fy_files_sync(p->session->ctx, cli_value(p->session, "output")));
    for (int64_t i = 0; i < p->written && code != CLI_DONE; i++)
        cli_destination_undo(p->session, p->file[i]);
    return code;
}

/* ---------------------------------------------------------------------- command */

static void close_all(planning *p)
{
    for (int64_t i = 0; p->policy && i < p->rewards.count; i++)
        foray_policy_destroy(p->policy[i]);
    for (int64_t i = 0; p->doubt && i < p->rewards.count; i++)
        foray_doubt_destroy(p->doubt[i]);
    for (int64_t i = 0; p->file && i < p->rewards.count; i++)
        free(p->file[i]);
    free(p->policy);
    free(p->file);
    free(p->value);
    free(p->optimal);
    free(p->doubt);
    cli_rewards_close(&p->rewards);
    cli_view_close(&p->view);
    foray_model_destroy(p->known);
}

/* Plans for the rewards from..to-1, keeps and shows them. */
static cli_exit take_turn(planning *p)
{
    cli_wait_begin(p->session);
    cli_exit code = cli_rewards_turn(p->session, model_of(p), &p->rewards, p->from, p->to);
    if (code == CLI_DONE)
        code = make_plans(p);
    if (code == CLI_DONE)
        code = look_up_truth(p);
    if (code == CLI_DONE)
        code = find_doubt(p);
    cli_wait_end();
    if (code == CLI_DONE)
        code = write_plans(p);
    for (int64_t i = p->from; i < p->to && code == CLI_DONE; i++)
        find(p, i);
    if (code == CLI_DONE && !p->to_stdout)
        show_plans(p);
    for (int64_t i = p->from; i < p->to && p->at_once < p->rewards.count; i++) {
        foray_policy_destroy(p->policy[i]);
        foray_doubt_destroy(p->doubt[i]);
        p->policy[i] = NULL;
        p->doubt[i] = NULL;
    }
    return code;
}

static cli_exit take_turns(planning *p)
{
    int64_t count = p->rewards.count;
    cli_exit code = CLI_DONE;
    for (int64_t next = 0; next < count && code == CLI_DONE; next = p->to) {
        p->from = next;
        p->to = next + p->at_once < count ? next + p->at_once : count;
        code = take_turn(p);
    }
    return end_writing(p, code);
}

static cli_exit run_plan(cli_session *session)
{
    planning p = {
        .session = session, .path = session->args.operand[0], .mode = cli_choice(session, "mode")};
    if (cli_has(session, "subject-to"))
        return cli_plan_limited(session);
    cli_wait_begin(session);
    cli_exit code = open_all(&p);
    if (code == CLI_DONE)
        code = check_output(&p);
    if (code == CLI_DONE)
        code = choose_certificates(&p);
    cli_wait_end();
    if (code == CLI_DONE)
        code = take_turns(&p);
    if (code == CLI_DONE && !p.to_stdout)
        code = end_showing(&p);
    if (code == CLI_DONE)
        code = check_required(&p);
    free(p.output.writer.data);
    close_all(&p);
    return cli_run_close(session, p.run, code);
}

static const cli_option options[] = {
    CLI_OPTION_REWARD,
    CLI_TEXT(0, "subject-to", "LIMIT",
             "'REWARD >= NUMBER' or 'REWARD <= NUMBER': the best value within such limits, by a "
             "mixture of few policies; may be repeated"),
    CLI_OPTION_MODE,
    CLI_CHOICE(0, "radius", "RADIUS", "likelihood", "likelihood|run|refit",
               "what certificates rest on: the full likelihood of the data; the radius that the "
               "run explored with, which is also used where there is no likelihood; or likelihoods "
               "of later data with priors from earlier ones, for long runs"),
    CLI_OPTION_DISCOUNT,
    CLI_OPTION_OPTIMISE,
    CLI_OPTION_REQUIRE,
    CLI_OPTION_DOUBT,
    CLI_FILE('o', "output", "FILE",
             "write the policy to this file (- is standard output); a directory (or a name that "
             "ends in '/') receives one "
             "file per reward, named after it"),
    CLI_OPTION_FORCE,
    CLI_SWITCH("truth", "also print true values and gaps, if theta is known"),
    CLI_SWITCH("map", "also draw each policy's first step on the model's map"),
    CLI_SWITCH("no-store",
               "do not store the plans in the run file; works while the run is still exploring"),
    CLI_OPTION_TRUST,
    CLI_OPTION_CONTAIN,
    CLI_OPTION_JSON,
    CLI_OPTION_THREADS,
    CLI_END,
};

const cli_command cli_plan = {
    .name = "plan",
    .group = CLI_GROUP_FIRST,
    .summary = "plan for rewards from what a run has learnt, with certificates",
    .operands = "RUN|MODEL",
    .min = 1,
    .max = 1,
    .words = CLI_WORDS_FILE,
    .description =
        "Plans a policy for each reward, all together, and prints its estimated value, a lower\n"
        "and an upper bound on its true value, and its certificate: an upper bound on its gap\n"
        "to the best policy. The plug-in policy, the default, is the best one if the estimate\n"
        "is right. The plans are stored in the run; 'foray info' lists them.\n"
        "\n"
        "With --subject-to, finds the best value of one reward while others stay above or below\n"
        "given values: the limits are proved to be kept, or proved to be too strict (exit code\n"
        "1), or it is said what is missing (exit code 1). The policy is a mixture: one of a few\n"
        "is drawn when an episode begins. It is not stored in the run.\n"
        "\n"
        "For a model or a built-in world whose theta is known, plans exactly and prints the\n"
        "best possible value for each reward. A model without theta is refused.",
    .options = options,
    .exits = {CLI_NOT_MET, CLI_BAD_INPUT, CLI_WORLD_FAILED, CLI_BAD_RUN},
    .examples = "foray explore rooms -k 5000 -o rooms.foray\n"
                "foray plan rooms.foray -r goal:0 -o policy.json --map\n"
                "foray plan rooms.foray -r goal:0 -r goal:8 --truth -o policies/\n"
                "echo '{\"format\":\"foray-reward\",\"version\":1,\"name\":\"late\",\"default\":0,"
                "\"entries\":[[5,3,null,1]]}' > late.json\n"
                "foray plan rooms.foray -r late.json --json\n"
                "foray plan rooms.foray -r goal:0 --radius run\n"
                "foray plan rooms.foray -r reach:80 -r avoid:3,4\n"
                "foray plan rooms -r goal:92 --subject-to 'goal:46 >= 2' -o mixture.json\n"
                "foray plan riverswim -r goal:5 -o best.json\n"
                "foray plan riverswim -r goal:5 --discount 0.9\n",
    .run = run_plan,
};
