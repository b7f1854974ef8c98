/* output.c - prints named values as text or as JSON. */
#include "output.h"
#include "model/model.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

void cli_output_begin(cli_output *output, const cli_session *session)
{
    *output = (cli_output){
        .as_json = session->json, .writer = {.ctx = session->ctx}, .empty = session->json};
    if (!output->as_json)
        return;
    fy_print(&output->writer, "{");
    output->close[output->depth++] = '}';
}

void cli_output_fail(cli_output *output, const char *format, ...)
{
    va_list values;
    if (*output->problem)
        return;
    va_start(values, format);
    fy_vformat(output->problem, sizeof output->problem, format, values);
    va_end(values);
}

cli_exit cli_output_take(cli_output *output, const cli_session *session, cli_exit code, char **out)
{
    char *text;
    while (output->depth > 0)
        cli_output_close(output);
    foray_status status = fy_writer_take(&output->writer, "JSON", &text, NULL);
    if (code == CLI_DONE)
        code = *output->problem ? cli_fail(session, CLI_BAD_INPUT, "%s", output->problem)
                                : cli_status(session, status);
    if (code == CLI_DONE)
        *out = text;
    else if (status == FORAY_OK)
        free(text);
    return code;
}

/* The whole object at once, so that nothing is printed of one that cannot be completed. */
cli_exit cli_output_end(cli_output *output, const cli_session *session, cli_exit code)
{
    char *text;
    if (!output->as_json)
        return code;
    code = cli_output_take(output, session, code, &text);
    if (code != CLI_DONE)
        return code;
    printf("%s\n", text);
    free(text);
    return code;
}

/* ------------------------------------------------------------------------- JSON */

/* Bytes that are not UTF-8 become '?'. */
static void put_text(cli_output *output, const char *text)
{
    char *copy = strdup(text);
    if (!copy) {
        cli_output_fail(output, "out of memory");
        return;
    }
    for (char *c = copy, *next; *c; c = next) {
        int size;
        if (fy_character(c, &size) < 0)
            *c = '?';
        next = c + size;
    }
    fy_json_put_text(&output->writer, copy);
    free(copy);
}

/* Goes to where the next item of the innermost object or list belongs. */
static fy_writer *begin_item(cli_output *output, const char *key)
{
    fy_writer *writer = &output->writer;
    fy_print(writer, "%s\n%*s", output->empty ? "" : ",", 2 * output->depth, "");
    if (key && output->close[output->depth - 1] == '}') {
        put_text(output, key);
        fy_print(writer, ": ");
    }
    output->empty = false;
    return writer;
}

static void open_container(cli_output *output, const char *key, char open, char close)
{
    fy_print(begin_item(output, key), "%c", open);
    assert(output->depth < CLI_OUTPUT_DEPTH);
    output->close[output->depth++] = close;
    output->empty = true;
}

static void close_container(cli_output *output)
{
    output->depth--;
    if (!output->empty)
        fy_print(&output->writer, "\n%*s", 2 * output->depth, "");
    fy_print(&output->writer, "%c", output->close[output->depth]);
    output->empty = false;
}

/* In as few digits as read back the same; null where it is not finite. */
static void put_real(cli_output *output, const char *key, double value)
{
    fy_writer *writer = begin_item(output, key);
    if (isfinite(value))
        fy_document_put_real(writer, value);
    else
        fy_print(writer, "null");
}

/* ----------------------------------------------------------------------- values */

static void print_line(const cli_output *output, const char *key, const char *value)
{
    char label[64];
    snprintf(label, sizeof label, "%s", key);
    for (char *c = label; *c; c++)
        if (*c == '_')
            *c = ' ';
    printf("%*s%-*s ", 2 * output->depth, "", 24 - 2 * output->depth, label);
    cli_put(stdout, 0, value);
    printf("\n");
}

void cli_output_text(cli_output *output, const char *key, const char *value)
{
    if (!output->as_json) {
        print_line(output, key, value ? value : "unknown");
        return;
    }
    begin_item(output, key);
    if (value)
        put_text(output, value);
    else
        fy_print(&output->writer, "null");
}

void cli_output_integer(cli_output *output, const char *key, int64_t value)
{
    if (output->as_json) {
        fy_print(begin_item(output, key), "%" PRId64, value);
    } else {
        char text[CLI_NUMBER_SIZE];
        print_line(output, key, cli_grouped(value, text));
    }
}

void cli_output_reachable(cli_output *output, const foray_model *model)
{
    foray_context *ctx = foray_context_create();
    int64_t count = ctx && !model->unstructured ? fy_model_count_reachable(ctx, model) : -1;
    if (count >= 0 && (output->as_json || count < model->states))
        cli_output_integer(output, "reachable", count);
    foray_context_destroy(ctx);
}

void cli_output_flag(cli_output *output, const char *key, bool value)
{
    if (output->as_json)
        fy_print(begin_item(output, key), "%s", value ? "true" : "false");
    else
        print_line(output, key, value ? "yes" : "no");
}

void cli_output_real(cli_output *output, const char *key, double value)
{
    char text[CLI_NUMBER_SIZE];
    snprintf(text, sizeof text, "%.6g", value);
    if (output->as_json)
        put_real(output, key, value);
    else
        print_line(output, key, isfinite(value) ? text : "unknown");
}

void cli_output_reals(cli_output *output, const char *key, int64_t count, const double *value)
{
    if (!output->as_json)
        return;
    open_container(output, key, '[', ']');
    for (int64_t i = 0; i < count; i++)
        put_real(output, NULL, value[i]);
    close_container(output);
}

enum { SENTENCE_SIZE = 512 };

void cli_output_refutation(cli_output *output, foray_run *run)
{
    foray_refutation found;
    char sentence[SENTENCE_SIZE];
    if (foray_explorer_refutation(foray_run_explorer(run), &found) != FORAY_OK ||
        (!output->as_json && !found.refuted))
        return;
    foray_refutation_print(foray_run_model(run), &found, sentence, sizeof sentence);
    if (!output->as_json) {
        print_line(output, "refuted", sentence);
        return;
    }
    cli_output_open(output, "refutation");
    cli_output_flag(output, "refuted", found.refuted);
    cli_output_text(output, "sentence", sentence);
    if (found.refuted)
        cli_output_integer(output, "episodes", found.episodes);
    cli_output_real(output, "evidence", found.evidence);
    cli_output_real(output, "limit", found.limit);
    if (found.half_width > 0) {
        cli_output_real(output, "estimate", found.estimate);
        cli_output_real(output, "half_width", found.half_width);
    }
    cli_output_close(output);
}

/* Estimated features leave an error that no law of the model knows. */
void cli_print_known(const cli_session *session, const foray_model *model, const char *before)
{
    if (session->json || foray_model_unknowns(model) != 0 || model->feature_error > 0)
        return;
    printf("%snothing is unknown, so there is nothing to explore%s\n", before,
           foray_model_theta(model) ? ": 'foray plan MODEL' needs no run" : "");
}

void cli_print_refutation(foray_run *run, const char *before)
{
    foray_refutation found;
    char sentence[SENTENCE_SIZE];
    if (foray_explorer_refutation(foray_run_explorer(run), &found) != FORAY_OK || !found.refuted)
        return;
    foray_refutation_print(foray_run_model(run), &found, sentence, sizeof sentence);
    printf("%s%s\n", before, sentence);
}

bool cli_proved(const foray_certificate *certificate)
{
    return certificate->status == FORAY_CERTIFIED || certificate->status == FORAY_EXACT;
}

cli_exit cli_require_unproved(cli_session *session, const foray_certificate *certificate)
{
    return cli_fail(session, CLI_NOT_MET, "--require %s: nothing is proved (%s: %s)",
                    cli_value(session, "require"), foray_certificate_status(certificate),
                    foray_certificate_because(certificate));
}

const char *cli_verdict(const foray_certificate *certificate)
{
    return certificate->optimal == FORAY_OPTIMAL_PROVED ? "optimal"
           : certificate->optimal == FORAY_OPTIMAL_ROUNDING
               ? "rounding"
               : foray_certificate_verdict(certificate);
}

void cli_output_certificate(cli_output *output, const char *key,
                            const foray_certificate *certificate)
{
    cli_output_explained(output, key, certificate, NULL, 0);
}

void cli_output_explained(cli_output *output, const char *key, const foray_certificate *certificate,
                          const foray_doubt *doubt, int64_t max)
{
    cli_output_open(output, key);
    cli_output_real(output, "gap", certificate->gap);
    cli_output_real(output, "delta", certificate->delta);
    cli_output_text(output, "radius", foray_radius_name(certificate->radius));
    cli_output_text(output, "bound", foray_bound_name(certificate->bound));
    cli_output_text(output, "status", foray_certificate_status(certificate));
    cli_output_text(output, "because", foray_certificate_because(certificate));
    cli_output_text(output, "optimal", foray_certificate_optimal(certificate));
    cli_output_flag(output, "vacuous", certificate->vacuous);
    if (doubt && max > 0)
        cli_doubt_output(output, doubt, max);
    cli_output_close(output);
}

/* ----------------------------------------------------------------------- groups */

void cli_output_open(cli_output *output, const char *key)
{
    if (output->as_json) {
        open_container(output, key, '{', '}');
        return;
    }
    printf("%s%*s%s\n", output->depth ? "" : "\n", 2 * output->depth, "", key);
    output->depth++;
}

void cli_output_open_list(cli_output *output, const char *key)
{
    open_container(output, key, '[', ']');
}

void cli_output_close(cli_output *output)
{
    if (output->as_json)
        close_container(output);
    else
        output->depth--;
}

const char *cli_grouped(int64_t value, char text[CLI_NUMBER_SIZE])
{
    char digits[CLI_NUMBER_SIZE];
    int length = snprintf(digits, sizeof digits, "%" PRId64, value), out = 0;
    for (int i = 0; i < length; i++) {
        bool comma = i > 0 && (length - i) % 3 == 0 && digits[i - 1] != '-';
        if (comma)
            text[out++] = ',';
        text[out++] = digits[i];
    }
    text[out] = 0;
    return text;
}

const char *cli_pair_name(const foray_model *model, int64_t state, int64_t action, char *text,
                          size_t size)
{
    const char *where = foray_model_state_name(model, state);
    const char *what = foray_model_action_name(model, action);
    if (where && what)
        snprintf(text, size, "%s (%" PRId64 "), %s (%" PRId64 ")", where, state, what, action);
    else if (where)
        snprintf(text, size, "%s (%" PRId64 "), %" PRId64, where, state, action);
    else if (what)
        snprintf(text, size, "%" PRId64 ", %s (%" PRId64 ")", state, what, action);
    else
        snprintf(text, size, "(s=%" PRId64 ", a=%" PRId64 ")", state, action);
    return text;
}
