/* plans.c - the plans stored in a run: values, certificates, and what they do: policies as arrows,
 * shaded by value. */
#include "draw/look.h"
#include "draw/map.h"
#include "report/report.h"
#include "reward/reward.h"

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
        fy_table_exact(table, policy->value[mode]);
    fy_table_exact(table, certificate->gap);
    fy_table_exact(table, certificate->delta);
    fy_table_cell(table, "%s", foray_radius_name(certificate->radius));
    fy_table_cell(table, "%s", foray_certificate_status(certificate));
    fy_table_exact(table, policy->expected);
    fy_table_exact(table, policy->low);
    fy_table_exact(table, policy->high);
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

/* ----------------------------------------------------------- what is earned where */

/* The most that is earned in a state, at the first, the middle or the last step; for rewards that
 * ask to reach a state, 1 there. */
static double earned_in(const fy_report *report, const foray_reward *reward, int64_t s)
{
    const foray_model *model = report->model;
    const int64_t steps[] = {0, model->horizon / 2, model->horizon - 1};
    double max = -INFINITY;
    if (reward->fixed)
        return isnan(reward->fixed[s]) ? 0 : reward->fixed[s];
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        for (int64_t a = 0; a < model->actions; a++)
            if (foray_model_available(model, s, a))
                max = fmax(max, foray_reward_at(reward, steps[i], s, a));
    return max;
}

/* The states that earn the most, if they are few. */
static int64_t mark_goals(const fy_report *report, const foray_reward *reward, bool *goal)
{
    int64_t states = report->model->states, count = 0;
    double max = 0;
    for (int64_t s = 0; s < states; s++)
        max = fmax(max, earned_in(report, reward, s));
    for (int64_t s = 0; s < states; s++) {
        goal[s] = max > 0 && earned_in(report, reward, s) == max;
        count += goal[s];
    }
    for (int64_t s = 0; s < states && count > FY_REPORT_MARKED; s++)
        goal[s] = false;
    return count <= FY_REPORT_MARKED ? count : 0;
}

/* ------------------------------------------------------------------------- arrows */

/* Some steps of a policy, and the values there: V_t(s) = r_t(s,a) + sum_j P_j V_{t+1}(next_j)
 * with a = pi_t(s), under the true theta, or if that is not known under the estimate. */
typedef struct plan_arrows {
    const foray_policy *policy;
    int64_t id; /* of the plan */
    int64_t steps;
    int64_t step[FY_REPORT_COLUMNS];
    double *value; /* [steps][states]; NULL: neither theta nor an estimate is there */
    double min;    /* of the values, if it is negative; else 0 */
    bool *tied;    /* [steps][states] all actions are worth the same; NULL as above */
    bool *goal;    /* [states] where the most is earned */
    int64_t goals;
    bool coloured; /* on a map, actions that are not directions are colours */
    bool true_values;
} plan_arrows;

/* --------------------------------------------------------------------------- values */

/* Is an episode that reaches or avoids states decided here? Then that is its value. */
static bool is_decided(const foray_reward *reward, int64_t s, double *value)
{
    if (!reward->fixed || isnan(reward->fixed[s]))
        return false;
    *value = reward->minimise ? 1 - reward->fixed[s] : reward->fixed[s];
    return true;
}

/* What the last state is worth. */
static void end_values(const foray_reward *reward, double *value)
{
    for (int64_t s = 0; s < reward->states && reward->fixed; s++)
        if (!is_decided(reward, s, &value[s]))
            value[s] = reward->minimise ? 1 - reward->ending : reward->ending;
}

/* r_t(s,a) + sum_j P(next_j|s,a) (r_t(s,a,next_j) + g V_{t+1}(next_j)) */
static double action_value(const foray_model *model, const double *theta,
                           const foray_reward *reward, int64_t t, int64_t s, int64_t action,
                           const double *later)
{
    const int32_t *next;
    int64_t count = foray_model_successors(model, s, action, &next);
    double own = foray_reward_at(reward, t, s, action), value = own;
    for (int64_t j = 0; j < count; j++)
        value += foray_model_probability(model, theta, s, action, j) *
                 (foray_reward_next_at(reward, t, s, action, next[j]) - own +
                  reward->discount * later[next[j]]);
    return value;
}

/* Are all actions of a state worth the same, whatever is chosen? */
static bool is_tied(const foray_model *model, const double *theta, const foray_reward *reward,
                    int64_t t, int64_t s, const double *later)
{
    double min = INFINITY, max = -INFINITY, decided;
    if (is_decided(reward, s, &decided))
        return true;
    for (int64_t a = 0; a < model->actions; a++) {
        if (!foray_model_available(model, s, a))
            continue;
        double value = action_value(model, theta, reward, t, s, a, later);
        min = fmin(min, value);
        max = fmax(max, value);
    }
    return max - min <= 1e-12 * (1 + fabs(max));
}

/* V_t(s) with a = pi_t(s), within what the reward allows: backward induction over two layers, of
 * which the chosen steps are kept. */
static void evaluate_policy(const foray_model *model, const double *theta,
                            const foray_reward *reward, plan_arrows *arrows,
                            const int32_t *earliest, double *layer)
{
    int64_t states = model->states, chosen = arrows->steps - 1;
    double *now = layer, *later = layer + states;
    double left = 1; /* steps to come, discounted */
    end_values(reward, later);
    for (int64_t t = model->horizon; t-- > 0;) {
        for (int64_t s = 0; s < states; s++) {
            int64_t action = foray_policy_action(arrows->policy, t, s);
            if (action < 0) {
                now[s] = 0;
                continue;
            }
            double value = action_value(model, theta, reward, t, s, action, later);
            if (!is_decided(reward, s, &now[s]))
                now[s] = fmin(fmax(value, reward->low * left), reward->high * left);
        }
        if (chosen >= 0 && arrows->step[chosen] == t) {
            for (int64_t s = 0; s < states; s++) {
                bool can_be = !earliest || earliest[s] <= t; /* what follows was planned, too */
                arrows->value[chosen * states + s] = can_be ? now[s] : NAN;
                arrows->tied[chosen * states + s] =
                    can_be && is_tied(model, theta, reward, t, s, later);
            }
            chosen--;
        }
        double *swap = now;
        now = later;
        later = swap;
        left = reward->fixed ? 1 : 1 + reward->discount * left;
    }
}

static const struct {
    const char *name;
    fy_arrow arrow;
} directions[] = {
    {"left", FY_ARROW_LEFT}, {"right", FY_ARROW_RIGHT}, {"up", FY_ARROW_UP},
    {"down", FY_ARROW_DOWN}, {"west", FY_ARROW_LEFT},   {"east", FY_ARROW_RIGHT},
    {"north", FY_ARROW_UP},  {"south", FY_ARROW_DOWN},  {"stay", FY_ARROW_STAY},
};

/* Is the action called after a direction? */
static bool find_arrow(const char *name, fy_arrow *out)
{
    for (size_t i = 0; name && i < sizeof directions / sizeof *directions; i++)
        if (strcmp(name, directions[i].name) == 0) {
            *out = directions[i].arrow;
            return true;
        }
    return false;
}

/* Actions without an arrow of their own, few enough to be told apart by colours. */
static bool wants_colours(const foray_model *model)
{
    fy_arrow arrow;
    bool arrows = true;
    for (int64_t a = 0; a < model->actions; a++)
        arrows &= find_arrow(foray_model_action_name(model, a), &arrow);
    return !arrows && model->actions <= FY_LOOK_COLOURS;
}

static foray_status find_values(fy_report *report, const foray_reward *reward, plan_arrows *arrows)
{
    const double *theta = foray_model_theta(report->model);
    int64_t states = report->model->states, size = arrows->steps * states;
    double *layer = NULL;
    int32_t *earliest = NULL, *line = NULL;
    theta = theta ? theta : report->estimate;
    if (!theta)
        return FORAY_OK;
    fy_arena scratch = {.ctx = report->ctx};
    bool room = FY_NEW(&scratch, layer, 2 * states) &&
                (!arrows->policy->state ||
                 (FY_NEW(&scratch, earliest, states) && FY_NEW(&scratch, line, states))) &&
                FY_ALLOC(report->ctx, arrows->value, size) &&
                FY_ALLOC(report->ctx, arrows->tied, size);
    if (room && earliest)
        fy_model_earliest(report->model, earliest, line);
    if (room)
        evaluate_policy(report->model, theta, reward, arrows, earliest, layer);
    for (int64_t i = 0; room && i < size; i++)
        arrows->min = fmin(arrows->min, arrows->value[i]);
    fy_arena_release(&scratch);
    return room ? FORAY_OK : FORAY_ERROR_MEMORY;
}

static void destroy_arrows(plan_arrows *arrows)
{
    free(arrows->value);
    free(arrows->tied);
    free(arrows->goal);
    arrows->value = NULL;
    arrows->tied = arrows->goal = NULL;
}

static foray_status create_arrows(fy_report *report, int64_t id, const foray_policy *policy,
                                  const foray_reward *reward, plan_arrows *out)
{
    int64_t rows, cols, horizon = report->model->horizon;
    plan_arrows arrows = {
        .policy = policy, .id = id, .true_values = foray_model_theta(report->model) != NULL};
    /* Steps from the first on, equally far apart: at the very last, little is left to decide. */
    bool map = fy_report_map(report, &rows, &cols);
    int64_t max = map ? FY_REPORT_STEPS : FY_REPORT_COLUMNS;
    arrows.steps = horizon < max ? horizon : max;
    for (int64_t i = 0; i < arrows.steps; i++)
        arrows.step[i] = i * horizon / arrows.steps;
    arrows.coloured = map && wants_colours(report->model);
    foray_status status = find_values(report, reward, &arrows);
    if (status == FORAY_OK && !FY_ALLOC(report->ctx, arrows.goal, report->model->states))
        status = FORAY_ERROR_MEMORY;
    if (status != FORAY_OK) {
        destroy_arrows(&arrows);
        return status;
    }
    arrows.goals = mark_goals(report, reward, arrows.goal);
    *out = arrows;
    return FORAY_OK;
}

static double value_at(const fy_report *report, const plan_arrows *arrows, int64_t i, int64_t state)
{
    return arrows->value ? arrows->value[i * report->model->states + state] : NAN;
}

static int64_t action_at(const plan_arrows *arrows, int64_t i, int64_t state)
{
    return foray_policy_action(arrows->policy, arrows->step[i], state);
}

/* ----------------------------------------------------------------------------- cells */

/* The cell of an action: an arrow for left, right, up, down and the points of the compass,
 * else the first letter of its name if no other action has it, or its number. */
static void show_action(const foray_model *model, int64_t action, fy_map_cell *cell)
{
    const char *name = foray_model_action_name(model, action);
    bool own_letter = name && name[0] > ' ' && name[0] < 127;
    cell->arrow = FY_ARROW_NONE;
    find_arrow(name, &cell->arrow);
    for (int64_t a = 0; own_letter && a < foray_model_actions(model); a++) {
        const char *other = foray_model_action_name(model, a);
        own_letter = a == action || !other || other[0] != name[0];
    }
    if (own_letter)
        fy_format(cell->symbol, sizeof cell->symbol, "%c", name[0]);
    else
        fy_format(cell->symbol, sizeof cell->symbol, "%" PRId64, action % 1000000);
}

/* The largest value there is, which the deepest colour stands for. */
static double largest_value(const fy_report *report, const plan_arrows *arrows)
{
    double max = 0.0;
    for (int64_t i = 0; arrows->value && i < arrows->steps * report->model->states; i++)
        max = fmax(max, arrows->value[i]);
    return max;
}

static void fill_cell(const fy_report *report, const plan_arrows *arrows, int64_t i, int64_t state,
                      double largest, fy_map_cell *cell)
{
    char name[FY_LABEL_SIZE], action[FY_LABEL_SIZE], number[FY_NUMBER_SIZE];
    int64_t its = action_at(arrows, i, state);
    double value = value_at(report, arrows, i, state);
    double min = arrows->min;
    if (its < 0) {
        *cell = (fy_map_cell){.there = true, .arrow = FY_ARROW_NONE, .symbol = "x"};
        fy_format(cell->about, sizeof cell->about, "state %s: unreachable, no episode can be there",
                  fy_label(foray_model_state_name(report->model, state), state, name));
        return;
    }
    /* as deep as V_t(s) / max V; 0 where no value is known */
    *cell = (fy_map_cell){.there = true,
                          .level = largest > min ? (value - min) / (largest - min) : 0.0};
    bool tied = arrows->tied && arrows->tied[i * report->model->states + state];
    if (tied)
        cell->arrow = FY_ARROW_NONE;
    else if (arrows->coloured)
        *cell = (fy_map_cell){
            .there = true, .level = 1, .arrow = FY_ARROW_NONE, .colour = (int)its + 1};
    else
        show_action(report->model, its, cell);
    fy_format(cell->about, sizeof cell->about, "state %s, step %" PRId64 ": %s, value %s",
              fy_label(foray_model_state_name(report->model, state), state, name), arrows->step[i],
              tied ? "any action"
                   : fy_label(foray_model_action_name(report->model, its), its, action),
              fy_number(value, number));
}

/* -------------------------------------------------------------------------- pictures */

/* A part of the model's map, small enough to be drawn. */
typedef struct window {
    int64_t row, col, rows, cols;
} window;

/* One side of it: `size` cells with `middle` as near the middle as the ends allow. */
static int64_t place_window(int64_t all, int64_t middle, int64_t *size)
{
    *size = all < FY_REPORT_WINDOW ? all : FY_REPORT_WINDOW;
    int64_t first = middle - *size / 2;
    first = first < all - *size ? first : all - *size;
    return first > 0 ? first : 0;
}

/* What the colours of a map stand for. */
static void print_colours(fy_report *report)
{
    char name[FY_LABEL_SIZE];
    fy_print(report->text, "<ul class=\"legend\">\n");
    for (int64_t a = 0; a < report->model->actions; a++) {
        fy_print(report->text,
                 "<li><svg class=\"key\" aria-hidden=\"true\" width=\"14\" height=\"14\"><rect "
                 "class=\"a%d\" width=\"14\" height=\"14\" fill-opacity=\"0.8\"/></svg> ",
                 (int)a + 1);
        fy_print_escaped(report->text,
                         fy_label(foray_model_action_name(report->model, a), a, name));
        fy_print(report->text, "</li>\n");
    }
    fy_print(report->text, "</ul>\n");
}

static void print_caption(fy_report *report, const plan_arrows *arrows, bool map)
{
    const char *whose = arrows->true_values ? "true value from there on" : "value by the estimate";
    bool starts = report->model->initials <= 4;
    fy_print(report->text, "<figcaption>What the policy does");
    if (arrows->coloured)
        fy_print(report->text, ", by colour");
    else if (arrows->value)
        fy_print(report->text, "; the deeper the colour, the larger its %s", whose);
    fy_print(report->text, ".%s",
             arrows->value ? " Where all actions are worth the same, nothing "
                             "is drawn."
                           : "");
    if (map && (starts || arrows->goals > 0))
        fy_print(report->text, " %s%s%s.", starts ? "Ring: where episodes start" : "",
                 starts && arrows->goals > 0 ? "; square: "
                 : arrows->goals > 0         ? "Square: "
                                             : "",
                 arrows->goals > 0 ? "where the most is earned" : "");
}

/* One of the steps, on the part of the map within the window. */
static void draw_step(fy_report *report, const plan_arrows *arrows, const window *w, int64_t i,
                      fy_map_cell *cell)
{
    char id[64], title[96];
    int64_t row, col;
    double largest = largest_value(report, arrows);
    memset(cell, 0, (size_t)(w->rows * w->cols) * sizeof *cell);
    for (int64_t s = 0; s < report->model->states; s++) {
        if (!foray_model_cell(report->model, s, &row, &col))
            continue;
        row -= w->row;
        col -= w->col;
        if (row >= 0 && row < w->rows && col >= 0 && col < w->cols)
            fill_cell(report, arrows, i, s, largest, &cell[row * w->cols + col]);
        if (row >= 0 && row < w->rows && col >= 0 && col < w->cols) {
            cell[row * w->cols + col].goal = arrows->goal[s];
            cell[row * w->cols + col].start = fy_report_starts(report, s);
        }
    }
    fy_format(id, sizeof id, "policy%" PRId64 "-%" PRId64, arrows->id, arrows->step[i]);
    fy_format(title, sizeof title, "Plan %" PRId64 ", step %" PRId64, arrows->id, arrows->step[i]);
    fy_map map = {id, title, w->rows, w->cols, cell, NULL, NULL, NULL};
    fy_print(report->text, "<div>step %" PRId64 "<br>\n", arrows->step[i]);
    fy_report_draw_map(report, &map);
    fy_print(report->text, "</div>\n");
}

static foray_status draw_maps(fy_report *report, const plan_arrows *arrows, int64_t rows,
                              int64_t cols)
{
    fy_map_cell *cell;
    window w;
    int64_t row, col;
    if (!foray_model_cell(report->model, fy_report_busiest(report), &row, &col))
        row = col = 0;
    w.row = place_window(rows, row, &w.rows);
    w.col = place_window(cols, col, &w.cols);
    if (!FY_ALLOC(report->ctx, cell, w.rows * w.cols))
        return FORAY_ERROR_MEMORY;
    fy_print(report->text, "<figure>\n<div class=\"small\">\n");
    for (int64_t i = 0; i < arrows->steps; i++)
        draw_step(report, arrows, &w, i, cell);
    free(cell);
    fy_print(report->text, "</div>\n");
    if (arrows->coloured)
        print_colours(report);
    print_caption(report, arrows, true);
    if (w.rows < rows || w.cols < cols)
        fy_print(report->text,
                 " Rows %" PRId64 " to %" PRId64 " and columns %" PRId64 " to %" PRId64
                 " of a map of %" PRId64 " × %" PRId64 ", around the state visited most.",
                 w.row, w.row + w.rows - 1, w.col, w.col + w.cols - 1, rows, cols);
    else
        fy_report_axes(report, rows, cols);
    fy_print(report->text, "</figcaption></figure>\n");
    return FORAY_OK;
}

/* What the letters in the cells stand for. */
static void print_letters(fy_report *report)
{
    enum { MAX_LISTED = 12 };
    int64_t actions = report->model->actions;
    for (int64_t a = 0; a < actions && actions <= MAX_LISTED; a++) {
        const char *name = foray_model_action_name(report->model, a);
        char label[FY_LABEL_SIZE];
        fy_map_cell cell = {0};
        show_action(report->model, a, &cell);
        if (!name || cell.arrow != FY_ARROW_NONE)
            continue;
        fy_print(report->text, " ");
        fy_print_escaped(report->text, cell.symbol);
        fy_print(report->text, ": ");
        fy_print_escaped(report->text, fy_label(name, a, label));
        fy_print(report->text, ".");
    }
}

/* Without a map: a row for each state, a column for each step. */
static foray_status draw_matrix(fy_report *report, const plan_arrows *arrows)
{
    char id[48], row[FY_REPORT_ROWS][FY_LABEL_SIZE], column[FY_REPORT_COLUMNS][FY_LABEL_SIZE];
    int64_t states = report->model->states;
    int64_t rows = states < FY_REPORT_ROWS ? states : FY_REPORT_ROWS;
    double largest = largest_value(report, arrows);
    fy_map_cell *cell;
    if (!FY_ALLOC(report->ctx, cell, rows * arrows->steps))
        return FORAY_ERROR_MEMORY;
    for (int64_t s = 0; s < rows; s++) {
        fy_label(foray_model_state_name(report->model, s), s, row[s]);
        for (int64_t i = 0; i < arrows->steps; i++)
            fill_cell(report, arrows, i, s, largest, &cell[s * arrows->steps + i]);
    }
    for (int64_t i = 0; i < arrows->steps; i++)
        fy_label(NULL, arrows->step[i], column[i]);
    fy_format(id, sizeof id, "policy%" PRId64, arrows->id);
    fy_map map = {id,
                  "States by steps",
                  rows,
                  arrows->steps,
                  cell,
                  (const char(*)[FY_LABEL_SIZE])row,
                  (const char(*)[FY_LABEL_SIZE])column,
                  "step"};
    fy_print(report->text, "<figure>\n");
    fy_report_draw_map(report, &map);
    free(cell);
    print_caption(report, arrows, false);
    print_letters(report);
    if (rows < states)
        fy_print(report->text, " The first %" PRId64 " of %" PRId64 " states.", rows, states);
    fy_print(report->text, "</figcaption></figure>\n");
    return FORAY_OK;
}

/* The picture: maps of the steps side by side, or states by steps where there is no map. */
static foray_status draw_arrows(fy_report *report, const plan_arrows *arrows)
{
    int64_t rows, cols;
    if (fy_report_map(report, &rows, &cols))
        return draw_maps(report, arrows, rows, cols);
    return draw_matrix(report, arrows);
}

/* ---------------------------------------------------------------------------- table */

/* The table behind it, with its CSV. */
static void print_arrows(fy_report *report, const plan_arrows *arrows)
{
    static const char *const heading[] = {"step",   "state",       "name",
                                          "action", "action name", "value"};
    enum { ROWS_OF_EACH = FY_REPORT_CSV_ROWS / FY_REPORT_PLANS };
    char id[48], note[160];
    int64_t states = report->model->states, max = ROWS_OF_EACH / arrows->steps;
    int64_t listed = states < max ? states : max;
    fy_table table = fy_table_begin(report->ctx, 6, heading);
    for (int64_t i = 0; i < arrows->steps; i++)
        for (int64_t s = 0; s < listed; s++) {
            int64_t action = action_at(arrows, i, s);
            const char *name = foray_model_state_name(report->model, s);
            const char *its = foray_model_action_name(report->model, action);
            fy_table_integer(&table, arrows->step[i]);
            fy_table_integer(&table, s);
            fy_table_cell(&table, "%s", name ? name : "");
            fy_table_integer(&table, action);
            fy_table_cell(&table, "%s", its ? its : "");
            fy_table_exact(&table, value_at(report, arrows, i, s));
        }
    fy_format(id, sizeof id, "policy%" PRId64, arrows->id);
    fy_format(note, sizeof note,
              "%" PRId64 " of %" PRId64 " steps, %" PRId64 " of %" PRId64
              " states; foray plan -o writes all of them.",
              arrows->steps, report->model->horizon, listed, states);
    bool whole = listed == states && arrows->steps == report->model->horizon;
    fy_page_data(report->text, &table, id, whole ? NULL : note);
    fy_table_free(&table);
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

/* A policy for a task depends on what has happened, which no map of states shows. */
static void print_memory(const fy_report *report, const foray_policy *policy)
{
    fy_print(report->text,
             "<p>A task: its policy remembers what has happened, one of %" PRId64
             " things, and has an action for each of the %" PRId64
             " states and memories that an episode can come to. The policy file has all of it; "
             "<code>foray act</code> follows it.</p>\n",
             policy->memory->states, fy_policy_covered(policy));
}

static bool show_plan(void *user, int64_t id, int64_t episodes, const char *reward_name,
                      const char *reward_json, const foray_policy *policy)
{
    gallery *g = user;
    fy_report *report = g->report;
    foray_reward *reward = NULL;
    plan_arrows arrows = {0};
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
    if (g->status == FORAY_OK && policy->memory)
        print_memory(report, policy);
    if (g->status == FORAY_OK && !policy->memory) {
        g->status = create_arrows(report, id, policy, reward, &arrows);
        if (g->status == FORAY_OK)
            g->status = draw_arrows(report, &arrows);
        if (g->status == FORAY_OK)
            print_arrows(report, &arrows);
    }
    if (g->status == FORAY_OK)
        g->status = fy_report_doubt(report, id, reward, policy);
    fy_format(file, sizeof file, "reward%" PRId64 ".json", id);
    if (size <= FY_REPORT_REWARD)
        fy_page_download(report->text, file, "application/json", reward_json, size);
    fy_print(report->text, "</section>\n");
    destroy_arrows(&arrows);
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
