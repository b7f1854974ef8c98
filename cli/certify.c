/* certify.c - foray certify: how much better than this policy could another one be? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "policy/policy.h"
#include "run/run.h"

typedef struct certifying {
    cli_session *session;
    foray_run *run;
    foray_policy *policy, *over; /* over: --over, or NULL */
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
        if (code == CLI_DONE && max > 0 && !own && fy_policy_is_plain(c->policy))
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

/* ------------------------------------------------------------------------ differences */

static void show_difference(const certifying *c, cli_output *output, const foray_reward *reward,
                            const foray_difference *d)
{
    foray_reward_facts facts;
    foray_reward_describe(reward, &facts);
    double better = facts.minimise ? -d->high : d->low, worse = facts.minimise ? d->low : -d->high;
    bool proved = cli_proved(&d->certificate);
    if (!c->session->json) {
        cli_put(stdout, 16, foray_reward_name(reward));
        printf(" %+11.6g [%+.6g, %+.6g]  ", d->expected, d->low, d->high);
        if (better > 0)
            printf("better by at least %.6g", better);
        else if (worse > 0)
            printf("worse by at least %.6g", worse);
        else if (d->low == 0 && d->high == 0)
            printf("equal");
        else
            printf("undecided");
        printf(proved ? "%s\n" : ", %s\n", proved ? "" : foray_certificate_status(&d->certificate));
        return;
    }
    cli_output_open(output, NULL);
    cli_output_text(output, "reward", foray_reward_name(reward));
    cli_output_open(output, "difference");
    cli_output_real(output, "expected", d->expected);
    cli_output_real(output, "low", d->low);
    cli_output_real(output, "high", d->high);
    cli_output_real(output, "better_by", better > 0 ? better : 0);
    cli_output_close(output);
    cli_output_certificate(output, "certificate", &d->certificate);
    cli_output_close(output);
}

/* The new policy over the old one; what --require asks for is about how much worse it can be. */
static cli_exit compare_policies(certifying *c)
{
    cli_output output;
    foray_status status = FORAY_OK;
    if (c->rewards.own > 0)
        return cli_fail(c->session, CLI_USAGE,
                        "--over: what the world itself pays where it was not seen has no value, "
                        "and two policies no difference; write the reward as a file");
    cli_output_begin(&output, c->session);
    cli_output_integer(&output, "episodes", foray_run_saved(c->run));
    cli_output_refutation(&output, c->run);
    if (c->session->json)
        cli_output_open_list(&output, "differences");
    else
        printf("%-16s %11s %s\n", "reward", "difference", "[low, high]");
    for (int64_t i = 0; i < c->rewards.count && status == FORAY_OK; i++) {
        foray_difference d;
        status = foray_explorer_compare(foray_run_explorer(c->run), c->rewards.item[i], c->policy,
                                        c->over, &d);
        if (status != FORAY_OK)
            break;
        show_difference(c, &output, c->rewards.item[i], &d);
        c->worst = d.certificate.gap > c->worst ? d.certificate.gap : c->worst;
        c->policy->certificate = d.certificate;
    }
    return cli_output_end(&output, c->session, cli_status(c->session, status));
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
    if (code == CLI_DONE && cli_has(session, "over"))
        code =
            cli_policy_open(session, foray_run_model(c.run), cli_value(session, "over"), &c.over);
    if (code == CLI_DONE && cli_choice(session, "radius") == 1)
        code = cli_status(session, fy_run_certify_by_refit(c.run));
    if (code == CLI_DONE)
        code = c.over ? compare_policies(&c) : certify_rewards(&c);
    if (code == CLI_DONE && cli_has(session, "require") && !cli_proved(&c.policy->certificate))
        code = cli_require_unproved(session, &c.policy->certificate);
    if (code == CLI_DONE && cli_has(session, "require") && c.worst > cli_real(session, "require"))
        code = cli_fail(session, CLI_NOT_MET, "--require %s: the certificate is %.6g",
                        cli_value(session, "require"), c.worst);
    cli_rewards_close(&c.rewards);
    foray_policy_destroy(c.policy);
    foray_policy_destroy(c.over);
    foray_run_close(c.run);
    return code;
}

static const cli_option options[] = {
    CLI_OPTION_REWARD,
    CLI_FILE(0, "over", "OLD",
             "how much better is POLICY than this one? Its value less that of OLD, under one law"),
    CLI_OPTION_SETS,
    CLI_OPTION_DISCOUNT,
    CLI_OPTION_OPTIMISE,
    CLI_OPTION_REQUIRE,
    CLI_OPTION_DOUBT,
    CLI_OPTION_JSON,
    CLI_OPTION_THREADS,
    CLI_END,
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
        "CSV with the columns step,state,action, where an empty step means every step, and\n"
        "probability where it draws its actions. The certificate bounds what the policy loses\n"
        "under every law that fits the data; 0 proves that it is optimal.\n"
        "\n"
        "With --over it compares two policies instead: the difference of their values, with an\n"
        "interval that holds under every law that fits the data; --require X then asks that\n"
        "POLICY is proved to be at most X worse than OLD.",
    .options = options,
    .exits = {CLI_NOT_MET, CLI_BAD_INPUT, CLI_BAD_RUN},
    .examples = "foray explore riverswim -k 2000 -o river.foray\n"
                "foray plan river.foray -r goal:5 -m plugin -o policy.json\n"
                "foray certify river.foray policy.json -r goal:5\n"
                "foray certify river.foray policy.json -r goal:5 --require 0.1 --json\n"
                "foray plan river.foray -r goal:0 -m plugin -o other.json\n"
                "foray certify river.foray policy.json -r goal:5 --over other.json\n",
    .run = run_certify,
};
