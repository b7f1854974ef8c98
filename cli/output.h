/* output.h - results as named values: a line of text each, or one JSON object.
 *
 * As text, a value is printed when it is added; as JSON, all of them at the end. The first
 * failure on the way is remembered: the calls between begin and end need no checks. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "cli.h"
#include "base/base.h"

enum { CLI_NUMBER_SIZE = 40, CLI_OUTPUT_DEPTH = 8 };

typedef struct cli_output {
    bool as_json;
    int depth;        /* groups and lists that are open; of JSON, the object among them */
    fy_writer writer; /* JSON: so far */
    char close[CLI_OUTPUT_DEPTH]; /* what ends each of them */
    bool empty;                   /* the innermost has no items yet */
    char problem[256];            /* the first failure; "": none */
} cli_output;

void cli_output_begin(cli_output *output, const cli_session *session);
/* Makes this the failure, if it is the first one. */
void cli_output_fail(cli_output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Prints the JSON object. `code`: how the command went on the way; if it went wrong, nothing
 * is printed here. */
cli_exit cli_output_end(cli_output *output, const cli_session *session, cli_exit code);

/* JSON only: closes what is open, and gives the object as text, to be released with free(), in the
 * place of cli_output_end. */
cli_exit cli_output_take(cli_output *output, const cli_session *session, cli_exit code, char **out);

/* Keys with '_' in JSON have spaces as text. Within a list the key is not used. NULL is null, or
 * "unknown". */
void cli_output_text(cli_output *output, const char *key, const char *value);
void cli_output_integer(cli_output *output, const char *key, int64_t value);
/* How many of its states episodes get to: in words only where those are not all. */
void cli_output_reachable(cli_output *output, const foray_model *model);
void cli_output_flag(cli_output *output, const char *key, bool value);
/* A number that is not finite is null, or "unknown". */
void cli_output_real(cli_output *output, const char *key, double value);
/* JSON only: a list of numbers. */
void cli_output_reals(cli_output *output, const char *key, int64_t count, const double *value);
/* Whether the data of a run refute its model, when that was noticed, and by how much: an object in
 * JSON, a line only where they do. */
void cli_output_refutation(cli_output *output, foray_run *run);
/* That line alone, behind `before`. */
void cli_print_refutation(foray_run *run, const char *before);
/* Where a model leaves nothing to be learnt, says so in one line behind `before`, as text. */
void cli_print_known(const cli_session *session, const foray_model *model, const char *before);
/* Certified or exact; --require takes nothing less, and says so. */
bool cli_proved(const foray_certificate *certificate);
cli_exit cli_require_unproved(cli_session *session, const foray_certificate *certificate);
/* What it amounts to, in one word: "optimal" (proved), "rounding", "vacuous", or its status. */
const char *cli_verdict(const foray_certificate *certificate);
void cli_output_certificate(cli_output *output, const char *key,
                            const foray_certificate *certificate);
/* The same with its reasons, at most so many; doubt may be NULL. */
void cli_output_explained(cli_output *output, const char *key, const foray_certificate *certificate,
                          const foray_doubt *doubt, int64_t max);

/* Why a certificate is not 0 (doubt.c). How many reasons to show; finding them (*out is NULL where
 * there are none); as text; as JSON. */
int64_t cli_doubt_count(const cli_session *session, int64_t rewards);
cli_exit cli_doubt_find(cli_session *session, foray_run *run, const foray_reward *reward,
                        const foray_policy *policy, foray_doubt **out);
void cli_doubt_print(const cli_session *session, const foray_model *model, const char *reward,
                     const foray_policy *policy, const foray_doubt *doubt, int64_t max);
/* One law, as a line. */
void cli_doubt_print_law(const foray_model *model, const foray_doubt_law *law);
void cli_doubt_output(cli_output *output, const foray_doubt *doubt, int64_t max);

/* A group of values; as text, under a heading. */
void cli_output_open(cli_output *output, const char *key);
/* A list. For JSON only: as text, lists are tables that the commands print themselves. */
void cli_output_open_list(cli_output *output, const char *key);
void cli_output_close(cli_output *output);

/* 1234567 as "1,234,567". */
const char *cli_grouped(int64_t value, char text[CLI_NUMBER_SIZE]);

/* A state and an action: "(s=8, a=0)", or with names "cellar (8), left (0)". */
const char *cli_pair_name(const foray_model *model, int64_t state, int64_t action, char *text,
                          size_t size);

#endif
