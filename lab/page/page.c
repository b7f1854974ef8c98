/* page.c - head and foot of an HTML page. */
#include "page/page.h"
#include "algorithms/algorithms.h"
#include "page/command.h"
#include "draw/map.h"
#include "draw/svg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1f24;--paper:#ffffff;--faint:#d5d9de;--quiet:#57606a;"
    "--heat:#0072b2;--mark:#d55e00;--wall:#aab1ba;--link:#0072b2}"
    "@media (prefers-color-scheme:dark){"
    ":root{--ink:#e6e9ed;--paper:#14181d;--faint:#3a414a;--quiet:#a0a8b2;"
    "--heat:#2b7fb8;--mark:#f0803c;--wall:#4a525c;--link:#56b4e9}}"
    "body{font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;"
    "color:var(--ink);background:var(--paper);max-width:72rem;margin:2rem auto;padding:0 1rem}"
    "h1{font-size:1.5rem;margin-bottom:.2rem}h2{font-size:1.15rem;margin-top:2.2rem}"
    "p.lead{color:var(--quiet);margin-top:0}figure{margin:1rem 0;overflow-x:auto}"
    "div.wide{overflow-x:auto}"
    "table{border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums}"
    "th,td{padding:.25rem .7rem;border-bottom:1px solid var(--faint);text-align:left;"
    "white-space:nowrap}th{white-space:normal;vertical-align:bottom}.number{text-align:right}td "
    "span{white-space:nowrap}"
    "details{margin:.4rem 0}summary{cursor:pointer;color:var(--quiet)}"
    "code{font-family:ui-monospace,monospace;font-size:.92em}"
    "svg.chart{max-width:100%;height:auto}div.pair svg.chart{width:100%;max-width:620px}"
    "figcaption{color:var(--quiet);font-size:.9rem}h3{margin:1.6rem 0 .2rem}"
    "h1,h3,dd{overflow-wrap:anywhere}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--faint);padding:.6rem}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem}"
    "dt{color:var(--quiet)}dd{margin:0}a{color:var(--link)}"
    "a.download{margin-right:1rem;font-size:.9rem}"
    "div.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,30rem),1fr));"
    "gap:0 1rem}div.pair:has(.forest){grid-template-columns:repeat(auto-fit,minmax(min(100%,44rem),"
    "1fr))}div.pair .forest svg.chart{max-width:760px}"
    "ul.legend{list-style:none;margin:.6rem 0;padding:0;display:flex;flex-wrap:wrap;"
    "gap:.2rem 1.2rem;font-size:.9rem}svg.key{vertical-align:middle}"
    "figure h3{font-size:1rem}p.hidden{margin:.2rem 0;color:var(--quiet);font-size:.9rem}"
    "p.verdict{font-size:1.08rem;border-left:4px solid var(--heat);padding-left:.8rem}"
    "span.formula{font-family:'Latin Modern Math','STIX Two Math','Cambria Math',serif}"
    "sup,sub{line-height:0}"
    "#summary-table td{white-space:normal}"
    "div.small{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,17rem),1fr));"
    "gap:1rem;"
    "font-size:.86rem;color:var(--quiet)}"
    "@media (max-width:480px){svg.chart{font-size:16px}}"
    "@media (min-width:1800px){body{max-width:108rem}p,ul.findings{max-width:72rem}}"
    /* Paper does not scroll, and nobody opens what is closed there. */
    "@media print{body{max-width:none;margin:0}figure,section,tr,pre{break-inside:avoid}"
    "h2,h3,h2+p,h3+p{break-after:avoid}a.download,summary,h2:has(+details),details+p{display:none}"
    "div.wide,figure{overflow:visible}table{font-size:.72rem}"
    "th,td{white-space:normal;padding:.2rem .35rem}"
    "}";

void fy_page_begin(fy_writer *text, const char *title)
{
    fy_print(text, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n");
    fy_print(text, "<title>");
    fy_print_escaped(text, title);
    fy_print(text, "</title>\n<style>");
    fy_write_bytes(text, style, sizeof style - 1);
    fy_write_bytes(text, fy_map_style, strlen(fy_map_style));
    fy_write_bytes(text, fy_svg_style, strlen(fy_svg_style));
    fy_print(text, "</style>\n</head>\n<body>\n<main>\n<h1>");
    fy_print_escaped(text, title);
    fy_print(text, "</h1>\n");
}

void fy_page_end(fy_writer *text)
{
    fy_print(text, "</main>\n</body>\n</html>\n");
}

/* ---------------------------------------------------------------------------- facts */

void fy_page_fact(fy_writer *text, const char *name, const char *value)
{
    fy_print(text, "<dt>%s</dt><dd>", name);
    fy_print_escaped(text, value);
    fy_print(text, "</dd>\n");
}

void fy_page_count(fy_writer *text, const char *name, int64_t value)
{
    char number[FY_NUMBER_SIZE];
    fy_page_fact(text, name, fy_number((double)value, number));
}

/* --------------------------------------------------------------------------- tables */

void fy_page_download(fy_writer *text, const char *file, const char *type, const void *data,
                      size_t size)
{
    fy_print(text, "<a class=\"download\" download=\"%s\" href=\"data:%s;charset=utf-8,", file,
             type);
    fy_print_uri(text, data, size);
    fy_print(text, "\">%s</a>\n", file);
}

void fy_page_csv(fy_writer *text, const fy_table *table, const char *id)
{
    char file[64];
    fy_writer csv = {.ctx = text->ctx};
    fy_table_print_csv(table, &csv);
    text->failed |= csv.failed;
    fy_format(file, sizeof file, "%s.csv", id);
    if (!csv.failed)
        fy_page_download(text, file, "text/csv", csv.data, csv.size);
    free(csv.data);
}

void fy_page_data(fy_writer *text, const fy_table *table, const char *id, const char *note)
{
    int64_t rows = fy_table_rows(table);
    fy_print(text, "<details id=\"%s-data\"><summary>as a table</summary>\n", id);
    if (note)
        fy_print(text, "<p>%s</p>\n", note);
    if (rows > FY_PAGE_SHOWN)
        fy_print(text, "<p>Here the first %d rows; the CSV file has %" PRId64 ".</p>\n",
                 FY_PAGE_SHOWN, rows);
    fy_print(text, "<div class=\"wide\" tabindex=\"0\">\n");
    fy_table_print_html_top(table, FY_PAGE_SHOWN, text);
    fy_print(text, "</div></details>\n");
    fy_page_csv(text, table, id);
}

void fy_page_table(fy_writer *text, const fy_table *table, const char *id)
{
    fy_print(text, "<div class=\"wide\" id=\"%s-table\" tabindex=\"0\">\n", id);
    fy_table_print_html_rounded(table, text);
    fy_print(text, "</div>\n");
    fy_page_csv(text, table, id);
}

/* -------------------------------------------------------------- commands and settings */

void fy_page_command(fy_writer *text, fy_writer *command)
{
    fy_write_bytes(command, "", 1);
    text->failed |= command->failed;
    fy_print(text, "<h2>To reproduce it</h2>\n<pre id=\"command\">");
    if (!command->failed)
        fy_print_escaped(text, (const char *)command->data);
    fy_print(text, "</pre>\n");
    free(command->data);
    *command = (fy_writer){.ctx = command->ctx};
}

foray_status fy_page_settings(fy_writer *text, const foray_settings *settings)
{
    static const char *const heading[] = {"setting", "value", "default", "meaning"};
    const foray_parameter *row;
    char value[FY_SETTING_SIZE];
    foray_status status = FORAY_OK;
    fy_table table = fy_table_begin(text->ctx, 4, heading);
    for (int64_t i = 0; status == FORAY_OK && (row = fy_settings_row(settings, i)); i++) {
        status = foray_settings_get(text->ctx, settings, row->name, value, sizeof value);
        fy_table_cell(&table, "%s", row->name);
        fy_table_cell(&table, "%s", value);
        fy_table_cell(&table, "%s", row->fallback);
        fy_table_cell(&table, "%s", row->help);
    }
    fy_print(text, "<h2>Settings</h2>\n");
    fy_page_data(text, &table, "settings", NULL);
    fy_table_free(&table);
    return status;
}
