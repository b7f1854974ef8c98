/* Numbers: whatever fy_number_read accepts, strtod reads as the same double, bit for bit, once
 * the '_' between digits are taken out; and of what only strtod reads to its end (blanks in
 * front, hexadecimal, nan, "infinity", too large for a double) nothing is a number here. */
#include "fuzz.h"
#include "base/parameter.h"
#include "base/base.h"

#include <math.h>

/* The text without '_'. */
static char *without_underscores(const char *text, size_t size)
{
    char *plain = malloc(size + 1), *end = plain;
    assert(plain != NULL);
    for (size_t i = 0; i < size; i++)
        if (text[i] != '_')
            *end++ = text[i];
    *end = '\0';
    return plain;
}

/* One of the few texts that only strtod takes for a number. */
static bool foreign(const char *text)
{
    return strpbrk(text, " \t\n\v\f\rxXnNpPyY(") != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    if (memchr(text, '\0', size) != NULL)
        return 0;
    double found = 0;
    bool accepted = fy_number_read(text, size, &found), underscores = memchr(text, '_', size);
    char *plain = without_underscores(text, size), *end;
    double expected = strtod(plain, &end);
    bool whole = end != plain && *end == '\0';
    if (accepted)
        assert(whole && memcmp(&found, &expected, sizeof found) == 0);
    else if (!underscores)
        assert(!whole || foreign(plain) || isinf(expected));
    free(plain);
    return 0;
}
