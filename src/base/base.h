/* base.h - what every piece of the library leans on: error reporting, checked
 * allocation, byte buffers. Internal symbols carry the prefix fy_. */
#ifndef FY_BASE_H
#define FY_BASE_H

#include <stdarg.h>
#include <stdio.h>

#include "foray/foray.h"

/* How far long work is, for whoever shows it while it goes on: `done` of `of` parts, and of the
 * part under way so many of its steps. of = 0: not known. */
typedef struct fy_progress {
    const char *what; /* "certificates"; NULL: nothing is under way that says so */
    int64_t done, of, step, steps;
} fy_progress;

typedef struct fy_team fy_team;

struct foray_context {
    char message[1024];
    int threads;
    int level; /* of the processor; see level.h */
    /* For tests: allocations left before one is made to fail; negative: never. */
    int64_t allocations_left;
    /* How many allocations were asked for with this context. */
    int64_t allocations;
    /* Asked now and then by what may take long; once it says yes, `stopped` stays. */
    bool (*stop)(void *user);
    void *stop_user;
    bool stopped;
    fy_progress progress;
    fy_team *team; /* see threads.h; NULL: no work was shared yet */
    bool sharing;
};

/* Should what is under way end? Any thread may ask, in the middle of a long loop; what it computes
 * is then of no use, and whoever called it says FORAY_INTERRUPTED. */
static inline bool fy_stopped(foray_context *ctx)
{
    if (!ctx->stop)
        return false;
    bool stopped = __atomic_load_n(&ctx->stopped, __ATOMIC_RELAXED);
    if (!stopped && ctx->stop(ctx->stop_user)) {
        stopped = true;
        __atomic_store_n(&ctx->stopped, true, __ATOMIC_RELAXED);
    }
    return stopped;
}

/* What is under way, said by the thread that does it; any thread may look, and what it sees may be
 * of two moments. */
static inline void fy_progress_part(foray_context *ctx, const char *what, int64_t done, int64_t of)
{
    __atomic_store_n(&ctx->progress.what, what, __ATOMIC_RELAXED);
    __atomic_store_n(&ctx->progress.done, done, __ATOMIC_RELAXED);
    __atomic_store_n(&ctx->progress.of, of, __ATOMIC_RELAXED);
    __atomic_store_n(&ctx->progress.step, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&ctx->progress.steps, 0, __ATOMIC_RELAXED);
}

static inline fy_progress fy_progress_now(const foray_context *ctx)
{
    const fy_progress *now = &ctx->progress;
    return (fy_progress){__atomic_load_n(&now->what, __ATOMIC_RELAXED),
                         __atomic_load_n(&now->done, __ATOMIC_RELAXED),
                         __atomic_load_n(&now->of, __ATOMIC_RELAXED),
                         __atomic_load_n(&now->step, __ATOMIC_RELAXED),
                         __atomic_load_n(&now->steps, __ATOMIC_RELAXED)};
}

static inline void fy_progress_step(foray_context *ctx, int64_t step, int64_t steps)
{
    __atomic_store_n(&ctx->progress.step, step, __ATOMIC_RELAXED);
    __atomic_store_n(&ctx->progress.steps, steps, __ATOMIC_RELAXED);
}

/* Was something ended so? */
static inline bool fy_was_stopped(const foray_context *ctx)
{
    return __atomic_load_n(&ctx->stopped, __ATOMIC_RELAXED);
}

/* Text as fy_format and fy_vformat have it, whatever the locale: where "1,5" is written for 1.5, it
 * is "1.5" here. Nothing else in the libraries may print a number. */
int fy_format(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int fy_vformat(char *text, size_t size, const char *format, va_list values)
    __attribute__((format(printf, 3, 0)));

/* What comes of a world or a system that did not answer: it failed, unless it was told to stop. */
static inline foray_status fy_status_of_world(foray_status status)
{
    return status == FORAY_INTERRUPTED ? FORAY_INTERRUPTED : FORAY_ERROR_WORLD;
}

/* Records a message, or puts "where: " in front of the one recorded last. */
void fy_message_set(foray_context *ctx, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void fy_message_set_within(foray_context *ctx, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline foray_status fy_status(foray_status status)
{
    return status;
}

/* The same, with `status` as the value, so that callers write
 *     return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: ...", path);
 * Macros, so that whoever analyses the caller sees which status comes back. */
#define fy_fail(ctx, status, ...) (fy_message_set((ctx), __VA_ARGS__), fy_status(status))
#define fy_fail_within(ctx, status, ...)                                                           \
    (fy_message_set_within((ctx), __VA_ARGS__), fy_status(status))

/* Zeroed memory for `count` items of `size` bytes, released with free(). NULL,
 * with the message recorded, if the product overflows or memory is exhausted.
 * A count of 0 gives memory of one byte, never NULL. */
void *fy_alloc(foray_context *ctx, size_t count, size_t size);

/* The same, for memory that must grow; the old content stays, the rest is not zeroed. */
void *fy_resize(foray_context *ctx, void *memory, size_t count, size_t size);

/* An array with room for `wanted` items, `*room` of them so far, that grows as it fills: at
 * least doubled where it is too small, so that adding stays cheap. NULL, and everything is as
 * it was, if memory is exhausted. */
void *fy_grow(foray_context *ctx, void *array, int64_t *room, int64_t wanted, size_t size);

/* Zeroed memory that goes back to the system when it is released, with the size it was asked for:
 * for what is large and given up piece by piece. NULL, with the message recorded. */
void *fy_pages_get(foray_context *ctx, size_t bytes);
void fy_pages_release(void *pages, size_t bytes);

/* Asks the system for large pages behind memory that is not written yet and will be used all over
 * the place. A wish: nothing else depends on it. */
void fy_pages_widen(void *memory, size_t bytes);

/* Bytes that may still be taken: of what the machine has, a group of processes may have, and a
 * limit of this process allows. INFINITY: nobody says. */
double fy_memory_left(void);
/* Before something large is made: FORAY_ERROR_MEMORY where the least that `what` takes is more than
 * that, with what would help. */
foray_status fy_memory_need(foray_context *ctx, double bytes, const char *what, const char *help);

/* A copy of a text. */
char *fy_text(foray_context *ctx, const char *text);

/* a*b and a+b for sizes: false on overflow. */
bool fy_size_mul(size_t a, size_t b, size_t *out);
bool fy_size_add(size_t a, size_t b, size_t *out);

/* For a chain of allocations in a create function:
 *     if (!FY_ALLOC(ctx, thing->array, count)) goto fail;   */
#define FY_ALLOC(ctx, pointer, count)                                                              \
    (((pointer) = fy_alloc((ctx), (size_t)(count), sizeof *(pointer))) != NULL)

/* The memory of one object, released at once. A public object has an arena; what is created as a
 * part of it is given that arena, and needs no destroying of its own. A function that needs memory
 * for a while has an arena on its stack and releases it where it ends. Every block is an allocation
 * of its own, so that sanitizers see its ends. */
typedef struct fy_arena_block fy_arena_block;
typedef struct fy_arena {
    foray_context *ctx;
    fy_arena_block *first; /* which points back here: the arena must stay where it is */
} fy_arena;

/* As fy_alloc, fy_resize, fy_grow and fy_text, but released with the arena. */
void *fy_arena_alloc(fy_arena *arena, size_t count, size_t size);
void *fy_arena_resize(fy_arena *arena, void *memory, size_t count, size_t size);
void *fy_arena_grow(fy_arena *arena, void *array, int64_t *room, int64_t wanted, size_t size);
char *fy_arena_text(fy_arena *arena, const char *text);
/* Memory of some arena, released early, or from now on memory of another one; NULL is none. */
void fy_arena_free(void *memory);
void fy_arena_move(fy_arena *to, void *memory);
/* Releases every block; the arena is then empty, and may be used again. */
void fy_arena_release(fy_arena *arena);

/* For a chain of allocations, as FY_ALLOC. */
#define FY_NEW(arena, pointer, count)                                                              \
    (((pointer) = fy_arena_alloc((arena), (size_t)(count), sizeof *(pointer))) != NULL)

/* The number of rows of a table. */
#define FY_COUNT(table) ((int64_t)(sizeof(table) / sizeof *(table)))

/* Seconds on a clock that never goes back. */
double fy_clock(void);

/* ------------------------------------------------------------- byte buffers */

/* A growing buffer for writing checkpoints and files. After a failure it stays
 * failed, so that a chain of writes is checked once at its end. Numbers are
 * little-endian whatever the machine. */
typedef struct fy_writer {
    foray_context *ctx;
    uint8_t *data;
    size_t size, capacity;
    bool failed;
    /* Or NULL; if given, it takes what was written in pieces, and data is the rest. */
    void (*send)(void *sink, const void *data, size_t size);
    void *sink;
    uint32_t crc; /* CRC-32C of the pieces that were sent */
} fy_writer;

/* Sends the rest. */
void fy_writer_flush(fy_writer *writer);

/* What was written, to be released with free(), with a final 0 that *size (may be NULL) does not
 * count. FORAY_ERROR_MEMORY, and nothing is left, if something failed: "out of memory while
 * writing `what`". */
foray_status fy_writer_take(fy_writer *writer, const char *what, char **out, size_t *size);

void fy_write_bytes(fy_writer *writer, const void *data, size_t size);
/* Text as printf has it, of any length; its final 0 is not written. */
void fy_print(fy_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Is there something in it that cannot be seen, or is no character? */
bool fy_has_hidden(const char *text);
/* Text that somebody else wrote, to be read by people: what is hidden comes out as \x1b, \u202e. */
void fy_print_shown(fy_writer *writer, const char *text);
/* Its first character so; how many bytes that has. */
int fy_print_shown_character(fy_writer *writer, const char *text);
void fy_write_u64(fy_writer *writer, uint64_t value);
void fy_write_double(fy_writer *writer, double value);
void fy_write_u64s(fy_writer *writer, const uint64_t *value, size_t count);
void fy_write_i32s(fy_writer *writer, const int32_t *value, size_t count);
void fy_write_doubles(fy_writer *writer, const double *value, size_t count);

/* Reads what a writer wrote. Reading past the end sets `failed` and gives 0. */
typedef struct fy_reader {
    const uint8_t *data;
    /* Or NULL; if given, it copies bytes from a place on as they are needed, and data is NULL.
     * False: they could not be read. */
    bool (*fetch)(void *source, size_t at, void *to, size_t size);
    void *source;
    size_t size, at;
    bool failed;
} fy_reader;

const void *fy_read_bytes(fy_reader *reader, size_t size);   /* in memory; NULL past the end */
bool fy_read_into(fy_reader *reader, void *to, size_t size); /* false past the end */
uint64_t fy_read_u64(fy_reader *reader);
double fy_read_double(fy_reader *reader);
void fy_read_u64s(fy_reader *reader, uint64_t *value, size_t count);
void fy_read_i32s(fy_reader *reader, int32_t *value, size_t count);
void fy_read_doubles(fy_reader *reader, double *value, size_t count);

/* 64-bit FNV-1a over 8-byte words: tells equal content fast, not securely. */
uint64_t fy_hash(const void *data, size_t size, uint64_t seed);

/* CRC-32C of data, for finding damage. Start with crc = 0. */
uint32_t fy_crc32c(uint32_t crc, const void *data, size_t size);

/* Reads a whole file of at most `limit` bytes; *data gets one extra zero byte. */
foray_status fy_file_read(foray_context *ctx, const char *path, size_t limit, uint8_t **data,
                          size_t *size);
/* How many bytes of a mark of its encoding a text begins with (UTF-8, as some programs write it: 3;
 * else 0). FORAY_ERROR_INPUT for UTF-16. */
foray_status fy_text_mark(foray_context *ctx, const char *where, const void *text, size_t size,
                          size_t *mark);
/* What begins like this: "a run", "a model", "a reward", "a policy", "a page"; NULL: anything. */
const char *fy_kind_of(const void *data, size_t size);
/* FORAY_ERROR_INPUT if the file is known to be something else than `expected`, one of the above or
 * what messages call it. Files that cannot be read are left to who reads them. */
foray_status fy_file_expect(foray_context *ctx, const char *path, const char *expected);
/* The name that `path` leads to, through any number of symbolic links; there need not be a
 * file. Released with free(). */
foray_status fy_file_target(foray_context *ctx, const char *path, char **out);
/* A new empty file "PATH.123456" beside `path`, with a name that nothing had, be it a link. Into
 * `name` goes which; returns a descriptor for writing, or -1 with errno. */
int fy_file_create_beside(const char *path, char *name, size_t size);
enum { FY_BESIDE = sizeof ".123456" }; /* what the name needs more than `path` */
/* Gives the finished file `from` the name `to`, durably. Without `replace` an existing file is
 * refused, whoever made it and however late. */
foray_status fy_file_place(foray_context *ctx, const char *from, const char *to, bool replace);

/* The character that a text in UTF-8 begins with, and how many bytes it has; -1, and 1 byte, where
 * the text is not UTF-8. */
int32_t fy_character(const char *text, int *size);
/* Is a character obeyed instead of shown? So are controls, those of U+0080 to U+009F too, and what
 * moves, turns or hides the text around it: marks and overrides of writing direction, separators of
 * lines, joiners, tags. A name may have them; wherever Foray shows one or writes it to JSON or C,
 * they are escaped. */
bool fy_character_hidden(int32_t code);

/* A number as the shortest text of 15 to 17 digits that reads back as the same number, as in
 * all files: with a decimal point in every locale; "inf", "-inf", and "" for NaN. Returns text. */
enum { FY_NUMBER_BYTES = 32 };
const char *fy_number_text(double value, char text[FY_NUMBER_BYTES]);

/* Reads `length` characters as a number: 0.25, -1e-3, 200_000, inf; correctly rounded, and with a
 * decimal point in every locale. False: they are not a number, or too large for a double. */
bool fy_number_read(const char *text, size_t length, double *out);
/* The same for integers, which may be written 1e5 or 200_000. */
bool fy_integer_read(const char *text, size_t length, int64_t *out);

/* ------------------------------------------------------------------- files */

/* Writes a file completely or not at all: under another name next to it, made durable, then
 * renamed. With replace = false an existing file, however late it appeared, or a link, is refused
 * (FORAY_ERROR_IO); otherwise it is replaced, or the file that the link leads to. Devices and pipes
 * are written to. */
foray_status fy_file_write(foray_context *ctx, const char *path, bool replace, const void *data,
                           size_t size);
/* The same piece by piece. Errors stick: fy_file_finish reports the first, or gives the complete
 * file its name; fy_file_abandon, or the end of the process, leaves nothing behind. Both release
 * the fy_file. */
typedef struct fy_file fy_file;
foray_status fy_file_create(foray_context *ctx, const char *path, bool replace, fy_file **out);
void fy_file_add(fy_file *file, const void *data, size_t size);
foray_status fy_file_finish(fy_file *file);
void fy_file_abandon(fy_file *file);
/* The same for many files of one directory: each is complete or absent, and all of them are durable
 * once fy_files_sync has returned FORAY_OK. It waits for the disk once, not twice for every
 * file. */
foray_status fy_files_write(foray_context *ctx, const char *path, bool replace, const void *data,
                            size_t size);
foray_status fy_files_sync(foray_context *ctx, const char *directory);

/* ----------------------------------------------------------- random numbers */

/* Philox4x32-10 (Salmon et al. 2011): four words from a counter and a key. */
void fy_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* Independent streams of one seed. */
enum {
    FY_STREAM_WORLD,
    FY_STREAM_EXPLORER,
    FY_STREAM_TEST,
    FY_STREAM_MODEL,
    FY_STREAM_REWARD,
    FY_STREAM_BOOTSTRAP,
    FY_STREAM_OUTSIDE,
    FY_STREAM_SYSTEM,
    FY_STREAM_POLICY,
};

/* 64 random bits that belong to (seed, stream, episode, step, index). */
uint64_t fy_random_bits(uint64_t seed, uint32_t stream, uint64_t episode, uint32_t step,
                        uint32_t index);

/* The upper 53 of 64 random bits as a number in [0,1). */
static inline double fy_unit(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

#endif
