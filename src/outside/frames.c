/* frames.c - the messages of the world protocol, to bytes and back. */
#include "outside/frames.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char MAGIC[8] = {'F', 'O', 'R', 'A', 'Y', 'W', 'L', 'D'};

/* ------------------------------------------------------------------ headers */

void fy_frame_write(fy_writer *writer, fy_frame frame)
{
    const int32_t words[2] = {(int32_t)frame.length, (int32_t)frame.type};
    fy_write_i32s(writer, words, 2);
    fy_write_u64(writer, frame.sequence);
}

fy_frame fy_frame_read(const uint8_t *header)
{
    fy_reader reader = {.data = header, .size = FY_FRAME_HEADER};
    int32_t words[2];
    fy_read_i32s(&reader, words, 2);
    return (fy_frame){(uint32_t)words[0], (uint32_t)words[1], fy_read_u64(&reader)};
}

static const char *type_name(uint32_t type)
{
    static const char *const name[] = {
        [FY_FRAME_HELLO] = "HELLO", [FY_FRAME_SPEC] = "SPEC",     [FY_FRAME_RESET] = "RESET",
        [FY_FRAME_STEP] = "STEP",   [FY_FRAME_REWARD] = "REWARD", [FY_FRAME_GOODBYE] = "GOODBYE",
        [FY_FRAME_ERROR] = "ERROR",
    };
    return type < sizeof name / sizeof *name && name[type] ? name[type] : "unknown";
}

foray_status fy_frame_check(foray_context *say, const fy_frame *frame, fy_frame_type type,
                            uint64_t sequence, size_t min, size_t max)
{
    if (frame->type == FY_FRAME_ERROR && frame->length <= FY_FRAME_MAX)
        return FORAY_OK;
    if (frame->type != type)
        return fy_fail(say, FORAY_ERROR_WORLD,
                       "it answered a %s frame with one of type %u (%s): it does not speak the "
                       "world protocol, or something else writes to descriptor 4",
                       type_name(type), frame->type, type_name(frame->type));
    if (frame->sequence != sequence)
        return fy_fail(say, FORAY_ERROR_WORLD,
                       "its answer has sequence number %" PRIu64 ", but the question had %" PRIu64,
                       frame->sequence, sequence);
    if (frame->length < min || frame->length > max)
        return fy_fail(say, FORAY_ERROR_WORLD,
                       min == max
                           ? "its %s frame has a body of %u bytes, not the %zu that were asked for"
                           : "its %s frame has a body of %u bytes, but no less than %zu and no "
                             "more than %zu are allowed",
                       type_name(type), frame->length, min, max);
    return FORAY_OK;
}

/* -------------------------------------------------------------------- texts */

static bool is_control(uint8_t byte)
{
    return byte < 0x20 || byte == 0x7f;
}

void fy_error_read(const uint8_t *body, size_t size, char *text, size_t room)
{
    size_t used = size < room - 1 ? size : room - 1;
    for (size_t i = 0; i < used; i++)
        text[i] = (char)(is_control(body[i]) ? ' ' : body[i]);
    text[used] = 0;
}

/* -------------------------------------------------------------------- hello */

void fy_hello_write(fy_writer *writer)
{
    const int32_t words[2] = {FY_PROTOCOL, 0};
    fy_write_bytes(writer, MAGIC, sizeof MAGIC);
    fy_write_i32s(writer, words, 2);
}

foray_status fy_hello_read(foray_context *say, const char *who, const uint8_t *body, size_t size)
{
    fy_reader reader = {.data = body, .size = size};
    const void *magic = fy_read_bytes(&reader, sizeof MAGIC);
    int32_t words[2];
    fy_read_i32s(&reader, words, 2);
    if (reader.failed || reader.at != size || memcmp(magic, MAGIC, sizeof MAGIC) != 0)
        return fy_fail(say, FORAY_ERROR_WORLD, "its HELLO does not say FORAYWLD");
    if (words[0] == FY_PROTOCOL)
        return FORAY_OK;
    return fy_fail(say, FORAY_ERROR_WORLD,
                   "it speaks version %u of the world protocol, but %s speaks version %d",
                   (unsigned)words[0], who, FY_PROTOCOL);
}

/* --------------------------------------------------------------------- spec */

enum {
    WEIGHTS_KNOWN = 1,
    DIMENSIONS_NAMED = 2,
    ACTIONS_NAMED = 4,
    DETERMINISTIC = 8,
    SEQUENTIAL = 16,
    KNOWN_FLAGS = 2 * SEQUENTIAL - 1,
};

/* What a SPEC begins with. */
typedef struct spec_head {
    int64_t states, dimensions, actions, horizon, simulators, rewards;
    uint64_t flags;
} spec_head;

static foray_status read_head(foray_context *say, fy_reader *reader, spec_head *head)
{
    const char *wrong = NULL;
    int64_t *const numbers[] = {&head->states,  &head->dimensions, &head->actions,
                                &head->horizon, &head->simulators, &head->rewards};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = (int64_t)fy_read_u64(reader);
    head->flags = fy_read_u64(reader);
    int64_t left = (int64_t)(reader->size - reader->at);
    if (reader->failed)
        wrong = "it is cut short";
    else if (head->dimensions < 1 || head->dimensions > 64)
        wrong = "dimensions must be 1 to 64";
    else if (head->actions < 1 || head->actions > INT32_MAX)
        wrong = "actions must be 1 to 2147483647";
    else if (head->simulators < 0 || head->simulators > INT32_MAX)
        wrong = "simulators must be 0 to 2147483647";
    else if (head->flags & ~(uint64_t)KNOWN_FLAGS)
        wrong = "it has flags that the protocol does not know";
    else if ((head->flags & SEQUENTIAL) && head->simulators > 0)
        wrong = "a sequential program answers for reality alone, and can have no simulators";
    else if (head->rewards < 0 || head->rewards > left / 4 ||
             ((head->flags & ACTIONS_NAMED) && head->actions > left / 4) ||
             ((head->flags & WEIGHTS_KNOWN) && head->simulators > left / 8))
        wrong = "it announces more names or weights than it holds";
    if (wrong)
        return fy_fail(say, FORAY_ERROR_WORLD, "its SPEC cannot be used: %s", wrong);
    return FORAY_OK;
}

/* Cuts one name off; it fits with its final 0, since its length took four bytes. */
static const char *read_name(fy_reader *reader, char **text)
{
    int32_t length = 0;
    fy_read_i32s(reader, &length, 1);
    const uint8_t *from = length < 0 ? NULL : fy_read_bytes(reader, (size_t)length);
    char *name = *text;
    if (!from) {
        reader->failed = true;
        return name;
    }
    for (int32_t i = 0; i < length; i++) {
        reader->failed |= is_control(from[i]);
        name[i] = (char)from[i];
    }
    *text += length + 1;
    return name;
}

static const char **read_names(fy_reader *reader, char **text, const char ***name, int64_t count)
{
    const char **first = *name;
    for (int64_t i = 0; i < count && !reader->failed; i++)
        *(*name)++ = read_name(reader, text);
    return first;
}

static void read_numbers(fy_reader *reader, const spec_head *head, fy_frame_spec *out)
{
    double *low = out->number, *high = low + head->dimensions, *weight = high + head->dimensions;
    fy_read_doubles(reader, low, (size_t)head->dimensions);
    fy_read_doubles(reader, high, (size_t)head->dimensions);
    out->spec.low = low;
    out->spec.high = high;
    if (head->flags & WEIGHTS_KNOWN) {
        fy_read_doubles(reader, weight, (size_t)head->simulators);
        out->weight = weight;
    }
}

static foray_status read_texts(foray_context *say, fy_reader *reader, const spec_head *head,
                               fy_frame_spec *out)
{
    foray_system_spec *spec = &out->spec;
    char *text = out->text;
    const char **name = out->name;
    spec->name = read_name(reader, &text);
    if (head->flags & DIMENSIONS_NAMED)
        spec->dimension_name = read_names(reader, &text, &name, head->dimensions);
    if (head->flags & ACTIONS_NAMED)
        spec->action_name = read_names(reader, &text, &name, head->actions);
    spec->reward_name = read_names(reader, &text, &name, head->rewards);
    if (reader->failed)
        return fy_fail(say, FORAY_ERROR_WORLD,
                       "its SPEC cannot be used: a name runs past its end or has control "
                       "characters");
    if (reader->at != reader->size)
        return fy_fail(say, FORAY_ERROR_WORLD, "its SPEC cannot be used: %zu bytes too many",
                       reader->size - reader->at);
    return FORAY_OK;
}

static foray_status allocate_spec(foray_context *say, const spec_head *head, size_t size,
                                  fy_frame_spec *out)
{
    int64_t weights = head->flags & WEIGHTS_KNOWN ? head->simulators : 0;
    int64_t actions = head->flags & ACTIONS_NAMED ? head->actions : 0;
    if (FY_ALLOC(say, out->number, 2 * head->dimensions + weights) &&
        FY_ALLOC(say, out->name, head->dimensions + actions + head->rewards) &&
        FY_ALLOC(say, out->text, size + 1))
        return FORAY_OK;
    return FORAY_ERROR_MEMORY;
}

foray_status fy_frame_spec_read(foray_context *say, const uint8_t *body, size_t size,
                                fy_frame_spec *out)
{
    fy_reader reader = {.data = body, .size = size};
    spec_head head = {0};
    foray_status status = read_head(say, &reader, &head);
    if (status != FORAY_OK)
        return status;
    fy_frame_spec read = {.spec = {.size = sizeof read.spec,
                                   .states = head.states,
                                   .dimensions = head.dimensions,
                                   .actions = head.actions,
                                   .horizon = head.horizon,
                                   .simulators = head.simulators,
                                   .rewards = head.rewards},
                          .deterministic = (head.flags & DETERMINISTIC) != 0,
                          .sequential = (head.flags & SEQUENTIAL) != 0};
    status = allocate_spec(say, &head, size, &read);
    if (status == FORAY_OK) {
        read_numbers(&reader, &head, &read);
        status = read_texts(say, &reader, &head, &read);
    }
    if (status != FORAY_OK)
        fy_frame_spec_free(&read);
    else
        *out = read;
    return status;
}

static void write_names(fy_writer *writer, const char *const *name, int64_t count)
{
    for (int64_t i = 0; name && i < count; i++) {
        int32_t length = (int32_t)strlen(name[i]);
        fy_write_i32s(writer, &length, 1);
        fy_write_bytes(writer, name[i], (size_t)length);
    }
}

void fy_frame_spec_write(fy_writer *writer, const fy_frame_spec *told)
{
    const foray_system_spec *spec = &told->spec;
    const int64_t head[] = {spec->states,  spec->dimensions, spec->actions,
                            spec->horizon, spec->simulators, spec->rewards};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        fy_write_u64(writer, (uint64_t)head[i]);
    fy_write_u64(writer, (told->weight ? WEIGHTS_KNOWN : 0u) |
                             (spec->dimension_name ? DIMENSIONS_NAMED : 0u) |
                             (spec->action_name ? ACTIONS_NAMED : 0u) |
                             (told->deterministic ? DETERMINISTIC : 0u) |
                             (told->sequential ? SEQUENTIAL : 0u));
    fy_write_doubles(writer, spec->low, (size_t)spec->dimensions);
    fy_write_doubles(writer, spec->high, (size_t)spec->dimensions);
    if (told->weight)
        fy_write_doubles(writer, told->weight, (size_t)spec->simulators);
    write_names(writer, &spec->name, 1);
    write_names(writer, spec->dimension_name, spec->dimensions);
    write_names(writer, spec->action_name, spec->actions);
    write_names(writer, spec->reward_name, spec->rewards);
}

void fy_frame_spec_free(fy_frame_spec *spec)
{
    free(spec->number);
    free(spec->name);
    free(spec->text);
    *spec = (fy_frame_spec){0};
}

/* --------------------------------------------------------------------- step */

size_t fy_frame_step_size(int64_t count, int64_t dimensions)
{
    return (size_t)count * ((size_t)dimensions * sizeof(double) + 1);
}

foray_status fy_frame_step_read(foray_context *say, const uint8_t *body, size_t size, int64_t count,
                                int64_t dimensions, double *next, uint8_t *done, int64_t max)
{
    fy_reader reader = {.data = body, .size = size};
    fy_read_doubles(&reader, next, (size_t)(count * dimensions));
    const uint8_t *said = fy_read_bytes(&reader, (size_t)count);
    for (int64_t i = 0; i < count; i++) {
        uint8_t byte = said ? said[i] : 0; /* NULL: none are there, which the caller has seen */
        if (byte > 1)
            return fy_fail(say, FORAY_ERROR_WORLD,
                           "its STEP frame says done with %u, which is neither 0 nor 1", byte);
        if (i < max)
            done[i] = byte;
    }
    return FORAY_OK;
}
