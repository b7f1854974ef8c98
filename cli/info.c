/* info.c - foray info: what a run file holds. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report.h"

enum { SETTING_SIZE = 128 };

/* ---------------------------------------------------------------- the run itself */

static void report_run(cli_report *report, foray_run *run, const char *path,
                       const foray_run_facts *facts)
{
    const foray_model *model = foray_run_model(run);
    cli_report_text(report, "run", path);
    cli_report_text(report, "world", foray_run_world(run));
    const foray_reward *reward = foray_explorer_reward(foray_run_explorer(run));
    if (reward)
        cli_report_text(report, "explored_for", foray_reward_name(reward));
    cli_report_text(report, "version", facts->version);
    cli_report_text(report, "created", facts->created);
    cli_report_integer(report, "bytes", facts->bytes);
    cli_report_integer(report, "episodes", facts->episodes);
    cli_report_integer(report, "checkpoints", facts->checkpoints);
    cli_report_integer(report, "plans_stored", facts->plans_stored);
    cli_report_open(report, "model");
    cli_report_text(report, "name", foray_model_name(model));
    cli_report_integer(report, "states", foray_model_states(model));
    cli_report_integer(report, "actions", foray_model_actions(model));
    cli_report_integer(report, "horizon", foray_model_horizon(model));
    cli_report_integer(report, "dim", foray_model_dim(model));
    cli_report_flag(report, "theta_known", foray_model_theta(model) != NULL);
    cli_report_close(report);
}

static void report_explorer(cli_report *report, const foray_explorer_facts *facts)
{
    cli_report_open(report, "explorer");
    cli_report_integer(report, "exploration_plans", facts->plans);
    cli_report_text(report, "inner", facts->inner);
    cli_report_real(report, "inner_ratio", facts->inner_ratio);
    cli_report_real(report, "log_det", facts->log_det);
    cli_report_integer(report, "refactored", facts->refactored);
    cli_report_real(report, "factor_error", facts->factor_error);
    cli_report_close(report);
}

/* Numbers as numbers, everything else as text. */
static void report_setting(cli_report *report, const char *name, const char *text)
{
    char *end_integer, *end_real;
    long long integer = strtoll(text, &end_integer, 10);
    double real = strtod(text, &end_real);
    if (!*end_integer)
        cli_report_integer(report, name, integer);
    else if (!*end_real)
        cli_report_real(report, name, real);
    else
        cli_report_text(report, name, text);
}

static foray_status report_settings(cli_report *report, foray_context *ctx,
                                    const foray_settings *settings)
{
    foray_setting_info info;
    foray_status status = FORAY_OK;
    char text[SETTING_SIZE];
    cli_report_open(report, "settings");
    for (int64_t i = 0; status == FORAY_OK && foray_setting_describe(i, &info); i++) {
        status = foray_settings_get(ctx, settings, info.name, text, sizeof text);
        if (status == FORAY_OK)
            report_setting(report, info.name, text);
    }
    cli_report_close(report);
    return status;
}

/* --------------------------------------------------------------------- the estimate */

/* The estimate beside the truth, where that is known. */
static void report_truth(cli_report *report, int64_t dim, const double *estimate,
                         const double *half_width, const double *truth)
{
    double worst = 0.0;
    int64_t inside = 0;
    for (int64_t i = 0; i < dim; i++) {
        double error = fabs(estimate[i] - truth[i]);
        worst = fmax(worst, error);
        inside += error <= half_width[i];
    }
    cli_report_real(report, "worst_error", worst);
    cli_report_integer(report, "intervals_with_truth", inside);
}

static void print_theta(int64_t dim, const double *estimate, const double *half_width,
                        const double *truth)
{
    printf("  %6s %14s %14s%s\n", "i", "estimate", "half width", truth ? "          truth" : "");
    for (int64_t i = 0; i < dim; i++) {
        printf("  %6" PRId64 " %14.6g %14.6g", i, estimate[i], half_width[i]);
        if (truth)
            printf(" %14.6g", truth[i]);
        printf("\n");
    }
}

static void report_estimate(cli_session *session, cli_report *report, const foray_model *model,
                            const double *estimate, const double *half_width)
{
    int64_t dim = foray_model_dim(model);
    const double *truth = foray_model_theta(model);
    double widest = 0.0;
    for (int64_t i = 0; i < dim; i++)
        widest = fmax(widest, half_width[i]);
    cli_report_open(report, "theta");
    cli_report_integer(report, "coordinates", dim);
    cli_report_real(report, "widest_half_width", widest);
    if (truth)
        report_truth(report, dim, estimate, half_width, truth);
    if (cli_has(session, "theta") && session->json) {
        cli_report_reals(report, "estimate", dim, estimate);
        cli_report_reals(report, "half_width", dim, half_width);
        if (truth)
            cli_report_reals(report, "truth", dim, truth);
    } else if (cli_has(session, "theta")) {
        print_theta(dim, estimate, half_width, truth);
    }
    cli_report_close(report);
}

static foray_status estimate_and_report(cli_session *session, cli_report *report, foray_run *run)
{
    const foray_model *model = foray_run_model(run);
    size_t dim = (size_t)foray_model_dim(model);
    double *estimate = calloc(dim, sizeof *estimate), *half_width = calloc(dim, sizeof *half_width);
    foray_status status = estimate && half_width ? foray_explorer_estimate(foray_run_explorer(run),
                                                                           estimate, half_width)
                                                 : FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        report_estimate(session, report, model, estimate, half_width);
    free(estimate);
    free(half_width);
    /* Not every algorithm has one; who asked for it was told before anything was printed. */
    return status == FORAY_ERROR_USAGE ? FORAY_OK : status;
}

/* --------------------------------------------------------------- plans and the trace */

static bool tell_plan(void *user, int64_t id, int64_t episodes, const char *reward_name,
                      const char *reward_json, const foray_policy *policy)
{
    cli_report *report = user;
    (void)reward_json;
    if (!report->json) {
        printf("  %4" PRId64 "  after %-12" PRId64 " ", id, episodes);
        cli_put(stdout, 24, reward_name);
        printf(" %-12s %-10.6g %s\n", foray_mode_name(policy->mode), policy->certificate.gap,
               cli_certainty(&policy->certificate));
        return true;
    }
    cli_report_open(report, NULL);
    cli_report_integer(report, "id", id);
    cli_report_integer(report, "episodes", episodes);
    cli_report_text(report, "reward", reward_name);
    cli_report_text(report, "mode", foray_mode_name(policy->mode));
    cli_report_certificate(report, "certificate", &policy->certificate);
    cli_report_close(report);
    return true;
}

static bool tell_trace(void *user, int64_t episodes, int64_t plans, double bound)
{
    cli_report *report = user;
    if (!report->json) {
        printf("  %14" PRId64 " %10" PRId64 " %12.6g\n", episodes, plans, bound);
        return true;
    }
    cli_report_open(report, NULL);
    cli_report_integer(report, "episodes", episodes);
    cli_report_integer(report, "plans", plans);
    cli_report_real(report, "bound", bound);
    cli_report_close(report);
    return true;
}

/* A list in JSON, a table under a heading as text. */
static void open_table(cli_report *report, const char *key, const char *heading)
{
    if (report->json)
        cli_report_open_list(report, key);
    else
        printf("\n%s\n%s", key, heading);
}

static void close_table(cli_report *report)
{
    if (report->json)
        cli_report_close(report);
}

static foray_status report_tables(cli_session *session, cli_report *report, foray_run *run,
                                  const foray_run_facts *facts)
{
    foray_status status = FORAY_OK;
    if (facts->plans_stored > 0 || report->json) {
        open_table(report, "plans", "");
        status = foray_run_plans(run, tell_plan, report);
        close_table(report);
    }
    if (status == FORAY_OK && cli_has(session, "trace")) {
        open_table(report, "trace", "        episodes      plans        bound\n");
        status = foray_run_trace(run, tell_trace, report);
        close_table(report);
    }
    return status;
}

/* ----------------------------------------------------------------------- the command */

static cli_exit tell(cli_session *session, foray_run *run)
{
    foray_run_facts facts;
    cli_report report;
    foray_status status = foray_run_describe(run, &facts);
    if (status == FORAY_OK && cli_has(session, "theta"))
        status = foray_explorer_estimate(foray_run_explorer(run), NULL, NULL);
    if (status != FORAY_OK)
        return cli_status(session, status);
    cli_report_begin(&report, session);
    report_run(&report, run, session->args.operand[0], &facts);
    status = report_settings(&report, session->ctx, foray_run_settings(run));
    report_explorer(&report, &facts.explorer);
    if (status == FORAY_OK)
        status = estimate_and_report(session, &report, run);
    if (status == FORAY_OK)
        status = report_tables(session, &report, run, &facts);
    if (status == FORAY_OK)
        return cli_report_end(&report, session);
    cli_report_drop(&report);
    return cli_status(session, status);
}

static cli_exit run(cli_session *session)
{
    foray_run *run = NULL;
    const char *path = session->args.operand[0];
    cli_exit code = cli_status(session, foray_run_open(session->ctx, path, FORAY_RUN_READ, &run));
    if (code == CLI_DONE)
        code = tell(session, run);
    foray_run_close(run);
    return code;
}

static const cli_option options[] = {
    {.name = "theta", .help = "every coordinate of the estimate, with its confidence interval"},
    {.name = "trace", .help = "how bound and plans went while exploring"},
    CLI_OPTION_JSON,
    CLI_OPTION_THREADS,
    {0},
};

const cli_command cli_info = {
    .name = "info",
    .summary = "print what a run file holds",
    .operands = "RUN",
    .least = 1,
    .most = 1,
    .words = CLI_WORDS_FILE,
    .description =
        "Prints where a run came from, its settings, its episodes and plans, the state of\n"
        "the explorer, and its estimate of theta (beside the truth where that is known).",
    .options = options,
    .exits = {CLI_BAD_INPUT, CLI_BAD_RUN},
    .examples = "foray explore inventory -k 1000 -o stock.foray\n"
                "foray plan stock.foray -r goal:2\n"
                "foray info stock.foray\n"
                "foray info stock.foray --theta --trace --json\n",
    .run = run,
};
