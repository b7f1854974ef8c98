/* report.h - results as named values: a line of text each, or one JSON object. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <jansson.h>

#include "cli.h"

enum { CLI_REPORT_DEPTH = 8, CLI_NUMBER_SIZE = 40 };

/* As text, a value is printed when it is added; as JSON, all of them at the end. */
typedef struct cli_report {
    bool json, failed;
    int depth;
    json_t *open[CLI_REPORT_DEPTH]; /* objects and lists under way, outermost first */
} cli_report;

void cli_report_begin(cli_report *report, const cli_session *session);
/* Prints the JSON object. */
cli_exit cli_report_end(cli_report *report, const cli_session *session);
/* Instead of the end, where there is nothing to report after all. */
void cli_report_drop(cli_report *report);

/* Keys with '_' in JSON have spaces as text. Within a list the key is not used. */
void cli_report_text(cli_report *report, const char *key, const char *value);
void cli_report_integer(cli_report *report, const char *key, int64_t value);
void cli_report_flag(cli_report *report, const char *key, bool value);
/* A number that is not finite is null, or "unknown". */
void cli_report_real(cli_report *report, const char *key, double value);
/* JSON only: a list of numbers. */
void cli_report_reals(cli_report *report, const char *key, int64_t count, const double *value);
void cli_report_certificate(cli_report *report, const char *key,
                            const foray_certificate *certificate);

/* JSON only: a table of a directory, as a list of objects called after its headings. */
void cli_report_csv(cli_report *report, const char *key, const char *directory, const char *name);
/* JSON only: the lines of a text file of a directory. */
void cli_report_lines(cli_report *report, const char *key, const char *directory, const char *name);

/* A group of values; as text, under a heading. */
void cli_report_open(cli_report *report, const char *key);
/* A list. For JSON only: as text, lists are tables that the commands print themselves. */
void cli_report_open_list(cli_report *report, const char *key);
void cli_report_close(cli_report *report);

/* One value, in lines, on standard output. */
void cli_json_print(const json_t *value);

/* 1234567 as "1,234,567". */
const char *cli_grouped(int64_t value, char text[CLI_NUMBER_SIZE]);

#endif
