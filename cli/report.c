/* report.c - prints named values as text or as JSON. */
#include "report.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cli_report_begin(cli_report *report, const cli_session *session)
{
    *report = (cli_report){.json = session->json};
    if (report->json) {
        report->open[0] = json_object();
        report->failed = !report->open[0];
        report->depth = 1;
    }
}

cli_exit cli_report_end(cli_report *report, const cli_session *session)
{
    if (!report->json)
        return CLI_DONE;
    bool failed = report->failed;
    if (!failed)
        cli_json_print(report->open[0]);
    cli_report_drop(report);
    return failed ? cli_fail(session, CLI_BAD_INPUT, "out of memory") : CLI_DONE;
}

void cli_report_drop(cli_report *report)
{
    json_decref(report->open[0]);
    *report = (cli_report){0};
}

/* Puts a value where the report is; takes it over. */
static void attach(cli_report *report, const char *key, json_t *value)
{
    json_t *to = report->depth ? report->open[report->depth - 1] : NULL;
    int bad =
        json_is_array(to) ? json_array_append_new(to, value) : json_object_set_new(to, key, value);
    report->failed |= bad != 0;
}

static void print_line(const cli_report *report, const char *key, const char *value)
{
    char label[64];
    snprintf(label, sizeof label, "%s", key);
    for (char *c = label; *c; c++)
        if (*c == '_')
            *c = ' ';
    printf("%*s%-*s ", 2 * report->depth, "", 24 - 2 * report->depth, label);
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

void cli_report_text(cli_report *report, const char *key, const char *value)
{
    if (report->json)
        attach(report, key, value ? json_of_text(value) : json_null());
    else
        print_line(report, key, value ? value : "unknown");
}

void cli_report_integer(cli_report *report, const char *key, int64_t value)
{
    if (report->json) {
        attach(report, key, json_integer(value));
        return;
    }
    char text[CLI_NUMBER_SIZE];
    print_line(report, key, cli_grouped(value, text));
}

void cli_report_flag(cli_report *report, const char *key, bool value)
{
    if (report->json)
        attach(report, key, json_boolean(value));
    else
        print_line(report, key, value ? "yes" : "no");
}

static json_t *json_of_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

void cli_report_real(cli_report *report, const char *key, double value)
{
    if (report->json) {
        attach(report, key, json_of_real(value));
        return;
    }
    char text[CLI_NUMBER_SIZE];
    snprintf(text, sizeof text, "%.6g", value);
    print_line(report, key, isfinite(value) ? text : "unknown");
}

void cli_report_reals(cli_report *report, const char *key, int64_t count, const double *value)
{
    if (!report->json)
        return;
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++)
        report->failed |= json_array_append_new(list, json_of_real(value[i])) != 0;
    attach(report, key, list);
}

void cli_report_certificate(cli_report *report, const char *key,
                            const foray_certificate *certificate)
{
    cli_report_open(report, key);
    cli_report_real(report, "gap", certificate->gap);
    cli_report_real(report, "delta", certificate->delta);
    cli_report_text(report, "radius", foray_radius_name(certificate->radius));
    cli_report_text(report, "status", cli_certainty(certificate));
    cli_report_close(report);
}

static void open_container(cli_report *report, const char *key, json_t *container)
{
    attach(report, key, container);
    assert(report->depth < CLI_REPORT_DEPTH);
    report->open[report->depth++] = container;
}

void cli_report_open(cli_report *report, const char *key)
{
    if (report->json) {
        open_container(report, key, json_object());
        return;
    }
    printf("%s%*s%s\n", report->depth ? "" : "\n", 2 * report->depth, "", key);
    report->depth++;
}

void cli_report_open_list(cli_report *report, const char *key)
{
    open_container(report, key, json_array());
}

void cli_report_close(cli_report *report)
{
    report->depth--;
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
