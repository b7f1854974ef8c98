/* command.c - command lines as a shell reads them. */
#include "report/command.h"

#include <stdio.h>
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
    snprintf(flag, sizeof flag, "--%s", name);
    for (char *at = flag; (at = strchr(at, '_'));)
        *at = '-';
    fy_command_word(command, flag);
    if (value)
        fy_command_word(command, value);
}
