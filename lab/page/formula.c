/* formula.c - a reader of formulas in plain text, by recursive descent. */
#include "page/formula.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32, LONGEST_INLINE = 24 };

typedef struct reader {
    const char *at;
    int depth;
} reader;

static const struct {
    const char *name, *shown;
} letters[] = {
    {"eps", "ε"},    {"delta", "δ"}, {"theta", "θ"}, {"beta", "β"},
    {"lambda", "λ"}, {"Sigma", "Σ"}, {"sum", "∑"},   {"O~", "Õ"},
};

static void read_sum(reader *r, fy_writer *out);

static void skip(reader *r)
{
    while (*r->at == ' ')
        r->at++;
}

/* What is between "(" and ")", with or without them. */
static void read_group(reader *r, bool shown, fy_writer *out)
{
    r->at++;
    fy_print(out, shown ? "<mrow><mo>(</mo>" : "<mrow>");
    if (++r->depth < DEEPEST)
        read_sum(r, out);
    r->depth--;
    r->at += *r->at == ')';
    fy_print(out, shown ? "<mo>)</mo></mrow>" : "</mrow>");
}

/* Not isalpha, which asks the locale. */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void print_word(fy_writer *out, const char *kind, const char *word)
{
    fy_print(out, "<%s>", kind);
    fy_print_escaped(out, word);
    fy_print(out, "</%s>", kind);
}

static void read_name(reader *r, fy_writer *out)
{
    char name[32];
    size_t length = 1;
    while (is_letter(r->at[length]) || r->at[length] == '~' || r->at[length] == '*')
        length++;
    fy_format(name, sizeof name, "%.*s", (int)length, r->at);
    r->at += length;
    if (strcmp(name, "sqrt") == 0 && *r->at == '(') {
        fy_print(out, "<msqrt>");
        read_group(r, false, out);
        fy_print(out, "</msqrt>");
        return;
    }
    const char *shown = name;
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        shown = strcmp(name, letters[i].name) == 0 ? letters[i].shown : shown;
    print_word(out, strcmp(name, "sum") == 0 ? "mo" : "mi", shown);
}

/* A number, a name, a group, or any other character as an operator. */
static void read_atom(reader *r, bool shown, fy_writer *out)
{
    char word[32];
    if (!*r->at) /* nothing is left, or memory ran out in the middle of something */
        return;
    if (*r->at == '(') {
        read_group(r, shown, out);
    } else if (is_letter(*r->at)) {
        read_name(r, out);
    } else if (*r->at >= '0' && *r->at <= '9') {
        size_t length = strspn(r->at, "0123456789.,");
        fy_format(word, sizeof word, "%.*s", (int)length, r->at);
        r->at += length;
        print_word(out, "mn", word);
    } else {
        bool at_most = strncmp(r->at, "<=", 2) == 0;
        fy_format(word, sizeof word, "%s", at_most ? "≤" : *r->at == '-' ? "−" : "");
        if (!*word)
            fy_format(word, sizeof word, "%c", *r->at);
        r->at += at_most ? 2 : 1;
        print_word(out, "mo", word);
    }
}

/* An atom with what is raised or lowered: x^2, sum_h, B^-2. */
static void read_power(reader *r, bool shown, fy_writer *out)
{
    fy_writer base = {.ctx = out->ctx};
    reader start = *r;
    read_atom(r, true, &base);
    char sign = *r->at;
    bool raised = sign == '^' || sign == '_';
    if (!raised && !shown) { /* again, without parentheses */
        base.size = 0;
        *r = start;
        read_atom(r, false, &base);
    }
    if (raised)
        fy_print(out, sign == '^' ? "<msup>" : "<msub>");
    if (base.data && !base.failed)
        fy_write_bytes(out, base.data, base.size);
    out->failed |= base.failed;
    free(base.data);
    if (!raised)
        return;
    r->at++;
    fy_print(out, "<mrow>");
    if (*r->at == '-')
        read_atom(r, false, out);
    if (*r->at)
        read_atom(r, false, out);
    fy_print(out, sign == '^' ? "</mrow></msup>" : "</mrow></msub>");
}

/* a/b */
static void read_fraction(reader *r, fy_writer *out)
{
    fy_writer above = {.ctx = out->ctx};
    reader look = *r;
    read_power(&look, true, &above);
    skip(&look);
    bool divided = *look.at == '/' && look.at[1];
    above.size = 0;
    read_power(r, !divided, &above);
    if (divided)
        fy_print(out, "<mfrac>");
    if (above.data && !above.failed)
        fy_write_bytes(out, above.data, above.size);
    out->failed |= above.failed;
    free(above.data);
    if (!divided)
        return;
    skip(r);
    r->at += *r->at == '/';
    skip(r);
    read_power(r, false, out);
    fy_print(out, "</mfrac>");
}

static void read_sum(reader *r, fy_writer *out)
{
    for (skip(r); *r->at && *r->at != ')' && !out->failed; skip(r))
        read_fraction(r, out);
}

void fy_formula_print(fy_writer *text, const char *formula)
{
    reader r = {.at = formula};
    fy_print(text, "<math><mrow>");
    while (*r.at && !text->failed) {
        read_sum(&r, text);
        if (*r.at == ')') { /* one too many */
            print_word(text, "mo", ")");
            r.at++;
        }
    }
    fy_print(text, "</mrow></math>");
}

void fy_formula_prose(fy_writer *text, const char *prose, const char *const *formula)
{
    while (*prose && !text->failed) {
        const char *next = NULL, *its = NULL;
        for (int i = 0; formula && formula[i]; i++) {
            const char *found = strstr(prose, formula[i]);
            bool longer = found == next && its && strlen(formula[i]) > strlen(its);
            if (found && (!next || found < next || longer)) {
                next = found;
                its = formula[i];
            }
        }
        size_t plain = next ? (size_t)(next - prose) : strlen(prose);
        char *before = fy_alloc(text->ctx, plain + 1, 1);
        text->failed |= !before;
        if (before) {
            fy_format(before, plain + 1, "%.*s", (int)plain, prose);
            fy_print_escaped(text, before);
        }
        free(before);
        if (its) { /* where it is wider than the screen, it scrolls; a long one has its own line */
            fy_print(text, "<span class=\"formula%s\" tabindex=\"0\">",
                     strlen(its) > LONGEST_INLINE ? " display" : "");
            fy_formula_print(text, its);
            prose += plain + strlen(its);
            bool pause = *prose == ',' || *prose == '.'; /* not at the beginning of a line */
            fy_print(text, "%.*s</span>", pause ? 1 : 0, prose);
            prose += pause;
        } else {
            prose += plain;
        }
    }
}
