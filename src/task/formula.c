/* formula.c - see formula.h: nodes, each once; the grammar.
 *
 *   formula -> or ("->" formula)?            or -> and ("|" and)*        and -> until ("&" until)*
 *   until   -> unary (("U"|"R"|"W") until)?
 *   unary   -> ("!"|"X"|"N"|"F"|"G"|"F<=k"|"G<=k") unary | "(" formula ")" | atom | "true" |
 * "false" atom    -> a word | "..." | a number */
#include "task/formula.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------- nodes */

static uint64_t hash_node(const fy_node *node)
{
    const int32_t what[] = {(int32_t)node->kind, node->left, node->right, node->k};
    return fy_hash(what, sizeof what, 0);
}

static bool same_node(const fy_node *a, const fy_node *b)
{
    return a->kind == b->kind && a->left == b->left && a->right == b->right && a->k == b->k;
}

static bool make_room_for_node(fy_formula *formula)
{
    int64_t wanted = formula->nodes + 1;
    fy_node *node =
        fy_arena_grow(&formula->arena, formula->node, &formula->node_room, wanted, sizeof *node);
    formula->node = node ? node : formula->node;
    int32_t *dual =
        fy_arena_grow(&formula->arena, formula->dual, &formula->dual_room, wanted, sizeof *dual);
    formula->dual = dual ? dual : formula->dual;
    if (!node || !dual)
        return false;
    if (fy_index_has_room(&formula->index, wanted))
        return true;
    if (!fy_index_create(formula->arena.ctx, &formula->index, 2 * wanted))
        return false;
    for (int64_t i = 0; i < formula->nodes; i++)
        fy_index_add(&formula->index, hash_node(&formula->node[i]), i);
    return true;
}

static int32_t find_or_add(fy_formula *formula, fy_node wanted)
{
    if (!make_room_for_node(formula))
        return -1;
    uint64_t at = fy_index_start(hash_node(&wanted));
    for (int64_t old; (old = fy_index_at(&formula->index, at)) >= 0; at++)
        if (same_node(&formula->node[old], &wanted))
            return (int32_t)old;
    if (formula->nodes == formula->max_nodes) {
        fy_message_set(formula->arena.ctx, "more than %" PRId64 " operators and atoms",
                       formula->max_nodes);
        return -1;
    }
    fy_index_put(&formula->index, at, formula->nodes);
    formula->node[formula->nodes] = wanted;
    formula->dual[formula->nodes] = -1;
    return (int32_t)formula->nodes++;
}

/* false & f, true | f, f & f; X false, N true, F false, G true. -1: nothing is simpler. */
static int32_t simpler(fy_operator kind, int32_t left, int32_t right)
{
    enum { TRUE_NODE, FALSE_NODE }; /* the first two; see fy_formula_parse */
    int32_t neutral = kind == FY_AND ? TRUE_NODE : FALSE_NODE;
    int32_t dominant = kind == FY_AND ? FALSE_NODE : TRUE_NODE;
    switch (kind) {
    case FY_AND:
    case FY_OR:
        if (left == right || left == dominant || right == neutral)
            return left;
        return left == neutral || right == dominant ? right : -1;
    case FY_NEXT:
    case FY_FINALLY:
        return left == FALSE_NODE ? left : -1;
    case FY_WEAK_NEXT:
    case FY_GLOBALLY:
        return left == TRUE_NODE ? left : -1;
    default:
        return -1;
    }
}

int32_t fy_formula_node(fy_formula *formula, fy_operator kind, int32_t left, int32_t right,
                        int32_t k)
{
    bool commutes = kind == FY_AND || kind == FY_OR;
    int32_t found = formula->nodes < 2 ? -1 : simpler(kind, left, right);
    if (found >= 0)
        return found;
    if (commutes && left > right)
        return find_or_add(formula, (fy_node){kind, right, left, k});
    return find_or_add(formula, (fy_node){kind, left, right, k});
}

/* !f in negation normal form. As deep as the formula, whose nodes are limited. */
static int32_t negate(fy_formula *formula, int32_t f)
{
    static const fy_operator dual[] = {
        [FY_TRUE] = FY_FALSE,       [FY_FALSE] = FY_TRUE,     [FY_ATOM] = FY_NOT_ATOM,
        [FY_NOT_ATOM] = FY_ATOM,    [FY_AND] = FY_OR,         [FY_OR] = FY_AND,
        [FY_NEXT] = FY_WEAK_NEXT,   [FY_WEAK_NEXT] = FY_NEXT, [FY_FINALLY] = FY_GLOBALLY,
        [FY_GLOBALLY] = FY_FINALLY, [FY_UNTIL] = FY_RELEASE,  [FY_RELEASE] = FY_UNTIL,
    };
    if (f < 0 || formula->dual[f] >= 0)
        return f < 0 ? f : formula->dual[f];
    fy_node node = formula->node[f];
    int32_t left = node.left < 0 ? -1 : negate(formula, node.left);
    int32_t right = node.right < 0 ? -1 : negate(formula, node.right);
    if ((node.left >= 0 && left < 0) || (node.right >= 0 && right < 0))
        return -1;
    int32_t made = fy_formula_node(formula, dual[node.kind], left, right, node.k);
    if (made >= 0)
        formula->dual[f] = made;
    return made;
}

/* ------------------------------------------------------------------- reading */

typedef enum token_kind {
    END,
    WORD,   /* an atom, or true and false */
    QUOTED, /* an atom */
    NUMBER, /* the same */
    SYMBOL, /* ! & | ( ) -> */
    UNARY,  /* X N F G, with the bound of the last two */
    BINARY, /* U R W */
} token_kind;

typedef struct token {
    token_kind kind;
    const char *at;
    size_t size;
    char symbol;   /* the first character */
    int32_t bound; /* -1: none */
} token;

typedef struct parser {
    foray_context *ctx;
    fy_formula *formula;
    const char *text, *next;
    int64_t horizon;
    token now;
    int nested;
    foray_status status; /* what went wrong first */
} parser;

#define FAIL_AT(p, place, ...)                                                                     \
    do {                                                                                           \
        if ((p)->status == FORAY_OK) {                                                             \
            (p)->status = fy_fail((p)->ctx, FORAY_ERROR_INPUT, __VA_ARGS__);                       \
            fy_message_set_within((p)->ctx, "column %d", (int)((place) - (p)->text) + 1);          \
        }                                                                                          \
    } while (0)

static bool begins_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool continues_word(char c)
{
    return begins_word(c) || (c >= '0' && c <= '9');
}

static const char *skip_space(const char *c)
{
    while (*c == ' ' || *c == '\t' || *c == '\n' || *c == '\r')
        c++;
    return c;
}

/* "<=20" after F or G, if it is there. */
static void read_bound(parser *p)
{
    const char *c = skip_space(p->next);
    int64_t bound = 0;
    if (strncmp(c, "<=", 2) != 0)
        return;
    c = skip_space(c + 2);
    const char *first = c;
    for (; *c >= '0' && *c <= '9'; c++)
        bound = bound > INT32_MAX ? bound : 10 * bound + (*c - '0');
    if (c == first)
        FAIL_AT(p, c, "a number of steps is expected after %c<=", p->now.symbol);
    p->now.bound = bound >= p->horizon || bound > INT32_MAX ? -1 : (int32_t)bound;
    p->next = c;
}

static void read_quoted(parser *p)
{
    const char *c = p->next + 1;
    while (*c && *c != '"')
        c += *c == '\\' && c[1] ? 2 : 1;
    p->now.kind = QUOTED;
    p->now.at = p->next + 1;
    p->now.size = (size_t)(c - p->now.at);
    if (!*c)
        FAIL_AT(p, p->next, "this name has no closing quote");
    p->next = *c ? c + 1 : c;
}

static void read_word(parser *p)
{
    const char *c = p->next;
    bool number = !begins_word(*c);
    while (continues_word(*c))
        c++;
    p->now.size = (size_t)(c - p->next);
    p->now.kind = number ? NUMBER : WORD;
    for (size_t i = 0; number && i < p->now.size; i++)
        if (begins_word(p->now.at[i]))
            FAIL_AT(p, p->now.at, "'%.*s': a name that begins with a digit needs quotes",
                    (int)(p->now.size < 40 ? p->now.size : 40), p->now.at);
    p->next = c;
    if (p->now.size == 1 && strchr("XNFG", p->now.symbol))
        p->now.kind = UNARY;
    if (p->now.size == 1 && strchr("URW", p->now.symbol))
        p->now.kind = BINARY;
    if (p->now.kind == UNARY && (p->now.symbol == 'F' || p->now.symbol == 'G'))
        read_bound(p);
}

static void advance(parser *p)
{
    p->next = skip_space(p->next);
    char c = *p->next;
    p->now = (token){.kind = END, .at = p->next, .symbol = c, .bound = -1};
    if (c == 0)
        return;
    if (c == '"') {
        read_quoted(p);
    } else if (continues_word(c)) {
        read_word(p);
    } else if (strchr("!&|()", c) || strncmp(p->next, "->", 2) == 0) {
        p->now.kind = SYMBOL;
        p->next += c == '-' ? 2 : 1;
        bool doubled = (c == '&' || c == '|') && *p->next == c; /* && and || are as good */
        p->next += doubled;
    } else
        FAIL_AT(p, p->next, "nothing in a formula begins with '%.*s'", 1,
                (unsigned char)c < 0x80 && c >= ' ' ? p->next : "?");
}

static bool is_symbol(const parser *p, char symbol)
{
    return p->status == FORAY_OK && p->now.kind == SYMBOL && p->now.symbol == symbol;
}

/* A node, or -1 with the status set. */
static int32_t make(parser *p, fy_operator kind, int32_t left, int32_t right, int32_t k)
{
    if (p->status != FORAY_OK)
        return -1;
    int32_t made = fy_formula_node(p->formula, kind, left, right, k);
    if (made < 0)
        p->status =
            p->formula->nodes == p->formula->max_nodes ? FORAY_ERROR_INPUT : FORAY_ERROR_MEMORY;
    return made;
}

static int32_t opposite(parser *p, int32_t f)
{
    int32_t made = p->status == FORAY_OK ? negate(p->formula, f) : -1;
    if (made < 0 && p->status == FORAY_OK)
        p->status =
            p->formula->nodes == p->formula->max_nodes ? FORAY_ERROR_INPUT : FORAY_ERROR_MEMORY;
    return made;
}

/* --------------------------------------------------------------------- atoms */

/* What stands between quotes, where \ stands before " and itself. */
static char *text_of(parser *p)
{
    char *text;
    size_t size = 0;
    if (!FY_NEW(&p->formula->arena, text, p->now.size + 1))
        return NULL;
    for (size_t i = 0; i < p->now.size; i++) {
        bool escaped = p->now.kind == QUOTED && p->now.at[i] == '\\' && i + 1 < p->now.size;
        text[size++] = p->now.at[escaped ? ++i : i];
    }
    return text;
}

static int32_t read_atom(parser *p)
{
    fy_formula *formula = p->formula;
    fy_atom atom = {.kind = p->now.kind == WORD     ? FY_ATOM_LABEL
                            : p->now.kind == QUOTED ? FY_ATOM_NAME
                                                    : FY_ATOM_NUMBER};
    char *text = text_of(p);
    atom.text = text;
    if (!text)
        p->status = FORAY_ERROR_MEMORY;
    if (p->status != FORAY_OK)
        return -1;
    if (atom.kind == FY_ATOM_NUMBER && !fy_integer_read(text, strlen(text), &atom.number))
        FAIL_AT(p, p->now.at, "'%.40s' is too large for the number of a state", text);
    int64_t i = 0;
    while (i < formula->atoms &&
           (formula->atom[i].kind != atom.kind || strcmp(formula->atom[i].text, atom.text) != 0))
        i++;
    if (i == FY_FORMULA_ATOMS)
        FAIL_AT(p, p->now.at, "more than %d different states and labels", FY_FORMULA_ATOMS);
    if (p->status != FORAY_OK)
        return -1;
    if (i == formula->atoms)
        formula->atom[formula->atoms++] = atom;
    return make(p, FY_ATOM, -1, -1, (int32_t)i);
}

/* ------------------------------------------------------------------- grammar */

static int32_t read_implication(parser *p);

static int32_t read_word_atom(parser *p)
{
    bool word = p->now.kind == WORD;
    int32_t made;
    if (word && p->now.size == 4 && strncmp(p->now.at, "true", 4) == 0)
        made = make(p, FY_TRUE, -1, -1, 0);
    else if (word && p->now.size == 5 && strncmp(p->now.at, "false", 5) == 0)
        made = make(p, FY_FALSE, -1, -1, 0);
    else
        made = read_atom(p);
    advance(p);
    return made;
}

static int32_t read_operand(parser *p)
{
    if (is_symbol(p, '(')) {
        const char *open = p->now.at;
        advance(p);
        int32_t made = read_implication(p);
        if (!is_symbol(p, ')'))
            FAIL_AT(p, open, "this bracket is not closed");
        advance(p);
        return made;
    }
    if (p->now.kind == WORD || p->now.kind == QUOTED || p->now.kind == NUMBER)
        return read_word_atom(p);
    if (p->now.kind == END)
        FAIL_AT(p, p->now.at, "the formula ends where a state, a label or an operator is expected");
    FAIL_AT(p, p->now.at, "'%.*s' where a state, a label or an operator is expected",
            (int)(p->next - p->now.at), p->now.at);
    return -1;
}

static int32_t read_unary(parser *p)
{
    token with = p->now;
    int32_t made = -1;
    if (++p->nested > FY_FORMULA_NESTED)
        FAIL_AT(p, p->now.at, "more than %d operators and brackets within each other",
                FY_FORMULA_NESTED);
    if (p->status != FORAY_OK)
        return -1;
    if (is_symbol(p, '!')) {
        advance(p);
        made = opposite(p, read_unary(p));
    } else if (with.kind == UNARY) {
        advance(p);
        made = make(p,
                    with.symbol == 'X'   ? FY_NEXT
                    : with.symbol == 'N' ? FY_WEAK_NEXT
                    : with.symbol == 'F' ? FY_FINALLY
                                         : FY_GLOBALLY,
                    read_unary(p), -1, with.bound);
    } else
        made = read_operand(p);
    p->nested--;
    return made;
}

static int32_t read_until(parser *p)
{
    int32_t left = read_unary(p);
    if (p->status != FORAY_OK || p->now.kind != BINARY)
        return left;
    char symbol = p->now.symbol;
    if (++p->nested > FY_FORMULA_NESTED)
        FAIL_AT(p, p->now.at, "more than %d operators and brackets within each other",
                FY_FORMULA_NESTED);
    advance(p);
    int32_t right = p->status == FORAY_OK ? read_until(p) : -1;
    p->nested--;
    if (symbol == 'U')
        return make(p, FY_UNTIL, left, right, 0);
    if (symbol == 'R')
        return make(p, FY_RELEASE, left, right, 0);
    return make(p, FY_RELEASE, right, make(p, FY_OR, left, right, 0), 0); /* f W g */
}

static int32_t read_and(parser *p)
{
    int32_t left = read_until(p);
    while (is_symbol(p, '&')) {
        advance(p);
        int32_t right = read_until(p);
        left = make(p, FY_AND, left, right, 0);
    }
    return left;
}

static int32_t read_or(parser *p)
{
    int32_t left = read_and(p);
    while (is_symbol(p, '|')) {
        advance(p);
        int32_t right = read_and(p);
        left = make(p, FY_OR, left, right, 0);
    }
    return left;
}

static int32_t read_implication(parser *p)
{
    if (++p->nested > FY_FORMULA_NESTED)
        FAIL_AT(p, p->now.at, "more than %d operators and brackets within each other",
                FY_FORMULA_NESTED);
    int32_t left = p->status == FORAY_OK ? read_or(p) : -1;
    if (is_symbol(p, '-')) {
        advance(p);
        int32_t right = read_implication(p);
        left = make(p, FY_OR, opposite(p, left), right, 0);
    }
    p->nested--;
    return left;
}

void fy_formula_release(fy_formula *formula)
{
    fy_index_free(&formula->index);
    fy_arena_release(&formula->arena);
}

foray_status fy_formula_parse(foray_context *ctx, const char *text, int64_t horizon,
                              fy_formula *out)
{
    *out = (fy_formula){.arena.ctx = ctx, .max_nodes = FY_FORMULA_NODES};
    if (strnlen(text, FY_FORMULA_BYTES) == FY_FORMULA_BYTES)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "a formula has fewer than %d bytes",
                       FY_FORMULA_BYTES);
    parser p = {.ctx = ctx, .formula = out, .text = text, .next = text, .horizon = horizon};
    make(&p, FY_TRUE, -1, -1, 0); /* nodes 0 and 1 */
    make(&p, FY_FALSE, -1, -1, 0);
    if (p.status == FORAY_OK)
        advance(&p);
    if (p.status == FORAY_OK && p.now.kind == END)
        FAIL_AT(&p, text, "a formula is expected, such as F goal & G !hole");
    out->root = read_implication(&p);
    if (p.status == FORAY_OK && p.now.kind != END)
        FAIL_AT(&p, p.now.at, "'%.*s' where the formula should end, or & | -> U R W follow",
                (int)(p.next - p.now.at), p.now.at);
    if (p.status != FORAY_OK)
        fy_formula_release(out);
    return p.status;
}
