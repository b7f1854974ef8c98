/* test_report.c - the page about a run: well-formed, escaped, and with the run's numbers. */
#include "report/report.h"
#include "support_run.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------- a strict reader of our HTML */

static bool is_void(const char *name)
{
    return strcmp(name, "meta") == 0 || strcmp(name, "br") == 0;
}

static const char *skip_tag(const char *at, char name[32], bool *closing, bool *single)
{
    int length = 0;
    *closing = at[1] == '/';
    at += 1 + *closing;
    while (isalnum((unsigned char)*at) && length < 31)
        name[length++] = *at++;
    name[length] = 0;
    assert_true(length > 0);
    while (*at && *at != '>') {
        assert_true(*at != '<');
        if (*at == '"') {
            at = strpbrk(at + 1, "\"<>");
            assert_true(at && *at == '"');
        }
        at++;
    }
    *single = at[-1] == '/' || is_void(name);
    assert_int_equal(*at, '>');
    return at + 1;
}

/* Every element that opens closes, in order; no script, nothing from elsewhere. */
static void assert_well_formed(const char *page)
{
    char open[64][32], name[32];
    int depth = 0;
    bool closing, single;
    const char *at = page + strlen("<!DOCTYPE html>");
    assert_memory_equal(page, "<!DOCTYPE html>", strlen("<!DOCTYPE html>"));
    while ((at = strchr(at, '<'))) {
        at = skip_tag(at, name, &closing, &single);
        assert_string_not_equal(name, "script");
        if (closing)
            assert_string_equal(open[--depth], name);
        else if (!single)
            strcpy(open[depth++], name);
        assert_true(depth >= 0 && depth < 63);
    }
    assert_int_equal(depth, 0);
    assert_null(strstr(page, "href=\"http"));
    assert_null(strstr(page, "src="));
    assert_null(strstr(page, "url("));
    assert_null(strstr(page, "\"nan\""));
}

/* --------------------------------------------------------------------- reading the page */

static char *page_of(run_bench *bench, foray_run *run)
{
    char *page;
    size_t size;
    assert_ok(bench, foray_report_print(run, &page, &size));
    assert_int_equal(strlen(page), size);
    assert_well_formed(page);
    return page;
}

/* The CSV behind the link to `file`, decoded; NULL: there is no such link. */
static char *download(const char *page, const char *file)
{
    char link[128];
    snprintf(link, sizeof link, "download=\"%s\" href=\"data:", file);
    const char *at = strstr(page, link);
    if (!at)
        return NULL;
    at = strchr(at, ',') + 1;
    char *out = malloc(strcspn(at, "\"") + 1), *end = out;
    for (unsigned code; *at != '"'; at++) {
        if (*at == '%') {
            assert_int_equal(sscanf(at + 1, "%2x", &code), 1);
            at += 2;
            *end++ = (char)code;
        } else {
            *end++ = *at;
        }
    }
    *end = 0;
    return out;
}

static int64_t lines(const char *text)
{
    int64_t count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

/* Behind a cell of CSV: quotes hide commas. */
static const char *skip_cell(const char *csv)
{
    for (bool quoted = false; *csv && (quoted || !strchr(",\n", *csv)); csv++)
        quoted ^= *csv == '"';
    return csv;
}

/* Column `column` of the line after `line` line ends, as text. */
static const char *field(const char *csv, int64_t line, int column, char out[256])
{
    for (; line > 0; line--)
        csv = strchr(csv, '\n') + 1;
    for (; column > 0; column--)
        csv = skip_cell(csv) + 1;
    snprintf(out, 256, "%.*s", (int)(skip_cell(csv) - csv), csv);
    return out;
}

static double number(const char *csv, int64_t line, int column)
{
    char text[256];
    return strtod(field(csv, line, column, text), NULL);
}

static int64_t occurrences(const char *text, const char *what)
{
    int64_t count = 0;
    for (; (text = strstr(text, what)); text++)
        count++;
    return count;
}

/* --------------------------------------------------------------------------------- tests */

static bool count_states(void *user, int64_t episode, const int32_t *states, const int32_t *actions)
{
    int64_t *visits = user;
    (void)episode;
    (void)actions;
    for (int t = 0; t < 30; t++)
        visits[states[t]]++;
    return true;
}

static void check_visits(run_bench *bench, foray_run *run, const char *page)
{
    int64_t visits[128] = {0};
    char *csv = download(page, "visits.csv");
    assert_non_null(csv);
    assert_ok(bench, foray_run_episodes(run, 0, count_states, visits));
    int64_t states = foray_model_states(bench->model);
    assert_int_equal(lines(csv), states + 1);
    for (int64_t s = 0; s < states; s++) {
        int64_t row, col;
        assert_true(foray_model_cell(bench->model, s, &row, &col));
        assert_int_equal((int64_t)number(csv, s + 1, 0), s);
        assert_int_equal((int64_t)number(csv, s + 1, 2), row);
        assert_int_equal((int64_t)number(csv, s + 1, 3), col);
        assert_int_equal((int64_t)number(csv, s + 1, 4), visits[s]);
    }
    free(csv);
}

static void check_theta(run_bench *bench, foray_run *run, const char *page)
{
    double estimate[256], half_width[256];
    char *csv = download(page, "theta.csv");
    int64_t dim = foray_model_dim(bench->model);
    const double *truth = foray_model_theta(bench->model);
    assert_ok(bench, foray_explorer_estimate(foray_run_explorer(run), estimate, half_width));
    assert_int_equal(lines(csv), dim + 1);
    for (int64_t i = 0; i < dim; i++) {
        assert_true(number(csv, i + 1, 1) == estimate[i]);
        assert_true(number(csv, i + 1, 2) == estimate[i] - half_width[i]);
        assert_true(number(csv, i + 1, 3) == estimate[i] + half_width[i]);
        assert_true(number(csv, i + 1, 4) == half_width[i]);
        assert_true(number(csv, i + 1, 5) == truth[i]);
    }
    free(csv);
}

typedef struct cursor {
    const char *csv;
    int64_t line;
} cursor;

static bool check_point(void *user, int64_t episodes, int64_t plans, double bound)
{
    cursor *at = user;
    char text[256];
    at->line++;
    assert_int_equal((int64_t)number(at->csv, at->line, 0), episodes);
    assert_int_equal((int64_t)number(at->csv, at->line, 1), plans);
    if (isnan(bound))
        assert_string_equal(field(at->csv, at->line, 2, text), "");
    else
        assert_true(number(at->csv, at->line, 2) == bound);
    return true;
}

static void check_trace(run_bench *bench, foray_run *run, const char *page)
{
    cursor at = {.csv = download(page, "trace.csv")};
    assert_non_null(at.csv);
    assert_ok(bench, foray_run_trace(run, check_point, &at));
    assert_true(at.line > 3);
    assert_int_equal(lines(at.csv), at.line + 1);
    free((char *)at.csv);
}

/* One plan for the last state, as foray_run_plan gives it. */
static foray_policy *plan_goal(run_bench *bench, foray_run *run, foray_mode mode)
{
    foray_policy *policy;
    foray_reward *reward = run_goal_reward(bench->ctx, bench->model);
    const foray_reward *rewards[] = {reward};
    assert_ok(bench, foray_run_plan(run, 1, rewards, mode, &policy));
    foray_reward_destroy(reward);
    return policy;
}

/* The values of step 0, averaged over the initial states, are foray_evaluate's. */
static void check_policy(run_bench *bench, const foray_policy *policy, const char *page)
{
    const int32_t *state;
    const double *probability;
    double value, optimal, mean = 0.0;
    char *csv = download(page, "policy0.csv");
    foray_reward *reward = run_goal_reward(bench->ctx, bench->model);
    assert_ok(bench, foray_evaluate(bench->ctx, bench->model, reward, policy, &value, &optimal));
    int64_t initials = foray_model_initial(bench->model, &state, &probability);
    for (int64_t i = 0; i < initials; i++)
        mean += probability[i] * number(csv, state[i] + 1, 5);
    assert_true(value > 0.0);
    assert_true(fabs(mean - value) < 1e-12);
    for (int64_t s = 0; s < policy->states; s++) {
        assert_int_equal((int64_t)number(csv, s + 1, 0), 0);
        assert_int_equal((int64_t)number(csv, s + 1, 3), policy->action[s]);
    }
    foray_reward_destroy(reward);
    free(csv);
}

static void check_plans(const foray_policy *policy, const char *page)
{
    char text[256], *csv = download(page, "plans.csv");
    assert_int_equal(lines(csv), 2);
    assert_string_equal(field(csv, 1, 2, text), foray_mode_name(policy->mode));
    assert_true(number(csv, 1, 4) == policy->value[FORAY_PESSIMISTIC]);
    assert_true(number(csv, 1, 5) == policy->value[FORAY_PLUGIN]);
    assert_true(number(csv, 1, 6) == policy->value[FORAY_OPTIMISTIC]);
    assert_true(number(csv, 1, 7) == policy->certificate.gap);
    assert_true(number(csv, 1, 8) == policy->certificate.delta);
    assert_true(number(csv, 1, 11) == policy->expected);
    assert_true(number(csv, 1, 12) == policy->low);
    assert_true(number(csv, 1, 13) == policy->high);
    assert_string_equal(field(csv, 1, 14, text), foray_bound_name(policy->certificate.bound));
    free(csv);
}

/* The reasons of the certificate: shares add up to it, on the map in per cent. */
static void check_doubt(run_bench *bench, foray_run *run, const foray_policy *policy,
                        const char *page)
{
    foray_doubt *doubt;
    char name[96], *csv = download(page, "doubt0.csv"), *laws = download(page, "laws0.csv");
    foray_reward *reward = run_goal_reward(bench->ctx, bench->model);
    assert_ok(bench, foray_explorer_explain(foray_run_explorer(run), reward, policy, 0, &doubt));
    assert_int_equal(lines(csv), doubt->places + 1);
    assert_true(doubt->places > 0 && doubt->laws > 0);
    for (int64_t i = 0; i < doubt->places; i++) {
        assert_int_equal((int64_t)number(csv, i + 1, 0), doubt->place[i].step);
        assert_true(number(csv, i + 1, 3) == doubt->place[i].share);
    }
    for (int64_t i = 0; i < doubt->laws && i < 10; i++)
        assert_true(number(laws, i + 1, 1) == (double)doubt->law[i].visits);
    foray_doubt_law_name(&doubt->law[0], name, sizeof name);
    assert_non_null(strstr(laws, name));
    foray_doubt_destroy(doubt);
    foray_reward_destroy(reward);
    free(csv);
    free(laws);
}

static void numbers_are_those_of_the_run(void **state)
{
    run_bench bench;
    (void)state;
    run_bench_open(&bench, "rooms:rows=2,cols=2");
    run_make(&bench, bench.path);
    foray_run *run = run_reopen(&bench, bench.path, FORAY_RUN_WRITE);
    foray_policy *policy = plan_goal(&bench, run, FORAY_PLUGIN);
    char *page = page_of(&bench, run);
    check_visits(&bench, run, page);
    check_theta(&bench, run, page);
    check_trace(&bench, run, page);
    check_plans(policy, page);
    check_policy(&bench, policy, page);
    check_doubt(&bench, run, policy, page);
    assert_int_equal(occurrences(page, "<svg "), 5 + FY_REPORT_STEPS);
    assert_non_null(strstr(page, "foray explore test:world --episodes 300 --seed 7 -o one.foray\n"
                                 "foray plan one.foray -r "));
    assert_non_null(strstr(page, "id=\"visitmap\""));
    assert_non_null(strstr(page, "id=\"doubtmap0\""));
    /* Probabilities by name; a ring where episodes start on the map of visits and on those of the
     * policy; the goal framed; each plan listed once; and a bound that says nothing called so. */
    assert_non_null(strstr(page, ">(0,0), right → (0,1)</text>"));
    assert_int_equal(occurrences(page, "<circle class=\"mark\" stroke-width"), 1 + FY_REPORT_STEPS);
    assert_int_equal(occurrences(page, "<rect class=\"mark\""), FY_REPORT_STEPS);
    assert_null(strstr(page, "id=\"plans-data\""));
    assert_non_null(strstr(page, "(vacuous: as large as rewards allow"));
    free(page);
    foray_policy_destroy(policy);
    foray_run_close(run);
    run_bench_close(&bench);
}

/* Row `line` of probabilities.csv, which names a pair and what follows, has the interval of that
 * outcome, its probability under the estimate and under the truth. */
static void check_outcome(run_bench *bench, const char *csv, int64_t line, const double *estimate,
                          const double *low, const double *high)
{
    const foray_model *model = bench->model;
    char names[3][256];
    const int32_t *next;
    int64_t found = 0;
    for (int column = 0; column < 3; column++)
        field(csv, line, column, names[column]);
    for (int64_t p = 0, i = 0; p < foray_model_states(model) * foray_model_actions(model); p++) {
        int64_t s = p / foray_model_actions(model), a = p % foray_model_actions(model);
        int64_t count = foray_model_successors(model, s, a, &next);
        for (int64_t j = 0; j < count; j++, i++) {
            if (strcmp(names[0], foray_model_state_name(model, s)) != 0 ||
                strcmp(names[1], foray_model_action_name(model, a)) != 0 ||
                strcmp(names[2], foray_model_state_name(model, next[j])) != 0)
                continue;
            double p_hat = foray_model_probability(model, estimate, s, a, j);
            assert_true(number(csv, line, 3) == fmin(fmax(p_hat, 0), 1));
            assert_true(number(csv, line, 4) == low[i] && number(csv, line, 5) == high[i]);
            assert_true(number(csv, line, 6) ==
                        foray_model_probability(model, foray_model_theta(model), s, a, j));
            found++;
        }
    }
    assert_int_equal(found, 1);
}

/* Where theta blends laws, the page shows what follows and how probable it is, with the intervals
 * of foray_explorer_intervals, and theta only as numbers. With y = 0 .. 5 pieces in the morning
 * the evening finds 0 .. y of them. */
static void blended_laws_are_shown_as_probabilities(void **state)
{
    enum { OUTCOMES = 1 + 2 + 3 + 4 + 5 + 6 };
    run_bench bench;
    double low[256], high[256], estimate[16];
    (void)state;
    run_bench_open(&bench, "inventory:capacity=5,order=2,horizon=8");
    run_make(&bench, bench.path);
    foray_run *run = run_reopen(&bench, bench.path, FORAY_RUN_READ);
    char *page = page_of(&bench, run), *csv = download(page, "probabilities.csv");
    assert_non_null(csv);
    assert_ok(&bench, foray_explorer_intervals(foray_run_explorer(run), low, high, NULL));
    assert_ok(&bench, foray_explorer_estimate(foray_run_explorer(run), estimate, NULL));
    assert_int_equal(lines(csv), OUTCOMES + 1);
    for (int64_t line = 1; line <= OUTCOMES; line++)
        check_outcome(&bench, csv, line, estimate, low, high);
    check_theta(&bench, run, page);
    assert_null(strstr(page, ">theta 0</text>"));
    assert_non_null(strstr(page, ">probability of what follows</text>"));
    assert_non_null(strstr(page, ">stock 3</text>"));
    assert_non_null(strstr(page, "After <strong>stock 3, order 2</strong>, and with the same "
                                 "probabilities after 5 other pairs."));
    assert_non_null(strstr(page, "which 21 of all 21 intervals contain."));
    free(csv);
    free(page);
    foray_run_close(run);
    run_bench_close(&bench);
}

/* A map of a single line is none: bars, and states by steps. */
static void worlds_without_a_map_have_bars(void **state)
{
    run_bench *bench = *state;
    run_make(bench, bench->path);
    foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
    foray_policy *policy = plan_goal(bench, run, FORAY_OPTIMISTIC);
    char *page = page_of(bench, run);
    assert_int_equal(occurrences(page, "class=\"bar\""), 7);
    assert_null(strstr(page, "id=\"visitmap\""));
    assert_int_equal(occurrences(page, "class=\"cell\""), 7 * 8);
    assert_int_equal(occurrences(page, ">step</text>"), 1);
    check_policy(bench, policy, page);
    free(page);
    foray_policy_destroy(policy);
    foray_run_close(run);
}

static void empty_runs_have_a_page(void **state)
{
    run_bench *bench = *state;
    foray_run *run = run_create(bench, bench->path);
    char *page = page_of(bench, run);
    char *csv = download(page, "visits.csv");
    assert_non_null(strstr(page, "No episode has been explored yet"));
    assert_non_null(strstr(page, "The run has no plans yet"));
    for (int64_t s = 0; s < 7; s++)
        assert_true(number(csv, s + 1, 4) == 0.0);
    assert_null(download(page, "plans.csv"));
    free(csv);
    free(page);
    foray_run_close(run);
}

static void algorithms_without_an_estimate_say_so(void **state)
{
    run_bench *bench = *state;
    strcpy(bench->settings.algorithm, "rf-express");
    run_make(bench, bench->path);
    foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_READ);
    char *page = page_of(bench, run);
    assert_non_null(strstr(page, "keeps no estimate of theta"));
    assert_non_null(strstr(page, "--algorithm rf-express"));
    free(page);
    foray_run_close(run);
}

/* What was learnt elsewhere: on what it rests, and how it is learnt again. */
static void recorded_episodes_say_so(void **state)
{
    enum { STEPS = 8 };
    int32_t states[STEPS + 1] = {0}, actions[STEPS] = {0};
    run_bench *bench = *state;
    strcpy(bench->settings.algorithm, "recorded");
    bench->settings.delta = 0.25;
    foray_run *run = run_create(bench, bench->path);
    assert_ok(bench, foray_run_learn(run, STEPS, states, actions));
    char *page = page_of(bench, run);
    assert_non_null(strstr(page, "their law is taken on trust"));
    assert_non_null(strstr(page, "foray learn test:world episodes.csv --delta 0.25 -o"));
    assert_null(strstr(page, "foray explore"));
    free(page);
    foray_run_close(run);
}

static void many_plans_are_listed_and_some_drawn(void **state)
{
    enum { PLANS = 30 };
    run_bench *bench = *state;
    run_make(bench, bench->path);
    foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
    for (int i = 0; i < PLANS; i++)
        foray_policy_destroy(plan_goal(bench, run, i % FORAY_MODES));
    char *page = page_of(bench, run);
    char *csv = download(page, "plans.csv");
    assert_int_equal(lines(csv), PLANS + 1);
    assert_int_equal(occurrences(page, "<h3>Plan "), FY_REPORT_PLANS);
    assert_null(strstr(page, "<h3>Plan 21:"));
    assert_non_null(strstr(page, "<h3>Plan 22:"));
    assert_non_null(strstr(page, "<h3>Plan 29:"));
    free(csv);
    free(page);
    foray_run_close(run);
}

/* ------------------------------------------------------------------------ hostile names */

static const char hostile[] = "<script>alert('1')</script>\"&\x01";

static void build_hostile_model(run_bench *bench)
{
    foray_builder *builder;
    foray_context *ctx = bench->ctx;
    assert_ok(bench, foray_builder_create_tabular(ctx, 4, 2, 3, &builder));
    foray_builder_grid(builder, 2, 2);
    for (int64_t s = 0; s < 4; s++) {
        for (int64_t a = 0; a < 2; a++)
            foray_builder_transition(builder, s, a, (s + a) % 4, 1.0);
        foray_builder_state_name(builder, s, hostile);
        foray_builder_cell(builder, s, s / 2, s % 2);
    }
    for (int64_t a = 0; a < 2; a++)
        foray_builder_action_name(builder, a, hostile);
    foray_builder_name(builder, hostile);
    foray_model *model;
    assert_ok(bench, foray_builder_finish(builder, &model));
    foray_model_destroy(bench->model);
    bench->model = model;
    foray_builder_destroy(builder);
}

static void hostile_names_are_escaped(void **state)
{
    run_bench *bench = *state;
    foray_run *run;
    foray_reward *reward;
    foray_policy *policy;
    const foray_reward *rewards[1];
    build_hostile_model(bench);
    assert_ok(bench, foray_run_create(bench->ctx, bench->path, FORAY_RUN_NEW, bench->model, hostile,
                                      &bench->settings, &run));
    assert_ok(bench, foray_reward_create(bench->ctx, bench->model, "goal:'</pre><script>\"&", 0, 1,
                                         1.0, &reward));
    rewards[0] = reward;
    assert_ok(bench, run_finish(bench, run));
    assert_ok(bench, foray_run_plan(run, 1, rewards, FORAY_PLUGIN, &policy));
    char *page = page_of(bench, run);
    assert_null(strstr(page, "<script"));
    assert_null(strstr(page, "\x01"));
    assert_non_null(strstr(page, "&lt;script&gt;"));
    /* The shell sees one word. */
    assert_non_null(strstr(page, "-r &#39;goal:&#39;\\&#39;&#39;&lt;/pre&gt;&lt;script&gt;"));
    free(page);
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    foray_run_close(run);
}

/* ---------------------------------------------------------------------- size and memory */

static void large_worlds_have_small_pages(void **state)
{
    run_bench bench;
    (void)state;
    run_bench_open(&bench, "grid:rows=320,cols=320,horizon=20");
    bench.settings.episodes = 3;
    strcpy(bench.settings.algorithm, "random");
    run_make(&bench, bench.path);
    foray_run *run = run_reopen(&bench, bench.path, FORAY_RUN_WRITE);
    foray_policy *policy = plan_goal(&bench, run, FORAY_PLUGIN);
    char *page = page_of(&bench, run);
    char *csv = download(page, "visits.csv");
    double visits = 0.0;
    assert_true(strlen(page) < 3000000);
    assert_non_null(strstr(page, "each square here combines 8 × 8 of them"));
    assert_non_null(strstr(page, "The 20000 states visited most, of 102400."));
    assert_int_equal(lines(csv), FY_REPORT_CSV_ROWS + 1);
    for (int64_t i = 1; i <= 60; i++)
        visits += number(csv, i, 4);
    assert_true(visits == 3 * 20);
    free(csv);
    free(page);
    foray_policy_destroy(policy);
    foray_run_close(run);
    run_bench_close(&bench);
}

static void failed_allocations_leave_nothing_behind(void **state)
{
    run_bench *bench = *state;
    char *page = NULL;
    size_t size;
    bench->settings.episodes = 5;
    run_make(bench, bench->path);
    foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
    foray_policy_destroy(plan_goal(bench, run, FORAY_PLUGIN));
    foray_status status = FORAY_ERROR_MEMORY;
    int64_t failures = 0;
    /* The first hundred one by one, the later ones more and more sparsely. */
    for (; status != FORAY_OK; failures += 1 + failures / 100) {
        bench->ctx->allocations_left = failures;
        status = foray_report_print(run, &page, &size);
        bench->ctx->allocations_left = -1;
        if (status != FORAY_OK)
            assert_int_equal(status, FORAY_ERROR_MEMORY);
        assert_true((status == FORAY_OK) == (page != NULL));
    }
    assert_true(failures > 20);
    assert_well_formed(page);
    free(page);
    foray_run_close(run);
}

static void files_that_cannot_be_written_are_errors(void **state)
{
    run_bench *bench = *state;
    char path[128];
    foray_run *run = run_create(bench, bench->path);
    snprintf(path, sizeof path, "%s/no/such/page.html", bench->directory);
    assert_fails(bench, FORAY_ERROR_IO, foray_report_save(run, path));
    snprintf(path, sizeof path, "%s/page.html", bench->directory);
    assert_ok(bench, foray_report_save(run, path));
    char *page = page_of(bench, run);
    assert_int_equal(run_file_size(path), (long)strlen(page));
    free(page);
    foray_run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_the_run),
        cmocka_unit_test(blended_laws_are_shown_as_probabilities),
        RUN_TEST(worlds_without_a_map_have_bars),
        RUN_TEST(empty_runs_have_a_page),
        RUN_TEST(algorithms_without_an_estimate_say_so),
        RUN_TEST(recorded_episodes_say_so),
        RUN_TEST(many_plans_are_listed_and_some_drawn),
        RUN_TEST(hostile_names_are_escaped),
        cmocka_unit_test(large_worlds_have_small_pages),
        RUN_TEST(failed_allocations_leave_nothing_behind),
        RUN_TEST(files_that_cannot_be_written_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
