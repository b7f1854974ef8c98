/* command.h - command lines as a shell reads them. */
#ifndef FY_COMMAND_H
#define FY_COMMAND_H

#include "report/text.h"

/* " word", in quotes unless it is harmless. */
void fy_command_word(fy_writer *command, const char *word);
/* " --replan-growth 0.5" for replan_growth; a value of NULL: none. */
void fy_command_flag(fy_writer *command, const char *name, const char *value);

#endif
