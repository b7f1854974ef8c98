/* automaton.c - see automaton.h. With prog(f) what the rest of a trace, which may be empty, must
 * satisfy once a state has been read:
 *
 *   prog: atom -> true or false;   and, or: componentwise
 *         X f -> f & F true                     N f -> f | G false
 *         F f -> prog(f) | F f                  G f -> prog(f) & G f
 *         f U g -> prog(g) | (prog(f) & f U g)  f R g -> prog(g) & (prog(f) | f R g)
 *         F<=k f -> prog(f) | F<=k-1 f          G<=k f -> prog(f) & G<=k-1 f      (k = 0: prog(f))
 *   ok:   true, G, N, R: true;  false, atoms, X, F, U: false;  and, or: componentwise
 *
 * A state of the automaton is a disjunction of conjunctions (cubes) of subformulas, none of which
 * implies another: of these there are finitely many. */
#include "task/automaton.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A set of cubes: count, then each cube as its length and its nodes, ascending. */
typedef struct clauses {
    int64_t count, size, room;
    int32_t *item; /* [size] */
} clauses;

/* Beyond these a formula is refused: cubes of one set, numbers of all states, and steps of work,
 * about a second. */
enum { MAX_CUBES = 512, MAX_NUMBERS = 1 << 22, MAX_WORK = 1 << 29 };

typedef struct building {
    fy_arena arena;
    foray_context *ctx;
    fy_formula *formula;
    int64_t letters;
    const uint64_t *letter;
    clauses *progress; /* [letters][max_nodes] of each node, made when it is first needed, */
    bool *made;        /* the same */
    clauses *as_is;    /* [max_nodes] a node itself, */
    bool *is_there;    /* the same */
    int64_t states, room, numbers;
    clauses *state; /* [states] */
    int32_t *next;  /* [states][letters] */
    int64_t next_room;
    fy_index index; /* of states */
    int64_t work;
    int32_t nonempty, empty; /* F true and G false */
    foray_status status;
} building;

/* ------------------------------------------------------------------------ cubes */

static void refuse_automaton(building *b, const char *what)
{
    if (b->status == FORAY_OK)
        b->status = fy_fail(b->ctx, FORAY_ERROR_INPUT,
                            "the automaton of this formula becomes too large: %s", what);
}

static void no_memory(building *b)
{
    b->status = b->status == FORAY_OK ? FORAY_ERROR_MEMORY : b->status;
}

/* Is every node of a cube in the other? Both ascend. */
static bool is_within(building *b, const int32_t *a, const int32_t *in)
{
    int32_t i = 1, j = 1;
    b->work += a[0] + in[0];
    while (i <= a[0] && j <= in[0]) {
        if (a[i] == in[j])
            i++;
        else if (a[i] < in[j])
            return false;
        j++;
    }
    return i > a[0];
}

static bool reserve(building *b, clauses *set, int64_t more)
{
    int32_t *item = fy_arena_grow(&b->arena, set->item, &set->room, set->size + more, sizeof *item);
    set->item = item ? item : set->item;
    if (!item)
        no_memory(b);
    return item != NULL;
}

/* a | (a & b) = a. */
static void add_cube(building *b, clauses *set, const int32_t *cube)
{
    int64_t kept = 0, count = 0;
    for (int64_t at = 0; at < set->size; at += 1 + set->item[at])
        if (cube[0] >= set->item[at] && is_within(b, set->item + at, cube))
            return;
    for (int64_t at = 0, size; at < set->size; at += size) {
        size = 1 + set->item[at];
        if (set->item[at] >= cube[0] && is_within(b, cube, set->item + at))
            continue;
        memmove(set->item + kept, set->item + at, (size_t)size * sizeof *set->item);
        kept += size;
        count++;
    }
    set->size = kept;
    set->count = count;
    if (count == MAX_CUBES)
        refuse_automaton(b, "a state of it has too many alternatives");
    if (b->work > MAX_WORK)
        refuse_automaton(b, "it takes too long to make");
    if (b->status != FORAY_OK || !reserve(b, set, 1 + cube[0]))
        return;
    memcpy(set->item + set->size, cube, (size_t)(1 + cube[0]) * sizeof *cube);
    set->size += 1 + cube[0];
    set->count++;
}

static void add_all(building *b, const clauses *from, clauses *to)
{
    for (int64_t at = 0; at < from->size && b->status == FORAY_OK; at += 1 + from->item[at])
        add_cube(b, to, from->item + at);
}

/* The nodes of both, each once. */
static void merge(const int32_t *a, const int32_t *b, int32_t *out)
{
    int32_t i = 1, j = 1, n = 0;
    while (i <= a[0] || j <= b[0]) {
        int32_t from_a = i <= a[0] ? a[i] : INT32_MAX, from_b = j <= b[0] ? b[j] : INT32_MAX;
        i += from_a <= from_b;
        j += from_b <= from_a;
        out[++n] = from_a < from_b ? from_a : from_b;
    }
    out[0] = n;
}

/* Distributes: each cube of one with each of the other. */
static clauses both(building *b, const clauses *one, const clauses *other)
{
    clauses out = {0};
    clauses merged = {0};
    for (int64_t i = 0; i < one->size && b->status == FORAY_OK; i += 1 + one->item[i])
        for (int64_t j = 0; j < other->size && b->status == FORAY_OK; j += 1 + other->item[j]) {
            if (!reserve(b, &merged, 1 + one->item[i] + other->item[j]))
                break;
            merge(one->item + i, other->item + j, merged.item);
            add_cube(b, &out, merged.item);
        }
    fy_arena_free(merged.item);
    return out;
}

static clauses either(building *b, const clauses *one, const clauses *other)
{
    clauses out = {0};
    add_all(b, one, &out);
    add_all(b, other, &out);
    return out;
}

/* One cube: of one node, or of none, which is true. */
static clauses just(building *b, int32_t node)
{
    clauses out = {0};
    const int32_t cube[] = {node >= 0, node};
    add_cube(b, &out, cube);
    return out;
}

static clauses combine(building *b, fy_operator kind, const clauses *one, const clauses *other)
{
    return (kind == FY_AND ? both : either)(b, one, other);
}

/* -------------------------------------------------------------------- progression */

/* A formula as clauses. As deep as the formula, as the next is. */
static const clauses *as_clauses(building *b, int32_t f)
{
    fy_node node = b->formula->node[f];
    clauses *out = &b->as_is[f];
    if (b->is_there[f] || b->status != FORAY_OK)
        return out;
    b->is_there[f] = true;
    if (node.kind == FY_AND || node.kind == FY_OR) {
        const clauses *left = as_clauses(b, node.left), *right = as_clauses(b, node.right);
        *out = combine(b, node.kind, left, right);
    } else if (node.kind != FY_FALSE)
        *out = just(b, node.kind == FY_TRUE ? -1 : f);
    return out;
}

/* f itself, or with a smaller bound; for what F, G, U and R leave to the rest. */
static clauses rest_of(building *b, int32_t f)
{
    fy_node node = b->formula->node[f];
    bool bounded = (node.kind == FY_FINALLY || node.kind == FY_GLOBALLY) && node.k >= 0;
    if (!bounded)
        return just(b, f);
    const clauses nothing = {0};
    if (node.k == 0) /* nothing is left: false of F, true of G */
        return node.kind == FY_FINALLY ? nothing : just(b, -1);
    int32_t less = fy_formula_node(b->formula, node.kind, node.left, -1, node.k - 1);
    if (less < 0)
        refuse_automaton(b, "its bounds count too far");
    return less < 0 ? nothing : just(b, less);
}

static const clauses *progress(building *b, int64_t letter, int32_t f);

static clauses progress_node(building *b, int64_t letter, int32_t f)
{
    fy_node node = b->formula->node[f];
    bool holds = (node.kind == FY_ATOM || node.kind == FY_NOT_ATOM) &&
                 (b->letter[letter] >> node.k & 1) == (node.kind == FY_ATOM);
    clauses rest, inner, out;
    switch (node.kind) {
    case FY_AND:
    case FY_OR: {
        const clauses *left = progress(b, letter, node.left);
        return combine(b, node.kind, left, progress(b, letter, node.right));
    }
    case FY_NEXT:
    case FY_WEAK_NEXT:
        rest = just(b, node.kind == FY_NEXT ? b->nonempty : b->empty);
        out = combine(b, node.kind == FY_NEXT ? FY_AND : FY_OR, as_clauses(b, node.left), &rest);
        break;
    case FY_FINALLY:
    case FY_GLOBALLY:
        rest = rest_of(b, f);
        out = combine(b, node.kind == FY_FINALLY ? FY_OR : FY_AND, progress(b, letter, node.left),
                      &rest);
        break;
    case FY_UNTIL:
    case FY_RELEASE:
        rest = rest_of(b, f);
        inner = combine(b, node.kind == FY_UNTIL ? FY_AND : FY_OR, progress(b, letter, node.left),
                        &rest);
        out = combine(b, node.kind == FY_UNTIL ? FY_OR : FY_AND, &inner,
                      progress(b, letter, node.right));
        fy_arena_free(inner.item);
        break;
    default:
        return node.kind == FY_TRUE || holds ? just(b, -1) : (clauses){0};
    }
    fy_arena_free(rest.item);
    return out;
}

/* prog(f, letter), kept. */
static const clauses *progress(building *b, int64_t letter, int32_t f)
{
    int64_t at = letter * b->formula->max_nodes + f;
    if (!b->made[at] && b->status == FORAY_OK) {
        clauses made = progress_node(b, letter, f);
        b->progress[at] = made;
        b->made[at] = true;
    }
    return &b->progress[at];
}

/* or over cubes of and over their nodes. */
static clauses progress_state(building *b, const clauses *state, int64_t letter)
{
    clauses out = {0};
    for (int64_t at = 0; at < state->size && b->status == FORAY_OK; at += 1 + state->item[at]) {
        clauses cube = just(b, -1);
        for (int32_t i = 1; i <= state->item[at] && cube.count > 0; i++) {
            clauses wider = both(b, &cube, progress(b, letter, state->item[at + i]));
            fy_arena_free(cube.item);
            cube = wider;
        }
        add_all(b, &cube, &out);
        fy_arena_free(cube.item);
    }
    return out;
}

static bool is_ok(const fy_formula *formula, const clauses *state)
{
    for (int64_t at = 0; at < state->size; at += 1 + state->item[at]) {
        bool all = true;
        for (int32_t i = 1; i <= state->item[at] && all; i++) {
            fy_operator kind = formula->node[state->item[at + i]].kind;
            all = kind == FY_GLOBALLY || kind == FY_WEAK_NEXT || kind == FY_RELEASE;
        }
        if (all)
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------- the automaton */

/* So that equal sets are equal numbers: selection sort of few cubes. */
static bool comes_before(const int32_t *a, const int32_t *b)
{
    for (int32_t i = 0; i <= a[0] && i <= b[0]; i++)
        if (a[i] != b[i])
            return a[i] < b[i];
    return false;
}

static void sort_cubes(building *b, clauses *set)
{
    clauses sorted = {0};
    int64_t left = set->size;
    if (set->size == 0 || !reserve(b, &sorted, set->size))
        return;
    while (left > 0) {
        int64_t first = 0, size;
        for (int64_t at = 0; at < left; at += 1 + set->item[at])
            first = comes_before(set->item + at, set->item + first) ? at : first;
        size = 1 + set->item[first];
        b->work += left;
        memcpy(sorted.item + sorted.size, set->item + first, (size_t)size * sizeof *set->item);
        sorted.size += size;
        memmove(set->item + first, set->item + first + size,
                (size_t)(left - first - size) * sizeof *set->item);
        left -= size;
    }
    memcpy(set->item, sorted.item, (size_t)set->size * sizeof *set->item);
    fy_arena_free(sorted.item);
}

static bool make_room_for_state(building *b)
{
    int64_t wanted = b->states + 1;
    clauses *state = fy_arena_grow(&b->arena, b->state, &b->room, wanted, sizeof *state);
    b->state = state ? state : b->state;
    int32_t *next =
        fy_arena_grow(&b->arena, b->next, &b->next_room, wanted * b->letters, sizeof *next);
    b->next = next ? next : b->next;
    if (!state || !next)
        return false;
    if (fy_index_has_room(&b->index, wanted))
        return true;
    if (!fy_index_create(b->ctx, &b->index, 2 * wanted))
        return false;
    for (int64_t i = 0; i < b->states; i++)
        fy_index_add(&b->index,
                     fy_hash(b->state[i].item, (size_t)b->state[i].size * sizeof(int32_t), 0), i);
    return true;
}

/* The number of a state, which becomes one or is released. */
static int32_t number_of(building *b, clauses set)
{
    sort_cubes(b, &set);
    size_t bytes = (size_t)set.size * sizeof *set.item;
    if (b->status != FORAY_OK)
        return -1;
    if (!make_room_for_state(b)) {
        no_memory(b);
        return -1;
    }
    uint64_t at = fy_index_start(fy_hash(set.item, bytes, 0));
    for (int64_t old; (old = fy_index_at(&b->index, at)) >= 0; at++)
        if (b->state[old].size == set.size &&
            (bytes == 0 || memcmp(b->state[old].item, set.item, bytes) == 0)) {
            fy_arena_free(set.item);
            return (int32_t)old;
        }
    b->numbers += set.size;
    if (b->states == FY_AUTOMATON_STATES || b->numbers > MAX_NUMBERS) {
        refuse_automaton(b, "it needs more than 4096 states");
        return -1;
    }
    fy_index_put(&b->index, at, b->states);
    b->state[b->states] = set;
    return (int32_t)b->states++;
}

static void explore_states(building *b)
{
    clauses first = {0};
    add_all(b, as_clauses(b, b->formula->root), &first);
    number_of(b, first);
    for (int64_t q = 0; q < b->states && b->status == FORAY_OK; q++) {
        if (fy_stopped(b->ctx))
            b->status = FORAY_INTERRUPTED;
        for (int64_t a = 0; a < b->letters && b->status == FORAY_OK; a++) {
            int32_t to = number_of(b, progress_state(b, &b->state[q], a));
            b->next[q * b->letters + a] = to;
        }
    }
}

/* ------------------------------------------------------------------ the smallest one */

/* Which classes a state leads to, and its own. */
static uint64_t hash_class(const building *b, const int32_t *class, int64_t q)
{
    uint64_t hash = (uint64_t) class[q];
    for (int64_t a = 0; a < b->letters; a++) {
        int32_t to = class[b->next[q * b->letters + a]];
        hash = fy_hash(&to, sizeof to, hash);
    }
    return hash;
}

static bool same_class(const building *b, const int32_t *class, int64_t q, int64_t r)
{
    bool same = class[q] == class[r];
    for (int64_t a = 0; a < b->letters && same; a++)
        same = class[b->next[q * b->letters + a]] == class[b->next[r * b->letters + a]];
    return same;
}

/* Moore's algorithm: classes are split while states of one lead to different ones. Classes have
 * the numbers of their first states in order. Returns how many there are; 0: no memory. */
static int64_t refine(building *b, int32_t *class, int32_t *finer, int32_t *leader)
{
    int64_t classes = 0, before;
    for (int64_t q = 0; q < b->states; q++)
        class[q] = is_ok(b->formula, &b->state[q]);
    do {
        before = classes;
        classes = 0;
        if (!fy_index_create(b->ctx, &b->index, b->states))
            return 0;
        for (int64_t q = 0; q < b->states; q++) {
            uint64_t at = fy_index_start(hash_class(b, class, q));
            int64_t old;
            while ((old = fy_index_at(&b->index, at)) >= 0 && !same_class(b, class, q, leader[old]))
                at++;
            if (old < 0) {
                fy_index_put(&b->index, at, classes);
                leader[classes++] = (int32_t)q;
            }
            finer[q] = (int32_t)(old < 0 ? classes - 1 : old);
        }
        memcpy(class, finer, (size_t)b->states * sizeof *class);
    } while (classes > before);
    return classes;
}

static void take_classes(const building *b, const int32_t *class, const int32_t *leader,
                         fy_automaton *out)
{
    for (int64_t k = 0; k < out->states; k++) {
        int64_t q = leader[k];
        out->accepts[k] = is_ok(b->formula, &b->state[q]);
        out->decided[k] = true;
        for (int64_t a = 0; a < b->letters; a++) {
            out->next[k * b->letters + a] = class[b->next[q * b->letters + a]];
            out->decided[k] &= out->next[k * b->letters + a] == k;
        }
    }
}

static foray_status minimise(building *b, fy_arena *arena, fy_automaton *out)
{
    int32_t *class, *finer, *leader;
    fy_automaton made = {.letters = b->letters};
    if (!FY_NEW(&b->arena, class, b->states) || !FY_NEW(&b->arena, finer, b->states) ||
        !FY_NEW(&b->arena, leader, b->states) ||
        (made.states = refine(b, class, finer, leader)) == 0 ||
        !FY_NEW(arena, made.next, made.states * made.letters) ||
        !FY_NEW(arena, made.accepts, made.states) || !FY_NEW(arena, made.decided, made.states))
        return FORAY_ERROR_MEMORY;
    take_classes(b, class, leader, &made);
    *out = made;
    return FORAY_OK;
}

/* Tables by letter and node: more nodes are made for bounds as they count down. */
enum { MAX_TABLE = 1 << 20 };

static foray_status prepare(building *b)
{
    fy_formula *formula = b->formula;
    int64_t bounds = 2;
    for (int64_t i = 0; i < formula->nodes; i++)
        bounds += formula->node[i].kind == FY_FINALLY || formula->node[i].kind == FY_GLOBALLY
                      ? (formula->node[i].k > 0 ? formula->node[i].k : 0)
                      : 0;
    if (formula->nodes + bounds > MAX_TABLE / b->letters)
        return fy_fail(b->ctx, FORAY_ERROR_INPUT,
                       "the automaton of this formula becomes too large: its bounds count to "
                       "%" PRId64 ", and there are %" PRId64 " sets of states to tell apart",
                       bounds - 2, b->letters);
    formula->max_nodes = formula->nodes + bounds;
    b->nonempty = fy_formula_node(formula, FY_FINALLY, 0, -1, -1);
    b->empty = fy_formula_node(formula, FY_GLOBALLY, 1, -1, -1);
    if (b->nonempty < 0 || b->empty < 0 ||
        !FY_NEW(&b->arena, b->progress, b->letters * formula->max_nodes) ||
        !FY_NEW(&b->arena, b->made, b->letters * formula->max_nodes) ||
        !FY_NEW(&b->arena, b->as_is, formula->max_nodes) ||
        !FY_NEW(&b->arena, b->is_there, formula->max_nodes))
        return FORAY_ERROR_MEMORY;
    return FORAY_OK;
}

foray_status fy_automaton_create(fy_arena *arena, fy_formula *formula, int64_t letters,
                                 const uint64_t *letter, fy_automaton *out)
{
    foray_context *ctx = arena->ctx;
    building b = {
        .arena.ctx = ctx, .ctx = ctx, .formula = formula, .letters = letters, .letter = letter};
    b.status = prepare(&b);
    if (b.status == FORAY_OK)
        explore_states(&b);
    if (b.status == FORAY_OK)
        b.status = minimise(&b, arena, out);
    fy_index_free(&b.index);
    fy_arena_release(&b.arena);
    return b.status;
}

bool fy_automaton_copy(fy_arena *arena, const fy_automaton *from, fy_automaton *to)
{
    fy_automaton made = *from;
    size_t cells = (size_t)(from->states * from->letters);
    if (!FY_NEW(arena, made.next, cells) || !FY_NEW(arena, made.accepts, from->states) ||
        !FY_NEW(arena, made.decided, from->states))
        return false;
    memcpy(made.next, from->next, cells * sizeof *made.next);
    memcpy(made.accepts, from->accepts, (size_t)from->states * sizeof *made.accepts);
    memcpy(made.decided, from->decided, (size_t)from->states * sizeof *made.decided);
    *to = made;
    return true;
}
