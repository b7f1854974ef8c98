/* test_base.c - status texts, allocation, bytes, files, settings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/index.h"
#include "base/base.h"

static int set_up(void **state)
{
    *state = foray_context_create();
    return *state == NULL;
}

static int tear_down(void **state)
{
    foray_context_destroy(*state);
    return 0;
}

static void messages_name_place_and_cause(void **state)
{
    foray_context *ctx = *state;
    assert_string_equal(foray_message(ctx), "");
    assert_int_equal(fy_fail(ctx, FORAY_ERROR_INPUT, "action %d", 7), FORAY_ERROR_INPUT);
    fy_fail_within(ctx, FORAY_ERROR_INPUT, "%s", "reward.json");
    assert_string_equal(foray_message(ctx), "reward.json: action 7");
    assert_string_equal(foray_status_text(FORAY_ERROR_WORLD), "the world failed");
    assert_string_equal(foray_status_text((foray_status)99), "unknown status");
}

/* As few digits as it takes; every number reads back, the sign of 0 too. */
static void numbers_are_short_and_exact(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } known[] = {{0.1, "0.1"},
                 {1.0, "1"},
                 {-2.5, "-2.5"},
                 {1e300, "1e+300"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {-0.0, "-0.0"},
                 {INFINITY, "inf"},
                 {-INFINITY, "-inf"},
                 {NAN, ""}};
    char text[FY_NUMBER_BYTES];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_string_equal(fy_number_text(known[i].value, text), known[i].text);
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t bits = fy_random_bits(1, FY_STREAM_TEST, i, 0, 0);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            assert_true(strtod(fy_number_text(value, text), NULL) == value);
        assert_true(strlen(text) + 1 <= FY_NUMBER_BYTES);
    }
}

static void allocation_checks_its_product(void **state)
{
    foray_context *ctx = *state;
    assert_null(fy_alloc(ctx, SIZE_MAX / 4, 8));
    assert_null(fy_resize(ctx, NULL, SIZE_MAX / 2, 3));
    assert_non_null(strstr(foray_message(ctx), "out of memory"));
    int *number = fy_alloc(ctx, 0, 4);
    assert_non_null(number);
    free(number);
    ctx->allocations_left = 1;
    void *first = fy_alloc(ctx, 1, 1);
    assert_non_null(first);
    assert_null(fy_alloc(ctx, 1, 1));
    free(first);
}

static void bytes_come_back(void **state)
{
    fy_writer writer = {.ctx = *state};
    const double numbers[] = {0.1, -0.0, INFINITY, 1e-310};
    const int32_t indices[] = {-1, 7};
    fy_write_u64(&writer, 0x0102030405060708u);
    fy_write_doubles(&writer, numbers, 4);
    fy_write_i32s(&writer, indices, 2);
    assert_false(writer.failed);
    assert_int_equal(writer.data[0], 8); /* little-endian */
    fy_reader reader = {.data = writer.data, .size = writer.size};
    double numbers_back[4];
    int32_t indices_back[2];
    assert_true(fy_read_u64(&reader) == 0x0102030405060708u);
    fy_read_doubles(&reader, numbers_back, 4);
    fy_read_i32s(&reader, indices_back, 2);
    assert_memory_equal(numbers, numbers_back, sizeof numbers);
    assert_memory_equal(indices, indices_back, sizeof indices);
    assert_false(reader.failed);
    assert_true(fy_read_u64(&reader) == 0);
    assert_true(reader.failed);
    free(writer.data);
}

static void reading_too_much_fails(void **state)
{
    (void)state;
    fy_reader reader = {.data = (const uint8_t *)"12345678", .size = 8};
    double number;
    fy_read_doubles(&reader, &number, SIZE_MAX / 4);
    assert_true(reader.failed);
}

static void checksums_are_the_published_ones(void **state)
{
    (void)state;
    assert_int_equal(fy_crc32c(0, "123456789", 9), 0xe3069283);
    assert_int_equal(fy_crc32c(7, NULL, 0), 7);
    uint8_t zeros[32] = {0};
    assert_int_equal(fy_crc32c(0, zeros, 32), 0x8a9136aa);
    uint32_t parts = fy_crc32c(fy_crc32c(0, "1234", 4), "56789", 5);
    assert_int_equal(parts, 0xe3069283);
    assert_true(fy_hash("abcdefghi", 9, 0) != fy_hash("abcdefghj", 9, 0));
}

static void files_are_whole_or_absent(void **state)
{
    foray_context *ctx = *state;
    char path[] = "/tmp/foray-base-XXXXXX";
    close(mkstemp(path));
    assert_int_equal(fy_file_write(ctx, path, true, "hello", 5), FORAY_OK);
    uint8_t *data;
    size_t size;
    assert_int_equal(fy_file_read(ctx, path, 1 << 20, &data, &size), FORAY_OK);
    assert_int_equal(size, 5);
    assert_string_equal((char *)data, "hello");
    free(data);
    assert_int_equal(fy_file_read(ctx, path, 4, &data, &size), FORAY_ERROR_INPUT);
    assert_int_equal(fy_file_read(ctx, "/tmp", 4, &data, &size), FORAY_ERROR_IO);
    unlink(path);
    assert_int_equal(fy_file_read(ctx, path, 4, &data, &size), FORAY_ERROR_IO);
    assert_int_equal(fy_file_write(ctx, "/nowhere/at/all", true, "x", 1), FORAY_ERROR_IO);
    assert_non_null(strstr(foray_message(ctx), "/nowhere/at/all"));
    assert_int_equal(fy_file_write(ctx, "/dev/full", true, "x", 1), FORAY_ERROR_IO);
}

static void assert_content(foray_context *ctx, const char *path, const char *content)
{
    uint8_t *data;
    size_t size;
    assert_int_equal(fy_file_read(ctx, path, 1 << 20, &data, &size), FORAY_OK);
    assert_string_equal((char *)data, content);
    free(data);
}

/* Without leave to replace, what is there stays; a link is followed only with it. */
static void files_are_replaced_only_on_request(void **state)
{
    foray_context *ctx = *state;
    char directory[] = "/tmp/foray-base-XXXXXX", path[64], link[64];
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/file", directory);
    snprintf(link, sizeof link, "%s/link", directory);
    assert_int_equal(symlink("file", link), 0);
    assert_int_equal(fy_file_write(ctx, link, false, "no", 2), FORAY_ERROR_IO);
    assert_int_equal(fy_file_write(ctx, path, false, "one", 3), FORAY_OK);
    assert_int_equal(fy_file_write(ctx, path, false, "no", 2), FORAY_ERROR_IO);
    assert_non_null(strstr(foray_message(ctx), "already exists"));
    assert_int_equal(fy_file_write(ctx, link, false, "no", 2), FORAY_ERROR_IO);
    assert_content(ctx, path, "one");
    assert_int_equal(fy_file_write(ctx, link, true, "two", 3), FORAY_OK);
    assert_content(ctx, path, "two");
    struct stat about;
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    unlink(path);
    unlink(link);
    assert_int_equal(rmdir(directory), 0); /* nothing is left behind */
}

/* Many files are written as one is, but for the waiting; what cannot be made durable is told. */
static void many_files_are_made_durable_together(void **state)
{
    foray_context *ctx = *state;
    char directory[] = "/tmp/foray-base-XXXXXX", path[64];
    assert_non_null(mkdtemp(directory));
    for (int i = 0; i < 100; i++) {
        snprintf(path, sizeof path, "%s/%d", directory, i);
        assert_int_equal(fy_files_write(ctx, path, false, "one", 3), FORAY_OK);
        assert_int_equal(fy_files_write(ctx, path, false, "no", 2), FORAY_ERROR_IO);
    }
    assert_int_equal(fy_files_sync(ctx, directory), FORAY_OK);
    for (int i = 0; i < 100; i++) {
        snprintf(path, sizeof path, "%s/%d", directory, i);
        assert_content(ctx, path, "one");
        unlink(path);
    }
    assert_int_equal(rmdir(directory), 0);
    assert_int_equal(fy_files_sync(ctx, directory), FORAY_ERROR_IO);
}

/* A wish changes nothing that a program can see, whatever its size and wherever it starts. */
static void large_pages_hold_what_small_ones_do(void **state)
{
    enum { MAX = 9 << 20 };
    foray_context *ctx = *state;
    for (size_t bytes = 1; bytes <= MAX; bytes = 3 * bytes + 1) {
        unsigned char *memory;
        assert_true(FY_ALLOC(ctx, memory, bytes));
        fy_pages_widen(memory, bytes);
        for (size_t i = 0; i < bytes; i++)
            assert_true(memory[i] == 0 && (memory[i] = (unsigned char)i) == (unsigned char)i);
        free(memory);
    }
}

/* Squares, of which each hash has many; the index is made anew when it is full. */
static void an_index_finds_what_was_put(void **state)
{
    (void)state;
    enum { COUNT = 1000, HASHES = 7 };
    foray_context *ctx = foray_context_create();
    fy_index index = {0};
    assert_true(fy_index_at(&index, fy_index_start(3)) < 0);
    for (int64_t n = 0; n < COUNT; n++) {
        if (!fy_index_has_room(&index, n + 1)) {
            assert_true(fy_index_create(ctx, &index, 2 * n));
            for (int64_t i = 0; i < n; i++)
                fy_index_add(&index, (uint64_t)(i % HASHES) << 40, i);
        }
        uint64_t at = fy_index_start((uint64_t)(n % HASHES) << 40);
        int64_t met = 0;
        for (int64_t old; (old = fy_index_at(&index, at)) >= 0; at++)
            met += old % HASHES == n % HASHES;
        assert_int_equal(met, n / HASHES);
        fy_index_put(&index, at, n);
    }
    ctx->allocations_left = 0;
    assert_false(fy_index_create(ctx, &index, COUNT));
    assert_true(fy_index_has_room(&index, COUNT));
    ctx->allocations_left = -1;
    fy_index_free(&index);
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_index_finds_what_was_put),
        cmocka_unit_test_setup_teardown(messages_name_place_and_cause, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_files_are_made_durable_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(allocation_checks_its_product, set_up, tear_down),
        cmocka_unit_test_setup_teardown(large_pages_hold_what_small_ones_do, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bytes_come_back, set_up, tear_down),
        cmocka_unit_test(reading_too_much_fails),
        cmocka_unit_test(numbers_are_short_and_exact),
        cmocka_unit_test(checksums_are_the_published_ones),
        cmocka_unit_test_setup_teardown(files_are_whole_or_absent, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_are_replaced_only_on_request, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
