/* settings.c - the settings of a run, and the commands that make it again. */
#include "report/command.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_SIZE = 128 };

/* A setting as text, numbers with as few digits as read back exactly. */
static foray_status print_setting(foray_context *ctx, const foray_settings *settings,
                                  const char *name, char value[VALUE_SIZE])
{
    foray_status status = foray_settings_get(ctx, settings, name, value, VALUE_SIZE);
    if (status != FORAY_OK || !strpbrk(value, ".e"))
        return status;
    char *end;
    double real = strtod(value, &end);
    if (!*end) {
        char number[FY_NUMBER_SIZE];
        snprintf(value, VALUE_SIZE, "%s", fy_shortest(real, number));
    }
    return FORAY_OK;
}

/* ------------------------------------------------------------------------ commands */

static const char *file_name(const fy_report *report)
{
    const char *slash = strrchr(report->run->store->path, '/');
    return slash ? slash + 1 : report->run->store->path;
}

/* Rewards made by goal:STATE are called so; all others are files. */
static void add_reward(fy_writer *command, const char *name, const char *file)
{
    fy_print(command, " -r");
    fy_command_word(command, strncmp(name, "goal:", strlen("goal:")) == 0 ? name : file);
}

/* foray explore with every setting that is not the default. */
static foray_status add_explore(fy_report *report, fy_writer *command)
{
    foray_setting_info info;
    foray_settings defaults;
    char value[VALUE_SIZE], fallback[VALUE_SIZE];
    foray_status status = FORAY_OK;
    const foray_reward *reward = report->run->explorer->reward;
    foray_settings_default(&defaults);
    fy_print(command, "foray explore");
    fy_command_word(command, foray_run_world(report->run));
    for (int64_t i = 0; status == FORAY_OK && foray_setting_describe(i, &info); i++) {
        status = print_setting(report->ctx, &report->run->settings, info.name, value);
        if (status == FORAY_OK)
            status = print_setting(report->ctx, &defaults, info.name, fallback);
        if (status == FORAY_OK && strcmp(value, fallback) != 0)
            fy_command_flag(command, info.name, value);
    }
    if (reward)
        add_reward(command, foray_reward_name(reward), "reward.json");
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
    snprintf(file, sizeof file, "reward%" PRId64 ".json", id);
    fy_print(r->command, "foray plan");
    fy_command_word(r->command, file_name(r->report));
    add_reward(r->command, reward_name, file);
    fy_print(r->command, " -m %s\n", foray_mode_name(policy->mode));
    return ++r->count < FY_PAGE_SHOWN;
}

/* What the commands cannot do. */
static void print_caveats(fy_report *report, int64_t replanned)
{
    const foray_run *run = report->run;
    int64_t episodes = report->facts.episodes;
    if (run->other_source)
        fy_print(report->text, "<p>The episodes came from a world of the caller's own, not from "
                               "the model: commands cannot bring them back.</p>\n");
    else if (episodes < run->settings.episodes && run->settings.until == 0.0)
        fy_print(report->text,
                 "<p>The run has %" PRId64 " of %" PRId64 " episodes so far; the command goes on "
                 "to the end.</p>\n",
                 episodes, run->settings.episodes);
    if (replanned < report->facts.plans_stored)
        fy_print(report->text,
                 "<p>%" PRId64 " of %" PRId64 " plans are listed: the first %d of those made "
                 "after the last episode.</p>\n",
                 replanned, report->facts.plans_stored, FY_PAGE_SHOWN);
}

static foray_status print_commands(fy_report *report)
{
    fy_writer command = {.ctx = report->ctx};
    replans r = {.report = report, .command = &command};
    foray_status status = add_explore(report, &command);
    if (status == FORAY_OK)
        status = foray_run_plans(report->run, add_plan, &r);
    fy_write_bytes(&command, "", 1);
    report->text->failed |= command.failed;
    fy_print(report->text, "<h2>To make it again</h2>\n<pre id=\"command\">");
    if (!command.failed)
        fy_print_escaped(report->text, (const char *)command.data);
    fy_print(report->text, "</pre>\n");
    print_caveats(report, r.count);
    free(command.data);
    return status;
}

/* -------------------------------------------------------------------------- settings */

static foray_status print_table(fy_report *report)
{
    static const char *const heading[] = {"setting", "value", "default", "meaning"};
    foray_setting_info info;
    char value[VALUE_SIZE];
    foray_status status = FORAY_OK;
    fy_table table = fy_table_begin(report->ctx, 4, heading);
    for (int64_t i = 0; status == FORAY_OK && foray_setting_describe(i, &info); i++) {
        status = print_setting(report->ctx, &report->run->settings, info.name, value);
        fy_table_cell(&table, "%s", info.name);
        fy_table_cell(&table, "%s", value);
        fy_table_cell(&table, "%s", info.fallback);
        fy_table_cell(&table, "%s", info.help);
    }
    fy_page_data(report->text, &table, "settings", NULL);
    return status;
}

/* The reward that was explored for, if there was one. */
static foray_status offer_reward(fy_report *report)
{
    char *json;
    const foray_reward *reward = report->run->explorer->reward;
    foray_status status =
        reward ? foray_reward_print(report->ctx, reward, &json) : FORAY_TARGET_MISSED;
    if (status != FORAY_OK)
        return reward ? status : FORAY_OK;
    if (strlen(json) <= FY_REPORT_REWARD)
        fy_page_download(report->text, "reward.json", "application/json", json, strlen(json));
    free(json);
    return FORAY_OK;
}

foray_status fy_report_settings(fy_report *report)
{
    foray_status status = print_commands(report);
    if (status == FORAY_OK)
        status = offer_reward(report);
    fy_print(report->text, "<h2>Settings</h2>\n");
    return status == FORAY_OK ? print_table(report) : status;
}
