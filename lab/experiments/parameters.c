/* parameters.c - the values of parameters, from their texts. */
#include "experiments/lab.h"

#include <stdlib.h>
#include <string.h>

/* Specs of worlds hold commas, so blanks part them. */
static const char *separators(const foray_lab_parameter *parameter)
{
    return !parameter->list ? "" : parameter->is.kind == FORAY_WORLD ? " " : ",";
}

static bool is_algorithm(const char *word)
{
    const char *name;
    for (int64_t i = 0; foray_algorithm_describe(i, &name, NULL); i++)
        if (strcmp(name, word) == 0)
            return true;
    return false;
}

static void free_value(fy_lab_value *value)
{
    free(value->text);
    free(value->number);
    free(value->word);
    free(value->pieces);
    *value = (fy_lab_value){0};
}

void fy_lab_values_free(fy_lab *lab)
{
    for (int i = 0; i < FY_LAB_PARAMETERS; i++)
        free_value(&lab->value[i]);
}

/* One value of the list. Worlds are looked up when they are opened. */
static foray_status add_piece(const fy_lab *lab, const foray_lab_parameter *parameter, char *piece,
                              fy_lab_value *value)
{
    foray_parameter_value read;
    foray_status status = foray_parameter_read(lab->ctx, &parameter->is, piece, &read);
    if (status == FORAY_OK && parameter->is.kind == FORAY_ALGORITHM && !is_algorithm(piece))
        status = fy_fail(lab->ctx, FORAY_ERROR_USAGE, "there is no algorithm \"%s\"", piece);
    if (status != FORAY_OK)
        return fy_fail_within(lab->ctx, status, "%s", lab->experiment->name);
    if (value->number)
        value->number[value->count] = read.real;
    else
        value->word[value->count] = piece;
    value->count++;
    return FORAY_OK;
}

/* The same twice would be two cells of one name. */
static foray_status check_differ(const fy_lab *lab, const foray_lab_parameter *parameter,
                                 const fy_lab_value *value)
{
    for (int64_t i = 0; i < value->count; i++)
        for (int64_t j = 0; j < i; j++)
            if (value->number ? value->number[i] == value->number[j]
                              : strcmp(value->word[i], value->word[j]) == 0)
                return fy_fail(lab->ctx, FORAY_ERROR_USAGE, "%s: %s \"%s\" has a value twice",
                               lab->experiment->name, parameter->is.name, value->text);
    return FORAY_OK;
}

static foray_status read_value(const fy_lab *lab, const foray_lab_parameter *parameter,
                               const char *text, fy_lab_value *value)
{
    size_t max = strlen(text) + 1;
    bool numbers = parameter->is.kind == FORAY_INTEGER || parameter->is.kind == FORAY_REAL;
    if (!(value->text = fy_text(lab->ctx, text)) || !(value->pieces = fy_text(lab->ctx, text)) ||
        (numbers && !FY_ALLOC(lab->ctx, value->number, max)) ||
        (!numbers && !FY_ALLOC(lab->ctx, value->word, max)))
        return FORAY_ERROR_MEMORY;
    foray_status status = FORAY_OK;
    for (char *piece = value->pieces, *next; piece && status == FORAY_OK; piece = next) {
        next = piece + strcspn(piece, separators(parameter));
        next = *next ? next : NULL;
        if (next)
            *next++ = 0;
        status = add_piece(lab, parameter, piece, value);
    }
    return status == FORAY_OK ? check_differ(lab, parameter, value) : status;
}

foray_status fy_lab_set(fy_lab *lab, int64_t parameter, const char *text)
{
    fy_lab_value value = {0};
    foray_status status = read_value(lab, &lab->experiment->parameter[parameter], text, &value);
    if (status != FORAY_OK) {
        free_value(&value);
        return status;
    }
    free_value(&lab->value[parameter]);
    lab->value[parameter] = value;
    return FORAY_OK;
}
