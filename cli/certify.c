/* certify.c - foray certify: how much better than this policy could another one be? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "run/run.h"

typedef struct certifying {
    cli_session *session;
    foray_run *run;
    foray_policy *policy;
    cli_rewards rewards;
    double worst; /* the largest certificate */
} certifying;

/* ----------------------------------------------------------------------- certificates */

static void show_certificate(certifying *c, cli_output *output, const char *reward,
                             const foray_doubt *doubt, int64_t max)
{
    const foray_policy *policy = c->policy;
    if (!c->session->json) {
        cli_put(stdout, 16, reward);
        printf(" %11.6g [%.6g, %.6g] %11.6g  %s\n", policy->expected, policy->low, policy->high,
               policy->certificate.gap, foray_certificate_verdict(&policy->certificate));
        cli_doubt_print(c->session, foray_run_model(c->run), reward, policy, doubt, max);
        return;
    }
    cli_output_open(output, NULL);
    cli_output_text(output, "reward", reward);
    cli_output_open(output, "value");
    cli_output_real(output, "policy", policy->expected);
    cli_output_real(output, "low", policy->low);
    cli_output_real(output, "high", policy->high);
    cli_output_close(output);
    cli_output_explained(output, "certificate", &policy->certificate, doubt, max);
    cli_output_close(output);
}

static cli_exit certify_rewards(certifying *c)
{
    cli_output output;
    cli_exit code = CLI_DONE;
    foray_explorer *explorer = foray_run_explorer(c->run);
    int64_t max = cli_doubt_count(c->session, c->rewards.count);
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
        bool own = i == c->rewards.own - 1;
        code = cli_status(c->session, own ? foray_run_own_certify(c->run, c->policy)
                                          : foray_explorer_certify(explorer, reward, c->policy));
        if (code == CLI_DONE && max > 0 && !own)
            code = cli_doubt_find(c->session, c->run, reward, c->policy, &doubt);
        if (code == CLI_DONE) {
            show_certificate(c, &output, foray_reward_name(reward), doubt, max);
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
    foray_own own;
    cli_exit code =
        cli_status(session, foray_run_open(session->ctx, operand[0], FORAY_RUN_READ, &c.run));
    if (code == CLI_DONE)
        code = cli_policy_open(session, foray_run_model(c.run), operand[1], &c.policy);
    if (code == CLI_DONE && foray_run_own(c.run, &own))
        session->own = c.run;
    if (code == CLI_DONE)
        code = cli_rewards_open(session, foray_run_model(c.run), &c.rewards);
    if (code == CLI_DONE && cli_choice(session, "radius") == 1)
        code = cli_status(session, fy_run_certify_by_refit(c.run));
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
    CLI_OPTION_REWARD,   CLI_OPTION_SETS,    CLI_OPTION_DISCOUNT,
    CLI_OPTION_OPTIMISE, CLI_OPTION_REQUIRE, CLI_OPTION_DOUBT,
    CLI_OPTION_JSON,     CLI_OPTION_THREADS, CLI_END,
};

const cli_command cli_certify = {
    .name = "certify",
    .group = CLI_GROUP_PLAN,
    .summary = "bound how much better than a given policy any other could be",
    .operands = "RUN POLICY",
    .min = 2,
    .max = 2,
    .words = CLI_WORDS_FILE,
    .description =
        "Certifies any policy from the data of a run, wherever it comes from: a policy file, or\n"
        "CSV with the columns step,state,action, where an empty step means every step. The\n"
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
