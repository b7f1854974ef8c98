/* doubt.c - why the certificate of a plan is not 0: where another action might be better, shaded on
 * the map and as a table, and the laws that are not known well enough. */
#include "draw/map.h"
#include "policy/policy.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_SHOWN = 10, LAWS_SHOWN = 10 };

/* --------------------------------------------------------------------------- tables */

static void put_name(fy_table *table, const char *name, int64_t number)
{
    if (name)
        fy_table_cell(table, "%s (%" PRId64 ")", name, number);
    else
        fy_table_integer(table, number);
}

/* The policy's own action: no other is better, but what follows it may be worse. */
static void put_place(const fy_report *report, const foray_policy *policy,
                      const foray_doubt_place *place, fy_table *table)
{
    bool own = foray_policy_action(policy, place->step, place->state) == place->action;
    fy_table_integer(table, place->step);
    int64_t state = fy_policy_model_state(policy, place->state);
    put_name(table, foray_model_state_name(report->model, state), state);
    if (own)
        fy_table_cell(table, "what follows");
    else
        put_name(table, foray_model_action_name(report->model, place->action), place->action);
    fy_table_exact(table, place->share);
}

static void print_places(fy_report *report, const foray_policy *policy, const foray_doubt *doubt,
                         int64_t id)
{
    static const char *const heading[] = {"step", "state", "action that might be better", "share"};
    char file[48], note[96];
    int64_t listed = doubt->places < FY_REPORT_CSV_ROWS ? doubt->places : FY_REPORT_CSV_ROWS;
    fy_table all = fy_table_begin(report->ctx, 4, heading);
    fy_table top = fy_table_begin(report->ctx, 4, heading);
    for (int64_t i = 0; i < listed; i++) {
        put_place(report, policy, &doubt->place[i], &all);
        if (i < PLACES_SHOWN)
            put_place(report, policy, &doubt->place[i], &top);
    }
    fy_print(report->text, "<div class=\"wide\" tabindex=\"0\">\n");
    fy_table_print_html_rounded(&top, report->text);
    fy_print(report->text, "</div>\n");
    fy_format(file, sizeof file, "doubt%" PRId64, id);
    fy_format(note, sizeof note, "The %" PRId64 " largest shares, of %" PRId64 ".", listed,
              doubt->places);
    if (listed < doubt->places)
        fy_print(report->text, "<p>%s</p>\n", note);
    fy_page_csv(report->text, &all, file);
    fy_table_free(&all);
    fy_table_free(&top);
}

static void print_laws(fy_report *report, const foray_doubt *doubt, int64_t id)
{
    static const char *const heading[] = {"law", "visits", "share", "more visits (estimate)"};
    char file[48], name[96];
    fy_table table = fy_table_begin(report->ctx, 4, heading);
    for (int64_t i = 0; i < doubt->laws && i < LAWS_SHOWN; i++) {
        const foray_doubt_law *law = &doubt->law[i];
        foray_doubt_law_name(law, name, sizeof name);
        fy_table_cell(&table, "%s", name);
        fy_table_integer(&table, law->visits);
        fy_table_exact(&table, law->share);
        fy_table_exact(&table, law->more);
    }
    fy_print(report->text,
             "<p>The laws behind it%s; the last column estimates how many more visits would halve "
             "the certificate, if all of these laws were visited that much more often.%s</p>\n",
             report->model->unstructured
                 ? ""
                 : ", each by one of its pairs and the number of pairs that obey it",
             doubt->laws > LAWS_SHOWN ? " Only the largest shares are listed." : "");
    fy_format(file, sizeof file, "laws%" PRId64, id);
    fy_page_table(report->text, &table, file);
    fy_table_free(&table);
}

/* ------------------------------------------------------------------------------ map */

/* What each state adds, all steps together, in shares of the whole. Returns the largest. */
static double gather(const foray_policy *policy, const foray_doubt *doubt, int64_t states,
                     double *share)
{
    double max = 0, sum = 0;
    for (int64_t i = 0; i < doubt->places; i++) {
        share[fy_policy_model_state(policy, doubt->place[i].state)] += doubt->place[i].share;
        sum += doubt->place[i].share;
    }
    for (int64_t s = 0; s < states && sum > 0; s++) {
        share[s] /= sum;
        max = share[s] > max ? share[s] : max;
    }
    return max;
}

/* As deep as the share against the largest one; blocks of the map where it is large. */
static void fill_cells(const fy_report *report, const double *share, double max, int64_t block,
                       int64_t cols, fy_map_cell *cell)
{
    char name[FY_LABEL_SIZE], number[FY_NUMBER_SIZE];
    int64_t row, col;
    for (int64_t s = 0; s < report->model->states; s++) {
        if (!foray_model_cell(report->model, s, &row, &col))
            continue;
        fy_map_cell *it = &cell[row / block * cols + col / block];
        double level = max > 0 ? share[s] / max : 0;
        if (it->there && it->level >= level)
            continue;
        *it = (fy_map_cell){.there = true, .level = level, .arrow = FY_ARROW_NONE};
        if (share[s] >= 0.005)
            fy_format(it->symbol, sizeof it->symbol, "%.0f%%", 100 * share[s]);
        fy_format(it->about, sizeof it->about, "state %s: %s%% of the certificate",
                  fy_label(foray_model_state_name(report->model, s), s, name),
                  fy_number(100 * share[s], number));
    }
}

static foray_status draw_map(fy_report *report, const foray_policy *policy,
                             const foray_doubt *doubt, int64_t id, int64_t rows, int64_t cols)
{
    int64_t longer = rows > cols ? rows : cols;
    int64_t block = (longer + FY_REPORT_BLOCKS - 1) / FY_REPORT_BLOCKS;
    int64_t down = (rows + block - 1) / block, across = (cols + block - 1) / block;
    double *share = NULL;
    fy_map_cell *cell = NULL;
    foray_status status = FORAY_ERROR_MEMORY;
    if (FY_ALLOC(report->ctx, share, report->model->states) &&
        FY_ALLOC(report->ctx, cell, down * across)) {
        char name[48], title[96];
        fill_cells(report, share, gather(policy, doubt, report->model->states, share), block,
                   across, cell);
        fy_format(name, sizeof name, "doubtmap%" PRId64, id);
        fy_format(title, sizeof title, "Where the doubt about plan %" PRId64 " is", id);
        fy_map map = {name, title, down, across, cell, NULL, NULL, NULL};
        fy_print(report->text, "<figure>\n");
        fy_report_draw_map(report, &map);
        fy_print(report->text,
                 "<figcaption>How much each place contributes to the certificate, over all steps: "
                 "the deeper the colour, the more.%s",
                 block > 1
                     ? " Each square shows the largest contribution among the places it stands for."
                     : "");
        fy_report_axes(report, rows, cols);
        fy_print(report->text, "</figcaption></figure>\n");
        status = FORAY_OK;
    }
    free(share);
    free(cell);
    return status;
}

/* --------------------------------------------------------------------------- section */

/* Where there is a gap certificate there are reasons; rounding errors are not among them;
 * FORAY_ERROR_USAGE: the algorithm has none. */
static foray_status find(fy_report *report, const foray_reward *reward, const foray_policy *policy,
                         foray_doubt **out)
{
    *out = NULL;
    /* Reasons on this page are about the likelihood of all data, not about refits. */
    if (policy->certificate.optimal != FORAY_OPTIMAL_NO ||
        (!report->model->unstructured && policy->certificate.bound != FORAY_BOUND_GAP &&
         policy->certificate.radius != FORAY_RADIUS_LIKELIHOOD) ||
        policy->certificate.radius == FORAY_RADIUS_REFIT)
        return FORAY_OK;
    foray_status status = foray_explorer_explain(report->run->explorer, reward, policy, 0, out);
    return status == FORAY_ERROR_USAGE ? FORAY_OK : status;
}

foray_status fy_report_doubt(fy_report *report, int64_t id, const foray_reward *reward,
                             const foray_policy *policy)
{
    foray_doubt *doubt;
    int64_t rows, cols;
    foray_status status = find(report, reward, policy, &doubt);
    if (status != FORAY_OK || !doubt)
        return status;
    if (doubt->places > 0) {
        char gap[FY_NUMBER_SIZE], after[FY_NUMBER_SIZE];
        fy_print(report->text,
                 "<h4>Where the doubt is</h4>\n<p>With the data of all %s episodes, the bound on "
                 "how much better another choice could be is %s. It comes from these places, where "
                 "another action might be better, or what follows worse than it seems:</p>\n",
                 fy_number((double)report->run->explorer->episodes, after),
                 fy_number(doubt->gap, gap));
        if (fy_report_map(report, &rows, &cols))
            status = draw_map(report, policy, doubt, id, rows, cols);
        if (status == FORAY_OK) {
            print_places(report, policy, doubt, id);
            print_laws(report, doubt, id);
        }
    }
    foray_doubt_destroy(doubt);
    return status;
}
