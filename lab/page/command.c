/* command.c - command lines as a shell reads them. */
#include "page/command.h"
#include "algorithms/algorithms.h"
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

void fy_command_word(fy_writer *command, const char *word)
{
    static const char harmless[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    bool plain = *word && !word[strspn(word, harmless)];
    fy_print(command, plain ? " " : " '");
    for (; *word; word++)
        fy_write_bytes(command, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
    fy_print(command, plain ? "" : "'");
}

void fy_command_flag(fy_writer *command, const char *name, const char *value)
{
    char flag[64];
    fy_format(flag, sizeof flag, "--%s", name);
    for (char *at = flag; (at = strchr(at, '_'));)
        *at = '-';
    fy_command_word(command, flag);
    fy_command_word(command, value);
}

void fy_command_number(fy_writer *command, const char *name, double value)
{
    char number[FY_NUMBER_BYTES];
    fy_command_flag(command, name, fy_number_text(value, number));
}

void fy_command_reward(fy_writer *command, const char *name, const char *file)
{
    fy_print(command, " -r");
    fy_command_word(command, strncmp(name, "goal:", strlen("goal:")) == 0 ? name : file);
}

foray_status fy_command_settings(foray_context *ctx, fy_writer *command,
                                 const foray_settings *settings, const char *except)
{
    const foray_parameter *row;
    char value[FY_SETTING_SIZE];
    foray_status status = FORAY_OK;
    for (int64_t i = 0; status == FORAY_OK && (row = fy_settings_row(settings, i)); i++) {
        if (except && strcmp(row->name, except) == 0)
            continue;
        status = foray_settings_get(ctx, settings, row->name, value, sizeof value);
        if (status == FORAY_OK && strcmp(value, row->fallback) != 0)
            fy_command_flag(command, row->name, value);
    }
    return status;
}
