/* policy.c - policies for use elsewhere: as CSV, and as one C99 file that needs nothing else.
 *
 * The C file holds the tables and a function that does what foray_policy_act does, in the same
 * order and with the same exponential, so that it gives the same actions, also where two are nearly
 * equal. In its text, '@' stands for the name of the policy. */
#include "aggregate/clusters.h"
#include "base/json.h"
#include "base/maths_tables.h"
#include "export/export.h"
#include "policy/policy.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------- rows */

/* Rows are those of all parts of a mixture, one part after the other. */
static int64_t rows_of(const foray_policy *policy)
{
    return fy_policy_parts(policy) * policy->horizon;
}

/* Does a step have another row than the one before? */
static bool begins_row(const foray_policy *policy, int64_t row)
{
    size_t count = (size_t)fy_policy_covered(policy), laws = count * (size_t)policy->actions;
    if (row % policy->horizon == 0)
        return true;
    if (policy->chance)
        return memcmp(policy->chance + (size_t)row * laws,
                      policy->chance + (size_t)(row - 1) * laws,
                      laws * sizeof *policy->chance) != 0;
    return memcmp(policy->action + (size_t)row * count, policy->action + (size_t)(row - 1) * count,
                  count * sizeof *policy->action) != 0;
}

static int64_t count_rows(const foray_policy *policy)
{
    int64_t rows = 0;
    for (int64_t t = 0; t < rows_of(policy); t++)
        rows += begins_row(policy, t);
    return rows;
}

/* One state and step; `step` is text, and "" every one. */
static void put_line(fy_writer *writer, const foray_policy *policy, const char *step, int64_t row,
                     int64_t k)
{
    int64_t part = row / policy->horizon, at = row * fy_policy_covered(policy) + k;
    for (int64_t a = 0; a < policy->actions; a++) {
        double chance = policy->chance ? policy->chance[at * policy->actions + a]
                                       : (double)(policy->action[at] == a);
        if (chance == 0)
            continue;
        int64_t state = fy_policy_state(policy, k);
        fy_print(writer, "%s,%" PRId64 ",", step, fy_policy_model_state(policy, state));
        if (policy->memory)
            fy_print(writer, "%" PRId64 ",", state % policy->memory->states);
        fy_print(writer, "%" PRId64, a);
        if (policy->chance) {
            fy_print(writer, ",");
            fy_document_put_real(writer, chance);
        }
        if (policy->odds) {
            fy_print(writer, ",%" PRId64 ",", part);
            fy_document_put_real(writer, policy->odds[part]);
        }
        fy_print(writer, "\n");
    }
}

/* States where no episode can be: one row each, of a mixture with its first part. */
static void put_unreachable(fy_writer *writer, const foray_policy *policy)
{
    for (int64_t s = 0, k = 0; policy->state && !policy->memory && s < policy->states; s++) {
        if (k < policy->covered && policy->state[k] == s) {
            k++;
            continue;
        }
        fy_print(writer, ",%" PRId64 ",unreachable%s", s, policy->chance ? ",1" : "");
        if (policy->odds) {
            fy_print(writer, ",0,");
            fy_document_put_real(writer, policy->odds[0]);
        }
        fy_print(writer, "\n");
    }
}

/* step,state,action, and what policies that draw or remember need; without a step where all steps
 * have the same actions, and in states where no episode can be, which come last. */
foray_status fy_policy_print_csv(foray_context *ctx, const foray_policy *policy, char **out,
                                 size_t *size)
{
    fy_writer writer = {.ctx = ctx};
    char step[32] = "";
    bool same = count_rows(policy) == fy_policy_parts(policy);
    fy_print(&writer, "step,state,%saction%s%s\n", policy->memory ? "memory," : "",
             policy->chance ? ",probability" : "", policy->odds ? ",part,odds" : "");
    for (int64_t row = 0; row < rows_of(policy); row += same ? policy->horizon : 1)
        for (int64_t k = 0; k < fy_policy_covered(policy); k++) {
            if (!same)
                fy_format(step, sizeof step, "%" PRId64, row % policy->horizon);
            put_line(&writer, policy, step, row, k);
        }
    put_unreachable(&writer, policy);
    return fy_writer_take(&writer, "a policy", out, size);
}

/* ------------------------------------------------------------------------- texts */

/* A piece of C, with the name for every '@'. */
static void put_code(fy_writer *writer, const char *code, const char *name)
{
    while (*code) {
        size_t length = strcspn(code, "@");
        fy_write_bytes(writer, code, length);
        code += length;
        if (*code == '@') {
            fy_write_bytes(writer, name, strlen(name));
            code++;
        }
    }
}

/* Text that somebody else wrote, within a comment: it must neither end it nor hide what follows. */
static void put_comment(fy_writer *writer, const char *what, const char *text)
{
    if (!text)
        return;
    fy_writer shown = {.ctx = writer->ctx};
    fy_print_shown(&shown, text);
    fy_write_bytes(&shown, "", 1);
    writer->failed |= shown.failed;
    fy_print(writer, " * %s: ", what);
    for (char *at = (char *)shown.data; !shown.failed && *at; at++)
        fy_print(writer, "%c", *at == '*' || *at == '/' ? ' ' : *at);
    fy_print(writer, "\n");
    free(shown.data);
}

/* A string of C: what is not plain is written as its bytes. */
static void put_string(fy_writer *writer, const char *text)
{
    fy_print(writer, "\"");
    for (; *text; text++)
        if ((uint8_t)*text < ' ' || (uint8_t)*text > 126 || strchr("\"\\?", *text))
            fy_print(writer, "\\%03o", (uint8_t)*text);
        else
            fy_print(writer, "%c", *text);
    fy_print(writer, "\"");
}

/* which: of all those that there are names for; NULL: all. */
static void put_names(fy_writer *writer, const char *what, char *const *text, int64_t count,
                      const int32_t *which, const char *name)
{
    if (!text)
        return;
    fy_print(writer, "\nconst char *const %s_%s_names[] = {", name, what);
    for (int64_t i = 0; i < count; i++) {
        const char *its = text[which ? which[i] : i];
        fy_print(writer, i > 0 ? ",\n    " : "\n    ");
        if (its)
            put_string(writer, its);
        else
            fy_print(writer, "0");
    }
    fy_print(writer, "};\n");
}

/* ------------------------------------------------------------------------ tables */

static void put_reals(fy_writer *writer, const double *value, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        fy_print(writer, i == 0 ? "" : i % 8 == 0 ? ",\n    " : ", ");
        fy_document_put_real(writer, value[i]);
    }
}

static void put_vector(fy_writer *writer, const char *name, const char *what, const double *value,
                       int64_t count)
{
    fy_print(writer, "static const double %s_%s[] = {\n    ", name, what);
    put_reals(writer, value, count);
    fy_print(writer, "};\n");
}

static void put_numbers(fy_writer *writer, const int32_t *number, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        fy_print(writer, i == 0 ? "%d" : i % 32 == 0 ? ",\n     %d" : ",%d", number[i]);
}

/* The states that rows are about, where those are not all. */
static void put_covered(fy_writer *writer, const foray_policy *policy, const char *name)
{
    fy_print(writer,
             "\n/* Where episodes can be; rows, and names, are about these. */\nstatic const int "
             "%s_state[] = {\n     ",
             name);
    put_numbers(writer, policy->state, policy->covered);
    fy_print(writer, "};\n");
}

/* The rows that differ, each with the step from which it holds, in the narrowest type. */
static void put_rows(fy_writer *writer, const foray_policy *policy, const char *name)
{
    const char *type = policy->actions <= 256     ? "unsigned char"
                       : policy->actions <= 65536 ? "unsigned short"
                                                  : "int";
    bool first = true;
    fy_print(writer, "\nstatic const int %s_from[] = {", name);
    for (int64_t t = 0; t < rows_of(policy); t++)
        if (begins_row(policy, t)) {
            fy_print(writer, first ? "%" PRId64 : ", %" PRId64, t);
            first = false;
        }
    int64_t covered = fy_policy_covered(policy);
    fy_print(writer, "};\nstatic const %s %s_row[][%" PRId64 "] = {", type, name, covered);
    first = true;
    for (int64_t t = 0; t < rows_of(policy); t++) {
        if (!begins_row(policy, t))
            continue;
        fy_print(writer, first ? "\n    {" : ",\n    {");
        put_numbers(writer, policy->action + t * covered, covered);
        fy_print(writer, "}");
        first = false;
    }
    fy_print(writer, "};\n");
}

/* The last row that begins at `step` or before. */
static const char find_row[] = "\nstatic int @_row_of(int step)\n"
                               "{\n"
                               "    int low = 0, high = (int)(sizeof @_from / sizeof @_from[0]);\n"
                               "    while (high - low > 1) {\n"
                               "        int middle = low + (high - low) / 2;\n"
                               "        if (@_from[middle] <= step)\n"
                               "            low = middle;\n"
                               "        else\n"
                               "            high = middle;\n"
                               "    }\n"
                               "    return low;\n"
                               "}\n";

static const char act_by_number[] =
    "\nint @_action(int step, int state)\n"
    "{\n"
    "    if (step < 0 || step >= @_steps || state < 0 || state >= @_states)\n"
    "        return -1;\n"
    "    return @_row[@_row_of(step)][state];\n"
    "}\n";

/* Of a mixture: which part an episode keeps, for a random number in [0,1). */
static const char part_of[] = "\nint @_part(double u)\n"
                              "{\n"
                              "    int part = 0;\n"
                              "    while (part < @_parts - 1 && u >= @_odds[part])\n"
                              "        u -= @_odds[part++];\n"
                              "    return part;\n"
                              "}\n";

static const char act_in_part[] =
    "\nint @_action(int part, int step, int state)\n"
    "{\n"
    "    if (part < 0 || part >= @_parts || step < 0 || step >= @_steps || state < 0 ||\n"
    "        state >= @_states)\n"
    "        return -1;\n"
    "    return @_row[@_row_of(part * @_steps + step)][state];\n"
    "}\n";

/* Where a state is among those that rows are about. */
static const char place_of[] =
    "\nstatic int @_place_of(int state)\n"
    "{\n"
    "    int low = 0, high = (int)(sizeof @_state / sizeof @_state[0]);\n"
    "    while (high - low > 1) {\n"
    "        int middle = low + (high - low) / 2;\n"
    "        if (@_state[middle] <= state)\n"
    "            low = middle;\n"
    "        else\n"
    "            high = middle;\n"
    "    }\n"
    "    return @_state[low] == state ? low : -1;\n"
    "}\n";

static const char act_where_covered[] = "\nint @_action(int step, int state)\n"
                                        "{\n"
                                        "    int place = @_place_of(state);\n"
                                        "    if (step < 0 || step >= @_steps || place < 0)\n"
                                        "        return -1;\n"
                                        "    return @_row[@_row_of(step)][place];\n"
                                        "}\n";

/* What is remembered after a state was entered. */
static const char read_on[] =
    "\nint @_read(int memory, int state)\n"
    "{\n"
    "    if (memory < 0 || memory >= @_memories || state < 0 || state >= @_states)\n"
    "        return -1;\n"
    "    return @_next[memory][@_letter[state]];\n"
    "}\n";

static const char act_with_memory[] =
    "\nint @_action(int step, int state, int memory)\n"
    "{\n"
    "    int place = @_place_of(state * @_memories + memory);\n"
    "    if (step < 0 || step >= @_steps || memory < 0 || memory >= @_memories || state < 0 ||\n"
    "        state >= @_states || place < 0)\n"
    "        return -1;\n"
    "    return @_row[@_row_of(step)][place];\n"
    "}\n";

static const char act_in_part_with_memory[] =
    "\nint @_action(int part, int step, int state, int memory)\n"
    "{\n"
    "    int place = @_place_of(state * @_memories + memory);\n"
    "    if (part < 0 || part >= @_parts || step < 0 || step >= @_steps || memory < 0 ||\n"
    "        memory >= @_memories || state < 0 || state >= @_states || place < 0)\n"
    "        return -1;\n"
    "    return @_row[@_row_of(part * @_steps + step)][place];\n"
    "}\n";

static void put_memory(fy_writer *writer, const foray_policy *policy, const char *name)
{
    const foray_policy_memory *memory = policy->memory;
    fy_print(writer, "static const int %s_letter[] = {\n     ", name);
    put_numbers(writer, memory->letter, fy_policy_model_states(policy));
    fy_print(writer, "};\nstatic const int %s_next[][%" PRId64 "] = {", name, memory->letters);
    for (int64_t q = 0; q < memory->states; q++) {
        fy_print(writer, q > 0 ? ",\n    {" : "\n    {");
        put_numbers(writer, memory->next + q * memory->letters, memory->letters);
        fy_print(writer, "}");
    }
    fy_print(writer, "};\n");
}

static const char act_in_part_where_covered[] =
    "\nint @_action(int part, int step, int state)\n"
    "{\n"
    "    int place = @_place_of(state);\n"
    "    if (part < 0 || part >= @_parts || step < 0 || step >= @_steps || place < 0)\n"
    "        return -1;\n"
    "    return @_row[@_row_of(part * @_steps + step)][place];\n"
    "}\n";

/* ----------------------------------------------------------------------- clusters */

/* As foray_policy_act: the action whose clusters have the largest weight together; of equal ones
 * the lowest. */
static const char act_by_vote[] = "\nint @_action(int step, const double *state)\n"
                                  "{\n"
                                  "    int cluster[@_most], best = 0, count, i, k, l;\n"
                                  "    double weight[@_most], most = -1;\n"
                                  "    if (step < 0 || step >= @_steps)\n"
                                  "        return -1;\n"
                                  "    for (i = 0; i < @_dimensions; i++)\n"
                                  "        if (!(state[i] - state[i] == 0)) /* not finite */\n"
                                  "            return -1;\n"
                                  "    count = @_clusters_of(state, cluster, weight);\n"
                                  "    for (k = 0; k < count; k++) {\n"
                                  "        int action = @_row[@_row_of(step)][cluster[k]];\n"
                                  "        double sum = 0;\n"
                                  "        for (l = 0; l < count; l++)\n"
                                  "            if (@_row[@_row_of(step)][cluster[l]] == action)\n"
                                  "                sum += weight[l];\n"
                                  "        if (sum > most || (sum == most && action < best)) {\n"
                                  "            best = action;\n"
                                  "            most = sum;\n"
                                  "        }\n"
                                  "    }\n"
                                  "    return best;\n"
                                  "}\n";

static const char grid_of[] =
    "\n/* Multilinear interpolation, dimension by dimension. */\n"
    "static int @_clusters_of(const double *state, int *cluster, double *weight)\n"
    "{\n"
    "    int count = 1, i, c;\n"
    "    cluster[0] = 0;\n"
    "    weight[0] = 1;\n"
    "    for (i = 0; i < @_dimensions; i++) {\n"
    "        int last = @_cells[i] - 1, j, wide, lower, upper;\n"
    "        double t = (state[i] - @_low[i]) / (@_high[i] - @_low[i]), w;\n"
    "        t = (t > 0 ? t < 1 ? t : 1 : 0) * (double)last;\n"
    "        j = t < (double)last ? (int)t : last - 1;\n"
    "        w = t - (double)j;\n"
    "        lower = w < 1;\n"
    "        upper = w > 0;\n"
    "        wide = lower && upper ? 2 : 1;\n"
    "        for (c = count - 1; c >= 0; c--) {\n"
    "            int at = cluster[c] * @_cells[i] + j;\n"
    "            double p = weight[c];\n"
    "            cluster[wide * c] = lower ? at : at + 1;\n"
    "            weight[wide * c] = lower ? p * (1 - w) : p;\n"
    "            if (wide == 2) {\n"
    "                cluster[2 * c + 1] = at + 1;\n"
    "                weight[2 * c + 1] = p * w;\n"
    "            }\n"
    "        }\n"
    "        count *= wide;\n"
    "    }\n"
    "    return count;\n"
    "}\n";

static void put_grid(fy_writer *writer, const foray_policy_clusters *clusters, const char *name)
{
    put_vector(writer, name, "low", clusters->low, clusters->dimensions);
    put_vector(writer, name, "high", clusters->high, clusters->dimensions);
    fy_print(writer, "static const int %s_cells[] = {", name);
    for (int64_t i = 0; i < clusters->dimensions; i++)
        fy_print(writer, i > 0 ? ", %" PRId64 : "%" PRId64, clusters->cells[i]);
    fy_print(writer, "};\n");
    put_code(writer, grid_of, name);
}

/* exp(x) for x <= 0, as src/base/maths.c computes it. */
static const char exponential[] =
    "\nstatic double @_power_of_two(int k)\n"
    "{\n"
    "    uint64_t bits = (uint64_t)(k + 1023) << 52;\n"
    "    double x;\n"
    "    memcpy(&x, &bits, sizeof x);\n"
    "    return x;\n"
    "}\n"
    "\n/* exp(x) for x <= 0 */\n"
    "static double @_exp(double x)\n"
    "{\n"
    "    double n, r, r2, p, hi, lo, scale, sum;\n"
    "    int m, j, k;\n"
    "    if (x < -745.2)\n"
    "        return 0;\n"
    "    n = (x * @_exp_step[0] + 0x1.8p52) - 0x1.8p52;\n"
    "    r = (x - n * @_exp_step[1]) + (0 - n * @_exp_step[2]);\n"
    "    r2 = r * r;\n"
    "    p = r + r2 * ((0.5 + r * (1.0 / 6)) + r2 * (1.0 / 24 + r * (1.0 / 120)));\n"
    "    m = (int)n;\n"
    "    j = (m % 128 + 128) % 128;\n"
    "    k = (m - j) / 128;\n"
    "    hi = @_exp_table[j][0];\n"
    "    lo = @_exp_table[j][1] + hi * p;\n"
    "    if (k >= -1021)\n"
    "        return (hi + lo) * @_power_of_two(k);\n"
    "    scale = @_power_of_two(k + 1022);\n"
    "    hi *= scale;\n"
    "    lo *= scale;\n"
    "    if (hi + lo >= 1)\n"
    "        return (hi + lo) * 0x1p-1022;\n"
    "    sum = 1 + hi;\n"
    "    return ((sum + (((1 - sum) + hi) + lo)) - 1) * 0x1p-1022;\n"
    "}\n";

static const char radial_of[] =
    "\n/* The nearest centres, nearer first, of equal ones the lower number; then by number. */\n"
    "static int @_clusters_of(const double *state, int *cluster, double *weight)\n"
    "{\n"
    "    double near[@_most], nearest, sum = 0;\n"
    "    int found = 0, count = 0, x, i, k;\n"
    "    for (x = 0; x < @_states; x++) {\n"
    "        double distance = 0;\n"
    "        for (i = 0; i < @_dimensions; i++) {\n"
    "            double u = (state[i] - @_low[i]) / (@_high[i] - @_low[i]);\n"
    "            distance += (@_centre[x][i] - u) * (@_centre[x][i] - u);\n"
    "        }\n"
    "        if (found == @_most && !(distance < near[found - 1]))\n"
    "            continue;\n"
    "        k = found < @_most ? found++ : found - 1;\n"
    "        for (; k > 0 && distance < near[k - 1]; k--) {\n"
    "            near[k] = near[k - 1];\n"
    "            cluster[k] = cluster[k - 1];\n"
    "        }\n"
    "        near[k] = distance;\n"
    "        cluster[k] = x;\n"
    "    }\n"
    "    nearest = near[0];\n"
    "    for (k = 0; k < found; k++) {\n"
    "        double g = @_exp(-(near[k] - nearest) / (2 * @_width * @_width));\n"
    "        if (g <= 0)\n"
    "            continue;\n"
    "        cluster[count] = cluster[k];\n"
    "        weight[count++] = g;\n"
    "        sum += g;\n"
    "    }\n"
    "    for (k = 0; k < count; k++)\n"
    "        weight[k] /= sum;\n"
    "    for (k = 1; k < count; k++) {\n"
    "        int c = cluster[k];\n"
    "        double w = weight[k];\n"
    "        for (i = k; i > 0 && cluster[i - 1] > c; i--) {\n"
    "            cluster[i] = cluster[i - 1];\n"
    "            weight[i] = weight[i - 1];\n"
    "        }\n"
    "        cluster[i] = c;\n"
    "        weight[i] = w;\n"
    "    }\n"
    "    return count;\n"
    "}\n";

/* Centres in coordinates scaled by the box, as clusters_radial.c has them. */
static void put_radial(fy_writer *writer, const foray_policy_clusters *clusters, int64_t states,
                       const char *name)
{
    int64_t n = clusters->dimensions;
    put_vector(writer, name, "low", clusters->low, n);
    put_vector(writer, name, "high", clusters->high, n);
    fy_print(writer, "static const double %s_width = ", name);
    fy_document_put_real(writer, clusters->width);
    fy_print(writer, ";\nstatic const double %s_centre[][%" PRId64 "] = {", name, n);
    for (int64_t x = 0; x < states; x++) {
        fy_print(writer, x > 0 ? ",\n    {" : "\n    {");
        for (int64_t i = 0; i < n; i++) {
            double low = clusters->low[i], high = clusters->high[i];
            fy_print(writer, i > 0 ? ", " : "");
            fy_document_put_real(writer, (clusters->centre[x * n + i] - low) / (high - low));
        }
        fy_print(writer, "}");
    }
    fy_print(writer, "};\n");
    put_vector(writer, name, "exp_step", exp_step, 3);
    fy_print(writer, "static const double %s_exp_table[][2] = {", name);
    for (int j = 0; j < 128; j++) {
        fy_print(writer, j > 0 ? ",\n    {" : "\n    {");
        put_reals(writer, exp_table[j], 2);
        fy_print(writer, "}");
    }
    fy_print(writer, "};\n");
    put_code(writer, exponential, name);
    put_code(writer, radial_of, name);
}

/* --------------------------------------------------------------------------- whole */

static void put_head(fy_writer *writer, const foray_policy *policy, const char *name, bool vectors)
{
    const foray_policy_about *about = policy->about;
    fy_print(writer, "/* %s: a policy as C99, written by foray %s.\n *\n", name, FORAY_VERSION);
    const char *memory = policy->memory ? ", int memory" : "";
    if (policy->memory)
        put_code(
            writer,
            " *   int @_read(int memory, int state);\n"
            " *\n * memory is 0 before an episode; whenever a state is entered, the first one\n"
            " * too, it becomes what @_read returns, and is then given to @_action.\n *\n",
            name);
    put_code(writer,
             policy->odds ? " *   int @_part(double u);\n"
                            " *   int @_action(int part, int step, int state"
             : vectors    ? " *   int @_action(int step, const double *state"
                          : " *   int @_action(int step, int state",
             name);
    fy_print(writer, "%s);\n", memory);
    if (policy->odds)
        fy_print(writer, " *\n * For each episode draw u in [0,1), and keep the part.\n");
    fy_print(writer,
             " *\n * The action to take at a step, counted from 0, in a state%s;\n"
             " * -1 where there is no such step or state, or no episode can be there. Compile "
             "without fused multiplication\n"
             " * (gcc -std=c99, clang -ffp-contract=off) for the same bits as foray act.\n",
             vectors ? ", a vector of finite numbers" : ", counted from 0");
    if (about) {
        put_comment(writer, "world", about->world);
        put_comment(writer, "algorithm", about->algorithm);
        put_comment(writer, "reward", about->reward);
    }
    fy_print(writer, " */\n");
    if (vectors && !about->clusters->cells)
        fy_print(writer, "#include <stdint.h>\n#include <string.h>\n");
    put_code(writer,
             policy->odds ? "\nint @_part(double u);\nint @_action(int part, int step, "
                          : "\nint @_action(int step, ",
             name);
    fy_print(writer, "%s%s);\n", vectors ? "const double *state" : "int state", memory);
    if (policy->memory)
        put_code(writer, "int @_read(int memory, int state);\n", name);
    put_code(writer, "\nenum {\n    @_states = ", name);
    fy_print(writer, "%" PRId64 ",\n    %s_actions = %" PRId64 ",\n    %s_steps = %" PRId64,
             fy_policy_model_states(policy), name, policy->actions, name, policy->horizon);
    if (policy->memory)
        fy_print(writer, ",\n    %s_memories = %" PRId64, name, policy->memory->states);
}

/* Letters, digits and '_', a letter first. */
static bool is_identifier(const char *name)
{
    bool good = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z');
    for (const char *c = name; *c && good; c++)
        good = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
               *c == '_';
    return good;
}

/* What finds an action. */
static const char *code_of(const foray_policy *policy, const foray_policy_clusters *clusters)
{
    if (clusters)
        return act_by_vote;
    if (policy->memory)
        return policy->odds ? act_in_part_with_memory : act_with_memory;
    if (policy->state)
        return policy->odds ? act_in_part_where_covered : act_where_covered;
    return policy->odds ? act_in_part : act_by_number;
}

static void put_all(fy_writer *writer, const foray_policy *policy, const char *name)
{
    const foray_policy_about *about = policy->about;
    const foray_policy_clusters *clusters = about ? about->clusters : NULL;
    put_head(writer, policy, name, clusters != NULL);
    if (clusters)
        fy_print(writer,
                 ",\n    %s_dimensions = %" PRId64 ",\n    %s_most = %" PRId64
                 " /* clusters of one state */",
                 name, clusters->dimensions, name,
                 clusters->cells ? (int64_t)1 << clusters->dimensions : clusters->nearest);
    if (policy->odds)
        fy_print(writer, ",\n    %s_parts = %" PRId64, name, policy->parts);
    fy_print(writer, "\n};\n");
    if (policy->odds)
        put_vector(writer, name, "odds", policy->odds, policy->parts);
    if (about) {
        put_names(writer, "state", clusters ? NULL : about->state_name,
                  policy->memory ? fy_policy_model_states(policy) : fy_policy_covered(policy),
                  policy->memory ? NULL : policy->state, name);
        put_names(writer, "action", about->action_name, policy->actions, NULL, name);
    }
    if (policy->memory)
        put_memory(writer, policy, name);
    if (policy->state)
        put_covered(writer, policy, name);
    put_rows(writer, policy, name);
    put_code(writer, find_row, name);
    if (clusters && clusters->cells)
        put_grid(writer, clusters, name);
    else if (clusters)
        put_radial(writer, clusters, policy->states, name);
    if (policy->odds)
        put_code(writer, part_of, name);
    if (policy->state)
        put_code(writer, place_of, name);
    if (policy->memory)
        put_code(writer, read_on, name);
    put_code(writer, code_of(policy, clusters), name);
}

foray_status fy_policy_print_c(foray_context *ctx, const foray_policy *policy, const char *name,
                               char **out, size_t *size)
{
    fy_writer writer = {.ctx = ctx};
    foray_clusters *clusters = NULL;
    if (!is_identifier(name))
        return fy_fail(ctx, FORAY_ERROR_USAGE, "\"%s\" cannot be a name in C", name);
    if (policy->memory && (!policy->state || (policy->about && policy->about->clusters)))
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "no C is written of a policy with a memory that covers all, or clusters");
    if (policy->chance || (policy->odds && policy->about && policy->about->clusters))
        return fy_fail(ctx, FORAY_ERROR_USAGE, "no C is written of %s: write it as CSV",
                       policy->chance ? "policies that draw their actions"
                                      : "mixtures about clusters");
    /* Only clusters that can be used are written. */
    if (policy->about && policy->about->clusters) {
        foray_status status = fy_policy_clusters_open(ctx, policy, &clusters);
        if (status != FORAY_OK)
            return status;
        foray_clusters_destroy(clusters);
    }
    put_all(&writer, policy, name);
    return fy_writer_take(&writer, "a policy", out, size);
}
