/* cache.c - aggregated models on disk, found again by a hash of what they depend on.
 *
 * The text of a plug-in or a program does not change when its code does, so that some of its
 * answers, from all over the box, belong to the hash as well. Files are compact models, which carry
 * a checksum; what is damaged counts as not there. */
#include "aggregate/cache.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    fy_write_u64(writer, (uint64_t)clusters->most);
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
    double state[FY_MOST_DIMENSIONS], next[FY_MOST_DIMENSIONS];
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
    foray_status status = write_answers(writer, system);
    return status == FORAY_OK && writer->failed ? FORAY_ERROR_MEMORY : status;
}

/* --------------------------------------------------------------------------- files */

static foray_status name_file(foray_context *ctx, const char *directory, const fy_writer *key,
                              char **out)
{
    static const char suffix[] = ".foray-model";
    size_t size = strlen(directory) + 1 + 32 + sizeof suffix;
    char *path = fy_alloc(ctx, size, 1);
    if (!path)
        return FORAY_ERROR_MEMORY;
    snprintf(path, size, "%s/%016llx%016llx%s", directory,
             (unsigned long long)fy_hash(key->data, key->size, 0),
             (unsigned long long)fy_hash(key->data, key->size, 1), suffix);
    *out = path;
    return FORAY_OK;
}

foray_status fy_cache_path(foray_context *ctx, foray_system *system, const foray_clusters *clusters,
                           const foray_aggregation *aggregation, char **out)
{
    if (!aggregation->cache || !system->text)
        return FORAY_OK;
    fy_writer key = {.ctx = ctx};
    foray_status status = write_key(&key, system, clusters, aggregation);
    if (status == FORAY_OK)
        status = name_file(ctx, aggregation->cache, &key, out);
    free(key.data);
    return status;
}

/* A file of the right name that says something else is no better than a damaged one. */
static bool fits(const foray_model *model, const foray_clusters *clusters,
                 const foray_system *system)
{
    return foray_model_states(model) == clusters->count &&
           foray_model_actions(model) == system->spec.actions &&
           foray_model_dim(model) == system->spec.simulators;
}

foray_status fy_cache_find(foray_context *ctx, const char *path, const foray_clusters *clusters,
                           const foray_system *system, foray_cache_outcome *cache,
                           foray_model **out)
{
    *cache = FORAY_CACHE_STORED;
    if (access(path, F_OK) != 0)
        return FORAY_OK;
    *cache = FORAY_CACHE_REPAIRED;
    foray_model *model = NULL;
    foray_status status = foray_model_load(ctx, path, &model);
    if (status == FORAY_ERROR_MEMORY)
        return status;
    if (status != FORAY_OK)
        return FORAY_OK;
    if (!fits(model, clusters, system)) {
        foray_model_destroy(model);
        return FORAY_OK;
    }
    *cache = FORAY_CACHE_HIT;
    *out = model;
    return FORAY_OK;
}
