/* swingup.c - draws docs/img/pendulum.svg: what policies planned after one exploration do in
 * the real pendulum.
 *
 *   foray explore pendulum -k 1000 -o pendulum.foray
 *   swingup pendulum.foray > docs/img/pendulum.svg */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <foray/foray.h>

enum { REWARDS = 4, EPISODES = 5, MAX_STEPS = 64, SHOWN_STEP = 8 };
static const double pi = 3.14159265358979323846, seconds_per_step = 0.15;

typedef struct session {
    foray_context *ctx;
    foray_run *run;
    foray_system *system;
    foray_clusters *clusters;
    foray_policy *policy[REWARDS];
    double path[REWARDS][EPISODES][MAX_STEPS][2]; /* states of episodes in reality */
    int64_t steps;
} session;

static void need(const session *study, foray_status status)
{
    if (status < 0) {
        fprintf(stderr, "swingup: %s\n", foray_message(study->ctx));
        exit(1);
    }
}

/* ------------------------------------------------------------------ reality */

static void plan(session *study, int64_t index)
{
    foray_reward *reward;
    need(study, foray_system_reward_create(study->ctx, study->system, study->clusters,
                                           foray_run_model(study->run), index, &reward));
    const foray_reward *rewards[] = {reward};
    need(study, foray_explorer_plan(foray_run_explorer(study->run), 1, rewards, FORAY_PLUGIN,
                                    &study->policy[index]));
    foray_reward_destroy(reward);
}

static void follow(session *study, int64_t index, int64_t episode)
{
    foray_system_query query = {.draw = {.seed = 7, .episode = (uint64_t)episode},
                                .simulator = FORAY_REALITY};
    double(*path)[2] = study->path[index][episode];
    need(study, foray_system_reset(study->system, &query.draw, path[0]));
    for (int64_t t = 0; t + 1 < study->steps; t++) {
        query.action = foray_policy_act(study->policy[index], study->clusters, t, path[t]);
        query.draw.step = (uint32_t)t + 1;
        need(study, foray_system_step(study->system, 1, &query, path[t], path[t + 1]));
    }
}

static void run(session *study, const char *file)
{
    study->ctx = foray_context_create();
    need(study, foray_run_open(study->ctx, file, FORAY_RUN_READ, &study->run));
    need(study, foray_system_open(study->ctx, "pendulum", &study->system));
    need(study, foray_clusters_parse(study->ctx, study->system, "grid:31x31", &study->clusters));
    int64_t horizon = foray_system_describe(study->system)->horizon;
    study->steps = horizon < MAX_STEPS ? horizon : MAX_STEPS;
    for (int64_t i = 0; i < REWARDS; i++) {
        plan(study, i);
        for (int64_t e = 0; e < EPISODES; e++)
            follow(study, i, e);
    }
}

static void finish(session *study)
{
    for (int i = 0; i < REWARDS; i++)
        foray_policy_destroy(study->policy[i]);
    foray_clusters_destroy(study->clusters);
    foray_system_destroy(study->system);
    foray_run_close(study->run);
    foray_context_destroy(study->ctx);
}

/* -------------------------------------------------------------- phase plane */

enum { MAP_X = 56, MAP_Y = 64, MAP_SIZE = 340 };

static double map_x(double angle)
{
    return MAP_X + MAP_SIZE * (angle + pi) / (2 * pi);
}

static double map_y(double velocity)
{
    return MAP_Y + MAP_SIZE * (8 - velocity) / 16;
}

static double time_x(int64_t t);
static double angle_y(int index, double angle);

/* An episode, by angle and velocity or by time and angle; the line is broken where the
 * pendulum passes the bottom. */
static void draw_path(const session *study, int index, int episode, bool by_time)
{
    const double(*path)[2] = (const double(*)[2])study->path[index][episode];
    printf("<path class=\"%s\" d=\"", by_time ? "curve" : "phase");
    for (int64_t t = 0; t < study->steps; t++) {
        bool broken = t == 0 || fabs(path[t][0] - path[t - 1][0]) > pi;
        double x = by_time ? time_x(t) : map_x(path[t][0]);
        double y = by_time ? angle_y(index, path[t][0]) : map_y(path[t][1]);
        printf("%c%.1f %.1f", broken ? 'M' : 'L', x, y);
    }
    printf("\"/>\n");
}

/* The action at the centre of a cell of the picture, which is finer than the clusters. */
enum { CELLS = 68, CELL = MAP_SIZE / CELLS };
static int64_t torque_at(const session *study, int row, int col)
{
    const double state[] = {pi * (2 * (col + 0.5) / CELLS - 1), 8 * (1 - 2 * (row + 0.5) / CELLS)};
    return foray_policy_act(study->policy[0], study->clusters, SHOWN_STEP, state);
}

/* Neighbours with the same torque share one rectangle. */
static void draw_row(const session *study, int row)
{
    static const char *const style[] = {"minus", "none", "plus"};
    for (int col = 0, first = 0; col < CELLS; col++) {
        int64_t torque = torque_at(study, row, col);
        if (col + 1 < CELLS && torque_at(study, row, col + 1) == torque)
            continue;
        printf("<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", style[torque],
               MAP_X + first * CELL, MAP_Y + row * CELL, (col + 1 - first) * CELL, CELL);
        first = col + 1;
    }
}

static void draw_phase_plane(const session *study)
{
    printf("<text class=\"title\" x=\"%d\" y=\"28\">The plan to stand upright</text>\n"
           "<text class=\"note\" x=\"%d\" y=\"48\">shade: torque at step %d, by angle and "
           "velocity; lines: real episodes</text>\n",
           MAP_X - 32, MAP_X - 32, SHOWN_STEP);
    for (int row = 0; row < CELLS; row++)
        draw_row(study, row);
    for (int e = 0; e < EPISODES; e++)
        draw_path(study, 0, e, false);
    printf("<circle class=\"goal\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>\n", map_x(0), map_y(0));
    for (int i = -1; i <= 1; i++)
        printf("<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d&#176;</text>"
               "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%d/s</text>\n",
               map_x(i * pi), MAP_Y + MAP_SIZE + 18, 180 * i, MAP_X - 6, map_y(8 * i) + 4, 8 * i);
}

/* ------------------------------------------------------------------- charts */

enum { CHART_X = 500, CHART_Y = 64, CHART_WIDTH = 330, CHART_HEIGHT = 70, CHART_GAP = 20 };

static double time_x(int64_t t)
{
    return CHART_X + CHART_WIDTH * (double)t / 39;
}

static double angle_y(int index, double angle)
{
    return CHART_Y + index * (CHART_HEIGHT + CHART_GAP) + CHART_HEIGHT * (pi - angle) / (2 * pi);
}

static void draw_chart(const session *study, int index)
{
    const char *name = foray_system_describe(study->system)->reward_name[index];
    const double mark[] = {pi, 0, -pi};
    for (int i = 0; i < 3; i++)
        printf("<path class=\"grid\" d=\"M%d %.1fh%d\"/><text x=\"%d\" y=\"%.1f\" "
               "text-anchor=\"end\">%.0f&#176;</text>\n",
               CHART_X, angle_y(index, mark[i]), CHART_WIDTH, CHART_X - 6,
               angle_y(index, mark[i]) + 4, 180 * mark[i] / pi);
    for (int e = 0; e < EPISODES; e++)
        draw_path(study, index, e, true);
    printf("<text class=\"label\" x=\"%d\" y=\"%.1f\">%s</text>\n", CHART_X + 4,
           angle_y(index, pi) - 5, name);
}

static void draw_charts(const session *study)
{
    printf("<text class=\"title\" x=\"%d\" y=\"28\">One exploration, four rewards</text>\n",
           CHART_X - 40);
    for (int i = 0; i < REWARDS; i++)
        draw_chart(study, i);
    printf("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">angle from upright over %.0f s</text>\n",
           CHART_X + CHART_WIDTH, CHART_Y + 4 * CHART_HEIGHT + 3 * CHART_GAP + 18,
           39 * seconds_per_step);
}

/* Two palettes, chosen by the viewer's setting. */
static void draw_style(void)
{
    puts("<style>\n"
         "text{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;"
         "font-size:12px;fill:#57606a}\n"
         ".title{font-size:15px;font-weight:600;fill:#1f2328}.label{font-weight:600}\n"
         ".minus{fill:#9cc9f5}.none{fill:#f6f8fa}.plus{fill:#f7cf9f}.goal{fill:#cf222e}\n"
         ".phase{fill:none;stroke:#1f2328;stroke-width:1.4;stroke-linejoin:round}\n"
         ".curve{fill:none;stroke:#0969da;stroke-width:1.6;opacity:.7;stroke-linejoin:round}\n"
         ".grid{stroke:#d0d7de;stroke-width:1}\n"
         "@media (prefers-color-scheme:dark){\n"
         "text{fill:#9198a1}.title{fill:#f0f6fc}\n"
         ".minus{fill:#15416e}.none{fill:#161b22}.plus{fill:#6e4314}.goal{fill:#ff7b72}\n"
         ".phase{stroke:#f0f6fc}.curve{stroke:#58a6ff}.grid{stroke:#30363d}\n"
         "}\n</style>");
}

int main(int argc, char **argv)
{
    static session study;
    if (argc != 2) {
        fprintf(stderr, "swingup: name the run of the pendulum to draw\n");
        return 2;
    }
    run(&study, argv[1]);
    puts("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 880 450\" role=\"img\" "
         "aria-label=\"Left: the torque of a planned policy by angle and velocity, with real "
         "episodes that spiral out from hanging down and end upright. Right: the angle over time "
         "under four policies, each planned for a different reward.\">");
    draw_style();
    draw_phase_plane(&study);
    draw_charts(&study);
    puts("</svg>");
    finish(&study);
    return 0;
}
