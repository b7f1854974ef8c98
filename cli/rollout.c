/* rollout.c - foray rollout: what planned policies earn in the real system, or in the world of a
 * model whose parameters are known, beside what a policy planned with the true parameters earns
 * there. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "progress.h"
#include "view.h"
#include "aggregate/clusters.h"
#include "model/model.h"

/* ------------------------------------------- the world of a model as a system */

static foray_status reset_world(void *self, const foray_draw *draw, double *state)
{
    int64_t first;
    foray_status status = foray_world_reset(self, draw, &first);
    if (status == FORAY_OK)
        *state = (double)first;
    return status;
}

static foray_status step_world(void *self, int64_t count, const foray_system_query *query,
                               const double *state, double *next)
{
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < count && status == FORAY_OK; i++) {
        int64_t to;
        status = foray_world_step(self, &query[i].draw, (int64_t)state[i], query[i].action, &to);
        if (status == FORAY_OK)
            next[i] = (double)to;
    }
    return status;
}

static void destroy_world(void *self)
{
    foray_world_destroy(self);
}

static foray_status make_system(foray_context *ctx, const foray_model *model, const char *name,
                                foray_system **out)
{
    const foray_system_spec spec = {.size = sizeof spec,
                                    .name = name,
                                    .states = foray_model_states(model),
                                    .dimensions = 1,
                                    .actions = foray_model_actions(model),
                                    .horizon = foray_model_horizon(model)};
    const foray_system_ops ops = {
        .size = sizeof ops, .reset = reset_world, .step = step_world, .destroy = destroy_world};
    foray_world *world;
    foray_status status = foray_world_from_model(ctx, model, &world);
    if (status != FORAY_OK)
        return status;
    status = foray_system_create(ctx, &spec, &ops, world, out);
    if (status != FORAY_OK)
        foray_world_destroy(world);
    return status;
}

/* The world of the model that a run explored, every state a cluster by itself; refused where nobody
 * knows the model's parameters. */
static cli_exit view_of_model(cli_session *session, const foray_run *run, cli_view *out)
{
    const foray_model *model = foray_run_model(run);
    foray_context *ctx = session->ctx;
    if (!foray_model_theta(model))
        return cli_fail(session, CLI_BAD_INPUT,
                        "%s explored %s, whose true parameters the model does not have: there is "
                        "no world to follow a policy in",
                        session->args.operand[0], foray_run_world(run));
    out->system_text = strdup(foray_run_world(run));
    if (!out->system_text)
        return cli_fail(session, CLI_BAD_INPUT, "out of memory");
    cli_exit code = cli_status(session, make_system(ctx, model, out->system_text, &out->system));
    if (code == CLI_DONE)
        code = cli_status(session, fy_clusters_states(ctx, out->system, &out->clusters));
    return code;
}

/* -------------------------------------------------------------------- the trials */

/* Measuring the aggregation error takes many draws around every state. */
enum { MISFIT_EPISODES = 20 };

/* The parameters under which the aggregation error is measured. */
typedef enum lens { LENS_NONE, LENS_TRUE, LENS_ESTIMATED } lens;

/* One reward. */
typedef struct trial {
    int64_t index;                   /* of the system's own reward; -1: one of clusters */
    foray_policy *known;             /* with the true parameters; NULL: nobody knows them */
    foray_return learnt, best, lost; /* lost: best - learnt, episode by episode */
    fy_misfit misfit;
} trial;

typedef struct rollout {
    cli_session *session;
    foray_run *run;
    cli_view view;
    bool simulated; /* the run explored a model: its world is followed */
    foray_mode mode;
    int64_t episodes, seed;
    double confidence;
    lens lens;
    double *theta; /* the run's estimate, or NULL */
    int64_t count;
    trial *trial;          /* [count] */
    foray_reward **reward; /* [count] */
    foray_policy **policy; /* [count] planned with what was learnt */
    double *learnt, *best; /* [episodes] returns of the two policies under way */
    cli_work work;         /* the progress line */
    double started;        /* cli_seconds */
    int64_t done;          /* episodes so far, of all policies */
} rollout;

/* ------------------------------------------------------------------------ opening */

static cli_exit open_rollout_run(rollout *r)
{
    cli_session *session = r->session;
    cli_exit code = cli_status(
        session, foray_run_open(session->ctx, session->args.operand[0], FORAY_RUN_READ, &r->run));
    if (code == CLI_DONE)
        code = cli_view_of_run(session, r->run, NULL, &r->view);
    r->simulated = code == CLI_DONE && !r->view.system;
    return r->simulated ? view_of_model(session, r->run, &r->view) : code;
}

/* Reward `index` of the system itself, whose value is known in every real state. */
static cli_exit add_own(rollout *r, int64_t index)
{
    int64_t i = r->count++;
    r->trial[i].index = index;
    return cli_status(r->session,
                      foray_system_reward_create(r->session->ctx, r->view.system, r->view.clusters,
                                                 foray_run_model(r->run), index, &r->reward[i]));
}

/* Those given with -r, in their order: the system's own by name, others are of clusters. */
static cli_exit add_given(rollout *r, cli_rewards *given)
{
    int64_t *index = calloc((size_t)given->count + 1, sizeof *index);
    if (!index)
        return cli_fail(r->session, CLI_BAD_INPUT, "out of memory");
    cli_view_indices(r->session, &r->view, given, index);
    for (int64_t i = 0; i < given->count; i++) {
        r->trial[i].index = index[i];
        r->reward[i] = given->item[i];
        given->item[i] = NULL;
    }
    r->count = given->count;
    free(index);
    return CLI_DONE;
}

static cli_exit make_room_for_rewards(rollout *r, int64_t rewards)
{
    size_t max = (size_t)rewards + 1;
    r->trial = calloc(max, sizeof *r->trial);
    r->reward = calloc(max, sizeof *r->reward);
    r->policy = calloc(max, sizeof *r->policy);
    r->learnt = calloc((size_t)r->episodes, sizeof *r->learnt);
    r->best = calloc((size_t)r->episodes, sizeof *r->best);
    if (!r->trial || !r->reward || !r->policy || !r->learnt || !r->best)
        return cli_fail(r->session, CLI_BAD_INPUT, "out of memory");
    return CLI_DONE;
}

/* The rewards asked for, or all that the system names. */
static cli_exit choose_rewards(rollout *r)
{
    int64_t named = foray_system_describe(r->view.system)->rewards;
    cli_rewards given = {0};
    cli_exit code = CLI_DONE;
    r->session->view = &r->view;
    if (cli_has(r->session, "reward")) {
        code = cli_rewards_open(r->session, foray_run_model(r->run), &given);
        if (code == CLI_DONE)
            code = make_room_for_rewards(r, given.count);
        if (code == CLI_DONE)
            code = add_given(r, &given);
        cli_rewards_close(&given);
        return code;
    }
    if (named == 0)
        return cli_fail(r->session, CLI_BAD_INPUT, "%s names no rewards: give one with -r",
                        r->view.system_text);
    code = make_room_for_rewards(r, named);
    for (int64_t i = 0; i < named && code == CLI_DONE; i++)
        code = add_own(r, i);
    return code;
}

/* A model that was not made of the system's simulators, or an algorithm that estimates no
 * theta, leaves nothing to measure with. */
static cli_exit choose_lens(rollout *r)
{
    const foray_model *model = foray_run_model(r->run);
    int64_t dim = foray_model_dim(model);
    if (foray_system_describe(r->view.system)->simulators != dim)
        return CLI_DONE;
    if (foray_model_theta(model)) {
        r->lens = LENS_TRUE;
        return CLI_DONE;
    }
    r->theta = calloc((size_t)dim, sizeof *r->theta);
    if (!r->theta)
        return cli_fail(r->session, CLI_BAD_INPUT, "out of memory");
    if (foray_explorer_estimate(foray_run_explorer(r->run), r->theta, NULL) == FORAY_OK)
        r->lens = LENS_ESTIMATED;
    return CLI_DONE;
}

/* ------------------------------------------------------------------------- trying */

static bool show_progress(rollout *r)
{
    double seconds = cli_seconds() - r->started;
    int64_t policies = r->count * (foray_model_theta(foray_run_model(r->run)) ? 2 : 1);
    double share = (double)r->done / ((double)policies * (double)r->episodes);
    const foray_work_progress progress = {
        .parts = policies * r->episodes,
        .finished = r->done,
        .done = share,
        .seconds = seconds,
        .remaining = share > 0.01 ? seconds * (1 - share) / share : NAN,
    };
    return cli_work_step(&r->work, &progress);
}

/* Episodes a few at a time: between them progress is shown, and a signal is heeded. */
static foray_status roll_parts(rollout *r, const trial *t, const foray_reward *reward,
                               const foray_policy *policy, double *value)
{
    enum { PART = 256 };
    foray_status status = FORAY_OK;
    for (int64_t e = 0; e < r->episodes && status == FORAY_OK; e += PART) {
        int64_t count = r->episodes - e < PART ? r->episodes - e : PART;
        status =
            foray_rollout(r->session->ctx, r->view.system, r->view.clusters, policy, t->index,
                          t->index < 0 ? reward : NULL, e, count, (uint64_t)r->seed, value + e);
        r->done += count;
        if (status == FORAY_OK && !show_progress(r))
            status = FORAY_INTERRUPTED;
    }
    return status;
}

static foray_status roll(rollout *r, int64_t i, const foray_policy *policy, double *value,
                         foray_return *out)
{
    double min, max;
    cli_return_range(r->reward[i], policy->horizon, &min, &max);
    foray_status status = roll_parts(r, &r->trial[i], r->reward[i], policy, value);
    if (status == FORAY_OK)
        status =
            foray_mean_interval(r->session->ctx, r->episodes, value, min, max, r->confidence, out);
    return status;
}

/* Both policies meet the same random numbers, so that much of what chance does to their
 * returns cancels in the differences. */
static foray_status compare_with_truth(rollout *r, int64_t i)
{
    foray_context *ctx = r->session->ctx;
    const foray_model *model = foray_run_model(r->run);
    trial *t = &r->trial[i];
    foray_reward_facts facts;
    double min, max;
    foray_reward_describe(r->reward[i], &facts);
    cli_return_range(r->reward[i], foray_model_horizon(model), &min, &max);
    foray_status status = foray_plan_known(ctx, model, r->reward[i], &t->known);
    if (status == FORAY_OK)
        status = roll(r, i, t->known, r->best, &t->best);
    for (int64_t e = 0; e < r->episodes && status == FORAY_OK; e++)
        r->best[e] = facts.minimise ? r->learnt[e] - r->best[e] : r->best[e] - r->learnt[e];
    if (status == FORAY_OK)
        status = foray_mean_interval(ctx, r->episodes, r->best, min - max, max - min, r->confidence,
                                     &t->lost);
    return status;
}

static foray_status try_one(rollout *r, int64_t i)
{
    trial *t = &r->trial[i];
    foray_context *ctx = r->session->ctx;
    const foray_model *model = foray_run_model(r->run);
    int64_t looks = r->episodes < MISFIT_EPISODES ? r->episodes : MISFIT_EPISODES;
    foray_status status = roll(r, i, r->policy[i], r->learnt, &t->learnt);
    if (status == FORAY_OK && foray_model_theta(model))
        status = compare_with_truth(r, i);
    if (status == FORAY_OK && r->lens != LENS_NONE)
        status =
            fy_aggregation_misfit(ctx, r->view.system, r->view.clusters, model, r->theta,
                                  r->reward[i], r->policy[i], looks, (uint64_t)r->seed, &t->misfit);
    return status;
}

/* The policy of --policy, certified for each reward as far as the run can. */
static cli_exit read_policies(rollout *r, const char *path)
{
    cli_exit code = CLI_DONE;
    for (int64_t i = 0; i < r->count && code == CLI_DONE; i++) {
        foray_status status = FORAY_OK;
        code = cli_policy_open(r->session, foray_run_model(r->run), path, &r->policy[i]);
        if (code == CLI_DONE)
            status = foray_explorer_certify(foray_run_explorer(r->run), r->reward[i], r->policy[i]);
        if (status != FORAY_ERROR_USAGE)
            code = code == CLI_DONE ? cli_status(r->session, status) : code;
    }
    return code;
}

static cli_exit find_policies(rollout *r)
{
    const char *path = cli_value(r->session, "policy");
    if (path && cli_has(r->session, "mode"))
        return cli_fail(r->session, CLI_USAGE, "--mode is for plans, not for --policy");
    if (path)
        return read_policies(r, path);
    return cli_status(r->session, foray_explorer_plan(foray_run_explorer(r->run), r->count,
                                                      (const foray_reward *const *)r->reward,
                                                      r->mode, r->policy));
}

static cli_exit try_all(rollout *r)
{
    foray_status status = FORAY_OK;
    cli_exit code = find_policies(r);
    if (code != CLI_DONE)
        return code;
    r->started = cli_seconds();
    cli_progress_begin(&r->work.line, 0);
    foray_context_set_stop(r->session->ctx, cli_stop_wanted, NULL);
    for (int64_t i = 0; i < r->count && status == FORAY_OK; i++)
        status = try_one(r, i);
    cli_progress_end(&r->work.line);
    if (status == FORAY_INTERRUPTED)
        return cli_fail(r->session, CLI_STOPPED, "stopped by a signal; nothing is printed");
    return cli_status(r->session, status);
}

/* ------------------------------------------------------------------------ telling */

static void print_return(const foray_return *value, int width)
{
    char text[64];
    snprintf(text, sizeof text, "%.4g [%.4g, %.4g]", value->mean, value->low, value->high);
    printf("  %-*s", width, text);
}

static void print_returns(const rollout *r)
{
    bool known = foray_model_theta(foray_run_model(r->run));
    printf("%-12s  %-*s", "reward", known ? 24 : 0, r->simulated ? "return" : "return in reality");
    if (known)
        printf("  %-24s  %s", "with true parameters", "lost");
    printf("\n");
    for (int64_t i = 0; i < r->count; i++) {
        const trial *t = &r->trial[i];
        cli_put(stdout, 12, foray_reward_name(r->reward[i]));
        print_return(&t->learnt, t->known ? 24 : 0);
        if (t->known) {
            print_return(&t->best, 24);
            print_return(&t->lost, 0);
        }
        printf("\n");
    }
}

/* What the policy itself is expected to earn, as 'foray plan' has it. */
static double model_value(const rollout *r, int64_t i)
{
    return r->policy[i]->expected;
}

static void print_certificates(const rollout *r)
{
    bool measured = r->lens != LENS_NONE;
    printf("\n%-12s  %11s %11s  %-9s", "reward", "model value", "certificate", "status");
    if (measured)
        printf("  %11s %11s %11s %8s", "misfit/step", "worst", "an episode", "outside");
    printf("\n");
    for (int64_t i = 0; i < r->count; i++) {
        const trial *t = &r->trial[i];
        cli_put(stdout, 12, foray_reward_name(r->reward[i]));
        printf("  %11.4g %11.4g  %-9s", model_value(r, i), r->policy[i]->certificate.gap,
               foray_certificate_status(&r->policy[i]->certificate));
        if (measured)
            printf("  %11.3g %11.3g %11.3g %7.2g%%", t->misfit.mean, t->misfit.worst,
                   t->misfit.episode, 100 * t->misfit.outside);
        printf("\n");
    }
}

/* What the tables cannot show, because nobody told the parameters. */
static void print_absent(const rollout *r)
{
    if (r->simulated) {
        printf("episodes were simulated with the parameters of the model\n");
        return;
    }
    if (foray_model_is_unstructured(
            foray_run_model(r->run))) /* there are none, and nothing is aggregated */
        return;
    printf("certificates include a Monte Carlo error of %.3g per step; the aggregation error is "
           "the misfit\n",
           foray_run_model(r->run)->feature_error);
    if (!foray_model_theta(foray_run_model(r->run)))
        printf("the true parameters are not known, so the loss against them is not known either\n");
    if (r->lens == LENS_ESTIMATED)
        printf("the misfit is measured under the parameters that the run estimated\n");
    if (r->lens == LENS_NONE)
        printf("the misfit is not measured: %s\n",
               r->theta ? "the algorithm estimates no parameters of simulators"
                        : "the model was not made from the system's simulators");
}

static void print_all(const rollout *r)
{
    char explored[CLI_NUMBER_SIZE], tried[CLI_NUMBER_SIZE];
    print_returns(r);
    print_certificates(r);
    if (cli_has(r->session, "policy")) {
        printf("\nthe policy of ");
        cli_put(stdout, 0, cli_value(r->session, "policy"));
    } else {
        printf("\n%s policies", foray_mode_name(r->mode));
    }
    printf(" after %s episodes, tried in ", cli_grouped(foray_run_saved(r->run), explored));
    cli_put(stdout, 0, r->view.system_text);
    printf(" for %s; intervals of confidence %g\n", cli_grouped(r->episodes, tried), r->confidence);
    const foray_certificate *certificate = &r->policy[0]->certificate;
    printf("%s: %s\n", foray_certificate_status(certificate),
           foray_certificate_because(certificate));
    cli_print_refutation(r->run, "");
    print_absent(r);
}

static void output_return(cli_output *output, const char *key, const foray_return *value)
{
    cli_output_open(output, key);
    cli_output_real(output, "mean", value->mean);
    cli_output_real(output, "low", value->low);
    cli_output_real(output, "high", value->high);
    cli_output_real(output, "deviation", value->deviation);
    cli_output_close(output);
}

static void output_misfit(cli_output *output, const fy_misfit *misfit)
{
    cli_output_open(output, "misfit");
    cli_output_real(output, "mean", misfit->mean);
    cli_output_real(output, "worst", misfit->worst);
    cli_output_real(output, "episode", misfit->episode);
    cli_output_real(output, "outside", misfit->outside);
    cli_output_integer(output, "states", misfit->states);
    cli_output_close(output);
}

static void output_trial(cli_output *output, const rollout *r, int64_t i)
{
    const trial *t = &r->trial[i];
    cli_output_open(output, NULL);
    cli_output_text(output, "reward", foray_reward_name(r->reward[i]));
    output_return(output, "return", &t->learnt);
    if (t->known) {
        output_return(output, "true_parameters", &t->best);
        output_return(output, "lost", &t->lost);
    }
    if (r->lens != LENS_NONE)
        output_misfit(output, &t->misfit);
    cli_output_real(output, "model_value", model_value(r, i));
    cli_output_certificate(output, "certificate", &r->policy[i]->certificate);
    cli_output_close(output);
}

static cli_exit show_returns(const rollout *r)
{
    static const char *const lens_name[] = {"none", "true", "estimated"};
    cli_output output;
    if (!r->session->json) {
        print_all(r);
        return CLI_DONE;
    }
    cli_output_begin(&output, r->session);
    cli_output_text(&output, "run", r->session->args.operand[0]);
    cli_output_text(&output, "world", foray_run_world(r->run));
    cli_output_flag(&output, "simulated", r->simulated);
    cli_output_integer(&output, "explored", foray_run_saved(r->run));
    cli_output_integer(&output, "episodes", r->episodes);
    cli_output_text(&output, "mode", foray_mode_name(r->mode));
    cli_output_real(&output, "confidence", r->confidence);
    cli_output_real(&output, "feature_error", foray_run_model(r->run)->feature_error);
    cli_output_text(&output, "misfit_parameters", lens_name[r->lens]);
    cli_output_open_list(&output, "rewards");
    for (int64_t i = 0; i < r->count; i++)
        output_trial(&output, r, i);
    cli_output_close(&output);
    return cli_output_end(&output, r->session, CLI_DONE);
}

/* ------------------------------------------------------------------------ command */

static void close_all(rollout *r)
{
    for (int64_t i = 0; i < r->count; i++) {
        foray_reward_destroy(r->reward[i]);
        foray_policy_destroy(r->policy[i]);
        foray_policy_destroy(r->trial[i].known);
    }
    free(r->trial);
    free(r->reward);
    free(r->policy);
    free(r->learnt);
    free(r->best);
    free(r->theta);
    cli_view_close(&r->view);
    foray_run_close(r->run);
}

static cli_exit run_rollout(cli_session *session)
{
    rollout r = {.session = session,
                 .mode = cli_choice(session, "mode"),
                 .episodes = cli_integer(session, "episodes"),
                 .seed = cli_integer(session, "seed"),
                 .confidence = cli_real(session, "confidence"),
                 .work = {.heading = "trying ", .parts = "episodes"}};
    cli_exit code = open_rollout_run(&r);
    if (code == CLI_DONE)
        code = choose_rewards(&r);
    if (code == CLI_DONE)
        code = choose_lens(&r);
    if (code == CLI_DONE)
        code = try_all(&r);
    if (code == CLI_DONE)
        code = show_returns(&r);
    close_all(&r);
    return code;
}

static const cli_option options[] = {
    CLI_OPTION_REWARD,
    CLI_FILE(0, "policy", "FILE", "try this policy instead of planned ones, for every reward"),
    CLI_INTEGER('n', "episodes", "N", "2000", 2, 1000000000, "episodes to follow each policy for"),
    CLI_REAL(0, "confidence", "C", "0.95", 0.01, 0.999999, "confidence of each interval"),
    CLI_INTEGER(0, "seed", "N", "1", 0, CLI_UNBOUNDED, "seed of these episodes"),
    CLI_OPTION_MODE,
    CLI_OPTION_TRUST,
    CLI_OPTION_CONTAIN,
    CLI_OPTION_PROGRESS,
    CLI_OPTION_JSON,
    CLI_OPTION_THREADS,
    CLI_END,
};

const cli_command cli_rollout = {
    .name = "rollout",
    .group = CLI_GROUP_FIRST,
    .summary = "try planned policies in the system or world that a run explored",
    .operands = "RUN",
    .min = 1,
    .max = 1,
    .words = CLI_WORDS_FILE,
    .description =
        "For a run that explored a system: plans for rewards (all that the system names, unless\n"
        "-r gives others; in rewards of the model, a real state counts as the cluster that it\n"
        "belongs to most), or takes the policy of a file with --policy, follows the policies\n"
        "in the real system, and prints their returns, with intervals that are valid for every\n"
        "distribution of returns (empirical Bernstein). If the true parameters are known, a\n"
        "policy planned with them, through the same clusters, is tried as well, with the same\n"
        "random numbers.\n"
        "\n"
        "For a run that explored a model with known parameters, such as those of built-in\n"
        "worlds: does the same for the rewards of -r, in episodes simulated with them. 'foray\n"
        "plan --truth' has the exact values. If the parameters are not known, there is no\n"
        "world in which to follow a policy.\n"
        "\n"
        "The certificate covers exploring and Monte Carlo. It does not cover the aggregation\n"
        "error, the loss from seeing the system through clusters, which is measured instead:\n"
        "the misfit is how much the value of what follows a state differs from the value of\n"
        "what follows its clusters, under the true parameters or, where they are not known,\n"
        "under those that the run estimated; outside is the share of steps that led where\n"
        "the model says nothing leads.",
    .options = options,
    .exits = {CLI_BAD_INPUT, CLI_WORLD_FAILED, CLI_BAD_RUN, CLI_STOPPED},
    .examples = "foray explore riverswim -k 300 -o swim.foray\n"
                "foray rollout swim.foray -r goal:5 -n 500\n"
                "foray explore mountaincar --clusters grid:15x15 -k 50 -o car.foray\n"
                "foray rollout car.foray -r right -n 200\n"
                "foray rollout car.foray -r reach:224 -n 200 --json\n"
                "foray plan car.foray -r right -o right.json\n"
                "foray rollout car.foray -r right -n 200 --policy right.json\n",
    .run = run_rollout,
};
