/* output.h - results as named values: a line of text each, or one JSON object. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <jansson.h>

#include "cli.h"

enum { CLI_OUTPUT_DEPTH = 8, CLI_NUMBER_SIZE = 40 };

/* As text, a value is printed when it is added; as JSON, all of them at the end. */
typedef struct cli_output {
    bool json, failed;
    int depth;
    json_t *open[CLI_OUTPUT_DEPTH]; /* objects and lists under way, outermost first */
} cli_output;

void cli_output_begin(cli_output *output, const cli_session *session);
/* Prints the JSON object. */
cli_exit cli_output_end(cli_output *output, const cli_session *session);
/* Instead of the end, where there is nothing to print after all. */
void cli_output_drop(cli_output *output);

/* Keys with '_' in JSON have spaces as text. Within a list the key is not used. */
void cli_output_text(cli_output *output, const char *key, const char *value);
void cli_output_integer(cli_output *output, const char *key, int64_t value);
void cli_output_flag(cli_output *output, const char *key, bool value);
/* A number that is not finite is null, or "unknown". */
void cli_output_real(cli_output *output, const char *key, double value);
/* JSON only: a list of numbers. */
void cli_output_reals(cli_output *output, const char *key, int64_t count, const double *value);
void cli_output_certificate(cli_output *output, const char *key,
                            const foray_certificate *certificate);

/* JSON only: a table of a directory, as a list of objects called after its headings. */
void cli_output_csv(cli_output *output, const char *key, const char *directory, const char *name);
/* JSON only: the lines of a text file of a directory. */
void cli_output_lines(cli_output *output, const char *key, const char *directory, const char *name);

/* A group of values; as text, under a heading. */
void cli_output_open(cli_output *output, const char *key);
/* A list. For JSON only: as text, lists are tables that the commands print themselves. */
void cli_output_open_list(cli_output *output, const char *key);
void cli_output_close(cli_output *output);

/* One value, in lines, on standard output. */
void cli_json_print(const json_t *value);

/* 1234567 as "1,234,567". */
const char *cli_grouped(int64_t value, char text[CLI_NUMBER_SIZE]);

#endif
