/* oracle_task.c - see oracle_task.h. */
#include "oracle_task.h"

#include <stdio.h>

static bool until(const oracle_tree *all, const oracle_tree *t, const int *word, int i, int end);

/* Does word[i..end-1], which is not empty, satisfy it? As the definition says it. */
bool oracle_holds(const oracle_tree *all, int at, const int *word, int i, int end)
{
    const oracle_tree *t = &all[at];
    switch (t->kind) {
    case T:
        return true;
    case E:
        return false;
    case A:
        return word[i] >> t->atom & 1;
    case NOT:
        return !oracle_holds(all, t->left, word, i, end);
    case AND:
        return oracle_holds(all, t->left, word, i, end) &&
               oracle_holds(all, t->right, word, i, end);
    case OR:
        return oracle_holds(all, t->left, word, i, end) ||
               oracle_holds(all, t->right, word, i, end);
    case IMPLIES:
        return !oracle_holds(all, t->left, word, i, end) ||
               oracle_holds(all, t->right, word, i, end);
    case X:
        return i + 1 < end && oracle_holds(all, t->left, word, i + 1, end);
    case N:
        return i + 1 == end || oracle_holds(all, t->left, word, i + 1, end);
    default:
        return until(all, t, word, i, end);
    }
}

static bool until(const oracle_tree *all, const oracle_tree *t, const int *word, int i, int end)
{
    bool some = false, every = true, ever = false, before = true, weak = true;
    for (int j = i; j < end; j++) {
        bool left = oracle_holds(all, t->left, word, j, end);
        if ((t->kind == F_K || t->kind == G_K) && j - i > t->k)
            break;
        some |= left;
        every &= left;
        if (t->kind == U || t->kind == W) { /* f up to the first g */
            ever |= before && oracle_holds(all, t->right, word, j, end);
            before &= left;
        }
        if (t->kind == R) { /* g, unless f was there before */
            weak &= ever || oracle_holds(all, t->right, word, j, end);
            ever |= left;
        }
    }
    if (t->kind == F || t->kind == F_K)
        return some;
    if (t->kind == G || t->kind == G_K)
        return every;
    return t->kind == U ? ever : t->kind == W ? ever || every : weak;
}

/* ------------------------------------------------------------- random formulas, as text */

int oracle_grow(support_random *random, oracle_tree *all, int *count, int depth)
{
    int at = (*count)++;
    bool leaf = depth == 0 || *count > TREES - 8;
    oracle_kind of = (oracle_kind)support_below(random, leaf ? 3 : KINDS);
    if (leaf && of != A && support_below(random, 4) > 0)
        of = A;
    all[at] = (oracle_tree){.kind = of,
                            .atom = (int)support_below(random, ATOMS),
                            .k = support_below(random, 4),
                            .left = -1,
                            .right = -1};
    if (of >= NOT)
        all[at].left = oracle_grow(random, all, count, depth - 1);
    if (of >= AND)
        all[at].right = oracle_grow(random, all, count, depth - 1);
    return at;
}

/* With as few brackets as the grammar allows: `within` is how tightly what is around it binds. */
void oracle_write(const oracle_tree *all, int at, int within, char *text)
{
    static const char *const sign[] = {"true", "false", "",    "!", "X ", "N ",  "F ",  "G ",
                                       "",     "",      " & ", "|", "->", " U ", " R ", " W "};
    static const int tightness[] = {[AND] = 3, [OR] = 2, [IMPLIES] = 1, [U] = 4, [R] = 4, [W] = 4};
    const oracle_tree *t = &all[at];
    char *end = text + strlen(text);
    if (t->kind == A) {
        strcat(text, t->atom == 0 ? "a" : "\"b\"");
    } else if (t->kind < A) {
        strcat(text, sign[t->kind]);
    } else if (t->kind < AND) {
        if (t->kind == F_K || t->kind == G_K)
            sprintf(end, "%c<=%d ", t->kind == F_K ? 'F' : 'G', (int)t->k);
        else
            strcat(text, sign[t->kind]);
        oracle_write(all, t->left, 5, text);
    } else {
        int own = tightness[t->kind];
        bool right = t->kind != AND && t->kind != OR; /* these group to the right */
        strcat(text, own < within ? "(" : "");
        oracle_write(all, t->left, own + right, text);
        strcat(text, sign[t->kind]);
        oracle_write(all, t->right, own + !right, text);
        strcat(text, own < within ? ")" : "");
    }
}
