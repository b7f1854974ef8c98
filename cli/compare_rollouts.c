/* compare_rollouts.c - foray compare where the truth is not known: what plans earn in reality.
 *
 *   for each algorithm and seed
 *     explore the system for K episodes, plan for the reward
 *     follow the plan in reality for N episodes, which no run ever meets: the mean return
 *
 * All plans meet the same random numbers, so that seed by seed the better one is a fair question,
 * and the answers of several seeds are a sign test. */
#include "compare_rollouts.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "output.h"
#include "workers.h"

typedef struct tried {
    double mean, certificate; /* of the plan: its return in reality, and what is promised */
    int64_t episodes;
} tried;

typedef struct contest {
    cli_session *session;
    const char *world, *directory;
    const foray_comparison *what;
    cli_work *work;
    cli_view view;
    foray_model *model;
    cli_rewards given;
    foray_reward *reward; /* the one that counts: given, or made here */
    bool made;
    int64_t index;    /* of the system's own reward; -1: one of clusters */
    int64_t rollouts; /* episodes */
    double *value;    /* [rollouts] returns */
    tried *result;    /* [algorithms][seeds] */
} contest;

/* --------------------------------------------------------------------- what counts */

static cli_exit choose_reward(contest *c)
{
    cli_session *session = c->session;
    cli_exit code;
    session->view = &c->view;
    if (cli_has(session, "reward")) {
        code = cli_reward_open(session, c->model, &c->given);
        if (code == CLI_DONE) {
            c->reward = c->given.item[0];
            c->index = cli_view_reward(&c->view, cli_value(session, "reward"));
        }
        return code;
    }
    if (foray_system_describe(c->view.system)->rewards == 0)
        return cli_fail(session, CLI_USAGE, "%s names no rewards: give one with -r", c->world);
    code =
        cli_status(session, foray_system_reward_create(session->ctx, c->view.system,
                                                       c->view.clusters, c->model, 0, &c->reward));
    c->made = code == CLI_DONE;
    return code;
}

/* "NAME:key=value,key=value" over what all have in common. */
static cli_exit read_settings(const contest *c, const char *text, foray_settings *out)
{
    foray_context *ctx = c->session->ctx;
    char part[256];
    size_t length = strcspn(text, ":");
    *out = c->what->settings;
    snprintf(part, sizeof part, "%.*s", (int)length, text);
    foray_status status = foray_settings_set(ctx, out, "algorithm", part);
    while (text[length] && status == FORAY_OK) {
        text += length + 1;
        length = strcspn(text, ",");
        snprintf(part, sizeof part, "%.*s", (int)length, text);
        char *value = strchr(part, '=');
        if (!value)
            return cli_fail(c->session, CLI_USAGE, "'%s' is not key=value", part);
        *value++ = 0;
        status = foray_settings_set(ctx, out, part, value);
    }
    if (status == FORAY_OK)
        status = foray_settings_check(ctx, out);
    return cli_status(c->session, status);
}

/* ------------------------------------------------------------------------- one run */

static foray_status explore(contest *c, foray_explorer *explorer, int64_t episodes)
{
    foray_world *world = NULL;
    foray_status status =
        cli_view_world(c->session->ctx, &c->view, c->view.system, c->model, &world);
    for (int64_t k = 0; k < episodes && status == FORAY_OK; k++) {
        status = foray_explorer_play(explorer, world, NULL, NULL);
        if (status == FORAY_OK && cli_stop_wanted(NULL))
            status = FORAY_INTERRUPTED;
    }
    foray_world_destroy(world);
    return status;
}

/* The mean return of the plan in reality. */
static foray_status try_plan(contest *c, foray_explorer *explorer, tried *out)
{
    foray_context *ctx = c->session->ctx;
    const foray_reward *reward = c->reward;
    foray_policy *policy = NULL;
    foray_status status = foray_explorer_plan(explorer, 1, &reward, c->what->mode, &policy);
    if (status != FORAY_OK)
        return status;
    status = foray_rollout_part(ctx, c->view.system, c->view.clusters, policy, c->index,
                                c->index < 0 ? reward : NULL, 0, c->rollouts,
                                (uint64_t)c->what->settings.seed, c->value);
    out->certificate = policy->certificate.gap;
    for (int64_t e = 0; e < c->rollouts; e++)
        out->mean += c->value[e] / (double)c->rollouts;
    foray_policy_destroy(policy);
    return status;
}

static foray_status run_one(contest *c, const foray_settings *settings, tried *out)
{
    foray_explorer *explorer = NULL;
    foray_status status = foray_explorer_create(c->session->ctx, c->model, settings, &explorer);
    if (status == FORAY_OK && foray_algorithm_needs_reward(settings->algorithm))
        status = foray_explorer_give_reward(explorer, c->reward);
    *out = (tried){.episodes = settings->episodes};
    if (status == FORAY_OK)
        status = explore(c, explorer, settings->episodes);
    if (status == FORAY_OK)
        status = try_plan(c, explorer, out);
    foray_explorer_destroy(explorer);
    return status;
}

static bool tell(contest *c, int64_t finished, double seconds)
{
    int64_t parts = c->what->algorithms * c->what->seeds;
    double done = (double)finished / (double)parts;
    const foray_work_progress progress = {.parts = parts,
                                          .finished = finished,
                                          .done = done,
                                          .seconds = seconds,
                                          .remaining = done > 0 ? seconds / done - seconds : NAN};
    return cli_work_step(c->work, &progress);
}

static cli_exit run_all(contest *c)
{
    cli_exit code = CLI_DONE;
    double began = cli_seconds();
    cli_progress_begin(&c->work->line, 0);
    for (int64_t i = 0; i < c->what->algorithms && code == CLI_DONE; i++) {
        foray_settings settings;
        code = read_settings(c, c->what->algorithm[i], &settings);
        for (int64_t j = 0; j < c->what->seeds && code == CLI_DONE; j++) {
            tried *result = &c->result[i * c->what->seeds + j];
            settings.seed = c->what->settings.seed + j;
            foray_status status = run_one(c, &settings, result);
            if (status == FORAY_OK && !tell(c, i * c->what->seeds + j + 1, cli_seconds() - began))
                status = FORAY_INTERRUPTED;
            code = cli_status(c->session, status);
        }
    }
    cli_progress_end(&c->work->line);
    return code;
}

/* ------------------------------------------------------------------------- results */

/* Over seeds. */
typedef struct summary {
    double mean, error; /* standard error of the mean; NaN: of one seed there is none */
} summary;

static summary summarise(const contest *c, int64_t i)
{
    const tried *result = c->result + i * c->what->seeds;
    double n = (double)c->what->seeds, sum = 0, squares = 0;
    for (int64_t j = 0; j < c->what->seeds; j++)
        sum += result[j].mean;
    for (int64_t j = 0; j < c->what->seeds; j++)
        squares += (result[j].mean - sum / n) * (result[j].mean - sum / n);
    return (summary){sum / n, n > 1 ? sqrt(squares / (n - 1) / n) : NAN};
}

static bool is_better(const contest *c, double value, double than)
{
    return cli_loss(c->reward, than, value) > 0;
}

/* P(at least `wins` of n, or at most n - wins) if a coin decided each. */
static double by_chance(int64_t wins, int64_t n)
{
    double term = 1, tail = 0;
    for (int64_t k = 0; k < n; k++)
        term /= 2;
    for (int64_t k = n; k >= wins; k--) {
        tail += term; /* C(n,k) / 2^n */
        term *= (double)k / (double)(n - k + 1);
    }
    return fmin(1, 2 * tail);
}

static void write_summary(const contest *c, FILE *out)
{
    fprintf(out,
            "measured by rollouts: mean returns of %s over %" PRId64
            " episodes in %s, since its truth is not known\n\n"
            "%-32s %12s %12s %12s\n",
            foray_reward_name(c->reward), c->rollouts, c->world, "algorithm", "return", "+-",
            "certificate");
    for (int64_t i = 0; i < c->what->algorithms; i++) {
        summary s = summarise(c, i);
        double certificate = 0;
        for (int64_t j = 0; j < c->what->seeds; j++)
            certificate = fmax(certificate, c->result[i * c->what->seeds + j].certificate);
        fprintf(out, "%-32s %12.6g %12.3g %12.6g\n", c->what->algorithm[i], s.mean, s.error,
                certificate);
    }
    fprintf(out,
            "\nafter %" PRId64 " episodes, %" PRId64 " seed%s; +-: standard error over seeds; "
            "certificate: the largest\n",
            c->what->settings.episodes, c->what->seeds, c->what->seeds == 1 ? "" : "s");
}

/* Seed by seed: how often `best` did better than i. */
static void write_duel(const contest *c, FILE *out, int64_t best, int64_t i)
{
    int64_t wins = 0, losses = 0, seeds = c->what->seeds;
    for (int64_t j = 0; j < seeds; j++) {
        double mine = c->result[best * seeds + j].mean, other = c->result[i * seeds + j].mean;
        wins += is_better(c, mine, other);
        losses += is_better(c, other, mine);
    }
    if (wins + losses == 0) {
        fprintf(out, "%s does just as well\n", c->what->algorithm[i]);
        return;
    }
    double chance = by_chance(wins > losses ? wins : losses, wins + losses);
    fprintf(out, "%s is better than %s in %" PRId64 " of %" PRId64 " seed%s, by %.3g on average; ",
            c->what->algorithm[best], c->what->algorithm[i], wins, seeds, seeds == 1 ? "" : "s",
            fabs(summarise(c, best).mean - summarise(c, i).mean));
    if (chance <= 0.05)
        fprintf(out, "were they alike, so clear a result had probability %.2g\n", chance);
    else
        fprintf(out, "that may well be chance (%.2g): more seeds would tell\n", chance);
}

static void write_verdict(const contest *c, FILE *out)
{
    int64_t best = 0;
    for (int64_t i = 1; i < c->what->algorithms; i++)
        if (is_better(c, summarise(c, i).mean, summarise(c, best).mean))
            best = i;
    fprintf(out, "The best mean return is that of %s, %.6g.\n", c->what->algorithm[best],
            summarise(c, best).mean);
    for (int64_t i = 0; i < c->what->algorithms; i++)
        if (i != best)
            write_duel(c, out, best, i);
}

static void write_rows(const contest *c, FILE *out)
{
    char mean[FORAY_NUMBER_SIZE], gap[FORAY_NUMBER_SIZE];
    fprintf(out, "algorithm,seed,episodes,rollouts,return,certificate\n");
    for (int64_t i = 0; i < c->what->algorithms; i++)
        for (int64_t j = 0; j < c->what->seeds; j++) {
            const tried *result = &c->result[i * c->what->seeds + j];
            fprintf(out, "\"%s\",%" PRId64 ",%" PRId64 ",%" PRId64 ",%s,%s\n",
                    c->what->algorithm[i], c->what->settings.seed + j, result->episodes,
                    c->rollouts, foray_shortest(result->mean, mean),
                    isfinite(result->certificate) ? foray_shortest(result->certificate, gap) : "");
        }
}

/* A file of the directory, which must not be there yet. */
static cli_exit write_file(const contest *c, const char *name,
                           void (*write)(const contest *c, FILE *out))
{
    char *text = NULL, path[4096];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return cli_fail(c->session, CLI_BAD_INPUT, "out of memory");
    write(c, out);
    fclose(out);
    snprintf(path, sizeof path, "%s/%s", c->directory, name);
    cli_exit code = cli_destination_write(c->session, path, text, size);
    free(text);
    return code;
}

/* Asked before the work begins: nothing is overwritten. */
static cli_exit prepare_directory(const contest *c)
{
    char path[4096];
    if (mkdir(c->directory, 0777) != 0 && errno != EEXIST)
        return cli_fail(c->session, CLI_BAD_INPUT, "%s: %s", c->directory, strerror(errno));
    snprintf(path, sizeof path, "%s/rollouts.csv", c->directory);
    struct stat about;
    return stat(path, &about) != 0 ? CLI_DONE
                                   : cli_fail(c->session, CLI_USAGE,
                                              "%s holds a comparison already: name another "
                                              "directory, or remove that one",
                                              c->directory);
}

static cli_exit show(const contest *c, cli_output *output)
{
    cli_exit code = write_file(c, "rollouts.csv", write_rows);
    if (code == CLI_DONE)
        code = write_file(c, "summary.txt", write_summary);
    if (code == CLI_DONE)
        code = write_file(c, "verdict.txt", write_verdict);
    if (code != CLI_DONE)
        return code;
    if (output) {
        cli_output_text(output, "world", c->world);
        cli_output_text(output, "directory", c->directory);
        cli_output_text(output, "measured_by", "rollouts");
        cli_output_text(output, "reward", foray_reward_name(c->reward));
        cli_output_csv(output, "rollouts", c->directory, "rollouts.csv");
        cli_output_lines(output, "verdict", c->directory, "verdict.txt");
        return CLI_DONE;
    }
    write_summary(c, stdout);
    if (c->what->algorithms > 1) {
        putchar('\n');
        write_verdict(c, stdout);
    }
    return CLI_DONE;
}

cli_exit cli_compare_rollouts(cli_session *session, const char *world, const char *directory,
                              const foray_comparison *what, cli_work *work, cli_output *output)
{
    contest c = {.session = session,
                 .world = world,
                 .directory = directory,
                 .what = what,
                 .work = work,
                 .rollouts = cli_whole(session, "rollouts")};
    c.value = calloc((size_t)c.rollouts, sizeof *c.value);
    c.result = calloc((size_t)(what->algorithms * what->seeds), sizeof *c.result);
    cli_exit code = c.value && c.result ? prepare_directory(&c)
                                        : cli_fail(session, CLI_BAD_INPUT, "out of memory");
    if (code == CLI_DONE)
        code = cli_view_open(session, world, &c.view);
    if (code == CLI_DONE)
        code = cli_view_model(session, &c.view, &c.model);
    if (code == CLI_DONE)
        code = choose_reward(&c);
    if (code == CLI_DONE)
        code = run_all(&c);
    if (code == CLI_DONE)
        code = show(&c, output);
    if (c.made)
        foray_reward_destroy(c.reward);
    cli_rewards_close(&c.given);
    foray_model_destroy(c.model);
    cli_view_close(&c.view);
    session->view = NULL;
    free(c.value);
    free(c.result);
    return code;
}
