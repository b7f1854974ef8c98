/* info.c - foray info: what a run file holds. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "output.h"
#include "base/base.h"
#include "explore/explorer.h"
#include "run/run.h"

enum { SETTING_SIZE = 128 };

/* ---------------------------------------------------------------- the run itself */

static void output_run(cli_output *output, foray_run *run, const char *path,
                       const fy_run_facts *facts)
{
    const foray_model *model = foray_run_model(run);
    cli_output_text(output, "run", path);
    cli_output_text(output, "world", foray_run_world(run));
    const foray_reward *reward = fy_explorer_reward(foray_run_explorer(run));
    if (reward)
        cli_output_text(output, "explored_for", foray_reward_name(reward));
    cli_output_text(output, "version", facts->version);
    cli_output_text(output, "created", facts->created);
    cli_output_integer(output, "bytes", facts->bytes);
    cli_output_integer(output, "episodes", facts->episodes);
    cli_output_integer(output, "checkpoints", facts->checkpoints);
    cli_output_integer(output, "plans_stored", facts->plans_stored);
    cli_output_open(output, "model");
    cli_output_text(output, "name", foray_model_name(model));
    cli_output_integer(output, "states", foray_model_states(model));
    cli_output_reachable(output, model);
    cli_output_integer(output, "actions", foray_model_actions(model));
    cli_output_integer(output, "horizon", foray_model_horizon(model));
    cli_output_integer(output, "dim", foray_model_dim(model));
    cli_output_flag(output, "theta_known", foray_model_theta(model) != NULL);
    cli_output_close(output);
}

static void output_explorer(cli_output *output, const foray_explorer_facts *facts)
{
    cli_output_open(output, "explorer");
    cli_output_integer(output, "exploration_plans", facts->plans);
    cli_output_text(output, "inner", facts->inner);
    cli_output_real(output, "inner_ratio", facts->inner_ratio);
    cli_output_real(output, "log_det", facts->log_det);
    cli_output_integer(output, "refactored", facts->refactored);
    cli_output_real(output, "factor_error", facts->factor_error);
    cli_output_close(output);
}

/* Numbers as numbers, everything else as text. */
static void output_setting(cli_output *output, const char *name, const char *text)
{
    int64_t whole;
    double real;
    if (fy_integer_read(text, strlen(text), &whole))
        cli_output_integer(output, name, whole);
    else if (fy_number_read(text, strlen(text), &real))
        cli_output_real(output, name, real);
    else
        cli_output_text(output, name, text);
}

static foray_status output_settings(cli_output *output, foray_context *ctx,
                                    const foray_settings *settings)
{
    const foray_parameter *row;
    foray_status status = FORAY_OK;
    char text[SETTING_SIZE];
    cli_output_open(output, "settings");
    for (int64_t i = 0;
         status == FORAY_OK && (row = foray_setting_describe(settings->algorithm, i)); i++) {
        status = foray_settings_get(ctx, settings, row->name, text, sizeof text);
        if (status == FORAY_OK)
            output_setting(output, row->name, text);
    }
    cli_output_close(output);
    return status;
}

/* --------------------------------------------------------------------- the estimate */

/* The estimate beside the truth, where that is known. */
static void output_truth(cli_output *output, int64_t dim, const double *estimate,
                         const double *half_width, const double *truth)
{
    double worst = 0.0;
    int64_t inside = 0;
    for (int64_t i = 0; i < dim; i++) {
        double error = fabs(estimate[i] - truth[i]);
        worst = fmax(worst, error);
        inside += error <= half_width[i];
    }
    cli_output_real(output, "worst_error", worst);
    cli_output_integer(output, "intervals_with_truth", inside);
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

static void output_estimate(cli_session *session, cli_output *output, const foray_model *model,
                            const double *estimate, const double *half_width)
{
    int64_t dim = foray_model_dim(model);
    const double *truth = foray_model_theta(model);
    double widest = 0.0;
    for (int64_t i = 0; i < dim; i++)
        widest = fmax(widest, half_width[i]);
    cli_output_open(output, "theta");
    cli_output_integer(output, "coordinates", dim);
    cli_output_real(output, "widest_half_width", widest);
    if (truth)
        output_truth(output, dim, estimate, half_width, truth);
    if (cli_has(session, "theta") && session->json) {
        cli_output_reals(output, "estimate", dim, estimate);
        cli_output_reals(output, "half_width", dim, half_width);
        if (truth)
            cli_output_reals(output, "truth", dim, truth);
    } else if (cli_has(session, "theta")) {
        print_theta(dim, estimate, half_width, truth);
    }
    cli_output_close(output);
}

static cli_exit estimate_and_output(cli_session *session, cli_output *output, foray_run *run)
{
    const foray_model *model = foray_run_model(run);
    size_t room = (size_t)foray_model_dim(model) + 1; /* that of unstructured models is 0 */
    double *estimate = calloc(room, sizeof *estimate);
    double *half_width = calloc(room, sizeof *half_width);
    cli_exit code = CLI_DONE;
    if (estimate == NULL || half_width == NULL) {
        code = cli_fail(session, CLI_BAD_INPUT, "out of memory");
    } else {
        foray_status status =
            foray_explorer_estimate(foray_run_explorer(run), estimate, half_width);
        if (status == FORAY_OK)
            output_estimate(session, output, model, estimate, half_width);
        else if (status != FORAY_ERROR_USAGE)
            code = cli_status(session, status);
        /* else: not every algorithm has one; who asked for it was told before. */
    }
    free(estimate);
    free(half_width);
    return code;
}

/* --------------------------------------------------------------- plans and the trace */

/* The value and its interval, where they are known. */
static void print_value(const foray_policy *policy)
{
    char text[80] = "-";
    if (!isnan(policy->expected) && isnan(policy->low))
        snprintf(text, sizeof text, "%.6g", policy->expected);
    else if (!isnan(policy->expected))
        snprintf(text, sizeof text, "%.6g [%.6g, %.6g]", policy->expected, policy->low,
                 policy->high);
    printf(" %-28s", text);
}

static bool show_plan(void *user, int64_t id, int64_t episodes, const char *reward_name,
                      const char *reward_json, const foray_policy *policy)
{
    cli_output *output = user;
    (void)reward_json;
    if (!output->as_json) {
        printf("  %4" PRId64 "  after %-12" PRId64 " ", id, episodes);
        cli_put(stdout, 24, reward_name);
        print_value(policy);
        printf(" %-12s %-10.6g %s\n", foray_mode_name(policy->mode), policy->certificate.gap,
               cli_verdict(&policy->certificate));
        return true;
    }
    cli_output_open(output, NULL);
    cli_output_integer(output, "id", id);
    cli_output_integer(output, "episodes", episodes);
    cli_output_text(output, "reward", reward_name);
    cli_output_text(output, "mode", foray_mode_name(policy->mode));
    cli_output_open(output, "value");
    cli_output_real(output, "policy", policy->expected);
    cli_output_real(output, "low", policy->low);
    cli_output_real(output, "high", policy->high);
    for (int mode = 0; mode < FORAY_MODES; mode++)
        cli_output_real(output, foray_mode_name(mode), policy->value[mode]);
    cli_output_close(output);
    cli_output_certificate(output, "certificate", &policy->certificate);
    cli_output_close(output);
    return true;
}

static bool show_trace(void *user, int64_t episodes, int64_t plans, double bound)
{
    cli_output *output = user;
    if (!output->as_json) {
        printf("  %14" PRId64 " %10" PRId64 " %12.6g\n", episodes, plans, bound);
        return true;
    }
    cli_output_open(output, NULL);
    cli_output_integer(output, "episodes", episodes);
    cli_output_integer(output, "plans", plans);
    cli_output_real(output, "bound", bound);
    cli_output_close(output);
    return true;
}

/* A list in JSON, a table under a heading as text. */
static void open_table(cli_output *output, const char *key, const char *heading)
{
    if (output->as_json)
        cli_output_open_list(output, key);
    else
        printf("\n%s\n%s", key, heading);
}

static void close_table(cli_output *output)
{
    if (output->as_json)
        cli_output_close(output);
}

static foray_status output_tables(cli_session *session, cli_output *output, foray_run *run,
                                  const fy_run_facts *facts)
{
    foray_status status = FORAY_OK;
    if (facts->plans_stored > 0 || output->as_json) {
        open_table(output, "plans", "");
        status = foray_run_plans(run, show_plan, output);
        close_table(output);
    }
    if (status == FORAY_OK && cli_has(session, "trace")) {
        open_table(output, "trace", "        episodes      plans        bound\n");
        status = foray_run_trace(run, show_trace, output);
        close_table(output);
    }
    return status;
}

/* ----------------------------------------------------------------------- the command */

static cli_exit show_run(cli_session *session, foray_run *run)
{
    fy_run_facts facts;
    cli_output output;
    foray_status status = fy_run_describe(run, &facts);
    if (status == FORAY_OK && cli_has(session, "theta"))
        status = foray_explorer_estimate(foray_run_explorer(run), NULL, NULL);
    if (status != FORAY_OK)
        return cli_status(session, status);
    cli_output_begin(&output, session);
    output_run(&output, run, session->args.operand[0], &facts);
    status = output_settings(&output, session->ctx, foray_run_settings(run));
    output_explorer(&output, &facts.explorer);
    if (fy_run_trusted(run))
        cli_output_text(&output, "first_states", fy_run_trusted(run));
    cli_output_refutation(&output, run);
    cli_exit code = cli_status(session, status);
    if (code == CLI_DONE)
        code = estimate_and_output(session, &output, run);
    if (code == CLI_DONE)
        code = cli_status(session, output_tables(session, &output, run, &facts));
    return cli_output_end(&output, session, code);
}

static cli_exit run_info(cli_session *session)
{
    foray_run *run = NULL;
    const char *path = session->args.operand[0];
    cli_exit code = cli_status(session, foray_run_open(session->ctx, path, FORAY_RUN_READ, &run));
    if (code == CLI_DONE)
        code = show_run(session, run);
    foray_run_close(run);
    return code;
}

static const cli_option options[] = {
    CLI_SWITCH("theta", "every coordinate of the estimate, with its confidence interval"),
    CLI_SWITCH("trace", "how the bound and the number of plans changed while exploring"),
    CLI_OPTION_JSON,
    CLI_OPTION_THREADS,
    CLI_END,
};

const cli_command cli_info = {
    .name = "info",
    .group = CLI_GROUP_FIRST,
    .summary = "print what a run file contains",
    .operands = "RUN",
    .min = 1,
    .max = 1,
    .words = CLI_WORDS_FILE,
    .description =
        "Prints where a run came from, its settings, episodes and plans, the state of the\n"
        "explorer, and its estimate of theta (next to the truth, where that is known).",
    .options = options,
    .exits = {CLI_BAD_INPUT, CLI_BAD_RUN},
    .examples = "foray explore inventory -k 1000 -o stock.foray\n"
                "foray plan stock.foray -r goal:2\n"
                "foray info stock.foray\n"
                "foray info stock.foray --theta --trace --json\n",
    .run = run_info,
};
