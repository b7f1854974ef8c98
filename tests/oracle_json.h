/* oracle_json.h - what jansson, which others wrote, makes of a JSON text. */
#ifndef ORACLE_JSON_H
#define ORACLE_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"

/* Do jansson and base/json.h agree: both refuse the text, or both see the same values? What
 * jansson limits (depth) or does not (keys of an object) is left out and counts as agreeing; a
 * zero byte, which jansson lets pass between tokens, must be refused. */
bool oracle_json_agrees(foray_context *ctx, const char *text, size_t size);

#endif
