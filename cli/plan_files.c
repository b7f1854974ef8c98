/* plan_files.c - the policy files that foray plan writes. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "plan.h"
#include "base/base.h"
#include "policy/policy.h"

enum { NAME_SIZE = 128, MOST_REASONS = 100 };

/* ------------------------------------------------------------------- their names */

static bool is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Within a directory a policy is called after its reward: goal:8 becomes goal-8.json. */
static char *file_of_reward(const char *directory, const char *reward)
{
    const char *slash = directory[strlen(directory) - 1] == '/' ? "" : "/";
    size_t size = strlen(directory) + NAME_SIZE + sizeof "/.json";
    char name[NAME_SIZE], *path = malloc(size);
    snprintf(name, sizeof name, "%s", *reward && *reward != '.' ? reward : "policy");
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._-+", *c))
            *c = '-';
    if (path)
        snprintf(path, size, "%s%s%s.json", directory, slash, name);
    return path;
}

static int compare_paths(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

/* Several policies need a name each: two that are the same meet in their order. */
static cli_exit check_names(cli_planning *p)
{
    size_t count = (size_t)p->rewards.count;
    char **name = malloc(count * sizeof *name);
    if (!name)
        return cli_fail(p->session, CLI_BAD_INPUT, "out of memory");
    memcpy(name, p->file, count * sizeof *name);
    qsort(name, count, sizeof *name, compare_paths);
    cli_exit code = CLI_DONE;
    for (size_t i = 1; i < count && code == CLI_DONE; i++)
        if (strcmp(name[i], name[i - 1]) == 0)
            code =
                cli_fail(p->session, CLI_USAGE, "two rewards would both be written to %s", name[i]);
    free(name);
    return code;
}

/* Where the policies go. */
static cli_exit name_files(cli_planning *p, const char *output)
{
    bool directory = p->into_directory = is_directory(output);
    p->file = calloc((size_t)p->rewards.count, sizeof *p->file);
    for (int64_t i = 0; p->file && i < p->rewards.count; i++) {
        p->file[i] = directory ? file_of_reward(output, foray_reward_name(p->rewards.item[i]))
                               : strdup(output);
        if (!p->file[i])
            return cli_fail(p->session, CLI_BAD_INPUT, "out of memory");
    }
    return p->file ? check_names(p) : cli_fail(p->session, CLI_BAD_INPUT, "out of memory");
}

/* Standard output takes one policy and nothing beside it. */
static cli_exit check_stdout(cli_planning *p, const char *output)
{
    static const char *const others[] = {"map", "truth"};
    p->to_stdout = cli_is_stdout(output);
    for (size_t i = 0; p->to_stdout && i < sizeof others / sizeof *others; i++)
        if (cli_has(p->session, others[i]))
            return cli_fail(p->session, CLI_USAGE, "--%s and -o %s both need standard output",
                            others[i], output);
    return CLI_DONE;
}

/* Names that promise something else. */
static bool promises_another_format(const char *output)
{
    const char *dot = strrchr(output, '.');
    return dot && (strcmp(dot, ".csv") == 0 || strcmp(dot, ".c") == 0) && !is_directory(output);
}

cli_exit cli_plan_check_output(cli_planning *p)
{
    const char *output = cli_value(p->session, "output");
    if (!output)
        return CLI_DONE;
    if (promises_another_format(output))
        return cli_fail(p->session, CLI_USAGE,
                        "-o %s: a policy is written as JSON, and 'foray policy export' makes CSV "
                        "or C of it",
                        output);
    if (output[strlen(output) - 1] == '/' && mkdir(output, 0777) != 0 && errno != EEXIST)
        return cli_fail(p->session, CLI_BAD_INPUT, "%s: %s", output, strerror(errno));
    if (p->rewards.count > 1 && !is_directory(output))
        return cli_fail(p->session, CLI_USAGE,
                        "-o %s: several rewards need a directory (end it in '/')", output);
    cli_exit code = check_stdout(p, output);
    if (code == CLI_DONE)
        code = name_files(p, output);
    for (int64_t i = 0; i < p->rewards.count && code == CLI_DONE; i++)
        code = cli_destination_check(p->session, p->file[i]);
    return code;
}

/* ----------------------------------------------------------------- their content */

/* The clusters of a run, where it has them. What a run file names is not started because it says
 * so: without --trust, the clusters of programs and plug-ins are left out. */
static cli_exit open_view(cli_planning *p)
{
    if (p->known || p->view.system || !cli_view_names(foray_run_world(p->run)))
        return CLI_DONE;
    bool numbered = strstr(foray_run_world(p->run), "@states") != NULL; /* states, not clusters */
    if (numbered && !cli_has(p->session, "trust"))
        return CLI_DONE;
    if (!cli_view_trust(foray_run_world(p->run))[0] || cli_has(p->session, "trust"))
        return cli_view_of_run(p->session, p->run, NULL, &p->view);
    cli_fail(p->session, CLI_DONE,
             "the policy files do not say what the clusters of %s are: with --trust they do",
             foray_run_world(p->run));
    return CLI_DONE;
}

/* What makes a policy file complete by itself. */
static cli_exit complete(cli_planning *p, int64_t i)
{
    foray_context *ctx = p->session->ctx;
    const foray_reward *reward = p->rewards.item[i];
    int64_t max = cli_has(p->session, "doubt") ? cli_whole(p->session, "doubt") : MOST_REASONS;
    foray_policy *policy = p->policy[i];
    foray_status status = p->known ? foray_policy_complete(ctx, policy, p->known, reward)
                                   : foray_run_complete_policy(p->run, reward, policy);
    if (status == FORAY_OK && p->known)
        policy->about->world = strdup(p->path);
    if (status == FORAY_OK && p->view.clusters)
        status = foray_policy_keep_clusters(ctx, policy, p->view.clusters);
    if (status == FORAY_OK && p->explain && p->doubt[i])
        status = fy_policy_keep_doubt(ctx, policy, p->doubt[i], max);
    return cli_status(p->session, status);
}

static cli_exit write_policy(cli_planning *p, int64_t i)
{
    char *text;
    size_t size;
    cli_exit code = complete(p, i);
    if (code == CLI_DONE)
        code =
            cli_status(p->session, foray_policy_print(p->session->ctx, p->policy[i], &text, &size));
    if (code != CLI_DONE)
        return code;
    code = p->into_directory ? cli_destination_put(p->session, p->file[i], text, size)
                             : cli_destination_write(p->session, p->file[i], text, size);
    free(text);
    return code;
}

cli_exit cli_plan_write(cli_planning *p)
{
    cli_exit code = p->file ? open_view(p) : CLI_DONE;
    int64_t written = 0;
    for (; p->file && written < p->rewards.count && code == CLI_DONE; written += code == CLI_DONE)
        code = write_policy(p, written);
    if (code == CLI_DONE && p->into_directory)
        code =
            cli_status(p->session, fy_files_sync(p->session->ctx, cli_value(p->session, "output")));
    for (int64_t i = 0; i < written && code != CLI_DONE; i++)
        cli_destination_undo(p->session, p->file[i]);
    return code;
}
