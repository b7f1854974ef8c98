/* picture.c - draws docs/img/foray.svg, the picture in the README, from one real
 * run: where exploration went, the policy planned afterwards for a goal, and how
 * certificates shrank meanwhile.
 *
 *   picture > docs/img/foray.svg */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <foray/foray.h>

enum { FIRST_POWER = 6, LAST_POWER = 20, POINTS = LAST_POWER - FIRST_POWER + 1 };

/* What is measured after 2^FIRST_POWER, ..., 2^LAST_POWER episodes. */
enum { VALUES, CERTIFICATE, TRUE_GAP, CURVES };

/* The corner at the bottom left, by its place on the map. */
enum { GOAL_ROW = 10, GOAL_COL = 0 };

typedef struct session {
    foray_context *ctx;
    foray_model *model;
    foray_world *world;
    foray_explorer *explorer;
    int64_t goal;
    foray_reward *reward;
    foray_policy *policy; /* the last one planned */
    int64_t *visits;      /* [states] */
    double curve[CURVES][POINTS];
} session;

static void need(const session *study, foray_status status)
{
    if (status < 0) {
        fprintf(stderr, "picture: %s\n", foray_message(study->ctx));
        exit(1);
    }
}

/* ----------------------------------------------------------------- the run */

static void explore_once(session *study, uint64_t episode)
{
    foray_draw draw = {.seed = 1, .episode = episode, .step = 0};
    int64_t state, action, next;
    need(study, foray_explorer_begin(study->explorer));
    need(study, foray_world_reset(study->world, &draw, &state));
    for (int64_t t = 0; t < foray_model_horizon(study->model); t++) {
        draw.step = (uint32_t)(t + 1);
        study->visits[state]++;
        need(study, foray_explorer_act(study->explorer, state, &action));
        need(study, foray_world_step(study->world, &draw, state, action, &next));
        need(study, foray_explorer_observe(study->explorer, state, action, next));
        state = next;
    }
    need(study, foray_explorer_end(study->explorer));
}

/* Plans for the goal; the certificate rests on the radius that explored, or on the likelihood of
 * what was seen. */
static void plan_goal(session *study, foray_radius radius)
{
    const foray_reward *rewards[] = {study->reward};
    foray_policy_destroy(study->policy);
    need(study, foray_explorer_certify_by(study->explorer, radius));
    need(study, foray_explorer_plan(study->explorer, 1, rewards, FORAY_PLUGIN, &study->policy));
}

static void measure(session *study, int point)
{
    double value, optimal;
    plan_goal(study, FORAY_RADIUS_SHARP);
    study->curve[VALUES][point] = study->policy->certificate.gap;
    plan_goal(study, FORAY_RADIUS_LIKELIHOOD);
    study->curve[CERTIFICATE][point] = study->policy->certificate.gap;
    need(study,
         foray_evaluate(study->ctx, study->model, study->reward, study->policy, &value, &optimal));
    study->curve[TRUE_GAP][point] = optimal - value;
}

/* The state in a cell of the map. */
static int64_t state_in(const foray_model *model, int64_t row, int64_t col)
{
    int64_t its_row, its_col;
    for (int64_t s = 0; s < foray_model_states(model); s++)
        if (foray_model_cell(model, s, &its_row, &its_col) && its_row == row && its_col == col)
            return s;
    return 0;
}

static void run(session *study)
{
    foray_settings settings;
    foray_settings_default(&settings);
    settings.episodes = (int64_t)1 << LAST_POWER;
    study->ctx = foray_context_create();
    need(study, foray_model_builtin(study->ctx, "rooms:rows=3,cols=3", &study->model));
    need(study, foray_world_from_model(study->ctx, study->model, &study->world));
    need(study, foray_explorer_create(study->ctx, study->model, &settings, &study->explorer));
    need(study, foray_reward_create(study->ctx, study->model, "goal", 0, 1, 0.0, &study->reward));
    study->goal = state_in(study->model, GOAL_ROW, GOAL_COL);
    need(study, foray_reward_set(study->ctx, study->reward, -1, study->goal, -1, 1.0));
    study->visits = calloc((size_t)foray_model_states(study->model), sizeof *study->visits);
    for (int64_t k = 0, point = 0; k < settings.episodes; k++) {
        explore_once(study, (uint64_t)k);
        if (k + 1 == (int64_t)1 << (FIRST_POWER + point))
            measure(study, (int)point++);
    }
}

static void finish(session *study)
{
    free(study->visits);
    foray_policy_destroy(study->policy);
    foray_reward_destroy(study->reward);
    foray_explorer_destroy(study->explorer);
    foray_world_destroy(study->world);
    foray_model_destroy(study->model);
    foray_context_destroy(study->ctx);
}

/* ----------------------------------------------------------------- the map */

enum { CELL = 32, MAP_X = 24, MAP_Y = 64 };

/* Darker where exploration went more often; the root keeps rare visits visible. */
static double shade(const session *study, int64_t state)
{
    int64_t max = 1;
    for (int64_t s = 0; s < foray_model_states(study->model); s++)
        max = study->visits[s] > max ? study->visits[s] : max;
    return 0.08 + 0.62 * sqrt((double)study->visits[state] / (double)max);
}

/* An arrow that points right, turned by the direction of the action. */
static void draw_action(const session *study, int64_t state, int64_t x, int64_t y)
{
    static const char *const name[] = {"right", "down", "left", "up"};
    const char *action =
        foray_model_action_name(study->model, foray_policy_action(study->policy, 0, state));
    for (int turn = 0; action && turn < 4; turn++)
        if (strcmp(action, name[turn]) == 0)
            printf("<path class=\"arrow\" transform=\"translate(%lld %lld) rotate(%d)\" "
                   "d=\"M-8 0H7M2 -5L7 0L2 5\"/>\n",
                   (long long)x, (long long)y, 90 * turn);
}

static void draw_cell(const session *study, int64_t state)
{
    int64_t row, col;
    if (!foray_model_cell(study->model, state, &row, &col))
        return;
    int64_t x = MAP_X + col * CELL, y = MAP_Y + row * CELL;
    printf("<rect class=\"floor\" x=\"%lld\" y=\"%lld\" width=\"%d\" height=\"%d\"/>\n",
           (long long)x, (long long)y, CELL, CELL);
    printf("<rect class=\"seen\" x=\"%lld\" y=\"%lld\" width=\"%d\" height=\"%d\" rx=\"4\" "
           "opacity=\"%.2f\"/>\n",
           (long long)x + 1, (long long)y + 1, CELL - 2, CELL - 2, shade(study, state));
    if (state == study->goal)
        printf("<circle class=\"goal\" cx=\"%lld\" cy=\"%lld\" r=\"9\"/>\n",
               (long long)x + CELL / 2, (long long)y + CELL / 2);
    else
        draw_action(study, state, x + CELL / 2, y + CELL / 2);
}

static void draw_map(const session *study)
{
    int64_t rows, cols;
    if (!foray_model_grid(study->model, &rows, &cols))
        return;
    printf(
        "<text class=\"title\" x=\"%d\" y=\"28\">Explored without a reward, then planned</text>\n"
        "<text class=\"note\" x=\"%d\" y=\"48\">shade: visits; arrows: first step of the plan "
        "to the dot</text>\n",
        MAP_X, MAP_X);
    printf("<rect class=\"wall\" x=\"%d\" y=\"%d\" width=\"%lld\" height=\"%lld\" rx=\"6\"/>\n",
           MAP_X - 6, MAP_Y - 6, (long long)cols * CELL + 12, (long long)rows * CELL + 12);
    for (int64_t s = 0; s < foray_model_states(study->model); s++)
        draw_cell(study, s);
}

/* --------------------------------------------------------------- the chart */

enum { CHART_X = 484, CHART_Y = 64, CHART_WIDTH = 250, CHART_HEIGHT = 352, ZERO = 40 };

static const double min_gap = 1e-3, max_gap = 30;

static double place_x(double power)
{
    return CHART_X + CHART_WIDTH * (power - FIRST_POWER) / (LAST_POWER - FIRST_POWER);
}

/* Logarithmic down to min_gap; 0 has a line of its own below. */
static double place_y(double gap)
{
    double height = log(fmax(gap, min_gap) / min_gap) / log(max_gap / min_gap);
    return gap > 1e-9 ? CHART_Y + (CHART_HEIGHT - ZERO) * (1 - height) : CHART_Y + CHART_HEIGHT;
}

static void draw_axes(void)
{
    printf("<text class=\"title\" x=\"%d\" y=\"28\">What the plan loses at most, and in "
           "truth</text>\n"
           "<text class=\"note\" x=\"%d\" y=\"48\">value against episodes explored; at most 30 "
           "can be earned</text>\n",
           CHART_X - 44, CHART_X - 44);
    for (int decade = -4; decade <= 1; decade++) {
        double gap = decade == -4 ? 0 : pow(10, decade), y = place_y(gap);
        printf("<path class=\"grid\" d=\"M%d %.1fH%d\"/><text class=\"tick\" x=\"%d\" y=\"%.1f\" "
               "text-anchor=\"end\">%g</text>\n",
               CHART_X, y, CHART_X + CHART_WIDTH, CHART_X - 8, y + 4, gap);
    }
    static const struct {
        int power;
        const char *label;
    } tick[] = {{6, "64"}, {10, "1 K"}, {15, "33 K"}, {20, "1 M"}};
    for (size_t i = 0; i < sizeof tick / sizeof *tick; i++)
        printf("<text class=\"tick\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
               place_x(tick[i].power), CHART_Y + CHART_HEIGHT + 18, tick[i].label);
}

/* `lift`: how far above the end of the curve its label stands. */
static void draw_curve(const double *gap, const char *style, int lift, const char *line1,
                       const char *line2)
{
    printf("<path class=\"curve %s\" d=\"", style);
    for (int i = 0; i < POINTS; i++)
        printf("%c%.1f %.1f", i == 0 ? 'M' : 'L', place_x(FIRST_POWER + i), place_y(gap[i]));
    printf("\"/>\n");
    double y = place_y(gap[POINTS - 1]) - lift;
    printf("<text class=\"label %s\" x=\"%d\" y=\"%.1f\">%s<tspan x=\"%d\" dy=\"15\">%s</tspan>"
           "</text>\n",
           style, CHART_X + CHART_WIDTH + 10, y, line1, CHART_X + CHART_WIDTH + 10, line2);
}

/* Where the certificate first is 0, a ring. */
static void mark_proof(const double *certificate)
{
    for (int i = 0; i < POINTS; i++)
        if (certificate[i] <= 1e-9) {
            printf("<circle class=\"proof\" cx=\"%.1f\" cy=\"%.1f\" r=\"6\"/>\n",
                   place_x(FIRST_POWER + i), place_y(0));
            return;
        }
}

static void draw_chart(const session *study)
{
    draw_axes();
    draw_curve(study->curve[VALUES], "values", 3, "classical bound", "on this goal");
    draw_curve(study->curve[TRUE_GAP], "gap", 40, "true gap", "");
    draw_curve(study->curve[CERTIFICATE], "certificate", 12, "certificate 0:", "proved optimal");
    mark_proof(study->curve[CERTIFICATE]);
}

/* Two palettes, chosen by the viewer's setting. */
static void draw_style(void)
{
    puts("<style>\n"
         "text{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;"
         "font-size:12px;fill:#57606a}\n"
         ".title{font-size:15px;font-weight:600;fill:#1f2328}.label{font-weight:600}\n"
         ".wall{fill:#8c959f}.floor{fill:#ffffff}.seen{fill:#218bff}.goal{fill:#cf222e}\n"
         ".arrow{fill:none;stroke:#1f2328;stroke-width:1.8;stroke-linecap:round;"
         "stroke-linejoin:round}\n"
         ".grid{stroke:#d0d7de;stroke-width:1}.curve{fill:none;stroke-width:2.4;"
         "stroke-linejoin:round}\n"
         "path.values{stroke:#8250df}path.certificate{stroke:#0969da}path.gap{stroke:#cf222e;"
         "stroke-dasharray:5 4}\n"
         ".proof{fill:none;stroke:#0969da;stroke-width:2}\n"
         "text.values{fill:#8250df}text.certificate{fill:#0969da}text.gap{fill:#cf222e}\n"
         "@media (prefers-color-scheme:dark){\n"
         "text{fill:#9198a1}.title{fill:#f0f6fc}\n"
         ".wall{fill:#3d444d}.floor{fill:#0d1117}.seen{fill:#1f6feb}.goal{fill:#ff7b72}\n"
         ".arrow{stroke:#f0f6fc}.grid{stroke:#30363d}\n"
         "path.values{stroke:#bc8cff}path.certificate{stroke:#58a6ff}path.gap{stroke:#ff7b72}\n"
         ".proof{stroke:#58a6ff}\n"
         "text.values{fill:#bc8cff}text.certificate{fill:#58a6ff}text.gap{fill:#ff7b72}\n"
         "}\n</style>");
}

int main(void)
{
    session study = {0};
    run(&study);
    puts("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 880 450\" role=\"img\" "
         "aria-label=\"Left: nine rooms, explored everywhere, with the planned policy as arrows. "
         "Right: the certificate falls to 0 with the number of episodes.\">");
    draw_style();
    draw_map(&study);
    draw_chart(&study);
    puts("</svg>");
    finish(&study);
    return 0;
}
