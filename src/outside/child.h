/* child.h - a program in a process group of its own, with a way in (its descriptor 3) and a
 * way out (its descriptor 4). Standard input is empty, standard output goes where standard
 * error goes, since the caller's standard output is for results.
 *
 * The group is led by a guard: a shell that reads from a pipe whose other end is ours alone. If
 * this process ends in whatever way, SIGKILL too, the guard reads the end of it, and ends the
 * group. (The kernel's own signal at the death of a parent comes at the death of the *thread*
 * that started the program, and only to the program, not to what it started.) */
#ifndef FY_CHILD_H
#define FY_CHILD_H

#include <sys/types.h>

#include "base/base.h"

typedef struct fy_child {
    pid_t pid;    /* 0: none */
    pid_t guard;  /* also the group's */
    int to, from; /* ours: what is written to `to` is read at 3; -1: closed. Non-blocking */
    int leash;    /* ours: the guard waits for its end */
} fy_child;

/* Starts the program of these words, ended by NULL, the first of which is its path: no shell reads
 * them. Nothing else of ours is open in it. */
foray_status fy_child_start(foray_context *say, const char *const *word, fy_child *child);

enum { FY_CHILD_HOW = 64 };
/* Has it ended? If so, `how` says in which way: "exit status 3", "signal 9: Killed". */
bool fy_child_ended(const fy_child *child, char how[FY_CHILD_HOW]);

/* Closes both ways, which asks it to end; after `patience` seconds SIGTERM to the group, after
 * `grace` more SIGKILL, also to whatever else is left of the group; and reaps it. */
void fy_child_end(fy_child *child, double patience, double grace);

#endif
