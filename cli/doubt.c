/* doubt.c - why a certificate is not 0: where another action might be better, and which laws are
 * not known well enough. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "output.h"
#include "policy/policy.h"

/* Certificates of this kind can be explained. */
static bool has_reasons(const foray_run *run, const foray_certificate *certificate)
{
    return certificate->gap > 0 && certificate->optimal == FORAY_OPTIMAL_NO &&
           (foray_model_is_unstructured(foray_run_model(run)) ||
            certificate->bound == FORAY_BOUND_GAP ||
            certificate->radius == FORAY_RADIUS_LIKELIHOOD ||
            certificate->radius == FORAY_RADIUS_REFIT);
}

int64_t cli_doubt_count(const cli_session *session, int64_t rewards)
{
    if (cli_has(session, "doubt") || session->json)
        return cli_integer(session, "doubt");
    return rewards == 1 ? cli_integer(session, "doubt") : 0;
}

cli_exit cli_doubt_find(cli_session *session, foray_run *run, const foray_reward *reward,
                        const foray_policy *policy, foray_doubt **out)
{
    double target = cli_has(session, "require") ? cli_real(session, "require") : 0;
    *out = NULL;
    if (!has_reasons(run, &policy->certificate))
        return CLI_DONE;
    return cli_status(session,
                      foray_explorer_explain(foray_run_explorer(run), reward, policy, target, out));
}

/* "8" or "cellar (8)". */
static const char *name_of(char *text, size_t size, const char *name, int64_t number)
{
    if (name)
        snprintf(text, size, "%s (%" PRId64 ")", name, number);
    else
        snprintf(text, size, "%" PRId64, number);
    return text;
}

static void print_place(const foray_model *model, const foray_doubt *doubt, int64_t i,
                        const foray_policy *policy)
{
    const foray_doubt_place *place = &doubt->place[i];
    char state[96], action[96];
    bool own = foray_policy_action(policy, place->step, place->state) == place->action;
    int64_t s = fy_policy_model_state(policy, place->state);
    printf("  %4" PRId64 "  %-12s %-12s %11.4g\n", place->step,
           name_of(state, sizeof state, foray_model_state_name(model, s), s),
           own ? "what follows"
               : name_of(action, sizeof action, foray_model_action_name(model, place->action),
                         place->action),
           place->share);
}

void cli_doubt_print_law(const foray_model *model, const foray_doubt_law *law)
{
    char visits[CLI_NUMBER_SIZE], more[CLI_NUMBER_SIZE], pair[256];
    const char *estimate = law->more < 9e18 ? cli_grouped((int64_t)law->more, more) : "no number";
    const char *name = law->state < 0
                           ? "where an episode begins"
                           : cli_pair_name(model, law->state, law->action, pair, sizeof pair);
    if (law->block >= 0) /* laws of unstructured models have no numbers, and one pair each */
        printf("  %4" PRId64, law->block);
    else
        printf("      ");
    printf(" %13s %11.4g %14s  %s", cli_grouped(law->visits, visits), law->share, estimate, name);
    if (law->block >= 0)
        printf(" of %" PRId64, law->pairs);
    printf("\n");
}

void cli_doubt_print(const cli_session *session, const foray_model *model, const char *reward,
                     const foray_policy *policy, const foray_doubt *doubt, int64_t max)
{
    if (!doubt || max == 0)
        return;
    printf("\nwhere the doubt about ");
    cli_put(stdout, 0, reward);
    printf(" is: another action might be better, or what follows worse\n"
           "  step  state        action             share\n");
    for (int64_t i = 0; i < doubt->places && i < max; i++)
        print_place(model, doubt, i, policy);
    if (doubt->places > max)
        printf("  and %" PRId64 " more places (--doubt N)\n", doubt->places - max);
    if (cli_has(session, "require"))
        printf("laws behind it, and an estimate of the visits that would bring it to %s\n",
               cli_value(session, "require"));
    else
        printf("laws behind it, and an estimate of the visits that would halve it\n");
    printf(foray_model_is_unstructured(model)
               ? "              visits       share    more visits  law of\n"
               : "   law        visits       share    more visits  one of its pairs\n");
    for (int64_t i = 0; i < doubt->laws && i < max; i++)
        cli_doubt_print_law(model, &doubt->law[i]);
}

/* "doubt":[[h,s,a,share],...],"laws":[{...},...] */
void cli_doubt_output(cli_output *output, const foray_doubt *doubt, int64_t max)
{
    char name[96];
    cli_output_open_list(output, "doubt");
    for (int64_t i = 0; i < doubt->places && i < max; i++) {
        cli_output_open_list(output, NULL);
        cli_output_integer(output, NULL, doubt->place[i].step);
        cli_output_integer(output, NULL, doubt->place[i].state);
        cli_output_integer(output, NULL, doubt->place[i].action);
        cli_output_real(output, NULL, doubt->place[i].share);
        cli_output_close(output);
    }
    cli_output_close(output);
    cli_output_open_list(output, "laws");
    for (int64_t i = 0; i < doubt->laws && i < max; i++) {
        const foray_doubt_law *law = &doubt->law[i];
        foray_doubt_law_name(law, name, sizeof name);
        cli_output_open(output, NULL);
        cli_output_text(output, "name", name);
        cli_output_integer(output, "visits", law->visits);
        cli_output_real(output, "share", law->share);
        cli_output_real(output, "more", law->more);
        cli_output_close(output);
    }
    cli_output_close(output);
}
