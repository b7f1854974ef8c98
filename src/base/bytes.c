/* bytes.c - numbers to bytes and back, hashes and checksums. */
#include "base/base.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------- endianness */

/* Files are little-endian. On such machines arrays are copied as they are. */
static bool little_endian(void)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 1;
}

static void reverse_items(uint8_t *data, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++)
        for (size_t low = i * size, high = low + size - 1; low < high; low++, high--) {
            uint8_t byte = data[low];
            data[low] = data[high];
            data[high] = byte;
        }
}

/* ------------------------------------------------------------------ writing */

/* What is sent at a time. */
enum { PIECE = 1 << 18 };

void fy_writer_flush(fy_writer *writer)
{
    writer->crc = fy_crc32c(writer->crc, writer->data, writer->size);
    writer->send(writer->sink, writer->data, writer->size);
    writer->size = 0;
}

static uint8_t *grow(fy_writer *writer, size_t size)
{
    size_t needed;
    if (writer->send && writer->size >= PIECE)
        fy_writer_flush(writer);
    if (writer->failed || !fy_size_add(writer->size, size, &needed)) {
        writer->failed = true;
        return NULL;
    }
    if (needed > writer->capacity) {
        size_t capacity = needed < 1024 ? 1024 : needed + needed / 2;
        uint8_t *data = fy_resize(writer->ctx, writer->data, capacity, 1);
        if (!data) {
            writer->failed = true;
            return NULL;
        }
        writer->data = data;
        writer->capacity = capacity;
    }
    if (!writer->data) /* nothing was written, and nothing is */
        return NULL;
    uint8_t *at = writer->data + writer->size;
    writer->size = needed;
    return at;
}

void fy_write_bytes(fy_writer *writer, const void *data, size_t size)
{
    uint8_t *at = grow(writer, size);
    if (at && size > 0)
        memcpy(at, data, size);
}

/* Where there is room the text is formatted once, in place; else once more after growing. */
void fy_print(fy_writer *writer, const char *format, ...)
{
    size_t room = writer->failed ? 0 : writer->capacity - writer->size;
    va_list values;
    va_start(values, format);
    int length =
        fy_vformat(room ? (char *)writer->data + writer->size : NULL, room, format, values);
    va_end(values);
    if (length >= 0 && (size_t)length < room) {
        writer->size += (size_t)length;
        return;
    }
    writer->failed |= length < 0;
    char *at = (char *)grow(writer, (size_t)length + 1);
    if (!at)
        return;
    va_start(values, format);
    fy_vformat(at, (size_t)length + 1, format, values);
    va_end(values);
    writer->size--; /* the final 0 */
}

static void write_some(fy_writer *writer, const void *item, size_t count, size_t size)
{
    uint8_t *at = grow(writer, count * size);
    if (!at || count == 0)
        return;
    memcpy(at, item, count * size);
    if (!little_endian())
        reverse_items(at, count, size);
}

/* Large arrays never are in memory twice if they are sent. */
static void write_items(fy_writer *writer, const void *item, size_t count, size_t size)
{
    const uint8_t *at = item;
    for (size_t max = PIECE / size; writer->send && count > max; count -= max) {
        write_some(writer, at, max, size);
        at += max * size;
    }
    write_some(writer, at, count, size);
}

foray_status fy_writer_take(fy_writer *writer, const char *what, char **out, size_t *size)
{
    fy_write_bytes(writer, "", 1);
    if (writer->failed) {
        free(writer->data);
        return fy_fail(writer->ctx, FORAY_ERROR_MEMORY, "out of memory while writing %s", what);
    }
    *out = (char *)writer->data;
    if (size != NULL)
        *size = writer->size - 1;
    return FORAY_OK;
}

void fy_write_u64(fy_writer *writer, uint64_t value)
{
    write_items(writer, &value, 1, sizeof value);
}

void fy_write_double(fy_writer *writer, double value)
{
    write_items(writer, &value, 1, sizeof value);
}

void fy_write_u64s(fy_writer *writer, const uint64_t *value, size_t count)
{
    write_items(writer, value, count, sizeof *value);
}

void fy_write_i32s(fy_writer *writer, const int32_t *value, size_t count)
{
    write_items(writer, value, count, sizeof *value);
}

void fy_write_doubles(fy_writer *writer, const double *value, size_t count)
{
    write_items(writer, value, count, sizeof *value);
}

/* ------------------------------------------------------------------ reading */

const void *fy_read_bytes(fy_reader *reader, size_t size)
{
    if (reader->failed || reader->fetch || size > reader->size - reader->at) {
        reader->failed = true;
        return NULL;
    }
    const uint8_t *at = reader->data + reader->at;
    reader->at += size;
    return at;
}

bool fy_read_into(fy_reader *reader, void *to, size_t size)
{
    if (!reader->fetch) {
        const void *at = fy_read_bytes(reader, size);
        if (at && size > 0)
            memcpy(to, at, size);
        return at != NULL;
    }
    if (reader->failed || size > reader->size - reader->at ||
        (size > 0 && !reader->fetch(reader->source, reader->at, to, size))) {
        reader->failed = true;
        return false;
    }
    reader->at += size;
    return true;
}

static void read_items(fy_reader *reader, void *item, size_t count, size_t size)
{
    size_t bytes;
    if (!fy_size_mul(count, size, &bytes))
        reader->failed = true;
    else if (fy_read_into(reader, item, bytes) && count > 0 && !little_endian())
        reverse_items(item, count, size);
}

uint64_t fy_read_u64(fy_reader *reader)
{
    uint64_t value = 0;
    read_items(reader, &value, 1, sizeof value);
    return value;
}

double fy_read_double(fy_reader *reader)
{
    double value = 0;
    read_items(reader, &value, 1, sizeof value);
    return value;
}

void fy_read_u64s(fy_reader *reader, uint64_t *value, size_t count)
{
    read_items(reader, value, count, sizeof *value);
}

void fy_read_i32s(fy_reader *reader, int32_t *value, size_t count)
{
    read_items(reader, value, count, sizeof *value);
}

void fy_read_doubles(fy_reader *reader, double *value, size_t count)
{
    read_items(reader, value, count, sizeof *value);
}

/* ------------------------------------------------------- hashes, checksums */

uint64_t fy_hash(const void *data, size_t size, uint64_t seed)
{
    const uint64_t prime = 0x100000001b3u;
    uint64_t hash = 0xcbf29ce484222325u ^ seed;
    const uint8_t *at = data;
    for (; size >= 8; at += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = (hash ^ word) * prime;
        hash ^= hash >> 29;
    }
    for (; size > 0; at++, size--)
        hash = (hash ^ *at) * prime;
    return hash ^ hash >> 32;
}

/* table[k][b]: what byte b does to the checksum when k bytes follow it. Made again for
 * each call on much data, which costs microseconds: there are no globals to keep it in. */
typedef uint32_t crc_tables[8][256];

/* One byte by the reflected Castagnoli polynomial, four bits at a time. */
static uint32_t crc_byte(uint32_t crc, uint8_t byte)
{
    static const uint32_t table[16] = {
        0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
        0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
        0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
    };
    crc ^= byte;
    crc = crc >> 4 ^ table[crc & 15];
    return crc >> 4 ^ table[crc & 15];
}

static void make_crc_tables(crc_tables table)
{
    for (int byte = 0; byte < 256; byte++)
        table[0][byte] = crc_byte(0, (uint8_t)byte);
    for (int k = 1; k < 8; k++)
        for (uint32_t byte = 0; byte < 256; byte++)
            table[k][byte] = table[k - 1][byte] >> 8 ^ table[0][table[k - 1][byte] & 255];
}

/* Eight bytes at a time (Kounavis and Berry 2008); returns how many were done. */
static size_t crc_by_eight(uint32_t *crc, const uint8_t *data, size_t size)
{
    crc_tables table;
    make_crc_tables(table);
    size_t done = 0;
    for (; done + 8 <= size; done += 8) {
        const uint8_t *at = data + done;
        uint32_t next = 0;
        for (int k = 0; k < 4; k++)
            next ^= table[7 - k][at[k] ^ (*crc >> (8 * k) & 255)] ^ table[3 - k][at[4 + k]];
        *crc = next;
    }
    return done;
}

uint32_t fy_crc32c(uint32_t crc, const void *data, size_t size)
{
    const size_t much = 4096;
    if (size == 0) /* data may be NULL then */
        return crc;
    const uint8_t *at = data, *end = at + size;
    crc = ~crc;
    if (size >= much)
        at += crc_by_eight(&crc, at, size);
    for (; at < end; at++)
        crc = crc_byte(crc, *at);
    return ~crc;
}
