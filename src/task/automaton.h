/* automaton.h - formulas as deterministic automata, by progression:
 *
 *   q_0 = f,   q <- prog(q, s_t) for t = 0..H,   accepted iff ok(q): the empty rest satisfies q
 *
 * The automaton reads *letters*: which of the formula's atoms hold in a state. Only letters that
 * some state has are read. */
#ifndef FY_AUTOMATON_H
#define FY_AUTOMATON_H

#include "task/formula.h"

/* Formulas that need more are refused. */
enum { FY_AUTOMATON_STATES = 4096 };

typedef struct fy_automaton {
    int64_t states, letters; /* 0 is where it starts, before anything is read */
    int32_t *next;           /* [states][letters] */
    bool *accepts;           /* [states] */
    bool *decided;           /* [states] whatever is read from there on, it stays as it is */
} fy_automaton;

/* letter[i]: the atoms that hold, as bits; all different. The smallest automaton that accepts the
 * same words, in the order in which its states are met. FORAY_ERROR_INPUT if it is too large. */
foray_status fy_automaton_create(fy_arena *arena, fy_formula *formula, int64_t letters,
                                 const uint64_t *letter, fy_automaton *out);

/* A copy; false: no memory. */
bool fy_automaton_copy(fy_arena *arena, const fy_automaton *from, fy_automaton *to);

/* The state after one more letter. */
static inline int32_t fy_automaton_read(const fy_automaton *automaton, int64_t state,
                                        int64_t letter)
{
    return automaton->next[state * automaton->letters + letter];
}

#endif
