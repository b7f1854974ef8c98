/* run.c - a run: creating, opening, changing, recording, and what makes episodes durable: one
 * transaction for those since the last one, the trace, and now and then a checkpoint of the
 * explorer. */
#include "run/run.h"
#include "algorithms/algorithms.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Holds some half-seconds of the fastest worlds, so that the clock decides when
 * to save, not the size. */
static const size_t buffer_bytes = (size_t)16 << 20;

/* ------------------------------------------------------ creating, opening */

foray_run *fy_run_new(foray_context *ctx)
{
    foray_run *run;
    if (!FY_ALLOC(ctx, run, 1))
        return NULL;
    run->ctx = ctx;
    run->last = (fy_point){.episodes = -1, .bound = NAN};
    /* A crash may cost half a second of exploring. Checkpoints only make opening
     * quicker, the episodes are on disk anyway: they get a tenth of the time. */
    run->commit_gap = 0.5;
    run->checkpoint_gap = 2.0;
    run->checkpoint_share = 0.1;
    run->checkpointed = -1;
    run->checkpoint_clock = fy_clock();
    return run;
}

/* For the run's model, settings and world. */
static foray_status new_explorer(foray_run *run, foray_explorer **out)
{
    foray_explorer *made;
    foray_status status = foray_explorer_create(run->ctx, run->model, &run->settings, &made);
    if (status != FORAY_OK)
        return status;
    if (run->source == FY_SOURCE_AGGREGATED)
        status = fy_explorer_aggregate(made);
    if (status == FORAY_OK)
        *out = made;
    else
        foray_explorer_destroy(made);
    return status;
}

foray_status fy_run_fresh_explorer(foray_run *run, foray_explorer **out)
{
    const foray_reward *reward = fy_explorer_reward(run->explorer);
    foray_explorer *explorer;
    foray_status status = new_explorer(run, &explorer);
    if (status != FORAY_OK)
        return status;
    if (reward)
        status = foray_explorer_give_reward(explorer, reward);
    if (status == FORAY_OK)
        *out = explorer;
    else
        foray_explorer_destroy(explorer);
    return status;
}

/* How the episodes of an algorithm are laid out. */
static fy_episode_kind episodes_of(const char *algorithm)
{
    const fy_explorer_ops *ops = fy_algorithm_named(algorithm);
    if (ops && !fy_explorer_acts(ops))
        return FY_EPISODE_RECORDED;
    return ops && ops->query ? FY_EPISODE_QUERIES : FY_EPISODE_WALK;
}

/* How episodes are laid out, for the model that the explorer learns about, and room for them. */
static foray_status fit_codec(foray_run *run, bool writes)
{
    fy_codec *codec = &run->codec;
    *codec = fy_codec_for(run->explorer->model, episodes_of(run->settings.algorithm));
    run->room = (int64_t)(buffer_bytes / codec->episode_bytes);
    if (run->room < 1)
        run->room = 1;
    free(run->states);
    free(run->actions);
    free(run->buffer);
    run->states = run->actions = NULL;
    run->buffer = NULL;
    if (!FY_ALLOC(run->ctx, run->states, codec->episode_states) ||
        !FY_ALLOC(run->ctx, run->actions, codec->horizon))
        return FORAY_ERROR_MEMORY;
    if (writes)
        run->buffer = fy_alloc(run->ctx, (size_t)run->room, codec->episode_bytes);
    return writes && !run->buffer ? FORAY_ERROR_MEMORY : FORAY_OK;
}

/* The explorer and, for writers, the room for episodes, for the run's model and settings. */
static foray_status create_explorer(foray_run *run, bool writes)
{
    foray_status status = new_explorer(run, &run->explorer);
    return status == FORAY_OK ? fit_codec(run, writes) : status;
}

/* The model that is in the file has what seemed out of reach no longer. */
foray_status fy_run_meet(foray_run *run)
{
    bool wider = run->codec.states != run->explorer->model->states;
    if (wider && run->model->pruned)
        return fy_fail(run->ctx, FORAY_ERROR_USAGE,
                       "%s: keeps only what its model's own episodes get to, and this world's get "
                       "elsewhere; create the run again, with this world",
                       run->store->path);
    run->model_is_short |= wider;
    return wider ? fit_codec(run, run->buffer != NULL) : FORAY_OK;
}

const char *const fy_source_name[] = {"model", "other", "aggregated"};

/* Unstructured models are kept as JSON, and are small. */
static foray_status parse_model(foray_run *run, size_t bytes)
{
    uint8_t *data;
    foray_status status = fy_store_get_pieces(run->store, "model", 0, bytes, &data);
    if (status != FORAY_OK)
        return status;
    status = foray_model_parse(run->ctx, data, bytes, run->store->path, &run->model);
    free(data);
    return status;
}

static foray_status read_model(foray_run *run, size_t bytes)
{
    fy_pieces pieces;
    uint8_t start[FY_MODEL_MAGIC_SIZE];
    foray_status status = fy_pieces_begin(&pieces, run->store, "model", 0, bytes);
    if (status != FORAY_OK)
        return status;
    bool compact = bytes >= sizeof start && fy_pieces_fetch(&pieces, 0, start, sizeof start) &&
                   fy_model_is_compact(start, sizeof start);
    if (compact)
        status = fy_model_fetch_compact(run->ctx, fy_pieces_fetch, &pieces, bytes, run->store->path,
                                        &run->model);
    /* What is wrong with a piece says more than what then seemed wrong with the model. */
    foray_status whole = fy_pieces_end(&pieces);
    if (whole != FORAY_OK)
        return whole;
    return compact ? status : parse_model(run, bytes);
}

static foray_status load_model(foray_run *run)
{
    char *text;
    foray_status status = fy_store_get_meta(run->store, "model_bytes", &text);
    if (status != FORAY_OK)
        return status;
    int64_t bytes = 0;
    (void)fy_integer_read(text, strlen(text),
                          &bytes); /* a damaged number finds no model of its size */
    free(text);
    status = read_model(run, (size_t)bytes);
    return status == FORAY_ERROR_INPUT ? FORAY_ERROR_RUN : status;
}

static foray_status load_texts(foray_run *run)
{
    foray_status status = fy_store_get_meta(run->store, "version", &run->version);
    if (status == FORAY_OK)
        status = fy_store_get_meta(run->store, "created", &run->created);
    if (status == FORAY_OK)
        status = fy_store_get_meta(run->store, "world", &run->world);
    char *source;
    if (status == FORAY_OK)
        status = fy_store_get_meta(run->store, "source", &source);
    if (status != FORAY_OK)
        return status;
    int found = FY_SOURCE_MODEL;
    while (found <= FY_SOURCE_AGGREGATED && strcmp(source, fy_source_name[found]) != 0)
        found++;
    free(source);
    if (found > FY_SOURCE_AGGREGATED)
        return fy_store_damaged(run->store, "it does not say where its episodes come from");
    run->source = run->source_saved = (fy_source)found;
    return FORAY_OK;
}

/* The stopping rule needs what not every algorithm has. */
static foray_status check_until(foray_run *run, double until)
{
    bool bounded;
    foray_status status = fy_explorer_bounded(run->explorer, &bounded);
    if (status != FORAY_OK)
        return status;
    if (until >= 0.0 && !bounded)
        return fy_fail(run->ctx, FORAY_ERROR_USAGE,
                       "until: the algorithm %s has no bound for all rewards to stop at",
                       run->settings.algorithm);
    return FORAY_OK;
}

foray_status fy_run_write_model(const foray_model *model, const foray_model *part,
                                fy_writer *writer)
{
    char *text;
    size_t size;
    if (!model->unstructured) {
        fy_model_write_compact(model, part, writer);
        return FORAY_OK;
    }
    foray_status status = foray_model_print(writer->ctx, model, FORAY_MODEL_COMPACT, &text, &size);
    if (status != FORAY_OK)
        return status;
    fy_write_bytes(writer, text, size);
    free(text);
    return FORAY_OK;
}

foray_status fy_store_put_model(fy_store *store, const foray_model *model, const foray_model *part)
{
    char bytes[32];
    fy_piece_writer pieces = {.store = store, .kind = "model"};
    fy_writer writer = {.ctx = store->ctx, .send = fy_piece_writer_put, .sink = &pieces};
    foray_status status = fy_run_write_model(model, part, &writer);
    fy_writer_flush(&writer);
    free(writer.data);
    foray_status put = fy_piece_writer_end(&pieces);
    if (status == FORAY_OK)
        status = writer.failed ? FORAY_ERROR_MEMORY : put;
    if (status != FORAY_OK)
        return status;
    fy_format(bytes, sizeof bytes, "%zu", pieces.size);
    return fy_store_put_meta(store, "model_bytes", bytes);
}

/* The run keeps the model that it was given, and the file what its explorer has of that. */
static foray_status create_within(foray_run *run, const char *path, foray_run_creation how,
                                  const foray_model *model, const char *world)
{
    run->model = foray_model_share(model);
    foray_status status = create_explorer(run, true);
    if (status == FORAY_OK)
        status = check_until(run, run->settings.until);
    fy_new_run birth = {.settings = &run->settings,
                        .world = world,
                        .model = run->model,
                        .part = run->explorer ? run->explorer->part : NULL};
    if (status == FORAY_OK)
        status = fy_store_create(run->ctx, path, how == FORAY_RUN_REPLACE, &birth, &run->store);
    return status == FORAY_OK ? load_texts(run) : status;
}

/* Closes what could not be opened; whether that goes well or not, the first message stays. */
static foray_status give_up(foray_run *run, foray_status status)
{
    foray_context *ctx = run->ctx;
    char message[sizeof ctx->message];
    memcpy(message, ctx->message, sizeof message);
    (void)foray_run_close(run);
    return fy_fail(ctx, status, "%s", message);
}

foray_status foray_run_create(foray_context *ctx, const char *path, foray_run_creation how,
                              const foray_model *model, const char *world,
                              const foray_settings *settings, foray_run **out)
{
    if (how != FORAY_RUN_NEW && how != FORAY_RUN_REPLACE)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%s: %d is not a way to create a run", path, how);
    foray_settings checked;
    foray_status status = fy_settings_copy(ctx, settings, &checked);
    if (status != FORAY_OK)
        return status;
    foray_run *run = fy_run_new(ctx);
    if (!run)
        return FORAY_ERROR_MEMORY;
    run->settings = checked;
    status = create_within(run, path, how, model, world);
    if (status != FORAY_OK)
        return give_up(run, status);
    *out = run;
    return FORAY_OK;
}

/* An empty text: none was given. */
static foray_status load_reward(foray_run *run)
{
    char *text;
    foray_reward *reward = NULL;
    foray_status status = fy_store_get_meta(run->store, "reward", &text);
    if (status != FORAY_OK)
        return status;
    if (text[0] != '\0')
        status =
            foray_reward_parse(run->ctx, run->model, text, strlen(text), run->store->path, &reward);
    if (reward)
        status = foray_explorer_give_reward(run->explorer, reward);
    foray_reward_destroy(reward);
    free(text);
    bool sense = status != FORAY_ERROR_INPUT && status != FORAY_ERROR_USAGE;
    return sense ? status : FORAY_ERROR_RUN;
}

static foray_status load_last_point(foray_run *run)
{
    fy_row row;
    fy_row_prepare(&row, run->store, "trace",
                   "SELECT episodes, plans, bound, crc FROM trace ORDER BY episodes DESC LIMIT 1");
    if (fy_row_next(&row)) {
        run->last.episodes = fy_row_int(&row);
        run->last.plans = fy_row_int(&row);
        run->last.bound = fy_row_real(&row);
        fy_row_intact(&row);
    }
    return fy_row_end(&row);
}

/* One transaction around the loading: a run that is being written by another
 * process is seen as it was at one moment. */
foray_status fy_run_load(foray_run *run)
{
    foray_status status = fy_store_begin(run->store, false);
    if (status != FORAY_OK)
        return status;
    status = fy_store_read_head(run->store, &run->store->head);
    if (status == FORAY_OK)
        status = fy_run_check_counts(run);
    if (status == FORAY_OK)
        status = load_texts(run);
    if (status == FORAY_OK)
        status = fy_store_get_settings(run->store, &run->settings);
    if (status == FORAY_OK)
        status = load_model(run);
    if (status == FORAY_OK)
        status = load_last_point(run);
    if (status == FORAY_OK)
        status = create_explorer(run, run->store->lock.fd >= 0);
    if (status == FORAY_OK)
        status = load_reward(run);
    if (status == FORAY_OK)
        status = fy_run_load_targets(run);
    if (status == FORAY_OK)
        status = fy_run_load_own(run);
    if (status == FORAY_OK)
        status = fy_run_restore(run);
    fy_store_rollback(run->store);
    return status;
}

/* Hands over the run of a store that was opened, or cleans up. */
static foray_status finish_opening(foray_run *run, foray_status status, foray_run **out)
{
    if (status == FORAY_OK)
        status = fy_run_load(run);
    if (status != FORAY_OK)
        return give_up(run, status);
    *out = run;
    return FORAY_OK;
}

foray_status foray_run_open(foray_context *ctx, const char *path, foray_run_access how,
                            foray_run **out)
{
    if (how != FORAY_RUN_READ && how != FORAY_RUN_WRITE)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%s: %d is not a way to open a run", path, how);
    foray_run *run = fy_run_new(ctx);
    if (!run)
        return FORAY_ERROR_MEMORY;
    return finish_opening(run, fy_store_open(ctx, path, how == FORAY_RUN_WRITE, &run->store), out);
}

foray_status fy_run_open_memory(foray_context *ctx, const void *data, size_t size,
                                const char *where, foray_run **out)
{
    foray_run *run = fy_run_new(ctx);
    if (!run)
        return FORAY_ERROR_MEMORY;
    return finish_opening(run, fy_store_open_memory(ctx, data, size, where, &run->store), out);
}

foray_status foray_run_close(foray_run *run)
{
    if (!run)
        return FORAY_OK;
    foray_explorer_destroy(run->explorer);
    foray_model_destroy(run->model);
    foray_status status = fy_store_close(run->store);
    fy_run_close_targets(run);
    fy_run_close_own(run);
    free(run->version);
    free(run->created);
    free(run->world);
    free(run->states);
    free(run->actions);
    free(run->buffer);
    free(run);
    return status;
}

/* -------------------------------------------------------------- questions */

foray_status foray_run_is_of(foray_run *run, const foray_model *model, bool *same)
{
    return fy_model_same_episodes(run->ctx, model, run->model, same);
}

const foray_model *foray_run_model(const foray_run *run)
{
    return run->model;
}

const foray_settings *foray_run_settings(const foray_run *run)
{
    return &run->settings;
}

const char *foray_run_world(const foray_run *run)
{
    return run->world;
}

foray_explorer *foray_run_explorer(foray_run *run)
{
    return run->explorer;
}

int64_t foray_run_saved(const foray_run *run)
{
    return run->store->head.episodes;
}

int64_t fy_run_recorded(const foray_run *run)
{
    return run->store->head.episodes + run->buffered;
}

foray_status fy_run_writable(foray_run *run)
{
    if (run->store->owner != getpid())
        return fy_fail(run->ctx, FORAY_ERROR_USAGE, "%s: opened by another process, before fork()",
                       run->store->path);
    if (run->store->lock.fd < 0)
        return fy_fail(run->ctx, FORAY_ERROR_USAGE, "%s: opened for reading only",
                       run->store->path);
    if (run->spoilt)
        return fy_fail(run->ctx, FORAY_ERROR_USAGE,
                       "%s: its last episode broke off; open the run again", run->store->path);
    return FORAY_OK;
}

foray_status fy_run_describe(foray_run *run, fy_run_facts *facts)
{
    fy_run_facts found = {.version = run->version,
                          .created = run->created,
                          .episodes = run->store->head.episodes,
                          .plans_stored = run->store->head.plans};
    foray_status status =
        fy_store_number(run->store, "SELECT ifnull(sum(1), 0) FROM checkpoint", &found.checkpoints);
    if (status == FORAY_OK)
        status = fy_store_bytes(run->store, &found.bytes);
    if (status == FORAY_OK)
        status = foray_explorer_describe(run->explorer, &found.explorer);
    if (status == FORAY_OK)
        *facts = found;
    return status;
}

const char *fy_run_trusted(const foray_run *run)
{
    if (run->model->initials == 0)
        return NULL;
    if (run->codec.recorded)
        return "their law is taken on trust: recorded episodes may begin anywhere";
    return run->codec.stride == 2 && run->source == FY_SOURCE_OTHER
               ? "their law is taken on trust: queries begin no episodes"
               : NULL;
}

/* ---------------------------------------------------------------- changing */

/* In place of the checkpoints of an explorer that knew of none, or of another one. */
static foray_status put_reward(foray_run *run, const foray_reward *reward)
{
    char *text;
    foray_status status = foray_reward_print(run->ctx, reward, &text, NULL);
    if (status != FORAY_OK)
        return status;
    status = fy_store_begin(run->store, true);
    if (status == FORAY_OK) {
        status = fy_store_put_meta(run->store, "reward", text);
        if (status == FORAY_OK)
            status = fy_store_run(run->store, "DELETE FROM checkpoint;"
                                              "DELETE FROM piece WHERE kind = 'checkpoint'");
        if (status == FORAY_OK) {
            run->checkpointed = -1;
            status = fy_store_commit(run->store, &run->store->head);
        } else
            fy_store_rollback(run->store);
    }
    free(text);
    return status;
}

/* The file first: no episode must be played for a reward that is not in it. */
foray_status foray_run_give_reward(foray_run *run, const foray_reward *reward)
{
    foray_status status = fy_run_writable(run);
    if (status == FORAY_OK)
        status = fy_explorer_check_reward(run->explorer, reward);
    if (status == FORAY_OK)
        status = put_reward(run, reward);
    return status == FORAY_OK ? foray_explorer_give_reward(run->explorer, reward) : status;
}

foray_status fy_run_rename(foray_run *run, const foray_model *model)
{
    foray_status status = fy_run_writable(run);
    if (status == FORAY_OK)
        status = fy_store_begin(run->store, true);
    if (status != FORAY_OK)
        return status;
    status = fy_store_put_model(run->store, model, NULL);
    if (status == FORAY_OK)
        return fy_store_commit(run->store, &run->store->head);
    fy_store_rollback(run->store);
    return status;
}

foray_status fy_run_change_settings(foray_run *run, const foray_settings *settings)
{
    foray_status status = foray_settings_check(run->ctx, settings);
    if (status == FORAY_OK)
        status = fy_store_begin(run->store, true);
    if (status != FORAY_OK)
        return status;
    status = fy_store_put_settings(run->store, settings);
    if (status == FORAY_OK)
        status = fy_store_commit(run->store, &run->store->head);
    else
        fy_store_rollback(run->store);
    if (status != FORAY_OK)
        return status;
    run->settings = run->explorer->settings = *settings;
    return FORAY_OK;
}

foray_status foray_run_extend(foray_run *run, int64_t episodes)
{
    foray_status status = fy_run_writable(run);
    if (status != FORAY_OK || episodes == run->settings.episodes)
        return status;
    if (episodes < run->settings.episodes)
        return fy_fail(run->ctx, FORAY_ERROR_USAGE,
                       "episodes: %" PRId64 ", but the run has %" PRId64
                       "; it can only be extended",
                       episodes, run->settings.episodes);
    const fy_explorer_ops *ops = run->explorer->ops;
    if (ops->needs_budget(run->explorer))
        return fy_fail(run->ctx, FORAY_ERROR_USAGE,
                       "episodes: fixed at %" PRId64 ", because the confidence radius of this run "
                       "depends on it",
                       run->settings.episodes);
    foray_settings changed = run->settings;
    changed.episodes = episodes;
    return fy_run_change_settings(run, &changed);
}

foray_status foray_run_set_until(foray_run *run, double until)
{
    foray_status status = fy_run_writable(run);
    if (status != FORAY_OK || until == run->settings.until)
        return status;
    status = check_until(run, until);
    if (status != FORAY_OK)
        return status;
    foray_settings changed = run->settings;
    changed.until = until;
    status = fy_run_change_settings(run, &changed);
    int64_t targets = fy_run_targets(run);
    if (status == FORAY_OK && targets > 0)
        status = fy_run_put_aim(run, until, targets,
                                (const foray_reward *const *)run->aim[run->aims - 1].target);
    if (status == FORAY_OK)
        run->measure_now = run->explorer->episodes > 0;
    return status;
}

/* ----------------------------------------------------------- transactions */

static foray_status put_batch(foray_run *run, fy_head *head)
{
    if (run->buffered == 0)
        return FORAY_OK;
    int64_t first = head->episodes;
    head->episodes += run->buffered;
    head->batches++;
    return fy_run_put_batch(run, first, run->buffered, run->buffer);
}

static foray_status put_points(foray_run *run, fy_head *head)
{
    foray_status status = FORAY_OK;
    for (int64_t i = 0; status == FORAY_OK && i < run->points; i++) {
        fy_row row;
        fy_row_prepare(&row, run->store, "trace",
                       "INSERT INTO trace(episodes, plans, bound, crc) VALUES(?1, ?2, ?3, ?4)");
        fy_row_put_int(&row, run->pending[i].episodes);
        fy_row_put_int(&row, run->pending[i].plans);
        fy_row_put_real(&row, run->pending[i].bound);
        status = fy_row_insert(&row);
        head->points++;
    }
    return status;
}

/* The new checkpoint and the one before it stay. There may be one for these
 * episodes already, if it could not be read. */
static foray_status put_checkpoint(foray_run *run, int64_t episodes, const uint8_t *data,
                                   size_t size)
{
    fy_row row;
    fy_row_prepare(&row, run->store, "checkpoints",
                   "REPLACE INTO checkpoint(episodes, bytes, crc) VALUES(?1, ?2, ?3)");
    fy_row_put_int(&row, episodes);
    fy_row_put_int(&row, (int64_t)size);
    foray_status status = fy_row_insert(&row);
    if (status == FORAY_OK)
        status = fy_store_put_pieces(run->store, "checkpoint", episodes, data, size);
    if (status == FORAY_OK)
        status = fy_store_run(run->store,
                              "DELETE FROM checkpoint WHERE episodes NOT IN"
                              " (SELECT episodes FROM checkpoint ORDER BY episodes DESC LIMIT 2)");
    int64_t oldest = episodes;
    if (status == FORAY_OK)
        status = fy_store_number(run->store, "SELECT min(episodes) FROM checkpoint", &oldest);
    if (status == FORAY_OK)
        status = fy_store_drop_pieces_before(run->store, "checkpoint", oldest);
    return status;
}

foray_status fy_run_put_recorded(foray_run *run, fy_head *head)
{
    foray_status status = put_batch(run, head);
    if (run->explorer->aggregated)
        run->source = FY_SOURCE_AGGREGATED;
    if (status == FORAY_OK && run->model_is_short)
        status = fy_store_put_model(run->store, run->model, NULL);
    if (status == FORAY_OK && run->source != run->source_saved)
        status = fy_store_put_meta(run->store, "source", fy_source_name[run->source]);
    return status == FORAY_OK ? put_points(run, head) : status;
}

void fy_run_recorded_is_saved(foray_run *run)
{
    run->buffered = run->points = 0;
    run->model_is_short = false;
    run->source_saved = run->source;
}

/* Episodes, trace and checkpoint in one transaction; data = NULL: no checkpoint. */
static foray_status commit_all(foray_run *run, const uint8_t *data, size_t size)
{
    foray_status status = fy_store_begin(run->store, true);
    if (status != FORAY_OK)
        return status;
    fy_head head = run->store->head;
    status = fy_run_put_recorded(run, &head);
    if (status == FORAY_OK && data)
        status = put_checkpoint(run, head.episodes, data, size);
    if (status != FORAY_OK) {
        fy_store_rollback(run->store);
        return status;
    }
    status = fy_store_commit(run->store, &head);
    if (status == FORAY_OK)
        fy_run_recorded_is_saved(run);
    return status;
}

bool fy_run_checkpoint_due(const foray_run *run)
{
    double since = fy_clock() - run->checkpoint_clock;
    return since >= run->checkpoint_gap && since >= run->checkpoint_cost / run->checkpoint_share;
}

foray_status fy_run_commit(foray_run *run, bool checkpoint)
{
    if (!checkpoint || run->spoilt || run->checkpointed == fy_run_recorded(run))
        return run->buffered == 0 && run->points == 0 ? FORAY_OK : commit_all(run, NULL, 0);
    double start = fy_clock();
    uint8_t *data;
    size_t size;
    foray_status status = foray_explorer_save(run->explorer, &data, &size);
    if (status != FORAY_OK)
        return status;
    status = commit_all(run, data, size);
    free(data);
    if (status == FORAY_OK) {
        run->checkpointed = run->store->head.episodes;
        run->checkpoint_clock = fy_clock();
        run->checkpoint_cost = run->checkpoint_clock - start;
    }
    return status;
}

foray_status foray_run_save(foray_run *run)
{
    foray_status status = fy_run_writable(run);
    return status == FORAY_OK ? fy_run_commit(run, fy_run_checkpoint_due(run)) : status;
}

/* --------------------------------------------------------------- recording */

foray_status foray_run_record(foray_run *run, const int32_t *states, const int32_t *actions)
{
    foray_status status = fy_run_writable(run);
    if (status != FORAY_OK)
        return status;
    if (run->explorer->step >= 0 || run->explorer->episodes != fy_run_recorded(run) + 1)
        return fy_fail(run->ctx, FORAY_ERROR_USAGE,
                       "%s: record each episode once, after the explorer has ended it",
                       run->store->path);
    if (run->source == FY_SOURCE_MODEL)
        run->source = FY_SOURCE_OTHER;
    return fy_run_append(run, states, actions);
}

foray_status fy_run_append(foray_run *run, const int32_t *states, const int32_t *actions)
{
    foray_status status = fy_run_meet(run);
    if (status == FORAY_OK && run->buffered == run->room)
        status = commit_all(run, NULL, 0);
    if (status != FORAY_OK)
        return status;
    uint8_t *at = run->buffer + (size_t)run->buffered * run->codec.episode_bytes;
    if (!fy_codec_encode(&run->codec, run->explorer->model, states, actions, at)) {
        run->spoilt = true;
        return fy_fail(run->ctx, FORAY_ERROR_USAGE,
                       "%s: what was to be recorded is not an episode of its model",
                       run->store->path);
    }
    run->buffered++;
    return FORAY_OK;
}

foray_status fy_run_measure(foray_run *run)
{
    foray_explorer_facts facts;
    foray_status status = foray_explorer_describe(run->explorer, &facts);
    foray_certificate certificate = {.gap = NAN};
    bool bounded = false;
    if (status == FORAY_OK)
        status = fy_explorer_bounded(run->explorer, &bounded);
    if (status == FORAY_OK && bounded)
        status = foray_explorer_bound(run->explorer, FORAY_KIND_PAIR, &certificate);
    if (status == FORAY_OK && run->points == FY_POINTS_PENDING)
        status = commit_all(run, NULL, 0);
    if (status != FORAY_OK)
        return status;
    run->last = (fy_point){run->explorer->episodes, facts.plans, certificate.gap};
    run->pending[run->points++] = run->last;
    return FORAY_OK;
}
