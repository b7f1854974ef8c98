/* settings.c - the settings of a run, and the commands that make it again. */
#include "page/command.h"
#include "report/report.h"
#include "explore/explorer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------ commands */

static const char *file_name(const fy_report *report)
{
    const char *slash = strrchr(report->run->store->path, '/');
    return slash ? slash + 1 : report->run->store->path;
}

/* What was recorded elsewhere is learnt again from what 'foray data' writes. */
static void add_learn(fy_report *report, fy_writer *command)
{
    foray_settings usual;
    foray_settings_default(&usual);
    fy_print(command, "foray learn");
    fy_command_word(command, foray_run_world(report->run));
    fy_print(command, " episodes.csv");
    if (report->run->settings.delta != usual.delta)
        fy_command_number(command, "delta", report->run->settings.delta);
    fy_print(command, " -o");
    fy_command_word(command, file_name(report));
    fy_print(command, "\n");
}

/* foray explore with every setting that is not the default. */
static foray_status add_explore(fy_report *report, fy_writer *command)
{
    const foray_reward *reward = fy_explorer_reward(report->run->explorer);
    fy_print(command, "foray explore");
    fy_command_word(command, foray_run_world(report->run));
    foray_status status = fy_command_settings(report->ctx, command, &report->run->settings, NULL);
    if (reward)
        fy_command_reward(command, foray_reward_name(reward), "reward.json");
    fy_print(command, " -o");
    fy_command_word(command, file_name(report));
    fy_print(command, "\n");
    return status;
}

typedef struct replans {
    const fy_report *report;
    fy_writer *command;
    int64_t count;
} replans;

static bool add_plan(void *user, int64_t id, int64_t episodes, const char *reward_name,
                     const char *reward_json, const foray_policy *policy)
{
    char file[48];
    replans *r = user;
    (void)reward_json;
    if (episodes != r->report->facts.episodes)
        return true;
    fy_format(file, sizeof file, "reward%" PRId64 ".json", id);
    fy_print(r->command, "foray plan");
    fy_command_word(r->command, file_name(r->report));
    fy_command_reward(r->command, reward_name, file);
    fy_print(r->command, " -m %s\n", foray_mode_name(policy->mode));
    return ++r->count < FY_PAGE_SHOWN;
}

/* The commands that reproduce the run and its plans, and what they cannot do. */
static foray_status print_commands(fy_report *report)
{
    const foray_run *run = report->run;
    int64_t episodes = report->facts.episodes;
    fy_writer command = {.ctx = report->ctx};
    replans r = {.report = report, .command = &command};
    bool recorded = fy_report_is_recorded(report);
    foray_status status = FORAY_OK;
    if (recorded)
        add_learn(report, &command);
    else
        status = add_explore(report, &command);
    if (status == FORAY_OK)
        status = foray_run_plans(report->run, add_plan, &r);
    fy_page_command(report->text, &command);
    if (recorded)
        fy_print(report->text, "<p>The episodes were recorded elsewhere: <code>foray data</code> "
                               "writes those that the run has to episodes.csv.</p>\n");
    else if (run->source != FY_SOURCE_MODEL)
        fy_print(report->text, "<p>The episodes came from a world other than the model. If the "
                               "command names a system, that system is used again; a world inside "
                               "another program cannot be reproduced.</p>\n");
    else if (episodes < run->settings.episodes && run->settings.until < 0.0)
        fy_print(report->text,
                 "<p>The run has %" PRId64 " of %" PRId64
                 " episodes so far; the command explores all of them.</p>\n",
                 episodes, run->settings.episodes);
    if (r.count < report->facts.plans_stored)
        fy_print(report->text,
                 "<p>%" PRId64 " of %" PRId64 " plans are listed: the first %d of those made "
                 "after the last episode.</p>\n",
                 r.count, report->facts.plans_stored, FY_PAGE_SHOWN);
    return status;
}

foray_status fy_report_settings(fy_report *report)
{
    foray_status status = print_commands(report);
    /* The reward that was explored for, if there was one. */
    const foray_reward *reward = fy_explorer_reward(report->run->explorer);
    if (status == FORAY_OK && reward) {
        char *json = NULL;
        status = foray_reward_print(report->ctx, reward, &json, NULL);
        if (status == FORAY_OK && strlen(json) <= FY_REPORT_REWARD)
            fy_page_download(report->text, "reward.json", "application/json", json, strlen(json));
        free(json);
    }
    return status == FORAY_OK ? fy_page_settings(report->text, &report->run->settings) : status;
}
