/* output.c - prints named values as text or as JSON. */
#include "output.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cli_output_begin(cli_output *output, const cli_session *session)
{
    *output = (cli_output){.json = session->json};
    if (output->json) {
        output->open[0] = json_object();
        output->failed = !output->open[0];
        output->depth = 1;
    }
}

cli_exit cli_output_end(cli_output *output, const cli_session *session)
{
    if (!output->json)
        return CLI_DONE;
    bool failed = output->failed;
    if (!failed)
        cli_json_print(output->open[0]);
    cli_output_drop(output);
    return failed ? cli_fail(session, CLI_BAD_INPUT, "out of memory") : CLI_DONE;
}

void cli_output_drop(cli_output *output)
{
    json_decref(output->open[0]);
    *output = (cli_output){0};
}

/* Adds a value to the innermost open object or list, and takes it over. */
static void attach(cli_output *output, const char *key, json_t *value)
{
    json_t *to = output->depth ? output->open[output->depth - 1] : NULL;
    int bad =
        json_is_array(to) ? json_array_append_new(to, value) : json_object_set_new(to, key, value);
    output->failed |= bad != 0;
}

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

/* File names need not be UTF-8, JSON must be. */
static json_t *json_of_text(const char *value)
{
    json_t *text = json_string(value);
    char *plain = text ? NULL : strdup(value);
    if (plain) {
        for (char *c = plain; *c; c++)
            if ((unsigned char)*c >= 0x80)
                *c = '?';
        text = json_string(plain);
        free(plain);
    }
    return text;
}

void cli_output_text(cli_output *output, const char *key, const char *value)
{
    if (output->json)
        attach(output, key, value ? json_of_text(value) : json_null());
    else
        print_line(output, key, value ? value : "unknown");
}

void cli_output_integer(cli_output *output, const char *key, int64_t value)
{
    if (output->json) {
        attach(output, key, json_integer(value));
        return;
    }
    char text[CLI_NUMBER_SIZE];
    print_line(output, key, cli_grouped(value, text));
}

void cli_output_flag(cli_output *output, const char *key, bool value)
{
    if (output->json)
        attach(output, key, json_boolean(value));
    else
        print_line(output, key, value ? "yes" : "no");
}

static json_t *json_of_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

void cli_output_real(cli_output *output, const char *key, double value)
{
    if (output->json) {
        attach(output, key, json_of_real(value));
        return;
    }
    char text[CLI_NUMBER_SIZE];
    snprintf(text, sizeof text, "%.6g", value);
    print_line(output, key, isfinite(value) ? text : "unknown");
}

void cli_output_reals(cli_output *output, const char *key, int64_t count, const double *value)
{
    if (!output->json)
        return;
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++)
        output->failed |= json_array_append_new(list, json_of_real(value[i])) != 0;
    attach(output, key, list);
}

void cli_output_certificate(cli_output *output, const char *key,
                            const foray_certificate *certificate)
{
    cli_output_open(output, key);
    cli_output_real(output, "gap", certificate->gap);
    cli_output_real(output, "delta", certificate->delta);
    cli_output_text(output, "radius", foray_radius_name(certificate->radius));
    cli_output_text(output, "status", foray_certificate_status(certificate));
    cli_output_close(output);
}

static void open_container(cli_output *output, const char *key, json_t *container)
{
    attach(output, key, container);
    assert(output->depth < CLI_OUTPUT_DEPTH);
    output->open[output->depth++] = container;
}

void cli_output_open(cli_output *output, const char *key)
{
    if (output->json) {
        open_container(output, key, json_object());
        return;
    }
    printf("%s%*s%s\n", output->depth ? "" : "\n", 2 * output->depth, "", key);
    output->depth++;
}

void cli_output_open_list(cli_output *output, const char *key)
{
    open_container(output, key, json_array());
}

void cli_output_close(cli_output *output)
{
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
