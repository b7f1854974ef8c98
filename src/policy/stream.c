/* stream.c - see stream.h.
 *
 * Nearly all of a policy file are its actions, in a form that needs no tree: a list of lists of
 * integers. They are read as they come, 4 bytes each. All else, which is small, becomes a text
 * without them, to be parsed as JSON. */
#include "policy/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 65536, MAX_OUTSIDE = 4096, END = -1 };

typedef struct stream {
    foray_context *ctx;
    const char *where;
    FILE *file;
    const uint8_t *data; /* what is to be read next */
    size_t size, at;
    uint8_t *chunk; /* [CHUNK], for files */
    int64_t line;   /* of what was read last */
    fy_policy_text *out;
} stream;

/* ---------------------------------------------------------------------- bytes */

/* The next byte, which stays there; END at the end of the text. */
static int peek(stream *s)
{
    if (s->at == s->size && s->file) {
        s->size = fread(s->chunk, 1, CHUNK, s->file);
        s->data = s->chunk;
        s->at = 0;
    }
    return s->at < s->size ? s->data[s->at] : END;
}

static int take(stream *s)
{
    int byte = peek(s);
    s->at += byte != END;
    s->line += byte == '\n';
    return byte;
}

static void keep(stream *s, int byte)
{
    uint8_t it = (uint8_t)byte;
    fy_write_bytes(&s->out->rest, &it, 1);
}

/* Spaces between values of "action"; of these only lines are kept. */
static int skip_spaces(stream *s)
{
    for (;;) {
        int byte = peek(s);
        if (byte != ' ' && byte != '\t' && byte != '\r' && byte != '\n')
            return byte;
        take(s);
        if (byte == '\n')
            keep(s, byte);
    }
}

/* -------------------------------------------------------------------- actions */

static foray_status refuse(stream *s, const char *why)
{
    const char *cause = peek(s) == END ? "the text ends too early" : why;
    return fy_fail(s->ctx, FORAY_ERROR_INPUT, "%s:%" PRId64 ": action[%" PRId64 "]: %s", s->where,
                   s->line, s->out->rows, cause);
}

/* An integer as JSON has it: no zeros in front. What needs more than 32 bits is INT32_MIN,
 * as neither actions nor steps are. */
static bool read_whole(stream *s, int32_t *out)
{
    int64_t value = 0;
    bool negative = skip_spaces(s) == '-';
    if (negative)
        take(s);
    int digits = 0, first = peek(s);
    while (peek(s) >= '0' && peek(s) <= '9') {
        int digit = take(s) - '0';
        value = value > INT32_MAX ? value : 10 * value + digit;
        digits++;
    }
    if (digits == 0 || (digits > 1 && first == '0'))
        return false;
    *out = value > INT32_MAX ? INT32_MIN : (int32_t)(negative ? -value : value);
    int after = skip_spaces(s);
    return after == ',' || after == ']';
}

static foray_status add_action(stream *s, int32_t action)
{
    fy_policy_text *out = s->out;
    if (out->actions == out->action_room) {
        int32_t *grown =
            fy_grow(s->ctx, out->action, &out->action_room, out->actions + 1, sizeof *out->action);
        if (!grown)
            return FORAY_ERROR_MEMORY;
        out->action = grown;
    }
    out->action[out->actions++] = action;
    return FORAY_OK;
}

/* "1,0,2]": the actions of a row behind its bracket. */
static foray_status read_states(stream *s)
{
    int32_t action;
    foray_status status = FORAY_OK;
    if (skip_spaces(s) == ']') {
        take(s);
        return FORAY_OK;
    }
    for (int64_t state = 0; status == FORAY_OK; state++) {
        if (!read_whole(s, &action)) {
            char why[80];
            fy_format(why, sizeof why, "state %" PRId64 ": an integer is expected", state);
            return refuse(s, why);
        }
        status = add_action(s, action);
        if (take(s) == ']')
            break;
    }
    return status;
}

/* "3,[1,0,2]]", behind the bracket. */
static foray_status read_row(stream *s, fy_policy_row *row)
{
    static const char *const expected = "[step, [actions]] is expected";
    int32_t from;
    if (!read_whole(s, &from) || take(s) != ',' || skip_spaces(s) != '[')
        return refuse(s, expected);
    take(s);
    row->from = from;
    foray_status status = read_states(s);
    if (status == FORAY_OK && skip_spaces(s) != ']')
        return refuse(s, expected);
    if (status == FORAY_OK)
        take(s);
    return status;
}

/* The list behind its bracket, up to the one that ends it. */
static foray_status read_rows(stream *s)
{
    fy_policy_text *out = s->out;
    bool ended = skip_spaces(s) == ']';
    if (ended)
        take(s);
    while (!ended) {
        if (skip_spaces(s) != '[')
            return refuse(s, "a list of actions is expected");
        fy_policy_row *grown =
            fy_grow(s->ctx, out->row, &out->row_room, out->rows + 1, sizeof *out->row);
        if (!grown)
            return FORAY_ERROR_MEMORY;
        out->row = grown;
        take(s);
        fy_policy_row *row = &out->row[out->rows];
        *row = (fy_policy_row){.line = s->line, .first = out->actions};
        foray_status status = read_row(s, row);
        if (status != FORAY_OK)
            return status;
        row->count = out->actions - row->first;
        out->rows++;
        int next = skip_spaces(s);
        if (next != ',' && next != ']')
            return refuse(s, "',' or ']' is expected");
        ended = take(s) == ']';
    }
    keep(s, ']');
    return FORAY_OK;
}

/* -------------------------------------------------------------------- the rest */

/* Where in the outermost object a text is, as far as finding "action" takes. */
typedef struct position {
    int64_t depth;
    bool in_text, escaped;
    bool at_key;   /* the next text of depth 1 is a key */
    bool is_ours;  /* the last key was "action", */
    bool follows;  /* and its colon was there */
    char key[8];   /* its first bytes */
    size_t length; /* of the key */
} position;

static void pass_text(position *p, int byte)
{
    bool ends = byte == '"' && !p->escaped;
    p->escaped = byte == '\\' && !p->escaped;
    if (!ends) {
        if (p->length < sizeof p->key)
            p->key[p->length] = (char)byte;
        p->length++;
        return;
    }
    p->in_text = false;
    if (p->depth == 1 && p->at_key) {
        p->is_ours = p->length == 6 && memcmp(p->key, "action", 6) == 0;
        p->at_key = p->follows = false;
    }
}

static void pass(position *p, int byte)
{
    if (p->in_text) {
        pass_text(p, byte);
        return;
    }
    if (byte == '"') {
        p->in_text = true;
        p->escaped = false;
        p->length = 0;
    }
    p->depth += (byte == '[' || byte == '{') - (byte == ']' || byte == '}');
    if (p->depth == 1 && (byte == '{' || byte == ',')) {
        p->at_key = true;
        p->is_ours = p->follows = false;
    }
    p->follows |= p->depth == 1 && byte == ':';
}

static foray_status read_all(stream *s)
{
    position p = {0};
    int64_t outside = 0;
    foray_status status = FORAY_OK;
    for (int byte = take(s); byte != END && !s->out->rest.failed; byte = take(s)) {
        keep(s, byte);
        /* What is not a policy at all, and perhaps endless, is not taken into memory. */
        outside += p.depth <= 0 && !p.in_text;
        if (outside > MAX_OUTSIDE)
            return fy_fail(s->ctx, FORAY_ERROR_INPUT,
                           "%s: not a policy: %d bytes outside of any object of JSON", s->where,
                           MAX_OUTSIDE);
        if (s->out->rest.size >= UINT32_MAX)
            return fy_fail(s->ctx, FORAY_ERROR_INPUT,
                           "%s: more than 4 GiB besides the actions cannot be read", s->where);
        if (!p.in_text && byte == '[' && p.depth == 1 && p.is_ours && p.follows)
            status = read_rows(s);
        else
            pass(&p, byte);
        if (status != FORAY_OK)
            return status;
    }
    keep(s, 0);
    if (s->file && ferror(s->file))
        return fy_fail(s->ctx, FORAY_ERROR_IO, "%s: cannot read: %s", s->where, strerror(errno));
    if (s->out->rest.failed)
        return fy_fail_within(s->ctx, FORAY_ERROR_MEMORY, "%s", s->where);
    return FORAY_OK;
}

void fy_policy_text_free(fy_policy_text *text)
{
    free(text->rest.data);
    free(text->row);
    free(text->action);
}

foray_status fy_policy_text_read(foray_context *ctx, FILE *file, const char *text, size_t size,
                                 const char *where, fy_policy_text *out)
{
    fy_policy_text found = {.rest = {.ctx = ctx}};
    stream s = {.ctx = ctx,
                .where = where,
                .file = file,
                .data = (const uint8_t *)text,
                .size = file ? 0 : size,
                .line = 1,
                .out = &found};
    if (file && !FY_ALLOC(ctx, s.chunk, CHUNK))
        return FORAY_ERROR_MEMORY;
    foray_status status = read_all(&s);
    free(s.chunk);
    if (status == FORAY_OK)
        *out = found;
    else
        fy_policy_text_free(&found);
    return status;
}
