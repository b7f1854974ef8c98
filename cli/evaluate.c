/* evaluate.c - foray evaluate: what a policy is really worth, where the truth is known. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "output.h"
#include "policy/policy.h"

static cli_exit check_fit(cli_session *session, const foray_model *model,
                          const foray_policy *policy)
{
    if (fy_policy_model_states(policy) == foray_model_states(model) &&
        policy->actions == foray_model_actions(model) &&
        policy->horizon == foray_model_horizon(model))
        return CLI_DONE;
    return cli_fail(session, CLI_BAD_INPUT,
                    "%s is a policy for %" PRId64 " states, %" PRId64 " actions and %" PRId64
                    " steps, but the model has %" PRId64 ", %" PRId64 " and %" PRId64,
                    session->args.operand[1], fy_policy_model_states(policy), policy->actions,
                    policy->horizon, foray_model_states(model), foray_model_actions(model),
                    foray_model_horizon(model));
}

static void show_evaluation(cli_session *session, cli_output *output, const foray_reward *reward,
                            double value, double optimal)
{
    double gap = cli_loss(reward, value, optimal);
    if (!session->json) {
        cli_put(stdout, 24, foray_reward_name(reward));
        printf(" %12.6g %12.6g %12.4g\n", value, optimal, gap);
        return;
    }
    cli_output_open(output, NULL);
    cli_output_text(output, "reward", foray_reward_name(reward));
    cli_output_real(output, "value", value);
    cli_output_real(output, "optimal", optimal);
    cli_output_real(output, "gap", gap);
    cli_output_close(output);
}

static cli_exit evaluate(cli_session *session, const foray_model *model, const foray_policy *policy,
                         const cli_rewards *rewards)
{
    cli_output output;
    foray_status status = FORAY_OK;
    double value, optimal;
    cli_output_begin(&output, session);
    if (session->json)
        cli_output_open_list(&output, "evaluations");
    else
        printf("%-24s %12s %12s %12s\n", "reward", "value", "optimal", "gap");
    for (int64_t i = 0; i < rewards->count && status == FORAY_OK; i++) {
        status = foray_evaluate(session->ctx, model, rewards->item[i], policy, &value, &optimal);
        if (status == FORAY_OK)
            show_evaluation(session, &output, rewards->item[i], value, optimal);
    }
    return cli_output_end(&output, session, cli_status(session, status));
}

static cli_exit run_evaluate(cli_session *session)
{
    const char *const *operand = session->args.operand;
    foray_model *model = NULL;
    foray_policy *policy = NULL;
    cli_rewards rewards = {0};
    cli_exit code = cli_world_open_checked(session, operand[0], &model);
    if (code == CLI_DONE)
        code = cli_policy_open(session, model, operand[1], &policy);
    if (code == CLI_DONE)
        code = check_fit(session, model, policy);
    if (code == CLI_DONE)
        code = cli_rewards_open(session, model, &rewards);
    if (code == CLI_DONE)
        code = evaluate(session, model, policy, &rewards);
    cli_rewards_close(&rewards);
    foray_policy_destroy(policy);
    foray_model_destroy(model);
    return code;
}

static const cli_option options[] = {
    CLI_OPTION_REWARD, CLI_OPTION_DISCOUNT, CLI_OPTION_OPTIMISE,
    CLI_OPTION_JSON,   CLI_OPTION_THREADS,  CLI_END,
};

const cli_command cli_evaluate = {
    .name = "evaluate",
    .group = CLI_GROUP_PLAN,
    .summary = "compute a policy's value, the best value and the gap in the true model",
    .operands = "MODEL|WORLD POLICY",
    .min = 2,
    .max = 2,
    .words = CLI_WORDS_WORLD,
    .description =
        "Computes exactly, in a model whose theta is known, the value of a policy (a file, or\n"
        "CSV as 'foray certify' takes it) for each reward, the value of the best policy, and\n"
        "the gap between them; with --discount, for discounted rewards.",
    .options = options,
    .exits = {CLI_BAD_INPUT},
    .examples = "foray world export chain -o chain.json\n"
                "foray explore chain.json -k 2000 -o chain.foray\n"
                "foray plan chain.foray -r goal:3 -o policy.json\n"
                "foray evaluate chain.json policy.json -r goal:3\n"
                "foray evaluate chain policy.json -r goal:3 -r goal:0 --discount 0.99 --json\n",
    .run = run_evaluate,
};
