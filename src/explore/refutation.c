/* refutation.c - does any law of the model fit the data? Tests at episodes that grow by a quarter,
 * so that exploring hardly notices them, and whenever a certificate is asked for. */
#include "explore/explorer.h"

#include <inttypes.h>
#include <math.h>

/* A test may take as long as this many of its elementary steps for each step explored. */
static const double share = 200;

static int64_t steps_between(const foray_explorer *explorer)
{
    double episodes = fy_fit_cost(explorer->fit) / (share * (double)explorer->model->horizon);
    return (int64_t)fmin(fmax(episodes, 1), 0x1p60);
}

foray_status fy_explorer_prepare_tests(foray_explorer *explorer)
{
    explorer->tested_after = -1;
    if (explorer->model->open) /* nothing can refute it */
        return FORAY_OK;
    foray_status status = fy_fit_create(&explorer->arena, explorer->model, &explorer->fit);
    if (explorer->fit)
        explorer->next_test = steps_between(explorer);
    return status;
}

/* Radii that were scaled down hold no truth that could be missed. */
static void test_now(foray_explorer *explorer)
{
    fy_regression_set regression;
    bool regressed = explorer->settings.radius_scale >= 1 && explorer->ops->regression &&
                     explorer->ops->regression(explorer, &regression);
    if (explorer->tested_after != explorer->episodes)
        fy_fit_test(explorer->fit, explorer->seen, regressed ? &regression : NULL,
                    &explorer->tested);
    explorer->tested.episodes = explorer->tested_after = explorer->episodes;
    if (fy_was_stopped(explorer->ctx)) /* what was cut short says nothing */
        explorer->tested_after = -1;
}

void fy_explorer_test(foray_explorer *explorer)
{
    if (!explorer->fit || explorer->refuted.refuted || explorer->episodes < explorer->next_test)
        return;
    test_now(explorer);
    if (fy_was_stopped(explorer->ctx))
        return;
    if (explorer->tested.refuted)
        explorer->refuted = explorer->tested;
    int64_t min = steps_between(explorer), quarter = explorer->episodes / 4;
    explorer->next_test = explorer->episodes + (quarter > min ? quarter : min);
}

foray_status foray_explorer_refutation(foray_explorer *explorer, foray_refutation *out)
{
    *out = (foray_refutation){.coordinate = -1, .state = -1, .action = -1, .next = -1};
    if (explorer->refuted.refuted) {
        *out = explorer->refuted;
    } else if (explorer->begun.refuted) {
        *out = explorer->begun;
    } else if (explorer->fit) {
        test_now(explorer);
        *out = explorer->tested;
    }
    return fy_was_stopped(explorer->ctx) ? FORAY_INTERRUPTED : FORAY_OK;
}

/* ------------------------------------------------------------- save and load */

void fy_refutation_save(const foray_refutation *r, fy_writer *writer)
{
    fy_write_u64(writer, r->refuted);
    if (!r->refuted)
        return;
    const int64_t number[] = {r->episodes, r->coordinate, r->state, r->action, r->next};
    const double real[] = {r->evidence, r->limit, r->estimate, r->half_width};
    fy_write_u64s(writer, (const uint64_t *)number, sizeof number / sizeof *number);
    fy_write_doubles(writer, real, sizeof real / sizeof *real);
}

void fy_refutation_load(foray_refutation *r, fy_reader *reader)
{
    int64_t number[5];
    double real[4];
    *r = (foray_refutation){.refuted = false};
    if (fy_read_u64(reader) == 0 || reader->failed)
        return;
    fy_read_u64s(reader, (uint64_t *)number, sizeof number / sizeof *number);
    fy_read_doubles(reader, real, sizeof real / sizeof *real);
    if (!reader->failed)
        *r = (foray_refutation){.refuted = true,
                                .episodes = number[0],
                                .coordinate = number[1],
                                .state = number[2],
                                .action = number[3],
                                .next = number[4],
                                .evidence = real[0],
                                .limit = real[1],
                                .estimate = real[2],
                                .half_width = real[3]};
}

void fy_explorer_save_tests(const foray_explorer *explorer, fy_writer *writer)
{
    fy_write_u64(writer, (uint64_t)explorer->next_test);
    fy_refutation_save(&explorer->refuted, writer);
}

void fy_explorer_load_tests(foray_explorer *explorer, fy_reader *reader)
{
    explorer->tested_after = -1;
    explorer->next_test = (int64_t)fy_read_u64(reader);
    fy_refutation_load(&explorer->refuted, reader);
}

/* --------------------------------------------------------------------------- words */

/* "state 8", or "state cellar". */
static void name_it(const char *what, const char *name, int64_t number, char out[64])
{
    if (name)
        fy_format(out, 64, "%s %s", what, name);
    else
        fy_format(out, 64, "%s %" PRId64, what, number);
}

static void print_impossible(const foray_model *model, const foray_refutation *r, char *text,
                             size_t size)
{
    char next[64], state[64], action[64];
    name_it("state", model ? foray_model_state_name(model, r->next) : NULL, r->next, next);
    name_it("state", model ? foray_model_state_name(model, r->state) : NULL, r->state, state);
    name_it("action", model ? foray_model_action_name(model, r->action) : NULL, r->action, action);
    fy_format(text, size,
              "noticed after %" PRId64 " episodes: the probability of %s after %s, %s, is %.3g "
              "+- %.2g, and cannot be negative",
              r->episodes, next, state, action, r->estimate, r->half_width);
}

/* Nats as a power of ten. */
static void print_times(double evidence, char out[32])
{
    static const double nats_of_ten = 2.302585092994046;
    fy_format(out, 32, "10^%.0f", floor(evidence / nats_of_ten));
}

static void print_beginning(const foray_model *model, const foray_refutation *r, char *text,
                            size_t size)
{
    char first[64], times[32];
    name_it("state", model ? foray_model_state_name(model, r->state) : NULL, r->state, first);
    print_times(r->evidence, times);
    if (isinf(r->evidence))
        fy_format(text, size,
                  "noticed after %" PRId64
                  " episodes: one began in %s, where none begins by the law "
                  "that the model states",
                  r->episodes, first);
    else
        fy_format(text, size,
                  "noticed after %" PRId64
                  " episodes: %.3g of them began in %s; their first states "
                  "are %s times as probable by a law of their own as by the one that the model "
                  "states; if that is true, the probability that this ever reaches 10^3 is at most "
                  "0.001",
                  r->episodes, r->estimate, first, times);
}

void foray_refutation_print(const foray_model *model, const foray_refutation *refutation,
                            char *text, size_t size)
{
    const foray_refutation *r = refutation;
    char times[32];
    print_times(r->evidence, times);
    if (!r->refuted)
        fy_format(text, size, "the data do not refute the model");
    else if (r->state >= 0 && r->action < 0)
        print_beginning(model, r, text, size);
    else if (r->evidence >= r->limit)
        fy_format(text, size,
                  "noticed after %" PRId64 " episodes: the data are %s times as probable if "
                  "every state and action has a law of its own as under any law of the model; if "
                  "the model is true, the probability that this ever reaches 10^3 is at most 0.001",
                  r->episodes, times);
    else if (r->coordinate >= 0)
        fy_format(text, size,
                  "noticed after %" PRId64 " episodes: theta[%" PRId64
                  "] is %.3g +- %.2g, and cannot be negative",
                  r->episodes, r->coordinate, r->estimate, r->half_width);
    else
        print_impossible(model, r, text, size);
}
