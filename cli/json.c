/* json.c - JSON as jansson would print it, but for numbers: each in as few digits as it takes. */
#include "output.h"

static void print_value(const json_t *value, int depth);

static void begin_line(bool first, int depth)
{
    printf("%s\n%*s", first ? "" : ",", 2 * depth, "");
}

static void print_object(const json_t *object, int depth)
{
    const char *key;
    json_t *value;
    bool first = true;
    json_object_foreach((json_t *)object, key, value)
    {
        json_t *name = json_string(key);
        begin_line(first, depth);
        json_dumpf(name, stdout, JSON_ENCODE_ANY);
        printf(": ");
        print_value(value, depth);
        json_decref(name);
        first = false;
    }
}

static void print_array(const json_t *array, int depth)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        begin_line(i == 0, depth);
        print_value(json_array_get(array, i), depth);
    }
}

/* Numbers are written as Foray writes them everywhere; the rest is jansson's. */
static void print_scalar(const json_t *value)
{
    if (json_is_real(value)) {
        char number[FORAY_NUMBER_SIZE];
        printf("%s", foray_shortest(json_real_value(value), number));
    } else
        json_dumpf(value, stdout, JSON_ENCODE_ANY);
}

static void print_value(const json_t *value, int depth)
{
    bool object = json_is_object(value), array = json_is_array(value);
    bool empty = object ? json_object_size(value) == 0 : json_array_size(value) == 0;
    if (!object && !array) {
        print_scalar(value);
        return;
    }
    printf("%s", object ? "{" : "[");
    if (object)
        print_object(value, depth + 1);
    else
        print_array(value, depth + 1);
    if (!empty)
        begin_line(true, depth);
    printf("%s", object ? "}" : "]");
}

void cli_json_print(const json_t *value)
{
    print_value(value, 0);
    printf("\n");
}
