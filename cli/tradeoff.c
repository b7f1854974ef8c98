/* tradeoff.c - foray tradeoff: few policies for every weighting of several rewards, with the
 * certificate that they are enough. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "draw/table.h"
#include "output.h"
#include "policy/policy.h"
#include "progress.h"
#include "run/run.h"
#include "tradeoff/page.h"
#include "view.h"

enum { PATH_SIZE = 4096, FILE_SIZE = 40, WEIGHTS_SIZE = 96 };

typedef struct trading {
    cli_session *session;
    const char *path;
    foray_run *run;     /* or */
    foray_model *known; /* a model whose theta is known */
    cli_view view;
    cli_rewards rewards;
    foray_front *front;
    foray_reward *worst; /* the weighting with the largest certificate, and why it is not 0 */
    foray_doubt *doubt;
    int64_t reasons;
} trading;

static const foray_model *model_of(const trading *t)
{
    return t->known ? t->known : foray_run_model(t->run);
}

/* --------------------------------------------------------------------- what is asked */

static cli_exit open_run(trading *t)
{
    cli_session *session = t->session;
    cli_exit code =
        cli_status(session, foray_run_open(session->ctx, t->path, FORAY_RUN_READ, &t->run));
    if (code == CLI_DONE && cli_choice(session, "radius") == 1)
        code = cli_status(session, fy_run_certify_by_refit(t->run));
    if (code == CLI_DONE && cli_rewards_need_view(session))
        code = cli_view_of_run(session, t->run, NULL, &t->view);
    session->view = t->view.system ? &t->view : NULL;
    return code;
}

static cli_exit open_all(trading *t)
{
    cli_session *session = t->session;
    cli_exit code = cli_names_model(t->path) && !cli_view_names(t->path)
                        ? cli_world_open_checked(session, t->path, &t->known)
                        : open_run(t);
    if (code == CLI_DONE && t->known && cli_has(session, "radius"))
        code = cli_fail(session, CLI_USAGE, "--radius is for runs, and %s is a model", t->path);
    if (code == CLI_DONE)
        code = cli_rewards_open(session, model_of(t), &t->rewards);
    if (code == CLI_DONE && t->rewards.own > 0)
        code = cli_fail(session, CLI_USAGE,
                        "what the world itself pays where it was not seen has no value to weigh; "
                        "write the reward as a file");
    if (code == CLI_DONE && (t->rewards.count < 2 || t->rewards.count > FORAY_MAX_REWARDS))
        code = cli_fail(session, CLI_USAGE, "a trade-off is between 2 to %d rewards: -r A -r B",
                        FORAY_MAX_REWARDS);
    return code;
}

/* --------------------------------------------------------------------------- finding */

/* Why the largest certificate is not 0, where that is what ends the search. */
static cli_exit find_doubt(trading *t)
{
    const foray_front *front = t->front;
    const double *w = front->corner + front->worst_corner * front->rewards;
    double weight[FORAY_MAX_REWARDS];
    cli_exit code = CLI_DONE;
    t->reasons = t->known || front->full || front->certificate.gap == 0 ||
                         front->certificate.gap <= cli_real(t->session, "until")
                     ? 0
                     : cli_integer(t->session, "doubt");
    for (int64_t i = 0; i < front->rewards; i++) {
        foray_reward_facts facts;
        foray_reward_describe(t->rewards.item[i], &facts);
        t->reasons = facts.stops ? 0 : t->reasons; /* which no sum of rewards has */
        weight[i] = w[i] / front->scale[i];
    }
    if (t->reasons > 0)
        code =
            cli_status(t->session, fy_reward_sum(t->session->ctx, "this weighting", front->rewards,
                                                 (const foray_reward *const *)t->rewards.item,
                                                 weight, &t->worst));
    if (code == CLI_DONE && t->reasons > 0)
        code = cli_status(t->session,
                          foray_explorer_explain(foray_run_explorer(t->run), t->worst,
                                                 front->policy[front->worst_policy], 0, &t->doubt));
    return code;
}

/* --scale 100,1: a number for every reward. */
static cli_exit read_scale(const trading *t, double *scale)
{
    const char *text = cli_value(t->session, "scale");
    int64_t count = 0;
    while (text && count < t->rewards.count) {
        size_t length = strcspn(text, ",");
        if (!fy_number_read(text, length, &scale[count]) || !(scale[count] > 0))
            break;
        count++;
        text = text[length] == ',' ? text + length + 1 : NULL;
    }
    if (count == t->rewards.count && !text)
        return CLI_DONE;
    return cli_fail(t->session, CLI_USAGE,
                    "--scale %s: it takes a number above 0 for each of %" PRId64
                    " rewards, separated by commas",
                    cli_value(t->session, "scale"), t->rewards.count);
}

static cli_exit find_front(trading *t)
{
    cli_session *session = t->session;
    const foray_reward *const *rewards = (const foray_reward *const *)t->rewards.item;
    double room[FORAY_MAX_REWARDS], *scale = cli_has(session, "scale") ? room : NULL;
    cli_exit read = scale ? read_scale(t, scale) : CLI_DONE;
    if (read != CLI_DONE)
        return read;
    int64_t most = cli_integer(session, "policies");
    double until = cli_real(session, "until");
    foray_status status =
        t->known ? foray_tradeoff_known(session->ctx, t->known, t->rewards.count, rewards, scale,
                                        most, until, &t->front)
                 : foray_explorer_tradeoff(foray_run_explorer(t->run), t->rewards.count, rewards,
                                           scale, most, until, &t->front);
    cli_exit code = cli_status(session, status);
    return code == CLI_DONE ? find_doubt(t) : code;
}

/* ----------------------------------------------------------------------------- text */

/* The largest certificate of a policy's own weightings. */
static double loss_of(const foray_front *front, int64_t k)
{
    double most = 0;
    for (int64_t c = 0; c < front->corners; c++)
        most = fmax(most, front->loss[c * front->policies + k]);
    return most;
}

static void print_policies(const trading *t)
{
    const foray_front *front = t->front;
    int64_t m = front->rewards;
    printf("policy ");
    for (int64_t i = 0; i < m; i++)
        printf(" weight");
    for (int64_t i = 0; i < m; i++) {
        printf("  ");
        cli_put(stdout, t->known ? 10 : 28, foray_reward_name(t->rewards.item[i]));
    }
    printf("  certificate\n");
    for (int64_t k = 0; k < front->policies; k++) {
        printf("%-6" PRId64 " ", k + 1);
        for (int64_t i = 0; i < m; i++)
            printf(" %6.3f", front->centre[k * m + i]);
        for (int64_t i = 0; i < m; i++) {
            char interval[64];
            snprintf(interval, sizeof interval, "[%.5g, %.5g]", front->low[k * m + i],
                     front->high[k * m + i]);
            if (t->known)
                printf("  %-10.6g", front->value[k * m + i]);
            else
                printf("  %-8.5g %-19s", front->value[k * m + i], interval);
        }
        printf("  %11.4g\n", loss_of(front, k));
    }
}

/* What the gap is in the units of a reward. */
static void print_tolerances(const trading *t, const char *between)
{
    const foray_front *front = t->front;
    for (int64_t i = 0; i < front->rewards; i++) {
        printf("%s%.4g in ", i == 0 ? "" : between, front->certificate.gap * fabs(front->scale[i]));
        cli_put(stdout, 0, foray_reward_name(t->rewards.item[i]));
    }
}

static bool has_units(const foray_front *front)
{
    for (int64_t i = 0; i < front->rewards; i++)
        if (fabs(front->scale[i]) != 1)
            return true;
    return false;
}

static void print_sentence(const trading *t)
{
    const foray_front *front = t->front;
    const foray_certificate *certificate = &front->certificate;
    if (has_units(front)) {
        printf("\nweights are of values divided by");
        for (int64_t i = 0; i < front->rewards; i++)
            printf("%s %.6g", i == 0 ? "" : ",", fabs(front->scale[i]));
        printf(cli_has(t->session, "scale") ? "\n" : ": the width of each reward's range\n");
    }
    printf("\nfor every weighting one of these %" PRId64 " policies loses at most %.4g;\n"
           "for every policy there is a mixture of them that is worse by at most\n",
           front->policies, certificate->gap);
    print_tolerances(t, ", ");
    printf(", all at once");
    if (certificate->status == FORAY_CERTIFIED)
        printf(",\nwith probability at least %g\n", 1 - certificate->delta);
    else if (certificate->status == FORAY_EXACT)
        printf(";\nexact, since theta is known\n");
    else
        printf("\nno guarantee: %s\n", foray_certificate_because(certificate));
}

/* Why there are no more policies. */
static void print_end(const trading *t)
{
    const foray_front *front = t->front;
    double until = cli_real(t->session, "until");
    if (front->certificate.gap <= until || front->certificate.gap == 0)
        return;
    if (front->full)
        printf("more policies may help: these are as many as --policies allows\n");
    else if (!t->known)
        printf("more policies would not help: by the estimate another one gains at most %.3g "
               "there;\nmore data would\n",
               front->gain);
    if (t->doubt)
        cli_doubt_print(t->session, model_of(t), "the weighting that loses most",
                        front->policy[front->worst_policy], t->doubt, t->reasons);
}

/* ----------------------------------------------------------------------------- JSON */

static void file_of(int64_t k, char name[FILE_SIZE])
{
    snprintf(name, FILE_SIZE, "policy-%02" PRId64 ".json", k + 1);
}

static void output_policies(cli_output *output, const foray_front *front, bool files)
{
    int64_t m = front->rewards;
    char name[FILE_SIZE];
    cli_output_open_list(output, "policies");
    for (int64_t k = 0; k < front->policies; k++) {
        cli_output_open(output, NULL);
        file_of(k, name);
        if (files)
            cli_output_text(output, "file", name);
        cli_output_reals(output, "weights", m, front->centre + k * m);
        cli_output_reals(output, "value", m, front->value + k * m);
        cli_output_reals(output, "low", m, front->low + k * m);
        cli_output_reals(output, "high", m, front->high + k * m);
        cli_output_real(output, "certificate", loss_of(front, k));
        cli_output_close(output);
    }
    cli_output_close(output);
}

/* Where the best policy changes: what no policy exceeds there, and what each that is best there
 * loses at most. */
static void output_corners(cli_output *output, const foray_front *front)
{
    cli_output_open_list(output, "corners");
    for (int64_t c = 0; c < front->corners; c++) {
        cli_output_open(output, NULL);
        cli_output_reals(output, "weights", front->rewards, front->corner + c * front->rewards);
        cli_output_real(output, "top", front->top[c]);
        cli_output_open_list(output, "policies");
        for (int64_t k = 0; k < front->policies; k++) {
            double loss = front->loss[c * front->policies + k];
            if (isnan(loss))
                continue;
            cli_output_open(output, NULL);
            cli_output_integer(output, "policy", k + 1);
            cli_output_real(output, "certificate", loss);
            cli_output_close(output);
        }
        cli_output_close(output);
        cli_output_close(output);
    }
    cli_output_close(output);
}

static void output_front(const trading *t, cli_output *output)
{
    const foray_front *front = t->front;
    cli_output_text(output, t->known ? "model" : "run", t->path);
    if (t->run) {
        cli_output_integer(output, "episodes", foray_run_saved(t->run));
        cli_output_refutation(output, t->run);
    }
    cli_output_open_list(output, "rewards");
    for (int64_t i = 0; i < front->rewards; i++) {
        cli_output_open(output, NULL);
        cli_output_text(output, "name", foray_reward_name(t->rewards.item[i]));
        cli_output_real(output, "scale", front->scale[i]);
        cli_output_close(output);
    }
    cli_output_close(output);
    cli_output_certificate(output, "certificate", &front->certificate);
    cli_output_real(output, "gain", front->gain);
    cli_output_flag(output, "full", front->full);
    output_policies(output, front, cli_has(t->session, "output"));
    output_corners(output, front);
    if (t->doubt)
        cli_doubt_output(output, t->doubt, t->reasons);
    cli_output_integer(output, "plans", front->plans);
    cli_output_integer(output, "certificates", front->certificates);
}

/* ---------------------------------------------------------------------------- files */

static void path_of(const trading *t, const char *name, char path[PATH_SIZE])
{
    const char *directory = cli_value(t->session, "output");
    bool ends = directory[strlen(directory) - 1] == '/';
    snprintf(path, PATH_SIZE, "%s%s%s", directory, ends ? "" : "/", name);
}

static cli_exit put_file(const trading *t, const char *name, const char *text, size_t size)
{
    char path[PATH_SIZE];
    path_of(t, name, path);
    cli_exit code = cli_destination_check(t->session, path);
    return code == CLI_DONE ? cli_destination_put(t->session, path, text, size) : code;
}

static cli_exit put_policy(const trading *t, int64_t k)
{
    foray_context *ctx = t->session->ctx;
    foray_policy *policy = t->front->policy[k];
    char name[FILE_SIZE], *text = NULL;
    size_t size = 0;
    foray_status status = t->known ? foray_policy_complete(ctx, policy, t->known, NULL)
                                   : foray_run_complete_policy(t->run, NULL, policy);
    if (status == FORAY_OK && t->view.clusters)
        status = foray_policy_keep_clusters(ctx, policy, t->view.clusters);
    if (status == FORAY_OK)
        status = foray_policy_print(ctx, policy, &text, &size);
    cli_exit code = cli_status(t->session, status);
    if (code != CLI_DONE)
        return code;
    file_of(k, name);
    code = put_file(t, name, text, size);
    free(text);
    return code;
}

static cli_exit put_json(const trading *t)
{
    cli_session as_json = *t->session;
    cli_output output;
    char *text;
    as_json.json = true;
    cli_output_begin(&output, &as_json);
    output_front(t, &output);
    cli_exit code = cli_output_take(&output, t->session, CLI_DONE, &text);
    if (code != CLI_DONE)
        return code;
    code = put_file(t, "front.json", text, strlen(text));
    free(text);
    return code;
}

static cli_exit put_csv(const trading *t)
{
    fy_table table;
    fy_writer csv = {.ctx = t->session->ctx};
    char *text = NULL;
    size_t size = 0;
    foray_status status = fy_tradeoff_table(t->session->ctx, t->front, t->rewards.item, &table);
    if (status == FORAY_OK) {
        fy_table_print_csv(&table, &csv);
        fy_table_free(&table);
        status = fy_writer_take(&csv, "CSV", &text, &size);
    }
    cli_exit code = cli_status(t->session, status);
    if (code != CLI_DONE)
        return code;
    code = put_file(t, "front.csv", text, size);
    free(text);
    return code;
}

/* The page, and its first picture alone. */
static cli_exit put_page(const trading *t)
{
    char *text;
    size_t size;
    fy_writer picture = {.ctx = t->session->ctx};
    fy_tradeoff_about about = {.front = t->front,
                               .reward = t->rewards.item,
                               .source = t->path,
                               .model = model_of(t),
                               .episodes = t->run ? foray_run_saved(t->run) : -1,
                               .doubt = t->doubt};
    cli_exit code = cli_status(t->session, fy_tradeoff_page(t->session->ctx, &about, &text, &size));
    if (code != CLI_DONE)
        return code;
    code = put_file(t, "front.html", text, size);
    free(text);
    if (code != CLI_DONE)
        return code;
    fy_tradeoff_plane(&picture, &about, 0, 1);
    code = cli_status(t->session, fy_writer_take(&picture, "a picture", &text, &size));
    if (code != CLI_DONE)
        return code;
    code = put_file(t, "front.svg", text, size);
    free(text);
    return code;
}

static cli_exit make_directory(const trading *t)
{
    const char *directory = cli_value(t->session, "output");
    if (!directory)
        return CLI_DONE;
    cli_exit code = cli_refuse_stdout(t->session, directory);
    if (code == CLI_DONE && strlen(directory) + FILE_SIZE >= PATH_SIZE)
        return cli_fail(t->session, CLI_USAGE, "-o: the name of the directory is too long");
    if (code == CLI_DONE && mkdir(directory, 0777) != 0 && errno != EEXIST)
        return cli_fail(t->session, CLI_BAD_INPUT, "%s: %s", directory, strerror(errno));
    char path[PATH_SIZE];
    path_of(t, "front.json", path);
    return code == CLI_DONE ? cli_destination_check(t->session, path) : code;
}

static cli_exit write_files(const trading *t)
{
    cli_exit code = CLI_DONE;
    if (!cli_has(t->session, "output"))
        return code;
    for (int64_t k = 0; k < t->front->policies && code == CLI_DONE; k++)
        code = put_policy(t, k);
    if (code == CLI_DONE)
        code = put_csv(t);
    if (code == CLI_DONE)
        code = put_page(t);
    if (code == CLI_DONE)
        code = put_json(t);
    return code == CLI_DONE ? cli_status(t->session, fy_files_sync(t->session->ctx,
                                                                   cli_value(t->session, "output")))
                            : code;
}

/* -------------------------------------------------------------------------- command */

static cli_exit show_front(const trading *t)
{
    cli_output output;
    if (t->session->json) {
        cli_output_begin(&output, t->session);
        output_front(t, &output);
        return cli_output_end(&output, t->session, CLI_DONE);
    }
    print_policies(t);
    print_sentence(t);
    if (t->run)
        cli_print_refutation(t->run, "");
    print_end(t);
    if (cli_has(t->session, "output")) {
        printf("\nwritten: ");
        cli_put(stdout, 0, cli_value(t->session, "output"));
        printf(": front.html, front.svg, front.csv, front.json, policy-01.json%s\n",
               t->front->policies > 1 ? " and so on" : "");
    }
    return CLI_DONE;
}

static cli_exit run_tradeoff(cli_session *session)
{
    trading t = {.session = session, .path = session->args.operand[0]};
    cli_wait_begin(session);
    cli_exit code = open_all(&t);
    if (code == CLI_DONE)
        code = make_directory(&t);
    if (code == CLI_DONE)
        code = find_front(&t);
    cli_wait_end();
    if (code == CLI_DONE)
        code = write_files(&t);
    if (code == CLI_DONE)
        code = show_front(&t);
    if (code == CLI_DONE && cli_has(session, "until") &&
        t.front->certificate.gap > cli_real(session, "until"))
        code = cli_fail(session, CLI_NOT_MET, "--until %s: the certificate is %.6g",
                        cli_value(session, "until"), t.front->certificate.gap);
    foray_doubt_destroy(t.doubt);
    foray_reward_destroy(t.worst);
    foray_front_destroy(t.front);
    cli_rewards_close(&t.rewards);
    cli_view_close(&t.view);
    foray_model_destroy(t.known);
    foray_run_close(t.run);
    return code;
}

static const cli_option options[] = {
    CLI_OPTION_REWARD,
    CLI_FILE('o', "output", "DIR",
             "the directory to write to: the policies, front.csv, front.json, front.svg, the front "
             "of the first two rewards drawn, and front.html, a page about all of it"),
    CLI_REAL(0, "until", "EPS", "0", 0, 1e300,
             "stop once one of the policies loses at most this, whatever the weighting; exit code "
             "1 where that cannot be had"),
    CLI_TEXT(0, "scale", "S1,S2,...",
             "what weights are of: values divided by these numbers, such as 100,1 if 100 of the "
             "first reward are as much as 1 of the second; by default the width of each reward's "
             "range"),
    CLI_INTEGER(0, "policies", "N", "60", 1, 10000, "how many policies there are at most"),
    CLI_OPTION_SETS,
    CLI_OPTION_DISCOUNT,
    CLI_OPTION_OPTIMISE,
    CLI_INTEGER(0, "doubt", "N", "3", 0, 1000000,
                "how many places and laws to show as the reason why more policies would not help"),
    CLI_OPTION_FORCE,
    CLI_OPTION_JSON,
    CLI_OPTION_THREADS,
    CLI_END,
};

const cli_command cli_tradeoff = {
    .name = "tradeoff",
    .group = CLI_GROUP_PLAN,
    .summary = "find the few policies that serve every weighting of several rewards",
    .operands = "RUN|MODEL",
    .min = 1,
    .max = 1,
    .words = CLI_WORDS_FILE,
    .description =
        "How much of one reward must be given up for another? Finds, for two to five rewards,\n"
        "few policies such that for every weighting of the rewards one of them loses at most\n"
        "the certificate; and for every policy there is a mixture of them that is at most as\n"
        "much worse in every reward at once. It holds under every law that fits the data, with\n"
        "the run's one delta. In a model whose theta is known it is exact.\n"
        "\n"
        "Policies are added where they help most, until the certificate is at most --until, or\n"
        "more policies would not make it smaller (then laws are named that should be visited\n"
        "more), or there are --policies of them. Weights are of values divided by --scale.",
    .options = options,
    .exits = {CLI_NOT_MET, CLI_BAD_INPUT, CLI_BAD_RUN},
    .examples = "foray explore rooms -k 20000 -o rooms.foray\n"
                "foray tradeoff rooms.foray -r goal:92 -r goal:46 -o front\n"
                "foray tradeoff rooms.foray -r goal:92 -r goal:46 -r goal:20 --policies 10\n"
                "foray tradeoff rooms -r goal:92 -r goal:46 --until 0.01 --json\n",
    .run = run_tradeoff,
};
