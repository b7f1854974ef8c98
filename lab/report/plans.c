/* plans.c - the plans stored in a run: values, certificates, and what they do. */
#include "reward/reward.h"
#include "report/arrows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------- tables */

typedef struct listing {
    fy_table exact;  /* for the CSV */
    fy_table people; /* on the page */
    int64_t seen;
} listing;

/* Not every plan says what its policy is worth. */
static void put_known(fy_table *table, double value)
{
    if (isnan(value))
        fy_table_cell(table, "–");
    else
        fy_table_number(table, value);
}

static bool list_plan(void *user, int64_t id, int64_t episodes, const char *reward_name,
                      const char *reward_json, const foray_policy *policy)
{
    listing *l = user;
    const foray_certificate *certificate = &policy->certificate;
    fy_table *table = &l->exact;
    (void)reward_json;
    fy_table_integer(table, id);
    fy_table_cell(table, "%s", reward_name);
    fy_table_cell(table, "%s", foray_mode_name(policy->mode));
    fy_table_integer(table, episodes);
    for (int mode = FORAY_MODES; mode-- > 0;)
        fy_table_shortest(table, policy->value[mode]);
    fy_table_shortest(table, certificate->gap);
    fy_table_shortest(table, certificate->delta);
    fy_table_cell(table, "%s", foray_radius_name(certificate->radius));
    fy_table_cell(table, "%s", foray_certificate_status(certificate));
    fy_table_shortest(table, policy->expected);
    fy_table_shortest(table, policy->low);
    fy_table_shortest(table, policy->high);
    fy_table_cell(table, "%s", foray_bound_name(certificate->bound));
    if (l->seen < FY_PAGE_SHOWN) {
        fy_table_integer(&l->people, id);
        fy_table_cell(&l->people, "%s", reward_name);
        fy_table_cell(&l->people, "%s", foray_mode_name(policy->mode));
        put_known(&l->people, policy->expected);
        put_known(&l->people, policy->low);
        put_known(&l->people, policy->high);
        fy_table_number(&l->people, certificate->gap);
        fy_table_cell(&l->people, "%s", foray_certificate_verdict(certificate));
    }
    return ++l->seen < FY_REPORT_CSV_ROWS;
}

static foray_status print_tables(fy_report *report)
{
    static const char *const exact[] = {"plan",   "reward",     "mode", "episodes", "pessimistic",
                                        "plugin", "optimistic", "gap",  "delta",    "radius",
                                        "status", "value",      "low",  "high",     "bound"};
    static const char *const people[] = {"plan", "reward", "mode",        "value",
                                         "low",  "high",   "certificate", "status"};
    listing l = {.exact = fy_table_begin(report->ctx, 15, exact),
                 .people = fy_table_begin(report->ctx, 8, people)};
    foray_status status = foray_run_plans(report->run, list_plan, &l);
    if (status == FORAY_OK) {
        fy_print(report->text, "<div class=\"wide\" id=\"plans-table\" tabindex=\"0\">\n");
        fy_table_print_html(&l.people, report->text);
        fy_print(report->text, "</div>\n%s",
                 l.seen < report->facts.plans_stored ? "<p>The first of many plans.</p>\n" : "");
        fy_page_csv(report->text, &l.exact, "plans");
    }
    fy_table_free(&l.exact);
    fy_table_free(&l.people);
    return status;
}

/* ------------------------------------------------------------------------- one by one */

typedef struct gallery {
    fy_report *report;
    int64_t seen, first; /* plans before `first` are not drawn */
    foray_status status;
} gallery;

/* What the plan promises, and where theta is known, what it is worth. */
static foray_status print_values(fy_report *report, int64_t episodes, const foray_reward *reward,
                                 const foray_policy *policy)
{
    char low[FY_NUMBER_SIZE], high[FY_NUMBER_SIZE], gap[FY_NUMBER_SIZE], after[FY_NUMBER_SIZE];
    bool settled = policy->certificate.optimal != FORAY_OPTIMAL_NO;
    double value = 0, optimal = 0;
    fy_print(report->text, "<p>The %s policy, planned after %s episodes. ",
             policy->mode == FORAY_PLUGIN ? "plug-in" : foray_mode_name(policy->mode),
             fy_number((double)episodes, after));
    if (!isnan(policy->expected))
        fy_print(report->text, "It is expected to earn %s", fy_number(policy->expected, low));
    if (!isnan(policy->expected) && !isnan(policy->low))
        fy_print(report->text, ", and earns at least %s and at most %s",
                 fy_number(policy->low, low), fy_number(policy->high, high));
    fy_number(policy->certificate.gap, gap);
    fy_print(report->text, "%s", isnan(policy->expected) ? "" : ". ");
    if (policy->certificate.vacuous)
        fy_print(report->text,
                 "How much it loses against the best policy is not known yet: the bound, %s, is as "
                 "large as rewards allow.</p>\n",
                 gap);
    else
        fy_print(report->text, "It loses at most %s against the best policy%s%s (%s: %s).</p>\n",
                 gap, settled ? ": it is " : "",
                 settled ? foray_certificate_verdict(&policy->certificate) : "",
                 foray_certificate_status(&policy->certificate),
                 foray_certificate_because(&policy->certificate));
    if (!foray_model_theta(report->model))
        return FORAY_OK;
    foray_status status =
        foray_evaluate(report->ctx, report->model, reward, policy, &value, &optimal);
    double lost = reward->minimise ? value - optimal : optimal - value;
    if (status == FORAY_OK)
        fy_print(report->text, "<p>%s it is worth %s, and the best policy %s: it loses %s.</p>\n",
                 report->run->source == FY_SOURCE_MODEL ? "In truth"
                                                        : "In the model with its true theta",
                 fy_number(value, low), fy_number(optimal, high),
                 fy_number(lost > 1e-12 ? lost : 0.0, gap));
    return status;
}

static bool show_plan(void *user, int64_t id, int64_t episodes, const char *reward_name,
                      const char *reward_json, const foray_policy *policy)
{
    gallery *g = user;
    fy_report *report = g->report;
    foray_reward *reward = NULL;
    fy_arrows arrows = {0};
    char file[48];
    size_t size = strlen(reward_json);
    if (g->seen++ < g->first)
        return true;
    fy_print(report->text, "<section>\n<h3>Plan %" PRId64 ": ", id);
    fy_print_escaped(report->text, reward_name);
    fy_print(report->text, "</h3>\n");
    g->status =
        foray_reward_parse(report->ctx, report->model, reward_json, size, reward_name, &reward);
    if (g->status == FORAY_OK)
        g->status = print_values(report, episodes, reward, policy);
    if (g->status == FORAY_OK)
        g->status = fy_arrows_create(report, id, policy, reward, &arrows);
    if (g->status == FORAY_OK)
        g->status = fy_arrows_draw(report, &arrows);
    if (g->status == FORAY_OK) {
        fy_arrows_print(report, &arrows);
        g->status = fy_report_doubt(report, id, reward, policy);
    }
    fy_format(file, sizeof file, "reward%" PRId64 ".json", id);
    if (size <= FY_REPORT_REWARD)
        fy_page_download(report->text, file, "application/json", reward_json, size);
    fy_print(report->text, "</section>\n");
    fy_arrows_destroy(&arrows);
    foray_reward_destroy(reward);
    return g->status == FORAY_OK;
}

foray_status fy_report_plans(fy_report *report)
{
    int64_t stored = report->facts.plans_stored;
    gallery g = {.report = report};
    fy_print(report->text, "<h2>Plans</h2>\n");
    if (stored == 0) {
        fy_print(report->text, "<p>The run has no plans yet: <code>foray plan</code> makes "
                               "them.</p>\n");
        return FORAY_OK;
    }
    foray_status status = print_tables(report);
    if (status == FORAY_OK && stored > FY_REPORT_PLANS) {
        g.first = stored - FY_REPORT_PLANS;
        fy_print(report->text, "<p>Drawn below: the last %d of %" PRId64 " plans.</p>\n",
                 FY_REPORT_PLANS, stored);
    }
    if (status == FORAY_OK)
        status = foray_run_plans(report->run, show_plan, &g);
    return status == FORAY_OK ? g.status : status;
}
