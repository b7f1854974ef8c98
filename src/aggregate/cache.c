/* cache.c - aggregated models on disk, found again by a hash of what they depend on.
 *
 * The text of a plug-in or a program does not change when its code does, so that some of its
 * answers, from all over the box, belong to the hash as well. What is damaged counts as not
 * there. */
#include "aggregate/cache.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/model.h"

/* ---------------------------------------------------------------- what it depends on */

static void write_text(fy_writer *writer, const char *text)
{
    uint64_t size = text ? strlen(text) + 1 : 0;
    fy_write_u64(writer, size);
    fy_write_bytes(writer, text, size);
}

static void write_texts(fy_writer *writer, const char *const *text, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        write_text(writer, text ? text[i] : NULL);
}

static void write_spec(fy_writer *writer, const foray_system_spec *spec)
{
    const int64_t sizes[] = {spec->states,  spec->dimensions, spec->actions,
                             spec->horizon, spec->simulators, spec->rewards};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        fy_write_u64(writer, (uint64_t)sizes[i]);
    fy_write_doubles(writer, spec->low, (size_t)spec->dimensions);
    fy_write_doubles(writer, spec->high, (size_t)spec->dimensions);
    write_text(writer, spec->name);
    write_texts(writer, spec->dimension_name, spec->dimensions);
    write_texts(writer, spec->action_name, spec->actions);
}

static void write_clusters(fy_writer *writer, const foray_clusters *clusters)
{
    fy_write_u64(writer, (uint64_t)clusters->count);
    fy_write_u64(writer, (uint64_t)clusters->max);
    fy_write_u64(writer, (uint64_t)clusters->rows);
    fy_write_u64(writer, clusters->kind->hash(clusters));
}

/* A first state, or any state. */
static foray_status probe_state(fy_writer *writer, foray_system *system, const foray_draw *draw,
                                bool first, double *state)
{
    const foray_system_spec *spec = &system->spec;
    if (first)
        return fy_system_start(system, writer->ctx, draw, state);
    for (int64_t i = 0; i < spec->dimensions; i++) {
        double u =
            fy_unit(fy_random_bits(draw->seed, FY_STREAM_SYSTEM, draw->episode, 0, (uint32_t)i));
        double at = spec->low[i] + u * (spec->high[i] - spec->low[i]);
        state[i] = spec->states > 0 ? floor(at + 0.5) : at;
    }
    return FORAY_OK;
}

/* First states and others, and what follows them by some simulator. */
static foray_status write_answers(fy_writer *writer, foray_system *system)
{
    enum { PROBES = 512 };
    const foray_system_spec *spec = &system->spec;
    double state[FY_MAX_DIMENSIONS], next[FY_MAX_DIMENSIONS];
    foray_status status = FORAY_OK;
    for (int64_t k = 0; k < PROBES && status == FORAY_OK; k++) {
        foray_draw draw = {1, (uint64_t)k, 0};
        foray_system_query query = {draw, k / spec->actions % spec->simulators, k % spec->actions};
        status = probe_state(writer, system, &draw, k % 8 == 0, state);
        if (status == FORAY_OK)
            status = fy_system_ask(system, writer->ctx, 1, &query, state, next);
        if (status == FORAY_OK) {
            fy_write_doubles(writer, state, (size_t)spec->dimensions);
            fy_write_doubles(writer, next, (size_t)spec->dimensions);
        }
    }
    return status;
}

static foray_status write_key(fy_writer *writer, foray_system *system,
                              const foray_clusters *clusters, const foray_aggregation *aggregation)
{
    write_text(writer, foray_version());
    write_text(writer, system->text);
    write_spec(writer, &system->spec);
    fy_write_u64(writer, system->weight != NULL);
    if (system->weight)
        fy_write_doubles(writer, system->weight, (size_t)system->spec.simulators);
    fy_write_u64(writer, system->ops.deterministic);
    write_clusters(writer, clusters);
    fy_write_double(writer, aggregation->accuracy);
    fy_write_u64(writer, (uint64_t)aggregation->draws);
    fy_write_double(writer, aggregation->delta);
    fy_write_u64(writer, aggregation->seed);
    fy_write_double(writer, aggregation->lipschitz);
    foray_status status = write_answers(writer, system);
    return status == FORAY_OK && writer->failed ? FORAY_ERROR_MEMORY : status;
}

/* --------------------------------------------------------------------------- files
 *
 * A line with the key, the same that is in the name of the file, and a checksum of all but itself;
 * then the compact model. A file that got another name does not pass for what it is called. */

enum { HEAD_BYTES = 64 };

static uint32_t checksum_of(const char *key, const void *model, size_t size)
{
    return fy_crc32c(fy_crc32c(0, key, strlen(key)), model, size);
}

static void print_head(const char *key, const void *model, size_t size, char head[HEAD_BYTES + 1])
{
    fy_format(head, HEAD_BYTES + 1, "foray-cache 1 %s %08x%*s\n", key,
              checksum_of(key, model, size), 8, "");
}

foray_status fy_cache_open(foray_context *ctx, foray_system *system, const foray_clusters *clusters,
                           const foray_aggregation *aggregation, fy_cache_entry *out)
{
    static const char suffix[] = ".foray-cache";
    if (!aggregation->cache || !system->text)
        return FORAY_OK;
    fy_writer key = {.ctx = ctx};
    foray_status status = write_key(&key, system, clusters, aggregation);
    size_t size = strlen(aggregation->cache) + 1 + FY_CACHE_KEY + sizeof suffix;
    if (status == FORAY_OK && !FY_ALLOC(ctx, out->path, size))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK) {
        fy_format(out->key, sizeof out->key, "%016" PRIx64 "%016" PRIx64,
                  fy_hash(key.data, key.size, 0), fy_hash(key.data, key.size, 1));
        fy_format(out->path, size, "%s/%s%s", aggregation->cache, out->key, suffix);
    }
    free(key.data);
    return status;
}

/* A model of another size is no better than a damaged one. */
static bool fits(const foray_model *model, const foray_clusters *clusters,
                 const foray_system *system)
{
    return foray_model_states(model) == clusters->count &&
           foray_model_actions(model) == system->spec.actions &&
           foray_model_dim(model) == system->spec.simulators;
}

/* The model in a file's content; *out stays NULL where it is damaged or of another name. */
static foray_status read_entry(foray_context *ctx, const fy_cache_entry *entry, const uint8_t *data,
                               size_t size, foray_model **out)
{
    char head[HEAD_BYTES + 1];
    if (size < HEAD_BYTES)
        return FORAY_OK;
    print_head(entry->key, data + HEAD_BYTES, size - HEAD_BYTES, head);
    if (memcmp(head, data, HEAD_BYTES) != 0)
        return FORAY_OK;
    foray_status status =
        fy_model_parse_compact(ctx, data + HEAD_BYTES, size - HEAD_BYTES, entry->path, out);
    return status == FORAY_ERROR_MEMORY ? status : FORAY_OK;
}

foray_status fy_cache_find(foray_context *ctx, const fy_cache_entry *entry,
                           const foray_clusters *clusters, const foray_system *system,
                           foray_cache_outcome *cache, foray_model **out)
{
    foray_model *model = NULL;
    uint8_t *data;
    size_t size;
    *cache = FORAY_CACHE_STORED;
    if (access(entry->path, F_OK) != 0)
        return FORAY_OK;
    *cache = FORAY_CACHE_REPAIRED;
    foray_status status = fy_file_read(ctx, entry->path, PTRDIFF_MAX, &data, &size);
    if (status != FORAY_OK)
        return status == FORAY_ERROR_MEMORY ? status : FORAY_OK;
    status = read_entry(ctx, entry, data, size, &model);
    free(data);
    if (status != FORAY_OK || !model)
        return status;
    if (!fits(model, clusters, system)) {
        foray_model_destroy(model);
        return FORAY_OK;
    }
    *cache = FORAY_CACHE_HIT;
    *out = model;
    return FORAY_OK;
}

foray_status fy_cache_store(foray_context *ctx, const fy_cache_entry *entry,
                            const foray_model *model)
{
    char head[HEAD_BYTES + 1], *data;
    size_t size;
    foray_status status = fy_model_print_compact(ctx, model, &data, &size);
    if (status != FORAY_OK)
        return status;
    fy_writer file = {.ctx = ctx};
    print_head(entry->key, data, size, head);
    fy_write_bytes(&file, head, HEAD_BYTES);
    fy_write_bytes(&file, data, size);
    free(data);
    status = file.failed ? FORAY_ERROR_MEMORY
                         : foray_file_write(ctx, entry->path, true, file.data, file.size);
    free(file.data);
    return status;
}
