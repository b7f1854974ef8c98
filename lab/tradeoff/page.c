/* page.c - the page of a front: what is proved, the pictures, the policies, what would help. */
#include "tradeoff/page.h"
#include "page/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------- table */

foray_status fy_tradeoff_table(foray_context *ctx, const foray_front *front,
                               foray_reward *const *reward, fy_table *out)
{
    static const char *const what[] = {"weight", "value", "low", "high"};
    const double *const number[] = {front->centre, front->value, front->low, front->high};
    enum { KINDS = 4, HEADINGS = 3 + KINDS * FORAY_MAX_REWARDS, NAME = FORAY_NAME_MAX + 16 };
    char name[HEADINGS][NAME];
    const char *heading[HEADINGS] = {"policy", "file"};
    int64_t m = front->rewards, columns = 2;
    for (int kind = 0; kind < KINDS; kind++)
        for (int64_t i = 0; i < m; i++) {
            fy_format(name[columns], NAME, "%s %s", what[kind], foray_reward_name(reward[i]));
            heading[columns] = name[columns];
            columns++;
        }
    heading[columns++] = "certificate";
    fy_table table = fy_table_begin(ctx, columns, heading);
    for (int64_t k = 0; k < front->policies; k++) {
        fy_table_integer(&table, k + 1);
        fy_table_cell(&table, "policy-%02" PRId64 ".json", k + 1);
        for (int kind = 0; kind < KINDS; kind++)
            for (int64_t i = 0; i < m; i++)
                fy_table_exact(&table, number[kind][k * m + i]);
        fy_table_exact(&table, fy_tradeoff_loss(front, k));
    }
    if (!table.cells.failed) {
        *out = table;
        return FORAY_OK;
    }
    fy_table_free(&table);
    return fy_fail(ctx, FORAY_ERROR_MEMORY, "out of memory");
}

/* ---------------------------------------------------------------------- what is proved */

static void print_tolerances(fy_writer *text, const fy_tradeoff_about *about)
{
    const foray_front *front = about->front;
    char number[FY_NUMBER_SIZE];
    for (int64_t i = 0; i < front->rewards; i++) {
        double off = front->certificate.gap * fabs(front->scale[i]);
        fy_print(text, "%s%s of ",
                 i == 0                   ? ""
                 : i + 1 < front->rewards ? ", "
                                          : " and ",
                 fy_number(off, number));
        fy_print_escaped(text, foray_reward_name(about->reward[i]));
    }
}

static void print_sentence(fy_writer *text, const fy_tradeoff_about *about)
{
    const foray_front *front = about->front;
    const foray_certificate *certificate = &front->certificate;
    char number[FY_NUMBER_SIZE];
    fy_print(text,
             "<p class=\"verdict\">For every weighting one of these %" PRId64
             " policies loses at most %s; for every policy there is a mixture of them that is at "
             "most ",
             front->policies, fy_number(certificate->gap, number));
    print_tolerances(text, about);
    fy_print(text, " worse, all at once");
    if (certificate->status == FORAY_EXACT)
        fy_print(text, ".</p>\n<p>This is exact, since the probabilities are known.</p>\n");
    else if (certificate->status == FORAY_CERTIFIED)
        fy_print(text, ", with probability at least %g.</p>\n", 1 - certificate->delta);
    else
        fy_print(text, ".</p>\n<p><b>No guarantee: %s.</b></p>\n",
                 foray_certificate_because(certificate));
}

static void print_reading(fy_writer *text, const fy_tradeoff_about *about)
{
    const foray_front *front = about->front;
    bool known = about->episodes < 0, units = false;
    char number[FY_NUMBER_SIZE];
    for (int64_t i = 0; i < front->rewards; i++)
        units |= fabs(front->scale[i]) != 1;
    fy_print(text, "<p>Every mark is a policy.%s%s",
             known ? ""
                   : " The box around it is where its values lie under every law that fits "
                     "the data.",
             front->rewards > 2 ? ""
                                : " The line between two neighbours is what mixing them gives: "
                                  "one is drawn when an episode begins, and kept.");
    fy_print(text, " Beyond the dashed line, where it is grey, no policy at all can be. Point at a "
                   "mark, or get to it with the Tab key, to see its numbers.</p>\n");
    if (!units)
        return;
    fy_print(text, "<p>Weights and losses are of values divided by ");
    for (int64_t i = 0; i < front->rewards; i++) {
        fy_print(text, "%s%s (", i == 0 ? "" : ", ", fy_number(fabs(front->scale[i]), number));
        fy_print_escaped(text, foray_reward_name(about->reward[i]));
        fy_print(text, ")");
    }
    fy_print(text, ".</p>\n");
}

/* --------------------------------------------------------------------------- sections */

static void print_pictures(fy_writer *text, const fy_tradeoff_about *about)
{
    int64_t m = about->front->rewards;
    fy_print(text, "<section><h2>The front</h2>\n");
    print_reading(text, about);
    if (m > 2)
        fy_print(text, "<div class=\"pair\">\n");
    for (int64_t x = 0; x < m; x++)
        for (int64_t y = x + 1; y < m; y++) {
            fy_print(text, "<figure>\n");
            fy_tradeoff_plane(text, about, x, y);
            fy_print(text, "</figure>\n");
        }
    if (m > 2)
        fy_print(text, "</div>\n");
    fy_print(text, "</section>\n");
    if (m != 3)
        return;
    fy_print(text, "<section><h2>Who serves which weights</h2>\n<p>Every point of the triangle is "
                   "a weighting; at a corner one reward counts alone. A policy serves the "
                   "weightings of its own colour.</p>\n<figure>\n");
    fy_tradeoff_triangle(text, about);
    fy_print(text, "</figure>\n</section>\n");
}

static void print_policies(fy_writer *text, const fy_tradeoff_about *about)
{
    fy_table table;
    fy_print(text, "<section><h2>The policies</h2>\n");
    if (fy_tradeoff_table(text->ctx, about->front, about->reward, &table) == FORAY_OK) {
        fy_page_table(text, &table, "front");
        fy_table_free(&table);
    } else {
        text->failed = true;
    }
    fy_print(text, "</section>\n");
}

static void print_doubt(fy_writer *text, const fy_tradeoff_about *about)
{
    enum { LAWS = 10 };
    static const char *const heading[] = {"law", "visits", "share", "more visits would halve it"};
    char name[96];
    if (about->front->full)
        fy_print(text, "<section><h2>What would help</h2>\n<p>More policies may: these are as many "
                       "as were allowed.</p></section>\n");
    if (!about->doubt || about->doubt->laws == 0)
        return;
    fy_table table = fy_table_begin(text->ctx, 4, heading);
    for (int64_t i = 0; i < about->doubt->laws && i < LAWS; i++) {
        const foray_doubt_law *law = &about->doubt->law[i];
        foray_doubt_law_name(law, name, sizeof name);
        fy_table_cell(&table, "%s", name);
        fy_table_integer(&table, law->visits);
        fy_table_number(&table, law->share);
        fy_table_number(&table, law->more);
    }
    fy_print(text, "<section><h2>What would help</h2>\n<p>More policies would not, more data "
                   "would. These laws are behind the largest certificate:</p>\n"
                   "<div class=\"wide\" tabindex=\"0\">\n");
    fy_table_print_html(&table, text);
    fy_print(text, "</div></section>\n");
    text->failed |= table.cells.failed;
    fy_table_free(&table);
}

static void print_title(fy_writer *text, const fy_tradeoff_about *about)
{
    fy_writer title = {.ctx = text->ctx};
    char *words;
    for (int64_t i = 0; i < about->front->rewards; i++)
        fy_print(&title, "%s%s", i == 0 ? "" : " against ", foray_reward_name(about->reward[i]));
    if (fy_writer_take(&title, "a page", &words, NULL) != FORAY_OK) {
        text->failed = true;
        return;
    }
    fy_page_begin(text, words);
    free(words);
}

foray_status fy_tradeoff_page(foray_context *ctx, const fy_tradeoff_about *about, char **out,
                              size_t *size)
{
    fy_writer text = {.ctx = ctx};
    print_title(&text, about);
    fy_print(&text, "<p class=\"lead\">");
    fy_print_escaped(&text, about->source);
    if (about->episodes >= 0) {
        char number[FY_NUMBER_SIZE];
        fy_print(&text, ", after %s episodes of %" PRId64 " steps",
                 fy_number((double)about->episodes, number), foray_model_horizon(about->model));
    }
    fy_print(&text, "</p>\n");
    print_sentence(&text, about);
    print_pictures(&text, about);
    print_policies(&text, about);
    print_doubt(&text, about);
    fy_page_end(&text);
    return fy_writer_take(&text, "a page", out, size);
}
