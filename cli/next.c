/* next.c - foray next: the policy to collect the next data with, what it would bring, and what
 * became of what was foreseen. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/maths.h"
#include "next.h"
#include "policy/policy.h"
#include "progress.h"
#include "run/run.h"

typedef struct collecting {
    cli_session *session;
    const char *path;
    foray_run *run;
    cli_rewards rewards;
    foray_policy *policy; /* NULL: nothing is in doubt */
    fy_next next;
} collecting;

/* ---------------------------------------------------------------- what became of it */

/* What was foreseen for so many more episodes: between two points, along a power of their number.
 */
static double foreseen_at(const fy_next *asked, int64_t more)
{
    double before = (double)asked->after, n = before + (double)more, gap = asked->gap;
    for (int64_t i = 0; i < asked->points; i++) {
        double here = (double)(asked->after + asked->episodes[i]), there = asked->foreseen[i];
        if (n <= here && before > 0 && gap > 0 && there > 0)
            return gap * fy_exp(fy_log(there / gap) * fy_log(n / before) / fy_log(here / before));
        if (n <= here)
            return there;
        before = here;
        gap = there;
    }
    return gap;
}

/* *more: episodes since then; 0: nothing was asked, or nothing came. */
static cli_exit find_became(cli_session *session, foray_run *run, foray_reward **reward,
                            fy_next *asked, int64_t *more, double *gap)
{
    *more = 0;
    cli_exit code = cli_status(session, fy_run_asked(run, reward, asked));
    if (code != CLI_DONE || !*reward)
        return code;
    *more = foray_run_saved(run) - asked->after;
    return *more > 0 ? cli_status(session, fy_run_gap(run, *reward, gap)) : code;
}

cli_exit cli_next_print_became(cli_session *session, foray_run *run)
{
    fy_next asked;
    foray_reward *reward = NULL;
    int64_t more;
    double gap;
    cli_exit code = find_became(session, run, &reward, &asked, &more, &gap);
    if (code == CLI_DONE && more > 0) {
        char number[CLI_NUMBER_SIZE];
        printf("what became of it       ");
        cli_put(stdout, 0, foray_reward_name(reward));
        printf(": certificate %.6g, and after %s more episodes %.6g", asked.gap,
               cli_grouped(more, number), gap);
        printf(" (%.3g was foreseen)\n", foreseen_at(&asked, more));
    }
    foray_reward_destroy(reward);
    return code;
}

/* ------------------------------------------------------------------------ printing */

/* After how many more episodes the target is met by estimate; -1: not foreseen so far. */
static int64_t episodes_for(const fy_next *next, double until)
{
    double before = (double)(next->after > 0 ? next->after : 1), gap = next->gap;
    for (int64_t i = 0; i < next->points; i++) {
        double here = (double)(next->after + next->episodes[i]), there = next->foreseen[i];
        if (there > until) {
            before = here;
            gap = there;
            continue;
        }
        double share =
            there > 0 && gap > there && until > 0 ? fy_log(until / gap) / fy_log(there / gap) : 1;
        return (int64_t)ceil(before * fy_exp(share * fy_log(here / before))) - next->after;
    }
    return -1;
}

static void print_next(const collecting *c)
{
    const fy_next *next = &c->next;
    char number[CLI_NUMBER_SIZE];
    printf("certificate now         %.6g for ", next->gap);
    cli_put(stdout, 0, foray_reward_name(c->rewards.item[0]));
    printf(", after %s episodes\n", cli_grouped(next->after, number));
    if (!c->policy) {
        printf("nothing is in doubt     more data cannot make it smaller\n");
        return;
    }
    if (c->rewards.own > 0)
        printf(
            "                        of laws alone: what is not known of rewards is in 'foray plan "
            "-r own'\n");
    printf("with the policy, by estimate\n");
    for (int64_t i = 0; i < next->points; i++)
        printf("  %12s more       %.6g\n", cli_grouped(next->episodes[i], number),
               next->foreseen[i]);
    if (cli_has(c->session, "until")) {
        double until = cli_real(c->session, "until");
        int64_t episodes = episodes_for(next, until);
        printf("for %-19g ", until);
        if (next->gap <= until)
            printf("none: it is met\n");
        else if (episodes < 0)
            printf("more than that\n");
        else
            printf("about %s more\n", cli_grouped(episodes, number));
    }
}

static cli_exit output_next(const collecting *c)
{
    const fy_next *next = &c->next;
    cli_output output;
    cli_output_begin(&output, c->session);
    cli_output_text(&output, "run", c->path);
    cli_output_text(&output, "reward", foray_reward_name(c->rewards.item[0]));
    cli_output_integer(&output, "episodes", next->after);
    cli_output_real(&output, "gap", next->gap);
    cli_output_flag(&output, "in_doubt", c->policy != NULL);
    cli_output_open_list(&output, "foreseen");
    for (int64_t i = 0; i < next->points; i++) {
        cli_output_open(&output, NULL);
        cli_output_integer(&output, "more", next->episodes[i]);
        cli_output_real(&output, "gap", next->foreseen[i]);
        cli_output_close(&output);
    }
    cli_output_close(&output);
    return cli_output_end(&output, c->session, CLI_DONE);
}

/* ------------------------------------------------------------------------- command */

static cli_exit write_policy(collecting *c)
{
    cli_session *session = c->session;
    const char *path = cli_value(session, "output");
    char *text = NULL;
    size_t size;
    if (!path || !c->policy)
        return CLI_DONE;
    /* Its values are those of the doubt it collects, and of no reward. */
    for (int mode = 0; mode < FORAY_MODES; mode++)
        c->policy->value[mode] = NAN;
    c->policy->expected = c->policy->low = c->policy->high = NAN;
    cli_exit code =
        cli_status(session, foray_run_complete_policy(c->run, c->rewards.item[0], c->policy));
    if (code == CLI_DONE)
        code = cli_status(session, foray_policy_print(session->ctx, c->policy, &text, &size));
    if (code == CLI_DONE)
        code = cli_destination_write(session, path, text, size);
    free(text);
    if (code == CLI_DONE && !session->json && !cli_is_stdout(path)) {
        printf("written: ");
        cli_put(stdout, 0, path);
        printf("\n");
    }
    return code;
}

static cli_exit find_next(collecting *c)
{
    cli_session *session = c->session;
    int64_t most = cli_has(session, "episodes") ? cli_integer(session, "episodes") : 0;
    cli_wait_begin(session);
    cli_exit code =
        cli_status(session, fy_run_next(c->run, c->rewards.item[0], most, &c->policy, &c->next));
    cli_wait_end();
    return code;
}

static cli_exit run_next(cli_session *session)
{
    collecting c = {.session = session, .path = session->args.operand[0]};
    bool stores = !cli_has(session, "no-store");
    bool shows = !cli_has(session, "output") || !cli_is_stdout(cli_value(session, "output"));
    foray_own own;
    cli_exit code = CLI_DONE;
    if (!shows && session->json)
        return cli_fail(session, CLI_USAGE, "-o - and --json would both be standard output");
    if (!cli_has(session, "reward"))
        return cli_fail(session, CLI_USAGE, "-r is required: the reward to be certified");
    if (cli_has(session, "output"))
        code = cli_destination_check(session, cli_value(session, "output"));
    if (code == CLI_DONE)
        code =
            cli_status(session, foray_run_open(session->ctx, c.path,
                                               stores ? FORAY_RUN_WRITE : FORAY_RUN_READ, &c.run));
    if (code == CLI_DONE && foray_run_own(c.run, &own))
        session->own = c.run;
    if (code == CLI_DONE)
        code = cli_rewards_open(session, foray_run_model(c.run), &c.rewards);
    if (code == CLI_DONE && cli_has(session, "output"))
        code = cli_destination_check(session, cli_value(session, "output"));
    if (code == CLI_DONE && c.rewards.count != 1)
        code = cli_fail(session, CLI_USAGE, "the next data are for one reward at a time");
    if (code == CLI_DONE && !session->json && shows)
        code = cli_next_print_became(session, c.run);
    if (code == CLI_DONE)
        code = find_next(&c);
    if (code == CLI_DONE && session->json)
        code = output_next(&c);
    else if (code == CLI_DONE && shows)
        print_next(&c);
    if (code == CLI_DONE)
        code = write_policy(&c);
    if (code == CLI_DONE && stores && c.policy)
        code = cli_status(session, fy_run_keep_next(c.run, c.rewards.item[0], &c.next));
    foray_policy_destroy(c.policy);
    cli_rewards_close(&c.rewards);
    return cli_run_close(session, c.run, code);
}

static const cli_option options[] = {
    CLI_OPTION_REWARD,
    CLI_FILE('o', "output", "FILE", "write the policy to this file"),
    CLI_REAL(0, "until", "EPS", NULL, 0, 1e300,
             "also say after how many episodes the certificate would be at most EPS"),
    CLI_INTEGER('k', "episodes", "N", NULL, 1, 1000000000,
                "look ahead no further than so many episodes; as far as two million steps go"),
    CLI_SWITCH("no-store", "do not keep in the run what was foreseen"),
    CLI_OPTION_DISCOUNT,
    CLI_OPTION_FORCE,
    CLI_OPTION_JSON,
    CLI_OPTION_THREADS,
    CLI_END,
};

const cli_command cli_next = {
    .name = "next",
    .group = CLI_GROUP_PLAN,
    .summary = "find the policy to collect the next data with, and what it would bring",
    .operands = "RUN",
    .min = 1,
    .max = 1,
    .words = CLI_WORDS_FILE,
    .description =
        "Finds the policy that goes where the certificate of a reward is decided, for whoever\n"
        "collects the next data, and estimates what so many episodes of it would make of the\n"
        "certificate: they are played in the laws as they are estimated now. That is a guess\n"
        "and not a promise. Collect data with the policy, add them ('foray learn --append'),\n"
        "and ask again: what became of it is printed beside what was foreseen.",
    .options = options,
    .exits = {CLI_BAD_INPUT, CLI_BAD_RUN, CLI_STOPPED},
    .examples = "foray explore riverswim -k 40 -o river.foray\n"
                "foray data river.foray -o river.csv\n"
                "foray learn riverswim river.csv -o learnt.foray\n"
                "foray next learnt.foray -r goal:5 -o next.json\n"
                "foray next learnt.foray -r goal:5 --until 0.1 --json\n",
    .run = run_next,
};
