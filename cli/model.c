/* model.c - foray model check, foray model convert. */
#include "output.h"
#include "model/model.h"

/* ----------------------------------------------------------------- model check */

static void output_sizes(cli_output *output, const foray_model *model)
{
    cli_output_text(output, "name", foray_model_name(model));
    cli_output_integer(output, "states", foray_model_states(model));
    cli_output_reachable(output, model);
    cli_output_integer(output, "actions", foray_model_actions(model));
    cli_output_integer(output, "horizon", foray_model_horizon(model));
    cli_output_integer(output, "dim", foray_model_dim(model));
    cli_output_real(output, "norm_bound", model->norm_bound);
    if (model->feature_error > 0)
        cli_output_real(output, "feature_error", model->feature_error);
    if (model->feature_delta > 0)
        cli_output_real(output, "feature_delta", model->feature_delta);
    cli_output_flag(output, "theta_known", foray_model_theta(model) != NULL);
    if (model->pair_dim > 0)
        cli_output_integer(output, "pair_dim", model->pair_dim);
}

static void output_facts(cli_output *output, const foray_model_facts *facts)
{
    cli_output_integer(output, "pairs", facts->pairs);
    cli_output_integer(output, "transitions", facts->transitions);
    cli_output_integer(output, "max_successors", facts->max_successors);
    cli_output_integer(output, "features", facts->features);
    cli_output_integer(output, "generator_sets", facts->generator_sets);
    cli_output_integer(output, "blocks", facts->blocks);
    cli_output_integer(output, "unknowns", facts->unknowns);
    cli_output_integer(output, "largest_block", facts->largest_block);
    if (facts->vertices >= 0)
        cli_output_integer(output, "vertices", facts->vertices);
    else
        cli_output_text(output, "vertices", output->as_json ? NULL : "too many to list");
    cli_output_integer(output, "bytes", facts->bytes);
    cli_output_real(output, "psi_norm", facts->psi_norm);
    cli_output_flag(output, "psi_norm_exact", facts->psi_norm_exact);
    cli_output_integer(output, "psi_norm_state", facts->psi_norm_state);
    cli_output_integer(output, "psi_norm_action", facts->psi_norm_action);
    cli_output_real(output, "theta_norm", facts->theta_norm);
    cli_output_real(output, "worst_sum", facts->worst_sum);
    cli_output_real(output, "min_probability", facts->min_probability);
}

/* A model that was read and is not valid is an answer (1), not an error. */
static cli_exit output_verdict(cli_session *session, cli_output *output, const foray_model *model,
                               foray_status status)
{
    bool valid = status == FORAY_OK;
    cli_output_flag(output, "valid", valid);
    if (valid)
        cli_print_known(session, model, "");
    else
        cli_output_text(output, "problem", foray_message(session->ctx));
    cli_exit code = cli_output_end(output, session, CLI_DONE);
    if (code == CLI_DONE && !valid)
        code = cli_fail(session, CLI_NOT_MET, "%s: not valid: %s", session->args.operand[0],
                        foray_message(session->ctx));
    return code;
}

static cli_exit run_check(cli_session *session)
{
    foray_model *model = NULL;
    foray_model_facts facts = {0};
    cli_output output;
    cli_exit code = cli_model_open(session, session->args.operand[0], &model);
    if (code != CLI_DONE)
        return code;
    foray_status status = foray_model_check(session->ctx, model, &facts);
    if (status == FORAY_OK || status == FORAY_ERROR_INPUT) {
        cli_output_begin(&output, session);
        output_sizes(&output, model);
        output_facts(&output, &facts);
        code = output_verdict(session, &output, model, status);
    } else {
        code = cli_status(session, status);
    }
    foray_model_destroy(model);
    return code;
}

static const cli_option check_options[] = {CLI_OPTION_JSON, CLI_OPTION_THREADS, CLI_END};

const cli_command cli_model_check = {
    .name = "model check",
    .group = CLI_GROUP_CARRY,
    .summary = "check a model and print its sizes, norms and memory",
    .operands = "MODEL|WORLD",
    .min = 1,
    .max = 1,
    .words = CLI_WORDS_WORLD,
    .description =
        "Reads a model and checks that it is valid: that its theta (if known) gives\n"
        "probability vectors, that some theta makes all probabilities sum to one, and both\n"
        "norm bounds. Prints dim (d), max successors (n), what remains unknown after\n"
        "centring, vertex counts, norms and memory in bytes. Exit code 3: the file is not a\n"
        "model; 1: it is a model, but not a valid one.",
    .options = check_options,
    .exits = {CLI_NOT_MET, CLI_BAD_INPUT},
    .examples = "foray world export riverswim -o m.json\n"
                "foray model check m.json\n"
                "foray model check rooms:rows=2,cols=2 --json\n",
    .run = run_check,
};

/* --------------------------------------------------------------- model convert */

static cli_exit run_convert(cli_session *session)
{
    const char *const *path = session->args.operand;
    foray_model *model = NULL;
    foray_model_format format;
    cli_exit code = cli_model_format(session, path[1], &format);
    if (code == CLI_DONE)
        code = cli_destination_check(session, path[1]);
    if (code == CLI_DONE)
        code = cli_status(session, foray_model_load(session->ctx, path[0], &model));
    if (code == CLI_DONE)
        code = cli_model_write(session, model, format, path[1]);
    foray_model_destroy(model);
    return code;
}

static const cli_option convert_options[] = {CLI_OPTION_TO, CLI_OPTION_FORCE, CLI_END};

const cli_command cli_model_convert = {
    .name = "model convert",
    .group = CLI_GROUP_CARRY,
    .summary = "convert a model between the JSON and the compact format",
    .operands = "FROM TO",
    .min = 2,
    .max = 2,
    .words = CLI_WORDS_FILE,
    .description =
        "Reads a model in either format, recognised by its content, and writes it in the\n"
        "other, or in the same one. Nothing is lost: numbers are preserved bit for bit.\n"
        "If TO is -, the model goes to standard output.",
    .options = convert_options,
    .answers = true,
    .exits = {CLI_BAD_INPUT},
    .examples = "foray world export grid -o grid.json\n"
                "foray model convert grid.json grid.compact\n"
                "foray model convert grid.compact again.json\n"
                "cmp grid.json again.json\n",
    .run = run_convert,
};
