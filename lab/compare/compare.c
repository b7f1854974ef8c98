/* compare.c - what comparisons have in common: checks, cells, terms, the command. */
#include "compare/compare.h"
#include "algorithms/algorithms.h"
#include "page/command.h"
#include "page/page.h"
#include "base/base.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void foray_comparison_default(foray_comparison *comparison)
{
    *comparison = (foray_comparison){
        .seeds = 5, .rewards = 32, .goals = 256, .rounds = 4, .mode = FORAY_PLUGIN};
    foray_settings_default(&comparison->settings);
}

const fy_lab_column fy_compare_axes[FY_COMPARE_AXES] = {
    [FY_COMPARE_ALGORITHM] = {.name = "algorithm", .help = "with settings of its own, if any"},
    [FY_COMPARE_SEED] = {.name = "seed", .help = "of the run"},
};

/* ------------------------------------------------- an algorithm: "NAME[:key=value,...]" */

/* What all runs share: nobody has one of these to himself. */
static bool is_shared(const char *key)
{
    static const char *const shared[] = {"algorithm", "seed", "episodes", "until"};
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (strcmp(key, shared[i]) == 0)
            return true;
    return false;
}

/* One "key=value" of `length` characters. */
static foray_status set_one(foray_context *ctx, foray_settings *settings, const char *text,
                            size_t length)
{
    char key[FY_PART_NAME], *value;
    fy_format(key, sizeof key, "%.*s", (int)length, text);
    value = strchr(key, '=');
    if (!value || value == key)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "'%s' is not key=value", key);
    *value++ = 0;
    if (is_shared(key))
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%s is the same for all runs of a comparison", key);
    return foray_settings_set(ctx, settings, key, value);
}

/* Its settings, on top of those of all runs. */
static foray_status read_algorithm(foray_context *ctx, const foray_settings *common,
                                   const char *text, foray_settings *out)
{
    enum { BEHIND = 32 }; /* "-seed123" in the name of a cell */
    char name[FY_PART_NAME];
    if (strlen(text) >= FY_PART_NAME - BEHIND || strchr(text, '/'))
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "an algorithm and its settings take at most %d characters, without a slash",
                       FY_PART_NAME - BEHIND - 1);
    fy_format(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    *out = *common;
    fy_settings_choose(out, name);
    foray_status status = FORAY_OK;
    const char *rest = strchr(text, ':');
    while (rest && status == FORAY_OK) {
        size_t length = strcspn(++rest, ",");
        status = set_one(ctx, out, rest, length);
        rest = rest[length] ? rest + length : NULL;
    }
    return status == FORAY_OK ? FORAY_OK : fy_fail_within(ctx, status, "%s", text);
}

/* ------------------------------------------------------------------------- checks */

static bool some_has(const foray_comparison *what, const char *name)
{
    const foray_parameter *row;
    for (int64_t a = 0; a < what->algorithms; a++) {
        char algorithm[FY_PART_NAME];
        const char *text = what->algorithm[a];
        fy_format(algorithm, sizeof algorithm, "%.*s", (int)strcspn(text, ":"), text);
        for (int64_t i = 0; (row = foray_setting_describe(algorithm, i)); i++)
            if (strcmp(row->name, name) == 0)
                return true;
    }
    return false;
}

/* Parameters of an algorithm's own go to those that have them: one of them must. */
static foray_status check_settings(foray_context *ctx, const foray_comparison *what)
{
    foray_settings settings = what->settings;
    const foray_parameter *row;
    settings.algorithm[0] = 0;
    for (int64_t i = 0; (row = fy_settings_row(&settings, i)); i++)
        if (!some_has(what, row->name))
            return fy_fail(ctx, FORAY_ERROR_USAGE, "%s: none of these algorithms has it",
                           row->name);
    foray_status status = FORAY_OK;
    for (int64_t a = 0; a < what->algorithms && status == FORAY_OK; a++) {
        foray_settings own;
        status = read_algorithm(ctx, &what->settings, what->algorithm[a], &own);
        if (status == FORAY_OK)
            status = foray_settings_check(ctx, &own);
    }
    return status;
}

static foray_status check_comparison(foray_context *ctx, const foray_comparison *what)
{
    enum { MAX = 1000000 };
    if (what->algorithms < 1)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "there is no algorithm to compare");
    if (what->seeds < 1 || what->seeds > MAX || what->settings.seed > INT64_MAX - what->seeds)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%" PRId64 " seeds: must be from 1 to %d",
                       what->seeds, MAX);
    if (what->rewards < 1 || what->rewards > MAX)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%" PRId64 " rewards: must be from 1 to %d",
                       what->rewards, MAX);
    if (what->goals < 0 || what->rounds < 0 || what->rounds > MAX)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "goals must be at least 0, rounds from 0 to %d",
                       MAX);
    if (!(what->seconds >= 0.0))
        return fy_fail(ctx, FORAY_ERROR_USAGE, "seconds must be at least 0");
    if (!foray_mode_name(what->mode))
        return fy_fail(ctx, FORAY_ERROR_USAGE, "there is no mode %d", (int)what->mode);
    if (what->settings.until >= 0.0)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "a comparison has no target to stop at: until must be -1");
    return check_settings(ctx, what);
}

/* What cannot run here should say so at once, not after hours of the others. */
static foray_status check_algorithms(fy_lab *lab)
{
    const foray_comparison *what = fy_compare_of(lab)->what;
    foray_status status = FORAY_OK;
    for (int64_t a = 0; a < what->algorithms && status == FORAY_OK; a++) {
        foray_explorer *explorer = NULL;
        for (int64_t b = 0; b < a; b++)
            if (strcmp(what->algorithm[a], what->algorithm[b]) == 0)
                return fy_fail(lab->ctx, FORAY_ERROR_USAGE, "algorithm %s is named twice",
                               what->algorithm[a]);
        fy_trial trial;
        status = fy_compare_trial(lab->ctx, lab, a * what->seeds, &trial);
        if (status == FORAY_OK)
            status = fy_trial_explorer(lab->ctx, &trial, &explorer);
        if (status != FORAY_OK)
            return fy_fail_within(lab->ctx, status, "%s", what->algorithm[a]);
        foray_explorer_destroy(explorer);
    }
    return status;
}

/* -------------------------------------------------------------------------- cells */

foray_status fy_compare_plan(fy_lab *lab, int64_t rows)
{
    const fy_compare *compare = fy_compare_of(lab);
    const foray_comparison *what = compare->what;
    foray_status status = check_comparison(lab->ctx, what);
    for (int64_t a = 0; a < what->algorithms && status == FORAY_OK; a++)
        for (int64_t i = 0; i < what->seeds && status == FORAY_OK; i++) {
            int64_t seed = what->settings.seed + i;
            const int64_t at[FY_LAB_AXES] = {[FY_COMPARE_ALGORITHM] = a, [FY_COMPARE_SEED] = seed};
            status = fy_lab_add_cell(lab, 1.0, at, "%s-seed%" PRId64, what->algorithm[a], seed);
            if (status == FORAY_OK)
                lab->cell[lab->cells - 1].rows = rows;
        }
    if (status == FORAY_OK)
        status = check_algorithms(lab);
    lab->axis_word[FY_COMPARE_ALGORITHM] = what->algorithm;
    fy_format(lab->title, sizeof lab->title, "Exploring %s", compare->world);
    fy_format(lab->lead, sizeof lab->lead,
              "%" PRId64 " algorithms, %" PRId64 " seeds, %" PRId64 " episodes at most; %" PRId64
              " states, %" PRId64 " actions, horizon %" PRId64 "; %s policies",
              what->algorithms, what->seeds, what->settings.episodes, compare->model->states,
              compare->model->actions, compare->model->horizon,
              what->mode == FORAY_PLUGIN ? "plug-in" : foray_mode_name(what->mode));
    return status;
}

foray_status fy_compare_trial(foray_context *ctx, fy_lab *lab, int64_t cell, fy_trial *out)
{
    const fy_compare *compare = fy_compare_of(lab);
    const foray_comparison *what = compare->what;
    const int64_t *at = lab->cell[cell].at;
    *out = (fy_trial){.lab = lab,
                      .cell = cell,
                      .model = compare->model,
                      .reward = compare->reward,
                      .family = compare->family,
                      .mode = what->mode,
                      .rounds = what->rounds,
                      .seconds = what->seconds,
                      .per_decade = FY_TRIAL_PER_DECADE};
    foray_status status = read_algorithm(ctx, &what->settings,
                                         what->algorithm[at[FY_COMPARE_ALGORITHM]], &out->settings);
    out->settings.seed = at[FY_COMPARE_SEED];
    return status;
}

/* -------------------------------------------------------------------------- terms */

/* Which model, whatever it is called. */
static foray_status hash_model(foray_context *ctx, const foray_model *model, uint64_t *hash)
{
    char *data;
    size_t size;
    foray_status status = foray_model_print(ctx, model, FORAY_MODEL_COMPACT, &data, &size);
    if (status == FORAY_OK) {
        *hash = fy_hash(data, size, 0);
        free(data);
    }
    return status;
}

/* All rewards count by their hash; the names of the first are there to be read. */
static void print_rewards(const foray_reality *reality, fy_writer *text)
{
    enum { NAMED = 16 };
    uint64_t rewards = 0;
    fy_print(text, "rollouts %" PRId64 "\n", reality->rollouts);
    for (int64_t i = 0; i < reality->rewards; i++) {
        uint64_t own = fy_reward_hash(reality->reward[i]);
        rewards = fy_hash(&own, sizeof own, rewards);
        rewards = fy_hash(&reality->index[i], sizeof reality->index[i], rewards);
        if (i < NAMED)
            fy_print(text, "reward %s\n", reality->reward[i]->name);
    }
    fy_print(text, "rewards %" PRId64 " %016" PRIx64 "\n", reality->rewards, rewards);
}

/* Everything that rows depend on, but for the algorithms and how many seeds there are. */
foray_status fy_compare_terms(const fy_lab *lab, fy_writer *text)
{
    const fy_compare *compare = fy_compare_of(lab);
    const foray_comparison *what = compare->what;
    const foray_parameter *row;
    char value[FY_SETTING_SIZE], number[FY_NUMBER_BYTES];
    uint64_t hash = 0;
    foray_status status = hash_model(lab->ctx, compare->model, &hash);
    fy_print(text, "world %s\nmodel %016" PRIx64 "\nmode %s\n", compare->world, hash,
             foray_mode_name(what->mode));
    if (what->reality)
        print_rewards(what->reality, text);
    else
        fy_print(text, "rewards %" PRId64 "\ngoals %" PRId64 "\nrounds %" PRId64 "\n",
                 what->rewards, what->goals, what->rounds);
    if (!what->reality && what->reward)
        fy_print(text, "reward %s %016" PRIx64 "\n", what->reward->name,
                 fy_reward_hash(what->reward));
    fy_print(text, "time limit %s\n", fy_number_text(what->seconds, number));
    for (int64_t i = 0; (row = fy_settings_row(&what->settings, i)) && status == FORAY_OK; i++) {
        if (strcmp(row->name, "algorithm") == 0)
            continue;
        status = foray_settings_get(lab->ctx, &what->settings, row->name, value, sizeof value);
        fy_print(text, "%s %s\n", row->name, value);
    }
    return status;
}

/* ------------------------------------------------------------------------ command */

/* Rewards of the system's own have names, and so have goals; others are files. */
static void print_reality(const foray_reality *reality, fy_writer *command)
{
    fy_command_number(command, "rollouts", (double)reality->rollouts);
    for (int64_t i = 0; i < reality->rewards; i++) {
        const char *name = foray_reward_name(reality->reward[i]);
        fy_command_reward(command, name, reality->index[i] >= 0 ? name : "reward.json");
    }
}

/* Every option that is not the default, and all settings. */
foray_status fy_compare_print_command(const fy_lab *lab, fy_writer *text)
{
    const fy_compare *compare = fy_compare_of(lab);
    const foray_comparison *what = compare->what;
    foray_comparison defaults;
    fy_writer command = {.ctx = lab->ctx};
    const char *path = lab->folder.path, *slash = strrchr(path, '/');
    foray_comparison_default(&defaults);
    fy_print(&command, "foray compare");
    fy_command_word(&command, compare->world);
    fy_print(&command, " -a ");
    for (int64_t a = 0; a < what->algorithms; a++)
        fy_print(&command, "%s%s", a ? "," : "", what->algorithm[a]);
    foray_status status = fy_command_settings(lab->ctx, &command, &what->settings, "algorithm");
    const struct {
        const char *name;
        double value, fallback;
    } number[] = {{"seeds", (double)what->seeds, (double)defaults.seeds},
                  {"seconds", what->seconds, defaults.seconds},
                  {"rewards", (double)what->rewards, (double)defaults.rewards},
                  {"goals", (double)what->goals, (double)defaults.goals},
                  {"rounds", (double)what->rounds, (double)defaults.rounds}};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if (number[i].value != number[i].fallback)
            fy_command_number(&command, number[i].name, number[i].value);
    if (what->mode != defaults.mode)
        fy_command_flag(&command, "mode", foray_mode_name(what->mode));
    if (what->reality)
        print_reality(what->reality, &command);
    else if (what->reward)
        fy_command_reward(&command, foray_reward_name(what->reward), "reward.json");
    fy_print(&command, " -o");
    fy_command_word(&command, slash && slash[1] ? slash + 1 : path);
    fy_print(&command, "\n");
    fy_page_command(text, &command);
    return status == FORAY_OK ? fy_page_settings(text, &what->settings) : status;
}

/* ---------------------------------------------------------------------- the whole */

foray_status fy_compare_run(foray_context *ctx, const foray_model *model, const char *world,
                            const foray_comparison *comparison, const char *directory,
                            foray_work_fn progress, void *user, fy_lab_show_fn show,
                            void *show_user)
{
    const foray_reality *reality = comparison->reality;
    fy_compare compare = {.model = model,
                          .world = world,
                          .what = comparison,
                          .reward = !reality               ? comparison->reward
                                    : reality->rewards > 0 ? reality->reward[0]
                                                           : NULL};
    foray_lab_options options = {.shard = comparison->shard, .figure = comparison->figure};
    fy_lab lab;
    foray_status status = fy_lab_create(ctx, reality ? &fy_compare_reality : &fy_compare_known,
                                        &options, &compare, &lab);
    if (status == FORAY_OK)
        status = fy_lab_make(&lab, directory, progress, user);
    if (status == FORAY_OK && show && fy_shard_is_whole(options.shard))
        show(show_user, &lab);
    fy_lab_release(&lab);
    fy_families_destroy(compare.family);
    free(compare.value);
    free(compare.reward_name);
    return status;
}

foray_status foray_compare(foray_context *ctx, const foray_model *model, const char *world,
                           const foray_comparison *comparison, const char *directory,
                           foray_work_fn progress, void *user)
{
    return fy_compare_run(ctx, model, world, comparison, directory, progress, user, NULL, NULL);
}
