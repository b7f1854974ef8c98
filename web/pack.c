/* pack.c - runs while Foray is built: makes one page of the playground's template, scripts, style
 * and WebAssembly, and prints it as C.
 *
 *   pack TEMPLATE WASM       the page; "@FILE@" in the template stands for a file beside it, and
 *                            "@wasm@" for the module, compressed and as base64
 *   pack                     no page: the compiler of WebAssembly is missing */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct bytes {
    unsigned char *data;
    size_t size, room;
} bytes;

static void fail(const char *what, const char *name)
{
    fprintf(stderr, "pack: %s %s\n", what, name);
    exit(1);
}

static void add(bytes *to, const void *data, size_t size)
{
    if (to->room - to->size < size) {
        to->room = 2 * to->room + size;
        to->data = realloc(to->data, to->room);
        if (!to->data)
            fail("out of memory for", "the page");
    }
    if (size > 0)
        memcpy(to->data + to->size, data, size);
    to->size += size;
}

static bytes read_file(const char *name)
{
    unsigned char chunk[1 << 14];
    bytes file = {0};
    FILE *stream = fopen(name, "rb");
    if (!stream)
        fail("cannot read", name);
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, stream)) > 0;)
        add(&file, chunk, n);
    fclose(stream);
    return file;
}

/* As zlib writes it: "deflate" is what browsers call that. */
static bytes compress_all(const bytes *from)
{
    uLongf size = compressBound(from->size);
    bytes to = {malloc(size), 0, size};
    if (!to.data || compress2(to.data, &size, from->data, from->size, 9) != Z_OK)
        fail("cannot compress", "the module");
    to.size = size;
    return to;
}

static void add_base64(bytes *to, const bytes *from)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < from->size; i += 3) {
        size_t left = from->size - i;
        unsigned long word = (unsigned long)from->data[i] << 16;
        word |= left > 1 ? (unsigned long)from->data[i + 1] << 8 : 0;
        word |= left > 2 ? from->data[i + 2] : 0;
        const char four[] = {digit[word >> 18], digit[word >> 12 & 63],
                             left > 1 ? digit[word >> 6 & 63] : '=',
                             left > 2 ? digit[word & 63] : '='};
        add(to, four, sizeof four);
    }
}

static void add_wasm(bytes *page, const char *name)
{
    bytes module = read_file(name), packed = compress_all(&module);
    add_base64(page, &packed);
    free(module.data);
    free(packed.data);
}

/* A file in the directory of the template. */
static void add_beside(bytes *page, const char *template, const char *name, size_t length)
{
    const char *slash = strrchr(template, '/');
    char path[4096];
    snprintf(path, sizeof path, "%.*s%.*s", slash ? (int)(slash - template + 1) : 0, template,
             (int)length, name);
    bytes file = read_file(path);
    add(page, file.data, file.size);
    free(file.data);
}

static bytes make_page(const char *template, const char *wasm)
{
    bytes page = {0}, text = read_file(template);
    add(&text, "", 1);
    const char *from = (const char *)text.data;
    for (const char *at; (at = strchr(from, '@')); from = strchr(at + 1, '@') + 1) {
        const char *end = strchr(at + 1, '@');
        if (!end)
            fail("an @ without another in", template);
        size_t length = (size_t)(end - at - 1);
        add(&page, from, (size_t)(at - from));
        if (length == 4 && strncmp(at + 1, "wasm", 4) == 0)
            add_wasm(&page, wasm);
        else if (length == 3 && strncmp(at + 1, "run", 3) == 0)
            add(&page, "@run@", 5); /* what foray play replaces */
        else
            add_beside(&page, template, at + 1, length);
    }
    add(&page, from, strlen(from));
    free(text.data);
    return page;
}

int main(int argc, char **argv)
{
    bytes page = {0};
    if (argc != 1 && argc != 3)
        fail("usage:", "pack [TEMPLATE WASM]");
    if (argc == 3)
        page = make_page(argv[1], argv[2]);
    printf("#include <stddef.h>\n"
           "extern const char fy_playground[];\n"
           "extern const size_t fy_playground_size;\n"
           "const size_t fy_playground_size = %zu;\n"
           "const char fy_playground[] = {",
           page.size);
    for (size_t i = 0; i < page.size; i++)
        printf("%s%d,", i % 32 == 0 ? "\n" : "", (signed char)page.data[i]);
    printf("0};\n");
    free(page.data);
    return 0;
}
