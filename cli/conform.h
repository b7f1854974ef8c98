/* conform.h - does a system keep the contract? One suite for built-in systems, systems in C,
 * plug-ins and programs. */
#ifndef CLI_CONFORM_H
#define CLI_CONFORM_H

#include "foray/system.h"

typedef enum cli_check_result {
    CLI_CHECK_PASSED,
    CLI_CHECK_FAILED,
    CLI_CHECK_SKIPPED
} cli_check_result;

/* What one check of the conformance suite found. The texts are valid during the call. */
typedef struct cli_check {
    const char *name; /* one word */
    const char *rule; /* what it looked at */
    cli_check_result result;
    const char *detail; /* what was measured, or the cause */
} cli_check;
typedef void (*cli_check_fn)(void *user, const cli_check *check);

/* Does a system keep the contract of foray/system.h? Calls `fn` for every check: whether answers
 * are states and depend on the question alone (asked again, in another order, alone, among many, by
 * several threads); whether reality is a mixture of the simulators (a statistical test with `draws`
 * draws, at least 2, for each of some (s,a), which a true mixture fails with probability 10^-6);
 * whether rewards lie in [0,1]; and how fast it is. *failed receives the number of failed checks.
 * FORAY_ERROR_WORLD: the system stopped working, and the remaining checks were skipped; *failed is
 * set in this case too. */
foray_status cli_system_conform(foray_context *ctx, foray_system *system, int64_t draws,
                                uint64_t seed, cli_check_fn fn, void *user, int64_t *failed);

#endif
