/* explore.c - foray explore: starts a run or continues one, and says how it went. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/explorer.h"
#include "model/model.h"
#include "output.h"
#include "outside/outside.h"
#include "progress.h"
#include "run/run.h"
#include "workers.h"

/* Enough for any value of a setting as text. */
enum { SETTING_SIZE = 128 };

typedef struct exploration {
    cli_session *session;
    const char *path;
    foray_model *given; /* named on the command line; NULL: the run's own */
    cli_view view;      /* of a system; without one the model is the world */
    char *world;        /* what the run calls it */
    bool chosen;        /* the algorithm, by us */
    foray_run *run;
    cli_progress progress;
} exploration;

/* ------------------------------------------------------------------- settings */

/* Settings that a run may change when it is continued. */
static bool may_change(const char *name)
{
    return strcmp(name, "episodes") == 0 || strcmp(name, "until") == 0;
}

/* A run keeps its settings: those asked for now must be those it has. */
static cli_exit compare_settings(cli_session *session, const foray_settings *stored,
                                 const foray_settings *wanted)
{
    const foray_parameter *row;
    char has[SETTING_SIZE], asked[SETTING_SIZE];
    for (int64_t i = 0; (row = foray_setting_describe(stored->algorithm, i)); i++) {
        if (may_change(row->name))
            continue;
        foray_status status = foray_settings_get(session->ctx, stored, row->name, has, sizeof has);
        if (status == FORAY_OK)
            status = foray_settings_get(session->ctx, wanted, row->name, asked, sizeof asked);
        if (status != FORAY_OK)
            return cli_status(session, status);
        if (strcmp(has, asked) != 0)
            return cli_fail(session, CLI_USAGE,
                            "the run was started with %s %s, not %s: "
                            "only --episodes, --until and --for can change",
                            row->name, has, asked);
    }
    foray_status status = foray_settings_check(session->ctx, wanted);
    if (status != FORAY_OK)
        return cli_status(session, status);
    if (wanted->episodes < stored->episodes)
        return cli_fail(session, CLI_USAGE,
                        "the run was started for %" PRId64 " episodes: "
                        "--episodes can only be raised",
                        stored->episodes);
    return CLI_DONE;
}

/* --------------------------------------------------------------------- reward */

/* Algorithms that explore for one reward need it from the start; others take none. */
static cli_exit check_reward_option(cli_session *session, const foray_settings *settings)
{
    bool needed = foray_algorithm_needs_reward(settings->algorithm);
    if (needed && !cli_has(session, "reward"))
        return cli_fail(session, CLI_USAGE, "%s explores for one reward: -r is required",
                        settings->algorithm);
    if (!needed && cli_has(session, "reward"))
        return cli_fail(session, CLI_USAGE,
                        "%s explores without a reward: give rewards to 'foray plan'",
                        settings->algorithm);
    return CLI_DONE;
}

/* ------------------------------------------------------------- start, continue */

/* The reward is read before there is a run, so that a bad one leaves no file behind. */
/* --for: the rewards that --until is about. */
static cli_exit set_targets(exploration *e)
{
    cli_session *session = e->session;
    cli_rewards rewards = {0};
    if (!cli_has(session, "for"))
        return CLI_DONE;
    if (foray_run_settings(e->run)->until < 0)
        return cli_fail(session, CLI_USAGE,
                        "--for needs --until, the certificate that must be reached");
    cli_exit code = cli_rewards_open_as(session, foray_run_model(e->run), "for", &rewards);
    if (code == CLI_DONE)
        code =
            cli_status(session, foray_run_set_targets(e->run, rewards.count,
                                                      (const foray_reward *const *)rewards.item));
    cli_rewards_close(&rewards);
    return code;
}

static cli_exit create_run(exploration *e, const foray_settings *settings)
{
    cli_session *session = e->session;
    cli_rewards rewards = {0};
    foray_run_creation how = cli_has(session, "force") ? FORAY_RUN_REPLACE : FORAY_RUN_NEW;
    cli_exit code = CLI_DONE;
    if (cli_has(session, "reward"))
        code = cli_reward_open(session, e->given, &rewards);
    if (code == CLI_DONE)
        code = cli_status_of_model(
            session, e->world,
            foray_run_create(session->ctx, e->path, how, e->given, e->world, settings, &e->run));
    if (code == CLI_DONE && rewards.count > 0)
        code = cli_status(session, foray_run_give_reward(e->run, rewards.item[0]));
    cli_rewards_close(&rewards);
    return code == CLI_DONE ? set_targets(e) : code;
}

/* MODEL --in SYSTEM is the view SYSTEM@states,model=MODEL. */
static cli_exit open_view(exploration *e, const char *source)
{
    cli_session *session = e->session;
    const char *reality = cli_value(session, "in");
    size_t size = reality ? strlen(reality) + strlen(source) + sizeof "@states,model=" : 0;
    char *text = malloc(size + 1);
    if (!text)
        return cli_fail(session, CLI_BAD_INPUT, "out of memory");
    snprintf(text, size, "%s@states,model=%s", reality ? reality : "", source);
    cli_exit code = cli_view_open(session, reality ? text : source, &e->view);
    free(text);
    if (code != CLI_DONE)
        return code;
    session->view = &e->view;
    e->world = cli_view_text(&e->view);
    return e->world ? CLI_DONE : cli_fail(session, CLI_BAD_INPUT, "out of memory");
}

static cli_exit check_in(cli_session *session, const char *source)
{
    const char *reality = cli_value(session, "in");
    if (reality && !fy_system_names(reality))
        return cli_fail(session, CLI_USAGE, "--in %s: not a system", reality);
    if (reality && cli_view_names(source))
        return cli_fail(session, CLI_USAGE, "--in: %s is a system itself", source);
    return CLI_DONE;
}

/* The model to explore with, and where. */
static cli_exit open_world(exploration *e)
{
    cli_session *session = e->session;
    const char *source = session->args.operand[0];
    cli_exit code = check_in(session, source);
    if (code != CLI_DONE)
        return code;
    if (!cli_has(session, "in") && !cli_view_names(source)) {
        e->world = strdup(source);
        return e->world ? cli_world_open(session, source, &e->given)
                        : cli_fail(session, CLI_BAD_INPUT, "out of memory");
    }
    code = open_view(e, source);
    return code == CLI_DONE ? cli_view_model(session, &e->view, &e->given) : code;
}

/* Where nothing is known there is no structure to learn with, every law must be seen by itself,
 * and an algorithm that counts is as good as any and far faster. Where rewards are named, Scout
 * goes where their certificates are decided. */
static cli_exit choose_algorithm(exploration *e, foray_settings *settings)
{
    cli_session *session = e->session;
    bool unstructured = e->given && foray_model_is_unstructured(e->given);
    if (cli_has(session, "algorithm") || cli_has(session, "literal") ||
        !(unstructured || cli_has(session, "for")))
        return CLI_DONE;
    foray_settings_default(settings);
    cli_exit code =
        cli_status(session, foray_settings_set(session->ctx, settings, "algorithm",
                                               unstructured ? "inverse-count" : "scout"));
    if (code == CLI_DONE)
        code = cli_settings_apply(session, NULL, settings);
    e->chosen = true;
    return code;
}

/* Where nothing is known, programs answer: often slowly, so that they should play ahead. */
static cli_exit choose_plan_every(const exploration *e, foray_settings *settings)
{
    const cli_session *session = e->session;
    if (!cli_view_is_unstructured(&e->view) || cli_has(session, "plan-every") ||
        cli_has(session, "literal"))
        return CLI_DONE;
    return cli_status(session, foray_settings_set(session->ctx, settings, "plan_every", "16"));
}

static cli_exit start_run(exploration *e)
{
    cli_session *session = e->session;
    foray_settings settings;
    foray_settings_default(&settings);
    cli_exit code = cli_settings_apply(session, NULL, &settings);
    /* Mistakes are told before a world is opened, if that has no say in the algorithm. */
    if (code == CLI_DONE && cli_has(session, "algorithm"))
        code = cli_status(session, foray_settings_check(session->ctx, &settings));
    if (code == CLI_DONE)
        code = check_reward_option(session, &settings);
    if (code != CLI_DONE)
        return code;
    if (strcmp(settings.algorithm, "recorded") == 0)
        return cli_fail(session, CLI_USAGE,
                        "recorded explores nothing: 'foray learn' makes runs from recorded data");
    if (session->args.operands == 0)
        return cli_fail(session, CLI_USAGE, "no world to explore is given");
    code = cli_destination_check(session, e->path);
    if (code == CLI_DONE)
        code = open_world(e);
    if (code == CLI_DONE)
        code = choose_algorithm(e, &settings);
    if (code == CLI_DONE)
        code = choose_plan_every(e, &settings);
    if (code == CLI_DONE)
        code = cli_status(session, foray_settings_check(session->ctx, &settings));
    return code == CLI_DONE ? create_run(e, &settings) : code;
}

/* Views are told apart by their texts: "pendulum" is "pendulum@grid:31x31" as well. */
static bool same_view(const char *source, const char *known)
{
    size_t length = strlen(source);
    return strncmp(source, known, length) == 0 && (!known[length] || known[length] == '@');
}

/* The world named on the command line must be the one the run explored so far. */
static cli_exit compare_world(exploration *e)
{
    cli_session *session = e->session;
    if (session->args.operands == 0)
        return CLI_DONE;
    const char *source = session->args.operand[0], *known = foray_run_world(e->run);
    bool same = false;
    cli_exit code = CLI_DONE;
    if (e->view.system) {
        same = same_view(source, known);
    } else {
        code = cli_world_open(session, source, &e->given);
        if (code == CLI_DONE)
            code = cli_status(session, fy_model_same_episodes(session->ctx, e->given,
                                                              foray_run_model(e->run), &same));
    }
    if (code == CLI_DONE && !same)
        code =
            cli_fail(session, CLI_BAD_INPUT, "%s is a run of another model: it explored %s, not %s",
                     e->path, known, source);
    return code;
}

/* Everything is compared before anything is changed. */
static cli_exit continue_run(exploration *e)
{
    cli_session *session = e->session;
    cli_exit code =
        cli_status(session, foray_run_open(session->ctx, e->path, FORAY_RUN_WRITE, &e->run));
    if (code != CLI_DONE)
        return code;
    const foray_settings stored = *foray_run_settings(e->run);
    foray_settings wanted = stored;
    code = cli_settings_apply(session, NULL, &wanted);
    if (code == CLI_DONE)
        code = compare_settings(session, &stored, &wanted);
    if (code == CLI_DONE)
        code =
            cli_view_of_run(session, e->run,
                            session->args.operands > 0 ? session->args.operand[0] : NULL, &e->view);
    if (code == CLI_DONE)
        code = compare_world(e);
    if (code == CLI_DONE && wanted.episodes > stored.episodes)
        code = cli_status(session, foray_run_extend(e->run, wanted.episodes));
    if (code == CLI_DONE && wanted.until != stored.until)
        code = cli_status(session, foray_run_set_until(e->run, wanted.until));
    return code == CLI_DONE ? set_targets(e) : code;
}

/* -------------------------------------------------------------------- the end */

static void print_bound(const foray_certificate *bound, foray_status status)
{
    if (!isfinite(bound->gap)) {
        printf("bound for all rewards   %s\n", status == FORAY_INTERRUPTED
                                                   ? "not computed: stopped by a signal"
                                                   : "none: this algorithm has no such bound");
        return;
    }
    printf("bound for all rewards   %.6g (%s, delta %g, radius %s)%s\n", bound->gap,
           foray_certificate_status(bound), bound->delta, foray_radius_name(bound->radius),
           bound->vacuous ? ", vacuous so far" : "");
    if (bound->status == FORAY_ESTIMATE || bound->status == FORAY_REFUTED)
        printf("                        %s: %s\n", foray_certificate_status(bound),
               foray_certificate_because(bound));
}

static void print_path(const char *before, const char *path, const char *after)
{
    printf("%s", before);
    cli_put(stdout, 0, path);
    printf("%s\n", after);
}

static void print_command(const char *before, const char *path, const char *after)
{
    printf("%s", before);
    cli_put_word(stdout, path);
    printf("%s\n", after);
}

/* What starts its world again as it was started here. */
static const char *trust_of(const exploration *e)
{
    const char *trust = cli_view_trust(foray_run_world(e->run));
    return trust[0] && cli_has(e->session, "contain") ? " --trust --contain" : trust;
}

/* How to go on from here, as a command that works. */
static void print_next(const exploration *e, foray_status status)
{
    const char *trust = trust_of(e);
    bool ended = status == FORAY_OK || status == FORAY_TARGET_UNPROVED;
    char before[96];
    if (ended && e->view.system && foray_system_describe(e->view.system)->rewards) {
        print_command("next                    foray rollout ", e->path, trust);
    } else if (ended) {
        cli_print_next_plan(e->session, e->run, e->path);
    } else if (status == FORAY_INTERRUPTED) {
        print_command("to continue             foray explore --resume -o ", e->path, trust);
    } else {
        snprintf(before, sizeof before,
                 "to continue             foray explore --resume -k %" PRId64 " -o ",
                 foray_run_settings(e->run)->episodes * 4);
        print_command(before, e->path, trust);
    }
}

/* Targets that are not met, and why. */
typedef struct missed_target {
    foray_certificate certificate;
    int64_t named;         /* how many were counted */
    int64_t ties;          /* exact ties: more episodes cannot help */
    int64_t lacks;         /* none: only data are lacking */
    int64_t untold;        /* theta is not known: one or the other */
    int64_t unstructured;  /* nothing is: it never becomes 0 */
    foray_doubt_place tie; /* where it is */
} missed_target;

/* Where theta is not known, neither ties nor lacks are; where nothing is proved, neither counts. */
static void tell_apart(foray_run *run, const foray_reward *reward, const foray_policy *policy,
                       missed_target *out)
{
    bool found;
    out->untold = !foray_model_theta(foray_run_model(run));
    out->unstructured = foray_model_is_unstructured(foray_run_model(run));
    if (out->untold || fy_explorer_find_tie(foray_run_explorer(run), reward, policy, &found,
                                            &out->tie) != FORAY_OK)
        return;
    out->ties = found;
    out->lacks = !found;
}

/* The next target, from *index on, that is not met by a proof; false: there is none. */
static bool next_missed(foray_run *run, int64_t *index, missed_target *out)
{
    double until = foray_run_settings(run)->until;
    for (; *index < fy_run_targets(run); (*index)++) {
        const foray_reward *const rewards[] = {fy_run_target(run, *index)};
        foray_policy *policy;
        if (foray_explorer_plan(foray_run_explorer(run), 1, rewards, FORAY_PLUGIN, &policy) !=
            FORAY_OK)
            return false;
        *out = (missed_target){.certificate = policy->certificate};
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

/* What its certificate is worth, if it proves nothing; where its tie is, if that is known. */
static void print_one_missed(foray_run *run, const missed_target *missed)
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

/* What that means, for the sum of all. */
static void explain_missed(const missed_target *sum, const char *before)
{
    if (sum->ties > 0)
        printf(
            "%swhere actions tie exactly, a certificate never becomes 0, however many episodes\n",
            before);
    if (sum->lacks > 0)
        printf("%swhere data are lacking, no tie was found: more episodes make it smaller\n",
               before);
    if (sum->unstructured > 0)
        printf("%snothing is known: what was never seen may always follow. Certificates become "
               "smaller\n%swith more episodes, but 0 only where that cannot matter\n",
               before, before);
    else if (sum->untold > 0)
        printf("%stheta is not known: ties, which never become 0, cannot be told from a "
               "mere\n%slack of data\n",
               before, before);
}

/* "missed":[{"reward":TEXT,"gap":g,"status":TEXT,"tie":[h,s,a]|false|null},...]; null: not known.
 */
static void output_missed(cli_output *output, foray_run *run)
{
    missed_target missed;
    cli_output_open_list(output, "missed");
    for (int64_t i = 0; next_missed(run, &i, &missed); i++) {
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

/* Which rewards keep a target from being met: at most a few are named. */
static void print_missed(const exploration *e)
{
    enum { NAMED = 5 };
    missed_target count = {0}, missed;
    for (int64_t i = 0; next_missed(e->run, &i, &missed); i++) {
        count.ties += missed.ties;
        count.lacks += missed.lacks;
        count.untold += missed.untold;
        count.unstructured += missed.unstructured;
        if (count.named++ >= NAMED)
            continue;
        printf("                        ");
        cli_put(stdout, 0, foray_reward_name(fy_run_target(e->run, i)));
        printf(": certificate %.6g", missed.certificate.gap);
        print_one_missed(e->run, &missed);
        printf("\n");
    }
    if (count.named > NAMED)
        printf("                        and %" PRId64 " more\n", count.named - NAMED);
    explain_missed(&count, "                        ");
}

static void print_target(const exploration *e, foray_status status)
{
    const foray_settings *settings = foray_run_settings(e->run);
    int64_t targets = fy_run_targets(e->run);
    if (settings->until < 0)
        return;
    printf("target                  %g for ", settings->until);
    if (targets == 0)
        printf("all rewards: ");
    else
        printf("%" PRId64 " reward%s: ", targets, targets == 1 ? "" : "s");
    printf("%s\n", status == FORAY_OK                ? "met"
                   : status == FORAY_TARGET_UNPROVED ? "reached, but nothing is proved"
                                                     : "not met yet");
    if (status != FORAY_OK)
        print_missed(e);
}

static void print_summary(const exploration *e, const foray_explorer_facts *facts,
                          const foray_certificate *bound, foray_status status)
{
    const foray_settings *settings = foray_run_settings(e->run);
    char episodes[CLI_NUMBER_SIZE], plans[CLI_NUMBER_SIZE];
    printf("explored ");
    cli_put(stdout, 0, foray_run_world(e->run));
    printf(" for %s episode%s with %s, %s plan%s, in %.1f s\n",
           cli_grouped(facts->episodes, episodes), facts->episodes == 1 ? "" : "s",
           settings->algorithm, cli_grouped(facts->plans, plans), facts->plans == 1 ? "" : "s",
           e->progress.last.seconds);
    if (e->chosen)
        printf("algorithm               %s (see -a)\n",
               foray_model_is_unstructured(foray_run_model(e->run))
                   ? "inverse-count: nothing is known about this world"
                   : "scout: it goes where certificates of the rewards it is for are decided");
    cli_workers_print(e->session, e->run, &e->progress.last);
    print_bound(bound, status);
    if (!e->view.system)
        cli_print_known(e->session, foray_run_model(e->run), "                        ");
    if (fy_run_trusted(e->run))
        printf("first states            %s\n", fy_run_trusted(e->run));
    cli_print_refutation(e->run, "                        ");
    if (e->view.system && !foray_model_is_unstructured(foray_run_model(e->run)))
        printf("Monte Carlo error       %.3g per step; 'foray rollout' measures the aggregation "
               "error\n",
               foray_run_model(e->run)->feature_error);
    print_target(e, status);
    print_path("saved in                ", e->path, "");
    print_next(e, status);
}

static void output_summary(const exploration *e, cli_output *output,
                           const foray_explorer_facts *facts, const foray_certificate *bound,
                           foray_status status)
{
    const foray_settings *settings = foray_run_settings(e->run);
    cli_output_text(output, "run", e->path);
    cli_output_text(output, "world", foray_run_world(e->run));
    cli_output_text(output, "algorithm", settings->algorithm);
    cli_output_integer(output, "episodes", facts->episodes);
    cli_output_integer(output, "saved", foray_run_saved(e->run));
    cli_output_integer(output, "budget", settings->episodes);
    cli_output_integer(output, "plans", facts->plans);
    cli_output_integer(output, "unknowns", foray_model_unknowns(foray_run_model(e->run)));
    cli_output_certificate(output, "bound", bound);
    if (fy_run_trusted(e->run))
        cli_output_text(output, "first_states", fy_run_trusted(e->run));
    cli_output_refutation(output, e->run);
    cli_output_real(output, "feature_error", foray_run_model(e->run)->feature_error);
    cli_output_real(output, "until", settings->until < 0 ? NAN : settings->until);
    cli_output_integer(output, "targets", fy_run_targets(e->run));
    cli_output_flag(output, "target_met", settings->until >= 0 && status == FORAY_OK);
    cli_output_flag(output, "target_reached",
                    settings->until >= 0 &&
                        (status == FORAY_OK || status == FORAY_TARGET_UNPROVED));
    if (settings->until >= 0 && status != FORAY_OK)
        output_missed(output, e->run);
    cli_output_flag(output, "interrupted", status == FORAY_INTERRUPTED);
    cli_output_integer(output, "workers", e->progress.last.workers);
    cli_output_integer(output, "discarded", e->progress.last.discarded);
    cli_output_real(output, "seconds", e->progress.last.seconds);
}

/* What there is to say after exploring: the same words whether it ended, was
 * stopped, or missed its target. */
static cli_exit show_exploration(exploration *e, foray_status status)
{
    cli_session *session = e->session;
    foray_explorer *explorer = foray_run_explorer(e->run);
    foray_certificate bound = {.gap = NAN, .radius = FORAY_RADIUS_NONE};
    foray_explorer_facts facts;
    cli_output output;
    cli_exit code = cli_status(session, foray_explorer_describe(explorer, &facts));
    if (code != CLI_DONE)
        return code;
    if (cli_has(session, "quiet") && !session->json)
        return CLI_DONE;
    /* Not every algorithm has a bound; that is no reason to fail here. A signal does not wait. */
    if (status != FORAY_INTERRUPTED)
        (void)foray_explorer_bound(explorer, FORAY_KIND_PAIR, &bound);
    if (session->json) {
        cli_output_begin(&output, session);
        output_summary(e, &output, &facts, &bound, status);
        return cli_output_end(&output, session, CLI_DONE);
    }
    print_summary(e, &facts, &bound, status);
    return CLI_DONE;
}

/* "continue with: foray explore --resume -o RUN", to be copied into a shell; NULL: out of memory.
 */
static char *continuation(const exploration *e)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("continue with: foray explore --resume -o ", out);
    cli_put_word(out, e->path);
    fputs(trust_of(e), out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static cli_exit explore(exploration *e)
{
    cli_session *session = e->session;
    cli_workers workers;
    cli_exit code = cli_workers_open(session, &e->view, e->run, &workers);
    if (code != CLI_DONE) {
        cli_workers_close(&workers);
        return code;
    }
    cli_progress_begin(&e->progress, foray_run_saved(e->run));
    foray_context_set_stop(session->ctx, cli_stop_wanted, NULL);
    foray_status status =
        foray_run_explore(e->run, workers.count, workers.world, cli_progress_step, &e->progress);
    foray_context_set_stop(session->ctx, NULL, NULL);
    cli_progress_end(&e->progress);
    cli_workers_close(&workers);
    code = cli_status(session, status);
    if (status >= 0) {
        cli_exit shown = show_exploration(e, status);
        code = shown == CLI_DONE ? code : shown;
    }
    char *how = continuation(e);
    if (status == FORAY_ERROR_WORLD && foray_run_saved(e->run) > 0)
        cli_fail(session, code,
                 "%" PRId64 " episode%s saved; the next is played with the same draws, so once "
                 "the cause is gone, %s",
                 foray_run_saved(e->run), foray_run_saved(e->run) == 1 ? " is" : "s are",
                 how ? how : "--resume continues");
    if (status == FORAY_INTERRUPTED)
        cli_fail(session, code, "stopped by a signal, everything is saved; %s",
                 how ? how : "--resume continues");
    free(how);
    return code;
}

/* What a run keeps cannot be given again. */
static cli_exit refuse_on_resume(cli_session *session)
{
    static const char *const model[] = {
        "in", "clusters", "draws", "accuracy", "aggregate-seed", "continue", "lipschitz"};
    if (cli_has(session, "reward"))
        return cli_fail(session, CLI_USAGE, "the run already has its reward: --resume takes no -r");
    for (size_t i = 0; i < sizeof model / sizeof *model; i++)
        if (cli_has(session, model[i]))
            return cli_fail(session, CLI_USAGE,
                            "the run already has its model: --resume takes no --%s", model[i]);
    return CLI_DONE;
}

static cli_exit run_explore(cli_session *session)
{
    exploration e = {.session = session, .path = cli_value(session, "output")};
    bool resume = cli_has(session, "resume");
    if (!e.path)
        return cli_fail(session, CLI_USAGE, "-o is required: the file to store the run in");
    if (resume && cli_has(session, "force"))
        return cli_fail(session, CLI_USAGE, "--resume and --force cannot be combined");
    cli_exit code = cli_refuse_stdout(session, e.path);
    if (code == CLI_DONE && resume)
        code = refuse_on_resume(session);
    if (code == CLI_DONE)
        code = resume ? continue_run(&e) : start_run(&e);
    if (code == CLI_DONE)
        code = explore(&e);
    code = cli_run_close(session, e.run, code);
    foray_model_destroy(e.given);
    cli_view_close(&e.view);
    free(e.world);
    return code;
}

static const cli_option options[] = {
    CLI_FILE('o', "output", "RUN", "the file to store the run in (required)"),
    CLI_SWITCH("resume",
               "continue the run in that file; its world and settings need not be repeated"),
    CLI_OPTION_FORCE,
    CLI_OPTIONS_VIEW,
    CLI_TEXT(0, "in", "SYSTEM",
             "the system to explore with the model of the file; plugin:PATH or exec:COMMAND, which "
             "must have the same states"),
    CLI_OPTION_GIVEN,
    CLI_OPTION_WORKERS,
    CLI_FILE(0, "for", "REWARD",
             "the reward that exploring and --until are for, instead of all; ends when its plan is "
             "certified to that; a reward file, goal:STATE, or goals; may be repeated"),
    CLI_OPTION_LITERAL,
    CLI_OPTION_TRUST,
    CLI_OPTION_CONTAIN,
    CLI_OPTION_PROGRESS,
    CLI_OPTION_JSON,
    CLI_OPTION_THREADS,
    CLI_END,
};

const cli_command cli_explore = {
    .name = "explore",
    .group = CLI_GROUP_FIRST,
    .summary = "explore a world without a reward, and store the run in a file",
    .operands = "[WORLD|MODEL]",
    .min = 0,
    .max = 1,
    .words = CLI_WORDS_WORLD,
    .description =
        "Explores a world and stores every episode in one run file. The world is built in\n"
        "(NAME or NAME:key=value,...; 'foray world list'), a model file whose theta is\n"
        "known, any program that speaks with foray through pipes (exec:COMMAND), or a\n"
        "shared object (plugin:PATH). If its states are vectors, it is seen through\n"
        "clusters: regions of similar states, each of which counts as one state.\n"
        "\n"
        "For a system whose states are vectors, such as pendulum, mountaincar or tank, Foray\n"
        "first builds a model of the clusters from its simulators, and then explores the system.\n"
        "What follows a cluster does not obey the model, so certificates are estimates; 'foray\n"
        "rollout' measures the aggregation error. With --continue fresh, or if --lipschitz\n"
        "bounds that error, they are proved.\n"
        "\n"
        "With --resume, episodes, estimates and plans are the same to the last bit as\n"
        "without the interruption. Only --episodes (which can be raised), --until and --for may\n"
        "differ from what the run was started with.\n"
        "\n"
        "With --workers N, the episodes up to the next plan are played ahead in N copies of the\n"
        "world: the same episodes, to the last bit, whatever N is. With algorithms that plan\n"
        "after every episode this needs --plan-every, which is stored in the run.\n"
        "\n"
        "SIGINT (Ctrl-C), SIGTERM and SIGHUP save everything and end in exit code 130.",
    .options = options,
    .often = "output,episodes,algorithm,seed,until,for,delta,clusters,resume,force",
    .takes_settings = true,
    .exits = {CLI_NOT_MET, CLI_BAD_INPUT, CLI_WORLD_FAILED, CLI_BAD_RUN, CLI_STOPPED},
    .examples = "foray explore chain -k 2000 -o chain.foray\n",
    .run = run_explore,
};
