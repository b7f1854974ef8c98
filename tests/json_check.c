/* json_check.c - for the scripts that test the command: is standard input exactly
 * one JSON object? With a path such as bound.gap or plans.0.reward, prints that value. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const json_t *descend(const json_t *value, char *path)
{
    for (char *key = strtok(path, "."); key && value; key = strtok(NULL, "."))
        value = json_is_array(value) ? json_array_get(value, (size_t)strtoull(key, NULL, 10))
                                     : json_object_get(value, key);
    return value;
}

int main(int argc, char **argv)
{
    json_error_t error;
    json_t *root = json_loadf(stdin, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(root)) {
        fprintf(stderr, "not a JSON object: line %d: %s\n", error.line, error.text);
        return 1;
    }
    const json_t *value = argc > 1 ? descend(root, argv[1]) : NULL;
    if (value)
        json_dumpf(value, stdout, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17) | JSON_COMPACT);
    json_decref(root);
    return argc > 1 && !value;
}
