/* oracle_umb.c - see oracle_umb.h. */
#include "oracle_umb.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const void *umb_member(const char *data, size_t size, const char *name, size_t *length)
{
    for (size_t at = 0; at + 512 <= size && data[at];) {
        char digits[13] = {0};
        memcpy(digits, data + at + 124, 12);
        size_t bytes = strtoull(digits, NULL, 8);
        if (strncmp(data + at, name, 100) == 0) {
            *length = bytes;
            return data + at + 512;
        }
        at += 512 + (bytes + 511) / 512 * 512;
    }
    return NULL;
}

bool umb_open(const char *data, size_t size, umb_file *out)
{
    size_t states = 0, choices = 0, targets = 0, intervals = 0, rewards = 0;
    size_t branch_rewards = 0, labels = 0;
    *out = (umb_file){.data = data, .size = size};
    out->first_choice = umb_member(data, size, "state-to-choices.bin", &states);
    out->first_branch = umb_member(data, size, "choice-to-branches.bin", &choices);
    out->target = umb_member(data, size, "branch-to-target.bin", &targets);
    out->interval = umb_member(data, size, "branch-to-probability.bin", &intervals);
    out->reward = umb_member(data, size, "annotations/rewards/r0/choices/values.bin", &rewards);
    out->branch_reward =
        umb_member(data, size, "annotations/rewards/r0/branches/values.bin", &branch_rewards);
    out->reach = umb_member(data, size, "annotations/aps/l0/states/values.bin", &labels);
    out->avoid = umb_member(data, size, "annotations/aps/l1/states/values.bin", &labels);
    out->states = (int64_t)states / 8 - 1;
    out->choices = (int64_t)choices / 8 - 1;
    out->branches = (int64_t)targets / 8;
    bool worth = (out->reward && (int64_t)rewards == 8 * out->choices) ||
                 (out->branch_reward && branch_rewards == targets) || labels > 0;
    return out->first_choice && out->first_branch && out->target && out->interval && worth &&
           intervals == 2 * targets;
}

/* What a branch is worth, with what follows. */
static double branch_value(const umb_file *f, uint64_t branch, const double *value)
{
    return (f->branch_reward ? f->branch_reward[branch] : 0) + value[f->target[branch]];
}

/* The law of a choice that is best or worst for V: from the lower bounds, what is missing to 1 goes
 * to the best or worst targets first. Written as the slow search for one of them at a time. */
static double choice_value(const umb_file *f, uint64_t choice, const double *value, bool kind,
                           double shrink)
{
    uint64_t first = f->first_branch[choice], end = f->first_branch[choice + 1];
    double left = 1, sum = 0;
    bool *given = calloc(end - first, sizeof *given);
    for (int pass = 0; pass < 2; pass++)
        for (uint64_t round = first; round < end; round++) {
            uint64_t best = end;
            for (uint64_t b = first; b < end; b++)
                if (!given[b - first] &&
                    (best == end ||
                     (kind ? branch_value(f, b, value) > branch_value(f, best, value)
                           : branch_value(f, b, value) < branch_value(f, best, value))))
                    best = b;
            double low = f->interval[2 * best], high = f->interval[2 * best + 1];
            double middle = (low + high) / 2;
            low += shrink * (middle - low);
            high += shrink * (middle - high);
            double share = pass == 0 ? low : fmin(left, high - low);
            left -= share;
            sum += share * branch_value(f, best, value);
            given[best - first] = true;
            if (round + 1 == end)
                memset(given, 0, (end - first) * sizeof *given);
        }
    free(given);
    return sum;
}

static bool has_label(const uint64_t *label, int64_t s)
{
    return label && (label[s / 64] >> (s % 64) & 1);
}

void umb_robust_values(const umb_file *f, int64_t horizon, bool kind, double shrink, double *out)
{
    double *before = calloc((size_t)f->states, sizeof *before);
    for (int64_t s = 0; s < f->states; s++)
        out[s] = has_label(f->reach, s) || (!f->reach && f->avoid && !has_label(f->avoid, s));
    for (int64_t t = 0; t < horizon; t++) {
        memcpy(before, out, (size_t)f->states * sizeof *out);
        for (int64_t s = 0; s < f->states; s++) {
            if (has_label(f->reach, s) || has_label(f->avoid, s))
                continue;
            out[s] = -INFINITY;
            for (uint64_t c = f->first_choice[s]; c < f->first_choice[s + 1]; c++)
                out[s] = fmax(out[s], (f->reward ? f->reward[c] : 0) +
                                          choice_value(f, c, before, kind, shrink));
        }
    }
    free(before);
}

static double from_start(const foray_model *model, const double *value)
{
    const int32_t *state;
    const double *p;
    double sum = 0;
    int64_t count = foray_model_initial(model, &state, &p);
    for (int64_t i = 0; i < count; i++)
        sum += p[i] * value[state[i]];
    return sum;
}

bool umb_contains(const umb_file *file, const foray_model *model, double truth, double shrink,
                  double *width)
{
    int64_t states = foray_model_states(model), horizon = foray_model_horizon(model);
    double *low = malloc(2 * (size_t)states * sizeof *low), *high = low + states;
    assert_non_null(low);
    umb_robust_values(file, horizon, false, shrink, low);
    umb_robust_values(file, horizon, true, shrink, high);
    double min = from_start(model, low), max = from_start(model, high);
    free(low);
    *width = max - min;
    return min <= truth + 1e-9 && truth <= max + 1e-9;
}
