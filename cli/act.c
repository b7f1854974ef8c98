/* act.c - foray act: a policy in use, a state a line in, an action a line out. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "base/base.h"
#include "aggregate/clusters.h"
#include "policy/policy.h"

/* A name and what it is the name of. */
typedef struct named {
    const char *name;
    int64_t state;
} named;

typedef struct acting {
    cli_session *session;
    foray_policy *policy;
    int64_t states;           /* of the model */
    foray_clusters *clusters; /* NULL: states come by number or name */
    int64_t dimensions;       /* of a vector, with clusters */
    double *vector;           /* [dimensions] */
    named *names;             /* [count] sorted */
    int64_t count;
    bool numbers; /* actions are answered by number */
    int64_t step, line;
    int64_t memory;  /* of what has happened, where the policy has one */
    foray_draw draw; /* of policies that draw: the seed and the episode */
} acting;

/* ------------------------------------------------------------------------ opening */

static int compare_names(const void *one, const void *other)
{
    const named *a = one, *b = other;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->state > b->state) - (a->state < b->state);
}

static cli_exit sort_names(acting *a)
{
    char *const *name = a->policy->about ? a->policy->about->state_name : NULL;
    if (!name)
        return CLI_DONE;
    a->names = calloc((size_t)a->states, sizeof *a->names);
    if (!a->names)
        return cli_fail(a->session, CLI_BAD_INPUT, "out of memory");
    for (int64_t s = 0; s < a->states; s++)
        if (name[s])
            a->names[a->count++] = (named){name[s], s};
    qsort(a->names, (size_t)a->count, sizeof *a->names, compare_names);
    return CLI_DONE;
}

static cli_exit open_policy(acting *a, const char *path)
{
    cli_session *session = a->session;
    cli_exit code = cli_status(session, foray_policy_load(session->ctx, path, &a->policy));
    if (code != CLI_DONE)
        return code;
    const foray_policy_about *about = a->policy->about;
    a->states = fy_policy_model_states(a->policy);
    if (!about || !about->clusters)
        return sort_names(a);
    a->dimensions = about->clusters->dimensions;
    a->vector = calloc((size_t)a->dimensions, sizeof *a->vector);
    if (!a->vector)
        return cli_fail(session, CLI_BAD_INPUT, "out of memory");
    return cli_status(session, fy_policy_clusters_open(session->ctx, a->policy, &a->clusters));
}

/* ------------------------------------------------------------------------- reading */

static cli_exit refuse(const acting *a, const char *why)
{
    return cli_fail(a->session, CLI_BAD_INPUT, "line %" PRId64 ": %s", a->line, why);
}

static bool read_number(const acting *a, const char *text, int64_t *out)
{
    return fy_integer_read(text, strlen(text), out) && *out >= 0 && *out < a->states;
}

/* Digits alone are a number; what else reads as one ("7.0") is one unless it is a name. */
static cli_exit find_state(const acting *a, const char *text, int64_t *out)
{
    char why[128];
    if (!text[strspn(text, "0123456789")] && read_number(a, text, out))
        return CLI_DONE;
    int64_t low = 0, high = a->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (strcmp(a->names[middle].name, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low + 1 < a->count && strcmp(a->names[low + 1].name, text) == 0)
        return refuse(a, "more than one state has this name: give a number");
    if (low < a->count && strcmp(a->names[low].name, text) == 0) {
        *out = a->names[low].state;
        return CLI_DONE;
    }
    if (read_number(a, text, out))
        return CLI_DONE;
    snprintf(why, sizeof why, "a state is expected: a number below %" PRId64 "%s", a->states,
             a->count > 0 ? ", or a name" : "");
    return refuse(a, why);
}

/* Numbers with spaces, tabs or commas between them. */
static cli_exit read_vector(const acting *a, char *text)
{
    char why[128], *rest = NULL;
    int64_t found = 0;
    for (char *word = strtok_r(text, " \t,", &rest); word; word = strtok_r(NULL, " \t,", &rest)) {
        double value;
        if (!fy_number_read(word, strlen(word), &value))
            found = a->dimensions;
        else if (found < a->dimensions)
            a->vector[found] = value;
        found++;
    }
    if (found == a->dimensions)
        return CLI_DONE;
    snprintf(why, sizeof why, "%" PRId64 " finite number%s expected", a->dimensions,
             a->dimensions == 1 ? " is" : "s are");
    return refuse(a, why);
}

/* ------------------------------------------------------------------------ answering */

static cli_exit answer(acting *a, char *text)
{
    const foray_policy *policy = a->policy;
    int64_t state = 0, action;
    if (a->step == policy->horizon) {
        char why[96];
        snprintf(why, sizeof why,
                 "the episode has %" PRId64 " steps; an empty line begins the next",
                 policy->horizon);
        return refuse(a, why);
    }
    cli_exit code = a->clusters ? read_vector(a, text) : find_state(a, text, &state);
    if (code != CLI_DONE)
        return code;
    a->draw.step = (uint32_t)a->step;
    int64_t place = a->clusters ? 0 : foray_policy_read(policy, &a->memory, state);
    action = a->clusters ? fy_policy_draw_in(policy, a->clusters, &a->draw, a->vector)
                         : foray_policy_draw(policy, &a->draw, place);
    if (action < 0) {
        char why[128];
        snprintf(why, sizeof why,
                 "state %" PRId64 " is unreachable: no episode of the model can be there%s", state,
                 policy->memory ? " after what has happened" : "");
        return refuse(a, why);
    }
    const char *name = !a->numbers && policy->about && policy->about->action_name
                           ? policy->about->action_name[action]
                           : NULL;
    if (name)
        cli_put(stdout, 0, name);
    else
        printf("%" PRId64, action);
    printf("\n");
    a->step++;
    (void)fflush(stdout); /* main.c says what became of it */
    return CLI_DONE;
}

/* Without what is around it: spaces, and the end of the line. */
static char *trimmed(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]))
        text[--length] = 0;
    return text;
}

/* Where nothing was asked since the last one, this is still the same episode. */
static void next_episode(acting *a)
{
    a->draw.episode += a->step > 0;
    a->step = a->memory = 0;
}

/* What is drawn is said once, where people look. */
static void say_what_is_drawn(const acting *a)
{
    const foray_policy *policy = a->policy;
    const char *path = a->session->args.operand[0];
    if (policy->odds)
        cli_fail(a->session, CLI_DONE,
                 "%s is a mixture of %" PRId64
                 " policies: every episode draws one, with --seed %" PRIu64,
                 path, policy->parts, a->draw.seed);
    else if (policy->chance)
        cli_fail(a->session, CLI_DONE, "%s draws its actions, with --seed %" PRIu64, path,
                 a->draw.seed);
}

static cli_exit act(acting *a)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t length;
    cli_exit code = CLI_DONE;
    while (code == CLI_DONE && !ferror(stdout) && (length = getline(&text, &room, stdin)) >= 0) {
        a->line++;
        if (memchr(text, 0, (size_t)length))
            code = refuse(a, "a state is expected, not a byte of zero");
        else if (*trimmed(text))
            code = answer(a, trimmed(text));
        else
            next_episode(a);
    }
    if (code == CLI_DONE && ferror(stdin))
        code = cli_fail(a->session, CLI_BAD_INPUT, "standard input cannot be read");
    free(text);
    return code;
}

static cli_exit run_act(cli_session *session)
{
    acting a = {.session = session,
                .numbers = cli_has(session, "numbers"),
                .draw.seed = (uint64_t)cli_integer(session, "seed")};
    cli_exit code = open_policy(&a, session->args.operand[0]);
    if (code == CLI_DONE) {
        say_what_is_drawn(&a);
        code = act(&a);
    }
    foray_clusters_destroy(a.clusters);
    foray_policy_destroy(a.policy);
    free(a.vector);
    free(a.names);
    return code;
}

static const cli_option options[] = {
    CLI_SWITCH("numbers", "print actions by number, even if they have names"),
    CLI_INTEGER(0, "seed", "N", "1", 0, CLI_UNBOUNDED,
                "where a policy draws: what it draws depends on this and on the episode alone"),
    CLI_END,
};

const cli_command cli_act = {
    .name = "act",
    .group = CLI_GROUP_PLAN,
    .summary = "use a policy: read a state per line, print its action",
    .operands = "POLICY",
    .min = 1,
    .max = 1,
    .words = CLI_WORDS_FILE,
    .description =
        "Reads states from standard input, one per line, and prints the action that a policy\n"
        "file takes in each, at once: by name if actions have names. A state is a number or a\n"
        "name; if the policy is about clusters, it is a vector: numbers separated by spaces\n"
        "or commas. Steps count from 0; an empty line begins the next episode\n"
        "and has no answer. A line after the last step, or one that is not a state, ends the\n"
        "command with a message and exit code 3. A mixture draws one of its policies for each\n"
        "episode and keeps it; policies that draw their actions do so in every step.",
    .options = options,
    .answers = true,
    .exits = {CLI_BAD_INPUT},
    .examples = "foray plan riverswim -r goal:5 -o policy.json\n"
                "printf '0\\nplace 1\\n\\n5\\n' | foray act policy.json\n"
                "printf '0\\n1\\n' | foray act policy.json --numbers\n",
    .run = run_act,
};
