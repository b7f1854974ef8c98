/* page.h - head and foot of an HTML page that needs nothing but itself, and what the pages of
 * runs, comparisons and experiments have in common. */
#ifndef FY_PAGE_H
#define FY_PAGE_H

#include "draw/table.h"

enum { FY_PAGE_SHOWN = 200 }; /* rows of a table on a page */

/* Everything up to the heading, and everything after the last section. */
void fy_page_begin(fy_writer *text, const char *title);
void fy_page_end(fy_writer *text);

/* Within <dl>: one fact. */
void fy_page_fact(fy_writer *text, const char *name, const char *value);
void fy_page_count(fy_writer *text, const char *name, int64_t value);

/* A table to be downloaded as a CSV file called after `id`. */
void fy_page_csv(fy_writer *text, const fy_table *table, const char *id);
/* What a picture shows as a table to be opened, and as a CSV file called after `id` to be
 * downloaded. `note` (may be NULL) says what is left out of both. */
void fy_page_data(fy_writer *text, const fy_table *table, const char *id, const char *note);

/* A table to be read, its numbers with a few digits, and the same as CSV with all of them. */
void fy_page_table(fy_writer *text, const fy_table *table, const char *id);

/* The section with the commands that make it again; releases them. */
void fy_page_command(fy_writer *text, fy_writer *command);

/* The section with all settings of an exploration. */
foray_status fy_page_settings(fy_writer *text, const foray_settings *settings);

/* A link that downloads `size` bytes as a file. */
void fy_page_download(fy_writer *text, const char *file, const char *type, const void *data,
                      size_t size);

#endif
