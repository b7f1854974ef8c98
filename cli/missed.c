/* missed.c - see missed.h. */
#include "missed.h"
#include "explore/explorer.h"
#include "run/run.h"

#include <inttypes.h>

/* Where theta is not known, neither ties nor lacks are; where nothing is proved, neither counts. */
static void tell_apart(foray_run *run, const foray_reward *reward, const foray_policy *policy,
                       cli_missed *out)
{
    bool found;
    out->untold = !foray_model_theta(foray_run_model(run));
    out->open = foray_model_is_open(foray_run_model(run));
    if (out->untold || fy_explorer_find_tie(foray_run_explorer(run), reward, policy, &found,
                                            &out->tie) != FORAY_OK)
        return;
    out->ties = found;
    out->lacks = !found;
}

bool cli_missed_next(foray_run *run, int64_t *index, cli_missed *out)
{
    double until = foray_run_settings(run)->until;
    for (; *index < fy_run_targets(run); (*index)++) {
        const foray_reward *const rewards[] = {fy_run_target(run, *index)};
        foray_policy *policy;
        if (foray_explorer_plan(foray_run_explorer(run), 1, rewards, FORAY_PLUGIN, &policy) !=
            FORAY_OK)
            return false;
        *out = (cli_missed){.certificate = policy->certificate};
        bool low = policy->certificate.gap <= until ||
                   (until == 0 && policy->certificate.optimal != FORAY_OPTIMAL_NO);
        if (!low && until == 0 && cli_proved(&policy->certificate))
            tell_apart(run, rewards[0], policy, out);
        foray_policy_destroy(policy);
        if (!low || !cli_proved(&out->certificate))
            return true;
    }
    return false;
}

void cli_missed_print(foray_run *run, const cli_missed *missed)
{
    const foray_model *model = foray_run_model(run);
    if (!cli_proved(&missed->certificate))
        printf(" (%s)", foray_certificate_status(&missed->certificate));
    if (missed->ties == 0) {
        printf("%s", missed->lacks > 0 ? ", data are lacking" : "");
        return;
    }
    const char *state = foray_model_state_name(model, missed->tie.state);
    const char *action = foray_model_action_name(model, missed->tie.action);
    printf(", exact tie at step %" PRId64 " in state %" PRId64, missed->tie.step,
           missed->tie.state);
    if (state) {
        printf(" (");
        cli_put(stdout, 0, state);
        printf(")");
    }
    printf(": action %" PRId64, missed->tie.action);
    if (action) {
        printf(" (");
        cli_put(stdout, 0, action);
        printf(")");
    }
    printf(" is as good");
}

void cli_missed_explain(const cli_missed *sum, const char *before)
{
    if (sum->ties > 0)
        printf(
            "%swhere actions tie exactly, a certificate never becomes 0, however many episodes\n",
            before);
    if (sum->lacks > 0)
        printf("%swhere data are lacking, no tie was found: more episodes make it smaller\n",
               before);
    if (sum->open > 0)
        printf("%snothing is known: what was never seen may always follow. Certificates become "
               "smaller\n%swith more episodes, but 0 only where that cannot matter\n",
               before, before);
    else if (sum->untold > 0)
        printf("%stheta is not known: ties, which never become 0, cannot be told from a "
               "mere\n%slack of data\n",
               before, before);
}

void cli_missed_output(cli_output *output, foray_run *run)
{
    cli_missed missed;
    cli_output_open_list(output, "missed");
    for (int64_t i = 0; cli_missed_next(run, &i, &missed); i++) {
        cli_output_open(output, NULL);
        cli_output_text(output, "reward", foray_reward_name(fy_run_target(run, i)));
        cli_output_real(output, "gap", missed.certificate.gap);
        cli_output_text(output, "status", foray_certificate_status(&missed.certificate));
        if (missed.ties > 0) {
            cli_output_open_list(output, "tie");
            cli_output_integer(output, NULL, missed.tie.step);
            cli_output_integer(output, NULL, missed.tie.state);
            cli_output_integer(output, NULL, missed.tie.action);
            cli_output_close(output);
        } else if (missed.lacks > 0) {
            cli_output_flag(output, "tie", false);
        } else {
            cli_output_text(output, "tie", NULL);
        }
        cli_output_close(output);
    }
    cli_output_close(output);
}
