/* command.h - command lines as a shell reads them. */
#ifndef FY_COMMAND_H
#define FY_COMMAND_H

#include "draw/text.h"

/* " word", in quotes unless it is harmless. */
void fy_command_word(fy_writer *command, const char *word);
/* " --replan-growth 0.5" for replan_growth. */
void fy_command_flag(fy_writer *command, const char *name, const char *value);
/* The same for a number. */
void fy_command_number(fy_writer *command, const char *name, double value);
/* Rewards made by goal:STATE are called so; all others are files. */
void fy_command_reward(fy_writer *command, const char *name, const char *file);
/* A flag for every setting that is not the default, but for `except` (may be NULL). */
foray_status fy_command_settings(foray_context *ctx, fy_writer *command,
                                 const foray_settings *settings, const char *except);

/* Room for a setting as text. */
enum { FY_SETTING_SIZE = 128 };

#endif
