/* certify.c - foray certify: how much better than this policy could another one be? */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

typedef struct certifying {
    cli_session *session;
    foray_run *run;
    foray_policy *policy;
    cli_rewards rewards;
    double worst; /* the largest certificate */
} certifying;

/* ------------------------------------------------------------------- policies as CSV */

/* A whole number, or an empty cell: -1. False if it is neither. */
static bool read_cell(char *cell, bool may_be_empty, int64_t count, int64_t *out)
{
    char *end;
    cell += strspn(cell, " ");
    if (!*cell && may_be_empty) {
        *out = -1;
        return true;
    }
    *out = strtoll(cell, &end, 10);
    end += strspn(end, " \r\n");
    return end > cell && !*end && *cell >= '0' && *cell <= '9' && *out < count;
}

/* step,state,action in this order: an empty step means every step; later lines win. */
static cli_exit read_line(certifying *c, const char *path, int64_t line, char *text, bool *set)
{
    foray_policy *policy = c->policy;
    char *cell[4];
    int64_t cells = 0, step, state, action;
    for (char *rest = text; cells < 4 && rest; cells++) {
        cell[cells] = rest;
        rest = strchr(rest, ',');
        if (rest)
            *rest++ = 0;
    }
    if (cells == 4)
        return cli_fail(c->session, CLI_BAD_INPUT,
                        "%s:%" PRId64
                        ": four columns, but step,state,action are expected: a policy "
                        "that draws its actions cannot be certified",
                        path, line);
    if (cells != 3 || !read_cell(cell[0], true, policy->horizon, &step) ||
        !read_cell(cell[1], false, policy->states, &state) ||
        !read_cell(cell[2], false, policy->actions, &action))
        return cli_fail(c->session, CLI_BAD_INPUT,
                        "%s:%" PRId64 ": a step below %" PRId64
                        " or nothing, a state below %" PRId64 " and an action below %" PRId64
                        " are expected",
                        path, line, policy->horizon, policy->states, policy->actions);
    for (int64_t t = step < 0 ? 0 : step; t < (step < 0 ? policy->horizon : step + 1); t++) {
        policy->action[t * policy->states + state] = (int32_t)action;
        set[t * policy->states + state] = true;
    }
    return CLI_DONE;
}

/* Every step and state must have been given an action. */
static cli_exit check_complete(certifying *c, const char *path, const bool *set)
{
    int64_t states = c->policy->states;
    for (int64_t i = 0; i < c->policy->horizon * states; i++)
        if (!set[i])
            return cli_fail(c->session, CLI_BAD_INPUT,
                            "%s: no action for state %" PRId64 " at step %" PRId64, path,
                            i % states, i / states);
    return CLI_DONE;
}

static cli_exit read_csv(certifying *c, const char *path, FILE *file)
{
    char text[256];
    bool *set = calloc((size_t)(c->policy->horizon * c->policy->states), sizeof *set);
    cli_exit code = CLI_DONE;
    if (!set)
        return cli_fail(c->session, CLI_BAD_INPUT, "out of memory");
    for (int64_t line = 1; code == CLI_DONE && fgets(text, sizeof text, file); line++) {
        if (!strchr(text, '\n') && !feof(file))
            code = cli_fail(c->session, CLI_BAD_INPUT, "%s:%" PRId64 ": the line is too long", path,
                            line);
        else if (line == 1 && strncmp(text, "step,state,action", 17) != 0)
            code = cli_fail(c->session, CLI_BAD_INPUT,
                            "%s: neither a policy file nor CSV that begins with step,state,action",
                            path);
        else if (line > 1 && text[0] != '#' && text[strspn(text, " \r\n")])
            code = read_line(c, path, line, text, set);
    }
    if (code == CLI_DONE && ferror(file))
        code = cli_fail(c->session, CLI_BAD_INPUT, "%s: %s", path, strerror(errno));
    if (code == CLI_DONE)
        code = check_complete(c, path, set);
    free(set);
    return code;
}

/* A policy file begins with '{'; everything else is taken for CSV. */
static cli_exit open_policy(certifying *c, const char *path)
{
    const foray_model *model = foray_run_model(c->run);
    FILE *file = fopen(path, "r");
    if (!file)
        return cli_fail(c->session, CLI_BAD_INPUT, "%s: %s", path, strerror(errno));
    int first = getc(file);
    cli_exit code;
    if (first == '{') {
        code = cli_status(c->session, foray_policy_load(c->session->ctx, path, &c->policy));
    } else {
        ungetc(first, file);
        code = cli_status(c->session,
                          foray_policy_create(c->session->ctx, model, FORAY_PLUGIN, &c->policy));
        if (code == CLI_DONE)
            code = read_csv(c, path, file);
    }
    fclose(file);
    return code;
}

/* ----------------------------------------------------------------------- certificates */

static void show_certificate(certifying *c, cli_output *output, const char *reward,
                             const foray_doubt *doubt, int64_t most)
{
    const foray_policy *policy = c->policy;
    if (!c->session->json) {
        cli_put(stdout, 16, reward);
        printf(" %11.6g [%.6g, %.6g] %11.6g  %s\n", policy->expected, policy->low, policy->high,
               policy->certificate.gap,
               cli_proved_optimal(&policy->certificate) ? "proved optimal"
                                                        : cli_verdict(&policy->certificate));
        cli_doubt_print(c->session, foray_run_model(c->run), reward, policy, doubt, most);
        return;
    }
    cli_output_open(output, NULL);
    cli_output_text(output, "reward", reward);
    cli_output_open(output, "value");
    cli_output_real(output, "policy", policy->expected);
    cli_output_real(output, "low", policy->low);
    cli_output_real(output, "high", policy->high);
    cli_output_close(output);
    cli_output_explained(output, "certificate", &policy->certificate, doubt, most);
    cli_output_close(output);
}

static cli_exit certify_rewards(certifying *c)
{
    cli_output output;
    cli_exit code = CLI_DONE;
    foray_explorer *explorer = foray_run_explorer(c->run);
    int64_t most = cli_doubt_count(c->session, c->rewards.count);
    cli_output_begin(&output, c->session);
    cli_output_integer(&output, "episodes", foray_run_saved(c->run));
    cli_output_refutation(&output, c->run);
    if (c->session->json)
        cli_output_open_list(&output, "certificates");
    else
        printf("%-16s %11s %s %11s  %s\n", "reward", "value", "[low, high]", "certificate",
               "status");
    for (int64_t i = 0; i < c->rewards.count && code == CLI_DONE; i++) {
        const foray_reward *reward = c->rewards.item[i];
        foray_doubt *doubt = NULL;
        code = cli_status(c->session, foray_explorer_certify(explorer, reward, c->policy));
        if (code == CLI_DONE && most > 0)
            code = cli_doubt_find(c->session, explorer, reward, c->policy, &doubt);
        if (code == CLI_DONE) {
            show_certificate(c, &output, foray_reward_name(reward), doubt, most);
            c->worst =
                c->policy->certificate.gap > c->worst ? c->policy->certificate.gap : c->worst;
        }
        foray_doubt_destroy(doubt);
    }
    return cli_output_end(&output, c->session, code);
}

static cli_exit run_certify(cli_session *session)
{
    const char *const *operand = session->args.operand;
    certifying c = {.session = session};
    cli_exit code =
        cli_status(session, foray_run_open(session->ctx, operand[0], FORAY_RUN_READ, &c.run));
    if (code == CLI_DONE)
        code = open_policy(&c, operand[1]);
    if (code == CLI_DONE)
        code = cli_rewards_open(session, foray_run_model(c.run), &c.rewards);
    if (code == CLI_DONE)
        code = certify_rewards(&c);
    if (code == CLI_DONE && cli_has(session, "require") && !cli_proved(&c.policy->certificate))
        code = cli_require_unproved(session, &c.policy->certificate);
    if (code == CLI_DONE && cli_has(session, "require") && c.worst > cli_real(session, "require"))
        code = cli_fail(session, CLI_NOT_MET, "--require %s: the certificate is %.6g",
                        cli_value(session, "require"), c.worst);
    cli_rewards_close(&c.rewards);
    foray_policy_destroy(c.policy);
    foray_run_close(c.run);
    return code;
}

static const cli_option options[] = {
    CLI_OPTION_REWARD, CLI_OPTION_DISCOUNT, CLI_OPTION_OPTIMISE, CLI_OPTION_REQUIRE,
    CLI_OPTION_DOUBT,  CLI_OPTION_JSON,     CLI_OPTION_THREADS,  CLI_END,
};

const cli_command cli_certify = {
    .name = "certify",
    .summary = "bound how much better than a given policy any other could be",
    .operands = "RUN POLICY",
    .least = 2,
    .most = 2,
    .words = CLI_WORDS_FILE,
    .description =
        "Certifies any policy from the data of a run, whoever made it: a policy file, or CSV\n"
        "with the columns step,state,action, where an empty step means every step. The\n"
        "certificate bounds what the policy loses under every law that fits the data; 0\n"
        "proves that it is optimal. Policies that draw their actions are not supported.",
    .options = options,
    .exits = {CLI_NOT_MET, CLI_BAD_INPUT, CLI_BAD_RUN},
    .examples = "foray explore riverswim -k 2000 -o river.foray\n"
                "foray plan river.foray -r goal:5 -m plugin -o policy.json\n"
                "foray certify river.foray policy.json -r goal:5\n"
                "foray certify river.foray policy.json -r goal:5 --require 0.1 --json\n",
    .run = run_certify,
};
