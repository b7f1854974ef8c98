/* algorithms.h - the table of algorithms, and settings as they read them. */
#ifndef FY_ALGORITHMS_H
#define FY_ALGORITHMS_H

#include "explore/explorer.h"

/* Row `index` of the table, and the one called so; NULL: there is none. */
const fy_explorer_ops *fy_algorithm_at(int64_t index);
const fy_explorer_ops *fy_algorithm_named(const char *name);

/* Checks the settings, of whatever size the caller knows them, and copies them; *ops and
 * own[FY_MAX_PARAMETERS] become the algorithm and the values of its parameters. */
foray_status fy_settings_read(foray_context *ctx, const foray_settings *given,
                              foray_settings *settings, const fy_explorer_ops **ops,
                              foray_parameter_value *own);

/* The same without the parameters: settings that can be kept. */
foray_status fy_settings_copy(foray_context *ctx, const foray_settings *given,
                              foray_settings *settings);

/* Row `index` of what these settings say: those that all algorithms have, those of the chosen
 * one, and others that were set (for algorithms yet to be chosen). NULL past the end. */
const foray_parameter *fy_settings_row(const foray_settings *settings, int64_t index);

/* Makes `algorithm` the one that is chosen, and forgets parameters that it does not have. */
void fy_settings_choose(foray_settings *settings, const char *algorithm);

#endif
