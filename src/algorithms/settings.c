/* settings.c - the settings of a run: those that all algorithms share, which are members of
 * foray_settings, and the parameters of the algorithms' own, of which one member lists those that
 * were set, in the order of their names. */
#include "algorithms/algorithms.h"

#include <stddef.h>
#include <string.h>

typedef struct setting {
    foray_parameter is;
    size_t offset, size; /* of its member */
} setting;

#define MEMBER(name) offsetof(foray_settings, name), sizeof((foray_settings *)NULL)->name
#define INTEGER(member, fallback, min, max, help)                                                  \
    {                                                                                              \
        FY_INTEGER(#member, fallback, min, max, help), MEMBER(member)                              \
    }
#define REAL(member, fallback, min, max, help)                                                     \
    {                                                                                              \
        FY_REAL(#member, fallback, min, max, help), MEMBER(member)                                 \
    }
#define CHOICE(member, fallback, choices, help)                                                    \
    {                                                                                              \
        FY_CHOICE(#member, fallback, choices, help), MEMBER(member)                                \
    }

/* Choices in the order of their enums. */
static const setting common[] = {
    {{.name = "algorithm",
      .kind = FORAY_ALGORITHM,
      .fallback = "ucrl-rfe",
      .help = "the exploration algorithm"},
     MEMBER(algorithm)},
    INTEGER(episodes, "10000", 1, FY_UNBOUNDED, "largest number of episodes (K in the paper)"),
    REAL(until, "-1", -1, 1e300,
         "stop at this bound (for all rewards, or --for); 0: optimal up to rounding"),
    INTEGER(seed, "1", 0, 0x1p63, "seed of all random numbers; the world's and the algorithm's"),
    REAL(delta, "0.1", 1e-12, 0.999999999999, "probability that a certificate may be wrong"),
    CHOICE(radius, "sharp", "sharp|selfnormalised|theorem|likelihood",
           "the confidence sets to explore with; likelihood: only ucrl-rfe and scout"),
    REAL(radius_scale, "1", 0, 1e6,
         "multiplies the radius; below 1 nothing is guaranteed and results say heuristic"),
    CHOICE(centring, "auto", "auto|on|off",
           "use that probabilities sum to one; auto: on with the sharp radius"),
    CHOICE(blocks, "auto", "auto|on|off",
           "split theta into independent blocks; auto: on with the sharp radius"),
    REAL(lambda, "0", 0, 1e12, "ridge penalty; 0: one over the squared norm bound"),
    CHOICE(inner, "auto", "auto|exact|l1|ascent", "method of the inner maximisation"),
    INTEGER(inner_memory, "32", 1, 1 << 20, "MiB for exact vertex lists; under inner auto"),
    CHOICE(replan, "auto", "auto|doubling|every",
           "when the explorer replans; auto: doubling, but every episode if tabular or wang"),
    REAL(replan_growth, "1", 0, 1e6,
         "growth that makes doubling replan; a determinant or a count, by a factor of 1 + this"),
    INTEGER(plan_every, "0", 0, FY_UNBOUNDED,
            "replan only after every N-th episode; 0: after any, but not before it pays"),
    CHOICE(clip, "remaining", "remaining|horizon",
           "values are clipped at the steps that remain, or at H as printed in the paper"),
    CHOICE(ties, "unclipped", "unclipped|lowest",
           "equal actions: prefer the larger value before clipping, or just the lowest index"),
    INTEGER(refactor_every, "4096", 1, FY_UNBOUNDED,
            "rank-one updates between two factorisations; of a block"),
};

_Static_assert(sizeof(foray_radius) == sizeof(int32_t), "choices are read and written as int32_t");

/* ------------------------------------------------------------------------- members */

static foray_parameter_value get_member(const foray_settings *settings, const setting *row)
{
    const char *at = (const char *)settings + row->offset;
    foray_parameter_value value = {0, 0};
    int32_t choice;
    if (row->is.kind == FORAY_INTEGER)
        memcpy(&value.integer, at, sizeof value.integer);
    if (row->is.kind == FORAY_REAL)
        memcpy(&value.real, at, sizeof value.real);
    if (row->is.kind == FORAY_CHOICE) {
        memcpy(&choice, at, sizeof choice);
        value.integer = choice;
    }
    return value;
}

/* The text is that of the value; texts are short enough. */
static void set_member(foray_settings *settings, const setting *row, const char *text,
                       foray_parameter_value value)
{
    char *at = (char *)settings + row->offset;
    int32_t choice = (int32_t)value.integer;
    if (row->is.kind == FORAY_INTEGER)
        memcpy(at, &value.integer, sizeof value.integer);
    else if (row->is.kind == FORAY_REAL)
        memcpy(at, &value.real, sizeof value.real);
    else if (row->is.kind == FORAY_CHOICE)
        memcpy(at, &choice, sizeof choice);
    else
        fy_format(at, row->size, "%s", text);
}

static foray_status set_from_text(foray_context *ctx, foray_settings *settings, const setting *row,
                                  const char *text)
{
    foray_parameter_value value;
    foray_status status = fy_parameter_read(ctx, &row->is, text, strlen(text), &value);
    if (status != FORAY_OK)
        return status;
    if (row->is.kind == FORAY_ALGORITHM && strlen(text) >= row->size)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%s: longer than %zu characters", row->is.name,
                       row->size - 1);
    set_member(settings, row, text, value);
    return FORAY_OK;
}

static void print_member(const foray_settings *settings, const setting *row, char *text,
                         size_t size)
{
    if (row->is.kind == FORAY_ALGORITHM)
        fy_format(text, size, "%s", settings->algorithm);
    else
        fy_parameter_print(&row->is, get_member(settings, row), text, size);
}

/* The member of this name, if the caller's settings reach as far. */
static const setting *find_common(const foray_settings *settings, const char *name)
{
    for (int64_t i = 0; i < FY_COUNT(common); i++)
        if (fy_parameter_find(&common[i].is, 1, name, strlen(name)) == 0)
            return common[i].offset + common[i].size <= settings->size ? &common[i] : NULL;
    return NULL;
}

/* ---------------------------------------------------- the algorithms' own parameters */

static const foray_parameter *find_own(const fy_explorer_ops *ops, const char *name)
{
    int64_t i = fy_parameter_find(ops->parameter, ops->parameters, name, strlen(name));
    return i >= 0 ? &ops->parameter[i] : NULL;
}

/* The row of the algorithm that is chosen, or else of any that has one of this name. */
static const foray_parameter *find_any_own(const foray_settings *settings, const char *name)
{
    const fy_explorer_ops *ops = fy_algorithm_named(settings->algorithm);
    const foray_parameter *row = ops ? find_own(ops, name) : NULL;
    for (int64_t i = 0; !row && (ops = fy_algorithm_at(i)); i++)
        row = find_own(ops, name);
    return row;
}

static int64_t count_own(const foray_settings *settings)
{
    int64_t n = 0;
    while (n < FORAY_MAX_OWN_PARAMETERS && settings->own[n].name[0] != 0)
        n++;
    return n;
}

/* Names stay in order, so that equal settings have equal bytes. */
static foray_status set_own(foray_context *ctx, foray_settings *settings,
                            const foray_parameter *row, foray_parameter_value value)
{
    int64_t n = count_own(settings), i = 0;
    while (i < n && strcmp(settings->own[i].name, row->name) < 0)
        i++;
    foray_own_parameter *at = settings->own + i;
    if (i == n || strcmp(at->name, row->name) != 0) {
        if (n == FORAY_MAX_OWN_PARAMETERS)
            return fy_fail(ctx, FORAY_ERROR_USAGE,
                           "%s: %" PRId64 " parameters of algorithms are set", row->name, n);
        memmove(at + 1, at, (size_t)(n - i) * sizeof *at);
        *at = (foray_own_parameter){.name = ""};
        fy_format(at->name, sizeof at->name, "%s", row->name);
    }
    at->value = value;
    return FORAY_OK;
}

/* The value that was set, or the default. */
static void print_own(const foray_settings *settings, const foray_parameter *row, char *text,
                      size_t size)
{
    fy_format(text, size, "%s", row->fallback);
    for (int64_t i = 0; i < count_own(settings); i++)
        if (strcmp(settings->own[i].name, row->name) == 0)
            fy_parameter_print(row, settings->own[i].value, text, size);
}

void fy_settings_choose(foray_settings *settings, const char *algorithm)
{
    const fy_explorer_ops *ops = fy_algorithm_named(algorithm);
    int64_t n = count_own(settings), kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (ops && find_own(ops, settings->own[i].name))
            settings->own[kept++] = settings->own[i];
    memset(settings->own + kept, 0, (size_t)(n - kept) * sizeof *settings->own);
    char name[sizeof settings->algorithm] = ""; /* `algorithm` may be the one that is set already */
    fy_format(name, sizeof name, "%s", algorithm);
    memcpy(settings->algorithm, name, sizeof name);
}

/* ------------------------------------------------------------------------ by name */

void foray_settings_init(foray_settings *settings, size_t size)
{
    foray_settings defaults = {.size = size};
    for (int64_t i = 0; i < FY_COUNT(common); i++) {
        const char *fallback = common[i].is.fallback;
        foray_parameter_value value = {0, 0};
        (void)fy_parameter_parse(&common[i].is, fallback, strlen(fallback), &value);
        set_member(&defaults, &common[i], fallback, value);
    }
    memset(settings, 0, size);
    memcpy(settings, &defaults, size < sizeof defaults ? size : sizeof defaults);
}

void foray_settings_literal(foray_settings *settings)
{
    settings->radius = FORAY_RADIUS_THEOREM;
    settings->centring = FORAY_OFF;
    settings->blocks = FORAY_OFF;
    settings->clip = FORAY_CLIP_HORIZON;
    settings->replan = FORAY_REPLAN_EVERY;
}

foray_status foray_settings_set(foray_context *ctx, foray_settings *settings, const char *name,
                                const char *value)
{
    const setting *member = find_common(settings, name);
    if (member)
        return set_from_text(ctx, settings, member, value);
    const foray_parameter *own = find_any_own(settings, name);
    if (!own)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "there is no setting '%s'", name);
    foray_parameter_value read;
    foray_status status = fy_parameter_read(ctx, own, value, strlen(value), &read);
    return status == FORAY_OK ? set_own(ctx, settings, own, read) : status;
}

foray_status foray_settings_get(foray_context *ctx, const foray_settings *settings,
                                const char *name, char *text, size_t size)
{
    const setting *member = find_common(settings, name);
    const foray_parameter *own = !member ? find_any_own(settings, name) : NULL;
    char whole[128];
    if (member)
        print_member(settings, member, whole, sizeof whole);
    else if (own)
        print_own(settings, own, whole, sizeof whole);
    else
        return fy_fail(ctx, FORAY_ERROR_USAGE, "there is no setting '%s'", name);
    if (strlen(whole) >= size)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%s: %zu bytes are too few", name, size);
    fy_format(text, size, "%s", whole);
    return FORAY_OK;
}

/* Those that all algorithms share, then those of one. */
static const foray_parameter *row_at(const fy_explorer_ops *ops, int64_t index)
{
    if (index < 0 || index < FY_COUNT(common))
        return index < 0 ? NULL : &common[index].is;
    index -= FY_COUNT(common);
    return ops && index < ops->parameters ? &ops->parameter[index] : NULL;
}

const foray_parameter *foray_setting_describe(const char *algorithm, int64_t index)
{
    return row_at(algorithm ? fy_algorithm_named(algorithm) : NULL, index);
}

const foray_parameter *fy_settings_row(const foray_settings *settings, int64_t index)
{
    const fy_explorer_ops *ops = fy_algorithm_named(settings->algorithm);
    const foray_parameter *row = row_at(ops, index);
    index -= FY_COUNT(common) + (ops ? ops->parameters : 0);
    for (int64_t i = 0; !row && i < count_own(settings); i++) {
        const char *name = settings->own[i].name;
        if ((!ops || !find_own(ops, name)) && index-- == 0)
            return find_any_own(settings, name);
    }
    return row;
}

/* ----------------------------------------------------------------------- checking */

/* Every value must survive being set from its own text: one rule for all kinds. */
static foray_status check_ranges(foray_context *ctx, const foray_settings *settings)
{
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < FY_COUNT(common) && status == FORAY_OK; i++) {
        char text[128];
        foray_parameter_value value;
        print_member(settings, &common[i], text, sizeof text);
        status = fy_parameter_read(ctx, &common[i].is, text, strlen(text), &value);
    }
    return status;
}

static foray_status check_together(foray_context *ctx, const foray_settings *settings)
{
    bool likelihood = settings->radius == FORAY_RADIUS_LIKELIHOOD;
    bool sharp = settings->radius == FORAY_RADIUS_SHARP || likelihood;
    if (likelihood && (settings->centring == FORAY_OFF || settings->blocks == FORAY_OFF))
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "radius: likelihood is defined with centring and blocks; use sharp to "
                       "switch these one by one");
    if (!sharp && (settings->centring == FORAY_ON || settings->blocks == FORAY_ON))
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "radius: theorem and selfnormalised are defined without centring and "
                       "blocks; use sharp to switch these one by one");
    if (settings->radius == FORAY_RADIUS_THEOREM && settings->lambda != 0.0)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "lambda: the theorem's radius holds for one over the squared norm bound "
                       "only; leave it at 0");
    return FORAY_OK;
}

/* Appends ", name" to a list; what does not fit is left out. */
static void list_name(char list[512], const char *name)
{
    size_t used = strlen(list);
    fy_format(list + used, 512 - used, "%s%s", used > 0 ? ", " : "", name);
}

static foray_status unknown_algorithm(foray_context *ctx, const char *name)
{
    char known[512] = "";
    const fy_explorer_ops *ops;
    for (int64_t i = 0; (ops = fy_algorithm_at(i)); i++)
        list_name(known, ops->name);
    return fy_fail(ctx, FORAY_ERROR_USAGE, "there is no algorithm '%s'; the algorithms are %s",
                   name, known);
}

static foray_status not_its_own(foray_context *ctx, const char *name, const fy_explorer_ops *chosen)
{
    char having[512] = "";
    const fy_explorer_ops *ops;
    for (int64_t i = 0; (ops = fy_algorithm_at(i)); i++)
        if (find_own(ops, name))
            list_name(having, ops->name);
    return fy_fail(ctx, FORAY_ERROR_USAGE, "%s is not a setting of %s, but of %s", name,
                   chosen->name, having[0] != 0 ? having : "no algorithm");
}

/* value[ops->parameters]: the defaults, and what was set, which must be of this algorithm and
 * within its range. */
static foray_status read_own(foray_context *ctx, const foray_settings *settings,
                             const fy_explorer_ops *ops, foray_parameter_value *value)
{
    foray_status status =
        fy_parameters_read(ctx, ops->name, ops->parameter, ops->parameters, NULL, 0, value);
    for (int64_t i = 0; i < count_own(settings) && status == FORAY_OK; i++) {
        const foray_own_parameter *own = &settings->own[i];
        const foray_parameter *row = find_own(ops, own->name);
        char text[128];
        if (!row)
            return not_its_own(ctx, own->name, ops);
        fy_parameter_print(row, own->value, text, sizeof text);
        status = fy_parameter_read(ctx, row, text, strlen(text), &value[row - ops->parameter]);
    }
    return status;
}

foray_status fy_settings_read(foray_context *ctx, const foray_settings *given,
                              foray_settings *settings, const fy_explorer_ops **ops,
                              foray_parameter_value *own)
{
    /* The struct grows at its end: callers built for another version know less of it. */
    if (given->size < offsetof(foray_settings, own) + sizeof given->own)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "settings whose size is %zu: begin with foray_settings_default",
                       given->size);
    if (given->size > sizeof *settings)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "settings of a newer Foray than %s", FORAY_VERSION);
    foray_settings_init(settings, sizeof *settings);
    memcpy(settings, given, given->size);
    settings->size = sizeof *settings;
    settings->algorithm[sizeof settings->algorithm - 1] = 0;
    for (int64_t i = 0; i < FORAY_MAX_OWN_PARAMETERS; i++)
        settings->own[i].name[sizeof settings->own[i].name - 1] = 0;
    foray_status status = check_ranges(ctx, settings);
    if (status == FORAY_OK)
        status = check_together(ctx, settings);
    if (status != FORAY_OK)
        return status;
    *ops = fy_algorithm_named(settings->algorithm);
    if (!*ops)
        return unknown_algorithm(ctx, settings->algorithm);
    if (settings->radius == FORAY_RADIUS_LIKELIHOOD && !(*ops)->explores_on_sets)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "radius: %s cannot explore with likelihood, only ucrl-rfe and scout can; "
                       "its certificates rest on the likelihood in any case",
                       (*ops)->name);
    return read_own(ctx, settings, *ops, own);
}

foray_status fy_settings_copy(foray_context *ctx, const foray_settings *given,
                              foray_settings *settings)
{
    const fy_explorer_ops *ops;
    foray_parameter_value own[FY_MAX_PARAMETERS];
    return fy_settings_read(ctx, given, settings, &ops, own);
}

foray_status foray_settings_check(foray_context *ctx, const foray_settings *settings)
{
    foray_settings copy;
    return fy_settings_copy(ctx, settings, &copy);
}
