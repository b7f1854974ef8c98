/* limits.c - foray plan --subject-to: the most of one reward within limits of others, and what is
 * proved of it. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "policy/policy.h"
#include "progress.h"
#include "run/run.h"
#include "view.h"

typedef struct limiting {
    cli_session *session;
    const char *path;
    foray_run *run;     /* or */
    foray_model *known; /* a model whose theta is known */
    cli_view view;
    cli_rewards rewards; /* one */
    cli_limits limits;
    foray_limited *found;
    int64_t reasons;
} limiting;

static const char *const outcome_names[] = {"undecided", "kept", "impossible"};

static const foray_model *model_of(const limiting *l)
{
    return l->known ? l->known : foray_run_model(l->run);
}

/* --------------------------------------------------------------------- what is asked */

static cli_exit check_options(const limiting *l)
{
    static const char *const others[] = {"mode", "map", "discount"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (cli_has(l->session, others[i]))
            return cli_fail(l->session, CLI_USAGE, "--%s cannot be combined with --subject-to%s",
                            others[i], i == 2 ? ": reward files say what is discounted" : "");
    const char *output = cli_value(l->session, "output");
    return output ? cli_destination_check(l->session, output) : CLI_DONE;
}

static cli_exit open_run(limiting *l)
{
    cli_session *session = l->session;
    foray_own own;
    cli_exit code =
        cli_status(session, foray_run_open(session->ctx, l->path, FORAY_RUN_READ, &l->run));
    if (code == CLI_DONE && foray_run_own(l->run, &own))
        session->own = l->run;
    if (code == CLI_DONE && cli_has(session, "radius") && cli_choice(session, "radius") == 1)
        code = cli_fail(session, CLI_USAGE,
                        "limits rest on likelihoods: --radius likelihood or refit");
    if (code == CLI_DONE && cli_has(session, "radius") && cli_choice(session, "radius") == 2)
        code = cli_status(session, fy_run_certify_by_refit(l->run));
    if (code == CLI_DONE && cli_rewards_need_view(session))
        code = cli_view_of_run(session, l->run, NULL, &l->view);
    session->view = l->view.system ? &l->view : NULL;
    return code;
}

static cli_exit open_all(limiting *l)
{
    cli_session *session = l->session;
    bool model = cli_names_model(l->path) && !cli_view_names(l->path);
    cli_exit code = model ? cli_world_open_checked(session, l->path, &l->known) : open_run(l);
    if (code == CLI_DONE && l->known && cli_has(session, "radius"))
        code = cli_fail(session, CLI_USAGE, "--radius is for runs, and %s is a model", l->path);
    if (code == CLI_DONE)
        code = cli_rewards_open(session, model_of(l), &l->rewards);
    if (code == CLI_DONE && (l->rewards.count > 1 || l->rewards.own > 0))
        code = cli_fail(session, CLI_USAGE,
                        l->rewards.own > 0 ? "what the world itself pays where it was not seen "
                                             "has no value; write the reward as a file"
                                           : "--subject-to: there can be one -r only");
    return code == CLI_DONE ? cli_limits_open(session, model_of(l), &l->limits) : code;
}

static cli_exit find_policy(limiting *l)
{
    cli_session *session = l->session;
    const foray_reward *reward = l->rewards.item[0];
    foray_status status =
        l->known ? foray_plan_known_limited(session->ctx, l->known, reward, l->limits.count,
                                            l->limits.limit, &l->found)
                 : foray_explorer_plan_limited(foray_run_explorer(l->run), reward, l->limits.count,
                                               l->limits.limit, &l->found);
    l->reasons = cli_integer(session, "doubt");
    return cli_status(session, status);
}

/* ----------------------------------------------------------------------------- text */

static void print_limit(const limiting *l, int64_t i)
{
    const foray_limited *found = l->found;
    char interval[64];
    snprintf(interval, sizeof interval, "[%.6g, %.6g]", found->low[i], found->high[i]);
    cli_put(stdout, 20, foray_reward_name(l->limits.reward[i]));
    printf(" %11.6g  %-24s %s %.6g\n", found->value[i], interval,
           l->limits.limit[i].at_most ? "<=" : ">=", l->limits.limit[i].bound);
}

/* The values of the policy that was found. */
static void print_values(const limiting *l)
{
    const foray_policy *policy = l->found->policy;
    char interval[64];
    snprintf(interval, sizeof interval, "[%.6g, %.6g]", policy->low, policy->high);
    printf("%-20s %11s  %-24s %s\n", "reward", "value", "[low, high]", "limit");
    cli_put(stdout, 20, foray_reward_name(l->rewards.item[0]));
    printf(" %11.6g  %s\n", policy->expected, interval);
    for (int64_t i = 0; i < l->found->limits; i++)
        print_limit(l, i);
}

static void print_with_probability(const limiting *l, const char *before)
{
    const foray_certificate *certificate = &l->found->policy->certificate;
    if (l->run)
        printf("%swith probability at least %g", before, 1 - certificate->delta);
}

static void print_kept(const limiting *l)
{
    const foray_policy *policy = l->found->policy;
    const foray_certificate *certificate = &policy->certificate;
    print_values(l);
    printf("\nevery limit is kept%s", l->run ? " under every law that fits the data" : "");
    if (certificate->status == FORAY_EXACT)
        printf(", and no policy within them is better: theta is known");
    else
        printf(", and no policy within\nthem is better by more than %.6g", certificate->gap);
    if (certificate->status == FORAY_CERTIFIED)
        print_with_probability(l, ", ");
    else if (certificate->status != FORAY_EXACT)
        printf("\nno guarantee: %s", foray_certificate_because(certificate));
    printf("\n");
    for (int64_t i = 0; i < l->found->limits; i++) {
        if (!(l->found->price[i] > 0))
            continue;
        printf("the limit of ");
        cli_put(stdout, 0, foray_reward_name(l->limits.reward[i]));
        printf(" costs about %.4g of ", l->found->price[i]);
        cli_put(stdout, 0, foray_reward_name(l->rewards.item[0]));
        printf(" for each unit of it\n");
    }
    if (!policy->odds)
        return;
    printf("a mixture of %" PRId64 " policies, one of which is drawn when an episode begins:",
           policy->parts);
    for (int64_t k = 0; k < policy->parts; k++)
        printf("%s %.4g", k > 0 ? "," : "", policy->odds[k]);
    printf("\n");
}

/* sum_i price_i V(r_i) would have to be `needed`. */
static void print_impossible(const limiting *l)
{
    const foray_limited *found = l->found;
    printf("no policy keeps these limits");
    print_with_probability(l, ", ");
    printf(":\n");
    if (found->limits == 1 && found->price[0] != 0) {
        double unit = found->price[0];
        cli_put(stdout, 0, foray_reward_name(l->limits.reward[0]));
        printf(" would have to be %s %.6g, and no policy has %s than %.6g\n",
               unit < 0 ? "at most" : "at least", found->needed / unit, unit < 0 ? "less" : "more",
               found->top / unit);
        return;
    }
    for (int64_t i = 0, first = 1; i < found->limits; i++) {
        if (found->price[i] == 0)
            continue;
        printf("%s%.4g x ",
               first                 ? ""
               : found->price[i] < 0 ? " - "
                                     : " + ",
               first ? found->price[i] : fabs(found->price[i]));
        cli_put(stdout, 0, foray_reward_name(l->limits.reward[i]));
        first = 0;
    }
    printf("\nwould have to be at least %.6g by the limits, and no policy has more than %.6g\n",
           found->needed, found->top);
}

static void print_undecided(const limiting *l)
{
    const foray_limited *found = l->found;
    print_values(l);
    printf("\nundecided: neither is it proved that a policy keeps the limits, nor that none does;\n"
           "the values are those of the policy that keeps them best by the estimate\n");
    for (int64_t i = 0; i < found->limits; i++) {
        const foray_limit *limit = &l->limits.limit[i];
        double lacks =
            limit->at_most ? found->high[i] - limit->bound : limit->bound - found->low[i];
        if (!(lacks > 0))
            continue;
        cli_put(stdout, 0, foray_reward_name(l->limits.reward[i]));
        printf(": %.4g is missing in what is certain\n", lacks);
    }
    if (!found->doubt || l->reasons == 0)
        return;
    printf("laws behind it, and an estimate of the visits that would decide it\n"
           "   law        visits       share    more visits  one of its pairs\n");
    for (int64_t i = 0; i < found->doubt->laws && i < l->reasons; i++)
        cli_doubt_print_law(model_of(l), &found->doubt->law[i]);
}

static void print_truth(const limiting *l)
{
    const foray_model *model = model_of(l);
    double value, best;
    if (!cli_has(l->session, "truth") || l->found->outcome == FORAY_LIMITS_IMPOSSIBLE)
        return;
    for (int64_t i = -1; i < l->found->limits; i++) {
        const foray_reward *reward = i < 0 ? l->rewards.item[0] : l->limits.reward[i];
        if (foray_evaluate(l->session->ctx, model, reward, l->found->policy, &value, &best) !=
            FORAY_OK)
            return;
        printf("%s", i < 0 ? "true values: " : ", ");
        cli_put(stdout, 0, foray_reward_name(reward));
        printf(" %.6g", value);
    }
    printf("\n");
}

/* ----------------------------------------------------------------------------- JSON */

static void output_limit(const limiting *l, cli_output *output, int64_t i)
{
    const foray_limited *found = l->found;
    cli_output_open(output, NULL);
    cli_output_text(output, "reward", foray_reward_name(l->limits.reward[i]));
    cli_output_real(output, l->limits.limit[i].at_most ? "at_most" : "at_least",
                    l->limits.limit[i].bound);
    cli_output_real(output, "value", found->value[i]);
    cli_output_real(output, "low", found->low[i]);
    cli_output_real(output, "high", found->high[i]);
    if (found->outcome != FORAY_LIMITS_UNDECIDED)
        cli_output_real(output, found->outcome == FORAY_LIMITS_KEPT ? "price" : "weight",
                        found->price[i]);
    cli_output_close(output);
}

static void output_found(const limiting *l, cli_output *output)
{
    const foray_limited *found = l->found;
    const foray_policy *policy = found->policy;
    cli_output_text(output, l->known ? "model" : "run", l->path);
    if (l->run) {
        cli_output_integer(output, "episodes", foray_run_saved(l->run));
        cli_output_refutation(output, l->run);
    }
    cli_output_text(output, "reward", foray_reward_name(l->rewards.item[0]));
    cli_output_text(output, "outcome", outcome_names[found->outcome]);
    cli_output_open(output, "value");
    cli_output_real(output, "policy", policy->expected);
    cli_output_real(output, "low", policy->low);
    cli_output_real(output, "high", policy->high);
    cli_output_close(output);
    cli_output_certificate(output, "certificate", &policy->certificate);
    cli_output_open_list(output, "limits");
    for (int64_t i = 0; i < found->limits; i++)
        output_limit(l, output, i);
    cli_output_close(output);
    if (policy->odds)
        cli_output_reals(output, "odds", policy->parts, policy->odds);
    if (found->outcome == FORAY_LIMITS_IMPOSSIBLE) {
        cli_output_real(output, "needed", found->needed);
        cli_output_real(output, "top", found->top);
    }
    if (found->doubt)
        cli_doubt_output(output, found->doubt, l->reasons);
    if (cli_has(l->session, "output") && found->outcome == FORAY_LIMITS_KEPT)
        cli_output_text(output, "policy", cli_value(l->session, "output"));
}

/* -------------------------------------------------------------------------- command */

/* Only what keeps the limits for certain is written. */
static cli_exit write_policy(const limiting *l)
{
    foray_context *ctx = l->session->ctx;
    foray_policy *policy = l->found->policy;
    const foray_reward *reward = l->rewards.item[0];
    const char *output = cli_value(l->session, "output");
    char *text;
    size_t size;
    if (!output || l->found->outcome != FORAY_LIMITS_KEPT)
        return CLI_DONE;
    foray_status status = l->known ? foray_policy_complete(ctx, policy, l->known, reward)
                                   : foray_run_complete_policy(l->run, reward, policy);
    if (status == FORAY_OK && l->view.clusters)
        status = foray_policy_keep_clusters(ctx, policy, l->view.clusters);
    if (status == FORAY_OK)
        status = foray_policy_print(ctx, policy, &text, &size);
    if (status != FORAY_OK)
        return cli_status(l->session, status);
    cli_exit code = cli_destination_write(l->session, output, text, size);
    free(text);
    return code;
}

static cli_exit show_found(const limiting *l)
{
    cli_output output;
    bool to_stdout =
        cli_has(l->session, "output") && cli_is_stdout(cli_value(l->session, "output"));
    if (to_stdout && l->found->outcome == FORAY_LIMITS_KEPT)
        return CLI_DONE;
    if (l->session->json) {
        cli_output_begin(&output, l->session);
        output_found(l, &output);
        return cli_output_end(&output, l->session, CLI_DONE);
    }
    if (l->found->outcome == FORAY_LIMITS_KEPT)
        print_kept(l);
    else if (l->found->outcome == FORAY_LIMITS_IMPOSSIBLE)
        print_impossible(l);
    else
        print_undecided(l);
    if (l->run)
        cli_print_refutation(l->run, "");
    print_truth(l);
    if (cli_has(l->session, "output") && l->found->outcome == FORAY_LIMITS_KEPT) {
        printf("written: ");
        cli_put(stdout, 0, cli_value(l->session, "output"));
        printf("\n");
    }
    return CLI_DONE;
}

static cli_exit check_found(const limiting *l)
{
    const foray_certificate *certificate = &l->found->policy->certificate;
    if (l->found->outcome != FORAY_LIMITS_KEPT)
        return CLI_NOT_MET;
    if (!cli_has(l->session, "require"))
        return CLI_DONE;
    if (!cli_proved(certificate))
        return cli_require_unproved(l->session, certificate);
    if (certificate->gap <= cli_real(l->session, "require"))
        return CLI_DONE;
    return cli_fail(l->session, CLI_NOT_MET, "--require %s: the certificate is %.6g",
                    cli_value(l->session, "require"), certificate->gap);
}

cli_exit cli_plan_limited(cli_session *session)
{
    limiting l = {.session = session, .path = session->args.operand[0]};
    cli_exit code = check_options(&l);
    cli_wait_begin(session);
    if (code == CLI_DONE)
        code = open_all(&l);
    if (code == CLI_DONE && cli_has(session, "truth") && !foray_model_theta(model_of(&l)))
        code = cli_fail(session, CLI_BAD_INPUT, "--truth: theta is not known in the model of %s",
                        l.path);
    if (code == CLI_DONE)
        code = find_policy(&l);
    cli_wait_end();
    if (code == CLI_DONE)
        code = write_policy(&l);
    if (code == CLI_DONE)
        code = show_found(&l);
    if (code == CLI_DONE)
        code = check_found(&l);
    foray_limited_destroy(l.found);
    cli_limits_close(&l.limits);
    cli_rewards_close(&l.rewards);
    cli_view_close(&l.view);
    foray_model_destroy(l.known);
    foray_run_close(l.run);
    return code;
}
