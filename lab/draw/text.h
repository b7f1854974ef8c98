/* text.h - what pages and tables are written with: escaped text, numbers for people, labels. */
#ifndef FY_TEXT_H
#define FY_TEXT_H

#include "base/base.h"

/* For XML and HTML: & < > " ' as entities. Control characters, which XML cannot
 * hold at all, and bytes that are not UTF-8 become '?'. */
void fy_print_escaped(fy_writer *text, const char *from);

/* For the part of a data: URI after the comma: everything but letters, digits and , . - _
 * as %XX. */
void fy_print_uri(fy_writer *text, const void *data, size_t size);

/* A number for people, with 4 significant digits: "0.0123", "1,234,567", "1.2e-09",
 * "infinite", "unknown". Returns `out`. */
enum { FY_NUMBER_SIZE = 48 };
const char *fy_number(double value, char out[FY_NUMBER_SIZE]);

/* A name short enough for a label, with "…" where something is missing; the number
 * where there is no name. */
enum { FY_LABEL_SIZE = 48 };
const char *fy_label(const char *name, int64_t number, char out[FY_LABEL_SIZE]);

/* Writes the text to a file, whole or not at all, and releases it in any case. */
foray_status fy_text_save(fy_writer *text, const char *path);

#endif
