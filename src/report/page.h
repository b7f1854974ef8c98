/* page.h - the frame of an HTML page that needs nothing but itself. */
#ifndef FY_PAGE_H
#define FY_PAGE_H

#include "report/text.h"

/* Everything up to the heading, and everything after the last section. */
void fy_page_begin(fy_writer *text, const char *title);
void fy_page_end(fy_writer *text);

#endif
